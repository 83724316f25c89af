/* results.c: what an experiment gave, for people and for machines. */
#include "reproduce.h"

#include <math.h>
#include <string.h>

Row make_row(const BrMetric *m) {
    Row row = {"", "-", "", "info"};
    if (m->bound)
        snprintf(row.reference, sizeof row.reference, "<= %.4g", m->tolerance);
    else if (isfinite(m->expected))
        snprintf(row.reference, sizeof row.reference, "%.10g", m->expected);
    if (!m->bound && isfinite(m->tolerance)) snprintf(row.tolerance, sizeof row.tolerance, "%.3g", m->tolerance);
    if (isfinite(m->value)) snprintf(row.ours, sizeof row.ours, "%.10g", m->value);
    if (m->checked) row.verdict = m->pass ? "ok" : "FAIL";
    if (m->problem) row.verdict = "FAIL";
    return row;
}

int count_failures(const BrExperiment *e) {
    int failures = 0;
    BrMetric m;
    for (int i = 0; i < br_experiment_metric_count(e); i++)
        if (br_experiment_metric(e, i, &m) == BR_OK) failures += m.problem || (m.checked && !m.pass);
    return failures;
}

static int count_checks(const BrExperiment *e) {
    int checks = 0;
    BrMetric m;
    for (int i = 0; i < br_experiment_metric_count(e); i++)
        if (br_experiment_metric(e, i, &m) == BR_OK) checks += m.checked;
    return checks;
}

/* ------------------------------------------------------------------ the table */

static void print_problems(const BrExperiment *e) {
    BrMetric m;
    BrExperimentRun run;
    for (int i = 0; i < br_experiment_metric_count(e); i++)
        if (br_experiment_metric(e, i, &m) == BR_OK && m.problem)
            fprintf(stderr, "%s: metric '%s': %s\n", br_experiment_id(e), m.name, m.problem);
    for (int i = 0; i < br_experiment_run_count(e); i++) {
        if (br_experiment_run_info(e, i, &run) != BR_OK) continue;
        if (run.problem) fprintf(stderr, "%s: run '%s' ended early, %s\n", br_experiment_id(e), run.name, run.problem);
        if (run.uncertified_steps)
            fprintf(stderr, "%s: warning: run '%s' has %llu steps that were not certified\n", br_experiment_id(e),
                    run.name, (unsigned long long)run.uncertified_steps);
        if (run.fell_back_steps)
            fprintf(stderr, "%s: run '%s' has %llu steps that timestepping made\n", br_experiment_id(e), run.name,
                    (unsigned long long)run.fell_back_steps);
    }
}

void print_results(FILE *out, const BrExperiment *e, Clocks spent) {
    int longest = 6, failures = count_failures(e);
    BrMetric m;
    for (int i = 0; i < br_experiment_metric_count(e); i++)
        if (br_experiment_metric(e, i, &m) == BR_OK && (int)strlen(m.name) > longest) longest = (int)strlen(m.name);
    fprintf(out, "%s%s%s\n", br_experiment_id(e), *br_experiment_title(e) ? ": " : "", br_experiment_title(e));
    fprintf(out, "  %-*s %9s %14s %17s %10s  %-7s %s\n", longest, "metric", "paper", "reference", "ours", "tolerance",
            "verdict", "source");
    for (int i = 0; i < br_experiment_metric_count(e); i++) {
        br_experiment_metric(e, i, &m);
        Row row = make_row(&m);
        fprintf(out, "  %-*s %9s %14s %17s %10s  %-7s%s%s\n", longest, m.name, m.printed, row.reference, row.ours,
                row.tolerance, row.verdict, *m.source ? " " : "", m.source);
    }
    fprintf(out, "  %d checks, %d failed; %.2g s wall, %.2g s CPU\n\n", count_checks(e), failures, spent.wall,
            spent.cpu);
    fflush(out);
    print_problems(e);
}

/* ------------------------------------------------------------------ JSON */

void print_results_json(FILE *out, const BrExperiment *e) {
    BrMetric m;
    int count = br_experiment_metric_count(e), checks = 0;
    fprintf(out, "{\"experiment\": ");
    json_text(out, br_experiment_id(e));
    fprintf(out, ", \"metrics\": {");
    for (int i = 0; i < count; i++) {
        br_experiment_metric(e, i, &m);
        if (i) fprintf(out, ", ");
        json_text(out, m.name);
        fprintf(out, ": ");
        json_number(out, m.value);
    }
    fprintf(out, "}, \"checks\": [");
    for (int i = 0; i < count; i++) {
        br_experiment_metric(e, i, &m);
        if (!m.checked) continue;
        fprintf(out, "%s{\"name\": ", checks++ ? ", " : "");
        json_text(out, m.name);
        fprintf(out, ", \"expected\": ");
        json_number(out, m.expected);
        fprintf(out, ", \"got\": ");
        json_number(out, m.value);
        fprintf(out, ", \"tolerance\": ");
        json_number(out, m.tolerance);
        fprintf(out, ", \"pass\": %s, \"source\": ", m.pass ? "true" : "false");
        json_text(out, m.source);
        fprintf(out, ", \"printed\": ");
        json_text(out, m.printed);
        fprintf(out, "}");
    }
    fprintf(out, "]}");
    fflush(out);
    print_problems(e);
}
