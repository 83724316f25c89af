/* rates.h: how the place where two shapes touch moves while both move: the velocities of its points and of its normal.
 * Exact, from the curvatures of the shapes (docs/theory, 7.28), where differences of poses would lose digits, and lose
 * the place altogether where it vanishes on the way. */
#ifndef BRI_RATES_H
#define BRI_RATES_H

#include "collide/pair.h"

/* How a shape moves: velocity v of its body's point at r, and spin w; all world. */
typedef struct BriShapeMotion {
    BrVec3 r, v, w;
} BriShapeMotion;

typedef struct BriTouchRates {
    BrVec3 normal;           /* 1/s: n' */
    BrVec3 point_a, point_b; /* m/s: of the places of touch, which travel over their surfaces */
} BriTouchRates;

/* One shape in a pair: what it is, where, and how it moves. */
typedef struct BriMoving {
    const BriShape *shape;
    const BriFrame *frame;
    BriShapeMotion motion;
} BriMoving;

/* `touch` is one of bri_collide(a, b). Where the place has no rates (two corners that meet in a point) it moves with a.
 */
BriTouchRates bri_touch_rates(const BriMoving *a, const BriMoving *b, const BriTouch *touch);

#endif
