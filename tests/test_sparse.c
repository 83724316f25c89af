/* test_sparse.c: problems whose W is sparse: the same problem as a dense one, to the bit; the LU beneath Newton's steps; the
 * rungs; and packings of spheres, at rest and in motion.
 *
 * BRISTLE_LONG    also a packing of 2400 spheres and 7560 contacts */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cone_support.h"
#include "counting.h"
#include "io/problem_text.h"
#include "linalg/block_lu.h"
#include "machine.h"
#include "packing.h"
#include "solvers/local.h"
#include "solvers/sparse.h"

static BrAllocator standard(void) { return bri_default_allocator(); }

/* ------------------------------------------------------------------ the same problem */

/* W of a random sample without some of its blocks, in both forms. */
static BriSparse make_both(Sample *s, uint64_t *seed, BriSparseRoom *room) {
    static BriEntry entry[MOST_ROWS * MOST_ROWS];
    BrAllocator allocator = standard();
    int rows = s->problem.rows, count = 0;
    for (int a = 0; a < s->problem.blocks; a++)
        for (int b = 0; b < a; b++) {
            if (random_number(seed) < 0) continue;
            const BriBlock *x = &s->block[a], *y = &s->block[b];
            for (int i = x->first; i < x->first + x->rows; i++)
                for (int j = y->first; j < y->first + y->rows; j++) s->W[i * rows + j] = s->W[j * rows + i] = 0;
        }
    for (int i = rows * rows - 1; i >= 0; i--) /* in no good order */
        if (s->W[i] != 0) entry[count++] = (BriEntry){i / rows, i % rows, s->W[i]};
    assert_true(bri_sparse_build(&allocator, s->problem.blocks, s->block, count, entry, room));
    return bri_sparse_of(&s->problem, room);
}

static void both_forms_are_one_problem(void **state) {
    (void)state;
    static Sample s;
    uint64_t seed = 5;
    BrAllocator allocator = standard();
    for (int trial = 0; trial < 50; trial++) {
        BriSparseRoom room = {0};
        s = (Sample){.scratch = s.scratch};
        for (int k = 0; k < 12; k++)
            add_block(&s, k % 4 == 3   ? (BriBlock){.set = BRI_SET_BOX, .rows = 1, .upper = INFINITY}
                          : k % 4 == 2 ? (BriBlock){.set = BRI_SET_FREE, .rows = 1 + trial % 6}
                                       : cone(2 + k % 2, 0.5));
        fill(&s, 40, 1, 0.1, &seed);
        finish(&s);
        BriSparse sparse = make_both(&s, &seed, &room);
        double u[MOST_ROWS], w[MOST_ROWS], spread[MOST_ROWS * MOST_ROWS];
        for (int i = 0; i < s.problem.rows; i++) s.r[i] = random_number(&seed);
        BriCertificate dense = bri_problem_judge(&s.problem, s.r, u), other = bri_sparse_judge(&sparse, s.r, w);
        assert_memory_equal(u, w, (size_t)s.problem.rows * sizeof *u);
        assert_true(dense.residual == other.residual && dense.relative == other.relative && dense.worst == other.worst);
        assert_true(bri_problem_rounding(&s.problem, s.r) == bri_sparse_rounding(&sparse, s.r));
        bri_sparse_spread(&sparse, spread);
        assert_memory_equal(spread, s.W, (size_t)(s.problem.rows * s.problem.rows) * sizeof *spread);
        bri_release(&allocator, room.room);
    }
    free(s.scratch);
}

/* ------------------------------------------------------------------ the factor */

/* A ring with chords of random blocks, not symmetric: A x = b by the LU, against x. `lean`: how much of the diagonal is
 * added; with 0 pivots may be small and the answer is a preconditioner's. */
static void factor_gives_the_answer(void **state) {
    (void)state;
    enum { NODES = 40, EDGES = 80 };
    static int edge[EDGES][2];
    static double x[6 * NODES], b[6 * NODES], y[6 * NODES];
    BrAllocator allocator = standard();
    BriBlockLu lu = {0};
    uint64_t seed = 3;
    for (int e = 0; e < EDGES; e++) {
        edge[e][0] = e % NODES;
        edge[e][1] = (e % NODES + (e < NODES ? 1 : 7 + e % 5)) % NODES;
    }
    assert_int_equal(bri_block_lu_analyse(&lu, &allocator, NODES, EDGES, (const int(*)[2])edge, 10000),
                     BRI_ANALYSIS_DONE);
    for (int trial = 0; trial < 5; trial++) {
        bri_block_lu_clear(&lu);
        for (int n = 0; n < NODES; n++)
            for (int i = 0; i < 36; i++)
                bri_block_lu_node(&lu, n)[i] = random_number(&seed) + (i % 6 == (i / 6 + trial) % 6 ? 12 : 0);
        for (int e = 0; e < EDGES; e++)
            for (int i = 0; i < 36; i++) {
                bri_block_lu_edge(&lu, e)[i] = random_number(&seed);
                bri_block_lu_turned(&lu, e)[i] = random_number(&seed);
            }
        for (int i = 0; i < 6 * NODES; i++) x[i] = random_number(&seed);
        bri_block_lu_multiply(&lu, x, b);
        assert_true(bri_block_lu_factor(&lu));
        assert_int_equal(lu.replaced, 0);
        memcpy(y, b, sizeof y);
        bri_block_lu_solve(&lu, y);
        for (int i = 0; i < 6 * NODES; i++) assert_near(y[i], x[i], 1e-12); /* conditions of about ten */
    }
    /* A itself: edge[e] = {a, b}, A[a][b] by rows, A[b][a] transposed */
    memset(x, 0, sizeof x);
    x[6 * edge[3][0] + 2] = 1;
    bri_block_lu_multiply(&lu, x, b);
    double sum = 0;
    for (int e = 0; e < EDGES; e++)
        if (edge[e][0] == edge[3][0] && edge[e][1] == edge[3][1]) sum += bri_block_lu_turned(&lu, e)[6 * 2 + 4];
    assert_near(b[6 * edge[3][1] + 4], sum, 1e-15);
    bri_block_lu_release(&lu, &allocator);
}

/* ------------------------------------------------------------------ packings */

typedef struct Told {
    BrSolution solution;
    int contacts, open, slide;
} Told;

/* Solves a packing's problem; `steps` before it have moved the spheres on: u + g h is q of the next, as in a simulation
 * whose geometry stands still, each solved by some sweeps. */
static Told solve_packing(int bodies, int width, double shear, int steps, const char *solver) {
    enum { SWEEPS = 300 };
    Packing p = make_packing(bodies, width);
    BrProblem *problem, *weight;
    BrError error;
    size_t size;
    char *text = write_packing(&p, shear, shear > 0 ? 0.05 : 0, 0.5, &size);
    assert_int_equal(br_problem_parse(text, size, "packing", "friction", NULL, &problem, &error), BR_OK);
    free(text);
    text = write_packing(&p, 0, 0, 0.5, &size);
    assert_int_equal(br_problem_parse(text, size, "packing", "friction", NULL, &weight, &error), BR_OK);
    free(text);
    free_packing(&p);
    const BriSparse *s = &problem->sparse;
    assert_null(problem->W); /* it has stayed sparse */
    size_t rows = (size_t)s->rows;
    double *r = calloc(rows, sizeof *r), *u = calloc(rows, sizeof *u), *rho = calloc((size_t)s->blocks, sizeof *rho);
    for (int k = 0; k < s->blocks; k++) rho[k] = bri_sparse_scale(s, k);
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < SWEEPS; i++) bri_sparse_sweep(s, rho, i & 1, r);
        bri_sparse_velocities(s, r, u);
        for (size_t i = 0; i < rows; i++) problem->q[i] = u[i] + weight->q[i];
    }
    memset(r, 0, rows * sizeof *r);
    BrSolveDef def = br_default_solve_def();
    def.solver = solver;
    Told told = {.contacts = s->blocks};
    assert_true(br_problem_solve(problem, &def, r, u, &told.solution, &error) >= 0);
    for (int k = 0; k < s->blocks; k++) {
        told.open += r[3 * k] == 0;
        told.slide += r[3 * k] > 0 && hypot(r[3 * k + 1], r[3 * k + 2]) >= 0.5 * r[3 * k] * (1 - 1e-9);
    }
    free(r);
    free(u);
    free(rho);
    br_problem_destroy(problem);
    br_problem_destroy(weight);
    return told;
}

static void check_packing(int bodies, int width, double shear, int steps, const char *solver) {
    Told told = solve_packing(bodies, width, shear, steps, solver);
    printf("# %d contacts, %d open, %d sliding: %s, %d iterations, %.1e of |q|\n", told.contacts, told.open, told.slide,
           told.solution.solver, told.solution.iterations, told.solution.relative);
    assert_int_equal(told.solution.verdict, BR_VERDICT_SOLVED);
    assert_true(told.solution.relative <= 1e-8);
    assert_true(told.slide > told.contacts / 10 && told.open > 0); /* it is no pile that all sticks */
}

static void packings_are_solved(void **state) {
    (void)state;
    check_packing(250, 5, 0, 0, NULL); /* weight alone */
    if (is_slow_run()) return;
    check_packing(250, 5, 0, 0, "sweeps"); /* by each rung alone */
    check_packing(250, 5, 0, 0, "proximal");
    check_packing(250, 5, 0.1, 10, NULL); /* in flow, ten steps after it was sheared */
    if (is_long_run()) check_packing(2400, 12, 0, 0, NULL);
}

/* A rung that finds nothing says so: the residual is that of the best answer, and the name its owner's. */
static void the_best_is_flagged(void **state) {
    (void)state;
    Told told = solve_packing(150, 5, 0, 0, "newton"); /* cold, it does not find its way into a packing */
    assert_int_equal(told.solution.verdict == BR_VERDICT_SOLVED, told.solution.relative <= 1e-8);
    assert_true(told.solution.relative < 1 && told.solution.residual > 0); /* r = 0 has about 1 */
    assert_string_equal(told.solution.solver, "newton");
}

/* Wherever memory ends, in reading or in the steps of a rung, it is said, and nothing is left behind. */
static void memory_may_end(void **state) {
    (void)state;
    Packing p = make_packing(60, 3);
    size_t size;
    char *text = write_packing(&p, 0, 0, 0.5, &size);
    free_packing(&p);
    static const char *const SOLVERS[] = {NULL, "newton", "proximal", "sweeps"};
    for (int k = 0; k < 4; k++)
        for (int64_t fail_at = 1;; fail_at += 1 + fail_at / (is_slow_run() ? 2 : 8)) {
            Counter counter = {.fail_at = fail_at};
            BrAllocator allocator = counting_allocator(&counter);
            BrProblem *problem;
            BrError error;
            BrSolveDef def = br_default_solve_def();
            def.solver = SOLVERS[k];
            def.tolerance = 1e-3;
            BrStatus status = br_problem_parse(text, size, "packing", "friction", &allocator, &problem, &error);
            if (status == BR_OK) {
                assert_null(problem->W);
                double *r = calloc((size_t)br_problem_rows(problem), sizeof *r);
                BrSolution s;
                status = br_problem_solve(problem, &def, r, NULL, &s, &error);
                free(r);
            }
            br_problem_destroy(problem);
            assert_int_equal(counter.live, 0);
            if (counter.calls < fail_at) break;
            assert_int_equal(status, BR_OUT_OF_MEMORY);
        }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_are_one_problem),
        cmocka_unit_test(factor_gives_the_answer),
        cmocka_unit_test(packings_are_solved),
        cmocka_unit_test(the_best_is_flagged),
        cmocka_unit_test(memory_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
