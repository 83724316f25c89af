/* so3.h: rotations and the torque-free turning of a rigid body.
 * A takes body components to world components; omega and L are in body axes. */
#ifndef BRI_SO3_H
#define BRI_SO3_H

#include "math/vec.h"

/* exp of the skew matrix of phi: the rotation by |phi| about phi. */
BrMat3 bri_rotation_exp(BrVec3 phi);

/* phi, no longer than pi, whose exp is A. */
BrVec3 bri_rotation_log(const BrMat3 *A);

/* A exp(phi), normalised. */
BrMat3 bri_rotation_turn(const BrMat3 *A, BrVec3 phi);

/* One Newton step of the polar decomposition: removes what rounding adds to A^T A - I. */
BrMat3 bri_rotation_normalise(const BrMat3 *A);

/* Largest entry of |A^T A - I|, infinite for a reflection. */
double bri_rotation_error(const BrMat3 *A);

/* A right-handed frame whose z axis is `z` (unit); x is as near to `x_hint` as can be, or any if that is parallel. */
BrMat3 bri_rotation_frame(BrVec3 z, BrVec3 x_hint);

/* The angle in (-pi, pi] that is left of `angle` after whole turns, moved to the turn nearest to `near`. */
double bri_angle_unwrap(double angle, double near);

/* Inverse of a symmetric positive definite matrix; false if it is not. */
bool bri_symmetric_inverse(const BrMat3 *S, BrMat3 *inverse);

/* Eigenvalues and eigenvectors (columns of Q, right-handed) of a symmetric matrix, by cyclic Jacobi. */
void bri_symmetric_axes(const BrMat3 *S, double values[3], BrMat3 *Q);

/* A rigid body's principal axes, and which of them it spins about: the one whose inertia is the odd one out. */
typedef struct BriTop {
    double spin_rate; /* 1/inertia[spin] - reference */
    double
        wobble_rate; /* 1/inertia[wobble] - reference: 0 for a symmetric top; balls have neither, and no more is read */
    BrMat3 axes;     /* columns: principal axes in body axes */
    bool aligned;    /* axes is the identity */
    double inertia[3]; /* kg m^2 */
    int spin, wobble;  /* axes: the odd one, and the second of the nearest pair */
    double reference;  /* 1/inertia of the first of that pair */
} BriTop;

BriTop bri_top_make(const BrMat3 *inertia);

/* Free turning over h: symmetric in time, order 2 (exact for symmetric tops), keeps |L| exactly. A is left as rounding
 * makes it: normalise it once it is final. */
void bri_top_turn(const BriTop *top, double h, BrMat3 *A, BrVec3 *omega);
/* The same without the body's pose, which does not change what becomes of omega. */
BrVec3 bri_top_spin(const BriTop *top, double h, BrVec3 omega);

#endif
