/* touching.c: see touching.h. Linear modes of one contact, delta depth, W mobility, F load, c the law's viscosity:
 *
 *     normal      p k delta^(p-1) W,  c W     at rest, k delta^p = F, and at the bottom of an impact
 *     stick       stiffness and viscosity of the friction law, times W_t
 *     memory      how fast the friction law forgets by itself */
#include "diagnose/touching.h"

static BriMode find_normal_mode(const BriTouching *t, double depth, const double *memory) {
    double p = bri_normal_power(t->normal).exponent;
    double viscosity = bri_normal_viscosity(t->normal, t->stiffness, memory, depth);
    return (BriMode){.damping = viscosity * t->normal_mobility,
                     .stiffness = p * t->stiffness * bri_pow(depth, p - 1) * t->normal_mobility};
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
    double p = bri_normal_power(t->normal).exponent, depth = bri_pow(t->load / t->stiffness, 1 / p);
    bool swings;

    BriMode rest = find_normal_mode(t, depth, t->memory);
    consider_normal(&limits, scheme, &rest);
    if (rest.stiffness > 0 && t->load > 0) limits.impact_time = PI / bri_sqrt(rest.stiffness);
    if (t->speed > 0 && t->normal_mobility > 0) {
        double damping = bri_normal_damping(t->normal, t->memory);
        double bottom = bri_impact_depth(t->stiffness, p, damping, t->normal_mobility, t->speed);
        double elastic = bri_impact_depth(t->stiffness, p, 0, t->normal_mobility, t->speed);
        BriMode impact = find_normal_mode(t, bottom, t->memory);
        consider_normal(&limits, scheme, &impact);
        limits.impact_time = bri_min(bri_impact_time(p, elastic, t->speed), limits.impact_time); /* if it is a number */
    }
    BrStick stick = bri_friction_stick(t->friction, t->load);
    BriMode sticks = {stick.viscosity * t->tangent_mobility, stick.stiffness * t->tangent_mobility, .memory = true};
    BriMode forgets = {.damping = stick.forgets, .memory = true};
    bri_mode_rate(&sticks, &swings);
    consider(&limits, scheme, &sticks, swings ? stick.swings : stick.decays);
    consider(&limits, scheme, &forgets, "the memory of friction");
    if (bri_law_record(t->normal)->touch) { /* what it latches depends on the speed */
        double memory[BRI_NORMAL_MEMORY];
        bri_law_touch(t->normal, 0, memory);
        BriMode slow = find_normal_mode(t, depth, memory);
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
