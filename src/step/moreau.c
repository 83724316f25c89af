/* moreau.c: order 1. One solve at the old pose, positions by the new velocity, then onto the constraints:
 *     M (v' - v) = h f(q, v) + M g + J(q)^T p,   J(q) v' = target(t + h),   q' = q + h v'                    (6.1)
 * g: what free turning over h does to w. */
#include "dynamics/force.h"
#include "step/constrain.h"

#include <string.h>

/* The gyroscopic part, by free turning: what w x J w does explicitly blows up at fast spins, this keeps |J w|. */
static void turn_spins(const BrModel *m, const BriBodyState *start, double h, BriBodyState *bodies) {
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        BrMat3 A = start[i].A;
        BrVec3 w = start[i].w;
        bri_top_turn(&m->body[i].top, h, &A, &w);
        bodies[i].w = bri_add(bodies[i].w, bri_sub(w, start[i].w));
    }
}

BrStatus bri_step_moreau(BriStep *step) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    const BriBodyState *start = bri_state_bodies(step->start);
    BriBodyState *bodies = bri_state_bodies(w->trial);
    double t = step->start->time, h = step->h;

    bri_factor(step, start);
    bri_forces(m, step->start, start, t, w->f);
    bri_apply_forces(m, w->f, h, bodies);
    turn_spins(m, start, h, bodies);
    bri_move(m, start, start, t, h, w->bodies); /* kinematic bodies: velocities at the end of the step */
    for (int i = 0; i < m->bodies; i++)
        if (m->body[i].node < 0) bodies[i].v = w->bodies[i].v, bodies[i].w = w->bodies[i].w;

    bri_system_targets(m, step->start, t + h, w->target);
    bool converged = bri_constrain_rates(step, &w->system.J, &w->system.J, w->target, h, bodies, w->p_step);
    bri_move(m, start, bodies, t, h, bodies);
    converged = bri_constrain_positions(step, t + h, bodies) && converged;
    return converged ? BR_OK : BR_NOT_CONVERGED;
}
