/* switched.c: see switched.h. K is the matrix of the factor, u_k the unit vector of a row k that is to leave it, or the
 * column (J_k^T, 0) of one that is to come in. Adding z_k u_k to the right-hand side is a freedom for each of them:
 *     K x + sum z_k u_k = b,    u_k.x = 0 (it has left: it does not push),   J_k dv = b_k (it has come: it holds)       (5.3)
 * With g_k = K^-1 u_k, the response to it,
 *     x = K^-1 b - sum z_k g_k,    S z = u.(K^-1 b) - b_k,    S_kl = u_k.g_l                                           (5.4)
 * and z_k is what a row that has come in pushes with. S is small and dense; its rows and columns are scaled by
 * |S_kk|^-1/2, since those that left are masses and those that came their inverse. */
#include "dynamics/switched.h"

#include "linalg/dense.h"

#include <string.h>

/* Of what a row's bodies would give way to alone: where joints leave less, as near a dead centre, too many digits cancel
 * between a factor with the row and one without. */
static const double STIFF = 1e-6;

static int find_size(const BrModel *m) { return 6 * m->moving + m->rows; }

static double *find_response(const BrModel *m, const BriSystem *s, int slot) {
    return s->switches.response + (size_t)slot * (size_t)find_size(m);
}

/* u.x of a slot. */
static double measure(const BrModel *m, const BriSystem *s, const BriSwitch *one, const double *x) {
    const double *J[2] = {s->J.a + 6 * one->row, s->J.b + 6 * one->row};
    int nodes[2] = {m->body[m->joint[one->joint].a].node, m->body[m->joint[one->joint].b].node};
    double sum = 0;
    if (!one->comes) return x[6 * m->moving + one->row];
    for (int e = 0; e < 2; e++)
        for (int c = 0; nodes[e] >= 0 && c < 6; c++) sum += J[e][c] * x[6 * nodes[e] + c];
    return sum;
}

/* J M^-1 J^T of a row and its bodies alone. */
static double measure_alone(const BrModel *m, const BriSystem *s, const BriSwitch *one) {
    const double *J[2] = {s->J.a + 6 * one->row, s->J.b + 6 * one->row};
    int ends[2] = {m->joint[one->joint].a, m->joint[one->joint].b};
    double sum = 0;
    for (int e = 0; e < 2; e++) {
        const BriBody *b = &m->body[ends[e]];
        BrVec3 l = bri_vec(J[e][0], J[e][1], J[e][2]), w = bri_vec(J[e][3], J[e][4], J[e][5]);
        if (b->node >= 0) sum += b->inverse_mass * bri_dot(l, l) + bri_dot(w, bri_mul(&b->inverse_inertia, w));
    }
    return sum;
}

/* false: others hold nearly all that this row would. */
static bool respond(const BrModel *m, BriSystem *s, int slot) {
    BriSwitch *one = &s->switches.one[slot];
    double *x = find_response(m, s, slot);
    memset(x, 0, (size_t)find_size(m) * sizeof *x);
    if (one->comes)
        bri_system_add_row(m, &s->J, one->joint, one->row, 1, x);
    else
        x[6 * m->moving + one->row] = 1;
    bri_ldl_solve(&s->ldl, x);
    double own = bri_abs(measure(m, s, one, x)), gives = one->comes ? own : 1 / own;
    if (!(gives > STIFF * measure_alone(m, s, one))) return false;
    one->scale = 1 / bri_sqrt(own);
    return true;
}

static int find_slot(const BriSwitches *all, int row) {
    for (int i = 0; i < all->slots; i++)
        if (all->one[i].row == row) return i;
    return -1;
}

/* A slot for a row that differs from the factor's; those of rows that differ no more keep their responses. */
static bool take_slot(const BrModel *m, BriSystem *s, int joint, int row, bool comes, double *work) {
    BriSwitches *all = &s->switches;
    int slot = find_slot(all, row);
    if (slot < 0) {
        if (all->slots == BRI_SWITCHES || *work + s->ldl.solve_work > s->ldl.factor_work) return false;
        slot = all->slots++;
        all->one[slot] = (BriSwitch){.joint = joint, .row = row, .comes = comes};
        *work += s->ldl.solve_work;
        if (!respond(m, s, slot)) return false;
    }
    all->active[all->count++] = slot;
    return true;
}

/* Rows of drives alone may differ. */
static bool take_joint(const BrModel *m, BriSystem *s, const BrState *angles, int k, double *work) {
    const BriJoint *j = &m->joint[k];
    unsigned factored = s->ldl.off[m->moving + k], wanted = bri_system_off_rows(m, angles, k);
    s->factor_off[k] = (unsigned char)wanted;
    if (factored == wanted) return true;
    unsigned drives = ((1u << j->drives) - 1) << j->type->info.constraints;
    if ((factored ^ wanted) & ~drives) return false;
    for (int d = 0; d < j->drives; d++) {
        unsigned bit = 1u << (j->type->info.constraints + d);
        if (((factored ^ wanted) & bit) && !take_slot(m, s, k, bri_drive_row(j, d), (factored & bit) != 0, work))
            return false;
    }
    return true;
}

static bool factor_responses(const BrModel *m, BriSystem *s) {
    BriSwitches *all = &s->switches;
    for (int i = 0; i < all->count; i++)
        for (int j = 0; j < all->count; j++) {
            const BriSwitch *row = &all->one[all->active[i]], *column = &all->one[all->active[j]];
            all->S[BRI_SWITCHES * i + j] =
                row->scale * column->scale * measure(m, s, row, find_response(m, s, all->active[j]));
        }
    return bri_lu_factor(all->S, all->count, BRI_SWITCHES, all->pivot);
}

bool bri_system_switch(const BrModel *m, BriSystem *s, const BrState *angles, double *work) {
    *work = 0;
    if (!s->factored || !s->switches.response || s->ldl.dropped_rows > 0) return false;
    s->switches.count = 0;
    for (int k = 0; k < m->joints; k++) {
        if (m->joint[k].drives == 0 || take_joint(m, s, angles, k, work)) continue;
        s->factored = false;
        return false;
    }
    if (factor_responses(m, s)) return true;
    s->factored = false;
    return false;
}

void bri_switched_ask(const BrModel *m, const BriSystem *s, const double *x, double *wanted) {
    for (int i = 0; i < s->switches.count; i++) {
        const BriSwitch *one = &s->switches.one[s->switches.active[i]];
        wanted[i] = one->comes ? x[6 * m->moving + one->row] : 0;
    }
}

/* (5.4) */
void bri_switched_answer(const BrModel *m, const BriSystem *s, const double *wanted, double *x) {
    const BriSwitches *all = &s->switches;
    double z[BRI_SWITCHES];
    for (int i = 0; i < all->count; i++) {
        const BriSwitch *one = &all->one[all->active[i]];
        z[i] = one->scale * (measure(m, s, one, x) - wanted[i]);
    }
    bri_lu_solve(all->S, all->count, BRI_SWITCHES, all->pivot, z);
    for (int i = 0; i < all->count; i++) {
        const BriSwitch *one = &all->one[all->active[i]];
        const double *g = find_response(m, s, all->active[i]);
        z[i] *= one->scale;
        for (int k = 0; k < find_size(m); k++) x[k] -= z[i] * g[k];
    }
    for (int i = 0; i < all->count; i++) {
        const BriSwitch *one = &all->one[all->active[i]];
        x[6 * m->moving + one->row] = one->comes ? z[i] : 0;
    }
}
