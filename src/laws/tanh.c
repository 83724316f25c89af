/* tanh.c: friction as a smooth function of the slip [Song 2000, Eq. 38]:
 *     force on b: -mu f_N tanh(|v|/gamma) v/|v|                                                                  (9.8)
 * It cannot stick: under a load below mu f_N it creeps with gamma atanh(f/(mu f_N)). Rigid contact has the same law, the
 * slip and the normal force being found together (7.50). */
#include "laws/laws.h"

enum { MU, GAMMA };

static BrFrictionAnswer answer(const BrLaw *law, double normal, BrVec3 v, const double *memory, double *memory_rate) {
    double speed = bri_norm(v), gamma = law->value[GAMMA], most = law->value[MU] * normal;
    const double LINEAR = 1e-8; /* of gamma: tanh x = x to rounding, and no division by zero */
    double slope = speed > LINEAR * gamma ? bri_tanh(speed / gamma) / speed : 1 / gamma;
    (void)memory, (void)memory_rate;
    return (BrFrictionAnswer){
        .force = bri_scale(-most * slope, v), .loss = most * slope * speed * speed, .slides = speed > gamma};
}

static double find_limit(const BrLaw *law, const double *memory) { return (void)memory, law->value[MU]; }

static BrStick find_stick(const BrLaw *law, double normal) {
    static const char WHAT[] = "mu f_N/gamma at rest";
    return (BrStick){.viscosity = law->value[MU] * normal / law->value[GAMMA], .swings = WHAT, .decays = WHAT};
}

static double find_static(const BrLaw *law) { return law->value[MU]; }
static double find_kinetic(const BrLaw *law, double speed) { return (void)speed, law->value[MU]; }
static double find_width(const BrLaw *law) { return law->value[GAMMA]; }

const BriLaw bri_law_tanh = {
    .info = {.name = "tanh",
             .kind = BR_LAW_FRICTION,
             .reference = "Song, Kraus, Kumar, Dupont 2000",
             .help = "dry friction smoothed over slow slips; creeps where it should stick",
             .compliant = true,
             .rigid = true,
             .joints = true,
             .parameters = 2,
             .parameter = {[MU] = {"mu", "", __builtin_nan(""), 0, 1e6, NULL, "coefficient of friction"},
                           [GAMMA] = {"gamma", "m/s", 1e-3, 1e-12, 1e6, NULL, "slip over which friction builds up"}}},
    .dry = {.holds = find_static, .slides = find_kinetic, .width = find_width},
    .friction = {answer, find_limit, find_stick}};
