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
    double error;                         /* m; not finite: the poses were not */
    bool judged, holds;                   /* can the claim be judged, and is it true? */
    double contacts;                      /* mean of some looks in the timed part */
    int steps;                            /* that were timed */
    double simulated;                     /* s */
    bool cut;                             /* it took longer than it may, and was ended before its last step */
    bool stopped;                         /* by the engine: a step failed, or somebody asked */
    double certified;                     /* part of the steps; negative: the engine does not tell */
    double residual;                      /* m/s, worst; negative: the same */
    double bytes;                         /* of memory per contact; negative: not known */
} WorldResult;

/* Steps through the warm-up and the timed part, each for at most `most` seconds of CPU time. False: no memory. */
bool world_measure(const World *world, const WorldEngine *engine, bool quick, double most, WorldResult *result);
/* How long each part may take, s. */
double world_most_time(bool quick);

/* One line of JSON; what is not known is null. */
void world_print(FILE *out, const WorldResult *result);

double world_cpu_seconds(void); /* of this thread */

#ifdef __cplusplus
}
#endif

#endif
