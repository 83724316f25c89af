/* plot_read.c: channels of recordings as curves, and curves as panels, one for each unit. */
#include "plot.h"

#include <stdlib.h>
#include <string.h>

static bool fail(BrError *error, const char *text, const char *word) {
    error->status = BR_INVALID_ARGUMENT;
    snprintf(error->text, sizeof error->text, text, word);
    return false;
}

/* All rows of an expression; the caller frees them. NULL after a refusal. */
static double *read_values(const Source *source, const char *channel, BrChannelInfo *info, BrError *error) {
    if (br_recording_describe(source->recording, channel, info, error) != BR_OK) return NULL;
    double *values = calloc((size_t)source->rows * (size_t)info->width + 1, sizeof *values);
    if (!values) fail(error, "no memory for '%.200s'", channel);
    if (values && br_recording_read(source->recording, channel, values, error) == BR_OK) return values;
    free(values);
    return NULL;
}

/* "fine.h5", or the whole path where two are called so. */
static const char *name_source(const Plot *p, int number) {
    const char *names[MOST_RECORDINGS];
    for (int i = 0; i < p->sources; i++) {
        const char *slash = strrchr(p->source[i].path, '/');
        names[i] = slash ? slash + 1 : p->source[i].path;
    }
    for (int i = 0; i < p->sources; i++)
        if (i != number && strcmp(names[i], names[number]) == 0) return p->source[number].path;
    return names[number];
}

static void name_curve(Plot *p, Words *w, const char *channel, const BrChannelInfo *info, int component) {
    char part[3] = {'.', (char)('x' + component), 0};
    if (p->sources > 1)
        snprintf(w->label, sizeof w->label, "%.100s: %.130s%s", name_source(p, w->source), channel,
                 info->width > 1 ? part : "");
    else
        snprintf(w->label, sizeof w->label, "%.230s%s", channel, info->width > 1 ? part : "");
    snprintf(w->unit, sizeof w->unit, "%s", info->unit);
}

/* A vector becomes three curves. */
static bool add_channel(Plot *p, int number, const char *channel, BrError *error) {
    const Source *source = &p->source[number];
    BrChannelInfo info;
    double *values = read_values(source, channel, &info, error);
    if (!values) return false;
    bool fine = info.width <= 3 || fail(error, "'%.200s' is a rotation; name its parts, as in rotation.xz", channel);
    for (int k = 0; fine && k < info.width; k++) {
        double *column = calloc((size_t)source->rows + 1, sizeof *column);
        if (!column) fine = fail(error, "no memory for '%.200s'", channel);
        for (int i = 0; fine && i < source->rows; i++) column[i] = values[i * info.width + k];
        Words *w = &p->word[p->curves];
        w->source = number;
        name_curve(p, w, channel, &info, k);
        p->curve[p->curves++] = (BrCurve){.label = w->label, .points = source->rows, .x = source->x, .y = column};
    }
    free(values);
    return fine;
}

static bool read_x(Plot *p, Source *source, BrError *error) {
    const char *channel = p->x ? p->x : "time";
    BrChannelInfo info;
    source->x = read_values(source, channel, &info, error);
    if (!source->x) return false;
    if (info.width != 1) return fail(error, "'%.200s' is not one number in a row; name a component", channel);
    snprintf(p->x_unit, sizeof p->x_unit, "%s", info.unit);
    snprintf(p->x_label, sizeof p->x_label, *info.unit ? "%.190s [%s]" : "%.190s", channel, info.unit);
    return true;
}

bool plot_open(Plot *p, BrError *error) {
    for (int i = 0; i < p->sources; i++) {
        Source *source = &p->source[i];
        source->path = p->words[i];
        if (br_recording_open(source->path, &source->recording, error) != BR_OK) return false;
        source->rows = br_recording_rows(source->recording);
    }
    return true;
}

/* What one channel has in all recordings stands together. */
bool plot_read(Plot *p, BrError *error) {
    for (int i = 0; i < p->sources; i++)
        if (!read_x(p, &p->source[i], error)) return false;
    for (int i = 0; i < p->channels; i++)
        for (int k = 0; k < p->sources; k++)
            if (!add_channel(p, k, p->words[p->sources + i], error)) return false;
    return true;
}

/* ------------------------------------------------------------------ panels */

/* Curves of one unit become neighbours, in the order in which units first came. */
static void sort_by_unit(Plot *p) {
    static BrCurve curve[MOST_CURVES];
    static Words word[MOST_CURVES];
    int count = 0;
    for (int i = 0; i < p->curves; i++) {
        bool first = true;
        for (int k = 0; k < i; k++) first = first && strcmp(p->word[k].unit, p->word[i].unit) != 0;
        for (int k = i; first && k < p->curves; k++) {
            if (strcmp(p->word[k].unit, p->word[i].unit) != 0) continue;
            curve[count] = p->curve[k];
            word[count++] = p->word[k];
        }
    }
    memcpy(p->curve, curve, sizeof curve);
    memcpy(p->word, word, sizeof word);
    for (int i = 0; i < count; i++) p->curve[i].label = p->word[i].label;
}

/* What stands beside a panel: its only curve's name, if there is room for it, or the unit of all of them. */
static void label_panel(Plot *p, int number, int first, int count) {
    enum { SHORT = 16 };
    const Words *w = &p->word[first];
    char *label = p->y_label[number];
    if (count > 1 || (*w->unit && count < p->curves && strlen(w->label) > SHORT))
        snprintf(label, sizeof p->y_label[0], *w->unit ? "[%s]" : "%s", w->unit);
    else
        snprintf(label, sizeof p->y_label[0], *w->unit ? "%s [%s]" : "%s", w->label, w->unit);
}

static void make_panels(Plot *p) {
    sort_by_unit(p);
    for (int i = 0, count; i < p->curves; i += count) {
        for (count = 1; i + count < p->curves && strcmp(p->word[i + count].unit, p->word[i].unit) == 0;) count++;
        label_panel(p, p->panels, i, count);
        p->panel[p->panels] = (BrFigure){.name = "plot",
                                         .title = p->title ? p->title : "",
                                         .x_label = p->x_label,
                                         .y_label = p->y_label[p->panels],
                                         .log_x = p->log && strchr(p->log, 'x'),
                                         .log_y = p->log && strchr(p->log, 'y'),
                                         .curves = count,
                                         .curve = &p->curve[i]};
        p->panels++;
    }
}

/* What can be asked of one panel only, or of lengths of one kind. */
static bool check_panels(const Plot *p, BrError *error) {
    if (p->panels > 1 && p->y_range)
        return fail(error, "--y-range '%s' is for one panel, and these channels have several units", p->y_range);
    if (p->equal && (p->panels > 1 || strcmp(p->x_unit, p->word[0].unit) != 0))
        return fail(error, "--equal needs one unit across and upwards; across it is [%s]", p->x_unit);
    return true;
}

bool plot_make_panels(Plot *p, BrError *error) {
    make_panels(p);
    return check_panels(p, error);
}

void plot_close(Plot *p) {
    for (int i = 0; i < p->curves; i++) free((void *)p->curve[i].y);
    for (int i = 0; i < p->sources; i++) {
        free(p->source[i].x);
        br_recording_close(p->source[i].recording);
    }
}
