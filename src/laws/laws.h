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

/* What an impact gives back. */
typedef struct BriRestitution {
    double e;
    BriHypothesis of; /* speeds, impulses, or (the square of e) work */
} BriRestitution;

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

typedef struct BriRigidNormalLaw {
    BriRestitution (*restitution)(const BrLaw *law);
} BriRigidNormalLaw;

typedef struct BriRigidFrictionLaw {
    BriCoefficients (*coefficients)(const BrLaw *law);
    /* Of laws that bring two rows with bounds of their own; NULL, as all below: the friction set has the word. */
    BriFrictionRows (*rows)(const BrLaw *law, const BriRowsAsked *asked);
    int (*passes)(const BrLaw *law);                  /* how often the answer renews the bounds */
    double (*stored)(const BrLaw *law, double force); /* J: held by rows that push with `force`, N */
} BriRigidFrictionLaw;

/* ------------------------------------------------------------------ compliant laws: forces as functions of state */

/* The elastic part of a normal force: k delta^p. */
typedef struct BriPower {
    double stiffness; /* N/m^p; 0: Hertz's, from the materials' E and nu */
    double exponent;
} BriPower;

typedef struct BriNormalAnswer {
    double force;  /* N, never negative */
    double stored; /* J */
    double loss;   /* W: force * rate less the rate of `stored`; never negative */
} BriNormalAnswer;

/* Laws write the rates of what they remember into memory_rate, which is 0 before; latches have none.
 * stiffness: of this contact, N/m^p (the law's own, or Hertz's); depth: delta (m), rate: delta' (m/s, positive while it
 * deepens). */
typedef struct BriNormalLaw {
    BriPower (*power)(const BrLaw *law);
    BriNormalAnswer (*answer)(const BrLaw *law, double stiffness, const double *memory, double depth, double rate,
                              double *memory_rate);
    /* d force/d rate, N s/m */
    double (*viscosity)(const BrLaw *law, double stiffness, const double *memory, double depth);
    /* a of k delta^p (1 + a delta'), s/m; 0: of another form */
    double (*damping)(const BrLaw *law, const double *memory);
} BriNormalLaw;

typedef struct BriFrictionAnswer {
    BrVec3 force;  /* N, world: on b */
    double stored; /* J */
    double loss;   /* W: what friction takes out, less the rate of `stored` */
    bool slides;   /* friction is all there can be, or the slip too fast to stick */
} BriFrictionAnswer;

/* A contact that sticks, for the analysis of stability. */
typedef struct BriStick {
    double stiffness;            /* N/m */
    double viscosity;            /* N s/m: the largest */
    double forgets;              /* 1/s: the fastest decay of its memory by itself */
    const char *swings, *decays; /* what makes it do so: "sigma_0 in stick" */
} BriStick;

/* normal: force, N; slip: tangential velocity of b against a, world, m/s. */
typedef struct BriFrictionLaw {
    BriFrictionAnswer (*answer)(const BrLaw *law, double normal, BrVec3 slip, const double *memory,
                                double *memory_rate);
    double (*limit)(const BrLaw *law, const double *memory); /* the most per normal force now, without viscous parts */
    BriStick (*stick)(const BrLaw *law, double normal);
} BriFrictionLaw;

/* ------------------------------------------------------------------ in the bearings of joints */

/* dwell: how well the surfaces have settled, 0 to 1; of laws that remember it. */
typedef struct BriBearingLaw {
    double (*holds)(const BrLaw *law, double dwell);                /* mu up to which it does not move; */
    double (*slides)(const BrLaw *law, double speed, double dwell); /* mu while it slides, m/s */
    double (*width)(const BrLaw *law); /* m/s: friction is smoothed over such slips; NULL or 0: it holds */
    double (*settles)(const BrLaw *law, double speed, double dwell,
                      double h); /* dwell after h, s; NULL: it is not asked */
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
    void (*touch)(const BrLaw *law, double speed, double *memory);         /* sets latches, m/s; NULL: there are none */
    /* one of these, as info.kind and info.compliant say: */
    BriRigidNormalLaw rigid_normal;
    BriRigidFrictionLaw rigid_friction;
    BriNormalLaw normal;
    BriFrictionLaw friction;
    BriBearingLaw bearing; /* beside these, where info.joints says so */
} BriLaw;

/* The record behind a law that bri_law_check() has let pass. */
static inline const BriLaw *bri_law_record(const BrLaw *law) { return (const BriLaw *)law->info; }

/* Checks that the law is in the list, its values against its table, and what goes together; `what` names the owner in
 * messages. */
BrStatus bri_law_check(const BrLaw *law, BrLawKind kind, const char *what, BrError *error);

/* What laws of dry friction share (coulomb.c), whose tables begin with mu, mu_s, mu_k: mu alone, or the other two. */
enum { BRI_MU, BRI_MU_S, BRI_MU_K, BRI_DRY };
#define BRI_DRY_UNSET (1u << BRI_MU | 1u << BRI_MU_S | 1u << BRI_MU_K)
#define BRI_DRY_PARAMETERS                                                                                             \
    [BRI_MU] = {"mu", "", __builtin_nan(""), 0, 1e6, NULL, "coefficient of friction"},                                 \
    [BRI_MU_S] = {"mu_s", "", __builtin_nan(""), 0, 1e6, NULL, "static coefficient, >= mu_k"},                         \
    [BRI_MU_K] = {"mu_k", "", __builtin_nan(""), 0, 1e6, NULL, "kinetic coefficient"}
BrStatus bri_check_dry(const BrLaw *law, const char *what, BrError *error);
BriCoefficients bri_dry_coefficients(const BrLaw *law);

/* Does the law act in joints? Checked as by bri_law_check(). */
BrStatus bri_bearing_law_check(const BrLaw *law, const char *what, BrError *error);
/* The same of lasting contacts. */
BrStatus bri_lasting_law_check(const BrLaw *law, const char *what, BrError *error);

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
const BrLawMemory *bri_find_memory(const char *word);
/* What a law remembers of a contact that touches with this speed, m/s. */
void bri_law_touch(const BrLaw *law, double speed, double *memory);

/* ------------------------------------------------------------------ doors */

static inline BriPower bri_normal_power(const BrLaw *law) { return bri_law_record(law)->normal.power(law); }

static inline BriNormalAnswer bri_normal_answer(const BrLaw *law, double stiffness, const double *memory, double depth,
                                                double rate, double *memory_rate) {
    if (!(depth > 0)) return (BriNormalAnswer){0};
    return bri_law_record(law)->normal.answer(law, stiffness, memory, depth, rate, memory_rate);
}

static inline BriFrictionAnswer bri_friction_answer(const BrLaw *law, double normal, BrVec3 slip, const double *memory,
                                                    double *memory_rate) {
    return bri_law_record(law)->friction.answer(law, normal, slip, memory, memory_rate);
}

/* ------------------------------------------------------------------ what several laws share (power.c) */

/* max(0, k delta^p (1 + a delta')), delta > 0. */
BriNormalAnswer bri_power_answer(BriPower power, double damping, double depth, double rate);
/* Its slope over the rate. */
double bri_power_viscosity(BriPower power, double damping, double depth);

/* d of a = d/(e v): with this damping an impact of speed v returns e v (9.2). */
double bri_restitution_damping(double e);

#endif
