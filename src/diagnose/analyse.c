/* analyse.c: what the constraints of a machine add up to in one pose, and how large a step its springs allow. */
#include "diagnose/growth.h"
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

/* What a spring of x'' = -W (damping x' + stiffness x) allows. */
static void limit_step(const BrModel *m, int spring, const BriMode *mode, BrAnalysis *analysis) {
    const double NONE = 1e-9; /* 1/s^2 and 1/s: such a spring swings once in two days; absolute */
    if (mode->stiffness <= NONE && mode->damping <= NONE) return;
    for (int scheme = 0; scheme < BR_SCHEME_ADAPTIVE; scheme++) {
        double limit = bri_stable_step((BrScheme)scheme, mode), *largest = &analysis->largest_dt[scheme];
        if (!bri_is_finite(limit) || (*largest > 0 && limit >= *largest)) continue;
        *largest = limit;
        analysis->stiffest[scheme] = br_model_spring(m, spring);
    }
}

/* No less than the largest eigenvalue. */
static double bound_eigenvalue(const BrMat3 *A) {
    double most = 0;
    for (int i = 0; i < 3; i++) most = bri_max(most, bri_abs(A->m[i][0]) + bri_abs(A->m[i][1]) + bri_abs(A->m[i][2]));
    return most;
}

/* A spring pulls its end of a body along some direction, with some arm. With K and C the sums over the springs,
 *     x.K x <= sum of k (J_a x_a + J_b x_b)^2 <= sum of 2 k (J_a x_a)^2 + 2 k (J_b x_b)^2,   |J M^-1/2|^2 <= 1/m +
 * arm^2/I, so that the largest eigenvalue of M^-1 K is at most the largest, over the bodies, of what their springs sum
 * up to (without the 2 where one end does not move); joints only make it smaller. A line spring under tension is stiff
 * across too: T/length, and T arm against turning. */
static void add_bounds(const BrModel *m, const BrState *state, int spring, double stiffness, double damping,
                       double *sum) {
    const BriSpring *s = &m->spring[spring];
    const BriBodyState *bodies = bri_state_bodies(state);
    BriInstant instant = {m, state, bodies, state->time};
    BriSpringReading now = bri_spring_read(&instant, spring);
    const BriJoint *j = s->joint >= 0 ? &m->joint[s->joint] : NULL;
    bool turns = j && j->type->measure[s->def.coordinate] == BRI_MEASURE_ANGLE, line = !j;
    int ends[2] = {j ? j->a : s->a, j ? j->b : s->b};
    double arm[2] = {bri_norm(j ? j->point_a : s->def.point_a_body), bri_norm(j ? j->point_b : s->def.point_b_body)};
    if (j) arm[0] += bri_norm(bri_joint_offset(j, &bodies[j->a], &bodies[j->b]));
    double twice = m->body[ends[0]].node >= 0 && m->body[ends[1]].node >= 0 ? 2 : 1;
    double across = line && now.length > 0 ? bri_abs(now.tension) / now.length : 0;
    for (int e = 0; e < 2; e++) {
        const BriBody *body = &m->body[ends[e]];
        if (body->node < 0) continue;
        double turn = bound_eigenvalue(&body->inverse_inertia);
        double W = turns ? turn : body->inverse_mass + arm[e] * arm[e] * turn;
        double *own = sum + 2 * body->node; /* damping, stiffness */
        own[0] += twice * bri_max(0, damping) * W;
        own[1] += twice * bri_max(bri_max(0, stiffness), across) * W;
        if (line) own[1] += bri_abs(now.tension) * arm[e] * turn;
    }
}

/* More damping may make a scheme more stable: that it does is not counted upon. */
static void limit_surely(double damping, double stiffness, BrAnalysis *analysis) {
    for (int scheme = 0; scheme < BR_SCHEME_ADAPTIVE; scheme++) {
        BriMode modes[] = {{damping, stiffness, false}, {0, stiffness, false}, {damping, 0, false}};
        for (int i = 0; i < BRI_COUNT(modes); i++) {
            double limit = bri_stable_step((BrScheme)scheme, &modes[i]), *sure = &analysis->sure_dt[scheme];
            if (bri_is_finite(limit) && (*sure == 0 || limit < *sure)) *sure = limit;
        }
    }
}

/* Stiffness and damping of a spring as it is now, and the mode that it has by itself. */
typedef struct SpringNow {
    double stiffness, damping;
    BriMode alone;
} SpringNow;

static SpringNow read_spring(const BrModel *m, BrWorkspace *w, const BrState *state, int spring) {
    /* differences: a part of the deflection, of SMALL (m or rad) at least; m/s or rad/s; both absolute */
    const double PART = 1e-6, SMALL = 1e-3, SLOW = 1e-6;
    const BriSpring *s = &m->spring[spring];
    BriInstant instant = {m, state, bri_state_bodies(state), state->time};
    BriSpringReading now = bri_spring_read(&instant, spring);
    double x = bri_spring_deflection(s, now.length),
           step = PART * bri_max(SMALL, bri_abs(x)); /* in its play: as at a stop */
    double stiffness =
        (bri_spring_tension(s, &instant, x + step, 0) - bri_spring_tension(s, &instant, x - step, 0)) / (2 * step);
    double damping =
        (bri_spring_tension(s, &instant, x, now.rate + SLOW) - bri_spring_tension(s, &instant, x, now.rate - SLOW)) /
        (2 * SLOW);
    double W = spring_mobility(m, w, state, spring);
    BriMode alone = {.damping = bri_max(0, damping * W), .stiffness = bri_max(0, stiffness * W)};
    return (SpringNow){stiffness, damping, alone};
}

static void limit_steps(const BrModel *m, BrWorkspace *w, const BrState *state, BrAnalysis *analysis) {
    double *sum = w->f; /* two numbers per moving body */
    memset(sum, 0, 2 * (size_t)m->moving * sizeof *sum);
    for (int k = 0; k < m->springs; k++) {
        SpringNow now = read_spring(m, w, state, k);
        limit_step(m, k, &now.alone, analysis);
        add_bounds(m, state, k, now.stiffness, now.damping, sum);
    }
    for (int n = 0; n < m->moving; n++) limit_surely(sum[2 * n], sum[2 * n + 1], analysis);
}

/* The constraints' factor in this pose. */
static void factor_pose(const BrModel *m, BrWorkspace *w, const BrState *state) {
    const BriBodyState *bodies = bri_state_bodies(state);
    bri_state_assign(w->trial, state);
    w->evaluated = false;
    bri_rest_motors(m, w->trial); /* a motor takes no freedom away */
    bri_system_find_rank(m, &w->system, w->trial, bodies);
    bri_system_factor(m, &w->system, w->trial, bodies);
}

/* false: there is no limit. */
static bool lower_limit(double *limit, double step) {
    if (!bri_is_finite(step) || (*limit > 0 && step >= *limit)) return false;
    *limit = step;
    return true;
}

BrStatus br_energy_step(const BrModel *m, BrWorkspace *w, const BrState *state, BrScheme scheme, double duration,
                        double part, BrEnergyStep *step, BrError *error) {
    BRI_NEED(m && w && state && step, "model, workspace, state and step", error);
    if (state->fingerprint != m->fingerprint || w->fingerprint != m->fingerprint)
        return bri_fail(error, BR_MISMATCH, "the state or the workspace belongs to another model");
    if ((unsigned)scheme >= BR_SCHEMES) return bri_fail(error, BR_INVALID_ARGUMENT, "%d is no scheme", (int)scheme);
    if (!(duration > 0 && bri_is_finite(duration) && part > 0 && bri_is_finite(part)))
        return bri_fail(error, BR_INVALID_ARGUMENT, "duration is %.9g s and part %.9g; both must be positive", duration,
                        part);
    *step = (BrEnergyStep){0};
    if (scheme >= BR_SCHEME_ADAPTIVE || m->springs == 0) return BR_OK;
    double *sum = w->f; /* two numbers per moving body */
    factor_pose(m, w, state);
    memset(sum, 0, 2 * (size_t)m->moving * sizeof *sum);
    for (int k = 0; k < m->springs; k++) {
        SpringNow now = read_spring(m, w, state, k);
        if (lower_limit(&step->dt, bri_energy_step(scheme, &now.alone, duration, part)))
            step->spring = br_model_spring(m, k);
        add_bounds(m, state, k, now.stiffness, now.damping, sum);
    }
    for (int n = 0; n < m->moving; n++) {
        BriMode modes[] = {{sum[2 * n], sum[2 * n + 1], false}, {0, sum[2 * n + 1], false}, {sum[2 * n], 0, false}};
        for (int i = 0; i < BRI_COUNT(modes); i++)
            lower_limit(&step->sure_dt, bri_energy_step(scheme, &modes[i], duration, part));
    }
    return BR_OK;
}

BrStatus br_analyse(const BrModel *m, BrWorkspace *w, const BrState *state, BrAnalysis *analysis,
                    void (*redundant)(void *user, BrJointId joint, const char *row), void *user, BrError *error) {
    BRI_NEED(m && w && state && analysis, "model, workspace, state and analysis", error);
    if (state->fingerprint != m->fingerprint || w->fingerprint != m->fingerprint)
        return bri_fail(error, BR_MISMATCH, "the state or the workspace belongs to another model");
    const BriBodyState *bodies = bri_state_bodies(state);
    factor_pose(m, w, state);
    bri_system_errors(m, w->trial, bodies, state->time, w->error);
    bri_system_rates(m, &w->system.J, bodies, w->rate);
    bri_system_targets(m, state, state->time, w->target);
    *analysis = (BrAnalysis){
        .bodies = m->moving, .rows = m->rows - (m->motors - m->efforts), .redundant_rows = w->system.dependent_rows};
    analysis->freedoms = 6 * m->moving - (analysis->rows - analysis->redundant_rows);
    if (m->springs) limit_steps(m, w, state, analysis);
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        for (int r = 0; r < j->rows; r++) {
            int row = j->first_row + r;
            bool motor = r >= j->type->info.constraints && j->drive[r - j->type->info.constraints].motor >= 0;
            analysis->position_violation = bri_max(analysis->position_violation, bri_abs(w->error[row]));
            if (!motor)
                analysis->velocity_violation =
                    bri_max(analysis->velocity_violation, bri_abs(w->rate[row] - w->target[row]));
            if (redundant && w->system.dependent[k] >> r & 1) redundant(user, bri_joint_to_tell(m, k), name_row(j, r));
        }
    }
    return BR_OK;
}
