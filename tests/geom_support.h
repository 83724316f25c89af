/* geom_support.h: random shapes and places for the tests of geometry. Include after cmocka.h. */
#ifndef GEOM_SUPPORT_H
#define GEOM_SUPPORT_H

#include "collide/pair.h"
#include "geom/nearest.h"
#include "geom/profile.h"
#include "geom/wall.h"
#include "joint_support.h"

/* A cam: a circle with a smooth bump, of about unit size. One for all tests. */
static inline const BriProfile *make_cam_profile(void) {
    enum { POINTS = 24 };
    static BriProfile *cam;
    double at[2 * POINTS];
    BrAllocator allocator = bri_default_allocator();
    for (int i = 0; i < POINTS; i++) {
        double t = 2 * 3.14159265358979 * i / POINTS, r = 1 + 0.15 * cos(t);
        at[2 * i] = r * cos(t), at[2 * i + 1] = r * sin(t);
    }
    if (!cam) cam = bri_profile_make(at, POINTS, true, &allocator);
    assert_non_null(cam);
    return cam;
}

/* A dish z = r^2/4. */
static inline const BriProfile *make_dish_profile(void) {
    enum { POINTS = 17 };
    static BriProfile *dish;
    double at[2 * POINTS];
    BrAllocator allocator = bri_default_allocator();
    for (int i = 0; i < POINTS; i++) at[2 * i] = 0.25 * i, at[2 * i + 1] = 0.25 * at[2 * i] * at[2 * i];
    if (!dish) dish = bri_profile_make(at, POINTS, false, &allocator);
    assert_non_null(dish);
    return dish;
}

/* A saddle z = x^2/4 - y^2/6, solid below. */
static const double SADDLE[10] = {-0.25, 1. / 6, 0, 0, 0, 0, 0, 0, 1, 0};

/* The same, in C. */
static inline double saddle(void *user, BrVec3 p, BrVec3 *gradient, BrMat3 *hessian) {
    (void)user;
    *gradient = bri_vec(-0.5 * p.x, p.y / 3, 1);
    *hessian = bri_diagonal(-0.5, 1. / 3, 0);
    return p.z - 0.25 * p.x * p.x + p.y * p.y / 6;
}

static inline BriShape make_shape(BrShapeKind kind, double x, double y, double z) {
    switch (kind) {
    case BR_SHAPE_BOX:
    case BR_SHAPE_BOWL:
    case BR_SHAPE_ELLIPSOID: return (BriShape){.kind = kind, .half = {x, y, z}};
    case BR_SHAPE_SPHERE:
    case BR_SHAPE_DISC: return (BriShape){.kind = kind, .radius = x};
    case BR_SHAPE_CAPSULE:
    case BR_SHAPE_CYLINDER:
    case BR_SHAPE_TUBE: return (BriShape){.kind = kind, .radius = x, .half_length = y};
    case BR_SHAPE_TORUS:
    case BR_SHAPE_GROOVE: return (BriShape){.kind = kind, .radius = x, .ring = x + y};
    case BR_SHAPE_EXTRUSION: return (BriShape){.kind = kind, .half_length = 10, .profile = make_cam_profile()};
    case BR_SHAPE_REVOLUTION: return (BriShape){.kind = kind, .profile = make_dish_profile()};
    case BR_SHAPE_QUADRIC: return (BriShape){.kind = kind, .quadric = SADDLE};
    case BR_SHAPE_FUNCTION: return (BriShape){.kind = kind, .function = saddle};
    default: return (BriShape){.kind = kind};
    }
}

static inline BriShape draw_shape(Random *r, BrShapeKind kind, double size) {
    double x = draw(r, 0.2, 1), y = draw(r, 0.2, 1), z = draw(r, 0.2, 1);
    return make_shape(kind, size * x, size * y, size * z);
}

/* Hollow ones so wide that bodies of unit size touch them at one place. */
static inline BriShape make_wide(BriShape shape) {
    if (shape.kind == BR_SHAPE_TUBE) shape.radius = 3, shape.half_length = 10;
    if (shape.kind == BR_SHAPE_GROOVE) shape.radius = 3, shape.ring = 8;
    if (shape.kind == BR_SHAPE_BOWL) shape.half = bri_add(bri_vec(3, 4, 5), shape.half);
    return shape;
}

static inline BriFrame draw_frame(Random *r, double distance) {
    BriFrame frame = {draw_vec(r, distance), draw_rotation(r)};
    return frame;
}

static inline BriFrame at(double x, double y, double z) { return (BriFrame){{x, y, z}, bri_identity()}; }

static inline bool is_convex(BrShapeKind kind) { return br_shape_info(kind)->convex; }

/* The gap of two convex shapes, whatever it is. */
static inline BriNearest find_nearest(const BriShape *a, const BriFrame *fa, const BriShape *b, const BriFrame *fb) {
    BriConvex ca = bri_convex_make(a, fa), cb = bri_convex_make(b, fb);
    BriNearest nearest;
    assert_true(bri_nearest(&ca, &cb, 1e30, &nearest));
    return nearest;
}

/* Moves b so that its gap to a is about `gap`. */
static inline void set_gap(const BriShape *a, const BriFrame *fa, const BriShape *b, BriFrame *fb, double gap) {
    for (int i = 0; i < 8; i++) {
        BriNearest n = find_nearest(a, fa, b, fb);
        fb->position = bri_add_scaled(fb->position, gap - n.gap, n.normal);
    }
}

/* How far p lies outside a convex shape, m; 0 inside. The ellipsoid's is a bound from its level. */
static inline double measure_outside(const BriShape *shape, const BriFrame *frame, BrVec3 p) {
    BrVec3 q = bri_mul_t(&frame->axes, bri_sub(p, frame->position)), h = shape->half;
    double rho = hypot(q.x, q.y), l = shape->half_length, r = shape->radius;
    switch (shape->kind) {
    case BR_SHAPE_BOX: return fmax(0, fmax(fabs(q.x) - h.x, fmax(fabs(q.y) - h.y, fabs(q.z) - h.z)));
    case BR_SHAPE_CAPSULE: return fmax(0, hypot(rho, fmax(0, fabs(q.z) - l)) - r);
    case BR_SHAPE_CYLINDER: return fmax(0, fmax(rho - r, fabs(q.z) - l));
    case BR_SHAPE_DISC: return fmax(fmax(0, rho - r), fabs(q.z));
    case BR_SHAPE_ELLIPSOID: {
        double level = bri_norm(bri_vec(q.x / h.x, q.y / h.y, q.z / h.z));
        return fmax(0, level - 1) * fmax(h.x, fmax(h.y, h.z));
    }
    default: return fmax(0, bri_norm(q) - r);
    }
}

/* max over a of n.x - max over b of (-n).x ... as a gap: n.(b - a) at the supports. Independent of GJK and EPA. */
static inline double separate_along(const BriShape *a, const BriFrame *fa, const BriShape *b, const BriFrame *fb,
                                    BrVec3 n) {
    BrVec3 pa = bri_mul(&fa->axes, bri_shape_support(a, bri_mul_t(&fa->axes, n)));
    BrVec3 pb = bri_mul(&fb->axes, bri_shape_support(b, bri_mul_t(&fb->axes, bri_neg(n))));
    return bri_dot(n, bri_add(bri_sub(fb->position, fa->position), bri_sub(pb, pa)));
}

static const BrShapeKind CONVEX[] = {BR_SHAPE_POINT,    BR_SHAPE_SPHERE, BR_SHAPE_BOX,      BR_SHAPE_CAPSULE,
                                     BR_SHAPE_CYLINDER, BR_SHAPE_DISC,   BR_SHAPE_ELLIPSOID};
enum { CONVEX_KINDS = 7 };

#endif
