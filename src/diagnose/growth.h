/* growth.h: how large a step the schemes take, and how long impacts last. */
#ifndef BRI_GROWTH_H
#define BRI_GROWTH_H

#include "bristle/step.h"
#include "laws/laws.h"

/* x'' + damping x' + stiffness x = 0, both per mass: 1/s, 1/s^2. */
typedef struct BriMode {
    double damping, stiffness;
    bool memory; /* x is a law's memory, which even semi-implicit moves with the old velocity */
} BriMode;

/* The largest step at which the mode grows by less than a hundredth in half a turn, s; infinite if it has neither. */
double bri_stable_step(BrScheme scheme, const BriMode *mode);

/* The largest step at which the energy of a swing is off by less than `part` of what it was, at any time of `duration`
 * (s), beside what its damping takes; s. What does not swing only has to be stable. */
double bri_energy_step(BrScheme scheme, const BriMode *mode, double duration, double part);

/* |eigenvalue| of the mode, the faster one, 1/s; *swings: they are complex. */
double bri_mode_rate(const BriMode *mode, bool *swings);

/* An impact of a mass 1/mobility (kg^-1) on k depth^p (1 + damping depth'): how deep it goes, m; and how long one
 * without losses lasts that goes so deep, s. */
double bri_impact_depth(double stiffness, double exponent, double damping, double mobility, double speed);
double bri_impact_time(double exponent, double depth, double speed);

#endif
