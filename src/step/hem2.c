/* hem2.c: order 2, half-explicit midpoint, two solves per step:
 *     Q2 = q + h/2 v,     V2 = S(q, v -> Q2, h/2)
 *     Q3 = q + h V2,      V3 = S(Q2, V2 -> Q3, h),     (q, v) <- (Q3, V3)                                     (6.2)
 * S(Qs, Vs -> Qe, d): start from the step's own v, forces and their directions J at Qs, conditions J(Qe) v = target.
 * One factor serves the step, that of Q2: both operators differ from it by O(h) and refinement removes the difference.
 * Then positions, O(h^3) off, are put on the constraints with the same factor. */
#include "dynamics/force.h"
#include "step/constrain.h"

#include <string.h>

BrStatus bri_step_hem2(BriStep *step) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    BriJacobian *J = &w->system.J, *C = &w->system.C;
    const BriBodyState *start = bri_state_bodies(step->start);
    BriBodyState *bodies = bri_state_bodies(w->trial), *middle = w->bodies;
    double t = step->start->time, h = step->h;
    size_t size = (size_t)m->bodies * sizeof *bodies;

    /* first solve: V2, with forces at q and conditions at Q2 */
    memcpy(middle, start, size);
    bri_move(m, start, start, t, 0.5 * h, middle);
    bri_factor(step, middle);
    bri_forces(m, step->start, start, t, w->f);
    bri_apply_forces(m, w->f, 0.5 * h, middle);
    bri_apply_gyroscopic(m, start, 0.5 * h, middle);
    bri_system_targets(m, step->start, t + 0.5 * h, w->target);
    bri_system_jacobian(m, w->trial, start, C);
    bool converged = bri_constrain_rates(step, C, J, w->target, 0.5 * h, middle, w->p);

    /* second solve: V3, with forces at Q2 and conditions at Q3 */
    memcpy(bodies, start, size);
    bri_move(m, start, middle, t, h, bodies);
    bri_forces(m, step->start, middle, t + 0.5 * h, w->f);
    bri_apply_forces(m, w->f, h, bodies);
    bri_apply_gyroscopic(m, middle, h, bodies);
    bri_system_targets(m, step->start, t + h, w->target);
    bri_factor(step, w->system.factor_pose);
    bri_system_jacobian(m, w->trial, bodies, C);
    converged = bri_constrain_rates(step, J, C, w->target, h, bodies, w->p_step) && converged;
    converged = bri_constrain_positions(step, t + h, bodies) && converged;
    return converged ? BR_OK : BR_NOT_CONVERGED;
}
