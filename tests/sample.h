/* sample.h: one machine with a bit of everything (a loop, every joint type, springs, motors, motions, forces), made in
 * numbered steps, so that a test can fail any of them, repeat it, and compare the bits. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "bristle/bristle.h"

enum { SAMPLE_BODIES = 14, SAMPLE_JOINTS = 14 };

typedef struct Sample {
    BrAllocator allocator;
    BrModel *model;
    BrState *state;
    BrWorkspace *workspace;
    BrBodyId body[SAMPLE_BODIES];
    BrJointId joint[SAMPLE_JOINTS];
} Sample;

/* Steps 0 .. sample_steps() - 1, in order: create, each addition, build, state, workspace, assembly. */
int sample_steps(void);
BrStatus sample_do(Sample *sample, int step, BrError *error);

/* All steps. BR_OK, or the first refusal. */
BrStatus sample_make(Sample *sample, BrAllocator allocator, BrError *error);
/* Only its loop of four bars with a spring and a motor: cheap enough for many steps. */
BrStatus sample_make_loop(Sample *sample, BrAllocator allocator, BrError *error);
/* Also after steps that were refused or not done. */
void sample_release(Sample *sample);

/* `count` steps of 1 ms. The first status that is negative, or BR_OK. */
BrStatus sample_run(const Sample *sample, BrState *state, BrWorkspace *workspace, BrScheme scheme, int count);

#endif
