/* slow.c: the smooth motion while slides are slow (7.45): at break-away there is no slip yet, and the excess force says
 * where it goes; soon after friction would turn it within less than any step. T_j1: j Euler steps of h/j, friction of
 * slow slides going against the slip at the end of each, all else as it is at its start; extrapolated in h. */
#include "step/event.h"

#include <string.h>

static void run_euler(BriFlow *f, double h, int steps, double *rate, double *end) {
    double *t = bri_flow_time(f, end);
    f->ahead = h / steps;
    for (int s = 0; s < steps && bri_has_budget(f->ode.budget); s++) {
        f->ode.rate(f->ode.user, *t, end, rate);
        for (int i = 0; i < f->ode.size; i++) end[i] += f->ahead * rate[i];
    }
    f->ahead = 0;
}

static double step_ahead(BriFlow *f, const double *y, double h, double *end) {
    int size = f->ode.size;
    double *rate = f->ode.scratch, *table[BRI_SLOW_COLUMNS];
    for (int j = 0; j < BRI_SLOW_COLUMNS; j++) table[j] = rate + (1 + j) * size;
    for (int j = 0; j < BRI_SLOW_COLUMNS; j++) {
        memcpy(end, y, (size_t)size * sizeof(double));
        run_euler(f, h, j + 1, rate, end);
        if (!bri_has_budget(f->ode.budget)) return __builtin_inf();
        bri_neville_row(table, j, size, 1, end);
    }
    return bri_neville_error(&f->ode, table[BRI_SLOW_COLUMNS - 2], end);
}

double bri_flow_follow(BriFlow *f, double x, double h, double *end) {
    bool ahead = f->slow && f->slowing < 0;
    return ahead ? step_ahead(f, f->y, h, end) : bri_extrapolate(&f->ode, x, f->y, h, end);
}
