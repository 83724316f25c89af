/* servo.c: see servo.h. A servo exerts on its coordinate q
 *
 *     T = u(t) + k (x(t) - q) + c (x'(t) - q'),   |T| <= T_max                                                 (5.5)
 *     with a largest speed v_max:  T = u + c (min(max(x' + k/c (x - q), -v_max), v_max) - q')                  (5.6)
 *
 * x: position it follows, m or rad (k = 0: x' is its speed). Of a frequency f and a damping ratio z, with W what a unit effort
 * accelerates q by (1/kg or 1/(kg m^2)) while the joints hold:  k = (2 pi f)^2/W,  c = 2 z 2 pi f/W.
 *
 * In steps it is a row that yields. With q = a + b q', rate = v + g q' where the effort is asked, p its impulse over a span s,
 *
 *     q' + p/(s G) = (u + k (x - a) + c (x' - v))/G,      G = k b + c g                                        (5.7)
 *
 * moreau:  a = q, b = h, v = 0, g = 1, s = h. bdf2: a = q + h (1 - w) U, b = w h, s = w h, w = 2/3 (6.8).
 * hem2:    s = h/2: a = q, b = t h, v = 0, g = 1;
 *          s = h:   a = (1 - t) q + t (q3 - d h U2), b = t d h, v = (1 - t) q', g = t,  all asked at time + t h
 *          t = 1/2 + r/2, d = r, r = z^2/(1 + z^2), z = W h (h k + c): the midpoint rule where steps resolve the servo (r is O(h^2): order 2),
 *          Euler's implicit one where they do not (L-stable: it does not ring).
 *
 * A row that yields so much that q' hardly matters (W s G < 1e-6) would only round: it pushes with its effort instead. */
#include "dynamics/servo.h"

#include "dynamics/constrain.h"

#include <string.h>

static const double SLIGHT =
    1e-6; /* W s G of a row: below it pushes; what that is off by is such a part of a change of speed */
static const double LEAST = 1e-12; /* the same where it must stay a row */

/* ------------------------------------------------------------------ the law */

/* What a servo follows at a time. */
typedef struct Wanted {
    double effort, position, rate, most;
} Wanted;

static Wanted find_wanted(const BriInstant *at, int motor) {
    const BriMotor *of = &at->model->motor[motor];
    const BriMotorInput *input = &bri_state_motor_inputs(at->start)[motor];
    BriAround around = bri_around(at);
    BriJet jet = bri_function_evaluate_in(bri_motor_function(of), at->time, 0, &around);
    double effort = bri_function_evaluate_in(&of->effort, at->time, 0, &around).f;
    Wanted w = {effort, jet.f, jet.d, of->def.max_effort};
    if (input->taken_over != 0) w.position = input->target, w.rate = 0, w.most = input->max_effort;
    if (!of->follows) w.rate = w.position, w.position = 0;
    return w;
}

static double clip(double x, double most) { return x > most ? most : x < -most ? -most : x; }

double bri_motor_law(const BriInstant *at, const BrWorkspace *w, int motor, double position, double rate) {
    const BriMotor *of = &at->model->motor[motor];
    Wanted wanted = find_wanted(at, motor);
    if (of->def.kind == BR_MOTOR_EFFORT) return clip(wanted.rate, wanted.most);
    const BriServo *servo = &w->servo[motor];
    double k = servo->stiffness, c = servo->damping, away = wanted.position - position, most = of->def.max_speed;
    double pull = k * away + c * (wanted.rate - rate);                                   /* (5.5) */
    if (bri_is_finite(most)) pull = c * (clip(wanted.rate + k / c * away, most) - rate); /* (5.6) */
    return clip(wanted.effort + pull, wanted.most);
}

static BriJointPose find_pose(const BrModel *m, const BrState *angles, const BriBodyState *bodies, int joint) {
    const BriJoint *j = &m->joint[joint];
    return bri_joint_pose(j, &bodies[j->a], &bodies[j->b], bri_state_joints(angles)[joint].angle);
}

/* The coordinate and its rate, as the turns that were counted have gone on for `elapsed`, s. */
static void measure(const BrModel *m, const BrState *angles, const BriBodyState *bodies, int motor, double elapsed,
                    double *position, double *rate) {
    const BriMotor *of = &m->motor[motor];
    BriJointPose pose = find_pose(m, angles, bodies, of->joint);
    pose.near += elapsed * bri_joint_coordinate_rate(&m->joint[of->joint], &pose, of->def.coordinate);
    bri_joint_coordinate(&m->joint[of->joint], &pose, of->def.coordinate, position, rate);
}

double bri_motor_law_at(const BrModel *m, const BrWorkspace *w, const BrState *inputs, const BriBodyState *bodies,
                        int motor) {
    BriInstant at = {m, inputs, bodies, inputs->time};
    double position, rate;
    measure(m, inputs, bodies, motor, 0, &position, &rate);
    return bri_motor_law(&at, w, motor, position, rate);
}

BrStatus br_motor_target(const BrModel *m, const BrState *state, BrMotorId id, double *target, double *max_effort) {
    if (!m || !state || !target || !max_effort) return BR_INVALID_ARGUMENT;
    int n = bri_motor_number(m, id);
    if (state->fingerprint != m->fingerprint) return BR_MISMATCH;
    if (n < 0) return BR_INVALID_ID;
    const BriMotorInput *input = &bri_state_motor_inputs(state)[n];
    bool taken = input->taken_over != 0;
    BriInstant now = {m, state, bri_state_bodies(state), state->time};
    BriAround around = bri_around(&now);
    *target =
        taken ? input->target : bri_function_evaluate_in(bri_motor_function(&m->motor[n]), state->time, 0, &around).f;
    *max_effort = taken ? input->max_effort : m->motor[n].def.max_effort;
    return BR_OK;
}

/* ------------------------------------------------------------------ efforts */

static void find_ends(const BrModel *m, const BrState *state, const BriBodyState *bodies, int motor, double row[2][6],
                      int ends[2]) {
    const BriMotor *of = &m->motor[motor];
    const BriJoint *j = &m->joint[of->joint];
    BriJointPose pose = find_pose(m, state, bodies, of->joint);
    bri_joint_coordinate_row(j, &pose, of->def.coordinate, row[0], row[1]);
    ends[0] = j->a, ends[1] = j->b;
}

void bri_efforts_push(const BriInstant *at, double *f) {
    const BrModel *m = at->model;
    for (int n = 0; n < m->motors; n++) {
        double row[2][6];
        int ends[2];
        if (m->motor[n].def.kind != BR_MOTOR_EFFORT) continue;
        double effort = bri_motor_law(at, NULL, n, 0, 0);
        find_ends(m, at->start, at->bodies, n, row, ends);
        for (int e = 0; e < 2; e++)
            for (int k = 0, node = m->body[ends[e]].node; node >= 0 && k < 6; k++)
                f[6 * node + k] += effort * row[e][k];
    }
}

double bri_efforts_power(const BrModel *m, const BrState *state) {
    const BriBodyState *bodies = bri_state_bodies(state);
    BriInstant now = {m, state, bodies, state->time};
    double power = 0;
    for (int n = 0; n < m->motors; n++) {
        double row[2][6];
        int ends[2];
        if (m->motor[n].def.kind != BR_MOTOR_EFFORT) continue;
        double effort = bri_motor_law(&now, NULL, n, 0, 0);
        find_ends(m, state, bodies, n, row, ends);
        for (int e = 0; e < 2; e++) {
            const BriBodyState *b = &bodies[ends[e]];
            double twist[6] = {b->v.x, b->v.y, b->v.z, b->w.x, b->w.y, b->w.z};
            for (int k = 0; m->body[ends[e]].node >= 0 && k < 6; k++) power += effort * row[e][k] * twist[k];
        }
    }
    return power;
}

/* ------------------------------------------------------------------ gains */

/* What a unit effort accelerates the coordinate by. */
static double find_mobility(const BrModel *m, BrWorkspace *w, int row, int joint) {
    const double HELD = 1e-9; /* of what its two bodies would do alone: other joints hold it, and any gain does */
    double *x = w->system.x, moved = 0, alone = 0;
    BriRowEnds ends = bri_row_ends(m, &w->system.J, joint, row);
    memset(x, 0, (6 * (size_t)m->moving + (size_t)m->rows) * sizeof *x);
    bri_system_add_row(m, &w->system.J, joint, row, 1, x);
    bri_system_solve_loads(m, &w->system, x);
    for (int e = 0; e < ends.count; e++) {
        const BriBody *body = &m->body[ends.body[e]];
        const double *J = ends.part[e];
        if (body->node < 0) continue;
        BrVec3 push = bri_vec(J[0], J[1], J[2]), turn = bri_vec(J[3], J[4], J[5]);
        alone += body->inverse_mass * bri_dot(push, push) + bri_dot(turn, bri_mul(&body->inverse_inertia, turn));
        for (int k = 0; k < 6; k++) moved += J[k] * x[6 * body->node + k];
    }
    return bri_max(moved, HELD * alone);
}

void bri_servos_prepare(const BrModel *m, BrWorkspace *w) {
    const double TURN = 6.28318530717958647692;
    if (!m->servos) return;
    for (int r = 0; r < m->rows; r++) w->system.give[r] = 1;
    bri_rest_motors(m, w->trial);
    bri_system_factor(m, &w->system, w->trial, bri_state_bodies(w->trial));
    for (int n = 0; n < m->motors; n++) {
        const BrMotorDef *def = &m->motor[n].def;
        BriServo *servo = &w->servo[n];
        servo->row = -1;
        if (!bri_is_servo(m, n)) continue;
        servo->row = bri_drive_row(&m->joint[m->motor[n].joint], m->motor[n].drive);
        servo->mobility = find_mobility(m, w, servo->row, m->motor[n].joint);
        double frequency = TURN * def->frequency;
        servo->stiffness = def->frequency > 0 ? frequency * frequency / servo->mobility : def->stiffness;
        servo->damping = def->frequency > 0 ? 2 * def->damping_ratio * frequency / servo->mobility : def->damping;
    }
    w->system.factored = false;
}

BrStatus br_motor_gains(const BrModel *m, const BrWorkspace *w, BrMotorId id, double *stiffness, double *damping) {
    if (!m || !w || !stiffness || !damping) return BR_INVALID_ARGUMENT;
    int n = bri_motor_number(m, id);
    if (w->fingerprint != m->fingerprint) return BR_MISMATCH;
    if (n < 0) return BR_INVALID_ID;
    bool servo = bri_is_servo(m, n);
    *stiffness = servo ? w->servo[n].stiffness : 0;
    *damping = servo ? w->servo[n].damping : 0;
    return BR_OK;
}

/* ------------------------------------------------------------------ rows */

static double *find_clamp(const BriStep *step, int motor) {
    const BriMotor *of = &step->model->motor[motor];
    return &bri_state_joints(step->ws->trial)[of->joint].clamp[of->drive];
}

/* How much a row yields; who changes it forgets the factor. */
static void set_yield(BriStep *step, int motor, double softness) {
    BriSystem *system = &step->ws->system;
    const BriServo *servo = &step->ws->servo[motor];
    if (system->yield[servo->row] == softness) return;
    system->yield[servo->row] = softness;
    system->give[servo->row] = servo->mobility / (servo->mobility + softness);
    system->factored = false;
}

/* (5.6) where the speed that it is driven at is out of bounds, whatever the solve finds: its sign, else 0. */
static int is_fast(const BriServo *servo, const Wanted *wanted, const BriServoLine *line, double most) {
    double per = servo->stiffness / servo->damping;
    double rate = wanted->rate + per * (wanted->position - line->a);
    return rate - per * line->b * most > most ? 1 : rate + per * line->b * most < -most ? -1 : 0;
}

/* (5.7); `now`: the rate where the solve begins; may_push: a slight one need be no row. */
static void ask(BriStep *step, int motor, double span, double time, BriServoLine line, double now, bool may_push) {
    const BrModel *m = step->model;
    BriServo *servo = &step->ws->servo[motor];
    Wanted wanted = find_wanted(&(BriInstant){m, step->start, bri_state_bodies(step->start), time}, motor);
    double k = servo->stiffness, c = servo->damping, most = m->motor[motor].def.max_speed,
           *clamp = find_clamp(step, motor);
    int fast = servo->fast = bri_is_finite(most) ? is_fast(servo, &wanted, &line, most) : 0;
    double steep = (fast ? 0 : k * line.b) + c * line.g;
    double effort = wanted.effort + c * ((fast ? fast * most : wanted.rate) - line.v);
    if (!fast) effort += k * (wanted.position - line.a);
    bool row = bri_motor_is_row(step, motor), slight = servo->mobility * span * steep < SLIGHT;
    if (slight && may_push) {
        servo->push = clip(effort - steep * now, wanted.most);
        *clamp = BRI_PUSHING;
        return;
    }
    if (row)
        *clamp = BRI_RESTING;
    else if (*clamp == BRI_PUSHING)
        *clamp = BRI_FREE;
    steep = bri_max(steep, LEAST / (servo->mobility * span));
    servo->target = effort / steep;
    set_yield(step, motor, 1 / (span * steep));
}

void bri_servo_ask_end(BriStep *step, const BriBodyState *from, const BriBodyHistory *history, double weight,
                       double time, double h) {
    const BrModel *m = step->model;
    for (int n = 0; n < m->motors; n++) {
        double position, rate, mean = 0;
        if (!bri_is_servo(m, n)) continue;
        const BriMotor *of = &m->motor[n];
        const BriJoint *j = &m->joint[of->joint];
        measure(m, step->ws->trial, from, n, time - step->ws->trial->time, &position, &rate);
        if (history) {
            BriBodyState a = from[j->a], b = from[j->b];
            if (m->body[j->a].node >= 0) a.v = history[j->a].mean_v, a.w = history[j->a].mean_w;
            if (m->body[j->b].node >= 0) b.v = history[j->b].mean_v, b.w = history[j->b].mean_w;
            BriJointPose pose = bri_joint_pose(j, &a, &b, 0);
            mean = bri_joint_coordinate_rate(j, &pose, of->def.coordinate);
        }
        BriServoLine line = {position + h * (1 - weight) * mean, weight * h, 0, 1};
        bool smooth = step->def->formulation == BR_FORMULATION_SMOOTH;
        ask(step, n, weight * h, time + h, line, rate, !smooth);
    }
}

/* r of hem2, from 0 to 1. */
static double find_blend(const BriServo *servo, double h) {
    double z = servo->mobility * h * (h * servo->stiffness + servo->damping);
    return z < 1e100 ? z * z / (1 + z * z) : 1;
}

void bri_servo_ask_first(BriStep *step, const BriBodyState *from, double time, double h) {
    const BrModel *m = step->model;
    for (int n = 0; n < m->motors; n++) {
        double position, rate;
        if (!bri_is_servo(m, n)) continue;
        double t = 0.5 + 0.5 * find_blend(&step->ws->servo[n], h);
        measure(m, step->ws->trial, from, n, time - step->ws->trial->time, &position, &rate);
        ask(step, n, 0.5 * h, time + t * h, (BriServoLine){position, t * h, 0, 1}, rate, true);
    }
}

void bri_servo_ask_second(BriStep *step, const BriBodyState *from, const BriBodyState *middle, const BriBodyState *to,
                          double time, double h) {
    const BrModel *m = step->model;
    for (int n = 0; n < m->motors; n++) {
        double begin, rate, end, ignored, between, passed = time - step->ws->trial->time;
        if (!bri_is_servo(m, n)) continue;
        double d = find_blend(&step->ws->servo[n], h), t = 0.5 + 0.5 * d;
        measure(m, step->ws->trial, from, n, passed, &begin, &rate);
        measure(m, step->ws->trial, middle, n, passed + 0.5 * h, &ignored, &between);
        measure(m, step->ws->trial, to, n, passed + h, &end, &ignored);
        BriServoLine line = {(1 - t) * begin + t * (end - d * h * between), t * d * h, (1 - t) * rate, t};
        ask(step, n, h, time + t * h, line, rate, true);
    }
}

void bri_servo_let_go(BriStep *step) {
    for (int n = 0; n < step->model->motors; n++) {
        BriServo *servo = &step->ws->servo[n];
        if (!bri_is_servo(step->model, n) || *find_clamp(step, n) == BRI_RESTING) continue;
        servo->push = 0;
        *find_clamp(step, n) = BRI_PUSHING;
    }
}

void bri_servo_targets(BriStep *step) {
    for (int n = 0; n < step->model->motors; n++)
        if (bri_is_servo(step->model, n)) step->ws->target[step->ws->servo[n].row] = step->ws->servo[n].target;
}

void bri_servo_yield(const BriStep *step, const double *p, double *rate) {
    for (int n = 0; n < step->model->motors; n++) {
        int row = bri_is_servo(step->model, n) ? step->ws->servo[n].row : -1;
        if (row >= 0) rate[row] += step->ws->system.yield[row] * p[row];
    }
}

void bri_servo_measure(BriStep *step, const BriBodyState *to, double time, double span, const double *p) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    for (int n = 0; n < m->motors; n++) {
        double position, rate;
        if (!bri_is_servo(m, n)) continue;
        int row = w->servo[n].row;
        measure(m, w->trial, to, n, time - w->trial->time, &position, &rate);
        const BriServo *servo = &w->servo[n];
        Wanted wanted = find_wanted(&(BriInstant){m, step->start, bri_state_bodies(step->start), time}, n);
        double away = servo->fast ? 0 : servo->stiffness * (wanted.position - position);
        double most = servo->fast ? servo->fast * m->motor[n].def.max_speed : wanted.rate;
        double law = wanted.effort + away + servo->damping * (most - rate); /* bounds are the clamps' */
        double ahead = w->system.yield[row] * (p[row] - span * law);
        w->error[row] = span * ahead;
        w->rate[row] = w->target[row] + ahead;
    }
}
