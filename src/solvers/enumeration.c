/* enumeration.c: all complementary sets of the linear complementarity problem of reduce.h, one after the other:
 *     z_a free, w_a = 0 for a in the set;  z_a = 0 elsewhere;  is z >= 0, w >= 0?                              (7.14)
 * A regular set has one candidate, by LU. A singular one may have none or many: the first phase of the simplex method
 * (Bland's rule) finds one or shows that there is none. Sets that cannot hold more than their neighbours are left out
 * (both bounds of a row at once, both halves of a free row).
 *
 * The last word for small problems: it is said only if no set came so near that rounding could decide. */
#include "linalg/dense.h"
#include "math/vec.h"
#include "solvers/basis.h"
#include "solvers/reduce.h"
#include "solvers/solvers.h"

#include <string.h>

enum { MOST_BOXES = 16, MOST_SETS = 1 << 20 }; /* one or two seconds */
static const double VANISHED = 1e-11;          /* entries of M are 1 and below */
static const double NEAR = 1e-7;               /* worth judging */
static const double TIE = 1e-13;               /* between ratios */
static const char TRIED[] = "all complementary sets were tried";

typedef struct Enumeration {
    const BriReduced *of;
    int n;
    unsigned char *digit; /* per row of (7.12); that of a second row goes with its first */
    int *set, *pivot, *label;
    double *z, *w;
    double *A; /* n x (n + 1) */
    bool doubtful;
} Enumeration;

static size_t count_own(size_t n) { return n * (n + 1) + 6 * n; }

size_t bri_enumeration_scratch(int rows, int doubled) {
    size_t n = (size_t)rows + (size_t)doubled;
    return bri_reduce_scratch(rows, doubled) + count_own(n) + 3 * (size_t)rows + bri_polish_scratch(rows);
}

/* ------------------------------------------------------------------ sets */

static bool is_second(const Enumeration *s, int a) {
    return s->of->role[a] == BRI_ROLE_UPPER || s->of->role[a] == BRI_ROLE_MINUS;
}

/* Choices of a row and of the second that may follow it. */
static int count_choices(const Enumeration *s, int a) { return s->of->role[a] == BRI_ROLE_LOWER ? 2 : 3; }

static bool has_in_set(const Enumeration *s, int a) {
    if (is_second(s, a)) return s->digit[a - 1] == 2;
    return s->digit[a] == 1 || (s->digit[a] == 2 && s->of->role[a] == BRI_ROLE_BOTH);
}

static bool next_set(Enumeration *s) {
    for (int a = 0; a < s->n; a++) {
        if (is_second(s, a)) continue;
        s->digit[a] = (unsigned char)((s->digit[a] + 1) % count_choices(s, a));
        if (s->digit[a] != 0) return true;
    }
    return false;
}

static bool is_small_enough(const Enumeration *s) {
    double sets = 1;
    int boxes = 0;
    for (int a = 0; a < s->n; a++) {
        if (is_second(s, a)) continue;
        sets *= count_choices(s, a);
        boxes += s->of->role[a] != BRI_ROLE_PLUS;
    }
    return boxes <= MOST_BOXES && sets <= MOST_SETS;
}

/* ------------------------------------------------------------------ regular sets */

static double entry(const Enumeration *s, int i, int j) { return s->of->M[(size_t)i * (size_t)s->n + (size_t)j]; }

/* z and w of the set; false: it is singular. */
static bool solve_set(Enumeration *s) {
    int count = 0;
    for (int a = 0; a < s->n; a++) {
        s->z[a] = 0;
        if (has_in_set(s, a)) s->set[count++] = a;
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) s->A[(size_t)i * (size_t)count + (size_t)j] = entry(s, s->set[i], s->set[j]);
    if (!bri_lu_factor(s->A, count, count, s->pivot)) return false;
    for (int i = 0; i < count; i++) /* also what only rounding left behind */
        if (bri_abs(s->A[(size_t)i * (size_t)(count + 1)]) <= VANISHED) return false;
    for (int i = 0; i < count; i++) s->w[i] = -s->of->q[s->set[i]];
    bri_lu_solve(s->A, count, count, s->pivot, s->w);
    for (int i = 0; i < count; i++) s->z[s->set[i]] = s->w[i];
    for (int i = 0; i < s->n; i++) {
        s->w[i] = s->of->q[i];
        for (int j = 0; j < count; j++) s->w[i] += entry(s, i, s->set[j]) * s->z[s->set[j]];
    }
    for (int i = 0; i < count; i++) s->w[s->set[i]] = 0;
    return true;
}

/* How far below zero, of the largest. */
static double measure_violation(const Enumeration *s) {
    double least = 0, largest = 1;
    for (int a = 0; a < s->n; a++) {
        least = bri_min(least, bri_min(s->z[a], s->w[a]));
        largest = bri_max(largest, bri_max(bri_abs(s->z[a]), bri_abs(s->w[a])));
    }
    return bri_is_finite(largest) ? -least / largest : __builtin_inf();
}

/* ------------------------------------------------------------------ singular sets */

/* C y = q with columns -M_a in the set and e_a elsewhere, from artificial variables |q - C y|, by rows of A. */
static void start_simplex(Enumeration *s) {
    for (int i = 0; i < s->n; i++) {
        double *row = s->A + (size_t)i * (size_t)(s->n + 1), sign = s->of->q[i] < 0 ? -1 : 1;
        for (int j = 0; j < s->n; j++) row[j] = sign * (has_in_set(s, j) ? entry(s, i, j) : -(double)(i == j));
        row[s->n] = sign * s->of->q[i];
        s->set[i] = s->n + i; /* what is basic: from n on the artificial ones */
        s->label[i] = i;      /* what is not */
    }
}

/* The first column by label whose growth lessens the artificial variables' sum; -1: it is least. */
static int find_entering(const Enumeration *s) {
    int best = -1;
    for (int j = 0; j < s->n; j++) {
        if (s->label[j] >= s->n || (best >= 0 && s->label[j] > s->label[best])) continue;
        double slope = 0;
        for (int i = 0; i < s->n; i++)
            if (s->set[i] >= s->n) slope += s->A[(size_t)i * (size_t)(s->n + 1) + (size_t)j];
        if (slope < -VANISHED) best = j;
    }
    return best;
}

static int find_leaving(const Enumeration *s, int j) {
    double least = __builtin_inf();
    int best = -1;
    for (int i = 0; i < s->n; i++) {
        const double *row = s->A + (size_t)i * (size_t)(s->n + 1);
        if (!(row[j] < -VANISHED)) continue;
        double ratio = bri_max(row[s->n], 0) / -row[j];
        bool same = bri_abs(ratio - least) <= TIE * (1 + ratio);
        if (best < 0 || (same ? s->set[i] < s->set[best] : ratio < least)) {
            best = i;
            least = ratio;
        }
    }
    return best;
}

/* true: z and w hold an answer of the set. Sets `doubtful` where the simplex method does not end. */
static bool search_set(Enumeration *s) {
    int most = 50 * s->n + 50;
    start_simplex(s);
    for (int pivots = 0;; pivots++) {
        int j = find_entering(s), i = j < 0 ? -1 : find_leaving(s, j);
        if (j >= 0 && (i < 0 || pivots == most)) s->doubtful = true;
        if (j < 0 || i < 0 || pivots == most) break;
        bri_exchange(s->A, s->n, s->n + 1, s->n + 1, i, j);
        int keep = s->set[i];
        s->set[i] = s->label[j];
        s->label[j] = keep;
        if (keep < s->n) continue;
        for (int k = 0; k < s->n; k++) s->A[(size_t)k * (size_t)(s->n + 1) + (size_t)j] = 0; /* never comes back */
    }
    double missing = 0;
    for (int a = 0; a < s->n; a++) s->z[a] = s->w[a] = 0;
    for (int i = 0; i < s->n; i++) {
        double value = bri_max(s->A[(size_t)i * (size_t)(s->n + 1) + (size_t)s->n], 0);
        if (s->set[i] >= s->n)
            missing += value;
        else if (has_in_set(s, s->set[i]))
            s->z[s->set[i]] = value;
        else
            s->w[s->set[i]] = value;
    }
    return missing <= NEAR;
}

/* ------------------------------------------------------------------ the whole */

static Enumeration lay_out(const BriReduced *of, double *scratch) {
    size_t n = (size_t)of->n;
    Enumeration s = {.of = of, .n = of->n, .z = scratch, .w = scratch + n};
    s.set = (int *)(scratch + 2 * n);
    s.pivot = (int *)(scratch + 3 * n);
    s.label = (int *)(scratch + 4 * n);
    s.digit = (unsigned char *)(scratch + 5 * n);
    s.A = scratch + 6 * n;
    memset(s.digit, 0, n);
    return s;
}

BriAnswer bri_solve_enumeration(const BriProblem *problem, double tolerance, double *r, double *scratch,
                                BriSolverReport *report) {
    BriReduced reduced;
    BRI_ASSERT(bri_has_boxes_only(problem));
    double *trial = bri_reduce(problem, tolerance, &reduced, scratch);
    Enumeration s = lay_out(&reduced, trial + problem->rows);
    double *values = trial + problem->rows + count_own((size_t)s.n), *rest = values + 2 * (size_t)problem->rows;
    *report = (BriSolverReport){.solver = "enumeration", .proof = reduced.contradiction};
    report->certificate = bri_problem_judge(problem, r, values);
    if (reduced.contradiction && report->certificate.residual > tolerance) return BRI_NO_SOLUTION;
    bool more = is_small_enough(&s), complete = more;
    while (more && report->certificate.residual > tolerance) {
        report->iterations++;
        bool regular = solve_set(&s);
        double violation = regular ? measure_violation(&s) : search_set(&s) ? 0 : 1;
        if (violation <= NEAR) {
            bri_reduced_read(&reduced, s.z, trial, values);
            BriCertificate c = bri_polish(problem, trial, rest);
            if (c.residual < report->certificate.residual) {
                report->certificate = c;
                memcpy(r, trial, (size_t)problem->rows * sizeof *r);
            }
            s.doubtful = s.doubtful || violation <= VANISHED;
        }
        more = next_set(&s);
    }
    report->proof = NULL;
    if (report->certificate.residual <= tolerance) return BRI_SOLVED;
    if (!complete || s.doubtful) return BRI_STOPPED_SHORT;
    report->proof = TRIED;
    return BRI_NO_SOLUTION;
}
