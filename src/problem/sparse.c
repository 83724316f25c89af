/* sparse.c: see sparse.h. */
#include "problem/sparse.h"

#include "math/vec.h"

#include <string.h>

void bri_sparse_velocity(const BriSparse *problem, int block, const double *r, double *u) {
    int rows = problem->block[block].rows;
    double sum[6] = {0};
    for (int p = problem->begin[block]; p < problem->begin[block + 1]; p++) {
        const BriBlock *other = &problem->block[problem->column[p]];
        const double *W = problem->W + problem->at[p], *x = r + other->first;
        if (rows == 3 && other->rows == 3) {
            for (int i = 0; i < 3; i++) sum[i] = sum[i] + W[3 * i] * x[0] + W[3 * i + 1] * x[1] + W[3 * i + 2] * x[2];
            continue;
        }
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < other->rows; j++) sum[i] += *W++ * x[j];
    }
    const double *q = problem->q + problem->block[block].first;
    for (int i = 0; i < rows; i++) u[i] = sum[i] + q[i];
}

void bri_sparse_velocities(const BriSparse *problem, const double *r, double *u) {
    for (int k = 0; k < problem->blocks; k++) bri_sparse_velocity(problem, k, r, u + problem->block[k].first);
}

double bri_sparse_scale(const BriSparse *problem, int block) {
    const double *W = bri_sparse_diagonal(problem, block);
    int rows = problem->block[block].rows;
    double trace = 0;
    for (int i = 0; i < rows; i++) trace += W[i * rows + i];
    double rho = rows / trace;
    return trace > 0 && bri_is_finite(rho) ? rho : 1;
}

double bri_sparse_rounding(const BriSparse *problem, const double *r) {
    double push = 0;
    for (int k = 0; k < problem->blocks; k++)
        push = bri_max(push, bri_abs(r[problem->block[k].first]) / bri_sparse_scale(problem, k));
    return BRI_ROUNDED * push;
}

BriCertificate bri_sparse_judge(const BriSparse *problem, const double *r, double *u) {
    BriCertificate c = {.worst = -1};
    double sum = 0, norm = 0;
    bri_sparse_velocities(problem, r, u);
    for (int k = 0; k < problem->blocks; k++) {
        const BriBlock *block = &problem->block[k];
        const double *own = r + block->first, *its = u + block->first;
        double F = bri_block_residual(block, own, its, bri_sparse_scale(problem, k));
        double plain = bri_block_residual(block, own, its, 1);
        if (F > c.residual || c.worst < 0) c.residual = F, c.worst = k;
        sum += plain * plain;
    }
    for (int i = 0; i < problem->rows; i++) norm += problem->q[i] * problem->q[i];
    c.relative = bri_sqrt(sum) / (norm > 0 ? bri_sqrt(norm) : 1);
    if (!(c.relative < __builtin_inf()) || !(c.residual < __builtin_inf())) c.relative = c.residual = __builtin_inf();
    return c;
}

void bri_sparse_spread(const BriSparse *problem, double *W) {
    size_t n = (size_t)problem->rows;
    memset(W, 0, n * n * sizeof *W);
    for (int k = 0; k < problem->blocks; k++)
        for (int p = problem->begin[k]; p < problem->begin[k + 1]; p++) {
            const BriBlock *own = &problem->block[k], *other = &problem->block[problem->column[p]];
            const double *from = problem->W + problem->at[p];
            for (int i = own->first; i < own->first + own->rows; i++, from += other->rows)
                memcpy(W + (size_t)i * n + (size_t)other->first, from, (size_t)other->rows * sizeof *W);
        }
}

/* ------------------------------------------------------------------ from entries */

typedef struct Build {
    int blocks;
    const BriBlock *block;
    const BriEntry *entry;
    int *block_of;  /* per row */
    int *sorted;    /* entries by block row, else in their order */
    int64_t *first; /* per block and one more: range in `sorted` */
    int *place;     /* per block: the place of the block row at hand where it is the column; -1: none */
    int *found;     /* block columns of the block row at hand */
} Build;

static void sort_entries(Build *b, int64_t entries) {
    for (int k = 0; k < b->blocks; k++)
        for (int i = 0; i < b->block[k].rows; i++) b->block_of[b->block[k].first + i] = k;
    memset(b->first, 0, ((size_t)b->blocks + 1) * sizeof *b->first);
    for (int64_t e = 0; e < entries; e++) b->first[b->block_of[b->entry[e].row] + 1]++;
    for (int k = 0; k < b->blocks; k++) b->first[k + 1] += b->first[k];
    for (int64_t e = 0; e < entries; e++) b->sorted[b->first[b->block_of[b->entry[e].row]]++] = (int)e;
    for (int k = b->blocks; k > 0; k--) b->first[k] = b->first[k - 1];
    b->first[0] = 0;
    for (int k = 0; k < b->blocks; k++) b->place[k] = -1;
}

/* The block columns of a block row, rising, its own among them. */
static int list_columns(Build *b, int row) {
    int count = 0;
    b->found[count++] = row;
    b->place[row] = 0;
    for (int64_t s = b->first[row]; s < b->first[row + 1]; s++) {
        int column = b->block_of[b->entry[b->sorted[s]].column];
        if (b->place[column] >= 0) continue;
        b->place[column] = 0;
        b->found[count++] = column;
    }
    for (int gap = count / 2; gap > 0; gap /= 2) /* Shell's sort: rows are short, now and then there is a long one */
        for (int i = gap; i < count; i++)
            for (int j = i; j >= gap && b->found[j - gap] > b->found[j]; j -= gap) {
                int swap = b->found[j];
                b->found[j] = b->found[j - gap];
                b->found[j - gap] = swap;
            }
    return count;
}

static void forget_columns(Build *b, int count) {
    for (int i = 0; i < count; i++) b->place[b->found[i]] = -1;
}

static void fill_row(Build *b, int row, int count, BriSparseRoom *room) {
    int begin = room->begin[row];
    int64_t at = row ? room->at[begin - 1] : 0; /* of the last place before: its numbers end here */
    if (row) at += b->block[row - 1].rows * b->block[room->column[begin - 1]].rows;
    for (int i = 0; i < count; i++) {
        int column = b->found[i];
        b->place[column] = begin + i;
        room->column[begin + i] = column;
        room->at[begin + i] = at;
        at += b->block[row].rows * b->block[column].rows;
    }
    room->diagonal[row] = b->place[row];
    for (int64_t s = b->first[row]; s < b->first[row + 1]; s++) {
        const BriEntry *e = &b->entry[b->sorted[s]];
        const BriBlock *other = &b->block[b->block_of[e->column]];
        double *W = room->W + room->at[b->place[b->block_of[e->column]]];
        W[(e->row - b->block[row].first) * other->rows + e->column - other->first] += e->value;
    }
}

static bool make_room(const BrAllocator *allocator, int blocks, int64_t places, int64_t numbers, BriSparseRoom *room) {
    size_t n = (size_t)blocks, p = (size_t)places;
    size_t bytes = (size_t)numbers * sizeof(double) + p * sizeof(int64_t) + (p + 2 * n + 1) * sizeof(int);
    char *all = room->room = bri_allocate(allocator, bytes, 1);
    if (!all) return false;
    room->W = (double *)(void *)all;
    room->at = (int64_t *)(void *)(room->W + numbers);
    room->column = (int *)(void *)(room->at + p);
    room->diagonal = room->column + p;
    room->begin = room->diagonal + n;
    return true;
}

static bool build(Build *b, const BrAllocator *allocator, int64_t entries, BriSparseRoom *room) {
    int64_t places = 0, numbers = 0;
    sort_entries(b, entries);
    for (int k = 0; k < b->blocks; k++) {
        int count = list_columns(b, k);
        places += count;
        for (int i = 0; i < count; i++) numbers += b->block[k].rows * b->block[b->found[i]].rows;
        forget_columns(b, count);
    }
    if (places > INT32_MAX || !make_room(allocator, b->blocks, places, numbers, room)) return false;
    for (int k = 0; k < b->blocks; k++) {
        int count = list_columns(b, k);
        fill_row(b, k, count, room);
        forget_columns(b, count);
        room->begin[k + 1] = room->begin[k] + count;
    }
    return true;
}

bool bri_sparse_build(const BrAllocator *allocator, int blocks, const BriBlock *block, int64_t entries,
                      const BriEntry *entry, BriSparseRoom *room) {
    size_t n = (size_t)blocks, rows = blocks ? (size_t)(block[n - 1].first + block[n - 1].rows) : 0;
    Build b = {.blocks = blocks, .block = block, .entry = entry};
    b.first = bri_allocate(allocator, (n + 1) * sizeof *b.first + (rows + (size_t)entries + 2 * n) * sizeof(int), 1);
    if (!b.first) return false;
    b.block_of = (int *)(void *)(b.first + n + 1);
    b.sorted = b.block_of + rows;
    b.place = b.sorted + entries;
    b.found = b.place + n;
    bool fine = build(&b, allocator, entries, room);
    bri_release(allocator, b.first);
    return fine;
}

BriSparse bri_sparse_of(const BriProblem *problem, const BriSparseRoom *room) {
    return (BriSparse){.rows = problem->rows,
                       .blocks = problem->blocks,
                       .q = problem->q,
                       .block = problem->block,
                       .begin = room->begin,
                       .column = room->column,
                       .at = room->at,
                       .diagonal = room->diagonal,
                       .W = room->W,
                       .budget = problem->budget};
}
