/* bristle/law.h: the contact laws there are, with their parameters and what they remember. `bristle laws` prints this
 * table; scene files and messages read it. And laws of one's own: the same record, given to a model. */
#ifndef BRISTLE_LAW_H
#define BRISTLE_LAW_H

#include "bristle/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BR_LAW_VALUES = 10, BR_LAW_MEMORIES = 4 };

typedef enum BrLawKind { BR_LAW_NORMAL, BR_LAW_FRICTION } BrLawKind;

typedef struct BrLawParameter {
    const char *name;
    const char *unit;          /* "" for pure numbers */
    double preset;             /* NaN: must be given, alone or as the help says */
    double lowest, highest;    /* allowed range, both ends included; infinite is allowed where the range says so */
    const char *const *choice; /* words for the values 0, 1, ..., ended by NULL; NULL: a number */
    const char *help;
} BrLawParameter;

/* What a law keeps of a contact from moment to moment. */
typedef struct BrLawMemory {
    const char *name;   /* of channels, scenes and br_contact_memory(): "dwell" */
    const char *symbol; /* as formulas have it, and scenes too: "s_dw" */
    const char *unit;   /* "" for pure numbers */
    bool tangent;       /* a vector in the tangent plane, three numbers in world axes; else one number */
    bool latch;     /* a number set by the law at the touch and kept; else one with a rate, moved by the integrator */
    double initial; /* at the touch; of a latch: before the law sets it */
    double lowest, highest; /* what a contact may begin the motion with (BrMemoryDef), each component of a vector;
                               equal: nothing but `initial` */
    const char *help;
} BrLawMemory;

typedef struct BrLawInfo {
    const char *name;
    BrLawKind kind;
    const char *reference;
    const char *help;
    bool compliant;    /* a force as a function of the state, for the formulation `compliant`; else for the others, */
    bool rigid;        /* or for both */
    bool joints;       /* acts in the bearings of joints too, */
    bool only_joints;  /* and nowhere else */
    bool lasting;      /* acts in lasting contacts, joints of the type contact, and in no bearing */
    void *user;        /* of a law of one's own (BrLawDef); else NULL */
    const char *table; /* parameter that may be a table over the speed of the impact; NULL: none */
    int parameters;
    BrLawParameter parameter[BR_LAW_VALUES];
    int memories;
    BrLawMemory memory[BR_LAW_MEMORIES];
} BrLawInfo;

BR_API int br_law_count(void);
BR_API const BrLawInfo *br_law_info(int number);                       /* NULL outside the list */
BR_API const BrLawInfo *br_law_find(BrLawKind kind, const char *name); /* NULL if there is none */

/* A law with values for its parameters, in the order of its table. */
typedef struct BrLaw {
    const BrLawInfo *info;
    double value[BR_LAW_VALUES];
    /* A table in place of the parameter `info->table`: speed (m/s), value, speed, value, ...; linear between points,
     * constant outside. The caller's until br_model_add_material() or br_model_add_pair() has copied it. NULL: none. */
    const double *table;
    int points;
} BrLaw;

/* The law with its presets; all zeros if there is none of that name. Of a model's own laws: br_model_law(). */
BR_API BrLaw br_law(BrLawKind kind, const char *name);
/* false: the law has no such parameter. */
BR_API bool br_law_set(BrLaw *law, const char *parameter, double value);

/* ------------------------------------------------------------------ laws of one's own
 * A law is a table and pure functions: the same arguments give the same answer, on any thread. They read their parameters
 * in law->value, in the order of the table, and what is theirs in law->info->user. Laws of the house are such records too.
 *
 *     BrLawDef def = br_default_law_def();
 *     def.name = "mine", def.kind = BR_LAW_FRICTION, def.parameters = 1, def.parameter = TABLE;
 *     def.dry.holds = ..., def.dry.slides = ...;
 *     br_model_add_law(model, &def, &error);                 or BrSceneOptions.laws for a scene
 *     material.surface.friction = br_model_law(model, BR_LAW_FRICTION, "mine"); */

/* Friction of rigid contact, and in the bearings of joints: a force against the slip of mu times the load. */
typedef struct BrDryFriction {
    double (*holds)(const BrLaw *law);                /* mu up to which it does not move, */
    double (*slides)(const BrLaw *law, double speed); /* and while it slides, m/s; at 0 not above holds() */
    /* m/s: friction builds up with tanh(speed/width), and nothing holds for good; NULL or 0: it holds */
    double (*width)(const BrLaw *law);
    double (*rolls)(const BrLaw *law); /* m: moment against rolling per normal force; NULL: none. Contacts only, */
    double (*spins)(const BrLaw *law); /* m: and so is that against spinning about the normal */
} BrDryFriction;

/* The elastic part of a compliant normal force: k depth^p. */
typedef struct BrPower {
    double stiffness; /* N/m^p; 0: Hertz's, from the materials' E and nu */
    double exponent;
} BrPower;

typedef struct BrNormalAnswer {
    double force;  /* N, never negative */
    double stored; /* J */
    double loss;   /* W: force * rate less the rate of `stored`; never negative */
} BrNormalAnswer;

/* A compliant normal force. Laws write the rates of what they remember into memory_rate, which is 0 before; latches have
 * none. stiffness: of this contact, N/m^p (the law's own, or Hertz's); depth, m, above 0; rate: of the depth, m/s, positive
 * while it deepens. */
typedef struct BrNormalForces {
    BrPower (*power)(const BrLaw *law);
    BrNormalAnswer (*answer)(const BrLaw *law, double stiffness, const double *memory, double depth, double rate,
                             double *memory_rate);
    /* d force/d rate, N s/m; for the largest stable step. NULL: by differences of answer() */
    double (*viscosity)(const BrLaw *law, double stiffness, const double *memory, double depth);
    /* a of k depth^p (1 + a rate), s/m, where it has this form; NULL or 0: it has another */
    double (*damping)(const BrLaw *law, const double *memory);
} BrNormalForces;

typedef struct BrFrictionAnswer {
    BrVec3 force;  /* N, world: on b */
    double stored; /* J */
    double loss;   /* W: what friction takes out, less the rate of `stored`; never negative */
    bool slides;   /* friction is all there can be, or the slip too fast to stick */
} BrFrictionAnswer;

/* A contact that sticks, for the analysis of stability. */
typedef struct BrStick {
    double stiffness;            /* N/m */
    double viscosity;            /* N s/m: the largest */
    double forgets;              /* 1/s: the fastest decay of its memory by itself */
    const char *swings, *decays; /* what makes it do so: "sigma_0 in stick"; NULL: friction in stick */
} BrStick;

/* A compliant friction force. normal: force, N; slip: tangential velocity of b against a, world, m/s. */
typedef struct BrFrictionForces {
    BrFrictionAnswer (*answer)(const BrLaw *law, double normal, BrVec3 slip, const double *memory, double *memory_rate);
    /* the most per normal force now, without viscous parts: the coefficient that is told. NULL: dry.holds(), or 0 */
    double (*limit)(const BrLaw *law, const double *memory);
    BrStick (*stick)(const BrLaw *law, double normal); /* NULL: nothing is known, and no step too long for it */
} BrFrictionForces;

/* A law of one's own. Its texts and tables stay the caller's, and must be there as long as the model is. */
typedef struct BrLawDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    const char *name;             /* no other law of any kind has it */
    BrLawKind kind;
    const char *reference, *help;    /* NULL: none */
    int parameters;                  /* up to BR_LAW_VALUES */
    const BrLawParameter *parameter; /* presets lie in their ranges, or are NaN: must be given, */
    unsigned optional; /* but where a bit says (1 for the first): may stay NaN; objects() says what then is missing */
    const char *table; /* parameter that may be a table over the speed of the impact; NULL: none */
    int memories; /* compliant laws: up to BR_LAW_MEMORIES; of friction four numbers (a vector is three), else one */
    const BrLawMemory *memory; /* one name means one thing: as a law of the house has it that uses the name */
    void *user;                /* for its functions, as law->info->user */
    /* What is wrong with these values together, as a sentence; NULL: nothing. May be NULL */
    const char *(*objects)(const BrLaw *law);
    /* Sets latches at the touch, with its speed, m/s; those that have an initial value have it. NULL: there are none */
    void (*touch)(const BrLaw *law, double speed, double *memory);
    /* friction: one of these, or both: under all formulations but compliant, and under compliant */
    BrDryFriction dry;
    BrFrictionForces friction;
    /* normal: part of the speed that comes back from a rigid impact of this speed (m/s), 0 to 1; or compliant */
    double (*restitution)(const BrLaw *law, double speed);
    BrNormalForces normal;
} BrLawDef;

BR_DEFAULT(BrLawDef, br_default_law_def, br_start_law_def)

#ifdef __cplusplus
}
#endif

#endif
