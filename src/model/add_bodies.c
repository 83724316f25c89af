/* add_bodies.c: bodies and the joints between them. */
#include "model/add.h"

#include <string.h>

static const double WRITTEN = 1e-9; /* of the largest inertia: what numbers with ten digits leave */
static const double SQUARE = 1e-6;  /* cosine of the angle of a universal joint's axes: seven digits */
static const double FLAT = 1e-6;    /* sine of the tilt of a wheel below which no point of its rim is lowest */

/* ------------------------------------------------------------------ bodies */

/* Squares and cubes of masses and moments between these are numbers, and so is what steps make of them. */
static bool is_moderate(double value) {
    const double LEAST = 1e-100, MOST = 1e100; /* kg, kg m^2 */
    return value >= LEAST && value <= MOST;
}

static BrStatus check_inertia(const BrBodyDef *def, BrError *error) {
    const char *name = def->name;
    double largest = 0, values[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) largest = bri_max(largest, bri_abs(def->inertia.m[i][j]));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            if (!(bri_abs(def->inertia.m[i][j] - def->inertia.m[j][i]) <= WRITTEN * largest))
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
    for (int k = 0; k < 3; k++)
        if (!is_moderate(values[k]))
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "a principal moment of body '%s' is %.9g kg m^2; allowed is 1e-100 to 1e100 kg m^2", name,
                            values[k]);
    for (int k = 0; k < 3; k++) {
        double others = values[(k + 1) % 3] + values[(k + 2) % 3];
        if (values[k] > others * (1 + WRITTEN))
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
    if (!bri_vec_is_finite(def->frame_body))
        return bri_fail(error, BR_INVALID_ARGUMENT, "the frame of body '%s' is not finite", def->name);
    if (!(bri_rotation_error(&def->rotation) <= BRI_ROTATION_ERROR))
        return bri_fail(error, BR_INVALID_ARGUMENT, "the orientation of body '%s' is not a rotation matrix", def->name);
    if ((unsigned)def->kind > BR_BODY_KINEMATIC)
        return bri_fail(error, BR_INVALID_ARGUMENT, "body '%s': %d is no kind of body", def->name, (int)def->kind);
    if (def->kind != BR_BODY_DYNAMIC && bri_is_finite(def->mass)) return BR_OK;
    if (!is_moderate(def->mass))
        return bri_fail(error, BR_INVALID_ARGUMENT, "mass of body '%s' is %.9g kg; it must be positive%s", def->name,
                        def->mass, def->mass > 0 ? ", from 1e-100 to 1e100 kg" : "");
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

static bool make_body_room(BrModel *m) {
    return bri_grow(&m->allocator, (void **)&m->body, m->bodies, &m->body_capacity, sizeof *m->body) &&
           bri_grow(&m->allocator, (void **)&m->body_def, m->bodies, &m->body_def_capacity, sizeof *m->body_def) &&
           bri_grow(&m->allocator, (void **)&m->body_given, m->bodies, &m->body_given_capacity, sizeof *m->body_given);
}

BrStatus br_model_add_body(BrModel *m, const BrBodyDef *def, BrBodyId *id, BrError *error) {
    if (id) *id = (BrBodyId){0};
    BrStatus status = bri_check_addition(m, def, sizeof *def, "body", error);
    if (status == BR_OK) status = bri_check_name(def->name, &m->body_names, "body", error);
    if (status == BR_OK) status = check_body(def, error);
    if (status != BR_OK) return status;
    int slot = take_slot(m);
    if (slot < 0 || !make_body_room(m)) return bri_no_memory_for("body", def->name, error);
    BriBody body = {.motion = -1, .node = -1};
    BrBodyDef own = *def;
    if (def->kind != BR_BODY_DYNAMIC) {
        own.mass = 0, own.inertia = bri_diagonal(0, 0, 0);
        own.velocity = own.angular_velocity = bri_vec(0, 0, 0);
    }
    own.rotation = bri_rotation_normalise(&def->rotation);
    if (def->kind == BR_BODY_DYNAMIC) {
        body.mass = def->mass;
        body.inertia = def->inertia;
        body.inverse_mass = 1 / def->mass;
        body.top = bri_top_make(&def->inertia);
        if (!bri_symmetric_inverse(&def->inertia, &body.inverse_inertia))
            return bri_fail(error, BR_INVALID_ARGUMENT, "inertia of body '%s' is too close to singular", def->name);
    }
    own.name = bri_own_name(m, def->name, &m->body_names, m->bodies);
    if (!own.name) return bri_no_memory_for("body", def->name, error);
    m->slot[slot].index = m->bodies;
    m->body[m->bodies] = body;
    m->body_given[m->bodies] = def->rotation;
    m->body_def[m->bodies++] = own;
    if (id) *id = (BrBodyId){slot + 1, m->number, m->slot[slot].generation};
    return BR_OK;
}

/* The name of something that refers to body n, or NULL. */
static const char *find_user_of_body(const BrModel *m, int n) {
    for (int i = 0; i < m->joints; i++)
        if (m->joint[i].a == n || m->joint[i].b == n) return m->joint[i].def.name;
    for (int i = 0; i < m->springs; i++)
        if (m->spring[i].a == n || m->spring[i].b == n) return m->spring[i].def.name;
    for (int i = 0; i < m->bushings; i++)
        if (m->bushing[i].a == n || m->bushing[i].b == n) return m->bushing[i].def.name;
    for (int i = 0; i < m->motions; i++)
        if (m->motion[i].body == n) return m->motion[i].def.name;
    for (int i = 0; i < m->forces; i++)
        if (m->force[i].body == n) return m->force[i].def.name;
    for (int i = 0; i < m->sensors; i++)
        if (m->sensor[i].a == n || m->sensor[i].b == n) return m->sensor[i].def.name;
    return bri_body_is_read(m, n) ? "an expression" : NULL;
}

static void shift_down(int *number, int removed) { *number -= *number > removed; }

BrStatus br_model_remove_body(BrModel *m, BrBodyId id, BrError *error) {
    BRI_NEED(m, "model", error);
    if (m->built) return bri_fail(error, BR_WRONG_STAGE, "a body cannot be removed: the model is built already");
    int n = bri_body_number(m, id);
    if (n < 0) return bri_fail(error, BR_INVALID_ID, "no body to remove: the id is null, stale or of another model");
    const char *user = find_user_of_body(m, n);
    if (user)
        return bri_fail(error, BR_INVALID_ARGUMENT, "body '%s' cannot be removed: '%s' refers to it",
                        m->body_def[n].name, user);
    bri_release(&m->allocator, (void *)(uintptr_t)m->body_def[n].name);
    memmove(&m->body[n], &m->body[n + 1], (size_t)(m->bodies - n - 1) * sizeof *m->body);
    memmove(&m->body_def[n], &m->body_def[n + 1], (size_t)(m->bodies - n - 1) * sizeof *m->body_def);
    memmove(&m->body_given[n], &m->body_given[n + 1], (size_t)(m->bodies - n - 1) * sizeof *m->body_given);
    m->bodies--;
    BriSlot *slot = &m->slot[id.index1 - 1];
    slot->index = -1;
    slot->generation++;
    for (int i = 0; i < m->slots; i++) shift_down(&m->slot[i].index, n);
    for (int i = 0; i < m->joints; i++) shift_down(&m->joint[i].a, n), shift_down(&m->joint[i].b, n);
    for (int i = 0; i < m->springs; i++) shift_down(&m->spring[i].a, n), shift_down(&m->spring[i].b, n);
    for (int i = 0; i < m->bushings; i++) shift_down(&m->bushing[i].a, n), shift_down(&m->bushing[i].b, n);
    for (int i = 0; i < m->motions; i++) shift_down(&m->motion[i].body, n);
    for (int i = 0; i < m->forces; i++) shift_down(&m->force[i].body, n);
    for (int i = 0; i < m->sensors; i++) shift_down(&m->sensor[i].a, n), shift_down(&m->sensor[i].b, n);
    bri_quantities_shift(m, n);
    bri_names_clear(&m->body_names);
    for (int i = 0; i < m->bodies; i++) /* never grows: the table held more */
        if (!bri_names_insert(&m->body_names, m->body_def[i].name, i, &m->allocator)) return BR_OUT_OF_MEMORY;
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
    if (type_needs(type, BR_FIELD_AXIS) && !(bri_norm(def->axis) > 0 && bri_is_finite(bri_norm(def->axis))))
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s' (%s) needs an axis of finite length above zero", name,
                        type->info.name);
    if (type_needs(type, BR_FIELD_AXIS_B) && !(bri_norm(def->axis_b) > 0 && bri_is_finite(bri_norm(def->axis_b))))
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s' (%s) needs a second axis of finite length above zero",
                        name, type->info.name);
    if (def->type == BR_JOINT_UNIVERSAL &&
        !(bri_abs(bri_dot(def->axis, def->axis_b)) <= SQUARE * bri_norm(def->axis) * bri_norm(def->axis_b)))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "joint '%s': the two axes of a universal joint must be perpendicular", name);
    if (!bri_is_finite(def->lead) || (def->type == BR_JOINT_SCREW && def->lead == 0))
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s': the lead is %.9g m; it must be finite and not zero",
                        name, def->lead);
    if (!bri_is_finite(def->radius) || (def->type == BR_JOINT_ROLLING_WHEEL && !(def->radius > 0)))
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s': the radius is %.9g m; it must be positive and finite",
                        name, def->radius);
    const double PI = 3.14159265358979323846;
    for (int c = 0; c < 3; c++) {
        if (!(def->lower[c] < def->upper[c]))
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "joint '%s': the lower limit %.9g must be below the upper limit %.9g", name, def->lower[c],
                            def->upper[c]);
        /* a universal joint's angles do not count turns: beyond half a turn a limit would never be met */
        bool far = (bri_is_finite(def->lower[c]) && def->lower[c] <= -PI) ||
                   (bri_is_finite(def->upper[c]) && def->upper[c] >= PI);
        if (def->type == BR_JOINT_UNIVERSAL && far)
            return bri_fail(
                error, BR_INVALID_ARGUMENT,
                "joint '%s': limits of a universal joint must lie within half a turn; they are %.9g and %.9g rad", name,
                def->lower[c], def->upper[c]);
        if (!(def->dry_friction[c] >= 0 && bri_is_finite(def->dry_friction[c])))
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "joint '%s': dry friction is %.9g; it must be finite and not negative", name,
                            def->dry_friction[c]);
    }
    if (def->type != BR_JOINT_CONTACT && (def->stiffness != 0 || def->shape_a != 0 || def->shape_b != 0))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "joint '%s': stiffness or shapes are given, which only a contact has", name);
    if (!bri_is_finite(def->length) || (type_needs(type, BR_FIELD_LENGTH) && !(def->length >= 0)))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "joint '%s': the length is %.9g m; it must be finite and not negative", name, def->length);
    return BR_OK;
}

/* What its type does not use says nothing. */
static void clear_unused(BrJointDef *def, const BriJointType *type) {
    if (!type_needs(type, BR_FIELD_LEAD)) def->lead = 0;
    if (!type_needs(type, BR_FIELD_RADIUS)) def->radius = 0;
    if (!type_needs(type, BR_FIELD_LENGTH)) def->length = 0;
}

/* Where and how fast its coordinates start: within what they can, and within their limits. */
static BrStatus check_starts(const BrJointDef *def, const BrJointInfo *info, BrError *error) {
    const double PI = 3.14159265358979323846, MOST_TURNS = 1000, MOST_WAY = 1e9; /* rad; m, m/s or rad/s */
    for (int c = 0; c < 3; c++) {
        double start = def->start[c], rate = def->start_rate[c];
        bool said = start == start || rate == rate; /* else NaN */
        if (!said) continue;
        if (c >= info->coordinates || def->type == BR_JOINT_DISTANCE)
            return bri_fail(
                error, BR_INVALID_ARGUMENT,
                "joint '%s': a start is given for coordinate %d, and a %s joint has none that could start elsewhere",
                def->name, c, info->name);
        const BrJointCoordinate *of = &info->coordinate[c];
        double most = of->unit[0] == 'r' ? MOST_TURNS : MOST_WAY;
        if (bri_abs(start) > most || !(bri_abs(rate) <= MOST_WAY || rate != rate))
            return bri_fail(
                error, BR_INVALID_ARGUMENT,
                "joint '%s' starts at %s = %.9g %s with a rate of %.9g; allowed is up to %g %s, and a rate of up to %g",
                def->name, of->name, start, of->unit, rate, most, of->unit, MOST_WAY);
        if (start < def->lower[c] || start > def->upper[c])
            return bri_fail(
                error, BR_INVALID_ARGUMENT,
                "joint '%s' starts at %s = %.9g %s, outside its limits of %.9g and %.9g %s; start within them",
                def->name, of->name, start, of->unit, def->lower[c], def->upper[c], of->unit);
        if (def->type == BR_JOINT_UNIVERSAL && bri_abs(start) >= PI)
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "joint '%s' starts at %s = %.9g rad; angles of a universal joint lie within half a turn",
                            def->name, of->name, start);
    }
    return BR_OK;
}

/* Where the wheel's rim touches: down from the centre, in the wheel's plane. */
static BrStatus place_wheel(BriJoint *j, BrVec3 normal, BrVec3 axle, BrVec3 *ground_point, BrError *error) {
    BrVec3 down = bri_add_scaled(bri_neg(normal), bri_dot(normal, axle), axle);
    double length = bri_norm(down);
    if (!(length > FLAT))
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s': the wheel lies flat, its axle is the plane's normal",
                        j->def.name);
    *ground_point = bri_add_scaled(j->def.at, j->def.radius / length, down);
    return BR_OK;
}

/* Joint points and frames in body axes, from the initial poses. */
static BrStatus place_joint(const BrModel *m, BriJoint *j, BrError *error) {
    const BrBodyDef *a = &m->body_def[j->a], *b = &m->body_def[j->b];
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
    bool link = j->def.type == BR_JOINT_LINK;
    if (j->def.type != BR_JOINT_DISTANCE && !link) return BR_OK;
    if (!link) j->point_a = j->def.point_a_body;
    j->point_b = j->def.point_b_body;
    on_a = bri_add(a->position, bri_mul(&a->rotation, j->point_a));
    on_b = bri_add(b->position, bri_mul(&b->rotation, j->point_b));
    BrVec3 way = bri_sub(on_b, on_a);
    if (link) way = bri_add_scaled(way, -bri_dot(way, z), z);
    double distance = bri_norm(way);
    j->length = j->def.length > 0 ? j->def.length : distance;
    if (!(distance > 0))
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s': %s, so that it has no direction; use a %s joint",
                        j->def.name,
                        link ? "the link's ball lies on its hinge's axis" : "the rod's two attachments coincide",
                        link ? "cylindrical" : "spherical");
    return BR_OK;
}

BrStatus br_model_add_joint(BrModel *m, const BrJointDef *def, BrJointId *id, BrError *error) {
    if (id) *id = (BrJointId){0};
    BrStatus status = bri_check_addition(m, def, sizeof *def, "joint", error);
    if (status == BR_OK) status = bri_check_name(def->name, &m->joint_names, "joint", error);
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
                        m->body_def[joint.a].name);
    if (m->body_def[joint.a].kind != BR_BODY_DYNAMIC && m->body_def[joint.b].kind != BR_BODY_DYNAMIC)
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "joint '%s' connects '%s' and '%s', and neither can be moved by forces", def->name,
                        m->body_def[joint.a].name, m->body_def[joint.b].name);
    status = check_joint(def, joint.type, error);
    if (status == BR_OK) status = check_starts(def, &joint.type->info, error);
    if (status == BR_OK) status = bri_check_bearings(m, def, error);
    clear_unused(&joint.def, joint.type);
    if (status == BR_OK) status = place_joint(m, &joint, error);
    if (status != BR_OK) return status;
    if (!bri_grow(&m->allocator, (void **)&m->joint, m->joints, &m->joint_capacity, sizeof *m->joint))
        return bri_no_memory_for("joint", def->name, error);
    joint.def.name = bri_own_name(m, def->name, &m->joint_names, m->joints);
    if (!joint.def.name) return bri_no_memory_for("joint", def->name, error);
    joint.rows = joint.type->info.constraints;
    m->joint[m->joints++] = joint;
    if (id) *id = br_model_joint(m, m->joints - 1);
    return BR_OK;
}
