/* overlap.h: did a step drive bodies into each other, or through? */
#ifndef BRI_OVERLAP_H
#define BRI_OVERLAP_H

#include "step/schemes.h"

/* The deepest overlaps at the end of a step, as a part of the smaller body's extent (or of twice its width, if that is
 * less); 0: none above BRI_THROUGH. */
typedef struct BriOverlap {
    double made; /* less at the step's start, and at a place that no condition may have known: shorter steps help */
    double left; /* not on its way out, whoever made it */
} BriOverlap;

BriOverlap bri_find_overlap(const BriStep *step, const BriBodyState *bodies);

/* Where contacts of a pair, or of later ones, begin. */
int bri_first_contact(const BriContacts *contacts, const BriPair *pair);

/* A way of bodies, over h. */
typedef struct BriWay BriWay;
struct BriWay {
    double h;                                                          /* s */
    const BriBodyState *(*go)(const BriWay *way, int body, double at); /* a body at a time of it, with velocities */
    void *user;                                                        /* of go */
    const BriBodyState *first, *with;                                  /* velocities at its start and on the average */
    double acceleration;                                               /* m/s^2: what points may have besides */
    double fine;     /* of the half widths: overlaps that come and go may be half as deep and not be seen */
    double aim;      /* m: how deep the overlap is that is looked for */
    bool all;        /* pairs that fly no farther than they are thick are followed too */
    bool each_group; /* times of all groups are asked, and noted */
    bool from_start; /* one look, from the start: it may be too early, never too late */
};

/* Until when no pair that was apart overlaps; h: none does. Where looks come to no end it is earlier. pass.c */
double bri_find_pass(BriStep *step, const BriWay *way);

/* The part of a way on which no shape comes farther than pairs were looked for: what was pushed to more than twice its speed is
 * looked after once more. */
double bri_find_known(const BriStep *step, const BriWay *way);

/* The same of one pair: does it meet? */
bool bri_pair_meets(BriStep *step, int shape_a, int shape_b, const BriWay *way);

/* BriWay.go of schemes: velocities change evenly, from way->first to 2 way->with - way->first; moved bodies go by their
 * motion. */
typedef struct BriEvenly {
    const BriStep *step;
    const BriBodyState *from; /* poses at the start of the way, */
    double time;              /* s */
} BriEvenly;
const BriBodyState *bri_go_evenly(const BriWay *way, int body, double at);

/* Does a pair fly farther than it is thick? Then its poses at the end do not say whether it met. */
bool bri_flies_far(const BrModel *model, int shape_a, int shape_b, const BriWay *way);

#endif
