/* pack.c: see pack.h. */
#include "step/pack.h"

#include "dynamics/motion.h"

#include <string.h>

/* Coarse steps leave a rotation far off; each Newton step squares what is left. */
enum { MOST_TURNS = 6 };
static const double STRAIGHT = 1e-12;

BrMat3 bri_straighten(const BrMat3 *rotation) {
    BrMat3 A = bri_rotation_normalise(rotation);
    for (int k = 0; k < MOST_TURNS && bri_rotation_error(&A) > STRAIGHT; k++) A = bri_rotation_normalise(&A);
    return A;
}

void bri_pack_bodies(const BrModel *m, const BriBodyState *bodies, double *y) {
    for (int n = 0; n < m->moving; n++, y += BRI_PACKED) {
        const BriBodyState *b = &bodies[m->moving_body[n]];
        BrMat3 A = bri_straighten(&b->A);
        double numbers[6] = {b->v.x, b->v.y, b->v.z, b->w.x, b->w.y, b->w.z};
        y[0] = b->r.x, y[1] = b->r.y, y[2] = b->r.z;
        memcpy(y + 3, A.m, sizeof A.m);
        memcpy(y + 12, numbers, sizeof numbers);
    }
}

static void unpack_body(const double *y, BriBodyState *b) {
    b->r = bri_vec(y[0], y[1], y[2]);
    memcpy(b->A.m, y + 3, sizeof b->A.m);
    b->v = bri_vec(y[12], y[13], y[14]);
    b->w = bri_vec(y[15], y[16], y[17]);
}

void bri_unpack_bodies(const BriStep *step, const double *y, double t, BriBodyState *bodies) {
    const BrModel *m = step->model;
    const BriBodyState *start = bri_state_bodies(step->start);
    for (int i = 0; i < m->bodies; i++) {
        if (m->body[i].node >= 0)
            unpack_body(y + BRI_PACKED * m->body[i].node, &bodies[i]);
        else
            bri_motion_advance(m, i, step->start->time, t - step->start->time, &start[i], &bodies[i]);
    }
}

void bri_pack_rates(const BrModel *m, const BriBodyState *bodies, const double *acceleration, double *dy) {
    for (int n = 0; n < m->moving; n++, dy += BRI_PACKED) {
        int i = m->moving_body[n];
        const BriBodyState *b = &bodies[i];
        BrMat3 spin = {{{0, -b->w.z, b->w.y}, {b->w.z, 0, -b->w.x}, {-b->w.y, b->w.x, 0}}};
        BrMat3 turning = bri_mat_mul(&b->A, &spin);
        dy[0] = b->v.x, dy[1] = b->v.y, dy[2] = b->v.z;
        memcpy(dy + 3, turning.m, sizeof turning.m);
        memcpy(dy + 12, acceleration + 6 * i, 6 * sizeof(double));
    }
}
