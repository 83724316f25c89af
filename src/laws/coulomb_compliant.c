/* coulomb_compliant.c: Coulomb's law behind a tangential spring and damper [Song 2000, section 3].
 *
 *     F = k z + c v;   |F| <= mu f_N: sticks, f = F, z' = v
 *                      else: slides, f = mu f_N F/|F|, z' = (f - k z)/c                                          (9.7)
 *
 * Force on b: -f. loss = f.v - k z.z' = (f.(F - f) + |f - k z|^2)/c >= 0. */
#include "laws/laws.h"

enum { MU, STIFFNESS, DAMPING };

static BrFrictionAnswer answer(const BrLaw *law, double normal, BrVec3 v, const double *memory, double *memory_rate) {
    double k = law->value[STIFFNESS], c = law->value[DAMPING], most = law->value[MU] * normal;
    BrVec3 z = bri_vec(memory[0], memory[1], memory[2]), spring = bri_scale(k, z), F = bri_add_scaled(spring, c, v);
    double size = bri_norm(F);
    BrVec3 f = size > most ? bri_scale(most / size, F) : F;
    BrVec3 z_rate = size > most ? bri_scale(1 / c, bri_sub(f, spring)) : v;
    memory_rate[0] = z_rate.x, memory_rate[1] = z_rate.y, memory_rate[2] = z_rate.z;
    return (BrFrictionAnswer){.force = bri_scale(-1, f),
                              .stored = 0.5 * k * bri_dot(z, z),
                              .loss = bri_dot(f, v) - bri_dot(spring, z_rate),
                              .slides = size > most};
}

static double find_limit(const BrLaw *law, const double *memory) { return (void)memory, law->value[MU]; }

static BrStick find_stick(const BrLaw *law, double normal) {
    double k = law->value[STIFFNESS], c = law->value[DAMPING];
    (void)normal;
    return (BrStick){k, c, k / c, "the tangential stiffness in stick", "the tangential damping in stick"};
}

const BriLaw bri_law_coulomb_compliant = {
    .info = {.name = "coulomb-compliant",
             .kind = BR_LAW_FRICTION,
             .reference = "Song, Kraus, Kumar, Dupont 2000",
             .help = "dry friction behind a tangential spring and damper",
             .compliant = true,
             .parameters = 3,
             .parameter = {[MU] = {"mu", "", __builtin_nan(""), 0, 1e6, NULL, "coefficient of friction"},
                           [STIFFNESS] = {"stiffness", "N/m", __builtin_nan(""), 1e-9, 1e18, NULL, "k, tangential"},
                           [DAMPING] = {"damping", "N s/m", __builtin_nan(""), 1e-12, 1e18, NULL, "c, tangential"}},
             .memories = 1,
             .memory = {{.name = "deflection",
                         .symbol = "z",
                         .unit = "m",
                         .tangent = true,
                         .lowest = -BRI_MOST_BEND,
                         .highest = BRI_MOST_BEND,
                         .help = "of the tangential spring, along the slip"}}},
    .friction = {answer, find_limit, find_stick}};
