/* random_machine.c: see random_machine.h. Sizes, masses, speeds and gravity are drawn over many decades; the step is a
 * part of the time in which bodies fall or fly their own length, so that most scenes are ones a user might make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "random_machine.h"

const char *const RANDOM_METHOD_NAMES[RANDOM_METHODS] = {"moreau",   "hem2",  "event",        "rk4",
                                                         "adaptive", "stiff", "semi-implicit"};

static double number_between(RandomMachine *r, double low, double high) { return draw(&r->seed, low, high); }
static bool chance(RandomMachine *r, double probability) { return number_between(r, 0, 1) < probability; }
static double decades(RandomMachine *r, double low, double high) { return exp(number_between(r, log(low), log(high))); }
static BrVec3 turn_world(const RandomMachine *r, BrVec3 v) { return rotate(&r->turned, v); }
static bool is_timestepping(const RandomMachine *r) { return r->method <= METHOD_HEM2; }
static bool is_compliant(const RandomMachine *r) { return r->method >= METHOD_RK4; }

static BrVec3 draw_direction(RandomMachine *r) {
    BrVec3 v = add(draw_vec(&r->seed, 1), vec(1e-3, 0, 0));
    return scale(1 / norm(v), v);
}

static BrMat3 draw_turn(RandomMachine *r) {
    BrVec3 axis = draw_direction(r);
    return turn_about(axis, number_between(r, -PI, PI));
}

static BrMat3 multiply(const BrMat3 *a, const BrMat3 *b) {
    BrMat3 c = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) c.m[i][j] += a->m[i][k] * b->m[k][j];
    return c;
}

/* ------------------------------------------------------------------ the whole */

static RandomMethod draw_method(RandomMachine *r) {
    static const double SHARE[RANDOM_METHODS] = {0.35, 0.35, 0.1, 0.05, 0.05, 0.05, 0.05};
    double x = number_between(r, 0, 1);
    int method = 0;
    while (method < RANDOM_METHODS - 1 && x >= SHARE[method]) x -= SHARE[method++];
    return (RandomMethod)method;
}

static void begin(uint64_t number, RandomMachine *r) {
    *r = (RandomMachine){.number = number, .seed = UINT64_C(0x9E3779B97F4A7C15) * (number + 1)};
    for (int k = 0; k < 4; k++) draw(&r->seed, 0, 1);
    r->method = draw_method(r);
}

static void draw_frame_of_all(RandomMachine *r) {
    double kind = number_between(r, 0, 1);
    r->world = (RandomWorld)draw_int(&r->seed, RANDOM_WORLDS);
    r->start = kind < 0.45 ? START_APART : kind < 0.75 ? START_PILE : START_MIXED;
    r->turned = chance(r, 0.5) ? draw_turn(r) : diagonal(1, 1, 1);
    r->length = decades(r, 1e-4, 3);
    kind = number_between(r, 0, 1);
    r->gravity = kind < 0.15 ? 0 : kind < 0.7 ? 9.81 : decades(r, 0.1, 4000);
    r->speed = chance(r, 0.4) ? 0 : decades(r, 0.01, 100);
    kind = number_between(r, 0, 1);
    r->mass_ratio = kind < 0.3 ? 1 : kind < 0.85 ? 100 : 1e6;
    r->bristle = r->method == METHOD_MOREAU && chance(r, 0.1);
    double most = r->method == METHOD_EVENT ? 6 : RANDOM_BODIES;
    r->bodies = (int)exp(number_between(r, 0, log(most + 0.99)));
}

int random_bodies(uint64_t number, RandomMethod *method) {
    RandomMachine r;
    begin(number, &r);
    draw_frame_of_all(&r);
    *method = r.method;
    return r.bodies;
}

/* The step: a part of the time in which a body falls or flies its length; now and then all of it. */
static void draw_step(RandomMachine *r) {
    static const BrScheme SCHEME[RANDOM_METHODS] = {BR_SCHEME_MOREAU,       BR_SCHEME_HEM2,     BR_SCHEME_MOREAU,
                                                    BR_SCHEME_RK4,          BR_SCHEME_ADAPTIVE, BR_SCHEME_STIFF,
                                                    BR_SCHEME_SEMI_IMPLICIT};
    double time = fmin(r->gravity > 0 ? sqrt(r->length / r->gravity) : 1, r->speed > 0 ? r->length / r->speed : 1);
    r->def = br_default_step_def();
    r->def.formulation = is_timestepping(r)          ? BR_FORMULATION_TIMESTEPPING
                         : r->method == METHOD_EVENT ? BR_FORMULATION_EVENT
                                                     : BR_FORMULATION_COMPLIANT;
    r->def.scheme = SCHEME[r->method];
    r->def.dt = time * (chance(r, 0.1) ? decades(r, 0.1, 1) : decades(r, 2e-3, 0.1));
    r->def.substeps = is_compliant(r) ? 10 : 1;
    r->def.tolerance = 1e-8;
    r->def.most_work = RANDOM_MOST_WORK;
    r->steps = 30 + draw_int(&r->seed, 121);
    if (r->method != METHOD_MOREAU || r->bristle || chance(r, 0.7)) return;
    r->def.friction_set = chance(r, 0.5) ? BR_FRICTION_BOX : BR_FRICTION_POLYGON;
    r->def.polygon_sides = 3 + draw_int(&r->seed, 8);
    r->def.polygon_by_slip = chance(r, 0.5);
}

/* ------------------------------------------------------------------ surfaces */

/* Laws that inner steps follow: the stiffest body on its spring swings slower than ten of them last. */
static void draw_compliant_surface(RandomMachine *r, double mass, BrSurface *surface) {
    double inner = r->def.dt / r->def.substeps;
    double k = mass * pow(number_between(r, 0.02, 0.3) / inner, 2);
    k = fmin(1e15, fmax(1e-9, k)); /* laws allow no less and no more */
    double c = 0.3 * sqrt(k * mass), kind = number_between(r, 0, 1);
    surface->compliant_normal = br_law(BR_LAW_NORMAL, kind < 0.4   ? "kelvin-voigt"
                                                      : kind < 0.8 ? "gonthier"
                                                                   : "hunt-crossley");
    br_law_set(&surface->compliant_normal, "stiffness", k);
    br_law_set(&surface->compliant_normal, "exponent", 1);
    if (kind < 0.4) br_law_set(&surface->compliant_normal, "damping", chance(r, 0.5) ? c : 0);
    if (kind >= 0.4 && kind < 0.8) br_law_set(&surface->compliant_normal, "e", number_between(r, 0.1, 1));
    double mu = chance(r, 0.2) ? 0 : number_between(r, 0, 1.5);
    kind = number_between(r, 0, 1);
    surface->compliant_friction = br_law(BR_LAW_FRICTION, kind < 0.4   ? "tanh"
                                                          : kind < 0.7 ? "coulomb-compliant"
                                                                       : "dwell");
    br_law_set(&surface->compliant_friction, "mu", mu);
    br_law_set(&surface->compliant_friction, "stiffness", k);
    br_law_set(&surface->compliant_friction, "damping", c);
    br_law_set(&surface->compliant_friction, "mu_k", mu);
    br_law_set(&surface->compliant_friction, "mu_s", 1.2 * mu);
    br_law_set(&surface->compliant_friction, "sigma_0", k);
    br_law_set(&surface->compliant_friction, "sigma_1", c);
}

static BrSurface draw_surface(RandomMachine *r, double mass) {
    BrSurface surface = {.normal = br_law(BR_LAW_NORMAL, "rigid"),
                         .friction = br_law(BR_LAW_FRICTION, r->bristle ? "bristle" : "coulomb")};
    double mu = chance(r, 0.2) ? 0 : chance(r, 0.1) ? decades(r, 1, 1e5) : number_between(r, 0, 1.5);
    bool two = !r->bristle && chance(r, 0.25);
    br_law_set(&surface.friction, two ? "mu_k" : "mu", mu);
    if (two) br_law_set(&surface.friction, "mu_s", mu * number_between(r, 1, 2));
    if (r->bristle && chance(r, 0.5)) br_law_set(&surface.friction, "k_t", mass * decades(r, 1e2, 1e6));
    if (chance(r, 0.5)) br_law_set(&surface.normal, "restitution", chance(r, 0.2) ? 1 : number_between(r, 0, 1));
    br_law_set(&surface.normal, "hypothesis", chance(r, 0.4));
    if (is_compliant(r)) draw_compliant_surface(r, mass, &surface);
    return surface;
}

static void draw_materials(RandomMachine *r, double mass, BrMaterialId material[2]) {
    BrError error = {0};
    for (int k = 0; k < 2; k++) {
        BrMaterialDef def = br_default_material_def();
        def.name = k ? "other" : "one";
        def.surface = draw_surface(r, mass);
        material[k] = machine_add_material(&r->m, &def);
    }
    BrPairDef pair = br_default_pair_def();
    pair.material_a = material[0], pair.material_b = material[1];
    pair.surface = r->pair = draw_surface(r, mass);
    if (br_model_add_pair(r->m.model, &pair, &error) != BR_OK) fail_msg("%s", error.text);
}

/* ------------------------------------------------------------------ bodies */

static void draw_shape(RandomMachine *r, int n) {
    static const BrShapeKind KINDS[] = {BR_SHAPE_SPHERE, BR_SHAPE_BOX, BR_SHAPE_CAPSULE,   BR_SHAPE_CYLINDER,
                                        BR_SHAPE_DISC,   BR_SHAPE_BOX, BR_SHAPE_ELLIPSOID, /* not in a tube */
                                        BR_SHAPE_POINT /* only one */};
    BrShapeDef *def = &r->shape[n];
    *def = br_default_shape_def();
    def->kind = KINDS[draw_int(&r->seed, r->world == WORLD_TUBE ? 6 : n > 0 ? 7 : 8)];
    double most = fmin(3, r->length), least = chance(r, 0.15) ? 0.02 : 0.2;
    double x = most * decades(r, least, 1), y = most * decades(r, least, 1), z = most * decades(r, least, 1);
    bool round = chance(r, 0.3); /* a cube, or as long as wide */
    if (round) y = z = x;
    bool half = def->kind == BR_SHAPE_ELLIPSOID;
    def->size = half ? vec(x / 2, y / 2, z / 2) : vec(x, y, z);
    def->radius = x / 2;
    def->length = z;
    double plain = def->kind == BR_SHAPE_BOX || half ? fmin(x, fmin(y, z))
                   : def->kind == BR_SHAPE_CYLINDER  ? fmin(x, z)
                                                     : x;
    r->width[n] = plain;
    r->mass[n] = decades(r, 1, 1 + r->mass_ratio) * 1e3 * pow(0.5 * most, 3);
}

/* Half the height while upright; the farthest point from the centre. */
static double find_height(const BrShapeDef *d) {
    switch (d->kind) {
    case BR_SHAPE_BOX: return d->size.z / 2;
    case BR_SHAPE_ELLIPSOID: return d->size.z;
    case BR_SHAPE_CAPSULE: return d->length / 2 + d->radius;
    case BR_SHAPE_CYLINDER: return d->length / 2;
    case BR_SHAPE_SPHERE: return d->radius;
    default: return 0;
    }
}

static double find_reach(const BrShapeDef *d) {
    switch (d->kind) {
    case BR_SHAPE_BOX: return norm(d->size) / 2;
    case BR_SHAPE_ELLIPSOID: return fmax(d->size.x, fmax(d->size.y, d->size.z));
    case BR_SHAPE_CAPSULE: return d->length / 2 + d->radius;
    case BR_SHAPE_CYLINDER: return hypot(d->length / 2, d->radius);
    default: return d->kind == BR_SHAPE_POINT ? 0 : d->radius;
    }
}

static void draw_place(RandomMachine *r, int n, BrBodyDef *body) {
    double cell = 0, height = find_height(&r->shape[n]), reach = find_reach(&r->shape[n]);
    for (int k = 0; k < r->bodies; k++) cell = fmax(cell, 2.1 * find_reach(&r->shape[k]));
    BrVec3 grid = vec(cell * (n % 3 - 1), cell * (n / 3 % 3 - 1), cell * (n / 9 + 0.5));
    bool stands = n < 9 && chance(r, 0.5);
    body->rotation =
        stands || r->start == START_PILE ? turn_about(vec(0, 0, 1), number_between(r, -PI, PI)) : draw_turn(r);
    if (r->start == START_APART) {
        r->place[n] = add(grid, draw_vec(&r->seed, 0.5 * cell - reach));
        if (stands) r->place[n].z = height;
    } else if (r->start == START_PILE) {
        BrVec3 aside = scale(0.1 * r->length, draw_vec(&r->seed, 1));
        r->place[n] =
            n ? add(r->place[n - 1], vec(aside.x, aside.y, find_height(&r->shape[n - 1]) + height)) : vec(0, 0, height);
    } else
        r->place[n] = add(draw_vec(&r->seed, 2 * r->length), vec(0, 0, 2 * r->length));
}

static void add_body(RandomMachine *r, int n, BrMaterialId material) {
    char name[20];
    BrBodyDef body = br_default_body_def();
    snprintf(name, sizeof name, "body%d", n);
    body.name = name;
    body.mass = r->mass[n];
    body.inertia = machine_solid_inertia(&r->shape[n], body.mass);
    draw_place(r, n, &body);
    body.position = turn_world(r, r->place[n]);
    body.rotation = multiply(&r->turned, &body.rotation);
    double speed = chance(r, 0.7) ? r->speed : 0;
    if (n == 0 && chance(r, 0.1)) speed = 100; /* a bullet */
    body.velocity = scale(speed, draw_direction(r));
    if (chance(r, 0.5)) body.angular_velocity = scale(speed / r->length, draw_vec(&r->seed, 1));
    r->body[n] = machine_add_body(&r->m, &body);
    r->shape[n].body = r->body[n];
    r->shape[n].material = material;
    if (chance(r, 0.05)) r->shape[n].surface_velocity_body = scale(r->speed, draw_direction(r));
    machine_add_shape(&r->m, &r->shape[n]);
}

/* ------------------------------------------------------------------ ground */

static void add_walls(RandomMachine *r, BrShapeDef shape) {
    for (int k = 0; k < 2; k++) {
        shape.rotation_body = turn_about(k ? vec(0, 1, 0) : vec(1, 0, 0), PI / 2 + number_between(r, -0.2, 0.2));
        shape.position_body = rotate(&shape.rotation_body, vec(0, 0, -8 * r->length));
        machine_add_shape(&r->m, &shape);
    }
}

static void add_shake(RandomMachine *r, BrBodyId body) {
    BrError error = {0};
    BrMotionDef motion = br_default_motion_def();
    BrMotionId id;
    double rate = number_between(r, 0.002, 0.05) / r->def.dt;
    motion.name = "shake";
    motion.body = body;
    motion.by_velocity = true;
    for (int k = 0; k < 3; k++) motion.linear[k] = br_sine(0.1 * r->length * rate * number_between(r, 0, 1), rate, 0);
    if (br_model_add_motion(r->m.model, &motion, &id, &error) != BR_OK) fail_msg("%s", error.text);
}

static void add_world(RandomMachine *r, BrMaterialId material) {
    double L = r->length;
    BrShapeDef shape = br_default_shape_def();
    BrBodyDef body = br_default_body_def();
    body.name = "world";
    body.kind = r->world == WORLD_SHAKER ? BR_BODY_KINEMATIC : BR_BODY_FIXED;
    body.rotation = r->turned;
    if (r->world == WORLD_EMPTY) return;
    shape.body = machine_add_body(&r->m, &body);
    shape.material = material;
    shape.kind = BR_SHAPE_PLANE;
    if (r->world == WORLD_BELT) shape.surface_velocity_body = scale(r->speed + 0.1, draw_direction(r));
    if (r->world == WORLD_BLOCK || r->world == WORLD_SHEET) {
        double thick = r->world == WORLD_SHEET ? 0.01 * L : L;
        shape.kind = BR_SHAPE_BOX;
        shape.size = vec(10 * L, 10 * L, thick);
        shape.position_body = vec(0, 0, -0.5 * thick);
    } else if (r->world == WORLD_TUBE) {
        shape.kind = BR_SHAPE_TUBE;
        shape.radius = 20 * L;
        shape.length = 60 * L;
        shape.position_body = vec(0, 0, shape.radius);
        shape.rotation_body = turn_about(vec(0, 1, 0), PI / 2);
    }
    machine_add_shape(&r->m, &shape);
    if (r->world == WORLD_WALLS) add_walls(r, shape);
    if (r->world == WORLD_SHAKER) add_shake(r, shape.body);
}

/* ------------------------------------------------------------------ joints and drives */

static void add_motor(RandomMachine *r, BrJointId joint, int coordinate, double speed, double effort) {
    char name[20];
    snprintf(name, sizeof name, "motor%d", r->joints);
    bool bounded = chance(r, 0.8);
    double target = number_between(r, -speed, speed);
    machine_motor(&r->m, name, joint, coordinate, br_constant(target),
                  bounded ? effort * decades(r, 0.01, 10) : INFINITY);
}

static void add_joint(RandomMachine *r, int n) {
    static const BrJointType TYPES[] = {
        BR_JOINT_REVOLUTE, BR_JOINT_PRISMATIC, BR_JOINT_CYLINDRICAL, BR_JOINT_SPHERICAL, BR_JOINT_UNIVERSAL,
        BR_JOINT_FIXED,    BR_JOINT_PLANAR,    BR_JOINT_SCREW,       BR_JOINT_DISTANCE,  BR_JOINT_KNIFE_EDGE};
    char name[20];
    BrJointDef def = br_default_joint_def();
    int before = chance(r, 0.8) ? n - 1 : draw_int(&r->seed, n + 1) - 1; /* -1: the ground */
    snprintf(name, sizeof name, "joint%d", n);
    def.name = name;
    def.type = TYPES[draw_int(&r->seed, 10)];
    def.body_a = before < 0 ? r->m.ground : r->body[before];
    def.body_b = r->body[n];
    BrVec3 at = before < 0 ? add(r->place[n], scale(r->length, draw_vec(&r->seed, 1)))
                           : scale(0.5, add(r->place[before], r->place[n]));
    def.at = turn_world(r, at);
    def.axis = draw_direction(r);
    def.axis_b = cross(def.axis, add(draw_direction(r), vec(0, 1e-3, 0)));
    def.lead = r->length * number_between(r, 0.1, 1);
    if (def.type == BR_JOINT_DISTANCE) {
        BrPose pose_a = {.position = before < 0 ? vec(0, 0, 0) : turn_world(r, r->place[before])};
        if (norm(sub(turn_world(r, r->place[n]), pose_a.position)) < 1e-3 * r->length) return; /* no direction */
    }
    const BrJointInfo *info = br_joint_info(def.type);
    double weight = r->mass[n] * fmax(r->gravity, 1), unit[3] = {0}, effort[3] = {0};
    for (int c = 0; c < info->coordinates; c++) {
        bool slide = info->coordinate[c].unit[0] == 'm';
        unit[c] = slide ? r->length : 1;
        effort[c] = slide ? weight : weight * r->length;
        if (!info->coordinate[c].driveable) continue;
        if (chance(r, 0.3))
            def.lower[c] = -unit[c] * number_between(r, 0, 1), def.upper[c] = unit[c] * number_between(r, 0, 1);
        if (chance(r, 0.3)) def.dry_friction[c] = effort[c] * decades(r, 0.01, 1);
    }
    BrJointId id = machine_add_joint(&r->m, &def);
    r->joints++;
    double time = 20 * r->def.dt;
    for (int c = 0; c < info->coordinates && c < 1; c++) {
        if (!info->coordinate[c].driveable) continue;
        if (chance(r, 0.3)) add_motor(r, id, c, 0.1 * unit[c] / time, effort[c]);
        snprintf(name, sizeof name, "spring%d", n);
        double slow = number_between(r, 0.05, 0.5) / time,
               inertia = effort[c] / fmax(r->gravity, 1) * unit[c] / r->length;
        if (chance(r, 0.3))
            machine_joint_spring(&r->m, name, id, c, inertia * slow * slow, chance(r, 0.5) ? 0.1 * inertia * slow : 0);
    }
}

static void add_line_spring(RandomMachine *r, int n) {
    char name[20];
    int other = draw_int(&r->seed, n + 1) - 1;
    double slow = number_between(r, 0.05, 0.5) / (20 * r->def.dt);
    snprintf(name, sizeof name, "line%d", n);
    machine_line_spring(&r->m, name, other < 0 ? r->m.ground : r->body[other], r->body[n], r->mass[n] * slow * slow,
                        chance(r, 0.5) ? 0.1 * r->mass[n] * slow : 0, r->length);
}

/* ------------------------------------------------------------------ all together */

/* Springs are explicit, and hem2 swings them up by (h w)^4/4 in a step of h (w: rad/s): a twentieth of the step at
 * which one of them, taken by itself, would be unstable (h w = 2) makes that 2.5e-5. */
static BrStatus shorten_step(RandomMachine *r, BrError *error) {
    BrAnalysis analysis;
    BrStatus status = br_analyse(r->m.model, r->m.workspace, r->m.state, &analysis, NULL, NULL, error);
    if (status == BR_OK && analysis.largest_dt[BR_SCHEME_MOREAU] > 0)
        r->def.dt = fmin(r->def.dt, 0.05 * analysis.largest_dt[BR_SCHEME_MOREAU]);
    return status;
}

BrStatus random_machine_make(uint64_t number, RandomMachine *r, BrError *error) {
    BrMaterialId material[2];
    begin(number, r);
    draw_frame_of_all(r);
    draw_step(r);
    r->m = machine_begin(turn_world(r, vec(0, 0, -r->gravity)));
    double least = INFINITY;
    for (int k = 0; k < r->bodies; k++) draw_shape(r, k), least = fmin(least, r->mass[k]);
    draw_materials(r, least, material);
    add_world(r, material[0]);
    bool jointed = chance(r, 0.4), sprung = chance(r, 0.2);
    for (int k = 0; k < r->bodies; k++) {
        add_body(r, k, material[draw_int(&r->seed, 2)]);
        if (jointed && chance(r, 0.6)) add_joint(r, k);
        if (sprung && chance(r, 0.4)) add_line_spring(r, k);
    }
    BrStatus status = br_model_build(r->m.model, error);
    if (status == BR_OK) status = br_state_create(r->m.model, &r->m.state, error);
    if (status == BR_OK) status = br_workspace_create(r->m.model, &r->m.workspace, error);
    if (status == BR_OK) status = br_state_assemble(r->m.model, r->m.workspace, r->m.state, NULL, error);
    if (status == BR_OK) status = shorten_step(r, error);
    if (status == BR_OK) status = br_step_fits(r->m.model, &r->def, error);
    return status;
}

void random_machine_end(RandomMachine *r) { machine_end(&r->m); }
