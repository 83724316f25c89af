/* overlap.h: did a step drive bodies into each other, or through? */
#ifndef BRI_OVERLAP_H
#define BRI_OVERLAP_H

#include "step/schemes.h"

/* The deepest overlaps at the end of a step, as a part of the smaller body's extent (or of twice its width, if that is
 * less); 0: none above BRI_THROUGH. */
typedef struct BriOverlap {
    double made; /* less at the step's start, and at a place that no condition may have known: shorter steps help */
    double left; /* not on its way out, whoever made it */
} BriOverlap;

BriOverlap bri_find_overlap(const BriStep *step, const BriBodyState *bodies);

/* From poses and a time on, with constant velocities (moved bodies: by their motion) over h. */
typedef struct BriWay {
    const BriBodyState *from, *with;
    double time, h; /* s */
} BriWay;

/* When on its way a pair that flies farther than it is thick first overlaps; h: none does. pass.c */
double bri_find_pass(BriStep *step, const BriWay *way);

#endif
