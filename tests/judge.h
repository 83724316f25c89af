/* judge.h: linear problems of a few rows in long double, for tests that judge what doubles found. */
#ifndef JUDGE_H
#define JUDGE_H

#include <math.h>
#include <stdbool.h>

/* x <- A^-1 x of n rows, row i at i * stride; A is used up. false: singular. */
static inline bool judge_solve(int n, int stride, long double *A, long double *x) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabsl(A[i * stride + k]) > fabsl(A[best * stride + k])) best = i;
        if (fabsl(A[best * stride + k]) < 1e-13L) return false;
        for (int j = 0; j < n; j++) {
            long double keep = A[k * stride + j];
            A[k * stride + j] = A[best * stride + j], A[best * stride + j] = keep;
        }
        long double keep = x[k];
        x[k] = x[best], x[best] = keep;
        for (int i = k + 1; i < n; i++) {
            long double l = A[i * stride + k] / A[k * stride + k];
            if (l == 0) continue;
            for (int j = k; j < n; j++) A[i * stride + j] -= l * A[k * stride + j];
            x[i] -= l * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= A[i * stride + j] * x[j];
        x[i] /= A[i * stride + i];
    }
    return true;
}

#endif
