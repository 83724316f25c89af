/* formula_value.c: the value of a formula at a place of its run.
 *
 * angle(v, w) = atan2(|v x w|, v.w): exact near 0 and pi, where the arc cosine has a floor of 1e-8. */
#include "io/formula.h"
#include "laws/laws.h"
#include "math/vec.h"

#include <string.h>

typedef struct Evaluation {
    const BriTerm *term;
    const BriSeries *base;
    double shift;
    BrError *error;
    BrStatus status;
} Evaluation;

static void evaluate(Evaluation *e, int number, BriPlace place, double *value);

static double evaluate_number(Evaluation *e, int number, BriPlace place) {
    double value[9] = {0};
    evaluate(e, number, place, value);
    return value[0];
}

static BrVec3 evaluate_vector(Evaluation *e, int number, BriPlace place) {
    double value[9] = {0};
    evaluate(e, number, place, value);
    return bri_vec(value[0], value[1], value[2]);
}

static void refuse_time(Evaluation *e, const BriSeries *series, double time) {
    if (e->status != BR_OK) return;
    e->status =
        bri_fail(e->error, BR_INVALID_ARGUMENT,
                 "run '%.60s' has no row at t = %.9g s, it goes from %.9g to %.9g s; narrow from and to, or use "
                 "skip_first",
                 series->name, time, bri_series_time(series, (BriPlace){0, 0}),
                 bri_series_time(series, (BriPlace){series->rows - 1, 0}));
}

/* A channel of this run, or of another at the same time. */
static void read_channel(Evaluation *e, const BriTerm *term, BriPlace place, double *value) {
    double all[9] = {0};
    if (term->series != e->base) {
        double time = bri_series_time(e->base, place) + e->shift;
        if (!bri_series_locate(term->series, time, &place)) {
            refuse_time(e, term->series, time);
            for (int k = 0; k < term->width; k++) value[k] = __builtin_nan("");
            return;
        }
    }
    bri_series_read(term->series, term->channel, place, all);
    memcpy(value, all + (term->part < 0 ? 0 : term->part), (size_t)term->width * sizeof *value);
}

/* The argument at another place of the run. */
static void travel(Evaluation *e, const BriTerm *term, BriPlace place, double *value) {
    BriPlace there = {0, 0};
    if (term->operation == BRI_TERM_LAST) there.row = e->base->rows - 1;
    if (term->operation == BRI_TERM_AT) {
        double time = evaluate_number(e, term->argument[1], place);
        if (!bri_series_locate(e->base, time, &there)) refuse_time(e, e->base, time);
    }
    evaluate(e, term->argument[0], there, value);
}

static void multiply(Evaluation *e, const BriTerm *term, BriPlace place, double *value) {
    int left = e->term[term->argument[0]].width, right = e->term[term->argument[1]].width;
    double a[9] = {0}, b[9] = {0};
    evaluate(e, term->argument[0], place, a);
    evaluate(e, term->argument[1], place, b);
    if (left == 1 || right == 1) {
        for (int k = 0; k < term->width; k++) value[k] = a[left == 1 ? 0 : k] * b[right == 1 ? 0 : k];
        return;
    }
    int columns = right == 9 ? 3 : 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < columns; j++)
            value[columns * i + j] =
                a[3 * i] * b[j] + a[3 * i + 1] * b[columns + j] + a[3 * i + 2] * b[2 * columns + j];
}

static void add(Evaluation *e, const BriTerm *term, BriPlace place, double *value) {
    double other[9] = {0};
    evaluate(e, term->argument[0], place, value);
    if (term->operation == BRI_TERM_NEGATE) {
        for (int k = 0; k < term->width; k++) value[k] = -value[k];
        return;
    }
    evaluate(e, term->argument[1], place, other);
    for (int k = 0; k < term->width; k++) {
        if (term->operation == BRI_TERM_ADD) value[k] += other[k];
        if (term->operation == BRI_TERM_SUBTRACT) value[k] -= other[k];
        if (term->operation == BRI_TERM_DIVIDE) value[k] /= other[0];
    }
}

/* x^n; small whole powers by multiplication, so that x^2 is x*x to the bit. */
static double raise_to(double x, double n) {
    if (bri_abs(n) > 8 || n != bri_floor(n)) return bri_pow(x, n);
    double product = 1;
    for (int i = 0; i < (int)bri_abs(n); i++) product *= x;
    return n < 0 ? 1 / product : product;
}

static double combine_numbers(BriOperation operation, double a, double b) {
    switch (operation) {
    case BRI_TERM_POWER: return raise_to(a, b);
    case BRI_TERM_LESS: return a < b;
    case BRI_TERM_GREATER: return a > b;
    case BRI_TERM_AT_MOST: return a <= b;
    case BRI_TERM_AT_LEAST: return a >= b;
    case BRI_TERM_AND: return a != 0 && b != 0;
    case BRI_TERM_ATAN2: return bri_atan2(a, b);
    case BRI_TERM_MIN: return bri_min(a, b);
    default: return bri_max(a, b);
    }
}

static double apply_function(BriOperation operation, double x) {
    switch (operation) {
    case BRI_TERM_ABS: return bri_abs(x);
    case BRI_TERM_SQRT: return bri_sqrt(x);
    case BRI_TERM_SIN: return bri_sin(x);
    case BRI_TERM_COS: return bri_cos(x);
    case BRI_TERM_TAN: return bri_tan(x);
    case BRI_TERM_ASIN: return bri_asin(x);
    case BRI_TERM_ACOS: return bri_acos(x);
    case BRI_TERM_ATAN: return bri_atan(x);
    case BRI_TERM_EXP: return bri_exp(x);
    case BRI_TERM_RESTITUTION_DAMPING: return x > 0 && x <= 1 ? bri_restitution_damping(x) : __builtin_nan("");
    default: return bri_log(x);
    }
}

static void combine_vectors(Evaluation *e, const BriTerm *term, BriPlace place, double *value) {
    BrVec3 a = evaluate_vector(e, term->argument[0], place);
    if (term->operation == BRI_TERM_NORM) {
        *value = bri_norm(a);
        return;
    }
    BrVec3 b = evaluate_vector(e, term->argument[1], place), c = bri_cross(a, b);
    if (term->operation == BRI_TERM_CROSS)
        memcpy(value, (double[]){c.x, c.y, c.z}, 3 * sizeof *value);
    else
        *value = term->operation == BRI_TERM_DOT ? bri_dot(a, b) : bri_atan2(bri_norm(c), bri_dot(a, b));
}

static void pick(Evaluation *e, const BriTerm *term, BriPlace place, double *value) {
    double all[9] = {0};
    evaluate(e, term->argument[0], place, all);
    if (term->operation == BRI_TERM_PART) value[0] = all[term->part];
    for (int i = 0; term->operation == BRI_TERM_COLUMN && i < 3; i++) value[i] = all[3 * i + term->part];
}

static void evaluate(Evaluation *e, int number, BriPlace place, double *value) {
    const BriTerm *term = &e->term[number];
    switch (term->operation) {
    case BRI_TERM_CONSTANT: *value = term->constant; return;
    case BRI_TERM_CHANNEL: read_channel(e, term, place, value); return;
    case BRI_TERM_NEGATE:
    case BRI_TERM_ADD:
    case BRI_TERM_SUBTRACT:
    case BRI_TERM_DIVIDE: add(e, term, place, value); return;
    case BRI_TERM_MULTIPLY: multiply(e, term, place, value); return;
    case BRI_TERM_PART:
    case BRI_TERM_COLUMN: pick(e, term, place, value); return;
    case BRI_TERM_VECTOR:
        for (int k = 0; k < 3; k++) value[k] = evaluate_number(e, term->argument[k], place);
        return;
    case BRI_TERM_NORM:
    case BRI_TERM_ANGLE:
    case BRI_TERM_DOT:
    case BRI_TERM_CROSS: combine_vectors(e, term, place, value); return;
    case BRI_TERM_FIRST:
    case BRI_TERM_LAST:
    case BRI_TERM_AT: travel(e, term, place, value); return;
    case BRI_TERM_POWER:
    case BRI_TERM_LESS:
    case BRI_TERM_GREATER:
    case BRI_TERM_AT_MOST:
    case BRI_TERM_AT_LEAST:
    case BRI_TERM_AND:
    case BRI_TERM_ATAN2:
    case BRI_TERM_MIN:
    case BRI_TERM_MAX: {
        double a = evaluate_number(e, term->argument[0], place);
        *value = combine_numbers(term->operation, a, evaluate_number(e, term->argument[1], place));
        return;
    }
    default: *value = apply_function(term->operation, evaluate_number(e, term->argument[0], place)); return;
    }
}

BrStatus bri_formula_evaluate(const BriFormula *formula, const BriSeries *base, BriPlace place, double shift,
                              double value[9], BrError *error) {
    Evaluation e = {formula->term, base, shift, error, BR_OK};
    memset(value, 0, 9 * sizeof *value);
    evaluate(&e, formula->count - 1, place, value);
    return e.status;
}
