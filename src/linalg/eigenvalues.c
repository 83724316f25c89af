/* eigenvalues.c: see eigenvalues.h. A becomes a Hessenberg matrix by elimination with pivots; then steps of QR with
 * Wilkinson's shift, in complex numbers, take one eigenvalue after the other off its end (Golub and Van Loan, Matrix
 * Computations, 7.4 and 7.5; complex in place of the double step, which is three times as long to read). */
#include "linalg/eigenvalues.h"

#include "math/vec.h"

enum { N = BRI_EIGEN_ROWS, MOST_STEPS = 60 };

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
    Complex H[N][N];
} Matrix;

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
            if (size_of(M->H[i][k - 1]) > size_of(M->H[best][k - 1])) best = i;
        for (int j = 0; best != k && j < n; j++) swap(&M->H[k][j], &M->H[best][j]);
        for (int j = 0; best != k && j < n; j++) swap(&M->H[j][k], &M->H[j][best]);
        double pivot = M->H[k][k - 1].re; /* it is real still */
        for (int i = k + 1; pivot != 0 && i < n; i++) {
            Complex l = times(1 / pivot, M->H[i][k - 1]);
            for (int j = 0; j < n; j++) M->H[i][j] = subtract(M->H[i][j], multiply(l, M->H[k][j]));
            for (int j = 0; j < n; j++) M->H[j][k] = add(M->H[j][k], multiply(l, M->H[j][i]));
        }
    }
}

/* The eigenvalue of the last two rows' block (begin: at `last` - 1) that is nearer to its last entry. */
static Complex find_shift(const Matrix *M, int last) {
    Complex a = M->H[last - 1][last - 1], b = M->H[last - 1][last], c = M->H[last][last - 1], d = M->H[last][last];
    Complex half = times(0.5, subtract(a, d)), root = root_of(add(multiply(half, half), multiply(b, c)));
    Complex up = add(half, root), down = subtract(half, root);
    return add(d, size_of(up) < size_of(down) ? up : down);
}

/* H - s = Q R, H <- R Q + s, of rows first to last. */
static void step(Matrix *M, int first, int last, Complex s) {
    Complex cosine[N], sine[N];
    for (int i = first; i <= last; i++) M->H[i][i] = subtract(M->H[i][i], s);
    for (int k = first; k < last; k++) {
        Complex x = M->H[k][k], y = M->H[k + 1][k];
        double size = bri_sqrt(x.re * x.re + x.im * x.im + y.re * y.re + y.im * y.im);
        cosine[k] = size > 0 ? times(1 / size, conjugate(x)) : (Complex){1, 0};
        sine[k] = size > 0 ? times(1 / size, conjugate(y)) : (Complex){0, 0};
        for (int j = k; j <= last; j++) {
            Complex u = M->H[k][j], v = M->H[k + 1][j];
            M->H[k][j] = add(multiply(cosine[k], u), multiply(sine[k], v));
            M->H[k + 1][j] = subtract(multiply(conjugate(cosine[k]), v), multiply(conjugate(sine[k]), u));
        }
    }
    for (int k = first; k < last; k++)
        for (int i = first; i <= (k + 1 < last ? k + 1 : last); i++) {
            Complex u = M->H[i][k], v = M->H[i][k + 1];
            M->H[i][k] = add(multiply(u, conjugate(cosine[k])), multiply(v, conjugate(sine[k])));
            M->H[i][k + 1] = subtract(multiply(v, cosine[k]), multiply(u, sine[k]));
        }
    for (int i = first; i <= last; i++) M->H[i][i] = add(M->H[i][i], s);
}

bool bri_eigenvalues(const double *A, int n, double *real, double *imaginary) {
    Matrix M = {.n = n};
    double largest = 0;
    int steps = 0;
    for (int i = 0; i < n * n; i++) {
        if (!bri_is_finite(A[i])) return false;
        largest = bri_max(largest, bri_abs(A[i]));
        M.H[i / n][i % n].re = A[i];
    }
    make_hessenberg(&M);
    for (int last = n - 1; last >= 0;) {
        int first = last;
        while (first > 0) {
            double near = size_of(M.H[first][first]) + size_of(M.H[first - 1][first - 1]);
            if (size_of(M.H[first][first - 1]) <= ROUNDING * (near > 0 ? near : largest)) break;
            first--;
        }
        if (first == last) {
            real[last] = M.H[last][last].re, imaginary[last] = M.H[last][last].im;
            last--, steps = 0;
            continue;
        }
        if (steps++ == MOST_STEPS) return false;
        Complex shift = find_shift(&M, last);
        if (steps % 10 == 0) shift = add(shift, (Complex){size_of(M.H[last][last - 1]), 0}); /* out of a circle */
        step(&M, first, last, shift);
    }
    return true;
}
