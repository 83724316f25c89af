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

enum { MOST = BRI_EIGEN_ROWS / 2 };

static const double NOTHING = 1e-9; /* of numbers near 1 */
/* Of A no more is known than 1e-11; growth is its root, decay its multiple. */
static const double GROWS = 3e-6, DECAYS = 1e-11;

/* Rows that move fast. */
typedef struct Fast {
    int count, row[MOST], contact[MOST];
    double force[MOST][3]; /* that goes with it, along n, t1, t2 */
    double K[MOST], C[MOST];
} Fast;

BriGive bri_any_give(const BriModes *m, int k) {
    double viscosity = 0.5 / m->scale[k]; /* damping ratio 1/4 by itself */
    return (BriGive){1, viscosity, 1, viscosity};
}

static void add_fast(Fast *f, int contact, int row, double stiffness, double viscosity) {
    f->row[f->count] = 3 * contact + row;
    f->contact[f->count] = contact;
    for (int i = 0; i < 3; i++) f->force[f->count][i] = i == row;
    f->K[f->count] = stiffness, f->C[f->count] = viscosity;
    f->count++;
}

static bool grazes(const BriModeAnswer *a, int k) {
    return a->mode[k] == BRI_MODE_OPEN && bri_abs(a->u[3 * k]) <= NOTHING;
}

/* closing: what is open with u_N = 0 too. */
static void list_fast(const BriModes *m, const BriModeAnswer *a, const BriGive *give, bool closing, Fast *f) {
    f->count = 0;
    for (int k = 0; k < m->contacts; k++) {
        const BriModeContact *c = &m->contact[k];
        bool opens = a->mode[k] == BRI_MODE_OPEN, closes = closing && grazes(a, k);
        bool slides = a->mode[k] == BRI_MODE_SLIDES || closes; /* at rest without force it has no friction either */
        double unit = m->scale[k] * m->scale[k];
        const double *drag = opens ? c->drag : a->drag[k];
        if (opens && !closes) continue;
        add_fast(f, k, 0, unit * give[k].stiffness, unit * give[k].viscosity);
        if (slides) f->force[f->count - 1][1] = -drag[0], f->force[f->count - 1][2] = -drag[1];
        for (int t = 1; !slides && t < 3; t++)
            if (m->W[3 * k + t][3 * k + t] > NOTHING) /* else joints hold it */
                add_fast(f, k, t, unit * give[k].tangent_stiffness, unit * give[k].tangent_viscosity);
    }
}

/* What row i has of the force that goes with row j. */
static double find_entry(const BriModes *m, const Fast *f, int i, int j) {
    const double *W = &m->W[f->row[i]][3 * f->contact[j]];
    return W[0] * f->force[j][0] + W[1] * f->force[j][1] + W[2] * f->force[j][2];
}

static bool is_independent(const BriModes *m, const Fast *f) {
    double A[MOST * MOST];
    int pivot[MOST], n = f->count;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[n * i + j] = m->W[f->row[i]][f->row[j]];
    if (!bri_lu_factor(A, n, n, pivot)) return false;
    for (int i = 0; i < n; i++)
        if (!(bri_abs(A[n * i + i]) > NOTHING)) return false;
    return true;
}

/* (0 1; -A K -A C) in the time in which the stiffest one swings. */
static bool find_growth(const BriModes *m, const Fast *f, double *growth) {
    double J[BRI_EIGEN_ROWS * BRI_EIGEN_ROWS] = {0}, re[BRI_EIGEN_ROWS], im[BRI_EIGEN_ROWS], stiffest = 0;
    int n = f->count;
    for (int j = 0; j < n; j++) stiffest = bri_max(stiffest, f->K[j]);
    for (int i = 0; i < n; i++) {
        J[2 * n * i + n + i] = 1;
        for (int j = 0; j < n; j++) {
            double A = find_entry(m, f, i, j);
            J[2 * n * (n + i) + j] = -A * f->K[j] / stiffest;
            J[2 * n * (n + i) + n + j] = -A * f->C[j] / bri_sqrt(stiffest);
        }
    }
    if (!bri_eigenvalues(J, 2 * n, re, im)) return false;
    *growth = re[0];
    for (int i = 1; i < 2 * n; i++) *growth = bri_max(*growth, re[i]);
    return true;
}

static BriLayer find_one(const BriModes *m, const BriModeAnswer *a, const BriGive *give, bool closing) {
    Fast f;
    list_fast(m, a, give, closing, &f);
    BriLayer layer = {.settling = BRI_STABLE, .rows = f.count, .growth = -__builtin_inf()};
    if (f.count == 0) return layer;
    if (!is_independent(m, &f)) {
        layer.settling = BRI_DEPENDENT;
        return layer;
    }
    bool known = find_growth(m, &f, &layer.growth);
    if (!known || layer.growth >= -DECAYS) layer.settling = BRI_DEGENERATE;
    if (known && layer.growth > GROWS) layer.settling = BRI_UNSTABLE;
    return layer;
}

BriLayer bri_find_layer(const BriModes *m, const BriModeAnswer *a, const BriGive *give) {
    BriLayer open = find_one(m, a, give, false), closed = find_one(m, a, give, true);
    if (open.settling == BRI_STABLE || closed.settling == BRI_UNSTABLE) return closed;
    return open;
}
