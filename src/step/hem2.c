/* hem2.c: order 2, half-explicit midpoint, two solves per step:
 *     Q2 = q + h/2 v,     V2 = S(q, v -> Q2, h/2)
 *     Q3 = q + h V2,      V3 = S(Q2, V2 -> Q3, h),     (q, v) <- (Q3, V3)                                     (6.2)
 * S(Qs, Vs -> Qe, d): start from the step's own v, forces and their directions J at Qs, conditions J(Qe) v = target.
 * One factor serves the step, that of Q2: both operators differ from it by O(h) and refinement removes the difference.
 * Then positions, O(h^3) off, are put on the constraints with the same factor.
 *
 * Contacts: those closed at the start take part in both solves. Sliding ones push against the slip at Qs while that
 * does not reverse it, which carries order 2 through the end of a slide. A step in which an open gap would close is
 * split there: advance to the touch, solve the impact with positions fixed, go on with the rest; after four touches, or
 * where the two poses leave no answer (a rim that runs round, Painleve), moreau finishes the step. */
#include "contact/units.h"
#include "dynamics/force.h"
#include "step/overlap.h"
#include "step/schemes.h"

#include <string.h>

enum {
    MOST_TOUCHES = 4, /* parts of a step; moreau makes the rest */
    MOST_SEARCHES = 6 /* parabolas for one touch */
};
static const double NOTHING = 1e-12; /* of the step: a rest that is rounding */

/* ------------------------------------------------------------------ the two solves */

static double couple_normals(const BrModel *m, const BriContact *c, const double *C, const double *D) {
    int ends[2] = {c->at.a, c->at.b};
    double sum = 0;
    for (int e = 0; e < 2; e++, C += 6, D += 6) {
        const BriBody *body = &m->body[ends[e]];
        if (body->node < 0) continue;
        BrVec3 turn = bri_mul(&body->inverse_inertia, bri_vec(D[3], D[4], D[5]));
        sum +=
            body->inverse_mass * (C[0] * D[0] + C[1] * D[1] + C[2] * D[2]) + bri_dot(bri_vec(C[3], C[4], C[5]), turn);
    }
    return sum;
}

/* A contact whose place has jumped within the step (a coin falls flat: the lowest point of its rim is suddenly on the
 * other side) cannot be held there by impulses here: these would make energy. */
static void note_jumps(const BriStep *step) {
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->count; k++) {
        const double *C = bri_contact_rows(c, c->C, k), *D = bri_contact_rows(c, c->D, k);
        if (!c->contact[k].ask.active) continue;
        double crossed = couple_normals(step->model, &c->contact[k], C, D),
               here = couple_normals(step->model, &c->contact[k], D, D);
        if (!(crossed > 0.5 * here)) c->jumped = true;
    }
}

/* Rows of directions at the pose where contacts stand, then contacts and rows of conditions at `conditions`. */
static void set_rows(BriStep *step, const BriBodyState *directions, const BriBodyState *conditions) {
    bri_contacts_push_rows(step, directions);
    bri_contacts_move(step, conditions);
    bri_contacts_condition_rows(step, conditions);
    note_jumps(step);
}

/* What free turning does to the spins of `at` in a time from `begin` to `end` around it. Explicitly, h J^-1 (J w x w)
 * blows up once |w| h nears 1; this is bounded by 2 |J w|, and the two of a step together turn a free body exactly. */
static void add_turning(const BrModel *m, const BriBodyState *at, double begin, double end, BriBodyState *bodies) {
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        BrVec3 first = begin != 0 ? bri_top_spin(&m->body[i].top, begin, at[i].w) : at[i].w;
        BrVec3 last = bri_top_spin(&m->body[i].top, end, at[i].w);
        bodies[i].w = bri_add(bodies[i].w, bri_sub(last, first));
    }
}

static void start_contacts(BriStep *step, const BriPart *part) {
    BriContacts *c = step->ws->contacts;
    int active = 0;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        contact->ask.active = contact->mode.closed;
        contact->hit.restitution = contact->ask.normal_offset = 0;
        contact->got.push = contact->got.u = bri_vec(0, 0, 0);
        contact->got.p[0] = contact->got.p[1] = contact->got.p[2] = 0;
        contact->hit.before = bri_contact_velocity(contact, part->from);
        if (bri_resists_turning(contact)) {
            contact->turning->before = bri_contact_turn(contact, part->from);
            contact->turning->moment = contact->turning->after = bri_vec(0, 0, 0);
        }
        contact->sum.start_rate = bri_dot(bri_normal(contact), contact->hit.before);
        active += contact->mode.closed;
    }
    step->report->contacts = active > step->report->contacts ? active : step->report->contacts;
}

/* Between the solves: the slip at Q2 decides how friction pushes in the second. */
static void renew_contacts(BriStep *step) {
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->ask.active) continue;
        bri_contact_set_slip(contact, contact->got.u);
        if (bri_resists_turning(contact)) contact->turning->turn = contact->turning->after;
    }
}

static void finish_contacts(BriStep *step) {
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->ask.active) continue;
        bri_contact_set_slip(contact, contact->got.u);
        if (bri_resists_turning(contact)) contact->turning->turn = contact->turning->after;
    }
}

/* Over a part of the step without touches. */
static bool advance(BriStep *step, const BriPart *part) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    BriJacobian *J = &w->system.J, *C = &w->system.C;
    BriBodyState *middle = w->bodies, *to = part->to;
    double t = part->t, h = part->h;
    size_t size = (size_t)m->bodies * sizeof *to;

    if (m->touches) w->contacts->jumped = false;
    /* first solve: V2, with forces at q and conditions at Q2 */
    memcpy(middle, part->from, size);
    bri_move(m, part->from, part->from, t, 0.5 * h, middle);
    bri_factor(step, middle);
    bri_forces(m, step->start, part->from, t, w->f);
    bri_apply_forces(m, w->f, 0.5 * h, middle);
    add_turning(m, part->from, 0, 0.5 * h, middle);
    bri_system_targets(m, step->start, t + 0.5 * h, w->target);
    if (m->joints) bri_system_jacobian(m, w->trial, part->from, C);
    if (m->touches) {
        start_contacts(step, part);
        bri_move_bounds(step, part->from);
        bri_set_bounds(step, 0.5 * h, h);
        set_rows(step, part->from, middle);
    }
    BriSpan first = {C, J, w->target, 0.5 * h, middle, w->p};
    bool fine = bri_solve_velocities(step, &first, true);
    if (!fine && m->touches) return false; /* moreau makes it */

    /* second solve: V3, with forces at Q2 and conditions at Q3 */
    memcpy(to, part->from, size);
    bri_move(m, part->from, middle, t, h, to);
    bri_forces(m, step->start, middle, t + 0.5 * h, w->f);
    bri_apply_forces(m, w->f, h, to);
    add_turning(m, middle, -0.5 * h, 0.5 * h, to);
    bri_system_targets(m, step->start, t + h, w->target);
    if (m->joints) bri_factor(step, w->system.factor_pose);
    if (m->joints) bri_system_jacobian(m, w->trial, to, C);
    if (m->touches) {
        renew_contacts(step);
        bri_move_bounds(step, to);
        bri_set_bounds(step, h, h);
        set_rows(step, middle, to);
    }
    BriSpan second = {J, C, w->target, h, to, w->p};
    fine = bri_solve_velocities(step, &second, true) && fine;
    if (m->touches) finish_contacts(step);
    return fine;
}

/* ------------------------------------------------------------------ touches */

/* When a gap closes, from its value and rate at the start and its value at the end: the root of a parabola. */
static double find_root(double gap, double rate, double end, double h) {
    double a = (end - gap - rate * h) / (h * h), b = rate, discriminant = b * b - 4 * a * gap;
    if (discriminant < 0) return h * gap / (gap - end);
    double q = -0.5 * (b + (b < 0 ? -1 : 1) * bri_sqrt(discriminant));
    double roots[2] = {q != 0 ? gap / q : h, a != 0 ? q / a : h}, best = h;
    for (int i = 0; i < 2; i++)
        if (roots[i] > 0 && roots[i] < best) best = roots[i];
    return best;
}

/* The first time at which an open contact closes within the part, or its whole length. Contacts stand at its end. */
static double find_touch(const BriStep *step, const BriPart *part) {
    const BriContacts *c = step->ws->contacts;
    double first = part->h;
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        if (contact->mode.closed || !(contact->at.touch.gap < -BRI_CLOSED * 0.1)) continue;
        first =
            bri_min(first, find_root(contact->at.start_gap, contact->sum.start_rate, contact->at.touch.gap, part->h));
    }
    return first;
}

/* Does a closed contact approach too fast to be stopped smoothly? */
static bool needs_impact(const BriStep *step, const BriBodyState *bodies) {
    const BriContacts *c = step->ws->contacts;
    double slow = bri_impact_speed(step);
    for (int k = 0; k < c->count; k++)
        if (c->contact[k].mode.closed &&
            bri_dot(bri_normal(&c->contact[k]), bri_contact_velocity(&c->contact[k], bodies)) < -slow)
            return true;
    return false;
}

/* Velocities jump; what is closed takes part. */
static bool collide(BriStep *step, double time, BriBodyState *bodies) {
    BriContacts *c = step->ws->contacts;
    step->has_other_way = false;
    for (int k = 0; k < c->count; k++) c->contact[k].ask.active = c->contact[k].mode.closed;
    bool fine = bri_solve_impact(step, time, bodies);
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->ask.active) continue;
        bri_contact_set_slip(contact, contact->got.u);
        if (bri_resists_turning(contact)) contact->turning->turn = contact->turning->after;
        /* what bounces off is open */
        contact->mode.closed = bri_dot(bri_normal(contact), contact->got.u) <= bri_impact_speed(step);
    }
    return fine;
}

/* Contacts as they were before a try. */
static void go_back(BriStep *step, const BriBodyState *from) {
    BriContacts *c = step->ws->contacts;
    bri_contacts_move(step, from);
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        bri_contact_set_slip(contact, bri_contact_velocity(contact, from));
        if (bri_resists_turning(contact)) contact->turning->turn = bri_contact_turn(contact, from);
    }
}

/* The rest of the step with order 1. */
static bool finish_by_moreau(BriStep *step, const BriPart *part) {
    const double SHARE = 0.5; /* of what contacts may cost is for this, whatever was spent before */
    step->report->finished_by_moreau = true;
    step->has_other_way = false;
    step->solving_work = bri_min(step->solving_work, SHARE * step->def->contact_work);
    memcpy(part->to, part->from, (size_t)step->model->bodies * sizeof *part->to);
    return bri_moreau_part(step, part);
}

/* As much of the part as passes without a touch; *h says how much that was. */
static bool advance_to_touch(BriStep *step, BriPart part, double *h) {
    BriReportMark mark = bri_report_mark(step); /* tries that are thrown away leave no trace in the report */
    step->has_other_way = true;
    bool fine = advance(step, &part);
    *h = part.h;
    for (int search = 0; fine && search < MOST_SEARCHES && bri_has_budget(step->budget); search++) {
        if (!bri_has_contact_work(step)) return false; /* order 1 asks for no search */
        double touch = find_touch(step, &part), deepest = bri_contacts_deepest_new(step, part.to);
        if (deepest >= -BRI_CLOSED) { /* nothing new overlaps at the end; on the way? */
            BriWay way = {part.from, step->ws->bodies, part.t, part.h};
            touch = bri_find_pass(step, &way);
            if (touch >= part.h) break;
        }
        if (touch >= part.h) touch = 0.5 * part.h; /* a place that was not seen before */
        touch = bri_max(touch, 0.01 * part.h);
        part.h = *h = touch;
        bri_report_rewind(step, &mark);
        go_back(step, part.from);
        fine = advance(step, &part);
    }
    return fine;
}

/* Did the impulses of the last solve make energy, by more than order 2 explains? Conditions hold at another pose than
 * they push at; where bodies turn far within a step the two have little to do with each other. */
static bool makes_energy(const BriStep *step, const BriBodyState *to) {
    const double MUCH = 1e-3; /* of the kinetic energy */
    const BriContacts *c = step->ws->contacts;
    double gain = 0;
    if (c->count + c->bounds == 0) return false; /* nothing was solved */
    for (int k = 0; k < c->units; k++) {
        const BriUnit *unit = &c->unit[k];
        if (unit->contact < 0 && c->bound[-1 - unit->contact].kind == BRI_BOUND_MOTOR) continue; /* they may */
        if (unit->contact >= 0) gain += bri_dot(c->contact[unit->contact].got.push, c->contact[unit->contact].at.belt);
        double room[BRI_UNIT_NUMBERS];
        const double *E = bri_unit_directions(c, unit, room);
        for (int r = 0; r < unit->rows; r++, E += BRI_ROW) {
            double rate = bri_row_rate(E, &c->free[unit->a]) + bri_row_rate(E + 6, &c->free[unit->b]) +
                          bri_row_rate(E, &to[unit->a]) + bri_row_rate(E + 6, &to[unit->b]);
            gain += 0.5 * c->r[unit->row + r] * rate;
        }
    }
    return gain > MUCH * bri_kinetic_energy(step->model, to);
}

static BrStatus step_with_contact(BriStep *step) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    BriBodyState *bodies = bri_state_bodies(w->trial), *from = w->part_start;
    size_t size = (size_t)m->bodies * sizeof *bodies;
    double t = step->start->time, rest = step->h;
    BrStatus status = bri_contacts_find(step, bodies, rest, step->error);
    bool fine = true;
    for (int touches = 0; status == BR_OK && rest > 0 && bri_has_budget(step->budget); touches++) {
        if (needs_impact(step, bodies)) fine = collide(step, t, bodies) && fine;
        memcpy(from, bodies, size);
        double h = rest;
        BriPart part = {from, bodies, t, rest};
        if (touches == MOST_TOUCHES || !bri_has_contact_work(step)) {
            fine = finish_by_moreau(step, &part) && fine;
            break;
        }
        BriReportMark mark = bri_report_mark(step);
        /* conditions and directions at two poses may have no answer, or one that makes no sense */
        if (!advance_to_touch(step, part, &h) || w->contacts->jumped || makes_energy(step, bodies)) {
            bri_report_rewind(step, &mark);
            go_back(step, from);
            fine = finish_by_moreau(step, &part) && fine;
            break;
        }
        bri_contacts_book(step, from, bodies, h);
        for (int r = 0; r < m->rows; r++) w->p_step[r] += w->p[r];
        t += h, rest -= h;
        if (m->bounds) bri_limits_return(step, bodies);
        fine = bri_project_contacts(step, t, bodies) && fine;
        if (rest <= NOTHING * step->h) break;
        status = bri_contacts_find_again(step, bodies, rest);
    }
    if (status < 0) return status;
    bri_contacts_remember(step, step->h);
    return fine ? BR_OK : BR_NOT_CONVERGED;
}

BrStatus bri_step_hem2(BriStep *step) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    memset(w->p_step, 0, (size_t)m->rows * sizeof(double));
    if (m->touches) return step_with_contact(step);
    BriPart part = {bri_state_bodies(step->start), bri_state_bodies(w->trial), step->start->time, step->h};
    bool fine = advance(step, &part);
    memcpy(w->p_step, w->p, (size_t)m->rows * sizeof(double));
    fine = bri_constrain_positions(step, part.t + part.h, part.to) && fine;
    return fine ? BR_OK : BR_NOT_CONVERGED;
}
