/* equations.h: what Newton's methods solve, block by block.
 *
 * Alart and Curnier's equations (1991), each block in m/s, with x = r - rho u, rho as in (7.2):
 *
 *     free   u = 0
 *     box    u = 0 where lower < x < upper, else (r - bound)/rho = 0
 *     cone   x_N <= 0:              r/rho = 0                                          (open)
 *            |x_T| <= mu x_N:       u = 0                                              (stick)
 *            otherwise              u_N = 0,  (r_T - mu x_N t)/rho = 0,  t = x_T/|x_T|    (slip)           (7.15) */
#ifndef BRI_EQUATIONS_H
#define BRI_EQUATIONS_H

#include "math/vec.h"
#include "solvers/local.h"

#include <string.h>

/* The equations (7.15) of one block, at r and u; a cone's coefficients times `share`. */
static inline void bri_block_equations(const BriBlock *block, double share, double rho, const double *r,
                                       const double *u, double *phi) {
    if (block->set == BRI_SET_CONE) {
        bri_cone_measure(&(BriConePoint){block, share, rho, r, u}, phi);
    } else if (block->set == BRI_SET_BOX) {
        double x = r[0] - rho * u[0];
        phi[0] = x <= block->lower   ? (r[0] - block->lower) / rho
                 : x >= block->upper ? (r[0] - block->upper) / rho
                                     : u[0];
    } else {
        memcpy(phi, u, (size_t)block->rows * sizeof(double));
    }
}

/* Does Newton's step of this block not depend on others (open, at a bound)? r and u: its first. Then it is -rho phi. */
static inline bool bri_step_is_known(const BriBlock *block, double rho, double r, double u) {
    double x = r - rho * u;
    return (block->set == BRI_SET_CONE && x <= 0) ||
           (block->set == BRI_SET_BOX && (x <= block->lower || x >= block->upper));
}

/* How Newton's steps become long: eps, which they have on the diagonal of W, is a small step of time along which impulses
 * grow as springs' do. It begins large where the answer is far, and falls with the merit (pseudo-transient continuation,
 * Kelley & Keyes 1998). Where the merit hardly falls, no mode changes and eps alone holds the step back: it falls by
 * much. No step is taken back: that keeps modes from changing, and ends nowhere.
 * left: what the last step left of the merit. least: eps falls no farther. */
static inline double bri_next_eps(double eps, double left, double least) {
    const double FASTEST = 0.3, GROWTH = 2, LARGEST = 1; /* in a step; of all */
    const double IDLE = 0.9, FALL = 0.1;                 /* a step that left more; what eps does then */
    double change = left > IDLE && left <= 1 ? FALL : bri_min(GROWTH, bri_max(FASTEST, left));
    return bri_min(LARGEST, bri_max(least, change * eps));
}

/* Of the merit at the start: what has grown to so much leads nowhere. */
#define BRI_LOST 1e3
/* Of the tolerance: an answer that good need not be better, and is tried while that gains much. */
#define BRI_GOOD 0.3

/* Of a cone that slides. With P = 1 - t t^T and c = mu x_N/|x_T| the derivative of (7.15)'s tangent part is
 *     (dr_T - mu t dr_N - c P dr_T)/rho + mu t du_N + c P du_T = M du + (dr_T - M dr)/rho,   M = (mu t, c P).
 * false: it sticks, M is not touched. */
static inline bool bri_slip_derivative(const BriBlock *block, double mu, double rho, const double *r, const double *u,
                                       double M[2][3]) {
    int n = block->rows - 1;
    double x[2] = {0, 0}, t[2] = {0, 0}, length = 0;
    for (int i = 0; i < n; i++) {
        x[i] = r[i + 1] - rho * u[i + 1];
        length += x[i] * x[i];
    }
    length = bri_sqrt(length);
    double c = mu * (r[0] - rho * u[0]);
    if (length <= c) return false;
    for (int i = 0; i < n; i++) t[i] = x[i] / length;
    c = n == 2 ? c / length : 0;
    for (int i = 0; i < 2; i++) {
        M[i][0] = mu * t[i];
        for (int j = 0; j < 2; j++) M[i][j + 1] = c * ((i == j) - t[i] * t[j]);
    }
    return true;
}

#endif
