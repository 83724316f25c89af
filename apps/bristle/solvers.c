/* solvers.c: `bristle solvers`: who answers contact problems, from the table that reports and `solve --solver` read. */
#include "command.h"

typedef struct Word {
    int bit;
    const char *text;
} Word;

static const Word SETS[] = {
    {BR_SET_FREE, "free rows"}, {BR_SET_BOX, "rows with bounds"}, {BR_SET_CONE, "friction cones"}};
static const Word USES[] = {{BR_SOLVES_STEPS, "steps"}, {BR_SOLVES_FILES, "files"}, {BR_SOLVES_LARGE, "large files"}};

static void print_words(const Word *word, int bits, bool json) {
    const char *between = "";
    for (int i = 0; i < 3; i++) {
        if (!(bits & word[i].bit)) continue;
        printf(json ? "%s\"%s\"" : "%s%s", between, word[i].text);
        between = ", ";
    }
}

static void print_text(const BrSolverInfo *info) {
    printf("%s: %s\n    %s\n    ", info->name, info->help, info->reference);
    print_words(SETS, info->sets, false);
    printf("; in ");
    print_words(USES, info->solves, false);
    printf("\n\n");
}

static void print_json(const BrSolverInfo *info) {
    printf("{\"name\": \"%s\", \"help\": ", info->name);
    json_text(stdout, info->help);
    printf(", \"reference\": ");
    json_text(stdout, info->reference);
    printf(", \"sets\": [");
    print_words(SETS, info->sets, true);
    printf("], \"solves\": [");
    print_words(USES, info->solves, true);
    printf("]}");
}

int command_solvers(int count, char **words) {
    bool json = false;
    const char *unused;
    const Option options[] = {{"--json", NULL, NULL, "as JSON on standard output", &json, false}};
    int done;
    if (parse_options("Usage: bristle solvers [--json]\n\nWho answers contact problems, weakest first: what for, after "
                      "whom, which sets,\nand whether in steps, in files, or in files of any size.",
                      options, 1, count, words, &unused, 0, &done) < 0)
        return done;
    for (int i = 0; i < br_solver_count(); i++) {
        if (json) printf(i ? ", " : "[");
        if (json)
            print_json(br_solver_info(i));
        else
            print_text(br_solver_info(i));
    }
    if (json) printf("]\n");
    return EXIT_FINE;
}
