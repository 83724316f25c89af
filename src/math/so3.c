/* so3.c: see so3.h.
 *
 * Exponential map:  exp(phi) = I + a [phi] + b [phi]^2,  a = sin(t)/t,  b = (1 - cos t)/t^2,  t = |phi|.
 *
 * Free turning: with L = J omega in principal axes, the energy is split into a symmetric top (I0, I0, I2) and the rest,
 *     H = [L.L/(2 I0) + (1/I2 - 1/I0) L2^2/2]  +  (1/I1 - 1/I0) L1^2/2,      2 the spin axis, 1 the wobble axis.
 * The first flow is exact:  A <- A exp(h L/I0) R2(s h), L <- R2(-s h) L with s = (1/I2 - 1/I0) L2; the second is a turn
 * about axis 1. Half of the second, the first, half of the second: symmetric, order 2 (docs/theory, eqs 2.5-2.7).
 * Splitting of this kind: Dullweber, Leimkuhler & McLachlan 1997. */
#include "math/so3.h"

static const double PI = 3.14159265358979323846;

/* sin(t)/t and (1 - cos t)/t^2 as series in s = t^2: sum (-s)^k/(2k+1)! and sum (-s)^k/(2k+2)!; the first term left
 * out is below 1e-18 for s <= 1/4. */
static void evaluate_series(double s, double *a, double *b) {
    *a = 1 +
         s * (-1.0 / 6 + s * (1.0 / 120 +
                              s * (-1.0 / 5040 + s * (1.0 / 362880 + s * (-1.0 / 39916800 + s * (1.0 / 6227020800))))));
    *b = 0.5 + s * (-1.0 / 24 +
                    s * (1.0 / 720 +
                         s * (-1.0 / 40320 + s * (1.0 / 3628800 + s * (-1.0 / 479001600 + s * (1.0 / 87178291200))))));
}

static void evaluate_exp_factors(double s, double *a, double *b) {
    if (s <= 0.25) {
        evaluate_series(s, a, b);
        return;
    }
    double t = bri_sqrt(s), sine, cosine, half_sine, half_cosine;
    bri_sincos(t, &sine, &cosine);
    bri_sincos(0.5 * t, &half_sine, &half_cosine);
    *a = sine / t;
    *b = 2 * half_sine * half_sine / s;
}

BrMat3 bri_rotation_exp(BrVec3 p) {
    double a, b;
    evaluate_exp_factors(bri_dot(p, p), &a, &b);
    double xx = b * p.x * p.x, yy = b * p.y * p.y, zz = b * p.z * p.z;
    double xy = b * p.x * p.y, yz = b * p.y * p.z, zx = b * p.z * p.x;
    return (BrMat3){{{1 - (yy + zz), xy - a * p.z, zx + a * p.y},
                     {xy + a * p.z, 1 - (zz + xx), yz - a * p.x},
                     {zx - a * p.y, yz + a * p.x, 1 - (xx + yy)}}};
}

BrMat3 bri_rotation_normalise(const BrMat3 *A) {
    /* A (3 I - A^T A)/2 */
    BrVec3 x = bri_column(A, 0), y = bri_column(A, 1), z = bri_column(A, 2);
    double xy = -0.5 * bri_dot(x, y), yz = -0.5 * bri_dot(y, z), zx = -0.5 * bri_dot(z, x);
    BrMat3 S = {{{1.5 - 0.5 * bri_dot(x, x), xy, zx},
                 {xy, 1.5 - 0.5 * bri_dot(y, y), yz},
                 {zx, yz, 1.5 - 0.5 * bri_dot(z, z)}}};
    return bri_mat_mul(A, &S);
}

BrVec3 bri_rotation_log(const BrMat3 *A) {
    const double(*m)[3] = A->m;
    /* sin(phi) along the axis, and cos(phi); near pi the axis is that of the symmetric part */
    BrVec3 s = bri_vec(0.5 * (m[2][1] - m[1][2]), 0.5 * (m[0][2] - m[2][0]), 0.5 * (m[1][0] - m[0][1]));
    double sine = bri_norm(s), cosine = 0.5 * (m[0][0] + m[1][1] + m[2][2] - 1), angle = bri_atan2(sine, cosine);
    const double NEAR_PI = -0.99; /* of the cosine */
    if (cosine > NEAR_PI) return sine > 0 ? bri_scale(angle / sine, s) : s;
    int k = m[0][0] >= m[1][1] && m[0][0] >= m[2][2] ? 0 : m[1][1] >= m[2][2] ? 1 : 2;
    double column[3]; /* (1 - cos) times a component of the axis, times the axis */
    for (int i = 0; i < 3; i++) column[i] = 0.5 * (m[i][k] + m[k][i]) - (i == k ? cosine : 0);
    BrVec3 axis = bri_vec(column[0], column[1], column[2]);
    double sign = bri_dot(axis, s) < 0 ? -1 : 1;
    return bri_scale(sign * angle / bri_norm(axis), axis);
}

BrMat3 bri_rotation_turn(const BrMat3 *A, BrVec3 phi) {
    BrMat3 E = bri_rotation_exp(phi);
    BrMat3 B = bri_mat_mul(A, &E);
    return bri_rotation_normalise(&B);
}

double bri_rotation_error(const BrMat3 *A) {
    BrVec3 x = bri_column(A, 0), y = bri_column(A, 1), z = bri_column(A, 2);
    if (!(bri_dot(bri_cross(x, y), z) > 0)) return __builtin_inf();
    const double error[6] = {bri_dot(x, x) - 1, bri_dot(y, y) - 1, bri_dot(z, z) - 1,
                             bri_dot(x, y),     bri_dot(y, z),     bri_dot(z, x)};
    double worst = 0;
    for (int i = 0; i < 6; i++) worst = bri_max(worst, bri_abs(error[i]));
    return worst;
}

BrMat3 bri_rotation_frame(BrVec3 z, BrVec3 hint) {
    BrVec3 x = bri_add_scaled(hint, -bri_dot(hint, z), z);
    const double ALONG = 1e-3;                  /* rad: of the hint to z, which then loses three digits */
    if (bri_norm(x) < ALONG * bri_norm(hint)) { /* hint along z: take the world axis least along z */
        BrVec3 e = bri_abs(z.x) <= bri_abs(z.y) && bri_abs(z.x) <= bri_abs(z.z) ? bri_vec(1, 0, 0)
                   : bri_abs(z.y) <= bri_abs(z.z)                               ? bri_vec(0, 1, 0)
                                                                                : bri_vec(0, 0, 1);
        x = bri_add_scaled(e, -bri_dot(e, z), z);
    }
    x = bri_scale(1 / bri_norm(x), x);
    return bri_from_columns(x, bri_cross(z, x), z);
}

double bri_angle_unwrap(double angle, double near) {
    double turns = bri_floor((near - angle) / (2 * PI) + 0.5);
    return angle + 2 * PI * turns;
}

bool bri_symmetric_inverse(const BrMat3 *S, BrMat3 *inverse) {
    BrVec3 a = bri_column(S, 0), b = bri_column(S, 1), c = bri_column(S, 2);
    BrVec3 bc = bri_cross(b, c), ca = bri_cross(c, a), ab = bri_cross(a, b);
    double determinant = bri_dot(a, bc);
    double minor = a.x * b.y - a.y * b.x;
    if (!(a.x > 0 && minor > 0 && determinant > 0)) return false;
    double s = 1 / determinant;
    *inverse =
        (BrMat3){{{s * bc.x, s * bc.y, s * bc.z}, {s * ca.x, s * ca.y, s * ca.z}, {s * ab.x, s * ab.y, s * ab.z}}};
    for (int i = 0; i < 3; i++) /* exactly symmetric */
        for (int j = 0; j < i; j++) inverse->m[i][j] = inverse->m[j][i];
    return true;
}

/* One Jacobi rotation in the plane (p, q): S <- G^T S G, Q <- Q G. */
static void rotate_plane(BrMat3 *S, BrMat3 *Q, int p, int q) {
    double off = S->m[p][q];
    if (off == 0) return;
    double theta = (S->m[q][q] - S->m[p][p]) / (2 * off);
    double t = (theta >= 0 ? 1 : -1) / (bri_abs(theta) + bri_sqrt(theta * theta + 1));
    double c = 1 / bri_sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        double a = S->m[k][p], b = S->m[k][q];
        S->m[k][p] = c * a - s * b;
        S->m[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 3; k++) {
        double a = S->m[p][k], b = S->m[q][k];
        S->m[p][k] = c * a - s * b;
        S->m[q][k] = s * a + c * b;
    }
    S->m[p][q] = S->m[q][p] = 0;
    for (int k = 0; k < 3; k++) {
        double a = Q->m[k][p], b = Q->m[k][q];
        Q->m[k][p] = c * a - s * b;
        Q->m[k][q] = s * a + c * b;
    }
}

void bri_symmetric_axes(const BrMat3 *matrix, double values[3], BrMat3 *Q) {
    BrMat3 S = *matrix;
    *Q = bri_identity();
    for (int sweep = 0; sweep < 12; sweep++) {
        rotate_plane(&S, Q, 0, 1);
        rotate_plane(&S, Q, 1, 2);
        rotate_plane(&S, Q, 0, 2);
    }
    for (int k = 0; k < 3; k++) values[k] = S.m[k][k];
}

BriTop bri_top_make(const BrMat3 *inertia) {
    BriTop top;
    double *v = top.inertia;
    bri_symmetric_axes(inertia, v, &top.axes);
    double d01 = bri_abs(v[0] - v[1]), d12 = bri_abs(v[1] - v[2]), d20 = bri_abs(v[2] - v[0]);
    top.spin = d01 <= d12 && d01 <= d20 ? 2 : d12 <= d20 ? 0 : 1;
    top.wobble = (top.spin + 2) % 3;
    top.reference = 1 / v[(top.spin + 1) % 3];
    top.spin_rate = 1 / v[top.spin] - top.reference;
    top.wobble_rate = 1 / v[top.wobble] - top.reference;
    top.aligned = true;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) top.aligned = top.aligned && top.axes.m[i][j] == (i == j);
    return top;
}

/* cos and sin of a small or large angle, from the series where it holds. */
static void evaluate_turn(double angle, double *c, double *s) {
    double square = angle * angle, a, b;
    if (square > 0.25) {
        bri_sincos(angle, s, c);
        return;
    }
    evaluate_series(square, &a, &b);
    *s = a * angle;
    *c = 1 - b * square;
}

/* R <- R Rk(angle) (NULL: not asked for), L <- Rk(-angle) L, Rk the turn about axis k */
static void turn_about(int k, double angle, BrMat3 *R, double L[3]) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double c, s;
    evaluate_turn(angle, &c, &s);
    for (int row = 0; R && row < 3; row++) {
        double x = R->m[row][i], y = R->m[row][j];
        R->m[row][i] = c * x + s * y;
        R->m[row][j] = c * y - s * x;
    }
    double x = L[i], y = L[j];
    L[i] = c * x + s * y;
    L[j] = c * y - s * x;
}

void bri_top_turn(const BriTop *top, double h, BrMat3 *A, BrVec3 *omega) {
    BrVec3 w0 = top->aligned ? *omega : bri_mul_t(&top->axes, *omega), w;
    BrMat3 R = top->aligned ? *A : bri_mat_mul(A, &top->axes);
    double L[3] = {top->inertia[0] * w0.x, top->inertia[1] * w0.y, top->inertia[2] * w0.z};
    bool wobbles = top->wobble_rate != 0;
    if (wobbles) turn_about(top->wobble, 0.5 * h * top->wobble_rate * L[top->wobble], &R, L); /* (2.7) */
    BrMat3 E = bri_rotation_exp(bri_scale(h * top->reference, bri_vec(L[0], L[1], L[2])));    /* (2.6) */
    R = bri_mat_mul(&R, &E);
    if (top->spin_rate != 0) turn_about(top->spin, h * top->spin_rate * L[top->spin], &R, L);
    if (wobbles) turn_about(top->wobble, 0.5 * h * top->wobble_rate * L[top->wobble], &R, L);
    w = bri_vec(L[0] / top->inertia[0], L[1] / top->inertia[1], L[2] / top->inertia[2]);
    if (!top->aligned) {
        BrMat3 back = bri_transpose(&top->axes);
        R = bri_mat_mul(&R, &back);
        w = bri_add(*omega, bri_mul(&top->axes, bri_sub(w, w0))); /* only the change passes through the axes */
    }
    *A = R;
    *omega = w;
}

BrVec3 bri_top_spin(const BriTop *top, double h, BrVec3 omega) {
    bool wobbles = top->wobble_rate != 0;
    if (!wobbles && top->spin_rate == 0) return omega;
    BrVec3 w0 = top->aligned ? omega : bri_mul_t(&top->axes, omega);
    double L[3] = {top->inertia[0] * w0.x, top->inertia[1] * w0.y, top->inertia[2] * w0.z};
    if (wobbles) turn_about(top->wobble, 0.5 * h * top->wobble_rate * L[top->wobble], NULL, L);
    if (top->spin_rate != 0) turn_about(top->spin, h * top->spin_rate * L[top->spin], NULL, L);
    if (wobbles) turn_about(top->wobble, 0.5 * h * top->wobble_rate * L[top->wobble], NULL, L);
    BrVec3 w = bri_vec(L[0] / top->inertia[0], L[1] / top->inertia[1], L[2] / top->inertia[2]);
    return top->aligned ? w : bri_add(omega, bri_mul(&top->axes, bri_sub(w, w0)));
}
