/* Before the run: bodies inside each other come apart, and what a user may not have meant is told, at the number where it begins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"

static const BrVec3 NONE = {0, 0, 0};

/* ------------------------------------------------------------------ help */

static void check_near(double got, double wanted, double tolerance, const char *what) {
    if (!(fabs(got - wanted) <= tolerance)) fail_msg("%s is %.17g instead of %.17g", what, got, wanted);
}

typedef struct Told {
    int count[BR_DOUBTS], all;
    BrDoubt last[BR_DOUBTS];
} Told;

static void note(void *user, const BrDoubt *doubt) {
    Told *told = user;
    assert_true(strlen(doubt->text) > 20 && strlen(doubt->text) < sizeof doubt->text - 1);
    assert_string_not_equal(br_doubt_name(doubt->kind), "unknown");
    told->count[doubt->kind]++;
    told->all++;
    told->last[doubt->kind] = *doubt;
}

static Told find_overlaps(const Machine *m) {
    Told told = {0};
    BrError error = {0};
    if (br_state_doubts(m->model, m->workspace, m->state, note, &told, &error) != BR_OK) fail_msg("%s", error.text);
    return told;
}

static Told ask(const Machine *m, const BrStepDef *step) {
    Told told = {0};
    BrError error = {0};
    uint64_t before = br_state_hash(m->state);
    if (br_start_doubts(m->model, m->workspace, m->state, step, note, &told, &error) != BR_OK)
        fail_msg("%s", error.text);
    assert_true(br_state_hash(m->state) == before);
    return told;
}

static BrSeparation separate(const Machine *m) {
    BrSeparation done;
    BrError error = {0};
    if (br_state_separate(m->model, m->workspace, m->state, &done, &error) != BR_OK) fail_msg("%s", error.text);
    assert_int_equal(find_overlaps(m).count[BR_DOUBT_OVERLAP], 0);
    return done;
}

/* ------------------------------------------------------------------ coming apart */

/* Balls of radius 0.5 and masses 1 and M, `deep` in each other: each goes by the other's part of the mass, so that their common
 * centre stays, in any world; velocities stay, too. */
static void balls_part_by_their_masses(void **state) {
    (void)state;
    const double deep = 0.2;
    const BrVec3 ways[] = {{1, 0, 0}, {0.48, -0.6, 0.64}};
    for (int world = 0; world < 2; world++)
        for (double M = 1; M < 2e6; M *= 1000) {
            Machine m = machine_begin(NONE);
            BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
            BrBodyId a = machine_ball(&m, "a", 1, 0.5, NONE, wood),
                     b = machine_ball(&m, "b", M, 0.5, scale(1 - deep, ways[world]), wood);
            machine_ready(&m);
            machine_set_twist(&m, a, vec(1, 2, 3), vec(4, 5, 6));
            Told before = find_overlaps(&m);
            assert_int_equal(before.count[BR_DOUBT_OVERLAP], 1);
            assert_true(norm(sub(before.last[BR_DOUBT_OVERLAP].way, scale(deep, ways[world]))) < 1e-12);
            BrSeparation done = separate(&m);
            BrVec3 at = machine_pose(&m, a).position, to = machine_pose(&m, b).position;
            assert_true(norm(sub(at, scale(-deep * M / (1 + M), ways[world]))) < 1e-9); /* gaps to 1e-9 m are none */
            assert_true(norm(sub(to, scale(1 - deep + deep / (1 + M), ways[world]))) < 1e-9);
            check_near(done.moved, deep * M / (1 + M), 1e-9, "the farthest way");
            assert_true(norm(sub(machine_twist(&m, a).linear, vec(1, 2, 3))) == 0);
            uint64_t hash = br_state_hash(m.state);
            done = separate(&m);
            assert_true(done.rounds == 0 && done.moved == 0 && br_state_hash(m.state) == hash);
            machine_end(&m);
        }
}

/* Rows of balls, each a tenth in the next, on a floor that is deep in them: all come apart, and none goes far. */
static void rows_come_apart(void **state) {
    (void)state;
    for (int n = 1; n <= (is_slow_run() ? 10 : 100); n *= 10) {
        Machine m = machine_begin(NONE);
        BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
        machine_floor(&m, wood);
        for (int k = 0; k < n; k++) {
            char name[32];
            snprintf(name, sizeof name, "ball%d", k);
            machine_ball(&m, name, 1 + k % 3, 0.5, vec(0.9 * k, 0, 0.47), wood);
        }
        machine_ready(&m);
        BrSeparation done = separate(&m);
        assert_true(done.rounds > 0 && done.moved >= 0.03 - 1e-9 && done.moved < 0.05 * n + 0.1);
        machine_end(&m);
    }
}

/* A rod on a hinge whose tip is in a wall turns out of it, about the hinge. */
static void joints_hold_meanwhile(void **state) {
    (void)state;
    Machine m = machine_begin(NONE);
    BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
    machine_plane(&m, vec(-1, 0, 0), wood);
    BrBodyId rod = machine_body(&m, "rod", 1, diagonal(0.1, 0.1, 0.01), vec(-0.5, 0, 0));
    machine_point(&m, rod, vec(0, 0, 1), wood);
    BrBodyDef post = br_default_body_def();
    post.name = "post", post.kind = BR_BODY_FIXED;
    BrBodyId fixed = machine_add_body(&m, &post);
    machine_joint(&m, "h", BR_JOINT_REVOLUTE, fixed, rod, vec(-0.5, 0, 0), vec(0, 1, 0));
    machine_ready(&m);
    BrPose tilted = machine_pose(&m, rod);
    tilted.rotation = turn_about(vec(0, 1, 0), asin(0.5) + 0.05); /* the tip is at x = 0 for asin(0.5) */
    assert_int_equal(br_body_set_pose(m.model, m.state, rod, tilted, NULL), BR_OK);
    assert_int_equal(br_state_assemble(m.model, m.workspace, m.state, NULL, NULL), BR_OK);
    assert_int_equal(find_overlaps(&m).count[BR_DOUBT_OVERLAP], 1);
    separate(&m);
    BrPose pose = machine_pose(&m, rod);
    assert_true(norm(sub(pose.position, vec(-0.5, 0, 0))) < 1e-12 && machine_gap(&m) < 1e-12);
    double tip = rotate(&pose.rotation, vec(0, 0, 1)).x, deep = sin(asin(0.5) + 0.05) - 0.5;
    assert_true(tip < 0.5 + 1e-9);
    check_near(tip, 0.5, deep * deep, "the tip"); /* a turn is taken for a straight way: its square farther */
    machine_end(&m);
}

static void what_is_held_is_refused(void **state) {
    (void)state;
    Machine m = machine_begin(NONE);
    BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
    machine_floor(&m, wood);
    BrBodyId ball = machine_ball(&m, "ball", 1, 0.5, vec(0, 0, 0.4), wood);
    BrBodyDef post = br_default_body_def();
    post.name = "post", post.kind = BR_BODY_FIXED;
    BrBodyId fixed = machine_add_body(&m, &post);
    machine_joint(&m, "weld", BR_JOINT_FIXED, fixed, ball, NONE, vec(0, 0, 1));
    machine_ready(&m);
    uint64_t hash = br_state_hash(m.state);
    BrError error = {0};
    assert_int_equal(br_state_separate(m.model, m.workspace, m.state, NULL, &error), BR_INVALID_MODEL);
    if (!strstr(error.text, "bodies 'ball' and 'ground' cannot be separated: they stay 0.1 m inside"))
        fail_msg("%s", error.text);
    assert_true(br_state_hash(m.state) == hash);
    machine_end(&m);
}

/* ------------------------------------------------------------------ what is told */

static void limits_are_told(void **state) {
    (void)state;
    for (int past = 0; past < 2; past++) {
        Machine m = machine_begin(NONE);
        BrBodyId arm = machine_body(&m, "arm", 1, diagonal(1, 1, 1), vec(1, 0, 0));
        BrJointDef def = br_default_joint_def();
        def.name = "h", def.type = BR_JOINT_REVOLUTE, def.body_a = m.ground, def.body_b = arm, def.axis = vec(0, 0, 1);
        def.lower[0] = past ? 0.3 : 0, def.upper[0] = 1;
        machine_add_joint(&m, &def);
        machine_ready(&m);
        BrStepDef step = machine_step_def(BR_SCHEME_MOREAU, 1e-3);
        Told told = ask(&m, &step);
        assert_true(told.count[BR_DOUBT_LIMIT] == past && told.all == past);
        if (past) check_near(told.last[BR_DOUBT_LIMIT].limit, 0.3, 0, "the limit");
        machine_end(&m);
    }
}

/* Slower than what does not bounce, 2 g dt unless it is given, is rest. */
static void blows_are_told(void **state) {
    (void)state;
    const double rest = 2 * 9.81 * 1e-3, speeds[] = {0.99 * rest, 1.01 * rest};
    for (int fast = 0; fast < 2; fast++) {
        Machine m = machine_begin(vec(0, 0, -9.81));
        BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
        machine_floor(&m, wood);
        BrBodyId ball = machine_ball(&m, "ball", 1, 0.5, vec(0, 0, 0.5), wood);
        machine_ready(&m);
        machine_set_twist(&m, ball, vec(7, 0, -speeds[fast]), NONE);
        BrStepDef step = machine_step_def(BR_SCHEME_MOREAU, 1e-3);
        Told told = ask(&m, &step);
        assert_true(told.count[BR_DOUBT_APPROACH] == fast && told.all == fast);
        if (fast) check_near(told.last[BR_DOUBT_APPROACH].value, speeds[1], 1e-15, "the speed");
        step.impact_speed = 1;
        assert_int_equal(ask(&m, &step).all, 0);
        machine_end(&m);
    }
}

/* A ball of radius 0.5 that flies its diameter, or turns by a radian, in a step. */
static void long_steps_are_told(void **state) {
    (void)state;
    for (int fast = 0; fast < 2; fast++) {
        Machine m = machine_begin(NONE);
        BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
        machine_floor(&m, wood);
        BrBodyId ball = machine_ball(&m, "ball", 1, 0.5, vec(0, 0, 9), wood);
        machine_ready(&m);
        BrStepDef step = machine_step_def(BR_SCHEME_MOREAU, 1e-3), hem2 = machine_step_def(BR_SCHEME_HEM2, 1e-3);
        machine_set_twist(&m, ball, vec(0, 600 + fast, 800 + fast), NONE);
        Told told = ask(&m, &step);
        assert_true(told.count[BR_DOUBT_STEP] == fast && told.all == fast);
        if (fast) { /* with the step that is named it is not told any more */
            step.dt = 0.999 * told.last[BR_DOUBT_STEP].limit;
            assert_int_equal(ask(&m, &step).all, 0);
        }
        assert_int_equal(ask(&m, &hem2).all, 0); /* it locates touches */
        machine_set_twist(&m, ball, NONE, vec(0, 0, fast ? 1001 : 999));
        told = ask(&m, &hem2);
        assert_true(told.count[BR_DOUBT_STEP] == fast && told.all == fast);
        BrStepDef event = machine_event_def(1e-3);
        assert_int_equal(ask(&m, &event).all, 0);
        machine_end(&m);
    }
}

/* Radii of gyration of 3 L and L/100 are the ends of what is taken for meant; L is where the farthest shape ends. */
static void odd_inertias_and_densities_are_told(void **state) {
    (void)state;
    const double reach = 0.3 + 0.2, factors[] = {2.99, 3.01, 0.0101, 0.0099};
    for (int i = 0; i < 4; i++) {
        Machine m = machine_begin(NONE);
        BrMaterialDef stuff = br_default_material_def();
        stuff.name = "stuff", stuff.density = i % 2 ? 25001 : 24999;
        br_law_set(&stuff.surface.friction, "mu", 0.3);
        BrMaterialId id = machine_add_material(&m, &stuff);
        double J = 7 * pow(factors[i] * reach, 2);
        BrBodyId body = machine_body(&m, "b", 7, diagonal(0.6 * J, J, 0.5 * J), NONE);
        BrShapeDef shape = br_default_shape_def();
        shape.body = body, shape.kind = BR_SHAPE_SPHERE, shape.radius = 0.2, shape.position_body.y = 0.3;
        shape.material = id, shape.density = i % 2 ? 9.9 : 10.1;
        machine_add_shape(&m, &shape);
        machine_ready(&m);
        BrStepDef step = machine_step_def(BR_SCHEME_MOREAU, 1e-3);
        Told told = ask(&m, &step);
        int odd = i % 2;
        assert_int_equal(told.count[BR_DOUBT_INERTIA], odd);
        assert_int_equal(told.count[BR_DOUBT_DENSITY], 2 * odd); /* of the material and of the shape */
        assert_int_equal(told.all, 3 * odd);
        if (odd) check_near(told.last[BR_DOUBT_INERTIA].value, factors[i] * reach, 1e-12, "the radius of gyration");
        if (odd) check_near(told.last[BR_DOUBT_INERTIA].limit, reach, 1e-15, "the reach of the shapes");
        machine_end(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_part_by_their_masses),
        cmocka_unit_test(rows_come_apart),
        cmocka_unit_test(joints_hold_meanwhile),
        cmocka_unit_test(what_is_held_is_refused),
        cmocka_unit_test(limits_are_told),
        cmocka_unit_test(blows_are_told),
        cmocka_unit_test(long_steps_are_told),
        cmocka_unit_test(odd_inertias_and_densities_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
