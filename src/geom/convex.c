/* convex.c: see convex.h. */
#include "geom/convex.h"

BriConvex bri_convex_make(const BriShape *shape, const BriFrame *frame) {
    BriConvex c = {.centre = frame->position, .axes = frame->axes};
    double r = shape->radius;
    switch (shape->kind) {
    case BR_SHAPE_SPHERE: c.ball = r; break;
    case BR_SHAPE_BOX: c.half = shape->half; break;
    case BR_SHAPE_CAPSULE:
        c.half.z = shape->half_length;
        c.ball = r;
        break;
    case BR_SHAPE_CYLINDER:
        c.half.z = shape->half_length;
        c.semi = bri_vec(r, r, 0);
        break;
    case BR_SHAPE_DISC: c.semi = bri_vec(r, r, 0); break;
    case BR_SHAPE_ELLIPSOID: c.semi = shape->half; break;
    default: break;
    }
    return c;
}

static double choose_side(double half, double m) { return m >= 0 ? half : -half; }

BrVec3 bri_convex_support(const BriConvex *c, BrVec3 n) {
    BrVec3 m = bri_mul_t(&c->axes, n), a = c->semi;
    BrVec3 p = bri_vec(choose_side(c->half.x, m.x), choose_side(c->half.y, m.y), choose_side(c->half.z, m.z));
    BrVec3 y = bri_vec(a.x * m.x, a.y * m.y, a.z * m.z);
    double s = bri_norm(y);
    if (s > 0) p = bri_add(p, bri_vec(a.x * y.x / s, a.y * y.y / s, a.z * y.z / s));
    return bri_mul(&c->axes, p);
}

double bri_convex_height(const BriConvex *c, BrVec3 n) {
    BrVec3 m = bri_mul_t(&c->axes, n), a = c->semi;
    return c->half.x * bri_abs(m.x) + c->half.y * bri_abs(m.y) + c->half.z * bri_abs(m.z) +
           bri_norm(bri_vec(a.x * m.x, a.y * m.y, a.z * m.z));
}

BrVec3 bri_convex_offset(const BriConvex *a, const BriConvex *b) {
    BrVec3 c = bri_sub(b->centre, a->centre);
    return bri_norm(c) < BRI_SPECK ? bri_vec(0, 0, 0) : c;
}

double bri_convex_size(const BriConvex *c) {
    return bri_norm(c->half) + bri_max(c->semi.x, bri_max(c->semi.y, c->semi.z));
}

double bri_convex_curvature(const BriConvex *c, BrVec3 n, BrVec3 x, BrVec3 y) {
    BrVec3 a = c->semi, m = bri_mul_t(&c->axes, n), p = bri_mul_t(&c->axes, x), q = bri_mul_t(&c->axes, y);
    m = bri_vec(a.x * m.x, a.y * m.y, a.z * m.z);
    p = bri_vec(a.x * p.x, a.y * p.y, a.z * p.z);
    q = bri_vec(a.x * q.x, a.y * q.y, a.z * q.z);
    double s = bri_norm(m);
    if (!(s > 0)) return 0;
    m = bri_scale(1 / s, m);
    /* projected first: the difference of products would cancel */
    return bri_dot(bri_add_scaled(p, -bri_dot(p, m), m), bri_add_scaled(q, -bri_dot(q, m), m)) / s;
}
