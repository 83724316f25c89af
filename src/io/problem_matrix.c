/* problem_matrix.c: matrices of problem files (problem_text.c has the formats). */
#include "io/problem_matrix.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 50000000 }; /* rows and columns */

typedef BriTokens Tokens;

bool bri_matrix_fits(Tokens *t, int64_t numbers, const char *what) {
    if (numbers <= (int64_t)((t->size - t->at) / 2) + 1) return true;
    return bri_tokens_refuse(t,
                             "%s needs %lld numbers, but the file has only %lld bytes left; it is cut off, or its "
                             "sizes are wrong",
                             what, (long long)numbers, (long long)(t->size - t->at));
}

bool bri_matrix_read_dense(Tokens *t, int n, double *W) {
    int rows, columns;
    if (!bri_tokens_int(t, "the matrix' rows once more", 0, INT32_MAX, &rows)) return false;
    if (!bri_tokens_int(t, "the matrix' columns once more", 0, INT32_MAX, &columns)) return false;
    if (rows != n || columns != n)
        return bri_tokens_refuse(t, "the matrix is %d x %d the second time, %d x %d the first", rows, columns, n, n);
    if (!bri_matrix_fits(t, (int64_t)n * n, "the matrix")) return false;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (!bri_tokens_number(t, "an entry of the matrix", &W[(size_t)i * (size_t)n + (size_t)j])) return false;
    return true;
}

/* Running ends: rising, the last is n. */
static bool read_ends(Tokens *t, const char *what, int count, int n, int *ends) {
    for (int k = 0; k < count; k++)
        if (!bri_tokens_int(t, what, k ? ends[k - 1] + 1 : 1, n, &ends[k])) return false;
    return (count > 0 && ends[count - 1] == n) || bri_tokens_refuse(t, "the last of %s must be %d", what, n);
}

bool bri_add_entry(const BrAllocator *allocator, BriEntries *list, int row, int column, double value) {
    if (list->count == list->capacity) {
        int64_t wanted = list->capacity ? 2 * list->capacity : 1024;
        BriEntry *more = wanted < INT32_MAX ? bri_allocate(allocator, (size_t)wanted, sizeof *more) : NULL;
        if (!more) return false;
        if (list->count) memcpy(more, list->entry, (size_t)list->count * sizeof *more);
        bri_release(allocator, list->entry);
        list->entry = more;
        list->capacity = wanted;
    }
    list->entry[list->count++] = (BriEntry){row, column, value};
    return true;
}

static bool add(Tokens *t, BriEntries *list, int row, int column, double value) {
    return bri_add_entry(t->allocator, list, row, column, value) || bri_tokens_no_memory(t);
}

static bool read_block(Tokens *t, int number, const int *row_end, const int *column_end, int row, int column,
                       BriEntries *list) {
    int found, top = row ? row_end[row - 1] : 0, left = column ? column_end[column - 1] : 0;
    if (!bri_tokens_int(t, "the block's number", number, number, &found)) return false;
    for (int j = left; j < column_end[column]; j++)
        for (int i = top; i < row_end[row]; i++) {
            double value;
            if (!bri_tokens_number(t, "an entry of a block", &value) || !add(t, list, i, j, value)) return false;
        }
    return true;
}

/* `index`: 2 m + n + blocks + 2 integers. */
static bool read_block_lists(Tokens *t, int m, int n, int blocks, int rows, int columns, int *index, BriEntries *list) {
    int *row_end = index, *column_end = row_end + m, *start = column_end + n, *column = start + m + 1, starts, length;
    if (!read_ends(t, "the row ends", rows, m, row_end) || !read_ends(t, "the column ends", columns, n, column_end))
        return false;
    if (!bri_tokens_int(t, "the length of index1", rows + 1, rows + 1, &starts)) return false;
    if (!bri_tokens_int(t, "the length of index2", blocks, blocks, &length)) return false;
    for (int k = 0; k <= rows; k++)
        if (!bri_tokens_int(t, "an entry of index1", k ? start[k - 1] : 0, k == 0 ? 0 : blocks, &start[k]))
            return false;
    if (start[rows] != blocks) return bri_tokens_refuse(t, "index1 must end with %d, the number of blocks", blocks);
    for (int k = 0; k < blocks; k++)
        if (!bri_tokens_int(t, "an entry of index2", 0, columns - 1, &column[k])) return false;
    for (int row = 0; row < rows; row++)
        for (int k = start[row]; k < start[row + 1]; k++)
            if (!read_block(t, k, row_end, column_end, row, column[k], list)) return false;
    return true;
}

static bool read_blocks(Tokens *t, int m, int n, BriEntries *list) {
    int blocks, rows, columns;
    if (!bri_tokens_int(t, "the number of blocks", 0, INT32_MAX, &blocks)) return false;
    if (!bri_tokens_int(t, "the number of block rows", 1, m, &rows)) return false;
    if (!bri_tokens_int(t, "the number of block columns", 1, n, &columns)) return false;
    if (!bri_matrix_fits(t, (int64_t)2 * blocks + rows + columns, "the list of blocks")) return false;
    int *index = bri_allocate(t->allocator, 2 * (size_t)m + (size_t)n + (size_t)blocks + 2, sizeof *index);
    if (!index) return bri_tokens_no_memory(t);
    bool fine = read_block_lists(t, m, n, blocks, rows, columns, index, list);
    bri_release(t->allocator, index);
    return fine;
}

static bool read_entry(Tokens *t, int i, int j, BriEntries *list) {
    double value;
    return bri_tokens_word(t, ":") && bri_tokens_number(t, "an entry of the matrix", &value) &&
           add(t, list, i, j, value);
}

static bool read_triplets(Tokens *t, int m, int n, int entries, BriEntries *list) {
    int i, j;
    for (int k = 0; k < entries; k++)
        if (!bri_tokens_int(t, "an entry's row", 0, m - 1, &i) ||
            !bri_tokens_int(t, "an entry's column", 0, n - 1, &j) || !read_entry(t, i, j, list))
            return false;
    return true;
}

/* "col j : locations a to b", then "i : x" for each entry. */
static bool read_columns(Tokens *t, int m, int n, int entries, BriEntries *list) {
    int found, begin = 0, end, i;
    for (int j = 0; j < n; j++) {
        if (!bri_tokens_word(t, "col") || !bri_tokens_int(t, "the column's number", j, j, &found)) return false;
        if (!bri_tokens_word(t, ":") || !bri_tokens_word(t, "locations")) return false;
        if (!bri_tokens_int(t, "the column's first location", begin, begin, &found)) return false;
        if (!bri_tokens_word(t, "to") || !bri_tokens_int(t, "the column's last location", begin - 1, entries - 1, &end))
            return false;
        for (; begin <= end; begin++)
            if (!bri_tokens_int(t, "an entry's row", 0, m - 1, &i) || !read_entry(t, i, j, list)) return false;
    }
    return begin == entries || bri_tokens_refuse(t, "the columns hold %d entries, not nnz = %d", begin, entries);
}

static bool read_csparse(Tokens *t, int m, int n, BriEntries *list) {
    int origin, most, entries;
    char size[48];
    snprintf(size, sizeof size, "%d-by-%d,", m, n);
    if (!bri_tokens_int(t, "the sparse matrix' origin", 1, 2, &origin) || !bri_tokens_word(t, "CSparse")) return false;
    bri_tokens_skip_line(t);
    if (origin == 1 && !bri_tokens_word(t, "triplet:")) return false;
    if (!bri_tokens_word(t, size) || !bri_tokens_word(t, "nzmax:")) return false;
    if (!bri_tokens_int(t, "nzmax", 0, INT32_MAX, &most) || !bri_tokens_word(t, "nnz:")) return false;
    if (!bri_tokens_int(t, "nnz", 0, INT32_MAX, &entries)) return false;
    if (!bri_matrix_fits(t, (int64_t)2 * entries, "the list of entries")) return false;
    bri_tokens_skip_line(t); /* ", 1-norm: v" */
    return origin == 1 ? read_triplets(t, m, n, entries, list) : read_columns(t, m, n, entries, list);
}

/* Zeros of a dense matrix are no entries. */
static bool read_full(Tokens *t, int m, int n, BriEntries *list) {
    int rows, columns;
    double value;
    if (!bri_tokens_int(t, "the matrix' rows once more", m, m, &rows)) return false;
    if (!bri_tokens_int(t, "the matrix' columns once more", n, n, &columns)) return false;
    if (!bri_matrix_fits(t, (int64_t)m * n, "the matrix")) return false;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            if (!bri_tokens_number(t, "an entry of the matrix", &value)) return false;
            if (value != 0 && !add(t, list, i, j, value)) return false;
        }
    return true;
}

bool bri_matrix_start(Tokens *t, int *storage, int *rows, int *columns) {
    return bri_tokens_int(t, "the matrix' storage (0 dense, 1 blocks, 2 sparse)", 0, 2, storage) &&
           bri_tokens_int(t, "the matrix' rows", 0, INT32_MAX, rows) &&
           bri_tokens_int(t, "the matrix' columns", 0, INT32_MAX, columns);
}

bool bri_matrix_read(Tokens *t, int storage, int rows, int columns, BriEntries *list) {
    if (rows > MOST || columns > MOST)
        return bri_tokens_refuse(t, "the matrix is %d x %d; at most %d rows are read", rows, columns, MOST);
    return storage == 0   ? read_full(t, rows, columns, list)
           : storage == 1 ? read_blocks(t, rows, columns, list)
                          : read_csparse(t, rows, columns, list);
}
