/* pair.h: where two shapes touch, or would soon. Pure geometry: no bodies, no memory. */
#ifndef BRI_PAIR_H
#define BRI_PAIR_H

#include "geom/shape.h"

enum { BRI_PATCH = 4 }; /* most points of one pair of shapes */

/* The nearest points of two surfaces at one place. */
typedef struct BriTouch {
    BrVec3 point_a, point_b; /* m, world, on the surfaces of a and b */
    BrVec3 normal;           /* unit, world, from a to b: pushes b away from a */
    double gap;              /* m, normal . (point_b - point_a); negative: they overlap */
    uint32_t feature;        /* below 2^16; the same number for the same place from step to step */
} BriTouch;

/* Can two shapes meet at one place only, at a time? Then a step that knows it knows all. */
bool bri_pair_has_one_place(const BriShape *a, const BriShape *b);

/* All places nearer than `reach` (m, >= 0), at most BRI_PATCH well-chosen ones: the deepest, then those that span the
 * largest area. Sorted by feature. Returns their number. Overlaps of any depth, coincident centres and shapes of zero
 * size give a bounded answer: a unit normal and a finite gap. A frame that is not finite, or farther out than 1e150 m,
 * touches nothing. Allocates nothing. */
int bri_collide(const BriShape *a, const BriFrame *frame_a, const BriShape *b, const BriFrame *frame_b, double reach,
                BriTouch touch[BRI_PATCH]);

/* A place that bri_collide() found, at another pose of its shapes: without a search, where it is a corner over a face or
 * two edges that cross. A corner that has left its face stays over the face's plane. false: it has to be searched for,
 * and `touch` is as it was. */
bool bri_touch_follow(const BriShape *a, const BriFrame *frame_a, const BriShape *b, const BriFrame *frame_b,
                      BriTouch *touch);

/* Operations of one call, on the average; the worst take several times as many. */
double bri_collide_work(const BriShape *a, const BriShape *b);

#endif
