/* sparse_solve.c: which solver answers a problem whose W is sparse.
 *
 * Nobody knows beforehand who will: sweeps need thousands of rounds for a pile that a dozen steps of Newton's settle, and
 * Newton never finds the way where a packing is sheared and sweeps do. So they take turns, each for as much work as the
 * other, the best answer being the next one's guess; every turn is twice as long as the last. What one rung alone would have
 * taken is then exceeded by no more than a factor of some. The proximal method joins in once the others have failed. */
#include "math/vec.h"
#include "solvers/sparse.h"

enum {
    FEW = 200,   /* sweeps of the first turn */
    ROUNDS = 11, /* of turns: 400 thousand sweeps in all */
    PATIENT = 2  /* turns before the proximal method is asked */
};

typedef bool (*Rung)(const BriSparse *, BriEffort *, double, double *, BriSolverReport *);

bool bri_solve_sparse(const BriSparse *problem, const BrAllocator *allocator, int rungs, double tolerance, double *r,
                      BriSolverReport *report) {
    static const Rung RUNGS[] = {bri_solve_sparse_sweeps, bri_solve_sparse_newton, bri_solve_proximal};
    BriEffort effort = {.allocator = allocator, .work = FEW * bri_sparse_work(problem)};
    BriSolverReport last = {.solver = "none", .certificate = {__builtin_inf(), __builtin_inf(), -1}};
    int iterations = 0;
    bool solved = false;
    for (; !solved && effort.round < ROUNDS && effort.spent < BRI_SPARSE_PATIENCE; effort.round++, effort.work *= 2)
        for (int k = 0; k < BRI_COUNT(RUNGS) && !solved && bri_has_budget(problem->budget); k++) {
            bool early = 1 << k == BRI_SPARSE_PROXIMAL && effort.round < PATIENT && rungs != BRI_SPARSE_PROXIMAL;
            if (!(rungs & 1 << k) || early) continue;
            if (!RUNGS[k](problem, &effort, tolerance, r, report)) return false;
            iterations += report->iterations;
            /* one that gained nothing does not put its name to the answer */
            if (!(report->certificate.residual < last.certificate.residual)) report->solver = last.solver;
            last = *report;
            solved = report->certificate.residual <= bri_solver_goal(tolerance, bri_sparse_rounding(problem, r));
        }
    report->iterations = iterations;
    return true;
}
