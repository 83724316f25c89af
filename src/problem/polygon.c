/* polygon.c: see polygon.h. With r = E z, the rows of the linear problem are E^T u plus the entries of gamma. */
#include "problem/polygon.h"

#include "math/vec.h"

static const double TURN = 6.28318530717958647692; /* 2 pi */

/* Directions of a cone: two in the plane. */
static int count_sides(const BriBlock *block, int sides) { return block->rows == 2 ? 2 : sides; }
static int count_rows(const BriBlock *block, int sides) {
    return block->set == BRI_SET_CONE ? count_sides(block, sides) + 2 : block->rows;
}

int bri_polygon_rows(const BriProblem *problem, int sides) {
    int rows = 0;
    for (int b = 0; b < problem->blocks; b++) rows += count_rows(&problem->block[b], sides);
    return rows;
}

int bri_polygon_blocks(const BriProblem *problem, int sides) {
    int blocks = 0;
    for (int b = 0; b < problem->blocks; b++)
        blocks += problem->block[b].set == BRI_SET_CONE ? count_rows(&problem->block[b], sides) : 1;
    return blocks;
}

/* d_i, in the tangent basis. */
static void find_direction(const BriBlock *block, int sides, double angle, int i, double d[2]) {
    if (block->rows == 2) {
        d[0] = i == 0 ? 1 : -1;
        d[1] = 0;
    } else {
        bri_sincos(angle + TURN * i / sides, &d[1], &d[0]);
    }
}

/* Column `k` of a block's part of E: weights of up to two rows of the contact problem, from row `first` on. */
typedef struct Column {
    int first, count;
    double weight[2];
} Column;

static Column find_column(const BriBlock *block, int sides, double angle, int k) {
    Column c = {.first = block->first + k, .count = 1, .weight = {1, 0}};
    if (block->set != BRI_SET_CONE || k == 0) return c;
    c.first = block->first + 1;
    c.count = k <= count_sides(block, sides) ? block->rows - 1 : 0; /* gamma moves nothing */
    if (c.count) find_direction(block, sides, angle, k - 1, c.weight);
    return c;
}

/* The same from the blocks of the linear problem, where the weights wait in the place of the bounds. */
static Column recall_column(const BriBlock *block, int sides, const BriBlock *linear, int k) {
    if (block->set != BRI_SET_CONE || k == 0 || k > count_sides(block, sides)) return find_column(block, sides, 0, k);
    return (Column){block->first + 1, block->rows - 1, {linear[k].lower, linear[k].upper}};
}

static double angle_of(const double *angle, int cone) { return angle ? angle[cone] : 0; }

/* One row of E^T W E: the rows that `c` names, combined, then each column's. The directions are in `block`. */
static void fill_row(const BriProblem *p, int sides, Column c, const BriBlock *block, double *row) {
    int at = 0;
    for (int b = 0; b < p->blocks; b++) {
        const BriBlock *from = &p->block[b];
        for (int k = 0; k < count_rows(from, sides); k++) {
            Column d = recall_column(from, sides, block, k);
            double sum = 0;
            for (int i = 0; i < c.count; i++) {
                const double *w = p->W + (size_t)(c.first + i) * (size_t)p->stride + d.first;
                for (int j = 0; j < d.count; j++) sum += c.weight[i] * d.weight[j] * w[j];
            }
            row[at++] = sum;
        }
        block += from->set == BRI_SET_CONE ? count_rows(from, sides) : 1;
    }
}

/* The rows of gamma: beta_i sees it, and it sees mu p - sum beta_i. */
static void add_gamma(double *W, int rows, int first, int sides, double mu) {
    size_t n = (size_t)rows, gamma = (size_t)first + (size_t)sides + 1;
    W[gamma * n + (size_t)first] += mu;
    for (int i = 1; i <= sides; i++) {
        W[(size_t)(first + i) * n + gamma] += 1;
        W[gamma * n + (size_t)(first + i)] -= 1;
    }
}

/* Blocks of the linear problem, their bounds holding the directions for now. */
static int lay_blocks(const BriProblem *problem, int sides, const double *angle, BriBlock *block) {
    int at = 0, cone = 0, blocks = 0;
    for (int b = 0; b < problem->blocks; b++) {
        const BriBlock *from = &problem->block[b];
        int rows = count_rows(from, sides);
        block[blocks] = *from;
        block[blocks].first = at;
        for (int k = 0; k < rows && from->set == BRI_SET_CONE; k++) {
            Column c = find_column(from, sides, angle_of(angle, cone), k);
            block[blocks + k] =
                (BriBlock){.set = BRI_SET_BOX, .first = at + k, .rows = 1, .lower = c.weight[0], .upper = c.weight[1]};
        }
        blocks += from->set == BRI_SET_CONE ? rows : 1;
        cone += from->set == BRI_SET_CONE;
        at += rows;
    }
    return blocks;
}

void bri_polygon_build(const BriProblem *problem, int sides, const double *angle, double *W, double *q, BriBlock *block,
                       BriProblem *linear) {
    int rows = bri_polygon_rows(problem, sides), at = 0;
    BRI_ASSERT(sides >= 3);
    *linear = (BriProblem){.rows = rows, .W = W, .stride = rows, .q = q, .block = block, .budget = problem->budget};
    linear->blocks = lay_blocks(problem, sides, angle, block);
    const BriBlock *directions = block;
    for (int b = 0; b < problem->blocks; b++) {
        const BriBlock *from = &problem->block[b];
        bool is_cone = from->set == BRI_SET_CONE;
        int first = at;
        for (int k = 0; k < count_rows(from, sides); k++, at++) {
            Column c = recall_column(from, sides, directions, k);
            fill_row(problem, sides, c, block, W + (size_t)at * (size_t)rows);
            q[at] = 0;
            for (int i = 0; i < c.count; i++) q[at] += c.weight[i] * problem->q[c.first + i];
        }
        if (is_cone) add_gamma(W, rows, first, count_sides(from, sides), from->mu);
        directions += is_cone ? at - first : 1;
    }
    for (int b = 0; b < problem->blocks; b++) {
        int count = problem->block[b].set == BRI_SET_CONE ? count_rows(&problem->block[b], sides) : 1;
        for (int k = 0; k < count && problem->block[b].set == BRI_SET_CONE; k++) {
            block[k].lower = 0;
            block[k].upper = __builtin_inf();
        }
        block += count;
    }
}

void bri_polygon_read(const BriProblem *problem, int sides, const double *angle, const double *z, double *r) {
    int at = 0, cone = 0;
    for (int i = 0; i < problem->rows; i++) r[i] = 0;
    for (int b = 0; b < problem->blocks; b++) {
        const BriBlock *block = &problem->block[b];
        for (int k = 0; k < count_rows(block, sides); k++, at++) {
            Column c = find_column(block, sides, angle_of(angle, cone), k);
            for (int i = 0; i < c.count; i++) r[c.first + i] += c.weight[i] * z[at];
        }
        cone += block->set == BRI_SET_CONE;
    }
}

/* t = a d_i + b d_(i+1) with a, b >= 0: the sector that t lies in. */
static void split_tangent(const BriBlock *block, int sides, double angle, const double *t, double *beta) {
    int n = count_sides(block, sides);
    for (int i = 0; i < n; i++) beta[i] = 0;
    if (block->rows == 2) {
        beta[t[0] < 0] = bri_abs(t[0]);
        return;
    }
    for (int i = 0; i < n; i++) {
        double d[2], e[2];
        int next = (i + 1) % n;
        find_direction(block, sides, angle, i, d);
        find_direction(block, sides, angle, next, e);
        double area = d[0] * e[1] - d[1] * e[0];
        double a = (t[0] * e[1] - t[1] * e[0]) / area, b = (d[0] * t[1] - d[1] * t[0]) / area;
        if (a < 0 || b < 0) continue;
        beta[i] = a;
        beta[next] = b;
        return;
    }
}

void bri_polygon_guess(const BriProblem *problem, int sides, const double *angle, const double *r, const double *u,
                       double *z) {
    int at = 0, cone = 0;
    for (int b = 0; b < problem->blocks; b++) {
        const BriBlock *block = &problem->block[b];
        const double *from = r + block->first;
        int rows = count_rows(block, sides);
        for (int k = 0; k < block->rows && block->set != BRI_SET_CONE; k++) z[at + k] = from[k];
        if (block->set == BRI_SET_CONE) {
            double gamma = 0, d[2];
            z[at] = from[0];
            split_tangent(block, sides, angle_of(angle, cone), from + 1, z + at + 1);
            for (int i = 0; u && i < rows - 2; i++) {
                find_direction(block, sides, angle_of(angle, cone), i, d);
                double along = d[0] * u[block->first + 1] + (block->rows == 3 ? d[1] * u[block->first + 2] : 0);
                gamma = bri_max(gamma, -along);
            }
            z[at + rows - 1] = gamma;
            cone++;
        }
        at += rows;
    }
}

bool bri_polygon_holds(const BriProblem *problem, int sides, const double *z, double still) {
    for (int b = 0; b < problem->blocks; b++) {
        const BriBlock *block = &problem->block[b];
        int rows = count_rows(block, sides);
        if (block->set == BRI_SET_CONE && z[0] > 0 && z[rows - 1] > still) return false; /* it slides */
        z += rows;
    }
    return true;
}
