/* compliance.c: the compliant laws behind one door each for normal force and friction. */
#include "laws/compliance.h"

/* k delta^p; p = 3/2 is common and needs no power. */
static double find_elastic(double k, double p, double depth) {
    if (p == 1.5) return k * depth * bri_sqrt(depth);
    return p == 1 ? k * depth : k * bri_pow(depth, p);
}

double bri_normal_damping(const BrLaw *law, double speed) {
    if (bri_law_is(law, &bri_law_hunt_crossley)) return 1.5 * law->value[BRI_HC_ALPHA];
    if (!bri_law_is(law, &bri_law_gonthier)) return 0;
    double v = bri_max(speed, law->value[BRI_GONTHIER_FLOOR]), e = bri_gonthier_restitution(law, v);
    return bri_gonthier_factor(e) / (e * v);
}

double bri_normal_stiffness(const BrLaw *law) { return law->value[0]; }

double bri_normal_exponent(const BrLaw *law) {
    return bri_law_is(law, &bri_law_kelvin_voigt) ? 1 : law->value[BRI_GONTHIER_EXPONENT];
}

BriNormalAnswer bri_normal_answer(const BrLaw *law, double stiffness, double damping, double depth, double rate) {
    if (!(depth > 0)) return (BriNormalAnswer){0};
    double p = bri_normal_exponent(law), elastic = find_elastic(stiffness, p, depth), force;
    if (bri_law_is(law, &bri_law_kelvin_voigt))
        force = elastic + law->value[BRI_KV_DAMPING] * bri_min(1, depth / law->value[BRI_KV_RAMP]) * rate;
    else
        force = elastic * (1 + damping * rate);
    if (!(force > 0)) force = 0;
    return (BriNormalAnswer){force, elastic * depth / (p + 1), (force - elastic) * rate};
}

BriFrictionAnswer bri_friction_answer(const BrLaw *law, double normal, BrVec3 slip, const BriContactMemory *memory) {
    if (bri_law_is(law, &bri_law_dwell)) return bri_dwell_answer(law, normal, slip, memory);
    if (bri_law_is(law, &bri_law_coulomb_compliant)) return bri_coulomb_compliant_answer(law, normal, slip, memory);
    return bri_tanh_answer(law, normal, slip);
}

double bri_friction_limit(const BrLaw *law, const BriContactMemory *memory) {
    const double *p = law->value;
    if (!bri_law_is(law, &bri_law_dwell)) return p[0];
    return p[BRI_DWELL_MU_K] + (p[BRI_DWELL_MU_S] - p[BRI_DWELL_MU_K]) * memory->dwell;
}

void bri_friction_stiffness(const BrLaw *law, double normal, double *stiffness, double *viscosity) {
    const double *p = law->value;
    bool dwell = bri_law_is(law, &bri_law_dwell), tanh = bri_law_is(law, &bri_law_tanh);
    *stiffness = dwell ? p[BRI_DWELL_SIGMA_0] : tanh ? 0 : p[BRI_CC_STIFFNESS];
    *viscosity = dwell  ? p[BRI_DWELL_SIGMA_1] + p[BRI_DWELL_SIGMA_2]
                 : tanh ? p[BRI_TANH_MU] * normal / p[BRI_TANH_GAMMA]
                        : p[BRI_CC_DAMPING];
}
