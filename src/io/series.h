/* series.h: rows of channels over time in memory: one simulated run, or a recording read back. */
#ifndef BRI_SERIES_H
#define BRI_SERIES_H

#include "io/touched.h"

/* What happened at a contact, and when. */
typedef struct BriEvent {
    double time;          /* s */
    char kind[16];        /* touch, impact, stick, slip, separation */
    char contact[160];    /* "wheel/ground" */
    double before, after; /* what the event is about: a normal velocity, a friction ratio, ... */
} BriEvent;

typedef struct BriSeries {
    const char *name; /* in messages */
    BriChannels channels;
    int rows;
    size_t capacity;       /* rows that fit in `data` */
    double *data;          /* rows one after the other; or, with `column`, NULL */
    double *const *column; /* per channel, its numbers row by row; NULL where nobody has read them */
    BriTouched *touched;   /* contacts, whose channels have the numbers after `channels`; NULL: it cannot have any */
    int events, event_capacity;
    BriEvent *event;
} BriSeries;

/* Room for one more row; NULL: out of memory. The caller fills it and raises `rows`. */
double *bri_series_next(BriSeries *series, const BrAllocator *allocator);
bool bri_series_add_event(BriSeries *series, const BriEvent *event, const BrAllocator *allocator);
void bri_series_release(BriSeries *series, const BrAllocator *allocator);

/* A place between two rows: (1 - part) of `row` and `part` of the next. */
typedef struct BriPlace {
    int row;
    double part; /* 0 <= part < 1 */
} BriPlace;

/* The place of a time: a row if it is one to a millionth of the rows' distance. false: outside the series. */
bool bri_series_locate(const BriSeries *series, double time, BriPlace *place);
double bri_series_time(const BriSeries *series, BriPlace place);
/* A channel's numbers (as many as its width) there, linear between rows. */
void bri_series_read(const BriSeries *series, int channel, BriPlace place, double *value);

const BriChannel *bri_series_channel(const BriSeries *series, int channel);
/* The channel that a dotted path names ("bodies.wheel.position.x"), and which of its numbers (-1: all of them). `loose`
 * also finds "wheel.position" and forgives the kind before names that were recorded without. -1: none, -2: several. */
int bri_series_find(const BriSeries *series, const char *path, bool loose, int *part);
/* "bodies.wheel.position", "contacts.wheel/ground.0.gap" */
void bri_channel_path(const BriChannel *channel, char *path, size_t size);

#endif
