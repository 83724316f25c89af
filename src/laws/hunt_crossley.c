/* hunt_crossley.c: damping in proportion to the elastic force, so that it starts and ends at zero:
 *     f_N = max(0, k delta^p (1 + 3/2 alpha delta'))                                                             (9.4)
 * The restitution is 1 - alpha v_i for slow impacts, and more than that for fast ones. */
#include "laws/laws.h"

enum { STIFFNESS, EXPONENT, ALPHA };

static BrPower find_power(const BrLaw *law) { return (BrPower){law->value[STIFFNESS], law->value[EXPONENT]}; }

static double find_damping(const BrLaw *law, const double *memory) { return (void)memory, 1.5 * law->value[ALPHA]; }

static BrNormalAnswer answer(const BrLaw *law, double k, const double *memory, double depth, double rate,
                             double *memory_rate) {
    (void)memory_rate;
    return bri_power_answer((BrPower){k, law->value[EXPONENT]}, find_damping(law, memory), depth, rate);
}

static double find_viscosity(const BrLaw *law, double k, const double *memory, double depth) {
    return bri_power_viscosity((BrPower){k, law->value[EXPONENT]}, find_damping(law, memory), depth);
}

const BriLaw bri_law_hunt_crossley = {
    .info = {.name = "hunt-crossley",
             .kind = BR_LAW_NORMAL,
             .reference = "Hunt, Crossley 1975",
             .help = "k depth^p (1 + 3/2 alpha rate): restitution about 1 - alpha v for slow impacts",
             .compliant = true,
             .parameters = 3,
             .parameter = {[STIFFNESS] = {"stiffness", "N/m^p", 0, 0, 1e18, NULL,
                                          "k; 0: Hertz's, from E and nu of the materials"},
                           [EXPONENT] = {"exponent", "", 1.5, 1, 5, NULL, "p; 1.5 for round bodies (Hertz)"},
                           [ALPHA] = {"alpha", "s/m", 0, 0, 1e6, NULL, "loss of restitution per impact speed"}}},
    .normal = {find_power, answer, find_viscosity, find_damping}};
