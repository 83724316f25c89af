/* shared.c: contacts beside joints that carry the same load.
 *
 * Where J v = 0 leaves a contact no normal velocity, its row depends on the joints': C_N = -y^T J, y being the
 * impulses with which joints answer a unit normal impulse. Any p_N then does the same to the bodies, the joints taking
 * the rest, as with joints that are redundant among themselves; and as there the shortest of all answers is taken,
 *
 *     min |p|^2 + |p_N|^2,  p_N >= 0:     0 <= p_N  _|_  share (p_N + y.p) >= 0                                (7.30)
 *
 * over all such contacts, p being the impulses of all joint rows. That is the row's condition in place of u_N >= 0;
 * friction knows no difference. share > 0 only gives it a velocity's size: it makes the row's own W what the bodies
 * would have without joints. y is the shortest answer where joints are redundant, so that p need not be. */
#include "contact/units.h"
#include "dynamics/least_norm.h"

#include <string.h>

/* A motion that the joints allow, of no special direction: the projection of w onto J v = 0. */
typedef struct Probe {
    const double *v; /* six numbers per moving body */
    double energy;   /* w.M w, of w before the projection: at least v.M v */
} Probe;

/* Numbers in -1..1 that follow no pattern of a machine: the fractions of multiples of the golden ratio. */
static double pick(int k) {
    double x = 0.6180339887498949 * (k + 1);
    return 2 * (x - (double)(long)x) - 1;
}

static Probe make_probe(const BriStep *step) {
    const BrModel *m = step->model;
    const BriBlockLdl *ldl = &step->ws->system.ldl;
    double *x = step->ws->contacts->shares.probe;
    Probe probe = {.v = x};
    memset(x, 0, (6 * (size_t)m->moving + (size_t)m->rows) * sizeof *x);
    for (int n = 0; n < m->moving; n++) {
        const BriBody *body = &m->body[m->moving_body[n]];
        double turn = body->size > 0 ? 1 / body->size : 1;
        BrVec3 v = bri_vec(pick(6 * n), pick(6 * n + 1), pick(6 * n + 2));
        BrVec3 w = bri_scale(turn, bri_vec(pick(6 * n + 3), pick(6 * n + 4), pick(6 * n + 5)));
        BrVec3 L = bri_mul(&body->inertia, w);
        double force[6] = {body->mass * v.x, body->mass * v.y, body->mass * v.z, L.x, L.y, L.z};
        memcpy(x + 6 * n, force, sizeof force);
        probe.energy += body->mass * bri_dot(v, v) + bri_dot(L, w);
    }
    bri_spend(step->budget, ldl->solve_work);
    bri_ldl_solve(ldl, x);
    return probe;
}

/* Half rows of a and b times what their bodies do. */
static double apply(const BrModel *m, const BriUnit *unit, const double *row, const double *v) {
    int a = m->body[unit->a].node, b = m->body[unit->b].node;
    return (a >= 0 ? bri_dot6(row, v + 6 * a) : 0) + (b >= 0 ? bri_dot6(row + 6, v + 6 * b) : 0);
}

/* What a row would do with its two bodies alone, kg^-1. */
static double measure_alone(const BrModel *m, const BriUnit *unit, const double *row) {
    double v[6], sum = 0;
    for (int e = 0; e < 2; e++, row += 6) {
        const BriBody *body = &m->body[e ? unit->b : unit->a];
        if (body->node < 0) continue;
        bri_apply_inverse_mass(body, row, v);
        sum += bri_dot6(row, v);
    }
    return sum;
}

/* Do joints carry this row, at the factor's pose? Their answer to it is left in contacts->desk.x. (row.v)^2 <= W v.M v:
 * hardly a contact that they do not carry needs a solve of its own. */
static bool is_carried(const BriStep *step, const BriUnit *unit, const double *row, const Probe *probe) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    double alone = measure_alone(m, unit, row), rate = apply(m, unit, row, probe->v);
    if (!(alone > 0) || rate * rate > BRI_CARRIED * alone * probe->energy) return false;
    memset(c->desk.x, 0, (6 * (size_t)m->moving + (size_t)m->rows) * sizeof(double));
    return apply(m, unit, row, bri_unit_answer(step, unit, row, alone)) <= BRI_CARRIED * alone;
}

/* The normal row of a unit that joints carry; false: they do not. Of directions and conditions one stands at the pose
 * of the factor. */
static bool find_carried_row(const BriStep *step, const BriUnit *unit, const Probe *probe, const double **row) {
    const BriContacts *c = step->ws->contacts;
    *row = c->D + BRI_ROW * unit->first;
    if (is_carried(step, unit, *row, probe)) return true;
    *row = c->C + BRI_ROW * unit->first;
    return c->C != c->D && is_carried(step, unit, *row, probe);
}

/* Room for one more y, grown seldom. false: no memory. */
static bool make_room(const BriStep *step) {
    enum { FEW = 16 }; /* contacts: a block has four, a machine some blocks */
    const BrAllocator *allocator = &step->model->allocator;
    BriShares *s = &step->ws->contacts->shares;
    size_t rows = (size_t)step->model->rows;
    if (s->count < s->room) return true;
    int room = s->room ? 2 * s->room : FEW;
    double *y = bri_allocate(allocator, (size_t)room * rows, sizeof *y);
    if (!y) return false;
    if (s->count) memcpy(y, s->y, (size_t)s->count * rows * sizeof *y);
    bri_release(allocator, s->y);
    s->y = y;
    s->room = room;
    return true;
}

/* y from contacts->desk.x, and the share that makes W alone: (1 + y.y) share = alone. */
static void share(const BriStep *step, BriUnit *unit, double alone) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    if (!make_room(step)) {
        c->shares.missed = true;
        return;
    }
    double *y = c->shares.y + (size_t)c->shares.count * (size_t)m->rows, sum = 1;
    for (int r = 0; r < m->rows; r++) y[r] = -c->desk.x[6 * m->moving + r];
    bri_shorten(m, &step->ws->system, step->ws->cg, y);
    for (int r = 0; r < m->rows; r++) sum += y[r] * y[r];
    unit->shared = c->shares.count++;
    unit->share = alone / sum;
    c->contact[unit->contact].ask.carried = true;
}

/* Does it touch? What pushed in the last step may have been lifted off since: joints need no impulse for that. */
static bool rests(const BriContact *c) { return c->mode.closed && c->at.start_gap <= BRI_CLOSED; }

void bri_units_share(BriStep *step) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    c->shares.count = 0;
    c->shares.missed = false;
    if (!m->joints) return; /* and none was ever carried */
    for (int k = 0; k < c->count; k++) c->contact[k].ask.carried = false;
    if (c->units == 0) return;
    Probe probe = {0};
    for (int begin = 0; begin < c->units;) {
        BriIsland island = bri_island_at(c, begin);
        begin = island.end;
        if (island.rows > c->dense_rows) continue; /* there is no matrix */
        for (int k = island.begin; k < island.end; k++) {
            BriUnit *unit = &c->unit[k];
            if (unit->contact < 0) continue;
            if (!probe.v) probe = make_probe(step);
            const double *row;
            if (!find_carried_row(step, unit, &probe, &row)) continue;
            unit->lifted = !rests(&c->contact[unit->contact]);
            if (!unit->lifted) share(step, unit, measure_alone(m, unit, row));
        }
    }
}

bool bri_unit_parts(const BriStep *step, BriUnit *unit, double rate) {
    if (unit->shared < 0 || !(rate > bri_carried_speed(step))) return false;
    unit->shared = -1;
    unit->lifted = true;
    step->ws->contacts->contact[unit->contact].ask.carried = false;
    return true;
}

double bri_unit_joint_share(const BriStep *step, const BriUnit *unit, const double *p) {
    int rows = step->model->rows;
    const double *y = step->ws->contacts->shares.y + (size_t)unit->shared * (size_t)rows;
    double sum = 0;
    for (int r = 0; r < rows; r++) sum += y[r] * p[r];
    return unit->share * sum;
}
