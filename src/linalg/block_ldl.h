/* block_ldl.h: sparse factorization K = L D L^T of a symmetric matrix made of small dense blocks.
 *
 * The matrix lives on a graph: a node is a block row of 1 to 6 scalars, an edge a block. Nodes are eliminated in an
 * order found once (least degree first, so that trees and chains cost O(n)); the pattern, the places of
 * all blocks and the list of updates are laid down then, and numbers flow through them afterwards.
 *
 * K may be a saddle: node a may be told to come after node b (a joint after the body it hangs on), and nodes may be
 * told to come last (joints that close loops). Pivot blocks are then definite, of either sign, and no pivoting is
 * needed. Scalar rows can be left out: by order of the caller (`off`), or because nothing of them remains in a node
 * marked `droppable` (they depend on the rows before). A row left out has a zero in the solution. */
#ifndef BRI_BLOCK_LDL_H
#define BRI_BLOCK_LDL_H

#include "base/base.h"

enum { BRI_BLOCK = 6 };

typedef struct BriGraph {
    int nodes;
    const int *size;  /* 1..6, per node */
    const int *after; /* per node: one that must be eliminated before it, or -1 */
    const bool *last; /* per node: after all others */
    int edges;
    const int (*edge)[2]; /* pairs of different nodes, each pair at most once */
} BriGraph;

typedef struct BriBlockLdl {
    int nodes, edges;
    int *size;           /* per node, */
    int *used;           /* without the rows left out at its end: blocks are no larger than that */
    int *row;            /* per node: first scalar row */
    int rows;            /* scalars in all */
    int *order;          /* position -> node */
    int *position;       /* node -> position */
    int *begin;          /* per position, nodes + 1: range in `below` */
    int *below;          /* nodes of the blocks below the pivot, by rising position */
    int *place;          /* per entry of `below`: where its block starts in `value` */
    int *pivot;          /* per node: where its inverted pivot starts in `value` */
    int *edge_place;     /* per edge: where its block starts */
    bool *edge_turned;   /* per edge: the stored block is that of (second, first) */
    int *update_begin;   /* per position: range in `update` */
    int *update;         /* where L_y X_x^T is taken off, for x <= y in `below` */
    int *part;           /* per node: which of the parts that no edge connects it is in */
    int *part_begin;     /* per part, and one more: range in `part_position` */
    int *part_position;  /* the positions of each part, rising */
    int values, cleared; /* untouched pivots lie behind `cleared` and stay from one factorization to the next */
    double *value;
    double *column;             /* scratch: one column of blocks */
    bool *droppable;            /* per node */
    unsigned char *off;         /* per node: bit k set = row k left out by order */
    unsigned char *dropped;     /* per node: bit k set = row k was found dependent */
    bool *untouched, *inverted; /* per node: nothing is taken off its pivot before its turn; it came inverted */
    double *scale;              /* per scalar row of droppable nodes: what its pivot is compared with */
    double dependent;           /* the part of `scale` a pivot must exceed; the caller may change it */
    int dropped_rows;
    double factor_work, solve_work; /* operations of one, for budgets */
} BriBlockLdl;

BrStatus bri_ldl_create(const BriGraph *graph, const BrAllocator *allocator, BriBlockLdl *ldl, BrError *error);
void bri_ldl_release(BriBlockLdl *ldl, const BrAllocator *allocator);

/* Before each factorization: clear, then write all edges and pivots; pivots of untouched nodes stay as they were. */
void bri_ldl_clear(BriBlockLdl *ldl);
/* Rows of a node that are left out by order, as bits; before its pivot and edges. Those at its end cost nothing. */
void bri_ldl_set_off(BriBlockLdl *ldl, int node, unsigned rows);
/* The pivot block, used x used by rows, and its inverse, which spares work where the node is untouched. Pivots of size
 * 6 must not couple their first three rows with the last three (mass and inertia): that spares more. */
void bri_ldl_set_pivot(BriBlockLdl *ldl, int node, const double *pivot, const double *inverse);
/* Sets the block of an edge: `block` has the used rows of edge[1]'s node and the columns of edge[0]'s. */
void bri_ldl_set_edge(BriBlockLdl *ldl, int edge, const double *block, int rows, int columns);
void bri_ldl_factor(BriBlockLdl *ldl);

/* x <- K^-1 x, in place; x has `rows` scalars, node by node at `row[node]`. */
void bri_ldl_solve(const BriBlockLdl *ldl, double *x);

/* The same for an x that is zero but in one part: the work of that part alone. */
void bri_ldl_solve_part(const BriBlockLdl *ldl, int part, double *x);
/* Zeros in x, in that part. */
void bri_ldl_clear_part(const BriBlockLdl *ldl, int part, double *x);

/* Half a solve, for b^T K^-1 c with vectors that are zero but in a node or two: with b = L y and c = L z it is y^T D^-1 z.
 * y is zero but in nodes that are eliminated after those, along a path. Its positions, rising, into `path`, and its scalars
 * counted in *width; a or b may be -1. Returns how many, 0 if they have more than `most` scalars. */
int bri_ldl_find_path(const BriBlockLdl *ldl, int a, int b, int most, int *path, int *width);
/* x <- L^-1 x along a path, x being zero elsewhere. */
void bri_ldl_go_down(const BriBlockLdl *ldl, const int *path, int count, double *x);
/* x <- D^-1 x there. */
void bri_ldl_divide(const BriBlockLdl *ldl, const int *path, int count, double *x);

/* The elimination order alone (block_order.c): order[position] = node. */
BrStatus bri_order_nodes(const BriGraph *graph, const BrAllocator *allocator, int *order, BrError *error);

#endif
