/* creep.c: cones whose friction builds up with the slip, as the law tanh has it [Song 2000, Eq. 41],
 *     r_T = -mu r_N tanh(|u_T|/gamma) u_T/|u_T|,                                                              (7.50)
 * as an equation that stays well-conditioned where gamma goes to zero. With x = r - rho u, as in (7.15), the force f and the
 * slip s that belong to x are those of
 *     f = mu x_N tanh(s/gamma),   f + rho s = |x_T|,                                                           (7.51)
 * one of each, because the left side grows with s; and (7.50) is r_T = f x_T/|x_T|, or u_T = -s x_T/|x_T|. With gamma = 0
 * this is Coulomb's law: f = min(|x_T|, mu x_N). */
#include "math/vec.h"
#include "problem/problem.h"

/* Newton's method from the left of the root of a concave function: no step overshoots. */
BriCreep bri_creep(double size, double most, double rho, double gamma) {
    enum { STEPS = 100 };         /* along the tail of tanh each goes gamma/2, and that ends at 18 gamma */
    const double NOTHING = 4e-16; /* of s */
    double s = bri_max((size - most) / rho, size / (most / gamma + rho)), tau = 0, slope = rho;
    for (int k = 0; k < STEPS; k++) {
        tau = bri_tanh(s / gamma);
        slope = most * (1 - tau * tau) / gamma + rho;
        double step = (size - most * tau - rho * s) / slope;
        if (!(step > NOTHING * s)) break;
        s += step;
    }
    return (BriCreep){.slip = s, .force = most * tau, .part = tau, .yields = rho / slope};
}

static double measure(double x, double y) { return bri_sqrt(x * x + y * y); }

/* r_T - f x_T/|x_T| over rho, or the same as u_T + s x_T/|x_T|: whichever is the difference of smaller numbers. */
void bri_creep_equations(const BriDisc *disc, double x_N, double rho, const double *r, const double *u, double *phi) {
    double x[2] = {r[0] - rho * u[0], disc->rows > 1 ? r[1] - rho * u[1] : 0};
    double size = measure(x[0], x[1]), one = size > 0 ? 1 / size : 0;
    BriCreep c = bri_creep(size, disc->mu * x_N, rho, disc->creep);
    bool holds = rho * c.slip < c.force;
    for (int i = 0; i < 2 && i < disc->rows; i++)
        phi[i] = holds ? u[i] + c.slip * one * x[i] : (r[i] - c.force * one * x[i]) / rho;
}

/* With t = x_T/|x_T|, P = 1 - t t^T and g = rho/(mu x_N tanh'(s/gamma)/gamma + rho), from (7.51):
 *     d(f t) = g mu tanh(s/gamma) t dx_N + ((1 - g) t t^T + f/|x_T| P) dx_T                                    (7.52) */
void bri_creep_derivative(const BriDisc *disc, double x_N, double rho, const double *x, double M[2][3]) {
    int n = disc->rows;
    double size = measure(x[0], n > 1 ? x[1] : 0), one = size > 0 ? 1 / size : 0;
    BriCreep c = bri_creep(size, disc->mu * x_N, rho, disc->creep);
    double along = 1 - c.yields, across = size > 0 ? c.force * one : along;
    for (int i = 0; i < 2; i++) {
        double t = i < n ? one * x[i] : 0;
        M[i][0] = c.yields * disc->mu * c.part * t;
        for (int j = 0; j < 2; j++) {
            double tt = j < n ? t * one * x[j] : 0;
            M[i][j + 1] = (along - across) * tt + (i == j ? across : 0);
        }
    }
}

double bri_creep_residual(const BriBlock *block, const double *r, const double *u, double rho) {
    BriDisc disc[BRI_DISCS] = {{0}};
    double x_N = r[0] - rho * u[0], phi[3] = {u[0]};
    bool plane = block->rows < 3;
    if (!(x_N > 0)) return measure(r[0], measure(r[1], plane ? 0 : r[2])) / rho;
    bri_block_discs(block, disc);
    bri_creep_equations(disc, x_N, rho, r + 1, u + 1, phi + 1);
    return measure(phi[0], measure(phi[1], phi[2]));
}
