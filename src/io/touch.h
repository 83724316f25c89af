/* touch.h: what touches, as recordings tell it: pairs of bodies, and the places where they do, as they come and go.
 *
 * Each tells a record in every row in which it is there: numbers, as the lines of a table say, the first of which are
 * whose it is. So memory and files grow with what touches, not with what could. A place has a number among those of its
 * two bodies, which it keeps as long as it is there. A pair that is there no more tells one last record, of zeros but
 * for its heat. */
#ifndef BRI_TOUCH_H
#define BRI_TOUCH_H

#include "base/base.h"
#include "bristle/contact.h"

typedef enum BriTouchKind { BRI_TOUCH_PAIR, BRI_TOUCH_PLACE, BRI_TOUCH_KINDS } BriTouchKind;

/* The first numbers of a record. Bodies: their numbers in the model. A pair has the number -1. */
enum { BRI_TOUCH_ROW, BRI_TOUCH_FIRST, BRI_TOUCH_SECOND, BRI_TOUCH_NUMBER, BRI_TOUCH_KEYS };
enum { BRI_TOUCH_LINES = 48 };

typedef struct BriTouchLine {
    const char *name, *unit, *help;
    int width, at; /* numbers, from there on in a record */
    size_t from;   /* bytes, in what it is read from (touch_table.c) */
    bool key;      /* says what the record is of, and is no channel */
    bool turns;    /* changes its sign when the bodies are named the other way round */
    bool holds;    /* is as it was last while its bodies do not touch; others are 0 */
} BriTouchLine;

typedef struct BriTouchTable {
    int lines, width; /* numbers in a record */
    BriTouchLine line[BRI_TOUCH_LINES];
} BriTouchTable;

/* The first line that is a channel; those before say whose it is. */
static inline int bri_touch_first(const BriTouchTable *table) {
    int line = 0;
    while (table->line[line].key) line++;
    return line;
}
/* Where the channels begin in a record. */
static inline int bri_touch_start(const BriTouchTable *table) { return table->line[bri_touch_first(table)].at; }

/* touch_table.c */
void bri_touch_tables(const BrModel *model, BriTouchTable table[BRI_TOUCH_KINDS]);
void bri_touch_fill_pair(const BriTouchTable *table, const BrContactPair *pair, double heat, double *record);
/* number: of br_contact(), in the workspace; remembers: its laws may. The keys are the caller's but those of the place. */
void bri_touch_fill_place(const BriTouchTable *table, const BrModel *model, const BrWorkspace *workspace, int number,
                          bool remembers, double *record);

static inline BriTouchKind bri_touch_kind(const double *record) {
    return record[BRI_TOUCH_NUMBER] < 0 ? BRI_TOUCH_PAIR : BRI_TOUCH_PLACE;
}

/* Numbers for (first, second, number), in the order in which they are first seen. */
typedef struct BriTouchIndex {
    int count, capacity, slots;
    int (*key)[3];
    int *slot; /* 1 + number; 0: empty */
} BriTouchIndex;

int bri_touch_find(const BriTouchIndex *index, int first, int second, int number); /* -1: none */
int bri_touch_add(BriTouchIndex *index, int first, int second, int number,
                  const BrAllocator *allocator); /* the same: no memory */
void bri_touch_release(BriTouchIndex *index, const BrAllocator *allocator);

/* ------------------------------------------------------------------ as it happens */

typedef struct BriTouchSlot {
    uint64_t key, row; /* of the place that has, or had, this number; 1 + the last row it was in */
} BriTouchSlot;

typedef struct BriTouchPair {
    double power, heat; /* W in the last row, J */
    uint64_t row;       /* 1 + the last in which it was there */
    int slots, capacity;
    BriTouchSlot *slot;
} BriTouchPair;

typedef struct BriTouching {
    BrAllocator allocator;
    const BrModel *model;
    BriTouchTable table[BRI_TOUCH_KINDS];
    uint64_t row;        /* the next */
    double time;         /* s, of the last */
    BriTouchIndex index; /* of pairs, by (first, second, -1) */
    int capacity;
    BriTouchPair *pair;
    int here, here_capacity, *there; /* pairs of the last row */
    int number_room, *number;        /* scratch: of places, as they stand in contacts->ends */
    size_t used, room;
    double *record; /* of the last row, one after the other */
} BriTouching;

void bri_touching_begin(BriTouching *touching, const BrModel *model, const BrAllocator *allocator);
void bri_touching_end(BriTouching *touching);
/* The records of the next row, which is of this state; the workspace is evaluated there. false: no memory. */
bool bri_touching_read(BriTouching *touching, const BrWorkspace *workspace, const BrState *state);

#endif
