/* coupling.c: see coupling.h, and couplings.c for (3.9): f1 q1 + f2 q2 = offset.
 *
 * Wheels turn on for ever, and what they are off by must not round with how far they came. An angle is q = rest + 2 pi n with
 * |rest| <= pi, and
 *
 *     f1 q1 + f2 q2 - offset = f1 rest1 + f2 rest2 - offset + 2 pi (f1 n1 + f2 n2)                            (3.10)
 *
 * The last sum is made of products in two parts each (Dekker 1971), so that it cancels exactly. */
#include "dynamics/coupling.h"

#include <string.h>

static const double TURN = 6.28318530717958647692, TURN_REST = 2.4492935982947064e-16; /* 2 pi = their sum */

/* A coordinate as rest and whole turns. */
typedef struct Split {
    double rest, turns;
} Split;

static BriJointPose find_pose(const BrModel *m, const BrState *angles, const BriBodyState *bodies, int joint) {
    const BriJoint *j = &m->joint[joint];
    return bri_joint_pose(j, &bodies[j->a], &bodies[j->b], bri_state_joints(angles)[joint].angle);
}

static Split split_coordinate(const BriJoint *j, BriJointPose *pose, int k, double elapsed) {
    double position, rate;
    bri_joint_coordinate(j, pose, k, &position, &rate);
    if (j->type->measure[k] != BRI_MEASURE_ANGLE) return (Split){position, 0};
    double near = pose->near + elapsed * rate;
    if (j->def.type == BR_JOINT_SCREW) near = bri_joint_turned(j, pose);
    pose->near = 0;
    double rest = bri_joint_angle(pose);
    return (Split){rest, bri_floor((near - rest) / TURN + 0.5)};
}

/* a b = high + low, exactly */
static double multiply_exactly(double a, double b, double *low) {
    const double CUT = 134217729; /* 2^27 + 1 */
    double product = a * b, ca = CUT * a, cb = CUT * b;
    double a1 = ca - (ca - a), a2 = a - a1, b1 = cb - (cb - b), b2 = b - b1;
    *low = ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;
    return product;
}

double bri_coupling_error(const BrModel *m, const BriCoupling *c, const BrState *angles, const BriBodyState *bodies,
                          double elapsed) {
    double sum = -c->offset, high[2], low[2];
    for (int i = 0; i < 2; i++) {
        BriJointPose pose = find_pose(m, angles, bodies, c->joint[i]);
        Split q = split_coordinate(&m->joint[c->joint[i]], &pose, c->coordinate[i], elapsed);
        sum += c->factor[i] * q.rest;
        high[i] = multiply_exactly(c->factor[i], q.turns, &low[i]);
    }
    double turns = high[0] + high[1], first = turns - high[1]; /* what that sum rounds off is kept (Knuth) */
    double lost = (high[0] - first) + (high[1] - (turns - first)) + low[0] + low[1];
    return sum + TURN * turns + (TURN * lost + TURN_REST * turns);
}

/* Where a body stands in the row of a coupling; -1: it is fixed. */
static int find_place(const BriJoint *row, int body) {
    const int all[4] = {row->a, row->b, row->coupling->more[0], row->coupling->more[1]};
    for (int i = 0; i < 4; i++)
        if (all[i] == body) return i;
    return -1;
}

void bri_coupling_row(const BrModel *m, const BrState *angles, const BriBodyState *bodies, int joint, double *part[4]) {
    const BriJoint *row = &m->joint[joint];
    const BriCoupling *c = row->coupling;
    for (int i = 0; i < 4; i++) memset(part[i], 0, 6 * sizeof(double));
    for (int i = 0; i < 2; i++) {
        double own[2][6];
        const BriJoint *j = &m->joint[c->joint[i]];
        const int ends[2] = {j->a, j->b};
        BriJointPose pose = find_pose(m, angles, bodies, c->joint[i]);
        bri_joint_coordinate_row(j, &pose, c->coordinate[i], own[0], own[1]);
        for (int e = 0; e < 2; e++) {
            int place = find_place(row, ends[e]);
            for (int k = 0; place >= 0 && k < 6; k++) part[place][k] += c->factor[i] * own[e][k];
        }
    }
}

double bri_coupling_bias(const BrModel *m, const BriCoupling *c, const BrState *angles, const BriBodyState *bodies) {
    double bias = 0;
    for (int i = 0; i < 2; i++) {
        BriJointPose pose = find_pose(m, angles, bodies, c->joint[i]);
        bias += c->factor[i] * bri_joint_coordinate_bias(&m->joint[c->joint[i]], &pose, c->coordinate[i]);
    }
    return bias;
}
