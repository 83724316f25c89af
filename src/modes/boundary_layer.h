/* boundary_layer.h: is an answer one that compliant contact, however stiff, would stay at? */
#ifndef BRI_BOUNDARY_LAYER_H
#define BRI_BOUNDARY_LAYER_H

#include "base/budget.h"
#include "modes/answers.h"

/* How a contact answers to small deflections about an answer. */
typedef struct BriGive {
    double stiffness, viscosity;                 /* N/m, N s/m: along the normal */
    double tangent_stiffness, tangent_viscosity; /* the same across it, while it rolls */
} BriGive;

/* The same for all: any law that grows with depth and its rate says the same of one contact. */
BriGive bri_any_give(double scale); /* of the contact */

typedef enum BriSettling {
    BRI_STABLE,     /* every deflection decays */
    BRI_UNSTABLE,   /* some grows: the bodies leave this answer at once */
    BRI_DEGENERATE, /* some neither grows nor decays */
    BRI_DEPENDENT,  /* contacts depend on each other: the analysis does not apply */
    BRI_UNTOLD      /* too many rows move fast for the work that is left */
} BriSettling;

typedef struct BriLayer {
    BriSettling settling;
    int rows;
    double growth; /* the largest real part of its eigenvalues, by the time in which the stiffest contact swings */
} BriLayer;

/* `give` per contact. */
BriLayer bri_find_layer(const BriModes *modes, const BriModeAnswer *answer, const BriGive *give);
/* The same of any number of contacts; `scratch` has bri_layer_scratch(contacts) doubles; work is spent. */
BriLayer bri_find_layer_with(const BriModeView *modes, const BriAnswerView *answer, const BriGive *give,
                             double *scratch, BriBudget *budget);
size_t bri_layer_scratch(int contacts);

#endif
