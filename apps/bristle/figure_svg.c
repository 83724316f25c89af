/* figure_svg.c: figures as SVG, one or several above each other over the same x. Colours are those of Okabe and Ito, which
 * people with any colour vision tell apart, lightened on dark backgrounds; after seven curves the lines are dashed. */
#include "figure.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 720,
    HEIGHT = 420,
    RIGHT = 18,
    TOP = 24,
    BOTTOM = 52,
    GAP = 20,
    PANEL = 150,
    LINE = 19,
    COLOURS = 7,
    MOST_POINTS = 3000
};
static const double FARTHEST = 1e5; /* pixels: how far outside its frame a curve is drawn */

/* Where a panel goes, in pixels. */
typedef struct Frame {
    double left, top, width, height;
    bool there; /* it has something to draw */
    Axis x, y;
} Frame;

void write_svg_text(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '"')
            fputs("&quot;", out);
        else if ((unsigned char)*text >= 32)
            fputc(*text, out);
    }
}

static void write_style(FILE *out) {
    static const char *const LIGHT[COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                               "#b8860b", "#3a9bd9", "#555555"};
    static const char *const DARK[COLOURS] = {"#56b4e9", "#ff8c42", "#2fc79a", "#e39ac4",
                                              "#f0c53d", "#8fd0ff", "#bbbbbb"};
    fputs("<style>\n"
          "text { font: 13px system-ui, 'DejaVu Sans', sans-serif; fill: #222; }\n"
          ".title { font-size: 15px; font-weight: 600; }\n"
          ".back { fill: #fff; } .axis { stroke: #444; fill: none; } .grid { stroke: #ddd; fill: none; }\n"
          ".curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; }\n",
          out);
    for (int i = 0; i < COLOURS; i++) fprintf(out, ".c%d { stroke: %s; }\n", i, LIGHT[i]);
    fputs("@media (prefers-color-scheme: dark) {\n"
          "text { fill: #ddd; } .back { fill: #16181c; } .axis { stroke: #aaa; } .grid { stroke: #33373d; }\n",
          out);
    for (int i = 0; i < COLOURS; i++) fprintf(out, ".c%d { stroke: %s; }\n", i, DARK[i]);
    fputs("}\n</style>\n", out);
}

/* ------------------------------------------------------------------ axes */

static double place_x(const Frame *f, double value) { return f->left + f->width * axis_place(&f->x, value); }
static double place_y(const Frame *f, double value) { return f->top + f->height * (1 - axis_place(&f->y, value)); }

/* Numbers below stand under the last panel only. */
static void write_axes(FILE *out, const Frame *f, bool last) {
    char text[40];
    for (double t = f->x.first; t <= f->x.high + 1e-6 * f->x.step; t += f->x.step) {
        double at = f->left + f->width * (t - f->x.low) / (f->x.high - f->x.low);
        axis_label(&f->x, t, text, sizeof text);
        fprintf(out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", at, f->top, f->top + f->height);
        if (last)
            fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", at, f->top + f->height + 19,
                    text);
    }
    for (double t = f->y.first; t <= f->y.high + 1e-6 * f->y.step; t += f->y.step) {
        double at = f->top + f->height * (1 - (t - f->y.low) / (f->y.high - f->y.low));
        axis_label(&f->y, t, text, sizeof text);
        fprintf(out, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", f->left, at, f->left + f->width);
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", f->left - 7, at + 4.5, text);
    }
    fprintf(out, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", f->left, f->top, f->top + f->height,
            f->left + f->width);
}

static void write_y_label(FILE *out, const BrFigure *panel, const Frame *f) {
    fprintf(out, "<text transform=\"translate(16 %.1f) rotate(-90)\" text-anchor=\"middle\">", f->top + f->height / 2);
    write_svg_text(out, panel->y_label);
    fputs("</text>\n", out);
}

static void write_legend_line(FILE *out, const BrCurve *curve, int number, double x, double y) {
    if (curve->marks)
        fprintf(out, "<circle class=\"curve c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"/>", number % COLOURS, x + 11, y);
    else
        fprintf(out, "<path class=\"curve c%d\"%s d=\"M%.1f %.1fh22\"/>", number % COLOURS,
                number >= COLOURS ? " stroke-dasharray=\"6 3\"" : "", x, y);
}

/* The legend stands above the axes from `top` down, as many lines as it needs; returns their number. A single curve is
 * named at the axis, unless only its unit stands there. */
static int write_legend(FILE *out, const BrFigure *panel, double left, double top, bool dry) {
    double x = left;
    int line = 1;
    if (panel->curves < 2 && panel->y_label[0] != '[') return 0;
    for (int i = 0; i < panel->curves; i++) {
        double width = 42 + 7.6 * (double)strlen(panel->curve[i].label);
        if (x > left && x + width > WIDTH - RIGHT) {
            x = left;
            line++;
        }
        if (!dry) {
            double y = top + LINE * line - 16;
            write_legend_line(out, &panel->curve[i], i, x, y - 4.5);
            fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">", x + 28, y);
            write_svg_text(out, panel->curve[i].label);
            fputs("</text>\n", out);
        }
        x += width;
    }
    return line;
}

/* ------------------------------------------------------------------ curves */

/* Draws a point, as a line from the one before unless there was a gap. */
static void write_point(FILE *out, double x, double y, bool *pen) {
    if (isfinite(x) && isfinite(y))
        fprintf(out, "%c%.1f %.1f", *pen ? 'L' : 'M', fmax(-FARTHEST, fmin(x, FARTHEST)),
                fmax(-FARTHEST, fmin(y, FARTHEST)));
    *pen = isfinite(x) && isfinite(y);
}

/* Of very long curves only what a picture can show: per pixel column the first, lowest, highest and last point. */
static void write_dense(FILE *out, const BrCurve *curve, const Frame *f) {
    bool pen = false;
    for (int i = 0; i < curve->points;) {
        double x = place_x(f, curve->x[i]), column = floor(x);
        int last = i, low = i, high = i;
        while (last + 1 < curve->points && floor(place_x(f, curve->x[last + 1])) == column) {
            last++;
            if (place_y(f, curve->y[last]) > place_y(f, curve->y[low])) low = last;
            if (place_y(f, curve->y[last]) < place_y(f, curve->y[high])) high = last;
        }
        int order[4] = {i, low < high ? low : high, low < high ? high : low, last}, before = -1;
        for (int k = 0; k < 4; k++) {
            if (order[k] != before)
                write_point(out, place_x(f, curve->x[order[k]]), place_y(f, curve->y[order[k]]), &pen);
            before = order[k];
        }
        i = last + 1;
    }
}

/* A ring around each point, so that what lies under it is seen. */
static void write_marks(FILE *out, const BrCurve *curve, const Frame *f, int number) {
    for (int i = 0; i < curve->points; i++) {
        double x = place_x(f, curve->x[i]), y = place_y(f, curve->y[i]);
        if (isfinite(x) && isfinite(y))
            fprintf(out, "<circle class=\"curve c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"/>\n", number % COLOURS,
                    fmax(-FARTHEST, fmin(x, FARTHEST)), fmax(-FARTHEST, fmin(y, FARTHEST)));
    }
}

static void write_curve(FILE *out, const BrCurve *curve, const Frame *f, int number) {
    bool pen = false;
    if (curve->marks) {
        write_marks(out, curve, f, number);
        return;
    }
    fprintf(out, "<path class=\"curve c%d\"%s d=\"", number % COLOURS,
            number >= COLOURS ? " stroke-dasharray=\"6 3\"" : "");
    if (curve->points > MOST_POINTS)
        write_dense(out, curve, f);
    else
        for (int i = 0; i < curve->points; i++)
            write_point(out, place_x(f, curve->x[i]), place_y(f, curve->y[i]), &pen);
    fputs("\"/>\n", out);
}

/* What lies outside the frame is cut off by a picture of its own. */
static void write_curves(FILE *out, const BrFigure *panel, const Frame *f) {
    fprintf(out, "<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" viewBox=\"%.1f %.1f %.1f %.1f\">\n",
            f->left, f->top - 1, f->width + 1, f->height + 2, f->left, f->top - 1, f->width + 1, f->height + 2);
    for (int i = 0; i < panel->curves; i++) write_curve(out, &panel->curve[i], f, i);
    fputs("</svg>\n", out);
}

/* ------------------------------------------------------------------ panels */

/* Room for the widest number on the left. */
static double measure_left(const Axis *y) {
    size_t longest = 0;
    char text[40];
    for (double t = y->first; t <= y->high + 1e-6 * y->step; t += y->step) {
        axis_label(y, t, text, sizeof text);
        longest = strlen(text) > longest ? strlen(text) : longest;
    }
    return 42 + 8.0 * (double)longest;
}

/* Where a panel begins and ends, and its axes; `left` is at least what its numbers need. Equal scales hang on the room,
 * and the room on the numbers: twice, the first without. */
static Frame place_panel(const BrFigure *panel, int count, const Window *window, bool equal, double left, double from) {
    Frame f = {.left = left};
    Window w = *window;
    for (int pass = 0; pass < 2; pass++) {
        f.there = figure_axes(panel, &w, &f.x, &f.y);
        f.left = fmax(f.left, f.there ? measure_left(&f.y) : 60);
        f.width = WIDTH - RIGHT - f.left;
        f.top = from + LINE * write_legend(NULL, panel, f.left, from, true);
        f.height = count > 1 ? PANEL : HEIGHT - BOTTOM - f.top;
        w.aspect = equal ? f.width / f.height : 0;
    }
    return f;
}

static void write_panel(FILE *out, const BrFigure *panel, const Frame *f, double from, bool last) {
    write_y_label(out, panel, f);
    if (!f->there) {
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"middle\">nothing to draw</text>\n", WIDTH / 2,
                f->top + f->height / 2);
        return;
    }
    write_legend(out, panel, f->left, from, false);
    write_axes(out, f, last);
    write_curves(out, panel, f);
}

static void write_head(FILE *out, const char *title, double left, double height) {
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\">\n",
            WIDTH, height, WIDTH, height);
    fputs("<title>", out);
    write_svg_text(out, title);
    fputs("</title>\n", out);
    write_style(out);
    fprintf(out, "<rect class=\"back\" width=\"%d\" height=\"%.0f\"/>\n", WIDTH, height);
    fprintf(out, "<text class=\"title\" x=\"%.1f\" y=\"24\">", left);
    write_svg_text(out, title);
    fputs("</text>\n", out);
}

void figure_write_svg(FILE *out, const BrFigure *panels, int count, const Window *given, bool equal) {
    Window window = given ? *given : (Window){0};
    double left = 0, start = TOP + (*panels[0].title ? 20 : 0), end = start;
    if (count > 1) share_x(panels, count, &window);
    for (int i = 0; i < count; i++) left = fmax(left, place_panel(&panels[i], count, &window, equal, 0, start).left);
    for (int i = 0; i < count; i++) {
        Frame f = place_panel(&panels[i], count, &window, equal, left, end);
        end = f.top + f.height + GAP;
    }
    double height = end - GAP + BOTTOM;
    write_head(out, panels[0].title, left, height);
    for (int i = 0; i < count; i++) {
        Frame f = place_panel(&panels[i], count, &window, equal, left, start);
        write_panel(out, &panels[i], &f, start, i == count - 1);
        start = f.top + f.height + GAP;
    }
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", (left + WIDTH - RIGHT) / 2, height - 12);
    write_svg_text(out, panels[0].x_label);
    fputs("</text>\n</svg>\n", out);
}
