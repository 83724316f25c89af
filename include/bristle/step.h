/* bristle/step.h: moving a state forward, and looking at it: accelerations and reactions. */
#ifndef BRISTLE_STEP_H
#define BRISTLE_STEP_H

#include "bristle/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Scratch of one thread. It may change speed, never bits; it can be thrown away and made again at any time. */
typedef struct BrWorkspace BrWorkspace;

BR_API BrStatus br_workspace_create(const BrModel *model, BrWorkspace **workspace, BrError *error);
BR_API void br_workspace_destroy(const BrModel *model, BrWorkspace *workspace);

typedef enum BrScheme {
    BR_SCHEME_MOREAU, /* order 1: one velocity-level solve, positions by the new velocity */
    BR_SCHEME_HEM2,   /* order 2: half-explicit midpoint, two solves */
    BR_SCHEME_RATTLE, /* order 2, symmetric: energy does not drift; for scenes without contact */
    BR_SCHEMES
} BrScheme;

BR_API const char *br_scheme_name(BrScheme scheme);

typedef struct BrStepDef {
    BrScheme scheme;
    double dt; /* s, > 0 */
    uint32_t cookie;
} BrStepDef;

BR_API BrStepDef br_default_step_def(void); /* rattle, 1 ms */

typedef struct BrStepReport {
    double position_residual; /* largest constraint violation left, m or rad */
    double velocity_residual; /* the same of its rate, m/s or rad/s */
    BrJointId worst_joint;    /* where the larger of both, relative to its tolerance, was seen */
    int iterations;           /* passes of the position and velocity solves together */
    int factorizations;
    int clamped_motors; /* at their largest effort */
    int dropped_rows;   /* redundant rows left out of the factor */
} BrStepReport;

/* One step. BR_OK, BR_NOT_CONVERGED (taken; see the report) or negative (state unchanged; error tells).
 * `report` and `error` may be NULL. Allocates nothing. */
BR_API BrStatus br_step(const BrModel *model, BrWorkspace *workspace, BrState *state, const BrStepDef *def,
                        BrStepReport *report, BrError *error);

/* What assembling changed. */
typedef struct BrAssembly {
    double moved; /* largest displacement of a body, m or rad */
    BrBodyId moved_body;
    double changed; /* largest change of a velocity that was not zero before, m/s or rad/s */
    BrBodyId changed_body;
} BrAssembly;

/* Moves positions and velocities onto the constraints, nearest in the kinetic-energy metric; `assembly` (NULL allowed)
 * tells what that changed. Refused when there is no such pose nearby. */
BR_API BrStatus br_state_assemble(const BrModel *model, BrWorkspace *workspace, BrState *state, BrAssembly *assembly,
                                  BrError *error);

/* ------------------------------------------------------------------ looking */

/* One acceleration-level solve at the state: what the getters below then tell is instantaneous. */
BR_API BrStatus br_evaluate(const BrModel *model, BrWorkspace *workspace, const BrState *state, BrError *error);

typedef struct BrWrench {
    BrVec3 force;  /* N */
    BrVec3 torque; /* N m, about the joint's point on body a */
} BrWrench;

/* Of the last br_evaluate(): linear and angular acceleration, world axes. */
BR_API BrStatus br_body_acceleration(const BrModel *model, const BrWorkspace *workspace, BrBodyId id, BrTwist *rate);
/* Of the last br_evaluate(): what the joint, its motor and its motion exert on body b; in world axes and in the joint's
 * frame on body a. Redundant constraints share the load with the least norm. Springs on the joint are not included. */
BR_API BrStatus br_joint_reaction(const BrModel *model, const BrWorkspace *workspace, BrJointId id, BrWrench *world,
                                  BrWrench *joint_frame);
/* Of the last br_evaluate(): the joint's mean over the step before it (impulse / dt), world axes; zero before the first
 * step. */
BR_API BrStatus br_joint_reaction_mean(const BrModel *model, const BrWorkspace *workspace, BrJointId id,
                                       BrWrench *world);
/* Of the last br_evaluate(): what the motor exerts on its coordinate, N m or N. */
BR_API BrStatus br_motor_effort(const BrModel *model, const BrWorkspace *workspace, BrMotorId id, double *effort);
/* The same of a motion that drives a joint; BR_INVALID_ID for one that moves a body. */
BR_API BrStatus br_motion_effort(const BrModel *model, const BrWorkspace *workspace, BrMotionId id, double *effort);

/* ------------------------------------------------------------------ analysis */

typedef struct BrAnalysis {
    int bodies;                /* that can move */
    int rows;                  /* constraints at velocity level */
    int redundant_rows;        /* that follow from the others in this pose */
    int freedoms;              /* 6 bodies - independent rows */
    double position_violation; /* largest, m or rad */
    double velocity_violation; /* largest, m/s or rad/s */
    double largest_dt;         /* s: beyond it some spring or damper, taken by itself, is unstable; 0: no limit */
    BrSpringId stiffest;       /* the spring that sets it */
} BrAnalysis;

/* `redundant` (NULL allowed) is called for each redundant row with its joint and a name like "turn about x". */
BR_API BrStatus br_analyse(const BrModel *model, BrWorkspace *workspace, const BrState *state, BrAnalysis *analysis,
                           void (*redundant)(void *user, BrJointId joint, const char *row), void *user, BrError *error);

#ifdef __cplusplus
}
#endif

#endif
