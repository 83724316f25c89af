/* eigenvalues.c: see eigenvalues.h. A becomes a Hessenberg matrix by elimination with pivots; then steps of QR with
 * Wilkinson's shift, in complex numbers, take one eigenvalue after the other off its end (Golub and Van Loan, Matrix
 * Computations, 7.4 and 7.5; complex in place of the double step, which is three times as long to read). */
#include "linalg/eigenvalues.h"

#include "math/vec.h"

#include <string.h>

enum { MOST_STEPS = 60 };

static const double ROUNDING = 0x1p-52;

typedef struct Complex {
    double re, im;
} Complex;

static Complex add(Complex a, Complex b) { return (Complex){a.re + b.re, a.im + b.im}; }
static Complex subtract(Complex a, Complex b) { return (Complex){a.re - b.re, a.im - b.im}; }
static Complex multiply(Complex a, Complex b) {
    return (Complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static Complex conjugate(Complex a) { return (Complex){a.re, -a.im}; }
static Complex times(double s, Complex a) { return (Complex){s * a.re, s * a.im}; }
static double size_of(Complex a) { return bri_sqrt(a.re * a.re + a.im * a.im); }

static Complex root_of(Complex a) {
    double size = size_of(a), re = bri_sqrt(bri_max(0, 0.5 * (size + a.re))),
           im = bri_sqrt(bri_max(0, 0.5 * (size - a.re)));
    return (Complex){re, a.im < 0 ? -im : im};
}

typedef struct Matrix {
    int n;
    Complex *entry, *cosine, *sine; /* rows one behind the other; of the turns of a step */
} Matrix;

static Complex *row_of(const Matrix *M, int i) { return M->entry + (size_t)i * (size_t)M->n; }

static void swap(Complex *a, Complex *b) {
    Complex keep = *a;
    *a = *b, *b = keep;
}

/* Zero below the first subdiagonal, by similar matrices. */
static void make_hessenberg(Matrix *M) {
    int n = M->n;
    for (int k = 1; k < n - 1; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (size_of(row_of(M, i)[k - 1]) > size_of(row_of(M, best)[k - 1])) best = i;
        for (int j = 0; best != k && j < n; j++) swap(&row_of(M, k)[j], &row_of(M, best)[j]);
        for (int j = 0; best != k && j < n; j++) swap(&row_of(M, j)[k], &row_of(M, j)[best]);
        double pivot = row_of(M, k)[k - 1].re; /* it is real still */
        for (int i = k + 1; pivot != 0 && i < n; i++) {
            Complex l = times(1 / pivot, row_of(M, i)[k - 1]);
            for (int j = 0; j < n; j++) row_of(M, i)[j] = subtract(row_of(M, i)[j], multiply(l, row_of(M, k)[j]));
            for (int j = 0; j < n; j++) row_of(M, j)[k] = add(row_of(M, j)[k], multiply(l, row_of(M, j)[i]));
        }
    }
}

/* The eigenvalue of the last two rows' block (begin: at `last` - 1) that is nearer to its last entry. */
static Complex find_shift(const Matrix *M, int last) {
    Complex a = row_of(M, last - 1)[last - 1], b = row_of(M, last - 1)[last], c = row_of(M, last)[last - 1],
            d = row_of(M, last)[last];
    Complex half = times(0.5, subtract(a, d)), root = root_of(add(multiply(half, half), multiply(b, c)));
    Complex up = add(half, root), down = subtract(half, root);
    return add(d, size_of(up) < size_of(down) ? up : down);
}

/* H - s = Q R, H <- R Q + s, of rows first to last. */
static void step(Matrix *M, int first, int last, Complex s) {
    Complex *cosine = M->cosine, *sine = M->sine;
    for (int i = first; i <= last; i++) row_of(M, i)[i] = subtract(row_of(M, i)[i], s);
    for (int k = first; k < last; k++) {
        Complex x = row_of(M, k)[k], y = row_of(M, k + 1)[k];
        double size = bri_sqrt(x.re * x.re + x.im * x.im + y.re * y.re + y.im * y.im);
        cosine[k] = size > 0 ? times(1 / size, conjugate(x)) : (Complex){1, 0};
        sine[k] = size > 0 ? times(1 / size, conjugate(y)) : (Complex){0, 0};
        for (int j = k; j <= last; j++) {
            Complex u = row_of(M, k)[j], v = row_of(M, k + 1)[j];
            row_of(M, k)[j] = add(multiply(cosine[k], u), multiply(sine[k], v));
            row_of(M, k + 1)[j] = subtract(multiply(conjugate(cosine[k]), v), multiply(conjugate(sine[k]), u));
        }
    }
    for (int k = first; k < last; k++)
        for (int i = first; i <= (k + 1 < last ? k + 1 : last); i++) {
            Complex u = row_of(M, i)[k], v = row_of(M, i)[k + 1];
            row_of(M, i)[k] = add(multiply(u, conjugate(cosine[k])), multiply(v, conjugate(sine[k])));
            row_of(M, i)[k + 1] = subtract(multiply(v, cosine[k]), multiply(u, sine[k]));
        }
    for (int i = first; i <= last; i++) row_of(M, i)[i] = add(row_of(M, i)[i], s);
}

size_t bri_eigenvalues_scratch(int n) { return 2 * (size_t)n * (size_t)n + 4 * (size_t)n; }

bool bri_eigenvalues(const double *A, int n, double *real, double *imaginary) {
    double scratch[2 * BRI_EIGEN_ROWS * BRI_EIGEN_ROWS + 4 * BRI_EIGEN_ROWS];
    return bri_eigenvalues_with(A, n, scratch, real, imaginary);
}

bool bri_eigenvalues_with(const double *A, int n, double *scratch, double *real, double *imaginary) {
    Matrix M = {.n = n, .entry = (Complex *)scratch};
    M.cosine = M.entry + (size_t)n * (size_t)n, M.sine = M.cosine + n;
    double largest = 0;
    int steps = 0;
    memset(scratch, 0, bri_eigenvalues_scratch(n) * sizeof *scratch);
    for (int i = 0; i < n * n; i++) {
        if (!bri_is_finite(A[i])) return false;
        largest = bri_max(largest, bri_abs(A[i]));
        M.entry[i] = (Complex){A[i], 0};
    }
    make_hessenberg(&M);
    for (int last = n - 1; last >= 0;) {
        int first = last;
        while (first > 0) {
            double near = size_of(row_of(&M, first)[first]) + size_of(row_of(&M, first - 1)[first - 1]);
            if (size_of(row_of(&M, first)[first - 1]) <= ROUNDING * (near > 0 ? near : largest)) break;
            first--;
        }
        if (first == last) {
            real[last] = row_of(&M, last)[last].re, imaginary[last] = row_of(&M, last)[last].im;
            last--, steps = 0;
            continue;
        }
        if (steps++ == MOST_STEPS) return false;
        Complex shift = find_shift(&M, last);
        if (steps % 10 == 0)
            shift = add(shift, (Complex){size_of(row_of(&M, last)[last - 1]), 0}); /* out of a circle */
        step(&M, first, last, shift);
    }
    return true;
}
