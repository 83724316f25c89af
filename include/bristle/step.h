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
    BR_SCHEME_MOREAU,      /* order 1: one velocity-level solve, positions by the new velocity */
    BR_SCHEME_HEM2,        /* order 2: half-explicit midpoint, two solves */
    BR_SCHEME_RATTLE,      /* order 2, symmetric: energy does not drift; for scenes without contact */
    BR_SCHEME_EULER_PAPER, /* [Peiret 2016, Eq. 7]: positions by the old velocity, gains energy; for reproductions only
                            */
    BR_TIMESTEPPING_SCHEMES,                           /* those above are of timestepping; of smooth are: */
    BR_SCHEME_HALF_IMPLICIT = BR_TIMESTEPPING_SCHEMES, /* order 1: joints hold at the end, forces are of the start */
    BR_SCHEME_BDF2,          /* order 2: all is of the end; knows the step before, which is part of the state */
    BR_SCHEME_SEMI_IMPLICIT, /* of compliant, as those that follow; order 1: velocities first, positions with them */
    BR_SCHEME_RK2,           /* order 2: midpoint */
    BR_SCHEME_RK3,           /* order 3: Bogacki and Shampine's, "ode3" */
    BR_SCHEME_RK4,           /* order 4: Kutta's */
    BR_SCHEME_ADAPTIVE,      /* order 16, inner steps by `tolerance`; touches and partings located */
    BR_SCHEME_STIFF,         /* the same, implicit of order 6: for friction or damping much faster than the motion */
    BR_SCHEMES
} BrScheme;

BR_API const char *br_scheme_name(BrScheme scheme);

typedef enum BrFormulation {
    BR_FORMULATION_TIMESTEPPING, /* velocities and impulses, fixed step */
    BR_FORMULATION_EVENT,        /* events located, adaptive high order between them: the reference, for few contacts */
    BR_FORMULATION_COMPLIANT,    /* contact forces are functions of the state: depth, slip, memory of the laws */
    BR_FORMULATION_SMOOTH,       /* joints in positions, forces over the step (index 3); machines without contact */
    BR_FORMULATION_HYBRID,       /* timestepping where rigid contact has one answer, compliant where it may have none or
                                    several; states go over both ways */
    BR_FORMULATIONS
} BrFormulation;

BR_API const char *br_formulation_name(BrFormulation formulation);

/* Whose a scheme is. event takes any: it has one of its own. */
BR_API BrFormulation br_scheme_formulation(BrScheme scheme);

/* What stands in for Coulomb's cone under time stepping. */
typedef enum BrFrictionSet {
    BR_FRICTION_CONE,    /* itself */
    BR_FRICTION_BOX,     /* two independent bounds along world axes */
    BR_FRICTION_POLYGON, /* a pyramid of `polygon_sides` sides */
    BR_FRICTION_SETS
} BrFrictionSet;

BR_API const char *br_friction_set_name(BrFrictionSet set);

/* What a second of a `contact.budget` is as contact_work: a nanosecond counts as an operation. */
#define BR_CONTACT_OPERATIONS 1e9

typedef struct BrStepDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    BrFormulation formulation;
    BrScheme scheme; /* of timestepping and compliant */
    double dt;       /* s, > 0 */
    BrFrictionSet friction_set;
    int polygon_sides;        /* 3 to 16 */
    bool polygon_by_slip;     /* its first side follows the slip; else the world's axes */
    double impact_speed;      /* m/s: slower approaches do not bounce; negative: 2 |gravity| dt */
    int substeps;             /* of compliant with a fixed scheme: equal parts of dt, 1 to 100000 */
    double tolerance;         /* of the adaptive scheme: relative error of one inner step, 1e-14 to 1e-3 */
    double most_work;         /* operations (about a nanosecond each) a step may take; beyond it is refused */
    double contact_tolerance; /* contacts are certified to this part of their island's speed, 1e-15 to 1e-1 */
    double contact_work;      /* operations that a step's contacts may take; then the best answer so far stands, made to
                            add no energy, and the report tells its residual. The step takes at most 1.25 times as
                            many (hem2: 1.75) beside what it always does. Infinite: no bound */
    int threads;    /* that a step may use, 1 to 64; the same bits for any number. More than one where many bodies
                       touch, or many islands have to be solved, and where the library was built with OpenMP */
    bool sleeping;  /* islands that have come to rest sleep until something may touch them: timestepping with moreau or
                       hem2 and the cone. false: all are stepped */
    bool fall_back; /* a step that event or compliant refuse is made by timestepping, with its default scheme */
    /* asked every few milliseconds of a step; true: the step is given up, BR_CANCELLED, the state unchanged. NULL: no
     */
    bool (*stop)(void *user);
    void *stop_user;
    bool
        keep_contact; /* of event: where rigid contact has several answers (Painleve), a contact that pushes goes on doing
                          so as long as one of them lets it, stable or not; else the law is asked anew */
} BrStepDef;

BR_DEFAULT(BrStepDef, br_default_step_def, br_start_step_def) /* timestepping, rattle, 1 ms, cone */
/* The scheme a scene gets when it names none: of timestepping hem2 where something touches, else rattle; of compliant
 * rk4. */
BR_API BrScheme br_model_default_scheme(const BrModel *model, BrFormulation formulation);

typedef enum BrEventKind {
    BR_EVENT_TOUCH,
    BR_EVENT_IMPACT,
    BR_EVENT_STICK,
    BR_EVENT_SLIP,
    BR_EVENT_SEPARATION,
    BR_EVENT_COMPLIANT, /* of hybrid: contact is compliant from here on, because of this contact: `before` is its mu, */
    BR_EVENT_RIGID,     /* or rigid again; `after` is the largest mu for which rigid contact surely has one answer */
    BR_EVENT_CHOICE, /* of hybrid: rigid contact has several answers, and the stable one, in which this contact parts,
                           is taken; `before` and `after` as above */
    BR_EVENT_SATURATION, /* of a motor by speed, with its joint: it gives its largest effort from here on, which `after` is, N or
                           N m, */
    BR_EVENT_HOLD /* or holds its speed again */
} BrEventKind;

/* Why the formulation hybrid changes between rigid and compliant contact, or chooses. */
typedef enum BrSwitchReason {
    BR_SWITCH_NONE,      /* no such event */
    BR_SWITCH_NO_ANSWER, /* rigid contact has none */
    BR_SWITCH_SEVERAL,   /* it has several, of which more than one, or none, is stable; a choice: of which one is */
    BR_SWITCH_ENDLESS,   /* it has a continuum */
    BR_SWITCH_UNSTABLE,  /* its only answer is not stable */
    BR_SWITCH_UNDECIDED, /* how many there are was not found, or its contacts depend on each other */
    BR_SWITCH_SETTLED,   /* to rigid: one answer, with some friction to spare, and what swung has come to rest */
    BR_SWITCH_REASONS
} BrSwitchReason;

BR_API const char *br_switch_reason_name(BrSwitchReason reason); /* "no answer" */

BR_API const char *br_event_name(BrEventKind kind);

/* Something that happened to a contact, or in the bearings of a joint (stick, slip), within a step. */
typedef struct BrEvent {
    BrEventKind kind;
    double time; /* s */
    BrBodyId body_a, body_b;
    double before, after;  /* m/s: normal speed (impact), slip (stick, slip) */
    BrJointId joint;       /* null: a contact */
    BrSwitchReason reason; /* of hybrid's */
} BrEvent;

enum { BR_STEP_EVENTS = 16 };

typedef struct BrStepReport {
    double position_residual;                      /* largest constraint violation left, m or rad */
    double velocity_residual;                      /* the same of its rate, m/s or rad/s */
    double position_tolerance, velocity_tolerance; /* what was asked of both: 4e-14 of the largest coordinate, 1e-12 of
                                                      the largest speed (of 1 m, 1 m/s at least) */
    BrJointId worst_joint;                         /* where the larger of both, relative to its tolerance, was seen */
    int iterations;                                /* passes of the position and velocity solves together */
    int factorizations;
    int clamped_motors; /* at their largest effort */
    BrJointId
        jammed; /* a joint whose friction adds more load than it bears, so that its slide ended at once; null: none */
    int dropped_rows; /* redundant rows left out of the factor */

    int contacts;                 /* in the step's problem */
    double contact_residual;      /* m/s: natural map of the contact problem, of the contact that is worst by: */
    double contact_tolerance;     /* m/s: 1e-9 of its island's speed, or what masses round to, at most 1e-6 of it */
    BrBodyId worst_contact[2];    /* its bodies */
    const char *solver;           /* the strongest that was needed, of row, cone, pivoting, newton, sweeps, lemke,
                                     enumeration, augmented, network sweeps (weakest first); NULL: none */
    int solver_iterations;        /* of all contact problems of the step */
    int uncertified_contacts;     /* problems that stopped short of the tolerance */
    int impacts, lowered_impacts; /* those with less restitution than asked, so that no energy is made */
    bool finished_by_moreau;      /* hem2 met more touches in one step than it follows, or found no answer */
    int parts;      /* the step was made in so many, joints would have been torn open or bodies driven into each other;
                       0: as one */
    double overlap; /* that it left and did not push out, as a part of the smaller body's extent or, if that is less, of
                       twice its width; 0: none above 0.005 */
    double inner_error; /* of event, adaptive and stiff: relative error of the worst inner step that was taken for want
                           of a better one; 0: all were good enough */
    double
        energy_made;  /* energy that no source put in, beside what moves and what was turned over since the books began:
                           under compliant an inner step too long for a contact, or places of contact that jump; under
                           timestepping bodies that turn too far within the step, or are pushed by bodies that are
                           moved; 0: none above 0.02 */
    double corrected; /* J: potential and spring energy that taking back a deep overlap from before the step put in;
                           part of the defect */
    double work;      /* operations that were counted */
    bool fell_back;   /* made by timestepping, see fall_back */
    int moreau_islands; /* hem2: groups of bodies that may meet each other whose step moreau made; finished_by_moreau: some */
    int sleeping;       /* bodies that sleep from the end of this step on, see `sleeping` */
    int events;         /* all that happened; the first BR_STEP_EVENTS are kept */
    BrEvent event[BR_STEP_EVENTS]; /* only as many as `events` says are written */
} BrStepReport;

/* How forces at this state are read before its first step; every step sets it to its own formulation. */
BR_API BrStatus br_state_set_formulation(BrState *state, BrFormulation formulation);

/* Can this model be stepped so? Pairs of laws, schemes and friction sets that are not there are refused, with what to
 * use instead. br_step() asks the same. */
BR_API BrStatus br_step_fits(const BrModel *model, const BrStepDef *def, BrError *error);

/* One step. BR_OK, BR_NOT_CONVERGED (taken; see the report) or negative (state unchanged; error tells). Its work has a
 * bound, most_work, which is 1e10 unless told otherwise: BR_TOO_MUCH_WORK.
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
 * tells what that changed. Refused when there is no such pose nearby. Before the first step it also puts joints where they start
 * (start and start_rate of BrJointDef), with all that hangs on them, in machines whose bodies stand as they are defined:
 * bodies keep their place to those that they hang on, loops are followed there. That is not told as a change; refused
 * where a loop does not reach so far. */
BR_API BrStatus br_state_assemble(const BrModel *model, BrWorkspace *workspace, BrState *state, BrAssembly *assembly,
                                  BrError *error);

/* ------------------------------------------------------------------ looking */

/* How far a reading may go. */
typedef struct BrEvaluateDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    double most_work;             /* operations, of all of it, */
    double contact_work;          /* and of its contacts, as those of a step; infinite: no bound */
    /* asked every few milliseconds, and at first; true: the reading ends with what it has. NULL: no */
    bool (*stop)(void *user);
    void *stop_user;
} BrEvaluateDef;

BR_DEFAULT(BrEvaluateDef, br_default_evaluate_def, br_start_evaluate_def) /* 1e10 operations, contacts unbounded */

/* The bounds and the stop of a step, for a reading. */
static inline BrEvaluateDef br_evaluate_def_like(const BrStepDef *step) {
    BrEvaluateDef def = br_default_evaluate_def();
    def.most_work = step->most_work;
    def.contact_work = step->contact_work;
    def.stop = step->stop;
    def.stop_user = step->stop_user;
    return def;
}

/* One acceleration-level solve at the state: what the getters below then tell is instantaneous. BR_NOT_CONVERGED: the
 * contacts have no forces that fit (fast slides may have none), or they were not found, for one because their work came
 * to its bound or to a stop; those told are in their cones.
 */
BR_API BrStatus br_evaluate(const BrModel *model, BrWorkspace *workspace, const BrState *state, BrError *error);
/* The same within bounds. */
BR_API BrStatus br_evaluate_with(const BrModel *model, BrWorkspace *workspace, const BrState *state,
                                 const BrEvaluateDef *def, BrError *error);

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
/* Of the last br_evaluate(): the joint's mean over the step before it (impulse / dt, blows included), world axes; zero
 * before the first step. */
BR_API BrStatus br_joint_reaction_mean(const BrModel *model, const BrWorkspace *workspace, BrJointId id,
                                       BrWrench *world);
/* Friction in a joint's bearings (BrJointFriction). */
typedef enum BrGripMode { BR_GRIP_HOLDS = 1, BR_GRIP_SLIDES = 2 } BrGripMode;

typedef struct BrGrip {
    BrGripMode mode;
    double
        normal[2]; /* N: at both bearings of a pin or ends of a guide, the first at the lower coordinate along the axis;
                         of a ball and a thread: the first alone */
    double thrust; /* N: on the collar */
    int rows;      /* 1; a cylindrical joint 2: turn and slide; a ball 3: world axes */
    double effort[3]; /* N m, of slides N: on body b, of each row */
    double slip;      /* m/s: where the surfaces touch */
    double margin;    /* N: the most friction that could act there, less what does */
    double heat;      /* J since step 0 */
    double dwell;     /* how well the surfaces have settled, 0 to 1, of the law dwell; 0 of others */
} BrGrip;

/* How many a joint has: a universal joint with friction two, one of each pin, in the order of its axes; others one; without
 * friction, and of ids that are not of this model, 0. */
BR_API int br_joint_grip_count(const BrModel *model, BrJointId id);
/* Of the last br_evaluate(), which was of this state. */
BR_API BrStatus br_joint_grip(const BrModel *model, const BrWorkspace *workspace, const BrState *state, BrJointId id,
                              int number, BrGrip *grip);

/* Of the last br_evaluate(): what the motor exerts on its coordinate, N m or N. */
BR_API BrStatus br_motor_effort(const BrModel *model, const BrWorkspace *workspace, BrMotorId id, double *effort);
/* The gains of a servo, N m/rad and N m s/rad or N/m and N s/m, also where they come from a frequency; 0 of other motors. */
BR_API BrStatus br_motor_gains(const BrModel *model, const BrWorkspace *workspace, BrMotorId id, double *stiffness,
                               double *damping);

/* A motor at the state of the last br_evaluate(). */
typedef struct BrMotorReading {
    double target;     /* what it follows: rad/s, rad or N m; m/s, m or N */
    double position;   /* rad or m: of its coordinate */
    double speed;      /* rad/s or m/s: of its coordinate */
    double effort;     /* N m or N: on the second body, towards larger coordinates */
    double power;      /* W: effort times speed, what it puts in; negative: it brakes */
    double max_effort; /* N m or N */
    bool saturated;    /* its effort is at the largest */
} BrMotorReading;

BR_API BrStatus br_motor_read(const BrModel *model, const BrWorkspace *workspace, const BrState *state, BrMotorId id,
                              BrMotorReading *reading);
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
    /* Springs, with the stiffness and damping that they have in this state, per scheme; 0: no limit, or the scheme
     * finds its own steps. Unstable is what grows by more than a hundredth in half a swing. */
    double largest_dt[BR_SCHEMES];   /* s: beyond it some spring, taken by itself in this pose, is unstable */
    BrSpringId stiffest[BR_SCHEMES]; /* the spring that sets it */
    double sure_dt[BR_SCHEMES]; /* s: up to it all of them together are stable, in whatever pose; often too careful */
} BrAnalysis;

/* `redundant` (NULL allowed) is called for each redundant row with its joint and a name like "turn about x". */
BR_API BrStatus br_analyse(const BrModel *model, BrWorkspace *workspace, const BrState *state, BrAnalysis *analysis,
                           void (*redundant)(void *user, BrJointId joint, const char *row), void *user, BrError *error);

/* How large a step springs allow whose energy is to be right; 0: no limit, or the scheme finds its own steps. */
typedef struct BrEnergyStep {
    double dt;         /* s: of each spring by itself in this pose */
    BrSpringId spring; /* that sets it */
    double sure_dt;    /* s: of all of them together, in whatever pose; often too careful */
} BrEnergyStep;

/* Up to that step the energy of every swing, with the stiffness and damping of this state, stays within the part `part`
 * of what it was for `duration` (s), beside what damping takes: rk2 and hem2 gain, bdf2, rk3 and rk4 lose, by
 * powers of the step and all the time; moreau, half-implicit, semi-implicit and rattle waver. */
BR_API BrStatus br_energy_step(const BrModel *model, BrWorkspace *workspace, const BrState *state, BrScheme scheme,
                               double duration, double part, BrEnergyStep *step, BrError *error);

#ifdef __cplusplus
}
#endif

#endif
