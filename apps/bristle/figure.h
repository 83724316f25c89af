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

/* Fits both axes to what can be drawn; false when there is nothing: no point is finite (and positive, on log axes). */
bool figure_axes(const BrFigure *figure, Axis *x, Axis *y);
/* Where a value lies: 0 at the low end, 1 at the high end; NaN for what cannot be drawn. */
double axis_place(const Axis *axis, double value);
/* The text of a tick at `position` (in powers of ten on a logarithmic axis). */
void axis_label(const Axis *axis, double position, char *text, size_t size);

/* A whole SVG file: follows light and dark, needs nothing else. */
void figure_write_svg(FILE *out, const BrFigure *figure);
/* Text between tags, and in attributes. */
void write_svg_text(FILE *out, const char *text);
/* Fits `columns` characters; `braille`: dots of Unicode, else plain ASCII; `colour`: ANSI colours. */
void figure_print(FILE *out, const BrFigure *figure, int columns, bool braille, bool colour);

#endif
