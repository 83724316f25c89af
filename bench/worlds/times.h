/* times.h: how long the blocks of a run took, and the least that each has taken in all runs of the same.
 *
 * An engine that makes the same steps to the bit each time does the same work in them: what a step takes longer than the
 * least of its times is the machine's. So runs that are repeated have the same blocks, and leave their times for the next. */
#ifndef WORLDS_TIMES_H
#define WORLDS_TIMES_H

#include <stdbool.h>

typedef struct WorldTimes {
    int runs;     /* whose least these are */
    int first;    /* steps that are timed each by itself */
    int size;     /* steps of each block after them; 0: not known yet */
    int steps;    /* of all blocks */
    int blocks;   /* there are now */
    double *time; /* s per step, of each */
} WorldTimes;

/* How many steps the block has that begins with this one. */
int world_times_block(const WorldTimes *times, int step, int steps);
/* The least of each block: of both where both have it. There must be room for all blocks of either. */
void world_times_join(WorldTimes *times, const WorldTimes *others);
/* s per step, over all steps of all blocks. */
double world_times_mean(const WorldTimes *times);

/* What a file holds: nothing if it is not there, or is of more than so many steps. False: no memory. */
bool world_times_read(WorldTimes *times, const char *path, int steps);
bool world_times_write(const WorldTimes *times, const char *path);

#endif
