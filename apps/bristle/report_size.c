/* report_size.c: how much of a recording goes into a page. Rows are taken every so many; where the numbers would still be
 * too many, what is looked at least goes first: means of contacts, contacts of some of the rows, accelerations of bodies,
 * their velocities, and only then rows. What was left out is said, with what brings it back. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { FEWEST_CONTACT_ROWS = 20 };

static bool has_end(const char *name, const char *end) {
    size_t length = strlen(name), n = strlen(end);
    return length > n && strcmp(name + length - n, end) == 0;
}

static bool is_of_body(const Told *t, const char *what) {
    return strncmp(t->name, "bodies.", 7) == 0 && has_end(t->name, what);
}

static bool is_acceleration(const Told *t) { return is_of_body(t, "acceleration"); }
static bool is_velocity(const Told *t) { return is_of_body(t, "velocity"); }

/* Is it shown as a channel? Rotations are, as orientations of bodies. */
static bool is_left_out(const Shown *s, const Told *t) {
    return strcmp(t->name, "time") == 0 || t->is.width == 9 || (s->share.without_accelerations && is_acceleration(t)) ||
           (s->share.without_velocities && is_velocity(t));
}

/* Numbers of four bytes. */
static double count_in_row(const Shown *s) {
    double count = 2; /* the time */
    for (int i = 0; i < s->channels; i++)
        if (!is_left_out(s, &s->channel[i])) count += s->channel[i].is.width;
    for (int i = 0; i < s->bodies; i++) count += s->body[i].rotation >= 0 ? 4 : 0;
    return count;
}

/* Means over steps, and moments: the replay draws neither. */
bool share_has_column(const Shown *s, const char *name) {
    return !s->share.without_means || !(has_end(name, "_mean") || has_end(name, "_moment"));
}

static double count_in_line(const Shown *s, BrRecordedTable table) {
    BrChannelInfo column;
    double count = table == BR_RECORDED_PAIRS ? 1 : 2; /* whose */
    for (int i = 0; br_recording_column(s->recording, table, i, &column) == BR_OK; i++)
        count += share_has_column(s, column.name) ? column.width : 0;
    return count;
}

static int kept_row(const Shown *s, int stride, int number) {
    long row = (long)number * stride;
    return row < s->rows ? (int)row : s->rows - 1;
}

static int count_kept(const Shown *s, int stride) { return 1 + (s->rows - 1 + stride - 1) / stride; }

/* Of contacts in every so many of the rows. */
static double count_contacts(const Shown *s, int stride, int contact_stride) {
    double count = 0;
    for (int k = 0; k < BR_RECORDED_TABLES; k++) {
        double lines = 0, each = count_in_line(s, (BrRecordedTable)k);
        for (int i = 0; s->share.lines[k] && i < count_kept(s, stride); i += contact_stride)
            lines += s->share.lines[k][kept_row(s, stride, i)];
        count += lines * each;
    }
    return count;
}

static double count_letters(const Shown *s) {
    const Share *share = &s->share;
    return page_letters(count_kept(s, share->stride) * count_in_row(s) +
                        count_contacts(s, share->stride, share->contact_stride));
}

/* One thing less; false: no more can go. */
static bool leave_out(Shown *s) {
    Share *share = &s->share;
    int kept = count_kept(s, share->stride);
    double contacts = count_contacts(s, share->stride, share->contact_stride);
    if (contacts > 0 && !share->without_means)
        share->without_means = true;
    else if (contacts > 0 && kept / (2 * share->contact_stride) >= FEWEST_CONTACT_ROWS)
        share->contact_stride *= 2;
    else if (!share->without_accelerations)
        share->without_accelerations = true;
    else if (!share->without_velocities)
        share->without_velocities = true;
    else if (kept > 2) {
        share->stride = 2 * share->stride < s->rows ? 2 * share->stride : s->rows;
        if (share->contact_stride > 1) share->contact_stride /= 2; /* those that are left stay */
    } else
        return false;
    return true;
}

static const char *print_every(int stride, char text[48]) {
    const char *end = stride % 10 == 2 && stride % 100 != 12   ? "nd"
                      : stride % 10 == 3 && stride % 100 != 13 ? "rd"
                      : stride % 10 == 1 && stride % 100 != 11 ? "st"
                                                               : "th";
    snprintf(text, 48, stride == 2 ? "every other" : "every %d%s", stride, end);
    return text;
}

static void write_note(Shown *s, int rows) {
    Share *share = &s->share;
    char every[48], *to = share->note, *end = share->note + sizeof share->note;
    bool crowded = share->without_means || share->contact_stride > 1 || share->without_accelerations ||
                   share->without_velocities || count_kept(s, share->stride) < (s->rows < rows ? s->rows : rows) / 2;
    if (share->stride > 1)
        to += snprintf(to, (size_t)(end - to), "Of %d rows %s and the last are here, %d. ", s->rows,
                       print_every(share->stride, every), share->kept);
    if (share->contact_stride > 1)
        to +=
            snprintf(to, (size_t)(end - to), "Contacts are in %s of them. ", print_every(share->contact_stride, every));
    if (share->without_means)
        to += snprintf(to, (size_t)(end - to), "Mean forces and moments of contacts are left out. ");
    if (share->without_accelerations)
        to += snprintf(to, (size_t)(end - to), "Accelerations%s of bodies are left out. ",
                       share->without_velocities ? " and velocities" : "");
    if (share->stride > 1 || crowded) to += snprintf(to, (size_t)(end - to), "bristle report");
    if (share->stride > 1) to += snprintf(to, (size_t)(end - to), " --rows %d", s->rows);
    if (share->stride > 1 || crowded)
        to += snprintf(to, (size_t)(end - to), " --size %.0f shows all. Extremes and rms are of all rows.",
                       1 + share->whole / 1e6);
    (void)to;
}

static bool list_rows(Shown *s, BrError *error) {
    Share *share = &s->share;
    share->kept = count_kept(s, share->stride);
    share->row = calloc((size_t)share->kept, sizeof *share->row);
    share->contact_row = calloc((size_t)share->kept, sizeof *share->contact_row);
    if (!share->row || !share->contact_row) {
        error->status = BR_OUT_OF_MEMORY;
        snprintf(error->text, sizeof error->text, "no memory to show the recording");
        return false;
    }
    for (int i = 0; i < share->kept; i++) {
        share->row[i] = kept_row(s, share->stride, i);
        if (i % share->contact_stride == 0) share->contact_row[share->contact_rows++] = share->row[i];
    }
    for (int i = 0; i < s->channels; i++) s->channel[i].left_out = is_left_out(s, &s->channel[i]);
    return true;
}

static bool count_lines(Shown *s, BrError *error) {
    if (br_recording_body_count(s->recording) == 0) return true;
    for (int k = 0; k < BR_RECORDED_TABLES; k++) {
        s->share.lines[k] = calloc((size_t)s->rows, sizeof *s->share.lines[k]);
        if (!s->share.lines[k] ||
            br_recording_count_lines(s->recording, (BrRecordedTable)k, s->share.lines[k], error) != BR_OK) {
            if (error->status == BR_OK) error->status = BR_OUT_OF_MEMORY;
            return false;
        }
    }
    return true;
}

bool share_choose(Shown *s, int rows, double letters, BrError *error) {
    s->share.contact_stride = 1;
    s->share.stride = 1;
    if (!count_lines(s, error)) return false;
    s->share.whole = count_letters(s);
    if (s->rows > rows) s->share.stride = rows > 1 ? (s->rows - 1 + rows - 2) / (rows - 1) : s->rows;
    while (count_letters(s) > letters)
        if (!leave_out(s)) {
            error->status = BR_INVALID_ARGUMENT;
            snprintf(error->file, sizeof error->file, "%.255s", s->path);
            snprintf(error->text, sizeof error->text,
                     "two rows of this recording alone take %.3g MB of the page, and it may have %.3g MB; raise --size",
                     count_letters(s) / 1e6, letters / 1e6);
            return false;
        }
    if (!list_rows(s, error)) return false;
    write_note(s, rows);
    return true;
}
