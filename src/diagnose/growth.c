/* growth.c: see growth.h.
 *
 * moreau and rattle move positions as semi-implicit does, hem2 is rk2 where nothing holds, and euler-paper has q = 1.
 * A Runge-Kutta scheme of order q and q stages multiplies exp(lambda t) by R(z) = 1 + z + ... + z^q/q!, z = lambda h,
 * each step; semi-implicit does the same with q = 1 to all but positions. Stable: |R| <= 1. On the negative real axis
 * that is |z| < 2 (q = 1, 2), 2.51 (3), 2.79 (4), on the imaginary one 1.73 (3) and 2.83 (4), while q = 1 and 2 grow at
 * any step: therefore a hundredth per half turn is allowed, |R| <= 1 + 0.01 |z|/pi, which gives rk2 |z| < 0.29 there.
 * Positions under semi-implicit: v += -h (stiffness x + damping v), x += h v is stable while
 *     stiffness h^2 + 2 damping h < 4.
 * half-implicit is semi-implicit. bdf2 is stable wherever its forces are found, which are asked where the step ends, each
 * time with the last answer: that converges while (2/3 h)^2 stiffness + 2/3 h damping < 1.
 *
 * Energy. Without damping, z = w h:
 *     Runge-Kutta      E is multiplied by |R(i z)|^2 each step: 1 + z^2 (q = 1), 1 + z^4/4 (2), 1 - z^4/12 + ... (3),
 *                      1 - z^6/72 + ... (4); bdf2 by the larger root of (3 - 2 z) x^2 - 4 x + 1, 1 - z^4/2; with damping the difference to exp(2 Re(z)) counts, for as long as there is
 *                      something to swing
 *     semi-implicit    keeps v^2 + w^2 x^2 - z v w x: E wavers between 1 -+ z/2 of it
 *     rattle           keeps v^2 + w^2 x^2 (1 - z^2/4) */
#include "diagnose/growth.h"

static const double PI = 3.14159265358979323846;

/* In place of an order: bdf2. */
enum { BACKWARD = -2 };

/* The larger root of (3 - 2 z) x^2 - 4 x + 1. */
static double find_backward_growth(double re, double im) {
    double a = 1 + 2 * re, b = 2 * im, size = bri_sqrt(a * a + b * b);
    double root_re = bri_sqrt(0.5 * (size + a)), root_im = bri_sqrt(0.5 * bri_max(0, size - a)); /* of 1 + 2 z */
    double below = bri_sqrt((3 - 2 * re) * (3 - 2 * re) + 4 * im * im);
    return bri_sqrt((2 + root_re) * (2 + root_re) + root_im * root_im) / below;
}

static double find_growth(int order, double re, double im) {
    if (order == BACKWARD) return find_backward_growth(re, im);
    double term_re = 1, term_im = 0, sum_re = 1, sum_im = 0;
    for (int k = 1; k <= order; k++) {
        double next = (term_re * re - term_im * im) / k;
        term_im = (term_re * im + term_im * re) / k;
        term_re = next;
        sum_re += term_re, sum_im += term_im;
    }
    return bri_sqrt(sum_re * sum_re + sum_im * sum_im);
}

/* The first |z| along the direction (re, im) where the scheme grows too fast. */
static double find_edge(int order, double re, double im) {
    const double STRIDE = 0.02, PER_TURN = 0.01;
    double low = 0, high = STRIDE;
    while (find_growth(order, high * re, high * im) <= 1 + PER_TURN * high / PI) low = high, high += STRIDE;
    for (int k = 0; k < 30; k++) {
        double s = 0.5 * (low + high);
        if (find_growth(order, s * re, s * im) <= 1 + PER_TURN * s / PI)
            low = s;
        else
            high = s;
    }
    return low;
}

double bri_mode_rate(const BriMode *mode, bool *swings) {
    double half = 0.5 * mode->damping, rest = half * half - mode->stiffness;
    *swings = rest < 0;
    return rest < 0 ? bri_sqrt(mode->stiffness) : half + bri_sqrt(rest);
}

/* q; those whose inner steps follow a tolerance are asked as if they were rk4. */
static int find_order(BrScheme scheme) {
    if (scheme == BR_SCHEME_HEM2 || scheme == BR_SCHEME_RK2) return 2;
    if (scheme == BR_SCHEME_BDF2) return BACKWARD;
    if (scheme >= BR_SCHEME_RK3) return scheme == BR_SCHEME_RK3 ? 3 : 4;
    return 1;
}

double bri_stable_step(BrScheme scheme, const BriMode *mode) {
    double c = mode->damping, w2 = mode->stiffness;
    bool swings;
    double rate = bri_mode_rate(mode, &swings);
    if (!(rate > 0)) return __builtin_inf();
    int order = find_order(scheme);
    bool moves = scheme == BR_SCHEME_SEMI_IMPLICIT || scheme == BR_SCHEME_MOREAU || scheme == BR_SCHEME_RATTLE ||
                 scheme == BR_SCHEME_HALF_IMPLICIT;
    if (scheme == BR_SCHEME_BDF2) return 3 / (c + bri_sqrt(c * c + 4 * w2));
    if (moves && !mode->memory) return 4 / (c + bri_sqrt(c * c + 4 * w2));
    double re = swings ? -0.5 * c / rate : -1;
    return find_edge(order, re, bri_sqrt(1 - re * re)) / rate;
}

/* By how much ln(E) is off after so many radians of a swing along the direction (re, im), in steps of z. */
static double find_drift(int order, double re, double im, double z, double radians) {
    double lasts = re < 0 ? bri_min(radians, -0.5 / re) : radians;
    return bri_abs(2 * bri_log(find_growth(order, z * re, z * im)) - 2 * z * re) * bri_max(1, lasts / z);
}

double bri_energy_step(BrScheme scheme, const BriMode *mode, double duration, double part) {
    const double SMALLEST = 1e-4, STRIDE = 1.02; /* of z; below, the drift is taken to fall no faster than z */
    double stable = bri_stable_step(scheme, mode);
    bool swings;
    double w = bri_mode_rate(mode, &swings);
    if (!swings || !bri_is_finite(stable)) return stable;
    if (scheme == BR_SCHEME_RATTLE) return bri_min(stable, 2 * bri_sqrt(part / (1 + part)) / w);
    if (scheme == BR_SCHEME_MOREAU || scheme == BR_SCHEME_SEMI_IMPLICIT || scheme == BR_SCHEME_HALF_IMPLICIT)
        return bri_min(stable, 2 * part / (2 + part) / w);
    int order = find_order(scheme);
    double re = -0.5 * mode->damping / w, im = bri_sqrt(1 - re * re), goal = bri_log(1 + part), z = SMALLEST;
    double least = find_drift(order, re, im, z, w * duration);
    if (least > goal) return bri_min(stable, z * goal / least / w);
    while (z < w * stable && find_drift(order, re, im, STRIDE * z, w * duration) <= goal) z *= STRIDE;
    return bri_min(stable, z / w);
}

/* depth'' = -mobility k depth^p (1 + a depth') by parts: mobility k depth^(p+1)/(p+1) = v^2 (x - log(1 + x))/x^2, x = a
 * v, which is v^2/2 without losses. */
double bri_impact_depth(double k, double p, double damping, double mobility, double speed) {
    const double SMALL = 1e-3; /* two terms of the series, right to 5e-7; below, x - log(1 + x) loses digits */
    double x = damping * speed, share = x < SMALL ? 0.5 - x / 3 : (x - bri_log(1 + x)) / (x * x);
    return bri_pow((p + 1) * share * speed * speed / (mobility * k), 1 / (p + 1));
}

/* Twice the way in: 2 depth/speed times the integral of dx/sqrt(1 - x^(p+1)) over 0..1, with x = 1 - s^2, where it is
 * smooth; midpoints. pi for a linear spring, 2.943 for Hertz's. */
double bri_impact_time(double p, double depth, double speed) {
    enum { PARTS = 16 }; /* midpoints */
    double sum = 0;
    for (int i = 0; i < PARTS; i++) {
        double s = (i + 0.5) / PARTS;
        sum += 2 * s / bri_sqrt(1 - bri_pow(1 - s * s, p + 1)) / PARTS;
    }
    return 2 * depth / speed * sum;
}
