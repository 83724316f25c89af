/* block_ldl.c: see block_ldl.h.
 *
 * Column k with pivot D and blocks X_x below it (x = nodes later in the order):
 *     L_x = X_x D^-1,     K_yx <- K_yx - L_y X_x^T   for all x <= y.
 * The inverse of D (at most 6 x 6) is stored in its place, L_x in that of X_x. */
#include "linalg/block_ldl.h"
#include "linalg/sets.h"

#include <string.h>

/* ------------------------------------------------------------------ pattern */

static int find_below(const BriBlockLdl *ldl, int position, int node) {
    int low = ldl->begin[position], high = ldl->begin[position + 1] - 1, wanted = ldl->position[node];
    while (low < high) {
        int middle = (low + high) / 2;
        if (ldl->position[ldl->below[middle]] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Symbolic elimination: the pattern of a column is that of the matrix joined with those of its children, the columns
 * whose first block below the pivot lies here. Two passes: count, then fill. */
typedef struct Pattern {
    int *first_edge, *next_edge; /* node -> chain of (2 edge + end) */
    int *child, *sibling;        /* position -> columns to merge */
    int *mark;                   /* node -> last position that took it */
} Pattern;

/* Nodes below position p into `list`; returns how many. */
static int collect_column(const BriBlockLdl *ldl, const BriGraph *g, Pattern *s, int p, const int *begin,
                          const int *below, int *list) {
    int node = ldl->order[p], count = 0;
    s->mark[node] = p;
    for (int link = s->first_edge[node]; link >= 0; link = s->next_edge[link]) {
        int other = g->edge[link / 2][1 - link % 2];
        if (ldl->position[other] > p && s->mark[other] != p) {
            s->mark[other] = p;
            list[count++] = other;
        }
    }
    for (int c = s->child[p]; c >= 0; c = s->sibling[c])
        for (int i = begin[c]; i < begin[c + 1]; i++) {
            int other = below[i];
            if (s->mark[other] != p) {
                s->mark[other] = p;
                list[count++] = other;
            }
        }
    for (int i = 1; i < count; i++) { /* by position; short lists */
        int node_i = list[i], j = i;
        for (; j > 0 && ldl->position[list[j - 1]] > ldl->position[node_i]; j--) list[j] = list[j - 1];
        list[j] = node_i;
    }
    return count;
}

static bool find_pattern(BriBlockLdl *ldl, const BriGraph *g, Pattern *s, const BrAllocator *allocator) {
    size_t n = (size_t)g->nodes;
    int capacity = 0, used = 0;
    s->first_edge = bri_allocate(allocator, n, sizeof(int));
    s->next_edge = bri_allocate(allocator, 2 * (size_t)g->edges, sizeof(int));
    s->child = bri_allocate(allocator, n, sizeof(int));
    s->sibling = bri_allocate(allocator, n, sizeof(int));
    s->mark = bri_allocate(allocator, n, sizeof(int));
    int *list = bri_allocate(allocator, n, sizeof(int));
    bool fine = s->first_edge && s->next_edge && s->child && s->sibling && s->mark && list;
    for (int i = 0; fine && i < g->nodes; i++) s->first_edge[i] = s->child[i] = s->sibling[i] = s->mark[i] = -1;
    for (int e = 0; fine && e < g->edges; e++)
        for (int end = 0; end < 2; end++) {
            s->next_edge[2 * e + end] = s->first_edge[g->edge[e][end]];
            s->first_edge[g->edge[e][end]] = 2 * e + end;
        }
    for (int p = 0; fine && p < g->nodes; p++) {
        int count = collect_column(ldl, g, s, p, ldl->begin, ldl->below, list);
        for (int i = 0; fine && i < count; i++) {
            fine = bri_grow(allocator, (void **)&ldl->below, used, &capacity, sizeof(int));
            if (fine) ldl->below[used++] = list[i];
        }
        ldl->begin[p + 1] = used;
        if (fine && count > 0) {
            int parent = ldl->position[list[0]];
            s->sibling[p] = s->child[parent];
            s->child[parent] = p;
        }
    }
    bri_release(allocator, list);
    return fine;
}

static void release_pattern(Pattern *s, const BrAllocator *allocator) {
    bri_release(allocator, s->first_edge);
    bri_release(allocator, s->next_edge);
    bri_release(allocator, s->child);
    bri_release(allocator, s->sibling);
    bri_release(allocator, s->mark);
}

/* ------------------------------------------------------------------ places */

static int place_of(const BriBlockLdl *ldl, int x, int y) {
    if (x == y) return ldl->pivot[x];
    return ldl->place[find_below(ldl, ldl->position[x], y)];
}

/* How many numbers and updates the factor needs, the larger of both. Thousands of loops that share bodies need more
 * than an int can count. */
static int64_t measure_factor(const BriBlockLdl *ldl) {
    int64_t values = 0, updates = 0;
    for (int p = 0; p < ldl->nodes; p++) {
        int64_t n = ldl->size[ldl->order[p]], count = ldl->begin[p + 1] - ldl->begin[p];
        values += n * (n + BRI_BLOCK * count);
        updates += count * (count + 1) / 2;
    }
    return values > updates ? values : updates;
}

/* Operations of a factorization and of a solve: products of blocks, and what each block costs beside. */
static void measure_work(BriBlockLdl *ldl) {
    const double BESIDE = 10;
    for (int p = 0; p < ldl->nodes; p++) {
        double n = ldl->size[ldl->order[p]], width = 0;
        int count = ldl->begin[p + 1] - ldl->begin[p];
        for (int i = ldl->begin[p]; i < ldl->begin[p + 1]; i++) width += ldl->size[ldl->below[i]];
        ldl->factor_work += n * n * n + n * n * width + 0.5 * n * width * width + BESIDE * (1 + count) * (1 + count);
        ldl->solve_work += n * n + 2 * n * width + BESIDE * (1 + count);
    }
}

/* Gives every block its place, and every pair of blocks in a column the place its product goes to. */
static bool lay_out(BriBlockLdl *ldl, const BriGraph *g, const BrAllocator *allocator) {
    int blocks = ldl->begin[g->nodes], updates = 0, widest = 0;
    ldl->place = bri_allocate(allocator, (size_t)blocks, sizeof(int));
    if (!ldl->place) return false;
    for (int i = 0; i < blocks; i++) ldl->untouched[ldl->below[i]] = false;
    for (int p = 0; p < g->nodes; p++) {
        int node = ldl->order[p], n = ldl->size[node], width = 0;
        if (!ldl->untouched[node]) {
            ldl->pivot[node] = ldl->values;
            ldl->values += n * n;
        }
        for (int i = ldl->begin[p]; i < ldl->begin[p + 1]; i++) {
            ldl->place[i] = ldl->values;
            ldl->values += n * ldl->size[ldl->below[i]];
            width += n * ldl->size[ldl->below[i]];
        }
        int count = ldl->begin[p + 1] - ldl->begin[p];
        updates += count * (count + 1) / 2;
        if (width > widest) widest = width;
    }
    ldl->cleared = ldl->values;
    for (int p = 0; p < g->nodes; p++) {
        int node = ldl->order[p];
        if (!ldl->untouched[node]) continue;
        ldl->pivot[node] = ldl->values;
        ldl->values += ldl->size[node] * ldl->size[node];
    }
    ldl->value = bri_allocate(allocator, (size_t)ldl->values, sizeof(double));
    ldl->column = bri_allocate(allocator, (size_t)widest, sizeof(double));
    ldl->update = bri_allocate(allocator, (size_t)updates, sizeof(int));
    if (!ldl->value || !ldl->column || !ldl->update) return false;
    int u = 0;
    for (int p = 0; p < g->nodes; p++) {
        ldl->update_begin[p] = u;
        for (int x = ldl->begin[p]; x < ldl->begin[p + 1]; x++)
            for (int y = x; y < ldl->begin[p + 1]; y++) ldl->update[u++] = place_of(ldl, ldl->below[x], ldl->below[y]);
    }
    for (int e = 0; e < g->edges; e++) {
        int a = g->edge[e][0], b = g->edge[e][1];
        ldl->edge_turned[e] = ldl->position[a] > ldl->position[b];
        ldl->edge_place[e] = ldl->edge_turned[e] ? place_of(ldl, b, a) : place_of(ldl, a, b);
    }
    return true;
}

static bool allocate_arrays(BriBlockLdl *ldl, const BrAllocator *allocator) {
    size_t n = (size_t)ldl->nodes, e = (size_t)ldl->edges;
    ldl->size = bri_allocate(allocator, n, sizeof(int));
    ldl->used = bri_allocate(allocator, n, sizeof(int));
    ldl->row = bri_allocate(allocator, n, sizeof(int));
    ldl->order = bri_allocate(allocator, n, sizeof(int));
    ldl->position = bri_allocate(allocator, n, sizeof(int));
    ldl->begin = bri_allocate(allocator, n + 1, sizeof(int));
    ldl->pivot = bri_allocate(allocator, n, sizeof(int));
    ldl->update_begin = bri_allocate(allocator, n, sizeof(int));
    ldl->edge_place = bri_allocate(allocator, e, sizeof(int));
    ldl->edge_turned = bri_allocate(allocator, e, sizeof(bool));
    ldl->droppable = bri_allocate(allocator, n, sizeof(bool));
    ldl->untouched = bri_allocate(allocator, n, sizeof(bool));
    ldl->inverted = bri_allocate(allocator, n, sizeof(bool));
    ldl->off = bri_allocate(allocator, n, 1);
    ldl->dropped = bri_allocate(allocator, n, 1);
    ldl->scale = bri_allocate(allocator, n * BRI_BLOCK, sizeof(double));
    ldl->part = bri_allocate(allocator, n, sizeof(int));
    ldl->part_begin = bri_allocate(allocator, n + 1, sizeof(int));
    ldl->part_position = bri_allocate(allocator, n, sizeof(int));
    return ldl->size && ldl->used && ldl->row && ldl->order && ldl->position && ldl->begin && ldl->pivot &&
           ldl->update_begin && ldl->edge_place && ldl->edge_turned && ldl->droppable && ldl->untouched &&
           ldl->inverted && ldl->off && ldl->dropped && ldl->scale && ldl->part && ldl->part_begin &&
           ldl->part_position;
}

/* What no edge connects: machines that stand apart. Numbered by their first nodes. */
static void find_parts(BriBlockLdl *ldl, const BriGraph *g) {
    int *root = ldl->part_position, parts = 0; /* filled anew below */
    for (int i = 0; i < g->nodes; i++) root[i] = i;
    for (int e = 0; e < g->edges; e++) bri_join_sets(root, g->edge[e][0], g->edge[e][1]);
    for (int i = 0; i < g->nodes; i++) { /* a root comes before its nodes */
        int r = bri_find_root(root, i);
        ldl->part[i] = r == i ? parts++ : ldl->part[r];
    }
    for (int i = 0; i < g->nodes; i++) ldl->part_begin[ldl->part[i] + 1]++;
    for (int k = 0; k < parts; k++) ldl->part_begin[k + 1] += ldl->part_begin[k];
    int *next = ldl->pivot; /* laid out later */
    for (int k = 0; k < parts; k++) next[k] = ldl->part_begin[k];
    for (int p = 0; p < g->nodes; p++) ldl->part_position[next[ldl->part[ldl->order[p]]]++] = p;
}

BrStatus bri_ldl_create(const BriGraph *graph, const BrAllocator *allocator, BriBlockLdl *ldl, BrError *error) {
    *ldl = (BriBlockLdl){.nodes = graph->nodes,
                         .edges = graph->edges,
                         .dependent = 1e-9}; /* of a row's own size: owners choose theirs (system.c) */
    Pattern pattern = {0};
    BrStatus status = BR_OUT_OF_MEMORY;
    if (allocate_arrays(ldl, allocator)) {
        for (int i = 0; i < graph->nodes; i++) {
            ldl->size[i] = ldl->used[i] = graph->size[i];
            ldl->row[i] = ldl->rows;
            ldl->rows += graph->size[i];
            ldl->droppable[i] = graph->last[i];
            ldl->untouched[i] = true;
        }
        status = bri_order_nodes(graph, allocator, ldl->order, error);
        for (int p = 0; status == BR_OK && p < graph->nodes; p++) ldl->position[ldl->order[p]] = p;
        if (status == BR_OK) find_parts(ldl, graph);
        if (status == BR_OK && !find_pattern(ldl, graph, &pattern, allocator)) status = BR_OUT_OF_MEMORY;
        if (status == BR_OK && measure_factor(ldl) > INT32_MAX) status = BR_INVALID_MODEL;
        if (status == BR_OK && !lay_out(ldl, graph, allocator)) status = BR_OUT_OF_MEMORY;
        if (status == BR_OK) measure_work(ldl);
    }
    release_pattern(&pattern, allocator);
    if (status == BR_OK) return BR_OK;
    bri_ldl_release(ldl, allocator);
    if (status == BR_INVALID_MODEL)
        return bri_fail(error, status, "too many loops share bodies: the factor of %d blocks is too large",
                        graph->nodes);
    return bri_fail(error, status, "no memory to lay out a matrix of %d blocks", graph->nodes);
}

void bri_ldl_release(BriBlockLdl *ldl, const BrAllocator *allocator) {
    void *owned[] = {ldl->size,        ldl->used,    ldl->row,        ldl->order,        ldl->position,
                     ldl->begin,       ldl->below,   ldl->place,      ldl->pivot,        ldl->update_begin,
                     ldl->update,      ldl->value,   ldl->column,     ldl->off,          ldl->edge_place,
                     ldl->edge_turned, ldl->dropped, ldl->scale,      ldl->droppable,    ldl->untouched,
                     ldl->inverted,    ldl->part,    ldl->part_begin, ldl->part_position};
    for (int i = 0; i < BRI_COUNT(owned); i++) bri_release(allocator, owned[i]);
    *ldl = (BriBlockLdl){0};
}

/* ------------------------------------------------------------------ numbers */

void bri_ldl_clear(BriBlockLdl *ldl) {
    memset(ldl->value, 0, (size_t)ldl->cleared * sizeof(double));
    memset(ldl->dropped, 0, (size_t)ldl->nodes);
    ldl->dropped_rows = 0;
}

void bri_ldl_set_off(BriBlockLdl *ldl, int node, unsigned rows) {
    int used = ldl->size[node];
    while (used > 0 && (rows >> (used - 1) & 1)) used--;
    ldl->off[node] = (unsigned char)rows;
    ldl->used[node] = used;
}

void bri_ldl_set_pivot(BriBlockLdl *ldl, int node, const double *pivot, const double *inverse) {
    size_t size = (size_t)(ldl->used[node] * ldl->used[node]) * sizeof(double);
    ldl->inverted[node] = ldl->untouched[node];
    memcpy(ldl->value + ldl->pivot[node], ldl->untouched[node] ? inverse : pivot, size);
}

void bri_ldl_set_edge(BriBlockLdl *ldl, int edge, const double *block, int rows, int columns) {
    double *target = ldl->value + ldl->edge_place[edge];
    if (!ldl->edge_turned[edge]) {
        memcpy(target, block, (size_t)(rows * columns) * sizeof(double));
        return;
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) target[j * rows + i] = block[i * columns + j];
}

/* The kernels are written once, for any size, and compiled apart for the sizes that occur most. */
#define KERNEL static inline __attribute__((always_inline))

/* L = X D, X: m x n, D: n x n symmetric */
KERNEL void multiply_any(int m, int n, const double *X, const double *D, double *L) {
    for (int i = 0; i < m; i++) {
        double sum[BRI_BLOCK] = {0};
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) sum[j] += X[i * n + k] * D[k * n + j];
        for (int j = 0; j < n; j++) L[i * n + j] = sum[j];
    }
}

/* C -= A B^T, A: m x n, B: q x n */
KERNEL void subtract_any(int m, int q, int n, const double *A, const double *B, double *C) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < q; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += A[i * n + k] * B[j * n + k];
            C[i * q + j] -= sum;
        }
}

/* The same for D = diag(D1, D2), 3 x 3 each. */
KERNEL void multiply_split_any(int m, const double *X, const double *D, double *L) {
    for (int i = 0; i < m; i++)
        for (int half = 0; half < 2; half++) {
            const double *x = X + 6 * i + 3 * half, *d = D + 21 * half;
            for (int j = 0; j < 3; j++) L[6 * i + 3 * half + j] = x[0] * d[j] + x[1] * d[6 + j] + x[2] * d[12 + j];
        }
}

static void multiply_split(int m, const double *X, const double *D, double *L) {
    if (m == 3)
        multiply_split_any(3, X, D, L);
    else if (m == 5)
        multiply_split_any(5, X, D, L);
    else if (m == 6)
        multiply_split_any(6, X, D, L);
    else
        multiply_split_any(m, X, D, L);
}

static void multiply(int m, int n, const double *X, const double *D, double *L) {
    if (m == 3 && n == 6)
        multiply_any(3, 6, X, D, L);
    else if (m == 3 && n == 3)
        multiply_any(3, 3, X, D, L);
    else if (m == 5 && n == 6)
        multiply_any(5, 6, X, D, L);
    else if (m == 6 && n == 5)
        multiply_any(6, 5, X, D, L);
    else if (m == 5 && n == 5)
        multiply_any(5, 5, X, D, L);
    else if (m == 6 && n == 6)
        multiply_any(6, 6, X, D, L);
    else
        multiply_any(m, n, X, D, L);
}

static void subtract(int m, int q, int n, const double *A, const double *B, double *C) {
    if (m == 3 && q == 3 && n == 6)
        subtract_any(3, 3, 6, A, B, C);
    else if (m == 3 && q == 3 && n == 3)
        subtract_any(3, 3, 3, A, B, C);
    else if (m == 5 && q == 5 && n == 6)
        subtract_any(5, 5, 6, A, B, C);
    else if (m == 6 && q == 6 && n == 5)
        subtract_any(6, 6, 5, A, B, C);
    else if (m == 6 && q == 6 && n == 6)
        subtract_any(6, 6, 6, A, B, C);
    else if (m == 5 && q == 5 && n == 5)
        subtract_any(5, 5, 5, A, B, C);
    else
        subtract_any(m, q, n, A, B, C);
}

/* The upper half of C -= A B^T for a pivot, m x m: inverting reads no more. */
KERNEL void subtract_upper_any(int m, int n, const double *A, const double *B, double *C) {
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += A[i * n + k] * B[j * n + k];
            C[i * m + j] -= sum;
        }
}

static void subtract_upper(int m, int n, const double *A, const double *B, double *C) {
    if (m == 3 && n == 6)
        subtract_upper_any(3, 6, A, B, C);
    else if (m == 3 && n == 3)
        subtract_upper_any(3, 3, A, B, C);
    else if (m == 5 && n == 6)
        subtract_upper_any(5, 6, A, B, C);
    else if (m == 6 && n == 5)
        subtract_upper_any(6, 5, A, B, C);
    else if (m == 6 && n == 6)
        subtract_upper_any(6, 6, A, B, C);
    else
        subtract_upper_any(m, n, A, B, C);
}

/* D <- D^-1 for a definite D of either sign by D = U^T diag(d) U, leaving out rows in `off` and, if `scale` is given,
 * rows whose d is noise. Returns the rows that were found dependent. */
KERNEL unsigned invert_any(int n, double *D, unsigned off, const double *scale, double tolerance) {
    double d[BRI_BLOCK], U[BRI_BLOCK][BRI_BLOCK];
    unsigned dependent = 0;
    for (int k = 0; k < n; k++) {
        double pivot = D[k * n + k];
        if (scale && !(off >> k & 1) && !((pivot < 0 ? -pivot : pivot) > tolerance * scale[k])) dependent |= 1u << k;
        bool kept = !((off | dependent) >> k & 1);
        d[k] = kept ? 1 / pivot : 0;
        for (int j = k + 1; j < n; j++) U[k][j] = d[k] * D[k * n + j];
        for (int i = k + 1; i < n; i++)
            for (int j = i; j < n; j++) D[i * n + j] -= U[k][i] * D[k * n + j];
    }
    /* columns of the inverse: U^T diag U x = e_c, rows left out stay zero because their d and U are zero */
    for (int c = 0; c < n; c++) {
        double x[BRI_BLOCK];
        for (int i = 0; i < n; i++) {
            x[i] = i == c;
            for (int k = c; k < i; k++) x[i] -= U[k][i] * x[k];
        }
        for (int i = 0; i < n; i++) x[i] *= d[i];
        for (int i = n - 1; i >= 0; i--) {
            for (int j = i + 1; j < n; j++) x[i] -= U[i][j] * x[j];
            if (i >= c) D[i * n + c] = x[i];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) D[i * n + j] = D[j * n + i];
    return dependent;
}

static unsigned invert(int n, double *D, unsigned off, const double *scale, double tolerance) {
    if (n == 3 && !off && !scale) return invert_any(3, D, 0, NULL, 0);
    if (n == 6 && !off && !scale) return invert_any(6, D, 0, NULL, 0);
    if (n == 5 && !off && !scale) return invert_any(5, D, 0, NULL, 0);
    return invert_any(n, D, off, scale, tolerance);
}

static int count_bits(unsigned bits) {
    int count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
}

/* Columns L_x of one position, one behind the other, into ldl->column. */
static void scale_column(const BriBlockLdl *ldl, int p) {
    int node = ldl->order[p], n = ldl->used[node];
    const double *D = ldl->value + ldl->pivot[node];
    double *L = ldl->column;
    bool split = ldl->inverted[node] && n == 6;
    for (int y = ldl->begin[p]; y < ldl->begin[p + 1]; y++) {
        int m = ldl->used[ldl->below[y]];
        if (split)
            multiply_split(m, ldl->value + ldl->place[y], D, L);
        else
            multiply(m, n, ldl->value + ldl->place[y], D, L);
        L += m * n;
    }
}

void bri_ldl_factor(BriBlockLdl *ldl) {
    for (int p = 0; p < ldl->nodes; p++) {
        int node = ldl->order[p], n = ldl->used[node];
        const double *scale = ldl->droppable[node] ? ldl->scale + BRI_BLOCK * node : NULL;
        unsigned dependent = 0;
        if (!ldl->inverted[node])
            dependent =
                invert(n, ldl->value + ldl->pivot[node], ldl->off[node] & ((1u << n) - 1), scale, ldl->dependent);
        ldl->dropped[node] = (unsigned char)dependent;
        ldl->dropped_rows += count_bits(dependent);
        scale_column(ldl, p);
        const int *target = ldl->update + ldl->update_begin[p];
        const double *Lx = ldl->column;
        for (int x = ldl->begin[p]; x < ldl->begin[p + 1]; x++) {
            int q = ldl->used[ldl->below[x]];
            double *X = ldl->value + ldl->place[x];
            const double *Ly = Lx + q * n;
            subtract_upper(q, n, Lx, X, ldl->value + *target++);
            for (int y = x + 1; y < ldl->begin[p + 1]; y++) {
                int m = ldl->used[ldl->below[y]];
                subtract(m, q, n, Ly, X, ldl->value + *target++);
                Ly += m * n;
            }
            memcpy(X, Lx, (size_t)(q * n) * sizeof(double)); /* nobody asks for X any more */
            Lx += q * n;
        }
    }
}

/* y -= L x, L: m x n */
KERNEL void reduce_any(int m, int n, const double *L, const double *x, double *restrict y) {
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += L[i * n + k] * x[k];
        y[i] -= sum;
    }
}

/* x -= L^T y */
KERNEL void substitute_any(int m, int n, const double *L, const double *y, double *x) {
    double sum[BRI_BLOCK] = {0};
    for (int i = 0; i < m; i++)
        for (int k = 0; k < n; k++) sum[k] += L[i * n + k] * y[i];
    for (int k = 0; k < n; k++) x[k] -= sum[k];
}

static void reduce(int m, int n, const double *L, const double *x, double *y) {
    if (m == 3 && n == 6)
        reduce_any(3, 6, L, x, y);
    else if (m == 3 && n == 3)
        reduce_any(3, 3, L, x, y);
    else if (m == 5 && n == 6)
        reduce_any(5, 6, L, x, y);
    else if (m == 6 && n == 5)
        reduce_any(6, 5, L, x, y);
    else if (m == 6 && n == 6)
        reduce_any(6, 6, L, x, y);
    else
        reduce_any(m, n, L, x, y);
}

static void substitute(int m, int n, const double *L, const double *y, double *x) {
    if (m == 3 && n == 6)
        substitute_any(3, 6, L, y, x);
    else if (m == 3 && n == 3)
        substitute_any(3, 3, L, y, x);
    else if (m == 5 && n == 6)
        substitute_any(5, 6, L, y, x);
    else if (m == 6 && n == 5)
        substitute_any(6, 5, L, y, x);
    else if (m == 6 && n == 6)
        substitute_any(6, 6, L, y, x);
    else
        substitute_any(m, n, L, y, x);
}

/* x <- D^-1 x; D^-1 is symmetric, so that its columns are rows, which lie together */
KERNEL void scale_any(int n, const double *D, double *x) {
    double z[BRI_BLOCK] = {0};
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) z[i] += D[j * n + i] * x[j];
    for (int i = 0; i < n; i++) x[i] = z[i];
}

static void scale_by_pivot(int n, const double *D, double *x) {
    if (n == 3)
        scale_any(3, D, x);
    else if (n == 6)
        scale_any(6, D, x);
    else if (n == 5)
        scale_any(5, D, x);
    else
        scale_any(n, D, x);
}

static bool is_zero(int n, const double *x) {
    for (int i = 0; i < n; i++)
        if (x[i] != 0) return false;
    return true;
}

/* Down the factor at one position, */
static inline void go_down(const BriBlockLdl *ldl, int p, double *x) {
    int node = ldl->order[p], n = ldl->used[node];
    for (int i = ldl->begin[p]; i < ldl->begin[p + 1]; i++) {
        int other = ldl->below[i];
        reduce(ldl->used[other], n, ldl->value + ldl->place[i], x + ldl->row[node], x + ldl->row[other]);
    }
}

static inline void divide(const BriBlockLdl *ldl, int p, double *x) {
    int node = ldl->order[p];
    for (int i = ldl->used[node]; i < ldl->size[node]; i++) x[ldl->row[node] + i] = 0;
    scale_by_pivot(ldl->used[node], ldl->value + ldl->pivot[node], x + ldl->row[node]);
}

static inline void solve_down(const BriBlockLdl *ldl, int p, double *x) {
    int node = ldl->order[p];
    if (is_zero(ldl->size[node], x + ldl->row[node])) return;
    go_down(ldl, p, x);
    divide(ldl, p, x);
}

/* and back up. */
static inline void solve_up(const BriBlockLdl *ldl, int p, double *x) {
    int node = ldl->order[p], n = ldl->used[node];
    for (int i = ldl->begin[p]; i < ldl->begin[p + 1]; i++) {
        int other = ldl->below[i];
        substitute(ldl->used[other], n, ldl->value + ldl->place[i], x + ldl->row[other], x + ldl->row[node]);
    }
}

void bri_ldl_solve(const BriBlockLdl *ldl, double *x) {
    for (int p = 0; p < ldl->nodes; p++) solve_down(ldl, p, x);
    for (int p = ldl->nodes - 1; p >= 0; p--) solve_up(ldl, p, x);
}

void bri_ldl_solve_part(const BriBlockLdl *ldl, int part, double *x) {
    const int *position = ldl->part_position, begin = ldl->part_begin[part], end = ldl->part_begin[part + 1];
    for (int i = begin; i < end; i++) solve_down(ldl, position[i], x);
    for (int i = end - 1; i >= begin; i--) solve_up(ldl, position[i], x);
}

void bri_ldl_clear_part(const BriBlockLdl *ldl, int part, double *x) {
    for (int i = ldl->part_begin[part]; i < ldl->part_begin[part + 1]; i++) {
        int node = ldl->order[ldl->part_position[i]];
        memset(x + ldl->row[node], 0, (size_t)ldl->size[node] * sizeof *x);
    }
}

/* Where a position's column ends up: its first block below the pivot; after all others: none. */
static int find_next(const BriBlockLdl *ldl, int p) {
    return ldl->begin[p] < ldl->begin[p + 1] ? ldl->position[ldl->below[ldl->begin[p]]] : ldl->nodes;
}

int bri_ldl_find_path(const BriBlockLdl *ldl, int a, int b, int most, int *path, int *width) {
    int p = a >= 0 ? ldl->position[a] : ldl->nodes, q = b >= 0 ? ldl->position[b] : ldl->nodes, count = 0;
    *width = 0;
    while (p < ldl->nodes || q < ldl->nodes) {
        int first = p < q ? p : q;
        *width += ldl->size[ldl->order[first]];
        if (*width > most) return 0;
        path[count++] = first;
        if (p == first) p = find_next(ldl, first);
        if (q == first) q = find_next(ldl, first);
    }
    return count;
}

void bri_ldl_go_down(const BriBlockLdl *ldl, const int *path, int count, double *x) {
    for (int i = 0; i < count; i++) go_down(ldl, path[i], x);
}

void bri_ldl_divide(const BriBlockLdl *ldl, const int *path, int count, double *x) {
    for (int i = 0; i < count; i++) divide(ldl, path[i], x);
}
