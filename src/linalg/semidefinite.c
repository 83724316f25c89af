/* semidefinite.c: see semidefinite.h. Cholesky's factor with the largest diagonal entry next [Higham, Accuracy and
 * Stability of Numerical Algorithms, 10.3]. What is left when no diagonal entry is above `nothing` is zero, or A has a
 * negative eigenvalue: |a_ij|^2 <= a_ii a_jj. */
#include "linalg/semidefinite.h"

#include "math/vec.h"

static double *at(double *A, int n, int i, int j) { return A + (size_t)i * (size_t)n + (size_t)j; }
static double entry(const double *A, int n, int i, int j) { return A[(size_t)i * (size_t)n + (size_t)j]; }

static void swap(double *a, double *b) {
    double keep = *a;
    *a = *b, *b = keep;
}

/* Rows and columns i and k of the lower part, i < k. */
static void exchange(double *A, int n, int i, int k, int *order) {
    int keep = order[i];
    order[i] = order[k], order[k] = keep;
    for (int j = 0; j < i; j++) swap(at(A, n, i, j), at(A, n, k, j));
    for (int j = i + 1; j < k; j++) swap(at(A, n, j, i), at(A, n, k, j));
    for (int j = k + 1; j < n; j++) swap(at(A, n, j, i), at(A, n, j, k));
    swap(at(A, n, i, i), at(A, n, k, k));
}

/* Of what is left: is it nothing? */
static bool is_nothing(const double *A, int n, int first, double nothing) {
    for (int i = first; i < n; i++)
        for (int j = first; j <= i; j++)
            if (!(bri_abs(entry(A, n, i, j)) <= 10 * nothing)) return false;
    return true;
}

int bri_semidefinite_factor(double *A, int n, double nothing, int *order) {
    int k = 0;
    for (int i = 0; i < n; i++) order[i] = i;
    for (; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (entry(A, n, i, i) > entry(A, n, best, best)) best = i;
        if (!(entry(A, n, best, best) > nothing)) break;
        if (best != k) exchange(A, n, k, best, order);
        double root = bri_sqrt(entry(A, n, k, k));
        *at(A, n, k, k) = root;
        for (int i = k + 1; i < n; i++) *at(A, n, i, k) /= root;
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j <= i; j++) *at(A, n, i, j) -= entry(A, n, i, k) * entry(A, n, j, k);
    }
    return is_nothing(A, n, k, nothing) ? k : -1;
}

void bri_semidefinite_forward(const double *A, int n, int taken, double *x) {
    for (int i = 0; i < taken; i++) {
        for (int j = 0; j < i; j++) x[i] -= entry(A, n, i, j) * x[j];
        x[i] /= entry(A, n, i, i);
    }
}

void bri_semidefinite_back(const double *A, int n, int taken, double *x) {
    for (int i = taken - 1; i >= 0; i--) {
        for (int j = i + 1; j < taken; j++) x[i] -= entry(A, n, j, i) * x[j];
        x[i] /= entry(A, n, i, i);
    }
}
