/* plot.c: `bristle plot`: curves of a recording, as SVG or right on the terminal. */
#include "plot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the list */

static void list_channels(const Source *source, bool json) {
    BrChannelInfo info;
    int count = br_recording_channel_count(source->recording);
    for (int i = 0; i < count && br_recording_channel(source->recording, i, &info) == BR_OK; i++) {
        if (!json) {
            printf("%-40s %-8s %s%s\n", info.name, info.unit,
                   info.width == 3   ? "x y z    "
                   : info.width == 9 ? "xx .. zz "
                                     : "         ",
                   info.help);
            continue;
        }
        printf("%s{\"name\": ", i ? ", " : "");
        json_text(stdout, info.name);
        printf(", \"unit\": ");
        json_text(stdout, info.unit);
        printf(", \"width\": %d, \"help\": ", info.width);
        json_text(stdout, info.help);
        printf("}");
    }
}

/* ------------------------------------------------------------------ drawing */

static int count_columns(void) {
    struct winsize size;
    const char *told = getenv("COLUMNS");
    int columns = told ? atoi(told) : 0;
    if (columns < 1 && isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
    return columns < 1 ? 80 : columns < 30 ? 30 : columns > 400 ? 400 : columns;
}

static bool speaks_utf8(void) {
    const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8");
    }
    return false;
}

static void print_numbers(const char *label, const double *values, int count) {
    json_text(stdout, label);
    for (int i = 0; i < count; i++) {
        printf(i ? ", " : ": [");
        json_number(stdout, values[i]);
    }
    printf(count ? "]" : ": []");
}

static void print_source(const Plot *p, int number) {
    const Source *source = &p->source[number];
    printf("{\"file\": ");
    json_text(stdout, source->path);
    if (p->list) {
        printf(", \"rows\": %d, \"channels\": [", source->rows);
        list_channels(source, true);
        printf("]}");
        return;
    }
    printf(", \"x\": ");
    json_text(stdout, p->x_label);
    printf(", \"rows\": %d, \"curves\": {", source->rows);
    print_numbers(p->x_label, source->x, source->rows);
    for (int c = 0; c < p->curves; c++) {
        char label[300];
        const Words *w = &p->word[c];
        if (w->source != number) continue;
        snprintf(label, sizeof label, *w->unit ? "%s [%s]" : "%s", w->label, w->unit);
        printf(", ");
        print_numbers(label, p->curve[c].y, source->rows);
    }
    printf("}}");
}

/* One object, or an array of one for each recording. */
static void print_json(const Plot *p) {
    if (p->sources > 1) printf("[");
    for (int i = 0; i < p->sources; i++) {
        if (i) printf(",\n ");
        print_source(p, i);
    }
    printf(p->sources > 1 ? "]\n" : "\n");
}

static void print_list(const Plot *p) {
    for (int i = 0; i < p->sources; i++) {
        if (p->sources > 1) printf("%s%s:\n", i ? "\n" : "", p->source[i].path);
        list_channels(&p->source[i], false);
    }
}

static int draw(const Plot *p, BrError *error) {
    if (!p->output) {
        bool terminal = isatty(STDOUT_FILENO);
        Terminal t = {count_columns(), speaks_utf8(), terminal && !getenv("NO_COLOR")};
        if (!p->json) figure_print(stdout, p->panel, p->panels, &p->window, p->equal, t);
        return EXIT_FINE;
    }
    FILE *out = fopen(p->output, "w");
    if (out) figure_write_svg(out, p->panel, p->panels, &p->window, p->equal);
    bool fine = out && !ferror(out);
    if (out && fclose(out) != 0) fine = false;
    if (fine) return EXIT_FINE;
    error->status = BR_IO;
    snprintf(error->text, sizeof error->text, "cannot write '%.200s'", p->output);
    return report_error(error, p->json);
}

static int show(Plot *p, BrError *error) {
    if (!p->list && !plot_make_panels(p, error)) return report_error(error, p->json);
    if (p->json) print_json(p);
    if (p->list && !p->json) print_list(p);
    return p->list ? EXIT_FINE : draw(p, error);
}

/* ------------------------------------------------------------------ the command */

/* The first word is one, whatever it is called, and what looks like one behind it. */
static void sort_words(Plot *p, int count) {
    p->sources = count > 0;
    while (p->sources < count && p->sources < MOST_RECORDINGS && is_recording_name(p->words[p->sources])) p->sources++;
    p->channels = count - p->sources;
}

static bool read_range(const char *option, const char *text, double range[2]) {
    char *middle = NULL, *end = NULL;
    if (!text) return true;
    range[0] = strtod(text, &middle);
    if (middle != text && *middle == ':') range[1] = strtod(middle + 1, &end);
    if (end && end != middle + 1 && !*end && range[0] < range[1] && range[1] - range[0] < 1e300) return true;
    fprintf(stderr, "bristle plot: %s takes two numbers, the smaller one first, as in 0:2.5; not '%s'\n", option, text);
    return false;
}

static bool has_logarithm(const Plot *p) {
    bool x = p->log && p->x_range && strchr(p->log, 'x'), y = p->log && p->y_range && strchr(p->log, 'y');
    return !(x && p->window.x[0] <= 0) && !(y && p->window.y[0] <= 0);
}

static int check_words(const Plot *p) {
    size_t length = p->output ? strlen(p->output) : 0;
    if (p->sources == 0)
        fprintf(stderr, "bristle plot: which recording? Make one with 'bristle run SCENE -o out.h5'\n");
    else if (p->channels == 0 && !p->list)
        fprintf(stderr, "bristle plot: which channel? 'bristle plot %s --list' shows them\n", p->words[0]);
    else if (p->channels > MOST_CHANNELS)
        fprintf(stderr, "bristle plot: at most %d channels at a time\n", MOST_CHANNELS);
    else if (p->output && (length < 5 || strcmp(p->output + length - 4, ".svg") != 0))
        fprintf(stderr, "bristle plot: '%s': the name of a figure must end in .svg\n", p->output);
    else if (p->log && strcmp(p->log, "x") != 0 && strcmp(p->log, "y") != 0 && strcmp(p->log, "xy") != 0)
        fprintf(stderr, "bristle plot: --log takes x, y or xy, not '%s'\n", p->log);
    else if (!has_logarithm(p))
        fprintf(stderr, "bristle plot: a range along a logarithmic axis begins above 0\n");
    else if (p->log && p->equal)
        fprintf(stderr, "bristle plot: --equal is for plain axes, not with --log\n");
    else
        return EXIT_FINE;
    return EXIT_MISUSE;
}

static int plot(void *user) {
    Plot *p = user;
    BrError error = {0};
    bool fine = plot_open(p, &error) && (p->list || plot_read(p, &error));
    end_guarded_reading();
    int code = fine ? show(p, &error) : report_error(&error, p->json);
    plot_close(p);
    return code;
}

static bool keep_files(const Plot *p) {
    NamedFile files[MOST_RECORDINGS + 1];
    for (int i = 0; i < p->sources; i++) files[i] = (NamedFile){"RECORDING", p->words[i], false};
    files[p->sources] = (NamedFile){"--output", p->list ? NULL : p->output, true};
    return keep_apart("plot", files, p->sources + 1) && keep_written("plot", files, p->sources + 1, p->force);
}

int command_plot(int count, char **words) {
    static Plot p; /* too large for the stack */
    p = (Plot){0};
    const Option options[] = {
        {"--output", "-o", "FILE", "draw to FILE.svg; without it, on the terminal", &p.output, false},
        {"--x", NULL, "CHANNEL", "over this channel instead of time", &p.x, false},
        {"--x-range", NULL, "FROM:TO", "show only this part of what is across", &p.x_range, false},
        {"--y-range", NULL, "FROM:TO", "show only this part of what is upwards, of one panel", &p.y_range, false},
        {"--equal", NULL, NULL, "a metre across is as long as one upwards", &p.equal, false},
        {"--title", NULL, "TEXT", "above the figure", &p.title, false},
        {"--log", NULL, "AXES", "logarithmic x, y or xy", &p.log, false},
        {"--list", NULL, NULL, "the channels of the recording, with their units", &p.list, false},
        {"--force", NULL, NULL, "overwrite a figure that is there", &p.force, false},
        {"--json", NULL, NULL, "the list or the numbers as JSON on standard output", &p.json, false},
    };
    int done, arguments = parse_options(
                  "Usage: bristle plot RECORDING... CHANNEL... [-o FILE.svg] [options]\n\n"
                  "Draws channels of recordings (.h5 or .csv): bodies.arm.position.x, or all three with\n"
                  "bodies.arm.position, or arm.position where that is clear. A channel may be an expression:\n"
                  "'norm(arm.velocity)', 'energy.kinetic + energy.potential'. Channels of one unit share a panel;\n"
                  "several recordings are laid over each other.",
                  options, (int)(sizeof options / sizeof options[0]), count, words, p.words,
                  MOST_RECORDINGS + MOST_CHANNELS, &done);
    if (arguments < 0) return done;
    sort_words(&p, arguments);
    bool ranged = read_range("--x-range", p.x_range, p.window.x) && read_range("--y-range", p.y_range, p.window.y);
    if (!ranged || check_words(&p) != EXIT_FINE || !keep_files(&p)) return EXIT_MISUSE;
    return run_guarded(plot, &p, p.words[0], p.json);
}
