/* scene_signals.c: signals of a scene, in any order: one that names another is added after it. Measured data comes from a
 * recording or a CSV table beside the scene. */
#include "bristle/record.h"
#include "io/inside.h"
#include "io/scene_parts.h"

#include <stdio.h>
#include <string.h>

enum { DEEPEST = 100 };

/* In a signal everything is read, also the time. */
static const BriArguments ANYTHING = {{NULL, NULL}, {{false, 0, 0, 0, 0}, {false, 0, 0, 0, 0}}, true};

static bool read_table_signal(BriReader *r, const BriNode *key, const BriNode *node, BrSignalDef *def) {
    static const char *const KEYS[] = {"table", "over"};
    char what[100];
    snprintf(what, sizeof what, "signal '%.60s'", key->text);
    if (!bri_check_keys(r, node, what, KEYS, BRI_COUNT(KEYS))) return false;
    const BriNode *table = bri_node_find(node, "table"), *over = bri_node_find(node, "over");
    BrFunctionDef place = br_constant(0);
    if (!table) return bri_refuse(r, node, "%s: 'over' needs a 'table'", what);
    if (!bri_read_table(r, table, what, &ANYTHING, BRI_ANY_UNIT, 1, &def->value)) return false;
    if (!over) return true;
    if (over->kind != BRI_NODE_SCALAR) return bri_refuse(r, over, "%s: over must be an expression", what);
    if (!bri_read_function(r, over, "over", &ANYTHING, BRI_ANY_UNIT, &place)) return false;
    if (place.kind != BR_FUNCTION_EXPRESSION)
        return bri_refuse(r, over, "%s: over is the number %.9g; it must be something that varies", what,
                          place.constant);
    def->over = place.expression;
    def->constants = place.constants;
    def->constant_count = place.constant_count;
    return true;
}

/* ------------------------------------------------------------------ recorded data */

/* Times and values as x y pairs; rows at one moment, where an impact was recorded before and after, are one: the later. */
static int join_rows(const double *time, const double *value, int rows, double *xy) {
    int points = 0;
    for (int i = 0; i < rows; i++) {
        if (!bri_is_finite(time[i]) || !bri_is_finite(value[i])) continue;
        if (points && !(time[i] > xy[2 * points - 2])) points--;
        if (points && !(time[i] > xy[2 * points - 2])) return -1;
        xy[2 * points] = time[i];
        xy[2 * points + 1] = value[i];
        points++;
    }
    return points;
}

static bool read_rows(BriReader *r, const BriNode *node, BrRecording *file, const char *channel, BrSignalDef *def) {
    BrChannelInfo info;
    size_t rows = (size_t)br_recording_rows(file);
    BrError inner = {0};
    if (br_recording_describe(file, channel, &info, &inner) != BR_OK) return bri_refuse(r, node, "%s", inner.text);
    if (info.width != 1)
        return bri_refuse(r, node, "'%.60s' has %d numbers in a row; name a component", channel, info.width);
    double *time = bri_keep(r, (2 * rows + 1) * sizeof(double)), *xy = bri_keep(r, (2 * rows + 1) * sizeof(double));
    if (!time || !xy) return bri_no_memory(r);
    if (br_recording_read(file, "time", time, &inner) != BR_OK ||
        br_recording_read(file, channel, time + rows, &inner) != BR_OK)
        return bri_refuse(r, node, "%s", inner.text);
    int points = join_rows(time, time + rows, (int)rows, xy);
    if (points < 0) return bri_refuse(r, node, "its times must rise from row to row");
    if (points == 0) return bri_refuse(r, node, "'%.60s' has no rows", channel);
    def->value = br_table(xy, points);
    return true;
}

/* {recorded: FILE, channel: CHANNEL}: over t, the file beside the one that this stands in. */
static bool read_recorded_signal(BriReader *r, const BriNode *key, const BriNode *node, BrSignalDef *def) {
    static const char *const KEYS[] = {"recorded", "channel"};
    char what[100], folder[1024], path[1024], why[300];
    const char *name, *channel;
    snprintf(what, sizeof what, "signal '%.60s'", key->text);
    if (!bri_check_keys(r, node, what, KEYS, BRI_COUNT(KEYS))) return false;
    const BriNode *file = bri_node_find(node, "recorded"), *from = bri_node_find(node, "channel");
    if (!file || !from) return bri_refuse(r, node, "%s needs 'recorded', a file, and 'channel'", what);
    if (!bri_read_word(r, file, "recorded", &name) || !bri_read_word(r, from, "channel", &channel)) return false;
    const char *slash = strrchr(node->file, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - node->file) : 1, slash ? node->file : ".");
    if (!bri_find_inside(folder, name, "the scene's folder", path, sizeof path, why, sizeof why))
        return bri_refuse(r, file, "%s", why);
    BrRecording *recording;
    BrError inner = {0};
    if (br_recording_open(path, &recording, &inner) != BR_OK)
        return bri_refuse(r, file, "%.200s: %s", name, inner.text);
    bool fine = read_rows(r, from, recording, channel, def);
    br_recording_close(recording);
    return fine;
}

/* ------------------------------------------------------------------ all of them */

static bool read_signal(BriReader *r, const BriNode *key, const BriNode *node) {
    BrSignalDef def = br_default_signal_def();
    char what[100];
    snprintf(what, sizeof what, "signal '%.60s'", key->text);
    def.name = key->text;
    if (bri_names_find(&r->parameter_names, key->text) >= 0)
        return bri_refuse(r, key, "%s has the name of a parameter; expressions could not tell them apart", what);
    bool mapping = node->kind == BRI_NODE_MAPPING, recorded = mapping && bri_node_find(node, "recorded");
    bool table = mapping && !recorded && !bri_node_find(node, "sine");
    if (!(recorded ? read_recorded_signal(r, key, node, &def)
          : table  ? read_table_signal(r, key, node, &def)
                   : bri_read_function(r, node, what, &ANYTHING, BRI_ANY_UNIT, &def.value)))
        return false;
    BrStatus status = br_model_add_signal(r->model, &def, NULL, r->error);
    return status == BR_OK || bri_refuse_as(r, key, status);
}

/* The members of a circle: those that wait, in the order of the file. */
static bool refuse_circle(BriReader *r, int k) {
    char members[200] = "";
    size_t used = 0;
    for (int i = 0; i < r->signals->count && used < sizeof members; i++)
        if (r->signal_known[i] == 1)
            used += (size_t)snprintf(members + used, sizeof members - used, "%s'%.40s'", used ? ", " : "",
                                     r->signals->keys[i]->text);
    return bri_refuse(r, r->signals->keys[k], "the signals %s hang on each other; break the circle", members);
}

bool bri_add_signal(BriReader *r, int k) {
    if (r->signal_known[k] == 2) return true;
    if (r->signal_known[k] == 1) return refuse_circle(r, k);
    if (r->depth >= DEEPEST)
        return bri_refuse(r, r->signals->keys[k], "signal '%.60s' stands at the end of a chain of more than %d others",
                          r->signals->keys[k]->text, DEEPEST);
    r->signal_known[k] = 1;
    r->depth++;
    if (!read_signal(r, r->signals->keys[k], r->signals->items[k])) return false;
    r->depth--;
    r->signal_known[k] = 2;
    return true;
}

bool bri_read_signals(BriReader *r, const BriNode *section) {
    if (section->kind != BRI_NODE_MAPPING)
        return bri_refuse(r, section, "signals must be a mapping of names, like {name: expression}");
    r->signal_known = bri_keep(r, (size_t)section->count + 1);
    if (!r->signal_known) return bri_no_memory(r);
    memset(r->signal_known, 0, (size_t)section->count + 1);
    r->signals = section;
    for (int k = 0; k < section->count; k++)
        if (bri_names_find(&r->signal_names, section->keys[k]->text) < 0 &&
            !bri_names_insert(&r->signal_names, section->keys[k]->text, k, r->allocator))
            return bri_no_memory(r);
    for (int k = 0; k < section->count; k++)
        if (!bri_add_signal(r, k)) return false;
    return true;
}
