/* record_columns.c: contacts as columns of a row, for formats that know nothing else: of every pair of bodies that may
 * touch, and of each place that their shapes may have, while there are few. They are 0 while nothing touches there. */
#include "io/record.h"

#include "model/model.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PLACES = 64 };

/* Most points two kinds of shapes touch at. */
static int count_points(BrShapeKind a, BrShapeKind b) {
    static const BrShapeKind ONE[] = {BR_SHAPE_POINT, BR_SHAPE_SPHERE, BR_SHAPE_ELLIPSOID};
    for (int i = 0; i < BRI_COUNT(ONE); i++)
        if (a == ONE[i] || b == ONE[i]) return 1;
    return a == BR_SHAPE_CAPSULE || b == BR_SHAPE_CAPSULE ? 2 : 4;
}

/* Bodies and their places, first those of the first shapes; none if they are too many. false: no memory. */
static bool find_owners(BrRecorder *r) {
    const BrModel *m = r->channels.model;
    const BrAllocator *a = &r->allocator;
    int places = 0;
    for (int i = 0; i < m->shapes && m->shapes <= MOST_PLACES; i++)
        for (int k = i + 1; k < m->shapes; k++) {
            BrShapeId one = br_model_shape(m, i), other = br_model_shape(m, k);
            if (!br_shapes_meet(m, one, other)) continue;
            int points = count_points(m->shape[i].def.kind, m->shape[k].def.kind);
            if ((places += points) > MOST_PLACES) {
                bri_touch_release(&r->columns, a);
                return true;
            }
            int x = m->shape[i].body, y = m->shape[k].body;
            bool y_first = m->body[y].node >= 0 && (m->body[x].node < 0 || y > x);
            int first = y_first ? y : x, second = y_first ? x : y, number = 0;
            if (bri_touch_add(&r->columns, first, second, -1, a) < 0) return false;
            while (bri_touch_find(&r->columns, first, second, number) >= 0) number++;
            for (int n = 0; n < points; n++)
                if (bri_touch_add(&r->columns, first, second, number + n, a) < 0) return false;
        }
    return true;
}

static const char *name_body(const BrModel *m, int body) { return br_body_def(m, br_model_body(m, body))->name; }

static bool add_channel(BrRecorder *r, const int key[3], const BriTouchLine *line) {
    BriChannels *all = &r->channels;
    const char *first = name_body(all->model, key[0]), *second = name_body(all->model, key[1]);
    BriChannel c = {.unit = line->unit, .help = line->help, .width = line->width, .offset = all->width};
    char place[16] = "";
    if (key[2] >= 0) snprintf(place, sizeof place, ".%d", key[2]);
    snprintf(c.group, sizeof c.group, "contacts/%.63s/%.63s", first, second);
    snprintf(c.owner, sizeof c.owner, "%.63s/%.63s%s", first, second, place);
    snprintf(c.name, sizeof c.name, "%s", line->name);
    if (!bri_grow(&r->allocator, (void **)&all->channel, all->count, &all->capacity, sizeof c)) return false;
    all->channel[all->count++] = c;
    all->width += c.width;
    return true;
}

static const BriTouchTable *table_of(const BrRecorder *r, const int key[3]) {
    return &r->touching.table[key[2] < 0 ? BRI_TOUCH_PAIR : BRI_TOUCH_PLACE];
}

bool bri_columns_make(BrRecorder *r) {
    if (!find_owners(r)) return false;
    r->column = bri_allocate(&r->allocator, (size_t)r->columns.count + 1, sizeof *r->column);
    if (!r->column) return false;
    for (int i = 0; i < r->columns.count; i++) {
        const BriTouchTable *table = table_of(r, r->columns.key[i]);
        r->column[i] = r->channels.width;
        for (int l = 0; l < table->lines; l++)
            if (!table->line[l].key && !add_channel(r, r->columns.key[i], &table->line[l])) return false;
    }
    r->column[r->columns.count] = r->channels.width;
    return true;
}

/* A pair's heat is as it was while it does not touch. */
static void keep_heat(BrRecorder *r, double *row) {
    const BriTouchTable *table = &r->touching.table[BRI_TOUCH_PAIR];
    for (int i = 0; i < r->columns.count; i++)
        for (int l = 0; r->columns.key[i][2] < 0 && l < table->lines; l++) {
            int pair = bri_touch_find(&r->touching.index, r->columns.key[i][0], r->columns.key[i][1], -1);
            if (pair < 0 || !table->line[l].holds) continue;
            row[r->column[i] + table->line[l].at - bri_touch_start(table)] = r->touching.pair[pair].heat;
        }
}

void bri_columns_fill(BrRecorder *r, double *row) {
    const BriTouching *t = &r->touching;
    if (r->columns.count) {
        int begin = r->column[0], end = r->column[r->columns.count];
        memset(row + begin, 0, (size_t)(end - begin) * sizeof *row);
        keep_heat(r, row);
    }
    for (size_t at = 0; at < t->used;) {
        const double *record = t->record + at;
        const BriTouchTable *table = &t->table[bri_touch_kind(record)];
        int owner = bri_touch_find(&r->columns, (int)record[BRI_TOUCH_FIRST], (int)record[BRI_TOUCH_SECOND],
                                   (int)record[BRI_TOUCH_NUMBER]);
        int start = bri_touch_start(table);
        if (owner >= 0)
            memcpy(row + r->column[owner], record + start, (size_t)(table->width - start) * sizeof *row);
        else
            r->left_out++;
        at += (size_t)table->width;
    }
}
