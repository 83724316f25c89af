/* masses.h: what the matrices of networks are made of: M + sum of outer products. */
#ifndef BRI_MASSES_H
#define BRI_MASSES_H

#include "linalg/block_cholesky.h"
#include "solvers/local.h"

/* to += left right^T */
static inline void bri_add_outer(const double *left, const double *right, double *to) {
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) to[6 * i + j] += left[i] * right[j];
}

static inline void bri_add_masses(const BriNetwork *n, BriCholesky *layout) {
    for (int i = 0; i < n->nodes; i++) {
        double M[36] = {0};
        for (int j = 0; j < 3; j++) {
            M[7 * j] = n->mass[i];
            for (int l = 0; l < 3; l++) M[6 * (j + 3) + l + 3] = n->inertia[9 * i + 3 * j + l];
        }
        bri_cholesky_add_node(layout, i, M);
    }
}

#endif
