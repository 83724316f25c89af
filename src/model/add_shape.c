/* add_shape.c: shapes: their sizes, profiles and functions are checked and owned. */
#include "geom/profile.h"
#include "geom/wall.h"
#include "model/add.h"

#include <string.h>

enum { FEWEST_POINTS = 4, MOST_POINTS = 10000 };

static bool shape_needs(const BrShapeInfo *info, BrShapeField field) {
    for (int i = 0; i < info->parameters; i++)
        if (info->parameter[i].field == field) return true;
    return false;
}

/* Squares and cubes of sizes between these are numbers, and so is what geometry makes of them. */
static BrStatus check_size(const char *what, double size, const BrShapeInfo *info, const char *body, BrError *error) {
    const double LEAST = 1e-50, MOST = 1e50; /* m */
    if (size >= LEAST && size <= MOST) return BR_OK;
    return bri_fail(error, BR_INVALID_ARGUMENT, "%s %s of body '%s' has the %s %.9g m; it must be positive%s",
                    bri_shape_article(info), info->name, body, what, size, size > 0 ? ", from 1e-50 to 1e50 m" : "");
}

static BrStatus check_sizes(const BrShapeDef *def, const BrShapeInfo *info, const char *body, BrError *error) {
    bool extents = shape_needs(info, BR_SHAPE_SIZE) || shape_needs(info, BR_SHAPE_SEMI_AXES);
    const double sizes[] = {def->size.x, def->size.y, def->size.z};
    BrStatus status = BR_OK;
    for (int k = 0; extents && k < 3 && status == BR_OK; k++) status = check_size("size", sizes[k], info, body, error);
    if (status == BR_OK && shape_needs(info, BR_SHAPE_RADIUS))
        status = check_size("radius", def->radius, info, body, error);
    if (status == BR_OK && shape_needs(info, BR_SHAPE_LENGTH))
        status = check_size("length", def->length, info, body, error);
    if (status == BR_OK && shape_needs(info, BR_SHAPE_RING_RADIUS))
        status = check_size("ring radius", def->ring_radius, info, body, error);
    return status;
}

/* A tube as wide as the ring would cut itself. */
static BrStatus check_ring(const BrShapeDef *def, const BrShapeInfo *info, const char *body, BrError *error) {
    if (!shape_needs(info, BR_SHAPE_RING_RADIUS) || def->radius < def->ring_radius) return BR_OK;
    return bri_fail(error, BR_INVALID_ARGUMENT,
                    "%s %s of body '%s' has the radius %.9g m; it must be less than its ring_radius, %.9g m",
                    bri_shape_article(info), info->name, body, def->radius, def->ring_radius);
}

static BrStatus check_coefficients(const BrShapeDef *def, const BrShapeInfo *info, const char *body, BrError *error) {
    double sum = 0;
    if (!shape_needs(info, BR_SHAPE_COEFFICIENTS)) return BR_OK;
    for (int i = 0; i < 9; i++) sum += bri_abs(def->quadric[i]);
    if (sum > 0 && bri_is_finite(sum) && bri_is_finite(def->quadric[9])) return BR_OK;
    return bri_fail(
        error, BR_INVALID_ARGUMENT,
        "a quadric of body '%s' has no gradient anywhere: of its first nine coefficients one must not be 0, "
        "and all must be finite",
        body);
}

static BrStatus check_points(const BrShapeDef *def, const BrShapeInfo *info, const char *body, BrError *error) {
    const double *p = def->points;
    bool turned = def->kind == BR_SHAPE_REVOLUTION;
    if (!shape_needs(info, BR_SHAPE_POINTS)) return BR_OK;
    if (!p || def->point_count < FEWEST_POINTS || def->point_count > MOST_POINTS)
        return bri_fail(error, BR_INVALID_ARGUMENT, "%s %s of body '%s' has %d points; allowed are %d to %d",
                        bri_shape_article(info), info->name, body, p ? def->point_count : 0, FEWEST_POINTS,
                        MOST_POINTS);
    for (int i = 0; i < def->point_count; i++) {
        int next = (i + 1) % def->point_count;
        BrVec3 way = {p[2 * next] - p[2 * i], p[2 * next + 1] - p[2 * i + 1], 0};
        if (!bri_is_finite(p[2 * i]) || !bri_is_finite(p[2 * i + 1]))
            return bri_fail(error, BR_INVALID_ARGUMENT, "point %d of the %s of body '%s' is not finite", i + 1,
                            info->name, body);
        if (turned && (p[2 * i] < 0 || (p[2 * i] == 0 && i > 0 && i < def->point_count - 1)))
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "point %d of the revolution of body '%s' has r = %.9g m; inside it must be positive, at an "
                            "end 0 at least",
                            i + 1, body, p[2 * i]);
        if (!(bri_norm(way) > 0) && (next > 0 || !turned))
            return bri_fail(
                error, BR_INVALID_ARGUMENT,
                "points %d and %d of the %s of body '%s' are the same; a profile goes on from point to point", i + 1,
                next + 1, info->name, body);
    }
    return BR_OK;
}

BrStatus bri_check_shape(const BrShapeDef *def, const char *body, BrError *error) {
    const BrShapeInfo *info = br_shape_info(def->kind);
    BrStatus status = check_sizes(def, info, body, error);
    if (status == BR_OK) status = check_ring(def, info, body, error);
    if (status == BR_OK) status = check_coefficients(def, info, body, error);
    if (status == BR_OK) status = check_points(def, info, body, error);
    if (status != BR_OK) return status;
    if (def->kind == BR_SHAPE_FUNCTION && !def->function)
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "a function of body '%s' needs a BrSurfaceFunction: it can be given in C only", body);
    if (!(def->density >= 0 && bri_is_finite(def->density)))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "%s %s of body '%s' has the density %.9g kg/m^3; it must be positive", bri_shape_article(info),
                        info->name, body, def->density);
    if (!bri_vec_is_finite(def->position_body) || !bri_vec_is_finite(def->surface_velocity_body))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "%s %s of body '%s': its position or surface velocity is not finite", bri_shape_article(info),
                        info->name, body);
    if (!(bri_rotation_error(&def->rotation_body) <= BRI_ROTATION_ERROR))
        return bri_fail(error, BR_INVALID_ARGUMENT, "%s %s of body '%s': its orientation is not a rotation matrix",
                        bri_shape_article(info), info->name, body);
    return BR_OK;
}

/* What its kind does not use says nothing. */
static BrShapeDef clear_unused(const BrShapeDef *given, const BrShapeInfo *info) {
    BrShapeDef def = *given;
    if (!shape_needs(info, BR_SHAPE_SIZE) && !shape_needs(info, BR_SHAPE_SEMI_AXES)) def.size = bri_vec(0, 0, 0);
    if (!shape_needs(info, BR_SHAPE_RADIUS)) def.radius = 0;
    if (!shape_needs(info, BR_SHAPE_LENGTH)) def.length = 0;
    if (!shape_needs(info, BR_SHAPE_RING_RADIUS)) def.ring_radius = 0;
    if (!shape_needs(info, BR_SHAPE_COEFFICIENTS)) memset(def.quadric, 0, sizeof def.quadric);
    return def;
}

/* Has it an end? What has none cannot move: it would be everywhere at once. */
static bool is_endless(BrShapeKind kind) {
    return kind == BR_SHAPE_PLANE || kind == BR_SHAPE_QUADRIC || kind == BR_SHAPE_FUNCTION;
}

bool bri_make_shape(const BrShapeDef *def, const BrAllocator *allocator, BriShape *shape) {
    const BrShapeInfo *info = br_shape_info(def->kind);
    bool whole = shape_needs(info, BR_SHAPE_SEMI_AXES);
    *shape = (BriShape){.kind = def->kind,
                        .half = bri_scale(whole ? 1 : 0.5, def->size),
                        .radius = def->radius,
                        .half_length = 0.5 * def->length,
                        .ring = def->ring_radius,
                        .function = def->function,
                        .user = def->function_user};
    if (!shape_needs(info, BR_SHAPE_POINTS)) return true;
    shape->profile = bri_profile_make(def->points, def->point_count, def->kind == BR_SHAPE_EXTRUSION, allocator);
    return shape->profile != NULL;
}

/* The profile, and the points as they were given. */
static bool own_profile(BriModelShape *shape, const BrAllocator *allocator) {
    BrShapeDef *def = &shape->def;
    if (!bri_make_shape(def, allocator, &shape->shape)) return false;
    if (!shape->shape.profile) {
        def->points = NULL, def->point_count = 0;
        return true;
    }
    size_t size = 2 * (size_t)def->point_count * sizeof(double);
    double *copy = bri_allocate(allocator, size, 1);
    if (copy) {
        def->points = memcpy(copy, def->points, size);
        return true;
    }
    bri_profile_release((BriProfile *)(uintptr_t)shape->shape.profile, allocator);
    return false;
}

void bri_release_shape(BriModelShape *shape, const BrAllocator *allocator) {
    bri_profile_release((BriProfile *)(uintptr_t)shape->shape.profile, allocator);
    bri_release(allocator, (void *)(uintptr_t)shape->def.points);
}

BrStatus br_model_add_shape(BrModel *m, const BrShapeDef *def, BrShapeId *id, BrError *error) {
    if (id) *id = (BrShapeId){0};
    BrStatus status = bri_check_addition(m, def, sizeof *def, "shape", error);
    if (status != BR_OK) return status;
    const BrShapeInfo *info = br_shape_info(def->kind);
    int body = bri_body_number(m, def->body), material = bri_material_number(m, def->material);
    if (!info) return bri_fail(error, BR_INVALID_ARGUMENT, "%d is no kind of shape", (int)def->kind);
    if (body < 0)
        return bri_fail(error, BR_INVALID_ID, "%s %s's body is not of this model", bri_shape_article(info), info->name);
    const char *name = m->body_def[body].name;
    if (material < 0)
        return bri_fail(error, BR_INVALID_ID, "%s %s of body '%s' needs a material of this model",
                        bri_shape_article(info), info->name, name);
    if (is_endless(def->kind) && m->body_def[body].kind == BR_BODY_DYNAMIC)
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "body '%s' moves: a %s without end can only belong to a fixed or kinematic body", name,
                        info->name);
    status = bri_check_shape(def, name, error);
    if (status != BR_OK) return status;
    if (!bri_grow(&m->allocator, (void **)&m->shape, m->shapes, &m->shape_capacity, sizeof *m->shape))
        return bri_no_memory_for("a shape of", name, error);
    BrShapeDef own = clear_unused(def, info);
    def = &own;
    BriModelShape shape = {.def = own,
                           .body = body,
                           .material = material,
                           .frame = {def->position_body, bri_rotation_normalise(&def->rotation_body)},
                           .has_motion = bri_norm(def->surface_velocity_body) > 0};
    if (!own_profile(&shape, &m->allocator)) return bri_no_memory_for("a shape of", name, error);
    shape.extent = bri_norm(def->position_body) + bri_shape_extent(&shape.shape);
    m->shape[m->shapes++] = shape;
    if (id) *id = br_model_shape(m, m->shapes - 1);
    return BR_OK;
}
