/* experiment_map.c: runs that are no simulation but a map: rows are diagnoses of the scene (bristle/map.h), one for each
 * value of a number of it. Metrics and figures read them as they read a simulation, this number in place of the time. */
#include "bristle/map.h"

#include "io/experiment.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 100000 };

/* A row. */
typedef struct Row {
    double time, over, boundary, contacts, answers, stable, unstable, kept, held, endless, mu, mu_painleve;
} Row;

static const struct {
    const char *group, *name, *help;
} CHANNELS[] = {
    {"", "time", "the number that changes from row to row"},
    {"map", "over", "the same"},
    {"map", "boundary", "where the diagnosis changes"},
    {"diagnosis", "contacts", "that are closed"},
    {"diagnosis", "answers", "of rigid contact"},
    {"diagnosis", "stable", "of them"},
    {"diagnosis", "unstable", "of them"},
    {"diagnosis", "kept", "answers in which some contact pushes"},
    {"diagnosis", "held", "answers in which no contact slides or parts"},
    {"diagnosis", "endless", "1: a continuum of answers"},
    {"diagnosis", "mu", "the largest coefficient of friction"},
    {"diagnosis", "mu_painleve", "Painleve's boundary"},
};

BrStatus bri_map_channels(const BrAllocator *allocator, BriChannels *channels, BrError *error) {
    *channels = (BriChannels){.count = 0};
    for (int i = 0; i < BRI_COUNT(CHANNELS); i++) {
        if (!bri_grow(allocator, (void **)&channels->channel, i, &channels->capacity, sizeof *channels->channel)) {
            bri_channels_release(channels, allocator);
            return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for the list of channels");
        }
        BriChannel *c = &channels->channel[i];
        *c = (BriChannel){.unit = "", .help = CHANNELS[i].help, .width = 1, .offset = i};
        snprintf(c->group, sizeof c->group, "%s", CHANNELS[i].group);
        snprintf(c->name, sizeof c->name, "%s", CHANNELS[i].name);
        channels->count = channels->width = i + 1;
    }
    return BR_OK;
}

/* ------------------------------------------------------------------ reading */

static bool read_number(BriReader *r, const BriNode *map, const char *key, double *value) {
    const BriNode *node = bri_node_find(map, key);
    return node ? bri_read_number(r, node, key, BRI_UNTYPED, value)
                : bri_refuse(r, map,
                             "a map with 'over' needs 'from', 'to' and 'count', one with 'boundary' needs 'low' "
                             "and 'high'; '%s' is missing",
                             key);
}

static bool read_path(BriReader *r, const BriNode *map, const char *key, const char **path) {
    const BriNode *node = bri_node_find(map, key);
    return !node || bri_read_word(r, node, key, path);
}

static bool read_over(BriReader *r, const BriNode *node, BriMapRun *map) {
    double count = 1;
    map->count = 1;
    if (!read_path(r, node, "over", &map->over)) return false;
    if (!map->over) return true;
    if (!read_number(r, node, "from", &map->from) || !read_number(r, node, "to", &map->to) ||
        !read_number(r, node, "count", &count))
        return false;
    bool whole = count == bri_floor(count) && count >= 1 && count <= MOST_ROWS;
    if (whole) map->count = (int)count;
    if (!(map->to > map->from || count == 1))
        return bri_refuse(r, node, "from %.9g to %.9g; 'to' must be the larger one", map->from, map->to);
    return whole || bri_refuse(r, bri_node_find(node, "count"), "count is %.9g; it must be a whole number from 1 to %d",
                               count, MOST_ROWS);
}

static bool read_boundary(BriReader *r, const BriNode *node, BriMapRun *map) {
    if (!read_path(r, node, "boundary", &map->boundary)) return false;
    if (!map->boundary) return true;
    return read_number(r, node, "low", &map->low) && read_number(r, node, "high", &map->high) &&
           (!bri_node_find(node, "tolerance") || read_number(r, node, "tolerance", &map->tolerance));
}

bool bri_open_map(BrExperiment *e, BriRun *run, const char *path, const char *const *set, int sets) {
    static const char *const KEYS[] = {"over", "from", "to", "count", "boundary", "low", "high", "tolerance"};
    BriReader *r = &e->reader;
    const BriNode *node = bri_node_find(run->entry.node, "map");
    if (!bri_check_keys(r, node, "map", KEYS, BRI_COUNT(KEYS))) return false;
    BriMapRun *map = bri_keep(r, sizeof *map);
    if (!map) return bri_no_memory(r);
    *map = (BriMapRun){.path = path, .set = set, .sets = sets};
    if (!read_over(r, node, map) || !read_boundary(r, node, map)) return false;
    run->map = map;
    run->planned = (uint64_t)map->count;
    run->planned_rows = map->count;
    return true;
}

/* ------------------------------------------------------------------ asking */

static BrStatus find_row(const BriMapRun *map, const BrSceneOptions *options, Row *row, BrError *error) {
    BrScenePoint point;
    BrStatus status = br_scene_diagnose(map->path, options, &point, error);
    if (status != BR_OK) return status;
    row->contacts = point.contacts, row->answers = point.answers, row->kept = point.kept;
    row->held = point.held;
    row->stable = point.stable, row->unstable = point.unstable;
    row->endless = point.verdict == BR_DIAGNOSIS_ENDLESS;
    row->mu = point.mu, row->mu_painleve = point.mu_painleve;
    row->boundary = __builtin_nan("");
    if (!map->boundary) return BR_OK;
    BrMapLine line = {map->boundary, "", map->low, map->high, map->tolerance};
    BrScenePoint sides[2];
    return br_scene_boundary(map->path, options, &line, &row->boundary, sides, error);
}

static bool show_progress(BrExperiment *e, const BriRun *run, double value) {
    e->steps++;
    if (!e->options.progress) return true;
    return e->options.progress(e->options.user, run->name, (double)e->steps / (double)e->planned, value);
}

/* All rows; `text` is the last of `set`: what changes. */
static BrStatus find_rows(BrExperiment *e, BriRun *run, const char **set, char text[400], BrError *error) {
    const BriMapRun *map = run->map;
    BrSceneOptions options = br_default_scene_options();
    options.allocator = e->allocator;
    options.include = e->options.include, options.includes = e->options.includes;
    options.set = set, options.sets = map->sets + (map->over != NULL);
    for (int i = 0; i < map->count; i++) {
        Row row = {.over = map->count > 1 ? map->from + (map->to - map->from) * i / (map->count - 1) : map->from};
        row.time = row.over;
        if (map->over) snprintf(text, 400, "%.200s=%.17g", map->over, row.over);
        BrStatus status = find_row(map, &options, &row, error);
        if (status != BR_OK) return status;
        double *place = bri_series_next(&run->series, &e->allocator);
        if (!place) return bri_fail(error, BR_OUT_OF_MEMORY, "run '%.80s': no memory for its rows", run->name);
        memcpy(place, &row, sizeof row);
        run->series.rows++;
        if (!show_progress(e, run, row.over)) return bri_fail(error, BR_CANCELLED, "stopped in run '%.80s'", run->name);
    }
    return BR_OK;
}

bool bri_make_map(BrExperiment *e, BriRun *run) {
    BrError inner = {0};
    char text[400];
    const char **set = bri_allocate(&e->allocator, (size_t)run->map->sets + 1, sizeof *set);
    if (!set) return bri_no_memory(&e->reader);
    for (int i = 0; i < run->map->sets; i++) set[i] = run->map->set[i];
    set[run->map->sets] = text;
    BrStatus status = find_rows(e, run, set, text, &inner);
    bri_release(&e->allocator, set);
    run->done = true;
    if (status == BR_OK) return true;
    if (status == BR_OUT_OF_MEMORY || status == BR_CANCELLED) {
        *e->reader.error = inner;
        e->reader.status = status;
        return false;
    }
    run->problem = bri_keep_text(&e->reader, "in row %d: %s", run->series.rows, inner.text);
    return run->problem || bri_no_memory(&e->reader);
}
