/* passive.c: answers that were not found to the end make no energy.
 *
 * Where the contacts' budget ends, the best impulses so far stand, or even those of the last step, and nothing says that
 * they are dissipative. v0: velocities with joints and motors pushing, but no contact; v' with contacts too; r: their
 * impulses, u = E v. What they do to the kinetic energy of an island is
 *     r . (u0 + u')/2  =  r . u0 + r . W r/2,                                                               (7.40)
 * which of true answers is not positive. A part s of r does s r . u0 + s^2 r . W r/2: where all of r makes energy, only
 *     s = -2 r . u0/(r . (u' - u0))  or, if r . u0 > 0, 0                                                    (7.41)
 * of it is taken, which makes none. It stays in its cones. */
#include "base/threads.h"
#include "contact/units.h"

#include <string.h>

/* Motors may put energy in. */
static bool is_passive(const BriContacts *c, const BriUnit *unit) {
    return unit->contact >= 0 || c->bound[-1 - unit->contact].kind != BRI_BOUND_MOTOR;
}

/* What the surface that runs over a body, seen along the push of a row, adds to u; m/s. */
static double find_belt(const BriContact *contact, int row) {
    if (row > 2 || (row > 0 && contact->ask.one_row)) return 0; /* moments */
    BrVec3 push = bri_column(bri_push_frame(contact), row);
    if (contact->ask.one_row) push = bri_add_scaled(push, -contact->ask.drag, contact->ask.direction);
    return bri_dot(contact->at.belt, push);
}

/* r . u of a unit, J, its impulses being `r`. */
static double find_power(const BriContacts *c, const BriUnit *unit, const double *r, const BriBodyState *bodies) {
    const BriContact *contact = unit->contact >= 0 ? &c->contact[unit->contact] : NULL;
    double room[BRI_UNIT_NUMBERS], sum = 0;
    const double *E = bri_unit_directions(c, unit, room);
    for (int i = 0; i < unit->rows; i++) {
        double rate = bri_unit_rate(unit, E + BRI_ROW * i, bodies);
        sum += r[unit->row + i] * (rate + (contact ? find_belt(contact, i) : 0));
    }
    return sum;
}

/* (7.41) */
static double find_part(double before, double after) {
    if (!(before + after > 0)) return 1;
    return before < 0 ? -2 * before / (after - before) : 0;
}

/* A loop over units. */
typedef struct Loop {
    const BriContacts *contacts;
    const BriBodyState *bodies;
    double *power; /* at each unit's first row */
} Loop;

static void find_powers(void *loop, const BriShare *share) {
    const Loop *l = loop;
    const BriContacts *c = l->contacts;
    for (int k = share->begin; k < share->end; k++)
        if (is_passive(c, &c->unit[k])) l->power[c->unit[k].row] = find_power(c, &c->unit[k], c->q, l->bodies);
}

/* c->r of an island from its impulses in c->q. At each unit's first row their power r . u0 stands in c->r, and r . u' in
 * c->u. true: nothing had to be taken off. */
static bool leave_part(BriContacts *c, const BriIsland *island) {
    double before = 0, after = 0;
    for (int k = island->begin; k < island->end; k++) {
        if (!is_passive(c, &c->unit[k])) continue;
        before += c->r[c->unit[k].row];
        after += c->u[c->unit[k].row];
    }
    double part = find_part(before, after);
    for (int k = island->begin; k < island->end; k++)
        for (int i = c->unit[k].row; is_passive(c, &c->unit[k]) && i < c->unit[k].row + c->unit[k].rows; i++)
            c->r[i] = part * c->q[i];
    return part == 1;
}

bool bri_units_keep_energy(BriStep *step, const BriSpan *span) {
    BriContacts *c = step->ws->contacts;
    bool joints = step->model->joints > 0, all = true;
    size_t rows = 0;
    for (int k = 0; k < c->units; k++) rows += (size_t)c->unit[k].rows;
    memcpy(c->q, c->r, rows * sizeof *c->r); /* q is scratch now */
    bri_share(step->def->threads, c->units, find_powers, &(Loop){c, span->bodies, c->u});
    for (int k = 0; joints && k < c->units; k++)
        if (is_passive(c, &c->unit[k])) memset(c->r + c->unit[k].row, 0, (size_t)c->unit[k].rows * sizeof *c->r);
    if (joints) bri_units_push(step, span);
    bri_share(step->def->threads, c->units, find_powers, &(Loop){c, joints ? span->bodies : c->free, c->r});
    for (int begin = 0; begin < c->units;) {
        BriIsland island = bri_island_at(c, begin);
        all = leave_part(c, &island) && all;
        begin = island.end;
    }
    if (all && !joints) return false; /* bodies are as they were */
    bri_units_push(step, span);
    return true;
}
