/* crowd.h: islands of more contacts than all combinations can be looked at of: proofs that take a cube of the contacts;
 * answers that are found from several beginnings, not all. */
#ifndef BRI_CROWD_H
#define BRI_CROWD_H

#include "base/budget.h"
#include "modes/alone.h"
#include "modes/boundary_layer.h"
#include "modes/definite.h"

enum { BRI_CROWD_ANSWERS = 4, BRI_CROWD_BEGINNINGS = 8 };

/* p and u in the units of the problem. */
typedef struct BriCrowdAnswer {
    BriMode *mode;
    double (*drag)[2], *p, *u;
    bool shared; /* its closed contacts depend on each other: how they share the load is not told */
} BriCrowdAnswer;

typedef struct BriCrowd {
    BriModeArrays modes;
    BriBudget *budget; /* of all that is done; NULL: no end */
    int answers;       /* different accelerations that were found, BRI_CROWD_ANSWERS at most */
    BriCrowdAnswer answer[BRI_CROWD_ANSWERS];
    double *scratch;
} BriCrowd;

/* Doubles for one of so many contacts, in which it is placed. */
size_t bri_crowd_size(int contacts);
BriCrowd bri_crowd_place(double *memory, int contacts, BriBudget *budget);
/* Of few contacts, prepared: the crowd is then. */
void bri_crowd_take(BriCrowd *crowd, const BriModes *few);

/* The rest is of a crowd that is scaled (bri_modes_scale()). Does it lie flat (12.8)? Then it has one answer, which is added. */
bool bri_crowd_lies_flat(BriCrowd *crowd);
/* One acceleration for every b (12.7)? */
BriDefinite bri_crowd_is_definite(BriCrowd *crowd);
/* Adds the answers that solvers find: from nothing, from forces that are as large as what pulls, from random ones. `all`: else
 * the first is enough. Returns from how many beginnings; others may be there. */
int bri_crowd_search(BriCrowd *crowd, bool all);

/* Is an answer that was found the only one under this load (alone.h)? */
bool bri_crowd_is_alone(BriCrowd *crowd, int answer);

/* `give` per contact. */
BriLayer bri_crowd_layer(const BriCrowd *crowd, int answer, const BriGive *give);

#endif
