/* switched.h: rows of drives (motors, grips) that leave the factor of a machine, or come into it, after it was made: the
 * few that change their minds within a step cost a solve each, not a factor. */
#ifndef BRI_SWITCHED_H
#define BRI_SWITCHED_H

#include "dynamics/system.h"

/* Makes the factor at hand answer with the clamps of `angles`; the pose stays. false: it was cheaper to make it anew, or
 * not possible otherwise, which then has to be done (bri_system_factor()). Operations into *work. */
bool bri_system_switch(const BrModel *model, BriSystem *system, const BrState *angles, double *work);

/* Before a solve: what rows that came in are asked for; after it: x as it is with the rows that are on now. */
void bri_switched_ask(const BrModel *model, const BriSystem *system, const double *x, double *wanted);
void bri_switched_answer(const BrModel *model, const BriSystem *system, const double *wanted, double *x);

#endif
