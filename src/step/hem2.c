/* hem2.c: order 2, half-explicit midpoint, two solves per step:
 *     Q2 = q + h/2 v,     V2 = S(q, v -> Q2, h/2)
 *     Q3 = q + h V2,      V3 = S(Q2, V2 -> Q3, h),     (q, v) <- (Q3, V3)                                     (6.2)
 * S(Qs, Vs -> Qe, d): start from the step's own v, forces and their directions J at Qs, conditions J(Qe) v = target.
 * One factor serves the step, that of Q2: both operators differ from it by O(h) and refinement removes the difference.
 * Then positions, O(h^3) off, are put on the constraints with the same factor.
 *
 * Contacts: those closed at the start take part in both solves. Sliding ones push against the slip at Qs while that
 * does not reverse it, which carries order 2 through the end of a slide. What comes down slowly is stopped within the
 * solves. Where a gap would close faster the step is split: advance to the touch, solve the impact with positions fixed,
 * go on with the rest; after four touches, or where the two poses leave no answer (a rim that runs round, Painleve),
 * moreau makes the step. All this per group of bodies that may meet (contact/groups.c): the step is tried as a whole, and
 * groups that touch or fail are made again by themselves. */
#include "contact/units.h"
#include "dynamics/force.h"
#include "dynamics/servo.h"
#include "linalg/sets.h"
#include "step/overlap.h"
#include "step/schemes.h"

#include <string.h>

enum {
    MOST_TOUCHES = 4, /* parts of a step; moreau makes the rest */
    MOST_SEARCHES = 6 /* parabolas for one touch */
};
static const double NOTHING = 1e-12;        /* of the step: a rest that is rounding */
static const double AIM = 0.5 * BRI_CLOSED; /* m: touches are met a little beyond, so that they are closed then */

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
        if (!(crossed > 0.5 * here)) bri_group_note(c, c->contact[k].at.b, BRI_GROUP_FAILS);
    }
}

/* Conditions at the pose where contacts stand; directions are there. */
static void set_conditions(BriStep *step, const BriBodyState *bodies) {
    bri_contacts_condition_rows(step, bodies);
    note_jumps(step);
}

/* What free turning does to the spins of `at` in a time from `begin` to `end` around it. Explicitly, h J^-1 (J w x w)
 * blows up once |w| h nears 1; this is bounded by 2 |J w|, and the two of a step together turn a free body exactly. */
static void add_turning(const BriStep *step, const BriBodyState *at, double begin, double end, BriBodyState *bodies) {
    const BrModel *m = step->model;
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        if (bri_is_put_aside(step, i)) continue;
        BrVec3 first = begin != 0 ? bri_top_spin(&m->body[i].top, begin, at[i].w) : at[i].w;
        BrVec3 last = bri_top_spin(&m->body[i].top, end, at[i].w);
        bodies[i].w = bri_add(bodies[i].w, bri_sub(last, first));
    }
}

/* Comes an open contact down within h, and so slowly that the step cannot tell it from rest? Forces add no more than the
 * slow speed. Then it takes part: u_N + gap/h >= 0 (7.16) ends its approach at the surface, and leaves alone what does
 * not reach it. What that is off by in velocity is O(h) and lasts O(h). */
static bool lands_slowly(const BriContact *c, double rate, double slow, double h) {
    return !c->mode.closed && rate >= -slow && c->at.touch.gap + h * (rate - slow) <= 0;
}

/* Has the whole step found that its group is to be made by itself? */
static bool is_put_off(const BriStep *step, const BriContact *contact) {
    return !step->group && bri_contact_call(step->ws->contacts, contact) != BRI_GROUP_FINE;
}

static void start_contacts(BriStep *step, const BriPart *part) {
    BriContacts *c = step->ws->contacts;
    double slow = bri_impact_speed(step);
    int active = 0;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        contact->ask.normal_offset = 0;
        contact->hit.counts = false;
        contact->got.push = contact->got.u = bri_vec(0, 0, 0);
        contact->got.p[0] = contact->got.p[1] = contact->got.p[2] = 0;
        contact->hit.before = bri_contact_velocity(contact, part->from);
        if (bri_resists_turning(contact)) {
            contact->turning->before = bri_contact_turn(contact, part->from);
            contact->turning->moment = contact->turning->after = bri_vec(0, 0, 0);
        }
        bool lands = !contact->mode.parts && lands_slowly(contact, c->tries[k].start_rate, slow, part->h);
        if (lands) contact->ask.normal_offset = contact->at.touch.gap / part->h;
        contact->ask.left_out = !contact->mode.closed && !lands;
        contact->ask.active = !contact->ask.left_out && !is_put_off(step, contact);
        active += contact->ask.active;
    }
    step->report->contacts = active > step->report->contacts ? active : step->report->contacts;
}

/* What a solve answered is what the next begins with. */
static void take_slip(BriContact *contact) {
    bri_contact_set_slip(contact, contact->got.u);
    if (bri_resists_turning(contact)) contact->turning->turn = contact->turning->after;
}

/* Between the solves: the slip at Q2 decides how friction pushes in the second. What has pushed is closed. */
static void renew_contacts(BriStep *step) {
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->ask.active) continue;
        contact->mode.closed = contact->mode.closed || contact->got.p[0] > 0;
        contact->ask.normal_offset = 0;
        take_slip(contact);
    }
}

/* What was asked in the first solve, and did not come down or is put off now, takes no part in the second. */
static void leave_out_open(BriStep *step) {
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->ask.active || (contact->mode.closed && !is_put_off(step, contact))) continue;
        contact->ask.active = false;
        contact->got.push = contact->got.u = bri_vec(0, 0, 0);
    }
}

static void finish_contacts(BriStep *step) {
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->ask.active) continue;
        take_slip(contact);
    }
}

/* First solve: V2, with forces at q and conditions at Q2; then the poses Q3. */
static bool solve_first(BriStep *step, const BriPart *part) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    BriJacobian *J = &w->system.J, *C = &w->system.C;
    BriBodyState *middle = w->bodies;
    double t = part->t, h = part->h;
    bri_copy_bodies(step, part->from, middle);
    bri_move(step, part->from, part->from, t, 0.5 * h, middle);
    if (m->servos) bri_servo_ask_first(step, part->from, t, h);
    if (m->joints) bri_factor(step, middle);
    bri_forces(m, step->start, part->from, t, w->f);
    bri_apply_forces(step, w->f, 0.5 * h, middle);
    add_turning(step, part->from, 0, 0.5 * h, middle);
    if (m->joints) bri_system_targets(m, step->start, t + 0.5 * h, w->target);
    if (m->servos) bri_servo_targets(step);
    if (m->joints) bri_system_jacobian(m, w->trial, part->from, C);
    if (m->touches) {
        start_contacts(step, part);
        if (m->bounds) bri_move_bounds(step, part->from);
        if (m->bounds) bri_set_bounds(step, 0.5 * h, h);
        bri_contacts_push_rows(step, part->from);
        bri_contacts_move(step, middle);
        set_conditions(step, middle);
    }
    BriSpan span = {C, J, w->target, 0.5 * h, middle, w->p, .between = true};
    bool fine = bri_solve_velocities(step, &span, true);
    bri_copy_bodies(step, part->from, part->to);
    bri_move(step, part->from, middle, t, h, part->to);
    if (m->touches) { /* which then stand at Q3 */
        renew_contacts(step);
        bri_contacts_push_where_asked(step);
        bri_contacts_move(step, part->to);
    }
    return fine;
}

/* Second solve: V3, with forces at Q2 and conditions at Q3, where contacts stand. */
static bool solve_second(BriStep *step, const BriPart *part) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    BriJacobian *J = &w->system.J, *C = &w->system.C;
    BriBodyState *middle = w->bodies, *to = part->to;
    double t = part->t, h = part->h;
    bri_forces(m, step->start, middle, t + 0.5 * h, w->f);
    bri_apply_forces(step, w->f, h, to);
    add_turning(step, middle, -0.5 * h, 0.5 * h, to);
    if (m->joints) bri_system_targets(m, step->start, t + h, w->target);
    if (m->servos) { /* which yield otherwise than in the first */
        bri_servo_ask_second(step, part->from, middle, part->to, t, h);
        bri_servo_targets(step);
    }
    if (m->joints) bri_refactor(step); /* with contacts no clamp has changed: then it is the factor itself */
    if (m->joints) bri_system_jacobian(m, w->trial, to, C);
    if (m->touches) {
        leave_out_open(step);
        if (m->bounds) bri_move_bounds(step, to);
        if (m->bounds) bri_set_bounds(step, h, h);
        set_conditions(step, to);
    }
    BriSpan span = {J, C, w->target, h, to, w->p, .again = 2, .last = true};
    bool fine = bri_solve_velocities(step, &span, true);
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

/* The rate at the start with which a parabola goes through the ends of the last two tries, the last over h. */
static double fit_rate(const BriContact *c, const BriTry *t, double last_h, double h) {
    double before = (t->last_gap - c->at.start_gap) / last_h, now = (c->at.touch.gap - c->at.start_gap) / h;
    return last_h > h ? now - h * (before - now) / (last_h - h) : t->start_rate;
}

/* The first time at which an open contact closes within the part, or its whole length. Contacts stand at its end; the
 * try before this one, if there was one (else 0), was over last_h. `way`: pairs that fly far on it are left out; or NULL. */
static double find_touch(const BriStep *step, const BriPart *part, double last_h, const BriWay *way) {
    BriContacts *c = step->ws->contacts;
    double first = part->h;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        double gap = contact->at.touch.gap,
               rate = last_h > 0 ? fit_rate(contact, &c->tries[k], last_h, part->h) : c->tries[k].start_rate;
        c->tries[k].last_gap = gap;
        if (contact->ask.active || !(gap < -BRI_CLOSED)) continue;
        if (way && bri_flies_far(step->model, contact->at.shape_a, contact->at.shape_b, way)) continue;
        double touch = find_root(contact->at.start_gap + AIM, rate, gap + AIM, part->h),
               *of_group = &c->groups.touch[c->groups.of[contact->at.b]];
        bri_group_note(c, contact->at.b, BRI_GROUP_TOUCHES);
        *of_group = bri_min(*of_group, touch);
        first = bri_min(first, touch);
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
    for (int k = 0; k < c->count; k++) c->contact[k].ask.active = c->contact[k].mode.closed;
    step->has_other_way = false; /* a blow that is not solved is moreau's, and that is dear */
    bool fine = bri_solve_impact(step, time, bodies);
    step->has_other_way = true;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->ask.active) continue;
        take_slip(contact);
        /* what bounces off is open */
        contact->mode.closed = bri_dot(bri_normal(contact), contact->got.u) <= bri_impact_speed(step);
    }
    return fine;
}

/* What tries of a part go back to. */
static void note_start(BriStep *step, const BriBodyState *from) {
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        c->tries[k] = (BriTry){.start_rate = bri_dot(bri_normal(contact), bri_contact_velocity(contact, from)),
                               .start_slip = contact->mode.slip,
                               .start_slides = contact->mode.sliding,
                               .start_closed = contact->mode.closed};
    }
}

/* Contacts as they were before a try. */
static void go_back(BriStep *step, const BriBodyState *from) {
    BriContacts *c = step->ws->contacts;
    bri_contacts_move(step, from);
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        contact->mode.slip = c->tries[k].start_slip;
        contact->mode.closed = c->tries[k].start_closed;
        bri_contact_set_sliding(contact, c->tries[k].start_slides);
        if (bri_resists_turning(contact)) contact->turning->turn = bri_contact_turn(contact, from);
    }
}

/* When the first touch on the way to Q3 is, or the part's whole length. *last_h: of the try before, if what contacts saw
 * at its end can be compared with what they see now, else 0; then of this one. */
static double look_for_touch(BriStep *step, const BriPart *part, double *last_h) {
    BriEvenly evenly = {step, part->from, part->t};
    BriWay way = {.h = part->h, /* its end is q + h V2 (6.2); forces that do not change lead there evenly */
                  .go = bri_go_evenly,
                  .user = &evenly,
                  .first = part->from,
                  .with = step->ws->bodies,
                  .fine = 0.1,
                  .aim = AIM,
                  .each_group = true};
    double passes = bri_find_pass(step, &way), touch = find_touch(step, part, *last_h, passes < part->h ? &way : NULL);
    bool overlaps = bri_contacts_deepest_new(step) < -BRI_CLOSED; /* at places seen before, or new ones */
    *last_h = passes < part->h ? 0 : part->h;
    if (passes < part->h) return bri_min(passes, touch);
    if (overlaps) return bri_max(touch < part->h ? touch : 0.5 * part->h, 0.01 * part->h);
    return part->h;
}

/* The first solve, over as much of the part as passes without a touch. */
static bool solve_to_touch(BriStep *step, BriPart *part) {
    BriReportMark mark = bri_report_mark(step); /* tries that are thrown away leave no trace in the report */
    double last_h = 0;
    note_start(step, part->from);
    for (int search = 0;; search++) {
        if (!solve_first(step, part)) return false;
        double touch = look_for_touch(step, part, &last_h);
        if (touch >= part->h || search == MOST_SEARCHES) return true;
        if (!bri_has_contact_work(step)) return false; /* order 1 asks for no search */
        part->h = touch;
        bri_report_rewind(step, &mark);
        go_back(step, part->from);
    }
}

/* Of which groups the impulses of the last solve made energy, by more than order 2 explains: these fail. Conditions hold
 * at another pose than they push at; where bodies turn far within a step the two have little to do with each other. */
static void note_energy(const BriStep *step, const BriBodyState *to) {
    const double MUCH = 1e-3; /* of the kinetic energy, with the impulses or without: what rests has that of its fall */
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    BriGroups *g = &c->groups;
    if (c->count + c->bounds == 0) return; /* nothing was solved */
    for (int i = 0; i < m->bodies; i++) g->gain[i] = g->size[i] = 0;
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        if (bri_is_put_aside(step, i)) continue;
        g->size[g->of[i]] += bri_max(bri_body_energy(m, i, &to[i]), bri_body_energy(m, i, &c->free[i]));
    }
    for (int k = 0; k < c->units; k++) {
        const BriUnit *unit = &c->unit[k];
        if (unit->contact < 0 && c->bound[-1 - unit->contact].kind == BRI_BOUND_MOTOR) continue; /* they may */
        double gain = 0, room[BRI_UNIT_NUMBERS];
        if (unit->contact >= 0) gain = bri_dot(c->contact[unit->contact].got.push, c->contact[unit->contact].at.belt);
        const double *E = bri_unit_directions(c, unit, room);
        for (int r = 0; r < unit->rows; r++, E += BRI_ROW) {
            double rate = bri_row_rate(E, &c->free[unit->a]) + bri_row_rate(E + 6, &c->free[unit->b]) +
                          bri_row_rate(E, &to[unit->a]) + bri_row_rate(E + 6, &to[unit->b]);
            gain += 0.5 * c->r[unit->row + r] * rate;
        }
        g->gain[g->of[unit->b] >= 0 ? g->of[unit->b] : g->of[unit->a]] += gain;
    }
    for (int i = 0; i < m->bodies; i++)
        if (g->gain[i] > MUCH * g->size[i]) bri_group_note(c, i, BRI_GROUP_FAILS);
}

/* ------------------------------------------------------------------ a group of bodies */

/* After both solves of a part. */
static bool finish_part(BriStep *step, const BriPart *part) {
    BrWorkspace *w = step->ws;
    bri_contacts_book(step, part->from, part->to, part->h);
    for (int r = 0; r < step->model->rows; r++) w->p_step[r] += w->p[r];
    if (step->model->bounds) bri_limits_return(step, part->to);
    return bri_project_contacts(step, part->t + part->h, part->to, true);
}

/* The step of the group at hand in parts, from touch to touch; `first`: s, about when the first is. *fine: all problems
 * were solved. false: it cannot be followed; conditions and directions at two poses may have no answer, or one that makes
 * no sense. */
static bool make_parts(BriStep *step, double first, BrStatus *status, bool *fine) {
    BrWorkspace *w = step->ws;
    BriBodyState *bodies = bri_state_bodies(w->trial), *from = w->part_start;
    BriGroupCall *call = &w->contacts->groups.call[step->only];
    double t = step->start->time, rest = step->h;
    step->has_other_way = true;
    for (int touches = 0; rest > NOTHING * step->h; touches++) {
        if (needs_impact(step, bodies)) {
            if (!collide(step, t, bodies)) return false;
            first = rest;
        }
        bri_copy_bodies(step, bodies, from);
        BriPart part = {from, bodies, t, bri_min(first, rest)};
        if (touches == MOST_TOUCHES || !bri_has_contact_work(step)) return false;
        *call = BRI_GROUP_FINE;
        if (!solve_to_touch(step, &part) || !solve_second(step, &part)) return false;
        note_energy(step, bodies);
        if (*call == BRI_GROUP_FAILS) return false;
        *fine = finish_part(step, &part) && *fine;
        t += part.h, rest -= part.h, first = rest;
        if (rest <= NOTHING * step->h) break;
        *status = bri_contacts_find_again(step, bodies, rest);
        if (*status < 0) break;
    }
    return true;
}

/* What a step adds up beside its report. */
typedef struct Sums {
    BriReportMark report;
    double loss, work, corrected;
    int gone; /* contacts that have let go */
} Sums;

/* The group at hand, again at the start of the step, and all sums as they were. */
static BrStatus begin_group(BriStep *step, const Sums *sums) {
    BrWorkspace *w = step->ws;
    const BriBodyState *start = bri_state_bodies(step->start);
    bri_report_rewind(step, &sums->report);
    step->contact_loss = sums->loss, step->contact_work = sums->work, step->corrected = sums->corrected;
    w->contacts->gone_count = sums->gone;
    memset(w->p_step, 0, (size_t)step->model->rows * sizeof(double)); /* where there are any, there is one group */
    bri_copy_bodies(step, start, bri_state_bodies(w->trial));
    return bri_contacts_find(step, start, step->h, step->error);
}

/* With order 1, from the start. */
static bool make_by_moreau(BriStep *step) {
    const double SHARE = 0.5; /* of what contacts may cost is for this, whatever was spent before */
    BriPart part = {bri_state_bodies(step->start), bri_state_bodies(step->ws->trial), step->start->time, step->h};
    step->report->finished_by_moreau = true;
    step->report->moreau_islands++;
    step->ws->contacts->groups.call[step->only] = BRI_GROUP_FAILS;
    step->has_other_way = false;
    step->solving_work = bri_min(step->solving_work, SHARE * step->def->contact_work);
    return bri_moreau_part(step, &part);
}

static BrStatus step_group(BriStep *step, int group, bool *fine) {
    const BriGroups *g = &step->ws->contacts->groups;
    Sums sums = {bri_report_mark(step), step->contact_loss, step->contact_work, step->corrected,
                 step->ws->contacts->gone_count};
    bool follows = g->call[group] == BRI_GROUP_TOUCHES, all = true;
    step->group = g->of;
    step->only = group;
    BrStatus status = begin_group(step, &sums);
    if (status == BR_OK && !(follows && make_parts(step, g->touch[group], &status, &all))) {
        if (follows) status = begin_group(step, &sums);
        if (status == BR_OK) all = make_by_moreau(step);
    }
    *fine = *fine && all;
    if (status == BR_OK && !bri_groups_keep(step))
        status = bri_fail(step->error, BR_OUT_OF_MEMORY, "no memory for contacts");
    step->group = NULL;
    return status;
}

/* ------------------------------------------------------------------ all of them */

/* What strikes at the start of the step. */
static void note_strikes(BriStep *step, const BriBodyState *bodies) {
    BriContacts *c = step->ws->contacts;
    double slow = bri_impact_speed(step);
    for (int k = 0; k < c->count; k++)
        if (c->contact[k].mode.closed &&
            bri_dot(bri_normal(&c->contact[k]), bri_contact_velocity(&c->contact[k], bodies)) < -slow)
            bri_group_note(c, c->contact[k].at.b, BRI_GROUP_TOUCHES);
}

/* Does a contact hold, or has something come to it on the way? */
static bool is_met(const BriContact *c) { return c->mode.closed || c->at.touch.gap < -BRI_CLOSED; }

/* Bodies that touch each other, or are joined. */
static void find_piles(const BriStep *step) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    int *pile = c->groups.pile;
    for (int i = 0; i < m->bodies; i++) pile[i] = m->joints ? c->groups.of[i] : i;
    for (int k = 0; k < c->count && !m->joints; k++) {
        const BriFound *at = &c->contact[k].at;
        if (is_met(&c->contact[k]) && m->body[at->a].node >= 0) bri_join_sets(pile, at->a, at->b);
    }
}

/* Something touches in a pile all the time: following that would cost it six times a step, for no order. How a blow is
 * shared by so many has several answers, too, and odd ones among them. */
static void note_piles(BriStep *step) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    double *rows = c->groups.gain, most = m->joints ? BRI_JOINTED_ROWS : BRI_FEW_ROWS;
    for (int i = 0; i < m->bodies; i++) rows[i] = 0;
    find_piles(step);
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        if (!is_met(contact)) continue;
        double *of_pile = &rows[bri_find_root(c->groups.pile, contact->at.b)];
        *of_pile += 3;
        if (*of_pile > most && bri_contact_call(c, contact) == BRI_GROUP_TOUCHES)
            bri_group_note(c, contact->at.b, BRI_GROUP_FAILS);
    }
}

/* Is there a group that may be (or is not) made with all others? */
static bool has_group(const BriStep *step, bool fine) {
    const BriGroups *g = &step->ws->contacts->groups;
    for (int n = 0; n < step->model->moving; n++) {
        int group = g->of[step->model->moving_body[n]];
        if (group >= 0 && (g->call[group] == BRI_GROUP_FINE) == fine) return true;
    }
    return false;
}

/* The whole step at once; groups that touch, or find no answer, are noted. */
static void try_whole(BriStep *step, BriPart *part, bool joined) {
    step->has_other_way = true;
    bri_groups_find(step, joined);
    if (!has_group(step, true) && has_group(step, false)) return; /* who sleeps is of none, and others may be moved */
    note_start(step, part->from);
    note_strikes(step, part->from);
    solve_first(step, part);
    double none_before = 0;
    look_for_touch(step, part, &none_before);
    note_piles(step);
    if (!has_group(step, true)) return;
    solve_second(step, part);
    note_energy(step, part->to);
}

/* Groups that the whole step could not make, each by itself. */
static BrStatus step_groups(BriStep *step, bool *fine) {
    const BrModel *m = step->model;
    const BriContacts *c = step->ws->contacts;
    BrStatus status = BR_OK;
    if (!bri_groups_keep(step)) return bri_fail(step->error, BR_OUT_OF_MEMORY, "no memory for contacts");
    for (int i = 0; i < m->bodies && status == BR_OK; i++)
        if (c->groups.of[i] == i && c->groups.call[i] != BRI_GROUP_FINE) status = step_group(step, i, fine);
    if (status < 0) return status;
    int needed = c->kept_count + bri_sleepers(step).contacts;
    if (needed > m->contact_capacity)
        return bri_fail(step->error, BR_CAPACITY,
                        "%d contacts are needed, and the model has room for %d; raise contact_capacity", needed,
                        m->contact_capacity);
    return bri_groups_gather(step) ? BR_OK : bri_fail(step->error, BR_OUT_OF_MEMORY, "no memory for contacts");
}

/* *apart: groups were made by themselves. */
static BrStatus step_all(BriStep *step, bool joined, bool *fine, bool *apart) {
    BrWorkspace *w = step->ws;
    BriPart whole = {bri_state_bodies(step->start), bri_state_bodies(w->trial), step->start->time, step->h};
    BrStatus status = bri_contacts_find(step, whole.from, step->h, step->error);
    if (status < 0) return status;
    BriReportMark mark = bri_report_mark(step);
    try_whole(step, &whole, joined);
    *apart = has_group(step, false);
    if (*apart) {
        bri_report_rewind(step, &mark);
        bri_groups_leave_fine(w->contacts);
    }
    *fine = (*apart && !has_group(step, true)) || finish_part(step, &whole);
    return *apart ? step_groups(step, fine) : BR_OK;
}

/* What was struck may have come to bodies of which its group did not know: then all are one. */
static BrStatus step_with_contact(BriStep *step) {
    BriBodyState *bodies = bri_state_bodies(step->ws->trial);
    BriReportMark mark = bri_report_mark(step);
    bool fine, apart;
    BrStatus status = step_all(step, false, &fine, &apart);
    if (status == BR_OK && apart && !step->ws->contacts->groups.joined && bri_find_overlap(step, bodies).made > 0) {
        bri_report_rewind(step, &mark);
        step->contact_loss = step->contact_work = step->corrected = 0;
        step->ws->contacts->gone_count = 0;
        memcpy(bodies, bri_state_bodies(step->start), (size_t)step->model->bodies * sizeof *bodies);
        status = step_all(step, true, &fine, &apart);
    }
    if (status < 0) return status;
    status = bri_contacts_remember(step, step->h);
    return status < 0 || fine ? status : BR_NOT_CONVERGED;
}

BrStatus bri_step_hem2(BriStep *step) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    memset(w->p_step, 0, (size_t)m->rows * sizeof(double));
    if (m->touches) return step_with_contact(step);
    BriPart part = {bri_state_bodies(step->start), bri_state_bodies(w->trial), step->start->time, step->h};
    bool fine = solve_first(step, &part);
    fine = solve_second(step, &part) && fine;
    memcpy(w->p_step, w->p, (size_t)m->rows * sizeof(double));
    fine = bri_constrain_positions(step, part.t + part.h, part.to) && fine;
    return fine ? BR_OK : BR_NOT_CONVERGED;
}
