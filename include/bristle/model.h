/* bristle/model.h: the machine: bodies, joints, springs, motors, motions, forces. Constant once built.
 *
 *     BrModel *model;
 *     BrModelDef def = br_default_model_def();
 *     br_model_create(&def, &model, &error);
 *     ... br_model_add_body(), br_model_add_joint(), ...
 *     br_model_build(model, &error);            from here on it does not change
 *
 * Axes: everything is in world axes unless the name ends in _body. Joints connect body_a and body_b; what a joint
 * measures is b relative to a, and the force and torque it reports act ON BODY B, the torque about the joint's point
 * on body a (`at`; for a rolling wheel the point of the plane it touches first). The reaction on body a is the
 * opposite. */
#ifndef BRISTLE_MODEL_H
#define BRISTLE_MODEL_H

#include "bristle/law.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BrModel BrModel;

/* Small handles, passed by value; all zeros is null. A stale or foreign id is refused. */
#define BR_DECLARE_ID(Name)                                                                                            \
    typedef struct Name {                                                                                              \
        int32_t index1; /* slot + 1 */                                                                                 \
        uint32_t model;                                                                                                \
        uint32_t generation;                                                                                           \
    } Name
BR_DECLARE_ID(BrBodyId);
BR_DECLARE_ID(BrJointId);
BR_DECLARE_ID(BrSpringId);
BR_DECLARE_ID(BrMotorId);
BR_DECLARE_ID(BrMotionId);
BR_DECLARE_ID(BrForceId);
BR_DECLARE_ID(BrSignalId);
BR_DECLARE_ID(BrMaterialId);
BR_DECLARE_ID(BrShapeId);

/* ------------------------------------------------------------------ numbers that may vary */

typedef enum BrFunctionKind {
    BR_FUNCTION_CONSTANT,
    BR_FUNCTION_SINE,      /* constant + amplitude sin(2 pi frequency x + phase) */
    BR_FUNCTION_TABLE,     /* linear between points, constant outside */
    BR_FUNCTION_EXPRESSION /* of t (loads, motions, motors) or of x and v (springs: deflection and its rate), and, of
                            * loads, springs and motors, of signals and of what signals may read */
} BrFunctionKind;

/* A name that expressions may use. */
typedef struct BrConstant {
    const char *name;
    double value; /* SI */
} BrConstant;

typedef struct BrFunctionDef {
    BrFunctionKind kind;
    double constant;
    double amplitude;
    double frequency;    /* Hz */
    double phase;        /* rad */
    const double *table; /* x0 y0 x1 y1 ...; copied */
    int points;
    const char *expression;      /* copied */
    const BrConstant *constants; /* copied; names of the expression besides its arguments; NULL for none */
    int constant_count;
} BrFunctionDef;

BR_API BrFunctionDef br_constant(double value);
BR_API BrFunctionDef br_sine(double amplitude, double frequency, double phase);
BR_API BrFunctionDef br_table(const double *xy, int points);
BR_API BrFunctionDef br_expression(const char *text);

/* ------------------------------------------------------------------ definitions */

typedef struct BrModelDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    BrVec3 gravity;               /* m/s^2 */
    BrAllocator allocator;        /* all zeros: malloc and free */
    BrLog log;
    int contact_capacity; /* most contacts at a time; 0: from the shapes */
} BrModelDef;

typedef enum BrBodyKind { BR_BODY_DYNAMIC, BR_BODY_FIXED, BR_BODY_KINEMATIC } BrBodyKind;

typedef struct BrBodyDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    const char *name;
    BrBodyKind kind;         /* KINEMATIC: moved by a BrMotionDef only */
    double mass;             /* kg; > 0 for dynamic bodies */
    BrMat3 inertia;          /* kg m^2, about the centre of mass, in body axes; symmetric, triangle inequality */
    BrVec3 position;         /* m, centre of mass */
    BrMat3 rotation;         /* body to world */
    BrVec3 velocity;         /* m/s */
    BrVec3 angular_velocity; /* rad/s, world axes */
    BrVec3
        frame_body; /* m: origin of the body's frame, from the centre of mass, body axes; only told back: br_body_frame() */
} BrBodyDef;

typedef enum BrJointType {
    BR_JOINT_REVOLUTE,
    BR_JOINT_PRISMATIC,
    BR_JOINT_CYLINDRICAL,
    BR_JOINT_SPHERICAL,
    BR_JOINT_UNIVERSAL,
    BR_JOINT_FIXED,
    BR_JOINT_PLANAR,
    BR_JOINT_SCREW,
    BR_JOINT_DISTANCE,
    BR_JOINT_KNIFE_EDGE,
    BR_JOINT_ROLLING_WHEEL,
    BR_JOINT_POINT_IN_PLANE,
    BR_JOINT_POINT_ON_LINE,
    BR_JOINT_LINK,
    BR_JOINT_CONTACT,
    BR_JOINT_TYPES
} BrJointType;

/* Friction in a joint's bearings, by the joint's own reaction: what a joint transmits presses at virtual points of contact
 * (both ends of a pin or a guide, a ball's cup, the flanks of a thread, a collar), and the law acts there.
 * br_bearing_parameter() tells what each type takes, and what it needs. */
typedef struct BrJointFriction {
    BrLaw law; /* one that acts in joints (of a contact: in lasting contacts); no info: no friction of this kind */
    double pin_radius;      /* m */
    double bearing_spacing; /* m: between the centres of the two bearings of a pin */
    double bearing_offset;  /* m: from the joint's point to the middle between the bearings, along the axis */
    double collar_radius;   /* m: mean radius of the collar that takes the thrust; 0: thrust without friction */
    double guide_length;    /* m: between the ends of the guide, where it presses */
    double guide_width;     /* m: of a rectangular guide, along guide_side */
    double guide_height;    /* m: the same, across */
    double ball_radius;     /* m */
    double thread_radius;   /* m: mean radius of the thread */
    double thread_angle;    /* rad: of a flank against the square thread; a metric thread: 30 deg */
    double preload;         /* N: presses in addition, whatever the joint transmits */
    double viscous;         /* N m s/rad; of slides N s/m */
    double efficiency;      /* of what drives the coordinate, in (0, 1]: the rest becomes heat */
    bool bearings_on_first; /* pads or bushes sit on the first body, and the second slides in them; else the reverse */
    BrVec3 guide_side;      /* direction of the width, world, in the initial pose; 0: the joint's y axis */
} BrJointFriction;

typedef struct BrJointDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    const char *name;
    BrJointType type;
    BrBodyId body_a, body_b;
    BrVec3 at;     /* joint point, world, in the initial pose */
    BrVec3 axis;   /* world, any length > 0; see br_joint_info() for what it means in each type */
    BrVec3 axis_b; /* universal: second axis, on body b; rolling wheel: axle */
    BrVec3 point_a_body,
        point_b_body;     /* distance: attachments in the bodies' own axes, from their centres of mass; link: b's */
    double length;        /* distance, link: m; 0 takes the initial distance */
    double lead;          /* screw: m per turn, right-handed when positive */
    double radius;        /* rolling wheel: m */
    int shape_a, shape_b; /* contact: which of their bodies' shapes touch, from 0 in the order of adding */
    double stiffness;     /* contact: Hertz's, N/m^1.5; 0: rigid */
    double lower[3], upper[3]; /* limits of the coordinates, m or rad; infinite: none */
    double dry_friction[3];    /* constant dry friction of the coordinates, N or N m, >= 0 */
    double start
        [3]; /* m or rad: of the coordinates at the start, the pose of the bodies' definitions being their zero; NaN: */
    double start_rate[3]; /* not said. m/s or rad/s: the same of their rates. br_state_assemble() puts them there */
    BrJointFriction friction;
} BrJointDef;

/* A line spring between two points, or a spring on a joint's coordinate (angle or slide).
 * With deflection x = length - free_length (or coordinate - free_length) and rate v it pulls with
 * stiffness(x) x + damping(x, v) v + force(x, v), along the line and towards shorter (or lower) values. */
typedef struct BrSpringDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    const char *name;
    BrBodyId body_a, body_b;           /* line spring, or */
    BrJointId joint;                   /* joint spring */
    int coordinate;                    /* joint spring: which of the joint's coordinates */
    BrVec3 point_a_body, point_b_body; /* line spring: m, body axes, from the centre of mass */
    BrVec3 direction_at_zero;          /* line spring: direction from a to b while the length is 0 */
    BrFunctionDef stiffness;           /* N/m or N m/rad */
    BrFunctionDef damping;             /* N s/m or N m s/rad */
    BrFunctionDef force;               /* N or N m */
    double free_length;                /* m or rad */
    /* m or rad, lower < upper: deflections between these touch nothing; beyond, x counts from there, and the spring pushes
     * back but never holds: a soft stop. An infinite one: no stop on that side. Both 0: no play. */
    double play_lower, play_upper;
} BrSpringDef;

typedef enum BrMotorKind {
    BR_MOTOR_SPEED,  /* holds its speed rigidly, as far as its effort reaches */
    BR_MOTOR_EFFORT, /* exerts an effort */
    BR_MOTOR_SERVO   /* exerts effort + stiffness (position - q) + damping (rate - q') */
} BrMotorKind;

/* Drives a joint coordinate q with bounded effort. Efforts act on the second body, towards larger coordinates.
 * A servo follows a position (stiffness or frequency above 0; its rate is the position's derivative) or a speed (neither:
 * its rate is that speed). Timestepping and smooth take it implicitly, so that stiff ones need no short steps; event and
 * compliant integrate it as the spring and the damper that it is. */
typedef struct BrMotorDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    const char *name;
    BrJointId joint;
    int coordinate;
    BrFunctionDef speed; /* rad/s or m/s, of time */
    double max_effort;   /* N m or N, > 0; infinite: no bound */
    BrMotorKind kind;
    BrFunctionDef effort;   /* N m or N, of time; of a servo: added to what it follows with */
    BrFunctionDef position; /* servo: rad or m, of time */
    double stiffness;       /* servo: N m/rad or N/m, >= 0, */
    double damping;         /* and N m s/rad or N s/m, >= 0; or */
    double
        frequency; /* Hz, undamped, > 0: both from these two and from what the coordinate opposes to being moved where */
    double damping_ratio; /* the model begins, all joints holding; 1: without overshoot */
    double
        max_speed; /* servo with a position and damping: rad/s or m/s, > 0: that it is driven at; infinite: no bound */
} BrMotorDef;

/* Prescribes a joint coordinate, or the motion of a kinematic body, as functions of time. */
typedef struct BrMotionDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    const char *name;
    BrJointId joint; /* one of joint and body */
    BrBodyId body;
    int coordinate;
    bool by_velocity;                  /* false: position(s) are given; true: rates */
    BrFunctionDef drive;               /* joint: m, rad, m/s or rad/s */
    BrFunctionDef linear[3];           /* body: position in m or velocity in m/s, world */
    BrFunctionDef angular_velocity[3]; /* body: rad/s, world axes */
} BrMotionDef;

/* A force and a torque on a body, as functions of time. */
typedef struct BrForceDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    const char *name;
    BrBodyId body;
    BrFunctionDef force[3];  /* N */
    BrFunctionDef torque[3]; /* N m */
    BrVec3 point_body;       /* where the force acts, body axes, from the centre of mass */
    bool in_body_axes;       /* both turn with the body */
} BrForceDef;

/* A number with a name, which expressions of loads, springs and motors, and of signals added after it, may use. Its own may use,
 * besides t (s):
 *     BODY.position.x    .y .z; velocity, angular_velocity (m, m/s, rad/s; of the centre of mass, world axes)
 *     BODY.rotation.xy   and the other eight: body to world
 *     JOINT.position     JOINT.velocity (rad or m, and their rates); position_angle, velocity_slide, ... where it has several
 *     BODY.BODY.force.x  .y .z: N, on the first body by its contacts with the second, world axes; BODY.BODY.force: its
 *                        size. The mean over the step before: 0 in the first step
 * with bodies. or joints. before a name that several parts have. A signal that is a table is one of t, or of `over`. */
typedef struct BrSignalDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    const char *name;
    BrFunctionDef value;         /* a constant, a sine of t, a table or an expression */
    const char *over;            /* of a table: the expression that it is looked up at; NULL: t */
    const BrConstant *constants; /* names of `over`; copied; NULL for none */
    int constant_count;
} BrSignalDef;

BR_DEFAULT(BrModelDef, br_default_model_def, br_start_model_def) /* gravity (0, 0, -9.81) */
BR_DEFAULT(BrBodyDef, br_default_body_def, br_start_body_def)
BR_DEFAULT(BrJointDef, br_default_joint_def, br_start_joint_def)
BR_DEFAULT(BrSpringDef, br_default_spring_def, br_start_spring_def)
BR_DEFAULT(BrMotorDef, br_default_motor_def, br_start_motor_def)
BR_DEFAULT(BrMotionDef, br_default_motion_def, br_start_motion_def)
BR_DEFAULT(BrForceDef, br_default_force_def, br_start_force_def)
BR_DEFAULT(BrSignalDef, br_default_signal_def, br_start_signal_def)

/* ------------------------------------------------------------------ building */

BR_API BrStatus br_model_create(const BrModelDef *def, BrModel **model, BrError *error);
BR_API void br_model_destroy(BrModel *model); /* NULL allowed */

/* Additions. `id` is where the new part's id goes, NULL if it is not wanted; null after a refusal. */
BR_API BrStatus br_model_add_body(BrModel *model, const BrBodyDef *def, BrBodyId *id, BrError *error);
BR_API BrStatus br_model_add_joint(BrModel *model, const BrJointDef *def, BrJointId *id, BrError *error);
BR_API BrStatus br_model_add_spring(BrModel *model, const BrSpringDef *def, BrSpringId *id, BrError *error);
BR_API BrStatus br_model_add_motor(BrModel *model, const BrMotorDef *def, BrMotorId *id, BrError *error);
BR_API BrStatus br_model_add_motion(BrModel *model, const BrMotionDef *def, BrMotionId *id, BrError *error);
BR_API BrStatus br_model_add_force(BrModel *model, const BrForceDef *def, BrForceId *id, BrError *error);
BR_API BrStatus br_model_add_signal(BrModel *model, const BrSignalDef *def, BrSignalId *id, BrError *error);

/* A law of one's own, for this model's materials and joints, before they are added. */
BR_API BrStatus br_model_add_law(BrModel *model, const BrLawDef *def, BrError *error);

/* While building, a body that nothing refers to yet may be taken out again; its id is stale from then on. */
BR_API BrStatus br_model_remove_body(BrModel *model, BrBodyId id, BrError *error);

/* Checks the whole, orders the elimination, freezes the model. */
BR_API BrStatus br_model_build(BrModel *model, BrError *error);

/* ------------------------------------------------------------------ reading */

BR_API int br_model_body_count(const BrModel *model);
BR_API int br_model_joint_count(const BrModel *model);
BR_API int br_model_spring_count(const BrModel *model);
BR_API int br_model_motor_count(const BrModel *model);
BR_API int br_model_motion_count(const BrModel *model);
BR_API int br_model_force_count(const BrModel *model);
BR_API int br_model_signal_count(const BrModel *model);
BR_API BrVec3 br_model_gravity(const BrModel *model);

/* Laws that this model knows: those of the house, br_law_count() of them, and behind them its own; NULL outside. */
BR_API int br_model_law_count(const BrModel *model);
BR_API const BrLawInfo *br_model_law_info(const BrModel *model, int number);
/* One of them with its presets; all zeros if there is none of that name. */
BR_API BrLaw br_model_law(const BrModel *model, BrLawKind kind, const char *name);

/* By number from 0 to count - 1, in the order of adding; null ids outside. */
BR_API BrBodyId br_model_body(const BrModel *model, int number);
BR_API BrJointId br_model_joint(const BrModel *model, int number);
BR_API BrSpringId br_model_spring(const BrModel *model, int number);
BR_API BrMotorId br_model_motor(const BrModel *model, int number);
BR_API BrMotionId br_model_motion(const BrModel *model, int number);
BR_API BrForceId br_model_force(const BrModel *model, int number);
BR_API BrSignalId br_model_signal(const BrModel *model, int number);

/* By name; a null id if there is none. */
BR_API BrBodyId br_model_find_body(const BrModel *model, const char *name);
BR_API BrJointId br_model_find_joint(const BrModel *model, const char *name);
BR_API BrSpringId br_model_find_spring(const BrModel *model, const char *name);
BR_API BrMotorId br_model_find_motor(const BrModel *model, const char *name);
BR_API BrMotionId br_model_find_motion(const BrModel *model, const char *name);
BR_API BrForceId br_model_find_force(const BrModel *model, const char *name);
BR_API BrSignalId br_model_find_signal(const BrModel *model, const char *name);

/* What was given, with strings and tables owned by the model; NULL for an id that is not of this model. */
BR_API const BrBodyDef *br_body_def(const BrModel *model, BrBodyId id);
BR_API const BrJointDef *br_joint_def(const BrModel *model, BrJointId id);
BR_API const BrSpringDef *br_spring_def(const BrModel *model, BrSpringId id);
BR_API const BrMotorDef *br_motor_def(const BrModel *model, BrMotorId id);
BR_API const BrMotionDef *br_motion_def(const BrModel *model, BrMotionId id);
BR_API const BrForceDef *br_force_def(const BrModel *model, BrForceId id);
BR_API const BrSignalDef *br_signal_def(const BrModel *model, BrSignalId id);

/* A number that two models share only if they are the same machine (names, numbers, topology). */
BR_API uint64_t br_model_fingerprint(const BrModel *model);

/* ------------------------------------------------------------------ what there is: joint types */

/* What a joint's definition may or must say. Scene files, `bristle joints` and messages all read this table. */
typedef enum BrJointField {
    BR_FIELD_AT,
    BR_FIELD_AXIS,
    BR_FIELD_AXIS_B,
    BR_FIELD_POINT_A,
    BR_FIELD_POINT_B,
    BR_FIELD_LENGTH,
    BR_FIELD_LEAD,
    BR_FIELD_RADIUS,
    BR_FIELD_STIFFNESS,
    BR_FIELD_SHAPES
} BrJointField;

typedef struct BrJointParameter {
    BrJointField field;
    const char *key;  /* in scene files */
    const char *unit; /* "m", "m/turn", "N/m^1.5", or "" for directions and numbers */
    bool required;
    const char *help;
} BrJointParameter;

typedef struct BrJointCoordinate {
    const char *name; /* "angle", "slide", ... */
    const char *unit; /* "rad" or "m" */
    bool driveable;   /* may carry a spring, a motor or a motion */
} BrJointCoordinate;

typedef struct BrJointInfo {
    const char *name;
    const char *help;
    int freedoms;    /* of b relative to a, as velocities */
    int constraints; /* rows at velocity level */
    int holonomic;   /* rows at position level */
    int parameters;
    BrJointParameter parameter[5];
    int coordinates;
    BrJointCoordinate coordinate[3];
} BrJointInfo;

BR_API const BrJointInfo *br_joint_info(BrJointType type); /* NULL outside the list */

/* A number of BrJointFriction; the other two of its words are `guide_side` and `bearings_on`. */
typedef struct BrBearingParameter {
    const char *key;        /* in scene files */
    const char *unit;       /* "m"; "" for pure numbers */
    unsigned taken, needed; /* bits, 1 << BrJointType: which joints take it, which cannot do without */
    size_t offset;          /* of its double in BrJointFriction */
    const char *help;
} BrBearingParameter;

BR_API int br_bearing_parameter_count(void);
BR_API const BrBearingParameter *br_bearing_parameter(int number); /* NULL outside the list */

#ifdef __cplusplus
}
#endif

#endif
