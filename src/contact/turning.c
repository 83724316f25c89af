/* turning.c: contacts that resist rolling and spinning (7.32): moments beside the three rows of (1.3),
 *     u = L t.(w_b - w_a),   row: (0, -L A_a^T t; 0, L A_b^T t),   r = m/L,   |r| <= (mu_r/L) r_N                (7.35)
 * and n with mu_spin. L, the smaller extent of the two shapes, makes them speeds and impulses of the size of the others,
 * so that one tolerance does for all rows. */
#include "contact/contact.h"

static BrVec3 find_turn(const BriBodyState *b) { return bri_mul(&b->A, b->w); }

BrVec3 bri_contact_turn(const BriContact *c, const BriBodyState *bodies) {
    BrVec3 turn = find_turn(&bodies[c->at.b]);
    return c->at.still_a ? turn : bri_sub(turn, find_turn(&bodies[c->at.a]));
}

/* mu d of a turn along d; 0: it has no direction. */
static BrVec3 find_drag(const BriContact *c, double mu, BrVec3 turn) {
    double speed = bri_norm(turn);
    return c->turning->length * speed > BRI_SLIP ? bri_scale(mu / speed, turn) : bri_vec(0, 0, 0);
}

void bri_choose_moments(BriContact *c, bool along_turn, BrVec3 n) {
    const BriSurface *s = c->at.surface;
    BriTurning *t = c->turning;
    t->roll_drag = t->spin_drag = bri_vec(0, 0, 0);
    if (along_turn) {
        BrVec3 spin = bri_scale(bri_dot(n, t->turn), n);
        t->roll_drag = find_drag(c, s->mu_r, bri_sub(t->turn, spin));
        t->spin_drag = find_drag(c, s->mu_spin, spin);
    }
    c->ask.rolls = s->mu_r > 0 && bri_norm(t->roll_drag) == 0;
    c->ask.spins = s->mu_spin > 0 && bri_norm(t->spin_drag) == 0;
}

/* Does a moment along `drag` go against the turn no more, or could moments of `most` stop it? */
static bool ends(const BriTurning *t, BrVec3 drag, double most, double soft) {
    double size = bri_norm(drag);
    if (!(size > 0)) return false;
    return !(bri_dot(drag, t->after) > 0) || most * soft * size > bri_abs(bri_dot(drag, t->turn));
}

bool bri_review_moments(BriContact *c, const double most[2], const double soft[2]) {
    BriTurning *t = c->turning;
    if (!(c->got.p[0] > 0)) return false;
    bool roll = ends(t, t->roll_drag, most[0], soft[0]), spin = ends(t, t->spin_drag, most[1], soft[1]);
    if (roll) c->ask.rolls = true, t->roll_drag = bri_vec(0, 0, 0);
    if (spin) c->ask.spins = true, t->spin_drag = bri_vec(0, 0, 0);
    return roll || spin;
}

double bri_find_turning_loss(const BriContact *c) {
    return -0.5 * bri_dot(c->turning->moment, bri_add(c->turning->before, c->turning->after));
}

/* The turn of moved bodies, b against a. */
static BrVec3 find_moved_turn(const BrModel *m, const BriContact *c, const BriBodyState *bodies) {
    BrVec3 turn = bri_vec(0, 0, 0);
    if (m->body[c->at.b].motion >= 0) turn = find_turn(&bodies[c->at.b]);
    return m->body[c->at.a].motion >= 0 ? bri_sub(turn, find_turn(&bodies[c->at.a])) : turn;
}

double bri_find_turning_work(const BrModel *m, const BriContact *c, const BriBodyState *before,
                             const BriBodyState *after) {
    BrVec3 turned = bri_add(find_moved_turn(m, c, before), find_moved_turn(m, c, after));
    return -0.5 * bri_dot(c->turning->moment, turned);
}
