/* touching.c: see touching.h. Linear modes of one contact, delta depth, W mobility, F load, a latched damping:
 *
 *     normal      p k delta^(p-1) W,  k delta^p a W     at rest, k delta^p = F, and at the bottom of an impact
 *     stick       sigma_0 W_t,  (sigma_1 + sigma_2) W_t       and what stands for them in other laws
 *     memory      sigma_0/sigma_1, 1/tau_dw */
#include "diagnose/touching.h"

static BriMode find_normal_mode(const BriTouching *t, double depth, double damping) {
    const BrLaw *law = t->normal;
    double p = bri_normal_exponent(law), viscosity = t->stiffness * bri_pow(depth, p) * damping;
    if (bri_law_is(law, &bri_law_kelvin_voigt))
        viscosity = law->value[BRI_KV_DAMPING] * bri_min(1, depth / law->value[BRI_KV_RAMP]);
    return (BriMode){.damping = viscosity * t->normal_mobility,
                     .stiffness = p * t->stiffness * bri_pow(depth, p - 1) * t->normal_mobility};
}

static BriMode find_stick_mode(const BriTouching *t) {
    double stiffness, viscosity;
    bri_friction_stiffness(t->friction, t->load, &stiffness, &viscosity);
    return (BriMode){viscosity * t->tangent_mobility, stiffness * t->tangent_mobility, .memory = true};
}

static BriMode find_memory_mode(const BriTouching *t) {
    const double *p = t->friction->value;
    double rate = 0;
    if (bri_law_is(t->friction, &bri_law_dwell))
        rate = bri_max(p[BRI_DWELL_SIGMA_0] / p[BRI_DWELL_SIGMA_1], 1 / p[BRI_DWELL_TAU]);
    if (bri_law_is(t->friction, &bri_law_coulomb_compliant)) rate = p[BRI_CC_STIFFNESS] / p[BRI_CC_DAMPING];
    return (BriMode){.damping = rate, .memory = true};
}

/* Which of the law's numbers makes the stick swing or decay. */
static const char *name_stick(const BrLaw *law, bool swings) {
    if (bri_law_is(law, &bri_law_tanh)) return "mu f_N/gamma at rest";
    if (bri_law_is(law, &bri_law_dwell)) return swings ? "sigma_0 in stick" : "sigma_1 in stick";
    return swings ? "the tangential stiffness in stick" : "the tangential damping in stick";
}

static void consider(BriTouchingLimits *limits, BrScheme scheme, const BriMode *mode, const char *what) {
    double step = bri_stable_step(scheme, mode);
    if (!(step < limits->largest_step)) return;
    limits->largest_step = step;
    limits->rate = bri_mode_rate(mode, &limits->swings);
    limits->what = what;
}

static void consider_normal(BriTouchingLimits *limits, BrScheme scheme, const BriMode *mode) {
    bool swings;
    bri_mode_rate(mode, &swings);
    consider(limits, scheme, mode, swings ? "the normal stiffness" : "the normal damping");
}

BriTouchingLimits bri_touching_limits(const BriTouching *t, BrScheme scheme) {
    const double PI = 3.14159265358979323846;
    const double none = __builtin_inf();
    BriTouchingLimits limits = {.largest_step = none, .slow_step = none, .impact_time = none};
    double p = bri_normal_exponent(t->normal), depth = bri_pow(t->load / t->stiffness, 1 / p);
    bool swings;

    BriMode rest = find_normal_mode(t, depth, t->damping), stick = find_stick_mode(t), memory = find_memory_mode(t);
    consider_normal(&limits, scheme, &rest);
    if (rest.stiffness > 0 && t->load > 0) limits.impact_time = PI / bri_sqrt(rest.stiffness);
    if (t->speed > 0 && t->normal_mobility > 0) {
        double bottom = bri_impact_depth(t->stiffness, p, t->damping, t->normal_mobility, t->speed);
        double elastic = bri_impact_depth(t->stiffness, p, 0, t->normal_mobility, t->speed);
        BriMode impact = find_normal_mode(t, bottom, t->damping);
        consider_normal(&limits, scheme, &impact);
        limits.impact_time = bri_min(bri_impact_time(p, elastic, t->speed), limits.impact_time); /* if it is a number */
    }
    bri_mode_rate(&stick, &swings);
    consider(&limits, scheme, &stick, name_stick(t->friction, swings));
    consider(&limits, scheme, &memory, "the memory of friction");
    if (bri_law_is(t->normal, &bri_law_gonthier)) {
        BriMode slow = find_normal_mode(t, depth, bri_normal_damping(t->normal, 0));
        limits.slow_step = bri_stable_step(scheme, &slow);
    }
    return limits;
}

int bri_recommend_substeps(double dt, double largest_step, double impact_time) {
    const double MOST = 100000;
    /* Limits may be infinite, so they are divided: twice a dt of 1e308 over them would be no number. */
    double wanted = bri_max(dt / (largest_step / 2), dt / (impact_time / 16)), whole = bri_floor(wanted);
    return (int)bri_min(MOST, bri_max(1, whole < wanted ? whole + 1 : whole));
}
