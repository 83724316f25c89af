/* rattle.c: order 2 and symmetric in time, for scenes without contact:
 *     v1 = v + h/2 M^-1 f(q, v1) + M^-1 J(q)^T a,      (q', v1') = free flight of (q, v1) over h
 *     Phi(q', t + h) = 0  for a,  by Newton with the factor at q                                              (6.3)
 *     v' = v1' + h/2 M^-1 f(q', v1') + M^-1 J(q')^T b,      J(q') v' = target(t + h)  for b                   (6.4)
 * Free flight: straight lines, and the symmetric splitting of Euler's equations (so3.c).
 * Rows without a position level ask for  (J(q) v1 + J(q') v1')/2 = mean target  in place of Phi = 0, which keeps the
 * symmetry. The factor at q' is the next step's factor at q. Newton starts from the last step's b plus the last a - b:
 * by the symmetry a_n and b_n-1 are both h/2 lambda_n and differ in even powers of h, so this is right to O(h^3). */
#include "dynamics/force.h"
#include "dynamics/motion.h"
#include "step/schemes.h"

#include <string.h>

enum {
    MOST_ITERATIONS = 60, /* of Newton with one factor: contracts by O(h) */
    FORCE_PASSES = 2      /* forces that know the velocity: two are order 2 */
};

/* Where free flight with the velocities of `from` leads in h; velocities turn with the bodies. */
static void fly(const BrModel *m, const BriBodyState *from, double time, double h, BriBodyState *to) {
    for (int i = 0; i < m->bodies; i++) {
        if (m->body[i].node < 0) {
            bri_motion_advance(m, i, time, h, &from[i], &to[i]);
            continue;
        }
        to[i] = from[i];
        to[i].r = bri_add_scaled(from[i].r, h, from[i].v);
        bri_top_turn(&m->body[i].top, h, &to[i].A, &to[i].w);
    }
}

/* What is left of (6.3): lengths; for rate rows h times the rate. Their rates are left in ws->rate. */
static void measure_flight(BriStep *step, const BriBodyState *from, const BriBodyState *to) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    bri_system_errors(m, w->trial, to, step->start->time + step->h, w->error);
    if (!w->has_rate_rows) return;
    bri_system_jacobian(m, w->trial, to, &w->system.C);
    bri_system_rates(m, &w->system.J, from, w->rate);
    bri_system_rates(m, &w->system.C, to, w->p);
    for (int r = 0; r < m->rows; r++) {
        w->rate[r] = 0.5 * (w->rate[r] + w->p[r]);
        if (w->is_rate_row[r]) w->error[r] = step->h * (w->rate[r] - 0.5 * (w->target[r] + w->target_old[r]));
    }
}

/* Rate-dependent forces at the start, now with the velocity v1 as it has become. */
static void renew_forces(BriStep *step, BriBodyState *from) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    memcpy(w->f_old, w->f, 6 * (size_t)m->moving * sizeof(double));
    bri_forces(m, step->start, from, step->start->time, w->f);
    for (int i = 0; i < 6 * m->moving; i++) w->f_old[i] = w->f[i] - w->f_old[i];
    bri_apply_forces(step, w->f_old, 0.5 * step->h, from);
}

/* Newton for `a` (in p_step) from what v1 in `from` has already; ends with the flight in `to`. *start: the error at
 * first, m; beyond `most` that is no start, and nothing is done. */
static bool find_flight(BriStep *step, double most, BriBodyState *from, BriBodyState *to, double *start) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    double before = 0;
    int force_passes = m->rate_dependent ? FORCE_PASSES : 0;
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        fly(m, from, step->start->time, step->h, to);
        measure_flight(step, from, to);
        double error = bri_measure_rows(step, w->error, true), worst = error / step->position_tolerance;
        if (k == 0) *start = error;
        if (k == 0 && !(error <= most)) return false;
        bool settled = worst <= 1 || (k > 3 && worst <= 10 && !(worst < before));
        if (settled && k >= force_passes) return true;
        if (!(worst < 1e300)) return false;
        before = worst;
        if (k < force_passes) renew_forces(step, from);
        for (int r = 0; r < m->rows; r++) w->error[r] *= -1 / step->h;
        bri_system_solve(m, &w->system, w->error);
        bri_system_add(m, w->system.x, from);
        for (int r = 0; r < m->rows; r++) w->p_step[r] += w->error[r];
        step->report->iterations++;
    }
    return false;
}

/* v1 without joints in `from`, and the factor at the start. */
static void start_half(BriStep *step, BriBodyState *from) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    const BriBodyState *start = bri_state_bodies(step->start);
    memcpy(from, start, (size_t)m->bodies * sizeof *from);
    bri_factor(step, start);
    bri_forces(m, step->start, start, step->start->time, w->f);
    bri_apply_forces(step, w->f, 0.5 * step->h, from);
    bri_apply_clamps(step, &w->system.J, 0.5 * step->h, from, w->p_step);
}

/* What the last step's impulses foretell. */
static void push_guess(BriStep *step, BriBodyState *from) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        const BriJointState *s = &bri_state_joints(step->start)[k];
        bool off = j->lasting && bri_state_lastings(w->trial)[j->lasting - m->lasting].held == 0;
        for (int r = 0; r < j->rows; r++) w->p_step[j->first_row + r] = off ? 0 : s->second_half[r] + s->lead[r];
        bri_system_push(m, &w->system.J, k, w->p_step, from);
    }
}

/* The flight from that guess. A link much lighter than what it joins is thrown off by impulses that are wrong in their
 * last digits: a guess that misses by more than a hundredth of the way of the fastest body must miss by less than the
 * flight without it, or is dropped. */
static bool find_flight_soon(BriStep *step, BriBodyState *from, BriBodyState *to) {
    double likely = 0.01 * step->h * (1e12 * step->velocity_tolerance); /* in brackets: the largest speed */
    double guessed, free;
    push_guess(step, from);
    bool converged = find_flight(step, likely, from, to, &guessed);
    if (guessed <= likely && converged) return true;
    start_half(step, from);
    converged = find_flight(step, guessed, from, to, &free);
    if (converged || free <= guessed || !(guessed < 1e300)) return converged;
    start_half(step, from);
    push_guess(step, from);
    return find_flight(step, guessed, from, to, &guessed);
}

/* The first half: v1 in `from`, the flight in `to`, a in p_step; motors within their bounds. */
static bool solve_first_half(BriStep *step, BriBodyState *from, BriBodyState *to) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    bool warm = step->start->steps > 0 && step->start->dt == step->h && !m->motors, converged = false;
    double error;
    for (int round = 0;; round++) {
        start_half(step, from);
        converged = warm ? find_flight_soon(step, from, to) : find_flight(step, __builtin_inf(), from, to, &error);
        if (!m->motors) break;
        for (int r = 0; r < m->rows; r++) w->p[r] = 0.5 * (w->target[r] + w->target_old[r]);
        if (!bri_update_clamps(step, w->p_step, w->rate, w->p, 0.5 * step->h, round >= BRI_CLAMP_ROUNDS)) break;
        if (round == bri_most_rounds(m)) {
            converged = false;
            break;
        }
    }
    return converged;
}

BrStatus bri_step_rattle(BriStep *step) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    BriBodyState *bodies = bri_state_bodies(w->trial);
    double t = step->start->time, h = step->h;

    bri_system_targets(m, step->start, t, w->target_old);
    bri_system_targets(m, step->start, t + h, w->target);
    bool converged = solve_first_half(step, w->bodies, bodies);
    bri_note_rows(step, w->error, true);
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        BriJointState *s = &bri_state_joints(w->trial)[k];
        for (int r = 0; r < j->rows; r++) s->lead[r] = w->p_step[j->first_row + r] - s->second_half[r];
    }

    for (int n = 0; n < m->moving; n++) {
        BrMat3 *A = &bodies[m->moving_body[n]].A;
        *A = bri_rotation_normalise(A);
    }
    bri_forces(m, step->start, bodies, t + h, w->f);
    bri_apply_forces(step, w->f, 0.5 * h, bodies);
    bri_factor(step, bodies);
    converged = bri_constrain_rates(
                    step, &(BriRates){&w->system.J, &w->system.J, w->target, 0.5 * h, bodies, w->p, false, 0}) &&
                converged;
    for (int r = 0; r < m->rows; r++) w->p_step[r] += w->p[r];
    for (int k = 0; k < m->joints; k++)
        memcpy(bri_state_joints(w->trial)[k].second_half, w->p + m->joint[k].first_row,
               (size_t)m->joint[k].rows * sizeof(double));
    return converged ? BR_OK : BR_NOT_CONVERGED;
}
