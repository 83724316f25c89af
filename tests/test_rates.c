/* test_rates.c: how places of touch move. The rates of points and normal are the differences of what bri_collide finds
 * at poses nearby, for every pair of shapes and every kind of feature; a rigid motion of both carries them along. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collide/patch.h"
#include "collide/rates.h"
#include "geom_support.h"

enum { PAIRS = 1 << 4 };
static int seen[BR_SHAPE_KINDS][BR_SHAPE_KINDS], kinds[PAIRS];

/* Where a shape is a time later that moves like m. */
static BriFrame advance(const BriMoving *m, double time) {
    BrMat3 turn = bri_rotation_exp(bri_scale(time, m->motion.w));
    BrVec3 arm = bri_sub(m->frame->position, m->motion.r);
    return (BriFrame){bri_add(bri_add_scaled(m->motion.r, time, m->motion.v), bri_mul(&turn, arm)),
                      bri_mat_mul(&turn, &m->frame->axes)};
}

/* Convex shapes near each other; walls, wherever they are. */
static bool has_end(const BriMoving *a, const BriMoving *b) {
    return is_convex(a->shape->kind) && is_convex(b->shape->kind);
}
static double find_reach(const BriMoving *a, const BriMoving *b) { return has_end(a, b) ? 0.5 : 10; }

static bool find(const BriMoving *a, const BriMoving *b, double time, uint32_t feature, BriTouch *found) {
    BriFrame fa = advance(a, time), fb = advance(b, time);
    BriTouch t[BRI_PATCH];
    int count = bri_collide(a->shape, &fa, b->shape, &fb, find_reach(a, b), t);
    for (int i = 0; i < count; i++)
        if (t[i].feature == feature) {
            *found = t[i];
            return true;
        }
    return false;
}

static double distance_of(const BriTouchRates *x, const BriTouchRates *y) {
    return fmax(vec_distance(x->normal, y->normal),
                fmax(vec_distance(x->point_a, y->point_a), vec_distance(x->point_b, y->point_b)));
}

/* By differences of order 4 over e; false: the feature is not there all along. */
static bool differ(const BriMoving *a, const BriMoving *b, uint32_t feature, double e, BriTouchRates *rates) {
    static const double WEIGHT[4] = {1, -8, 8, -1}, AT[4] = {-2, -1, 1, 2};
    *rates = (BriTouchRates){0};
    for (int k = 0; k < 4; k++) {
        BriTouch t;
        if (!find(a, b, AT[k] * e, feature, &t)) return false;
        double w = WEIGHT[k] / (12 * e);
        rates->normal = bri_add_scaled(rates->normal, w, t.normal);
        rates->point_a = bri_add_scaled(rates->point_a, w, t.point_a);
        rates->point_b = bri_add_scaled(rates->point_b, w, t.point_b);
    }
    return true;
}

/* How far an egg's normal is from its wall's, where both meet: no more than rounding, or it was not found exactly, but as
 * its deepest point (wall.c), in places where nothing is ever pushed: in the hole of a ring about as large. */
static int inexact, exact;
static bool is_exact(const BriMoving *a, const BriMoving *b, const BriTouch *t) {
    const BriMoving *egg = a->shape->kind == BR_SHAPE_ELLIPSOID ? a : b;
    if (has_end(a, b) || egg->shape->kind != BR_SHAPE_ELLIPSOID) return true;
    BrVec3 p = bri_sub(egg == a ? t->point_a : t->point_b, egg->frame->position), h = egg->shape->half;
    BrVec3 q = bri_mul_t(&egg->frame->axes, p), out = {q.x / (h.x * h.x), q.y / (h.y * h.y), q.z / (h.z * h.z)};
    double sine = bri_norm(bri_cross(bri_mul(&egg->frame->axes, out), t->normal)) / bri_norm(out);
    bool fine = sine < 1e-9;
    *(fine ? &exact : &inexact) += 1;
    return fine;
}

/* All places of a pair. Differences over two lengths of time tell how far they can be trusted: where they disagree the
 * place jumps from one edge to the next meanwhile. */
static void check_pair(const BriMoving *a, const BriMoving *b) {
    BriTouch t[BRI_PATCH];
    int count = bri_collide(a->shape, a->frame, b->shape, b->frame, find_reach(a, b), t);
    const double DEEP = -0.1; /* m: in walls nearest places may be several there */
    for (int i = 0; i < count; i++) {
        if ((!has_end(a, b) && t[i].gap < DEEP) || !is_exact(a, b, &t[i])) continue;
        BriTouchRates rough, fine, got = bri_touch_rates(a, b, &t[i]);
        if (!differ(a, b, t[i].feature, 2e-4, &rough) || !differ(a, b, t[i].feature, 1e-4, &fine)) continue;
        double size = 1 + bri_norm(fine.normal) + bri_norm(fine.point_a) + bri_norm(fine.point_b);
        double doubt = distance_of(&rough, &fine);
        if (doubt > 1e-7 * size) continue;
        double error = distance_of(&got, &fine);
        if (error > 1e-6 * size + 10 * doubt)
            fail_msg("%s and %s, feature %x, gap %g: off by %.3g of %.3g", br_shape_info(a->shape->kind)->name,
                     br_shape_info(b->shape->kind)->name, t[i].feature, t[i].gap, error, size);
        seen[a->shape->kind][b->shape->kind]++;
        if (has_end(a, b)) kinds[bri_feature_read(t[i].feature).kind]++;
    }
}

static BriShapeMotion draw_motion(Random *r) {
    return (BriShapeMotion){draw_vec(r, 1), draw_vec(r, 1), draw_vec(r, 1)};
}

/* b somewhere near the surface of a, for what is hollow: inside it. */
static BriFrame place_near(Random *r, const BriShape *a, const BriFrame *fa, const BriShape *b) {
    BriFrame fb = draw_frame(r, 0.4);
    if (is_convex(a->kind) && is_convex(b->kind)) set_gap(a, fa, b, &fb, draw(r, -0.02, 0.1));
    BriWallPlace place;
    bool first = bri_is_wall(a->kind);
    if (!first && !bri_is_wall(b->kind)) return fb;
    const BriFrame *wall = first ? fa : &fb, *body = first ? &fb : fa;
    BrVec3 p = bri_mul_t(&wall->axes, bri_sub(body->position, wall->position));
    if (a->kind == BR_SHAPE_GROOVE || b->kind == BR_SHAPE_GROOVE) p = bri_add(p, bri_vec(8, 0, 0));
    if (!bri_wall_project(first ? a : b, p, &place)) return fb;
    BrVec3 to = bri_add_scaled(place.foot, draw(r, 0.2, 0.8), place.normal);
    BrVec3 shift = bri_mul(&wall->axes, bri_sub(to, bri_mul_t(&wall->axes, bri_sub(body->position, wall->position))));
    fb.position = bri_add(fb.position, first ? shift : bri_neg(shift));
    return fb;
}

static void rates_are_those_of_differences_for_every_pair(void **unused) {
    (void)unused;
    Random random = {11};
    memset(seen, 0, sizeof seen);
    for (int k = 0; k < 18000; k++) {
        BrShapeKind ka = (BrShapeKind)(k % BR_SHAPE_KINDS), kb = (BrShapeKind)(k / BR_SHAPE_KINDS % BR_SHAPE_KINDS);
        if (!br_shapes_collide(ka, kb, NULL)) continue;
        BriShape a = make_wide(draw_shape(&random, ka, 0.5)), b = make_wide(draw_shape(&random, kb, 0.5));
        BriFrame fa = draw_frame(&random, 0.1), fb = place_near(&random, &a, &fa, &b);
        BriMoving ma = {&a, &fa, draw_motion(&random)}, mb = {&b, &fb, draw_motion(&random)};
        check_pair(&ma, &mb);
    }
    assert_true(inexact < exact / 50);
    for (int i = 0; i < BR_SHAPE_KINDS; i++)
        for (int j = 0; j < BR_SHAPE_KINDS; j++)
            if (br_shapes_collide((BrShapeKind)i, (BrShapeKind)j, NULL) && seen[i][j] < 10)
                fail_msg("%s on %s was seen %d times only", br_shape_info((BrShapeKind)i)->name,
                         br_shape_info((BrShapeKind)j)->name, seen[i][j]);
}

/* Flat on flat, edge on edge: stacked shapes that move along each other and tilt together. */
static void rates_are_those_of_differences_where_shapes_are_stacked(void **unused) {
    (void)unused;
    static const BrShapeKind STACKED[] = {BR_SHAPE_BOX, BR_SHAPE_CYLINDER, BR_SHAPE_CAPSULE, BR_SHAPE_DISC};
    Random random = {5};
    memset(kinds, 0, sizeof kinds);
    for (int k = 0; k < 9000; k++) {
        BriShape a = draw_shape(&random, STACKED[k % 4], 0.5), b = draw_shape(&random, STACKED[k / 4 % 4], 0.5);
        BrVec3 quarter = bri_vec(k / 16 % 2 ? 1.5707963267948966 : 0, 0, draw(&random, -3, 3));
        BrVec3 other = bri_vec(0, k / 32 % 2 ? 1.5707963267948966 : 0, draw(&random, -3, 3));
        BriFrame fa = {bri_vec(0, 0, 0), bri_rotation_exp(bri_vec(quarter.x, 0, 0))},
                 fb = {draw_vec(&random, 0.1), bri_rotation_exp(bri_vec(0, other.y, 0))};
        BrMat3 turn = bri_rotation_exp(bri_vec(0, 0, other.z));
        fb.axes = bri_mat_mul(&turn, &fb.axes);
        fb.position.z = 1;
        BriNearest n = find_nearest(&a, &fa, &b, &fb);
        fb.position = bri_add_scaled(fb.position, 0.01 - n.gap, n.normal);
        BriShapeMotion motion = draw_motion(&random), both = motion;
        both.v = bri_add(bri_add(motion.v, bri_cross(motion.w, bri_sub(fb.position, motion.r))),
                         bri_vec(draw(&random, -1, 1), draw(&random, -1, 1), 0));
        both.r = fb.position;
        BriMoving ma = {&a, &fa, motion}, mb = {&b, &fb, both};
        check_pair(&ma, &mb);
    }
    for (int kind = BRI_FEATURE_OVER_A; kind <= BRI_FEATURE_RIM_RIM; kind++)
        if (kinds[kind] < 10) fail_msg("features of kind %d were seen %d times only", kind, kinds[kind]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_those_of_differences_for_every_pair),
        cmocka_unit_test(rates_are_those_of_differences_where_shapes_are_stacked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
