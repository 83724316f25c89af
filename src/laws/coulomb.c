/* coulomb.c: |f_T| <= mu f_N, and mu f_N against the slip where it slides. With mu_s and mu_k a contact leaves stick at
 * mu_s and slides with mu_k. The friction set (cone, box, polygon) is the stepper's choice. */
#include "laws/laws.h"

/* mu alone, or mu_s and mu_k: what was not given is NaN. */
BrStatus bri_check_dry(const BrLaw *law, const char *what, BrError *error) {
    const double *v = law->value;
    bool one = bri_is_set(v[BRI_MU]), s = bri_is_set(v[BRI_MU_S]), k = bri_is_set(v[BRI_MU_K]);
    if (one ? s || k : !(s && k))
        return bri_fail(error, BR_INVALID_ARGUMENT, "%s: %s needs 'mu', or both 'mu_s' and 'mu_k'", what,
                        law->info->name);
    return s ? bri_check_coefficients(what, v[BRI_MU_S], v[BRI_MU_K], error) : BR_OK;
}

double bri_dry_static(const BrLaw *law) { return law->value[bri_is_set(law->value[BRI_MU]) ? BRI_MU : BRI_MU_S]; }

double bri_dry_kinetic(const BrLaw *law, double speed) {
    return (void)speed, law->value[bri_is_set(law->value[BRI_MU]) ? BRI_MU : BRI_MU_K];
}

const BriLaw bri_law_coulomb = {.info = {.name = "coulomb",
                                         .kind = BR_LAW_FRICTION,
                                         .reference = "Coulomb 1785",
                                         .help = "dry friction: mu, or mu_s (at rest) and mu_k (sliding)",
                                         .joints = true,
                                         .parameters = BRI_DRY,
                                         .parameter = {BRI_DRY_PARAMETERS}},
                                .unset = BRI_DRY_UNSET,
                                .check = bri_check_dry,
                                .dry = {.holds = bri_dry_static, .slides = bri_dry_kinetic}};
