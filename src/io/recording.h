/* recording.h: a recording read back, and the file formats behind it. */
#ifndef BRI_RECORDING_H
#define BRI_RECORDING_H

#include "io/series.h"

typedef struct BriSource BriSource;

struct BrRecording {
    BrAllocator allocator;
    char path[1024];
    BriSeries series; /* its channels' units and helps are kept below; column[i] is read when first needed */
    double **column;
    const BriSource *source;
    void *file;             /* of the format, NULL once closed */
    BrRecordingAbout about; /* its texts are kept below; NULL: "" */
    int keepsakes, keepsake_capacity;
    char **keepsake;
};

/* Lines of a table are wanted (recording_lines.c). */
typedef struct BriLineWalk {
    BriTouchKind kind;
    const int *rows;
    int count, at; /* lines behind rows[at] are yet to come */
    bool (*take)(void *user, const BrRecordedLine *line);
    void *user;
    bool ended; /* take() said so */
} BriLineWalk;

/* A file format. `open` lists the channels and counts the rows; `load` fills series.column of one channel (NULL: `open`
 * has read all rows into series.data); `walk` and `count` go through what touched (NULL: load_line() of `touched` brings it). */
struct BriSource {
    BrStatus (*open)(BrRecording *recording, BrError *error);
    BrStatus (*load)(BrRecording *recording, int channel, double *values, BrError *error);
    void (*close)(BrRecording *recording);
    BrStatus (*walk)(BrRecording *recording, BriLineWalk *walk, BrError *error);
    BrStatus (*count)(BrRecording *recording, BriTouchKind kind, uint32_t *lines, BrError *error);
};

extern const BriSource bri_source_hdf5, bri_source_csv;

/* A copy of a text, the recording's; NULL: no memory. */
const char *bri_recording_keep(BrRecording *recording, const char *text);
/* One more channel "bodies.wheel.position"; false: out of memory, or its name is too long. */
bool bri_recording_add(BrRecording *recording, const char *path, const char *unit, const char *help, int width);

/* Hands a record over if its row is wanted; false: no more of them are. */
bool bri_walk_take(BriLineWalk *walk, const BriTouchTable *table, const double *record);

#endif
