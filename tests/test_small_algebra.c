/* test_small_algebra.c: eigenvalues against matrices made of known ones; the simplex method against all bases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/eigenvalues.h"
#include "linalg/simplex.h"

static uint64_t seed = 7;

static double random_number(double low, double high) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

/* ------------------------------------------------------------------ eigenvalues */

/* A = S D S^-1 with D of real numbers and pairs; S well conditioned: 1 and a little. */
static void eigenvalues_are_those_it_was_made_of(void **unused) {
    (void)unused;
    for (int n = 1; n <= 16; n++)
        for (int trial = 0; trial < 20; trial++) {
            double S[256], D[256] = {0}, A[256], want_re[16], want_im[16], re[16], im[16], column[16];
            int pivot[16];
            for (int i = 0; i < n * n; i++) S[i] = (i / n == i % n) + random_number(-0.3, 0.3) / n;
            for (int i = 0; i < n; i++) {
                bool pair = i + 1 < n && random_number(0, 1) < 0.5;
                want_re[i] = D[n * i + i] = random_number(-2, 2), want_im[i] = 0;
                if (!pair) continue;
                double w = random_number(0.1, 3);
                want_re[i + 1] = want_re[i], want_im[i] = w, want_im[i + 1] = -w;
                D[n * i + i + 1] = w, D[n * (i + 1) + i] = -w, D[n * (i + 1) + i + 1] = want_re[i];
                i++;
            }
            double SD[256] = {0}, transposed[256];
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    for (int k = 0; k < n; k++) SD[n * i + j] += S[n * i + k] * D[n * k + j];
                    transposed[n * j + i] = S[n * i + j];
                }
            assert_true(bri_lu_factor(transposed, n, n, pivot));
            for (int i = 0; i < n; i++) { /* row i of A: S^T a = (SD)^T */
                for (int j = 0; j < n; j++) column[j] = SD[n * i + j];
                bri_lu_solve(transposed, n, n, pivot, column);
                for (int j = 0; j < n; j++) A[n * i + j] = column[j];
            }
            assert_true(bri_eigenvalues(A, n, re, im));
            for (int i = 0; i < n; i++) {
                double nearest = 1e9;
                for (int k = 0; k < n; k++) nearest = fmin(nearest, hypot(re[k] - want_re[i], im[k] - want_im[i]));
                if (!(nearest < 1e-10)) fail_msg("%d rows: %g%+gi is missed by %g", n, want_re[i], want_im[i], nearest);
            }
        }
}

/* Zeros, ones, a defective block (its two equal eigenvalues come out to the root of rounding), what is no number. */
static void eigenvalues_of_special_matrices(void **unused) {
    (void)unused;
    double re[4], im[4];
    const double zero[4] = {0}, jordan[4] = {1, 1, 0, 1}, turn[4] = {0, 1, -1, 0},
                 cycle[16] = {0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, none[1] = {NAN};
    assert_true(bri_eigenvalues(zero, 2, re, im) && re[0] == 0 && re[1] == 0 && im[0] == 0 && im[1] == 0);
    assert_true(bri_eigenvalues(jordan, 2, re, im) && fabs(re[0] - 1) < 1e-7 && fabs(re[1] - 1) < 1e-7);
    assert_true(bri_eigenvalues(turn, 2, re, im) && fabs(re[0]) < 1e-14 && fabs(fabs(im[0]) - 1) < 1e-14);
    assert_true(
        bri_eigenvalues(cycle, 4, re, im)); /* roots of 1: a shift by the last entry alone would go in circles */
    for (int i = 0; i < 4; i++) assert_true(fabs(hypot(re[i], im[i]) - 1) < 1e-12);
    assert_false(bri_eigenvalues(none, 1, re, im));
}

/* ------------------------------------------------------------------ the simplex method */

enum { ROWS = 3, COLUMNS = 6 };

/* x of a basis (bits of columns); false: singular, or some x is negative. */
static bool solve_basis(const double A[ROWS][COLUMNS], const double *d, unsigned basis, double *x) {
    double B[ROWS * ROWS], y[ROWS];
    int pivot[ROWS], list[ROWS], count = 0;
    for (int j = 0; j < COLUMNS; j++)
        if (basis >> j & 1) list[count++] = j;
    for (int i = 0; i < ROWS; i++) {
        y[i] = d[i];
        for (int k = 0; k < ROWS; k++) B[ROWS * i + k] = A[i][list[k]];
    }
    if (!bri_lu_factor(B, ROWS, ROWS, pivot)) return false;
    bri_lu_solve(B, ROWS, ROWS, pivot, y);
    memset(x, 0, COLUMNS * sizeof *x);
    for (int k = 0; k < ROWS; k++) {
        if (y[k] < 0) return false;
        x[list[k]] = y[k];
    }
    return true;
}

/* Feasible if some basis is; the most is that of the best basis where it is bounded (sum of x = 1 is among the rows). */
static void simplex_finds_what_all_bases_have(void **unused) {
    (void)unused;
    int feasible = 0;
    for (int trial = 0; trial < 3000; trial++) {
        double A[ROWS][COLUMNS], d[ROWS], g[COLUMNS], x[COLUMNS], most = -1e9;
        BriSimplex s = {.rows = ROWS, .columns = COLUMNS};
        for (int i = 0; i < ROWS; i++) {
            d[i] = i ? random_number(-0.6, 0.6) : 1;
            s.T[i][COLUMNS] = d[i];
            for (int j = 0; j < COLUMNS; j++) s.T[i][j] = A[i][j] = i ? random_number(-1, 1) : 1;
        }
        for (int j = 0; j < COLUMNS; j++) g[j] = random_number(-1, 1);
        for (unsigned basis = 0; basis < 1u << COLUMNS; basis++) {
            double value = 0;
            if (__builtin_popcount(basis) != ROWS || !solve_basis(A, d, basis, x)) continue;
            for (int j = 0; j < COLUMNS; j++) value += g[j] * x[j];
            most = fmax(most, value);
        }
        bool found = bri_simplex_begin(&s);
        assert_int_equal(found, most > -1e8);
        if (!found) continue;
        feasible++;
        bri_simplex_point(&s, x);
        for (int i = 0; i < ROWS; i++) {
            double sum = -d[i];
            for (int j = 0; j < COLUMNS; j++) sum += A[i][j] * x[j];
            assert_true(fabs(sum) < 1e-12);
        }
        for (int j = 0; j < COLUMNS; j++) assert_true(x[j] >= 0);
        assert_true(fabs(bri_simplex_most(&s, g) - most) < 1e-10);
    }
    assert_true(feasible > 1000 && feasible < 2900);
}

/* A row that says what another says is no contradiction; without a bound there is no most. */
static void simplex_takes_dependent_rows_and_open_ends(void **unused) {
    (void)unused;
    BriSimplex s = {.rows = 2, .columns = 2, .T = {{1, -1, 1}, {2, -2, 2}}};
    const double g[2] = {1, 0}, back[2] = {-1, 0};
    assert_true(bri_simplex_begin(&s));
    assert_true(isinf(bri_simplex_most(&s, g)));
    s = (BriSimplex){.rows = 2, .columns = 2, .T = {{1, -1, 1}, {2, -2, 2}}};
    assert_true(bri_simplex_begin(&s));
    assert_true(fabs(bri_simplex_most(&s, back) + 1) < 1e-12);
    s = (BriSimplex){.rows = 2, .columns = 2, .T = {{1, -1, 1}, {2, -2, 3}}};
    assert_false(bri_simplex_begin(&s));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(eigenvalues_are_those_it_was_made_of),
                                       cmocka_unit_test(eigenvalues_of_special_matrices),
                                       cmocka_unit_test(simplex_finds_what_all_bases_have),
                                       cmocka_unit_test(simplex_takes_dependent_rows_and_open_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
