/* coulomb.c: |f_T| <= mu f_N, and mu f_N against the slip where it slides. With mu_s and mu_k a contact leaves stick at
 * mu_s and slides with mu_k. The friction set (cone, box, polygon) is the stepper's choice. */
#include "laws/laws.h"

static const double UNSET = __builtin_nan("");

const BrLawInfo bri_law_coulomb = {
    .name = "coulomb",
    .kind = BR_LAW_FRICTION,
    .reference = "Coulomb 1785",
    .help = "dry friction: mu, or mu_s (at rest) and mu_k (sliding)",
    .parameters = 3,
    .parameter = {[BRI_COULOMB_MU] = {"mu", "", __builtin_nan(""), 0, 1e6, NULL, "coefficient of friction"},
                  [BRI_COULOMB_MU_S] = {"mu_s", "", __builtin_nan(""), 0, 1e6, NULL, "static coefficient, >= mu_k"},
                  [BRI_COULOMB_MU_K] = {"mu_k", "", __builtin_nan(""), 0, 1e6, NULL, "kinetic coefficient"}}};

static double choose(const BrLaw *law, int which) {
    double one = law->value[0];
    if (law->info == &bri_law_bristle) return law->value[BRI_BRISTLE_MU];
    return one == one ? one : law->info == &bri_law_coulomb ? law->value[which] : UNSET;
}

double bri_law_mu_static(const BrLaw *friction) { return choose(friction, BRI_COULOMB_MU_S); }
double bri_law_mu_kinetic(const BrLaw *friction) { return choose(friction, BRI_COULOMB_MU_K); }
