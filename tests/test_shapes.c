/* test_shapes.c: what shapes say about themselves: the table, farthest points, bounds, and who touches whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "geom_support.h"

static void the_table_is_complete(void **unused) {
    (void)unused;
    for (int k = 0; k < BR_SHAPE_KINDS; k++) {
        const BrShapeInfo *info = br_shape_info((BrShapeKind)k);
        assert_non_null(info);
        assert_true(strlen(info->name) > 2 && strlen(info->help) > 5);
        assert_int_equal(info->convex, is_convex((BrShapeKind)k));
        assert_in_range(info->parameters, 0, 2);
        for (int i = 0; i < info->parameters; i++) {
            assert_string_equal(info->parameter[i].unit, info->parameter[i].field == BR_SHAPE_COEFFICIENTS ? "" : "m");
            assert_true(strlen(info->parameter[i].key) > 3 && strlen(info->parameter[i].help) > 3);
        }
    }
    assert_null(br_shape_info(BR_SHAPE_KINDS));
    assert_null(br_shape_info((BrShapeKind)-1));
    assert_string_equal(br_shape_info(BR_SHAPE_PLANE)->axis, "normal");
    assert_string_equal(br_shape_info(BR_SHAPE_CAPSULE)->parameter[1].key, "length");
    assert_string_equal(br_shape_info(BR_SHAPE_BOX)->parameter[0].key, "size");
    assert_string_equal(br_shape_info(BR_SHAPE_ELLIPSOID)->parameter[0].key, "semi_axes");
}

static void refusals_have_a_reason_and_go_both_ways(void **unused) {
    (void)unused;
    int refused = 0;
    for (int a = -1; a <= BR_SHAPE_KINDS; a++)
        for (int b = -1; b <= BR_SHAPE_KINDS; b++) {
            const char *why = "unset", *yhw = "unset";
            bool ok = br_shapes_collide((BrShapeKind)a, (BrShapeKind)b, &why);
            assert_int_equal(ok, br_shapes_collide((BrShapeKind)b, (BrShapeKind)a, &yhw));
            assert_int_equal(ok, br_shapes_collide((BrShapeKind)a, (BrShapeKind)b, NULL));
            assert_true(ok ? !why : strlen(why) > 10);
            assert_true(ok ? !yhw : !strcmp(why, yhw));
            bool known = a >= 0 && b >= 0 && a < BR_SHAPE_KINDS && b < BR_SHAPE_KINDS;
            refused += known && !ok;
        }
    /* point-point; plane, tube and seven walls among each other; walls and boxes, capsules, cylinders, discs */
    assert_int_equal(refused, 1 + 9 * 9 + 2 * 7 * 4);
}

/* No point of the surface lies beyond the support point, and that lies on the surface. */
static void support_points_are_farthest(void **unused) {
    (void)unused;
    Random random = {31};
    BriFrame origin = at(0, 0, 0);
    for (int i = 0; i < CONVEX_KINDS; i++)
        for (int n = 0; n < 200; n++) {
            BriShape shape = draw_shape(&random, CONVEX[i], 2);
            BrVec3 d = bri_scale(draw(&random, 1e-3, 1e3), draw_unit(&random)), p = bri_shape_support(&shape, d);
            assert_close(measure_outside(&shape, &origin, p), 0, 1e-14);
            for (int k = 0; k < 50; k++) {
                BrVec3 q = draw_vec(&random, 3); /* of random points, those inside */
                if (measure_outside(&shape, &origin, q) > 0) continue;
                assert_true(bri_dot(d, q) <= bri_dot(d, p) * (1 + 1e-14));
            }
            assert_true(bri_norm(p) <= bri_shape_extent(&shape) * (1 + 1e-14));
        }
    BriShape box = make_shape(BR_SHAPE_BOX, 1, 2, 3);
    assert_close(vec_distance(bri_shape_support(&box, bri_vec(0, 0, 0)), bri_vec(1, 2, 3)), 0, 0); /* ties */
    assert_close(vec_distance(bri_shape_support(&box, bri_vec(0, -1, 0)), bri_vec(1, -2, 3)), 0, 0);
}

static void bounds_are_tight(void **unused) {
    (void)unused;
    Random random = {32};
    for (int i = 0; i < CONVEX_KINDS; i++)
        for (int n = 0; n < 200; n++) {
            BriShape shape = draw_shape(&random, CONVEX[i], 2);
            BriFrame f = draw_frame(&random, 5);
            BriBounds bounds = bri_shape_bounds(&shape, &f);
            for (int k = 0; k < 6; k++) {
                double s = k < 3 ? 1 : -1;
                BrVec3 e = bri_vec(k % 3 == 0 ? s : 0, k % 3 == 1 ? s : 0, k % 3 == 2 ? s : 0);
                BrVec3 p = bri_mul(&f.axes, bri_shape_support(&shape, bri_mul_t(&f.axes, e)));
                double reach = bri_dot(e, bri_add(p, f.position));
                assert_close(bri_dot(e, s > 0 ? bounds.high : bounds.low), reach, 1e-14);
            }
        }
}

static void endless_shapes_have_endless_bounds(void **unused) {
    (void)unused;
    BriShape plane = make_shape(BR_SHAPE_PLANE, 0, 0, 0), tube = make_shape(BR_SHAPE_TUBE, 1, 2, 0);
    BriFrame f = at(1, 2, 3), turned = {{1, 2, 3}, {{{0, 0, -1}, {0, 1, 0}, {1, 0, 0}}}};
    BriBounds flat = bri_shape_bounds(&plane, &f), side = bri_shape_bounds(&plane, &turned);
    BriBounds bore = bri_shape_bounds(&tube, &f);
    assert_true(flat.high.z == 3 && flat.low.z == -INFINITY && flat.high.x == INFINITY && flat.low.y == -INFINITY);
    assert_true(side.low.x == 1 && side.high.x == INFINITY && side.high.z == INFINITY); /* solid towards +x */
    assert_true(bore.low.z == 1 && bore.high.z == 5 && bore.high.x == INFINITY && bore.low.x == -INFINITY);
    assert_true(bri_shape_extent(&plane) == INFINITY);
    assert_close(bri_shape_extent(&tube), sqrt(5), 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_complete),
        cmocka_unit_test(refusals_have_a_reason_and_go_both_ways),
        cmocka_unit_test(support_points_are_farthest),
        cmocka_unit_test(bounds_are_tight),
        cmocka_unit_test(endless_shapes_have_endless_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
