/* euler_paper.c: the scheme of [Peiret 2016, Eqs 5-7], for reproductions only: velocities as in moreau, positions by
 * the old velocity, q' = q + h v. That is forward Euler: an oscillator gains energy. Contacts that are closed are asked
 * for u_N' >= 0 without a gap term (with Eq. 7 a gap term would be wrong), and stay closed by projection. */
#include "dynamics/force.h"
#include "step/schemes.h"

#include <string.h>

BrStatus bri_step_euler_paper(BriStep *step) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    BriContacts *c = w->contacts;
    const BriBodyState *start = bri_state_bodies(step->start);
    BriBodyState *to = bri_state_bodies(w->trial);
    double t = step->start->time, h = step->h;
    BrStatus status = m->touches ? bri_contacts_find(step, start, h, step->error) : BR_OK;
    if (status < 0) return status;

    bri_factor(step, start);
    bri_forces(m, step->start, start, t, w->f);
    bri_apply_forces(step, w->f, h, to);
    bri_apply_gyroscopic(m, start, h, to);
    bri_system_targets(m, step->start, t + h, w->target);
    BriSpan span = {&w->system.J, &w->system.J, w->target, h, to, w->p_step, .between = false};
    for (int k = 0; m->touches && k < c->count; k++) {
        c->contact[k].ask.active = c->contact[k].mode.closed;
        c->contact[k].hit.before = bri_contact_velocity(&c->contact[k], start);
    }
    if (m->touches) {
        /* positions go on with the old velocity: the new one must not pass limits from where that leads */
        memcpy(w->bodies, start, (size_t)m->bodies * sizeof *start);
        bri_move(step, start, start, t, h, w->bodies);
        bri_move_bounds(step, w->bodies);
        bri_set_bounds(step, h, h);
        bri_contacts_same_rows(step, start);
        step->report->contacts = c->count;
    }
    memset(w->p_step, 0, (size_t)m->rows * sizeof(double));
    bool fine = bri_solve_velocities(step, &span, false);
    if (m->touches) bri_contacts_book(step, start, to, h);
    bri_move(step, start, start, t, h, to);
    if (m->bounds) bri_limits_return(step, to);
    fine = bri_project_contacts(step, t + h, to, false) && fine;
    if (m->touches) status = bri_contacts_remember(step, h);
    return status < 0 || fine ? status : BR_NOT_CONVERGED;
}
