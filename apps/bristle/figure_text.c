/* figure_text.c: a figure made of characters: braille cells of 2 x 4 dots, or letters, one kind per curve. */
#include "figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 18, COLOURS = 6 };

/* One cell: its dots, and the curve that drew last there. */
typedef struct Cell {
    unsigned char dots, curve; /* curve from 1 */
} Cell;

typedef struct Canvas {
    int columns; /* cells */
    bool braille;
    Cell *cell;
} Canvas;

static const int ANSI[COLOURS] = {34, 33, 32, 35, 36, 31};
static const char MARKS[] = "*+xo#@";

/* ------------------------------------------------------------------ dots */

static void set_dot(Canvas *canvas, int x, int y, int curve) {
    static const unsigned char DOTS[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int wide = canvas->braille ? 2 : 1, high = canvas->braille ? 4 : 1;
    if (x < 0 || y < 0 || x >= wide * canvas->columns || y >= high * ROWS) return;
    Cell *cell = &canvas->cell[y / high * canvas->columns + x / wide];
    cell->dots |= canvas->braille ? DOTS[y % 4][x % 2] : 1;
    cell->curve = (unsigned char)(curve % COLOURS + 1);
}

static void draw_line(Canvas *canvas, double x0, double y0, double x1, double y1, int curve) {
    double length = fmax(fabs(x1 - x0), fabs(y1 - y0));
    int steps = length < 10000 ? (int)length + 1 : 10000;
    for (int k = 0; k <= steps; k++)
        set_dot(canvas, (int)lround(x0 + (x1 - x0) * k / steps), (int)lround(y0 + (y1 - y0) * k / steps), curve);
}

static void draw_curve(Canvas *canvas, const BrCurve *curve, const Axis *x, const Axis *y, int number) {
    double wide = (canvas->braille ? 2 : 1) * canvas->columns - 1, high = (canvas->braille ? 4 : 1) * ROWS - 1;
    double px = NAN, py = NAN;
    for (int i = 0; i < curve->points; i++) {
        double a = axis_place(x, curve->x[i]) * wide, b = (1 - axis_place(y, curve->y[i])) * high;
        bool shown = isfinite(a) && isfinite(b);
        if (shown && isfinite(px))
            draw_line(canvas, px, py, a, b, number);
        else if (shown)
            set_dot(canvas, (int)lround(a), (int)lround(b), number);
        px = shown ? a : NAN;
        py = b;
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
static void label_row(const Axis *y, int row, char *text, size_t size) {
    *text = 0;
    for (double t = y->first; t <= y->high + 1e-6 * y->step; t += y->step) {
        double place = (1 - (t - y->low) / (y->high - y->low)) * (ROWS - 1);
        if (lround(place) == row) axis_label(y, t, text, size);
    }
}

static int measure_labels(const Axis *y) {
    size_t longest = 1;
    char text[40];
    for (int row = 0; row < ROWS; row++) {
        label_row(y, row, text, sizeof text);
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
    for (int i = 0; i < figure->curves && figure->curves > 1; i++) {
        if (colour)
            fprintf(out, "  \033[%dm%s\033[0m %s", ANSI[i % COLOURS], braille ? "──" : "--", figure->curve[i].label);
        if (!colour && !braille) fprintf(out, "  %c %s", MARKS[i % COLOURS], figure->curve[i].label);
        if (!colour && braille) fprintf(out, "  (%d) %s", i + 1, figure->curve[i].label);
    }
    if (figure->curves > 1) fputc('\n', out);
}

void figure_print(FILE *out, const BrFigure *figure, int columns, bool braille, bool colour) {
    Axis x, y;
    if (!colour && figure->curves > 1) braille = false; /* dots of one colour do not tell curves apart */
    if (*figure->title) fprintf(out, "%s\n", figure->title);
    if (!figure_axes(figure, &x, &y)) {
        fprintf(out, "nothing to draw\n");
        return;
    }
    int margin = measure_labels(&y);
    Canvas canvas = {columns - margin - 3, braille, NULL};
    if (canvas.columns < 10) canvas.columns = 10;
    canvas.cell = calloc((size_t)canvas.columns * ROWS, sizeof *canvas.cell);
    if (!canvas.cell) return;
    for (int i = 0; i < figure->curves; i++) draw_curve(&canvas, &figure->curve[i], &x, &y, i);
    if (*figure->y_label) fprintf(out, "%s\n", figure->y_label);
    for (int row = 0; row < ROWS; row++) {
        char text[40];
        label_row(&y, row, text, sizeof text);
        fprintf(out, "%*s %s", margin, text, braille ? (*text ? "┤" : "│") : "|");
        for (int k = 0; k < canvas.columns; k++)
            print_cell(out, &canvas, &canvas.cell[row * canvas.columns + k], colour);
        fputc('\n', out);
    }
    print_x_axis(out, &x, margin, canvas.columns);
    int space = margin + 2 + (canvas.columns - (int)strlen(figure->x_label)) / 2;
    fprintf(out, "%*s%s\n", space > 0 ? space : 0, "", figure->x_label);
    print_legend(out, figure, braille, colour);
    free(canvas.cell);
}
