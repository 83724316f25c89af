/* test_closed.c: points, balls, capsules and boxes have closed forms; here they meet the search they stand for (GJK, EPA and
 * Newton's method), and known distances. A gap is right if it is the search's, and if its own normal proves it: along n
 * the shapes are that far apart. Where two directions are as good as each other, either may be found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "geom_support.h"

/* Those after the box have closed forms with points and balls alone. */
static const BrShapeKind KINDS[] = {BR_SHAPE_POINT, BR_SHAPE_SPHERE,   BR_SHAPE_CAPSULE,
                                    BR_SHAPE_BOX,   BR_SHAPE_CYLINDER, BR_SHAPE_DISC};
enum { CLOSED_KINDS = 6, BALLS = 2, BOX = 3, POSES = 12000 };

typedef struct Case {
    BriShape a, b;
    BriFrame fa, fb;
    double size; /* m */
} Case;

static BriFrame turn(BriFrame f, BrVec3 phi) {
    BrMat3 R = bri_rotation_exp(phi);
    f.axes = bri_mat_mul(&R, &f.axes);
    return f;
}

/* Anywhere near each other, deep or not. */
static void place_anywhere(Random *r, Case *c) {
    double distance = draw(r, 0, 3) * c->size;
    c->fb.position = bri_add_scaled(c->fa.position, distance, draw_unit(r));
}

/* At a gap between 1e-9 and 1e-1 of the size, or as deep. */
static void place_touching(Random *r, Case *c) {
    place_anywhere(r, c);
    double gap = c->size * pow(10, draw(r, -9, -1));
    set_gap(&c->a, &c->fa, &c->b, &c->fb, draw(r, 0, 1) < 0.5 ? -gap : gap);
}

/* Edges parallel but for 1e-13 to 1e-1 rad, or exactly, at any distance. */
static void place_parallel(Random *r, Case *c) {
    c->fb.axes = c->fa.axes;
    if (draw(r, 0, 1) < 0.7) c->fb = turn(c->fb, draw_vec(r, pow(10, draw(r, -13, -1))));
    if (draw(r, 0, 1) < 0.5) c->fb = turn(c->fb, bri_scale(draw(r, -3, 3), bri_column(&c->fa.axes, 0)));
    place_anywhere(r, c);
}

/* Halves and quarters of one length: corners on edges, edges on faces, centres in each other. */
static void place_on_lattice(Random *r, Case *c) {
    double s = c->size;
    c->a = make_shape(c->a.kind, s, s / 2, s / 2);
    c->b = make_shape(c->b.kind, s / 2, s / 2, s / 4);
    int x = draw_int(r, -2, 2), y = draw_int(r, -2, 2), z = draw_int(r, -2, 2);
    BrVec3 p = bri_scale(s / 2, bri_vec(x, y, z));
    c->fb.axes = c->fa.axes;
    if (draw(r, 0, 1) < 0.5) c->fb = turn(c->fb, bri_scale(atan(1), bri_column(&c->fa.axes, 2)));
    c->fb.position = bri_add(c->fa.position, bri_mul(&c->fa.axes, p));
}

static Case draw_case(Random *r, BrShapeKind a, BrShapeKind b) {
    static void (*const place[])(Random *, Case *) = {place_anywhere, place_touching, place_parallel, place_on_lattice};
    Case c = {.size = pow(10, draw(r, -4, 3))};
    c.a = draw_shape(r, a, c.size);
    c.b = draw_shape(r, b, c.size);
    if (draw(r, 0, 1) < 0.3) { /* needles, plates, thin rods */
        double thin = pow(10, draw(r, -3, 0));
        c.a.half.x *= thin;
        c.b.half.z *= thin;
        c.b.radius *= thin;
    }
    c.fa = draw_frame(r, c.size);
    c.fb = draw_frame(r, c.size);
    place[draw_int(r, 0, 3)](r, &c);
    return c;
}

/* Rounding of a difference of places of this size, a hundred times over. */
static double find_tolerance(const Case *c) {
    return 1e-14 * (10 * c->size + vec_distance(c->fa.position, c->fb.position));
}

/* Points lie on their surfaces (measure_outside is 0 inside), one above the other along n. */
static void check_points(const Case *c, const BriNearest *n) {
    double tolerance = find_tolerance(c);
    assert_close(measure_outside(&c->a, &c->fa, n->point_a), 0, tolerance);
    assert_close(measure_outside(&c->b, &c->fb, n->point_b), 0, tolerance);
    assert_close(vec_distance(n->point_b, bri_add_scaled(n->point_a, n->gap, n->normal)), 0, tolerance);
}

/* No other direction parts them better. */
static void check_directions(Random *r, const Case *c, double gap) {
    for (int k = 0; k < 8; k++)
        assert_true(separate_along(&c->a, &c->fa, &c->b, &c->fb, draw_unit(r)) <= gap + find_tolerance(c));
}

/* Returns whether the search stopped at a direction that is worse. */
static bool check_case(Random *random, const Case *c) {
    BriConvex ca = bri_convex_make(&c->a, &c->fa), cb = bri_convex_make(&c->b, &c->fb);
    BriNearest closed, searched, whole;
    bool has_points;
    double tolerance = find_tolerance(c);
    assert_true(bri_nearest_search(&ca, &cb, 1e30, &searched));
    assert_true(bri_nearest(&ca, &cb, 1e30, &whole));
    assert_true(bri_nearest_normal(&ca, &cb, 1e30, &closed, &has_points));
    assert_true(closed.gap >= searched.gap - tolerance);
    assert_true(whole.gap >= searched.gap - tolerance && whole.gap <= closed.gap + tolerance);
    assert_close(bri_norm(closed.normal), 1, 1e-14);
    assert_close(separate_along(&c->a, &c->fa, &c->b, &c->fb, closed.normal), closed.gap, tolerance);
    check_directions(random, c, closed.gap);
    if (has_points && closed.gap > 0) check_points(c, &closed);
    BriTouch touch[BRI_PATCH];
    double least = INFINITY, size = bri_shape_extent(&c->a) + bri_shape_extent(&c->b);
    int count = bri_collide(&c->a, &c->fa, &c->b, &c->fb, 1e30, touch);
    assert_in_range(count, 1, BRI_PATCH);
    for (int i = 0; i < count; i++) least = fmin(least, touch[i].gap);
    assert_true(least <= closed.gap + 1.001e-6 * size); /* a millionth of the size is one place */
    return closed.gap > searched.gap + 1e-7 * c->size;  /* EPA is content with 1e-8 */
}

static void closed_forms_find_what_the_search_finds(void **unused) {
    (void)unused;
    Random random = {51};
    int worse = 0;
    for (int i = 0; i < CLOSED_KINDS; i++)
        for (int j = 0; j <= i; j++)
            for (int n = 0; n < (getenv("BRISTLE_SLOW") ? POSES / 8 : POSES); n++) {
                if (!br_shapes_collide(KINDS[i], KINDS[j], NULL) || (i > BOX && j >= BALLS)) continue;
                Case c = draw_case(&random, KINDS[n % 2 ? i : j], KINDS[n % 2 ? j : i]);
                worse += check_case(&random, &c);
            }
    assert_in_range(worse, 0, 2); /* of 156000: edges nearly parallel, deep in each other */
}

/* Nothing out of reach is found, everything within is, however early the question is settled. */
static void reach_decides_and_nothing_else(void **unused) {
    (void)unused;
    Random random = {52};
    for (int i = 1; i < CONVEX_KINDS; i++)
        for (int j = 0; j < CONVEX_KINDS; j++)
            for (int n = 0; n < 200; n++) {
                Case c = {.size = 1};
                c.a = draw_shape(&random, CONVEX[i], 1);
                c.b = draw_shape(&random, CONVEX[j], 1);
                c.fa = draw_frame(&random, 1);
                c.fb = draw_frame(&random, 1);
                double distance = draw(&random, 0, 6);
                c.fb.position = bri_add_scaled(c.fa.position, distance, draw_unit(&random));
                double gap = find_nearest(&c.a, &c.fa, &c.b, &c.fb).gap;
                BriTouch touch[BRI_PATCH];
                if (gap < 1e-3) continue;
                assert_true(bri_collide(&c.a, &c.fa, &c.b, &c.fb, gap * (1 + 1e-7), touch) > 0);
                assert_int_equal(bri_collide(&c.a, &c.fa, &c.b, &c.fb, gap * (1 - 1e-7), touch), 0);
            }
}

/* ------------------------------------------------------------------ known distances */

/* The one place within 0.1 m of the nearest. */
static BriTouch collide_once(const BriShape *a, BriFrame fa, const BriShape *b, BriFrame fb) {
    BriTouch touch[BRI_PATCH];
    double reach = fmax(0, find_nearest(a, &fa, b, &fb).gap) + 0.1;
    assert_int_equal(bri_collide(a, &fa, b, &fb, reach, touch), 1);
    return touch[0];
}

/* Through a face the gap of a ball falls as its centre does, from outside to near the middle of the box; n stays. */
static void a_ball_sinks_through_a_face(void **unused) {
    (void)unused;
    BriShape box = make_shape(BR_SHAPE_BOX, 1, 1.5, 2), ball = make_shape(BR_SHAPE_SPHERE, 0.25, 0, 0);
    for (int k = 1; k <= 1000; k++) {
        double x = 1.5 * k / 1000;
        BriTouch t = collide_once(&box, at(0, 0, 0), &ball, at(x, 0.25, -0.5));
        assert_close(t.gap, x - 1.25, 4e-16);
        assert_close(t.normal.x, 1, 0);
        assert_close(vec_distance(t.point_a, bri_vec(1, 0.25, -0.5)), 0, 4e-16);
        assert_close(vec_distance(t.point_b, bri_vec(x - 0.25, 0.25, -0.5)), 0, 4e-16);
    }
}

/* One rod passes through another, crossing it square: the gap is the distance of the axes less the radii, which has its
 * least where they meet, and n is square to both all the time. Side by side there are two places; so there are when one
 * lies in the other. */
static void rods_pass_through_each_other(void **unused) {
    (void)unused;
    BriShape rod = make_shape(BR_SHAPE_CAPSULE, 0.1, 1, 0);
    BriFrame across = turn(at(0, 0, 0), bri_vec(2 * atan(1), 0, 0));
    for (int k = -1000; k <= 1000; k++) {
        double x = k * 1e-4;
        across.position = bri_vec(x, 0.3, 0.2);
        BriTouch t = collide_once(&rod, at(0, 0, 0), &rod, across);
        assert_close(t.gap, fabs(x) - 0.2, 1e-16);
        assert_close(fabs(t.normal.x), 1, 1e-15);
        if (k) assert_true(t.normal.x * x > 0);
        assert_close(t.point_b.z, 0.2, 1e-15);
    }
    for (int k = 0; k <= 10; k++) {
        BriTouch t[BRI_PATCH];
        BriFrame low = at(0, 0, 0), beside = at(0.1 * k, 0, 0.5);
        assert_int_equal(bri_collide(&rod, &low, &rod, &beside, 10, t), 2);
        for (int i = 0; i < 2; i++) {
            assert_close(t[i].gap, 0.1 * k - 0.2, 1e-16);
            assert_close(t[i].normal.z, 0, 1e-15);
        }
        assert_close(fabs(t[0].point_b.z - t[1].point_b.z), 1.5, 1e-15); /* where both are: from -0.5 to 1 */
    }
}

static void balls_in_one_place_have_a_direction(void **unused) {
    (void)unused;
    BriShape small = make_shape(BR_SHAPE_SPHERE, 0.5, 0, 0), large = make_shape(BR_SHAPE_SPHERE, 2, 0, 0);
    static const double distances[] = {0, 1e-300, 1e-150, 1e-100, 1e-12, 1};
    for (int k = 0; k < 6; k++) {
        BriTouch t = collide_once(&small, at(0, 0, 0), &large, at(0, distances[k], 0));
        assert_close(bri_norm(t.normal), 1, 1e-15);
        assert_close(t.gap, distances[k] - 2.5, 0);
        if (distances[k] > 1e-140) assert_close(t.normal.y, 1, 0);
    }
}

/* A box whose corner points along -u, that corner being at p. */
static BriFrame stand_on_corner(const BriShape *cube, BrVec3 p, BrVec3 u) {
    double third = 1 / sqrt(3);
    BrMat3 to = bri_rotation_frame(u, bri_vec(1, 0, 0));
    BrMat3 from = bri_rotation_frame(bri_vec(third, third, third), bri_vec(1, 0, 0)), back = bri_transpose(&from);
    return (BriFrame){bri_add_scaled(p, sqrt(3) * cube->half.x, u), bri_mat_mul(&to, &back)};
}

/* Corner to corner, corner beside edge, corner over face, edge across edge: 1-2-2-3, 3-4-5 and plain heights. */
static void boxes_apart_have_pythagorean_distances(void **unused) {
    (void)unused;
    BriShape cube = make_shape(BR_SHAPE_BOX, 1, 1, 1);
    BriTouch t = collide_once(&cube, at(0, 0, 0), &cube, at(3, 4, 4));
    assert_close(t.gap, 3, 1e-15);
    assert_close(vec_distance(t.normal, bri_vec(1.0 / 3, 2.0 / 3, 2.0 / 3)), 0, 1e-15);
    assert_close(vec_distance(t.point_a, bri_vec(1, 1, 1)), 0, 1e-15);

    t = collide_once(&cube, at(0, 0, 0), &cube, stand_on_corner(&cube, bri_vec(0.2, 4, 5), bri_vec(0, 0.6, 0.8)));
    assert_close(t.gap, 5, 1e-14);
    assert_close(vec_distance(t.normal, bri_vec(0, 0.6, 0.8)), 0, 1e-15);
    assert_close(vec_distance(t.point_a, bri_vec(0.2, 1, 1)), 0, 1e-14);

    t = collide_once(&cube, at(0, 0, 0), &cube, stand_on_corner(&cube, bri_vec(0.2, 0.5, 5), bri_vec(0, 0, 1)));
    assert_close(t.gap, 4, 1e-14);
    assert_close(vec_distance(t.point_b, bri_vec(0.2, 0.5, 5)), 0, 1e-14);

    BriFrame low = turn(at(0, 0, 0), bri_vec(atan(1), 0, 0)), high = turn(at(0.3, 0.2, 4), bri_vec(0, atan(1), 0));
    t = collide_once(&cube, low, &cube, high);
    assert_close(t.gap, 4 - 2 * sqrt(2), 2e-15);
    assert_close(vec_distance(t.normal, bri_vec(0, 0, 1)), 0, 1e-15);
    assert_close(vec_distance(t.point_a, bri_vec(0.3, 0, sqrt(2))), 0, 2e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms_find_what_the_search_finds),
        cmocka_unit_test(reach_decides_and_nothing_else),
        cmocka_unit_test(a_ball_sinks_through_a_face),
        cmocka_unit_test(rods_pass_through_each_other),
        cmocka_unit_test(balls_in_one_place_have_a_direction),
        cmocka_unit_test(boxes_apart_have_pythagorean_distances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
