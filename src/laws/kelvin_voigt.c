/* kelvin_voigt.c: a linear spring and damper, pushing only:
 *     f_N = max(0, k delta + c(delta) delta'),   c(delta) = c min(1, delta/ramp)                                 (9.3)
 * The damper builds up over the depth `ramp`: at once it would push with c v at the very touch. */
#include "laws/laws.h"

enum { STIFFNESS, DAMPING, RAMP };

static BrPower find_power(const BrLaw *law) { return (BrPower){law->value[STIFFNESS], 1}; }

static double find_viscosity(const BrLaw *law, double k, const double *memory, double depth) {
    (void)k, (void)memory;
    return law->value[DAMPING] * bri_min(1, depth / law->value[RAMP]);
}

static BrNormalAnswer answer(const BrLaw *law, double k, const double *memory, double depth, double rate,
                             double *memory_rate) {
    (void)memory_rate;
    double elastic = k * depth, force = elastic + find_viscosity(law, k, memory, depth) * rate;
    if (!(force > 0)) force = 0;
    return (BrNormalAnswer){.force = force, .stored = elastic * depth / 2, .loss = (force - elastic) * rate};
}

/* Of another form. */
static double find_damping(const BrLaw *law, const double *memory) { return (void)law, (void)memory, 0; }

const BriLaw bri_law_kelvin_voigt = {
    .info = {.name = "kelvin-voigt",
             .kind = BR_LAW_NORMAL,
             .reference = "Kelvin; Voigt 1892",
             .help = "a linear spring and damper that do not pull",
             .compliant = true,
             .parameters = 3,
             .parameter = {[STIFFNESS] = {"stiffness", "N/m", __builtin_nan(""), 1e-9, 1e18, NULL, "k"},
                           [DAMPING] = {"damping", "N s/m", 0, 0, 1e18, NULL, "c"},
                           [RAMP] = {"ramp", "m", 1e-6, 1e-12, 1, NULL, "depth over which the damper builds up"}}},
    .normal = {find_power, answer, find_viscosity, find_damping}};
