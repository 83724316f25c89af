/* scene_frames.c: where the frames of bodies, and named frames, stand in the world: each may hang on another. */
#include "io/scene_parts.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_CHAIN = 100 };

static bool list_places(BriReader *r, const BriNode *section, bool bodies) {
    for (int i = 0; section && i < section->count; i++) {
        const BriNode *key = section->keys[i], *entry = section->items[i];
        if (bri_names_find(&r->place_names, key->text) >= 0)
            return bri_refuse(r, key, "'%.60s' is a body already; give the frame a name of its own", key->text);
        const BriNode *pose = bodies && entry->kind == BRI_NODE_MAPPING ? bri_node_find(entry, "pose") : entry;
        if (bodies && entry->kind != BRI_NODE_MAPPING) pose = NULL; /* refused where bodies are read */
        r->place[r->places] = (BriPlace){.key = key, .pose = pose, .rotation = bri_identity()};
        if (!bri_names_insert(&r->place_names, key->text, r->places++, r->allocator)) return bri_no_memory(r);
    }
    return true;
}

static int find_place(BriReader *r, const BriNode *node) {
    const char *name, *names[256];
    int count = r->places < 256 ? r->places : 256, ignored;
    if (!bri_read_word(r, node, "frame", &name)) return -1;
    int k = bri_names_find(&r->place_names, name);
    if (k >= 0) return k;
    for (int i = 0; i < count; i++) names[i] = r->place[i].key->text;
    bri_choose(r, node, name, "body or frame", names, count, &ignored);
    return -1;
}

static bool work_out(BriReader *r, int k, int depth);

/* Position and axes, in the parent's or in the world's. */
static bool read_pose(BriReader *r, BriPlace *place, int depth) {
    const char *keys[2 + BRI_ORIENTATIONS] = {"parent", "position"};
    const BriNode *parent = NULL, *position = NULL;
    char what[100];
    memcpy(keys + 2, bri_orientation_keys, sizeof bri_orientation_keys);
    snprintf(what, sizeof what, "the pose of '%.60s'", place->key->text);
    if (!bri_check_keys(r, place->pose, what, keys, BRI_COUNT(keys))) return false;
    parent = bri_node_find(place->pose, "parent"), position = bri_node_find(place->pose, "position");
    if (position && !bri_read_vector(r, position, "position", BRI_LENGTH, &place->position)) return false;
    if (!bri_read_orientation(r, place->pose, &place->rotation)) return false;
    if (!parent) return true;
    int number = find_place(r, parent);
    if (number < 0 || !work_out(r, number, depth + 1)) return false;
    const BriPlace *on = &r->place[number];
    BrMat3 turned = bri_mat_mul(&on->rotation, &place->rotation);
    place->position = bri_add(on->position, bri_mul(&on->rotation, place->position));
    place->rotation = bri_rotation_normalise(&turned);
    return true;
}

static bool work_out(BriReader *r, int k, int depth) {
    BriPlace *place = &r->place[k];
    if (place->known == 2) return true;
    if (place->known == 1)
        return bri_refuse(r, place->key,
                          "the pose of '%.60s' hangs on itself by its parents; let one of them stand in the "
                          "world, without a 'parent'",
                          place->key->text);
    if (depth >= LONGEST_CHAIN)
        return bri_refuse(r, place->key, "the pose of '%.60s' stands at the end of a chain of more than %d parents",
                          place->key->text, LONGEST_CHAIN);
    place->known = 1;
    if (place->pose && !read_pose(r, place, depth)) return false;
    place->known = 2;
    return true;
}

bool bri_place_frames(BriReader *r, const BriNode *bodies, const BriNode *frames) {
    if (frames && !bri_check_section(r, frames, "frames")) return false;
    r->place = bri_keep(r, (size_t)(bodies->count + (frames ? frames->count : 0) + 1) * sizeof *r->place);
    if (!r->place) return bri_no_memory(r);
    if (!list_places(r, bodies, true) || !list_places(r, frames, false)) return false;
    for (int k = 0; k < r->places; k++)
        if (!work_out(r, k, 0)) return false;
    return true;
}

void bri_shift_origin(BriReader *r, BrBodyId body, BrVec3 *point) {
    const BrBodyDef *def = br_body_def(r->model, body);
    const BriPlace *place = &r->place[bri_names_find(&r->place_names, def->name)];
    if (!place->centred && bri_has_frame(def->frame_body)) *point = bri_add(*point, def->frame_body);
}

const BriPlace *bri_find_place(BriReader *r, const BriNode *node) {
    int number = find_place(r, node);
    return number < 0 ? NULL : &r->place[number];
}

/* {frame: name, KEY: [..]}: the frame, and the vector's node, NULL if there is none; NULL after a refusal. */
static const BriPlace *read_in_frame(BriReader *r, const BriNode *node, const char *what, const char *key,
                                     const BriNode **vector) {
    const char *const keys[] = {"frame", key};
    *vector = NULL;
    if (!bri_check_keys(r, node, what, keys, 2)) return NULL;
    const BriNode *frame = bri_node_find(node, "frame");
    *vector = bri_node_find(node, key);
    if (frame) return bri_find_place(r, frame);
    bri_refuse(r, node, "%s needs 'frame', the name of a body or of a frame", what);
    return NULL;
}

bool bri_read_point(BriReader *r, const BriNode *node, const char *what, BrVec3 *point) {
    const BriNode *position;
    BrVec3 own = {0, 0, 0};
    if (node->kind != BRI_NODE_MAPPING) return bri_read_vector(r, node, what, BRI_LENGTH, point);
    const BriPlace *place = read_in_frame(r, node, what, "position", &position);
    if (!place || (position && !bri_read_vector(r, position, "position", BRI_LENGTH, &own))) return false;
    *point = bri_add(place->position, bri_mul(&place->rotation, own));
    return true;
}

/* Kept as it was written: the model makes it a unit vector. */
bool bri_read_axis(BriReader *r, const BriNode *node, const char *what, BrVec3 *axis) {
    const BriNode *direction;
    BrVec3 unit;
    if (node->kind != BRI_NODE_MAPPING)
        return bri_read_direction(r, node, what, &unit) && bri_read_vector(r, node, what, BRI_NO_UNIT, axis);
    const BriPlace *place = read_in_frame(r, node, what, "direction", &direction);
    if (!place) return false;
    if (!direction) return bri_refuse(r, node, "%s needs 'direction: [x, y, z]', in the frame's axes", what);
    if (!bri_read_direction(r, direction, "direction", &unit)) return false;
    *axis = bri_mul(&place->rotation, unit);
    return true;
}
