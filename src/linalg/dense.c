/* dense.c: see dense.h. */
#include "linalg/dense.h"

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
