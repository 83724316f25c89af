/* definite.c: see definite.h. Let x be the difference of the forces of two answers: of a contact that slips along its
 * n - drag, of one at rest along n, t1, t2; F x: along the rows of W. Complementarity gives x_n Du_n <= 0; of those at
 * rest with mu_s = mu_k Coulomb's law gives x_t.Du_t <= mu |x_n| |Du_t|. Summed up, with G = the same rows of W F,
 *
 *     x.Q x <= sum over those at rest of mu |x_n| |Du_t|,     Q = (G + G')/2                                    (12.7)
 *
 * Friction of what slips stands in Q with its sign. If Q has no negative eigenvalue, what it does not see (x.Q x = 0) moves
 * nothing, and has no part in the x_n of those at rest,
 *     x_n^2 <= x.Q x (Q^-1)_nn,   |Du_t|^2 <= x.Q x l_max(R Q^-1 R'),   R: rows t of W F
 * with Q^-1 of rows that do not depend on others; and if sum mu sqrt((Q^-1)_nn l_max) < 1 there is one acceleration. Rows
 * that are independent then have one answer for every b: with friction growing from nothing no answer can leave or come. So have
 * bounded rows (D_p Du <= 0, one row of Q) that depend on each other: their forces cannot grow without end. */
#include "modes/definite.h"

#include "linalg/semidefinite.h"
#include "math/vec.h"

#include <string.h>

static const double MARGIN = 1e-9;   /* of numbers near 1: a proof has to have some */
static const double NOTHING = 1e-11; /* the same: rounding of Q */

typedef struct Proof {
    const BriModeView *m;
    int count;               /* of forces */
    int *force;              /* per force its row of W */
    int *order;              /* of Q's rows */
    const double (*drag)[2]; /* of contacts at rest, about an answer; NULL: none */
    double *WF, *Q;          /* row i at i * count */
    double *x, *y;
    bool shares; /* loads of contacts may be shared */
} Proof;

static int count_rows(const BriModeContact *c) {
    return c->kind == BRI_CASE_SLIPS ? 1 : c->kind == BRI_CASE_IN_LINE ? 2 : 3;
}

size_t bri_definite_scratch(int contacts) {
    size_t rows = 3 * (size_t)contacts;
    return 2 * rows * rows + 4 * rows;
}

double bri_definite_work(int contacts) {
    double rows = 3. * contacts;
    return rows * rows * (rows / 3 + rows + 10);
}

static void list_forces(Proof *p) {
    p->count = 0;
    for (int k = 0; k < p->m->contacts; k++)
        for (int i = p->m->contact[k].borne ? 1 : 0; i < count_rows(&p->m->contact[k]); i++)
            p->force[p->count++] = 3 * k + i;
}

/* What friction, or a moment, that goes with a normal force takes from a row of W. */
static double find_dragged(const Proof *p, const double *W, int k) {
    const BriModeContact *c = &p->m->contact[k];
    const double *drag = c->kind == BRI_CASE_SLIPS ? c->drag : p->drag ? p->drag[k] : NULL;
    return drag ? drag[0] * W[3 * k + 1] + drag[1] * W[3 * k + 2] : 0;
}

/* What a force does to a row of W. */
static double find_entry(const Proof *p, const double *W, int force) {
    const BriModeContact *contact = p->m->contact;
    int k = force / 3, n = p->m->contacts;
    if (force % 3) return W[force];
    double sum = W[force] - find_dragged(p, W, k);
    for (int j = bri_next_borne(contact, n, k, 0); j; j = bri_next_borne(contact, n, k, j))
        sum -= find_dragged(p, W, j);
    return sum;
}

/* W F, and from its rows Q. */
static void fill(Proof *p) {
    const BriModeView *m = p->m;
    size_t n = (size_t)p->count;
    for (int i = 0; i < 3 * m->contacts; i++) {
        const double *W = m->W + (size_t)i * (size_t)m->stride;
        for (int j = 0; j < p->count; j++) p->WF[(size_t)i * n + (size_t)j] = find_entry(p, W, p->force[j]);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            p->Q[i * n + j] = 0.5 * (p->WF[(size_t)p->force[i] * n + j] + p->WF[(size_t)p->force[j] * n + i]);
}

/* Has a contact at rest friction, or a moment? Then x_n of what bears it counts. */
static bool rubs(const BriModeContact *c) { return c->kind != BRI_CASE_SLIPS && c->mu_s > 0; }

static bool counts(const Proof *p, int k) {
    const BriModeContact *contact = p->m->contact;
    bool any = rubs(&contact[k]);
    int n = p->m->contacts;
    for (int j = bri_next_borne(contact, n, k, 0); j; j = bri_next_borne(contact, n, k, j))
        any = any || rubs(&contact[j]);
    return any;
}

/* What Q does not see, one vector for each row that depends on others: x of the rows taken, and 1 for that row. */
static bool moves_nothing(Proof *p, int taken, int left) {
    const BriModeView *m = p->m;
    size_t n = (size_t)p->count;
    double size = 1;
    for (int i = 0; i < taken; i++) p->x[i] = -p->Q[(size_t)left * n + (size_t)i]; /* L21: Q_aa^-1 Q_ab = L11^-T L21' */
    bri_semidefinite_back(p->Q, p->count, taken, p->x);
    for (int i = 0; i < taken; i++) size = bri_max(size, bri_abs(p->x[i]));
    for (int i = 0; i <= taken; i++) {
        int row = p->force[p->order[i < taken ? i : left]];
        double part = i < taken ? p->x[i] : 1;
        if (bri_abs(part) <= MARGIN * size) continue;
        if (row % 3 == 0 && !p->drag && counts(p, row / 3)) return false;
        p->shares = p->shares || !m->contact[row / 3].bounded;
    }
    for (int r = 0; r < 3 * m->contacts; r++) {
        double sum = p->WF[(size_t)r * n + (size_t)p->order[left]];
        for (int i = 0; i < taken; i++) sum += p->WF[(size_t)r * n + (size_t)p->order[i]] * p->x[i];
        if (bri_abs(sum) > 1e2 * MARGIN * size) return false;
    }
    return true;
}

/* y = L^-1 of a row of W F, in the order of the rows taken. */
static void bring(const Proof *p, int taken, int row, double *y) {
    for (int i = 0; i < taken; i++) y[i] = p->WF[(size_t)row * (size_t)p->count + (size_t)p->order[i]];
    bri_semidefinite_forward(p->Q, p->count, taken, y);
}

static double dot(const double *x, const double *y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* mu sqrt((Q^-1)_nn l_max) of a contact at rest, or of a moment. */
static double find_share(const Proof *p, int taken, int k) {
    const BriModeContact *c = &p->m->contact[k];
    double *x = p->x, *y = p->y;
    for (int i = 0; i < taken; i++) x[i] = p->force[p->order[i]] == 3 * bri_bearer(c, k);
    bri_semidefinite_forward(p->Q, p->count, taken, x);
    double normal = dot(x, x, taken), first, second, both;
    bring(p, taken, 3 * k + 1, x);
    first = dot(x, x, taken);
    if (c->kind == BRI_CASE_IN_LINE) return c->mu_s * bri_sqrt(normal * first);
    bring(p, taken, 3 * k + 2, y);
    second = dot(y, y, taken), both = dot(x, y, taken);
    double middle = 0.5 * (first + second), half = 0.5 * (first - second);
    return c->mu_s * bri_sqrt(normal * (middle + bri_sqrt(half * half + both * both)));
}

static Proof begin(const BriModeView *m, const double (*drag)[2], double *scratch) {
    size_t rows = 3 * (size_t)m->contacts;
    Proof p = {.m = m, .drag = drag, .WF = scratch, .Q = scratch + rows * rows};
    p.x = p.Q + rows * rows, p.y = p.x + rows;
    p.force = (int *)(p.y + rows), p.order = p.force + rows;
    return p;
}

/* Has Q no negative eigenvalue, and does what it does not see move nothing? Returns how many rows were taken; -1: no. */
static int find_rank(Proof *p) {
    list_forces(p);
    fill(p);
    int taken = bri_semidefinite_factor(p->Q, p->count, NOTHING, p->order);
    for (int left = taken; taken >= 0 && left < p->count; left++)
        if (!moves_nothing(p, taken, left)) return -1;
    return taken;
}

bool bri_prove_definite_about(const BriModeView *m, const double (*drag)[2], double *scratch, BriBudget *budget) {
    Proof p = begin(m, drag, scratch);
    return bri_spend(budget, bri_definite_work(m->contacts)) && find_rank(&p) >= 0;
}

BriDefinite bri_prove_definite(const BriModeView *m, double *scratch, BriBudget *budget) {
    Proof p = begin(m, NULL, scratch);
    for (int k = 0; k < m->contacts; k++)
        if (rubs(&m->contact[k]) && m->contact[k].mu_s > m->contact[k].mu_k) return BRI_DEFINITE_NOT;
    if (!bri_spend(budget, bri_definite_work(m->contacts))) return BRI_DEFINITE_NOT;
    int taken = find_rank(&p);
    if (taken < 0) return BRI_DEFINITE_NOT;
    double sum = 0;
    for (int k = 0; k < m->contacts && sum < 1; k++)
        if (rubs(&m->contact[k])) sum += find_share(&p, taken, k);
    if (!(sum < 1 - MARGIN)) return BRI_DEFINITE_NOT;
    return p.shares ? BRI_DEFINITE_SHARED : BRI_DEFINITE_ONE;
}
