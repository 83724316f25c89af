/* uniqueness.h: is there one answer for every load? Cheap tests that are enough, and how much more friction it takes to
 * fail them. */
#ifndef BRI_UNIQUENESS_H
#define BRI_UNIQUENESS_H

#include "modes/contact_modes.h"

/* What shows that there is one acceleration; but for REST, whatever b. */
typedef enum BriProof {
    BRI_PROOF_NONE,
    BRI_PROOF_ONE,    /* one contact: W_NN > mu |W_NT| as its case needs it (12.5) */
    BRI_PROOF_MINORS, /* contacts that slip: all principal minors of the LCP's matrix are positive (12.6) */
    BRI_PROOF_ENERGY, /* the energy of the difference of two answers would be negative (12.7) */
    BRI_PROOF_REST,   /* without any friction nothing would slide (12.8): under this load */
    BRI_PROOF_AT_MOST /* the energy, of contacts that depend on each other: one acceleration, if there is any */
} BriProof;

/* `modes` is prepared. */
BriProof bri_prove_unique(const BriModes *modes);

/* Up to this factor of all coefficients of friction, no slide in any direction that is asked here makes a contact press
 * itself (12.9); of one contact the coefficient itself. Infinite: no friction does; NaN: not told. */
double bri_find_painleve(const BriModes *modes);

#endif
