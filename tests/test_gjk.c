/* test_gjk.c: the gap of convex shapes. Apart, a direction n bounds it from below and two points of the shapes from
 * above: where both agree the answer is proved. Overlapping, no direction may be better. And libccd as a witness. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geom/gjk.h"
#include "geom_support.h"

#ifdef BRISTLE_WITH_CCD
#include <ccd/ccd.h>
#include <ccd/quat.h>
#endif

/* Checks gap, normal and points of one answer; returns the distance of the two bounds. */
static double check_proof(const BriShape *a, const BriFrame *fa, const BriShape *b, const BriFrame *fb) {
    BriNearest n = find_nearest(a, fa, b, fb);
    BrVec3 r = bri_sub(n.point_b, n.point_a);
    double size = bri_shape_extent(a) + bri_shape_extent(b) + bri_norm(bri_sub(fa->position, fb->position));
    assert_close(bri_norm(n.normal), 1, 1e-14);
    assert_close(bri_dot(n.normal, r), n.gap, 1e-14 * size);
    double lower = separate_along(a, fa, b, fb, n.normal);
    assert_close(lower, n.gap, 2e-14 * size);
    double outside = fmax(measure_outside(a, fa, n.point_a), measure_outside(b, fb, n.point_b));
    return fmax(bri_norm(bri_add_scaled(r, -n.gap, n.normal)), outside) / size;
}

static void apart_the_two_bounds_meet(void **unused) {
    (void)unused;
    Random random = {21};
    for (int i = 0; i < CONVEX_KINDS; i++)
        for (int j = 0; j < CONVEX_KINDS; j++) {
            double worst = 0;
            for (int k = 0; k < 300; k++) {
                BriShape a = draw_shape(&random, CONVEX[i], 1), b = draw_shape(&random, CONVEX[j], 1);
                BriFrame fa = draw_frame(&random, 1), fb = draw_frame(&random, 1);
                fb.position = bri_add_scaled(fa.position, draw(&random, 2.9, 6), draw_unit(&random));
                if (find_nearest(&a, &fa, &b, &fb).gap > 1e-3) worst = fmax(worst, check_proof(&a, &fa, &b, &fb));
            }
            if (worst > 1e-12) print_message("%d-%d: %.3g\n", CONVEX[i], CONVEX[j], worst);
            /* the normal is exact to rounding over the smallest radius of curvature, here 0.04 of the size */
            assert_close(worst, 0, 1e-12);
        }
}

/* From a hair apart to a hair overlapping: where the direction between the shapes is lost and EPA takes over. */
static void touching_the_gap_is_exact(void **unused) {
    (void)unused;
    static const double gaps[] = {1e-2, 1e-4, 1e-6, 1e-8, 1e-9, 1e-10, 1e-12, 0, -1e-12, -1e-9, -1e-8, -1e-6, -1e-4};
    Random random = {22};
    for (int i = 0; i < CONVEX_KINDS; i++)
        for (int j = 0; j <= i; j++) {
            if (CONVEX[j] == BR_SHAPE_POINT && (CONVEX[i] == BR_SHAPE_POINT || CONVEX[i] == BR_SHAPE_DISC)) continue;
            bool thin = CONVEX[i] == BR_SHAPE_DISC && CONVEX[j] == BR_SHAPE_DISC;
            double worst = 0;
            for (int k = 0; k < 40; k++) {
                BriShape a = draw_shape(&random, CONVEX[i], 1), b = draw_shape(&random, CONVEX[j], 1);
                BriFrame fa = draw_frame(&random, 1), fb = draw_frame(&random, 1);
                fb.position = bri_add_scaled(fa.position, 4, draw_unit(&random));
                set_gap(&a, &fa, &b, &fb, 0.1);
                BriNearest start = find_nearest(&a, &fa, &b, &fb);
                /* along the normal of the nearest points nothing else comes nearer: the gap is known */
                for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
                    if (thin && gaps[g] < 0) continue;
                    BriFrame moved = fb;
                    moved.position = bri_add_scaled(fb.position, gaps[g] - start.gap, start.normal);
                    BriNearest n = find_nearest(&a, &fa, &b, &moved);
                    /* overlapping, there may be a shorter way out */
                    double error = gaps[g] < 0 ? fmax(0, gaps[g] - n.gap) : fabs(n.gap - gaps[g]);
                    if (error > 1e-12)
                        print_message("%d-%d gap %.3g: off by %.3g\n", CONVEX[i], CONVEX[j], gaps[g], n.gap - gaps[g]);
                    worst = fmax(worst, error);
                }
            }
            assert_close(worst, 0, 1e-12); /* cores nearer than 1e-12 of their size count as touching */
        }
}

static void overlapping_no_direction_is_better(void **unused) {
    (void)unused;
    Random random = {23};
    for (int i = 0; i < CONVEX_KINDS; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < 40; k++) {
                BriShape a = draw_shape(&random, CONVEX[i], 1), b = draw_shape(&random, CONVEX[j], 1);
                BriFrame fa = draw_frame(&random, 1), fb = fa;
                fb.axes = draw_rotation(&random);
                fb.position = bri_add(fa.position, draw_vec(&random, 0.4));
                BriNearest n = find_nearest(&a, &fa, &b, &fb);
                assert_close(separate_along(&a, &fa, &b, &fb, n.normal), n.gap, 1e-13);
                double best = -1e30;
                for (int s = 0; s < 1000; s++) best = fmax(best, separate_along(&a, &fa, &b, &fb, draw_unit(&random)));
                if (best > n.gap + 1e-9)
                    print_message("%d-%d: %.9g, sampled %.9g\n", CONVEX[i], CONVEX[j], n.gap, best);
                assert_true(best <= n.gap + 1e-9);
            }
}

/* Closed forms: corner to corner, edge to edge, face to face; sphere outside, on the edge of, and inside a box. */
static void boxes_and_balls_have_closed_forms(void **unused) {
    (void)unused;
    BriShape box = make_shape(BR_SHAPE_BOX, 1, 2, 3), ball = make_shape(BR_SHAPE_SPHERE, 0.5, 0, 0);
    BriFrame origin = at(0, 0, 0);
    static const double place[][4] = {{4, 0, 0, 2.5},  {4, 6, 0, 4.5},      {2, 4, 5, 2.5},      {0.9, 0, 0, -0.6},
                                      {0, 0, 2.5, -1}, {1, 0.5, 0.5, -0.5}, {1.3, 2.4, 0.0, 0.0}};
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        BriFrame f = at(place[i][0], place[i][1], place[i][2]);
        assert_close(find_nearest(&box, &origin, &ball, &f).gap, place[i][3], 1e-14);
    }
    BriFrame corner = at(2 + 3, 4 + 4, 6 + 12), side = at(2.25, 1, 1), inside = at(1.75, 1, 1);
    assert_close(find_nearest(&box, &origin, &box, &corner).gap, 13, 1e-13);
    assert_close(find_nearest(&box, &origin, &box, &side).gap, 0.25, 0);
    BriNearest n = find_nearest(&box, &origin, &box, &inside);
    assert_close(n.gap, -0.25, 0);
    assert_close(n.normal.x, 1, 0);
}

static void coincident_and_empty_shapes_stay_finite(void **unused) {
    (void)unused;
    static const double sizes[] = {0, 1e-4, 1, 1e3};
    Random random = {24};
    for (int i = 0; i < CONVEX_KINDS; i++)
        for (int j = 0; j < CONVEX_KINDS; j++)
            for (int k = 0; k < 64; k++) {
                double sa = sizes[k % 4], sb = sizes[k / 4 % 4];
                BriShape a = draw_shape(&random, CONVEX[i], sa), b = draw_shape(&random, CONVEX[j], sb);
                BriFrame fa = draw_frame(&random, 1), fb = fa;
                if (k >= 16) fb.axes = draw_rotation(&random);
                if (k >= 32) fb.position.x += 1e-12;
                if (k >= 48) fb.position = bri_add(fa.position, draw_vec(&random, sa + sb));
                BriNearest n = find_nearest(&a, &fa, &b, &fb);
                double bound =
                    2 * (bri_shape_extent(&a) + bri_shape_extent(&b)) + vec_distance(fa.position, fb.position);
                assert_close(bri_norm(n.normal), 1, 1e-12);
                assert_true(fabs(n.gap) <= (1 + 1e-12) * bound + 1e-15);
                assert_true(bri_vec_is_finite(n.point_a) && bri_vec_is_finite(n.point_b));
            }
}

static void gjk_alone_measures_polytopes(void **unused) {
    (void)unused;
    Random random = {25};
    int most = 0;
    for (int k = 0; k < 3000; k++) {
        BriShape a = draw_shape(&random, BR_SHAPE_BOX, 1),
                 b = draw_shape(&random, k % 2 ? BR_SHAPE_BOX : BR_SHAPE_CAPSULE, 1);
        BriFrame fa = draw_frame(&random, 1), fb = draw_frame(&random, 1);
        fb.position = bri_add_scaled(fa.position, draw(&random, 2, 6), draw_unit(&random));
        BriConvex ca = bri_convex_make(&a, &fa), cb = bri_convex_make(&b, &fb);
        BriGjk g = bri_gjk(&ca, &cb, 1e30);
        most = g.iterations > most ? g.iterations : most;
        if (g.distance < 1e-3) continue;
        BriNearest n = find_nearest(&a, &fa, &b, &fb);
        assert_close(g.distance - ca.ball - cb.ball, n.gap, 1e-13);
        assert_close(vec_distance(bri_sub(g.point_b, g.point_a), bri_scale(g.distance, g.normal)), 0, 1e-13);
    }
    assert_in_range(most, 1, 30);
}

#ifdef BRISTLE_WITH_CCD
typedef struct Placed {
    const BriShape *shape;
    const BriFrame *frame;
} Placed;

static void support_for_ccd(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *point) {
    const Placed *p = object;
    BrVec3 d = bri_vec(direction->v[0], direction->v[1], direction->v[2]);
    BrVec3 q = bri_shape_support(p->shape, bri_mul_t(&p->frame->axes, d));
    q = bri_add(p->frame->position, bri_mul(&p->frame->axes, q));
    ccdVec3Set(point, q.x, q.y, q.z);
}

static void centre_for_ccd(const void *object, ccd_vec3_t *centre) {
    BrVec3 p = ((const Placed *)object)->frame->position;
    ccdVec3Set(centre, p.x, p.y, p.z);
}

/* libccd decides overlap as we do. Its depth is that of a polytope inside the difference, and its EPA often stops early
 * on round shapes (ours is proved above); so the depths that agree to 1e-3 are counted, not demanded. */
static void libccd_agrees(void **unused) {
    (void)unused;
    Random random = {26};
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = support_for_ccd;
    ccd.center1 = ccd.center2 = centre_for_ccd;
    ccd.max_iterations = 500;
    ccd.epa_tolerance = ccd.mpr_tolerance = 1e-6;
    int overlaps = 0, apart = 0, deep = 0;
    for (int i = 2; i < CONVEX_KINDS; i++) /* with volume on one side: libccd needs some */
        for (int j = 0; j < CONVEX_KINDS; j++)
            for (int k = 0; k < 60; k++) {
                if (CONVEX[i] == BR_SHAPE_DISC && (CONVEX[j] == BR_SHAPE_DISC || CONVEX[j] == BR_SHAPE_POINT)) continue;
                BriShape a = draw_shape(&random, CONVEX[i], 1), b = draw_shape(&random, CONVEX[j], 1);
                BriFrame fa = draw_frame(&random, 1), fb = draw_frame(&random, 1);
                fb.position = bri_add(fa.position, draw_vec(&random, 1.2));
                Placed pa = {&a, &fa}, pb = {&b, &fb};
                BriNearest n = find_nearest(&a, &fa, &b, &fb);
                if (fabs(n.gap) < 1e-3) continue;
                assert_int_equal(ccdGJKIntersect(&pa, &pb, &ccd) != 0, n.gap < 0);
                n.gap < 0 ? overlaps++ : apart++;
                ccd_real_t depth;
                ccd_vec3_t direction, point;
                if (n.gap > 0 || ccdGJKPenetration(&pa, &pb, &ccd, &depth, &direction, &point) != 0) continue;
                deep += fabs(depth + n.gap) < 1e-3;
            }
    print_message("libccd: %d overlapping, %d apart, %d depths equal to 1e-3\n", overlaps, apart, deep);
    assert_true(overlaps > 300 && apart > 300 && deep > overlaps * 7 / 10);
}
#else
static void libccd_agrees(void **unused) {
    (void)unused;
    print_message("libccd was not found when this was built\n");
    skip();
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_and_balls_have_closed_forms),
        cmocka_unit_test(gjk_alone_measures_polytopes),
        cmocka_unit_test(apart_the_two_bounds_meet),
        cmocka_unit_test(touching_the_gap_is_exact),
        cmocka_unit_test(overlapping_no_direction_is_better),
        cmocka_unit_test(coincident_and_empty_shapes_stay_finite),
        cmocka_unit_test(libccd_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
