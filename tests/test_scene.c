/* Scenes: every key lands where it should, numbers may carry units and be expressions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/scene.h"
#include "counting.h"
#include "model/model.h"
#include "scene_text.h"

#define PI     3.14159265358979323846
#define BEGIN  "bristle: 1\n"
#define BODY   "{mass: 1, inertia: [1, 1, 1]}"
#define BODIES "bodies: {g: {fixed: true}, a: " BODY ", b: " BODY "}\n"
#define HINGE  "joints: {j: {revolute: [g, a], at: [0, 0, 0], axis: [0, 1, 0]}}\n"

/* ------------------------------------------------------------------ help */

static BrScene *parse_with(const char *text, int sets, const char *const *set) {
    BrSceneOptions options = br_default_scene_options();
    options.set = set;
    options.sets = sets;
    BrScene *scene = NULL;
    BrError error = {0};
    BrStatus status = br_scene_parse(text, strlen(text), "scene.yaml", &options, &scene, &error);
    if (status != BR_OK) fail_msg("%s:%d:%d: %s\n%s", error.file, error.line, error.column, error.text, text);
    assert_non_null(scene);
    return scene;
}

static BrScene *parse(const char *text) { return parse_with(text, 0, NULL); }

/* A relative error of a few roundings: parsing rounds once, each operation in an expression once more. */
static void check_number(double got, double wanted) {
    if (!(fabs(got - wanted) <= 4e-16 * fabs(wanted))) fail_msg("%.17g instead of %.17g", got, wanted);
}

static void check_vector(BrVec3 got, double x, double y, double z) {
    check_number(got.x, x);
    check_number(got.y, y);
    check_number(got.z, z);
}

static void check_matrix(const BrMat3 *got, const double wanted[3][3], double tolerance) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (!(fabs(got->m[i][k] - wanted[i][k]) <= tolerance))
                fail_msg("entry %d%d is %.17g instead of %.17g", i, k, got->m[i][k], wanted[i][k]);
}

static const BrBodyDef *find_body(const BrScene *scene, const char *name) {
    const BrModel *model = br_scene_model(scene);
    const BrBodyDef *def = br_body_def(model, br_model_find_body(model, name));
    assert_non_null(def);
    return def;
}

static const BrJointDef *find_joint(const BrScene *scene, const char *name) {
    const BrModel *model = br_scene_model(scene);
    const BrJointDef *def = br_joint_def(model, br_model_find_joint(model, name));
    assert_non_null(def);
    return def;
}

static const BrSpringDef *find_spring(const BrScene *scene, const char *name) {
    const BrModel *model = br_scene_model(scene);
    const BrSpringDef *def = br_spring_def(model, br_model_find_spring(model, name));
    assert_non_null(def);
    return def;
}

static const BrMotorDef *find_motor(const BrScene *scene, const char *name) {
    const BrModel *model = br_scene_model(scene);
    const BrMotorDef *def = br_motor_def(model, br_model_find_motor(model, name));
    assert_non_null(def);
    return def;
}

/* Motions and forces have no read-back of their own in the public headers. */
static const BriMotion *find_motion(const BrScene *scene, const char *name) {
    const BrModel *model = br_scene_model(scene);
    int number = bri_names_find(&model->motion_names, name);
    assert_true(number >= 0);
    return &model->motion[number];
}

static const BriForce *find_force(const BrScene *scene, const char *name) {
    const BrModel *model = br_scene_model(scene);
    int number = bri_names_find(&model->force_names, name);
    assert_true(number >= 0);
    return &model->force[number];
}

static void check_body_is(const BrScene *scene, BrBodyId id, const char *name) {
    const BrBodyDef *def = br_body_def(br_scene_model(scene), id);
    assert_non_null(def);
    assert_string_equal(def->name, name);
}

static double evaluate(const BriFunction *function, double x) { return bri_function_evaluate(function, x, 0).f; }

/* ------------------------------------------------------------------ every key to its place */

static void test_defaults(void **state) {
    (void)state;
    BrScene *scene = parse(BEGIN "bodies: {a: " BODY "}\n");
    const BrModel *model = br_scene_model(scene);
    BrRunDef run = br_scene_run_def(scene);
    check_number(run.step.dt, 1e-3);
    assert_int_equal(run.step.scheme, BR_SCHEME_RATTLE);
    check_number(run.until, 10);
    check_number(run.record_every, 10e-3); /* about a thousand rows */
    check_vector(model->gravity, 0, 0, -9.81);
    assert_int_equal(br_model_body_count(model), 1);
    assert_int_equal(br_model_joint_count(model), 0);
    assert_int_equal(br_model_spring_count(model), 0);
    assert_int_equal(br_model_motor_count(model), 0);
    const BrBodyDef *a = find_body(scene, "a");
    assert_int_equal(a->kind, BR_BODY_DYNAMIC);
    check_vector(a->position, 0, 0, 0);
    check_vector(a->velocity, 0, 0, 0);
    check_vector(a->angular_velocity, 0, 0, 0);
    check_matrix(&a->rotation, (const double[3][3]){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0);
    assert_string_equal(br_scene_assignments(scene), "");
    br_scene_destroy(scene);
    br_scene_destroy(NULL);
}

static void test_step_and_record(void **state) {
    (void)state;
    BrScene *scene = parse(BEGIN "title: a title\n"
                                 "gravity: [1, 2 m/s^2, -3]\n"
                                 "step: {formulation: timestepping, scheme: hem2, dt: 2 ms, until: 1 min}\n" BODIES
                                 "record: {every: 0.1}\n");
    BrRunDef run = br_scene_run_def(scene);
    assert_int_equal(run.step.scheme, BR_SCHEME_HEM2);
    check_number(run.step.dt, 2e-3);
    check_number(run.until, 60);
    check_number(run.record_every, 0.1);
    check_vector(br_scene_model(scene)->gravity, 1, 2, -3);
    br_scene_destroy(scene);

    scene = parse(BEGIN "step: {scheme: moreau, dt: 1 s, until: 0}\n" BODIES);
    run = br_scene_run_def(scene);
    assert_int_equal(run.step.scheme, BR_SCHEME_MOREAU);
    check_number(run.until, 0);
    check_number(run.record_every, 1);
    br_scene_destroy(scene);

    /* 60 ms is 60 steps although 0.06 / 0.001 is not 60 to the bit */
    scene = parse(BEGIN "step: {scheme: rattle}\n" BODIES "record: {every: 60 ms}\n");
    run = br_scene_run_def(scene);
    assert_int_equal(run.step.scheme, BR_SCHEME_RATTLE);
    check_number(run.record_every, 0.06);
    br_scene_destroy(scene);
}

static void test_bodies(void **state) {
    (void)state;
    BrScene *scene = parse(BEGIN "bodies:\n"
                                 "  ground: {fixed: true, pose: {position: [1, 2, 3]}}\n"
                                 "  belt: {pose: {rotate: [{z: 90 deg}]}}\n"
                                 "  box:\n"
                                 "    fixed: false\n"
                                 "    mass: 2.5\n"
                                 "    inertia: [0.1, 0.2, 0.25]\n"
                                 "    pose: {position: [1 mm, 2 cm, 3 km], rotate: []}\n"
                                 "    velocity: {linear: [1, 2, 3.6 km/h], angular: [0.1, 60 rpm, 90 deg/s]}\n"
                                 "  full: {mass: 500 g, inertia: [[2, 0.5, 0], [0.5, 2, 0.25], [0, 0.25, 2]]}\n"
                                 "motions: {m: {body: belt, velocity: [1, 0, 0]}}\n");
    const BrModel *model = br_scene_model(scene);
    assert_int_equal(br_model_body_count(model), 4);
    const char *names[] = {"ground", "belt", "box", "full"};
    for (int i = 0; i < 4; i++) check_body_is(scene, br_model_body(model, i), names[i]);
    assert_int_equal(find_body(scene, "ground")->kind, BR_BODY_FIXED);
    check_vector(find_body(scene, "ground")->position, 1, 2, 3);
    assert_int_equal(find_body(scene, "belt")->kind, BR_BODY_KINEMATIC);
    check_matrix(&find_body(scene, "belt")->rotation, (const double[3][3]){{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, 1e-15);
    const BrBodyDef *box = find_body(scene, "box");
    assert_int_equal(box->kind, BR_BODY_DYNAMIC);
    check_number(box->mass, 2.5);
    check_matrix(&box->inertia, (const double[3][3]){{0.1, 0, 0}, {0, 0.2, 0}, {0, 0, 0.25}}, 0);
    check_vector(box->position, 1e-3, 2e-2, 3e3);
    check_vector(box->velocity, 1, 2, 1);
    check_vector(box->angular_velocity, 0.1, 2 * PI, PI / 2);
    const BrBodyDef *full = find_body(scene, "full");
    check_number(full->mass, 0.5);
    check_matrix(&full->inertia, (const double[3][3]){{2, 0.5, 0}, {0.5, 2, 0.25}, {0, 0.25, 2}}, 0);
    br_scene_destroy(scene);
}

/* Turns about world axes, one after the other: the last stands leftmost in the product. */
static void test_rotations(void **state) {
    (void)state;
    BrScene *scene = parse(BEGIN "bodies:\n"
                                 "  xz: {fixed: true, pose: {rotate: [{x: 90 deg}, {z: 90 deg}]}}\n"
                                 "  zx: {fixed: true, pose: {rotate: [{z: 90 deg}, {x: 90 deg}]}}\n"
                                 "  y: {fixed: true, pose: {rotate: [{y: pi/2}]}}\n"
                                 "  axis: {fixed: true, pose: {rotate: [{axis: [2, 2, 2], angle: 120 deg}]}}\n"
                                 "  turns: {fixed: true, pose: {rotate: [{angle: 1 rev, axis: [0, 0, 1]}]}}\n");
    const struct {
        const char *name;
        double A[3][3];
    } wanted[] = {{"xz", {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}},   /* Rz Rx */
                  {"zx", {{0, -1, 0}, {0, 0, -1}, {1, 0, 0}}}, /* Rx Rz */
                  {"y", {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}}},   /* z goes to x */
                  {"axis", {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}, /* x to y to z to x */
                  {"turns", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        check_matrix(&find_body(scene, wanted[i].name)->rotation, wanted[i].A, 1e-15);
    br_scene_destroy(scene);
}

static void test_joints(void **state) {
    (void)state;
    const char *text = BEGIN "materials: {m: {friction: {law: coulomb, mu: 0}}}\n"
                             "bodies:\n"
                             "  g: {fixed: true, shapes: [{point: {}, material: m}, {plane: {}, material: m}]}\n"
                             "  a: {mass: 1, inertia: [1, 1, 1], shapes: [{sphere: {radius: 1}, material: m}]}\n"
                             "  b: " BODY "\n"
                             "joints:\n"
                             "  j0: {revolute: [g, a], at: [1, 2, 3], axis: [0, 2, 0]}\n"
                             "  j1: {prismatic: [g, a], at: [1 mm, 0, 0], axis: [1, 0, 0]}\n"
                             "  j2: {cylindrical: [g, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                             "  j3: {spherical: [a, b], at: [4, 5, 6]}\n"
                             "  j4: {universal: [g, a], at: [0, 0, 0], axis: [1, 0, 0], axis2: [0, 3, 0]}\n"
                             "  j5: {fixed: [b, a], at: [7, 8, 9]}\n"
                             "  j6: {planar: [g, a], at: [0, 0, 0], axis: [0, 0, -1]}\n"
                             "  j7: {screw: [g, a], at: [0, 0, 0], axis: [0, 0, 1], lead: -5 mm}\n"
                             "  j8: {distance: [g, a], from_body: [1, 2, 3], to_body: [4, 5, 6 cm], length: 2}\n"
                             "  j9: {knife_edge: [g, a], at: [0, 0, 1], axis: [0, 1, 0]}\n"
                             "  j10: {at: [0, 0, 1], axis: [0, 0, 1], axle: [0, 1, 0], radius: 50 cm,\n"
                             "        rolling_wheel: [g, a]}\n"
                             "  j11: {point_in_plane: [g, a], at: [0, 0, 1], axis: [0, 0, 1]}\n"
                             "  j12: {point_on_line: [g, a], at: [0, 0, 1], axis: [0, 0, 1]}\n"
                             "  j13: {link: [g, a], at: [3, 0, 1], axis: [0, 0, 1], to_body: [1, 0, 0]}\n"
                             "  j14: {contact: [g, a], stiffness: 1e9, shapes: [1, 0]}\n"
                             "  rod: {distance: [g, a], from_body: [1, 0, 0]}\n";
    BrScene *scene = parse(text);
    assert_int_equal(br_model_joint_count(br_scene_model(scene)), 16);
    check_number(find_joint(scene, "j14")->stiffness, 1e9);
    assert_int_equal(find_joint(scene, "j14")->shape_a, 1);
    for (int t = 0; t < BR_JOINT_TYPES; t++) {
        char name[8];
        snprintf(name, sizeof name, "j%d", t);
        assert_int_equal(find_joint(scene, name)->type, t);
        check_body_is(scene, find_joint(scene, name)->body_a, t == 3 ? "a" : t == 5 ? "b" : "g");
        check_body_is(scene, find_joint(scene, name)->body_b, t == 3 ? "b" : "a");
    }
    check_vector(find_joint(scene, "j0")->at, 1, 2, 3);
    check_vector(find_joint(scene, "j0")->axis, 0, 2, 0);
    check_vector(find_joint(scene, "j1")->at, 1e-3, 0, 0);
    check_vector(find_joint(scene, "j3")->at, 4, 5, 6);
    check_vector(find_joint(scene, "j4")->axis, 1, 0, 0);
    check_vector(find_joint(scene, "j4")->axis_b, 0, 3, 0);
    check_vector(find_joint(scene, "j5")->at, 7, 8, 9);
    check_vector(find_joint(scene, "j6")->axis, 0, 0, -1);
    check_number(find_joint(scene, "j7")->lead, -5e-3);
    check_vector(find_joint(scene, "j8")->point_a_body, 1, 2, 3);
    check_vector(find_joint(scene, "j8")->point_b_body, 4, 5, 0.06);
    check_number(find_joint(scene, "j8")->length, 2);
    check_vector(find_joint(scene, "j10")->axis_b, 0, 1, 0);
    check_number(find_joint(scene, "j10")->radius, 0.5);
    check_number(find_joint(scene, "rod")->length, 0); /* the initial distance */
    check_number(br_scene_model(scene)->joint[15].length, 1);
    check_number(br_scene_model(scene)->joint[13].length, 2);
    br_scene_destroy(scene);
}

static void test_springs(void **state) {
    (void)state;
    BrScene *scene = parse(
        BEGIN BODIES "joints: {c: {cylindrical: [g, a], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
                     "springs:\n"
                     "  line: {between: [a, b], from_body: [1, 2, 3], to_body: [4, 5, 6], stiffness: 3 kN/m,\n"
                     "         damping: 20 N s/m, free_length: 10 cm, direction_at_zero: [0, 1, 0]}\n"
                     "  turn: {joint: c, coordinate: angle, stiffness: 5 N m/rad, damping: 2 N m s/rad,\n"
                     "         free_length: 90 deg}\n"
                     "  slide: {joint: c, coordinate: slide, force: 7 N, free_length: 1 mm}\n"
                     "  torsion: {joint: c, coordinate: angle, stiffness: 5 N m}\n" /* the radian may be left out */
                     "  table: {between: [g, a], stiffness: {table: [[-1 cm, -5 N], [0, 0], [1 cm, 9 N]]}}\n"
                     "  formula: {between: [g, a], damping: 1 N s/m*(1 + x^2/(1 m^2)), force: 2 N + 3 N s/m*v}\n");
    assert_int_equal(br_model_spring_count(br_scene_model(scene)), 6);
    const BrSpringDef *line = find_spring(scene, "line"), *turn = find_spring(scene, "turn"),
                      *slide = find_spring(scene, "slide"), *table = find_spring(scene, "table"),
                      *formula = find_spring(scene, "formula");
    check_body_is(scene, line->body_a, "a");
    check_body_is(scene, line->body_b, "b");
    check_vector(line->point_a_body, 1, 2, 3);
    check_vector(line->point_b_body, 4, 5, 6);
    check_vector(line->direction_at_zero, 0, 1, 0);
    assert_int_equal(line->stiffness.kind, BR_FUNCTION_CONSTANT);
    check_number(line->stiffness.constant, 3000);
    check_number(line->damping.constant, 20);
    check_number(line->force.constant, 0);
    check_number(line->free_length, 0.1);
    assert_int_equal(turn->coordinate, 0);
    assert_string_equal(br_joint_def(br_scene_model(scene), turn->joint)->name, "c");
    check_number(turn->stiffness.constant, 5);
    check_number(turn->damping.constant, 2);
    check_number(turn->free_length, PI / 2);
    assert_int_equal(slide->coordinate, 1);
    check_number(slide->force.constant, 7);
    check_number(slide->free_length, 1e-3);
    check_number(find_spring(scene, "torsion")->stiffness.constant, 5);
    assert_int_equal(table->stiffness.kind, BR_FUNCTION_TABLE);
    assert_int_equal(table->stiffness.points, 3);
    const double points[] = {-0.01, -5, 0, 0, 0.01, 9};
    for (int i = 0; i < 6; i++) check_number(table->stiffness.table[i], points[i]);
    check_vector(table->direction_at_zero, 0, 0, -1);
    assert_int_equal(formula->damping.kind, BR_FUNCTION_EXPRESSION);
    const BriSpring *s = &br_scene_model(scene)->spring[5];
    check_number(bri_function_evaluate(&s->damping, 3, 100).f, 10);
    check_number(bri_function_evaluate(&s->force, 100, 2).f, 8);
    br_scene_destroy(scene);
}

static void test_motors(void **state) {
    (void)state;
    BrScene *scene = parse(BEGIN BODIES "joints:\n"
                                        "  h: {revolute: [g, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                                        "  p: {planar: [g, b], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                                        "motors:\n"
                                        "  m: {joint: h, speed: 30 rpm, max_torque: 5 N m}\n"
                                        "  n: {joint: p, coordinate: y, speed: 0.1 m/s*t/(1 s), max_force: 2 kN}\n"
                                        "  o: {joint: p, coordinate: angle, speed: 1, max_torque: 1}\n");
    const BrMotorDef *m = find_motor(scene, "m"), *n = find_motor(scene, "n");
    assert_int_equal(br_model_motor_count(br_scene_model(scene)), 3);
    assert_string_equal(br_joint_def(br_scene_model(scene), m->joint)->name, "h");
    assert_int_equal(m->coordinate, 0);
    check_number(m->speed.constant, PI);
    check_number(m->max_effort, 5);
    assert_int_equal(n->coordinate, 1);
    check_number(n->max_effort, 2000);
    check_number(evaluate(&br_scene_model(scene)->motor[1].speed, 5), 0.5);
    assert_int_equal(find_motor(scene, "o")->coordinate, 2);
    br_scene_destroy(scene);
}

static void test_stops(void **state) {
    (void)state;
    BrScene *scene =
        parse(BEGIN BODIES "joints:\n"
                           "  h: {revolute: [g, a], at: [0, 0, 0], axis: [0, 1, 0],\n"
                           "      limits: {angle: [-30 deg, '-'], stiffness: 8 N m/rad, damping: 2}}\n"
                           "  c: {cylindrical: [g, b], at: [0, 0, 0], axis: [0, 0, 1],\n"
                           "      limits: {slide: [0, 5 cm], stiffness: 3 kN/m}}\n"
                           "springs: {rope: {between: [a, b], play: ['-', 0], stiffness: 2, free_length: 1}}\n");
    const BrModel *model = br_scene_model(scene);
    const BrSpringDef *h = br_spring_def(model, br_model_find_spring(model, "h stop"));
    const BrSpringDef *c = br_spring_def(model, br_model_find_spring(model, "c stop slide"));
    const BrSpringDef *rope = br_spring_def(model, br_model_find_spring(model, "rope"));
    assert_non_null(h);
    assert_non_null(c);
    check_number(h->play_lower, -PI / 6);
    assert_true(h->play_upper > 1e308);
    check_number(h->stiffness.constant, 8);
    check_number(h->damping.constant, 2);
    assert_int_equal(c->coordinate, 1);
    check_number(c->play_lower, 0);
    check_number(c->play_upper, 0.05);
    check_number(c->stiffness.constant, 3000);
    assert_true(rope->play_lower < -1e308);
    check_number(rope->play_upper, 0);
    assert_true(br_joint_def(model, h->joint)->upper[0] > 1e308); /* no hard one beside it */
    assert_true(br_joint_def(model, h->joint)->lower[0] < -1e308);
    br_scene_destroy(scene);
}

static void test_servos(void **state) {
    (void)state;
    BrScene *scene =
        parse(BEGIN BODIES "joints:\n"
                           "  h: {revolute: [g, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                           "  p: {planar: [g, b], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                           "motors:\n"
                           "  m: {joint: h, position: 30 deg, frequency: 5 Hz, damping_ratio: 0.7, max_speed: 30 rpm,\n"
                           "      torque: 2 N m}\n"
                           "  n: {joint: p, coordinate: y, speed: 0.5, damping: 3 N s/m, max_force: 2 kN}\n"
                           "  o: {joint: p, coordinate: angle, torque: \"3*t\"}\n"
                           "  q: {joint: p, coordinate: x, position: 1 mm, stiffness: 2 kN/m}\n");
    const BrMotorDef *m = find_motor(scene, "m"), *n = find_motor(scene, "n"), *o = find_motor(scene, "o");
    assert_int_equal(m->kind, BR_MOTOR_SERVO);
    check_number(m->position.constant, PI / 6);
    check_number(m->frequency, 5);
    check_number(m->damping_ratio, 0.7);
    check_number(m->max_speed, PI);
    check_number(m->effort.constant, 2);
    assert_true(m->max_effort > 1e308);
    assert_int_equal(n->kind, BR_MOTOR_SERVO);
    check_number(n->damping, 3);
    check_number(n->speed.constant, 0.5);
    check_number(n->max_effort, 2000);
    assert_int_equal(o->kind, BR_MOTOR_EFFORT);
    check_number(evaluate(&br_scene_model(scene)->motor[2].effort, 2), 6);
    check_number(find_motor(scene, "q")->stiffness, 2000);
    check_number(find_motor(scene, "q")->damping, 0);
    br_scene_destroy(scene);
}

static void test_motions(void **state) {
    (void)state;
    BrScene *scene = parse(BEGIN "bodies: {g: {fixed: true}, p: {}, q: {}, a: " BODY ", b: " BODY "}\n"
                                 "joints:\n"
                                 "  h: {revolute: [g, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                                 "  s: {prismatic: [g, b], at: [0, 0, 0], axis: [1, 0, 0]}\n"
                                 "motions:\n"
                                 "  angle: {joint: h, position: {table: [[0 s, 0 deg], [2 s, 180 deg]]}}\n"
                                 "  slide: {joint: s, coordinate: slide, speed: 2 mm/s}\n"
                                 "  path: {body: p, position: [1 mm, sin(2*pi*t/(1 s)), {table: [[0, 0], [1, 5]]}],\n"
                                 "         angular_velocity: [0, 0, 10 rpm]}\n"
                                 "  rate: {body: q, velocity: [0, {sine: {amplitude: 2, frequency: 3}}, 0]}\n");
    const BriMotion *angle = find_motion(scene, "angle"), *slide = find_motion(scene, "slide"),
                    *path = find_motion(scene, "path"), *rate = find_motion(scene, "rate");
    assert_int_equal(angle->joint, 0);
    assert_false(angle->def.by_velocity);
    check_number(evaluate(&angle->drive, 1), PI / 2);
    assert_int_equal(slide->joint, 1);
    assert_true(slide->def.by_velocity);
    check_number(evaluate(&slide->drive, 1), 2e-3);
    assert_int_equal(path->body, 1);
    assert_false(path->def.by_velocity);
    check_number(evaluate(&path->linear[0], 0), 1e-3);
    check_number(evaluate(&path->linear[1], 0.25), 1);
    check_number(evaluate(&path->linear[2], 0.5), 2.5);
    check_number(evaluate(&path->angular[2], 0.5), PI / 3);
    assert_int_equal(rate->body, 2);
    assert_true(rate->def.by_velocity);
    check_number(evaluate(&rate->linear[1], 1.0 / 12), 2);
    check_number(evaluate(&rate->linear[0], 1), 0);
    br_scene_destroy(scene);
}

static void test_forces(void **state) {
    (void)state;
    BrScene *scene =
        parse(BEGIN BODIES "forces:\n"
                           "  three: {body: a, force: [1, 2 kN, 3], torque: [4, 5, 6 N m], at_body: [1, 2, 3 mm]}\n"
                           "  turning: {body: b, force_body: [1, 0, 0], torque_body: [0, 2, 0]}\n"
                           "  along: {body: a, force: {table: [[0, 0], [1, 10 N]]}, direction: [3, 0, 4]}\n"
                           "  plain: {body: a, force: 5, torque: 7}\n" /* along x, about z */
                           "  wave: {body: a, torque: {sine: {amplitude: 2 N m, frequency: 5 Hz, phase: 90 deg,\n"
                           "         offset: 1}}, axis: [0, -1, 0]}\n"
                           "  formula: {body: a, force: 10 N*exp(-t/(1 s)), direction: [0, 0, -2]}\n"
                           "  columns: {body: a, force: {table: [[0, 1, 2, 3], [2 s, 4, 5, 6 N]]}}\n");
    const BriForce *three = find_force(scene, "three"), *turning = find_force(scene, "turning"),
                   *along = find_force(scene, "along"), *plain = find_force(scene, "plain"),
                   *wave = find_force(scene, "wave"), *formula = find_force(scene, "formula"),
                   *columns = find_force(scene, "columns");
    const double force[] = {1, 2000, 3}, torque[] = {4, 5, 6}, column[] = {2.5, 3.5, 4.5};
    for (int k = 0; k < 3; k++) {
        check_number(evaluate(&three->force[k], 9), force[k]);
        check_number(evaluate(&three->torque[k], 9), torque[k]);
        check_number(evaluate(&columns->force[k], 1), column[k]);
    }
    check_vector(three->def.point_body, 1, 2, 3e-3);
    assert_false(three->def.in_body_axes);
    assert_int_equal(turning->body, 2);
    assert_true(turning->def.in_body_axes);
    check_number(evaluate(&turning->force[0], 0), 1);
    check_number(evaluate(&turning->torque[1], 0), 2);
    check_number(evaluate(&along->force[0], 0.5), 3);
    check_number(evaluate(&along->force[1], 0.5), 0);
    check_number(evaluate(&along->force[2], 0.5), 4);
    check_number(evaluate(&plain->force[0], 0), 5);
    check_number(evaluate(&plain->torque[2], 0), 7);
    check_number(evaluate(&wave->torque[1], 0), -3);
    check_number(evaluate(&wave->torque[1], 0.1), 1);
    check_number(evaluate(&formula->force[2], 0), -10);
    check_number(evaluate(&formula->force[2], 1), -10 * exp(-1));
    br_scene_destroy(scene);
}

/* ------------------------------------------------------------------ numbers */

/* The mass of the body 'a' in a scene with these parameters. */
static double read_mass(const char *parameters, const char *mass) {
    Text text = begin_text(BEGIN);
    append(&text, "parameters: {%s}\nbodies: {a: {mass: \"%s\", inertia: [1, 1, 1]}}\n", parameters, mass);
    BrScene *scene = parse(text.bytes);
    double value = find_body(scene, "a")->mass;
    br_scene_destroy(scene);
    free(text.bytes);
    return value;
}

static void test_units(void **state) {
    (void)state;
    const struct {
        const char *value, *unit;
        double number;
    } table[] = {{"1 m", "m", 1},         {"2 mm", "m", 2e-3},
                 {"3 cm", "m", 3e-2},     {"4 um", "m", 4e-6},
                 {"5 km", "m", 5e3},      {"1 in", "m", 0.0254},
                 {"2 s", "s", 2},         {"3 ms", "s", 3e-3},
                 {"4 us", "s", 4e-6},     {"5 min", "s", 300},
                 {"2 h", "s", 7200},      {"3 kg", "kg", 3},
                 {"4 g", "kg", 4e-3},     {"5 t", "kg", 5e3},
                 {"2 rad", "rad", 2},     {"180 deg", "rad", PI},
                 {"3 mrad", "rad", 3e-3}, {"2 rev", "rad", 4 * PI},
                 {"4 N", "N", 4},         {"5 mN", "N", 5e-3},
                 {"2 kN", "N", 2e3},      {"3 MN", "N", 3e6},
                 {"4 J", "N*m", 4},       {"5 kJ", "J", 5e3},
                 {"2 W", "J/s", 2},       {"3 kW", "W", 3e3},
                 {"4 Pa", "N/m^2", 4},    {"5 kPa", "Pa", 5e3},
                 {"2 MPa", "Pa", 2e6},    {"3 GPa", "Pa", 3e9},
                 {"4 bar", "Pa", 4e5},    {"5 Hz", "s^-1", 5},
                 {"2 kHz", "Hz", 2e3},    {"30 rpm", "rad/s", PI},
                 {"36 km/h", "m/s", 10},  {"2 kg*m^2", "kg m^2", 2},
                 {"3 kN/m", "N/m", 3e3},  {"4 N m s/rad", "N m s/rad", 4},
                 {"5 m/s/s", "m/s^2", 5}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char mass[100];
        snprintf(mass, sizeof mass, "(%s)/(1 %s)*(1 kg)", table[i].value, table[i].unit);
        check_number(read_mass("", mass), table[i].number);
    }
}

static void test_expressions(void **state) {
    (void)state;
    const struct {
        const char *text;
        double value;
    } table[] = {{"3", 3},
                 {"1.5e2", 150},
                 {"2 + 3*4", 14},
                 {"(2 + 3)*4", 20},
                 {"2^3^2", 512},
                 {"10 - -2^2", 14},
                 {"7/2/2", 1.75},
                 {"sin(30 deg) + cos(60 deg)", 1},
                 {"tan(45 deg)", 1},
                 {"asin(1)/(1 rad)*(1 kg)", PI / 2},
                 {"acos(-1)/(1 rad)*(1 kg)", PI},
                 {"atan(1)*4/(1 rad)*(1 kg)", PI},
                 {"atan2(1, -1)/(1 rad)*(1 kg)", 3 * PI / 4},
                 {"exp(0) + log(e)", 2},
                 {"sqrt(16 kg^2)", 4},
                 {"abs(-3 kg)", 3},
                 {"tanh(100)", 1},
                 {"min(2, 3) + max(2, 3)", 5},
                 {"pi", PI},
                 {"  2 kg  +  500 g ", 2.5}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        double value = read_mass("", table[i].text);
        if (!(fabs(value - table[i].value) <= 1e-15 * table[i].value))
            fail_msg("%s gives %.17g instead of %.17g", table[i].text, value, table[i].value);
    }
}

static void test_parameters(void **state) {
    (void)state;
    check_number(read_mass("m: 2", "m"), 2);
    check_number(read_mass("m: 2 kg", "3*m"), 6);
    check_number(read_mass("c: 2*b, b: a + 1 kg, a: 3 kg", "c"), 8); /* any order */
    check_number(read_mass("a: 3 kg, b: a + 1 kg, c: 2*b", "c"), 8);
    check_number(read_mass("rho: 1 g/cm^3, V: L^3, L: 10 cm", "rho*V"), 1);
    check_number(read_mass("e: 5", "e"), 5); /* one's own name wins over a constant's */
    check_number(read_mass("_x1: 4, X: _x1 + 1", "X"), 5);
    check_number(read_mass("m: 3 N*m, g: 2", "g"), 2); /* the unit, not the parameter that is just being worked out */
    check_number(read_mass("torque: 3 N*m, m: 2 kg", "m"), 2);
    check_number(read_mass("", "1"), 1);

    /* in functions of time too: they are worked out once and written in */
    BrScene *scene =
        parse(BEGIN "parameters: {F: -2 N, w: 3 rad/s, kN: 4 N, n: 1e-3 N}\n" BODIES
                    "forces: {f: {body: a, force: [F^3/(1 N^2)*sin(w*t), kN + 2 kN*cos(w*t), n*t/(1 s)]}}\n");
    const BriForce *f = find_force(scene, "f");
    check_number(evaluate(&f->force[0], 0.5), -8 * sin(1.5));
    check_number(evaluate(&f->force[1], 0), 2004);
    check_number(evaluate(&f->force[2], 2), 2e-3);
    br_scene_destroy(scene);
}

/* SI by default holds for functions too: a bare number beside t, x or v makes the whole a number in SI. */
static void test_bare_functions(void **state) {
    (void)state;
    BrScene *scene =
        parse(BEGIN "parameters: {w: 3, k: 50}\n" BODIES HINGE
                    "springs: {s: {between: [g, b], stiffness: 50 + 10*abs(x), damping: 2 + v^2, force: k*x^3}}\n"
                    "motors: {m: {joint: j, speed: 2*t, max_torque: 1}}\n"
                    "forces: {f: {body: a, force: [5*sin(w*t), 10 - t, exp(-t)]}}\n");
    const BriSpring *s = &br_scene_model(scene)->spring[0];
    const BriForce *f = find_force(scene, "f");
    check_number(evaluate(&s->stiffness, -2), 70);
    check_number(bri_function_evaluate(&s->damping, 0, 3).f, 11);
    check_number(evaluate(&s->force, 2), 400);
    check_number(evaluate(&br_scene_model(scene)->motor[0].speed, 3), 6);
    check_number(evaluate(&f->force[0], 0.5), 5 * sin(1.5));
    check_number(evaluate(&f->force[1], 4), 6);
    check_number(evaluate(&f->force[2], 1), exp(-1));
    br_scene_destroy(scene);
}

/* A chain of a hundred parameters may stand in any order; a thousand in the order in which they are needed. */
static void test_parameter_chains(void **state) {
    (void)state;
    Text forward = begin_text("p0: 1"), backward = begin_text("p99: p98 + 1");
    for (int i = 1; i < 1000; i++) append(&forward, ", p%d: p%d + 1", i, i - 1);
    for (int i = 98; i > 0; i--) append(&backward, ", p%d: p%d + 1", i, i - 1);
    append(&backward, ", p0: 1");
    check_number(read_mass(forward.bytes, "p999"), 1000);
    check_number(read_mass(backward.bytes, "p99"), 100);
    free(forward.bytes);
    free(backward.bytes);
}

/* What stands between number and unit, or between function and parenthesis, means nothing. */
static void test_blanks_in_functions(void **state) {
    (void)state;
    BrScene *scene = parse(BEGIN "parameters: {low: 3 N, N: 7}\n" BODIES
                                 "forces: {f: {body: a, force: [\"2\\tN*t/(1 s)\", \"min (1 N, t*(1 N/s))\", "
                                 "\"2\\n  N + low*t/(1 s)\"]}}\n");
    const BriForce *f = find_force(scene, "f");
    check_number(evaluate(&f->force[0], 3), 6);
    check_number(evaluate(&f->force[1], 0.5), 0.5);
    check_number(evaluate(&f->force[2], 2), 8);
    br_scene_destroy(scene);
}

/* Allowed as written, so also with the values of its parameters written in: 0.1 has 17 digits then. */
static void test_long_expression(void **state) {
    (void)state;
    Text text = begin_text(BEGIN "parameters: {k: 0.1 N/s}\n" BODIES "forces: {f: {body: a, force: t*(k");
    for (int i = 1; i < 400; i++) append(&text, " + k");
    append(&text, ")}}\n");
    BrScene *scene = parse(text.bytes);
    double value = evaluate(&find_force(scene, "f")->force[0], 1);
    assert_true(fabs(value - 40) < 1e-12);
    br_scene_destroy(scene);
    free(text.bytes);
}

static void test_yaml_forms(void **state) {
    (void)state;
    BrScene *json = parse("{\"bristle\": 1, \"bodies\": {\"a\": {\"mass\": \"2 kg\", \"inertia\": [1, 1, 1e0],\n"
                          "\t\"pose\": {\"position\": [1, -2, 3.5]}}}}");
    check_number(find_body(json, "a")->mass, 2);
    check_vector(find_body(json, "a")->position, 1, -2, 3.5);
    br_scene_destroy(json);
    BrScene *alias = parse(BEGIN "bodies:\n  a: &a {mass: &m 2, inertia: [*m, *m, *m]}\n  b: *a\n");
    check_number(find_body(alias, "b")->mass, 2);
    assert_string_equal(find_body(alias, "b")->name, "b");
    br_scene_destroy(alias);
    BrScene *folded = parse("\xEF\xBB\xBF" BEGIN "bodies:\r\n"
                            "  \"r\xC3\xA4\":\r\n"
                            "    mass: >-\r\n      1 +\r\n      1\r\n"
                            "    inertia: [1, 1, 1]\r\n");
    check_number(find_body(folded, "r\xC3\xA4")->mass, 2);
    br_scene_destroy(folded);
}

/* ------------------------------------------------------------------ assignments and text */

static void test_text(void **state) {
    (void)state;
    const char *text = BEGIN "# a comment\nbodies: {a: " BODY "}   # another\n";
    const char *const set[] = {"bodies.a.mass=3", "step={dt: 1 ms}"};
    BrScene *scene = parse_with(text, 2, set);
    assert_string_equal(br_scene_text(scene), text);
    assert_string_equal(br_scene_assignments(scene), "bodies.a.mass=3\nstep={dt: 1 ms}\n");
    br_scene_destroy(scene);

    /* only `size` bytes belong to it */
    BrError error = {0};
    assert_int_equal(br_scene_parse(text, strlen(text) - strlen("   # another\n"), "x", NULL, &scene, &error), BR_OK);
    assert_int_equal(strlen(br_scene_text(scene)), strlen(text) - strlen("   # another\n"));
    br_scene_destroy(scene);
}

static void test_assignments(void **state) {
    (void)state;
    const char *text = BEGIN "parameters: {m: 1 kg, k: m}\n"
                             "gravity: [0, 0, -9.81]\n"
                             "step: {}\n"
                             "bodies: {a: &a {mass: k, inertia: [1, 1, 1]}, b: *a}\n";
    const char *const set[] = {"parameters.m=2 kg",  "gravity.2=-1.62", "step.dt=5 ms",          "step.until=1 s",
                               "bodies.b.mass=4 kg", "step.dt=2 ms",    "bodies.c={fixed: true}"};
    BrScene *scene = parse_with(text, 7, set);
    check_number(find_body(scene, "a")->mass, 2); /* through the parameters */
    check_number(find_body(scene, "b")->mass, 4); /* and not the alias's original */
    assert_int_equal(find_body(scene, "c")->kind, BR_BODY_FIXED);
    check_vector(br_scene_model(scene)->gravity, 0, 0, -1.62);
    check_number(br_scene_run_def(scene).step.dt, 2e-3); /* the last one wins */
    check_number(br_scene_run_def(scene).until, 1);
    br_scene_destroy(scene);
}

static void check_set_refused(const char *assignment, BrStatus wanted, const char *words) {
    Counter counter = {0};
    BrSceneOptions options = br_default_scene_options();
    options.allocator = counting_allocator(&counter);
    options.set = &assignment;
    options.sets = 1;
    BrScene *scene = NULL;
    BrError error = {0};
    const char *text = BEGIN "step: {dt: 1 ms}\n" BODIES;
    BrStatus status = br_scene_parse(text, strlen(text), "scene.yaml", &options, &scene, &error);
    if (status != wanted || !strstr(error.text, words))
        fail_msg("%s: got %s '%s', wanted '%s'", assignment, br_status_name(status), error.text, words);
    char place[160]; /* messages name the assignment */
    snprintf(place, sizeof place, "--set %.*s", (int)strcspn(assignment, "="), assignment);
    assert_string_equal(error.file, place);
    assert_null(scene);
    assert_int_equal(counter.live, 0);
}

static void test_bad_assignments(void **state) {
    (void)state;
    check_set_refused("step.dt", BR_INVALID_ARGUMENT, "no '='");
    check_set_refused("bodies.c.mass=2", BR_INVALID_ARGUMENT, "no key 'c'");
    check_set_refused("bodis.a.mass=2", BR_INVALID_ARGUMENT, "did you mean 'bodies'");
    check_set_refused("bodies.a.inertia.3=2", BR_INVALID_ARGUMENT, "from 0 to 2");
    check_set_refused("step.dt=[", BR_INVALID_ARGUMENT, "not YAML");
    check_set_refused("step.dt=", BR_INVALID_ARGUMENT, "nothing here");
    check_set_refused("step.dt=-1 ms", BR_INVALID_SCENE, "must be positive");
    check_set_refused("step.dt=1 mm", BR_INVALID_SCENE, "is in m, but a value in s is needed");
    check_set_refused("bodies.a.mas=2", BR_INVALID_SCENE, "did you mean 'mass'");
    check_set_refused("step.scheme=ratle", BR_INVALID_SCENE, "did you mean 'rattle'");
}

static void test_wrong_calls(void **state) {
    (void)state;
    BrScene *scene = NULL;
    BrError error = {0};
    BrSceneOptions zero = {0};
    const char *text = BEGIN BODIES;
    assert_int_equal(br_scene_parse(text, strlen(text), "x", &zero, &scene, &error), BR_INVALID_DEF);
    assert_non_null(strstr(error.text, "br_default_scene_options()"));
    assert_int_equal(br_scene_parse("nonsense", 8, "x", NULL, &scene, NULL), BR_INVALID_SCENE);
    assert_int_equal(br_scene_load("/no/such/scene.yaml", NULL, &scene, &error), BR_IO);
    assert_null(scene);
    assert_string_equal(error.file, "/no/such/scene.yaml");
    assert_non_null(strstr(error.text, "no such file"));
    assert_int_equal(br_scene_load("/", NULL, &scene, &error), BR_IO);
    /* no text is not the file of that name */
    assert_int_equal(br_scene_parse(NULL, 0, "/no/such/scene.yaml", NULL, &scene, &error), BR_INVALID_ARGUMENT);
}

/* The scenes that ship load; BRISTLE_ROOT or the working directory is the tree. */
static void test_shipped_scenes(void **state) {
    (void)state;
    const char *const names[] = {"double-pendulum", "four-bar", "slider-crank", "hil"}, *root = getenv("BRISTLE_ROOT");
    for (int i = 0; i < BRI_COUNT(names); i++) {
        char path[1100];
        snprintf(path, sizeof path, "%s/scenes/%s.yaml", root ? root : ".", names[i]);
        BrScene *scene = NULL;
        BrError error = {0};
        BrStatus status = br_scene_load(path, NULL, &scene, &error);
        if (status != BR_OK) fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.text);
        if (i == 0) check_number(find_body(scene, "upper")->mass, 2);
        assert_true(br_model_joint_count(br_scene_model(scene)) >= 2);
        br_scene_destroy(scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_step_and_record),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_rotations),
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_springs),
        cmocka_unit_test(test_motors),
        cmocka_unit_test(test_servos),
        cmocka_unit_test(test_stops),
        cmocka_unit_test(test_motions),
        cmocka_unit_test(test_forces),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_bare_functions),
        cmocka_unit_test(test_parameter_chains),
        cmocka_unit_test(test_blanks_in_functions),
        cmocka_unit_test(test_long_expression),
        cmocka_unit_test(test_yaml_forms),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_assignments),
        cmocka_unit_test(test_bad_assignments),
        cmocka_unit_test(test_wrong_calls),
        cmocka_unit_test(test_shipped_scenes),
    };
    return cmocka_run_group_tests_name("scene", tests, NULL, NULL);
}
