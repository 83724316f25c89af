/* test_sweeps.c: Gauss-Seidel with the matrix and without it: a stack's weight, agreement of the two forms, bounded
 * work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cone_support.h"

enum { BODIES = 5, CONTACTS = 4 * BODIES, ROWS = 3 * CONTACTS };

/* A stack of cubes of 1 m and 1 kg, four contacts below each; a node's row is (force, moment) in world axes. */
typedef struct Stack {
    BriNetwork network;
    double mass[BODIES], inertia[9 * BODIES], C[12 * ROWS], q[ROWS], v[6 * BODIES];
    int node[CONTACTS][2];
    BriBlock block[CONTACTS];
} Stack;

/* Force and moment of a unit impulse at p: normal z, tangents x and y. */
static void set_row(const double *p, int i, double sign, double *row) {
    BrVec3 e = vec(i == 1, i == 2, i == 0), m = cross(vec(p[0], p[1], p[2]), e);
    const double numbers[6] = {e.x, e.y, e.z, m.x, m.y, m.z};
    for (int k = 0; k < 6; k++) row[k] = sign * numbers[k];
}

static void make_stack(Stack *s, double push) {
    *s = (Stack){0};
    for (int b = 0; b < BODIES; b++) {
        s->mass[b] = 1;
        for (int i = 0; i < 3; i++) s->inertia[9 * b + 4 * i] = 6;
        s->v[6 * b + 2] = -0.01; /* a step of gravity, about */
        s->v[6 * b] = push * (b + 1);
        for (int k = 0; k < 4; k++) {
            int contact = 4 * b + k;
            s->node[contact][0] = b;
            s->node[contact][1] = b - 1;
            s->block[contact] = (BriBlock){.set = BRI_SET_CONE, .first = 3 * contact, .rows = 3, .mu = 0.5};
            for (int side = 0; side < 2 && s->node[contact][side] >= 0; side++) {
                double p[3] = {k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, side ? 0.5 : -0.5};
                for (int i = 0; i < 3; i++) set_row(p, i, side ? -1 : 1, s->C + 12 * (3 * contact + i) + 6 * side);
            }
        }
    }
    s->network = (BriNetwork){.nodes = BODIES,
                              .inverse_mass = s->mass,
                              .inverse_inertia = s->inertia,
                              .rows = ROWS,
                              .blocks = CONTACTS,
                              .block = s->block,
                              .node = (const int(*)[2])s->node,
                              .C = s->C,
                              .D = s->C,
                              .q = s->q};
}

/* W and q of the same problem, column by column. */
static void assemble(const Stack *s, double *W, double *q) {
    double v[6 * BODIES], u[3];
    for (int j = -1; j < ROWS; j++) {
        double r[ROWS] = {0};
        memset(v, 0, sizeof v);
        if (j < 0) memcpy(v, s->v, sizeof v);
        if (j >= 0) r[j] = 1;
        bri_network_apply(&s->network, r, v);
        for (int k = 0; k < CONTACTS; k++) {
            bri_network_velocity(&s->network, k, v, u);
            for (int i = 0; i < 3; i++) *(j < 0 ? q + 3 * k + i : W + (3 * k + i) * ROWS + j) = u[i];
        }
    }
}

static void stack_carries_its_weight(void **state) {
    (void)state;
    static Stack s;
    make_stack(&s, 0);
    double r[ROWS] = {0}, *scratch = malloc(bri_network_scratch(&s.network) * sizeof(double));
    BriSolverReport report;
    assert_int_equal(bri_solve_network(&s.network, 1e-12, 20000, r, s.v, scratch, &report), BRI_SOLVED);
    for (int b = 0; b < BODIES; b++) {
        double load = 0;
        for (int k = 0; k < 4; k++) load += r[3 * (4 * b + k)];
        assert_near(load, 0.01 * (BODIES - b), 1e-10);
        for (int i = 0; i < 6; i++) assert_near(s.v[6 * b + i], 0, 1e-10);
    }
    free(scratch);
}

static void both_forms_are_one_problem(void **state) {
    (void)state;
    static Stack s;
    static double W[ROWS * ROWS], q[ROWS];
    for (int k = 0; k < 3; k++) {
        make_stack(&s, 0.004 * k);
        assemble(&s, W, q);
        BriProblem problem = {.rows = ROWS, .W = W, .stride = ROWS, .q = q, .blocks = CONTACTS, .block = s.block};
        double r[ROWS] = {0}, dense[ROWS] = {0}, u[ROWS], w[ROWS];
        double *scratch = malloc(bri_network_scratch(&s.network) * sizeof(double));
        double *more = malloc(bri_solver_scratch(&problem) * sizeof(double));
        BriSolverReport report, other;
        assert_int_equal(bri_solve_network(&s.network, 1e-11, 20000, r, s.v, scratch, &report), BRI_SOLVED);
        BriCertificate c = bri_problem_judge(&problem, r, u);
        assert_near(c.residual, report.certificate.residual, 1e-15);
        assert_int_equal(bri_solve_sweeps(&problem, 1e-11, 20000, dense, more, &other), BRI_SOLVED);
        assert_true(abs(other.iterations - report.iterations) <= 32); /* the same sweeps but for rounding */
        bri_problem_judge(&problem, dense, w);
        for (int i = 0; i < ROWS; i++) assert_near(u[i], w[i], 1e-9);
        free(scratch);
        free(more);
    }
}

static void work_is_bounded_and_best_is_kept(void **state) {
    (void)state;
    static Stack s;
    make_stack(&s, 0.002);
    double r[ROWS] = {0}, free_v[6 * BODIES], *scratch = malloc(bri_network_scratch(&s.network) * sizeof(double));
    memcpy(free_v, s.v, sizeof free_v);
    BriSolverReport report;
    double guess = INFINITY;
    for (int most = 0; most < 40; most += 5) {
        memset(r, 0, sizeof r);
        memcpy(s.v, free_v, sizeof free_v);
        assert_int_equal(bri_solve_network(&s.network, 0, most, r, s.v, scratch, &report), BRI_STOPPED_SHORT);
        assert_true(report.iterations <= most && report.certificate.residual <= guess);
        if (most == 0) guess = report.certificate.residual;
    }
    free(scratch);
}

/* Vectors of four and of two: numbers that stand beside each other never meet. */
static void bits_do_not_depend_on_vectors(void **state) {
    (void)state;
    double r[2][ROWS];
    for (int narrow = 0; narrow < 2; narrow++) {
        Stack s;
        make_stack(&s, 0.004);
        s.network.narrow = narrow;
        double *scratch = malloc(bri_network_scratch(&s.network) * sizeof(double));
        BriSolverReport report;
        memset(r[narrow], 0, sizeof r[narrow]);
        bri_solve_network(&s.network, 0, 50, r[narrow], s.v, scratch, &report);
        assert_int_equal(report.iterations, 50);
        free(scratch);
    }
    assert_memory_equal(r[0], r[1], sizeof r[0]);
}

/* All parts are in some bundle of every stage at most once, so that bundles of one stage have no body in common; and the
 * blocks between any two parts have a bundle. */
static void bundles_of_a_stage_share_no_part(void **state) {
    (void)state;
    for (int levels = 0; levels <= BRI_MOST_LEVELS; levels++) {
        int parts = 1 << levels, owner[1 << BRI_MOST_LEVELS][BRI_MOST_LEVELS + 1];
        BriBundles bundles;
        memset(owner, -1, sizeof owner);
        bri_bundles_set_stages(&bundles, levels);
        for (int pair = 0; pair < parts * parts; pair++) {
            int both[2] = {pair / parts, pair % parts}, bundle = bri_find_bundle(levels, both[0], both[1]), stage = 0;
            assert_int_equal(bundle, bri_find_bundle(levels, both[1], both[0]));
            while (bundle >= bundles.stage[stage].end) stage++;
            assert_in_range(stage, 0, levels);
            for (int i = 0; i < 2; i++) {
                int *own = &owner[both[i]][stage];
                assert_true(*own < 0 || *own == bundle);
                *own = bundle;
            }
        }
        assert_int_equal(bundles.stage[levels + 1].begin, 2 * parts - 1); /* joints */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack_carries_its_weight),         cmocka_unit_test(both_forms_are_one_problem),
        cmocka_unit_test(bits_do_not_depend_on_vectors),    cmocka_unit_test(work_is_bounded_and_best_is_kept),
        cmocka_unit_test(bundles_of_a_stage_share_no_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
