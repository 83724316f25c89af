/* told.h: an island in the making of what is told of it. */
#ifndef BRI_TOLD_H
#define BRI_TOLD_H

#include "bristle/diagnose.h"
#include "step/instant.h"

typedef struct BriTold {
    BriInstant island;
    BriModeArrays modes; /* of the island, or of its crowd */
    bool proof_is_enough;
    bool at_most;  /* what was proved does not say that there is an answer */
    bool complete; /* there are no other answers than those that were found */
    bool endless;
    int beginnings; /* of a crowd: how many its answers were looked for from; */
    bool stopped;   /* and the work that it may take ended first */
    BrDiagnosis told;
} BriTold;

/* A limit of a joint, its dry friction or a motor stands among the contacts: its bound; NULL: it is a contact. */
static inline const BriBoundRow *bri_told_bound(const BriTold *t, int k) {
    int item = t->island.contact[k];
    return item < 0 ? &t->island.at->ws->contacts->bound[-1 - item] : NULL;
}

static inline const BriContact *bri_told_contact(const BriTold *t, int k) {
    return &t->island.at->ws->contacts->contact[bri_item_contact(t->island.contact[k])];
}

/* A tangential force or acceleration of a contact, along its rows n, t1, t2 (shown.c). */
BrVec3 bri_modes_to_world(const BriModeContact *contact, const double *rows);
/* An answer as users see it, which is counted; `seen` has room for its contacts. */
BrAnswer bri_show_answer(BriTold *told, const BriAnswerView *answer, const BriLayer *layer, bool shared,
                         BrAnswerContact *seen);

/* The sentence of a verdict (words.c); or that it could not be found, and why. */
void bri_say_verdict(BriTold *told);
void bri_say_obstacle(BriTold *told, int body, const char *why);

#endif
