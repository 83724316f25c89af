/* profile.h: a smooth curve in a plane through given points: cubic splines over the chords' lengths, twice differentiable.
 * Its left side, on the way from the first point to the last, is free, its right side solid. */
#ifndef BRI_PROFILE_H
#define BRI_PROFILE_H

#include "base/base.h"

typedef struct BriProfile BriProfile;

/* One place on the curve. */
typedef struct BriProfilePoint {
    double x, y;     /* m */
    double tx, ty;   /* unit tangent; the normal out of the solid is (-ty, tx) */
    double bend;     /* 1/m: how fast that normal turns along the tangent; positive where the solid is convex */
    double distance; /* m, of the point asked for: positive outside the solid */
} BriProfilePoint;

/* Through `count` points x0 y0 x1 y1 ..., which are copied. Closed: round a solid, whichever way they go; else from the first
 * to the last, an end at x = 0 leaving square to that axis. NULL: no memory. */
BriProfile *bri_profile_make(const double *points, int count, bool closed, const BrAllocator *allocator);
void bri_profile_release(BriProfile *profile, const BrAllocator *allocator);

/* Its pieces, and of one of them the place at a part 0 to 1 of its way: coordinates (m), and their change per part. */
int bri_profile_pieces(const BriProfile *profile);
void bri_profile_place(const BriProfile *profile, int piece, double part, double at[2], double way[2]);

/* Farthest point from the origin, m. */
double bri_profile_extent(const BriProfile *profile);

/* The nearest place. false: it is an end of an open curve, beyond which there is nothing. */
bool bri_profile_nearest(const BriProfile *profile, double x, double y, BriProfilePoint *at);

#endif
