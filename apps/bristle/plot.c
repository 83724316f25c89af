/* plot.c: `bristle plot`: curves of a recording, as SVG or right on the terminal. */
#include "command.h"
#include "figure.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MOST_CHANNELS = 32 };

typedef struct Plot {
    const char *words[1 + MOST_CHANNELS]; /* the file, then channels */
    int channels;
    const char *output, *title, *x, *log;
    bool list, json, force;

    BrRecording *recording;
    int rows;
    double *x_values;
    BrCurve curve[3 * MOST_CHANNELS];
    char label[3 * MOST_CHANNELS][200];
    char unit[3 * MOST_CHANNELS][40];
    int curves;
    char x_label[200], y_label[200];
} Plot;

/* ------------------------------------------------------------------ the list */

static int list_channels(const Plot *p) {
    BrChannelInfo info;
    int count = br_recording_channel_count(p->recording);
    if (p->json) printf("{\"rows\": %d, \"channels\": [", p->rows);
    for (int i = 0; i < count && br_recording_channel(p->recording, i, &info) == BR_OK; i++) {
        if (!p->json) {
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
    if (p->json) printf("]}\n");
    return EXIT_FINE;
}

/* ------------------------------------------------------------------ curves */

static bool fail(BrError *error, const char *text, const char *word) {
    error->status = BR_INVALID_ARGUMENT;
    snprintf(error->text, sizeof error->text, text, word);
    return false;
}

/* All rows of an expression; the caller frees them. NULL after a refusal. */
static double *read_values(const Plot *p, const char *channel, BrChannelInfo *info, BrError *error) {
    if (br_recording_describe(p->recording, channel, info, error) != BR_OK) return NULL;
    double *values = calloc((size_t)p->rows * (size_t)info->width + 1, sizeof *values);
    if (!values) fail(error, "no memory for '%.200s'", channel);
    if (values && br_recording_read(p->recording, channel, values, error) == BR_OK) return values;
    free(values);
    return NULL;
}

/* A vector becomes three curves. */
static bool add_channel(Plot *p, const char *channel, BrError *error) {
    BrChannelInfo info;
    double *values = read_values(p, channel, &info, error);
    if (!values) return false;
    bool fine = info.width <= 3 || fail(error, "'%.200s' is a rotation; name its parts, as in rotation.xz", channel);
    for (int k = 0; fine && k < info.width; k++) {
        double *column = calloc((size_t)p->rows + 1, sizeof *column);
        if (!column) fine = fail(error, "no memory for '%.200s'", channel);
        for (int i = 0; fine && i < p->rows; i++) column[i] = values[i * info.width + k];
        int n = p->curves++;
        p->curve[n] = (BrCurve){p->label[n], p->rows, p->x_values, column};
        snprintf(p->unit[n], sizeof p->unit[n], "%s", info.unit);
        snprintf(p->label[n], sizeof p->label[n], info.width == 1 ? "%s" : "%s.%c", channel, 'x' + k);
    }
    free(values);
    return fine;
}

static bool read_all(Plot *p, BrError *error) {
    BrChannelInfo info;
    p->x_values = read_values(p, p->x ? p->x : "time", &info, error);
    if (!p->x_values) return false;
    if (info.width != 1) return fail(error, "'%.200s' is not one number in a row; name a component", p->x);
    snprintf(p->x_label, sizeof p->x_label, *info.unit ? "%s [%s]" : "%s", p->x ? p->x : "time", info.unit);
    for (int i = 0; i < p->channels; i++)
        if (!add_channel(p, p->words[1 + i], error)) return false;
    return true;
}

/* A unit that all curves share stands at the axis, others behind the names. */
static void write_units(Plot *p) {
    bool same = true;
    for (int i = 1; i < p->curves; i++) same = same && strcmp(p->unit[i], p->unit[0]) == 0;
    for (int i = 0; i < p->curves; i++) {
        size_t used = strlen(p->label[i]);
        bool shown = (!same || p->curves == 1) && *p->unit[i];
        if (shown) snprintf(p->label[i] + used, sizeof p->label[i] - used, " [%s]", p->unit[i]);
    }
    if (p->curves == 1) snprintf(p->y_label, sizeof p->y_label, "%s", p->label[0]);
    if (p->curves > 1 && same && *p->unit[0]) snprintf(p->y_label, sizeof p->y_label, "[%s]", p->unit[0]);
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

static void print_json(const Plot *p) {
    printf("{\"x\": ");
    json_text(stdout, p->x_label);
    printf(", \"rows\": %d, \"curves\": {", p->rows);
    for (int c = -1; c < p->curves; c++) {
        const double *values = c < 0 ? p->x_values : p->curve[c].y;
        json_text(stdout, c < 0 ? p->x_label : p->label[c]);
        for (int i = 0; i < p->rows; i++) {
            printf(i ? ", " : ": [");
            json_number(stdout, values[i]);
        }
        printf(p->rows ? "]%s" : ": []%s", c + 1 < p->curves ? ", " : "");
    }
    printf("}}\n");
}

static int draw(const Plot *p, BrError *error) {
    BrFigure figure = {.name = "plot", .title = p->title ? p->title : "", .x_label = p->x_label, .y_label = p->y_label};
    figure.curves = p->curves;
    figure.curve = p->curve;
    figure.log_x = p->log && strchr(p->log, 'x');
    figure.log_y = p->log && strchr(p->log, 'y');
    if (p->json) print_json(p);
    if (!p->output) {
        bool terminal = isatty(STDOUT_FILENO), colour = terminal && !getenv("NO_COLOR");
        if (!p->json) figure_print(stdout, &figure, count_columns(), speaks_utf8(), colour);
        return EXIT_FINE;
    }
    FILE *out = fopen(p->output, "w");
    if (out) figure_write_svg(out, &figure);
    bool fine = out && !ferror(out);
    if (out && fclose(out) != 0) fine = false;
    if (fine) return EXIT_FINE;
    fail(error, "cannot write '%.200s'", p->output);
    return report_error(error, p->json);
}

/* ------------------------------------------------------------------ the command */

static int check_words(const Plot *p, int arguments) {
    size_t length = p->output ? strlen(p->output) : 0;
    if (arguments == 0)
        fprintf(stderr, "bristle plot: which recording? Make one with 'bristle run SCENE -o out.h5'\n");
    else if (arguments == 1 && !p->list)
        fprintf(stderr, "bristle plot: which channel? 'bristle plot %s --list' shows them\n", p->words[0]);
    else if (p->output && (length < 5 || strcmp(p->output + length - 4, ".svg") != 0))
        fprintf(stderr, "bristle plot: '%s': the name of a figure must end in .svg\n", p->output);
    else if (p->log && strcmp(p->log, "x") != 0 && strcmp(p->log, "y") != 0 && strcmp(p->log, "xy") != 0)
        fprintf(stderr, "bristle plot: --log takes x, y or xy, not '%s'\n", p->log);
    else
        return EXIT_FINE;
    return EXIT_MISUSE;
}

static int plot(void *user) {
    Plot *p = user;
    BrError error = {0};
    int code;
    if (br_recording_open(p->words[0], &p->recording, &error) != BR_OK) return report_error(&error, p->json);
    p->rows = br_recording_rows(p->recording);
    bool fine = p->list || read_all(p, &error);
    end_guarded_reading();
    if (p->list)
        code = list_channels(p);
    else if (!fine)
        code = report_error(&error, p->json);
    else {
        write_units(p);
        code = draw(p, &error);
    }
    for (int i = 0; i < p->curves; i++) free((void *)p->curve[i].y);
    free(p->x_values);
    br_recording_close(p->recording);
    return code;
}

int command_plot(int count, char **words) {
    static Plot p; /* too large for the stack */
    p = (Plot){0};
    const Option options[] = {
        {"--output", "-o", "FILE", "draw to FILE.svg; without it, on the terminal", &p.output, false},
        {"--x", NULL, "CHANNEL", "over this channel instead of time", &p.x, false},
        {"--title", NULL, "TEXT", "above the figure", &p.title, false},
        {"--log", NULL, "AXES", "logarithmic x, y or xy", &p.log, false},
        {"--list", NULL, NULL, "the channels of the recording, with their units", &p.list, false},
        {"--force", NULL, NULL, "overwrite a figure that is there", &p.force, false},
        {"--json", NULL, NULL, "the list or the numbers as JSON on standard output", &p.json, false},
    };
    int done, arguments = parse_options(
                  "Usage: bristle plot RECORDING CHANNEL... [-o FILE.svg] [options]\n\n"
                  "Draws channels of a recording (.h5 or .csv): bodies.arm.position.x, or all three with\n"
                  "bodies.arm.position, or arm.position where that is clear. A channel may be an expression:\n"
                  "'norm(arm.velocity)', 'energy.kinetic + energy.potential'.",
                  options, (int)(sizeof options / sizeof options[0]), count, words, p.words, 1 + MOST_CHANNELS, &done);
    if (arguments < 0) return done;
    if (check_words(&p, arguments) != EXIT_FINE) return EXIT_MISUSE;
    const NamedFile files[] = {{"RECORDING", p.words[0], false}, {"--output", p.list ? NULL : p.output, true}};
    if (!keep_apart("plot", files, 2) || !keep_written("plot", files, 2, p.force)) return EXIT_MISUSE;
    p.channels = arguments - 1;
    return run_guarded(plot, &p, p.words[0], p.json);
}
