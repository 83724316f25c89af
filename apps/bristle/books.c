/* books.c: see books.h; docs/recordings.md tells the rule. */
#include "books.h"

#include <math.h>

const double MANY_TOLERANCES = 1e6, MUCH_ENERGY = 0.5;
static const double LIFT = 1e-3;  /* m: to lift all weights by this is no turnover, but what projections may do */
static const double STILL = 1e-6; /* m/s: nobody calls that a motion */

void weigh_bodies(Books *b, const BrModel *model) {
    BrVec3 g = br_model_gravity(model);
    b->mass = 0;
    for (int i = 0; i < br_model_body_count(model); i++) {
        const BrBodyDef *def = br_body_def(model, br_model_body(model, i));
        if (def->kind == BR_BODY_DYNAMIC) b->mass += def->mass;
    }
    b->weight = b->mass * sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
}

void note_books(Books *b, const BrEnergy *energy) {
    b->last = *energy;
    double made = fmax(0, find_defect(b)); /* is no turnover: it would excuse itself */
    b->most_kinetic = fmax(b->most_kinetic, energy->kinetic - made);
    b->most_work = fmax(b->most_work, fabs(energy->work));
}

double find_defect(const Books *b) { return b->last.defect - b->corrected; }

/* Largest kinetic energy of what was not made by errors, largest work put in (a load that is lifted and let down again was
 * turned over too) and energy lost; and what rounding and small lifts may amount to. */
double find_turnover(const Books *b) {
    double rounding = 1e-9 * (fabs(b->last.potential) + fabs(b->last.stored));
    return b->most_kinetic + b->most_work + fabs(b->last.dissipated) + b->weight * LIFT + b->mass * STILL * STILL +
           rounding;
}

bool are_off(const Books *b) { return !(fabs(find_defect(b)) <= MUCH_ENERGY * find_turnover(b)); }
