/* touched.h: what touched over the rows of a series, by name: "contacts.wheel/ground.force" of a pair of bodies,
 * "contacts.wheel/ground.0.gap" of a place. A channel is there as soon as somebody asks for it; named the other way
 * round, "contacts.ground/wheel.force", its vectors are what the first-named does to the second. */
#ifndef BRI_TOUCHED_H
#define BRI_TOUCHED_H

#include "base/names.h"
#include "io/channels.h"
#include "io/touch.h"

typedef struct BriTouchOwner {
    uint64_t loaded;    /* lines whose numbers are in its records, a bit each; `load` brings others */
    int rows, capacity; /* in which it told a record; numbers in `record` that fit */
    double *record;
} BriTouchOwner;

typedef struct BriTouchChannel {
    int owner, line;
    double sign;
    BriChannel about;
} BriTouchChannel;

typedef struct BriTouched BriTouched;

struct BriTouched {
    BrAllocator allocator;
    BriTouchTable table[BRI_TOUCH_KINDS];
    const BrModel *model; /* whose bodies they are; NULL: of a recording, which has */
    BriNames numbers;     /* of bodies by name, and */
    int bodies, body_capacity;
    char **body;         /* names by number */
    BriTouchIndex index; /* owners, by (first, second, number of the place or -1) */
    int capacity;
    BriTouchOwner *owner;
    int channels, channel_capacity;
    BriTouchChannel *channel;
    int listed, first_listed; /* the owner described last, and the number of his first channel: lists go on there */
    /* Of a recording: a line of an owner's records, or all of them; notes what it has loaded. */
    BrStatus (*load)(void *user, BriTouched *touched, int owner, int line, BrError *error);
    void *user;
};

/* NULL: no memory. model: NULL for a recording. */
BriTouched *bri_touched_make(const BrModel *model, const BrAllocator *allocator);
void bri_touched_release(BriTouched *touched);
bool bri_touched_add_body(BriTouched *touched, const char *name);

/* The number of an owner, new or known; -1: no memory. */
int bri_touched_owner(BriTouched *touched, int first, int second, int number);
BriTouchKind bri_touched_kind(const BriTouched *touched, int owner);
/* Room for one more record of its owner; NULL: no memory. */
double *bri_touched_next(BriTouched *touched, int owner);
/* The records of a row. */
bool bri_touched_add(BriTouched *touched, const BriTouching *row);

/* Whose, and which line of his table, a path without "contacts." names; whose is new or known. false: nobody's. */
bool bri_touched_name(BriTouched *touched, const char *path, int *owner, int *line);
/* The channel that a path without "contacts." names ("wheel.ground.0.gap.x"), which of its numbers it is left with
 * (".x"), and where in the path that stands. -1: none, or no memory. */
int bri_touched_find(BriTouched *touched, const char *path, const char **rest);
/* What could have been meant by "contacts.wheel/ground.fource": false: nothing. */
bool bri_touched_guess(const BriTouched *touched, const char *path, char *text, size_t size);

BrStatus bri_touched_load(BriTouched *touched, int channel, BrError *error);
void bri_touched_read(const BriTouched *touched, int channel, int row, double *value);

/* All that may be asked for of what there is: how many, and each of them. */
int bri_touched_count(const BriTouched *touched);
bool bri_touched_describe(BriTouched *touched, int number, BriChannel *about);

#endif
