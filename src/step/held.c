/* held.c: see held.h. */
#include "step/held.h"

#include "collide/pair.h"
#include "dynamics/lasting.h"
#include "step/hold.h"

#include <string.h>

/* BriLastingState.held of a contact that closed in the last part. */
enum { LANDED = 2 };

static const BriJoint *find_joint(const BrModel *m, int lasting) { return &m->joint[m->lasting[lasting].joint]; }

static bool is_compliant(const BrModel *m, int lasting) { return find_joint(m, lasting)->def.stiffness > 0; }

static double find_force(const BrModel *m, int lasting, double span, const double *impulse) {
    return impulse[find_joint(m, lasting)->first_row] / span;
}

/* ------------------------------------------------------------------ compliance */

void bri_held_add_depths(const BriStep *step, double span, const double *impulse, double *error) {
    const BrModel *m = step->model;
    for (int k = 0; k < m->lastings; k++) {
        double slope;
        if (!is_compliant(m, k)) continue;
        error[find_joint(m, k)->first_row] +=
            bri_lasting_depth(find_joint(m, k), find_force(m, k, span, impulse), &slope);
    }
}

/* The row of a contact that yields: its slope at a force; the factor is another one from now on. */
static void set_soft(BriStep *step, int lasting, double force, double span) {
    double slope;
    bri_lasting_depth(find_joint(step->model, lasting), force, &slope);
    step->ws->system.soft[lasting] = slope / (span * span);
    step->ws->system.factored = false;
}

bool bri_held_soften(BriStep *step, double span, const double *impulse) {
    const BrModel *m = step->model;
    bool any = false;
    for (int k = 0; k < m->lastings; k++) {
        if (!is_compliant(m, k)) continue;
        set_soft(step, k, find_force(m, k, span, impulse), span);
        any = true;
    }
    return any;
}

void bri_held_begin_soft(BriStep *step, double span) {
    const BrModel *m = step->model;
    for (int k = 0; k < m->lastings; k++)
        if (is_compliant(m, k)) set_soft(step, k, bri_state_lastings(step->ws->trial)[k].normal_force, span);
}

void bri_held_guess(const BriStep *step, double span, double *impulse) {
    const BrModel *m = step->model;
    for (int k = 0; k < m->lastings; k++) {
        const BriLastingState *s = &bri_state_lastings(step->ws->trial)[k];
        if (is_compliant(m, k) && s->held != 0) impulse[find_joint(m, k)->first_row] = s->normal_force * span;
    }
}

void bri_held_leave_rates(const BriStep *step, bool half_implicit, double *error) {
    const BrModel *m = step->model;
    for (int k = 0; k < m->lastings; k++)
        if (half_implicit || is_compliant(m, k)) error[find_joint(m, k)->first_row] = 0;
}

/* ------------------------------------------------------------------ held and let go */

BrStatus bri_held_check(BriStep *step) {
    const BrModel *m = step->model;
    const BriBodyState *bodies = bri_state_bodies(step->start);
    if (m->meets) bri_state_end_contacts(step->ws->trial, 0); /* these are found by others */
    for (int k = 0; k < m->lastings && step->start->steps == 0; k++) {
        const BriJoint *j = find_joint(m, k);
        if (is_compliant(m, k)) continue;
        BriPlace p = bri_lasting_place(j, &bodies[j->a], &bodies[j->b]);
        BrVec3 way = bri_scale(-p.gap, p.normal);
        if (bri_abs(p.gap) <= j->lasting->slight) continue;
        return bri_fail(
            step->error, BR_INVALID_MODEL,
            "contact '%s' does not begin closed: '%s' and '%s' %s by %.6g m; move '%s' by [%.9g, %.9g, %.9g], "
            "or give the contact a stiffness",
            j->def.name, m->body_def[j->a].name, m->body_def[j->b].name, p.gap > 0 ? "are apart" : "overlap",
            bri_abs(p.gap), m->body_def[j->b].name, way.x, way.y, way.z);
    }
    return BR_OK;
}

void bri_held_begin(BriStep *step) {
    const BrModel *m = step->model;
    BrState *trial = step->ws->trial;
    memcpy(bri_state_lastings(trial), bri_state_lastings(step->start), (size_t)m->lastings * sizeof(BriLastingState));
    bri_lasting_begin(m, trial, bri_state_bodies(step->start));
    for (int k = 0; k < m->lastings; k++) step->ws->was_held[k] = bri_state_lastings(trial)[k].held != 0;
    if (m->lastings) step->contact_loss = step->contact_work = 0;
}

void bri_held_first_review(BriStep *step) { memset(step->ws->changes, 0, (size_t)step->model->lastings); }

/* A pull that moves the lighter body by no more than what positions are off by is none, N. */
static double find_least_pull(const BriStep *step, const BriJoint *j, double span) {
    const BriBody *a = &step->model->body[j->a], *b = &step->model->body[j->b];
    double mass = a->node < 0 ? b->mass : b->node < 0 ? a->mass : bri_min(a->mass, b->mass);
    return mass * step->position_tolerance / (span * span);
}

/* Does a held contact pull, or one that is let go overlap? */
static bool is_wrong(const BriStep *step, int k, double span, const double *impulse, const BriBodyState *bodies) {
    const BriJoint *j = find_joint(step->model, k);
    double gap = bri_lasting_place(j, &bodies[j->a], &bodies[j->b]).gap;
    if (bri_state_lastings(step->ws->trial)[k].held != 0) /* a surface that has ended holds nothing */
        return find_force(step->model, k, span, impulse) < -find_least_pull(step, j, span) || gap == __builtin_inf();
    return gap < -step->position_tolerance;
}

bool bri_held_review(BriStep *step, double span, const double *impulse, const BriBodyState *bodies) {
    enum { OFTEN = 2 }; /* let go and held again in one step: it stays so */
    bool changed = false;
    for (int k = 0; k < step->model->lastings; k++) {
        BriLastingState *s = &bri_state_lastings(step->ws->trial)[k];
        if (step->ws->changes[k] >= OFTEN || !is_wrong(step, k, span, impulse, bodies)) continue;
        step->ws->changes[k]++;
        s->held = s->held == 0;
        changed = true;
    }
    return changed;
}

bool bri_held_is_settled(const BriStep *step, double span, const double *impulse, const BriBodyState *bodies) {
    for (int k = 0; k < step->model->lastings; k++)
        if (is_wrong(step, k, span, impulse, bodies)) return false;
    return true;
}

/* Was it held when the step began? */
static bool was_held(const BriStep *step, int lasting) {
    const BriLastingState *s = &bri_state_lastings(step->start)[lasting];
    return s->known != 0 ? s->held != 0 : bri_state_lastings(step->ws->trial)[lasting].held != 0;
}

bool bri_held_has_changed(const BriStep *step) {
    for (int k = 0; k < step->model->lastings; k++)
        if (was_held(step, k) != (bri_state_lastings(step->ws->trial)[k].held != 0)) return true;
    return false;
}

/* A contact that has just closed takes what approached it, within the step that holds it and, half-implicitly, the next: its
 * impulse at the mean of the rates before and after, J. */
static double find_landing_loss(const BriStep *step, const BriPart *part, int lasting, const double *impulse) {
    const BriJoint *j = find_joint(step->model, lasting);
    BriLastingState *s = &bri_state_lastings(step->ws->trial)[lasting];
    bool now = s->held != 0 && !step->ws->was_held[lasting], late = s->held == LANDED && !now;
    if (now) s->held = LANDED;
    if (late) s->held = 1;
    if ((!now && !late) || is_compliant(step->model, lasting)) return 0;
    const BriBodyState *before[2] = {&part->from[j->a], &part->from[j->b]},
                       *after[2] = {&part->to[j->a], &part->to[j->b]};
    BriPlace p = bri_lasting_place(j, after[0], after[1]);
    const BrVec3 point[2] = {p.point_a, p.point_b};
    double rates = 0;
    for (int e = 0; e < 2; e++) {
        BrVec3 arm = bri_sub(point[e], after[e]->r);
        BrVec3 v = bri_add(before[e]->v, bri_cross(bri_mul(&before[e]->A, before[e]->w), arm));
        v = bri_add(v, bri_add(after[e]->v, bri_cross(bri_mul(&after[e]->A, after[e]->w), arm)));
        rates += (e ? 1 : -1) * bri_dot(p.normal, v);
    }
    return bri_max(0, -0.5 * impulse[j->first_row] * rates);
}

void bri_held_follow(BriStep *step, const BriPart *part, double span, const double *impulse) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    double stored = 0;
    for (int k = 0; k < m->lastings; k++) {
        const BriLastingState *s = &bri_state_lastings(w->trial)[k];
        step->contact_loss += find_landing_loss(step, part, k, impulse);
        bool slid = s->track.slides != 0, had = w->was_held[k];
        w->normal_force[k] = find_force(m, k, span, impulse);
        if (had != (s->held != 0))
            bri_note_joint_event(step, had ? BR_EVENT_SEPARATION : BR_EVENT_TOUCH, part->t + part->h,
                                 m->lasting[k].joint, 0, 0);
        w->was_held[k] = s->held != 0;
        w->changes[k] = slid;
    }
    BriLastingWork work = bri_lasting_follow(m, w->trial, part->to, part->h, w->normal_force);
    step->contact_loss += work.heat;
    step->contact_work += work.put_in;
    for (int k = 0; k < m->lastings; k++) {
        const BriLastingState *s = &bri_state_lastings(w->trial)[k];
        bool slides = s->track.slides != 0;
        if (s->held != 0 && find_joint(m, k)->def.friction.law.info && slides != w->changes[k])
            bri_note_joint_event(step, slides ? BR_EVENT_SLIP : BR_EVENT_STICK, part->t + part->h, m->lasting[k].joint,
                                 0, 0);
        stored += s->stored + (is_compliant(m, k) ? bri_lasting_energy(find_joint(m, k), s->normal_force) : 0);
    }
    w->trial->contact_energy = stored;
}

/* ------------------------------------------------------------------ reading */

static BrContactMode find_mode(const BriJoint *j, const BriLastingState *s, const BriBodyState *a,
                               const BriBodyState *b) {
    const double TURNS = 1e-6; /* rad/s, as of other contacts; only a name hangs on it; absolute */
    if (s->held == 0) return BR_CONTACT_OPEN;
    if (!j->def.friction.law.info || s->track.slides != 0) return BR_CONTACT_SLIP;
    BrVec3 turn = bri_sub(bri_mul(&b->A, b->w), bri_mul(&a->A, a->w));
    turn = bri_add_scaled(turn, -bri_dot(turn, s->normal), s->normal);
    return bri_norm(turn) > TURNS ? BR_CONTACT_ROLLING : BR_CONTACT_STICK;
}

BrStatus br_lasting_contact(const BrModel *m, const BrWorkspace *w, const BrState *state, BrJointId id,
                            BrLastingContact *contact) {
    if (!m || !w || !state || !contact) return BR_INVALID_ARGUMENT;
    int number = bri_joint_number(m, id);
    if (w->fingerprint != m->fingerprint || state->fingerprint != m->fingerprint) return BR_MISMATCH;
    if (number < 0 || !m->joint[number].lasting) return BR_INVALID_ID;
    if (!w->evaluated) return BR_WRONG_STAGE;
    const BriJoint *j = &m->joint[number];
    const BriBodyState *a = &bri_state_bodies(state)[j->a], *b = &bri_state_bodies(state)[j->b];
    BriLastingState s = bri_state_lastings(state)[j->lasting - m->lasting];
    const BriLastingState *read = &bri_state_lastings(w->trial)[j->lasting - m->lasting];
    if (s.known == 0) s = *read; /* before the first step it is looked at when it is read */
    BriPlace p = bri_lasting_place(j, a, b);
    BrVec3 va = bri_add(a->v, bri_cross(bri_mul(&a->A, a->w), bri_sub(p.point_a, a->r)));
    BrVec3 vb = bri_add(b->v, bri_cross(bri_mul(&b->A, b->w), bri_sub(p.point_b, b->r)));
    BrVec3 slip = bri_sub(vb, va);
    *contact = (BrLastingContact){.mode = find_mode(j, &s, a, b),
                                  .point = bri_scale(0.5, bri_add(p.point_a, p.point_b)),
                                  .normal = p.normal,
                                  .gap = p.gap,
                                  .normal_force = w->lambda[j->first_row],
                                  .friction_force = s.friction,
                                  .moment = s.moment,
                                  .slip = bri_add_scaled(slip, -bri_dot(slip, p.normal), p.normal),
                                  .violation = bri_lasting_violation(j, &s, a, b),
                                  .heat = s.heat};
    return BR_OK;
}

/* ------------------------------------------------------------------ others that met */

/* Two shapes of the model's list of strangers, farther apart than they are large? */
static bool are_far(const BriModelShape *a, const BriModelShape *b, const BriBodyState *bodies) {
    double reach = a->extent + b->extent;
    BrVec3 apart = bri_sub(bodies[a->body].r, bodies[b->body].r);
    return bri_dot(apart, apart) > reach * reach;
}

BrStatus bri_held_end(BriStep *step, BrStatus status) {
    const double DEEP = 1e-3; /* of the smaller one's extent */
    const BrModel *m = step->model;
    const BriBodyState *bodies = bri_state_bodies(step->ws->trial);
    for (int k = 0; k < m->strangers; k++) {
        const BriModelShape *a = &m->shape[m->stranger[k][0]], *b = &m->shape[m->stranger[k][1]];
        BriTouch touch[BRI_PATCH];
        if (are_far(a, b, bodies)) continue;
        BriFrame fa, fb;
        bri_place_shape(a, bodies[a->body].r, &bodies[a->body].A, &fa);
        bri_place_shape(b, bodies[b->body].r, &bodies[b->body].A, &fb);
        int count = bri_collide(&a->shape, &fa, &b->shape, &fb, 0, touch);
        double depth = 0;
        for (int i = 0; i < count; i++) depth = bri_max(depth, -touch[i].gap);
        if (!(depth > DEEP * bri_min(a->extent, b->extent))) continue;
        const char *one = m->body_def[a->body].name, *other = m->body_def[b->body].name;
        return bri_fail(
            step->error, BR_UNSUPPORTED,
            "the step at t = %.9g s was refused: '%s' and '%s' meet, and smooth follows lasting contacts only; add "
            "{contact: [%s, %s]} to the joints, or the filter {never: [%s, %s]}, or use timestepping",
            step->start->time, one, other, one, other, one, other);
    }
    return status;
}
