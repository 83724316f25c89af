/* figure.h: curves drawn as SVG or on a terminal; what `plot` and `reproduce` share. */
#ifndef FIGURE_H
#define FIGURE_H

#include <bristle/bristle.h>
#include <stdbool.h>
#include <stdio.h>

/* One axis: what it shows, and its ticks. On a logarithmic axis everything counts in powers of ten. */
typedef struct Axis {
    double low, high; /* at its ends */
    double step;      /* between ticks */
    double first;     /* tick */
    bool log;
} Axis;

/* What is shown of figures. All zeros: all of their data, filling the room there is. */
typedef struct Window {
    double x[2], y[2]; /* from, to; twice the same: from the data (y: of what x shows) */
    double aspect;     /* width over height of the room, where a unit across is to be as long as one upwards; else 0 */
} Window;

/* Fits both axes to what can be drawn; false when there is nothing: no point is finite (and positive, on log axes).
 * `window` may be NULL. */
bool figure_axes(const BrFigure *figure, const Window *window, Axis *x, Axis *y);
/* Widens a window so that all panels show the same across. */
void share_x(const BrFigure *panels, int count, Window *window);
/* Where a value lies: 0 at the low end, 1 at the high end; NaN for what cannot be drawn. */
double axis_place(const Axis *axis, double value);
/* The text of a tick at `position` (in powers of ten on a logarithmic axis); large and small numbers as engineers
 * write them, 20e3, with exponents of three. */
void axis_label(const Axis *axis, double position, char *text, size_t size);

/* A whole SVG file: follows light and dark, needs nothing else. Panels stand above each other over the same x, under
 * the title of the first; `window` may be NULL, `equal` takes the place of its aspect. */
void figure_write_svg(FILE *out, const BrFigure *panels, int count, const Window *window, bool equal);
/* Text between tags, and in attributes. */
void write_svg_text(FILE *out, const char *text);
/* What a terminal can show. */
typedef struct Terminal {
    int columns;
    bool braille; /* dots of Unicode, else plain ASCII */
    bool colour;  /* ANSI colours */
} Terminal;

void figure_print(FILE *out, const BrFigure *panels, int count, const Window *window, bool equal, Terminal terminal);

#endif
