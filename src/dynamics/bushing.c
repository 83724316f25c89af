/* bushing.c: see bushing.h. In the bushing's axes F_a, which turn with the first body, with d the way from its point to the second's
 * and w = F_a^T (w_b - w_a):
 *
 *     u = F_a^T d,          u' = F_a^T (v_b - v_a at the second's point)
 *     phi = log(F_a^T F_b), phi' = L w,     L = 1 - [phi]/2 + (1 - (t/2) cot(t/2))/t^2 [phi]^2,  t = |phi|     (4.3)
 *     force on b at its point: -F_a (K u + C u');   torque: -F_a L^T (K_t phi + C_t phi')                      (4.4)
 *
 * and opposite on a at the same place: that is the gradient of (u.K u + phi.K_t phi)/2, exactly, so that energy is kept however far
 * it turns (below half a turn). */
#include "dynamics/bushing.h"

#include "bristle/bushing.h"
#include "math/elementary.h"
#include "math/so3.h"

typedef struct Bushed {
    BrVec3 arm[2]; /* m, world: from both centres of mass to the second's point */
    BrMat3 axes;
    BrVec3 u, rate, phi, turning; /* in its axes */
    BrVec3 force, torque;         /* on b, in its axes */
} Bushed;

static BrVec3 scale_each(BrVec3 a, BrVec3 b) { return bri_vec(a.x * b.x, a.y * b.y, a.z * b.z); }

/* L x, or with sign -1 L^T x. */
static BrVec3 follow_turn(BrVec3 phi, double sign, BrVec3 x) {
    const double SMALL = 1e-3; /* rad: below it two terms of the series are exact to rounding */
    double square = bri_dot(phi, phi), t = bri_sqrt(square), part = 1. / 12 + square / 720, s, c;
    if (t > SMALL) {
        bri_sincos(t, &s, &c);
        part = (1 - t * s / (2 * (1 - c))) / square;
    }
    BrVec3 once = bri_cross(phi, x);
    return bri_add_scaled(bri_add_scaled(x, -0.5 * sign, once), part, bri_cross(phi, once));
}

static Bushed look(const BriBushing *of, const BriBodyState *bodies) {
    const BriBodyState *a = &bodies[of->a], *b = &bodies[of->b];
    Bushed is = {.axes = bri_mat_mul(&a->A, &of->frame[0])};
    BrMat3 second = bri_mat_mul(&b->A, &of->frame[1]), turned = bri_mat_mul_t(&is.axes, &second);
    BrVec3 wa = bri_mul(&a->A, a->w), wb = bri_mul(&b->A, b->w), from_a = bri_mul(&a->A, of->point[0]);
    is.arm[1] = bri_mul(&b->A, of->point[1]);
    is.arm[0] = bri_sub(bri_add(b->r, is.arm[1]), a->r);
    BrVec3 slip = bri_sub(bri_add(b->v, bri_cross(wb, is.arm[1])), bri_add(a->v, bri_cross(wa, is.arm[0])));
    is.u = bri_mul_t(&is.axes, bri_sub(is.arm[0], from_a));
    is.rate = bri_mul_t(&is.axes, slip);
    is.phi = bri_rotation_log(&turned);
    is.turning = follow_turn(is.phi, 1, bri_mul_t(&is.axes, bri_sub(wb, wa)));
    BrVec3 pull = bri_add(scale_each(of->def.stiffness, is.u), scale_each(of->def.damping, is.rate));
    BrVec3 wind =
        bri_add(scale_each(of->def.torsion_stiffness, is.phi), scale_each(of->def.torsion_damping, is.turning));
    is.force = bri_neg(pull);
    is.torque = bri_neg(follow_turn(is.phi, -1, wind));
    return is;
}

void bri_bushings_push(const BrModel *m, const BriBodyState *bodies, double *f) {
    for (int k = 0; k < m->bushings; k++) {
        const BriBushing *of = &m->bushing[k];
        Bushed is = look(of, bodies);
        const int body[2] = {of->a, of->b};
        for (int e = 0; e < 2; e++) {
            int node = m->body[body[e]].node;
            double sign = e ? 1 : -1;
            if (node < 0) continue;
            BrVec3 force = bri_scale(sign, bri_mul(&is.axes, is.force));
            BrVec3 torque = bri_add_scaled(bri_cross(is.arm[e], force), sign, bri_mul(&is.axes, is.torque));
            torque = bri_mul_t(&bodies[body[e]].A, torque);
            double *to = f + 6 * node;
            to[0] += force.x, to[1] += force.y, to[2] += force.z;
            to[3] += torque.x, to[4] += torque.y, to[5] += torque.z;
        }
    }
}

double bri_bushings_energy(const BrModel *m, const BriBodyState *bodies) {
    double energy = 0;
    for (int k = 0; k < m->bushings; k++) {
        const BriBushing *of = &m->bushing[k];
        Bushed is = look(of, bodies);
        energy += 0.5 * bri_dot(is.u, scale_each(of->def.stiffness, is.u));
        energy += 0.5 * bri_dot(is.phi, scale_each(of->def.torsion_stiffness, is.phi));
    }
    return energy;
}

double bri_bushings_loss(const BrModel *m, const BriBodyState *bodies, double *work) {
    double loss = 0;
    for (int k = 0; k < m->bushings; k++) {
        const BriBushing *of = &m->bushing[k];
        Bushed is = look(of, bodies);
        const int body[2] = {of->a, of->b};
        loss += bri_dot(is.rate, scale_each(of->def.damping, is.rate));
        loss += bri_dot(is.turning, scale_each(of->def.torsion_damping, is.turning));
        for (int e = 0; e < 2; e++) {
            const BriBodyState *b = &bodies[body[e]];
            double sign = e ? -1 : 1; /* minus what it pushes with */
            if (m->body[body[e]].motion < 0) continue;
            BrVec3 w = bri_mul(&b->A, b->w), force = bri_mul(&is.axes, is.force), torque = bri_mul(&is.axes, is.torque);
            *work += sign * (bri_dot(force, bri_add(b->v, bri_cross(w, is.arm[e]))) + bri_dot(torque, w));
        }
    }
    return loss;
}

BrStatus br_bushing_read(const BrModel *m, const BrState *state, BrBushingId id, BrBushingReading *reading) {
    if (!m || !state || !reading) return BR_INVALID_ARGUMENT;
    int n = bri_bushing_number(m, id);
    if (state->fingerprint != m->fingerprint) return BR_MISMATCH;
    if (n < 0) return BR_INVALID_ID;
    Bushed is = look(&m->bushing[n], bri_state_bodies(state));
    *reading = (BrBushingReading){is.u, is.phi, is.force, is.torque};
    return BR_OK;
}
