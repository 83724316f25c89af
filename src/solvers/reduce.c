/* reduce.c: see reduce.h. The scaling is D. Ruiz's (2001), in its symmetric form. */
#include "solvers/reduce.h"

#include "linalg/dense.h"
#include "math/vec.h"
#include "solvers/basis.h"

enum { SCALINGS = 4 };                /* Ruiz: the largest entries are within 2^(1/16) of 1 after these */
static const double VANISHED = 1e-11; /* an entry of T; entries begin at 1 */
static const double CLEAR = 1e-9;     /* an entry that is no rounding: enough to prove that there is no solution */

static const char CONTRADICTION[] = "a free row is not zero and no impulse changes it";

int bri_count_doubled(const BriProblem *problem) {
    int count = 0;
    for (int b = 0; b < problem->blocks; b++) {
        const BriBlock *block = &problem->block[b];
        bool lower = bri_is_finite(bri_lower_bound(block)), upper = bri_is_finite(bri_upper_bound(block));
        if (lower == upper) count += block->rows;
    }
    return count;
}

size_t bri_reduce_scratch(int rows, int doubled) {
    size_t m = (size_t)rows, n = (size_t)rows + (size_t)doubled;
    return m * (m + 1) + 7 * m + n * (n + 4);
}

static bool is_primal(int label) { return label % 2 == 0; }
static bool is_free(const BriReduced *s, int label) { return s->side[label / 2] == 0; }
static double *line_of(const BriReduced *s, int i) { return s->T + (size_t)i * (size_t)(s->active + 1); }

/* ------------------------------------------------------------------ rows */

/* side: 1 from the lower bound up, -1 from the upper one down, 0 for free rows (whose r counts from 0, upwards). */
static void take_row(BriReduced *s, const BriBlock *block, int i) {
    double lower = bri_lower_bound(block), upper = bri_upper_bound(block);
    bool has_lower = bri_is_finite(lower), has_upper = bri_is_finite(upper);
    s->base[i] = has_lower ? lower : has_upper ? upper : 0;
    if (has_lower && lower == upper) return;
    int k = s->active++;
    s->row[k] = i;
    s->side[k] = has_lower ? 1 : has_upper ? -1 : 0;
    s->span[k] = has_lower && has_upper ? upper - lower : __builtin_inf();
    s->scale[k] = 1;
}

static double turn_of(const BriReduced *s, int k) { return s->side[k] < 0 ? -s->scale[k] : s->scale[k]; }

static void fill_tableau(BriReduced *s) {
    const BriProblem *p = s->problem;
    int m = s->active;
    for (int i = 0; i < m; i++) {
        const double *row = p->W + (size_t)s->row[i] * (size_t)p->stride;
        double *line = line_of(s, i), u = 0;
        for (int j = 0; j < p->rows; j++) u += row[j] * s->base[j];
        for (int j = 0; j < m; j++) line[j] = turn_of(s, i) * row[s->row[j]] * turn_of(s, j);
        line[m] = turn_of(s, i) * (u + p->q[s->row[i]]);
        s->basic[i] = 2 * i + 1;
        s->nonbasic[i] = 2 * i;
    }
}

static void find_scales(BriReduced *s) {
    for (int pass = 0; pass < SCALINGS; pass++) {
        fill_tableau(s);
        for (int i = 0; i < s->active; i++) {
            double largest = 0;
            for (int j = 0; j < s->active; j++)
                largest = bri_max(largest, bri_max(bri_abs(line_of(s, i)[j]), bri_abs(line_of(s, j)[i])));
            if (largest > 0) s->scale[i] /= bri_sqrt(largest);
        }
    }
    fill_tableau(s);
    s->size = 0;
    for (int i = 0; i < s->active; i++) s->size = bri_max(s->size, bri_abs(line_of(s, i)[s->active]));
    if (!(s->size > 0)) s->size = 1;
    for (int i = 0; i < s->active; i++) {
        line_of(s, i)[s->active] /= s->size;
        s->span[i] /= s->scale[i] * s->size;
    }
}

/* ------------------------------------------------------------------ free rows */

static void exchange(BriReduced *s, int i, int j) {
    bri_exchange(s->T, s->active, s->active + 1, s->active + 1, i, j);
    int label = s->basic[i];
    s->basic[i] = s->nonbasic[j];
    s->nonbasic[j] = label;
}

static bool waits_in_line(const BriReduced *s, int i) { return is_free(s, s->basic[i]) && !is_primal(s->basic[i]); }
static bool waits_in_column(const BriReduced *s, int j) {
    return is_free(s, s->nonbasic[j]) && is_primal(s->nonbasic[j]);
}

/* The largest entry between a free u and a free r. */
static bool exchange_free(BriReduced *s) {
    double best = VANISHED;
    int row = -1, column = -1;
    for (int i = 0; i < s->active; i++)
        for (int j = 0; waits_in_line(s, i) && j < s->active; j++)
            if (waits_in_column(s, j) && bri_abs(line_of(s, i)[j]) > best) {
                best = bri_abs(line_of(s, i)[j]);
                row = i;
                column = j;
            }
    if (row >= 0) exchange(s, row, column);
    return row >= 0;
}

/* The column a free r has in line b, at its largest. */
static int find_partner(const BriReduced *s, int b) {
    int best = -1;
    for (int j = 0; j < s->active; j++)
        if (waits_in_column(s, j) && (best < 0 || bri_abs(line_of(s, b)[j]) > bri_abs(line_of(s, b)[best]))) best = j;
    return best;
}

/* A box row b goes along: its y for a free u, its w for a free r. Lines and columns of boxes still have their own
 * number, as boxes move by this way only, and once. */
static bool exchange_with_box(BriReduced *s) {
    double best = VANISHED;
    int row = -1, box = -1;
    for (int b = 0; b < s->active; b++) {
        int partner = is_free(s, s->basic[b]) || s->basic[b] != 2 * b + 1 ? -1 : find_partner(s, b);
        for (int i = 0; partner >= 0 && i < s->active; i++) {
            if (!waits_in_line(s, i)) continue;
            double a = bri_abs(line_of(s, i)[b]), c = bri_abs(line_of(s, b)[partner]);
            if (a > VANISHED && c > VANISHED && a * c > best) {
                best = a * c;
                row = i;
                box = b;
            }
        }
    }
    if (row < 0) return false;
    exchange(s, row, box);
    int partner = find_partner(s, box);
    if (bri_abs(line_of(s, box)[partner]) > VANISHED) {
        exchange(s, box, partner);
        return true;
    }
    exchange(s, row, box); /* back again */
    return false;
}

/* ------------------------------------------------------------------ the rows of (7.12) */

static void add_row(BriReduced *s, BriRole role, int line, int column) {
    s->role[s->n] = role;
    s->line[s->n] = line;
    s->column[s->n++] = column;
}

static bool has_vanished(const BriReduced *s, int line, int column) {
    for (int k = 0; k < s->active; k++)
        if (bri_abs(line >= 0 ? line_of(s, line)[k] : line_of(s, k)[column]) > VANISHED) return false;
    return true;
}

/* Free rows that did not leave: a line and a column each, in any pairs. What is empty stays away. */
static void add_leftovers(BriReduced *s, double tolerance) {
    int column = 0;
    for (int i = 0; i < s->active; i++) {
        if (!waits_in_line(s, i)) continue;
        while (!waits_in_column(s, column)) column++;
        double u = bri_abs(line_of(s, i)[s->active]), unit = s->size / s->scale[s->basic[i] / 2];
        bool empty = has_vanished(s, i, -1);
        if (empty && u * unit > tolerance && u > CLEAR) s->contradiction = CONTRADICTION;
        if (!empty || !has_vanished(s, -1, column)) {
            add_row(s, BRI_ROLE_PLUS, i, column);
            add_row(s, BRI_ROLE_MINUS, i, column);
        }
        column++;
    }
}

static int find_label(const int *labels, int count, int label) {
    for (int i = 0; i < count; i++)
        if (labels[i] == label) return i;
    return -1;
}

static void add_boxes(BriReduced *s) {
    for (int k = 0; k < s->active; k++) {
        if (s->side[k] == 0) continue;
        int w = find_label(s->basic, s->active, 2 * k + 1);
        bool turned = w < 0, both = bri_is_finite(s->span[k]);
        int line = turned ? find_label(s->basic, s->active, 2 * k) : w;
        int column = find_label(s->nonbasic, s->active, turned ? 2 * k + 1 : 2 * k);
        add_row(s, both ? (turned ? BRI_ROLE_TURNED : BRI_ROLE_BOTH) : BRI_ROLE_LOWER, line, column);
        if (both) add_row(s, BRI_ROLE_UPPER, turned ? line : -1, turned ? column : -1);
    }
}

static double sign_of(BriRole role) { return role == BRI_ROLE_UPPER || role == BRI_ROLE_MINUS ? -1 : 1; }

static void fill_problem(BriReduced *s) {
    for (int a = 0; a < s->n; a++) {
        double *row = s->M + (size_t)a * (size_t)s->n;
        const double *line = s->line[a] >= 0 ? line_of(s, s->line[a]) : NULL;
        for (int b = 0; b < s->n; b++)
            row[b] = line && s->column[b] >= 0 ? sign_of(s->role[a]) * sign_of(s->role[b]) * line[s->column[b]] : 0;
        s->q[a] = line ? sign_of(s->role[a]) * line[s->active] : 0;
        if (s->role[a] == BRI_ROLE_BOTH) row[a + 1] = 1;
        if (s->role[a] != BRI_ROLE_UPPER) continue;
        if (!line) row[a - 1] = -1;
        int label = line ? s->basic[s->line[a]] : s->basic[s->line[a - 1]];
        s->q[a] += s->span[label / 2];
    }
}

double *bri_reduce(const BriProblem *problem, double tolerance, BriReduced *reduced, double *scratch) {
    size_t m = (size_t)problem->rows, n = m + (size_t)bri_count_doubled(problem);
    double *at = scratch;
    *reduced = (BriReduced){.problem = problem};
    reduced->scale = at, at += m;
    reduced->side = at, at += m;
    reduced->span = at, at += m;
    reduced->base = at, at += m;
    reduced->row = (int *)at, at += m;
    reduced->basic = (int *)at, at += m;
    reduced->nonbasic = (int *)at, at += m;
    reduced->T = at, at += m * (m + 1);
    reduced->line = (int *)at, at += n;
    reduced->column = (int *)at, at += n;
    reduced->role = (BriRole *)at, at += n;
    reduced->q = at, at += n;
    reduced->M = at, at += n * n;
    for (int b = 0; b < problem->blocks; b++)
        for (int k = 0; k < problem->block[b].rows; k++)
            take_row(reduced, &problem->block[b], problem->block[b].first + k);
    find_scales(reduced);
    while (exchange_free(reduced) || exchange_with_box(reduced)) {}
    add_boxes(reduced);
    add_leftovers(reduced, tolerance);
    fill_problem(reduced);
    return at;
}

void bri_reduced_read(const BriReduced *reduced, const double *z, double *r, double *values) {
    int m = reduced->active;
    double *nonbasic = values, *primal = values + m;
    for (int j = 0; j < m; j++) nonbasic[j] = 0;
    for (int a = 0; a < reduced->n; a++)
        if (reduced->column[a] >= 0) nonbasic[reduced->column[a]] += sign_of(reduced->role[a]) * z[a];
    for (int j = 0; j < m; j++)
        if (is_primal(reduced->nonbasic[j])) primal[reduced->nonbasic[j] / 2] = nonbasic[j];
    for (int i = 0; i < m; i++) {
        const double *line = line_of(reduced, i);
        double sum = line[m];
        for (int j = 0; j < m; j++) sum += line[j] * nonbasic[j];
        if (is_primal(reduced->basic[i])) primal[reduced->basic[i] / 2] = sum;
    }
    for (int i = 0; i < reduced->problem->rows; i++) r[i] = reduced->base[i];
    for (int k = 0; k < m; k++) r[reduced->row[k]] += turn_of(reduced, k) * reduced->size * primal[k];
}
