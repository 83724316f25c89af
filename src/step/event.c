/* event.c: event-driven Coulomb: smooth motion between events, integrated with order 16 and adaptive step; events
 * located.
 *
 * Between events every closed contact sticks (its relative acceleration is zero) or slides (it drags with mu_k against
 * its slip): the motion is an ordinary differential equation (7.9). An event is the first time at which that differs
 * from what Coulomb's law says about the same state, or at which a gap closes; it is found by bisection on the step. A
 * slide ends where its speed s goes to zero without changing sign, while its direction turns ever faster; with dt = s
 * dtau that end is smooth: s falls like exp(-c tau), and the rest of the time is s/c (7.20). */
#include "step/event.h"
#include "step/pack.h"

#include <string.h>

enum { MOST_EVENTS = 500, MOST_STEPS = 200000, MOST_CONTACTS = 64 };

static const double TOLERANCE = 1e-12; /* per inner step, relative */
static const double STOPPED = 1e-11;   /* m/s: a slide this slow that slows down ends */

/* ------------------------------------------------------------------ looking at a state */

static double *loss_of(const BriFlow *f, double *y) { return y + BRI_PACKED * f->step->model->moving; }

/* Gaps of open contacts below zero. */
static bool overlaps(const BriFlow *f) {
    const BriContacts *c = f->step->ws->contacts;
    for (int k = 0; k < c->count; k++)
        if (!c->contact[k].mode.closed && c->contact[k].at.touch.gap < -1e-13) return true;
    return false;
}

/* Does Coulomb's law say something else about y than the modes at hand do? */
static bool contradicts(BriFlow *f, const double *y) {
    const BrModel *m = f->step->model;
    BrWorkspace *w = f->step->ws;
    BriContacts *c = w->contacts;
    size_t six = 6 * (size_t)m->bodies;
    double largest = 1;
    bri_flow_read(f, y);
    if (overlaps(f)) return true;
    bri_flow_accelerate(f, true);
    memcpy(f->fixed, w->acceleration, six * sizeof(double));
    bool slack = false; /* a mode that holds only by pulling */
    for (int k = 0; k < c->count; k++) slack = slack || (c->contact[k].ask.active && c->contact[k].got.p[0] < 0);
    bri_flow_accelerate(f, false);
    for (size_t i = 0; i < six; i++) largest = bri_max(largest, bri_abs(f->fixed[i]));
    for (size_t i = 0; i < six; i++)
        if (bri_abs(f->fixed[i] - w->acceleration[i]) > 1e-9 * largest) return true;
    return slack && c->units == 1;
}

/* The slide that would end first: its speed and the rate of that; false: none slows down. */
static bool find_slowest(BriFlow *f, const double *y, int *number, double *speed, double *rate) {
    BriContacts *c = f->step->ws->contacts;
    double soonest = __builtin_inf();
    *number = -1;
    bri_flow_read(f, y);
    bri_flow_accelerate(f, true);
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        double s = bri_norm(contact->mode.slip);
        if (!contact->ask.active || !contact->mode.sliding || !(s > 0)) continue;
        double ds = bri_dot(contact->mode.direction, bri_flow_slip_rate(f, k));
        if (!(ds < 0) || -s / ds >= soonest) continue;
        soonest = -s / ds;
        *number = k, *speed = s, *rate = ds;
    }
    return *number >= 0;
}

/* ------------------------------------------------------------------ events */

static void note(BriFlow *f, BrEventKind kind, const BriContact *contact, double before, double after) {
    bri_note_event(f->step, kind, f->time, contact, before, after);
    f->events++;
}

/* Closed contacts that approach: velocities jump. */
static bool has_impact(const BriContacts *c, const BriBodyState *bodies) {
    for (int k = 0; k < c->count; k++)
        if (c->contact[k].mode.closed &&
            bri_dot(bri_normal(&c->contact[k]), bri_contact_velocity(&c->contact[k], bodies)) < -1e-9)
            return true;
    return false;
}

static void strike(BriFlow *f, double *y) {
    BriContacts *c = f->step->ws->contacts;
    for (int k = 0; k < c->count; k++) c->contact[k].ask.active = c->contact[k].mode.closed;
    bri_solve_impact(f->step, f->time, f->bodies);
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->ask.active) continue;
        bri_contact_set_slip(contact, contact->got.u);
        if (bri_dot(bri_normal(contact), contact->got.u) > 1e-9) contact->mode.closed = false;
    }
    f->events++;
    bri_flow_write(f, y);
}

/* What each closed contact does from here on, by the law: hold, slide, or leave. */
static void choose_modes(BriFlow *f, const double *y) {
    BriContacts *c = f->step->ws->contacts;
    bri_flow_read(f, y);
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->mode.closed || !contact->mode.sliding || bri_norm(contact->mode.slip) > BRI_SLIP) continue;
        bri_contact_set_sliding(contact, contact->mode.holds_direction);
    }
    bri_flow_accelerate(f, false);
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->mode.closed) continue;
        double drag = bri_sqrt(contact->got.p[1] * contact->got.p[1] + contact->got.p[2] * contact->got.p[2]);
        if (!(contact->got.p[0] > 0) && bri_flow_normal_rate(f, k) > 1e-9) {
            contact->mode.closed = false;
            note(f, BR_EVENT_SEPARATION, contact, 0, 0);
        } else if (!contact->mode.sliding && drag > 0 && drag >= contact->mode.mu * contact->got.p[0] * (1 - 1e-9) &&
                   bri_norm(bri_flow_slip_rate(f, k)) > 1e-12) {
            contact->mode.holds_direction = true;
            contact->mode.direction = bri_scale(-1 / drag, bri_tangential(contact, contact->got.push));
            bri_contact_set_sliding(contact, true);
            note(f, BR_EVENT_SLIP, contact, 0, 0);
        }
    }
}

/* Contacts near y; those closed before stay so with their modes. */
static BrStatus look_around(BriFlow *f, const double *y, double ahead) {
    BriContacts *c = f->step->ws->contacts;
    bri_flow_read(f, y);
    memcpy(c->old, c->contact, (size_t)c->count * sizeof *c->old);
    c->old_count = c->count;
    BrStatus status = bri_contacts_find(f->step, f->bodies, ahead, f->step->error);
    for (int k = 0, i = 0; status == BR_OK && k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        while (i < c->old_count && c->old[i].at.key < contact->at.key) i++;
        bool same = i < c->old_count && c->old[i].at.key == contact->at.key;
        if (f->started && !same) contact->mode.closed = false;
        if (!same) continue;
        contact->mode.closed = c->old[i].mode.closed;
        contact->mode.sliding = c->old[i].mode.sliding;
        contact->mode.mu = c->old[i].mode.mu;
        contact->mode.direction = c->old[i].mode.direction;
        contact->mode.holds_direction = c->old[i].mode.holds_direction;
    }
    for (int k = 0; status == BR_OK && k < c->count; k++) /* what leaves is open */
        if (bri_dot(bri_normal(&c->contact[k]), bri_contact_velocity(&c->contact[k], f->bodies)) > 1e-9)
            c->contact[k].mode.closed = false;
    if (status == BR_OK && c->count > MOST_CONTACTS)
        return bri_fail(f->step->error, BR_UNSUPPORTED,
                        "the event formulation follows at most %d contacts, and there are %d; use timestepping",
                        (int)MOST_CONTACTS, c->count);
    f->started = true;
    return status;
}

/* ------------------------------------------------------------------ steps */

/* The largest part of [0, h] whose end does not contradict; y_end there. Precision: rounding of the time. */
static double bisect(BriFlow *f, double h, double *y_end) {
    double low = 0, high = h;
    for (int k = 0; k < 60 && high - low > 1e-14 * h + 1e-15; k++) {
        double middle = 0.5 * (low + high);
        bri_extrapolate(&f->ode, f->x, f->y, middle, f->trial);
        if (contradicts(f, f->trial))
            high = middle;
        else
            low = middle;
    }
    bri_extrapolate(&f->ode, f->x, f->y, high, y_end); /* just past it: the new modes hold there */
    return high;
}

/* The slide's end in tau: until the speed is as good as zero, grows again, or the time is up. */
static void slow_down(BriFlow *f, int number, double speed, double rate) {
    BriContacts *c = f->step->ws->contacts;
    f->slowing = number;
    double dtau = 0.5 / -rate;
    for (int k = 0; k < 400; k++) {
        double error = bri_extrapolate(&f->ode, 0, f->y, dtau, f->end);
        if (error > TOLERANCE && k < 300) {
            dtau *= bri_extrapolate_factor(error, TOLERANCE);
            continue;
        }
        double time = *bri_flow_time(f, f->end);
        if (time > f->until || contradicts(f, f->end)) break; /* the plain way ends this part */
        memcpy(f->y, f->end, (size_t)f->ode.size * sizeof(double));
        f->time = time;
        int now;
        if (!find_slowest(f, f->y, &now, &speed, &rate) || now != number) break;
        dtau = bri_min(0.5 / -rate, dtau * bri_extrapolate_factor(error, TOLERANCE));
        if (speed > STOPPED) continue;
        f->time += speed / -rate;
        *bri_flow_time(f, f->y) = f->time;
        for (int i = 0; i < c->count; i++) {
            BriContact *contact = &c->contact[i];
            if (!contact->ask.active || !contact->mode.sliding || bri_norm(contact->mode.slip) > BRI_SLIP) continue;
            contact->mode.holds_direction = false;
            bri_contact_set_sliding(contact, false);
            note(f, BR_EVENT_STICK, contact, speed, 0);
        }
        break;
    }
    f->slowing = -1;
}

/* One inner step in time, at most to the end of the outer one. */
static void go_on(BriFlow *f) {
    double left = f->until - f->time, h = bri_min(f->inner, left), error;
    for (;;) {
        error = bri_extrapolate(&f->ode, f->time, f->y, h, f->end);
        if (error <= TOLERANCE || h < 1e-9 * f->step->h) break;
        h *= bri_extrapolate_factor(error, TOLERANCE);
    }
    f->x = f->time;
    bool event = contradicts(f, f->end);
    double done = event ? bisect(f, h, f->end) : h;
    memcpy(f->y, f->end, (size_t)f->ode.size * sizeof(double));
    f->time = done == left ? f->until : f->time + done;
    *bri_flow_time(f, f->y) = f->time;
    if (!event && h == left && f->inner > left) return; /* cut short by the end: says nothing about the next */
    f->inner = event ? f->inner : h * bri_extrapolate_factor(error, TOLERANCE);
}

/* After a part: contacts that touched are closed. */
static void close_touching(BriFlow *f) {
    BriContacts *c = f->step->ws->contacts;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (contact->mode.closed || contact->at.touch.gap > 0 ||
            bri_dot(bri_normal(contact), bri_contact_velocity(contact, f->bodies)) > 0)
            continue;
        contact->mode.closed = true;
        contact->mode.sliding = true;
        note(f, BR_EVENT_TOUCH, contact, bri_dot(bri_normal(contact), bri_contact_velocity(contact, f->bodies)), 0);
    }
}

static BrStatus run(BriFlow *f) {
    BriContacts *c = f->step->ws->contacts;
    for (int k = 0; f->time < f->until; k++) {
        if (f->events > MOST_EVENTS || k > MOST_STEPS)
            return bri_fail(
                f->step->error, BR_UNSUPPORTED,
                "more than %d events within one step at t = %.9g s (ever smaller bounces?); use timestepping, "
                "or a higher impact_speed",
                (int)MOST_EVENTS, f->time);
        BrStatus status = look_around(f, f->y, bri_min(f->inner, f->until - f->time));
        if (status < 0) return status;
        close_touching(f);
        if (has_impact(c, f->bodies)) strike(f, f->y);
        choose_modes(f, f->y);
        int number;
        double speed, rate;
        if (find_slowest(f, f->y, &number, &speed, &rate) &&
            speed / -rate < 4 * bri_min(f->inner, f->until - f->time)) {
            double before = f->time;
            slow_down(f, number, speed, rate);
            if (f->time > before) continue;
        }
        go_on(f);
        bri_flow_read(f, f->y);
        if (f->step->model->joints || c->count) {
            bri_flow_accelerate(f, true);
            bri_project_contacts(f->step, f->time, f->bodies);
            bri_flow_write(f, f->y);
        }
    }
    return BR_OK;
}

BrStatus bri_step_event(BriStep *step) {
    BriFlow flow;
    BrStatus status = bri_flow_start(step, &flow);
    if (status == BR_OK) status = run(&flow);
    if (status == BR_OK) bri_flow_finish(&flow, loss_of(&flow, flow.y));
    return status;
}
