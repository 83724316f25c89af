/* test_signals.c: numbers with names, which forces and springs read. Closed forms of what they drive, and each quantity
 * against the getter that reads it otherwise. */
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
#include "scene_run.h"
#include "scene_text.h"

/* ------------------------------------------------------------------ scenes */

static double value_of(const SceneRun *r, const char *name) {
    double value = NAN;
    assert_int_equal(br_signal_value(r->model, r->state, br_model_find_signal(r->model, name), &value), BR_OK);
    return value;
}

static BrTwist twist_of(const SceneRun *r, const char *name) {
    BrTwist twist;
    assert_int_equal(br_body_twist(r->model, r->state, br_model_find_body(r->model, name), &twist), BR_OK);
    return twist;
}

#define HEAD   "bristle: 1\ngravity: [0, 0, 0]\n"
#define CART   "bodies: {g: {fixed: true}, cart: {mass: 2, inertia: [1, 1, 1]}}\n"
#define RAIL   "joints: {rail: {prismatic: [g, cart], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
#define THROWN "bodies: {g: {fixed: true}, cart: {mass: 2, inertia: [1, 1, 1], velocity: {linear: [3, 0, 0]}}}\n"

static const struct {
    BrFormulation formulation;
    BrScheme scheme;
    int order; /* of the positions; 16: to 1e-10 */
} WAYS[] = {{BR_FORMULATION_TIMESTEPPING, BR_SCHEME_MOREAU, 1}, {BR_FORMULATION_TIMESTEPPING, BR_SCHEME_HEM2, 2},
            {BR_FORMULATION_TIMESTEPPING, BR_SCHEME_RATTLE, 2}, {BR_FORMULATION_SMOOTH, BR_SCHEME_HALF_IMPLICIT, 1},
            {BR_FORMULATION_SMOOTH, BR_SCHEME_BDF2, 2},         {BR_FORMULATION_EVENT, BR_SCHEME_HEM2, 16},
            {BR_FORMULATION_COMPLIANT, BR_SCHEME_RK4, 4},       {BR_FORMULATION_COMPLIANT, BR_SCHEME_ADAPTIVE, 16}};

/* ------------------------------------------------------------------ motion */

/* Drag -c |v| v of a cart of mass m: v = v0/(1 + c v0 t/m), x = m/c log(1 + c v0 t/m). */
static void drag_has_the_order_of_the_scheme(void **unused) {
    (void)unused;
    const char *text =
        HEAD "parameters: {c: 1.5}\n" THROWN RAIL "signals: {drag: -c*abs(speed)*speed, speed: rail.velocity}\n"
             "forces: {air: {body: cart, force: [drag, 0, 0]}}\n";
    const double exact = 2 / 1.5 * log(1 + 1.5 * 3 / 2);
    for (size_t w = 0; w < sizeof WAYS / sizeof WAYS[0]; w++) {
        double error[2], defect[2];
        for (int fine = 0; fine < 2; fine++) {
            SceneRun r = scene_begin(text);
            scene_go(&r, WAYS[w].formulation, WAYS[w].scheme, fine ? 0.005 : 0.01, fine ? 200 : 100);
            BrPose pose;
            br_body_pose(r.model, r.state, br_model_find_body(r.model, "cart"), &pose);
            error[fine] = fabs(pose.position.x - exact);
            BrEnergy energy; /* what drag takes is work put in, less than nothing */
            br_state_energy(r.model, r.state, &energy);
            assert_true(energy.work < 0);
            defect[fine] = fabs(energy.defect);
            scene_end(&r);
        }
        if (WAYS[w].order == 16) {
            assert_near(error[1], 0, 1e-10);
            assert_near(defect[1], 0, 1e-9 * 9);
        } else {
            assert_near(observed_order(error[0], error[1]), WAYS[w].order, 0.15);
            assert_between(defect[1] / defect[0], 0, WAYS[w].order == 1 ? 0.55 : 0.3);
        }
    }
}

/* A force that a signal makes is the spring that it describes: the same numbers but for rounding. */
static void a_controller_is_a_spring_and_a_damper(void **unused) {
    (void)unused;
    const char *spring = HEAD THROWN RAIL "springs: {s: {joint: rail, stiffness: 40, damping: 3, free_length: 0.5}}\n";
    const char *signal = HEAD THROWN RAIL
        "signals: {effort: -40*error - 3*cart.velocity.x, error: rail.position - aim - 0 m, aim: {table: [[0, 0.5]]}}\n"
        "springs: {s: {joint: rail, force: -effort}}\n";
    for (size_t w = 0; w < sizeof WAYS / sizeof WAYS[0]; w++) {
        SceneRun a = scene_begin(spring), b = scene_begin(signal);
        scene_go(&a, WAYS[w].formulation, WAYS[w].scheme, 0.01, 50);
        scene_go(&b, WAYS[w].formulation, WAYS[w].scheme, 0.01, 50);
        assert_vec_near(twist_of(&a, "cart").linear, twist_of(&b, "cart").linear, 1e-11);
        double length, rate, tension, other;
        br_spring_force(a.model, a.state, br_model_spring(a.model, 0), &length, &rate, &tension);
        br_spring_force(b.model, b.state, br_model_spring(b.model, 0), &length, &rate, &other);
        assert_near(tension, other, 1e-9);
        BrEnergy energy;
        br_state_energy(b.model, b.state, &energy);
        assert_near(energy.stored, 0, 0); /* it only works */
        assert_true(energy.dissipated == 0);
        if (WAYS[w].order == 16) assert_near(energy.defect, 0, 1e-9 * 9);
        scene_end(&a);
        scene_end(&b);
    }
}

/* c(t) = c0 + c1 t: v = v0 exp(-(c0 t + c1 t^2/2)/m). */
static void springs_read_the_time(void **unused) {
    (void)unused;
    SceneRun r = scene_begin(HEAD THROWN RAIL "springs: {s: {joint: rail, damping: 1 + 2*t}}\n");
    scene_go(&r, BR_FORMULATION_EVENT, BR_SCHEME_HEM2, 0.01, 100);
    assert_near(twist_of(&r, "cart").linear.x, 3 * exp(-(1 + 1) / 2.), 1e-11);
    scene_end(&r);
}

#define MOTOR(motor)                                                                                                   \
    HEAD CART RAIL "signals: {error: 0.5 - rail.position, effort: 40*error - 3*rail.velocity, wanted: 4*error}\n"      \
                   "motors: {m: {joint: rail, " motor "}}\n"

/* A motor by force that reads what a force reads is that force, in every scheme. */
static void motors_push_by_signals(void **unused) {
    (void)unused;
    for (size_t w = 0; w < sizeof WAYS / sizeof WAYS[0]; w++) {
        SceneRun a = scene_begin(MOTOR("force: effort"));
        SceneRun b = scene_begin(
            HEAD CART RAIL "forces: {f: {body: cart, force: [40*(0.5 - rail.position) - 3*rail.velocity, 0, 0]}}\n");
        scene_go(&a, WAYS[w].formulation, WAYS[w].scheme, 0.01, 50);
        scene_go(&b, WAYS[w].formulation, WAYS[w].scheme, 0.01, 50);
        assert_vec_near(twist_of(&a, "cart").linear, twist_of(&b, "cart").linear, 1e-11);
        double effort;
        assert_int_equal(br_evaluate(a.model, a.workspace, a.state, NULL), BR_OK);
        assert_int_equal(br_motor_effort(a.model, a.workspace, br_model_motor(a.model, 0), &effort), BR_OK);
        assert_near(effort, value_of(&a, "effort"), 1e-12);
        scene_end(&a);
        scene_end(&b);
    }
}

/* A motor that is asked where each step begins for a speed of 4 times what is left leaves 1 - 4 h of it in each step. */
static void motors_are_asked_where_steps_begin(void **unused) {
    (void)unused;
    const double h = 0.01;
    SceneRun r = scene_begin(MOTOR("speed: wanted, max_force: 1e9"));
    for (int i = 0; i < 20; i++) {
        double before = value_of(&r, "error"), target, most;
        assert_int_equal(br_motor_target(r.model, r.state, br_model_motor(r.model, 0), &target, &most), BR_OK);
        assert_near(target, 4 * before, 1e-15);
        scene_go(&r, BR_FORMULATION_TIMESTEPPING, BR_SCHEME_MOREAU, h, 1);
        assert_near(twist_of(&r, "cart").linear.x, target, 1e-13);
        assert_near(value_of(&r, "error"), (1 - 4 * h) * before, 1e-14);
    }
    scene_end(&r);
}

/* ------------------------------------------------------------------ readings */

static const char *const TUMBLING =
    "bristle: 1\n"
    "bodies:\n"
    "  g: {fixed: true}\n"
    "  arm: {mass: 2, inertia: [0.1, 0.2, 0.3], pose: {position: [1, 2, 3], rotate: [{x: 20 deg}]},\n"
    "        velocity: {linear: [1, 0.5, 2], angular: [0.3, -0.2, 0.5]}}\n"
    "  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 1]}, velocity: {angular: [2, 0, 0]}}\n"
    "joints: {tube: {cylindrical: [g, rod], at: [0, 0, 1], axis: [1, 0, 0]},\n"
    "         arm: {point_in_plane: [g, arm], at: [1, 2, 3], axis: [0, 0, 1]}}\n"
    "signals:\n"
    "  px: arm.position.x\n  py: bodies.arm.position.y\n  pz: arm.position.z\n"
    "  vx: arm.velocity.x\n  vy: arm.velocity.y\n  vz: bodies.arm.velocity.z\n"
    "  wx: arm.angular_velocity.x\n  wy: arm.angular_velocity.y\n  wz: arm.angular_velocity.z\n"
    "  rxy: arm.rotation.xy\n  rzx: arm.rotation.zx\n"
    "  turn: tube.position_angle\n  slide: tube.velocity_slide\n  rate: joints.tube.velocity_angle\n"
    "  across: joints.arm.position_y\n  now: t\n"
    "  line: {table: [[0, 1], [0.1, 3]]}\n  curve: {table: [[-1, -10], [1, 10]], over: sin(turn)}\n  wave: {sine: "
    "{amplitude: 2, frequency: 1}}\n";

static void quantities_are_what_getters_read(void **unused) {
    (void)unused;
    SceneRun r = scene_begin(TUMBLING);
    scene_go(&r, BR_FORMULATION_TIMESTEPPING, BR_SCHEME_RATTLE, 0.001, 50);
    BrPose pose;
    BrTwist twist = twist_of(&r, "arm");
    double position[3], velocity[3];
    br_body_pose(r.model, r.state, br_model_find_body(r.model, "arm"), &pose);
    const struct {
        const char *name;
        double value;
    } BODY[] = {{"px", pose.position.x},        {"py", pose.position.y},       {"pz", pose.position.z},
                {"vx", twist.linear.x},         {"vy", twist.linear.y},        {"vz", twist.linear.z},
                {"wx", twist.angular.x},        {"wy", twist.angular.y},       {"wz", twist.angular.z},
                {"rxy", pose.rotation.m[0][1]}, {"rzx", pose.rotation.m[2][0]}};
    for (size_t i = 0; i < sizeof BODY / sizeof BODY[0]; i++) assert_near(value_of(&r, BODY[i].name), BODY[i].value, 0);
    br_joint_position(r.model, r.state, br_model_find_joint(r.model, "tube"), position, velocity);
    assert_near(position[0], 0.1, 1e-9); /* it turns at 2 rad/s */
    assert_near(value_of(&r, "turn"), position[0], 0);
    assert_near(value_of(&r, "rate"), velocity[0], 0);
    assert_near(value_of(&r, "slide"), velocity[1], 0);
    br_joint_position(r.model, r.state, br_model_find_joint(r.model, "arm"), position, velocity);
    assert_near(value_of(&r, "across"), position[1], 0);
    assert_near(value_of(&r, "now"), 0.05, 1e-15);
    assert_near(value_of(&r, "line"), 2, 1e-12);
    assert_near(value_of(&r, "curve"), 10 * sin(0.1), 1e-8);
    assert_near(value_of(&r, "wave"), 2 * sin(2 * PI * 0.05), 1e-12);
    scene_end(&r);
}

#define STACK                                                                                                          \
    "bristle: 1\nmaterials: {m: {friction: {law: coulomb, mu: 0.5}}}\n"                                                \
    "bodies:\n  floor: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: m}]}\n"                           \
    "  low: {mass: 2, inertia: [1, 1, 1], pose: {position: [0, 0, 0.5]}, shapes: [{box: {size: [1, 1, 1]}, material: " \
    "m}]}\n"                                                                                                           \
    "  high: {mass: 1, inertia: [1, 1, 1], pose: {position: [0, 0, 1.5]}, shapes: [{box: {size: [1, 1, 1]}, "          \
    "material: m}]}\n"

/* The mean over the step before; on the first-named body, as everywhere. */
static void contact_forces_are_those_of_the_step_before(void **unused) {
    (void)unused;
    SceneRun r =
        scene_begin(STACK "signals: {weight: low.floor.force.z, back: floor.low.force.z, top: high.low.force.z,\n"
                          "          size: low.high.force, none: high.floor.force}\n");
    assert_near(value_of(&r, "weight"), 0, 0); /* there was no step before */
    for (int w = 0; w < 3; w++) {
        scene_go(&r, w < 2 ? BR_FORMULATION_TIMESTEPPING : BR_FORMULATION_EVENT, WAYS[w].scheme, 0.001, 20);
        assert_near(value_of(&r, "weight"), 3 * 9.81, 1e-7);
        assert_near(value_of(&r, "back"), -3 * 9.81, 1e-7);
        assert_near(value_of(&r, "top"), 9.81, 1e-7);
        assert_near(value_of(&r, "size"), 9.81, 1e-7);
        assert_near(value_of(&r, "none"), 0, 0);
    }
    scene_end(&r);
}

/* A balance: what presses on the floor is lifted by half of it; with m g as the load that settles at
 * f = m g - f/2, f = 2/3 m g. */
static void a_force_may_follow_a_contact(void **unused) {
    (void)unused;
    SceneRun r =
        scene_begin(STACK "signals: {load: low.floor.force.z}\nforces: {lift: {body: low, force: [0, 0, load/2]}}\n");
    scene_go(&r, BR_FORMULATION_TIMESTEPPING, BR_SCHEME_HEM2, 0.001, 60); /* halves its error every step */
    assert_near(value_of(&r, "load"), 2 * 9.81, 1e-7);
    scene_end(&r);
}

/* A table beside the scene, with a column of times. */
static void measured_data_is_followed(void **unused) {
    (void)unused;
    char name[64], text[400];
    name_new_file(".csv", name);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs("time[s],height[m],other\n0,1,9\n0.5,2,9\n0.5,3,9\n1,4,9\n", file); /* it jumps at 0.5 s */
    fclose(file);
    const char *leaf = strrchr(name, '/') + 1; /* `name` stands for the scene */
    snprintf(text, sizeof text, HEAD CART "signals: {road: {recorded: %s, channel: height}}\n", leaf);
    SceneRun r = scene_begin_at(name, text);
    assert_near(value_of(&r, "road"), 1, 0);
    scene_go(&r, BR_FORMULATION_TIMESTEPPING, BR_SCHEME_RATTLE, 0.25, 3);
    assert_near(value_of(&r, "road"), 3.5, 1e-12);
    scene_end(&r);
    snprintf(text, sizeof text, HEAD CART "signals: {road: {recorded: %s, channel: hieght}}\n", leaf);
    scene_refuse_at(name, text, "height");
    snprintf(text, sizeof text, HEAD CART "signals: {road: {recorded: %s}}\n", leaf);
    scene_refuse_at(name, text, "needs 'recorded', a file, and 'channel'");
    remove(name);
    scene_refuse(HEAD CART "signals: {road: {recorded: none.csv, channel: a}}\n", "none.csv");
    scene_refuse(HEAD CART "signals: {road: {recorded: ../other.csv, channel: a}}\n", "..");
}

/* ------------------------------------------------------------------ refusals */

static void circles_and_unknown_names_are_refused(void **unused) {
    (void)unused;
    scene_refuse(HEAD CART "signals: {a: b + 1, b: 2*c, c: a}\n", "'a', 'b', 'c' hang on each other");
    scene_refuse(HEAD CART "signals: {a: a + 1}\n", "'a' hang on each other");
    scene_refuse(HEAD CART "signals: {a: cart.positoin.x}\n", "body 'cart' has position, velocity");
    scene_refuse(HEAD CART RAIL "signals: {a: rail.angle}\n", "joint 'rail' has position, velocity");
    scene_refuse(HEAD CART "signals: {a: car.position.x}\n", "expected a known name");
    scene_refuse(HEAD CART "signals: {a: cart.position}\n", "body 'cart' has");
    scene_refuse(HEAD CART "signals: {a: cart.cart.force}\n", "body 'cart' has");
    scene_refuse(HEAD CART "signals: {t: 1}\n", "not be t, x, v, pi or e");
    scene_refuse(HEAD CART "signals: {a-b: 1}\n", "letters, digits");
    scene_refuse(HEAD "parameters: {a: 1}\n" CART "signals: {a: 1}\n", "has the name of a parameter");
    scene_refuse(HEAD CART "signals: {a: {over: t}}\n", "needs a 'table'");
    scene_refuse(HEAD CART "signals: {a: {table: [[0, 1]], over: 3}}\n", "must be something that varies");
    scene_refuse(HEAD CART "signals: [1]\n", "must be a mapping of names");
    scene_refuse(HEAD CART "forces: {p: {body: cart, torque: [3 N/m*cart.position.x, 0, 0]}}\n",
                 "is in N, but a value in N m is needed");
    scene_refuse(HEAD CART RAIL "signals: {s: 1}\nmotions: {m: {joint: rail, position: s}}\n",
                 "a function of time alone; a motor may follow it");
}

/* Each signal names the one before it twice: 2^k operations are never written out. */
static void what_would_grow_without_end_is_refused(void **unused) {
    (void)unused;
    for (int tables = 0; tables < 2; tables++) {
        Text text = begin_text(HEAD CART "signals:\n  s0: t\n");
        for (int k = 1; k < 40; k++)
            append(&text, tables ? "  s%d: {table: [[0, 0], [1, 1]], over: s%d + s%d}\n" : "  s%d: s%d + s%d\n", k,
                   k - 1, k - 1);
        scene_refuse(text.bytes, tables ? "takes more than 100000 operations" : "found more than 10000 operations");
        free(text.bytes);
    }
    Text text = begin_text(HEAD CART "signals:\n  s0: t\n"); /* a chain is no trouble */
    for (int k = 1; k < 90; k++) append(&text, "  s%d: s%d + 1\n", k, k - 1);
    SceneRun r = scene_begin(text.bytes);
    assert_near(value_of(&r, "s89"), 89, 0);
    scene_end(&r);
    free(text.bytes);
}

static void programs_in_c_do_the_same(void **unused) {
    (void)unused;
    Machine m = machine_begin(vec(0, 0, 0));
    BrBodyId idle = machine_body(&m, "idle", 1, diagonal(1, 1, 1), vec(0, 0, 0));
    BrBodyId cart = machine_body(&m, "cart", 2, diagonal(1, 1, 1), vec(0, 0, 0));
    BrSignalDef def = br_default_signal_def();
    BrSignalId id;
    BrError error = {0};
    BrConstant two = {"two", 2};
    def.name = "push", def.value = br_expression("two*t - cart.position.x");
    def.value.constants = &two, def.value.constant_count = 1;
    assert_int_equal(br_model_add_signal(m.model, &def, &id, &error), BR_OK);
    assert_string_equal(br_signal_def(m.model, id)->name, "push");
    assert_int_equal(br_model_add_signal(m.model, &def, NULL, &error), BR_INVALID_ARGUMENT); /* twice */
    def.name = "late", def.value = br_expression("later + 1");
    assert_int_equal(br_model_add_signal(m.model, &def, NULL, &error), BR_INVALID_ARGUMENT);
    machine_force(&m, "f", cart, 0, br_expression("push"));
    assert_int_equal(br_model_remove_body(m.model, cart, &error), BR_INVALID_ARGUMENT);
    assert_int_equal(br_model_remove_body(m.model, idle, &error), BR_OK); /* numbers move, what is read does not */
    machine_ready(&m);
    BrStepDef step = machine_event_def(0.01);
    machine_steps(&m, &step, 100);
    double w = sqrt(0.5), value; /* x'' = t - x/2: x = 2 t - 2/w sin(w t) */
    assert_near(machine_pose(&m, cart).position.x, 2 - 2 / w * sin(w), 1e-10);
    assert_int_equal(br_signal_value(m.model, m.state, id, &value), BR_OK);
    assert_near(value, 2 - machine_pose(&m, cart).position.x, 1e-12);
    assert_int_equal(br_signal_value(m.model, m.state, (BrSignalId){0}, &value), BR_INVALID_ID);
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drag_has_the_order_of_the_scheme),
        cmocka_unit_test(a_controller_is_a_spring_and_a_damper),
        cmocka_unit_test(springs_read_the_time),
        cmocka_unit_test(motors_push_by_signals),
        cmocka_unit_test(motors_are_asked_where_steps_begin),
        cmocka_unit_test(quantities_are_what_getters_read),
        cmocka_unit_test(contact_forces_are_those_of_the_step_before),
        cmocka_unit_test(a_force_may_follow_a_contact),
        cmocka_unit_test(measured_data_is_followed),
        cmocka_unit_test(circles_and_unknown_names_are_refused),
        cmocka_unit_test(what_would_grow_without_end_is_refused),
        cmocka_unit_test(programs_in_c_do_the_same),
    };
    return cmocka_run_group_tests_name("signals", tests, NULL, NULL);
}
