/* test_polygon.c: friction polygons: one particle against the projection on the polygon, exact in the plane, first
 * order in the number of sides in space, joints and bounds kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "box_support.h"
#include "io/problem_text.h"
#include "problem/polygon.h"

static const double PI = 3.14159265358979323846;
static const double TOLERANCE = 1e-10; /* m/s; entries of order 1 */

/* r of the problem by its linear one. */
static BriAnswer solve_polygon(const BriProblem *p, int sides, const double *angle, double *r,
                               BriSolverReport *report) {
    int rows = bri_polygon_rows(p, sides), blocks = bri_polygon_blocks(p, sides);
    size_t n = (size_t)rows;
    double *W = malloc(n * n * sizeof *W), *q = malloc(n * sizeof *q), *z = calloc(n, sizeof *z);
    BriBlock *block = malloc((size_t)blocks * sizeof *block);
    BriProblem linear;
    bri_polygon_build(p, sides, angle, W, q, block, &linear);
    assert_int_equal(linear.rows, rows);
    assert_int_equal(linear.blocks, blocks);
    int row = 0;
    for (int b = 0; b < blocks; b++) {
        assert_int_equal(block[b].first, row);
        row += block[b].rows;
    }
    assert_int_equal(row, rows);
    double *scratch = malloc(bri_boxes_scratch(&linear) * sizeof *scratch);
    BriAnswer answer = bri_solve_boxes(&linear, TOLERANCE, z, scratch, report);
    bri_polygon_read(p, sides, angle, z, r);
    if (answer == BRI_SOLVED) { /* the guess from the answer is as good as the answer */
        double *u = malloc((size_t)p->rows * sizeof *u), *work = malloc(n * sizeof *work);
        bri_problem_judge(p, r, u);
        bri_polygon_guess(p, sides, angle, r, u, z);
        assert_true(bri_problem_judge(&linear, z, work).residual < 1e3 * TOLERANCE);
        free(u);
        free(work);
    }
    free(W);
    free(q);
    free(z);
    free(block);
    free(scratch);
    return answer;
}

/* The point of the polygon of radius R nearest to x. */
static void project_polygon(int sides, double angle, double R, const double x[2], double out[2]) {
    double best = INFINITY;
    bool inside = true;
    for (int i = 0; i < sides; i++) {
        double a = angle + 2 * PI * i / sides, b = angle + 2 * PI * (i + 1) / sides;
        double p[2] = {R * cos(a), R * sin(a)}, e[2] = {R * cos(b) - p[0], R * sin(b) - p[1]};
        double t = ((x[0] - p[0]) * e[0] + (x[1] - p[1]) * e[1]) / (e[0] * e[0] + e[1] * e[1]);
        if (e[0] * (x[1] - p[1]) - e[1] * (x[0] - p[0]) < 0) inside = false;
        t = fmin(fmax(t, 0), 1);
        double y[2] = {p[0] + t * e[0], p[1] + t * e[1]}, d = hypot(y[0] - x[0], y[1] - x[1]);
        if (d < best) {
            best = d;
            out[0] = y[0];
            out[1] = y[1];
        }
    }
    if (inside) out[0] = x[0], out[1] = x[1];
}

/* A particle of mass m: W = I/m. r_N = -m v_N, and r_T is the point of the polygon nearest to -m v_T. */
static void test_particle_is_a_projection(void **state) {
    (void)state;
    Dice dice = {21};
    for (int seed = 0; seed < 200; seed++) {
        int sides = 3 + seed % 10;
        double m = 0.5 + fabs(roll(&dice)), mu = 0.1 + fabs(roll(&dice)), angle = 4 * roll(&dice), r[3];
        double W[9] = {1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / m}, q[3] = {roll(&dice), roll(&dice), roll(&dice)};
        BriBlock block = {.set = BRI_SET_CONE, .rows = 3, .mu = mu};
        BriProblem p = {.rows = 3, .W = W, .stride = 3, .q = q, .blocks = 1, .block = &block};
        BriSolverReport report;
        assert_int_equal(solve_polygon(&p, sides, &angle, r, &report), BRI_SOLVED);
        double normal = fmax(-m * q[0], 0), wanted[2] = {0, 0}, x[2] = {-m * q[1], -m * q[2]};
        if (normal > 0) project_polygon(sides, angle, mu * normal, x, wanted);
        assert_true(fabs(r[0] - normal) < 1e-12);
        assert_true(fabs(r[1] - wanted[0]) < 1e-9 && fabs(r[2] - wanted[1]) < 1e-9);
    }
}

/* d_0 along the force: the polygon is as good as the cone. */
static void test_side_along_the_force_is_exact(void **state) {
    (void)state;
    double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 3, -4}, r[3], u[3], angle = atan2(4, -3);
    BriBlock block = {.set = BRI_SET_CONE, .rows = 3, .mu = 0.5};
    BriProblem p = {.rows = 3, .W = W, .stride = 3, .q = q, .blocks = 1, .block = &block};
    BriSolverReport report;
    for (int sides = 3; sides < 9; sides++) {
        assert_int_equal(solve_polygon(&p, sides, &angle, r, &report), BRI_SOLVED);
        assert_true(bri_problem_judge(&p, r, u).residual < TOLERANCE);
        assert_true(fabs(r[1] + 0.3) < 1e-12 && fabs(r[2] - 0.4) < 1e-12); /* mu r_N against the sliding */
    }
}

/* Several contacts; `dimension` rows each, after a free row and a two-sided one. */
static Boxes *make_contacts(Dice *dice, int contacts, int dimension) {
    int n = 2 + contacts * dimension;
    Boxes *b = make_boxes(n);
    fill_semidefinite(b, dice, n, 0, 0.05);
    for (int i = 0; i < n; i++) b->q[i] = roll(dice);
    b->block[0].set = BRI_SET_FREE;
    b->block[1].lower = -0.2;
    b->block[1].upper = 0.2;
    for (int k = 0; k < contacts; k++)
        b->block[2 + k] = (BriBlock){.set = BRI_SET_CONE, .first = 2 + dimension * k, .rows = dimension, .mu = 0.3};
    b->problem.blocks = 2 + contacts;
    return b;
}

static void test_plane_is_exact(void **state) {
    (void)state;
    Dice dice = {22};
    for (int seed = 0; seed < 60; seed++) {
        Boxes *b = make_contacts(&dice, 1 + seed % 5, 2);
        BriAnswer answer = solve_polygon(&b->problem, 3, NULL, b->r, &b->report);
        if (answer != BRI_SOLVED) fail_msg("seed %d: %s", seed, b->report.proof ? b->report.proof : b->report.solver);
        BriCertificate c = bri_problem_judge(&b->problem, b->r, b->u);
        if (!(c.residual < 1e-8)) fail_msg("seed %d: residual %g in block %d", seed, c.residual, c.worst);
        free(b);
    }
}

/* Stored problems in the plane (shared/data/problems; "../shared/data" unless BRISTLE_DATA says else): the polygon's
 * answer is the cone's. Gauss-Seidel does not solve the first in 20 000 sweeps. */
static void test_stored_problems_in_the_plane(void **state) {
    (void)state;
    static const char *const FILES[] = {"FC2D_SliderCrankLagrangian00000.dat", "FrictionContactProblem00031.dat",
                                        "FrictionContactProblem00071.dat"};
    const char *data = getenv("BRISTLE_DATA");
    for (int i = 0; i < BRI_COUNT(FILES); i++) {
        char path[1024];
        BrProblem *file;
        BrError error;
        BriSolverReport report;
        snprintf(path, sizeof path, "%s/problems/fc2d/%s", data && *data ? data : "../shared/data", FILES[i]);
        BrStatus status = br_problem_load(path, NULL, NULL, &file, &error);
        if (status == BR_IO) skip();
        if (status != BR_OK) fail_msg("%s: %s", path, error.text);
        const BriProblem *p = &file->problem;
        double *r = calloc((size_t)p->rows, sizeof *r), *u = calloc((size_t)p->rows, sizeof *u);
        assert_int_equal(solve_polygon(p, 3, NULL, r, &report), BRI_SOLVED);
        BriCertificate c = bri_problem_judge(p, r, u);
        if (!(c.relative < 1e-10)) fail_msg("%s: residual %g", path, c.relative);
        free(r);
        free(u);
        br_problem_destroy(file);
    }
}

/* Twice the sides, half the error: what slides is pushed along a corner, up to pi/n off; 0.6 leaves room for chance. */
static void test_more_sides_come_nearer(void **state) {
    (void)state;
    Dice dice = {23};
    double sum[3] = {0, 0, 0};
    for (int seed = 0; seed < 30; seed++) {
        Boxes *b = make_contacts(&dice, 2, 3);
        const double angle[2] = {0.3, 1.1};
        for (int k = 0; k < 3; k++) {
            assert_int_equal(solve_polygon(&b->problem, 6 << k, angle, b->r, &b->report), BRI_SOLVED);
            for (int c = 2; c < 4; c++) {
                const double *r = b->r + b->block[c].first;
                assert_true(hypot(r[1], r[2]) <= 0.3 * r[0] + 1e-9); /* inside the cone */
            }
            double error = bri_problem_judge(&b->problem, b->r, b->u).residual;
            sum[k] += error * error;
        }
        free(b);
    }
    assert_true(sqrt(sum[1]) < 0.6 * sqrt(sum[0]) && sqrt(sum[2]) < 0.6 * sqrt(sum[1]));
}

/* No friction: beta must be zero whatever gamma does. */
static void test_without_friction(void **state) {
    (void)state;
    double W[9] = {2, 0.5, 0, 0.5, 1, 0, 0, 0, 1}, q[3] = {-1, 3, -4}, r[3];
    BriBlock block = {.set = BRI_SET_CONE, .rows = 3, .mu = 0};
    BriProblem p = {.rows = 3, .W = W, .stride = 3, .q = q, .blocks = 1, .block = &block};
    BriSolverReport report;
    assert_int_equal(solve_polygon(&p, 4, NULL, r, &report), BRI_SOLVED);
    assert_true(fabs(r[0] - 0.5) < 1e-12 && fabs(r[1]) < 1e-12 && fabs(r[2]) < 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_particle_is_a_projection), cmocka_unit_test(test_side_along_the_force_is_exact),
        cmocka_unit_test(test_plane_is_exact),           cmocka_unit_test(test_stored_problems_in_the_plane),
        cmocka_unit_test(test_more_sides_come_nearer),   cmocka_unit_test(test_without_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
