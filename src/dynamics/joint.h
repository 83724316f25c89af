/* joint.h: constraint rows of joints: position error, Jacobian, and the acceleration the velocities already imply. */
#ifndef BRI_JOINT_H
#define BRI_JOINT_H

#include "model/state.h"

/* One joint at one pose: the world vectors its rows are made of. Angles are measured near `near`. */
typedef struct BriJointPose {
    const BriBodyState *a, *b;
    BrVec3 s_a, s_b; /* centre of mass to joint point, world */
    BrVec3 offset;   /* joint point on a to joint point on b */
    BrMat3 F_a, F_b; /* joint frames, world: columns x, y, z */
    double near;     /* rad */
} BriJointPose;

/* From the joint point on a to that on b, world axes. */
static inline BrVec3 bri_joint_offset(const BriJoint *joint, const BriBodyState *a, const BriBodyState *b) {
    BrVec3 s_a = bri_mul(&a->A, joint->point_a), s_b = bri_mul(&b->A, joint->point_b);
    return bri_sub(bri_add(b->r, s_b), bri_add(a->r, s_a));
}

/* Inline: it stands in the innermost loop of every solve. A ball joint needs no frames. */
static inline BriJointPose bri_joint_pose(const BriJoint *joint, const BriBodyState *a, const BriBodyState *b,
                                          double near) {
    BriJointPose p = {.a = a, .b = b, .near = near};
    p.s_a = bri_mul(&a->A, joint->point_a);
    p.s_b = bri_mul(&b->A, joint->point_b);
    p.offset = bri_sub(bri_add(b->r, p.s_b), bri_add(a->r, p.s_a));
    if (joint->def.type != BR_JOINT_SPHERICAL) {
        p.F_a = bri_mat_mul(&a->A, &joint->frame_a);
        p.F_b = bri_mat_mul(&b->A, &joint->frame_b);
    }
    return p;
}

/* Angle about z of frame B against frame A. */
double bri_joint_angle(const BriJointPose *pose);
/* How far a screw must have turned for its slide, rad: its pose tells the turns, however many a step had. */
static inline double bri_joint_turned(const BriJoint *joint, const BriJointPose *pose) {
    return bri_dot(bri_column(&pose->F_a, 2), pose->offset) / joint->pitch;
}
/* rad/s, of a hinge: its coordinate's rate without the rest of its pose. */
static inline double bri_joint_turn_rate(const BriJoint *joint, const BriBodyState *a, const BriBodyState *b) {
    BrVec3 axis = bri_mul(&a->A, bri_column(&joint->frame_a, 2));
    return bri_dot(axis, bri_sub(bri_mul(&b->A, b->w), bri_mul(&a->A, a->w)));
}
double bri_joint_coordinate_rate(const BriJoint *joint, const BriJointPose *pose, int k);
/* Coordinate k and its rate. */
void bri_joint_coordinate(const BriJoint *joint, const BriJointPose *pose, int k, double *position, double *velocity);
/* The 6-vectors by which the rate of coordinate k depends on the bodies: rate = Ja.(v, w)_a + Jb.(v, w)_b. */
void bri_joint_coordinate_row(const BriJoint *joint, const BriJointPose *pose, int k, double Ja[6], double Jb[6]);

/* d/dt(row) v of a coordinate: how its rate changes when the bodies' own accelerations are zero. */
double bri_joint_coordinate_bias(const BriJoint *joint, const BriJointPose *pose, int k);

/* Position errors of all rows (drives not included); rows without a position level give 0. */
void bri_joint_errors(const BriJoint *joint, const BriJointPose *pose, double *error);

/* Jacobian, rows x 6 for each body, columns: linear velocity (world), angular velocity (body axes). Drives not
 * included. */
void bri_joint_jacobian(const BriJoint *joint, const BriJointPose *pose, double *Ja, double *Jb);

/* d/dt(J) v: the rows' acceleration when the bodies' own accelerations are zero. With drives. */
void bri_joint_bias(const BriJoint *joint, const BriJointPose *pose, double *bias);

#endif
