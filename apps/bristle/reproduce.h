/* reproduce.h: what an experiment gave, as a table, as JSON, as a page with figures. */
#ifndef REPRODUCE_H
#define REPRODUCE_H

#include "command.h"

void print_results(FILE *out, const BrExperiment *experiment, Clocks spent);
void print_results_json(FILE *out, const BrExperiment *experiment);
/* Would its page overwrite one? false with `error` filled. */
bool has_room_for_page(const BrExperiment *experiment, const char *folder, bool force, BrError *error);
/* FOLDER/ID.md and a picture of each figure. false with `error` filled. */
bool write_page(const BrExperiment *experiment, const char *folder, BrError *error);

/* Checks that failed, and metrics that have no value. */
int count_failures(const BrExperiment *experiment);

#endif
