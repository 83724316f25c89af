/* units.c: units, islands, and the rows of their problem: directions of impulses E, W = C K^-1 E^T, velocities. */
#include "contact/units.h"
#include "base/threads.h"
#include "linalg/sets.h"

#include <string.h>

/* ------------------------------------------------------------------ units and islands */

static void join(const BrModel *m, int *root, int a, int b) {
    if (m->body[a].node >= 0 && m->body[b].node >= 0) bri_join_sets(root, a, b);
}

/* All bodies of a joint. */
static void join_joint(const BrModel *m, int *root, const BriJoint *j) {
    join(m, root, j->a, j->b);
    for (int i = 0; j->coupling && i < 2; i++)
        if (j->coupling->more[i] >= 0) join(m, root, j->a, j->coupling->more[i]);
}

/* The same of a unit. Of contacts b can be pushed: bodies need not be looked at. */
static void join_unit(const BrModel *m, int *root, const BriUnit *unit) {
    if (!unit->fixed_a && (unit->contact >= 0 || m->body[unit->b].node >= 0)) bri_join_sets(root, unit->a, unit->b);
}

/* In order of islands, else as they were: each is counted to its place, and changes places until it is there. */
static void sort_units(const BrModel *m, BriContacts *c) {
    int *begin = c->island_begin;
    bool sorted = true; /* one island, mostly */
    for (int k = 1; k < c->units; k++) sorted = sorted && c->unit[k - 1].island <= c->unit[k].island;
    if (sorted) return;
    memset(begin, 0, (size_t)(m->bodies + 1) * sizeof *begin);
    for (int k = 0; k < c->units; k++) begin[c->unit[k].island + 1]++;
    for (int i = 0; i < m->bodies; i++) begin[i + 1] += begin[i];
    for (int k = 0; k < c->units; k++) c->place[k] = begin[c->unit[k].island]++;
    for (int k = 0; k < c->units; k++)
        for (int to = c->place[k]; to != k; to = c->place[k]) {
            BriUnit other = c->unit[to];
            c->unit[to] = c->unit[k];
            c->unit[k] = other;
            c->place[k] = c->place[to];
            c->place[to] = to;
        }
}

static int count_rows(const BriContact *contact) {
    return (contact->ask.one_row ? 1 : 3) + 2 * contact->ask.rolls + contact->ask.spins;
}

/* Where the rows of a contact that take part stand, one behind the other. Those of moments are copied there. */
static int place_rows(BriContacts *c, int number) {
    const BriContact *contact = &c->contact[number];
    int first = c->rows_each * number, chosen = first + c->rows_each / 2, count = count_rows(contact);
    if (!contact->ask.rolls && !contact->ask.spins) return first;
    for (int r = 0; r < count; r++) {
        int from = BRI_ROW * (first + bri_contact_row(contact, r)), to = BRI_ROW * (chosen + r);
        memcpy(c->D + to, c->D + from, BRI_ROW * sizeof *c->D);
        if (c->C != c->D) memcpy(c->C + to, c->C + from, BRI_ROW * sizeof *c->C);
    }
    return chosen;
}

/* Does friction or a moment go against a known slip or turn? */
static bool drags(const BriContact *contact) {
    const BriTurning *t = contact->turning;
    if (contact->ask.one_row && contact->ask.drag != 0) return true;
    return bri_resists_turning(contact) &&
           (bri_dot(t->roll_drag, t->roll_drag) != 0 || bri_dot(t->spin_drag, t->spin_drag) != 0);
}

/* The active contacts and bounds, in order of islands: those that share no moving body, not even through joints, are
 * solved apart. */
static void gather_units(const BriStep *step) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    c->units = 0;
    c->apart = m->joints == 0;
    c->directed = false;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        contact->got.part = 1;
        if (!contact->ask.active) continue;
        c->directed = c->directed || contact->ask.one_row || bri_resists_turning(contact);
        c->unit[c->units++] = (BriUnit){.a = contact->at.a,
                                        .b = contact->at.b,
                                        .fixed_a = contact->at.fixed_a,
                                        .still_a = contact->at.still_a,
                                        .contact = k,
                                        .rows = count_rows(contact),
                                        .first = place_rows(c, k),
                                        .drags = drags(contact),
                                        .shared = -1};
    }
    for (int k = 0; k < c->bounds; k++) {
        const BriJoint *j = &m->joint[c->bound[k].joint];
        if (c->bound[k].off) continue;
        c->unit[c->units++] = (BriUnit){.a = j->a,
                                        .b = j->b,
                                        .fixed_a = m->body[j->a].node < 0,
                                        .still_a = bri_is_still(&m->body[j->a]),
                                        .contact = -1 - k,
                                        .rows = 1,
                                        .first = c->rows_each * c->count + k,
                                        .shared = -1};
    }
    if (c->units > 1) {
        for (int i = 0; i < m->bodies; i++) c->root[i] = i;
        for (int k = 0; k < m->joints; k++) join_joint(m, c->root, &m->joint[k]);
        for (int k = 0; k < c->units; k++) join_unit(m, c->root, &c->unit[k]);
        for (int k = 0; k < c->units; k++)
            c->unit[k].island = bri_find_root(c->root, c->unit[k].fixed_a ? c->unit[k].b : c->unit[k].a);
        sort_units(m, c);
        for (int k = 1; k < c->units; k++) c->apart = c->apart && c->unit[k - 1].island != c->unit[k].island;
    }
    for (int k = 0, row = 0; k < c->units; row += c->unit[k++].rows) c->unit[k].row = row;
}

BriIsland bri_island_at(const BriContacts *c, int begin) {
    BriIsland island = {.begin = begin, .end = begin, .first = c->unit[begin].row};
    while (island.end < c->units && c->unit[island.end].island == c->unit[begin].island)
        island.rows += c->unit[island.end++].rows;
    return island;
}

/* ------------------------------------------------------------------ rows */

void bri_apply_inverse_mass(const BriBody *body, const double *f, double *v) {
    BrVec3 turn = bri_mul(&body->inverse_inertia, bri_vec(f[3], f[4], f[5]));
    v[0] = body->inverse_mass * f[0], v[1] = body->inverse_mass * f[1], v[2] = body->inverse_mass * f[2];
    v[3] = turn.x, v[4] = turn.y, v[5] = turn.z;
}

/* E <- E - x.axes times the rows of moments: what goes against a known turn with x per normal impulse, m. */
static void add_moment_drag(const BriContact *contact, const double *D, BrVec3 x, double *E) {
    static const int AXIS[3] = {1, 2, 0};
    if (bri_dot(x, x) == 0) return;
    for (int k = 0; k < 3; k++) {
        double part = bri_dot(x, bri_column(bri_push_frame(contact), AXIS[k])) / contact->turning->length;
        for (int i = 0; i < BRI_ROW; i++) E[i] -= part * D[BRI_ROW * (3 + k) + i];
    }
}

/* Friction along a known slip, n - mu d, and moments against a known turn, into the normal's direction E. */
static void add_drags(const BriContacts *c, const BriUnit *unit, double *E) {
    const BriContact *contact = &c->contact[unit->contact];
    const double *D = bri_contact_rows(c, c->D, unit->contact);
    if (contact->ask.one_row && contact->ask.drag != 0) {
        double d1 = contact->ask.drag * bri_dot(contact->ask.direction, bri_column(bri_push_frame(contact), 1));
        double d2 = contact->ask.drag * bri_dot(contact->ask.direction, bri_column(bri_push_frame(contact), 2));
        for (int i = 0; i < BRI_ROW; i++) E[i] -= d1 * D[BRI_ROW + i] + d2 * D[2 * BRI_ROW + i];
    }
    if (!bri_resists_turning(contact)) return;
    add_moment_drag(contact, D, contact->turning->roll_drag, E);
    add_moment_drag(contact, D, contact->turning->spin_drag, E);
}

const double *bri_unit_directions(const BriContacts *c, const BriUnit *unit, double *room) {
    const double *D = c->D + BRI_ROW * unit->first;
    if (!unit->drags) return D;
    memcpy(room, D, sizeof(double) * BRI_ROW * (size_t)unit->rows);
    add_drags(c, unit, room);
    return room;
}

/* M^-1 E of a unit. */
static void divide_by_masses(const BriStep *step, const BriUnit *unit, double *to) {
    const BrModel *m = step->model;
    double room[BRI_UNIT_NUMBERS];
    const double *from = bri_unit_directions(step->ws->contacts, unit, room);
    for (int r = 0; r < unit->rows; r++, from += BRI_ROW, to += BRI_ROW) {
        if (!unit->fixed_a)
            bri_apply_inverse_mass(&m->body[unit->a], from, to);
        else
            memset(to, 0, 6 * sizeof *to);
        bri_apply_inverse_mass(&m->body[unit->b], from + 6, to + 6);
    }
}

const double *bri_unit_find_responses(const BriStep *step, const BriUnit *unit, double *room) {
    divide_by_masses(step, unit, room);
    return room;
}

/* M^-1 E of all units, if there is room: many would fill a cache with what is soon found anew. */
static void keep_responses(const BriStep *step) {
    BriContacts *c = step->ws->contacts;
    c->keeps_ME = c->units == 0 || c->unit[c->units - 1].row + c->unit[c->units - 1].rows <= c->ME_room;
    for (int k = 0; c->keeps_ME && k < c->units; k++)
        divide_by_masses(step, &c->unit[k], c->ME + BRI_ROW * c->unit[k].row);
}

/* Which bodies two units, i and j, have in common. */
typedef struct Common {
    bool aa, ab, ba, bb; /* a of i is a of j, that can be pushed, and so on */
} Common;

/* C_i . M^-1 E_j over these. */
static inline double couple(Common common, const double *C, const double *ME) {
    double sum = 0;
    if (common.aa) sum += bri_dot6(C, ME);
    if (common.ab) sum += bri_dot6(C, ME + 6);
    if (common.ba) sum += bri_dot6(C + 6, ME);
    if (common.bb) sum += bri_dot6(C + 6, ME + 6);
    return sum;
}

/* Without joints: W = C M^-1 E^T from the bodies that units share. Where conditions stand at the pose of the forces W
 * is symmetric, and half of it is enough. */
static void assemble_free(const BriStep *step, const BriIsland *island) {
    const BriContacts *c = step->ws->contacts;
    int rows = island->rows, first = island->first;
    double room[BRI_UNIT_NUMBERS];
    for (int j = island->begin; j < island->end; j++) {
        const BriUnit *from = &c->unit[j];
        const double *responses = bri_unit_responses(step, from, room);
        bool straight = c->C == c->D && bri_unit_is_straight(c, from);
        for (int i = island->begin; i < island->end; i++) {
            const BriUnit *to = &c->unit[i];
            const Common common = {.aa = to->a == from->a && !from->fixed_a,
                                   .ab = to->a == from->b,
                                   .ba = to->b == from->a,
                                   .bb = to->b == from->b};
            bool mirror = straight && bri_unit_is_straight(c, to);
            if (mirror && j < i) continue;
            const double *C = c->C + BRI_ROW * to->first;
            double *W = c->desk.W + (to->row - first) * rows + from->row - first;
            double *mirrored = c->desk.W + (from->row - first) * rows + to->row - first;
            for (int r = 0; r < to->rows; r++, C += BRI_ROW, W += rows, mirrored++)
                for (int s = mirror && j == i ? r : 0; s < from->rows; s++) {
                    double w = couple(common, C, responses + BRI_ROW * s);
                    W[s] = w;
                    if (mirror) mirrored[s * rows] = w;
                }
        }
    }
}

void bri_units_assemble(const BriStep *step, const BriIsland *island) {
    double rows = island->rows;
    step->ws->contacts->desk.matrix_of = island->begin;
    bri_spend(step->budget, 12 * rows * rows);
    if (step->model->joints)
        bri_assemble_jointed(step, island);
    else
        assemble_free(step, island);
}

/* ------------------------------------------------------------------ velocities and impulses */

typedef struct Measuring {
    const BriStep *step;
    const BriBodyState *bodies;
    const double *p;
} Measuring;

/* u of every row with its offsets. */
static void measure_units(void *loop, const BriShare *share) {
    const Measuring *l = loop;
    const BriContacts *c = l->step->ws->contacts;
    for (int k = share->begin; k < share->end; k++) bri_unit_measure(l->step, &c->unit[k], l->bodies, l->p);
}

void bri_units_measure_some(const BriStep *step, BriIsland of, const BriBodyState *bodies, const double *p) {
    Measuring loop = {step, bodies, p};
    measure_units(&loop, &(BriShare){.begin = of.begin, .end = of.end});
}

void bri_units_measure(const BriStep *step, const BriBodyState *bodies, const double *p) {
    Measuring loop = {step, bodies, p};
    bri_share(step->def->threads, step->ws->contacts->units, measure_units, &loop);
}

void bri_units_set_tolerances(BriContacts *c, BriIsland of, double part, double least) {
    const double IN_PHASES = 1e-3;
    if (c->in_phases) part *= IN_PHASES; /* one phase stands on how contacts share the last one's impulse */
    for (int begin = of.begin, end = 0; begin < of.end; begin = end) {
        double speed = 0;
        for (end = begin; end < of.end && c->unit[end].island == c->unit[begin].island; end++)
            speed = bri_max(speed, c->unit[end].speed);
        for (int k = begin; k < end; k++) {
            c->unit[k].tolerance = bri_max(least, part * speed);
            c->unit[k].speed = speed;
        }
    }
}

void bri_units_free(const BriStep *step, const BriSpan *span) {
    const BrModel *m = step->model;
    const BriContacts *c = step->ws->contacts;
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        bri_copy_rates(&c->free[i], &span->bodies[i]);
    }
}

typedef struct Pushing {
    const BriStep *step;
    BriIsland of;
    BriBodyState *bodies;
} Pushing;

static bool is_in(const BriShare *share, int number) { return share->begin <= number && number < share->end; }

/* Upon the bodies of a share, each pushed by its units in their order. */
static void push_share(void *loop, const BriShare *share) {
    const Pushing *p = loop;
    const BriContacts *c = p->step->ws->contacts;
    double room[BRI_UNIT_NUMBERS];
    for (int k = p->of.begin; k < p->of.end; k++) {
        const BriUnit *unit = &c->unit[k];
        bool on_a = !unit->fixed_a && is_in(share, unit->a), on_b = is_in(share, unit->b);
        if (!on_a && !on_b) continue;
        const double *r = c->r + unit->row, *d = bri_unit_responses(p->step, unit, room);
        if (on_a) bri_push_body(d, r, unit->rows, &p->bodies[unit->a]);
        if (on_b) bri_push_body(d + 6, r, unit->rows, &p->bodies[unit->b]);
    }
}

void bri_units_add(const BriStep *step, BriIsland of, const BriSpan *span) {
    Pushing loop = {step, of, span->bodies};
    push_share(&loop, &(BriShare){.end = step->model->bodies});
}

bool bri_units_push(BriStep *step, const BriSpan *span) {
    const BrModel *m = step->model;
    Pushing loop = {step, bri_all_units(step->ws->contacts), span->bodies};
    bri_units_free(step, span);
    bri_share_widely(step->def->threads, m->bodies, push_share, &loop);
    return !m->joints || bri_constrain_rates(step, &(BriRates){span->D, span->C, span->target, span->span, span->bodies,
                                                               span->p, span->between, 0});
}

void bri_units_prepare(BriStep *step) {
    bri_spend(step->budget, 200. * step->ws->contacts->count + 10. * step->model->bodies);
    gather_units(step);
    keep_responses(step);
    step->ws->contacts->desk.matrix_of = -1;
}

void bri_units_guess(const BriStep *step, BriIsland of, double span) {
    BriContacts *c = step->ws->contacts;
    double last = step->start->dt > 0 ? span / step->start->dt : 0;
    double scale = bri_load_scale(c, span);
    for (int k = of.begin; k < of.end; k++) {
        const BriUnit *unit = &c->unit[k];
        if (unit->contact >= 0)
            bri_unit_guess(c, unit, scale);
        else
            c->r[unit->row] = last * bri_state_bounds(step->start)[c->bound[-1 - unit->contact].bound].impulse;
    }
}

typedef struct Spreading {
    const BriStep *step;
    const double *x; /* per row */
} Spreading;

/* Over the bodies of a share, as push_share() does. */
static void spread_share(void *loop, const BriShare *share) {
    const Spreading *s = loop;
    const BrModel *m = s->step->model;
    const BriContacts *c = s->step->ws->contacts;
    double room[BRI_UNIT_NUMBERS];
    for (int k = 0; k < c->units; k++) {
        const BriUnit *unit = &c->unit[k];
        const int on[2] = {is_in(share, unit->a) ? m->body[unit->a].node : -1,
                           is_in(share, unit->b) ? m->body[unit->b].node : -1};
        if (on[0] < 0 && on[1] < 0) continue;
        const double *E = m->joints ? bri_unit_directions(c, unit, room) : bri_unit_responses(s->step, unit, room);
        for (int r = 0; r < unit->rows; r++) bri_spread(on, E + BRI_ROW * r, s->x[unit->row + r], c->desk.x);
    }
}

const double *bri_units_spread(BriStep *step, const double *x) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    Spreading loop = {step, x};
    memset(c->desk.x, 0, (6 * (size_t)m->moving + (size_t)m->rows) * sizeof(double));
    bri_share_widely(step->def->threads, m->bodies, spread_share, &loop);
    if (m->joints) {
        bri_spend(step->budget, step->ws->system.ldl.solve_work);
        bri_ldl_solve(&step->ws->system.ldl, c->desk.x);
    }
    return c->desk.x;
}

/* The moment of a contact whose rows stand in r, N m s, world. */
static BrVec3 read_moment(const BriContact *contact, int rows, const double *r) {
    BrVec3 moment = bri_scale(-r[0], bri_add(contact->turning->roll_drag, contact->turning->spin_drag));
    for (int i = contact->ask.one_row ? 1 : 3; i < rows; i++) {
        int row = bri_contact_row(contact, i);
        moment = bri_add_scaled(moment, contact->turning->length * r[i],
                                bri_column(bri_push_frame(contact), row == 5 ? 0 : row - 2));
    }
    return moment;
}

void bri_unit_answered(BriContacts *c, const BriUnit *unit) {
    const double *r = c->r + unit->row;
    if (unit->contact < 0) {
        c->bound[-1 - unit->contact].p = r[0];
    } else {
        BriContact *contact = &c->contact[unit->contact];
        const BrMat3 *frame = bri_push_frame(contact);
        BrVec3 n = bri_column(frame, 0), t1 = bri_column(frame, 1), t2 = bri_column(frame, 2);
        contact->got.p[0] = r[0];
        contact->got.p[1] =
            contact->ask.one_row ? -contact->ask.drag * r[0] * bri_dot(contact->ask.direction, t1) : r[1];
        contact->got.p[2] =
            contact->ask.one_row ? -contact->ask.drag * r[0] * bri_dot(contact->ask.direction, t2) : r[2];
        contact->got.push = bri_add(bri_scale(contact->got.p[0], n),
                                    bri_add(bri_scale(contact->got.p[1], t1), bri_scale(contact->got.p[2], t2)));
        if (bri_resists_turning(contact)) contact->turning->moment = read_moment(contact, unit->rows, r);
    }
}

void bri_units_read(BriContacts *c) {
    for (int k = 0; k < c->units; k++) bri_unit_answered(c, &c->unit[k]);
}
