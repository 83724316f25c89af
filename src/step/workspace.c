/* workspace.c: making and releasing a workspace. */
#include "dynamics/servo.h"
#include "step/schemes.h"

static void note_rate_rows(const BrModel *m, BrWorkspace *w) {
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        bool *row = w->is_rate_row + j->first_row;
        const BrJointInfo *info = &j->type->info;
        for (int r = info->holonomic; r < info->constraints; r++) row[r] = true; /* position rows come first */
        for (int d = 0; d < j->drives; d++) row[info->constraints + d] = j->drive[d].by_velocity;
        for (int r = 0; r < j->rows; r++) w->has_rate_rows = w->has_rate_rows || row[r];
    }
}

static bool work_arrays(const BrModel *m, BrWorkspace *w, BriArrayWork work) {
    size_t bodies = (size_t)m->bodies, joints = (size_t)m->joints, rows = (size_t)m->rows, six = 6 * (size_t)m->moving;
    const BriArray arrays[] = {BRI_ARRAY(w->error, rows),
                               BRI_ARRAY(w->target, rows),
                               BRI_ARRAY(w->target_old, rows),
                               BRI_ARRAY(w->rate, rows),
                               BRI_ARRAY(w->p, rows),
                               BRI_ARRAY(w->p_step, rows),
                               BRI_ARRAY(w->lambda, rows),
                               BRI_ARRAY(w->cg, 4 * rows),
                               BRI_ARRAY(w->is_rate_row, rows),
                               BRI_ARRAY(w->bodies, bodies),
                               BRI_ARRAY(w->free, bodies),
                               BRI_ARRAY(w->part_start, bodies),
                               BRI_ARRAY(w->impact_start, bodies),
                               BRI_ARRAY(w->acceleration, 6 * bodies),
                               BRI_ARRAY(w->f, six),
                               BRI_ARRAY(w->f_old, six),
                               BRI_ARRAY(w->redundant, joints),
                               BRI_ARRAY(w->limit_call, (size_t)m->bounds),
                               BRI_ARRAY(w->grip, (size_t)m->grips),
                               BRI_ARRAY(w->servo, m->servos ? (size_t)m->motors : 0),
                               BRI_ARRAY(w->was_clamp, (size_t)m->motors),
                               BRI_ARRAY(w->told_clamp, (size_t)m->motors),
                               BRI_ARRAY(w->share, m->grips ? bodies : 0),
                               BRI_ARRAY(w->kept, m->grips ? six : 0),
                               BRI_ARRAY(w->changes, (size_t)m->lastings),
                               BRI_ARRAY(w->was_held, (size_t)m->lastings),
                               BRI_ARRAY(w->normal_force, (size_t)m->lastings),
                               BRI_ARRAY(w->reaction, joints),
                               BRI_ARRAY(w->reaction_mean, joints),
                               BRI_ARRAY(w->joint_axes, joints),
                               BRI_LATER_ARRAY(w->flow)};
    return bri_work_arrays(&m->allocator, arrays, BRI_COUNT(arrays), work);
}

BrStatus br_workspace_create(const BrModel *m, BrWorkspace **workspace, BrError *error) {
    BRI_NEED(workspace, "workspace", error);
    *workspace = NULL;
    BRI_NEED(m, "model", error);
    if (!m->built)
        return bri_fail(error, BR_WRONG_STAGE, "a workspace needs a built model: call br_model_build() first");
    BrWorkspace *w = bri_allocate(&m->allocator, 1, sizeof *w);
    if (!w) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for a workspace");
    w->fingerprint = m->fingerprint;
    BrStatus status = work_arrays(m, w, BRI_MAKE) ? br_state_create(m, &w->trial, error) : BR_OUT_OF_MEMORY;
    if (status == BR_OK) status = bri_system_create(m, &w->system, error);
    if (status == BR_OK) status = bri_contacts_create(m, &w->contacts, error);
    if (status != BR_OK) {
        br_workspace_destroy(m, w);
        if (status != BR_OUT_OF_MEMORY) return status;
        return bri_fail(error, status, "no memory for a workspace of %d bodies and %d joints", m->bodies, m->joints);
    }
    note_rate_rows(m, w);
    bri_servos_prepare(m, w);
    *workspace = w;
    return BR_OK;
}

void br_workspace_destroy(const BrModel *m, BrWorkspace *w) {
    if (!m || !w) return;
    bri_system_release(m, &w->system);
    bri_contacts_release(m, w->contacts);
    br_state_destroy(m, w->trial);
    work_arrays(m, w, BRI_RELEASE);
    bri_release(&m->allocator, w);
}

double *bri_make_flow(const BrModel *m, BrWorkspace *w, size_t size) {
    if (w->flow && size <= w->flow_size) return w->flow;
    bri_release(&m->allocator, w->flow);
    w->flow = bri_allocate(&m->allocator, size, sizeof(double));
    w->flow_size = w->flow ? size : 0;
    return w->flow;
}
