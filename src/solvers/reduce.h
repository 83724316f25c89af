/* reduce.h: free and box rows as a linear complementarity problem, for methods that know nothing else:
 *     w = M z + q,     0 <= z _|_ w >= 0.                                                                    (7.12)
 *
 * Rows are scaled alike from both sides, so that semidefinite stays semidefinite, and turned so that
 *     y = |r - bound| >= 0.
 * Free rows leave by exchange: their u = 0 goes out of the basis and their r comes in. Where the free block is
 * singular, a box row goes along and changes the roles of its y and w, which is the same problem; a free r that nothing
 * helps is the difference of two z. A second, upper bound y <= c adds the row s = c - y _|_ v, with w - v in the place
 * of w. */
#ifndef BRI_REDUCE_H
#define BRI_REDUCE_H

#include "problem/problem.h"

typedef enum BriRole {
    BRI_ROLE_LOWER,  /* y _|_ w, or w _|_ y */
    BRI_ROLE_BOTH,   /* the first row of y <= c, followed by */
    BRI_ROLE_UPPER,  /* the second */
    BRI_ROLE_TURNED, /* the first row of y <= c where y and w changed roles; UPPER follows with v, s = c - y */
    BRI_ROLE_PLUS,   /* x+ of a free row, followed by */
    BRI_ROLE_MINUS   /* x- */
} BriRole;

typedef struct BriReduced {
    const BriProblem *problem;
    int active;            /* rows that are not fixed by equal bounds */
    int *row;              /* per active: row of the problem */
    double *scale, *side;  /* per active: r = base + side * scale * size * y, w = side * scale * u / size */
    double *span;          /* per active: c; infinite without a second bound */
    double *base;          /* per row of the problem */
    double size;           /* of q, after scaling */
    double *T;             /* active x (active + 1): basic = T (nonbasic, 1) */
    int *basic, *nonbasic; /* 2 k: r or y of active k; 2 k + 1: u or w */
    int n;                 /* rows of (7.12) */
    int *line, *column;    /* per row of (7.12): of T, or -1 */
    BriRole *role;
    double *M, *q;             /* n x n, n */
    const char *contradiction; /* why there is no solution, where that is plain already; else NULL */
} BriReduced;

/* Rows of (7.12) are at most rows + bri_count_doubled(problem): rows with two finite bounds, and free ones. */
int bri_count_doubled(const BriProblem *problem);
size_t bri_reduce_scratch(int rows, int doubled);

/* Returns the scratch that is left. */
double *bri_reduce(const BriProblem *problem, double tolerance, BriReduced *reduced, double *scratch);

/* r of an answer z; `values` has 2 active. */
void bri_reduced_read(const BriReduced *reduced, const double *z, double *r, double *values);

#endif
