/* sparse_step.h: one step of Newton's method on a sparse W, for the methods that take such steps.
 *
 * The equations are those of equations.h. The blocks whose step is not known beforehand (open, at a bound) have
 *     A dr = -phi - T W dr_known,     A = T (W + prox/rho) + E,                                                   (7.42)
 * T and E block by block: T = 1, E = 0 where u = 0 is asked for, M and (1 - M)/rho of a slide. Two contacts of space or three
 * of the plane make a 6 x 6 block of A, those with the same neighbours together; A = L U (linalg/block_lu.h). */
#ifndef BRI_SPARSE_STEP_H
#define BRI_SPARSE_STEP_H

#include "linalg/block_lu.h"
#include "problem/sparse.h"

typedef struct BriSparseStep {
    const BriSparse *problem;
    const BrAllocator *allocator;
    double *scale;            /* per block: rho of (7.2) */
    double *rho;              /* per block: the one in use */
    double *u, *phi, *step;   /* rows: velocity, equations, step */
    double merit, residual;   /* at the last point measured: |phi|^2, and the certificate's largest */
    double prox;              /* what is added to W, over rho of (7.2) */
    const double *center;     /* rows, with prox alone: u = W r + q + prox (r - center)/rho */
    bool no_memory, too_dear; /* why there was no step */
    double work;              /* operations of all steps so far */
    double dearest;           /* one step may have this many */
    /* A and its graph */
    BriBlockLu lu;
    int nodes, edges;
    int *node, *slot;  /* per block: its node, or -1, and its first row there */
    int *member;       /* 6 per node: its blocks; -1: no more */
    int *mark;         /* per block: scratch */
    int *edge_begin;   /* per node and one more: edges it was the first to have */
    int *place_edge;   /* per place of W */
    int (*edge)[2];    /* nodes */
    int edge_capacity; /* of `edge` */
    double *b, *x, *y; /* 6 per node: right side, answer, what is left */
    double *numbers;   /* room of the arrays above */
    int *integers;
} BriSparseStep;

/* false: no memory; release all the same. */
bool bri_sparse_step_prepare(BriSparseStep *s, const BriSparse *problem, const BrAllocator *allocator);
void bri_sparse_step_release(BriSparseStep *s);

/* u, phi, merit and residual at r. The residual is that of the problem itself, whatever prox is. */
void bri_sparse_step_measure(BriSparseStep *s, const double *r);

/* The step at r, which was measured last; eps: added to W in A alone, over rho. false: there is none (no memory, or the
 * factor has too many blocks, or is too dear). */
bool bri_sparse_step_find(BriSparseStep *s, const double *r, double eps);

#endif
