/* dense.c: see dense.h. */
#include "linalg/dense.h"
#include "linalg/vectors.h"

#include "math/vec.h"

static const double SINGULAR = 0x1p-44; /* 256 roundings: what is left of an entry that should have vanished */

static double *row_of(double *A, int stride, int i) { return A + (size_t)i * (size_t)stride; }

static void swap_rows(double *a, double *b, int n) {
    for (int j = 0; j < n; j++) {
        double keep = a[j];
        a[j] = b[j];
        b[j] = keep;
    }
}

bool bri_lu_factor(double *A, int n, int stride, int *pivot) {
    double largest = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) largest = bri_max(largest, bri_abs(row_of(A, stride, i)[j]));
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (bri_abs(row_of(A, stride, i)[k]) > bri_abs(row_of(A, stride, best)[k])) best = i;
        pivot[k] = best;
        double *upper = row_of(A, stride, k);
        if (best != k) swap_rows(upper, row_of(A, stride, best), n);
        if (!(bri_abs(upper[k]) > SINGULAR * largest) || !bri_is_finite(upper[k])) return false;
        for (int i = k + 1; i < n; i++) {
            double *row = row_of(A, stride, i), l = row[k] / upper[k];
            row[k] = l;
            if (l == 0) continue;
            for (int j = k + 1; j < n; j++) row[j] -= l * upper[j];
        }
    }
    return true;
}

void bri_lu_solve(const double *A, int n, int stride, const int *pivot, double *b) {
    for (int k = 0; k < n; k++) {
        double keep = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = keep;
    }
    for (int i = 1; i < n; i++) {
        const double *row = A + (size_t)i * (size_t)stride;
        for (int j = 0; j < i; j++) b[i] -= row[j] * b[j];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = A + (size_t)i * (size_t)stride;
        for (int j = i + 1; j < n; j++) b[i] -= row[j] * b[j];
        b[i] /= row[i];
    }
}

/* ------------------------------------------------------------------ elimination, with vectors where the CPU has them */

/* to -= l from, number by number: the same bits however many at a time */
KERNEL void subtract_row(bool wide, double *to, const double *from, double l, int n) {
    int j = 0;
    for (; wide && j + 4 <= n; j += 4) *(Four *)(to + j) -= (Four){l, l, l, l} * *(const Four *)(from + j);
    for (; j + 2 <= n; j += 2) *(Two *)(to + j) -= (Two){l, l} * *(const Two *)(from + j);
    if (j < n) to[j] -= l * from[j];
}

KERNEL double eliminate_any(bool wide, double *A, int n, double *x) {
    double least = __builtin_inf();
    for (int k = 0; k < n; k++) {
        double *from = row_of(A, n, k);
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (bri_abs(row_of(A, n, i)[k]) > bri_abs(row_of(A, n, best)[k])) best = i;
        if (best != k) {
            swap_rows(from + k, row_of(A, n, best) + k, n - k);
            swap_rows(&x[k], &x[best], 1);
        }
        least = bri_min(least, bri_abs(from[k]));
        if (!(bri_abs(from[k]) > 0)) continue;
        double inverse = 1 / from[k];
        for (int i = k + 1; i < n; i++) {
            double *to = row_of(A, n, i), l = to[k] * inverse;
            if (l == 0) continue;
            subtract_row(wide, to + k + 1, from + k + 1, l, n - k - 1);
            x[i] -= l * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        const double *row = row_of(A, n, k);
        double sum = x[k];
        for (int j = k + 1; j < n; j++) sum -= row[j] * x[j];
        x[k] = bri_abs(row[k]) > 0 ? sum / row[k] : 0;
    }
    return least;
}

bool bri_has_wide_vectors(void) {
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

static double eliminate_narrow(double *A, int n, double *x) { return eliminate_any(false, A, n, x); }

#ifdef __x86_64__
__attribute__((target("avx2"))) static double eliminate_wide(double *A, int n, double *x) {
    return eliminate_any(true, A, n, x);
}
#else
static double eliminate_wide(double *A, int n, double *x) { return eliminate_narrow(A, n, x); }
#endif

double bri_eliminate(double *A, int n, double *x) {
    enum { WORTH = 8 }; /* rows */
    return n >= WORTH && bri_has_wide_vectors() ? eliminate_wide(A, n, x) : eliminate_narrow(A, n, x);
}

void bri_equilibrate(double *A, int n, int stride, double *row, double *column) {
    for (int j = 0; j < n; j++) column[j] = 0;
    for (int i = 0; i < n; i++) {
        double *a = row_of(A, stride, i), largest = 0;
        for (int j = 0; j < n; j++) largest = bri_max(largest, bri_abs(a[j]));
        row[i] = largest > 0 ? 1 / largest : 1;
        for (int j = 0; j < n; j++) column[j] = bri_max(column[j], bri_abs(a[j] * row[i]));
    }
    for (int j = 0; j < n; j++) column[j] = column[j] > 0 ? 1 / column[j] : 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) row_of(A, stride, i)[j] *= row[i] * column[j];
}

void bri_exchange(double *T, int rows, int columns, int stride, int r, int c) {
    double *source = row_of(T, stride, r), inverse = 1 / source[c];
    for (int j = 0; j < columns; j++) source[j] *= -inverse;
    source[c] = inverse;
    for (int i = 0; i < rows; i++) {
        double *row = row_of(T, stride, i), factor = row[c];
        if (i == r || factor == 0) continue;
        row[c] = 0;
        for (int j = 0; j < columns; j++) row[j] += factor * source[j];
    }
}
