/* record.h: a recording in the making, and the file formats behind it. */
#ifndef BRI_RECORD_H
#define BRI_RECORD_H

#include "io/channels.h"
#include "io/touch.h"

typedef struct BriFormat BriFormat;

struct BrRecorder {
    BrAllocator allocator;
    const BrModel *model;
    const BrRecordDef *def; /* while it is being opened */
    BriChannels channels;
    BriTouching touching;
    BriTouchIndex columns; /* of pairs and places with columns in a row (record_columns.c), */
    int *column;           /* where theirs begin */
    uint64_t left_out;     /* records that had none */
    const BriFormat *format;
    void *file;                                         /* of the format */
    void (*take)(void *user, const BrRecordedRow *row); /* of rows for a program, */
    void *user;
    BrRecordedLine *line; /* what touches in the row at hand */
    int lines, line_capacity;
    char name[BRI_CHANNEL_PATH]; /* of the channel that was asked for last */
    char path[1024], temporary[1088];
    uint64_t rows, written; /* room for, on disk or on the way there */
    int buffered, capacity; /* rows in `buffer` */
    double *buffer;
    double last_flush;     /* s, monotonic clock */
    uint64_t hash;         /* of the state in the last row */
    double times[2];       /* of the next row, see BriMoment */
    BrEvaluateDef reading; /* of rows */
    BrWorkspace
        *diagnosis; /* of rows that are diagnosed, beside the caller's, which is evaluated; NULL: they are not */
};

/* A file format. Each function says what failed in `error`. `put` gets whole rows; `touch` what touches in the next one,
 * and that row. */
struct BriFormat {
    const char *endings[3];
    BrStatus (*open)(BrRecorder *recorder, BrError *error);
    BrStatus (*touch)(BrRecorder *recorder, double *row, BrError *error);
    BrStatus (*put)(BrRecorder *recorder, const double *rows, int count, BrError *error);
    BrStatus (*flush)(BrRecorder *recorder, BrError *error);
    BrStatus (*close)(BrRecorder *recorder, BrError *error);
};

extern const BriFormat bri_format_hdf5, bri_format_csv, bri_format_rows; /* the last has no ending */

/* record_columns.c: columns for the contacts of small scenes, at the end of the row, and their numbers in it. What has no
 * column is counted. false: no memory. */
bool bri_columns_make(BrRecorder *recorder);
void bri_columns_fill(BrRecorder *recorder, double *row);

#endif
