/* alone.c: see alone.h. Let an answer have the forces p and the accelerations u, any other one p' and u'. For each contact at
 * rest take some r with
 *     p_t = -r p_n,    |r| <= mu_k,    r = mu u_t/|u_t| where u_t is not zero                                   (12.15)
 * and tell the difference of their forces as x_n (n - r) + y t: x_n = p_n' - p_n, y = p_t' + r p_n'. By Coulomb's law
 *     y.(u_t' - u_t) <= 0,    as  p_t'.u_t' = -mu p_n' |u_t'|,  p_t'.u_t >= -mu p_n' |u_t|,  r.u_t = mu |u_t|
 * and x_n Du_n <= 0 by complementarity, so that x.Q x <= 0 for Q of (12.7) with n - r in place of n, and nothing is lost
 * on its right side. If Q has no negative eigenvalue and what it does not see moves nothing, u' = u.
 *
 * How contacts of one face share its friction is open while it holds. What they carry alike, like a stamp that is turned,
 *     r_i = r_0 + w n x (place_i - c)                                                                          (12.16)
 * makes the loads that move nothing move nothing along n - r either (a face that is pushed straight: w = 0; four corners of a
 * rectangle: any w). It is taken where it does what the forces do, and friction bears it. */
#include "modes/alone.h"

#include "math/vec.h"
#include "modes/definite.h"

#include <string.h>

static const double NOTHING = 1e-9; /* of numbers near 1 */

typedef struct Alone {
    const BriModeView *m;
    const BriAnswerView *answer;
    double (*drag)[2]; /* r, per contact */
    double *p;         /* forces with it */
} Alone;

static bool may_hold(const BriModeContact *c) { return c->kind != BRI_CASE_SLIPS; }

static BrVec3 place_of(const BriModeContact *c) { return bri_vec(c->place[0], c->place[1], c->place[2]); }

static BrVec3 axis_of(const BriModeContact *c, int i) {
    return bri_vec(c->frame[i][0], c->frame[i][1], c->frame[i][2]);
}

/* The normal force that bears friction or a moment. */
static double load_of(const Alone *a, int k) { return a->answer->p[3 * bri_bearer(&a->m->contact[k], k)]; }

static double length_of(const double *pair) { return bri_sqrt(pair[0] * pair[0] + pair[1] * pair[1]); }

/* Does a contact at rest begin to slide in the answer? */
static bool begins(const Alone *a, int k) { return length_of(a->answer->u + 3 * k + 1) > NOTHING; }

/* r of each contact as the answer has it. false: (12.15) cannot be had, however it is shared. */
static bool find_own_drags(Alone *a) {
    for (int k = 0; k < a->m->contacts; k++) {
        const BriModeContact *c = &a->m->contact[k];
        const double *p = a->answer->p + 3 * k, *u = a->answer->u + 3 * k + 1, N = load_of(a, k);
        if (!may_hold(c)) continue;
        bool slides = begins(a, k);
        if (slides && c->mu_s > c->mu_k) return false; /* one that held would pull harder */
        for (int i = 0; i < 2; i++) {
            a->drag[k][i] = slides ? c->mu_k * u[i] / length_of(u) : N > NOTHING ? -p[1 + i] / N : 0;
            a->p[3 * k + 1 + i] = -a->drag[k][i] * N;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ faces */

/* What the contacts of a face carry together. */
typedef struct Carried {
    double load;
    BrVec3 force, middle;  /* of friction; where the load acts */
    double moment, spread; /* of friction about that along n; of the load */
} Carried;

static BrVec3 friction_of(const Alone *a, int k) {
    const double *p = a->answer->p + 3 * k;
    return bri_add(bri_scale(p[1], axis_of(&a->m->contact[k], 1)), bri_scale(p[2], axis_of(&a->m->contact[k], 2)));
}

/* Of the face of contact `first`, whose friction holds; false: it begins to slide, or carries nothing. */
static bool find_carried(const Alone *a, int first, Carried *s) {
    const BriModeView *m = a->m;
    *s = (Carried){0};
    for (int k = first; k < m->contacts; k++) {
        double N = load_of(a, k), unit = 1 / m->scale[k]; /* newtons alike for all */
        if (m->contact[k].face != m->contact[first].face) continue;
        if (!may_hold(&m->contact[k]) || begins(a, k)) return false;
        s->load += unit * N;
        s->force = bri_add_scaled(s->force, unit, friction_of(a, k));
        s->middle = bri_add_scaled(s->middle, unit * N, place_of(&m->contact[k]));
    }
    if (!(s->load * m->scale[first] > NOTHING)) return false;
    s->middle = bri_scale(1 / s->load, s->middle);
    for (int k = first; k < m->contacts; k++) {
        if (m->contact[k].face != m->contact[first].face) continue;
        double unit = 1 / m->scale[k];
        BrVec3 arm = bri_sub(place_of(&m->contact[k]), s->middle);
        s->moment += unit * bri_dot(axis_of(&m->contact[first], 0), bri_cross(arm, friction_of(a, k)));
        s->spread += unit * load_of(a, k) * bri_dot(arm, arm);
    }
    return true;
}

/* (12.16) on one face. */
static void share_alike(Alone *a, int first, const Carried *s) {
    const BriModeView *m = a->m;
    BrVec3 n = axis_of(&m->contact[first], 0), all = bri_scale(-1 / s->load, s->force);
    double turn = s->spread > 0 ? -s->moment / s->spread : 0;
    for (int k = first; k < m->contacts; k++) {
        const BriModeContact *c = &m->contact[k];
        if (c->face != m->contact[first].face) continue;
        BrVec3 r = bri_add_scaled(all, turn, bri_cross(n, bri_sub(place_of(c), s->middle)));
        double along[2] = {bri_dot(r, axis_of(c, 1)), bri_dot(r, axis_of(c, 2))}, N = load_of(a, k);
        double size = length_of(along), part = N > NOTHING || size <= c->mu_k ? 1 : c->mu_k / size;
        for (int i = 0; i < 2; i++) {
            a->drag[k][i] = part * along[i];
            a->p[3 * k + 1 + i] = -a->drag[k][i] * N;
        }
    }
}

/* Are the forces borne, and do they do what those of the answer do? */
static bool is_the_same(const Alone *a) {
    const BriModeView *m = a->m;
    double size = 1;
    for (int i = 0; i < 3 * m->contacts; i++) size = bri_max(size, bri_abs(a->answer->p[i]));
    for (int k = 0; k < m->contacts; k++)
        if (may_hold(&m->contact[k]) && !(length_of(a->drag[k]) <= m->contact[k].mu_k + NOTHING)) return false;
    for (int i = 0; i < 3 * m->contacts; i++) {
        const double *W = m->W + (size_t)i * (size_t)m->stride;
        double sum = 0;
        if (i % 3 == 2 && m->contact[i / 3].kind == BRI_CASE_IN_LINE) continue; /* out of the plane */
        for (int j = 0; j < 3 * m->contacts; j++) sum += W[j] * (a->p[j] - a->answer->p[j]);
        if (!(bri_abs(sum) <= 1e2 * NOTHING * size)) return false;
    }
    return true;
}

static void share_faces(Alone *a) {
    const BriModeView *m = a->m;
    for (int k = 0; k < m->contacts; k++) {
        Carried s;
        bool first = may_hold(&m->contact[k]);
        for (int j = 0; j < k && first; j++) first = m->contact[j].face != m->contact[k].face;
        if (first && find_carried(a, k, &s)) share_alike(a, k, &s);
    }
}

/* ------------------------------------------------------------------ the proof */

size_t bri_alone_scratch(int contacts) { return bri_definite_scratch(contacts) + 5 * (size_t)contacts; }

bool bri_prove_alone(const BriModeView *m, const BriAnswerView *answer, double *scratch, BriBudget *budget) {
    size_t n = (size_t)m->contacts;
    Alone a = {m, answer, (double(*)[2])scratch, scratch + 2 * n};
    double rows = 3. * m->contacts;
    if (!bri_can_spend(budget, 2 * bri_definite_work(m->contacts) + 4 * rows * rows)) return false;
    bri_spend(budget, 4 * rows * rows);
    memset(scratch, 0, 2 * n * sizeof *scratch);
    memcpy(a.p, answer->p, 3 * n * sizeof *a.p);
    if (!find_own_drags(&a)) return false;
    share_faces(&a);
    if (is_the_same(&a) && bri_prove_definite_about(m, a.drag, scratch + 5 * n, budget)) return true;
    find_own_drags(&a);
    return is_the_same(&a) && bri_prove_definite_about(m, a.drag, scratch + 5 * n, budget);
}

bool bri_is_alone(const BriModes *m, const BriModeAnswer *answer) {
    double scratch[2 * BRI_MODE_ROWS * BRI_MODE_ROWS + 4 * BRI_MODE_ROWS +
                   5 * BRI_MODES]; /* bri_alone_scratch(BRI_MODES) */
    BriModeView modes = bri_modes_view(m);
    BriAnswerView view = {answer->mode, answer->drag, answer->p, answer->u};
    return bri_prove_alone(&modes, &view, scratch, NULL);
}
