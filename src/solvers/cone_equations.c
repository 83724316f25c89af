/* cone_equations.c: the equations (7.15) of one cone, disc by disc, and their derivative: for Newton's method on many
 * blocks (newton.c) and on one (moments.c). */
#include "math/vec.h"
#include "solvers/local.h"

void bri_cone_measure(const BriConePoint *p, double *phi) {
    const double *r = p->r, *u = p->u, rho = p->rho;
    BriDisc disc[BRI_DISCS];
    int discs = bri_block_discs(p->block, disc);
    double n = r[0] - rho * u[0];
    bool open = n <= 0;
    phi[0] = open ? r[0] / rho : u[0];
    for (int k = 0; k < discs; k++) {
        disc[k].mu *= p->share;
        double x[2] = {0, 0}, size = 0, mu = disc[k].mu;
        int first = disc[k].first;
        if (disc[k].creep > 0 && !open) {
            bri_creep_equations(&disc[k], n, rho, r + first, u + first, phi + first);
            continue;
        }
        for (int i = 0; i < disc[k].rows; i++) {
            x[i] = r[first + i] - rho * u[first + i];
            size += x[i] * x[i];
        }
        size = bri_sqrt(size);
        bool stick = size <= mu * n;
        for (int i = 0; i < disc[k].rows; i++)
            phi[first + i] = open    ? r[first + i] / rho
                             : stick ? u[first + i]
                                     : (r[first + i] - mu * n * x[i] / size) / rho;
    }
}

/* Of a disc that slides, with P = 1 - t t^T and c = mu x_N/|x_T|:   mu t dx_N + c P dx_T = M dx.   false: it sticks. */
static bool find_slide(const BriDisc *disc, double x_N, const double *x, double M[2][3]) {
    int n = disc->rows;
    double t[2] = {0, 0}, length = bri_sqrt(x[0] * x[0] + x[1] * x[1]), c = disc->mu * x_N;
    if (length <= c) return false;
    for (int i = 0; i < n; i++) t[i] = x[i] / length;
    c = n == 2 ? c / length : 0;
    for (int i = 0; i < 2; i++) {
        M[i][0] = disc->mu * t[i];
        for (int j = 0; j < 2; j++) M[i][j + 1] = c * ((i == j) - t[i] * t[j]);
    }
    return true;
}

/* The rows of a disc that slides or creeps: the derivative of (7.15) is
 *     (dr_T - M dr)/rho + M du,   du = W dr. */
static void slide_disc(const BriConePoint *p, const BriDisc *disc, int at, int size, double *rows, double *b) {
    int n = disc->rows, first = disc->first;
    double rho = p->rho, x[2] = {0, 0}, x_N = p->r[0] - rho * p->u[0];
    double M[2][3]; /* row i of the equations = M[i] times the three rows of W, and the part with 1/rho */
    for (int i = 0; i < n; i++) x[i] = p->r[first + i] - rho * p->u[first + i];
    if (disc->creep > 0)
        bri_creep_derivative(disc, x_N, rho, x, M);
    else if (!find_slide(disc, x_N, x, M))
        return;                       /* it sticks */
    for (int j = 0; j <= size; j++) { /* the column after the last is b */
        double *column = j < size ? rows + j : b;
        int stride = j < size ? size : 1;
        double *own = column + (size_t)first * (size_t)stride;
        double w0 = column[0], w1 = own[0], w2 = n == 2 ? own[stride] : 0;
        for (int i = 0; i < n; i++) own[i * stride] = M[i][0] * w0 + M[i][1] * w1 + M[i][2] * w2;
    }
    for (int i = 0; i < n; i++) {
        double *row = rows + (size_t)(first + i) * (size_t)size + at;
        row[0] -= M[i][0] / rho;
        for (int j = 0; j < n; j++) row[first + j] += ((i == j) - M[i][j + 1]) / rho;
    }
}

void bri_cone_slide(const BriConePoint *p, int at, int size, double *rows, double *b) {
    BriDisc disc[BRI_DISCS];
    int discs = bri_block_discs(p->block, disc);
    for (int k = 0; k < discs; k++) {
        disc[k].mu *= p->share;
        slide_disc(p, &disc[k], at, size, rows, b);
    }
}
