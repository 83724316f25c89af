/* boxes.c: free and box rows: the quickest method first, the surest last. */
#include "solvers/basis.h"
#include "solvers/reduce.h"
#include "solvers/solvers.h"

#include <string.h>

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

size_t bri_boxes_scratch(const BriProblem *problem) {
    int doubled = bri_count_doubled(problem);
    size_t most = larger(bri_lemke_scratch(problem->rows, doubled), bri_enumeration_scratch(problem->rows, doubled));
    return (size_t)problem->rows + larger(most, bri_pivoting_scratch(problem->rows));
}

static BriAnswer solve_by(int methods, const BriProblem *problem, double tolerance, double *r, double *scratch,
                          BriSolverReport *report) {
    static BriAnswer (*const METHODS[])(const BriProblem *, double, double *, double *, BriSolverReport *) = {
        bri_solve_pivoting, bri_solve_lemke, bri_solve_enumeration};
    double *trial = scratch;
    size_t n = (size_t)problem->rows;
    BriAnswer answer = BRI_STOPPED_SHORT;
    int iterations = 0;
    for (int m = 0; m < methods && answer == BRI_STOPPED_SHORT; m++) {
        BriSolverReport mine;
        memcpy(trial, r, n * sizeof *r);
        answer = METHODS[m](problem, tolerance, trial, scratch + n, &mine);
        iterations += mine.iterations;
        bool better = m == 0 || mine.certificate.residual < report->certificate.residual;
        if (better) memcpy(r, trial, n * sizeof *r);
        if (!better) mine.certificate = report->certificate; /* of the r that is kept */
        if (!better && answer == BRI_STOPPED_SHORT) mine.solver = report->solver;
        if (m > 0 && !mine.proof && answer == BRI_STOPPED_SHORT) mine.proof = report->proof;
        *report = mine;
    }
    report->iterations = iterations;
    return answer;
}

BriAnswer bri_solve_boxes(const BriProblem *problem, double tolerance, double *r, double *scratch,
                          BriSolverReport *report) {
    return solve_by(3, problem, tolerance, r, scratch, report);
}

BriAnswer bri_solve_boxes_soon(const BriProblem *problem, double tolerance, double *r, double *scratch,
                               BriSolverReport *report) {
    return solve_by(2, problem, tolerance, r, scratch, report);
}
