/* bounded.c: friction whose two rows have bounds of their own, of the box and of laws that bring rows: what the
 * bounds stand on. */
#include "contact/units.h"

/* The functions of a friction law that brings rows of its own; NULL: the friction set's. */
static const BriRowsLaw *find_rows(const BriContact *c) {
    const BriRowsLaw *law = &bri_law_record(&c->at.surface->laws.friction)->bounded;
    return law->rows ? law : NULL;
}

bool bri_mark_bounded(const BriStep *step) {
    BriContacts *c = step->ws->contacts;
    c->has_bounded = false;
    for (int k = 0; c->has_limits && k < c->count; k++) { /* else none was ever marked */
        BriContact *contact = &c->contact[k];
        bool box = step->def->friction_set == BR_FRICTION_BOX;
        contact->ask.limited = contact->ask.bounded = contact->ask.active && (box || find_rows(contact));
        if (contact->ask.limited) contact->ask.limits = &c->limits[k];
        c->has_bounded = c->has_bounded || contact->ask.bounded;
    }
    return c->has_bounded;
}

void bri_limit_friction(const BriStep *step, double span, BriLimitBy by) {
    BriContacts *c = step->ws->contacts;
    double last = step->start->dt > 0 ? 1 / step->start->dt : 0;
    c->has_bounded = false;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        contact->ask.bounded = contact->ask.limited && by != BRI_LIMIT_BY_CONE;
        if (!contact->ask.bounded) continue;
        c->has_bounded = true;
        BrVec3 t1 = bri_column(&contact->at.frame, 1), t2 = bri_column(&contact->at.frame, 2);
        bool by_last = by == BRI_LIMIT_BY_LAST_STEP && contact->was.known;
        double normal = by_last ? last * bri_dot(contact->was.impulse, bri_normal(contact)) : contact->got.p[0] / span;
        if (!(normal > 0)) normal = 0; /* also -0, which would make a compliance of minus infinity */
        *contact->ask.limits = (BriFrictionRows){.axis = {1, 0}, .bound = span * contact->mode.mu * normal};
        if (!find_rows(contact)) continue;
        BriRowsAsked asked = {
            .h = span,
            .slip = {bri_dot(contact->mode.slip, t1), bri_dot(contact->mode.slip, t2)},
            .force = {last * bri_dot(contact->was.impulse, t1), last * bri_dot(contact->was.impulse, t2)},
            .normal = normal,
            .rigid = by == BRI_LIMIT_RIGIDLY};
        *contact->ask.limits = find_rows(contact)->rows(&contact->at.surface->laws.friction, &asked);
    }
}

void bri_turn_bounded(BriStep *step, const BriBodyState *bodies) {
    BriContacts *c = step->ws->contacts;
    bool turned = false;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        if (!contact->ask.bounded) continue;
        const double *axis = contact->ask.limits->axis;
        if (axis[0] == 1 && axis[1] == 0) continue;
        BrVec3 n = bri_normal(contact), t1 = bri_column(&contact->at.frame, 1), t2 = bri_column(&contact->at.frame, 2);
        BrVec3 t = bri_add(bri_scale(axis[0], t1), bri_scale(axis[1], t2));
        t = bri_scale(1 / bri_norm(t), t);
        contact->at.frame = bri_from_columns(n, t, bri_cross(n, t));
        turned = true;
    }
    if (turned) bri_contacts_same_rows(step, bodies);
}

int bri_count_limit_passes(const BriContacts *c) {
    enum { BOX_PASSES = 3 }; /* bounds mu p_N are those of the pass before */
    int most = 0;
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        if (!contact->ask.bounded) continue;
        const BriRowsLaw *law = find_rows(contact);
        int wanted = law ? law->passes(&contact->at.surface->laws.friction) : BOX_PASSES;
        most = wanted > most ? wanted : most;
    }
    return most;
}

/* What slip puts into the rows of laws, J: with the slip after the solve, -p.u, which is never more than the bodies
 * lose by p; negative while bristles give back (8.4). */
static double find_bending(const BriContact *c) {
    return -bri_dot(bri_tangential(c, c->got.push), bri_tangential(c, c->got.u));
}

bool bri_rows_overreach(const BriStep *step) {
    const double LITTLE = 1e-9; /* of the rows' power: what unconverged bounds leave */
    const BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        if (!contact->ask.bounded || !find_rows(contact)) continue;
        double scale =
            bri_norm(bri_tangential(contact, contact->got.push)) * bri_norm(bri_tangential(contact, contact->got.u));
        if (-find_bending(contact) > contact->sum.stored + LITTLE * scale) return true;
    }
    return false;
}

void bri_bend_bristles(BriContact *c, double span) {
    const BriRowsLaw *law = find_rows(c);
    if (!law || !c->ask.active) return;
    double force = bri_norm(bri_tangential(c, c->got.push)) / span;
    double bent = c->ask.bounded ? c->sum.stored + find_bending(c) : c->sum.stored;
    c->sum.stored = bri_max(0, bri_min(bent, law->stored(&c->at.surface->laws.friction, force)));
}
