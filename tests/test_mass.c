/* Masses of shapes: closed forms, grids and fine slices of what they fill, parallel axes, turned worlds; and that motions do not
 * know how a body was described. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geom/profile.h"
#include "machine.h"

static const double ROUNDING = 1e-12; /* of the largest number compared: some thousand roundings */

/* ------------------------------------------------------------------ help */

static BrShapeDef shape(BrShapeKind kind) {
    BrShapeDef def = br_default_shape_def();
    def.kind = kind;
    return def;
}

static BrMass weigh(const BrShapeDef *def, double density) {
    BrMass mass;
    BrError error = {0};
    if (br_shape_mass(def, density, &mass, &error) != BR_OK) fail_msg("%s", error.text);
    return mass;
}

static BrMass weigh_given(const BrShapeDef *def, double kilograms) {
    BrMass mass;
    BrError error = {0};
    if (br_shape_mass_given(def, kilograms, &mass, &error) != BR_OK) fail_msg("%s", error.text);
    return mass;
}

/* `size`: the largest length there is; masses and moments are compared as parts of m and m size^2. */
static void check_mass(const BrMass *got, const BrMass *wanted, double size, double part) {
    double m = wanted->mass, c = norm(sub(got->centre, wanted->centre));
    if (!(fabs(got->mass - m) <= part * m)) fail_msg("mass %.17g instead of %.17g kg", got->mass, m);
    if (!(c <= part * size)) fail_msg("the centre is off by %.3g m", c);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (!(fabs(got->inertia.m[i][k] - wanted->inertia.m[i][k]) <= part * m * size * size))
                fail_msg("inertia %d%d is %.17g instead of %.17g kg m^2", i + 1, k + 1, got->inertia.m[i][k],
                         wanted->inertia.m[i][k]);
}

static BrMass body(double mass, double x, double y, double z) { return (BrMass){mass, {0, 0, 0}, diagonal(x, y, z)}; }

/* ------------------------------------------------------------------ closed forms */

/* As handbooks have them, in masses and diameters rather than in volumes and halves. */
static void shapes_weigh_what_handbooks_say(void **state) {
    (void)state;
    const double rho = 7850, r = 0.3, L = 0.8, R = 1.1, a = 0.2, b = 0.5, c = 0.7;
    BrShapeDef def = shape(BR_SHAPE_SPHERE);
    def.radius = r;
    double m = rho * 4 / 3 * PI * pow(r, 3);
    BrMass got = weigh(&def, rho), wanted = body(m, 0.4 * m * r * r, 0.4 * m * r * r, 0.4 * m * r * r);
    check_mass(&got, &wanted, r, ROUNDING);

    def = shape(BR_SHAPE_BOX);
    def.size = vec(a, b, c);
    m = rho * a * b * c;
    got = weigh(&def, rho),
    wanted = body(m, m * (b * b + c * c) / 12, m * (a * a + c * c) / 12, m * (a * a + b * b) / 12);
    check_mass(&got, &wanted, c, ROUNDING);

    def = shape(BR_SHAPE_CYLINDER);
    def.radius = r, def.length = L;
    m = rho * PI * r * r * L;
    got = weigh(&def, rho);
    wanted = body(m, m * (3 * r * r + L * L) / 12, m * (3 * r * r + L * L) / 12, m * r * r / 2);
    check_mass(&got, &wanted, L, ROUNDING);

    def = shape(BR_SHAPE_CAPSULE);
    def.radius = r, def.length = L;
    double mc = rho * PI * r * r * L, mh = rho * 2 / 3 * PI * pow(r, 3); /* the rod, and each half of the ball */
    double across = mc * (L * L / 12 + r * r / 4) +
                    2 * mh * (2 * r * r / 5 - pow(3 * r / 8, 2) + pow(L / 2 + 3 * r / 8, 2)); /* by Steiner, twice */
    m = mc + 2 * mh;
    got = weigh(&def, rho), wanted = body(m, across, across, mc * r * r / 2 + 2 * mh * 2 * r * r / 5);
    check_mass(&got, &wanted, L, ROUNDING);

    def = shape(BR_SHAPE_ELLIPSOID);
    def.size = vec(a, b, c);
    m = rho * 4 / 3 * PI * a * b * c;
    got = weigh(&def, rho), wanted = body(m, m * (b * b + c * c) / 5, m * (a * a + c * c) / 5, m * (a * a + b * b) / 5);
    check_mass(&got, &wanted, c, ROUNDING);

    def = shape(BR_SHAPE_TORUS);
    def.radius = r, def.ring_radius = R;
    m = rho * PI * r * r * 2 * PI * R; /* Pappus */
    across = m * (5 * r * r / 8 + R * R / 2);
    got = weigh(&def, rho), wanted = body(m, across, across, m * (3 * r * r / 4 + R * R));
    check_mass(&got, &wanted, R, ROUNDING);

    def = shape(BR_SHAPE_DISC);
    def.radius = r;
    got = weigh_given(&def, 3), wanted = body(3, 3 * r * r / 4, 3 * r * r / 4, 3 * r * r / 2);
    check_mass(&got, &wanted, r, ROUNDING);

    def = shape(BR_SHAPE_POINT);
    def.position_body = vec(1, 2, 3);
    got = weigh_given(&def, 3), wanted = body(3, 0, 0, 0), wanted.centre = vec(1, 2, 3);
    check_mass(&got, &wanted, 4, 0);
}

/* Straight meridians stay straight as splines: a cone's frustum, and as its limit a cylinder. */
static void straight_revolutions_are_cones(void **state) {
    (void)state;
    const double rho = 2700, h = 0.6;
    const double radii[][2] = {{0.3, 0.3}, {0.3, 0.1}, {0.05, 0.4}}; /* above, below */
    for (int i = 0; i < 3; i++) {
        double points[8], r1 = radii[i][0], r2 = radii[i][1];
        for (int k = 0; k < 4; k++) points[2 * k] = r1 + (r2 - r1) * k / 3, points[2 * k + 1] = 5 + h / 2 - h * k / 3;
        BrShapeDef def = shape(BR_SHAPE_REVOLUTION);
        def.points = points, def.point_count = 4;
        double cubes = r1 * r1 + r1 * r2 + r2 * r2, V = PI * h / 3 * cubes;
        double z = 5 - h / 2 + h * (r2 * r2 + 2 * r1 * r2 + 3 * r1 * r1) / (4 * cubes); /* from the lower face */
        double fifths = pow(r1, 4) + pow(r1, 3) * r2 + r1 * r1 * r2 * r2 + r1 * pow(r2, 3) + pow(r2, 4);
        double along = rho * PI * h / 10 * fifths;
        double squares = PI * pow(h, 3) * (r2 * r2 + 3 * r1 * r2 + 6 * r1 * r1) / 30; /* of z from the lower face */
        double across = along / 2 + rho * (squares - V * pow(z - 5 + h / 2, 2));
        BrMass got = weigh(&def, rho), wanted = body(rho * V, across, across, along);
        wanted.centre = vec(0, 0, z);
        check_mass(&got, &wanted, h, ROUNDING);
    }
}

/* ------------------------------------------------------------------ grids */

static bool is_inside(const BrShapeDef *d, BrVec3 p) {
    double rho = hypot(p.x, p.y), h = d->length / 2;
    switch (d->kind) {
    case BR_SHAPE_SPHERE: return norm(p) <= d->radius;
    case BR_SHAPE_BOX: return fabs(p.x) <= d->size.x / 2 && fabs(p.y) <= d->size.y / 2 && fabs(p.z) <= d->size.z / 2;
    case BR_SHAPE_CYLINDER: return rho <= d->radius && fabs(p.z) <= h;
    case BR_SHAPE_CAPSULE: return hypot(rho, fmax(fabs(p.z) - h, 0)) <= d->radius;
    case BR_SHAPE_ELLIPSOID: return norm(vec(p.x / d->size.x, p.y / d->size.y, p.z / d->size.z)) <= 1;
    default: return hypot(rho - d->ring_radius, p.z) <= d->radius;
    }
}

/* Cells whose middle is inside: a part of about N^-3/2 is miscounted at the surface, a few times that in moments. */
static void shapes_weigh_what_their_grids_do(void **state) {
    (void)state;
    const BrShapeKind kinds[] = {BR_SHAPE_SPHERE,  BR_SHAPE_BOX,       BR_SHAPE_CYLINDER,
                                 BR_SHAPE_CAPSULE, BR_SHAPE_ELLIPSOID, BR_SHAPE_TORUS};
    const int N = 72;
    for (int i = 0; i < 6; i++) {
        BrShapeDef def = shape(kinds[i]);
        def.radius = 0.31, def.length = 0.55, def.ring_radius = 0.66, def.size = vec(0.7, 0.9, 0.5);
        def.rotation_body = turn_about(vec(0.3, 1, 0.5), 0.7); /* else whole faces would fall between cells */
        const double half = 1, cell = pow(2 * half / N, 3);
        double first[3] = {0}, second[3][3] = {{0}}, count = 0;
        for (int n = 0; n < N * N * N; n++) {
            BrVec3 p = vec(((n % N) + 0.5) * 2 * half / N - half, ((n / N % N) + 0.5) * 2 * half / N - half,
                           ((n / N / N) + 0.5) * 2 * half / N - half);
            if (!is_inside(&def, rotate_back(&def.rotation_body, p))) continue;
            const double x[3] = {p.x, p.y, p.z};
            count++;
            for (int j = 0; j < 3; j++) {
                first[j] += x[j];
                for (int k = 0; k < 3; k++) second[j][k] += x[j] * x[k];
            }
        }
        BrMass got = weigh(&def, 1),
               wanted = {count * cell, vec(first[0] / count, first[1] / count, first[2] / count), {{{0}}}};
        double trace = second[0][0] + second[1][1] + second[2][2];
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) wanted.inertia.m[j][k] = cell * ((j == k ? trace : 0) - second[j][k]);
        check_mass(&got, &wanted, 1, 4 * pow(N, -1.5));
    }
}

/* ------------------------------------------------------------------ profiles */

enum { CUTS = 4000 }; /* of each piece: slices are off by their square */
static const double SLICES = 1e-6;

static const double CAM[] = {0.13, 0.02, 0.05, 0.15, -0.08, 0.09, -0.1, -0.03, -0.01, -0.12, 0.09, -0.07};

/* A fan of triangles about a point, each as if its mass were in the middles of its sides. */
static void extrusions_weigh_what_their_triangles_do(void **state) {
    (void)state;
    const double length = 0.4, rho = 1200;
    BrAllocator allocator = bri_default_allocator();
    for (int far = 0; far < 2; far++) { /* a cam far off its body's axes weighs the same there */
        double points[12], shift[2] = {far * 30., far * -7.}, A = 0, c[2] = {0}, s[3] = {0};
        for (int i = 0; i < 12; i++) points[i] = CAM[i] + shift[i % 2];
        BrShapeDef def = shape(BR_SHAPE_EXTRUSION);
        def.points = points, def.point_count = 6, def.length = length;
        BriProfile *profile = bri_profile_make(points, 6, true, &allocator);
        assert_non_null(profile);
        double last[2], at[2], way[2];
        bri_profile_place(profile, 0, 0, last, way);
        for (int n = 1; n <= 6 * CUTS; n++) {
            bri_profile_place(profile, (n - 1) / CUTS, (double)((n - 1) % CUTS + 1) / CUTS, at, way);
            double x[3] = {0, last[0] - shift[0], at[0] - shift[0]}, y[3] = {0, last[1] - shift[1], at[1] - shift[1]};
            double area = 0.5 * (x[2] * y[1] - x[1] * y[2]); /* the profile goes round by the right */
            A += area;
            for (int k = 0; k < 3; k++) {
                double mx = 0.5 * (x[k] + x[(k + 1) % 3]), my = 0.5 * (y[k] + y[(k + 1) % 3]);
                c[0] += area / 3 * mx, c[1] += area / 3 * my;
                s[0] += area / 3 * mx * mx, s[1] += area / 3 * my * my, s[2] += area / 3 * mx * my;
            }
            memcpy(last, at, sizeof last);
        }
        bri_profile_release(profile, &allocator);
        double m = rho * A * length, x = c[0] / A, y = c[1] / A;
        double xx = m * (s[0] / A - x * x), yy = m * (s[1] / A - y * y), xy = m * (s[2] / A - x * y),
               zz = m * length * length / 12;
        BrMass wanted = body(m, yy + zz, xx + zz, xx + yy), got = weigh(&def, rho);
        wanted.inertia.m[0][1] = wanted.inertia.m[1][0] = -xy;
        wanted.centre = vec(shift[0] + x, shift[1] + y, 0);
        assert_true(fabs(xy) > 0.01 * xx); /* it leans: the product counts */
        check_mass(&got, &wanted, 0.4, SLICES);
    }
}

static void revolutions_weigh_what_their_discs_do(void **state) {
    (void)state;
    const double rho = 850, points[] = {0, 0.31, 0.12, 0.28, 0.2, 0.1, 0.08, -0.05, 0.15, -0.2, 0.11, -0.25};
    BrAllocator allocator = bri_default_allocator();
    BriProfile *profile = bri_profile_make(points, 6, false, &allocator);
    assert_non_null(profile);
    double m = 0, z = 0, zz = 0, xx = 0, last[2], at[2], way[2];
    bri_profile_place(profile, 0, 0, last, way);
    for (int n = 1; n <= 5 * CUTS; n++) {
        bri_profile_place(profile, (n - 1) / CUTS, (double)((n - 1) % CUTS + 1) / CUTS, at, way);
        double r = 0.5 * (last[0] + at[0]), middle = 0.5 * (last[1] + at[1]),
               disc = rho * PI * r * r * (last[1] - at[1]);
        m += disc, z += disc * middle, zz += disc * middle * middle, xx += disc * r * r / 4;
        memcpy(last, at, sizeof last);
    }
    bri_profile_release(profile, &allocator);
    BrShapeDef def = shape(BR_SHAPE_REVOLUTION);
    def.points = points, def.point_count = 6;
    BrMass got = weigh(&def, rho), wanted = body(m, xx + zz - z * z / m, xx + zz - z * z / m, 2 * xx);
    wanted.centre = vec(0, 0, z / m);
    check_mass(&got, &wanted, 0.3, SLICES);
}

/* ------------------------------------------------------------------ compounds */

/* A box is its eight parts, whatever the order, and wherever the whole of it is. */
static void parts_make_the_whole(void **state) {
    (void)state;
    const double rho = 2400;
    BrVec3 size = vec(0.7, 0.4, 1.3), place = vec(3, -2, 5);
    BrMat3 turn = turn_about(vec(1, 2, -0.5), 1.1);
    BrShapeDef whole = shape(BR_SHAPE_BOX);
    whole.size = size, whole.position_body = place, whole.rotation_body = turn;
    BrMass sum = {0}, wanted = weigh(&whole, rho);
    const int order[] = {3, 6, 0, 7, 1, 4, 2, 5};
    for (int i = 0; i < 8; i++) {
        int k = order[i];
        BrVec3 cut = vec(k & 1 ? 0.3 : 0.7, k & 2 ? 0.2 : 0.8, k & 4 ? 0.55 : 0.45); /* parts of the edges */
        BrShapeDef part = shape(BR_SHAPE_BOX);
        part.size = vec(cut.x * size.x, cut.y * size.y, cut.z * size.z);
        BrVec3 at = vec((k & 1 ? 1 - cut.x / 2 : cut.x / 2) - 0.5, (k & 2 ? 1 - cut.y / 2 : cut.y / 2) - 0.5,
                        (k & 4 ? 1 - cut.z / 2 : cut.z / 2) - 0.5);
        part.position_body = add(place, rotate(&turn, vec(at.x * size.x, at.y * size.y, at.z * size.z)));
        part.rotation_body = turn;
        sum = br_mass_add(sum, weigh(&part, rho));
    }
    check_mass(&sum, &wanted, 6.2, ROUNDING);
}

/* m = 1 ... 1e9 to one: two points on a rod turn about it by their reduced mass alone. */
static void heavy_and_light_parts_add_up(void **state) {
    (void)state;
    for (double ratio = 1; ratio < 1e10; ratio *= 10) {
        BrShapeDef point = shape(BR_SHAPE_POINT);
        BrMass one = weigh_given(&point, 1), other;
        point.position_body = vec(0, 0, 2);
        other = weigh_given(&point, ratio);
        BrMass sum = br_mass_add(one, other), back = br_mass_add(other, one);
        double reduced = ratio / (1 + ratio), wanted = 4 * reduced;
        assert_true(fabs(sum.inertia.m[0][0] - wanted) <= 4e-16 * wanted); /* a few roundings: nothing cancels */
        assert_true(fabs(back.inertia.m[0][0] - wanted) <= 4e-16 * wanted);
        assert_true(sum.inertia.m[2][2] == 0 && fabs(sum.centre.z - 2 * reduced) <= 1e-15);
    }
}

static void turned_worlds_weigh_the_same(void **state) {
    (void)state;
    BrMat3 turn = turn_about(vec(-1, 0.4, 2), 2.3);
    BrVec3 place = vec(0.4, 1.2, -0.9);
    BrShapeDef a = shape(BR_SHAPE_CAPSULE), b = shape(BR_SHAPE_EXTRUSION);
    a.radius = 0.1, a.length = 0.6, a.position_body = vec(0.2, 0, 0.1), a.rotation_body = turn_about(vec(0, 1, 0), 0.4);
    b.points = CAM, b.point_count = 6, b.length = 0.2, b.position_body = vec(0, -0.3, 0);
    BrMass before = br_mass_move(br_mass_add(weigh(&a, 1000), weigh(&b, 3000)), place, &turn);
    BrShapeDef *both[2] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        BrMat3 own = both[i]->rotation_body;
        for (int k = 0; k < 3; k++) {
            BrVec3 column = rotate(&turn, vec(own.m[0][k], own.m[1][k], own.m[2][k]));
            both[i]->rotation_body.m[0][k] = column.x;
            both[i]->rotation_body.m[1][k] = column.y;
            both[i]->rotation_body.m[2][k] = column.z;
        }
        both[i]->position_body = add(place, rotate(&turn, both[i]->position_body));
    }
    BrMass after = br_mass_add(weigh(&a, 1000), weigh(&b, 3000));
    check_mass(&after, &before, 1.5, ROUNDING);
}

/* ------------------------------------------------------------------ frames and refusals */

/* A frame stays where it was put, however often the mass behind it changes. */
static void frames_stay(void **state) {
    (void)state;
    BrBodyDef def = br_default_body_def();
    def.position = vec(1, 2, 3), def.rotation = turn_about(vec(0, 0, 1), PI / 2);
    BrMass light = body(1, 1, 1, 1), heavy = body(5, 2, 2, 2);
    light.centre = vec(0.5, 0, 0), heavy.centre = vec(0, 0.25, 1);
    br_body_def_set_mass(&def, &light);
    assert_true(norm(sub(def.position, vec(1, 2.5, 3))) < 1e-15);
    br_body_def_set_mass(&def, &heavy);
    assert_true(norm(sub(def.position, vec(0.75, 2, 4))) < 1e-15);
    assert_true(def.mass == 5 && def.inertia.m[0][0] == 2);
    Machine m = machine_begin(vec(0, 0, 0));
    def.name = "b";
    BrBodyId id = machine_add_body(&m, &def);
    machine_ready(&m);
    BrPose frame;
    assert_int_equal(br_body_frame(m.model, m.state, id, &frame), BR_OK);
    assert_true(norm(sub(frame.position, vec(1, 2, 3))) < 1e-15);
    assert_int_equal(br_body_frame(m.model, m.state, m.ground, &frame), BR_OK);
    assert_true(norm(frame.position) == 0);
    assert_int_equal(br_body_frame(m.model, m.state, id, NULL), BR_INVALID_ARGUMENT);
    machine_end(&m);
}

static void check_refusal(const BrShapeDef *def, double density, double kilograms, const char *phrase) {
    BrError error = {0};
    BrMass mass;
    BrStatus status = kilograms != 0 ? br_shape_mass_given(def, kilograms, &mass, &error)
                                     : br_shape_mass(def, density, &mass, &error);
    assert_int_equal(status, BR_INVALID_ARGUMENT);
    if (!strstr(error.text, phrase)) fail_msg("'%s' does not say '%s'", error.text, phrase);
}

static void what_fills_nothing_is_refused(void **state) {
    (void)state;
    const double outside[] = {0.1, -0.2, 0.15, -0.1, 0.15, 0.1, 0.1, 0.2};
    BrShapeDef def = shape(BR_SHAPE_PLANE);
    check_refusal(&def, 1, 0, "a plane has no volume that ends");
    check_refusal(&def, 0, 1, "a plane has no volume that ends");
    def = shape(BR_SHAPE_TUBE), def.radius = 1, def.length = 1;
    check_refusal(&def, 1, 0, "a tube has no volume that ends");
    def = shape(BR_SHAPE_BOWL), def.size = vec(1, 1, 1);
    check_refusal(&def, 1, 0, "a bowl has no volume that ends");
    def = shape(BR_SHAPE_GROOVE), def.radius = 0.1, def.ring_radius = 1;
    check_refusal(&def, 1, 0, "a groove has no volume that ends");
    def = shape(BR_SHAPE_QUADRIC), def.quadric[0] = def.quadric[1] = def.quadric[2] = 1, def.quadric[9] = -1;
    check_refusal(&def, 1, 0, "a quadric has no volume that ends");
    def = shape(BR_SHAPE_DISC), def.radius = 1;
    check_refusal(&def, 1, 0, "a disc has no volume for a density of 1 kg/m^3 to fill; give its mass");
    def = shape(BR_SHAPE_POINT);
    check_refusal(&def, 1, 0, "a point has no volume for a density");
    def = shape(BR_SHAPE_REVOLUTION), def.points = outside, def.point_count = 4;
    check_refusal(&def, 1, 0, "let the solid lie to their right");
    def = shape(BR_SHAPE_SPHERE), def.radius = 1;
    check_refusal(&def, -7800, 0, "the density of a shape is -7800 kg/m^3");
    check_refusal(&def, 0, -1, "the mass of a shape is -1 kg");
    def.radius = 0;
    check_refusal(&def, 1, 0, "it must be positive");
    BrMass mass;
    assert_int_equal(br_shape_mass(NULL, 1, &mass, NULL), BR_INVALID_ARGUMENT);
    assert_int_equal(br_shape_mass_given(&def, 1, NULL, NULL), BR_INVALID_ARGUMENT);
    assert_int_equal(br_shape_mass(&(BrShapeDef){0}, 1, &mass, NULL), BR_INVALID_DEF);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_weigh_what_handbooks_say),
        cmocka_unit_test(straight_revolutions_are_cones),
        cmocka_unit_test(shapes_weigh_what_their_grids_do),
        cmocka_unit_test(extrusions_weigh_what_their_triangles_do),
        cmocka_unit_test(revolutions_weigh_what_their_discs_do),
        cmocka_unit_test(parts_make_the_whole),
        cmocka_unit_test(heavy_and_light_parts_add_up),
        cmocka_unit_test(turned_worlds_weigh_the_same),
        cmocka_unit_test(frames_stay),
        cmocka_unit_test(what_fills_nothing_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
