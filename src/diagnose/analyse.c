/* analyse.c: what the constraints of a machine add up to in one pose, and how large a step its springs allow. */
#include "dynamics/constrain.h"
#include "dynamics/force.h"

#include <string.h>

static const char *name_row(const BriJoint *j, int r) {
    return r < j->type->info.constraints ? j->type->row_name[r] : "drive";
}

/* The spring's own row: rate = J (v, w) of its two ends. */
static void find_spring_row(const BrModel *m, const BrState *state, const BriSpring *s, int ends[2], double J[2][6]) {
    const BriBodyState *bodies = bri_state_bodies(state);
    if (s->joint >= 0) {
        const BriJoint *j = &m->joint[s->joint];
        BriJointPose pose = bri_joint_pose(j, &bodies[j->a], &bodies[j->b], bri_state_joints(state)[s->joint].angle);
        ends[0] = j->a, ends[1] = j->b;
        bri_joint_coordinate_row(j, &pose, s->def.coordinate, J[0], J[1]);
        return;
    }
    ends[0] = s->a, ends[1] = s->b;
    BrVec3 arm[2] = {bri_mul(&bodies[s->a].A, s->def.point_a_body), bri_mul(&bodies[s->b].A, s->def.point_b_body)};
    BrVec3 u = bri_sub(bri_add(bodies[s->b].r, arm[1]), bri_add(bodies[s->a].r, arm[0]));
    u = bri_norm(u) > 0 ? u : s->def.direction_at_zero;
    u = bri_scale(1 / bri_norm(u), u);
    for (int e = 0; e < 2; e++) {
        BrVec3 l = e ? u : bri_neg(u), w = bri_mul_t(&bodies[ends[e]].A, bri_cross(arm[e], l));
        double row[6] = {l.x, l.y, l.z, w.x, w.y, w.z};
        memcpy(J[e], row, sizeof row);
    }
}

/* What a unit force of the spring moves its own coordinate by, the joints holding: one solve with the factor. */
static double spring_mobility(const BrModel *m, BrWorkspace *w, const BrState *state, int spring) {
    int ends[2];
    double J[2][6], sum = 0, *x = w->system.x;
    find_spring_row(m, state, &m->spring[spring], ends, J);
    memset(x, 0, (6 * (size_t)m->moving + (size_t)m->rows) * sizeof(double));
    for (int e = 0; e < 2; e++)
        for (int c = 0; m->body[ends[e]].node >= 0 && c < 6; c++) x[6 * m->body[ends[e]].node + c] += J[e][c];
    bri_ldl_solve(&w->system.ldl, x);
    for (int e = 0; e < 2; e++)
        for (int c = 0; m->body[ends[e]].node >= 0 && c < 6; c++) sum += J[e][c] * x[6 * m->body[ends[e]].node + c];
    return sum;
}

/* Explicit schemes are stable while w^2 h^2 + 2 c h < 4, w^2 = k W, c = damping W. */
static void limit_step(const BrModel *m, BrWorkspace *w, const BrState *state, BrAnalysis *analysis) {
    const BriBodyState *bodies = bri_state_bodies(state);
    for (int k = 0; k < m->springs; k++) {
        const BriSpring *s = &m->spring[k];
        BriSpringReading now = bri_spring_read(m, state, bodies, k);
        double x = now.length - s->def.free_length, step = 1e-6 * bri_max(1e-3, bri_abs(x));
        double stiffness = (bri_spring_tension(s, x + step, 0) - bri_spring_tension(s, x - step, 0)) / (2 * step);
        double damping = (bri_spring_tension(s, x, now.rate + 1e-6) - bri_spring_tension(s, x, now.rate - 1e-6)) / 2e-6;
        double W = spring_mobility(m, w, state, k), w2 = bri_max(0, stiffness * W), c = bri_max(0, damping * W);
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
    limit_step(m, w, state, analysis);
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
