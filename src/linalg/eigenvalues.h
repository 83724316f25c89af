/* eigenvalues.h: those of a small matrix that need not be symmetric. Nothing allocates. */
#ifndef BRI_EIGENVALUES_H
#define BRI_EIGENVALUES_H

#include "base/base.h"

enum { BRI_EIGEN_ROWS = 48 };

/* Of A (n x n, row i at i * n, n <= BRI_EIGEN_ROWS); A stays. In no order. false: they did not converge, or A is not
 * finite. */
bool bri_eigenvalues(const double *A, int n, double *real, double *imaginary);
/* The same of any size; `scratch` has bri_eigenvalues_scratch(n) doubles. */
bool bri_eigenvalues_with(const double *A, int n, double *scratch, double *real, double *imaginary);
size_t bri_eigenvalues_scratch(int n);

#endif
