/* main.c: the command `bristle`: which sub-command, and its help. */
#include "command.h"

#include <string.h>

static const Command COMMANDS[] = {
    {"run", "SCENE", "simulate a scene and record it", command_run},
    {"check", "SCENE", "is it valid and well posed, does its step fit", command_check},
    {"compare", "SCENE", "the same scene by several models, against a reference", command_compare},
    {"map", "SCENE", "how many answers contact has, over a grid of numbers", command_map},
    {"reproduce", "ID", "an experiment: the paper's values, our reference, ours, verdicts", command_reproduce},
    {"plot", "FILE", "curves of a recording, as SVG or on the terminal", command_plot},
    {"report", "FILE", "a page that shows recordings in any browser", command_report},
    {"view", "SCENE", "a run in a browser, while it goes on", command_view},
    {"suggest", "[SCENE]", "parameters of compliant contact to begin with", command_suggest},
    {"bench", "", "speed and accuracy, ours and other engines'", command_bench},
    {"joints", "", "the joint types and what a scene says about each", command_joints},
    {"laws", "", "the contact laws, with parameters and ranges", command_laws},
    {"shapes", "", "the shapes bodies touch with", command_shapes},
    {"solve", "PROBLEM", "answer a contact problem without bodies", command_solve},
    {"solvers", "", "who answers contact problems, and which", command_solvers},
    {"complete", "", "words that may stand next, for shells", command_complete},
};

enum { COMMAND_COUNT = sizeof COMMANDS / sizeof COMMANDS[0] };

static void print_help(FILE *out) {
    fprintf(
        out,
        "bristle simulates machines whose parts touch, stick, slide and roll.\n\nUsage: bristle COMMAND [options]\n\n");
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-9s %-8s %s\n", COMMANDS[i].name, COMMANDS[i].arguments, COMMANDS[i].summary);
    fprintf(out, "\n'bristle help COMMAND' tells more; 'bristle --version' the version.\n"
                 "Exit codes: 0 fine, 1 failed, 2 wrong use, 130 interrupted by Ctrl-C.\n");
}

const Command *find_command(const char *name) {
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(name, COMMANDS[i].name) == 0) return &COMMANDS[i];
    return NULL;
}

const Command *known_command(int number) { return number < COMMAND_COUNT ? &COMMANDS[number] : NULL; }

static int refuse_command(const char *name) {
    const char *names[COMMAND_COUNT];
    char hint[HINT];
    for (int i = 0; i < COMMAND_COUNT; i++) names[i] = COMMANDS[i].name;
    fprintf(stderr, "bristle: unknown command '%.200s'%s; 'bristle --help' lists them\n", name,
            print_hint(name, names, COMMAND_COUNT, hint));
    return EXIT_MISUSE;
}

/* `bristle help`, `bristle help COMMAND`. */
static int help(int count, char **words) {
    char option[] = "--help", *only[] = {option};
    if (count > 1) {
        fprintf(stderr, "bristle help: '%.200s' is one argument too many; 'bristle help COMMAND' tells of one\n",
                words[1]);
        return EXIT_MISUSE;
    }
    if (count == 0) {
        print_help(stdout);
        return EXIT_FINE;
    }
    const Command *command = find_command(words[0]);
    return command ? command->run(1, only) : refuse_command(words[0]);
}

static int run_command(int count, char **words) {
    if (count < 2) {
        print_help(stderr);
        return EXIT_MISUSE;
    }
    if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0) return help(0, NULL);
    if (strcmp(words[1], "help") == 0) return help(count - 2, words + 2);
    if (strcmp(words[1], "--version") == 0) {
        printf("bristle %d.%d.%d (numerics %d)\n", BR_VERSION_MAJOR, BR_VERSION_MINOR, BR_VERSION_PATCH,
               BR_NUMERICS_VERSION);
        return EXIT_FINE;
    }
    const Command *command = find_command(words[1]);
    return command ? command->run(count - 2, words + 2) : refuse_command(words[1]);
}

int main(int count, char **words) {
    int code = run_command(count, words);
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    fprintf(stderr, "bristle: cannot write to standard output\n");
    return EXIT_FAILED;
}
