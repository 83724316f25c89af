/* solve.c: joints and contacts in one solve.
 *
 * Joints are eliminated by the saddle factor K: the contacts' problem is u = W r + q, W = C K^-1 D^T (7.1). Velocities
 * are v = free + K^-1 D^T r with the joints' own answer found anew for every r, so that u below is what the bodies
 * really do; q = u - W r absorbs whatever W leaves out (conditions at another pose than the factor), and the
 * problem is solved again until the certificate, made with that u, holds. Without joints W is exact:
 * one pass. */
#include "base/threads.h"
#include "contact/lanes.h"
#include "contact/pile.h"

#include <string.h>

enum {
    MOST_JOINT_PASSES = 12, /* with q measured anew; each halves the residual at least, or is the last */
    MOST_ROUNDS = 8,        /* in which contacts change from one row to a cone, or from mu_s to mu_k */
    GRIP_ROUNDS = 40        /* in which friction in bearings and reactions find each other */
};

/* Of what a pass begins with: where W is of another pose than the rows, it leaves as much, however exact its answer. */
static const double ROUGH = 1e-2;
/* Of the cone's edge: an impulse this near lies on it. */
static const double ROUNDING = 1e-12;

/* ------------------------------------------------------------------ all islands */

/* How fast bodies approach where joints carry the contact: nothing can stop that. */
static double find_driven_approach(const BriStep *step, const BriUnit *unit, const BriBodyState *bodies) {
    if (unit->shared < 0) return 0;
    double approach = -bri_unit_rate(unit, step->ws->contacts->C + BRI_ROW * unit->first, bodies);
    return approach > bri_carried_speed(step) ? approach : 0;
}

/* The unit that is farthest from its tolerance. */
typedef struct Worst {
    double times;     /* its tolerance; certified: at most 1 */
    double residual;  /* m/s */
    double tolerance; /* m/s */
    int unit;         /* -1: none */
    bool exact;       /* nothing is left but rounding, or so little that it leaves room for the steps to come */
} Worst;

/* Residual of a unit, m/s, with what the bodies really do; *push: its own impulse's part in its velocity, m/s. */
static double certify_unit(const BriStep *step, const BriUnit *unit, const BriBodyState *bodies, double *push) {
    const BriContacts *c = step->ws->contacts;
    BriBlock block[3];
    int blocks = bri_unit_blocks(c, unit, unit->row, block);
    double worst = find_driven_approach(step, unit, bodies);
    for (int k = 0; k < blocks; k++) {
        int row = block[k].first;
        double residual = bri_block_residual(&block[k], c->r + row, c->u + row, c->scale[row]);
        if (!(residual <= worst)) worst = residual; /* NaN is worst */
        *push = bri_max(*push, bri_abs(c->r[row]) / c->scale[row]);
    }
    return worst;
}

/* How far an island's velocities are from those it had before, m/s: what impulses leave of this step's forces. */
__attribute__((noinline)) static double find_growth(const BriContacts *c, int begin, int end) {
    double growth = 0;
    for (int k = begin; k < end; k++) {
        const BriUnit *unit = &c->unit[k];
        if (unit->contact < 0) continue;
        const BriContact *contact = &c->contact[unit->contact];
        for (int r = 0; r < unit->rows && r < 3; r++) {
            double before = bri_dot(bri_column(&contact->at.frame, r), contact->hit.before);
            growth = bri_max(growth, bri_abs(c->u[unit->row + r] - before));
        }
    }
    return growth;
}

/* The islands among these; *worst: of those before. */
static inline void certify_some(const BriStep *step, BriIsland of, const BriSpan *span, Worst *worst) {
    const BriBodyState *bodies = span->bodies;
    BriContacts *c = step->ws->contacts;
    const double SURELY = 1e-4; /* of the tolerance: a guess that good may be kept */
    /* Of what is excused, 2e-11 of the speed: the same. What the state's velocities are off by ends with the step: put
     * right between its solves too, it would be put right twice, and change its sign for ever. */
    const double BETWEEN = span->between ? 2e-5 : 0;
    for (int begin = of.begin, end = 0; begin < of.end; begin = end) {
        Worst own = {.unit = begin};
        double push = 0;
        for (end = begin; end < of.end && c->unit[end].island == c->unit[begin].island; end++) {
            double residual = certify_unit(step, &c->unit[end], bodies, &push);
            if (!(residual == residual)) residual = __builtin_inf(); /* no number: nothing is worse */
            if (residual <= own.residual) continue;
            own.residual = residual;
            own.unit = end;
        }
        double rounding = bri_min(BRI_ROUNDED * push, bri_excused(&c->unit[begin]));
        own.tolerance = bri_max(c->unit[begin].tolerance, rounding);
        own.times = own.residual == 0 ? 0 : own.residual / own.tolerance;
        c->unit[begin].failed = !(own.times <= 1);
        double enough = bri_max(SURELY * c->unit[begin].tolerance, BETWEEN * bri_excused(&c->unit[begin]));
        enough = bri_max(enough, 4 * rounding);
        c->unit[begin].exact = own.residual <= bri_min(enough, 0.5 * own.tolerance);
        c->unit[begin].part = 1;
        if (!c->unit[begin].exact && own.residual <= 0.5 * own.tolerance)
            c->unit[begin].part = bri_min(1, find_growth(c, begin, end) / own.residual);
        own.exact = worst->exact && c->unit[begin].exact;
        if (!(own.times <= worst->times) || worst->unit < 0) *worst = own;
        worst->exact = own.exact;
    }
}

/* All islands. */
static Worst certify(BriStep *step, const BriSpan *span) {
    BriContacts *c = step->ws->contacts;
    BriIsland all = bri_all_units(c);
    Worst worst = {.unit = -1, .exact = true};
    if (c->complies) bri_island_add_compliance(c, &all, c->r, c->u);
    certify_some(step, all, span, &worst);
    if (c->shares.missed) worst = (Worst){__builtin_inf(), worst.residual, worst.tolerance, worst.unit, false};
    return worst;
}

/* A loop over units or contacts. */
typedef struct Loop {
    const BriStep *step;
    const BriSpan *span;
    const double *part;             /* find_joints_part() */
    const double *drag;             /* sum_drags() */
    bool loads;                     /* the answer is what the next solve begins with */
    double scale;                   /* of those that were */
    bool changed[BRI_MOST_THREADS]; /* per lane */
} Loop;

/* Impulses and velocities of a unit. */
static inline void read_unit(BriContacts *c, const BriUnit *unit, const BriBodyState *bodies) {
    bri_unit_answered(c, unit);
    if (unit->contact < 0) return;
    BriContact *contact = &c->contact[unit->contact];
    BrVec3 u = contact->at.belt;
    const double *C = bri_contact_rows(c, c->C, unit->contact);
    for (int i = 0; i < 3; i++)
        u = bri_add_scaled(u, bri_unit_rate(unit, C + BRI_ROW * i, bodies), bri_column(&contact->at.frame, i));
    contact->got.u = u;
    if (bri_resists_turning(contact)) contact->turning->after = bri_contact_turn(contact, bodies);
}

static void read_share(void *loop, const BriShare *share) {
    const Loop *l = loop;
    BriContacts *c = l->step->ws->contacts;
    for (int k = share->begin; k < share->end; k++) read_unit(c, &c->unit[k], l->span->bodies);
}

static void read_answer(const BriStep *step, const BriSpan *span) {
    Loop loop;
    loop.step = step;
    loop.span = span;
    bri_share(step->def->threads, step->ws->contacts->units, read_share, &loop);
}

/* rho of every block from the masses alone: for asking whether a guess will do before W is there. */
static void guess_scales(const BriStep *step, BriIsland of) {
    const BriContacts *c = step->ws->contacts;
    for (int k = of.begin; k < of.end; k++) {
        const BriUnit *unit = &c->unit[k];
        double trace = 0, room[BRI_UNIT_NUMBERS];
        const double *ME = bri_unit_responses(step, unit, room);
        for (int r = 0; r < unit->rows; r++)
            trace += bri_unit_couple(unit, c->C + BRI_ROW * (unit->first + r), ME + BRI_ROW * r);
        c->scale[unit->row] = trace > 0 ? unit->rows / trace : 1;
    }
}

/* Impulses that wedge each other may grow from step to step; once they round to more than is excused, they are no
 * guess. */
static void drop_wedged(const BriContacts *c, BriIsland of) {
    for (int begin = of.begin, end = 0; begin < of.end; begin = end) {
        double push = 0;
        int first = c->unit[begin].row, rows = 0;
        for (end = begin; end < of.end && c->unit[end].island == c->unit[begin].island; end++) {
            push = bri_max(push, bri_abs(c->r[c->unit[end].row]) / c->scale[c->unit[end].row]);
            rows += c->unit[end].rows;
        }
        if (BRI_ROUNDED * push > bri_excused(&c->unit[begin])) memset(c->r + first, 0, (size_t)rows * sizeof *c->r);
    }
}

/* What joints make of the free velocities, 6 per moving body: K^-1 of what their rows are short of. A light body that a
 * spring would throw about is held by them; its own free speed says nothing of the machine's. */
static const double *find_joints_part(const BriStep *step, const BriSpan *span) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    bri_system_rates(m, span->C, w->contacts->free, w->rate);
    for (int r = 0; r < m->rows; r++) w->error[r] = span->target[r] - w->rate[r];
    bri_spend(step->budget, w->system.ldl.solve_work + 50. * m->rows);
    bri_system_solve(m, &w->system, w->error);
    return w->system.x;
}

/* m: what a row of an angle, rad/s, moves at the end of the longest arm of its bodies; 1 for other rows. */
static double find_arm(const BrModel *m, const BriUnit *unit, const double *C) {
    if (unit->contact >= 0) return 1;
    bool pushes = C[0] != 0 || C[1] != 0 || C[2] != 0 || C[6] != 0 || C[7] != 0 || C[8] != 0;
    if (pushes) return 1;
    return bri_max(m->body[unit->a].node >= 0 ? m->body[unit->a].size : 0,
                   m->body[unit->b].node >= 0 ? m->body[unit->b].size : 0);
}

/* How fast each of these units would move if no contact pushed, m/s; `part`: what joints make of that, or NULL. Left in
 * contacts->u is what they do without joints. */
static inline void find_speeds(const BriStep *step, BriIsland of, const double *part) {
    const BrModel *m = step->model;
    const BriContacts *c = step->ws->contacts;
    for (int k = of.begin; k < of.end; k++) {
        BriUnit *unit = &c->unit[k];
        const double *C = c->C + BRI_ROW * unit->first;
        int a = m->body[unit->a].node, b = m->body[unit->b].node;
        unit->speed = 0;
        for (int r = 0; r < unit->rows; r++, C += BRI_ROW) {
            double rate = c->u[unit->row + r] = bri_unit_rate(unit, C, c->free);
            if (part && a >= 0) rate += bri_dot6(C, part + 6 * a);
            if (part && b >= 0) rate += bri_dot6(C + 6, part + 6 * b);
            unit->speed = bri_max(unit->speed, find_arm(m, unit, C) * bri_abs(rate));
        }
    }
}

/* A contact that shares its bodies with no other and no joint, in closed form: u without impulses stands in c->u, a
 * guess in r, where the answer goes. false: none was found. */
static bool solve_alone(BriStep *step, const BriUnit *unit) {
    BriContacts *c = step->ws->contacts;
    double *r = c->r + unit->row, W[36], trace = 0, room[BRI_UNIT_NUMBERS];
    const double *C = c->C + BRI_ROW * unit->first, *ME = bri_unit_responses(step, unit, room), *q = c->u + unit->row;
    int rows = unit->rows;
    for (int i = 0; i < rows; i++, C += BRI_ROW) {
        for (int k = 0; k < rows; k++) W[rows * i + k] = bri_unit_couple(unit, C, ME + BRI_ROW * k);
        trace += W[(rows + 1) * i];
    }
    if (!(trace > 0)) return false;
    c->scale[unit->row] = rows / trace;
    step->report->solver_iterations++;
    BriBlock block = {.set = BRI_SET_BOX, .rows = 1}; /* at least */
    if (rows > 1) bri_unit_blocks(c, unit, 0, &block);
    bool plain = bri_is_plain_cone(&block);
    const char *solver = plain ? "cone" : rows > 1 ? "newton" : "row";
    step->report->solver = bri_stronger_solver(step->report->solver, solver);
    if (plain) return bri_cone_solve(W, rows, q, rows, block.mu, r);
    if (rows > 1) return bri_moments_solve(&block, W, rows, q, rows / trace, step->budget, r) < __builtin_inf();
    r[0] = bri_max(0, -q[0] / trace);
    return true;
}

/* Contacts that joints hold open have no part in a guess. */
static void let_go(BriContacts *c, const BriUnit *unit) {
    for (int r = 0; r < unit->rows; r++) c->r[unit->row + r] = 0;
}

/* bodies = free + the guess, joints answering; contacts that they open let go. Returns whether joints hold. */
static bool push_guess(BriStep *step, const BriSpan *span) {
    BriContacts *c = step->ws->contacts;
    bool parted = false;
    for (int k = 0; k < c->units; k++)
        if (c->unit[k].lifted) let_go(c, &c->unit[k]);
    bool hold = bri_units_push(step, span);
    for (int k = 0; c->shares.count && k < c->units; k++) {
        BriUnit *unit = &c->unit[k];
        if (!bri_unit_parts(step, unit, bri_unit_rate(unit, c->C + BRI_ROW * unit->first, span->bodies))) continue;
        let_go(c, unit);
        parted = true;
    }
    return parted ? bri_units_push(step, span) : hold;
}

/* What all islands are asked. */
typedef struct Asked {
    const BriSpan *span;
    const BriBodyState *bodies; /* whose velocities stand in `u` */
    double rough;               /* as for bri_island_solve_dense() */
    bool guess;                 /* units stand at their guess, which has been certified */
    bool first; /* or no pass has been before this; those after it find what W leaves out, and no other loads */
} Asked;

/* How much of the answer the next guess takes: the rest takes off what velocities were off by before, once. */
static void note_part(BriContacts *c, const BriIsland *island) {
    for (int k = island->begin; k < island->end; k++)
        if (c->unit[k].contact >= 0) c->contact[c->unit[k].contact].got.part = c->unit[island->begin].part;
}

/* As a network or with a matrix, by its size. What the network does not find may be found where joints are eliminated,
 * from the same guess: u, and so the matrix's q, belong to that. */
static void solve_one_island(BriStep *step, const BriIsland *island, const void *asked) {
    const Asked *a = asked;
    BriContacts *c = step->ws->contacts;
    size_t size = sizeof(double) * (size_t)island->rows;
    if (a->guess) note_part(c, island);
    bool has_matrix = island->rows <= BRI_SOME_ROWS;
    if (bri_is_pile(step, island)) {
        if (has_matrix) memcpy(c->desk.guess, c->r + island->first, size);
        if (bri_pile_solve_velocities(step, a->span, a->bodies, island) <= 1) return;
        if (!has_matrix || step->has_other_way) return;
        if (!bri_contacts_may_spend(step, bri_island_dense_work(step, island))) return;
        memcpy(c->r + island->first, c->desk.guess, size);
    }
    bri_island_solve_dense(step, island, a->rough, a->first);
}

static void set_tolerances(const BriStep *step, BriIsland of) {
    bri_units_set_tolerances(step->ws->contacts, of, step->def->contact_tolerance, step->velocity_tolerance);
}

/* The guess, and what islands are measured by. */
static void guess_share(void *loop, const BriShare *share) {
    const Loop *l = loop;
    BriIsland of = {.begin = share->begin, .end = share->end};
    bri_units_guess(l->step, of, l->span->span);
    guess_scales(l->step, of);
    find_speeds(l->step, of, l->part);
}

static void guess_all(const BriStep *step, const BriSpan *span) {
    Loop loop;
    loop.step = step;
    loop.span = span;
    loop.part = step->model->joints ? find_joints_part(step, span) : NULL;
    bri_share(step->def->threads, step->ws->contacts->units, guess_share, &loop);
    set_tolerances(step, bri_all_units(step->ws->contacts));
    drop_wedged(step->ws->contacts, bri_all_units(step->ws->contacts));
}

/* The moving bodies of some contacts, before these push. */
static void free_bodies(const BriContacts *c, BriIsland of, BriBodyState *bodies) {
    for (int k = of.begin; k < of.end; k++) {
        const BriUnit *unit = &c->unit[k];
        bri_copy_rates(&c->free[unit->b], &bodies[unit->b]);
        if (!unit->fixed_a) bri_copy_rates(&c->free[unit->a], &bodies[unit->a]);
    }
}

/* Contacts that share their bodies with no other have their answers at once, one after the other: no guess is worth a
 * try, but as where a search begins.
 * Worst.times is infinite if one has none. */
static Worst solve_each(BriStep *step, const BriSpan *span) {
    BriContacts *c = step->ws->contacts;
    Worst worst = {.unit = -1, .exact = true};
    double room[BRI_UNIT_NUMBERS];
    for (BriIsland of = {.end = 1}; of.begin < c->units; of.begin++, of.end++) {
        BriUnit *unit = &c->unit[of.begin];
        find_speeds(step, of, NULL);
        set_tolerances(step, of);
        bri_unit_add_offsets(step, unit, NULL);
        if (unit->rows > 1) bri_unit_guess(c, unit, bri_load_scale(c, span->span));
        if (!solve_alone(step, unit)) return (Worst){.times = __builtin_inf(), .unit = of.begin};
        free_bodies(c, of, span->bodies);
        const double *r = c->r + unit->row, *d = bri_unit_responses(step, unit, room);
        if (!unit->fixed_a) bri_push_body(d, r, unit->rows, &span->bodies[unit->a]);
        bri_push_body(d + 6, r, unit->rows, &span->bodies[unit->b]);
        bri_unit_measure(step, unit, span->bodies, NULL);
        certify_some(step, of, span, &worst);
        read_unit(c, unit, span->bodies);
    }
    return worst;
}

/* Islands without joints do not ask for each other: so many at a time guess, push and are certified as a cache holds,
 * and read what they answered as long as all answers will be taken. The same as for all at once, to the bit. Kept apart
 * (noinline): one contact should not feel it. */
__attribute__((noinline)) static Worst try_guess_in_turns(const BriStep *step, const BriSpan *span) {
    enum { TURN = 64 }; /* units and more: 1 kB each, and their bodies */
    BriContacts *c = step->ws->contacts;
    Worst worst = {.unit = -1, .exact = true};
    for (BriIsland turn = {0}; turn.end < c->units;) {
        for (turn.begin = turn.end; turn.end < c->units && turn.end < turn.begin + TURN;)
            turn.end = bri_island_at(c, turn.end).end;
        bri_units_guess(step, turn, span->span);
        find_speeds(step, turn, NULL);
        set_tolerances(step, turn);
        guess_scales(step, turn);
        drop_wedged(c, turn);
        free_bodies(c, turn, span->bodies);
        bri_units_add(step, turn, span);
        bri_units_measure_some(step, turn, span->bodies, span->p);
        certify_some(step, turn, span, &worst);
        for (int k = turn.begin; worst.exact && k < turn.end; k++) read_unit(c, &c->unit[k], span->bodies);
    }
    return worst;
}

/* One solve with the units as they stand. *joints_hold: their residual is within tolerance. */
static Worst solve_units(BriStep *step, const BriSpan *span, bool *joints_hold) {
    BriContacts *c = step->ws->contacts;
    Worst worst = {.unit = -1};
    double before = __builtin_inf();
    c->complies = c->has_bounded || step->model->servos > 0;
    bri_units_prepare(step);
    if (step->model->joints) bri_units_share(step);
    const double AIM = c->C == c->D ? 1e-3 : 0.3; /* of the tolerance: passes go on while they gain */
    bool plain = !c->has_bounded && step->def->friction_set == BR_FRICTION_CONE;
    bool guessed = plain && !c->apart && !step->model->joints && step->def->threads < 2;
    if (plain && (c->apart || guessed)) {
        worst = c->apart ? solve_each(step, span) : try_guess_in_turns(step, span);
        if (c->apart ? worst.times <= 1 : worst.exact) return worst; /* and its answers have been read */
    }
    if (!guessed) guess_all(step, span);
    for (int pass = 0;; pass++) {
        if (pass > 0 || !guessed) {
            *joints_hold = pass == 0 ? push_guess(step, span) : bri_units_push(step, span);
            bri_units_measure(step, span->bodies, span->p);
        }
        /* what rests or slides on as it did is solved already */
        if (pass == 0 && plain && !guessed) worst = certify(step, span);
        if (pass == 0 && plain && worst.exact) break;
        if (pass > 0) {
            worst = certify(step, span);
            bool stuck = !(worst.times < 0.5 * before) || (pass == 1 && !step->model->joints);
            if (worst.times <= AIM || pass == MOST_JOINT_PASSES || stuck) break;
            if (!bri_may_solve(step)) break;
            before = worst.times;
        }
        const BriBodyState *bodies = step->model->joints ? span->bodies : c->free;
        double rough = step->model->joints && c->C != c->D ? ROUGH * worst.residual : 0;
        bri_units_measure(step, bodies, step->model->joints ? span->p : NULL);
        bool every = pass > 0 || !plain || c->shares.missed;
        bri_solve_islands(step, every, solve_one_island, &(Asked){span, bodies, rough, !every, pass == 0});
    }
    bool anywhere = !(worst.times <= 1) && step->def->contact_work < __builtin_inf(); /* it may have ended */
    if (anywhere && !c->in_phases && !step->has_other_way && bri_units_keep_energy(step, span)) {
        bri_units_measure(step, span->bodies, span->p);
        worst = certify(step, span);
    }
    read_answer(step, span);
    return worst;
}

/* ------------------------------------------------------------------ modes */

/* Contacts that slide may do so along their slip, as one row (7.19). */
static void choose_directions(BriContacts *c, bool along_slip) {
    if (c->whole && !along_slip) return;
    c->whole = false;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        contact->ask.one_row = false;
        contact->ask.drag = bri_drag(contact);
        bool slides = along_slip && contact->ask.active && contact->mode.sliding;
        if (!slides && !bri_resists_turning(contact)) continue;
        BrVec3 n = bri_column(bri_push_frame(contact), 0);
        if (bri_resists_turning(contact)) bri_choose_moments(contact, along_slip, n);
        if (!slides) continue;
        BrVec3 slip = bri_add_scaled(contact->mode.slip, -bri_dot(n, contact->mode.slip), n);
        double speed = bri_norm(slip);
        contact->ask.one_row = speed > BRI_SLIP;
        if (contact->ask.one_row) contact->ask.direction = bri_scale(1 / speed, slip);
    }
}

/* How fast a contact's own friction stops a slip, m/s per N s: the mean of its diagonal entries of W, of `rows` rows
 * from `first` on. */
static double find_softness(const BriStep *step, const BriContact *contact, int k, int first, int rows) {
    const BrModel *m = step->model;
    const double *D = bri_contact_rows(step->ws->contacts, step->ws->contacts->D, k) + BRI_ROW * first;
    int ends[2] = {contact->at.a, contact->at.b};
    double sum = 0;
    for (int r = 0; r < rows; r++)
        for (int e = 0; e < 2; e++, D += 6) {
            const BriBody *body = &m->body[ends[e]];
            if (body->node < 0) continue;
            BrVec3 force = bri_vec(D[0], D[1], D[2]), torque = bri_vec(D[3], D[4], D[5]);
            sum +=
                body->inverse_mass * bri_dot(force, force) + bri_dot(torque, bri_mul(&body->inverse_inertia, torque));
        }
    return sum / rows;
}

/* All friction that may act on each moving body, N s, into contacts->desk.x: contacts at one place must decide alike. Then,
 * if there are any, the same of moments against rolling and against spinning, N m s. */
static const double *sum_drags(const BriStep *step) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    memset(c->desk.x, 0, (m->turns ? 3 : 1) * (size_t)m->moving * sizeof(double));
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        int nodes[2] = {m->body[contact->at.a].node, m->body[contact->at.b].node};
        for (int e = 0; contact->ask.active && e < 2; e++) {
            double push = bri_max(contact->got.p[0], 0);
            if (nodes[e] >= 0) c->desk.x[nodes[e]] += contact->mode.mu * push;
            if (nodes[e] < 0 || !m->turns) continue;
            c->desk.x[m->moving + nodes[e]] += contact->at.surface->mu_r * push;
            c->desk.x[2 * m->moving + nodes[e]] += contact->at.surface->mu_spin * push;
        }
    }
    return c->desk.x;
}

/* The most of it on one of a contact's bodies. */
static double find_most_drag(const BriStep *step, const BriContact *contact, const double *drag) {
    int a = step->model->body[contact->at.a].node, b = step->model->body[contact->at.b].node;
    return bri_max(a >= 0 ? drag[a] : 0, b >= 0 ? drag[b] : 0);
}

/* A slip that this step's friction could stop altogether turns faster than the step follows: friction along the old
 * slip would overshoot from side to side. Friction that builds up with the slip grows at most by mu tanh(s)/s. */
static bool is_stiff(const BriStep *step, const BriContact *contact, int k, const double *drag) {
    double most = find_most_drag(step, contact, drag), slip = bri_norm(contact->mode.slip);
    if (bri_creeps(contact)) most *= bri_tanh(slip / contact->at.surface->creep);
    return most * find_softness(step, contact, k, 1, 2) > slip;
}

/* Slides that the loads at hand will stop are cones from the start: each round in which one of them became one would be
 * a solve. */
static void foresee_stops(const BriStep *step, double span) {
    BriContacts *c = step->ws->contacts;
    double scale = bri_load_scale(c, span);
    bool any = false;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->ask.active) continue;
        any = any || contact->ask.one_row;
        contact->got.p[0] = scale * bri_dot(contact->got.load, bri_column(bri_push_frame(contact), 0));
    }
    const double *drag = any ? sum_drags(step) : NULL;
    for (int k = 0; any && k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->ask.active || !contact->ask.one_row || !(contact->got.p[0] > 0)) continue;
        if (is_stiff(step, contact, k, drag)) contact->ask.one_row = false;
    }
}

/* The same of turns: those that go on are not reversed, and could not be stopped (turning.c). */
static bool review_turns(const BriStep *step, BriContact *contact, int k, const double *drag) {
    int moving = step->model->moving;
    double most[2] = {find_most_drag(step, contact, drag + moving), find_most_drag(step, contact, drag + 2 * moving)};
    double soft[2] = {find_softness(step, contact, k, 3, 2), find_softness(step, contact, k, 5, 1)};
    for (int i = 0; i < 2; i++) soft[i] /= contact->turning->length * contact->turning->length;
    return bri_review_moments(contact, most, soft);
}

/* `scale`: that of the loads before. */
static void note_load(BriContact *contact, double scale) {
    contact->got.load = bri_contact_next_load(contact, scale, contact->got.load, contact->got.push);
    if (bri_resists_turning(contact))
        contact->turning->load =
            bri_contact_next_load(contact, scale, contact->turning->load, contact->turning->moment);
}

static void review_share(void *loop, const BriShare *share) {
    Loop *l = loop;
    const BriStep *step = l->step;
    BriContacts *c = step->ws->contacts;
    const double *drag = l->drag;
    bool changed = l->changed[share->lane];
    for (int k = share->begin; k < share->end; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->ask.active) continue;
        if (l->loads) note_load(contact, l->scale);
        if (contact->ask.bounded) continue;
        BrVec3 slip = bri_tangential(contact, contact->got.u);
        if (contact->ask.one_row && contact->got.p[0] > 0 &&
            (!(bri_dot(contact->ask.direction, slip) > 0) || is_stiff(step, contact, k, drag))) {
            contact->ask.one_row = false;
            changed = true;
        }
        if (drag && bri_resists_turning(contact)) changed = review_turns(step, contact, k, drag) || changed;
        double pt = bri_sqrt(contact->got.p[1] * contact->got.p[1] + contact->got.p[2] * contact->got.p[2]);
        bool breaks = !contact->mode.sliding && contact->got.p[0] > 0 &&
                      contact->at.surface->mu_k < contact->at.surface->mu_s &&
                      pt >= (1 - ROUNDING) * contact->mode.mu * contact->got.p[0] && bri_norm(slip) > BRI_SLIP;
        if (breaks) {
            bri_contact_set_sliding(contact, true);
            changed = true;
        }
    }
    l->changed[share->lane] = changed;
}

/* What the answer contradicts is changed: a slide along a known direction that would reverse becomes a cone; a contact
 * that breaks away goes on with the kinetic coefficient (7.18). `loads`: it is what the next solve begins with.
 * true: solve again. */
static bool review_modes(const BriStep *step, bool loads, double scale) {
    const BriContacts *c = step->ws->contacts;
    bool changed = false;
    int lanes = bri_lanes(step->def->threads);
    Loop loop;
    loop.step = step;
    loop.drag = c->directed ? sum_drags(step) : NULL;
    loop.loads = loads;
    loop.scale = scale;
    for (int i = 0; i < lanes; i++) loop.changed[i] = false;
    bri_share(step->def->threads, c->count, review_share, &loop);
    for (int i = 0; i < lanes; i++) changed = changed || loop.changed[i];
    return changed;
}

/* Polygons are judged by their own problem; what drives bodies into each other is none of it. */
static void judge_polygons(const BriStep *step, const BriBodyState *bodies, Worst *worst) {
    const BriContacts *c = step->ws->contacts;
    worst->times = step->polygon_times;
    worst->residual = worst->times * worst->tolerance;
    for (int k = 0; k < c->units; k++) {
        double approach = find_driven_approach(step, &c->unit[k], bodies);
        if (!(approach > worst->residual)) continue;
        worst->residual = approach;
        worst->times = approach / worst->tolerance;
        worst->unit = k;
    }
}

static bool note_residual(BriStep *step, const BriBodyState *bodies, Worst worst) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    BrStepReport *report = step->report;
    if (step->def->friction_set == BR_FRICTION_POLYGON && !c->has_bounded) judge_polygons(step, bodies, &worst);
    bool fine = worst.times <= 1;
    report->uncertified_contacts += !fine;
    double before = report->contact_tolerance > 0 ? report->contact_residual / report->contact_tolerance : 0;
    if (worst.unit >= 0 && (!(worst.times <= before) || report->contact_tolerance == 0)) {
        report->contact_residual = worst.residual;
        report->contact_tolerance = worst.tolerance;
        report->worst_contact[0] = br_model_body(m, c->unit[worst.unit].a);
        report->worst_contact[1] = br_model_body(m, c->unit[worst.unit].b);
    }
    return fine;
}

/* Whose answers are none: those of single islands, or of all. */
static void note_failures(BriContacts *c, bool single) {
    for (int k = 0; k < c->units; k++) {
        bool begins = k == 0 || c->unit[k - 1].island != c->unit[k].island;
        if (!single || (begins && c->unit[k].failed)) bri_group_note(c, c->unit[k].b, BRI_GROUP_FAILS);
    }
}

/* Solves until no contact changes its mode; bounds of friction are renewed by the answer `passes` times. */
static Worst solve_modes(BriStep *step, const BriSpan *span, int passes, bool *joints_hold) {
    BriContacts *c = step->ws->contacts;
    Worst worst = {.unit = -1};
    int most = MOST_ROUNDS + passes + (c->has_grips ? GRIP_ROUNDS : 0);
    for (int round = 0; round < most; round++) {
        worst = solve_units(step, span, joints_hold);
        bool lasts = span->span > 0 && !c->in_phases; /* phases share a blow as the first of them */
        bool loads = lasts && worst.times <= 1,
             settled = !c->directed && !c->has_breaks && !c->has_limits && !c->has_grips;
        if (settled && span->last) return worst; /* there is nothing to review */
        double scale = bri_load_scale(c, span->span);
        if (loads) c->load_over = span->span;
        bool again = review_modes(step, loads, scale);
        if (c->has_grips) again = bri_grips_renew(step, span, round) || again;
        if (round < passes) bri_limit_friction(step, span->span, BRI_LIMIT_BY_ANSWER);
        bool lost = step->has_other_way && !(worst.times <= 1); /* that is taken, whatever the modes */
        if (lost || (!again && round >= passes) || !bri_may_solve(step)) break;
    }
    return worst;
}

/* Box and bristle friction: bounds need a normal force to stand on, and contacts that are new have none: cones give it.
 * They give it too where bristles push more than they can have stored, which then are rigid for this step (8.4). */
static Worst solve_bounded(BriStep *step, const BriSpan *span, bool *joints_hold) {
    BriContacts *c = step->ws->contacts;
    bool known = true;
    for (int k = 0; k < c->count; k++) known = known && (c->contact[k].was.known || !c->contact[k].ask.bounded);
    if (!known) {
        bri_limit_friction(step, span->span, BRI_LIMIT_BY_CONE);
        solve_modes(step, span, 0, joints_hold);
    }
    bri_limit_friction(step, span->span, BRI_LIMIT_BY_LAST_STEP);
    bri_turn_bounded(step, span->bodies);
    Worst worst = solve_modes(step, span, bri_count_limit_passes(c), joints_hold);
    if (!bri_rows_overreach(step)) return worst;
    bri_limit_friction(step, span->span, BRI_LIMIT_BY_CONE);
    solve_modes(step, span, 0, joints_hold);
    bri_limit_friction(step, span->span, BRI_LIMIT_RIGIDLY);
    return solve_modes(step, span, 0, joints_hold);
}

bool bri_solve_velocities(BriStep *step, const BriSpan *span, bool along_slip) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    bool joints_hold = true;
    if (!m->touches || c->count + c->bounds == 0)
        return !m->joints || bri_constrain_rates(step, &(BriRates){span->D, span->C, span->target, span->span,
                                                                   span->bodies, span->p, span->between, span->again});
    bri_begin_contacts(step);
    c->slips = 1;
    for (int i = 0; i < m->bodies; i++) bri_copy_rates(&span->bodies[i], &c->free[i]);
    choose_directions(c, along_slip);
    if (along_slip) foresee_stops(step, span->span);
    Worst worst =
        bri_mark_bounded(step) ? solve_bounded(step, span, &joints_hold) : solve_modes(step, span, 0, &joints_hold);
    for (int k = 0; k < c->bounds; k++)
        if (c->bound[k].kind == BRI_BOUND_MOTOR) span->p[c->bound[k].motor_row] += c->bound[k].p;
    bri_end_contacts(step);
    if (!(worst.times <= 1) || !joints_hold) note_failures(c, joints_hold && !c->shares.missed);
    return note_residual(step, span->bodies, worst) && joints_hold;
}
