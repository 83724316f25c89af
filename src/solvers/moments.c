/* moments.c: one contact with rolling and spinning resistance, 4 to 6 rows, or whose friction builds up with the slip
 * (creep.c).
 *
 * Open: b_N >= 0, r = 0. Else Newton's method on the equations (7.15) of all discs, from the guess; where that does not
 * end, from the normal impulse alone, and from points that projected steps r <- P(r - rho u~) have reached. The set is
 * not polyhedral and three discs may each stick or slide: there is no closed form as for Coulomb's cone (cone.c). */
#include "linalg/dense.h"
#include "math/vec.h"
#include "solvers/local.h"

#include <string.h>

enum {
    MOST = 6,      /* rows */
    STEPS = 20,    /* Newton's, from one start */
    HALVINGS = 8,  /* of a step */
    STARTS = 4,    /* the guess, the normal impulse alone, then projected steps: */
    PROJECTED = 50 /* of the first such start, then ten times as many */
};
static const double ROUNDING = 16 * 0x1p-52; /* of |b| and of W r: a residual that is none */
static const double NUDGE = 1e-13;           /* of 1/rho, on the diagonal: dependent rows then share the load */

typedef struct Local {
    const BriBlock *block;
    const double *W, *b;
    int stride;
    double rho;
    BriBudget *budget;
    double u[MOST], phi[MOST], merit;
    double residual, least, best[MOST]; /* m/s: at the point measured last, and the best of all */
    double size;                        /* m/s: of b */
} Local;

static void measure(Local *a, const double *r) {
    enum { WORK = 100 }; /* operations */
    int rows = a->block->rows;
    bri_spend(a->budget, WORK);
    for (int i = 0; i < rows; i++) {
        a->u[i] = a->b[i];
        for (int j = 0; j < rows; j++) a->u[i] += a->W[i * a->stride + j] * r[j];
    }
    bri_cone_measure(&(BriConePoint){a->block, 1, a->rho, r, a->u}, a->phi);
    a->merit = 0;
    for (int i = 0; i < rows; i++) a->merit += a->phi[i] * a->phi[i];
    a->residual = bri_block_residual(a->block, r, a->u, a->rho);
    if (!(a->residual < a->least)) return;
    a->least = a->residual;
    memcpy(a->best, r, (size_t)rows * sizeof(double));
}

static bool is_done(const Local *a) { return a->least <= ROUNDING * (a->size + bri_abs(a->best[0]) / a->rho); }

/* step = -(derivative)^-1 phi at r, measured just before. */
static void find_step(const Local *a, const double *r, double *step) {
    int rows = a->block->rows;
    enum { WORK = 200 };
    double A[MOST * MOST], none[MOST] = {0};
    bri_spend(a->budget, WORK);
    if (r[0] - a->rho * a->u[0] <= 0) { /* open */
        for (int i = 0; i < rows; i++) step[i] = -r[i];
        return;
    }
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < rows; j++) A[i * rows + j] = a->W[i * a->stride + j];
        A[i * (rows + 1)] += NUDGE / a->rho;
        step[i] = -a->phi[i];
    }
    bri_cone_slide(&(BriConePoint){a->block, 1, a->rho, r, a->u}, 0, rows, A, none);
    bri_eliminate(A, rows, step);
}

static void iterate(Local *a, double *r) {
    int rows = a->block->rows;
    measure(a, r);
    for (int k = 0; k < STEPS && !is_done(a); k++) {
        double step[MOST], trial[MOST] = {0}, before = a->merit, length = 1;
        find_step(a, r, step);
        for (int halving = 0; halving <= HALVINGS; halving++, length *= 0.5) {
            for (int i = 0; i < rows; i++) trial[i] = r[i] + length * step[i];
            measure(a, trial);
            if (a->merit < before) break;
        }
        if (!(a->merit < before)) return;
        memcpy(r, trial, sizeof trial);
    }
}

/* r <- P(r - rho u~), some times. */
static void approach(Local *a, int times, double *r) {
    BriDisc disc[BRI_DISCS];
    int discs = bri_block_discs(a->block, disc);
    for (int k = 0; k < times; k++) {
        measure(a, r);
        for (int i = 0; i < discs; i++) {
            double sum = 0;
            for (int j = disc[i].first; j < disc[i].first + disc[i].rows; j++) sum += a->u[j] * a->u[j];
            a->u[0] += disc[i].mu * bri_sqrt(sum);
        }
        for (int i = 0; i < a->block->rows; i++) r[i] -= a->rho * a->u[i];
        bri_block_project(a->block, r);
    }
}

double bri_moments_solve(const BriBlock *block, const double *W, int stride, const double *b, double rho,
                         BriBudget *budget, double *r) {
    size_t bytes = (size_t)block->rows * sizeof(double);
    Local a = {
        .block = block, .W = W, .b = b, .stride = stride, .rho = rho, .budget = budget, .least = __builtin_inf()};
    double at[MOST] = {0};
    if (b[0] >= 0) {
        memset(r, 0, bytes);
        return 0;
    }
    for (int i = 0; i < block->rows; i++) a.size = bri_max(a.size, bri_abs(b[i]));
    memcpy(a.best, r, bytes);
    memcpy(at, r, bytes);
    for (int start = 0, times = PROJECTED; start < STARTS && !is_done(&a); start++) {
        if (start == 1) memset(at, 0, sizeof at);
        if (start == 1 && W[0] > 0) at[0] = -b[0] / W[0];
        if (start > 1) {
            memcpy(at, a.best, sizeof at);
            approach(&a, times, at);
            times *= 10;
        }
        iterate(&a, at);
    }
    memcpy(r, a.best, bytes);
    return a.least;
}
