/* What happens to bodies far away is nothing to a body, and costs it nothing: hem2 splits a step only for those that
 * touch, and leaves to moreau only those it cannot follow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "machine.h"

static const BrVec3 GRAVITY = {0, 0, -9.81};
static const double DT = 1e-3; /* s */

/* A block that slides, turns and comes to rest, mu 0.3; beside it, if asked for, a ball that bounces with e 0.8. All stay
 * within a metre and below 1 m/s, so that no tolerance knows of the ball. */
static Machine make_slide(BrBodyId *block, bool with_ball) {
    Machine m = machine_begin(GRAVITY);
    BrMaterialId wood = machine_material(&m, "wood", 0.3, 0.8);
    machine_floor(&m, wood);
    *block = machine_block(&m, "block", 1, vec(0.1, 0.2, 0.04), vec(-0.5, 0, 0.02), wood);
    if (with_ball) machine_ball(&m, "ball", 1, 0.05, vec(0.8, 0, 0.09), wood);
    machine_ready(&m);
    machine_set_twist(&m, *block, vec(0.8, 0.1, 0), vec(0, 0, 3));
    return m;
}

static void bounces_far_away_change_no_bit(void **unused) {
    (void)unused;
    BrBodyId block, same;
    int impacts = 0;
    Machine alone = make_slide(&block, false), beside = make_slide(&same, true);
    BrStepDef def = machine_step_def(BR_SCHEME_HEM2, DT);
    for (int k = 0; k < 500; k++) {
        machine_steps(&alone, &def, 1);
        BrStepReport report = machine_steps(&beside, &def, 1);
        impacts += report.impacts;
        assert_int_equal(report.moreau_islands, 0);
        BrPose a = machine_pose(&alone, block), b = machine_pose(&beside, same);
        BrTwist v = machine_twist(&alone, block), w = machine_twist(&beside, same);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(&v, &w, sizeof v);
    }
    assert_true(impacts > 3); /* there was something to be disturbed by */
    machine_end(&alone);
    machine_end(&beside);
}

/* Operations of half a second with so many blocks at rest, and a ball that bounces or none. */
static double count_work(int blocks, bool with_ball) {
    Machine m = machine_begin(GRAVITY);
    BrMaterialId wood = machine_material(&m, "wood", 0.3, 0.8);
    double work = 0;
    machine_floor(&m, wood);
    for (int k = 0; k < blocks; k++) {
        char name[16];
        snprintf(name, sizeof name, "block%d", k);
        machine_block(&m, name, 1, vec(0.1, 0.1, 0.1), vec(0.2 * (k + 1), 0, 0.05), wood);
    }
    if (with_ball) machine_ball(&m, "ball", 1, 0.05, vec(-1, 0, 0.3), wood);
    machine_ready(&m);
    BrStepDef def = machine_step_def(BR_SCHEME_HEM2, DT);
    for (int k = 0; k < 500; k++) work += machine_steps(&m, &def, 1).work;
    machine_end(&m);
    return work;
}

/* What a ball costs is its own, and some operations per body for looking at it: with eight times as many bodies that
 * have nothing to do with it, less than twice. If all were split with it, eight times. */
static void a_touch_costs_the_bodies_that_touch(void **unused) {
    (void)unused;
    double few = count_work(8, true) - count_work(8, false), many = count_work(64, true) - count_work(64, false);
    if (!(many < 2 * few)) fail_msg("a ball costs %.3g operations among 8 blocks, %.3g among 64", few, many);
}

/* Two rows of balls, each faster than the one before it: five blows in one step, of which hem2 follows four. moreau makes
 * these two rows, and them alone: a ball far away goes on by v h. */
static void what_cannot_be_followed_is_counted(void **unused) {
    (void)unused;
    enum { ROW = 6 };
    const double R = 0.05;
    Machine m = machine_begin(vec(0, 0, 0));
    BrMaterialId steel = machine_material(&m, "steel", 0, 1);
    BrBodyId ball[2 * ROW];
    for (int k = 0; k < 2 * ROW; k++) {
        char name[16];
        int i = k % ROW;
        snprintf(name, sizeof name, "ball%d", k);
        double x = (2 * R + 1e-3) * i + 0.5e-4 * i * i; /* gaps of 1 mm to 1.5 mm */
        ball[k] = machine_ball(&m, name, 1, R, vec(x, k / ROW, 0), steel);
    }
    BrBodyId other = machine_ball(&m, "other", 1, R, vec(0, 5, 0), steel);
    machine_ready(&m);
    for (int k = 0; k < 2 * ROW; k++) machine_set_twist(&m, ball[k], vec(1 - 0.2 * (k % ROW), 0, 0), vec(0, 0, 0));
    machine_set_twist(&m, other, vec(0.5, 0, 0), vec(0, 0, 0));
    BrStepDef def = machine_step_def(BR_SCHEME_HEM2, 0.01);
    BrStepReport report = machine_steps(&m, &def, 1);
    assert_int_equal(report.moreau_islands, 2);
    assert_true(report.finished_by_moreau);
    assert_vec_near(machine_pose(&m, other).position, vec(0.005, 5, 0), 1e-15);
    machine_end(&m);
}

/* ------------------------------------------------------------------ what order 2 costs */

static void add_stack(Machine *m, BrMaterialId wood) {
    for (int k = 0; k < 6; k++) {
        char name[16];
        snprintf(name, sizeof name, "cube%d", k);
        machine_block(m, name, 1, vec(0.1, 0.1, 0.1), vec(0, 0, 0.05 + 0.1 * k), wood);
    }
}

static void add_row(Machine *m, BrMaterialId wood, double aside) {
    for (int k = 0; k < 12; k++) {
        char name[16];
        snprintf(name, sizeof name, "domino%d", k);
        machine_block(m, name, 0.02, vec(0.01, 0.04, 0.08), vec(0.035 * k, aside * (7 * k % 5 - 2), 0.04), wood);
    }
}

static void add_dominoes(Machine *m, BrMaterialId wood) { add_row(m, wood, 0); }

/* Out of line, so that they turn. */
static void add_crooked_dominoes(Machine *m, BrMaterialId wood) { add_row(m, wood, 0.003); }

static void add_balls(Machine *m, BrMaterialId wood) {
    for (int k = 0; k < 27; k++) {
        char name[16];
        snprintf(name, sizeof name, "ball%d", k);
        machine_ball(m, name, 0.1, 0.05,
                     vec(0.101 * (k % 3), 0.102 * (k / 3 % 3) + 0.01 * (k / 9), 0.06 + 0.12 * (k / 9)), wood);
    }
}

/* Operations of a second of a scene whose first body turns about y, on its lower edge, 0.04 m below it. */
static double count_scene(void (*fill)(Machine *m, BrMaterialId wood), double turn, BrScheme scheme) {
    Machine m = machine_begin(GRAVITY);
    BrMaterialId wood = machine_material(&m, "wood", 0.4, 0);
    double work = 0;
    machine_floor(&m, wood);
    fill(&m, wood);
    machine_ready(&m);
    if (turn != 0) machine_set_twist(&m, br_model_body(m.model, 1), vec(0.04 * turn, 0, 0), vec(0, turn, 0));
    BrStepDef def = machine_step_def(scheme, DT);
    for (int k = 0; k < 1000; k++) { /* a step that stopped short is taken, and costs what it costs */
        BrStepReport report;
        assert_true(br_step(m.model, m.workspace, m.state, &def, &report, NULL) >= 0);
        work += report.work;
    }
    machine_end(&m);
    return work;
}

/* Two solves for one, and all else but once: at most 2.5 times what order 1 costs, striking and at rest. How hard the
 * problems of falling dominoes are is a matter of luck, in both schemes: several pushes count together. Blows to many
 * of them at once are moreau's, so that they cost hardly more than with it; were they followed, they would cost more
 * than twice. */
static void order_two_costs_little_more_than_twice(void **unused) {
    static const struct {
        const char *name;
        void (*fill)(Machine *m, BrMaterialId wood);
        int turns; /* from 4 rad/s on; 0: at rest */
        double most;
    } SCENES[] = {{"stack", add_stack, 0, 2.5},
                  {"dominoes", add_dominoes, 6, 1.7},
                  {"crooked dominoes", add_crooked_dominoes, 6, 2.5},
                  {"balls", add_balls, 0, 2.5}};
    (void)unused;
    for (size_t k = 0; k < sizeof SCENES / sizeof *SCENES; k++) {
        double one = 0, two = 0;
        int turns = SCENES[k].turns && is_slow_run() ? 1 : SCENES[k].turns;
        for (int i = 0; i < (turns ? turns : 1); i++) {
            double turn = turns ? 4.4 + 0.4 * i : 0;
            one += count_scene(SCENES[k].fill, turn, BR_SCHEME_MOREAU);
            two += count_scene(SCENES[k].fill, turn, BR_SCHEME_HEM2);
        }
        print_message("%s: %.3g times the operations of moreau\n", SCENES[k].name, two / one);
        if (turns != 1) assert_true(two <= SCENES[k].most * one); /* one push is all luck */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounces_far_away_change_no_bit), cmocka_unit_test(a_touch_costs_the_bodies_that_touch),
        cmocka_unit_test(what_cannot_be_followed_is_counted), cmocka_unit_test(order_two_costs_little_more_than_twice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
