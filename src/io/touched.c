/* touched.c: see touched.h. */
#include "io/touched.h"

#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 1000000 };

/* ------------------------------------------------------------------ filling */

BriTouched *bri_touched_make(const BrModel *model, const BrAllocator *allocator) {
    BriTouched *t = bri_allocate(allocator, 1, sizeof *t);
    if (!t) return NULL;
    t->allocator = *allocator;
    t->model = model;
    bri_touch_tables(model, t->table);
    return t;
}

void bri_touched_release(BriTouched *t) {
    if (!t) return;
    BrAllocator allocator = t->allocator;
    for (int i = 0; t->owner && i < t->index.count; i++) bri_release(&allocator, t->owner[i].record);
    for (int i = 0; i < t->bodies; i++) bri_release(&allocator, t->body[i]);
    bri_names_release(&t->numbers, &allocator);
    bri_touch_release(&t->index, &allocator);
    bri_release(&allocator, t->body);
    bri_release(&allocator, t->owner);
    bri_release(&allocator, t->channel);
    bri_release(&allocator, t);
}

bool bri_touched_add_body(BriTouched *t, const char *name) {
    if (!bri_grow(&t->allocator, (void **)&t->body, t->bodies, &t->body_capacity, sizeof *t->body)) return false;
    char *copy = t->body[t->bodies] = bri_copy_text(&t->allocator, name);
    if (!copy) return false;
    bool known = bri_names_find(&t->numbers, copy) >= 0;
    return known || bri_names_insert(&t->numbers, copy, t->bodies, &t->allocator) ? ++t->bodies > 0 : false;
}

int bri_touched_owner(BriTouched *t, int first, int second, int number) {
    int known = t->index.count;
    if (!bri_grow(&t->allocator, (void **)&t->owner, known, &t->capacity, sizeof *t->owner)) return -1;
    int owner = bri_touch_add(&t->index, first, second, number, &t->allocator);
    if (owner == known) t->owner[owner] = (BriTouchOwner){.loaded = t->load ? 0 : UINT64_MAX};
    return owner;
}

BriTouchKind bri_touched_kind(const BriTouched *t, int owner) {
    return t->index.key[owner][2] < 0 ? BRI_TOUCH_PAIR : BRI_TOUCH_PLACE;
}

double *bri_touched_next(BriTouched *t, int owner) {
    BriTouchOwner *o = &t->owner[owner];
    size_t width = (size_t)t->table[bri_touched_kind(t, owner)].width;
    if (!bri_grow(&t->allocator, (void **)&o->record, o->rows, &o->capacity, width * sizeof(double))) return NULL;
    return o->record + width * (size_t)o->rows;
}

bool bri_touched_add(BriTouched *t, const BriTouching *row) {
    for (size_t at = 0; at < row->used;) {
        const double *from = row->record + at;
        size_t width = (size_t)row->table[bri_touch_kind(from)].width;
        int owner =
            bri_touched_owner(t, (int)from[BRI_TOUCH_FIRST], (int)from[BRI_TOUCH_SECOND], (int)from[BRI_TOUCH_NUMBER]);
        double *to = owner < 0 ? NULL : bri_touched_next(t, owner);
        if (!to) return false;
        memcpy(to, from, width * sizeof *to);
        t->owner[owner].rows++;
        at += width;
    }
    return true;
}

/* ------------------------------------------------------------------ names */

/* The next of the words that '.' or '/' part; false: there is none, or it is too long. */
static bool take_word(const char **path, char word[64]) {
    size_t length = strcspn(*path, "./");
    if (length == 0 || length >= 64) return false;
    memcpy(word, *path, length);
    word[length] = 0;
    *path += length + ((*path)[length] != 0);
    return true;
}

static int find_body(const BriTouched *t, const char *name) {
    if (!t->model) return bri_names_find(&t->numbers, name);
    return br_model_find_body(t->model, name).index1 - 1;
}

/* May two bodies of the model touch, and is it `first` that forces act on? */
static bool may_touch(const BrModel *m, int first, int second) {
    bool pushed = m->body[first].node >= 0, other = m->body[second].node >= 0;
    if (!pushed || (other && first < second)) return false;
    for (int i = 0; i < br_model_shape_count(m); i++) {
        BrShapeId a = br_model_shape(m, i);
        if (br_shape_def(m, a)->body.index1 != first + 1) continue;
        for (int k = 0; k < br_model_shape_count(m); k++) {
            BrShapeId b = br_model_shape(m, k);
            if (br_shape_def(m, b)->body.index1 == second + 1 && br_shapes_meet(m, a, b)) return true;
        }
    }
    return false;
}

static int find_owner(BriTouched *t, int first, int second, int number) {
    if (first < 0 || second < 0 || first == second) return -1;
    if (!t->model) return bri_touch_find(&t->index, first, second, number);
    return may_touch(t->model, first, second) ? bri_touched_owner(t, first, second, number) : -1;
}

typedef struct Named {
    char first[64], second[64], line[64];
    int number;
} Named;

/* false: it is no such name. */
static bool read_name(const char **path, Named *is) {
    is->number = -1;
    if (!take_word(path, is->first) || !take_word(path, is->second) || !take_word(path, is->line)) return false;
    if (is->line[strspn(is->line, "0123456789")]) return true;
    is->number = atoi(is->line);
    return strlen(is->line) < 7 && is->number < MOST_PLACES && take_word(path, is->line);
}

static int find_line(const BriTouchTable *table, const char *name) {
    for (int i = 0; i < table->lines; i++)
        if (!table->line[i].key && strcmp(table->line[i].name, name) == 0) return i;
    return -1;
}

static BriChannel describe(const BriTouchLine *line, const char *first, const char *second, int number) {
    BriChannel about = {.unit = line->unit, .help = line->help, .width = line->width};
    char place[16] = "";
    if (number >= 0) snprintf(place, sizeof place, "/%d", number);
    snprintf(about.group, sizeof about.group, "contacts/%.63s/%.63s%s", first, second, place);
    snprintf(about.name, sizeof about.name, "%s", line->name);
    return about;
}

static int add_channel(BriTouched *t, int owner, int line, bool turned, const Named *is) {
    const BriTouchLine *l = &t->table[is->number < 0 ? BRI_TOUCH_PAIR : BRI_TOUCH_PLACE].line[line];
    double sign = turned && l->turns ? -1 : 1;
    BriChannel about = describe(l, is->first, is->second, is->number);
    for (int i = 0; i < t->channels; i++) {
        const BriTouchChannel *c = &t->channel[i];
        if (c->owner == owner && c->line == line && strcmp(c->about.group, about.group) == 0) return i;
    }
    if (!bri_grow(&t->allocator, (void **)&t->channel, t->channels, &t->channel_capacity, sizeof *t->channel))
        return -1;
    t->channel[t->channels] = (BriTouchChannel){owner, line, sign, about};
    return t->channels++;
}

int bri_touched_find(BriTouched *t, const char *path, const char **rest) {
    Named is;
    const char *at = path;
    if (!read_name(&at, &is)) return -1;
    int line = find_line(&t->table[is.number < 0 ? BRI_TOUCH_PAIR : BRI_TOUCH_PLACE], is.line);
    int first = find_body(t, is.first), second = find_body(t, is.second);
    int owner = line < 0 ? -1 : find_owner(t, first, second, is.number);
    bool turned = line >= 0 && owner < 0;
    if (turned) owner = find_owner(t, second, first, is.number);
    if (owner < 0) return -1;
    *rest = *at ? at - 1 : at;
    return add_channel(t, owner, line, turned, &is);
}

static int note_body(BriTouched *t, const char *name) {
    int known = bri_names_find(&t->numbers, name);
    return known >= 0 ? known : bri_touched_add_body(t, name) ? t->bodies - 1 : -1;
}

bool bri_touched_name(BriTouched *t, const char *path, int *owner, int *line) {
    Named is;
    if (!read_name(&path, &is)) return false;
    *line = find_line(&t->table[is.number < 0 ? BRI_TOUCH_PAIR : BRI_TOUCH_PLACE], is.line);
    int first = note_body(t, is.first), second = note_body(t, is.second);
    *owner = *line < 0 || first < 0 || second < 0 ? -1 : bri_touched_owner(t, first, second, is.number);
    return *owner >= 0;
}

bool bri_touched_guess(const BriTouched *t, const char *path, char *text, size_t size) {
    const char *words[BRI_TOUCH_LINES];
    int count = 0;
    Named is;
    if (!read_name(&path, &is)) return false;
    const BriTouchTable *table = &t->table[is.number < 0 ? BRI_TOUCH_PAIR : BRI_TOUCH_PLACE];
    if (find_line(table, is.line) >= 0) return false;
    for (int i = 0; i < table->lines; i++)
        if (!table->line[i].key) words[count++] = table->line[i].name;
    const char *nearest = br_nearest_word(is.line, words, count);
    if (!nearest) return false;
    char place[16] = "";
    if (is.number >= 0) snprintf(place, sizeof place, ".%d", is.number);
    snprintf(text, size, "contacts.%s/%s%s.%s", is.first, is.second, place, nearest);
    return true;
}

/* ------------------------------------------------------------------ values */

BrStatus bri_touched_load(BriTouched *t, int channel, BrError *error) {
    const BriTouchChannel *c = &t->channel[channel];
    bool loaded = t->owner[c->owner].loaded >> c->line & 1;
    return loaded ? BR_OK : t->load(t->user, t, c->owner, c->line, error);
}

void bri_touched_read(const BriTouched *t, int channel, int row, double *value) {
    const BriTouchChannel *c = &t->channel[channel];
    const BriTouchOwner *o = &t->owner[c->owner];
    const BriTouchTable *table = &t->table[bri_touched_kind(t, c->owner)];
    const BriTouchLine *line = &table->line[c->line];
    int low = 0, high = o->rows; /* the last record that is not of a later row stands before `low` */
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (o->record[(size_t)table->width * (size_t)middle] <= row)
            low = middle + 1;
        else
            high = middle;
    }
    const double *record = low ? o->record + (size_t)table->width * (size_t)(low - 1) : NULL;
    bool told = record && (record[BRI_TOUCH_ROW] == row || line->holds);
    for (int i = 0; i < line->width; i++) value[i] = told ? c->sign * record[line->at + i] : 0;
}

/* ------------------------------------------------------------------ lists */

static int count_lines(const BriTouchTable *table) {
    int count = 0;
    for (int i = 0; i < table->lines; i++) count += !table->line[i].key;
    return count;
}

int bri_touched_count(const BriTouched *t) {
    const int each[BRI_TOUCH_KINDS] = {count_lines(&t->table[0]), count_lines(&t->table[1])};
    int64_t count = 0;
    for (int i = 0; i < t->index.count; i++) count += each[bri_touched_kind(t, i)];
    return count < INT32_MAX ? (int)count : INT32_MAX;
}

bool bri_touched_describe(BriTouched *t, int number, BriChannel *about) {
    const int each[BRI_TOUCH_KINDS] = {count_lines(&t->table[0]), count_lines(&t->table[1])};
    if (number < t->first_listed) t->listed = t->first_listed = 0;
    for (; t->listed < t->index.count; t->listed++) {
        BriTouchKind kind = bri_touched_kind(t, t->listed);
        const int *key = t->index.key[t->listed];
        if (number - t->first_listed < each[kind]) {
            int line = t->table[kind].lines - each[kind] + number - t->first_listed;
            if (key[0] >= t->bodies || key[1] >= t->bodies) return false;
            *about = describe(&t->table[kind].line[line], t->body[key[0]], t->body[key[1]], key[2]);
            return true;
        }
        t->first_listed += each[kind];
    }
    t->listed = t->first_listed = 0;
    return false;
}
