/* cone.c: one contact with Coulomb's cone, exactly.
 *
 *     u = W r + b,   |r_T| <= mu r_N,   0 <= u_N _|_ r_N >= 0,
 *     u_T = s d with s >= 0 and r_T = -mu r_N d where it slides
 *
 * Open:  b_N >= 0, r = 0.
 * Stick: r = -W^-1 b, if that lies in the cone.
 * Slip:  d a unit vector. u_N = 0 gives r_N = -b_N / D with D = W_NN - mu W_NT.d > 0, and with it
 *
 *     D u_T = g + G d,   g = W_NN b_T - b_N W_TN,   G = mu (b_N W_TT - b_T W_NT),                               (7.3)
 *     f(d) = d x (g + G d) = 0,   d . (g + G d) >= 0,                                                         (7.4)
 *
 * so that no division stands inside the search. On the circle f is a trigonometric polynomial of degree 2: with
 * d = (cos a, sin a) and G = [m + p, o - k; o + k, m - p]
 *
 *     f = g x d + k + (o cos 2a - p sin 2a),   d.(g + G d) = g.d + m + (p cos 2a + o sin 2a),                   (7.5)
 *
 * which gives its derivatives for nothing. There are at most four roots. Halley's method on the angle from the guess's
 * direction finds one; if it does not, all roots are bracketed and the one nearest to the guess is taken. Where several
 * answers exist (large mu, unsymmetric W) the order is open, stick, slip. In the plane d = +-1 and both are tried.
 * The equations are those of docs/theory; a direction as the unknown is old, the division-free form (7.3) is ours. W
 * need not be symmetric. */
#include "math/vec.h"
#include "solvers/solvers.h"

/* Rounding of a few dozen operations: what cannot be told from zero beside terms of size 1. */
static const double ROUNDING = 64 * 0x1p-52;
/* A stick impulse this little outside the cone (relative) is brought back, if no slip answer is found: the rounding of
 * an ill-conditioned inverse. */
static const double EDGE = 1e-9;
/* rad, half of the step: after one this short the error is of the order of its cube, below rounding. */
static const double LAST = 1e-6;

typedef struct Slip {
    double g[2], m, p, o, k; /* of (7.5) */
    double size;             /* of the terms of g and G together */
    double w, mu_c[2];       /* D = w - mu_c . d */
    double d[2], s;          /* direction; d.(g + G d) there */
    double f, slope, bend;   /* f and its first two derivatives by the angle */
} Slip;

static void set_impulse(double *r, double n, double t1, double t2) {
    r[0] = n;
    r[1] = t1;
    r[2] = t2;
}

/* ---- the plane */

static bool stick_plane(const double *W, int stride, const double *b, double mu, double *r) {
    double w = W[0], c = W[1], e = W[stride], a = W[stride + 1], det = w * a - c * e;
    if (bri_abs(det) > ROUNDING * (bri_abs(w * a) + bri_abs(c * e))) {
        double i = 1 / det, n = (c * b[1] - a * b[0]) * i, t = (e * b[0] - w * b[1]) * i;
        if (!(n >= 0 && bri_abs(t) <= mu * n)) return false;
        double u0 = w * n + c * t + b[0], u1 = e * n + a * t + b[1];
        r[0] = n + (c * u1 - a * u0) * i;
        r[1] = t + (e * u0 - w * u1) * i;
        return true;
    }
    /* the rows depend on each other: the normal impulse alone may do */
    double n = -b[0] / w, u1 = e * n + b[1];
    if (!(w > 0) || !(bri_abs(u1) <= ROUNDING * (bri_abs(e * n) + bri_abs(b[1])))) return false;
    r[0] = n;
    r[1] = 0;
    return true;
}

static bool solve_plane(const double *W, int stride, const double *b, double mu, double *r) {
    double guess = r[1] > 0 ? -1 : r[1] < 0 ? 1 : b[1] < 0 ? -1 : 1;
    if (stick_plane(W, stride, b, mu, r)) return true;
    for (int k = 0; k < 2; k++) {
        double d = k ? -guess : guess, D = W[0] - mu * W[1] * d, n = -b[0] / D;
        double pull = n * (W[stride] - mu * W[stride + 1] * d), size = bri_abs(b[1]) + bri_abs(pull);
        if (!(D > 0) || !(d * (b[1] + pull) >= -ROUNDING * size)) continue;
        r[0] = n;
        r[1] = -mu * n * d;
        return true;
    }
    return false;
}

/* ---- space: stick */

/* r = -W^-1 b by cofactors, with one refinement once it is known to matter. 1: in the cone; 0: outside; -1: W is
 * singular. Outside, `r` holds the impulse all the same. */
static int stick_space(const double *W, int stride, const double *b, double mu, double *r) {
    const double *x = W, *y = W + stride, *z = W + 2 * stride;
    double p0 = y[1] * z[2], m0 = y[2] * z[1], p1 = y[2] * z[0], m1 = y[0] * z[2], p2 = y[0] * z[1], m2 = y[1] * z[0];
    double k0 = p0 - m0, k1 = p1 - m1, k2 = p2 - m2, det = x[0] * k0 + x[1] * k1 + x[2] * k2;
    double size = bri_abs(x[0]) * (bri_abs(p0) + bri_abs(m0)) + bri_abs(x[1]) * (bri_abs(p1) + bri_abs(m1)) +
                  bri_abs(x[2]) * (bri_abs(p2) + bri_abs(m2));
    if (!(bri_abs(det) > ROUNDING * size)) return -1;
    double i = -1 / det;
    double K[3][3] = {{i * k0, i * (x[2] * z[1] - x[1] * z[2]), i * (x[1] * y[2] - x[2] * y[1])},
                      {i * k1, i * (x[0] * z[2] - x[2] * z[0]), i * (x[2] * y[0] - x[0] * y[2])},
                      {i * k2, i * (x[1] * z[0] - x[0] * z[1]), i * (x[0] * y[1] - x[1] * y[0])}};
    for (int k = 0; k < 3; k++) r[k] = K[k][0] * b[0] + K[k][1] * b[1] + K[k][2] * b[2];
    if (!(r[0] >= 0 && r[1] * r[1] + r[2] * r[2] <= mu * mu * (r[0] * r[0]))) return 0;
    double u0 = x[0] * r[0] + x[1] * r[1] + x[2] * r[2] + b[0];
    double u1 = y[0] * r[0] + y[1] * r[1] + y[2] * r[2] + b[1];
    double u2 = z[0] * r[0] + z[1] * r[1] + z[2] * r[2] + b[2];
    for (int k = 0; k < 3; k++) r[k] += K[k][0] * u0 + K[k][1] * u1 + K[k][2] * u2;
    return 1;
}

/* The same for a singular W: the normal row is eliminated, the tangent rows that remain have rank 0 or 1, and the least
 * tangent impulse that stops them is taken. */
static bool stick_singular(const double *W, int stride, const double *b, double mu, double *r) {
    double w = W[0], S[2][2], t[2], big = 0, sum = 0, size = 0;
    if (!(w > 0)) return false;
    for (int i = 0; i < 2; i++) {
        double e = W[(i + 1) * stride] / w;
        t[i] = b[i + 1] - e * b[0];
        size += bri_abs(b[i + 1]) + bri_abs(e * b[0]);
        for (int j = 0; j < 2; j++) {
            double a = W[(i + 1) * stride + j + 1], c = e * W[j + 1];
            S[i][j] = a - c;
            big += bri_abs(a) + bri_abs(c);
        }
    }
    for (int i = 0; i < 4; i++) sum += S[i / 2][i % 2] * S[i / 2][i % 2];
    double r1 = 0, r2 = 0;
    if (bri_sqrt(sum) > ROUNDING * big) {
        r1 = -(S[0][0] * t[0] + S[1][0] * t[1]) / sum;
        r2 = -(S[0][1] * t[0] + S[1][1] * t[1]) / sum;
    }
    double left = bri_abs(t[0] + S[0][0] * r1 + S[0][1] * r2) + bri_abs(t[1] + S[1][0] * r1 + S[1][1] * r2);
    double n = -(b[0] + W[1] * r1 + W[2] * r2) / w;
    if (!(left <= ROUNDING * size) || !(n >= 0 && r1 * r1 + r2 * r2 <= mu * mu * n * n)) return false;
    set_impulse(r, n, r1, r2);
    return true;
}

/* ---- space: slip */

static inline void look(Slip *a) {
    double x = a->d[0], y = a->d[1], c2 = (x - y) * (x + y), s2 = 2 * x * y;
    double across = x * a->g[1] - y * a->g[0], along = x * a->g[0] + y * a->g[1];
    double across2 = a->o * c2 - a->p * s2, along2 = a->p * c2 + a->o * s2;
    a->f = across + a->k + across2;
    a->slope = -along - 2 * along2;
    a->bend = -across - 4 * across2;
    a->s = along + a->m + along2;
}

static inline void aim(Slip *a, double x, double y) {
    double i = 1 / bri_sqrt(x * x + y * y);
    a->d[0] = i * x;
    a->d[1] = i * y;
}

static inline double denominator(const Slip *a) { return a->w - a->mu_c[0] * a->d[0] - a->mu_c[1] * a->d[1]; }

static bool is_answer(const Slip *a) { return a->s >= -ROUNDING * a->size && denominator(a) > 0; }

/* Halley's method on the angle: its step 2 n/q turns d by the rotation whose half-angle has the tangent n/q, so that
 * one division does for step and rotation. f > 0 says that the slip lies to the left of d; a stable answer has slope <
 * 0, and where the step cannot be trusted d turns towards the slip by a fixed angle. */
static bool follow(Slip *a) {
    for (int k = 0; k < 12; k++) {
        look(a);
        double n = -a->f * a->slope, q = 2 * a->slope * a->slope - a->f * a->bend;
        bool trusted = a->slope < 0 && q > 0 && bri_abs(n) <= 0.5 * q;
        if (!trusted) q = 2, n = a->f < 0 ? -1 : 1;
        double i = 1 / (q * q + n * n), c = (q * q - n * n) * i, s = 2 * n * q * i, x = a->d[0], y = a->d[1];
        a->d[0] = c * x - s * y;
        a->d[1] = s * x + c * y;
        if (!trusted || !(bri_abs(n) < LAST * q)) continue;
        double stretch = 1.5 - 0.5 * (a->d[0] * a->d[0] + a->d[1] * a->d[1]);
        a->d[0] *= stretch;
        a->d[1] *= stretch;
        return is_answer(a);
    }
    return false;
}

/* The root of f (or, `of_slope`, of its slope) on the arc from d0 to d1, by halving the arc; leaves a->d there. */
static void halve(Slip *a, const double *d0, const double *d1, bool of_slope) {
    double x0 = d0[0], y0 = d0[1], x1 = d1[0], y1 = d1[1];
    aim(a, x0, y0);
    look(a);
    bool sign = (of_slope ? a->slope : a->f) > 0;
    for (int k = 0; k < 56; k++) {
        aim(a, x0 + x1, y0 + y1);
        look(a);
        if (((of_slope ? a->slope : a->f) > 0) == sign)
            x0 = a->d[0], y0 = a->d[1];
        else
            x1 = a->d[0], y1 = a->d[1];
    }
}

/* Keeps the answer on the arc, if there is one, when it is nearer to the guess than `best` (cosine). */
static void try_arc(Slip *a, const double *d0, const double *d1, const double *guess, double *best, double *d) {
    double f[2];
    for (int k = 0; k < 2; k++) {
        aim(a, (k ? d1 : d0)[0], (k ? d1 : d0)[1]);
        look(a);
        f[k] = a->f;
    }
    if ((f[0] > 0) == (f[1] > 0)) return;
    halve(a, d0, d1, false);
    double near = a->d[0] * guess[0] + a->d[1] * guess[1];
    if (!is_answer(a) || near <= *best) return;
    *best = near;
    d[0] = a->d[0];
    d[1] = a->d[1];
}

/* All answers on the circle: 64 arcs, cut once more where f has an extremum, so that f is monotone on each piece. */
static bool search_circle(Slip *a, const double *guess) {
    const double cosine = 0.99518472667219689, sine = 0.098017140329560602; /* of pi/32 */
    double best = -2, found[2] = {0, 0}, d0[2] = {guess[0], guess[1]};
    for (int k = 0; k < 64; k++) {
        double d1[2] = {cosine * d0[0] - sine * d0[1], sine * d0[0] + cosine * d0[1]}, slope[2];
        for (int j = 0; j < 2; j++) {
            aim(a, (j ? d1 : d0)[0], (j ? d1 : d0)[1]);
            look(a);
            slope[j] = a->slope;
        }
        if ((slope[0] > 0) != (slope[1] > 0)) {
            halve(a, d0, d1, true);
            double middle[2] = {a->d[0], a->d[1]};
            try_arc(a, d0, middle, guess, &best, found);
            try_arc(a, middle, d1, guess, &best, found);
        } else {
            try_arc(a, d0, d1, guess, &best, found);
        }
        d0[0] = d1[0];
        d0[1] = d1[1];
    }
    a->d[0] = found[0];
    a->d[1] = found[1];
    return best > -2;
}

static Slip prepare_slip(const double *W, int stride, const double *b, double mu) {
    Slip a = {.w = W[0], .mu_c = {mu * W[1], mu * W[2]}};
    double G[2][2], mu_b = mu * b[0];
    for (int i = 0; i < 2; i++) {
        const double *row = W + (i + 1) * stride;
        double free = W[0] * b[i + 1], pull = b[0] * row[0], x = mu_b * row[1], y = mu_b * row[2];
        a.g[i] = free - pull;
        G[i][0] = x - a.mu_c[0] * b[i + 1];
        G[i][1] = y - a.mu_c[1] * b[i + 1];
        a.size += bri_abs(free) + bri_abs(pull) + bri_abs(x) + bri_abs(y) +
                  (bri_abs(a.mu_c[0]) + bri_abs(a.mu_c[1])) * bri_abs(b[i + 1]);
    }
    a.m = 0.5 * (G[0][0] + G[1][1]);
    a.p = 0.5 * (G[0][0] - G[1][1]);
    a.o = 0.5 * (G[0][1] + G[1][0]);
    a.k = 0.5 * (G[1][0] - G[0][1]);
    return a;
}

static BriConeAnswer solve_space(const double *W, int stride, const double *b, double mu, double *r) {
    double still[3] = {0, 0, 0};
    int stuck = stick_space(W, stride, b, mu, still);
    if (stuck > 0) {
        set_impulse(r, still[0], still[1], still[2]);
        return BRI_CONE_FOUND;
    }
    if (stuck < 0 && stick_singular(W, stride, b, mu, r)) return BRI_CONE_FOUND;

    /* start at the guess, or where the sticking force would have pointed, or along the free slip */
    Slip a = prepare_slip(W, stride, b, mu);
    if (r[1] != 0 || r[2] != 0)
        aim(&a, -r[1], -r[2]);
    else if (stuck == 0 && still[0] > 0 && (still[1] != 0 || still[2] != 0))
        aim(&a, -still[1], -still[2]);
    else if (b[1] != 0 || b[2] != 0)
        aim(&a, b[1], b[2]);
    else
        aim(&a, 1, 0);
    double guess[2] = {a.d[0], a.d[1]};
    bool followed = follow(&a);
    if (followed || search_circle(&a, guess)) {
        double n = -b[0] / denominator(&a);
        set_impulse(r, n, -mu * n * a.d[0], -mu * n * a.d[1]);
        return followed ? BRI_CONE_FOUND : BRI_CONE_SEARCHED;
    }

    /* on the edge between stick and slip, to rounding */
    double reach = mu * still[0], pull = bri_sqrt(still[1] * still[1] + still[2] * still[2]);
    if (stuck < 0 || !(still[0] >= 0 && pull <= reach * (1 + EDGE))) return BRI_CONE_NONE;
    set_impulse(r, still[0], still[1] * (reach / pull), still[2] * (reach / pull));
    return BRI_CONE_SEARCHED;
}

BriConeAnswer bri_cone_solve(const double *W, int stride, const double *b, int rows, double mu, double *r) {
    if (b[0] >= 0) {
        for (int i = 0; i < rows; i++) r[i] = 0;
        return BRI_CONE_FOUND;
    }
    if (mu > 0 && rows == 2) return solve_plane(W, stride, b, mu, r) ? BRI_CONE_FOUND : BRI_CONE_NONE;
    if (mu > 0) return solve_space(W, stride, b, mu, r);
    if (!(W[0] > 0)) return BRI_CONE_NONE;
    r[0] = -b[0] / W[0];
    for (int i = 1; i < rows; i++) r[i] = 0;
    return BRI_CONE_FOUND;
}
