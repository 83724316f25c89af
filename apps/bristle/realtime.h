/* realtime.h: how a run kept up with the clock. */
#ifndef REALTIME_H
#define REALTIME_H

#include <stdbool.h>
#include <stdint.h>

/* Step times are counted in bins of equal ratio: from 2^-10 us on, 32 to each factor of two. */
enum { TIME_OCTAVES = 40, TIME_BINS = 32 * TIME_OCTAVES };

typedef struct Realtime {
    const char *rate_text, *budget_text; /* as given; rate_text NULL: not in real time */
    double period, budget;               /* s */
    uint64_t steps, overruns;            /* taken; over the budget */
    double sum, worst;                   /* s, of the steps' times */
    uint64_t bin[TIME_BINS];
    uint64_t late_starts; /* later than a tenth of the period */
    double worst_start;   /* s after its time */
    uint64_t skipped;     /* periods in which no step was taken: the simulation fell behind by so many */
    uint64_t rows, rows_left_out;
    double rows_time; /* s, of all rows */
} Realtime;

#endif
