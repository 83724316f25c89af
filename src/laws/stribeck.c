/* stribeck.c: dry friction that falls with the slip, in bearings:
 *     mu(v) = mu_k + (mu_s - mu_k) exp(-(v/v_s)^2)   while it slides, up to mu_s while it holds                 (10.9)
 * With gamma > 0 it does not hold: mu(v) tanh(v/gamma), as the law tanh. */
#include "laws/laws.h"

enum { MU_S, MU_K, V_S, GAMMA };

static BrStatus check(const BrLaw *law, const char *what, BrError *error) {
    return bri_check_coefficients(what, law->value[MU_S], law->value[MU_K], error);
}

static double find_static(const BrLaw *law) { return law->value[MU_S]; }

static double find_sliding(const BrLaw *law, double speed) {
    const double *p = law->value;
    double part = speed / p[V_S];
    return p[MU_K] + (p[MU_S] - p[MU_K]) * bri_exp(-part * part);
}

static double find_width(const BrLaw *law) { return law->value[GAMMA]; }

const BriLaw bri_law_stribeck = {
    .info = {.name = "stribeck",
             .kind = BR_LAW_FRICTION,
             .reference = "Stribeck 1902; Bo and Pavelescu 1982",
             .help = "dry friction that falls with the slip, from mu_s at rest to mu_k when fast",
             .joints = true,
             .parameters = 4,
             .parameter = {[MU_S] = {"mu_s", "", __builtin_nan(""), 0, 1e6, NULL, "static coefficient, >= mu_k"},
                           [MU_K] = {"mu_k", "", __builtin_nan(""), 0, 1e6, NULL, "coefficient of fast slides"},
                           [V_S] = {"v_s", "m/s", 0.01, 1e-12, 1e6, NULL, "slip over which it falls"},
                           [GAMMA] = {"gamma", "m/s", 0, 0, 1e6, NULL,
                                      "slip over which friction builds up, as in tanh; 0: it holds"}}},
    .check = check,
    .dry = {.holds = find_static, .slides = find_sliding, .width = find_width},
    .by_slip = true};
