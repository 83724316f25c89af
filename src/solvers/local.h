/* local.h: what the iterative solvers share. */
#ifndef BRI_LOCAL_H
#define BRI_LOCAL_H

#include "solvers/solvers.h"

/* One block alone: u = W r + b with u and r in the sense of (7.1), r a guess in and the answer out. Exact where there
 * is an answer; else one projected step of length rho. `W` has the block's own rows and columns. */
void bri_block_solve(const BriBlock *block, const double *W, int stride, const double *b, double rho, BriBudget *budget,
                     double *r);

/* A cone's block where Newton's method looks at it: r and u from its first row on, its coefficients times `share`. */
typedef struct BriConePoint {
    const BriBlock *block;
    double share, rho;
    const double *r, *u;
} BriConePoint;

/* The equations (7.15), m/s. */
void bri_cone_measure(const BriConePoint *point, double *phi);

/* Their derivative where the cone is not open. In: `rows` holds W's rows of the block in a system of `size` columns, b
 * minus their known part; out: the equations'. The block's own columns begin at `at`. */
void bri_cone_slide(const BriConePoint *point, int at, int size, double *rows, double *b);

#endif
