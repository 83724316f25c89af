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
        cmocka_unit_test(springs_side_by_side_add_up),
        cmocka_unit_test(sure_step_holds_in_every_pose),
    };
    return cmocka_run_group_tests_name("spring_steps", tests, NULL, NULL);
}
