/* units.h: contacts and joint bounds as units of a problem, split into islands; for the files that solve them. */
#ifndef BRI_CONTACT_UNITS_H
#define BRI_CONTACT_UNITS_H

#include "contact/contact.h"

/* Units from `begin` to `end` that are solved together. */
typedef struct BriIsland {
    int begin, end;  /* units */
    int first, rows; /* rows */
} BriIsland;

BriIsland bri_island_at(const BriContacts *contacts, int begin);
/* All of them, as if they were one. */
static inline BriIsland bri_all_units(const BriContacts *c) { return (BriIsland){.end = c->units}; }

static inline double bri_dot6(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/* Directions in which a unit's impulses push, E: its rows of D, or, where some go against a known slip or turn, `room`
 * with these. And M^-1 E, kept or in `room`. Twelve numbers per row, and at most: */
enum { BRI_UNIT_NUMBERS = 6 * BRI_ROW };
const double *bri_unit_directions(const BriContacts *contacts, const BriUnit *unit, double *room);
const double *bri_unit_find_responses(const BriStep *step, const BriUnit *unit, double *room);
static inline const double *bri_unit_responses(const BriStep *step, const BriUnit *unit, double *room) {
    const BriContacts *c = step->ws->contacts;
    return c->keeps_ME ? c->ME + BRI_ROW * unit->row : bri_unit_find_responses(step, unit, room);
}

/* What an impulse along one row of a unit does to another of its rows, by its bodies alone: C . M^-1 E. */
static inline double bri_unit_couple(const BriUnit *unit, const double *C, const double *ME) {
    return bri_dot6(C + 6, ME + 6) + (unit->fixed_a ? 0 : bri_dot6(C, ME));
}

/* x += factor E (twelve numbers) on two moving bodies, by their nodes; -1: there is none. */
static inline void bri_spread(const int nodes[2], const double *E, double factor, double *x) {
    for (int e = 0; e < 2; e++, E += 6) {
        double *own = x + 6 * nodes[e];
        if (nodes[e] < 0) continue;
        own[0] += factor * E[0], own[1] += factor * E[1], own[2] += factor * E[2];
        own[3] += factor * E[3], own[4] += factor * E[4], own[5] += factor * E[5];
    }
}

static inline void bri_unit_spread(const BrModel *m, const BriUnit *unit, const double *E, double factor, double *x) {
    bri_spread((const int[2]){m->body[unit->a].node, m->body[unit->b].node}, E, factor, x);
}

/* Has it all its rows, and pushes along them? */
static inline bool bri_unit_is_straight(const BriContacts *c, const BriUnit *unit) {
    return !unit->drags && unit->contact >= 0 && !c->contact[unit->contact].ask.one_row;
}

/* W = C K^-1 E^T of an island into contacts->desk.W; jointed.c: where joints answer. */
void bri_units_assemble(const BriStep *step, const BriIsland *island);
void bri_assemble_jointed(const BriStep *step, const BriIsland *island);
/* Operations of that. */
double bri_jointed_work(const BriStep *step, const BriIsland *island);

/* Of its island's residual at most so much is called rounding: of the speed, thirty times what masses of 1 to 10^6 round
 * to. */
static inline double bri_excused(const BriUnit *unit) { return 1e-6 * unit->speed; }

/* Of every island among these: `part` of its largest `speed`, but not less than `least`. */
void bri_units_set_tolerances(BriContacts *contacts, BriIsland of, double part, double least);

/* What a step spends between these two is its contacts' (contact_work): problems, what they are made of, and what is made
 * of their answers. */
static inline void bri_begin_contacts(BriStep *step) { step->solving_from = step->budget->spent - step->solving_work; }
static inline void bri_end_contacts(BriStep *step) { step->solving_work = step->budget->spent - step->solving_from; }
/* Between them: is so much left of it? */
static inline bool bri_contacts_may_spend(const BriStep *step, double work) {
    return bri_can_spend(step->budget, work) &&
           step->budget->spent - step->solving_from + work < step->def->contact_work;
}
/* Any? */
static inline bool bri_may_solve(const BriStep *step) { return bri_contacts_may_spend(step, 0); }
/* Outside of them: is any left? */
static inline bool bri_has_contact_work(const BriStep *step) {
    return bri_has_budget(step->budget) && step->solving_work < step->def->contact_work;
}

/* What a contact problem may spend, of the step's budget and of that of its contacts; and that it has. */
BriBudget bri_open_problem(const BriStep *step);
void bri_close_problem(BriStep *step, const BriBudget *budget);

/* u of every row, with offsets, into contacts->u; the joints having pushed with p (NULL: no unit shares with them). */
void bri_units_measure(const BriStep *step, const BriBodyState *bodies, const double *p);
/* The same of some, by the calling thread. */
void bri_units_measure_some(const BriStep *step, BriIsland of, const BriBodyState *bodies, const double *p);

/* M^-1 f of a body, six numbers each. */
void bri_apply_inverse_mass(const BriBody *body, const double *f, double *v);

/* What the whole machine does under a unit impulse along E (twelve numbers) of a unit, six numbers per moving body, and
 * with which impulses joints answer, their signs turned; `alone`: what its two bodies would do in that direction.
 * contacts->desk.x must be zero wherever the caller looks. */
const double *bri_unit_answer(const BriStep *step, const BriUnit *unit, const double *E, double alone);

/* contacts->r of a unit as impulse (or force) of its contact or bound. */
void bri_unit_answered(BriContacts *contacts, const BriUnit *unit);

/* r of these from the loads that were answered last: a guess for impulses over `span`, or for forces (1 s). */
void bri_units_guess(const BriStep *step, BriIsland of, double span);
/* The same of a contact's unit; scale: that of loads. */
static inline double bri_load_scale(const BriContacts *c, double span) {
    return c->load_over > 0 ? span / c->load_over : 0;
}
static inline void bri_unit_guess(const BriContacts *c, const BriUnit *unit, double scale) {
    const BriContact *contact = &c->contact[unit->contact];
    const BrVec3 *moment = contact->turning ? &contact->turning->load : NULL;
    for (int r = 0; r < unit->rows; r++)
        c->r[unit->row + r] = scale * bri_contact_part(contact, r, &contact->got.load, moment);
}

/* What the next solve begins with: `now`, or between the last load and that (7.55). */
static inline BrVec3 bri_contact_next_load(const BriContact *contact, double scale, BrVec3 last, BrVec3 now) {
    if (contact->got.part == 1) return now;
    last = bri_scale(scale, last);
    return bri_add_scaled(last, contact->got.part, bri_sub(now, last));
}

/* bodies = free + all impulses (contacts->r), joints answering. */
bool bri_units_push(BriStep *step, const BriSpan *span);
/* The same in parts: bodies = free; and the impulses of some upon that, joints not answering. */
void bri_units_free(const BriStep *step, const BriSpan *span);
void bri_units_add(const BriStep *step, BriIsland of, const BriSpan *span);

/* passive.c: of an answer that is none so much that contacts make no energy: less of contacts->r, and `bodies` with it.
 * false: they are as they were. */
bool bri_units_keep_energy(BriStep *step, const BriSpan *span);

/* A row of C times the velocities of its two bodies. */
static inline double bri_unit_rate(const BriUnit *unit, const double *C, const BriBodyState *bodies) {
    double rate = bri_row_rate(C + 6, &bodies[unit->b]);
    return unit->still_a ? rate : rate + bri_row_rate(C, &bodies[unit->a]);
}

/* What its rows ask for beside that, into contacts->u, which is what its bodies do. */
static inline void bri_unit_add_offsets(const BriStep *step, const BriUnit *unit, const double *p) {
    const BriContacts *c = step->ws->contacts;
    double *u = c->u + unit->row;
    if (unit->contact < 0) {
        u[0] += c->bound[-1 - unit->contact].offset;
        return;
    }
    const BriContact *contact = &c->contact[unit->contact];
    u[0] += contact->ask.normal_offset;
    if (unit->shared >= 0) u[0] = unit->share * c->r[unit->row] + bri_unit_joint_share(step, unit, p); /* (7.30) */
    if (contact->ask.one_row) return;
    if (!contact->at.runs && u[1] != 0 && u[2] != 0) return; /* zeros: which have signs */
    u[1] += bri_dot(bri_column(&contact->at.frame, 1), contact->at.belt);
    u[2] += bri_dot(bri_column(&contact->at.frame, 2), contact->at.belt);
}

/* Both: u of one unit, as for bri_units_measure(). */
static inline void bri_unit_measure(const BriStep *step, const BriUnit *unit, const BriBodyState *bodies,
                                    const double *p) {
    const BriContacts *c = step->ws->contacts;
    const double *C = c->C + BRI_ROW * unit->first;
    for (int r = 0; r < unit->rows; r++) c->u[unit->row + r] = bri_unit_rate(unit, C + BRI_ROW * r, bodies);
    bri_unit_add_offsets(step, unit, p);
}

/* Impulses p of a unit's rows on one of its bodies, whose half of M^-1 E starts at d. */
static inline void bri_push_body(const double *d, const double *p, int rows, BriBodyState *b) {
    BrVec3 v = b->v, w = b->w;
    for (int r = 0; r < rows; r++, d += BRI_ROW) {
        v = bri_add_scaled(v, p[r], bri_vec(d[0], d[1], d[2]));
        w = bri_add_scaled(w, p[r], bri_vec(d[3], d[4], d[5]));
    }
    b->v = v;
    b->w = w;
}

/* Slower, the normal of a contact that joints carry neither opens nor closes, m/s (or m/s^2): the root of BRI_CARRIED,
 * of the largest speed. */
static inline double bri_carried_speed(const BriStep *step) { return 1e6 * step->velocity_tolerance; }

/* island.c. Blocks of an island into contacts->desk.block, rows counting from its first. Returns their number. */
int bri_island_blocks(const BriStep *step, const BriIsland *island);
/* The same of one unit, from row `row` on. */
int bri_unit_blocks(const BriContacts *contacts, const BriUnit *unit, int row, BriBlock *block);

/* Bounded friction is elastic: u + compliance (r - offset). Adds that to u of the tangential rows; r NULL: zeros. */
void bri_island_add_compliance(const BriContacts *contacts, const BriIsland *island, const double *r, double *u);

/* r of an island anew, u being what `bodies` do: with the r at hand, or, if there are no joints, without impulses. With
 * W, or by sweeps where that would be too large. rough: m/s that may be left; 0: no more than the tolerance. shortest:
 * where loads depend on each other, those of equal springs. */
void bri_island_solve_dense(BriStep *step, const BriIsland *island, double rough, bool shortest);
/* Operations of that until there is a first answer: W, and a step of Newton's. */
double bri_island_dense_work(const BriStep *step, const BriIsland *island);

/* Has it too many rows for a matrix of its own (pile.h)? */
bool bri_is_pile(const BriStep *step, const BriIsland *island);

/* bounded.c. Which contacts have friction with bounds; true: some. */
bool bri_mark_bounded(const BriStep *step);

/* The normal force that bounds stand on: that of the last step (of new contacts: of the answer at hand), of the answer
 * at hand; or none, the contacts being cones for a solve that finds it; or of the answer, rows being rigid. */
typedef enum BriLimitBy {
    BRI_LIMIT_BY_LAST_STEP,
    BRI_LIMIT_BY_ANSWER,
    BRI_LIMIT_BY_CONE,
    BRI_LIMIT_RIGIDLY
} BriLimitBy;
void bri_limit_friction(const BriStep *step, double span, BriLimitBy by);

/* Rows of laws stand along the slip or the last force: the frames turn there, and rows are made anew. */
void bri_turn_bounded(BriStep *step, const BriBodyState *bodies);

/* How often the answer renews the bounds. */
int bri_count_limit_passes(const BriContacts *contacts);

/* Does a row of a law give back more than slip has put into it? */
bool bri_rows_overreach(const BriStep *step);

#endif
