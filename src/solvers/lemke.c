/* lemke.c: Lemke's complementary pivot method on the linear complementarity problem of reduce.h. C. E. Lemke (1965);
 * R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem (1992), section 4.4.
 *
 * w = M z + d z0 + q with d > 0; z0 enters where q is least and the complement of what left enters next, until z0
 * leaves. Ties are broken lexicographically by the rows of the basis' inverse, so that the method cannot return to a
 * basis.
 *
 * If nothing blocks the entering variable, the edge is a ray. With y its z-part, we look whether
 *     y >= 0,     M^T y <= 0,     q . y < 0:                                                                (7.13)
 * then (M z + q) . y < 0 for all z >= 0 and there is no solution, whatever kind of matrix M is. For copositive-plus
 * (among them semidefinite) ones (7.13) always holds. Where it does not, we start again with another d. */
#include "linalg/dense.h"
#include "math/vec.h"
#include "solvers/basis.h"
#include "solvers/reduce.h"
#include "solvers/solvers.h"

#include <string.h>

static const double VANISHED = 1e-11; /* an entry of the tableau: entries begin at 1 */
static const double TIE = 1e-12;      /* between ratios */
static const char RAY_PROVES[] = "secondary ray of Lemke's method: no z >= 0 gives w >= 0";
static const char RAY_STOPS[] = "secondary ray of Lemke's method, which proves nothing for this matrix";

typedef struct Lemke {
    const BriReduced *of;
    int n, columns;        /* z or w of each row, z0, constants */
    double *T;             /* n x (n + 2) */
    int *basic, *nonbasic; /* i: z_i, n + i: w_i, 2 n: z0 */
    int *where;            /* per variable: its row, or -1 - column */
    double *z;
    int pivots, most;
} Lemke;

typedef enum End { END_SOLVED, END_RAY, END_CAP } End;

static size_t count_own(size_t n) { return n * (n + 2) + 6 * n + 4; }

size_t bri_lemke_scratch(int rows, int doubled) {
    size_t n = (size_t)rows + (size_t)doubled;
    return bri_reduce_scratch(rows, doubled) + count_own(n) + 3 * (size_t)rows + bri_polish_scratch(rows);
}

static double *row_of(const Lemke *s, int i) { return s->T + (size_t)i * (size_t)s->columns; }

static void exchange(Lemke *s, int i, int j) {
    bri_exchange(s->T, s->n, s->columns, s->columns, i, j);
    int out = s->basic[i], in = s->nonbasic[j];
    s->basic[i] = in;
    s->nonbasic[j] = out;
    s->where[in] = i;
    s->where[out] = -1 - j;
    s->pivots++;
}

static void start(Lemke *s, int attempt) {
    for (int i = 0; i < s->n; i++) {
        double *row = row_of(s, i);
        memcpy(row, s->of->M + (size_t)i * (size_t)s->n, (size_t)s->n * sizeof *row);
        row[s->n] = attempt == 0 ? 1 : 1 + (double)((i + attempt) * 7 % 11) / 4; /* d: uneven, the same every time */
        row[s->n + 1] = s->of->q[i];
        s->basic[i] = s->n + i;
        s->nonbasic[i] = i;
        s->where[i] = -1 - i;
        s->where[s->n + i] = i;
    }
    s->nonbasic[s->n] = 2 * s->n;
    s->where[2 * s->n] = -1 - s->n;
}

/* Entry of row i in the column of w_k, as the basis' inverse has it. */
static double inverse_entry(const Lemke *s, int i, int k) {
    int place = s->where[s->n + k];
    return place >= 0 ? (place == i) : -row_of(s, i)[-1 - place];
}

/* Is row i lexicographically before row k, when column j enters? */
static bool comes_before(const Lemke *s, int i, int k, int j) {
    double a = -row_of(s, i)[j], b = -row_of(s, k)[j];
    for (int m = 0; m < s->n; m++) {
        double difference = inverse_entry(s, i, m) / a - inverse_entry(s, k, m) / b;
        if (bri_abs(difference) > TIE) return difference < 0;
    }
    return a > b;
}

static double ratio_of(const Lemke *s, int i, int j) { return bri_max(row_of(s, i)[s->n + 1], 0) / -row_of(s, i)[j]; }

/* The row that blocks column j, or -1. z0 leaves whenever it may. */
static int find_blocking(const Lemke *s, int j) {
    double least = __builtin_inf();
    int best = -1;
    for (int i = 0; i < s->n; i++)
        if (row_of(s, i)[j] < -VANISHED) least = bri_min(least, ratio_of(s, i, j));
    for (int i = 0; i < s->n; i++) {
        if (!(row_of(s, i)[j] < -VANISHED) || ratio_of(s, i, j) > least + TIE * (1 + least)) continue;
        if (s->basic[i] == 2 * s->n) return i;
        if (best < 0 || comes_before(s, i, best, j)) best = i;
    }
    return best;
}

static End follow_path(Lemke *s, int *column) {
    int n = s->n, row = -1;
    for (int i = 0; i < n; i++) /* the last of equals: its unit vector comes first */
        if (row < 0 || row_of(s, i)[n + 1] / row_of(s, i)[n] <= row_of(s, row)[n + 1] / row_of(s, row)[n]) row = i;
    if (row < 0 || row_of(s, row)[n + 1] >= 0) return END_SOLVED;
    *column = n;
    while (s->pivots < s->most) {
        int out = s->basic[row];
        exchange(s, row, *column);
        if (!bri_spend(s->of->problem->budget, (double)n * n)) return END_CAP;
        if (out == 2 * n) return END_SOLVED;
        *column = -1 - s->where[out < n ? out + n : out - n];
        row = find_blocking(s, *column);
        if (row < 0) return END_RAY;
    }
    return END_CAP;
}

/* (7.13) with y the z-part of the ray that column j leads along. Entries were 1; below VANISHED they are none. */
static bool proves(const Lemke *s, int j) {
    const BriReduced *of = s->of;
    double *y = s->z, largest = 0, work = 0;
    for (int k = 0; k < s->n; k++) {
        y[k] = s->where[k] >= 0 ? row_of(s, s->where[k])[j] : s->nonbasic[j] == k;
        if (y[k] < -VANISHED) return false;
        y[k] = bri_max(y[k], 0);
        largest = bri_max(largest, y[k]);
    }
    for (int k = 0; k < s->n; k++) {
        double sum = 0;
        for (int i = 0; i < s->n; i++) sum += of->M[(size_t)i * (size_t)s->n + (size_t)k] * y[i];
        if (sum > VANISHED * (1 + largest)) return false;
        work += of->q[k] * y[k];
    }
    const double CLEAR = 1e-9; /* entries begin at 1: a proof must stand clear of what pivots lose */
    return work < -CLEAR * (1 + largest);
}

static void read_answer(Lemke *s) {
    for (int k = 0; k < s->n; k++) s->z[k] = s->where[k] >= 0 ? bri_max(row_of(s, s->where[k])[s->n + 1], 0) : 0;
}

static Lemke lay_out(const BriReduced *of, double *scratch) {
    size_t n = (size_t)of->n;
    Lemke s = {.of = of, .n = of->n, .columns = of->n + 2, .z = scratch};
    s.basic = (int *)(scratch + n);
    s.nonbasic = (int *)(scratch + 2 * n);
    s.where = (int *)(scratch + 3 * n + 1);
    s.T = scratch + 5 * n + 2;
    s.most = 20 * s.n + 2000000 / (s.n + 1); /* a second or so at any size; Murty's example needs 2^n */
    return s;
}

BriAnswer bri_solve_lemke(const BriProblem *problem, double tolerance, double *r, double *scratch,
                          BriSolverReport *report) {
    enum { ATTEMPTS = 3 };
    BriReduced reduced;
    BRI_ASSERT(bri_has_boxes_only(problem));
    double *rest = bri_reduce(problem, tolerance, &reduced, scratch), *best = rest, *values;
    Lemke s = lay_out(&reduced, best + problem->rows);
    values = best + problem->rows + count_own((size_t)s.n);
    rest = values + 2 * (size_t)problem->rows;
    *report = (BriSolverReport){.solver = "lemke", .proof = reduced.contradiction};
    report->certificate = bri_problem_judge(problem, r, values);
    if (reduced.contradiction && report->certificate.residual > tolerance) return BRI_NO_SOLUTION;
    for (int attempt = 0; attempt < ATTEMPTS && report->certificate.residual > tolerance; attempt++) {
        int column = 0;
        start(&s, attempt);
        End end = follow_path(&s, &column);
        report->iterations = s.pivots;
        if (end == END_RAY) report->proof = proves(&s, column) ? RAY_PROVES : RAY_STOPS;
        if (report->proof == RAY_PROVES) return BRI_NO_SOLUTION;
        read_answer(&s);
        bri_reduced_read(&reduced, s.z, best, values);
        BriCertificate c = bri_polish(problem, best, rest);
        if (c.residual < report->certificate.residual) {
            report->certificate = c;
            memcpy(r, best, (size_t)problem->rows * sizeof *r);
        }
    }
    if (report->certificate.residual > tolerance) return BRI_STOPPED_SHORT;
    report->proof = NULL;
    return BRI_SOLVED;
}
