/* test_block_cholesky.c: the block Cholesky factor on the graphs that touching bodies make: against a dense factor, with
 * little fill, the same bits for all vector lengths, kept while the matrix changes, and without memory.
 *
 *     A = I + sum of J_e^T J_e over the edges,   J_e: 6 x 12 on the two nodes of an edge, entries in -0.5..0.5
 *
 * as bodies of mass 1 with springs between them: positive definite, smallest eigenvalue 1 or a little more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "counting.h"
#include "joint_support.h"
#include "linalg/block_cholesky.h"

enum { MOST_EDGES = 12000, ANY = 1 << 29 };

/* ------------------------------------------------------------------ graphs */

typedef struct Net {
    int nodes, edges;
    int edge[MOST_EDGES][2];
} Net;

static void join_nodes(Net *net, int a, int b) {
    assert_true(net->edges < MOST_EDGES && a != b);
    net->edge[net->edges][0] = a;
    net->edge[net->edges++][1] = b;
}

static void make_chain(Net *net, int nodes) {
    *net = (Net){.nodes = nodes};
    for (int i = 1; i < nodes; i++) join_nodes(net, i - 1, i);
}

static void make_star(Net *net, int nodes, int hub) {
    *net = (Net){.nodes = nodes};
    for (int i = 0; i < nodes; i++)
        if (i != hub) join_nodes(net, hub, i);
}

static void make_clique(Net *net, int nodes) {
    *net = (Net){.nodes = nodes};
    for (int i = 0; i < nodes; i++)
        for (int j = 0; j < i; j++) join_nodes(net, i, j);
}

static void make_grid(Net *net, int side) {
    *net = (Net){.nodes = side * side};
    for (int i = 0; i < side * side; i++) {
        if (i % side) join_nodes(net, i, i - 1);
        if (i >= side) join_nodes(net, i, i - side);
    }
}

static void make_tree(Net *net, int nodes, Random *random) {
    *net = (Net){.nodes = nodes};
    for (int i = 1; i < nodes; i++) join_nodes(net, i, draw_int(random, 0, i - 1));
}

/* Boxes that rest on two below them. */
static void make_pyramid(Net *net, int rows) {
    *net = (Net){0};
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < rows - r; i++) {
            int node = net->nodes++, below = node - (rows - r + 1);
            if (r == 0) continue;
            join_nodes(net, node, below);
            join_nodes(net, node, below + 1);
        }
}

/* Parts that nothing connects, edges both ways round, some pairs several times. */
static void make_heap(Net *net, int nodes, int edges, Random *random) {
    *net = (Net){.nodes = nodes};
    while (net->edges < edges) {
        int a = draw_int(random, 0, nodes - 1), b = draw_int(random, 0, nodes - 1);
        if (a == b || a % 3 != b % 3) continue;
        join_nodes(net, a, b);
        if (draw_int(random, 0, 4) == 0) join_nodes(net, b, a);
    }
}

/* Other numbers for the nodes, either end first: nothing may depend on them but the ties. */
static void shuffle(Net *net, Random *random) {
    int *name = calloc((size_t)net->nodes + 1, sizeof *name);
    for (int i = 0; i < net->nodes; i++) {
        int j = draw_int(random, 0, i);
        name[i] = name[j];
        name[j] = i;
    }
    for (int e = 0; e < net->edges; e++) {
        int turned = draw_int(random, 0, 1), a = net->edge[e][turned], b = net->edge[e][1 - turned];
        net->edge[e][0] = name[a];
        net->edge[e][1] = name[b];
    }
    free(name);
}

enum { KINDS = 11 };

static void make_kind(Net *net, int kind, Random *random) {
    switch (kind) {
    case 0: *net = (Net){.nodes = 1}; return;
    case 1: *net = (Net){.nodes = 7}; return;
    case 2: make_chain(net, 20); break;
    case 3: make_star(net, 20, 0); break;
    case 4: make_clique(net, 21); break; /* several panels */
    case 5: make_grid(net, 6); break;
    case 6: make_tree(net, 30, random); break;
    case 7: make_pyramid(net, 7); break;
    case 8: make_heap(net, 24, 30, random); break;
    case 9: make_heap(net, 36, 100, random); break;
    default: make_chain(net, 2); break;
    }
    shuffle(net, random);
}

/* ------------------------------------------------------------------ matrices */

typedef struct Case {
    Net *net;
    double (*node)[36], (*edge)[36];
    Counter counter;
    BrAllocator allocator;
    BriCholesky c;
} Case;

static void analyse(Case *t) {
    assert_int_equal(
        bri_cholesky_analyse(&t->c, &t->allocator, t->net->nodes, t->net->edges, (const int(*)[2])t->net->edge, ANY),
        BRI_ANALYSIS_DONE);
}

static void draw_matrix(Case *t, Random *random) {
    const Net *net = t->net;
    for (int i = 0; i < net->nodes; i++)
        for (int k = 0; k < 36; k++) t->node[i][k] = k % 7 == 0;
    for (int e = 0; e < net->edges; e++) {
        double J[6][12], *A = t->node[net->edge[e][0]], *B = t->node[net->edge[e][1]];
        for (int k = 0; k < 72; k++) J[k / 12][k % 12] = draw(random, -0.5, 0.5);
        memset(t->edge[e], 0, sizeof t->edge[e]);
        for (int k = 0; k < 36; k++)
            for (int r = 0; r < 6; r++) {
                A[k] += J[r][k / 6] * J[r][k % 6];
                B[k] += J[r][6 + k / 6] * J[r][6 + k % 6];
                t->edge[e][k] += J[r][k / 6] * J[r][6 + k % 6];
            }
    }
}

static void fill(Case *t) {
    bri_cholesky_clear(&t->c);
    for (int i = 0; i < t->net->nodes; i++) bri_cholesky_add_node(&t->c, i, t->node[i]);
    for (int e = 0; e < t->net->edges; e++) bri_cholesky_add_edge(&t->c, e, t->edge[e]);
}

static Case *make_case(Net *net, Random *random) {
    Case *t = calloc(1, sizeof *t);
    t->net = net;
    t->node = calloc((size_t)net->nodes + 1, sizeof *t->node);
    t->edge = calloc((size_t)net->edges + 1, sizeof *t->edge);
    t->allocator = counting_allocator(&t->counter);
    draw_matrix(t, random);
    analyse(t);
    fill(t);
    return t;
}

static void release_case(Case *t) {
    bri_cholesky_release(&t->c, &t->allocator);
    assert_int_equal(t->counter.live, 0);
    free(t->node);
    free(t->edge);
    free(t);
}

static Net *new_net(void) { return calloc(1, sizeof(Net)); }

static double *draw_numbers(int count, Random *random) {
    double *x = malloc((size_t)(count + 1) * sizeof *x);
    for (int i = 0; i < count; i++) x[i] = draw(random, -1, 1);
    return x;
}

static double *copy_numbers(int count, const double *x) {
    return memcpy(malloc((size_t)(count + 1) * sizeof *x), x, (size_t)count * sizeof *x);
}

static double largest_of(int count, const double *x) {
    double largest = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* ------------------------------------------------------------------ dense reference */

static double *make_dense(const Case *t) {
    int n = 6 * t->net->nodes;
    double *A = calloc((size_t)n * (size_t)n + 1, sizeof *A);
    for (int i = 0; i < t->net->nodes; i++)
        for (int k = 0; k < 36; k++) A[(6 * i + k / 6) * n + 6 * i + k % 6] += t->node[i][k];
    for (int e = 0; e < t->net->edges; e++)
        for (int k = 0; k < 36; k++) {
            int row = 6 * t->net->edge[e][0] + k / 6, column = 6 * t->net->edge[e][1] + k % 6;
            A[row * n + column] += t->edge[e][k];
            A[column * n + row] += t->edge[e][k];
        }
    return A;
}

/* x <- A^-1 x by A = L L^T, row by row; A is destroyed. */
static void solve_dense(int n, double *A, double *x) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = A[i * n + j];
            for (int k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
            A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
        }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= A[i * n + k] * x[k];
        x[i] /= A[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= A[k * n + i] * x[k];
        x[i] /= A[i * n + i];
    }
}

/* EPS times the condition, below 100 with these springs, for either solution. */
static void check_against_dense(Case *t, Random *random) {
    int n = 6 * t->net->nodes;
    double *b = draw_numbers(n, random), *x = copy_numbers(n, b), *y = copy_numbers(n, b), *A = make_dense(t);
    solve_dense(n, A, y);
    bri_cholesky_solve(&t->c, x);
    for (int i = 0; i < n; i++) assert_close(x[i], y[i], 1e-13 * largest_of(n, y));
    bri_cholesky_multiply(&t->c, x, y);
    for (int i = 0; i < n; i++) assert_close(y[i], b[i], 1e-13 * largest_of(n, b)); /* residual: no condition */
    free(b), free(x), free(y), free(A);
}

/* ------------------------------------------------------------------ solutions */

static void solves_like_a_dense_factor(void **unused) {
    (void)unused;
    Random random = {71};
    Net *net = new_net();
    for (int k = 0; k < 4 * KINDS; k++) {
        make_kind(net, k % KINDS, &random);
        Case *t = make_case(net, &random);
        int64_t calls = t->counter.calls;
        for (int again = 0; again < 2; again++) { /* nothing of the first factor may be left in the second */
            assert_true(bri_cholesky_factor(&t->c));
            check_against_dense(t, &random);
            draw_matrix(t, &random);
            fill(t);
        }
        assert_int_equal(t->counter.calls, calls); /* numbers need no memory */
        release_case(t);
    }
    free(net);
}

/* One struct for all graphs, small after large: nothing of the last one is left. */
static void one_factor_serves_graph_after_graph(void **unused) {
    (void)unused;
    Random random = {72};
    Net *net = new_net(), *other = new_net();
    make_grid(net, 6);
    Case *t = make_case(net, &random);
    for (int k = 0; k < 4 * KINDS; k++) {
        make_kind(other, draw_int(&random, 0, KINDS - 1), &random);
        Case *u = make_case(other, &random);
        BriCholesky own = u->c;
        Counter counter = u->counter;
        u->c = t->c;
        u->allocator = t->allocator;
        analyse(u);
        fill(u);
        assert_true(bri_cholesky_factor(&u->c));
        check_against_dense(u, &random);
        t->c = u->c;
        u->c = own;
        u->counter = counter;
        u->allocator = counting_allocator(&u->counter);
        release_case(u);
    }
    release_case(t);
    free(net), free(other);
}

/* A graph of nothing is no reason to fail. */
static void no_nodes_are_no_trouble(void **unused) {
    (void)unused;
    Random random = {73};
    Net *net = new_net();
    Case *t = make_case(net, &random);
    assert_true(bri_cholesky_factor(&t->c));
    check_against_dense(t, &random);
    release_case(t);
    free(net);
}

/* The block of an edge has the rows of its first node, whichever of the two is eliminated first. */
static void edges_may_be_named_either_way_round(void **unused) {
    (void)unused;
    Random random = {74};
    Net *net = new_net();
    make_pyramid(net, 5);
    Case *t = make_case(net, &random);
    int n = 6 * net->nodes;
    double *x = draw_numbers(n, &random), *y = copy_numbers(n, x);
    assert_true(bri_cholesky_factor(&t->c));
    bri_cholesky_solve(&t->c, x);
    for (int e = 0; e < net->edges; e++) {
        double block[36];
        int a = net->edge[e][0];
        net->edge[e][0] = net->edge[e][1];
        net->edge[e][1] = a;
        for (int k = 0; k < 36; k++) block[k] = t->edge[e][6 * (k % 6) + k / 6];
        memcpy(t->edge[e], block, sizeof block);
    }
    analyse(t);
    fill(t);
    assert_true(bri_cholesky_factor(&t->c));
    bri_cholesky_solve(&t->c, y);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    free(x), free(y);
    release_case(t);
    free(net);
}

/* Blocks are added: in two parts, the matrix is the same. */
static void blocks_add_up(void **unused) {
    (void)unused;
    Random random = {75};
    Net *net = new_net();
    make_grid(net, 4);
    Case *t = make_case(net, &random);
    bri_cholesky_clear(&t->c);
    for (int part = 0; part < 4; part++) { /* quarters are exact */
        double block[36];
        for (int i = 0; i < net->nodes; i++) {
            for (int k = 0; k < 36; k++) block[k] = t->node[i][k] / 4;
            bri_cholesky_add_node(&t->c, i, block);
        }
        for (int e = 0; e < net->edges; e++) {
            for (int k = 0; k < 36; k++) block[k] = t->edge[e][k] / 4;
            bri_cholesky_add_edge(&t->c, e, block);
        }
    }
    assert_true(bri_cholesky_factor(&t->c));
    check_against_dense(t, &random);
    release_case(t);
    free(net);
}

/* The last factor serves as a preconditioner while the matrix is filled anew. */
static void factor_is_kept_while_the_matrix_changes(void **unused) {
    (void)unused;
    Random random = {76};
    Net *net = new_net();
    make_pyramid(net, 6);
    Case *t = make_case(net, &random);
    int n = 6 * net->nodes;
    double *b = draw_numbers(n, &random), *x = copy_numbers(n, b), *y = copy_numbers(n, b), *z = copy_numbers(n, b);
    assert_true(bri_cholesky_factor(&t->c));
    bri_cholesky_solve(&t->c, x);
    draw_matrix(t, &random);
    bri_cholesky_clear(&t->c);
    bri_cholesky_solve(&t->c, y);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    fill(t);
    memcpy(y, b, (size_t)n * sizeof *y);
    bri_cholesky_solve(&t->c, y);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    bri_cholesky_multiply(&t->c, x, z); /* the new matrix: x is no solution */
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(z[i] - b[i]));
    assert_true(worst > 0.1);
    assert_true(bri_cholesky_factor(&t->c));
    check_against_dense(t, &random);
    free(b), free(x), free(y), free(z);
    release_case(t);
    free(net);
}

/* A direction without stiffness, a negative one, and what is no number: told, and forgotten with the next matrix. */
static void what_is_not_definite_is_told(void **unused) {
    (void)unused;
    Random random = {77};
    Net *net = new_net();
    make_clique(net, 12);
    Case *t = make_case(net, &random);
    static const double bad[] = {0, -1, NAN, INFINITY};
    for (int k = 0; k < 4 * BRI_COUNT(bad); k++) {
        int node = draw_int(&random, 0, net->nodes - 1), row = draw_int(&random, 0, 5);
        fill(t);
        assert_true(bri_cholesky_factor(&t->c));
        double block[36] = {0};
        block[7 * row] = bad[k / 4] - t->node[node][7 * row];
        bri_cholesky_add_node(&t->c, node, block);
        assert_false(bri_cholesky_factor(&t->c));
    }
    fill(t);
    assert_true(bri_cholesky_factor(&t->c));
    check_against_dense(t, &random);
    release_case(t);
    free(net);
}

/* Nothing comes behind the last pivot that could notice. */
static void last_pivot_counts_too(void **unused) {
    (void)unused;
    Random random = {87};
    Net *net = new_net();
    net->nodes = 1;
    Case *t = make_case(net, &random);
    double block[36] = {0};
    for (int k = 0; k < 2; k++) {
        assert_true(k || bri_cholesky_factor(&t->c));
        block[35] = -1; /* to 0, then to -1 */
        bri_cholesky_add_node(&t->c, 0, block);
        assert_false(bri_cholesky_factor(&t->c));
    }
    release_case(t);
    free(net);
}

/* Stiffnesses from 1 to 1e12, as contacts against free motion: the residual does not know the condition. The factor's
 * backward error is some EPS of the largest entry; times the rows of the widest sum, here some hundreds. */
static void stiff_matrices_leave_small_residuals(void **unused) {
    (void)unused;
    Random random = {78};
    Net *net = new_net();
    make_pyramid(net, 12);
    Case *t = make_case(net, &random);
    for (int e = 0; e < net->edges; e++) {
        double stiffness = pow(10, draw(&random, 0, 12)), n[12], *block[3];
        block[0] = t->node[net->edge[e][0]], block[1] = t->node[net->edge[e][1]], block[2] = t->edge[e];
        for (int k = 0; k < 12; k++) n[k] = draw(&random, -1, 1);
        for (int k = 0; k < 36; k++) {
            block[0][k] += stiffness * n[k / 6] * n[k % 6];
            block[1][k] += stiffness * n[6 + k / 6] * n[6 + k % 6];
            block[2][k] += stiffness * n[k / 6] * n[6 + k % 6];
        }
    }
    fill(t);
    assert_true(bri_cholesky_factor(&t->c));
    int n = 6 * net->nodes;
    double *b = draw_numbers(n, &random), *x = copy_numbers(n, b), *y = copy_numbers(n, b), entry = 0;
    for (int i = 0; i < net->nodes; i++) entry = fmax(entry, largest_of(36, t->node[i]));
    bri_cholesky_solve(&t->c, x);
    bri_cholesky_multiply(&t->c, x, y);
    for (int i = 0; i < n; i++) assert_close(y[i], b[i], 1e-14 * entry * largest_of(n, x));
    free(b), free(x), free(y);
    release_case(t);
    free(net);
}

/* ------------------------------------------------------------------ bits */

/* The same numbers whatever vectors there are, and whoever compiled: the hash was found with gcc and clang. */
static void bits_do_not_depend_on_vectors(void **unused) {
    (void)unused;
    Random random = {79};
    Net *net = new_net();
    uint64_t hash = 0;
    for (int k = 0; k < KINDS; k++) {
        make_kind(net, k, &random);
        Case *t = make_case(net, &random);
        size_t size = 6 * (size_t)net->nodes * sizeof(double);
        double *x = draw_numbers(6 * net->nodes, &random), *y = copy_numbers(6 * net->nodes, x);
        assert_true(bri_cholesky_factor(&t->c));
        bri_cholesky_solve(&t->c, x);
        t->c.wide = false;
        assert_true(bri_cholesky_factor(&t->c));
        bri_cholesky_solve(&t->c, y);
        assert_memory_equal(x, y, size);
        hash = bri_hash(x, size, hash);
        free(x), free(y);
        release_case(t);
    }
    assert_int_equal(hash, UINT64_C(0x311d95f9d168702a));
    free(net);
}

/* ------------------------------------------------------------------ order */

static int64_t count_blocks(const Net *net, BriAnalysis expected, int most) {
    Counter counter = {0};
    BrAllocator allocator = counting_allocator(&counter);
    BriDegreeOrder order = {0};
    assert_int_equal(bri_order_by_degree(&order, &allocator, net->nodes, net->edges, (const int(*)[2])net->edge, most),
                     expected);
    int64_t blocks = order.blocks;
    bri_release_degree_order(&order, &allocator);
    assert_int_equal(counter.live, 0);
    return blocks;
}

/* Trees do not fill, however their nodes are numbered: a block per node and one per edge. */
static void trees_do_not_fill(void **unused) {
    (void)unused;
    Random random = {80};
    Net *net = new_net();
    for (int k = 0; k < 10; k++) {
        make_chain(net, 100 + k);
        if (k) shuffle(net, &random);
        assert_int_equal(count_blocks(net, BRI_ANALYSIS_DONE, ANY), net->nodes + net->edges);
        make_star(net, 300, k ? draw_int(&random, 0, 299) : 0);
        assert_int_equal(count_blocks(net, BRI_ANALYSIS_DONE, ANY), net->nodes + net->edges);
        make_tree(net, 300, &random);
        shuffle(net, &random);
        assert_int_equal(count_blocks(net, BRI_ANALYSIS_DONE, ANY), net->nodes + net->edges);
    }
    free(net);
}

/* In the order of their numbers, rows of a grid fill a band as wide as the grid: 30 blocks per column. Degrees of a
 * plane graph leave n log n: a third of it at this size. Cliques are full in any order. */
static void grids_fill_little(void **unused) {
    (void)unused;
    Random random = {81};
    Net *net = new_net();
    make_clique(net, 40);
    assert_int_equal(count_blocks(net, BRI_ANALYSIS_DONE, ANY), 40 * 41 / 2);
    for (int k = 0; k < 5; k++) {
        make_grid(net, 30);
        if (k) shuffle(net, &random);
        assert_true(count_blocks(net, BRI_ANALYSIS_DONE, ANY) < 30 * 900 / 2);
    }
    free(net);
}

/* The order depends on the graph alone: not on the order of its edges, nor on how often they are named. */
static void order_depends_on_the_graph_alone(void **unused) {
    (void)unused;
    Random random = {82};
    Net *net = new_net(), *other = new_net();
    make_grid(net, 12);
    Case *t = make_case(net, &random);
    *other = *net;
    for (int e = other->edges - 1; e > 0; e--) {
        int f = draw_int(&random, 0, e), pair[2] = {other->edge[e][0], other->edge[e][1]};
        memcpy(other->edge[e], other->edge[f], sizeof pair);
        other->edge[f][0] = pair[1];
        other->edge[f][1] = pair[0];
    }
    for (int e = 0; e < net->edges; e += 3) join_nodes(other, other->edge[e][1], other->edge[e][0]);
    Case *u = make_case(other, &random);
    assert_memory_equal(t->c.position, u->c.position, (size_t)net->nodes * sizeof(int));
    assert_true(t->c.blocks == u->c.blocks && t->c.factor_work == u->c.factor_work);
    release_case(t);
    release_case(u);
    free(net), free(other);
}

/* Ten times the chain is ten times the work; a wide front costs the cube of its width. */
static void work_is_what_the_graph_asks_for(void **unused) {
    (void)unused;
    Random random = {83};
    Net *net = new_net();
    make_chain(net, 1000);
    Case *t = make_case(net, &random);
    double factor = t->c.factor_work, solve = t->c.solve_work;
    assert_true(t->c.blocks == 2 * 1000); /* pivots, edges, and the empty corner where the last two go together */
    release_case(t);
    make_chain(net, 10000);
    t = make_case(net, &random);
    assert_close(t->c.factor_work / factor, 10, 0.01);
    assert_close(t->c.solve_work / solve, 10, 0.01);
    release_case(t);
    make_clique(net, 50);
    t = make_case(net, &random);
    factor = t->c.factor_work;
    release_case(t);
    make_clique(net, 100);
    t = make_case(net, &random);
    assert_true(t->c.panels < 100 / 4); /* nodes that see the same go together */
    assert_true(t->c.factor_work > 6 * factor && t->c.factor_work < 8 * factor);
    release_case(t);
    free(net);
}

/* ------------------------------------------------------------------ memory */

/* The same graph is not looked at again: what was written into the result stays there. */
static void same_graph_is_not_analysed_again(void **unused) {
    (void)unused;
    Random random = {84};
    Net *net = new_net();
    make_grid(net, 8);
    Case *t = make_case(net, &random);
    int64_t calls = t->counter.calls;
    double work = t->c.factor_work;
    t->c.factor_work = -1;
    analyse(t);
    assert_true(t->c.factor_work == -1);
    join_nodes(net, 0, 63);
    analyse(t);
    assert_true(t->c.factor_work > work);
    assert_int_equal(t->counter.calls, calls); /* there was room for a little more */
    t->c.factor_work = -1;
    net->nodes++;
    analyse(t);
    assert_true(t->c.factor_work > work);
    t->c.factor_work = -1;
    net->edge[5][0] = net->edge[5][0] == 40 ? 41 : 40;
    analyse(t);
    assert_true(t->c.factor_work > 0);
    release_case(t);
    free(net);
}

static BriAnalysis analyse_within(Case *t, int most_blocks) {
    return bri_cholesky_analyse(&t->c, &t->allocator, t->net->nodes, t->net->edges, (const int(*)[2])t->net->edge,
                                most_blocks);
}

/* Too many blocks: told before any of their numbers has a place; the exact number is enough. */
static void large_factors_are_refused(void **unused) {
    (void)unused;
    Random random = {85};
    Net *net = new_net();
    make_clique(net, 30);
    Case *t = make_case(net, &random);
    int blocks = (int)t->c.blocks;
    bri_cholesky_release(&t->c, &t->allocator);
    for (int most = 0; most < blocks; most += 1 + blocks / 40) {
        assert_int_equal(analyse_within(t, most), BRI_ANALYSIS_TOO_LARGE);
        assert_true(t->c.blocks > most && !t->c.factor && !t->c.matrix);
        int64_t calls = t->counter.calls;
        assert_int_equal(analyse_within(t, most), BRI_ANALYSIS_TOO_LARGE);
        assert_int_equal(t->counter.calls, calls);
    }
    assert_int_equal(analyse_within(t, blocks), BRI_ANALYSIS_DONE);
    fill(t);
    assert_true(bri_cholesky_factor(&t->c));
    check_against_dense(t, &random);
    make_grid(net, 30);
    assert_true(count_blocks(net, BRI_ANALYSIS_TOO_LARGE, 5000) < 5000 + 900 * 30); /* stops on its way */
    make_clique(net, 30);
    release_case(t);
    free(net);
}

/* Each allocation fails once, of an empty struct and of one that had another graph. */
static void lack_of_memory_is_survived(void **unused) {
    (void)unused;
    Random random = {86};
    Net *net = new_net(), *small = new_net();
    make_pyramid(net, 9);
    make_chain(small, 5);
    for (int before = 0; before < 2; before++) {
        int fail = 1;
        for (bool failed = true; failed; fail++) {
            Case *t = make_case(net, &random);
            bri_cholesky_release(&t->c, &t->allocator);
            if (before)
                assert_int_equal(bri_cholesky_analyse(&t->c, &t->allocator, small->nodes, small->edges,
                                                      (const int(*)[2])small->edge, ANY),
                                 BRI_ANALYSIS_DONE);
            t->counter.fail_at = t->counter.calls + fail;
            BriAnalysis answer = analyse_within(t, ANY);
            failed = t->counter.calls >= t->counter.fail_at;
            assert_int_equal(answer, failed ? BRI_ANALYSIS_NO_MEMORY : BRI_ANALYSIS_DONE);
            t->counter.fail_at = 0;
            analyse(t); /* now there is some */
            fill(t);
            assert_true(bri_cholesky_factor(&t->c));
            check_against_dense(t, &random);
            release_case(t);
        }
        assert_true(fail > 8);
    }
    free(net), free(small);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_like_a_dense_factor),
        cmocka_unit_test(one_factor_serves_graph_after_graph),
        cmocka_unit_test(no_nodes_are_no_trouble),
        cmocka_unit_test(edges_may_be_named_either_way_round),
        cmocka_unit_test(blocks_add_up),
        cmocka_unit_test(factor_is_kept_while_the_matrix_changes),
        cmocka_unit_test(what_is_not_definite_is_told),
        cmocka_unit_test(last_pivot_counts_too),
        cmocka_unit_test(stiff_matrices_leave_small_residuals),
        cmocka_unit_test(bits_do_not_depend_on_vectors),
        cmocka_unit_test(trees_do_not_fill),
        cmocka_unit_test(grids_fill_little),
        cmocka_unit_test(order_depends_on_the_graph_alone),
        cmocka_unit_test(work_is_what_the_graph_asks_for),
        cmocka_unit_test(same_graph_is_not_analysed_again),
        cmocka_unit_test(large_factors_are_refused),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
