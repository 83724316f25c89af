/* test_contact_pairs.c: what two bodies do to each other at all places together: weights, levers, powers in closed form,
 * action and reaction, and one name for every pair whatever was added to the model first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"

static const double G = 9.81, MU = 0.5;
static const BrVec3 DOWN = {0, 0, -9.81}, UP = {0, 0, 1}, NONE = {0, 0, 0};

static BrContactPair read_pair(const Machine *m, BrBodyId first, BrBodyId second) {
    BrContactPair pair;
    assert_int_equal(br_evaluate(m->model, m->workspace, m->state, NULL), BR_OK);
    assert_int_equal(br_contact_pair(m->model, m->workspace, first, second, &pair), BR_OK);
    return pair;
}

/* In a stack each body bears the weight of all above; what is named second feels the opposite. */
static void a_stack_bears_what_is_above(void **unused) {
    (void)unused;
    enum { BOXES = 5 };
    Machine m = machine_begin(DOWN);
    BrMaterialId stone = machine_material(&m, "stone", MU, 0);
    BrBodyId box[BOXES + 1] = {m.ground};
    machine_floor(&m, stone);
    for (int k = 0; k < BOXES; k++) {
        char name[8];
        snprintf(name, sizeof name, "b%d", k);
        box[k + 1] = machine_block(&m, name, 1 + k, vec(0.2, 0.3, 0.1), vec(0, 0, 0.05 + 0.1 * k), stone);
    }
    machine_ready(&m);
    machine_run(&m, BR_SCHEME_HEM2, 1e-3, 20);
    double above = 0;
    for (int k = BOXES; k > 0; k--) {
        above += k * G; /* N: body k has k kg */
        BrContactPair p = read_pair(&m, box[k], box[k - 1]), back = read_pair(&m, box[k - 1], box[k]);
        double rounding = 1e-9 * above; /* of a certified contact problem */
        assert_vec_near(p.force, scale(above, UP), rounding);
        assert_vec_near(p.force_mean, scale(above, UP), rounding);
        assert_near(p.normal_force, above, rounding);
        assert_vec_near(p.normal, UP, 1e-12);
        assert_vec_near(p.point, vec(0, 0, 0.1 * (k - 1)), 1e-9);
        assert_int_equal(p.places, 4);
        assert_int_equal(p.mode, BR_CONTACT_STICK);
        assert_vec_near(add(p.force, back.force), NONE, 0);
        assert_vec_near(add(p.torque, back.torque), NONE, 0);
        assert_vec_near(add(p.force_mean, back.force_mean), NONE, 0);
        assert_vec_near(add(p.normal, back.normal), NONE, 0);
        assert_vec_near(sub(p.point, back.point), NONE, 0);
        assert_near(p.normal_force, back.normal_force, 0);
    }
    assert_int_equal(br_contact_pair_count(m.model, m.workspace), BOXES);
    for (int k = 0; k < BOXES; k++) {
        BrContactPair p;
        assert_int_equal(br_contact_pair_at(m.model, m.workspace, k, &p), BR_OK);
        assert_int_equal(p.first.index1, p.second.index1 + 1); /* the later one is named first */
    }
    assert_int_equal(read_pair(&m, box[BOXES], m.ground).places, 0);
    machine_end(&m);
}

/* Whose shape was added first does not matter: of two bodies that can be pushed the later one is named first. */
static void names_do_not_hang_on_the_order_of_shapes(void **unused) {
    (void)unused;
    for (int lower_first = 0; lower_first < 2; lower_first++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId stone = machine_material(&m, "stone", MU, 0);
        BrVec3 size = vec(0.2, 0.2, 0.2);
        BrBodyId low = machine_body(&m, "low", 1, diagonal(0.01, 0.01, 0.01), vec(0, 0, 0.1));
        BrBodyId high = machine_body(&m, "high", 2, diagonal(0.01, 0.01, 0.01), vec(0, 0, 0.3));
        machine_floor(&m, stone);
        machine_box(&m, lower_first ? low : high, size, stone);
        machine_box(&m, lower_first ? high : low, size, stone);
        machine_ready(&m);
        machine_set_twist(&m, high, vec(0.1, 0, 0), NONE);
        machine_run(&m, BR_SCHEME_HEM2, 1e-3, 3);
        assert_int_equal(br_evaluate(m.model, m.workspace, m.state, NULL), BR_OK);
        int seen = 0;
        for (int k = 0; k < br_contact_count(m.model, m.workspace); k++) {
            BrContact c;
            assert_int_equal(br_contact(m.model, m.workspace, k, &c), BR_OK);
            if (c.body_a.index1 == m.ground.index1) continue;
            assert_int_equal(c.body_b.index1, high.index1);
            assert_int_equal(br_shape_def(m.model, c.shape_b)->body.index1, high.index1);
            assert_near(c.frame.m[2][0], 1, 1e-12);
            BrVec3 n = vec(c.frame.m[0][0], c.frame.m[1][0], c.frame.m[2][0]);
            BrVec3 t1 = vec(c.frame.m[0][1], c.frame.m[1][1], c.frame.m[2][1]);
            BrVec3 t2 = vec(c.frame.m[0][2], c.frame.m[1][2], c.frame.m[2][2]);
            assert_vec_near(cross(n, t1), t2, 1e-12);
            assert_true(c.slip.x > 0.05 && c.friction_force.x < 0 && c.friction_force_mean.x < 0);
            seen++;
        }
        assert_int_equal(seen, 4);
        BrContactPair p = read_pair(&m, high, low);
        assert_near(p.force.x, -MU * p.force.z, 1e-4);
        assert_between(p.force.z, 1.99 * G,
                       2.01 * G); /* its corners wander, so that it is not quite at rest in height */
        machine_end(&m);
    }
}

/* A block that is pushed at height h, and holds: the floor presses F h / (m g) ahead of its middle. The wrench about that
 * point is a force alone. One that slides is dragged with mu m g, and loses that times its speed. */
static void a_pushed_block_leans_on_its_front(void **unused) {
    (void)unused;
    const double mass = 3, height = 0.1;
    const struct { double push, speed; } cases[] = {{0, 0}, {5, 0}, {-12, 0}, {0, 2}};
    for (int i = 0; i < 4; i++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId stone = machine_material(&m, "stone", MU, 0);
        machine_floor(&m, stone);
        BrBodyId block = machine_block(&m, "block", mass, vec(0.4, 0.3, 2 * height), vec(0.7, -0.2, height), stone);
        machine_force(&m, "push", block, 0, (BrFunctionDef){.constant = cases[i].push});
        machine_ready(&m);
        machine_set_twist(&m, block, vec(cases[i].speed, 0, 0), NONE);
        machine_run(&m, BR_SCHEME_HEM2, 1e-3, 2);
        BrContactPair p = read_pair(&m, block, m.ground);
        double weight = mass * G, x = machine_pose(&m, block).position.x, vx = machine_twist(&m, block).linear.x;
        double drag = cases[i].speed > 0 ? -MU * weight : -cases[i].push;
        double lever = height * (-drag) / weight;
        assert_near(p.point.x, x + lever, 1e-9);
        assert_near(p.point.y, -0.2, 1e-9);
        assert_vec_near(p.force, vec(drag, 0, weight), 1e-7);
        assert_vec_near(p.friction_force, vec(drag, 0, 0), 1e-7);
        assert_near(p.torque.x, 0, 1e-7);
        assert_near(p.torque.y, 0, 1e-7);
        assert_near(p.power, -drag * (cases[i].speed > 0 ? vx : 0), 1e-7);
        assert_near(p.slip.x, cases[i].speed > 0 ? vx : 0, 1e-9);
        assert_int_equal(p.mode, cases[i].speed > 0 ? BR_CONTACT_SLIP : BR_CONTACT_STICK);
        if (cases[i].speed > 0) assert_near(p.ratio, 1, 1e-9);
        assert_true(p.ratio >= fabs(drag) / (MU * weight) - 1e-9 && p.margin >= -1e-9);
        machine_end(&m);
    }
}

/* A ball that spins on a point: nothing but a moment of mu_spin N, which is the pair's torque about the point where it
 * touches, and takes that times the spin. */
static void a_spinning_ball_is_held_by_a_torque(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialDef felt = br_default_material_def();
    felt.name = "felt";
    felt.surface.friction = br_law(BR_LAW_FRICTION, "rolling");
    br_law_set(&felt.surface.friction, "mu", 0.5);
    br_law_set(&felt.surface.friction, "mu_r", 0.002);
    br_law_set(&felt.surface.friction, "mu_spin", 0.001);
    BrMaterialId material = machine_add_material(&m, &felt);
    machine_floor(&m, material);
    BrBodyId ball = machine_ball(&m, "ball", 2, 0.1, vec(0.3, 0, 0.1), material);
    machine_ready(&m);
    machine_set_twist(&m, ball, NONE, vec(0, 0, 5));
    machine_run(&m, BR_SCHEME_MOREAU, 1e-3, 5);
    BrContactPair p = read_pair(&m, ball, m.ground);
    double moment = 0.001 * 2 * G, spin = machine_twist(&m, ball).angular.z;
    assert_vec_near(p.torque, vec(0, 0, -moment), 1e-9);
    assert_vec_near(p.torque_mean, vec(0, 0, -moment), 1e-9);
    assert_vec_near(p.spinning_moment, vec(0, 0, -moment), 1e-9);
    assert_near(p.power, moment * spin, 1e-8);
    assert_vec_near(p.point, vec(0.3, 0, 0), 1e-9);
    machine_end(&m);
}

/* Two points of one body, one on a floor that holds and one on a floor that runs away beneath it, differ: mixed. */
static void places_may_differ(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId stone = machine_material(&m, "stone", MU, 0);
    BrBodyId bar = machine_body(&m, "bar", 1, diagonal(0.1, 0.1, 0.1), vec(0, 0, 0.5));
    machine_floor(&m, stone);
    machine_point(&m, bar, vec(-1, 0.2, -0.5), stone);
    machine_point(&m, bar, vec(-1, -0.2, -0.5), stone);
    machine_point(&m, bar, vec(1, 0, -0.5), stone);
    machine_ready(&m);
    machine_set_twist(&m, bar, NONE, vec(0, 0, 0.5));
    machine_run(&m, BR_SCHEME_HEM2, 1e-3, 1);
    BrContactPair p = read_pair(&m, bar, m.ground);
    BrContact c[3];
    double slowest = INFINITY, fastest = 0;
    for (int k = 0; k < 3; k++) {
        assert_int_equal(br_contact(m.model, m.workspace, k, &c[k]), BR_OK);
        slowest = fmin(slowest, norm(c[k].slip)), fastest = fmax(fastest, norm(c[k].slip));
    }
    assert_true(slowest < fastest); /* they turn about the middle at different radii */
    assert_int_equal(p.places, 3);
    assert_near(norm(p.slip), fastest, 0);
    assert_int_equal(p.mode, BR_CONTACT_SLIP);
    assert_string_equal(br_contact_mode_name(BR_CONTACT_MIXED), "mixed");
    machine_end(&m);
}

static void what_does_not_fit_is_refused(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId stone = machine_material(&m, "stone", MU, 0);
    machine_floor(&m, stone);
    BrBodyId ball = machine_ball(&m, "ball", 1, 0.1, vec(0, 0, 0.1), stone);
    machine_ready(&m);
    BrContactPair p;
    assert_int_equal(br_contact_pair(m.model, m.workspace, ball, m.ground, &p), BR_WRONG_STAGE);
    assert_int_equal(br_contact_pair_count(m.model, m.workspace), 0);
    assert_int_equal(br_evaluate(m.model, m.workspace, m.state, NULL), BR_OK);
    assert_int_equal(br_contact_pair(m.model, m.workspace, ball, ball, &p), BR_INVALID_ID);
    assert_int_equal(br_contact_pair(m.model, m.workspace, ball, (BrBodyId){0}, &p), BR_INVALID_ID);
    assert_int_equal(br_contact_pair_at(m.model, m.workspace, 1, &p), BR_INVALID_ARGUMENT);
    assert_int_equal(br_contact_pair_at(m.model, m.workspace, -1, &p), BR_INVALID_ARGUMENT);
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_stack_bears_what_is_above),
                                       cmocka_unit_test(names_do_not_hang_on_the_order_of_shapes),
                                       cmocka_unit_test(a_pushed_block_leans_on_its_front),
                                       cmocka_unit_test(a_spinning_ball_is_held_by_a_torque),
                                       cmocka_unit_test(places_may_differ),
                                       cmocka_unit_test(what_does_not_fit_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
