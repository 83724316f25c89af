/* semidefinite.h: a symmetric matrix that may be singular: is it without negative eigenvalues? Nothing allocates. */
#ifndef BRI_SEMIDEFINITE_H
#define BRI_SEMIDEFINITE_H

#include "base/base.h"

/* P A P' = L L', L in the lower part of A (n x n, row i at i * n), of the rows that are taken: `order` names them, those
 * left depend on them. Returns how many were taken; -1: A has a negative eigenvalue. `nothing`: rounding of A. */
int bri_semidefinite_factor(double *A, int n, double nothing, int *order);

/* x <- L^-1 x of the rows taken: x stands in their order. */
void bri_semidefinite_forward(const double *A, int n, int taken, double *x);
/* x <- L^-T x */
void bri_semidefinite_back(const double *A, int n, int taken, double *x);

#endif
