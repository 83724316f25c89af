/* reproduce.h: what an experiment gave, as a table, as JSON, as a page with figures. */
#ifndef REPRODUCE_H
#define REPRODUCE_H

#include "command.h"

/* A metric in words. */
typedef struct Row {
    char reference[40], ours[40], tolerance[40];
    const char *verdict; /* ok, FAIL, info */
} Row;

Row make_row(const BrMetric *metric);

void print_results(FILE *out, const BrExperiment *experiment, Clocks spent);
void print_results_json(FILE *out, const BrExperiment *experiment);
/* Would its page overwrite one? false with `error` filled. */
bool has_room_for_page(const BrExperiment *experiment, const char *folder, bool force, BrError *error);
/* FOLDER/ID.md and a picture of each figure. false with `error` filled. */
bool write_page(const BrExperiment *experiment, const char *folder, BrError *error);

/* The text that lies beside it, README.md, to be freed; NULL: there is none, or `error` says why it cannot be read. */
char *read_page(const BrExperiment *experiment, BrError *error);
/* "ID-FIGURE.svg", as text of a page. */
void name_figure(FILE *out, const BrExperiment *experiment, const BrFigure *figure);
/* A file of FOLDER, written as text: neither through a symbolic link nor over what is there, unless `force`. NULL with
 * `error` filled. */
FILE *open_page(const char *folder, const char *name, bool force, char path[1100], BrError *error);
bool close_page(FILE *file, const char *path, BrError *error);

/* All experiments on one page (gallery.c). */
typedef struct Gallery Gallery;
Gallery *gallery_open(void);
void gallery_add(Gallery *gallery, const BrExperiment *experiment);
void gallery_add_refusal(Gallery *gallery, const char *id, const char *why);
bool gallery_write(Gallery *gallery, FILE *out);
void gallery_close(Gallery *gallery);

/* Checks that failed, and metrics that have no value. */
int count_failures(const BrExperiment *experiment);

#endif
