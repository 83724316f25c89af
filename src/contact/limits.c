/* limits.c: that no limit of a joint is jumped, and how a joint comes back that is past one.
 *
 * Of many limits a solve knows those that may be near; which these are is a guess, since forces, contacts and impacts
 * can drive a joint anywhere. A step that ends past a limit which it left out is made again with that limit, so that
 * the guess costs time at worst.
 *
 * A joint past its limit (set there, or pushed there by something else) comes back as a displacement, dq = K^-1 J^T x,
 * a fifth of the way per step: a speed would stay when the way is done, and be energy from nowhere. */
#include "contact/units.h"

static const double FARTHEST = 0.1; /* m or rad: in one step, so that the other joints can follow */

static BriJointPose find_pose(const BriStep *step, int joint, const BriBodyState *bodies, double near) {
    const BriJoint *j = &step->model->joint[joint];
    return bri_joint_pose(j, &bodies[j->a], &bodies[j->b], near);
}

/* How far it is to a limit, m or rad; negative: past it. Turns are counted on over a time h. */
static double find_way(const BriStep *step, const BriJointBound *bound, const BriBodyState *bodies, double h) {
    const BriJoint *j = &step->model->joint[bound->joint];
    double position, rate, angle = bri_state_joints(step->ws->trial)[bound->joint].angle;
    BriJointPose pose = find_pose(step, bound->joint, bodies, angle);
    bri_joint_coordinate(j, &pose, bound->coordinate, &position, &rate);
    if (h > 0) {
        pose.near = angle + h * rate;
        bri_joint_coordinate(j, &pose, bound->coordinate, &position, &rate);
    }
    return bound->kind == BRI_BOUND_LOWER ? position - j->def.lower[bound->coordinate]
                                          : j->def.upper[bound->coordinate] - position;
}

bool bri_limits_missed(BriStep *step, bool ask_all) {
    const BrModel *m = step->model;
    BriLimitCall *call = step->ws->limit_call;
    const BriBodyState *bodies = bri_state_bodies(step->ws->trial);
    bool missed = false;
    for (int i = 0; i < m->bounds; i++) {
        if (call[i] != BRI_LIMIT_LEFT_OUT) continue;
        bool passed = find_way(step, &m->bound[i], bodies, step->h) < -step->position_tolerance;
        call[i] = passed ? BRI_LIMIT_ASKED : BRI_LIMIT_UNKNOWN;
        missed = missed || passed;
    }
    for (int i = 0; missed && ask_all && i < m->bounds; i++) call[i] = BRI_LIMIT_ASKED;
    return missed;
}

/* Moves the machine so that a coordinate changes by `change`, the other joints staying closed to first order. */
static void shift_coordinate(BriStep *step, const BriJointBound *bound, double change, BriBodyState *bodies) {
    const double HELD = 1e-9; /* of what its two bodies would do alone: other joints hold it */
    const BrModel *m = step->model;
    const BriJoint *j = &m->joint[bound->joint];
    double row[2][6], *x = step->ws->system.x, moved = 0, alone = 0;
    int end[2] = {j->a, j->b};
    BriJointPose pose = find_pose(step, bound->joint, bodies, 0);
    bri_joint_coordinate_row(j, &pose, bound->coordinate, row[0], row[1]);
    memset(x, 0, (6 * (size_t)m->moving + (size_t)m->rows) * sizeof(double));
    for (int e = 0; e < 2; e++) {
        const BriBody *body = &m->body[end[e]];
        if (body->node < 0) continue;
        BrVec3 push = bri_vec(row[e][0], row[e][1], row[e][2]), turn = bri_vec(row[e][3], row[e][4], row[e][5]);
        memcpy(x + 6 * body->node, row[e], sizeof row[e]);
        alone += body->inverse_mass * bri_dot(push, push) + bri_dot(turn, bri_mul(&body->inverse_inertia, turn));
    }
    bri_spend(step->budget, step->ws->system.ldl.solve_work + 200. * m->moving);
    bri_system_solve_loads(m, &step->ws->system, x);
    for (int e = 0; e < 2; e++)
        for (int i = 0, node = m->body[end[e]].node; node >= 0 && i < 6; i++) moved += row[e][i] * x[6 * node + i];
    if (!(moved > HELD * alone)) return;
    for (int i = 0; i < 6 * m->moving; i++) x[i] *= change / moved;
    bri_displace(step, x, bodies);
}

/* What is to change of a coordinate that is held, m or rad. */
static double find_change(const BriStep *step, const BriBoundRow *row) {
    const double DEEP = 1e-6; /* m or rad: more is not what steps leave, but was set */
    if (!bri_is_limit(row) || bri_abs(row->distance) <= step->position_tolerance) return 0;
    if (bri_abs(row->distance) <= DEEP) return -row->distance;
    double change = bri_min(0.2 * bri_abs(row->distance), FARTHEST);
    return row->distance > 0 ? -change : change;
}

void bri_limits_settle(BriStep *step, BriBodyState *bodies) {
    BriContacts *c = step->ws->contacts;
    int count = c->count;
    bool any = false;
    for (int k = 0; k < c->bounds; k++) any = any || (!c->bound[k].off && find_change(step, &c->bound[k]) != 0);
    if (!any) return;
    c->count = 0; /* contacts follow, when they are projected */
    bri_bounds_same_rows(step, bodies);
    bri_units_prepare(step);
    for (int k = 0; k < c->units; k++) c->r[c->unit[k].row] = find_change(step, &c->bound[-1 - c->unit[k].contact]);
    bri_units_solve_linear(step);
    bri_displace(step, bri_units_spread(step, c->r), bodies);
    c->count = count;
}

void bri_limits_return(BriStep *step, BriBodyState *bodies) {
    const BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->bounds; k++) {
        const BriBoundRow *row = &c->bound[k];
        const BriJointBound *bound = &step->model->bound[row->bound];
        double sign = row->kind == BRI_BOUND_LOWER ? 1 : -1;
        if (!bri_is_limit(row) || sign * row->distance >= -step->position_tolerance) continue;
        double past = -find_way(step, bound, bodies, 0);
        if (past > step->position_tolerance)
            shift_coordinate(step, bound, sign * bri_min(0.2 * past, FARTHEST), bodies);
    }
}
