/* complete.c: `bristle complete`: what may stand next on a command line, for shells to ask when Tab is pressed. */
#include "command.h"

#include <string.h>

/* ------------------------------------------------------------------ values of options */

static const char *name_scheme(int i) { return i < BR_SCHEMES ? br_scheme_name((BrScheme)i) : NULL; }

static const char *name_formulation(int i) {
    return i < BR_FORMULATIONS ? br_formulation_name((BrFormulation)i) : NULL;
}

static const char *name_solver(int i) { return i < br_solver_count() ? br_solver_info(i)->name : NULL; }

static const char *name_fallback(int i) { return (const char *[]){"timestepping", "none", NULL}[i]; }

static const char *name_truth(int i) { return (const char *[]){"true", "false", NULL}[i]; }

static const char *name_axes(int i) { return (const char *[]){"x", "y", "xy", NULL}[i]; }

static const char *name_command(int i) { return known_command(i) ? known_command(i)->name : NULL; }

typedef const char *(*Names)(int number); /* NULL after the last */

static const struct {
    const char *option;
    Names names;
} VALUES[] = {{"--scheme", name_scheme},     {"--formulation", name_formulation}, {"--solver", name_solver},
              {"--fallback", name_fallback}, {"--sleeping", name_truth},          {"--log", name_axes}};

static void print_names(Names names) {
    for (int i = 0; names(i); i++) printf("%s\n", names(i));
}

static bool print_values(const char *option) {
    for (size_t i = 0; i < sizeof VALUES / sizeof VALUES[0]; i++) {
        if (strcmp(option, VALUES[i].option) != 0) continue;
        print_names(VALUES[i].names);
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ arguments */

static int print_channels(void *user) {
    BrRecording *recording;
    BrError error = {0};
    BrChannelInfo info;
    if (br_recording_open(user, &recording, &error) != BR_OK) return EXIT_FAILED;
    end_guarded_reading();
    for (int i = 0; br_recording_channel(recording, i, &info) == BR_OK; i++) printf("%s\n", info.name);
    br_recording_close(recording);
    return EXIT_FINE;
}

/* Channels of the first recording that is named. */
static void print_words_of_plot(int count, char **words) {
    for (int i = 1; i + 1 < count; i++) {
        if (!is_recording_name(words[i]) || strcmp(words[i - 1], "-o") == 0) continue;
        run_guarded(print_channels, words[i], words[i], false);
        return;
    }
}

/* words[0] is the command, the last one has yet to be written. */
static int print_next(int count, char **words) {
    char ask[] = "--complete", *only[] = {ask};
    const char *last = words[count - 1];
    if (count == 1) {
        print_names(name_command);
        return EXIT_FINE;
    }
    const Command *command = find_command(words[0]);
    if (last[0] == '-' && command) return command->run(1, only);
    if (print_values(words[count - 2])) return EXIT_FINE;
    if (strcmp(words[0], "help") == 0) print_names(name_command);
    if (strcmp(words[0], "reproduce") == 0) print_experiments();
    if (strcmp(words[0], "plot") == 0) print_words_of_plot(count, words);
    return EXIT_FINE;
}

int command_complete(int count, char **words) {
    if (count > 1 && strcmp(words[0], "--") == 0) return print_next(count - 1, words + 1);
    bool asked = count == 1 && (strcmp(words[0], "--help") == 0 || strcmp(words[0], "-h") == 0);
    fprintf(
        asked ? stdout : stderr,
        "Usage: bristle complete -- WORD...\n\nWhat may stand in place of the last WORD, one a line; nothing where it "
        "is a file. The scripts for\nbash and zsh that 'make install' puts where they look ask this when Tab is "
        "pressed.\n");
    return asked ? EXIT_FINE : EXIT_MISUSE;
}
