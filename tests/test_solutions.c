/* test_solutions.c: every solution of small problem files, against counts known in closed form; each is one by the
 * certificate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bristle/bristle.h"

static uint64_t seed = 3;

static double random_number(double low, double high) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

typedef struct Found {
    int count;
    bool shared;
    double r[64][8];
    int rows;
} Found;

static void note(void *user, const BrFoundSolution *s) {
    Found *f = user;
    assert_true(s->relative < 1e-8); /* the solve's own standard */
    f->shared = f->shared || s->shared;
    memcpy(f->r[f->count++], s->r, (size_t)f->rows * sizeof(double));
}

static BrSolutions find(const char *text, const char *kind, Found *found) {
    BrProblem *problem;
    BrError error = {0};
    BrSolutions all;
    if (br_problem_parse(text, strlen(text), "p.dat", kind, NULL, &problem, &error) != BR_OK)
        fail_msg("%s", error.text);
    *found = (Found){.rows = br_problem_rows(problem)};
    BrStatus status = br_problem_find_all(problem, note, found, &all, &error);
    if (status != BR_OK) fail_msg("%s", error.text);
    assert_int_equal(found->count, all.count);
    br_problem_destroy(problem);
    return all;
}

/* u = -r + q: two solutions for q > 0, none for q < 0; u = 0 r: a continuum. */
static void one_row(void **unused) {
    (void)unused;
    Found found;
    BrSolutions all = find("1 0 1 1 1 1 -1 2", "lcp", &found);
    assert_true(all.count == 2 && all.complete && !all.endless);
    assert_true(fabs(found.r[0][0] + found.r[1][0] - 2) < 1e-14 && fabs(found.r[0][0] * found.r[1][0]) < 1e-14);
    all = find("1 0 1 1 1 1 -1 -2", "lcp", &found);
    assert_true(all.count == 0 && all.complete);
}

/* -1 on the diagonal: each row by itself has two, so that there are 2^n. */
static void independent_rows_multiply(void **unused) {
    (void)unused;
    Found found;
    BrSolutions all = find("3 0 3 3 3 3 -1 0 0 0 -1 0 0 0 -1 1 2 3", "lcp", &found);
    assert_true(all.count == 8 && all.complete);
}

/* An LCP whose matrix has positive principal minors has one solution; a diagonally dominant one has. */
static void positive_minors_have_one(void **unused) {
    (void)unused;
    for (int n = 0; n < 200; n++) {
        char text[400] = "4 0 4 4 4 4";
        Found found;
        for (int i = 0; i < 20; i++) {
            double value = i < 16 ? (i % 5 == 0 ? 3.1 : random_number(-1, 1)) : random_number(-2, 2);
            snprintf(text + strlen(text), sizeof text - strlen(text), " %.12g", value);
        }
        assert_int_equal(find(text, "lcp", &found).count, 1);
    }
}

/* A rod in the plane beyond Painleve's boundary, lifted: it leaves, holds, or slides; below the boundary it leaves. */
static void friction_in_the_plane(void **unused) {
    (void)unused;
    Found found; /* W = [1.35 -.96; -.96 2.65] by columns; q = (0.9, -8) */
    BrSolutions all = find("2 1 0 2 2 2 2 1.35 -0.96 -0.96 2.65 0.9 -8 2", "friction", &found);
    assert_true(all.complete && !all.endless);
    assert_int_equal(all.count, 3);
    all = find("2 1 0 2 2 2 2 1.35 -0.96 -0.96 2.65 0.9 -8 1", "friction", &found);
    assert_int_equal(all.count, 1);
}

static void what_is_not_looked_at_is_refused(void **unused) {
    (void)unused;
    BrProblem *problem;
    BrError error = {0};
    BrSolutions all;
    Found found = {.rows = 9};
    char text[1000] = "9 0 9 9 9 9";
    for (int i = 0; i < 90; i++) strcat(text, i % 10 == 0 || i > 80 ? " 1" : " 0");
    assert_int_equal(br_problem_parse(text, strlen(text), "p.dat", "lcp", NULL, &problem, &error), BR_OK);
    assert_int_equal(br_problem_find_all(problem, note, &found, &all, &error), BR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "9 rows or contacts"));
    br_problem_destroy(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_row), cmocka_unit_test(independent_rows_multiply),
                                       cmocka_unit_test(positive_minors_have_one),
                                       cmocka_unit_test(friction_in_the_plane),
                                       cmocka_unit_test(what_is_not_looked_at_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
