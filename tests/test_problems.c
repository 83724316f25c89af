/* test_problems.c: problem files: those of shared/data/problems (README.md there: formats, traps, known answers), and
 * files that are cut, twisted or full of nonsense.
 *
 * BRISTLE_DATA    the reference data, "../shared/data" if unset; without it the tests of files skip
 * BRISTLE_VERBOSE prints residual and pivots, file by file */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/bristle.h"
#include "counting.h"
#include "io/problem_text.h"
#include "plain_line.h"

static const double TOLERANCE = 1e-8; /* "Aim for 1e-8" in the README */

static const char *setting(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

static void name_path(char *path, size_t size, const char *folder, const char *file) {
    snprintf(path, size, "%s/problems/%s%s%s", setting("BRISTLE_DATA", "../shared/data"), folder, *file ? "/" : "",
             file);
}

/* ------------------------------------------------------------------ the files */

typedef struct Known {
    const char *file;
    int rows;
    double r[9];
} Known;

static const Known KNOWN[] = {
    {"lcp_CPS_2.dat", 3, {0, 1, 3}},
    {"lcp_CPS_4.dat", 4, {2, 2, 2, 92}},
    {"lcp_Pang_isolated_sol.dat", 3, {1, 0, 0}},
    {"lcp_deudeu.dat", 2, {4. / 3, 7. / 3}},
    {"lcp_deudeu_block.dat", 2, {4. / 3, 7. / 3}},
    {"lcp_exp_murty.dat", 6, {0, 0, 0, 0, 0, 1}},
    {"lcp_ortiz_block.dat", 4, {2. / 3, 0, 1. / 3, 0}},
    {"lcp_trivial.dat", 9, {1, 1. / 2, 1. / 3, 1. / 4, 1. / 5, 1. / 6, 1. / 7, 1. / 8, 1. / 9}},
    {"deudeu_mlcp.dat", 2, {1, 0}},
    {"m2n1_mlcp.dat", 3, {1, 0, 3}},
    {"relay_2x2.dat", 2, {0.5, -0.5}},
    {"relay_simple2.dat", 2, {1, 1}},
    {"step_1x1.dat", 1, {0}},
};

static void check_known(const char *file, const double *r, int rows) {
    for (size_t k = 0; k < sizeof KNOWN / sizeof KNOWN[0]; k++) {
        if (strcmp(KNOWN[k].file, file) != 0) continue;
        assert_int_equal(KNOWN[k].rows, rows);
        for (int i = 0; i < rows; i++)
            if (!(fabs(r[i] - KNOWN[k].r[i]) <= 1e-9 * (1 + fabs(KNOWN[k].r[i])))) /* conditions below 1e5 */
                fail_msg("%s: row %d is %.12g instead of %.12g", file, i, r[i], KNOWN[k].r[i]);
    }
}

/* Too many sets to enumerate. */
static bool is_large(const char *file) {
    static const char *const LARGE[] = {"lcp_mmc.dat", "deltasigma_mlcp.dat", "diodeBridge20_mlcp.dat", "relay1.dat"};
    for (size_t i = 0; i < sizeof LARGE / sizeof LARGE[0]; i++)
        if (strcmp(LARGE[i], file) == 0) return true;
    return false;
}

static void solve_file(const char *kind, const char *file, const BrProblem *problem, const char *solver) {
    int rows = br_problem_rows(problem);
    double *r = calloc((size_t)rows, sizeof *r), *u = calloc((size_t)rows, sizeof *u);
    BrSolveDef def = br_default_solve_def();
    BrSolution s;
    BrError error = {0};
    def.tolerance = TOLERANCE;
    def.solver = solver;
    BrStatus status = br_problem_solve(problem, &def, r, u, &s, &error);
    if (getenv("BRISTLE_VERBOSE"))
        printf("# %-6s %-28s %3d rows  %-11s %5d iterations  %.1e of |q|  %.1e m/s\n", kind, file, rows, s.solver,
               s.iterations, s.relative, s.residual);
    bool beyond = solver && strcmp(solver, "enumeration") == 0 && is_large(file);
    if (beyond)
        assert_int_equal(status, BR_NOT_CONVERGED); /* and it says so */
    else if (status != BR_OK)
        fail_msg("%s by %s: %s, residual %g, %s", file, solver ? solver : "choice", br_status_name(status), s.relative,
                 s.proof ? s.proof : error.text);
    if (!beyond) check_known(file, r, rows);
    free(r);
    free(u);
}

static void test_folder(void **state) {
    const char *kind = *state;
    char path[1024];
    int files = 0;
    name_path(path, sizeof path, kind, "");
    DIR *folder = opendir(path);
    if (!folder) skip();
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (!strstr(entry->d_name, ".dat")) continue;
        static const char *const SOLVERS[] = {NULL, "pivoting", "lemke", "enumeration"};
        BrProblem *problem;
        BrError error;
        name_path(path, sizeof path, kind, entry->d_name);
        if (br_problem_load(path, NULL, NULL, &problem, &error) != BR_OK) fail_msg("%s: %s", path, error.text);
        assert_string_equal(br_problem_kind(problem), kind);
        for (int s = 0; s < 4; s++) solve_file(kind, entry->d_name, problem, SOLVERS[s]);
        br_problem_destroy(problem);
        files++;
    }
    closedir(folder);
    assert_true(files > 0);
}

/* Read entry by entry as read_problem.py reads them: sum_i (i mod 7 - 3) u_i for r_i = i mod 5 - 2, from there. Another
 * order of the entries gives other sums. */
static void test_friction_files_are_read(void **state) {
    (void)state;
    static const struct {
        const char *folder, *file;
        int contacts;
        double sum;
    } FILES[] = {{"fc2d", "FC2D_SliderCrankLagrangian00000.dat", 2, 1953.2490463867848},
                 {"fc2d", "FrictionContactProblem00031.dat", 11, 9.028696161015624},
                 {"fc2d", "fc2d_granularflowonwall_00667_00000.dat", 667, 91455.451094367527},
                 {"fc3d", "Rover1039.dat", 4, 0.70064689640588607},
                 {"fc3d", "OneObject-i1028-138.hdf5.dat", 23, 324.72927717159337},
                 {"fc3d", "KaplasTower-i1061-4.hdf5.dat", 570, 58334.676850584452},
                 {"fc3d", "FrictionContact3D_1c.dat", 1, 104},
                 {"fc3d", "Capsules-i125-1213.hdf5", 286, 322.26958232532684},
                 {"fc3d", "fclib_local_problem_test.hdf5", 48, 14201.639125581338},
                 {"global", "Box_Stacks-i0122-82-5.hdf5", 82, -265.91068939990129},
                 {"global", "CubeH8.hdf5", 1, 0.12546310253127949},
                 {"global", "GFC3D_TwoRods1.dat", 3, 2.2098686860523484},
                 {"global", "gfc2d_granularflowonwall_00230_00206.dat", 230, 852729.23037638282}};
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        char path[1024];
        BrProblem *problem;
        BrError error;
        name_path(path, sizeof path, FILES[i].folder, FILES[i].file);
        BrStatus status = br_problem_load(path, NULL, NULL, &problem, &error);
        if (status == BR_IO) skip();
        if (status != BR_OK) fail_msg("%s: %s", path, error.text);
        assert_int_equal(br_problem_contacts(problem), FILES[i].contacts);
        int rows = br_problem_rows(problem);
        double *r = calloc((size_t)rows, sizeof *r), *u = calloc((size_t)rows, sizeof *u), sum = 0;
        for (int k = 0; k < rows; k++) r[k] = k % 5 - 2;
        bri_file_judge(problem, r, u);
        for (int k = 0; k < rows; k++) sum += (k % 7 - 3) * u[k];
        if (!(fabs(sum - FILES[i].sum) <= 1e-10 * fabs(FILES[i].sum))) /* 1e3 terms, some of them 1e3 times the sum */
            fail_msg("%s: %.17g instead of %.17g", path, sum, FILES[i].sum);
        free(r);
        free(u);
        br_problem_destroy(problem);
    }
}

/* All of them, RockPile_tob1 too, which none of six solvers of Siconos answers; by other code: test_certificate.c. */
static void test_friction_files_are_solved(void **state) {
    (void)state;
    static const char *const FOLDERS[] = {"fc2d", "fc3d", "global"};
    int files = 0;
    for (int f = 0; f < 3; f++) {
        char path[1024];
        name_path(path, sizeof path, FOLDERS[f], "");
        DIR *folder = opendir(path);
        if (!folder) skip();
        for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
            if (!strstr(entry->d_name, ".dat") && !strstr(entry->d_name, ".hdf5")) continue;
            BrProblem *problem;
            BrError error;
            name_path(path, sizeof path, FOLDERS[f], entry->d_name);
            if (br_problem_load(path, NULL, NULL, &problem, &error) != BR_OK) fail_msg("%s: %s", path, error.text);
            assert_string_equal(br_problem_kind(problem), f == 2 ? "global" : "friction");
            solve_file(FOLDERS[f], entry->d_name, problem, NULL);
            br_problem_destroy(problem);
            files++;
        }
        closedir(folder);
    }
    assert_int_equal(files, 39);
}

static void test_other_files_are_refused(void **state) {
    (void)state;
    static const char *const FILES[][2] = {{"rolling", "RFC3D_sphere_1.dat"},
                                           {"rolling", "rockfall_14_25792.dat"},
                                           {"rolling_global", "Chute-ndof-768-nc-4-3.hdf5"}};
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        char path[1024];
        BrProblem *problem;
        BrError error;
        name_path(path, sizeof path, FILES[i][0], FILES[i][1]);
        BrStatus status = br_problem_load(path, NULL, NULL, &problem, &error);
        if (status == BR_IO) skip();
        assert_true(status < 0);
        assert_null(problem);
        if (!strstr(error.text, "rolling problems") || !strstr(error.text, "not read")) fail_msg("%s", error.text);
    }
}

/* ------------------------------------------------------------------ texts */

static BrStatus parse(const char *text, const char *kind, BrProblem **problem, BrError *error) {
    return br_problem_parse(text, strlen(text), "p.dat", kind, NULL, problem, error);
}

/* The matrix [1 2; 3 4] in all storages, q = (0, 0): u for r = e_1 must be its first column, (1, 3). */
static void test_columns_come_first(void **state) {
    (void)state;
    static const char *const TEXTS[] = {
        "2 0 2 2 2 2 1 3 2 4 -1 -3",
        "2 1 2 2 1 1 1 2 2 2 1 0 1 0 0 1 3 2 4 -1 -3",
        "2 1 2 2 4 2 2 1 2 1 2 3 4 0 2 4 0 1 0 1 0 1 1 2 2 3 3 4 -1 -3",
        ("2 2 2 2 2\nCSparse Version 3\n2-by-2, nzmax: 4 nnz: 4, 1-norm: 6\ncol 0 : locations 0 to 1\n0 : 1\n1 : 3\n"
         "col 1 : locations 2 to 3\n0 : 2\n1 : 4\n-1 -3"),
        "2 2 2 2 1\nCSparse Version 3\ntriplet: 2-by-2, nzmax: 4 nnz: 4\n0 0 : 1\n1 0 : 3\n0 1 : 2\n1 1 : 4\n-1 -3",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        BrProblem *problem;
        BrError error;
        if (parse(TEXTS[i], NULL, &problem, &error) != BR_OK)
            fail_msg("%d: line %d: %s", (int)i, error.line, error.text);
        assert_string_equal(br_problem_kind(problem), "lcp");
        double r[2] = {0, 0}, u[2];
        BrSolution s;
        assert_int_equal(br_problem_solve(problem, NULL, r, u, &s, &error), BR_OK);
        assert_true(fabs(r[0] - 1) < 1e-14 && fabs(r[1]) < 1e-14 && fabs(u[0]) < 1e-14 && fabs(u[1]) < 1e-14);
        br_problem_destroy(problem);
    }
}

static void test_kinds_are_told_apart(void **state) {
    (void)state;
    static const struct {
        const char *text, *kind; /* NULL: must be refused */
    } TEXTS[] = {
        {"1 0 1 1 1 1 2 -1", "lcp"},
        {"1 0 1 1 1 1 2 -1 a remark of 3 words", "lcp"},
        {"1 0 1 1 1 1 2 -1 -1 1", "relay"},
        {"1 0 1 1 1 1 2 -1 -inf inf", "relay"},
        {"1 0 1 1 1 1 2 -1 1 -1", NULL},
        {"1 0 1 1 1 1 2 -1 5", NULL},
        {"1 0 1 1 0 1 2 0 1 0 2 2 2 2 1 0 0 1 1 -1", "mlcp"},
        {"2 1 0 2 2 2 2 1 0 0 1 -1 1 0.5", "friction"},
        {"2 1 0 2 2 2 2 1 0 0 1 -1 1 0.5 1", "friction"},
        {"3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 1 0 0.5", "friction"},
        {"2 1 0 2 2 2 2 1 0 0 1 -1 1 0.5 0 2 2", NULL},
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        BrProblem *problem;
        BrError error;
        BrStatus status = parse(TEXTS[i].text, NULL, &problem, &error);
        if ((status == BR_OK) != (TEXTS[i].kind != NULL)) fail_msg("%s: %s", TEXTS[i].text, error.text);
        if (status == BR_OK) assert_string_equal(br_problem_kind(problem), TEXTS[i].kind);
        br_problem_destroy(problem);
    }
}

static void test_bad_texts_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *kind, *text;
        int line;
        const char *part; /* of the message */
    } TEXTS[] = {
        {"lcp", "", 1, "the file ends where the number of unknowns"},
        {"lcp", "two", 1, "found 'two'"},
        {"lcp", "2\n0\n2\n3\n", 4, "the matrix is 2 x 3"},
        {"lcp", "2\n0 2 2\n2 2\n1 2 3 4\n5", 5, "the file ends where an entry of q"},
        {"lcp", "2\n0 2 2\n2 2\n1 2 x 4\n5 6", 4, "found 'x' where an entry of the matrix"},
        {"lcp", "2\n0 2 2\n2 2\n1 2 nan 4\n5 6", 4, "found 'nan'"},
        {"lcp", "2\n0 2 2\n2 2\n1 2 inf 4\n5 6", 4, "found 'inf'"},
        {"lcp", "2\n0 2 2\n2 2\n1 2 1e999 4\n5 6", 4, "too large"},
        {"lcp", "2\n3 2 2", 2, "storage"},
        {"lcp", "-2 0 2 2", 1, "allowed are 1 to"},
        {"lcp", "99999999999999999999 0 2 2", 1, "whole number"},
        {"lcp", "5000\n0 5000 5000 5000 5000 1 2 3", 2, "cut off"},
        {"lcp", "1000000", 1, "cut off"},
        {"lcp", "2.5 0", 1, "whole number"},
        {"lcp", "2 1 2 2 1 1 1 2 2 2 1 0 1 1 0 1 3 2 4 0 0", 1, "index2"},
        {"lcp", "2 1 2 2 1 1 1 3 2 2 1 0 1 0 0 1 3 2 4 0 0", 1, "row ends"},
        {"lcp", "2 1 2 2 1 1 1 2 2 2 1 0 1 0 7 1 3 2 4 0 0", 1, "block's number is 7"},
        {"lcp", "2 2 2 2 2\nCSparse\n2-by-2, nzmax: 1 nnz: 1,\ncol 0 : locations 0 to 0\n9 : 1\n", 5, "row is 9"},
        {"lcp", "2 2 2 2 1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 900000000", 3, "cut off"},
        {"relay", "1 0 1 1 1 1 2 -1 2 1", 1, "bounds 2 and 1"},
        {"relay", "1 0 1 1 1 1 2 -1 2", 1, "an upper bound"},
        {"mlcp", "0 1 1 1", 1, "whole M"},
        {"mlcp", "1 1 1 1 0 3", 1, "row end is 3"},
        {"friction", "4 1 0 4 4 4 4 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 -1 1 0 0 0.5", 1, "rolling"},
        {"friction", "2 1 0 2 2 2 2 1 0 0 1 -1 1 -0.5", 1, "must not be negative"},
        {"friction", "2 30000000 0", 1, "allowed are 1 to"},
        {"circus", "1", 0, "no kind 'circus'"},
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        BrProblem *problem;
        BrError error = {0};
        BrStatus status = parse(TEXTS[i].text, TEXTS[i].kind, &problem, &error);
        assert_true(status < 0 && status == error.status);
        assert_null(problem);
        if (!strstr(error.text, TEXTS[i].part) || error.line != TEXTS[i].line)
            fail_msg("%s: line %d: %s", TEXTS[i].text, error.line, error.text);
        assert_true(is_plain_line(error.text));
    }
}

static const char GOOD[] = "3 1 1 3 3 1 1 1 3 3 2 1 0 1 0 0 1 0 0 0 1 0 0 0 1 -1 1 0 0.5";

/* Every beginning of a good text, every byte of it changed: refused or read, never worse (the sanitizers watch). */
static void test_damaged_texts(void **state) {
    (void)state;
    static const char *const GOODS[] = {GOOD, "1 0 1 1 0 1 2 0 1 0 2 2 2 2 1 0 0 1 1 -1", "1 0 1 1 1 1 2 -1 -1 1",
                                        "2 2 2 2 2\nCSparse V\n2-by-2, nzmax: 2 nnz: 2, 1-norm: 6\ncol 0 : locations 0 "
                                        "to 0\n0 : 1\ncol 1 : locations 1 to 1\n1 : 4\n-1 -3"};
    static const char OTHER[] = "0239-. eXn:\xFF";
    for (int g = 0; g < 4; g++) {
        size_t size = strlen(GOODS[g]);
        char text[512];
        for (size_t cut = 0; cut <= size; cut++) {
            BrProblem *problem;
            BrError error;
            memcpy(text, GOODS[g], size);
            BrStatus status = br_problem_parse(text, cut, "p.dat", NULL, NULL, &problem, &error);
            assert_true(status == BR_OK || is_plain_line(error.text));
            br_problem_destroy(problem);
            for (size_t k = 0; k < sizeof OTHER && cut < size; k++) {
                text[cut] = OTHER[k];
                status = br_problem_parse(text, size, "p.dat", NULL, NULL, &problem, &error);
                assert_true(status == BR_OK || (error.text[0] && is_plain_line(error.text)));
                br_problem_destroy(problem);
            }
        }
    }
}

/* M = 2, H = 1, f = (-1, 1), b = 0, mu = 0.5: W = 1/2 and q = (-1/2, 1/2), so r_N = 1 stops the approach, and friction,
 * at most half of it, leaves u_T = 1/4. */
static const char GLOBAL[] = "2 1\n0 2 2 2 2 2 0 0 2\n0 2 2 2 2 1 0 0 1\n-1 1\n0 0\n0.5\n";

static void test_global_problems_become_local(void **state) {
    (void)state;
    BrProblem *problem;
    BrError error;
    BrSolution s;
    double r[2] = {0}, u[2];
    if (parse(GLOBAL, NULL, &problem, &error) != BR_OK) fail_msg("line %d: %s", error.line, error.text);
    assert_string_equal(br_problem_kind(problem), "global");
    assert_int_equal(br_problem_solve(problem, NULL, r, u, &s, &error), BR_OK);
    const double is[4] = {r[0], r[1], u[0], u[1]}, expected[4] = {1, -0.5, 0, 0.25};
    for (int i = 0; i < 4; i++) assert_true(fabs(is[i] - expected[i]) < 1e-14);
    br_problem_destroy(problem);
    static const struct {
        const char *text, *part;
    } WRONG[] = {{"2 1 0 2 2 2 2 0 0 0 2 0 2 2 2 2 1 0 0 1 -1 1 0 0 0.5", "cannot be inverted"},
                 {"2 1 0 2 2 2 2 2 0 0 2 0 2 3 2 3 1 0 0 1 0 0 -1 1 0 0 0.5", "H is 2 x 3"},
                 {"2 1 0 2 3 2 3 2 0 0 2 0 0 0 2 2", "M is 2 x 3"},
                 {"2 1 0 2 2 2 2 2 0 0 2 0 2 2 2 2 1 0 0 1 -1 1 0 0 -0.5", "must not be negative"}};
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        assert_true(parse(WRONG[i].text, "global", &problem, &error) < 0);
        if (!strstr(error.text, WRONG[i].part)) fail_msg("%s: %s", WRONG[i].text, error.text);
    }
}

/* Cut anywhere, an HDF5 file is refused. */
static void test_cut_fclib_files_are_refused(void **state) {
    (void)state;
    char path[1024];
    name_path(path, sizeof path, "fc3d", "fclib_local_problem_test.hdf5");
    FILE *file = fopen(path, "rb");
    if (!file) skip();
    static char bytes[100000];
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    BrProblem *problem;
    BrError error;
    assert_int_equal(br_problem_parse(bytes, size, "p.hdf5", "friction", NULL, &problem, &error), BR_OK);
    br_problem_destroy(problem);
    assert_true(br_problem_parse(bytes, size, "p.hdf5", "lcp", NULL, &problem, &error) < 0);
    assert_non_null(strstr(error.text, "friction, not lcp"));
    for (size_t cut = 4; cut < size; cut += size / 37) {
        assert_true(br_problem_parse(bytes, cut, "p.hdf5", NULL, NULL, &problem, &error) < 0);
        assert_null(problem);
        assert_true(is_plain_line(error.text));
    }
}

static void check_memory(const char *text) {
    for (int64_t fail_at = 1;; fail_at++) {
        Counter counter = {.fail_at = fail_at};
        BrAllocator allocator = counting_allocator(&counter);
        BrProblem *problem;
        BrError error;
        BrStatus status = br_problem_parse(text, strlen(text), "p.dat", NULL, &allocator, &problem, &error);
        if (status == BR_OK) {
            double r[3] = {0};
            BrSolution s;
            status = br_problem_solve(problem, NULL, r, NULL, &s, &error);
        }
        br_problem_destroy(problem);
        assert_int_equal(counter.live, 0);
        if (counter.calls < fail_at) break;
        assert_int_equal(status, BR_OUT_OF_MEMORY);
        assert_true(fail_at < 100);
    }
}

static void test_memory_may_end(void **state) {
    (void)state;
    check_memory(GOOD);
    check_memory(GLOBAL);
}

static void test_wrong_use(void **state) {
    (void)state;
    BrProblem *problem;
    BrError error;
    BrSolution s;
    double r[3] = {0};
    assert_int_equal(br_problem_load("/nowhere/at/all", NULL, NULL, &problem, &error), BR_IO);
    assert_int_equal(br_problem_load("/", NULL, NULL, &problem, &error), BR_IO);
    assert_int_equal(parse(GOOD, "friction", &problem, &error), BR_OK);
    BrSolveDef def = {.tolerance = 1e-8};
    assert_int_equal(br_problem_solve(problem, &def, r, NULL, &s, &error), BR_INVALID_DEF);
    def = br_default_solve_def();
    def.tolerance = NAN;
    assert_int_equal(br_problem_solve(problem, &def, r, NULL, &s, &error), BR_INVALID_ARGUMENT);
    def = br_default_solve_def();
    def.solver = "magic";
    assert_int_equal(br_problem_solve(problem, &def, r, NULL, &s, &error), BR_INVALID_ARGUMENT);
    def.solver = "lemke";
    assert_int_equal(br_problem_solve(problem, &def, r, NULL, &s, &error), BR_UNSUPPORTED);
    br_problem_destroy(problem);
    assert_int_equal(parse("1 0 1 1 1 1 0 -1", NULL, &problem, &error), BR_OK); /* u = -1, always */
    assert_int_equal(br_problem_solve(problem, NULL, r, NULL, &s, &error), BR_NOT_CONVERGED);
    assert_int_equal(s.verdict, BR_VERDICT_NO_SOLUTION);
    assert_non_null(s.proof);
    br_problem_destroy(problem);
    br_problem_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        {"test_lcp_files", test_folder, NULL, NULL, "lcp"},
        {"test_mlcp_files", test_folder, NULL, NULL, "mlcp"},
        {"test_relay_files", test_folder, NULL, NULL, "relay"},
        cmocka_unit_test(test_friction_files_are_read),
        cmocka_unit_test(test_friction_files_are_solved),
        cmocka_unit_test(test_other_files_are_refused),
        cmocka_unit_test(test_columns_come_first),
        cmocka_unit_test(test_kinds_are_told_apart),
        cmocka_unit_test(test_bad_texts_are_refused),
        cmocka_unit_test(test_damaged_texts),
        cmocka_unit_test(test_global_problems_become_local),
        cmocka_unit_test(test_cut_fclib_files_are_refused),
        cmocka_unit_test(test_memory_may_end),
        cmocka_unit_test(test_wrong_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
