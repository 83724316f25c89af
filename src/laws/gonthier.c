/* gonthier.c: a normal force whose restitution is the one asked for [Gonthier 2004, Eqs 4-12; corrected in
 * docs/theory].
 *
 *     f_N = max(0, k delta^p (1 + a delta')),   a = d(e)/(e v_i),   v_i: speed at the touch                      (9.1)
 *
 * with d of (9.2), see power.c. a is latched at the touch. */
#include "laws/laws.h"

enum { STIFFNESS, EXPONENT, E, ALPHA, FLOOR };
static const double LEAST_E = 0.01;

/* One of e, alpha and a table. */
static BrStatus check(const BrLaw *law, const char *what, BrError *error) {
    int given = bri_is_set(law->value[E]) + bri_is_set(law->value[ALPHA]) + (law->points > 0);
    if (given != 1)
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "%s: gonthier needs 'e' (a number or a table over the impact speed) or 'alpha', one of them",
                        what);
    for (int i = 0; i < law->points; i++) {
        const double *p = law->table + 2 * i;
        if (!(p[1] >= LEAST_E && p[1] <= 1))
            return bri_fail(error, BR_INVALID_ARGUMENT, "%s: e is %.9g in the table; allowed is %.9g to 1", what, p[1],
                            LEAST_E);
        if (!(p[0] >= 0 && p[0] < 1e300 && (i == 0 || p[0] > p[-2])))
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "%s: the table of e has the speed %.9g m/s; speeds must not be negative and must grow",
                            what, p[0]);
    }
    return BR_OK;
}

static double find_restitution(const BrLaw *law, double speed) {
    double alpha = law->value[ALPHA];
    if (law->points > 0) {
        int k = 0;
        while (k < law->points && law->table[2 * k] <= speed) k++;
        if (k == 0 || k == law->points) return law->table[k ? 2 * k - 1 : 1];
        const double *b = law->table + 2 * k, *a = b - 2;
        return a[1] + (b[1] - a[1]) * (speed - a[0]) / (b[0] - a[0]);
    }
    return bri_is_set(alpha) ? bri_max(LEAST_E, 1 - alpha * speed) : law->value[E];
}

static void touch(const BrLaw *law, double speed, double *memory) {
    double v = bri_max(speed, law->value[FLOOR]), e = find_restitution(law, v);
    memory[0] = bri_restitution_damping(e) / (e * v);
}

static BrPower find_power(const BrLaw *law) { return (BrPower){law->value[STIFFNESS], law->value[EXPONENT]}; }

static double find_damping(const BrLaw *law, const double *memory) { return (void)law, memory[0]; }

static BrNormalAnswer answer(const BrLaw *law, double k, const double *memory, double depth, double rate,
                             double *memory_rate) {
    (void)memory_rate;
    return bri_power_answer((BrPower){k, law->value[EXPONENT]}, memory[0], depth, rate);
}

static double find_viscosity(const BrLaw *law, double k, const double *memory, double depth) {
    return bri_power_viscosity((BrPower){k, law->value[EXPONENT]}, memory[0], depth);
}

const BriLaw bri_law_gonthier = {
    .info = {.name = "gonthier",
             .kind = BR_LAW_NORMAL,
             .reference = "Gonthier, McPhee, Lange, Piedboeuf 2004",
             .help = "k depth^p (1 + a rate), a such that impacts come back with exactly the restitution asked for",
             .compliant = true,
             .table = "e",
             .parameters = 5,
             .parameter = {[STIFFNESS] = {"stiffness", "N/m^p", 0, 0, 1e18, NULL,
                                          "k; 0: Hertz's, from E and nu of the materials"},
                           [EXPONENT] = {"exponent", "", 1.5, 1, 5, NULL, "p; 1.5 for round bodies (Hertz)"},
                           [E] = {"e", "", __builtin_nan(""), 0.01, 1, NULL,
                                  "restitution; a number, or a table over the impact speed"},
                           [ALPHA] = {"alpha", "s/m", __builtin_nan(""), 0, 1e6, NULL,
                                      "in place of e: restitution 1 - alpha v, at least 0.01"},
                           [FLOOR] = {"floor", "m/s", 1e-3, 1e-12, 1e3, NULL,
                                      "slower touches are damped like this one"}},
             .memories = 1,
             .memory = {{.name = "damping",
                         .symbol = "a",
                         .unit = "s/m",
                         .latch = true,
                         .help = "by the speed of the touch"}}},
    .unset = 1u << E | 1u << ALPHA,
    .check = check,
    .touch = touch,
    .normal = {find_power, answer, find_viscosity, find_damping}};
