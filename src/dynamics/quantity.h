/* quantity.h: what expressions read of a machine in motion. */
#ifndef BRI_QUANTITY_H
#define BRI_QUANTITY_H

#include "model/state.h"

/* Poses and velocities at a time within a step. */
typedef struct BriInstant {
    const BrModel *model;
    const BrState
        *start; /* where the step began: turns of joints are near its, contacts pushed as in the step before it */
    const BriBodyState *bodies;
    double time; /* s */
} BriInstant;

/* For bri_function_evaluate_in(). */
BriAround bri_around(const BriInstant *instant);
double bri_signal_read(const BriInstant *instant, int signal);

#endif
