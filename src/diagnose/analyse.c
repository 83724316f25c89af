/* redundancy.c: what the constraints of a machine add up to in one pose. */
#include "step/constrain.h"

#include <string.h>

static const char *name_row(const BriJoint *j, int r) {
    return r < j->type->info.constraints ? j->type->row_name[r] : "drive";
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
