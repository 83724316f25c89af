/* kept_factor.h: the factor that a step ends with goes on into the next one, grips that have changed their minds since it was
 * made being switched (switched.h). Which those are stands in the state, so that a workspace that has not seen the
 * step before finds the same numbers. */
#ifndef BRI_KEPT_FACTOR_H
#define BRI_KEPT_FACTOR_H

#include "dynamics/slide.h"

/* Notes in the trial state's grips how the factor at hand was made; nothing where it is none of the trial state's own pose. */
void bri_keep_factor(const BriStep *step);

/* bri_factor() at the pose of the step's start, from what is noted in its state. */
void bri_resume_factor(BriStep *step, const BriBodyState *pose);

#endif
