/* unfold.h: a machine unfolded from the ground: where bodies are when joints stand at given coordinates, and how they move when
 * these have given rates. Of what closes no loop that is all there is to it. */
#ifndef BRI_UNFOLD_H
#define BRI_UNFOLD_H

#include "dynamics/joint.h"

typedef struct BriUnfolding {
    int *order;   /* all bodies, each after the one it hangs on */
    int *hangs;   /* body -> joint it hangs on, or -1: the ground, and the first body of what floats */
    int *root;    /* body -> a body that stands for all that joints connect it to; all that cannot move are one */
    bool *bridge; /* joint -> nothing else connects what hangs on it: it is part of no loop */
    void *memory;
} BriUnfolding;

/* Joints whose start or rate is given come first, so that as few of them as can be close loops. false: no memory. */
bool bri_unfold_make(const BrModel *model, BriUnfolding *unfolding);
void bri_unfold_release(const BrModel *model, BriUnfolding *unfolding);

/* Is a body at exactly this pose? */
static inline bool bri_stands_at(const BriBodyState *body, BrVec3 r, const BrMat3 *A) {
    bool same = body->r.x == r.x && body->r.y == r.y && body->r.z == r.z;
    for (int i = 0; i < 9; i++) same = same && body->A.m[i / 3][i % 3] == A->m[i / 3][i % 3];
    return same;
}

static inline bool bri_is_given(double number) { return number == number; } /* of starts: else NaN */

/* Bodies in the trees of started bodies (`begun`, by roots) follow the bodies that they hang on: over bridges as they stand to
 * them in `zero`, moved on by the joint's start, in loops as they stand to them in `bodies`, which is what changes. */
void bri_unfold_poses(const BrModel *model, const BriUnfolding *unfolding, const bool *begun, const BriBodyState *zero,
                      BriBodyState *bodies, BriBodyState *scratch);
/* The same of velocities: over bridges at rest to each other but for the joint's start_rate, in loops as they move in `bodies`;
 * `loops_too`: in loops as over bridges. */
void bri_unfold_rates(const BrModel *model, const BriUnfolding *unfolding, const bool *begun, bool loops_too,
                      BriBodyState *bodies, BriBodyState *scratch);

#endif
