/* compare.h: one scene by several formulations, schemes, laws and steps, judged by one of them. */
#ifndef COMPARE_H
#define COMPARE_H

#include "run.h"

enum { COMPARE_MOST = 64, COMPARE_WORDS = 40 };

/* How far poses are from those of the reference, at the rows that both have. */
typedef struct Distance {
    int rows;                 /* compared; 0: none */
    double worst, at;         /* m, s */
    char body[160];           /* whose */
    double turned, turned_at; /* rad, s */
    double last;              /* m, in the last of these rows */
    double parted;            /* s: first row with more than a hundredth of the scene's size; negative: none */
    double force; /* of normal forces of pairs: largest rms of a difference over its rms; NaN: nothing touches */
} Distance;

/* How a run ended, so that it outlives the run. */
typedef struct Outcome {
    const char *status; /* ok, uncertified, failed, refused, interrupted; NULL: not run */
    char problem[640];  /* "" or why */
    char formulation[24], scheme[24];
    double dt, end; /* s */
    uint64_t steps, uncertified, hash;
    double cpu;       /* s, without what rows took */
    double simulated; /* s */
    BrEnergy energy;  /* at the end */
} Outcome;

typedef struct Variant {
    char name[200];  /* what was asked for, with its step where --steps asks for several */
    int word;        /* of --with; -1: the reference's own */
    bool keeps_step; /* it names one */
    bool of_family;  /* of --steps: its name ends with its step */
    List set;
    char text[COMPARE_WORDS][256];
    char recording[1200];
    Outcome outcome;
    Distance distance;
} Variant;

typedef struct Compare {
    const char *scene, *with, *reference_word, *steps, *every, *output;
    List set, include;
    bool json, quiet, force;
    double interval; /* s, of rows */
    double size;     /* m, of the scene: the way across what its bodies did in the reference */
    int count, reference;
    char chosen[200];       /* why this reference, if nobody named one */
    char shorthand[2][256]; /* of --until and --every, as assignments */
    char folder[1024];
    Variant variant[COMPARE_MOST];
} Compare;

/* Words of --with and --reference as assignments (compare_words.c); false after a complaint. */
bool compare_plan(Compare *compare, const Loaded *base);

/* From recordings (compare_distance.c). The first one is the reference's. */
double compare_size(const char *reference, BrError *error); /* negative: refused */
bool compare_distance(const char *reference, const char *other, double size, Distance *distance, BrError *error);

/* compare_tell.c */
void print_comparison(const Compare *compare);
void json_comparison(const Compare *compare);
void csv_comparison(FILE *out, const Compare *compare);
/* Error over processor time, a curve per word; false: there are not two points of one. */
bool draw_comparison(FILE *out, const Compare *compare);

#endif
