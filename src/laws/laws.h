/* laws.h: the laws as the solver meets them: pure functions of numbers; bodies and solvers are unknown here. */
#ifndef BRI_LAWS_H
#define BRI_LAWS_H

#include "base/base.h"
#include "bristle/law.h"
#include "math/elementary.h"

/* One file per law; builtin.c lists them. */
extern const BrLawInfo bri_law_rigid, bri_law_coulomb, bri_law_bristle;

/* Checks values against the law's table and what goes together; `what` names the owner in messages. */
BrStatus bri_law_check(const BrLaw *law, BrLawKind kind, const char *what, BrError *error);

/* Which law, without comparing names. */
static inline bool bri_law_is(const BrLaw *law, const BrLawInfo *info) { return law->info == info; }

/* ---- rigid: restitution ---- */
enum { BRI_RIGID_E, BRI_RIGID_HYPOTHESIS };
enum { BRI_NEWTON, BRI_POISSON };

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

#endif
