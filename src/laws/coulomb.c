/* coulomb.c: |f_T| <= mu f_N, and mu f_N against the slip where it slides. With mu_s and mu_k a contact leaves stick at
 * mu_s and slides with mu_k. The friction set (cone, box, polygon) is the stepper's choice. */
#include "laws/laws.h"

enum { MU, MU_S, MU_K };

/* mu alone, or mu_s and mu_k: what was not given is NaN. */
static BrStatus check(const BrLaw *law, const char *what, BrError *error) {
    const double *v = law->value;
    bool one = bri_is_set(v[MU]), s = bri_is_set(v[MU_S]), k = bri_is_set(v[MU_K]);
    if (one ? s || k : !(s && k))
        return bri_fail(error, BR_INVALID_ARGUMENT, "%s: coulomb needs 'mu', or both 'mu_s' and 'mu_k'", what);
    return s ? bri_check_coefficients(what, v[MU_S], v[MU_K], error) : BR_OK;
}

static BriCoefficients find_coefficients(const BrLaw *law) {
    const double *v = law->value;
    bool one = bri_is_set(v[MU]);
    return (BriCoefficients){one ? v[MU] : v[MU_S], one ? v[MU] : v[MU_K]};
}

const BriLaw bri_law_coulomb = {
    .info = {.name = "coulomb",
             .kind = BR_LAW_FRICTION,
             .reference = "Coulomb 1785",
             .help = "dry friction: mu, or mu_s (at rest) and mu_k (sliding)",
             .parameters = 3,
             .parameter = {[MU] = {"mu", "", __builtin_nan(""), 0, 1e6, NULL, "coefficient of friction"},
                           [MU_S] = {"mu_s", "", __builtin_nan(""), 0, 1e6, NULL, "static coefficient, >= mu_k"},
                           [MU_K] = {"mu_k", "", __builtin_nan(""), 0, 1e6, NULL, "kinetic coefficient"}}},
    .unset = 1u << MU | 1u << MU_S | 1u << MU_K,
    .check = check,
    .rigid_friction = {.coefficients = find_coefficients}};
