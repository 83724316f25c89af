/* verdict.c: when a run that came to its end has failed all the same (docs/recordings.md): its joints' rates were off
 * by a million tolerances in some step, or its energy books are off by half of what was turned over, beside what taking
 * back overlaps that were there before put in. */
#include "run.h"

#include <math.h>

static const double MANY_TOLERANCES = 1e6, MUCH_ENERGY = 0.5;
static const double LIFT = 1e-3;  /* m: to lift all weights by this is no turnover, but what projections may do */
static const double STILL = 1e-6; /* m/s: nobody calls that a motion */

void note_rates(Run *r, const BrStepReport *report) {
    double over = report->velocity_residual / report->velocity_tolerance;
    r->verdict.corrected += report->corrected;
    if (!(over > r->verdict.over)) return;
    r->verdict.over = over;
    r->verdict.rate = report->velocity_residual;
    r->verdict.joint = report->worst_joint;
    r->verdict.time = br_state_time(r->l.state);
}

void note_energy(Run *r) {
    BrEnergy e;
    br_state_energy(r->l.model, r->l.state, &e);
    double made = fmax(0, e.defect - r->verdict.corrected); /* is no turnover: it would excuse itself */
    r->verdict.most_kinetic = fmax(r->verdict.most_kinetic, e.kinetic - made);
}

/* Largest kinetic energy of what was not made by errors, work put in and energy lost, J; and what rounding and small lifts may amount to. */
static double find_turnover(const Run *r, const BrEnergy *e) {
    BrVec3 g = br_model_gravity(r->l.model);
    double mass = 0, weight = sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
    for (int i = 0; i < br_model_body_count(r->l.model); i++) {
        const BrBodyDef *def = br_body_def(r->l.model, br_model_body(r->l.model, i));
        if (def->kind == BR_BODY_DYNAMIC) mass += def->mass;
    }
    double rounding = 1e-9 * (fabs(e->potential) + fabs(e->stored));
    return r->verdict.most_kinetic + fabs(e->work) + fabs(e->dissipated) + mass * weight * LIFT + mass * STILL * STILL +
           rounding;
}

bool has_failed(Run *r, char *why, size_t size) {
    BrEnergy e;
    note_energy(r);
    br_state_energy(r->l.model, r->l.state, &e);
    double turnover = find_turnover(r, &e);
    bool torn = r->verdict.over > MANY_TOLERANCES,
         made = !(fabs(e.defect - r->verdict.corrected) <= MUCH_ENERGY * turnover);
    if (made)
        snprintf(why, size, "its energy books are off by %.3g J, and it turned over %.3g J", e.defect, turnover);
    else if (torn) {
        const BrJointDef *def = br_joint_def(r->l.model, r->verdict.joint);
        snprintf(why, size, "the rates of joint '%s' were off by %.2g m/s at t = %.6g s", def ? def->name : "?",
                 r->verdict.rate, r->verdict.time);
    }
    return torn || made;
}
