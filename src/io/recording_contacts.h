/* recording_contacts.h: what touched, of an HDF5 recording: from its tables, or from the log that a run which is going on, or
 * was killed, has beside it (record_contacts.h). Who touched is found when it is opened, numbers when they are asked for.
 */
#ifndef BRI_RECORDING_CONTACTS_H
#define BRI_RECORDING_CONTACTS_H

#include "io/hdf5_silence.h"
#include "io/recording.h"

#include <stdio.h>

enum { BRI_DENSEST = 128 }; /* rows for each byte of a file: deflate makes at most a thousandth of eight bytes */

/* A dataset of this file (recording_hdf5.c), not one that a link leads to, nor one whose numbers are elsewhere; negative:
 * there is none. */
hid_t bri_open_own(hid_t file, const char *path);
/* false: there are contacts, but they cannot be read. */
bool bri_contacts_list(BrRecording *recording, hid_t file);
/* Are its datasets the tables of contacts, and no channels? */
bool bri_is_contact_table(const char *name);

/* For BriSource (recording_lines.c). */
BrStatus bri_contacts_walk(BrRecording *recording, BriLineWalk *walk, BrError *error);
BrStatus bri_contacts_count(BrRecording *recording, BriTouchKind kind, uint32_t *lines, BrError *error);

/* ------------------------------------------------------------------ what both files share */

extern const char *const bri_contact_group[BRI_TOUCH_KINDS];

typedef struct BriColumn {
    hid_t set; /* negative: there is none */
    int width;
    hsize_t lines;
} BriColumn;

BriColumn bri_column_open(hid_t file, BriTouchKind kind, const char *name, int width);
void bri_column_close(BriColumn *column);
bool bri_column_read(const BriColumn *column, hsize_t begin, int count, double *values);

/* The log beside the recording, behind its head; NULL: there is none that belongs to it. */
FILE *bri_contacts_open_log(const BrRecording *recording);
hid_t bri_contacts_file(const BrRecording *recording);
BrStatus bri_contacts_fail(const BrRecording *recording, BrError *error);

#endif
