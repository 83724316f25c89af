/* test_block_lu.c: the block LU factor of matrices that are symmetric in where their blocks stand, not in their numbers:
 * A x = b on random graphs, judged by A x alone; the same bits for all vector lengths; pivots of zero; no memory.
 *
 *     A = 3 I + noise: blocks of nodes and edges drawn from -s..s, s so small that A's diagonal dominates */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "counting.h"
#include "joint_support.h"
#include "linalg/block_lu.h"

enum { MOST_NODES = 60, MOST_EDGES = 400, ANY = 1 << 29 };

typedef struct Case {
    int nodes, edges, edge[MOST_EDGES][2];
    double node[MOST_NODES][36], ab[MOST_EDGES][36], ba_turned[MOST_EDGES][36];
    Counter counter;
    BrAllocator allocator;
    BriBlockLu lu;
} Case;

static void draw_block(Random *random, double size, double *block) {
    for (int k = 0; k < 36; k++) block[k] = draw(random, -size, size);
}

/* `density`: edges per node; some pairs come several times, either way round. */
static Case *make_case(int nodes, int density, Random *random) {
    Case *t = calloc(1, sizeof *t);
    t->nodes = nodes;
    t->allocator = counting_allocator(&t->counter);
    for (int e = 0; nodes > 1 && e < density * nodes; e++) {
        t->edge[e][0] = draw_int(random, 0, nodes - 1);
        t->edge[e][1] = (t->edge[e][0] + draw_int(random, 1, nodes - 1)) % nodes;
        t->edges = e + 1;
    }
    double size = 1.0 / (6 * (1 + 2 * density)); /* rows of about 2 density blocks add up to less than 1 */
    for (int i = 0; i < nodes; i++) {
        draw_block(random, size, t->node[i]);
        for (int k = 0; k < 6; k++) t->node[i][7 * k] += 3;
    }
    for (int e = 0; e < t->edges; e++) {
        draw_block(random, size, t->ab[e]);
        draw_block(random, size, t->ba_turned[e]);
    }
    return t;
}

static bool reserve(Case *t) {
    return bri_block_lu_analyse(&t->lu, &t->allocator, t->nodes, t->edges, (const int(*)[2])t->edge, ANY) ==
           BRI_ANALYSIS_DONE;
}

static void fill(Case *t) {
    bri_block_lu_clear(&t->lu);
    for (int i = 0; i < t->nodes; i++) memcpy(bri_block_lu_node(&t->lu, i), t->node[i], sizeof t->node[i]);
    for (int e = 0; e < t->edges; e++) {
        memcpy(bri_block_lu_edge(&t->lu, e), t->ab[e], sizeof t->ab[e]);
        memcpy(bri_block_lu_turned(&t->lu, e), t->ba_turned[e], sizeof t->ba_turned[e]);
    }
}

static void release_case(Case *t) {
    bri_block_lu_release(&t->lu, &t->allocator);
    assert_int_equal(t->counter.live, 0);
    free(t);
}

static void multiply(const Case *t, const double *x, double *y) {
    memset(y, 0, 6 * (size_t)t->nodes * sizeof *y);
    for (int i = 0; i < t->nodes; i++)
        for (int k = 0; k < 36; k++) y[6 * i + k / 6] += t->node[i][k] * x[6 * i + k % 6];
    for (int e = 0; e < t->edges; e++)
        for (int k = 0; k < 36; k++) {
            int a = t->edge[e][0], b = t->edge[e][1];
            y[6 * a + k / 6] += t->ab[e][k] * x[6 * b + k % 6];
            y[6 * b + k % 6] += t->ba_turned[e][k] * x[6 * a + k / 6];
        }
}

static void solves(void **unused) {
    (void)unused;
    Random random = {171};
    for (int k = 0; k < 60; k++) {
        int nodes = draw_int(&random, 1, MOST_NODES), density = draw_int(&random, 0, 6);
        Case *t = make_case(nodes, density, &random);
        double b[6 * MOST_NODES], x[6 * MOST_NODES], y[6 * MOST_NODES];
        for (int i = 0; i < 6 * nodes; i++) b[i] = x[i] = draw(&random, -1, 1);
        assert_true(reserve(t));
        int64_t calls = t->counter.calls;
        fill(t);
        assert_true(bri_block_lu_factor(&t->lu));
        bri_block_lu_solve(&t->lu, x);
        multiply(t, x, y);
        for (int i = 0; i < 6 * nodes; i++) assert_close(y[i], b[i], 1e-14); /* |A| is 4: 10 roundings */
        assert_int_equal(t->counter.calls, calls);                           /* numbers need no memory */
        release_case(t);
    }
}

/* The hash was found with gcc and clang. */
static void bits_do_not_depend_on_vectors(void **unused) {
    (void)unused;
    Random random = {172};
    uint64_t hash = 0;
    for (int k = 0; k < 20; k++) {
        int nodes = draw_int(&random, 1, MOST_NODES), density = draw_int(&random, 0, 6);
        Case *t = make_case(nodes, density, &random);
        double x[6 * MOST_NODES], y[6 * MOST_NODES];
        size_t size = 6 * (size_t)t->nodes * sizeof *x;
        for (int i = 0; i < 6 * t->nodes; i++) x[i] = y[i] = draw(&random, -1, 1);
        assert_true(reserve(t));
        fill(t);
        assert_true(bri_block_lu_factor(&t->lu));
        bri_block_lu_solve(&t->lu, x);
        t->lu.layout.wide = false;
        assert_true(bri_block_lu_factor(&t->lu));
        bri_block_lu_solve(&t->lu, y);
        assert_memory_equal(x, y, size);
        hash = bri_hash(x, size, hash);
        release_case(t);
    }
    assert_int_equal(hash, UINT64_C(0x2e39d2fa2166339b));
}

/* Numbers that are none are told; a pivot of zero is replaced, and counted. */
static void pivots_of_nothing_are_told(void **unused) {
    (void)unused;
    const double WRONG[] = {0, NAN, INFINITY};
    for (int k = 0; k < 3; k++) {
        Random random = {173};
        Case *t = make_case(5, 0, &random);
        memset(t->node[3], 0, sizeof t->node[3]);
        for (int i = 0; i < 6; i++) t->node[3][7 * i] = i == 4 ? WRONG[k] : 1;
        assert_true(reserve(t));
        fill(t);
        assert_int_equal(bri_block_lu_factor(&t->lu), k == 0);
        assert_int_equal(t->lu.replaced, k == 0);
        release_case(t);
    }
}

static void lack_of_memory_is_survived(void **unused) {
    (void)unused;
    bool enough = false;
    for (int n = 1; !enough; n++) {
        Random random = {174};
        Case *t = make_case(20, 3, &random);
        t->counter.fail_at = n;
        enough = reserve(t);
        release_case(t);
        assert_true(n < 100);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves),
        cmocka_unit_test(bits_do_not_depend_on_vectors),
        cmocka_unit_test(pivots_of_nothing_are_told),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
