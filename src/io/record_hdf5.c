/* record_hdf5.c: a recording that can be opened at any moment, also after kill -9.
 *
 * All datasets are laid out for the full number of rows before the run starts; the file is flushed and only then gets
 * its name. From there on only raw numbers go to places that are already theirs: no metadata changes, so there is no
 * moment at which the file is not whole. Rows that are not there yet have time = NaN, and /rows_written counts the
 * others. A run that ends early cuts the datasets to what was written.
 *
 *     /time, /bodies/NAME/position, ..., /joints/NAME/force, ..., /energy/kinetic, ...   attributes: unit, help
 * What touches goes into a log beside it, which becomes the tables of /contacts when the recording is closed
 * (record_contacts.c).
 *
 *     /rows_written;  attributes of /: bristle, numerics, scene, assignments, model_fingerprint,
 *     and scene_note where there is no scene; state_hash once it is closed */
#include "io/hdf5_silence.h"
#include "io/record_contacts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct File {
    hid_t file, rows_written;
    hid_t *dataset;          /* per channel */
    BriContactLog *contacts; /* NULL: nothing may touch */
} File;

static BrStatus fail(const BrRecorder *r, BrError *error) {
    const char *reason = errno ? strerror(errno) : "the HDF5 library refused";
    return bri_fail(error, BR_IO, "cannot write the recording '%.300s': %s", r->path, reason);
}

/* ------------------------------------------------------------------ attributes */

/* Variable-length strings: h5py and MATLAB hand them out as text, and they may be as long as they like. */
bool bri_add_text(hid_t object, const char *name, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = attribute >= 0 && H5Awrite(attribute, type, &text) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return fine;
}

typedef struct Place {
    hid_t file;
    bool fine;
} Place;

static void write_scene(void *user, const char *text, size_t size) {
    Place *place = user;
    (void)size;
    place->fine = bri_add_text(place->file, "scene", text);
}

/* A model that did not come from a scene, as one. */
static bool write_model(const BrRecorder *r, hid_t file) {
    Place place = {file, false};
    BrError note = {0};
    if (br_model_tell_scene(r->model, &r->def->run, write_scene, &place, &note) == BR_OK) return place.fine;
    return bri_add_text(file, "scene", "") && bri_add_text(file, "scene_note", note.text);
}

static bool write_about(const BrRecorder *r, hid_t file) {
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", BR_VERSION_MAJOR, BR_VERSION_MINOR, BR_VERSION_PATCH);
    bool fine = bri_add_text(file, "bristle", text);
    snprintf(text, sizeof text, "%d", BR_NUMERICS_VERSION);
    fine = fine && bri_add_text(file, "numerics", text);
    snprintf(text, sizeof text, "%016llx", (unsigned long long)br_model_fingerprint(r->model));
    fine = fine && bri_add_text(file, "model_fingerprint", text);
    return fine && (r->def->scene ? bri_add_text(file, "scene", r->def->scene) : write_model(r, file)) &&
           bri_add_text(file, "assignments", r->def->assignments ? r->def->assignments : "");
}

/* ------------------------------------------------------------------ layout */

/* Places for all rows, given out now; only time is filled (with NaN), the rest stays holes in the file. */
static hid_t make_storage(const BrRecorder *r, const BriChannel *channel) {
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t most = 65536 / (hsize_t)channel->width, rows = r->rows < most ? (hsize_t)r->rows : most;
    hsize_t chunk[3] = {rows ? rows : 1, channel->width == 9 ? 3 : (hsize_t)channel->width, 3};
    double nan = __builtin_nan("");
    H5Pset_chunk(properties, channel->width == 1 ? 1 : channel->width == 3 ? 2 : 3, chunk);
    H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_value(properties, H5T_NATIVE_DOUBLE, &nan);
    H5Pset_fill_time(properties, *channel->group ? H5D_FILL_TIME_NEVER : H5D_FILL_TIME_ALLOC);
    H5Pset_obj_track_times(properties, false);
    return properties;
}

static hid_t make_dataset(const BrRecorder *r, hid_t file, const BriChannel *channel) {
    char path[BRI_CHANNEL_PATH];
    int rank = channel->width == 1 ? 1 : channel->width == 3 ? 2 : 3;
    hsize_t size[3] = {(hsize_t)r->rows, channel->width == 9 ? 3 : (hsize_t)channel->width, 3};
    snprintf(path, sizeof path, "%s%s%s", channel->group, *channel->group ? "/" : "", channel->name);
    hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(rank, size, size);
    hid_t properties = make_storage(r, channel), access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_create_intermediate_group(links, 1);
    H5Pset_chunk_cache(access, 1, 0,
                       0); /* rows are buffered here already; a cache per dataset would cost 4 KiB and more */
    hid_t set = H5Dcreate2(file, path, H5T_IEEE_F64LE, space, links, properties, access);
    H5Pclose(access);
    H5Pclose(properties);
    H5Pclose(links);
    H5Sclose(space);
    if (set >= 0 && bri_add_text(set, "unit", channel->unit) && bri_add_text(set, "help", channel->help)) return set;
    if (set >= 0) H5Dclose(set);
    return H5I_INVALID_HID;
}

static hid_t make_counter(hid_t file) {
    uint64_t zero = 0;
    hid_t space = H5Screate(H5S_SCALAR), properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
    H5Pset_obj_track_times(properties, false);
    hid_t set = H5Dcreate2(file, "rows_written", H5T_STD_U64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (set >= 0) H5Dwrite(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &zero);
    H5Pclose(properties);
    H5Sclose(space);
    return set;
}

static hid_t make_file(const char *path) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    H5Pget_mdc_config(access, &cache);
    cache.evictions_enabled = false; /* metadata goes to disk by our flushes only */
    cache.incr_mode = H5C_incr__off;
    cache.flash_incr_mode = H5C_flash_incr__off;
    cache.decr_mode = H5C_decr__off;
    H5Pset_mdc_config(access, &cache);
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_istore_k(creation, 2); /* most datasets have one chunk: small index nodes */
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    H5Pclose(creation);
    H5Pclose(access);
    return file;
}

static void release(BrRecorder *r, File *f) {
    for (int i = 0; f->dataset && i < r->channels.count; i++)
        if (f->dataset[i] > 0) H5Dclose(f->dataset[i]);
    if (f->rows_written > 0) H5Dclose(f->rows_written);
    if (f->file > 0) H5Fclose(f->file);
    bri_contact_log_release(f->contacts);
    bri_release(&r->allocator, f->dataset);
    bri_release(&r->allocator, f);
}

static bool lay_out(BrRecorder *r, File *f) {
    f->file = make_file(r->temporary);
    if (f->file < 0 || !write_about(r, f->file)) return false;
    for (int i = 0; i < r->channels.count; i++)
        if ((f->dataset[i] = make_dataset(r, f->file, &r->channels.channel[i])) < 0) return false;
    f->rows_written = make_counter(f->file);
    if (!bri_contact_log_open(r, f->file, &f->contacts)) return false;
    return f->rows_written >= 0 && H5Fflush(f->file, H5F_SCOPE_GLOBAL) >= 0 && rename(r->temporary, r->path) == 0 &&
           (!f->contacts || bri_contact_log_begin(f->contacts, r->touching.table));
}

static BrStatus open_hdf5(BrRecorder *r, BrError *error) {
    H5dont_atexit(); /* after a failed write (full disk) the library would crash while closing itself */
    BriSilence silence = bri_silence_begin();
    BrStatus status = BR_OK;
    File *f = bri_allocate(&r->allocator, 1, sizeof *f);
    if (f) f->dataset = bri_allocate(&r->allocator, (size_t)r->channels.count, sizeof(hid_t));
    errno = 0;
    if (!f || !f->dataset)
        status = bri_fail(error, BR_OUT_OF_MEMORY, "no memory for a recording");
    else if (!lay_out(r, f))
        status = fail(r, error);
    if (status == BR_OK) {
        r->file = f;
    } else if (f) {
        release(r, f);
        remove(r->temporary);
    }
    bri_silence_end(silence);
    return status;
}

/* ------------------------------------------------------------------ rows */

static BrStatus touch_hdf5(BrRecorder *r, double *row, BrError *error) {
    File *f = r->file;
    (void)row;
    errno = 0;
    return !f->contacts || bri_contact_log_write(f->contacts, &r->touching) ? BR_OK : fail(r, error);
}

static bool put_channel(const BrRecorder *r, hid_t set, const BriChannel *channel, const double *rows, int count) {
    hsize_t start[3] = {(hsize_t)r->written, 0, 0};
    hsize_t size[3] = {(hsize_t)count, channel->width == 9 ? 3 : (hsize_t)channel->width, 3};
    hsize_t all[2] = {(hsize_t)count, (hsize_t)r->channels.width};
    hsize_t from[2] = {0, (hsize_t)channel->offset}, part[2] = {(hsize_t)count, (hsize_t)channel->width};
    hid_t memory = H5Screate_simple(2, all, NULL), space = H5Dget_space(set);
    H5Sselect_hyperslab(memory, H5S_SELECT_SET, from, NULL, part, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL);
    bool fine = H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, rows) >= 0;
    H5Sclose(space);
    H5Sclose(memory);
    return fine;
}

static BrStatus put_hdf5(BrRecorder *r, const double *rows, int count, BrError *error) {
    File *f = r->file;
    BriSilence silence = bri_silence_begin();
    bool fine = true;
    errno = 0;
    for (int i = 0; i < r->channels.count && fine; i++)
        fine = put_channel(r, f->dataset[i], &r->channels.channel[i], rows, count);
    bri_silence_end(silence);
    return fine ? BR_OK : fail(r, error);
}

static bool flush_rows(BrRecorder *r, File *f) {
    return (!f->contacts || bri_contact_log_flush(f->contacts)) && H5Fflush(f->file, H5F_SCOPE_GLOBAL) >= 0 &&
           H5Dwrite(f->rows_written, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &r->written) >= 0 &&
           H5Fflush(f->file, H5F_SCOPE_GLOBAL) >= 0;
}

static BrStatus flush_hdf5(BrRecorder *r, BrError *error) {
    BriSilence silence = bri_silence_begin();
    errno = 0;
    bool fine = flush_rows(r, r->file);
    bri_silence_end(silence);
    return fine ? BR_OK : fail(r, error);
}

static BrStatus close_hdf5(BrRecorder *r, BrError *error) {
    File *f = r->file;
    BriSilence silence = bri_silence_begin();
    errno = 0;
    bool fine = flush_rows(r, f);
    for (int i = 0; fine && r->written < r->rows && i < r->channels.count; i++) {
        int width = r->channels.channel[i].width;
        hsize_t size[3] = {(hsize_t)r->written, width == 9 ? 3 : (hsize_t)width, 3};
        fine = H5Dset_extent(f->dataset[i], size) >= 0;
    }
    fine = fine && (!f->contacts || bri_contact_log_fold(f->contacts, r, f->file));
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)r->hash);
    fine = fine && bri_add_text(f->file, "state_hash", hash) && H5Fflush(f->file, H5F_SCOPE_GLOBAL) >= 0;
    if (fine && f->contacts) bri_contact_log_remove(f->contacts);
    BrStatus status = fine ? BR_OK : fail(r, error);
    release(r, f);
    bri_silence_end(silence);
    return status;
}

const BriFormat bri_format_hdf5 = {{".h5", ".hdf5", NULL}, open_hdf5, touch_hdf5, put_hdf5, flush_hdf5, close_hdf5};
