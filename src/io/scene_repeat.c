/* scene_repeat.c: repeat: {i: 0:9, j: 0:2:i}: ranges, and who is visited. */
#include "io/scene_expand.h"

#include <stdio.h>
#include <string.h>

enum { MOST_INDEXES = 8 };

typedef struct Range {
    int first, step, last;
} Range;

/* "0:9" or "0:2:9", both ends included */
static bool read_range(const BriCopy *c, const BriNode *key, const BriNode *node, Range *range) {
    BriUnit *u = c->unit;
    const char *piece[4];
    char what[80];
    int pieces = 0, value[3] = {0, 1, 0};
    snprintf(what, sizeof what, "index '%.40s'", key->text);
    for (const char *at = node->kind == BRI_NODE_SCALAR ? node->text : NULL; at && pieces < 4;) {
        piece[pieces++] = at;
        at = strchr(at, ':');
        if (at) at++;
    }
    if (pieces != 2 && pieces != 3)
        return bri_refuse(&u->reader, node, "%s runs from first to last: write first:last or first:step:last, like 0:9",
                          what);
    for (int k = 0; k < pieces; k++) {
        size_t length = k + 1 < pieces ? (size_t)(piece[k + 1] - piece[k]) - 1 : strlen(piece[k]);
        if (!bri_evaluate_index(c, node, piece[k], length, what, &value[k])) return false;
    }
    *range = pieces == 2 ? (Range){value[0], 1, value[1]} : (Range){value[0], value[1], value[2]};
    if (range->step == 0) return bri_refuse(&u->reader, node, "%s has the step 0; use 1, or -1 to count down", what);
    return true;
}

static bool check_index(const BriCopy *c, const BriNode *key) {
    BriReader *r = &c->unit->reader;
    if (!bri_start_unit(c->unit) || !bri_check_parameter_name(r, key, "index")) return false;
    if (bri_names_find(&r->parameter_names, key->text) >= 0)
        return bri_refuse(r, key, "the index '%.60s' is called like a parameter; give it another name", key->text);
    for (const BriIndex *index = c->index; index; index = index->outer)
        if (strcmp(index->name, key->text) == 0)
            return bri_refuse(r, key, "the index '%.60s' is in use around this block; give it another name", key->text);
    return true;
}

static bool visit_range(const BriCopy *c, const BriNode *ranges, int level, BriVisit visit, void *user) {
    if (level == ranges->count) return visit(c, user);
    const BriNode *key = ranges->keys[level];
    Range range = {0, 1, 0};
    if (!check_index(c, key) || !read_range(c, key, ranges->items[level], &range)) return false;
    BriIndex index = {c->index, key->text, range.first};
    BriCopy inner = {c->unit, &index, c->note};
    int64_t value = range.first;
    for (; range.step > 0 ? value <= range.last : value >= range.last; value += range.step) {
        index.value = (int)value;
        if (!bri_charge(c->unit, 1, ranges) || !visit_range(&inner, ranges, level + 1, visit, user)) return false;
    }
    return true;
}

bool bri_repeat(const BriCopy *c, const BriNode *ranges, BriVisit visit, void *user) {
    if (ranges->kind != BRI_NODE_MAPPING || ranges->count < 1 || ranges->count > MOST_INDEXES)
        return bri_refuse(&c->unit->reader, ranges, "repeat names 1 to %d indexes and their ranges, like {i: 0:9}",
                          MOST_INDEXES);
    return visit_range(c, ranges, 0, visit, user);
}

/* "i = 3, j = 0": the outermost first */
static void write_indexes(const BriIndex *index, const BriIndex *outside, char *text, size_t size) {
    if (index == outside) return;
    write_indexes(index->outer, outside, text, size);
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%.20s = %d", used ? ", " : "", index->name, index->value);
}

const char *bri_make_note(const BriCopy *c, const BriIndex *outside, const char *what, const char *name) {
    char indexes[300] = "", text[500];
    write_indexes(c->index, outside, indexes, sizeof indexes);
    int length = snprintf(text, sizeof text, "%.200s%s%.40s%s%.60s%s%s%s%s", c->note ? c->note : "",
                          c->note ? ", " : "", what, name ? " '" : "", name ? name : "", name ? "'" : "",
                          *indexes ? " (" : "", indexes, *indexes ? ")" : "");
    size_t kept = length < (int)sizeof text ? (size_t)length : sizeof text - 1;
    char *note = bri_document_take(c->unit->x->document, kept + 1, 1);
    if (!note) {
        bri_no_memory(&c->unit->reader);
        return NULL;
    }
    memcpy(note, text, kept);
    return note;
}
