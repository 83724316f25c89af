/* assemble.c: from the pose a user wrote down to one that fits the joints, nearest in the kinetic-energy metric. */
#include "dynamics/motion.h"
#include "step/constrain.h"

#include <string.h>

enum { MOST_FACTORS = 50, MOST_ROUNDS = 4 };

static double measure_move(const BrModel *m, const BriBodyState *a, const BriBodyState *b) {
    double most = 0;
    for (int i = 0; i < m->bodies; i++) {
        most = bri_max(most, bri_norm(bri_sub(a[i].r, b[i].r)));
        for (int k = 0; k < 9; k++) most = bri_max(most, bri_abs(a[i].A.m[k / 3][k % 3] - b[i].A.m[k / 3][k % 3]));
    }
    return most;
}

/* Kinematic bodies where their motion has them at the state's time, with its velocity. */
static void place_prescribed(const BrModel *m, BrState *state) {
    BriBodyState *bodies = bri_state_bodies(state);
    for (int i = 0; i < m->bodies; i++)
        if (m->body[i].motion >= 0) bri_motion_advance(m, i, state->time, 0, &bodies[i], &bodies[i]);
}

/* Positions onto the constraints. What is redundant shows there only: look, close the joints, look again. */
static bool close_joints(BriStep *step, BriBodyState *bodies) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    bool placed = false;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        bri_system_find_rank(m, &w->system, w->trial, bodies);
        for (int k = 0; k < m->joints; k++) {
            unsigned char found = (unsigned char)bri_state_joints(w->trial)[k].redundant;
            if (found != w->redundant[k]) placed = false;
            w->redundant[k] = found;
        }
        if (placed) break;
        for (int k = 0; k < MOST_FACTORS && !placed; k++) {
            step->report = (BrStepReport){0};
            step->worst = 0;
            bri_system_factor(m, &w->system, w->trial, bodies);
            placed = bri_constrain_positions(step, step->start->time, bodies);
        }
    }
    return placed && step->report.position_residual <= 3e4 * step->position_tolerance; /* 1e-9 m at a size of 1 m */
}

/* Velocities onto the constraints; rows that turn out not to be redundant are taken back. */
static bool fit_velocities(BriStep *step, BriBodyState *bodies) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        step->report.velocity_residual = 0;
        bri_system_factor(m, &w->system, w->trial, bodies);
        bri_system_targets(m, step->start, step->start->time, w->target);
        bri_constrain_rates(step, &w->system.J, &w->system.J, w->target, 0, bodies, w->p);
        if (!bri_take_back_rows(step, step->start->time, bodies, w->redundant)) break;
        for (int k = 0; k < m->joints; k++) bri_state_joints(w->trial)[k].redundant = w->redundant[k];
    }
    return step->report.velocity_residual <= 1e6 * step->velocity_tolerance;
}

BrStatus br_state_assemble(const BrModel *m, BrWorkspace *w, BrState *state, double *moved, BrError *error) {
    if (state->fingerprint != m->fingerprint || w->fingerprint != m->fingerprint)
        return bri_fail(error, BR_MISMATCH, "the state or the workspace belongs to another model");
    BriStep step = {.model = m, .ws = w, .start = state};
    BriBodyState *bodies = bri_state_bodies(w->trial);
    memcpy(w->trial, state, state->size);
    w->evaluated = false;
    place_prescribed(m, w->trial);
    bri_rest_motors(m, w->trial); /* they start pulling with the first step */
    bri_step_set_tolerances(&step);

    bool closed = close_joints(&step, bodies);
    double distance = measure_move(m, bri_state_bodies(state), bodies);
    if (!closed || !bri_is_finite(distance))
        return bri_fail(
            error, BR_INVALID_MODEL,
            "the joints cannot be assembled: joint '%s' stays open by %.3g m (or rad) however the bodies are "
            "moved; check its points, axes and lengths",
            bri_worst_joint_name(&step), step.report.position_residual);
    bri_update_angles(m, w->trial);
    if (!fit_velocities(&step, bodies))
        return bri_fail(
            error, BR_INVALID_MODEL,
            "the initial velocities cannot be made to fit the joints: a rate of %.3g is left at joint '%s'; "
            "look for drives that contradict each other",
            step.report.velocity_residual, bri_worst_joint_name(&step));
    for (int k = 0; k < m->joints; k++)
        memset(bri_state_joints(w->trial)[k].clamp, 0, sizeof bri_state_joints(w->trial)[k].clamp);
    w->trial->powers_known = 0;
    memcpy(state, w->trial, state->size);
    if (moved) *moved = distance;
    return BR_OK;
}
