/* smooth.c: motion without blows as a differential-algebraic system of index 3: joints hold where the step ends, and their
 * forces act over all of it.
 *
 *     v' = V + b h M^-1 (f + Jw x w) + M^-1 J^T p,    q' = q + h u,    u = b v' + (1 - b) U,    Phi(q', t + h) = 0 for p    (6.8)
 *
 * half-implicit: b = 1, V = v; forces and directions J where the step begins: order 1, and no force is asked twice.
 * bdf2: b = 2/3, V = (4 v - v_before)/3, U the mean velocity of the step before; forces and directions where the step
 * ends: order 2. u is that of a turn about a fixed axis, A' = A exp(h u): on rotations such increments need corrections
 * from order 3 on [Wieloch and Arnold 2021]. The first step is rattle's, of order 2 as well.
 *
 * Newton's matrix is that of the joints at the step's start, all the way. Velocities are put right at the end, so that
 * J(q') v' is what it should be too. A step that does not converge is made in 2, 4, 8, 16 parts, half-implicitly.
 *
 * Lasting contacts are rows too, while they are held (lasting.h): rigid ones close their gap, those with Hertz's compliance
 * have gap + (N/K)^(2/3) = 0 for N = p/(b h), whose slope stands in the factor (11.6). One that would pull is let go, one that
 * would overlap is held, and the step is made anew; both are told as events. Their friction (11.4) is that of the place and
 * the force where the step began.
 *
 * Grips that stick are rows as motors are; those that slide drag. Which do, and with how much, is found by velocities alone,
 * as timestepping does, with joints where the step ends. bdf2 then begins with half-implicit parts, which are as good for
 * one step. */
#include "dynamics/force.h"
#include "dynamics/kept_factor.h"
#include "dynamics/lasting.h"
#include "dynamics/motion.h"
#include "dynamics/servo.h"
#include "dynamics/slide.h"
#include "math/so3.h"
#include "step/held.h"
#include "step/schemes.h"

#include <string.h>

enum {
    MOST_ITERATIONS = 60, /* of Newton with one factor, as in rattle.c */
    MOST_PARTS = 16,
    FIRST_PARTS = 4 /* of a first step with grips: half-implicitly, a fourth of the error of one */
};

/* From one set of poses and velocities to another. */
typedef struct Rule {
    BriPart part;
    double b;
    bool implicit;                 /* forces and directions of the end */
    const BriBodyHistory *history; /* per body, if b < 1 */
    double *impulse;               /* per row: p */
} Rule;

/* V into `to`: what velocities are without this step's forces. */
static void start_velocities(const BriStep *step, const Rule *rule, BriBodyState *to) {
    const BrModel *m = step->model;
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        const BriBodyState *from = &rule->part.from[i];
        to[i].v = from->v, to[i].w = from->w;
        if (rule->b == 1) continue;
        const BriBodyHistory *h = &rule->history[i];
        to[i].v = bri_add_scaled(bri_scale(4. / 3, from->v), -1. / 3, h->v);
        to[i].w = bri_add_scaled(bri_scale(4. / 3, from->w), -1. / 3, h->w);
    }
}

/* u of every moving body into `mean`. */
static void find_means(const BriStep *step, const Rule *rule, const BriBodyState *to, BriBodyState *mean) {
    const BrModel *m = step->model;
    double b = rule->b;
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        mean[i].v = to[i].v, mean[i].w = to[i].w;
        if (b == 1) continue;
        mean[i].v = bri_add_scaled(bri_scale(b, to[i].v), 1 - b, rule->history[i].mean_v);
        mean[i].w = bri_add_scaled(bri_scale(b, to[i].w), 1 - b, rule->history[i].mean_w);
    }
}

/* Forces at `at`, with the friction of lasting contacts. */
static void find_forces(BriStep *step, const BriBodyState *at, double time) {
    bri_forces(step->model, step->start, at, time, step->ws->f);
    bri_lasting_forces(step->model, step->ws->trial, at, step->ws->f);
}

/* v' by p and the forces at `at`, then q': into part.to. Returns how far a body came from where it was there, m or rad. */
static double advance(BriStep *step, const Rule *rule, const BriJacobian *J, const BriBodyState *at) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    const BriPart *part = &rule->part;
    BriBodyState *to = part->to, *next = w->bodies;
    double way = 0;
    memcpy(next, to, (size_t)m->bodies * sizeof *next);
    start_velocities(step, rule, next);
    bri_apply_forces(step, w->f, rule->b * part->h, next);
    bri_apply_gyroscopic(m, at, rule->b * part->h, next);
    for (int k = 0; k < m->joints; k++) bri_system_push(m, J, k, rule->impulse, next);
    find_means(step, rule, next, w->free);
    bri_move(step, part->from, w->free, part->t, part->h, next);
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        way = bri_max(way, bri_norm(bri_sub(next[i].r, to[i].r)));
        way = bri_max(way, part->h * bri_norm(bri_sub(next[i].w, to[i].w)));
    }
    memcpy(to, next, (size_t)m->bodies * sizeof *to);
    return way;
}

/* Rates of one joint's rows at `bodies`, made there, into ws->rate; of a hinge whose grip holds that of its turn is enough. */
static void measure_rates(const BriStep *step, const BriBodyState *bodies, int joint) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    const BriJoint *j = &m->joint[joint];
    if (j->drives == 1 && j->drive[0].grip >= 0 && j->def.type == BR_JOINT_REVOLUTE) {
        w->rate[bri_drive_row(j, 0)] = bri_joint_turn_rate(j, &bodies[j->a], &bodies[j->b]);
        return;
    }
    double *Ja = w->system.C.a + 6 * j->first_row, *Jb = w->system.C.b + 6 * j->first_row;
    bri_system_joint_rows(m, w->trial, bodies, joint, Ja, Jb);
    bri_system_joint_rates(m, &w->system.C, bodies, joint, w->rate);
}

/* Phi at part.to, and b h times what rates are off by in rows without a position level: into ws->error, the rates of these
 * into ws->rate. Where directions are those of the end all rows are made there. */
static void measure(BriStep *step, const Rule *rule) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    const BriPart *part = &rule->part;
    bri_system_errors(m, w->trial, part->to, part->t + part->h, w->error);
    bri_held_add_depths(step, rule->b * part->h, rule->impulse, w->error);
    if (rule->implicit || m->motors) {
        bri_system_jacobian(m, w->trial, part->to, &w->system.C);
        bri_system_rates(m, &w->system.C, part->to, w->rate);
    }
    for (int k = 0; w->has_rate_rows && k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        bool known = rule->implicit || m->motors;
        for (int r = j->type->info.holonomic, row = j->first_row + r; r < j->rows; r++, row++) { /* behind the others */
            if (!w->is_rate_row[row] || !bri_row_is_active(step, k, r)) continue;
            if (!known) measure_rates(step, part->to, k);
            known = true;
            w->error[row] = rule->b * part->h * (w->rate[row] - w->target[row]);
        }
    }
    if (m->servos) bri_servo_measure(step, part->to, part->t + part->h, rule->b * part->h, rule->impulse);
}

/* Newton for p, the factor being there. Ends with part.to. */
static bool iterate(BriStep *step, const Rule *rule) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    const BriPart *part = &rule->part;
    const double STILL = 1e-10; /* of the way of the fastest body: where forces and directions are those of the end */
    double still = step->position_tolerance + STILL * part->h * (1e12 * step->velocity_tolerance), before = 0;
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        const BriBodyState *at = rule->implicit ? part->to : part->from;
        const BriJacobian *J = rule->implicit && k > 0 ? &w->system.C : &w->system.J;
        if (k == 0 || rule->implicit) find_forces(step, at, rule->implicit ? part->t + part->h : part->t);
        double way = advance(step, rule, J, at);
        measure(step, rule);
        double worst = bri_measure_rows(step, w->error, true) / step->position_tolerance;
        double enough =
            m->lastings ? 0.1 : 1; /* places on surfaces tell what is left, and one step more leaves nothing */
        bool closed = worst <= enough || (k > 3 && worst <= 10 && !(worst < before));
        if (closed && (!rule->implicit || way <= still)) return true;
        if (!(worst < 1e300)) return false;
        if (!bri_spend(step->budget, w->system.ldl.solve_work + 400. * m->moving + 300. * m->rows)) return false;
        before = worst;
        if (bri_held_soften(step, rule->b * part->h, rule->impulse)) bri_factor(step, part->from);
        for (int r = 0; r < m->rows; r++) w->error[r] *= -1 / (rule->b * part->h);
        bri_system_solve(m, &w->system, w->error);
        for (int r = 0; r < m->rows; r++) rule->impulse[r] += w->error[r];
        step->report->iterations++;
    }
    return false;
}

/* Which grips hold, and with what the others drag, over the rule's span: by velocities alone, with joints as they stand at
 * part.to, as in timestepping. There J(q') V is what ways bend by, so that reactions are those of the end. Impulses of all
 * rows into p. Velocities before are made with the forces that positions were found with, or those of the end. */
static bool solve_grips(BriStep *step, const Rule *rule, double *p) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    const BriBodyState *pose = rule->part.to, *at = rule->implicit ? pose : rule->part.from;
    double span = rule->b * rule->part.h;
    BriBodyState *bodies = w->impact_start;
    memcpy(bodies, pose, (size_t)m->bodies * sizeof *bodies);
    start_velocities(step, rule, bodies);
    if (rule->implicit) find_forces(step, at, rule->part.t + rule->part.h);
    bri_apply_forces(step, w->f, span, bodies);
    bri_apply_gyroscopic(m, at, span, bodies);
    bri_factor(step, pose);
    return bri_constrain_rates(step, &(BriRates){&w->system.J, &w->system.J, w->target, span, bodies, p, true, 0});
}

static void normalise(const BrModel *m, BriBodyState *bodies) {
    for (int n = 0; n < m->moving; n++) {
        BrMat3 *A = &bodies[m->moving_body[n]].A;
        *A = bri_rotation_normalise(A);
    }
}

/* Friction of grips that slide, into the part's impulses. */
static void take_friction(const BriStep *step, const Rule *rule, const double *friction) {
    const BrModel *m = step->model;
    for (int k = 0; k < m->grips; k++)
        for (int r = 0; r < m->grip[k].rows && !m->grip[k].driven && bri_grip_is_off(step, k); r++) {
            int row = m->grip[k].row[r];
            rule->impulse[row] = friction[row];
        }
}

/* Newton with motors within their bounds; friction, which stands in `friction` (NULL: there is none), as it is. */
static bool solve_positions(BriStep *step, const Rule *rule, const double *friction) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    const BriPart *part = &rule->part;
    bool converged = false, settled = false;
    bri_held_begin_soft(step, rule->b * part->h);
    for (int round = 0; !settled; round++) {
        if (m->grips && part->t == step->start->time)
            bri_resume_factor(step, part->from);
        else
            bri_factor(step, part->from);
        memcpy(part->to, part->from, (size_t)m->bodies * sizeof *part->to);
        if (rule->implicit) bri_move(step, part->from, part->from, part->t, part->h, part->to);
        memcpy(w->bodies, part->to, (size_t)m->bodies * sizeof *w->bodies);
        bri_apply_clamps(step, &w->system.J, rule->b * part->h, w->bodies, rule->impulse); /* impulses alone count */
        bri_held_guess(step, rule->b * part->h, rule->impulse);
        take_friction(step, rule, friction);
        converged = iterate(step, rule);
        bool one_only = round >= BRI_CLAMP_ROUNDS;
        settled =
            !m->motors || !bri_update_clamps(step, rule->impulse, w->rate, w->target, rule->b * part->h, one_only);
        if (round == bri_most_rounds(m) || !bri_has_budget(step->budget)) break;
    }
    normalise(m, part->to);
    return converged && settled;
}

/* N: a friction at the end of the part at hand. bdf2 knows it for the end of the last step, and its mean over that: what
 * changes little goes on like that. */
static double foresee(const BriStep *step, const Rule *rule, int grip, int r) {
    const double LITTLE = 0.1;
    const BriGrip *g = &step->model->grip[grip];
    const BriJoint *j = &step->model->joint[g->joint];
    double mean = step->ws->grip[grip].force[r];
    if (!rule->history) return mean;
    double half = bri_state_joints(step->start)[g->joint].second_half[bri_drive_row(j, g->drive[r]) - j->first_row];
    double end = 2 * half / (step->h * g->length[r]);
    return bri_abs(end - mean) <= LITTLE * bri_abs(end) ? end + 2 * (end - mean) : end;
}

/* Friction as it will be, going by what it was before: impulses over the rule's span. */
static void guess_friction(const BriStep *step, const Rule *rule, double *friction) {
    const BrModel *m = step->model;
    for (int k = 0; k < m->grips; k++) {
        const BriGrip *g = &m->grip[k];
        for (int r = 0; r < g->rows && !g->driven; r++)
            friction[g->row[r]] = rule->b * rule->part.h * g->length[r] * foresee(step, rule, k, r);
    }
}

/* The same with friction: positions with what it is foreseen to be, then who holds and what the others drag with where they
 * end. *push: that friction, with which velocities are still to be put right, the factor standing at the end; NULL: none. */
static bool solve(BriStep *step, const Rule *rule, const double **push) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    const BriPart *part = &rule->part;
    double *friction = w->cg + 2 * m->rows; /* before it: bri_constrain_rates()'s */
    *push = NULL;
    if (!m->grips) return solve_positions(step, rule, NULL);
    bri_slide_look_at_start(step, part->from, part->t == step->start->time);
    bri_slide_begin(step);
    guess_friction(step, rule, friction);
    if (!solve_positions(step, rule, friction)) return false;
    if (solve_grips(step, rule, friction)) {
        *push = friction;
        return true;
    }
    solve_positions(step, rule, friction); /* that is the best there is */
    return false;
}

/* What grips that slide, and motors at their bounds, push with more than so far. */
static void find_push(const BriStep *step, const Rule *rule, const double *found, double *push) {
    const BrModel *m = step->model;
    memset(push, 0, (size_t)m->rows * sizeof *push);
    for (int k = 0; k < m->joints; k++)
        for (int d = 0; d < m->joint[k].drives; d++) {
            int row = bri_drive_row(&m->joint[k], d);
            if (bri_state_joints(step->ws->trial)[k].clamp[d] != BRI_FREE) push[row] = found[row] - rule->impulse[row];
        }
}

/* Velocities by what rates are off by, ws->error, and `push` (NULL: nothing); impulses too. */
static void correct_rates(const BriStep *step, const Rule *rule, const double *push) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    int bodies = 6 * m->moving;
    double *x = w->system.x;
    memset(x, 0, (size_t)bodies * sizeof *x);
    memcpy(x + bodies, w->error, (size_t)m->rows * sizeof *x);
    if (push)
        bri_system_solve_pushed(m, &w->system, &w->system.J, push, true, x);
    else
        bri_system_solve_loads(m, &w->system, x);
    bri_system_add(m, x, rule->part.to);
    for (int r = 0; r < m->rows; r++) rule->impulse[r] -= x[bodies + r];
    for (int r = 0; push && r < m->rows; r++) rule->impulse[r] += push[r];
}

/* Velocities of part.to as joints want them there, with friction as it was found there (NULL: as it is); the factor is left
 * there too. */
static bool put_rates_right(BriStep *step, const Rule *rule, const double *friction) {
    enum { PASSES = 4 };
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    double worst = 0, *push = friction ? w->cg : NULL;
    if (friction)
        find_push(step, rule, friction, push);
    else
        bri_factor(step, rule->part.to);
    for (int pass = 0; pass < PASSES; pass++) {
        bri_system_rates(m, &w->system.J, rule->part.to, w->rate);
        for (int r = 0; r < m->rows; r++) w->error[r] = w->target[r] - w->rate[r];
        bri_held_leave_rates(step, rule->b == 1, w->error);
        for (int n = 0; m->servos && n < m->motors; n++) /* which are asked for no rate */
            if (w->servo[n].row >= 0) w->error[w->servo[n].row] = 0;
        if (!push) worst = bri_measure_rows(step, w->error, true) / step->velocity_tolerance;
        if (!push && (worst <= 1 || pass == PASSES - 1)) break;
        if (!bri_spend(step->budget, w->system.ldl.solve_work + 50. * m->rows)) return false;
        correct_rates(step, rule, push);
        push = NULL;
    }
    bri_note_rows(step, w->error, false);
    return worst <= 10;
}

static bool follow_held(BriStep *step, const Rule *rule) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    bri_system_targets(m, step->start, rule->part.t + rule->part.h, w->target);
    if (m->servos) {
        bri_servo_ask_end(step, rule->part.from, rule->history, rule->b, rule->part.t, rule->part.h);
        bri_servo_targets(step);
    }
    const double *friction;
    bool fine = solve(step, rule, &friction);
    bri_system_errors(m, w->trial, rule->part.to, rule->part.t + rule->part.h, w->error);
    bri_held_add_depths(step, rule->b * rule->part.h, rule->impulse, w->error);
    for (int r = 0; w->has_rate_rows && r < m->rows; r++)
        if (w->is_rate_row[r]) w->error[r] = 0;
    bri_note_rows(step, w->error, true);
    return put_rates_right(step, rule, friction) && fine;
}

/* With lasting contacts held or let go as their forces say; ends with what the next part has to know of them. */
static bool follow(BriStep *step, const Rule *rule) {
    const BrModel *m = step->model;
    const double span = rule->b * rule->part.h;
    if (!m->lastings) return follow_held(step, rule);
    BriReportMark mark = bri_report_mark(step);
    bool fine = follow_held(step, rule);
    bri_held_first_review(step);
    while (bri_held_review(step, span, rule->impulse, rule->part.to) && bri_has_budget(step->budget)) {
        bri_report_rewind(step, &mark);
        fine = follow_held(step, rule);
    }
    fine = fine && bri_held_is_settled(step, span, rule->impulse, rule->part.to);
    bri_held_follow(step, &rule->part, span, rule->impulse);
    return fine;
}

/* Half-implicitly, in equal parts; ws->p_step: the sum of their impulses. */
static bool step_in_parts(BriStep *step, int parts) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    BriBodyState *bodies = bri_state_bodies(w->trial);
    double h = step->h / parts;
    bool fine = true;
    memset(w->p_step, 0, (size_t)m->rows * sizeof *w->p_step);
    memcpy(bodies, bri_state_bodies(step->start), (size_t)m->bodies * sizeof *bodies);
    bri_held_begin(step);
    for (int k = 0; k < parts && fine; k++) {
        Rule rule = {.part = {w->part_start, bodies, step->start->time + k * h, h}, .b = 1, .impulse = w->p};
        memcpy(w->part_start, bodies, (size_t)m->bodies * sizeof *bodies);
        fine = follow(step, &rule);
        for (int r = 0; r < m->rows; r++) w->p_step[r] += w->p[r];
    }
    return fine;
}

/* Of tries that are thrown away only the iterations count. */
static BrStatus step_half_implicitly(BriStep *step, int parts, const BriReportMark *mark) {
    for (;; parts *= 2) {
        bri_report_rewind(step, mark);
        step->report->parts = parts > 1 ? parts : 0;
        if (step_in_parts(step, parts)) return BR_OK;
        if (parts == MOST_PARTS || !bri_has_budget(step->budget)) return BR_NOT_CONVERGED;
    }
}

/* ------------------------------------------------------------------ two steps behind */

/* What the next step has to know of this one. */
static void note_history(const BriStep *step) {
    const BrModel *m = step->model;
    const BriBodyState *start = bri_state_bodies(step->start), *end = bri_state_bodies(step->ws->trial);
    BriBodyHistory *history = bri_state_history(step->ws->trial);
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        BrMat3 turn = bri_mat_mul_t(&start[i].A, &end[i].A);
        history[i].mean_v = bri_scale(1 / step->h, bri_sub(end[i].r, start[i].r));
        history[i].mean_w = bri_scale(1 / step->h, bri_rotation_log(&turn));
        history[i].v = start[i].v, history[i].w = start[i].w;
    }
    step->ws->trial->history = step->h;
}

/* ws->p_step: from b h lambda at the end to what reactions add up to over the step, by trapezoids; the part of the end is
 * kept, as rattle keeps it. */
static void spread_impulses(const BriStep *step, double b) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        BriJointState *s = &bri_state_joints(w->trial)[k];
        for (int r = 0; r < j->rows; r++) {
            double *p = &w->p_step[j->first_row + r], half = 0.5 * *p / b;
            *p = s->second_half[r] + half;
            s->second_half[r] = half;
            s->lead[r] = 0;
        }
    }
}

/* The same after a step in parts, the last of which tells what acted at the end. */
static void keep_second_half(const BriStep *step) {
    const BrModel *m = step->model;
    for (int k = 0; k < m->joints; k++) {
        BriJointState *s = &bri_state_joints(step->ws->trial)[k];
        for (int r = 0; r < m->joint[k].rows; r++) {
            s->second_half[r] = 0.5 * step->report->parts * step->ws->p[m->joint[k].first_row + r];
            s->lead[r] = 0;
        }
    }
    step->report->parts = 0; /* it was no emergency */
}

/* Rattle knows neither servos, nor friction of grips and lasting contacts, nor compliance. */
static bool can_begin_by_rattle(const BrModel *m) {
    for (int k = 0; k < m->lastings; k++) {
        const BrJointDef *def = &m->joint[m->lasting[k].joint].def;
        if (def->stiffness > 0 || def->friction.law.info) return false;
    }
    return !m->grips && !m->servos;
}

/* A step of rattle's, of order 2 without a history; lasting contacts are held or let go as their forces say. */
static BrStatus step_by_rattle(BriStep *step, const BriReportMark *mark) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    BriPart part = {bri_state_bodies(step->start), bri_state_bodies(w->trial), step->start->time, step->h};
    if (!m->lastings) return bri_step_rattle(step);
    bri_held_begin(step);
    bri_held_first_review(step);
    BrStatus status;
    do {
        bri_report_rewind(step, mark);
        memcpy(bri_state_joints(w->trial), bri_state_joints(step->start), (size_t)m->joints * sizeof(BriJointState));
        status = bri_step_rattle(step);
    } while (status == BR_OK && bri_held_review(step, step->h, w->p_step, part.to) && bri_has_budget(step->budget));
    if (status == BR_OK && !bri_held_is_settled(step, step->h, w->p_step, part.to)) status = BR_NOT_CONVERGED;
    bri_held_follow(step, &part, step->h, w->p_step);
    return status;
}

static BrStatus step_bdf2(BriStep *step) {
    BrWorkspace *w = step->ws;
    BrStatus status;
    BriReportMark mark = bri_report_mark(step);
    bool by_rattle = can_begin_by_rattle(step->model), changed = false;
    if (step->start->history == step->h) {
        Rule rule = {.part = {bri_state_bodies(step->start), bri_state_bodies(w->trial), step->start->time, step->h},
                     .b = 2. / 3,
                     .implicit = true,
                     .history = bri_state_history(step->start),
                     .impulse = w->p_step};
        bri_held_begin(step);
        status = follow(step, &rule) ? BR_OK : BR_NOT_CONVERGED;
        changed = status == BR_OK && bri_held_has_changed(step);
        if (status == BR_OK && !changed) spread_impulses(step, rule.b);
        if (changed && by_rattle) status = step_by_rattle(step, &mark);
    } else if (!by_rattle) {
        status = step_half_implicitly(step, FIRST_PARTS, &mark);
        keep_second_half(step);
    } else {
        status = step_by_rattle(step, &mark);
    }
    if (status != BR_OK || (changed && !by_rattle)) return status < 0 ? status : step_half_implicitly(step, 2, &mark);
    if (!changed) note_history(step); /* the next step begins anew */
    return BR_OK;
}

static BrStatus step_euler(BriStep *step) {
    BriReportMark mark = bri_report_mark(step);
    return step_half_implicitly(step, 1, &mark);
}

BrStatus bri_step_smooth(BriStep *step) {
    BrStatus status = bri_held_check(step);
    if (status != BR_OK) return status;
    status = step->def->scheme == BR_SCHEME_BDF2 ? step_bdf2(step) : step_euler(step);
    return status < 0 ? status : bri_held_end(step, status);
}
