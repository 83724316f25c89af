/* configuration.c: see configuration.h. How a contact gives way is the sum of two tensors, T = 1/m + [s] J^-1 [s]^T of each body, s from
 * its centre of mass to the place of touch. Painleve's boundary is where
 *     g = n.T n - mu |T n across n| = 0,  of a slip along d  g = n.T n - mu d.T n                               (12.11)
 * Body b is turned about the place of touch, and moved along the surface; place and normal follow by the curvatures (7.28).
 * With the derivatives of g by such a turn phi and way x, in differences,
 *     turn = g/|dg/dphi| about dg/dphi,   move = g/|dg/dx| along dg/dx */
#include "diagnose/configuration.h"

#include "collide/rates.h"

/* A contact at a pose near that of the state. */
typedef struct Pose {
    BriBodyState body[2]; /* a and b */
    BrVec3 point, normal;
} Pose;

/* T of a body times l. */
static BrVec3 give_way(const BriBody *body, const BriBodyState *at, BrVec3 point, BrVec3 l) {
    if (body->node < 0) return bri_vec(0, 0, 0);
    BrVec3 arm = bri_sub(point, at->r), moment = bri_mul_t(&at->A, bri_cross(arm, l));
    BrVec3 spin = bri_mul(&at->A, bri_mul(&body->inverse_inertia, moment));
    return bri_add(bri_scale(body->inverse_mass, l), bri_cross(spin, arm));
}

/* g at a pose. */
static double find_margin(const BriStep *at, const BriContact *contact, const Pose *p, BrVec3 slip, double mu) {
    const int ends[2] = {contact->at.a, contact->at.b};
    BrVec3 u = bri_vec(0, 0, 0);
    for (int e = 0; e < 2; e++) u = bri_add(u, give_way(&at->model->body[ends[e]], &p->body[e], p->point, p->normal));
    double along = bri_dot(u, p->normal);
    BrVec3 across = bri_add_scaled(u, -along, p->normal),
           d = bri_add_scaled(slip, -bri_dot(slip, p->normal), p->normal);
    double speed = bri_norm(d);
    return along - mu * (speed > 0 ? bri_dot(across, d) / speed : bri_norm(across));
}

/* Where it is after body b went on with v (of the place) and w for so long. */
static Pose go_on(const BriStep *at, const BriContact *contact, BrVec3 v, BrVec3 w, double time) {
    const BriBodyState *bodies = bri_state_bodies(at->start);
    const BrModel *m = at->model;
    const BriFrame *frame = at->ws->contacts->frame;
    Pose p = {.body = {bodies[contact->at.a], bodies[contact->at.b]}};
    BrVec3 place = bri_contact_point(contact), centre = bri_add(v, bri_cross(w, bri_sub(p.body[1].r, place)));
    BriMoving a = {&m->shape[contact->at.shape_a].shape, &frame[contact->at.shape_a], {.r = p.body[0].r}},
              b = {&m->shape[contact->at.shape_b].shape, &frame[contact->at.shape_b], {p.body[1].r, centre, w}};
    BriTouch touch = bri_contact_touch(contact);
    BriTouchRates rates = bri_touch_rates(&a, &b, &touch);
    p.body[1].r = bri_add_scaled(p.body[1].r, time, centre);
    BrMat3 turn = bri_rotation_exp(bri_scale(time, w));
    p.body[1].A = bri_mat_mul(&turn, &p.body[1].A);
    p.point = bri_add_scaled(
        place, time, contact->at.fixed_a ? rates.point_b : bri_scale(0.5, bri_add(rates.point_a, rates.point_b)));
    p.normal = bri_add_scaled(bri_normal(contact), time, rates.normal);
    p.normal = bri_scale(1 / bri_norm(p.normal), p.normal);
    return p;
}

/* dg of such a motion, per its time. */
static double find_slope(const BriStep *at, const BriContact *contact, BrVec3 v, BrVec3 w, double time, BrVec3 slip,
                         double mu) {
    Pose ahead = go_on(at, contact, v, w, time), back = go_on(at, contact, v, w, -time);
    return (find_margin(at, contact, &ahead, slip, mu) - find_margin(at, contact, &back, slip, mu)) / (2 * time);
}

static double divide(double margin, BrVec3 slope, double far, BrVec3 *unit) {
    double size = bri_norm(slope), distance = margin / size;
    *unit = bri_vec(0, 0, 0);
    if (!(bri_abs(distance) <= far)) return __builtin_inf();
    *unit = bri_scale(-1 / size, slope); /* g falls that way */
    return distance;
}

BriConfiguration bri_find_configuration(const BriStep *at, const BriContact *contact, BrVec3 slip, double mu) {
    const double STEP = 1e-5, HALF_TURN = 3.14159265358979323846, FAR = 1e3; /* rad; rad; of the size */
    const BrVec3 none = bri_vec(0, 0, 0);
    const BriBody *b = &at->model->body[contact->at.b];
    double size = b->size > 0 ? b->size : 1;
    Pose here = go_on(at, contact, none, none, 0);
    double margin = find_margin(at, contact, &here, slip, mu), by_turn[3], by_way[2];
    for (int i = 0; i < 3; i++) {
        BrVec3 w = bri_vec(i == 0, i == 1, i == 2);
        by_turn[i] = find_slope(at, contact, none, w, STEP, slip, mu);
        if (i < 2)
            by_way[i] = find_slope(at, contact, bri_column(&contact->at.frame, 1 + i), none, STEP * size, slip, mu);
    }
    BrVec3 way = bri_add(bri_scale(by_way[0], bri_column(&contact->at.frame, 1)),
                         bri_scale(by_way[1], bri_column(&contact->at.frame, 2)));
    BriConfiguration found;
    found.turn = divide(margin, bri_vec(by_turn[0], by_turn[1], by_turn[2]), HALF_TURN, &found.axis);
    found.move = divide(margin, way, FAR * size, &found.way);
    return found;
}
