/* power.c: normal forces over a power of the depth: f_N = max(0, k delta^p (1 + a delta')), and which a gives back a
 * restitution e [Gonthier 2004, Eqs 4-12; corrected in docs/theory]:
 *
 *     a = d/(e v_i),   d: root in (0, 1] of  h(d/e) - h(-d) = 0,   h(x) = x - log(1 + x)                         (9.2)
 *
 * which is the paper's Eq. 10 in logarithms: an impact that starts with v_i ends with e v_i whatever the mass, the
 * stiffness and the exponent. Divided by d^2 the root is simple also for e near 1: h(x)/x^2 = 1/2 - x/3 + x^2/4 - ...
 */
#include "laws/laws.h"

/* k delta^p; p = 3/2 is common and needs no power. */
static double find_elastic(double k, double p, double depth) {
    if (p == 1.5) return k * depth * bri_sqrt(depth);
    return p == 1 ? k * depth : k * bri_pow(depth, p);
}

BrNormalAnswer bri_power_answer(BrPower power, double damping, double depth, double rate) {
    double elastic = find_elastic(power.stiffness, power.exponent, depth), force = elastic * (1 + damping * rate);
    if (!(force > 0)) force = 0;
    return (BrNormalAnswer){
        .force = force, .stored = elastic * depth / (power.exponent + 1), .loss = (force - elastic) * rate};
}

double bri_power_viscosity(BrPower power, double damping, double depth) {
    return power.stiffness * bri_pow(depth, power.exponent) * damping;
}

/* (x - log(1 + x))/x^2 */
static double bend(double x) {
    if (bri_abs(x) >= 0.1) return (x - bri_log(1 + x)) / (x * x);
    double sum = 0;
    for (int k = 16; k >= 0; k--) sum = 1.0 / (k + 2) - x * sum;
    return sum;
}

double bri_restitution_damping(double e) {
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

double bri_normal_viscosity(const BrLaw *law, double stiffness, const double *memory, double depth) {
    const BrNormalForces *normal = &bri_law_record(law)->normal;
    if (normal->viscosity) return normal->viscosity(law, stiffness, memory, depth);
    const double SPEED = 1e-6; /* m/s: laws are smooth over it, and rounding of the force is not seen */
    double unused[BRI_LAW_MEMORY] = {0}, force[2];
    for (int i = 0; i < 2; i++)
        force[i] = bri_normal_answer(law, stiffness, memory, depth, i ? SPEED : -SPEED, unused).force;
    return (force[1] - force[0]) / (2 * SPEED);
}

BrStick bri_friction_stick(const BrLaw *law, double normal) {
    const BrFrictionForces *friction = &bri_law_record(law)->friction;
    BrStick stick = friction->stick ? friction->stick(law, normal) : (BrStick){0};
    if (!stick.swings) stick.swings = "friction in stick";
    if (!stick.decays) stick.decays = "friction in stick";
    return stick;
}
