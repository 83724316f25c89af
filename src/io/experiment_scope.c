/* experiment_scope.c: what names in an experiment's expressions mean: parameters, dt, metrics, channels, other runs. */
#include "io/experiment.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool bri_naming_fail(BriNaming *n, const BriNode *place, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(n->why, sizeof n->why, format, arguments);
    va_end(arguments);
    return n->dry ? bri_refuse(&n->experiment->reader, place, "%s", n->why) : false;
}

static BriRun *run_of(BriNaming *n) { return n->run ? n->run : &n->experiment->plain; }

/* ------------------------------------------------------------------ names */

static BriFound fail(BrError *error, BrStatus status, const char *text) {
    bri_fail(error, status, "%s", text);
    return BRI_FAILED;
}

static BriFound find_metric(BriNaming *n, const char *name, double *value, BrError *error) {
    BrExperiment *e = n->experiment;
    int number = bri_names_find(&e->metric_entries.names, name);
    if (number < 0 || &e->metric[number] == n->metric) return BRI_UNKNOWN;
    BriMetric *metric = &e->metric[number];
    char text[160];
    if (n->dry) {
        *value = __builtin_nan("");
        return bri_check_metric(e, metric) ? BRI_FOUND : fail(error, e->reader.status, "refused");
    }
    bri_work_out_metric(e, metric);
    *value = metric->value;
    if (!metric->problem) return BRI_FOUND;
    snprintf(text, sizeof text, "metric '%.80s' has no value", name);
    return fail(error, BR_INVALID_ARGUMENT, text);
}

static BriFound find_constant(void *user, const char *name, double *value, BrError *error) {
    BriNaming *n = user;
    BriFound found = find_metric(n, name, value, error);
    if (found != BRI_UNKNOWN) return found;
    BriRun *run = run_of(n);
    if (!bri_open_run(n->experiment, run)) return fail(error, n->experiment->reader.status, "refused");
    *value = run->dt;
    if (strcmp(name, "dt") == 0) return BRI_FOUND;
    for (int i = 0; i < br_scene_parameter_count(run->scene); i++)
        if (strcmp(br_scene_parameter(run->scene, i, value), name) == 0) return BRI_FOUND;
    return BRI_UNKNOWN;
}

static BriFound find_series(void *user, const char *name, const BriSeries **series, BrError *error) {
    BriNaming *n = user;
    BrExperiment *e = n->experiment;
    BriRun *run;
    int members;
    char text[300];
    if (!bri_find_run(e, name, &run, &members, text, sizeof text)) return fail(error, BR_INVALID_ARGUMENT, text);
    if (!bri_open_run(e, run)) return fail(error, e->reader.status, "refused");
    snprintf(text, sizeof text, "run '%.60s' is a family of %d; name one of them, as %.60s[0]", name, members, name);
    if (members > 1) return fail(error, BR_INVALID_ARGUMENT, text);
    run->needed = true;
    snprintf(text, sizeof text, "run '%.80s' ended early", name);
    if (run->problem) return fail(error, BR_INVALID_ARGUMENT, text);
    *series = &run->series;
    return BRI_FOUND;
}

static int list_words(void *user, const char **words, int most) {
    BriNaming *n = user;
    BrExperiment *e = n->experiment;
    const BriRun *run = run_of(n);
    int count = 0;
    if (most > 0) words[count++] = "dt";
    for (int i = 0; run->scene && i < br_scene_parameter_count(run->scene) && count < most; i++)
        words[count++] = br_scene_parameter(run->scene, i, NULL);
    for (int i = 0; i < e->metrics && count < most; i++)
        if (&e->metric[i] != n->metric) words[count++] = e->metric[i].entry.name;
    return count;
}

/* ------------------------------------------------------------------ expressions */

bool bri_compile_node(BriNaming *n, const BriNode *node, const char *what, bool channels, bool condition,
                      BriFormula *formula) {
    BrExperiment *e = n->experiment;
    *formula = (BriFormula){0};
    if (node->kind != BRI_NODE_SCALAR) return bri_naming_fail(n, node, "%s must be an expression", what);
    BriScope scope = {.constant = find_constant, .words = list_words, .user = n};
    if (channels) {
        scope.series = &n->run->series;
        scope.run = find_series;
    }
    BrError inner = {0};
    BrStatus status = bri_formula_compile(node->text, condition, &scope, &e->allocator, formula, &inner);
    if (status == BR_OK) return true;
    if (status == BR_OUT_OF_MEMORY) return bri_no_memory(&e->reader);
    if (e->reader.status != BR_OK) return false; /* refused deeper down */
    BriNode place = *node;
    if (place.line && inner.column) place.column += inner.column - 1 + place.quoted;
    return bri_naming_fail(n, &place, "%s: %s", what, inner.text);
}

bool bri_number_of(BriNaming *n, const BriNode *node, const char *what, BriDimension wanted, double *value) {
    BriFormula formula;
    if (!bri_compile_node(n, node, what, false, false, &formula)) return false;
    double result[9] = {0};
    char has[64], needs[64];
    bool fine = bri_formula_width(&formula) == 1 || bri_naming_fail(n, node, "%s must be a number", what);
    if (fine && !bri_unit_fits(formula.dimension, wanted)) {
        bri_unit_name(formula.dimension, has, sizeof has);
        bri_unit_name(wanted, needs, sizeof needs);
        fine =
            bri_naming_fail(n, node, "%s: '%.60s' is in %s, but a value in %s is needed", what, node->text, has, needs);
    }
    if (fine) bri_formula_evaluate(&formula, NULL, (BriPlace){0, 0}, 0, result, NULL);
    bri_formula_release(&formula, &n->experiment->allocator);
    *value = result[0];
    if (!fine || n->dry || bri_is_finite(*value)) return fine;
    return bri_naming_fail(n, node, "%s: '%.60s' is not a finite number", what, node->text);
}
