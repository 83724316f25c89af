/* bristle/mechanics.h: the machine's matrices at a state, for controllers and analyses: masses, the rows by which
 * velocities depend on each other, inertia as coordinates feel it, and inverse dynamics.
 *
 * A body's velocity is six numbers: of its centre of mass (m/s) and angular (rad/s), both in world axes. Matrices are
 * written row by row. */
#ifndef BRISTLE_MECHANICS_H
#define BRISTLE_MECHANICS_H

#include "bristle/step.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bodies that forces move, in the order of their columns; a null id outside. */
BR_API int br_model_moving_count(const BrModel *model);
BR_API BrBodyId br_model_moving_body(const BrModel *model, int number);

/* M of all moving bodies, 6n x 6n: kinetic energy is v.(M v)/2. Blocks of six on the diagonal, and nothing else. */
BR_API BrStatus br_mass_matrix(const BrModel *model, const BrState *state, double *M);

/* Velocity of a point of a body, given in its axes from its centre of mass, m: 3 x 6, by its body's velocity. */
BR_API BrStatus br_point_jacobian(const BrModel *model, const BrState *state, BrBodyId id, BrVec3 point_body,
                                  double J[18]);

/* The rows of a joint's constraints at velocity level: on_a v_a + on_b v_b = 0, each `rows` x 6, up to 6 x 6. As many as
 * br_joint_info() has constraints; motors and motions are none of them. Each of the three may be NULL. */
BR_API BrStatus br_joint_rows(const BrModel *model, const BrState *state, BrJointId id, double *on_a, double *on_b,
                              int *rows);

/* One of a joint's coordinates (br_joint_info()). */
typedef struct BrCoordinate {
    BrJointId joint;
    int number;
} BrCoordinate;

/* Its rate is on_a.v_a + on_b.v_b, rad/s or m/s. Each may be NULL. */
BR_API BrStatus br_coordinate_row(const BrModel *model, const BrState *state, BrCoordinate coordinate, double on_a[6],
                                  double on_b[6]);

/* What some coordinates feel of the machine, all others being free: efforts f (N m, N) on them change their accelerations
 * by inertia^-1 f, with everything that joints pass on. Of coordinates that tell all velocities it is their mass matrix.
 * count x count, kg m^2, kg m, kg. Refused where one of them follows from the others or is moved by a motion. */
BR_API BrStatus br_coordinate_inertia(const BrModel *model, BrWorkspace *workspace, const BrState *state,
                                      const BrCoordinate *list, int count, double *inertia, BrError *error);

/* The efforts (N m, N, along the coordinates, on body b) that make these coordinates accelerate so (rad/s^2, m/s^2), in
 * this state: against weights, springs, forces and what velocities do by themselves; others are free to move, or are moved
 * by their motions. All motors are taken away, and dry friction in joints (viscous friction
 * stays); what touches, and limits, are not asked. */
BR_API BrStatus br_inverse_dynamics(const BrModel *model, BrWorkspace *workspace, const BrState *state,
                                    const BrCoordinate *list, const double *acceleration, int count, double *effort,
                                    BrError *error);

#ifdef __cplusplus
}
#endif

#endif
