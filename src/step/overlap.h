/* overlap.h: did a step drive bodies into each other, or through? */
#ifndef BRI_OVERLAP_H
#define BRI_OVERLAP_H

#include "step/schemes.h"

/* The deepest overlap at `bodies` that was less at the step's start, as a part of the smaller body's extent; 0 below
 * BRI_THROUGH. Of the pairs that the step thought of. */
double bri_overlap_made(const BriStep *step, const BriBodyState *bodies);

/* From poses and a time on, with constant velocities (moved bodies: by their motion) over h. */
typedef struct BriWay {
    const BriBodyState *from, *with;
    double time, h; /* s */
} BriWay;

/* When on its way a pair that flies farther than it is thick first overlaps; h: none does. pass.c */
double bri_find_pass(BriStep *step, const BriWay *way);

#endif
