/* broad.h: which pairs of boxes overlap, without asking all. Scratch: it may change speed, never the answer, which is
 * sorted. */
#ifndef BRI_BROAD_H
#define BRI_BROAD_H

#include "geom/shape.h"

typedef struct BriPair {
    int a, b; /* a < b */
} BriPair;

typedef struct BriBroad BriBroad;

/* From here on two boxes that are both idle are no pair, and whole parts of the tree that are idle are not compared with
 * each other. idle: per box; the caller's, who may change it between calls; NULL: none is. */
void bri_broad_set_idle(BriBroad *broad, const unsigned char *idle);

/* For `count` boxes, with room for `pairs` pairs at first. */
BrStatus bri_broad_create(int count, int pairs, const BrAllocator *allocator, BriBroad **broad, BrError *error);
void bri_broad_release(BriBroad *broad, const BrAllocator *allocator);

/* Room for `pairs` pairs. false: no memory, and all is as it was. Pairs found before are gone. */
bool bri_broad_make_room(BriBroad *broad, const BrAllocator *allocator, int pairs);

/* All pairs of overlapping boxes that `wants` (NULL: all), sorted by a, then b. Boxes may reach to infinity. Returns
 * their number; *pair points into the broad phase and holds until the next call. If there are more than there is room
 * for, the number needed is returned and *pair is NULL. Allocates nothing. */
int bri_broad_find(BriBroad *broad, const BriBounds *bounds, bool (*wants)(const void *user, int a, int b),
                   const void *user, const BriPair **pair);

#endif
