/* closed.h: gaps of cores that are points, segments or boxes, and of points and cylinders, without iteration.
 *
 * The gap is the largest of -h(n) over unit vectors n (nearest.c). Here D = { a - b } is a sum of segments with few
 * faces, edges and corners, so that the nearest can be found by looking at each. */
#ifndef BRI_CLOSED_H
#define BRI_CLOSED_H

#include "geom/convex.h"

/* Cores nearer than this part of their size have no direction left between them: that of least overlap is theirs. */
#define BRI_TOUCHING 1e-12
/* Sine of the angle of two edges whose crossing has lost its digits. */
#define BRI_CROSSING 1e-6
/* A few units of 2^-53, relative to size. */
#define BRI_ROUNDING 1e-15
/* Cosine to n below which an edge lies in the face that n belongs to: n is exact to rounding where it matters. */
#define BRI_SQUARE 1e-9

typedef struct BriCoreGap {
    BrVec3 normal; /* unit, world, from a to b */
    double gap;    /* m, of the cores: negative when they overlap */
    bool apart;    /* then: */
    BrVec3 point;  /* m, world, from the centre of a: the core's point nearest to b; that of b is gap normal away */
} BriCoreGap;

/* A point or a segment along z against a point, a segment along z or a box. */
bool bri_rod_has_gap(const BriConvex *a, const BriConvex *b);
BriCoreGap bri_rod_gap(const BriConvex *a, const BriConvex *b);

/* A point against a cylinder or a disc. `apart` even in it: a point is its own nearest point. */
bool bri_round_has_gap(const BriConvex *a, const BriConvex *b);
BriCoreGap bri_round_gap(const BriConvex *a, const BriConvex *b);

/* b is a box with a volume; a one too, or, where it overlaps with b, a segment along z or a point. False: farther apart
 * than `far`. `apart` only where a corner is nearest: over faces and crossing edges the points are not asked for. */
bool bri_box_gap(const BriConvex *a, const BriConvex *b, double far, BriCoreGap *gap);

#endif
