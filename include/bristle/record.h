/* bristle/record.h: recordings (HDF5, CSV) and checkpoints. */
#ifndef BRISTLE_RECORD_H
#define BRISTLE_RECORD_H

#include "bristle/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BrRecorder BrRecorder;

/* Begins a recording of at most `rows` rows; the ending of `path` chooses the format: .h5 or .hdf5, or .csv.
 * The file appears under its name once it is whole enough to be opened; what stood there before is replaced then. */
BR_API BrStatus br_recorder_open(const BrScene *scene, const char *path, uint64_t rows, BrRecorder **recorder,
                                 BrError *error);
/* Evaluates the state (br_evaluate) and adds a row; `worst` is the worst report since the row before, `uncertified` the
 * number of steps so far that were not certified. Data reaches the disk at least every second. */
BR_API BrStatus br_recorder_write(BrRecorder *recorder, BrWorkspace *workspace, const BrState *state,
                                  const BrStepReport *worst, uint64_t uncertified, BrError *error);
/* Everything written so far to the disk, so that a reader sees it. */
BR_API BrStatus br_recorder_flush(BrRecorder *recorder, BrError *error);
/* Also cuts off rows that were never written. Destroys the recorder even when it fails; NULL allowed. */
BR_API BrStatus br_recorder_close(BrRecorder *recorder, BrError *error);

/* The exact state, by temporary file, fsync and rename: the file is always the old or the new one. */
BR_API BrStatus br_checkpoint_write(const char *path, const BrState *state, BrError *error);
/* Refused if the file is damaged or of another model. */
BR_API BrStatus br_checkpoint_read(const char *path, BrState *state, BrError *error);

#ifdef __cplusplus
}
#endif

#endif
