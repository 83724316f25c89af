/* test_mechanics.c: matrices of machines against closed forms: mass matrix and kinetic energy, rows and velocities, the
 * inertia that coordinates feel, inverse dynamics of pendulums and of a slider-crank by virtual work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "machine.h"

static const double G = 9.81;
static const BrVec3 DOWN = {0, 0, -9.81}, Y = {0, 1, 0};

/* In the plane of x and z, angles from the x axis down (turns about y). */
static BrVec3 direction(double angle) { return vec(cos(angle), 0, -sin(angle)); }

static BrBodyId add_bar(Machine *m, const char *name, double mass, double length, BrVec3 from, double angle) {
    BrBodyDef def = br_default_body_def();
    def.name = name, def.mass = mass;
    def.inertia = diagonal(mass * length * length / 300, mass * length * length / 12, mass * length * length / 12);
    def.position = add(from, scale(length / 2, direction(angle)));
    def.rotation = turn_about(Y, angle);
    return machine_add_body(m, &def);
}

/* Velocities of a bar that turns with `rate` about its end, which moves with `at`. */
static void set_rate(Machine *m, BrBodyId bar, double length, double angle, double rate, BrVec3 at) {
    BrVec3 spin = scale(rate, Y);
    machine_set_twist(m, bar, add(at, cross(spin, scale(length / 2, direction(angle)))), spin);
}

/* ------------------------------------------------------------------ two bars, one on the other */

typedef struct Bars {
    Machine m;
    BrBodyId bar[2];
    BrCoordinate joint[2]; /* the second measures the second bar against the first */
    double mass[2], length[2], angle[2], rate[2];
} Bars;

static Bars hang_bars(void) {
    Bars b = {
        .m = machine_begin(DOWN), .mass = {2, 3}, .length = {0.7, 1.1}, .angle = {0.4, -0.9}, .rate = {1.3, -2.1}};
    BrVec3 elbow = scale(b.length[0], direction(b.angle[0])), origin = {0, 0, 0};
    b.bar[0] = add_bar(&b.m, "upper", b.mass[0], b.length[0], origin, b.angle[0]);
    b.bar[1] = add_bar(&b.m, "lower", b.mass[1], b.length[1], elbow, b.angle[1]);
    b.joint[0].joint = machine_joint(&b.m, "shoulder", BR_JOINT_REVOLUTE, b.m.ground, b.bar[0], origin, Y);
    b.joint[1].joint = machine_joint(&b.m, "elbow", BR_JOINT_REVOLUTE, b.bar[0], b.bar[1], elbow, Y);
    machine_ready(&b.m);
    BrVec3 at = cross(scale(b.rate[0], Y), elbow), still = {0, 0, 0};
    set_rate(&b.m, b.bar[0], b.length[0], b.angle[0], b.rate[0], still);
    set_rate(&b.m, b.bar[1], b.length[1], b.angle[1], b.rate[1], at);
    return b;
}

/* With absolute angles a, b of uniform bars, c = cos(a - b), from Lagrange:
 *     (m/3 + n) l^2 a'' + n l k/2 (c b'' + sin(a - b) b'^2) - (m/2 + n) g l cos(a) = t_a - t_b
 *     n k^2/3 b'' + n l k/2 (c a'' - sin(a - b) a'^2) - n g k/2 cos(b)             = t_b */
static void find_torques(const Bars *s, const double *rates, double torque[2]) {
    double m = s->mass[0], n = s->mass[1], l = s->length[0], k = s->length[1], a = s->angle[0], b = s->angle[1];
    double c = cos(a - b), d = sin(a - b);
    double on_b = n * k * k / 3 * rates[1] + n * l * k / 2 * (c * rates[0] - d * s->rate[0] * s->rate[0]) -
                  n * G * k / 2 * cos(b);
    double on_a = (m / 3 + n) * l * l * rates[0] + n * l * k / 2 * (c * rates[1] + d * s->rate[1] * s->rate[1]) -
                  (m / 2 + n) * G * l * cos(a);
    torque[0] = on_a + on_b, torque[1] = on_b;
}

static void bars_need_these_torques(void **unused) {
    (void)unused;
    Bars b = hang_bars();
    const double cases[][2] = {{0, 0}, {1, 0}, {0, 1}, {-3, 7}};
    for (size_t i = 0; i < 4; i++) {
        double torque[2], expected[2], joint[2] = {cases[i][0], cases[i][1] - cases[i][0]};
        BrError error;
        if (br_inverse_dynamics(b.m.model, b.m.workspace, b.m.state, b.joint, joint, 2, torque, &error) != BR_OK)
            fail_msg("%s", error.text);
        find_torques(&b, cases[i], expected);
        for (int k = 0; k < 2; k++) assert_near(torque[k], expected[k], 1e-11);
    }
    machine_end(&b.m);
}

/* In joint angles q1 = a, q2 = b - a. One alone feels what the other, free, gives way to: M11 - M12^2/M22. */
static void bars_have_this_inertia(void **unused) {
    (void)unused;
    Bars b = hang_bars();
    double m = b.mass[0], n = b.mass[1], l = b.length[0], k = b.length[1], c = cos(b.angle[0] - b.angle[1]);
    double aa = (m / 3 + n) * l * l, ab = n * l * k / 2 * c, bb = n * k * k / 3, M[4], alone;
    const double expected[4] = {aa + 2 * ab + bb, ab + bb, ab + bb, bb};
    assert_int_equal(br_coordinate_inertia(b.m.model, b.m.workspace, b.m.state, b.joint, 2, M, NULL), BR_OK);
    for (int i = 0; i < 4; i++) assert_near(M[i], expected[i], 1e-12);
    assert_int_equal(br_coordinate_inertia(b.m.model, b.m.workspace, b.m.state, b.joint, 1, &alone, NULL), BR_OK);
    assert_near(alone, expected[0] - expected[1] * expected[1] / expected[3], 1e-12);
    machine_end(&b.m);
}

/* v.(M v)/2 is the kinetic energy; the rows of joints give nothing on velocities that fit them, and those of coordinates
 * give their rates. */
static void matrices_fit_the_motion(void **unused) {
    (void)unused;
    Bars b = hang_bars();
    double M[144], v[12], energy = 0;
    assert_int_equal(br_model_moving_count(b.m.model), 2);
    for (int i = 0; i < 2; i++) {
        BrTwist t;
        br_body_twist(b.m.model, b.m.state, br_model_moving_body(b.m.model, i), &t);
        const double six[6] = {t.linear.x, t.linear.y, t.linear.z, t.angular.x, t.angular.y, t.angular.z};
        memcpy(v + 6 * i, six, sizeof six);
    }
    assert_int_equal(br_mass_matrix(b.m.model, b.m.state, M), BR_OK);
    for (int i = 0; i < 144; i++) energy += 0.5 * v[i / 12] * M[i] * v[i % 12];
    assert_near(energy, machine_energy(&b.m).kinetic, 1e-12);
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 12; k++) assert_near(M[12 * i + k], M[12 * k + i], 1e-15);

    double on_a[36], on_b[36];
    int rows;
    assert_int_equal(br_joint_rows(b.m.model, b.m.state, b.joint[1].joint, on_a, on_b, &rows), BR_OK);
    assert_int_equal(rows, 5);
    for (int r = 0; r < rows; r++) {
        double rate = 0, size = 0;
        for (int i = 0; i < 6; i++) {
            rate += on_a[6 * r + i] * v[i] + on_b[6 * r + i] * v[6 + i];
            size += fabs(on_a[6 * r + i]) + fabs(on_b[6 * r + i]);
        }
        assert_near(rate, 0, 1e-14);
        assert_true(size > 0.5);
    }
    assert_int_equal(br_coordinate_row(b.m.model, b.m.state, b.joint[1], on_a, on_b), BR_OK);
    double rate = 0;
    for (int i = 0; i < 6; i++) rate += on_a[i] * v[i] + on_b[i] * v[6 + i];
    assert_near(rate, b.rate[1] - b.rate[0], 1e-14);
    assert_int_equal(br_joint_rows(b.m.model, b.m.state, b.joint[1].joint, NULL, NULL, &rows), BR_OK);
    assert_int_equal(br_coordinate_row(b.m.model, b.m.state, b.joint[1], NULL, on_b), BR_OK);
    machine_end(&b.m);
}

/* The end of the lower bar: v = (end's place)' along its closed form. */
static void points_move_by_their_rows(void **unused) {
    (void)unused;
    Bars b = hang_bars();
    double J[18], v[3] = {0};
    BrTwist t;
    br_body_twist(b.m.model, b.m.state, b.bar[1], &t);
    const double six[6] = {t.linear.x, t.linear.y, t.linear.z, t.angular.x, t.angular.y, t.angular.z};
    assert_int_equal(br_point_jacobian(b.m.model, b.m.state, b.bar[1], vec(b.length[1] / 2, 0.3, 0), J), BR_OK);
    for (int i = 0; i < 18; i++) v[i / 6] += J[i] * six[i % 6];
    BrVec3 expected = {0, 0, 0};
    for (int i = 0; i < 2; i++)
        expected = add(expected, scale(b.length[i] * b.rate[i], vec(-sin(b.angle[i]), 0, -cos(b.angle[i]))));
    assert_vec_near(vec(v[0], v[1], v[2]), expected, 1e-14);
    machine_end(&b.m);
}

/* ------------------------------------------------------------------ a slider-crank */

enum { CRANK, ROD, SLIDER };
static const double MASS[3] = {2, 1.5, 3}, R = 0.3, L = 0.8;

/* d(x, z of the centre of a body, its angle)/d theta, the crank at theta, gravity along -z. */
static void find_ways(double theta, double way[3][3]) {
    double s = R / L * sin(theta), c = sqrt(1 - s * s), phi = -R / L * cos(theta) / c; /* rod: angle -asin(s) */
    double x = -R * sin(theta) + L * s * phi;
    const double ways[3][3] = {{-R / 2 * sin(theta), -R / 2 * cos(theta), 1},
                               {-R * sin(theta) + L / 2 * s * phi, -R / 2 * cos(theta), phi},
                               {x, 0, 0}};
    memcpy(way, ways, sizeof ways);
}

/* 2 T/theta'^2, and -dV/d theta. */
static double find_crank_inertia(double theta) {
    double way[3][3], sum = 0;
    const double turned[3] = {MASS[CRANK] * R * R / 12, MASS[ROD] * L * L / 12, 0};
    find_ways(theta, way);
    for (int i = 0; i < 3; i++)
        sum += MASS[i] * (way[i][0] * way[i][0] + way[i][1] * way[i][1]) + turned[i] * way[i][2] * way[i][2];
    return sum;
}

static double find_crank_weight(double theta) {
    double way[3][3], sum = 0;
    find_ways(theta, way);
    for (int i = 0; i < 3; i++) sum -= MASS[i] * G * way[i][1];
    return sum;
}

/* Virtual work: torque = J theta'' + J' theta'^2/2 - weights' work, with joints that close a loop; a force on the slider
 * instead has the same power. And what a motion that gives these accelerations says. */
static void a_slider_crank_obeys_virtual_work(void **unused) {
    (void)unused;
    const double step = 1e-5, theta = 0.8, rate = 2.5, acceleration = -4;
    for (int moved = 0; moved < 2; moved++) {
        Machine m = machine_begin(DOWN);
        double tilt = -asin(R / L * sin(theta)), x = R * cos(theta) + L * cos(tilt);
        BrVec3 origin = {0, 0, 0}, pin = scale(R, direction(theta)), end = {x, 0, 0};
        BrBodyId crank = add_bar(&m, "crank", MASS[CRANK], R, origin, theta);
        BrBodyId rod = add_bar(&m, "rod", MASS[ROD], L, pin, tilt);
        BrBodyId slider = machine_body(&m, "slider", MASS[SLIDER], diagonal(0.1, 0.1, 0.1), end);
        BrJointId hinge = machine_joint(&m, "main", BR_JOINT_REVOLUTE, m.ground, crank, origin, Y);
        machine_joint(&m, "pin", BR_JOINT_REVOLUTE, crank, rod, pin, Y);
        machine_joint(&m, "wrist", BR_JOINT_REVOLUTE, rod, slider, end, Y);
        BrJointId guide = machine_joint(&m, "guide", BR_JOINT_PRISMATIC, m.ground, slider, end, vec(1, 0, 0));
        double way[3][3];
        find_ways(theta, way);
        BrFunctionDef drive = br_expression("2.5*t - 2*t^2");
        if (moved) machine_motion(&m, "drive", hinge, 0, false, drive);
        machine_ready(&m);
        const BrBodyId body[3] = {crank, rod, slider};
        for (int i = 0; i < 3; i++)
            machine_set_twist(&m, body[i], vec(rate * way[i][0], 0, rate * way[i][1]), scale(rate * way[i][2], Y));
        double bend = (find_crank_inertia(theta + step) - find_crank_inertia(theta - step)) / (2 * step);
        double expected =
            find_crank_inertia(theta) * acceleration + 0.5 * bend * rate * rate - find_crank_weight(theta);
        BrCoordinate list[2] = {{hinge, 0}, {guide, 0}};
        double effort[2], inertia[4];
        BrError error = {0};
        if (moved) {
            assert_int_equal(br_evaluate(m.model, m.workspace, m.state, NULL), BR_OK);
            BrMotionId id = br_model_find_motion(m.model, "drive");
            assert_int_equal(br_motion_effort(m.model, m.workspace, id, &effort[0]), BR_OK);
            assert_near(effort[0], expected, 1e-8); /* differences of J' */
            assert_int_equal(br_coordinate_inertia(m.model, m.workspace, m.state, list, 1, inertia, &error),
                             BR_INVALID_ARGUMENT);
            assert_non_null(strstr(error.text, "'angle' of joint 'main' cannot be moved by an effort"));
        } else {
            assert_int_equal(br_coordinate_inertia(m.model, m.workspace, m.state, list, 1, inertia, NULL), BR_OK);
            assert_near(inertia[0], find_crank_inertia(theta), 1e-12);
            assert_int_equal(br_inverse_dynamics(m.model, m.workspace, m.state, list, &acceleration, 1, effort, NULL),
                             BR_OK);
            assert_near(effort[0], expected, 1e-8);
            double x_way = way[SLIDER][0], ahead[3][3], behind[3][3];
            find_ways(theta + step, ahead), find_ways(theta - step, behind);
            double slide = x_way * acceleration + (ahead[SLIDER][0] - behind[SLIDER][0]) / (2 * step) * rate * rate;
            assert_int_equal(br_inverse_dynamics(m.model, m.workspace, m.state, list + 1, &slide, 1, effort, NULL),
                             BR_OK);
            assert_near(effort[0] * x_way, expected, 1e-7);
            assert_int_equal(br_coordinate_inertia(m.model, m.workspace, m.state, list, 2, inertia, &error),
                             BR_INVALID_ARGUMENT);
            assert_non_null(strstr(error.text, "follow from each other"));
        }
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ motors and springs */

/* A motor on the coordinate, which would hold its own speed, is none of it; springs and their dampers are. */
static void motors_are_taken_away(void **unused) {
    (void)unused;
    for (int driven = 0; driven < 2; driven++) {
        Machine m = machine_begin(DOWN);
        BrVec3 origin = {0, 0, 0};
        BrBodyId bar = add_bar(&m, "bar", 2, 0.6, origin, 0.3);
        BrJointId hinge = machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, bar, origin, Y);
        machine_joint_spring(&m, "spring", hinge, 0, 5, 0.5);
        if (driven) machine_motor(&m, "motor", hinge, 0, br_constant(3), 100);
        machine_ready(&m);
        set_rate(&m, bar, 0.6, 0.3, 2, origin);
        BrCoordinate list = {hinge, 0};
        double wanted = 7, effort;
        assert_int_equal(br_inverse_dynamics(m.model, m.workspace, m.state, &list, &wanted, 1, &effort, NULL), BR_OK);
        /* m l^2/3 q'' = effort + m g l/2 cos - damping q' ; the spring is not bent yet */
        assert_near(effort, 2 * 0.36 / 3 * 7 - 2 * G * 0.3 * cos(0.3) + 0.5 * 2, 1e-12);
        machine_end(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_need_these_torques),           cmocka_unit_test(bars_have_this_inertia),
        cmocka_unit_test(matrices_fit_the_motion),           cmocka_unit_test(points_move_by_their_rows),
        cmocka_unit_test(a_slider_crank_obeys_virtual_work), cmocka_unit_test(motors_are_taken_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
