/* test_bound_modes.c: limits, constant friction and motors with a largest effort of joints where motion is smooth between
 * events: the formulation event, and compliant. Symbols: I inertia, T torque of friction, E largest effort, w speed, F dry
 * friction, k stiffness, G gravity. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

static const double G = 9.81;
static const BrVec3 NONE = {0, 0, 0}, DOWN = {0, 0, -9.81}, X = {1, 0, 0}, Y = {0, 1, 0};

/* ------------------------------------------------------------------ running */

typedef enum Way { EVENT, ADAPTIVE, WAYS } Way;

static BrStepDef make_def(Way way, double dt) {
    BrStepDef def = way == EVENT ? machine_event_def(dt) : machine_step_def(BR_SCHEME_ADAPTIVE, dt);
    if (way == ADAPTIVE) def.formulation = BR_FORMULATION_COMPLIANT, def.tolerance = 1e-12;
    return def;
}

/* What events a run saw of one joint. */
typedef struct Seen {
    int count[BR_EVENT_HOLD + 1];
    double first[BR_EVENT_HOLD + 1], last[BR_EVENT_HOLD + 1]; /* s */
    double before;                                            /* of the first touch */
} Seen;

/* Steps that must be taken and certified. */
static Seen run(Machine *m, Way way, double dt, int steps, BrJointId joint) {
    BrStepDef def = make_def(way, dt);
    Seen seen = {0};
    for (int k = 0; k < steps; k++) {
        BrStepReport report;
        BrError error = {0};
        BrStatus status = br_step(m->model, m->workspace, m->state, &def, &report, &error);
        if (status != BR_OK) fail_msg("way %d, step %d: %s %s", way, k, br_status_name(status), error.text);
        for (int i = 0; i < report.events && i < BR_STEP_EVENTS; i++) {
            const BrEvent *e = &report.event[i];
            if (e->joint.index1 != joint.index1) continue;
            if (seen.count[e->kind]++ == 0) {
                seen.first[e->kind] = e->time;
                if (e->kind == BR_EVENT_TOUCH) seen.before = e->before;
            }
            seen.last[e->kind] = e->time;
        }
    }
    return seen;
}

/* The world, turned: its axis z becomes this, and x the other. */
typedef struct World {
    BrMat3 turn;
} World;

static World make_world(int number) {
    return (World){number == 0 ? diagonal(1, 1, 1) : turn_about(scale(1 / sqrt(14.), vec(1, 2, 3)), 1.1)};
}

static BrVec3 see(const World *w, BrVec3 v) { return rotate(&w->turn, v); }

static BrMat3 turn_inertia(const World *w, BrMat3 J) {
    BrMat3 out = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) out.m[i][j] += w->turn.m[i][k] * J.m[k][k] * w->turn.m[j][k];
    return out;
}

/* A wheel of inertia I about an axis through its centre. */
static Machine make_wheel(const World *world, double I, double friction, BrJointId *hinge, BrBodyId *wheel) {
    Machine m = machine_begin(NONE);
    *wheel = machine_body(&m, "wheel", 1, turn_inertia(world, diagonal(I, I, I)), NONE);
    BrJointDef def = br_default_joint_def();
    def.name = "hinge", def.type = BR_JOINT_REVOLUTE, def.body_a = m.ground, def.body_b = *wheel;
    def.axis = see(world, Y);
    def.dry_friction[0] = friction;
    *hinge = machine_add_joint(&m, &def);
    return m;
}

/* A mass on a slide along x. */
static Machine make_slider(const World *world, double mass, double low, double high, double F, BrVec3 gravity,
                           BrJointId *slide, BrBodyId *body) {
    Machine m = machine_begin(see(world, gravity));
    *body = machine_body(&m, "body", mass, diagonal(0.1, 0.1, 0.1), NONE);
    BrJointDef def = br_default_joint_def();
    def.name = "slide", def.type = BR_JOINT_PRISMATIC, def.body_a = m.ground, def.body_b = *body;
    def.axis = see(world, X);
    def.lower[0] = low, def.upper[0] = high, def.dry_friction[0] = F;
    *slide = machine_add_joint(&m, &def);
    return m;
}

static void check_books(const Machine *m, double scale) {
    BrEnergy e = machine_energy(m);
    assert_near(e.defect, 0, 1e-9 * scale);
}

/* ------------------------------------------------------------------ limits */

/* int_a^b dx/sqrt(w0^2 + 2 p (sin x - sin a)), by Simpson's rule: smooth, since it starts with a speed. */
static double find_fall_time(double w0, double p, double a, double b) {
    enum { PARTS = 20000 };
    double h = (b - a) / PARTS, sum = 0;
    for (int k = 0; k <= PARTS; k++) {
        double x = a + k * h, rate = sqrt(w0 * w0 + 2 * p * (sin(x) - sin(a)));
        sum += (k == 0 || k == PARTS ? 1 : k % 2 ? 4 : 2) / rate;
    }
    return sum * h / 3;
}

/* A pendulum falls onto a stop at 0.6 rad below the horizontal, and stays: when is an integral, what it had is lost. */
static void pendulum_meets_its_limit(void **unused) {
    (void)unused;
    const double L = 0.5, I = 0.02 + L * L, W0 = 0.4, STOP = 0.6;
    for (int way = 0; way < WAYS; way++)
        for (int side = -1; side <= 1; side += 2) {
            Machine m = machine_begin(DOWN);
            BrBodyId body = machine_body(&m, "arm", 1, diagonal(0.02, 0.02, 0.02), vec(L, 0, 0));
            BrJointDef def = br_default_joint_def();
            def.name = "hinge", def.type = BR_JOINT_REVOLUTE, def.body_a = m.ground, def.body_b = body;
            def.axis = vec(0, side, 0); /* falls towards a positive or a negative angle */
            def.lower[0] = -STOP, def.upper[0] = STOP;
            BrJointId hinge = machine_add_joint(&m, &def);
            machine_ready(&m);
            machine_set_twist(&m, body, vec(0, 0, -W0 * L), vec(0, W0, 0));
            double start = machine_mechanical_energy(&m);
            Seen seen = run(&m, (Way)way, 0.05, 40, hinge);
            double t = find_fall_time(W0, G * L / I, 0, STOP), w = sqrt(W0 * W0 + 2 * G * L / I * sin(STOP));
            assert_int_equal(seen.count[BR_EVENT_TOUCH], 1);
            assert_int_equal(seen.count[BR_EVENT_SEPARATION], 0);
            assert_near(seen.first[BR_EVENT_TOUCH], t, 1e-9);
            assert_near(seen.before, side * w, 1e-9);
            assert_near(machine_position(&m, hinge, 0), side * STOP, 1e-12);
            assert_near(machine_rate(&m, hinge, 0), 0, 1e-12);
            assert_near(machine_reaction(&m, hinge).torque.y, -G * L * cos(STOP), 1e-8);
            assert_near(start - machine_mechanical_energy(&m), 0.5 * I * w * w, 1e-9);
            assert_near(machine_energy(&m).dissipated, 0.5 * I * w * w, 1e-9);
            check_books(&m, start);
            machine_end(&m);
        }
}

/* Thrown up against a stop, a pendulum stops there dead and falls back: the stop does not hold it. */
static void limit_lets_go_of_what_is_pulled_away(void **unused) {
    (void)unused;
    const double L = 1, I = 0.02 + L * L, W0 = 4, STOP = 0.5;
    for (int way = 0; way < WAYS; way++) {
        Machine m = machine_begin(DOWN);
        BrBodyId body = machine_body(&m, "arm", 1, diagonal(0.02, 0.02, 0.02), vec(L, 0, 0));
        BrJointDef def = br_default_joint_def();
        def.name = "hinge", def.type = BR_JOINT_REVOLUTE, def.body_a = m.ground, def.body_b = body;
        def.axis = vec(0, -1, 0);
        def.upper[0] = STOP;
        BrJointId hinge = machine_add_joint(&m, &def);
        machine_ready(&m);
        machine_set_twist(&m, body, vec(0, 0, W0 * L), vec(0, -W0, 0));
        Seen seen = run(&m, (Way)way, 0.02, 30, hinge);
        double w = sqrt(W0 * W0 - 2 * G * L / I * sin(STOP));
        assert_int_equal(seen.count[BR_EVENT_TOUCH], 1);
        assert_int_equal(seen.count[BR_EVENT_SEPARATION], 1);
        assert_near(seen.first[BR_EVENT_SEPARATION], seen.first[BR_EVENT_TOUCH], 1e-9);
        assert_near(machine_energy(&m).dissipated, 0.5 * I * w * w, 1e-8);
        double angle = machine_position(&m, hinge, 0), rate = machine_rate(&m, hinge, 0);
        assert_near(0.5 * I * rate * rate + G * L * sin(angle), G * L * sin(STOP), 1e-8);
        assert_true(angle < STOP - 0.1);
        check_books(&m, 8);
        machine_end(&m);
    }
}

/* A swing that passes its limit by little, within one long inner step and back again, is stopped there all the same: 1 rad/s,
 * 1e-3 of its amplitude beyond. */
static void short_excess_is_not_overlooked(void **unused) {
    (void)unused;
    for (int way = 0; way < WAYS; way++)
        for (int part = 1; part <= 2; part++) {
            World world = make_world(0);
            BrJointId slide;
            BrBodyId body;
            double top = part == 1 ? 1 - 1e-3 : 1 - 1e-6;
            Machine m = make_slider(&world, 1, -2, top, 0, NONE, &slide, &body);
            machine_joint_spring(&m, "spring", slide, 0, 1, 0);
            machine_ready(&m);
            machine_set_twist(&m, body, X, NONE);
            Seen seen = run(&m, (Way)way, 2.5, 1, slide);
            assert_int_equal(seen.count[BR_EVENT_TOUCH], 1);
            assert_near(seen.first[BR_EVENT_TOUCH], asin(top), 1e-7);
            check_books(&m, 1);
            machine_end(&m);
        }
}

/* ------------------------------------------------------------------ friction */

/* A torque a millionth below friction's holds for 10 s without the slightest creep; one a millionth above turns the wheel with
 * what is left. In worlds that stand and that are turned. */
static void friction_holds_and_lets_go_by_a_millionth(void **unused) {
    (void)unused;
    const double T = 2, I = 0.5, PART = 1e-6;
    for (int way = 0; way < WAYS; way++)
        for (int k = 0; k < 8; k++) {
            World world = make_world(k & 1);
            BrJointId hinge;
            BrBodyId wheel;
            Machine m = make_wheel(&world, I, T, &hinge, &wheel);
            double sign = k & 2 ? -1 : 1, part = k & 4 ? PART : -PART;
            machine_ready(&m);
            BrError error = {0};
            BrVec3 torque = scale(sign * T * (1 + part), see(&world, Y));
            assert_int_equal(br_body_set_load(m.model, m.state, wheel, NONE, torque, &error), BR_OK);
            Seen seen = run(&m, (Way)way, 0.1, 100, hinge);
            double angle = part > 0 ? 0.5 * sign * T * PART / I * 100 : 0;
            assert_near(machine_position(&m, hinge, 0), angle, part > 0 ? 1e-9 : 1e-12);
            assert_int_equal(seen.count[BR_EVENT_SLIP], part > 0);
            check_books(&m, 1e-3);
            machine_end(&m);
        }
}

/* A wheel that turns stops after I w/T, w^2 I/2T farther, and its energy is lost. Heavy and light, fast and slow. */
static void friction_stops_a_flywheel(void **unused) {
    (void)unused;
    static const double CASES[][3] = {
        {0.5, 2, 10}, {0.5, 2, -10}, {1e-4, 1e-3, 50}, {300, 1000, 3}, {2, 5, 0.01}}; /* I, T, w */
    for (int way = 0; way < WAYS; way++)
        for (int k = 0; k < 10; k++) {
            const double *c = CASES[k / 2], I = c[0], T = c[1], w = c[2], stop = I * fabs(w) / T;
            World world = make_world(k & 1);
            BrJointId hinge;
            BrBodyId wheel;
            Machine m = make_wheel(&world, I, T, &hinge, &wheel);
            machine_ready(&m);
            machine_set_twist(&m, wheel, NONE, scale(w, see(&world, Y)));
            Seen seen = run(&m, (Way)way, stop / 7, 14, hinge);
            assert_int_equal(seen.count[BR_EVENT_STICK], 1);
            assert_near(seen.first[BR_EVENT_STICK], stop, 1e-9);
            assert_near(machine_position(&m, hinge, 0), w * fabs(w) * I / (2 * T), 1e-9 * (1 + fabs(w)));
            assert_near(machine_rate(&m, hinge, 0), 0, 1e-12);
            assert_near(machine_energy(&m).dissipated, 0.5 * I * w * w, 1e-9 * (1 + 0.5 * I * w * w));
            check_books(&m, 1 + I * w * w);
            machine_end(&m);
        }
}

/* A mass on a spring loses 2 F/k of its amplitude with every half swing of pi sqrt(m/k), and stays where the spring is weaker
 * than F. */
static void swing_with_friction_ends_where_it_must(void **unused) {
    (void)unused;
    const double M = 2, K = 50, F = 3, START = 0.7;
    for (int way = 0; way < WAYS; way++) {
        World world = make_world(1);
        BrJointId slide;
        BrBodyId body;
        Machine m = make_slider(&world, M, -INFINITY, INFINITY, F, NONE, &slide, &body);
        machine_joint_spring(&m, "spring", slide, 0, K, 0);
        machine_ready(&m);
        BrError error = {0};
        BrPose pose = machine_pose(&m, body);
        pose.position = scale(START, see(&world, X));
        assert_int_equal(br_body_set_pose(m.model, m.state, body, pose, &error), BR_OK);
        double half = PI * sqrt(M / K), x = START;
        int halves = 0;
        while (fabs(x) * K > F) x = x > 0 ? -(x - 2 * F / K) : -(x + 2 * F / K), halves++;
        Seen seen = run(&m, (Way)way, 0.13, 40, slide);
        assert_near(seen.last[BR_EVENT_STICK], halves * half, 1e-8);
        assert_near(machine_position(&m, slide, 0), x, 1e-9);
        assert_near(machine_energy(&m).dissipated, 0.5 * K * (START * START - x * x), 1e-9);
        check_books(&m, 10);
        machine_end(&m);
    }
}

/* A mass on a spring whose other end is drawn at v breaks away when the spring pulls with F, at F/(k v), and goes on as
 * v (s - sin(w s)/w), w^2 = k/m, to rest for an instant after every period. */
static void stick_slip_has_its_period(void **unused) {
    (void)unused;
    const double M = 2, K = 50, F = 3, V = 0.2;
    for (int way = 0; way < WAYS; way++) {
        World world = make_world(0);
        BrJointId slide;
        BrBodyId body;
        Machine m = make_slider(&world, M, -INFINITY, INFINITY, F, NONE, &slide, &body);
        BrBodyId hand = machine_body(&m, "hand", 1, diagonal(1, 1, 1), X);
        BrJointId guide = machine_joint(&m, "guide", BR_JOINT_PRISMATIC, m.ground, hand, NONE, X);
        machine_motion(&m, "draw", guide, 0, true, br_constant(V));
        machine_line_spring(&m, "spring", body, hand, K, 0, 1);
        machine_ready(&m);
        machine_set_twist(&m, hand, scale(V, X), NONE);
        double w = sqrt(K / M), slip = F / (K * V);
        Seen seen = run(&m, (Way)way, slip / 8, 7, slide);
        assert_int_equal(seen.count[BR_EVENT_SLIP], 0);
        assert_near(machine_position(&m, slide, 0), 0, 1e-13);
        seen = run(&m, (Way)way, slip / 8, 38, slide);
        assert_near(seen.first[BR_EVENT_SLIP], slip, 1e-8);
        double s = slip * (45. / 8 - 1);
        assert_true(s > 2 * PI / w);
        assert_near(machine_position(&m, slide, 0), V * (s - sin(w * s) / w),
                    1e-7); /* after a rest that a force of 1e-9 F ends */
        check_books(&m, 10);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ motors */

/* A motor of largest effort E brings a wheel to its speed w in I w/E, and holds it there; it takes no more effort then. */
static void motor_reaches_its_speed(void **unused) {
    (void)unused;
    const double I = 0.5, E = 2, W = 3;
    for (int way = 0; way < WAYS; way++)
        for (int k = 0; k < 4; k++) {
            World world = make_world(k & 1);
            BrJointId hinge;
            BrBodyId wheel;
            double sign = k & 2 ? -1 : 1, up = I * W / E;
            Machine m = make_wheel(&world, I, 0, &hinge, &wheel);
            BrMotorId motor = machine_motor(&m, "motor", hinge, 0, br_constant(sign * W), E);
            machine_ready(&m);
            Seen seen = run(&m, (Way)way, up / 7, 3, hinge);
            BrError error = {0};
            double effort;
            assert_int_equal(br_evaluate(m.model, m.workspace, m.state, &error), BR_OK);
            assert_int_equal(br_motor_effort(m.model, m.workspace, motor, &effort), BR_OK);
            assert_near(effort, sign * E, 1e-12);
            seen = run(&m, (Way)way, up / 7, 11, hinge);
            assert_int_equal(seen.count[BR_EVENT_HOLD], 1);
            assert_near(seen.first[BR_EVENT_HOLD], up, 1e-9);
            assert_near(machine_rate(&m, hinge, 0), sign * W, 1e-12);
            assert_near(machine_position(&m, hinge, 0), sign * (0.5 * W * up + W * up), 1e-9);
            assert_int_equal(br_evaluate(m.model, m.workspace, m.state, &error), BR_OK);
            assert_int_equal(br_motor_effort(m.model, m.workspace, motor, &effort), BR_OK);
            assert_near(effort, 0, 1e-9);
            assert_near(machine_energy(&m).work, 0.5 * I * W * W, 1e-9);
            check_books(&m, 1);
            machine_end(&m);
        }
}

/* A crank with a weight turns at w until that takes more than E, where sin(w t) m g l = E; then it is held back, and comes
 * through: what the motor put in is m g l (1 - cos) and what moves. */
static void motor_saturates_under_load(void **unused) {
    (void)unused;
    const double L = 0.5, E = 4, W = 2, I = 0.02 + L * L;
    for (int way = 0; way < WAYS; way++) {
        Machine m = machine_begin(DOWN);
        BrBodyId body = machine_body(&m, "arm", 1, diagonal(0.02, 0.02, 0.02), vec(0, 0, -L));
        BrJointId hinge = machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, body, NONE, Y);
        machine_motor(&m, "motor", hinge, 0, br_constant(W), E);
        machine_ready(&m);
        machine_set_twist(&m, body, vec(-W * L, 0, 0), vec(0, W, 0));
        double t = asin(E / (G * L)) / W;
        Seen seen = run(&m, (Way)way, t / 4, 3, hinge);
        assert_int_equal(seen.count[BR_EVENT_SATURATION], 0);
        assert_near(machine_rate(&m, hinge, 0), W, 1e-12);
        seen = run(&m, (Way)way, t / 4, 3, hinge);
        assert_int_equal(seen.count[BR_EVENT_SATURATION], 1);
        assert_near(seen.first[BR_EVENT_SATURATION], t, 1e-8); /* of what it can 1e-8 is too much */
        assert_true(machine_rate(&m, hinge, 0) < W - 1e-4);
        double angle = machine_position(&m, hinge, 0), rate = machine_rate(&m, hinge, 0), a = asin(E / (G * L));
        double energy = 0.5 * I * W * W + E * (angle - a) - G * L * (cos(a) - cos(angle));
        assert_near(0.5 * I * rate * rate, energy, 1e-8);
        check_books(&m, 5);
        machine_end(&m);
    }
}

/* A motor that is to stand still and dry friction hold a mass together, up to the sum of both: beyond, it goes with what is left.
 * One that is to go ever faster does, as far as its effort beyond friction reaches. */
static void motor_and_friction_share_a_coordinate(void **unused) {
    (void)unused;
    static const double CASES[][2] = {{8, 5}, {8, 3}, {10, 5}, {-10, 3}}; /* N: load, largest effort */
    for (int way = 0; way < WAYS; way++)
        for (int k = 0; k < 4; k++) {
            const double load = CASES[k][0], effort = CASES[k][1], friction = 4, left = fabs(load) - effort - friction;
            World world = make_world(0);
            BrJointId slide;
            BrBodyId body;
            Machine m = make_slider(&world, 2, -INFINITY, INFINITY, friction, NONE, &slide, &body);
            machine_motor(&m, "motor", slide, 0, br_constant(0), effort);
            machine_force(&m, "load", body, 0, br_constant(load));
            machine_ready(&m);
            run(&m, (Way)way, 0.05, 20, slide);
            assert_near(machine_position(&m, slide, 0), copysign(left > 0 ? 0.25 * left : 0, load), 1e-9);
            check_books(&m, 1);
            machine_end(&m);
            BrBodyId wheel;
            BrJointId hinge;
            m = make_wheel(&world, 0.5, 0.5, &hinge, &wheel);
            machine_motor(&m, "ramp", hinge, 0, br_expression("2*t"), 0.3 * effort);
            machine_ready(&m);
            run(&m, (Way)way, 0.05, 20, hinge);
            double most = (0.3 * effort - 0.5) / 0.5;
            assert_near(machine_rate(&m, hinge, 0), most < 2 ? most : 2, 1e-9);
            check_books(&m, 1);
            machine_end(&m);
        }
}

/* ------------------------------------------------------------------ together */

/* A ball of 1 kg, driven at V by a motor of largest effort E, strikes one of 2 kg that dry friction F2 holds, pushes it to its
 * stop, and presses it there. What strikes sticks. */
typedef struct Press {
    Machine m;
    BrJointId driven, pushed;
    BrBodyId ball[2];
    BrMotorId motor;
} Press;

static const double V = 1, E = 6, F2 = 1.5, R = 0.1, GAP = 0.3, WAY = 0.2; /* m/s, N, N, m */

/* soft: stiffness of a compliant contact, N/m; 0: rigid. */
static Press make_press(const World *world, double soft) {
    Press p = {.m = machine_begin(NONE)};
    BrMaterialDef clay = br_default_material_def();
    clay.name = "clay";
    br_law_set(&clay.surface.friction, "mu", 0);
    if (soft > 0) {
        clay.surface.compliant_normal = br_law(BR_LAW_NORMAL, "kelvin-voigt");
        br_law_set(&clay.surface.compliant_normal, "stiffness", soft);
        br_law_set(&clay.surface.compliant_normal, "damping", 2 * sqrt(soft));
        clay.surface.compliant_friction = br_law(BR_LAW_FRICTION, "tanh");
        br_law_set(&clay.surface.compliant_friction, "mu", 0);
    }
    BrMaterialId material = machine_add_material(&p.m, &clay);
    const char *names[2] = {"driver", "cart"};
    BrJointId *joints[2] = {&p.driven, &p.pushed};
    for (int k = 0; k < 2; k++) {
        double x = k ? 2 * R + GAP : 0;
        p.ball[k] = machine_ball(&p.m, names[k], k ? 2 : 1, R, see(world, vec(x, 0, 0)), material);
        BrJointDef def = br_default_joint_def();
        def.name = k ? "pushed" : "driven", def.type = BR_JOINT_PRISMATIC;
        def.body_a = p.m.ground, def.body_b = p.ball[k];
        def.axis = see(world, X), def.at = see(world, vec(x, 0, 0));
        if (k) def.upper[0] = WAY, def.dry_friction[0] = F2;
        *joints[k] = machine_add_joint(&p.m, &def);
    }
    p.motor = machine_motor(&p.m, "motor", p.driven, 0, br_constant(V), E);
    machine_ready(&p.m);
    return p;
}

static void motor_presses_through_a_contact_against_a_limit(void **unused) {
    (void)unused;
    for (int number = 0; number < 2; number++) {
        World world = make_world(number);
        Press p = make_press(&world, 0);
        double up = V / E, blow = up + (GAP - 0.5 * V * up) / V, u = V / 3, a = (E - F2) / 3;
        double stop = blow + (sqrt(u * u + 2 * a * WAY) - u) / a; /* before it has its speed again */
        assert_true(u * u + 2 * a * WAY < V * V);
        Seen motor = run(&p.m, EVENT, blow / 4, 3, p.driven);
        assert_near(motor.first[BR_EVENT_HOLD], up, 1e-9);
        assert_near(machine_rate(&p.m, p.driven, 0), V, 1e-12);
        double dt = stop * 1.5 / 20;
        Seen cart = run(&p.m, EVENT, dt, 20, p.pushed);
        assert_near(cart.first[BR_EVENT_SLIP], blow, 1e-9);
        assert_near(cart.first[BR_EVENT_TOUCH], stop, 1e-9);
        assert_near(cart.before, u + a * (stop - blow), 1e-9);
        assert_int_equal(cart.count[BR_EVENT_TOUCH], 1);
        assert_near(machine_position(&p.m, p.pushed, 0), WAY, 1e-12);
        assert_near(machine_position(&p.m, p.driven, 0), GAP + WAY, 1e-11);
        assert_near(machine_rate(&p.m, p.driven, 0), 0, 1e-12);
        BrVec3 force = machine_reaction(&p.m, p.pushed).force;
        assert_near(dot(force, see(&world, X)), -E, 1e-9); /* friction and limit together */
        double effort;
        assert_int_equal(br_motor_effort(p.m.model, p.m.workspace, p.motor, &effort), BR_OK);
        assert_near(effort, E, 1e-9);
        check_books(&p.m, 3);
        machine_end(&p.m);
    }
}

/* The same with fixed steps: blows, stops and what breaks away are located, so that schemes keep their order from one to the
 * next. Half a step of rk4 makes an error 16 times smaller, or rounding. */
static void fixed_steps_keep_their_order(void **unused) {
    (void)unused;
    static const struct {
        BrScheme scheme;
        double gain, most;
    } CASES[] = {{BR_SCHEME_SEMI_IMPLICIT, 1.7, 0.1},
                 {BR_SCHEME_RK2, 3.4, 1e-3},
                 {BR_SCHEME_RK3, 6.5, 1e-4},
                 {BR_SCHEME_RK4, 12, 1e-5},
                 {BR_SCHEME_STIFF, 0, 1e-8}};
    for (int k = 0; k < 5; k++) {
        double errors[2];
        for (int half = 0; half < 2; half++) {
            double last[2][2];
            for (int exact = 0; exact < 2; exact++) {
                World world = make_world(0);
                BrJointId slide;
                BrBodyId body;
                Machine m = make_slider(&world, 2, -0.25, INFINITY, 3, NONE, &slide, &body);
                machine_joint_spring(&m, "spring", slide, 0, 50, 0);
                machine_motor(&m, "motor", slide, 0, br_constant(0), 0.5);
                machine_ready(&m);
                BrError error = {0};
                BrPose pose = machine_pose(&m, body);
                pose.position = vec(0.7, 0, 0);
                assert_int_equal(br_body_set_pose(m.model, m.state, body, pose, &error), BR_OK);
                BrStepDef def = exact ? make_def(EVENT, 0.01) : machine_step_def(CASES[k].scheme, half ? 0.005 : 0.01);
                if (!exact) def.formulation = BR_FORMULATION_COMPLIANT;
                machine_steps(&m, &def, exact || !half ? 70 : 140);
                last[exact][0] = machine_position(&m, slide, 0), last[exact][1] = machine_rate(&m, slide, 0);
                if (!exact) assert_true(machine_position(&m, slide, 0) >= -0.25 - 1e-9);
                machine_end(&m);
            }
            errors[half] = hypot(last[0][0] - last[1][0], (last[0][1] - last[1][1]) / 5);
        }
        assert_true(errors[0] < CASES[k].most);
        if (errors[0] > 1e-9 && CASES[k].gain > 0) assert_true(errors[0] / errors[1] > CASES[k].gain);
    }
}

/* A compliant contact in place of the rigid one: what differs is of the time that a blow takes, and of the depth. */
static void compliant_contact_comes_to_the_same(void **unused) {
    (void)unused;
    World world = make_world(0);
    Press rigid = make_press(&world, 0);
    run(&rigid.m, EVENT, 0.02, 50, rigid.pushed);
    double errors[2];
    for (int k = 0; k < 2; k++) {
        Press soft = make_press(&world, k ? 1e8 : 1e6);
        BrStepDef def = make_def(ADAPTIVE, 0.02);
        def.tolerance = 1e-9;
        machine_steps(&soft.m, &def, 50);
        assert_near(machine_position(&soft.m, soft.pushed, 0), WAY, 1e-12);
        assert_near(dot(machine_reaction(&soft.m, soft.pushed).force, X), -E,
                    1e-3); /* 1e-9 of a metre, by the stiffness: 0.1 N at most */
        errors[k] = machine_distance(&rigid.m, &soft.m);
        BrEnergy e = machine_energy(&soft.m);
        assert_near(e.defect, 0, 1e-6); /* 1e-9 in each of some hundred inner steps */
        machine_end(&soft.m);
    }
    assert_true(errors[0] < 1e-4);
    assert_true(errors[1] < 0.1 * errors[0]); /* depth is force over stiffness */
    machine_end(&rigid.m);
}

/* Timestepping comes to the same as its step goes to nothing: with its first order, as blows and stops end its steps. */
static void timestepping_comes_to_the_same(void **unused) {
    (void)unused;
    World world = make_world(0);
    Press exact = make_press(&world, 0);
    run(&exact.m, EVENT, 0.02, 30, exact.pushed);
    double errors[2];
    for (int k = 0; k < 2; k++) {
        Press p = make_press(&world, 0);
        machine_run(&p.m, BR_SCHEME_HEM2, k ? 2.5e-4 : 1e-3, k ? 2400 : 600);
        errors[k] = machine_distance(&exact.m, &p.m);
        machine_end(&p.m);
    }
    assert_true(errors[0] < 5e-3); /* V h and what E adds in a step, at two blows */
    assert_true(errors[1] < 0.5 * errors[0] + 1e-6);
    machine_end(&exact.m);
}

/* A chain of up to `most` links under gravity, each on a hinge or a slide, some with limits, friction, a motor with a largest
 * effort; all drawn. */
typedef struct Chain {
    Machine m;
    int links;
    BrJointId joint[100];
    bool driven;
} Chain;

static Chain make_chain(uint64_t number, int links, bool motors) {
    uint64_t seed = UINT64_C(0x9E3779B97F4A7C15) * (number + 1);
    for (int k = 0; k < 4; k++) draw(&seed, 0, 1);
    Chain c = {.m = machine_begin(DOWN), .links = links};
    BrBodyId last = c.m.ground;
    for (int k = 0; k < links; k++) {
        char name[24], pin[24], drive[24];
        snprintf(name, sizeof name, "link%d", k), snprintf(pin, sizeof pin, "pin%d", k);
        snprintf(drive, sizeof drive, "drive%d", k);
        double mass = draw(&seed, 0.5, 2), size = draw(&seed, 0.01, 0.05), kind = draw(&seed, 0, 1);
        BrBodyId body = machine_body(&c.m, name, mass, diagonal(size, 1.2 * size, 1.4 * size), vec(k + 0.5, 0, 0));
        BrJointDef def = br_default_joint_def();
        def.name = pin, def.body_a = last, def.body_b = body, def.at = vec(k, 0, 0);
        def.type = kind < 0.75 ? BR_JOINT_REVOLUTE : BR_JOINT_PRISMATIC;
        def.axis = add(kind < 0.75 ? Y : X, draw_vec(&seed, 0.3));
        if (draw(&seed, 0, 1) < 0.6) def.lower[0] = draw(&seed, -0.5, -0.05), def.upper[0] = draw(&seed, 0.05, 0.5);
        if (draw(&seed, 0, 1) < 0.6) def.dry_friction[0] = draw(&seed, 0.1, 6);
        c.joint[k] = machine_add_joint(&c.m, &def);
        double speed = draw(&seed, -2, 2), effort = draw(&seed, 0.5, 10);
        if (draw(&seed, 0, 1) < 0.4 && motors) {
            machine_motor(&c.m, drive, c.joint[k], 0, br_constant(speed), effort);
            c.driven = true;
        }
        last = body;
    }
    machine_ready(&c.m);
    return c;
}

/* Drawn chains: the books close, no joint is beyond its limits, and where nothing drives energy never grows. Their smooth parts
 * are followed by hem2 with small steps. */
static void drawn_chains_keep_their_books(void **unused) {
    (void)unused;
    int machines = is_slow_run() ? 4 : is_check_run() ? 200 : 40;
    for (int n = 0; n <= machines; n++) {
        int number = n < machines ? n : 167; /* a limit lets go within a long inner step */
        Chain c = make_chain((uint64_t)number, 1 + number % 5, number % 2 == 1);
        double before = machine_mechanical_energy(&c.m), scale = 1;
        for (int k = 0; k < 20; k++) {
            run(&c.m, (Way)(number / 2 % WAYS), 0.025, 1, c.joint[0]);
            double after = machine_mechanical_energy(&c.m);
            BrEnergy e = machine_energy(&c.m);
            scale = fmax(scale, fabs(e.kinetic) + fabs(e.dissipated) + fabs(e.work));
            if (fabs(e.defect) > 1e-9 * scale) fail_msg("chain %d: %g J of %g", number, e.defect, scale);
            if (!c.driven && after > before + 1e-9 * scale) fail_msg("chain %d gains %g J", number, after - before);
            before = after;
        }
        assert_near(machine_gap(&c.m), 0, 1e-11);
        machine_end(&c.m);
    }
}

/* A state is all there is: a workspace that knows nothing makes the same bits. */
static void states_are_all_there_is(void **unused) {
    (void)unused;
    for (int number = 0; number < 8; number++) {
        Chain warm = make_chain((uint64_t)number, 1 + number % 4, true);
        BrState *state;
        BrStepDef def = make_def((Way)(number % WAYS), 0.025);
        assert_int_equal(br_state_create(warm.m.model, &state, NULL), BR_OK);
        assert_int_equal(br_state_copy(state, warm.m.state), BR_OK);
        for (int k = 0; k < 15; k++) {
            BrWorkspace *fresh;
            assert_int_equal(br_workspace_create(warm.m.model, &fresh, NULL), BR_OK);
            assert_true(br_step(warm.m.model, fresh, state, &def, NULL, NULL) >= 0);
            assert_true(br_step(warm.m.model, warm.m.workspace, warm.m.state, &def, NULL, NULL) >= 0);
            assert_true(br_state_hash(state) == br_state_hash(warm.m.state));
            br_workspace_destroy(warm.m.model, fresh);
        }
        br_state_destroy(warm.m.model, state);
        machine_end(&warm.m);
    }
}

static void drawn_chains_are_those_of_timestepping(void **unused) {
    (void)unused;
    int machines = is_slow_run() ? 2 : is_check_run() ? 60 : 15, fine = 0;
    for (int number = 0; number < machines; number++) {
        Chain exact = make_chain((uint64_t)number, 1 + number % 4, true);
        run(&exact.m, EVENT, 0.05, 6, exact.joint[0]);
        double errors[2];
        for (int k = 0; k < 2; k++) {
            Chain c = make_chain((uint64_t)number, 1 + number % 4, true);
            machine_run(&c.m, BR_SCHEME_HEM2, k ? 1e-4 : 4e-4, k ? 3000 : 750);
            errors[k] = machine_distance(&exact.m, &c.m);
            machine_end(&c.m);
        }
        /* blows and stops within a step cost it g h, and what that grows to in a chain that whips */
        if (errors[1] < 2e-3 && errors[1] < fmax(0.75 * errors[0], 1e-6))
            fine++;
        else
            print_message("chain %d: %g %g\n", number, errors[0], errors[1]);
        machine_end(&exact.m);
    }
    assert_true(fine >= machines - machines / 10);
}

/* An arm in a bearing whose friction goes by its load, a forearm with a limit and a constant friction, and a sled with both on a
 * table that is shaken: as hem2 has them, and what the table puts in is what is lost and moves. compliant knows no friction in
 * bearings. */
static Machine make_shaken(bool bearing, BrBodyId body[3]) {
    Machine m = machine_begin(DOWN);
    body[0] = machine_body(&m, "arm", 1, diagonal(0.02, 0.02, 0.02), vec(0.5, 0, 0));
    body[1] = machine_body(&m, "fore", 0.5, diagonal(0.01, 0.01, 0.01), vec(1.5, 0, 0));
    BrBodyDef moved = br_default_body_def();
    moved.name = "table", moved.kind = BR_BODY_KINEMATIC, moved.position = vec(0, 0, -1);
    BrBodyId table = machine_add_body(&m, &moved);
    body[2] = machine_body(&m, "sled", 1, diagonal(0.1, 0.1, 0.1), vec(0, 0, -1));
    BrJointDef def = br_default_joint_def();
    def.name = "shoulder", def.type = BR_JOINT_REVOLUTE, def.body_a = m.ground, def.body_b = body[0], def.axis = Y;
    if (bearing) {
        def.friction.law = br_law(BR_LAW_FRICTION, "coulomb");
        br_law_set(&def.friction.law, "mu", 0.2);
        def.friction.pin_radius = 0.02, def.friction.bearing_spacing = 0.1;
    }
    machine_add_joint(&m, &def);
    def = br_default_joint_def();
    def.name = "elbow", def.type = BR_JOINT_REVOLUTE, def.body_a = body[0], def.body_b = body[1], def.axis = Y;
    def.at = X, def.lower[0] = -0.35, def.upper[0] = 0.52, def.dry_friction[0] = 0.3;
    machine_add_joint(&m, &def);
    def = br_default_joint_def();
    def.name = "rail", def.type = BR_JOINT_PRISMATIC, def.body_a = table, def.body_b = body[2], def.axis = X;
    def.at = vec(0, 0, -1), def.lower[0] = -0.2, def.upper[0] = 0.2, def.dry_friction[0] = 2;
    machine_add_joint(&m, &def);
    BrMotionDef shake = br_default_motion_def();
    shake.name = "shake", shake.body = table, shake.by_velocity = true, shake.linear[0] = br_expression("2*cos(8*t)");
    BrError error = {0};
    assert_int_equal(br_model_add_motion(m.model, &shake, NULL, &error), BR_OK);
    machine_ready(&m);
    return m;
}

static void bearings_limits_and_moved_bodies_go_together(void **unused) {
    (void)unused;
    for (int way = 0; way < WAYS; way++) {
        BrBodyId body[3], other[3];
        Machine m = make_shaken(way == EVENT, body), steps = make_shaken(way == EVENT, other);
        run(&m, (Way)way, 0.01, 150, (BrJointId){0});
        BrStepDef def = machine_step_def(BR_SCHEME_HEM2, 2e-4);
        for (int k = 0; k < 7500; k++) /* whose books do not know what the table does through a joint's friction */
            assert_true(br_step(steps.model, steps.workspace, steps.state, &def, NULL, NULL) >= 0);
        for (int k = 0; k < 3; k++) /* blows and stops end its steps: some g h, carried on for a second */
            assert_vec_near(machine_pose(&m, body[k]).position, machine_pose(&steps, other[k]).position, 2e-3);
        assert_true(machine_energy(&m).work > 1);
        check_books(&m, 10);
        machine_end(&m);
        machine_end(&steps);
    }
}

/* Ten and a hundred joints at once. */
static void long_chains_come_to_rest(void **unused) {
    (void)unused;
    for (int k = 0; k < (is_slow_run() ? 1 : 2); k++) {
        int links = k ? 100 : 10; /* the long ones have just begun to fall */
        Machine m = machine_begin(DOWN);
        BrBodyId last = m.ground;
        for (int i = 0; i < links; i++) {
            char name[24], pin[24];
            snprintf(name, sizeof name, "link%d", i), snprintf(pin, sizeof pin, "pin%d", i);
            BrBodyId body = machine_body(&m, name, 1, diagonal(0.1, 0.1, 0.1), vec(i + 0.5, 0, 0));
            BrJointDef def = br_default_joint_def();
            def.name = pin, def.body_a = last, def.body_b = body, def.at = vec(i, 0, 0);
            def.type = BR_JOINT_REVOLUTE, def.axis = Y;
            def.lower[0] = -0.01, def.upper[0] = 0.01;
            if (i % 2) def.dry_friction[0] = 5.0 * links;
            machine_add_joint(&m, &def);
            last = body;
        }
        machine_ready(&m);
        run(&m, EVENT, 0.01, k ? 1 : 20, (BrJointId){0});
        /* hundreds of blows, each placed to 1e-11 rad (25 roundings of 10 m), where hinges carry 200 N m */
        check_books(&m, 10 * (1 + machine_energy(&m).dissipated));
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ what is too much */

/* A four-bar loop of equal links, two of whose hinges have the same limit: both are met at once, and share one load. */
static void two_limits_of_a_loop_are_met_at_once(void **unused) {
    (void)unused;
    const double L = 0.5, STOP = 0.4;
    Machine m = machine_begin(DOWN);
    BrBodyId left = machine_body(&m, "left", 1, diagonal(0.02, 0.02, 0.02), vec(0, 0, L / 2));
    BrBodyId right = machine_body(&m, "right", 1, diagonal(0.02, 0.02, 0.02), vec(L, 0, L / 2));
    BrBodyId top = machine_body(&m, "top", 1, diagonal(0.02, 0.02, 0.02), vec(L / 2, 0, L));
    BrJointId hinge[2];
    for (int k = 0; k < 2; k++) {
        BrJointDef def = br_default_joint_def();
        def.name = k ? "right_foot" : "left_foot", def.type = BR_JOINT_REVOLUTE, def.axis = Y;
        def.body_a = m.ground, def.body_b = k ? right : left, def.at = vec(k * L, 0, 0);
        def.upper[0] = STOP;
        hinge[k] = machine_add_joint(&m, &def);
        machine_joint(&m, k ? "right_head" : "left_head", BR_JOINT_REVOLUTE, k ? right : left, top, vec(k * L, 0, L),
                      Y);
    }
    machine_ready(&m);
    const double W = 0.5;
    for (int k = 0; k < 2; k++) machine_set_twist(&m, k ? right : left, vec(W * L / 2, 0, 0), vec(0, W, 0));
    machine_set_twist(&m, top, vec(W * L, 0, 0), NONE);
    run(&m, EVENT, 0.05, 30, hinge[0]);
    for (int k = 0; k < 2; k++) {
        assert_near(machine_position(&m, hinge[k], 0), STOP, 1e-12);
        assert_near(machine_rate(&m, hinge[k], 0), 0, 1e-12);
    }
    double I = 2 * (0.02 + L * L / 4) + L * L, fall = 2 * G * L * (1 - cos(STOP));
    assert_near(machine_energy(&m).dissipated, 0.5 * I * W * W + fall, 1e-9);
    check_books(&m, 1);
    machine_end(&m);
}

/* A motor runs its own coordinate against a limit; when it turns round it takes it off again. And one that is told to stand
 * there holds it, with the limit or without. */
static void motor_runs_against_its_own_limit(void **unused) {
    (void)unused;
    for (int way = 0; way < WAYS; way++) {
        World world = make_world(0);
        BrJointId slide;
        BrBodyId body;
        Machine m = make_slider(&world, 1, -1, 0.3, 0.5, NONE, &slide, &body);
        BrMotorId motor = machine_motor(&m, "motor", slide, 0, br_constant(1), 2);
        machine_ready(&m);
        Seen seen = run(&m, (Way)way, 0.05, 20, slide);
        assert_int_equal(seen.count[BR_EVENT_TOUCH], 1);
        assert_near(machine_position(&m, slide, 0), 0.3, 1e-12);
        assert_near(machine_reaction(&m, slide).force.x, 0, 1e-9); /* limit and friction against the motor */
        BrError error = {0};
        assert_int_equal(br_motor_set_target(m.model, m.state, motor, -1, 2, &error), BR_OK);
        seen = run(&m, (Way)way, 0.05, 10, slide);
        assert_int_equal(seen.count[BR_EVENT_SEPARATION], 1);
        assert_near(machine_position(&m, slide, 0), 0.3 - 0.5 * 1.5 * 0.25, 1e-9);
        check_books(&m, 1);
        machine_end(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_meets_its_limit),
        cmocka_unit_test(limit_lets_go_of_what_is_pulled_away),
        cmocka_unit_test(short_excess_is_not_overlooked),
        cmocka_unit_test(friction_holds_and_lets_go_by_a_millionth),
        cmocka_unit_test(friction_stops_a_flywheel),
        cmocka_unit_test(swing_with_friction_ends_where_it_must),
        cmocka_unit_test(stick_slip_has_its_period),
        cmocka_unit_test(motor_reaches_its_speed),
        cmocka_unit_test(motor_saturates_under_load),
        cmocka_unit_test(motor_and_friction_share_a_coordinate),
        cmocka_unit_test(motor_presses_through_a_contact_against_a_limit),
        cmocka_unit_test(fixed_steps_keep_their_order),
        cmocka_unit_test(compliant_contact_comes_to_the_same),
        cmocka_unit_test(timestepping_comes_to_the_same),
        cmocka_unit_test(drawn_chains_keep_their_books),
        cmocka_unit_test(states_are_all_there_is),
        cmocka_unit_test(drawn_chains_are_those_of_timestepping),
        cmocka_unit_test(bearings_limits_and_moved_bodies_go_together),
        cmocka_unit_test(long_chains_come_to_rest),
        cmocka_unit_test(two_limits_of_a_loop_are_met_at_once),
        cmocka_unit_test(motor_runs_against_its_own_limit),
    };
    cmocka_set_test_filter(getenv("ONLY"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
