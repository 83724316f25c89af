/* function.c: constants, sinusoids, tables and formulas of (x, v), with derivatives and the integral over x. */
#include "math/function.h"

#include "math/elementary.h"

BriFunction bri_function_constant(double value) { return (BriFunction){.kind = BRI_CONSTANT, .constant = value}; }

void bri_function_release(BriFunction *function, const BrAllocator *allocator) {
    bri_release(allocator, function->table);
    bri_expression_release(&function->formula, allocator);
    *function = bri_function_constant(0);
}

/* The last point at or left of x by bisection; x is not left of the first point. */
static int find_point(const BriFunction *function, double x) {
    int low = 0, high = function->points; /* x_low <= x < x_high */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (function->table[2 * middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static BriJet evaluate_table(const BriFunction *function, double x) {
    if (x != x) return (BriJet){x, x, x};
    if (function->points <= 0) return (BriJet){0, 0, 0};
    if (x < function->table[0]) return (BriJet){function->table[1], 0, 0};
    int i = find_point(function, x);
    const double *p = &function->table[2 * i]; /* x_i y_i x_i+1 y_i+1 */
    if (i == function->points - 1) return (BriJet){p[1], 0, 0};
    double slope = (p[3] - p[1]) / (p[2] - p[0]);
    return (BriJet){p[1] + slope * (x - p[0]), slope, 0};
}

BriJet bri_function_evaluate(const BriFunction *function, double x, double v) {
    return bri_function_evaluate_in(function, x, v, NULL);
}

BriJet bri_function_evaluate_in(const BriFunction *function, double x, double v, const BriAround *around) {
    double sine, cosine, amplitude = function->amplitude, w = function->angular_frequency;
    switch (function->kind) {
    case BRI_CONSTANT: break;
    case BRI_SINE:
        bri_sincos(w * x + function->phase, &sine, &cosine);
        return (BriJet){function->constant + amplitude * sine, amplitude * w * cosine, -amplitude * w * w * sine};
    case BRI_TABLE: return evaluate_table(function, x);
    case BRI_FORMULA:
        return bri_expression_evaluate_in(
            &function->formula, (BriJet[BRI_EXPRESSION_VARIABLES]){{x, 1, 0}, {v, 0, 0}, {0, 0, 0}, {0, 0, 0}}, around);
    }
    return (BriJet){function->constant, 0, 0};
}

/* Integral from 0 to x of c + A sin(w s + p) = c x + A x sin(p + h) sin(h)/h with h = w x/2: from
 * cos(p) - cos(p + 2h) = 2 sin(p + h) sin(h), without cancellation and without a special case for small w. */
static double integrate_sine(const BriFunction *function, double x) {
    double h = 0.5 * function->angular_frequency * x;
    double ratio = h == 0 ? 1 : bri_sin(h) / h;
    return x * (function->constant + function->amplitude * bri_sin(function->phase + h) * ratio);
}

/* Trapezoids are exact between the knots: from 0 to x, piece by piece. */
static double integrate_table(const BriFunction *function, double x) {
    if (x != x) return x;
    double low = x < 0 ? x : 0, high = x < 0 ? 0 : x, sum = 0;
    double a = low, f_a = evaluate_table(function, low).f;
    for (int i = 0; i <= function->points; i++) {
        double b = i < function->points && function->table[2 * i] < high ? function->table[2 * i] : high;
        if (b <= a) continue;
        double f_b = evaluate_table(function, b).f;
        sum += 0.5 * (f_a + f_b) * (b - a);
        a = b;
        f_a = f_b;
    }
    return x < 0 ? -sum : sum;
}

/* Gauss-Legendre, 8 points on [-1, 1] (roots of P_8; exact to degree 15), on each of 4 equal panels: the integral of
 * f(s) s^power. */
static double integrate_by_gauss(const BriFunction *function, double x, int power) {
    static const double node[4] = {0.18343464249564980, 0.52553240991632899, 0.79666647741362674, 0.96028985649753623};
    static const double weight[4] = {0.36268378337836198, 0.31370664587788729, 0.22238103445337447,
                                     0.10122853629037626};
    enum { PANELS = 4 };
    double half = 0.5 * x / PANELS, sum = 0;
    for (int panel = 0; panel < PANELS; panel++) {
        double middle = (2 * panel + 1) * half;
        for (int i = 0; i < 4; i++) {
            double left = middle - half * node[i], right = middle + half * node[i];
            double f_left = bri_function_evaluate(function, left, 0).f;
            double f_right = bri_function_evaluate(function, right, 0).f;
            sum += weight[i] * (power ? f_left * left + f_right * right : f_left + f_right);
        }
    }
    return half * sum;
}

double bri_function_integral(const BriFunction *function, double x) {
    switch (function->kind) {
    case BRI_CONSTANT: break;
    case BRI_SINE: return integrate_sine(function, x);
    case BRI_TABLE: return integrate_table(function, x);
    case BRI_FORMULA: return integrate_by_gauss(function, x, 0);
    }
    return function->constant * x;
}

double bri_function_moment(const BriFunction *function, double x) {
    if (function->kind == BRI_CONSTANT) return 0.5 * function->constant * x * x;
    return integrate_by_gauss(function, x, 1);
}

bool bri_function_is_constant(const BriFunction *function) {
    switch (function->kind) {
    case BRI_CONSTANT: break;
    case BRI_SINE: return function->amplitude == 0 || function->angular_frequency == 0;
    case BRI_TABLE:
        for (int i = 1; i < function->points; i++) {
            if (function->table[2 * i + 1] != function->table[1]) return false;
        }
        break;
    case BRI_FORMULA:
        return !bri_expression_uses(&function->formula, 0) && !bri_expression_uses(&function->formula, 1) &&
               !bri_function_has_quantities(function);
    }
    return true;
}

bool bri_function_is_zero(const BriFunction *function) {
    return bri_function_is_constant(function) && bri_function_evaluate(function, 0, 0).f == 0;
}

bool bri_function_has_quantities(const BriFunction *function) {
    int place = 0;
    return function->kind == BRI_FORMULA && bri_expression_quantity(&function->formula, &place) >= 0;
}

bool bri_function_uses_rate(const BriFunction *function) {
    return function->kind == BRI_FORMULA && bri_expression_uses(&function->formula, 1);
}
