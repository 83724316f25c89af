/* event.c: event-driven Coulomb: smooth motion between events, integrated with order 16 and adaptive step; events
 * located.
 *
 * Between events every closed contact sticks (its relative acceleration is zero) or slides (it drags with mu_k against
 * its slip): the motion is an ordinary differential equation (7.9). An event is the first time at which that differs
 * from what Coulomb's law says about the same state, or at which a gap closes; it is found by bisection on the step. A
 * slide ends where its speed s goes to zero without changing sign, while its direction turns ever faster; with
 *     dt = s dtau     s falls like exp(-c tau), and the rest of the time is s/c                                (7.20)
 * that end is smooth. A slide that has just begun, or is so slow that friction could turn it many times within a step,
 * is followed by steps that look ahead (slow.c). Modes are carried from step to step: what held holds, what is new comes
 * with its velocities. Rounds in which the clock does not move are counted: modes that contradict the law whatever they
 * are (a slide that jams) are refused. Grips of joints (slide.h) slide or hold likewise: an event is where a slide would
 * reverse, or more would have to be held than bearings bear. */
#include "step/event.h"
#include "dynamics/force.h"
#include "step/bound_modes.h"
#include "step/hold.h"
#include "step/pack.h"

#include <string.h>

enum {
    MOST_STANDSTILLS = 60, /* rounds in which the clock does not move: whatever the modes, the law contradicts them */
    MOST_HALVINGS = 60,    /* of a step in search of an event: more have no digits left */
    MOST_SLOWINGS = 400    /* steps in tau to the end of a slide; the last hundred are taken as they come */
};

/* Of an inner step, relative. */
static const double TOLERANCE = 1e-12;
/* Of a drift, as an error: rates of contacts add up errors of velocities and, with arms, of turns. */
static const double DRIFT = 0.1;
/* An error below this that a shorter step does not lower is rounding. */
static const double ROUNDING = 1e-9;
/* Accelerations that differ by less, relative to the largest, are equal: one contact is solved in closed form, several
 * by methods that stop at 1e-12 of the largest, times what dependent contacts lose. */
static const double EQUAL_ALONE = 1e-12, EQUAL = 1e-9;

/* Of the cone's edge: a force this near lies on it. rad: directions that are the same. */
static const double EDGE = 1e-9, SAME = 1e-9;
/* Of the speed that the largest acceleration makes in an inner step: friction turns slower slides within it, and
 * explicit steps of order 16 come to their end of stability. */
static const double SLOW = 0.1;
/* The same of friction that builds up with the slip: where it must be looked ahead of, that pays sooner. */
static const double STIFF = 1;
/* Of the inner step, and s beside it: as exact as times are. */
static const double INSTANT = 1e-14;
/* Of the outer step: a bend within so little leaves a rate that is projected away, and no energy. */
static const double BEND = 1e-5;
/* Of the outer step: inner steps are not made shorter, and a clock that moves less stands still. */
static const double SHORTEST = 1e-9, STANDING = 1e-10;

/* ------------------------------------------------------------------ what rounding leaves undecided */

/* What rounds off the force on a heavy body is much to a light one that carries it. */
static double spread(const BriFlow *f) { return bri_max(1, 1e-2 * f->mass_ratio); }

static double tolerance_of(const BriFlow *f) { return TOLERANCE * spread(f); }

/* Speeds, m/s, that may be zero; of slides that end. */
static double no_speed(const BriFlow *f) { return 1e3 * f->step->velocity_tolerance; }
/* What leaves is open; one that was held may have a little left of a bend that the last step ended in, m/s. */
static double left_over(const BriFlow *f) { return 1e3 * no_speed(f); }
static double stopped(const BriFlow *f) { return 10 * f->step->velocity_tolerance; }
static double no_acceleration(const BriFlow *f) {
    return (f->step->ws->contacts->units == 1 ? EQUAL_ALONE : EQUAL * spread(f)) * f->largest;
}

/* Accelerations of bodies that differ by more contradict each other: clearly more than those of contacts may differ by,
 * of which they are made. Else modes that no contact wants to change would be contradicted without end. */
static double contradiction(const BriFlow *f) { return 10 * no_acceleration(f); }

/* ------------------------------------------------------------------ looking at a state */

static double *loss_of(const BriFlow *f, double *y) { return y + BRI_PACKED * f->step->model->moving; }

static double approach_of(const BriFlow *f, const BriContact *c) {
    return -bri_dot(bri_normal(c), bri_contact_velocity(c, f->bodies));
}

/* Gaps of open contacts below zero. */
static bool overlaps(const BriFlow *f) {
    const BriContacts *c = f->step->ws->contacts;
    for (int k = 0; k < c->count; k++)
        if (!c->contact[k].mode.closed && c->contact[k].at.touch.gap < -bri_flow_no_gap(f)) return true;
    return false;
}

/* One contact, the forces being those of its mode: are they such as the law allows? law: as for is_contradicted(). */
static bool fits(const BriFlow *f, int k, BriForcesBy law) {
    const BriContact *contact = &f->step->ws->contacts->contact[k];
    const double *p = contact->got.p;
    if (contact->mode.idle || contact->ask.carried || bri_resists_turning(contact) || !(p[0] >= 0)) return false;
    if (law == BRI_BY_LAW && bri_contact_begins_to_slide(contact)) return false; /* where to is to be asked */
    double least = no_acceleration(f), off = bri_abs(bri_flow_normal_rate(f, k));
    if (contact->mode.sliding) return off <= least;
    bool holds = bri_sqrt(p[1] * p[1] + p[2] * p[2]) <= contact->mode.mu * p[0];
    return holds && off <= least && bri_norm(bri_flow_slip_rate(f, k)) <= least;
}

/* Are the forces of the modes an answer of the law? Where several contacts carry a body its loads may be shared in many
 * ways, each with another friction where they slide in different directions: the law's own answer would be another
 * one, and no contradiction. Of one contact the law says all, unless contacts are to be kept. */
static bool all_fit(const BriFlow *f, BriForcesBy law) {
    const BriContacts *c = f->step->ws->contacts;
    int active = 0;
    for (int k = 0; k < c->count; k++) {
        if (!c->contact[k].mode.closed) continue;
        active++;
        if (!fits(f, k, law)) return false;
    }
    if (f->bounded && !bri_bounds_fit(f->step, f->bodies, no_acceleration(f))) return false;
    return f->step->def->keep_contact || active > 1 || (f->bounded && active == 0);
}

/* Does a grip's friction push its slide on, or hold more than it can? */
static bool grip_contradicts(const BriFlow *f, int k) {
    const BrModel *m = f->step->model;
    const BriGrip *g = &m->grip[k];
    const BriGripWork *work = &f->step->ws->grip[k];
    double size = bri_grip_size(g, work->force);
    if (g->driven || bri_grip_width(&m->joint[g->joint]) > 0) return false;
    if (bri_grip_is_off(f->step, k)) return bri_grip_push(g, work) > stopped(f) * size;
    if (g->rows > 1) return size > work->load.upper * (1 + EDGE);
    return work->force[0] > work->load.upper * (1 + EDGE) || work->force[0] < work->load.lower * (1 + EDGE);
}

static bool some_creep(const BriContacts *c) {
    for (int k = 0; k < c->count; k++)
        if (c->contact[k].ask.active && bri_creeps(&c->contact[k])) return true;
    return false;
}

/* Does Coulomb's law say something else about the state read last than the modes at hand do? law: of slides that have
 * just begun it says where they go, or that is left as it is. Forces by the law are left in the contacts; `pulls` (per
 * contact, NULL: not asked): its mode holds only by pulling. */
static bool is_contradicted(BriFlow *f, BriForcesBy law, bool *pulls) {
    const BrModel *m = f->step->model;
    BrWorkspace *w = f->step->ws;
    BriContacts *c = w->contacts;
    bri_flow_accelerate(f, BRI_BY_MODES, 0);
    memcpy(f->fixed, w->acceleration, 6 * (size_t)m->bodies * sizeof(double));
    for (int k = 0; pulls && k < c->count; k++) pulls[k] = c->contact[k].ask.active && c->contact[k].got.p[0] < 0;
    f->largest = bri_max(bri_measure_accelerations(m, f->fixed, NULL), bri_norm(m->gravity));
    if (c->bounds) f->largest = bri_max(f->largest, f->unheld_most); /* they may hold all there is */
    f->asked = false;
    for (int k = 0; k < m->grips; k++)
        if (grip_contradicts(f, k)) return true;
    if (all_fit(f, law)) return false;
    bool solved = bri_flow_accelerate(f, law, no_acceleration(f));
    f->asked = f->bounded;
    f->unsolved += !solved;
    if (!solved && some_creep(c)) return true; /* friction known by the slip leaves no other answer to look for */
    return bri_measure_accelerations(m, f->fixed, w->acceleration) > contradiction(f);
}

static bool contradicts(BriFlow *f, const double *y) {
    bri_flow_read(f, y);
    if (overlaps(f) || (f->bounded && bri_bounds_beyond(f->step, f->bodies) > 0)) return true;
    bool contradicted = is_contradicted(f, BRI_BY_SLIDES, NULL);
    if (f->asked) bri_bounds_forget(f->step);
    return contradicted;
}

/* The slide that would end first: its speed and the rate of that; false: none slows down. */
static bool find_slowest(BriFlow *f, const double *y, int *number, double *speed, double *rate) {
    BriContacts *c = f->step->ws->contacts;
    double soonest = __builtin_inf();
    *number = -1;
    bri_flow_read(f, y);
    bri_flow_accelerate(f, BRI_BY_MODES, 0);
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        double s = bri_norm(contact->mode.slip);
        if (!contact->ask.active || !contact->mode.sliding || contact->mode.mu == 0 || !(s > 0)) continue;
        if (bri_creeps(contact)) continue; /* it goes through zero smoothly */
        double ds = bri_dot(contact->ask.direction, bri_flow_slip_rate(f, k));
        if (!(ds < 0) || -s / ds >= soonest) continue;
        soonest = -s / ds;
        *number = k, *speed = s, *rate = ds;
    }
    return *number >= 0;
}

/* ------------------------------------------------------------------ events */

static void note(BriFlow *f, BrEventKind kind, const BriContact *contact, double before, double after) {
    bri_note_event(f->step, kind, f->time, contact, before, after);
}

/* Closed contacts that approach: velocities jump. */
static bool has_impact(const BriFlow *f) {
    const BriContacts *c = f->step->ws->contacts;
    for (int k = 0; k < c->count; k++)
        if (c->contact[k].mode.closed && approach_of(f, &c->contact[k]) > no_speed(f)) return true;
    return f->bounded && bri_bounds_strike(f->step);
}

/* Motors that are not at their speed: accelerations alone would never take them there. */
static bool has_jolt(const BriFlow *f) {
    const BrModel *m = f->step->model;
    BrWorkspace *w = f->step->ws;
    if (!m->motors) return false;
    bri_system_jacobian(m, w->trial, f->bodies, &w->system.C);
    bri_system_rates(m, &w->system.C, f->bodies, w->rate);
    bri_system_targets(m, f->step->start, f->time, w->target);
    for (int k = 0; k < m->joints; k++)
        for (int d = 0; d < m->joint[k].drives; d++) {
            int row = bri_drive_row(&m->joint[k], d);
            bool rests = bri_state_joints(w->trial)[k].clamp[d] != BRI_FREE;
            int motor = m->joint[k].drive[d].motor;
            if (motor < 0 || rests || bri_is_finite(bri_motor_effort(f->step, motor))) continue;
            if (bri_abs(w->rate[row] - w->target[row]) > no_speed(f)) return true;
        }
    return false;
}

/* What touches, and is held, at rest, where it is slow: it would fall back through gaps that rounding leaves undecided, and be
 * struck again without end. */
static void stop_slow(BriFlow *f, double *y) {
    double before = f->bounded ? bri_kinetic_energy(f->step->model, f->bodies) : 0;
    if (f->step->model->joints) bri_factor(f->step, f->bodies);
    bri_project_rates(f->step, f->step->least_bounce, f->bodies);
    if (f->bounded) f->step->contact_loss += before - bri_kinetic_energy(f->step->model, f->bodies);
    bri_flow_write(f, y);
}

/* Velocities jump; a motor that is taken along by its joint's answer works. */
static bool strike(BriFlow *f, double *y) {
    BrWorkspace *w = f->step->ws;
    BriContacts *c = w->contacts;
    for (int k = 0; k < c->count; k++) c->contact[k].ask.active = c->contact[k].mode.closed;
    for (int k = 0; k < f->step->model->grips; k++) bri_grip_set(f->step, k, BRI_RESTING); /* blows pass bearings */
    if (f->bounded) bri_bounds_begin_blow(f->step);
    bool fine = bri_solve_impact(f->step, f->time, f->bodies);
    f->step->contact_work += bri_jolt_work(f->step->model, w->trial, w->impact_start, f->bodies, w->p);
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->ask.active) continue;
        bri_contact_set_slip(contact, contact->got.u);
        contact->mode.holds_direction = false;
        if (-approach_of(f, contact) > f->step->least_bounce) contact->mode.closed = false;
    }
    for (int k = 0; k < f->step->model->grips; k++) bri_grip_set(f->step, k, BRI_FREE); /* until they slip */
    if (f->bounded) bri_bounds_end_blow(f->step, f->bodies);
    stop_slow(f, y);
    return fine;
}

/* A slide without slip, unless it has just begun, is none; without friction everything slides. */
static void drop_ended_slides(BriContacts *c) {
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->mode.closed) continue;
        bool slips = bri_norm(contact->mode.slip) > BRI_SLIP;
        bool smooth = contact->at.surface->mu_s == 0 || bri_creeps(contact);
        if (slips) contact->mode.holds_direction = false; /* which tells the direction */
        if (smooth || (contact->mode.sliding && !slips && !contact->mode.holds_direction))
            bri_contact_set_sliding(contact, smooth);
    }
}

/* Grips whose slides have come to an end hold, as long as they can; those that slip slide. */
static void choose_grips(BriFlow *f, const double *y) {
    const BrModel *m = f->step->model;
    if (!m->grips) return;
    bri_flow_read(f, y);
    for (int k = 0; k < m->grips; k++) {
        const BriGrip *g = &m->grip[k];
        BriGripWork *work = &f->step->ws->grip[k];
        double speed = bri_grip_size(g, work->slip);
        work->was_off = bri_grip_is_off(f->step, k);
        if (g->driven || bri_grip_width(&m->joint[g->joint]) > 0) continue;
        bool pushes = work->was_off && bri_grip_push(g, work) > 0;
        bool turned = pushes && g->rows == 1; /* friction is still the mean of a step in which it turned round */
        if ((!work->was_off || turned) && speed > no_speed(f))
            bri_grip_set(f->step, k, work->slip[0] > 0 ? BRI_AT_LOWER : BRI_AT_UPPER);
        else if (pushes)
            bri_grip_set(f->step, k, BRI_FREE);
        memcpy(work->began, work->slip, sizeof work->began);
    }
    f->unsolved += !bri_flow_choose_grips(f);
    for (int k = 0; k < m->grips; k++) {
        const BriGripWork *work = &f->step->ws->grip[k];
        bool off = bri_grip_is_off(f->step, k);
        if (off == work->was_off) continue;
        bri_note_joint_event(f->step, off ? BR_EVENT_SLIP : BR_EVENT_STICK, f->time, f->step->model->grip[k].joint, 0,
                             0);
    }
}

/* A contact that joints carry cannot leave, but it has a load or none; false: as before. */
static bool change_load(const BriFlow *f, BriContact *contact, bool pulls) {
    bool loaded = contact->mode.idle && contact->got.p[0] > 0, unloaded = !contact->mode.idle && pulls;
    if (!loaded && !unloaded) return false;
    contact->mode.idle = unloaded;
    contact->mode.holds_direction = false;
    bri_contact_set_slip(contact, bri_contact_velocity(contact, f->bodies));
    return true;
}

/* One closed contact, the law's forces being known: does it leave, or begin to slide? While a slide has no slip yet the
 * law says its direction. */
static bool change_mode(BriFlow *f, int k, bool pulls) {
    BriContact *contact = &f->step->ws->contacts->contact[k];
    const double *p = contact->got.p;
    double drag = bri_sqrt(p[1] * p[1] + p[2] * p[2]), least = no_acceleration(f);
    if (contact->ask.carried && change_load(f, contact, pulls)) return true;
    if (contact->ask.carried && !(p[0] > 0)) return false;
    if (!(p[0] > 0) && (pulls || bri_flow_normal_rate(f, k) > least)) {
        contact->mode.closed = false;
        note(f, BR_EVENT_SEPARATION, contact, 0, 0);
        return true;
    }
    bool began = bri_contact_begins_to_slide(contact), slides = contact->mode.sliding && !began;
    bool at_edge = drag > 0 && drag >= contact->mode.mu * p[0] * (1 - EDGE);
    if (slides || !at_edge || !(bri_norm(bri_flow_slip_rate(f, k)) > least)) return false;
    BrVec3 direction = bri_scale(-1 / drag, bri_tangential(contact, contact->got.push));
    bool same = began && bri_norm(bri_sub(direction, contact->mode.direction)) < SAME;
    contact->mode.holds_direction = true;
    contact->mode.direction = direction;
    bri_contact_set_sliding(contact, true);
    if (!began) note(f, BR_EVENT_SLIP, contact, 0, 0);
    return !same;
}

/* What each closed contact does from here on, by the law: hold, slide, or leave. Each change may change what the law
 * says of the others. */
static void choose_modes(BriFlow *f, const double *y) {
    BriContacts *c = f->step->ws->contacts;
    bool pulls[BRI_EVENT_CONTACTS], changed = true;
    int most = 2 * (c->count + (f->bounded ? f->step->model->joints : 0)) + 1;
    bri_flow_read(f, y);
    drop_ended_slides(c);
    for (int round = 0; changed && round < most; round++) {
        bool contradicted = is_contradicted(f, BRI_BY_LAW, pulls);
        changed = f->asked && bri_bounds_take(f->step, f->bodies, no_acceleration(f));
        for (int k = 0; k < c->count; k++)
            if (c->contact[k].mode.closed) changed = change_mode(f, k, contradicted && pulls[k]) || changed;
    }
    if (f->bounded) bri_bounds_tell(f->step);
}

/* What a contact was before, in this step. */
static void carry_modes(BriFlow *f) {
    BriContacts *c = f->step->ws->contacts;
    for (int k = 0, i = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        uint64_t key = bri_contact_key(contact);
        while (i < c->old_count && bri_contact_key(&c->old[i]) < key) i++;
        bool same = i < c->old_count && bri_contact_key(&c->old[i]) == key;
        if (same)
            contact->mode = c->old[i].mode;
        else if (f->started)
            contact->mode.closed = false;
        bool held = contact->mode.closed && (same || contact->was.known);
        if (-approach_of(f, contact) > (held ? left_over(f) : no_speed(f))) contact->mode.closed = false;
    }
}

/* Contacts near y; those closed before stay so with their modes. */
static BrStatus look_around(BriFlow *f, const double *y, double ahead) {
    BriContacts *c = f->step->ws->contacts;
    bri_flow_read(f, y);
    BrStatus status = bri_contacts_renew(f->step, f->bodies, ahead);
    if (status < 0) return status;
    carry_modes(f);
    f->started = true;
    if (c->count > BRI_EVENT_CONTACTS)
        return bri_fail(f->step->error, BR_UNSUPPORTED,
                        "the event formulation follows at most %d contacts, and there are %d; use timestepping",
                        (int)BRI_EVENT_CONTACTS, c->count);
    return BR_OK;
}

/* Contacts that touch and approach are closed; so are those that overlap by more than rounding. */
static void close_touching(BriFlow *f) {
    BriContacts *c = f->step->ws->contacts;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        double gap = contact->at.touch.gap, approach = approach_of(f, contact);
        bool meets = gap <= bri_flow_no_gap(f) && approach > no_speed(f),
             overlapping = gap < -0.5 * bri_flow_no_gap(f) && approach >= 0;
        if (contact->mode.closed || !(meets || overlapping)) continue;
        contact->mode.closed = true;
        contact->mode.holds_direction = false;
        bri_contact_set_slip(contact, bri_contact_velocity(contact, f->bodies));
        note(f, BR_EVENT_TOUCH, contact, -approach, 0);
    }
}

/* ------------------------------------------------------------------ steps */

/* Slides that are slow for an inner step of h; true: there are some. */
static bool mark_slow(BriFlow *f, double h) {
    BriContacts *c = f->step->ws->contacts;
    bool any = false;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        bool drags = contact->mode.closed && !contact->mode.idle && contact->mode.sliding && contact->mode.mu > 0;
        bool creeps = bri_creeps(contact);
        double slip = bri_max(bri_norm(contact->mode.slip), contact->at.surface->creep);
        contact->mode.slow = drags && slip < (creeps ? STIFF : SLOW) * f->largest * h;
        any = any || contact->mode.slow;
    }
    return any;
}

static double choose_factor(const BriFlow *f, double error) {
    return bri_step_factor(error, tolerance_of(f), f->slow ? BRI_SLOW_COLUMNS - 1 : 2 * BRI_COLUMNS - 1);
}

/* The largest part of [0, h] whose end does not contradict; y_end just past it, where the new modes hold. Precision:
 * rounding of the time. */
static double bisect(BriFlow *f, double h, double *y_end) {
    double low = 0, high = h;
    for (int k = 0; k < MOST_HALVINGS && high - low > INSTANT * h + 1e-15 && bri_has_budget(f->step->budget); k++) {
        double middle = 0.5 * (low + high);
        bri_flow_follow(f, f->x, middle, f->trial);
        if (contradicts(f, f->trial))
            high = middle;
        else
            low = middle;
    }
    bri_flow_follow(f, f->x, low, f->trial);
    bri_flow_follow(f, f->x, high, y_end);
    bri_flow_copy_impulses(f, f->trial, y_end); /* past the event the old modes' forces mean nothing */
    return high;
}

static void look_along(void *flow, double time) {
    BriFlow *f = flow;
    bri_flow_follow(f, f->x, time, f->trial);
    bri_flow_read(f, f->trial);
}

/* Slides that have come to rest with the one that was followed. */
static void end_slides(BriFlow *f, double speed) {
    BriContacts *c = f->step->ws->contacts;
    for (int i = 0; i < c->count; i++) {
        BriContact *contact = &c->contact[i];
        bool slides = contact->ask.active && contact->mode.sliding && contact->mode.mu > 0 && !bri_creeps(contact);
        if (!slides || bri_norm(contact->mode.slip) > BRI_SLIP) continue;
        contact->mode.holds_direction = false;
        bri_contact_set_sliding(contact, false);
        note(f, BR_EVENT_STICK, contact, speed, 0);
    }
}

/* The slide's end in tau: until the speed is as good as zero, grows again, or the time is up. */
static void slow_down(BriFlow *f, int number, double speed, double rate) {
    f->slowing = number;
    double dtau = 0.5 / -rate;
    for (int k = 0; k < MOST_SLOWINGS && bri_has_budget(f->step->budget); k++) {
        double error = bri_extrapolate(&f->ode, 0, f->y, dtau, f->end);
        if (error > tolerance_of(f) && k < MOST_SLOWINGS - 100) {
            dtau *= bri_extrapolate_factor(error, tolerance_of(f));
            continue;
        }
        double time = *bri_flow_time(f, f->end);
        if (time > f->until || contradicts(f, f->end)) break; /* the plain way ends this part */
        if (bri_flow_clear(f, time - f->time, f->largest, false) < time - f->time) break; /* and looks at it */
        memcpy(f->y, f->end, (size_t)f->ode.size * sizeof(double));
        f->time = time;
        int now;
        if (!find_slowest(f, f->y, &now, &speed, &rate) || now != number) break;
        dtau = bri_min(0.5 / -rate, dtau * bri_extrapolate_factor(error, tolerance_of(f)));
        if (speed > stopped(f)) continue;
        f->time += speed / -rate;
        *bri_flow_time(f, f->y) = f->time;
        end_slides(f, speed);
        break;
    }
    f->slowing = -1;
}

/* How far rates have come off what accelerations keep, beside the largest speed: normal rates of closed contacts, slips
 * of those that stick. */
static double find_drift(BriFlow *f, const double *y) {
    const BriContacts *c = f->step->ws->contacts;
    double drift = 0;
    bri_flow_read(f, y);
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        if (!contact->mode.closed || contact->mode.idle) continue;
        drift = bri_max(drift, bri_abs(approach_of(f, contact)));
        if (!contact->mode.sliding) drift = bri_max(drift, bri_norm(contact->mode.slip));
    }
    return drift / f->speed;
}

/* An inner step of h or less into f->end, whose error a shorter one would not lower. Returns its length. */
static double take_step(BriFlow *f, double h, double *error) {
    double least = SHORTEST * f->step->h, before = __builtin_inf(), drifted = before;
    bool driven = find_drift(f, f->y) * f->speed > left_over(f); /* a joint drives a body in: drift tells nothing */
    for (;;) {
        double e = bri_flow_follow(f, f->time, h, f->end);
        /* no sub-step looks at the last part of h: a surface that begins to bend there is seen by what it leaves; what
         * a shorter step leaves as well is how the touch was found, and no error of the step */
        double drift = e < 1e300 && !driven ? DRIFT * find_drift(f, f->end) : 0;
        if (drift < 0.6 * drifted && h > BEND * f->step->h) e = bri_max(e, drift);
        drifted = drift;
        *error = e;
        bool rounding = e < ROUNDING * spread(f) && e > 0.25 * before; /* order 16 would gain far more */
        if (e <= tolerance_of(f) || rounding || h < least || !bri_has_budget(f->step->budget)) return h;
        before = e;
        h *= choose_factor(f, e);
    }
}

/* What the next inner step tries, after one of h. Near the tolerance the error may be all rounding and say nothing: one
 * that went well is followed by a longer one, one that had to be shortened by its like. */
static double choose_next(const BriFlow *f, double h, double wanted, double error) {
    if (error > tolerance_of(f) && error < 1e3 * tolerance_of(f)) return wanted;
    return h * bri_max(choose_factor(f, error), h < wanted ? 1 : 1.5);
}

/* One inner step in time, at most to the end of the outer one. */
static void go_on(BriFlow *f) {
    double left = f->until - f->time, wanted = bri_min(f->inner, left), error;
    f->slow = mark_slow(f, wanted);
    double h = take_step(f, wanted, &error);
    double largest = f->largest;
    f->x = f->time;
    bool event = contradicts(f, f->end);
    double passed = event || !f->bounded ? h : bri_bounds_find_excess(f->step, h, look_along, f);
    event = event || passed < h;
    double done = event ? bisect(f, passed, f->end) : h;
    double clear = bri_flow_clear(f, done, bri_max(largest, f->largest), true);
    if (clear < done) { /* something is met before, and may be gone again at the end */
        bri_flow_follow(f, f->x, clear, f->end);
        done = clear;
        event = true;
    }
    memcpy(f->y, f->end, (size_t)f->ode.size * sizeof(double));
    f->time = done == left ? f->until : f->time + done;
    *bri_flow_time(f, f->y) = f->time;
    if (event) return;
    if (error > tolerance_of(f)) f->off = bri_max(f->off, error);
    if (h == left && f->inner > left) return; /* cut short by the end: says nothing about the next */
    f->inner = choose_next(f, h, wanted, error);
}

/* Places and velocities onto joints and closed contacts: accelerations keep what velocities are off, and what places are
 * moved by turns the rows, so that errors would grow from one inner step to the next where bodies turn far in each. */
static void take_drift_out(BriFlow *f) {
    const BrModel *m = f->step->model;
    BrWorkspace *w = f->step->ws;
    bri_flow_accelerate(f, BRI_BY_MODES, 0);
    if (f->bounded && m->bounds) bri_limits_settle(f->step, f->bodies);
    bool holds = bri_project_contacts(f->step, f->time, f->bodies, false);
    if (m->joints) {
        bri_factor(f->step, f->bodies);
        bri_system_targets(m, f->step->start, f->time, w->target);
        BriRates rates = {&w->system.J, &w->system.J, w->target, 0, f->bodies, w->p, false, 0};
        holds = (f->bounded ? bri_hold_rates : bri_constrain_rates)(f->step, &rates) && holds;
        for (int r = 0; r < m->rows; r++) w->p_step[r] += w->p[r];
    }
    bri_project_rates(f->step, left_over(f), f->bodies);
    f->unheld += !holds;
    bri_flow_write(f, f->y);
}

static BrStatus refuse_jam(const BriFlow *f) {
    const BrModel *m = f->step->model;
    return bri_fail(
        f->step->error, BR_DIVERGED,
        "the step was refused at t = %.9g s: joint '%s' jams: its friction adds more load than it takes, so "
        "that no slide goes on; timestepping and smooth stop it at once",
        f->time, m->joint[bri_joint_number(m, f->step->report->jammed)].def.name);
}

/* From one event to the next, or to the end of an inner step. */
static BrStatus advance(BriFlow *f) {
    BriContacts *c = f->step->ws->contacts;
    double left = bri_min(f->inner, f->until - f->time), speed, rate, before = f->time;
    int number;
    bool first = !f->started;
    BrStatus status = look_around(f, f->y, left);
    if (status < 0) return status;
    close_touching(f);
    if (f->bounded) bri_bounds_start(f->step);
    /* a fall through the gaps that rounding leaves undecided is no impact */
    f->step->least_bounce = 4 * bri_sqrt(2 * f->largest * bri_flow_no_gap(f));
    if (f->bounded && bri_bounds_arrive(f->step)) {
        stop_slow(f, f->y);
        bri_bounds_look(f->step, f->bodies);
    }
    if (has_impact(f) || (first && has_jolt(f))) f->unsolved += !strike(f, f->y);
    choose_grips(f, f->y);
    choose_modes(f, f->y);
    if (bri_joint_number(f->step->model, f->step->report->jammed) >= 0) return refuse_jam(f);
    bri_flow_write_impulses(f);
    bool ending = find_slowest(f, f->y, &number, &speed, &rate) && speed / -rate < 4 * left;
    if (ending) slow_down(f, number, speed, rate);
    if (f->time == before) go_on(f);
    bri_flow_read_impulses(f);
    if (!(f->off < 1e300))
        return bri_fail(f->step->error, BR_DIVERGED,
                        "the step was refused: at t = %.9g s the motion leaves the numbers", before);
    bri_flow_read(f, f->y);
    bri_count_turns(f->step, f->time - f->step->start->time);
    if (f->step->model->joints || c->count) take_drift_out(f);
    return BR_OK;
}

static BrStatus run(BriFlow *f) {
    double least = STANDING * f->step->h, standing = f->time;
    int standstills = 0;
    while (f->time < f->until && bri_has_budget(f->step->budget)) {
        BrStatus status = advance(f);
        if (status < 0) return status;
        standstills = f->time > standing + least ? 0 : standstills + 1;
        if (standstills == 0) standing = f->time;
        if (standstills == MOST_STANDSTILLS)
            return bri_fail(f->step->error, BR_DIVERGED,
                            "the step was refused at t = %.12g s: %s; the formulation compliant, or timestepping, may "
                            "know an answer",
                            f->time,
                            f->unsolved  ? "no contact forces fit there (a slide that jams)"
                            : f->bounded ? "contacts, or limits, friction and motors of joints, change their modes "
                                           "without end there"
                                         : "contacts change their modes without end there");
    }
    return BR_OK;
}

BrStatus bri_step_event(BriStep *step) {
    BriFlow flow;
    BrStatus status = bri_flow_start(step, &flow);
    if (status == BR_OK) status = run(&flow);
    if (status == BR_OK) status = bri_flow_finish(&flow, loss_of(&flow, flow.y));
    if (status < 0) return status;
    step->report->uncertified_contacts += flow.unsolved;
    if (flow.off > ROUNDING * spread(&flow)) step->report->inner_error = flow.off;
    return flow.unsolved || flow.unheld || step->report->inner_error > 0 ? BR_NOT_CONVERGED : BR_OK;
}
