/* test_scene_fields.c: every field of every definition comes back from a scene that was written, to the bit: one machine
 * that has them all, listed field by field. A field that is not listed, or that no part of the machine gives a value of its
 * own, fails: so a new one cannot be forgotten by those who write scenes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/bristle.h"
#include "scene_support.h"

static const char EVERYTHING[] =
    "bristle: 1\n"
    "gravity: [0, 0.5, -9.7]\n"
    "materials:\n"
    "  steel: {friction: {law: rolling, mu_s: 0.5, mu_k: 0.4, mu_r: 1 mm}, hypothesis: poisson, restitution: 0.3, "
    "density: 7800,\n"
    "          elastic: {E: 200 GPa, nu: 0.3}, compliant: {normal: {law: gonthier, e: {table: [[0, 0.9], [2, 0.6]]}},\n"
    "          friction: {law: dwell, mu_s: 0.5, mu_k: 0.4}}}\n"
    "  wood: {friction: {law: coulomb, mu: 0.3}}\n"
    "pairs: [{between: [wood, steel], friction: {law: coulomb, mu: 0.1}}]\n"
    "filters: [{never: [dense, hub]}, {never: [hub, bowl]}, {never: [dense, bowl]}]\n"
    "memory: {hub/floor: {z: [1 um, 0, 0]}}\n"
    "bodies:\n"
    "  floor: {fixed: true, shapes: [{plane: {}, material: steel, surface_velocity: [0.1, 0, 0]}]}\n"
    "  hub: {mass: 2, inertia: [[1, 0.1, 0], [0.1, 1, 0], [0, 0, 1.1]], center_of_mass: [0.1, 0.02, 0.3],\n"
    "        pose: {position: [0, 0, 3], rpy: [0.1, 0.2, 0.3]}, velocity: {linear: [1, 2, 3], angular: [3, 2, 1]},\n"
    "        shapes: [{sphere: {radius: 0.1}, at: [0.1, 0, 0], material: steel},\n"
    "                 {capsule: {radius: 0.05, length: 0.2}, rpy: [1, 0, 0], material: wood}]}\n"
    "  dense: {pose: {position: [3, 0, 3]}, shapes: [{box: {size: [0.1, 0.2, 0.3]}, at: [0.2, 0, 0], material: wood, "
    "density: 600}]}\n"
    "  bowl: {fixed: true, pose: {position: [9, 0, 9]}, shapes: [{torus: {ring_radius: 0.5, radius: 0.1}, material: "
    "steel, at: [0, 0, 5]},\n"
    "         {bowl: {semi_axes: [1, 1, 1]}, material: steel},\n"
    "         {quadric: {coefficients: [1, 2, 3, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, -5]}, material: steel, at: [0, 0, "
    "50]},\n"
    "         {extrusion: {points: [[0.2, 0], [0, 0.2], [-0.2, 0], [0, -0.3]], length: 1}, material: steel, at: [0, 0, "
    "90]}]}\n"
    "  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], pose: {position: [9, 0, 8.1]},\n"
    "         shapes: [{point: {}, material: steel, at: [5, 5, 5]}, {sphere: {radius: 0.1}, material: steel}]}\n"
    "  b1: {mass: 1, inertia: [1, 1, 1], pose: {position: [20, 0, 0]}}\n"
    "  b2: {mass: 1, inertia: [1, 1, 1], pose: {position: [21, 0, 0]}}\n"
    "  b3: {mass: 1, inertia: [1, 1, 1], pose: {position: [22, 0, 0]}}\n"
    "  b4: {mass: 1, inertia: [1, 1, 1], pose: {position: [23, 0, 0]}}\n"
    "  b5: {mass: 1, inertia: [1, 1, 1], pose: {position: [24, 0, 0]}}\n"
    "  b6: {mass: 1, inertia: [1, 1, 1], pose: {position: [25, 0, 0]}}\n"
    "  b7: {mass: 1, inertia: [1, 1, 1], pose: {position: [26, 0, 0.2]}}\n"
    "  b8: {mass: 1, inertia: [1, 1, 1], pose: {position: [27, 0, 0]}}\n"
    "  b9: {mass: 1, inertia: [1, 1, 1], pose: {position: [28, 0, 0]}}\n"
    "  b10: {mass: 1, inertia: [1, 1, 1], pose: {position: [29, 0, 0]}}\n"
    "  stage: {pose: {position: [40, 0, 0]}}\n"
    "joints:\n"
    "  pin: {revolute: [floor, b1], at: [20, 0, 0.1], axis: [0, 1, 0.1], start: 0.2, start_rate: 0.3, limits: [-1, 2], "
    "friction: {law: coulomb,\n"
    "        mu_s: 0.2, mu_k: 0.1, pin_radius: 5 mm, bearing_spacing: 0.2, bearing_offset: 0.03, collar_radius: 9 mm, "
    "preload: 3,\n"
    "        viscous: 0.1, efficiency: 0.9}}\n"
    "  guide: {prismatic: [floor, b2], at: [21, 0, 0], axis: [1, 0, 0], friction: {law: stribeck, mu_s: 0.3, mu_k: "
    "0.2,\n"
    "          guide_width: 0.1, guide_height: 0.2, guide_length: 0.3, guide_side: [0, 1, 0.1], bearings_on: first}}\n"
    "  knee: {spherical: [floor, b3], at: [22, 0, 0.1], friction: {law: coulomb, mu: 0.1, ball_radius: 8 mm}}\n"
    "  spindle: {screw: [floor, b4], at: [23, 0, 0], axis: [0, 0, 1], lead: 5 mm, friction: {law: coulomb, mu: 0.1,\n"
    "            thread_radius: 9 mm, thread_angle: 15 deg}}\n"
    "  cross: {universal: [floor, b5], at: [24, 0, 0], axis: [1, 0, 0], axis2: [0, 3, 0]}\n"
    "  rod: {distance: [floor, b6], from_body: [25, 1, 0], to_body: [0, 0.1, 0], length: 1.2}\n"
    "  wheel: {rolling_wheel: [floor, b7], axis: [0, 0, 1], axle: [0, 1, 0], radius: 0.2, at: [26, 0, 0.2]}\n"
    "  plate: {cylindrical: [floor, b8], at: [27, 0, 0], axis: [0, 0, 1], friction: {slide: {law: constant, force: "
    "3}},\n"
    "          limits: {slide: [-0.1, 0.3], stiffness: 1e4, damping: 10}}\n"
    "  rail: {prismatic: [floor, b9], at: [28, 0, 0], axis: [1, 0, 0]}\n"
    "  plunger: {cylindrical: [floor, b10], at: [29, 0, 0], axis: [0, 0, 1]}\n"
    "  lies: {contact: [bowl, ball], shapes: [1, 1], stiffness: 1e9}\n"
    "signals:\n"
    "  wind: {table: [[0, 0], [2, 5]], over: \"2*b1.velocity.x\"}\n"
    "  pull: \"3*t + wind\"\n"
    "springs:\n"
    "  line: {between: [hub, b2], from_body: [1, 0, 0], to_body: [0, 1, 0], direction_at_zero: [1, 2, 2], stiffness: "
    "100,\n"
    "         damping: \"3*abs(v)\", force: \"min(x, 0.1)\", free_length: 0.1, play: [-0.1, \"-\"]}\n"
    "  twist: {joint: plate, coordinate: angle, stiffness: {table: [[-1, -3], [1, 5]]}}\n"
    "  pad: {bushing: [hub, b3], at: [0, 1, 2], axis: [1, 2, 2], stiffness: [1, 2, 3], damping: [4, 5, 6],\n"
    "        torsional_stiffness: [7, 8, 9], torsional_damping: [1, 3, 5]}\n"
    "motors:\n"
    "  turn: {joint: pin, speed: {sine: {amplitude: 1, frequency: 3, phase: 20 deg, offset: 5}}, max_torque: "
    "infinite}\n"
    "  lift: {joint: plate, coordinate: slide, force: \"3*t\", max_force: 8}\n"
    "  stiff: {joint: rail, position: \"0.1*t\", force: \"2*t\", stiffness: 100, damping: 3, max_force: 40, max_speed: "
    "2}\n"
    "  tuned: {joint: plate, coordinate: angle, position: 0.1, frequency: 4 Hz, damping_ratio: 0.6}\n"
    "motions:\n"
    "  feed: {joint: guide, speed: \"0.1*t\"}\n"
    "  drive: {body: stage, position: [\"40 + t\", 0, 0], angular_velocity: [\"t\", 0, {table: [[0, 0], [1, 2]]}]}\n"
    "  creep: {joint: plunger, coordinate: slide, position: \"t\"}\n"
    "forces:\n"
    "  push: {body: b2, force: [pull, \"2*t\", 0], at_body: [0, 0, 1]}\n"
    "  steer: {body: b3, torque_body: [\"t\", 1, 0]}\n"
    "couplings:\n"
    "  gear: {gear: [plate.angle, pin], ratio: -2.5, offset: 0.1}\n"
    "  rack: {rack: [pin, plate.slide], radius: 12 mm}\n"
    "  screw: {screw: [pin, rail], lead: 5 mm}\n"
    "  slides: {gear: [plate.slide, rail], ratio: 2}\n"
    "  belt: {belt: [pin, plate.angle], radii: [30 mm, 80 mm], crossed: true}\n"
    "sensors:\n"
    "  tip: {point: hub, at_body: [0.1, 0.2, 0.3]}\n"
    "  imu: {imu: hub, at_body: [0.1, 0, 0], rpy: [0.3, 0.1, 0.7]}\n"
    "  cell: {load_cell: pin}\n"
    "  foot: {contact: [hub, floor]}\n"
    "step: {dt: 1 ms, until: 1}\n";

/* ------------------------------------------------------------------ fields */

typedef enum How { BITS, TEXT, FUNCTIONS, LINK, LAW, POINTS, NOT_KEPT } How;

typedef struct Field {
    const char *name;
    size_t at, size;
    How how;
} Field;

#define FIELD(type, field, how)                                                                                        \
    { #type "." #field, offsetof(type, field), sizeof(((type *)0)->field), how }
#define HEAD(type) FIELD(type, cookie, NOT_KEPT), FIELD(type, struct_size, NOT_KEPT)
#define LAWS(type)                                                                                                     \
    FIELD(type, surface.normal, LAW), FIELD(type, surface.friction, LAW), FIELD(type, surface.compliant_normal, LAW),  \
        FIELD(type, surface.compliant_friction, LAW)

#define B(field) FIELD(BrBodyDef, field, BITS)
static const Field BODY[] = {
    HEAD(BrBodyDef), FIELD(BrBodyDef, name, TEXT), B(kind),      B(mass), B(inertia), B(position), B(rotation),
    B(velocity),     B(angular_velocity),          B(frame_body)};
#undef B
#define B(field) FIELD(BrJointDef, field, BITS)
#define F(field) FIELD(BrJointDef, friction.field, BITS)
static const Field JOINT[] = {HEAD(BrJointDef),
                              FIELD(BrJointDef, name, TEXT),
                              B(type),
                              FIELD(BrJointDef, body_a, LINK),
                              FIELD(BrJointDef, body_b, LINK),
                              B(at),
                              B(axis),
                              B(axis_b),
                              B(point_a_body),
                              B(point_b_body),
                              B(length),
                              B(lead),
                              B(radius),
                              B(shape_a),
                              B(shape_b),
                              B(stiffness),
                              B(lower),
                              B(upper),
                              B(dry_friction),
                              B(start),
                              B(start_rate),
                              FIELD(BrJointDef, friction.law, LAW),
                              F(pin_radius),
                              F(bearing_spacing),
                              F(bearing_offset),
                              F(collar_radius),
                              F(guide_length),
                              F(guide_width),
                              F(guide_height),
                              F(ball_radius),
                              F(thread_radius),
                              F(thread_angle),
                              F(preload),
                              F(viscous),
                              F(efficiency),
                              F(bearings_on_first),
                              F(guide_side)};
#undef B
#undef F
#define B(field) FIELD(BrSpringDef, field, BITS)
static const Field SPRING[] = {HEAD(BrSpringDef),
                               FIELD(BrSpringDef, name, TEXT),
                               FIELD(BrSpringDef, body_a, LINK),
                               FIELD(BrSpringDef, body_b, LINK),
                               FIELD(BrSpringDef, joint, LINK),
                               B(coordinate),
                               B(point_a_body),
                               B(point_b_body),
                               B(direction_at_zero),
                               FIELD(BrSpringDef, stiffness, FUNCTIONS),
                               FIELD(BrSpringDef, damping, FUNCTIONS),
                               FIELD(BrSpringDef, force, FUNCTIONS),
                               B(free_length),
                               B(play_lower),
                               B(play_upper)};
#undef B
#define B(field) FIELD(BrBushingDef, field, BITS)
static const Field BUSHING[] = {HEAD(BrBushingDef),
                                FIELD(BrBushingDef, name, TEXT),
                                FIELD(BrBushingDef, body_a, LINK),
                                FIELD(BrBushingDef, body_b, LINK),
                                B(at),
                                B(axis),
                                B(stiffness),
                                B(damping),
                                B(torsion_stiffness),
                                B(torsion_damping)};
#undef B
#define B(field) FIELD(BrMotorDef, field, BITS)
static const Field MOTOR[] = {HEAD(BrMotorDef),
                              FIELD(BrMotorDef, name, TEXT),
                              FIELD(BrMotorDef, joint, LINK),
                              B(coordinate),
                              FIELD(BrMotorDef, speed, FUNCTIONS),
                              B(max_effort),
                              B(kind),
                              FIELD(BrMotorDef, effort, FUNCTIONS),
                              FIELD(BrMotorDef, position, FUNCTIONS),
                              B(stiffness),
                              B(damping),
                              B(frequency),
                              B(damping_ratio),
                              B(max_speed)};
#undef B
static const Field MOTION[] = {HEAD(BrMotionDef),
                               FIELD(BrMotionDef, name, TEXT),
                               FIELD(BrMotionDef, joint, LINK),
                               FIELD(BrMotionDef, body, LINK),
                               FIELD(BrMotionDef, coordinate, BITS),
                               FIELD(BrMotionDef, by_velocity, BITS),
                               FIELD(BrMotionDef, drive, FUNCTIONS),
                               FIELD(BrMotionDef, linear, FUNCTIONS),
                               FIELD(BrMotionDef, angular_velocity, FUNCTIONS)};
static const Field FORCE[] = {HEAD(BrForceDef),
                              FIELD(BrForceDef, name, TEXT),
                              FIELD(BrForceDef, body, LINK),
                              FIELD(BrForceDef, force, FUNCTIONS),
                              FIELD(BrForceDef, torque, FUNCTIONS),
                              FIELD(BrForceDef, point_body, BITS),
                              FIELD(BrForceDef, in_body_axes, BITS)};
/* numbers with names are the scene's parameters: the fingerprint has their values */
static const Field SIGNAL[] = {HEAD(BrSignalDef),
                               FIELD(BrSignalDef, name, TEXT),
                               FIELD(BrSignalDef, value, FUNCTIONS),
                               FIELD(BrSignalDef, over, TEXT),
                               FIELD(BrSignalDef, constants, NOT_KEPT),
                               FIELD(BrSignalDef, constant_count, NOT_KEPT)};
static const Field MATERIAL[] = {HEAD(BrMaterialDef),
                                 FIELD(BrMaterialDef, name, TEXT),
                                 LAWS(BrMaterialDef),
                                 FIELD(BrMaterialDef, youngs_modulus, BITS),
                                 FIELD(BrMaterialDef, poissons_ratio, BITS),
                                 FIELD(BrMaterialDef, density, BITS)};
#define B(field) FIELD(BrShapeDef, field, BITS)
static const Field SHAPE[] = {HEAD(BrShapeDef),
                              FIELD(BrShapeDef, body, LINK),
                              B(kind),
                              B(position_body),
                              B(rotation_body),
                              B(size),
                              B(radius),
                              B(length),
                              B(ring_radius),
                              B(quadric),
                              FIELD(BrShapeDef, points, POINTS),
                              B(point_count),
                              FIELD(BrShapeDef, function, NOT_KEPT), /* refused */
                              FIELD(BrShapeDef, function_user, NOT_KEPT),
                              B(density),
                              FIELD(BrShapeDef, material, LINK),
                              B(surface_velocity_body)};
#undef B
#define B(field) FIELD(BrCouplingDef, field, BITS)
static const Field COUPLING[] = {HEAD(BrCouplingDef),
                                 FIELD(BrCouplingDef, name, TEXT),
                                 B(type),
                                 FIELD(BrCouplingDef, joint_a, LINK),
                                 FIELD(BrCouplingDef, joint_b, LINK),
                                 B(coordinate_a),
                                 B(coordinate_b),
                                 B(ratio),
                                 B(radius),
                                 B(radius_b),
                                 B(lead),
                                 B(crossed),
                                 B(offset)};
#undef B
static const Field SENSOR[] = {HEAD(BrSensorDef),
                               FIELD(BrSensorDef, name, TEXT),
                               FIELD(BrSensorDef, type, BITS),
                               FIELD(BrSensorDef, body, LINK),
                               FIELD(BrSensorDef, other, LINK),
                               FIELD(BrSensorDef, joint, LINK),
                               FIELD(BrSensorDef, point_body, BITS),
                               FIELD(BrSensorDef, rotation_body, BITS)};

/* ------------------------------------------------------------------ classes */

typedef struct Class {
    const char *name;
    const Field *field;
    size_t fields, size;
    int (*count)(const BrModel *model);
    const void *(*get)(const BrModel *model, int number);
    void (*start)(void *def);
} Class;

#define CLASS_OF(word, Type)                                                                                           \
    static const void *get_##word(const BrModel *m, int i) { return br_##word##_def(m, br_model_##word(m, i)); }       \
    static void start_##word(void *def) { *(Type *)def = br_default_##word##_def(); }
CLASS_OF(body, BrBodyDef)
CLASS_OF(joint, BrJointDef)
CLASS_OF(spring, BrSpringDef)
CLASS_OF(bushing, BrBushingDef)
CLASS_OF(motor, BrMotorDef)
CLASS_OF(motion, BrMotionDef)
CLASS_OF(force, BrForceDef)
CLASS_OF(signal, BrSignalDef)
CLASS_OF(material, BrMaterialDef)
CLASS_OF(shape, BrShapeDef)
CLASS_OF(coupling, BrCouplingDef)
CLASS_OF(sensor, BrSensorDef)

#define LIST(word, Type, FIELDS)                                                                                       \
    { #word, FIELDS, sizeof FIELDS / sizeof *FIELDS, sizeof(Type), br_model_##word##_count, get_##word, start_##word }
static const Class CLASSES[] = {
    LIST(body, BrBodyDef, BODY),          LIST(joint, BrJointDef, JOINT),    LIST(spring, BrSpringDef, SPRING),
    LIST(bushing, BrBushingDef, BUSHING), LIST(motor, BrMotorDef, MOTOR),    LIST(motion, BrMotionDef, MOTION),
    LIST(force, BrForceDef, FORCE),       LIST(signal, BrSignalDef, SIGNAL), LIST(material, BrMaterialDef, MATERIAL),
    LIST(shape, BrShapeDef, SHAPE),       LIST(sensor, BrSensorDef, SENSOR), LIST(coupling, BrCouplingDef, COUPLING)};
enum { CLASS_COUNT = sizeof CLASSES / sizeof *CLASSES, LARGEST = 4096 };

/* ------------------------------------------------------------------ the same? */

static bool are_same_texts(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool are_same_numbers(const double *a, const double *b, int count) {
    return count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static bool are_same_functions(const void *a, const void *b, size_t size) {
    for (size_t at = 0; at < size; at += sizeof(BrFunctionDef)) {
        BrFunctionDef f, g;
        memcpy(&f, (const char *)a + at, sizeof f), memcpy(&g, (const char *)b + at, sizeof g);
        const double one[] = {f.constant, f.amplitude, f.frequency, f.phase},
                     other[] = {g.constant, g.amplitude, g.frequency, g.phase};
        if (f.kind != g.kind || f.points != g.points || !are_same_texts(f.expression, g.expression) ||
            !are_same_numbers(one, other, 4) || !are_same_numbers(f.table, g.table, 2 * f.points))
            return false;
    }
    return true;
}

static bool are_same_laws(const void *a, const void *b) {
    BrLaw f, g;
    memcpy(&f, a, sizeof f), memcpy(&g, b, sizeof g);
    if (!f.info || !g.info) return f.info == g.info;
    return are_same_texts(f.info->name, g.info->name) && f.points == g.points &&
           are_same_numbers(f.value, g.value, f.info->parameters) && are_same_numbers(f.table, g.table, 2 * f.points);
}

/* All ids begin alike; those of another model have the same number there. */
static bool are_same_links(const void *a, const void *b) {
    BrBodyId f, g;
    memcpy(&f, a, sizeof f), memcpy(&g, b, sizeof g);
    return f.index1 == g.index1 && f.generation == g.generation;
}

static bool is_same(const Field *field, const void *a, const void *b) {
    const char *one = (const char *)a + field->at, *other = (const char *)b + field->at;
    const char *f = NULL, *g = NULL;
    switch (field->how) {
    case BITS: return memcmp(one, other, field->size) == 0;
    case TEXT: memcpy(&f, one, sizeof f), memcpy(&g, other, sizeof g); return are_same_texts(f, g);
    case FUNCTIONS: return are_same_functions(one, other, field->size);
    case LAW: return are_same_laws(one, other);
    case LINK: return are_same_links(one, other);
    case POINTS: {
        BrShapeDef shape, shape_b;
        memcpy(&shape, a, sizeof shape), memcpy(&shape_b, b, sizeof shape_b);
        return shape.point_count == shape_b.point_count &&
               are_same_numbers(shape.points, shape_b.points, 2 * shape.point_count);
    }
    case NOT_KEPT: return true;
    }
    return false;
}

static void compare_all(const BrModel *a, const BrModel *b) {
    for (int c = 0; c < CLASS_COUNT; c++) {
        const Class *class = &CLASSES[c];
        assert_int_equal(class->count(a), class->count(b));
        for (int i = 0; i < class->count(a); i++)
            for (size_t k = 0; k < class->fields; k++)
                if (!is_same(&class->field[k], class->get(a, i), class->get(b, i)))
                    fail_msg("%s of %s %d is another", class->field[k].name, class->name, i);
    }
}

/* ------------------------------------------------------------------ tests */

typedef struct Text {
    char text[1 << 16];
} Text;

static void take(void *user, const char *text, size_t size) {
    Text *to = user;
    assert_true(size < sizeof to->text);
    memcpy(to->text, text, size + 1);
}

static void all_fields_come_back(void **unused) {
    (void)unused;
    static Text text;
    BrError error = {0};
    BrScene *scene = parse(EVERYTHING);
    BrRunDef run = br_scene_run_def(scene);
    if (br_model_tell_scene(br_scene_model(scene), &run, take, &text, &error) != BR_OK) fail_msg("%s", error.text);
    BrScene *again = parse(text.text);
    compare_all(br_scene_model(scene), br_scene_model(again));
    assert_true(find_print(scene) == find_print(again));
    br_scene_destroy(again);
    br_scene_destroy(scene);
}

/* The same through a change of nothing. */
static void all_fields_go_into_another_model(void **unused) {
    (void)unused;
    BrError error = {0};
    BrModel *changed;
    BrScene *scene = parse(EVERYTHING);
    if (br_model_change(br_scene_model(scene), NULL, 0, &changed, &error) != BR_OK) fail_msg("%s", error.text);
    compare_all(br_scene_model(scene), changed);
    br_model_destroy(changed);
    br_scene_destroy(scene);
}

/* Some part of the machine gives each of them another value than the one it starts with. */
static void all_fields_are_tried(void **unused) {
    (void)unused;
    BrScene *scene = parse(EVERYTHING);
    const BrModel *model = br_scene_model(scene);
    for (int c = 0; c < CLASS_COUNT; c++) {
        const Class *class = &CLASSES[c];
        char preset[LARGEST] = {0};
        assert_true(class->size <= sizeof preset);
        class->start(preset);
        for (size_t k = 0; k < class->fields; k++) {
            bool tried = class->field[k].how == NOT_KEPT;
            for (int i = 0; i < class->count(model) && !tried; i++)
                tried = !is_same(&class->field[k], class->get(model, i), preset);
            if (!tried) fail_msg("no %s here has a %s of its own", class->name, class->field[k].name);
        }
    }
    br_scene_destroy(scene);
}

/* Bytes that no field has are what alignment leaves: fewer than a number has. */
static void all_fields_are_listed(void **unused) {
    (void)unused;
    enum { NUMBER = sizeof(double) };
    for (int c = 0; c < CLASS_COUNT; c++) {
        const Class *class = &CLASSES[c];
        bool listed[LARGEST] = {false};
        size_t free = 0;
        for (size_t k = 0; k < class->fields; k++)
            for (size_t i = 0; i < class->field[k].size; i++) listed[class->field[k].at + i] = true;
        for (size_t i = 0; i < class->size; i++) {
            free = listed[i] ? 0 : free + 1;
            if (free >= NUMBER) fail_msg("a field of %s before byte %zu is not listed", class->name, i + 1);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_fields_come_back),
                                       cmocka_unit_test(all_fields_go_into_another_model),
                                       cmocka_unit_test(all_fields_are_tried), cmocka_unit_test(all_fields_are_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
