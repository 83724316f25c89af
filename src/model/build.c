/* build.c: creating a model, adding to it, freezing it. Every refusal leaves the model as it was. */
#include "model/model.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *const OF_TIME[2] = {"t", NULL};
static const char *const OF_DEFLECTION[2] = {"x", "v"};

/* ------------------------------------------------------------------ the model */

/* From address and time: two models share a number once in 4e9. */
static uint32_t make_number(const BrModel *model) {
    struct timespec now = {0};
    timespec_get(&now, TIME_UTC);
    uint64_t seed[3] = {(uint64_t)(uintptr_t)model, (uint64_t)now.tv_sec, (uint64_t)now.tv_nsec};
    uint32_t number = (uint32_t)bri_hash(seed, sizeof seed, 0);
    return number ? number : 1;
}

BrStatus br_model_create(const BrModelDef *def, BrModel **model, BrError *error) {
    *model = NULL;
    if (def->cookie != BRI_COOKIE)
        return bri_fail(error, BR_INVALID_DEF, "the model definition must start from br_default_model_def()");
    if (!bri_vec_is_finite(def->gravity)) return bri_fail(error, BR_INVALID_ARGUMENT, "gravity is not finite");
    BrAllocator allocator = def->allocator.allocate ? def->allocator : bri_default_allocator();
    BrModel *m = bri_allocate(&allocator, 1, sizeof *m);
    if (!m) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for a model");
    m->allocator = allocator;
    m->log = def->log;
    m->gravity = def->gravity;
    m->number = make_number(m);
    *model = m;
    return BR_OK;
}

static void release_spring(BriSpring *s, const BrAllocator *allocator) {
    bri_release(allocator, (void *)(uintptr_t)s->def.name);
    bri_function_disown(&s->def.stiffness, &s->stiffness, allocator);
    bri_function_disown(&s->def.damping, &s->damping, allocator);
    bri_function_disown(&s->def.force, &s->force, allocator);
}

static void release_motor(BriMotor *m, const BrAllocator *allocator) {
    bri_release(allocator, (void *)(uintptr_t)m->def.name);
    bri_function_disown(&m->def.speed, &m->speed, allocator);
}

static void release_motion(BriMotion *m, const BrAllocator *allocator) {
    bri_release(allocator, (void *)(uintptr_t)m->def.name);
    bri_function_disown(&m->def.drive, &m->drive, allocator);
    for (int k = 0; k < 3; k++) bri_function_disown(&m->def.linear[k], &m->linear[k], allocator);
    for (int k = 0; k < 3; k++) bri_function_disown(&m->def.angular_velocity[k], &m->angular[k], allocator);
}

static void release_force(BriForce *f, const BrAllocator *allocator) {
    bri_release(allocator, (void *)(uintptr_t)f->def.name);
    for (int k = 0; k < 3; k++) bri_function_disown(&f->def.force[k], &f->force[k], allocator);
    for (int k = 0; k < 3; k++) bri_function_disown(&f->def.torque[k], &f->torque[k], allocator);
}

void br_model_destroy(BrModel *m) {
    if (!m) return;
    BrAllocator allocator = m->allocator;
    for (int i = 0; i < m->bodies; i++) bri_release(&allocator, (void *)(uintptr_t)m->body[i].def.name);
    for (int i = 0; i < m->joints; i++) bri_release(&allocator, (void *)(uintptr_t)m->joint[i].def.name);
    for (int i = 0; i < m->springs; i++) release_spring(&m->spring[i], &allocator);
    for (int i = 0; i < m->motors; i++) release_motor(&m->motor[i], &allocator);
    for (int i = 0; i < m->motions; i++) release_motion(&m->motion[i], &allocator);
    for (int i = 0; i < m->forces; i++) release_force(&m->force[i], &allocator);
    BriNames *names[] = {&m->body_names,  &m->joint_names,  &m->spring_names,
                         &m->motor_names, &m->motion_names, &m->force_names};
    for (int i = 0; i < BRI_COUNT(names); i++) bri_names_release(names[i], &allocator);
    void *arrays[] = {m->body, m->joint, m->spring, m->motor, m->motion, m->force, m->slot, m->moving_body};
    for (int i = 0; i < BRI_COUNT(arrays); i++) bri_release(&allocator, arrays[i]);
    bri_release(&allocator, m);
}

/* ------------------------------------------------------------------ checks that all additions share */

static BrStatus check_name(const char *name, const char *what, BrError *error) {
    if (!name || !*name) return bri_fail(error, BR_INVALID_ARGUMENT, "a %s needs a name", what);
    if (strlen(name) > 63)
        return bri_fail(error, BR_INVALID_ARGUMENT, "the %s name '%.63s...' is longer than 63 characters", what, name);
    for (const char *c = name; *c; c++)
        if (*c == '/' || *c == '.' || (unsigned char)*c < 32)
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "the %s name '%s' must not contain '/', '.' or control characters", what, name);
    return BR_OK;
}

static BrStatus check_addition(const BrModel *m, uint32_t cookie, const char *name, const BriNames *taken,
                               const char *what, BrError *error) {
    if (m->built) return bri_fail(error, BR_WRONG_STAGE, "a %s cannot be added: the model is built already", what);
    if (cookie != BRI_COOKIE)
        return bri_fail(error, BR_INVALID_DEF, "the %s definition must start from br_default_%s_def()", what, what);
    BrStatus status = check_name(name, what, error);
    if (status == BR_OK && bri_names_find(taken, name) >= 0)
        status =
            bri_fail(error, BR_INVALID_ARGUMENT, "there is a %s named '%s' already: names must differ", what, name);
    return status;
}

static BrStatus no_memory(const char *what, const char *name, BrError *error) {
    return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for %s '%s'", what, name);
}

/* The steps after which an addition cannot fail any more: the owned name and its entry in the table. */
static char *own_name(BrModel *m, const char *name, BriNames *names, int number) {
    char *copy = bri_copy_text(&m->allocator, name);
    if (copy && !bri_names_insert(names, copy, number, &m->allocator)) {
        bri_release(&m->allocator, copy);
        copy = NULL;
    }
    return copy;
}

/* ------------------------------------------------------------------ bodies */

static BrStatus check_inertia(const BrBodyDef *def, BrError *error) {
    const char *name = def->name;
    double largest = 0, values[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) largest = bri_max(largest, bri_abs(def->inertia.m[i][j]));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            if (!(bri_abs(def->inertia.m[i][j] - def->inertia.m[j][i]) <= 1e-9 * largest))
                return bri_fail(error, BR_INVALID_ARGUMENT,
                                "inertia of body '%s' is not symmetric: entries %d%d and %d%d are %.9g and %.9g kg m^2",
                                name, i + 1, j + 1, j + 1, i + 1, def->inertia.m[i][j], def->inertia.m[j][i]);
    BrMat3 axes;
    bri_symmetric_axes(&def->inertia, values, &axes);
    for (int k = 0; k < 3; k++)
        if (!(values[k] > 0))
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "inertia of body '%s' must be positive definite, but a principal moment is %.9g kg m^2",
                            name, values[k]);
    for (int k = 0; k < 3; k++) {
        double others = values[(k + 1) % 3] + values[(k + 2) % 3];
        if (values[k] > others * (1 + 1e-9))
            return bri_fail(
                error, BR_INVALID_ARGUMENT,
                "inertia of body '%s' belongs to no mass distribution: the principal moment %.9g exceeds the "
                "sum %.9g of the other two (triangle inequality)",
                name, values[k], others);
    }
    return BR_OK;
}

static BrStatus check_body(const BrBodyDef *def, BrError *error) {
    if (!bri_vec_is_finite(def->position) || !bri_vec_is_finite(def->velocity) ||
        !bri_vec_is_finite(def->angular_velocity))
        return bri_fail(error, BR_INVALID_ARGUMENT, "position or velocity of body '%s' is not finite", def->name);
    if (!(bri_rotation_error(&def->rotation) <= 1e-6))
        return bri_fail(error, BR_INVALID_ARGUMENT, "the orientation of body '%s' is not a rotation matrix", def->name);
    if ((unsigned)def->kind > BR_BODY_KINEMATIC)
        return bri_fail(error, BR_INVALID_ARGUMENT, "body '%s': %d is no kind of body", def->name, (int)def->kind);
    if (def->kind != BR_BODY_DYNAMIC) return BR_OK;
    if (!(def->mass > 0 && bri_is_finite(def->mass)))
        return bri_fail(error, BR_INVALID_ARGUMENT, "mass of body '%s' is %.9g kg; it must be positive and finite",
                        def->name, def->mass);
    return check_inertia(def, error);
}

/* A free slot for a new body's id, used ones first. */
static int take_slot(BrModel *m) {
    for (int s = 0; m->slots > m->bodies && s < m->slots; s++)
        if (m->slot[s].index < 0) return s;
    if (!bri_grow(&m->allocator, (void **)&m->slot, m->slots, &m->slot_capacity, sizeof *m->slot)) return -1;
    m->slot[m->slots] = (BriSlot){-1, 1};
    return m->slots++;
}

BrStatus br_model_add_body(BrModel *m, const BrBodyDef *def, BrBodyId *id, BrError *error) {
    *id = (BrBodyId){0};
    BrStatus status = check_addition(m, def->cookie, def->name, &m->body_names, "body", error);
    if (status == BR_OK) status = check_body(def, error);
    if (status != BR_OK) return status;
    int slot = take_slot(m);
    if (slot < 0 || !bri_grow(&m->allocator, (void **)&m->body, m->bodies, &m->body_capacity, sizeof *m->body))
        return no_memory("body", def->name, error);
    BriBody body = {.def = *def, .motion = -1, .node = -1};
    if (def->kind != BR_BODY_DYNAMIC) body.def.mass = 0, body.def.inertia = bri_diagonal(0, 0, 0);
    body.def.rotation = bri_rotation_normalise(&def->rotation);
    if (def->kind == BR_BODY_DYNAMIC) {
        body.inverse_mass = 1 / def->mass;
        body.top = bri_top_make(&def->inertia);
        if (!bri_symmetric_inverse(&def->inertia, &body.inverse_inertia))
            return bri_fail(error, BR_INVALID_ARGUMENT, "inertia of body '%s' is too close to singular", def->name);
    }
    body.def.name = own_name(m, def->name, &m->body_names, m->bodies);
    if (!body.def.name) return no_memory("body", def->name, error);
    m->slot[slot].index = m->bodies;
    m->body[m->bodies++] = body;
    *id = (BrBodyId){slot + 1, m->number, m->slot[slot].generation};
    return BR_OK;
}

/* The name of something that refers to body n, or NULL. */
static const char *find_user_of_body(const BrModel *m, int n) {
    for (int i = 0; i < m->joints; i++)
        if (m->joint[i].a == n || m->joint[i].b == n) return m->joint[i].def.name;
    for (int i = 0; i < m->springs; i++)
        if (m->spring[i].a == n || m->spring[i].b == n) return m->spring[i].def.name;
    for (int i = 0; i < m->motions; i++)
        if (m->motion[i].body == n) return m->motion[i].def.name;
    for (int i = 0; i < m->forces; i++)
        if (m->force[i].body == n) return m->force[i].def.name;
    return NULL;
}

static void shift_down(int *number, int removed) { *number -= *number > removed; }

BrStatus br_model_remove_body(BrModel *m, BrBodyId id, BrError *error) {
    if (m->built) return bri_fail(error, BR_WRONG_STAGE, "a body cannot be removed: the model is built already");
    int n = bri_body_number(m, id);
    if (n < 0) return bri_fail(error, BR_INVALID_ID, "no body to remove: the id is null, stale or of another model");
    const char *user = find_user_of_body(m, n);
    if (user)
        return bri_fail(error, BR_INVALID_ARGUMENT, "body '%s' cannot be removed: '%s' refers to it",
                        m->body[n].def.name, user);
    bri_release(&m->allocator, (void *)(uintptr_t)m->body[n].def.name);
    memmove(&m->body[n], &m->body[n + 1], (size_t)(m->bodies - n - 1) * sizeof *m->body);
    m->bodies--;
    BriSlot *slot = &m->slot[id.index1 - 1];
    slot->index = -1;
    slot->generation++;
    for (int i = 0; i < m->slots; i++) shift_down(&m->slot[i].index, n);
    for (int i = 0; i < m->joints; i++) shift_down(&m->joint[i].a, n), shift_down(&m->joint[i].b, n);
    for (int i = 0; i < m->springs; i++) shift_down(&m->spring[i].a, n), shift_down(&m->spring[i].b, n);
    for (int i = 0; i < m->motions; i++) shift_down(&m->motion[i].body, n);
    for (int i = 0; i < m->forces; i++) shift_down(&m->force[i].body, n);
    bri_names_clear(&m->body_names);
    for (int i = 0; i < m->bodies; i++) /* never grows: the table held more */
        if (!bri_names_insert(&m->body_names, m->body[i].def.name, i, &m->allocator)) return BR_OUT_OF_MEMORY;
    return BR_OK;
}

/* ------------------------------------------------------------------ joints */

static bool type_needs(const BriJointType *type, BrJointField field) {
    for (int i = 0; i < type->info.parameters; i++)
        if (type->info.parameter[i].field == field) return true;
    return false;
}

static BrStatus check_joint(const BrJointDef *def, const BriJointType *type, BrError *error) {
    const char *name = def->name;
    if (!bri_vec_is_finite(def->at) || !bri_vec_is_finite(def->axis) || !bri_vec_is_finite(def->axis_b) ||
        !bri_vec_is_finite(def->point_a_body) || !bri_vec_is_finite(def->point_b_body))
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s': a point or an axis is not finite", name);
    if (type_needs(type, BR_FIELD_AXIS) && !(bri_norm(def->axis) > 0))
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s' (%s) needs an axis longer than zero", name,
                        type->info.name);
    if (type_needs(type, BR_FIELD_AXIS_B) && !(bri_norm(def->axis_b) > 0))
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s' (%s) needs a second axis longer than zero", name,
                        type->info.name);
    if (def->type == BR_JOINT_UNIVERSAL &&
        !(bri_abs(bri_dot(def->axis, def->axis_b)) <= 1e-6 * bri_norm(def->axis) * bri_norm(def->axis_b)))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "joint '%s': the two axes of a universal joint must be perpendicular", name);
    if (!bri_is_finite(def->lead) || (def->type == BR_JOINT_SCREW && def->lead == 0))
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s': the lead is %.9g m; it must be finite and not zero",
                        name, def->lead);
    if (!bri_is_finite(def->radius) || (def->type == BR_JOINT_ROLLING_WHEEL && !(def->radius > 0)))
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s': the radius is %.9g m; it must be positive and finite",
                        name, def->radius);
    if (!bri_is_finite(def->length) || (def->type == BR_JOINT_DISTANCE && !(def->length >= 0)))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "joint '%s': the length is %.9g m; it must be finite and not negative", name, def->length);
    return BR_OK;
}

/* Where the wheel's rim touches: down from the centre, in the wheel's plane. */
static BrStatus place_wheel(BriJoint *j, BrVec3 normal, BrVec3 axle, BrVec3 *ground_point, BrError *error) {
    BrVec3 down = bri_add_scaled(bri_neg(normal), bri_dot(normal, axle), axle);
    double length = bri_norm(down);
    if (!(length > 1e-6))
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s': the wheel lies flat, its axle is the plane's normal",
                        j->def.name);
    *ground_point = bri_add_scaled(j->def.at, j->def.radius / length, down);
    return BR_OK;
}

/* Joint points and frames in body axes, from the initial poses. */
static BrStatus place_joint(const BrModel *m, BriJoint *j, BrError *error) {
    const BrBodyDef *a = &m->body[j->a].def, *b = &m->body[j->b].def;
    BrVec3 on_a = j->def.at, on_b = j->def.at, z = bri_vec(0, 0, 1), z_b, x = bri_vec(1, 0, 0);
    if (type_needs(j->type, BR_FIELD_AXIS)) z = bri_scale(1 / bri_norm(j->def.axis), j->def.axis);
    z_b = z;
    if (j->def.type == BR_JOINT_UNIVERSAL) x = j->def.axis_b;
    if (j->def.type == BR_JOINT_ROLLING_WHEEL) {
        z_b = bri_scale(1 / bri_norm(j->def.axis_b), j->def.axis_b);
        BrStatus status = place_wheel(j, z, z_b, &on_a, error);
        if (status != BR_OK) return status;
    }
    BrMat3 frame_a = bri_rotation_frame(z, x), frame_b = bri_rotation_frame(z_b, x);
    j->frame_a = bri_mat_mul_t(&a->rotation, &frame_a);
    j->frame_b = bri_mat_mul_t(&b->rotation, &frame_b);
    j->point_a = bri_mul_t(&a->rotation, bri_sub(on_a, a->position));
    j->point_b = bri_mul_t(&b->rotation, bri_sub(on_b, b->position));
    j->pitch = j->def.lead / 6.28318530717958647692;
    j->radius = j->def.radius;
    if (j->def.type != BR_JOINT_DISTANCE) return BR_OK;
    j->point_a = j->def.point_a_body;
    j->point_b = j->def.point_b_body;
    on_a = bri_add(a->position, bri_mul(&a->rotation, j->point_a));
    on_b = bri_add(b->position, bri_mul(&b->rotation, j->point_b));
    double distance = bri_norm(bri_sub(on_b, on_a));
    j->length = j->def.length > 0 ? j->def.length : distance;
    if (!(distance > 0))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "joint '%s': its two attachments coincide, so the rod has no direction; use a spherical joint",
                        j->def.name);
    return BR_OK;
}

BrStatus br_model_add_joint(BrModel *m, const BrJointDef *def, BrJointId *id, BrError *error) {
    *id = (BrJointId){0};
    BrStatus status = check_addition(m, def->cookie, def->name, &m->joint_names, "joint", error);
    if (status != BR_OK) return status;
    BriJoint joint = {.def = *def, .type = bri_joint_type(def->type), .partner = -1};
    if (!joint.type)
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s': %d is no joint type", def->name, def->type);
    joint.a = bri_body_number(m, def->body_a);
    joint.b = bri_body_number(m, def->body_b);
    if (joint.a < 0 || joint.b < 0)
        return bri_fail(error, BR_INVALID_ID, "joint '%s': its %s body is not of this model", def->name,
                        joint.a < 0 ? "first" : "second");
    if (joint.a == joint.b)
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s' connects body '%s' with itself", def->name,
                        m->body[joint.a].def.name);
    if (m->body[joint.a].def.kind != BR_BODY_DYNAMIC && m->body[joint.b].def.kind != BR_BODY_DYNAMIC)
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "joint '%s' connects '%s' and '%s', and neither can be moved by forces", def->name,
                        m->body[joint.a].def.name, m->body[joint.b].def.name);
    status = check_joint(def, joint.type, error);
    if (status == BR_OK) status = place_joint(m, &joint, error);
    if (status != BR_OK) return status;
    if (!bri_grow(&m->allocator, (void **)&m->joint, m->joints, &m->joint_capacity, sizeof *m->joint))
        return no_memory("joint", def->name, error);
    joint.def.name = own_name(m, def->name, &m->joint_names, m->joints);
    if (!joint.def.name) return no_memory("joint", def->name, error);
    joint.rows = joint.type->info.constraints;
    m->joint[m->joints++] = joint;
    *id = br_model_joint(m, m->joints - 1);
    return BR_OK;
}

/* ------------------------------------------------------------------ springs, motors, motions, forces */

static BrStatus check_coordinate(const BrModel *m, int joint, int coordinate, const char *what, const char *name,
                                 BrError *error) {
    if (joint < 0) return bri_fail(error, BR_INVALID_ID, "%s '%s': its joint is not of this model", what, name);
    const BrJointInfo *info = &m->joint[joint].type->info;
    if (coordinate < 0 || coordinate >= info->coordinates || !info->coordinate[coordinate].driveable)
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "%s '%s': joint '%s' (%s) has no coordinate %d that it could act on", what, name,
                        m->joint[joint].def.name, info->name, coordinate);
    return BR_OK;
}

static BrStatus check_spring(const BrModel *m, const BriSpring *s, BrError *error) {
    const BrSpringDef *def = &s->def;
    if (!bri_is_finite(def->free_length) || !bri_vec_is_finite(def->point_a_body) ||
        !bri_vec_is_finite(def->point_b_body) || !bri_vec_is_finite(def->direction_at_zero) ||
        !(bri_norm(def->direction_at_zero) > 0))
        return bri_fail(error, BR_INVALID_ARGUMENT, "spring '%s': a length, point or direction is not usable",
                        def->name);
    if (def->joint.index1 && s->joint < 0)
        return bri_fail(error, BR_INVALID_ID, "spring '%s': its joint is not of this model", def->name);
    if (def->joint.index1 && (def->body_a.index1 || def->body_b.index1))
        return bri_fail(error, BR_INVALID_ARGUMENT, "spring '%s' has a joint and bodies; it needs one or the other",
                        def->name);
    if (s->joint >= 0) return check_coordinate(m, s->joint, def->coordinate, "spring", def->name, error);
    if (s->a < 0 || s->b < 0)
        return bri_fail(error, BR_INVALID_ID, "spring '%s' needs two bodies of this model, or a joint", def->name);
    if (s->a == s->b)
        return bri_fail(error, BR_INVALID_ARGUMENT, "spring '%s' connects body '%s' with itself", def->name,
                        m->body[s->a].def.name);
    return BR_OK;
}

BrStatus br_model_add_spring(BrModel *m, const BrSpringDef *def, BrSpringId *id, BrError *error) {
    *id = (BrSpringId){0};
    BrStatus status = check_addition(m, def->cookie, def->name, &m->spring_names, "spring", error);
    if (status != BR_OK) return status;
    BriSpring s = {.def = *def,
                   .a = bri_body_number(m, def->body_a),
                   .b = bri_body_number(m, def->body_b),
                   .joint = bri_joint_number(m, def->joint)};
    status = check_spring(m, &s, error);
    if (status != BR_OK) return status;
    char what[128];
    snprintf(what, sizeof what, "spring '%s'", def->name);
    if (!bri_grow(&m->allocator, (void **)&m->spring, m->springs, &m->spring_capacity, sizeof s))
        return no_memory("spring", def->name, error);
    s.def.name = NULL;
    s.def.stiffness = s.def.damping = s.def.force = br_constant(0);
    struct {
        const BrFunctionDef *given;
        BrFunctionDef *kept;
        BriFunction *function;
    } parts[3] = {{&def->stiffness, &s.def.stiffness, &s.stiffness},
                  {&def->damping, &s.def.damping, &s.damping},
                  {&def->force, &s.def.force, &s.force}};
    for (int k = 0; status == BR_OK && k < 3; k++) {
        *parts[k].kept = *parts[k].given;
        status = bri_function_own(parts[k].kept, OF_DEFLECTION, what, &m->allocator, parts[k].function, error);
    }
    if (status == BR_OK) {
        s.def.name = own_name(m, def->name, &m->spring_names, m->springs);
        if (!s.def.name) status = no_memory("spring", def->name, error);
    }
    if (status != BR_OK) {
        release_spring(&s, &m->allocator);
        return status;
    }
    m->spring[m->springs++] = s;
    *id = br_model_spring(m, m->springs - 1);
    return BR_OK;
}

/* Refuses a second drive of the same coordinate. */
static BrStatus check_drive(const BrModel *m, int joint, int coordinate, const char *what, const char *name,
                            BrError *error) {
    BrStatus status = check_coordinate(m, joint, coordinate, what, name, error);
    for (int k = 0; status == BR_OK && k < m->joint[joint].drives; k++)
        if (m->joint[joint].drive[k].coordinate == coordinate)
            return bri_fail(error, BR_INVALID_ARGUMENT, "%s '%s': joint '%s' is driven in this coordinate already",
                            what, name, m->joint[joint].def.name);
    return status;
}

static void add_drive(BriJoint *j, BriDrive drive) {
    j->drive[j->drives++] = drive;
    j->rows++;
}

BrStatus br_model_add_motor(BrModel *m, const BrMotorDef *def, BrMotorId *id, BrError *error) {
    *id = (BrMotorId){0};
    BrStatus status = check_addition(m, def->cookie, def->name, &m->motor_names, "motor", error);
    BriMotor motor = {.def = *def, .joint = bri_joint_number(m, def->joint)};
    if (status == BR_OK) status = check_drive(m, motor.joint, def->coordinate, "motor", def->name, error);
    if (status == BR_OK && !(def->max_effort > 0))
        status = bri_fail(error, BR_INVALID_ARGUMENT, "motor '%s': its largest effort is %.9g; it must be positive",
                          def->name, def->max_effort);
    if (status != BR_OK) return status;
    if (!bri_grow(&m->allocator, (void **)&m->motor, m->motors, &m->motor_capacity, sizeof motor))
        return no_memory("motor", def->name, error);
    char what[128];
    snprintf(what, sizeof what, "motor '%s'", def->name);
    motor.def.name = NULL;
    status = bri_function_own(&motor.def.speed, OF_TIME, what, &m->allocator, &motor.speed, error);
    if (status == BR_OK) {
        motor.def.name = own_name(m, def->name, &m->motor_names, m->motors);
        if (!motor.def.name) status = no_memory("motor", def->name, error);
    }
    if (status != BR_OK) {
        release_motor(&motor, &m->allocator);
        return status;
    }
    add_drive(&m->joint[motor.joint], (BriDrive){def->coordinate, true, m->motors, -1});
    m->motor[m->motors++] = motor;
    *id = br_model_motor(m, m->motors - 1);
    return BR_OK;
}

static BrStatus check_motion(const BrModel *m, const BriMotion *motion, BrError *error) {
    const BrMotionDef *def = &motion->def;
    if (def->joint.index1 && def->body.index1)
        return bri_fail(error, BR_INVALID_ARGUMENT, "motion '%s' has a joint and a body; it needs one or the other",
                        def->name);
    if (motion->joint >= 0) return check_drive(m, motion->joint, def->coordinate, "motion", def->name, error);
    if (motion->body < 0)
        return bri_fail(error, BR_INVALID_ID, "motion '%s' needs a joint or a body of this model", def->name);
    const BriBody *body = &m->body[motion->body];
    if (body->def.kind != BR_BODY_KINEMATIC)
        return bri_fail(error, BR_INVALID_ARGUMENT, "motion '%s': body '%s' is not kinematic", def->name,
                        body->def.name);
    if (body->motion >= 0)
        return bri_fail(error, BR_INVALID_ARGUMENT, "motion '%s': body '%s' is moved by '%s' already", def->name,
                        body->def.name, m->motion[body->motion].def.name);
    return BR_OK;
}

static BrStatus own_three(BrFunctionDef kept[3], const BrFunctionDef given[3], BriFunction function[3],
                          const char *what, const BrAllocator *allocator, BrError *error) {
    BrStatus status = BR_OK;
    for (int k = 0; status == BR_OK && k < 3; k++) {
        kept[k] = given[k];
        status = bri_function_own(&kept[k], OF_TIME, what, allocator, &function[k], error);
    }
    return status;
}

static void clear_three(BrFunctionDef def[3]) { def[0] = def[1] = def[2] = br_constant(0); }

BrStatus br_model_add_motion(BrModel *m, const BrMotionDef *def, BrMotionId *id, BrError *error) {
    *id = (BrMotionId){0};
    BrStatus status = check_addition(m, def->cookie, def->name, &m->motion_names, "motion", error);
    BriMotion motion = {.def = *def, .joint = bri_joint_number(m, def->joint), .body = bri_body_number(m, def->body)};
    if (status == BR_OK) status = check_motion(m, &motion, error);
    if (status != BR_OK) return status;
    if (!bri_grow(&m->allocator, (void **)&m->motion, m->motions, &m->motion_capacity, sizeof motion))
        return no_memory("motion", def->name, error);
    char what[128];
    snprintf(what, sizeof what, "motion '%s'", def->name);
    motion.def.name = NULL;
    clear_three(motion.def.linear);
    clear_three(motion.def.angular_velocity);
    status = bri_function_own(&motion.def.drive, OF_TIME, what, &m->allocator, &motion.drive, error);
    if (status == BR_OK) status = own_three(motion.def.linear, def->linear, motion.linear, what, &m->allocator, error);
    if (status == BR_OK)
        status =
            own_three(motion.def.angular_velocity, def->angular_velocity, motion.angular, what, &m->allocator, error);
    if (status == BR_OK) {
        motion.def.name = own_name(m, def->name, &m->motion_names, m->motions);
        if (!motion.def.name) status = no_memory("motion", def->name, error);
    }
    if (status != BR_OK) {
        release_motion(&motion, &m->allocator);
        return status;
    }
    if (motion.joint >= 0)
        add_drive(&m->joint[motion.joint], (BriDrive){def->coordinate, def->by_velocity, -1, m->motions});
    else
        m->body[motion.body].motion = m->motions;
    m->motion[m->motions++] = motion;
    *id = br_model_motion(m, m->motions - 1);
    return BR_OK;
}

BrStatus br_model_add_force(BrModel *m, const BrForceDef *def, BrForceId *id, BrError *error) {
    *id = (BrForceId){0};
    BrStatus status = check_addition(m, def->cookie, def->name, &m->force_names, "force", error);
    BriForce force = {.def = *def, .body = bri_body_number(m, def->body)};
    if (status != BR_OK) return status;
    if (force.body < 0) return bri_fail(error, BR_INVALID_ID, "force '%s': its body is not of this model", def->name);
    if (m->body[force.body].def.kind != BR_BODY_DYNAMIC)
        return bri_fail(error, BR_INVALID_ARGUMENT, "force '%s': body '%s' is not dynamic, no force moves it",
                        def->name, m->body[force.body].def.name);
    if (!bri_vec_is_finite(def->point_body))
        return bri_fail(error, BR_INVALID_ARGUMENT, "force '%s': its point is not finite", def->name);
    if (!bri_grow(&m->allocator, (void **)&m->force, m->forces, &m->force_capacity, sizeof force))
        return no_memory("force", def->name, error);
    char what[128];
    snprintf(what, sizeof what, "force '%s'", def->name);
    force.def.name = NULL;
    clear_three(force.def.force);
    clear_three(force.def.torque);
    status = own_three(force.def.force, def->force, force.force, what, &m->allocator, error);
    if (status == BR_OK) status = own_three(force.def.torque, def->torque, force.torque, what, &m->allocator, error);
    if (status == BR_OK) {
        force.def.name = own_name(m, def->name, &m->force_names, m->forces);
        if (!force.def.name) status = no_memory("force", def->name, error);
    }
    if (status != BR_OK) {
        release_force(&force, &m->allocator);
        return status;
    }
    m->force[m->forces++] = force;
    *id = br_model_force(m, m->forces - 1);
    return BR_OK;
}

/* ------------------------------------------------------------------ freezing */

/* A digest of names, numbers and topology; strings and tables are followed, pointers are not hashed. */
static uint64_t hash_function(const BriFunction *f, uint64_t h) {
    double numbers[] = {(double)f->kind, f->constant, f->amplitude, f->angular_frequency, f->phase};
    h = bri_hash(numbers, sizeof numbers, h);
    if (f->kind == BRI_TABLE) h = bri_hash(f->table, 2 * (size_t)f->points * sizeof(double), h);
    for (int i = 0; f->kind == BRI_FORMULA && i < f->formula.count; i++) {
        const BriInstruction *c = &f->formula.code[i];
        double words[] = {c->operation, c->variable, c->constant};
        h = bri_hash(words, sizeof words, h);
    }
    return h;
}

static uint64_t hash_name(const char *name, uint64_t h) { return bri_hash(name, strlen(name), h); }

static uint64_t hash_bodies_and_joints(const BrModel *m, uint64_t h) {
    for (int i = 0; i < m->bodies; i++) {
        const BrBodyDef *d = &m->body[i].def;
        h = hash_name(d->name, h);
        int kind = (int)d->kind;
        h = bri_hash(&kind, sizeof kind, h);
        h = bri_hash(&d->mass, sizeof d->mass, h);
        h = bri_hash(&d->inertia, sizeof d->inertia, h);
        BrVec3 vectors[] = {d->position, d->velocity, d->angular_velocity};
        h = bri_hash(vectors, sizeof vectors, h);
        h = bri_hash(&d->rotation, sizeof d->rotation, h);
    }
    for (int i = 0; i < m->joints; i++) {
        const BriJoint *j = &m->joint[i];
        h = hash_name(j->def.name, h);
        int numbers[] = {(int)j->def.type, j->a, j->b, j->rows};
        double lengths[] = {j->length, j->pitch, j->radius};
        h = bri_hash(numbers, sizeof numbers, h);
        h = bri_hash(lengths, sizeof lengths, h);
        h = bri_hash(&j->point_a, sizeof j->point_a, h);
        h = bri_hash(&j->point_b, sizeof j->point_b, h);
        h = bri_hash(&j->frame_a, sizeof j->frame_a, h);
        h = bri_hash(&j->frame_b, sizeof j->frame_b, h);
    }
    return h;
}

static uint64_t hash_model(const BrModel *m) {
    uint64_t h = bri_hash(&m->gravity, sizeof m->gravity, BR_NUMERICS_VERSION);
    h = hash_bodies_and_joints(m, h);
    for (int i = 0; i < m->springs; i++) {
        const BriSpring *s = &m->spring[i];
        int numbers[] = {s->a, s->b, s->joint, s->def.coordinate};
        h = bri_hash(numbers, sizeof numbers, hash_name(s->def.name, h));
        BrVec3 points[] = {s->def.point_a_body, s->def.point_b_body, s->def.direction_at_zero};
        h = bri_hash(points, sizeof points, h);
        h = bri_hash(&s->def.free_length, sizeof(double), h);
        h = hash_function(&s->force, hash_function(&s->damping, hash_function(&s->stiffness, h)));
    }
    for (int i = 0; i < m->motors; i++) {
        const BriMotor *d = &m->motor[i];
        double numbers[] = {d->joint, d->def.coordinate, d->def.max_effort};
        h = hash_function(&d->speed, bri_hash(numbers, sizeof numbers, hash_name(d->def.name, h)));
    }
    for (int i = 0; i < m->motions; i++) {
        const BriMotion *d = &m->motion[i];
        int numbers[] = {d->joint, d->body, d->def.coordinate, d->def.by_velocity};
        h = hash_function(&d->drive, bri_hash(numbers, sizeof numbers, hash_name(d->def.name, h)));
        for (int k = 0; k < 3; k++) h = hash_function(&d->angular[k], hash_function(&d->linear[k], h));
    }
    for (int i = 0; i < m->forces; i++) {
        const BriForce *f = &m->force[i];
        int numbers[] = {f->body, f->def.in_body_axes};
        h = bri_hash(numbers, sizeof numbers, hash_name(f->def.name, h));
        h = bri_hash(&f->def.point_body, sizeof(BrVec3), h);
        for (int k = 0; k < 3; k++) h = hash_function(&f->torque[k], hash_function(&f->force[k], h));
    }
    return h;
}

/* Numbers the rows and the bodies that can move. */
static BrStatus number_parts(BrModel *m, BrError *error) {
    m->moving_body = bri_allocate(&m->allocator, (size_t)m->bodies, sizeof(int));
    if (!m->moving_body) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to build the model");
    for (int i = 0; i < m->bodies; i++) {
        if (m->body[i].def.kind != BR_BODY_DYNAMIC) continue;
        m->body[i].node = m->moving;
        m->moving_body[m->moving++] = i;
    }
    for (int i = 0; i < m->joints; i++) {
        BriJoint *j = &m->joint[i];
        j->first_row = m->rows;
        m->rows += j->rows;
        m->body[j->a].size = bri_max(m->body[j->a].size, bri_norm(j->point_a));
        m->body[j->b].size = bri_max(m->body[j->b].size, bri_norm(j->point_b));
    }
    for (int n = 0; n < m->moving; n++) {
        BriBody *b = &m->body[m->moving_body[n]];
        if (b->size == 0)
            b->size = bri_sqrt(bri_max(b->top.inertia[0], bri_max(b->top.inertia[1], b->top.inertia[2])) / b->def.mass);
    }
    return BR_OK;
}

static void note_energy_users(BrModel *m) {
    m->keeps_energy_books = m->motors || m->motions || m->forces;
    for (int i = 0; i < m->springs; i++) {
        const BriSpring *s = &m->spring[i];
        bool rate = !bri_function_is_zero(&s->damping) || bri_function_uses_rate(&s->force) ||
                    bri_function_uses_rate(&s->stiffness);
        m->rate_dependent = m->rate_dependent || rate;
        m->keeps_energy_books = m->keeps_energy_books || rate;
    }
}

BrStatus br_model_build(BrModel *m, BrError *error) {
    if (m->built) return bri_fail(error, BR_WRONG_STAGE, "the model is built already");
    m->moving = m->rows = 0;
    bri_release(&m->allocator, m->moving_body);
    m->moving_body = NULL;
    for (int i = 0; i < m->bodies; i++) m->body[i].node = -1;
    BrStatus status = number_parts(m, error);
    if (status == BR_OK) status = bri_model_find_tree(m, error);
    if (status != BR_OK) return status;
    note_energy_users(m);
    m->fingerprint = hash_model(m);
    m->built = true;
    return BR_OK;
}
