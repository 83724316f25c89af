/* bench.h: what the benchmarks of this folder share. */
#ifndef BENCH_H
#define BENCH_H

#include "bristle/bristle.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void stop_on(BrStatus status, const BrError *error) {
    if (status >= 0) return;
    fprintf(stderr, "bench: %s\n", error->text);
    exit(1);
}

/* A body that does not move. */
static inline BrBodyId add_ground(BrModel *model) {
    BrBodyDef def = br_default_body_def();
    BrBodyId id;
    BrError error;
    def.name = "ground";
    def.kind = BR_BODY_FIXED;
    stop_on(br_model_add_body(model, &def, &id, &error), &error);
    return id;
}

#endif
