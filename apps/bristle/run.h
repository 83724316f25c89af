/* run.h: a run of `bristle run`, and who tells about it. */
#ifndef RUN_H
#define RUN_H

#include "command.h"

typedef struct Run {
    const char *scene, *output, *checkpoint, *resume;
    StepOptions step;
    List set;
    bool json, strict, quiet;

    Loaded l;
    BrRecorder *recorder;
    uint64_t first_step, steps;    /* where the state stood, and how many to take */
    uint64_t row_steps, row_phase; /* a row every row_steps, row_phase of which had passed already */
    double last_dt;                /* of a shorter last step, or 0 */
    uint64_t uncertified, lowered_impacts;
    BrStepReport worst, worst_since_row;
    BrJointId worst_joint;
    double started, seconds;
    bool interrupted;
} Run;

/* ------------------------------------------------------------------ telling (run_tell.c) */

void print_run(const Run *run);
void json_run(Run *run);

#endif
