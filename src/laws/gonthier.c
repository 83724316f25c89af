/* gonthier.c: a normal force whose restitution is the one asked for [Gonthier 2004, Eqs 4-12; corrected in
 * docs/theory].
 *
 *     f_N = max(0, k delta^p (1 + a delta')),   a = d(e)/(e v_i),   v_i: speed at the touch                      (9.1)
 *     d: root in (0, 1] of  h(d/e) - h(-d) = 0,   h(x) = x - log(1 + x)                                          (9.2)
 *
 * which is the paper's Eq. 10 in logarithms: an impact that starts with v_i ends with e v_i whatever the mass, the
 * stiffness and the exponent. Divided by d^2 the root is simple also for e near 1: h(x)/x^2 = 1/2 - x/3 + x^2/4 - ...
 */
#include "laws/laws.h"

const BrLawInfo bri_law_gonthier = {
    .name = "gonthier",
    .kind = BR_LAW_NORMAL,
    .reference = "Gonthier, McPhee, Lange, Piedboeuf 2004",
    .help = "k depth^p (1 + a rate), a such that impacts come back with exactly the restitution asked for",
    .compliant = true,
    .table = "e",
    .parameters = 5,
    .parameter = {
        [BRI_GONTHIER_STIFFNESS] = {"stiffness", "N/m^p", 0, 0, 1e18, NULL,
                                    "k; 0: Hertz's, from E and nu of the materials"},
        [BRI_GONTHIER_EXPONENT] = {"exponent", "", 1.5, 1, 5, NULL, "p; 1.5 for round bodies (Hertz)"},
        [BRI_GONTHIER_E] = {"e", "", __builtin_nan(""), 0.01, 1, NULL,
                            "restitution; a number, or a table over the impact speed"},
        [BRI_GONTHIER_ALPHA] = {"alpha", "s/m", __builtin_nan(""), 0, 1e6, NULL,
                                "in place of e: restitution 1 - alpha v, at least 0.01"},
        [BRI_GONTHIER_FLOOR] = {"floor", "m/s", 1e-3, 1e-12, 1e3, NULL, "slower touches are damped like this one"}}};

/* (x - log(1 + x))/x^2 */
static double bend(double x) {
    if (bri_abs(x) >= 0.1) return (x - bri_log(1 + x)) / (x * x);
    double sum = 0;
    for (int k = 16; k >= 0; k--) sum = 1.0 / (k + 2) - x * sum;
    return sum;
}

double bri_gonthier_factor(double e) {
    double low = 0, high = 1;
    for (int k = 0; k < 60 && low < high; k++) {
        double d = 0.5 * (low + high);
        if (bend(d / e) / (e * e) - bend(-d) > 0)
            low = d;
        else
            high = d;
    }
    return 0.5 * (low + high);
}

double bri_gonthier_restitution(const BrLaw *law, double speed) {
    const double LEAST = 0.01;
    double alpha = law->value[BRI_GONTHIER_ALPHA], e = law->value[BRI_GONTHIER_E];
    if (law->points > 0) {
        int k = 0;
        while (k < law->points && law->point[k][0] <= speed) k++;
        if (k == 0 || k == law->points) return law->point[k ? k - 1 : 0][1];
        const double *a = law->point[k - 1], *b = law->point[k];
        return a[1] + (b[1] - a[1]) * (speed - a[0]) / (b[0] - a[0]);
    }
    return alpha == alpha ? bri_max(LEAST, 1 - alpha * speed) : e;
}
