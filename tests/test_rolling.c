/* test_rolling.c: rolling and spinning resistance (the law `rolling`), against closed forms: balls that roll to rest, on
 * slopes, against each other, in piles; spin that ends; energy and bounds along the way. Symbols: R radius, mu_r and
 * mu_spin lengths, G gravity, h step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"

static const double G = 9.81, R = 0.1;
static const BrVec3 DOWN = {0, 0, -9.81};
static const BrScheme SCHEMES[] = {BR_SCHEME_MOREAU, BR_SCHEME_HEM2};

static BrMaterialId add_material(Machine *m, double mu, double mu_r, double mu_spin) {
    BrMaterialDef def = br_default_material_def();
    def.name = "felt";
    def.surface.friction = br_law(BR_LAW_FRICTION, "rolling");
    br_law_set(&def.surface.friction, "mu", mu);
    br_law_set(&def.surface.friction, "mu_r", mu_r);
    br_law_set(&def.surface.friction, "mu_spin", mu_spin);
    return machine_add_material(m, &def);
}

/* A ball that rolls (or whatever v and w say) over a plane; all of it turned by A. */
static Machine make_ball(const BrMat3 *A, BrVec3 gravity, double mu_r, double mu_spin, BrVec3 v, BrVec3 w,
                         BrBodyId *ball) {
    Machine m = machine_begin(rotate(A, gravity));
    BrMaterialId felt = add_material(&m, 0.5, mu_r, mu_spin);
    machine_plane(&m, rotate(A, vec(0, 0, 1)), felt);
    *ball = machine_ball(&m, "ball", 2, R, rotate(A, vec(0, 0, R)), felt);
    machine_ready(&m);
    machine_set_twist(&m, *ball, rotate(A, v), rotate(A, w));
    return m;
}

static BrVec3 roll(BrVec3 v) { return scale(1 / R, cross(vec(0, 0, 1), v)); }

/* ------------------------------------------------------------------ one ball */

/* How far a ball rolls that starts with V, less what it should; `a` its deceleration. It then stays. */
static double miss_way(BrScheme scheme, double h, const BrMat3 *A) {
    const double mu_r = 0.002, V = 1, a = 5. / 7 * G * mu_r / R, end = V / a;
    BrVec3 direction = vec(0.6, 0.8, 0), v = scale(V, direction);
    BrBodyId ball;
    Machine m = make_ball(A, DOWN, mu_r, 0, v, roll(v), &ball);
    BrVec3 from = machine_pose(&m, ball).position;
    machine_run(&m, scheme, h, (int)(1 / h));
    double t = br_state_time(m.state);
    BrTwist twist = machine_twist(&m, ball);
    assert_vec_near(twist.linear, rotate(A, scale(V - a * t, direction)), 1e-12); /* rounding of a thousand steps */
    assert_vec_near(twist.angular, rotate(A, roll(scale(V - a * t, direction))), 1e-11);
    machine_run(&m, scheme, h, (int)((end - t) / h) + 2);
    BrVec3 rest = machine_pose(&m, ball).position;
    assert_near(norm(machine_twist(&m, ball).linear), 0, 1e-12);
    machine_run(&m, scheme, h, (int)(10 / h));
    assert_vec_near(machine_pose(&m, ball).position, rest, 1e-12); /* no creep in 10 s */
    BrEnergy e = machine_energy(&m);
    assert_near(e.dissipated, 0.7 * 2 * V * V, 1e-10); /* all that there was: to rounding of ten thousand steps */
    assert_near(e.defect, 0, 1e-10);
    machine_end(&m);
    return dot(sub(rest, from), rotate(A, direction)) - V * V / (2 * a);
}

/* The stop lies at the same part of a step for each h, so that errors may be compared: order 1, and 2. */
static void ball_rolls_to_rest(void **unused) {
    (void)unused;
    const double end = 1 / (5. / 7 * G * 0.002 / R);
    BrMat3 still = diagonal(1, 1, 1), turned = turn_about(vec(0.3, 0.5, -0.2), 1.1);
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 2; k++) {
            double h[2] = {end / 1000.3, end / 2000.3}, miss[2];
            for (int i = 0; i < 2; i++) miss[i] = fabs(miss_way(SCHEMES[s], h[i], k ? &turned : &still));
            double order = log(miss[0] / miss[1]) / log(h[0] / h[1]);
            assert_near(order, s + 1, 0.05);
            assert_true(miss[0] < (s ? 10 * h[0] * h[0] : h[0]));
        }
}

/* A slope: gravity leans. Below tan(lean) = mu_r/R it stays, and the moment is what holds it; above it rolls with
 * (5/7) G (sin(lean) - mu_r/R cos(lean)). */
static void slope_starts_to_roll(void **unused) {
    (void)unused;
    const double mu_r = 0.01, h = 1e-3;
    BrMat3 turned = turn_about(vec(-0.4, 0.1, 0.7), 2);
    for (int s = 0; s < 2; s++)
        for (int above = 0; above < 2; above++) {
            double lean = atan((above ? 1.0001 : 0.9999) * mu_r / R);
            double a = 5. / 7 * G * (sin(lean) - mu_r / R * cos(lean));
            BrBodyId ball;
            Machine m =
                make_ball(&turned, vec(G * sin(lean), 0, -G * cos(lean)), mu_r, 0, vec(0, 0, 0), vec(0, 0, 0), &ball);
            BrVec3 from = machine_pose(&m, ball).position;
            int steps = 3000;
            machine_run(&m, SCHEMES[s], h, steps);
            double way = dot(sub(machine_pose(&m, ball).position, from), rotate(&turned, vec(1, 0, 0))), t = steps * h;
            /* moreau goes with the velocity at the end of each step: half a step more of it, exactly */
            double expected = above ? 0.5 * a * t * (s ? t : t + h) : 0;
            assert_near(way, expected, above ? 1e-9 * expected : 1e-12);
            BrContact c = machine_contact(&m, 0);
            double moment = above ? mu_r * c.normal_force : 2 * G * sin(lean) * R; /* on the ball, against y */
            assert_near(c.normal_force, 2 * G * cos(lean), 1e-9);
            assert_vec_near(c.rolling_moment, rotate(&turned, vec(0, -moment, 0)), 1e-9);
            assert_vec_near(c.rolling_moment_mean, rotate(&turned, vec(0, -moment, 0)), 1e-9);
            assert_near(norm(c.spinning_moment), 0, 1e-15);
            machine_end(&m);
        }
}

/* Spin about the normal ends at t = I w/(mu_spin N), and stays ended; it falls evenly until then. */
static void spin_ends(void **unused) {
    (void)unused;
    const double mu_spin = 0.003, w = 40, h = 1e-3, I = 0.4 * 2 * R * R, N = 2 * G, end = I * w / (mu_spin * N);
    BrMat3 turned = turn_about(vec(0.4, 0.1, 0.7), -1);
    for (int s = 0; s < 2; s++) {
        BrBodyId ball;
        Machine m = make_ball(&turned, DOWN, 0, mu_spin, vec(0, 0, 0), vec(0, 0, w), &ball);
        BrVec3 axis = rotate(&turned, vec(0, 0, 1)), from = machine_pose(&m, ball).position;
        int half = (int)(0.5 * end / h);
        machine_run(&m, SCHEMES[s], h, half);
        assert_vec_near(machine_twist(&m, ball).angular, scale(w * (1 - half * h / end), axis), 1e-10);
        BrContact c = machine_contact(&m, 0);
        assert_vec_near(c.spinning_moment, scale(-mu_spin * N, axis), 1e-9);
        assert_vec_near(c.spinning_moment_mean, scale(-mu_spin * N, axis), 1e-9);
        machine_run(&m, SCHEMES[s], h, (int)(end / h) - half - 1);
        assert_true(norm(machine_twist(&m, ball).angular) > 0.1 * w * h / end);
        machine_run(&m, SCHEMES[s], h, 3);
        assert_near(norm(machine_twist(&m, ball).angular), 0, 1e-12);
        BrPose rest = machine_pose(&m, ball);
        machine_run(&m, SCHEMES[s], h, 5000);
        BrPose later = machine_pose(&m, ball);
        for (int i = 0; i < 9; i++) assert_near(later.rotation.m[i / 3][i % 3], rest.rotation.m[i / 3][i % 3], 1e-12);
        assert_vec_near(later.position, from, 1e-12);
        assert_near(machine_energy(&m).dissipated, 0.5 * I * w * w, 1e-9);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ all at once */

static void check_bounds(const BrContact *c, double mu_r, double mu_spin) {
    double room = 1e-9 * (1 + c->normal_force_mean); /* the tolerance of the solve */
    assert_true(norm(c->friction_force_mean) <= 0.5 * c->normal_force_mean + room);
    assert_true(norm(c->rolling_moment_mean) <= mu_r * c->normal_force_mean + room);
    assert_true(norm(c->spinning_moment_mean) <= mu_spin * c->normal_force_mean + room);
}

/* A ball that slides, rolls askew and spins, to its rest. Every step: what acts is within its bounds and against the
 * motion it resists, energy falls; at the end all of it is in the books. Returns what these miss, J. */
static double run_to_rest(BrScheme scheme, double h) {
    const double mu_r = 0.004, mu_spin = 0.002;
    BrMat3 still = diagonal(1, 1, 1);
    BrBodyId ball;
    Machine m = make_ball(&still, DOWN, mu_r, mu_spin, vec(1.5, 0.4, 0), vec(3, -12, 30), &ball);
    double before = machine_mechanical_energy(&m), start = before;
    for (int k = 0; k * h < 8; k++) {
        machine_run(&m, scheme, h, 1);
        double now = machine_mechanical_energy(&m);
        assert_true(now <= before + 1e-13 * start);
        before = now;
        BrContact c = machine_contact(&m, 0);
        BrVec3 w = machine_twist(&m, ball).angular;
        check_bounds(&c, mu_r, mu_spin);
        assert_true(dot(c.rolling_moment_mean, w) <= 1e-12);
        assert_true(dot(c.spinning_moment_mean, w) <= 1e-12);
    }
    BrEnergy e = machine_energy(&m);
    assert_near(e.kinetic, 0, 1e-18);
    assert_near(e.dissipated, start - before + e.defect, 1e-10 * start);
    machine_end(&m);
    return fabs(e.defect);
}

/* moreau's pushes and conditions stand at one pose, and the floor is flat: to rounding of its 8000 steps. Of hem2 at
 * least order 2. */
static void everything_ends_and_is_booked(void **unused) {
    (void)unused;
    assert_near(run_to_rest(BR_SCHEME_MOREAU, 1e-3), 0, 1e-11);
    double coarse = run_to_rest(BR_SCHEME_HEM2, 2e-3), fine = run_to_rest(BR_SCHEME_HEM2, 1e-3);
    assert_true(fine < 1e-5 && observed_order(coarse, fine) > 1.8);
}

/* Until 0.6 s, against a fine run: the slip and the axis of rolling turn, slip and spin end on the way. */
static Machine run_askew(BrScheme scheme, double h) {
    BrMat3 still = diagonal(1, 1, 1);
    BrBodyId ball;
    Machine m = make_ball(&still, DOWN, 0.02, 0.002, vec(1.5, 0.4, 0), vec(8, 12, 30), &ball);
    machine_run(&m, scheme, h, (int)lround(0.6 / h));
    return m;
}

static void path_has_the_order_of_the_scheme(void **unused) {
    (void)unused;
    Machine fine = run_askew(BR_SCHEME_HEM2, 2e-5); /* its own error is 1/2500 of the best below */
    for (int s = 0; s < 2; s++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            Machine m = run_askew(SCHEMES[s], k ? 1e-3 : 4e-3);
            error[k] = machine_distance(&m, &fine);
            machine_end(&m);
        }
        assert_near(0.5 * observed_order(error[0], error[1]), s + 1, 0.15);
    }
    machine_end(&fine);
}

/* ------------------------------------------------------------------ others than a ball on the floor */

/* Two balls pressed together roll on each other like gears: each is slowed by mu_r F; the sum of spins stays zero. Held
 * by two forces alone they part sideways with exp(12 t): short, so that rounding stays below 1e-11. */
static void balls_roll_on_each_other(void **unused) {
    (void)unused;
    const double mu_r = 0.012, F = 20, w = 30, h = 1e-3, I = 0.4 * R * R, end = I * w / (mu_r * F);
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(vec(0, 0, 0));
        BrMaterialId felt = add_material(&m, 0.5, mu_r, 0);
        BrBodyId a = machine_ball(&m, "a", 1, R, vec(-R, 0, 0), felt);
        BrBodyId b = machine_ball(&m, "b", 1, R, vec(R, 0, 0), felt);
        machine_force(&m, "right", a, 0, br_constant(F));
        machine_force(&m, "left", b, 0, br_constant(-F));
        machine_ready(&m);
        machine_set_twist(&m, a, vec(0, 0, 0), vec(0, 0, w));
        machine_set_twist(&m, b, vec(0, 0, 0), vec(0, 0, -w));
        int half = (int)(0.5 * end / h);
        machine_run(&m, SCHEMES[s], h, half);
        assert_vec_near(machine_twist(&m, a).angular, vec(0, 0, w * (1 - half * h / end)), 1e-10);
        assert_vec_near(machine_twist(&m, b).angular, vec(0, 0, -w * (1 - half * h / end)), 1e-10);
        BrContact c = machine_contact(&m, 0); /* on b, which turns the other way */
        assert_vec_near(c.rolling_moment, vec(0, 0, mu_r * F), 1e-9);
        machine_run(&m, SCHEMES[s], h, half + 3);
        assert_near(norm(machine_twist(&m, a).angular), 0, 1e-11);
        assert_near(norm(machine_twist(&m, b).angular), 0, 1e-11);
        assert_near(norm(machine_angular_momentum(&m)), 0, 1e-12);
        assert_near(machine_energy(&m).dissipated, I * w * w, 1e-10);
        machine_end(&m);
    }
}

/* A cylinder, on two or more places of its line: (2/3) G mu_r/R. */
static void cylinder_rolls_to_rest(void **unused) {
    (void)unused;
    const double mu_r = 0.005, V = 0.8, a = 2. / 3 * G * mu_r / R, h = 1e-3;
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId felt = add_material(&m, 0.5, mu_r, 0.001);
        machine_floor(&m, felt);
        BrShapeDef shape = br_default_shape_def();
        shape.kind = BR_SHAPE_CYLINDER, shape.radius = R, shape.length = 0.3, shape.material = felt;
        BrBodyDef def = br_default_body_def();
        def.name = "roller", def.mass = 3, def.inertia = machine_solid_inertia(&shape, 3);
        def.position = vec(0, 0, R), def.rotation = turn_about(vec(1, 0, 0), 0.5 * PI);
        BrBodyId roller = shape.body = machine_add_body(&m, &def);
        machine_add_shape(&m, &shape);
        machine_ready(&m);
        machine_set_twist(&m, roller, vec(V, 0, 0), vec(0, V / R, 0));
        machine_run(&m, SCHEMES[s], h, 1000);
        assert_vec_near(machine_twist(&m, roller).linear, vec(V - a, 0, 0), 1e-9);
        machine_run(&m, SCHEMES[s], h, 2000);
        BrVec3 rest = machine_pose(&m, roller).position;
        assert_near(rest.x, V * V / (2 * a), s ? 1e-5 : V * h);
        machine_run(&m, SCHEMES[s], h, 5000);
        assert_vec_near(machine_pose(&m, roller).position, rest, 1e-9);
        assert_near(machine_energy(&m).dissipated, 0.75 * 3 * V * V, 1e-8);
        machine_end(&m);
    }
}

/* A wheel on the axle of a carriage that runs on rails: the joints leave it one turn, askew to the contact's frame.
 * (all masses + I/R^2) a = mu_r N/R, N the weight of the wheel and of the fork that carries its axle, a gram. */
static void wheel_on_an_axle_slows_its_carriage(void **unused) {
    (void)unused;
    const double mu_r = 0.01, V = 1, I = 0.4 * 2 * R * R, a = mu_r * 2.001 * G / R / (5.001 + I / (R * R)), h = 1e-3;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 2; k++) {
            BrVec3 along = k ? vec(0.6, 0.8, 0) : vec(1, 0, 0), axle = cross(vec(0, 0, 1), along);
            Machine m = machine_begin(DOWN);
            BrMaterialId felt = add_material(&m, 0.5, mu_r, 0.001);
            machine_floor(&m, felt);
            BrBodyId carriage = machine_body(&m, "carriage", 3, diagonal(0.1, 0.1, 0.1), vec(0, 0, 0.5));
            BrBodyId wheel = machine_ball(&m, "wheel", 2, R, vec(0, 0, R), felt);
            machine_joint(&m, "rails", BR_JOINT_PRISMATIC, m.ground, carriage, vec(0, 0, 0.5), along);
            BrBodyId fork = machine_body(&m, "fork", 1e-3, diagonal(1e-6, 1e-6, 1e-6), vec(0, 0, R));
            machine_joint(&m, "lift", BR_JOINT_PRISMATIC, carriage, fork, vec(0, 0, R), vec(0, 0, 1));
            machine_joint(&m, "axle", BR_JOINT_REVOLUTE, fork, wheel, vec(0, 0, R), axle);
            machine_ready(&m);
            machine_set_twist(&m, carriage, scale(V, along), vec(0, 0, 0));
            machine_set_twist(&m, fork, scale(V, along), vec(0, 0, 0));
            machine_set_twist(&m, wheel, scale(V, along), roll(scale(V, along)));
            machine_run(&m, SCHEMES[s], h, 500);
            assert_vec_near(machine_twist(&m, carriage).linear, scale(V - 0.5 * a, along), 1e-9);
            if (!is_slow_run()) {
                machine_run(&m, SCHEMES[s], h, 9500);
                assert_near(norm(machine_twist(&m, carriage).linear), 0, 1e-10);
            }
            machine_end(&m);
        }
}

/* A cart of 10 kg on wheels of 1 kg: (all masses + wheels I/R^2) a = mu_r N/R. Four balls touch once each; twelve
 * cylinders at several places: then joints and moments stand in one network. */
static void cart_rolls_to_rest(void **unused) {
    (void)unused;
    enum { MOST = 12 };
    const double mu_r = 0.01, V = 0.5, h = 1e-3;
    for (int round = 0; round < 2; round++)
        for (int s = 0; s < 2; s++) {
            Machine m = machine_begin(DOWN);
            BrMaterialId felt = add_material(&m, 0.5, mu_r, 0.001);
            BrBodyId frame = machine_body(&m, "frame", 10, diagonal(0.3, 0.5, 0.7), vec(0, 0, R + 0.02)), wheel[MOST];
            int wheels = round ? MOST : 4;
            machine_floor(&m, felt);
            BrShapeDef shape = br_default_shape_def();
            shape.kind = round ? BR_SHAPE_CYLINDER : BR_SHAPE_SPHERE;
            shape.radius = R, shape.length = 0.05, shape.material = felt;
            BrBodyDef def = br_default_body_def();
            def.mass = 1, def.inertia = machine_solid_inertia(&shape, 1);
            def.rotation = turn_about(vec(1, 0, 0), 0.5 * PI);
            for (int k = 0; k < wheels; k++) {
                char name[8], axle[8];
                snprintf(name, sizeof name, "w%d", k);
                snprintf(axle, sizeof axle, "a%d", k);
                def.name = name, def.position = vec((k & 1 ? 0.4 : -0.4) * (1 + k / 4), k & 2 ? 0.3 : -0.3, R);
                shape.body = wheel[k] = machine_add_body(&m, &def);
                machine_add_shape(&m, &shape);
                machine_joint(&m, axle, BR_JOINT_REVOLUTE, frame, wheel[k], def.position, vec(0, 1, 0));
            }
            machine_ready(&m);
            machine_set_twist(&m, frame, vec(V, 0, 0), vec(0, 0, 0));
            for (int k = 0; k < wheels; k++) machine_set_twist(&m, wheel[k], vec(V, 0, 0), roll(vec(V, 0, 0)));
            double a = mu_r * (10 + wheels) * G / R / (10 + wheels + wheels * (round ? 0.5 : 0.4));
            BrStepDef step = machine_step_def(SCHEMES[s], h);
            BrStepReport report = machine_steps(&m, &step, 1);
            if (SCHEMES[s] == BR_SCHEME_MOREAU) /* a matrix of 24 rows, or a network of 144 */
                assert_int_equal(report.solver && strstr(report.solver, "network") != NULL, round);
            machine_steps(&m, &step, 199);
            assert_vec_near(machine_twist(&m, frame).linear, vec(V - 0.2 * a, 0, 0), 1e-11);
            machine_steps(&m, &step, 1000);
            assert_near(norm(machine_twist(&m, frame).linear), 0, 1e-12);
            assert_near(machine_energy(&m).defect, 0, 1e-10);
            machine_end(&m);
        }
}

/* A ball at the axis of a table that turns. */
static Machine make_turntable(double mu_spin, BrFunctionDef speed, BrBodyId *ball) {
    Machine m = machine_begin(DOWN);
    BrMaterialId felt = add_material(&m, 0.5, 0.001, mu_spin);
    BrBodyDef def = br_default_body_def();
    def.name = "table", def.kind = BR_BODY_KINEMATIC;
    BrBodyId table = machine_add_body(&m, &def);
    BrShapeDef top = br_default_shape_def();
    top.body = table, top.kind = BR_SHAPE_PLANE, top.material = felt;
    machine_add_shape(&m, &top);
    BrMotionDef motion = br_default_motion_def();
    BrMotionId id;
    motion.name = "turn", motion.body = table;
    motion.angular_velocity[2] = speed;
    assert_int_equal(br_model_add_motion(m.model, &motion, &id, NULL), BR_OK);
    *ball = machine_ball(&m, "ball", 2, R, vec(0, 0, R), felt);
    machine_ready(&m);
    return m;
}

/* It takes the ball along by mu_spin N: what the drive gives goes into the ball and is lost, half and half, until they
 * turn alike. */
static void turntable_takes_a_ball_along(void **unused) {
    (void)unused;
    const double mu_spin = 0.004, W = 5, h = 1e-3, I = 0.4 * 2 * R * R, rate = mu_spin * 2 * G / I;
    for (int s = 0; s < 2; s++) {
        BrBodyId ball;
        Machine m = make_turntable(mu_spin, br_constant(W), &ball);
        machine_run(&m, SCHEMES[s], h, 200);
        assert_near(machine_twist(&m, ball).angular.z, 0.2 * rate, 1e-10);
        machine_run(&m, SCHEMES[s], h, 2000);
        assert_near(machine_twist(&m, ball).angular.z, W, 1e-12);
        BrEnergy e = machine_energy(&m);
        assert_near(e.work, I * W * W, 1e-11);
        assert_near(e.dissipated, 0.5 * I * W * W, 1e-11);
        assert_near(e.defect, 0, 1e-11);
        machine_end(&m);
    }
}

/* One that turns ever faster, slowly enough, has the ball with it: the moment is I times its rate, read at an instant and
 * in the mean. */
static void turntable_holds_a_ball(void **unused) {
    (void)unused;
    const double I = 0.4 * 2 * R * R;
    for (int s = 0; s < 2; s++) {
        BrBodyId ball;
        Machine m = make_turntable(0.004, br_expression("3*t"), &ball);
        machine_run(&m, SCHEMES[s], 1e-3, 1000);
        assert_near(machine_twist(&m, ball).angular.z, 3, 1e-9);
        BrContact c = machine_contact(&m, 0);
        assert_vec_near(c.spinning_moment, vec(0, 0, 3 * I), 1e-9);
        assert_vec_near(c.spinning_moment_mean, vec(0, 0, 3 * I), 1e-9);
        assert_near(machine_energy(&m).dissipated, 0, 1e-12);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ many */

enum { SIDE = 5, BALLS = 25 + 16 + 9 + 4 + 1 };

/* A pyramid of balls on the floor; or above it, a little apart and a little awry. */
static Machine make_heap(double mu_r, double mu_spin, bool apart) {
    Machine m = machine_begin(DOWN);
    BrMaterialId felt = add_material(&m, 0.6, mu_r, mu_spin);
    const double d = (apart ? 2.02 : 2) * R, awry = apart ? 0.05 * R : 0, lift = apart ? 0.1 * R : 0;
    uint64_t seed = 3;
    machine_floor(&m, felt);
    for (int layer = 0, k = 0; layer < SIDE; layer++)
        for (int i = 0; i < SIDE - layer; i++)
            for (int j = 0; j < SIDE - layer; j++, k++) {
                char name[16];
                snprintf(name, sizeof name, "b%d", k);
                BrVec3 place = vec(d * (i + 0.5 * layer), d * (j + 0.5 * layer), R + lift + layer * d * sqrt(0.5));
                machine_ball(&m, name, 1, R, add(place, draw_vec(&seed, awry)), felt);
            }
    assert_int_equal(br_model_body_count(m.model), BALLS + 1);
    machine_ready(&m);
    return m;
}

/* How far the balls of a pyramid have come after so many steps, at most; all certify. */
static double spread_pyramid(BrScheme scheme, double mu_r, int steps) {
    Machine m = make_heap(mu_r, 0.2 * mu_r, false);
    BrStepDef def = machine_step_def(scheme, 2e-3);
    BrVec3 place[BALLS];
    for (int i = 0; i < BALLS; i++) place[i] = machine_pose(&m, br_model_body(m.model, i + 1)).position;
    BrStepReport report = machine_steps(&m, &def, steps);
    assert_true(report.contacts >= 200); /* 1,200 rows, as one network */
    double most = 0;
    for (int i = 0; i < BALLS; i++)
        most = fmax(most, norm(sub(machine_pose(&m, br_model_body(m.model, i + 1)).position, place[i])));
    machine_end(&m);
    return most;
}

/* What friction alone does not hold, since balls roll, rolling resistance does. */
static void pyramid_of_balls_stands(void **unused) {
    (void)unused;
    assert_near(spread_pyramid(BR_SCHEME_MOREAU, 0.03, is_slow_run() ? 5 : 100), 0, 1e-12);
    assert_near(spread_pyramid(BR_SCHEME_HEM2, 0.03, is_slow_run() ? 2 : 20), 0, 1e-12);
    Machine m = make_heap(0, 0, false);
    BrStepDef def = machine_step_def(BR_SCHEME_MOREAU, 2e-3);
    for (int k = 0; k < 50; k++) assert_true(br_step(m.model, m.workspace, m.state, &def, NULL, NULL) >= 0);
    assert_true(machine_energy(&m).kinetic > 0.1); /* falls */
    machine_end(&m);
}

/* It falls, rolls apart and comes to rest; without resistance it would go on for ever. Energy never grows; nothing
 * leaves its bounds; at rest every step certifies, by the network of all balls, and nothing creeps. */
static void heap_comes_to_rest(void **unused) {
    (void)unused;
    const double mu_r = 0.02, mu_spin = 0.004;
    BrStepDef def = machine_step_def(BR_SCHEME_MOREAU, 2e-3);
    Machine m = make_heap(mu_r, mu_spin, true);
    double start = machine_mechanical_energy(&m), before = start;
    int falls = 250, uncertified = 0;
    bool network = false;
    for (int k = 0; k < falls; k++) {
        BrStepReport report;
        assert_true(br_step(m.model, m.workspace, m.state, &def, &report, NULL) >= 0);
        network = network || (report.solver && strstr(report.solver, "network"));
        uncertified += report.uncertified_contacts;
        double now = machine_mechanical_energy(&m);
        assert_true(now <= before + 1e-9 * start);
        before = now;
    }
    assert_true(network && before < 0.99 * start);
    assert_true(uncertified <= falls / 20); /* while it falls apart a few end at 1e-6 m/s, and say so */
    assert_near(machine_energy(&m).kinetic, 0, 1e-20);
    BrVec3 place[BALLS];
    for (int i = 0; i < BALLS; i++) place[i] = machine_pose(&m, br_model_body(m.model, i + 1)).position;
    BrStepReport report = machine_steps(&m, &def, is_slow_run() ? 50 : 500);
    assert_true(report.contacts > BALLS);
    for (int k = machine_contact_count(&m) - 1; k >= 0; k--) {
        BrContact c = machine_contact(&m, k);
        double room = 1e-9 * (1 + c.normal_force_mean);
        assert_true(norm(c.friction_force_mean) <= 0.6 * c.normal_force_mean + room);
        assert_true(norm(c.rolling_moment_mean) <= mu_r * c.normal_force_mean + room);
        assert_true(norm(c.spinning_moment_mean) <= mu_spin * c.normal_force_mean + room);
    }
    double moved = 0;
    for (int i = 0; i < BALLS; i++)
        moved = fmax(moved, norm(sub(machine_pose(&m, br_model_body(m.model, i + 1)).position, place[i])));
    assert_near(moved, 0, 1e-12); /* in 1 s */
    machine_end(&m);
}

/* ------------------------------------------------------------------ boxes, impacts, anything */

static BrMaterialId add_law(Machine *m, double mu_s, double mu_k, double mu_r, double mu_spin, double e,
                            const char *hypothesis) {
    BrMaterialDef def = br_default_material_def();
    def.name = "felt";
    def.surface.friction = br_law(BR_LAW_FRICTION, "rolling");
    br_law_set(&def.surface.friction, "mu_s", mu_s);
    br_law_set(&def.surface.friction, "mu_k", mu_k);
    br_law_set(&def.surface.friction, "mu_r", mu_r);
    br_law_set(&def.surface.friction, "mu_spin", mu_spin);
    br_law_set(&def.surface.normal, "restitution", e);
    int word = 0;
    static const char *const WORDS[] = {"newton", "poisson", "energetic"};
    while (strcmp(WORDS[word], hypothesis) != 0) word++;
    br_law_set(&def.surface.normal, "hypothesis", word);
    return machine_add_material(m, &def);
}

/* A block, which does not turn, is Coulomb's: it leaves stick at mu_s and slides with mu_k. Of its four places each has
 * moments that hold without being needed. */
static void block_slides_as_with_coulomb(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++)
        for (int above = 0; above < 2; above++) {
            double lean = atan(above ? 0.501 : 0.499), a = G * (sin(lean) - 0.4 * cos(lean)), h = 1e-3;
            Machine m = machine_begin(vec(G * sin(lean), 0, -G * cos(lean)));
            BrMaterialId felt = add_law(&m, 0.5, 0.4, 0.003, 0.002, 0, "newton");
            machine_floor(&m, felt);
            BrBodyId block = machine_block(&m, "block", 2, vec(0.4, 0.4, 0.1), vec(0, 0, 0.05), felt);
            machine_ready(&m);
            machine_run(&m, SCHEMES[s], h, 1000);
            /* it slides from the first step on; moreau is half a step of the speed ahead */
            double way = above ? 0.5 * a * (s ? 1 : 1 + h) : 0;
            assert_near(machine_pose(&m, block).position.x, way, above ? 2e-6 : 1e-11);
            assert_vec_near(machine_twist(&m, block).angular, vec(0, 0, 0), 1e-9);
            machine_end(&m);
        }
}

/* A ball falls with spin about the vertical: the blow's impulse (1 + e) m v takes mu_spin of itself out of the spin,
 * whatever e is of. */
static void blow_takes_spin(void **unused) {
    (void)unused;
    static const char *const OF[] = {"newton", "poisson", "energetic"};
    const double mu_spin = 0.002, e = 0.5, w = 50, I = 0.4 * 2 * R * R;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 3; k++) {
            Machine m = machine_begin(vec(0, 0, 0));
            BrMaterialId felt = add_law(&m, 0.5, 0.5, 0.001, mu_spin, e, OF[k]);
            machine_floor(&m, felt);
            BrBodyId ball = machine_ball(&m, "ball", 2, R, vec(0, 0, R + 0.0105), felt);
            machine_ready(&m);
            machine_set_twist(&m, ball, vec(0, 0, -1), vec(0, 0, w));
            BrStepDef def = machine_step_def(SCHEMES[s], 1e-3);
            BrStepReport report = machine_steps(&m, &def, 30);
            assert_int_equal(report.impacts, 1);
            assert_vec_near(machine_twist(&m, ball).linear, vec(0, 0, e), 1e-9);
            assert_near(machine_twist(&m, ball).angular.z, w - mu_spin * 2 * (1 + e) / I,
                        2e-6); /* LITTLE of phases.c */
            assert_near(machine_energy(&m).defect, 0, 1e-9);
            machine_end(&m);
        }
}

static void add_thing(Machine *m, uint64_t *seed, int k, BrMaterialId material) {
    static const BrShapeKind KINDS[] = {BR_SHAPE_BOX, BR_SHAPE_SPHERE, BR_SHAPE_CAPSULE, BR_SHAPE_CYLINDER,
                                        BR_SHAPE_ELLIPSOID};
    char name[16];
    snprintf(name, sizeof name, "thing%d", k);
    BrShapeDef shape = br_default_shape_def();
    shape.kind = KINDS[draw_int(seed, 5)], shape.material = material;
    shape.size = vec(draw(seed, 0.1, 0.3), draw(seed, 0.1, 0.3), draw(seed, 0.1, 0.3));
    if (shape.kind == BR_SHAPE_ELLIPSOID) shape.size = scale(0.5, shape.size);
    shape.radius = draw(seed, 0.05, 0.15), shape.length = draw(seed, 0.1, 0.3);
    BrBodyDef def = br_default_body_def();
    def.name = name, def.mass = draw(seed, 0.5, 3), def.inertia = machine_solid_inertia(&shape, def.mass);
    def.position = add(vec(0.2 * (k % 2), 0.2 * (k / 2 % 2), 0.3 + 0.4 * k), draw_vec(seed, 0.1));
    def.rotation = turn_about(vec(draw(seed, 0.1, 1), draw(seed, -1, 1), draw(seed, -1, 1)), draw(seed, 0, 3));
    def.velocity = draw_vec(seed, 1), def.angular_velocity = draw_vec(seed, 8);
    shape.body = machine_add_body(m, &def);
    machine_add_shape(m, &shape);
}

/* Whatever falls onto the floor and onto each other: every step certifies, none makes energy beyond what the scheme's
 * order explains, and mean impulses stay within all three bounds. */
static void anything_stays_within_bounds(void **unused) {
    (void)unused;
    uint64_t seed = 17;
    for (int run = 0; run < (is_slow_run() ? 6 : 40); run++) {
        Machine m = machine_begin(DOWN);
        double mu = draw(&seed, 0, 1), mu_r = run % 4 == 1 ? 0 : draw(&seed, 0, 0.05);
        double mu_spin = run % 4 == 2 ? 0 : draw(&seed, 0, 0.05);
        BrMaterialId felt = add_law(&m, mu, mu, mu_r, mu_spin, run % 3 ? 0 : 0.5, run % 2 ? "newton" : "poisson");
        machine_floor(&m, felt);
        for (int k = 0; k < 4; k++) add_thing(&m, &seed, k, felt);
        machine_ready(&m);
        BrStepDef def = machine_step_def(SCHEMES[run % 2], 2e-3);
        double start = machine_mechanical_energy(&m);
        for (int k = 0; k < (is_slow_run() ? 300 : 600); k++) { /* the last has come down after 250 */
            BrStepReport report;
            assert_true(br_step(m.model, m.workspace, m.state, &def, &report, NULL) >= 0);
            assert_true(machine_mechanical_energy(&m) < 1.01 * start);
            assert_int_equal(report.uncertified_contacts, 0);
            if (k % 20) continue;
            /* forces at an instant may have no answer (Painleve); means do */
            assert_true(br_evaluate(m.model, m.workspace, m.state, NULL) >= 0);
            for (int n = br_contact_count(m.model, m.workspace) - 1; n >= 0; n--) {
                BrContact c;
                assert_int_equal(br_contact(m.model, m.workspace, n, &c), BR_OK);
                /* means are of the pose before, read along the normal at hand: it turns by w h, here 0.05 */
                double room = 0.05 * (0.01 + c.normal_force_mean);
                assert_true(norm(c.friction_force_mean) <= mu * c.normal_force_mean + room);
                assert_true(norm(c.rolling_moment_mean) <= mu_r * c.normal_force_mean + 0.1 * room);
                assert_true(norm(c.spinning_moment_mean) <= mu_spin * c.normal_force_mean + 0.1 * room);
            }
        }
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ what fits */

static void expect_refusal(const Machine *m, BrStepDef def, const char *text) {
    BrError error = {0};
    assert_int_equal(br_step_fits(m->model, &def, &error), BR_UNSUPPORTED);
    if (!strstr(error.text, text)) fail_msg("'%s' in '%s'", text, error.text);
}

static void others_are_refused(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        BrMat3 still = diagonal(1, 1, 1);
        BrBodyId ball;
        Machine m = make_ball(&still, DOWN, k ? 0.001 : 0, 0, vec(0, 0, 0), vec(0, 0, 0), &ball);
        BrStepDef event = machine_event_def(1e-2), paper = machine_step_def(BR_SCHEME_EULER_PAPER, 1e-3);
        BrStepDef box = machine_step_def(BR_SCHEME_MOREAU, 1e-3), polygon = box;
        box.friction_set = BR_FRICTION_BOX, polygon.friction_set = BR_FRICTION_POLYGON;
        if (k) {
            expect_refusal(&m, event,
                           "the law 'rolling' works with timestepping and the schemes moreau and hem2; 'event'");
            expect_refusal(&m, paper, "'euler-paper' takes coulomb");
            expect_refusal(&m, box, "the law 'rolling' works with the friction set cone; 'box' takes coulomb");
            expect_refusal(&m, polygon, "'polygon' takes coulomb");
        } else { /* without resistance it is Coulomb's law */
            assert_int_equal(br_step_fits(m.model, &event, NULL), BR_OK);
            assert_int_equal(br_step_fits(m.model, &box, NULL), BR_OK);
        }
        machine_end(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ball_rolls_to_rest),
                                       cmocka_unit_test(slope_starts_to_roll),
                                       cmocka_unit_test(spin_ends),
                                       cmocka_unit_test(everything_ends_and_is_booked),
                                       cmocka_unit_test(path_has_the_order_of_the_scheme),
                                       cmocka_unit_test(balls_roll_on_each_other),
                                       cmocka_unit_test(cylinder_rolls_to_rest),
                                       cmocka_unit_test(wheel_on_an_axle_slows_its_carriage),
                                       cmocka_unit_test(cart_rolls_to_rest),
                                       cmocka_unit_test(turntable_takes_a_ball_along),
                                       cmocka_unit_test(turntable_holds_a_ball),
                                       cmocka_unit_test(pyramid_of_balls_stands),
                                       cmocka_unit_test(heap_comes_to_rest),
                                       cmocka_unit_test(block_slides_as_with_coulomb),
                                       cmocka_unit_test(blow_takes_spin),
                                       cmocka_unit_test(anything_stays_within_bounds),
                                       cmocka_unit_test(others_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
