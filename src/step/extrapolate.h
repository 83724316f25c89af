/* extrapolate.h: one step of an ordinary differential equation, order 16: the modified midpoint rule with 2, 4, ... 16
 * sub-steps, extrapolated in h^2 (Gragg 1965; Bulirsch and Stoer 1966). No history between steps. */
#ifndef BRI_EXTRAPOLATE_H
#define BRI_EXTRAPOLATE_H

#include "base/base.h"
#include "base/budget.h"

enum { BRI_COLUMNS = 8 };

typedef struct BriOde {
    int size;
    void (*rate)(void *user, double x, const double *y, double *dy);
    void *user;
    double *scratch;     /* (BRI_COLUMNS + 4) size doubles */
    BriBudget *budget;   /* that `rate` spends; once it is spent, the error is infinite. NULL: no end */
    const double *scale; /* per number of y: what counts as much of it, in its own unit. NULL: 1 of all */
    int along;           /* the last so many numbers only go along with the others: no error of theirs asks for a
                            shorter step */
} BriOde;

/* From y at x over h to `end`. Returns the error estimate: the largest difference of the last two extrapolations,
 * relative to scale + |y|, without what goes along. */
double bri_extrapolate(const BriOde *ode, double x, const double *y, double h, double *end);

/* Row j of Neville's scheme for sub-steps in the ratio 1, 2, 3, ...: T_j1 comes in `end`, T_jj goes out; table[k] holds
 * T_j-1,k+1 before and T_j,k+1 after. power: of h in the error's series, 2 or 1. */
void bri_neville_row(double *const *table, int j, int size, int power, double *end);
/* The largest difference of the last two extrapolations, relative to scale + |end|. */
double bri_neville_error(const BriOde *ode, const double *last, const double *end);

/* The factor by which a step whose error goes like h^power should change for an error of `tolerance`: 0.1 to 4. */
double bri_step_factor(double error, double tolerance, int power);
static inline double bri_extrapolate_factor(double error, double tolerance) {
    return bri_step_factor(error, tolerance, 2 * BRI_COLUMNS - 1);
}

#endif
