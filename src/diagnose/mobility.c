/* mobility.c: see mobility.h. The lever is that of the point a shape has in a direction, which for corners and ends is
 * the farthest there is; on a ball it is exact: 1/m along the normal, 3.5/m across. */
#include "diagnose/mobility.h"

#include "collide/side.h"
#include "dynamics/constrain.h"
#include "geom/wall.h"

#include <string.h>

enum { MOST_ROWS = 2 * BRI_PATCH };

typedef struct Row {
    BrVec3 arm, direction; /* body axes, from the centre of mass */
} Row;

static double couple(const BriBody *b, const Row *i, const Row *k) {
    BrVec3 turn = bri_cross(i->arm, i->direction), other = bri_cross(k->arm, k->direction);
    return b->inverse_mass * bri_dot(i->direction, k->direction) + bri_dot(turn, bri_mul(&b->inverse_inertia, other));
}

/* The largest eigenvalue of W, by powers of it. */
static double find_largest(const BriBody *b, const Row *row, int rows) {
    enum { POWERS = 60 };
    double W[MOST_ROWS][MOST_ROWS], x[MOST_ROWS], y[MOST_ROWS], size = 0;
    for (int i = 0; i < rows; i++) {
        x[i] = 1 - 0.09 * i; /* not an eigenvector of anything symmetric */
        for (int k = 0; k < rows; k++) W[i][k] = couple(b, &row[i], &row[k]);
    }
    for (int n = 0; n < POWERS; n++) {
        double xx = 0, yy = 0;
        for (int i = 0; i < rows; i++) {
            y[i] = 0;
            for (int k = 0; k < rows; k++) y[i] += W[i][k] * x[k];
            xx += x[i] * x[i], yy += y[i] * y[i];
        }
        size = bri_sqrt(yy / xx);
        for (int i = 0; i < rows && yy > 0; i++) x[i] = y[i] / bri_sqrt(yy);
    }
    return size;
}

/* Contacts at `points` with the normal n, all in body axes. */
static void note_side(const BriBody *b, const BrVec3 *points, int count, BrVec3 n, double *normal, double *tangent) {
    BrMat3 frame = bri_rotation_frame(n, bri_vec(1, 0, 0));
    Row row[MOST_ROWS];
    for (int i = 0; i < count; i++) row[i] = (Row){points[i], n};
    *normal = bri_max(*normal, find_largest(b, row, count));
    for (int i = 0; i < 2 * count; i++) row[i] = (Row){points[i / 2], bri_column(&frame, i % 2)};
    *tangent = bri_max(*tangent, find_largest(b, row, 2 * count));
}

BriMobility bri_shape_mobility(const BrModel *m, int shape) {
    const BriModelShape *s = &m->shape[shape];
    const BriBody *body = &m->body[s->body];
    BriShape solid = s->shape;
    BriMobility mobility = {.contacts = 1};
    if (solid.kind == BR_SHAPE_TUBE) solid.kind = BR_SHAPE_CYLINDER; /* the same wall */
    if (bri_is_wall(solid.kind)) /* of walls all that is known is how far they reach */
        solid = (BriShape){.kind = BR_SHAPE_SPHERE, .radius = bri_shape_extent(&s->shape)};
    if (solid.kind == BR_SHAPE_PLANE) mobility.contacts = BRI_PATCH;
    if (solid.kind == BR_SHAPE_PLANE) return mobility; /* never of a body that can be pushed */
    for (int number = 0; number < 27; number++) {
        const int part[3] = {number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1};
        BrVec3 d = bri_vec(part[0], part[1], part[2]);
        if (number == 13) continue; /* no direction */
        BrVec3 n = bri_mul(&s->frame.axes, bri_scale(1 / bri_norm(d), d));
        BrVec3 point = bri_add(s->frame.position, bri_mul(&s->frame.axes, bri_shape_support(&solid, d)));
        BriSide side;
        bri_side_make(&solid, &s->frame, n, &side);
        bool along_axis = bri_dot(d, d) == 1;
        if (along_axis && side.count > mobility.contacts) mobility.contacts = side.count;
        if (body->node < 0) continue;
        note_side(body, &point, 1, n, &mobility.one_normal, &mobility.one_tangent);
        if (!along_axis || side.count == 1) continue;
        for (int i = 0; i < side.count; i++) side.point[i] = bri_add(side.point[i], bri_side_swell(&side, n));
        note_side(body, side.point, side.count, n, &mobility.normal, &mobility.tangent);
    }
    mobility.normal = bri_max(mobility.normal, mobility.one_normal);
    mobility.tangent = bri_max(mobility.tangent, mobility.one_tangent);
    return mobility;
}

/* ------------------------------------------------------------------ on joints */

void bri_hold_joints(const BrModel *m, BrWorkspace *w, const BrState *state) {
    bri_state_assign(w->trial, state);
    bri_rest_motors(m, w->trial);
    bri_system_find_rank(m, &w->system, w->trial, bri_state_bodies(state));
    bri_system_factor(m, &w->system, w->trial, bri_state_bodies(state));
}

bool bri_body_is_held(const BrModel *m, int body) {
    for (int k = 0; k < m->joints; k++)
        if (m->joint[k].a == body || m->joint[k].b == body) return true;
    return false;
}

/* Velocity of b against a at the point along d, as a row of each. */
static void find_rows(const BriBodyState *bodies, const int ends[2], BrVec3 point, BrVec3 d, double J[2][6]) {
    for (int e = 0; e < 2; e++) {
        const BriBodyState *b = &bodies[ends[e]];
        BrVec3 l = e ? d : bri_neg(d), w = bri_mul_t(&b->A, bri_cross(bri_sub(point, b->r), l));
        double row[6] = {l.x, l.y, l.z, w.x, w.y, w.z};
        memcpy(J[e], row, sizeof row);
    }
}

void bri_add_force(const BrModel *m, const BriBodyState *bodies, int body, BrVec3 point, BrVec3 force, double *load) {
    const BriBodyState *b = &bodies[body];
    int node = m->body[body].node;
    if (node < 0) return;
    BrVec3 torque = bri_mul_t(&b->A, bri_cross(bri_sub(point, b->r), force));
    double six[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    for (int c = 0; c < 6; c++) load[6 * node + c] += six[c];
}

void bri_held_matrix(const BrModel *m, BrWorkspace *w, const BriBodyState *bodies, const int ends[2], BrVec3 point,
                     BrVec3 n, double W[3][3]) {
    BrMat3 frame = bri_rotation_frame(n, bri_vec(1, 0, 0)); /* z is n */
    double J[3][2][6], *x = w->system.x;
    for (int i = 0; i < 3; i++) find_rows(bodies, ends, point, bri_column(&frame, i), J[i]);
    for (int i = 0; i < 3; i++) {
        memset(x, 0, (6 * (size_t)m->moving + (size_t)m->rows) * sizeof(double));
        for (int e = 0; e < 2; e++)
            for (int c = 0, node = m->body[ends[e]].node; node >= 0 && c < 6; c++) x[6 * node + c] += J[i][e][c];
        bri_ldl_solve(&w->system.ldl, x);
        for (int k = 0; k < 3; k++) {
            W[i][k] = 0;
            for (int e = 0; e < 2; e++)
                for (int c = 0, node = m->body[ends[e]].node; node >= 0 && c < 6; c++)
                    W[i][k] += J[k][e][c] * x[6 * node + c];
        }
    }
}

void bri_held_mobility(const BrModel *m, BrWorkspace *w, const BriBodyState *bodies, const int ends[2], BrVec3 point,
                       BrVec3 n, double *normal, double *tangent) {
    double W[3][3];
    bri_held_matrix(m, w, bodies, ends, point, n, W);
    double middle = 0.5 * (W[0][0] + W[1][1]), half = 0.5 * (W[0][0] - W[1][1]);
    *normal = W[2][2];
    *tangent = middle + bri_sqrt(half * half + W[0][1] * W[0][1]);
}
