/* pivoting.c: block principal pivoting for free and box rows. J. J. Judice and F. M. Pires, Comput. Oper. Res. 21
 * (1994) 587-596, which adds the two-sided bounds to their method of 1992; the fallback is K. G. Murty's (1974).
 *
 * Every row has a place: at its lower bound, at its upper bound, or inside, where u = 0. A place is wrong if
 *     inside and r < lower or r > upper;     at lower and u < 0;     at upper and u > 0.                      (7.10)
 * All wrong places change at once while their number reaches new lows, and PATIENCE times more; then only the first
 * wrong one, until there is a new low. Free rows are always inside.
 *
 * Where we differ: every iterate is judged, the best one is returned, so also a run that is cut short is worth
 * something; a wrong place must be wrong by more than rounding, so that degenerate answers do not flicker. */
#include "math/vec.h"
#include "solvers/basis.h"
#include "solvers/solvers.h"

#include <string.h>

enum { PATIENCE = 10 };               /* [Judice and Pires]: "p = 10" */
static const double ROUNDING = 1e-14; /* 45 roundings: of a sum of as many terms as contacts have */

typedef struct Pivoting {
    const BriProblem *problem;
    unsigned char *place;
    double *r, *u;
    BriCertificate best;
} Pivoting;

size_t bri_pivoting_scratch(int rows) { return bri_basis_scratch(rows) + 3 * (size_t)rows + 1; }

/* What rounding may do to u_i. */
static double estimate_error(const BriProblem *p, const double *r, int i) {
    const double *row = p->W + (size_t)i * (size_t)p->stride;
    double sum = bri_abs(p->q[i]);
    for (int j = 0; j < p->rows; j++) sum += bri_abs(row[j] * r[j]);
    return ROUNDING * sum;
}

/* Where row i, a box, should be. */
static BriPlace find_place(const Pivoting *s, const BriBlock *block, double rho) {
    int i = block->first;
    BriPlace now = (BriPlace)s->place[i];
    if (block->lower == block->upper) return now;
    double error = estimate_error(s->problem, s->r, i);
    if (now == BRI_INSIDE) {
        double slack = rho * error;
        return s->r[i] < block->lower - slack ? BRI_AT_LOWER : s->r[i] > block->upper + slack ? BRI_AT_UPPER : now;
    }
    double away = now == BRI_AT_LOWER ? s->u[i] : -s->u[i];
    return away < -error ? BRI_INSIDE : now;
}

static int count_wrong(const Pivoting *s) {
    int wrong = 0;
    for (int b = 0; b < s->problem->blocks; b++) {
        const BriBlock *block = &s->problem->block[b];
        if (block->set != BRI_SET_BOX) continue;
        wrong += find_place(s, block, bri_block_scale(s->problem, b)) != (BriPlace)s->place[block->first];
    }
    return wrong;
}

/* All wrong places, or the first. */
static void change_places(const Pivoting *s, bool all) {
    for (int b = 0; b < s->problem->blocks; b++) {
        const BriBlock *block = &s->problem->block[b];
        if (block->set != BRI_SET_BOX) continue;
        BriPlace wanted = find_place(s, block, bri_block_scale(s->problem, b));
        bool wrong = wanted != (BriPlace)s->place[block->first];
        s->place[block->first] = (unsigned char)wanted;
        if (wrong && !all) return;
    }
}

/* The guess's places; a row that has only one place is there. */
static void start(const Pivoting *s, const double *guess) {
    const BriProblem *p = s->problem;
    bri_problem_judge(p, guess, s->u);
    bri_read_places(p, guess, s->u, s->place);
    for (int b = 0; b < p->blocks; b++) {
        const BriBlock *block = &p->block[b];
        if (block->set == BRI_SET_BOX && block->lower == block->upper) s->place[block->first] = BRI_AT_LOWER;
    }
}

/* The contract's cap, but no more than ten seconds or so of factorizations. */
static int limit_pivots(int rows) {
    double cost = (double)rows * rows * rows / 1.5, cheap = 4. * rows + 50; /* cost: operations of one */
    return (int)bri_min(cheap, 30 + 2e10 / (cost + 1));
}

static void judge(Pivoting *s, double *r) {
    BriCertificate c = bri_problem_judge(s->problem, s->r, s->u);
    if (c.residual < s->best.residual) {
        s->best = c;
        memcpy(r, s->r, (size_t)s->problem->rows * sizeof *r);
    }
}

BriAnswer bri_solve_pivoting(const BriProblem *problem, double tolerance, double *r, double *scratch,
                             BriSolverReport *report) {
    size_t n = (size_t)problem->rows;
    Pivoting s = {.problem = problem, .r = scratch, .u = scratch + n};
    s.place = (unsigned char *)(scratch + 2 * n);
    scratch += 3 * n;
    BRI_ASSERT(bri_has_boxes_only(problem));
    s.best = bri_problem_judge(problem, r, s.u);
    start(&s, r);
    int least = problem->rows + 1, patience = PATIENCE, most = limit_pivots(problem->rows), pivots = 0;
    for (; pivots < most; pivots++) {
        if (!bri_basis_solve(problem, s.place, s.r, scratch)) break;
        judge(&s, r);
        bri_spend(problem->budget, 4. * (double)n * (double)n);
        int wrong = count_wrong(&s);
        if (wrong == 0) break;
        patience = wrong < least ? PATIENCE : patience - 1;
        if (wrong < least) least = wrong;
        change_places(&s, patience > 0);
    }
    *report = (BriSolverReport){.solver = "pivoting", .iterations = pivots, .certificate = s.best};
    return s.best.residual <= tolerance ? BRI_SOLVED : BRI_STOPPED_SHORT;
}
