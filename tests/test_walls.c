/* test_walls.c: curved walls: nearest places are nearest, bends are the normals' derivatives, splines go where they should,
 * ellipsoids and walls look at each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "geom_support.h"

static const double PI = 3.14159265358979323846;

static const BrShapeKind WALLS[] = {BR_SHAPE_BOWL,      BR_SHAPE_TORUS,      BR_SHAPE_GROOVE,  BR_SHAPE_QUADRIC,
                                    BR_SHAPE_EXTRUSION, BR_SHAPE_REVOLUTION, BR_SHAPE_FUNCTION};
enum { KINDS = 7 };

static BriShape draw_wall(Random *random, int k) { return make_wide(draw_shape(random, WALLS[k], 1)); }

/* A point near the wall, on either side of it. */
static BrVec3 draw_near(Random *random, const BriShape *wall, double far) {
    for (;;) {
        BriWallPlace place;
        BrVec3 p = draw_vec(random, wall->kind == BR_SHAPE_GROOVE ? 11 : 4);
        if (bri_wall_project(wall, p, &place)) return bri_add_scaled(place.foot, draw(random, -far, far), place.normal);
    }
}

static void feet_are_on_the_wall_and_nearest(void **unused) {
    (void)unused;
    Random random = {71};
    for (int k = 0; k < KINDS; k++)
        for (int n = 0; n < 200; n++) {
            BriShape wall = draw_wall(&random, k);
            BrVec3 p = draw_near(&random, &wall, 0.1);
            BriWallPlace at, self;
            assert_true(bri_wall_project(&wall, p, &at));
            assert_close(bri_norm(at.normal), 1, 1e-14);
            /* the foot is its own foot, and p lies over it */
            assert_true(bri_wall_project(&wall, at.foot, &self));
            assert_close(self.distance, 0, 1e-13);
            assert_close(vec_distance(bri_add_scaled(at.foot, at.distance, at.normal), p), 0, 1e-13);
            /* feet of points near p are no nearer to it */
            for (int i = 0; i < 20; i++) {
                BriWallPlace other;
                if (!bri_wall_project(&wall, bri_add(p, draw_vec(&random, 0.1)), &other)) continue;
                assert_true(vec_distance(other.foot, p) >= fabs(at.distance) - 1e-12);
            }
        }
}

static void bends_are_derivatives_of_normals(void **unused) {
    (void)unused;
    Random random = {72};
    const double e = 1e-5;
    for (int k = 0; k < KINDS; k++)
        for (int n = 0; n < 100; n++) {
            BriShape wall = draw_wall(&random, k);
            BriWallPlace at, before, after;
            assert_true(bri_wall_project(&wall, draw_near(&random, &wall, 0), &at));
            BrMat3 E = bri_rotation_frame(at.normal, draw_unit(&random));
            BrVec3 t = bri_column(&E, 0);
            if (!bri_wall_project(&wall, bri_add_scaled(at.foot, -e, t), &before) ||
                !bri_wall_project(&wall, bri_add_scaled(at.foot, e, t), &after))
                continue; /* an end */
            BrVec3 rate = bri_scale(0.5 / e, bri_sub(after.normal, before.normal));
            /* third derivatives of splines jump where their pieces meet */
            bool spline = wall.profile != NULL;
            assert_close(vec_distance(rate, bri_mul(&at.bend, t)), 0, spline ? 1e-3 : 1e-8);
            assert_close(bri_norm(bri_mul(&at.bend, at.normal)), 0, 1e-13);
        }
}

static void splines_follow_circles_and_parabolas(void **unused) {
    (void)unused;
    enum { POINTS = 32 };
    BrAllocator allocator = bri_default_allocator();
    double at[2 * POINTS];
    for (int way = -1; way <= 1; way += 2) { /* whichever way round, the inside is solid */
        for (int i = 0; i < POINTS; i++)
            at[2 * i] = 2 * cos(way * 2 * PI * i / POINTS), at[2 * i + 1] = 2 * sin(way * 2 * PI * i / POINTS);
        BriProfile *circle = bri_profile_make(at, POINTS, true, &allocator);
        for (int i = 0; i < 100; i++) {
            BriProfilePoint p;
            double t = 0.0628 * i;
            assert_true(bri_profile_nearest(circle, 3 * cos(t), 3 * sin(t), &p));
            /* order 4: (2 pi/32)^4/384 of the radius; of the bend order 2 */
            assert_close(p.distance, 1, 2e-5);
            assert_close(p.bend, 0.5, 2e-3);
            assert_true(bri_profile_nearest(circle, cos(t), sin(t), &p));
            assert_close(p.distance, -1, 2e-5);
        }
        bri_profile_release(circle, &allocator);
    }
    BriShape dish = make_shape(BR_SHAPE_REVOLUTION, 1, 1, 1);
    BriWallPlace place;
    assert_true(bri_wall_project(&dish, bri_vec(0, 0, 0.5), &place)); /* in its focus distance from the bottom */
    assert_close(place.distance, 0.5, 1e-12);
    assert_close(place.bend.m[0][0], -0.5, 5e-3); /* of order 2: its points are 0.25 m apart */
    assert_close(place.bend.m[1][1], -0.5, 5e-3);
    assert_false(bri_wall_project(&dish, bri_vec(9, 0, 9), &place)); /* beyond its rim */
}

/* A pipe and a cone turned from straight lines bend as they should all round. */
static void straight_meridians_are_round(void **unused) {
    (void)unused;
    BrAllocator allocator = bri_default_allocator();
    const double PIPE[] = {0.5, -2, 0.5, -1, 0.5, 1, 0.5, 2}, CONE[] = {0.5, 0.5, 1, 1, 1.5, 1.5, 2, 2};
    for (int n = 0; n < 2; n++) {
        BriShape wall = {.kind = BR_SHAPE_REVOLUTION,
                         .profile = bri_profile_make(n ? CONE : PIPE, 4, false, &allocator)};
        BriWallPlace place;
        assert_true(bri_wall_project(&wall, n ? bri_vec(1, 0, 1.2) : bri_vec(0.4, 0, 0.1), &place));
        /* the pipe: the way up has its axis to the left, so that it is hollow; the cone: 1/(r sqrt(2)), hollow too */
        double r = bri_norm(bri_vec(place.foot.x, place.foot.y, 0)), round = n ? -1 / (r * sqrt(2)) : -1 / r;
        assert_close(place.bend.m[1][1], round, 1e-9);
        bri_profile_release((BriProfile *)(uintptr_t)wall.profile, &allocator);
    }
}

/* Inside an ellipsoid given by its coefficients, also near its long axis, where Newton's method alone finds saddles: where the
 * bowl of the same size has its foot. */
static void quadrics_find_what_bowls_find(void **unused) {
    (void)unused;
    static const double COEFFICIENTS[10] = {-1, -1, -1. / 9, 0, 0, 0, 0, 0, 0, 1};
    BriShape quadric = {.kind = BR_SHAPE_QUADRIC, .quadric = COEFFICIENTS},
             bowl = {.kind = BR_SHAPE_BOWL, .half = {1, 1, 3}};
    Random random = {75};
    for (int n = 0; n < 500; n++) {
        BrVec3 p = bri_vec(draw(&random, -0.5, 0.5), draw(&random, -0.5, 0.5), draw(&random, -2.6, 2.6));
        BriWallPlace a, b;
        if (p.x * p.x + p.y * p.y + p.z * p.z / 9 > 0.98) continue;
        assert_true(bri_wall_project(&quadric, p, &a) && bri_wall_project(&bowl, p, &b));
        assert_close(a.distance, b.distance, 1e-9);
    }
}

/* A common normal, whatever the distance: the body's point looks at the wall, the wall at it. */
static void ellipsoids_face_their_wall(void **unused) {
    (void)unused;
    Random random = {73};
    for (int k = 0; k < KINDS; k++)
        for (int n = 0; n < 100; n++) {
            BriShape wall = draw_wall(&random, k), egg = {.kind = BR_SHAPE_ELLIPSOID, .half = {0.3, 0.2, 0.1}};
            BriFrame frame = draw_frame(&random, 1), pose = {draw_near(&random, &wall, 0), draw_rotation(&random)};
            BriWallPlace under;
            assert_true(bri_wall_project(&wall, pose.position, &under));
            pose.position =
                bri_add_scaled(pose.position, draw(&random, 0.08, 0.5), under.normal); /* overlaps of 0.2 at most */
            pose.position = bri_add(frame.position, bri_mul(&frame.axes, pose.position));
            BriConvex body = bri_convex_make(&egg, &pose);
            BriMeeting at;
            if (!bri_wall_meet(&wall, &frame, &body, &at)) continue; /* beyond an end */
            BrVec3 q = bri_mul_t(&pose.axes, bri_sub(at.body_point, pose.position));
            BrVec3 out = bri_vec(q.x / 0.09, q.y / 0.04, q.z / 0.01);
            assert_close(bri_dot(q, out), 1, 1e-12);
            assert_close(bri_dot(bri_mul(&pose.axes, out), at.normal) / bri_norm(out), -1, 1e-12);
            BriWallPlace place;
            assert_true(
                bri_wall_project(&wall, bri_mul_t(&frame.axes, bri_sub(at.wall_point, frame.position)), &place));
            assert_close(place.distance, 0, 1e-12);
            assert_close(vec_distance(bri_mul(&frame.axes, place.normal), at.normal), 0, 1e-10);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feet_are_on_the_wall_and_nearest),     cmocka_unit_test(bends_are_derivatives_of_normals),
        cmocka_unit_test(splines_follow_circles_and_parabolas), cmocka_unit_test(ellipsoids_face_their_wall),
        cmocka_unit_test(straight_meridians_are_round),         cmocka_unit_test(quadrics_find_what_bowls_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
