/* block_lu.c: see block_lu.h.
 *
 * Panel by panel, as in block_cholesky.c. With L_i and V_i = (U^T)_i the blocks of row i in a panel, 6 x 6k matrices,
 *     inside:  L_ij <- (A_ij - sum of L_it V_jt^T, t < j) D_j^-1,   V_ij <- A_ji^T - sum of V_it L_jt^T
 *     outside: A_ij <- A_ij - L_i V_j^T,   A_ji^T <- A_ji^T - V_i L_j^T                   rows i >= j below the panel
 * D_j: the pivot's block, inverted with exchanges of its rows. Sums have a fixed order, so all compilers and CPUs
 * give the same bits. */
#include "linalg/block_lu.h"
#include "linalg/block_kernels.h"
#include "math/vec.h"

#include <string.h>

static const double LOST = 0x1p-48; /* of a pivot block's largest number: what rounding leaves of a difference */

/* ------------------------------------------------------------------ room */

BriAnalysis bri_block_lu_make_room(BriBlockLu *lu, const BrAllocator *allocator) {
    BriAnalysis analysis = bri_cholesky_make_room(&lu->layout, allocator);
    if (analysis != BRI_ANALYSIS_DONE) return analysis;
    int64_t edges = 36 * (int64_t)lu->layout.edges, nodes = 36 * (int64_t)lu->layout.nodes;
    if (!bri_make_numbers((void **)&lu->lower, &lu->lower_capacity, allocator, edges, sizeof *lu->lower) ||
        !bri_make_numbers((void **)&lu->upper, &lu->upper_capacity, allocator, 36 * lu->layout.blocks,
                          sizeof *lu->upper) ||
        !bri_make_numbers((void **)&lu->pivot, &lu->pivot_capacity, allocator, nodes, sizeof *lu->pivot))
        return BRI_ANALYSIS_NO_MEMORY;
    return BRI_ANALYSIS_DONE;
}

BriAnalysis bri_block_lu_analyse(BriBlockLu *lu, const BrAllocator *allocator, int nodes, int edges,
                                 const int (*edge)[2], int most_blocks) {
    BriAnalysis analysis = bri_cholesky_lay_out(&lu->layout, allocator, nodes, edges, edge, most_blocks);
    return analysis == BRI_ANALYSIS_DONE ? bri_block_lu_make_room(lu, allocator) : analysis;
}

void bri_block_lu_give_back(BriBlockLu *lu, const BrAllocator *allocator) {
    void *numbers[] = {lu->lower, lu->upper, lu->pivot};
    for (int i = 0; i < BRI_COUNT(numbers); i++) bri_release(allocator, numbers[i]);
    lu->lower = lu->upper = lu->pivot = NULL;
    lu->lower_capacity = lu->upper_capacity = lu->pivot_capacity = 0;
    bri_cholesky_give_back(&lu->layout, allocator);
}

void bri_block_lu_release(BriBlockLu *lu, const BrAllocator *allocator) {
    bri_block_lu_give_back(lu, allocator);
    bri_cholesky_release(&lu->layout, allocator);
    *lu = (BriBlockLu){0};
}

/* ------------------------------------------------------------------ A */

void bri_block_lu_clear(BriBlockLu *lu) {
    bri_cholesky_clear(&lu->layout);
    memset(lu->lower, 0, 36 * (size_t)lu->layout.edges * sizeof *lu->lower);
}

/* y += B x */
static void multiply_block(const double *B, const double *x, double *y) {
    for (int i = 0; i < 6; i++, B += 6)
        y[i] += ((B[0] * x[0] + B[1] * x[1]) + (B[2] * x[2] + B[3] * x[3])) + (B[4] * x[4] + B[5] * x[5]);
}

/* y += B^T x */
static void multiply_turned(const double *B, const double *x, double *y) {
    double sum[6] = {0};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) sum[j] += B[6 * i + j] * x[i];
    for (int j = 0; j < 6; j++) y[j] += sum[j];
}

void bri_block_lu_multiply(const BriBlockLu *lu, const double *x, double *y) {
    const BriCholesky *c = &lu->layout;
    const double *B = c->matrix;
    memset(y, 0, 6 * (size_t)c->nodes * sizeof *y);
    for (int i = 0; i < c->nodes; i++, B += 36) multiply_block(B, x + 6 * i, y + 6 * i);
    for (int e = 0; e < c->edges; e++, B += 36) {
        int a = c->edge[e][0], b = c->edge[e][1];
        multiply_block(B, x + 6 * b, y + 6 * a);
        multiply_turned(lu->lower + 36 * (ptrdiff_t)e, x + 6 * a, y + 6 * b);
    }
}

static void add_block(double *target, const double *block) {
    for (int i = 0; i < 36; i++) target[i] += block[i];
}

static void add_turned(double *target, const double *block) {
    for (int i = 0; i < 36; i++) target[i % 6 * 6 + i / 6] += block[i];
}

/* Copies A to where L and U^T will be, blocks by columns. A pivot's block is in L, by columns. */
static void start_factor(BriBlockLu *lu) {
    BriCholesky *c = &lu->layout;
    const double *B = c->matrix;
    memset(c->factor, 0, 36 * (size_t)c->blocks * sizeof(double));
    memset(lu->upper, 0, 36 * (size_t)c->blocks * sizeof(double));
    for (int i = 0; i < c->nodes; i++, B += 36) add_turned(c->factor + 36 * (ptrdiff_t)c->pivot_block[i], B);
    for (int e = 0; e < c->edges; e++, B += 36) {
        const double *turned = lu->lower + 36 * (ptrdiff_t)e; /* A[b][a]^T by rows: A[b][a] by columns */
        double *L = c->factor + 36 * (ptrdiff_t)c->edge_block[e], *V = lu->upper + 36 * (ptrdiff_t)c->edge_block[e];
        if (c->edge_turned[e]) { /* a has the rows: L gets A[a][b], U^T gets A[b][a]^T */
            add_turned(L, B);
            add_turned(V, turned);
        } else { /* b has the rows: L gets A[b][a], U^T gets A[a][b]^T */
            add_block(L, turned);
            add_block(V, B);
        }
    }
}

/* ------------------------------------------------------------------ pivots */

/* A <- A^-1 in place, 6 x 6 by rows, rows exchanged for the largest pivot (Gauss and Jordan). Returns how many pivots had
 * lost their digits, and were replaced. */
static int invert(double *A, double largest) {
    int exchanged[6], replaced = 0;
    for (int k = 0; k < 6; k++) {
        int best = k;
        for (int i = k + 1; i < 6; i++)
            if (bri_abs(A[6 * i + k]) > bri_abs(A[6 * best + k])) best = i;
        exchanged[k] = best;
        for (int j = 0; best != k && j < 6; j++) {
            double x = A[6 * k + j];
            A[6 * k + j] = A[6 * best + j];
            A[6 * best + j] = x;
        }
        if (!(bri_abs(A[7 * k]) > LOST * largest)) {
            A[7 * k] = largest > 0 ? LOST * largest : 1;
            replaced++;
        }
        double inverse = 1 / A[7 * k];
        A[7 * k] = 1;
        for (int j = 0; j < 6; j++) A[6 * k + j] *= inverse;
        for (int i = 0; i < 6; i++) {
            if (i == k) continue;
            double factor = A[6 * i + k];
            A[6 * i + k] = 0;
            for (int j = 0; j < 6; j++) A[6 * i + j] -= factor * A[6 * k + j];
        }
    }
    for (int k = 5; k >= 0; k--)
        for (int i = 0; exchanged[k] != k && i < 6; i++) {
            double x = A[6 * i + k];
            A[6 * i + k] = A[6 * i + exchanged[k]];
            A[6 * i + exchanged[k]] = x;
        }
    return replaced;
}

/* -D^-1 of a pivot D, by columns, into `negative`, by rows: X D^-1 is then one product per block. */
static bool factor_pivot(BriBlockLu *lu, const double *D, double *negative) {
    double largest = 0;
    for (int i = 0; i < 36; i++) {
        negative[i] = -D[i % 6 * 6 + i / 6];
        largest = bri_max(largest, bri_abs(negative[i]));
        if (!bri_is_finite(negative[i])) return false;
    }
    lu->replaced += invert(negative, largest);
    return true;
}

/* x <- D^-1 x */
static void solve_pivot(const double *negative, double *x) {
    double sum[6] = {0};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) sum[i] -= negative[6 * i + j] * x[j];
    memcpy(x, sum, sizeof sum);
}

/* ------------------------------------------------------------------ factor */

/* X <- X D^-1; X by columns, `negative`: -D^-1 by rows */
KERNEL void divide(bool wide, double *X, const double *negative) {
    double old[36];
    memcpy(old, X, sizeof old);
    memset(X, 0, sizeof old);
    subtract(wide, X, old, negative, 6);
}

KERNEL bool factor_panel(bool wide, BriBlockLu *lu, const BriPanel *p, double *L, double *V) {
    ptrdiff_t stride = 36 * (ptrdiff_t)p->columns;
    for (int j = 0; j < p->columns; j++) {
        double *negative = lu->pivot + 36 * (ptrdiff_t)(p->first + j);
        for (int i = j; j > 0 && i < p->rows; i++) {
            subtract(wide, L + i * stride + 36 * j, L + i * stride, V + j * stride, 6 * j);
            if (i > j) subtract(wide, V + i * stride + 36 * j, V + i * stride, L + j * stride, 6 * j);
        }
        if (!factor_pivot(lu, L + j * stride + 36 * j, negative)) return false;
        for (int i = j + 1; i < p->rows; i++) divide(wide, L + i * stride + 36 * j, negative);
    }
    return true;
}

KERNEL void update_panel(bool wide, const BriBlockLu *lu, const BriPanel *p, const BriPanelUpdate *u, const double *L,
                         const double *V) {
    const BriCholesky *c = &lu->layout;
    const BriPanel *target = &c->panel[u->panel];
    const int *relative = c->relative + u->relative;
    ptrdiff_t stride = 36 * (ptrdiff_t)p->columns, target_stride = 36 * (ptrdiff_t)target->columns;
    for (int j = u->from; j < u->to; j++) {
        ptrdiff_t column = 36 * ((ptrdiff_t)target->block + relative[j - u->from]); /* the row is the column */
        for (int i = j; i < p->rows; i++) {
            ptrdiff_t at = column + relative[i - u->from] * target_stride;
            subtract(wide, c->factor + at, L + i * stride, V + j * stride, 6 * p->columns);
            if (i > j) subtract(wide, lu->upper + at, V + i * stride, L + j * stride, 6 * p->columns);
        }
    }
}

KERNEL bool factor_any(bool wide, BriBlockLu *lu) {
    const BriCholesky *c = &lu->layout;
    for (int k = 0; k < c->panels; k++) {
        const BriPanel *p = &c->panel[k];
        double *L = c->factor + 36 * (ptrdiff_t)p->block, *V = lu->upper + 36 * (ptrdiff_t)p->block;
        if (!factor_panel(wide, lu, p, L, V)) return false;
        for (int u = 0; u < p->updates; u++) update_panel(wide, lu, p, &c->update[p->update_begin + u], L, V);
    }
    return true;
}

/* ------------------------------------------------------------------ solve */

KERNEL void solve_down(bool wide, const BriCholesky *c, const BriPanel *p) {
    const double *L = c->factor + 36 * (ptrdiff_t)p->block, *own = c->x + 6 * p->first;
    const int *row = c->row + p->row_begin;
    for (int i = 1; i < p->rows; i++)
        reduce(wide, c->x + 6 * row[i], L + 36 * (ptrdiff_t)i * p->columns, own, 6 * (i < p->columns ? i : p->columns));
}

KERNEL void solve_up(bool wide, const BriBlockLu *lu, const BriPanel *p) {
    const BriCholesky *c = &lu->layout;
    for (int j = p->columns - 1; j >= 0; j--) {
        double *own = c->x + 6 * (p->first + j);
        sum_column(wide, c, lu->upper, p, j, own);
        solve_pivot(lu->pivot + 36 * (ptrdiff_t)(p->first + j), own);
    }
}

KERNEL void solve_any(bool wide, const BriBlockLu *lu) {
    const BriCholesky *c = &lu->layout;
    for (int k = 0; k < c->panels; k++) solve_down(wide, c, &c->panel[k]);
    for (int k = c->panels - 1; k >= 0; k--) solve_up(wide, lu, &c->panel[k]);
}

/* ------------------------------------------------------------------ one program, two sets of instructions */

static bool factor_narrow(BriBlockLu *lu) { return factor_any(false, lu); }
static void solve_narrow(const BriBlockLu *lu) { solve_any(false, lu); }

#ifdef __x86_64__
__attribute__((target("avx2"))) static bool factor_wide(BriBlockLu *lu) { return factor_any(true, lu); }
__attribute__((target("avx2"))) static void solve_wide(const BriBlockLu *lu) { solve_any(true, lu); }
#else
static bool factor_wide(BriBlockLu *lu) { return factor_narrow(lu); }
static void solve_wide(const BriBlockLu *lu) { solve_narrow(lu); }
#endif

bool bri_block_lu_factor(BriBlockLu *lu) {
    lu->replaced = 0;
    start_factor(lu);
    return lu->layout.wide ? factor_wide(lu) : factor_narrow(lu);
}

void bri_block_lu_solve(const BriBlockLu *lu, double *x) {
    const BriCholesky *c = &lu->layout;
    for (int i = 0; i < c->nodes; i++) memcpy(c->x + 6 * c->position[i], x + 6 * i, 6 * sizeof *x);
    if (c->wide)
        solve_wide(lu);
    else
        solve_narrow(lu);
    for (int i = 0; i < c->nodes; i++) memcpy(x + 6 * i, c->x + 6 * c->position[i], 6 * sizeof *x);
}
