/* bristle/law.h: the contact laws there are, with their parameters and what they remember. `bristle laws` prints this
 * table; scene files and messages read it. */
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

/* The law with its presets; all zeros if there is none of that name. */
BR_API BrLaw br_law(BrLawKind kind, const char *name);
/* false: the law has no such parameter. */
BR_API bool br_law_set(BrLaw *law, const char *parameter, double value);

#ifdef __cplusplus
}
#endif

#endif
