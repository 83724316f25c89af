/* rolling.c: Coulomb's friction, and moments that resist rolling and spinning:
 *     |f_T| <= mu f_N,   |m_R| <= mu_r f_N,   |m_S| <= mu_spin f_N                                              (7.32)
 * m_R (in the tangent plane) against the bodies' relative angular velocity there, m_S (along the normal) against that
 * about the normal; at rest each holds with whatever it takes, up to its bound. mu_r and mu_spin are lengths: the arm by
 * which the normal force runs ahead of a rolling body, and two thirds of the radius of a small patch, times mu, where
 * that is pressed evenly. */
#include "laws/laws.h"

enum { MU_R = BRI_DRY, MU_SPIN, PARAMETERS };

static double find_rolling(const BrLaw *law) { return law->value[MU_R]; }
static double find_spinning(const BrLaw *law) { return law->value[MU_SPIN]; }

const BriLaw bri_law_rolling = {
    .info =
        {.name = "rolling",
         .kind = BR_LAW_FRICTION,
         .reference = "Coulomb 1785; Acary, Bourrier 2021",
         .help = "dry friction as coulomb, and resistance to rolling (mu_r) and spinning (mu_spin)",
         .parameters = PARAMETERS,
         .parameter =
             {BRI_DRY_PARAMETERS, [MU_R] = {"mu_r", "m", 0, 0, 1e6, NULL, "moment against rolling, per normal force"},
              [MU_SPIN] = {"mu_spin", "m", 0, 0, 1e6, NULL,
                           "moment against spinning about the normal, per normal force"}}},
    .unset = BRI_DRY_UNSET,
    .check = bri_check_dry,
    .dry = {.holds = bri_dry_static, .slides = bri_dry_kinetic, .rolls = find_rolling, .spins = find_spinning}};
