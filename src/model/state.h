/* state.h: the flat block behind BrState: a header, then bodies, joints and inputs, one behind the other. */
#ifndef BRI_STATE_H
#define BRI_STATE_H

#include "bristle/state.h"
#include "model/model.h"

typedef struct BriBodyState {
    BrVec3 r; /* m, centre of mass, world */
    BrMat3 A; /* body to world */
    BrVec3 v; /* m/s, world */
    BrVec3 w; /* rad/s, body axes */
} BriBodyState;

/* What holds a motor's row: its bounds, nothing, or other motors that already do its work; or it pushes with what is known, as
 * servos may. */
typedef enum BriClamp { BRI_AT_LOWER = -1, BRI_FREE = 0, BRI_AT_UPPER = 1, BRI_RESTING = 2, BRI_PUSHING = 3 } BriClamp;

typedef struct BriJointState {
    double angle;                       /* rad, of joints that measure one; counts turns */
    double impulse[BRI_JOINT_ROWS];     /* N s or N m s over the last step, per row: mean reactions */
    double second_half[BRI_JOINT_ROWS]; /* the part rattle applied at the end of the last step, */
    double lead[BRI_JOINT_ROWS];    /* and what its first half had more than the second half before: its next guess */
    double redundant;               /* bits: rows that follow from the other joints' */
    double clamp[BRI_JOINT_DRIVES]; /* of motors: BriClamp */
} BriJointState;

/* What bdf2 has to know of the step before; zero where there is none. */
typedef struct BriBodyHistory {
    BrVec3 v, w;           /* velocities where it began: world, body axes */
    BrVec3 mean_v, mean_w; /* with which the body came from there to here: along a line, and about one axis */
} BriBodyHistory;

typedef struct BriBodyInput {
    BrVec3 force, torque; /* N, N m, world axes */
} BriBodyInput;

typedef struct BriMotorInput {
    double taken_over;         /* 1: the two below hold, 0: the motor's own function */
    double target, max_effort; /* of what the motor follows: speed, position or effort */
    double is_new;             /* 1: not yet stepped with */
} BriMotorInput;

/* Beside BrContactMode's: it pushed in the last step and is open now. Only readings look at it: to the next step it is
 * new. */
enum { BRI_CONTACT_GONE = -1 };

/* A contact that is closed, or pushed in the last step. Unused entries are zero. */
typedef struct BriContactState {
    uint64_t key;   /* shape a << 40 | shape b << 16 | feature, + 1 */
    double mode;    /* BrContactMode as of the last solve: stick or slip (rolling is told apart when read); open: it
                       bounced off, or has been slowed down and will reach the surface, `slip` says how; or
                       BRI_CONTACT_GONE */
    BrVec3 impulse; /* N s over the last step, on body b, world */
    BrVec3 slip;    /* m/s, world: the tangential velocity that the last solve left */
    double stored;  /* J: held by bristles of a rigid law */
    union {
        BriContactMemory memory; /* of compliant laws; of the others: */
        struct {
            BrVec3 moment; /* N m s over the last step, on body b, world */
            double rested; /* steps that its island has been at rest, as far as they count; only with `sleeping` */
            double struck; /* event: 1 if `impulse` is mostly blows */
        };
    };
} BriContactState;

/* The shapes of a key: a < b. */
static inline int bri_key_a(uint64_t key) { return (int)((key - 1) >> 40); }
static inline int bri_key_b(uint64_t key) { return (int)((key - 1) >> 16 & 0xffffff); }
static inline int bri_contact_state_a(const BriContactState *contact) { return bri_key_a(contact->key); }
static inline int bri_contact_state_b(const BriContactState *contact) { return bri_key_b(contact->key); }
/* Has the model these shapes? Bytes of states may come from anywhere. */
static inline bool bri_knows_contact(const BrModel *model, const BriContactState *contact) {
    return bri_contact_state_a(contact) < model->shapes && bri_contact_state_b(contact) < model->shapes;
}

/* A lasting contact; zeros but under the formulation smooth. */
typedef struct BriLastingState {
    double known;            /* 1: it has been looked at, and */
    double held;             /* 1: it is closed: its row holds; 2: since the last part of a step; 0: it is open */
    double normal_force;     /* N: mean over the last step */
    BrVec3 point_a, point_b; /* m: where it touches, in the axes of both bodies, from their centres of mass */
    BrVec3 normal;           /* unit, from a to b, world */
    BriTrack track;
    BrVec3 friction, moment; /* N, N m, world: on b at its place, in the next step */
    double stored;           /* J */
    double heat;             /* J since step 0 */
} BriLastingState;

/* What a joint's limit or dry friction pushed in the last step. */
typedef struct BriBoundState {
    double impulse; /* N s or N m s */
    double
        landing; /* 1: it has been slowed down, and will reach its limit in the next step; of event and compliant: it does not
                       hold, when the step ends */
} BriBoundState;

/* Friction in the bearings of a joint. */
typedef struct BriGripState {
    double
        force[3]; /* N: on b, by rows: what the next step begins with. The last step's mean; smooth: by its reactions */
    double slides;   /* 1: it slid when the step ended */
    double switched; /* 1: the factor of the step's end was made with it doing otherwise (kept_factor.h); smooth */
    double heat;     /* J since step 0 */
    double dwell;    /* of laws that remember it; a motion begins after a long rest: 1 */
} BriGripState;

struct BrState {
    uint64_t fingerprint; /* of the model */
    uint64_t size;        /* bytes of the whole block */
    uint64_t steps;
    double time;                          /* s */
    double anchor_time, anchor_steps;     /* time = anchor_time + (steps - anchor_steps) dt while dt stays */
    double dt;                            /* of the last step */
    double books_open;                    /* 1: the energies below count from initial_energy on */
    double initial_energy;                /* J, total at step 0 */
    double work, dissipated;              /* J since step 0 */
    double rank_known;                    /* 1: the joints' redundant rows have been found */
    double loaded;                        /* 1: some body has been given a load */
    double powers_known;                  /* 1: the two below are those of this very state */
    double work_power, dissipation_power; /* W */
    int32_t bodies, joints, motors, bounds;
    int32_t contacts, contact_capacity; /* live entries, room */
    int32_t grips, lastings;
    double inner_step;     /* s: what an adaptive integrator would try next; 0: not known */
    double formulation;    /* BrFormulation of the last step: how forces are read */
    double contact_energy; /* J: stored in compliant contacts and in bristles */
    double history;        /* s: of the step that the bodies' histories are of; 0: they have none */
};

static inline BriBodyState *bri_state_bodies(const BrState *state) {
    return (BriBodyState *)((uintptr_t)state + sizeof(BrState));
}
static inline BriJointState *bri_state_joints(const BrState *state) {
    return (BriJointState *)(bri_state_bodies(state) + state->bodies);
}
static inline BriBodyHistory *bri_state_history(const BrState *state) {
    return (BriBodyHistory *)(bri_state_joints(state) + state->joints);
}
static inline BriBodyInput *bri_state_inputs(const BrState *state) {
    return (BriBodyInput *)(bri_state_history(state) + state->bodies);
}
static inline BriMotorInput *bri_state_motor_inputs(const BrState *state) {
    return (BriMotorInput *)(bri_state_inputs(state) + state->bodies);
}

static inline BriBoundState *bri_state_bounds(const BrState *state) {
    return (BriBoundState *)(bri_state_motor_inputs(state) + state->motors);
}
static inline BriGripState *bri_state_grips(const BrState *state) {
    return (BriGripState *)(bri_state_bounds(state) + state->bounds);
}
static inline BriLastingState *bri_state_lastings(const BrState *state) {
    return (BriLastingState *)(bri_state_grips(state) + state->grips);
}
static inline BriContactState *bri_state_contacts(const BrState *state) {
    return (BriContactState *)(bri_state_lastings(state) + state->lastings);
}

/* The contact table holds zeros behind its live entries, so that only these need to be moved and cleared: it has room
 * for many more. All of a state of the same model: */
void bri_state_assign(BrState *to, const BrState *from);
/* The same for a step: from its start, and back when it is made. In between the contact table is read from the start, and
 * written when the step ends; loads on bodies are what they were, and where there never was one nobody looks for them. */
void bri_state_begin(BrState *to, const BrState *from);
void bri_state_take(BrState *to, const BrState *from);
/* Bodies have been put elsewhere, or thrown: the step before is none of theirs. */
void bri_state_forget_history(BrState *state);
/* From here on `live` contacts, the first ones; those behind them that were live are cleared. */
void bri_state_end_contacts(BrState *state, int live);

#endif
