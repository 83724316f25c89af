/* scene_couplings.c: couplings: {name: {gear: [first joint, second joint], ratio: ..., offset: ...}}. */
#include "bristle/coupling.h"
#include "io/scene_parts.h"

#include <stdio.h>
#include <string.h>

static const BriNode *find(const BriNode *node, const char *key) { return bri_node_find(node, key); }

/* "joint", or "joint.coordinate": names have no dots. */
static bool find_joint(BriReader *r, const BriNode *node, const char *text, size_t length, BrJointId *id) {
    const char *names[256];
    char name[64];
    int count = br_model_joint_count(r->model) < 256 ? br_model_joint_count(r->model) : 256, ignored;
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
    *id = br_model_find_joint(r->model, name);
    if (id->index1) return true;
    if (count == 0) return bri_refuse(r, node, "there is no joint '%.60s': the scene has no joints", name);
    for (int i = 0; i < count; i++) names[i] = br_joint_def(r->model, br_model_joint(r->model, i))->name;
    bri_choose(r, node, name, "joint", names, count, &ignored); /* refuses, and suggests the nearest */
    return false;
}

/* One end of a coupling: a joint, and which of its coordinates. */
static bool read_end(BriReader *r, const BriNode *node, BrJointId *joint, int *coordinate, bool *is_angle) {
    const char *text, *names[3];
    int numbers[3], count = 0, choice = 0;
    if (!bri_read_word(r, node, "a coupled joint", &text)) return false;
    const char *dot = strchr(text, '.');
    if (!find_joint(r, node, text, dot ? (size_t)(dot - text) : strlen(text), joint)) return false;
    const BrJointDef *def = br_joint_def(r->model, *joint);
    const BrJointInfo *info = br_joint_info(def->type);
    for (int c = 0; c < info->coordinates; c++)
        if (info->coordinate[c].driveable) names[count] = info->coordinate[c].name, numbers[count++] = c;
    if (count == 0) return bri_refuse(r, node, "a %s joint has no coordinate that could be coupled", info->name);
    if (!dot && count > 1)
        return bri_refuse(r, node, "joint '%.60s' (%s) has several coordinates: say '%.60s.%s' or another", def->name,
                          info->name, def->name, names[0]);
    if (dot && !bri_choose(r, node, dot + 1, "coordinate", names, count, &choice)) return false;
    *coordinate = numbers[choice];
    *is_angle = strcmp(info->coordinate[numbers[choice]].unit, "rad") == 0;
    return true;
}

/* The key of the entry that is a type of coupling. */
static const BriNode *find_type(BriReader *r, const BriNode *key, const BriNode *entry, int *type) {
    const char *names[BR_COUPLING_TYPES];
    for (int t = 0; t < BR_COUPLING_TYPES; t++) names[t] = br_coupling_info((BrCouplingType)t)->name;
    if (entry->kind != BRI_NODE_MAPPING || entry->count == 0) {
        bri_refuse(r, entry, "coupling '%.60s' must be a mapping like {gear: [first joint, second joint], ratio: -2}",
                   key->text);
        return NULL;
    }
    for (*type = 0; *type < BR_COUPLING_TYPES; ++*type)
        if (find(entry, names[*type])) return find(entry, names[*type]);
    if (bri_choose(r, entry->keys[0], entry->keys[0]->text, "type of coupling", names, BR_COUPLING_TYPES, type))
        return find(entry, names[*type]);
    return NULL;
}

static bool read_radii(BriReader *r, const BriNode *node, BrCouplingDef *def) {
    if (node->kind != BRI_NODE_SEQUENCE || node->count != 2)
        return bri_refuse(r, node, "radii must be two lengths, [of the first pulley, of the second]");
    return bri_read_number(r, node->items[0], "radii", BRI_LENGTH, &def->radius) &&
           bri_read_number(r, node->items[1], "radii", BRI_LENGTH, &def->radius_b);
}

/* What the type says about how far the one goes with the other. */
static bool read_transmission(BriReader *r, const BriNode *key, const BriNode *entry, BrCouplingDef *def) {
    static const char *const NEEDED[BR_COUPLING_TYPES] = {"ratio", "radius", "lead", "radii"};
    const BriNode *value = find(entry, NEEDED[def->type]), *crossed = find(entry, "crossed");
    if (!value)
        return bri_refuse(r, key, "coupling '%.60s' needs '%s': %s", key->text, NEEDED[def->type],
                          br_coupling_info(def->type)->help);
    switch (def->type) {
    case BR_COUPLING_GEAR: return bri_read_number(r, value, "ratio", BRI_NO_UNIT, &def->ratio);
    case BR_COUPLING_RACK: return bri_read_number(r, value, "radius", BRI_LENGTH, &def->radius);
    case BR_COUPLING_SCREW: return bri_read_number(r, value, "lead", BRI_LENGTH, &def->lead);
    case BR_COUPLING_BELT:
        return read_radii(r, value, def) && (!crossed || bri_read_flag(r, crossed, "crossed", &def->crossed));
    case BR_COUPLING_TYPES: break;
    }
    return false;
}

static bool read_coupling(BriReader *r, const BriNode *key, const BriNode *entry) {
    static const char *const OF_TYPE[BR_COUPLING_TYPES][2] = {
        {"ratio", "offset"}, {"radius", "offset"}, {"lead", "offset"}, {"radii", "crossed"}};
    int type = 0;
    const BriNode *joints = find_type(r, key, entry, &type), *offset;
    if (!joints) return false;
    const char *keys[4] = {br_coupling_info((BrCouplingType)type)->name, OF_TYPE[type][0], OF_TYPE[type][1], "offset"};
    char what[100];
    snprintf(what, sizeof what, "%s '%.60s'", keys[0], key->text);
    if (!bri_check_keys(r, entry, what, keys, type == BR_COUPLING_BELT ? 4 : 3)) return false;
    BrCouplingDef def = br_default_coupling_def();
    bool angle_a = false, angle_b = false;
    def.name = key->text;
    def.type = (BrCouplingType)type;
    if (joints->kind != BRI_NODE_SEQUENCE || joints->count != 2)
        return bri_refuse(r, joints, "%s must be a list of two joints [first, second]", keys[0]);
    if (!read_end(r, joints->items[0], &def.joint_a, &def.coordinate_a, &angle_a) ||
        !read_end(r, joints->items[1], &def.joint_b, &def.coordinate_b, &angle_b) ||
        !read_transmission(r, key, entry, &def))
        return false;
    offset = find(entry, "offset");
    bool turns = type == BR_COUPLING_GEAR && angle_a;
    if (offset && !bri_read_number(r, offset, "offset", turns ? BRI_ANGLE : BRI_LENGTH, &def.offset)) return false;
    BrStatus status = br_model_add_coupling(r->model, &def, NULL, r->error);
    return status == BR_OK || bri_refuse_as(r, key, status);
}

bool bri_read_couplings(BriReader *r, const BriNode *section) {
    if (section->kind != BRI_NODE_MAPPING)
        return bri_refuse(r, section, "couplings must be a mapping of names, like {name: {...}}");
    for (int i = 0; i < section->count; i++)
        if (!read_coupling(r, section->keys[i], section->items[i])) return false;
    return true;
}
