/* cholesky_layout.c: where the blocks of the factor lie, and which of them meet (block_cholesky.h).
 *
 * From the groups of the elimination order: their tree (a group's parent holds the first row below it); its nodes
 * numbered so that children come just before their parents (postorder); wide groups cut into panels that fit a cache.
 * Joining groups further, with or without zeros between them, was tried and gained nothing: 6 x 6 blocks are wide enough. */
#include "linalg/block_cholesky.h"

#include <string.h>

/* Columns of a panel, at most. From 4 to 16 the time is the same; narrow ones waste less above the diagonal, and 100 rows
 * of 6 x 36 numbers are 170 KB. */
enum { WIDEST = 6 };

typedef struct Layout {
    BriCholesky *c;
    const BrAllocator *allocator;
    const BriDegreeOrder *order;
    int *parent, *child, *sibling; /* of groups; one more: the root of the roots */
    int *sequence;                 /* groups as they are numbered */
    int *group;                    /* per node */
    int *row_end;                  /* per group: end of its rows in c->row so far */
    int *begin, *column;           /* per position: range in `column`, the groups that have it as a row */
    int *panel_of;                 /* per position */
} Layout;

static int count_columns(const BriDegreeOrder *o, int g) { return o->group_begin[g + 1] - o->group_begin[g]; }
static int count_below(const BriDegreeOrder *o, int g) { return o->below_begin[g + 1] - o->below_begin[g]; }

/* ------------------------------------------------------------------ tree */

/* Groups are numbered as they are eliminated: the least number below is the parent's. */
static void find_parents(Layout *l) {
    const BriDegreeOrder *o = l->order;
    for (int g = 0; g < o->groups; g++)
        for (int i = o->group_begin[g]; i < o->group_begin[g + 1]; i++) l->group[o->order[i]] = g;
    for (int g = 0; g < o->groups; g++) {
        int parent = o->groups;
        for (int i = o->below_begin[g]; i < o->below_begin[g + 1]; i++)
            if (l->group[o->below.at[i]] < parent) parent = l->group[o->below.at[i]];
        l->parent[g] = parent;
    }
}

/* Children in rising order. */
static void link_children(Layout *l) {
    int groups = l->order->groups;
    for (int g = 0; g <= groups; g++) l->child[g] = -1;
    for (int g = groups - 1; g >= 0; g--) {
        l->sibling[g] = l->child[l->parent[g]];
        l->child[l->parent[g]] = g;
    }
}

static int find_leaf(const Layout *l, int g) {
    while (l->child[g] >= 0) g = l->child[g];
    return g;
}

/* Children before parents, and the nodes of a group in the order they had. */
static void number_nodes(Layout *l) {
    const BriDegreeOrder *o = l->order;
    int position = 0, count = 0;
    for (int g = find_leaf(l, o->groups); g < o->groups;) {
        l->sequence[count++] = g;
        for (int i = o->group_begin[g]; i < o->group_begin[g + 1]; i++) l->c->position[o->order[i]] = position++;
        g = l->sibling[g] >= 0 ? find_leaf(l, l->sibling[g]) : l->parent[g];
    }
}

/* ------------------------------------------------------------------ panels */

/* Cuts columns that have the same rows, listed from `row_begin` on, into panels of nearly equal width. */
static void cut_panels(BriCholesky *c, int first, int columns, int row_begin, int below) {
    int parts = (columns + WIDEST - 1) / WIDEST, begin = 0;
    for (int k = 1; k <= parts; k++) {
        int end = (int)((int64_t)columns * k / parts), rows = columns - begin + below;
        c->panel[c->panels++] = (BriPanel){first + begin, end - begin, row_begin + begin, rows, 0, 0, 0};
        begin = end;
    }
}

/* The panels of all groups, with their own columns as the first rows. */
static void make_panels(Layout *l) {
    BriCholesky *c = l->c;
    int first = 0, row_begin = 0;
    c->panels = 0;
    for (int i = 0; i < l->order->groups; i++) {
        int g = l->sequence[i], end = first + count_columns(l->order, g), below = count_below(l->order, g);
        cut_panels(c, first, end - first, row_begin, below);
        for (; first < end; first++) c->row[row_begin++] = first;
        l->row_end[g] = row_begin; /* its rows are to come */
        row_begin += below;
    }
}

/* Rows below, rising: from the lists of rows per column to columns per row, and back. */
static void sort_rows(Layout *l) {
    const BriDegreeOrder *o = l->order;
    const int *position = l->c->position;
    int nodes = l->c->nodes;
    memset(l->begin, 0, (size_t)(nodes + 1) * sizeof(int));
    for (int g = 0; g < o->groups; g++)
        for (int i = o->below_begin[g]; i < o->below_begin[g + 1]; i++) l->begin[position[o->below.at[i]]]++;
    for (int p = 0, sum = 0; p <= nodes; p++) {
        sum += l->begin[p];
        l->begin[p] = sum;
    }
    for (int g = 0; g < o->groups; g++)
        for (int i = o->below_begin[g]; i < o->below_begin[g + 1]; i++)
            l->column[--l->begin[position[o->below.at[i]]]] = g;
    for (int p = 0; p < nodes; p++)
        for (int i = l->begin[p]; i < l->begin[p + 1]; i++) l->c->row[l->row_end[l->column[i]]++] = p;
}

/* ------------------------------------------------------------------ work */

/* Blocks of L as they are stored, with the few above the diagonal of wide panels. */
static void count_blocks(BriCholesky *c) {
    c->blocks = 0;
    for (int p = 0; p < c->panels; p++) {
        c->panel[p].block = (int)c->blocks;
        c->blocks += (int64_t)c->panel[p].columns * c->panel[p].rows;
        if (c->blocks > c->most_blocks) return;
    }
}

/* Operations as long as 1 ns, measured where vectors have four numbers: a block times a block is 20, its way to where it
 * belongs 6, a pivot 70; a solve meets each block twice for 6 and each pivot twice for 20. The same on all CPUs: callers
 * may choose a method by it. */
static void measure_work(BriCholesky *c) {
    const double PRODUCT = 20, PLACE = 6, PIVOT = 70, PASS = 6, PIVOT_PASS = 20;
    c->factor_work = c->solve_work = 0;
    for (int p = 0; p < c->panels; p++) {
        double columns = c->panel[p].columns, rows = c->panel[p].rows, below = rows - columns;
        double inside = columns * rows * (columns + 1) / 2, pairs = below * (below + 1) / 2;
        c->factor_work += PIVOT * columns + PRODUCT * inside + pairs * (PRODUCT * columns + PLACE);
        c->solve_work += 2 * (PIVOT_PASS * columns + PASS * columns * rows);
    }
}

/* ------------------------------------------------------------------ updates */

/* The rows behind `from` that are columns of the same panel; returns the first that is not. */
static int find_run(const BriCholesky *c, const BriPanel *p, int from, const int *panel_of) {
    const int *row = c->row + p->row_begin;
    int to = from + 1;
    while (to < p->rows && panel_of[row[to]] == panel_of[row[from]]) to++;
    return to;
}

static void number_panels(const BriCholesky *c, int *panel_of) {
    for (int p = 0; p < c->panels; p++)
        for (int k = 0; k < c->panel[p].columns; k++) panel_of[c->panel[p].first + k] = p;
}

/* How many updates there are, and how many rows they name. */
static void count_updates(const BriCholesky *c, const int *panel_of, int64_t *updates, int64_t *rows) {
    *updates = *rows = 0;
    for (int p = 0; p < c->panels; p++)
        for (int from = c->panel[p].columns; from < c->panel[p].rows;) {
            *updates += 1;
            *rows += c->panel[p].rows - from;
            from = find_run(c, &c->panel[p], from, panel_of);
        }
}

/* Where the panel that an update reaches lists the rows: both lists rise, and it has them all. */
static void find_relative(const BriCholesky *c, const BriPanel *source, const BriPanelUpdate *u) {
    const int *row = c->row + source->row_begin, *target = c->row + c->panel[u->panel].row_begin;
    for (int i = u->from, k = 0; i < source->rows; i++) {
        while (target[k] != row[i]) k++;
        c->relative[u->relative + i - u->from] = k;
    }
}

static void list_updates(BriCholesky *c, const int *panel_of) {
    int relative = 0;
    c->updates = 0;
    for (int p = 0; p < c->panels; p++) {
        BriPanel *panel = &c->panel[p];
        panel->update_begin = c->updates;
        for (int from = panel->columns; from < panel->rows;) {
            BriPanelUpdate *u = &c->update[c->updates++];
            int to = find_run(c, panel, from, panel_of);
            *u = (BriPanelUpdate){panel_of[c->row[panel->row_begin + from]], from, to, relative};
            find_relative(c, panel, u);
            relative += panel->rows - from;
            from = to;
        }
        panel->updates = c->updates - panel->update_begin;
    }
}

/* ------------------------------------------------------------------ places of A */

static int find_row(const BriCholesky *c, const BriPanel *p, int position) {
    int low = 0, high = p->rows - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (c->row[p->row_begin + middle] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int find_block(const BriCholesky *c, const int *panel_of, int row, int column) {
    const BriPanel *p = &c->panel[panel_of[column]];
    return p->block + find_row(c, p, row) * p->columns + column - p->first;
}

static void place_matrix(BriCholesky *c, const int *panel_of) {
    for (int i = 0; i < c->nodes; i++) c->pivot_block[i] = find_block(c, panel_of, c->position[i], c->position[i]);
    for (int e = 0; e < c->edges; e++) {
        int a = c->position[c->edge[e][0]], b = c->position[c->edge[e][1]];
        c->edge_turned[e] = a > b;
        c->edge_block[e] = a > b ? find_block(c, panel_of, a, b) : find_block(c, panel_of, b, a);
    }
}

/* ------------------------------------------------------------------ all of it */

static bool make_layout_room(Layout *l) {
    enum { KEPT = 2, SCRATCH = 8 };
    BriCholesky *c = l->c;
    int64_t n = c->nodes + 1, below = l->order->below_begin[l->order->groups];
    if (!bri_make_ints(&c->per_node, l->allocator, KEPT * n, 0) ||
        !bri_make_ints(&c->per_edge, l->allocator, 2 * (int64_t)c->edges, 0) ||
        !bri_make_ints(&c->rows, l->allocator, c->nodes + below, 0) ||
        !bri_make_ints(&c->scratch, l->allocator, SCRATCH * n + below, 0) ||
        !bri_make_numbers((void **)&c->panel, &c->panel_capacity, l->allocator, c->nodes, sizeof *c->panel))
        return false;
    c->position = c->per_node.at;
    c->pivot_block = c->per_node.at + n;
    c->edge_block = c->per_edge.at;
    c->edge_turned = c->per_edge.at + c->edges;
    c->row = c->rows.at;
    int **array[SCRATCH + 1] = {&l->parent,  &l->child, &l->sibling,  &l->sequence, &l->group,
                                &l->row_end, &l->begin, &l->panel_of, &l->column};
    for (int k = 0; k <= SCRATCH; k++) *array[k] = c->scratch.at + k * n;
    return true;
}

static bool make_number_room(BriCholesky *c, const BrAllocator *allocator, int64_t updates, int64_t relative) {
    int64_t blocks = (int64_t)c->nodes + c->edges;
    if (!bri_make_ints(&c->targets, allocator, relative, 0) ||
        !bri_make_numbers((void **)&c->update, &c->update_capacity, allocator, updates, sizeof *c->update) ||
        !bri_make_numbers((void **)&c->matrix, &c->matrix_capacity, allocator, 36 * blocks + 6 * (int64_t)c->nodes,
                          sizeof *c->matrix) ||
        !bri_make_numbers((void **)&c->factor, &c->factor_capacity, allocator, 36 * c->blocks, sizeof *c->factor))
        return false;
    c->relative = c->targets.at;
    c->x = c->matrix + 36 * blocks;
    return true;
}

static BriAnalysis lay_out(BriCholesky *c, const BrAllocator *allocator) {
    Layout l = {.c = c, .allocator = allocator, .order = &c->order};
    if (!make_layout_room(&l)) return BRI_ANALYSIS_NO_MEMORY;
    find_parents(&l);
    link_children(&l);
    number_nodes(&l);
    make_panels(&l);
    count_blocks(c);
    measure_work(c);
    if (c->blocks > c->most_blocks) return BRI_ANALYSIS_TOO_LARGE;
    sort_rows(&l);
    number_panels(c, l.panel_of);
    c->panel_of = l.panel_of;
    return BRI_ANALYSIS_DONE;
}

BriAnalysis bri_cholesky_make_room(BriCholesky *c, const BrAllocator *allocator) {
    int64_t updates, relative;
    if (c->has_room) return BRI_ANALYSIS_DONE;
    count_updates(c, c->panel_of, &updates, &relative);
    if (relative > INT32_MAX) return BRI_ANALYSIS_TOO_LARGE;
    if (!make_number_room(c, allocator, updates, relative)) return BRI_ANALYSIS_NO_MEMORY;
    list_updates(c, c->panel_of);
    place_matrix(c, c->panel_of);
    c->has_room = true;
    return BRI_ANALYSIS_DONE;
}

void bri_cholesky_give_back(BriCholesky *c, const BrAllocator *allocator) {
    void *numbers[] = {c->update, c->matrix, c->factor, c->targets.at};
    for (int i = 0; i < BRI_COUNT(numbers); i++) bri_release(allocator, numbers[i]);
    c->update = NULL;
    c->matrix = c->factor = NULL;
    c->targets = (BriInts){0};
    c->update_capacity = c->matrix_capacity = c->factor_capacity = 0;
    c->has_room = false;
}

static bool is_same_graph(const BriCholesky *c, int nodes, int edges, const int (*edge)[2], int most_blocks) {
    return c->analysed && c->nodes == nodes && c->edges == edges && c->most_blocks == most_blocks &&
           (edges == 0 || memcmp(c->edge, edge, (size_t)edges * sizeof *edge) == 0);
}

BriAnalysis bri_cholesky_lay_out(BriCholesky *c, const BrAllocator *allocator, int nodes, int edges,
                                 const int (*edge)[2], int most_blocks) {
    const int MOST = INT32_MAX / 2; /* so that sums of two counts are still integers */
    if (most_blocks > MOST) most_blocks = MOST;
    if (is_same_graph(c, nodes, edges, edge, most_blocks)) return c->analysis;
    c->analysed = c->has_room = false;
    if (!bri_make_ints(&c->kept_edges, allocator, 2 * (int64_t)edges, 0)) return BRI_ANALYSIS_NO_MEMORY;
    c->edge = (int(*)[2])c->kept_edges.at;
    if (edges > 0) memcpy(c->edge, edge, (size_t)edges * sizeof *edge);
    c->nodes = nodes;
    c->edges = edges;
    c->most_blocks = most_blocks;
    c->wide = bri_has_wide_vectors();
    c->factor_work = c->solve_work = __builtin_inf();
    c->analysis = bri_order_by_degree(&c->order, allocator, nodes, edges, edge, most_blocks);
    c->blocks = c->order.blocks;
    if (c->analysis == BRI_ANALYSIS_DONE) c->analysis = lay_out(c, allocator);
    c->analysed = c->analysis != BRI_ANALYSIS_NO_MEMORY; /* next time there may be some */
    return c->analysis;
}

BriAnalysis bri_cholesky_analyse(BriCholesky *c, const BrAllocator *allocator, int nodes, int edges,
                                 const int (*edge)[2], int most_blocks) {
    BriAnalysis analysis = bri_cholesky_lay_out(c, allocator, nodes, edges, edge, most_blocks);
    return analysis == BRI_ANALYSIS_DONE ? bri_cholesky_make_room(c, allocator) : analysis;
}

void bri_cholesky_release(BriCholesky *c, const BrAllocator *allocator) {
    void *owned[] = {c->panel, c->kept_edges.at, c->per_node.at, c->per_edge.at, c->rows.at, c->scratch.at};
    bri_cholesky_give_back(c, allocator);
    for (int i = 0; i < BRI_COUNT(owned); i++) bri_release(allocator, owned[i]);
    bri_release_degree_order(&c->order, allocator);
    *c = (BriCholesky){0};
}
