/* plot.h: what `bristle plot` was asked for, and has read. */
#ifndef PLOT_H
#define PLOT_H

#include "command.h"
#include "figure.h"

enum { MOST_CHANNELS = 32, MOST_RECORDINGS = 8, MOST_CURVES = 3 * MOST_CHANNELS * MOST_RECORDINGS };

/* A recording, and what it has across. */
typedef struct Source {
    const char *path;
    BrRecording *recording;
    int rows;
    double *x;
} Source;

/* A curve's words; its numbers stand in Plot.curve. */
typedef struct Words {
    char label[240], unit[40];
    int source;
} Words;

typedef struct Plot {
    const char *words[MOST_RECORDINGS + MOST_CHANNELS]; /* recordings, then channels */
    int sources, channels;
    const char *output, *title, *x, *log, *x_range, *y_range;
    bool list, json, equal, force;

    Source source[MOST_RECORDINGS];
    BrCurve curve[MOST_CURVES]; /* those of a panel, of one unit, are neighbours */
    Words word[MOST_CURVES];
    int curves;
    BrFigure panel[MOST_CURVES];
    char y_label[MOST_CURVES][300];
    int panels;
    char x_label[240], x_unit[40];
    Window window;
} Plot;

/* Opens the recordings, and reads all that is to be drawn (plot_read.c). */
bool plot_open(Plot *p, BrError *error);
bool plot_read(Plot *p, BrError *error);
/* Sorts what was read into panels, one for each unit; false where what was asked for does not fit them. */
bool plot_make_panels(Plot *p, BrError *error);
void plot_close(Plot *p);

#endif
