/* deficient.c: see deficient.h. Elimination with complete pivoting, P W Q = [L 0; M 1] [U V; 0 0], leaves
 *     one answer            x1 = U^-1 L^-1 b1,  x2 = 0
 *     what W does not see   Y = Q [-U^-1 V; 1]
 *     what does not see W   Z = P^T [-M L^-1, 1]^T
 * and x + Y c with Z^T Y c = -Z^T x. Blocks are replaced in place: V by -U^-1 V, M by -M L^-1, 0 by Z^T Y. */
#include "linalg/deficient.h"

#include "linalg/dense.h"
#include "math/vec.h"

/* Of the largest entry: a pivot below is what rounding left of a row that depends on others. */
static const double DEPENDENT = 1e-12;

typedef struct Elimination {
    double *A;
    int n, rank;
    int *row, *column; /* which row and column stands at a place */
    int *at;           /* where a row stands */
} Elimination;

static void swap_numbers(int *a, int *b) {
    int keep = *a;
    *a = *b;
    *b = keep;
}

/* The largest entry from place k on comes to the diagonal; returns its size. */
static double bring_pivot(Elimination *e, int k) {
    int n = e->n, row = k, column = k;
    double *A = e->A, largest = 0;
    for (int i = k; i < n; i++)
        for (int j = k; j < n; j++)
            if (bri_abs(A[i * n + j]) > largest) largest = bri_abs(A[i * n + j]), row = i, column = j;
    for (int j = 0; row != k && j < n; j++) {
        double keep = A[row * n + j];
        A[row * n + j] = A[k * n + j], A[k * n + j] = keep;
    }
    for (int i = 0; column != k && i < n; i++) {
        double keep = A[i * n + column];
        A[i * n + column] = A[i * n + k], A[i * n + k] = keep;
    }
    swap_numbers(&e->row[row], &e->row[k]);
    swap_numbers(&e->column[column], &e->column[k]);
    return largest;
}

static void eliminate(Elimination *e) {
    int n = e->n;
    double *A = e->A, first = 0;
    for (int i = 0; i < n; i++) e->row[i] = e->column[i] = i;
    for (e->rank = 0; e->rank < n; e->rank++) {
        int k = e->rank;
        double pivot = bring_pivot(e, k);
        if (k == 0) first = pivot;
        if (!(pivot > DEPENDENT * first)) break;
        for (int i = k + 1; i < n; i++) {
            double l = A[i * n + k] /= A[k * n + k];
            for (int j = k + 1; l != 0 && j < n; j++) A[i * n + j] -= l * A[k * n + j];
        }
    }
    for (int i = 0; i < n; i++) e->at[e->row[i]] = i;
}

/* y <- U^-1 y, y's numbers being `stride` apart. */
static void solve_upper(const Elimination *e, double *y, int stride) {
    for (int i = e->rank - 1; i >= 0; i--) {
        for (int j = i + 1; j < e->rank; j++) y[i * stride] -= e->A[i * e->n + j] * y[j * stride];
        y[i * stride] /= e->A[i * e->n + i];
    }
}

/* One answer into x, b1 from b. */
static void find_one(const Elimination *e, double *x, double *b) {
    int n = e->n;
    for (int i = 0; i < n; i++) b[i] = x[e->row[i]];
    for (int i = 1; i < e->rank; i++)
        for (int j = 0; j < i; j++) b[i] -= e->A[i * n + j] * b[j];
    solve_upper(e, b, 1);
    for (int i = 0; i < n; i++) x[e->column[i]] = i < e->rank ? b[i] : 0;
}

static void find_null_spaces(const Elimination *e) {
    int n = e->n, rank = e->rank;
    double *A = e->A;
    for (int k = rank; k < n; k++) {
        solve_upper(e, A + k, n);
        for (int i = 0; i < rank; i++) A[i * n + k] = -A[i * n + k];
        double *m = A + k * n;
        for (int j = rank - 1; j >= 0; j--) {
            m[j] = -m[j];
            for (int i = j + 1; i < rank; i++) m[j] -= m[i] * A[i * n + j];
        }
    }
}

/* The part of the k-th vector of Z in a row of W. */
static double left_part(const Elimination *e, int k, int row) {
    int place = e->at[row];
    return place < e->rank ? e->A[k * e->n + place] : place == k ? 1 : 0;
}

/* Z^T Y in place, and -Z^T x. */
static void project(const Elimination *e, const double *x, double *right) {
    int n = e->n, rank = e->rank;
    for (int k = rank; k < n; k++) {
        right[k - rank] = 0;
        for (int o = 0; o < n; o++) right[k - rank] -= left_part(e, k, o) * x[o];
        for (int j = rank; j < n; j++) {
            double sum = left_part(e, k, e->column[j]);
            for (int i = 0; i < rank; i++) sum += left_part(e, k, e->column[i]) * e->A[i * n + j];
            e->A[k * n + j] = sum;
        }
    }
}

bool bri_solve_deficient(double *W, int n, double *x, double *b, int *places) {
    Elimination e = {W, n, 0, places, places + n, places + 2 * n};
    eliminate(&e);
    find_one(&e, x, b);
    int rank = e.rank, rest = n - rank;
    if (rest == 0) return true;
    find_null_spaces(&e);
    project(&e, x, b);
    if (!bri_lu_factor(W + rank * n + rank, rest, n, e.row)) return false; /* rows are not asked for any more */
    bri_lu_solve(W + rank * n + rank, rest, n, e.row, b);
    for (int j = 0; j < rest; j++) {
        for (int i = 0; i < rank; i++) x[e.column[i]] += W[i * n + rank + j] * b[j];
        x[e.column[rank + j]] += b[j];
    }
    return true;
}
