/* problem_solve.c: answers to problem files. Files are judged by the relative residual, solvers work with one in m/s,
 * so a solver is asked again, more strictly, where its answer meets the latter but not the former. */
#include "io/problem_text.h"
#include "math/vec.h"
#include "solvers/solvers.h"

#include <string.h>

enum { ASKS = 4, SWEEPS = 20000 };

void br_start_solve_def(BrSolveDef *def, uint32_t size) {
    if (bri_start_def(def, size, sizeof *def)) def->tolerance = 1e-8;
}

typedef BriAnswer (*Solver)(const BriProblem *, double, double *, double *, BriSolverReport *);

static BriAnswer sweep(const BriProblem *problem, double tolerance, double *r, double *scratch,
                       BriSolverReport *report) {
    return bri_solve_sweeps(problem, tolerance, SWEEPS, r, scratch, report);
}

/* By name; `cones`: may it be used where there are cones? */
static const struct {
    const char *name;
    Solver solve;
    bool cones;
} SOLVERS[] = {{"pivoting", bri_solve_pivoting, false},
               {"lemke", bri_solve_lemke, false},
               {"enumeration", bri_solve_enumeration, false},
               {"newton", bri_solve_newton, true},
               {"sweeps", sweep, true}};

static BrStatus choose_solver(const BrProblem *p, const char *name, Solver *solve, BrError *error) {
    *solve = p->contacts ? bri_solve : bri_solve_boxes;
    if (!name) return BR_OK;
    for (int i = 0; i < BRI_COUNT(SOLVERS); i++) {
        if (strcmp(name, SOLVERS[i].name) != 0) continue;
        *solve = SOLVERS[i].solve;
        if (!p->contacts || SOLVERS[i].cones) return BR_OK;
        return bri_fail(error, BR_UNSUPPORTED, "the solver '%s' knows no friction cones; take newton or sweeps", name);
    }
    return bri_fail(error, BR_INVALID_ARGUMENT,
                    "there is no solver '%.40s'; allowed: pivoting, lemke, enumeration, newton, sweeps", name);
}

static double measure(const double *x, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += x[i] * x[i];
    return bri_sqrt(sum);
}

static BrSolution run(const BriProblem *p, Solver solve, double tolerance, double *r, double *scratch) {
    double size = measure(p->q, p->rows), strict = tolerance * (size > 0 ? size : 1);
    BriSolverReport report;
    BriAnswer answer = BRI_STOPPED_SHORT;
    int iterations = 0;
    for (int k = 0; k < ASKS; k++) {
        answer = solve(p, strict, r, scratch, &report);
        iterations += report.iterations;
        report.certificate = bri_problem_judge(p, r, scratch);
        if (answer != BRI_SOLVED || report.certificate.relative <= tolerance) break;
        strict = bri_min(strict, report.certificate.residual) * 0.5 * tolerance / report.certificate.relative;
    }
    BriCertificate c = report.certificate;
    BrVerdict verdict = c.relative <= tolerance     ? BR_VERDICT_SOLVED
                        : answer == BRI_NO_SOLUTION ? BR_VERDICT_NO_SOLUTION
                                                    : BR_VERDICT_STOPPED_SHORT;
    return (BrSolution){verdict,
                        report.solver,
                        iterations,
                        c.residual,
                        c.relative,
                        c.worst,
                        verdict == BR_VERDICT_SOLVED ? NULL : report.proof};
}

BrStatus br_problem_solve(const BrProblem *problem, const BrSolveDef *def, double *r, double *u, BrSolution *solution,
                          BrError *error) {
    BrSolveDef standard = br_default_solve_def();
    Solver solve;
    if (!def) def = &standard;
    BrStatus status = bri_check_def(def, sizeof *def, "br_default_solve_def", error);
    if (status != BR_OK) return status;
    if (!(def->tolerance > 0))
        return bri_fail(error, BR_INVALID_ARGUMENT, "the tolerance is %g; it must be positive", def->tolerance);
    status = choose_solver(problem, def->solver, &solve, error);
    if (status != BR_OK) return status;
    const BriProblem *p = &problem->problem;
    size_t count = problem->contacts ? bri_solver_scratch(p) : bri_boxes_scratch(p);
    if (def->solver) count = bri_solver_scratch(p) > count ? bri_solver_scratch(p) : count;
    double *scratch = bri_allocate(&problem->allocator, count, sizeof *scratch);
    if (!scratch) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to solve a problem of %d rows", p->rows);
    *solution = run(p, solve, def->tolerance, r, scratch);
    if (u) bri_problem_judge(p, r, u);
    bri_release(&problem->allocator, scratch);
    return solution->verdict == BR_VERDICT_SOLVED ? BR_OK : BR_NOT_CONVERGED;
}
