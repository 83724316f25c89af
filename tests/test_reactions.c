/* test_reactions.c: what joints say they exert. Force and torque act on body b, the torque about the joint's point on
 * body a, the opposite acts on body a: with them, gravity, loads and springs, Newton's and Euler's equations must hold
 * for every body of any machine. Random machines with loops, redundant joints, motors and motions; seeds fixed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "machine.h"

static const BrVec3 GRAVITY = {0.5, -1, -9.81}, NONE = {0, 0, 0}, X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

enum { MOST_BODIES = 12 };

typedef struct Load {
    BrVec3 force, torque; /* torque about the centre of mass */
} Load;

/* ------------------------------------------------------------------ where things are now */

/* A world vector of the initial pose that turns with the body. */
static BrVec3 carry(const Machine *m, BrBodyId body, BrVec3 initial) {
    const BrBodyDef *def = br_body_def(m->model, body);
    BrPose pose = machine_pose(m, body);
    return rotate(&pose.rotation, rotate_back(&def->rotation, initial));
}

/* The joint's point on body a. A wheel's is where its rim first touched. */
static BrVec3 find_joint_point(const Machine *m, const BrJointDef *j) {
    BrPose pose = machine_pose(m, j->body_a);
    if (j->type == BR_JOINT_DISTANCE) return add(pose.position, rotate(&pose.rotation, j->point_a_body));
    BrVec3 at = j->at;
    if (j->type == BR_JOINT_ROLLING_WHEEL) {
        BrVec3 n = scale(1 / norm(j->axis), j->axis), axle = scale(1 / norm(j->axis_b), j->axis_b);
        BrVec3 down = sub(scale(dot(n, axle), axle), n);
        at = add(at, scale(j->radius / norm(down), down));
    }
    return add(pose.position, carry(m, j->body_a, sub(at, br_body_def(m->model, j->body_a)->position)));
}

static int find_number(const Machine *m, BrBodyId id) {
    for (int k = 0; k < br_model_body_count(m->model); k++)
        if (br_model_body(m->model, k).index1 == id.index1) return k;
    fail_msg("no such body");
    return -1;
}

/* A force and a torque about `point`, on `body`. */
static void add_wrench(const Machine *m, BrBodyId body, BrVec3 point, BrVec3 force, BrVec3 torque, Load *loads) {
    Load *l = &loads[find_number(m, body)];
    BrVec3 arm = sub(point, machine_pose(m, body).position);
    l->force = add(l->force, force);
    l->torque = add(l->torque, add(torque, cross(arm, force)));
}

static void add_pair(const Machine *m, BrBodyId a, BrBodyId b, BrVec3 point, BrVec3 force, BrVec3 torque, Load *loads) {
    add_wrench(m, b, point, force, torque, loads);
    add_wrench(m, a, point, scale(-1, force), scale(-1, torque), loads);
}

/* ------------------------------------------------------------------ Newton and Euler */

static void add_springs(const Machine *m, Load *loads) {
    for (int k = 0; k < br_model_spring_count(m->model); k++) {
        double length, rate, tension;
        BrSpringId id = br_model_spring(m->model, k);
        const BrSpringDef *s = br_spring_def(m->model, id);
        assert_int_equal(br_spring_force(m->model, m->state, id, &length, &rate, &tension), BR_OK);
        if (s->joint.index1) { /* on the angle of a hinge-like joint, or on the slide of a slider */
            const BrJointDef *j = br_joint_def(m->model, s->joint);
            BrVec3 axis = carry(m, j->body_a, scale(1 / norm(j->axis), j->axis)), point = find_joint_point(m, j);
            bool slide = j->type == BR_JOINT_PRISMATIC || s->coordinate == 1;
            BrVec3 pull = scale(-tension, axis);
            add_pair(m, j->body_a, j->body_b, point, slide ? pull : NONE, slide ? NONE : pull, loads);
        } else {
            BrPose a = machine_pose(m, s->body_a), b = machine_pose(m, s->body_b);
            BrVec3 line = sub(b.position, a.position);
            add_pair(m, s->body_a, s->body_b, a.position, scale(-tension / norm(line), line), NONE, loads);
        }
    }
}

static void add_joints(const Machine *m, Load *loads) {
    for (int k = 0; k < br_model_joint_count(m->model); k++) {
        BrJointId id = br_model_joint(m->model, k);
        const BrJointDef *j = br_joint_def(m->model, id);
        BrWrench w;
        assert_int_equal(br_joint_reaction(m->model, m->workspace, id, &w, NULL), BR_OK);
        add_pair(m, j->body_a, j->body_b, find_joint_point(m, j), w.force, w.torque, loads);
    }
}

/* m a = sum of forces; J w' + w x J w = sum of torques, for every body that moves freely. */
static void check_balance(Machine *m) {
    BrError error = {0};
    Load loads[MOST_BODIES] = {0};
    assert_int_equal(br_evaluate(m->model, m->workspace, m->state, &error), BR_OK);
    add_joints(m, loads);
    add_springs(m, loads);
    for (int k = 0; k < br_model_body_count(m->model); k++) {
        BrBodyId id = br_model_body(m->model, k);
        const BrBodyDef *def = br_body_def(m->model, id);
        if (def->kind != BR_BODY_DYNAMIC) continue;
        BrTwist rate;
        BrVec3 force, torque;
        assert_int_equal(br_body_load(m->model, m->state, id, &force, &torque), BR_OK);
        assert_int_equal(br_body_acceleration(m->model, m->workspace, id, &rate), BR_OK);
        BrPose pose = machine_pose(m, id);
        BrVec3 w = rotate_back(&pose.rotation, machine_twist(m, id).angular);
        BrVec3 euler =
            add(rotate(&def->inertia, rotate_back(&pose.rotation, rate.angular)), cross(w, rotate(&def->inertia, w)));
        force = add(force, add(scale(def->mass, GRAVITY), loads[k].force));
        torque = add(torque, loads[k].torque);
        double size = 1 + norm(loads[k].force) + norm(loads[k].torque) + norm(force) + norm(torque);
        for (int i = 0; i < br_model_joint_count(m->model); i++) {
            BrWrench each;
            assert_int_equal(br_joint_reaction(m->model, m->workspace, br_model_joint(m->model, i), &each, NULL),
                             BR_OK);
            size += norm(each.force) + norm(each.torque);
        }
        assert_vec_near(force, scale(def->mass, rate.linear), 1e-10 * size); /* rounding of one solve */
        assert_vec_near(torque, rotate(&pose.rotation, euler), 1e-10 * size);
    }
}

static bool has_axis(BrJointType type) {
    const BrJointInfo *info = br_joint_info(type);
    for (int k = 0; k < info->parameters; k++)
        if (info->parameter[k].field == BR_FIELD_AXIS) return true;
    return false;
}

/* The same wrench in the joint frame of body a. */
static void check_joint_frames(Machine *m) {
    for (int k = 0; k < br_model_joint_count(m->model); k++) {
        BrJointId id = br_model_joint(m->model, k);
        const BrJointDef *j = br_joint_def(m->model, id);
        BrWrench world, frame;
        assert_int_equal(br_joint_reaction(m->model, m->workspace, id, &world, &frame), BR_OK);
        double size = 1 + norm(world.force) + norm(world.torque), tolerance = 1e-12 * size; /* rounding */
        assert_near(norm(frame.force), norm(world.force), tolerance);
        assert_near(norm(frame.torque), norm(world.torque), tolerance);
        assert_near(dot(frame.force, frame.torque), dot(world.force, world.torque), tolerance * size);
        if (!has_axis(j->type)) continue;
        /* z of the frame is the axis, turning with body a; a knife's is that of the initial pose */
        BrVec3 axis = carry(m, j->body_a, scale(1 / norm(j->axis), j->axis));
        assert_near(frame.force.z, dot(axis, world.force), tolerance);
        assert_near(frame.torque.z, dot(axis, world.torque), tolerance);
    }
}

/* ------------------------------------------------------------------ random machines */

static BrBodyId add_random_body(Machine *m, int k, uint64_t *seed) {
    char name[8];
    snprintf(name, sizeof name, "b%d", k);
    BrBodyDef def = br_default_body_def();
    def.name = name;
    def.mass = draw(seed, 0.5, 3);
    BrVec3 moments = add(vec(0.25, 0.25, 0.25), draw_vec(seed, 0.05));
    def.inertia = diagonal(moments.x, moments.y, moments.z);
    def.inertia.m[0][1] = def.inertia.m[1][0] = draw(seed, -0.02, 0.02);
    def.position = draw_vec(seed, 2);
    BrVec3 axis = draw_vec(seed, 1);
    def.rotation = turn_about(axis, draw(seed, -3, 3));
    def.velocity = draw_vec(seed, 1);
    def.angular_velocity = draw_vec(seed, 2);
    return machine_add_body(m, &def);
}

static BrJointId add_random_joint(Machine *m, const char *name, BrJointType type, BrBodyId a, BrBodyId b,
                                  uint64_t *seed) {
    BrJointDef def = br_default_joint_def();
    def.name = name;
    def.type = type;
    def.body_a = a, def.body_b = b;
    def.at = draw_vec(seed, 2);
    def.axis = draw_vec(seed, 1);
    def.axis_b = type == BR_JOINT_UNIVERSAL ? cross(def.axis, draw_vec(seed, 1)) : draw_vec(seed, 1);
    def.point_a_body = draw_vec(seed, 0.5), def.point_b_body = draw_vec(seed, 0.5);
    def.lead = draw(seed, 0.1, 0.5);
    def.radius = draw(seed, 0.2, 0.5);
    return machine_add_joint(m, &def);
}

/* Motor, motion or spring on coordinate 0 of joint k, if it takes one. Draws stand in statements of their own: the
 * order of arguments is the compiler's choice, and all compilers shall see the same machines. */
static void add_random_drive(Machine *m, BrJointId joint, BrJointType type, int k, bool motions, uint64_t *seed) {
    char name[16];
    snprintf(name, sizeof name, "drive%d", k);
    if (type == BR_JOINT_PLANAR || br_joint_info(type)->coordinates == 0) return;
    if (!br_joint_info(type)->coordinate[0].driveable) return;
    int kind = draw_int(seed, 4);
    double first = draw(seed, 0.1, 1), second = draw(seed, 0.1, 5);
    if (kind == 0) machine_motor(m, name, joint, 0, br_constant(first), second);
    if (kind == 1 && motions) machine_motion(m, name, joint, 0, true, br_sine(first, 0.5, second));
    if (kind == 2) machine_joint_spring(m, name, joint, 0, 10 * first, 0.2 * second);
}

/* A tree of all types of joint, drives on some; rods, a wheel and a blade; `doubled` joints say the same twice. */
static Machine make_random(uint64_t seed, bool doubled, bool motions) {
    Machine m = machine_begin(GRAVITY);
    BrBodyId body[7] = {m.ground};
    char name[16];
    for (int k = 1; k < 7; k++) body[k] = add_random_body(&m, k, &seed);
    for (int k = 1; k < 7; k++) {
        BrJointType type = (BrJointType)draw_int(&seed, BR_JOINT_KNIFE_EDGE);
        BrBodyId parent = body[draw_int(&seed, k)];
        bool swap = draw_int(&seed, 2);
        snprintf(name, sizeof name, "j%d", k);
        uint64_t same = seed;
        BrJointId joint = add_random_joint(&m, name, type, swap ? body[k] : parent, swap ? parent : body[k], &seed);
        add_random_drive(&m, joint, type, k, motions, &seed);
        snprintf(name, sizeof name, "again%d", k);
        if (doubled && k % 3 == 1)
            add_random_joint(&m, name, type, swap ? body[k] : parent, swap ? parent : body[k], &same);
    }
    add_random_joint(&m, "rod", BR_JOINT_DISTANCE, body[2], body[5], &seed);
    add_random_joint(&m, "blade", BR_JOINT_KNIFE_EDGE, body[1], body[6], &seed);
    if (seed % 3 == 0) add_random_joint(&m, "wheel", BR_JOINT_ROLLING_WHEEL, body[3], body[4], &seed);
    machine_line_spring(&m, "cord", body[1], body[4], 20, 1, 1);
    return m;
}

/* Ready to run, with a load. */
static BrStatus start_random(Machine *m, BrError *error) {
    assert_int_equal(br_model_build(m->model, NULL), BR_OK);
    assert_int_equal(br_state_create(m->model, &m->state, NULL), BR_OK);
    assert_int_equal(br_workspace_create(m->model, &m->workspace, NULL), BR_OK);
    BrBodyId loaded = br_model_find_body(m->model, "b3");
    assert_int_equal(br_body_set_load(m->model, m->state, loaded, vec(1, 2, 3), vec(-1, 0.5, 2), NULL), BR_OK);
    return br_state_assemble(m->model, m->workspace, m->state, NULL, error);
}

static uint64_t seed_of(int k) { return 1000 + 7919 * (uint64_t)k; }

/* Without motions all conditions on velocities are homogeneous: rest fits them, so nothing may be refused, whatever
 * motors there are, for they have bounds and prescribe nothing. */
static void machines_without_motions_assemble(void **unused) {
    (void)unused;
    int count = is_slow_run() ? 60 : 400, refused = 0;
    BrError error = {0};
    for (int k = 1; k <= count; k++) {
        Machine m = make_random(seed_of(k), k % 2, false);
        refused += start_random(&m, &error) != BR_OK;
        machine_end(&m);
    }
    if (refused) fail_msg("%d of %d refused; the last: %s", refused, count, error.text);
}

/* With motions some contradict the joints and are rightly refused (the test above judges refusals as such). */
static void check_random_machines(int count, int steps) {
    int started = 0;
    for (int k = 1; k <= count; k++) {
        Machine m = make_random(seed_of(k), k % 2, k % 3 != 0);
        if (start_random(&m, NULL) == BR_OK) {
            machine_run(&m, (BrScheme)(k / 2 % BR_TIMESTEPPING_SCHEMES), 1e-3, steps);
            check_balance(&m);
            check_joint_frames(&m);
            started++;
        }
        machine_end(&m);
    }
    assert_true(started > count / 2);
}

static void balance_of_random_machines(void **unused) {
    (void)unused;
    check_random_machines(is_slow_run() ? 40 : 200, 0);
}

static void balance_after_steps(void **unused) {
    (void)unused;
    check_random_machines(is_slow_run() ? 20 : 100, 20);
}

/* ------------------------------------------------------------------ accelerations are those of the motion */

/* Ground, hinge, ball, Cardan; motion at the hinge, a doubled hinge on top, a motor on the tube at the end. */
static Machine make_arm(double effort, double motor_speed) {
    Machine m = machine_begin(GRAVITY);
    BrBodyId b[4];
    b[0] = machine_body(&m, "b0", 2, diagonal(0.1, 0.12, 0.11), vec(0.4, 0, 0));
    b[1] = machine_body(&m, "b1", 1.5, diagonal(0.08, 0.1, 0.09), vec(1, 0.2, 0));
    b[2] = machine_body(&m, "b2", 1, diagonal(0.05, 0.06, 0.04), vec(1.5, 0.2, 0.2));
    b[3] = machine_body(&m, "b3", 0.8, diagonal(0.03, 0.04, 0.03), vec(2, 0.2, 0.2));
    BrJointId hinge = machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, b[0], NONE, vec(0, 1, 0.2));
    machine_joint(&m, "twin", BR_JOINT_REVOLUTE, m.ground, b[0], vec(0, 0.5, 0.1), vec(0, 1, 0.2));
    machine_joint(&m, "ball", BR_JOINT_SPHERICAL, b[0], b[1], vec(0.8, 0, 0), NONE);
    BrJointDef def = br_default_joint_def();
    def.name = "cross";
    def.type = BR_JOINT_UNIVERSAL;
    def.body_a = b[1], def.body_b = b[2];
    def.at = vec(1.3, 0.2, 0.1);
    def.axis = Y, def.axis_b = Z;
    machine_add_joint(&m, &def);
    BrJointId tube = machine_joint(&m, "tube", BR_JOINT_CYLINDRICAL, b[2], b[3], vec(1.8, 0.2, 0.2), vec(1, 0, 1));
    machine_joint_spring(&m, "spring", tube, 1, 80, 1);
    machine_motion(&m, "drive", hinge, 0, false, br_expression("0.3*sin(3*t)"));
    machine_motor(&m, "motor", tube, 0, br_constant(motor_speed), effort);
    machine_ready(&m);
    return m;
}

static double measure_acceleration_error(double h) {
    Machine m = make_arm(0.5, 100); /* at its bound all the time */
    machine_run(&m, BR_SCHEME_RATTLE, h, (int)lround(0.2 / h));
    double error = 0;
    BrTwist rate[4], before[4];
    for (int k = 0; k < 4; k++) rate[k] = machine_acceleration(&m, br_model_body(m.model, k + 1));
    Machine past = make_arm(0.5, 100);
    machine_run(&past, BR_SCHEME_RATTLE, h, (int)lround(0.2 / h) - 1);
    for (int k = 0; k < 4; k++) before[k] = machine_twist(&past, br_model_body(past.model, k + 1));
    machine_run(&m, BR_SCHEME_RATTLE, h, 1);
    for (int k = 0; k < 4; k++) {
        BrTwist after = machine_twist(&m, br_model_body(m.model, k + 1));
        BrVec3 linear = scale(0.5 / h, sub(after.linear, before[k].linear));
        BrVec3 angular = scale(0.5 / h, sub(after.angular, before[k].angular));
        error += norm(sub(linear, rate[k].linear)) + norm(sub(angular, rate[k].angular));
    }
    machine_end(&m);
    machine_end(&past);
    return error;
}

/* Central differences of the velocities tend to the accelerations of br_evaluate(), with h^2. */
static void accelerations_are_those_of_the_motion(void **unused) {
    (void)unused;
    double coarse = measure_acceleration_error(2e-3), fine = measure_acceleration_error(1e-3);
    assert_near(fine, 0, 0.05); /* m/s^2: (20 rad/s h)^2 of 100 m/s^2 */
    assert_near(observed_order(coarse, fine), 2, 0.3);
}

/* ------------------------------------------------------------------ mean and instantaneous */

static double measure_mean_error(BrScheme scheme, double h, double effort, double speed) {
    Machine m = make_arm(effort, speed);
    machine_run(&m, scheme, h, (int)lround(0.2 / h));
    assert_int_equal(br_evaluate(m.model, m.workspace, m.state, NULL), BR_OK);
    double error = 0;
    for (int k = 0; k < br_model_joint_count(m.model); k++) {
        BrWrench now, mean;
        BrJointId id = br_model_joint(m.model, k);
        assert_int_equal(br_joint_reaction(m.model, m.workspace, id, &now, NULL), BR_OK);
        assert_int_equal(br_joint_reaction_mean(m.model, m.workspace, id, &mean), BR_OK);
        error += norm(sub(now.force, mean.force)) + norm(sub(now.torque, mean.torque));
    }
    machine_end(&m);
    return error;
}

/* A motor at its bound, redundant hinges and a motion: the mean over a step is what acted half a step ago. */
static void mean_tends_to_instantaneous(void **unused) {
    (void)unused;
    for (int s = BR_SCHEME_MOREAU; s <= BR_SCHEME_RATTLE; s++) {
        double coarse = measure_mean_error((BrScheme)s, 1e-3, 0.5, 100);
        double fine = measure_mean_error((BrScheme)s, 5e-4, 0.5, 100);
        assert_near(fine, 0, 2); /* N and N m: 20 rad/s h/2 of 100 N, summed over five joints */
        assert_near(observed_order(coarse, fine), 1, 0.3);
    }
}

/* The same with a motor that has reached its speed and holds it with less than it could. */
static void mean_tends_to_instantaneous_at_speed(void **unused) {
    (void)unused;
    for (int s = BR_SCHEME_MOREAU; s <= BR_SCHEME_RATTLE; s++) {
        double coarse = measure_mean_error((BrScheme)s, 1e-3, 500, 1);
        double fine = measure_mean_error((BrScheme)s, 5e-4, 500, 1);
        assert_near(fine, 0, 2);
        assert_near(observed_order(coarse, fine), 1, 0.3);
    }
}

static void mean_is_zero_before_the_first_step(void **unused) {
    (void)unused;
    Machine m = make_arm(0.5, 100);
    BrWrench mean = {X, X};
    BrJointId id = br_model_joint(m.model, 0);
    assert_int_equal(br_joint_reaction_mean(m.model, m.workspace, id, &mean), BR_WRONG_STAGE); /* nothing evaluated */
    assert_int_equal(br_evaluate(m.model, m.workspace, m.state, NULL), BR_OK);
    assert_int_equal(br_joint_reaction_mean(m.model, m.workspace, id, &mean), BR_OK);
    assert_vec_near(mean.force, NONE, 0);
    assert_vec_near(mean.torque, NONE, 0);
    machine_end(&m);
}

/* br_motor_effort() is the torque about the axis that the joint reports, within the bound. */
static void motor_effort_is_the_torque_about_the_axis(void **unused) {
    (void)unused;
    for (int s = BR_SCHEME_MOREAU; s <= BR_SCHEME_RATTLE; s++) {
        Machine m = make_arm(0.5, 100);
        BrJointId tube = br_model_find_joint(m.model, "tube");
        BrWrench frame;
        double effort;
        machine_run(&m, (BrScheme)s, 1e-3, 100);
        assert_int_equal(br_evaluate(m.model, m.workspace, m.state, NULL), BR_OK);
        assert_int_equal(br_joint_reaction(m.model, m.workspace, tube, NULL, &frame), BR_OK);
        assert_int_equal(br_motor_effort(m.model, m.workspace, br_model_motor(m.model, 0), &effort), BR_OK);
        assert_near(effort, 0.5, 1e-12);
        assert_near(frame.torque.z, effort, 1e-10); /* the tube itself holds nothing about its axis */
        machine_end(&m);
    }
}

/* Crank, rod and piston in one plane: that they stay in it is asked for once too often, and nothing presses across. The shortest
 * reactions are found already, up to rounding: what looks for shorter ones has to see that. */
static void nothing_presses_across_a_plane_machine(void **unused) {
    (void)unused;
    Machine m = machine_begin(vec(0, 0, -9.81));
    BrBodyId crank = machine_body(&m, "crank", 1.7, diagonal(0.0016, 0.0032, 0.0016), vec(0, -0.04, 0));
    BrBodyId rod = machine_body(&m, "rod", 0.33, diagonal(0.00001, 0.0013, 0.0013), vec(0.15, 0, 0));
    BrBodyId piston = machine_body(&m, "piston", 1.1, diagonal(0.0005, 0.0005, 0.0005), vec(0.25, 0, 0));
    BrJointId joint[4] = {machine_joint(&m, "main", BR_JOINT_REVOLUTE, m.ground, crank, NONE, Y),
                          machine_joint(&m, "big_end", BR_JOINT_REVOLUTE, crank, rod, vec(0.05, 0, 0), Y),
                          machine_joint(&m, "small_end", BR_JOINT_SPHERICAL, rod, piston, vec(0.25, 0, 0), NONE),
                          machine_joint(&m, "bore", BR_JOINT_PRISMATIC, m.ground, piston, vec(0.25, 0, 0), X)};
    machine_motor(&m, "drive", joint[0], 0, br_constant(31.4), 4);
    machine_ready(&m);
    for (int i = 0; i < 4000; i++) {
        machine_run(&m, BR_SCHEME_MOREAU, 5e-4, 1);
        double effort;
        assert_int_equal(br_evaluate(m.model, m.workspace, m.state, NULL), BR_OK);
        assert_int_equal(br_motor_effort(m.model, m.workspace, br_model_motor(m.model, 0), &effort), BR_OK);
        assert_near(effort, 0, 4 * (1 + 1e-9));
        for (int k = 0; k < 4; k++) {
            BrWrench now;
            assert_int_equal(br_joint_reaction(m.model, m.workspace, joint[k], &now, NULL), BR_OK);
            assert_near(now.force.y, 0, 1e-9); /* N, beside 90 N in the plane */
        }
    }
    machine_end(&m);
}

/* A slider on a tumbling body, driven along it at a speed it has reached. */
static Machine make_tumbling_slider(void) {
    Machine m = machine_begin(NONE);
    BrBodyDef def = br_default_body_def();
    def.name = "frame";
    def.mass = 1;
    def.inertia = diagonal(0.1, 0.12, 0.15);
    def.angular_velocity = vec(1, 2, 3);
    BrBodyId frame = machine_add_body(&m, &def);
    BrBodyId slider = machine_body(&m, "slider", 1, diagonal(0.02, 0.03, 0.025), vec(0.5, 0, 0));
    BrJointId rail = machine_joint(&m, "rail", BR_JOINT_PRISMATIC, frame, slider, vec(0.25, 0, 0), vec(0, 1, 1));
    machine_motor(&m, "motor", rail, 0, br_constant(0.5), 50);
    machine_ready(&m);
    return m;
}

/* Holding its speed takes the motor less than 1 N of the 50 it could give, whichever scheme and step got it there. */
static void motor_at_speed_does_not_pull_with_its_bound(void **unused) {
    (void)unused;
    for (int s = BR_SCHEME_MOREAU; s <= BR_SCHEME_RATTLE; s++)
        for (int k = 0; k < 3; k++) {
            const double steps[] = {1e-3, 2e-3, 5e-3};
            Machine m = make_tumbling_slider();
            double effort = 0;
            machine_run(&m, (BrScheme)s, steps[k], (int)lround(0.2 / steps[k]));
            assert_int_equal(br_evaluate(m.model, m.workspace, m.state, NULL), BR_OK);
            assert_int_equal(br_motor_effort(m.model, m.workspace, br_model_motor(m.model, 0), &effort), BR_OK);
            assert_near(effort, 0.0673, 0.02); /* rattle at 1 ms gives 0.067336; order 1 at 5 ms is 20 % off */
            machine_end(&m);
        }
}

/* A motor without a bound, not at its speed yet: whatever is said, numbers are finite. */
static void unbounded_motor_gives_finite_numbers(void **unused) {
    (void)unused;
    Machine m = machine_begin(GRAVITY);
    BrBodyId wheel = machine_body(&m, "wheel", 1, diagonal(1, 1, 1), NONE);
    BrJointId axle = machine_joint(&m, "axle", BR_JOINT_REVOLUTE, m.ground, wheel, NONE, Z);
    BrMotorDef def = br_default_motor_def();
    BrMotorId id;
    def.name = "motor";
    def.joint = axle;
    def.speed = br_constant(1);
    def.max_effort = INFINITY;
    BrStatus status = br_model_add_motor(m.model, &def, &id, NULL);
    assert_true(status == BR_OK || status == BR_INVALID_ARGUMENT); /* taken, or refused plainly */
    machine_ready(&m);
    if (br_evaluate(m.model, m.workspace, m.state, NULL) == BR_OK) {
        BrTwist rate;
        BrWrench wrench;
        assert_int_equal(br_body_acceleration(m.model, m.workspace, wheel, &rate), BR_OK);
        assert_int_equal(br_joint_reaction(m.model, m.workspace, axle, &wrench, NULL), BR_OK);
        assert_true(isfinite(norm(rate.angular)) && isfinite(norm(rate.linear)));
        assert_true(isfinite(norm(wrench.force)) && isfinite(norm(wrench.torque)));
    }
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machines_without_motions_assemble),
        cmocka_unit_test(balance_of_random_machines),
        cmocka_unit_test(balance_after_steps),
        cmocka_unit_test(accelerations_are_those_of_the_motion),
        cmocka_unit_test(mean_tends_to_instantaneous),
        cmocka_unit_test(mean_tends_to_instantaneous_at_speed),
        cmocka_unit_test(mean_is_zero_before_the_first_step),
        cmocka_unit_test(motor_effort_is_the_torque_about_the_axis),
        cmocka_unit_test(nothing_presses_across_a_plane_machine),
        cmocka_unit_test(motor_at_speed_does_not_pull_with_its_bound),
        cmocka_unit_test(unbounded_motor_gives_finite_numbers),
    };
    return cmocka_run_group_tests_name("reactions", tests, NULL, NULL);
}
