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
    void *file;  /* of the format, NULL once closed */
    char *scene; /* NULL: it holds none */
    int keepsakes, keepsake_capacity;
    char **keepsake;
};

/* A file format. `open` lists the channels and counts the rows; `load` fills series.column of one channel (NULL: `open`
 * has read all rows into series.data). */
struct BriSource {
    BrStatus (*open)(BrRecording *recording, BrError *error);
    BrStatus (*load)(BrRecording *recording, int channel, double *values, BrError *error);
    void (*close)(BrRecording *recording);
};

extern const BriSource bri_source_hdf5, bri_source_csv;

/* One more channel "bodies.wheel.position"; false: out of memory, or its name is too long. */
bool bri_recording_add(BrRecording *recording, const char *path, const char *unit, const char *help, int width);

#endif
