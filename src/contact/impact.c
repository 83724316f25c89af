/* contact_impact.c: restitution.
 *     newton    u_N' >= -e u_N for contacts that approach fast enough                                            (7.7)
 *     poisson   the impulse of an inelastic impact, e times of it once more (of its friction where it slides on), then
 *               what is left, inelastically
 * Newton's hypothesis can make energy where friction acts (the work of the impulses, p.(u + u')/2 summed over all
 * contacts, is then positive): e is halved for this impact until it does not, and is 0 after six times. */
#include "contact/contact.h"

#include <string.h>

enum { MOST_HALVINGS = 6 };

double bri_impact_speed(const BriStep *step) {
    double asked = step->def->impact_speed;
    return bri_max(asked >= 0 ? asked : 2 * bri_norm(step->model->gravity) * step->h, BRI_SLIP);
}

/* Energy that the active contacts' impulses would add to the motion without them (7.21), J, and a scale for its
 * rounding. */
static double find_gain(const BriContacts *c, double *scale) {
    double gain = 0;
    *scale = 0;
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        if (!contact->ask.active) continue;
        double before = bri_dot(contact->got.push, contact->hit.free),
               after = bri_dot(contact->got.push, contact->got.u);
        gain += 0.5 * (before + after);
        *scale += bri_abs(before) + bri_abs(after);
    }
    return gain;
}

static void restore(const BriStep *step, BriBodyState *bodies) {
    const BrModel *m = step->model;
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        bodies[i].v = step->ws->impact_start[i].v;
        bodies[i].w = step->ws->impact_start[i].w;
    }
}

static bool is_poisson(const BriContact *c) { return c->at.surface->e_of_impulses; }

/* Gives e times the impulse back, then solves what is left; impulses are added up. */
static bool give_back(BriStep *step, const BriSpan *span, double fraction) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    double *compression = step->ws->cg; /* what joints gave so far */
    memcpy(compression, span->p, (size_t)m->rows * sizeof(double));
    for (int k = 0; k < c->bounds; k++) c->bound[k].given = c->bound[k].p;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        contact->hit.given = bri_vec(0, 0, 0);
        if (!contact->ask.active) continue;
        double part = is_poisson(contact) ? fraction * contact->hit.restitution : 0;
        bool slides = bri_norm(bri_tangential(contact, contact->got.u)) > BRI_SLIP; /* friction goes on only then */
        BrVec3 n = bri_column(&contact->ask.push_frame, 0);
        contact->hit.given =
            bri_add_scaled(contact->got.push, part, slides ? contact->got.push : bri_scale(contact->got.p[0], n));
        for (int i = 0; i < (slides ? 3 : 1) && part > 0; i++) {
            const double *D = c->D + BRI_ROW * (3 * k + i);
            int ends[2] = {contact->at.a, contact->at.b};
            for (int e = 0; e < 2; e++) {
                const BriBody *body = &m->body[ends[e]];
                BriBodyState *b = &span->bodies[ends[e]];
                const double *d = D + 6 * e;
                double p = part * contact->got.p[i];
                if (body->node < 0) continue;
                b->v = bri_add_scaled(b->v, p * body->inverse_mass, bri_vec(d[0], d[1], d[2]));
                b->w = bri_add_scaled(b->w, p, bri_mul(&body->inverse_inertia, bri_vec(d[3], d[4], d[5])));
            }
        }
    }
    bool fine = bri_solve_velocities(step, span, false);
    for (int r = 0; r < m->rows; r++) span->p[r] += compression[r];
    for (int k = 0; k < c->bounds; k++) c->bound[k].p += c->bound[k].given;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->ask.active) continue;
        contact->got.push = bri_add(contact->got.push, contact->hit.given);
        for (int i = 0; i < 3; i++)
            contact->got.p[i] = bri_dot(contact->got.push, bri_column(&contact->ask.push_frame, i));
    }
    return fine;
}

/* With all of the restitution asked for, then with less while that makes energy. */
static bool bounce(BriStep *step, const BriSpan *span, bool along_slip, bool poisson) {
    BriContacts *c = step->ws->contacts;
    double part = 1;
    bool lowered = false, fine = true;
    memcpy(step->ws->impact_start, span->bodies, (size_t)step->model->bodies * sizeof *span->bodies);
    for (int k = 0; k < c->count; k++) c->contact[k].hit.free = bri_contact_velocity(&c->contact[k], span->bodies);
    BriReportMark mark = bri_report_mark(step); /* answers that are thrown away leave no trace in the report */
    for (int halving = 0;; halving++) {
        for (int k = 0; k < c->count; k++) {
            BriContact *contact = &c->contact[k];
            if (!contact->ask.active || contact->hit.restitution == 0) continue;
            /* poisson: compression stops the approach, wherever within the step it ends */
            double e = is_poisson(contact) ? 0 : part * contact->hit.restitution;
            contact->ask.normal_offset = e * bri_dot(bri_normal(contact), contact->hit.before);
        }
        fine = bri_solve_velocities(step, span, along_slip);
        if (poisson) fine = give_back(step, span, part) && fine;
        double scale, gain = find_gain(c, &scale);
        if (gain <= 1e-12 * scale || halving > MOST_HALVINGS) break;
        bri_report_rewind(step, &mark);
        lowered = true;
        part = halving == MOST_HALVINGS ? 0 : 0.5 * part;
        restore(step, span->bodies);
    }
    step->report->lowered_impacts += lowered;
    return fine;
}

bool bri_solve_with_restitution(BriStep *step, const BriSpan *span, bool along_slip, double time) {
    BriContacts *c = step->ws->contacts;
    bool poisson = false, bounces = false;
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        if (!contact->ask.active || contact->hit.restitution == 0) continue;
        bounces = true;
        poisson = poisson || is_poisson(contact);
    }
    bool fine = bounces ? bounce(step, span, along_slip, poisson) : bri_solve_velocities(step, span, along_slip);
    for (int k = 0; k < c->count; k++) {
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
    if (m->joints) bri_factor(step, bodies);
    bri_contacts_same_rows(step, bodies);
    bri_system_targets(m, step->start, time, w->target);
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        contact->hit.before = bri_contact_velocity(contact, bodies);
        double approach = -bri_dot(bri_normal(contact), contact->hit.before);
        contact->ask.normal_offset = 0;
        contact->ask.tangent_offset = bri_vec(0, 0, 0);
        contact->hit.counts = contact->ask.active && approach > bri_impact_speed(step);
        contact->hit.restitution = contact->hit.counts ? contact->at.surface->e : 0;
    }
    for (int k = 0; k < c->bounds; k++) { /* limits not reached do not push; friction and motors have no time to */
        BriBoundRow *bound = &c->bound[k];
        double way = bound->kind == BRI_BOUND_LOWER ? bound->distance : -bound->distance; /* negative: past the limit */
        bound->offset = way > BRI_CLOSED ? 1e9 * bound->distance : 0;
        if (!bri_is_limit(bound)) bound->lower = bound->upper = 0;
    }
    memcpy(w->impact_start, bodies, (size_t)m->bodies * sizeof *bodies);
    BriSpan span = {&w->system.J, &w->system.J, w->target, 0, bodies, w->p};
    bool fine = bri_solve_with_restitution(step, &span, false, time);
    bri_contacts_book(step, w->impact_start, bodies);
    for (int r = 0; r < m->rows; r++) w->p_step[r] += w->p[r];
    return fine;
}
