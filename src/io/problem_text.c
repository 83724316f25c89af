/* problem_text.c: problem files. Numbers separated by white space; line breaks mean nothing, indices start at 0.
 *
 *     lcp        n  M  q(n)                                              remarks may follow
 *     relay      n  M  q(n)  lower(n)  upper(n)
 *     mlcp       has_M  has_blocks  n  m  row ends from 0 to n+m  0 or 1 per group (1: complementarity)  M  q(n+m)
 *     friction   dimension  contacts  W  q  mu(contacts)                 a flag may follow
 *     a matrix   storage  rows  columns, then
 *                0: rows  columns  numbers DOWN THE COLUMNS, whatever the line breaks look like
 *                1: blocks  block rows  block columns  row ends  column ends  lengths and contents of the two index
 *                   arrays, then per block its number and its entries, down the columns again
 *                2: what CSparse prints of triplets or compressed columns */
#include "io/problem_text.h"

#include "io/problem_tokens.h"
#include "math/vec.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST_ROWS = 10000000, /* sparse; a file of 1 GB ends first */
    MOST_DENSE = 6000,    /* rows: 288 MB */
    FEW_CONE_ROWS = 300,  /* of a sparse file that is made dense: Newton's elimination is then quickest so */
    FEW_BOX_ROWS = 1000   /* the same without cones: pivoting, Lemke's method and enumeration need it */
};

typedef BriTokens Tokens;

typedef struct Entries {
    int64_t count, capacity;
    BriEntry *entry;
} Entries;

static const char *const KINDS[] = {"lcp", "mlcp", "relay", "friction"};

/* ------------------------------------------------------------------ matrices */

static bool check_space(Tokens *t, int64_t numbers, const char *what) {
    if (numbers <= (int64_t)((t->size - t->at) / 2) + 1) return true;
    return bri_tokens_refuse(t,
                             "%s needs %lld numbers, but the file has only %lld bytes left; it is cut off, or its "
                             "sizes are wrong",
                             what, (long long)numbers, (long long)(t->size - t->at));
}

static bool read_dense(Tokens *t, int n, double *W) {
    int rows, columns;
    if (!bri_tokens_int(t, "the matrix' rows once more", 0, INT32_MAX, &rows)) return false;
    if (!bri_tokens_int(t, "the matrix' columns once more", 0, INT32_MAX, &columns)) return false;
    if (rows != n || columns != n)
        return bri_tokens_refuse(t, "the matrix is %d x %d the second time, %d x %d the first", rows, columns, n, n);
    if (!check_space(t, (int64_t)n * n, "the matrix")) return false;
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

/* Entries of a sparse matrix as they come. */
static bool add_entry(Tokens *t, Entries *list, int row, int column, double value) {
    if (list->count == list->capacity) {
        int64_t wanted = list->capacity ? 2 * list->capacity : 1024;
        BriEntry *more = wanted < INT32_MAX ? bri_allocate(t->allocator, (size_t)wanted, sizeof *more) : NULL;
        if (!more) return bri_tokens_no_memory(t);
        if (list->count) memcpy(more, list->entry, (size_t)list->count * sizeof *more);
        bri_release(t->allocator, list->entry);
        list->entry = more;
        list->capacity = wanted;
    }
    list->entry[list->count++] = (BriEntry){row, column, value};
    return true;
}

static bool read_block(Tokens *t, int number, const int *row_end, const int *column_end, int row, int column,
                       Entries *list) {
    int found, top = row ? row_end[row - 1] : 0, left = column ? column_end[column - 1] : 0;
    if (!bri_tokens_int(t, "the block's number", number, number, &found)) return false;
    for (int j = left; j < column_end[column]; j++)
        for (int i = top; i < row_end[row]; i++) {
            double value;
            if (!bri_tokens_number(t, "an entry of a block", &value) || !add_entry(t, list, i, j, value)) return false;
        }
    return true;
}

/* `index`: 3 n + blocks + 2 integers. */
static bool read_block_lists(Tokens *t, int n, int blocks, int rows, int columns, int *index, Entries *list) {
    int *row_end = index, *column_end = index + n, *start = index + 2 * n, *column = index + 3 * n + 1, starts, length;
    if (!read_ends(t, "the row ends", rows, n, row_end) || !read_ends(t, "the column ends", columns, n, column_end))
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

static bool read_blocks(Tokens *t, int n, Entries *list) {
    int blocks, rows, columns;
    if (!bri_tokens_int(t, "the number of blocks", 0, INT32_MAX, &blocks)) return false;
    if (!bri_tokens_int(t, "the number of block rows", 1, n, &rows)) return false;
    if (!bri_tokens_int(t, "the number of block columns", 1, n, &columns)) return false;
    if (!check_space(t, (int64_t)2 * blocks + rows + columns, "the list of blocks")) return false;
    int *index = bri_allocate(t->allocator, 3 * (size_t)n + (size_t)blocks + 2, sizeof *index);
    if (!index) return bri_tokens_no_memory(t);
    bool fine = read_block_lists(t, n, blocks, rows, columns, index, list);
    bri_release(t->allocator, index);
    return fine;
}

static bool read_entry(Tokens *t, int i, int j, Entries *list) {
    double value;
    return bri_tokens_word(t, ":") && bri_tokens_number(t, "an entry of the matrix", &value) &&
           add_entry(t, list, i, j, value);
}

static bool read_triplets(Tokens *t, int n, int entries, Entries *list) {
    int i, j;
    for (int k = 0; k < entries; k++)
        if (!bri_tokens_int(t, "an entry's row", 0, n - 1, &i) ||
            !bri_tokens_int(t, "an entry's column", 0, n - 1, &j) || !read_entry(t, i, j, list))
            return false;
    return true;
}

/* "col j : locations a to b", then "i : x" for each entry. */
static bool read_columns(Tokens *t, int n, int entries, Entries *list) {
    int found, begin = 0, end, i;
    for (int j = 0; j < n; j++) {
        if (!bri_tokens_word(t, "col") || !bri_tokens_int(t, "the column's number", j, j, &found)) return false;
        if (!bri_tokens_word(t, ":") || !bri_tokens_word(t, "locations")) return false;
        if (!bri_tokens_int(t, "the column's first location", begin, begin, &found)) return false;
        if (!bri_tokens_word(t, "to") || !bri_tokens_int(t, "the column's last location", begin - 1, entries - 1, &end))
            return false;
        for (; begin <= end; begin++)
            if (!bri_tokens_int(t, "an entry's row", 0, n - 1, &i) || !read_entry(t, i, j, list)) return false;
    }
    return begin == entries || bri_tokens_refuse(t, "the columns hold %d entries, not nnz = %d", begin, entries);
}

static bool read_csparse(Tokens *t, int n, Entries *list) {
    int origin, most, entries;
    char size[48];
    snprintf(size, sizeof size, "%d-by-%d,", n, n);
    if (!bri_tokens_int(t, "the sparse matrix' origin", 1, 2, &origin) || !bri_tokens_word(t, "CSparse")) return false;
    bri_tokens_skip_line(t);
    if (origin == 1 && !bri_tokens_word(t, "triplet:")) return false;
    if (!bri_tokens_word(t, size) || !bri_tokens_word(t, "nzmax:")) return false;
    if (!bri_tokens_int(t, "nzmax", 0, INT32_MAX, &most) || !bri_tokens_word(t, "nnz:")) return false;
    if (!bri_tokens_int(t, "nnz", 0, INT32_MAX, &entries)) return false;
    if (!check_space(t, (int64_t)2 * entries, "the list of entries")) return false;
    bri_tokens_skip_line(t); /* ", 1-norm: v" */
    return origin == 1 ? read_triplets(t, n, entries, list) : read_columns(t, n, entries, list);
}

/* Few rows are quicker dense. */
static bool spread(Tokens *t, int n, BrProblem *p) {
    BriProblem frame = p->problem;
    frame.block = p->block;
    BriSparse sparse = bri_sparse_of(&frame, &p->room);
    p->W = bri_allocate(&p->allocator, (size_t)n * (size_t)n, sizeof *p->W);
    if (!p->W) return bri_tokens_no_memory(t);
    bri_sparse_spread(&sparse, p->W);
    return true;
}

/* Dense files stay dense, sparse ones sparse. */
static bool read_stored(Tokens *t, int storage, int n, BrProblem *p) {
    if (storage == 0) {
        if (n > MOST_DENSE)
            return bri_tokens_refuse(t,
                                     "a dense matrix of %d rows is too large; at most %d are read (as blocks, or "
                                     "sparse, there may be more)",
                                     n, MOST_DENSE);
        if (!check_space(t, (int64_t)n * n, "the matrix")) return false;
        p->W = bri_allocate(&p->allocator, (size_t)n * (size_t)n, sizeof *p->W);
        return p->W ? read_dense(t, n, p->W) : bri_tokens_no_memory(t);
    }
    Entries list = {0};
    bool fine = storage == 1 ? read_blocks(t, n, &list) : read_csparse(t, n, &list);
    if (fine && !bri_sparse_build(&p->allocator, p->problem.blocks, p->block, list.count, list.entry, &p->room))
        fine = bri_tokens_no_memory(t);
    bri_release(t->allocator, list.entry);
    return fine && (n > (p->contacts ? FEW_CONE_ROWS : FEW_BOX_ROWS) || spread(t, n, p));
}

/* A square matrix of n rows into W. The blocks' rows are known. */
static bool read_matrix(Tokens *t, int n, BrProblem *p) {
    int storage, rows, columns;
    if (!bri_tokens_int(t, "the matrix' storage (0 dense, 1 blocks, 2 sparse)", 0, 2, &storage)) return false;
    if (!bri_tokens_int(t, "the matrix' rows", 0, INT32_MAX, &rows)) return false;
    if (!bri_tokens_int(t, "the matrix' columns", 0, INT32_MAX, &columns)) return false;
    if (rows != n || columns != n)
        return bri_tokens_refuse(t, "the matrix is %d x %d, but %s of this size needs %d x %d%s", rows, columns,
                                 p->kind, n, n, p->contacts ? "; global problems, with M and H, are not read" : "");
    return read_stored(t, storage, n, p);
}

/* ------------------------------------------------------------------ kinds */

static bool start_problem(Tokens *t, int rows, int blocks, BrProblem *p) {
    if (rows > MOST_ROWS) return bri_tokens_refuse(t, "the problem has %d rows; at most %d are read", rows, MOST_ROWS);
    if (rows > MOST_DENSE && !check_space(t, rows, "q")) return false;
    p->q = bri_allocate(&p->allocator, (size_t)rows, sizeof *p->q);
    p->block = bri_allocate(&p->allocator, (size_t)blocks, sizeof *p->block);
    p->problem.rows = p->problem.stride = rows;
    p->problem.blocks = blocks;
    if (!p->q || !p->block) return bri_tokens_no_memory(t);
    for (int k = 0; k < blocks; k++) p->block[k] = (BriBlock){.first = rows / blocks * k, .rows = rows / blocks};
    return true;
}

static bool read_numbers(Tokens *t, const char *what, int count, double *value) {
    for (int i = 0; i < count; i++)
        if (!bri_tokens_number(t, what, &value[i])) return false;
    return true;
}

static BriBlock make_row(int i, bool complementary) {
    return (BriBlock){complementary ? BRI_SET_BOX : BRI_SET_FREE, i, 1, 0, complementary ? __builtin_inf() : 0, 0};
}

static bool read_lcp(Tokens *t, BrProblem *p) {
    int n;
    if (!bri_tokens_int(t, "the number of unknowns", 1, INT32_MAX, &n) || !start_problem(t, n, n, p)) return false;
    if (!read_matrix(t, n, p) || !read_numbers(t, "an entry of q", n, p->q)) return false;
    for (int i = 0; i < n; i++) p->block[i] = make_row(i, true);
    return !t->guessing || !bri_tokens_number_ahead(t) ||
           bri_tokens_refuse(t, "numbers follow after q; an lcp ends there (bounds would make it a relay problem)");
}

static bool read_relay(Tokens *t, BrProblem *p) {
    int n;
    if (!bri_tokens_int(t, "the number of unknowns", 1, INT32_MAX, &n) || !start_problem(t, n, n, p)) return false;
    if (!read_matrix(t, n, p) || !read_numbers(t, "an entry of q", n, p->q)) return false;
    for (int i = 0; i < n; i++) {
        p->block[i] = make_row(i, true);
        if (!bri_tokens_bound(t, "a lower bound", &p->block[i].lower)) return false;
    }
    for (int i = 0; i < n; i++) {
        double upper, lower = p->block[i].lower;
        if (!bri_tokens_bound(t, "an upper bound", &upper)) return false;
        if (!(lower <= upper) || lower == __builtin_inf() || upper == -__builtin_inf())
            return bri_tokens_refuse(t, "row %d has the bounds %g and %g; the lower one must not be above", i, lower,
                                     upper);
        p->block[i].upper = upper;
    }
    return !t->guessing || !bri_tokens_number_ahead(t) ||
           bri_tokens_refuse(t, "numbers follow after the upper bounds; a relay problem ends there");
}

/* Groups of rows: equalities (0) or complementarity (1). */
static bool read_groups(Tokens *t, int rows, BrProblem *p) {
    int groups = 0, end = 0, complementary;
    if (!bri_tokens_int(t, "the first row end, 0", 0, 0, &end)) return false;
    while (end < rows) {
        if (!bri_tokens_int(t, "a row end", end + 1, rows, &end)) return false;
        p->block[groups++].rows = end; /* kept here until the groups' kinds are known */
    }
    int first[2] = {0, 0};
    for (int g = 0; g < groups; g++) {
        if (!bri_tokens_int(t, "a group's kind (0 equality, 1 complementarity)", 0, 1, &complementary)) return false;
        p->block[g].mu = complementary;
    }
    for (int g = groups - 1; g >= 0; g--) { /* from behind, as groups are fewer than rows */
        first[0] = g ? p->block[g - 1].rows : 0;
        first[1] = p->block[g].rows;
        bool boxes = p->block[g].mu > 0;
        for (int i = first[1] - 1; i >= first[0]; i--) p->block[i] = make_row(i, boxes);
    }
    return true;
}

static bool read_mlcp(Tokens *t, BrProblem *p) {
    int whole, split, n, m;
    if (!bri_tokens_int(t, "has_M, 0 or 1", 0, 1, &whole) || !bri_tokens_int(t, "has_blocks, 0 or 1", 0, 1, &split))
        return false;
    if (!whole) return bri_tokens_refuse(t, "the problem is stored as A, B, C, D only; this bristle needs the whole M");
    if (!bri_tokens_int(t, "the number of equalities", 0, MOST_ROWS, &n)) return false;
    if (!bri_tokens_int(t, "the number of complementary rows", n ? 0 : 1, MOST_ROWS, &m)) return false;
    if (!start_problem(t, n + m, n + m, p) || !read_groups(t, n + m, p)) return false;
    return read_matrix(t, n + m, p) && read_numbers(t, "an entry of q", n + m, p->q);
}

static bool read_friction(Tokens *t, BrProblem *p) {
    int dimension, contacts;
    if (!bri_tokens_int(t, "the dimension, 2 or 3", 2, 5, &dimension)) return false;
    if (!bri_tokens_int(t, "the number of contacts", 1, MOST_ROWS, &contacts)) return false;
    p->contacts = contacts;
    if (!start_problem(t, dimension * contacts, contacts, p) || !read_matrix(t, dimension * contacts, p)) return false;
    if (dimension > 3)
        return bri_tokens_refuse(t, "the dimension is %d; allowed are 2 and 3, as rolling problems are not read",
                                 dimension);
    if (!read_numbers(t, "an entry of q", dimension * contacts, p->q)) return false;
    for (int k = 0; k < contacts; k++) {
        double mu;
        if (!bri_tokens_number(t, "a friction coefficient", &mu)) return false;
        if (mu < 0) return bri_tokens_refuse(t, "contact %d has mu = %g; it must not be negative", k, mu);
        p->block[k] = (BriBlock){BRI_SET_CONE, dimension * k, dimension, 0, 0, mu};
    }
    double flag;
    if (bri_tokens_number_ahead(t) && bri_tokens_number(t, "a flag", &flag) && bri_tokens_number_ahead(t))
        return bri_tokens_refuse(t, "numbers follow after mu, so this is no local friction problem; global and rolling "
                                    "problems are not read");
    return true;
}

/* ------------------------------------------------------------------ the whole */

void br_problem_destroy(BrProblem *problem) {
    if (!problem) return;
    BrAllocator allocator = problem->allocator;
    bri_release(&allocator, problem->W);
    bri_release(&allocator, problem->room.room);
    bri_release(&allocator, problem->q);
    bri_release(&allocator, problem->block);
    bri_release(&allocator, problem);
}

/* The text as this kind, or NULL with the tokens' error filled. */
static BrProblem *read_as(Tokens *t, int kind) {
    static bool (*const READ[])(Tokens *, BrProblem *) = {read_lcp, read_mlcp, read_relay, read_friction};
    BrProblem *p = bri_allocate(t->allocator, 1, sizeof *p);
    t->at = 0;
    t->line = 1;
    t->kind = KINDS[kind];
    if (!p) {
        bri_tokens_no_memory(t);
        return NULL;
    }
    p->allocator = *t->allocator;
    p->kind = KINDS[kind];
    if (!READ[kind](t, p)) {
        br_problem_destroy(p);
        return NULL;
    }
    p->problem.W = p->W;
    p->problem.q = p->q;
    p->problem.block = p->block;
    p->sparse = bri_sparse_of(&p->problem, &p->room);
    return p;
}

/* The kind that the folder of the file is named after, or -1. */
static int find_folder_kind(const char *name) {
    const char *file = strrchr(name, '/');
    for (int k = 0; file && k < BRI_COUNT(KINDS); k++) {
        size_t length = strlen(KINDS[k]);
        bool fits = (size_t)(file - name) >= length && strncmp(file - length, KINDS[k], length) == 0;
        if (fits && ((size_t)(file - name) == length || file[-(ptrdiff_t)length - 1] == '/')) return k;
    }
    return -1;
}

/* Whichever kind the text can be read as; the folder's name decides if there are several. The refusal of the
 * reading that came farthest is the one to show. */
static BrProblem *guess_kind(Tokens *t, BrError *error) {
    BrProblem *found = NULL;
    BrError farthest = {0};
    size_t reached = 0;
    int folder = find_folder_kind(t->name), kinds = 0;
    t->guessing = true;
    for (int k = 0; k < BRI_COUNT(KINDS); k++) {
        BrProblem *p = read_as(t, k);
        if (!p && (t->refused_at >= reached || error->status == BR_OUT_OF_MEMORY)) {
            farthest = *error;
            reached = t->refused_at;
        }
        if (!p && error->status == BR_OUT_OF_MEMORY) break;
        kinds += p != NULL;
        if (p && (!found || k == folder)) {
            br_problem_destroy(found);
            found = p;
        } else {
            br_problem_destroy(p);
        }
    }
    bool clear = kinds == 1 || (kinds > 1 && folder >= 0 && found->kind == KINDS[folder]);
    if (clear && error->status != BR_OUT_OF_MEMORY) return found;
    br_problem_destroy(found);
    *error = farthest;
    if (kinds > 1) {
        t->line = 0;
        t->kind = NULL;
        bri_tokens_refuse(t, "the text can be read as more than one kind of problem; say which with --kind");
    }
    return NULL;
}

BrStatus br_problem_parse(const char *text, size_t size, const char *name, const char *kind,
                          const BrAllocator *allocator, BrProblem **problem, BrError *error) {
    BrError unused;
    BrAllocator standard = bri_default_allocator();
    if (!error) error = &unused;
    memset(error, 0, sizeof *error);
    *problem = NULL;
    Tokens t = {.text = text, .size = size, .name = name, .error = error};
    t.allocator = allocator && allocator->allocate ? allocator : &standard;
    int wanted = -1;
    for (int k = 0; kind && k < BRI_COUNT(KINDS); k++)
        if (strcmp(kind, KINDS[k]) == 0) wanted = k;
    if (kind && wanted < 0)
        return bri_fail(error, BR_INVALID_ARGUMENT, "there is no kind '%.40s'; allowed: lcp, mlcp, relay, friction",
                        kind);
    if (!text) return bri_fail(error, BR_INVALID_ARGUMENT, "there is no text to read a problem from");
    if (size >= 4 && memcmp(text, "\x89HDF", 4) == 0) {
        bri_tokens_refuse(&t, "this is an HDF5 file; problems are read from text only");
        return error->status;
    }
    *problem = kind ? read_as(&t, wanted) : guess_kind(&t, error);
    if (*problem) memset(error, 0, sizeof *error);
    return *problem ? BR_OK : error->status;
}

BrStatus br_problem_load(const char *path, const char *kind, const BrAllocator *allocator, BrProblem **problem,
                         BrError *error) {
    BrError unused;
    BrAllocator standard = bri_default_allocator();
    size_t size = 0;
    char *text = NULL;
    if (!error) error = &unused;
    if (!allocator || !allocator->allocate) allocator = &standard;
    *problem = NULL;
    BrStatus status = bri_read_file(path, allocator, &text, &size, error);
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    if (status == BR_OK) status = br_problem_parse(text, size, name, kind, allocator, problem, error);
    bri_release(allocator, text);
    return status;
}

const char *br_problem_kind(const BrProblem *problem) { return problem->kind; }
int br_problem_rows(const BrProblem *problem) { return problem->problem.rows; }
int br_problem_contacts(const BrProblem *problem) { return problem->contacts; }
