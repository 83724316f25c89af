/* scene_sensors.c: sensors: {name: {point: body, at_body: [..]}}, imu, load_cell, contact. */
#include "bristle/sensor.h"
#include "io/scene_parts.h"

#include <stdio.h>

static const BriNode *find(const BriNode *node, const char *key) { return bri_node_find(node, key); }

/* The type whose word the entry has. */
static bool find_type(BriReader *r, const BriNode *key, const BriNode *entry, int *type) {
    const char *names[BR_SENSOR_TYPES];
    for (int t = 0; t < BR_SENSOR_TYPES; t++) names[t] = br_sensor_info((BrSensorType)t)->name;
    if (entry->kind != BRI_NODE_MAPPING || entry->count == 0)
        return bri_refuse(r, entry, "sensor '%.60s' must be a mapping like {point: body, at_body: [x, y, z]}",
                          key->text);
    for (*type = 0; *type < BR_SENSOR_TYPES; ++*type)
        if (find(entry, names[*type])) return true;
    return bri_choose(r, entry->keys[0], entry->keys[0]->text, "type of sensor", names, BR_SENSOR_TYPES, type);
}

/* Without a place it sits at the origin of the body's frame. */
static bool read_carrier(BriReader *r, const BriNode *entry, const BriNode *body, BrSensorDef *def) {
    if (!bri_find_body(r, body, "a sensor's body", &def->body)) return false;
    def->point_body = br_body_def(r->model, def->body)->frame_body;
    return bri_read_optional_body_point(r, entry, "at_body", def->body, &def->point_body) &&
           bri_read_orientation(r, entry, &def->rotation_body);
}

static bool read_sensor(BriReader *r, const BriNode *key, const BriNode *entry) {
    int type = 0, count = 2;
    const char *keys[2 + BRI_ORIENTATIONS] = {NULL, "at_body"};
    char what[100];
    if (!find_type(r, key, entry, &type)) return false;
    const char *word = keys[0] = br_sensor_info((BrSensorType)type)->name;
    snprintf(what, sizeof what, "%s '%.60s'", word, key->text);
    if (type == BR_SENSOR_LOAD_CELL || type == BR_SENSOR_CONTACT) count = 1;
    for (int i = 0; type == BR_SENSOR_IMU && i < BRI_ORIENTATIONS; i++) keys[count++] = bri_orientation_keys[i];
    if (!bri_check_keys(r, entry, what, keys, count)) return false;
    BrSensorDef def = br_default_sensor_def();
    def.name = key->text;
    def.type = (BrSensorType)type;
    const BriNode *of = find(entry, word);
    bool fine = type == BR_SENSOR_LOAD_CELL ? bri_find_joint(r, of, word, &def.joint)
                : type == BR_SENSOR_CONTACT ? bri_find_body_pair(r, of, word, &def.body, &def.other)
                                            : read_carrier(r, entry, of, &def);
    if (!fine) return false;
    BrStatus status = br_model_add_sensor(r->model, &def, NULL, r->error);
    return status == BR_OK || bri_refuse_as(r, key, status);
}

bool bri_read_sensors(BriReader *r, const BriNode *section) {
    if (!bri_check_section(r, section, "sensors")) return false;
    for (int i = 0; i < section->count; i++)
        if (!read_sensor(r, section->keys[i], section->items[i])) return false;
    return true;
}
