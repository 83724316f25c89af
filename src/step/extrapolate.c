/* extrapolate.c: see extrapolate.h. T_j1: n_j = 2j midpoint steps;
 *     T_jk = T_j,k-1 + (T_j,k-1 - T_j-1,k-1) / ((n_j/n_j-k+1)^2 - 1). */
#include "step/extrapolate.h"

#include "math/vec.h"

#include <string.h>

static void swap(double **a, double **b) {
    double *t = *a;
    *a = *b;
    *b = t;
}

/* n midpoint steps over h, n even. */
static void run_midpoint(const BriOde *ode, double x, const double *y, double h, int n, double *end) {
    int size = ode->size;
    double step = h / n, *before = ode->scratch, *now = before + size, *rate = now + size;
    memcpy(before, y, (size_t)size * sizeof(double));
    ode->rate(ode->user, x, y, rate);
    for (int i = 0; i < size; i++) now[i] = y[i] + step * rate[i];
    for (int k = 1; k < n && bri_has_budget(ode->budget); k++) {
        ode->rate(ode->user, x + k * step, now, rate);
        for (int i = 0; i < size; i++) before[i] += 2 * step * rate[i];
        swap(&before, &now);
    }
    memcpy(end, now, (size_t)size * sizeof(double));
}

void bri_neville_row(double *const *table, int j, int size, int power, double *end) {
    for (int k = 0; k < j; k++) {
        double ratio = (double)(j + 1) / (double)(j - k), inverse = 1 / ((power == 2 ? ratio * ratio : ratio) - 1);
        for (int i = 0; i < size; i++) {
            double better = end[i] + (end[i] - table[k][i]) * inverse;
            table[k][i] = end[i]; /* T_j,k+1, for the row below */
            end[i] = better;
        }
    }
    memcpy(table[j], end, (size_t)size * sizeof(double));
}

double bri_neville_error(const BriOde *ode, const double *last, const double *end) {
    double error = 0;
    for (int i = 0; i < ode->size - ode->along; i++) {
        double e = bri_abs(end[i] - last[i]) / ((ode->scale ? ode->scale[i] : 1) + bri_abs(end[i]));
        if (e != e) return __builtin_inf();
        if (e > error) error = e;
    }
    return error;
}

double bri_extrapolate(const BriOde *ode, double x, const double *y, double h, double *end) {
    int size = ode->size;
    double *table[BRI_COLUMNS];
    for (int j = 0; j < BRI_COLUMNS; j++) table[j] = ode->scratch + (3 + j) * size;
    for (int j = 0; j < BRI_COLUMNS; j++) {
        if (!bri_has_budget(ode->budget)) return __builtin_inf();
        run_midpoint(ode, x, y, h, 2 * (j + 1), end);
        bri_neville_row(table, j, size, 2, end);
    }
    return bri_neville_error(ode, table[BRI_COLUMNS - 2], end);
}

double bri_step_factor(double error, double tolerance, int power) {
    if (!(error < 1e300)) return 0.1;
    if (error <= 0) return 4;
    double factor = 0.8 * bri_pow(tolerance / error, 1.0 / power);
    return factor < 0.1 ? 0.1 : factor > 4 ? 4 : factor;
}
