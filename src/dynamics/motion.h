/* motion.h: kinematic bodies: where their motion puts them. */
#ifndef BRI_MOTION_H
#define BRI_MOTION_H

#include "model/state.h"

/* From the pose at `time` to pose and velocity at `time + h`. Positions given as functions are exact; velocities are
 * integrated by Simpson's rule, rotations by Magnus's series: both of order 4. */
void bri_motion_advance(const BrModel *model, int body, double time, double h, const BriBodyState *from,
                        BriBodyState *to);

/* Linear (world) and angular (body axes) acceleration at `time`. */
void bri_motion_acceleration(const BrModel *model, int body, double time, const BriBodyState *at, double rate[6]);

#endif
