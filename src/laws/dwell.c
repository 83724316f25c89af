/* dwell.c: bristles with a smooth change from stick to slide, and static friction that grows with the time of rest
 * [Gonthier 2004, Eqs 15-26; corrected in docs/theory]. zeta = sigma0 z is the bristles' elastic force.
 *
 *     s    = exp(-|v|^2/v_S^2);   f_C = mu_k f_N dir(v)
 *     F    = s (zeta + sigma1 v) + (1 - s) f_C                  the paper's sigma0 z + sigma1 z' (15, 22)        (9.5)
 *     f    = F cut to |f| <= f_N (mu_k + (mu_s - mu_k) s_dw);   force on b: -(f + sigma2 v)
 *     s_dw' = (s - s_dw)/tau_dw while it grows, (s - s_dw) sigma0/sigma1 while it falls
 *     literal   z' = (F - zeta)/sigma1:   z goes on growing behind a force that is cut, and drives friction with the
 * old sign for a while when the motion turns: that makes energy none      z' = c (f - zeta)/sigma1: z follows the force
 * that acts. c = 1, or less where the spring would gain more than friction takes from the motion, so that (9.6) loss =
 * f.v - zeta.z' >= 0
 *
 * For f.v < 0 (the spring gives back) that holds by itself: zeta.v < 0, then sigma1 loss >= |zeta|^2 (1 - s). */
#include "laws/compliance.h"

static const char *const WINDUP[] = {"none", "literal", NULL};

const BrLawInfo bri_law_dwell = {
    .name = "dwell",
    .kind = BR_LAW_FRICTION,
    .reference = "Gonthier, McPhee, Lange, Piedboeuf 2004",
    .help = "bristles; static friction grows while the surfaces rest on each other",
    .compliant = true,
    .parameters = 9,
    .parameter = {
        [BRI_DWELL_MU_S] = {"mu_s", "", __builtin_nan(""), 0, 1e6, NULL,
                            "static coefficient after a long rest, >= mu_k"},
        [BRI_DWELL_MU_K] = {"mu_k", "", __builtin_nan(""), 0, 1e6, NULL, "coefficient of sliding friction"},
        [BRI_DWELL_SIGMA_0] = {"sigma_0", "N/m", 1e5, 1e-9, 1e15, NULL, "stiffness of the bristles"},
        [BRI_DWELL_SIGMA_1] = {"sigma_1", "N s/m", 316.22776601683795, 1e-12, 1e15, NULL, "damping of the bristles"},
        [BRI_DWELL_SIGMA_2] = {"sigma_2", "N s/m", 0, 0, 1e15, NULL, "viscous friction"},
        [BRI_DWELL_V_S] = {"v_s", "m/s", 0.01, 1e-12, 1e6, NULL, "slip at which stick turns into slide (Stribeck)"},
        [BRI_DWELL_TAU] = {"tau_dw", "s", 1, 1e-9, 1e9, NULL, "time in which static friction grows"},
        [BRI_DWELL_V_EPS] = {"v_eps", "m/s", 0, 0, 1e6, NULL,
                             "slip below which the direction of sliding is smoothed; 0: v_s/100"},
        [BRI_DWELL_WINDUP] = {"windup", "", BRI_WINDUP_NONE, 0, 1, WINDUP,
                              "literal: bristles go on bending when their force is cut, as in the paper"}}};

/* v/|v|, smooth where it is slow. */
static BrVec3 find_direction(BrVec3 v, double slow) {
    double speed = bri_norm(v), part = speed / slow;
    return bri_scale(speed >= slow ? 1 / speed : (1.5 - 0.5 * part * part) / slow, v);
}

BriFrictionAnswer bri_dwell_answer(const BrLaw *law, double normal, BrVec3 v, const BriContactMemory *memory) {
    const double *p = law->value;
    double sigma0 = p[BRI_DWELL_SIGMA_0], sigma1 = p[BRI_DWELL_SIGMA_1], v_s = p[BRI_DWELL_V_S];
    double v_eps = p[BRI_DWELL_V_EPS] > 0 ? p[BRI_DWELL_V_EPS] : 0.01 * v_s;
    double s = bri_exp(-bri_dot(v, v) / (v_s * v_s));
    BrVec3 zeta = bri_scale(sigma0, memory->z), slide = bri_scale(p[BRI_DWELL_MU_K] * normal, find_direction(v, v_eps));
    BrVec3 F = bri_add(bri_scale(s, bri_add_scaled(zeta, sigma1, v)), bri_scale(1 - s, slide));
    double most = normal * (p[BRI_DWELL_MU_K] + (p[BRI_DWELL_MU_S] - p[BRI_DWELL_MU_K]) * memory->dwell);
    double size = bri_norm(F);
    BrVec3 f = size > most ? bri_scale(most / size, F) : F;

    bool literal = p[BRI_DWELL_WINDUP] == BRI_WINDUP_LITERAL;
    BrVec3 z_rate = bri_scale(1 / sigma1, bri_sub(literal ? F : f, zeta));
    double taken = bri_dot(f, v), gained = bri_dot(zeta, z_rate);
    if (!literal && taken >= 0 && gained > taken) {
        z_rate = bri_scale(taken / gained, z_rate);
        gained = taken;
    }
    double pace = s >= memory->dwell ? 1 / p[BRI_DWELL_TAU] : sigma0 / sigma1;
    return (BriFrictionAnswer){.force = bri_scale(-1, bri_add_scaled(f, p[BRI_DWELL_SIGMA_2], v)),
                               .z_rate = z_rate,
                               .dwell_rate = pace * (s - memory->dwell),
                               .stored = 0.5 * sigma0 * bri_dot(memory->z, memory->z),
                               .loss = taken - gained + p[BRI_DWELL_SIGMA_2] * bri_dot(v, v),
                               .slides = size > most || s < 0.5};
}
