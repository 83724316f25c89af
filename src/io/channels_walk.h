/* channels_walk.h: how channels are listed and read, for the files that have tables of them. A channel is a line of a
 * table: name, unit, where its numbers stand in the reading of its owner. One walk over the model makes the list and
 * fills rows, so both have the same order. */
#ifndef BRI_CHANNELS_WALK_H
#define BRI_CHANNELS_WALK_H

#include "io/channels.h"

#include <stddef.h>

typedef struct BriLine {
    const char *name, *unit;
    const char *turning; /* unit where the owner's coordinate is an angle; NULL: the same */
    size_t at;           /* in the reading, bytes; */
    int width;           /* from there on, doubles */
    const char *help;
} BriLine;

#define BRI_FIELD(type, field) offsetof(type, field), (int)(sizeof(((type *)0)->field) / sizeof(double))

typedef struct BriWalk {
    const BrModel *model;
    BriChannels *channels; /* to be made, */
    const BrAllocator *allocator;
    bool fine;
    const BriMoment *moment; /* or of which a row is filled: */
    double *row;
} BriWalk;

/* Where channels belong. */
typedef struct BriOwner {
    const char *group, *name;
    const char *label; /* how CSV calls it, if not by its name; NULL */
    const char *part;  /* of several coordinates: which; NULL */
    bool turns;        /* its coordinate is an angle */
} BriOwner;

/* The channels of one owner: into the list, or their numbers from its reading into the row. */
void bri_give(BriWalk *walk, BriOwner owner, const BriLine *lines, int count, const void *reading);

#endif
