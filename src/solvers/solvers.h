/* solvers.h: answers to contact problems. Every solver takes a guess in r, leaves its best answer there, and says in
 * the report how good it is; none allocates: `scratch` has bri_solver_scratch(problem) doubles. */
#ifndef BRI_SOLVERS_H
#define BRI_SOLVERS_H

#include "bristle/solver.h"
#include "problem/network.h"

typedef enum BriAnswer {
    BRI_SOLVED,        /* certificate below the tolerance, or below what rounding leaves */
    BRI_STOPPED_SHORT, /* the best that was found */
    BRI_NO_SOLUTION    /* proved: report->proof says how */
} BriAnswer;

typedef struct BriSolverReport {
    const char *solver; /* who gave the answer: "pivoting", "lemke", ... */
    int iterations;     /* pivots, Newton steps or sweeps, of all solvers that tried */
    BriCertificate certificate;
    const char *proof; /* of BRI_NO_SOLUTION; else NULL, or what a method stopped at */
} BriSolverReport;

/* Doubles of scratch that any solver below needs for this problem. */
size_t bri_solver_scratch(const BriProblem *problem);

/* Of two solvers' names (NULL: none) the one that is asked later (rungs.c). */
const char *bri_stronger_solver(const char *a, const char *b);

/* The cheapest solver that supports the problem's sets, then the others, all under the same tolerance (m/s). */
BriAnswer bri_solve(const BriProblem *problem, double tolerance, double *r, double *scratch, BriSolverReport *report);

/* ---- free and box blocks (boxes.c, pivoting.c, lemke.c, enumeration.c) ---- */

/* Pivoting, then Lemke's method, then enumeration, until one has an answer or a proof. */
BriAnswer bri_solve_boxes(const BriProblem *problem, double tolerance, double *r, double *scratch,
                          BriSolverReport *report);
/* The same without the enumeration, which may take seconds: for steps. */
BriAnswer bri_solve_boxes_soon(const BriProblem *problem, double tolerance, double *r, double *scratch,
                               BriSolverReport *report);

/* Block principal pivoting after Judice and Pires (1992): all infeasible rows change sides while their number falls,
 * one by one, least index first, when it has not for a while (that ends for P-matrices), at most `4 rows + 50` pivots.
 */
BriAnswer bri_solve_pivoting(const BriProblem *problem, double tolerance, double *r, double *scratch,
                             BriSolverReport *report);
/* Lemke's method with lexicographic ties; a secondary ray that separates (as it always does for copositive-plus
 * matrices) proves that there is no solution. Free rows are eliminated first, second bounds become rows of their own.
 */
BriAnswer bri_solve_lemke(const BriProblem *problem, double tolerance, double *r, double *scratch,
                          BriSolverReport *report);
/* All complementary sets, for at most 16 box rows (12 with two bounds): an answer, or the proof that there is none. */
BriAnswer bri_solve_enumeration(const BriProblem *problem, double tolerance, double *r, double *scratch,
                                BriSolverReport *report);

/* Doubles of scratch of each. `doubled`: rows with two finite bounds or none. */
size_t bri_pivoting_scratch(int rows);
size_t bri_lemke_scratch(int rows, int doubled);
size_t bri_enumeration_scratch(int rows, int doubled);
size_t bri_boxes_scratch(const BriProblem *problem); /* enough for all three */

/* ---- cones (cone.c, moments.c, newton.c, sweeps.c); free and box blocks may stand beside them ---- */

/* One contact, exactly: u = W r + b, W a block of size rows (2 or 3) by rows with row stride `stride`, not necessarily
 * symmetric. `r` holds a guess whose direction starts the search. */
typedef enum BriConeAnswer {
    BRI_CONE_NONE, /* no answer was found (W not positive) */
    BRI_CONE_FOUND,
    BRI_CONE_SEARCHED /* found, by looking all round: BRI_CONE_SEARCH operations */
} BriConeAnswer;
#define BRI_CONE_SEARCH 5e3
BriConeAnswer bri_cone_solve(const double *W, int stride, const double *b, int rows, double mu, double *r);

/* One contact with moments, or that creeps: u = W r + b as there. Leaves the best that was found, and returns its residual, m/s. */
double bri_moments_solve(const BriBlock *block, const double *W, int stride, const double *b, double rho,
                         BriBudget *budget, double *r);
/* A problem that is one cone. */
BriAnswer bri_solve_one(const BriProblem *problem, double tolerance, double *r, double *u, BriSolverReport *report);

/* Semismooth Newton on Alart and Curnier's equations, by line searches or, with joints, by marches; dense; also for
 * rank-deficient W. Goes on below
 * the tolerance while that still gains. */
BriAnswer bri_solve_newton(const BriProblem *problem, double tolerance, double *r, double *scratch,
                           BriSolverReport *report);
/* Warm-started block Gauss-Seidel with exact local answers. */
BriAnswer bri_solve_sweeps(const BriProblem *problem, double tolerance, int most, double *r, double *scratch,
                           BriSolverReport *report);
/* Does an answer of sweeps take the place of the best so far, by their residuals? Where the budget has ended also if it is
 * somewhat worse: every contact has been answered in its turn, so that steps with too small a budget find the answer
 * together, while a guess that nothing is better than would stay for ever. */
static inline bool bri_sweeps_stand(const BriNetwork *network, double residual, double best) {
    const double WORSE = 4;
    return residual < (bri_has_budget(network->budget) ? 1 : WORSE) * best;
}
/* The same on a network, without W. In: v is the free velocity (6 per node), r a guess that is not in v yet; out: v has
 * r in it. `scratch` has bri_network_scratch(network) doubles: the best answer, the free velocities, then others. */
BriAnswer bri_solve_network(const BriNetwork *network, double tolerance, int most, double *r, double *v,
                            double *scratch, BriSolverReport *report);
size_t bri_network_scratch(const BriNetwork *network);

/* The same by augmented Lagrangians (augmented.c), at most so many steps of Newton's; `factor` has been analysed for the
 * network's edges. For what rests. `scratch` has bri_augmented_scratch(network) doubles. */
typedef struct BriCholesky BriCholesky;
BriAnswer bri_solve_augmented(const BriNetwork *network, BriCholesky *factor, double tolerance, int most, double *r,
                              double *v, double *scratch, BriSolverReport *report);
size_t bri_augmented_scratch(const BriNetwork *network);

/* The same by Newton's method on a network, at most so many steps (network_newton.c); `lu` has room for its edges. `eps`:
 * small near the answer, up to 1 far from it. `scratch` has bri_network_newton_scratch(network) doubles. */
typedef struct BriBlockLu BriBlockLu;
BriAnswer bri_solve_network_newton(const BriNetwork *network, BriBlockLu *lu, double tolerance, double eps, int most,
                                   double *r, double *v, double *scratch, BriSolverReport *report);
size_t bri_network_newton_scratch(const BriNetwork *network);

/* How far a ladder goes: to its end; no farther than what soon succeeds, if at all; for free rows alone, displacements. */
typedef enum BriLadder { BRI_LADDER_WHOLE, BRI_LADDER_HASTY, BRI_LADDER_LINEAR } BriLadder;

/* All of these, the likeliest first, until one has the answer; else the best of theirs (ladder.c). `lu` is laid out for
 * the network's edges, and has room for numbers if bri_ladder_may_factor(); NULL: no factor is to be had. */
BriAnswer bri_solve_ladder(const BriNetwork *network, BriBlockLu *lu, BriLadder kind, double tolerance, double *r,
                           double *v, double *scratch, BriSolverReport *report);
/* Doubles; `factors`: `lu` has room for numbers. */
size_t bri_ladder_scratch(const BriNetwork *network, bool factors);
/* Is a factor of this layout cheap enough for one of its methods? */
bool bri_ladder_may_factor(const BriNetwork *network, const BriCholesky *layout, BriLadder kind);
/* Operations that it spends on factors at most, all together. */
#define BRI_LADDER_WORK 3e8

#endif
