/* shape.c: see shape.h. Convex shapes answer through their common form, convex.h; planes and tubes by hand. */
#include "geom/shape.h"

#include "geom/convex.h"
#include "geom/profile.h"
#include "geom/wall.h"

static const BriFrame ORIGIN = {{0, 0, 0}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

#define RADIUS(help)                                                                                                   \
    { BR_SHAPE_RADIUS, "radius", "m", help }
#define LENGTH(help)                                                                                                   \
    { BR_SHAPE_LENGTH, "length", "m", help }

#define RING                                                                                                           \
    { BR_SHAPE_RING_RADIUS, "ring_radius", "m", "from the axis to the middle of the tube" }

static const BrShapeInfo SHAPES[BR_SHAPE_KINDS] = {
    [BR_SHAPE_POINT] = {"point", "a point: touches surfaces, not other points", NULL, true, 0, {{0}}},
    [BR_SHAPE_SPHERE] = {"sphere", "a ball", NULL, true, 1, {RADIUS("its radius")}},
    [BR_SHAPE_PLANE] = {"plane", "a half space: all that lies behind an endless plane", "normal", false, 0, {{0}}},
    [BR_SHAPE_BOX] = {"box", "a cuboid", NULL, true, 1, {{BR_SHAPE_SIZE, "size", "m", "edge lengths along x, y, z"}}},
    [BR_SHAPE_CAPSULE] = {"capsule",
                          "a cylinder with round caps: all that is near a segment",
                          "axis",
                          true,
                          2,
                          {RADIUS("of the caps and the cylinder"), LENGTH("between the centres of the caps")}},
    [BR_SHAPE_CYLINDER] =
        {"cylinder", "a solid cylinder with flat ends", "axis", true, 2, {RADIUS("of the ends"), LENGTH("end to end")}},
    [BR_SHAPE_DISC] = {"disc", "a flat disc without thickness: rim and faces", "axis", true, 1, {RADIUS("of the rim")}},
    [BR_SHAPE_ELLIPSOID] = {"ellipsoid",
                            "an ellipsoid",
                            NULL,
                            true,
                            1,
                            {{BR_SHAPE_SEMI_AXES, "semi_axes", "m", "half widths along x, y, z"}}},
    [BR_SHAPE_TUBE] = {"tube",
                       "the inner wall of a pipe: bodies touch it from inside",
                       "axis",
                       false,
                       2,
                       {RADIUS("of the bore"), LENGTH("end to end; nothing touches beyond")}},
    [BR_SHAPE_BOWL] = {"bowl",
                       "the inside of an ellipsoid: bodies touch it from inside",
                       NULL,
                       false,
                       1,
                       {{BR_SHAPE_SEMI_AXES, "semi_axes", "m", "half widths along x, y, z"}}},
    [BR_SHAPE_TORUS] = {"torus", "a ring about its axis", "axis", false, 2, {RING, RADIUS("of its tube")}},
    [BR_SHAPE_GROOVE] = {"groove",
                         "the inside of a ring: a race for balls, which touch it from inside",
                         "axis",
                         false,
                         2,
                         {RING, RADIUS("of the groove")}},
    [BR_SHAPE_QUADRIC] = {"quadric",
                          "a surface of second order; what is below 0 is solid",
                          NULL,
                          false,
                          1,
                          {{BR_SHAPE_COEFFICIENTS, "coefficients", "",
                            "of x^2, y^2, z^2, x y, x z, y z, x, y, z, 1; lengths in m"}}},
    [BR_SHAPE_EXTRUSION] = {"extrusion",
                            "a smooth closed profile along its axis: a cam; its ends touch nothing",
                            "axis",
                            false,
                            2,
                            {{BR_SHAPE_POINTS, "points", "m", "[[x, y], ...], once round, joined by cubic splines"},
                             LENGTH("end to end; nothing touches beyond")}},
    [BR_SHAPE_REVOLUTION] = {"revolution",
                             "a smooth profile turned about its axis: a dish, a cone, a crowned roller",
                             "axis",
                             false,
                             1,
                             {{BR_SHAPE_POINTS, "points", "m",
                               "[[r, z], ...] from end to end, the solid to the right, joined by cubic splines"}}},
    [BR_SHAPE_FUNCTION] = {"function", "a surface of one's own, given in C (BrSurfaceFunction)", NULL, false, 0, {{0}}},
};

const BrShapeInfo *br_shape_info(BrShapeKind kind) {
    return (int)kind >= 0 && kind < BR_SHAPE_KINDS ? &SHAPES[kind] : NULL;
}

const char *bri_shape_article(const BrShapeInfo *info) { return info->name[0] == 'e' ? "an" : "a"; }

/* What lies at p - low_reach n and beyond, up to p + high_reach n, along one world axis; n is that axis's component of
 * a unit vector. Bounded only when the vector is the axis itself. */
static void bound_slab(double p, double n, double low_reach, double high_reach, double *low, double *high) {
    bool along = bri_abs(n) == 1;
    double below = n > 0 ? low_reach : high_reach, above = n > 0 ? high_reach : low_reach;
    *low = along ? p - below : -__builtin_inf();
    *high = along ? p + above : __builtin_inf();
}

static BriBounds bound_endless(const BriFrame *frame, double low_reach, double high_reach) {
    BrVec3 p = frame->position, n = bri_column(&frame->axes, 2);
    BriBounds bounds;
    bound_slab(p.x, n.x, low_reach, high_reach, &bounds.low.x, &bounds.high.x);
    bound_slab(p.y, n.y, low_reach, high_reach, &bounds.low.y, &bounds.high.y);
    bound_slab(p.z, n.z, low_reach, high_reach, &bounds.low.z, &bounds.high.z);
    return bounds;
}

/* h(e_i) with the ball: exact for all convex shapes. */
static double half_width(const BriConvex *c, int i) {
    const double *m = c->axes.m[i];
    BrVec3 round = bri_vec(c->semi.x * m[0], c->semi.y * m[1], c->semi.z * m[2]);
    return c->half.x * bri_abs(m[0]) + c->half.y * bri_abs(m[1]) + c->half.z * bri_abs(m[2]) + bri_norm(round) +
           c->ball;
}

/* Solid walls with an end have a box; hollow ones are everywhere, as far as others are concerned. */
static BriBounds bound_wall(const BriShape *wall, const BriFrame *frame) {
    bool solid = wall->kind == BR_SHAPE_TORUS || wall->kind == BR_SHAPE_EXTRUSION;
    double reach = solid ? bri_shape_extent(wall) : __builtin_inf();
    BrVec3 all = bri_vec(reach, reach, reach);
    return (BriBounds){bri_sub(frame->position, all), bri_add(frame->position, all)};
}

BriBounds bri_shape_bounds(const BriShape *shape, const BriFrame *frame) {
    if (shape->kind == BR_SHAPE_PLANE) return bound_endless(frame, __builtin_inf(), 0);
    if (shape->kind == BR_SHAPE_TUBE) return bound_endless(frame, shape->half_length, shape->half_length);
    if (bri_is_wall(shape->kind)) return bound_wall(shape, frame);
    BriConvex c = bri_convex_make(shape, frame);
    BrVec3 width = bri_vec(half_width(&c, 0), half_width(&c, 1), half_width(&c, 2));
    return (BriBounds){bri_sub(c.centre, width), bri_add(c.centre, width)};
}

BrVec3 bri_shape_support(const BriShape *shape, BrVec3 direction) {
    BriConvex c = bri_convex_make(shape, &ORIGIN);
    BrVec3 p = bri_convex_support(&c, direction);
    double length = bri_norm(direction);
    return length > 0 ? bri_add_scaled(p, c.ball / length, direction) : p;
}

double bri_shape_extent(const BriShape *shape) {
    double r = shape->radius, l = shape->half_length;
    BrVec3 a = shape->half;
    switch (shape->kind) {
    case BR_SHAPE_POINT: return 0;
    case BR_SHAPE_SPHERE:
    case BR_SHAPE_DISC: return r;
    case BR_SHAPE_BOX: return bri_norm(a);
    case BR_SHAPE_CAPSULE: return r + l;
    case BR_SHAPE_TORUS:
    case BR_SHAPE_GROOVE: return shape->ring + r;
    case BR_SHAPE_EXTRUSION: return bri_norm(bri_vec(bri_profile_extent(shape->profile), l, 0));
    case BR_SHAPE_REVOLUTION: return bri_profile_extent(shape->profile);
    case BR_SHAPE_BOWL:
    case BR_SHAPE_ELLIPSOID: return bri_max(a.x, bri_max(a.y, a.z));
    case BR_SHAPE_CYLINDER:
    case BR_SHAPE_TUBE: return bri_sqrt(r * r + l * l); /* of the tube: its wall */
    default: return __builtin_inf();
    }
}

/* Curvature of the surface, 1/m, in one direction and across; false: it has no single one. */
static bool find_curvatures(const BriShape *s, double *one, double *other) {
    *one = *other = 0;
    switch (s->kind) {
    case BR_SHAPE_PLANE:
    case BR_SHAPE_BOX: return true;
    case BR_SHAPE_SPHERE:
    case BR_SHAPE_CAPSULE: *one = *other = 1 / s->radius; return true;
    case BR_SHAPE_TUBE: *one = -1 / s->radius; return true;
    default: return false;
    }
}

double bri_shapes_radius(const BriShape *a, const BriShape *b) {
    double a1, a2, b1, b2;
    if (!find_curvatures(a, &a1, &a2) || !find_curvatures(b, &b1, &b2)) return 0;
    double product = (a1 + b1) * (a2 + b2); /* the geometric mean of both directions' radii */
    return product > 0 ? 1 / bri_sqrt(product) : 0;
}

double bri_shape_half_width(const BriShape *s) {
    switch (s->kind) {
    case BR_SHAPE_BOX:
    case BR_SHAPE_ELLIPSOID: return bri_min(s->half.x, bri_min(s->half.y, s->half.z));
    case BR_SHAPE_CYLINDER: return bri_min(s->radius, s->half_length);
    case BR_SHAPE_SPHERE:
    case BR_SHAPE_TORUS:
    case BR_SHAPE_CAPSULE: return s->radius;
    case BR_SHAPE_POINT:
    case BR_SHAPE_DISC: return 0;
    default: return __builtin_inf();
    }
}
