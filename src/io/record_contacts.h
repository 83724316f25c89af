/* record_contacts.h: what touches, in and beside an HDF5 recording.
 *
 * While it is written, FILE.contacts beside FILE has all records, one after the other as they come: a file that only
 * grows, so that there is no moment at which it is not whole, and that needs no room for what does not touch. Closing the
 * recording makes tables of it, and removes it:
 *
 *     /contacts/bodies                           names, by number
 *     /contacts/pairs/first, second, force, ...  a line for each pair and row, in order of rows;
 *     /contacts/pairs/start                      row i has the lines start[i] to start[i + 1]
 *     /contacts/places/...                       the same of places
 *
 * The log begins with a word of eight letters, the widths of both records (two numbers), and a mark that is the attribute
 * contacts_log of the recording it belongs to; all numbers are doubles of this machine. */
#ifndef BRI_RECORD_CONTACTS_H
#define BRI_RECORD_CONTACTS_H

#include "io/hdf5_silence.h"
#include "io/record.h"

#include <stdio.h>

typedef struct BriContactLog {
    BrAllocator allocator;
    FILE *file;
    double mark;
    uint64_t records[BRI_TOUCH_KINDS]; /* written */
    char path[1100];
} BriContactLog;

/* For a recording whose model has shapes; else *log is NULL. Mark and names go to `file`, */
bool bri_contact_log_open(BrRecorder *recorder, hid_t file, BriContactLog **log);
/* and the log begins once that has its name: until then what was there before is whole. */
bool bri_contact_log_begin(BriContactLog *log, const BriTouchTable *table);
bool bri_contact_log_write(BriContactLog *log, const BriTouching *touching);
bool bri_contact_log_flush(BriContactLog *log);
/* Into the tables of `file`. */
bool bri_contact_log_fold(BriContactLog *log, const BrRecorder *recorder, hid_t file);
void bri_contact_log_remove(BriContactLog *log);
void bri_contact_log_release(BriContactLog *log); /* NULL allowed */

/* Reading: the next record of a log behind its head, if it is whole. */
enum { BRI_LOG_HEAD = 4 };
extern const char bri_log_word[9];
bool bri_log_next(FILE *file, const BriTouchTable *table, double *record);

/* A text as an attribute of something in the file (record_hdf5.c). */
bool bri_add_text(hid_t object, const char *name, const char *text);

#endif
