/* sparse.h: the contact problem (7.1) whose W has blocks only where two contacts act on the same body: what files of
 * thousands of contacts hold. There are no bodies in it, so W stands for itself, block row by block row. */
#ifndef BRI_SPARSE_H
#define BRI_SPARSE_H

#include "problem/problem.h"

typedef struct BriSparse {
    int rows, blocks;
    const double *q;       /* rows */
    const BriBlock *block; /* in order, without holes */
    const int *begin;      /* per block and one more: its range of places; a place is a block of W that is there */
    const int *column;     /* per place: the other block, rising within a range */
    const int64_t *at;     /* per place: where its numbers begin in W, by rows */
    const int *diagonal;   /* per block: the place of its own part; there always is one */
    const double *W;
    BriBudget *budget; /* NULL: no end */
} BriSparse;

/* u = W r + q of one block, or of all. */
void bri_sparse_velocity(const BriSparse *problem, int block, const double *r, double *u);
void bri_sparse_velocities(const BriSparse *problem, const double *r, double *u);

/* The block's own part of W, by rows without gaps. */
static inline const double *bri_sparse_diagonal(const BriSparse *problem, int block) {
    return problem->W + problem->at[problem->diagonal[block]];
}

/* rho of (7.2). */
double bri_sparse_scale(const BriSparse *problem, int block);

/* As bri_problem_judge and bri_problem_rounding, which these agree with to the last bit. */
BriCertificate bri_sparse_judge(const BriSparse *problem, const double *r, double *u);
double bri_sparse_rounding(const BriSparse *problem, const double *r);

/* W with all its zeros, rows x rows by rows. */
void bri_sparse_spread(const BriSparse *problem, double *W);

/* An entry of W by row and column. */
typedef struct BriEntry {
    int row, column;
    double value;
} BriEntry;

/* Room for a sparse W: one allocation, released as `room`. */
typedef struct BriSparseRoom {
    void *room;
    int *begin, *column, *diagonal;
    int64_t *at;
    double *W;
} BriSparseRoom;

/* W from its entries; those of the same place add up, in their order. `block` is in order, without holes. false: no
 * memory. */
bool bri_sparse_build(const BrAllocator *allocator, int blocks, const BriBlock *block, int64_t entries,
                      const BriEntry *entry, BriSparseRoom *room);

/* The problem with that W in place of its own. */
BriSparse bri_sparse_of(const BriProblem *problem, const BriSparseRoom *room);

#endif
