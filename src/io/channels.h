/* channels.h: what a recording holds: one list of channels that every file format follows. */
#ifndef BRI_CHANNELS_H
#define BRI_CHANNELS_H

#include "base/base.h"
#include "bristle/map.h"
#include "bristle/record.h"

typedef struct BriChannel {
    char group[160];  /* "bodies/wheel", "joints/hinge", "contacts/wheel/ground", "energy", or "" */
    char name[32];    /* "position" */
    char owner[160];  /* "wheel/ground.0": how CSV calls the group, if not by its own name */
    const char *unit; /* "m" */
    const char *help;
    int width;  /* 1, 3 or 9 (a rotation, by rows) */
    int offset; /* in the row */
} BriChannel;

/* How long the path of a channel may be, "bodies.wheel.position.x". */
enum { BRI_CHANNEL_PATH = 200 };

typedef struct BriChannels {
    const BrModel *model;
    bool diagnosed; /* the answers of rigid contact are among them */
    bool timed;     /* what steps took is */
    int count, capacity;
    BriChannel *channel;
    int width; /* numbers in a row */
} BriChannels;

BrStatus bri_channels_make(const BrModel *model, bool diagnosed, bool timed, const BrAllocator *allocator,
                           BriChannels *channels, BrError *error);
void bri_channels_release(BriChannels *channels, const BrAllocator *allocator);

/* What a row is of. */
typedef struct BriMoment {
    const BrWorkspace *workspace; /* evaluated at the state */
    const BrState *state;
    const BrStepReport *worst; /* since the row before */
    uint64_t uncertified;      /* steps so far */
    const BrScenePoint *point; /* the diagnosis of the state, where channels are diagnosed */
    BrStatus reading;          /* what br_evaluate() said: BR_OK, or that its forces stopped short */
    double times[2];           /* s: what steps since the row before took, the costliest and on average */
} BriMoment;

/* The diagnosis of a state, all islands together (map.c). */
BrStatus bri_diagnose_state(const BrModel *model, BrWorkspace *workspace, const BrState *state, BrScenePoint *point,
                            BrError *error);

void bri_channels_fill(const BriChannels *channels, const BriMoment *moment, double *row);

#endif
