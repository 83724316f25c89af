/* rigid.c: no overlap, and what an impact gives back (Signorini; restitution after Newton or Poisson).
 *     newton    u_N' >= -e u_N: the speed comes back; lowered where that would make kinetic energy
 *     poisson   the impulse comes back: compression is solved with e = 0, then e times its impulse is given again */
#include "laws/laws.h"

enum { E, HYPOTHESIS };
enum { NEWTON, POISSON };
static const char *const HYPOTHESES[] = {"newton", "poisson", NULL};

static BriRestitution find_restitution(const BrLaw *law) {
    return (BriRestitution){law->value[E], law->value[HYPOTHESIS] == POISSON};
}

const BriLaw bri_law_rigid = {
    .info = {.name = "rigid",
             .kind = BR_LAW_NORMAL,
             .reference = "Signorini; Moreau 1988",
             .help = "bodies do not overlap; impacts by a coefficient of restitution",
             .parameters = 2,
             .parameter = {[E] = {"restitution", "", 0, 0, 1, NULL, "speed (or impulse) that comes back, 0 to 1"},
                           [HYPOTHESIS] = {"hypothesis", "", NEWTON, 0, 1, HYPOTHESES,
                                           "newton: of speeds; poisson: of impulses"}}},
    .rigid_normal = {find_restitution}};
