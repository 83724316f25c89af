/* block_kernels.h: products of 6 x 6 blocks, with vectors of four where the CPU has them, else of two, and the same bits:
 * numbers that stand beside each other in a vector never meet. For block_cholesky.c and block_lu.c. */
#ifndef BRI_BLOCK_KERNELS_H
#define BRI_BLOCK_KERNELS_H

#include "linalg/block_cholesky.h"
#include "linalg/vectors.h"

/* With vectors of four, two columns of six are three vectors: the first four of one, its last two with the first two of
 * the other, the last four of the other. (Macros: a function may not return such vectors where they are not there.) */
#define LOAD(x)         (*(const Four *)(x))
#define SPREAD(x)       ((Four){(x), (x), (x), (x)})
#define JOIN(low, high) ((Four){(low)[0], (low)[1], (high)[0], (high)[1]})
#define HALVES(a, b)    __builtin_shufflevector(a, b, 0, 1, 6, 7) /* the first two of a, the last two of b */
/* gcc would see through HALVES of two SPREADs and build it anew, by three slow instructions in place of a quick one. */
#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__clang__)
#define HIDE(a, b) __asm__("" : "+x"(a), "+x"(b))
#else
#define HIDE(a, b) ((void)0)
#endif

/* C -= A B^T; A and B: 6 x n by columns, C: 6 x 6 by columns */
KERNEL void subtract_wide(double *C, const double *A, const double *B, int n) {
    Four c[3][3];
    for (int i = 0; i < 9; i++) c[i / 3][i % 3] = LOAD(C + 4 * i);
    for (int k = 0; k < n; k++, A += 6, B += 6) {
        Four a0 = LOAD(A), a1 = JOIN(A + 4, A), a2 = LOAD(A + 2);
        for (int j = 0; j < 3; j++) {
            Four b0 = SPREAD(B[2 * j]), b2 = SPREAD(B[2 * j + 1]);
            HIDE(b0, b2);
            c[j][0] -= a0 * b0;
            c[j][1] -= a1 * HALVES(b0, b2);
            c[j][2] -= a2 * b2;
        }
    }
    for (int i = 0; i < 9; i++) *(Four *)(C + 4 * i) = c[i / 3][i % 3];
}

/* The same with vectors of two: three columns at a time, or there are not enough registers. */
KERNEL void subtract_narrow(double *C, const double *A, const double *B, int n) {
    for (int half = 0; half < 2; half++, C += 18, B += 3) {
        Two c[3][3];
        for (int i = 0; i < 9; i++) c[i / 3][i % 3] = *(const Two *)(C + 2 * i);
        for (int k = 0; k < n; k++) {
            const Two *a = (const Two *)(A + 6 * k);
            for (int j = 0; j < 3; j++)
                for (int i = 0; i < 3; i++) c[j][i] -= a[i] * B[6 * k + j];
        }
        for (int i = 0; i < 9; i++) *(Two *)(C + 2 * i) = c[i / 3][i % 3];
    }
}

KERNEL void subtract(bool wide, double *C, const double *A, const double *B, int n) {
    if (wide)
        subtract_wide(C, A, B, n);
    else
        subtract_narrow(C, A, B, n);
}

/* y -= L x, L: 6 x n by columns, n even. Even and odd columns have sums of their own: one would wait for itself. */
KERNEL void reduce_wide(double *y, const double *L, const double *x, int n) {
    Four s[3] = {0};
    for (int k = 0; k < n; k += 2, L += 12) {
        Four x0 = SPREAD(x[k]), x2 = SPREAD(x[k + 1]);
        HIDE(x0, x2);
        s[0] += LOAD(L) * x0;
        s[1] += LOAD(L + 4) * HALVES(x0, x2);
        s[2] += LOAD(L + 8) * x2;
    }
    *(Four *)y -= s[0] + __builtin_shufflevector(s[1], s[2], 2, 3, 4, 5);
    *(Two *)(y + 4) -= __builtin_shufflevector(s[1], s[1], 0, 1) + __builtin_shufflevector(s[2], s[2], 2, 3);
}

KERNEL void reduce_narrow(double *y, const double *L, const double *x, int n) {
    Two s[6] = {0};
    for (int k = 0; k < n; k += 2, L += 12)
        for (int i = 0; i < 6; i++) s[i] += *(const Two *)(L + 2 * i) * x[k + i / 3];
    for (int i = 0; i < 3; i++) *(Two *)(y + 2 * i) -= s[i] + s[3 + i];
}

KERNEL void reduce(bool wide, double *y, const double *L, const double *x, int n) {
    if (wide)
        reduce_wide(y, L, x, n);
    else
        reduce_narrow(y, L, x, n);
}

/* Products of the blocks of column j of a panel, in `blocks`, with the x of their rows: sum[6 k + i] is that of all L_ik x_i with
 * the same i. They are added up when all rows are done. */
KERNEL void sum_wide(const BriCholesky *c, const double *blocks, const BriPanel *p, int j, double *sum) {
    const double *B = blocks + 36 * ((ptrdiff_t)p->block + j);
    Four s[9] = {0};
    for (int i = j + 1; i < p->rows; i++) {
        const double *L = B + 36 * (ptrdiff_t)i * p->columns, *x = c->x + 6 * c->row[p->row_begin + i];
        Four y0 = LOAD(x), y1 = JOIN(x + 4, x), y2 = LOAD(x + 2);
        for (int k = 0; k < 9; k += 3) {
            s[k] += LOAD(L + 4 * k) * y0;
            s[k + 1] += LOAD(L + 4 * k + 4) * y1;
            s[k + 2] += LOAD(L + 4 * k + 8) * y2;
        }
    }
    for (int k = 0; k < 9; k++) *(Four *)(sum + 4 * k) = s[k];
}

KERNEL void sum_narrow(const BriCholesky *c, const double *blocks, const BriPanel *p, int j, double *sum) {
    for (int half = 0; half < 2; half++) {
        const double *B = blocks + 36 * ((ptrdiff_t)p->block + j) + 18 * half;
        Two s[9] = {0};
        for (int i = j + 1; i < p->rows; i++) {
            const double *L = B + 36 * (ptrdiff_t)i * p->columns;
            const Two *x = (const Two *)(c->x + 6 * c->row[p->row_begin + i]);
            for (int k = 0; k < 9; k++) s[k] += *(const Two *)(L + 2 * k) * x[k % 3];
        }
        for (int k = 0; k < 9; k++) *(Two *)(sum + 18 * half + 2 * k) = s[k];
    }
}

KERNEL void sum_column(bool wide, const BriCholesky *c, const double *blocks, const BriPanel *p, int j, double *own) {
    double sum[36];
    if (wide)
        sum_wide(c, blocks, p, j, sum);
    else
        sum_narrow(c, blocks, p, j, sum);
    for (int k = 0; k < 6; k++) {
        const double *s = sum + 6 * k;
        own[k] -= (s[0] + s[1]) + (s[2] + s[3]) + (s[4] + s[5]);
    }
}

#endif
