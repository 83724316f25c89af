/* test_sensors.c: instruments against closed forms: turning arms, falls, rests, hanging weights, stacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"
#include "scene_run.h"

static const BrVec3 NONE = {0, 0, 0};
static const double G = 9.81;

/* By the default scheme. */
static void go(SceneRun *b, BrFormulation formulation, double dt, int steps) {
    scene_go(b, formulation, br_model_default_scheme(b->model, formulation), dt, steps);
}

static BrSensorReading look(SceneRun *b, const char *name) {
    BrSensorReading is;
    assert_true(br_evaluate(b->model, b->workspace, b->state, NULL) >= 0);
    BrSensorId id = br_model_find_sensor(b->model, name);
    assert_int_equal(br_sensor_read(b->model, b->workspace, b->state, id, &is), BR_OK);
    return is;
}

/* An arm of which nothing but the rate is known turns at w about a tilted axis: towards it w^2 r. The sensor is turned about the
 * axis too, by 90 degrees: what pulls along the arm shows along its -y, gravity's part along the axis along z. */
static void a_turning_arm_pulls(void **unused) {
    (void)unused;
    SceneRun b = scene_begin("bristle: 1\n"
                             "bodies:\n  g: {fixed: true}\n"
                             "  arm: {mass: 2, inertia: [1, 1, 1], pose: {rotate: [{y: 30 deg}]}}\n"
                             "joints: {j: {revolute: [g, arm], at: [0, 0, 0], axis: [sin(30 deg), 0, cos(30 deg)]}}\n"
                             "motions: {m: {joint: j, speed: 3}}\n"
                             "sensors: {tip: {point: arm, at_body: [0.5, 0, 0.2]},\n"
                             "          imu: {imu: arm, at_body: [0.5, 0, 0.2], rotate: [{z: 90 deg}]}}\n");
    for (int round = 0; round < 3; round++) {
        BrSensorReading tip = look(&b, "tip"), imu = look(&b, "imu");
        double angle = 3 * br_state_time(b.state), tilt = PI / 6;
        BrMat3 spin = turn_about(vec(0, 0, 1), angle), lean = turn_about(vec(0, 1, 0), tilt);
        BrVec3 radial = rotate(&lean, rotate(&spin, vec(1, 0, 0))), axis = rotate(&lean, vec(0, 0, 1));
        assert_vec_near(tip.position, add(scale(0.5, radial), scale(0.2, axis)), 1e-9);
        assert_vec_near(tip.velocity, scale(1.5, cross(axis, radial)), 1e-9);
        assert_vec_near(tip.acceleration, scale(-4.5, radial), 1e-9);
        assert_vec_near(imu.acceleration, tip.acceleration, 0);
        BrVec3 up = rotate_back(&spin, rotate_back(&lean, vec(0, 0, G))), felt = add(vec(-4.5, 0, 0), up);
        assert_vec_near(imu.specific_force, vec(felt.y, -felt.x, felt.z), 1e-9);
        assert_vec_near(imu.rate, vec(0, 0, 3), 1e-12);
        assert_vec_near(tip.rate, NONE, 0);
        go(&b, BR_FORMULATION_TIMESTEPPING, 0.001, 300);
    }
    scene_end(&b);
}

/* An accelerometer shows g at rest and nothing in a fall; a frame apart from the centre of mass is where at_body counts from. */
static void rest_and_fall(void **unused) {
    (void)unused;
    SceneRun b = scene_begin(
        "bristle: 1\nmaterials: {m: {friction: {law: coulomb, mu: 0.5}, density: 500}}\n"
        "bodies:\n  floor: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: m}]}\n"
        "  box: {pose: {position: [0, 0, 0]}, shapes: [{box: {size: [0.2, 0.2, 0.2]}, at: [0, 0, 0.1], material: m}]}\n"
        "  stone: {mass: 1, inertia: [1, 1, 1], pose: {position: [5, 0, 9]}, velocity: {angular: [0, 0, 2]}}\n"
        "sensors: {rest: {imu: box}, foot: {point: box}, fall: {imu: stone}, side: {imu: stone, at_body: [0.1, 0, "
        "0]}}\n");
    for (int round = 0; round < 2; round++) {
        assert_vec_near(look(&b, "rest").specific_force, vec(0, 0, G), 1e-9);
        assert_vec_near(look(&b, "foot").position, NONE, 1e-9);
        assert_vec_near(look(&b, "fall").specific_force, NONE, 1e-12);
        assert_vec_near(look(&b, "fall").acceleration, vec(0, 0, -G), 1e-12);
        assert_vec_near(look(&b, "side").specific_force, vec(-0.4, 0, 0), 1e-9); /* w^2 r inwards */
        go(&b, BR_FORMULATION_TIMESTEPPING, 0.001, 50);
    }
    scene_end(&b);
}

/* What a point does between two moments is what it shows in between. */
static void readings_are_derivatives(void **unused) {
    (void)unused;
    SceneRun b = scene_begin(
        "bristle: 1\n"
        "bodies:\n  g: {fixed: true}\n"
        "  a: {mass: 2, inertia: [0.1, 0.2, 0.3], pose: {position: [0.5, 0, 0]}}\n"
        "  b: {mass: 1, inertia: [0.1, 0.1, 0.2], pose: {position: [1.5, 0.2, 0]}, velocity: {angular: [1, 2, 3]}}\n"
        "joints: {p: {spherical: [g, a], at: [0, 0, 0]}, q: {universal: [a, b], at: [1, 0, 0], axis: [0, 1, 0], axis2: "
        "[0, 0, 1]}}\n"
        "sensors: {s: {point: b, at_body: [0.3, -0.2, 0.4]}}\n");
    const double h = 1e-3;
    go(&b, BR_FORMULATION_EVENT, 0.05, 4);
    BrSensorReading x[3];
    for (int i = 0; i < 3; i++) {
        x[i] = look(&b, "s");
        go(&b, BR_FORMULATION_EVENT, h, 1);
    }
    /* differences are off by h^2/6 of the next derivative: some hundred m/s^3 and some thousand m/s^4 */
    assert_vec_near(scale(0.5 / h, sub(x[2].position, x[0].position)), x[1].velocity, 1e-4);
    assert_vec_near(scale(0.5 / h, sub(x[2].velocity, x[0].velocity)), x[1].acceleration, 2e-3);
    assert_true(norm(x[1].acceleration) > 1);
    scene_end(&b);
}

/* A weight hangs 0.3 m beside a welded joint that is turned by 90 degrees about x: its z is the world's -y. */
static void a_load_cell_weighs(void **unused) {
    (void)unused;
    SceneRun b =
        scene_begin("bristle: 1\n"
                    "bodies:\n  g: {fixed: true}\n  w: {mass: 2, inertia: [1, 1, 1], pose: {position: [0.3, 0, 0]}}\n"
                    "joints: {weld: {fixed: [g, w], at: [0, 0, 0]}}\nsensors: {cell: {load_cell: weld}}\n");
    BrSensorReading cell = look(&b, "cell");
    assert_vec_near(cell.force, vec(0, 0, 2 * G), 1e-10);
    assert_vec_near(cell.torque, vec(0, -0.3 * 2 * G, 0), 1e-10);
    BrWrench joint;
    assert_int_equal(br_joint_reaction(b.model, b.workspace, br_model_joint(b.model, 0), NULL, &joint), BR_OK);
    assert_vec_near(cell.torque, joint.torque, 0);
    assert_int_equal(cell.places, 0);
    scene_end(&b);
}

static void feet_are_felt(void **unused) {
    (void)unused;
    SceneRun b =
        scene_begin("bristle: 1\nmaterials: {m: {friction: {law: coulomb, mu: 0.5}}}\n"
                    "bodies:\n  floor: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: m}]}\n"
                    "  low: {mass: 2, inertia: [1, 1, 1], pose: {position: [0, 0, 0.5]}, shapes: [{box: {size: [1, 1, "
                    "1]}, material: m}]}\n"
                    "  high: {mass: 1, inertia: [1, 1, 1], pose: {position: [0.2, 0, 1.5]}, shapes: [{box: {size: [1, "
                    "1, 1]}, material: m}]}\n"
                    "sensors: {foot: {contact: [low, floor]}, back: {contact: [floor, low]}, top: {contact: [high, "
                    "low]}, air: {contact: [high, floor]}}\n");
    go(&b, BR_FORMULATION_TIMESTEPPING, 0.001, 5);
    assert_vec_near(look(&b, "foot").force, vec(0, 0, 3 * G), 1e-7);
    assert_vec_near(look(&b, "back").force, vec(0, 0, -3 * G), 1e-7);
    assert_vec_near(look(&b, "top").force, vec(0, 0, G), 1e-7);
    assert_int_equal(look(&b, "foot").places, 4);
    assert_int_equal(look(&b, "air").places, 0);
    assert_vec_near(look(&b, "air").force, NONE, 0);
    scene_end(&b);
}

static void sensors_change_nothing(void **unused) {
    (void)unused;
#define MACHINE                                                                                                        \
    "bristle: 1\nbodies: {g: {fixed: true}, a: {mass: 1, inertia: [1, 1, 1], pose: {position: [1, 0, 0]}}}\n"          \
    "joints: {j: {revolute: [g, a], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
    SceneRun with = scene_begin(MACHINE "sensors: {s: {imu: a}}\n"), without = scene_begin(MACHINE);
    go(&with, BR_FORMULATION_TIMESTEPPING, 0.01, 20);
    look(&with, "s");
    go(&with, BR_FORMULATION_TIMESTEPPING, 0.01, 20);
    go(&without, BR_FORMULATION_TIMESTEPPING, 0.01, 40);
    assert_true(br_state_hash(with.state) == br_state_hash(without.state));
    scene_end(&with);
    scene_end(&without);
}

static void mistakes_are_told(void **unused) {
    (void)unused;
    scene_refuse(MACHINE "sensors: {s: {gyro: a}}\n", "unknown type of sensor 'gyro'");
    scene_refuse(MACHINE "sensors: {s: {}}\n", "like {point: body");
    scene_refuse(MACHINE "sensors: {s: {point: b}}\n", "body 'b'");
    scene_refuse(MACHINE "sensors: {s: {load_cell: a}}\n", "joint 'a'");
    scene_refuse(MACHINE "sensors: {s: {load_cell: j, at_body: [0, 0, 0]}}\n", "unknown key in load_cell 's'");
    scene_refuse(MACHINE "sensors: {s: {contact: [a, a]}}\n", "does not touch itself");
    scene_refuse(MACHINE "sensors: {s: {contact: a}}\n", "list of two bodies");
    scene_refuse(MACHINE "sensors: {s: {imu: a, at_body: [0, 0]}}\n", "three numbers");
    scene_refuse(MACHINE "sensors: {s: {point: a, rotate: [{x: 3}]}}\n", "unknown key in point 's'");
    scene_refuse(MACHINE "sensors: [1]\n", "must be a mapping of names");
    Machine m = machine_begin(NONE);
    BrSensorDef def = br_default_sensor_def();
    BrBodyId idle = machine_body(&m, "idle", 1, diagonal(1, 1, 1), NONE);
    def.name = "s", def.body = idle, def.point_body.x = NAN;
    assert_int_equal(br_model_add_sensor(m.model, &def, NULL, NULL), BR_INVALID_ARGUMENT);
    def.point_body.x = 0, def.rotation_body.m[0][0] = 2;
    assert_int_equal(br_model_add_sensor(m.model, &def, NULL, NULL), BR_INVALID_ARGUMENT);
    def.rotation_body = diagonal(1, 1, 1);
    assert_int_equal(br_model_add_sensor(m.model, &def, NULL, NULL), BR_OK);
    assert_int_equal(br_model_remove_body(m.model, idle, NULL), BR_INVALID_ARGUMENT);
    machine_ready(&m);
    BrSensorReading is;
    BrSensorId id = br_model_sensor(m.model, 0);
    assert_int_equal(br_sensor_read(m.model, m.workspace, m.state, id, &is),
                     BR_WRONG_STAGE); /* nothing was evaluated */
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turning_arm_pulls),
        cmocka_unit_test(rest_and_fall),
        cmocka_unit_test(readings_are_derivatives),
        cmocka_unit_test(a_load_cell_weighs),
        cmocka_unit_test(feet_are_felt),
        cmocka_unit_test(sensors_change_nothing),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests_name("sensors", tests, NULL, NULL);
}
