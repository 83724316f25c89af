/* results.c: what an experiment gave, for people and for machines. */
#include "figure.h"
#include "reproduce.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Row {
    char reference[40], ours[40], tolerance[40];
    const char *verdict;
} Row;

static Row make_row(const BrMetric *m) {
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

/* ------------------------------------------------------------------ the page */

static bool fail(BrError *error, const char *path) {
    snprintf(error->text, sizeof error->text, "cannot write '%.300s': %s", path, strerror(errno));
    error->status = BR_IO;
    return false;
}

/* Neither reads nor writes through a symbolic link that lies in a folder of somebody else. NULL after a failure. */
static FILE *open_plain(const char *path, bool write, BrError *error) {
    int handle =
        open(path, O_NOFOLLOW | O_CLOEXEC | (write ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY | O_NONBLOCK), 0666);
    FILE *file = handle >= 0 ? fdopen(handle, write ? "w" : "r") : NULL;
    if (file) return file;
    if (errno == ELOOP)
        snprintf(error->text, sizeof error->text,
                 "'%.300s' is a symbolic link, which is not followed; put a file there", path);
    else
        snprintf(error->text, sizeof error->text, "cannot %s '%.300s': %s", write ? "write" : "read", path,
                 strerror(errno));
    error->status = BR_IO;
    if (handle >= 0) close(handle);
    return NULL;
}

static bool close_file(FILE *file, const char *path, BrError *error) {
    bool fine = !ferror(file);
    if (fclose(file) != 0) fine = false;
    return fine || fail(error, path);
}

static bool copy_readme(const BrExperiment *e, FILE *out, BrError *error) {
    char path[1100], piece[4096];
    snprintf(path, sizeof path, "%.1000s/README.md", br_experiment_folder(e));
    if (access(path, F_OK) != 0) {
        fprintf(out, "# %s\n", *br_experiment_title(e) ? br_experiment_title(e) : br_experiment_id(e));
        return true;
    }
    FILE *file = open_plain(path, false, error);
    if (!file) return false;
    for (size_t count; (count = fread(piece, 1, sizeof piece, file)) > 0;) fwrite(piece, 1, count, out);
    fclose(file);
    return true;
}

static void write_table(const BrExperiment *e, FILE *out) {
    BrMetric m;
    fprintf(out,
            "\n## Results\n\n| metric | printed in the paper | our reference | ours | tolerance | verdict | source |\n"
            "|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < br_experiment_metric_count(e); i++) {
        br_experiment_metric(e, i, &m);
        Row row = make_row(&m);
        fprintf(out, "| %s | %s | %s | %s | %s | %s | %s |\n", m.name, m.printed, row.reference, row.ours,
                row.tolerance, row.verdict, m.source);
    }
}

static bool write_figure(const BrExperiment *e, int number, const char *folder, FILE *page, BrError *error) {
    BrFigure figure;
    char path[1100];
    br_experiment_figure(e, number, &figure);
    snprintf(path, sizeof path, "%.800s/%.150s-%.100s.svg", folder, br_experiment_id(e), figure.name);
    FILE *out = open_plain(path, true, error);
    if (!out) return false;
    figure_write_svg(out, &figure, 1, NULL, false);
    fprintf(page, "\n![%s](%s-%s.svg)\n", figure.title, br_experiment_id(e), figure.name);
    return close_file(out, path, error);
}

/* What the experiment consists of is not written over. */
static bool is_own_file(const BrExperiment *e, const char *path, BrError *error) {
    const char *names[] = {"README.md", "experiment.yaml"};
    char own[1100];
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); i++) {
        snprintf(own, sizeof own, "%.1000s/%s", br_experiment_folder(e), names[i]);
        if (!is_same_file(path, own)) continue;
        snprintf(error->text, sizeof error->text,
                 "--output: the page '%.300s' is the experiment's own '%.300s', which would be overwritten; name "
                 "another folder",
                 path, own);
        error->status = BR_INVALID_ARGUMENT;
        return true;
    }
    return false;
}

static void name_page(const BrExperiment *e, const char *folder, char path[1100]) {
    snprintf(path, 1100, "%.800s/%.200s.md", folder, br_experiment_id(e));
}

bool has_room_for_page(const BrExperiment *e, const char *folder, bool force, BrError *error) {
    char path[1100];
    name_page(e, folder, path);
    if (is_own_file(e, path, error)) return false;
    if (force || !would_be_lost(path)) return true;
    snprintf(error->text, sizeof error->text,
             "the page '%.300s' is there already and is kept; name another folder, or overwrite it with --force", path);
    error->status = BR_INVALID_ARGUMENT;
    return false;
}

bool write_page(const BrExperiment *e, const char *folder, BrError *error) {
    char path[1100];
    name_page(e, folder, path);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) return fail(error, folder);
    FILE *out = open_plain(path, true, error);
    if (!out) return false;
    bool fine = copy_readme(e, out, error);
    write_table(e, out);
    for (int i = 0; fine && i < br_experiment_figure_count(e); i++) fine = write_figure(e, i, folder, out, error);
    return close_file(out, path, error) && fine;
}
