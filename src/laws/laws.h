/* laws.h: the laws as the solver meets them: pure functions of numbers; bodies and solvers are unknown here. */
#ifndef BRI_LAWS_H
#define BRI_LAWS_H

#include "base/base.h"
#include "bristle/law.h"
#include "math/elementary.h"
#include "math/vec.h"

/* One file per law; builtin.c lists them. */
extern const BrLawInfo bri_law_rigid, bri_law_coulomb, bri_law_bristle;
extern const BrLawInfo bri_law_kelvin_voigt, bri_law_hunt_crossley, bri_law_gonthier;
extern const BrLawInfo bri_law_dwell, bri_law_coulomb_compliant, bri_law_tanh;

/* Checks values against the law's table and what goes together; `what` names the owner in messages. */
BrStatus bri_law_check(const BrLaw *law, BrLawKind kind, const char *what, BrError *error);

/* Which law, without comparing names. */
static inline bool bri_law_is(const BrLaw *law, const BrLawInfo *info) { return law->info == info; }

/* ---- rigid: restitution ---- */
enum { BRI_RIGID_E, BRI_RIGID_HYPOTHESIS };
enum { BRI_NEWTON, BRI_POISSON, BRI_ENERGETIC };

/* An impact of one contact. Rows n, t1, t2; u: velocity of b against a before. */
typedef struct BriImpact {
    double W[9]; /* 1/kg, symmetric */
    double u[3]; /* m/s */
    double mu_s, mu_k, e;
    int hypothesis; /* poisson or energetic */
} BriImpact;

/* Its impulse on b, N s, with friction as the slip has it along the way (impact.c). false: not found. */
bool bri_impact_follow(const BriImpact *impact, double p[3]);

/* ---- coulomb ---- */
enum { BRI_COULOMB_MU, BRI_COULOMB_MU_S, BRI_COULOMB_MU_K };

/* The coefficients of static and of kinetic friction of any friction law. */
double bri_law_mu_static(const BrLaw *friction);
double bri_law_mu_kinetic(const BrLaw *friction);

/* ---- bristle [Peiret 2016] ---- */
enum { BRI_BRISTLE_MU, BRI_BRISTLE_K, BRI_BRISTLE_V_TH, BRI_BRISTLE_ITERATIONS };

/* The two tangential rows of one contact: sigma_i = u_i + compliance_i (p_i - offset_i), |p_i| <= bound, along the axes
 * t1 = (axis[0], axis[1]) and t2 = (-axis[1], axis[0]) of the tangent plane. An infinite compliance holds p_i at 0. */
typedef struct BriBristleRows {
    double axis[2];
    double compliance[2]; /* m/(N s^2) times s: velocity per impulse */
    double offset[2];     /* N s */
    double bound;         /* N s */
} BriBristleRows;

/* slip: sliding velocity that the last solve left; force: the last tangential force; normal: the normal force that the
 * bounds stand on. */
BriBristleRows bri_bristle_rows(const BrLaw *law, double h, const double slip[2], const double force[2], double normal);

/* ------------------------------------------------------------------ compliant laws: forces as functions of state */

/* What a law keeps of one contact from moment to moment. All zeros at the touch but `damping`. */
typedef struct BriContactMemory {
    BrVec3 z;       /* m, world, tangential: deflection of the surface of a against b */
    double dwell;   /* s_dw, 0 to 1: how well the surfaces have settled */
    double damping; /* s/m: a of f_N = k delta^p (1 + a delta'), latched at the touch */
} BriContactMemory;

/* delta: depth (m), rate: delta' (m/s, positive while it deepens). */
typedef struct BriNormalAnswer {
    double force;  /* N, never negative */
    double stored; /* J */
    double loss;   /* W: force * rate less the rate of `stored`; never negative */
} BriNormalAnswer;

/* The damping a of a contact that touches with `speed`, m/s. */
double bri_normal_damping(const BrLaw *law, double speed);
/* stiffness: of this contact, N/m^p (the law's own, or Hertz's). */
BriNormalAnswer bri_normal_answer(const BrLaw *law, double stiffness, double damping, double depth, double rate);
/* 0: from the materials' E and nu. */
double bri_normal_stiffness(const BrLaw *law);
double bri_normal_exponent(const BrLaw *law);

typedef struct BriFrictionAnswer {
    BrVec3 force;      /* N, world: on b */
    BrVec3 z_rate;     /* m/s */
    double dwell_rate; /* 1/s */
    double stored;     /* J */
    double loss;       /* W: what friction takes out, less the rate of `stored` */
    bool slides;       /* friction is all there can be, or the slip too fast to stick */
} BriFrictionAnswer;

/* slip: tangential velocity of b against a, world, m/s. */
BriFrictionAnswer bri_friction_answer(const BrLaw *law, double normal, BrVec3 slip, const BriContactMemory *memory);

/* The most friction per normal force that the law allows now, without its viscous part. */
double bri_friction_limit(const BrLaw *law, const BriContactMemory *memory);

/* The fastest rate at which a deflection or a velocity behind this friction can decay, 1/s per (N s/m)/kg: its largest
 * viscosity, N s/m, with a normal force of `normal`; and the stiffness behind it, N/m. */
void bri_friction_stiffness(const BrLaw *law, double normal, double *stiffness, double *viscosity);

/* ---- kelvin-voigt ---- */
enum { BRI_KV_STIFFNESS, BRI_KV_DAMPING, BRI_KV_RAMP };

/* ---- hunt-crossley ---- */
enum { BRI_HC_STIFFNESS, BRI_HC_EXPONENT, BRI_HC_ALPHA };

/* ---- gonthier [Gonthier 2004] ---- */
enum { BRI_GONTHIER_STIFFNESS, BRI_GONTHIER_EXPONENT, BRI_GONTHIER_E, BRI_GONTHIER_ALPHA, BRI_GONTHIER_FLOOR };

/* The damping factor d of a restitution e, (4.2). */
double bri_gonthier_factor(double e);
/* The restitution at an impact speed, m/s. */
double bri_gonthier_restitution(const BrLaw *law, double speed);

/* ---- dwell [Gonthier 2004] ---- */
enum {
    BRI_DWELL_MU_S,
    BRI_DWELL_MU_K,
    BRI_DWELL_SIGMA_0,
    BRI_DWELL_SIGMA_1,
    BRI_DWELL_SIGMA_2,
    BRI_DWELL_V_S,
    BRI_DWELL_TAU,
    BRI_DWELL_V_EPS,
    BRI_DWELL_WINDUP
};
enum { BRI_WINDUP_NONE, BRI_WINDUP_LITERAL };

/* ---- coulomb-compliant [Song 2000] ---- */
enum { BRI_CC_MU, BRI_CC_STIFFNESS, BRI_CC_DAMPING };

/* ---- tanh [Song 2000] ---- */
enum { BRI_TANH_MU, BRI_TANH_GAMMA };

#endif
