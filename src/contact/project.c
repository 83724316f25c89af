/* project.c: gaps of contacts that push go to zero, overlaps go away, without touching velocities:
 *     dq = K^-1 D^T x,   C dq = -gap on normal rows, 0 on tangential rows of contacts that stick                (7.8)
 * so that the projection does not make a sticking contact creep. Deep overlaps at the start of a step (a scene that
 * starts so) are taken back by a fifth; what the step itself made of overlap, wholly, so that none can pile up. The
 * energy that the first kind puts in is no physics; the report tells it apart from the rest of the defect. */
#include "base/threads.h"
#include "contact/units.h"
#include "dynamics/force.h"

#include <string.h>

enum {
    MOST_PASSES = 8, /* each leaves about gap^2/size */
    MOST_LEVER = 10  /* times the gap: farther no body goes for it in one pass */
};
static const double SHALLOW =
    1e-5; /* m: one pass leaves about gap^2, nothing, for the gaps that steps make; absolute */
static const double PARTING = 1e-8; /* m/s: bodies that part faster are not held together; absolute */

/* Overlaps from here on are deep, m: a thousandth of the smaller body's extent, and no more than 0.1 mm. */
static double find_deep(const BrModel *m, const BriContact *c) {
    return bri_min(1e-4, 1e-3 * bri_contact_extent(m, c));
}

/* Does it hold its bodies together? Not if they part: an impulse of rounding's size is none. */
static bool holds(const BriContact *c) {
    return c->got.p[0] > 0 && bri_restitution(c) == 0 &&
           bri_dot(bri_normal(c), c->got.u) + c->ask.normal_offset <= PARTING;
}

/* Asked for nothing but to keep its rows: it pushes along its normal alone, or along all three. */
static void ask_rows(BriContact *contact, bool takes_part, bool one_row) {
    contact->ask.active = takes_part;
    contact->ask.one_row = one_row;
    contact->ask.drag = 0;
    contact->ask.rolls = contact->ask.spins = false;
    if (bri_resists_turning(contact)) contact->turning->roll_drag = contact->turning->spin_drag = bri_vec(0, 0, 0);
}

/* Wanted change of a contact's gap, m; 0: leave it. */
static double wanted(const BriStep *step, const BriContact *c, bool held) {
    double gap = c->at.touch.gap;
    bool event = step->def->formulation == BR_FORMULATION_EVENT; /* to which 1e-9 m is a flight */
    if (bri_abs(gap) <= (event ? step->position_tolerance : c->at.nothing) || !(held || gap < 0)) return 0;
    double deep = find_deep(step->model, c);
    if (gap > deep) return -0.2 * gap;
    return c->at.start_gap < -deep ? bri_max(0, 0.8 * c->at.start_gap - gap) : -gap;
}

typedef struct Choice {
    BriStep *step;
    double worst[BRI_MOST_THREADS]; /* m, per lane */
} Choice;

static void choose_share(void *loop, const BriShare *share) {
    Choice *choice = loop;
    BriStep *step = choice->step;
    BriContacts *c = step->ws->contacts;
    double worst = choice->worst[share->lane];
    for (int k = share->begin; k < share->end; k++) {
        BriContact *contact = &c->contact[k];
        bool held = holds(contact);
        double change = wanted(step, contact, held);
        ask_rows(contact, held || change != 0, contact->mode.sliding || !(contact->got.p[0] > 0));
        worst = bri_max(bri_abs(change), worst);
    }
    choice->worst[share->lane] = worst;
}

/* Contacts where their bodies are now, which of them take part, and with which rows. Some at a time, so that the second
 * finds what the first has fetched; threads move them all at once. `there`: they stand so. The largest change that one
 * wants, m. */
static double move_and_choose(BriStep *step, const BriBodyState *bodies, bool there) {
    enum { TURN = 32 }; /* contacts: with shapes and bodies half of a first cache */
    int lanes = bri_lanes(step->def->threads), count = step->ws->contacts->count;
    Choice choice;
    choice.step = step;
    for (int i = 0; i < lanes; i++) choice.worst[i] = 0;
    step->ws->contacts->whole = false;
    if (there || lanes > 1) {
        if (!there) bri_contacts_move(step, bodies);
        bri_share(lanes, count, choose_share, &choice);
    } else {
        double spent = 0;
        bri_shapes_move(step, bodies);
        for (int begin = 0; begin < count; begin += TURN) {
            BriShare turn = {.begin = begin, .end = begin + TURN < count ? begin + TURN : count};
            spent += bri_contacts_move_some(step, bodies, turn.begin, turn.end);
            choose_share(&choice, &turn);
        }
        bri_spend(step->budget, spent);
    }
    double worst = choice.worst[0];
    for (int i = 1; i < lanes; i++) worst = bri_max(worst, choice.worst[i]);
    return worst;
}

/* One contact that slides over what cannot be pushed, and no joints: its normal row is all there is. Six numbers per
 * moving body. */
static const double *lift_alone(BriStep *step, const BriBodyState *bodies) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    const BriContact *contact = &c->contact[0];
    const BriBody *body = &m->body[contact->at.b];
    const BriBodyState *b = &bodies[contact->at.b];
    BrVec3 n = bri_normal(contact);
    BrVec3 turn = bri_mul_t(&b->A, bri_cross(bri_sub(bri_contact_point(contact), b->r), n));
    BrVec3 answer = bri_mul(&body->inverse_inertia, turn);
    double x = wanted(step, contact, holds(contact)) / (body->inverse_mass + bri_dot(turn, answer));
    double d[6] = {x * body->inverse_mass * n.x,
                   x * body->inverse_mass * n.y,
                   x * body->inverse_mass * n.z,
                   x * answer.x,
                   x * answer.y,
                   x * answer.z};
    memset(c->desk.x, 0, 6 * (size_t)m->moving * sizeof *c->desk.x);
    memcpy(c->desk.x + 6 * body->node, d, sizeof d);
    return c->desk.x;
}

/* All active contacts at once. */
static const double *lift(BriStep *step, const BriBodyState *bodies) {
    BriContacts *c = step->ws->contacts;
    bri_contacts_few_rows(step, bodies);
    bri_units_prepare(step);
    for (int k = 0; k < c->units; k++) {
        double *x = c->r + c->unit[k].row;
        const BriContact *contact = &c->contact[c->unit[k].contact];
        x[0] = wanted(step, contact, holds(contact));
        for (int r = 1; r < c->unit[k].rows; r++) x[r] = 0;
    }
    bri_units_solve_linear(step);
    return bri_units_spread(step, c->r);
}

/* Moves the bodies, but none by more than `most` (m): where joints hold a contact nearly, the linear system asks for
 * anything. */
static void displace(const BrModel *m, const double *x, double most, BriBodyState *bodies) {
    double largest = 0;
    for (int n = 0; n < m->moving; n++) {
        const double *d = x + 6 * n;
        double way = bri_norm(bri_vec(d[0], d[1], d[2])), turn = bri_norm(bri_vec(d[3], d[4], d[5]));
        largest = bri_max(largest, way + turn * m->body[m->moving_body[n]].size);
    }
    double part = largest > most ? most / largest : 1;
    for (int n = 0; n < m->moving; n++, x += 6) {
        BriBodyState *b = &bodies[m->moving_body[n]];
        if (x[0] == 0 && x[1] == 0 && x[2] == 0 && x[3] == 0 && x[4] == 0 && x[5] == 0) continue;
        b->r = bri_add(b->r, bri_scale(part, bri_vec(x[0], x[1], x[2])));
        BrMat3 turn = bri_rotation_exp(bri_scale(part, bri_vec(x[3], x[4], x[5])));
        b->A = bri_mat_mul(&b->A, &turn); /* the next step's turn takes the rounding out */
    }
}

/* Does the step take back an overlap that was there before it? */
static bool starts_deep(const BriStep *step) {
    const BriContacts *c = step->ws->contacts;
    for (int k = 0; c->overlaps && k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        if (!(contact->at.start_gap < -contact->at.nothing)) continue; /* which is less than deep */
        if (contact->at.start_gap < -find_deep(step->model, contact)) return true;
    }
    return false;
}

/* What poses alone decide, J; `bodies` are those of the trial state. */
static double find_pose_energy(const BriStep *step, const BriBodyState *bodies) {
    return bri_gravity_energy(step->model, bodies) + bri_spring_energy(step->model, step->ws->trial);
}

bool bri_project_contacts(BriStep *step, double time, BriBodyState *bodies, bool there) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    there = there && !m->joints; /* which move bodies now */
    bool fine = !m->joints || bri_constrain_positions(step, time, bodies);
    double before = __builtin_inf();
    if (!m->touches || c->count == 0) return fine;
    bri_begin_contacts(step);
    int bounds = c->bounds;
    bool deep = starts_deep(step);
    double energy = deep ? find_pose_energy(step, bodies) : 0;
    c->bounds = 0;
    for (int pass = 0; pass < MOST_PASSES && bri_has_budget(step->budget); pass++) {
        if (pass > 0 && !bri_may_solve(step)) break; /* what contacts may cost has been spent */
        double worst = move_and_choose(step, bodies, there && pass == 0);
        if (worst == 0 || !(worst < 0.9 * before)) break;
        before = worst;
        if (m->joints && pass == 0) bri_factor(step, bodies);
        bool alone = c->count == 1 && !m->joints && c->contact[0].ask.one_row && c->contact[0].at.fixed_a;
        displace(m, alone ? lift_alone(step, bodies) : lift(step, bodies), MOST_LEVER * worst, bodies);
        if (m->joints) fine = bri_constrain_positions(step, time, bodies) && fine;
        if (worst < SHALLOW) break;
    }
    c->bounds = bounds;
    bri_end_contacts(step);
    if (deep) step->corrected += find_pose_energy(step, bodies) - energy;
    return fine;
}

/* Rates of closed contacts that are neither struck nor leaving. */
static bool choose_rates(BriStep *step, const BriBodyState *bodies, double most) {
    BriContacts *c = step->ws->contacts;
    bool any = false;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        contact->got.u = bri_contact_velocity(contact, bodies);
        double rate = bri_dot(bri_normal(contact), contact->got.u);
        bool held = contact->mode.closed && !contact->mode.idle && bri_abs(rate) <= most;
        ask_rows(contact, held, contact->mode.sliding);
        any = any || contact->ask.active;
    }
    for (int k = 0; step->keeps_bounds && k < c->bounds; k++) any = any || !c->bound[k].off;
    return any;
}

void bri_project_rates(BriStep *step, double most, BriBodyState *bodies) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    bri_contacts_move(step, bodies);
    if (!choose_rates(step, bodies, most)) return;
    int bounds = c->bounds;
    if (!step->keeps_bounds) c->bounds = 0;
    bri_begin_contacts(step);
    bri_contacts_few_rows(step, bodies);
    bri_bounds_same_rows(step, bodies);
    bri_units_prepare(step);
    for (int k = 0; k < c->units; k++) {
        if (c->unit[k].contact < 0) {
            c->r[c->unit[k].row] = -bri_bound_rate(step, &c->bound[-1 - c->unit[k].contact], bodies);
            continue;
        }
        const BriContact *contact = &c->contact[c->unit[k].contact];
        for (int r = 0; r < c->unit[k].rows; r++)
            c->r[c->unit[k].row + r] = -bri_dot(bri_column(&contact->at.frame, r), contact->got.u);
    }
    bri_units_solve_linear(step);
    const double *x = bri_units_spread(step, c->r);
    for (int n = 0; n < m->moving; n++, x += 6) {
        BriBodyState *b = &bodies[m->moving_body[n]];
        b->v = bri_add(b->v, bri_vec(x[0], x[1], x[2]));
        b->w = bri_add(b->w, bri_vec(x[3], x[4], x[5]));
    }
    bri_end_contacts(step);
    c->bounds = bounds;
}
