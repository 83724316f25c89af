/* rubbing.h: velocities on the constraints while bearings rub, where grips that stick are rows of the factor (slide.h). */
#ifndef BRI_RUBBING_H
#define BRI_RUBBING_H

#include "dynamics/constrain.h"

/* bri_constrain_rates() with grips: friction, modes and the joints' impulses agree with each other where it ends. */
bool bri_rub(BriStep *step, const BriRates *rates);

#endif
