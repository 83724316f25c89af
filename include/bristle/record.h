/* bristle/record.h: recordings (HDF5, CSV), written and read back, and checkpoints. */
#ifndef BRISTLE_RECORD_H
#define BRISTLE_RECORD_H

#include "bristle/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BrRecorder BrRecorder;

typedef struct BrRecordDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    BrRunDef run;  /* how the model is stepped: rows are evaluated within the work of its step, with its stop, if any */
    uint64_t rows; /* at most */
    bool diagnosed; /* with the channels of a diagnosis, which is made for every row (bristle/diagnose.h) */
    bool timed;     /* with channels for the time that steps took: br_recorder_set_times() */
    /* What an HDF5 recording holds of where it comes from, copied. NULL: the model as a scene (br_model_write_scene); of
     * one that a scene cannot hold the text is empty, and `scene_note` says why. */
    const char *scene, *assignments;
} BrRecordDef;

BR_DEFAULT(BrRecordDef, br_default_record_def, br_start_record_def) /* 1000 rows */

/* Of a scene: its run, its text as it was read, and what was assigned. */
static inline BrRecordDef br_record_def_like(const BrScene *scene) {
    BrRecordDef def = br_default_record_def();
    def.run = br_scene_run_def(scene);
    def.scene = br_scene_text(scene);
    def.assignments = br_scene_assignments(scene);
    return def;
}

/* Begins a recording of a built model, which must be there until it is closed; the ending of `path` chooses the format:
 * .h5 or .hdf5, or .csv. The file appears under its name once it is whole enough to be opened; what stood there before is
 * replaced then. */
BR_API BrStatus br_recorder_open(const BrModel *model, const BrRecordDef *def, const char *path, BrRecorder **recorder,
                                 BrError *error);
/* How its rows are evaluated, from here on. */
BR_API BrStatus br_recorder_set_reading(BrRecorder *recorder, const BrEvaluateDef *def, BrError *error);
/* Adds a step to the worst of those since the row before, all zeros at first: largest residuals, with where they were, most
 * iterations and parts, the strongest solver; energy put in by corrections is summed, bodies asleep are those of the last. */
BR_API void br_report_gather(BrStepReport *worst, const BrStepReport *report);
/* What steps since the row before took, s of a processor: the costliest, and on average. Of the next row, in a recording
 * that is timed. */
BR_API void br_recorder_set_times(BrRecorder *recorder, double costliest, double mean);
/* Evaluates the state (br_evaluate_with) and adds a row; `worst` is the worst report since the row before, `uncertified` the
 * number of steps so far that were not certified. Forces that stopped short of the tolerance (BR_NOT_CONVERGED) are
 * recorded, and certificate/reading is 1 in that row. Data reaches the disk at least every second. */
BR_API BrStatus br_recorder_write(BrRecorder *recorder, BrWorkspace *workspace, const BrState *state,
                                  const BrStepReport *worst, uint64_t uncertified, BrError *error);
/* Everything written so far to the disk, so that a reader sees it. */
BR_API BrStatus br_recorder_flush(BrRecorder *recorder, BrError *error);
/* How many readings of contacts (of a pair of bodies, or of a place where they touch, in a row) have not been recorded: CSV
 * has columns for those of small scenes only. HDF5 has all. */
BR_API uint64_t br_recorder_left_out(const BrRecorder *recorder);
/* Also cuts off rows that were never written. Destroys the recorder even when it fails; NULL allowed. */
BR_API BrStatus br_recorder_close(BrRecorder *recorder, BrError *error);

/* ------------------------------------------------------------------ rows for a program */

typedef struct BrChannelInfo {
    const char *name; /* "bodies.wheel.position" */
    const char *unit; /* "m"; "" where it is not known */
    const char *help; /* "" where there is none */
    int width;        /* numbers in a row: 1, 3, or 9 for a rotation by rows */
} BrChannelInfo;

/* What touches, line by line: of a pair of bodies, or of a place where they do (docs/recordings.md, Contacts). */
typedef enum BrRecordedTable { BR_RECORDED_PAIRS, BR_RECORDED_PLACES, BR_RECORDED_TABLES } BrRecordedTable;

typedef struct BrRecordedLine {
    int row, first, second; /* `first` is the body that forces act on */
    int number;             /* of the place among those of its bodies; -1: a pair */
    const double *values;   /* of all columns, one after the other */
} BrRecordedLine;

typedef struct BrRecordedRow {
    const double *values; /* of all channels, one after the other; the first is the time, s */
    int lines;
    const BrRecordedLine *line; /* what touches */
} BrRecordedRow;

/* A recording that is no file: br_recorder_write() hands each row to `take`, whose numbers last as long as the call; any
 * number of them, and `rows` of the definition does not count. */
BR_API BrStatus br_recorder_open_rows(const BrModel *model, const BrRecordDef *def,
                                      void (*take)(void *user, const BrRecordedRow *row), void *user,
                                      BrRecorder **recorder, BrError *error);
/* What stands in a row, in this order, and what in a line; a name lasts until the next is asked for. */
BR_API int br_recorder_channel_count(const BrRecorder *recorder);
BR_API BrStatus br_recorder_channel(BrRecorder *recorder, int number, BrChannelInfo *channel);
BR_API int br_recorder_column_count(const BrRecorder *recorder, BrRecordedTable table);
BR_API BrStatus br_recorder_column(const BrRecorder *recorder, BrRecordedTable table, int number,
                                   BrChannelInfo *column);

/* ------------------------------------------------------------------ reading back */

typedef struct BrRecording BrRecording;

/* Opens a recording (.h5, .hdf5 or .csv), also one whose run is still going on or was killed: the rows that are there.
 * A damaged HDF5 file is refused where it can be seen; one that was made to harm may bring the HDF5 library down with
 * the program, so that files of strangers are best read in a process of their own, as `bristle plot` does. */
BR_API BrStatus br_recording_open(const char *path, BrRecording **recording, BrError *error);
BR_API void br_recording_close(BrRecording *recording); /* NULL allowed */

/* What an HDF5 recording says of where it comes from, in the words of whoever wrote the file: "" and 0 where it does not
 * say. Texts are the recording's. */
typedef struct BrRecordingAbout {
    const char *bristle;             /* version of the program that wrote it, "0.1.0", */
    const char *numerics;            /* and of its numerics, "6" */
    const char *scene, *assignments; /* as in BrRecordDef */
    const char *scene_note;          /* why there is no scene */
    uint64_t fingerprint;            /* of the model; */
    uint64_t state_hash;             /* of the state in the last row */
    bool closed;                     /* false: its run is still going on, or was killed */
} BrRecordingAbout;

BR_API BrStatus br_recording_about(const BrRecording *recording, BrRecordingAbout *about);
/* The same scene. */
BR_API const char *br_recording_scene(const BrRecording *recording);
BR_API int br_recording_rows(const BrRecording *recording);
BR_API int br_recording_channel_count(const BrRecording *recording);
BR_API BrStatus br_recording_channel(const BrRecording *recording, int number, BrChannelInfo *channel);

/* `channel` is a channel, a component of one ("bodies.wheel.position.x", or "wheel.position.x" where that is clear), or
 * an expression of them as in docs/experiments.md ("norm(wheel.velocity)"). What it gives, and its values: rows times
 * width numbers, row by row. */
BR_API BrStatus br_recording_describe(const BrRecording *recording, const char *channel, BrChannelInfo *info,
                                      BrError *error);
BR_API BrStatus br_recording_read(BrRecording *recording, const char *channel, double *values, BrError *error);

/* ------------------------------------------------------------------ what touched, line by line
 * The tables of docs/recordings.md, whether they are in the file yet or not: a line for each pair of bodies, or for each
 * place where they touch, in each row in which it is there. Columns are channels without "contacts.wheel/ground." */

/* Bodies by number; 0 where nothing may touch. */
BR_API int br_recording_body_count(const BrRecording *recording);
BR_API const char *br_recording_body(const BrRecording *recording, int number); /* NULL outside the list */
BR_API int br_recording_column_count(const BrRecording *recording, BrRecordedTable table);
BR_API BrStatus br_recording_column(const BrRecording *recording, BrRecordedTable table, int number,
                                    BrChannelInfo *column);
/* How many lines each row has: br_recording_rows() numbers. */
BR_API BrStatus br_recording_count_lines(BrRecording *recording, BrRecordedTable table, uint32_t *lines,
                                         BrError *error);
/* Hands over the lines of these rows, which ascend, in their order; some at a time are in memory. `take` ends it by false,
 * which is no failure. */
BR_API BrStatus br_recording_read_lines(BrRecording *recording, BrRecordedTable table, const int *rows, int count,
                                        bool (*take)(void *user, const BrRecordedLine *line), void *user,
                                        BrError *error);

/* ------------------------------------------------------------------ checkpoints */

/* The exact state, by temporary file, fsync and rename: the file is always the old or the new one. */
BR_API BrStatus br_checkpoint_write(const char *path, const BrState *state, BrError *error);
/* Refused if the file is damaged or of another model. */
BR_API BrStatus br_checkpoint_read(const char *path, BrState *state, BrError *error);

#ifdef __cplusplus
}
#endif

#endif
