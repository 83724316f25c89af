/* rigid.c: no overlap, and what an impact gives back (Signorini; restitution after Newton, Poisson or Stronge).
 *     newton      u_N' >= -e u_N: the speed comes back; lowered where that would make kinetic energy
 *     poisson     e of the normal impulse of compression comes back
 *     energetic   e^2 of the work that the normal impulse took in compression comes back */
#include "laws/laws.h"

enum { E, HYPOTHESIS };
static const char *const HYPOTHESES[] = {
    [BRI_NEWTON] = "newton", [BRI_POISSON] = "poisson", [BRI_ENERGETIC] = "energetic", NULL};

static double find_restitution(const BrLaw *law, double speed) { return (void)speed, law->value[E]; }
static BriHypothesis find_hypothesis(const BrLaw *law) { return (BriHypothesis)law->value[HYPOTHESIS]; }

const BriLaw bri_law_rigid = {
    .info = {.name = "rigid",
             .kind = BR_LAW_NORMAL,
             .reference = "Signorini; Moreau 1988",
             .help = "bodies do not overlap; impacts by a coefficient of restitution",
             .parameters = 2,
             .parameter = {[E] = {"restitution", "", 0, 0, 1, NULL,
                                  "speed (or impulse, or root of the work) that comes back, 0 to 1"},
                           [HYPOTHESIS] = {"hypothesis", "", BRI_NEWTON, 0, 2, HYPOTHESES,
                                           "newton: e is of speeds; poisson: of impulses; energetic: e^2 is of work"}}},
    .restitution = find_restitution,
    .hypothesis = find_hypothesis};
