/* reduce.h: from a curve to a number: extremes, crossings, slopes, kinks. */
#ifndef BRI_REDUCE_H
#define BRI_REDUCE_H

#include <stdbool.h>
#include <stddef.h>

/* v over t, t rising. */
typedef struct BriPoints {
    int count;
    const double *t, *v;
} BriPoints;

typedef enum BriReducer {
    BRI_REDUCE_LAST,
    BRI_REDUCE_FIRST,
    BRI_REDUCE_AT, /* asked of the run itself, not of points */
    BRI_REDUCE_MIN,
    BRI_REDUCE_MAX,
    BRI_REDUCE_MEAN,
    BRI_REDUCE_RMS,
    BRI_REDUCE_PEAK,
    BRI_REDUCE_VALLEY,
    BRI_REDUCE_TURN,
    BRI_REDUCE_CROSSING,
    BRI_REDUCE_PERIOD,
    BRI_REDUCE_SLOPE,
    BRI_REDUCE_KINK,
    BRI_REDUCE_COUNT,
    BRI_REDUCE_BEFORE, /* as the rows before `level`, a time, go on to it; after it */
    BRI_REDUCE_AFTER,
    BRI_REDUCE_ORDER, /* over a family, not over points */
    BRI_REDUCERS
} BriReducer;

extern const char *const bri_reducer_names[BRI_REDUCERS];

typedef struct BriReduction {
    BriReducer reducer;
    int nth;       /* from 1; negative counts from the end; of peak, valley, turn, crossing, period */
    double level;  /* of crossing and period; s, of before and after */
    int direction; /* of crossing and period: +1 rising, -1 falling, 0 either */
} BriReduction;

/* What was found, and when. A crossing's, a kink's and a period's number is a time (s). */
typedef struct BriReduced {
    double value, time;
} BriReduced;

/* false: there is no such thing, and `why` tells. */
bool bri_reduce_curve(const BriReduction *reduction, BriPoints points, BriReduced *result, char *why, size_t size);

/* Least squares line: v = offset + slope t. false: fewer than two different t. */
bool bri_fit_line(BriPoints points, double *slope, double *offset);

#endif
