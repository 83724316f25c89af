/* test_spring_steps.c: which steps springs allow, as br_analyse() says and as it is. Symbols: k stiffness, c damping, m
 * mass, h step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"

static const BrVec3 NONE = {0, 0, 0}, Z = {0, 0, 1};

static void add_spring(Machine *m, const char *name, BrBodyId body, BrVec3 at, double k, double c) {
    BrSpringDef def = br_default_spring_def();
    def.name = name, def.body_a = m->ground, def.body_b = body, def.point_b_body = at;
    def.stiffness = br_constant(k), def.damping = br_constant(c), def.direction_at_zero = vec(1, 0, 0);
    assert_int_equal(br_model_add_spring(m->model, &def, NULL, NULL), BR_OK);
}

static BrAnalysis analyse(const Machine *m) {
    BrAnalysis a;
    assert_int_equal(br_analyse(m->model, m->workspace, m->state, &a, NULL, NULL, NULL), BR_OK);
    return a;
}

/* A ball on `count` springs to the origin, 0.1 m away. */
static Machine make_ball(int count, double k, double c, BrBodyId *ball) {
    Machine m = machine_begin(NONE);
    *ball = machine_body(&m, "ball", 2, diagonal(0.1, 0.1, 0.1), vec(0.1, 0, 0));
    for (int i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", i);
        add_spring(&m, name, *ball, NONE, k, c);
    }
    machine_ready(&m);
    return m;
}

/* How much the energy grows in `turns` swings with steps of h. */
static double measure_growth(BrScheme scheme, double k, double c, double h, double turns) {
    BrBodyId ball;
    Machine m = make_ball(1, k, c, &ball);
    double start = machine_mechanical_energy(&m);
    machine_run(&m, scheme, h, (int)(turns * 2 * PI / sqrt(k / 2) / h));
    double end = machine_mechanical_energy(&m);
    machine_end(&m);
    return end / start;
}

/* Swings: up to the largest step the amplitude grows by at most a hundredth in half a turn, so the energy by 1.01^80
 * = 2.2 in twenty turns; semi-implicit schemes only waver, by 1/(1 - (w h)^2/4). Twice beyond it all of them blow up.
 */
static void springs_swing_stably_up_to_the_step_that_is_named(void **unused) {
    (void)unused;
    static const BrScheme SCHEMES[] = {BR_SCHEME_MOREAU, BR_SCHEME_HEM2, BR_SCHEME_RATTLE};
    const double k = 200;
    for (int s = 0; s < 3; s++) {
        BrBodyId ball;
        Machine m = make_ball(1, k, 0, &ball);
        double limit = analyse(&m).largest_dt[SCHEMES[s]];
        machine_end(&m);
        if (SCHEMES[s] != BR_SCHEME_HEM2) assert_near(limit, 2 / sqrt(k / 2), 1e-9);
        assert_true(measure_growth(SCHEMES[s], k, 0, 0.9 * limit, 20) < 1 / (1 - 0.81) + 1);
        assert_true(measure_growth(SCHEMES[s], k, 0, 2 * limit, 20) > 10);
    }
}

/* ln(E) gained in a step of z = w h by those that gain or lose all the time. */
static double gain_hem2(double z) { return log(1 + pow(z, 4) / 4); }
static double gain_rk3(double z) { return log(1 - pow(z, 4) / 12 + pow(z, 6) / 36); }
static double gain_rk4(double z) { return log(1 - pow(z, 6) / 72 + pow(z, 8) / 576); }
/* By how much the energy may grow at worst in schemes that waver. */
static double waver_moreau(double z) { return (1 + z / 2) / (1 - z / 2) - 1; }
static double waver_rattle(double z) { return 1 / (1 - z * z / 4) - 1; }

typedef struct Energetic {
    BrScheme scheme;
    double (*gain)(double z), (*waver)(double z);
} Energetic;

static const Energetic ENERGETIC[] = {
    {BR_SCHEME_HEM2, gain_hem2, NULL},      {BR_SCHEME_MOREAU, NULL, waver_moreau},
    {BR_SCHEME_RATTLE, NULL, waver_rattle}, {BR_SCHEME_SEMI_IMPLICIT, NULL, waver_moreau},
    {BR_SCHEME_RK2, gain_hem2, NULL},       {BR_SCHEME_RK3, gain_rk3, NULL},
    {BR_SCHEME_RK4, gain_rk4, NULL}};

static BrEnergyStep find_energy_step(const Machine *m, BrScheme scheme, double duration, double part) {
    BrEnergyStep step;
    assert_int_equal(br_energy_step(m->model, m->workspace, m->state, scheme, duration, part, &step, NULL), BR_OK);
    return step;
}

/* The largest |ln(E/E_0)| of a swing of w = 10 rad/s, begun in several phases. */
static double measure_worst(BrScheme scheme, double h, double duration) {
    static const double PHASES[] = {0, 1, -1, 30}; /* v/(w x) */
    double worst = 0;
    for (int p = 0; p < 4; p++) {
        BrBodyId ball;
        Machine m = make_ball(1, 200, 0, &ball);
        BrStepDef def = br_default_step_def();
        def.scheme = scheme, def.dt = h;
        if (scheme >= BR_TIMESTEPPING_SCHEMES) def.formulation = BR_FORMULATION_COMPLIANT;
        machine_set_twist(&m, ball, vec(PHASES[p], 0, 0), NONE);
        double start = machine_mechanical_energy(&m);
        for (int k = 0; k < (int)(duration / h); k++) {
            assert_true(br_step(m.model, m.workspace, m.state, &def, NULL, NULL) >= 0);
            worst = fmax(worst, fabs(log(machine_mechanical_energy(&m) / start)));
        }
        machine_end(&m);
    }
    return worst;
}

/* Up to the step that is named energy is right to the part that was asked for, and just beyond it is not. */
static void energy_is_right_up_to_the_step_that_is_named(void **unused) {
    (void)unused;
    const double w = 10, T = 20, part = 0.1, found = 1.025; /* steps are found to 2 % */
    for (int s = 0; s < (int)(sizeof ENERGETIC / sizeof ENERGETIC[0]); s++) {
        const Energetic *e = &ENERGETIC[s];
        BrBodyId ball;
        Machine m = make_ball(1, 200, 0, &ball);
        BrEnergyStep step = find_energy_step(&m, e->scheme, T, part);
        assert_near(step.sure_dt, step.dt, 1e-12);
        machine_end(&m);
        double z = w * step.dt;
        if (e->waver) assert_near(e->waver(z), part, 1e-9);
        if (e->gain) assert_true(fabs(e->gain(z)) * T / step.dt <= log(1 + part) * (1 + 1e-9));
        if (e->gain) assert_true(fabs(e->gain(found * z)) * T / (found * step.dt) > log(1 + part));
        assert_true(measure_worst(e->scheme, 0.995 * step.dt, T) <= log(1 + part));
        assert_true(measure_worst(e->scheme, 1.1 * step.dt, T) > log(1 + part));
    }
}

/* Longer runs of a scheme that gains take smaller steps, by the third root; damping that takes more than it gains makes
 * them as long as one likes; schemes that find their own have no limit. */
static void energy_steps_know_the_duration(void **unused) {
    (void)unused;
    BrBodyId ball;
    Machine m = make_ball(1, 200, 0, &ball), damped = make_ball(1, 200, 4, &ball);
    double one = find_energy_step(&m, BR_SCHEME_HEM2, 10, 0.1).dt,
           eight = find_energy_step(&m, BR_SCHEME_HEM2, 80, 0.1).dt;
    assert_near(one / eight, 2, 0.05);
    assert_true(find_energy_step(&damped, BR_SCHEME_HEM2, 1e6, 0.1).dt > one);
    assert_near(find_energy_step(&damped, BR_SCHEME_HEM2, 1e6, 0.1).dt,
                find_energy_step(&damped, BR_SCHEME_HEM2, 10, 0.1).dt, 1e-12);
    assert_true(find_energy_step(&m, BR_SCHEME_ADAPTIVE, 10, 0.1).dt == 0);
    BrEnergyStep step;
    const double wrong[][2] = {{0, 0.1}, {NAN, 0.1}, {INFINITY, 0.1}, {1, 0}, {1, -1}, {1, NAN}};
    for (int i = 0; i < 6; i++)
        assert_int_equal(
            br_energy_step(m.model, m.workspace, m.state, BR_SCHEME_HEM2, wrong[i][0], wrong[i][1], &step, NULL),
            BR_INVALID_ARGUMENT);
    assert_int_equal(br_energy_step(m.model, m.workspace, m.state, (BrScheme)99, 1, 0.1, &step, NULL),
                     BR_INVALID_ARGUMENT);
    machine_end(&m), machine_end(&damped);
}

/* n springs side by side are one of n k, which br_analyse() knows of all together, though not of each by itself. */
static void springs_side_by_side_add_up(void **unused) {
    (void)unused;
    for (int n = 1; n <= 9; n += 4) {
        BrBodyId ball;
        Machine m = make_ball(n, 200, 0, &ball);
        BrAnalysis a = analyse(&m);
        assert_near(a.largest_dt[BR_SCHEME_RATTLE], 2 / sqrt(100), 1e-9);
        assert_near(a.sure_dt[BR_SCHEME_RATTLE], 2 / sqrt(100.0 * n), 1e-9);
        machine_end(&m);
    }
}

/* A bar on a hinge, its spring passing through the hinge at first: there it moves nothing, a quarter turn later it
 * does. What is surely stable holds in every pose, and is not more than a few times too careful. */
static void sure_step_holds_in_every_pose(void **unused) {
    (void)unused;
    const double k = 1000, L = 0.5, J = 0.05;
    Machine m = machine_begin(NONE);
    BrBodyId bar = machine_body(&m, "bar", 1, diagonal(J, J, J), vec(L, 0, 0));
    machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, bar, NONE, Z);
    BrSpringDef def = br_default_spring_def();
    def.name = "spring", def.body_a = m.ground, def.body_b = bar;
    def.point_a_body = vec(-1, 0, 0), def.point_b_body = vec(L, 0, 0);
    def.stiffness = br_constant(k), def.damping = br_constant(5), def.free_length = 2;
    assert_int_equal(br_model_add_spring(m.model, &def, NULL, NULL), BR_OK);
    machine_ready(&m);
    double sure = analyse(&m).sure_dt[BR_SCHEME_RATTLE], worst = INFINITY;
    assert_true(analyse(&m).largest_dt[BR_SCHEME_RATTLE] == 0);
    for (int n = 1; n < 100; n++) {
        double q = 2 * PI * n / 100;
        BrPose pose = {vec(L * cos(q), L * sin(q), 0), {{{cos(q), -sin(q), 0}, {sin(q), cos(q), 0}, {0, 0, 1}}}};
        BrError error = {0};
        assert_int_equal(br_body_set_pose(m.model, m.state, bar, pose, &error), BR_OK);
        double here = analyse(&m).largest_dt[BR_SCHEME_RATTLE];
        if (here > 0) worst = fmin(worst, here);
    }
    assert_true(sure <= worst);
    assert_true(sure > worst / 5);
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_swing_stably_up_to_the_step_that_is_named),
        cmocka_unit_test(energy_is_right_up_to_the_step_that_is_named),
        cmocka_unit_test(energy_steps_know_the_duration),
        cmocka_unit_test(springs_side_by_side_add_up),
        cmocka_unit_test(sure_step_holds_in_every_pose),
    };
    return cmocka_run_group_tests_name("spring_steps", tests, NULL, NULL);
}
