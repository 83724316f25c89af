/* figure_axes.c: ranges and ticks at round numbers: 1, 2 or 5 times a power of ten, four to eight of them. */
#include "figure.h"

#include <math.h>
#include <string.h>

double axis_place(const Axis *axis, double value) {
    if (axis->log) value = value > 0 ? log10(value) : NAN;
    return (value - axis->low) / (axis->high - axis->low);
}

static void include(Axis *axis, double value) {
    if (axis->log) value = value > 0 ? log10(value) : NAN;
    if (!isfinite(value)) return;
    axis->low = fmin(axis->low, value);
    axis->high = fmax(axis->high, value);
}

/* Ticks a round distance apart; a y axis ends at ticks, an x axis where its data ends. */
static void choose_ticks(Axis *axis, bool whole) {
    double range = axis->high - axis->low, size = fmax(fabs(axis->low), fabs(axis->high));
    if (!(range > 1e-12 * size) || range == 0) {
        double margin = size > 0 ? 0.1 * size : 1;
        axis->low -= margin;
        axis->high += margin;
        range = 2 * margin;
    }
    double rough = range / 5, power = pow(10, floor(log10(rough))), digit = rough / power;
    axis->step = power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
    if (axis->log) axis->step = fmax(1, ceil(range / 8)); /* decades only */
    if (whole) {
        axis->low = axis->step * floor(axis->low / axis->step + 1e-6);
        axis->high = axis->step * ceil(axis->high / axis->step - 1e-6);
    }
    if (axis->high - axis->low < axis->step && axis->log) axis->high = axis->low + axis->step;
    axis->first = axis->step * ceil(axis->low / axis->step - 1e-6);
}

bool figure_axes(const BrFigure *figure, Axis *x, Axis *y) {
    *x = (Axis){.low = INFINITY, .high = -INFINITY, .log = figure->log_x};
    *y = (Axis){.low = INFINITY, .high = -INFINITY, .log = figure->log_y};
    for (int c = 0; c < figure->curves; c++)
        for (int i = 0; i < figure->curve[c].points; i++) {
            double a = figure->curve[c].x[i], b = figure->curve[c].y[i];
            bool shown = isfinite(a) && isfinite(b) && (!x->log || a > 0) && (!y->log || b > 0);
            if (shown) include(x, a);
            if (shown) include(y, b);
        }
    if (!(x->low <= x->high)) return false;
    choose_ticks(x, x->log);
    choose_ticks(y, true);
    return true;
}

void axis_label(const Axis *axis, double position, char *text, size_t size) {
    if (axis->log) {
        snprintf(text, size, "%g", pow(10, round(position)));
        return;
    }
    if (fabs(position) < 1e-9 * axis->step) position = 0;
    double largest = fmax(fabs(axis->low), fabs(axis->high));
    int digits = (int)fmax(0, -floor(log10(axis->step) + 1e-9));
    if (largest >= 1e5 || axis->step < 1e-4)
        snprintf(text, size, "%.*g", (int)fmax(2, 1 + ceil(log10(largest / axis->step))), position);
    else
        snprintf(text, size, "%.*f", digits, position);
}
