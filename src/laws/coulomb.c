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

BriCoefficients bri_dry_coefficients(const BrLaw *law) {
    const double *v = law->value;
    bool one = bri_is_set(v[BRI_MU]);
    return (BriCoefficients){.mu_s = one ? v[BRI_MU] : v[BRI_MU_S], .mu_k = one ? v[BRI_MU] : v[BRI_MU_K]};
}

static double find_static(const BrLaw *law, double dwell) { return (void)dwell, bri_dry_coefficients(law).mu_s; }
static double find_kinetic(const BrLaw *law, double speed, double dwell) {
    return (void)speed, (void)dwell, bri_dry_coefficients(law).mu_k;
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
                                .rigid_friction = {.coefficients = bri_dry_coefficients},
                                .bearing = {.holds = find_static, .slides = find_kinetic}};
