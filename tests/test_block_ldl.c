/* test_block_ldl.c: the block factor on saddle matrices like those of machines: against dense elimination, with rows
 * switched off, with dependent rows, at sizes where anything but linear work would show, and without memory.
 *
 *     K = | M  J^T |   bodies: 6 x 6, positive definite;  joints: 1 to 6 rows, zero pivot;  x = (dv, -p)
 *         | J   0  | */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "joint_support.h"
#include "linalg/block_ldl.h"

/* ------------------------------------------------------------------ memory that counts and fails */

typedef struct Heap {
    int calls, live, fail_at; /* fail_at: number of the call that gets nothing, 0 for none */
    size_t bytes;             /* handed out in all */
} Heap;

static void *take(void *user, size_t size) {
    Heap *heap = user;
    if (++heap->calls == heap->fail_at) return NULL;
    heap->live++;
    heap->bytes += size;
    return malloc(size);
}

static void give_back(void *user, void *memory) {
    if (memory) ((Heap *)user)->live--;
    free(memory);
}

static BrAllocator heap_allocator(Heap *heap) { return (BrAllocator){take, give_back, heap}; }

/* ------------------------------------------------------------------ machines */

typedef struct Machine {
    int bodies, joints, nodes, edges;
    int *size, *after;
    bool *last;
    int (*edge)[2];
    int (*joint_edge)[2];            /* per joint: edges to its two bodies, or -1 */
    double (*M)[36], (*inverse)[36]; /* per body */
    double (*J)[36];                 /* per edge: rows x 6 */
} Machine;

static Machine make_machine(int bodies, int joints) {
    size_t nodes = (size_t)(bodies + joints), edges = 2 * (size_t)joints + 1;
    Machine m = {.bodies = bodies, .nodes = bodies};
    m.size = calloc(nodes, sizeof *m.size);
    m.after = calloc(nodes, sizeof *m.after);
    m.last = calloc(nodes, sizeof *m.last);
    m.edge = calloc(edges, sizeof *m.edge);
    m.joint_edge = calloc((size_t)joints + 1, sizeof *m.joint_edge);
    m.M = calloc((size_t)bodies, sizeof *m.M);
    m.inverse = calloc((size_t)bodies, sizeof *m.inverse);
    m.J = calloc(edges, sizeof *m.J);
    for (int i = 0; i < bodies; i++) m.size[i] = 6, m.after[i] = -1;
    return m;
}

static void release_machine(Machine *m) {
    void *owned[] = {m->size, m->after, m->last, m->edge, m->joint_edge, m->M, m->inverse, m->J};
    for (int i = 0; i < BRI_COUNT(owned); i++) free(owned[i]);
}

/* A joint between bodies a and b (-1: the ground); a tree joint's partner is b, a loop joint has none. */
static int add_joint(Machine *m, int rows, int a, int b, bool loop) {
    int k = m->joints++, node = m->nodes++, ends[2] = {a, b};
    m->size[node] = rows;
    m->after[node] = loop ? -1 : b;
    m->last[node] = loop;
    for (int e = 0; e < 2; e++) {
        m->joint_edge[k][e] = ends[e] < 0 ? -1 : m->edges;
        if (ends[e] < 0) continue;
        m->edge[m->edges][0] = ends[e];
        m->edge[m->edges++][1] = node;
    }
    return k;
}

/* x <- K^-1 x by elimination with row exchanges; K (n x n) is destroyed. */
static void solve_dense(int n, double *K, double *x) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(K[i * n + k]) > fabs(K[best * n + k])) best = i;
        assert_true(K[best * n + k] != 0);
        for (int j = 0; best != k && j <= n; j++) {
            double *p = j < n ? &K[k * n + j] : &x[k], *q = j < n ? &K[best * n + j] : &x[best], t = *p;
            *p = *q, *q = t;
        }
        for (int i = k + 1; i < n; i++) {
            double f = K[i * n + k] / K[k * n + k];
            for (int j = k; f != 0 && j < n; j++) K[i * n + j] -= f * K[k * n + j];
            x[i] -= f * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= K[i * n + j] * x[j];
        x[i] /= K[i * n + i];
    }
}

/* A joint's rows on one body are directions of their own: random, but made orthonormal. */
static void draw_rows(double *J, int rows, Random *random) {
    for (int r = 0; r < rows; r++) {
        double norm = 0, *row = J + 6 * r;
        for (int c = 0; c < 6; c++) row[c] = draw(random, -1, 1);
        for (int pass = 0; pass < 2 * r; pass++) {
            double dot = 0, *other = J + 6 * (pass % r);
            for (int c = 0; c < 6; c++) dot += row[c] * other[c];
            for (int c = 0; c < 6; c++) row[c] -= dot * other[c];
        }
        for (int c = 0; c < 6; c++) norm += row[c] * row[c];
        for (int c = 0; c < 6; c++) row[c] /= sqrt(norm);
    }
}

/* Masses R R^T + I, eigenvalues from 1 to about 10, in two halves that do not meet (linear and angular). */
static void fill_machine(Machine *m, Random *random) {
    for (int n = 0; n < m->bodies; n++) {
        double R[36];
        for (int i = 0; i < 36; i++) R[i] = i / 18 == i % 6 / 3 ? draw(random, -1, 1) : 0;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) {
                m->M[n][6 * i + j] = i == j;
                m->inverse[n][6 * i + j] = 0;
                for (int k = 0; k < 6; k++) m->M[n][6 * i + j] += R[6 * i + k] * R[6 * j + k];
            }
        for (int i = 0; i < 6; i++) {
            memcpy(R, m->M[n], sizeof R);
            m->inverse[n][7 * i] = 1;
            solve_dense(6, R, m->inverse[n] + 6 * i);
        }
    }
    for (int e = 0; e < m->edges; e++) draw_rows(m->J[e], m->size[m->edge[e][1]], random);
}

/* A random tree with rows 1..tree_rows, and loop joints with rows 1..loop_rows between disjoint pairs of bodies: any
 * k bodies then carry at most (tree_rows + loop_rows/2) k rows, and if that is below 6 k they are independent. */
static Machine make_random(Random *random, int bodies, int tree_rows, int loop_rows) {
    Machine m = make_machine(bodies, 2 * bodies);
    bool floats = next_random(random) % 2;
    for (int b = floats ? 1 : 0; b < bodies; b++)
        add_joint(&m, draw_int(random, 1, tree_rows), draw_int(random, floats ? 0 : -1, b - 1), b, false);
    for (int b = 0; loop_rows && b + 3 < bodies; b += 4) {
        int other = draw_int(random, b + 1, b + 3);
        add_joint(&m, draw_int(random, 1, loop_rows), b, other, true);
    }
    fill_machine(&m, random);
    return m;
}

static BriGraph graph_of(const Machine *m) {
    return (BriGraph){m->nodes, m->size, m->after, m->last, m->edges, (const int(*)[2])m->edge};
}

/* ------------------------------------------------------------------ dense reference */

/* K with the rows that are off or dropped replaced by x = 0. */
static double *make_dense(const Machine *m, const BriBlockLdl *ldl) {
    int n = ldl->rows;
    double *K = calloc((size_t)(n * n), sizeof *K);
    for (int b = 0; b < m->bodies; b++)
        for (int i = 0; i < 36; i++) K[(6 * b + i / 6) * n + 6 * b + i % 6] = m->M[b][i];
    for (int e = 0; e < m->edges; e++) {
        int node = m->edge[e][1], column = ldl->row[m->edge[e][0]], left_out = ldl->off[node] | ldl->dropped[node];
        for (int r = 0; r < m->size[node]; r++)
            for (int c = 0; c < 6; c++) {
                int row = ldl->row[node] + r;
                double value = left_out >> r & 1 ? 0 : m->J[e][6 * r + c];
                K[row * n + column + c] = K[(column + c) * n + row] = value;
                if (left_out >> r & 1) K[row * n + row] = 1;
            }
    }
    return K;
}

/* ------------------------------------------------------------------ factor and check */

/* J M^-1 J^T of a row and one body, as system.c measures it. */
static double measure_row(const double *inverse, const double *J) {
    double sum = 0;
    for (int i = 0; i < 36; i++) sum += J[i / 6] * inverse[i] * J[i % 6];
    return sum;
}

static void factor_machine(const Machine *m, BriBlockLdl *ldl) {
    bri_ldl_clear(ldl);
    for (int b = 0; b < m->bodies; b++) bri_ldl_set_pivot(ldl, b, m->M[b], m->inverse[b]);
    for (int n = m->bodies; n < m->nodes; n++) memset(ldl->scale + BRI_BLOCK * n, 0, BRI_BLOCK * sizeof(double));
    for (int e = 0; e < m->edges; e++) {
        int body = m->edge[e][0], node = m->edge[e][1];
        bri_ldl_set_edge(ldl, e, m->J[e], ldl->used[node], 6);
        for (int r = 0; m->last[node] && r < m->size[node]; r++)
            ldl->scale[BRI_BLOCK * node + r] += measure_row(m->inverse[body], m->J[e] + 6 * r);
    }
    bri_ldl_factor(ldl);
}

static double *draw_right_side(const BriBlockLdl *ldl, Random *random) {
    double *x = calloc((size_t)ldl->rows, sizeof *x);
    for (int i = 0; i < ldl->rows; i++) x[i] = draw(random, -1, 1);
    return x;
}

/* Solves for a random right side and compares with the dense solution of the rows that are left. */
static void check_against_dense(const Machine *m, const BriBlockLdl *ldl, Random *random) {
    int n = ldl->rows;
    double *x = draw_right_side(ldl, random), *y = malloc((size_t)n * sizeof *y), *K = make_dense(m, ldl), largest = 0;
    memcpy(y, x, (size_t)n * sizeof *y);
    for (int node = m->bodies; node < m->nodes; node++)
        for (int r = 0; r < m->size[node]; r++)
            if ((ldl->off[node] | ldl->dropped[node]) >> r & 1) y[ldl->row[node] + r] = 0;
    solve_dense(n, K, y);
    bri_ldl_solve(ldl, x);
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(y[i]));
    /* EPS times the condition, below 1e3 with these masses and rows, for both solutions */
    for (int i = 0; i < n; i++) assert_close(x[i], y[i], 1e-12 * largest);
    free(x), free(y), free(K);
}

static BriBlockLdl create_ldl(const Machine *m, Heap *heap) {
    BrAllocator allocator = heap_allocator(heap);
    BriGraph graph = graph_of(m);
    BriBlockLdl ldl;
    assert_int_equal(bri_ldl_create(&graph, &allocator, &ldl, NULL), BR_OK);
    return ldl;
}

static void release_all(Machine *m, BriBlockLdl *ldl, Heap *heap) {
    BrAllocator allocator = heap_allocator(heap);
    bri_ldl_release(ldl, &allocator);
    release_machine(m);
    assert_int_equal(heap->live, 0);
}

/* ------------------------------------------------------------------ tests */

/* The order is a permutation; joints come after their partners and loop joints behind everything. */
static void check_order(const Machine *m, const BriBlockLdl *ldl) {
    for (int p = 0; p < m->nodes; p++) {
        int node = ldl->order[p];
        assert_int_equal(ldl->position[node], p);
        if (m->after[node] >= 0) assert_true(ldl->position[m->after[node]] < p);
        if (p > 0) assert_true(m->last[node] || !m->last[ldl->order[p - 1]]);
    }
}

/* Trees with joints up to rigid ones; machines with small loops; nets whose loops are stiffer than the tree. */
static void solves_like_dense_elimination(void **unused) {
    (void)unused;
    static const int rows[3][2] = {{6, 0}, {3, 3}, {1, 6}};
    Random random = {31};
    for (int n = 0; n < 60; n++) {
        Machine m = make_random(&random, draw_int(&random, 1, 16), rows[n % 3][0], rows[n % 3][1]);
        Heap heap = {0};
        BriBlockLdl ldl = create_ldl(&m, &heap);
        int calls = heap.calls;
        check_order(&m, &ldl);
        for (int again = 0; again < 2; again++) { /* nothing of the first factor may be left in the second */
            factor_machine(&m, &ldl);
            assert_int_equal(ldl.dropped_rows, 0);
            check_against_dense(&m, &ldl, &random);
            fill_machine(&m, &random);
        }
        assert_int_equal(heap.calls, calls); /* numbers need no memory */
        release_all(&m, &ldl, &heap);
    }
}

/* A vector that is zero but at two bodies (b = -1: at one). */
static void draw_at(const BriBlockLdl *ldl, int a, int b, Random *random, double *x) {
    memset(x, 0, (size_t)ldl->rows * sizeof *x);
    for (int i = 0; i < 6; i++) {
        x[ldl->row[a] + i] = draw(random, -1, 1);
        if (b >= 0) x[ldl->row[b] + i] = draw(random, -1, 1);
    }
}

/* b^T K^-1 c as y^T D^-1 z, each half along its own path and nowhere else. */
static void halves_multiply_to_whole_solves(void **unused) {
    (void)unused;
    enum { MOST = 16 * 12 + 100 };
    Random random = {47};
    for (int n = 0; n < 200; n++) {
        Machine m = make_random(&random, draw_int(&random, 2, 16), n % 2 ? 6 : 3, n % 2 ? 0 : 3);
        Heap heap = {0};
        BriBlockLdl ldl = create_ldl(&m, &heap);
        factor_machine(&m, &ldl);
        double b[MOST], y[MOST], x[MOST], half = 0, whole = 0, size = 0;
        int end[2][2], path[MOST], width;
        assert_true(ldl.rows <= MOST);
        for (int k = 0; k < 2; k++) {
            end[k][0] = draw_int(&random, 0, m.bodies - 1);
            end[k][1] = draw_int(&random, -1, m.bodies - 1);
        }
        draw_at(&ldl, end[0][0], end[0][1], &random, b);
        draw_at(&ldl, end[1][0], end[1][1], &random, x);
        memcpy(y, b, sizeof y);
        int count = bri_ldl_find_path(&ldl, end[0][0], end[0][1], MOST, path, &width);
        assert_true(count > 0 && width <= ldl.rows);
        assert_int_equal(bri_ldl_find_path(&ldl, end[0][0], end[0][1], width - 1, path, &width), 0); /* too long */
        count = bri_ldl_find_path(&ldl, end[0][0], end[0][1], MOST, path, &width);
        bri_ldl_go_down(&ldl, path, count, y);
        double z[MOST], c[MOST];
        memcpy(z, x, sizeof z);
        memcpy(c, x, sizeof c);
        count = bri_ldl_find_path(&ldl, end[1][0], end[1][1], MOST, path, &width);
        bri_ldl_go_down(&ldl, path, count, z);
        bri_ldl_divide(&ldl, path, count, z);
        bri_ldl_solve(&ldl, c);
        for (int i = 0; i < ldl.rows; i++) {
            half += y[i] * z[i];
            whole += b[i] * c[i];
            size += fabs(b[i] * c[i]) + fabs(y[i] * z[i]);
        }
        assert_close(half, whole, 1e-12 * (1 + size)); /* EPS times the condition, below 1e3 */
        release_all(&m, &ldl, &heap);
    }
}

static void rows_off_give_the_smaller_system(void **unused) {
    (void)unused;
    Random random = {33};
    for (int n = 0; n < 40; n++) {
        Machine m = make_random(&random, draw_int(&random, 2, 14), n % 2 ? 6 : 3, n % 2 ? 0 : 3);
        Heap heap = {0};
        BriBlockLdl ldl = create_ldl(&m, &heap);
        for (int node = m.bodies; node < m.nodes; node++)
            bri_ldl_set_off(&ldl, node, (unsigned)draw_int(&random, 0, (1 << m.size[node]) - 1)); /* none to all */
        factor_machine(&m, &ldl);
        assert_int_equal(ldl.dropped_rows, 0); /* off is not dropped */
        check_against_dense(&m, &ldl, &random);
        for (int node = 0; node < m.nodes; node++) bri_ldl_set_off(&ldl, node, 0);
        factor_machine(&m, &ldl);
        check_against_dense(&m, &ldl, &random); /* and back on */
        release_all(&m, &ldl, &heap);
    }
}

/* Row r of a loop joint becomes a mix of the rows of `original`, times 1 to 1000: it says nothing new. */
static void copy_row(Machine *m, int original, int loop, int r, Random *random) {
    double factor = pow(10, draw(random, 0, 3)), mix[6];
    for (int k = 0; k < 6; k++) mix[k] = factor * draw(random, 0.5, 1);
    for (int e = 0; e < 2; e++) {
        int from = m->joint_edge[original][e], to = m->joint_edge[loop][e];
        for (int c = 0; from >= 0 && c < 6; c++) {
            m->J[to][6 * r + c] = 0;
            for (int k = 0; k < m->size[m->bodies + original]; k++)
                m->J[to][6 * r + c] += mix[k] * m->J[from][6 * k + c];
        }
    }
}

/* A joint beside a tree joint, with some rows that repeat it: exactly those are dropped, the others hold. */
static void dependent_rows_are_dropped(void **unused) {
    (void)unused;
    Random random = {34};
    for (int n = 0; n < 60; n++) {
        Machine m = make_random(&random, 10, 3, 0);
        int original = draw_int(&random, 0, m.joints - 1), rows = draw_int(&random, 1, 3);
        int e = m.joint_edge[original][0], a = e < 0 ? -1 : m.edge[e][0], b = m.edge[m.joint_edge[original][1]][0];
        int loop = add_joint(&m, rows, a, b, true), node = m.bodies + loop, copied = draw_int(&random, 1, 7);
        copied = n % 3 ? copied & ((1 << rows) - 1) : (1 << rows) - 1; /* the whole joint twice, or parts of it */
        fill_machine(&m, &random);
        for (int r = 0; r < rows; r++)
            if (copied >> r & 1) copy_row(&m, original, loop, r, &random);
        Heap heap = {0};
        BriBlockLdl ldl = create_ldl(&m, &heap);
        factor_machine(&m, &ldl);
        assert_int_equal(ldl.dropped[node], copied);
        assert_int_equal(ldl.dropped_rows, (copied & 1) + (copied >> 1 & 1) + (copied >> 2 & 1));
        check_against_dense(&m, &ldl, &random); /* K x = b in the rows that were kept, zero in the others */
        release_all(&m, &ldl, &heap);
    }
}

/* Two loop joints that say the same: the first counts, the second is dropped. A row that is off is
 * neither dropped nor a reason to drop another. */
static void loops_depend_on_each_other(void **unused) {
    (void)unused;
    Random random = {35};
    Machine m = make_random(&random, 8, 3, 0);
    int first = add_joint(&m, 2, 1, 6, true), second = add_joint(&m, 2, 1, 6, true);
    fill_machine(&m, &random);
    for (int e = 0; e < 2; e++) memcpy(m.J[m.joint_edge[second][e]], m.J[m.joint_edge[first][e]], sizeof *m.J);
    Heap heap = {0};
    BriBlockLdl ldl = create_ldl(&m, &heap);
    factor_machine(&m, &ldl);
    assert_int_equal(ldl.dropped_rows, 2);
    check_against_dense(&m, &ldl, &random);
    for (int k = 0; k < 2; k++) {
        for (int node = 0; node < m.nodes; node++) bri_ldl_set_off(&ldl, node, 0);
        bri_ldl_set_off(&ldl, m.bodies + (k ? second : first), 1);
        factor_machine(&m, &ldl);
        assert_int_equal(ldl.dropped_rows, 1);
        check_against_dense(&m, &ldl, &random);
    }
    release_all(&m, &ldl, &heap);
}

/* ------------------------------------------------------------------ large trees */

/* Largest |K x - b|. */
static double measure_residual(const Machine *m, const BriBlockLdl *ldl, const double *x, double *b) {
    for (int n = 0; n < m->bodies; n++)
        for (int i = 0; i < 36; i++) b[ldl->row[n] + i / 6] -= m->M[n][i] * x[ldl->row[n] + i % 6];
    for (int e = 0; e < m->edges; e++) {
        int body = ldl->row[m->edge[e][0]], joint = ldl->row[m->edge[e][1]];
        for (int i = 0; i < 6 * m->size[m->edge[e][1]]; i++) {
            b[joint + i / 6] -= m->J[e][i] * x[body + i % 6];
            b[body + i % 6] -= m->J[e][i] * x[joint + i / 6];
        }
    }
    double worst = 0;
    for (int i = 0; i < ldl->rows; i++) worst = fmax(worst, fabs(b[i]));
    return worst;
}

typedef struct Cost {
    int blocks;      /* below the pivots */
    int updates;     /* block products of the factor */
    size_t bytes;    /* asked for, scratch included */
    double residual; /* of a solve, part of the largest unknown */
} Cost;

/* A chain from the ground, or a star around a body on the ground, of `nodes` bodies and joints. */
static Cost measure_tree(int nodes, int rows, bool star) {
    Random random = {36};
    Machine m = make_machine(nodes / 2, nodes / 2);
    for (int b = 0; b < m.bodies; b++) add_joint(&m, rows, b == 0 ? -1 : star ? 0 : b - 1, b, false);
    fill_machine(&m, &random);
    Heap heap = {0};
    BriBlockLdl ldl = create_ldl(&m, &heap);
    Cost cost = {ldl.begin[m.nodes], 0, heap.bytes, 0};
    for (int p = 0; p < m.nodes; p++) {
        int below = ldl.begin[p + 1] - ldl.begin[p];
        cost.updates += below * (below + 1) / 2;
    }
    factor_machine(&m, &ldl);
    double *b = draw_right_side(&ldl, &random), *x = malloc((size_t)ldl.rows * sizeof *x), largest = 0;
    memcpy(x, b, (size_t)ldl.rows * sizeof *x);
    bri_ldl_solve(&ldl, x);
    for (int i = 0; i < ldl.rows; i++) largest = fmax(largest, fabs(x[i]));
    cost.residual = measure_residual(&m, &ldl, x, b) / largest;
    free(b), free(x);
    release_all(&m, &ldl, &heap);
    return cost;
}

/* Joints of 4 rows and more go leaf by leaf: as many blocks as edges, one product each, no fill. In a chain of smaller
 * joints it is cheaper to take bodies first: 2 blocks and 3 products per body, 1 and 1 per joint. Where the last few
 * nodes of a star meet, any order will do. */
static void trees_cost_linear_work(void **unused) {
    (void)unused;
    for (int rows = 1; rows <= 6; rows++)
        for (int star = 0; star < 2; star++) {
            Cost small = measure_tree(1000, rows, star), large = measure_tree(10000, rows, star);
            bool bodies_first = rows <= 3 && !star;
            assert_int_equal(large.blocks - small.blocks, bodies_first ? 3 * 4500 : 9000);
            assert_int_equal(large.updates - small.updates, bodies_first ? 4 * 4500 : 9000);
            if (rows >= 4) assert_true(small.blocks == 1000 - 1 && small.updates == 1000 - 1);
            assert_true(small.blocks <= 3 * 500 + 20 && small.updates <= 4 * 500 + 60);
            assert_true(large.bytes <= 12 * small.bytes); /* 10, but arrays that double may be emptier in one */
            assert_close(small.residual, 0, 1e-13);       /* tens of roundings a row, and some growth of pivots */
            assert_close(large.residual, 0, 1e-13);
        }
}

/* ------------------------------------------------------------------ memory */

static void every_failing_allocation_is_survived(void **unused) {
    (void)unused;
    Random random = {37};
    Machine m = make_random(&random, 14, 3, 3);
    BriGraph graph = graph_of(&m);
    Heap full = {0};
    BriBlockLdl ldl = create_ldl(&m, &full), zero;
    BrAllocator allocator = heap_allocator(&full);
    bri_ldl_release(&ldl, &allocator);
    assert_int_equal(full.live, 0);
    assert_true(full.calls > 30); /* arrays of ldl, order and pattern */
    memset(&zero, 0, sizeof zero);
    for (int n = 1; n <= full.calls; n++) {
        Heap heap = {.fail_at = n};
        BrError error = {0};
        allocator = heap_allocator(&heap);
        assert_int_equal(bri_ldl_create(&graph, &allocator, &ldl, &error), BR_OUT_OF_MEMORY);
        assert_int_equal(error.status, BR_OUT_OF_MEMORY);
        assert_true(error.text[0] != 0);
        assert_int_equal(heap.live, 0);
        assert_memory_equal(&ldl, &zero, sizeof ldl); /* and may be released again */
        bri_ldl_release(&ldl, &allocator);
    }
    release_machine(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_like_dense_elimination),        cmocka_unit_test(halves_multiply_to_whole_solves),
        cmocka_unit_test(rows_off_give_the_smaller_system),     cmocka_unit_test(dependent_rows_are_dropped),
        cmocka_unit_test(loops_depend_on_each_other),           cmocka_unit_test(trees_cost_linear_work),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("block_ldl", tests, NULL, NULL);
}
