/* measure.h: running a world in some engine: the clock, the error, and the line that tells. The same for all. */
#ifndef WORLDS_MEASURE_H
#define WORLDS_MEASURE_H

#include "worlds.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An engine that holds a world. */
typedef struct WorldEngine {
    void *self;
    bool (*step)(void *self, double time);         /* from this time on; false: it cannot */
    void (*poses)(void *self, WorldFrame *frames); /* of the bodies, in the world's order */
    int (*contacts)(void *self);                   /* now */
    bool (*stop)(void *self);                      /* asked between steps: give up? NULL: never */
    bool many_threads;                             /* work on a step: it is timed by the wall clock */
} WorldEngine;

typedef struct WorldResult {
    const char *engine, *setting, *scene; /* engine and version; the caller's */
    double us_mean, us_median, us_worst;  /* CPU time of this thread per step; of many_threads: wall clock */
    double us_p99, us_p9999;              /* 99 % and 99.99 % of the steps take no longer; negative: not known */
    double error;                         /* m; not finite: the poses were not */
    bool judged, holds;                   /* can the claim be judged, and is it true? */
    double contacts;                      /* mean of some looks in the timed part */
    int steps;                            /* that were timed */
    int runs;                             /* of these steps: each of their times is the least of so many */
    double simulated;                     /* s */
    bool cut;                             /* it took longer than it may, and was ended before its last step */
    bool stopped;                         /* by the engine: a step failed, or somebody asked */
    double certified;                     /* part of the steps; negative: the engine does not tell */
    double residual;                      /* m/s, worst; negative: the same */
    double bytes;                         /* of memory per contact; negative: not known */
} WorldResult;

/* How long to run. */
typedef struct WorldPlan {
    int warm, steps;  /* before the clock, and with it */
    double most;      /* s of CPU time that each of these may take; then it is cut */
    bool whole;       /* as the world says, so that its claim can be judged at the end */
    const char *kept; /* folder in which the least times of runs of the same are kept for the next; NULL: none are */
} WorldPlan;

/* The world's own, quick or not; or with so many timed steps (0: its own), which are not cut. */
WorldPlan world_plan(const WorldInfo *info, bool quick, int steps);
/* False: no memory. */
bool world_measure(const World *world, const WorldEngine *engine, const WorldPlan *plan, WorldResult *result);

/* One line of JSON; what is not known is null. */
void world_print(FILE *out, const WorldResult *result);

double world_cpu_seconds(void); /* of this thread */

#ifdef __cplusplus
}
#endif

#endif
