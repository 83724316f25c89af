/* impact.c: restitution.
 *     newton                 u_N' >= -e u_N for contacts that approach fast enough                               (7.7)
 *     poisson, energetic     by phases (phases.c)
 * Newton's hypothesis can make energy where friction acts: the work of the impulses, p.(u + u')/2 summed over all
 * contacts, is then positive. e is lowered for this impact, of all contacts by the same factor, to where it is zero. */
#include "contact/contact.h"
#include "contact/units.h"
#include "dynamics/servo.h"

#include <string.h>

enum { MOST_SOLVES = 30 };            /* of false position; then what is known to be harmless */
static const double ROUNDING = 1e-12; /* of the terms of (7.21): a gain that is none */
static const double SUDDEN = 1e9;     /* 1/s: an impact has no time to reach a limit farther than BRI_CLOSED */
static const double SAME = 1e-15;     /* parts of e that differ by rounding */

double bri_impact_speed(const BriStep *step) {
    double asked = step->def->impact_speed;
    double least = bri_max(BRI_SLIP, step->least_bounce);
    return bri_max(asked >= 0 ? asked : 2 * bri_norm(step->model->gravity) * step->h, least);
}

/* Energy that the active contacts' impulses would add to the motion without them (7.21), J, and a scale for its
 * rounding. */
static double find_gain(const BriContacts *c, double *scale) {
    double gain = 0;
    *scale = 0;
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        if (!contact->ask.active) continue;
        double before = bri_dot(contact->got.push, c->free_rate[k]), after = bri_dot(contact->got.push, contact->got.u);
        if (bri_resists_turning(contact)) {
            before += bri_dot(contact->turning->moment, contact->turning->free);
            after += bri_dot(contact->turning->moment, contact->turning->after);
        }
        gain += 0.5 * (before + after);
        *scale += bri_abs(before) + bri_abs(after);
    }
    return gain;
}

/* Velocities and modes as before the impact. */
static void restore(const BriStep *step, BriBodyState *bodies) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->count; k++)
        if (c->contact[k].mode.sliding != c->contact[k].hit.slid)
            bri_contact_set_sliding(&c->contact[k], c->contact[k].hit.slid);
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        bodies[i].v = step->ws->impact_start[i].v;
        bodies[i].w = step->ws->impact_start[i].w;
    }
}

/* With this part of the restitution asked for. *gain: the energy that makes, J, 0 where it may be rounding. */
static bool bounce_partly(BriStep *step, const BriSpan *span, bool phases, double part, double *gain) {
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        bool phases_of_its_own = bri_gives_impulse(contact);
        if (!contact->ask.active || (bri_restitution(contact) == 0 && !phases_of_its_own)) continue;
        /* by phases: compression stops the approach, wherever within the step it ends */
        double e = phases_of_its_own ? 0 : part * bri_restitution(contact);
        contact->ask.normal_offset = e * bri_dot(bri_normal(contact), contact->hit.before);
    }
    bool fine = phases ? bri_solve_phases(step, span, part) : bri_solve_velocities(step, span, false);
    double scale;
    *gain = find_gain(c, &scale);
    if (bri_abs(*gain) <= ROUNDING * scale) *gain = 0;
    return fine;
}

/* As much of it as makes no energy, all of it making `gain`: false position (Illinois) between none and all. */
static bool bounce_less(BriStep *step, const BriSpan *span, bool phases, const BriReportMark *mark, double gain) {
    double low = 0, high = 1, gain_low = 0, gain_high = gain;
    bool fine = true, last = false;
    for (int solve = 1, side = 0; !last; solve++) {
        /* at last, what is known to be harmless */
        last = solve == MOST_SOLVES || high - low <= SAME || !bri_has_contact_work(step);
        double part = solve == 1 || last ? low : (low * gain_high - high * gain_low) / (gain_high - gain_low);
        bri_report_rewind(step, mark); /* answers that are thrown away leave no trace in the report */
        restore(step, span->bodies);
        fine = bounce_partly(step, span, phases, part, &gain);
        if (gain == 0 || (solve == 1 && gain > 0)) break;
        bool above = gain > 0;
        *(above ? &high : &low) = part;
        *(above ? &gain_high : &gain_low) = gain;
        if (side == (above ? 1 : -1)) *(above ? &gain_low : &gain_high) *= 0.5;
        side = above ? 1 : -1;
    }
    step->report->lowered_impacts++;
    return fine;
}

static bool bounce(BriStep *step, const BriSpan *span, bool phases) {
    BriContacts *c = step->ws->contacts;
    double gain;
    memcpy(step->ws->impact_start, span->bodies, (size_t)step->model->bodies * sizeof *span->bodies);
    for (int k = 0; k < c->count; k++) {
        c->free_rate[k] = bri_contact_velocity(&c->contact[k], span->bodies);
        if (bri_resists_turning(&c->contact[k]))
            c->contact[k].turning->free = bri_contact_turn(&c->contact[k], span->bodies);
        c->contact[k].hit.slid = c->contact[k].mode.sliding;
    }
    BriReportMark mark = bri_report_mark(step);
    bool fine = bounce_partly(step, span, phases, 1, &gain);
    return gain > 0 ? bounce_less(step, span, phases, &mark, gain) : fine;
}

bool bri_solve_with_restitution(BriStep *step, const BriSpan *span, double time) {
    BriContacts *c = step->ws->contacts;
    bool phases = false, bounces = false;
    for (int k = 0; c->strikes && k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        phases = phases || bri_gives_impulse(contact);
        bounces = bounces || (contact->ask.active && bri_restitution(contact) != 0);
    }
    bool fine = bounces || phases ? bounce(step, span, phases) : bri_solve_velocities(step, span, false);
    for (int k = 0; c->strikes && k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        if (!contact->ask.active || !contact->hit.counts || !(bri_dot(bri_normal(contact), contact->got.push) > 0))
            continue;
        BrVec3 n = bri_normal(contact);
        step->report->impacts++;
        bri_note_event(step, BR_EVENT_IMPACT, time, contact, bri_dot(n, contact->hit.before),
                       bri_dot(n, contact->got.u));
    }
    return fine;
}

bool bri_solve_impact(BriStep *step, double time, BriBodyState *bodies) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    BriContacts *c = w->contacts;
    if (m->servos) bri_servo_let_go(step);
    if (m->joints) bri_factor(step, bodies);
    bri_contacts_same_rows(step, bodies);
    bri_system_targets(m, step->start, time, w->target);
    c->strikes = false;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        contact->hit.before = bri_contact_velocity(contact, bodies);
        if (bri_resists_turning(contact)) contact->turning->before = bri_contact_turn(contact, bodies);
        double approach = -bri_dot(bri_normal(contact), contact->hit.before);
        contact->ask.normal_offset = 0;
        contact->hit.counts = contact->ask.active && approach > bri_impact_speed(step);
        c->strikes = c->strikes || contact->hit.counts;
    }
    for (int k = 0; k < c->bounds; k++) { /* limits not reached do not push; friction and motors have no time to */
        BriBoundRow *bound = &c->bound[k];
        double way = bound->kind == BRI_BOUND_LOWER ? bound->distance : -bound->distance; /* negative: past the limit */
        bound->offset = way > BRI_CLOSED ? SUDDEN * bound->distance : 0;
        if (!bri_is_limit(bound)) bound->lower = bound->upper = 0;
    }
    memcpy(w->impact_start, bodies, (size_t)m->bodies * sizeof *bodies);
    BriSpan span = {&w->system.J, &w->system.J, w->target, 0, bodies, w->p, .between = false};
    bool fine = bri_solve_with_restitution(step, &span, time);
    bri_contacts_book(step, w->impact_start, bodies, 0);
    for (int k = 0; k < c->count; k++)
        if (c->contact[k].ask.active) c->contact[k].mode.slid = bri_slips(&c->contact[k]);
    for (int r = 0; r < m->rows; r++) w->p_step[r] += w->p[r];
    return fine;
}
