/* experiment_curve.c: a channel expression over the rows of a run, less the same of another run. */
#include "io/experiment.h"

#include "math/vec.h"

/* The expressions of one curve. */
typedef struct Formulas {
    BriFormula channel, other, where;
} Formulas;

static void release(BriNaming *n, Formulas *f) {
    const BrAllocator *allocator = &n->experiment->allocator;
    bri_formula_release(&f->channel, allocator);
    bri_formula_release(&f->other, allocator);
    bri_formula_release(&f->where, allocator);
}

static bool compile(BriNaming *n, const BriCurveDef *def, Formulas *f) {
    BriRun *before = n->run;
    *f = (Formulas){0};
    n->run = def->run;
    bool fine = bri_compile_node(n, def->channel, "channel", true, false, &f->channel) &&
                (!def->where || bri_compile_node(n, def->where, "where", true, true, &f->where));
    n->run = def->other;
    fine = fine && (!def->other || bri_compile_node(n, def->channel, "channel, against", true, false, &f->other));
    n->run = before;
    int width = fine ? bri_formula_width(&f->channel) : 1;
    if (fine && width != 1 && !def->other)
        fine = bri_naming_fail(n, def->channel, "this is a %s, but a number is needed; take norm(...) or a component",
                               width == 3 ? "vector" : "rotation");
    if (fine && width == 9) fine = bri_naming_fail(n, def->channel, "rotations cannot be compared; take their columns");
    if (!fine) release(n, f);
    return fine;
}

static bool fail_evaluation(BriNaming *n, const BriNode *node, const BrError *error) {
    return bri_naming_fail(n, node, "%s", error->text);
}

/* The number at a place of the run. */
static bool evaluate(BriNaming *n, const BriCurveDef *def, const Formulas *f, BriPlace place, double *value) {
    BrError error = {0};
    double here[9] = {0}, there[9] = {0};
    int width = bri_formula_width(&f->channel);
    const BriSeries *series = &def->run->series;
    if (bri_formula_evaluate(&f->channel, series, place, def->shift, here, &error) != BR_OK)
        return fail_evaluation(n, def->channel, &error);
    *value = here[0];
    if (def->other) {
        BriPlace other;
        double time = bri_series_time(series, place) + def->shift;
        if (!bri_series_locate(&def->other->series, time, &other))
            return bri_naming_fail(n, def->channel,
                                   "run '%.60s' has no row at t = %.9g s; narrow from and to, or use "
                                   "skip_first",
                                   def->other->name, time);
        if (def->exact && def->shift == 0 && other.part != 0)
            return bri_naming_fail(n, def->channel,
                                   "run '%.60s' has no row at t = %.9g s, and between rows an order means "
                                   "nothing; use record_every",
                                   def->other->name, time);
        if (bri_formula_evaluate(&f->other, &def->other->series, other, 0, there, &error) != BR_OK)
            return fail_evaluation(n, def->channel, &error);
        BrVec3 difference = bri_vec(here[0] - there[0], here[1] - there[1], here[2] - there[2]);
        *value = width == 1 ? difference.x : bri_norm(difference);
    }
    if (bri_is_finite(*value) || def->gaps) return true;
    return bri_naming_fail(n, def->channel, "'%.80s' is not a finite number at t = %.9g s", def->channel->text,
                           bri_series_time(series, place));
}

static bool is_wanted(BriNaming *n, const BriCurveDef *def, const Formulas *f, BriPlace place, bool *wanted) {
    const BriSeries *series = &def->run->series;
    double time = bri_series_time(series, place), near = 1e-6 * def->run->dt, truth[9] = {1};
    BrError error = {0};
    *wanted = !(def->skip_first && place.row == 0) && time >= def->from - near && time <= def->to + near;
    if (!*wanted || !def->where) return true;
    if (bri_formula_evaluate(&f->where, series, place, def->shift, truth, &error) != BR_OK)
        return fail_evaluation(n, def->where, &error);
    *wanted = truth[0] != 0;
    return true;
}

static bool fill(BriNaming *n, const BriCurveDef *def, const Formulas *f, BriCurve *curve) {
    const BriSeries *series = &def->run->series;
    for (int i = 0; i < series->rows; i++) {
        BriPlace place = {i, 0};
        bool wanted;
        if (!is_wanted(n, def, f, place, &wanted)) return false;
        if (!wanted) continue;
        if (!evaluate(n, def, f, place, &curve->v[curve->count])) return false;
        curve->t[curve->count++] = bri_series_time(series, place);
    }
    return true;
}

bool bri_curve_points(BriNaming *n, const BriCurveDef *def, BriCurve *curve) {
    BrExperiment *e = n->experiment;
    Formulas f;
    *curve = (BriCurve){0};
    if (!compile(n, def, &f)) return false;
    bool fine = true;
    if (!n->dry) {
        curve->t = bri_allocate(&e->allocator, (size_t)def->run->series.rows, sizeof(double));
        curve->v = bri_allocate(&e->allocator, (size_t)def->run->series.rows, sizeof(double));
        fine = (curve->t && curve->v) || bri_no_memory(&e->reader);
        fine = fine && fill(n, def, &f, curve);
    }
    release(n, &f);
    if (!fine) bri_curve_release(curve, &e->allocator);
    return fine;
}

bool bri_curve_at(BriNaming *n, const BriCurveDef *def, double time, double *value) {
    Formulas f;
    BriPlace place;
    if (!compile(n, def, &f)) return false;
    bool fine = true;
    bool there = n->dry || bri_series_locate(&def->run->series, time, &place);
    if (!there || (!n->dry && def->exact && place.part != 0))
        fine = bri_naming_fail(n, def->channel, "run '%.60s' has no row at t = %.9g s", def->run->name, time);
    else if (!n->dry)
        fine = evaluate(n, def, &f, place, value);
    release(n, &f);
    return fine;
}

void bri_curve_release(BriCurve *curve, const BrAllocator *allocator) {
    bri_release(allocator, curve->t);
    bri_release(allocator, curve->v);
    *curve = (BriCurve){0};
}
