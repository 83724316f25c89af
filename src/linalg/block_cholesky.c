/* block_cholesky.c: see block_cholesky.h; cholesky_layout.c says where everything lies.
 *
 * Panel by panel (right-looking): with L_i the blocks of row i in a panel, as a 6 x 6k matrix,
 *     inside:  A_ij <- (A_ij - sum of L_it L_jt^T, t < j) L_jj^-T      column j of the panel, rows i > j
 *     outside: A_ij <- A_ij - L_i L_j^T                                 rows i >= j below the panel
 * Each number is one sum with a fixed order, whatever the vectors' length: numbers that stand beside each other in a
 * vector never meet. So all compilers and CPUs give the same bits. */
#include "linalg/block_kernels.h"
#include "math/elementary.h"

#include <string.h>

/* ------------------------------------------------------------------ A */

void bri_cholesky_clear(BriCholesky *c) { memset(c->matrix, 0, 36 * (size_t)(c->nodes + c->edges) * sizeof(double)); }

static void add_block(double *target, const double *block) {
    for (int i = 0; i < 36; i++) target[i] += block[i];
}

void bri_cholesky_add_node(BriCholesky *c, int node, const double *block) {
    add_block(c->matrix + 36 * (ptrdiff_t)node, block);
}

void bri_cholesky_add_edge(BriCholesky *c, int edge, const double *block) {
    add_block(c->matrix + 36 * ((ptrdiff_t)c->nodes + edge), block);
}

/* y += B^T x; a sum of its own, so that the compiler need not fear that y is part of B */
KERNEL void multiply_turned(const double *B, const double *x, double *y) {
    double sum[6] = {0};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) sum[j] += B[6 * i + j] * x[i];
    for (int j = 0; j < 6; j++) y[j] += sum[j];
}

/* y += B x */
KERNEL void multiply_block(const double *B, const double *x, double *y) {
    double turned[36];
    for (int i = 0; i < 36; i++) turned[i] = B[i % 6 * 6 + i / 6];
    multiply_turned(turned, x, y);
}

void bri_cholesky_multiply(const BriCholesky *c, const double *x, double *y) {
    const double *B = c->matrix;
    memset(y, 0, 6 * (size_t)c->nodes * sizeof *y);
    for (int i = 0; i < c->nodes; i++, B += 36) multiply_turned(B, x + 6 * i, y + 6 * i); /* symmetric: all the same */
    for (int e = 0; e < c->edges; e++, B += 36) {
        int a = c->edge[e][0], b = c->edge[e][1];
        multiply_block(B, x + 6 * b, y + 6 * a);
        multiply_turned(B, x + 6 * a, y + 6 * b);
    }
}

/* Copies A to where L will be. Blocks of L are stored by columns. */
static void start_factor(BriCholesky *c) {
    const double *B = c->matrix;
    memset(c->factor, 0, 36 * (size_t)c->blocks * sizeof(double));
    for (int i = 0; i < c->nodes; i++, B += 36)
        memcpy(c->factor + 36 * (ptrdiff_t)c->pivot_block[i], B, 36 * sizeof(double));
    for (int e = 0; e < c->edges; e++, B += 36) {
        double *target = c->factor + 36 * (ptrdiff_t)c->edge_block[e];
        if (!c->edge_turned[e]) /* a has the columns; the block has a's rows: by columns it is its own transposed */
            add_block(target, B);
        else
            for (int i = 0; i < 36; i++) target[i % 6 * 6 + i / 6] += B[i];
    }
}

/* ------------------------------------------------------------------ pivots */

/* Step k of D = U diag(d) U^T, U lower with ones on its diagonal: U goes below D's diagonal, d^-1/2 on it. */
KERNEL bool eliminate(double *D, int k) {
    double pivot = D[7 * k], inverse = 1 / pivot, old[6];
    for (int i = k + 1; i < 6; i++) {
        old[i] = D[6 * k + i];
        D[6 * k + i] *= inverse;
    }
    for (int j = k + 1; j < 6; j++)
        for (int i = j; i < 6; i++) D[6 * j + i] -= D[6 * k + i] * old[j];
    D[7 * k] = 1 / bri_sqrt(pivot);
    return pivot > 0 && pivot <= __DBL_MAX__;
}

static bool factor_pivot(double *D) {
    return eliminate(D, 0) && eliminate(D, 1) && eliminate(D, 2) && eliminate(D, 3) && eliminate(D, 4) &&
           eliminate(D, 5);
}

/* X <- X U^-T diag(d)^-1/2 = X L^-T, in vectors of four and of two, or of two alone */
KERNEL void divide_wide(double *X, const double *D) {
    Four x[6];
    Two y[6];
    for (int k = 0; k < 6; k++) {
        x[k] = LOAD(X + 6 * k);
        y[k] = *(const Two *)(X + 6 * k + 4);
        for (int j = 0; j < k; j++) {
            Four u = SPREAD(D[6 * j + k]);
            x[k] -= x[j] * u;
            y[k] -= y[j] * __builtin_shufflevector(u, u, 0, 1);
        }
    }
    for (int k = 0; k < 6; k++) {
        *(Four *)(X + 6 * k) = x[k] * D[7 * k];
        *(Two *)(X + 6 * k + 4) = y[k] * D[7 * k];
    }
}

KERNEL void divide_narrow(double *X, const double *D) {
    for (int part = 0; part < 3; part++, X += 2) {
        Two x[6];
        for (int k = 0; k < 6; k++) {
            x[k] = *(const Two *)(X + 6 * k);
            for (int j = 0; j < k; j++) x[k] -= x[j] * D[6 * j + k];
        }
        for (int k = 0; k < 6; k++) *(Two *)(X + 6 * k) = x[k] * D[7 * k];
    }
}

KERNEL void divide(bool wide, double *X, const double *D) {
    if (wide)
        divide_wide(X, D);
    else
        divide_narrow(X, D);
}

/* ------------------------------------------------------------------ factor */

KERNEL bool factor_panel(bool wide, const BriPanel *p, double *L) {
    ptrdiff_t stride = 36 * (ptrdiff_t)p->columns;
    for (int j = 0; j < p->columns; j++) {
        double *pivot_row = L + j * stride, *pivot = pivot_row + 36 * j;
        for (int i = j; j > 0 && i < p->rows; i++)
            subtract(wide, L + i * stride + 36 * j, L + i * stride, pivot_row, 6 * j);
        if (!factor_pivot(pivot)) return false;
        for (int i = j + 1; i < p->rows; i++) divide(wide, L + i * stride + 36 * j, pivot);
    }
    return true;
}

KERNEL void update_panel(bool wide, const BriCholesky *c, const BriPanel *p, const BriPanelUpdate *u, const double *L) {
    const BriPanel *target = &c->panel[u->panel];
    const int *relative = c->relative + u->relative;
    ptrdiff_t stride = 36 * (ptrdiff_t)p->columns, target_stride = 36 * (ptrdiff_t)target->columns;
    for (int j = u->from; j < u->to; j++) {
        double *column =
            c->factor + 36 * ((ptrdiff_t)target->block + relative[j - u->from]); /* the row is the column */
        for (int i = j; i < p->rows; i++)
            subtract(wide, column + relative[i - u->from] * target_stride, L + i * stride, L + j * stride,
                     6 * p->columns);
    }
}

KERNEL bool factor_any(bool wide, BriCholesky *c) {
    for (int k = 0; k < c->panels; k++) {
        const BriPanel *p = &c->panel[k];
        double *L = c->factor + 36 * (ptrdiff_t)p->block;
        if (!factor_panel(wide, p, L)) return false;
        for (int u = 0; u < p->updates; u++) update_panel(wide, c, p, &c->update[p->update_begin + u], L);
    }
    return true;
}

/* ------------------------------------------------------------------ solve */

/* x <- L^-1 x with the factor of a pivot */
KERNEL void divide_down(const double *D, double *x) {
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < i; k++) x[i] -= D[6 * k + i] * x[k];
    for (int i = 0; i < 6; i++) x[i] *= D[7 * i];
}

/* x <- L^-T x */
KERNEL void divide_up(const double *D, double *x) {
    for (int i = 0; i < 6; i++) x[i] *= D[7 * i];
    for (int i = 5; i >= 0; i--)
        for (int k = 5; k > i; k--) x[i] -= D[6 * i + k] * x[k];
}

KERNEL void solve_down(bool wide, const BriCholesky *c, const BriPanel *p) {
    const double *L = c->factor + 36 * (ptrdiff_t)p->block;
    const int *row = c->row + p->row_begin;
    double *own = c->x + 6 * p->first;
    for (int i = 0; i < p->rows; i++, L += 36 * p->columns) {
        int n = 6 * (i < p->columns ? i : p->columns);
        reduce(wide, c->x + 6 * row[i], L, own, n);
        if (i < p->columns) divide_down(L + 36 * i, own + 6 * i);
    }
}

KERNEL void solve_up(bool wide, const BriCholesky *c, const BriPanel *p) {
    for (int j = p->columns - 1; j >= 0; j--) {
        double *own = c->x + 6 * (p->first + j);
        sum_column(wide, c, c->factor, p, j, own);
        divide_up(c->factor + 36 * ((ptrdiff_t)p->block + (ptrdiff_t)j * p->columns + j), own);
    }
}

KERNEL void solve_any(bool wide, const BriCholesky *c) {
    for (int k = 0; k < c->panels; k++) solve_down(wide, c, &c->panel[k]);
    for (int k = c->panels - 1; k >= 0; k--) solve_up(wide, c, &c->panel[k]);
}

/* ------------------------------------------------------------------ one program, two sets of instructions */

static bool factor_narrow(BriCholesky *c) { return factor_any(false, c); }
static void solve_narrow(const BriCholesky *c) { solve_any(false, c); }

#ifdef __x86_64__
__attribute__((target("avx2"))) static bool factor_wide(BriCholesky *c) { return factor_any(true, c); }
__attribute__((target("avx2"))) static void solve_wide(const BriCholesky *c) { solve_any(true, c); }
#else
static bool factor_wide(BriCholesky *c) { return factor_narrow(c); }
static void solve_wide(const BriCholesky *c) { solve_narrow(c); }
#endif

bool bri_cholesky_factor(BriCholesky *c) {
    start_factor(c);
    return c->wide ? factor_wide(c) : factor_narrow(c);
}

void bri_cholesky_solve(const BriCholesky *c, double *x) {
    for (int i = 0; i < c->nodes; i++) memcpy(c->x + 6 * c->position[i], x + 6 * i, 6 * sizeof *x);
    if (c->wide)
        solve_wide(c);
    else
        solve_narrow(c);
    for (int i = 0; i < c->nodes; i++) memcpy(x + 6 * i, c->x + 6 * c->position[i], 6 * sizeof *x);
}
