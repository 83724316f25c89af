/* nearest.h: the signed gap of two convex shapes, its normal and its points: to rounding in general position. Where a
 * cylinder's or disc's end is within 1e-6 rad of lying flat, or an edge of being parallel, but is not, the gap was seen
 * to be off by up to 3e-9 of the size (two discs: 1e-8). */
#ifndef BRI_NEAREST_H
#define BRI_NEAREST_H

#include "geom/convex.h"

typedef struct BriNearest {
    BrVec3 normal;           /* unit, from a to b */
    double gap;              /* m, normal . (point_b - point_a); negative: depth of the shallowest way out */
    BrVec3 point_a, point_b; /* m, world, on the surfaces */
} BriNearest;

/* False, and nothing written, if the shapes are farther apart than `far` (m). Swapping a and b mirrors the answer. */
bool bri_nearest(const BriConvex *a, const BriConvex *b, double far, BriNearest *nearest);

/* The same, but two boxes over each other's faces or edges get their gap and normal alone, by a closed form: who looks for
 * all places where they touch has the points from there. */
bool bri_nearest_normal(const BriConvex *a, const BriConvex *b, double far, BriNearest *nearest, bool *has_points);

/* The same as bri_nearest, without closed forms: what they are measured by. */
bool bri_nearest_search(const BriConvex *a, const BriConvex *b, double far, BriNearest *nearest);

#endif
