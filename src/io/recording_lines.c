/* recording_lines.c: what touched, line by line and in the order of rows, with few of them in memory at a time: from the
 * tables of an HDF5 recording, from the log beside it, or from what a CSV has in its rows. */
#include "io/record_contacts.h"
#include "io/recording_contacts.h"

#include <string.h>

enum { BLOCK = 1024 }; /* lines of a table at a time */

bool bri_walk_take(BriLineWalk *w, const BriTouchTable *table, const double *record) {
    while (w->at < w->count && w->rows[w->at] < record[BRI_TOUCH_ROW]) w->at++;
    if (w->at == w->count) return false;
    if (w->rows[w->at] > record[BRI_TOUCH_ROW]) return true;
    BrRecordedLine line = {(int)record[BRI_TOUCH_ROW], (int)record[BRI_TOUCH_FIRST], (int)record[BRI_TOUCH_SECOND],
                           (int)record[BRI_TOUCH_NUMBER], record + bri_touch_start(table)};
    w->ended = !w->take(w->user, &line);
    return !w->ended;
}

/* ------------------------------------------------------------------ tables */

typedef struct Table {
    const BriTouchTable *about;
    BriColumn column[BRI_TOUCH_LINES]; /* that of rows is not read: `start` says it */
    hsize_t lines;
    uint64_t *start; /* a number more than there are rows */
    double *record;  /* BLOCK of them, */
    double *numbers; /* and of one column */
} Table;

/* Where each row's lines begin: numbers of a stranger, which must not lead out of the table. */
static bool read_start(const BrRecording *r, BriTouchKind kind, Table *t) {
    size_t rows = (size_t)r->series.rows + 1;
    BriColumn c = bri_column_open(bri_contacts_file(r), kind, "start", 1);
    double *start = bri_allocate(&r->allocator, rows, sizeof *start);
    t->start = bri_allocate(&r->allocator, rows, sizeof *t->start);
    bool fine = c.set >= 0 && start && t->start && c.lines >= rows && bri_column_read(&c, 0, (int)rows, start);
    for (size_t i = 0; fine && i < rows; i++) {
        fine = start[i] >= (i ? start[i - 1] : 0) && start[i] <= (double)t->lines &&
               start[i] - (i ? start[i - 1] : 0) < UINT32_MAX;
        if (fine) t->start[i] = (uint64_t)start[i];
    }
    bri_release(&r->allocator, start);
    bri_column_close(&c);
    return fine;
}

static void close_table(const BrRecording *r, Table *t) {
    for (int i = 0; i < t->about->lines; i++) bri_column_close(&t->column[i]);
    bri_release(&r->allocator, t->start);
    bri_release(&r->allocator, t->record);
    bri_release(&r->allocator, t->numbers);
}

/* Has the table this column, and does a walk read it? */
static bool is_read(BriTouchKind kind, const BriTouchLine *line, int number) {
    return number != BRI_TOUCH_ROW && !(kind == BRI_TOUCH_PAIR && number == BRI_TOUCH_NUMBER) &&
           (!line->key || number < BRI_TOUCH_KEYS);
}

static bool open_table(const BrRecording *r, BriTouchKind kind, bool numbers, Table *t) {
    *t = (Table){.about = &r->series.touched->table[kind]};
    bool fine = true;
    for (int i = 0; i < t->about->lines; i++) {
        const BriTouchLine *line = &t->about->line[i];
        t->column[i].set = -1;
        if (!fine || !is_read(kind, line, i) || (!numbers && i != BRI_TOUCH_FIRST)) continue;
        t->column[i] = bri_column_open(bri_contacts_file(r), kind, line->name, line->width);
        if (i == BRI_TOUCH_FIRST) t->lines = t->column[i].lines;
        fine = t->column[i].set >= 0 && t->column[i].lines == t->lines;
    }
    fine = fine && read_start(r, kind, t);
    if (!fine || !numbers) return fine;
    t->record = bri_allocate(&r->allocator, (size_t)BLOCK * (size_t)t->about->width, sizeof *t->record);
    t->numbers = bri_allocate(&r->allocator, (size_t)BLOCK * 3, sizeof *t->numbers);
    return t->record && t->numbers;
}

/* Lines of one row, as records. */
static bool read_records(Table *t, int row, hsize_t begin, int count) {
    size_t width = (size_t)t->about->width;
    for (int n = 0; n < count; n++) {
        t->record[(size_t)n * width + BRI_TOUCH_ROW] = row;
        t->record[(size_t)n * width + BRI_TOUCH_NUMBER] = -1;
    }
    for (int i = 0; i < t->about->lines; i++) {
        const BriTouchLine *line = &t->about->line[i];
        if (t->column[i].set < 0) continue;
        if (!bri_column_read(&t->column[i], begin, count, t->numbers)) return false;
        for (int n = 0; n < count; n++)
            memcpy(t->record + (size_t)n * width + line->at, t->numbers + n * line->width,
                   (size_t)line->width * sizeof *t->numbers);
    }
    return true;
}

static bool is_owned(const BriTouched *t, const double *record) {
    for (int i = BRI_TOUCH_FIRST; i <= BRI_TOUCH_SECOND; i++)
        if (!(record[i] >= 0 && record[i] < t->bodies)) return false;
    return record[BRI_TOUCH_NUMBER] >= -1 && record[BRI_TOUCH_NUMBER] < INT32_MAX;
}

static bool walk_table(BrRecording *r, BriLineWalk *w) {
    Table t;
    bool fine = open_table(r, w->kind, true, &t);
    for (int k = 0; fine && !w->ended && k < w->count; k++) {
        int row = w->rows[k];
        for (hsize_t begin = t.start[row]; fine && !w->ended && begin < t.start[row + 1]; begin += BLOCK) {
            hsize_t left = t.start[row + 1] - begin;
            int count = left < BLOCK ? (int)left : BLOCK;
            fine = read_records(&t, row, begin, count);
            for (int n = 0; fine && !w->ended && n < count; n++) {
                const double *record = t.record + (size_t)n * (size_t)t.about->width;
                fine = is_owned(r->series.touched, record);
                if (fine) bri_walk_take(w, t.about, record);
            }
        }
    }
    close_table(r, &t);
    return fine;
}

/* ------------------------------------------------------------------ the log */

static bool walk_log(BrRecording *r, FILE *log, BriLineWalk *w) {
    const BriTouched *t = r->series.touched;
    double record[3 * BRI_TOUCH_LINES];
    while (bri_log_next(log, t->table, record)) {
        bool counts = record[BRI_TOUCH_ROW] >= 0 && record[BRI_TOUCH_ROW] < r->series.rows;
        if (!counts || bri_touch_kind(record) != w->kind) continue;
        if (!is_owned(t, record)) return false;
        if (!bri_walk_take(w, &t->table[w->kind], record)) return true;
    }
    return true;
}

BrStatus bri_contacts_walk(BrRecording *r, BriLineWalk *w, BrError *error) {
    BriSilence silence = bri_silence_begin();
    FILE *log = bri_contacts_open_log(r);
    bool there = log || H5Lexists(bri_contacts_file(r), bri_contact_group[w->kind], H5P_DEFAULT) > 0;
    bool fine = !there || (log ? walk_log(r, log, w) : walk_table(r, w));
    if (log) fclose(log);
    bri_silence_end(silence);
    return fine ? BR_OK : bri_contacts_fail(r, error);
}

static bool count_log(BrRecording *r, FILE *log, BriTouchKind kind, uint32_t *lines) {
    double record[3 * BRI_TOUCH_LINES];
    while (bri_log_next(log, r->series.touched->table, record))
        if (bri_touch_kind(record) == kind && record[BRI_TOUCH_ROW] >= 0 && record[BRI_TOUCH_ROW] < r->series.rows)
            lines[(int)record[BRI_TOUCH_ROW]]++;
    return true;
}

static bool count_table(const BrRecording *r, BriTouchKind kind, uint32_t *lines) {
    Table t;
    bool fine = open_table(r, kind, false, &t);
    for (int i = 0; fine && i < r->series.rows; i++) lines[i] = (uint32_t)(t.start[i + 1] - t.start[i]);
    close_table(r, &t);
    return fine;
}

BrStatus bri_contacts_count(BrRecording *r, BriTouchKind kind, uint32_t *lines, BrError *error) {
    BriSilence silence = bri_silence_begin();
    FILE *log = bri_contacts_open_log(r);
    bool there = log || H5Lexists(bri_contacts_file(r), bri_contact_group[kind], H5P_DEFAULT) > 0;
    bool fine = !there || (log ? count_log(r, log, kind, lines) : count_table(r, kind, lines));
    if (log) fclose(log);
    bri_silence_end(silence);
    return fine ? BR_OK : bri_contacts_fail(r, error);
}

/* ------------------------------------------------------------------ formats that have it in their rows */

/* Where something touches a record is not all zeros; heat alone is what was made before. */
static bool is_there(const BriTouchTable *table, const double *record) {
    for (int l = 0; l < table->lines; l++)
        for (int i = 0; !table->line[l].key && !table->line[l].holds && i < table->line[l].width; i++)
            if (record[table->line[l].at + i] != 0) return true;
    return false;
}

static BrStatus load_owners(BriTouched *t, BriTouchKind kind, BrError *error) {
    BrStatus status = BR_OK;
    for (int i = 0; i < t->index.count && status == BR_OK; i++)
        if (bri_touched_kind(t, i) == kind && t->owner[i].loaded != UINT64_MAX)
            status = t->load(t->user, t, i, 0, error);
    return status;
}

/* Every owner has a record in each row. */
static void walk_owners(const BriTouched *t, BriLineWalk *w) {
    const BriTouchTable *table = &t->table[w->kind];
    for (int k = 0; k < w->count; k++)
        for (int i = 0; i < t->index.count; i++) {
            double record[3 * BRI_TOUCH_LINES];
            if (bri_touched_kind(t, i) != w->kind) continue;
            memcpy(record, t->owner[i].record + (size_t)w->rows[k] * (size_t)table->width,
                   (size_t)table->width * sizeof *record);
            for (int n = 0; n < 3; n++) record[BRI_TOUCH_FIRST + n] = t->index.key[i][n];
            if (is_there(table, record) && !bri_walk_take(w, table, record)) return;
        }
}

static bool count_line(void *user, const BrRecordedLine *line) {
    uint32_t *lines = user;
    lines[line->row]++;
    return true;
}

static BrStatus count_owners(BrRecording *r, BriTouchKind kind, uint32_t *lines, BrError *error) {
    int *rows = bri_allocate(&r->allocator, (size_t)r->series.rows + 1, sizeof *rows);
    if (!rows) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for %d rows", r->series.rows);
    for (int i = 0; i < r->series.rows; i++) rows[i] = i;
    BriLineWalk walk = {.kind = kind, .rows = rows, .count = r->series.rows, .take = count_line, .user = lines};
    BrStatus status = load_owners(r->series.touched, kind, error);
    if (status == BR_OK) walk_owners(r->series.touched, &walk);
    bri_release(&r->allocator, rows);
    return status;
}

/* ------------------------------------------------------------------ public */

static bool is_table(BrRecordedTable table) { return table == BR_RECORDED_PAIRS || table == BR_RECORDED_PLACES; }

static BriTouchKind kind_of(BrRecordedTable table) {
    return table == BR_RECORDED_PAIRS ? BRI_TOUCH_PAIR : BRI_TOUCH_PLACE;
}

int br_recording_body_count(const BrRecording *r) { return r && r->series.touched ? r->series.touched->bodies : 0; }

const char *br_recording_body(const BrRecording *r, int number) {
    return number >= 0 && number < br_recording_body_count(r) ? r->series.touched->body[number] : NULL;
}

int br_recording_column_count(const BrRecording *r, BrRecordedTable table) {
    int count = 0;
    if (!r || !r->series.touched || !is_table(table)) return 0;
    const BriTouchTable *about = &r->series.touched->table[kind_of(table)];
    for (int l = 0; l < about->lines; l++) count += !about->line[l].key;
    return count;
}

BrStatus br_recording_column(const BrRecording *r, BrRecordedTable table, int number, BrChannelInfo *column) {
    if (!column || number < 0 || number >= br_recording_column_count(r, table)) return BR_INVALID_ARGUMENT;
    const BriTouchTable *about = &r->series.touched->table[kind_of(table)];
    int l = 0;
    while (about->line[l].key || number-- > 0) l++;
    *column = (BrChannelInfo){about->line[l].name, about->line[l].unit, about->line[l].help, about->line[l].width};
    return BR_OK;
}

BrStatus br_recording_count_lines(BrRecording *r, BrRecordedTable table, uint32_t *lines, BrError *error) {
    BRI_NEED(r && lines && is_table(table), "recording, table and lines", error);
    memset(lines, 0, (size_t)r->series.rows * sizeof *lines);
    if (!r->series.touched) return BR_OK;
    return (r->source->count ? r->source->count : count_owners)(r, kind_of(table), lines, error);
}

static BrStatus check_rows(const BrRecording *r, const int *rows, int count, BrError *error) {
    for (int k = 0; k < count; k++)
        if (rows[k] < 0 || rows[k] >= r->series.rows || (k && rows[k] <= rows[k - 1]))
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "row %d: rows must ascend and lie below %d, as many as there are", rows[k], r->series.rows);
    return BR_OK;
}

BrStatus br_recording_read_lines(BrRecording *r, BrRecordedTable table, const int *rows, int count,
                                 bool (*take)(void *user, const BrRecordedLine *line), void *user, BrError *error) {
    BRI_NEED(r && (rows || count == 0) && take && is_table(table), "recording, table, rows and take", error);
    BriLineWalk walk = {.kind = kind_of(table), .rows = rows, .count = count, .take = take, .user = user};
    BrStatus status = check_rows(r, rows, count, error);
    if (status != BR_OK || !r->series.touched) return status;
    if (r->source->walk) return r->source->walk(r, &walk, error);
    status = load_owners(r->series.touched, walk.kind, error);
    if (status == BR_OK) walk_owners(r->series.touched, &walk);
    return status;
}
