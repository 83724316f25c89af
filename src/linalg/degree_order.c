/* degree_order.c: see degree_order.h.
 *
 * Eliminating a node joins its neighbours to a clique. Cliques are not written out: the eliminated group stays in the
 * graph as an *element*, a list of the nodes it joins (quotient graph). With A_i the nodes and E_i the elements next to
 * node i, L_e the nodes of element e, and p the pivot:
 *     L_p = A_p + union of L_e, e in E_p, without p       the new element; those in E_p are absorbed by it
 *     d_i = |A_i \ L_p| + |L_p \ i| + sum of |L_e \ L_p|, e in E_i \ p     for i in L_p
 * d_i is at most what was known before and |L_p \ i|, and counts nodes twice that lie in two elements: an upper bound of
 * the degree that costs no search [Amestoy, Davis, Duff: SIAM J. Matrix Anal. Appl. 17 (1996), 886]. Elements whose nodes
 * all lie in L_p are absorbed too. Where we differ: nodes that look alike are not merged before their turn; those with
 * no neighbour outside L_p go together with the pivot, and are left out of the others' degrees.
 *
 * L_p is the pattern of the factor's column: nothing has to be eliminated a second time to find it. */
#include "linalg/degree_order.h"

#include <string.h>

bool bri_make_ints(BriInts *ints, const BrAllocator *allocator, int64_t count, int64_t kept) {
    if (ints->at && count <= ints->capacity) return true;
    int64_t capacity = bri_with_spare(count, sizeof *ints->at);
    int *larger = bri_allocate(allocator, (size_t)capacity, sizeof *larger);
    if (!larger) return false;
    if (ints->at && kept > 0) memcpy(larger, ints->at, (size_t)kept * sizeof *larger);
    bri_release(allocator, ints->at);
    *ints = (BriInts){larger, capacity};
    return true;
}

typedef struct Quotient {
    BriDegreeOrder *result;
    const BrAllocator *allocator;
    int *begin;                /* per node, and one more: its range in `adjacency`; nodes from the left, elements */
    int *adjacency;            /* from the right, so that either can lose members */
    int *variables, *elements; /* per node: how many of each */
    int *degree;               /* per node: the bound */
    uint64_t *heap;         /* degree and number of each node, least on top; in one, so that no other array is read */
    int *where;             /* per node: place in the heap */
    int *mark;              /* per node: 1 + last group whose list it was in */
    int *outside, *counted; /* per element: |L_e \ L_p|, and 1 + the group p it was counted for */
    int *sees;              /* per node of L_p: how many nodes outside */
    int *absorbed;          /* per element: 1 once others hold its nodes */
    int count;              /* in the heap */
} Quotient;

/* ------------------------------------------------------------------ heap */

/* Of equal degrees the lower number comes first. */
static uint64_t make_key(const Quotient *q, int node) { return (uint64_t)q->degree[node] << 32 | (uint32_t)node; }

static int read_node(uint64_t key) { return (int)(uint32_t)key; }

static void put(Quotient *q, int slot, uint64_t key) {
    q->heap[slot] = key;
    q->where[read_node(key)] = slot;
}

static void sift(Quotient *q, int node) {
    int slot = q->where[node];
    uint64_t key = make_key(q, node);
    while (slot > 0 && key < q->heap[(slot - 1) / 2]) {
        put(q, slot, q->heap[(slot - 1) / 2]);
        slot = (slot - 1) / 2;
    }
    for (int child; (child = 2 * slot + 1) < q->count; slot = child) {
        if (child + 1 < q->count && q->heap[child + 1] < q->heap[child]) child++;
        if (q->heap[child] >= key) break;
        put(q, slot, q->heap[child]);
    }
    put(q, slot, key);
}

/* Out of the heap and into the order. */
static void take_out(Quotient *q, int node) {
    BriDegreeOrder *r = q->result;
    int slot = q->where[node], moved = read_node(q->heap[--q->count]);
    r->order[r->group_begin[r->groups + 1]++] = node;
    if (moved == node) return;
    q->where[moved] = slot;
    sift(q, moved);
}

/* ------------------------------------------------------------------ elimination */

/* Adds a node to the list of the group that is being made; twice is once. */
static void gather(Quotient *q, int node) {
    BriDegreeOrder *r = q->result;
    if (q->mark[node] == r->groups + 1) return;
    q->mark[node] = r->groups + 1;
    r->below.at[r->below_begin[r->groups + 1]++] = node;
}

/* L_p. The pivot has a mark, so it does not come in. */
static bool gather_neighbours(Quotient *q, int pivot) {
    BriDegreeOrder *r = q->result;
    int begin = r->below_begin[r->groups];
    if (!bri_make_ints(&r->below, q->allocator, (int64_t)begin + q->count, begin)) return false;
    q->mark[pivot] = r->groups + 1;
    for (int k = 0; k < q->variables[pivot]; k++) gather(q, q->adjacency[q->begin[pivot] + k]);
    for (int k = 1; k <= q->elements[pivot]; k++) {
        int e = q->adjacency[q->begin[pivot + 1] - k];
        q->absorbed[e] = 1;
        for (int i = r->below_begin[e]; i < r->below_begin[e + 1]; i++) gather(q, r->below.at[i]);
    }
    return true;
}

/* |L_e \ L_p| of all elements next to nodes of L_p. */
static void count_outside(Quotient *q) {
    const BriDegreeOrder *r = q->result;
    int p = r->groups;
    for (int i = r->below_begin[p]; i < r->below_begin[p + 1]; i++) {
        int end = q->begin[r->below.at[i] + 1];
        for (int k = 1; k <= q->elements[r->below.at[i]]; k++) {
            int e = q->adjacency[end - k];
            if (q->counted[e] != p + 1) q->outside[e] = r->below_begin[e + 1] - r->below_begin[e];
            q->counted[e] = p + 1;
            q->outside[e]--;
        }
    }
}

/* Takes out of a node's neighbours what L_p holds, and puts the new element in: there is room, because the node was
 * next to the pivot or to an element that is absorbed now. Returns how many nodes it sees outside L_p. */
static int prune_neighbours(Quotient *q, int node) {
    int p = q->result->groups, begin = q->begin[node], end = q->begin[node + 1];
    int variables = 0, elements = 0, sum = 0;
    for (int k = 0; k < q->variables[node]; k++) {
        int other = q->adjacency[begin + k];
        if (q->mark[other] != p + 1) q->adjacency[begin + variables++] = other;
    }
    for (int k = 1; k <= q->elements[node]; k++) {
        int e = q->adjacency[end - k];
        if (q->outside[e] == 0) q->absorbed[e] = 1;
        if (q->absorbed[e]) continue;
        sum += q->outside[e];
        q->adjacency[end - ++elements] = e;
    }
    q->adjacency[end - ++elements] = p;
    q->variables[node] = variables;
    q->elements[node] = elements;
    return sum + variables;
}

/* The nodes of L_p get their new neighbours and degrees; those that see nothing outside leave with the pivot. */
static void update_neighbours(Quotient *q) {
    BriDegreeOrder *r = q->result;
    int p = r->groups, begin = r->below_begin[p], kept = begin;
    for (int i = begin; i < r->below_begin[p + 1]; i++) {
        int node = r->below.at[i], outside = prune_neighbours(q, node);
        if (outside == 0) {
            take_out(q, node);
            continue;
        }
        r->below.at[kept++] = node;
        q->sees[node] = outside;
    }
    r->below_begin[p + 1] = kept;
    for (int i = begin; i < kept; i++) {
        int node = r->below.at[i], others = kept - begin - 1;
        int degree = (q->sees[node] < q->degree[node] ? q->sees[node] : q->degree[node]) + others;
        q->degree[node] = degree < q->count - 1 ? degree : q->count - 1;
        sift(q, node);
    }
}

static int compare_nodes(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Takes the top node out, with those that go with it, in rising order: lists have the order of the edges, which must not
 * matter. */
static bool eliminate(Quotient *q) {
    BriDegreeOrder *r = q->result;
    int p = r->groups, pivot = read_node(q->heap[0]);
    r->group_begin[p + 1] = r->group_begin[p];
    r->below_begin[p + 1] = r->below_begin[p];
    take_out(q, pivot);
    if (!gather_neighbours(q, pivot)) return false;
    count_outside(q);
    update_neighbours(q);
    int64_t columns = r->group_begin[p + 1] - r->group_begin[p], below = r->below_begin[p + 1] - r->below_begin[p];
    bri_sort(r->order + r->group_begin[p] + 1, (size_t)(columns - 1), sizeof(int), compare_nodes);
    r->blocks += columns * (columns + 1) / 2 + columns * below;
    r->groups++;
    return true;
}

/* ------------------------------------------------------------------ beginning */

static void carve(int **place, int **next, int count) {
    *place = *next;
    *next += count;
}

static bool make_room(Quotient *q, int nodes, int edges) {
    enum { ARRAYS = 13, HEAP = sizeof *q->heap / sizeof(int) };
    BriDegreeOrder *r = q->result;
    int n = nodes + 1;
    if (!bri_make_ints(&r->per_node, q->allocator, (int64_t)(HEAP + ARRAYS) * n, 0)) return false;
    if (!bri_make_ints(&r->adjacency, q->allocator, 2 * (int64_t)edges, 0)) return false;
    memset(r->per_node.at, 0, (HEAP + ARRAYS) * (size_t)n * sizeof(int));
    int **array[ARRAYS] = {&r->order,    &r->group_begin, &r->below_begin, &q->begin, &q->variables,
                           &q->elements, &q->degree,      &q->where,       &q->mark,  &q->outside,
                           &q->counted,  &q->absorbed,    &q->sees};
    int *next = r->per_node.at + (size_t)HEAP * (size_t)n;
    q->heap = (uint64_t *)(void *)r->per_node.at;
    for (int k = 0; k < ARRAYS; k++) carve(array[k], &next, n);
    q->adjacency = r->adjacency.at;
    return true;
}

/* Each node's neighbours, each once. Before there is a heap, `where` tells who was met last. */
static void list_neighbours(Quotient *q, int nodes, int edges, const int (*edge)[2]) {
    for (int e = 0; e < edges; e++)
        for (int end = 0; end < 2; end++) q->begin[edge[e][end] + 1]++;
    for (int i = 0; i < nodes; i++) q->begin[i + 1] += q->begin[i];
    for (int e = 0; e < edges; e++)
        for (int end = 0; end < 2; end++) {
            int node = edge[e][end];
            q->adjacency[q->begin[node] + q->variables[node]++] = edge[e][1 - end];
        }
    for (int i = 0; i < nodes; i++) {
        int *list = q->adjacency + q->begin[i], kept = 0;
        for (int k = 0; k < q->variables[i]; k++) {
            if (q->where[list[k]] == i + 1) continue;
            q->where[list[k]] = i + 1;
            list[kept++] = list[k];
        }
        q->variables[i] = q->degree[i] = kept;
    }
}

BriAnalysis bri_order_by_degree(BriDegreeOrder *order, const BrAllocator *allocator, int nodes, int edges,
                                const int (*edge)[2], int most_blocks) {
    Quotient q = {.result = order, .allocator = allocator};
    order->groups = 0;
    order->blocks = 0;
    if (!make_room(&q, nodes, edges)) return BRI_ANALYSIS_NO_MEMORY;
    list_neighbours(&q, nodes, edges, edge);
    for (int i = 0; i < nodes; i++) {
        q.where[i] = q.count++;
        sift(&q, i);
    }
    while (q.count > 0) {
        if (!eliminate(&q)) return BRI_ANALYSIS_NO_MEMORY;
        if (order->blocks > most_blocks) return BRI_ANALYSIS_TOO_LARGE;
    }
    return BRI_ANALYSIS_DONE;
}

void bri_release_degree_order(BriDegreeOrder *order, const BrAllocator *allocator) {
    bri_release(allocator, order->below.at);
    bri_release(allocator, order->per_node.at);
    bri_release(allocator, order->adjacency.at);
    *order = (BriDegreeOrder){0};
}
