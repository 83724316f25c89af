/* convex.h: the one form all our convex shapes share: a Minkowski sum of a centre, a box, an ellipsoid and a ball,
 *
 *     { centre + axes (x + y) + z :  |x_i| <= half_i,  sum (y_i / semi_i)^2 <= 1,  |z| <= ball },
 *
 *     point      nothing
 *     sphere     ball
 *     capsule    box (0, 0, l) + ball
 *     box        box
 *     cylinder   box (0, 0, l) + ellipsoid (r, r, 0)
 *     disc       ellipsoid (r, r, 0)
 *     ellipsoid  ellipsoid
 *
 * Without its ball it is called the core. Its support function has a closed form with derivatives:
 *
 *     h(n) = centre.n + sum half_i |m_i| + sqrt(sum (semi_i m_i)^2) + ball |n|,     m = axes^T n.                 */
#ifndef BRI_CONVEX_H
#define BRI_CONVEX_H

#include "geom/shape.h"

typedef struct BriConvex {
    BrVec3 centre;
    BrMat3 axes;
    BrVec3 half; /* m: box part */
    BrVec3 semi; /* m: ellipsoid part; at most one of three is 0, or all */
    double ball; /* m */
} BriConvex;

/* m: the square of less has lost its digits; centres so near are in one place. */
#define BRI_SPECK 1e-140

/* Not for planes, tubes and walls. */
BriConvex bri_convex_make(const BriShape *shape, const BriFrame *frame);

/* Farthest point of the core along n (any length), from the centre, in world axes. Ties: the positive side wins. */
BrVec3 bri_convex_support(const BriConvex *c, BrVec3 n);

/* h(n) of the core about its centre: even in n. */
double bri_convex_height(const BriConvex *c, BrVec3 n);

/* x.(second derivative of h) y at n of the core's ellipsoid, m: for unit n and tangents x, y its radius of curvature.
 */
double bri_convex_curvature(const BriConvex *c, BrVec3 n, BrVec3 x, BrVec3 y);

/* From a's centre to b's; zero where they are in one place. */
BrVec3 bri_convex_offset(const BriConvex *a, const BriConvex *b);

/* A bound on the core's size, m: 0 for points. */
double bri_convex_size(const BriConvex *c);

#endif
