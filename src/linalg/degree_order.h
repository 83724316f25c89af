/* degree_order.h: in which order to eliminate the nodes of a graph so that few blocks fill (approximate minimum degree),
 * and which blocks the columns have then.
 *
 * For graphs with many loops, as contacts make them; block_order.c is for machines, whose joints have to wait for their
 * bodies. The order depends on the graph alone: of nodes with equal degrees the lowest goes first. */
#ifndef BRI_DEGREE_ORDER_H
#define BRI_DEGREE_ORDER_H

#include "base/base.h"

/* Integers whose room grows (bri_with_spare()) and is kept. */
typedef struct BriInts {
    int *at;
    int64_t capacity;
} BriInts;

/* Room for `count`, the first `kept` of which keep their values. false: no memory, nothing lost. */
bool bri_make_ints(BriInts *ints, const BrAllocator *allocator, int64_t count, int64_t kept);

typedef enum BriAnalysis {
    BRI_ANALYSIS_DONE,
    BRI_ANALYSIS_TOO_LARGE, /* more blocks than allowed */
    BRI_ANALYSIS_NO_MEMORY,
} BriAnalysis;

/* Nodes are eliminated in groups: a pivot, and the nodes that have no other neighbours left than it has. The columns of
 * a group have the same rows below the group. All zero is empty. */
typedef struct BriDegreeOrder {
    int groups;
    int *order;       /* nodes, as they are eliminated */
    int *group_begin; /* per group, and one more: range in `order` */
    int *below_begin; /* per group, and one more: range in `below` */
    BriInts below;    /* nodes of the blocks below each group, in no order */
    int64_t blocks;   /* of the factor, pivots included */
    /* room and scratch */
    BriInts per_node, adjacency;
} BriDegreeOrder;

/* Stops as soon as there are more than `most_blocks`. */
BriAnalysis bri_order_by_degree(BriDegreeOrder *order, const BrAllocator *allocator, int nodes, int edges,
                                const int (*edge)[2], int most_blocks);
void bri_release_degree_order(BriDegreeOrder *order, const BrAllocator *allocator);

#endif
