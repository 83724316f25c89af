/* problem_solve.c: answers to problem files. Files are judged by the relative residual, solvers work with one in m/s,
 * so a solver is asked again, more strictly, where its answer meets the latter but not the former. */
#include "io/problem_text.h"
#include "math/vec.h"
#include "solvers/sparse.h"

#include <stdio.h>
#include <string.h>

enum { ASKS = 4, SWEEPS = 20000 };

void br_start_solve_def(BrSolveDef *def, uint32_t size) {
    if (bri_start_def(def, size, sizeof *def)) def->tolerance = 1e-8;
}

/* ------------------------------------------------------------------ who */

typedef BriAnswer (*Solver)(const BriProblem *, double, double *, double *, BriSolverReport *);

static BriAnswer sweep(const BriProblem *problem, double tolerance, double *r, double *scratch,
                       BriSolverReport *report) {
    return bri_solve_sweeps(problem, tolerance, SWEEPS, r, scratch, report);
}

/* Those of rungs.c that files may ask for, on a dense W and on a sparse one. */
static const struct {
    const char *name;
    Solver dense;
    int sparse;
} SOLVERS[] = {{"cone", bri_solve_one, 0},
               {"pivoting", bri_solve_pivoting, 0},
               {"newton", bri_solve_newton, BRI_SPARSE_NEWTON},
               {"sweeps", sweep, BRI_SPARSE_SWEEPS},
               {"lemke", bri_solve_lemke, 0},
               {"enumeration", bri_solve_enumeration, 0},
               {"proximal", NULL, BRI_SPARSE_PROXIMAL}};

typedef struct Ask {
    const BrProblem *file;
    double tolerance; /* relative */
    Solver dense;     /* NULL: by sparse rungs, */
    int sparse;       /* these */
} Ask;

/* Names of solvers that support `sets` (0: any). */
static void list_solvers(int sets, bool large, char *text, size_t size) {
    size_t used = 0;
    for (int i = 0; i < BRI_COUNT(SOLVERS) && used < size; i++) {
        const BrSolverInfo *info = br_solver_find(SOLVERS[i].name);
        if (sets & ~info->sets || (large && !SOLVERS[i].sparse)) continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", info->name);
    }
}

/* Sets of the problem's blocks, as a sum of BrSet. */
static int find_sets(const BrProblem *p) {
    static const int SETS[] = {[BRI_SET_FREE] = BR_SET_FREE, [BRI_SET_BOX] = BR_SET_BOX, [BRI_SET_CONE] = BR_SET_CONE};
    int sets = 0;
    for (int k = 0; k < p->problem.blocks; k++) sets |= SETS[p->block[k].set];
    return sets;
}

static const char *name_sets(int sets) {
    return sets & BR_SET_CONE ? "friction cones" : sets & BR_SET_BOX ? "rows with bounds" : "free rows";
}

static BrStatus refuse_solver(const BrProblem *p, const BrSolverInfo *info, BrError *error) {
    char others[160];
    int sets = find_sets(p), missing = sets & ~info->sets;
    list_solvers(sets, !p->W, others, sizeof others);
    if (missing)
        return bri_fail(error, BR_UNSUPPORTED, "the solver '%s' knows no %s, which the problem has; these do: %s",
                        info->name, name_sets(missing), others);
    if (!strcmp(info->name, "cone"))
        return bri_fail(error, BR_UNSUPPORTED, "the solver 'cone' answers one contact alone; the problem has %d: %s",
                        p->contacts, others);
    return bri_fail(error, BR_UNSUPPORTED,
                    "the solver '%s' needs a dense matrix; one of %d sparse rows is too large: %s", info->name,
                    p->problem.rows, others);
}

static BrStatus choose_solver(const BrProblem *p, const char *name, Ask *ask, BrError *error) {
    ask->dense = !p->W ? NULL : p->contacts ? bri_solve : bri_solve_boxes;
    ask->sparse = BRI_SPARSE_SWEEPS | BRI_SPARSE_NEWTON | BRI_SPARSE_PROXIMAL;
    if (!name) return BR_OK;
    for (int i = 0; i < BRI_COUNT(SOLVERS); i++) {
        if (strcmp(name, SOLVERS[i].name) != 0) continue;
        const BrSolverInfo *info = br_solver_find(name);
        ask->dense = p->W ? SOLVERS[i].dense : NULL;
        ask->sparse = SOLVERS[i].sparse;
        bool alone = SOLVERS[i].dense != bri_solve_one || p->problem.blocks == 1;
        if ((find_sets(p) & ~info->sets) || !alone || (!ask->dense && !ask->sparse))
            return refuse_solver(p, info, error);
        return BR_OK;
    }
    char all[160];
    list_solvers(0, false, all, sizeof all);
    return bri_fail(error, BR_INVALID_ARGUMENT, "there is no solver '%.40s' for files; allowed: %s", name, all);
}

/* ------------------------------------------------------------------ what */

BriCertificate bri_file_judge(const BrProblem *problem, const double *r, double *u) {
    return problem->W ? bri_problem_judge(&problem->problem, r, u) : bri_sparse_judge(&problem->sparse, r, u);
}

static double measure(const double *x, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += x[i] * x[i];
    return bri_sqrt(sum);
}

/* Asks, and asks again. `u` has rows. false: no memory. */
static bool run(const Ask *ask, const BriSparse *sparse, double *scratch, double *r, double *u, BrSolution *solution) {
    const BriProblem *p = &ask->file->problem;
    double size = measure(p->q, p->rows), strict = ask->tolerance * (size > 0 ? size : 1);
    BriSolverReport report;
    BriAnswer answer = BRI_STOPPED_SHORT;
    BriCertificate c = {0};
    int iterations = 0;
    for (int k = 0; k < ASKS; k++) {
        if (ask->dense)
            answer = ask->dense(p, strict, r, scratch, &report);
        else if (!bri_solve_sparse(sparse, &ask->file->allocator, ask->sparse, strict, r, &report))
            return false;
        else
            answer = report.certificate.residual <= bri_solver_goal(strict, bri_sparse_rounding(sparse, r))
                         ? BRI_SOLVED
                         : BRI_STOPPED_SHORT;
        iterations += report.iterations;
        c = bri_file_judge(ask->file, r, u);
        if (answer != BRI_SOLVED || c.relative <= ask->tolerance) break;
        strict = bri_min(strict, c.residual) * 0.5 * ask->tolerance / c.relative;
    }
    BrVerdict verdict = c.relative <= ask->tolerance ? BR_VERDICT_SOLVED
                        : answer == BRI_NO_SOLUTION  ? BR_VERDICT_NO_SOLUTION
                                                     : BR_VERDICT_STOPPED_SHORT;
    const char *proof = verdict == BR_VERDICT_SOLVED ? NULL : report.proof;
    *solution = (BrSolution){verdict, report.solver, iterations, c.residual, c.relative, c.worst, proof};
    return true;
}

/* A dense W in sparse form. */
static bool make_sparse(const BrProblem *problem, BriSparseRoom *room, BriSparse *sparse) {
    const BriProblem *p = &problem->problem;
    size_t n = (size_t)p->rows;
    BriEntry *entry = bri_allocate(&problem->allocator, n * n, sizeof *entry);
    for (size_t i = 0; entry && i < n * n; i++) entry[i] = (BriEntry){(int)(i / n), (int)(i % n), p->W[i]};
    bool fine = entry && bri_sparse_build(&problem->allocator, p->blocks, p->block, (int64_t)(n * n), entry, room);
    bri_release(&problem->allocator, entry);
    if (fine) *sparse = bri_sparse_of(p, room);
    return fine;
}

static bool solve(const Ask *ask, bool named, double *r, double *u, BrSolution *solution) {
    const BrProblem *problem = ask->file;
    const BriProblem *p = &problem->problem;
    BriSparse sparse = problem->sparse;
    BriSparseRoom room = {0};
    size_t rows = (size_t)p->rows, count = 0;
    if (ask->dense) count = named || problem->contacts ? bri_solver_scratch(p) : 0;
    if (ask->dense && !problem->contacts && bri_boxes_scratch(p) > count) count = bri_boxes_scratch(p);
    double *scratch = bri_allocate(&problem->allocator, rows + count, sizeof *scratch);
    bool fine = scratch && (ask->dense || problem->room.room || make_sparse(problem, &room, &sparse)) &&
                run(ask, &sparse, scratch + rows, r, scratch, solution);
    if (fine && u) memcpy(u, scratch, rows * sizeof *u);
    bri_release(&problem->allocator, room.room);
    bri_release(&problem->allocator, scratch);
    return fine;
}

BrStatus br_problem_solve(const BrProblem *problem, const BrSolveDef *def, double *r, double *u, BrSolution *solution,
                          BrError *error) {
    BRI_NEED(problem && r && solution, "problem, r and solution", error);
    BrSolveDef standard = br_default_solve_def();
    if (!def) def = &standard;
    BrStatus status = bri_check_def(def, sizeof *def, "br_default_solve_def", error);
    if (status != BR_OK) return status;
    if (!(def->tolerance > 0))
        return bri_fail(error, BR_INVALID_ARGUMENT, "the tolerance is %g; it must be positive", def->tolerance);
    Ask ask = {.file = problem, .tolerance = def->tolerance};
    status = choose_solver(problem, def->solver, &ask, error);
    if (status != BR_OK) return status;
    if (!solve(&ask, def->solver != NULL, r, u, solution))
        return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to solve a problem of %d rows", problem->problem.rows);
    return solution->verdict == BR_VERDICT_SOLVED ? BR_OK : BR_NOT_CONVERGED;
}
