/* bench_svg.c: work and precision: a panel per scene, time per step across, error upwards, both logarithmic, a mark per
 * engine and setting. Down and to the left is better. */
#include "benchmark.h"
#include "figure.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 4, PANEL = 240, TALL = 210, LEFT = 58, TOP = 30, BOTTOM = 40, RIGHT = 22, LEGEND = 19, KINDS = 24 };
static const double SMALLEST = 1e-17; /* m: an error of 0 is drawn there */

/* Engines and settings, in the order they first came. */
typedef struct Kinds {
    const BenchRow *row[KINDS];
    int count;
} Kinds;

static int find_kind(Kinds *k, const BenchRow *row) {
    for (int i = 0; i < k->count; i++)
        if (strcmp(k->row[i]->engine, row->engine) == 0 && strcmp(k->row[i]->setting, row->setting) == 0) return i;
    if (k->count == KINDS) return KINDS - 1;
    k->row[k->count] = row;
    return k->count++;
}

static bool is_same_engine(const Kinds *k, int a, int b) { return strcmp(k->row[a]->engine, k->row[b]->engine) == 0; }

/* How many other engines, ours apart, came before this one's first setting, and how many of its own settings. */
static void count_before(const Kinds *k, int kind, int *engines, int *settings) {
    *engines = *settings = 0;
    for (int i = 0; i < kind; i++) {
        bool first = !k->row[i]->ours;
        for (int j = 0; j < i && first; j++) first = !is_same_engine(k, i, j);
        if (is_same_engine(k, i, kind))
            ++*settings;
        else
            *engines += first && *settings == 0;
    }
}

/* Ours are circles, blue; others have a colour for each engine and a shape for each setting. Seven colours that people
 * with any colour vision tell apart. What was cut, or did not do what it should, is faint. */
static void write_mark(FILE *out, const Kinds *kinds, const BenchRow *row, int kind, double x, double y) {
    static const char *const SHAPE[3] = {"M0-5l5 5l-5 5l-5-5z", "M-4-4h8v8h-8z", "M0-5l5 9h-10z"};
    const WorldResult *r = &row->result;
    int engines, settings;
    count_before(kinds, kind, &engines, &settings);
    const char *shape = row->ours ? "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z" : SHAPE[settings % 3];
    int colour = row->ours ? settings % 2 : 2 + engines % 5;
    bool hollow = settings >= (row->ours ? 2 : 3) || engines >= 5, faint = r->cut || (r->judged && !r->holds);
    fprintf(out, "<path class=\"k%d%s%s\" transform=\"translate(%.1f %.1f)\" d=\"%s\"/>", colour,
            hollow ? " hollow" : "", faint ? " faint" : "", x, y, shape);
}

static void write_style(FILE *out) {
    static const char *const COLOUR[7] = {"#0072b2", "#3a9bd9", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#555555"};
    fputs("<style>\ntext { font: 11px system-ui, 'DejaVu Sans', sans-serif; fill: #222; } .title { font-weight: 600; "
          "font-size: 13px; }\n.back { fill: #fff; } .axis { stroke: #444; fill: none; } .grid { stroke: #ddd; fill: "
          "none; "
          "}\n.hollow { fill: none; stroke-width: 1.6; }\n",
          out);
    for (int i = 0; i < 7; i++) fprintf(out, ".k%d { fill: %s; stroke: %s; }\n", i, COLOUR[i], COLOUR[i]);
    fputs(".hollow { fill-opacity: 0; } .faint { opacity: 0.3; }\n@media (prefers-color-scheme: dark) { text { fill: "
          "#ddd; } .back { fill: "
          "#16181c; } "
          ".axis { stroke: #aaa; } .grid { stroke: #33373d; } }\n</style>\n",
          out);
}

static double drawn_error(const WorldResult *r) { return r->error < SMALLEST ? SMALLEST : r->error; }

/* Fits the axes to the rows of a scene. */
static bool fit_axes(const BenchRows *rows, const WorldInfo *info, Axis *x, Axis *y) {
    enum { MOST = 64 };
    double time[MOST], error[MOST];
    int count = 0;
    for (int i = 0; i < rows->count && count < MOST; i++)
        if (rows->row[i].info == info) {
            time[count] = rows->row[i].result.us_mean;
            error[count++] = drawn_error(&rows->row[i].result);
        }
    BrCurve curve = {.label = "", .points = count, .x = time, .y = error};
    BrFigure figure = {.title = "", .log_x = true, .log_y = true, .curves = 1, .curve = &curve};
    return figure_axes(&figure, NULL, x, y);
}

/* Short, for a small panel: 0.01 to 100, else 1e-4. */
static const char *label_decade(double power, char text[16]) {
    int whole = (int)lround(power);
    if (whole >= -2 && whole <= 2)
        snprintf(text, 16, "%g", pow(10, whole));
    else
        snprintf(text, 16, "1e%d", whole);
    return text;
}

static void write_axes(FILE *out, const Axis *x, const Axis *y, double left, double top, double width, double height) {
    char text[16];
    for (double t = x->first; t <= x->high + 1e-6; t += x->step) {
        double at = left + width * (t - x->low) / (x->high - x->low);
        fprintf(out, "<path class=\"grid\" d=\"M%.1f %.1fv%.1f\"/>", at, top, height);
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", at, top + height + 15,
                label_decade(t, text));
    }
    for (double t = y->first; t <= y->high + 1e-6; t += y->step) {
        double at = top + height * (1 - (t - y->low) / (y->high - y->low));
        fprintf(out, "<path class=\"grid\" d=\"M%.1f %.1fh%.1f\"/>", left, at, width);
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", left - 5, at + 4,
                label_decade(t, text));
    }
    fprintf(out, "<path class=\"axis\" d=\"M%.1f %.1fv%.1fh%.1f\"/>\n", left, top, height, width);
}

static void write_panel(FILE *out, const BenchRows *rows, const WorldInfo *info, Kinds *kinds, double x0, double y0) {
    Axis x, y;
    double left = x0 + LEFT, top = y0 + TOP, width = PANEL - LEFT - RIGHT, height = TALL - TOP - BOTTOM;
    fprintf(out, "<text class=\"title\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", left, y0 + 20, info->name);
    if (!fit_axes(rows, info, &x, &y)) return;
    write_axes(out, &x, &y, left, top, width, height);
    for (int i = 0; i < rows->count; i++) {
        const BenchRow *row = &rows->row[i];
        double a = left + width * axis_place(&x, row->result.us_mean);
        double b = top + height * (1 - axis_place(&y, drawn_error(&row->result)));
        if (row->info != info || !isfinite(a) || !isfinite(b)) continue;
        fprintf(out, "<g><title>%s, %s: %.3g us, %.2g m</title>", row->engine, row->setting, row->result.us_mean,
                row->result.error);
        write_mark(out, kinds, row, find_kind(kinds, row), a, b);
        fputs("</g>\n", out);
    }
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">us per step</text>\n", left + width / 2,
            y0 + TALL - 10);
    fprintf(out, "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\">error [m]</text>\n",
            x0 + 12, top + height / 2);
}

static void write_legend(FILE *out, const Kinds *kinds) {
    for (int i = 0; i < kinds->count; i++) {
        int line = i / COLUMNS;
        double x = 20 + (double)(i % COLUMNS) * PANEL, y = 20 + LEGEND * line;
        BenchRow bright = *kinds->row[i];
        bright.result.cut = bright.result.judged = false;
        write_mark(out, kinds, &bright, i, x, y);
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">%s, %s</text>\n", x + 12, y + 4, kinds->row[i]->engine,
                kinds->row[i]->setting);
    }
    fprintf(out,
            "<text x=\"14\" y=\"%d\">down and to the left is better; faint: cut, or did not do what it should</text>\n",
            24 + LEGEND * ((kinds->count + COLUMNS - 1) / COLUMNS));
}

/* Texts of peers come into the file: nothing in them may be markup. */
static void keep_plain(BenchRows *rows) {
    for (int i = 0; i < rows->count; i++) {
        for (char *c = rows->row[i].engine; *c; c++) *c = strchr("<>&\"", *c) ? '?' : *c;
        for (char *c = rows->row[i].setting; *c; c++) *c = strchr("<>&\"", *c) ? '?' : *c;
    }
}

void print_rows_svg(FILE *out, BenchRows *rows) {
    Kinds kinds = {0};
    int panels = 0;
    keep_plain(rows);
    for (int i = 0; i < rows->count; i++) {
        find_kind(&kinds, &rows->row[i]);
        panels += i == 0 || rows->row[i].info != rows->row[i - 1].info;
    }
    int legend = 20 + LEGEND * (1 + (kinds.count + COLUMNS - 1) / COLUMNS);
    int width = COLUMNS * PANEL, height = legend + TALL * ((panels + COLUMNS - 1) / COLUMNS);
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n", width,
            height, width, height);
    fputs("<title>Time per step and error, per scene and engine</title>\n", out);
    write_style(out);
    fprintf(out, "<rect class=\"back\" width=\"%d\" height=\"%d\"/>\n", width, height);
    write_legend(out, &kinds);
    for (int i = 0, panel = 0; i < rows->count; i++) {
        if (i && rows->row[i].info == rows->row[i - 1].info) continue;
        int line = panel / COLUMNS;
        write_panel(out, rows, rows->row[i].info, &kinds, (double)(panel % COLUMNS) * PANEL, legend + TALL * line);
        panel++;
    }
    fputs("</svg>\n", out);
}
