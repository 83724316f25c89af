/* problem_matrix.h: matrices of problem files, and what global problems make of theirs. */
#ifndef BRI_PROBLEM_MATRIX_H
#define BRI_PROBLEM_MATRIX_H

#include "io/problem_tokens.h"
#include "problem/sparse.h"

/* Entries as they come. */
typedef struct BriEntries {
    int64_t count, capacity;
    BriEntry *entry;
} BriEntries;

/* false: no memory. */
bool bri_add_entry(const BrAllocator *allocator, BriEntries *list, int row, int column, double value);

/* Can so many numbers follow? Refused if the file is too short for them. */
bool bri_matrix_fits(BriTokens *t, int64_t numbers, const char *what);

/* Storage and size; then all entries, or, of a dense square one, all numbers by rows. */
bool bri_matrix_start(BriTokens *t, int *storage, int *rows, int *columns);
bool bri_matrix_read(BriTokens *t, int storage, int rows, int columns, BriEntries *list);
bool bri_matrix_read_dense(BriTokens *t, int n, double *W);

/* A global problem: M v = f + H r, u = H^T v + b. */
typedef struct BriGlobal {
    int freedoms, rows; /* of M; columns of H */
    BriEntries M, H;
    const double *f; /* freedoms */
} BriGlobal;

/* W = H^T M^-1 H into `W`, and H^T M^-1 f added to q, which is b. Returns NULL, or what stands against it;
 * no memory: BRI_NO_ROOM. */
#define BRI_NO_ROOM "no memory"
const char *bri_condense(const BrAllocator *allocator, const BriGlobal *global, double *q, BriEntries *W);

#endif
