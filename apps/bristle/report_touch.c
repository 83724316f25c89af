/* report_touch.c: what touched in the rows that are shown, as tables of the page. */
#include "report.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A table as it is read: line by line, and told column by column. */
typedef struct Lines {
    size_t width, count, capacity; /* numbers in a line; lines */
    float *numbers;
    uint32_t *pair, *place;
} Lines;

/* Pairs of bodies by number, in the order in which they were first seen; a table of slots finds them. */
typedef struct Pairs {
    int count, capacity, slots;
    int (*body)[2];
    int *slot; /* 1 + number; 0: free */
} Pairs;

typedef struct Touches {
    Shown *shown;
    Pairs pairs;
    Lines lines[BR_RECORDED_TABLES];
    BrRecordedTable table; /* that is being read */
    uint32_t *start;       /* of it: a number more than rows */
    int row;               /* that its lines are in, among those that have any */
    bool fine;
} Touches;

/* ------------------------------------------------------------------ pairs */

static int find_slot(const Pairs *p, int first, int second) {
    uint64_t mixed = ((uint64_t)(unsigned)first << 32 | (unsigned)second) * 0x9E3779B97F4A7C15u;
    int at = (int)(mixed >> 33) & (p->slots - 1);
    while (p->slot[at] && (p->body[p->slot[at] - 1][0] != first || p->body[p->slot[at] - 1][1] != second))
        at = (at + 1) & (p->slots - 1);
    return at;
}

static bool grow_pairs(Pairs *p) {
    int slots = p->slots ? 2 * p->slots : 64;
    int(*body)[2] = realloc(p->body, (size_t)slots / 2 * sizeof *body);
    if (body) p->body = body;
    int *slot = calloc((size_t)slots, sizeof *slot);
    if (!body || !slot) {
        free(slot);
        return false;
    }
    free(p->slot);
    p->slot = slot;
    p->slots = slots;
    p->capacity = slots / 2;
    for (int i = 0; i < p->count; i++) p->slot[find_slot(p, body[i][0], body[i][1])] = i + 1;
    return true;
}

/* -1: no memory. */
static int find_pair(Pairs *p, int first, int second) {
    if (p->count == p->capacity && !grow_pairs(p)) return -1;
    int at = find_slot(p, first, second);
    if (!p->slot[at]) {
        p->body[p->count][0] = first;
        p->body[p->count][1] = second;
        p->slot[at] = ++p->count;
    }
    return p->slot[at] - 1;
}

/* ------------------------------------------------------------------ reading */

static bool grow_lines(Lines *l) {
    if (l->count < l->capacity) return true;
    size_t capacity = l->capacity ? 2 * l->capacity : 256;
    float *numbers = realloc(l->numbers, (capacity * l->width + 1) * sizeof *numbers);
    if (numbers) l->numbers = numbers;
    uint32_t *pair = realloc(l->pair, capacity * sizeof *pair);
    if (pair) l->pair = pair;
    uint32_t *place = realloc(l->place, capacity * sizeof *place);
    if (place) l->place = place;
    if (!numbers || !pair || !place) return false;
    l->capacity = capacity;
    return true;
}

static bool take(void *user, const BrRecordedLine *line) {
    Touches *t = user;
    Lines *l = &t->lines[t->table];
    int pair = find_pair(&t->pairs, line->first, line->second);
    t->fine = pair >= 0 && grow_lines(l);
    if (!t->fine || was_interrupted()) return false;
    while (t->shown->share.contact_row[t->row] < line->row) t->row++;
    t->start[t->row + 1]++;
    l->pair[l->count] = (uint32_t)pair;
    l->place[l->count] = (uint32_t)(line->number < 0 ? 0 : line->number);
    for (size_t i = 0; i < l->width; i++) l->numbers[l->count * l->width + i] = (float)line->values[i];
    l->count++;
    return true;
}

/* ------------------------------------------------------------------ telling */

static void write_columns(Page *page, const Touches *t) {
    const Lines *l = &t->lines[t->table];
    BrChannelInfo column;
    size_t at = 0;
    const char *between = "";
    fputs(", \"columns\": [", page->told);
    for (int i = 0; br_recording_column(t->shown->recording, t->table, i, &column) == BR_OK;
         i++, at += (size_t)column.width) {
        if (!share_has_column(t->shown, column.name)) continue;
        fprintf(page->told, "%s{\"name\": ", between);
        json_text(page->told, column.name);
        fputs(", \"unit\": ", page->told);
        json_text(page->told, column.unit);
        fputs(", \"help\": ", page->told);
        json_text(page->told, column.help);
        fprintf(page->told, ", \"width\": %d, \"data\": ", column.width);
        page_floats(page, l->numbers + at, l->count, (size_t)column.width, l->width);
        fputc('}', page->told);
        between = ",\n";
    }
    fputs("]", page->told);
}

static bool write_table(Page *page, Touches *t, BrRecordedTable table, const char *key, BrError *error) {
    const Share *share = &t->shown->share;
    Lines *l = &t->lines[table];
    BrChannelInfo column;
    t->table = table;
    t->row = 0;
    for (int i = 0; br_recording_column(t->shown->recording, table, i, &column) == BR_OK; i++)
        l->width += (size_t)column.width;
    t->start = calloc((size_t)share->contact_rows + 1, sizeof *t->start);
    t->fine = t->start && grow_lines(l);
    if (t->fine && br_recording_read_lines(t->shown->recording, table, share->contact_row, share->contact_rows, take, t,
                                           error) != BR_OK)
        return false;
    if (!t->fine || stop_report(error)) {
        if (t->fine) return false;
        error->status = BR_OUT_OF_MEMORY;
        snprintf(error->text, sizeof error->text, "no memory for what touched; a smaller --size takes less");
        return false;
    }
    for (int i = 0; i < share->contact_rows; i++) t->start[i + 1] += t->start[i];
    fprintf(page->told, "\"%s\": {\"start\": ", key);
    page_numbers(page, t->start, (size_t)share->contact_rows + 1);
    fputs(", \"pair\": ", page->told);
    page_numbers(page, l->pair, l->count);
    if (table == BR_RECORDED_PLACES) {
        fputs(", \"number\": ", page->told);
        page_numbers(page, l->place, l->count);
    }
    write_columns(page, t);
    fputs("}", page->told);
    free(t->start);
    t->start = NULL;
    return true;
}

static void write_pairs(FILE *out, const Touches *t) {
    const BrRecording *r = t->shown->recording;
    fputs(", \"pairs\": [", out);
    for (int i = 0; i < t->pairs.count; i++) {
        const char *first = br_recording_body(r, t->pairs.body[i][0]);
        const char *second = br_recording_body(r, t->pairs.body[i][1]);
        char name[400];
        snprintf(name, sizeof name, "%.190s/%.190s", first, second);
        fprintf(out, "%s{\"name\": ", i ? ",\n" : "");
        json_text(out, name);
        fprintf(out, ", \"first\": %d, \"second\": %d}", shown_find_body(t->shown, first),
                shown_find_body(t->shown, second));
    }
    fputs("]}", out);
}

static void release(Touches *t) {
    for (int k = 0; k < BR_RECORDED_TABLES; k++) {
        free(t->lines[k].numbers);
        free(t->lines[k].pair);
        free(t->lines[k].place);
    }
    free(t->pairs.body);
    free(t->pairs.slot);
    free(t->start);
}

bool write_touches(Page *page, Shown *s, BrError *error) {
    Touches t = {.shown = s};
    fputs("\"contacts\": ", page->told);
    if (br_recording_body_count(s->recording) == 0) {
        fputs("null,\n", page->told);
        return true;
    }
    fprintf(page->told, "{\"stride\": %d, \"tables\": {", s->share.contact_stride);
    bool fine = write_table(page, &t, BR_RECORDED_PAIRS, "pairs", error);
    if (fine) fputs(",\n", page->told);
    fine = fine && write_table(page, &t, BR_RECORDED_PLACES, "places", error);
    if (fine) {
        fputs("}", page->told);
        write_pairs(page->told, &t);
        fputs(",\n", page->told);
    }
    release(&t);
    return fine;
}
