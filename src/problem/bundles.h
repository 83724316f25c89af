/* bundles.h: the blocks of a large network in bundles, of which many may be asked at once.
 *
 * Its nodes are in 2^levels parts, halves of halves. Blocks within a part share no node with those within another: a
 * bundle for each part, and a stage. Blocks between the two parts that one cut made share no node with those across
 * another cut of the same level: a bundle for each of these cuts, and a stage for each level, from the last cuts to the
 * first. Joints, which come last in a network, are one more bundle and stage. */
#ifndef BRI_BUNDLES_H
#define BRI_BUNDLES_H

#include "base/threads.h"

enum { BRI_MOST_LEVELS = 5, BRI_MOST_BUNDLES = 2 << BRI_MOST_LEVELS };

typedef struct BriBundles {
    int levels, stages;
    BriStage stage[BRI_MOST_LEVELS + 2];
    int begin[BRI_MOST_BUNDLES + 1]; /* per bundle its first block; then their number */
} BriBundles;

/* The first bundle of a stage; of joints: how many there are without them. */
static inline int bri_first_bundle(int levels, int stage) { return (2 << levels) - (2 << levels >> stage); }

/* The bundle of blocks between parts a and b. */
static inline int bri_find_bundle(int levels, int a, int b) {
    int stage = 0;
    for (; a != b; stage++) a >>= 1, b >>= 1;
    return bri_first_bundle(levels, stage) + a;
}

static inline void bri_bundles_set_stages(BriBundles *b, int levels) {
    int joints = bri_first_bundle(levels, levels + 1);
    b->levels = levels;
    b->stages = levels + 2;
    for (int i = 0; i <= levels; i++)
        b->stage[i] = (BriStage){bri_first_bundle(levels, i), bri_first_bundle(levels, i + 1)};
    b->stage[levels + 1] = (BriStage){joints, joints + 1};
}

/* All blocks are there, joints behind the others. */
static inline void bri_bundles_close(BriBundles *b, int blocks) { b->begin[b->stage[b->stages - 1].end] = blocks; }

#endif
