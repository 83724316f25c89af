/* sparse_solve.c: which solver answers a problem whose W is sparse.
 *
 * A few sweeps, which are often enough and else the best guess; Newton, which then mostly ends it; the proximal method
 * where too much slides; and as many sweeps as there is patience for. All are judged by one certificate; each begins with
 * the best answer so far. */
#include "math/vec.h"
#include "solvers/sparse.h"

enum { FEW = 200, MANY = 100000 }; /* sweeps */

static bool sweep_few(const BriSparse *problem, const BrAllocator *allocator, double tolerance, double *r,
                      BriSolverReport *report) {
    return bri_solve_sparse_sweeps(problem, allocator, tolerance, FEW, r, report);
}

static bool sweep_on(const BriSparse *problem, const BrAllocator *allocator, double tolerance, double *r,
                     BriSolverReport *report) {
    return bri_solve_sparse_sweeps(problem, allocator, tolerance, MANY, r, report);
}

bool bri_solve_sparse(const BriSparse *problem, const BrAllocator *allocator, double tolerance, double *r,
                      BriSolverReport *report) {
    static bool (*const RUNGS[])(const BriSparse *, const BrAllocator *, double, double *, BriSolverReport *) = {
        sweep_few, bri_solve_sparse_newton, bri_solve_proximal, sweep_on};
    BriSolverReport last = {.solver = "none", .certificate = {__builtin_inf(), __builtin_inf(), -1}};
    int iterations = 0;
    for (int k = 0; k < BRI_COUNT(RUNGS) && bri_has_budget(problem->budget); k++) {
        if (!RUNGS[k](problem, allocator, tolerance, r, report)) return false;
        iterations += report->iterations;
        /* a rung that gained nothing does not put its name to the answer */
        if (!(report->certificate.residual < last.certificate.residual)) report->solver = last.solver;
        last = *report;
        if (report->certificate.residual <= bri_max(tolerance, bri_sparse_rounding(problem, r))) break;
    }
    report->iterations = iterations;
    return true;
}
