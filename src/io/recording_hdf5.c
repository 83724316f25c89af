/* recording_hdf5.c: every dataset of doubles with as many rows as `time` is a channel; numbers are read when asked for.
 */
#include "io/recording_contacts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct File {
    hid_t file;
} File;

static BrStatus fail(const BrRecording *r, BrError *error, const char *why) {
    bri_fail(error, BR_IO, "%s", why);
    if (error) snprintf(error->file, sizeof error->file, "%.255s", r->path);
    return BR_IO;
}

/* ------------------------------------------------------------------ the list */

/* A text attribute of any length, for H5free_memory(); NULL: there is none. */
static char *read_text(hid_t object, const char *name) {
    if (H5Aexists(object, name) <= 0) return NULL;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    char *value = NULL;
    hid_t space = H5Aget_space(attribute);
    bool single = H5Sget_simple_extent_npoints(space) == 1;
    bool variable = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0;
    if (single && variable && H5Aread(attribute, type, &value) < 0) value = NULL;
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return value;
}

/* The same, cut to fit; "" where there is none. */
static void read_attribute(hid_t object, const char *name, char *text, size_t size) {
    char *value = read_text(object, name);
    snprintf(text, size, "%s", value ? value : "");
    if (value) H5free_memory(value);
    bri_clean_text(text);
}

/* Its numbers are in this file: a recording from elsewhere must not make us read others. */
static bool is_own(hid_t set) {
    hid_t properties = H5Dget_create_plist(set);
    bool own = H5Pget_layout(properties) != H5D_VIRTUAL && H5Pget_external_count(properties) == 0;
    H5Pclose(properties);
    return own;
}

/* 1, 3 or 9 numbers in a row; 0 for what is no channel. */
static int measure_width(hid_t set, hsize_t *rows) {
    hsize_t size[3] = {0, 0, 0};
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    int rank = H5Sget_simple_extent_ndims(space);
    bool fine = rank >= 1 && rank <= 3 && H5Tget_class(type) == H5T_FLOAT && is_own(set);
    if (fine) H5Sget_simple_extent_dims(space, size, NULL);
    H5Tclose(type);
    H5Sclose(space);
    *rows = size[0];
    if (!fine) return 0;
    return rank == 1 ? 1 : rank == 2 ? (size[1] == 3 ? 3 : 0) : size[1] == 3 && size[2] == 3 ? 9 : 0;
}

typedef struct Visit {
    BrRecording *recording;
    hsize_t rows;
    int looks;
    bool fine;
} Visit;

static void add_set(Visit *v, hid_t set, const char *name) {
    char path[200], unit[64], help[400];
    hsize_t rows;
    int width = measure_width(set, &rows);
    if (width == 0 || rows < v->rows || strlen(name) >= sizeof path || strchr(name, '.')) return;
    snprintf(path, sizeof path, "%s", name);
    bri_clean_text(path);
    if (strcmp(path, name) != 0) return; /* no run writes such names */
    for (char *c = path; *c; c++)
        if (*c == '/') *c = '.';
    read_attribute(set, "unit", unit, sizeof unit);
    read_attribute(set, "help", help, sizeof help);
    v->fine = bri_recording_add(v->recording, path, unit, help, width);
}

static herr_t visit(hid_t file, const char *name, const H5L_info_t *info, void *data) {
    enum { MOST_LOOKS = 1 << 20 }; /* more links than any scene has channels lead in circles */
    Visit *v = data;
    if (++v->looks > MOST_LOOKS) return -1;
    if (info->type != H5L_TYPE_HARD || strcmp(name, "time") == 0) return 0; /* elsewhere; first already */
    hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    if (object < 0) return 0;
    if (H5Iget_type(object) == H5I_DATASET && !bri_is_contact_table(name)) add_set(v, object, name);
    H5Oclose(object);
    return v->fine ? 0 : -1;
}

hid_t bri_open_own(hid_t file, const char *path) {
    char part[BRI_CHANNEL_PATH];
    H5L_info_t about;
    for (const char *end = path; *end;) {
        end += strcspn(end + (*end == '/'), "/") + (*end == '/');
        snprintf(part, sizeof part, "%.*s", (int)(end - path), path);
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0 || H5Lget_info(file, part, &about, H5P_DEFAULT) < 0) return -1;
        if (about.type != H5L_TYPE_HARD) return -1;
    }
    hid_t set = H5Oopen(file, path, H5P_DEFAULT);
    if (set < 0 || (H5Iget_type(set) == H5I_DATASET && is_own(set))) return set;
    H5Oclose(set);
    return -1;
}

/* The rows that were written; all rows of `time` in files that do not say. More than the file could hold, however well
 * it is packed, are a damage that must not cost memory. */
static bool count_rows(hid_t file, hsize_t *rows) {
    hsize_t size = 0;
    hid_t time = bri_open_own(file, "time");
    if (time < 0) return false;
    int width = measure_width(time, rows);
    H5Dclose(time);
    uint64_t written = 0;
    hid_t counter = bri_open_own(file, "rows_written");
    if (counter >= 0) {
        hid_t space = H5Dget_space(counter);
        bool single = H5Sget_simple_extent_npoints(space) == 1;
        if (single && H5Dread(counter, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &written) >= 0 &&
            written < *rows)
            *rows = (hsize_t)written;
        H5Sclose(space);
        H5Dclose(counter);
    }
    H5Fget_filesize(file, &size);
    return width == 1 && *rows < INT32_MAX && *rows <= BRI_DENSEST * size;
}

/* Kept as it is; NULL where there is none. */
static const char *keep_text(BrRecording *r, hid_t file, const char *name) {
    char *text = read_text(file, name);
    const char *kept = text ? bri_recording_keep(r, text) : NULL;
    if (text) H5free_memory(text);
    return kept;
}

static uint64_t read_number(hid_t file, const char *name) {
    char text[24], *end;
    read_attribute(file, name, text, sizeof text);
    uint64_t number = strtoull(text, &end, 16);
    return *end ? 0 : number;
}

/* The hash is written when the recording is closed; what counts no rows is no run's. */
static void read_about(BrRecording *r, hid_t file) {
    r->about = (BrRecordingAbout){
        .bristle = keep_text(r, file, "bristle"),
        .numerics = keep_text(r, file, "numerics"),
        .scene = keep_text(r, file, "scene"),
        .assignments = keep_text(r, file, "assignments"),
        .scene_note = keep_text(r, file, "scene_note"),
        .fingerprint = read_number(file, "model_fingerprint"),
        .state_hash = read_number(file, "state_hash"),
        .closed = H5Aexists(file, "state_hash") > 0 || H5Lexists(file, "rows_written", H5P_DEFAULT) <= 0,
    };
}

static BrStatus list_channels(BrRecording *r, hid_t file, BrError *error) {
    Visit v = {.recording = r, .fine = true};
    if (!count_rows(file, &v.rows))
        return fail(r, error, "this is HDF5, but no recording: it has no dataset 'time' with one number in a row");
    r->series.rows = (int)v.rows;
    hid_t time = H5Dopen2(file, "time", H5P_DEFAULT);
    add_set(&v, time, "time");
    H5Dclose(time);
    if (!v.fine || H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &v) < 0)
        return fail(r, error, "its list of channels cannot be read");
    if (!bri_contacts_list(r, file)) return fail(r, error, "its contacts cannot be read: the file is damaged");
    return BR_OK;
}

static BrStatus open_hdf5(BrRecording *r, BrError *error) {
    BriSilence silence = bri_silence_begin();
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_file_locking(access, 0, 1); /* the run may still be writing */
    BrStatus status = BR_OK;
    FILE *there = fopen(r->path, "rb");
    hid_t file = there ? H5Fopen(r->path, H5F_ACC_RDONLY, access) : H5I_INVALID_HID;
    if (!there)
        status = fail(r, error, "there is no such file, or it may not be read");
    else if (file < 0)
        status = fail(r, error, "this is no HDF5 file, or it is damaged");
    if (there) fclose(there);
    H5Pclose(access);
    File *f = status == BR_OK ? bri_allocate(&r->allocator, 1, sizeof *f) : NULL;
    if (f) {
        f->file = file;
        r->file = f; /* closed with the recording, also after a refusal */
        read_about(r, file);
        status = list_channels(r, file, error);
    } else if (status == BR_OK) {
        H5Fclose(file);
        status = bri_fail(error, BR_OUT_OF_MEMORY, "no memory for a recording");
    }
    bri_silence_end(silence);
    return status;
}

/* ------------------------------------------------------------------ numbers */

static BrStatus load_hdf5(BrRecording *r, int channel, double *values, BrError *error) {
    const File *f = r->file;
    const BriChannel *c = &r->series.channels.channel[channel];
    char path[BRI_CHANNEL_PATH];
    snprintf(path, sizeof path, "%s%s%s", c->group, *c->group ? "/" : "", c->name);
    hsize_t start[3] = {0, 0, 0}, size[3] = {(hsize_t)r->series.rows, 3, 3};
    int rank = c->width == 1 ? 1 : c->width == 3 ? 2 : 3;
    BriSilence silence = bri_silence_begin();
    hid_t set = H5Dopen2(f->file, path, H5P_DEFAULT);
    bool fine = set >= 0;
    if (fine) {
        hid_t space = H5Dget_space(set), memory = H5Screate_simple(rank, size, NULL);
        fine = r->series.rows == 0 || (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                                       H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0);
        H5Sclose(memory);
        H5Sclose(space);
        H5Dclose(set);
    }
    bri_silence_end(silence);
    return fine ? BR_OK : fail(r, error, "a channel cannot be read: the file is damaged");
}

static void close_hdf5(BrRecording *r) {
    File *f = r->file;
    H5Fclose(f->file);
    bri_release(&r->allocator, f);
    r->file = NULL;
}

const BriSource bri_source_hdf5 = {open_hdf5, load_hdf5, close_hdf5, bri_contacts_walk, bri_contacts_count};
