/* bristle/solutions.h: all solutions of a small contact problem. */
#ifndef BRISTLE_SOLUTIONS_H
#define BRISTLE_SOLUTIONS_H

#include "bristle/problem.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One of them. */
typedef struct BrFoundSolution {
    const double *r, *u; /* rows, valid until the callback returns */
    double residual;     /* as in BrSolution: m/s, */
    double relative;     /* and relative to |q| */
    bool shared;         /* other r have the same u */
} BrFoundSolution;

typedef struct BrSolutions {
    int count;     /* solutions with different u; at most 64 are told */
    bool complete; /* there are no others */
    bool endless;  /* some of them lie in a continuum */
} BrSolutions;

/* Tells every solution of an LCP, or of a friction problem without moments, of up to 8 rows or contacts: all combinations
 * of modes are tried. Of several contacts in space directions of slides are looked for, not all found: `complete` is false.
 * BR_UNSUPPORTED: another kind, or too large. */
BR_API BrStatus br_problem_find_all(const BrProblem *problem, void (*tell)(void *user, const BrFoundSolution *solution),
                                    void *user, BrSolutions *solutions, BrError *error);

#ifdef __cplusplus
}
#endif

#endif
