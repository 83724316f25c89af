/* test_pairs.c: where shapes touch. Closed forms; the gap's rate is the normal velocity of the points; rigid motion and
 * swapping change nothing; features stay; and no input, however degenerate, gives anything but a bounded answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geom_support.h"

static const BriShape PLANE = {.kind = BR_SHAPE_PLANE};
static const double PI = 3.14159265358979323846;

static BriFrame turn(BriFrame f, BrVec3 phi) {
    BrMat3 R = bri_rotation_exp(phi);
    f.axes = bri_mat_mul(&R, &f.axes);
    return f;
}

static void check_touch(const BriTouch *t, double size) {
    assert_close(bri_norm(t->normal), 1, 1e-12);
    assert_close(bri_dot(t->normal, bri_sub(t->point_b, t->point_a)), t->gap, 1e-14 * size);
    assert_true(bri_vec_is_finite(t->point_a) && bri_vec_is_finite(t->point_b) && bri_is_finite(t->gap));
    assert_true(t->feature < 1U << 16);
}

/* Like bri_collide, and looks at everything that always holds. */
static int collide(const BriShape *a, const BriFrame *fa, const BriShape *b, const BriFrame *fb, double reach,
                   BriTouch *touch) {
    int count = bri_collide(a, fa, b, fb, reach, touch);
    assert_in_range(count, 0, BRI_PATCH);
    double size = bri_norm(fa->position) + bri_norm(fb->position) + 1;
    if (a->kind != BR_SHAPE_PLANE) size += bri_shape_extent(a);
    if (b->kind != BR_SHAPE_PLANE) size += bri_shape_extent(b);
    for (int i = 0; i < count; i++) {
        check_touch(&touch[i], size);
        assert_true(touch[i].gap <= reach);
        assert_true(i == 0 || touch[i].feature > touch[i - 1].feature);
    }
    return count;
}

/* ------------------------------------------------------------------ closed forms */

static void a_box_on_a_plane_stands_on_its_vertices(void **unused) {
    (void)unused;
    BriShape box = make_shape(BR_SHAPE_BOX, 1, 2, 3);
    BriFrame ground = at(5, 5, 1), f = at(0, 0, 3.9);
    BriTouch t[BRI_PATCH];
    assert_int_equal(collide(&PLANE, &ground, &box, &f, 0.01, t), 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(t[i].feature, i);
        assert_close(t[i].gap, -0.1, 1e-15);
        assert_close(vec_distance(t[i].point_b, bri_vec(i & 1 ? 1 : -1, i & 2 ? 2 : -2, 0.9)), 0, 1e-15);
        assert_close(t[i].point_a.z, 1, 1e-15);
    }
    f = turn(f, bri_vec(0.3, 0.2, 0.1));
    BrVec3 low = bri_mul(&f.axes, bri_shape_support(&box, bri_mul_t(&f.axes, bri_vec(0, 0, -1))));
    f.position.z = 1 - low.z + 1e-3;
    assert_int_equal(collide(&PLANE, &ground, &box, &f, 2e-3, t), 1);
    assert_close(t[0].gap, 1e-3, 1e-15);
}

static void round_shapes_roll_on_a_plane(void **unused) {
    (void)unused;
    Random random = {41};
    BriTouch t[BRI_PATCH];
    for (int n = 0; n < 200; n++) {
        BriFrame ground = draw_frame(&random, 1), f = draw_frame(&random, 1);
        BrVec3 up = bri_column(&ground.axes, 2);
        static const BrShapeKind kinds[] = {BR_SHAPE_POINT, BR_SHAPE_SPHERE, BR_SHAPE_ELLIPSOID, BR_SHAPE_DISC,
                                            BR_SHAPE_CYLINDER};
        for (int k = 0; k < 5; k++) {
            BriShape b = draw_shape(&random, kinds[k], 1);
            BrVec3 p = bri_mul(&f.axes, bri_shape_support(&b, bri_mul_t(&f.axes, bri_neg(up))));
            double gap = bri_dot(up, bri_sub(bri_add(p, f.position), ground.position));
            int count = collide(&PLANE, &ground, &b, &f, 1e3, t);
            bool flat = k >= 3 && fabs(bri_dot(up, bri_column(&f.axes, 2))) > 0.97; /* more of the rim counts then */
            if (!flat) assert_int_equal(count, kinds[k] == BR_SHAPE_CYLINDER ? 2 : 1);
            double least = t[0].gap;
            for (int i = 1; i < count; i++) least = fmin(least, t[i].gap);
            assert_close(least, gap, 2e-15);
            if (!flat) assert_int_equal(t[0].feature, k < 3 ? 0 : 4);
        }
    }
}

static void a_coin_lies_on_four_points_and_rolls_on_one(void **unused) {
    (void)unused;
    BriFrame ground = at(0, 0, 0);
    BriTouch t[BRI_PATCH];
    BriShape disc = make_shape(BR_SHAPE_DISC, 0.5, 0, 0), can = make_shape(BR_SHAPE_CYLINDER, 0.5, 1, 0);
    for (int side = 0; side < 2; side++) {
        BriFrame f = turn(at(0, 0, 1e-6), bri_vec(side ? PI : 0, 0, 0));
        assert_int_equal(collide(&PLANE, &ground, &disc, &f, 1e-3, t), 4);
        for (uint32_t i = 0; i < 4; i++) assert_int_equal(t[i].feature, i);
        assert_close(vec_distance(t[0].point_b, bri_vec(0.5, 0, 1e-6)), 0, 1e-15); /* azimuth 0: the x axis */
        f.position.z = 1;
        assert_int_equal(collide(&PLANE, &ground, &can, &f, 1e-3, t), 4);
        assert_int_equal(t[0].feature, side ? 8 : 0);
    }
    BriFrame tilted = turn(at(0, 0, 0.5 * sin(0.3)), bri_vec(0, 0.3, 0));
    assert_int_equal(collide(&PLANE, &ground, &disc, &tilted, 1e-3, t), 1);
    assert_close(t[0].gap, 0, 2e-16);
    assert_close(vec_distance(t[0].point_b, bri_vec(0.5 * cos(0.3), 0, 0)), 0, 2e-16);
    BriFrame lying = turn(at(0, 0, 0.5), bri_vec(0, PI / 2, 0));
    assert_int_equal(collide(&PLANE, &ground, &can, &lying, 1e-3, t), 2);
    assert_close(t[0].gap, 0, 1e-15);
    assert_close(t[1].gap, 0, 1e-15);
    assert_close(vec_distance(t[0].point_b, t[1].point_b), 2, 1e-15);
}

static void boxes_stack_on_four_points(void **unused) {
    (void)unused;
    BriTouch t[BRI_PATCH];
    BriShape low = make_shape(BR_SHAPE_BOX, 1, 1, 0.5), small = make_shape(BR_SHAPE_BOX, 0.5, 0.25, 0.5);
    BriFrame fa = at(0, 0, 0);
    static const double gaps[] = {1e-3, 1e-9, 1e-13, 0, -1e-13, -1e-9, -1e-3};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (int equal = 0; equal < 2; equal++) {
            const BriShape *top = equal ? &low : &small;
            BriFrame fb = at(0, 0, 1 + gaps[g]);
            assert_int_equal(collide(&low, &fa, top, &fb, 0.01, t), 4);
            for (int i = 0; i < 4; i++) {
                assert_close(t[i].gap, gaps[g], 1e-15);
                assert_close(t[i].normal.z, 1, 0);
                assert_close(fabs(t[i].point_b.x), top->half.x, 1e-15);
                assert_close(fabs(t[i].point_b.y), top->half.y, 1e-15);
            }
            /* turned by 45 degrees, the equal ones touch in an octagon: four of its corners, wide apart */
            fb = turn(fb, bri_vec(0, 0, PI / 4));
            assert_int_equal(collide(&low, &fa, top, &fb, 0.01, t), 4);
            for (int i = 0; i < 4; i++) assert_close(t[i].gap, gaps[g], 1e-15);
        }
    /* half over the edge: two own vertices, two crossings */
    BriFrame fb = turn(at(1, 0, 1), bri_vec(0, 0, 0.1));
    assert_int_equal(collide(&low, &fa, &small, &fb, 0.01, t), 4);
    int inside = 0;
    for (int i = 0; i < 4; i++) inside += t[i].point_b.x < 1 - 1e-9;
    assert_int_equal(inside, 2);
    /* edge across edge */
    BriFrame edge_a = turn(at(0, 0, 0), bri_vec(0, PI / 4, 0)), edge_b = turn(at(0, 0, 2), bri_vec(PI / 4, 0, 0));
    BriShape cube = make_shape(BR_SHAPE_BOX, 0.7, 0.7, 0.7);
    assert_int_equal(collide(&cube, &edge_a, &cube, &edge_b, 0.1, t), 1);
    assert_close(t[0].gap, 2 - 2 * 0.7 * sqrt(2), 1e-15);
    assert_int_equal(t[0].feature >> 12, 3);
}

static void capsules_and_cylinders_lie_on_two_points(void **unused) {
    (void)unused;
    BriTouch t[BRI_PATCH];
    BriShape capsule = make_shape(BR_SHAPE_CAPSULE, 0.1, 0.5, 0), can = make_shape(BR_SHAPE_CYLINDER, 0.1, 0.5, 0);
    BriShape box = make_shape(BR_SHAPE_BOX, 1, 1, 1), narrow = make_shape(BR_SHAPE_BOX, 0.2, 1, 1);
    BriFrame o = at(0, 0, 0), shifted = at(0.2, 0, 0.3), lying = turn(at(0, 0, 1.1), bri_vec(0, PI / 2, 0));
    assert_int_equal(collide(&capsule, &o, &capsule, &shifted, 0.1, t), 2); /* parallel: where both are */
    for (int i = 0; i < 2; i++) assert_close(t[i].gap, 0, 1e-15);
    assert_close(fabs(t[0].point_a.z - t[1].point_a.z), 0.7, 1e-15);
    assert_int_equal(collide(&can, &o, &can, &shifted, 0.1, t), 2);
    for (int i = 0; i < 2; i++) assert_close(t[i].gap, 0, 1e-15);
    const BriShape *rods[] = {&capsule, &can};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(collide(&box, &o, rods[k], &lying, 0.01, t), 2);
        assert_close(fabs(t[0].point_b.x - t[1].point_b.x), 1, 1e-15);
        assert_int_equal(collide(&narrow, &o, rods[k], &lying, 0.01, t), 2); /* over both edges */
        assert_close(fabs(t[0].point_b.x - t[1].point_b.x), 0.4, 1e-14);
        for (int i = 0; i < 2; i++) assert_close(t[i].gap, 0, 2e-16);
    }
    BriFrame standing = at(0.3, 0, 1.5);
    assert_int_equal(collide(&box, &o, &can, &standing, 0.01, t), 4);
    for (int i = 0; i < 4; i++) assert_close(t[i].gap, 0, 2e-16);
    standing.position.x = 1; /* half over the edge: two or three rim points, and where the edge crosses the rim */
    assert_int_equal(collide(&box, &o, &can, &standing, 0.01, t), 3);
    for (int i = 0; i < 3; i++) assert_true(t[i].point_b.x < 1 + 1e-9);
    BriShape drum = make_shape(BR_SHAPE_CYLINDER, 3, 1, 0); /* the box inside the drum's end */
    BriFrame above = at(0, 0, 2);
    assert_int_equal(collide(&box, &o, &drum, &above, 0.01, t), 4);
    BriFrame beside = at(4, 0, 2); /* and two drums end to end, beside each other */
    assert_int_equal(collide(&drum, &o, &drum, &beside, 0.01, t), 4);
    for (int i = 0; i < 4; i++) assert_close(t[i].gap, 0, 2e-16);
}

static void spheres_touch_everything_once(void **unused) {
    (void)unused;
    Random random = {42};
    BriTouch t[BRI_PATCH];
    for (int i = 1; i < CONVEX_KINDS; i++)
        for (int n = 0; n < 100; n++) {
            BriShape a = draw_shape(&random, CONVEX[i], 1), ball = draw_shape(&random, BR_SHAPE_SPHERE, 0.3);
            BriFrame fa = draw_frame(&random, 1), fb = draw_frame(&random, 1);
            fb.position = bri_add_scaled(fa.position, 3, draw_unit(&random));
            double gap = draw(&random, -0.01, 0.1);
            set_gap(&a, &fa, &ball, &fb, gap);
            assert_int_equal(collide(&a, &fa, &ball, &fb, 1, t), 1);
            assert_close(t[0].gap, gap, 1e-13);
            assert_int_equal(t[0].feature, 0);
            assert_close(measure_outside(&a, &fa, t[0].point_a), 0, 1e-13);
            assert_close(vec_distance(t[0].point_b, fb.position), ball.radius, 1e-14);
        }
    BriShape one = make_shape(BR_SHAPE_SPHERE, 1, 0, 0), two = make_shape(BR_SHAPE_SPHERE, 2, 0, 0);
    BriFrame o = at(0, 0, 0), f = at(0, 3.5, 0);
    assert_int_equal(collide(&one, &o, &two, &f, 1, t), 1);
    assert_close(t[0].gap, 0.5, 0);
    assert_close(t[0].point_a.y, 1, 0);
    assert_close(t[0].point_b.y, 1.5, 0);
}

static void a_tube_holds_what_is_inside(void **unused) {
    (void)unused;
    BriTouch t[BRI_PATCH];
    BriShape tube = make_shape(BR_SHAPE_TUBE, 1, 2, 0), ball = make_shape(BR_SHAPE_SPHERE, 0.25, 0, 0);
    BriFrame o = at(0, 0, 0), f = at(0.6, 0, 1.9), beyond = at(0.6, 0, 2.1), wall;
    assert_int_equal(collide(&tube, &o, &ball, &f, 1, t), 1);
    assert_close(t[0].gap, 0.15, 1e-15);
    assert_close(t[0].normal.x, -1, 0);
    assert_close(t[0].point_a.x, 1, 1e-15);
    assert_int_equal(collide(&tube, &o, &ball, &beyond, 1, t), 0);
    BriShape box = make_shape(BR_SHAPE_BOX, 0.3, 0.4, 1);
    assert_int_equal(collide(&tube, &o, &box, &o, 1, t), 4);
    for (int i = 0; i < 4; i++) assert_close(t[i].gap, 0.5, 1e-15);
    /* a disc tilted by a about y in the bore: its rim reaches (r cos a + |x|) there, r along y */
    BriShape disc = make_shape(BR_SHAPE_DISC, 0.9, 0, 0);
    wall = turn(at(0.05, 0, 0), bri_vec(0, 0.01, 0));
    assert_int_equal(collide(&tube, &o, &disc, &wall, 1, t), 1);
    assert_close(t[0].gap, 1 - 0.05 - 0.9 * cos(0.01), 1e-15);
    wall = turn(at(0, 0, 0), bri_vec(0, 0.5, 0));
    assert_int_equal(collide(&tube, &o, &disc, &wall, 1, t), 2);
    for (int i = 0; i < 2; i++) assert_close(t[i].gap, 0.1, 1e-15);
    assert_int_equal(collide(&tube, &o, &disc, &o, 1, t), 4); /* about the axis */
    for (int i = 0; i < 4; i++) assert_close(t[i].gap, 0.1, 1e-15);
}

/* ------------------------------------------------------------------ the rate of the gap */

typedef struct Twist {
    BrVec3 v, w;
} Twist;

static BriFrame move(BriFrame f, Twist twist, double h) {
    f = turn(f, bri_scale(h, twist.w));
    f.position = bri_add_scaled(f.position, h, twist.v);
    return f;
}

static BrVec3 velocity_at(const BriFrame *f, Twist twist, BrVec3 p) {
    return bri_add(twist.v, bri_cross(twist.w, bri_sub(p, f->position)));
}

static const BriTouch *find_feature(const BriTouch *t, int count, uint32_t feature) {
    for (int i = 0; i < count; i++)
        if (t[i].feature == feature) return &t[i];
    return NULL;
}

/* Central differences of the gap of each feature against n.(v_b - v_a); returns the worst, and counts. */
static double check_rates(Random *random, const BriShape *a, BriFrame fa, const BriShape *b, BriFrame fb, double reach,
                          int *checked, int *missing) {
    const double h = 1e-7; /* s. Error of the difference: h^2/6 v^3/gap^2 = 1e-8 at gaps of 1e-3, rounding 1e-15/h */
    BriTouch now[BRI_PATCH], before[BRI_PATCH], after[BRI_PATCH];
    Twist ta = {draw_vec(random, 1), draw_vec(random, 1)}, tb = {draw_vec(random, 1), draw_vec(random, 1)};
    BriFrame a0 = move(fa, ta, -h), b0 = move(fb, tb, -h), a1 = move(fa, ta, h), b1 = move(fb, tb, h);
    int count = collide(a, &fa, b, &fb, reach, now), count0 = collide(a, &a0, b, &b0, reach, before),
        count1 = collide(a, &a1, b, &b1, reach, after);
    double worst = 0;
    for (int i = 0; i < count; i++) {
        const BriTouch *t0 = find_feature(before, count0, now[i].feature);
        const BriTouch *t1 = find_feature(after, count1, now[i].feature);
        if (!t0 || !t1) {
            ++*missing;
            continue;
        }
        ++*checked;
        BrVec3 v = bri_sub(velocity_at(&fb, tb, now[i].point_b), velocity_at(&fa, ta, now[i].point_a));
        double error = fabs((t1->gap - t0->gap) / (2 * h) - bri_dot(now[i].normal, v));
        if (error > 1e-6)
            print_message("%d-%d feature 0x%x gap %.3g rate off %.3g\n", a->kind, b->kind, now[i].feature, now[i].gap,
                          error);
        worst = fmax(worst, error);
    }
    return worst;
}

static void the_gap_moves_with_the_points(void **unused) {
    (void)unused;
    Random random = {43};
    for (int i = 0; i < BR_SHAPE_KINDS; i++)
        for (int j = 0; j < BR_SHAPE_KINDS; j++) {
            if (!br_shapes_collide((BrShapeKind)i, (BrShapeKind)j, NULL)) continue;
            double worst = 0;
            int checked = 0, missing = 0;
            for (int n = 0; n < 60; n++) {
                BriShape a = draw_shape(&random, (BrShapeKind)i, 1), b = draw_shape(&random, (BrShapeKind)j, 1);
                BriFrame fa = draw_frame(&random, 1), fb = draw_frame(&random, 1);
                bool convex = is_convex(a.kind) && is_convex(b.kind);
                a = make_wide(a), b = make_wide(b);
                if (a.kind == BR_SHAPE_GROOVE)
                    fa.position = bri_sub(fa.position, bri_scale(8, bri_column(&fa.axes, 0)));
                if (b.kind == BR_SHAPE_GROOVE)
                    fb.position = bri_sub(fb.position, bri_scale(8, bri_column(&fb.axes, 0)));
                if (convex) {
                    fb.position = bri_add_scaled(fa.position, 4, draw_unit(&random));
                    set_gap(&a, &fa, &b, &fb, draw(&random, 0.001, 0.02));
                }
                double reach = convex ? 0.05 : 10;
                worst = fmax(worst, check_rates(&random, &a, fa, &b, fb, reach, &checked, &missing));
            }
            if (worst > 1e-6) print_message("%d-%d: worst %.3g of %d\n", i, j, worst, checked);
            assert_close(worst, 0, 1e-6);
            if (checked < 50 || missing > checked / 10)
                fail_msg("%s-%s: %d checked, %d missing", br_shape_info((BrShapeKind)i)->name,
                         br_shape_info((BrShapeKind)j)->name, checked, missing);
        }
}

/* Faces nearly parallel, the everyday case: boxes, rods on boxes, rods side by side, tilted by 1e-3 or not at all. */
static void the_gap_moves_with_the_points_of_a_patch(void **unused) {
    (void)unused;
    static const BrShapeKind pairs[][2] = {{BR_SHAPE_BOX, BR_SHAPE_BOX},
                                           {BR_SHAPE_BOX, BR_SHAPE_CAPSULE},
                                           {BR_SHAPE_BOX, BR_SHAPE_CYLINDER},
                                           {BR_SHAPE_CAPSULE, BR_SHAPE_CAPSULE},
                                           {BR_SHAPE_CYLINDER, BR_SHAPE_BOX}};
    Random random = {44};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        int checked = 0, missing = 0, points = 0;
        double worst = 0;
        for (int n = 0; n < 300; n++) {
            BriShape a = draw_shape(&random, pairs[k][0], 1), b = draw_shape(&random, pairs[k][1], 1);
            BriFrame fa = at(0, 0, 0), fb = at(draw(&random, -0.3, 0.3), draw(&random, -0.3, 0.3), 3);
            if (a.kind == BR_SHAPE_CAPSULE || a.kind == BR_SHAPE_CYLINDER) fa = turn(fa, bri_vec(PI / 2, 0, 0));
            if (b.kind == BR_SHAPE_CAPSULE || b.kind == BR_SHAPE_CYLINDER) fb = turn(fb, bri_vec(PI / 2, 0, 0));
            fb = turn(fb, bri_vec(0, 0, draw(&random, -1, 1) * (a.kind == BR_SHAPE_CAPSULE ? 0.02 : 1)));
            fb = turn(fb, draw_vec(&random, 1e-3));
            BrMat3 R = draw_rotation(&random);
            fa.axes = bri_mat_mul(&R, &fa.axes);
            fb.axes = bri_mat_mul(&R, &fb.axes);
            fb.position = bri_mul(&R, fb.position);
            set_gap(&a, &fa, &b, &fb, draw(&random, -1e-4, 1e-3));
            int before = checked;
            worst = fmax(worst, check_rates(&random, &a, fa, &b, fb, 0.01, &checked, &missing));
            points += checked - before > 1;
        }
        assert_close(worst, 0, 1e-6);
        assert_true(points > 150);
        assert_true(missing < checked / 20);
    }
}

/* ------------------------------------------------------------------ symmetry and stability */

static void swapping_and_moving_change_nothing(void **unused) {
    (void)unused;
    Random random = {45};
    for (int i = 0; i < BR_SHAPE_KINDS; i++)
        for (int j = 0; j < BR_SHAPE_KINDS; j++)
            for (int n = 0; n < 40 && br_shapes_collide((BrShapeKind)i, (BrShapeKind)j, NULL); n++) {
                BriShape a = draw_shape(&random, (BrShapeKind)i, 1), b = draw_shape(&random, (BrShapeKind)j, 1);
                BriFrame fa = draw_frame(&random, 1), fb = draw_frame(&random, 1), g = draw_frame(&random, 10);
                BriTouch t[BRI_PATCH], swapped[BRI_PATCH], moved[BRI_PATCH];
                int count = collide(&a, &fa, &b, &fb, 1, t);
                assert_int_equal(collide(&b, &fb, &a, &fa, 1, swapped), count);
                for (int k = 0; k < count; k++) {
                    bool found = false; /* boxes and boxes: the features change names with the order */
                    for (int m = 0; m < count; m++)
                        found = found || (fabs(t[k].gap - swapped[m].gap) < 1e-12 &&
                                          vec_distance(t[k].point_a, swapped[m].point_b) < 1e-10 &&
                                          vec_distance(t[k].point_b, swapped[m].point_a) < 1e-10 &&
                                          vec_distance(t[k].normal, bri_neg(swapped[m].normal)) < 1e-10);
                    assert_true(found);
                }
                BriFrame ga = {bri_add(g.position, bri_mul(&g.axes, fa.position)), bri_mat_mul(&g.axes, &fa.axes)};
                BriFrame gb = {bri_add(g.position, bri_mul(&g.axes, fb.position)), bri_mat_mul(&g.axes, &fb.axes)};
                assert_int_equal(collide(&a, &ga, &b, &gb, 1, moved), count);
                for (int k = 0; k < count; k++) {
                    assert_int_equal(t[k].feature, moved[k].feature);
                    assert_close(t[k].gap, moved[k].gap, 1e-13);
                    BrVec3 p = bri_add(g.position, bri_mul(&g.axes, t[k].point_b));
                    assert_close(vec_distance(p, moved[k].point_b), 0, 1e-7); /* overlaps: flat minima */
                }
            }
}

/* A stack that trembles by 1e-12 keeps its features. */
static void features_stay_when_rounding_moves(void **unused) {
    (void)unused;
    Random random = {46};
    static const BrShapeKind tops[] = {BR_SHAPE_BOX, BR_SHAPE_CYLINDER, BR_SHAPE_CAPSULE, BR_SHAPE_DISC};
    BriShape base = make_shape(BR_SHAPE_BOX, 1, 1, 0.5);
    for (int k = 0; k < 4; k++)
        for (int equal = 0; equal < 2; equal++) {
            BriShape top = equal ? make_shape(tops[k], 1, 1, 0.5) : make_shape(tops[k], 0.4, 0.3, 0.2);
            double height = tops[k] == BR_SHAPE_BOX ? top.half.z : tops[k] == BR_SHAPE_DISC ? 0 : top.radius;
            BriFrame fa = at(0, 0, 0), fb = at(0, 0, 0.5 + height);
            if (tops[k] == BR_SHAPE_CYLINDER || tops[k] == BR_SHAPE_CAPSULE) fb = turn(fb, bri_vec(PI / 2, 0, 0));
            BriTouch first[BRI_PATCH], t[BRI_PATCH];
            int count = collide(&base, &fa, &top, &fb, 0.01, first);
            assert_int_equal(count, tops[k] == BR_SHAPE_BOX || tops[k] == BR_SHAPE_DISC ? 4 : 2);
            for (int n = 0; n < 300; n++) {
                BriFrame f = turn(fb, draw_vec(&random, 1e-12));
                f.position = bri_add(f.position, draw_vec(&random, 1e-12));
                assert_int_equal(collide(&base, &fa, &top, &f, 0.01, t), count);
                for (int i = 0; i < count; i++) {
                    assert_int_equal(t[i].feature, first[i].feature);
                    assert_close(t[i].gap, 0, 1e-11);
                    assert_close(t[i].normal.z, 1, 1e-15);
                }
            }
        }
}

/* b on the face of a, turned about its normal, and a little askew. */
static BriFrame lay_on(Random *random, const BriFrame *fa, const BriShape *a, const BriShape *b) {
    BriFrame f = turn((BriFrame){.axes = fa->axes}, bri_scale(draw(random, -3, 3), bri_column(&fa->axes, 2)));
    double height = (a->kind == BR_SHAPE_PLANE ? 0 : a->half.z) + b->half.z;
    if (b->kind == BR_SHAPE_CAPSULE) { /* on its side */
        f = turn(f, bri_scale(PI / 2, bri_column(&fa->axes, 0)));
        height += b->radius - b->half.z;
    }
    f = turn(f, draw_vec(random, 0.02));
    f.position =
        bri_add(fa->position, bri_mul(&fa->axes, bri_vec(draw(random, -0.4, 0.4), draw(random, -0.4, 0.4), height)));
    return f;
}

/* What follows its features from one pose to another is what a search finds there, and most does. */
static void followed_places_are_those_a_search_finds(void **unused) {
    (void)unused;
    static const BrShapeKind kinds[][2] = {{BR_SHAPE_PLANE, BR_SHAPE_BOX},
                                           {BR_SHAPE_PLANE, BR_SHAPE_CAPSULE},
                                           {BR_SHAPE_BOX, BR_SHAPE_BOX},
                                           {BR_SHAPE_BOX, BR_SHAPE_CAPSULE}};
    Random random = {47};
    for (int k = 0; k < 4; k++) {
        int followed = 0, found = 0, gone = 0;
        for (int n = 0; n < 600; n++) {
            BriShape a = k < 2 ? PLANE : make_shape(kinds[k][0], 0.5, 0.6, 0.7),
                     b = draw_shape(&random, kinds[k][1], 1);
            BriFrame fa = draw_frame(&random, 1), fb = lay_on(&random, &fa, &a, &b);
            BriTouch from[BRI_PATCH], to[BRI_PATCH];
            bool turned = n % 2; /* who is called a */
            const BriShape *x = turned ? &b : &a, *y = turned ? &a : &b;
            int count = bri_collide(x, turned ? &fb : &fa, y, turned ? &fa : &fb, 0.1, from);
            fb = turn(fb, draw_vec(&random, 0.005));
            fb.position = bri_add(fb.position, draw_vec(&random, 0.005));
            int there = bri_collide(x, turned ? &fb : &fa, y, turned ? &fa : &fb, 0.2, to);
            for (int i = 0; i < count; i++) {
                bool follows = bri_touch_follow(x, turned ? &fb : &fa, y, turned ? &fa : &fb, &from[i]);
                int j = 0;
                while (j < there && to[j].feature != from[i].feature) j++;
                found++, followed += follows, gone += j == there;
                if (!follows || j == there) continue;
                double rounding = 1e-12; /* of positions about 1 m; edges that cross at 1e-2 lose two digits */
                assert_close(from[i].gap, to[j].gap, rounding);
                assert_close(vec_distance(from[i].normal, to[j].normal), 0, rounding);
                assert_close(vec_distance(from[i].point_a, to[j].point_a), 0, rounding);
                assert_close(vec_distance(from[i].point_b, to[j].point_b), 0, rounding);
            }
        }
        assert_true(found > 600 && 2 * followed > found && 4 * gone < found);
    }
}

/* A corner that slides off its face keeps its height over the face's plane: the place does not stay behind. */
static void a_corner_beyond_its_face_stays_over_its_plane(void **unused) {
    (void)unused;
    BriShape a = make_shape(BR_SHAPE_BOX, 1, 1, 1), b = make_shape(BR_SHAPE_BOX, 1, 1, 1);
    BriFrame fa = at(0, 0, 0), fb = at(0.9, 0.3, 2.01);
    BriTouch t[BRI_PATCH];
    int count = collide(&a, &fa, &b, &fb, 0.1, t), corners = 0;
    fb = at(2.4, 0.3, 2.02); /* the corners of b at x = -0.1 are now at 1.4 */
    for (int i = 0; i < count; i++) {
        if (t[i].point_b.x > 0 || !bri_touch_follow(&a, &fa, &b, &fb, &t[i])) continue; /* edges cross no more */
        corners++;
        assert_close(t[i].gap, 0.02, 4e-15); /* rounding of 3 m */
        assert_close(t[i].point_b.x, 1.4, 4e-15);
        assert_close(t[i].point_a.x, 1.4, 4e-15);
    }
    assert_true(corners > 0);
}

static void degenerate_inputs_stay_bounded(void **unused) {
    (void)unused;
    static const double sizes[] = {0, 1e-4, 1, 1e3};
    Random random = {47};
    BriTouch t[BRI_PATCH];
    for (int i = 0; i < BR_SHAPE_KINDS; i++)
        for (int j = 0; j < BR_SHAPE_KINDS; j++)
            for (int n = 0; n < 64; n++) {
                BriShape a = draw_shape(&random, (BrShapeKind)i, sizes[n % 4]);
                BriShape b = draw_shape(&random, (BrShapeKind)j, sizes[n / 4 % 4]);
                BriFrame fa = draw_frame(&random, n < 48 ? 1 : 0), fb = fa;
                if (n >= 16) fb.axes = draw_rotation(&random);
                if (n >= 32) fb.position.x += 1e-3;
                int count = collide(&a, &fa, &b, &fb, 1e4, t);
                if (!br_shapes_collide(a.kind, b.kind, NULL))
                    assert_int_equal(count, 0);
                else if (is_convex(a.kind) && is_convex(b.kind))
                    assert_true(count > 0);
                double x = bri_shape_extent(&a), y = bri_shape_extent(&b); /* of what has an end */
                double bound = 2 * ((x < INFINITY ? x : 0) + (y < INFINITY ? y : 0) + 2e-3);
                for (int k = 0; k < count; k++) assert_true(fabs(t[k].gap) <= bound);
            }
}

/* A body that has left the numbers (or is so far out that its distances have) touches nothing, whoever asks. */
static void poses_that_are_no_numbers_touch_nothing(void **unused) {
    (void)unused;
    static const double wrong[] = {NAN, INFINITY, -INFINITY, 1e300, -1e160};
    Random random = {48};
    BriTouch t[BRI_PATCH];
    for (int i = 0; i < BR_SHAPE_KINDS; i++)
        for (int j = 0; j < BR_SHAPE_KINDS; j++)
            for (int n = 0; n < 12 * 5; n++) {
                BriShape a = draw_shape(&random, (BrShapeKind)i, 1), b = draw_shape(&random, (BrShapeKind)j, 1);
                BriFrame fa = draw_frame(&random, 0.1), fb = draw_frame(&random, 0.1);
                double *number[] = {&fb.position.x,   &fb.position.y,   &fb.position.z,   &fb.axes.m[0][0],
                                    &fb.axes.m[0][1], &fb.axes.m[0][2], &fb.axes.m[1][0], &fb.axes.m[1][1],
                                    &fb.axes.m[1][2], &fb.axes.m[2][0], &fb.axes.m[2][1], &fb.axes.m[2][2]};
                *number[n % 12] = wrong[n / 12];
                assert_int_equal(bri_collide(&a, &fa, &b, &fb, 1e9, t), 0);
                assert_int_equal(bri_collide(&b, &fb, &a, &fa, 1e9, t), 0);
                assert_int_equal(bri_collide(&b, &fb, &b, &fb, 1e9, t), 0);
            }
}

/* The least sizes there may be, and distances whose squares are next to nothing: still unit normals and finite gaps. */
static void specks_stay_bounded(void **unused) {
    (void)unused;
    static const double sizes[] = {0, 1e-50, 1e-30, 1e-12, 1, 1e50}, distances[] = {1e-300, 1e-160, 1e-150, 1e-50, 1};
    Random random = {49};
    BriTouch t[BRI_PATCH];
    for (int i = 0; i < BR_SHAPE_KINDS; i++)
        for (int j = 0; j < BR_SHAPE_KINDS; j++)
            for (int n = 0; n < 6 * 6 * 5; n++) {
                BriShape a = draw_shape(&random, (BrShapeKind)i, sizes[n % 6]);
                BriShape b = draw_shape(&random, (BrShapeKind)j, sizes[n / 6 % 6]);
                BriFrame fa = draw_frame(&random, 0), fb = draw_frame(&random, 0);
                fb.position = draw_vec(&random, distances[n / 36]);
                collide(&a, &fa, &b, &fb, 1e4, t);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_on_a_plane_stands_on_its_vertices),
        cmocka_unit_test(round_shapes_roll_on_a_plane),
        cmocka_unit_test(a_coin_lies_on_four_points_and_rolls_on_one),
        cmocka_unit_test(boxes_stack_on_four_points),
        cmocka_unit_test(capsules_and_cylinders_lie_on_two_points),
        cmocka_unit_test(spheres_touch_everything_once),
        cmocka_unit_test(a_tube_holds_what_is_inside),
        cmocka_unit_test(the_gap_moves_with_the_points),
        cmocka_unit_test(the_gap_moves_with_the_points_of_a_patch),
        cmocka_unit_test(swapping_and_moving_change_nothing),
        cmocka_unit_test(features_stay_when_rounding_moves),
        cmocka_unit_test(followed_places_are_those_a_search_finds),
        cmocka_unit_test(a_corner_beyond_its_face_stays_over_its_plane),
        cmocka_unit_test(degenerate_inputs_stay_bounded),
        cmocka_unit_test(poses_that_are_no_numbers_touch_nothing),
        cmocka_unit_test(specks_stay_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
