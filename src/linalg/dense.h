/* dense.h: small dense matrices: LU with partial pivoting, equilibration, and the exchange step of tableaus. Row i of a
 * matrix starts at i * stride. Nothing allocates. */
#ifndef BRI_DENSE_H
#define BRI_DENSE_H

#include "base/base.h"

/* P A = L U in place, `pivot` (n) names the row taken at each step. false: a pivot fell below 2^-44 of the largest
 * entry of A (or is not finite), the factor must not be used. Equilibrate first where entries differ in size. */
bool bri_lu_factor(double *A, int n, int stride, int *pivot);
/* b <- A^-1 b */
void bri_lu_solve(const double *A, int n, int stride, const int *pivot, double *b);

/* x <- A^-1 x with partial pivoting; A (n x n without gaps) is destroyed. A pivot of zero leaves its unknown zero.
 * Returns the smallest pivot's size. */
double bri_eliminate(double *A, int n, double *x);

/* A <- diag(row) A diag(column), so that the largest entry of each row and column is about 1; zero rows stay. */
void bri_equilibrate(double *A, int n, int stride, double *row, double *column);

/* basic = T nonbasic (`rows` x `columns`): solves row r for nonbasic c, which becomes basic, and the other nonbasic. A
 * column of constants is a nonbasic like others. T[r][c] may not be zero. */
void bri_exchange(double *T, int rows, int columns, int stride, int r, int c);

/* Has the CPU vectors of four? For code that gives the same bits without. */
bool bri_has_wide_vectors(void);

#endif
