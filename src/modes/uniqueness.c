/* uniqueness.c: see uniqueness.h.
 *
 * One contact. With e = mu |W_NT|/W_NN (of a slip along d: mu W_NT.d/W_NN) there is one answer for every b if
 *     it slips, or stays in a plane:      e < 1
 *     it rests, in space:                 e (k + 1)/(2 sqrt k) < 1,    k: condition of S = W_TT - W_TN W_NT/W_NN     (12.5)
 * For, with u_N = 0, friction T of a slide solves (S + l) T = -c for some l >= 0; the excess |T| - mu N falls with l at the
 * rate (T^ + e^).(S + l)^-1 T^ |T| (T^, e^: T and -mu W_NT/W_NN by their lengths, the second times e), and by Kantorovich
 * y.T^ >= |y| 2 sqrt k/(k + 1) for y = (S + l)^-1 T^. So it is zero once, or friction holds at l = 0. e < 1 alone is not
 * enough: a compact body may hold, or slide two ways (tests/test_answers.c).
 *
 * Several that slip: the linear complementarity problem of N with A_ij = W_(n i, n j) - W_(n i, t j) drag_j has one answer
 * for every b if and only if all its principal minors are positive [Cottle, Pang, Stone 1992, 3.3.7].                 (12.6)
 *
 * Any, where mu_s = mu_k for those at rest: the energy of the difference of two answers (definite.c).              (12.7)
 *
 * Any that rest. If normal forces p* alone leave u*_t = 0 everywhere, D_t.Du_t = t.u_t <= 0 and D_n Du_n <= 0 for every
 * other answer: again E = 0. So what lies flat has one answer, however its contacts depend on each other.            (12.8)
 */
#include "modes/uniqueness.h"

#include "linalg/dense.h"
#include "linalg/eigenvalues.h"
#include "math/vec.h"
#include "modes/answers.h"
#include "modes/definite.h"

#include <string.h>

enum { MOST_SIGNED = 5 }; /* contacts whose slides are asked in all directions of their plane */

static const double MARGIN = 1e-9; /* of numbers near 1: a proof has to have some */

/* W_NN and how much of it a unit of friction takes, in the worst direction that is asked. */
static double find_across(const BriModes *m) {
    const BriModeContact *c = &m->contact[0];
    double speed = bri_sqrt(c->slip[0] * c->slip[0] + c->slip[1] * c->slip[1]);
    const double *row = m->W[0];
    if (c->kind == BRI_CASE_IN_LINE) return bri_abs(row[1]);
    if (c->kind == BRI_CASE_SLIPS && speed > 1e-9) return (row[1] * c->slip[0] + row[2] * c->slip[1]) / speed;
    return bri_sqrt(row[1] * row[1] + row[2] * row[2]);
}

/* (k + 1)/(2 sqrt k) of (12.5); infinite: S is singular. */
static double find_skew(const BriModes *m) {
    double S[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) S[i][j] = m->W[1 + i][1 + j] - m->W[1 + i][0] * m->W[0][1 + j] / m->W[0][0];
    double mean = 0.5 * (S[0][0] + S[1][1]), product = S[0][0] * S[1][1] - S[0][1] * S[1][0];
    return product > MARGIN ? mean / bri_sqrt(product) : __builtin_inf();
}

static bool prove_one(const BriModes *m) {
    const BriModeContact *c = &m->contact[0];
    double N = m->W[0][0], mu = c->kind == BRI_CASE_SLIPS ? c->mu_k : c->mu_s;
    double e = mu * find_across(m);
    if (!(N > MARGIN)) return false;
    if (c->kind == BRI_CASE_RESTS) e *= find_skew(m);
    return N - e > MARGIN;
}

/* ------------------------------------------------------------------ slides */

/* W_(n i, n j) and W_(n i, t j) drag_j of the contacts in `set` (bits); of those without slip drag is +-mu_s along t1, by
 * the bits of `signs`. Returns how many. */
static int gather(const BriModes *m, unsigned set, unsigned signs, double *N, double *T) {
    int list[BRI_MODES], count = 0;
    for (int k = 0; k < m->contacts; k++)
        if (set >> k & 1) list[count++] = k;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            const BriModeContact *c = &m->contact[list[j]];
            const double *W = &m->W[3 * list[i]][3 * list[j]];
            bool slips = c->kind == BRI_CASE_SLIPS;
            double sign = signs >> list[j] & 1 ? 1 : -1;
            N[count * i + j] = W[0];
            T[count * i + j] = slips ? W[1] * c->drag[0] + W[2] * c->drag[1] : sign * c->mu_s * W[1];
        }
    return count;
}

static double find_determinant(double *A, int n) {
    int pivot[BRI_MODES];
    double product = 1;
    if (!bri_lu_factor(A, n, n, pivot)) return 0;
    for (int i = 0; i < n; i++) product *= pivot[i] == i ? A[n * i + i] : -A[n * i + i];
    return product;
}

static bool has_positive_minors(const BriModes *m) {
    double N[BRI_MODES * BRI_MODES], T[BRI_MODES * BRI_MODES];
    for (unsigned set = 1; set < 1u << m->contacts; set++) {
        int n = gather(m, set, 0, N, T);
        for (int i = 0; i < n * n; i++) N[i] -= T[i];
        if (!(find_determinant(N, n) > MARGIN)) return false;
    }
    return true;
}

/* ------------------------------------------------------------------ what lies flat */

static bool lies_flat(const BriModes *m) {
    BriModes smooth = *m;
    for (int k = 0; k < m->contacts; k++) {
        if (m->contact[k].kind == BRI_CASE_SLIPS && m->contact[k].mu_k > 0) return false;
        smooth.contact[k].kind = BRI_CASE_SLIPS;
        smooth.contact[k].drag[0] = smooth.contact[k].drag[1] = 0;
    }
    BriModeAnswer answer;
    if (!bri_find_first_answer(&smooth, &answer)) return false;
    bool still = true;
    for (int r = 0; r < 3 * m->contacts; r++)
        still = still && (r % 3 == 0 || bri_abs(answer.u[r]) <= MARGIN || m->contact[r / 3].mu_s == 0);
    return still; /* without friction there is one acceleration */
}

static BriDefinite prove_by_energy(const BriModes *m) {
    double scratch[2 * BRI_MODE_ROWS * BRI_MODE_ROWS + 4 * BRI_MODE_ROWS]; /* bri_definite_scratch(BRI_MODES) */
    BriModeView view = bri_modes_view(m);
    return bri_prove_definite(&view, scratch, NULL);
}

BriProof bri_prove_unique(const BriModes *m) {
    bool slips = true;
    for (int k = 0; k < m->contacts; k++) slips = slips && m->contact[k].kind == BRI_CASE_SLIPS;
    if (m->contacts == 1 && prove_one(m)) return BRI_PROOF_ONE;
    if (m->contacts > 1 && slips && has_positive_minors(m)) return BRI_PROOF_MINORS;
    BriDefinite definite = m->contacts > 1 ? prove_by_energy(m) : BRI_DEFINITE_NOT;
    if (definite == BRI_DEFINITE_ONE) return BRI_PROOF_ENERGY;
    if (!m->unloaded && lies_flat(m)) return BRI_PROOF_REST;
    return definite == BRI_DEFINITE_SHARED ? BRI_PROOF_AT_MOST : BRI_PROOF_NONE;
}

/* ------------------------------------------------------------------ Painleve's boundary */

/* det(N - s T) = 0 for the least s > 0: 1/s is the largest real eigenvalue of N^-1 T. NaN: N is singular. */
static double find_least_factor(double *N, double *T, int n) {
    double column[BRI_MODES], re[BRI_MODES], im[BRI_MODES], most = 0;
    int pivot[BRI_MODES];
    if (!bri_lu_factor(N, n, n, pivot)) return __builtin_nan("");
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) column[i] = T[n * i + j];
        bri_lu_solve(N, n, n, pivot, column);
        for (int i = 0; i < n; i++) T[n * i + j] = column[i];
    }
    if (!bri_eigenvalues(T, n, re, im)) return __builtin_nan("");
    for (int i = 0; i < n; i++)
        if (bri_abs(im[i]) <= MARGIN * bri_max(1, bri_abs(re[i]))) most = bri_max(most, re[i]);
    return most > MARGIN ? 1 / most : __builtin_inf();
}

double bri_find_painleve(const BriModes *m) {
    double least = __builtin_inf(), N[BRI_MODES * BRI_MODES], T[BRI_MODES * BRI_MODES];
    unsigned free = 0;
    if (m->contacts == 1) {
        double across = find_across(m);
        return across > 1e-12 ? m->W[0][0] / across : least;
    }
    if (!m->in_plane || m->contacts > MOST_SIGNED) return __builtin_nan("");
    for (int k = 0; k < m->contacts; k++) free |= (unsigned)(m->contact[k].kind == BRI_CASE_IN_LINE) << k;
    for (unsigned set = 1; set < 1u << m->contacts; set++)
        for (unsigned signs = 0; signs < 1u << m->contacts; signs++) {
            if (signs & ~(free & set)) continue;
            double factor = find_least_factor(N, T, gather(m, set, signs, N, T));
            if (!(factor == factor)) return factor;
            least = bri_min(least, factor);
        }
    return least;
}
