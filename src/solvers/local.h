/* local.h: what the iterative solvers share. */
#ifndef BRI_LOCAL_H
#define BRI_LOCAL_H

#include "solvers/solvers.h"

/* One block alone: u = W r + b with u and r in the sense of (7.1), r a guess in and the answer out. Exact where there
 * is an answer; else one projected step of length rho. `W` has the block's own rows and columns. */
void bri_block_solve(const BriBlock *block, const double *W, int stride, const double *b, double rho, BriBudget *budget,
                     double *r);

/* x <- A^-1 x with partial pivoting; A (size x size, by rows without gaps) is destroyed. A pivot of zero leaves its
 * unknown zero. */
void bri_eliminate(double *A, int size, double *x);

#endif
