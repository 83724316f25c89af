/* network.h: the contact problem without its matrix, for large scenes: bodies as nodes, blocks of rows between two of
 * them.
 *
 *     v = v_free + M^-1 D^T r,     u = C v + q,     each block of r and u as in (7.1)                           (7.6)
 *
 * so W = C M^-1 D^T is never formed. A row has 12 numbers: 6 (force, moment) for each of its two nodes. */
#ifndef BRI_NETWORK_H
#define BRI_NETWORK_H

#include "problem/bundles.h"
#include "problem/problem.h"

typedef struct BriNetwork {
    int nodes;
    const double *inverse_mass;    /* per node, 1/kg */
    const double *inverse_inertia; /* 9 per node, by rows, symmetric, 1/(kg m^2) */
    int rows, blocks;
    const BriBlock *block;
    const BriBundles *bundles;               /* of blocks; NULL: they are asked one after the other */
    const int (*node)[2];                    /* per block; two different nodes, -1: immovable */
    const double *C;                         /* rows x 12: conditions */
    const double *D;                         /* rows x 12: directions of the impulses; may be the same array */
    const double *const *C_at, *const *D_at; /* or, if not NULL, per block where its rows stand */
    const double *q;                         /* rows, m/s */
    BriBudget *budget;                       /* NULL: no end */
    const double *scale;                     /* per block: rho of (7.2); NULL: found when it is asked for */
    int threads; /* that may work on it; below 2: the caller's own. Change speed, not bits */
    bool creeps; /* some cone does */
    bool narrow; /* no vectors of four, even where the CPU has them: changes speed, not bits */
    /* for those who factor a matrix: */
    const double *mass, *inertia; /* per node, 1 and 9: kg, kg m^2 */
    int edges;
    const int (*edge)[2];     /* nodes that some block joins */
    const int *block_edge;    /* per block; -1: one of its nodes is immovable */
    const double *compliance; /* rows: of boxes, u + compliance r; NULL: none */
} BriNetwork;

/* Rows of a block, 12 numbers each. */
static inline const double *bri_network_C(const BriNetwork *network, int block) {
    return network->C_at ? network->C_at[block] : network->C + 12 * (size_t)network->block[block].first;
}
static inline const double *bri_network_D(const BriNetwork *network, int block) {
    return network->D_at ? network->D_at[block] : network->D + 12 * (size_t)network->block[block].first;
}

/* Do joints, which come last, stand behind contacts? */
static inline bool bri_network_has_joints(const BriNetwork *network) {
    const BriBlock *block = network->block;
    return network->blocks > 0 && block[0].set != BRI_SET_FREE && block[network->blocks - 1].set == BRI_SET_FREE;
}

/* v += M^-1 D^T r; v has 6 per node. */
void bri_network_apply(const BriNetwork *network, const double *r, double *v);

/* The block's own part of W, rows x rows without gaps. */
void bri_network_diagonal(const BriNetwork *network, int block, double *W);

/* The same from its rows' responses. */
void bri_network_couple(const BriNetwork *network, int block, const double *response, double *W);

/* u = C v + q, one block. */
void bri_network_velocity(const BriNetwork *network, int block, const double *v, double *u);

/* M^-1 D^T of one row of a block, counted from its first, 12 numbers; zero at an immovable node. */
void bri_network_response(const BriNetwork *network, int block, int row, double *response);

/* rho of (7.2), kg. */
double bri_network_scale(const BriNetwork *network, int block);

/* Of a block's own row, if it is a box. */
double bri_network_compliance(const BriNetwork *network, int block);

/* Judges r; `v` is the final velocity, r applied. `relative` is not found. */
BriCertificate bri_network_judge(const BriNetwork *network, const double *r, const double *v);

#endif
