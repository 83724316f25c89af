/* answers_around.c: see answers.h: one contact without slip, in space. Open and rolling are one linear problem each. A
 * slide along d = (cos a, sin a) has
 *     N = -b_N/A,  A(a) = W_NN - mu W_NT.d,        A u_T = A b_T - b_N W_TN + mu b_N W_TT d                     (12.3)
 * and is an answer where N >= 0, d x u_T = 0 and d.u_T >= 0. With A in front d x u_T is a trigonometric polynomial of
 * degree 2; with x = tan(a/2) one of degree 4 in x, whose real roots lie one by one between those of its derivative. All
 * of them are found. */
#include "modes/answers.h"

#include "linalg/dense.h"
#include "math/vec.h"

enum { DEGREE = 4, SAMPLES = 16 };

static const double NOTHING = 1e-9;
static const double PI = 3.14159265358979323846;

/* A(a), and A u_T. */
static double find_turned(const BriModes *m, double a, double d[2], double u[2]) {
    double mu = m->contact[0].mu_k;
    bri_sincos(a, &d[1], &d[0]);
    double A = m->W[0][0] - mu * (m->W[0][1] * d[0] + m->W[0][2] * d[1]);
    for (int i = 0; i < 2; i++)
        u[i] =
            A * m->b[1 + i] - m->b[0] * m->W[1 + i][0] + mu * m->b[0] * (m->W[1 + i][1] * d[0] + m->W[1 + i][2] * d[1]);
    return A;
}

static double find_cross(const BriModes *m, double a) {
    double d[2], u[2];
    find_turned(m, a, d, u);
    return d[0] * u[1] - d[1] * u[0];
}

/* ------------------------------------------------------------------ real roots of a polynomial */

static double value_at(const double *c, int degree, double x) {
    double sum = 0;
    for (int i = degree; i >= 0; i--) sum = sum * x + c[i];
    return sum;
}

static double halve(const double *c, int degree, double low, double high) {
    bool rises = value_at(c, degree, high) > 0;
    for (int i = 0; i < 200; i++) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) break;
        *((value_at(c, degree, middle) > 0) == rises ? &high : &low) = middle;
    }
    return 0.5 * (low + high);
}

/* All within -far to far, in order. Where it only touches zero, as far as rounding lets it, there is a root too. */
static int find_roots(const double *c, int degree, double far, double *root) {
    double slope[DEGREE] = {0}, turn[DEGREE + 1] = {0}, size = 0;
    int turns, roots = 0;
    if (degree == 0) return 0;
    for (int i = 0; i < degree; i++) slope[i] = (i + 1) * c[i + 1];
    turns = find_roots(slope, degree - 1, far, turn);
    turn[turns] = far;
    for (int i = 0; i <= degree; i++) size = bri_max(size, bri_abs(c[i]));
    double low = -far;
    for (int i = 0; i <= turns; i++) {
        double high = turn[i], x = bri_max(1, bri_abs(high)), rounding = 1e-14 * size;
        double at_low = value_at(c, degree, low), at_high = value_at(c, degree, high);
        for (int k = 0; k < degree; k++) rounding *= x;
        if ((at_low > 0) != (at_high > 0))
            root[roots++] = halve(c, degree, low, high);
        else if (i < turns && bri_abs(at_high) <= rounding)
            root[roots++] = high;
        low = high;
    }
    return roots;
}

/* ------------------------------------------------------------------ directions of slides */

/* Angles at which d x u_T = 0; -1: everywhere. */
static int find_angles(const BriModes *m, double *angle) {
    double start = 0, most = 0, a[3] = {0}, b[3] = {0};
    for (int i = 0; i < SAMPLES; i++) {
        double at = 2 * PI * i / SAMPLES, size = bri_abs(find_cross(m, at));
        if (size > most) most = size, start = at;
    }
    if (!(most > NOTHING)) return -1;
    start -= PI; /* no root lies where x is infinite: there it is largest */
    for (int i = 0; i < SAMPLES; i++) {
        double at = 2 * PI * i / SAMPLES, F = find_cross(m, start + at);
        for (int n = 0; n < 3; n++) {
            double sine, cosine;
            bri_sincos(n * at, &sine, &cosine);
            a[n] += (n ? 2. : 1.) / SAMPLES * F * cosine;
            b[n] += 2. / SAMPLES * F * sine;
        }
    }
    /* (1 + x^2)^2 F, with cos = (1 - x^2)/(1 + x^2), sin = 2 x/(1 + x^2) */
    const double c[DEGREE + 1] = {a[0] + a[1] + a[2], 2 * b[1] + 4 * b[2], 2 * a[0] - 6 * a[2], 2 * b[1] - 4 * b[2],
                                  a[0] - a[1] + a[2]};
    double far = 0;
    for (int i = 0; i < DEGREE; i++) far = bri_max(far, bri_abs(c[i] / c[DEGREE]));
    int roots = find_roots(c, DEGREE, 1 + far, angle); /* Cauchy's bound */
    for (int i = 0; i < roots; i++) angle[i] = start + 2 * bri_atan(angle[i]);
    return roots;
}

static void add_slide(const BriModes *m, BriModeAnswers *answers, double angle) {
    double d[2], u[2], mu = m->contact[0].mu_k, A = find_turned(m, angle, d, u);
    BriModeAnswer answer = {.mode = {BRI_MODE_SLIDES}};
    if (bri_abs(A) <= NOTHING) {
        answers->endless = answers->endless || m->b[0] == 0;
        return;
    }
    double N = -m->b[0] / A, along = (d[0] * u[0] + d[1] * u[1]) / A;
    if (!(N > 0) || along < -NOTHING * bri_max(1, N)) return;
    answer.p[0] = N;
    for (int i = 0; i < 2; i++) {
        answer.drag[0][i] = mu * d[i];
        answer.p[1 + i] = -N * answer.drag[0][i];
    }
    bri_answer_accelerate(m, &answer);
    bri_answers_add(m, answers, &answer);
}

static void add_rolling(const BriModes *m, BriModeAnswers *answers) {
    double A[9], x[3];
    int pivot[3];
    BriModeAnswer answer = {.mode = {BRI_MODE_ROLLS}};
    for (int i = 0; i < 3; i++) {
        x[i] = -m->b[i];
        for (int k = 0; k < 3; k++) A[3 * i + k] = m->W[i][k];
    }
    if (!bri_lu_factor(A, 3, 3, pivot)) {
        answers->complete = false; /* joints hold it in some direction: not in a plane, not free */
        return;
    }
    bri_lu_solve(A, 3, 3, pivot, x);
    double friction = bri_sqrt(x[1] * x[1] + x[2] * x[2]), size = bri_max(1, bri_max(bri_abs(x[0]), friction));
    if (friction > m->contact[0].mu_s * x[0] + NOTHING * size) return;
    for (int i = 0; i < 3; i++) answer.p[i] = x[i];
    bri_answer_accelerate(m, &answer);
    bri_answers_add(m, answers, &answer);
}

void bri_find_answers_around(const BriModes *m, BriModeAnswers *answers) {
    double angle[DEGREE + 1];
    BriModeAnswer open = {.mode = {BRI_MODE_OPEN}};
    answers->complete = true;
    bri_answer_accelerate(m, &open);
    if (m->b[0] >= 0) bri_answers_add(m, answers, &open);
    add_rolling(m, answers);
    if (m->b[0] == 0) return; /* N = 0, or A = 0 */
    int count = find_angles(m, angle);
    if (count < 0) { /* alike on all sides: so is the slide, if there is one */
        int before = answers->count;
        add_slide(m, answers, 0);
        answers->endless = answers->endless || answers->count > before;
    }
    for (int i = 0; i < count; i++) add_slide(m, answers, angle[i]);
}
