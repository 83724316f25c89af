/* contact_forces.c: contacts at the level of accelerations: u' = C a + d/dt(C) v, and forces instead of impulses.
 *     lambda: a contact that sticks keeps u' = 0 inside its cone, one that slides drags with mu lambda_N,
 *             one that separates does nothing.                                                                  (7.9)
 */
#include "contact/contact.h"

#include <string.h>

/* out += weight (C v + belt) with contacts at `bodies`; rows is scratch. */
static void add_rates(BriStep *step, const BriBodyState *bodies, double weight, double *rows, double *out) {
    BriContacts *c = step->ws->contacts;
    bri_contacts_move(step, bodies);
    bri_contacts_rows(step, bodies, rows);
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        for (int i = 0; i < 3; i++, rows += BRI_ROW)
            *out++ +=
                weight * (bri_row_rate(rows, &bodies[contact->at.a]) + bri_row_rate(rows + 6, &bodies[contact->at.b]) +
                          bri_dot(bri_column(&contact->at.frame, i), contact->at.belt));
    }
    for (int k = 0; k < c->bounds; k++, rows += BRI_ROW) {
        const BriJoint *j = &step->model->joint[c->bound[k].joint];
        *out++ += weight * (bri_row_rate(rows, &bodies[j->a]) + bri_row_rate(rows + 6, &bodies[j->b]));
    }
}

void bri_contacts_bias(BriStep *step, const BriBodyState *bodies, double time, double *bias) {
    static const double WEIGHT[4] = {1, -8, 8, -1}, AT[4] = {-2, -1, 1, 2};
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    BriBodyState *near = step->ws->impact_start;
    double spin = 0;
    for (int i = 0; i < m->bodies; i++) spin = bri_max(spin, bri_norm(bodies[i].w));
    double e = 1e-3 / (1 + spin); /* s: curvature over e^4 and rounding over e are both below 1e-11 of the rates */
    memset(bias, 0, (size_t)(3 * c->count + c->bounds) * sizeof(double));
    for (int k = 0; k < 4; k++) {
        memcpy(near, bodies, (size_t)m->bodies * sizeof *near);
        bri_move(m, bodies, bodies, time, AT[k] * e, near);
        add_rates(step, near, WEIGHT[k] / (12 * e), c->ME, bias);
    }
    bri_contacts_move(step, bodies);
}

/* Who takes part, and how; `slip` of each contact is known. */
static void choose_modes(BriContacts *c) {
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        double speed = bri_norm(contact->mode.slip);
        contact->ask.bounded = false;
        contact->ask.active = contact->mode.closed;
        contact->ask.one_row = contact->mode.sliding;
        contact->ask.drag = contact->mode.mu;
        contact->got.p[0] = contact->got.p[1] = contact->got.p[2] = 0;
        contact->got.push = bri_vec(0, 0, 0);
        if (contact->mode.sliding && speed > BRI_SLIP)
            contact->mode.direction = bri_scale(1 / speed, contact->mode.slip);
    }
}

/* q of every unit: what its rows' rates do without contact forces. */
static void fill_free_rates(const BriStep *step, const double *a) {
    BriContacts *c = step->ws->contacts;
    const BrModel *m = step->model;
    for (int k = 0; k < c->units; k++) {
        const BriUnit *unit = &c->unit[k];
        int ends[2] = {unit->a, unit->b};
        for (int r = 0; r < unit->rows; r++) {
            double sum = c->bias[unit->first + r];
            for (int e = 0; e < 2; e++)
                for (int i = 0; m->body[ends[e]].node >= 0 && i < 6; i++)
                    sum += c->C[BRI_ROW * (unit->first + r) + 6 * e + i] * a[6 * ends[e] + i];
            c->q[unit->row + r] = sum;
        }
    }
}

/* Slides along a known direction may have no answer (Painleve); as cones they have one. true: some became cones. */
static bool free_directions(BriContacts *c) {
    bool changed = false;
    for (int k = 0; k < c->count; k++) {
        changed = changed || (c->contact[k].ask.active && c->contact[k].ask.one_row);
        c->contact[k].ask.one_row = false;
    }
    return changed;
}

bool bri_contacts_accelerate(BriStep *step, const BriBodyState *bodies, double time, bool modes_fixed, double *a,
                             double *lambda) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    bool fine = true;
    choose_modes(c);
    bri_contacts_bias(step, bodies, time, c->bias);
    bri_contacts_same_rows(step, bodies);
    bri_units_prepare(step);
    fill_free_rates(step, a);
    if (modes_fixed) {
        for (int k = 0; k < c->units; k++)
            for (int r = 0; r < c->unit[k].rows; r++) c->r[c->unit[k].row + r] = -c->q[c->unit[k].row + r];
        bri_units_solve_linear(step);
    } else {
        fine = bri_units_solve_cones(step);
        if (!fine && free_directions(c)) {
            bri_units_prepare(step);
            fill_free_rates(step, a);
            bri_units_solve_cones(step);
        }
    }
    bri_units_read(c);
    const double *x = bri_units_spread(step, c->r);
    for (int n = 0; n < m->moving; n++)
        for (int i = 0; i < 6; i++) a[6 * m->moving_body[n] + i] += x[6 * n + i];
    for (int r = 0; r < m->rows; r++) lambda[r] -= x[6 * m->moving + r];
    return fine;
}
