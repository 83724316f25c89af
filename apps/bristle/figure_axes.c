/* figure_axes.c: ranges and ticks at round numbers: 1, 2 or 5 times a power of ten, four to eight of them. */
#include "figure.h"

#include <math.h>
#include <string.h>

/* As the axis counts: NaN for what it cannot show. */
static double scale(const Axis *axis, double value) { return !axis->log ? value : value > 0 ? log10(value) : NAN; }

double axis_place(const Axis *axis, double value) {
    return (scale(axis, value) - axis->low) / (axis->high - axis->low);
}

/* ------------------------------------------------------------------ ranges */

static void include(Axis *axis, double value) {
    axis->low = fmin(axis->low, value);
    axis->high = fmax(axis->high, value);
}

static bool is_given(const double range[2]) { return range[0] != range[1]; }

/* The range of what the curves have within the window. */
static void find_ranges(const BrFigure *figure, const Window *window, Axis *x, Axis *y) {
    for (int c = 0; c < figure->curves; c++)
        for (int i = 0; i < figure->curve[c].points; i++) {
            double across = figure->curve[c].x[i], a = scale(x, across), b = scale(y, figure->curve[c].y[i]);
            bool within = !is_given(window->x) || (across >= window->x[0] && across <= window->x[1]);
            if (!isfinite(a) || !isfinite(b) || !within) continue;
            include(x, a);
            include(y, b);
        }
}

static void set_range(Axis *axis, const double range[2]) {
    if (!is_given(range)) return;
    axis->low = scale(axis, range[0]);
    axis->high = scale(axis, range[1]);
}

static void widen(Axis *axis, double range) {
    double middle = (axis->low + axis->high) / 2;
    axis->low = middle - range / 2;
    axis->high = middle + range / 2;
}

/* What has no width gets some. */
static void open_range(Axis *axis) {
    double range = axis->high - axis->low, size = fmax(fabs(axis->low), fabs(axis->high));
    if (!(range > 1e-12 * size) || range == 0) widen(axis, size > 0 ? 0.2 * size : 2);
}

static void make_equal(Axis *x, Axis *y, double aspect) {
    double across = x->high - x->low, upwards = y->high - y->low;
    if (across < aspect * upwards)
        widen(x, aspect * upwards);
    else
        widen(y, across / aspect);
}

/* ------------------------------------------------------------------ ticks */

/* A round distance apart; an axis that is `whole` ends at ticks. */
static void choose_ticks(Axis *axis, bool whole) {
    double range = axis->high - axis->low;
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

bool figure_axes(const BrFigure *figure, const Window *given, Axis *x, Axis *y) {
    Window window = given ? *given : (Window){0};
    *x = (Axis){.low = INFINITY, .high = -INFINITY, .log = figure->log_x};
    *y = (Axis){.low = INFINITY, .high = -INFINITY, .log = figure->log_y};
    find_ranges(figure, &window, x, y);
    if (!(x->low <= x->high)) return false;
    set_range(x, window.x);
    set_range(y, window.y);
    open_range(x);
    open_range(y);
    if (window.aspect > 0) make_equal(x, y, window.aspect);
    choose_ticks(x, x->log && !is_given(window.x));
    choose_ticks(y, !is_given(window.y) && window.aspect == 0);
    return true;
}

void share_x(const BrFigure *panels, int count, Window *window) {
    Axis all = {.low = INFINITY, .high = -INFINITY};
    for (int i = 0; i < count && !is_given(window->x); i++) {
        Axis x, y;
        if (!figure_axes(&panels[i], window, &x, &y)) continue;
        include(&all, panels[i].log_x ? pow(10, x.low) : x.low);
        include(&all, panels[i].log_x ? pow(10, x.high) : x.high);
    }
    if (all.low < all.high) {
        window->x[0] = all.low;
        window->x[1] = all.high;
    }
}

void axis_label(const Axis *axis, double position, char *text, size_t size) {
    if (axis->log) {
        snprintf(text, size, "%g", pow(10, round(position)));
        return;
    }
    if (fabs(position) < 1e-9 * axis->step) position = 0;
    double largest = fmax(fabs(axis->low), fabs(axis->high));
    int exponent = largest >= 1e4 || largest < 1e-2 ? 3 * (int)floor(log10(largest) / 3 + 1e-9) : 0;
    double unit = pow(10, exponent);
    int digits = (int)fmax(0, -floor(log10(axis->step / unit) + 1e-9));
    if (exponent == 0)
        snprintf(text, size, "%.*f", digits, position);
    else if (position == 0)
        snprintf(text, size, "0");
    else
        snprintf(text, size, "%.*fe%d", digits, position / unit, exponent);
}
