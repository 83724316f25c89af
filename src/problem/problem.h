/* problem.h: the contact problem: matrices and sets, no bodies.
 *
 *     u = W r + q,     each block of r in its set, each block of u answering it:                               (7.1)
 *       free   u = 0                                                              (joints)
 *       box    lower <= r <= upper; u = 0 inside, u >= 0 at lower, u <= 0 at upper   (LCP: 0, infinity)
 *       cone   |r_T| <= mu r_N, u_N >= 0 _|_ r_N, u_T opposite to r_T where it slides  (Coulomb; normal first)
 *       cone that creeps     the same with mu tanh(|u_T|/creep) in place of mu                                    (7.50)
 *       cone with moments    the same of two or three discs: |r_i| <= mu_i r_N, each u_i opposite to its r_i   (7.32)
 *
 * r: impulses (N s), u: velocities (m/s). W need not be symmetric. Natural map, with u~ = u + sum mu_i |u_i| e_N for
 * cones,
 *     F = r - P(r - rho u~),     rho = rows / trace of the block of W,                                        (7.2)
 * is zero exactly at solutions; |F|/rho is an error in m/s. */
#ifndef BRI_PROBLEM_H
#define BRI_PROBLEM_H

#include "base/base.h"
#include "base/budget.h"

typedef enum BriSet { BRI_SET_FREE, BRI_SET_BOX, BRI_SET_CONE } BriSet;

typedef struct BriBlock {
    BriSet set;
    int first, rows;     /* free: 1..6, box: 1, cone: 2 (plane) or 3, with moments 4 (spin), 5 (roll) or 6 (both) */
    double lower, upper; /* box; may be infinite, lower <= upper */
    double mu;           /* cone, >= 0: of the first disc */
    double creep;        /* of a cone of 2 or 3 rows, as u: slip over which friction builds up; 0: it holds */
    double roll, spin;   /* cone with moments, >= 0: of the two rows behind that, and of the last row */
} BriBlock;

/* Rows of a cone whose size is bounded together: |x| <= mu x_N. */
typedef struct BriDisc {
    int first, rows; /* first: counts from the normal row */
    double mu;
    double creep; /* as of the block */
} BriDisc;

enum { BRI_DISCS = 3 }; /* most of a cone */

/* The discs of a cone. Returns their number. */
static inline int bri_block_discs(const BriBlock *block, BriDisc disc[BRI_DISCS]) {
    int count = 0, rows = block->rows;
    if (rows > 1) disc[count++] = (BriDisc){1, rows > 2 ? 2 : 1, block->mu, block->creep};
    if (rows > 4) disc[count++] = (BriDisc){3, 2, block->roll, 0};
    if (rows == 4 || rows == 6) disc[count++] = (BriDisc){rows - 1, 1, block->spin, 0};
    return count;
}

static inline bool bri_has_moments(const BriBlock *block) { return block->set == BRI_SET_CONE && block->rows > 3; }

/* Coulomb's own cone: what has a closed form. */
static inline bool bri_is_plain_cone(const BriBlock *block) {
    return block->set == BRI_SET_CONE && block->rows <= 3 && !(block->creep > 0);
}

/* Friction that builds up with the slip (creep.c), where |x_T| is `size` and mu x_N is `most`. */
typedef struct BriCreep {
    double slip, force; /* s and f of (7.51) */
    double part;        /* f/most */
    double yields;      /* g of (7.52): 1 where it slides, near 0 where it hardly does */
} BriCreep;
BriCreep bri_creep(double size, double most, double rho, double gamma);
/* phi_T of such a disc, whose r and u are given; x_N > 0. */
void bri_creep_equations(const BriDisc *disc, double x_N, double rho, const double *r, const double *u, double *phi);
/* d(f x_T/|x_T|) = M (dx_N, dx_T). */
void bri_creep_derivative(const BriDisc *disc, double x_N, double rho, const double *x, double M[2][3]);
/* |phi|, m/s, of the whole block. */
double bri_creep_residual(const BriBlock *block, const double *r, const double *u, double rho);

/* Where P(x) of a cone stands: its normal part a, and the discs at whose edge it is, |x_i| > mu_i a. */
typedef struct BriStand {
    int discs;
    BriDisc disc[BRI_DISCS];
    double size[BRI_DISCS]; /* |x_i| */
    double normal;          /* a; 0: the tip */
    bool binds[BRI_DISCS];
} BriStand;

/* discs.c, for cones with moments. */
BriStand bri_block_stand(const BriBlock *block, const double *x);
/* P'(x) where that is not the tip, rows x rows. */
void bri_stand_derivative(const BriStand *stand, const double *x, double *J);
void bri_discs_project(const BriBlock *block, double *x);
double bri_discs_residual(const BriBlock *block, const double *r, const double *u, double rho);

typedef struct BriProblem {
    int rows;
    const double *W; /* rows x rows, by rows; row i starts at W + i * stride */
    int stride;
    const double *q;
    int blocks;
    const BriBlock *block; /* in order, without holes */
    BriBudget *budget;     /* of all that is done for it; NULL: no end */
    double enough;         /* m/s: who has come so near, and gains no more, need not look elsewhere; 0: always */
    bool jointed;          /* W is of a machine with joints: full, and many modes change at once; then: */
    bool shortest;         /* of answers that depend on each other the one of equal springs is asked for (7.54) */
    bool hasty;            /* somebody else stands by: hard problems are given up early */
} BriProblem;

/* How well an answer solves the problem. */
typedef struct BriCertificate {
    double residual; /* m/s: largest |F|/rho over the blocks */
    double relative; /* |F|_2 / |q|_2 with rho = 1, as the literature has it; absolute if q = 0 */
    int worst;       /* block of `residual`; -1 if there is none */
} BriCertificate;

/* Judges r. `u` (rows, may not be NULL) is filled with W r + q. A NaN anywhere gives infinite residuals. */
BriCertificate bri_problem_judge(const BriProblem *problem, const double *r, double *u);

/* The same without `relative`, which is not a number then: half the work. */
BriCertificate bri_problem_check(const BriProblem *problem, const double *r, double *u);

/* |F|/rho of one block whose r and u are known; rho is that of the block's diagonal (1 if its trace is not > 0). */
double bri_block_residual(const BriBlock *block, const double *r, const double *u, double rho);

/* P of (7.2), in place. */
void bri_block_project(const BriBlock *block, double *x);

/* rho of (7.2). */
double bri_block_scale(const BriProblem *problem, int block);

/* Impulses that hold each other in balance, as below a heavy body, are velocities that cancel; what is left of them is
 * rounding, this part of the largest r/rho: sums over a block's neighbours. */
#define BRI_ROUNDED (64 * 0x1p-52)

/* The residual below which r has no digits left, m/s. */
double bri_problem_rounding(const BriProblem *problem, const double *r);

/* What a solver stops at, m/s: the tolerance, or what r rounds to. Impulses that wedge each other grow without bound;
 * what they round to is no excuse then. */
double bri_solver_goal(double tolerance, double rounding);

#endif
