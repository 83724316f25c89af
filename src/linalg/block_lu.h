/* block_lu.h: sparse factorization A = L U of matrices made of 6 x 6 blocks that are symmetric only in where their blocks
 * stand: contacts that slide push along other directions than those they ask about. It uses the layout of a Cholesky
 * factor, whose arrays hold A's diagonal and upper blocks and then L; U, turned, lies as L does. No pivoting: a pivot
 * that is too small is refused. */
#ifndef BRI_BLOCK_LU_H
#define BRI_BLOCK_LU_H

#include "linalg/block_cholesky.h"

/* All zero is empty. */
typedef struct BriBlockLu {
    BriCholesky *layout;
    double *turned; /* per edge: A[b][a]^T, by rows; A[a][b] is the layout's */
    double *upper;  /* U^T, as the layout's factor */
    int64_t turned_capacity, upper_capacity;
} BriBlockLu;

/* Room for a matrix on the graph that `layout` was analysed for. false: no memory. */
bool bri_block_lu_reserve(BriBlockLu *lu, BriCholesky *layout, const BrAllocator *allocator);
void bri_block_lu_release(BriBlockLu *lu, const BrAllocator *allocator);

/* A: to zero, then add; nodes as with Cholesky's. */
void bri_block_lu_clear(BriBlockLu *lu);
/* A[a][b] += ab and A[b][a] += ba_turned^T, with a, b = edge[edge] */
void bri_block_lu_add_edge(BriBlockLu *lu, int edge, const double *ab, const double *ba_turned);

/* false: a pivot was zero (or no number), and nothing may be solved. Twice the work of Cholesky's. */
bool bri_block_lu_factor(BriBlockLu *lu);
/* x <- A^-1 x, 6 per node. */
void bri_block_lu_solve(const BriBlockLu *lu, double *x);

#endif
