/* sparse.h: answers to problems whose W is sparse (problem/sparse.h). As in solvers.h: a guess in r, the best answer out,
 * and how good it is in the report. These are for files: they allocate, and return false where there was no memory. */
#ifndef BRI_SOLVERS_SPARSE_H
#define BRI_SOLVERS_SPARSE_H

#include "problem/sparse.h"
#include "solvers/solvers.h"

/* The rungs below one after the other, until one has an answer within the tolerance (m/s). */
bool bri_solve_sparse(const BriSparse *problem, const BrAllocator *allocator, double tolerance, double *r,
                      BriSolverReport *report);

/* Block Gauss-Seidel with exact local answers, at most so many sweeps, and so much work. */
bool bri_solve_sparse_sweeps(const BriSparse *problem, const BrAllocator *allocator, double tolerance, int most,
                             double *r, BriSolverReport *report);

/* Semismooth Newton in rounds, with sweeps between them; and with a proximal point (sparse_newton.c). */
bool bri_solve_sparse_newton(const BriSparse *problem, const BrAllocator *allocator, double tolerance, double *r,
                             BriSolverReport *report);
bool bri_solve_proximal(const BriSparse *problem, const BrAllocator *allocator, double tolerance, double *r,
                        BriSolverReport *report);

/* One sweep, with rho of (7.2) per block; and its work in operations, about. */
void bri_sparse_sweep(const BriSparse *problem, const double *rho, bool backwards, double *r);
double bri_sparse_work(const BriSparse *problem);

#endif
