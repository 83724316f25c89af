/* problem_text.c: problem files. Numbers separated by white space; line breaks mean nothing, indices start at 0.
 *
 *     lcp        n  M  q(n)                                              remarks may follow
 *     relay      n  M  q(n)  lower(n)  upper(n)
 *     mlcp       has_M  has_blocks  n  m  row ends from 0 to n+m  0 or 1 per group (1: complementarity)  M  q(n+m)
 *     friction   dimension  contacts  W  q  mu(contacts)                 a flag may follow
 *     global     dimension  contacts  M  H  q  b  mu(contacts)           M v = q + H r,  u = H^T v + b
 *     a matrix   storage  rows  columns, then
 *                0: rows  columns  numbers DOWN THE COLUMNS, whatever the line breaks look like
 *                1: blocks  block rows  block columns  row ends  column ends  lengths and contents of the two index
 *                   arrays, then per block its number and its entries, down the columns again
 *                2: what CSparse prints of triplets or compressed columns */
#include "io/problem_text.h"

#include "io/problem_matrix.h"
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

static const char *const KINDS[] = {"lcp", "mlcp", "relay", "friction", "global"};
enum { FCLIB = BRI_COUNT(KINDS) }; /* HDF5: the file says which */

/* ------------------------------------------------------------------ W */

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

bool bri_problem_build(Tokens *t, const BriEntries *list, BrProblem *p) {
    int n = p->problem.rows;
    if (!bri_sparse_build(&p->allocator, p->problem.blocks, p->block, list->count, list->entry, &p->room))
        return bri_tokens_no_memory(t);
    return n > (p->contacts ? FEW_CONE_ROWS : FEW_BOX_ROWS) || spread(t, n, p);
}

/* Dense files stay dense, sparse ones sparse. */
static bool read_stored(Tokens *t, int storage, int n, BrProblem *p) {
    if (storage == 0) {
        if (n > MOST_DENSE)
            return bri_tokens_refuse(t,
                                     "a dense matrix of %d rows is too large; at most %d are read (as blocks, or "
                                     "sparse, there may be more)",
                                     n, MOST_DENSE);
        if (!bri_matrix_fits(t, (int64_t)n * n, "the matrix")) return false;
        p->W = bri_allocate(&p->allocator, (size_t)n * (size_t)n, sizeof *p->W);
        return p->W ? bri_matrix_read_dense(t, n, p->W) : bri_tokens_no_memory(t);
    }
    BriEntries list = {0};
    bool fine = bri_matrix_read(t, storage, n, n, &list) && bri_problem_build(t, &list, p);
    bri_release(t->allocator, list.entry);
    return fine;
}

/* A square matrix of n rows into W. The blocks' rows are known. */
static bool read_matrix(Tokens *t, int n, BrProblem *p) {
    int storage, rows, columns;
    if (!bri_matrix_start(t, &storage, &rows, &columns)) return false;
    if (rows != n || columns != n)
        return bri_tokens_refuse(t, "the matrix is %d x %d, but %s of this size needs %d x %d", rows, columns, p->kind,
                                 n, n);
    return read_stored(t, storage, n, p);
}

/* ------------------------------------------------------------------ kinds */

bool bri_problem_start(Tokens *t, int rows, int blocks, BrProblem *p) {
    if (rows > MOST_ROWS) return bri_tokens_refuse(t, "the problem has %d rows; at most %d are read", rows, MOST_ROWS);
    if (rows > MOST_DENSE && !bri_matrix_fits(t, rows, "q")) return false;
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
    return (BriBlock){.set = complementary ? BRI_SET_BOX : BRI_SET_FREE,
                      .first = i,
                      .rows = 1,
                      .upper = complementary ? __builtin_inf() : 0};
}

static bool read_lcp(Tokens *t, BrProblem *p) {
    int n;
    if (!bri_tokens_int(t, "the number of unknowns", 1, INT32_MAX, &n) || !bri_problem_start(t, n, n, p)) return false;
    if (!read_matrix(t, n, p) || !read_numbers(t, "an entry of q", n, p->q)) return false;
    for (int i = 0; i < n; i++) p->block[i] = make_row(i, true);
    return !t->guessing || !bri_tokens_number_ahead(t) ||
           bri_tokens_refuse(t, "numbers follow after q; an lcp ends there (bounds would make it a relay problem)");
}

static bool read_relay(Tokens *t, BrProblem *p) {
    int n;
    if (!bri_tokens_int(t, "the number of unknowns", 1, INT32_MAX, &n) || !bri_problem_start(t, n, n, p)) return false;
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
    if (!bri_problem_start(t, n + m, n + m, p) || !read_groups(t, n + m, p)) return false;
    return read_matrix(t, n + m, p) && read_numbers(t, "an entry of q", n + m, p->q);
}

/* What friction problems begin with: the blocks' rows are known then. */
static bool start_friction(Tokens *t, int *dimension, BrProblem *p) {
    if (!bri_tokens_int(t, "the dimension, 2 or 3", 2, 5, dimension)) return false;
    if (!bri_tokens_int(t, "the number of contacts", 1, MOST_ROWS, &p->contacts)) return false;
    return bri_problem_start(t, *dimension * p->contacts, p->contacts, p);
}

/* ... and end with. */
static bool end_friction(Tokens *t, int dimension, BrProblem *p) {
    for (int k = 0; k < p->contacts; k++) {
        double mu;
        if (!bri_tokens_number(t, "a friction coefficient", &mu)) return false;
        if (mu < 0) return bri_tokens_refuse(t, "contact %d has mu = %g; it must not be negative", k, mu);
        p->block[k] = (BriBlock){.set = BRI_SET_CONE, .first = dimension * k, .rows = dimension, .mu = mu};
    }
    double flag;
    if (bri_tokens_number_ahead(t) && bri_tokens_number(t, "a flag", &flag) && bri_tokens_number_ahead(t))
        return bri_tokens_refuse(t, "numbers follow after mu, so this is no %s problem; rolling problems are not read",
                                 p->kind);
    return true;
}

static bool refuse_rolling(Tokens *t, int dimension) {
    return bri_tokens_refuse(t, "the dimension is %d; allowed are 2 and 3, as rolling problems are not read",
                             dimension);
}

static bool read_friction(Tokens *t, BrProblem *p) {
    int dimension;
    if (!start_friction(t, &dimension, p) || !read_matrix(t, dimension * p->contacts, p)) return false;
    if (dimension > 3) return refuse_rolling(t, dimension);
    return read_numbers(t, "an entry of q", dimension * p->contacts, p->q) && end_friction(t, dimension, p);
}

/* M, H, f and b, and what they make of W and q. */
static bool read_global_parts(Tokens *t, int dimension, BriGlobal *g, double **f, BrProblem *p) {
    int storage, rows, columns;
    if (!bri_matrix_start(t, &storage, &g->freedoms, &columns)) return false;
    if (columns != g->freedoms || columns < 1)
        return bri_tokens_refuse(t, "M is %d x %d; it must be square", g->freedoms, columns);
    if (!bri_matrix_read(t, storage, g->freedoms, columns, &g->M)) return false;
    if (dimension > 3) return refuse_rolling(t, dimension);
    if (!bri_matrix_start(t, &storage, &rows, &columns)) return false;
    if (rows != g->freedoms || columns != p->problem.rows)
        return bri_tokens_refuse(t, "H is %d x %d; with this M and so many contacts it must be %d x %d", rows, columns,
                                 g->freedoms, p->problem.rows);
    if (!bri_matrix_read(t, storage, rows, columns, &g->H)) return false;
    if (!bri_matrix_fits(t, rows, "q")) return false;
    *f = bri_allocate(t->allocator, (size_t)rows, sizeof **f);
    g->f = *f;
    g->rows = columns;
    return *f ? read_numbers(t, "an entry of q", rows, *f) && read_numbers(t, "an entry of b", columns, p->q)
              : bri_tokens_no_memory(t);
}

bool bri_problem_condense(Tokens *t, const BriGlobal *g, BrProblem *p) {
    BriEntries W = {0};
    const char *wrong = bri_condense(t->allocator, g, p->q, &W);
    bool fine = !wrong                            ? bri_problem_build(t, &W, p)
                : strcmp(wrong, BRI_NO_ROOM) == 0 ? bri_tokens_no_memory(t)
                                                  : bri_tokens_refuse(t, "%s", wrong);
    bri_release(t->allocator, W.entry);
    return fine;
}

static bool read_global(Tokens *t, BrProblem *p) {
    int dimension;
    BriGlobal g = {0};
    double *f = NULL;
    bool fine = start_friction(t, &dimension, p) && read_global_parts(t, dimension, &g, &f, p) &&
                end_friction(t, dimension, p) && bri_problem_condense(t, &g, p);
    bri_release(t->allocator, g.M.entry);
    bri_release(t->allocator, g.H.entry);
    bri_release(t->allocator, f);
    return fine;
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

/* The text as this kind (or FCLIB), or NULL with the tokens' error filled. */
static BrProblem *read_as(Tokens *t, int kind) {
    static bool (*const READ[])(Tokens *, BrProblem *) = {read_lcp,      read_mlcp,   read_relay,
                                                          read_friction, read_global, bri_problem_read_fclib};
    BrProblem *p = bri_allocate(t->allocator, 1, sizeof *p);
    t->at = 0;
    t->line = 1;
    t->kind = kind < FCLIB ? KINDS[kind] : NULL;
    if (!p) {
        bri_tokens_no_memory(t);
        return NULL;
    }
    p->allocator = *t->allocator;
    p->kind = t->kind;
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
    BRI_NEED(problem, "problem", error);
    BrError unused;
    BrAllocator chosen;
    if (!error) error = &unused;
    memset(error, 0, sizeof *error);
    *problem = NULL;
    BrStatus status = bri_choose_allocator(allocator, &chosen, error);
    if (status != BR_OK) return status;
    BRI_NEED(text && name, "text and name", error);
    Tokens t = {.text = text, .size = size, .name = name, .allocator = &chosen, .error = error};
    int wanted = -1;
    for (int k = 0; kind && k < BRI_COUNT(KINDS); k++)
        if (strcmp(kind, KINDS[k]) == 0) wanted = k;
    if (kind && wanted < 0)
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "there is no kind '%.40s'; allowed: lcp, mlcp, relay, friction, global", kind);
    bool fclib = size >= 4 && memcmp(text, "\x89HDF", 4) == 0;
    *problem = fclib ? read_as(&t, FCLIB) : kind ? read_as(&t, wanted) : guess_kind(&t, error);
    if (fclib && *problem && kind && strcmp(kind, (*problem)->kind) != 0) {
        bri_tokens_refuse(&t, "the file says that its problem is of the kind %s, not %s", (*problem)->kind, kind);
        br_problem_destroy(*problem);
        *problem = NULL;
    }
    if (*problem) memset(error, 0, sizeof *error);
    return *problem ? BR_OK : error->status;
}

BrStatus br_problem_load(const char *path, const char *kind, const BrAllocator *allocator, BrProblem **problem,
                         BrError *error) {
    BRI_NEED(problem, "problem", error);
    BrError unused;
    BrAllocator chosen;
    size_t size = 0;
    char *text = NULL;
    if (!error) error = &unused;
    *problem = NULL;
    BRI_NEED(path, "path", error);
    BrStatus status = bri_choose_allocator(allocator, &chosen, error);
    if (status == BR_OK) status = bri_read_file(path, &chosen, &text, &size, error);
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    if (status == BR_OK) status = br_problem_parse(text, size, name, kind, &chosen, problem, error);
    bri_release(&chosen, text);
    return status;
}

const char *br_problem_kind(const BrProblem *problem) { return problem ? problem->kind : NULL; }
int br_problem_rows(const BrProblem *problem) { return problem ? problem->problem.rows : 0; }
int br_problem_contacts(const BrProblem *problem) { return problem ? problem->contacts : 0; }
