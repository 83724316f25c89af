/* Experiments: reducers on curves that are known, expressions, families, templates, and mistakes with their places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bristle/bristle.h"
#include "counting.h"
#include "io/formula.h"
#include "io/reduce.h"

#define PI 3.14159265358979323846

static void check_near(double got, double wanted, double tolerance) {
    if (!(fabs(got - wanted) <= tolerance)) fail_msg("%.17g instead of %.17g", got, wanted);
}

/* ------------------------------------------------------------------ reducers */

enum { ROWS = 1001 };

/* f over 0 .. 10, 10 ms apart. */
static BriPoints sample(double (*f)(double), double t[ROWS], double v[ROWS]) {
    for (int i = 0; i < ROWS; i++) {
        t[i] = 0.01 * i;
        v[i] = f(t[i]);
    }
    return (BriPoints){ROWS, t, v};
}

static BriReduced reduce(BriPoints points, BriReduction reduction) {
    BriReduced result = {0, 0};
    char why[200] = "";
    if (!bri_reduce_curve(&reduction, points, &result, why, sizeof why)) fail_msg("%s", why);
    return result;
}

static void refuse(BriPoints points, BriReduction reduction, const char *words) {
    BriReduced result;
    char why[200] = "";
    assert_false(bri_reduce_curve(&reduction, points, &result, why, sizeof why));
    if (!strstr(why, words)) fail_msg("'%s' does not say '%s'", why, words);
}

/* Peaks of a sine: the parabola through three rows misses the value by h^4/64 and the time by h^3. */
static void test_peaks(void **state) {
    (void)state;
    double t[ROWS], v[ROWS];
    BriPoints p = sample(sin, t, v);
    BriReduced peak = reduce(p, (BriReduction){.reducer = BRI_REDUCE_PEAK, .nth = 2});
    check_near(peak.value, 1, 1e-9);
    check_near(peak.time, 5 * PI / 2, 1e-6);
    BriReduced valley = reduce(p, (BriReduction){.reducer = BRI_REDUCE_VALLEY, .nth = 1});
    check_near(valley.value, -1, 1e-9);
    check_near(valley.time, 3 * PI / 2, 1e-6);
    BriReduced turn = reduce(p, (BriReduction){.reducer = BRI_REDUCE_TURN, .nth = 2});
    check_near(turn.value, -1, 1e-9);
    turn = reduce(p, (BriReduction){.reducer = BRI_REDUCE_TURN, .nth = -1});
    check_near(turn.time, 5 * PI / 2, 1e-6);
    refuse(p, (BriReduction){.reducer = BRI_REDUCE_PEAK, .nth = 3}, "peak number 3 is wanted, but there are 2");
    refuse(p, (BriReduction){.reducer = BRI_REDUCE_TURN, .nth = -4}, "there are 3");
}

/* A flat top is one peak; flat ends are none. */
static void test_plateaus(void **state) {
    (void)state;
    double t[] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, v[] = {1, 1, 2, 3, 3, 3, 2, 2, 2};
    BriPoints p = {9, t, v};
    BriReduced peak = reduce(p, (BriReduction){.reducer = BRI_REDUCE_PEAK, .nth = 1});
    check_near(peak.value, 3, 0.2);
    assert_true(peak.time >= 3 && peak.time <= 5.5);
    refuse(p, (BriReduction){.reducer = BRI_REDUCE_TURN, .nth = 2}, "there are 1");
}

static void test_crossings(void **state) {
    (void)state;
    double t[ROWS], v[ROWS];
    BriPoints p = sample(sin, t, v); /* starts on the level: no crossing */
    const double chord = 7e-8;       /* h^3/16: how far the chord of a sine misses its zero */
    check_near(reduce(p, (BriReduction){.reducer = BRI_REDUCE_CROSSING, .nth = 1}).value, PI, chord);
    check_near(reduce(p, (BriReduction){.reducer = BRI_REDUCE_CROSSING, .nth = 1, .direction = 1}).value, 2 * PI,
               chord);
    check_near(reduce(p, (BriReduction){.reducer = BRI_REDUCE_CROSSING, .nth = 2, .direction = -1}).value, 3 * PI,
               chord);
    /* off zero the chord errs by h^2/8 times the curvature, over the slope */
    check_near(reduce(p, (BriReduction){.reducer = BRI_REDUCE_CROSSING, .nth = 1, .level = 0.5}).value, PI / 6, 1e-5);
    check_near(reduce(p, (BriReduction){.reducer = BRI_REDUCE_PERIOD, .nth = 1, .direction = -1}).value, 2 * PI,
               2 * chord);
    refuse(p, (BriReduction){.reducer = BRI_REDUCE_PERIOD, .nth = 1}, "there are 1");
    refuse(p, (BriReduction){.reducer = BRI_REDUCE_CROSSING, .nth = 1, .level = 2}, "there are 0");
}

static double draw_line(double t) { return 3 - 2 * t; }

static void test_means(void **state) {
    (void)state;
    double t[ROWS], v[ROWS];
    BriPoints p = sample(draw_line, t, v);
    check_near(reduce(p, (BriReduction){.reducer = BRI_REDUCE_SLOPE}).value, -2, 1e-13);
    check_near(reduce(p, (BriReduction){.reducer = BRI_REDUCE_MEAN}).value, -7, 1e-12);
    check_near(reduce(p, (BriReduction){.reducer = BRI_REDUCE_MIN}).value, -17, 1e-14);
    check_near(reduce(p, (BriReduction){.reducer = BRI_REDUCE_MAX}).time, 0, 0);
    check_near(reduce(p, (BriReduction){.reducer = BRI_REDUCE_FIRST}).value, 3, 0);
    check_near(reduce(p, (BriReduction){.reducer = BRI_REDUCE_LAST}).value, -17, 1e-14);
    check_near(reduce(p, (BriReduction){.reducer = BRI_REDUCE_COUNT}).value, ROWS, 0);
    p = sample(sin, t, v);
    check_near(reduce((BriPoints){629, t, v}, (BriReduction){.reducer = BRI_REDUCE_RMS}).value, sqrt(0.5), 1e-3);
    BriPoints none = {0, t, v};
    refuse(none, (BriReduction){.reducer = BRI_REDUCE_MEAN}, "no row is left");
    check_near(reduce(none, (BriReduction){.reducer = BRI_REDUCE_COUNT}).value, 0, 0);
    refuse((BriPoints){1, t, v}, (BriReduction){.reducer = BRI_REDUCE_SLOPE}, "needs two rows");
}

static double draw_bend(double t) { return t < 4.0037 ? 1 - t : -3.0037 + 0.5 * (t - 4.0037); }

/* Two lines meet where they meet, wherever between two rows; a bend is not a jump. */
static void test_kink(void **state) {
    (void)state;
    double t[ROWS], v[ROWS];
    BriPoints p = sample(draw_bend, t, v);
    check_near(reduce(p, (BriReduction){.reducer = BRI_REDUCE_KINK}).value, 4.0037, 1e-11);
    refuse(sample(draw_line, t, v), (BriReduction){.reducer = BRI_REDUCE_KINK}, "");
    refuse((BriPoints){6, t, v}, (BriReduction){.reducer = BRI_REDUCE_KINK}, "no kink");
}

static double draw_jump(double t) { return t < 4.0037 ? sin(t) : 7 + cos(t); }

/* The two sides of a jump, wherever between two rows, or on one: the cubic misses a sine by h^4. */
static void test_sides(void **state) {
    (void)state;
    double t[ROWS], v[ROWS];
    BriPoints p = sample(draw_jump, t, v);
    const double at[] = {4.0037, 4.0003, 4.0094}, error = 1e-8; /* rows are 0.01 apart */
    for (int i = 0; i < 3; i++) {
        check_near(reduce(p, (BriReduction){.reducer = BRI_REDUCE_BEFORE, .level = at[i]}).value, sin(at[i]), error);
        check_near(reduce(p, (BriReduction){.reducer = BRI_REDUCE_AFTER, .level = at[i]}).value, 7 + cos(at[i]), error);
    }
    /* a row at that time is of the side after it */
    check_near(reduce(p, (BriReduction){.reducer = BRI_REDUCE_AFTER, .level = t[500]}).value, v[500], 0);
    refuse(p, (BriReduction){.reducer = BRI_REDUCE_BEFORE, .level = t[3]}, "before t = 0.03 s has fewer than 4 rows");
    refuse(p, (BriReduction){.reducer = BRI_REDUCE_AFTER, .level = t[ROWS - 3]}, "has fewer than 4 rows");
}

/* ------------------------------------------------------------------ expressions */

/* Rows 0, 1, 2 s; "a" counts 10 t, "v" is (t, 2, -t), "R" turns by t quarter turns about z. */
typedef struct Fake {
    BriChannel channel[4];
    double data[3 * 14];
    BriSeries series;
} Fake;

static void make_fake(Fake *f, double scale) {
    static const BriChannel CHANNELS[] = {{.name = "time", .unit = "s", .width = 1},
                                          {.group = "bodies/arm", .name = "a", .unit = "m", .width = 1, .offset = 1},
                                          {.group = "bodies/arm", .name = "v", .unit = "m/s", .width = 3, .offset = 2},
                                          {.group = "bodies/arm", .name = "R", .unit = "1", .width = 9, .offset = 5}};
    memcpy(f->channel, CHANNELS, sizeof CHANNELS);
    static const double C[] = {1, 0, -1}, S[] = {0, 1, 0};
    for (int i = 0; i < 3; i++) {
        double row[] = {i, 10 * scale * i, i, 2, -i, C[i], -S[i], 0, S[i], C[i], 0, 0, 0, 1};
        memcpy(f->data + 14 * (size_t)i, row, sizeof row);
    }
    f->series = (BriSeries){.name = "fake",
                            .channels = {.count = 4, .capacity = 4, .channel = f->channel, .width = 14},
                            .rows = 3,
                            .data = f->data};
}

static BriFound find_fake(void *user, const char *name, const BriSeries **series, BrError *error) {
    (void)error;
    *series = &((Fake *)user)->series;
    return strcmp(name, "other") == 0 || strcmp(name, "other[12]") == 0 ? BRI_FOUND : BRI_UNKNOWN;
}

static BriFound find_k(void *user, const char *name, double *value, BrError *error) {
    (void)user, (void)error;
    *value = 7;
    return strcmp(name, "k") == 0 || strcmp(name, "d_e0.1") == 0 ? BRI_FOUND : BRI_UNKNOWN;
}

static BrStatus evaluate(const char *text, bool condition, double time, double shift, double value[9], BrError *error) {
    Fake base, other;
    make_fake(&base, 1);
    make_fake(&other, 3);
    BrAllocator allocator = bri_default_allocator();
    BriScope scope = {.series = &base.series, .constant = find_k, .run = find_fake, .user = &other};
    BriFormula formula;
    BrStatus status = bri_formula_compile(text, condition, &scope, &allocator, &formula, error);
    if (status != BR_OK) return status;
    BriPlace place;
    assert_true(bri_series_locate(&base.series, time, &place));
    status = bri_formula_evaluate(&formula, &base.series, place, shift, value, error);
    bri_formula_release(&formula, &allocator);
    return status;
}

static void test_formulas(void **state) {
    (void)state;
    const struct {
        const char *text;
        double time, value;
    } table[] = {{"bodies.arm.a", 2, 20},
                 {"bodies.arm.a", 0.25, 2.5}, /* between rows */
                 {"bodies.arm.v.z", 1, -1},
                 {"bodies.arm.v[1]", 1, 2},
                 {"bodies.'arm'.v.x", 2, 2},
                 {"time*k", 2, 14},
                 {"d_e0.1 - 7", 0, 0}, /* names may have dots and digits */
                 {"-2^2 + 2^-1*4", 0, -2},
                 {"norm(bodies.arm.v)", 2, sqrt(12)},
                 {"dot(bodies.arm.v, vec(1, 10, 100))", 1, -79},
                 {"cross(vec(1, 0, 0), vec(0, 1, 0)).z", 0, 1},
                 {"angle(vec(1, 0, 0), vec(1, 1, 0))", 0, PI / 4},
                 {"angle(vec(1, 0, 0), vec(1, 1e-12, 0))", 0, 1e-12},
                 {"bodies.arm.R[0][1]", 1, -1},
                 {"bodies.arm.R.yx", 1, 1},
                 {"column(bodies.arm.R, 1).x", 1, -1},
                 {"(bodies.arm.R*vec(3, 0, 0)).y", 1, 3},
                 {"(bodies.arm.R*bodies.arm.R)[0][0]", 1, -1},
                 {"last(bodies.arm.a) - first(bodies.arm.a)", 1, 20},
                 {"at(bodies.arm.a, 0.5)", 2, 5},
                 {"at(bodies.arm.a, time/2)", 2, 10},
                 {"other:bodies.arm.a - bodies.arm.a", 1, 20},
                 {"other[12]:time", 1, 1},
                 {"max(1, k, 3) + min(4, 2)", 0, 9},
                 {"atan2(1, -1)/pi", 0, 0.75},
                 {"sqrt(abs(-9)) + exp(0) + log(1)", 0, 4},
                 {"restitution_damping(0.5)", 0, 0.716375266635687514}, /* root in 40 digits, Gonthier 2004 */
                 {"restitution_damping(1)", 0, 0},
                 {"5 mm + 2 km", 0, 2000.005},
                 {"180/pi*(90 deg)", 0, 90}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        double value[9] = {0};
        BrError error = {0};
        if (evaluate(table[i].text, false, table[i].time, 0, value, &error) != BR_OK)
            fail_msg("%s: %s", table[i].text, error.text);
        if (!(fabs(value[0] - table[i].value) <= 1e-14 * (1 + fabs(table[i].value))))
            fail_msg("%s gives %.17g instead of %.17g", table[i].text, value[0], table[i].value);
    }
    double value[9];
    BrError error = {0};
    assert_int_equal(evaluate("other:time", false, 2, -0.5, value, &error), BR_OK); /* read half a second before */
    check_near(value[0], 1.5, 0);
    assert_int_equal(evaluate("other:time", false, 0, -0.5, value, &error), BR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.text, "no row at t = -0.5 s, it goes from 0 to 2 s"));
}

static void test_conditions(void **state) {
    (void)state;
    double value[9];
    BrError error = {0};
    assert_int_equal(evaluate("time >= 1 and bodies.arm.a < 15", true, 1, 0, value, &error), BR_OK);
    check_near(value[0], 1, 0);
    assert_int_equal(evaluate("time > 1 and k <= 7", true, 1, 0, value, &error), BR_OK);
    check_near(value[0], 0, 0);
    assert_int_equal(evaluate("time > 0.5 and time < 2", true, 1, 0, value, &error), BR_OK); /* "0.5 a" is no unit */
    check_near(value[0], 1, 0);
}

static void test_bad_formulas(void **state) {
    (void)state;
    const struct {
        const char *text, *words;
        int column;
    } table[] = {{"", "found the end", 1},
                 {"1 +", "found the end", 4},
                 {"bodies.arm.b", "did you mean \"bodies.arm.a\"", 1},
                 {"2*bodys.arm.a", "did you mean \"bodies.arm.a\"", 3},
                 {"nrm(bodies.arm.v)", "did you mean \"norm\"", 1},
                 {"norm(bodies.arm.a)", "found a number as argument 1 of \"norm\", expected a vector", 1},
                 {"bodies.arm.v + 1", "between a vector and a number", 14},
                 {"bodies.arm.v*bodies.arm.v", "dot(a, b) or cross(a, b)", 13},
                 {"1/bodies.arm.v", "between a number and a vector", 2},
                 {"angle(vec(1, 0, 0))", "found 1 argument of \"angle\", expected 2", 1},
                 {"vec(1, 2, 3, 4)", "found 4 arguments", 1},
                 {"column(bodies.arm.R, 3)", "must be 0, 1 or 2", 1},
                 {"bodies.arm.R[0]", "a second index", 16},
                 {"bodies.arm.v[3]", "an index 0, 1 or 2", 14},
                 {"bodies.arm.a.x", "unknown name", 1},
                 {"nobody:time", "no run \"nobody\"", 1},
                 {"other:", "the name of a channel", 7},
                 {"(1", "\")\"", 3},
                 {"1 2", "an operator or the end", 3},
                 {"time > 1", "an operator or the end", 6},
                 {"bodies.'arm", "closing", 1},
                 {"$", "a number, a name", 1}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        double value[9];
        BrError error = {0};
        BrStatus status = evaluate(table[i].text, false, 0, 0, value, &error);
        if (status != BR_INVALID_ARGUMENT || !strstr(error.text, table[i].words) || error.column != table[i].column)
            fail_msg("%s: column %d, '%s'", table[i].text, error.column, error.text);
    }
    char deep[4000];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    double value[9];
    BrError error = {0};
    assert_int_equal(evaluate(deep, false, 0, 0, value, &error), BR_INVALID_ARGUMENT);
    for (size_t i = 0; i + 2 < sizeof deep; i += 2) memcpy(deep + i, "1+", 3);
    assert_int_equal(evaluate(deep, false, 0, 0, value, &error), BR_INVALID_ARGUMENT);
    deep[sizeof deep - 3] = 0;
    assert_int_equal(evaluate(deep, false, 0, 0, value, &error), BR_OK);
}

/* ------------------------------------------------------------------ experiments in a folder of their own */

/* A mass on a spring that is let go at x = 0, x0 from rest: x = x0 (1 - cos(w t)). */
#define SCENE                                                                                                          \
    "bristle: 1\n"                                                                                                     \
    "parameters: {x0: 0.5 m, k: 16 N/m, m: 4 kg, w: sqrt(k/m)}\n"                                                      \
    "gravity: [0, 0, 0]\n"                                                                                             \
    "step: {scheme: hem2, dt: 1 ms, until: 2 s}\n"                                                                     \
    "bodies: {g: {fixed: true}, a: {mass: m, inertia: [1, 1, 1]}}\n"                                                   \
    "joints: {slide: {prismatic: [g, a], at: [0, 0, 0], axis: [1, 0, 0]}}\n"                                           \
    "springs: {s: {joint: slide, stiffness: k, free_length: x0}}\n"                                                    \
    "record: {every: 20 ms}\n"

#define EXACT "joints.slide.position - x0*(1 - cos(w*time))"

static char folder[64];

static void write_file(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_folder(void **state) {
    (void)state;
    char parent[] = "/tmp/bristle_XXXXXX";
    if (!mkdtemp(parent)) return -1;
    snprintf(folder, sizeof folder, "%s/trial", parent);
    if (mkdir(folder, 0777) != 0) return -1;
    write_file("scene.yaml", SCENE);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    const char *const names[] = {"scene.yaml", "other.yaml", "experiment.yaml", "out.csv", "out.h5"};
    for (int i = 0; i < BRI_COUNT(names); i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    rmdir(folder);
    *strrchr(folder, '/') = 0;
    return rmdir(folder);
}

static BrExperiment *run_experiment(const char *text) {
    write_file("experiment.yaml", text);
    BrExperiment *e = NULL;
    BrError error = {0};
    if (br_experiment_load(folder, NULL, &e, &error) != BR_OK || br_experiment_run(e, &error) != BR_OK)
        fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.text);
    return e;
}

static BrMetric get_metric(const BrExperiment *e, const char *name) {
    BrMetric metric = {0};
    for (int i = 0; i < br_experiment_metric_count(e); i++) {
        assert_int_equal(br_experiment_metric(e, i, &metric), BR_OK);
        if (strcmp(metric.name, name) == 0) return metric;
    }
    fail_msg("there is no metric '%s'", name);
    return metric;
}

static double get_value(const BrExperiment *e, const char *name) {
    BrMetric metric = get_metric(e, name);
    if (metric.problem) fail_msg("%s: %s", name, metric.problem);
    return metric.value;
}

static void test_metrics(void **state) {
    (void)state;
    BrExperiment *e = run_experiment(
        "experiment: trial\n"
        "title: a mass on a spring\n"
        "runs: {a: {record_every: 1 ms}, heavy: {parameters.m: 16, step.until: 4 s}, idle: {}}\n"
        "metrics:\n"
        "  largest: {run: a, channel: joints.slide.position, reduce: peak, expect: 2*x0, tolerance: 1e-5}\n"
        "  when: {run: a, channel: joints.slide.position, reduce: peak, read: time}\n"
        "  there: {run: a, channel: joints.slide.velocity, at: when, at_most: 1e-5}\n"
        "  speed: {run: a, channel: norm(bodies.a.velocity), reduce: max, from: 0.5 s, to: 1 s}\n"
        "  error: {run: a, channel: \"" EXACT "\", reduce: rms, skip_first: true}\n"
        "  heavier: {run: heavy, channel: joints.slide.position, reduce: peak, read: time}\n"
        "  ratio: {value: heavier/when, expect: 2, tolerance: 1e-4, source: dimensional analysis}\n"
        "  wrong: {value: \"max(1, ratio, -3)\", scale: 100, expect: 100, tolerance: 1}\n"
        "  printed: {value: -pi, absolute: true, expect: 3}\n"
        "  rows: {run: a, channel: time, reduce: count, where: time > 0.5 and time <= 1}\n"
        "  fourth: {run: a, channel: joints.slide.position, reduce: peak, nth: 4, at_most: 1}\n"
        "  follows: {value: fourth + 1}\n"
        "  mass: {value: m}\n"
        "  mass_of_run: {run: heavy, value: m}\n"
        "  events: {run: a, event: stick, reduce: count}\n"
        "  event: {run: a, event: stick, nth: 1}\n");
    assert_string_equal(br_experiment_id(e), "trial");
    assert_string_equal(br_experiment_title(e), "a mass on a spring");
    /* hem2 at 1 ms, w = 2 rad/s: errors of a few (w h)^2 = 4e-6 */
    check_near(get_value(e, "largest"), 1, 1e-5);
    assert_true(get_metric(e, "largest").checked && get_metric(e, "largest").pass);
    check_near(get_metric(e, "largest").expected, 1, 0);
    check_near(get_value(e, "when"), PI / 2, 1e-5);
    assert_true(get_metric(e, "there").pass && get_metric(e, "there").bound);
    check_near(get_value(e, "speed"), 1, 1e-5); /* x0 w, at 0.785 s */
    assert_true(get_value(e, "error") > 0 && get_value(e, "error") < 1e-5);
    check_near(get_value(e, "ratio"), 2, 1e-4);
    assert_string_equal(get_metric(e, "ratio").source, "dimensional analysis");
    assert_true(get_metric(e, "wrong").checked && !get_metric(e, "wrong").pass);
    check_near(get_value(e, "wrong"), 200, 1e-2);
    check_near(get_value(e, "printed"), PI, 1e-15);
    assert_false(get_metric(e, "printed").checked);
    check_near(get_value(e, "rows"), 500, 0);
    BrMetric fourth = get_metric(e, "fourth");
    assert_true(isnan(fourth.value) && fourth.checked && !fourth.pass);
    assert_non_null(strstr(fourth.problem, "there are 1"));
    assert_non_null(strstr(get_metric(e, "follows").problem, "metric 'fourth' has no value"));
    check_near(get_value(e, "mass"), 4, 0);
    check_near(get_value(e, "mass_of_run"), 16, 0);
    check_near(get_value(e, "events"), 0, 0);
    assert_non_null(strstr(get_metric(e, "event").problem, "stick number 1 is wanted, but there are 0"));
    BrExperimentRun run;
    assert_int_equal(br_experiment_run_info(e, 2, &run), BR_OK);
    assert_string_equal(run.name, "idle");
    assert_false(run.simulated); /* nobody needs it */
    assert_int_equal(br_experiment_run_info(e, 0, &run), BR_OK);
    assert_true(run.simulated && run.steps == 2000 && run.rows == 2001);
    assert_int_equal(br_experiment_run_info(e, 3, &run), BR_INVALID_ARGUMENT);
    br_experiment_destroy(e);
}

/* Orders of the schemes, against the closed form and against another run; other sizes than dt; templates. */
/* A block that a force F below its friction pulls at: the bristles carry it, z = F/sigma_0 along the pull, and
 * settle: s_dw = 1 - exp(-t/tau) where nothing slips. */
static void test_channels_of_compliant_contacts(void **state) {
    (void)state;
    write_file("other.yaml",
               "bristle: 1\n"
               "parameters: {F: 2 N, sigma: 1e4, tau: 0.5 s}\n"
               "gravity: [0, 0, -10]\n"
               "step: {formulation: compliant, scheme: rk4, dt: 1 ms, substeps: 4, until: 1 s}\n"
               "materials: {wood: {compliant: {normal: {law: gonthier, stiffness: 1e6, e: 0.5},\n"
               "  friction: {law: dwell, mu_s: 0.5, mu_k: 0.4, sigma_0: sigma, sigma_1: 200, v_s: 1, tau_dw: tau}}}}\n"
               "bodies:\n"
               "  plate: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: wood}]}\n"
               "  block: {mass: 1, inertia: [1, 1, 1], pose: {position: [0, 0, 0.1 - (10/1e6)^(2/3)]},\n"
               "          shapes: [{sphere: {radius: 0.1}, material: wood}]}\n"
               "joints: {upright: {planar: [plate, block], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
               "filters: [{always: [plate, block]}]\n"
               "forces: {pull: {body: block, force: [\"0.6*F*min(1, 2*t)\", \"0.8*F*min(1, 2*t)\", 0]}}\n");
    BrExperiment *e =
        run_experiment("experiment: trial\n"
                       "title: a pulled block\n"
                       "runs: {a: {scene: other.yaml}}\n"
                       "metrics:\n"
                       "  x: {run: a, channel: contacts.block/plate.0.deflection.x}\n"
                       "  y: {run: a, channel: contacts.block/plate.0.deflection.y}\n"
                       "  dwell: {run: a, channel: contacts.block/plate.0.dwell}\n"
                       "  open: {run: a, channel: norm(contacts.block/plate.0.deflection), reduce: first}\n");
    check_near(get_value(e, "x"), 1.2e-4, 1e-9);
    check_near(get_value(e, "y"), 1.6e-4, 1e-9);
    check_near(get_value(e, "dwell"), 1 - exp(-2), 1e-6); /* creeps at 0.4 mm/s while the pull grows */
    check_near(get_value(e, "open"), 0, 0);
    br_experiment_destroy(e);
}

static void test_families(void **state) {
    (void)state;
    BrExperiment *e = run_experiment(
        "experiment: trial\n"
        "runs:\n"
        "  fine: {step.dt: 0.1 ms}\n"
        "  \"{s}\": {for: {s: [hem2, moreau]}, step.scheme: \"{s}\", step.dt: [20 ms, 10 ms, 5 ms]}\n"
        "  soft: {parameters.k: [16 N/m, 4 N/m], step.until: [2 s, 3.5 s], step.dt: 0.5 ms}\n"
        "metrics:\n"
        "  order_{s}: {for: {s: [hem2, moreau]}, run: \"{s}\", channel: \"" EXACT "\", at: 1 s, reduce: order}\n"
        "  against: {run: hem2, channel: bodies.a.position, against: fine, reduce: order, of: max}\n"
        "  member: {run: \"hem2[0]\", channel: bodies.a.position.x, against: fine, at: 1 s, absolute: true}\n"
        "  prefix: {run: \"hem2[0]\", channel: bodies.a.position.x - fine:bodies.a.position.x, at: 1 s, absolute: "
        "true}\n"
        "  shifted: {run: \"hem2[2]\", channel: \"time - hem2[0]:time\", shift: -0.5*dt, reduce: max, skip_first: "
        "true}\n"
        "  in_k: {run: soft, channel: joints.slide.position, reduce: order, of: peak, read: time, over: k}\n"
        "  \"{a}.{b}\": {for: [{a: [p, q]}, {b: [1, 2, 3]}], value: \"{b}*k\", expect: \"16*{b}\", tolerance: 0}\n");
    /* the fit over three halvings carries a percent of the next order */
    check_near(get_value(e, "order_hem2"), 2, 0.05);
    check_near(get_value(e, "order_moreau"), 1, 0.05);
    check_near(get_value(e, "against"), 2, 0.05);
    check_near(get_value(e, "member"), get_value(e, "prefix"), 1e-16);
    check_near(get_value(e, "shifted"), 2.5e-3, 1e-15); /* half a step of its own */
    check_near(get_value(e, "in_k"), -0.5, 1e-4);       /* half a period goes with 1/sqrt k */
    assert_int_equal(br_experiment_metric_count(e), 13);
    assert_true(get_metric(e, "q.3").pass && get_metric(e, "p.1").pass);
    br_experiment_destroy(e);
}

/* Between rows there is only a straight line: an order of that would be the order of the drawing. */
static void test_order_needs_rows(void **state) {
    (void)state;
    BrExperiment *e =
        run_experiment("experiment: trial\n"
                       "runs: {fine: {record_every: 30 ms}, f: {step.dt: [10 ms, 5 ms]}}\n"
                       "metrics:\n"
                       "  o: {run: f, channel: bodies.a.position, against: fine, at: 1 s, reduce: order}\n"
                       "  fine: {run: f, channel: bodies.a.position, against: fine, at: 0.9, reduce: order}\n"
                       "  near: {run: \"f[0]\", channel: bodies.a.position, against: fine, at: 1 s}\n");
    assert_non_null(strstr(get_metric(e, "o").problem, "run 'fine' has no row at t = 1 s"));
    check_near(get_value(e, "fine"), 2, 0.1);
    assert_true(get_value(e, "near") > 0);
    br_experiment_destroy(e);
}

/* Texts and trees that templates would blow up are refused, not made. */
static void test_templates_are_bounded(void **state) {
    (void)state;
    static char text[200000];
    char *at = text;
    at += sprintf(at, "experiment: trial\nmetrics: {\"m{a}\": {for: {a: [");
    for (int i = 0; i < 400; i++) *at++ = 'x';
    at += sprintf(at, "]}, value: \"");
    for (int i = 0; i < 400; i++) at += sprintf(at, "{a}");
    sprintf(at, "\"}}\n");
    write_file("experiment.yaml", text);
    BrExperiment *e = NULL;
    BrError error = {0};
    assert_int_equal(br_experiment_load(folder, NULL, &e, &error), BR_INVALID_SCENE);
    assert_non_null(strstr(error.text, "longer than 65536 bytes"));
    at = text + sprintf(text, "experiment: trial\nruns: {\"m{a}\": {for: [{a: [1,2,3,4,5,6,7,8,9]}, {b: [");
    for (int i = 0; i < 2000; i++) at += sprintf(at, "%d,", i);
    sprintf(at, "0]}]}}\n");
    write_file("experiment.yaml", text);
    assert_int_equal(br_experiment_load(folder, NULL, &e, &error), BR_INVALID_SCENE);
    assert_non_null(strstr(error.text, "already")); /* b is not in the name */
}

/* ------------------------------------------------------------------ mistakes */

static void check_refused(const char *text, int line, int column, const char *words) {
    BrExperiment *e = NULL;
    BrError error = {0};
    write_file("experiment.yaml", text);
    Counter counter = {0};
    BrExperimentOptions options = br_default_experiment_options();
    options.allocator = counting_allocator(&counter);
    BrStatus status = br_experiment_load(folder, &options, &e, &error);
    if (status == BR_OK) status = br_experiment_run(e, &error);
    br_experiment_destroy(e);
    if (status >= 0 || error.line != line || error.column != column || !strstr(error.text, words))
        fail_msg("%s\n%s:%d:%d: %s, wanted %d:%d '%s'", text, error.file, error.line, error.column, error.text, line,
                 column, words);
    assert_non_null(strstr(error.file, ".yaml"));
    assert_int_equal(counter.live, 0);
}

#define HEAD "experiment: trial\n"

static void test_mistakes(void **state) {
    (void)state;
    check_refused("", 1, 1, "nothing here");
    check_refused("hello\n", 1, 1, "no experiment");
    check_refused("experiment: other\n", 1, 13, "folder 'trial'");
    check_refused("title: x\n", 1, 1, "experiment: NAME");
    check_refused(HEAD "metric: {}\n", 2, 1, "did you mean 'metrics'");
    check_refused(HEAD "runs: [a]\n", 2, 7, "a mapping");
    check_refused(HEAD "runs: {a: 3}\n", 2, 11, "must be a mapping");
    check_refused(HEAD "runs: {a-b: {}}\n", 2, 8, "letters, digits");
    check_refused(HEAD "runs: {a: {step.dt: [1 ms, 2 ms], step.until: [1 s]}}\n", 2, 47, "side by side");
    check_refused(HEAD "runs: {\"a\": {for: {x: [1, 2]}}}\n", 2, 8, "already");
    check_refused(HEAD "runs: {\"a{x}\": {for: {x: 1}}}\n", 2, 26, "must be a list");
    check_refused(HEAD "runs: {\"a{x}\": {for: {x: [1], y: [1, 2]}}}\n", 2, 34, "'y' has 2 values, but 'x' has 1");
    check_refused(HEAD "metrics: {a: {}}\n", 2, 11, "needs 'channel', 'event' or 'value'");
    check_refused(HEAD "metrics: {a: {chanel: time}}\n", 2, 15, "did you mean 'channel'");
    check_refused(HEAD "metrics: {a: {value: 1, where: 1 > 2}}\n", 2, 25, "does not go with");
    check_refused(HEAD "metrics: {a: {channel: energy.kinetc}}\n", 2, 24, "did you mean \"energy.kinetic\"");
    check_refused(HEAD "metrics: {a: {channel: \"1 + energy.kinetc\"}}\n", 2, 29, "did you mean \"energy.kinetic\"");
    check_refused(HEAD "metrics: {a: {channel: bodies.a.position}}\n", 2, 24, "take norm(...)");
    check_refused(HEAD "metrics: {a: {channel: time, reduce: crosing}}\n", 2, 38, "did you mean 'crossing'");
    check_refused(HEAD "metrics: {a: {channel: time, reduce: at}}\n", 2, 11, "needs 'at'");
    check_refused(HEAD "metrics: {a: {channel: time, at: 5 mm}}\n", 2, 34, "a value in s is needed");
    check_refused(HEAD "metrics: {a: {channel: time, at: 1, reduce: max}}\n", 2, 34, "goes with reduce: at");
    check_refused(HEAD "metrics: {a: {channel: time, reduce: order}}\n", 2, 11, "family");
    check_refused(HEAD "metrics: {a: {channel: time, over: dt}}\n", 2, 36, "order only");
    check_refused(HEAD "metrics: {a: {channel: time, nth: 0}}\n", 2, 35, "whole number");
    check_refused(HEAD "metrics: {a: {channel: time, where: time}}\n", 2, 41, "\"<\"");
    check_refused(HEAD "metrics: {a: {run: b, channel: time}}\n", 2, 20, "no run 'b'");
    check_refused(HEAD "metrics: {a: {value: b}}\n", 2, 22, "unknown name \"b\"");
    check_refused(HEAD "metrics: {a: {value: b}, b: {value: c}, c: {value: a}}\n", 2, 11, "depends on itself");
    check_refused(HEAD "metrics: {a: {value: 1, expect: 1, at_most: 2}}\n", 2, 45, "not both");
    check_refused(HEAD "metrics: {a: {value: 1, tolerance: 1}}\n", 2, 36, "needs 'expect'");
    check_refused(HEAD "metrics: {a: {value: 1, absolute: yes}}\n", 2, 35, "true or false");
    check_refused(HEAD "metrics: {a: {event: stik}}\n", 2, 22, "did you mean 'stick'");
    check_refused(HEAD "figures: {f: {curves: []}}\n", 2, 11, "needs 'curves'");
    check_refused(HEAD "figures: {f: {curves: [{channel: tim}]}}\n", 2, 34, "did you mean \"time\"");
    check_refused(HEAD "figures: {f: {curves: [{label: a}]}}\n", 2, 24, "'channel' or 'points'");
    check_refused(HEAD "figures: {f: {curves: [{points: [[0, a]]}]}}\n", 2, 38, "unknown name \"a\"");
    check_refused(HEAD "figures: {f: {curves: [{points: [1, 2]}]}}\n", 2, 34, "a pair");
    const char *two = HEAD "runs: {a: {}, f: {step.dt: [1 ms, 2 ms]}}\nmetrics: {m: {%s}}\n";
    char text[400];
    snprintf(text, sizeof text, two, "channel: time");
    check_refused(text, 3, 11, "which run");
    snprintf(text, sizeof text, two, "run: f, channel: time");
    check_refused(text, 3, 20, "f[0], or use reduce: order");
    snprintf(text, sizeof text, two, "run: a, channel: \"f:time\"");
    check_refused(text, 3, 33, "family of 2");
    snprintf(text, sizeof text, two, "run: \"f[2]\", channel: time");
    check_refused(text, 3, 20, "no run 'f[2]'");
}

/* A scene's refusal stands where it was made: in the scene, or where the run assigns. */
static void test_mistakes_in_scenes(void **state) {
    (void)state;
    const char *metric = "metrics: {m: {channel: time}}\n";
    char text[400];
    snprintf(text, sizeof text, HEAD "runs:\n  a:\n    step.until: 1 s\n    step.dt: 1 mm\n%s", metric);
    check_refused(text, 5, 14, "step.dt=1 mm");
    snprintf(text, sizeof text, HEAD "runs: {a: {parameters.mm: 3}}\n%s", metric);
    check_refused(text, 2, 27, "did you mean 'm'");
    snprintf(text, sizeof text, HEAD "runs: {a: {bodies.b.mass: {x: [1, \"2\"]}}}\n%s", metric);
    check_refused(text, 2, 27, "no key 'b'");
    write_file("other.yaml", "bristle: 1\nbodies: {a: {mas: 1}}\n");
    snprintf(text, sizeof text, HEAD "scene: other.yaml\n%s", metric);
    check_refused(text, 2, 14, "did you mean 'mass'");
    snprintf(text, sizeof text, HEAD "runs: {a: {scene: other.yaml}}\n%s", metric);
    check_refused(text, 2, 14, "did you mean 'mass'");
    snprintf(text, sizeof text, HEAD "scene: none.yaml\n%s", metric);
    check_refused(text, 0, 0, "no such file");
}

static bool stop_soon(void *user, const char *run, double part, double time) {
    assert_string_equal(run, "main");
    assert_true(part > 0 && part <= 1 && time > 0);
    return ++*(int *)user < 10;
}

static void test_cancel(void **state) {
    (void)state;
    BrExperiment *e = NULL;
    BrError error = {0};
    int calls = 0;
    write_file("experiment.yaml", HEAD "metrics: {m: {channel: time}}\n");
    BrExperimentOptions options = br_default_experiment_options();
    options.progress = stop_soon;
    options.user = &calls;
    assert_int_equal(br_experiment_load(folder, &options, &e, &error), BR_OK);
    assert_int_equal(br_experiment_run(e, &error), BR_CANCELLED);
    assert_int_equal(calls, 10);
    br_experiment_destroy(e);
    options = (BrExperimentOptions){0};
    assert_int_equal(br_experiment_load(folder, &options, &e, &error), BR_INVALID_DEF);
    assert_int_equal(br_experiment_load("/none/such", NULL, &e, &error), BR_IO);
    assert_null(e);
    br_experiment_destroy(NULL);
}

/* A curve through numbers of metrics. */
static void test_points(void **state) {
    (void)state;
    BrExperiment *e = NULL;
    BrFigure figure;
    write_file("experiment.yaml", HEAD "metrics: {m.1: {value: 3}, n: {value: m.1 + 1}}\n"
                                       "figures: {f: {curves: [{points: [[0, m.1], [m.1/2, n]], label: both}]}}\n");
    assert_int_equal(br_experiment_load(folder, NULL, &e, NULL), BR_OK);
    assert_int_equal(br_experiment_run(e, NULL), BR_OK);
    assert_int_equal(br_experiment_figure(e, 0, &figure), BR_OK);
    assert_int_equal(figure.curves, 1);
    assert_int_equal(figure.curve[0].points, 2);
    assert_string_equal(figure.curve[0].label, "both");
    assert_true(figure.curve[0].x[0] == 0 && figure.curve[0].x[1] == 1.5);
    assert_true(figure.curve[0].y[0] == 3 && figure.curve[0].y[1] == 4);
    br_experiment_destroy(e);
}

/* Whichever allocation fails: a refusal, nothing lost, nothing crashed. */
static void test_memory(void **state) {
    (void)state;
    write_file("experiment.yaml", HEAD
               "runs: {\"r{a}\": {for: {a: [1, 2]}, step.dt: [10 ms, 20 ms], step.until: 40 ms}}\n"
               "metrics:\n"
               "  o: {run: r1, channel: \"" EXACT "\", reduce: order}\n"
               "  p: {run: \"r2[0]\", channel: bodies.a.position, against: \"r1[0]\", reduce: max}\n"
               "  none: {run: \"r2[0]\", channel: time, reduce: peak}\n"
               "figures: {f: {curves: [{run: \"r1[0]\", channel: time, x: time}, {points: [[1, o], [2, 2*o]]}]}}\n");
    bool done = false;
    int step = getenv("BRISTLE_SLOW") ? 7 : 1;
    for (int n = 1; !done; n += step) {
        Counter counter = {.fail_at = n};
        BrExperimentOptions options = br_default_experiment_options();
        options.allocator = counting_allocator(&counter);
        BrExperiment *e = NULL;
        BrError error = {0};
        BrStatus status = br_experiment_load(folder, &options, &e, &error);
        if (status == BR_OK) status = br_experiment_run(e, &error);
        if (status != BR_OK && status != BR_OUT_OF_MEMORY) fail_msg("allocation %d: %s", n, error.text);
        done = counter.calls < n;
        assert_true(done == (status == BR_OK));
        br_experiment_destroy(e);
        assert_int_equal(counter.live, 0);
    }
}

/* ------------------------------------------------------------------ recordings */

static void record(const BrScene *scene, const char *path) {
    const BrModel *model = br_scene_model(scene);
    BrState *state = NULL;
    BrWorkspace *workspace = NULL;
    BrRecorder *recorder = NULL;
    BrStepDef def = br_scene_run_def(scene).step;
    BrStepReport report = {0};
    assert_int_equal(br_state_create(model, &state, NULL), BR_OK);
    assert_int_equal(br_workspace_create(model, &workspace, NULL), BR_OK);
    BrRecordDef rows = br_record_def_like(scene);
    assert_int_equal(br_recorder_open(model, &rows, path, &recorder, NULL), BR_OK);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(br_recorder_write(recorder, workspace, state, &report, 0, NULL), BR_OK);
        assert_int_equal(br_step(model, workspace, state, &def, &report, NULL), BR_OK);
    }
    assert_int_equal(br_recorder_close(recorder, NULL), BR_OK);
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
}

/* What was written comes back to the bit, from either format, under any of its names. */
static void test_recordings(void **state) {
    (void)state;
    BrScene *scene = NULL;
    BrRecording *csv = NULL, *hdf5 = NULL;
    BrError error = {0};
    char path[2][128];
    assert_int_equal(br_scene_parse(SCENE, strlen(SCENE), "x", NULL, &scene, NULL), BR_OK);
    snprintf(path[0], sizeof path[0], "%s/out.csv", folder);
    snprintf(path[1], sizeof path[1], "%s/out.h5", folder);
    for (int i = 0; i < 2; i++) record(scene, path[i]);
    assert_int_equal(br_recording_open(path[0], &csv, &error), BR_OK);
    assert_int_equal(br_recording_open(path[1], &hdf5, &error), BR_OK);
    assert_int_equal(br_recording_rows(csv), 20);
    assert_int_equal(br_recording_rows(hdf5), 20);
    assert_int_equal(br_recording_channel_count(csv), br_recording_channel_count(hdf5));
    const char *const channels[] = {
        "time",           "bodies.a.position",  "a.position.x",          "bodies/a/rotation",
        "energy.kinetic", "joints.slide.force", "joints.slide.position", "2*norm(bodies.a.velocity)"};
    for (int i = 0; i < BRI_COUNT(channels); i++) {
        BrChannelInfo one, two;
        double a[180], b[180];
        if (br_recording_describe(csv, channels[i], &one, &error) != BR_OK) fail_msg("%s", error.text);
        if (br_recording_describe(hdf5, channels[i], &two, &error) != BR_OK) fail_msg("%s", error.text);
        assert_int_equal(one.width, two.width);
        assert_string_equal(one.unit, two.unit);
        assert_int_equal(br_recording_read(csv, channels[i], a, &error), BR_OK);
        assert_int_equal(br_recording_read(hdf5, channels[i], b, &error), BR_OK);
        assert_memory_equal(a, b, 20 * (size_t)one.width * sizeof(double));
    }
    BrChannelInfo info;
    assert_int_equal(br_recording_channel(hdf5, 0, &info), BR_OK);
    assert_string_equal(info.name, "time");
    assert_int_equal(br_recording_channel(hdf5, 999, &info), BR_INVALID_ARGUMENT);
    assert_int_equal(br_recording_describe(hdf5, "bodies.a.positon", &info, &error), BR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.text, "did you mean \"bodies.a.position\""));
    br_recording_close(csv);
    br_recording_close(hdf5);
    br_scene_destroy(scene);
}

static void check_no_recording(const char *name, const char *text, int line, const char *words) {
    char path[128];
    BrRecording *recording = NULL;
    BrError error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (text) write_file(name, text);
    BrStatus status = br_recording_open(path, &recording, &error);
    if (status >= 0 || error.line != line || !strstr(error.text, words)) fail_msg("%d: %s", error.line, error.text);
    assert_null(recording);
}

static void test_bad_recordings(void **state) {
    (void)state;
    check_no_recording("none.h5", NULL, 0, "no such file");
    check_no_recording("none.csv", NULL, 0, "No such file");
    check_no_recording("none.txt", NULL, 0, "must end in");
    check_no_recording("out.h5", "time[s]\n1\n", 0, "no HDF5 file");
    check_no_recording("out.csv", "", 1, "no header");
    check_no_recording("out.csv", "time[s],x[m]\n0,1\n1\n2,3\n", 3, "1 numbers, but the header has 2");
    check_no_recording("out.csv", "time[s],x[m]\n0,1\n1,2,3\n2,3\n", 3, "more numbers");
    check_no_recording("out.csv", "time[s],x[m]\n0,one\n1,2\n", 2, "'one' in the column 'x[m]'");
    BrRecording *r = NULL;
    char path[128];
    snprintf(path, sizeof path, "%s/out.csv", folder);
    write_file("out.csv", "time[s],\"left, \"\"front\"\".p.x[m]\",b\r\n0,1,nan\r\n1,2,3\r\n2,"); /* killed here */
    assert_int_equal(br_recording_open(path, &r, NULL), BR_OK);
    assert_int_equal(br_recording_rows(r), 2);
    double x[2];
    assert_int_equal(br_recording_read(r, "b", x, NULL), BR_OK);
    assert_true(isnan(x[0]) && x[1] == 3);
    br_recording_close(r);
    br_recording_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_peaks),
        cmocka_unit_test(test_plateaus),
        cmocka_unit_test(test_crossings),
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_kink),
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_bad_formulas),
        cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_channels_of_compliant_contacts),
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_order_needs_rows),
        cmocka_unit_test(test_templates_are_bounded),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_mistakes_in_scenes),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_recordings),
        cmocka_unit_test(test_bad_recordings),
    };
    return cmocka_run_group_tests_name("experiment", tests, make_folder, remove_folder);
}
