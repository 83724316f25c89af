/* box_support.h: random problems of free and box rows, and solvers with memory of their own. */
#ifndef TESTS_BOX_SUPPORT_H
#define TESTS_BOX_SUPPORT_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/solvers.h"

enum { MOST = 64 };

typedef BriAnswer (*Method)(const BriProblem *, double, double *, double *, BriSolverReport *);

/* Numbers in [-1, 1), the same on every machine. */
typedef struct Dice {
    uint64_t state;
} Dice;

static inline double roll(Dice *dice) {
    dice->state = dice->state * 6364136223846793005u + 1442695040888963407u;
    return (double)(dice->state >> 11) * 0x1p-52 - 1;
}

typedef struct Boxes {
    double W[MOST * MOST], q[MOST], r[MOST], u[MOST];
    BriBlock block[MOST];
    BriProblem problem;
    BriSolverReport report;
} Boxes;

/* n rows of 0 <= r _|_ u >= 0, W and q zero. */
static inline Boxes *make_boxes(int n) {
    Boxes *b = calloc(1, sizeof *b);
    for (int i = 0; i < n; i++) b->block[i] = (BriBlock){.set = BRI_SET_BOX, .first = i, .rows = 1, .upper = INFINITY};
    b->problem = (BriProblem){.rows = n, .W = b->W, .stride = n, .q = b->q, .blocks = n, .block = b->block};
    return b;
}

static inline double *at(Boxes *b, int i, int j) { return &b->W[i * b->problem.rows + j]; }

/* W = B B^T / rank + skew + shift I: semidefinite of this rank without the shift. */
static inline void fill_semidefinite(Boxes *b, Dice *dice, int rank, double skew, double shift) {
    int n = b->problem.rows;
    double B[MOST][MOST];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < rank; k++) B[i][k] = roll(dice);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0, s = i == j ? 0 : skew * roll(dice);
            for (int k = 0; k < rank; k++) sum += B[i][k] * B[j][k] / rank;
            *at(b, i, j) = sum + s + (i == j ? shift : 0);
            *at(b, j, i) = sum - s + (i == j ? shift : 0);
        }
}

/* From r = 0. The memory behind the scratch is watched. */
static inline BriAnswer run(Boxes *b, Method method, double tolerance) {
    size_t count = bri_boxes_scratch(&b->problem);
    double *scratch = malloc((count + 1) * sizeof *scratch);
    memset(scratch, 0xA5, (count + 1) * sizeof *scratch);
    memset(b->r, 0, sizeof b->r);
    BriAnswer answer = method(&b->problem, tolerance, b->r, scratch, &b->report);
    double mark;
    memset(&mark, 0xA5, sizeof mark);
    if (memcmp(&scratch[count], &mark, sizeof mark) != 0) abort();
    free(scratch);
    bri_problem_judge(&b->problem, b->r, b->u);
    return answer;
}

#endif
