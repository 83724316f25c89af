/* phases.c: impacts in which e is of the impulse (poisson) or of its work (energetic).
 *
 * A contact that strikes alone is followed along its impulse (laws/impact.c): exact. Alone means: no other contact,
 * limit or friction of its island (bodies that touch or are joined) pushes, before or after. Several at once have no
 * law that all agree on; here all of them are
 *
 *     compressed     one solve of (7.1) with u_N' >= 0
 *     restored       SUBSTEPS solves with u_N' >= u_N + c g of those that have not got all of theirs           (7.27)
 *                    g: a share of what is left,   c = du_N/dp of the solve before
 *
 * so that each pushes with about g, and friction follows the slip from solve to solve; as many solves again while g was
 * missed. At the end all that was given is pushed at once from the velocities before, joints answering. */
#include "contact/units.h"

#include <string.h>

enum { SUBSTEPS = 8 }; /* the error is one share of them, e p_c/8 (7.27) */

/* Less than this of what is to come back is none. */
static const double LITTLE = 1e-6;

static bool is_energetic(const BriContact *c) { return c->at.surface->hypothesis == BRI_ENERGETIC; }

/* ------------------------------------------------------------------ what was given so far */

static void clear_given(BriContacts *c) {
    for (int k = 0; k < c->count; k++) {
        c->phase[k].given = bri_vec(0, 0, 0);
        if (bri_resists_turning(&c->contact[k])) c->contact[k].turning->given = bri_vec(0, 0, 0);
    }
    for (int k = 0; k < c->bounds; k++) {
        BriBoundRow *bound = &c->bound[k];
        bound->given = 0;
        bound->least = bound->lower, bound->most = bound->upper;
    }
}

/* The last answer joins what was given; bounds have that much less to give. */
static void add_given(BriContacts *c) {
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->ask.active) continue;
        c->phase[k].given = bri_add(c->phase[k].given, contact->got.push);
        if (bri_resists_turning(contact))
            contact->turning->given = bri_add(contact->turning->given, contact->turning->moment);
    }
    for (int k = 0; k < c->bounds; k++) {
        BriBoundRow *bound = &c->bound[k];
        bound->given += bound->p;
        bound->lower = bound->least - bound->given, bound->upper = bound->most - bound->given;
    }
}

/* Velocities before, and all that was given (into contacts->r) at once. Returns whether joints hold. */
static bool push_given(BriStep *step, const BriSpan *span, bool nothing) {
    BriContacts *c = step->ws->contacts;
    memcpy(c->free, step->ws->impact_start, (size_t)step->model->bodies * sizeof *c->free);
    for (int k = 0; k < c->units; k++) {
        const BriUnit *unit = &c->unit[k];
        const BriContact *contact = unit->contact >= 0 ? &c->contact[unit->contact] : NULL;
        const BrVec3 *moment = contact && contact->turning ? &contact->turning->given : NULL;
        for (int r = 0; r < unit->rows; r++)
            c->r[unit->row + r] = nothing    ? 0
                                  : !contact ? c->bound[-1 - unit->contact].given
                                             : bri_contact_part(contact, r, &c->phase[unit->contact].given, moment);
    }
    return bri_units_push(step, span);
}

/* All that was given as the answer. */
static bool finish(BriStep *step, const BriSpan *span) {
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->bounds; k++) c->bound[k].lower = c->bound[k].least, c->bound[k].upper = c->bound[k].most;
    bool fine = push_given(step, span, false);
    bri_units_read(c);
    for (int k = 0; k < c->units; k++) {
        int number = c->unit[k].contact;
        if (number < 0) {
            const BriBoundRow *bound = &c->bound[-1 - number];
            if (bound->kind == BRI_BOUND_MOTOR) span->p[bound->motor_row] = bound->p;
            continue;
        }
        c->contact[number].got.u = bri_contact_velocity(&c->contact[number], span->bodies);
        if (bri_resists_turning(&c->contact[number]))
            c->contact[number].turning->after = bri_contact_turn(&c->contact[number], span->bodies);
    }
    return fine;
}

/* ------------------------------------------------------------------ one contact alone */

/* The only unit of the island that pushed, if its law is of impulses and its friction a cone without moments; else -1.
 * *any: some unit has such a law. */
static int find_alone(const BriStep *step, const BriIsland *island, bool *any) {
    const BriContacts *c = step->ws->contacts;
    int alone = -1;
    bool several = step->def->friction_set != BR_FRICTION_CONE;
    *any = false;
    for (int k = island->begin; k < island->end; k++) {
        int number = c->unit[k].contact;
        if (number < 0) {
            const BriBoundRow *bound = &c->bound[-1 - number];
            several = several || bound->p != 0 || (!bri_is_limit(bound) && bound->lower < bound->upper);
            continue;
        }
        const BriContact *contact = &c->contact[number];
        if (!(contact->got.p[0] > 0)) continue;
        several = several || alone >= 0 || !bri_gives_impulse(contact) || contact->ask.limited ||
                  bri_resists_turning(contact);
        *any = *any || bri_gives_impulse(contact);
        alone = k;
    }
    return several ? -1 : alone;
}

/* Does no other unit of the island have to push, with velocities contacts->u? */
static bool stays_alone(const BriStep *step, const BriIsland *island, int alone) {
    const BriContacts *c = step->ws->contacts;
    for (int k = island->begin; k < island->end; k++) {
        const BriUnit *unit = &c->unit[k];
        double u = c->u[unit->row];
        if (k == alone) continue;
        if (unit->contact < 0) {
            const BriBoundRow *bound = &c->bound[-1 - unit->contact];
            if (bound->lower == bound->upper) continue;
            if (bound->kind == BRI_BOUND_UPPER) u = -u;
        }
        if (!(u >= -step->velocity_tolerance)) return false;
    }
    return true;
}

/* The contact of one unit followed along its impulse, from contacts->u; false: not found. */
static bool follow(const BriStep *step, int number, double part, double p[3]) {
    BriContacts *c = step->ws->contacts;
    const BriUnit *unit = &c->unit[number];
    const BriContact *contact = &c->contact[unit->contact];
    BriIsland itself = {number, number + 1, unit->row, 3};
    bri_units_assemble(step, &itself);
    double mu_k = bri_surface_mu(contact->at.surface, bri_norm(bri_tangential(contact, contact->hit.before)));
    BriImpact impact = {.mu_s = contact->hit.slid ? mu_k : contact->at.surface->mu_s,
                        .mu_k = mu_k,
                        .e = part * bri_restitution(contact),
                        .hypothesis = is_energetic(contact) ? BRI_ENERGETIC : BRI_POISSON};
    for (int i = 0; i < 9; i++)
        impact.W[i] = 0.5 * (c->desk.W[i] + c->desk.W[i % 3 * 3 + i / 3]); /* joints leave rounding */
    memcpy(impact.u, c->u + unit->row, sizeof impact.u);
    return bri_impact_follow(&impact, p);
}

static void set_given(BriContacts *c, int number, const double p[3]) {
    const BrMat3 *frame = bri_push_frame(&c->contact[number]);
    BrVec3 given = bri_vec(0, 0, 0);
    for (int i = 0; i < 3; i++) given = bri_add_scaled(given, p[i], bri_column(frame, i));
    c->phase[number].given = given;
}

/* Contacts that strike alone: what they give, instead of their compression. true: others are left that have an impulse
 * to come back. */
static bool follow_alone(BriStep *step, const BriSpan *span, double part) {
    BriContacts *c = step->ws->contacts;
    bool left = false, any;
    push_given(step, span, true);
    bri_units_measure(step, span->bodies, span->p);
    for (int begin = 0; begin < c->units;) {
        BriIsland island = bri_island_at(c, begin);
        int alone = find_alone(step, &island, &any);
        double p[3];
        begin = island.end;
        if (alone < 0 || !follow(step, alone, part, p)) {
            left = left || any;
            continue;
        }
        set_given(c, c->unit[alone].contact, p);
    }
    push_given(step, span, false);
    bri_units_measure(step, span->bodies, span->p);
    for (int begin = 0; begin < c->units;) { /* those that were not alone after all go back to their compression */
        BriIsland island = bri_island_at(c, begin);
        int alone = find_alone(step, &island, &any);
        begin = island.end;
        if (alone < 0 || stays_alone(step, &island, alone)) continue;
        int number = c->unit[alone].contact;
        c->phase[number].given = c->contact[number].got.push;
        left = true;
    }
    return left;
}

/* ------------------------------------------------------------------ several */

/* What compression leaves to come back, of each contact. */
static void begin_restitution(BriContacts *c, double part) {
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        BriPhase *phase = &c->phase[k];
        phase->wanted = phase->back = phase->softness = phase->first_softness = 0;
        /* those that were followed have more than their compression */
        bool followed = bri_norm(bri_sub(phase->given, contact->got.push)) > 0;
        if (!bri_gives_impulse(contact) || !(contact->got.p[0] > 0) || followed) continue;
        double e = part * bri_restitution(contact), before = bri_dot(bri_normal(contact), c->free_rate[k]),
               after = bri_dot(bri_normal(contact), contact->got.u);
        phase->wanted = is_energetic(contact) ? bri_max(0, -0.5 * e * e * contact->got.p[0] * (before + after))
                                              : e * contact->got.p[0];
        phase->softness = phase->first_softness = (after - before) / contact->got.p[0];
    }
}

/* The normal impulse that would give back what is left. */
static double find_left(const BriContact *contact, const BriPhase *phase, double u) {
    double left = phase->wanted - phase->back, c = phase->softness;
    if (!(left > LITTLE * phase->wanted) || !(c > 0)) return 0;
    if (!is_energetic(contact)) return left;
    u = bri_max(u, 0);
    return 2 * left / (u + bri_sqrt(u * u + 2 * c * left)); /* u x + c x^2/2 = left */
}

/* One of `shares` solves; false: nothing was left. */
static bool restore_share(BriStep *step, const BriSpan *span, int shares, bool *fine) {
    BriContacts *c = step->ws->contacts;
    bool any = false;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!bri_gives_impulse(contact)) continue;
        double u = bri_dot(bri_normal(contact), bri_contact_velocity(contact, span->bodies)),
               left = find_left(contact, &c->phase[k], u);
        contact->ask.normal_offset = left > 0 ? -(u + c->phase[k].softness * left / shares) : 0;
        c->phase[k].rate = u;
        any = any || left > 0;
    }
    if (!any) return false;
    *fine = bri_solve_velocities(step, span, false) && *fine;
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        BriPhase *phase = &c->phase[k];
        if (!bri_gives_impulse(contact) || !(contact->got.p[0] > 0)) continue;
        double after = bri_dot(bri_normal(contact), contact->got.u);
        phase->back += contact->got.p[0] * (is_energetic(contact) ? 0.5 * (phase->rate + after) : 1);
        if (after > phase->rate)
            phase->softness = bri_min((after - phase->rate) / contact->got.p[0], 2 * phase->first_softness);
    }
    add_given(c);
    return true;
}

static bool restore_all(BriStep *step, const BriSpan *span, double part) {
    BriContacts *c = step->ws->contacts;
    bool fine = true, left = true;
    begin_restitution(c, part);
    push_given(step, span, false);
    for (int k = 0; k < 2 * SUBSTEPS && left && bri_has_contact_work(step); k++)
        left = restore_share(step, span, k < SUBSTEPS ? SUBSTEPS - k : 1, &fine);
    return fine;
}

bool bri_solve_phases(BriStep *step, const BriSpan *span, double part) {
    BriContacts *c = step->ws->contacts;
    clear_given(c);
    c->in_phases = true;
    bool fine = bri_solve_velocities(step, span, false);
    add_given(c);
    if (follow_alone(step, span, part)) fine = restore_all(step, span, part) && fine;
    c->in_phases = false;
    return finish(step, span) && fine;
}
