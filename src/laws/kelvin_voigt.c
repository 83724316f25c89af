/* kelvin_voigt.c: a linear spring and damper, pushing only:
 *     f_N = max(0, k delta + c(delta) delta'),   c(delta) = c min(1, delta/ramp)                                 (9.3)
 * The damper builds up over the depth `ramp`: at once it would push with c v at the very touch. */
#include "laws/laws.h"

const BrLawInfo bri_law_kelvin_voigt = {
    .name = "kelvin-voigt",
    .kind = BR_LAW_NORMAL,
    .reference = "Kelvin; Voigt 1892",
    .help = "a linear spring and damper that do not pull",
    .compliant = true,
    .parameters = 3,
    .parameter = {[BRI_KV_STIFFNESS] = {"stiffness", "N/m", __builtin_nan(""), 1e-9, 1e18, NULL, "k"},
                  [BRI_KV_DAMPING] = {"damping", "N s/m", 0, 0, 1e18, NULL, "c"},
                  [BRI_KV_RAMP] = {"ramp", "m", 1e-6, 1e-12, 1, NULL, "depth over which the damper builds up"}}};
