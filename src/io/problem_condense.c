/* problem_condense.c: global problems, M v = f + H r, u = H^T v + b, made local:
 *
 *     W = H^T M^-1 H,     q = b + H^T M^-1 f.
 *
 * M falls into parts that nothing joins: bodies, mostly. Each is factored by itself, and couples the columns of H that
 * touch it; so W is as sparse as contacts are. */
#include "io/problem_matrix.h"
#include "linalg/dense.h"
#include "math/vec.h"

#include <string.h>

enum { LARGEST_PART = 3000 }; /* freedoms: 72 MB */

typedef struct Work {
    const BrAllocator *allocator;
    const BriGlobal *g;
    int parts;
    int *part;            /* per freedom: first its root, then the number of its part */
    int *place;           /* per freedom: its row in the part */
    int *begin, *freedom; /* per part and one more: range in `freedom` */
    int *M_begin, *M_of;  /* the same of entries of M */
    int *H_begin, *H_of;  /* and of H, in which those of a column stand together */
} Work;

static int find_root(int *root, int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
}

static void find_parts(Work *w) {
    const BriGlobal *g = w->g;
    for (int i = 0; i < g->freedoms; i++) w->part[i] = i;
    for (int64_t e = 0; e < g->M.count; e++) {
        int a = find_root(w->part, g->M.entry[e].row), b = find_root(w->part, g->M.entry[e].column);
        if (a != b) w->part[a > b ? a : b] = a > b ? b : a;
    }
    for (int i = 0; i < g->freedoms; i++) { /* roots come before the others of their part */
        int root = find_root(w->part, i);
        w->place[i] = root == i ? w->parts++ : w->place[root];
    }
    memcpy(w->part, w->place, (size_t)g->freedoms * sizeof *w->part);
}

/* Numbers 0 .. count - 1 by their part, in order otherwise. key: of number i. */
static void sort_by_part(int parts, int64_t count, const int *part, const BriEntry *entry, int *begin, int *sorted) {
    for (int64_t i = 0; i < count; i++) begin[part[entry ? entry[i].row : i] + 1]++;
    for (int k = 0; k < parts; k++) begin[k + 1] += begin[k];
    for (int64_t i = 0; i < count; i++) sorted[begin[part[entry ? entry[i].row : i]]++] = (int)i;
    for (int k = parts; k > 0; k--) begin[k] = begin[k - 1];
    begin[0] = 0;
}

/* Orders H's entries of a part by column: Shell's sort. */
static void sort_by_column(const BriEntry *entry, int *of, int count) {
    for (int gap = count / 2; gap > 0; gap /= 2)
        for (int i = gap; i < count; i++)
            for (int j = i; j >= gap && entry[of[j - gap]].column > entry[of[j]].column; j -= gap) {
                int swap = of[j];
                of[j] = of[j - gap];
                of[j - gap] = swap;
            }
}

static int count_columns(const BriEntry *entry, const int *of, int count) {
    int columns = 0;
    for (int i = 0; i < count; i++) columns += i == 0 || entry[of[i]].column != entry[of[i - 1]].column;
    return columns;
}

/* W and q get what a part of n freedoms adds. room: n n + (columns + 1) n numbers, n integers. */
static bool add_part(const Work *w, int part, int columns, double *room, int *pivot, double *q, BriEntries *W,
                     const char **wrong) {
    const BriGlobal *g = w->g;
    const int *of = w->H_of + w->H_begin[part], *freedom = w->freedom + w->begin[part];
    int n = w->begin[part + 1] - w->begin[part], count = w->H_begin[part + 1] - w->H_begin[part], column = -1;
    double *M = room, *X = M + (size_t)n * (size_t)n, *f = X + (size_t)n * (size_t)columns;
    for (int i = w->M_begin[part]; i < w->M_begin[part + 1]; i++) {
        const BriEntry *e = &g->M.entry[w->M_of[i]];
        M[w->place[e->row] * n + w->place[e->column]] += e->value;
    }
    if (!bri_lu_factor(M, n, n, pivot)) {
        *wrong = "M cannot be inverted";
        return false;
    }
    for (int i = 0; i < n; i++) f[i] = g->f[freedom[i]];
    for (int i = 0; i < count; i++) {
        const BriEntry *e = &g->H.entry[of[i]];
        column += i == 0 || e->column != g->H.entry[of[i - 1]].column;
        X[column * n + w->place[e->row]] += e->value;
    }
    for (int c = 0; c <= columns; c++) bri_lu_solve(M, n, n, pivot, X + c * n); /* the last is f */
    for (int i = 0; i < count; i++) {
        const BriEntry *e = &g->H.entry[of[i]];
        int row = w->place[e->row], c = -1;
        q[e->column] += e->value * f[row];
        for (int j = 0; j < count; j++) {
            if (j > 0 && g->H.entry[of[j]].column == g->H.entry[of[j - 1]].column) continue;
            c++;
            if (!bri_add_entry(w->allocator, W, e->column, g->H.entry[of[j]].column, e->value * X[c * n + row]))
                return false;
        }
    }
    return true;
}

static const char *add_parts(const Work *w, double *q, BriEntries *W) {
    const char *wrong = BRI_NO_ROOM;
    for (int part = 0; part < w->parts; part++) {
        int n = w->begin[part + 1] - w->begin[part], count = w->H_begin[part + 1] - w->H_begin[part];
        if (count == 0) continue;
        if (n > LARGEST_PART) return "M has a part of more than 3000 freedoms; make the problem local first";
        int *of = w->H_of + w->H_begin[part];
        sort_by_column(w->g->H.entry, of, count);
        int columns = count_columns(w->g->H.entry, of, count);
        size_t numbers = (size_t)n * (size_t)(n + columns + 1);
        double *room = bri_allocate(w->allocator, numbers, sizeof *room);
        int *pivot = bri_allocate(w->allocator, (size_t)n, sizeof *pivot);
        bool fine = room && pivot && add_part(w, part, columns, room, pivot, q, W, &wrong);
        bri_release(w->allocator, room);
        bri_release(w->allocator, pivot);
        if (!fine) return wrong;
    }
    return NULL;
}

const char *bri_condense(const BrAllocator *allocator, const BriGlobal *global, double *q, BriEntries *W) {
    size_t n = (size_t)global->freedoms, m = (size_t)global->M.count, h = (size_t)global->H.count;
    Work w = {.allocator = allocator, .g = global};
    int *room = w.part = bri_allocate(allocator, 6 * n + 3 + m + h, sizeof *room);
    if (!room) return BRI_NO_ROOM;
    w.place = w.part + n;
    w.freedom = w.place + n;
    w.begin = w.freedom + n;
    w.M_begin = w.begin + n + 1;
    w.H_begin = w.M_begin + n + 1;
    w.M_of = w.H_begin + n + 1;
    w.H_of = w.M_of + m;
    find_parts(&w);
    sort_by_part(w.parts, (int64_t)n, w.part, NULL, w.begin, w.freedom);
    sort_by_part(w.parts, global->M.count, w.part, global->M.entry, w.M_begin, w.M_of);
    sort_by_part(w.parts, global->H.count, w.part, global->H.entry, w.H_begin, w.H_of);
    for (int part = 0; part < w.parts; part++)
        for (int i = w.begin[part]; i < w.begin[part + 1]; i++) w.place[w.freedom[i]] = i - w.begin[part];
    const char *wrong = add_parts(&w, q, W);
    bri_release(allocator, room);
    return wrong;
}
