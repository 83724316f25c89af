/* instant.h: an island at one instant: how many answers it has, which are stable. */
#ifndef BRI_INSTANT_H
#define BRI_INSTANT_H

#include "modes/alone.h"
#include "modes/crowd.h"
#include "modes/uniqueness.h"
#include "step/gather.h"

typedef struct BriInstant {
    BriStep *at;
    int count;                  /* of closed contacts; */
    const int *contact;         /* items (gather.h) */
    bool accelerated, has_bias; /* what bodies do without contacts, what rows have of velocities, is known */
    BriModes modes;             /* of BRI_MODES contacts at most */
} BriInstant;

/* Contacts and their rows at the state; `free`: accelerations too, which W needs where there are joints. */
BrStatus bri_instant_prepare(BriInstant *islands, bool free);
/* W alone, which is all that cheap proofs need; or b too. Prepared. */
void bri_instant_gather(BriInstant *island);
BrStatus bri_instant_load(BriInstant *island);
/* The same of a crowd for its contacts. */
BrStatus bri_instant_fill_crowd(BriInstant *island, BriCrowd *crowd);

/* What contacts give under the forces p of an answer, by their compliant laws; false: some have none, and all give alike. A
 * contact without force as under a thousandth of what others could have. */
bool bri_instant_gives(const BriInstant *island, const BriModeArrays *modes, const double *p, BriGive *give);

#endif
