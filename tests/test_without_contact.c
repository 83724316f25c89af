/* test_without_contact.c: event and compliant where nothing touches: what is left of them is an integrator of high
 * order for joints, springs, motors and motions. Closed forms, conserved energy, orders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "machine.h"

static const double G = 9.81;
static const BrVec3 DOWN = {0, 0, -9.81}, NONE = {0, 0, 0}, X = {1, 0, 0}, Y = {0, 1, 0};

enum { EVENT, ADAPTIVE, STIFF, RK4, WAYS };

static BrStepDef make_def(int way, double dt) {
    static const BrScheme SCHEMES[WAYS] = {
        [ADAPTIVE] = BR_SCHEME_ADAPTIVE, [STIFF] = BR_SCHEME_STIFF, [RK4] = BR_SCHEME_RK4};
    if (way == EVENT) return machine_event_def(dt);
    BrStepDef def = machine_step_def(SCHEMES[way], dt);
    def.formulation = BR_FORMULATION_COMPLIANT;
    def.tolerance = 1e-13;
    return def;
}

static void advance(Machine *m, int way, double time, int steps, int substeps) {
    BrStepDef def = make_def(way, time / steps);
    if (way == RK4) def.substeps = substeps;
    machine_steps(m, &def, steps);
}

/* ------------------------------------------------------------------ pendulums */

static const double ARM = 0.7, INERTIA = 0.05, START = 2;

/* At the angle START from below, at rest. */
static Machine make_pendulum(BrJointId *hinge) {
    Machine m = machine_begin(DOWN);
    BrBodyId bob =
        machine_body(&m, "bob", 1, diagonal(INERTIA, INERTIA, INERTIA), vec(-ARM * sin(START), 0, -ARM * cos(START)));
    *hinge = machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, bob, NONE, Y);
    machine_ready(&m);
    return m;
}

static double pendulum_rate(void) { return sqrt(G * ARM / (ARM * ARM + INERTIA)); } /* rad/s, of small swings */

/* How late it is after ten periods 4 K(sin(a/2))/omega, as a part of them: there it stands still, and a time dt late
 * has the rate omega^2 sin(a) dt. */
static double find_lateness(int way, int substeps) {
    BrJointId hinge;
    Machine m = make_pendulum(&hinge);
    double omega = pendulum_rate(), time = 10 * 4 * complete_elliptic(sin(START / 2)) / omega;
    advance(&m, way, time, 200, substeps);
    assert_near(machine_position(&m, hinge, 0), 0, 1e-3); /* where it began, with the lateness squared */
    double late = machine_rate(&m, hinge, 0) / (omega * omega * sin(START)) / time;
    machine_end(&m);
    return fabs(late);
}

/* Inner steps of 1e-12 and 1e-13 are some hundred; times are compared to 1e-10 of ten periods. */
static void pendulum_keeps_its_period(void **unused) {
    (void)unused;
    assert_near(find_lateness(EVENT, 1), 0, 1e-10);
    assert_near(find_lateness(ADAPTIVE, 1), 0, 1e-10);
    assert_near(find_lateness(STIFF, 1), 0, 1e-10);
}

static void fixed_steps_have_order_four(void **unused) {
    (void)unused;
    double coarse = find_lateness(RK4, 32), fine = find_lateness(RK4, 64);
    assert_between(observed_order(coarse, fine), 3.7, 4.3); /* the next order has the other sign */
}

/* Two links, released level: they tumble. Energy is that of the start, to 1e-11 of what was turned over. */
static void double_pendulum_keeps_its_energy(void **unused) {
    (void)unused;
    for (int way = EVENT; way <= STIFF; way++) {
        Machine m = machine_begin(DOWN);
        BrBodyId upper = machine_body(&m, "upper", 1, diagonal(0.01, 0.09, 0.09), vec(0.5, 0, 0));
        BrBodyId lower = machine_body(&m, "lower", 1, diagonal(0.01, 0.09, 0.09), vec(1.5, 0, 0));
        machine_joint(&m, "shoulder", BR_JOINT_REVOLUTE, m.ground, upper, NONE, Y);
        machine_joint(&m, "elbow", BR_JOINT_REVOLUTE, upper, lower, X, Y);
        machine_ready(&m);
        double most = 0;
        for (int k = 0; k < 20; k++) {
            advance(&m, way, 0.1, 5, 1);
            most = fmax(most, machine_energy(&m).kinetic);
            assert_near(machine_mechanical_energy(&m), 0, 1e-11 * 2 * G);
            assert_near(machine_energy(&m).defect, 0, 1e-11 * 2 * G);
        }
        assert_true(most > 10);
        assert_true(machine_gap(&m) < 1e-12);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ springs */

/* x'' + 2 d x' + w^2 x = 0 from x0 at rest; the books know what the damper took. */
static void slider_swings_on_its_spring(void **unused) {
    (void)unused;
    const double MASS = 2, STIFFNESS = 800, DAMPING = 4, AT = 0.1, END = 1.3;
    for (int way = EVENT; way < WAYS; way++) {
        Machine m = machine_begin(NONE);
        BrBodyId cart = machine_body(&m, "cart", MASS, diagonal(1, 1, 1), vec(AT, 0, 0));
        machine_joint(&m, "rail", BR_JOINT_PRISMATIC, m.ground, cart, NONE, X);
        BrSpringDef spring = br_default_spring_def();
        spring.name = "spring";
        spring.body_a = m.ground, spring.body_b = cart;
        spring.point_a_body = vec(-1, 0, 0);
        spring.free_length = 1;
        spring.stiffness = br_constant(STIFFNESS), spring.damping = br_constant(DAMPING);
        assert_int_equal(br_model_add_spring(m.model, &spring, NULL, NULL), BR_OK);
        machine_ready(&m);
        advance(&m, way, END, 13, 200);
        double d = DAMPING / (2 * MASS), w = sqrt(STIFFNESS / MASS - d * d), fall = AT * exp(-d * END);
        double x = fall * (cos(w * END) + d / w * sin(w * END));
        double v = -fall * (w + d * d / w) * sin(w * END);
        /* steps of 1e-12; rk4: (20/s * 0.5 ms)^4/120 per radian, 26 of them */
        double close = way == RK4 ? 1e-8 : 2e-11;
        assert_near(machine_pose(&m, cart).position.x, x, close);
        assert_near(machine_twist(&m, cart).linear.x, v, 20 * close);
        double left = 0.5 * MASS * v * v + 0.5 * STIFFNESS * x * x;
        assert_near(machine_energy(&m).dissipated, 0.5 * STIFFNESS * AT * AT - left, 10 * close * STIFFNESS * AT);
        assert_near(machine_energy(&m).defect, 0, close * STIFFNESS * AT);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ drives */

/* A crank turns at a constant rate, by a motor without bound or by a motion; the slider is where the rod says,
 * x = r cos(wt) + sqrt(l^2 - r^2 sin^2(wt)), and the drive's work is the energy that is there. */
static void driven_crank_moves_its_slider(void **unused) {
    (void)unused;
    const double R = 0.2, ROD = 0.5, W = 7, END = 1;
    for (int way = EVENT; way < WAYS; way++)
        for (int motor = 0; motor < 2; motor++) {
            Machine m = machine_begin(DOWN);
            BrBodyId crank = machine_body(&m, "crank", 1, diagonal(0.1, 0.1, 0.1), NONE);
            BrBodyId slider = machine_body(&m, "slider", 3, diagonal(0.1, 0.1, 0.1), vec(R + ROD, 0, 0));
            BrJointId axle = machine_joint(&m, "axle", BR_JOINT_REVOLUTE, m.ground, crank, NONE, Y);
            machine_joint(&m, "rail", BR_JOINT_PRISMATIC, m.ground, slider, vec(R + ROD, 0, 0), X);
            machine_rod(&m, "rod", crank, slider, vec(R, 0, 0), NONE);
            if (motor)
                machine_motor(&m, "drive", axle, 0, br_constant(W), INFINITY);
            else
                machine_motion(&m, "drive", axle, 0, false, br_expression("7*t"));
            machine_ready(&m);
            machine_set_twist(&m, crank, NONE, vec(0, W, 0));
            advance(&m, way, END, 20, 100);
            double s = R * sin(W * END), c = R * cos(W * END), far = sqrt(ROD * ROD - s * s);
            double close = way == RK4 ? 1e-8 : 1e-10; /* rk4: (7/s * 0.5 ms)^4 times ten */
            assert_near(machine_position(&m, axle, 0), W * END, close);
            assert_near(machine_pose(&m, slider).position.x, c + far, close);
            assert_near(machine_twist(&m, slider).linear.x, -W * s - W * s * c / far, 10 * close);
            assert_near(machine_energy(&m).defect, 0, 100 * close);
            machine_end(&m);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_keeps_its_period),        cmocka_unit_test(fixed_steps_have_order_four),
        cmocka_unit_test(double_pendulum_keeps_its_energy), cmocka_unit_test(slider_swings_on_its_spring),
        cmocka_unit_test(driven_crank_moves_its_slider),
    };
    return cmocka_run_group_tests_name("without contact", tests, NULL, NULL);
}
