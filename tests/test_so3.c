/* test_so3.c: rotations against a long double series, their group law, principal axes, and the free top against its
 * closed form, its conservation laws, and a Runge-Kutta reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "joint_support.h"

#define EPS 0x1p-52
static const double PI = 3.14159265358979323846;

/* ------------------------------------------------------------------ exponential map */

typedef struct Long3 {
    long double m[3][3];
} Long3;

static Long3 multiply_long(const Long3 *A, const Long3 *B) {
    Long3 C = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) C.m[i][j] += A->m[i][k] * B->m[k][j];
    return C;
}

/* exp by its power series: of phi / 2^10, 12 terms (next below 1e-20 up to |phi| = 60), then squared ten times, which
 * costs ten of the 64 bits. */
static BrMat3 exp_by_series(BrVec3 p) {
    enum { HALVINGS = 10, TERMS = 12 };
    long double x = p.x / 1024.0L, y = p.y / 1024.0L, z = p.z / 1024.0L;
    Long3 S = {{{0, -z, y}, {z, 0, -x}, {-y, x, 0}}}, E = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, T = E;
    for (int n = 1; n <= TERMS; n++) {
        T = multiply_long(&T, &S);
        for (int i = 0; i < 9; i++) {
            T.m[i / 3][i % 3] /= n;
            E.m[i / 3][i % 3] += T.m[i / 3][i % 3];
        }
    }
    for (int n = 0; n < HALVINGS; n++) E = multiply_long(&E, &E);
    BrMat3 A;
    for (int i = 0; i < 9; i++) A.m[i / 3][i % 3] = (double)E.m[i / 3][i % 3];
    return A;
}

static void exp_is_the_matrix_exponential(void **unused) {
    (void)unused;
    Random random = {11};
    static const double angles[] = {1e-300, 1e-12, 1e-4, 0.1, 0.4999999, 0.5, 0.5000001, 1, 2, 3.14159, 6.3, 20, 60};
    for (int k = 0; k < (int)(sizeof angles / sizeof *angles); k++)
        for (int n = 0; n < 50; n++) {
            BrVec3 phi = bri_scale(angles[k], draw_unit(&random));
            BrMat3 A = bri_rotation_exp(phi), B = exp_by_series(phi);
            /* a handful of roundings of numbers below 1; |phi| itself is known to an ulp, which turns the end by
             * EPS |phi| */
            assert_close(mat_distance(&A, &B), 0, (4 + angles[k]) * EPS);
        }
    BrMat3 A = bri_rotation_exp(bri_vec(0, 0, 0)), I = bri_identity();
    assert_memory_equal(&A, &I, sizeof A);
}

/* log finds the shorter of the turns that lead there, from nothing to half a turn. */
static void log_undoes_exp(void **unused) {
    (void)unused;
    Random random = {13};
    static const double angles[] = {1e-300, 1e-12, 1e-4, 0.1, 1, 2, 3, 3.0001, 3.1, 3.1415, 3.14159265};
    for (int k = 0; k < (int)(sizeof angles / sizeof *angles); k++)
        for (int n = 0; n < 50; n++) {
            BrVec3 phi = bri_scale(angles[k], draw_unit(&random));
            BrMat3 A = bri_rotation_exp(phi);
            assert_close(vec_distance(bri_rotation_log(&A), phi), 0, 20 * EPS * fmax(1e-300, angles[k]) + 8 * EPS);
        }
    BrVec3 long_way = bri_scale(4, draw_unit(&random));
    BrMat3 A = bri_rotation_exp(long_way);
    BrVec3 back = bri_scale(1 - 2 * acos(-1) / 4, long_way); /* by 4 - 2 pi */
    assert_close(vec_distance(bri_rotation_log(&A), back), 0, 50 * EPS);
}

/* Turns about one axis add up; a turn back is the transpose to the bit; the axis stays, the trace is 1 + 2 cos. */
static void exp_keeps_the_group_law(void **unused) {
    (void)unused;
    Random random = {12};
    for (int n = 0; n < 1000; n++) {
        BrVec3 axis = draw_unit(&random);
        double s = draw(&random, -10, 10), t = draw(&random, -10, 10);
        BrMat3 S = bri_rotation_exp(bri_scale(s, axis)), T = bri_rotation_exp(bri_scale(t, axis));
        BrMat3 sum = bri_rotation_exp(bri_scale(s + t, axis)), product = bri_mat_mul(&S, &T);
        assert_close(mat_distance(&sum, &product), 0, 50 * EPS); /* angles up to 20: as above, thrice */
        BrMat3 back = bri_rotation_exp(bri_scale(-s, axis)), transpose = bri_transpose(&S);
        assert_memory_equal(&back, &transpose, sizeof back);
        assert_close(vec_distance(bri_mul(&S, axis), axis), 0, 20 * EPS);
        assert_close(S.m[0][0] + S.m[1][1] + S.m[2][2], 1 + 2 * cos(s), 40 * EPS);
        assert_close(bri_rotation_error(&S), 0, 10 * EPS);
    }
}

/* An angle of 1e6 rad is 1e6 rad less whole turns; an ulp of it is 1e6 EPS. */
static void exp_takes_large_angles(void **unused) {
    (void)unused;
    Random random = {13};
    for (int n = 0; n < 200; n++) {
        BrVec3 axis = draw_unit(&random);
        double angle = draw(&random, 1e3, 1e6);
        double rest = (double)remainderl((long double)angle, 6.283185307179586476925286766559L);
        BrMat3 A = bri_rotation_exp(bri_scale(angle, axis)), B = bri_rotation_exp(bri_scale(rest, axis));
        assert_close(mat_distance(&A, &B), 0, 4 * EPS * angle);
        assert_close(bri_rotation_error(&A), 0, 10 * EPS); /* a rotation all the same */
    }
}

/* ------------------------------------------------------------------ rotation matrices */

static void turns_stay_rotations(void **unused) {
    (void)unused;
    Random random = {14};
    BrMat3 A = draw_rotation(&random);
    BrVec3 phi = draw_vec(&random, 1);
    BrMat3 E = bri_rotation_exp(phi), product = bri_mat_mul(&A, &E), turned = bri_rotation_turn(&A, phi);
    assert_close(mat_distance(&product, &turned), 0, 8 * EPS);
    for (int n = 0; n < 100000; n++) A = bri_rotation_turn(&A, draw_vec(&random, 1));
    assert_close(bri_rotation_error(&A), 0, 8 * EPS); /* the last turn's own roundings, none of the earlier ones */
}

/* A = R (I + E), E symmetric: what is left of A^T A - I is 3/4 of its square and higher. */
static void normalising_squares_the_error(void **unused) {
    (void)unused;
    Random random = {15};
    for (int n = 0; n < 100; n++) {
        BrMat3 R = draw_rotation(&random), A = R;
        for (int i = 0; i < 9; i++) A.m[i / 3][i % 3] += draw(&random, -1e-5, 1e-5);
        double before = bri_rotation_error(&A);
        A = bri_rotation_normalise(&A);
        /* 3/4 |S|^2 with |S| up to three times its largest entry */
        assert_close(bri_rotation_error(&A), 0, 0.75 * 9 * before * before + 8 * EPS);
        assert_close(mat_distance(&A, &R), 0, 3e-5); /* and it stayed where it was */
    }
    BrMat3 mirror = bri_diagonal(1, 1, -1);
    assert_true(isinf(bri_rotation_error(&mirror)));
}

static void frames_stand_on_their_axis(void **unused) {
    (void)unused;
    Random random = {16};
    for (int n = 0; n < 1000; n++) {
        BrVec3 z = draw_unit(&random), hint = n % 3 ? draw_vec(&random, 5) : bri_scale(draw(&random, -2, 2), z);
        BrMat3 F = bri_rotation_frame(z, hint);
        BrVec3 x = bri_column(&F, 0), y = bri_column(&F, 1), third = bri_column(&F, 2);
        assert_memory_equal(&third, &z, sizeof z);
        assert_close(bri_rotation_error(&F), 0, 1e-12); /* a hint 1e-3 off the axis costs three digits */
        if (n % 3 == 0) continue;
        assert_close(bri_dot(y, hint), 0, 1e-12); /* x, z and the hint are in one plane, x on the hint's side */
        assert_true(bri_dot(x, hint) >= 0);
    }
}

static void angles_unwrap_to_the_nearest_turn(void **unused) {
    (void)unused;
    Random random = {17};
    assert_close(bri_angle_unwrap(0.25, 0), 0.25, 0);
    assert_close(bri_angle_unwrap(-3, 3.1), 2 * PI - 3, 4 * EPS);
    assert_close(bri_angle_unwrap(3, -3.1), 3 - 2 * PI, 4 * EPS);
    assert_close(bri_angle_unwrap(0.5, -1000 * PI), 0.5 - 1000 * PI, 1e4 * EPS); /* ulp of 3142 */
    for (int n = 0; n < 1000; n++) {
        double angle = draw(&random, -PI, PI), near = draw(&random, -200, 200);
        double unwrapped = bri_angle_unwrap(angle, near), turns = (unwrapped - angle) / (2 * PI);
        assert_true(fabs(unwrapped - near) <= PI * (1 + 64 * EPS));
        assert_close(turns, round(turns), 200 * EPS);
    }
}

/* ------------------------------------------------------------------ symmetric matrices */

static BrMat3 from_axes(const BrMat3 *Q, const double v[3]) {
    BrMat3 D = bri_diagonal(v[0], v[1], v[2]), T = bri_transpose(Q), QD = bri_mat_mul(Q, &D), S = bri_mat_mul(&QD, &T);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++) S.m[i][j] = S.m[j][i];
    return S;
}

static void sort_three(double v[3]) {
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < 2; k++)
            if (v[k] > v[k + 1]) {
                double t = v[k];
                v[k] = v[k + 1];
                v[k + 1] = t;
            }
}

static void symmetric_inverse_inverts(void **unused) {
    (void)unused;
    Random random = {18};
    for (int n = 0; n < 1000; n++) {
        double v[3] = {draw(&random, 0.01, 1), draw(&random, 0.01, 1), draw(&random, 0.01, 1)};
        BrMat3 Q = draw_rotation(&random), S = from_axes(&Q, v), inverse, I = bri_identity();
        assert_true(bri_symmetric_inverse(&S, &inverse));
        BrMat3 product = bri_mat_mul(&S, &inverse), transpose = bri_transpose(&inverse);
        /* cofactors and determinant lose up to cond and cond^2 <= 1e4 of a few EPS each */
        assert_close(mat_distance(&product, &I), 0, 1e5 * EPS);
        assert_memory_equal(&inverse, &transpose, sizeof inverse);
        v[n % 3] = n % 2 ? -v[n % 3] : -1e-3;
        S = from_axes(&Q, v);
        assert_false(bri_symmetric_inverse(&S, &inverse));
    }
    BrMat3 zero = bri_diagonal(0, 1, 1), nan = bri_diagonal(1, 1, NAN), inverse;
    BrMat3 saddle = bri_diagonal(1, -1, -1); /* determinant 1 */
    assert_false(bri_symmetric_inverse(&zero, &inverse));
    assert_false(bri_symmetric_inverse(&saddle, &inverse));
    assert_false(bri_symmetric_inverse(&nan, &inverse));
}

/* Values found again, axes orthonormal and right-handed, S Q = Q D; also when values coincide or lie far apart. */
static void symmetric_axes_diagonalise(void **unused) {
    (void)unused;
    Random random = {19};
    for (int n = 0; n < 1000; n++) {
        double v[3] = {draw(&random, 0.1, 5), draw(&random, 0.1, 5), draw(&random, 0.1, 5)}, found[3];
        if (n % 4 == 1) v[1] = v[0];
        if (n % 4 == 2) v[0] = v[1] = v[2];
        if (n % 4 == 3) v[2] *= 1e-9;
        BrMat3 R = draw_rotation(&random), S = from_axes(&R, v), Q;
        bri_symmetric_axes(&S, found, &Q);
        BrMat3 again = from_axes(&Q, found);
        assert_close(mat_distance(&again, &S), 0, 100 * EPS * 5); /* backward stable: some tens of roundings of |S| */
        assert_close(bri_rotation_error(&Q), 0, 100 * EPS);       /* infinite if left-handed */
        sort_three(v);
        sort_three(found);
        for (int k = 0; k < 3; k++) assert_close(found[k], v[k], 100 * EPS * 5);
    }
    double values[3];
    BrMat3 D = bri_diagonal(3, 1, 2), Q, I = bri_identity();
    bri_symmetric_axes(&D, values, &Q);
    assert_memory_equal(&Q, &I, sizeof Q);
    assert_true(values[0] == 3 && values[1] == 1 && values[2] == 2);
}

/* ------------------------------------------------------------------ tops */

static void check_top(const BrMat3 *inertia) {
    BriTop top = bri_top_make(inertia);
    const double *J = top.inertia;
    BrMat3 again = from_axes(&top.axes, J), I = bri_identity();
    assert_close(bri_rotation_error(&top.axes), 0, 100 * EPS); /* right-handed */
    assert_close(mat_distance(&again, inertia), 0, 500 * EPS); /* |J| below 5, as above */
    int first = 3 - top.spin - top.wobble;                     /* the pair is (first, wobble) */
    double between = fabs(J[first] - J[top.wobble]);
    assert_true(top.spin != top.wobble);
    assert_true(between <= fabs(J[first] - J[top.spin]) && between <= fabs(J[top.wobble] - J[top.spin]));
    assert_close(top.reference, 1 / J[first], 0);
    assert_close(top.spin_rate, 1 / J[top.spin] - 1 / J[first], 0);
    assert_close(top.wobble_rate, 1 / J[top.wobble] - 1 / J[first], 0);
    assert_int_equal(top.aligned, mat_distance(&top.axes, &I) == 0);
}

static void tops_spin_about_the_odd_axis(void **unused) {
    (void)unused;
    Random random = {20};
    for (int n = 0; n < 500; n++) {
        double v[3] = {draw(&random, 1, 2), draw(&random, 1, 2), draw(&random, 1, 2)};
        BrMat3 Q = draw_rotation(&random), S = from_axes(&Q, v), D = bri_diagonal(v[0], v[1], v[2]);
        check_top(&S);
        check_top(&D);
    }
    BrMat3 last = bri_diagonal(1.2, 1, 3), first = bri_diagonal(3, 1, 1.2), middle = bri_diagonal(1, 3, 1);
    assert_true(bri_top_make(&last).spin == 2 && bri_top_make(&first).spin == 0 && bri_top_make(&middle).spin == 1);
    assert_true(bri_top_make(&first).aligned); /* whichever axis is odd */
    assert_true(bri_top_make(&middle).wobble_rate == 0);
    BrMat3 ball = bri_diagonal(2, 2, 2);
    assert_true(bri_top_make(&ball).aligned && bri_top_make(&ball).spin_rate == 0);
}

/* World angular momentum A J w: direction and length stay; energy swings but does not drift. */
static void turning_keeps_angular_momentum(void **unused) {
    (void)unused;
    Random random = {21};
    for (int n = 0; n < 2; n++) {
        double v[3] = {1, 1.5, 2.2};
        BrMat3 Q = n ? draw_rotation(&random) : bri_identity(), J = from_axes(&Q, v), A = draw_rotation(&random);
        BriTop top = bri_top_make(&J);
        BrVec3 w = draw_vec(&random, 3), L0 = bri_mul(&J, w), world0 = bri_mul(&A, L0);
        double energy0 = 0.5 * bri_dot(w, L0), worst = 0;
        for (int step = 0; step < 100000; step++) {
            BrVec3 spin = bri_top_spin(&top, 1e-3, w);
            bri_top_turn(&top, 1e-3, &A, &w);
            assert_memory_equal(&spin, &w, sizeof w); /* the same with and without the pose */
            A = bri_rotation_normalise(&A);
            worst = fmax(worst, fabs(0.5 * bri_dot(w, bri_mul(&J, w)) / energy0 - 1));
        }
        BrVec3 L = bri_mul(&J, w);
        /* Aligned: roundings of either sign, 1e5 steps are a random walk of 300 EPS and a little bias. Turned: Q is
         * orthonormal to some EPS only, w goes through Q Q^T at every step, and that errs to the same side each time.
         */
        double drift = n ? 1e5 * 4 * EPS : 1e-12;
        assert_close(bri_norm(L) / bri_norm(L0), 1, drift);
        assert_close(vec_distance(bri_mul(&A, L), world0) / bri_norm(world0), 0, drift);
        assert_close(worst, 0, 1e-5); /* (h |w|)^2 with |w| near 3: 1e-5, after 100 s as after 1 s */
        assert_close(bri_rotation_error(&A), 0, 8 * EPS);
    }
}

/* Symmetric top, axis c, moments I, I, K: the body turns about its axis at (1/K - 1/I) L.c against a frame that turns
 * steadily about the fixed angular momentum at |L|/I:  A(t) = exp(t L_world/I) A(0) exp(t (1/K - 1/I) (L.c) c). */
static void symmetric_tops_are_exact(void **unused) {
    (void)unused;
    Random random = {22};
    for (int n = 0; n < 60; n++) {
        double I = draw(&random, 1, 2), K = n % 6 ? draw(&random, 0.2, 1.9) : I, t = n % 2 ? 10 : 0.01;
        int odd = n % 3, steps = n % 5 ? 1 : 100;
        double v[3] = {odd == 0 ? K : I, odd == 1 ? K : I, odd == 2 ? K : I};
        BrMat3 Q = n % 4 ? draw_rotation(&random) : bri_identity(), J = from_axes(&Q, v), A0 = draw_rotation(&random);
        BriTop top = bri_top_make(&J);
        BrVec3 c = bri_column(&Q, odd), w = draw_vec(&random, 2), L = bri_mul(&J, w);
        BrVec3 spin = bri_scale(t * (1 / K - 1 / I) * bri_dot(L, c), c);
        BrMat3 precession = bri_rotation_exp(bri_scale(t / I, bri_mul(&A0, L))), turned = bri_rotation_exp(spin);
        BrMat3 expected = bri_mat_mul(&precession, &A0), A = A0;
        expected = bri_mat_mul(&expected, &turned);
        BrVec3 w_end = bri_mul_t(&turned, w);
        for (int k = 0; k < steps; k++) bri_top_turn(&top, t / steps, &A, &w);
        /* the axes of J are known to some EPS, and angles reach |L| t/I ~ 100: 1e2 x 1e2 EPS */
        assert_close(mat_distance(&A, &expected), 0, 1e4 * EPS);
        assert_close(vec_distance(w, w_end), 0, 1e4 * EPS);
    }
}

/* Euler's equations and A' = A [w] by the classical Runge-Kutta scheme. */
static void reference_turn(const BrMat3 *J, double t, int steps, BrMat3 *A, BrVec3 *w) {
    static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    BrMat3 inverse;
    assert_true(bri_symmetric_inverse(J, &inverse));
    double h = t / steps;
    for (int n = 0; n < steps; n++) {
        BrMat3 dA = {{{0}}}, next = *A;
        BrVec3 dw = {0, 0, 0}, w_next = *w;
        for (int s = 0; s < 4; s++) {
            BrMat3 At = *A;
            for (int i = 0; i < 9; i++) At.m[i / 3][i % 3] += node[s] * h * dA.m[i / 3][i % 3];
            BrVec3 u = bri_add_scaled(*w, node[s] * h, dw);
            BrMat3 S = {{{0, -u.z, u.y}, {u.z, 0, -u.x}, {-u.y, u.x, 0}}};
            dA = bri_mat_mul(&At, &S);
            dw = bri_mul(&inverse, bri_cross(bri_mul(J, u), u));
            for (int i = 0; i < 9; i++) next.m[i / 3][i % 3] += h * weight[s] * dA.m[i / 3][i % 3];
            w_next = bri_add_scaled(w_next, h * weight[s], dw);
        }
        *A = next;
        *w = w_next;
    }
}

static void asymmetric_tops_converge_with_order_two(void **unused) {
    (void)unused;
    Random random = {23};
    for (int n = 0; n < 4; n++) {
        double v[3] = {1, 1.4, 2.1}, error[2];
        BrMat3 Q = n % 2 ? draw_rotation(&random) : bri_identity(), J = from_axes(&Q, v), A0 = draw_rotation(&random);
        BrVec3 w0 = draw_vec(&random, 2), w_true = w0;
        BrMat3 A_true = A0;
        reference_turn(&J, 2, 20000, &A_true, &w_true); /* error (1e-4 |w|)^4, below 1e-14 */
        BriTop top = bri_top_make(&J);
        for (int k = 0; k < 2; k++) {
            int steps = 400 << k;
            BrMat3 A = A0;
            BrVec3 w = w0;
            for (int s = 0; s < steps; s++) bri_top_turn(&top, 2.0 / steps, &A, &w);
            error[k] = fmax(mat_distance(&A, &A_true), vec_distance(w, w_true));
        }
        assert_true(error[0] < 1e-3 && error[1] > 1e-9);  /* near, but not at rounding: the ratio means something */
        assert_close(error[0] / error[1], 4, 4 * 0.0005); /* symmetric scheme: next term h^4, 1e-5 of this one */
    }
}

static void turning_back_returns(void **unused) {
    (void)unused;
    Random random = {24};
    for (int n = 0; n < 100; n++) {
        double v[3] = {draw(&random, 1, 2), draw(&random, 1, 2), draw(&random, 1, 2)}, h = draw(&random, 0.001, 1);
        BrMat3 Q = n % 2 ? draw_rotation(&random) : bri_identity(), J = from_axes(&Q, v), A0 = draw_rotation(&random);
        BriTop top = bri_top_make(&J);
        BrMat3 A = A0;
        BrVec3 w0 = draw_vec(&random, 3), w = w0;
        for (int k = 0; k < 10; k++) bri_top_turn(&top, h, &A, &w);
        for (int k = 0; k < 10; k++) bri_top_turn(&top, -h, &A, &w);
        /* 20 steps of some EPS, grown by h |w| ~ 3 per step where the top is unstable or steps are coarse */
        assert_close(mat_distance(&A, &A0), 0, 1e4 * EPS);
        assert_close(vec_distance(w, w0), 0, 1e4 * EPS);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_the_matrix_exponential), cmocka_unit_test(log_undoes_exp),
        cmocka_unit_test(exp_keeps_the_group_law),       cmocka_unit_test(exp_takes_large_angles),
        cmocka_unit_test(turns_stay_rotations),          cmocka_unit_test(normalising_squares_the_error),
        cmocka_unit_test(frames_stand_on_their_axis),    cmocka_unit_test(angles_unwrap_to_the_nearest_turn),
        cmocka_unit_test(symmetric_inverse_inverts),     cmocka_unit_test(symmetric_axes_diagonalise),
        cmocka_unit_test(tops_spin_about_the_odd_axis),  cmocka_unit_test(turning_keeps_angular_momentum),
        cmocka_unit_test(symmetric_tops_are_exact),      cmocka_unit_test(asymmetric_tops_converge_with_order_two),
        cmocka_unit_test(turning_back_returns),
    };
    return cmocka_run_group_tests_name("so3", tests, NULL, NULL);
}
