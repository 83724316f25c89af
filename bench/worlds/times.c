/* times.c: times of blocks, joined, and kept in files between the runs. */
#include "times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int world_times_block(const WorldTimes *t, int step, int steps) {
    int size = step < t->first || t->size == 0 ? 1 : t->size;
    return size < steps - step ? size : steps - step;
}

void world_times_join(WorldTimes *t, const WorldTimes *others) {
    for (int i = 0; i < others->blocks; i++)
        t->time[i] = i < t->blocks ? fmin(t->time[i], others->time[i]) : others->time[i];
    if (others->blocks > t->blocks) t->blocks = others->blocks;
    if (others->steps > t->steps) t->steps = others->steps;
    t->runs += others->runs;
}

double world_times_mean(const WorldTimes *t) {
    double sum = 0;
    for (int i = 0, step = 0; i < t->blocks; i++) {
        int size = world_times_block(t, step, t->steps);
        sum += size * t->time[i];
        step += size;
    }
    return t->steps ? sum / t->steps : 0;
}

/* ------------------------------------------------------------------ files */

enum { NUMBERS = 5 }; /* before the times */

static bool read_all(WorldTimes *t, FILE *in, int steps) {
    int number[NUMBERS];
    if (fread(number, sizeof number, 1, in) != 1) return true;
    *t = (WorldTimes){number[0], number[1], number[2], number[3], number[4], NULL};
    bool fine =
        t->runs > 0 && t->first >= 0 && t->size >= 0 && t->steps <= steps && t->blocks > 0 && t->blocks <= t->steps;
    t->time = fine ? malloc((size_t)t->blocks * sizeof *t->time) : NULL;
    if (fine && !t->time) return false;
    if (fine && fread(t->time, sizeof *t->time, (size_t)t->blocks, in) == (size_t)t->blocks) return true;
    free(t->time);
    *t = (WorldTimes){0};
    return true;
}

bool world_times_read(WorldTimes *t, const char *path, int steps) {
    *t = (WorldTimes){0};
    FILE *in = fopen(path, "rb");
    if (!in) return true;
    bool fine = read_all(t, in, steps);
    (void)fclose(in);
    return fine;
}

bool world_times_write(const WorldTimes *t, const char *path) {
    const int number[NUMBERS] = {t->runs, t->first, t->size, t->steps, t->blocks};
    FILE *out = fopen(path, "wb");
    if (!out) return false;
    bool fine = fwrite(number, sizeof number, 1, out) == 1 &&
                fwrite(t->time, sizeof *t->time, (size_t)t->blocks, out) == (size_t)t->blocks;
    return fclose(out) == 0 && fine;
}
