/* simplex.c: see simplex.h. In each row the tableau T tells the basic number by the others, which are zero:
 *     x_basic(i) = d_i - sum_j T_ij x_j
 * One j enters where that gains, with the least index (Bland 1977: then it ends), and leaves as soon as a basic number
 * reaches zero. First the gain is the sum of what no column stands for yet; when that is gone, x is one that fits. */
#include "linalg/simplex.h"

#include "math/vec.h"

static const double NOTHING = 1e-11; /* of entries near 1: what is less is rounding */

enum { MOST_EXCHANGES = 10000 };

static void exchange(BriSimplex *s, int row, int column) {
    double *from = s->T[row], inverse = 1 / from[column];
    for (int j = 0; j <= s->columns; j++) from[j] *= inverse;
    for (int i = 0; i < s->rows; i++) {
        double factor = s->T[i][column];
        if (i == row || factor == 0) continue;
        for (int j = 0; j <= s->columns; j++) s->T[i][j] -= factor * from[j];
        s->T[i][column] = 0;
    }
    s->basis[row] = column;
}

/* The row whose number reaches zero first when a column enters; -1: none does. */
static int find_leaving(const BriSimplex *s, int column) {
    int best = -1;
    double least = 0;
    for (int i = 0; i < s->rows; i++) {
        double slope = s->T[i][column], ratio = bri_max(0, s->T[i][s->columns]) / slope;
        if (!(slope > NOTHING)) continue;
        if (best >= 0 && (ratio > least || (ratio == least && s->basis[i] > s->basis[best]))) continue;
        best = i, least = ratio;
    }
    return best;
}

static bool is_basic(const BriSimplex *s, int column) {
    for (int i = 0; i < s->rows; i++)
        if (s->basis[i] == column) return true;
    return false;
}

/* What a unit of a column gains; g NULL: of the sum of rows without a column. */
static double find_gain(const BriSimplex *s, const double *g, int column) {
    double gain = g ? g[column] : 0;
    for (int i = 0; i < s->rows; i++) {
        bool none = s->basis[i] >= s->columns;
        if (!g && none) gain += s->T[i][column];
        if (g && !none) gain -= g[s->basis[i]] * s->T[i][column];
    }
    return gain;
}

/* false: it gains without end. */
static bool climb(BriSimplex *s, const double *g) {
    for (int n = 0; n < MOST_EXCHANGES; n++) {
        int column = 0, row;
        while (column < s->columns && (is_basic(s, column) || !(find_gain(s, g, column) > NOTHING))) column++;
        if (column == s->columns) return true;
        row = find_leaving(s, column);
        if (row < 0) return false;
        exchange(s, row, column);
    }
    return true;
}

bool bri_simplex_begin(BriSimplex *s) {
    double left = 0, size = 1;
    for (int i = 0; i < s->rows; i++) {
        double *row = s->T[i];
        s->basis[i] = s->columns + i;
        size = bri_max(size, bri_abs(row[s->columns]));
        for (int j = 0; row[s->columns] < 0 && j <= s->columns; j++) row[j] = -row[j];
    }
    climb(s, NULL);
    for (int i = 0; i < s->rows; i++)
        if (s->basis[i] >= s->columns) left = bri_max(left, s->T[i][s->columns]);
    if (left > 10 * NOTHING * size) return false;
    /* rows that no column stands for yet are zero: another column's, or they say what the others say */
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; s->basis[i] >= s->columns && j < s->columns; j++)
            if (bri_abs(s->T[i][j]) > 100 * NOTHING && !is_basic(s, j)) exchange(s, i, j);
    return true;
}

void bri_simplex_point(const BriSimplex *s, double *x) {
    for (int j = 0; j < s->columns; j++) x[j] = 0;
    for (int i = 0; i < s->rows; i++)
        if (s->basis[i] < s->columns) x[s->basis[i]] = bri_max(0, s->T[i][s->columns]);
}

double bri_simplex_most(BriSimplex *s, const double *g) {
    double most = 0;
    if (!climb(s, g)) return __builtin_inf();
    for (int i = 0; i < s->rows; i++)
        if (s->basis[i] < s->columns) most += g[s->basis[i]] * s->T[i][s->columns];
    return most;
}
