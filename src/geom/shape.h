/* shape.h: what bodies are made of where they touch: sizes in the shape's own frame, and where that frame is.
 *
 *     point      the origin
 *     sphere     radius about the origin
 *     plane      z <= 0 is solid: the normal is +z, the plane has no end
 *     box        |x| <= half.x, ...
 *     capsule    radius about the segment |z| <= half_length
 *     cylinder   radius about z, |z| <= half_length
 *     disc       the rim circle of `radius` about z, and what it encloses; no thickness
 *     ellipsoid  semi-axes half.x, half.y, half.z
 *     tube       the inside of a cylinder of `radius` about z, |z| <= half_length: solid is what lies further out
 *     others     curved walls, wall.h */
#ifndef BRI_SHAPE_H
#define BRI_SHAPE_H

#include "bristle/shape.h"
#include "math/so3.h"

typedef struct BriShape {
    BrShapeKind kind;
    BrVec3 half;        /* m: box half edges, ellipsoid semi-axes */
    double radius;      /* m */
    double half_length; /* m, along z */
    double ring;        /* m: torus, groove */
    const struct BriProfile *profile;
    const double *quadric; /* ten coefficients */
    BrSurfaceFunction function;
    void *user;
} BriShape;

/* "a" or "an": what stands before its name in messages. */
const char *bri_shape_article(const BrShapeInfo *info);

/* A shape's frame in the world: p_world = position + axes p_shape. */
typedef struct BriFrame {
    BrVec3 position;
    BrMat3 axes;
} BriFrame;

/* Axis-aligned bounds in the world; planes and the outside of tubes reach to infinity where they do. */
typedef struct BriBounds {
    BrVec3 low, high;
} BriBounds;

BriBounds bri_shape_bounds(const BriShape *shape, const BriFrame *frame);

/* Half the smallest width, m; infinite for what has no other side. */
double bri_shape_half_width(const BriShape *shape);

/* The farthest point of a convex shape along `direction` (any length > 0, shape axes). Not for planes, tubes and walls.
 * Deterministic in ties: the positive side wins. */
BrVec3 bri_shape_support(const BriShape *shape, BrVec3 direction);

/* The radius R that two surfaces have together where they touch, m: 1/R = 1/R_a + 1/R_b, flat ones being without end;
 * in a tube the mean of both directions. 0: not one number (edges, rims, ellipsoids). */
double bri_shapes_radius(const BriShape *a, const BriShape *b);

/* Largest distance of a point of the shape (a tube: of its wall) from its origin, m; infinite for planes. */
double bri_shape_extent(const BriShape *shape);

#endif
