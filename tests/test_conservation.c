/* test_conservation.c: what must not change, and the books of what does: momentum, energy, constraints, load sharing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "machine.h"

static const double G = 9.81;
static const BrVec3 DOWN = {0, 0, -9.81}, NONE = {0, 0, 0}, X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

/* ------------------------------------------------------------------ momentum */

/* Five bodies floating in space, joined by ball, hinge, Cardan and cylindrical joint with a spring, all turning. */
static Machine make_floating_chain(void) {
    Machine m = machine_begin(NONE);
    uint64_t seed = 7;
    BrBodyId body[5];
    for (int k = 0; k < 5; k++) {
        char name[8];
        snprintf(name, sizeof name, "b%d", k);
        BrBodyDef def = br_default_body_def();
        def.name = name;
        def.mass = 1 + 0.3 * k;
        def.inertia = diagonal(0.02, 0.03, 0.025 + 0.002 * k);
        def.position = vec(0.5 * k, 0, 0);
        def.velocity = draw_vec(&seed, 1);
        def.angular_velocity = draw_vec(&seed, 3);
        body[k] = machine_add_body(&m, &def);
    }
    machine_joint(&m, "ball", BR_JOINT_SPHERICAL, body[0], body[1], vec(0.25, 0, 0), NONE);
    machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, body[1], body[2], vec(0.75, 0, 0), vec(1, 1, 0));
    BrJointDef def = br_default_joint_def();
    def.name = "cross";
    def.type = BR_JOINT_UNIVERSAL;
    def.body_a = body[2], def.body_b = body[3];
    def.at = vec(1.25, 0, 0);
    def.axis = Y, def.axis_b = Z;
    machine_add_joint(&m, &def);
    BrJointId tube = machine_joint(&m, "tube", BR_JOINT_CYLINDRICAL, body[3], body[4], vec(1.75, 0, 0), X);
    machine_joint_spring(&m, "spring", tube, 1, 60, 0);
    machine_ready(&m);
    return m;
}

static void momentum_of_a_floating_chain(void **unused) {
    (void)unused;
    double loss[BR_TIMESTEPPING_SCHEMES][2];
    for (int s = BR_SCHEME_MOREAU; s <= BR_SCHEME_RATTLE; s++)
        for (int fine = 0; fine < 2; fine++) {
            Machine m = make_floating_chain();
            BrVec3 linear = machine_momentum(&m), angular = machine_angular_momentum(&m);
            int steps = fine ? 4000 : 2000;
            machine_run(&m, (BrScheme)s, 2.0 / steps, steps);
            assert_vec_near(machine_momentum(&m), linear, 1e-11); /* actio = reactio in every impulse: rounding */
            loss[s][fine] = norm(sub(machine_angular_momentum(&m), angular));
            machine_end(&m);
        }
    assert_near(loss[BR_SCHEME_RATTLE][0], 0, 1e-10); /* kept exactly; rounding and solver tolerance of 2000 steps */
    assert_near(observed_order(loss[BR_SCHEME_HEM2][0], loss[BR_SCHEME_HEM2][1]), 2, 0.3);
    assert_between(observed_order(loss[BR_SCHEME_MOREAU][0], loss[BR_SCHEME_MOREAU][1]), 0.7, 2.3);
}

/* ------------------------------------------------------------------ energy books */

/* A double pendulum in space: motor at the shoulder, damped spring at the elbow, a force and a motion. */
static Machine make_driven(void) {
    Machine m = machine_begin(DOWN);
    BrBodyId body[3];
    body[0] = machine_body(&m, "turret", 1, diagonal(0.1, 0.1, 0.08), vec(0, 0, 0.2));
    body[1] = machine_body(&m, "arm", 1.2, diagonal(0.01, 0.06, 0.06), vec(0.4, 0, 0.4));
    body[2] = machine_body(&m, "hand", 0.5, diagonal(0.01, 0.02, 0.02), vec(1.0, 0, 0.4));
    BrJointId base = machine_joint(&m, "base", BR_JOINT_REVOLUTE, m.ground, body[0], NONE, Z);
    BrJointId shoulder = machine_joint(&m, "shoulder", BR_JOINT_REVOLUTE, body[0], body[1], vec(0, 0, 0.4), Y);
    BrJointId elbow = machine_joint(&m, "elbow", BR_JOINT_REVOLUTE, body[1], body[2], vec(0.8, 0, 0.4), vec(0, 1, 1));
    machine_motor(&m, "motor", base, 0, br_expression("2*sin(3*t)"), 1000);
    machine_motion(&m, "drive", shoulder, 0, false, br_expression("0.4*(1 - cos(2*t))"));
    machine_joint_spring(&m, "elbow spring", elbow, 0, 5, 0.2);
    machine_line_spring(&m, "cord", m.ground, body[2], 20, 0.5, 0.5);
    machine_force(&m, "wind", body[2], 1, br_sine(2, 0.7, 0.3));
    machine_ready(&m);
    return m;
}

static double measure_defect(BrScheme scheme, double h, double end) {
    Machine m = make_driven();
    machine_run(&m, scheme, h, (int)lround(end / h));
    BrEnergy e = machine_energy(&m);
    assert_true(e.dissipated > 0.05); /* the books are not empty, J */
    assert_true(fabs(e.work) > 0.1);
    machine_end(&m);
    return fabs(e.defect);
}

static void energy_defect_of_a_driven_machine(void **unused) {
    (void)unused;
    for (int s = BR_SCHEME_MOREAU; s <= BR_SCHEME_RATTLE; s++) {
        double order = s == BR_SCHEME_MOREAU ? 1 : 2;
        double coarse = measure_defect((BrScheme)s, 1e-3, 1.3), fine = measure_defect((BrScheme)s, 5e-4, 1.3);
        assert_near(fine, 0, order == 1 ? 2e-2 : 1e-4);        /* J; (rates of 10 rad/s times h)^order of 10 J */
        assert_near(observed_order(coarse, fine), order, 0.3); /* some of the h^k terms nearly cancel */
    }
}

/* Work of a load set between steps: F x, whether or not the machine has anything else that does work. */
static void work_of_a_set_load(void **unused) {
    (void)unused;
    Machine m = machine_begin(NONE);
    BrBodyId body = machine_body(&m, "block", 2, diagonal(1, 1, 1), NONE);
    machine_ready(&m);
    assert_int_equal(br_body_set_load(m.model, m.state, body, vec(3, 0, 0), NONE, NULL), BR_OK);
    machine_run(&m, BR_SCHEME_RATTLE, 1e-2, 100);
    BrEnergy e = machine_energy(&m);
    assert_near(e.kinetic, 0.5 * 2 * pow(3 / 2.0, 2), 1e-12);
    assert_near(e.work, e.kinetic, 1e-12); /* constant force: the trapezoid is exact */
    assert_near(e.defect, 0, 1e-12);
    machine_end(&m);
}

/* Work of a moved body that pulls another by a spring: it shows in the books as well. */
static void work_of_a_moved_anchor(void **unused) {
    (void)unused;
    double defect[2];
    for (int fine = 0; fine < 2; fine++) {
        Machine m = machine_begin(NONE);
        BrBodyDef anchor = br_default_body_def();
        anchor.name = "anchor";
        anchor.kind = BR_BODY_KINEMATIC;
        BrBodyId hand = machine_add_body(&m, &anchor);
        BrMotionDef motion = br_default_motion_def();
        BrMotionId id;
        motion.name = "pull";
        motion.body = hand;
        motion.linear[0] = br_expression("0.5*sin(3*t)");
        assert_int_equal(br_model_add_motion(m.model, &motion, &id, NULL), BR_OK);
        BrBodyId block = machine_body(&m, "block", 2, diagonal(1, 1, 1), vec(1, 0, 0));
        machine_line_spring(&m, "cord", hand, block, 40, 1, 1);
        machine_ready(&m);
        machine_run(&m, BR_SCHEME_RATTLE, fine ? 5e-4 : 1e-3, fine ? 2000 : 1000);
        defect[fine] = machine_energy(&m).defect;
        machine_end(&m);
    }
    assert_near(defect[1], 0, 1e-5); /* J: (4 rad/s h)^2 of a few J */
    assert_near(observed_order(defect[0], defect[1]), 2, 0.2);
}

/* ------------------------------------------------------------------ constraints */

/* A three-dimensional mechanism within 10 m that never rests: a Cardan chain from a pivot 6 m up, hinged, closed by a
 * rod back to the ground. */
static Machine make_tangle(void) {
    Machine m = machine_begin(DOWN);
    BrBodyId body[4];
    body[0] = machine_body(&m, "one", 3, diagonal(0.5, 0.5, 0.3), vec(1, 0, 6));
    body[1] = machine_body(&m, "two", 2, diagonal(0.3, 0.4, 0.3), vec(3, 0, 6));
    body[2] = machine_body(&m, "three", 2, diagonal(0.3, 0.3, 0.2), vec(4, 1, 6));
    body[3] = machine_body(&m, "four", 1, diagonal(0.1, 0.1, 0.1), vec(4, 3, 6));
    BrJointDef def = br_default_joint_def();
    def.name = "cross";
    def.type = BR_JOINT_UNIVERSAL;
    def.body_a = m.ground, def.body_b = body[0];
    def.at = vec(0, 0, 6);
    def.axis = Y, def.axis_b = vec(1, 0, 1);
    machine_add_joint(&m, &def);
    machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, body[0], body[1], vec(2, 0, 6), vec(1, 2, 2));
    machine_joint(&m, "ball", BR_JOINT_SPHERICAL, body[1], body[2], vec(4, 0, 6), NONE);
    machine_joint(&m, "tube", BR_JOINT_CYLINDRICAL, body[2], body[3], vec(4, 2, 6), Y);
    machine_rod(&m, "rod", m.ground, body[2], vec(3, 4, 2), vec(0, 0.5, 0));
    machine_line_spring(&m, "cord", body[2], body[3], 100, 0, 2);
    machine_ready(&m);
    return m;
}

static void constraints_do_not_drift(void **unused) {
    (void)unused;
    int steps = is_slow_run() ? 3000 : is_long_run() ? 1000000 : 100000;
    for (int s = BR_SCHEME_MOREAU; s <= BR_SCHEME_RATTLE; s++) {
        Machine m = make_tangle();
        double worst = 0, energy = machine_mechanical_energy(&m);
        for (int k = 0; k < steps / 100; k++) {
            machine_run(&m, (BrScheme)s, 1e-3, 100);
            worst = fmax(worst, machine_gap(&m));
        }
        assert_near(worst, 0, 1e-12); /* m or rad, promised; the step's own tolerance is 4e-14 of the size */
        double kept = machine_mechanical_energy(&m) - energy;
        if (s == BR_SCHEME_RATTLE) assert_near(kept, 0, 1); /* J of some 400: no drift in energy either */
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ load sharing */

/* A beam welded (or hinged) to the ground at both ends: each end carries half. */
static void equal_supports_share_equally(void **unused) {
    (void)unused;
    const BrJointType types[] = {BR_JOINT_FIXED, BR_JOINT_REVOLUTE, BR_JOINT_SPHERICAL};
    for (int k = 0; k < 3; k++)
        for (int order = 0; order < 2; order++) {
            Machine m = machine_begin(DOWN);
            BrBodyId beam = machine_body(&m, "beam", 6, diagonal(0.1, 1, 1), NONE);
            double side = order ? 1 : -1;
            BrJointId a = machine_joint(&m, "first", types[k], m.ground, beam, vec(side, 0, 0), Y);
            BrJointId b = machine_joint(&m, "second", types[k], m.ground, beam, vec(-side, 0, 0), Y);
            machine_ready(&m);
            for (int later = 0; later < 2; later++) {
                assert_vec_near(machine_reaction(&m, a).force, vec(0, 0, 3 * G), 1e-9); /* least norm: by iteration */
                assert_vec_near(machine_reaction(&m, b).force, vec(0, 0, 3 * G), 1e-9);
                assert_vec_near(machine_reaction(&m, a).torque, NONE, 1e-9);
                assert_vec_near(machine_reaction(&m, b).torque, NONE, 1e-9);
                machine_run(&m, BR_SCHEME_RATTLE, 1e-3, 100);
            }
            machine_end(&m);
        }
}

/* A door on three equal hinges shares its weight by thirds; the horizontal couple goes to the outer two. */
static void three_hinges_share_a_door(void **unused) {
    (void)unused;
    const double width = 0.8, weight = 30 * G, spacing = 0.9;
    Machine m = machine_begin(DOWN);
    BrBodyId door = machine_body(&m, "door", 30, diagonal(10, 11, 2), vec(0.5 * width, 0, 0));
    BrJointId hinge[3];
    const char *names[] = {"low", "middle", "high"};
    for (int k = 0; k < 3; k++)
        hinge[k] = machine_joint(&m, names[k], BR_JOINT_REVOLUTE, m.ground, door, vec(0, 0, spacing * (k - 1)), Z);
    machine_ready(&m);
    BrVec3 total = NONE, moment = NONE;
    for (int k = 0; k < 3; k++) {
        BrWrench w = machine_reaction(&m, hinge[k]);
        assert_near(w.force.z, weight / 3, 1e-9);
        total = add(total, w.force);
        moment = add(moment, add(w.torque, cross(vec(0, 0, spacing * (k - 1)), w.force)));
    }
    assert_vec_near(total, vec(0, 0, weight), 1e-9);
    assert_vec_near(moment, vec(0, -0.5 * width * weight, 0),
                    1e-9); /* holds the centre of mass, about the hinge line */
    assert_near(machine_reaction(&m, hinge[1]).force.x, 0, 1e-9);
    assert_near(machine_reaction(&m, hinge[0]).force.x, -machine_reaction(&m, hinge[2]).force.x, 1e-9);
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_of_a_floating_chain), cmocka_unit_test(energy_defect_of_a_driven_machine),
        cmocka_unit_test(work_of_a_set_load),           cmocka_unit_test(work_of_a_moved_anchor),
        cmocka_unit_test(constraints_do_not_drift),     cmocka_unit_test(equal_supports_share_equally),
        cmocka_unit_test(three_hinges_share_a_door),
    };
    return cmocka_run_group_tests_name("conservation", tests, NULL, NULL);
}
