/* side.h: what a convex shape turns towards the other one: a face, an edge, or a lone point. */
#ifndef BRI_SIDE_H
#define BRI_SIDE_H

#include "collide/patch.h"

/* What is not said to be there is not filled. */
typedef struct BriSide {
    int count;         /* 4: a face; 2: an edge; 1: a lone point */
    BrVec3 point[4];   /* m, world, in order round the face */
    uint32_t id[4];    /* of the points, below 16 (patch.h) */
    int edges;         /* straight ones, from point i to point i + 1: 4 (two pairs of parallels), 1 or 0 */
    uint32_t edge[4];  /* their numbers, below 16 */
    BrVec3 along[4];   /* their directions, unit; zero where the length is */
    double length[4];  /* m */
    bool flat;         /* a face: */
    BrVec3 normal;     /* unit, outward */
    uint32_t face;     /* below 16 */
    bool round;        /* bounded by a circle instead of its edges */
    BrVec3 centre;     /* of the face */
    double radius;     /* of the circle, m */
    double swell;      /* m: the surface lies this far from the points: all round, */
    bool swells_round; /* or only square to the axis (side of a cylinder) */
    BrVec3 axis;
} BriSide;

/* The side of the shape that looks along n (unit). Boxes always show a face, the one most along n. */
void bri_side_make(const BriShape *shape, const BriFrame *frame, BrVec3 n, BriSide *side);

/* From a point of the side to the surface along n; of what swells only square to its axis. */
BrVec3 bri_side_swell_across(const BriSide *side, BrVec3 n);
static inline BrVec3 bri_side_swell(const BriSide *side, BrVec3 n) {
    if (side->swell == 0) return bri_vec(0, 0, 0);
    return side->swells_round ? bri_scale(side->swell, n) : bri_side_swell_across(side, n);
}

/* Does p, seen along the face's normal, lie in the face (or less than `margin` outside)? */
static inline bool bri_side_holds(const BriSide *side, BrVec3 p, double margin) {
    BrVec3 q = bri_sub(p, side->centre);
    if (side->round)
        return bri_norm(bri_add_scaled(q, -bri_dot(q, side->normal), side->normal)) <= side->radius + margin;
    return bri_abs(bri_dot(q, side->along[0])) <= 0.5 * side->length[0] + margin &&
           bri_abs(bri_dot(q, side->along[1])) <= 0.5 * side->length[1] + margin;
}

#endif
