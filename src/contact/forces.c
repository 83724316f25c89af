/* forces.c: contacts at the level of accelerations: u' = C a + d/dt(C) v, and forces instead of impulses.
 *     lambda: a contact that sticks keeps u' = 0 inside its cone, one that slides drags with mu lambda_N,
 *             one that separates does nothing.                                                                  (7.9)
 * Friction turns a slow slip u_T within |u_T|/(mu lambda_N W), which no explicit step of a length h can follow; against
 * the slip at the end of h it needs not: Coulomb's law then holds for
 *             u_T + h u_T'    in place of u_T', and what it says is right from u_T = 0 on.                         (7.45)
 * Friction that builds up with the slip (7.50) is a force along it: mu tanh(|u_T|/gamma) in place of mu, one row with the
 * normal force [Song 2000, Eq. 41]; it is as fast near u_T = 0, and is looked ahead of in the same way. */
#include "collide/rates.h"
#include "contact/contact.h"

/* How the bodies of a contact move, b (1) or a (0); `rate`: their accelerations where nothing pushes them back, if asked
 * for. */
typedef struct Ends {
    BriMoving shape[2];
    const double *rate[2];
} Ends;

static Ends find_ends(const BriStep *step, const BriContact *contact, const BriBodyState *bodies, const double *a) {
    const BrModel *m = step->model;
    const int body[2] = {contact->at.a, contact->at.b}, shape[2] = {contact->at.shape_a, contact->at.shape_b};
    Ends ends = {0};
    for (int e = 0; e < 2; e++) {
        const BriBodyState *b = &bodies[body[e]];
        bool still = bri_is_still(&m->body[body[e]]);
        ends.shape[e] = (BriMoving){&m->shape[shape[e]].shape, &step->ws->contacts->frame[shape[e]], {.r = b->r}};
        if (!still) ends.shape[e].motion = (BriShapeMotion){b->r, b->v, bri_mul(&b->A, b->w)};
        ends.rate[e] = a && !still && m->body[body[e]].node < 0 ? a + 6 * body[e] : NULL;
    }
    return ends;
}

BrVec3 bri_contact_normal_rate(const BriStep *step, const BriContact *contact, const BriBodyState *bodies) {
    Ends ends = find_ends(step, contact, bodies, NULL);
    BriTouch touch = bri_contact_touch(contact);
    return bri_touch_rates(&ends.shape[0], &ends.shape[1], &touch).normal;
}

/* How fast a belt's velocity changes, world: it turns with its body, and stays in the tangent plane. */
static BrVec3 find_belt_rate(const BrModel *m, const BriContact *contact, const BriBodyState *bodies, BrVec3 n_rate) {
    const int shape[2] = {contact->at.shape_a, contact->at.shape_b}, body[2] = {contact->at.a, contact->at.b};
    BrVec3 raw = {0}, turn = {0}, n = bri_normal(contact);
    for (int e = 0; e < 2; e++) {
        const BriBodyState *b = &bodies[body[e]];
        BrVec3 run = bri_mul(&b->A, m->shape[shape[e]].def.surface_velocity_body);
        raw = bri_add_scaled(raw, e ? 1 : -1, run);
        turn = bri_add_scaled(turn, e ? 1 : -1, bri_cross(bri_mul(&b->A, b->w), run));
    }
    BrVec3 along = bri_add_scaled(turn, -bri_dot(n, raw), n_rate);
    return bri_add_scaled(along, -(bri_dot(n_rate, raw) + bri_dot(n, turn)), n);
}

/* The same of its moments' rows, with w = w_b - w_a:
 *     (t.w)' = t.w' - (t.n')(n.w),     (n.w)' = n'.w + n.w'                                                    (7.36) */
static void find_turn_bias(const BriContact *contact, const BriBodyState *bodies, const Ends *ends, BrVec3 n_rate,
                           double bias[3]) {
    BrVec3 n = bri_normal(contact), w = bri_contact_turn(contact, bodies), w_rate = {0};
    for (int e = 0; e < 2; e++) {
        const double *r = ends->rate[e];
        if (!r) continue;
        const BrMat3 *A = &bodies[e ? contact->at.b : contact->at.a].A;
        w_rate = bri_add_scaled(w_rate, e ? 1 : -1, bri_mul(A, bri_vec(r[3], r[4], r[5])));
    }
    for (int i = 0; i < 2; i++) {
        BrVec3 t = bri_column(&contact->at.frame, 1 + i);
        bias[i] = contact->turning->length * (bri_dot(t, w_rate) - bri_dot(t, n_rate) * bri_dot(n, w));
    }
    bias[2] = contact->turning->length * (bri_dot(n_rate, w) + bri_dot(n, w_rate));
}

/* With u = v_b(p) - v_a(p) at the place p, which travels with p' (7.28), and the frame d turning with n:
 *     u' = w_b x (p' - v_b) - w_a x (p' - v_a) + accelerations of moved bodies,
 *     (n.u)' = n'.u + n.u',     (t.u)' = t.(u' + belt') - (t.n')(n.u)                                          (7.29)
 */
static void find_bias(const BriStep *step, const BriContact *contact, const BriBodyState *bodies, const double *a,
                      double *bias) {
    Ends ends = find_ends(step, contact, bodies, a);
    BriTouch touch = bri_contact_touch(contact);
    BriTouchRates rates = bri_touch_rates(&ends.shape[0], &ends.shape[1], &touch);
    BrVec3 n = bri_normal(contact), p = bri_contact_point(contact), u = {0}, u_rate = {0};
    BrVec3 p_rate = contact->at.fixed_a ? rates.point_b : bri_scale(0.5, bri_add(rates.point_a, rates.point_b));
    for (int e = 0; e < 2; e++) {
        const BriShapeMotion *m = &ends.shape[e].motion;
        BrVec3 arm = bri_sub(p, m->r), turning = bri_cross(m->w, bri_sub(p_rate, m->v));
        if (ends.rate[e]) {
            const double *r = ends.rate[e];
            const BrMat3 *A = &bodies[e ? contact->at.b : contact->at.a].A;
            BrVec3 spin_rate = bri_mul(A, bri_vec(r[3], r[4], r[5]));
            turning = bri_add(turning, bri_add(bri_vec(r[0], r[1], r[2]), bri_cross(spin_rate, arm)));
        }
        u = bri_add_scaled(u, e ? 1 : -1, bri_add(m->v, bri_cross(m->w, arm)));
        u_rate = bri_add_scaled(u_rate, e ? 1 : -1, turning);
    }
    if (bri_resists_turning(contact)) find_turn_bias(contact, bodies, &ends, rates.normal, bias + 3);
    bias[0] = bri_dot(rates.normal, u) + bri_dot(n, u_rate);
    const BriModelShape *shapes = step->model->shape;
    if (shapes[contact->at.shape_a].has_motion || shapes[contact->at.shape_b].has_motion)
        u_rate = bri_add(u_rate, find_belt_rate(step->model, contact, bodies, rates.normal));
    for (int i = 1; i < 3; i++) {
        BrVec3 t = bri_column(&contact->at.frame, i);
        bias[i] = bri_dot(t, u_rate) - bri_dot(t, rates.normal) * bri_dot(n, u);
    }
}

void bri_contacts_bias(const BriStep *step, const BriBodyState *bodies, const double *a, double *bias) {
    const BrModel *m = step->model;
    const BriContacts *c = step->ws->contacts;
    for (int k = 0; k < c->count; k++, bias += c->rows_each) find_bias(step, &c->contact[k], bodies, a, bias);
    for (int k = 0; k < c->bounds; k++) {
        const BriJoint *j = &m->joint[c->bound[k].joint];
        const double *angle = &bri_state_joints(step->ws->trial)[c->bound[k].joint].angle;
        BriJointPose pose = bri_joint_pose(j, &bodies[j->a], &bodies[j->b], *angle);
        int coordinate = m->bound[c->bound[k].bound].coordinate;
        *bias = bri_joint_coordinate_bias(j, &pose, coordinate);
        double Ja[6], Jb[6];
        bri_joint_coordinate_row(j, &pose, coordinate, Ja, Jb);
        for (int i = 0; i < 6; i++) {
            if (m->body[j->a].node < 0) *bias += Ja[i] * a[6 * j->a + i];
            if (m->body[j->b].node < 0) *bias += Jb[i] * a[6 * j->b + i];
        }
        bias++;
    }
}

/* Where a slide goes: along its slip, or as it began. */
static BrVec3 find_direction(const BriContact *contact) {
    double speed = bri_norm(contact->mode.slip);
    if (bri_contact_begins_to_slide(contact) || !(speed > 0)) return contact->mode.direction;
    return bri_scale(1 / speed, contact->mode.slip);
}

/* What a slide's force goes against: the slip that it will have? */
static bool looks_ahead(const BriContact *contact, double ahead) {
    return ahead > 0 && contact->mode.sliding && contact->mode.slow;
}

/* Who takes part, and how; `slip` of each contact is known. */
static void choose_modes(BriContacts *c, BriForcesBy by, double ahead) {
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        contact->ask.bounded = false;
        contact->ask.active = contact->mode.closed && !(by == BRI_BY_MODES && contact->mode.idle);
        if (contact->mode.idle) bri_contact_set_slip(contact, contact->mode.slip); /* nobody followed it */
        bool asks = (by == BRI_BY_LAW && bri_contact_begins_to_slide(contact)) || looks_ahead(contact, ahead);
        contact->ask.one_row = contact->mode.sliding && !asks; /* else a cone says where it goes */
        contact->ask.drag = bri_drag(contact);
        contact->got.p[0] = contact->got.p[1] = contact->got.p[2] = 0;
        contact->got.push = bri_vec(0, 0, 0);
        contact->ask.direction = find_direction(contact);
        if (!bri_resists_turning(contact)) continue;
        contact->turning->moment = bri_vec(0, 0, 0);
        bri_choose_moments(contact, true, bri_normal(contact));
    }
}

/* Where a row of a contact's unit stands among the rows of all. */
static int find_line(const BriContacts *c, const BriUnit *unit, int r) {
    return c->rows_each * unit->contact + bri_contact_row(&c->contact[unit->contact], r);
}

/* u_T/h of (7.45) on the tangential rows of a slow slide. */
static void add_slip(BriContacts *c, const BriUnit *unit, double ahead) {
    const BriContact *contact = &c->contact[unit->contact];
    if (contact->ask.one_row || !looks_ahead(contact, ahead)) return;
    for (int r = 1; r < 3; r++)
        c->q[unit->row + r] += bri_dot(bri_column(&contact->at.frame, r), contact->mode.slip) / ahead;
}

/* q of every unit: what its rows' rates do without contact forces, the joints pushing with lambda. */
static void fill_free_rates(const BriStep *step, const double *a, const double *lambda, double ahead) {
    BriContacts *c = step->ws->contacts;
    const BrModel *m = step->model;
    for (int k = 0; k < c->units; k++) {
        BriUnit *unit = &c->unit[k];
        int ends[2] = {unit->a, unit->b};
        for (int r = 0; r < unit->rows; r++) {
            double sum = c->bias[unit->contact < 0 ? unit->first : find_line(c, unit, r)];
            for (int e = 0; e < 2; e++)
                for (int i = 0; m->body[ends[e]].node >= 0 && i < 6; i++)
                    sum += c->C[BRI_ROW * (unit->first + r) + 6 * e + i] * a[6 * ends[e] + i];
            c->q[unit->row + r] = sum;
        }
        if (unit->shared >= 0 && !bri_unit_parts(step, unit, c->q[unit->row]))
            c->q[unit->row] = bri_unit_joint_share(step, unit, lambda); /* (7.30) */
        if (unit->contact >= 0) add_slip(c, unit, ahead);
    }
}

/* Slides along a known direction may have no answer (Painleve); as cones they have one. true: some became cones. */
static bool free_directions(BriContacts *c) {
    bool changed = false;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        bool moments = bri_resists_turning(contact) && (!contact->ask.rolls || !contact->ask.spins);
        if (bri_creeps(contact)) continue; /* its slip says all */
        changed = changed || (contact->ask.active && (contact->ask.one_row || moments));
        contact->ask.one_row = false;
        if (bri_resists_turning(contact)) bri_choose_moments(contact, false, bri_normal(contact));
    }
    return changed;
}

/* What joints hold open pushes with nothing: the linear problem has no row for that, and any answer. */
static void let_lifted_go(BriContacts *c) {
    for (int k = 0; k < c->units; k++)
        for (int r = 0; c->unit[k].lifted && r < c->unit[k].rows; r++) c->r[c->unit[k].row + r] = 0;
}

bool bri_contacts_accelerate(BriStep *step, const BriBodyState *bodies, BriForcesBy by, double ahead, double *a,
                             double *lambda) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    bool fine = true;
    c->slips = ahead > 0 ? 1 / ahead : 0;
    choose_modes(c, by, ahead);
    bri_contacts_bias(step, bodies, a, c->bias);
    bri_contacts_same_rows(step, bodies);
    bri_units_prepare(step);
    bri_units_share(step);
    fill_free_rates(step, a, lambda, ahead);
    if (by == BRI_BY_MODES && !(ahead > 0)) {
        for (int k = 0; k < c->units; k++)
            for (int r = 0; r < c->unit[k].rows; r++) c->r[c->unit[k].row + r] = -c->q[c->unit[k].row + r];
        bri_units_solve_linear(step);
        let_lifted_go(c);
    } else {
        fine = bri_units_solve_cones(step);
        if (!fine && free_directions(c)) {
            bri_units_prepare(step);
            bri_units_share(step);
            fill_free_rates(step, a, lambda, ahead);
            bri_units_solve_cones(step);
        }
    }
    bri_units_read(c);
    const double *x = bri_units_spread(step, c->r);
    for (int n = 0; n < m->moving; n++)
        for (int i = 0; i < 6; i++) a[6 * m->moving_body[n] + i] += x[6 * n + i];
    for (int r = 0; r < m->rows; r++) lambda[r] -= x[6 * m->moving + r];
    return fine && !c->shares.missed;
}
