/* recording_contacts.h: what touched, of an HDF5 recording: from its tables, or from the log that a run which is going on, or
 * was killed, has beside it (record_contacts.h). Who touched is found when it is opened, numbers when they are asked for.
 */
#ifndef BRI_RECORDING_CONTACTS_H
#define BRI_RECORDING_CONTACTS_H

#include "io/hdf5_silence.h"
#include "io/recording.h"

enum { BRI_DENSEST = 128 }; /* rows for each byte of a file: deflate makes at most a thousandth of eight bytes */

/* A dataset of this file (recording_hdf5.c), not one that a link leads to, nor one whose numbers are elsewhere; negative:
 * there is none. */
hid_t bri_open_own(hid_t file, const char *path);
/* false: there are contacts, but they cannot be read. */
bool bri_contacts_list(BrRecording *recording, hid_t file);
/* Are its datasets the tables of contacts, and no channels? */
bool bri_is_contact_table(const char *name);

#endif
