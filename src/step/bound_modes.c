/* bound_modes.c: see bound_modes.h. With q a coordinate, f what pushes along it:
 *     limit       off: q inside;  held: q' = 0, f pushes inwards                            q' >= 0, f >= 0, f q' = 0
 *     friction    slides: f = -F sign(q');  holds: q' = 0, |f| <= F
 *     motor       saturates: f = +-E, against its lag;  holds: q' = its speed, |f| <= E
 * Where q' is what is held the law decides on q'' in its place, with all contacts of the island: limits and friction are rows
 * with bounds of the contact problem, motors rows of the factor that leave it one after the other (Murty 1974). */
#include "step/bound_modes.h"
#include "dynamics/servo.h"
#include "step/hold.h"

#include <string.h>

/* Of a force: so near it is at its bound. */
static const double EDGE = 1e-9;

/* m/s, rad/s: rates that may be zero; those that a slide may have when it has ended. */
static double still(const BriStep *step) { return 1e3 * step->velocity_tolerance; }
static double stopped(const BriStep *step) { return 10 * step->velocity_tolerance; }
/* m, rad: ways to a limit that may be zero. */
static double no_way(const BriStep *step) { return 25 * step->position_tolerance; }

static bool is_bounded(const BrModel *m, int motor) { return motor >= 0 && m->motor[motor].def.kind == BR_MOTOR_SPEED; }

bool bri_bounds_any(const BrModel *m) {
    if (m->bounds > m->motor_bounds + m->grip_bounds) return true;
    for (int n = 0; n < m->motors; n++)
        if (is_bounded(m, n) && bri_is_finite(m->motor[n].def.max_effort)) return true;
    return false;
}

double bri_measure_accelerations(const BrModel *m, const double *a, const double *b) {
    double largest = 0;
    for (int i = 0; i < m->bodies; i++) {
        double d[6];
        for (int k = 0; k < 6; k++) d[k] = a[6 * i + k] - (b ? b[6 * i + k] : 0);
        double turn = bri_norm(bri_vec(d[3], d[4], d[5]));
        largest = bri_max(largest, bri_norm(bri_vec(d[0], d[1], d[2])) + m->body[i].size * turn);
    }
    return largest;
}

/* ------------------------------------------------------------------ coordinates */

static BriJointPose find_pose(const BriStep *step, int joint, const BriBodyState *bodies) {
    const BriJoint *j = &step->model->joint[joint];
    return bri_joint_pose(j, &bodies[j->a], &bodies[j->b], bri_state_joints(step->ws->trial)[joint].angle);
}

/* q'' with the accelerations at hand, m/s^2 or rad/s^2. */
static double find_acceleration(const BriStep *step, const BriBodyState *bodies, int joint, int coordinate) {
    const BriJoint *j = &step->model->joint[joint];
    BriJointPose pose = find_pose(step, joint, bodies);
    const double *a = step->ws->acceleration + 6 * j->a, *b = step->ws->acceleration + 6 * j->b;
    double Ja[6], Jb[6], sum = bri_joint_coordinate_bias(j, &pose, coordinate);
    bri_joint_coordinate_row(j, &pose, coordinate, Ja, Jb);
    for (int i = 0; i < 6; i++) sum += Ja[i] * a[i] + Jb[i] * b[i];
    return sum;
}

/* What makes m/s^2 of it, with which all accelerations are compared: m, or 1. */
static double find_arm(const BrModel *m, int joint, int coordinate) {
    const BriJoint *j = &m->joint[joint];
    double a = m->body[j->a].node < 0 ? 0 : m->body[j->a].size, b = m->body[j->b].node < 0 ? 0 : m->body[j->b].size;
    return j->type->measure[coordinate] == BRI_MEASURE_ANGLE ? bri_max(a, b) : 1;
}

static double find_run(const BriStep *step, const BriBodyState *bodies, const BriBoundRow *row) {
    int coordinate = step->model->bound[row->bound].coordinate;
    return find_arm(step->model, row->joint, coordinate) * find_acceleration(step, bodies, row->joint, coordinate);
}

/* +1 where a limit pushes up, -1 where it pushes down. */
static double find_side(const BriBoundRow *row) { return row->kind == BRI_BOUND_LOWER ? 1 : -1; }

static double find_way(const BriBoundRow *row) { return find_side(row) * row->distance; }

static double find_friction(const BriStep *step, const BriBoundRow *row) {
    return step->model->joint[row->joint].def.dry_friction[step->model->bound[row->bound].coordinate];
}

/* Does the law decide what it does? */
static bool is_open(const BriStep *step, const BriBoundRow *row) {
    return bri_abs(row->rate) <= still(step) && (!bri_is_limit(row) || find_way(row) <= no_way(step));
}

/* ------------------------------------------------------------------ motors */

/* A motor with a largest effort, that others have not made rest. */
typedef struct Motor {
    int number, joint, row, coordinate;
    bool resting;  /* or that rest */
    double bound;  /* N or N m */
    double *clamp; /* BriClamp */
} Motor;

/* The next one behind `number`; false: there is none. */
static bool find_next(const BriStep *step, Motor *motor) {
    const BrModel *m = step->model;
    while (++motor->number < m->motors) {
        int n = motor->number, k = m->motor[n].joint;
        const BriJoint *j = &m->joint[k];
        motor->bound = bri_motor_effort(step, n);
        if (!is_bounded(m, n) || !bri_is_finite(motor->bound)) continue;
        motor->clamp = NULL;
        for (int d = 0; d < j->drives; d++) {
            if (j->drive[d].motor != n) continue;
            motor->joint = k;
            motor->row = bri_drive_row(j, d);
            motor->coordinate = j->drive[d].coordinate;
            motor->clamp = &bri_state_joints(step->ws->trial)[k].clamp[d];
        }
        if (motor->clamp && (motor->resting || *motor->clamp != BRI_RESTING)) return true;
    }
    return false;
}

/* How much faster its coordinate is than its speed. */
static double find_lead(const BriStep *step, const BriBodyState *bodies, const Motor *motor) {
    double position, rate, speed, bound;
    BriJointPose pose = find_pose(step, motor->joint, bodies);
    bri_joint_coordinate(&step->model->joint[motor->joint], &pose, motor->coordinate, &position, &rate);
    br_motor_target(step->model, step->ws->trial, br_model_motor(step->model, motor->number), &speed, &bound);
    return rate - speed;
}

/* How fast that grows, m/s^2. */
static double find_lead_rate(const BriStep *step, const BriBodyState *bodies, const Motor *motor) {
    BrWorkspace *w = step->ws;
    bri_system_target_rates(step->model, w->trial, w->trial->time, w->error);
    double rate = find_acceleration(step, bodies, motor->joint, motor->coordinate) - w->error[motor->row];
    return find_arm(step->model, motor->joint, motor->coordinate) * rate;
}

static bool is_clamped(const Motor *motor) { return *motor->clamp != BRI_FREE; }

/* Holds it more than it can? */
static bool is_overloaded(const BriStep *step, const Motor *motor) {
    return !is_clamped(motor) && bri_abs(step->ws->lambda[motor->row]) > motor->bound * (1 + EDGE);
}

/* ------------------------------------------------------------------ modes */

void bri_bounds_begin(BriStep *step, const BriBodyState *bodies) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    step->keeps_bounds = false;
    for (int i = 0; i < m->bounds; i++) step->ws->limit_call[i] = BRI_LIMIT_ASKED;
    if (m->bounds) bri_find_bounds(step, bodies, 0);
    step->keeps_bounds = true;
    for (int k = 0; k < c->bounds; k++) c->bound[k].off = true;
    for (Motor o = {.number = -1}; find_next(step, &o);) step->ws->told_clamp[o.number] = *o.clamp;
    bri_bounds_look(step, bodies);
    bri_bounds_start(step);
    BrFormulation last = (BrFormulation)step->start->formulation;
    bool told = step->start->steps > 0 && (last == BR_FORMULATION_EVENT || last == BR_FORMULATION_COMPLIANT);
    for (int k = 0; k < c->bounds; k++) {
        bool was_off = bri_state_bounds(step->start)[c->bound[k].bound].landing != 0;
        c->bound[k].told_off = told ? was_off : c->bound[k].off;
    }
}

void bri_bounds_look(BriStep *step, const BriBodyState *bodies) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    double since = step->ws->trial->time - step->start->time - step->counted;
    for (int k = 0; k < c->bounds; k++) {
        BriBoundRow *row = &c->bound[k];
        const BriJoint *j = &m->joint[row->joint];
        int coordinate = m->bound[row->bound].coordinate;
        BriJointPose pose = find_pose(step, row->joint, bodies);
        double position;
        bri_joint_coordinate(j, &pose, coordinate, &position, &row->rate);
        if (!bri_is_limit(row)) continue;
        if (j->type->measure[coordinate] == BRI_MEASURE_ANGLE) { /* turns since they were counted */
            pose.near += since * row->rate;
            bri_joint_coordinate(j, &pose, coordinate, &position, &row->rate);
        }
        row->distance = position - (row->kind == BRI_BOUND_UPPER ? j->def.upper : j->def.lower)[coordinate];
    }
}

void bri_bounds_start(BriStep *step) {
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->bounds; k++) {
        BriBoundRow *row = &c->bound[k];
        double way = find_way(row), friction = bri_is_limit(row) ? 0 : find_friction(step, row);
        bool open = is_open(step, row), begun = row->off && row->push * row->rate < 0;
        row->start_distance = row->distance, row->start_rate = row->rate;
        row->slack = bri_is_limit(row) ? bri_max(no_way(step), -way) : 0;
        row->off = !open || (!bri_is_limit(row) && begun);
        if (!open) row->push = row->rate > 0 ? -friction : friction;
    }
    for (Motor o = {.number = -1}; find_next(step, &o);) {
        double lead = find_lead(step, bri_state_bodies(step->ws->trial), &o);
        if (bri_abs(lead) > still(step))
            *o.clamp = lead < 0 ? BRI_AT_UPPER : BRI_AT_LOWER;
        else if (*o.clamp * lead > 0)
            *o.clamp = BRI_FREE;
    }
}

double bri_bounds_beyond(const BriStep *step, const BriBodyState *bodies) {
    const BriContacts *c = step->ws->contacts;
    double most = -__builtin_inf();
    for (int k = 0; k < c->bounds; k++) {
        const BriBoundRow *row = &c->bound[k];
        if (!row->off) continue;
        if (bri_is_limit(row)) most = bri_max(most, -find_way(row) - row->slack);
        if (row->push != 0) most = bri_max(most, (row->push > 0 ? row->rate : -row->rate) - stopped(step));
    }
    for (Motor o = {.number = -1}; find_next(step, &o);)
        if (is_clamped(&o)) most = bri_max(most, *o.clamp * find_lead(step, bodies, &o) - stopped(step));
    return most;
}

/* A limit, from `first` on, that a coordinate may have passed on a way of h, at whose end it was looked at, and come back
 * from; -1: none. */
static int find_turned(const BriStep *step, int first, double h) {
    const BriContacts *c = step->ws->contacts;
    for (int k = first; k < c->bounds; k++) {
        const BriBoundRow *row = &c->bound[k];
        double side = find_side(row), most = h * bri_max(bri_abs(row->start_rate), bri_abs(row->rate));
        if (!bri_is_limit(row) || !row->off || !(side * row->start_rate < 0) || !(side * row->rate > 0)) continue;
        if (bri_min(side * row->start_distance, find_way(row)) < most) return k;
    }
    return -1;
}

/* The rate towards it goes through zero where it is farthest: halved until it cannot come so far any more. */
double bri_bounds_find_excess(BriStep *step, double h, BriLookAlong *look, void *user) {
    enum { MOST_HALVINGS = 60 };
    int limit = find_turned(step, 0, h);
    while (limit >= 0) {
        const BriBoundRow *row = &step->ws->contacts->bound[limit];
        double low = 0, high = h;
        for (int k = 0; k < MOST_HALVINGS && bri_has_budget(step->budget); k++) {
            double middle = 0.5 * (low + high);
            look(user, middle);
            if (bri_bounds_beyond(step, bri_state_bodies(step->ws->trial)) > 0) return middle;
            if (find_way(row) > (high - low) * bri_abs(row->rate) + row->slack) break;
            *(find_side(row) * row->rate < 0 ? &low : &high) = middle;
        }
        look(user, h);
        limit = find_turned(step, limit + 1, h);
    }
    return h;
}

void bri_bounds_push(BriStep *step, const BriBodyState *bodies, double *f) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->bounds; k++) {
        BriBoundRow *row = &c->bound[k];
        const BriJoint *j = &m->joint[row->joint];
        if (!row->off) continue;
        row->p = bri_is_limit(row) ? 0 : row->push;
        if (row->p == 0) continue;
        double J[2][6];
        BriJointPose pose = find_pose(step, row->joint, bodies);
        bri_joint_coordinate_row(j, &pose, m->bound[row->bound].coordinate, J[0], J[1]);
        for (int e = 0; e < 2; e++)
            for (int i = 0, node = m->body[e ? j->b : j->a].node; node >= 0 && i < 6; i++)
                f[6 * node + i] += row->p * J[e][i];
    }
}

/* One that is off and open: does it go on as it does? */
static bool goes_on(const BriBoundRow *row, double run, double least) {
    return bri_is_limit(row) ? find_side(row) * run >= -least : row->push * run <= least * bri_abs(row->push);
}

bool bri_bounds_fit(const BriStep *step, const BriBodyState *bodies, double least) {
    const BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->bounds; k++) {
        const BriBoundRow *row = &c->bound[k];
        if (row->off && !is_open(step, row)) continue;
        double run = find_run(step, bodies, row);
        if (row->off && !goes_on(row, run, least)) return false;
        if (row->off) continue;
        if (bri_abs(run) > least) return false;
        if (bri_is_limit(row) ? find_side(row) * row->p < 0 : bri_abs(row->p) > find_friction(step, row) * (1 + EDGE))
            return false;
    }
    for (Motor o = {.number = -1}; find_next(step, &o);) {
        if (is_overloaded(step, &o)) return false;
        bool open = is_clamped(&o) && bri_abs(find_lead(step, bodies, &o)) <= still(step);
        if (open && *o.clamp * find_lead_rate(step, bodies, &o) > least) return false;
    }
    return true;
}

void bri_bounds_ask(BriStep *step, bool begun) {
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->bounds; k++) {
        BriBoundRow *row = &c->bound[k];
        double none = __builtin_inf(), friction = bri_is_limit(row) ? 0 : find_friction(step, row);
        bool has_begun = row->off && !bri_is_limit(row);
        row->was_off = row->off;
        if (is_open(step, row) && (begun || !has_begun)) row->off = false;
        row->lower = row->kind == BRI_BOUND_UPPER ? -none : -friction;
        row->upper = row->kind == BRI_BOUND_LOWER ? none : friction;
    }
    for (Motor o = {.number = -1}; find_next(step, &o);) step->ws->was_clamp[o.number] = *o.clamp;
}

bool bri_bounds_ask_motors(BriStep *step, const BriBodyState *bodies, bool begun, double least, int round) {
    bool changed = false;
    for (Motor o = {.number = -1}; find_next(step, &o) && !(changed && round >= BRI_CLAMP_ROUNDS);) {
        if (is_overloaded(step, &o)) {
            *o.clamp = step->ws->lambda[o.row] > 0 ? BRI_AT_UPPER : BRI_AT_LOWER;
            changed = true;
            continue;
        }
        bool asked = begun || *o.clamp != step->ws->was_clamp[o.number];
        if (!is_clamped(&o) || !asked || bri_abs(find_lead(step, bodies, &o)) > still(step)) continue;
        if (!(*o.clamp * find_lead_rate(step, bodies, &o) > least)) continue;
        *o.clamp = BRI_FREE;
        changed = true;
    }
    return changed && round < bri_most_rounds(step->model);
}

bool bri_bounds_take(BriStep *step, const BriBodyState *bodies, double least) {
    BriContacts *c = step->ws->contacts;
    bool changed = false;
    for (int k = 0; k < c->bounds; k++) {
        BriBoundRow *row = &c->bound[k];
        if (row->off) continue;
        double run = find_run(step, bodies, row);
        if (bri_is_limit(row)) {
            row->off = !(find_side(row) * row->p > 0) && find_side(row) * run > least;
        } else {
            double friction = find_friction(step, row);
            row->off = bri_abs(row->p) >= friction * (1 - EDGE) && bri_abs(run) > least;
            if (row->off) row->push = row->p > 0 ? friction : -friction;
        }
        changed = changed || row->off != row->was_off;
    }
    for (Motor o = {.number = -1}; find_next(step, &o);) changed = changed || *o.clamp != step->ws->was_clamp[o.number];
    return changed;
}

void bri_bounds_forget(BriStep *step) {
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->bounds; k++) c->bound[k].off = c->bound[k].was_off;
    for (Motor o = {.number = -1}; find_next(step, &o);) *o.clamp = step->ws->was_clamp[o.number];
}

void bri_bounds_tell(BriStep *step) {
    BriContacts *c = step->ws->contacts;
    double time = step->ws->trial->time;
    for (int k = 0; k < c->bounds; k++) {
        BriBoundRow *row = &c->bound[k];
        BrEventKind held = bri_is_limit(row) ? BR_EVENT_TOUCH : BR_EVENT_STICK,
                    free = bri_is_limit(row) ? BR_EVENT_SEPARATION : BR_EVENT_SLIP;
        if (row->speed != 0 || (row->told_off && !row->off))
            bri_note_joint_event(step, held, time, row->joint, row->speed, 0);
        if ((row->speed != 0 || !row->told_off) && row->off) bri_note_joint_event(step, free, time, row->joint, 0, 0);
        row->told_off = row->lands = row->off;
        row->speed = 0;
    }
    for (Motor o = {.number = -1}; find_next(step, &o);) {
        double *told = &step->ws->told_clamp[o.number];
        BrEventKind kind = is_clamped(&o) ? BR_EVENT_SATURATION : BR_EVENT_HOLD;
        if (*o.clamp != *told) bri_note_joint_event(step, kind, time, o.joint, *told * o.bound, *o.clamp * o.bound);
        *told = *o.clamp;
    }
}

/* ------------------------------------------------------------------ blows */

static bool is_reached(const BriStep *step, const BriBoundRow *row) {
    return bri_is_limit(row) && find_way(row) <= no_way(step) && -find_side(row) * row->rate > still(step);
}

bool bri_bounds_arrive(BriStep *step) {
    BriContacts *c = step->ws->contacts;
    bool any = false;
    for (int k = 0; k < c->bounds; k++) {
        BriBoundRow *row = &c->bound[k];
        if (!is_reached(step, row) || bri_abs(row->rate) > step->least_bounce) continue;
        row->off = false;
        any = true;
    }
    return any;
}

bool bri_bounds_strike(const BriStep *step) {
    const BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->bounds; k++)
        if (is_reached(step, &c->bound[k])) return true;
    return false;
}

void bri_bounds_begin_blow(BriStep *step) {
    BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->bounds; k++) {
        BriBoundRow *row = &c->bound[k];
        double none = __builtin_inf();
        if (is_reached(step, row)) row->speed = row->rate;
        row->was_off = row->off;
        row->off = !bri_is_limit(row) || find_way(row) > BRI_CLOSED;
        row->lower = row->kind == BRI_BOUND_UPPER ? -none : 0;
        row->upper = row->kind == BRI_BOUND_LOWER ? none : 0;
        row->p = 0;
    }
    for (Motor o = {.number = -1, .resting = true}; find_next(step, &o);) {
        step->ws->was_clamp[o.number] = *o.clamp;
        *o.clamp = BRI_RESTING;
    }
}

void bri_bounds_end_blow(BriStep *step, const BriBodyState *bodies) {
    BriContacts *c = step->ws->contacts;
    double loss = 0; /* which the impact has booked */
    bri_bounds_power(step, bodies, &loss, &step->contact_work);
    for (int k = 0; k < c->bounds; k++)
        if (!bri_is_limit(&c->bound[k])) c->bound[k].off = c->bound[k].was_off;
    for (Motor o = {.number = -1, .resting = true}; find_next(step, &o);) *o.clamp = step->ws->was_clamp[o.number];
    bri_bounds_look(step, bodies);
    bri_bounds_start(step);
    for (int k = 0; k < c->bounds; k++) { /* slower ones would come back through ways that rounding leaves undecided */
        BriBoundRow *row = &c->bound[k];
        bool slow = bri_abs(row->rate) <= step->least_bounce;
        if (bri_is_limit(row) && find_way(row) <= no_way(step) && slow) row->off = false;
    }
}

void bri_bounds_power(const BriStep *step, const BriBodyState *bodies, double *loss, double *work) {
    const BrModel *m = step->model;
    const BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->bounds; k++) {
        const BriBoundRow *row = &c->bound[k];
        const BriJoint *j = &m->joint[row->joint];
        if (row->p == 0) continue;
        *loss -= row->p * row->rate;
        if (m->body[j->a].motion < 0 && m->body[j->b].motion < 0) continue;
        double J[2][6];
        BriJointPose pose = find_pose(step, row->joint, bodies);
        bri_joint_coordinate_row(j, &pose, m->bound[row->bound].coordinate, J[0], J[1]);
        for (int e = 0; e < 2; e++) {
            int body = e ? j->b : j->a;
            if (m->body[body].motion >= 0) *work -= row->p * bri_row_rate(J[e], &bodies[body]);
        }
    }
}
