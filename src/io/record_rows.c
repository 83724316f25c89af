/* record_rows.c: rows for a program, one after the other, with what touches in each. */
#include "io/record.h"

#include "io/series.h"

static BrStatus open_rows(BrRecorder *r, BrError *error) {
    (void)r, (void)error;
    return BR_OK;
}

static BrStatus touch_rows(BrRecorder *r, double *row, BrError *error) {
    (void)row;
    const BriTouching *t = &r->touching;
    r->lines = 0;
    for (size_t at = 0; at < t->used;) {
        const double *record = t->record + at;
        const BriTouchTable *table = &t->table[bri_touch_kind(record)];
        if (!bri_grow(&r->allocator, (void **)&r->line, r->lines, &r->line_capacity, sizeof *r->line))
            return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for the contacts of a row");
        r->line[r->lines++] =
            (BrRecordedLine){(int)record[BRI_TOUCH_ROW], (int)record[BRI_TOUCH_FIRST], (int)record[BRI_TOUCH_SECOND],
                             (int)record[BRI_TOUCH_NUMBER], record + bri_touch_start(table)};
        at += (size_t)table->width;
    }
    return BR_OK;
}

static BrStatus put_rows(BrRecorder *r, const double *rows, int count, BrError *error) {
    (void)error;
    for (int i = 0; i < count; i++) {
        BrRecordedRow row = {rows + (size_t)i * (size_t)r->channels.width, r->lines, r->line};
        r->take(r->user, &row);
    }
    return BR_OK;
}

static BrStatus end_rows(BrRecorder *r, BrError *error) {
    (void)r, (void)error;
    return BR_OK;
}

const BriFormat bri_format_rows = {{NULL}, open_rows, touch_rows, put_rows, end_rows, end_rows};

/* ------------------------------------------------------------------ what stands in a row */

int br_recorder_channel_count(const BrRecorder *r) { return r ? r->channels.count : 0; }

BrStatus br_recorder_channel(BrRecorder *r, int number, BrChannelInfo *info) {
    if (!r || !info || number < 0 || number >= r->channels.count) return BR_INVALID_ARGUMENT;
    const BriChannel *c = &r->channels.channel[number];
    bri_channel_path(c, r->name, sizeof r->name);
    *info = (BrChannelInfo){r->name, c->unit, c->help, c->width};
    return BR_OK;
}

static const BriTouchTable *table_of(const BrRecorder *r, BrRecordedTable table) {
    if (!r || (table != BR_RECORDED_PAIRS && table != BR_RECORDED_PLACES)) return NULL;
    return &r->touching.table[table == BR_RECORDED_PAIRS ? BRI_TOUCH_PAIR : BRI_TOUCH_PLACE];
}

int br_recorder_column_count(const BrRecorder *r, BrRecordedTable table) {
    const BriTouchTable *about = table_of(r, table);
    return about ? about->lines - bri_touch_first(about) : 0;
}

BrStatus br_recorder_column(const BrRecorder *r, BrRecordedTable table, int number, BrChannelInfo *column) {
    if (!column || number < 0 || number >= br_recorder_column_count(r, table)) return BR_INVALID_ARGUMENT;
    const BriTouchTable *about = table_of(r, table);
    const BriTouchLine *line = &about->line[bri_touch_first(about) + number];
    *column = (BrChannelInfo){line->name, line->unit, line->help, line->width};
    return BR_OK;
}
