/* coulomb_compliant.c: Coulomb's law behind a tangential spring and damper [Song 2000, section 3].
 *
 *     F = k z + c v;   |F| <= mu f_N: sticks, f = F, z' = v
 *                      else: slides, f = mu f_N F/|F|, z' = (f - k z)/c                                          (9.7)
 *
 * Force on b: -f. loss = f.v - k z.z' = (f.(F - f) + |f - k z|^2)/c >= 0. */
#include "laws/compliance.h"

const BrLawInfo bri_law_coulomb_compliant = {
    .name = "coulomb-compliant",
    .kind = BR_LAW_FRICTION,
    .reference = "Song, Kraus, Kumar, Dupont 2000",
    .help = "dry friction behind a tangential spring and damper",
    .compliant = true,
    .parameters = 3,
    .parameter = {[BRI_CC_MU] = {"mu", "", __builtin_nan(""), 0, 1e6, NULL, "coefficient of friction"},
                  [BRI_CC_STIFFNESS] = {"stiffness", "N/m", __builtin_nan(""), 1e-9, 1e18, NULL, "k, tangential"},
                  [BRI_CC_DAMPING] = {"damping", "N s/m", __builtin_nan(""), 1e-12, 1e18, NULL, "c, tangential"}}};

BriFrictionAnswer bri_coulomb_compliant_answer(const BrLaw *law, double normal, BrVec3 v,
                                               const BriContactMemory *memory) {
    double k = law->value[BRI_CC_STIFFNESS], c = law->value[BRI_CC_DAMPING], most = law->value[BRI_CC_MU] * normal;
    BrVec3 spring = bri_scale(k, memory->z), F = bri_add_scaled(spring, c, v);
    double size = bri_norm(F);
    BrVec3 f = size > most ? bri_scale(most / size, F) : F;
    BrVec3 z_rate = size > most ? bri_scale(1 / c, bri_sub(f, spring)) : v;
    return (BriFrictionAnswer){.force = bri_scale(-1, f),
                               .z_rate = z_rate,
                               .stored = 0.5 * k * bri_dot(memory->z, memory->z),
                               .loss = bri_dot(f, v) - bri_dot(spring, z_rate),
                               .slides = size > most};
}
