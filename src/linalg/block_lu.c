/* block_lu.c: see block_lu.h.
 *
 * As block_cholesky.c, panel by panel, with V = U^T in place of the second L:
 *     inside:  A_ij <- (A_ij - sum of L_it V_jt^T, t < j) U_jj^-1,   V_ij <- (V_ij - sum of V_it L_jt^T) L_jj^-T
 *     outside: A_ij <- A_ij - L_i V_j^T (i >= j),                     V_ij <- V_ij - V_i L_j^T (i > j)
 * A pivot is A_jj = l d u, l and u with ones on their diagonals: L_jj = l, U_jj = d u. They lie together, l below the
 * diagonal, u above, 1/d on it. */
#include "linalg/block_lu.h"
#include "linalg/block_kernels.h"
#include "math/elementary.h"

#include <string.h>

static bool make_array(double **array, int64_t *capacity, const BrAllocator *allocator, int64_t count) {
    if (*array && count <= *capacity) return true;
    bri_release(allocator, *array);
    *array = bri_allocate(allocator, (size_t)(count + count / 2), sizeof **array);
    *capacity = *array ? count + count / 2 : 0;
    return *array != NULL;
}

bool bri_block_lu_reserve(BriBlockLu *lu, BriCholesky *layout, const BrAllocator *allocator) {
    lu->layout = layout;
    return make_array(&lu->turned, &lu->turned_capacity, allocator, 36 * ((int64_t)layout->edges + 1)) &&
           make_array(&lu->upper, &lu->upper_capacity, allocator, 36 * layout->blocks);
}

void bri_block_lu_release(BriBlockLu *lu, const BrAllocator *allocator) {
    bri_release(allocator, lu->turned);
    bri_release(allocator, lu->upper);
    *lu = (BriBlockLu){0};
}

void bri_block_lu_clear(BriBlockLu *lu) {
    bri_cholesky_clear(lu->layout);
    memset(lu->turned, 0, 36 * (size_t)lu->layout->edges * sizeof(double));
}

void bri_block_lu_add_edge(BriBlockLu *lu, int edge, const double *ab, const double *ba_turned) {
    bri_cholesky_add_edge(lu->layout, edge, ab);
    double *target = lu->turned + 36 * (ptrdiff_t)edge;
    for (int i = 0; i < 36; i++) target[i] += ba_turned[i];
}

/* to += B^T */
static void add_turned(double *to, const double *B) {
    for (int i = 0; i < 36; i++) to[i % 6 * 6 + i / 6] += B[i];
}

static void add(double *to, const double *B) {
    for (int i = 0; i < 36; i++) to[i] += B[i];
}

/* Copies A to where L and V will be, by columns: L has the blocks below the diagonal, V those above, turned. */
static void start_factor(BriBlockLu *lu) {
    BriCholesky *c = lu->layout;
    const double *B = c->matrix, *T = lu->turned;
    size_t size = 36 * (size_t)c->blocks * sizeof(double);
    memset(c->factor, 0, size);
    memset(lu->upper, 0, size);
    for (int i = 0; i < c->nodes; i++, B += 36) add_turned(c->factor + 36 * (ptrdiff_t)c->pivot_block[i], B);
    for (int e = 0; e < c->edges; e++, B += 36, T += 36) {
        double *L = c->factor + 36 * (ptrdiff_t)c->edge_block[e], *V = lu->upper + 36 * (ptrdiff_t)c->edge_block[e];
        if (!c->edge_turned[e]) { /* a has the columns of L: L_ba = A[b][a], V_ba = A[a][b]^T */
            add(L, T);
            add(V, B);
        } else {
            add_turned(L, B);
            add_turned(V, T);
        }
    }
}

/* ------------------------------------------------------------------ factor */

/* Step k of D = l d u. */
KERNEL bool eliminate(double *D, int k) {
    double pivot = D[7 * k], inverse = 1 / pivot;
    for (int j = k + 1; j < 6; j++)
        for (int i = k + 1; i < 6; i++) D[6 * j + i] -= D[6 * k + i] * inverse * D[6 * j + k];
    for (int i = k + 1; i < 6; i++) {
        D[6 * k + i] *= inverse;
        D[6 * i + k] *= inverse;
    }
    D[7 * k] = inverse;
    return bri_is_finite(pivot) && bri_is_finite(inverse); /* that of 0 is not */
}

static bool factor_pivot(double *D) {
    return eliminate(D, 0) && eliminate(D, 1) && eliminate(D, 2) && eliminate(D, 3) && eliminate(D, 4) &&
           eliminate(D, 5);
}

/* X <- X T^-1 with ones on T's diagonal; T_jk, j < k, at D[along * j + across * k]. */
KERNEL void divide(bool wide, double *X, const double *D, int along, int across) {
    for (int k = 1; k < 6; k++)
        for (int j = 0; j < k; j++) {
            double t = D[along * j + across * k], *x = X + 6 * k;
            const double *from = X + 6 * j;
            if (wide) {
                *(Four *)x -= LOAD(from) * SPREAD(t);
                *(Two *)(x + 4) -= *(const Two *)(from + 4) * t;
            } else {
                for (int i = 0; i < 6; i += 2) *(Two *)(x + i) -= *(const Two *)(from + i) * t;
            }
        }
}

/* L_ij <- A_ij u^-1 d^-1, V_ij <- V_ij l^-T */
KERNEL void divide_blocks(bool wide, double *L, double *V, const double *D) {
    divide(wide, L, D, 1, 6);
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 6; i++) L[6 * k + i] *= D[7 * k];
    divide(wide, V, D, 6, 1);
}

KERNEL bool factor_panel(bool wide, const BriPanel *p, double *L, double *V) {
    ptrdiff_t stride = 36 * (ptrdiff_t)p->columns;
    for (int j = 0; j < p->columns; j++) {
        double *pivot = L + j * stride + 36 * j;
        for (int i = j; j > 0 && i < p->rows; i++) {
            subtract(wide, L + i * stride + 36 * j, L + i * stride, V + j * stride, 6 * j);
            if (i > j) subtract(wide, V + i * stride + 36 * j, V + i * stride, L + j * stride, 6 * j);
        }
        if (!factor_pivot(pivot)) return false;
        for (int i = j + 1; i < p->rows; i++)
            divide_blocks(wide, L + i * stride + 36 * j, V + i * stride + 36 * j, pivot);
    }
    return true;
}

KERNEL void update_panel(bool wide, const BriBlockLu *lu, const BriPanel *p, const BriPanelUpdate *u) {
    const BriCholesky *c = lu->layout;
    const BriPanel *target = &c->panel[u->panel];
    const int *relative = c->relative + u->relative;
    const double *L = c->factor + 36 * (ptrdiff_t)p->block, *V = lu->upper + 36 * (ptrdiff_t)p->block;
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

KERNEL bool factor_any(bool wide, const BriBlockLu *lu) {
    const BriCholesky *c = lu->layout;
    for (int k = 0; k < c->panels; k++) {
        const BriPanel *p = &c->panel[k];
        if (!factor_panel(wide, p, c->factor + 36 * (ptrdiff_t)p->block, lu->upper + 36 * (ptrdiff_t)p->block))
            return false;
        for (int u = 0; u < p->updates; u++) update_panel(wide, lu, p, &c->update[p->update_begin + u]);
    }
    return true;
}

/* ------------------------------------------------------------------ solve */

/* x <- l^-1 x */
KERNEL void divide_down(const double *D, double *x) {
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < i; k++) x[i] -= D[6 * k + i] * x[k];
}

/* x <- u^-1 d^-1 x */
KERNEL void divide_up(const double *D, double *x) {
    for (int i = 0; i < 6; i++) x[i] *= D[7 * i];
    for (int i = 5; i >= 0; i--)
        for (int k = 5; k > i; k--) x[i] -= D[6 * k + i] * x[k];
}

KERNEL void solve_any(bool wide, const BriBlockLu *lu) {
    const BriCholesky *c = lu->layout;
    for (int k = 0; k < c->panels; k++) {
        const BriPanel *p = &c->panel[k];
        const double *L = c->factor + 36 * (ptrdiff_t)p->block;
        double *own = c->x + 6 * p->first;
        for (int i = 0; i < p->rows; i++, L += 36 * p->columns) {
            reduce(wide, c->x + 6 * c->row[p->row_begin + i], L, own, 6 * (i < p->columns ? i : p->columns));
            if (i < p->columns) divide_down(L + 36 * i, own + 6 * i);
        }
    }
    for (int k = c->panels - 1; k >= 0; k--) {
        const BriPanel *p = &c->panel[k];
        for (int j = p->columns - 1; j >= 0; j--) {
            double *own = c->x + 6 * (p->first + j);
            sum_column(wide, c, lu->upper, p, j, own);
            divide_up(c->factor + 36 * ((ptrdiff_t)p->block + (ptrdiff_t)j * p->columns + j), own);
        }
    }
}

/* ------------------------------------------------------------------ one program, two sets of instructions */

static bool factor_narrow(const BriBlockLu *lu) { return factor_any(false, lu); }
static void solve_narrow(const BriBlockLu *lu) { solve_any(false, lu); }

#ifdef __x86_64__
__attribute__((target("avx2"))) static bool factor_wide(const BriBlockLu *lu) { return factor_any(true, lu); }
__attribute__((target("avx2"))) static void solve_wide(const BriBlockLu *lu) { solve_any(true, lu); }
#else
static bool factor_wide(const BriBlockLu *lu) { return factor_narrow(lu); }
static void solve_wide(const BriBlockLu *lu) { solve_narrow(lu); }
#endif

bool bri_block_lu_factor(BriBlockLu *lu) {
    start_factor(lu);
    return lu->layout->wide ? factor_wide(lu) : factor_narrow(lu);
}

void bri_block_lu_solve(const BriBlockLu *lu, double *x) {
    const BriCholesky *c = lu->layout;
    for (int i = 0; i < c->nodes; i++) memcpy(c->x + 6 * c->position[i], x + 6 * i, 6 * sizeof *x);
    if (c->wide)
        solve_wide(lu);
    else
        solve_narrow(lu);
    for (int i = 0; i < c->nodes; i++) memcpy(x + 6 * i, c->x + 6 * c->position[i], 6 * sizeof *x);
}
