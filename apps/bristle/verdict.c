/* verdict.c: when a run that came to its end has failed all the same (docs/recordings.md): its joints' rates were off
 * by a million tolerances in some step, or its energy books are off by half of what was turned over, beside what taking
 * back overlaps that were there before put in. */
#include "run.h"

void note_rates(Run *r, const BrStepReport *report) {
    double over = report->velocity_residual / report->velocity_tolerance;
    r->verdict.books.corrected += report->corrected;
    if (!(over > r->verdict.over)) return;
    r->verdict.over = over;
    r->verdict.rate = report->velocity_residual;
    r->verdict.joint = report->worst_joint;
    r->verdict.time = br_state_time(r->l.state);
}

void note_energy(Run *r) {
    BrEnergy e;
    br_state_energy(r->l.model, r->l.state, &e);
    note_books(&r->verdict.books, &e);
}

bool has_failed(Run *r, char *why, size_t size) {
    Books *b = &r->verdict.books;
    note_energy(r);
    weigh_bodies(b, r->l.model);
    bool torn = r->verdict.over > MANY_TOLERANCES, made = are_off(b);
    if (made)
        snprintf(why, size, "its energy books are off by %.3g J, and it turned over %.3g J", b->last.defect,
                 find_turnover(b));
    else if (torn) {
        const BrJointDef *def = br_joint_def(r->l.model, r->verdict.joint);
        snprintf(why, size, "the rates of joint '%s' were off by %.2g m/s at t = %.6g s", def ? def->name : "?",
                 r->verdict.rate, r->verdict.time);
    }
    return torn || made;
}
