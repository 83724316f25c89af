/* solve.c: which solver answers which problem.
 *
 * No cones: the LCP solvers. One cone alone: its closed form, or, where it has moments or creeps, Newton's method on it. Small: Newton, then sweeps. Large: sweeps, which are
 * cheap and usually enough, then Newton. All are judged by one certificate; the best answer is kept. */
#include "solvers/solvers.h"

enum {
    SMALL = 300, /* rows; Newton's elimination is then about as dear as 300 sweeps */
    FEW = 200,   /* sweeps before Newton is asked */
    MANY = 2000  /* sweeps after it gave up */
};

static size_t most(size_t a, size_t b) { return a > b ? a : b; }

/* Newton: 7 rows + rows^2 + 3 blocks (the last as ints); sweeps need less. */
size_t bri_solver_scratch(const BriProblem *problem) {
    size_t rows = (size_t)problem->rows, blocks = (size_t)problem->blocks;
    return most(rows * rows + 7 * rows + 3 * blocks, bri_boxes_scratch(problem));
}

static bool has_cones(const BriProblem *problem) {
    for (int k = 0; k < problem->blocks; k++)
        if (problem->block[k].set == BRI_SET_CONE) return true;
    return false;
}

BriAnswer bri_solve_one(const BriProblem *problem, double tolerance, double *r, double *u, BriSolverReport *report) {
    const BriBlock *block = problem->block;
    bool plain = bri_is_plain_cone(block), found = true;
    if (!plain)
        bri_moments_solve(block, problem->W, problem->stride, problem->q, bri_block_scale(problem, 0), problem->budget,
                          r);
    else
        found = bri_cone_solve(problem->W, problem->stride, problem->q, block->rows, block->mu, r);
    report->solver = plain ? "cone" : "newton";
    report->iterations = 1;
    report->certificate = bri_problem_check(problem, r, u);
    return found && report->certificate.residual <= tolerance ? BRI_SOLVED : BRI_STOPPED_SHORT;
}

BriAnswer bri_solve(const BriProblem *problem, double tolerance, double *r, double *scratch, BriSolverReport *report) {
    *report = (BriSolverReport){.solver = "none", .certificate = {0, 0, -1}};
    if (problem->rows == 0) return BRI_SOLVED;
    if (!has_cones(problem)) return bri_solve_boxes_soon(problem, tolerance, r, scratch, report);
    if (problem->blocks == 1 && bri_solve_one(problem, tolerance, r, scratch, report) == BRI_SOLVED) return BRI_SOLVED;

    /* each takes the best answer so far as its guess and never gives back a worse one */
    BriAnswer answer = BRI_STOPPED_SHORT;
    int iterations = report->iterations;
    for (int k = 0; k < 3 && answer != BRI_SOLVED && bri_has_budget(problem->budget); k++) {
        if (k == 0 && problem->rows <= SMALL) continue;
        bool gives_up = problem->jointed; /* marches have tried what sweeps would, and more */
        if (k == 2 && (gives_up || report->certificate.residual <= problem->enough)) break;
        if (k == 1)
            answer = bri_solve_newton(problem, tolerance, r, scratch, report);
        else
            answer = bri_solve_sweeps(problem, tolerance, k ? MANY : FEW, r, scratch, report);
        iterations += report->iterations;
    }
    if (report->certificate.worst < 0)
        report->certificate = bri_problem_check(problem, r, scratch); /* nobody was asked */
    report->iterations = iterations;
    return answer;
}
