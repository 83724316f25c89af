/* Random scenes: whatever bodies, poses, materials and schemes are thrown together, a step is taken and certified, or
 * says that it is not; states stay finite, forces stay in their cones, energy does not come from nowhere.
 *
 * Every scene is a number. A subset runs with each test, a larger one with BRISTLE_CHECK, all of them with
 * BRISTLE_LONG; BRISTLE_SCENE=n runs one and shows it, BRISTLE_SCENES=a:b runs those from a to before b. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machine.h"

enum { ALL = 10000, MANY = 1500, SOME = 200, FEW = 60, MOST_BODIES = 6, LOOK_EVERY = 5, SHOWN = 200 };

static const double GRAVITY = 9.81; /* m/s^2 */

typedef enum World { GROUND, WALLS, TUBE, BLOCK, MOVER, BELT, WORLDS } World;

typedef struct Scene {
    int number;
    uint64_t seed;
    World world;
    BrModel *model;
    BrState *state;
    BrWorkspace *workspace;
    BrBodyId ground, body[MOST_BODIES];
    double mass[MOST_BODIES], height[MOST_BODIES]; /* height: half of it along z while upright, m */
    BrVec3 place[MOST_BODIES];
    int bodies, joints;
    bool bristle, overlaps;
    BrStepDef def;
    int steps;
} Scene;

/* What all scenes together did. */
typedef struct Tally {
    int scenes, failed, refused_models, refused_steps;
    long looks, unclear; /* br_evaluate(), and those without an answer */
    long steps, uncertified, finished_by_moreau, impacts, lowered;
    double residual, seconds;
    int residual_at, seconds_at;
    double growth[2], loss[2], depth[2], defect[2][64]; /* moreau, hem2 */
    int growth_at[2], loss_at[2], depth_at[2];
} Tally;

static Tally tally;

static void complain(const Scene *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void complain(const Scene *s, const char *format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (tally.failed++ < SHOWN) print_error("scene %d: %s\n", s->number, text);
}

static bool chance(Scene *s, double probability) { return draw(&s->seed, 0, 1) < probability; }
static double draw_log(Scene *s, double low, double high) { return exp(draw(&s->seed, log(low), log(high))); }

static BrMat3 draw_rotation(Scene *s) {
    BrVec3 axis = draw_vec(&s->seed, 1);
    return turn_about(add(axis, vec(1e-3, 0, 0)), draw(&s->seed, -PI, PI));
}

static void insist(const Scene *s, BrStatus status, const BrError *error) {
    if (status != BR_OK) fail_msg("scene %d: %s: %s", s->number, br_status_name(status), error->text);
}

/* ------------------------------------------------------------------ making a scene */

static BrSurface draw_surface(Scene *s) {
    BrSurface surface = {.normal = br_law(BR_LAW_NORMAL, "rigid"),
                         .friction = br_law(BR_LAW_FRICTION, s->bristle ? "bristle" : "coulomb")};
    double mu = chance(s, 0.2) ? 0 : draw(&s->seed, 0, 2);
    bool two = !s->bristle && chance(s, 0.25);
    br_law_set(&surface.friction, two ? "mu_k" : "mu", mu);
    if (two) br_law_set(&surface.friction, "mu_s", mu + draw(&s->seed, 0, 1));
    bool elastic = s->bristle && chance(s, 0.5);
    if (elastic) br_law_set(&surface.friction, "k_t", draw_log(s, 1e3, 1e7));
    if (chance(s, 0.5)) br_law_set(&surface.normal, "restitution", chance(s, 0.2) ? 1 : draw(&s->seed, 0, 1));
    br_law_set(&surface.normal, "hypothesis", chance(s, 0.4));
    return surface;
}

static BrMaterialId add_material(Scene *s, const char *name) {
    BrError error = {0};
    BrMaterialId id;
    BrMaterialDef def = br_default_material_def();
    def.name = name;
    def.surface = draw_surface(s);
    insist(s, br_model_add_material(s->model, &def, &id, &error), &error);
    return id;
}

static void add_shape(Scene *s, const BrShapeDef *def) {
    BrError error = {0};
    BrShapeId id;
    insist(s, br_model_add_shape(s->model, def, &id, &error), &error);
}

/* The shape, its solid's inertia and half its height. */
static BrMat3 draw_shape(Scene *s, double m, bool last_kinds, BrShapeDef *def, double *height) {
    static const BrShapeKind KINDS[] = {BR_SHAPE_SPHERE,
                                        BR_SHAPE_BOX,
                                        BR_SHAPE_CAPSULE,
                                        BR_SHAPE_CYLINDER,
                                        BR_SHAPE_DISC,
                                        BR_SHAPE_BOX,
                                        BR_SHAPE_ELLIPSOID /* not in a tube */,
                                        BR_SHAPE_POINT /* only one */};
    def->kind = KINDS[draw_int(&s->seed, last_kinds ? 8 : s->world == TUBE ? 6 : 7)];
    double r = def->radius = draw_log(s, 0.02, 0.5), l = def->length = draw_log(s, 0.02, 1);
    double x = draw_log(s, 0.02, 1), y = draw_log(s, 0.02, 1), z = draw_log(s, 0.02, 1);
    def->size = vec(x, y, z);
    if (def->kind == BR_SHAPE_ELLIPSOID) def->size = vec(x / 2, y / 2, z / 2);
    switch (def->kind) {
    case BR_SHAPE_BOX:
    case BR_SHAPE_ELLIPSOID: *height = z / 2; break;
    case BR_SHAPE_CAPSULE: *height = l / 2 + r; break;
    case BR_SHAPE_CYLINDER: *height = l / 2; break;
    default: *height = def->kind == BR_SHAPE_SPHERE ? r : 0;
    }
    return machine_solid_inertia(def, m);
}

/* Where the next body starts: in the air, exactly on the ground or the pile, partly or wholly inside something. */
static void draw_pose(Scene *s, double height, BrBodyDef *body) {
    double side = s->world == TUBE ? 0.3 : 0.8;
    int last = s->bodies - 1, way = draw_int(&s->seed, 10);
    body->position = vec(draw(&s->seed, -side, side), draw(&s->seed, -side, side), 0);
    body->rotation = chance(s, 0.5) ? turn_about(vec(0, 0, 1), draw(&s->seed, -PI, PI)) : diagonal(1, 1, 1);
    if (way <= 3) { /* air */
        body->rotation = draw_rotation(s);
        body->position.z = draw(&s->seed, 0.3, 2);
    } else if (way <= 5 || last < 0) { /* ground */
        body->position.z = height;
    } else if (way <= 7) { /* pile */
        body->position = add(s->place[last], vec(draw(&s->seed, -0.02, 0.02), draw(&s->seed, -0.02, 0.02), 0));
        body->position.z = s->place[last].z + s->height[last] + height;
    } else if (way == 8) { /* partly inside */
        body->rotation = draw_rotation(s);
        body->position = add(s->place[last], scale(0.3, draw_vec(&s->seed, s->height[last] + height)));
    } else if (chance(s, 0.5)) /* wholly inside, perhaps exactly at the centre */
        body->position = chance(s, 0.3) ? s->place[last] : add(s->place[last], draw_vec(&s->seed, 0.01));
    if (way <= 3 || chance(s, 0.5)) {
        body->velocity = draw_vec(&s->seed, chance(s, 0.2) ? 10 : 3);
        body->angular_velocity = draw_vec(&s->seed, chance(s, 0.2) ? 30 : 5);
    }
}

static void add_body(Scene *s, BrMaterialId material) {
    char name[20];
    BrError error = {0};
    int n = s->bodies;
    BrBodyDef body = br_default_body_def();
    BrShapeDef shape = br_default_shape_def();
    snprintf(name, sizeof name, "body%d", n);
    body.name = name;
    body.mass = s->mass[n] = draw_log(s, 1e-3, 1e3);
    body.inertia = draw_shape(s, body.mass, n == 0 && s->world != TUBE, &shape, &s->height[n]);
    draw_pose(s, s->height[n], &body);
    s->place[n] = body.position;
    insist(s, br_model_add_body(s->model, &body, &s->body[n], &error), &error);
    shape.body = s->body[n];
    shape.material = material;
    if (chance(s, 0.05)) shape.surface_velocity_body = draw_vec(&s->seed, 1);
    add_shape(s, &shape);
    s->bodies++;
}

/* A fixed plane, or a kinematic one that shakes. */
static void add_ground(Scene *s, BrMaterialId material) {
    BrError error = {0};
    BrShapeDef shape = br_default_shape_def();
    BrBodyDef body = br_default_body_def();
    body.name = "ground";
    body.kind = s->world == MOVER ? BR_BODY_KINEMATIC : BR_BODY_FIXED;
    insist(s, br_model_add_body(s->model, &body, &s->ground, &error), &error);
    shape.body = s->ground;
    shape.material = material;
    shape.kind = BR_SHAPE_PLANE;
    if (s->world == BELT) shape.surface_velocity_body = draw_vec(&s->seed, 1);
    if (s->world == BLOCK) {
        shape.kind = BR_SHAPE_BOX;
        shape.size = vec(2, 2, 1);
        shape.position_body = vec(0, 0, -0.5);
    }
    if (s->world == TUBE) {
        shape.kind = BR_SHAPE_TUBE;
        shape.radius = draw(&s->seed, 1, 3);
        shape.length = 6;
        shape.position_body = vec(0, 0, shape.radius);
        shape.rotation_body = turn_about(vec(0, 1, 0), PI / 2);
    }
    add_shape(s, &shape);
    for (int k = 0; s->world == WALLS && k < 2; k++) {
        shape.rotation_body = turn_about(k ? vec(0, 1, 0) : vec(1, 0, 0), PI / 2 + draw(&s->seed, -0.2, 0.2));
        shape.position_body = rotate(&shape.rotation_body, vec(0, 0, -1));
        add_shape(s, &shape);
    }
    if (s->world != MOVER) return;
    BrMotionDef motion = br_default_motion_def();
    BrMotionId id;
    motion.name = "shake";
    motion.body = s->ground;
    motion.by_velocity = true;
    for (int k = 0; k < 3; k++) motion.linear[k] = br_sine(draw(&s->seed, 0, 0.3), draw(&s->seed, 0.5, 10), 0);
    insist(s, br_model_add_motion(s->model, &motion, &id, &error), &error);
}

static void add_joint(Scene *s, int k) {
    static const BrJointType TYPES[] = {BR_JOINT_REVOLUTE, BR_JOINT_PRISMATIC, BR_JOINT_SPHERICAL};
    BrError error = {0};
    BrJointId id;
    char name[20];
    BrJointDef def = br_default_joint_def();
    snprintf(name, sizeof name, "joint%d", k);
    def.name = name;
    def.type = TYPES[draw_int(&s->seed, 3)];
    def.body_a = k > 0 ? s->body[k - 1] : s->ground;
    def.body_b = s->body[k];
    def.at = k > 0 ? scale(0.5, add(s->place[k - 1], s->place[k])) : add(s->place[0], draw_vec(&s->seed, 0.2));
    def.axis = add(draw_vec(&s->seed, 1), vec(0, 1e-3, 0));
    bool free = def.type == BR_JOINT_SPHERICAL;
    if (!free && chance(s, 0.5)) def.lower[0] = draw(&s->seed, -0.5, 0), def.upper[0] = draw(&s->seed, 0, 0.5);
    if (!free && chance(s, 0.4)) def.dry_friction[0] = s->mass[k] * draw(&s->seed, 0, 5);
    insist(s, br_model_add_joint(s->model, &def, &id, &error), &error);
    s->joints++;
    if (free || chance(s, 0.6)) return;
    BrMotorDef motor = br_default_motor_def();
    BrMotorId motor_id;
    snprintf(name, sizeof name, "motor%d", k);
    motor.name = name;
    motor.joint = id;
    motor.speed = br_constant(draw(&s->seed, -3, 3));
    motor.max_effort = s->mass[k] * draw_log(s, 0.01, 100);
    insist(s, br_model_add_motor(s->model, &motor, &motor_id, &error), &error);
}

static void draw_step(Scene *s) {
    s->def = br_default_step_def();
    s->def.most_work = 1e11; /* polygons of many contacts take long: none of these scenes is refused */
    s->def.scheme = !s->bristle && chance(s, 0.5) ? BR_SCHEME_HEM2 : BR_SCHEME_MOREAU;
    s->def.dt = draw_log(s, 0.5e-3, 5e-3);
    s->steps = 50 + draw_int(&s->seed, 151);
    if (s->def.scheme == BR_SCHEME_HEM2 || s->bristle || chance(s, 0.6)) return;
    s->def.friction_set = chance(s, 0.5) ? BR_FRICTION_BOX : BR_FRICTION_POLYGON;
    s->def.polygon_sides = 3 + draw_int(&s->seed, 8);
    s->def.polygon_by_slip = chance(s, 0.5);
}

/* false: refused, with the message kept. */
static bool make_scene(Scene *s, int number) {
    BrError error = {0};
    *s = (Scene){.number = number, .seed = UINT64_C(0x9E3779B97F4A7C15) * ((uint64_t)number + 1)};
    for (int k = 0; k < 4; k++) draw(&s->seed, 0, 1);
    BrModelDef def = br_default_model_def();
    def.gravity = vec(0, 0, -GRAVITY);
    insist(s, br_model_create(&def, &s->model, &error), &error);
    s->world = (World)draw_int(&s->seed, WORLDS);
    s->bristle = chance(s, 0.1);
    BrMaterialId material[2] = {add_material(s, "one"), add_material(s, "other")};
    BrPairDef pair = br_default_pair_def();
    pair.material_a = material[0], pair.material_b = material[1];
    pair.surface = draw_surface(s);
    insist(s, br_model_add_pair(s->model, &pair, &error), &error);
    add_ground(s, material[0]);
    int count = 1 + draw_int(&s->seed, MOST_BODIES);
    bool jointed = chance(s, 0.3);
    for (int k = 0; k < count; k++) {
        add_body(s, material[draw_int(&s->seed, 2)]);
        if (jointed && chance(s, 0.4) && !(k == 0 && s->world == MOVER)) add_joint(s, k);
    }
    draw_step(s);
    insist(s, br_model_build(s->model, &error), &error);
    insist(s, br_state_create(s->model, &s->state, &error), &error);
    insist(s, br_workspace_create(s->model, &s->workspace, &error), &error);
    BrStatus status = br_state_assemble(s->model, s->workspace, s->state, NULL, &error);
    if (status != BR_OK) print_message("scene %d: not assembled: %s\n", number, error.text);
    return status == BR_OK;
}

static void end_scene(Scene *s) {
    br_workspace_destroy(s->model, s->workspace);
    br_state_destroy(s->model, s->state);
    br_model_destroy(s->model);
}

/* ------------------------------------------------------------------ what must hold */

static bool is_finite_vec(BrVec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

static bool check_finite(const Scene *s) {
    for (int k = 0; k < s->bodies; k++) {
        BrPose pose;
        BrTwist twist;
        br_body_pose(s->model, s->state, s->body[k], &pose);
        br_body_twist(s->model, s->state, s->body[k], &twist);
        if (is_finite_vec(pose.position) && is_finite_vec(twist.linear) && is_finite_vec(twist.angular)) continue;
        complain(s, "body %d is not finite", k);
        return false;
    }
    return true;
}

/* The largest tolerance that a step may allow itself: 1e-9 of the speeds of an island, which are those of two bodies and
 * their turns, or what heavy bodies on light ones round to; at least 1e-7 m/s. */
static double find_tolerance(const Scene *s) {
    double speed = 1;
    for (int k = 0; k < s->bodies; k++) {
        BrTwist twist;
        br_body_twist(s->model, s->state, s->body[k], &twist);
        speed = fmax(speed, fmax(norm(twist.linear), norm(twist.angular)));
    }
    BrTwist twist;
    br_body_twist(s->model, s->state, s->ground, &twist);
    return 1e-7 * fmax(speed, norm(twist.linear));
}

/* The largest angle a body turns through in a step, rad. */
static double find_turn(const Scene *s) {
    double turn = 0;
    for (int k = 0; k < s->bodies; k++) {
        BrTwist twist;
        br_body_twist(s->model, s->state, s->body[k], &twist);
        turn = fmax(turn, s->def.dt * norm(twist.angular));
    }
    return turn;
}

static void check_report(const Scene *s, BrStatus status, const BrStepReport *report, double tolerance) {
    bool tells = report->position_residual > 0 || report->velocity_residual > 0 || report->overlap > 0 ||
                 report->energy_made > 0;
    if (status == BR_OK && (report->uncertified_contacts || !(report->contact_residual <= report->contact_tolerance) ||
                            !(report->contact_tolerance <= tolerance)))
        complain(s, "a step that is BR_OK has %d uncertified contacts, residual %g", report->uncertified_contacts,
                 report->contact_residual);
    if (status == BR_NOT_CONVERGED && report->uncertified_contacts == 0 && !tells)
        complain(s, "a step did not converge and does not say where");
    if (report->uncertified_contacts && !(report->contact_residual > 0))
        complain(s, "%d uncertified contacts without a residual", report->uncertified_contacts);
}

/* Forces in their cones; returns the deepest overlap, m. */
static double check_contacts(Scene *s, BrState *state) {
    BrError error = {0};
    double deepest = 0;
    BrStatus status = br_evaluate(s->model, s->workspace, state, &error);
    if (status < 0) complain(s, "evaluate: %s", error.text);
    tally.looks++;
    tally.unclear += status == BR_NOT_CONVERGED;
    for (int k = 0; k < br_contact_count(s->model, s->workspace); k++) {
        BrContact c;
        if (br_contact(s->model, s->workspace, k, &c) != BR_OK) complain(s, "contact %d cannot be read", k);
        double friction = norm(c.friction_force);
        deepest = fmax(deepest, -c.gap);
        if (!(c.normal_force >= -1e-9)) complain(s, "contact %d pulls with %g N", k, c.normal_force);
        if (!(friction <= c.mu * c.normal_force * (1 + 1e-9) + 1e-9))
            complain(s, "contact %d: friction %g N, allowed %g N", k, friction, c.mu * c.normal_force);
        if (!(fabs(norm(vec(c.frame.m[0][0], c.frame.m[1][0], c.frame.m[2][0])) - 1) < 1e-9))
            complain(s, "contact %d has no unit normal", k);
    }
    return deepest;
}

/* Overlap at the start, whether the bodies separate or not. */
static double find_start_overlap(Scene *s) {
    BrState *still;
    if (br_state_create(s->model, &still, NULL) != BR_OK || br_state_copy(still, s->state) != BR_OK) return 0;
    for (int k = 0; k < s->bodies; k++) br_body_set_twist(s->model, still, s->body[k], (BrTwist){0}, NULL);
    double depth = check_contacts(s, still);
    br_state_destroy(s->model, still);
    return depth;
}

static double sum_energy(const BrEnergy *e) { return e->kinetic + e->potential + e->stored; }

static double find_scale(const Scene *s, const BrEnergy *e) {
    double weight = 0;
    for (int k = 0; k < s->bodies; k++) weight += s->mass[k] * GRAVITY;
    return e->kinetic + fabs(e->work) + 0.1 * weight;
}

/* ------------------------------------------------------------------ running */

static void note_worst(double *worst, int *at, double value, int number) {
    if (!(value > *worst)) return;
    *worst = value;
    *at = number;
}

static int number_bin(double x) { /* half decades from 1e-16 */
    int bin = x > 1e-16 ? (int)(2 * (log10(x) + 16)) : 0;
    return bin < 63 ? bin : 63;
}

/* What BRISTLE_SCENE shows before it runs. */
static void describe(const Scene *s) {
    static const char *const WORLD_NAMES[] = {"ground", "walls", "tube", "block", "mover", "belt"};
    print_message("%s, %s, %s%s, dt %g s, %d steps, %d joints\n", WORLD_NAMES[s->world], br_scheme_name(s->def.scheme),
                  br_friction_set_name(s->def.friction_set), s->bristle ? ", bristle" : "", s->def.dt, s->steps,
                  s->joints);
    for (int k = 0; k < br_model_shape_count(s->model); k++) {
        const BrShapeDef *d = br_shape_def(s->model, br_model_shape(s->model, k));
        const BrBodyDef *b = br_body_def(s->model, d->body);
        const BrSurface *f = &br_material_def(s->model, d->material)->surface;
        print_message("  %-8s %-9s size %.3g %.3g %.3g r %.3g l %.3g m %.3g at %.4g %.4g %.4g v %.3g %.3g %.3g w %.3g "
                      "mu %g %g %g e %g %s\n",
                      b->name, br_shape_info(d->kind)->name, d->size.x, d->size.y, d->size.z, d->radius, d->length,
                      b->mass, b->position.x, b->position.y, b->position.z, b->velocity.x, b->velocity.y, b->velocity.z,
                      norm(b->angular_velocity), f->friction.value[0], f->friction.value[1], f->friction.value[2],
                      f->normal.value[0], f->normal.value[1] > 0 ? "poisson" : "newton");
    }
}

static void run_scene(Scene *s) {
    BrError error = {0};
    BrStepReport report;
    BrEnergy before, after;
    int scheme = s->def.scheme == BR_SCHEME_HEM2;
    bool uncertified = false;
    double depth = find_start_overlap(s), growth = 0, loss = 0, scale = 0, start = 0, worst = 0, turn = 0;
    s->overlaps = depth > 1e-7;
    if (getenv("BRISTLE_SCENE")) describe(s);
    br_state_energy(s->model, s->state, &before);
    start = sum_energy(&before);
    for (int k = 0; k < s->steps; k++) {
        double tolerance = find_tolerance(s);
        BrStatus status = br_step(s->model, s->workspace, s->state, &s->def, &report, &error);
        if (status < 0) {
            tally.refused_steps++;
            complain(s, "step %d refused: %s: %s", k, br_status_name(status), error.text);
            return;
        }
        tally.steps++;
        tally.uncertified += report.uncertified_contacts > 0;
        uncertified = uncertified || status != BR_OK;
        tally.finished_by_moreau += report.finished_by_moreau;
        tally.impacts += report.impacts;
        tally.lowered += report.lowered_impacts;
        note_worst(&tally.residual, &tally.residual_at, report.contact_residual, s->number);
        check_report(s, status, &report, tolerance);
        if (!check_finite(s)) return;
        turn = fmax(turn, find_turn(s));
        br_state_energy(s->model, s->state, &after);
        scale = fmax(scale, find_scale(s, &after));
        growth = fmax(growth, sum_energy(&after) - after.work - start);
        loss = fmax(loss, before.dissipated - after.dissipated);
        worst = fmax(worst, fabs(after.defect));
        before = after;
        double now = k % LOOK_EVERY == 0 || getenv("BRISTLE_SCENE") ? check_contacts(s, s->state) : 0;
        depth = fmax(depth, now);
        if (getenv("BRISTLE_SCENE"))
            print_message(
                "%3d E %.9g work %.6g lost %.6g defect %.3g contacts %d residual %.2e %s it %d imp %d depth %.3g %s\n",
                k, sum_energy(&after), after.work, after.dissipated, after.defect, report.contacts,
                report.contact_residual, report.solver ? report.solver : "-", report.solver_iterations, report.impacts,
                now, report.finished_by_moreau ? "moreau" : "");
    }
    tally.defect[scheme][number_bin(worst / scale)]++;
    if (s->overlaps) return;
    note_worst(&tally.growth[scheme], &tally.growth_at[scheme], growth / scale, s->number);
    note_worst(&tally.loss[scheme], &tally.loss_at[scheme], loss / scale, s->number);
    note_worst(&tally.depth[scheme], &tally.depth_at[scheme], depth, s->number);
    /* All of these are errors of time: of the order of h, and of the angle a body turns through in a step; what the
     * books call their defect may be more. */
    double allowed = (0.02 + 0.2 * turn) * scale;
    if (!s->joints && depth > 0.005 + 0.05 * turn) complain(s, "bodies overlap by %g m", depth);
    if (uncertified) return;
    if (growth > fmax(allowed, worst)) complain(s, "energy grew by %g of %g J", growth, scale);
    if (loss > fmax(allowed, worst)) complain(s, "a step took back %g of %g J lost", loss, scale);
}

static double read_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void tell(void) {
    static const char *const NAMES[] = {"moreau", "hem2"};
    print_message(
        "%d scenes (%d not assembled), %ld steps, %d complaints, %d refused, %ld uncertified, %ld finished by "
        "moreau, %ld impacts, %ld lowered, %ld of %ld looks unclear\n",
        tally.scenes, tally.refused_models, tally.steps, tally.failed, tally.refused_steps, tally.uncertified,
        tally.finished_by_moreau, tally.impacts, tally.lowered, tally.unclear, tally.looks);
    print_message("worst residual %.3g m/s (scene %d), slowest %.3g s (scene %d)\n", tally.residual, tally.residual_at,
                  tally.seconds, tally.seconds_at);
    for (int k = 0; k < 2; k++) {
        print_message(
            "%s: energy made %.3g (%d), loss taken back %.3g (%d), overlap %.3g m (%d)\n  defect/scale:", NAMES[k],
            tally.growth[k], tally.growth_at[k], tally.loss[k], tally.loss_at[k], tally.depth[k], tally.depth_at[k]);
        for (int i = 0; i < 64; i++)
            if (tally.defect[k][i] > 0) print_message(" 1e%.1f:%.0f", 0.5 * i - 16, tally.defect[k][i]);
        print_message("\n");
    }
}

static void test_random_scenes_keep_their_promises(void **unused) {
    (void)unused;
    const char *one = getenv("BRISTLE_SCENE"), *range = getenv("BRISTLE_SCENES");
    int first = one ? (int)strtol(one, NULL, 10) : 0;
    int last = one ? first + 1 : is_long_run() ? ALL : is_check_run() ? MANY : is_slow_run() ? FEW : SOME;
    if (range) {
        char *rest;
        first = (int)strtol(range, &rest, 10);
        last = (int)strtol(rest + (*rest == ':'), NULL, 10);
    }
    tally = (Tally){0};
    for (int k = first; k < last; k++) {
        Scene s;
        double begin = read_clock();
        tally.scenes++;
        if (make_scene(&s, k))
            run_scene(&s);
        else
            tally.refused_models++;
        end_scene(&s);
        note_worst(&tally.seconds, &tally.seconds_at, read_clock() - begin, k);
    }
    tell();
    assert_int_equal(tally.failed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_scenes_keep_their_promises)};
    return cmocka_run_group_tests_name("random_scenes", tests, NULL, NULL);
}
