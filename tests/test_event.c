/* test_event.c: the event formulation where motions change their nature: walls that are left, edges rolled over,
 * thresholds passed by a millionth, platforms, piles of light and heavy, worlds of any size; and rods that jam. Every
 * step ends within its bound on work, and says what it knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "machine.h"

static const double G = 9.81;
static const BrVec3 NONE = {0, 0, 0}, DOWN = {0, 0, -9.81}, X = {1, 0, 0}, Y = {0, 1, 0};

/* Far more than any of these steps needs, and far less than the preset. */
static const double MUCH = 1e9;

/* One event that was seen, or none. */
typedef struct Seen {
    int count;
    double time; /* of the first */
} Seen;

/* Steps that must be taken and certified; first event of a kind. */
static Seen run(Machine *m, double dt, int steps, BrEventKind kind) {
    BrStepDef def = machine_event_def(dt);
    Seen seen = {0};
    def.most_work = MUCH;
    for (int k = 0; k < steps; k++) {
        BrStepReport report;
        BrError error = {0};
        BrStatus status = br_step(m->model, m->workspace, m->state, &def, &report, &error);
        if (status != BR_OK) fail_msg("step %d: %s %s", k, br_status_name(status), error.text);
        for (int i = 0; i < report.events && i < BR_STEP_EVENTS; i++)
            if (report.event[i].kind == kind && seen.count++ == 0) seen.time = report.event[i].time;
    }
    return seen;
}

/* ------------------------------------------------------------------ leaving */

/* Sliding from rest at a0 off a hill the ball leaves where cos a = 2/3 cos a0, and flies on its parabola. With any
 * friction that makes it roll it leaves too; with very much it rolls all the way. */
static void hill_is_left_where_nothing_presses_any_more(void **unused) {
    (void)unused;
    double way = 1.25, start = 0.05;
    Machine m = machine_begin(DOWN);
    BrMaterialId ice = machine_material(&m, "ice", 0, 0);
    machine_sphere(&m, m.ground, 1, ice);
    BrBodyId ball = machine_ball(&m, "ball", 1, 0.25, vec(way * sin(start), 0, way * cos(start)), ice);
    machine_ready(&m);
    Seen left = run(&m, 0.02, 75, BR_EVENT_SEPARATION);
    assert_int_equal(left.count, 1);
    double angle = acos(2. / 3 * cos(start)), t = 1.5 - left.time, speed = sqrt(G * way * cos(angle));
    assert_near(machine_pose(&m, ball).position.x, way * sin(angle) + speed * cos(angle) * t, 1e-8);
    assert_near(machine_pose(&m, ball).position.z, way * cos(angle) - speed * sin(angle) * t - 0.5 * G * t * t, 1e-8);
    machine_end(&m);
}

static void very_rough_hill_is_rolled_off(void **unused) {
    (void)unused;
    for (int k = 0; k < 3; k++) {
        double way = 1.25, start = 0.05;
        Machine m = machine_begin(DOWN);
        BrMaterialId rough = machine_material(&m, "rough", k == 0 ? 0.4 : k == 1 ? 1e5 : 1e6, 0);
        machine_sphere(&m, m.ground, 1, rough);
        BrBodyId ball = machine_ball(&m, "ball", 1, 0.25, vec(way * sin(start), 0, way * cos(start)), rough);
        machine_ready(&m);
        Seen left = run(&m, 0.02, 80, BR_EVENT_SEPARATION);
        assert_int_equal(left.count, 1);
        /* rolling keeps 7/10 m v^2 = m g way (cos a0 - cos a); N = m g (17 cos a - 10 cos a0)/7 ends at cos a = 10/17
         */
        if (k > 0) {
            BrEnergy e = machine_energy(&m);
            assert_near(e.dissipated, 0, 1e-9);
            double spin = norm(machine_twist(&m, ball).angular), cosine = 10. / 17 * cos(start);
            /* at the very end, while mu N < 2/7 m g, it slips: a time of 1/mu or so */
            assert_near(0.7 * spin * spin * 0.25 * 0.25, G * way * (cos(start) - cosine), k == 1 ? 1e-5 : 1e-6);
        }
        assert_near(machine_energy(&m).defect, 0, 1e-9);
        machine_end(&m);
    }
}

static Machine make_tube(double mu, BrMaterialId *steel) {
    Machine m = machine_begin(DOWN);
    *steel = machine_material(&m, "steel", mu, 0);
    machine_tube(&m, 1, 4, *steel);
    return m;
}

static void run_round(double t, const double *y, double *rate, const void *user) {
    (void)t, (void)user;
    rate[0] = y[1];
    rate[1] = -0.05 * (y[1] * y[1] + G * cos(y[0])) - G * sin(y[0]);
}

/* Thrown round inside a tube a point leaves the wall where v^2/R = -g cos a, falls through the tube and hits it. */
static void wall_of_a_tube_is_left_on_the_way_up(void **unused) {
    (void)unused;
    BrMaterialId steel;
    Machine m = make_tube(0.05, &steel);
    BrBodyId point = machine_body(&m, "point", 1, diagonal(1, 1, 1), vec(0, 0, -1));
    machine_point(&m, point, NONE, steel);
    machine_ready(&m);
    machine_set_twist(&m, point, vec(6, 0, 0), NONE);
    Seen left = run(&m, 0.02, 60, BR_EVENT_SEPARATION);
    double low = 0.3, high = 1;
    for (int k = 0; k < 50; k++) {
        double middle = 0.5 * (low + high), y[2] = {0, 6};
        integrate(run_round, NULL, 2, 0, middle, 2000, y);
        *(y[1] * y[1] + G * cos(y[0]) > 0 ? &low : &high) = middle;
    }
    assert_true(left.count >= 1);
    assert_near(left.time, low, 1e-9);
    machine_end(&m);
}

/* A ball rolls over the edge of a table: it turns about the edge, lets go, and falls. Its energy stays but for what
 * slipping on the edge takes. */
static void table_is_rolled_off(void **unused) {
    (void)unused;
    for (int k = 0; k < 4; k++) {
        double speed = 0.3 + 0.4 * k;
        Machine m = machine_begin(DOWN);
        BrMaterialId wood = machine_material(&m, "wood", 0.4, 0);
        machine_box(&m, m.ground, vec(1, 1, 0.1), wood);
        BrBodyId ball = machine_ball(&m, "ball", 0.2, 0.1, vec(0.4, 0, 0.15), wood);
        machine_ready(&m);
        machine_set_twist(&m, ball, vec(speed, 0, 0), vec(0, speed / 0.1, 0));
        Seen left = run(&m, 0.01, 80, BR_EVENT_SEPARATION);
        assert_true(left.count >= 1);
        assert_true(machine_pose(&m, ball).position.z < 0);
        assert_near(machine_energy(&m).defect, 0, 1e-8);
        assert_true(machine_energy(&m).dissipated > -1e-12);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ thresholds */

/* A box on a slope without friction, from rest: s = g sin(a) t^2/2. */
static void smooth_slope_is_slid_down_from_rest(void **unused) {
    (void)unused;
    double angle = 0.3;
    Machine m = machine_begin(DOWN);
    BrMaterialId ice = machine_material(&m, "ice", 0, 0);
    BrMat3 tilt = turn_about(Y, angle);
    machine_plane(&m, rotate(&tilt, vec(0, 0, 1)), ice);
    BrBodyDef def = br_default_body_def();
    def.name = "box";
    def.mass = 2;
    def.inertia = diagonal(0.1, 0.1, 0.1);
    def.rotation = tilt;
    def.position = rotate(&tilt, vec(0, 0, 0.1));
    BrBodyId box = machine_add_body(&m, &def);
    machine_box(&m, box, vec(0.4, 0.4, 0.2), ice);
    machine_ready(&m);
    run(&m, 0.1, 10, BR_EVENT_SLIP);
    BrVec3 moved = sub(machine_pose(&m, box).position, def.position);
    assert_vec_near(moved, rotate(&tilt, vec(0.5 * G * sin(angle), 0, 0)), 1e-9);
    machine_end(&m);
}

/* A millionth beyond what friction holds it slides with g (sin a - mu cos a), a millionth below it stays; in a world
 * that stands anyhow. */
static void thresholds_hold_in_rotated_worlds(void **unused) {
    (void)unused;
    uint64_t seed = 7;
    for (int k = 0; k < 6; k++) {
        double mu = 0.4, angle = atan(mu), beyond = k % 2 ? 1e-6 : -1e-6;
        BrVec3 axis = draw_vec(&seed, 1);
        BrMat3 world = k < 2 ? turn_about(X, 0) : turn_about(scale(1 / norm(axis), axis), draw(&seed, 0, 3));
        BrVec3 gravity = rotate(&world, vec(G * sin(angle), 0, -G * cos(angle)));
        Machine m = machine_begin(gravity);
        BrMaterialId wood = machine_material(&m, "wood", mu * (1 - beyond), 0);
        machine_plane(&m, rotate(&world, vec(0, 0, 1)), wood);
        BrBodyDef def = br_default_body_def();
        def.name = "box";
        def.mass = 2;
        def.inertia = diagonal(0.1, 0.1, 0.1);
        def.rotation = world;
        def.position = rotate(&world, vec(0, 0, 0.05));
        BrBodyId box = machine_add_body(&m, &def);
        machine_box(&m, box, vec(0.4, 0.4, 0.1), wood);
        machine_ready(&m);
        run(&m, 0.1, 10, BR_EVENT_SLIP);
        double moved = norm(sub(machine_pose(&m, box).position, def.position));
        assert_near(moved, beyond > 0 ? 0.5 * G * sin(angle) * 1e-6 : 0, 1e-9);
        machine_end(&m);
    }
}

/* A box on a platform that speeds up: below mu g it rides along, above it is dragged with mu g. */
static void box_rides_an_accelerating_platform(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        double a = k ? 5 : 3, mu = 0.4; /* m/s^2; mu g = 3.924 */
        Machine m = machine_begin(DOWN);
        BrMaterialId rubber = machine_material(&m, "rubber", mu, 0);
        BrBodyDef lift = br_default_body_def();
        lift.name = "platform";
        lift.kind = BR_BODY_KINEMATIC;
        lift.position = vec(0, 0, -0.05);
        BrBodyId platform = machine_add_body(&m, &lift);
        machine_box(&m, platform, vec(4, 1, 0.1), rubber);
        BrMotionDef motion = br_default_motion_def();
        BrMotionId id;
        BrError error = {0};
        motion.name = "ride";
        motion.body = platform;
        motion.by_velocity = true;
        motion.linear[0] = br_expression(k ? "5*t" : "3*t");
        if (br_model_add_motion(m.model, &motion, &id, &error) != BR_OK) fail_msg("%s", error.text);
        BrBodyId box = machine_block(&m, "box", 2, vec(0.2, 0.2, 0.1), vec(0, 0, 0.05), rubber);
        machine_ready(&m);
        run(&m, 0.05, 10, BR_EVENT_SLIP);
        double expected = 0.5 * (a < mu * G ? a : mu * G) * 0.25;
        assert_near(machine_pose(&m, box).position.x, expected, 1e-8);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ piles, sizes, and what jams */

static void cylinder_rolls_in_a_tube(void **unused) {
    (void)unused;
    BrMaterialId steel;
    Machine m = make_tube(0.5, &steel);
    double r = 0.2, start = 0.5, way = 1 - r;
    BrBodyDef def = br_default_body_def();
    def.name = "roll";
    def.mass = 1;
    def.inertia = diagonal(0.02, 0.5 * r * r, 0.02);
    def.position = vec(way * sin(start), 0, -way * cos(start));
    BrBodyId roll = machine_add_body(&m, &def);
    BrShapeDef shape = br_default_shape_def();
    shape.body = roll;
    shape.kind = BR_SHAPE_CYLINDER;
    shape.radius = r;
    shape.length = 0.6;
    shape.rotation_body = turn_about(X, PI / 2);
    shape.material = steel;
    machine_add_shape(&m, &shape);
    machine_ready(&m);
    /* 3/2 m way a'' = -m g sin a: a pendulum of 3/2 the length, back where it was after a period */
    double period = 4 * complete_elliptic(sin(start / 2)) * sqrt(1.5 * way / G);
    run(&m, period / 20, 20, BR_EVENT_SLIP);
    assert_vec_near(machine_pose(&m, roll).position, def.position, 1e-7);
    assert_near(machine_energy(&m).defect, 0, 1e-8);
    machine_end(&m);
}

/* Two boxes carry one that is up to a thousand times heavier: they stand, and the floor carries all. */
static void heavy_on_light_stands(void **unused) {
    (void)unused;
    for (double ratio = 1; ratio < 2e3; ratio *= 1e3) {
        Machine m = machine_begin(DOWN);
        BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
        machine_floor(&m, wood);
        double mass[3] = {1, 1, ratio};
        for (int k = 0; k < 3; k++) {
            char name[] = {(char)('a' + k), 0};
            machine_block(&m, name, mass[k], vec(0.2, 0.2, 0.1), vec(0, 0, 0.05 + 0.1 * k), wood);
        }
        machine_ready(&m);
        run(&m, 0.02, 10, BR_EVENT_SLIP);
        double force = 0;
        for (int k = 0, count = machine_contact_count(&m); k < count; k++) {
            BrContact c = machine_contact(&m, k);
            if (c.point.z < 0.05) force += c.normal_force;
        }
        assert_near(force / (G * (2 + ratio)), 1, 1e-6);
        machine_end(&m);
    }
}

/* The same machine a thousand times larger or smaller does the same, its time being longer by the root of that. */
static void worlds_of_any_size_run_alike(void **unused) {
    (void)unused;
    double positions[3];
    for (int k = 0; k < 3; k++) {
        double size = k == 0 ? 1 : k == 1 ? 1e3 : 1e-3, time = sqrt(size);
        Machine m = machine_begin(DOWN);
        BrMaterialId steel = machine_material(&m, "steel", 0.3, 0.5);
        machine_sphere(&m, m.ground, size, steel);
        BrBodyId ball = machine_ball(&m, "ball", 1, 0.3 * size, vec(0.2 * size, 0.1 * size, 1.5 * size), steel);
        machine_ready(&m);
        machine_set_twist(&m, ball, vec(0.3 * size / time, 0, 0), vec(1 / time, 2 / time, 3 / time));
        run(&m, 0.02 * time, 40, BR_EVENT_SLIP);
        positions[k] = machine_pose(&m, ball).position.x / size;
        machine_end(&m);
    }
    assert_near(positions[1], positions[0], 1e-6);
    assert_near(positions[2], positions[0], 1e-6);
}

/* A rod that slides on its end with much friction jams [Painleve 1895]: no forces of rigid contact fit. That is said,
 * at once, and the state stays. */
static void rod_that_jams_is_refused(void **unused) {
    (void)unused;
    double angle = 65 * PI / 180, half = 0.5;
    Machine m = machine_begin(DOWN);
    BrMaterialId chalk = machine_material(&m, "chalk", 2, 0);
    machine_floor(&m, chalk);
    BrBodyDef def = br_default_body_def();
    def.name = "rod";
    def.mass = 1;
    def.inertia = diagonal(1e-4, 1. / 12, 1. / 12);
    def.rotation = turn_about(Y, -angle);
    def.position = vec(half * cos(angle), 0, half * sin(angle));
    BrBodyId rod = machine_add_body(&m, &def);
    machine_point(&m, rod, vec(-half, 0, 0), chalk);
    machine_ready(&m);
    /* the end slides to the left: against it friction turns the rod into the floor */
    machine_set_twist(&m, rod, vec(-1, 0, 0), NONE);
    BrStepDef step = machine_event_def(1e-3);
    BrError error = {0};
    step.most_work = MUCH;
    uint64_t before = br_state_hash(m.state);
    BrStatus status = br_step(m.model, m.workspace, m.state, &step, NULL, &error);
    assert_true(status < 0);
    assert_true(br_state_hash(m.state) == before);
    assert_non_null(strstr(error.text, "jams"));
    step.fall_back = true;
    BrStepReport report;
    assert_true(br_step(m.model, m.workspace, m.state, &step, &report, &error) >= 0);
    assert_true(report.fell_back);
    machine_end(&m);
}

/* A rod of half length 0.5 leans at an angle th, turns with w and slides with its lower end ahead: with
 *     A = 1/m + L^2 c/I (c - mu s) < 0,   B = L s w^2 - g > 0
 * the end may lift off, or press with -B/A [Song 2000, Table 1]. It lifts off, unless contacts are to be kept. */
enum { ROD_X, ROD_ANGLE, ROD_VX, ROD_W };
static const double ROD_MU = 1, ROD_L = 0.5, ROD_J = 1. / 144;

static double press_of_rod(double angle, double w) {
    double s = sin(angle), c = cos(angle), A = 1 + ROD_L * ROD_L * c / ROD_J * (c - ROD_MU * s);
    return -(ROD_L * s * w * w - G) / A;
}

static void slide_rod(double t, const double *y, double *rate, const void *user) {
    double s = sin(y[ROD_ANGLE]), c = cos(y[ROD_ANGLE]), press = press_of_rod(y[ROD_ANGLE], y[ROD_W]);
    (void)t, (void)user;
    rate[ROD_X] = y[ROD_VX];
    rate[ROD_ANGLE] = y[ROD_W];
    rate[ROD_VX] = ROD_MU * press;
    rate[ROD_W] = ROD_L * (ROD_MU * s - c) * press / ROD_J;
}

static void one_of_two_answers_is_kept(void **unused) {
    (void)unused;
    for (int kept = 0; kept < 2; kept++) {
        double angle = 70 * acos(-1) / 180, w = 12, s = sin(angle), c = cos(angle), end = 5e-3;
        double y[4] = {0, angle, -3 - ROD_L * s * w, w};
        Machine m = machine_begin(DOWN);
        BrMaterialId steel = machine_material(&m, "steel", ROD_MU, 0);
        machine_floor(&m, steel);
        BrBodyDef def = br_default_body_def();
        def.name = "rod", def.mass = 1, def.inertia = diagonal(1e-3, ROD_J, ROD_J);
        def.position = vec(0, 0, ROD_L * s), def.rotation = turn_about(Y, -angle);
        BrBodyId rod = machine_add_body(&m, &def);
        machine_point(&m, rod, vec(-ROD_L, 0, 0), steel);
        machine_ready(&m);
        machine_set_twist(&m, rod, vec(y[ROD_VX], 0, ROD_L * c * w), scale(-w, Y));
        BrStepDef step = machine_event_def(1e-3);
        step.keep_contact = kept;
        BrStepReport report = machine_steps(&m, &step, 5);
        integrate(slide_rod, NULL, 4, 0, end, 2000, y);
        assert_int_equal(report.events, !kept);
        assert_true(press_of_rod(y[ROD_ANGLE], y[ROD_W]) > 5);
        double x = kept ? y[ROD_X] : end * (-3 - ROD_L * s * w);
        assert_near(machine_pose(&m, rod).position.x, x, 1e-12);
        assert_near(machine_twist(&m, rod).angular.y, kept ? -y[ROD_W] : -w, 1e-10);
        if (kept) assert_near(machine_contact(&m, 0).normal_force, press_of_rod(y[ROD_ANGLE], y[ROD_W]), 1e-9);
        assert_near(machine_energy(&m).defect, 0, 1e-11);
        machine_end(&m);
    }
}

/* A motor that is to turn at 3 rad/s from rest is at its speed after the first step, whether something is struck or not;
 * all of J w^2/2 is its work. */
static void motor_starts_at_once(void **unused) {
    (void)unused;
    const double mass = 2, radius = 0.1, arm = 0.5, speed = 3, J = mass * (0.4 * radius * radius + arm * arm);
    Machine m = machine_begin(NONE);
    BrMaterialId steel = machine_material(&m, "steel", 0.3, 0);
    machine_floor(&m, steel);
    BrBodyId bob = machine_ball(&m, "bob", mass, radius, vec(arm, 0, 2), steel);
    BrJointId hinge = machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, bob, vec(0, 0, 2), Y);
    machine_motor(&m, "motor", hinge, 0, br_constant(speed), INFINITY);
    machine_ready(&m);
    run(&m, 1e-3, 5, BR_EVENT_IMPACT);
    BrEnergy energy = machine_energy(&m);
    assert_near(energy.kinetic, 0.5 * J * speed * speed, 1e-10);
    assert_near(energy.work, energy.kinetic, 1e-10);
    assert_near(energy.defect, 0, 1e-10);
    machine_end(&m);
}

static const double BOLT = 4e-3, NUT = 5e-4; /* kg */

static BrVec3 sum_momenta(const Machine *m, BrBodyId bolt, BrBodyId nut) {
    return add(scale(BOLT, machine_twist(m, bolt).linear), scale(NUT, machine_twist(m, nut).linear));
}

/* Two bodies on one thread, thrown and spun at three radians a step: they tumble about each other while the thread
 * unscrews, 40 leads and more. Energy, momentum and the thread hold, however many turns a step has. */
static void thread_unscrews_in_long_steps(void **unused) {
    (void)unused;
    const double LEAD = 1e-3, DT[] = {1e-5, 1e-4, 5e-4};
    for (int s = is_slow_run() ? 1 : 0; s < 3; s++) {
        Machine m = machine_begin(NONE);
        BrBodyId bolt = machine_body(&m, "bolt", BOLT, diagonal(4e-10, 5e-10, 3e-10), vec(0, 0, 0));
        BrBodyId nut = machine_body(&m, "nut", NUT, diagonal(1e-10, 8e-11, 9e-11), vec(1e-4, 0, 1e-3));
        BrJointDef def = br_default_joint_def();
        def.name = "thread", def.type = BR_JOINT_SCREW, def.body_a = bolt, def.body_b = nut;
        def.axis = vec(0.6, 0, 0.8), def.lead = LEAD;
        BrJointId thread = machine_add_joint(&m, &def);
        machine_floor(&m, machine_material(&m, "steel", 0.3, 0)); /* nothing reaches it: the thread alone is at work */
        machine_ready(&m);
        machine_set_twist(&m, bolt, vec(0, 0, 50), vec(0, 0, 3e4));
        machine_set_twist(&m, nut, vec(0, 0, 50), vec(0, 0, 0));
        assert_int_equal(br_state_assemble(m.model, m.workspace, m.state, NULL, NULL), BR_OK);
        double energy = machine_energy(&m).kinetic;
        BrVec3 momentum = sum_momenta(&m, bolt, nut);
        run(&m, DT[s], (int)lround(0.01 / DT[s]), BR_EVENT_TOUCH);
        assert_near(machine_energy(&m).kinetic, energy, 1e-9 * energy);
        assert_vec_near(sum_momenta(&m, bolt, nut), momentum, 1e-9 * norm(momentum));
        assert_true(fabs(machine_position(&m, thread, 0)) > 40 * 2 * 3.14159265358979);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ breaking away */

/* A point of 2 kg, mu 0.4, under a force that turns while it grows. */
static void slide_under_turning_force(double t, const double *y, double *rate, const void *user) {
    (void)user;
    double speed = hypot(y[2], y[3]);
    rate[0] = y[2], rate[1] = y[3];
    rate[2] = 2 * t - 0.4 * G * y[2] / speed;
    rate[3] = 1.5 * sin(2 * t) - 0.4 * G * y[3] / speed;
}

/* What that does from `start`, when the force reaches mu m g, to `end`: begun with the slip a t^2/2 along the force a
 * tenth of a millisecond later, which friction turns into the right direction at once, and followed in steps shorter
 * than friction needs for that. */
static void follow_turning_force(double start, double end, double *y) {
    double first = 1e-4, t = start + first, x = 2 * t, z = 1.5 * sin(2 * t), force = hypot(x, z);
    double growth = (2 * x + 3 * cos(2 * t) * z) / force; /* m/s^3: of the force per mass */
    y[0] = y[1] = 0;
    y[2] = 0.5 * growth * first * first * x / force;
    y[3] = 0.5 * growth * first * first * z / force;
    for (double since = first; t < end; since *= 1.5) {
        double next = fmin(start + 1.5 * since, end), turning = 0.4 * G / hypot(y[2], y[3]);
        integrate(slide_under_turning_force, NULL, 4, t, next, 100 + (int)(4 * (next - t) * turning), y);
        t = next;
    }
}

/* When |force| = mu m g, by bisection. */
static double find_break_away(void) {
    double low = 1, high = 2.5;
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high);
        *(hypot(2 * middle, 1.5 * sin(2 * middle)) < 0.4 * G ? &low : &high) = middle;
    }
    return low;
}

/* A slide begins where the force comes to the cone's edge, and goes on as it must, however the force turns meanwhile,
 * in steps of any length. */
static void slide_begins_under_a_turning_force(void **unused) {
    (void)unused;
    const double DT[] = {1e-3, 0.1};
    double start = find_break_away(), y[4];
    follow_turning_force(start, 3, y);
    for (int k = 0; k < 2; k++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId wood = machine_material(&m, "wood", 0.4, 0);
        machine_floor(&m, wood);
        BrBodyId point = machine_body(&m, "point", 2, diagonal(0.02, 0.02, 0.02), NONE);
        machine_point(&m, point, NONE, wood);
        machine_force(&m, "along", point, 0, br_expression("4*t"));
        machine_force(&m, "across", point, 1, br_expression("3*sin(2*t)"));
        machine_ready(&m);
        Seen slip = run(&m, DT[k], (int)lround(3 / DT[k]), BR_EVENT_SLIP);
        assert_int_equal(slip.count, 1);
        assert_near(slip.time, start, 1e-10);
        BrVec3 r = machine_pose(&m, point).position, v = machine_twist(&m, point).linear;
        assert_vec_near(r, vec(y[0], y[1], 0), 1e-9); /* what the reference leaves out at its start is 1e-11 m/s */
        assert_vec_near(v, vec(y[2], y[3], 0), 1e-9);
        machine_end(&m);
    }
}

/* On a turntable that speeds up with a, a point at r holds until (w^2 r)^2 + (a r)^2 = (mu g)^2; then its books still
 * hold. */
static void turntable_throws_off_what_it_cannot_hold(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId wood = machine_material(&m, "wood", 0.4, 0);
    BrBodyDef def = br_default_body_def();
    def.name = "table";
    def.kind = BR_BODY_KINEMATIC;
    BrBodyId table = machine_add_body(&m, &def);
    BrShapeDef top = br_default_shape_def();
    top.kind = BR_SHAPE_PLANE, top.body = table, top.material = wood;
    machine_add_shape(&m, &top);
    BrMotionDef motion = br_default_motion_def();
    BrMotionId id;
    BrError error = {0};
    motion.name = "spin", motion.body = table, motion.by_velocity = true;
    motion.angular_velocity[2] = br_expression("1.5*t");
    if (br_model_add_motion(m.model, &motion, &id, &error) != BR_OK) fail_msg("%s", error.text);
    BrBodyId point = machine_body(&m, "point", 2, diagonal(0.02, 0.02, 0.02), vec(0.5, 0, 0));
    machine_point(&m, point, NONE, wood);
    machine_ready(&m);
    machine_set_twist(&m, point, NONE, NONE);
    Seen slip = run(&m, 0.01, 200, BR_EVENT_SLIP);
    double hold = 0.4 * G, push = 1.5 * 0.5;
    assert_int_equal(slip.count, 1);
    assert_near(slip.time, sqrt(sqrt(hold * hold - push * push) / 0.5) / 1.5, 1e-10);
    assert_near(machine_energy(&m).defect, 0, 1e-10);
    machine_end(&m);
}

/* ------------------------------------------------------------------ boxes */

/* A cube of 1 m and 1 kg that slides and spins flat on a floor. */
static const double CUBE_MU = 0.3, CUBE_INERTIA = 1. / 6, CUBE_HALF = 0.5;

/* Corner i from the centre, world, and the direction in which it slips. */
static BrVec3 find_corner(int i, const double *y, BrVec3 *slip) {
    double a = (i == 0 || i == 3 ? 1 : -1) * CUBE_HALF, b = (i < 2 ? 1 : -1) * CUBE_HALF;
    BrVec3 r = vec(cos(y[2]) * a - sin(y[2]) * b, sin(y[2]) * a + cos(y[2]) * b, -CUBE_HALF);
    BrVec3 u = vec(y[3] - y[5] * r.y, y[4] + y[5] * r.x, 0);
    *slip = scale(1 / norm(u), u);
    return r;
}

/* Loads a + b x + c y, as of equal springs, which carry the weight and do not tilt it: x, y of all moments are zero. */
static BrVec3 find_cube_loads(const double *y) {
    BrVec3 row[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 4; i++) {
        BrVec3 d, r = find_corner(i, y, &d), share = vec(1, r.x, r.y);
        row[0] = add(row[0], share);
        row[1] = add(row[1], scale(r.y - CUBE_MU * CUBE_HALF * d.y, share));
        row[2] = add(row[2], scale(CUBE_MU * CUBE_HALF * d.x - r.x, share));
    }
    return scale(G / dot(row[0], cross(row[1], row[2])), cross(row[1], row[2]));
}

static void slide_cube(double t, const double *y, double *rate, const void *user) {
    (void)t, (void)user;
    BrVec3 loads = find_cube_loads(y), force = NONE;
    double moment = 0;
    for (int i = 0; i < 4; i++) {
        BrVec3 d, r = find_corner(i, y, &d);
        BrVec3 drag = scale(-CUBE_MU * (loads.x + loads.y * r.x + loads.z * r.y), d);
        force = add(force, drag);
        moment += cross(r, drag).z;
    }
    for (int i = 0; i < 3; i++) rate[i] = y[3 + i];
    rate[3] = force.x, rate[4] = force.y, rate[5] = moment / CUBE_INERTIA;
}

/* Four corners that slip in four directions share the weight as equal springs would: the cube goes its way, turns off
 * it, and stops sliding and spinning at once. */
static void cube_slides_and_spins_to_rest(void **unused) {
    (void)unused;
    const double DT[] = {1e-3, 0.02};
    for (int k = 0; k < 2; k++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId wood = machine_material(&m, "wood", CUBE_MU, 0);
        machine_floor(&m, wood);
        BrBodyId cube = machine_block(&m, "cube", 1, vec(1, 1, 1), vec(0, 0, CUBE_HALF), wood);
        machine_ready(&m);
        machine_set_twist(&m, cube, X, vec(0, 0, 1));
        double y[6] = {0, 0, 0, 1, 0, 1};
        integrate(slide_cube, NULL, 6, 0, 0.3, 3000, y);
        run(&m, DT[k], (int)lround(0.3 / DT[k]), BR_EVENT_SLIP);
        assert_vec_near(machine_pose(&m, cube).position, vec(y[0], y[1], CUBE_HALF), 1e-10);
        assert_vec_near(machine_twist(&m, cube).linear, vec(y[3], y[4], 0), 1e-10);
        assert_near(machine_twist(&m, cube).angular.z, y[5], 1e-10);
        Seen stop = run(&m, DT[k], (int)lround(0.2 / DT[k]), BR_EVENT_STICK);
        assert_int_equal(stop.count, 4);
        assert_near(norm(machine_twist(&m, cube).linear) + norm(machine_twist(&m, cube).angular), 0, 1e-15);
        assert_near(machine_energy(&m).dissipated, 0.5 + 0.5 * CUBE_INERTIA, 1e-10);
        machine_end(&m);
    }
}

/* A plate on a slope, its edges askew to the fall line: a millionth beyond what friction holds it slides straight down
 * with g (sin a - mu cos a), a millionth below it stays. */
static void threshold_of_a_plate_askew(void **unused) {
    (void)unused;
    for (int k = 0; k < 4; k++) {
        double mu = 0.4, angle = atan(mu), beyond = k % 2 ? 1e-6 : -1e-6, down = G * sin(angle);
        BrVec3 along = vec(cos(0.3), sin(0.3), 0);
        Machine m = machine_begin(add(scale(down, along), vec(0, 0, -G * cos(angle))));
        BrMaterialId wood = machine_material(&m, "wood", mu * (1 - beyond), 0);
        machine_floor(&m, wood);
        BrBodyId plate = machine_block(&m, "plate", 2, vec(1, 1, 0.1), vec(0, 0, 0.05), wood);
        machine_ready(&m);
        run(&m, k < 2 ? 0.1 : 0.01, k < 2 ? 10 : 100, BR_EVENT_SLIP);
        BrVec3 moved = sub(machine_pose(&m, plate).position, vec(0, 0, 0.05));
        assert_vec_near(moved, scale(beyond > 0 ? 0.5 * down * beyond : 0, along), 1e-13);
        machine_end(&m);
    }
}

/* A plate, tilted about two axes, falls from a height: blows, ever smaller ones, slides that end and begin, corners that
 * come and go. It ends flat, with nothing left of its energy, and the books hold. */
static void drop_plate(double about_x, double about_y, double height) {
    Machine m = machine_begin(DOWN);
    BrMaterialId wood = machine_material(&m, "wood", 0.3, 0);
    machine_floor(&m, wood);
    BrBodyDef def = br_default_body_def();
    BrMat3 a = turn_about(X, about_x), b = turn_about(Y, about_y);
    def.name = "plate";
    def.mass = 2;
    def.inertia = diagonal(0.03, 0.06, 0.09);
    def.position = vec(0, 0, height);
    for (int i = 0; i < 9; i++) {
        BrVec3 column = rotate(&a, vec(b.m[0][i % 3], b.m[1][i % 3], b.m[2][i % 3]));
        def.rotation.m[i / 3][i % 3] = i < 3 ? column.x : i < 6 ? column.y : column.z;
    }
    BrBodyId plate = machine_add_body(&m, &def);
    machine_box(&m, plate, vec(0.6, 0.4, 0.1), wood);
    machine_ready(&m);
    run(&m, 1e-3, 500, BR_EVENT_SLIP);
    assert_near(machine_pose(&m, plate).position.z, 0.05, 1e-12);
    assert_near(norm(machine_twist(&m, plate).linear) + norm(machine_twist(&m, plate).angular), 0, 1e-12);
    assert_near(machine_energy(&m).dissipated, 2 * G * (height - 0.05), 1e-8);
    assert_near(machine_energy(&m).defect, 0, 1e-8);
    machine_end(&m);
}

static void plate_falls_on_its_corner_and_lies_down(void **unused) {
    (void)unused;
    drop_plate(0.3, 0.2, 0.4);
}

/* Nearly flat it clatters from corner to corner, faster and faster, and comes to rest all the same. */
static void plate_clatters_to_rest(void **unused) {
    (void)unused;
    drop_plate(0.01, 0.004, 0.07);
    drop_plate(-0.003, 0.006, 0.07);
}

/* ------------------------------------------------------------------ staying on */

/* A capsule slides over a ball that is shaken, along its side and over its ends, in steps in which it turns a little:
 * it stays on the surface with its places and its rates, and the books hold. */
static void shaken_capsule_keeps_its_rates(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId wood = machine_material(&m, "wood", 0.1, 0);
    BrBodyDef def = br_default_body_def();
    def.name = "ball";
    def.kind = BR_BODY_KINEMATIC;
    BrBodyId ball = machine_add_body(&m, &def);
    machine_sphere(&m, ball, 1.5, wood);
    BrMotionDef motion = br_default_motion_def();
    BrMotionId id;
    BrError error = {0};
    motion.name = "shake", motion.body = ball;
    motion.linear[0] = br_expression("0.05*sin(3*t)"), motion.linear[2] = br_expression("0.03*sin(4*t)");
    if (br_model_add_motion(m.model, &motion, &id, &error) != BR_OK) fail_msg("%s", error.text);
    BrBodyId rod = machine_body(&m, "rod", 2, diagonal(0.03, 0.04, 0.05), vec(0.2, 0.1, 1.8));
    BrShapeDef capsule = br_default_shape_def();
    capsule.kind = BR_SHAPE_CAPSULE, capsule.body = rod, capsule.material = wood;
    capsule.radius = 0.2, capsule.length = 0.2;
    capsule.rotation_body = turn_about(vec(0.3, 1, 0), 1.4);
    machine_add_shape(&m, &capsule);
    machine_ready(&m);
    machine_set_twist(&m, rod, vec(0.2, 0.9, 0), vec(1.1, -2.5, 2.1));
    for (int k = 0; k < 60; k++) {
        run(&m, 0.01, 1, BR_EVENT_TOUCH);
        if (machine_contact_count(&m) == 0) continue;
        BrContact c = machine_contact(&m, 0);
        BrVec3 n = vec(c.frame.m[0][0], c.frame.m[1][0], c.frame.m[2][0]),
               arm = sub(c.point, machine_pose(&m, rod).position);
        BrTwist of_rod = machine_twist(&m, rod), of_ball = machine_twist(&m, ball);
        BrVec3 u = sub(add(of_rod.linear, cross(of_rod.angular, arm)), of_ball.linear);
        if (!(c.normal_force > 0)) continue;
        assert_near(c.gap, 0, 1e-12);
        assert_near(dot(n, u), 0, 1e-14);
    }
    assert_near(machine_energy(&m).defect, 0, 1e-8); /* steps over the side's end have errors of 1e-9 */
    machine_end(&m);
}

/* ------------------------------------------------------------------ sizes */

/* A bead shot into a smooth tube goes round it, v^2/2 + g z for good, whatever it weighs and however large the tube is:
 * what rounds off the books of a heavy one is many joules, and none of its motion. */
static void heavy_and_light_beads_run_round_a_tube_alike(void **unused) {
    (void)unused;
    const double MASS[] = {1e-9, 1, 1e8, 1e12}, SIZE[] = {1, 1000};
    for (int k = 0; k < 8; k++) {
        double size = SIZE[k % 2], mass = MASS[k / 2] * size * size * size, pace = sqrt(size), speed = 8 * pace;
        Machine m = machine_begin(DOWN);
        BrMaterialId ice = machine_material(&m, "ice", 0, 0);
        machine_tube(&m, size, 4 * size, ice);
        BrBodyId bead = machine_body(&m, "bead", mass, diagonal(mass, mass, mass), vec(0, 0, -size));
        machine_point(&m, bead, NONE, ice);
        machine_ready(&m);
        machine_set_twist(&m, bead, vec(speed, 0, 0), NONE);
        run(&m, 0.02 * pace, 50, BR_EVENT_TOUCH);
        BrVec3 r = machine_pose(&m, bead).position, v = machine_twist(&m, bead).linear;
        assert_near(dot(v, v) / 2 + G * r.z, speed * speed / 2 - G * size, 1e-10 * speed * speed);
        assert_near(norm(r), size, 1e-12 * size);
        machine_end(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slide_begins_under_a_turning_force),
        cmocka_unit_test(turntable_throws_off_what_it_cannot_hold),
        cmocka_unit_test(cube_slides_and_spins_to_rest),
        cmocka_unit_test(threshold_of_a_plate_askew),
        cmocka_unit_test(plate_clatters_to_rest),
        cmocka_unit_test(plate_falls_on_its_corner_and_lies_down),
        cmocka_unit_test(shaken_capsule_keeps_its_rates),
        cmocka_unit_test(heavy_and_light_beads_run_round_a_tube_alike),
        cmocka_unit_test(thread_unscrews_in_long_steps),
        cmocka_unit_test(hill_is_left_where_nothing_presses_any_more),
        cmocka_unit_test(very_rough_hill_is_rolled_off),
        cmocka_unit_test(wall_of_a_tube_is_left_on_the_way_up),
        cmocka_unit_test(table_is_rolled_off),
        cmocka_unit_test(smooth_slope_is_slid_down_from_rest),
        cmocka_unit_test(thresholds_hold_in_rotated_worlds),
        cmocka_unit_test(box_rides_an_accelerating_platform),
        cmocka_unit_test(cylinder_rolls_in_a_tube),
        cmocka_unit_test(heavy_on_light_stands),
        cmocka_unit_test(worlds_of_any_size_run_alike),
        cmocka_unit_test(rod_that_jams_is_refused),
        cmocka_unit_test(one_of_two_answers_is_kept),
        cmocka_unit_test(motor_starts_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
