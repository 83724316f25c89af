/* cone_support.h: random contact problems, the same in every run, for the tests of the solvers. */
#ifndef CONE_SUPPORT_H
#define CONE_SUPPORT_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "solvers/solvers.h"

enum { MOST_ROWS = 60, MOST_BLOCKS = 20 };

typedef struct Sample {
    BriProblem problem;
    BriBlock block[MOST_BLOCKS];
    double W[MOST_ROWS * MOST_ROWS], q[MOST_ROWS], r[MOST_ROWS], u[MOST_ROWS];
    double *scratch;
} Sample;

/* -1 .. 1 */
static inline double random_number(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static inline double largest_q(const BriProblem *problem) {
    double q = 0;
    for (int i = 0; i < problem->rows; i++) q = fmax(q, fabs(problem->q[i]));
    return q;
}

static inline void add_block(Sample *s, BriBlock block) {
    block.first = s->problem.rows;
    s->block[s->problem.blocks++] = block;
    s->problem.rows += block.rows;
}

static inline BriBlock cone(int rows, double mu) { return (BriBlock){.set = BRI_SET_CONE, .rows = rows, .mu = mu}; }

/* W = J M^-1 J^T and q = J v for random J and v with `freedoms` columns, so an answer exists; rank at most `freedoms`.
 * Inverse masses lie between 10^-decades and 1; entries are then changed by the part `skew`, each on its own. */
static inline void fill(Sample *s, int freedoms, double decades, double skew, uint64_t *seed) {
    static double J[MOST_ROWS][2 * MOST_ROWS];
    double mass[2 * MOST_ROWS], v[2 * MOST_ROWS];
    int n = s->problem.rows;
    for (int k = 0; k < freedoms; k++) {
        mass[k] = pow(10, -decades * fabs(random_number(seed)));
        v[k] = random_number(seed);
        for (int i = 0; i < n; i++) J[i][k] = random_number(seed);
    }
    for (int i = 0; i < n; i++) {
        s->q[i] = 0;
        for (int k = 0; k < freedoms; k++) s->q[i] += J[i][k] * v[k];
        for (int j = 0; j < n; j++) {
            s->W[i * n + j] = 0;
            for (int k = 0; k < freedoms; k++) s->W[i * n + j] += J[i][k] * mass[k] * J[j][k];
            s->W[i * n + j] *= 1 + skew * random_number(seed);
        }
    }
}

/* Points the problem at the sample's own arrays; r starts at zero. */
static inline void finish(Sample *s) {
    s->problem.W = s->W;
    s->problem.stride = s->problem.rows;
    s->problem.q = s->q;
    s->problem.block = s->block;
    memset(s->r, 0, sizeof s->r);
    free(s->scratch);
    s->scratch = malloc(bri_solver_scratch(&s->problem) * sizeof(double));
}

/* A square table, side 1 m and 10 kg, on four legs (or with `copies` contacts at each), moving at v: rank 6. */
static inline void make_table(Sample *s, int copies, double mu, const double v[6]) {
    const double mass[6] = {0.1, 0.1, 0.1, 0.6, 0.6, 0.6};
    static double J[MOST_ROWS][6];
    *s = (Sample){.scratch = s->scratch};
    for (int k = 0; k < 4 * copies; k++) {
        double p[3] = {k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, -0.4};
        for (int i = 0; i < 3; i++) {
            double e[3] = {i == 1, i == 2, i == 0};
            for (int j = 0; j < 3; j++) {
                J[3 * k + i][j] = e[j];
                J[3 * k + i][3 + j] = p[(j + 1) % 3] * e[(j + 2) % 3] - p[(j + 2) % 3] * e[(j + 1) % 3];
            }
        }
        add_block(s, cone(3, mu));
    }
    int n = s->problem.rows;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 6; k++) {
            s->q[i] += J[i][k] * v[k];
            for (int j = 0; j < n; j++) s->W[i * n + j] += J[i][k] * mass[k] * J[j][k];
        }
    finish(s);
}

#endif
