/* test_drives.c: springs, dampers, forces, motors and motions on one body, against closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "machine.h"

static const double G = 9.81;
static const BrVec3 DOWN = {0, 0, -9.81}, NONE = {0, 0, 0}, X = {1, 0, 0}, Y = {0, 1, 0};

/* A block that slides along x; its slide is x. */
static Machine begin_slider(double mass, double speed, BrBodyId *block, BrJointId *rail) {
    Machine m = machine_begin(DOWN);
    BrBodyDef def = br_default_body_def();
    def.name = "block";
    def.mass = mass;
    def.inertia = diagonal(0.1, 0.1, 0.1);
    def.velocity = vec(speed, 0, 0);
    *block = machine_add_body(&m, &def);
    *rail = machine_joint(&m, "rail", BR_JOINT_PRISMATIC, m.ground, *block, NONE, X);
    return m;
}

/* ------------------------------------------------------------------ springs */

static double run_oscillator(BrScheme scheme, double damping, double h, double end) {
    const double mass = 2, stiffness = 50, speed = 0.8;
    BrBodyId block;
    BrJointId rail;
    Machine m = begin_slider(mass, speed, &block, &rail);
    machine_joint_spring(&m, "spring", rail, 0, stiffness, damping);
    machine_ready(&m);
    machine_run(&m, scheme, h, (int)lround(end / h));
    double decay = damping / (2 * mass), w = sqrt(stiffness / mass - decay * decay);
    double exact = speed / w * exp(-decay * end) * sin(w * end), x = machine_position(&m, rail, 0);
    double v = machine_rate(&m, rail, 0), exact_v = speed * exp(-decay * end) * cos(w * end) - decay * exact;
    machine_end(&m);
    return hypot(x - exact, (v - exact_v) / w);
}

/* x = v0/w exp(-d t) sin(w t) with d = c/(2m), w^2 = k/m - d^2 */
static void slider_on_a_spring(void **unused) {
    (void)unused;
    const double dampings[] = {0, 3};
    for (int s = BR_SCHEME_MOREAU; s <= BR_SCHEME_RATTLE; s++)
        for (int d = 0; d < 2; d++) {
            double coarse = run_oscillator((BrScheme)s, dampings[d], 2e-3, 1.9);
            double fine = run_oscillator((BrScheme)s, dampings[d], 1e-3, 1.9);
            double order = s == BR_SCHEME_MOREAU ? 1 : 2;
            /* amplitude times (w h)^order, w = 5 rad/s, times w t for the phase */
            assert_near(fine, 0, 0.16 * pow(5 * 1e-3, order) * 5 * 1.9);
            assert_near(observed_order(coarse, fine), order, 0.15);
        }
}

/* A line spring reads its length and pulls its ends together with k (length - free length) + c rate. */
static void line_spring_reads(void **unused) {
    (void)unused;
    Machine m = machine_begin(NONE);
    BrBodyDef def = br_default_body_def();
    def.name = "bob";
    def.mass = 1;
    def.inertia = diagonal(1, 1, 1);
    def.position = vec(3, 4, 0);
    def.velocity = vec(0, 0.5, 0);
    BrBodyId bob = machine_add_body(&m, &def);
    BrSpringId spring = machine_line_spring(&m, "spring", m.ground, bob, 20, 3, 4);
    machine_ready(&m);
    double length, rate, tension;
    assert_int_equal(br_spring_force(m.model, m.state, spring, &length, &rate, &tension), BR_OK);
    assert_near(length, 5, 1e-14); /* rounding, here and below */
    assert_near(rate, 0.4, 1e-14);
    assert_near(tension, 20 * 1 + 3 * 0.4, 1e-13);
    assert_vec_near(machine_acceleration(&m, bob).linear, scale(-tension / 5, vec(3, 4, 0)), 1e-13);
    machine_end(&m);
}

/* A hardening spring given as an expression: x'' = -k x - q x^3 (m = 1) conserves x'^2/2 + k x^2/2 + q x^4/4. */
static void spring_by_expression(void **unused) {
    (void)unused;
    BrBodyId block;
    BrJointId rail;
    Machine m = begin_slider(1, 3, &block, &rail);
    BrSpringDef def = br_default_spring_def();
    BrSpringId id;
    def.name = "hard";
    def.joint = rail;
    def.stiffness = br_expression("20 + 30*x^2");
    assert_int_equal(br_model_add_spring(m.model, &def, &id, NULL), BR_OK);
    machine_ready(&m);
    for (int k = 0; k < 20; k++) {
        machine_run(&m, BR_SCHEME_RATTLE, 1e-3, 50);
        double x = machine_position(&m, rail, 0), v = machine_rate(&m, rail, 0);
        double length, rate, tension;
        assert_int_equal(br_spring_force(m.model, m.state, id, &length, &rate, &tension), BR_OK);
        assert_near(tension, 20 * x + 30 * x * x * x, 1e-12);                       /* rounding */
        assert_near(machine_energy(&m).stored, 10 * x * x + 7.5 * pow(x, 4), 1e-9); /* of the integral over x */
        assert_near(0.5 * v * v + 10 * x * x + 7.5 * pow(x, 4), 4.5, 4.5e-4);       /* (10 rad/s h)^2 */
    }
    machine_end(&m);
}

/* ------------------------------------------------------------------ forces */

/* m x'' = F sin(w t): x = F/(m w) (t - sin(w t)/w) */
static void sinusoid_force(void **unused) {
    (void)unused;
    const double mass = 2, force = 3, w = 2 * PI * 1.5, end = 1.1;
    for (int s = BR_SCHEME_HEM2; s <= BR_SCHEME_RATTLE; s++) {
        BrBodyId block;
        BrJointId rail;
        Machine m = begin_slider(mass, 0, &block, &rail);
        machine_force(&m, "push", block, 0, br_sine(force, 1.5, 0));
        machine_ready(&m);
        machine_run(&m, (BrScheme)s, 1e-3, 1100);
        double exact = force / (mass * w) * (end - sin(w * end) / w);
        assert_near(machine_position(&m, rail, 0), exact, 1e-5 * exact); /* (w h)^2 / 12 = 7e-6 */
        machine_end(&m);
    }
}

/* A ramp, then constant: for t <= 1 s  x = k t^3/6,  then k/6 + k/2 s + k s^2/2 with s = t - 1 (m = 1). */
static void table_force(void **unused) {
    (void)unused;
    const double table[] = {0, 0, 1, 6, 5, 6};
    BrBodyId block;
    BrJointId rail;
    Machine m = begin_slider(1, 0, &block, &rail);
    machine_force(&m, "push", block, 0, br_table(table, 3));
    machine_ready(&m);
    machine_run(&m, BR_SCHEME_RATTLE, 1e-3, 1000);
    assert_near(machine_position(&m, rail, 0), 1, 2e-6); /* the trapezoid of k t is off by k h^2 t / 6 = 1e-6 */
    machine_run(&m, BR_SCHEME_RATTLE, 1e-3, 1000);
    assert_near(machine_position(&m, rail, 0), 1 + 3 + 3, 2e-6);
    machine_end(&m);
}

/* A force fixed in a spinning body goes round with it: the body's velocity is F/(m w) (sin w t, 1 - cos w t). */
static void force_in_body_axes(void **unused) {
    (void)unused;
    Machine m = machine_begin(NONE);
    BrBodyDef def = br_default_body_def();
    def.name = "rocket";
    def.mass = 2;
    def.inertia = diagonal(1, 1, 1);
    def.angular_velocity = vec(0, 0, 3);
    BrBodyId body = machine_add_body(&m, &def);
    BrForceDef force = br_default_force_def();
    BrForceId id;
    force.name = "thrust";
    force.body = body;
    force.force[0] = br_constant(4);
    force.point_body = vec(-0.5, 0, 0); /* on the line of the thrust: no torque */
    force.in_body_axes = true;
    assert_int_equal(br_model_add_force(m.model, &force, &id, NULL), BR_OK);
    machine_ready(&m);
    machine_run(&m, BR_SCHEME_RATTLE, 1e-3, 700);
    BrTwist twist = machine_twist(&m, body);
    BrVec3 exact = scale(4 / (2 * 3.0), vec(sin(2.1), 1 - cos(2.1), 0));
    assert_vec_near(twist.linear, exact, 1e-6); /* (w h)^2 / 12 = 8e-7 */
    assert_vec_near(twist.angular, vec(0, 0, 3), 1e-13);
    machine_end(&m);
}

/* ------------------------------------------------------------------ motors */

static const double FLYWHEEL = 0.5; /* kg m^2 */

static Machine make_flywheel(double target, double effort, BrJointId *axle) {
    Machine m = machine_begin(NONE);
    BrBodyId wheel = machine_body(&m, "wheel", 3, diagonal(0.3, FLYWHEEL, 0.3), NONE);
    *axle = machine_joint(&m, "axle", BR_JOINT_REVOLUTE, m.ground, wheel, NONE, Y);
    machine_motor(&m, "motor", *axle, 0, br_constant(target), effort);
    machine_ready(&m);
    return m;
}

/* Speed rises by effort / inertia until the target, then stays; the effort never leaves its bound. */
static void motor_saturates(void **unused) {
    (void)unused;
    const double target = 10, effort = 2, h = 1e-2, reach = target * FLYWHEEL / effort;
    for (int s = BR_SCHEME_MOREAU; s <= BR_SCHEME_RATTLE; s++) {
        BrJointId axle;
        Machine m = make_flywheel(target, effort, &axle);
        for (int k = 1; k <= 400; k++) {
            BrStepDef def = br_default_step_def();
            BrStepReport report;
            BrWrench mean;
            def.scheme = (BrScheme)s, def.dt = h;
            assert_int_equal(br_step(m.model, m.workspace, m.state, &def, &report, NULL), BR_OK);
            double t = k * h, torque = machine_reaction(&m, axle).torque.y;
            assert_near(machine_rate(&m, axle, 0), fmin(target, effort / FLYWHEEL * t), 1e-11); /* rounding */
            assert_near(torque, t < reach - 1e-9 ? effort : 0, 1e-9); /* what 1e-11 of speed in one step needs */
            assert_int_equal(br_joint_reaction_mean(m.model, m.workspace, axle, &mean), BR_OK);
            assert_between(mean.torque.y, -1e-9, effort * (1 + 1e-12));
            if (fabs(t - reach) > 2 * h) assert_int_equal(report.clamped_motors, t < reach);
        }
        machine_end(&m);
    }
}

static void motor_turns_round_when_told(void **unused) {
    (void)unused;
    BrJointId axle;
    Machine m = make_flywheel(1, 100, &axle);
    machine_run(&m, BR_SCHEME_RATTLE, 1e-2, 10);
    assert_near(machine_rate(&m, axle, 0), 1, 1e-12);
    BrMotorId motor = br_model_motor(m.model, 0);
    assert_int_equal(br_motor_set_target(m.model, m.state, motor, -1, 0.25, NULL), BR_OK);
    machine_run(&m, BR_SCHEME_RATTLE, 1e-2, 200);
    assert_near(machine_rate(&m, axle, 0), 1 - 0.25 / FLYWHEEL * 2, 1e-12); /* 2 s at the new bound */
    machine_run(&m, BR_SCHEME_RATTLE, 1e-2, 400);
    assert_near(machine_rate(&m, axle, 0), -1, 1e-12);
    machine_end(&m);
}

static const double ARM = 0.5, MASS = 2, ARM_INERTIA = 0.1;

/* A pendulum held out along x by a motor that wants no speed and can give `share` of m g l. */
static Machine make_held_arm(double share, BrJointId *hinge) {
    Machine m = machine_begin(DOWN);
    BrBodyId arm = machine_body(&m, "arm", MASS, diagonal(0.1, ARM_INERTIA, 0.1), vec(ARM, 0, 0));
    *hinge = machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, arm, NONE, Y); /* positive: downwards */
    machine_motor(&m, "brake", *hinge, 0, br_constant(0), share * MASS * G * ARM);
    machine_ready(&m);
    return m;
}

static void motor_holds_a_pendulum(void **unused) {
    (void)unused;
    for (int s = BR_SCHEME_MOREAU; s <= BR_SCHEME_RATTLE; s++) {
        BrJointId hinge;
        Machine m = make_held_arm(1.2, &hinge);
        machine_run(&m, (BrScheme)s, 1e-3, 1000);
        assert_near(machine_position(&m, hinge, 0), 0, 1e-12); /* velocity tolerance 1e-12 m/s for a second */
        assert_near(machine_reaction(&m, hinge).torque.y, -MASS * G * ARM, 1e-9);
        machine_end(&m);
    }
}

/* With 0.8 m g l it slips: J th'' = m g l (cos th - 0.8), until all the weight's work has gone into the motor,
 * sin(th) = 0.8 th; there it holds, for m g l cos(th) is below the bound. */
static void weak_motor_lets_a_pendulum_down(void **unused) {
    (void)unused;
    double rest = 1.1;
    for (int k = 0; k < 50; k++) rest -= (sin(rest) - 0.8 * rest) / (cos(rest) - 0.8);
    for (int s = BR_SCHEME_HEM2; s <= BR_SCHEME_RATTLE; s++) {
        BrJointId hinge;
        Machine m = make_held_arm(0.8, &hinge);
        double J = ARM_INERTIA + MASS * ARM * ARM;
        BrTwist rate = machine_acceleration(&m, br_model_find_body(m.model, "arm"));
        assert_near(rate.angular.y, 0.2 * MASS * G * ARM / J, 1e-12);
        machine_run(&m, (BrScheme)s, 1e-3, 3000);
        assert_near(machine_position(&m, hinge, 0), rest, 1e-5); /* (4 rad/s h)^2, and less than a step of crawling */
        assert_near(machine_rate(&m, hinge, 0), 0, 1e-11);
        assert_near(machine_reaction(&m, hinge).torque.y, -MASS * G * ARM * cos(rest), 1e-4);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ motions */

/* Position and speed follow the expression to rounding, in every scheme; the torque is J th'' + m g l sin(th). */
static void joint_follows_an_expression(void **unused) {
    (void)unused;
    for (int s = BR_SCHEME_MOREAU; s <= BR_SCHEME_RATTLE; s++) {
        Machine m = machine_begin(DOWN);
        BrBodyId arm = machine_body(&m, "arm", MASS, diagonal(0.1, ARM_INERTIA, 0.1), vec(0, 0, -ARM));
        BrJointId hinge = machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, arm, NONE, Y);
        machine_motion(&m, "drive", hinge, 0, false, br_expression("0.5*sin(3*t) + 4*t^2"));
        machine_ready(&m);
        for (int k = 0; k < 20; k++) {
            machine_run(&m, (BrScheme)s, 1e-3, 100);
            double t = br_state_time(m.state), th = 0.5 * sin(3 * t) + 4 * t * t;
            double rate = 1.5 * cos(3 * t) + 8 * t, J = ARM_INERTIA + MASS * ARM * ARM;
            assert_near(machine_position(&m, hinge, 0), th, 1e-12); /* position and velocity tolerances of a step */
            assert_near(machine_rate(&m, hinge, 0), rate, 2e-11);
            double torque = J * (8 - 4.5 * sin(3 * t)) + MASS * G * ARM * sin(th);
            assert_near(machine_reaction(&m, hinge).torque.y, torque, 1e-9);
        }
        machine_end(&m);
    }
}

/* By velocity: the position is the integral, to the order of the scheme. */
static void joint_follows_a_velocity(void **unused) {
    (void)unused;
    for (int s = BR_SCHEME_HEM2; s <= BR_SCHEME_RATTLE; s++) {
        BrBodyId block;
        BrJointId rail;
        Machine m = begin_slider(1, 0, &block, &rail);
        machine_motion(&m, "drive", rail, 0, true, br_expression("2*cos(4*t)"));
        machine_ready(&m);
        machine_run(&m, (BrScheme)s, 1e-3, 1300);
        assert_near(machine_position(&m, rail, 0), 0.5 * sin(4 * 1.3), 2e-6); /* (4 h)^2 / 12 = 1.3e-6 */
        assert_near(machine_rate(&m, rail, 0), 2 * cos(4 * 1.3), 1e-11);
        assert_near(machine_reaction(&m, rail).force.x, -8 * sin(4 * 1.3), 1e-9);
        machine_end(&m);
    }
}

/* A stone on an arm, braked by a weak motor: the books' work is effort times angle, whatever the scheme itself loses by
 * swinging the stone round in large steps. */
static void work_is_the_drives_alone(void **unused) {
    (void)unused;
    static const BrScheme SCHEMES[] = {BR_SCHEME_MOREAU, BR_SCHEME_HEM2, BR_SCHEME_RATTLE};
    const double effort = 1e-3, spin = 10, dt = 5e-3; /* N m, rad/s, s: a twentieth of a radian in a step */
    for (int k = 0; k < 3; k++) {
        Machine m = machine_begin(vec(0, 0, 0));
        BrBodyId stone = machine_body(&m, "stone", 1, diagonal(0.1, 0.1, 0.1), vec(1, 0, 0));
        BrJointId hinge = machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, stone, vec(0, 0, 0), vec(0, 0, 1));
        machine_motor(&m, "brake", hinge, 0, br_constant(0), effort);
        machine_ready(&m);
        machine_set_twist(&m, stone, vec(0, spin, 0), vec(0, 0, spin));
        machine_run(&m, SCHEMES[k], dt, 50);
        /* trapezoids against the schemes' own sums: off by the change of speed over a step at most */
        double angle = machine_position(&m, hinge, 0);
        assert_near(machine_energy(&m).work, -effort * angle, effort * dt * spin);
        machine_end(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slider_on_a_spring),
        cmocka_unit_test(line_spring_reads),
        cmocka_unit_test(spring_by_expression),
        cmocka_unit_test(sinusoid_force),
        cmocka_unit_test(table_force),
        cmocka_unit_test(force_in_body_axes),
        cmocka_unit_test(motor_saturates),
        cmocka_unit_test(motor_turns_round_when_told),
        cmocka_unit_test(motor_holds_a_pendulum),
        cmocka_unit_test(weak_motor_lets_a_pendulum_down),
        cmocka_unit_test(joint_follows_an_expression),
        cmocka_unit_test(joint_follows_a_velocity),
        cmocka_unit_test(work_is_the_drives_alone),
    };
    return cmocka_run_group_tests_name("drives", tests, NULL, NULL);
}
