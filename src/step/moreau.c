/* moreau.c: order 1. One solve at the old pose, positions by the new velocity, then onto the constraints:
 *     M (v' - v) = h f(q, v) + M g + J(q)^T p,   J(q) v' = target(t + h),   q' = q + h v'                    (6.1)
 * g: what free turning over h does to w. Contacts: u_N' + gap/h >= 0 (7.16), so that an approach ends at the surface;
 * where a contact with restitution would close within the step, u_N' >= -e u_N (7.7) instead. */
#include "base/threads.h"
#include "dynamics/force.h"
#include "dynamics/motion.h"
#include "dynamics/servo.h"
#include "step/overlap.h"
#include "step/schemes.h"

#include <string.h>

/* Velocities without impulses: forces, and the gyroscopic part by free turning: what w x J w does explicitly blows up at
 * fast spins, this keeps |J w|. */
static void set_free_velocities(const BriStep *step, const BriPart *part) {
    const BrModel *m = step->model;
    bool pushed = bri_is_pushed(m, step->start);
    if (pushed) bri_forces(m, step->start, part->from, part->t, step->ws->f);
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        double weight[6];
        if (bri_is_put_aside(step, i)) continue;
        if (!pushed) bri_weigh(m, &m->body[i], weight);
        bri_apply_force(&m->body[i], pushed ? step->ws->f + 6 * n : weight, part->h, &part->to[i]);
        BrVec3 w = bri_top_spin(&m->body[i].top, part->h, part->from[i].w);
        part->to[i].w = bri_add(part->to[i].w, bri_sub(w, part->from[i].w));
    }
}

/* m: what a contact may close within the step. One that pushed and has not let go is closed: a gap that it has is what
 * projection left of it, since contacts that hold a body up several times over contradict each other by that much.
 * Asked to close it they would contradict each other in velocities too, and a heap at rest would look for other impulses
 * in every step. */
static double find_way(const BriContact *c) {
    const double LEFT = 1e3; /* of what counts as none: as much as steps with too small a budget leave of a heap */
    double none = (bri_dot(bri_normal(c), c->was.impulse) > 0 ? LEFT : 1) * c->at.nothing;
    return c->at.touch.gap > none ? c->at.touch.gap : 0;
}

/* What a contact is asked for; `slow`: the slowest approach that strikes, m/s. */
static void set_condition(const BriPart *part, double slow, BriContact *contact) {
    BrVec3 n = bri_normal(contact);
    double gap = find_way(contact), h = part->h;
    contact->hit.before = bri_contact_velocity(contact, part->from);
    if (bri_resists_turning(contact)) contact->turning->before = bri_contact_turn(contact, part->from);
    double approach = -bri_dot(n, contact->hit.before);
    contact->ask.active = !contact->mode.parts;
    contact->ask.left_out = contact->mode.parts;
    contact->ask.one_row = false;
    /* without restitution an approach ends at the surface, one step before it is stopped: it counts once */
    contact->hit.counts = contact->ask.active && approach > slow &&
                          (bri_may_bounce(contact->at.surface) || !contact->was.known) &&
                          gap + h * bri_dot(n, bri_contact_velocity(contact, part->to)) <= 0;
    contact->ask.normal_offset = gap / h;
}

typedef struct AskLoop {
    BriContacts *contacts;
    const BriPart *part;
    double slow;
    bool strikes[BRI_MOST_THREADS], open[BRI_MOST_THREADS]; /* per lane: some contact does, or is */
} AskLoop;

static void ask_share(void *loop, const BriShare *share) {
    AskLoop *l = loop;
    bool strikes = l->strikes[share->lane], open = l->open[share->lane];
    for (int k = share->begin; k < share->end; k++) {
        BriContact *contact = &l->contacts->contact[k];
        set_condition(l->part, l->slow, contact);
        bri_contact_same_rows(l->contacts, k, l->part->from);
        strikes = strikes || contact->hit.counts;
        open = open || contact->ask.normal_offset > 0;
    }
    l->strikes[share->lane] = strikes, l->open[share->lane] = open;
}

/* What contacts and bounds are asked for, and their rows. part->from: velocities before, part->to: free ones. true: some
 * contacts are open. */
static bool set_conditions(BriStep *step, const BriPart *part) {
    BriContacts *c = step->ws->contacts;
    int lanes = bri_lanes(step->def->threads);
    AskLoop loop;
    bool open = false;
    loop.contacts = c, loop.part = part, loop.slow = bri_impact_speed(step);
    for (int i = 0; i < lanes; i++) loop.strikes[i] = loop.open[i] = false;
    bri_share(step->def->threads, c->count, ask_share, &loop);
    c->strikes = false;
    for (int i = 0; i < lanes; i++) c->strikes = c->strikes || loop.strikes[i], open = open || loop.open[i];
    c->whole = !step->model->turns;
    if (step->model->bounds) bri_set_bounds(step, part->h, part->h);
    bri_bounds_same_rows(step, part->from);
    return open;
}

/* The way of a part with the velocities of part->to. */
static bool meets(BriStep *step, const BriPart *part, const BriFound *at) {
    BriEvenly evenly = {step, part->from, part->t};
    BriWay way = {.h = part->h,
                  .go = bri_go_evenly,
                  .user = &evenly,
                  .first = part->to,
                  .with = part->to,
                  .fine = 0.1,
                  .aim = 0.5 * BRI_CLOSED};
    if (!bri_flies_far(step->model, at->shape_a, at->shape_b, &way)) return true; /* it is near: its place counts */
    return bri_pair_meets(step, at->shape_a, at->shape_b, &way);
}

/* The number after the contacts of a pair that begin with k. *closes: all are open, and with the velocities of part->to
 * one would close. */
static int look_at_pair(const BriContacts *c, const BriPart *part, int k, bool *closes) {
    const BriContact *first = &c->contact[k];
    bool apart = true;
    *closes = false;
    for (;
         k < c->count && c->contact[k].at.shape_a == first->at.shape_a && c->contact[k].at.shape_b == first->at.shape_b;
         k++) {
        const BriContact *contact = &c->contact[k];
        apart = apart && contact->ask.normal_offset > 0;
        if (!apart || *closes) continue;
        *closes =
            contact->ask.normal_offset + bri_dot(bri_normal(contact), bri_contact_velocity(contact, part->to)) < 0;
    }
    *closes = *closes && apart;
    return k;
}

/* A pair that flies far comes into the half-spaces of its nearest places without coming to the bodies, past an edge:
 * where its free way meets nothing they ask for nothing. true: there are such. */
static bool leave_out_missed(BriStep *step, const BriPart *part) {
    BriContacts *c = step->ws->contacts;
    bool left = false, closes;
    for (int k = 0, next; k < c->count; k = next) {
        next = look_at_pair(c, part, k, &closes);
        if (!closes || meets(step, part, &c->contact[k].at)) continue;
        for (int i = k; i < next; i++) c->contact[i].ask.active = false, c->contact[i].ask.left_out = true;
        left = true;
    }
    return left;
}

/* Does one that was left out meet something with the velocities that were found? */
static bool meets_after_all(BriStep *step, const BriPart *part) {
    const BriContacts *c = step->ws->contacts;
    bool closes;
    for (int k = 0, next; k < c->count; k = next) {
        next = look_at_pair(c, part, k, &closes);
        if (closes && c->contact[k].ask.left_out && meets(step, part, &c->contact[k].at)) return true;
    }
    return false;
}

/* Kinematic bodies: their velocities at the end of the part. */
static void set_moved_velocities(const BriStep *step, const BriPart *part) {
    const BrModel *m = step->model;
    for (int i = 0; i < m->bodies; i++) {
        BriBodyState end;
        if (m->body[i].motion < 0) continue;
        bri_motion_advance(m, i, part->t, part->h, &part->from[i], &end);
        part->to[i].v = end.v, part->to[i].w = end.w;
    }
}

/* The velocities at the end of a part into part->to. *missed: in: whether pairs that miss each other may be left out;
 * then whether some were, *mark being the report before they were. */
static bool solve_part(BriStep *step, const BriPart *part, bool *missed, BriReportMark *mark) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    BriContacts *c = w->contacts;
    double t = part->t, h = part->h;
    if (m->servos) bri_servo_ask_end(step, part->from, NULL, 1, t, h);
    if (m->joints) bri_factor(step, part->from);
    set_free_velocities(step, part);
    if (m->motions) set_moved_velocities(step, part);

    if (m->joints) bri_system_targets(m, step->start, t + h, w->target);
    if (m->servos) bri_servo_targets(step);
    BriSpan span = {&w->system.J, &w->system.J, w->target, h, part->to, w->p, .between = false};
    if (!m->touches) return bri_solve_velocities(step, &span, false);
    bool open = set_conditions(step, part);
    *missed = *missed && open && leave_out_missed(step, part);
    if (*missed) *mark = bri_report_mark(step);
    span.last = !c->strikes && !*missed; /* else there may be another solve */
    step->report->contacts = c->count > step->report->contacts ? c->count : step->report->contacts;
    return bri_solve_with_restitution(step, &span, t);
}

bool bri_moreau_part(BriStep *step, const BriPart *part) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    double t = part->t, h = part->h;
    BriReportMark mark;
    bool missed = m->touches, fine = solve_part(step, part, &missed, &mark);
    if (missed && meets_after_all(step, part)) { /* then all are asked */
        bri_report_rewind(step, &mark);
        bri_copy_bodies(step, part->from, part->to);
        missed = false;
        fine = solve_part(step, part, &missed, &mark);
    }
    for (int r = 0; r < m->rows; r++) w->p_step[r] += w->p[r];
    if (m->touches) bri_contacts_book(step, part->from, part->to, h);
    bri_move(step, part->from, part->to, t, h, part->to);
    if (m->bounds) bri_limits_return(step, part->to);
    return bri_project_contacts(step, t + h, part->to, false) && fine;
}

BrStatus bri_step_moreau(BriStep *step) {
    const BriBodyState *start = bri_state_bodies(step->start);
    BriPart part = {start, bri_state_bodies(step->ws->trial), step->start->time, step->h};
    memset(step->ws->p_step, 0, (size_t)step->model->rows * sizeof(double));
    BrStatus status = step->model->touches ? bri_contacts_find(step, start, step->h, step->error) : BR_OK;
    if (status < 0) return status;
    bool fine = bri_moreau_part(step, &part);
    if (step->model->touches) status = bri_contacts_remember(step, step->h);
    return status < 0 || fine ? status : BR_NOT_CONVERGED;
}

BrStatus bri_step_in_parts(BriStep *step, int parts) {
    BrWorkspace *w = step->ws;
    BriBodyState *bodies = bri_state_bodies(w->trial);
    double t = step->start->time, h = step->h / parts;
    BrStatus status = bri_contacts_find(step, bodies, h, step->error);
    bool fine = true;
    memset(w->p_step, 0, (size_t)step->model->rows * sizeof(double));
    for (int k = 0; k < parts && status == BR_OK && bri_has_budget(step->budget); k++) {
        BriPart part = {w->part_start, bodies, t + k * h, h};
        if (k > 0) status = bri_contacts_find_again(step, bodies, h);
        if (status < 0) break;
        memcpy(w->part_start, bodies, (size_t)step->model->bodies * sizeof *bodies);
        fine = bri_moreau_part(step, &part) && fine;
    }
    if (status < 0) return status;
    status = bri_contacts_remember(step, step->h);
    return status < 0 || fine ? status : BR_NOT_CONVERGED;
}
