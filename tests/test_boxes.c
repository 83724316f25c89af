/* test_boxes.c: free and box rows: pivoting, Lemke's method and enumeration must agree where the answer is unique, and
 * with the certificate everywhere; where there is no answer they must say so, and never where there is one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "box_support.h"
#include "linalg/dense.h"

static const double TOLERANCE = 1e-10; /* m/s; the entries are of order 1, rounding stays below 1e-13 */
static const Method METHODS[] = {bri_solve_pivoting, bri_solve_lemke, bri_solve_enumeration, bri_solve_boxes};

static void require_solved(Boxes *b, Method method, const char *what, int seed) {
    BriAnswer answer = run(b, method, TOLERANCE);
    if (answer != BRI_SOLVED)
        fail_msg("%s %d: %s says %d, residual %g, %s", what, seed, b->report.solver, answer,
                 b->report.certificate.residual, b->report.proof ? b->report.proof : "no reason");
    BriCertificate c = bri_problem_judge(&b->problem, b->r, b->u);
    assert_true(c.residual <= TOLERANCE && c.residual == b->report.certificate.residual);
}

/* All four give the same r. */
static void require_agreement(Boxes *b, const char *what, int seed) {
    double first[MOST];
    for (int m = 0; m < BRI_COUNT(METHODS); m++) {
        require_solved(b, METHODS[m], what, seed);
        if (m == 0) memcpy(first, b->r, sizeof first);
        for (int i = 0; i < b->problem.rows; i++)
            if (!(fabs(b->r[i] - first[i]) <= 1e-8 * (1 + fabs(first[i])))) /* condition below 1e3 */
                fail_msg("%s %d: row %d is %.12g with %s, %.12g before", what, seed, i, b->r[i], b->report.solver,
                         first[i]);
    }
}

/* ------------------------------------------------------------------ dense algebra */

static void test_lu_solves(void **state) {
    (void)state;
    Dice dice = {1};
    for (int n = 1; n <= 20; n++) {
        double A[400], copy[400], x[20], b[20];
        int pivot[20];
        for (int i = 0; i < n * n; i++) A[i] = copy[i] = roll(&dice);
        for (int i = 0; i < n; i++) x[i] = roll(&dice);
        for (int i = 0; i < n; i++) {
            b[i] = 0;
            for (int j = 0; j < n; j++) b[i] += A[i * n + j] * x[j];
        }
        assert_true(bri_lu_factor(A, n, n, pivot));
        bri_lu_solve(A, n, n, pivot, b);
        for (int i = 0; i < n; i++) assert_true(fabs(b[i] - x[i]) < 1e-10);
        if (n > 1) memcpy(copy, copy + n, (size_t)n * sizeof *copy); /* two equal rows */
        if (n > 1) assert_false(bri_lu_factor(copy, n, n, pivot));
    }
}

static void test_exchange_is_its_own_inverse(void **state) {
    (void)state;
    Dice dice = {2};
    double T[6 * 8], copy[6 * 8];
    for (int i = 0; i < 48; i++) T[i] = copy[i] = roll(&dice);
    bri_exchange(T, 6, 8, 8, 2, 5);
    bri_exchange(T, 6, 8, 8, 2, 5);
    for (int i = 0; i < 48; i++) assert_true(fabs(T[i] - copy[i]) < 1e-13);
}

/* ------------------------------------------------------------------ unique answers */

static void test_positive_definite(void **state) {
    (void)state;
    Dice dice = {3};
    for (int seed = 0; seed < 200; seed++) {
        int n = 1 + seed % 9;
        Boxes *b = make_boxes(n);
        fill_semidefinite(b, &dice, n, seed % 2 ? 0.5 : 0, 0.1);
        for (int i = 0; i < n; i++) b->q[i] = roll(&dice);
        require_agreement(b, "positive definite", seed);
        free(b);
    }
}

/* Free rows, lower, upper, two-sided and fixed ones, mixed. */
static void test_all_kinds_of_rows(void **state) {
    (void)state;
    Dice dice = {4};
    for (int seed = 0; seed < 300; seed++) {
        int n = 2 + seed % 8;
        Boxes *b = make_boxes(n);
        fill_semidefinite(b, &dice, n, 0.3, 0.1);
        for (int i = 0; i < n; i++) {
            BriBlock *k = &b->block[i];
            double pick = roll(&dice);
            b->q[i] = 2 * roll(&dice);
            if (pick < -0.6) {
                k->set = BRI_SET_FREE;
            } else if (pick < -0.2) {
                k->lower = -0.3 + 0.2 * roll(&dice);
                k->upper = k->lower + 0.5;
            } else if (pick < 0) {
                k->lower = -INFINITY;
                k->upper = roll(&dice);
            } else if (pick < 0.1) {
                k->lower = k->upper = roll(&dice);
            } else if (pick < 0.2) {
                k->lower = -INFINITY; /* as good as free */
            }
        }
        require_agreement(b, "mixed", seed);
        free(b);
    }
}

/* u = r + q with bounds: r is q turned round and clipped, whatever the method. */
static void test_separate_rows_have_a_closed_form(void **state) {
    (void)state;
    const double q[] = {-2, -0.5, 0.25, 3, 0}, lower = -1, upper = 0.75;
    Boxes *b = make_boxes(5);
    for (int i = 0; i < 5; i++) {
        *at(b, i, i) = 1;
        b->q[i] = q[i];
        b->block[i].lower = lower;
        b->block[i].upper = upper;
    }
    for (int m = 0; m < BRI_COUNT(METHODS); m++) {
        require_solved(b, METHODS[m], "separate", m);
        for (int i = 0; i < 5; i++) assert_true(fabs(b->r[i] - fmin(fmax(-q[i], lower), upper)) < 1e-14);
    }
    free(b);
}

/* Murty's example: 2^n - 1 pivots for the least-index rule. M lower triangular, 1 on and 2 below the diagonal, q = -1:
 * its answer is e_1; read the other way round, as some print it, e_n. */
static void test_murty_ends(void **state) {
    (void)state;
    for (int n = 2; n <= 40; n++)
        for (int turned = 0; turned < 2; turned++) {
            Boxes *b = make_boxes(n);
            for (int i = 0; i < n; i++) {
                b->q[i] = -1;
                for (int j = 0; j <= i; j++) *(turned ? at(b, j, i) : at(b, i, j)) = i == j ? 1 : 2;
            }
            BriAnswer answer = run(b, bri_solve_pivoting, TOLERANCE);
            assert_true(answer == BRI_SOLVED || answer == BRI_STOPPED_SHORT);
            assert_true(b->report.iterations <= 4 * n + 50);
            require_solved(b, bri_solve_boxes, "murty", n);
            for (int i = 0; i < n; i++) assert_true(fabs(b->r[i] - (i == (turned ? n - 1 : 0))) < 1e-12);
            free(b);
        }
}

/* ------------------------------------------------------------------ degenerate and singular ones */

/* Semidefinite of low rank and feasible by construction: q = s - W x with x, s >= 0 complementary or not. */
static void test_semidefinite_and_feasible(void **state) {
    (void)state;
    Dice dice = {5};
    for (int seed = 0; seed < 300; seed++) {
        int n = 2 + seed % 12;
        Boxes *b = make_boxes(n);
        fill_semidefinite(b, &dice, 1 + seed % n, seed % 3 == 0 ? 0.5 : 0, 0);
        double x[MOST], s[MOST];
        for (int i = 0; i < n; i++) {
            double pick = roll(&dice);
            x[i] = pick > 0 ? pick : 0;
            s[i] = pick < -0.5 ? 1 : 0; /* degenerate in between */
        }
        for (int i = 0; i < n; i++) {
            b->q[i] = s[i];
            for (int j = 0; j < n; j++) b->q[i] -= *at(b, i, j) * x[j];
        }
        require_solved(b, bri_solve_lemke, "semidefinite, lemke", seed);
        require_solved(b, bri_solve_boxes, "semidefinite", seed);
        if (n <= 8) require_solved(b, bri_solve_enumeration, "semidefinite, enumerated", seed);
        free(b);
    }
}

/* Joints that repeat each other beside contacts: the free block is singular and consistent. */
static void test_redundant_free_rows(void **state) {
    (void)state;
    Dice dice = {6};
    for (int seed = 0; seed < 100; seed++) {
        enum { N = 8, RANK = 4 };
        Boxes *b = make_boxes(N);
        double J[N][RANK];
        for (int i = 0; i < N; i++)
            for (int k = 0; k < RANK; k++) J[i][k] = i >= 2 && i < 4 ? J[i - 2][k] : roll(&dice); /* 2, 3 repeat 0, 1 */
        for (int i = 0; i < N; i++) {
            if (i < 4) b->block[i].set = BRI_SET_FREE;
            for (int j = 0; j < N; j++)
                for (int k = 0; k < RANK; k++) *at(b, i, j) += J[i][k] * J[j][k];
        }
        double v[RANK];
        for (int k = 0; k < RANK; k++) v[k] = roll(&dice);
        for (int i = 0; i < N; i++)
            for (int k = 0; k < RANK; k++) b->q[i] += J[i][k] * v[k];
        require_solved(b, bri_solve_lemke, "redundant, lemke", seed); /* rest, v' = 0 for all rows, is feasible */
        require_solved(b, bri_solve_boxes, "redundant", seed);
        require_solved(b, bri_solve_enumeration, "redundant, enumerated", seed);
        free(b);
    }
}

/* A free row without a diagonal: [0 1; -1 0] and more. Needs a box row to change roles. */
static void test_saddle(void **state) {
    (void)state;
    Dice dice = {7};
    for (int seed = 0; seed < 100; seed++) {
        int n = 2 + seed % 4;
        Boxes *b = make_boxes(2 * n); /* x (n, free, zero block), y (n) */
        double y[MOST];
        for (int i = 0; i < n; i++) {
            b->block[i].set = BRI_SET_FREE;
            y[i] = fabs(roll(&dice)) + 0.1;
            if (seed % 2) b->block[n + i].upper = 1.5;
            for (int j = 0; j < n; j++) {
                double c = roll(&dice) + (i == j ? 2 : 0);
                *at(b, i, n + j) = c;
                *at(b, n + j, i) = -c;
            }
            *at(b, n + i, n + i) = seed % 3;
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) b->q[i] -= *at(b, i, n + j) * y[j];
            b->q[n + i] = roll(&dice);
        }
        for (int m = 0; m < BRI_COUNT(METHODS); m++) {
            require_solved(b, METHODS[m], "saddle", seed);
            for (int i = 0; i < n; i++) assert_true(fabs(b->r[n + i] - y[i]) < 1e-9);
        }
        free(b);
    }
}

/* ------------------------------------------------------------------ no answer */

static void require_none(Boxes *b, Method method, const char *what, int seed) {
    BriAnswer answer = run(b, method, TOLERANCE);
    if (answer != BRI_NO_SOLUTION)
        fail_msg("%s %d: %s says %d, residual %g", what, seed, b->report.solver, answer,
                 b->report.certificate.residual);
    assert_non_null(b->report.proof);
    assert_true(b->report.certificate.residual > TOLERANCE);
}

/* W y = 0, y >= 0 and q . y < 0: no impulse opens this contact. */
static void test_infeasible_semidefinite(void **state) {
    (void)state;
    Dice dice = {8};
    for (int seed = 0; seed < 200; seed++) {
        int n = 2 + seed % 7;
        Boxes *b = make_boxes(n);
        double B[MOST][MOST], y[MOST], norm = 0, work = 0;
        for (int i = 0; i < n; i++) {
            y[i] = 0.1 + fabs(roll(&dice));
            norm += y[i] * y[i];
        }
        for (int k = 0; k < n; k++) { /* rows orthogonal to y */
            double along = 0;
            for (int i = 0; i < n; i++) along += (B[k][i] = roll(&dice)) * y[i] / norm;
            for (int i = 0; i < n; i++) B[k][i] -= along * y[i];
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < n; k++) *at(b, i, j) += B[k][i] * B[k][j];
        for (int i = 0; i < n; i++) work += (b->q[i] = roll(&dice)) * y[i];
        for (int i = 0; i < n; i++) b->q[i] -= y[i] * (work + 0.5) / norm;
        require_none(b, bri_solve_lemke, "infeasible, lemke", seed);
        require_none(b, bri_solve_boxes, "infeasible", seed);
        if (n < 8) require_none(b, bri_solve_enumeration, "infeasible, enumerated", seed);
        free(b);
    }
}

static void test_small_ones_without_answer(void **state) {
    (void)state;
    Boxes *b = make_boxes(1);
    b->q[0] = -1; /* u = -1 for all r */
    for (int m = 1; m < BRI_COUNT(METHODS); m++) require_none(b, METHODS[m], "constant", m);
    *at(b, 0, 0) = -1;
    for (int m = 2; m < BRI_COUNT(METHODS); m++) require_none(b, METHODS[m], "negative", m);
    b->block[0].set = BRI_SET_FREE; /* the same as an equation has an answer */
    require_solved(b, bri_solve_boxes, "equation", 0);
    *at(b, 0, 0) = 0;
    for (int m = 1; m < BRI_COUNT(METHODS); m++) require_none(b, METHODS[m], "contradiction", m);
    free(b);

    b = make_boxes(2); /* u1 = r2 - 1 wants r2 >= 1, u2 = r1 + 1 > 0 wants r2 = 0: feasible, and still no answer */
    *at(b, 0, 1) = *at(b, 1, 0) = 1;
    b->q[0] = -1;
    b->q[1] = 1;
    assert_int_equal(run(b, bri_solve_lemke, TOLERANCE), BRI_STOPPED_SHORT); /* a ray that proves nothing */
    assert_non_null(b->report.proof);
    require_none(b, bri_solve_enumeration, "pair", 0);
    require_none(b, bri_solve_boxes, "pair", 0);
    free(b);
}

/* Small whole numbers, random ones, zeros and ones, or semidefinite of low rank; all kinds of rows. */
static Boxes *make_anything(Dice *dice, int seed) {
    int n = 1 + seed % 7, style = seed / 7 % 4;
    Boxes *b = make_boxes(n);
    if (style == 3) fill_semidefinite(b, dice, 1 + seed / 28 % n, seed % 2 ? 0.5 : 0, 0);
    for (int i = 0; i < n; i++) {
        double pick = roll(dice);
        b->q[i] = style % 2 ? roll(dice) : floor(3 * roll(dice));
        for (int j = 0; j < n && style != 3; j++) {
            double x = roll(dice);
            *at(b, i, j) = style == 1 ? x : style == 0 ? floor(2 * x) : floor(1.5 * fabs(x));
        }
        if (pick < -0.8) b->block[i].set = BRI_SET_FREE;
        if (pick >= -0.8 && pick < -0.6) b->block[i].upper = 1;
        if (pick >= -0.6 && pick < -0.5) b->block[i].lower = -INFINITY, b->block[i].upper = 0.5;
    }
    return b;
}

/* Enumeration always has the last word here; the others may stop short but not contradict it. */
static void test_no_method_contradicts_enumeration(void **state) {
    (void)state;
    Dice dice = {9};
    int count[3] = {0};
    for (int seed = 0; seed < 3000; seed++) {
        Boxes *b = make_anything(&dice, seed);
        BriAnswer truth = run(b, bri_solve_enumeration, TOLERANCE);
        if (truth == BRI_STOPPED_SHORT) fail_msg("seed %d: enumeration has no word", seed);
        count[truth]++;
        for (int m = 0; m < BRI_COUNT(METHODS); m++) {
            BriAnswer answer = run(b, METHODS[m], TOLERANCE);
            if (answer != truth && (answer != BRI_STOPPED_SHORT || METHODS[m] == bri_solve_boxes))
                fail_msg("seed %d: %s says %d, enumeration %d", seed, b->report.solver, answer, truth);
        }
        free(b);
    }
    assert_true(count[BRI_SOLVED] > 1000 && count[BRI_NO_SOLUTION] > 1000);
}

/* ------------------------------------------------------------------ odd input */

static void test_large_and_warm(void **state) {
    (void)state;
    Dice dice = {10};
    Boxes *b = make_boxes(60);
    fill_semidefinite(b, &dice, 60, 0.2, 0.05);
    for (int i = 0; i < 60; i++) b->q[i] = roll(&dice);
    require_solved(b, bri_solve_lemke, "large, lemke", 0);
    require_solved(b, bri_solve_pivoting, "large", 0);
    double scratch[60 * 80];
    BriSolverReport report;
    assert_true(bri_pivoting_scratch(60) <= 60 * 80);
    assert_int_equal(bri_solve_pivoting(&b->problem, TOLERANCE, b->r, scratch, &report), BRI_SOLVED);
    assert_int_equal(report.iterations, 0); /* from its own answer */
    free(b);
}

static void test_numbers_that_are_none(void **state) {
    (void)state;
    Boxes *b = make_boxes(3);
    for (int i = 0; i < 3; i++) *at(b, i, i) = 1;
    b->q[1] = NAN;
    for (int m = 0; m < BRI_COUNT(METHODS); m++) {
        assert_int_not_equal(run(b, METHODS[m], TOLERANCE), BRI_SOLVED);
        assert_true(isinf(b->report.certificate.residual));
    }
    b->problem.rows = b->problem.blocks = 0; /* nothing to solve */
    for (int m = 0; m < BRI_COUNT(METHODS); m++) assert_int_equal(run(b, METHODS[m], TOLERANCE), BRI_SOLVED);
    free(b);
}

/* The natural map in another unit: impulses by 1e6, velocities by 1e-3. */
static void test_units_do_not_matter(void **state) {
    (void)state;
    Dice dice = {11};
    for (int seed = 0; seed < 50; seed++) {
        Boxes *b = make_boxes(6);
        fill_semidefinite(b, &dice, 6, 0.3, 0.1);
        for (int i = 0; i < 6; i++) b->q[i] = roll(&dice);
        require_solved(b, bri_solve_boxes, "unit", seed);
        double first[MOST];
        memcpy(first, b->r, sizeof first);
        for (int i = 0; i < 36; i++) b->W[i] *= 1e-9;
        for (int i = 0; i < 6; i++) b->q[i] *= 1e-3;
        for (int m = 0; m < BRI_COUNT(METHODS); m++) {
            assert_int_equal(run(b, METHODS[m], 1e-3 * TOLERANCE), BRI_SOLVED);
            for (int i = 0; i < 6; i++) assert_true(fabs(1e-6 * b->r[i] - first[i]) < 1e-8 * (1 + fabs(first[i])));
        }
        free(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lu_solves),
        cmocka_unit_test(test_exchange_is_its_own_inverse),
        cmocka_unit_test(test_positive_definite),
        cmocka_unit_test(test_all_kinds_of_rows),
        cmocka_unit_test(test_separate_rows_have_a_closed_form),
        cmocka_unit_test(test_murty_ends),
        cmocka_unit_test(test_semidefinite_and_feasible),
        cmocka_unit_test(test_redundant_free_rows),
        cmocka_unit_test(test_saddle),
        cmocka_unit_test(test_infeasible_semidefinite),
        cmocka_unit_test(test_small_ones_without_answer),
        cmocka_unit_test(test_no_method_contradicts_enumeration),
        cmocka_unit_test(test_large_and_warm),
        cmocka_unit_test(test_numbers_that_are_none),
        cmocka_unit_test(test_units_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
