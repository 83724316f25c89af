/* start.c: see start.h. Trees are unfolded (unfold.h). In loops the given coordinates q_s go from zero to where they start in
 * small parts, each closed by Newton's method: of all small motions dv that take the rows' errors e and bring the coordinates,
 * whose rows are S, to their part,
 *
 *     J dv = -e,   S dv = d = q_s - q                                                              (3.12)
 *
 * the one of least kinetic energy is dv_0 + K^-1 S^T l, (S K^-1 S^T) l = d - S dv_0, where K is the saddle matrix (5.1) and
 * dv_0 its answer to -e alone. So a loop is followed along the way that it would be turned by hand. Rates are found in one such solve, with d
 * what is left of them. */
#include "step/start.h"

#include "dynamics/unfold.h"

#include <string.h>

enum { MOST_PASSES = 30, RATE_PASSES = 4 };
static const double PART_ANGLE = 0.1;  /* rad, of a loop's coordinate at a time */
static const double PART_SLIDE = 0.05; /* of the larger of its bodies */
static const double LEAST_PART = 1e-4; /* of the way: less is no way */
static const double HELD = 1e-9;       /* of the mobility without joints: less is none */
static const double ARRIVED = 1e-13;   /* of 1 and the coordinate: some hundred roundings */

/* A coordinate in a loop that stands, or moves, as is given. */
typedef struct Held {
    int joint, coordinate;
    double row[2][6]; /* S: of both bodies */
    double free;      /* S M^-1 S^T */
} Held;

typedef struct Start {
    BriStep *step;
    BriBodyState *bodies; /* of the trial state */
    BriUnfolding unfolding;
    bool *begun, *spun; /* by roots: what has a start, what has a rate */
    BriBodyState *zero, *scratch;
    int held;
    Held *list;
    double *answer; /* held x 6 per moving body: K^-1 S^T */
    double *A, *d;  /* held x held, held */
    int stuck;      /* the held one that the others hold, or -1 */
} Start;

bool bri_has_starts(const BrModel *m) {
    for (int k = 0; k < m->joints; k++)
        for (int c = 0; c < 3; c++)
            if (bri_is_given(m->joint[k].def.start[c]) || bri_is_given(m->joint[k].def.start_rate[c])) return true;
    return false;
}

static void release(Start *s) {
    const BrModel *m = s->step->model;
    void *all[] = {s->begun, s->zero, s->list, s->answer, s->A};
    bri_unfold_release(m, &s->unfolding);
    for (int i = 0; i < BRI_COUNT(all); i++) bri_release(&m->allocator, all[i]);
}

static bool make(Start *s) {
    const BrModel *m = s->step->model;
    size_t bodies = (size_t)m->bodies, n = 3 * (size_t)m->joints;
    bool fine = bri_unfold_make(m, &s->unfolding);
    s->begun = bri_allocate(&m->allocator, 2 * bodies, sizeof(bool));
    s->zero = bri_allocate(&m->allocator, 2 * bodies, sizeof *s->zero);
    s->list = bri_allocate(&m->allocator, n, sizeof *s->list);
    if (!fine || !s->begun || !s->zero || !s->list) return false;
    s->spun = s->begun + bodies;
    s->scratch = s->zero + bodies;
    return true;
}

/* ------------------------------------------------------------------ who starts */

/* Machines that a start or a rate is said of, and that nobody has moved since. */
static void find_begun(Start *s, const BriBodyState *given) {
    const BrModel *m = s->step->model;
    const int *root = s->unfolding.root;
    memset(s->begun, 0, 2 * (size_t)m->bodies * sizeof(bool));
    for (int k = 0; k < m->joints; k++)
        for (int c = 0; c < 3; c++) {
            const BriJoint *j = &m->joint[k];
            int at = root[m->body[j->a].node < 0 ? j->b : j->a];
            s->begun[at] = s->begun[at] || bri_is_given(j->def.start[c]);
            s->spun[at] = s->spun[at] || bri_is_given(j->def.start_rate[c]);
        }
    for (int i = 0; i < m->bodies; i++)
        if (m->body[i].node >= 0 && !bri_stands_at(&given[i], m->body_def[i].position, &m->body_def[i].rotation))
            s->begun[root[i]] = false;
}

/* A body that hangs on a machine whose rates are given has none of its own. */
static BrStatus check_velocities(const Start *s, BrError *error) {
    const BrModel *m = s->step->model;
    for (int i = 0; i < m->bodies; i++) {
        const BrBodyDef *def = &m->body_def[i];
        bool moves = bri_norm(def->velocity) > 0 || bri_norm(def->angular_velocity) > 0;
        if (!moves || m->body[i].node < 0 || s->unfolding.hangs[i] < 0 || !s->spun[s->unfolding.root[i]]) continue;
        return bri_fail(
            error, BR_INVALID_MODEL,
            "body '%s' has a velocity, and joints that it hangs on start with given rates; take one of both "
            "away",
            def->name);
    }
    return BR_OK;
}

/* ------------------------------------------------------------------ loops */

static BriJointPose find_pose(const Start *s, const Held *h) {
    const BriJoint *j = &s->step->model->joint[h->joint];
    return bri_joint_pose(j, &s->bodies[j->a], &s->bodies[j->b], bri_state_joints(s->step->ws->trial)[h->joint].angle);
}

/* Where, or how fast, coordinates in loops are asked for: of `given` three a joint. */
static bool list_held(Start *s, const bool *machines, bool rates) {
    const BrModel *m = s->step->model;
    s->held = 0;
    for (int k = 0; k < m->joints; k++)
        for (int c = 0; c < 3; c++) {
            const BriJoint *j = &m->joint[k];
            bool asked = bri_is_given(rates ? j->def.start_rate[c] : j->def.start[c]);
            int at = s->unfolding.root[m->body[j->a].node < 0 ? j->b : j->a];
            if (asked && machines[at] && !s->unfolding.bridge[k]) s->list[s->held++] = (Held){k, c, {{0}}, 0};
        }
    bri_release(&m->allocator, s->answer);
    bri_release(&m->allocator, s->A);
    size_t held = (size_t)s->held;
    s->answer = bri_allocate(&m->allocator, 6 * held * (size_t)m->moving, sizeof(double));
    s->A = bri_allocate(&m->allocator, held * held + held, sizeof(double));
    if (!s->answer || !s->A) return false;
    s->d = s->A + held * held;
    return true;
}

static double take(const Start *s, const Held *h, const double *x) {
    const BriJoint *j = &s->step->model->joint[h->joint];
    const int ends[2] = {s->step->model->body[j->a].node, s->step->model->body[j->b].node};
    double sum = 0;
    for (int e = 0; e < 2; e++)
        for (int i = 0; ends[e] >= 0 && i < 6; i++) sum += h->row[e][i] * x[6 * ends[e] + i];
    return sum;
}

/* K^-1 S^T of one held coordinate, and how mobile it were without joints. */
static void find_answer(Start *s, int number) {
    const BrModel *m = s->step->model;
    BriSystem *system = &s->step->ws->system;
    Held *h = &s->list[number];
    const BriJoint *j = &m->joint[h->joint];
    const int ends[2] = {j->a, j->b};
    BriJointPose pose = find_pose(s, h);
    bri_joint_coordinate_row(j, &pose, h->coordinate, h->row[0], h->row[1]);
    memset(system->x, 0, (6 * (size_t)m->moving + (size_t)m->rows) * sizeof(double));
    h->free = 0;
    for (int e = 0; e < 2; e++) {
        const BriBody *body = &m->body[ends[e]];
        const double *row = h->row[e];
        if (body->node < 0) continue;
        for (int i = 0; i < 6; i++) system->x[6 * body->node + i] += row[i];
        BrVec3 way = {row[0], row[1], row[2]}, turn = {row[3], row[4], row[5]};
        h->free += body->inverse_mass * bri_dot(way, way) + bri_dot(turn, bri_mul(&body->inverse_inertia, turn));
    }
    bri_system_solve_loads(m, system, system->x);
    memcpy(s->answer + 6 * (size_t)number * (size_t)m->moving, system->x, 6 * (size_t)m->moving * sizeof(double));
}

/* A l = d by Cholesky's method without roots, d becoming l; a coordinate that has no freedom left is stuck. */
static bool solve_small(Start *s) {
    int n = s->held;
    for (int k = 0; k < n; k++) {
        double *row = s->A + k * n;
        for (int i = 0; i < k; i++) {
            double f = row[i] / s->A[i * n + i];
            for (int c = i + 1; c <= k; c++) row[c] -= f * s->A[c * n + i];
            s->d[k] -= f * s->d[i];
        }
        if (!(row[k] > HELD * s->list[k].free)) {
            s->stuck = k;
            return false;
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int i = k + 1; i < n; i++) s->d[k] -= s->A[i * n + k] * s->d[i];
        s->d[k] /= s->A[k * n + k];
    }
    return true;
}

/* (3.12): c what rows are to change by, s->d what held coordinates are; the motion is left in the system's x. */
static bool solve_held(Start *s, double *c) {
    const BrModel *m = s->step->model;
    BriSystem *system = &s->step->ws->system;
    int n = s->held, size = 6 * m->moving;
    for (int k = 0; k < n; k++) find_answer(s, k);
    bri_system_solve(m, system, c);
    for (int k = 0; k < n; k++) {
        s->d[k] -= take(s, &s->list[k], system->x);
        for (int i = 0; i < n; i++) s->A[k * n + i] = take(s, &s->list[k], s->answer + (size_t)i * (size_t)size);
    }
    if (!solve_small(s)) return false;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < size; i++) system->x[i] += s->d[k] * s->answer[(size_t)k * (size_t)size + (size_t)i];
    return true;
}

/* What is left of the way to a part of all starts, into s->d: its largest, of ARRIVED. */
static double find_rest(Start *s, double part) {
    const BrModel *m = s->step->model;
    double worst = 0;
    for (int k = 0; k < s->held; k++) {
        const Held *h = &s->list[k];
        BriJointPose pose = find_pose(s, h);
        double q, rate, target = part * m->joint[h->joint].def.start[h->coordinate];
        bri_joint_coordinate(&m->joint[h->joint], &pose, h->coordinate, &q, &rate);
        s->d[k] = target - q;
        double rest = bri_abs(s->d[k]) / (ARRIVED * (1 + bri_abs(target)));
        if (!(rest <= worst)) worst = rest;
    }
    return worst;
}

/* Newton's method to a part of the way. */
static bool reach(Start *s, double part) {
    BriStep *step = s->step;
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    double before = 0;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        bri_system_errors(m, w->trial, s->bodies, step->start->time, w->error);
        double worst = bri_max(bri_measure_rows(step, w->error, false) / step->position_tolerance, find_rest(s, part));
        if (worst <= 1 || (pass > 3 && worst <= 10 && !(worst < before))) return true;
        if (!(worst < 1e300) || (pass > 5 && !(worst < before))) return false;
        before = worst;
        for (int r = 0; r < m->rows; r++) w->error[r] = w->is_rate_row[r] ? 0 : -w->error[r];
        bri_system_factor(m, &w->system, w->trial, s->bodies);
        if (!solve_held(s, w->error)) return false;
        bri_displace(step, w->system.x, s->bodies);
        bri_update_angles(m, w->trial, 0);
    }
    return false;
}

/* Parts of the way, none of which turns a loop far. */
static double find_part(const Start *s) {
    const BrModel *m = s->step->model;
    double parts = 1;
    for (int k = 0; k < s->held; k++) {
        const BriJoint *j = &m->joint[s->list[k].joint];
        bool slides = j->type->measure[s->list[k].coordinate] == BRI_MEASURE_SLIDE;
        double size = slides ? PART_SLIDE * bri_max(m->body[j->a].size, m->body[j->b].size) : PART_ANGLE;
        double way = bri_abs(j->def.start[s->list[k].coordinate]);
        if (way > 0) parts = bri_max(parts, size > 0 ? way / size : 1 / LEAST_PART);
    }
    return bri_max(1 / parts, LEAST_PART);
}

static BrStatus refuse_start(const Start *s, double part, BrError *error) {
    const BrModel *m = s->step->model;
    const Held *h = &s->list[s->stuck >= 0 ? s->stuck : 0];
    const BriJoint *j = &m->joint[h->joint];
    const BrJointCoordinate *of = &j->type->info.coordinate[h->coordinate];
    double start = j->def.start[h->coordinate];
    if (s->stuck >= 0 && part == 0)
        return bri_fail(error, BR_INVALID_MODEL,
                        "joint '%s' cannot start at %s = %.9g %s: it stands at a dead point, or the other joints, or "
                        "starts that are "
                        "given before it, hold it; start another coordinate",
                        j->def.name, of->name, start, of->unit);
    return bri_fail(
        error, BR_INVALID_MODEL,
        "joint '%s' cannot start at %s = %.9g %s: on the way there the loops that it is part of close only up to "
        "%.6g %s; see how far they reach, and where they stretch",
        j->def.name, of->name, start, of->unit, part * start, of->unit);
}

/* Loops to where their coordinates start, the way in parts that are halved where it is hard to follow. */
static BrStatus follow_loops(Start *s, BrError *error) {
    BriStep *step = s->step;
    const BrModel *m = step->model;
    if (!list_held(s, s->begun, false))
        return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to put joints where they start");
    double done = 0, part = s->held ? find_part(s) : 1;
    while (s->held && done < 1) {
        double next = done + part < 1 - 1e-9 ? done + part : 1;
        memcpy(s->scratch, s->bodies, (size_t)m->bodies * sizeof *s->bodies);
        s->stuck = -1;
        if (reach(s, next)) {
            done = next;
            continue;
        }
        memcpy(s->bodies, s->scratch, (size_t)m->bodies * sizeof *s->bodies);
        bri_update_angles(m, step->ws->trial, 0);
        part *= 0.5;
        if (part < LEAST_PART) return refuse_start(s, done, error);
    }
    return BR_OK;
}

static BrStatus spin_loops(Start *s, BrError *error) {
    BriStep *step = s->step;
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    if (!list_held(s, s->spun, true))
        return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to put joints where they start");
    for (int pass = 0; s->held && pass < RATE_PASSES; pass++) {
        bri_system_factor(m, &w->system, w->trial, s->bodies);
        bri_system_targets(m, step->start, step->start->time, w->target);
        bri_system_rates(m, &w->system.J, s->bodies, w->rate);
        for (int r = 0; r < m->rows; r++) w->error[r] = w->target[r] - w->rate[r];
        for (int k = 0; k < s->held; k++) {
            const BriJoint *j = &m->joint[s->list[k].joint];
            BriJointPose pose = find_pose(s, &s->list[k]);
            s->d[k] =
                j->def.start_rate[s->list[k].coordinate] - bri_joint_coordinate_rate(j, &pose, s->list[k].coordinate);
        }
        s->stuck = -1;
        if (!solve_held(s, w->error)) {
            const Held *h = &s->list[s->stuck];
            return bri_fail(
                error, BR_INVALID_MODEL,
                "joint '%s' cannot start with a rate of %s: the other joints, or rates that are given before it, "
                "hold it; take its start_rate away",
                m->joint[h->joint].def.name, m->joint[h->joint].type->info.coordinate[h->coordinate].name);
        }
        bri_system_add(m, w->system.x, s->bodies);
    }
    return BR_OK;
}

/* ------------------------------------------------------------------ all of it */

/* Turns are counted from where they are said to be. */
static void set_angles(const Start *s) {
    const BrModel *m = s->step->model;
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        if (!s->begun[s->unfolding.root[m->body[j->a].node < 0 ? j->b : j->a]]) continue;
        for (int c = 0; c < j->type->info.coordinates; c++)
            if (j->type->measure[c] == BRI_MEASURE_ANGLE && bri_is_given(j->def.start[c]))
                bri_state_joints(s->step->ws->trial)[k].angle = j->def.start[c];
    }
    bri_update_angles(m, s->step->ws->trial, 0);
}

static BrStatus start_joints(Start *s, const BriBodyState *given, BrError *error) {
    const BrModel *m = s->step->model;
    if (!make(s)) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to put joints where they start");
    find_begun(s, given);
    BrStatus status = check_velocities(s, error);
    if (status != BR_OK) return status;
    bri_update_angles(m, s->step->ws->trial, 0);
    memcpy(s->zero, s->bodies, (size_t)m->bodies * sizeof *s->zero);
    status = follow_loops(s, error);
    if (status != BR_OK) return status;
    bri_unfold_poses(m, &s->unfolding, s->begun, s->zero, s->bodies, s->scratch);
    set_angles(s);
    bri_unfold_rates(m, &s->unfolding, s->spun, true, s->bodies, s->scratch);
    status = spin_loops(s, error);
    if (status == BR_OK) bri_unfold_rates(m, &s->unfolding, s->spun, false, s->bodies, s->scratch);
    return status;
}

BrStatus bri_start_joints(BriStep *step, const BriBodyState *given, BrError *error) {
    Start s = {.step = step, .bodies = bri_state_bodies(step->ws->trial)};
    BrStatus status = start_joints(&s, given, error);
    release(&s);
    return status;
}
