/* test_physics.c: one or two bodies against what a textbook says: pendulums, tops, oscillators, forces, motors,
 * motions. Symbols: h step, th angle from hanging down, l pivot to centre of mass, J moment of inertia about the pivot.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "machine.h"

static const double G = 9.81;
static const BrVec3 DOWN = {0, 0, -9.81}, NONE = {0, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

/* ------------------------------------------------------------------ pendulums */

enum { PENDULUM_MASS = 2 }; /* kg */
static const double ARM = 0.7, PENDULUM_INERTIA = 0.1;

/* A pendulum on `pivot` at the origin, swinging about y, th from hanging down. */
static BrJointId add_pendulum(Machine *m, BrBodyId pivot, double th, BrBodyId *body) {
    BrBodyDef def = br_default_body_def();
    def.name = "pendulum";
    def.mass = PENDULUM_MASS;
    def.inertia = diagonal(0.12, PENDULUM_INERTIA, 0.05);
    def.position = vec(-ARM * sin(th), 0, -ARM * cos(th));
    def.rotation = turn_about(Y, th);
    *body = machine_add_body(m, &def);
    return machine_joint(m, "hinge", BR_JOINT_REVOLUTE, pivot, *body, NONE, Y);
}

/* Time until the swing first comes to rest again, from the sign change of its rate. */
static double measure_half_period(BrScheme scheme, double th, double h) {
    Machine m = machine_begin(DOWN);
    BrBodyId body;
    BrJointId hinge = add_pendulum(&m, m.ground, th, &body);
    machine_ready(&m);
    machine_run(&m, scheme, h, 10);
    double before, rate = machine_rate(&m, hinge, 0);
    do {
        before = rate;
        machine_run(&m, scheme, h, 1);
        rate = machine_rate(&m, hinge, 0);
    } while (before * rate > 0);
    double time = br_state_time(m.state) - h * rate / (rate - before);
    machine_end(&m);
    return time;
}

/* T = 4 sqrt(J / (m g l)) K(sin(th/2)) */
static void pendulum_period(void **unused) {
    (void)unused;
    const double J = PENDULUM_INERTIA + PENDULUM_MASS * ARM * ARM;
    const double degrees[] = {5, 45, 90, 135, 170};
    const BrScheme schemes[] = {BR_SCHEME_HEM2, BR_SCHEME_RATTLE};
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 5; k++) {
            double th = degrees[k] * PI / 180;
            double exact = 2 * sqrt(J / (PENDULUM_MASS * G * ARM)) * complete_elliptic(sin(0.5 * th));
            double coarse = measure_half_period(schemes[s], th, 4e-3) - exact;
            double fine = measure_half_period(schemes[s], th, 2e-3) - exact;
            /* (rate h)^2 / 24 = 2e-6 for small swings; near the top the leading error grows with K */
            assert_near(fine, 0, 2e-5 * exact);
            /* order 2; not hem2 near the top, where its h^2 and h^3 terms happen to cancel at this step */
            if (schemes[s] == BR_SCHEME_RATTLE || degrees[k] < 150) assert_between(coarse / fine, 3.7, 4.3);
        }
}

/* A point on a massless rod: the same law with J = m l^2; the point itself does not turn. */
static void rod_pendulum(void **unused) {
    (void)unused;
    const double th = 1.2, l = 0.5;
    Machine m = machine_begin(DOWN);
    BrBodyId bob = machine_body(&m, "bob", 1.5, diagonal(0.1, 0.1, 0.1), vec(l * sin(th), 0, -l * cos(th)));
    machine_rod(&m, "rod", m.ground, bob, NONE, NONE);
    machine_ready(&m);
    double period = 4 * sqrt(l / G) * complete_elliptic(sin(0.5 * th));
    machine_run(&m, BR_SCHEME_RATTLE, period / 2000, 2000);
    BrPose pose = machine_pose(&m, bob);
    /* at rest again where it started: phase errors count twice; (2 pi / 2000)^2 / 24 of a radian is 4e-7 */
    assert_vec_near(pose.position, vec(l * sin(th), 0, -l * cos(th)), 1e-8);
    assert_near(pose.rotation.m[0][0], 1, 0);
    assert_near(norm(machine_twist(&m, bob).linear), 0, 5e-5);
    machine_end(&m);
}

typedef struct Shaken {
    double amplitude, rate; /* m, rad/s, of the pivot along x */
} Shaken;

/* J th'' = -m g l sin(th) - m l a cos(th), with th counted so that the bob is at x = pivot + l sin(th) */
static void shaken_rate(double t, const double *y, double *rate, const void *user) {
    const Shaken *s = user;
    const double J = PENDULUM_INERTIA + PENDULUM_MASS * ARM * ARM;
    double a = -s->amplitude * s->rate * s->rate * sin(s->rate * t);
    rate[0] = y[1];
    rate[1] = -PENDULUM_MASS * ARM * (G * sin(y[0]) + a * cos(y[0])) / J;
}

static double run_shaken(BrScheme scheme, double h, bool by_velocity, double end) {
    const double amplitude = 0.1, frequency = 1.1;
    Shaken s = {amplitude, 2 * PI * frequency};
    Machine m = machine_begin(DOWN);
    BrBodyDef pivot = br_default_body_def();
    pivot.name = "pivot";
    pivot.kind = BR_BODY_KINEMATIC;
    BrBodyId shaker = machine_add_body(&m, &pivot), body;
    BrMotionDef motion = br_default_motion_def();
    BrMotionId id;
    motion.name = "shake";
    motion.body = shaker;
    motion.by_velocity = by_velocity;
    motion.linear[0] =
        by_velocity ? br_sine(amplitude * s.rate, frequency, 0.5 * PI) : br_sine(amplitude, frequency, 0);
    assert_int_equal(br_model_add_motion(m.model, &motion, &id, NULL), BR_OK);
    BrJointId hinge = add_pendulum(&m, shaker, 0, &body);
    machine_ready(&m);
    BrTwist still = {NONE, NONE};
    BrError error;
    still.linear.x = amplitude * s.rate; /* moves along with its pivot, th' = 0 */
    assert_int_equal(br_body_set_twist(m.model, m.state, body, still, &error), BR_OK);
    machine_run(&m, scheme, h, (int)lround(end / h));
    double th = -machine_position(&m, hinge, 0);
    machine_end(&m);
    double y[2] = {0, 0};
    integrate(shaken_rate, &s, 2, 0, end, 20000, y);
    return th - y[0];
}

/* Where a body is after a second whose angular velocity turns about, with steps of h. */
static BrMat3 turn_about_for_a_second(double h) {
    Machine m = machine_begin(NONE);
    BrBodyDef def = br_default_body_def();
    BrMotionDef motion = br_default_motion_def();
    BrMotionId id;
    def.name = "turner";
    def.kind = BR_BODY_KINEMATIC;
    BrBodyId body = machine_add_body(&m, &def);
    motion.name = "turn";
    motion.body = body;
    motion.angular_velocity[0] = br_expression("3*sin(5*t)");
    motion.angular_velocity[1] = br_expression("2*cos(3*t)");
    motion.angular_velocity[2] = br_expression("1 + t");
    assert_int_equal(br_model_add_motion(m.model, &motion, &id, NULL), BR_OK);
    machine_ready(&m);
    machine_run(&m, BR_SCHEME_RATTLE, h, (int)lround(1 / h));
    BrMat3 A = machine_pose(&m, body).rotation;
    machine_end(&m);
    return A;
}

/* Simpson's rule: a velocity of third degree leads exactly where it should, in steps of any size. */
static void prescribed_velocities_lead_where_they_should(void **unused) {
    (void)unused;
    Machine m = machine_begin(NONE);
    BrBodyDef def = br_default_body_def();
    BrMotionDef motion = br_default_motion_def();
    BrMotionId id;
    def.name = "sled";
    def.kind = BR_BODY_KINEMATIC;
    BrBodyId body = machine_add_body(&m, &def);
    motion.name = "ride";
    motion.body = body;
    motion.by_velocity = true;
    motion.linear[0] = br_expression("4*t^3 - 6*t^2 + 2*t + 3");
    assert_int_equal(br_model_add_motion(m.model, &motion, &id, NULL), BR_OK);
    machine_ready(&m);
    for (int k = 1; k <= 4; k++) {
        double t = 0.25 * k;
        machine_run(&m, BR_SCHEME_MOREAU, 0.25, 1);
        assert_near(machine_pose(&m, body).position.x, t * t * t * t - 2 * t * t * t + t * t + 3 * t, 1e-14);
    }
    machine_end(&m);
}

static void prescribed_turns_have_order_4(void **unused) {
    (void)unused;
    double error[2] = {0, 0};
    BrMat3 truth = turn_about_for_a_second(1e-3);
    for (int k = 0; k < 2; k++) {
        BrMat3 A = turn_about_for_a_second(k ? 0.02 : 0.04);
        for (int i = 0; i < 9; i++) error[k] = fmax(error[k], fabs(A.m[i / 3][i % 3] - truth.m[i / 3][i % 3]));
    }
    assert_near(log2(error[0] / error[1]), 4, 0.1);
    assert_between(error[0], 1e-9, 1e-4);
}

static void pendulum_on_a_shaken_pivot(void **unused) {
    (void)unused;
    for (int by_velocity = 0; by_velocity < 2; by_velocity++)
        for (int s = BR_SCHEME_MOREAU; s <= BR_SCHEME_RATTLE; s++) {
            double coarse = run_shaken((BrScheme)s, 2e-3, by_velocity, 2),
                   fine = run_shaken((BrScheme)s, 1e-3, by_velocity, 2);
            int order = s == BR_SCHEME_MOREAU ? 1 : 2;
            assert_near(observed_order(coarse, fine), order, 0.15);
            assert_near(fine, 0, order == 1 ? 2e-2 : 2e-5); /* (rate h)^k / 2 over two seconds of a 7 rad/s shake */
        }
}

/* ------------------------------------------------------------------ double pendulum */

static const struct {
    double mass[2], inertia[2], arm[2], length; /* length: pivot to pivot of the first link */
} DOUBLE = {{1.2, 0.8}, {0.03, 0.02}, {0.3, 0.25}, 0.6};

/* Lagrange's equations in absolute angles. */
static void double_rate(double t, const double *y, double *rate, const void *user) {
    (void)t, (void)user;
    const double *m = DOUBLE.mass, *c = DOUBLE.arm, l = DOUBLE.length;
    double s = sin(y[0] - y[1]), k = m[1] * l * c[1];
    double a = DOUBLE.inertia[0] + m[0] * c[0] * c[0] + m[1] * l * l, b = k * cos(y[0] - y[1]);
    double d = DOUBLE.inertia[1] + m[1] * c[1] * c[1];
    double f = -k * s * y[3] * y[3] - (m[0] * c[0] + m[1] * l) * G * sin(y[0]);
    double g = k * s * y[2] * y[2] - m[1] * c[1] * G * sin(y[1]);
    rate[0] = y[2], rate[1] = y[3];
    rate[2] = (f * d - b * g) / (a * d - b * b);
    rate[3] = (a * g - b * f) / (a * d - b * b);
}

/* Both links straight out along -x. */
static Machine make_double(BrJointId joints[2]) {
    Machine m = machine_begin(DOWN);
    BrBodyId link[2];
    link[0] =
        machine_body(&m, "upper", DOUBLE.mass[0], diagonal(0.03, DOUBLE.inertia[0], 0.03), vec(-DOUBLE.arm[0], 0, 0));
    link[1] = machine_body(&m, "lower", DOUBLE.mass[1], diagonal(0.02, DOUBLE.inertia[1], 0.02),
                           vec(-DOUBLE.length - DOUBLE.arm[1], 0, 0));
    joints[0] = machine_joint(&m, "shoulder", BR_JOINT_REVOLUTE, m.ground, link[0], NONE, Y);
    joints[1] = machine_joint(&m, "elbow", BR_JOINT_REVOLUTE, link[0], link[1], vec(-DOUBLE.length, 0, 0), Y);
    machine_ready(&m);
    return m;
}

static double measure_double_error(BrScheme scheme, double h, double end) {
    BrJointId joints[2];
    Machine m = make_double(joints);
    machine_run(&m, scheme, h, (int)lround(end / h));
    double y[4] = {0.5 * PI, 0.5 * PI, 0, 0};
    integrate(double_rate, NULL, 4, 0, end, 20000, y);
    double first = 0.5 * PI + machine_position(&m, joints[0], 0), second = first + machine_position(&m, joints[1], 0);
    machine_end(&m);
    return hypot(first - y[0], second - y[1]);
}

static void double_pendulum_trajectory(void **unused) {
    (void)unused;
    for (int s = BR_SCHEME_HEM2; s <= BR_SCHEME_RATTLE; s++) {
        double coarse = measure_double_error((BrScheme)s, 1e-3, 1.5),
               fine = measure_double_error((BrScheme)s, 5e-4, 1.5);
        assert_near(observed_order(coarse, fine), 2, 0.1);
        assert_near(fine, 0, 1e-4); /* (10 rad/s * h)^2 / 24 = 1e-6 per radian, times the growth of nearby paths */
    }
}

static double measure_energy_wobble(double h, double end) {
    BrJointId joints[2];
    Machine m = make_double(joints);
    double start = machine_mechanical_energy(&m), worst = 0;
    for (int k = 0; k < (int)lround(end / h); k++) {
        machine_run(&m, BR_SCHEME_RATTLE, h, 1);
        worst = fmax(worst, fabs(machine_mechanical_energy(&m) - start));
    }
    machine_end(&m);
    return worst;
}

/* Symmetric scheme: the energy error stays bounded however long, and is of order h^2. */
static void double_pendulum_energy(void **unused) {
    (void)unused;
    double early = measure_energy_wobble(1e-3, 2), late = measure_energy_wobble(1e-3, 10);
    double fine = measure_energy_wobble(5e-4, 10);
    double scale_of_energy = G * (DOUBLE.mass[0] * DOUBLE.arm[0] + DOUBLE.mass[1] * (DOUBLE.length + DOUBLE.arm[1]));
    assert_near(late, 0, 1e-4 * scale_of_energy); /* (25 rad/s h)^2 / 8 at the fastest moments */
    assert_between(late / early, 1, 10);          /* no growth, only faster moments met by chance */
    assert_between(late / fine, 2, 8);            /* 4, the extremes of two chaotic paths apart */
}

/* ------------------------------------------------------------------ tops */

static const BrVec3 MOMENTS = {1.0, 1.8, 2.5}; /* kg m^2 */

static double spin_about_middle(const Machine *m, BrBodyId body) {
    BrPose pose = machine_pose(m, body);
    return rotate_back(&pose.rotation, machine_twist(m, body).angular).y;
}

/* Time between the second and third sign change of the spin about the middle axis. */
static double measure_flip(Machine *m, BrBodyId body, BrScheme scheme, double h) {
    double crossing[3], before, spin = spin_about_middle(m, body);
    for (int n = 0; n < 3;) {
        before = spin;
        machine_run(m, scheme, h, 1);
        spin = spin_about_middle(m, body);
        if (before * spin < 0) crossing[n++] = br_state_time(m->state) - h * spin / (spin - before);
    }
    return crossing[2] - crossing[1];
}

/* Jacobi: for L^2 > 2 E I2 the middle spin is sn(n t), half a period of which is 2 K(k) / n. */
static double predict_flip(BrVec3 w) {
    double twice = MOMENTS.x * w.x * w.x + MOMENTS.y * w.y * w.y + MOMENTS.z * w.z * w.z;
    double square = pow(MOMENTS.x * w.x, 2) + pow(MOMENTS.y * w.y, 2) + pow(MOMENTS.z * w.z, 2);
    double p = (MOMENTS.z - MOMENTS.y) * (square - twice * MOMENTS.x);
    double k = sqrt((MOMENTS.y - MOMENTS.x) * (twice * MOMENTS.z - square) / p);
    assert_true(square > twice * MOMENTS.y);
    return 2 * complete_elliptic(k) / sqrt(p / (MOMENTS.x * MOMENTS.y * MOMENTS.z));
}

static void free_top_flips(void **unused) {
    (void)unused;
    const BrVec3 spin = {0.02, 6, 0.05};
    double flip = predict_flip(spin), h = 1e-3, error[BR_TIMESTEPPING_SCHEMES][2];
    for (int s = BR_SCHEME_HEM2; s <= BR_SCHEME_RATTLE; s++)
        for (int fine = 0; fine < 2; fine++) {
            Machine m = machine_begin(NONE);
            BrBodyDef def = br_default_body_def();
            def.name = "top";
            def.mass = 1;
            def.inertia = diagonal(MOMENTS.x, MOMENTS.y, MOMENTS.z);
            def.rotation = turn_about(vec(1, 2, 3), 0.8);
            def.angular_velocity = rotate(&def.rotation, spin);
            BrBodyId body = machine_add_body(&m, &def);
            machine_ready(&m);
            double energy = machine_mechanical_energy(&m);
            BrVec3 momentum = machine_angular_momentum(&m);
            error[s][fine] = measure_flip(&m, body, (BrScheme)s, fine ? h / 2 : h) - flip;
            /* rattle turns momentum exactly, the rest is rounding of 10^4 steps; hem2 drifts by (6 h)^2 a second */
            assert_vec_near(machine_angular_momentum(&m), momentum, s == BR_SCHEME_RATTLE ? 1e-11 : 5e-4);
            assert_near(machine_mechanical_energy(&m), energy, 1e-4 * energy);
            machine_end(&m);
        }
    assert_near(error[BR_SCHEME_RATTLE][0], 0, 1e-3 * flip); /* the flip's length is sensitive: log of the offset */
    assert_between(error[BR_SCHEME_RATTLE][0] / error[BR_SCHEME_RATTLE][1], 3.7, 4.3);
    assert_near(error[BR_SCHEME_HEM2][1], 0, 1e-2 * flip);
}

/* Heavy symmetric top: a disc of mass m on a peg of length l, ball joint at the origin, leaned by th from z. */
static const struct { double mass, across, along, length, lean; } TOP = {1.5, 0.02, 0.03, 0.2, 1.0};

static Machine make_top(double spin, double precession, BrBodyId *body) {
    Machine m = machine_begin(DOWN);
    BrVec3 axis = vec(sin(TOP.lean), 0, cos(TOP.lean));
    BrBodyDef def = br_default_body_def();
    def.name = "top";
    def.mass = TOP.mass;
    def.inertia = diagonal(TOP.across, TOP.across, TOP.along);
    def.rotation = turn_about(Y, TOP.lean);
    def.position = scale(TOP.length, axis);
    def.angular_velocity = add(scale(precession, Z), scale(spin - precession * cos(TOP.lean), axis));
    def.velocity = cross(def.angular_velocity, def.position);
    *body = machine_add_body(&m, &def);
    machine_joint(&m, "tip", BR_JOINT_SPHERICAL, m.ground, *body, NONE, NONE);
    machine_ready(&m);
    return m;
}

static const double ACROSS_TIP = 0.02 + 1.5 * 0.2 * 0.2; /* kg m^2, about the tip */

/* J W^2 cos th - C w W + m g l = 0 for spin w and precession W: the lean stays, the axis goes round at W. */
static void heavy_top_precesses(void **unused) {
    (void)unused;
    double W = 1.5, weight = TOP.mass * G * TOP.length;
    double spin = (ACROSS_TIP * W * W * cos(TOP.lean) + weight) / (TOP.along * W);
    for (int s = BR_SCHEME_HEM2; s <= BR_SCHEME_RATTLE; s++) {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            BrBodyId body;
            Machine m = make_top(spin, W, &body);
            int steps = fine ? 4000 : 2000;
            machine_run(&m, (BrScheme)s, 2.0 / steps, steps);
            BrVec3 exact = {sin(TOP.lean) * cos(2 * W), sin(TOP.lean) * sin(2 * W), cos(TOP.lean)};
            error[fine] = norm(sub(machine_pose(&m, body).position, scale(TOP.length, exact)));
            machine_end(&m);
        }
        assert_near(error[1], 0, 2e-2 * TOP.length); /* spin 67 rad/s: (67 h)^2 / 24 of its phase */
        assert_near(observed_order(error[0], error[1]), 2, 0.15);
    }
}

/* Let go with spin only, the axis moves between u0 = cos th0 and u1 = n - sqrt(n^2 - 2 n u0 + 1), n = p^2/(4 m g l J).
 */
static void heavy_top_nutates(void **unused) {
    (void)unused;
    double spin = 60, p = TOP.along * spin, n = p * p / (4 * TOP.mass * G * TOP.length * ACROSS_TIP);
    double u0 = cos(TOP.lean), u1 = n - sqrt(n * n - 2 * n * u0 + 1), low = 1, high = -1;
    BrBodyId body;
    Machine m = make_top(spin, 0, &body);
    for (int k = 0; k < 10000; k++) {
        machine_run(&m, BR_SCHEME_RATTLE, 2e-4, 1);
        double u = machine_pose(&m, body).position.z / TOP.length;
        low = fmin(low, u), high = fmax(high, u);
    }
    machine_end(&m);
    /* (60 h)^2 / 24 = 6e-6 relative, and a step may pass the turning point by (10 rad/s h)^2 / 8 */
    assert_near(low, u1, 2e-5);
    assert_near(high, u0, 2e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_period),
        cmocka_unit_test(rod_pendulum),
        cmocka_unit_test(prescribed_velocities_lead_where_they_should),
        cmocka_unit_test(prescribed_turns_have_order_4),
        cmocka_unit_test(pendulum_on_a_shaken_pivot),
        cmocka_unit_test(double_pendulum_trajectory),
        cmocka_unit_test(double_pendulum_energy),
        cmocka_unit_test(free_top_flips),
        cmocka_unit_test(heavy_top_precesses),
        cmocka_unit_test(heavy_top_nutates),
    };
    return cmocka_run_group_tests_name("physics", tests, NULL, NULL);
}
