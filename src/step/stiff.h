/* stiff.h: one step of a stiff ordinary differential equation, order 6: the linearly implicit Euler rule with 1, 2, ...
 * 6 sub-steps, extrapolated in h (Deuflhard 1985). Fast decays are damped, not followed. No history between steps. */
#ifndef BRI_STIFF_H
#define BRI_STIFF_H

#include "step/extrapolate.h"

enum { BRI_STIFF_COLUMNS = 6 };

/* Doubles of scratch that an equation of `size` needs. */
size_t bri_stiff_scratch(int size);

/* From y over h to `end`; the equation must not depend on x. Returns the error estimate: the difference of the last two
 * extrapolations, relative to 1 + |y|; infinite if a matrix was singular. */
double bri_stiff_step(const BriOde *ode, double *scratch, const double *y, double h, double *end);

#endif
