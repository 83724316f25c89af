/* block_cholesky.h: sparse factorization A = L L^T of symmetric positive definite matrices made of 6 x 6 blocks.
 *
 * The matrix lives on a graph: a node (a body) is a block row, an edge (two bodies that touch) a block and its
 * transposed. Where block_ldl is for machines, whose factor has hardly more blocks than the machine, this is for networks
 * full of loops, whose factor is mostly fill: the order comes from approximate degrees (degree_order.h), and columns with
 * the same rows are worked on together, as *panels* (supernodes).
 *
 * A and L have arrays of their own: A may be filled anew while the last factor still serves as a preconditioner. */
#ifndef BRI_BLOCK_CHOLESKY_H
#define BRI_BLOCK_CHOLESKY_H

#include "linalg/degree_order.h"
#include "linalg/dense.h"

/* What a panel takes off another: rows `from` to `to` of its list are columns of `panel`; `relative` says where that
 * panel lists these rows and all behind them. */
typedef struct BriPanelUpdate {
    int panel, from, to, relative;
} BriPanelUpdate;

/* Columns `first` to `first` + `columns` of L, and the rows that have blocks in them: the columns themselves, then
 * those below, rising. The blocks lie row by row, those of a row by columns, 36 numbers each by columns. The blocks of a
 * row are thus one 6 x 6k matrix. */
typedef struct BriPanel {
    int first, columns;
    int row_begin, rows;       /* range in `row` */
    int update_begin, updates; /* range in `update` */
    int block;                 /* first in `factor` */
} BriPanel;

/* All zero is empty. */
typedef struct BriCholesky {
    int nodes, edges;
    int (*edge)[2];  /* the graph that was analysed */
    int most_blocks; /* that were allowed then */
    BriAnalysis analysis;
    bool analysed;
    bool has_room; /* for numbers */
    int panels, updates;
    int64_t blocks;                 /* of L; if there are too many: as far as they were counted */
    double factor_work, solve_work; /* operations of one, about 1 ns each */
    BriPanel *panel;
    BriPanelUpdate *update;
    int *row;         /* positions of the rows of each panel; panels cut from the same columns share them */
    int *relative;    /* see BriPanelUpdate */
    int *position;    /* node -> position in the order of elimination */
    int *edge_block;  /* per edge: its block in L */
    int *edge_turned; /* per edge: edge[0] has the rows, not the columns */
    int *pivot_block; /* per node: its block in L */
    int *panel_of;    /* per position */
    double *matrix;   /* A: blocks by rows, those of the nodes, then those of the edges */
    double *factor;   /* L; of its pivots L_jj = U diag(d)^1/2, U with ones on its diagonal: U and d^-1/2 */
    double *x;        /* scratch: 6 per node, in the order of elimination */
    bool wide;        /* the CPU has vectors of four; changes speed, not bits */
    /* room */
    BriDegreeOrder order;
    BriInts kept_edges, per_node, per_edge, rows, targets, scratch;
    int64_t panel_capacity, update_capacity, matrix_capacity, factor_capacity;
} BriCholesky;

/* Edges join two different nodes; the same two may have several, whose blocks add up. The graph and the limit of the
 * last call cost nothing. `blocks` and the works are there before any room for numbers is taken, and with more than
 * `most_blocks` none is (the works are infinite if that was seen early). After anything but BRI_ANALYSIS_DONE
 * only this and release may be called. */
BriAnalysis bri_cholesky_analyse(BriCholesky *c, const BrAllocator *allocator, int nodes, int edges,
                                 const int (*edge)[2], int most_blocks);
/* The same in two parts, for who first asks what a factor would cost: the order, and where blocks lie; then, if the
 * first is done, room for numbers, which is most of it. */
BriAnalysis bri_cholesky_lay_out(BriCholesky *c, const BrAllocator *allocator, int nodes, int edges,
                                 const int (*edge)[2], int most_blocks);
BriAnalysis bri_cholesky_make_room(BriCholesky *c, const BrAllocator *allocator);
/* Gives that room back; the layout stays. */
void bri_cholesky_give_back(BriCholesky *c, const BrAllocator *allocator);
void bri_cholesky_release(BriCholesky *c, const BrAllocator *allocator);

/* A: to zero, then add. Blocks are 6 x 6 by rows. */
void bri_cholesky_clear(BriCholesky *c);
/* A[node][node] += block, which is symmetric */
void bri_cholesky_add_node(BriCholesky *c, int node, const double *block);
/* A[a][b] += block and A[b][a] += block^T, with a, b = edge[edge] */
void bri_cholesky_add_edge(BriCholesky *c, int edge, const double *block);
/* y = A x, 6 per node; x and y are not the same. Needs no factor. */
void bri_cholesky_multiply(const BriCholesky *c, const double *x, double *y);

/* A = L L^T, from a copy of A. false: a pivot was not positive (or no number), L must not be used. */
bool bri_cholesky_factor(BriCholesky *c);
/* x <- (L L^T)^-1 x, 6 per node. One at a time: the scratch is c's own. */
void bri_cholesky_solve(const BriCholesky *c, double *x);

#endif
