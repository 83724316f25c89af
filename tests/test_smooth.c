/* test_smooth.c: the formulation smooth against closed forms: joints hold to the last digits, energy neither grows nor
 * drains where it should not, motors keep their bounds, and steps that are too long are made in parts. That both schemes
 * have their orders is in test_orders.c, that states continue to the same bits in test_replay.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "machine.h"

static const BrVec3 DOWN = {0, 0, -9.81}, NONE = {0, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};
static const BrScheme SCHEMES[] = {BR_SCHEME_HALF_IMPLICIT, BR_SCHEME_BDF2};

/* A thin bar of 1 m and 2 kg that hangs in a bearing about y at its end, at an angle to the vertical; its turn is that
 * angle less the one it starts with. */
static Machine hang_bar(double angle, double speed, BrJointId *bearing) {
    Machine m = machine_begin(DOWN);
    BrBodyDef def = br_default_body_def();
    def.name = "bar";
    def.mass = 2;
    def.inertia = diagonal(2. / 12, 2. / 12, 1e-3);
    def.position = vec(-0.5 * sin(angle), 0, -0.5 * cos(angle));
    def.rotation = turn_about(Y, angle);
    def.angular_velocity = vec(0, speed, 0);
    def.velocity = vec(-0.5 * speed * cos(angle), 0, 0.5 * speed * sin(angle));
    BrBodyId bar = machine_add_body(&m, &def);
    *bearing = machine_joint(&m, "bearing", BR_JOINT_REVOLUTE, m.ground, bar, NONE, Y);
    machine_ready(&m);
    return m;
}

/* The period of a swing from rest at 90 deg: 4 sqrt(2 l/(3 g)) K(sin 45 deg), K = 1.854074677301372. After half of it the
 * bar rests on the other side, at -180 deg of turn; there the angle is stationary, so that the rate is looked at:
 * it vanishes at the right time, theta'' being 3 g/(2 l) there. */
static void bar_swings_with_its_period(void **unused) {
    (void)unused;
    const double half = 2 * sqrt(2. / (3 * 9.81)) * 1.854074677301372, fall = 1.5 * 9.81;
    for (int s = 0; s < 2; s++) {
        double late[2];
        for (int fine = 0; fine < 2; fine++) {
            BrJointId bearing;
            Machine m = hang_bar(PI / 2, 0, &bearing);
            int steps = 1000 << fine;
            machine_run(&m, SCHEMES[s], half / steps, steps);
            late[fine] = machine_rate(&m, bearing, 0) / fall; /* s */
            assert_near(machine_position(&m, bearing, 0), -PI, s ? 1e-4 : 1e-2);
            machine_end(&m);
        }
        assert_near(late[1], 0, s ? 4e-6 : 1e-3); /* (w h)^order of half a second */
        if (s) assert_near(observed_order(late[0], late[1]), 2, 0.1);
    }
}

/* Joints are closed to some roundings of a metre, their rates to some of a metre per second; also in long runs. */
static void joints_hold_to_the_last_digits(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        BrJointId bearing;
        Machine m = hang_bar(2, 3, &bearing);
        BrStepDef def = machine_step_def(SCHEMES[s], 5e-3);
        for (int k = 0; k < 400; k++) {
            BrStepReport report = machine_steps(&m, &def, 1);
            assert_near(report.position_residual, 0, 1e-13);
            assert_near(report.velocity_residual, 0, 1e-11);
            assert_int_equal(report.parts, 0);
        }
        machine_end(&m);
    }
}

static double find_total(const Machine *m) {
    BrEnergy e = machine_energy(m);
    return e.kinetic + e.potential;
}

/* half-implicit keeps a nearby energy for ever: 10^5 steps of 5 ms, in 100 swings and in 800 no farther off. bdf2 drains it
 * by its (w h)^4/2 a step at most, and never adds any. */
static void energy_stays_or_drains(void **unused) {
    (void)unused;
    const double h = 5e-3, all = 2 * 9.81; /* of a bar that stands upright, against one that hangs */
    int steps = is_slow_run() ? 2000 : 100000;
    for (int s = 0; s < 2; s++) {
        BrJointId bearing;
        Machine m = hang_bar(1, 0, &bearing);
        double begin = find_total(&m), most = 0, least = 0;
        for (int k = 0; k < steps; k++) {
            machine_run(&m, SCHEMES[s], h, 1);
            double change = find_total(&m) - begin;
            most = fmax(most, change), least = fmin(least, change);
        }
        double w = sqrt(1.5 * 9.81), wavers = 0.5 * w * h * 0.5 * all; /* z/2 of what there is: growth.c */
        assert_near(most, 0, s ? 1e-4 : wavers);
        if (!s) assert_near(least, 0, wavers);
        if (s) assert_true(least < -1e-3);
        machine_end(&m);
    }
}

/* A motor that may give 2 N m drives a wheel of 0.5 kg m^2 to 3 rad/s: it takes 0.75 s, at 4 rad/s^2 to the last digit,
 * and then holds that speed. */
static void motor_keeps_its_bound(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(NONE);
        BrBodyId wheel = machine_body(&m, "wheel", 1, diagonal(0.5, 0.5, 0.5), NONE);
        BrJointId axle = machine_joint(&m, "axle", BR_JOINT_REVOLUTE, m.ground, wheel, NONE, Z);
        machine_motor(&m, "drive", axle, 0, br_constant(3), 2);
        machine_ready(&m);
        BrStepDef def = machine_step_def(SCHEMES[s], 1e-3);
        BrStepReport report = machine_steps(&m, &def, 500);
        assert_near(machine_rate(&m, axle, 0), 2, 1e-12);
        assert_int_equal(report.clamped_motors, 1);
        report = machine_steps(&m, &def, 300);
        assert_near(machine_rate(&m, axle, 0), 3, 1e-12);
        assert_int_equal(report.clamped_motors, 0);
        machine_end(&m);
    }
}

/* A motor turns the bar at 3 rad/s, lifting and lowering it: what it puts in is what the bar gains, to the scheme's order. */
static void work_of_a_motor_is_booked(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        double defect[2];
        for (int fine = 0; fine < 2; fine++) {
            BrJointId bearing;
            Machine m = machine_begin(DOWN);
            BrBodyDef def = br_default_body_def();
            def.name = "bar";
            def.mass = 2;
            def.inertia = diagonal(2. / 12, 2. / 12, 1e-3);
            def.position = vec(0, 0, -0.5);
            def.angular_velocity = vec(0, 3, 0);
            def.velocity = vec(-1.5, 0, 0);
            BrBodyId bar = machine_add_body(&m, &def);
            bearing = machine_joint(&m, "bearing", BR_JOINT_REVOLUTE, m.ground, bar, NONE, Y);
            machine_motor(&m, "motor", bearing, 0, br_constant(3), INFINITY);
            machine_ready(&m);
            machine_run(&m, SCHEMES[s], 2e-3 / (1 + fine), 350 * (1 + fine));
            BrEnergy e = machine_energy(&m);
            defect[fine] = e.defect;
            assert_near(e.work, 9.81 * (1 - cos(2.1)), s ? 1e-4 : 0.03); /* m g l/2 = 9.81 J; its speed is as before */
            machine_end(&m);
        }
        assert_near(observed_order(defect[0], defect[1]), s ? 2 : 1, 0.15);
    }
}

/* A flat top about its axis in space, free of forces, precesses: L stays where it is to the scheme's order, and is
 * better for a shorter step. */
static void free_body_keeps_its_spin(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        double off[2];
        for (int fine = 0; fine < 2; fine++) {
            Machine m = machine_begin(NONE);
            BrBodyDef def = br_default_body_def();
            def.name = "top";
            def.mass = 1;
            def.inertia = diagonal(1, 2, 2.5);
            def.angular_velocity = vec(1, 2, 3);
            machine_add_body(&m, &def);
            machine_ready(&m);
            machine_run(&m, SCHEMES[s], 2e-3 / (1 + fine), 1000 * (1 + fine));
            off[fine] = norm(sub(machine_angular_momentum(&m), vec(1, 4, 7.5)));
            machine_end(&m);
        }
        assert_near(observed_order(off[0], off[1]), s ? 2 : 1, 0.1);
        assert_near(off[1], 0, s ? 1e-3 : 0.1);
    }
}

/* Two bars, one in the other, that turn against each other at 40 rad/s are asked for steps of 0.1 s, 4 rad each, in which
 * Newton's method fails: these are made in parts, and joints hold. Much longer ones are told. */
static void long_steps_are_made_in_parts(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(DOWN);
        BrVec3 at = NONE;
        BrBodyId before = m.ground;
        for (int k = 0; k < 2; k++) {
            const char *const NAMES[] = {"upper", "lower"}, *const BEARINGS[] = {"first", "second"};
            BrBodyDef def = br_default_body_def();
            def.name = NAMES[k];
            def.mass = 2;
            def.inertia = diagonal(2. / 12, 2. / 12, 1e-3);
            def.position = add(at, vec(0, 0, -0.5));
            def.angular_velocity = vec(0, k ? -40 : 40, 0);
            def.velocity = vec(-20, 0, 0); /* of both: the joint between them runs at -40 m/s */
            BrBodyId bar = machine_add_body(&m, &def);
            machine_joint(&m, BEARINGS[k], BR_JOINT_REVOLUTE, before, bar, at, Y);
            before = bar;
            at = add(at, vec(0, 0, -1));
        }
        machine_ready(&m);
        BrStepDef def = machine_step_def(SCHEMES[s], 0.1);
        BrStepReport report;
        BrError error = {0};
        assert_int_equal(br_step(m.model, m.workspace, m.state, &def, &report, &error), BR_OK);
        assert_true(report.parts > 1);
        assert_near(report.position_residual, 0, 1e-12);
        def.dt = 100;
        BrStatus status = br_step(m.model, m.workspace, m.state, &def, &report, &error);
        assert_true(status == BR_NOT_CONVERGED || status < 0);
        machine_end(&m);
    }
}

/* A mass on a spring: forces of the end are found while (2/3 h w)^2 < 1; beyond, steps are made in parts. */
static void stiff_springs_divide_steps(void **unused) {
    (void)unused;
    const double w = 100;
    for (int beyond = 0; beyond < 2; beyond++) {
        Machine m = machine_begin(NONE);
        BrBodyId block = machine_body(&m, "block", 1, diagonal(1, 1, 1), vec(1.1, 0, 0));
        machine_line_spring(&m, "spring", m.ground, block, w * w, 0, 1);
        machine_ready(&m);
        BrAnalysis analysis;
        assert_int_equal(br_analyse(m.model, m.workspace, m.state, &analysis, NULL, NULL, NULL), BR_OK);
        assert_near(analysis.largest_dt[BR_SCHEME_BDF2], 1.5 / w, 1e-12);
        assert_near(analysis.largest_dt[BR_SCHEME_HALF_IMPLICIT], 2 / w, 1e-12);
        BrStepDef def = machine_step_def(BR_SCHEME_BDF2, (beyond ? 1.2 : 0.6) * 1.5 / w);
        machine_steps(&m, &def, 1);
        BrStepReport report = machine_steps(&m, &def, 1);
        if (beyond)
            assert_true(report.parts > 1);
        else
            assert_int_equal(report.parts, 0);
        machine_end(&m);
    }
}

/* A body that is put elsewhere has no step before: what follows is what a state has that begins there. */
static void thrown_bodies_have_no_history(void **unused) {
    (void)unused;
    BrJointId bearing, other;
    Machine m = hang_bar(0.5, 0, &bearing), fresh = hang_bar(0.5, 0, &other);
    BrBodyId bar = br_model_find_body(m.model, "bar");
    BrPose pose;
    BrTwist twist;
    assert_int_equal(br_body_pose(m.model, m.state, bar, &pose), BR_OK);
    assert_int_equal(br_body_twist(m.model, m.state, bar, &twist), BR_OK);
    machine_run(&m, BR_SCHEME_BDF2, 1e-3, 20);
    assert_int_equal(br_body_set_pose(m.model, m.state, bar, pose, NULL), BR_OK);
    assert_int_equal(br_body_set_twist(m.model, m.state, bar, twist, NULL), BR_OK);
    machine_run(&m, BR_SCHEME_BDF2, 1e-3, 20);
    machine_run(&fresh, BR_SCHEME_BDF2, 1e-3, 20);
    assert_near(machine_distance(&m, &fresh), 0, 1e-13);
    machine_end(&fresh);
    machine_end(&m);
}

/* What it does not follow is refused, with what to use. */
static void contacts_are_refused(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId stone = machine_material(&m, "stone", 0.5, 0);
    machine_floor(&m, stone);
    machine_ball(&m, "ball", 1, 0.1, vec(0, 0, 0.1), stone);
    machine_ready(&m);
    BrStepDef def = machine_step_def(BR_SCHEME_BDF2, 1e-3);
    BrError error = {0};
    assert_int_equal(br_step(m.model, m.workspace, m.state, &def, NULL, &error), BR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "use timestepping"));
    def.formulation = BR_FORMULATION_TIMESTEPPING;
    assert_int_equal(br_step(m.model, m.workspace, m.state, &def, NULL, &error), BR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "moreau, hem2, rattle and euler-paper"));
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bar_swings_with_its_period), cmocka_unit_test(joints_hold_to_the_last_digits),
        cmocka_unit_test(energy_stays_or_drains),     cmocka_unit_test(motor_keeps_its_bound),
        cmocka_unit_test(free_body_keeps_its_spin),   cmocka_unit_test(long_steps_are_made_in_parts),
        cmocka_unit_test(stiff_springs_divide_steps), cmocka_unit_test(thrown_bodies_have_no_history),
        cmocka_unit_test(contacts_are_refused),       cmocka_unit_test(work_of_a_motor_is_booked),
    };
    return cmocka_run_group_tests_name("smooth", tests, NULL, NULL);
}
