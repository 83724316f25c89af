/* figure_text.c: figures made of characters: braille cells of 2 x 4 dots, or letters, one kind per curve. */
#include "figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 18, PANEL_ROWS = 10, COLOURS = 6 };

/* One cell: its dots, and the curve that drew last there. */
typedef struct Cell {
    unsigned char dots, curve; /* curve from 1 */
} Cell;

typedef struct Canvas {
    int columns, rows; /* cells */
    bool braille;
    Cell *cell;
} Canvas;

static const int ANSI[COLOURS] = {34, 33, 32, 35, 36, 31};
static const char MARKS[] = "*+xo#@";

/* ------------------------------------------------------------------ dots */

static void set_dot(Canvas *canvas, int x, int y, int curve) {
    static const unsigned char DOTS[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int wide = canvas->braille ? 2 : 1, high = canvas->braille ? 4 : 1;
    if (x < 0 || y < 0 || x >= wide * canvas->columns || y >= high * canvas->rows) return;
    Cell *cell = &canvas->cell[y / high * canvas->columns + x / wide];
    cell->dots |= canvas->braille ? DOTS[y % 4][x % 2] : 1;
    cell->curve = (unsigned char)(curve % COLOURS + 1);
}

/* The part of 0 to 1 in which a number that goes from a to b lies between -1 and `most`. */
static void clip(double a, double b, double most, double part[2]) {
    if (a == b) {
        if (a < -1 || a > most) part[1] = -1;
        return;
    }
    double at_low = (-1 - a) / (b - a), at_high = (most - a) / (b - a);
    part[0] = fmax(part[0], fmin(at_low, at_high));
    part[1] = fmin(part[1], fmax(at_low, at_high));
}

static void draw_line(Canvas *canvas, const double from[2], const double to[2], const double room[2], int curve) {
    double part[2] = {0, 1}, way[2] = {to[0] - from[0], to[1] - from[1]};
    clip(from[0], to[0], room[0] + 1, part);
    clip(from[1], to[1], room[1] + 1, part);
    if (part[0] > part[1]) return;
    int steps = (int)((part[1] - part[0]) * fmax(fabs(way[0]), fabs(way[1]))) + 1;
    for (int k = 0; k <= steps; k++) {
        double at = part[0] + (part[1] - part[0]) * k / steps;
        set_dot(canvas, (int)lround(from[0] + way[0] * at), (int)lround(from[1] + way[1] * at), curve);
    }
}

static void draw_curve(Canvas *canvas, const BrCurve *curve, const Axis *x, const Axis *y, int number) {
    double room[2] = {(canvas->braille ? 2 : 1) * canvas->columns - 1, (canvas->braille ? 4 : 1) * canvas->rows - 1};
    double last[2] = {NAN, NAN};
    for (int i = 0; i < curve->points; i++) {
        double at[2] = {axis_place(x, curve->x[i]) * room[0], (1 - axis_place(y, curve->y[i])) * room[1]};
        bool shown = isfinite(at[0]) && isfinite(at[1]);
        if (shown) draw_line(canvas, isfinite(last[0]) ? last : at, at, room, number);
        last[0] = shown && !curve->marks ? at[0] : NAN;
        last[1] = at[1];
    }
}

/* ------------------------------------------------------------------ printing */

static void print_cell(FILE *out, const Canvas *canvas, const Cell *cell, bool colour) {
    if (!cell->dots) {
        fputc(' ', out);
        return;
    }
    if (colour) fprintf(out, "\033[%dm", ANSI[cell->curve - 1]);
    if (canvas->braille) /* U+2800 + dots */
        fprintf(out, "\xE2%c%c", 0xA0 + (cell->dots >> 6), 0x80 + (cell->dots & 0x3F));
    else
        fputc(MARKS[cell->curve - 1], out);
    if (colour) fputs("\033[0m", out);
}

/* The tick whose row this is, or "". */
static void label_row(const Axis *y, int row, int rows, char *text, size_t size) {
    *text = 0;
    for (double t = y->first; t <= y->high + 1e-6 * y->step; t += y->step) {
        double place = (1 - (t - y->low) / (y->high - y->low)) * (rows - 1);
        if (lround(place) == row) axis_label(y, t, text, size);
    }
}

static int measure_labels(const Axis *y, int rows) {
    size_t longest = 1;
    char text[40];
    for (int row = 0; row < rows; row++) {
        label_row(y, row, rows, text, sizeof text);
        longest = strlen(text) > longest ? strlen(text) : longest;
    }
    return (int)longest;
}

static void print_x_axis(FILE *out, const Axis *x, int margin, int columns) {
    char line[512] = "", text[40];
    int used = 0, most = columns < 500 ? columns : 500;
    for (double t = x->first; t <= x->high + 1e-6 * x->step; t += x->step) {
        axis_label(x, t, text, sizeof text);
        int length = (int)strlen(text), at = (int)lround((t - x->low) / (x->high - x->low) * (most - 1)) - length / 2;
        if (at + length > most) at = most - length;
        if (at < 0) at = 0;
        if (used && at <= used) continue;
        memset(line + used, ' ', (size_t)(at - used));
        memcpy(line + at, text, (size_t)length + 1);
        used = at + length;
    }
    fprintf(out, "%*s  %s\n", margin, "", line);
}

static void print_legend(FILE *out, const BrFigure *figure, bool braille, bool colour) {
    bool needed = figure->curves > 1 || figure->y_label[0] == '[';
    for (int i = 0; i < figure->curves && needed; i++) {
        if (colour)
            fprintf(out, "  \033[%dm%s\033[0m %s", ANSI[i % COLOURS], braille ? "──" : "--", figure->curve[i].label);
        if (!colour && !braille) fprintf(out, "  %c %s", MARKS[i % COLOURS], figure->curve[i].label);
        if (!colour && braille) fprintf(out, "  (%d) %s", i + 1, figure->curve[i].label);
    }
    if (needed) fputc('\n', out);
}

static void print_canvas(FILE *out, const Canvas *canvas, const Axis *y, int margin, bool colour) {
    for (int row = 0; row < canvas->rows; row++) {
        char text[40];
        label_row(y, row, canvas->rows, text, sizeof text);
        fprintf(out, "%*s %s", margin, text, canvas->braille ? (*text ? "┤" : "│") : "|");
        for (int k = 0; k < canvas->columns; k++)
            print_cell(out, canvas, &canvas->cell[row * canvas->columns + k], colour);
        fputc('\n', out);
    }
}

static void print_panel(FILE *out, const BrFigure *panel, const Window *window, bool equal, int rows, Terminal t) {
    Axis x, y;
    Window w = *window;
    bool braille = t.braille && (t.colour || panel->curves == 1); /* dots of one colour do not tell curves apart */
    Canvas canvas = {.rows = rows, .braille = braille};
    int margin = 0;
    for (int pass = 0; pass < 2; pass++) { /* equal scales hang on the room, and the room on the numbers */
        if (!figure_axes(panel, &w, &x, &y)) {
            fprintf(out, "nothing to draw\n");
            return;
        }
        margin = measure_labels(&y, rows);
        canvas.columns = t.columns - margin - 3 < 10 ? 10 : t.columns - margin - 3;
        if (equal) w.aspect = canvas.columns / (2. * rows); /* a letter is about twice as high as wide */
    }
    canvas.cell = calloc((size_t)canvas.columns * (size_t)rows, sizeof *canvas.cell);
    if (!canvas.cell) return;
    for (int i = 0; i < panel->curves; i++) draw_curve(&canvas, &panel->curve[i], &x, &y, i);
    if (*panel->y_label) fprintf(out, "%s\n", panel->y_label);
    print_canvas(out, &canvas, &y, margin, t.colour);
    print_x_axis(out, &x, margin, canvas.columns);
    int space = margin + 2 + (canvas.columns - (int)strlen(panel->x_label)) / 2;
    fprintf(out, "%*s%s\n", space > 0 ? space : 0, "", panel->x_label);
    print_legend(out, panel, braille, t.colour);
    free(canvas.cell);
}

void figure_print(FILE *out, const BrFigure *panels, int count, const Window *given, bool equal, Terminal terminal) {
    Window window = given ? *given : (Window){0};
    if (*panels[0].title) fprintf(out, "%s\n", panels[0].title);
    if (count > 1) share_x(panels, count, &window);
    for (int i = 0; i < count; i++)
        print_panel(out, &panels[i], &window, equal, count > 1 ? PANEL_ROWS : ROWS, terminal);
}
