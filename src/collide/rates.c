/* rates.c: see rates.h.
 *
 * Near its place of touch x a surface lets x travel along `count` directions e_i of its tangent plane, with speeds s_i:
 *
 *     corner                    none
 *     edge, rim of a disc       one: the curve's tangent
 *     face, ball, ellipsoid ... two
 *
 * and its outward normal N turns along these directions as the surface bends: with w the spin of the body and K the
 * curvatures (1/m, positive where it is convex; of a rim (N.d)/radius, d pointing from its centre to x),
 *
 *     x' = v(x) + sum s_i e_i,        (N' - w x N).e_i = sum_j K_ij s_j.
 *
 * Two surfaces that touch at n = N_a = -N_b with a gap g keep x_b - x_a = g n. Along the two tangents,
 *
 *     v_b(x_b) + sum s_i e_i |_b - v_a(x_a) - sum s_i e_i |_a = g n',                                           (7.28)
 *
 * which with the turning conditions of both sides is a square linear system for n', the s of a and those of b. */
#include "collide/rates.h"

#include "collide/patch.h"
#include "geom/convex.h"
#include "geom/wall.h"
#include "linalg/dense.h"

#include <string.h>

enum { MOST = 6 };

/* Cosine to n below which an edge lies square to it. */
static const double SQUARE = 1e-9;

/* One surface at its place of touch. */
typedef struct Surface {
    int count;
    BrVec3 e[2];
    double K[2][2];
} Surface;

static void add_direction(Surface *s, BrVec3 e, double curvature) {
    s->e[s->count] = e;
    s->K[s->count][s->count] = curvature;
    s->count++;
}

static Surface make_ball(BrVec3 N, double curvature) {
    BrMat3 frame = bri_rotation_frame(N, bri_vec(1, 0, 0));
    Surface s = {0};
    add_direction(&s, bri_column(&frame, 0), curvature);
    add_direction(&s, bri_column(&frame, 1), curvature);
    return s;
}

static Surface make_face(BrVec3 N) { return make_ball(N, 0); }

/* A straight line along `axis` with all that is nearer to it than `radius`, which is negative for a bore. */
static Surface make_edge(BrVec3 N, BrVec3 axis, double radius) {
    Surface s = {0};
    BrVec3 e = bri_add_scaled(axis, -bri_dot(axis, N), N);
    double length = bri_norm(e);
    if (!(length > 0)) return make_face(N);
    e = bri_scale(1 / length, e);
    add_direction(&s, e, 0);
    if (radius != 0) add_direction(&s, bri_cross(N, e), 1 / radius);
    return s;
}

/* The rim about z through x. */
static Surface make_rim(const BriMoving *m, BrVec3 N, BrVec3 x) {
    Surface s = {0};
    BrVec3 axis = bri_column(&m->frame->axes, 2), d = bri_sub(x, m->frame->position);
    d = bri_add_scaled(d, -bri_dot(d, axis), axis);
    double length = bri_norm(d);
    if (!(length > 0)) return s;
    d = bri_scale(1 / length, d);
    add_direction(&s, bri_cross(axis, d), bri_dot(N, d) / m->shape->radius);
    return s;
}

/* Radii of curvature R = (Q - Q N N Q / q^2) / q, q = sqrt(N.Q N), in the tangent plane; K = R^-1. */
static Surface make_ellipsoid(const BriMoving *m, BrVec3 N) {
    Surface s = make_ball(N, 0);
    BriConvex c = bri_convex_make(m->shape, m->frame);
    double R[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) R[i][j] = bri_convex_curvature(&c, N, s.e[i], s.e[j]);
    double determinant = R[0][0] * R[1][1] - R[0][1] * R[1][0];
    s.K[0][0] = R[1][1] / determinant, s.K[0][1] = -R[0][1] / determinant;
    s.K[1][0] = -R[1][0] / determinant, s.K[1][1] = R[0][0] / determinant;
    return s;
}

/* A point of the shape by the number of patch.h: a corner, the ball about it, or the rim it travels along. */
static Surface make_point(const BriMoving *m, uint32_t number, BrVec3 N, BrVec3 x) {
    switch (m->shape->kind) {
    case BR_SHAPE_SPHERE:
    case BR_SHAPE_CAPSULE: return make_ball(N, 1 / m->shape->radius);
    case BR_SHAPE_ELLIPSOID: return make_ellipsoid(m, N);
    case BR_SHAPE_CYLINDER:
    case BR_SHAPE_DISC:
        if (bri_is_moving_rim_point(number)) return make_rim(m, N, x);
        return (Surface){0};
    default: return (Surface){0};
    }
}

/* The straight edge of a shape by its number (side.h). */
static Surface make_numbered_edge(const BriMoving *m, uint32_t number, BrVec3 N) {
    if (m->shape->kind == BR_SHAPE_BOX) return make_edge(N, bri_column(&m->frame->axes, (int)(number / 4) % 3), 0);
    return make_edge(N, bri_column(&m->frame->axes, 2), m->shape->radius);
}

/* What looks along N, found by N alone: edges that lie square to it are part of it. */
static Surface make_nearest(const BriMoving *m, BrVec3 N, BrVec3 x) {
    const BriShape *shape = m->shape;
    BrVec3 axis = bri_column(&m->frame->axes, 2), across = {0};
    bool along = bri_abs(bri_dot(axis, N)) < SQUARE;
    int square = 0;
    switch (shape->kind) {
    case BR_SHAPE_CAPSULE: return along ? make_edge(N, axis, shape->radius) : make_ball(N, 1 / shape->radius);
    case BR_SHAPE_CYLINDER:
    case BR_SHAPE_DISC:
        if (bri_norm(bri_cross(axis, N)) < SQUARE) return make_face(N);
        return along && shape->half_length > 0 ? make_edge(N, axis, shape->radius) : make_rim(m, N, x);
    case BR_SHAPE_BOX:
        for (int i = 0; i < 3; i++)
            if (bri_abs(bri_dot(bri_column(&m->frame->axes, i), N)) < SQUARE) {
                across = bri_column(&m->frame->axes, i);
                square++;
            }
        return square > 1 ? make_face(N) : square ? make_edge(N, across, 0) : (Surface){0};
    default: return make_point(m, 0, N, x);
    }
}

/* Both sides of a place of two convex shapes in the order of their features. */
static void find_convex(const BriMoving *a, const BriMoving *b, const BriTouch *t, Surface *of_a, Surface *of_b) {
    BrVec3 n = t->normal, m = bri_neg(n);
    BriFeature f = bri_feature_read(t->feature);
    bool a_is_rim = bri_abs(bri_dot(bri_column(&a->frame->axes, 2), n)) > 0.9 &&
                    (a->shape->kind == BR_SHAPE_CYLINDER || a->shape->kind == BR_SHAPE_DISC);
    switch (f.kind) {
    case BRI_FEATURE_OVER_A:
        *of_a = make_face(n);
        *of_b = make_point(b, f.second, m, t->point_b);
        return;
    case BRI_FEATURE_OVER_B:
        *of_a = make_point(a, f.second, n, t->point_a);
        *of_b = make_face(m);
        return;
    case BRI_FEATURE_CROSS:
        *of_a = make_numbered_edge(a, f.first, n);
        *of_b = make_numbered_edge(b, f.second, m);
        return;
    case BRI_FEATURE_BESIDE_A:
        *of_a = make_numbered_edge(a, f.first, n);
        *of_b = make_point(b, f.second, m, t->point_b);
        return;
    case BRI_FEATURE_BESIDE_B:
        *of_a = make_point(a, f.second, n, t->point_a);
        *of_b = make_numbered_edge(b, f.first, m);
        return;
    case BRI_FEATURE_RIM_EDGE:
        *of_a = a_is_rim ? make_rim(a, n, t->point_a) : make_numbered_edge(a, f.first, n);
        *of_b = a_is_rim ? make_numbered_edge(b, f.first, m) : make_rim(b, m, t->point_b);
        return;
    case BRI_FEATURE_RIM_RIM: /* two ends flat on each other: their rims cross like edges */
        *of_a = make_rim(a, n, t->point_a);
        *of_b = make_rim(b, m, t->point_b);
        of_a->K[0][0] = of_b->K[0][0] = 0;
        return;
    default:
        *of_a = make_nearest(a, n, t->point_a);
        *of_b = make_nearest(b, m, t->point_b);
        return;
    }
}

static Surface make_wall(const BriMoving *m, const BriTouch *t) {
    Surface s = make_ball(t->normal, 0);
    BrVec3 local = bri_mul_t(&m->frame->axes, bri_sub(t->point_a, m->frame->position));
    BriWallPlace place;
    if (!bri_wall_project(m->shape, local, &place)) return s;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            s.K[i][j] =
                bri_dot(bri_mul_t(&m->frame->axes, s.e[i]), bri_mul(&place.bend, bri_mul_t(&m->frame->axes, s.e[j])));
    return s;
}

/* a is the shape that comes first in its pair. */
static void find_surfaces(const BriMoving *a, const BriMoving *b, const BriTouch *t, Surface *of_a, Surface *of_b) {
    BrVec3 m = bri_neg(t->normal);
    if (a->shape->kind == BR_SHAPE_PLANE) {
        *of_a = make_face(t->normal);
        *of_b = make_point(b, t->feature, m, t->point_b);
    } else if (a->shape->kind == BR_SHAPE_TUBE) {
        *of_a = make_edge(t->normal, bri_column(&a->frame->axes, 2), -a->shape->radius);
        *of_b = make_point(b, t->feature, m, t->point_b);
    } else if (bri_is_wall(a->shape->kind)) {
        *of_a = make_wall(a, t);
        *of_b = make_point(b, t->feature, m, t->point_b);
    } else {
        find_convex(a, b, t, of_a, of_b);
    }
}

/* ------------------------------------------------------------------ the system */

static BrVec3 velocity_at(const BriShapeMotion *m, BrVec3 x) {
    return bri_add(m->v, bri_cross(m->w, bri_sub(x, m->r)));
}

/* A length to measure curvatures and gaps by, so that all entries are near 1. */
static double find_length(const BriMoving *a, const BriMoving *b) {
    double x = bri_shape_extent(a->shape), y = bri_shape_extent(b->shape), least = bri_min(x, y);
    if (a->shape->kind == BR_SHAPE_TUBE) least = bri_min(y > 0 ? y : a->shape->radius, a->shape->radius);
    if (!(least > 0)) least = bri_max(x, y);
    return least > 0 && bri_is_finite(least) ? least : 1;
}

typedef struct System {
    double M[MOST * MOST], x[MOST];
    int size;
    double length; /* m; x = (length n', speeds of a, of b), m/s */
    BrVec3 t[2];   /* tangents */
} System;

/* sign: of N against n; `first`: its speeds in x. Its turning conditions go to the rows of the same numbers. */
static void add_surface(System *s, const Surface *surface, BrVec3 turn, double sign, int first) {
    for (int i = 0; i < surface->count; i++) {
        double *row = s->M + MOST * (first + i);
        for (int k = 0; k < 2; k++) {
            double along = bri_dot(s->t[k], surface->e[i]);
            row[k] = sign * along;
            s->M[MOST * k + first + i] = sign * along; /* (7.28) */
        }
        for (int j = 0; j < surface->count; j++) row[first + j] = -s->length * surface->K[i][j];
        s->x[first + i] = sign * s->length * bri_dot(turn, surface->e[i]);
    }
}

static BrVec3 add_speeds(BrVec3 v, const Surface *surface, const double *speed) {
    for (int i = 0; i < surface->count; i++) v = bri_add_scaled(v, speed[i], surface->e[i]);
    return v;
}

/* The place as a point of a. */
static BriTouchRates move_with(const BriMoving *a, const BriTouch *t) {
    return (BriTouchRates){bri_cross(a->motion.w, t->normal), velocity_at(&a->motion, t->point_a),
                           velocity_at(&a->motion, t->point_b)};
}

static BriTouchRates solve(const BriMoving *a, const BriMoving *b, const BriTouch *t) {
    Surface of_a, of_b;
    find_surfaces(a, b, t, &of_a, &of_b);
    BrMat3 frame = bri_rotation_frame(t->normal, bri_vec(1, 0, 0));
    System s = {.size = 2 + of_a.count + of_b.count,
                .length = find_length(a, b),
                .t = {bri_column(&frame, 0), bri_column(&frame, 1)}};
    BrVec3 va = velocity_at(&a->motion, t->point_a), vb = velocity_at(&b->motion, t->point_b);
    for (int k = 0; k < 2; k++) {
        s.M[MOST * k + k] = t->gap / s.length;
        s.x[k] = bri_dot(s.t[k], bri_sub(vb, va));
    }
    add_surface(&s, &of_a, bri_cross(a->motion.w, t->normal), 1, 2);
    add_surface(&s, &of_b, bri_cross(b->motion.w, t->normal), -1, 2 + of_a.count);
    int pivot[MOST];
    double row[MOST], column[MOST];
    bri_equilibrate(s.M, s.size, MOST, row, column);
    if (!bri_lu_factor(s.M, s.size, MOST, pivot)) return move_with(a, t);
    for (int i = 0; i < s.size; i++) s.x[i] *= row[i];
    bri_lu_solve(s.M, s.size, MOST, pivot, s.x);
    for (int i = 0; i < s.size; i++) s.x[i] *= column[i];
    BrVec3 turn = bri_add(bri_scale(s.x[0], s.t[0]), bri_scale(s.x[1], s.t[1]));
    return (BriTouchRates){bri_scale(1 / s.length, turn), add_speeds(va, &of_a, s.x + 2),
                           add_speeds(vb, &of_b, s.x + 2 + of_a.count)};
}

BriTouchRates bri_touch_rates(const BriMoving *a, const BriMoving *b, const BriTouch *touch) {
    if (bri_pair_is_in_order(a->shape, b->shape)) return solve(a, b, touch);
    BriTouch mirrored = {touch->point_b, touch->point_a, bri_neg(touch->normal), touch->gap, touch->feature};
    BriTouchRates rates = solve(b, a, &mirrored);
    return (BriTouchRates){bri_neg(rates.normal), rates.point_b, rates.point_a};
}
