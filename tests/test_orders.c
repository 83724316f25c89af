/* test_orders.c: halving the step divides the error by 2, 4 and 4 (moreau, hem2, rattle), on machines that between them
 * have every joint type, springs, dampers, motors, motions and forces. The error is measured against one fine run, so
 * that all schemes are also seen to tend to the same motion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "machine.h"

static const BrVec3 DOWN = {0, 0, -9.81}, NONE = {0, 0, 0}, X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

static BrJointId add_universal(Machine *m, const char *name, BrBodyId a, BrBodyId b, BrVec3 at, BrVec3 axis,
                               BrVec3 axis_b) {
    BrJointDef def = br_default_joint_def();
    def.name = name;
    def.type = BR_JOINT_UNIVERSAL;
    def.body_a = a, def.body_b = b;
    def.at = at;
    def.axis = axis, def.axis_b = axis_b;
    return machine_add_joint(m, &def);
}

static BrJointId add_screw(Machine *m, const char *name, BrBodyId a, BrBodyId b, BrVec3 at, BrVec3 axis, double lead) {
    BrJointDef def = br_default_joint_def();
    def.name = name;
    def.type = BR_JOINT_SCREW;
    def.body_a = a, def.body_b = b;
    def.at = at;
    def.axis = axis;
    def.lead = lead;
    return machine_add_joint(m, &def);
}

static BrBodyId add_part(Machine *m, const char *name, double mass, BrVec3 position, BrVec3 tilt) {
    BrBodyDef def = br_default_body_def();
    def.name = name;
    def.mass = mass;
    def.inertia = (BrMat3){{{0.05, 0.004, 0}, {0.004, 0.06, 0.003}, {0, 0.003, 0.045}}};
    def.position = position;
    def.rotation = turn_about(tilt, norm(tilt));
    def.angular_velocity = tilt;
    return machine_add_body(m, &def);
}

/* A motor that is off its target at t = 0 makes a jump, and jumps have order 1: so it starts at the speed there is. */
static BrFunctionDef vary_from(double start, double amplitude) {
    BrFunctionDef speed = br_sine(amplitude, 0.6, 0);
    speed.constant = start;
    return speed;
}

/* Eight bodies: from the ground by hinge, slider, tube, ball, Cardan and weld out to a hand; a sledge on a plane with a
 * blade, carrying a screw; a rod between the nut and the hand closes the loop. */
static Machine build_all_joints(double motor_start) {
    Machine m = machine_begin(DOWN);
    BrBodyId b[8];
    for (int k = 0; k < 7; k++) {
        const char *names[] = {"b0", "b1", "b2", "b3", "b4", "b5", "sledge"};
        BrVec3 place = k < 6 ? vec(0.4 * k, 0.1 * k, 2) : vec(2, 1.5, 0);
        b[k] = add_part(&m, names[k], 1 + 0.1 * k, place, k < 6 ? vec(0.3, 0.1 * k, -0.2) : vec(0, 0, 0.7));
    }
    b[7] = add_part(&m, "nut", 0.7, vec(2, 1.5, 0.6), vec(0, 0, 0.4));
    BrJointId hinge = machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, b[0], vec(-0.3, 0, 2), vec(0, 1, 0.3));
    BrJointId slider = machine_joint(&m, "slider", BR_JOINT_PRISMATIC, b[0], b[1], vec(0.2, 0, 2), vec(1, 0.5, 0));
    BrJointId tube = machine_joint(&m, "tube", BR_JOINT_CYLINDRICAL, b[1], b[2], vec(0.6, 0, 2), vec(1, 0, 0.4));
    machine_joint(&m, "ball", BR_JOINT_SPHERICAL, b[2], b[3], vec(1, 0.3, 2), NONE);
    add_universal(&m, "cross", b[3], b[4], vec(1.4, 0.3, 2), Y, vec(1, 0, 1));
    machine_joint(&m, "weld", BR_JOINT_FIXED, b[4], b[5], vec(1.8, 0.4, 2), NONE);
    BrJointId plane = machine_joint(&m, "plane", BR_JOINT_PLANAR, m.ground, b[6], vec(2, 1.5, 0), Z);
    machine_joint(&m, "blade", BR_JOINT_KNIFE_EDGE, m.ground, b[6], vec(2.3, 1.4, 0), vec(0.2, 1, 0));
    BrJointId screw = add_screw(&m, "screw", b[6], b[7], vec(2.1, 1.5, 0.6), vec(0, 0.1, 1), 0.3);
    machine_rod(&m, "rod", b[7], b[5], vec(0.1, 0, 0.2), vec(0.1, 0.1, 0));
    machine_motor(&m, "motor", hinge, 0, vary_from(motor_start, 0.8), 1e4);
    machine_motor(&m, "weak", plane, 2, br_constant(50), 0.3); /* pulls with its bound all the time */
    machine_motion(&m, "drive", slider, 0, false, br_expression("0.1*(1 - cos(3*t))"));
    machine_joint_spring(&m, "tube turn", tube, 0, 8, 0.3);
    machine_joint_spring(&m, "tube slide", tube, 1, 60, 2);
    machine_joint_spring(&m, "nut", screw, 0, 0.5, 0.02);
    machine_line_spring(&m, "cord", m.ground, b[3], 40, 1, 1.5);
    machine_force(&m, "wind", b[5], 1, br_sine(3, 0.8, 0.2));
    machine_ready(&m);
    return m;
}

/* A monowheel: a leaned disc rolls on the ground, a frame turns on its axle and drags a bob by a ball joint and a
 * caster (knife edge) by a rod, on a kinematic table that shakes a spring. */
static Machine build_wheel(double motor_start) {
    Machine m = machine_begin(DOWN);
    const double lean = 0.2, radius = 0.3, W = 1;
    BrVec3 axle = vec(cos(lean), 0, sin(lean)), centre = vec(2, 0, radius * cos(lean));
    BrBodyDef disc = br_default_body_def();
    disc.name = "disc";
    disc.mass = 2;
    disc.inertia = diagonal(0.09, 0.045, 0.045);
    disc.rotation = turn_about(Y, -lean);
    disc.position = centre;
    disc.velocity = vec(0, W * 2, 0);
    disc.angular_velocity = add(scale(W, Z), scale(-W * (2 + radius * sin(lean)) / radius, axle));
    BrBodyId wheel = machine_add_body(&m, &disc);
    BrJointDef rim = br_default_joint_def();
    rim.name = "rim";
    rim.type = BR_JOINT_ROLLING_WHEEL;
    rim.body_a = m.ground, rim.body_b = wheel;
    rim.at = centre;
    rim.axis = Z, rim.axis_b = axle;
    rim.radius = radius;
    machine_add_joint(&m, &rim);
    BrBodyId frame = add_part(&m, "frame", 0.5, add(centre, vec(0, 0, -0.1)), vec(0, 0, 0.1));
    BrBodyId bob = add_part(&m, "bob", 0.4, add(centre, vec(0, 0, -0.25)), vec(0, 0.2, 0.1));
    BrBodyId caster = add_part(&m, "caster", 0.6, vec(2.8, -0.5, 0), vec(0, 0, 0.3));
    BrJointId hub = machine_joint(&m, "hub", BR_JOINT_REVOLUTE, wheel, frame, centre, axle);
    machine_joint(&m, "ball", BR_JOINT_SPHERICAL, frame, bob, add(centre, vec(0, 0, -0.15)), NONE);
    machine_joint(&m, "floor", BR_JOINT_PLANAR, m.ground, caster, vec(2.8, -0.5, 0), Z);
    machine_joint(&m, "blade", BR_JOINT_KNIFE_EDGE, m.ground, caster, vec(2.8, -0.3, 0), X);
    machine_rod(&m, "rod", frame, caster, NONE, vec(0, 0.1, 0));
    machine_motor(&m, "motor", hub, 0, vary_from(motor_start, 1), 1e4);
    machine_line_spring(&m, "cord", bob, caster, 10, 0.3, 0.5);
    machine_ready(&m);
    return m;
}

static Machine make_with_motor_running(Machine (*build)(double), const char *joint) {
    Machine probe = build(0);
    double rate = machine_rate(&probe, br_model_find_joint(probe.model, joint), 0);
    machine_end(&probe);
    return build(rate);
}

static Machine make_all_joints(void) { return make_with_motor_running(build_all_joints, "hinge"); }
static Machine make_wheel(void) { return make_with_motor_running(build_wheel, "hub"); }

/* ------------------------------------------------------------------ orders */

static const double END = 0.5; /* s */
enum { SCHEMES = BR_SCHEME_BDF2 + 1 };
/* Steps of the coarser of two runs. */
static const int COARSE[SCHEMES] = {[BR_SCHEME_MOREAU] = 1000,
                                    [BR_SCHEME_HEM2] = 250,
                                    [BR_SCHEME_RATTLE] = 250,
                                    [BR_SCHEME_HALF_IMPLICIT] = 1000,
                                    [BR_SCHEME_BDF2] = 500};

static double measure_error(Machine (*make)(void), BrScheme scheme, int steps, const Machine *reference) {
    Machine m = make();
    machine_run(&m, scheme, END / steps, steps);
    double error = machine_distance(&m, reference);
    machine_end(&m);
    return error;
}

/* The reference's own error is (1/16)^2 = 0.4 % (slow runs: 1.6 %) of that of the finest run of order 2; in the worst
 * case that moves the observed order by 0.02. */
static void check_orders(Machine (*make)(void)) {
    int finest = (is_slow_run() ? 8 : 16) * 2 * COARSE[BR_SCHEME_RATTLE];
    Machine reference = make();
    machine_run(&reference, BR_SCHEME_RATTLE, END / finest, finest);
    for (int s = 0; s < SCHEMES; s++) {
        if (COARSE[s] == 0) continue;
        double first = measure_error(make, (BrScheme)s, COARSE[s], &reference);
        double second = measure_error(make, (BrScheme)s, 2 * COARSE[s], &reference);
        double order = s == BR_SCHEME_MOREAU || s == BR_SCHEME_HALF_IMPLICIT ? 1 : 2;
        assert_near(observed_order(first, second), order, 0.1); /* as promised */
        /* the same motion in the limit: (rates of 20 rad/s times h)^order, h = 1/4 and 1 ms, of 10 m/s */
        assert_near(second, 0, order == 1 ? 0.1 : 5e-3);
    }
    machine_end(&reference);
}

static void orders_with_all_joints(void **unused) {
    (void)unused;
    check_orders(make_all_joints);
}

static void orders_with_a_wheel(void **unused) {
    (void)unused;
    check_orders(make_wheel);
}

/* Two fine runs of different schemes agree better than either does with itself at a coarser step. */
static void schemes_agree_in_the_limit(void **unused) {
    (void)unused;
    Machine (*const makes[])(void) = {make_all_joints, make_wheel};
    for (int k = 0; k < (is_slow_run() ? 1 : 2); k++) {
        Machine m = makes[k]();
        machine_run(&m, BR_SCHEME_HEM2, END / 4000, 4000);
        double rattle = measure_error(makes[k], BR_SCHEME_RATTLE, 4000, &m);
        double coarser = measure_error(makes[k], BR_SCHEME_HEM2, 500, &m);
        assert_near(rattle, 0, coarser / 16); /* (1/8)^2 times the ratio of both schemes' constants */
        machine_end(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_with_all_joints),
        cmocka_unit_test(orders_with_a_wheel),
        cmocka_unit_test(schemes_agree_in_the_limit),
    };
    return cmocka_run_group_tests_name("orders", tests, NULL, NULL);
}
