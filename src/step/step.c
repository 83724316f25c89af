/* step.c: one step as a whole: checked, made in the workspace, then taken or refused. */
#include "contact/units.h"
#include "dynamics/lasting.h"
#include "dynamics/servo.h"
#include "step/hold.h"
#include "step/hybrid.h"
#include "step/overlap.h"
#include "step/schemes.h"

#include <string.h>

static bool is_finite_body(const BriBodyState *b) {
    BrVec3 sum = bri_add(b->r, bri_add(b->v, b->w)); /* finite only if all its terms are; so are squares */
    for (int i = 0; i < 3; i++) sum = bri_add(sum, bri_vec(b->A.m[i][0], b->A.m[i][1], b->A.m[i][2]));
    return bri_is_finite(bri_dot(b->r, b->r) + bri_dot(b->v, b->v) + bri_dot(b->w, b->w) + bri_dot(sum, sum));
}

static double find_largest(BrVec3 v) { return bri_max(bri_abs(v.x), bri_max(bri_abs(v.y), bri_abs(v.z))); }

/* A joint open by more than a thousandth of the machine's size is no solution. */
static bool is_torn(const BriStep *step) {
    const BrModel *m = step->model;
    double size = 0;
    if (!m->joints) return false;
    for (int n = 0; n < m->moving; n++) size = bri_max(size, m->body[m->moving_body[n]].size);
    const double TORN = 1e-3;
    return !(step->report->position_residual <= TORN * bri_min(1, size));
}

static const double WARPED = 1e-6; /* of a rotation's entries: what no rounding makes */

/* Where the numbers end: at this body, or before the step at another one, and then no smaller step helps. */
static BrStatus refuse_body(const BriStep *step, int body, BrError *error) {
    const BrModel *m = step->model;
    for (int i = 0; i < m->bodies; i++) {
        const BriBodyState *start = &bri_state_bodies(step->start)[i];
        if (!is_finite_body(start))
            return bri_fail(error, BR_DIVERGED,
                            "the step at t = %.9g s was refused: body '%s' begins it too far away or too fast "
                            "(%.3g m, %.3g m/s, %.3g rad/s), squares of that are no numbers; bring it nearer, or slow "
                            "it down",
                            step->start->time, m->body_def[i].name, find_largest(start->r), find_largest(start->v),
                            find_largest(start->w));
    }
    return bri_fail(error, BR_DIVERGED,
                    "the step at t = %.9g s was refused: body '%s' would leave the numbers; take a smaller step than "
                    "%.3g s",
                    step->start->time, m->body_def[body].name, step->h);
}

static BrStatus check_result(const BriStep *step, BrError *error) {
    const BrModel *m = step->model;
    int warped = -1;
    for (int i = 0; i < m->bodies; i++) {
        const BriBodyState *body = &bri_state_bodies(step->ws->trial)[i];
        if (bri_sleeps(step, i) || bri_is_still(&m->body[i])) continue;
        if (!is_finite_body(body)) return refuse_body(step, i, error);
        if (warped < 0 && !(bri_rotation_error(&body->A) < WARPED)) warped = i;
    }
    if (warped >= 0)
        return bri_fail(error, BR_DIVERGED,
                        "the step at t = %.9g s was refused: body '%s' turns too far within it; take a smaller step "
                        "than %.3g s",
                        step->start->time, m->body_def[warped].name, step->h);
    if (is_torn(step))
        return bri_fail(
            error, BR_DIVERGED,
            "the step at t = %.9g s was refused: joint '%s' would be open by %.3g m; take a smaller step than "
            "%.3g s, or look for joints that contradict each other",
            step->start->time, bri_worst_joint_name(step), step->report->position_residual, step->h);
    return BR_OK;
}

/* Motors and grips that rested in the last step are asked again in this one; those that are rows of the contact problem
 * leave the factor. */
static void wake_drives(const BriStep *step) {
    const BrModel *m = step->model;
    bool asks =
        step->def->formulation == BR_FORMULATION_TIMESTEPPING || step->def->formulation == BR_FORMULATION_SMOOTH;
    for (int k = 0; k < m->joints; k++)
        for (int d = 0; d < m->joint[k].drives; d++) {
            const BriDrive *drive = &m->joint[k].drive[d];
            double *clamp = &bri_state_joints(step->ws->trial)[k].clamp[d];
            bool grips = drive->grip >= 0;
            bool pulls = bri_is_servo(m, drive->motor) && !asks; /* as a force */
            if (grips ? step->grip_rows : drive->motor >= 0 && (pulls || bri_motor_is_row(step, drive->motor)))
                *clamp = BRI_RESTING;
            else if (grips && bri_grip_width(&m->joint[k]) > 0)
                *clamp = BRI_AT_UPPER; /* which never holds */
            else if (*clamp == BRI_RESTING || *clamp == BRI_PUSHING)
                *clamp = BRI_FREE;
        }
}

/* Grips begin with the friction of the last step. */
static void wake_grips(const BriStep *step) {
    BriGripWork *work = step->ws->grip;
    memset(work, 0, (size_t)step->model->grips * sizeof *work);
    for (int k = 0; k < step->model->grips; k++)
        memcpy(work[k].force, bri_state_grips(step->start)[k].force, sizeof work[k].force);
}

/* What the contact problem found for its motors. */
static void note_clamps(const BriStep *step) {
    const BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->bounds; k++) {
        const BriBoundRow *bound = &c->bound[k];
        if (bound->kind != BRI_BOUND_MOTOR) continue;
        double *clamp = &bri_state_joints(step->ws->trial)[bound->joint].clamp[step->model->bound[bound->bound].drive];
        if (*clamp == BRI_PUSHING) continue;
        *clamp = bound->p >= bound->upper ? BRI_AT_UPPER : bound->p <= bound->lower ? BRI_AT_LOWER : BRI_FREE;
    }
}

/* Everything as before the step. */
static void start_again(BriStep *step) {
    const BrModel *m = step->model;
    bri_state_begin(step->ws->trial, step->start);
    step->ws->trial->rank_known = 1;
    for (int k = 0; k < m->joints; k++) bri_state_joints(step->ws->trial)[k].redundant = step->ws->redundant[k];
    wake_drives(step);
    wake_grips(step);
    if (step->def->formulation != BR_FORMULATION_SMOOTH) bri_lasting_forget(m, step->ws->trial);
    bri_report_clear(step->report);
    step->worst = step->counted = 0;
    step->contact_loss = step->contact_work = step->corrected = step->polygon_times = 0;
    step->ws->contacts->gone_count = 0;
    step->keeps_bounds = step->slips_known = false;
}

/* Is the step too long for what it met: are joints torn open, or bodies inside each other? The paper's own scheme is
 * left as it is. */
static bool is_too_long(BriStep *step) {
    if (is_torn(step)) return true;
    if (step->def->scheme == BR_SCHEME_EULER_PAPER) return false;
    BriOverlap overlap = bri_find_overlap(step, bri_state_bodies(step->ws->trial));
    step->report->overlap = overlap.left;
    return overlap.made > 0;
}

/* The step, or a part of it, `times` more, each at `rest` operations besides its contacts': may it be? It is what contacts
 * may cost that has to do, since they are why; so it counts as theirs. */
static bool may_repeat(BriStep *step, double rest, int times) {
    if (!(step->solving_work + times * rest < step->def->contact_work)) return false;
    step->solving_work += times * rest;
    return bri_has_budget(step->budget);
}

/* Contacts that whirl a machine about faster than the step follows tear its joints open, or find bodies where no
 * condition was: shorter parts may not. */
static BrStatus divide_step(BriStep *step, double rest, BrStatus status) {
    enum { MOST_PARTS = 16 }; /* 2, 4, 8, 16: thirty times the work of a step at worst */
    bool is_long = true;
    for (int parts = 2; parts <= MOST_PARTS && is_long && may_repeat(step, rest, parts); parts *= 2) {
        start_again(step);
        status = bri_step_in_parts(step, parts);
        if (status < 0) return status;
        step->report->parts = parts;
        is_long = is_too_long(step);
    }
    return is_long && status == BR_OK ? BR_NOT_CONVERGED : status;
}

/* The step as its formulation makes it, again while it missed limits, and while rows that were taken for redundant turn
 * out not to be. */
static BrStatus run_formulation(BriStep *step) {
    enum { MOST_RUNS = 4, GUESSES = 3 }; /* with rows taken back; with limits missed, before all are asked */
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    BrStatus status = BR_OK;
    const BrState *known = step->start;
    int guesses = 0;
    if (m->bounds) memset(w->limit_call, 0, (size_t)m->bounds * sizeof *w->limit_call);
    step->motor_rows = m->touches && step->def->formulation == BR_FORMULATION_TIMESTEPPING;
    step->grip_rows = false; /* until something touches */
    if (known->rank_known == 0) {
        bri_state_assign(w->trial, known);
        bri_system_find_rank(m, &w->system, w->trial, bri_state_bodies(step->start));
        known = w->trial;
    }
    for (int k = 0; k < m->joints; k++) w->redundant[k] = (unsigned char)bri_state_joints(known)[k].redundant;
    for (int run = 0;; run++) {
        double before = step->budget->spent - step->solving_work;
        start_again(step);
        status = bri_formulation(step->def->formulation)->step(step);
        double rest = step->budget->spent - step->solving_work - before; /* that was not for contacts */
        if (status >= 0 && step->motor_rows && is_too_long(step)) status = divide_step(step, rest, status);
        if (step->woke_late && bri_has_budget(step->budget)) { /* who was met on the way is awake from the start */
            step->woke_late = false;
            run--;
            continue;
        }
        if (status < 0 || !bri_has_budget(step->budget)) return status;
        if (m->touches && step->def->formulation == BR_FORMULATION_EVENT)
            step->report->overlap = bri_find_overlap(step, bri_state_bodies(w->trial)).left;
        if (status == BR_OK && step->report->overlap > 0) status = BR_NOT_CONVERGED;
        if (m->bounds && bri_limits_missed(step, guesses == GUESSES)) {
            if (may_repeat(step, rest, 1)) {
                guesses++, run--;
                continue;
            }
            status = BR_NOT_CONVERGED; /* the next step finds them passed, and takes them back */
        }
        if (w->system.dependent_rows == 0 ||
            !bri_take_back_rows(step, step->start->time + step->h, bri_state_bodies(w->trial), w->redundant))
            break;
        if (run == MOST_RUNS - 1) {
            status = BR_NOT_CONVERGED;
            break;
        }
    }
    /* rows that were left out count too: open by this much they are not what they were taken for */
    bool open = !(step->report->position_residual <= 1e5 * step->position_tolerance) ||
                !(step->report->velocity_residual <= 1e6 * step->velocity_tolerance);
    return open && status == BR_OK ? BR_NOT_CONVERGED : status;
}

/* The same within its work, or refused. */
static BrStatus run_bounded(BriStep *step) {
    BriBudget *budget = step->budget;
    BriSleepers sleep = bri_sleepers(step);
    bri_spend(budget, 500. + 200. * (step->model->bodies - sleep.bodies) + 20. * sleep.bodies +
                          10. * sleep.contacts); /* looks at the caller once in every step */
    BrStatus status = budget->stopped ? BR_OK : run_formulation(step);
    if (budget->stopped)
        return bri_fail(step->error, BR_CANCELLED, "the step at t = %.9g s was stopped; the state is as before it",
                        step->start->time);
    if (bri_has_budget(budget)) return status;
    return bri_fail(step->error, BR_TOO_MUCH_WORK,
                    "the step at t = %.9g s was refused: it takes more than most_work = %.3g operations (%d contacts); "
                    "take a smaller step than %.3g s, or raise most_work%s",
                    step->start->time, budget->most, step->ws->contacts->count, step->h,
                    step->def->formulation == BR_FORMULATION_TIMESTEPPING
                        ? ""
                        : ", or let timestepping make such steps (fallback)");
}

static void advance_clock(const BrState *start, BrState *end, double h) {
    end->steps = start->steps + 1;
    if (start->dt != h) {
        end->dt = h;
        end->anchor_time = start->time;
        end->anchor_steps = (double)start->steps;
    }
    end->time = end->anchor_time + ((double)end->steps - end->anchor_steps) * h;
}

static void accept_joints(BriStep *step) {
    const BrModel *m = step->model;
    BrState *end = step->ws->trial;
    if (m->joints == 0) return;
    bri_count_turns(step, step->h);
    if (step->motor_rows) note_clamps(step);
    for (int n = 0; n < m->motors; n++) bri_state_motor_inputs(end)[n].is_new = 0;
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        BriJointState *s = &bri_state_joints(end)[k];
        memcpy(s->impulse, step->ws->p_step + j->first_row, (size_t)j->rows * sizeof(double));
        for (int d = 0; d < j->drives; d++)
            step->report->clamped_motors +=
                j->drive[d].motor >= 0 && (s->clamp[d] == BRI_AT_LOWER || s->clamp[d] == BRI_AT_UPPER);
    }
    if (m->grips) bri_grips_accept(step);
}

static BrStatus check_call(const BrModel *m, const BrWorkspace *w, const BrState *state, const BrStepDef *def,
                           BrError *error) {
    BrStatus unfit = bri_check_def(def, sizeof *def, "br_default_step_def", error); /* before it is read */
    if (unfit != BR_OK) return unfit;
    if (state->fingerprint != m->fingerprint || w->fingerprint != m->fingerprint)
        return bri_fail(error, BR_MISMATCH, "the state or the workspace belongs to another model");
    if (!(def->dt > 0 && bri_is_finite(def->dt)))
        return bri_fail(error, BR_INVALID_ARGUMENT, "dt is %.9g s; it must be positive", def->dt);
    if (!(def->most_work > 0))
        return bri_fail(error, BR_INVALID_ARGUMENT, "most_work is %.9g operations; it must be positive",
                        def->most_work);
    if (!(def->contact_tolerance >= 1e-15 && def->contact_tolerance <= 0.1))
        return bri_fail(error, BR_INVALID_ARGUMENT, "contact_tolerance is %.9g; allowed is 1e-15 to 0.1",
                        def->contact_tolerance);
    if (!(def->contact_work > 0))
        return bri_fail(error, BR_INVALID_ARGUMENT, "contact_work is %.9g operations; it must be positive",
                        def->contact_work);
    if ((unsigned)def->scheme >= BR_SCHEMES)
        return bri_fail(error, BR_INVALID_ARGUMENT, "%d is no scheme", (int)def->scheme);
    for (int i = 0; i < m->bodies; i++) BRI_VALIDATE(bri_rotation_error(&bri_state_bodies(state)[i].A) < WARPED);
    return br_step_fits(m, def, error);
}

/* A step that its formulation gives up, made by timestepping where the caller said so; `plain` is its definition. */
static BrStatus run_or_fall_back(BriStep *step, BrStepDef *plain) {
    BrStatus status = run_bounded(step);
    bool gives_up = status == BR_TOO_MUCH_WORK || status == BR_UNSUPPORTED || status == BR_DIVERGED;
    if (!gives_up || !step->def->fall_back || step->def->formulation == BR_FORMULATION_TIMESTEPPING) return status;
    *plain = *step->def;
    plain->formulation = BR_FORMULATION_TIMESTEPPING;
    plain->scheme = br_model_default_scheme(step->model, plain->formulation);
    step->def = plain;
    step->budget->spent = step->budget->next_look = 0;
    status = run_bounded(step);
    step->report->fell_back = true;
    return status;
}

static void fill_report(const BriStep *step) {
    BrStepReport *report = step->report;
    report->work = step->budget->spent;
    report->corrected = step->corrected;
    report->position_tolerance = step->position_tolerance;
    report->velocity_tolerance = step->velocity_tolerance;
    report->factorizations = step->ws->system.factorizations;
    report->dropped_rows = step->ws->system.dependent_rows;
}

BrStatus br_step(const BrModel *m, BrWorkspace *w, BrState *state, const BrStepDef *def, BrStepReport *report,
                 BrError *error) {
    BRI_NEED(m && w && state, "model, workspace and state", error);
    if (!report) report = &w->report;
    bri_report_clear(report);
    BrStatus status = check_call(m, w, state, def, error);
    if (status != BR_OK) return status;
    BriBudget budget = {.most = def->most_work, .stop = def->stop, .user = def->stop_user};
    BriStep step = {.model = m,
                    .ws = w,
                    .start = state,
                    .def = def,
                    .error = error,
                    .budget = &budget,
                    .h = def->dt,
                    .report = report};
    BrStepDef plain;
    bool hybrid = def->formulation == BR_FORMULATION_HYBRID;
    BriHybridPlan plan;
    if (hybrid) {
        bri_hybrid_plan(m, w, state, def, &plan);
        step.def = &plan.def;
        step.parting = plan.parting, step.partings = plan.partings;
    }
    w->system.factorizations = 0;
    w->evaluated = false;
    bri_step_set_tolerances(&step);
    bri_sleep_begin(&step);
    status = run_or_fall_back(&step, &plain);
    if (status < 0) {
        bri_report_clear(report);
        report->work = budget.spent;
        return status;
    }
    fill_report(&step);
    BrStatus refusal = check_result(&step, error);
    if (refusal != BR_OK) return refusal;
    advance_clock(state, w->trial, def->dt);
    accept_joints(&step);
    if (def->sleeping) bri_sleep_end(&step, status == BR_OK);
    bri_books_keep(&step);
    if (step.def->formulation == BR_FORMULATION_TIMESTEPPING && m->touches) {
        report->energy_made = bri_rigid_energy_made(&step);
        if (status == BR_OK && report->energy_made > 0) status = BR_NOT_CONVERGED;
    }
    if (status == BR_OK && report->jammed.index1) status = BR_NOT_CONVERGED;
    w->trial->formulation = step.def->formulation;
    bri_state_take(state, w->trial);
    if (hybrid) {
        bri_hybrid_tell(report, &plan);
        bri_hybrid_switch(m, w, state, def, report);
    }
    return status;
}
