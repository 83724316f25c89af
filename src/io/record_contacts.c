/* record_contacts.c: see record_contacts.h. */
#include "io/record_contacts.h"

#include "model/model.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

const char bri_log_word[9] = "bristle1";

enum { CHUNK = 4096, DEFLATE = 1 }; /* records at a time; how hard they are packed */

/* ------------------------------------------------------------------ the log */

static bool write_names(const BrModel *m, hid_t file) {
    hsize_t count = (hsize_t)m->bodies;
    const char **name = bri_allocate(&m->allocator, (size_t)m->bodies, sizeof *name);
    if (!name) return false;
    for (int i = 0; i < m->bodies; i++) name[i] = br_body_def(m, br_model_body(m, i))->name;
    hid_t group = H5Gcreate2(file, "contacts", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &count, NULL);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(properties, false);
    hid_t set = H5Dcreate2(group, "bodies", type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    bool fine = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, name) >= 0;
    if (set >= 0) H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
    H5Tclose(type);
    H5Gclose(group);
    bri_release(&m->allocator, name);
    return fine;
}

static bool write_mark(hid_t file, double mark) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(file, "contacts_log", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_DOUBLE, &mark) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return fine;
}

/* No two recordings of one name have the same. */
static double make_mark(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec + (double)getpid();
}

bool bri_contact_log_open(BrRecorder *r, hid_t file, BriContactLog **log) {
    const BrModel *m = r->channels.model;
    *log = NULL;
    if (m->shapes == 0) return true;
    BriContactLog *l = *log = bri_allocate(&r->allocator, 1, sizeof *l);
    if (!l) return false;
    l->allocator = r->allocator;
    l->mark = make_mark();
    snprintf(l->path, sizeof l->path, "%s.contacts", r->path);
    return write_names(m, file) && write_mark(file, l->mark);
}

bool bri_contact_log_begin(BriContactLog *l, const BriTouchTable *table) {
    double head[BRI_LOG_HEAD] = {0, table[BRI_TOUCH_PAIR].width, table[BRI_TOUCH_PLACE].width, l->mark};
    memcpy(head, bri_log_word, sizeof *head);
    remove(l->path); /* of a run that was killed */
    l->file = fopen(l->path, "w+b");
    return l->file && fwrite(head, sizeof head, 1, l->file) == 1 && fflush(l->file) == 0;
}

bool bri_contact_log_write(BriContactLog *l, const BriTouching *t) {
    for (size_t at = 0; at < t->used; at += (size_t)t->table[bri_touch_kind(t->record + at)].width)
        l->records[bri_touch_kind(t->record + at)]++;
    return t->used == 0 || fwrite(t->record, sizeof *t->record, t->used, l->file) == t->used;
}

bool bri_contact_log_flush(BriContactLog *l) { return fflush(l->file) == 0; }

void bri_contact_log_remove(BriContactLog *l) { remove(l->path); }

void bri_contact_log_release(BriContactLog *l) {
    if (!l) return;
    if (l->file) fclose(l->file);
    bri_release(&l->allocator, l);
}

bool bri_log_next(FILE *file, const BriTouchTable *table, double *record) {
    if (fread(record, sizeof *record, BRI_TOUCH_KEYS, file) != BRI_TOUCH_KEYS) return false;
    size_t rest = (size_t)table[bri_touch_kind(record)].width - BRI_TOUCH_KEYS;
    return fread(record + BRI_TOUCH_KEYS, sizeof *record, rest, file) == rest;
}

/* ------------------------------------------------------------------ tables */

typedef struct Table {
    const BriTouchTable *about;
    hid_t group, column[BRI_TOUCH_LINES];
    hsize_t lines;            /* written */
    int buffered;             /* records in */
    double *buffer, *numbers; /* of one column */
    uint64_t *start;          /* per row and one more: lines of rows before it */
} Table;

/* lines: that it will have, at most. */
static hid_t make_column(hid_t group, const char *name, hid_t type, int width, uint64_t lines) {
    hsize_t size[2] = {0, (hsize_t)width}, most[2] = {H5S_UNLIMITED, (hsize_t)width},
            chunk[2] = {lines < 1       ? 1
                        : lines < CHUNK ? lines
                                        : CHUNK,
                        (hsize_t)width};
    int rank = width == 1 ? 1 : 2;
    hid_t space = H5Screate_simple(rank, size, most), properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, rank, chunk);
    H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
    H5Pset_obj_track_times(properties, false);
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
        H5Pset_shuffle(properties);
        H5Pset_deflate(properties, DEFLATE);
    }
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Pclose(properties);
    H5Sclose(space);
    return set;
}

/* Adds `count` numbers, or vectors, to a column that has `before` of them. */
static bool extend(hid_t set, hsize_t before, int count, int width, hid_t type, const void *from) {
    hsize_t all[2] = {before + (hsize_t)count, (hsize_t)width}, start[2] = {before, 0};
    hsize_t part[2] = {(hsize_t)count, (hsize_t)width};
    if (H5Dset_extent(set, all) < 0) return false;
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(width == 1 ? 1 : 2, part, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, part, NULL);
    bool fine = H5Dwrite(set, type, memory, space, H5P_DEFAULT, from) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return fine;
}

/* What is buffered, column by column: the library takes long to pick numbers out of records. */
static bool put_block(Table *t) {
    bool fine = true;
    for (int i = 0; i < t->about->lines && t->buffered && fine; i++) {
        const BriTouchLine *line = &t->about->line[i];
        const double *from = t->buffer + line->at;
        if (t->column[i] < 0) continue;
        for (int n = 0; n < t->buffered; n++, from += t->about->width)
            memcpy(t->numbers + n * line->width, from, (size_t)line->width * sizeof *from);
        fine = extend(t->column[i], t->lines, t->buffered, line->width, H5T_NATIVE_DOUBLE, t->numbers);
    }
    t->lines += (hsize_t)t->buffered;
    t->buffered = 0;
    return fine;
}

static bool open_table(Table *t, hid_t file, BriTouchKind kind, const BriContactLog *l, uint64_t rows) {
    static const char *const NAMES[] = {"contacts/pairs", "contacts/places"};
    const BrAllocator *a = &l->allocator;
    t->group = H5Gcreate2(file, NAMES[kind], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    t->buffer = bri_allocate(a, (size_t)CHUNK * (size_t)t->about->width, sizeof *t->buffer);
    t->numbers = bri_allocate(a, 3 * (size_t)CHUNK, sizeof *t->numbers);
    t->start = bri_allocate(a, (size_t)rows + 1, sizeof *t->start);
    bool fine = t->group >= 0 && t->buffer && t->numbers && t->start;
    for (int i = 0; i < t->about->lines; i++) {
        const BriTouchLine *line = &t->about->line[i];
        t->column[i] = -1;
        if (!fine || (i == BRI_TOUCH_NUMBER && kind == BRI_TOUCH_PAIR)) continue;
        hid_t type = line->key ? H5T_STD_I64LE : H5T_IEEE_F64LE;
        t->column[i] = make_column(t->group, line->name, type, line->width, l->records[kind]);
        fine = t->column[i] >= 0 && bri_add_text(t->column[i], "unit", line->unit) &&
               bri_add_text(t->column[i], "help", line->help);
    }
    return fine;
}

static bool write_start(Table *t, uint64_t rows) {
    for (uint64_t i = 0; i < rows; i++) t->start[i + 1] += t->start[i];
    hid_t set = make_column(t->group, "start", H5T_STD_U64LE, 1, rows + 1);
    bool fine = set >= 0 && extend(set, 0, (int)(rows + 1), 1, H5T_NATIVE_UINT64, t->start) &&
                bri_add_text(set, "unit", "1") &&
                bri_add_text(set, "help", "row i has the lines start[i] to start[i + 1]");
    if (set >= 0) H5Dclose(set);
    return fine;
}

static void close_table(Table *t, const BrAllocator *a) {
    for (int i = 0; i < t->about->lines; i++)
        if (t->column[i] > 0) H5Dclose(t->column[i]);
    if (t->group > 0) H5Gclose(t->group);
    bri_release(a, t->buffer);
    bri_release(a, t->numbers);
    bri_release(a, t->start);
}

bool bri_contact_log_fold(BriContactLog *l, const BrRecorder *r, hid_t file) {
    const BriTouchTable *about = r->touching.table;
    Table table[BRI_TOUCH_KINDS] = {{.about = &about[0]}, {.about = &about[1]}};
    double record[BRI_TOUCH_LINES * 3];
    bool fine = bri_contact_log_flush(l) && fseek(l->file, BRI_LOG_HEAD * (long)sizeof *record, SEEK_SET) == 0;
    for (int k = 0; k < BRI_TOUCH_KINDS; k++) /* both are opened, so that both can be closed */
        fine = open_table(&table[k], file, (BriTouchKind)k, l, r->written) && fine;
    while (fine && bri_log_next(l->file, about, record)) {
        Table *t = &table[bri_touch_kind(record)];
        if (record[BRI_TOUCH_ROW] >= (double)r->written) break;
        memcpy(t->buffer + (size_t)t->buffered * (size_t)t->about->width, record,
               (size_t)t->about->width * sizeof *record);
        t->start[(uint64_t)record[BRI_TOUCH_ROW] + 1]++;
        if (++t->buffered == CHUNK) fine = put_block(t);
    }
    for (int k = 0; k < BRI_TOUCH_KINDS; k++) {
        fine = fine && put_block(&table[k]) && write_start(&table[k], r->written);
        close_table(&table[k], &l->allocator);
    }
    return fine;
}
