/* island.h: what is asked of an island at one instant: how many answers it has, which are stable. */
#ifndef BRI_ISLAND_H
#define BRI_ISLAND_H

#include "modes/crowd.h"
#include "modes/uniqueness.h"
#include "step/gather.h"

typedef struct BriIsland {
    BriStep *at;
    int count;                  /* of closed contacts; */
    const int *contact;         /* their numbers */
    bool accelerated, has_bias; /* what bodies do without contacts, what rows have of velocities, is known */
    BriModes modes;             /* of BRI_MODES contacts at most */
} BriIsland;

/* Contacts and their rows at the state; `free`: accelerations too, which W needs where there are joints. */
BrStatus bri_island_prepare(BriIsland *islands, bool free);
/* W alone, which is all that cheap proofs need; or b too. Prepared. */
void bri_island_gather(BriIsland *island);
BrStatus bri_island_load(BriIsland *island);
/* The same of a crowd for its contacts. */
BrStatus bri_island_fill_crowd(BriIsland *island, BriCrowd *crowd);

/* What contacts give under the forces p of an answer, by their compliant laws; false: some have none, and all give alike. A
 * contact without force as under a thousandth of what others could have. */
bool bri_island_gives(const BriIsland *island, const BriModeArrays *modes, const double *p, BriGive *give);

#endif
