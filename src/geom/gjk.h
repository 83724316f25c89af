/* gjk.h: how far two convex cores are apart (GJK), and along which direction they overlap least (EPA).
 *
 * Both look at the difference D = { a - b } only through its support points. With n a unit vector from a to b and
 * h(n) = max over D of n.w, the signed gap is  max over n of -h(n):  the distance when D leaves the origin out, minus
 * the depth when it does not. Gilbert, Johnson & Keerthi 1988; van den Bergen 2001. Where we differ: all faces of the
 * simplex are tried at each step (no case tree, so degenerate simplices need no care), and EPA orders its faces by
 * signed distance, so that it also serves shapes that only just touch or just do not. */
#ifndef BRI_GJK_H
#define BRI_GJK_H

#include "geom/convex.h"

typedef struct BriGjk {
    double distance;         /* m, between the cores; 0: they overlap */
    BrVec3 normal;           /* unit, from a to b; zero when they overlap */
    BrVec3 point_a, point_b; /* nearest points of the cores */
    bool far;                /* farther apart than asked for: nothing else is exact */
    int iterations;
} BriGjk;

/* Stops early once it is known that the distance is larger than `far`. The distance is from above: 1e-14 of it too large,
 * or 1e-6 with an ellipsoid. */
BriGjk bri_gjk(const BriConvex *a, const BriConvex *b, double far);

/* The unit n that (nearly) maximises -h(n), for cores that overlap or nearly touch. Error of h below 1e-3 of their size
 * for round shapes, rounding for boxes and segments. Points and parallel or crossing segments have a D without volume:
 * the answer is then a direction square to it. */
BrVec3 bri_epa(const BriConvex *a, const BriConvex *b);

#endif
