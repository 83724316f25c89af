/* workspace.c: making and releasing a workspace. */
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

BrStatus br_workspace_create(const BrModel *m, BrWorkspace **workspace, BrError *error) {
    *workspace = NULL;
    if (!m->built)
        return bri_fail(error, BR_WRONG_STAGE, "a workspace needs a built model: call br_model_build() first");
    const BrAllocator *allocator = &m->allocator;
    BrWorkspace *w = bri_allocate(allocator, 1, sizeof *w);
    if (!w) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for a workspace");
    w->fingerprint = m->fingerprint;
    size_t bodies = (size_t)m->bodies, rows = (size_t)m->rows, six = 6 * (size_t)m->moving;
    double **numbers[] = {&w->error, &w->target, &w->target_old, &w->rate, &w->p, &w->p_step, &w->lambda};
    bool fine = true;
    for (int i = 0; i < BRI_COUNT(numbers); i++)
        fine = (*numbers[i] = bri_allocate(allocator, rows, sizeof(double))) && fine;
    fine = (w->bodies = bri_allocate(allocator, bodies, sizeof(BriBodyState))) && fine;
    fine = (w->free = bri_allocate(allocator, bodies, sizeof(BriBodyState))) && fine;
    fine = (w->part_start = bri_allocate(allocator, bodies, sizeof(BriBodyState))) && fine;
    fine = (w->impact_start = bri_allocate(allocator, bodies, sizeof(BriBodyState))) && fine;
    fine = (w->f = bri_allocate(allocator, six, sizeof(double))) && fine;
    fine = (w->f_old = bri_allocate(allocator, six, sizeof(double))) && fine;
    fine = (w->redundant = bri_allocate(allocator, (size_t)m->joints, 1)) && fine;
    fine = (w->contact_ends = bri_allocate(allocator, (size_t)m->contact_capacity, sizeof *w->contact_ends)) && fine;
    fine = (w->contact_number = bri_allocate(allocator, (size_t)m->contact_capacity, sizeof(int))) && fine;
    fine = (w->limit_call = bri_allocate(allocator, (size_t)m->bounds, sizeof *w->limit_call)) && fine;
    fine = (w->is_rate_row = bri_allocate(allocator, rows, sizeof(bool))) && fine;
    fine = (w->acceleration = bri_allocate(allocator, 6 * bodies, sizeof(double))) && fine;
    fine = (w->reaction = bri_allocate(allocator, (size_t)m->joints, sizeof(BrWrench))) && fine;
    fine = (w->reaction_mean = bri_allocate(allocator, (size_t)m->joints, sizeof(BrWrench))) && fine;
    fine = (w->joint_axes = bri_allocate(allocator, (size_t)m->joints, sizeof(BrMat3))) && fine;
    fine = (w->cg = bri_allocate(allocator, 4 * rows, sizeof(double))) && fine;
    BrStatus status = fine ? br_state_create(m, &w->trial, error) : BR_OUT_OF_MEMORY;
    if (status == BR_OK) status = bri_system_create(m, &w->system, error);
    if (status == BR_OK && m->touches) status = bri_contacts_create(m, &w->contacts, error);
    if (status != BR_OK) {
        br_workspace_destroy(m, w);
        if (status != BR_OUT_OF_MEMORY) return status;
        return bri_fail(error, status, "no memory for a workspace of %d bodies and %d joints", m->bodies, m->joints);
    }
    note_rate_rows(m, w);
    *workspace = w;
    return BR_OK;
}

void br_workspace_destroy(const BrModel *m, BrWorkspace *w) {
    if (!w) return;
    bri_system_release(m, &w->system);
    bri_contacts_release(m, w->contacts);
    void *owned[] = {w->flow,
                     w->part_start,
                     w->impact_start,
                     w->trial,
                     w->bodies,
                     w->free,
                     w->f,
                     w->f_old,
                     w->error,
                     w->target,
                     w->target_old,
                     w->rate,
                     w->p,
                     w->p_step,
                     w->is_rate_row,
                     w->redundant,
                     w->limit_call,
                     w->contact_ends,
                     w->contact_number,
                     w->acceleration,
                     w->reaction,
                     w->reaction_mean,
                     w->joint_axes,
                     w->lambda,
                     w->cg,
                     w};
    for (int i = 0; i < BRI_COUNT(owned); i++) bri_release(&m->allocator, owned[i]);
}

double *bri_make_flow(const BrModel *m, BrWorkspace *w, size_t size) {
    if (w->flow && size <= w->flow_size) return w->flow;
    bri_release(&m->allocator, w->flow);
    w->flow = bri_allocate(&m->allocator, size, sizeof(double));
    w->flow_size = w->flow ? size : 0;
    return w->flow;
}
