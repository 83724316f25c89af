/* verdict.h: may rigid contact make the next step of the formulation hybrid? */
#ifndef BRI_VERDICT_H
#define BRI_VERDICT_H

#include "step/schemes.h"

enum { BRI_PARTINGS = 16 };

typedef struct BriVerdict {
    BrSwitchReason reason;                       /* BR_SWITCH_NONE: it may */
    int partings;                                /* of the one stable answer among several: contacts that part, */
    uint64_t parting[BRI_PARTINGS];              /* their keys, */
    int body[BRI_PARTINGS][2];                   /* and their bodies, a and b */
    double mu[BRI_PARTINGS], safe[BRI_PARTINGS]; /* their friction, and the most of it that (13.1) allows */
} BriVerdict;

/* Islands with a contact for which (13.1) fails, or two that are a wedge, are looked at: those that are left have one answer. The state is one that is
 * rigid; contacts at hand are found anew. What it takes is spent. */
BriVerdict bri_find_verdict(BriStep *at);

/* Two contacts that forces along the line between them may press, with nothing giving way: a body between two others. Returns
 * the factor of both coefficients from which on that is within their cones; infinite: from none. Rows and factor stand. */
double bri_find_wedge(const BriStep *at, int first, int second);

/* Of a contact with a mobility W (rows and columns n, t1, t2) the largest mu that (13.1) allows; infinite: any. */
double bri_safe_friction(double normal, double first, double second);

#endif
