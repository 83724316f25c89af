/* solve.c: `bristle solve`: a contact problem from a file. */
#include "command.h"

#include <stdlib.h>

static const char *verdict_of(const BrSolution *s) {
    switch (s->verdict) {
    case BR_VERDICT_SOLVED: return "solved";
    case BR_VERDICT_STOPPED_SHORT: return "stopped short";
    case BR_VERDICT_NO_SOLUTION: return "no solution";
    }
    return "unknown";
}

static void print_text(const char *path, const BrProblem *problem, const BrSolution *s, double tolerance) {
    int contacts = br_problem_contacts(problem), rows = br_problem_rows(problem);
    printf("%s: %s\n", path, verdict_of(s));
    printf("  %s, %d row%s", br_problem_kind(problem), rows, rows == 1 ? "" : "s");
    if (contacts) printf(", %d contact%s", contacts, contacts == 1 ? "" : "s");
    printf("\n  %s, %d iteration%s\n", s->solver, s->iterations, s->iterations == 1 ? "" : "s");
    printf("  residual: %.2e of |q| (tolerance %.1e), %.2e m/s at %s %d\n", s->relative, tolerance, s->residual,
           contacts ? "contact" : "row", s->worst);
    if (s->proof) printf("  %s: %s\n", s->verdict == BR_VERDICT_NO_SOLUTION ? "proof" : "stopped at", s->proof);
}

static void print_list(const char *name, const double *value, int count) {
    printf(", \"%s\": [", name);
    for (int i = 0; i < count; i++) {
        if (i) printf(", ");
        json_number(stdout, value[i]);
    }
    printf("]");
}

static void print_json(const BrProblem *problem, const BrSolution *s, double tolerance, const double *r,
                       const double *u) {
    int rows = br_problem_rows(problem);
    printf("{\"status\": \"%s\", \"kind\": \"%s\", \"rows\": %d, \"contacts\": %d, \"solver\": \"%s\", ", verdict_of(s),
           br_problem_kind(problem), rows, br_problem_contacts(problem), s->solver);
    printf("\"iterations\": %d, \"tolerance\": ", s->iterations);
    json_number(stdout, tolerance);
    printf(", \"relative_residual\": ");
    json_number(stdout, s->relative);
    printf(", \"residual\": ");
    json_number(stdout, s->residual);
    printf(", \"worst\": %d, \"proof\": ", s->worst);
    if (s->proof)
        json_text(stdout, s->proof);
    else
        printf("null");
    print_list("r", r, rows);
    print_list("u", u, rows);
    printf("}\n");
}

/* ------------------------------------------------------------------ all of them */

typedef struct Listing {
    int rows, count;
    bool json;
} Listing;

static void list_solution(void *user, const BrFoundSolution *s) {
    Listing *l = user;
    if (l->json) {
        printf("%s{\"relative_residual\": ", l->count ? ", " : "");
        json_number(stdout, s->relative);
        printf(", \"residual\": ");
        json_number(stdout, s->residual);
        printf(", \"shared\": %s", s->shared ? "true" : "false");
        print_list("r", s->r, l->rows);
        print_list("u", s->u, l->rows);
        printf("}");
    } else {
        printf("  %d: residual %.2e of |q|%s; r =", l->count + 1, s->relative,
               s->shared ? ", other r have the same u" : "");
        for (int i = 0; i < l->rows; i++) printf(" %.6g", s->r[i]);
        printf("\n");
    }
    l->count++;
}

static void count_solution(void *user, const BrFoundSolution *s) {
    int *count = user;
    *count += s->relative <= 1e-6;
}

static void print_count(const char *path, const BrSolutions *all) {
    printf("%s: %d solution%s%s%s\n", path, all->count, all->count == 1 ? "" : "s",
           all->endless ? ", and a continuum of others" : "",
           all->complete ? "; there are no others"
                         : "; there may be others: not all directions of slides were looked at");
}

static int solve_all(const char *path, const BrProblem *problem, bool json) {
    BrError error = {0};
    BrSolutions all;
    int count = 0;
    Listing listing = {br_problem_rows(problem), 0, json};
    BrStatus status = br_problem_find_all(problem, count_solution, &count, &all, &error);
    if (status < 0) {
        report_error(&error, json);
        return status == BR_UNSUPPORTED ? EXIT_MISUSE : EXIT_FAILED;
    }
    if (json)
        printf("{\"kind\": \"%s\", \"count\": %d, \"complete\": %s, \"endless\": %s, \"solutions\": [",
               br_problem_kind(problem), all.count, all.complete ? "true" : "false", all.endless ? "true" : "false");
    else
        print_count(path, &all);
    br_problem_find_all(problem, list_solution, &listing, &all, NULL); /* went well before */
    if (json) printf("]}\n");
    return all.count ? EXIT_FINE : EXIT_FAILED;
}

/* What is known beside the answer at hand, of problems so small that it costs nothing. */
static void print_others(const BrProblem *problem) {
    enum { SMALL = 4 };
    BrSolutions all;
    int count = 0, contacts = br_problem_contacts(problem), size = contacts ? contacts : br_problem_rows(problem);
    if (size > SMALL || br_problem_find_all(problem, count_solution, &count, &all, NULL) != BR_OK) return;
    if (count > 1 || all.endless)
        printf("  it is not the only one: %s%d solution%s known; --all lists what is there\n",
               all.endless ? "of a continuum " : "", count, count == 1 ? " is" : "s are");
}

static bool read_tolerance(const char *text, double *tolerance) {
    char *end;
    if (!text) return true;
    *tolerance = strtod(text, &end);
    if (end != text && *end == 0 && *tolerance > 0 && *tolerance < 1) return true;
    fprintf(stderr, "bristle solve: --tolerance '%s' is not a number between 0 and 1\n", text);
    return false;
}

static int solve_problem(const char *path, const BrProblem *problem, const BrSolveDef *def, bool json) {
    size_t rows = (size_t)br_problem_rows(problem);
    double *r = calloc(2 * rows + 1, sizeof *r), *u = r + rows;
    BrError error = {0};
    BrSolution solution;
    if (!r) {
        fprintf(stderr, "bristle solve: no memory\n");
        return EXIT_FAILED;
    }
    int code = EXIT_FAILED;
    BrStatus status = br_problem_solve(problem, def, r, u, &solution, &error);
    if (status < 0) {
        code = report_error(&error, json);
        if (status == BR_INVALID_ARGUMENT || status == BR_UNSUPPORTED) code = EXIT_MISUSE;
    } else {
        if (json)
            print_json(problem, &solution, def->tolerance, r, u);
        else
            print_text(path, problem, &solution, def->tolerance);
        if (!json && status == BR_OK) print_others(problem);
        code = status == BR_OK ? EXIT_FINE : EXIT_FAILED;
    }
    free(r);
    return code;
}

typedef struct Solve {
    const char *path, *kind;
    BrSolveDef def;
    bool json, all;
} Solve;

static int solve_file(void *user) {
    const Solve *s = user;
    BrProblem *problem;
    BrError error = {0};
    end_guarded_reading(); /* a global problem is condensed while it is read, which may take long */
    BrStatus status = br_problem_load(s->path, s->kind, NULL, &problem, &error);
    if (status != BR_OK) {
        int code = report_error(&error, s->json);
        return status == BR_INVALID_ARGUMENT ? EXIT_MISUSE : code;
    }
    int code = s->all ? solve_all(s->path, problem, s->json) : solve_problem(s->path, problem, &s->def, s->json);
    br_problem_destroy(problem);
    return code;
}

int command_solve(int count, char **words) {
    const char *tolerance = NULL;
    Solve s = {.def = br_default_solve_def()};
    const Option options[] = {
        {"--kind", NULL, "KIND", "lcp, mlcp, relay, friction or global; found from the file if not given", &s.kind,
         false},
        {"--tolerance", NULL, "NUMBER", "of the residual, relative to |q|; 1e-8 if not given", &tolerance, false},
        {"--solver", NULL, "NAME", "only this one (see 'bristle solvers'); chosen if not given", &s.def.solver, false},
        {"--all", NULL, NULL, "every solution of a small one (up to 8 contacts, or rows r >= 0)", &s.all, false},
        {"--json", NULL, NULL, "the result, with r and u, as JSON on standard output", &s.json, false},
    };
    int done,
        arguments =
            parse_options("Usage: bristle solve PROBLEM [options]\n\nSolves a contact problem without bodies, u = W "
                          "r + q, from a text file in the format\nof Siconos or an HDF5 file of FCLIB, and tells how "
                          "exactly (exit code 1 "
                          "if it is not solved).",
                          options, (int)(sizeof options / sizeof options[0]), count, words, &s.path, 1, &done);
    if (arguments < 0) return done;
    if (arguments == 0) {
        fprintf(stderr, "bristle solve: which problem?\n");
        return EXIT_MISUSE;
    }
    if (!read_tolerance(tolerance, &s.def.tolerance)) return EXIT_MISUSE;
    return run_guarded(solve_file, &s, s.path, s.json);
}
