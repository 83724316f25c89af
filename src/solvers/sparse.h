/* sparse.h: answers to problems whose W is sparse (problem/sparse.h). As in solvers.h: a guess in r, the best answer out,
 * and how good it is in the report. These are for files: they allocate, and return false where there was no memory. */
#ifndef BRI_SOLVERS_SPARSE_H
#define BRI_SOLVERS_SPARSE_H

#include "problem/sparse.h"
#include "solvers/solvers.h"

/* The rungs, weakest first; a sum of them. */
typedef enum BriSparseRung { BRI_SPARSE_SWEEPS = 1, BRI_SPARSE_NEWTON = 2, BRI_SPARSE_PROXIMAL = 4 } BriSparseRung;

/* These rungs in turn, each for about as much work, and again with twice of it, until one has an answer within the
 * tolerance (m/s), or BRI_SPARSE_PATIENCE operations are spent. */
#define BRI_SPARSE_PATIENCE 6e10
bool bri_solve_sparse(const BriSparse *problem, const BrAllocator *allocator, int rungs, double tolerance, double *r,
                      BriSolverReport *report);

/* What a rung may spend in one turn. */
typedef struct BriEffort {
    const BrAllocator *allocator;
    double work;  /* operations it may take; it finishes the step at hand */
    double spent; /* that were taken, are added here */
    int round;    /* turns before this one */
} BriEffort;

/* Block Gauss-Seidel with exact local answers. */
bool bri_solve_sparse_sweeps(const BriSparse *problem, BriEffort *effort, double tolerance, double *r,
                             BriSolverReport *report);
/* Semismooth Newton; and the same with a proximal point (sparse_newton.c). */
bool bri_solve_sparse_newton(const BriSparse *problem, BriEffort *effort, double tolerance, double *r,
                             BriSolverReport *report);
bool bri_solve_proximal(const BriSparse *problem, BriEffort *effort, double tolerance, double *r,
                        BriSolverReport *report);

/* One sweep, with rho of (7.2) per block; and its work in operations, about. */
void bri_sparse_sweep(const BriSparse *problem, const double *rho, bool backwards, double *r);
double bri_sparse_work(const BriSparse *problem);

#endif
