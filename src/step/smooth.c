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
 * Grips that stick are rows as motors are; those that slide drag with what the reactions at hand bear, renewed with every
 * one of Newton's steps (slide.h). bdf2 then begins with half-implicit parts, which are as good for one step. */
#include "dynamics/force.h"
#include "dynamics/motion.h"
#include "dynamics/slide.h"
#include "math/so3.h"
#include "step/schemes.h"

#include <string.h>

enum {
    MOST_ITERATIONS = 60, /* of Newton with one factor, as in rattle.c */
    MOST_PARTS = 16,
    TURNS = 20,     /* iterations in which friction follows the direction of a slip that it may stop */
    FIRST_PARTS = 4 /* of a first step with grips: half-implicitly, a fourth of the error of one */
};

/* Of a friction: changes below this do not count, in a scheme of order 1 and of order 2; a step of a thousandth of what
 * happens leaves as much in the one case, and a millionth in the other. Nor do those that move no body by more than
 * positions are known to. */
static const double SETTLED[2] = {1e-3, 1e-8};
/* Of a friction: that of the last step may be off by so much, being one of order 1. */
static const double LAG = 0.1;

/* From one set of poses and velocities to another. */
typedef struct Rule {
    BriPart part;
    double b;
    bool implicit;                 /* forces and directions of the end */
    const BriBodyHistory *history; /* per body, if b < 1 */
    double *impulse;               /* per row: p */
    bool settles;                  /* friction is found with its reactions, not taken from the step before */
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

/* Rates of one joint's rows at `bodies`, made there, into ws->rate. */
static void measure_rates(const BriStep *step, const BriBodyState *bodies, int joint) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    const BriJoint *j = &m->joint[joint];
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
    if (rule->implicit || m->motors) {
        bri_system_jacobian(m, w->trial, part->to, &w->system.C);
        bri_system_rates(m, &w->system.C, part->to, w->rate);
    }
    for (int k = 0; w->has_rate_rows && k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        bool known = rule->implicit || m->motors;
        for (int r = 0, row = j->first_row; r < j->rows; r++, row++) {
            if (!w->is_rate_row[row] || !bri_row_is_active(step, k, r)) continue;
            if (!known) measure_rates(step, part->to, k);
            known = true;
            w->error[row] = rule->b * part->h * (w->rate[row] - w->target[row]);
        }
    }
}

/* What friction would be by the reactions at hand, into ws->grip: how far it is from what it was taken for, as a part of
 * it. p stays. */
static double judge_friction(BriStep *step, const Rule *rule, const BriSlideAt *by) {
    double *p = step->ws->cg + 2 * step->model->rows;
    memcpy(p, rule->impulse, (size_t)step->model->rows * sizeof *p);
    bri_slide_start(step);
    return bri_slide_drag(step, by, p);
}

/* Newton for p, the factor being there. Ends with part.to. Friction of slides is renewed with p until it settles; forces of
 * the start being good enough for order 1, half-implicit takes those of the last step if they come out nearly so. */
static bool iterate(BriStep *step, const Rule *rule) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    const BriPart *part = &rule->part;
    const double STILL = 1e-10; /* of the way of the fastest body: where forces and directions are those of the end */
    double still = step->position_tolerance + STILL * part->h * (1e12 * step->velocity_tolerance), before = 0;
    bool renews = m->grips && rule->settles, judged = false;
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        const BriBodyState *at = rule->implicit ? part->to : part->from;
        const BriJacobian *J = rule->implicit && k > 0 ? &w->system.C : &w->system.J;
        const BriSlideAt by = {J, at, rule->b * part->h, w->cg};
        if (k == 0 || rule->implicit)
            bri_forces(m, step->start, at, rule->implicit ? part->t + part->h : part->t, w->f);
        double way = advance(step, rule, J, at);
        measure(step, rule);
        double worst = bri_measure_rows(step, w->error, true) / step->position_tolerance;
        bool closed = worst <= 1 || (k > 3 && worst <= 10 && !(worst < before));
        if (closed && !renews && (!rule->implicit || way <= still)) {
            if (!m->grips || rule->settles || judged) return true;
            double off = judge_friction(step, rule, &by);
            if (off <= LAG) return true;
            if (!(off < 1e300)) return false;
            renews = judged = true; /* from here on it settles */
            bri_slide_guess(step, by.span, rule->impulse);
            continue;
        }
        if (!(worst < 1e300)) return false;
        if (!bri_spend(step->budget, w->system.ldl.solve_work + 400. * m->moving + 300. * m->rows)) return false;
        before = worst;
        for (int r = 0; r < m->rows; r++) w->error[r] *= -1 / (rule->b * part->h);
        bri_system_solve(m, &w->system, w->error);
        for (int r = 0; r < m->rows; r++) rule->impulse[r] += w->error[r];
        step->report->iterations++;
        if (!renews) continue;
        if (rule->implicit && k < TURNS) bri_slide_see(step, w->rate);
        double change = bri_slide_drag(step, &by, rule->impulse);
        if (!(change < 1e300)) return false;
        renews = change > SETTLED[rule->settles] && part->h * bri_slide_speed(step) > step->position_tolerance;
    }
    return false;
}

/* How fast rows that hold positions would change their rates if nothing pushed, turned round; what bodies that are moved do
 * included: into c. */
static void find_bend(BriStep *step, const Rule *rule, double *c) {
    const BrModel *m = step->model;
    const BrWorkspace *w = step->ws;
    const BriBodyState *bodies = rule->part.from;
    bri_system_target_rates(m, step->start, rule->part.t, c);
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        const double *J[2] = {w->system.J.a + 6 * j->first_row, w->system.J.b + 6 * j->first_row};
        const int ends[2] = {j->a, j->b};
        double bias[BRI_JOINT_ROWS], a[6];
        BriJointPose pose = bri_joint_pose(j, &bodies[j->a], &bodies[j->b], bri_state_joints(w->trial)[k].angle);
        bri_joint_bias(j, &pose, bias);
        for (int r = 0; r < j->rows; r++) c[j->first_row + r] -= bias[r];
        for (int e = 0; e < 2; e++) {
            if (m->body[ends[e]].motion < 0) continue;
            bri_motion_acceleration(m, ends[e], rule->part.t, &bodies[ends[e]], a);
            for (int r = 0; r < j->rows; r++)
                for (int q = 0; q < 6; q++) c[j->first_row + r] -= J[e][6 * r + q] * a[q];
        }
    }
    for (int r = 0; r < m->rows; r++)
        if (w->is_rate_row[r]) c[r] = 0;
}

/* What grips see when a step begins: slips; and, of reactions, the part that will put rates right at its end, into ws->cg.
 * half-implicit: of what ways bend by half is met by positions, half by that,  (h/2) W^-1 (-J' v);               (10.8)
 * bdf2: it is O(h^2), and as it was in the step before. */
static void see_start(BriStep *step, const Rule *rule) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    bri_system_rates(m, &w->system.J, rule->part.from, w->rate);
    bri_slide_see(step, w->rate);
    for (int k = 0; k < m->grips; k++) w->grip[k].first = w->grip[k].slip[0];
    for (int k = 0; k < m->joints && rule->implicit; k++)
        memcpy(w->cg + m->joint[k].first_row, bri_state_joints(step->start)[k].lead,
               (size_t)m->joint[k].rows * sizeof *w->cg);
    if (rule->implicit) return;
    find_bend(step, rule, w->cg);
    bri_spend(step->budget, w->system.ldl.solve_work + 100. * m->rows);
    bri_system_solve(m, &w->system, w->cg);
    for (int r = 0; r < m->rows; r++) w->cg[r] *= 0.5 * rule->part.h;
}

/* Friction by the reactions of the step before, against the slips of this one's start. */
static void recall_friction(BriStep *step, const Rule *rule) {
    const BrModel *m = step->model;
    const BrWorkspace *w = step->ws;
    double *p = w->cg + 2 * m->rows, part = rule->part.h / step->start->dt;
    const BriSlideAt by = {&w->system.J, rule->part.from, rule->part.h, NULL};
    for (int k = 0; k < m->joints; k++)
        for (int r = 0; r < m->joint[k].rows; r++)
            p[m->joint[k].first_row + r] = part * bri_state_joints(step->start)[k].impulse[r];
    bri_slide_start(step);
    bri_slide_drag(step, &by, p);
}

/* Impulses to begin a solve with: those of clamped motors; and, if there was a round before and `go_on` says that it came
 * to an end, those it found for rows that hold now as then. */
static void start_impulses(BriStep *step, const Rule *rule, bool go_on) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    const BriPart *part = &rule->part;
    double *before = w->cg + 2 * m->rows;
    if (go_on) {
        memcpy(before, rule->impulse, (size_t)m->rows * sizeof *before);
    } else {
        memcpy(part->to, part->from, (size_t)m->bodies * sizeof *part->to);
        if (rule->implicit) bri_move(step, part->from, part->from, part->t, part->h, part->to);
    }
    memcpy(w->bodies, part->to, (size_t)m->bodies * sizeof *w->bodies);
    bri_apply_clamps(step, &w->system.J, rule->b * part->h, w->bodies, rule->impulse); /* impulses alone count */
    for (int k = 0; go_on && k < m->joints; k++)
        for (int r = 0, row = m->joint[k].first_row; r < m->joint[k].rows; r++, row++)
            if (bri_row_is_active(step, k, r)) rule->impulse[row] = before[row];
}

/* The same with motors and grips within their bounds. */
static bool solve(BriStep *step, const Rule *rule) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    const BriPart *part = &rule->part;
    bool converged = false;
    int jams = 0;
    if (m->grips) bri_slide_begin(step, part->from);
    for (int round = 0;; round++) {
        bri_factor(step, part->from);
        start_impulses(step, rule, converged && m->grips);
        if (m->grips) see_start(step, rule);
        if (m->grips && round == 0 && !rule->settles && step->start->dt > 0) recall_friction(step, rule);
        if (m->grips) bri_slide_guess(step, rule->b * part->h, rule->impulse);
        converged = iterate(step, rule);
        if (!m->motors && !m->grips) break;
        bool one_only = round >= BRI_CLAMP_ROUNDS, changed = bri_slide_has_jammed(step, &jams);
        if (!converged && !changed && bri_slide_bar(step)) continue;
        if (!converged && !changed && m->grips) return false; /* what did not settle tells nothing of modes */
        for (int k = 0; k < m->grips && !rule->implicit && !m->motors; k++)
            measure_rates(step, part->to, m->grip[k].joint);
        changed = bri_update_clamps(step, rule->impulse, w->rate, w->target, rule->b * part->h, one_only) || changed;
        changed = bri_slide_review(step, rule->impulse, w->rate, one_only) || changed;
        if (!changed) break;
        if (round == bri_most_rounds(m) || !bri_has_budget(step->budget)) return false;
    }
    return converged;
}

/* Velocities of part.to as joints want them there; the factor is left there too. Impulses of that alone: behind the rows
 * of ws->cg. */
static bool put_rates_right(BriStep *step, const Rule *rule) {
    enum { PASSES = 4 };
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    double worst = 0, *righted = w->cg + m->rows;
    memset(righted, 0, (size_t)m->rows * sizeof *righted);
    bri_factor(step, rule->part.to);
    for (int pass = 0; pass < PASSES; pass++) {
        bri_system_rates(m, &w->system.J, rule->part.to, w->rate);
        for (int r = 0; r < m->rows; r++) w->error[r] = w->target[r] - w->rate[r];
        worst = bri_measure_rows(step, w->error, true) / step->velocity_tolerance;
        if (worst <= 1 || pass == PASSES - 1) break;
        if (!bri_spend(step->budget, w->system.ldl.solve_work + 50. * m->rows)) return false;
        bri_system_solve(m, &w->system, w->error);
        bri_system_add(m, w->system.x, rule->part.to);
        for (int r = 0; r < m->rows; r++) rule->impulse[r] += w->error[r], righted[r] += w->error[r];
    }
    bri_note_rows(step, w->error, false);
    return worst <= 10;
}

static bool follow(BriStep *step, const Rule *rule) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    bri_system_targets(m, step->start, rule->part.t + rule->part.h, w->target);
    bool fine = solve(step, rule);
    bri_slide_end(step);
    for (int n = 0; n < m->moving; n++) {
        BrMat3 *A = &rule->part.to[m->moving_body[n]].A;
        *A = bri_rotation_normalise(A);
    }
    bri_system_errors(m, w->trial, rule->part.to, rule->part.t + rule->part.h, w->error);
    for (int r = 0; w->has_rate_rows && r < m->rows; r++)
        if (w->is_rate_row[r]) w->error[r] = 0;
    bri_note_rows(step, w->error, true);
    return put_rates_right(step, rule) && fine;
}

/* Half-implicitly, in equal parts; ws->p_step: the sum of their impulses. */
static bool step_in_parts(BriStep *step, int parts, bool settles) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    BriBodyState *bodies = bri_state_bodies(w->trial);
    double h = step->h / parts;
    bool fine = true;
    memset(w->p_step, 0, (size_t)m->rows * sizeof *w->p_step);
    memcpy(bodies, bri_state_bodies(step->start), (size_t)m->bodies * sizeof *bodies);
    for (int k = 0; k < parts && fine; k++) {
        Rule rule = {
            .part = {w->part_start, bodies, step->start->time + k * h, h}, .b = 1, .impulse = w->p, .settles = settles};
        memcpy(w->part_start, bodies, (size_t)m->bodies * sizeof *bodies);
        fine = follow(step, &rule);
        for (int r = 0; r < m->rows; r++) w->p_step[r] += w->p[r];
    }
    return fine;
}

/* Of tries that are thrown away only the iterations count. */
static BrStatus step_half_implicitly(BriStep *step, int parts, bool settles, const BriReportMark *mark) {
    for (;; parts *= 2) {
        bri_report_rewind(step, mark);
        step->report->parts = parts > 1 ? parts : 0;
        if (step_in_parts(step, parts, settles)) return BR_OK;
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
            s->lead[r] = m->grips ? w->cg[m->rows + j->first_row + r] : 0;
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

static BrStatus step_bdf2(BriStep *step) {
    BrWorkspace *w = step->ws;
    BrStatus status;
    BriReportMark mark = bri_report_mark(step);
    if (step->start->history == step->h) {
        Rule rule = {.part = {bri_state_bodies(step->start), bri_state_bodies(w->trial), step->start->time, step->h},
                     .b = 2. / 3,
                     .implicit = true,
                     .history = bri_state_history(step->start),
                     .impulse = w->p_step,
                     .settles = true};
        status = follow(step, &rule) ? BR_OK : BR_NOT_CONVERGED;
        if (status == BR_OK) spread_impulses(step, rule.b);
    } else if (step->model->grips) {
        status = step_half_implicitly(step, FIRST_PARTS, true, &mark);
        keep_second_half(step);
    } else {
        status = bri_step_rattle(step);
    }
    if (status != BR_OK) return status < 0 ? status : step_half_implicitly(step, 2, true, &mark);
    note_history(step);
    return BR_OK;
}

BrStatus bri_step_smooth(BriStep *step) {
    if (step->def->scheme == BR_SCHEME_BDF2) return step_bdf2(step);
    BriReportMark mark = bri_report_mark(step);
    return step_half_implicitly(step, 1, false, &mark);
}
