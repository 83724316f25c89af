/* block_lu.h: sparse factorization A = L U of matrices made of 6 x 6 blocks whose graph is symmetric, their numbers
 * not. Order and layout are those of block_cholesky.h, of A + A^T; U is kept transposed beside L, so that both are panels
 * of the same rows.
 *
 * Rows are exchanged inside the pivots' blocks only: it is for matrices close to positive ones. A pivot that has lost all
 * its digits is replaced by a small one; who needs an exact answer refines it, A being still there. */
#ifndef BRI_BLOCK_LU_H
#define BRI_BLOCK_LU_H

#include "linalg/block_cholesky.h"

/* All zero is empty. */
typedef struct BriBlockLu {
    BriCholesky layout; /* its `matrix`: A of nodes, and A[a][b] of edges; its `factor`: L, with ones on its diagonal */
    double *lower;      /* per edge: A[b][a] transposed */
    double *upper;      /* U^T in the layout of L */
    double *pivot;      /* per position: less the inverse of its block, 36 by rows */
    int64_t lower_capacity, upper_capacity, pivot_capacity;
    int replaced; /* pivots, in the last factor */
} BriBlockLu;

/* As bri_cholesky_analyse. */
BriAnalysis bri_block_lu_analyse(BriBlockLu *lu, const BrAllocator *allocator, int nodes, int edges,
                                 const int (*edge)[2], int most_blocks);
/* As bri_cholesky_make_room and bri_cholesky_give_back, of a layout that is done. */
BriAnalysis bri_block_lu_make_room(BriBlockLu *lu, const BrAllocator *allocator);
void bri_block_lu_give_back(BriBlockLu *lu, const BrAllocator *allocator);
void bri_block_lu_release(BriBlockLu *lu, const BrAllocator *allocator);

/* A: to zero, then fill. Blocks are 6 x 6 by rows: of a node; of an edge A[a][b] and A[b][a] transposed. */
void bri_block_lu_clear(BriBlockLu *lu);
static inline double *bri_block_lu_node(BriBlockLu *lu, int node) { return lu->layout.matrix + 36 * (ptrdiff_t)node; }
static inline double *bri_block_lu_edge(BriBlockLu *lu, int edge) {
    return lu->layout.matrix + 36 * ((ptrdiff_t)lu->layout.nodes + edge);
}
static inline double *bri_block_lu_turned(BriBlockLu *lu, int edge) { return lu->lower + 36 * (ptrdiff_t)edge; }

/* y = A x, 6 per node; x and y are not the same. Needs no factor. */
void bri_block_lu_multiply(const BriBlockLu *lu, const double *x, double *y);

/* A = L U, from a copy of A. false: a number was none. */
bool bri_block_lu_factor(BriBlockLu *lu);
/* x <- (L U)^-1 x, 6 per node. One at a time: the scratch is the layout's own. */
void bri_block_lu_solve(const BriBlockLu *lu, double *x);

#endif
