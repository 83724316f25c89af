/* test_readings.c: forces and accelerations told of curved contacts. At any state they are those that the state's own
 * positions and velocities ask for, to rounding, whatever scheme made it; along a motion they are as good as the
 * scheme: exact under the event formulation, of order 2 under hem2, of order 1 under moreau. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "machine.h"

static const double G = 9.81;
static const BrVec3 NONE = {0, 0, 0}, DOWN = {0, 0, -9.81}, X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

enum { EVENT = BR_SCHEMES }; /* beside the schemes */

static BrStepDef make_def(int how, double dt) {
    return how == EVENT ? machine_event_def(dt) : machine_step_def((BrScheme)how, dt);
}

/* A scene with one number to read, and what it should be. */
typedef struct Subject Subject;
struct Subject {
    const char *name;
    double end; /* s: its contact holds until then */
    Machine (*make)(BrBodyId *body);
    double (*read)(Machine *m, BrBodyId body);        /* N */
    double (*exact)(double t);                        /* N, at a time */
    double (*local)(const Machine *m, BrBodyId body); /* N, from positions and velocities of the state; or NULL */
    double scale;                                     /* N */
};

static double read_normal(Machine *m, BrBodyId body) {
    (void)body;
    return machine_contact_count(m) == 1 ? machine_contact(m, 0).normal_force : NAN;
}

/* ------------------------------------------------------------------ a ball slides off a ball */

enum { HILL_STEPS = 4000 };
static const double HILL = 1.25, HILL_START = 0.05; /* m between the centres; rad */

static Machine make_hill(BrBodyId *ball) {
    Machine m = machine_begin(DOWN);
    BrMaterialId ice = machine_material(&m, "ice", 0, 0);
    machine_sphere(&m, m.ground, 1, ice);
    *ball = machine_ball(&m, "ball", 1, 0.25, vec(HILL * sin(HILL_START), 0, HILL * cos(HILL_START)), ice);
    machine_ready(&m);
    return m;
}

static void fall_off(double t, const double *y, double *rate, const void *user) {
    (void)t, (void)user;
    rate[0] = y[1];
    rate[1] = G / HILL * sin(y[0]);
}

/* m g (3 cos a - 2 cos a0): gravity less what the bend of the path takes. */
static double hill_exact(double t) {
    double y[2] = {HILL_START, 0};
    if (t > 0) integrate(fall_off, NULL, 2, 0, t, HILL_STEPS, y);
    return G * (3 * cos(y[0]) - 2 * cos(HILL_START));
}

static double hill_local(const Machine *m, BrBodyId ball) {
    BrVec3 r = machine_pose(m, ball).position, v = machine_twist(m, ball).linear;
    double distance = norm(r), out = dot(r, v) / distance;
    return G * r.z / distance - (dot(v, v) - out * out) / distance;
}

/* ------------------------------------------------------------------ a point slides round in a tube, with friction */

static const double LOOP = 1, LOOP_MU = 0.05, LOOP_SPEED = 6;

static Machine make_loop(BrBodyId *point) {
    Machine m = machine_begin(DOWN);
    BrMaterialId steel = machine_material(&m, "steel", LOOP_MU, 0);
    machine_tube(&m, LOOP, 2, steel);
    *point = machine_body(&m, "point", 1, diagonal(1, 1, 1), vec(0, 0, -LOOP));
    machine_point(&m, *point, NONE, steel);
    machine_ready(&m);
    machine_set_twist(&m, *point, vec(LOOP_SPEED, 0, 0), NONE);
    return m;
}

/* Angle from the bottom and its rate. N = m (v^2/R + g cos a); friction brakes with mu N. */
static void run_round(double t, const double *y, double *rate, const void *user) {
    (void)t, (void)user;
    double N = LOOP * y[1] * y[1] + G * cos(y[0]);
    rate[0] = y[1];
    rate[1] = (-LOOP_MU * N - G * sin(y[0])) / LOOP;
}

static double loop_exact(double t) {
    double y[2] = {0, LOOP_SPEED / LOOP};
    if (t > 0) integrate(run_round, NULL, 2, 0, t, HILL_STEPS, y);
    return LOOP * y[1] * y[1] + G * cos(y[0]);
}

/* ------------------------------------------------------------------ a cam lifts a follower */

static const double CAM_OFF = 0.02, CAM_SPEED = 12, CAM_MASS = 3;

/* An eccentric disc turns under a flat follower: z = R + e cos(w t) and N = m (g + z''). */
static Machine make_cam(BrBodyId *follower) {
    Machine m = machine_begin(DOWN);
    BrMaterialId oil = machine_material(&m, "oil", 0, 0);
    BrBodyId cam = machine_body(&m, "cam", 5, diagonal(1, 1, 1), NONE);
    BrJointId axle = machine_joint(&m, "axle", BR_JOINT_REVOLUTE, m.ground, cam, NONE, Y);
    machine_motion(&m, "drive", axle, 0, true, br_constant(CAM_SPEED));
    BrShapeDef shape = br_default_shape_def();
    shape.body = cam;
    shape.kind = BR_SHAPE_CYLINDER;
    shape.radius = 0.1;
    shape.length = 0.05;
    shape.position_body = vec(0, 0, CAM_OFF);
    shape.rotation_body = turn_about(X, -PI / 2);
    shape.material = oil;
    machine_add_shape(&m, &shape);
    *follower = machine_body(&m, "follower", CAM_MASS, diagonal(1, 1, 1), vec(0, 0, 0.1 + CAM_OFF));
    machine_joint(&m, "guide", BR_JOINT_PRISMATIC, m.ground, *follower, NONE, Z);
    BrShapeDef plate = br_default_shape_def();
    plate.body = *follower;
    plate.kind = BR_SHAPE_BOX;
    plate.size = vec(0.4, 0.4, 0.1);
    plate.position_body = vec(0, 0, 0.05);
    plate.material = oil;
    machine_add_shape(&m, &plate);
    machine_ready(&m);
    machine_set_twist(&m, cam, NONE, vec(0, CAM_SPEED, 0));
    return m;
}

static double cam_read(Machine *m, BrBodyId follower) {
    (void)follower;
    double sum = 0;
    for (int k = 0, count = machine_contact_count(m); k < count; k++) sum += fabs(machine_contact(m, k).normal_force);
    return sum;
}

static double cam_exact(double t) { return CAM_MASS * (G - CAM_OFF * CAM_SPEED * CAM_SPEED * cos(CAM_SPEED * t)); }

/* ------------------------------------------------------------------ a golf ball runs round in a vertical pipe */

static const double PIPE_WAY = 0.4, PIPE_SPIN = 9; /* m, of the ball's centre from the axis; rad/s round it */

/* Rolling, it keeps its pace round the axis whatever it does up and down: N = m W^2 way = 32.4 N for all time. */
static Machine make_pipe(BrBodyId *ball) {
    Machine m = machine_begin(DOWN);
    BrMaterialId grass = machine_material(&m, "grass", 10, 0);
    BrShapeDef pipe = br_default_shape_def();
    double r = 0.1;
    pipe.body = m.ground;
    pipe.kind = BR_SHAPE_TUBE;
    pipe.radius = PIPE_WAY + r;
    pipe.length = 100;
    pipe.material = grass;
    machine_add_shape(&m, &pipe);
    *ball = machine_ball(&m, "ball", 1, r, vec(PIPE_WAY, 0, 0), grass);
    machine_ready(&m);
    /* no slip at the wall: v = -w x (r e_x) */
    machine_set_twist(&m, *ball, vec(0, PIPE_SPIN * PIPE_WAY, 0), vec(0, 0, -PIPE_SPIN * PIPE_WAY / r));
    return m;
}

static double pipe_exact(double t) {
    (void)t;
    return PIPE_SPIN * PIPE_SPIN * PIPE_WAY;
}

/* ------------------------------------------------------------------ turntables */

/* A table that turns about z with w = 3 rad/s and w' = 2 rad/s^2 at t = 0. */
static BrBodyId add_turntable(Machine *m) {
    BrBodyDef def = br_default_body_def();
    BrMotionDef motion = br_default_motion_def();
    BrMotionId id;
    def.name = "table";
    def.kind = BR_BODY_KINEMATIC;
    BrBodyId table = machine_add_body(m, &def);
    motion.name = "turn";
    motion.body = table;
    motion.angular_velocity[2] = br_expression("3 + 2*t");
    assert_int_equal(br_model_add_motion(m->model, &motion, &id, NULL), BR_OK);
    return table;
}

/* What is screwed onto it at r is accelerated by w' x r - w^2 r. */
static void what_is_on_a_turntable_is_accelerated(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrBodyId table = add_turntable(&m), load = machine_body(&m, "load", 2, diagonal(0.1, 0.1, 0.1), vec(0.5, 0, 0));
    machine_joint(&m, "screw", BR_JOINT_FIXED, table, load, vec(0.5, 0, 0), Z);
    machine_ready(&m);
    machine_set_twist(&m, load, vec(0, 1.5, 0), vec(0, 0, 3));
    BrTwist a = machine_acceleration(&m, load);
    assert_vec_near(a.linear, vec(-4.5, 1, 0), 1e-9);
    assert_vec_near(a.angular, vec(0, 0, 2), 1e-9);
    machine_end(&m);
}

/* A belt runs over it with u: what sticks to the belt is accelerated by w' x r - w^2 r + 2 w x u (Coriolis), and by the
 * same friction per mass. */
static void what_a_belt_on_a_turntable_carries_is_accelerated(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId rubber = machine_material(&m, "rubber", 1, 0);
    BrShapeDef plane = br_default_shape_def();
    plane.body = add_turntable(&m), plane.kind = BR_SHAPE_PLANE, plane.material = rubber;
    plane.surface_velocity_body = vec(0.5, 0, 0);
    machine_add_shape(&m, &plane);
    BrBodyId load = machine_body(&m, "load", 2, diagonal(0.1, 0.1, 0.1), vec(0.3, 0, 0));
    machine_point(&m, load, NONE, rubber);
    machine_ready(&m);
    machine_set_twist(&m, load, vec(0.5, 0.9, 0), NONE);
    BrVec3 a = vec(-9 * 0.3, 2 * 0.3 + 2 * 3 * 0.5, 0);
    assert_vec_near(machine_acceleration(&m, load).linear, a, 1e-9);
    assert_vec_near(machine_contact(&m, 0).friction_force, scale(2, a), 1e-9);
    machine_end(&m);
}

/* ------------------------------------------------------------------ all of them */

static const Subject SUBJECTS[] = {
    {"hill", 1.2, make_hill, read_normal, hill_exact, hill_local, 9.81},
    {"loop", 0.3, make_loop, read_normal, loop_exact, NULL, 36},
    {"cam", 0.6, make_cam, cam_read, cam_exact, NULL, 38},
    {"pipe", 0.5, make_pipe, read_normal, pipe_exact, NULL, 32.4},
};
enum { SUBJECT_COUNT = 4 };

/* The largest error of the reading at the ends of all steps from the first on. */
static double worst_reading(const Subject *s, int how, double dt, bool local) {
    BrBodyId body;
    Machine m = s->make(&body);
    BrStepDef def = make_def(how, dt);
    double worst = 0;
    int steps = (int)lround(s->end / dt), stride = steps > 100 ? steps / 100 : 1;
    for (int k = 1; k <= steps; k++) {
        machine_steps(&m, &def, 1);
        if (k % stride) continue;
        double expected = local ? s->local(&m, body) : s->exact(k * dt), error = fabs(s->read(&m, body) - expected);
        if (!(error <= worst)) worst = error;
    }
    machine_end(&m);
    return worst;
}

static void forces_at_a_state_are_those_its_motion_asks_for(void **unused) {
    (void)unused;
    static const int HOW[] = {BR_SCHEME_MOREAU, BR_SCHEME_HEM2, EVENT};
    for (int h = 0; h < 3; h++) {
        double error = worst_reading(&SUBJECTS[0], HOW[h], HOW[h] == EVENT ? 0.02 : 1e-3, true);
        /* moreau stands a little off the surface, where the path bends a little less */
        assert_near(error, 0, HOW[h] == BR_SCHEME_MOREAU ? 2e-5 : 1e-9);
    }
}

static void forces_are_exact_under_the_event_formulation(void **unused) {
    (void)unused;
    for (int i = 0; i < SUBJECT_COUNT; i++) {
        const Subject *s = &SUBJECTS[i];
        double error = worst_reading(s, EVENT, 0.02, false);
        if (!(error <= 1e-8 * s->scale)) fail_msg("%s: forces are off by %.3g N of %.3g", s->name, error, s->scale);
    }
}

static void forces_have_the_order_of_the_scheme(void **unused) {
    (void)unused;
    static const int HOW[] = {BR_SCHEME_MOREAU, BR_SCHEME_HEM2};
    for (int i = 0; i < SUBJECT_COUNT; i++)
        for (int order = 1; order <= 2; order++) {
            const Subject *s = &SUBJECTS[i];
            double coarse = worst_reading(s, HOW[order - 1], 2e-3, false),
                   fine = worst_reading(s, HOW[order - 1], 1e-3, false);
            double seen = observed_order(coarse, fine);
            bool exact = fine < 1e-8 * s->scale; /* nothing left to fall */
            if (!exact && !(seen > order - 0.15))
                fail_msg("%s with %s: forces off by %.3g and %.3g N, order %.2f", s->name,
                         br_scheme_name((BrScheme)HOW[order - 1]), coarse, fine, seen);
        }
}

/* The ball on the hill, read as a whole: force, acceleration towards the centre and along the path. */
static void accelerations_bend_the_path(void **unused) {
    (void)unused;
    BrBodyId ball;
    Machine m = make_hill(&ball);
    BrStepDef def = machine_event_def(0.1);
    machine_steps(&m, &def, 12);
    BrTwist a = machine_acceleration(&m, ball), v = machine_twist(&m, ball);
    BrVec3 r = machine_pose(&m, ball).position;
    double N = machine_contact(&m, 0).normal_force;
    assert_near(N, 2.650, 1e-3); /* at 1.2 s */
    assert_near(dot(a.linear, r) / norm(r), -dot(v.linear, v.linear) / HILL, 1e-9);
    assert_vec_near(a.linear, add(DOWN, scale(N / norm(r), r)), 1e-12);
    machine_end(&m);
}

/* ------------------------------------------------------------------ against the motion itself */

/* A body with any shape on or in any fixed shape, spinning. */
static Machine make_pair(const BrShapeDef *fixed, const BrShapeDef *moving, BrVec3 position, double mu, BrTwist twist,
                         BrBodyId *body) {
    Machine m = machine_begin(DOWN);
    BrMaterialId steel = machine_material(&m, "steel", mu, 0);
    BrShapeDef a = *fixed, b = *moving;
    a.body = m.ground;
    a.material = b.material = steel;
    machine_add_shape(&m, &a);
    *body = machine_body(&m, "body", 1, diagonal(0.02, 0.03, 0.04), position);
    b.body = *body;
    machine_add_shape(&m, &b);
    machine_ready(&m);
    machine_set_twist(&m, *body, twist.linear, twist.angular);
    return m;
}

/* The accelerations told are the differences of the velocities before and after, of order 4, under the event
 * formulation: to 1e-6 of g, what rounding over the time between them leaves. */
static void check_against_motion(const char *name, Machine *m, BrBodyId body) {
    static const double WEIGHT[5] = {1, -8, 0, 8, -1};
    double e = 2e-3;
    BrStepDef def = machine_event_def(e);
    BrVec3 linear = NONE, angular = NONE;
    BrTwist told = {0};
    double force = 0;
    machine_steps(m, &def, 20);
    for (int k = 0; k < 5; k++) {
        BrTwist v = machine_twist(m, body);
        linear = add(linear, scale(WEIGHT[k] / (12 * e), v.linear));
        angular = add(angular, scale(WEIGHT[k] / (12 * e), v.angular));
        if (k == 2) told = machine_acceleration(m, body);
        if (k == 2) force = norm(machine_contact_force(m, false));
        machine_steps(m, &def, 1);
    }
    if (!(force > 0.1)) fail_msg("%s: nothing touches any more", name);
    double off = norm(sub(told.linear, linear)), turned = norm(sub(told.angular, angular));
    if (!(off < 1e-5 && turned < 1e-4))
        fail_msg("%s: accelerations are off by %.3g m/s^2 and %.3g rad/s^2", name, off, turned);
    machine_end(m);
}

static BrShapeDef make_shape(BrShapeKind kind, double radius, double length, BrVec3 size) {
    BrShapeDef def = br_default_shape_def();
    def.kind = kind;
    def.radius = radius;
    def.length = length;
    def.size = size;
    return def;
}

static void accelerations_are_those_of_the_motion(void **unused) {
    (void)unused;
    BrShapeDef tube = make_shape(BR_SHAPE_TUBE, 1, 10, NONE), log = make_shape(BR_SHAPE_CYLINDER, 1, 10, NONE),
               hill = make_shape(BR_SHAPE_SPHERE, 1, 0, NONE), floor = make_shape(BR_SHAPE_PLANE, 0, 0, NONE);
    tube.rotation_body = log.rotation_body = turn_about(X, PI / 2);
    BrShapeDef egg = make_shape(BR_SHAPE_ELLIPSOID, 0, 0, vec(0.3, 0.2, 0.1)),
               pill = make_shape(BR_SHAPE_CAPSULE, 0.1, 0.4, NONE), coin = make_shape(BR_SHAPE_DISC, 0.3, 0, NONE);
    coin.rotation_body = turn_about(X, PI / 2 - 0.3);
    BrTwist spin = {vec(0.3, 0.2, 0), vec(0.4, -0.3, 0.5)};
    BrBodyId body;
    for (int k = 0; k < 2; k++) {
        double mu = k ? 0.3 : 0;
        Machine m = make_pair(&floor, &egg, vec(0, 0, 0.1), mu, spin, &body);
        check_against_motion("ellipsoid on a plane", &m, body);
        m = make_pair(&tube, &egg, vec(0, 0, -0.9), mu, spin, &body);
        check_against_motion("ellipsoid in a tube", &m, body);
        m = make_pair(&log, &egg, vec(0, 0, 1.1), mu, spin, &body);
        check_against_motion("ellipsoid on a cylinder", &m, body);
        m = make_pair(&hill, &egg, vec(0, 0, 1.1), mu, spin, &body);
        check_against_motion("ellipsoid on a sphere", &m, body);
        m = make_pair(&hill, &pill, vec(0, 0, 1.1), mu, (BrTwist){vec(0.1, 0.1, 0), vec(0, 0, 0.5)}, &body);
        check_against_motion("capsule on a sphere", &m, body);
        m = make_pair(&tube, &coin, vec(0, 0, -1 + 0.3 * cos(0.3)), mu, (BrTwist){vec(0.5, 0, 0), NONE}, &body);
        check_against_motion("disc in a tube", &m, body);
        m = make_pair(&floor, &coin, vec(0, 0, 0.3 * cos(0.3)), mu, (BrTwist){vec(5, 0, 0), vec(0, 6, -1)}, &body);
        check_against_motion("disc on a plane", &m, body);
    }
}

/* The wheel of [Peiret 2016, Table 1], taken literally: what it reads at 1 s, sliding, and at 3 s, rolling. */
static void wheel_reads_the_published_forces(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId tyre = machine_material(&m, "tyre", 0.3, 0);
    BrBodyDef wheel = br_default_body_def();
    double lean = 20 * PI / 180;
    machine_floor(&m, tyre);
    wheel.name = "wheel";
    wheel.mass = 1;
    wheel.inertia = diagonal(0.3, 0.6, 0.3);
    wheel.position = vec(0, 0, 0.5 * cos(lean));
    wheel.rotation = turn_about(X, lean);
    BrBodyId body = machine_add_body(&m, &wheel);
    BrShapeDef rim = make_shape(BR_SHAPE_DISC, 0.5, 0, NONE);
    rim.body = body;
    rim.rotation_body = turn_about(X, -PI / 2);
    rim.material = tyre;
    machine_add_shape(&m, &rim);
    machine_ready(&m);
    machine_set_twist(&m, body, vec(6, 0, 0), vec(0, 0, -2));
    BrStepDef def = machine_event_def(0.05);
    assert_near(machine_contact(&m, 0).normal_force, 8.738328, 5e-7); /* as many digits as are printed */
    machine_steps(&m, &def, 20);
    BrContact c = machine_contact(&m, 0);
    assert_near(c.normal_force, 7.963936866, 5e-9);
    assert_vec_near(c.friction_force, vec(-2.386567, -0.111727, 0), 7e-7);
    machine_steps(&m, &def, 40);
    c = machine_contact(&m, 0);
    assert_near(c.normal_force, 8.300832622, 5e-9);
    assert_vec_near(c.friction_force, vec(-0.938258, 0.329724, 0), 7e-7);
    assert_int_equal(c.mode, BR_CONTACT_ROLLING);
    machine_end(&m);
}

/* ------------------------------------------------------------------ verdicts */

/* Forces of a tower, of any height: the floor carries all of it, or the reading says that it was not found. */
static void towers_are_read_right_or_it_is_said(void **unused) {
    (void)unused;
    static const int HEIGHT[] = {1, 10, 55};
    for (int k = 0; k < 3; k++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
        machine_floor(&m, wood);
        for (int i = 0; i < HEIGHT[k]; i++) {
            char name[16];
            snprintf(name, sizeof name, "box%d", i);
            machine_block(&m, name, 1, vec(0.2, 0.2, 0.1), vec(0, 0, 0.05 + 0.1 * i), wood);
        }
        machine_ready(&m);
        BrStatus status = br_evaluate(m.model, m.workspace, m.state, NULL);
        double force = 0;
        for (int i = 0, count = br_contact_count(m.model, m.workspace); i < count; i++) {
            BrContact c;
            assert_int_equal(br_contact(m.model, m.workspace, i, &c), BR_OK);
            if (c.point.z < 0.05) force += c.normal_force;
        }
        if (status == BR_OK) assert_near(force / (HEIGHT[k] * G), 1, 1e-6);
        assert_true(status == BR_OK || (status == BR_NOT_CONVERGED && HEIGHT[k] > 50));
        machine_end(&m);
    }
}

/* A refused evaluation leaves nothing to read: what stood there was of another state. */
static void refused_readings_leave_none(void **unused) {
    (void)unused;
    BrModelDef def = br_default_model_def();
    def.gravity = DOWN;
    def.contact_capacity = 3;
    Machine m = {0};
    assert_int_equal(br_model_create(&def, &m.model, NULL), BR_OK);
    BrBodyDef ground = br_default_body_def();
    ground.name = "ground";
    ground.kind = BR_BODY_FIXED;
    m.ground = machine_add_body(&m, &ground);
    BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
    machine_floor(&m, wood);
    BrBodyId box = machine_block(&m, "box", 1, vec(0.2, 0.2, 0.1), vec(0, 0, 1), wood);
    machine_ready(&m);
    BrTwist rate;
    assert_int_equal(br_evaluate(m.model, m.workspace, m.state, NULL), BR_OK);
    assert_int_equal(br_body_acceleration(m.model, m.workspace, box, &rate), BR_OK);
    BrPose low = machine_pose(&m, box);
    low.position.z = 0.05;
    assert_int_equal(br_body_set_pose(m.model, m.state, box, low, NULL), BR_OK);
    assert_int_equal(br_evaluate(m.model, m.workspace, m.state, NULL), BR_CAPACITY);
    assert_int_equal(br_body_acceleration(m.model, m.workspace, box, &rate), BR_WRONG_STAGE);
    assert_int_equal(br_contact_count(m.model, m.workspace), 0);
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_at_a_state_are_those_its_motion_asks_for),
        cmocka_unit_test(forces_are_exact_under_the_event_formulation),
        cmocka_unit_test(forces_have_the_order_of_the_scheme),
        cmocka_unit_test(accelerations_bend_the_path),
        cmocka_unit_test(what_is_on_a_turntable_is_accelerated),
        cmocka_unit_test(what_a_belt_on_a_turntable_carries_is_accelerated),
        cmocka_unit_test(accelerations_are_those_of_the_motion),
        cmocka_unit_test(wheel_reads_the_published_forces),
        cmocka_unit_test(towers_are_read_right_or_it_is_said),
        cmocka_unit_test(refused_readings_leave_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
