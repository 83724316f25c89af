/* bristle/state.h: everything that can change the next step's bits, in one flat block.
 * Copying a state is copying its bytes: snapshot, restore and replay are exact. */
#ifndef BRISTLE_STATE_H
#define BRISTLE_STATE_H

#include "bristle/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BrState BrState;

/* The initial state of a built model, as defined; see br_state_assemble() in step.h to put it on the constraints. */
BR_API BrStatus br_state_create(const BrModel *model, BrState **state, BrError *error);
BR_API void br_state_destroy(const BrModel *model, BrState *state);

/* Snapshot and restore. Both states must be of the same model. */
BR_API BrStatus br_state_copy(BrState *target, const BrState *source);
BR_API size_t br_state_size(const BrState *state);
BR_API const void *br_state_bytes(const BrState *state);
/* Takes over bytes written by an earlier br_state_bytes() of the same model; refused if they are not. */
BR_API BrStatus br_state_restore(BrState *state, const void *bytes, size_t size, BrError *error);
/* The same number on every machine for the same bits. */
BR_API uint64_t br_state_hash(const BrState *state);

BR_API double br_state_time(const BrState *state); /* s */
BR_API uint64_t br_state_step(const BrState *state);

/* A state that goes on in another model, `to`, where it left off in `from`: all it has, with the energy books begun anew.
 * Both must have the same bodies, joints and what limits, rubs or drives them, shapes and contact capacity, by name and in
 * the same order; masses, values of laws, springs, functions of motors and forces, gravity may differ (br_model_change()
 * makes such models). Else refused, with a sentence about what differs. */
BR_API BrStatus br_state_move(const BrModel *from, const BrState *source, const BrModel *to, BrState **state,
                              BrError *error);

/* ------------------------------------------------------------------ bodies */

typedef struct BrPose {
    BrVec3 position; /* m, centre of mass */
    BrMat3 rotation; /* body to world */
} BrPose;

typedef struct BrTwist {
    BrVec3 linear;  /* m/s, centre of mass, world axes */
    BrVec3 angular; /* rad/s, world axes */
} BrTwist;

BR_API BrStatus br_body_pose(const BrModel *model, const BrState *state, BrBodyId id, BrPose *pose);
BR_API BrStatus br_body_twist(const BrModel *model, const BrState *state, BrBodyId id, BrTwist *twist);
/* The pose of the body's frame (frame_body of its definition): its position is the frame's origin; the axes are the same. */
BR_API BrStatus br_body_frame(const BrModel *model, const BrState *state, BrBodyId id, BrPose *frame);
/* Dynamic bodies only. The rotation must be a rotation to 1e-6. Setting the pose leaves the twist, in world axes,
 * alone. Either starts the energy books anew. */
BR_API BrStatus br_body_set_pose(const BrModel *model, BrState *state, BrBodyId id, BrPose pose, BrError *error);
BR_API BrStatus br_body_set_twist(const BrModel *model, BrState *state, BrBodyId id, BrTwist twist, BrError *error);

/* ------------------------------------------------------------------ inputs, kept until set again */

/* An extra force (N, at the centre of mass) and torque (N m), world axes, constant over each step. */
BR_API BrStatus br_body_set_load(const BrModel *model, BrState *state, BrBodyId id, BrVec3 force, BrVec3 torque,
                                 BrError *error);
BR_API BrStatus br_body_load(const BrModel *model, const BrState *state, BrBodyId id, BrVec3 *force, BrVec3 *torque);
/* Takes the motor over from its function of time: `target` is what it follows, a speed, a servo's position (m or rad; its rate is
 * zero then) or an effort. */
BR_API BrStatus br_motor_set_target(const BrModel *model, BrState *state, BrMotorId id, double target,
                                    double max_effort, BrError *error);
/* Gives it back to its function of time. */
BR_API BrStatus br_motor_release(const BrModel *model, BrState *state, BrMotorId id);
BR_API BrStatus br_motor_target(const BrModel *model, const BrState *state, BrMotorId id, double *target,
                                double *max_effort);

/* ------------------------------------------------------------------ joints and springs, as the state has them */

/* The joint's coordinates and their rates, as listed by br_joint_info(). Angles count turns, but those of universal
 * joints lie in (-pi, pi]. */
BR_API BrStatus br_joint_position(const BrModel *model, const BrState *state, BrJointId id, double position[3],
                                  double velocity[3]);
/* The largest position-level violation over the joint's rows (m or rad). */
BR_API BrStatus br_joint_gap(const BrModel *model, const BrState *state, BrJointId id, double *gap);
/* Length (or coordinate), its rate, and the tension: positive pulls the ends together. */
BR_API BrStatus br_spring_force(const BrModel *model, const BrState *state, BrSpringId id, double *length, double *rate,
                                double *tension);

/* The value of a signal in this state. */
BR_API BrStatus br_signal_value(const BrModel *model, const BrState *state, BrSignalId id, double *value);

/* ------------------------------------------------------------------ energy, J */

typedef struct BrEnergy {
    double kinetic;
    double potential; /* gravity: -sum m g.r */
    double stored;    /* springs */
    double work; /* put in by forces, motors, motions (trapezoidal in time) since the books began: at the first step,
                  * or at the last setting of a pose or twist */
    double dissipated; /* taken out since t = 0 by dampers, slip, impacts, joint limits and dry friction */
    double defect;     /* kinetic + potential + stored + dissipated - work - the initial total: 0 if time were exact */
} BrEnergy;

BR_API BrStatus br_state_energy(const BrModel *model, const BrState *state, BrEnergy *energy);

#ifdef __cplusplus
}
#endif

#endif
