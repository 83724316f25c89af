/* recording_csv.c: time[s],wheel.position.x[m],...: columns .x .y .z become a vector, .xx to .zz a rotation. */
#include "io/recording.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 1000000 };

typedef struct Table {
    FILE *file;
    char *line; /* of getline() */
    size_t size;
    int number; /* of the line, from 1 */
    int columns, capacity;
    char **title;
} Table;

__attribute__((format(printf, 4, 5))) static BrStatus refuse(const BrRecording *r, BrError *error, int line,
                                                             const char *format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bri_fail(error, BR_IO, "%s", text);
    if (error) {
        snprintf(error->file, sizeof error->file, "%.255s", r->path);
        error->line = line;
        error->column = line ? 1 : 0;
    }
    return BR_IO;
}

/* ------------------------------------------------------------------ the header */

static bool read_line(Table *t) {
    t->number++;
    ssize_t length = getline(&t->line, &t->size, t->file);
    while (length > 0 && (t->line[length - 1] == '\n' || t->line[length - 1] == '\r')) t->line[--length] = 0;
    return length >= 0;
}

/* The field at *at without its quotes (RFC 4180), in place; *at moves behind the comma, or to NULL at the end. */
static char *take_field(char **at) {
    char *start = *at, *from = *at, *to = *at;
    bool quoted = *from == '"';
    from += quoted;
    while (*from && (quoted || *from != ',')) {
        if (quoted && *from == '"' && from[1] != '"') {
            quoted = false;
            from++;
            continue;
        }
        from += quoted && *from == '"';
        *to++ = *from++;
    }
    *at = *from ? from + 1 : NULL;
    *to = 0;
    return start;
}

static BrStatus read_titles(const BrRecording *r, Table *t, BrError *error) {
    if (!read_line(t) || !*t->line) return refuse(r, error, 1, "there is no header like time[s],wheel.position.x[m]");
    for (char *at = t->line; at;) {
        if (t->columns == MOST_COLUMNS) return refuse(r, error, 1, "there are more than %d columns", MOST_COLUMNS);
        if (!bri_grow(&r->allocator, (void **)&t->title, t->columns, &t->capacity, sizeof(char *)))
            return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for the recording");
        t->title[t->columns] = bri_copy_text(&r->allocator, take_field(&at));
        if (!t->title[t->columns++]) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for the recording");
    }
    return BR_OK;
}

/* "wheel.position.x[m]" is part "x" of "wheel.position" in "m". */
typedef struct Title {
    char stem[256], part[4], unit[32];
} Title;

static Title split_title(const char *text) {
    Title title = {"", "", ""};
    const char *bracket = strrchr(text, '[');
    size_t length = strlen(text);
    if (bracket && length && text[length - 1] == ']') {
        snprintf(title.unit, sizeof title.unit, "%.*s", (int)(text + length - 1 - bracket - 1), bracket + 1);
        length = (size_t)(bracket - text);
    }
    snprintf(title.stem, sizeof title.stem, "%.*s", (int)length, text);
    char *dot = strrchr(title.stem, '.');
    size_t letters = dot ? strlen(dot + 1) : 0;
    if (letters < 1 || letters > 2 || strspn(dot + 1, "xyz") != letters) return title;
    memcpy(title.part, dot + 1, letters + 1);
    *dot = 0;
    return title;
}

/* How many columns from `first` on belong together: 3 of a vector, 9 of a rotation, else 1. */
static int count_parts(const Table *t, int first) {
    static const char *const VECTOR[] = {"x", "y", "z"}, *const ROTATION[] = {"xx", "xy", "xz", "yx", "yy",
                                                                              "yz", "zx", "zy", "zz"};
    Title start = split_title(t->title[first]);
    size_t letters = strlen(start.part);
    int wanted = letters == 1 ? 3 : letters == 2 ? 9 : 1;
    for (int k = 0; wanted > 1 && k < wanted; k++) {
        if (first + k >= t->columns) return 1;
        Title title = split_title(t->title[first + k]);
        const char *part = wanted == 3 ? VECTOR[k] : ROTATION[k];
        if (strcmp(title.stem, start.stem) != 0 || strcmp(title.part, part) != 0) return 1;
    }
    return wanted;
}

typedef struct ContactColumn {
    int owner, line, at; /* whose, which, and where in a row it begins */
} ContactColumn;

typedef struct ContactColumns {
    int count, capacity;
    ContactColumn *column;
} ContactColumns;

/* A record of every row. */
static BrStatus load_contact(void *user, BriTouched *t, int owner, int line, BrError *error) {
    (void)line; /* all of them are at hand */
    const BrRecording *r = user;
    const ContactColumns *all = r->file;
    const BriSeries *s = &r->series;
    const BriTouchTable *table = &t->table[bri_touched_kind(t, owner)];
    t->owner[owner].rows = 0;
    for (int row = 0; row < s->rows; row++) {
        double *record = bri_touched_next(t, owner);
        if (!record) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for %d rows", s->rows);
        memset(record, 0, (size_t)table->width * sizeof *record);
        record[BRI_TOUCH_ROW] = row;
        for (int i = 0; i < all->count; i++) {
            const ContactColumn *c = &all->column[i];
            const BriTouchLine *of = &table->line[c->line];
            if (c->owner != owner) continue;
            memcpy(record + of->at, s->data + (size_t)row * (size_t)s->channels.width + c->at,
                   (size_t)of->width * sizeof *record);
        }
        t->owner[owner].rows++;
    }
    t->owner[owner].loaded = UINT64_MAX;
    return BR_OK;
}

static void close_csv(BrRecording *r) {
    ContactColumns *all = r->file;
    bri_release(&r->allocator, all->column);
    bri_release(&r->allocator, all);
    r->file = NULL;
}

/* "wheel/ground.0.gap" is of a contact: its numbers stay where they are in the rows. */
static BrStatus note_contact(BrRecording *r, const char *stem, int width, BrError *error) {
    BriSeries *s = &r->series;
    if (!s->touched) s->touched = bri_touched_make(NULL, &r->allocator);
    if (s->touched) s->touched->load = load_contact, s->touched->user = r;
    ContactColumn column = {.at = s->channels.width};
    ContactColumns *all = r->file;
    if (!all) all = r->file = bri_allocate(&r->allocator, 1, sizeof *all);
    bool fine =
        s->touched && all && bri_grow(&r->allocator, (void **)&all->column, all->count, &all->capacity, sizeof column);
    s->channels.width += width;
    if (!fine) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for the recording");
    if (!bri_touched_name(s->touched, stem, &column.owner, &column.line)) return BR_OK; /* of another version */
    if (s->touched->table[bri_touched_kind(s->touched, column.owner)].line[column.line].width == width)
        all->column[all->count++] = column;
    return BR_OK;
}

static BrStatus make_channels(BrRecording *r, const Table *t, BrError *error) {
    for (int i = 0; i < t->columns;) {
        int width = count_parts(t, i);
        Title title = split_title(t->title[i]);
        char path[300];
        if (strchr(title.stem, '/')) {
            BrStatus status = note_contact(r, title.stem, width, error);
            if (status != BR_OK) return status;
            i += width;
            continue;
        }
        bool alone = width == 1 && title.part[0];
        snprintf(path, sizeof path, "%s%s%s", title.stem, alone ? "." : "", alone ? title.part : "");
        if (!bri_recording_add(r, path, title.unit, "", width))
            return refuse(r, error, 1, "cannot take the column '%.80s': its name is too long or memory is short",
                          t->title[i]);
        i += width;
    }
    return BR_OK;
}

/* ------------------------------------------------------------------ rows */

static BrStatus read_row(BrRecording *r, Table *t, BrError *error) {
    double *row = bri_series_next(&r->series, &r->allocator);
    if (!row) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for more than %d rows", r->series.rows);
    char *at = t->line;
    for (int k = 0; k < t->columns; k++) {
        if (!at)
            return refuse(r, error, t->number, "this row has %d numbers, but the header has %d columns", k, t->columns);
        char *field = take_field(&at), *end;
        row[k] = strtod(field, &end);
        while (*end == ' ') end++;
        if (end == field || *end)
            return refuse(r, error, t->number, "'%.40s' in the column '%.80s' is no number", field, t->title[k]);
    }
    if (at) return refuse(r, error, t->number, "this row has more numbers than the header has columns");
    r->series.rows++;
    return BR_OK;
}

/* The last line of a run that was killed may be cut: it ends without a newline and does not count. */
static BrStatus read_rows(BrRecording *r, Table *t, BrError *error) {
    BrStatus status = BR_OK;
    while (status == BR_OK && read_line(t)) {
        if (!*t->line) continue;
        BrError inner = {0};
        status = read_row(r, t, &inner);
        if (status == BR_IO && feof(t->file)) return BR_OK;
        if (status != BR_OK && error) *error = inner;
    }
    if (status == BR_OK && ferror(t->file)) return refuse(r, error, 0, "cannot read it: %s", strerror(errno));
    return status;
}

static BrStatus open_csv(BrRecording *r, BrError *error) {
    Table t = {.file = fopen(r->path, "r")};
    if (!t.file) return refuse(r, error, 0, "cannot read it: %s", strerror(errno));
    r->about.closed = true; /* as far as one can see */
    BrStatus status = read_titles(r, &t, error);
    if (status == BR_OK) status = make_channels(r, &t, error);
    if (status == BR_OK) status = read_rows(r, &t, error);
    for (int i = 0; i < t.columns; i++) bri_release(&r->allocator, t.title[i]);
    bri_release(&r->allocator, t.title);
    free(t.line);
    fclose(t.file);
    return status;
}

const BriSource bri_source_csv = {.open = open_csv, .close = close_csv};
