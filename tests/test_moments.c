/* test_moments.c: the cone of a contact that resists rolling and spinning, by itself: its projection against a search and
 * against the inequality that defines it, derivatives against differences, the certificate at answers that were made to
 * be such, and the solvers on random problems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cone_support.h"
#include "solvers/local.h"

static BriBlock draw_cone(uint64_t *seed, int rows) {
    return (BriBlock){.set = BRI_SET_CONE,
                      .rows = rows,
                      .mu = fabs(random_number(seed)),
                      .roll = 0.3 * fabs(random_number(seed)),
                      .spin = 0.3 * fabs(random_number(seed))};
}

static double size_of(const BriDisc *disc, const double *x) {
    return disc->rows == 2 ? hypot(x[disc->first], x[disc->first + 1]) : fabs(x[disc->first]);
}

/* A point of the cone. */
static void draw_inside(const BriBlock *block, uint64_t *seed, double *k) {
    BriDisc disc[BRI_DISCS];
    int discs = bri_block_discs(block, disc);
    k[0] = 2 * fabs(random_number(seed));
    for (int i = 1; i < block->rows; i++) k[i] = random_number(seed);
    for (int i = 0; i < discs; i++) {
        double shrink = disc[i].mu * k[0] * fabs(random_number(seed)) / size_of(&disc[i], k);
        for (int j = 0; j < disc[i].rows; j++) k[disc[i].first + j] *= shrink;
    }
}

/* The squared distance of x to the points of the cone that have the normal part a. */
static double find_distance(const BriBlock *block, const double *x, double a) {
    BriDisc disc[BRI_DISCS];
    int discs = bri_block_discs(block, disc);
    double sum = (a - x[0]) * (a - x[0]);
    for (int i = 0; i < discs; i++) {
        double outside = fmax(0, size_of(&disc[i], x) - disc[i].mu * a);
        sum += outside * outside;
    }
    return sum;
}

static void projection_is_the_nearest_point(void **state) {
    (void)state;
    uint64_t seed = 5;
    int tips = 0, inside = 0;
    for (int trial = 0; trial < 3000; trial++) {
        BriBlock block = draw_cone(&seed, 4 + trial % 3);
        double x[6], P[6], own = 0;
        for (int i = 0; i < block.rows; i++) P[i] = x[i] = random_number(&seed) * (i ? 0.5 : 1);
        bri_block_project(&block, P);
        for (int i = 0; i < block.rows; i++) own += (x[i] - P[i]) * (x[i] - P[i]);
        /* a search over the normal part finds nothing nearer; one of its points is as near to 1e-3 squared */
        double least = INFINITY;
        for (int k = 0; k <= 2000; k++) least = fmin(least, find_distance(&block, x, k * 1e-3));
        assert_true(own <= least + 1e-15);
        assert_near(own, least, 2e-6);
        /* (x - P).(k - P) <= 0 for all k of the cone, also 0 and 2 P: to rounding */
        for (int k = 0; k < 30; k++) {
            double other[6], sum = 0;
            draw_inside(&block, &seed, other);
            for (int i = 0; i < block.rows; i++) sum += (x[i] - P[i]) * ((k ? other[i] : 2 * P[i]) - P[i]);
            assert_true(sum <= 1e-15);
        }
        double again[6];
        memcpy(again, P, sizeof P);
        bri_block_project(&block, again);
        for (int i = 0; i < block.rows; i++) assert_near(again[i], P[i], 1e-15);
        tips += P[0] == 0;
        inside += own == 0;
    }
    assert_true(tips > 100 && inside > 10);
}

/* P'(x) and the derivative of Newton's equations, against central differences with a step of 1e-6: error 1e-9 where no
 * kink lies between. */
static void derivatives_meet_differences(void **state) {
    (void)state;
    const double H = 1e-6;
    uint64_t seed = 6;
    int seen = 0;
    for (int trial = 0; trial < 3000; trial++) {
        BriBlock block = draw_cone(&seed, 4 + trial % 3);
        int n = block.rows;
        double x[6], J[36];
        for (int i = 0; i < n; i++) x[i] = random_number(&seed);
        BriStand at = bri_block_stand(&block, x);
        if (!(at.normal > 0)) continue;
        bool kink = false;
        for (int k = 0; k < at.discs; k++) kink = kink || fabs(at.size[k] - at.disc[k].mu * at.normal) < 1e-3;
        if (kink || at.normal < 1e-2) continue;
        bri_stand_derivative(&at, x, J);
        for (int j = 0; j < n; j++) {
            double up[6], down[6];
            memcpy(up, x, sizeof x), memcpy(down, x, sizeof x);
            up[j] += H, down[j] -= H;
            bri_block_project(&block, up);
            bri_block_project(&block, down);
            for (int i = 0; i < n; i++) assert_near(J[i * n + j], (up[i] - down[i]) / (2 * H), 1e-6);
        }
        seen++;
    }
    assert_true(seen > 500);
}

static void find_equations(const BriBlock *block, const double *W, const double *b, const double *r, double *phi) {
    double u[6];
    int n = block->rows;
    for (int i = 0; i < n; i++) {
        u[i] = b[i];
        for (int j = 0; j < n; j++) u[i] += W[i * n + j] * r[j];
    }
    bri_cone_measure(&(BriConePoint){block, 1, 0.7, r, u}, phi);
}

static void newtons_equations_meet_differences(void **state) {
    (void)state;
    const double H = 1e-6;
    uint64_t seed = 7;
    int seen = 0;
    for (int trial = 0; trial < 2000; trial++) {
        Sample s = {0};
        add_block(&s, draw_cone(&seed, 4 + trial % 3));
        fill(&s, 8, 0, 1e-2, &seed);
        int n = s.problem.rows;
        double r[6], u[6], A[36], none[6] = {0};
        for (int i = 0; i < n; i++) r[i] = random_number(&seed);
        for (int i = 0; i < n; i++) {
            u[i] = s.q[i];
            for (int j = 0; j < n; j++) u[i] += s.W[i * n + j] * r[j];
        }
        if (r[0] - 0.7 * u[0] < 0.05) continue; /* open, or nearly */
        memcpy(A, s.W, sizeof A);
        bri_cone_slide(&(BriConePoint){&s.block[0], 1, 0.7, r, u}, 0, n, A, none);
        double worst = 0;
        for (int j = 0; j < n; j++) {
            double up[6], down[6], high[6], low[6];
            memcpy(up, r, sizeof r), memcpy(down, r, sizeof r);
            up[j] += H, down[j] -= H;
            find_equations(&s.block[0], s.W, s.q, up, high);
            find_equations(&s.block[0], s.W, s.q, down, low);
            for (int i = 0; i < n; i++) worst = fmax(worst, fabs(A[i * n + j] - (high[i] - low[i]) / (2 * H)));
        }
        if (worst < 1e-3) assert_true(worst < 1e-6); /* more: a kink between */
        seen += worst < 1e-6;
    }
    assert_true(seen > 500);
}

/* r and u that are an answer: each disc sticks or slides, or all is open. The certificate is zero to rounding, whatever
 * rho; and it is not for what is none. */
static void certificate_knows_answers(void **state) {
    (void)state;
    uint64_t seed = 8;
    for (int trial = 0; trial < 3000; trial++) {
        BriBlock block = draw_cone(&seed, 4 + trial % 3);
        BriDisc disc[BRI_DISCS];
        int discs = bri_block_discs(&block, disc);
        double r[6] = {0}, u[6] = {0}, rho = pow(10, random_number(&seed));
        bool open = trial % 5 == 0;
        u[0] = open ? fabs(random_number(&seed)) : 0;
        if (open)
            for (int i = 1; i < block.rows; i++) u[i] = random_number(&seed);
        else
            draw_inside(&block, &seed, r);
        for (int k = 0; !open && k < discs; k++) {
            double size = size_of(&disc[k], r), slip = fabs(random_number(&seed));
            if (trial >> k & 1) continue; /* it sticks */
            for (int j = disc[k].first; j < disc[k].first + disc[k].rows; j++) {
                u[j] = -slip * r[j] / size;
                r[j] *= disc[k].mu * r[0] / size;
            }
        }
        assert_near(bri_block_residual(&block, r, u, rho), 0, 1e-14);
        double approach[6];
        memcpy(approach, u, sizeof u);
        approach[0] -= 2;
        assert_true(bri_block_residual(&block, r, approach, rho) > 0.1);
        if (open) continue;
        for (int i = 0; i < block.rows; i++) r[i] *= i ? 1 : 0.5; /* what slides leaves the cone */
        bool slides = trial % 8 != 7 && !(discs == 2 && trial % 4 == 3);
        if (slides) assert_true(bri_block_residual(&block, r, u, rho) > 0);
    }
}

/* Random problems: cones with moments alone, several, and beside cones, boxes and free rows; full rank, unsymmetric, of
 * half the rank. All certify to 1e-12 of the largest speed, and no disc puts energy in. */
static void random_problems_are_solved(void **state) {
    (void)state;
    uint64_t seed = 9;
    Sample s = {0};
    for (int k = 0; k < 1200; k++) {
        int kind = k % 4, contacts = k % 3 ? 1 + (int)(6 * fabs(random_number(&seed))) : 1;
        s = (Sample){.scratch = s.scratch};
        if (kind == 3) {
            add_block(&s, (BriBlock){.set = BRI_SET_FREE, .rows = 3});
            add_block(&s, (BriBlock){.set = BRI_SET_BOX, .rows = 1, .lower = -0.05, .upper = 0.05});
            add_block(&s, cone(3, 0.4));
        }
        for (int i = 0; i < contacts; i++) add_block(&s, draw_cone(&seed, 4 + (k + i) % 3));
        int n = s.problem.rows;
        fill(&s, kind == 2 ? (n + 1) / 2 : n + 3, 0, kind == 1 ? 1e-3 : 0, &seed);
        finish(&s);
        BriSolverReport report;
        double tolerance = 1e-12 * largest_q(&s.problem);
        assert_int_equal(bri_solve(&s.problem, tolerance, s.r, s.scratch, &report), BRI_SOLVED);
        BriCertificate c = bri_problem_judge(&s.problem, s.r, s.u);
        assert_true(c.residual <= fmax(tolerance, bri_problem_rounding(&s.problem, s.r)));
        for (int b = 0; b < s.problem.blocks; b++) {
            if (s.block[b].set != BRI_SET_CONE) continue;
            BriDisc disc[BRI_DISCS];
            int discs = bri_block_discs(&s.block[b], disc);
            const double *r = s.r + s.block[b].first, *u = s.u + s.block[b].first;
            for (int i = 0; i < discs; i++) {
                double power = 0;
                for (int j = disc[i].first; j < disc[i].first + disc[i].rows; j++) power += r[j] * u[j];
                assert_true(power <= tolerance);
                assert_true(size_of(&disc[i], r) <= disc[i].mu * r[0] + tolerance);
            }
        }
    }
    free(s.scratch);
}

/* Newton's method and sweeps, whose blocks are solved one by one, agree in the velocities, which are unique here. */
static void solvers_agree(void **state) {
    (void)state;
    uint64_t seed = 12;
    Sample s = {0};
    for (int k = 0; k < 100; k++) {
        s = (Sample){.scratch = s.scratch};
        for (int i = 0; i < 4; i++) {
            BriBlock block = draw_cone(&seed, 4 + i % 3);
            block.mu *= 0.3;
            add_block(&s, block);
        }
        fill(&s, 30, 0, 0, &seed);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection_is_the_nearest_point),    cmocka_unit_test(derivatives_meet_differences),
        cmocka_unit_test(newtons_equations_meet_differences), cmocka_unit_test(certificate_knows_answers),
        cmocka_unit_test(random_problems_are_solved),         cmocka_unit_test(solvers_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
