/* laws.h: the laws as the solver meets them: pure functions of numbers; bodies and solvers are unknown here.
 *
 * A law is a record in a file of its own: what users read of it (BrLawInfo: name, reference, parameters, memory), what
 * goes together, and the functions of its kind. builtin.c lists them; nothing else knows a law by its name. */
#ifndef BRI_LAWS_H
#define BRI_LAWS_H

#include "base/base.h"
#include "bristle/law.h"
#include "math/elementary.h"
#include "math/vec.h"

/* m: what a scene may bend bristles and tangential springs by, to begin with. */
#define BRI_MOST_BEND 1e3

/* Numbers that a law of each kind may keep of a contact; a law that needs more raises this, and the state grows. */
enum { BRI_FRICTION_MEMORY = 4, BRI_NORMAL_MEMORY = 1, BRI_LAW_MEMORY = BRI_FRICTION_MEMORY + BRI_NORMAL_MEMORY };

/* What the two compliant laws of one contact remember, as their tables have it; zeros behind that. */
typedef union BriContactMemory {
    struct {
        double friction[BRI_FRICTION_MEMORY];
        double normal[BRI_NORMAL_MEMORY];
    };
    double number[BRI_LAW_MEMORY]; /* all of them */
} BriContactMemory;

/* ------------------------------------------------------------------ rigid laws: numbers for the contact problem */

typedef enum BriHypothesis { BRI_NEWTON, BRI_POISSON, BRI_ENERGETIC } BriHypothesis;

/* An impact of one contact. Rows n, t1, t2; u: velocity of b against a before. */
typedef struct BriImpact {
    double W[9]; /* 1/kg, symmetric */
    double u[3]; /* m/s */
    double mu_s, mu_k, e;
    BriHypothesis hypothesis; /* poisson or energetic */
} BriImpact;

/* Its impulse on b, N s, with friction as the slip has it along the way (impact.c). false: not found. */
bool bri_impact_follow(const BriImpact *impact, double p[3]);

typedef struct BriCoefficients {
    double mu_s, mu_k;
    double mu_r, mu_spin; /* m: of moments against rolling and spinning; 0: none */
    double creep;         /* m/s: friction is mu tanh(slip/creep); 0: all of mu, and it holds */
} BriCoefficients;

/* The two tangential rows of one contact: sigma_i = u_i + compliance_i (p_i - offset_i), |p_i| <= bound, along the axes
 * t1 = (axis[0], axis[1]) and t2 = (-axis[1], axis[0]) of the tangent plane. An infinite compliance holds p_i at 0. */
typedef struct BriFrictionRows {
    double axis[2];
    double compliance[2]; /* m/(N s^2) times s: velocity per impulse */
    double offset[2];     /* N s */
    double bound;         /* N s */
} BriFrictionRows;

/* What the rows of a contact are made of, in the axes of its tangent plane. */
typedef struct BriRowsAsked {
    double h;
    double slip[2];  /* m/s: that the last solve left */
    double force[2]; /* N: the last tangential force */
    double normal;   /* N: that the bounds stand on */
    bool rigid;      /* without the law's own compliance */
} BriRowsAsked;

/* Of laws that bring two rows with bounds of their own; all NULL: the friction set has the word. */
typedef struct BriRowsLaw {
    BriFrictionRows (*rows)(const BrLaw *law, const BriRowsAsked *asked);
    int (*passes)(const BrLaw *law);                  /* how often the answer renews the bounds */
    double (*stored)(const BrLaw *law, double force); /* J: held by rows that push with `force`, N */
} BriRowsLaw;

/* ------------------------------------------------------------------ in the bearings of joints */

/* Of laws that remember there how well the surfaces have settled (dwell, 0 to 1), in place of BrDryFriction. */
typedef struct BriBearingLaw {
    double (*holds)(const BrLaw *law, double dwell);                           /* mu up to which it does not move; */
    double (*slides)(const BrLaw *law, double speed, double dwell);            /* mu while it slides, m/s */
    double (*settles)(const BrLaw *law, double speed, double dwell, double h); /* dwell after h, s */
} BriBearingLaw;

/* ------------------------------------------------------------------ in lasting contacts (tracked.c) */

/* What is remembered: displacements while it sticks, and whether they are at their bounds. */
typedef struct BriTrack {
    BrVec3 slid, rolled;         /* m, rad: world, in the tangent plane */
    double spun;                 /* rad */
    double slides, rolls, spins; /* 1: it does */
} BriTrack;

/* One step of b against a. */
typedef struct BriTrackedStep {
    BrVec3 before, normal; /* unit, from a to b, before and after the step */
    BrVec3 slip;           /* m: way of b's surface over a's */
    BrVec3 rolled;         /* m: way of the place of touch over the rounder surface */
    double spin;           /* rad: of b against a, about the normal */
    double h;              /* s */
    double force;          /* N: normal, mean over the step */
    double radius;         /* m: R */
} BriTrackedStep;

typedef struct BriTrackedForce {
    BrVec3 force, moment; /* N, N m: on b */
    double stored;        /* J */
} BriTrackedForce;

typedef struct BriTrackedStiffness {
    double slide, roll, spin; /* N/m, N m/rad */
    double lag;               /* s: damping by stiffness, of all three */
} BriTrackedStiffness;

BriTrackedForce bri_tracked_move(const BrLaw *law, const BriTrackedStep *step, BriTrack *track);
BriTrackedStiffness bri_tracked_stiffness(const BrLaw *law, double radius);
/* m; 0: that of the surface. */
double bri_tracked_radius(const BrLaw *law);

/* ------------------------------------------------------------------ the record */

typedef struct BriLaw {
    BrLawInfo info; /* first: a BrLaw points to it */
    unsigned unset; /* bits: parameters that may stay unset, because others stand for them; `check` says which */
    BrStatus (*check)(const BrLaw *law, const char *what, BrError *error); /* what goes together; NULL: all does */
    bool own;                                                              /* a user's law (own.c), */
    const char *(*objects)(const BrLaw *law);                              /* with a check of its own */
    void (*touch)(const BrLaw *law, double speed, double *memory);         /* sets latches, m/s; NULL: there are none */
    /* one of these, as info.kind and info.compliant say: */
    double (*restitution)(const BrLaw *law, double speed); /* m/s */
    BriHypothesis (*hypothesis)(const BrLaw *law);         /* NULL: newton */
    bool by_speed;                                         /* restitution is another for each speed */
    BrDryFriction dry;
    bool by_slip; /* dry.slides is another for each slip */
    BrNormalForces normal;
    BrFrictionForces friction;
    /* beside these: */
    BriRowsLaw bounded;
    BriBearingLaw bearing;
} BriLaw;

/* The record behind a law that bri_law_check() has let pass. */
static inline const BriLaw *bri_law_record(const BrLaw *law) { return (const BriLaw *)law->info; }

/* A model's own laws (own.c), beside those of the house; NULL stands for none. */
typedef struct BriLaws {
    int count, capacity;
    BriLaw **law;
} BriLaws;

/* The record that a definition describes, if it is whole. */
BrStatus bri_law_make(const BrLawDef *def, const BriLaws *own, BriLaw *law, BrError *error);
/* Are the numbers that a user's law gives, such as can be meant? `what` names the owner in messages. */
BrStatus bri_law_probe(const BrLaw *law, const char *what, BrError *error);

/* Those of the house first. */
int bri_law_count(const BriLaws *own);
const BrLawInfo *bri_law_info(const BriLaws *own, int number);
BrLaw bri_law(const BriLaws *own, BrLawKind kind, const char *name);

/* Checks that the law is in the list, its values against its table, and what goes together; `what` names the owner in
 * messages. */
BrStatus bri_law_check(const BriLaws *own, const BrLaw *law, BrLawKind kind, const char *what, BrError *error);

/* What laws of dry friction share (coulomb.c), whose tables begin with mu, mu_s, mu_k: mu alone, or the other two. */
enum { BRI_MU, BRI_MU_S, BRI_MU_K, BRI_DRY };
#define BRI_DRY_UNSET (1u << BRI_MU | 1u << BRI_MU_S | 1u << BRI_MU_K)
#define BRI_DRY_PARAMETERS                                                                                             \
    [BRI_MU] = {"mu", "", __builtin_nan(""), 0, 1e6, NULL, "coefficient of friction"},                                 \
    [BRI_MU_S] = {"mu_s", "", __builtin_nan(""), 0, 1e6, NULL, "static coefficient, >= mu_k"},                         \
    [BRI_MU_K] = {"mu_k", "", __builtin_nan(""), 0, 1e6, NULL, "kinetic coefficient"}
BrStatus bri_check_dry(const BrLaw *law, const char *what, BrError *error);
double bri_dry_static(const BrLaw *law);
double bri_dry_kinetic(const BrLaw *law, double speed);

/* Does the law act in joints? Checked as by bri_law_check(). */
BrStatus bri_bearing_law_check(const BriLaws *own, const BrLaw *law, const char *what, BrError *error);
/* The same of lasting contacts. */
BrStatus bri_lasting_law_check(const BriLaws *own, const BrLaw *law, const char *what, BrError *error);

/* What laws with both have in common: mu_s >= mu_k. */
BrStatus bri_check_coefficients(const char *what, double mu_s, double mu_k, BrError *error);

static inline bool bri_is_set(double value) { return value == value; }

/* ------------------------------------------------------------------ memory (memory.c) */

static inline int bri_memory_width(const BrLawMemory *memory) { return memory->tangent ? 3 : 1; }
static inline bool bri_memory_is_settable(const BrLawMemory *memory) { return memory->lowest < memory->highest; }

/* The numbers of a BriContactMemory that have rates, those of friction first, and those at which vectors begin. */
typedef struct BriMemoryPlan {
    int rates, vectors;
    unsigned char rate[BRI_LAW_MEMORY], vector[BRI_LAW_MEMORY];
} BriMemoryPlan;

/* Of two compliant laws; empty without them. */
BriMemoryPlan bri_plan_memory(const BrLaw *friction, const BrLaw *normal);
/* Where in a law's numbers a memory of this name begins; NULL: it has none. */
const BrLawMemory *bri_law_find_memory(const BrLaw *law, const char *name, int *at);
/* The first memory in the list of laws that is called so, by name or symbol; NULL: none. */
const BrLawMemory *bri_find_memory(const BriLaws *own, const char *word);
/* What a law remembers of a contact that touches with this speed, m/s. */
void bri_law_touch(const BrLaw *law, double speed, double *memory);

/* ------------------------------------------------------------------ doors */

/* What a rigid contact asks of dry friction; mu_k: where it just begins to slide. */
static inline BriCoefficients bri_law_coefficients(const BrLaw *law) {
    const BrDryFriction *dry = &bri_law_record(law)->dry;
    return (BriCoefficients){.mu_s = dry->holds(law),
                             .mu_k = dry->slides(law, 0),
                             .mu_r = dry->rolls ? dry->rolls(law) : 0,
                             .mu_spin = dry->spins ? dry->spins(law) : 0,
                             .creep = dry->width ? dry->width(law) : 0};
}

static inline double bri_bearing_holds(const BrLaw *law, double dwell) {
    const BriLaw *record = bri_law_record(law);
    return record->bearing.holds ? record->bearing.holds(law, dwell) : record->dry.holds(law);
}

static inline double bri_bearing_slides(const BrLaw *law, double speed, double dwell) {
    const BriLaw *record = bri_law_record(law);
    return record->bearing.slides ? record->bearing.slides(law, speed, dwell) : record->dry.slides(law, speed);
}

/* m/s: over such slips friction is smoothed; 0: it holds. */
static inline double bri_bearing_width(const BrLaw *law) {
    const BriLaw *record = bri_law_record(law);
    return record->dry.width ? record->dry.width(law) : 0;
}

/* The coefficient that a compliant contact has now. */
static inline double bri_friction_limit(const BrLaw *law, const double *memory) {
    const BriLaw *record = bri_law_record(law);
    if (record->friction.limit) return record->friction.limit(law, memory);
    return record->dry.holds ? record->dry.holds(law) : 0;
}

/* A user's law need not know these (power.c). */
BrStick bri_friction_stick(const BrLaw *law, double normal);
double bri_normal_viscosity(const BrLaw *law, double stiffness, const double *memory, double depth);

static inline double bri_normal_damping(const BrLaw *law, const double *memory) {
    const BriLaw *record = bri_law_record(law);
    return record->normal.damping ? record->normal.damping(law, memory) : 0;
}

static inline BrPower bri_normal_power(const BrLaw *law) { return bri_law_record(law)->normal.power(law); }

static inline BrNormalAnswer bri_normal_answer(const BrLaw *law, double stiffness, const double *memory, double depth,
                                               double rate, double *memory_rate) {
    if (!(depth > 0)) return (BrNormalAnswer){0};
    return bri_law_record(law)->normal.answer(law, stiffness, memory, depth, rate, memory_rate);
}

static inline BrFrictionAnswer bri_friction_answer(const BrLaw *law, double normal, BrVec3 slip, const double *memory,
                                                   double *memory_rate) {
    return bri_law_record(law)->friction.answer(law, normal, slip, memory, memory_rate);
}

/* ------------------------------------------------------------------ what several laws share (power.c) */

/* max(0, k delta^p (1 + a delta')), delta > 0. */
BrNormalAnswer bri_power_answer(BrPower power, double damping, double depth, double rate);
/* Its slope over the rate. */
double bri_power_viscosity(BrPower power, double damping, double depth);

/* d of a = d/(e v): with this damping an impact of speed v returns e v (9.2). */
double bri_restitution_damping(double e);

#endif
