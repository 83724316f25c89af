/* model.h: the constant machine, as the rest of the house sees it. */
#ifndef BRI_MODEL_H
#define BRI_MODEL_H

#include "base/base.h"
#include "base/names.h"
#include "bristle/bushing.h"
#include "bristle/contact.h"
#include "bristle/coupling.h"
#include "bristle/sensor.h"
#include "geom/shape.h"
#include "laws/laws.h"
#include "math/function.h"
#include "math/so3.h"

/* Largest entry of A^T A - I that is taken for a rotation: numbers that were written with seven digits. */
#define BRI_ROTATION_ERROR 1e-6

enum { BRI_JOINT_ROWS = 6, BRI_JOINT_DRIVES = 3 };

/* What a constraint row measures; a and b number the axes (0 x, 1 y, 2 z) of the joint frames on body a and b. */
typedef enum BriRowKind {
    BRI_ROW_POINT,    /* 3 rows: the joint points coincide, world axes */
    BRI_ROW_AXES,     /* axis a of frame A is perpendicular to axis b of frame B */
    BRI_ROW_OFFSET,   /* the joint points' offset is perpendicular to axis a of frame A */
    BRI_ROW_DISTANCE, /* the joint points are `length` apart */
    BRI_ROW_SCREW,    /* slide along z = pitch * angle about z */
    BRI_ROW_KNIFE,    /* velocity of point B relative to body a along axis b of frame B is zero; no position row */
    BRI_ROW_WHEEL,    /* 3 rows: the rim touches the plane; its point there has no velocity along x and y */
    BRI_ROW_CONTACT   /* the gap of two surfaces */
} BriRowKind;

typedef struct BriRow {
    BriRowKind kind;
    int a, b;
} BriRow;

/* How a joint coordinate is measured. */
typedef enum BriMeasure {
    BRI_MEASURE_ANGLE,
    BRI_MEASURE_SLIDE,
    BRI_MEASURE_LENGTH,
    BRI_MEASURE_UNIVERSAL,
    BRI_MEASURE_TURN /* about a world axis, as a rate alone: of joints that turn every way, for their friction */
} BriMeasure;

typedef struct BriJointType {
    BrJointInfo info;
    int entries;
    BriRow entry[5];
    const char *row_name[BRI_JOINT_ROWS]; /* at velocity level */
    BriMeasure measure[3];                /* of the coordinates, and of what friction alone looks at */
    int measure_axis[3];
} BriJointType;

const BriJointType *bri_joint_type(BrJointType type);

/* What every contact asks for stands first, side by side. */
/* What steps ask of a body. How it was described stands apart (body_def): steps of many bodies would wait for it. */
typedef struct BriBody {
    int node;   /* among the bodies that can move, or -1 */
    int motion; /* number of the motion that moves it, or -1 */
    double inverse_mass;
    BrMat3 inverse_inertia;
    double mass; /* kg; 0: it is not dynamic, as with all that follows */
    BriTop top;
    double size; /* m: the larger of its longest arm to a joint and its radius of gyration */
    BrMat3 inertia;
} BriBody;

/* Neither forces nor a motion move it: its velocities are zero. */
static inline bool bri_is_still(const BriBody *body) { return body->node < 0 && body->motion < 0; }

/* Does a body's frame lie apart from its centre of mass? Where it does not, nothing is added, and no bit changes. */
static inline bool bri_has_frame(BrVec3 frame_body) {
    return frame_body.x != 0 || frame_body.y != 0 || frame_body.z != 0;
}

/* A driven coordinate: an extra row of its joint. */
typedef struct BriDrive {
    int coordinate;
    bool by_velocity;
    int motor;  /* number of the motor, or -1: */
    int motion; /* number of the motion, or -1: */
    int grip;   /* number of the friction that holds it while it sticks */
} BriDrive;

/* Friction in a joint's bearings (BrJointFriction), as rows on the joint's coordinates; a universal joint has two, one of
 * each pin. Slips (m/s) and forces (N) of its rows are rates times `length`, efforts by `length`. */
typedef struct BriGrip {
    int joint, pin;
    int rows; /* 1; 2: turn and slide of a pin; 3: the turns of a ball */
    int coordinate[3];
    double length[3]; /* m, or 1 */
    int drive[3];     /* of the joint; -1: a motor or a motion moves the coordinate */
    int row[3];       /* the same among all rows of the model; of driven ones none */
    bool driven;      /* the coordinate of its one row is moved */
    double side[2];   /* of a rectangular guide: along its width, in x and y of the joint */
    double width;     /* m/s: over such slips friction is smoothed; 0: it holds */
    bool by_slip;     /* its law has another mu for each slip */
    double
        mobility; /* 1/kg, of a hinge: how far its slip gives way to its friction where joints hold nothing; else 0 */
} BriGrip;

typedef struct BriModelShape BriModelShape;

/* A lasting contact: a joint whose row is the gap of two surfaces, while the formulation smooth holds it closed. */
typedef struct BriLasting {
    int joint;
    const BriModelShape *shape[2]; /* of body a and body b */
    int wall;                      /* which of them is the wall, the other being a point, a sphere or an ellipsoid */
    double radius;                 /* m: R of its friction's rolling */
    double slight;                 /* m: depths below this are linear in the force */
} BriLasting;

/* A coupling: factor[0] q1 + factor[1] q2 = offset of two coordinates of joints. Its row is that of a joint of its own,
 * behind the users' ones, which has up to four bodies: those that can move come first. */
typedef struct BriCoupling {
    BrCouplingDef def;
    int joint[2], coordinate[2];
    double factor[2], offset;
    int more[2]; /* bodies beyond the row's first two, -1: none */
} BriCoupling;

typedef struct BriJoint {
    BrJointDef def;
    const BriJointType *type;
    int a, b;                     /* body numbers */
    BrVec3 point_a, point_b;      /* joint points in body axes, from the centres of mass */
    BrMat3 frame_a, frame_b;      /* joint frames in body axes: columns x, y, z */
    double length, pitch, radius; /* m, m/rad, m */
    int drives;
    BriDrive drive[BRI_JOINT_DRIVES];
    int rows;      /* with drives */
    int first_row; /* among all rows of the model */
    bool closes_loop;
    int partner;                 /* body that hangs on this joint in the tree, or -1 */
    const BriLasting *lasting;   /* of a contact; NULL: of others */
    const BriCoupling *coupling; /* whose row it is; NULL: it is a user's */
} BriJoint;

typedef struct BriSpring {
    BrSpringDef def;
    int a, b;  /* body numbers of a line spring, or -1 */
    int joint; /* number of the joint, or -1 */
    BriFunction stiffness, damping, force;
    bool works_only; /* its pull hangs on more than its deflection: it stores nothing, all that it does is work */
} BriSpring;

typedef struct BriBushing {
    BrBushingDef def;
    int a, b;        /* body numbers */
    BrVec3 point[2]; /* m, in the axes of a and of b, from their centres of mass */
    BrMat3 frame[2]; /* its axes there */
} BriBushing;

typedef struct BriMotor {
    BrMotorDef def;
    int joint;
    int drive; /* its row among the joint's drives; -1: it has none, and is a force */
    BriFunction speed, effort, position;
    bool follows; /* a servo: a position */
} BriMotor;

/* What it follows. */
static inline const BriFunction *bri_motor_function(const BriMotor *motor) {
    if (motor->def.kind == BR_MOTOR_EFFORT) return &motor->effort;
    return motor->follows ? &motor->position : &motor->speed;
}

typedef struct BriMotion {
    BrMotionDef def;
    int joint, body; /* one of them -1 */
    BriFunction drive, linear[3], angular[3];
} BriMotion;

typedef struct BriForce {
    BrForceDef def;
    int body;
    BriFunction force[3], torque[3];
} BriForce;

/* What expressions may read of a machine in motion. */
typedef enum BriQuantityKind {
    BRI_QUANTITY_TIME,
    BRI_QUANTITY_BODY,    /* part: 0 to 2 position, 3 to 5 velocity, 6 to 8 angular velocity, 9 to 17 rotation */
    BRI_QUANTITY_JOINT,   /* part: 2 k the coordinate k, 2 k + 1 its rate */
    BRI_QUANTITY_CONTACT, /* part: 0 to 2 the force on a by b, world; 3 its size */
    BRI_QUANTITY_TABLE    /* a signal that is looked up */
} BriQuantityKind;

typedef struct BriQuantity {
    BriQuantityKind kind;
    int a, b; /* numbers of what it is of */
    int part;
} BriQuantity;

typedef struct BriSignal {
    BrSignalDef def;
    BriFunction value;  /* a table: at `over` */
    BriExpression over; /* no instructions: t */
    BriExpression name; /* what stands where an expression names it */
    int dearness;       /* operations that reading it takes */
} BriSignal;

/* It pushes nothing, and is no part of the fingerprint. */
typedef struct BriSensor {
    BrSensorDef def;
    BrMat3 axes;     /* its axes to the body's: those of the definition, made a rotation */
    int a, b, joint; /* numbers of what it is of, or -1 */
} BriSensor;

typedef struct BriMaterial {
    BrMaterialDef def;
} BriMaterial;

/* How two materials meet, with the numbers that every step asks for. */
typedef struct BriSurface {
    int a, b; /* materials, a <= b */
    BrSurface laws;
    double *table[4];         /* of the laws, owned */
    double mu_s, mu_k, e;     /* mu_k: where it begins to slide; e: at 1 m/s */
    bool by_slip, by_speed;   /* the law has another mu for each slip, another e for each impact */
    double mu_r, mu_spin;     /* m */
    double creep;             /* m/s: slip over which friction builds up; 0: it holds */
    BriHypothesis hypothesis; /* what e is of */
    BriMemoryPlan memory;
    double modulus;   /* Pa: Hertz's E*, 0: not known */
    bool used, round; /* some shapes may meet so; all of those have a common radius */
} BriSurface;

/* mu of a slide with this slip, m/s; e of an impact with this speed, m/s. */
static inline double bri_surface_mu(const BriSurface *s, double slip) {
    return s->by_slip ? bri_law_record(&s->laws.friction)->dry.slides(&s->laws.friction, slip) : s->mu_k;
}
static inline bool bri_may_bounce(const BriSurface *s) { return s->by_speed || s->e > 0; }
static inline double bri_surface_restitution(const BriSurface *s, double speed) {
    return s->by_speed ? bri_law_record(&s->laws.normal)->restitution(&s->laws.normal, speed) : s->e;
}

struct BriModelShape {
    BrShapeDef def;
    BriShape shape;
    int body, material;
    BriFrame frame;  /* in the body */
    double extent;   /* m: farthest point from the body's centre of mass; infinite for planes */
    bool has_motion; /* its surface runs */
};

/* Where something is that stands at `own` in a body, when that is at r, A. */
static inline void bri_place_frame(const BriFrame *own, BrVec3 r, const BrMat3 *A, BriFrame *frame) {
    frame->position = bri_add(r, bri_mul(A, own->position));
    frame->axes = bri_mat_mul(A, &own->axes);
}
/* The same of a shape. */
static inline void bri_place_shape(const BriModelShape *shape, BrVec3 r, const BrMat3 *A, BriFrame *frame) {
    bri_place_frame(&shape->frame, r, A, frame);
}

typedef struct BriFilter {
    int a, b; /* bodies, a < b */
    bool touch;
} BriFilter;

/* What contacts of two bodies remember when the motion begins. */
typedef struct BriMemory {
    int a, b;         /* bodies, a < b */
    const char *name; /* of a law's memory, in the law's table */
    double value;
    BrVec3 vector; /* of a vector, world: of b against a */
} BriMemory;

/* A row with bounds on a joint's coordinate: a limit, friction, or a motor where something touches. */
typedef enum BriBoundKind {
    BRI_BOUND_LOWER,
    BRI_BOUND_UPPER,
    BRI_BOUND_FRICTION,
    BRI_BOUND_GRIP, /* friction by the joint's reaction */
    BRI_BOUND_MOTOR
} BriBoundKind;
typedef struct BriJointBound {
    int joint, coordinate;
    BriBoundKind kind;
    int drive; /* of a motor: which of the joint's */
    int grip;  /* of friction by reaction: its number, */
    int row;   /* and which of its rows */
} BriJointBound;

typedef struct BriSlot {
    int index; /* -1: removed */
    uint32_t generation;
} BriSlot;

struct BrModel {
    BrAllocator allocator;
    BrLog log;
    BrVec3 gravity;
    uint32_t number; /* in every id */
    bool built;

    int bodies, joints, springs, motors, motions, forces, signals, quantities;
    int body_capacity, body_def_capacity, body_given_capacity, joint_capacity, spring_capacity, motor_capacity,
        motion_capacity, force_capacity, signal_capacity, quantity_capacity;
    BriBody *body;
    BrBodyDef *body_def; /* strings owned by the model */
    BrMat3 *body_given;  /* rotations as they were given; those of body_def are made rotations */
    BriJoint *joint;
    BriSpring *spring;
    BriMotor *motor;
    BriMotion *motion;
    BriForce *force;
    BriSignal *signal;
    BriQuantity *quantity; /* that expressions read */
    int slots, slot_capacity;
    BriSlot *slot; /* of bodies: the others are never removed */
    BriNames body_names, joint_names, spring_names, motor_names, motion_names, force_names, signal_names;
    int couplings, coupling_capacity;
    BriCoupling *coupling;
    BriNames coupling_names;
    int sensors, sensor_capacity;
    BriSensor *sensor;
    BriNames sensor_names;
    int bushings, bushing_capacity;
    BriBushing *bushing;
    BriNames bushing_names;

    int materials, surfaces, shapes, filters, memories;
    int material_capacity, surface_capacity, shape_capacity, filter_capacity, memory_capacity;
    BriMaterial *material;
    BriSurface *surface; /* of materials with themselves and of pairs */
    int *surface_order;  /* their numbers, sorted by materials */
    int surface_order_capacity;
    BriModelShape *shape;
    BriFilter *filter;
    BriMemory *memory;
    BriNames material_names;
    BriLaws laws; /* of the user's own */

    /* made by br_model_build */
    int moving;              /* bodies with a node */
    int *moving_body;        /* node -> body */
    int rows;                /* constraint rows of all joints */
    int coupled;             /* the last joints, which couplings have made: none or all of them */
    bool couples_more;       /* some of these have more than two bodies that move */
    bool rate_dependent;     /* some force depends on velocities */
    bool keeps_energy_books; /* something puts work in or takes it out */
    int bounds;              /* limits, friction and motors of joints, */
    int grip_bounds;         /* of them: friction by reaction */
    int motor_bounds;        /* the last of them: motors */
    int servos, efforts;     /* motors of these kinds */
    int grips;
    BriGrip *grip;
    int lastings;
    BriLasting *lasting;
    int strangers;      /* pairs of shapes that may meet, and have no lasting contact, where others have one: */
    int (*stranger)[2]; /* their numbers */
    bool viscous;       /* some of these resist speed */
    bool meets;         /* some shapes may meet */
    BriJointBound *bound;
    int apart_count;
    uint64_t *apart; /* pairs of bodies that never touch, sorted: lower number << 32 | higher */
    int contact_capacity, pair_capacity;
    bool turns;   /* some surfaces that may meet resist rolling or spinning */
    bool touches; /* some shapes may meet, or some joint has bounds: the contact problem is there */
    uint64_t fingerprint;
};

/* Number behind an id, or -1 if it is null, stale or foreign. */
int bri_body_number(const BrModel *model, BrBodyId id);
int bri_joint_number(const BrModel *model, BrJointId id);
int bri_spring_number(const BrModel *model, BrSpringId id);
int bri_motor_number(const BrModel *model, BrMotorId id);
int bri_motion_number(const BrModel *model, BrMotionId id);
int bri_signal_number(const BrModel *model, BrSignalId id);
int bri_material_number(const BrModel *model, BrMaterialId id);
int bri_shape_number(const BrModel *model, BrShapeId id);
int bri_coupling_number(const BrModel *model, BrCouplingId id);
int bri_sensor_number(const BrModel *model, BrSensorId id);
int bri_bushing_number(const BrModel *model, BrBushingId id);

/* Users' joints; behind them stand those of couplings. */
static inline int bri_own_joints(const BrModel *model) { return model->joints - model->coupled; }
/* The id of a joint; of a coupling's row that of its first joint. */
static inline BrJointId bri_joint_to_tell(const BrModel *model, int joint) {
    const BriCoupling *coupling = model->joint[joint].coupling;
    return br_model_joint(model, coupling ? coupling->joint[0] : joint);
}

/* May these two shapes meet (numbers; different bodies, one of them moved by forces, not filtered)? */
bool bri_shapes_may_touch(const BrModel *model, int shape_a, int shape_b);

/* The surface of two materials, or NULL. */
const BriSurface *bri_find_surface(const BrModel *model, int material_a, int material_b);

/* One line to the model's log, if it has one. Allocates nothing. */
__attribute__((format(printf, 2, 3))) void bri_tell(const BrModel *model, const char *format, ...);

/* A digest of names, numbers and topology (fingerprint.c). */
uint64_t bri_model_hash(const BrModel *model);

/* Joint bounds, contact capacity, and a surface for every pair of materials that may meet (prepare_contact.c). */
BrStatus bri_model_prepare_contact(BrModel *model, BrError *error);

/* Friction by reaction: grips, and rows of the joints that hold what sticks (bearings.c). */
BrStatus bri_model_make_grips(BrModel *model, BrError *error);
/* Does the friction of a joint in the making fit its type? And which way its guide lies. */
BrStatus bri_check_bearings(const BrModel *model, const BrJointDef *def, BrError *error);

/* Has a word of a joint's friction another value than if nothing is said? */
bool bri_bearing_is_given(const BrJointFriction *friction, const BrBearingParameter *word);

/* Lasting contacts: their surfaces, and where they touch (lasting.c). */
BrStatus bri_model_make_lastings(BrModel *model, BrError *error);
/* Does what is said of a contact in the making fit its type? */
BrStatus bri_check_lasting(const BrModel *model, const BrJointDef *def, BrError *error);

/* Rows of couplings, as joints behind the others (couplings.c). */
BrStatus bri_model_make_couplings(BrModel *model, BrError *error);

/* Spanning tree of the machine: marks joints that close loops and finds each tree joint's partner (tree.c). */
BrStatus bri_model_find_tree(BrModel *model, BrError *error);

/* Makes a function from its definition and gives `def` strings and tables of its own; `variables` are the names of its
 * one or two arguments, `what` names it in messages; `machine`: whose quantities and signals it may read, or NULL
 * (function_def.c). */
BrStatus bri_function_own(BrFunctionDef *def, const char *const variables[2], const char *what, BrModel *machine,
                          const BrAllocator *allocator, BriFunction *function, BrError *error);
void bri_function_disown(BrFunctionDef *def, BriFunction *function, const BrAllocator *allocator);

/* What a name means that is no argument and no constant: a quantity or a signal. Quantities are noted in the model;
 * `noted` false: only asked for, their numbers mean nothing (quantity.c). */
BriNameKind bri_quantity_resolve(BrModel *model, const char *name, size_t length, bool noted, BriName *meaning,
                                 BrError *error);
/* Does the expression read a velocity? */
bool bri_reads_rates(const BrModel *model, const BriFunction *function);
/* Is body n read by some expression? And what changes when a body is taken out that is not. */
bool bri_body_is_read(const BrModel *model, int n);
void bri_quantities_shift(BrModel *model, int removed);

#endif
