/* Golden hashes: small machines, 1000 steps of 1 ms with each scheme, and the hash of the last state. The same bits for
 * every compiler, Debug or Release. No number below comes from libm: turns are quarters or (3, 4, 5) triangles.
 *
 * When the numerics change on purpose: raise BR_NUMERICS_VERSION, say why in the changelog, and replace the table by
 *
 *     BRISTLE_PRINT_HASHES=1 build/release/tests/test_golden | sed 's/\(.*\) \(.*\)/    {"\1", 0x\2},/'
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bristle/bristle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    uint64_t hash;
} GOLDEN[] = {
    /* clang-format off */
    {"pendulum/moreau", 0x92c0ac82a4009129},
    {"pendulum/hem2", 0xeed9c417ca9c3161},
    {"pendulum/rattle", 0xced336fe397c6005},
    {"pendulum/euler-paper", 0x6d0966b1aacec65e},
    {"pendulum/half-implicit", 0xbe830ebd35457f3a},
    {"pendulum/bdf2", 0xc2022d6bdc7c9999},
    {"double_pendulum/moreau", 0xf3bfde27b2be31b6},
    {"double_pendulum/hem2", 0x81f59f561fa1f568},
    {"double_pendulum/rattle", 0xb65c99e1d67abaeb},
    {"double_pendulum/euler-paper", 0xf534d167fda4750f},
    {"double_pendulum/half-implicit", 0x6a09fbd8c3db975a},
    {"double_pendulum/bdf2", 0x282f40d2554095f4},
    {"four_bar/moreau", 0xed4634fb3affcc48},
    {"four_bar/hem2", 0xc7a9b367e076242d},
    {"four_bar/rattle", 0x846ddfe7f096b8b6},
    {"four_bar/euler-paper", 0xf11283e31be37dbf},
    {"four_bar/half-implicit", 0x837f4fd751b78902},
    {"four_bar/bdf2", 0xf0764bf4d94db79b},
    {"chain/moreau", 0xbd48d4726956fc89},
    {"chain/hem2", 0xec130cfa6c2191e5},
    {"chain/rattle", 0x8d7015ec85e0d915},
    {"chain/euler-paper", 0x39e38e56e786fa70},
    {"chain/half-implicit", 0xcb4e74e0629602b8},
    {"chain/bdf2", 0x2ce3ffaffed33285},
    {"gyroscope/moreau", 0xf8e1ca59b49d272d},
    {"gyroscope/hem2", 0xeb2fd36010666a33},
    {"gyroscope/rattle", 0x38e8b63bd7781f78},
    {"gyroscope/euler-paper", 0x8573f3e6dd8203d8},
    {"gyroscope/half-implicit", 0xf36bb2dccdf86e04},
    {"gyroscope/bdf2", 0x901fe651512b8709},
    {"screw/moreau", 0xc9afcafbf57abb7e},
    {"screw/hem2", 0x59e179d9d8703654},
    {"screw/rattle", 0xbc5ba7baa9eed4e7},
    {"screw/euler-paper", 0x1db54d1bde8f0701},
    {"screw/half-implicit", 0xcaa3a88d28d63534},
    {"screw/bdf2", 0x7f8914abbdc9efd1},
    {"wheel/moreau", 0x7ec417316fae5677},
    {"wheel/hem2", 0x890ce8d9212f970a},
    {"wheel/rattle", 0xf70b6de9e6063ddb},
    {"wheel/euler-paper", 0x03efe711c5ab952f},
    {"wheel/half-implicit", 0x415520b284611427},
    {"wheel/bdf2", 0xde2f67442573dfad},
    {"network/moreau", 0x7efea592db614c48},
    {"network/hem2", 0x3dc1a5664a7390d9},
    {"network/rattle", 0x60d75d04ed2cd222},
    {"network/euler-paper", 0x2e038526cc0045c8},
    {"network/half-implicit", 0xf8e597be93eb7cc4},
    {"network/bdf2", 0x95df3658f70f966d},
    {"tumble/moreau", 0xbc8f5015cfce3529},
    {"tumble/hem2", 0x94973d0088706a9e},
    {"tumble/euler-paper", 0xb7fb4864f5eb1a32},
    {"disc/moreau", 0xd940464f9045c661},
    {"disc/hem2", 0x6c173a934268f571},
    {"disc/euler-paper", 0x7e94e46022200174},
    {"disc_event/hem2", 0x9f3f44ae73fc09d0},
    {"hail/rk4", 0x645527b856026b82},
    {"hail/adaptive", 0xfa90ed3fe8e4ad41},
    {"felt/moreau", 0x51842f75ab1a2e6f},
    {"felt/hem2", 0xbd25256408acf262},
    {"rubbing/moreau", 0x91bc0bab5f14860d},
    {"rubbing/hem2", 0xaf688bd5096ea0d2},
    {"rubbing/half-implicit", 0xbdc20f8dc815486d},
    {"rubbing/bdf2", 0x2e0e31fd60ecd327},
    {"rubbing_event/hem2", 0x3159008194243d7c},
    {"bowl/moreau", 0xaef98a3513e286e1},
    {"bowl/half-implicit", 0x9accf1e9dd5d5553},
    {"bowl/bdf2", 0x1dddace58d9a0dfd},
    /* clang-format on */
};

enum { STEPS = 1000, GOLDEN_COUNT = sizeof GOLDEN / sizeof GOLDEN[0] };

/* ------------------------------------------------------------------ a model in the making: the first refusal stays */

typedef struct Maker {
    BrModel *model;
    BrBodyId ground;
    BrStatus status;
    BrError error;
} Maker;

static void note(Maker *m, BrStatus status) {
    if (m->status == BR_OK) m->status = status;
}

static BrBodyDef body(const char *name, BrVec3 position) {
    BrBodyDef def = br_default_body_def();
    def.name = name;
    def.mass = 1;
    def.inertia = (BrMat3){{{0.125, 0, 0}, {0, 0.1875, 0.03125}, {0, 0.03125, 0.25}}};
    def.position = position;
    return def;
}

static BrBodyId add_body(Maker *m, BrBodyDef def) {
    BrBodyId id = {0};
    if (m->status == BR_OK) note(m, br_model_add_body(m->model, &def, &id, &m->error));
    return id;
}

static BrJointDef joint(const char *name, BrJointType type, BrBodyId a, BrBodyId b, BrVec3 at, BrVec3 axis) {
    BrJointDef def = br_default_joint_def();
    def.name = name;
    def.type = type;
    def.body_a = a;
    def.body_b = b;
    def.at = at;
    def.axis = axis;
    return def;
}

static BrJointId add_joint(Maker *m, BrJointDef def) {
    BrJointId id = {0};
    if (m->status == BR_OK) note(m, br_model_add_joint(m->model, &def, &id, &m->error));
    return id;
}

static void add_spring(Maker *m, BrSpringDef def) {
    BrSpringId id;
    if (m->status == BR_OK) note(m, br_model_add_spring(m->model, &def, &id, &m->error));
}

static void add_motor(Maker *m, const char *name, BrJointId on, BrFunctionDef speed, double max_effort) {
    BrMotorDef def = br_default_motor_def();
    BrMotorId id;
    def.name = name;
    def.joint = on;
    def.speed = speed;
    def.max_effort = max_effort;
    if (m->status == BR_OK) note(m, br_model_add_motor(m->model, &def, &id, &m->error));
}

static void add_motion(Maker *m, BrMotionDef def) {
    BrMotionId id;
    if (m->status == BR_OK) note(m, br_model_add_motion(m->model, &def, &id, &m->error));
}

/* ------------------------------------------------------------------ the machines */

static const BrVec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1}, ORIGIN = {0, 0, 0};
static const BrMat3 TURN_345 = {{{0.8, 0, 0.6}, {0, 1, 0}, {-0.6, 0, 0.8}}}; /* about y, by the angle with sine 3/5 */

static void make_pendulum(Maker *m) {
    BrBodyDef def = body("bob", (BrVec3){0.75, 0, -1});
    def.rotation = TURN_345;
    BrBodyId bob = add_body(m, def);
    add_joint(m, joint("pivot", BR_JOINT_REVOLUTE, m->ground, bob, ORIGIN, Y));
}

static void make_double_pendulum(Maker *m) {
    BrBodyId upper = add_body(m, body("upper", (BrVec3){0.5, 0, 0}));
    BrBodyId lower = add_body(m, body("lower", (BrVec3){1, 0, 0.5}));
    add_joint(m, joint("shoulder", BR_JOINT_REVOLUTE, m->ground, upper, ORIGIN, Y));
    BrJointDef elbow = joint("elbow", BR_JOINT_UNIVERSAL, upper, lower, (BrVec3){1, 0, 0}, Y);
    elbow.axis_b = X;
    add_joint(m, elbow);
}

static void make_four_bar(Maker *m) {
    BrBodyId crank = add_body(m, body("crank", (BrVec3){0, 0, 0.5}));
    BrBodyId coupler = add_body(m, body("coupler", (BrVec3){1.5, 0, 1.5}));
    BrBodyId rocker = add_body(m, body("rocker", (BrVec3){3, 0, 1}));
    add_joint(m, joint("base", BR_JOINT_REVOLUTE, m->ground, crank, ORIGIN, Y));
    add_joint(m, joint("knee", BR_JOINT_REVOLUTE, crank, coupler, Z, Y));
    add_joint(m, joint("elbow", BR_JOINT_REVOLUTE, coupler, rocker, (BrVec3){3, 0, 2}, Y));
    add_joint(m, joint("foot", BR_JOINT_REVOLUTE, rocker, m->ground, (BrVec3){3, 0, 0}, Y));
}

static void make_chain(Maker *m) {
    static const BrVec3 step[2] = {{0.1, 0, 0}, {0.06, 0.08, 0}};
    BrBodyId last = m->ground;
    BrVec3 at = ORIGIN;
    for (int i = 0; i < 20; i++) {
        char name[2][16];
        BrVec3 d = step[i % 2];
        snprintf(name[0], sizeof name[0], "link%d", i);
        snprintf(name[1], sizeof name[1], "ball%d", i);
        BrBodyDef def = body(name[0], (BrVec3){at.x + d.x / 2, at.y + d.y / 2, 0});
        def.mass = 0.125;
        def.inertia = (BrMat3){{{0.0001, 0, 0}, {0, 0.0001, 0}, {0, 0, 0.0001}}};
        BrBodyId link = add_body(m, def);
        add_joint(m, joint(name[1], BR_JOINT_SPHERICAL, last, link, at, Z));
        last = link;
        at = (BrVec3){at.x + d.x, at.y + d.y, 0};
    }
}

/* A fast top on a point, its axis at the angle with cosine 4/5 from the vertical. */
static void make_gyroscope(Maker *m) {
    BrBodyDef def = body("top", (BrVec3){0.6, 0, 0.8});
    def.inertia = (BrMat3){{{0.25, 0, 0}, {0, 0.25, 0}, {0, 0, 0.375}}};
    def.rotation = TURN_345;
    def.angular_velocity = (BrVec3){60, 0, 80};
    BrBodyId top = add_body(m, def);
    add_joint(m, joint("tip", BR_JOINT_SPHERICAL, m->ground, top, ORIGIN, Z));
}

/* Two motors, one of them at its bound, a cylinder, a slider, a weld and a rod. */
static void make_screw(Maker *m) {
    BrBodyId nut = add_body(m, body("nut", ORIGIN)), arm = add_body(m, body("arm", X));
    BrBodyId sleeve = add_body(m, body("sleeve", (BrVec3){2, 0, -1})), car = add_body(m, body("car", Y));
    BrJointDef thread = joint("thread", BR_JOINT_SCREW, m->ground, nut, ORIGIN, Z);
    thread.lead = -0.25;
    BrJointId screw = add_joint(m, thread);
    add_joint(m, joint("weld", BR_JOINT_FIXED, nut, arm, X, Z));
    BrJointId slide = add_joint(m, joint("mast", BR_JOINT_CYLINDRICAL, arm, sleeve, (BrVec3){2, 0, 0}, Z));
    BrJointId rail = add_joint(m, joint("rail", BR_JOINT_PRISMATIC, m->ground, car, Y, Y));
    BrJointDef rod = joint("rod", BR_JOINT_DISTANCE, sleeve, car, ORIGIN, Z);
    rod.point_b_body = (BrVec3){0, 0, 0.25};
    (void)add_joint(m, rod);
    add_motor(m, "drive", screw, br_sine(2, 0.5, 0.5), 100);
    add_motor(m, "brake", slide, br_constant(1), 0.125);
    add_motor(m, "winch", rail, br_expression("t"), 3);
}

static void make_wheel(Maker *m) {
    BrBodyDef def = body("wheel", (BrVec3){0, 0, 0.4});
    def.inertia = (BrMat3){{{0.0625, 0, 0}, {0, 0.125, 0}, {0, 0, 0.0625}}};
    def.rotation = (BrMat3){{{1, 0, 0}, {0, 0.8, -0.6}, {0, 0.6, 0.8}}}; /* leans about x */
    def.velocity = (BrVec3){1.5, 0, 0};
    def.angular_velocity = (BrVec3){0, 2.4, 1.8};
    BrBodyId wheel = add_body(m, def);
    BrJointDef road = joint("road", BR_JOINT_ROLLING_WHEEL, m->ground, wheel, def.position, Z);
    road.axis_b = (BrVec3){0, 0.8, 0.6};
    road.radius = 0.5;
    add_joint(m, road);
    def = body("skate", (BrVec3){0, 5, 0});
    def.velocity = (BrVec3){2, 0.125, 0};
    def.angular_velocity = (BrVec3){0, 0, 0.5};
    BrBodyId skate = add_body(m, def);
    add_joint(m, joint("ice", BR_JOINT_PLANAR, m->ground, skate, (BrVec3){0, 5, 0}, (BrVec3){0, 0.6, 0.8}));
    add_joint(m, joint("blade", BR_JOINT_KNIFE_EDGE, m->ground, skate, (BrVec3){-0.25, 5, 0}, (BrVec3){0, 0.8, -0.6}));
}

static void add_network_springs(Maker *m, const BrBodyId node[3], BrJointId rail) {
    static const double table[] = {-1, -40, -0.25, -5, 0, 0, 0.5, 15, 2, 90};
    const BrFunctionDef stiffness[3] = {br_expression("30 + 10*x^2"), br_table(table, 5), br_sine(2, 0.25, 0.5)};
    const char *const names[3] = {"formula", "table", "sine"};
    for (int i = 0; i < 3; i++) {
        BrSpringDef def = br_default_spring_def();
        def.name = names[i];
        def.body_a = i ? node[i - 1] : m->ground;
        def.body_b = node[i];
        def.point_b_body = (BrVec3){0, 0, 0.25};
        def.stiffness = stiffness[i];
        def.stiffness.constant = i == 2 ? 25 : 0;
        def.damping = i == 1 ? br_expression("0.25 + 0.125*abs(v)") : br_constant(0.125);
        def.force = i == 2 ? br_expression("0.5*tanh(4*v) + exp(-x)") : br_constant(0);
        def.free_length = 0.5;
        add_spring(m, def);
    }
    BrSpringDef def = br_default_spring_def();
    def.name = "buffer";
    def.joint = rail;
    def.stiffness = br_constant(50);
    def.damping = br_constant(1);
    add_spring(m, def);
}

static void add_network_motions(Maker *m, BrBodyId cart, BrJointId hinge) {
    BrMotionDef ride = br_default_motion_def(), swing = br_default_motion_def();
    ride.name = "ride";
    ride.body = cart;
    ride.linear[0] = br_expression("0.25*(1 - cos(3*t))");
    ride.linear[1] = br_constant(2);
    ride.angular_velocity[2] = br_sine(0.5, 1, 0);
    add_motion(m, ride);
    swing.name = "swing";
    swing.joint = hinge;
    swing.by_velocity = true;
    swing.drive = br_sine(1, 0.5, 0);
    add_motion(m, swing);
}

static void make_network(Maker *m) {
    static const double gusts[] = {0, 0, 0.25, 4, 0.5, -2, 1, 1};
    BrBodyId node[3] = {add_body(m, body("one", X)), add_body(m, body("two", (BrVec3){1.5, 0.5, 0})),
                        add_body(m, body("three", (BrVec3){2, 0.5, 0.5}))};
    BrBodyDef def = body("cart", (BrVec3){0, 2, 0});
    def.kind = BR_BODY_KINEMATIC;
    BrBodyId cart = add_body(m, def), flag = add_body(m, body("flag", (BrVec3){0.5, 2, 0}));
    BrBodyId car = add_body(m, body("car", (BrVec3){0, 4, 0}));
    BrJointId rail = add_joint(m, joint("rail", BR_JOINT_PRISMATIC, m->ground, car, (BrVec3){0, 4, 0}, Z));
    BrJointId hinge = add_joint(m, joint("hinge", BR_JOINT_REVOLUTE, cart, flag, (BrVec3){0, 2, 0}, X));
    add_network_springs(m, node, rail);
    add_network_motions(m, cart, hinge);
    BrForceDef wind = br_default_force_def();
    BrForceId id;
    wind.name = "wind";
    wind.body = node[2];
    wind.force[0] = br_table(gusts, 4);
    wind.force[1] = br_sine(1, 2, 0.25);
    wind.torque[2] = br_expression("0.125*sqrt(1 + t)");
    wind.point_body = (BrVec3){0, 0.25, 0};
    wind.in_body_axes = true;
    if (m->status == BR_OK) note(m, br_model_add_force(m->model, &wind, &id, &m->error));
}

/* ------------------------------------------------------------------ contact */

static void add_shape(Maker *m, BrBodyId body_id, BrShapeKind kind, BrMaterialId material) {
    BrShapeDef def = br_default_shape_def();
    BrShapeId id;
    def.kind = kind;
    def.body = body_id;
    def.material = material;
    def.size = (BrVec3){0.5, 0.25, 0.375};
    def.radius = 0.25;
    def.length = 0.5;
    if (m->status == BR_OK) note(m, br_model_add_shape(m->model, &def, &id, &m->error));
}

static BrMaterialId add_material(Maker *m, const char *name, double mu_s, double mu_k, double restitution) {
    BrMaterialDef def = br_default_material_def();
    BrMaterialId id = {0};
    def.name = name;
    if (strcmp(name, "felt") == 0) { /* resists rolling and spinning */
        def.surface.friction = br_law(BR_LAW_FRICTION, "rolling");
        br_law_set(&def.surface.friction, "mu_r", 0.015625);
        br_law_set(&def.surface.friction, "mu_spin", 0.0078125);
    }
    br_law_set(&def.surface.friction, "mu_s", mu_s);
    br_law_set(&def.surface.friction, "mu_k", mu_k);
    br_law_set(&def.surface.normal, "restitution", restitution);
    if (m->status == BR_OK) note(m, br_model_add_material(m->model, &def, &id, &m->error));
    return id;
}

/* Bodies of all shapes fall on a plane and on each other; two of them are joined, one joint has a stop and rubs. */
static void fill_tumble(Maker *m, BrMaterialId material) {
    static const BrShapeKind KINDS[] = {BR_SHAPE_BOX,  BR_SHAPE_CYLINDER,  BR_SHAPE_CAPSULE,
                                        BR_SHAPE_DISC, BR_SHAPE_ELLIPSOID, BR_SHAPE_SPHERE};
    static const char *const NAMES[] = {"box", "cylinder", "capsule", "disc", "ellipsoid", "sphere"};
    BrBodyId id[6];
    add_shape(m, m->ground, BR_SHAPE_PLANE, material);
    for (int i = 0; i < 6; i++) {
        BrBodyDef def = body(NAMES[i], (BrVec3){0.5 * (i % 3), 0.375 * (i / 3), 0.5 + 0.25 * i});
        def.velocity = (BrVec3){0.5, -0.25 * i, 0};
        def.angular_velocity = (BrVec3){i, 1, -0.5};
        id[i] = add_body(m, def);
        add_shape(m, id[i], KINDS[i], material);
    }
    BrJointDef hinge = joint("hinge", BR_JOINT_REVOLUTE, id[0], id[5], (BrVec3){0.5, 0.25, 1}, Z);
    hinge.lower[0] = -0.5, hinge.upper[0] = 0.25;
    hinge.dry_friction[0] = 0.125;
    add_joint(m, hinge);
}

static void make_tumble(Maker *m) { fill_tumble(m, add_material(m, "stone", 0.5, 0.375, 0.25)); }
static void make_felt(Maker *m) { fill_tumble(m, add_material(m, "felt", 0.5, 0.375, 0.25)); }

/* A sliding disc begins to roll: also for the event formulation. */
static void make_disc(Maker *m) {
    BrMaterialId rubber = add_material(m, "rubber", 0.375, 0.3125, 0);
    BrBodyDef def = body("disc", (BrVec3){0, 0, 0.2});
    def.inertia = (BrMat3){{{0.015625, 0, 0}, {0, 0.015625, 0}, {0, 0, 0.03125}}};
    def.rotation = (BrMat3){{{1, 0, 0}, {0, 0.6, -0.8}, {0, 0.8, 0.6}}};
    def.velocity = (BrVec3){1.5, 0, 0};
    def.angular_velocity = (BrVec3){0, 0, 2};
    add_shape(m, m->ground, BR_SHAPE_PLANE, rubber);
    add_shape(m, add_body(m, def), BR_SHAPE_DISC, rubber);
}

/* Balls and a box of springs and bristles fall on a plane and on each other, two of them on a string. */
static void make_hail(Maker *m) {
    static const BrShapeKind KINDS[] = {BR_SHAPE_BOX, BR_SHAPE_SPHERE, BR_SHAPE_SPHERE, BR_SHAPE_CAPSULE};
    static const char *const NAMES[] = {"box", "ball", "bead", "pill"};
    BrMaterialDef def = br_default_material_def();
    BrMaterialId foam = {0};
    BrBodyId id[4];
    def.name = "foam";
    def.surface.compliant_normal = br_law(BR_LAW_NORMAL, "gonthier");
    def.surface.compliant_friction = br_law(BR_LAW_FRICTION, "dwell");
    br_law_set(&def.surface.friction, "mu", 0.5);
    br_law_set(&def.surface.compliant_normal, "stiffness", 65536);
    br_law_set(&def.surface.compliant_normal, "exponent", 1.375);
    br_law_set(&def.surface.compliant_normal, "alpha", 0.125);
    br_law_set(&def.surface.compliant_friction, "mu_s", 0.5);
    br_law_set(&def.surface.compliant_friction, "mu_k", 0.375);
    br_law_set(&def.surface.compliant_friction, "sigma_0", 8192);
    br_law_set(&def.surface.compliant_friction, "sigma_1", 64);
    if (m->status == BR_OK) note(m, br_model_add_material(m->model, &def, &foam, &m->error));
    add_shape(m, m->ground, BR_SHAPE_PLANE, foam);
    for (int i = 0; i < 4; i++) {
        BrBodyDef falling = body(NAMES[i], (BrVec3){0.625 * i, 0.125 * (i % 2), 0.25 + 0.125 * i});
        falling.velocity = (BrVec3){1 - 0.5 * i, 0, 0};
        falling.angular_velocity = (BrVec3){i, 1, -0.5};
        id[i] = add_body(m, falling);
        add_shape(m, id[i], KINDS[i], foam);
    }
    add_joint(m, joint("string", BR_JOINT_SPHERICAL, id[1], id[2], (BrVec3){0.9375, 0.0625, 0.4375}, Z));
}

/* Friction in a journal, a ball joint and a guide. */
static void make_rubbing(Maker *m) {
    BrBodyId upper = add_body(m, body("upper", (BrVec3){0.5, 0, 0}));
    BrBodyId lower = add_body(m, body("lower", (BrVec3){1, 0, 0.5}));
    BrBodyId cart = add_body(m, body("cart", ORIGIN));
    BrJointDef rail = joint("rail", BR_JOINT_PRISMATIC, m->ground, cart, ORIGIN, X);
    BrJointDef shoulder = joint("shoulder", BR_JOINT_REVOLUTE, cart, upper, ORIGIN, Y);
    BrJointDef elbow = joint("elbow", BR_JOINT_SPHERICAL, upper, lower, (BrVec3){1, 0, 0}, Y);
    shoulder.friction.law = br_law(BR_LAW_FRICTION, "stribeck");
    shoulder.friction.pin_radius = 0.0625, shoulder.friction.bearing_spacing = 0.25;
    br_law_set(&shoulder.friction.law, "v_s", 0.125);
    elbow.friction.law = rail.friction.law = br_law(BR_LAW_FRICTION, "coulomb");
    elbow.friction.ball_radius = 0.125;
    rail.friction.guide_length = 0.5, rail.friction.guide_width = 0.25;
    BrJointDef *def[] = {&rail, &shoulder, &elbow};
    for (int k = 0; k < 3; k++) {
        br_law_set(&def[k]->friction.law, "mu_s", 0.375);
        br_law_set(&def[k]->friction.law, "mu_k", 0.25);
        add_joint(m, *def[k]);
    }
}

/* Lasting contacts: an egg slides and rolls in a bowl, a ball in a groove that yields, another on a dish of splines. */
static void make_bowl(Maker *m) {
    enum { POINTS = 9 };
    static const char *const NAMES[] = {"egg", "ball", "bead"}, *const TOUCHES_BY[] = {"roll", "race", "rest"};
    static const char *const WALLS[] = {"bowl", "groove", "dish"};
    double points[2 * POINTS];
    BrBodyId walls[3], rounds[3];
    BrMaterialId clay = add_material(m, "clay", 0.375, 0.25, 0);
    for (int i = 0; i < POINTS; i++) points[2 * i] = 0.5 * i, points[2 * i + 1] = 0.0625 * i * i;
    for (int k = 0; k < 3; k++) {
        BrShapeDef wall = br_default_shape_def(), round = br_default_shape_def();
        BrBodyDef fixed = body(WALLS[k], (BrVec3){16 * k, 0, 0});
        fixed.kind = BR_BODY_FIXED;
        walls[k] = wall.body = add_body(m, fixed), wall.material = round.material = clay;
        wall.kind = k == 0 ? BR_SHAPE_BOWL : k == 1 ? BR_SHAPE_GROOVE : BR_SHAPE_REVOLUTION;
        wall.size = (BrVec3){4, 3, 2}, wall.ring_radius = 4, wall.radius = 1, wall.points = points,
        wall.point_count = POINTS;
        BrBodyDef def = body(NAMES[k], (BrVec3){16 * k + (k == 1 ? 4 : 0), 0, k == 0 ? -1.75 : k == 1 ? -0.5 : 0.5});
        def.velocity = (BrVec3){1, 0.5, 0}, def.angular_velocity = (BrVec3){0.5, 2, 1};
        rounds[k] = round.body = add_body(m, def);
        round.kind = k == 0 ? BR_SHAPE_ELLIPSOID : BR_SHAPE_SPHERE, round.size = (BrVec3){0.5, 0.375, 0.25},
        round.radius = 0.5;
        BrJointDef touch = joint(TOUCHES_BY[k], BR_JOINT_CONTACT, wall.body, round.body, ORIGIN, Z);
        touch.stiffness = k == 1 ? 1048576 : 0;
        touch.friction.law = br_law(BR_LAW_FRICTION, "tracked");
        br_law_set(&touch.friction.law, "mu_s", 0.375), br_law_set(&touch.friction.law, "mu_k", 0.25);
        br_law_set(&touch.friction.law, "stiffness", 8192), br_law_set(&touch.friction.law, "damping", 32);
        br_law_set(&touch.friction.law, "eta", 0.0625), br_law_set(&touch.friction.law, "eta_spin", 0.125);
        if (m->status == BR_OK) note(m, br_model_add_shape(m->model, &wall, NULL, &m->error));
        if (m->status == BR_OK) note(m, br_model_add_shape(m->model, &round, NULL, &m->error));
        add_joint(m, touch);
    }
    for (int k = 0; k < 9; k++) { /* what is hollow is solid everywhere else */
        BrFilterDef apart = br_default_filter_def();
        apart.body_a = walls[k / 3], apart.body_b = rounds[k % 3];
        if (m->status == BR_OK && k / 3 != k % 3) note(m, br_model_add_filter(m->model, &apart, &m->error));
    }
}

enum { JOINTS_ONLY, TOUCHES, ROLLS, RUBS, LOCATED, SOFT, LASTS };

static const struct {
    const char *name;
    void (*make)(Maker *m);
    int kind; /* which ways of stepping it is run by */
} MACHINES[] = {
    {"pendulum", make_pendulum, JOINTS_ONLY},
    {"double_pendulum", make_double_pendulum, JOINTS_ONLY},
    {"four_bar", make_four_bar, JOINTS_ONLY},
    {"chain", make_chain, JOINTS_ONLY},
    {"gyroscope", make_gyroscope, JOINTS_ONLY},
    {"screw", make_screw, JOINTS_ONLY},
    {"wheel", make_wheel, JOINTS_ONLY},
    {"network", make_network, JOINTS_ONLY},
    {"tumble", make_tumble, TOUCHES},
    {"disc", make_disc, TOUCHES},
    {"disc_event", make_disc, LOCATED},
    {"hail", make_hail, SOFT},
    {"felt", make_felt, ROLLS},
    {"rubbing", make_rubbing, RUBS},
    {"rubbing_event", make_rubbing, LOCATED},
    {"bowl", make_bowl, LASTS},
};

enum { MACHINE_COUNT = sizeof MACHINES / sizeof MACHINES[0] };

/* ------------------------------------------------------------------ running them */

static void start(Maker *m, int machine) {
    BrModelDef def = br_default_model_def();
    BrBodyDef ground = br_default_body_def();
    *m = (Maker){.status = BR_OK};
    note(m, br_model_create(&def, &m->model, &m->error));
    ground.name = "ground";
    ground.kind = BR_BODY_FIXED;
    m->ground = add_body(m, ground);
    MACHINES[machine].make(m);
    if (m->status == BR_OK) note(m, br_model_build(m->model, &m->error));
}

/* Which schemes a kind of machine is run by. */
static bool wants(int kind, int scheme) {
    switch (kind) {
    case SOFT: return scheme == BR_SCHEME_RK4 || scheme == BR_SCHEME_ADAPTIVE;
    case LOCATED: return scheme == BR_SCHEME_HEM2;
    case ROLLS: return scheme == BR_SCHEME_MOREAU || scheme == BR_SCHEME_HEM2;
    case RUBS: return scheme < BR_SCHEME_SEMI_IMPLICIT && scheme != BR_SCHEME_RATTLE && scheme != BR_SCHEME_EULER_PAPER;
    case LASTS: return br_scheme_formulation((BrScheme)scheme) == BR_FORMULATION_SMOOTH || scheme == BR_SCHEME_MOREAU;
    case TOUCHES: return scheme < BR_TIMESTEPPING_SCHEMES && scheme != BR_SCHEME_RATTLE;
    default: return scheme < BR_SCHEME_SEMI_IMPLICIT;
    }
}

static BrStepDef define_step(int kind, BrScheme scheme) {
    BrStepDef def = br_default_step_def();
    def.scheme = scheme;
    def.formulation = kind == LOCATED ? BR_FORMULATION_EVENT : br_scheme_formulation(scheme);
    def.substeps = 4;
    return def;
}

/* The hash after all steps. A step that did not converge is taken; a refusal is left in m->status. */
static uint64_t run(Maker *m, const BrStepDef *def) {
    BrState *state = NULL;
    BrWorkspace *workspace = NULL;
    uint64_t hash = 0;
    bool costly = def->formulation == BR_FORMULATION_EVENT || def->scheme == BR_SCHEME_ADAPTIVE;
    if (m->status == BR_OK) note(m, br_state_create(m->model, &state, &m->error));
    if (m->status == BR_OK) note(m, br_workspace_create(m->model, &workspace, &m->error));
    if (m->status == BR_OK) note(m, br_state_assemble(m->model, workspace, state, NULL, &m->error));
    for (int i = 0; m->status == BR_OK && i < STEPS / (costly ? 4 : 1); i++) {
        BrStatus status = br_step(m->model, workspace, state, def, NULL, &m->error);
        if (status < 0) note(m, status);
    }
    if (state) hash = br_state_hash(state);
    if (workspace) br_workspace_destroy(m->model, workspace);
    if (state) br_state_destroy(m->model, state);
    return hash;
}

/* Calls `use` for every machine and its schemes. The number of runs, 0 if one was refused. */
static int run_all(void (*use)(const char *name, uint64_t hash, const Maker *m)) {
    bool fine = true;
    int runs = 0;
    for (int i = 0; i < MACHINE_COUNT; i++)
        for (int scheme = 0; scheme < BR_SCHEMES; scheme++) {
            Maker m;
            char name[64];
            if (!wants(MACHINES[i].kind, scheme)) continue;
            BrStepDef def = define_step(MACHINES[i].kind, (BrScheme)scheme);
            snprintf(name, sizeof name, "%s/%s", MACHINES[i].name, br_scheme_name((BrScheme)scheme));
            start(&m, i);
            uint64_t hash = run(&m, &def);
            fine = fine && m.status == BR_OK;
            br_model_destroy(m.model);
            use(name, hash, &m);
            runs++;
        }
    return fine ? runs : 0;
}

static void print_hash(const char *name, uint64_t hash, const Maker *m) {
    if (m->status == BR_OK)
        printf("%s %016llx\n", name, (unsigned long long)hash);
    else
        fprintf(stderr, "%s: %s\n", name, m->error.text);
}

static void compare_hash(const char *name, uint64_t hash, const Maker *m) {
    if (m->status != BR_OK) fail_msg("%s: %s", name, m->error.text);
    for (int i = 0; i < GOLDEN_COUNT; i++)
        if (strcmp(GOLDEN[i].name, name) == 0) {
            if (GOLDEN[i].hash != hash)
                fail_msg("%s ends in %016llx, not %016llx", name, (unsigned long long)hash,
                         (unsigned long long)GOLDEN[i].hash);
            return;
        }
    fail_msg("%s has no golden hash; it ends in %016llx", name, (unsigned long long)hash);
}

static void test_golden_hashes(void **unused) {
    (void)unused;
    assert_int_equal(run_all(compare_hash), GOLDEN_COUNT);
}

int main(void) {
    if (getenv("BRISTLE_PRINT_HASHES")) return run_all(print_hash) ? 0 : 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden_hashes)};
    return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
