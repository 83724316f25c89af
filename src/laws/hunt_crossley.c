/* hunt_crossley.c: damping in proportion to the elastic force, so that it starts and ends at zero:
 *     f_N = max(0, k delta^p (1 + 3/2 alpha delta'))                                                             (9.4)
 * The restitution is 1 - alpha v_i for slow impacts, and more than that for fast ones. */
#include "laws/laws.h"

const BrLawInfo bri_law_hunt_crossley = {
    .name = "hunt-crossley",
    .kind = BR_LAW_NORMAL,
    .reference = "Hunt, Crossley 1975",
    .help = "k depth^p (1 + 3/2 alpha rate): restitution about 1 - alpha v for slow impacts",
    .compliant = true,
    .parameters = 3,
    .parameter = {
        [BRI_HC_STIFFNESS] = {"stiffness", "N/m^p", 0, 0, 1e18, NULL, "k; 0: Hertz's, from E and nu of the materials"},
        [BRI_HC_EXPONENT] = {"exponent", "", 1.5, 1, 5, NULL, "p; 1.5 for round bodies (Hertz)"},
        [BRI_HC_ALPHA] = {"alpha", "s/m", 0, 0, 1e6, NULL, "loss of restitution per impact speed"}}};
