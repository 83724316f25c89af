/* test_newton.c: many contacts at once: redundant tables, duplicated contacts, random problems of every kind, and what
 * a chooser must do with them. One certificate judges all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cone_support.h"

static double dissipation(const Sample *s) {
    double power = 0;
    for (int k = 0; k < s->problem.blocks; k++)
        for (int i = 1; i < s->block[k].rows; i++) power += s->r[s->block[k].first + i] * s->u[s->block[k].first + i];
    return power;
}

/* 12 rows, rank 6; with ten contacts at each... three at each corner, 36 rows: rest and slide are exact all the same.
 */
static void redundant_table(void **state) {
    (void)state;
    Sample s = {0};
    const double rest[6] = {0.002, 0.001, -0.01}, slide[6] = {0.05, 0.03, -0.01};
    const double topple[6] = {0.3, 0, -0.02, 0, 0.7, 0.1};
    for (int copies = 1; copies <= 4; copies += 3)
        for (int k = 0; k < 3; k++) {
            make_table(&s, copies, 0.4, k == 0 ? rest : k == 1 ? slide : topple);
            BriSolverReport report;
            assert_int_equal(bri_solve_newton(&s.problem, 1e-12, s.r, s.scratch, &report), BRI_SOLVED);
            BriCertificate c = bri_problem_judge(&s.problem, s.r, s.u);
            assert_true(c.residual <= 1e-15 && c.residual == report.certificate.residual);
            assert_true(dissipation(&s) <= 1e-18);
            double load = 0;
            for (int i = 0; i < s.problem.rows; i += 3) load += s.r[i];
            if (k < 2) assert_near(load, 0.1, 1e-14); /* 10 kg stopped from 0.01 m/s */
            if (k == 1) assert_near(s.u[2] / s.u[1], 0.6, 1e-12);
        }
    free(s.scratch);
}

/* A warm start in the right modes takes one or two steps; bits repeat. */
static void warm_start_is_quick_and_repeatable(void **state) {
    (void)state;
    Sample s = {0};
    make_table(&s, 1, 0.4, (const double[6]){0.05, 0.03, -0.01});
    BriSolverReport report;
    bri_solve_newton(&s.problem, 1e-12, s.r, s.scratch, &report);
    double start[12], first[12];
    memcpy(start, s.r, sizeof start);
    for (int i = 0; i < 12; i++) s.q[i] *= 1.01;
    assert_int_equal(bri_solve_newton(&s.problem, 1e-12, s.r, s.scratch, &report), BRI_SOLVED);
    assert_true(report.iterations <= 4);
    memcpy(first, s.r, sizeof first);
    memcpy(s.r, start, sizeof start);
    bri_solve_newton(&s.problem, 1e-12, s.r, s.scratch, &report);
    assert_memory_equal(first, s.r, sizeof first);
    free(s.scratch);
}

/* Random problems with mu up to 1: all are solved to rounding. kinds: 0 full rank, 1 unsymmetric by 1e-3, 2 rank at
 * most half, 3 inverse masses over six decades, 4 cones beside boxes and free blocks. */
static void random_problems(void **state) {
    (void)state;
    uint64_t seed = 3;
    Sample s = {0};
    for (int k = 0; k < 1500; k++) {
        int kind = k % 5, contacts = 1 + (int)(10 * fabs(random_number(&seed))), rows = k % 3 ? 3 : 2;
        double mu = k % 7 ? fabs(random_number(&seed)) : 0;
        s = (Sample){.scratch = s.scratch};
        if (kind == 4) {
            add_block(&s, (BriBlock){.set = BRI_SET_FREE, .rows = 3});
            add_block(&s, (BriBlock){.set = BRI_SET_BOX, .rows = 1, .lower = 0, .upper = INFINITY});
            add_block(&s, (BriBlock){.set = BRI_SET_BOX, .rows = 1, .lower = -0.05, .upper = 0.05});
        }
        for (int i = 0; i < contacts; i++) add_block(&s, cone(rows, mu));
        int n = s.problem.rows;
        fill(&s, kind == 2 ? (n + 1) / 2 : n + 3, kind == 3 ? 6 : 0, kind == 1 ? 1e-3 : 0, &seed);
        finish(&s);
        BriSolverReport report;
        double tolerance = 1e-12 * largest_q(&s.problem);
        assert_int_equal(bri_solve(&s.problem, tolerance, s.r, s.scratch, &report), BRI_SOLVED);
        double rounding = bri_problem_rounding(&s.problem, s.r); /* of masses 1 to 1e6 */
        assert_true(bri_problem_judge(&s.problem, s.r, s.u).residual <= fmax(tolerance, rounding));
        if (kind != 4) assert_true(dissipation(&s) <= tolerance);
    }
    free(s.scratch);
}

/* Newton and sweeps agree in the velocities, which are unique for little friction. */
static void solvers_agree(void **state) {
    (void)state;
    uint64_t seed = 11;
    Sample s = {0};
    for (int k = 0; k < 200; k++) {
        s = (Sample){.scratch = s.scratch};
        for (int i = 0; i < 5; i++) add_block(&s, cone(3, 0.2));
        fill(&s, 20, 0, 0, &seed);
        finish(&s);
        for (int i = 0; i < s.problem.rows; i++) s.W[i * s.problem.rows + i] += 1;
        BriSolverReport report;
        double other[MOST_ROWS] = {0}, u[MOST_ROWS];
        assert_int_equal(bri_solve_newton(&s.problem, 1e-13, s.r, s.scratch, &report), BRI_SOLVED);
        assert_int_equal(bri_solve_sweeps(&s.problem, 1e-13, 3000, other, s.scratch, &report), BRI_SOLVED);
        bri_problem_judge(&s.problem, s.r, s.u);
        bri_problem_judge(&s.problem, other, u);
        for (int i = 0; i < s.problem.rows; i++) assert_near(u[i], s.u[i], 1e-10);
    }
    free(s.scratch);
}

/* No answer exists (nothing can stop the approach), the data are no numbers, or nothing may be done: it says so, in bounded
 * time. */
static void hopeless_problems_end(void **state) {
    (void)state;
    Sample s = {0};
    for (int k = 0; k < 2; k++) add_block(&s, cone(3, 0.5));
    finish(&s);
    for (int i = 0; i < 6; i++) s.q[i] = -1;
    BriSolverReport report;
    assert_int_equal(bri_solve(&s.problem, 1e-10, s.r, s.scratch, &report), BRI_STOPPED_SHORT);
    assert_true(report.certificate.residual >= 0.5);
    for (int i = 0; i < 6; i++) s.W[7 * i] = 1;
    s.q[1] = NAN;
    assert_int_equal(bri_solve(&s.problem, 1e-10, s.r, s.scratch, &report), BRI_STOPPED_SHORT);
    s.q[1] = -1;
    BriBudget spent = {.spent = 1}; /* nothing may be done any more: what the guess is off by is told */
    s.problem.budget = &spent;
    assert_int_equal(bri_solve(&s.problem, 1e-10, s.r, s.scratch, &report), BRI_STOPPED_SHORT);
    assert_true(report.certificate.residual >= 0.5);
    s.problem.budget = NULL;
    s.r[0] = NAN; /* a bad guess is only a bad guess */
    assert_int_equal(bri_solve(&s.problem, 1e-10, s.r, s.scratch, &report), BRI_SOLVED);
    free(s.scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redundant_table),       cmocka_unit_test(warm_start_is_quick_and_repeatable),
        cmocka_unit_test(random_problems),       cmocka_unit_test(solvers_agree),
        cmocka_unit_test(hopeless_problems_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
