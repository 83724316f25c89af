/* hold.c: see hold.h. */
#include "step/hold.h"
#include "contact/contact.h"
#include "dynamics/force.h"
#include "dynamics/kept_factor.h"

#include <string.h>

enum { MOST_STEPS = 100 };
/* Of a friction: as exact as its reactions round. */
static const double SETTLED = 4e-15, NEARLY = 1e-10;

/* ------------------------------------------------------------------ friction and reactions */

bool bri_hold_settle(BriStep *step, const BriBodyState *bodies, BriAccelerate *accelerate, void *user) {
    BrWorkspace *w = step->ws;
    bool fine = true;
    double change = 0;
    bri_slide_start(step);
    bri_slide_place(step, bodies, false);
    for (int i = 0; i < MOST_STEPS; i++) {
        fine = accelerate(user);
        if (!step->model->grips) return fine;
        change = bri_slide_drag(step, &(BriSlideAt){&w->system.J, 1, false}, w->lambda);
        if (change <= SETTLED || !bri_has_budget(step->budget)) break;
    }
    for (int k = 0; k < step->model->grips; k++) {
        int row = step->model->joint[step->model->grip[k].joint].first_row;
        if (step->model->grip[k].driven) bri_hold_drive(step, k, bodies, w->system.J.b + 6 * row, w->lambda + row);
    }
    return fine && change <= NEARLY;
}

bool bri_hold_choose(BriStep *step, const BriBodyState *bodies, BriAccelerate *accelerate, void *user) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    bool fine = bri_hold_settle(step, bodies, accelerate, user);
    if (!m->grips) return fine;
    memset(w->rate, 0, (size_t)m->rows * sizeof(double)); /* slides go on: only what holds too much is asked */
    for (int round = 0; round < bri_most_rounds(m); round++) {
        BriSlideReview review = {w->lambda, w->rate, 1, 0, round >= BRI_CLAMP_ROUNDS, false, NULL};
        bool close, failed;
        if (!bri_slide_review(step, &review, &close, &failed)) return fine;
        fine = bri_hold_settle(step, bodies, accelerate, user);
    }
    return false;
}

/* ------------------------------------------------------------------ driven coordinates */

static int find_source(const BriJoint *j, int coordinate) {
    for (int d = 0; d < j->drives; d++)
        if (j->drive[d].coordinate == coordinate && j->drive[d].grip < 0) return d;
    return -1;
}

void bri_hold_drive(const BriStep *step, int k, const BriBodyState *bodies, const double *Jb, const double *lambda) {
    const BrModel *m = step->model;
    const BriGrip *g = &m->grip[k];
    const BriJoint *j = &m->joint[g->joint];
    BriGripWork *work = &step->ws->grip[k];
    double slip = work->slip[0], width = bri_grip_width(j), all[3] = {0}, given;
    double part = width > 0 ? bri_tanh(bri_abs(slip) / width) : bri_abs(slip) > BRI_SLIP;
    BriJointPose pose = bri_joint_pose(j, &bodies[j->a], &bodies[j->b], 0);
    BriHeld held = bri_grip_held(j, g, &pose, Jb, lambda, all);
    enum { PASSES = 20 }; /* friction along a guide has its part in what the guide carries */
    for (int i = 0; i < PASSES; i++) {
        double before = work->force[0];
        work->load =
            bri_grip_load(j, g, &held, work->force, bri_grip_slides(j, bri_abs(slip), &bri_state_grips(step->start)[k]),
                          j->def.friction.preload);
        work->force[0] = part * (slip > 0 ? work->load.lower : work->load.upper);
        if (bri_abs(work->force[0] - before) <= SETTLED * bri_abs(before)) break;
    }
    given = lambda[j->type->info.constraints + find_source(j, g->coordinate[0])] - g->length[0] * work->force[0];
    work->effort = given * slip > 0 ? given / j->def.friction.efficiency : given * j->def.friction.efficiency;
    if (part == 0) work->effort = given;
    work->wasted = bri_abs((work->effort - given) * slip / g->length[0]);
}

double bri_drive_effort(const BrModel *m, const BrWorkspace *w, int joint, int drive, double lambda) {
    for (int k = 0; k < m->grips; k++)
        if (m->grip[k].joint == joint && m->grip[k].driven &&
            m->grip[k].coordinate[0] == m->joint[joint].drive[drive].coordinate)
            return w->grip[k].effort;
    return lambda;
}

double bri_hold_power(const BriStep *step, int k) {
    const BriGrip *g = &step->model->grip[k];
    const BriGripWork *work = &step->ws->grip[k];
    double power = g->driven ? work->wasted : 0;
    for (int r = 0; r < g->rows && bri_grip_is_off(step, k); r++) power -= work->force[r] * work->slip[r];
    return power;
}

double bri_hold_heat(const BriStep *step, const BriBodyState *bodies, int k) {
    double work = 0;
    return bri_hold_power(step, k) + bri_viscous_power(step->model, bodies, k, &work);
}

/* ------------------------------------------------------------------ the end of a step */

void bri_note_joint_event(BriStep *step, BrEventKind kind, double time, int joint, double before, double after) {
    const BrModel *m = step->model;
    const BriJoint *j = &m->joint[joint];
    BrStepReport *report = step->report;
    if (report->events < BR_STEP_EVENTS)
        report->event[report->events] = (BrEvent){kind,   time,  br_model_body(m, j->a),   br_model_body(m, j->b),
                                                  before, after, br_model_joint(m, joint), BR_SWITCH_NONE};
    report->events++;
}

/* What a grip pushed with over the step, N s by rows; false: nothing is known of it. */
static void read_impulses(const BriStep *step, int k, double *impulse) {
    const BrModel *m = step->model;
    const BriGrip *g = &m->grip[k];
    const BriContacts *c = step->ws->contacts;
    memset(impulse, 0, 3 * sizeof *impulse);
    for (int r = 0; r < g->rows && !g->driven; r++) impulse[r] = step->ws->p_step[g->row[r]] / g->length[r];
    for (int i = 0; i < c->bounds && step->grip_rows; i++) {
        const BriJointBound *of = &m->bound[c->bound[i].bound];
        if (of->kind == BRI_BOUND_GRIP && of->grip == k) impulse[of->row] += c->bound[i].total / g->length[of->row];
    }
}

/* The means of one that is moved: its slip is that of both ends, its reactions are the means. */
static void accept_moved(BriStep *step, int k, const BriBodyState *bodies, double slip) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    const BriJoint *j = &m->joint[m->grip[k].joint];
    BriGripWork *work = &w->grip[k];
    double Ja[6 * BRI_JOINT_ROWS], Jb[6 * BRI_JOINT_ROWS], lambda[BRI_JOINT_ROWS];
    bri_system_joint_rows(m, w->trial, bodies, m->grip[k].joint, Ja, Jb);
    for (int r = 0; r < j->rows; r++) lambda[r] = w->p_step[j->first_row + r] / step->h;
    work->slip[0] = slip;
    bri_hold_drive(step, k, bodies, Jb, lambda);
    if (step->def->formulation == BR_FORMULATION_EVENT) return; /* which has integrated its heat */
    work->heat = step->h * bri_hold_power(step, k);
    step->contact_work += work->heat;
    step->contact_loss += work->heat;
}

/* By trapezoids, as the books have it; event has integrated it. */
static double find_viscous_heat(const BriStep *step, int k) {
    double work = 0;
    if (step->def->formulation == BR_FORMULATION_EVENT || !step->model->viscous) return 0;
    return 0.5 * step->h *
           (bri_viscous_power(step->model, bri_state_bodies(step->start), k, &work) +
            bri_viscous_power(step->model, bri_state_bodies(step->ws->trial), k, &work));
}

void bri_grips_accept(BriStep *step) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    bool event = step->def->formulation == BR_FORMULATION_EVENT;
    bool by_factor =
        !event && !step->grip_rows; /* event has integrated heat, rows of the contact problem have booked it */
    if (!step->slips_known) bri_slide_look_at_start(step, bri_state_bodies(step->start), true);
    bri_slide_look(step, bri_state_bodies(w->trial));
    for (int k = 0; k < m->grips; k++) {
        const BriGrip *g = &m->grip[k];
        BriGripWork *work = &w->grip[k];
        BriGripState *state = &bri_state_grips(w->trial)[k];
        double impulse[3], heat = 0;
        bool slips =
            bri_grip_size(g, work->slip) > 10 * step->velocity_tolerance; /* which a row that holds may leave */
        if (bri_grip_is_moved(step, g)) {
            accept_moved(step, k, bri_state_bodies(w->trial), 0.5 * (work->slip[0] + work->first[0]));
            memcpy(state->force, work->force, sizeof state->force);
        } else {
            read_impulses(step, k, impulse);
            for (int r = 0; r < g->rows; r++) {
                state->force[r] = impulse[r] / step->h;
                if (by_factor) heat -= 0.5 * impulse[r] * (work->first[r] + work->slip[r]);
            }
            work->heat += heat;
            step->contact_loss += heat;
        }
        state->heat += work->heat + find_viscous_heat(step, k);
        bool slid = bri_state_grips(step->start)[k].slides != 0;
        const BriBearingLaw *law = &bri_law_record(&m->joint[g->joint].def.friction.law)->bearing;
        if (law->settles)
            state->dwell = law->settles(&m->joint[g->joint].def.friction.law, slips ? bri_grip_size(g, work->slip) : 0,
                                        state->dwell, step->h);
        state->slides = g->driven || step->grip_rows ? slips : bri_grip_is_off(step, k);
        if (step->grip_rows) bri_grip_set(step, k, !slips ? BRI_FREE : work->slip[0] > 0 ? BRI_AT_LOWER : BRI_AT_UPPER);
        if (event || g->driven || slid == (state->slides != 0)) continue;
        bri_note_joint_event(step, slid ? BR_EVENT_STICK : BR_EVENT_SLIP, step->start->time + step->h, g->joint,
                             bri_grip_size(g, work->first), bri_grip_size(g, work->slip));
    }
    if (step->def->formulation == BR_FORMULATION_SMOOTH) bri_keep_factor(step);
}

/* ------------------------------------------------------------------ reading */

/* The first grip of a joint, and how many it has. */
static int find_grips(const BrModel *m, int joint, int *count) {
    int first = 0;
    while (first < m->grips && m->grip[first].joint != joint) first++;
    *count = 0;
    while (joint >= 0 && first + *count < m->grips && m->grip[first + *count].joint == joint) ++*count;
    return first;
}

int br_joint_grip_count(const BrModel *m, BrJointId id) {
    int count = 0;
    if (m) find_grips(m, bri_joint_number(m, id), &count);
    return count;
}

BrStatus br_joint_grip(const BrModel *m, const BrWorkspace *w, const BrState *state, BrJointId id, int number,
                       BrGrip *grip) {
    if (!m || !w || !state || !grip) return BR_INVALID_ARGUMENT;
    if (w->fingerprint != m->fingerprint || state->fingerprint != m->fingerprint) return BR_MISMATCH;
    int count, first = find_grips(m, bri_joint_number(m, id), &count);
    if (number < 0 || number >= count) return BR_INVALID_ID;
    if (!w->evaluated) return BR_WRONG_STAGE;
    const BriGrip *g = &m->grip[first + number];
    const BriGripWork *work = &w->grip[first + number];
    BriStep at = {.model = m, .ws = (BrWorkspace *)(uintptr_t)w, .start = state};
    double size = bri_grip_size(g, work->force), most = work->load.upper;
    if (g->rows == 1 && work->force[0] < 0) most = -work->load.lower;
    bool smooth = bri_grip_width(&m->joint[g->joint]) > 0;
    bool rests = !g->driven && bri_state_joints(w->trial)[g->joint].clamp[g->drive[0]] == BRI_RESTING;
    bool at_bound = bri_grip_is_off(&at, first + number) && !rests && !smooth && !g->driven;
    *grip = (BrGrip){.mode = BR_GRIP_HOLDS,
                     .normal = {work->load.normal[0], work->load.normal[1]},
                     .thrust = work->load.thrust,
                     .rows = g->rows,
                     .slip = bri_grip_size(g, work->slip),
                     .heat = bri_state_grips(state)[first + number].heat,
                     .dwell = bri_state_grips(state)[first + number].dwell};
    if (grip->slip > BRI_SLIP) grip->mode = BR_GRIP_SLIDES;
    grip->margin = at_bound || (g->driven && grip->mode == BR_GRIP_SLIDES && !smooth) ? 0 : bri_max(0, most - size);
    for (int r = 0; r < g->rows; r++) grip->effort[r] = g->length[r] * work->force[r];
    return BR_OK;
}
