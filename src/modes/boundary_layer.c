/* boundary_layer.c: see boundary_layer.h. About an answer, deflections z of the contacts that are closed (their normals,
 * and the tangents of those that roll) move fast, while all else stands still [Song, Kraus, Kumar, Dupont 2000, Eq. 25]:
 *
 *     z'' + P z' + Q z = 0,    P = A C,  Q = A K,    A_ij = W along row i, of the force that goes with z_j          (12.10)
 *
 * K, C: stiffness and viscosity of the law at the answer's force. Of a slide the force is n - drag: its friction goes with
 * its normal force, so that A is not symmetric. Stable: all eigenvalues of (0 1; -Q -P) have negative real parts. For one
 * contact that slides A = W_NN - mu W_NT.d is one number, whose sign alone decides: Song's Table 1.
 *
 * It needs rows of W that are independent (else the paper's Gamma is singular, and K alone says how they share). A contact
 * that is open with u_N = 0 may close at a touch: what is said holds with it closed as well, or is worse. */
#include "modes/boundary_layer.h"

#include "linalg/dense.h"
#include "linalg/eigenvalues.h"
#include "math/vec.h"

#include <string.h>

enum { MOST = 120 }; /* rows that move fast: beyond, their eigenvalues take more than all else */

static const double NOTHING = 1e-9; /* of numbers near 1 */
/* Of A no more is known than 1e-11; growth is its root, decay its multiple. */
static const double GROWS = 3e-6, DECAYS = 1e-11;

/* Rows that move fast. */
typedef struct Fast {
    int count, *row, *contact, *pivot;
    double (*force)[3]; /* that goes with it, along n, t1, t2 */
    double *K, *C;
    double *matrix, *scratch; /* 4 count^2; for eigenvalues */
    BriBudget *budget;
} Fast;

BriGive bri_any_give(double scale) {
    double viscosity = 0.5 / scale; /* damping ratio 1/4 by itself */
    return (BriGive){1, viscosity, 1, viscosity};
}

static double couple(const BriModeView *m, int row, int column) {
    return m->W[(size_t)row * (size_t)m->stride + (size_t)column];
}

static void add_fast(Fast *f, int contact, int row, double stiffness, double viscosity) {
    f->row[f->count] = 3 * contact + row;
    f->contact[f->count] = contact;
    for (int i = 0; i < 3; i++) f->force[f->count][i] = i == row;
    f->K[f->count] = stiffness, f->C[f->count] = viscosity;
    f->count++;
}

static bool grazes(const BriAnswerView *a, int k) {
    return a->mode[k] == BRI_MODE_OPEN && bri_abs(a->u[3 * k]) <= NOTHING;
}

/* closing: what is open with u_N = 0 too. */
static void list_fast(const BriModeView *m, const BriAnswerView *a, const BriGive *give, bool closing, Fast *f) {
    f->count = 0;
    for (int k = 0; k < m->contacts; k++) {
        const BriModeContact *c = &m->contact[k];
        bool opens = a->mode[k] == BRI_MODE_OPEN, closes = closing && grazes(a, k);
        bool slides = a->mode[k] == BRI_MODE_SLIDES || closes; /* at rest without force it has no friction either */
        double unit = m->scale[k] * m->scale[k];
        const double *drag = opens ? c->drag : a->drag[k];
        if (opens && !closes) continue;
        if (c->bounded && (slides || !(couple(m, 3 * k, 3 * k) > NOTHING)))
            continue; /* a force, or held by joints too */
        add_fast(f, k, 0, unit * give[k].stiffness, unit * give[k].viscosity);
        if (slides) f->force[f->count - 1][1] = -drag[0], f->force[f->count - 1][2] = -drag[1];
        for (int t = 1; !slides && t < 3; t++)
            if (couple(m, 3 * k + t, 3 * k + t) > NOTHING) /* else joints hold it */
                add_fast(f, k, t, unit * give[k].tangent_stiffness, unit * give[k].tangent_viscosity);
    }
}

/* What row i has of the force that goes with row j. */
static double find_entry(const BriModeView *m, const Fast *f, int i, int j) {
    const double *W = m->W + (size_t)f->row[i] * (size_t)m->stride + 3 * (size_t)f->contact[j];
    return W[0] * f->force[j][0] + W[1] * f->force[j][1] + W[2] * f->force[j][2];
}

static bool is_independent(const BriModeView *m, const Fast *f) {
    int n = f->count;
    double *A = f->matrix;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[n * i + j] = couple(m, f->row[i], f->row[j]);
    if (!bri_lu_factor(A, n, n, f->pivot)) return false;
    for (int i = 0; i < n; i++)
        if (!(bri_abs(A[n * i + i]) > NOTHING)) return false;
    return true;
}

/* (0 1; -A K -A C) in the time in which the stiffest one swings. */
static bool find_growth(const BriModeView *m, const Fast *f, double *growth) {
    int n = f->count, rows = 2 * n;
    double *J = f->matrix, *re = f->scratch, *im = re + rows, stiffest = 0;
    memset(J, 0, (size_t)rows * (size_t)rows * sizeof *J);
    for (int j = 0; j < n; j++) stiffest = bri_max(stiffest, f->K[j]);
    for (int i = 0; i < n; i++) {
        J[rows * i + n + i] = 1;
        for (int j = 0; j < n; j++) {
            double A = find_entry(m, f, i, j);
            J[rows * (n + i) + j] = -A * f->K[j] / stiffest;
            J[rows * (n + i) + n + j] = -A * f->C[j] / bri_sqrt(stiffest);
        }
    }
    if (!bri_eigenvalues_with(J, rows, im + rows, re, im)) return false;
    *growth = re[0];
    for (int i = 1; i < rows; i++) *growth = bri_max(*growth, re[i]);
    return true;
}

static BriLayer find_one(const BriModeView *m, const BriAnswerView *a, const BriGive *give, bool closing, Fast *f) {
    list_fast(m, a, give, closing, f);
    BriLayer layer = {.settling = BRI_STABLE, .rows = f->count, .growth = -__builtin_inf()};
    if (f->count == 0) return layer;
    bool independent = is_independent(m, f);
    double n = f->count, work = 640 * n * n * n; /* of eigenvalues, in complex numbers */
    if (!independent || n > MOST || !bri_can_spend(f->budget, work)) {
        layer.settling = independent ? BRI_UNTOLD : BRI_DEPENDENT;
        return layer;
    }
    bri_spend(f->budget, work);
    bool known = find_growth(m, f, &layer.growth);
    if (!known || layer.growth >= -DECAYS) layer.settling = BRI_DEGENERATE;
    if (known && layer.growth > GROWS) layer.settling = BRI_UNSTABLE;
    return layer;
}

/* Of the matrices of all rows, and of twice as many if those are not too many. */
static size_t count_entries(int contacts) {
    size_t n = 3 * (size_t)contacts, fast = n < MOST ? n : MOST;
    return n * n > 4 * fast * fast ? n * n : 4 * fast * fast;
}

size_t bri_layer_scratch(int contacts) {
    size_t n = 3 * (size_t)contacts, fast = n < MOST ? n : MOST;
    return 8 * n + count_entries(contacts) + 4 * fast + bri_eigenvalues_scratch((int)(2 * fast));
}

BriLayer bri_find_layer_with(const BriModeView *m, const BriAnswerView *a, const BriGive *give, double *scratch,
                             BriBudget *budget) {
    size_t n = 3 * (size_t)m->contacts;
    Fast f = {.budget = budget, .force = (double(*)[3])scratch, .K = scratch + 3 * n, .C = scratch + 4 * n};
    f.row = (int *)(scratch + 5 * n), f.contact = (int *)(scratch + 6 * n), f.pivot = (int *)(scratch + 7 * n);
    f.matrix = scratch + 8 * n, f.scratch = f.matrix + count_entries(m->contacts);
    BriLayer open = find_one(m, a, give, false, &f), closed = find_one(m, a, give, true, &f);
    if (open.settling == BRI_STABLE || closed.settling == BRI_UNSTABLE) return closed;
    return open;
}

BriLayer bri_find_layer(const BriModes *m, const BriModeAnswer *a, const BriGive *give) {
    double scratch[12 * BRI_MODE_ROWS + 12 * BRI_MODE_ROWS * BRI_MODE_ROWS + 8 * BRI_MODE_ROWS];
    BriModeView view = bri_modes_view(m);
    BriAnswerView answer = {a->mode, a->drag, a->p, a->u};
    return bri_find_layer_with(&view, &answer, give, scratch, NULL); /* bri_layer_scratch(BRI_MODES) */
}
