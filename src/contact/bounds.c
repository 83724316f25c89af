/* bounds.c: limits, dry friction and motors of joints as rows of the contact problem: which there are, where they are, and
 * what they are asked for. */
#include "contact/contact.h"
#include "dynamics/servo.h"

/* The joint's coordinate at a pose. */
static void measure(const BriStep *step, const BriJointBound *bound, const BriBodyState *bodies, double *position,
                    double *rate) {
    const BriJoint *j = &step->model->joint[bound->joint];
    BriJointPose pose =
        bri_joint_pose(j, &bodies[j->a], &bodies[j->b], bri_state_joints(step->ws->trial)[bound->joint].angle);
    bri_joint_coordinate(j, &pose, bound->coordinate, position, rate);
}

double bri_bound_rate(const BriStep *step, const BriBoundRow *bound, const BriBodyState *bodies) {
    double position, rate;
    measure(step, &step->model->bound[bound->bound], bodies, &position, &rate);
    return rate;
}

static double find_limit(const BriJoint *j, const BriJointBound *bound) {
    return bound->kind == BRI_BOUND_UPPER ? j->def.upper[bound->coordinate] : j->def.lower[bound->coordinate];
}

void bri_find_bounds(BriStep *step, const BriBodyState *bodies, double ahead) {
    const double CLOSE = 1e-3; /* m or rad; a guess: limits.c makes up for what it misses */
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    if (!step->keeps_bounds) c->bounds = 0;
    c->has_grips = false;
    for (int i = 0; !step->keeps_bounds && i < m->bounds; i++) {
        const BriJointBound *bound = &m->bound[i];
        const BriJoint *j = &m->joint[bound->joint];
        if (bound->kind == BRI_BOUND_GRIP) continue; /* below */
        BriBoundRow row = {.bound = i, .joint = bound->joint, .kind = bound->kind};
        double position, rate, none = __builtin_inf();
        bool upper = bound->kind == BRI_BOUND_UPPER;
        if (bound->kind == BRI_BOUND_MOTOR) {
            row.motor_row = bri_drive_row(j, bound->drive);
            if (!bri_motor_is_row(step, j->drive[bound->drive].motor)) continue;
        } else if (bound->kind == BRI_BOUND_FRICTION) {
            row.upper = j->def.dry_friction[bound->coordinate];
            row.lower = -row.upper;
        } else {
            measure(step, bound, bodies, &position, &rate);
            BriLimitCall *call = &step->ws->limit_call[i];
            bool guess = *call != BRI_LIMIT_ASKED;
            row.distance = position - find_limit(j, bound);
            if (guess && (upper ? -row.distance : row.distance) > 4 * ahead * bri_abs(rate) + CLOSE) {
                *call = BRI_LIMIT_LEFT_OUT;
                continue;
            }
            row.lower = upper ? -none : 0;
            row.upper = upper ? 0 : none;
        }
        c->bound[c->bounds++] = row;
    }
    if (m->grips) bri_grips_begin(step, bodies);
}

void bri_move_bounds(BriStep *step, const BriBodyState *bodies) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->bounds; k++) {
        BriBoundRow *bound = &c->bound[k];
        const BriJointBound *of = &m->bound[bound->bound];
        double position, rate;
        if (!bri_is_limit(bound)) continue;
        measure(step, of, bodies, &position, &rate);
        bound->distance = position - find_limit(&m->joint[bound->joint], of);
    }
}

/* A servo's row yields; one that pushes by itself is none. */
static void set_servo(const BriStep *step, BriBoundRow *bound, const BriJointBound *of) {
    bool pushes = bri_state_joints(step->ws->trial)[of->joint].clamp[of->drive] == BRI_PUSHING;
    bound->yield = pushes ? 0 : step->ws->system.yield[bound->motor_row];
    if (pushes) bound->lower = bound->upper = 0;
}

void bri_set_bounds(BriStep *step, double span, double ahead) {
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->bounds; k++) {
        BriBoundRow *bound = &c->bound[k];
        const BriJointBound *of = &step->model->bound[bound->bound];
        const BriJoint *j = &step->model->joint[bound->joint];
        bool past = bound->distance * (bound->kind == BRI_BOUND_LOWER ? 1 : -1) < 0;
        if (bri_is_limit(bound)) {
            bound->offset = past ? 0 : bound->distance / ahead;
            continue;
        }
        bool motor = bound->kind == BRI_BOUND_MOTOR;
        if (bound->kind == BRI_BOUND_GRIP) continue;
        bound->offset = motor ? -step->ws->target[bound->motor_row] : 0;
        bound->upper =
            span * (motor ? bri_motor_effort(step, j->drive[of->drive].motor) : j->def.dry_friction[of->coordinate]);
        bound->lower = -bound->upper;
        if (motor && bri_is_servo(step->model, j->drive[of->drive].motor)) set_servo(step, bound, of);
    }
    if (c->has_grips) bri_grips_ask(step, span);
}
