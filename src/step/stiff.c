/* stiff.c: see stiff.h. T_j1: j steps of y += (1 - h/j J)^-1 h/j f(y), J = df/dy at the start, by differences;
 *     T_jk = T_j,k-1 + (T_j,k-1 - T_j-1,k-1) / (j/(j-k+1) - 1). */
#include "step/stiff.h"

#include "linalg/dense.h"
#include "math/vec.h"

#include <string.h>

size_t bri_stiff_scratch(int size) {
    size_t n = (size_t)size;
    return 2 * n * n + (BRI_STIFF_COLUMNS + 4) * n;
}

/* Of a number, and of numbers that may be zero: differences have half the digits with the root of rounding as step. Of
 * lengths and speeds below SMALL (m, m/s) the difference is taken over more than themselves; absolute. */
static const double ROOT = 1e-8, SMALL = 1e-2;

/* J, column by column. f0 is f(y); at, rate: scratch. */
static void find_jacobian(const BriOde *ode, const double *y, const double *f0, double *at, double *rate, double *J) {
    int n = ode->size;
    memcpy(at, y, (size_t)n * sizeof(double));
    for (int k = 0; k < n && bri_has_budget(ode->budget); k++) {
        double step = ROOT * (SMALL + bri_abs(y[k]));
        at[k] = y[k] + step;
        step = at[k] - y[k]; /* as it came out */
        ode->rate(ode->user, 0, at, rate);
        for (int i = 0; i < n; i++) J[i * n + k] = (rate[i] - f0[i]) / step;
        at[k] = y[k];
    }
}

/* j linearly implicit steps over h; false: singular. */
static bool run_euler(const BriOde *ode, const double *J, const double *f0, double h, int j, double *LU, double *rate,
                      double *end) {
    int n = ode->size, *pivot = (int *)(LU + (size_t)n * (size_t)n);
    double step = h / j, rows = n;
    if (!bri_spend(ode->budget, rows * rows * rows / 3 + (2 + 2 * j) * rows * rows)) return false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) LU[i * n + k] = (i == k ? 1 : 0) - step * J[i * n + k];
    if (!bri_lu_factor(LU, n, n, pivot)) return false;
    for (int s = 0; s < j; s++) {
        if (s > 0) ode->rate(ode->user, 0, end, rate);
        const double *f = s > 0 ? rate : f0;
        for (int i = 0; i < n; i++) rate[i] = step * f[i];
        bri_lu_solve(LU, n, n, pivot, rate);
        for (int i = 0; i < n; i++) end[i] += rate[i];
    }
    return true;
}

double bri_stiff_step(const BriOde *ode, double *scratch, const double *y, double h, double *end) {
    int n = ode->size;
    double *J = scratch, *LU = J + (size_t)n * (size_t)n, *f0 = LU + (size_t)n * (size_t)n + n, *at = f0 + n,
           *rate = at + n, *table[BRI_STIFF_COLUMNS];
    for (int j = 0; j < BRI_STIFF_COLUMNS; j++) table[j] = rate + (1 + j) * n;
    ode->rate(ode->user, 0, y, f0);
    find_jacobian(ode, y, f0, at, rate, J);
    for (int j = 0; j < BRI_STIFF_COLUMNS; j++) {
        memcpy(end, y, (size_t)n * sizeof(double));
        if (!run_euler(ode, J, f0, h, j + 1, LU, rate, end)) return __builtin_inf();
        bri_neville_row(table, j, n, 1, end);
    }
    return bri_neville_error(ode, table[BRI_STIFF_COLUMNS - 2], end);
}
