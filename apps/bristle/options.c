/* options.c: GNU-style long options, from one table that also makes the help. */
#include "command.h"

#include <string.h>

static void print_help(const char *usage, const Option *options, int count) {
    printf("%s\n\nOptions:\n", usage);
    for (int i = 0; i < count; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s%s%s", options[i].brief ? options[i].brief : "",
                 options[i].brief ? ", " : "", options[i].name, options[i].value ? " " : "",
                 options[i].value ? options[i].value : "");
        printf("  %-28s %s\n", left, options[i].help);
    }
    printf("  %-28s %s\n", "-h, --help", "this text");
}

static void print_names(const Option *options, int count) {
    for (int i = 0; i < count; i++) printf("%s\n", options[i].name);
    printf("--help\n");
}

/* "--dt=1ms" gives the option and "1ms"; "--dt" gives the option and NULL. */
static const Option *find_option(const char *word, const Option *options, int count, const char **value) {
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    *value = equals ? equals + 1 : NULL;
    for (int i = 0; i < count; i++) {
        bool is_long = strlen(options[i].name) == length && strncmp(word, options[i].name, length) == 0;
        bool is_brief = options[i].brief && strcmp(word, options[i].brief) == 0;
        if (is_brief) *value = NULL;
        if (is_long || is_brief) return &options[i];
    }
    return NULL;
}

static void refuse_option(const char *word, const Option *options, int count) {
    const char *names[64];
    char stem[64], hint[HINT];
    int known = 0;
    for (int i = 0; i < count && known < 64; i++) names[known++] = options[i].name;
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(word, "="), word);
    fprintf(stderr, "bristle: unknown option '%.200s'%s; see --help\n", word, print_hint(stem, names, known, hint));
}

static bool take(const Option *option, const char *value) {
    if (option->repeats) {
        List *list = option->target;
        if (list->count == (int)(sizeof list->item / sizeof list->item[0])) {
            fprintf(stderr, "bristle: %s is given more than %d times\n", option->name, list->count);
            return false;
        }
        list->item[list->count++] = value;
    } else if (option->value) {
        *(const char **)option->target = value;
    } else {
        *(bool *)option->target = true;
    }
    return true;
}

int parse_options(const char *usage, const Option *options, int option_count, int count, char **words,
                  const char **arguments, int most, int *done) {
    int found = 0;
    bool only_arguments = false;
    *done = EXIT_MISUSE;
    for (int i = 0; i < count; i++) {
        const char *word = words[i], *value;
        if (only_arguments || word[0] != '-' || strcmp(word, "-") == 0) {
            if (found == most) {
                fprintf(stderr, "bristle: '%s' is one argument too many; see --help\n", word);
                return -1;
            }
            arguments[found++] = word;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            only_arguments = true;
            continue;
        }
        if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
            print_help(usage, options, option_count);
            *done = EXIT_FINE;
            return -1;
        }
        if (strcmp(word, "--complete") == 0) {
            print_names(options, option_count);
            *done = EXIT_FINE;
            return -1;
        }
        const Option *option = find_option(word, options, option_count, &value);
        if (!option) {
            refuse_option(word, options, option_count);
            return -1;
        }
        bool optional = option->value && option->value[0] == '[';
        if (option->value && !value && i + 1 < count && (!optional || words[i + 1][0] != '-')) value = words[++i];
        if (optional && !value) value = "";
        if ((option->value != NULL) != (value != NULL)) {
            fprintf(stderr, "bristle: %s %s\n", option->name, option->value ? "needs a value" : "takes no value");
            return -1;
        }
        if (!take(option, value)) return -1;
    }
    return found;
}
