/* block_order.c: in which order to eliminate the nodes of a graph.
 *
 * Greedy least degree: the node with the fewest scalars in its neighbourhood goes first, its neighbours become a
 * clique. Ties go to the lower number, so the order depends on the graph alone. Cliques are written out: for trees,
 * chains and machines with a few loops that is as cheap as anything cleverer. */
#include "linalg/block_ldl.h"

typedef struct Neighbours {
    int count, capacity;
    int *node; /* sorted */
} Neighbours;

typedef struct Order {
    const BriGraph *graph;
    const BrAllocator *allocator;
    Neighbours *neighbours;
    int *heap;     /* node numbers, least key on top */
    int *where;    /* node -> place in the heap, -1 when eliminated */
    int *weight;   /* node -> scalars in the neighbourhood */
    bool *blocked; /* node waits for graph->after */
    int count;
} Order;

static bool comes_before(const Order *o, int a, int b) {
    if (o->blocked[a] != o->blocked[b]) return o->blocked[b];
    if (o->graph->last[a] != o->graph->last[b]) return o->graph->last[b];
    if (o->weight[a] != o->weight[b]) return o->weight[a] < o->weight[b];
    return a < b;
}

static void place(Order *o, int slot, int node) {
    o->heap[slot] = node;
    o->where[node] = slot;
}

static void sift(Order *o, int node) {
    int slot = o->where[node];
    while (slot > 0 && comes_before(o, node, o->heap[(slot - 1) / 2])) {
        place(o, slot, o->heap[(slot - 1) / 2]);
        slot = (slot - 1) / 2;
    }
    for (int child; (child = 2 * slot + 1) < o->count; slot = child) {
        if (child + 1 < o->count && comes_before(o, o->heap[child + 1], o->heap[child])) child++;
        if (!comes_before(o, o->heap[child], node)) break;
        place(o, slot, o->heap[child]);
    }
    place(o, slot, node);
}

/* Adds b to a's neighbours, keeping them sorted; twice is once. */
static bool connect(Order *o, int a, int b) {
    Neighbours *n = &o->neighbours[a];
    int low = 0, high = n->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (n->node[middle] < b)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < n->count && n->node[low] == b) return true;
    if (!bri_grow(o->allocator, (void **)&n->node, n->count, &n->capacity, sizeof(int))) return false;
    for (int i = n->count; i > low; i--) n->node[i] = n->node[i - 1];
    n->node[low] = b;
    n->count++;
    o->weight[a] += o->graph->size[b];
    return true;
}

static void disconnect(Order *o, int a, int b) {
    Neighbours *n = &o->neighbours[a];
    int kept = 0;
    for (int i = 0; i < n->count; i++)
        if (n->node[i] != b) n->node[kept++] = n->node[i];
    n->count = kept;
    o->weight[a] -= o->graph->size[b];
}

/* Takes the top node out and joins its neighbours. */
static bool eliminate(Order *o, int *eliminated) {
    int node = o->heap[0], moved = o->heap[--o->count];
    *eliminated = node;
    o->where[node] = -1;
    if (moved != node) {
        place(o, 0, moved);
        sift(o, moved);
    }
    Neighbours *n = &o->neighbours[node];
    for (int i = 0; i < n->count; i++) disconnect(o, n->node[i], node);
    for (int i = 0; i < n->count; i++)
        for (int j = 0; j < n->count; j++)
            if (i != j && !connect(o, n->node[i], n->node[j])) return false;
    for (int i = 0; i < n->count; i++) {
        int other = n->node[i];
        if (o->graph->after[other] == node) o->blocked[other] = false;
        sift(o, other);
    }
    return true;
}

static bool start(Order *o) {
    const BriGraph *g = o->graph;
    size_t n = (size_t)g->nodes;
    o->neighbours = bri_allocate(o->allocator, n, sizeof *o->neighbours);
    o->heap = bri_allocate(o->allocator, n, sizeof(int));
    o->where = bri_allocate(o->allocator, n, sizeof(int));
    o->weight = bri_allocate(o->allocator, n, sizeof(int));
    o->blocked = bri_allocate(o->allocator, n, sizeof(bool));
    if (!o->neighbours || !o->heap || !o->where || !o->weight || !o->blocked) return false;
    for (int e = 0; e < g->edges; e++)
        if (!connect(o, g->edge[e][0], g->edge[e][1]) || !connect(o, g->edge[e][1], g->edge[e][0])) return false;
    for (int i = 0; i < g->nodes; i++) {
        o->blocked[i] = g->after[i] >= 0;
        place(o, i, i);
        o->count++;
        sift(o, i);
    }
    return true;
}

BrStatus bri_order_nodes(const BriGraph *graph, const BrAllocator *allocator, int *order, BrError *error) {
    Order o = {.graph = graph, .allocator = allocator};
    bool done = start(&o);
    for (int k = 0; done && k < graph->nodes; k++) {
        BRI_ASSERT(!o.blocked[o.heap[0]]);
        done = eliminate(&o, &order[k]);
    }
    for (int i = 0; o.neighbours && i < graph->nodes; i++) bri_release(allocator, o.neighbours[i].node);
    bri_release(allocator, o.neighbours);
    bri_release(allocator, o.heap);
    bri_release(allocator, o.where);
    bri_release(allocator, o.weight);
    bri_release(allocator, o.blocked);
    return done ? BR_OK : bri_fail(error, BR_OUT_OF_MEMORY, "no memory to order %d blocks", graph->nodes);
}
