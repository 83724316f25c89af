/* constrain.c: see constrain.h.
 *
 * Conditions may stand at another pose (C) than the forces (D): C M^-1 D^T is then unsymmetric at O(h), and the factor
 * W of a pose nearby is used with refinement, p += W^-1 (target - C v), which contracts by O(h).
 * Motors are rows with bounds |p| <= effort * span: a clamped row leaves the factor and pushes with its bound; sets are
 * changed all at once while that gains ground, one by one (lowest number first) after that, which ends for any positive
 * definite matrix (Murty 1974). Grips are rows likewise (slide.h), with bounds that the joints' impulses tell. */
#include "dynamics/constrain.h"

#include "dynamics/force.h"
#include "dynamics/motion.h"
#include "dynamics/rubbing.h"
#include "dynamics/servo.h"
#include "dynamics/switched.h"

#include <string.h>

enum {
    MOST_PASSES = 30, /* of refinement: each contracts by O(h), where it does */
    MOST_RESTS = 16   /* motors sent to rest one after the other, before the rest is left as it is */
};

void bri_step_set_tolerances(BriStep *step) {
    double size = 1, speed = 1;
    for (int i = 0; i < step->model->bodies; i++) {
        const BriBodyState *b = &bri_state_bodies(step->start)[i];
        size = bri_max(size, bri_max(bri_abs(b->r.x), bri_max(bri_abs(b->r.y), bri_abs(b->r.z))));
        speed = bri_max(speed, bri_max(bri_abs(b->v.x), bri_max(bri_abs(b->v.y), bri_abs(b->v.z))));
        speed = bri_max(speed, bri_max(bri_abs(b->w.x), bri_max(bri_abs(b->w.y), bri_abs(b->w.z))));
    }
    step->position_tolerance = 4e-14 * size;  /* 200 ulp of the largest coordinate */
    step->velocity_tolerance = 1e-12 * speed; /* 4500 ulp of the largest speed */
}

void bri_copy_bodies(const BriStep *step, const BriBodyState *from, BriBodyState *to) {
    if (!step->group) memcpy(to, from, (size_t)step->model->bodies * sizeof *to);
    for (int i = 0; step->group && i < step->model->bodies; i++)
        if (!bri_is_put_aside(step, i)) to[i] = from[i];
}

void bri_apply_forces(const BriStep *step, const double *f, double h, BriBodyState *bodies) {
    const BrModel *m = step->model;
    for (int n = 0; n < m->moving; n++, f += 6) {
        int i = m->moving_body[n];
        if (!bri_is_put_aside(step, i)) bri_apply_force(&m->body[i], f, h, &bodies[i]);
    }
}

void bri_apply_gyroscopic(const BrModel *m, const BriBodyState *at, double h, BriBodyState *bodies) {
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        BrVec3 torque = bri_gyroscopic_torque(&m->body[i], at[i].w);
        bodies[i].w = bri_add_scaled(bodies[i].w, h, bri_mul(&m->body[i].inverse_inertia, torque));
    }
}

void bri_move(const BriStep *step, const BriBodyState *from, const BriBodyState *with, double time, double h,
              BriBodyState *to) {
    const BrModel *m = step->model;
    for (int i = 0, node = 0; i < m->bodies; i++) {
        bool moves = node < m->moving && m->moving_body[node] == i; /* nodes come in the order of their bodies */
        node += moves;
        if (bri_is_put_aside(step, i)) continue;
        if (!moves) {
            if (m->body[i].motion >= 0) bri_motion_advance(m, i, time, h, &from[i], &to[i]);
            continue;
        }
        BrVec3 r = bri_add_scaled(from[i].r, h, with[i].v);
        BrMat3 A = bri_rotation_turn(&from[i].A, bri_scale(h, with[i].w));
        to[i].r = r;
        to[i].A = A;
    }
}

void bri_update_angles(const BrModel *m, BrState *state, double h) {
    const BriBodyState *bodies = bri_state_bodies(state);
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        double *angle = &bri_state_joints(state)[k].angle;
        for (int c = 0; c < j->type->info.coordinates; c++)
            if (j->type->measure[c] == BRI_MEASURE_ANGLE) {
                double position, rate;
                BriJointPose pose = bri_joint_pose(j, &bodies[j->a], &bodies[j->b], *angle);
                bri_joint_coordinate(j, &pose, c, &position, &rate);
                pose.near = *angle + h * rate; /* half a turn and more in one step are counted too */
                if (j->def.type == BR_JOINT_SCREW) pose.near = bri_joint_turned(j, &pose);
                *angle = bri_joint_angle(&pose);
            }
    }
}

void bri_count_turns(BriStep *step, double elapsed) {
    bri_update_angles(step->model, step->ws->trial, elapsed - step->counted);
    step->counted = elapsed;
}

/* ------------------------------------------------------------------ residuals */

/* Of what a row's rate is off by, how much counts: a row that yields answers with less of it. */
static double weigh_row(const BriStep *step, int row, double value) {
    return bri_abs(value) * (step->model->servos ? step->ws->system.give[row] : 1);
}

double bri_measure_rows(const BriStep *step, const double *value, bool with_rate_rows) {
    const BriSystem *system = &step->ws->system;
    const bool *left_out = with_rate_rows || !step->ws->has_rate_rows ? NULL : step->ws->is_rate_row;
    double worst = 0;
    for (int k = 0; k < step->model->joints; k++) {
        unsigned off = (unsigned)system->factor_off[k] | system->ldl.dropped[step->model->moving + k];
        int first = step->model->joint[k].first_row, rows = step->model->joint[k].rows;
        for (int r = first; r < first + rows; r++, off >>= 1) {
            if ((off & 1) || (left_out && left_out[r])) continue;
            double v = weigh_row(step, r, value[r]);
            if (!(v <= worst)) worst = v; /* NaN counts as worst */
        }
    }
    return worst;
}

void bri_note_rows(BriStep *step, const double *value, bool positions) {
    const BriSystem *system = &step->ws->system;
    double *field = positions ? &step->report->position_residual : &step->report->velocity_residual;
    double tolerance = positions ? step->position_tolerance : step->velocity_tolerance;
    for (int k = 0; k < step->model->joints; k++) {
        const BriJoint *j = &step->model->joint[k];
        unsigned clamped = (unsigned)system->factor_off[k] & ~(unsigned)system->dependent[k];
        for (int r = 0; r < j->rows; r++) {
            if ((clamped >> r & 1) || (positions && step->ws->is_rate_row[j->first_row + r])) continue;
            double v = weigh_row(step, j->first_row + r, value[j->first_row + r]);
            if (!(v <= *field)) *field = v; /* NaN counts as worst */
            if (v / tolerance <= step->worst) continue;
            step->worst = v / tolerance;
            step->report->worst_joint = bri_joint_to_tell(step->model, k);
            step->worst_name = j->def.name;
        }
    }
}

bool bri_take_back_rows(BriStep *step, double time, const BriBodyState *bodies, unsigned char *redundant) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    bool changed = false;
    bri_system_errors(m, w->trial, bodies, time, w->error);
    bri_system_jacobian(m, w->trial, bodies, &w->system.C);
    bri_system_rates(m, &w->system.C, bodies, w->rate);
    bri_system_targets(m, step->start, time, w->target);
    for (int k = 0; k < m->joints; k++)
        for (int r = 0; r < m->joint[k].rows; r++) {
            int row = m->joint[k].first_row + r;
            if (!(redundant[k] >> r & 1)) continue;
            bool opened = w->is_rate_row[row] ? bri_abs(w->rate[row] - w->target[row]) > 1e5 * step->velocity_tolerance
                                              : bri_abs(w->error[row]) > 1e5 * step->position_tolerance;
            if (!opened) continue;
            bri_tell(m, "t = %.9g s: row %d of joint '%s' is not redundant any more", time, r + 1,
                     m->joint[k].def.name);
            redundant[k] &= (unsigned char)~(1u << r);
            changed = true;
        }
    return changed;
}

const char *bri_worst_joint_name(const BriStep *step) { return step->worst_name ? step->worst_name : "?"; }

/* ------------------------------------------------------------------ motors */

double bri_motor_effort(const BriStep *step, int motor) {
    const BriMotorInput *input = &bri_state_motor_inputs(step->start)[motor];
    return input->taken_over != 0 ? input->max_effort : step->model->motor[motor].def.max_effort;
}

static double motor_bound(const BriStep *step, int motor, double span) { return span * bri_motor_effort(step, motor); }

void bri_rest_motors(const BrModel *m, BrState *trial) {
    for (int k = 0; k < m->joints; k++)
        for (int d = 0; d < m->joint[k].drives; d++)
            bri_state_joints(trial)[k].clamp[d] = m->joint[k].drive[d].motion < 0 ? BRI_RESTING : BRI_FREE;
}

/* Operations of a joint's rows, and of its errors. */
enum { ROWS_WORK = 400, ERRORS_WORK = 200 };

void bri_spend_factor(BriStep *step) {
    bri_spend(step->budget, step->ws->system.ldl.factor_work + ROWS_WORK * (double)step->model->joints);
}

static void factor(BriStep *step, const BriBodyState *pose) {
    bri_spend_factor(step);
    bri_system_factor(step->model, &step->ws->system, step->ws->trial, pose);
}

void bri_factor(BriStep *step, const BriBodyState *pose) {
    const BrModel *m = step->model;
    BriSystem *system = &step->ws->system;
    factor(step, pose);
    int tried = 0;
    for (int k = m->joints - 1; m->motors + m->grips && system->ldl.dropped_rows > 0 && k >= 0; k--)
        for (int d = 0; d < m->joint[k].drives && tried < MOST_RESTS; d++) {
            double *clamp = &bri_state_joints(step->ws->trial)[k].clamp[d];
            int before = system->ldl.dropped_rows;
            int motor = m->joint[k].drive[d].motor;
            if (m->joint[k].drive[d].motion >= 0 || *clamp != BRI_FREE) continue;
            *clamp = BRI_RESTING;
            tried++;
            factor(step, pose);
            if (system->ldl.dropped_rows < before) {
                if (motor >= 0)
                    bri_tell(m, "t = %.9g s: motor '%s' rests: others hold what it would hold", step->start->time,
                             m->motor[motor].def.name);
                continue;
            }
            *clamp = BRI_FREE;
            factor(step, pose);
        }
}

void bri_refactor(BriStep *step) {
    BriSystem *system = &step->ws->system;
    double work = 0;
    bool switched = !step->model->servos && bri_system_switch(step->model, system, step->ws->trial, &work);
    bri_spend(step->budget, work);
    if (!switched) bri_factor(step, system->factor_pose);
}

/* What the clamp of one motor should be, given how it did. */
static double better_clamp(double clamp, double p, double bound, double lag, double tolerance) {
    if (clamp == BRI_RESTING || clamp == BRI_PUSHING) return clamp;
    double limit = bound * (1 + 1e-12); /* a motor that needs its bound to rounding must not be tossed about */
    if (clamp == BRI_FREE) return p > limit ? BRI_AT_UPPER : p < -limit ? BRI_AT_LOWER : BRI_FREE;
    return clamp * lag < -tolerance ? BRI_FREE : clamp;
}

bool bri_update_clamps(BriStep *step, const double *p, const double *rate, const double *target, double span,
                       bool one_only) {
    bool changed = false;
    for (int k = 0; k < step->model->joints; k++) {
        const BriJoint *j = &step->model->joint[k];
        for (int d = 0; d < j->drives; d++) {
            if (j->drive[d].motor < 0) continue;
            int row = bri_drive_row(j, d);
            double *clamp = &bri_state_joints(step->ws->trial)[k].clamp[d];
            double better = better_clamp(*clamp, p[row], motor_bound(step, j->drive[d].motor, span),
                                         target[row] - rate[row], step->velocity_tolerance);
            if (better == *clamp || (changed && one_only)) continue;
            *clamp = better;
            changed = true;
        }
    }
    return changed;
}

void bri_apply_clamps(BriStep *step, const BriJacobian *D, double span, BriBodyState *bodies, double *p) {
    const BrModel *m = step->model;
    memset(p, 0, (size_t)m->rows * sizeof(double));
    for (int k = 0; m->motors && k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        bool any = false;
        for (int d = 0; d < j->drives; d++) {
            double clamp = bri_state_joints(step->ws->trial)[k].clamp[d];
            int motor = j->drive[d].motor;
            if (motor < 0 || clamp == BRI_FREE || clamp == BRI_RESTING) continue;
            bool pushing = clamp == BRI_PUSHING;
            p[bri_drive_row(j, d)] =
                pushing ? span * step->ws->servo[motor].push : clamp * motor_bound(step, motor, span);
            any = true;
        }
        if (any) bri_system_push(m, D, k, p, bodies);
    }
}

/* ------------------------------------------------------------------ velocities */

/* Refinement with the factor as it stands. Where D and the factor are of two poses, d apart, an impulse that passes
 * through a light link (mass m between masses M) turns the link by d M/m of what it changes on the others, and passes
 * along D may grow. The first of them carries all but O(h) of the impulse; once they gain no more, the rest is taken
 * along the factor's own J, which moves the link alone. */
bool bri_refine_rates(BriStep *step, const BriRates *of, bool known, double part, double times) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    double before = 0, enough = 1;
    bool along_J = of->D == &w->system.J;
    int since = 0; /* passes along one of them */
    for (int pass = 0; pass < MOST_PASSES; pass++, since++) {
        if (pass > 0 || !known) bri_system_rates(m, of->C, of->bodies, w->rate);
        if (m->servos) bri_servo_yield(step, of->p, w->rate);
        for (int r = 0; r < m->rows; r++) w->error[r] = of->target[r] - w->rate[r];
        double worst = bri_measure_rows(step, w->error, true) / step->velocity_tolerance;
        if (pass == 0) enough = bri_max(times, part * worst);
        if (worst <= enough) return true;
        if (!along_J && since > 0 && !(worst < before)) {
            along_J = true;
            since = 0;
        }
        if (since > 3 && !(worst < before)) return worst <= 10; /* rounding: no more to gain */
        before = worst;
        if (!bri_spend(step->budget, w->system.ldl.solve_work + 50. * m->rows)) return false;
        bri_system_solve(m, &w->system, w->error);
        if (along_J) bri_system_add(m, w->system.x, of->bodies);
        for (int k = 0; !along_J && k < m->joints; k++) bri_system_push(m, of->D, k, w->error, of->bodies);
        for (int r = 0; r < m->rows; r++) of->p[r] += w->error[r];
        step->report->iterations++;
    }
    return false;
}

/* With motors within their bounds. */
static bool constrain(BriStep *step, const BriRates *of) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    for (int round = 0;; round++) {
        bri_apply_clamps(step, of->D, of->span, of->bodies, of->p);
        bool converged = bri_refine_rates(step, of, false, 0, 1), one_only = round >= BRI_CLAMP_ROUNDS;
        if (!m->motors || !bri_update_clamps(step, of->p, w->rate, of->target, of->span, one_only)) return converged;
        if (round == bri_most_rounds(m) || !bri_has_budget(step->budget)) return false;
        bri_factor(step, w->system.factor_pose);
        memcpy(of->bodies, w->free, (size_t)m->bodies * sizeof *of->bodies);
    }
}

bool bri_constrain_rates(BriStep *step, const BriRates *of) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    bool rubs = m->grips && of->span > 0 && !step->grip_rows;
    if (m->motors || rubs) memcpy(w->free, of->bodies, (size_t)m->bodies * sizeof *of->bodies);
    bool converged = rubs ? bri_rub(step, of) : constrain(step, of);
    for (int r = 0; r < m->rows; r++) w->error[r] = of->target[r] - w->rate[r];
    if (!(rubs && of->between)) bri_note_rows(step, w->error, false);
    return converged;
}

bool bri_hold_rates(BriStep *step, const BriRates *of) {
    const BrModel *m = step->model;
    memset(of->p, 0, (size_t)m->rows * sizeof(double));
    bool converged = bri_refine_rates(step, of, false, 0, 1);
    for (int r = 0; r < m->rows; r++) step->ws->error[r] = of->target[r] - step->ws->rate[r];
    bri_note_rows(step, step->ws->error, false);
    return converged;
}

/* ------------------------------------------------------------------ positions */

void bri_displace(const BriStep *step, const double *x, BriBodyState *bodies) {
    const BrModel *m = step->model;
    for (int n = 0; n < m->moving; n++, x += 6) {
        if (bri_sleeps(step, m->moving_body[n])) continue; /* even a turn by nothing would round */
        BriBodyState *b = &bodies[m->moving_body[n]];
        b->r = bri_add(b->r, bri_vec(x[0], x[1], x[2]));
        b->A = bri_rotation_turn(&b->A, bri_vec(x[3], x[4], x[5]));
    }
}

bool bri_constrain_positions(BriStep *step, double time, BriBodyState *bodies) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    double start = 0, before = 0;
    int since_factor = 0;
    bool converged = false;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        bri_system_errors(m, w->trial, bodies, time, w->error);
        double worst = bri_measure_rows(step, w->error, false) / step->position_tolerance;
        converged = worst <= 1 || (pass > 3 && worst <= 10 && !(worst < before));
        if (converged || !(worst < 1e300)) break;
        double work = w->system.ldl.solve_work + 200. * m->moving + ERRORS_WORK * (double)m->joints;
        if (!bri_spend(step->budget, work)) break;
        if (since_factor == 2) { /* two passes must gain a factor 10, else the factor is too far away */
            if (worst > 0.1 * start) bri_factor(step, bodies);
            since_factor = 0;
        }
        if (since_factor == 0) start = worst;
        before = worst;
        for (int r = 0; r < m->rows; r++) w->error[r] = w->is_rate_row[r] ? 0 : -w->error[r];
        bri_system_solve(m, &w->system, w->error);
        bri_displace(step, w->system.x, bodies);
        since_factor++;
        step->report->iterations++;
    }
    bri_note_rows(step, w->error, true);
    return converged;
}
