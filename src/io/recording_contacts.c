/* recording_contacts.c: see recording_contacts.h. */
#include "io/recording_contacts.h"

#include "io/record_contacts.h"

#include <string.h>

enum { BLOCK = 65536 }; /* numbers of a column at a time */

const char *const bri_contact_group[] = {"contacts/pairs", "contacts/places"};

bool bri_is_contact_table(const char *name) {
    for (int k = 0; k < BRI_TOUCH_KINDS; k++)
        if (strncmp(name, bri_contact_group[k], strlen(bri_contact_group[k])) == 0 &&
            name[strlen(bri_contact_group[k])] == '/')
            return true;
    return false;
}

hid_t bri_contacts_file(const BrRecording *r) { return *(const hid_t *)r->file; }

/* ------------------------------------------------------------------ names */

static bool list_bodies(BriTouched *t, hid_t set) {
    hid_t space = H5Dget_space(set), type = H5Dget_type(set), as = H5Tcopy(H5T_C_S1);
    H5Tset_size(as, H5T_VARIABLE);
    H5Tset_cset(as, H5T_CSET_UTF8);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    bool fine = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0 && count >= 0 && count < 1 << 24;
    char **name = fine ? bri_allocate(&t->allocator, (size_t)count + 1, sizeof *name) : NULL;
    fine = name && H5Dread(set, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, name) >= 0;
    for (hssize_t i = 0; fine && i < count; i++) {
        if (name[i]) bri_clean_text(name[i]);
        fine = bri_touched_add_body(t, name[i] ? name[i] : "");
    }
    if (fine) H5Dvlen_reclaim(as, space, H5P_DEFAULT, name);
    bri_release(&t->allocator, name);
    H5Tclose(as);
    H5Tclose(type);
    H5Sclose(space);
    return fine;
}

/* Whose a record is, in a file that others may have written; -1: nobody's. */
static int find_owner(BriTouched *t, const double *record) {
    for (int i = BRI_TOUCH_FIRST; i < BRI_TOUCH_KEYS; i++)
        if (!(record[i] >= -1 && record[i] < INT32_MAX)) return -1;
    int first = (int)record[BRI_TOUCH_FIRST], second = (int)record[BRI_TOUCH_SECOND];
    if (first < 0 || second < 0 || first >= t->bodies || second >= t->bodies) return -1;
    return bri_touched_owner(t, first, second, (int)record[BRI_TOUCH_NUMBER]);
}

/* ------------------------------------------------------------------ the log */

static FILE *open_log(const BrRecording *r, const BriTouched *t, double mark) {
    char path[sizeof r->path + 16];
    double head[BRI_LOG_HEAD] = {0};
    snprintf(path, sizeof path, "%s.contacts", r->path);
    FILE *log = fopen(path, "rb");
    if (!log) return NULL;
    char word[sizeof *head] = "";
    bool fine = fread(head, sizeof head, 1, log) == 1;
    memcpy(word, head, sizeof word);
    fine = fine && memcmp(word, bri_log_word, sizeof word) == 0 && head[1] == t->table[0].width &&
           head[2] == t->table[1].width && head[3] == mark;
    if (fine) return log;
    fclose(log);
    return NULL;
}

static double read_mark(hid_t file) {
    double mark = 0;
    if (H5Aexists(file, "contacts_log") <= 0) return 0;
    hid_t attribute = H5Aopen(file, "contacts_log", H5P_DEFAULT), space = H5Aget_space(attribute);
    if (H5Sget_simple_extent_npoints(space) == 1) H5Aread(attribute, H5T_NATIVE_DOUBLE, &mark);
    H5Sclose(space);
    H5Aclose(attribute);
    return mark;
}

FILE *bri_contacts_open_log(const BrRecording *r) {
    return open_log(r, r->series.touched, read_mark(bri_contacts_file(r)));
}

static bool counts(const BrRecording *r, const double *record) {
    return record[BRI_TOUCH_ROW] >= 0 && record[BRI_TOUCH_ROW] < r->series.rows;
}

static bool list_log(BrRecording *r, FILE *log) {
    BriTouched *t = r->series.touched;
    double record[3 * BRI_TOUCH_LINES];
    bool fine = true;
    while (fine && bri_log_next(log, t->table, record))
        if (counts(r, record)) fine = find_owner(t, record) >= 0;
    return fine;
}

static bool load_log(BrRecording *r, FILE *log, int owner) {
    BriTouched *t = r->series.touched;
    const int *key = t->index.key[owner];
    double record[3 * BRI_TOUCH_LINES];
    t->owner[owner].rows = 0;
    while (bri_log_next(log, t->table, record)) {
        bool own = record[BRI_TOUCH_FIRST] == key[0] && record[BRI_TOUCH_SECOND] == key[1] &&
                   record[BRI_TOUCH_NUMBER] == key[2];
        if (!own || !counts(r, record)) continue;
        double *to = bri_touched_next(t, owner);
        if (!to) return false;
        memcpy(to, record, (size_t)t->table[bri_touch_kind(record)].width * sizeof *to);
        t->owner[owner].rows++;
    }
    t->owner[owner].loaded = UINT64_MAX;
    return true;
}

/* ------------------------------------------------------------------ tables */

BriColumn bri_column_open(hid_t file, BriTouchKind kind, const char *name, int width) {
    char path[80];
    hsize_t size[2] = {0, 0};
    BriColumn c = {-1, width, 0};
    snprintf(path, sizeof path, "%s/%s", bri_contact_group[kind], name);
    c.set = bri_open_own(file, path);
    if (c.set < 0) return c;
    hsize_t bytes = 0;
    H5Fget_filesize(file, &bytes);
    hid_t space = H5Dget_space(c.set);
    int rank = H5Sget_simple_extent_ndims(space);
    if (rank == (width == 1 ? 1 : 2)) H5Sget_simple_extent_dims(space, size, NULL);
    c.lines = size[0];
    bool fits = rank == 1 || size[1] == (hsize_t)width;
    if (!fits || c.lines > BRI_DENSEST * bytes) bri_column_close(&c);
    H5Sclose(space);
    return c;
}

void bri_column_close(BriColumn *c) {
    if (c->set >= 0) H5Dclose(c->set);
    c->set = -1;
}

bool bri_column_read(const BriColumn *c, hsize_t begin, int count, double *values) {
    hsize_t start[2] = {begin, 0}, size[2] = {(hsize_t)count, (hsize_t)c->width};
    hid_t space = H5Dget_space(c->set), memory = H5Screate_simple(c->width == 1 ? 1 : 2, size, NULL);
    bool fine = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                H5Dread(c->set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return fine;
}

/* What is done with the keys of a line. */
typedef bool (*Take)(BrRecording *r, void *user, hsize_t line, const double *keys);

/* Goes through all lines of a table by their first columns. */
static bool go_through(BrRecording *r, BriTouchKind kind, Take take, void *user) {
    const BriTouched *t = r->series.touched;
    BriColumn column[BRI_TOUCH_KEYS];
    int keys = kind == BRI_TOUCH_PAIR ? BRI_TOUCH_NUMBER : BRI_TOUCH_KEYS;
    bool fine = true;
    for (int i = 0; i < keys; i++) {
        column[i] = bri_column_open(bri_contacts_file(r), kind, t->table[kind].line[i].name, 1);
        fine = fine && column[i].set >= 0 && column[i].lines == column[0].lines;
    }
    double *value = bri_allocate(&r->allocator, (size_t)keys * BLOCK, sizeof *value);
    fine = fine && value;
    for (hsize_t begin = 0; fine && begin < column[0].lines; begin += BLOCK) {
        hsize_t left = column[0].lines - begin;
        int count = left < BLOCK ? (int)left : BLOCK;
        for (int i = 0; i < keys && fine; i++)
            fine = bri_column_read(&column[i], begin, count, value + (size_t)i * BLOCK);
        for (int n = 0; n < count && fine; n++) {
            double key[BRI_TOUCH_KEYS] = {0, 0, 0, -1};
            for (int i = 0; i < keys; i++) key[i] = value[(size_t)i * BLOCK + (size_t)n];
            fine = take(r, user, begin + (hsize_t)n, key);
        }
    }
    bri_release(&r->allocator, value);
    for (int i = 0; i < keys; i++) bri_column_close(&column[i]);
    return fine;
}

static bool take_owner(BrRecording *r, void *user, hsize_t line, const double *keys) {
    (void)user, (void)line;
    return !counts(r, keys) || find_owner(r->series.touched, keys) >= 0;
}

typedef struct Wanted {
    int owner, count, capacity, row_capacity;
    hsize_t *line; /* in the table, */
    double *row;   /* in the recording */
} Wanted;

static bool take_wanted(BrRecording *r, void *user, hsize_t line, const double *keys) {
    Wanted *w = user;
    const int *key = r->series.touched->index.key[w->owner];
    if (keys[1] != key[0] || keys[2] != key[1] || keys[3] != key[2] || !counts(r, keys)) return true;
    if (!bri_grow(&r->allocator, (void **)&w->line, w->count, &w->capacity, sizeof *w->line) ||
        !bri_grow(&r->allocator, (void **)&w->row, w->count, &w->row_capacity, sizeof *w->row))
        return false;
    w->row[w->count] = keys[BRI_TOUCH_ROW];
    w->line[w->count++] = line;
    return true;
}

/* One column of the wanted lines, into their records. */
static bool load_column(BrRecording *r, const Wanted *w, const BriTouchLine *line, double *block) {
    BriTouched *t = r->series.touched;
    BriTouchKind kind = bri_touched_kind(t, w->owner);
    BriColumn c = bri_column_open(bri_contacts_file(r), kind, line->name, line->width);
    double *record = t->owner[w->owner].record;
    bool fine = c.set >= 0;
    for (int n = 0; fine && n < w->count;) {
        hsize_t begin = w->line[n];
        int most = BLOCK / 3;
        hsize_t left = c.lines > begin ? c.lines - begin : 0;
        int count = left < (hsize_t)most ? (int)left : most;
        fine = count > 0 && bri_column_read(&c, begin, count, block);
        for (; fine && n < w->count && w->line[n] < begin + (hsize_t)count; n++)
            memcpy(record + (size_t)n * (size_t)t->table[kind].width + line->at,
                   block + (w->line[n] - begin) * (hsize_t)line->width, (size_t)line->width * sizeof *block);
    }
    bri_column_close(&c);
    return fine;
}

/* Records of an owner that have nothing yet but their rows. */
static bool begin_records(BriTouched *t, const Wanted *w) {
    t->owner[w->owner].rows = 0;
    for (int i = 0; i < w->count; i++) {
        double *record = bri_touched_next(t, w->owner);
        if (!record) return false;
        record[BRI_TOUCH_ROW] = w->row[i];
        t->owner[w->owner].rows++;
    }
    return true;
}

static bool load_table(BrRecording *r, int owner, int line) {
    BriTouched *t = r->series.touched;
    BriTouchKind kind = bri_touched_kind(t, owner);
    Wanted w = {.owner = owner};
    double *block = bri_allocate(&r->allocator, BLOCK, sizeof *block);
    bool fine = block && go_through(r, kind, take_wanted, &w);
    if (fine && t->owner[owner].loaded == 0) fine = begin_records(t, &w);
    fine = fine && w.count == t->owner[owner].rows && load_column(r, &w, &t->table[kind].line[line], block);
    if (fine) t->owner[owner].loaded |= (uint64_t)1 << line;
    bri_release(&r->allocator, w.line);
    bri_release(&r->allocator, w.row);
    bri_release(&r->allocator, block);
    return fine;
}

/* ------------------------------------------------------------------ both */

BrStatus bri_contacts_fail(const BrRecording *r, BrError *error) {
    bri_fail(error, BR_IO, "what touched cannot be read: the recording is damaged, or memory is short");
    if (error) snprintf(error->file, sizeof error->file, "%.255s", r->path);
    return BR_IO;
}

static BrStatus load_line(void *user, BriTouched *t, int owner, int line, BrError *error) {
    BrRecording *r = user;
    BriSilence silence = bri_silence_begin();
    FILE *log = open_log(r, t, read_mark(bri_contacts_file(r)));
    bool fine = log ? load_log(r, log, owner) : load_table(r, owner, line);
    if (log) fclose(log);
    bri_silence_end(silence);
    return fine ? BR_OK : bri_contacts_fail(r, error);
}

bool bri_contacts_list(BrRecording *r, hid_t file) {
    hid_t set = bri_open_own(file, "contacts/bodies");
    if (set < 0) return true;
    BriTouched *t = r->series.touched = bri_touched_make(NULL, &r->allocator);
    bool fine = t && list_bodies(t, set);
    H5Dclose(set);
    if (!fine) return false;
    t->load = load_line;
    t->user = r;
    FILE *log = open_log(r, t, read_mark(file));
    if (log) fine = list_log(r, log);
    for (int k = 0; !log && fine && k < BRI_TOUCH_KINDS; k++)
        if (H5Lexists(file, bri_contact_group[k], H5P_DEFAULT) > 0)
            fine = go_through(r, (BriTouchKind)k, take_owner, NULL);
    if (log) fclose(log);
    return fine;
}
