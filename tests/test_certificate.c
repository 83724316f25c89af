/* test_certificate.c: certificates, checked by other code in long double (exact_certificate.h): of stored problems, and of
 * every island and pile that some thousand steps of scenes bring. No certificate may be better than the truth by more than
 * a tenth.
 *
 * The solvers that steps call are wrapped by the linker (CMakeLists.txt), so that each answer passes here on its way.
 *
 * BRISTLE_DATA    the reference data, "../shared/data" if unset; without it the test of files skips */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>

#include "exact_certificate.h"
#include "io/problem_text.h"
#include "linalg/block_cholesky.h"
#include "machine.h"
#include "solvers/solvers.h"

/* ------------------------------------------------------------------ files */

static void check_file(const char *path) {
    BrProblem *problem;
    BrError error;
    BrSolution s;
    if (br_problem_load(path, NULL, NULL, &problem, &error) != BR_OK) fail_msg("%s: %s", path, error.text);
    double *r = calloc((size_t)br_problem_rows(problem), sizeof *r);
    static const double TOLERANCE[] = {1e-2, 1e-5, 1e-8}; /* also of answers that are none yet */
    for (int k = 0; k < 3; k++) {
        BrSolveDef def = br_default_solve_def();
        def.tolerance = TOLERANCE[k];
        assert_true(br_problem_solve(problem, &def, r, NULL, &s, &error) >= 0);
        BriCertificate told = {s.residual, s.relative, s.worst};
        Exact is = problem->W ? exact_of_dense(&problem->problem, r) : exact_of_sparse(&problem->sparse, r);
        if (!is_honest(&told, &is))
            fail_msg("%s: told %.3g m/s and %.3g, but it is %.3Lg and %.3Lg", path, told.residual, told.relative,
                     is.residual, is.relative);
    }
    free(r);
    br_problem_destroy(problem);
}

static void files_have_true_certificates(void **state) {
    (void)state;
    static const char *const FOLDERS[] = {"lcp", "mlcp", "relay", "fc2d", "fc3d", "global"};
    const char *data = getenv("BRISTLE_DATA");
    int files = 0;
    for (int f = 0; f < 6; f++) {
        char path[1024];
        int length = snprintf(path, sizeof path, "%s/problems/%s", data && *data ? data : "../shared/data", FOLDERS[f]);
        DIR *folder = opendir(path);
        if (!folder) skip();
        for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
            if (!strstr(entry->d_name, ".dat") && !strstr(entry->d_name, ".hdf5")) continue;
            snprintf(path + length, sizeof path - (size_t)length, "/%s", entry->d_name);
            check_file(path);
            files++;
        }
        closedir(folder);
    }
    assert_true(files > 60);
}

/* The check itself can fail: an answer that is a little off, told with the certificate of the one that is not. */
static void a_lie_is_seen(void **state) {
    (void)state;
    double W[9] = {2, 0.3, 0.1, 0.3, 1.5, 0.2, 0.1, 0.2, 1.8}, q[3] = {-1, 0.5, 0.2}, r[3] = {0}, u[3];
    BriBlock block = {.set = BRI_SET_CONE, .rows = 3, .mu = 0.4};
    BriProblem problem = {.rows = 3, .W = W, .stride = 3, .q = q, .blocks = 1, .block = &block};
    assert_true(bri_cone_solve(W, 3, q, 3, 0.4, r) != BRI_CONE_NONE);
    BriCertificate told = bri_problem_judge(&problem, r, u);
    Exact is = exact_of_dense(&problem, r);
    assert_true(is_honest(&told, &is));
    r[1] += 1e-9;
    is = exact_of_dense(&problem, r);
    assert_false(is_honest(&told, &is));
    told = bri_problem_judge(&problem, r, u);
    assert_true(is_honest(&told, &is));
    told.residual *= 0.9, told.relative *= 0.9;
    assert_false(is_honest(&told, &is));
}

/* ------------------------------------------------------------------ steps */

typedef struct Count {
    int islands, piles; /* answers seen: dense; of piles, whoever of the ladder gave them */
    int lies;
    double told, is; /* of the worst lie, m/s */
} Count;

static Count *counting; /* of the test at hand */

static void look(const BriCertificate *told, const Exact *is) {
    if (is_honest(told, is)) return;
    counting->lies++;
    if (is->residual - told->residual <= counting->is - counting->told) return;
    counting->told = told->residual;
    counting->is = (double)is->residual;
}

BriAnswer __real_bri_solve(const BriProblem *, double, double *, double *, BriSolverReport *);
BriAnswer __wrap_bri_solve(const BriProblem *, double, double *, double *, BriSolverReport *);
BriAnswer __real_bri_solve_ladder(const BriNetwork *, BriBlockLu *, BriLadder, double, double *, double *, double *,
                                  BriSolverReport *);
BriAnswer __wrap_bri_solve_ladder(const BriNetwork *, BriBlockLu *, BriLadder, double, double *, double *, double *,
                                  BriSolverReport *);

BriAnswer __wrap_bri_solve(const BriProblem *problem, double tolerance, double *r, double *scratch,
                           BriSolverReport *report) {
    BriAnswer answer = __real_bri_solve(problem, tolerance, r, scratch, report);
    if (!counting || problem->rows == 0) return answer;
    Exact is = exact_of_dense(problem, r);
    counting->islands++;
    look(&report->certificate, &is);
    return answer;
}

static double *copy_velocities(const BriNetwork *network, const double *v) {
    size_t bytes = 6 * (size_t)network->nodes * sizeof *v;
    double *copy = malloc(bytes + 1);
    memcpy(copy, v, bytes);
    return copy;
}

BriAnswer __wrap_bri_solve_ladder(const BriNetwork *network, BriBlockLu *lu, BriLadder kind, double tolerance,
                                  double *r, double *v, double *scratch, BriSolverReport *report) {
    double *v_free = copy_velocities(network, v);
    BriAnswer answer = __real_bri_solve_ladder(network, lu, kind, tolerance, r, v, scratch, report);
    if (counting && network->rows) {
        Exact is = exact_of_network(network, v_free, true, r);
        counting->piles++;
        look(&report->certificate, &is);
    }
    free(v_free);
    return answer;
}

/* Balls and blocks of all sizes, thrown together over a floor, or blocks in a tower that is struck; mu and speeds are drawn. */
static Machine throw_together(uint64_t seed, int bodies, bool tower) {
    Machine m = machine_begin(vec(0, 0, -9.81));
    BrMaterialId stone = machine_material(&m, "stone", draw(&seed, 0, 1.2), draw_int(&seed, 3) ? 0 : 0.4);
    machine_floor(&m, stone);
    for (int k = 0; k < bodies; k++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", k);
        double size = draw(&seed, 0.1, 0.2), mass = draw(&seed, 0.5, 20);
        BrVec3 at = vec(draw(&seed, -0.3, 0.3), draw(&seed, -0.3, 0.3), 0.15 + 0.3 * k);
        if (tower)
            machine_block(&m, name, mass, vec(0.2, 0.2, 0.1), vec(0.02 * draw(&seed, -1, 1), 0, 0.05 + 0.1 * k), stone);
        else if (draw_int(&seed, 2))
            machine_ball(&m, name, mass, 0.5 * size, at, stone);
        else
            machine_block(&m, name, mass, vec(size, size, 0.7 * size), at, stone);
    }
    machine_ready(&m);
    for (int k = 0; k < bodies; k++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", k);
        machine_set_twist(&m, br_model_find_body(m.model, name), draw_vec(&seed, tower ? 0.1 : 0.5),
                          draw_vec(&seed, tower ? 0.1 : 2));
    }
    return m;
}

static void steps_have_true_certificates(void **state) {
    (void)state;
    int machines = is_slow_run() ? 4 : is_long_run() ? 200 : 24, steps = 150;
    Count count = {0};
    for (int k = 0; k < machines; k++) {
        Machine m = throw_together(1000 + (uint64_t)k, 2 + k % 14, k % 4 == 3);
        BrStepDef def = machine_step_def(k % 3 ? BR_SCHEME_MOREAU : BR_SCHEME_HEM2, 4e-3);
        counting = &count;
        for (int i = 0; i < steps; i++) { /* an answer that fell short must say so: a positive status is fine */
            BrStepReport report;
            BrError error;
            assert_true(br_step(m.model, m.workspace, m.state, &def, &report, &error) >= 0);
        }
        counting = NULL;
        machine_end(&m);
    }
    printf("# %d islands, %d piles\n", count.islands, count.piles);
    if (count.lies) fail_msg("%d lies; the worst tells %g m/s and is %g", count.lies, count.told, count.is);
    assert_true(count.islands > 20 * machines); /* those whose guess does not hold */
    assert_true(count.piles > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lie_is_seen),
        cmocka_unit_test(files_have_true_certificates),
        cmocka_unit_test(steps_have_true_certificates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
