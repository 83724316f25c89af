/* runge_kutta.c: see runge_kutta.h. Every stage of these three needs only the one before:
 *     k_1 = f(x, y),   k_i = f(x + c_i h, y + c_i h k_i-1),   y' = y + h sum b_i k_i */
#include "step/runge_kutta.h"

typedef struct Tableau {
    int stages;
    double c[BRI_STAGES], b[BRI_STAGES];
} Tableau;

static const Tableau TABLEAUS[] = {
    {2, {0, 0.5}, {0, 1}},
    {3, {0, 0.5, 0.75}, {2.0 / 9, 1.0 / 3, 4.0 / 9}},
    {4, {0, 0.5, 0.5, 1}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}},
};

void bri_runge_kutta(const BriOde *ode, int order, double x, const double *y, double h, double *end) {
    const Tableau *t = &TABLEAUS[order - 2];
    int size = ode->size;
    double *rate = ode->scratch, *at = ode->scratch + size;
    for (int i = 0; i < size; i++) end[i] = y[i];
    for (int s = 0; s < t->stages; s++) {
        double far = t->c[s] * h, weight = t->b[s] * h;
        for (int i = 0; i < size; i++) at[i] = s > 0 ? y[i] + far * rate[i] : y[i];
        ode->rate(ode->user, x + far, at, rate);
        for (int i = 0; i < size; i++) end[i] += weight * rate[i];
    }
}
