/* file.h: files that are always the old or the new one. */
#ifndef BRI_FILE_H
#define BRI_FILE_H

#include "base/base.h"

typedef struct BriBytes {
    const void *bytes;
    size_t size;
} BriBytes;

/* These parts, one behind the other, under `path`: written beside, synced, renamed. `what` names it in messages. */
BrStatus bri_file_replace(const char *path, const char *what, const BriBytes *part, int parts, BrError *error);

#endif
