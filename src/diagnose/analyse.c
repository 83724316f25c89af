/* analyse.c: what the constraints of a machine add up to in one pose, and how large a step its springs allow. */
#include "dynamics/force.h"
#include "step/constrain.h"

#include <string.h>

static const char *name_row(const BriJoint *j, int r) {
    return r < j->type->info.constraints ? j->type->row_name[r] : "drive";
}

/* J M^-1 J^T of a spring's own coordinate: what its ends have in inverse mass, joints ignored (they only lower it). */
static double spring_mobility(const BrModel *m, const BriBodyState *bodies, const BrState *state, int spring) {
    const BriSpring *s = &m->spring[spring];
    int ends[2] = {s->joint < 0 ? s->a : m->joint[s->joint].a, s->joint < 0 ? s->b : m->joint[s->joint].b};
    BrVec3 arm[2] = {s->def.point_a_body, s->def.point_b_body};
    double J[2][6] = {{0}}, sum = 0;
    if (s->joint >= 0) {
        const BriJoint *j = &m->joint[s->joint];
        BriJointPose pose = bri_joint_pose(j, &bodies[j->a], &bodies[j->b], bri_state_joints(state)[s->joint].angle);
        bri_joint_coordinate_row(j, &pose, s->def.coordinate, J[0], J[1]);
    }
    for (int e = 0; e < 2; e++) {
        const BriBody *body = &m->body[ends[e]];
        if (body->node < 0) continue;
        if (s->joint < 0) { /* any direction: the largest there can be */
            double inertia = bri_min(body->top.inertia[0], bri_min(body->top.inertia[1], body->top.inertia[2]));
            sum += body->inverse_mass + bri_dot(arm[e], arm[e]) / inertia;
            continue;
        }
        BrVec3 l = {J[e][0], J[e][1], J[e][2]}, w = {J[e][3], J[e][4], J[e][5]};
        sum += body->inverse_mass * bri_dot(l, l) + bri_dot(w, bri_mul(&body->inverse_inertia, w));
    }
    return sum;
}

/* Explicit schemes are stable while w^2 h^2 + 2 c h < 4, w^2 = k W, c = damping W. */
static void limit_step(const BrModel *m, const BrState *state, BrAnalysis *analysis) {
    const BriBodyState *bodies = bri_state_bodies(state);
    for (int k = 0; k < m->springs; k++) {
        const BriSpring *s = &m->spring[k];
        BriSpringReading now = bri_spring_read(m, state, bodies, k);
        double x = now.length - s->def.free_length, step = 1e-6 * bri_max(1e-3, bri_abs(x));
        double stiffness = (bri_spring_tension(s, x + step, 0) - bri_spring_tension(s, x - step, 0)) / (2 * step);
        double damping = (bri_spring_tension(s, x, now.rate + 1e-6) - bri_spring_tension(s, x, now.rate - 1e-6)) / 2e-6;
        double W = spring_mobility(m, bodies, state, k), w2 = bri_max(0, stiffness * W), c = bri_max(0, damping * W);
        if (w2 <= 1e-9 && c <= 1e-9) continue;
        double limit = 4 / (c + bri_sqrt(c * c + 4 * w2)); /* the positive root of w2 h^2 + 2 c h = 4 */
        if (analysis->largest_dt > 0 && limit >= analysis->largest_dt) continue;
        analysis->largest_dt = limit;
        analysis->stiffest = br_model_spring(m, k);
    }
}

BrStatus br_analyse(const BrModel *m, BrWorkspace *w, const BrState *state, BrAnalysis *analysis,
                    void (*redundant)(void *user, BrJointId joint, const char *row), void *user, BrError *error) {
    if (state->fingerprint != m->fingerprint || w->fingerprint != m->fingerprint)
        return bri_fail(error, BR_MISMATCH, "the state or the workspace belongs to another model");
    const BriBodyState *bodies = bri_state_bodies(state);
    memcpy(w->trial, state, state->size);
    w->evaluated = false;
    bri_rest_motors(m, w->trial); /* a motor takes no freedom away */
    bri_system_find_rank(m, &w->system, w->trial, bodies);
    bri_system_factor(m, &w->system, w->trial, bodies);
    bri_system_errors(m, w->trial, bodies, state->time, w->error);
    bri_system_rates(m, &w->system.J, bodies, w->rate);
    bri_system_targets(m, state, state->time, w->target);
    *analysis =
        (BrAnalysis){.bodies = m->moving, .rows = m->rows - m->motors, .redundant_rows = w->system.dependent_rows};
    analysis->freedoms = 6 * m->moving - (analysis->rows - analysis->redundant_rows);
    limit_step(m, state, analysis);
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        for (int r = 0; r < j->rows; r++) {
            int row = j->first_row + r;
            bool motor = r >= j->type->info.constraints && j->drive[r - j->type->info.constraints].motor >= 0;
            analysis->position_violation = bri_max(analysis->position_violation, bri_abs(w->error[row]));
            if (!motor)
                analysis->velocity_violation =
                    bri_max(analysis->velocity_violation, bri_abs(w->rate[row] - w->target[row]));
            if (redundant && w->system.dependent[k] >> r & 1) redundant(user, br_model_joint(m, k), name_row(j, r));
        }
    }
    return BR_OK;
}
