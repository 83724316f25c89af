/* step.c: one step as a whole: checked, made in the workspace, then taken or refused; and the energy books. */
#include "dynamics/force.h"
#include "dynamics/motion.h"
#include "step/overlap.h"
#include "step/schemes.h"

#include <string.h>

static const struct {
    const char *name;
    BrStatus (*run)(BriStep *step);
} SCHEMES[BR_SCHEMES] = {
    [BR_SCHEME_MOREAU] = {"moreau", bri_step_moreau},
    [BR_SCHEME_HEM2] = {"hem2", bri_step_hem2},
    [BR_SCHEME_RATTLE] = {"rattle", bri_step_rattle},
    [BR_SCHEME_EULER_PAPER] = {"euler-paper", bri_step_euler_paper},
    [BR_SCHEME_SEMI_IMPLICIT] = {"semi-implicit", bri_step_compliant},
    [BR_SCHEME_RK2] = {"rk2", bri_step_compliant},
    [BR_SCHEME_RK3] = {"rk3", bri_step_compliant},
    [BR_SCHEME_RK4] = {"rk4", bri_step_compliant},
    [BR_SCHEME_ADAPTIVE] = {"adaptive", bri_step_compliant},
    [BR_SCHEME_STIFF] = {"stiff", bri_step_compliant},
};

const char *br_scheme_name(BrScheme scheme) { return (unsigned)scheme < BR_SCHEMES ? SCHEMES[scheme].name : "unknown"; }

static const char *const FORMULATIONS[BR_FORMULATIONS] = {"timestepping", "event", "compliant"};
static const char *const SETS[BR_FRICTION_SETS] = {"cone", "box", "polygon"};
static const char *const EVENTS[] = {"touch", "impact", "stick", "slip", "separation"};

const char *br_formulation_name(BrFormulation f) { return (unsigned)f < BR_FORMULATIONS ? FORMULATIONS[f] : "unknown"; }
const char *br_friction_set_name(BrFrictionSet set) { return (unsigned)set < BR_FRICTION_SETS ? SETS[set] : "unknown"; }
const char *br_event_name(BrEventKind kind) { return (unsigned)kind < BRI_COUNT(EVENTS) ? EVENTS[kind] : "unknown"; }

void br_state_set_formulation(BrState *state, BrFormulation formulation) { state->formulation = formulation; }

BrStepDef br_default_step_def(void) {
    return (BrStepDef){.scheme = BR_SCHEME_RATTLE,
                       .dt = 1e-3,
                       .polygon_sides = 4,
                       .impact_speed = -1,
                       .substeps = 1,
                       .tolerance = 1e-10,
                       .most_work = 1e10,
                       .cookie = BRI_COOKIE};
}

BrScheme br_model_default_scheme(const BrModel *model, BrFormulation formulation) {
    if (formulation == BR_FORMULATION_COMPLIANT) return BR_SCHEME_RK4;
    return model->touches ? BR_SCHEME_HEM2 : BR_SCHEME_RATTLE;
}

/* ------------------------------------------------------------------ energy books */

static double sum_energy(const BrModel *m, const BrState *s) {
    return bri_kinetic_energy(m, bri_state_bodies(s)) + bri_gravity_energy(m, bri_state_bodies(s)) +
           bri_spring_energy(m, s);
}

/* Does this joint put energy in: is it driven, or attached to a body that is moved? */
static bool joint_does_work(const BrModel *m, const BriJoint *j) {
    return j->drives || m->body[j->a].motion >= 0 || m->body[j->b].motion >= 0;
}

/* What one joint puts in at one state: impulses of its drives times the velocities they push; those of rows that hold,
 * times the velocity of a body that is moved. Between bodies that move freely such rows do no work, and what a scheme
 * makes of them over a step is its error, not a source. */
static double joint_work(const BrModel *m, const BrState *s, int k, const double *p) {
    double Ja[36], Jb[36], sum = 0;
    const BriJoint *j = &m->joint[k];
    const BriBodyState *bodies = bri_state_bodies(s);
    bri_system_joint_rows(m, s, bodies, k, Ja, Jb);
    const double *J[2] = {Ja, Jb};
    int ends[2] = {j->a, j->b};
    int holding = j->rows - j->drives;
    for (int e = 0; e < 2; e++) {
        const BriBodyState *b = &bodies[ends[e]];
        double twist[6] = {b->v.x, b->v.y, b->v.z, b->w.x, b->w.y, b->w.z};
        bool pushed = m->body[ends[e]].node >= 0, moved = m->body[ends[e]].motion >= 0;
        for (int r = moved ? 0 : holding; r < (pushed ? j->rows : holding); r++)
            for (int c = 0; c < 6; c++) sum += (pushed ? 1 : -1) * p[r] * J[e][6 * r + c] * twist[c];
    }
    return sum;
}

double bri_joint_power(const BrModel *m, const BrState *state, int joint, const double *lambda) {
    const BriJoint *j = &m->joint[joint];
    return joint_does_work(m, j) ? joint_work(m, state, joint, lambda + j->first_row) : 0;
}

/* Trapezoids in time: what forces, motors and motions put in, what dampers took out (docs/theory, 6.6). */
static void keep_books(const BrModel *m, const BrState *start, BrState *end, double h, const double *p) {
    double work = start->work_power, loss = start->dissipation_power;
    if (start->powers_known == 0) bri_powers(m, start, &work, &loss);
    bri_powers(m, end, &end->work_power, &end->dissipation_power);
    end->powers_known = 1;
    end->work += 0.5 * h * (work + end->work_power);
    end->dissipated += 0.5 * h * (loss + end->dissipation_power);
    for (int k = 0; k < m->joints; k++)
        if (joint_does_work(m, &m->joint[k])) {
            const double *pk = p + m->joint[k].first_row;
            end->work += 0.5 * (joint_work(m, start, k, pk) + joint_work(m, end, k, pk));
        }
}

/* The books begin at this state. */
static void open_books(const BriStep *step) {
    BrState *end = step->ws->trial;
    end->books_open = 1;
    end->initial_energy = sum_energy(step->model, step->start) + step->start_contact_energy;
    end->work = end->dissipated = 0;
}

BrStatus br_state_energy(const BrModel *m, const BrState *s, BrEnergy *energy) {
    if (s->fingerprint != m->fingerprint) return BR_MISMATCH;
    const BriBodyState *bodies = bri_state_bodies(s);
    *energy = (BrEnergy){.kinetic = bri_kinetic_energy(m, bodies),
                         .potential = bri_gravity_energy(m, bodies),
                         .stored = bri_spring_energy(m, s) + s->contact_energy,
                         .work = s->work,
                         .dissipated = s->dissipated};
    if (s->books_open != 0)
        energy->defect = energy->kinetic + energy->potential + energy->stored + energy->dissipated - energy->work -
                         s->initial_energy;
    return BR_OK;
}

/* ------------------------------------------------------------------ the step */

static bool is_finite_body(const BriBodyState *b) {
    BrVec3 sum = bri_add(b->r, bri_add(b->v, b->w)); /* finite only if all its terms are; so are squares */
    for (int i = 0; i < 3; i++) sum = bri_add(sum, bri_vec(b->A.m[i][0], b->A.m[i][1], b->A.m[i][2]));
    return bri_is_finite(bri_dot(b->r, b->r) + bri_dot(b->v, b->v) + bri_dot(b->w, b->w) + bri_dot(sum, sum));
}

/* A joint open by more than a thousandth of the machine's size is no solution. */
static bool is_torn(const BriStep *step) {
    const BrModel *m = step->model;
    double size = 0;
    if (!m->joints) return false;
    for (int n = 0; n < m->moving; n++) size = bri_max(size, m->body[m->moving_body[n]].size);
    return !(step->report->position_residual <= 1e-3 * bri_min(1, size));
}

static BrStatus check_result(const BriStep *step, BrError *error) {
    const BrModel *m = step->model;
    for (int i = 0; i < m->bodies; i++)
        if (!bri_is_still(&m->body[i]) && !is_finite_body(&bri_state_bodies(step->ws->trial)[i]))
            return bri_fail(
                error, BR_DIVERGED,
                "the step at t = %.9g s was refused: body '%s' would leave the numbers; take a smaller step "
                "than %.3g s",
                step->start->time, m->body[i].def.name, step->h);
    if (is_torn(step))
        return bri_fail(
            error, BR_DIVERGED,
            "the step at t = %.9g s was refused: joint '%s' would be open by %.3g m; take a smaller step than "
            "%.3g s, or look for joints that contradict each other",
            step->start->time, bri_worst_joint_name(step), step->report->position_residual, step->h);
    return BR_OK;
}

/* Motors that rested in the last step are asked again in this one; those that are rows of the contact problem leave the
 * factor. */
static void wake_motors(const BriStep *step) {
    const BrModel *m = step->model;
    for (int k = 0; k < m->joints; k++)
        for (int d = 0; d < m->joint[k].drives; d++) {
            int motor = m->joint[k].drive[d].motor;
            double *clamp = &bri_state_joints(step->ws->trial)[k].clamp[d];
            if (motor >= 0 && bri_motor_is_row(step, motor))
                *clamp = BRI_RESTING;
            else if (*clamp == BRI_RESTING)
                *clamp = BRI_FREE;
        }
}

/* What the contact problem found for its motors. */
static void note_clamps(const BriStep *step) {
    const BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->bounds; k++) {
        const BriBoundRow *bound = &c->bound[k];
        if (bound->kind != BRI_BOUND_MOTOR) continue;
        BriClamp clamp = bound->p >= bound->upper ? BRI_AT_UPPER : bound->p <= bound->lower ? BRI_AT_LOWER : BRI_FREE;
        bri_state_joints(step->ws->trial)[bound->joint].clamp[step->model->bound[bound->bound].drive] = clamp;
    }
}

/* Everything as before the step. */
static void start_again(BriStep *step) {
    const BrModel *m = step->model;
    memcpy(step->ws->trial, step->start, step->start->size);
    step->ws->trial->rank_known = 1;
    for (int k = 0; k < m->joints; k++) bri_state_joints(step->ws->trial)[k].redundant = step->ws->redundant[k];
    wake_motors(step);
    bri_report_clear(step->report);
    step->worst = 0;
    step->contact_loss = step->contact_work = step->corrected = step->polygon_residual = 0;
}

/* Is the step too long for what it met: are joints torn open, or bodies inside each other? The paper's own scheme is
 * left as it is. */
static bool is_too_long(BriStep *step) {
    if (is_torn(step)) return true;
    if (step->def->scheme == BR_SCHEME_EULER_PAPER) return false;
    step->report->overlap = bri_overlap_made(step, bri_state_bodies(step->ws->trial));
    return step->report->overlap > 0;
}

/* Contacts that whirl a machine about faster than the step follows tear its joints open, or find bodies where no
 * condition was: shorter parts may not. */
static BrStatus divide_step(BriStep *step, BrStatus status) {
    enum { MOST_PARTS = 16 };
    bool is_long = true;
    for (int parts = 2; parts <= MOST_PARTS && is_long && bri_has_budget(step->budget); parts *= 2) {
        start_again(step);
        status = bri_step_in_parts(step, parts);
        if (status < 0) return status;
        step->report->parts = parts;
        is_long = is_too_long(step);
    }
    return is_long && status == BR_OK ? BR_NOT_CONVERGED : status;
}

/* The scheme, made again while it missed limits, and while rows that were taken for redundant turn out not to be. */
static BrStatus run_scheme(BriStep *step, BrScheme scheme) {
    enum { MOST_RUNS = 4, GUESSES = 3 };
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    BrStatus status = BR_OK;
    const BrState *known = step->start;
    int guesses = 0;
    if (m->bounds) memset(w->limit_call, 0, (size_t)m->bounds * sizeof *w->limit_call);
    step->motor_rows = m->touches && step->def->formulation == BR_FORMULATION_TIMESTEPPING;
    if (known->rank_known == 0) {
        memcpy(w->trial, known, known->size);
        bri_system_find_rank(m, &w->system, w->trial, bri_state_bodies(step->start));
        known = w->trial;
    }
    for (int k = 0; k < m->joints; k++) w->redundant[k] = (unsigned char)bri_state_joints(known)[k].redundant;
    for (int run = 0;; run++) {
        start_again(step);
        status = step->def->formulation == BR_FORMULATION_EVENT ? bri_step_event(step) : SCHEMES[scheme].run(step);
        if (status >= 0 && step->motor_rows && is_too_long(step)) status = divide_step(step, status);
        if (status < 0 || !bri_has_budget(step->budget)) return status;
        if (m->bounds && bri_limits_missed(step, guesses == GUESSES)) {
            guesses++, run--;
            continue;
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
    bri_spend(budget, 500. + 200. * step->model->bodies); /* looks at the caller once in every step */
    BrStatus status = budget->stopped ? BR_OK : run_scheme(step, step->def->scheme);
    if (budget->stopped)
        return bri_fail(step->error, BR_CANCELLED, "the step at t = %.9g s was stopped; the state is as before it",
                        step->start->time);
    if (bri_has_budget(budget)) return status;
    return bri_fail(step->error, BR_TOO_MUCH_WORK,
                    "the step at t = %.9g s was refused: it takes more than most_work = %.3g operations (%d contacts); "
                    "take a smaller step than %.3g s, or raise most_work%s",
                    step->start->time, budget->most, step->ws->contacts ? step->ws->contacts->count : 0, step->h,
                    step->def->formulation == BR_FORMULATION_TIMESTEPPING ? "" : ", or use timestepping");
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
    bri_update_angles(m, end, step->h);
    if (step->motor_rows) note_clamps(step);
    for (int n = 0; n < m->motors; n++) bri_state_motor_inputs(end)[n].is_new = 0;
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        BriJointState *s = &bri_state_joints(end)[k];
        memcpy(s->impulse, step->ws->p_step + j->first_row, (size_t)j->rows * sizeof(double));
        for (int d = 0; d < j->drives; d++)
            step->report->clamped_motors += s->clamp[d] == BRI_AT_LOWER || s->clamp[d] == BRI_AT_UPPER;
    }
}

BrStatus br_step(const BrModel *m, BrWorkspace *w, BrState *state, const BrStepDef *def, BrStepReport *report,
                 BrError *error) {
    if (!report) report = &w->report;
    bri_report_clear(report);
    if (def->cookie != BRI_COOKIE)
        return bri_fail(error, BR_INVALID_DEF, "the step definition must start from br_default_step_def()");
    if (state->fingerprint != m->fingerprint || w->fingerprint != m->fingerprint)
        return bri_fail(error, BR_MISMATCH, "the state or the workspace belongs to another model");
    if (!(def->dt > 0 && bri_is_finite(def->dt)))
        return bri_fail(error, BR_INVALID_ARGUMENT, "dt is %.9g s; it must be positive", def->dt);
    if (!(def->most_work > 0))
        return bri_fail(error, BR_INVALID_ARGUMENT, "most_work is %.9g operations; it must be positive",
                        def->most_work);
    if ((unsigned)def->scheme >= BR_SCHEMES)
        return bri_fail(error, BR_INVALID_ARGUMENT, "%d is no scheme", (int)def->scheme);

    for (int i = 0; i < m->bodies; i++) BRI_VALIDATE(bri_rotation_error(&bri_state_bodies(state)[i].A) < 1e-6);
    BrStatus unfit = br_step_fits(m, def, error);
    if (unfit != BR_OK) return unfit;
    BriBudget budget = {.most = def->most_work, .next_look = 0, .stop = def->stop, .user = def->stop_user};
    BriStep step = {.model = m,
                    .ws = w,
                    .start = state,
                    .def = def,
                    .error = error,
                    .budget = &budget,
                    .h = def->dt,
                    .report = report};
    w->system.factorizations = 0;
    w->evaluated = false;
    bri_step_set_tolerances(&step);
    step.contact_tolerance = step.velocity_tolerance;
    BrStatus status = run_bounded(&step);
    BrStepDef plain = *def;
    bool gives_up = status == BR_TOO_MUCH_WORK || status == BR_UNSUPPORTED || status == BR_DIVERGED;
    if (gives_up && def->fall_back && def->formulation != BR_FORMULATION_TIMESTEPPING) {
        plain.formulation = BR_FORMULATION_TIMESTEPPING;
        plain.scheme = br_model_default_scheme(m, plain.formulation);
        def = step.def = &plain;
        budget.spent = budget.next_look = 0;
        status = run_bounded(&step);
        report->fell_back = true;
    }
    if (status < 0) {
        bri_report_clear(report);
        report->work = budget.spent;
        return status;
    }
    report->work = budget.spent;
    step.report->position_tolerance = step.position_tolerance;
    step.report->velocity_tolerance = step.velocity_tolerance;
    step.report->factorizations = w->system.factorizations;
    step.report->dropped_rows = w->system.dependent_rows;
    BrStatus refusal = check_result(&step, error);
    if (refusal == BR_OK) {
        advance_clock(state, w->trial, def->dt);
        accept_joints(&step);
        if (state->books_open == 0) open_books(&step);
        bool smooth = def->formulation != BR_FORMULATION_TIMESTEPPING; /* these integrate powers themselves */
        if (smooth) w->trial->powers_known = 0;
        w->trial->formulation = def->formulation;
        if (!smooth && (m->keeps_energy_books || state->loaded != 0))
            keep_books(m, state, w->trial, def->dt, w->p_step);
        w->trial->initial_energy += report->corrected = step.corrected;
        w->trial->work += step.contact_work;
        w->trial->dissipated += step.contact_loss;
        memcpy(state, w->trial, state->size);
    }
    return refusal == BR_OK ? status : refusal;
}
