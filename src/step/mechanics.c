/* mechanics.c: matrices of the machine at a state. With C the rows of some coordinates, rates C v, and K the saddle matrix
 * of (5.1), efforts f on them change their accelerations by
 *     W f,   W = C K^-1 C^T:   inertia = W^-1,                                                                 (6.9)
 * and f = W^-1 (q'' - q''_free) gives q'', q''_free being what they do without. */
#include "bristle/mechanics.h"

#include "dynamics/joint.h"
#include "linalg/dense.h"
#include "step/schemes.h"

#include <string.h>

int br_model_moving_count(const BrModel *m) { return m && m->built ? m->moving : 0; }

BrBodyId br_model_moving_body(const BrModel *m, int number) {
    if (number < 0 || number >= br_model_moving_count(m)) return (BrBodyId){0};
    return br_model_body(m, m->moving_body[number]);
}

static BrStatus check_state(const BrModel *m, const BrState *state) {
    if (!m || !state) return BR_INVALID_ARGUMENT;
    return state->fingerprint == m->fingerprint ? BR_OK : BR_MISMATCH;
}

/* ------------------------------------------------------------------ masses and rows */

BrStatus br_mass_matrix(const BrModel *m, const BrState *state, double *M) {
    BrStatus status = check_state(m, state);
    if (status != BR_OK || !M) return status != BR_OK ? status : BR_INVALID_ARGUMENT;
    int size = 6 * m->moving;
    memset(M, 0, (size_t)size * (size_t)size * sizeof *M);
    for (int n = 0; n < m->moving; n++) {
        const BriBody *body = &m->body[m->moving_body[n]];
        const BrMat3 *A = &bri_state_bodies(state)[m->moving_body[n]].A;
        BrMat3 back = bri_transpose(A);
        BrMat3 half = bri_mat_mul(A, &body->inertia), I = bri_mat_mul(&half, &back);
        double *block = M + (size_t)(6 * n) * (size_t)size + 6 * n;
        for (int i = 0; i < 3; i++) {
            block[i * size + i] = body->mass;
            for (int k = 0; k < 3; k++) block[(3 + i) * size + 3 + k] = I.m[i][k];
        }
    }
    return BR_OK;
}

BrStatus br_point_jacobian(const BrModel *m, const BrState *state, BrBodyId id, BrVec3 point_body, double J[18]) {
    BrStatus status = check_state(m, state);
    if (status != BR_OK || !J) return status != BR_OK ? status : BR_INVALID_ARGUMENT;
    int n = bri_body_number(m, id);
    if (n < 0) return BR_INVALID_ID;
    BrVec3 s = bri_mul(&bri_state_bodies(state)[n].A, point_body);
    const double rows[18] = {1, 0, 0, 0, s.z, -s.y, 0, 1, 0, -s.z, 0, s.x, 0, 0, 1, s.y, -s.x, 0}; /* v + w x s */
    memcpy(J, rows, sizeof rows);
    return BR_OK;
}

/* Rows by angular velocities in body axes, as they stand inside, to world axes. */
static void turn_rows(const BrMat3 *A, const double *own, int rows, double *world) {
    for (int r = 0; world && r < rows; r++) {
        BrVec3 turn = bri_mul(A, bri_vec(own[6 * r + 3], own[6 * r + 4], own[6 * r + 5]));
        memcpy(world + 6 * r, own + 6 * r, 3 * sizeof *world);
        world[6 * r + 3] = turn.x, world[6 * r + 4] = turn.y, world[6 * r + 5] = turn.z;
    }
}

static BriJointPose place(const BrModel *m, const BrState *state, int joint) {
    const BriJoint *j = &m->joint[joint];
    const BriBodyState *bodies = bri_state_bodies(state);
    return bri_joint_pose(j, &bodies[j->a], &bodies[j->b], bri_state_joints(state)[joint].angle);
}

BrStatus br_joint_rows(const BrModel *m, const BrState *state, BrJointId id, double *on_a, double *on_b, int *rows) {
    BrStatus status = check_state(m, state);
    if (status != BR_OK) return status;
    int k = bri_joint_number(m, id);
    if (k < 0) return BR_INVALID_ID;
    const BriJoint *j = &m->joint[k];
    double Ja[6 * BRI_JOINT_ROWS] = {0}, Jb[6 * BRI_JOINT_ROWS] = {0};
    BriJointPose pose = place(m, state, k);
    bri_joint_jacobian(j, &pose, Ja, Jb);
    turn_rows(&pose.a->A, Ja, j->type->info.constraints, on_a);
    turn_rows(&pose.b->A, Jb, j->type->info.constraints, on_b);
    if (rows) *rows = j->type->info.constraints;
    return BR_OK;
}

/* The joint's number, -1: it is not there. */
static int find_coordinate(const BrModel *m, BrCoordinate coordinate) {
    int k = bri_joint_number(m, coordinate.joint);
    bool fine = k >= 0 && coordinate.number >= 0 && coordinate.number < m->joint[k].type->info.coordinates;
    return fine ? k : -1;
}

BrStatus br_coordinate_row(const BrModel *m, const BrState *state, BrCoordinate coordinate, double on_a[6],
                           double on_b[6]) {
    BrStatus status = check_state(m, state);
    if (status != BR_OK) return status;
    int k = find_coordinate(m, coordinate);
    if (k < 0) return BR_INVALID_ID;
    double Ja[6], Jb[6];
    BriJointPose pose = place(m, state, k);
    bri_joint_coordinate_row(&m->joint[k], &pose, coordinate.number, Ja, Jb);
    turn_rows(&pose.a->A, Ja, 1, on_a);
    turn_rows(&pose.b->A, Jb, 1, on_b);
    return BR_OK;
}

/* ------------------------------------------------------------------ what coordinates feel */

/* Some coordinates of a machine; C: twelve numbers each, of both bodies. */
typedef struct Asked {
    const BrModel *m;
    BrWorkspace *w;
    const BrState *state;
    const BrCoordinate *list;
    int count;
    double *C, *W, *x;
    int *pivot;
} Asked;

static int body_of(const Asked *a, int k, int end) {
    const BriJoint *j = &a->m->joint[find_coordinate(a->m, a->list[k])];
    return end ? j->b : j->a;
}

/* C_k x of six numbers per moving body. */
static double meet(const Asked *a, int k, const double *x) {
    double sum = 0;
    for (int e = 0; e < 2; e++) {
        int node = a->m->body[body_of(a, k, e)].node;
        for (int i = 0; node >= 0 && i < 6; i++) sum += a->C[12 * k + 6 * e + i] * x[6 * node + i];
    }
    return sum;
}

/* C_k M^-1 C_k^T: how it would move if nothing held its bodies. */
static double find_free(const Asked *a, int k) {
    double sum = 0;
    for (int e = 0; e < 2; e++) {
        const double *c = a->C + 12 * k + 6 * e;
        const BriBody *body = &a->m->body[body_of(a, k, e)];
        BrVec3 push = bri_vec(c[0], c[1], c[2]), turn = bri_vec(c[3], c[4], c[5]);
        if (body->node < 0) continue;
        sum += body->inverse_mass * bri_dot(push, push) + bri_dot(turn, bri_mul(&body->inverse_inertia, turn));
    }
    return sum;
}

/* No motors, and no friction in bearings; motions stay. Then the factor, and accelerations in w->acceleration. */
static void free_drives(const Asked *a) {
    const BrModel *m = a->m;
    bri_begin_reading(m, a->w, a->state);
    for (int k = 0; k < m->joints; k++)
        for (int d = 0; d < m->joint[k].drives; d++)
            if (m->joint[k].drive[d].motion < 0) bri_state_joints(a->w->trial)[k].clamp[d] = BRI_RESTING;
    bri_free_accelerations(m, a->w, a->state, NULL);
}

static void fill_rows(const Asked *a) {
    for (int k = 0; k < a->count; k++) {
        int joint = find_coordinate(a->m, a->list[k]);
        BriJointPose pose = place(a->m, a->state, joint);
        bri_joint_coordinate_row(&a->m->joint[joint], &pose, a->list[k].number, a->C + 12 * k, a->C + 12 * k + 6);
    }
}

/* W, and its factor in its place. */
static BrStatus fill_answers(const Asked *a, double *W, BrError *error) {
    const double HELD = 1e-12; /* of its free answer: what rounding leaves of a coordinate that something moves */
    int n = a->count;
    for (int k = 0; k < n; k++) {
        memset(a->x, 0, (size_t)(6 * a->m->moving + a->m->rows) * sizeof *a->x);
        for (int e = 0; e < 2; e++) {
            int node = a->m->body[body_of(a, k, e)].node;
            for (int i = 0; node >= 0 && i < 6; i++) a->x[6 * node + i] += a->C[12 * k + 6 * e + i];
        }
        bri_system_solve_loads(a->m, &a->w->system, a->x);
        for (int i = 0; i < n; i++) W[i * n + k] = meet(a, i, a->x);
        const BriJoint *j = &a->m->joint[find_coordinate(a->m, a->list[k])];
        if (!(W[k * n + k] > HELD * find_free(a, k)))
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "the coordinate '%s' of joint '%s' cannot be moved by an effort: a motion moves it, or the "
                            "joints hold it",
                            j->type->info.coordinate[a->list[k].number].name, j->def.name);
    }
    for (int i = 0; i < n; i++) /* symmetric but for rounding */
        for (int k = 0; k < i; k++) W[i * n + k] = W[k * n + i] = 0.5 * (W[i * n + k] + W[k * n + i]);
    return BR_OK;
}

/* W = S (S W S)^-1 S's inverse: with S_ii = W_ii^-1/2 units do not matter to what is singular. */
static BrStatus factor(const Asked *a, double *scale, BrError *error) {
    int n = a->count;
    double *W = a->W;
    for (int k = 0; k < n; k++) scale[k] = 1 / bri_sqrt(W[k * n + k]);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) W[i * n + k] *= scale[i] * scale[k];
    if (bri_lu_factor(W, n, n, a->pivot)) return BR_OK;
    return bri_fail(error, BR_INVALID_ARGUMENT,
                    "these %d coordinates follow from each other; leave out some that the others tell", n);
}

/* f <- W^-1 f */
static void solve(const Asked *a, const double *scale, double *f) {
    for (int k = 0; k < a->count; k++) f[k] *= scale[k];
    bri_lu_solve(a->W, a->count, a->count, a->pivot, f);
    for (int k = 0; k < a->count; k++) f[k] *= scale[k];
}

static double find_free_acceleration(const Asked *a, int k) {
    int joint = find_coordinate(a->m, a->list[k]);
    BriJointPose pose = place(a->m, a->state, joint);
    double sum = bri_joint_coordinate_bias(&a->m->joint[joint], &pose, a->list[k].number);
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < 6; i++) sum += a->C[12 * k + 6 * e + i] * a->w->acceleration[6 * body_of(a, k, e) + i];
    return sum;
}

static BrStatus check_asked(const Asked *a, const void *result, BrError *error) {
    BRI_NEED(a->m && a->w && a->state && a->list && result, "model, workspace, state, list and result", error);
    if (a->state->fingerprint != a->m->fingerprint || a->w->fingerprint != a->m->fingerprint)
        return bri_fail(error, BR_MISMATCH, "the state or the workspace belongs to another model");
    if (a->count < 1 || a->count > 6 * a->m->joints)
        return bri_fail(error, BR_INVALID_ARGUMENT, "%d coordinates are asked for", a->count);
    for (int k = 0; k < a->count; k++)
        if (find_coordinate(a->m, a->list[k]) < 0)
            return bri_fail(error, BR_INVALID_ID, "number %d of the list is no coordinate of a joint of this model", k);
    return BR_OK;
}

/* Either of the two: inertia, or efforts for accelerations. */
static BrStatus answer(Asked *a, const double *acceleration, double *effort, double *inertia, BrError *error) {
    BrStatus status = check_asked(a, inertia ? inertia : effort, error);
    if (status != BR_OK) return status;
    size_t n = (size_t)a->count, room = 12 * n + n * n + n + 6 * (size_t)a->m->moving + (size_t)a->m->rows;
    double *block = bri_allocate(&a->m->allocator, room, sizeof *block);
    a->pivot = bri_allocate(&a->m->allocator, n, sizeof *a->pivot);
    if (block && a->pivot) {
        double *scale = block + 12 * n;
        a->C = block, a->W = scale + n, a->x = a->W + n * n;
        free_drives(a);
        fill_rows(a);
        status = fill_answers(a, a->W, error);
        if (status == BR_OK) status = factor(a, scale, error);
        for (size_t k = 0; status == BR_OK && effort && k < n; k++)
            effort[k] = acceleration[k] - find_free_acceleration(a, (int)k);
        if (status == BR_OK && effort) solve(a, scale, effort);
        for (size_t k = 0; status == BR_OK && inertia && k < n; k++) {
            memset(inertia + n * k, 0, n * sizeof *inertia);
            inertia[n * k + k] = 1;
            solve(a, scale, inertia + n * k);
        }
    } else
        status = bri_fail(error, BR_OUT_OF_MEMORY, "no memory for %d coordinates", a->count);
    bri_release(&a->m->allocator, a->pivot);
    bri_release(&a->m->allocator, block);
    return status;
}

BrStatus br_coordinate_inertia(const BrModel *m, BrWorkspace *w, const BrState *state, const BrCoordinate *list,
                               int count, double *inertia, BrError *error) {
    Asked asked = {.m = m, .w = w, .state = state, .list = list, .count = count};
    BRI_NEED(inertia, "inertia", error);
    return answer(&asked, NULL, NULL, inertia, error);
}

BrStatus br_inverse_dynamics(const BrModel *m, BrWorkspace *w, const BrState *state, const BrCoordinate *list,
                             const double *acceleration, int count, double *effort, BrError *error) {
    Asked asked = {.m = m, .w = w, .state = state, .list = list, .count = count};
    BRI_NEED(acceleration && effort, "acceleration and effort", error);
    return answer(&asked, acceleration, effort, NULL, error);
}
