/* patch.h: gathers the places where two shapes touch, and keeps the best four. The files pair_*.c fill it. */
#ifndef BRI_PATCH_H
#define BRI_PATCH_H

#include "collide/pair.h"

enum { BRI_PATCH_MOST = 32 }; /* before the choice */

/* Farther out than this, squares of distances leave the numbers, m: nothing touches there. */
#define BRI_FARTHEST 1e150

typedef struct BriPatch {
    double reach; /* m */
    int count;
    BriTouch touch[BRI_PATCH_MOST];
} BriPatch;

/* Adds a place unless it is out of reach. point_a and gap follow from the rest: point_a = point_b - gap normal. */
static inline void bri_patch_add(BriPatch *patch, BrVec3 point_b, BrVec3 normal, double gap, uint32_t feature) {
    if (!(gap <= patch->reach) || patch->count == BRI_PATCH_MOST) return;
    patch->touch[patch->count++] = (BriTouch){bri_add_scaled(point_b, -gap, normal), point_b, normal, gap, feature};
}

/* The same place with a and b exchanged. */
static inline void bri_touch_mirror(BriTouch *touch) {
    BrVec3 swap = touch->point_a;
    touch->point_a = touch->point_b;
    touch->point_b = swap;
    touch->normal = bri_neg(touch->normal);
}

/* Is there a place already whose point_b is nearer than `distance` to p? */
bool bri_patch_has(const BriPatch *patch, BrVec3 p, double distance);

/* Of those not farther than the four nearest: the deepest; the farthest from it; the largest triangle; the most area
 * beyond that. A later feature must be better by a hair to win, so that rounding does not choose. Sorted by feature. */
int bri_patch_choose(BriPatch *patch, BriTouch touch[BRI_PATCH]);

/* Is a the one that comes first in its pair? Planes, tubes and walls do; constant in time, so that features are. */
bool bri_pair_is_in_order(const BriShape *a, const BriShape *b);

/* b against a plane or a tube at a. */
void bri_collide_plane(const BriFrame *plane, const BriShape *b, const BriFrame *frame_b, BriPatch *patch);
void bri_collide_tube(const BriShape *tube, const BriFrame *frame, const BriShape *b, const BriFrame *frame_b,
                      BriPatch *patch);
void bri_collide_convex(const BriShape *a, const BriFrame *frame_a, const BriShape *b, const BriFrame *frame_b,
                        BriPatch *patch);

/* Points that carry the same number against planes, tubes and faces.
 *     box        vertices 0..7: bits 0, 1, 2 set where x, y, z are positive
 *     capsule    0 the end at -z, 1 at +z
 *     cylinder   end at -z: rim points at azimuth 0, 90, 180, 270 degrees 0..3, moving rim point 4; end at +z: 8..11, 5
 *     disc       as the cylinder's end at -z */
enum { BRI_RIM_LOW = 4, BRI_RIM_HIGH = 5, BRI_RIM_TOP = 8 };

/* The point of a rim that is lowest, or farthest out, and travels round it (in tubes an end may have two: n, n + 1). */
static inline bool bri_is_moving_rim_point(uint32_t number) { return (number & ~(uint32_t)BRI_RIM_TOP) >= BRI_RIM_LOW; }

/* Features of two convex shapes: which kind of place, and the numbers of point, edge or face that make it. */
typedef enum BriFeatureKind {
    BRI_FEATURE_NEAREST, /* nothing but the nearest points */
    BRI_FEATURE_OVER_A,  /* a point of b over a face of a: face, point */
    BRI_FEATURE_OVER_B,
    BRI_FEATURE_CROSS,    /* edges of a and b: edge, edge */
    BRI_FEATURE_BESIDE_A, /* a point of b beside an edge of a: edge, point */
    BRI_FEATURE_BESIDE_B,
    BRI_FEATURE_RIM_EDGE, /* a rim and an edge: edge, first or second time */
    BRI_FEATURE_RIM_RIM
} BriFeatureKind;

typedef struct BriFeature {
    BriFeatureKind kind;
    uint32_t first, second; /* first below 256, second below 16 */
} BriFeature;

static inline uint32_t bri_feature_make(BriFeatureKind kind, uint32_t first, uint32_t second) {
    return (uint32_t)kind << 12 | first << 4 | second;
}
static inline BriFeature bri_feature_read(uint32_t feature) {
    return (BriFeature){(BriFeatureKind)(feature >> 12), feature >> 4 & 255, feature & 15};
}

/* Sine of the tilt below which a round end lies flat and touches with four points of its rim. */
#define BRI_FLAT 1e-4

/* From this sine on a disc touches a plane with the lowest point of its rim alone. */
#define BRI_LEANING 0.2

/* Sine below which two edges are parallel: no crossing to be found. */
#define BRI_PARALLEL 1e-4

BrVec3 bri_box_vertex(const BriShape *box, const BriFrame *frame, uint32_t vertex);
/* A point of the rim at azimuth 90 degrees x quarter, at height z along the axis. */
BrVec3 bri_rim_point(const BriShape *round, const BriFrame *frame, double z, uint32_t quarter);
BrVec3 bri_axis_point(const BriFrame *frame, double z);
/* The point of the rim at height z that is lowest along n; returns the sine of its tilt: below BRI_FLAT it means nothing. */
double bri_rim_lowest(const BriShape *round, const BriFrame *frame, BrVec3 n, double z, BrVec3 *lowest);

#endif
