/* runge_kutta.h: one explicit Runge-Kutta step of an ordinary differential equation. */
#ifndef BRI_RUNGE_KUTTA_H
#define BRI_RUNGE_KUTTA_H

#include "step/extrapolate.h"

enum { BRI_STAGES = 4 };

/* order 2: midpoint; 3: Bogacki and Shampine's ("ode3"); 4: Kutta's. Scratch of the equation: BRI_STAGES + 1 columns.
 * From y at x over h to `end`, which may not be y. */
void bri_runge_kutta(const BriOde *ode, int order, double x, const double *y, double h, double *end);

#endif
