/* test_cone.c: one contact, exactly: against closed forms, at the edges of the cone, in turned frames, for matrices
 * that are unsymmetric, singular, badly scaled, or of Painleve's kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cone_support.h"

/* a few roundings of the terms that make a velocity */
static const double ROUND = 1e-14;

static BriCertificate judge(const double *W, const double *b, int rows, double mu, const double *r, double *u) {
    BriBlock block = cone(rows, mu);
    BriProblem problem = {.rows = rows, .W = W, .stride = rows, .q = b, .blocks = 1, .block = &block};
    return bri_problem_judge(&problem, r, u);
}

static double size_of(const double *W, const double *b, const double *r, int rows) {
    double size = 0;
    for (int i = 0; i < rows; i++) {
        size = fmax(size, fabs(b[i]));
        for (int j = 0; j < rows; j++) size = fmax(size, fabs(W[i * rows + j] * r[j]));
    }
    return size;
}

static void particle_sticks_slides_and_leaves(void **state) {
    (void)state;
    const double W[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5};
    double r[3] = {0};
    assert_true(bri_cone_solve(W, 3, (double[]){0.1, 3, 4}, 3, 0.5, r));
    for (int i = 0; i < 3; i++) assert_true(r[i] == 0);
    assert_true(bri_cone_solve(W, 3, (double[]){-1, 0.3, -0.2}, 3, 0.5, r));
    assert_near(r[0], 2, 4e-16);
    assert_near(r[1], -0.6, 2e-16);
    assert_near(r[2], 0.4, 2e-16);
    assert_true(bri_cone_solve(W, 3, (double[]){-1, 3, 4}, 3, 0.5, r)); /* direction 0.6, 0.8, impulse mu r_N = 1 */
    assert_near(r[0], 2, 4e-16);
    assert_near(r[1], -0.6, 4e-16);
    assert_near(r[2], -0.8, 4e-16);
    assert_true(bri_cone_solve(W, 3, (double[]){-1, 3, 4}, 3, 0, r));
    assert_true(r[0] == 2 && r[1] == 0 && r[2] == 0);
}

/* A rod's end in the plane: W_NT != 0. Sliding to either side the closed form is r_N = -b_N/(W_NN - mu W_NT d). */
static void plane_has_the_closed_form(void **state) {
    (void)state;
    const double W[4] = {2, 0.5, 0.4, 1};
    for (int side = -1; side <= 1; side += 2) {
        double r[2] = {0, 0}, n = 1 / (2 - 0.3 * 0.5 * side);
        assert_true(bri_cone_solve(W, 2, (double[]){-1, 5.0 * side}, 2, 0.3, r));
        assert_near(r[0], n, 1e-15);
        assert_near(r[1], -0.3 * n * side, 1e-15);
    }
}

/* Random matrices: certificate, alignment of slip and friction, dissipation. `kind`: 0 symmetric positive, 1
 * unsymmetric by 1e-3, 2 inverse masses over six decades. */
static void check_random(int kind, int rows) {
    uint64_t seed = 17 + (uint64_t)kind;
    int slid = 0, stuck = 0;
    for (int k = 0; k < 20000; k++) {
        Sample s = {0};
        double mu = k % 9 ? 1.5 * fabs(random_number(&seed)) : 0;
        add_block(&s, cone(rows, mu));
        fill(&s, 6, kind == 2 ? 6 : 0, kind == 1 ? 1e-3 : 0, &seed);
        if (k % 4 == 1) s.q[0] *= 20; /* pressed hard: it sticks */
        double r[3] = {0}, u[3], guess = random_number(&seed);
        if (k & 1) r[0] = 1, r[1] = guess, r[2] = random_number(&seed);
        if (rows == 2) r[2] = 0;
        if (!bri_cone_solve(s.W, rows, s.q, rows, mu, r)) {
            assert_true(mu > 0.3); /* jams exist, but not at little friction */
            continue;
        }
        double scale = size_of(s.W, s.q, r, rows);
        BriCertificate c = judge(s.W, s.q, rows, mu, r, u);
        /* six decades bring D of (7.3) close to zero, where it magnifies rounding */
        assert_true(c.residual <= (kind == 2 ? 10 : 1) * ROUND * scale);
        double slip = rows == 3 ? hypot(u[1], u[2]) : fabs(u[1]);
        double power = u[1] * r[1] + (rows == 3 ? u[2] * r[2] : 0);
        assert_true(power <= ROUND * scale * r[0]);
        stuck += r[0] > 0 && slip < ROUND * scale;
        if (r[0] == 0 || mu == 0 || slip < 1e-2 * scale) continue;
        slid++;
        double cross = rows == 3 ? u[1] * r[2] - u[2] * r[1] : 0;
        assert_true(fabs(cross) <= 1e-12 * slip * mu * r[0]); /* 6e-11 degrees */
    }
    assert_true(slid > 1000 && stuck > 500);
}

static void random_contacts_are_exact(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) check_random(kind, 3);
    check_random(0, 2);
    check_random(1, 2);
}

/* At 99.9999 % of what friction can hold it sticks, at 100.0001 % it slides, and just at the edge it does either. */
static void edge_of_the_cone(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int k = 0; k < 3000; k++) {
        Sample s = {0};
        double mu = 0.05 + fabs(random_number(&seed)), angle = 3.2 * random_number(&seed), r[3] = {0}, u[3];
        add_block(&s, cone(3, mu));
        fill(&s, 6, 0, 0, &seed);
        const double shares[3] = {0.999999, 1, 1.000001};
        double share = shares[k % 3], want[3] = {1, share * mu * cos(angle), share * mu * sin(angle)};
        for (int i = 0; i < 3; i++) {
            s.q[i] = 0;
            for (int j = 0; j < 3; j++) s.q[i] -= s.W[3 * i + j] * want[j];
        }
        if (s.q[0] >= 0 || !bri_cone_solve(s.W, 3, s.q, 3, mu, r)) continue;
        double scale = size_of(s.W, s.q, r, 3);
        assert_true(judge(s.W, s.q, 3, mu, r, u).residual <= ROUND * scale);
        if (k % 3 == 0) assert_true(hypot(u[1], u[2]) <= ROUND * scale && r[0] > 0);
        if (k % 3 == 2) assert_near(hypot(r[1], r[2]), mu * r[0], 1e-15 * (1 + mu * r[0]));
    }
}

/* The same answer in a turned tangent frame. */
static void frame_does_not_matter(void **state) {
    (void)state;
    uint64_t seed = 8;
    for (int k = 0; k < 2000; k++) {
        Sample s = {0};
        double mu = 0.5 * fabs(random_number(&seed)), a = 3.2 * random_number(&seed), c = cos(a), t = sin(a);
        add_block(&s, cone(3, mu));
        fill(&s, 6, 0, 0, &seed);
        for (int i = 0; i < 3; i++) s.W[4 * i] += 1; /* well-conditioned, one answer */
        const double R[9] = {1, 0, 0, 0, c, -t, 0, t, c};
        double W[9] = {0}, b[3] = {0}, r[3] = {0}, turned[3] = {0};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                b[i] += R[3 * i + j] * s.q[j];
                for (int m = 0; m < 9; m++) W[3 * i + j] += R[3 * i + m / 3] * s.W[m] * R[3 * j + m % 3];
            }
        assert_true(bri_cone_solve(s.W, 3, s.q, 3, mu, r));
        assert_true(bri_cone_solve(W, 3, b, 3, mu, turned));
        for (int i = 0; i < 3; i++)
            assert_near(turned[i], R[3 * i] * r[0] + R[3 * i + 1] * r[1] + R[3 * i + 2] * r[2], 1e-13);
    }
}

/* An immovable direction: W has a zero row and column there, or the contact resists in the normal alone. */
static void singular_blocks(void **state) {
    (void)state;
    double u[3], r[3] = {0};
    const double normal_only[9] = {1};
    const double slip[3] = {-1, 0.3, 0.4}, rest[3] = {-1, 0, 0};
    assert_true(bri_cone_solve(normal_only, 3, slip, 3, 0.5, r));
    assert_true(judge(normal_only, slip, 3, 0.5, r, u).residual < 1e-15);
    assert_near(r[1], -0.3, 1e-15);
    assert_true(bri_cone_solve(normal_only, 3, rest, 3, 0.5, r));
    assert_true(judge(normal_only, rest, 3, 0.5, r, u).residual == 0);
    const double one_way[9] = {1, 0, 0, 0, 2, 0, 0, 0, 0}; /* moves along the first tangent only */
    const double push[3] = {-1, 0.4, 0};
    assert_true(bri_cone_solve(one_way, 3, push, 3, 0.5, r));
    assert_true(judge(one_way, push, 3, 0.5, r, u).residual < 1e-15 && fabs(r[1] + 0.2) < 1e-15);
    const double wall[9] = {0, 0, 0, 0, 1, 0, 0, 0, 1}; /* nothing can stop the approach */
    assert_false(bri_cone_solve(wall, 3, rest, 3, 0.5, r));
    const double depends[4] = {1, 1, 1, 1};
    double p[2] = {0, 0};
    assert_true(bri_cone_solve(depends, 2, (double[]){-1, -1}, 2, 0.5, p));
    assert_true(judge(depends, (double[]){-1, -1}, 2, 0.5, p, u).residual < 1e-15);
}

/* Painleve's rod: with W_NN - mu W_NT d < 0 on the side it slides to there is no slip answer there; sticking may do. */
static void painleve(void **state) {
    (void)state;
    const double W[4] = {1, 0.8, 0.8, 1};
    double r[2] = {0, 0}, u[2];
    assert_true(bri_cone_solve(W, 2, (double[]){-1, 0.2}, 2, 2, r)); /* stick: the jam */
    assert_true(judge(W, (double[]){-1, 0.2}, 2, 2, r, u).residual < 1e-15);
    const double S[9] = {1, 0.8, 0, 0.8, 1, 0, 0, 0, 1}, b[3] = {-1, 0.2, 0.01};
    double p[3] = {0};
    double v[3];
    if (bri_cone_solve(S, 3, b, 3, 2, p)) assert_true(judge(S, b, 3, 2, p, v).residual < 1e-14);
}

static void what_is_no_number_is_refused(void **state) {
    (void)state;
    const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double r[3] = {0};
    assert_false(bri_cone_solve(W, 3, (double[]){NAN, 0, 1}, 3, 0.5, r));
    assert_false(bri_cone_solve(W, 3, (double[]){-1, NAN, 1}, 3, 0.5, r));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particle_sticks_slides_and_leaves),
        cmocka_unit_test(plane_has_the_closed_form),
        cmocka_unit_test(random_contacts_are_exact),
        cmocka_unit_test(edge_of_the_cone),
        cmocka_unit_test(frame_does_not_matter),
        cmocka_unit_test(singular_blocks),
        cmocka_unit_test(painleve),
        cmocka_unit_test(what_is_no_number_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
