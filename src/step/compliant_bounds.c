/* compliant_bounds.c: limits, constant friction and motors with a largest effort of joints beside compliant contacts (see
 * bound_modes.h): contacts are forces by then, and bounds alone answer to them. What bounds do is chosen where a part of a step
 * begins; a part ends where that is not so any more, so that integrators keep their order. */
#include "dynamics/force.h"
#include "dynamics/motion.h"
#include "step/bound_modes.h"
#include "step/compliant.h"

#include <string.h>

/* Accelerations that differ by less, relative to the largest, are equal (as in event.c); modes that make others contradict. */
static const double EQUAL_ALONE = 1e-12, EQUAL = 1e-9, CONTRADICTS = 10;

/* Contacts are no rows of what bounds answer. Returns their number. */
static int hide_contacts(BriContacts *c) {
    int count = c->count;
    c->count = 0;
    return count;
}

/* By the modes at hand or, having asked, by the law; `load`: the forces of contacts. */
static void accelerate(BriSoft *s, BriForcesBy by, const double *load) {
    const BrModel *m = s->step->model;
    BrWorkspace *w = s->step->ws;
    size_t size = 6 * (size_t)m->moving * sizeof(double);
    if (load != w->f) memcpy(w->f, load, size);
    bri_bounds_push(s->step, s->bodies, w->f);
    bri_free_accelerations(m, w, w->trial, w->f);
    if (s->bounds == 0) return;
    s->unheld_most = bri_measure_accelerations(m, w->acceleration, NULL);
    int count = hide_contacts(w->contacts);
    bri_contacts_accelerate(s->step, s->bodies, by, 0, w->acceleration, w->lambda);
    w->contacts->count = count;
}

void bri_soft_accelerate(BriSoft *s) {
    const BrModel *m = s->step->model;
    BrWorkspace *w = s->step->ws;
    for (int i = 0; i < m->bodies; i++)
        if (m->body[i].node < 0) bri_motion_acceleration(m, i, w->trial->time, &s->bodies[i], w->acceleration + 6 * i);
    if (s->bounded)
        accelerate(s, BRI_BY_MODES, w->f);
    else
        bri_free_accelerations(m, w, w->trial, w->f);
}

/* What the law makes of the state read last, in place of the modes: asked, to be taken or forgotten. begun: slides that have just
 * begun are asked too. false: nothing else. *least: accelerations below this are none. */
static bool ask(BriSoft *s, bool begun, double *least) {
    const BrModel *m = s->step->model;
    BrWorkspace *w = s->step->ws;
    size_t size = 6 * (size_t)m->moving * sizeof(double);
    bri_soft_push(s);
    memcpy(w->f_old, w->f, size);
    bri_soft_accelerate(s);
    memcpy(s->fixed, w->acceleration, 6 * (size_t)m->bodies * sizeof(double));
    s->largest = bri_max(bri_measure_accelerations(m, s->fixed, NULL), bri_norm(m->gravity));
    if (s->bounds) s->largest = bri_max(s->largest, s->unheld_most); /* they may hold all there is */
    *least = (w->contacts->units <= 1 ? EQUAL_ALONE : EQUAL) * s->largest;
    if (bri_bounds_fit(s->step, s->bodies, *least)) return false;
    bri_bounds_ask(s->step, begun);
    for (int round = 0;; round++) {
        accelerate(s, begun ? BRI_BY_LAW : BRI_BY_SLIDES, w->f_old);
        if (!bri_bounds_ask_motors(s->step, s->bodies, begun, *least, round)) return true;
    }
}

/* ------------------------------------------------------------------ what a part begins with */

/* What bounds hold, at rest. */
static void stop_held(BriSoft *s) {
    double before = bri_kinetic_energy(s->step->model, s->bodies);
    bri_factor(s->step, s->bodies);
    bri_soft_hold(s);
    s->y[BRI_PACKED * s->step->model->moving] += before - bri_kinetic_energy(s->step->model, s->bodies);
    bri_pack_bodies(s->step->model, s->bodies, s->y);
    bri_bounds_look(s->step, s->bodies);
}

/* Limits are reached: velocities jump. */
static void strike(BriSoft *s) {
    const BrModel *m = s->step->model;
    BriStep *step = s->step;
    BrWorkspace *w = step->ws;
    double *extra = s->y + BRI_PACKED * m->moving, *impulse = extra + 3;
    double loss = step->contact_loss, work = step->contact_work; /* y has the step's own */
    bri_bounds_begin_blow(step);
    int count = hide_contacts(w->contacts);
    bri_solve_impact(step, w->trial->time, s->bodies);
    w->contacts->count = count;
    extra[1] += bri_jolt_work(m, w->trial, w->impact_start, s->bodies, w->p);
    for (int r = 0; r < m->rows; r++) impulse[r] += w->p[r];
    for (int k = 0; k < s->bounds; k++) bri_soft_bounds(s, s->y)[k] += w->contacts->bound[k].p;
    bri_bounds_end_blow(step, s->bodies);
    extra[0] += step->contact_loss - loss;
    extra[1] += step->contact_work - work;
    stop_held(s);
}

void bri_soft_choose(BriSoft *s) {
    double least;
    bri_soft_read(s, s->y);
    bri_bounds_start(s->step);
    s->step->least_bounce =
        4 * bri_sqrt(2 * bri_max(s->unheld_most, bri_norm(s->step->model->gravity)) * 25 * s->step->position_tolerance);
    if (bri_bounds_arrive(s->step)) stop_held(s);
    if (bri_bounds_strike(s->step)) strike(s);
    if (ask(s, true, &least)) bri_bounds_take(s->step, s->bodies, least);
    bri_bounds_tell(s->step);
}

/* ------------------------------------------------------------------ where a part ends */

double bri_soft_beyond(BriSoft *s, const double *y) {
    bri_soft_read(s, y);
    return bri_bounds_beyond(s->step, s->bodies);
}

double bri_soft_overload(BriSoft *s, const double *y) {
    double least;
    bri_soft_read(s, y);
    if (!ask(s, false, &least)) return -1;
    double apart = bri_measure_accelerations(s->step->model, s->fixed, s->step->ws->acceleration);
    bri_bounds_forget(s->step);
    return apart > CONTRADICTS * least ? 1 : -1;
}

void bri_soft_hold(BriSoft *s) {
    int count = hide_contacts(s->step->ws->contacts);
    bri_project_rates(s->step, 0, s->bodies);
    s->step->ws->contacts->count = count;
}
