/* basis.c: see basis.h. */
#include "solvers/basis.h"

#include "linalg/dense.h"
#include "math/vec.h"

#include <string.h>

static const double NUDGE = 1e-8; /* d, of a matrix whose largest entry is 1; proximal steps shrink errors by d/(d+l) */
enum { REFINEMENTS = 2, PROXIMAL_STEPS = 8 };

double bri_lower_bound(const BriBlock *block) { return block->set == BRI_SET_BOX ? block->lower : -__builtin_inf(); }
double bri_upper_bound(const BriBlock *block) { return block->set == BRI_SET_BOX ? block->upper : __builtin_inf(); }

bool bri_has_boxes_only(const BriProblem *problem) {
    for (int b = 0; b < problem->blocks; b++)
        if (problem->block[b].set == BRI_SET_CONE) return false;
    return true;
}

size_t bri_basis_scratch(int rows) { return (size_t)rows * (size_t)(rows + 5) + 1; }

/* A of the inside rows, equilibrated and factored; with the nudge if it is singular. */
typedef struct Inside {
    int count;
    int *row, *pivot;
    double *A, *row_scale, *column_scale, *x;
    bool nudged;
} Inside;

static void fill_matrix(const BriProblem *p, const Inside *s, double nudge) {
    for (int i = 0; i < s->count; i++) {
        const double *row = p->W + (size_t)s->row[i] * (size_t)p->stride;
        for (int j = 0; j < s->count; j++) s->A[(size_t)i * (size_t)s->count + (size_t)j] = row[s->row[j]];
    }
    double largest = 0;
    for (int i = 0; nudge > 0 && i < s->count * s->count; i++) largest = bri_max(largest, bri_abs(s->A[i]));
    for (int i = 0; nudge > 0 && i < s->count; i++)
        s->A[(size_t)i * (size_t)(s->count + 1)] += nudge * (largest > 0 ? largest : 1);
    bri_equilibrate(s->A, s->count, s->count, s->row_scale, s->column_scale);
}

/* r of the inside rows <- r - A^-1 u. */
static bool improve(const BriProblem *p, const Inside *s, double *r) {
    for (int i = 0; i < s->count; i++) {
        const double *row = p->W + (size_t)s->row[i] * (size_t)p->stride;
        double u = 0;
        for (int j = 0; j < p->rows; j++) u += row[j] * r[j];
        s->x[i] = s->row_scale[i] * (u + p->q[s->row[i]]);
    }
    bri_lu_solve(s->A, s->count, s->count, s->pivot, s->x);
    bool finite = true;
    for (int i = 0; i < s->count; i++) {
        r[s->row[i]] -= s->column_scale[i] * s->x[i];
        finite = finite && bri_is_finite(r[s->row[i]]);
    }
    return finite;
}

bool bri_basis_solve(const BriProblem *problem, const unsigned char *place, double *r, double *scratch) {
    size_t n = (size_t)problem->rows;
    Inside s = {.row_scale = scratch, .column_scale = scratch + n, .x = scratch + 2 * n};
    s.row = (int *)(scratch + 3 * n);
    s.pivot = (int *)(scratch + 4 * n);
    s.A = scratch + 5 * n;
    for (int b = 0; b < problem->blocks; b++)
        for (int k = 0; k < problem->block[b].rows; k++) {
            int i = problem->block[b].first + k;
            r[i] = place[i] == BRI_AT_LOWER   ? bri_lower_bound(&problem->block[b])
                   : place[i] == BRI_AT_UPPER ? bri_upper_bound(&problem->block[b])
                                              : 0;
            if (place[i] == BRI_INSIDE) s.row[s.count++] = i;
        }
    double inside = s.count;
    if (!bri_spend(problem->budget, inside * inside * inside / 3 + 4 * inside * (double)n)) return false;
    fill_matrix(problem, &s, 0);
    if (!bri_lu_factor(s.A, s.count, s.count, s.pivot)) {
        s.nudged = true;
        fill_matrix(problem, &s, NUDGE);
        if (!bri_lu_factor(s.A, s.count, s.count, s.pivot)) return false;
    }
    for (int k = 0; k <= (s.nudged ? PROXIMAL_STEPS : REFINEMENTS); k++)
        if (!improve(problem, &s, r)) return false;
    return true;
}

void bri_read_places(const BriProblem *problem, const double *r, const double *u, unsigned char *place) {
    for (int b = 0; b < problem->blocks; b++) {
        const BriBlock *block = &problem->block[b];
        double rho = bri_block_scale(problem, b), lower = bri_lower_bound(block), upper = bri_upper_bound(block);
        for (int i = block->first; i < block->first + block->rows; i++) {
            double x = r[i] - rho * u[i];
            place[i] = (unsigned char)(x <= lower ? BRI_AT_LOWER : x >= upper ? BRI_AT_UPPER : BRI_INSIDE);
        }
    }
}

size_t bri_polish_scratch(int rows) { return bri_basis_scratch(rows) + 3 * (size_t)rows + 1; }

BriCertificate bri_polish(const BriProblem *problem, double *r, double *scratch) {
    size_t n = (size_t)problem->rows;
    double *u = scratch, *other = scratch + n;
    unsigned char *place = (unsigned char *)(scratch + 2 * n);
    BriCertificate now = bri_problem_judge(problem, r, u);
    bri_read_places(problem, r, u, place);
    if (!bri_basis_solve(problem, place, other, scratch + 3 * n)) return now;
    BriCertificate then = bri_problem_judge(problem, other, u);
    if (!(then.residual < now.residual)) return now;
    memcpy(r, other, n * sizeof *r);
    return then;
}
