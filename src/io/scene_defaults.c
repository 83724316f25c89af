/* scene_defaults.c: keys that entries of a kind do not say themselves. Shallow: a key that is said counts whole. */
#include "io/scene_expand.h"

#include <string.h>

static bool is_null(const BriNode *node) {
    return node->kind == BRI_NODE_SCALAR && !node->quoted &&
           (strcmp(node->text, "null") == 0 || strcmp(node->text, "~") == 0);
}

/* What entries of a kind lack. */
typedef struct Defaults {
    const BriNode *node;
    BriNames names; /* of its keys, by number */
    int *said;      /* of each key: the last entry, counted, that says it itself */
    int entries;
} Defaults;

static bool start_defaults(BriUnit *u, const BriNode *node, Defaults *d) {
    *d = (Defaults){.node = node, .said = bri_allocate(u->x->allocator, (size_t)node->count, sizeof(int))};
    bool fine = d->said != NULL;
    for (int i = 0; fine && i < node->count; i++)
        fine = bri_names_insert(&d->names, node->keys[i]->text, i, u->x->allocator);
    return fine || bri_no_memory(&u->reader);
}

static void end_defaults(BriUnit *u, Defaults *d) {
    bri_release(u->x->allocator, d->said);
    bri_names_release(&d->names, u->x->allocator);
}

/* The entry with its own keys, without those that it takes away (null), and with those it lacks. */
static bool fill_entry(BriUnit *u, Defaults *d, BriNode **entry) {
    const BriNode *node = *entry;
    BriChildren children = {0};
    bool fine = true;
    if (node->kind != BRI_NODE_MAPPING) return true; /* its reader says what is wrong */
    d->entries++;
    for (int i = 0; fine && i < node->count; i++) {
        int known = bri_names_find(&d->names, node->keys[i]->text);
        if (known >= 0) d->said[known] = d->entries;
        if (known < 0 || !is_null(node->items[i])) fine = bri_children_add(u, &children, node->keys[i], node->items[i]);
    }
    for (int i = 0; fine && i < d->node->count; i++)
        if (d->said[i] != d->entries)
            fine = bri_charge(u, 1 + bri_node_weight(d->node->items[i]), d->node->keys[i]) &&
                   bri_children_add(u, &children, d->node->keys[i], d->node->items[i]);
    BriNode *filled = fine ? bri_children_finish(u, &children, node, BRI_NODE_MAPPING) : NULL;
    bri_children_release(u, &children);
    if (filled) *entry = filled;
    return filled != NULL;
}

/* Of a kind whose entries stand in a section of their own. The section is a copy, and may be changed. */
static bool fill_section(BriUnit *u, Defaults *defaults, BriNode *section) {
    if (section->kind == BRI_NODE_SCALAR) return true;
    for (int i = 0; i < section->count; i++)
        if (!fill_entry(u, defaults, &section->items[i])) return false;
    bri_finish_collection(section);
    return true;
}

static bool fill_joints_of(BriUnit *u, const BriNode *type, const BriNode *node, BriNode *section) {
    Defaults d;
    if (node->kind != BRI_NODE_MAPPING)
        return bri_refuse(&u->reader, node,
                          "defaults of %.40s joints must be a mapping of keys, like {axis: [0, 0, 1]}", type->text);
    bool fine = start_defaults(u, node, &d);
    for (int i = 0; fine && i < section->count; i++)
        if (bri_node_find(section->items[i], type->text)) fine = fill_entry(u, &d, &section->items[i]);
    end_defaults(u, &d);
    return fine;
}

/* Defaults of joints stand by type. */
static bool fill_joints(BriUnit *u, const BriNode *defaults, BriNode *section) {
    const char *names[BR_JOINT_TYPES];
    for (int t = 0; t < BR_JOINT_TYPES; t++) names[t] = br_joint_info((BrJointType)t)->name;
    if (!bri_check_keys(&u->reader, defaults, "defaults of joints, by type", names, BR_JOINT_TYPES)) return false;
    for (int k = 0; section->kind == BRI_NODE_MAPPING && k < defaults->count; k++)
        if (!fill_joints_of(u, defaults->keys[k], defaults->items[k], section)) return false;
    bri_finish_collection(section);
    return true;
}

static bool is_fixed(const BriNode *body) {
    const BriNode *fixed = bri_node_find(body, "fixed");
    return fixed && fixed->kind == BRI_NODE_SCALAR && strcmp(fixed->text, "true") == 0;
}

/* Defaults of bodies are for those that move freely: fixed ones and those that a motion moves take none. */
static bool fill_bodies(BriUnit *u, Defaults *defaults, BriNode *section, const BriNode *motions) {
    BriNames moved = {0};
    bool fine = true;
    for (int i = 0; fine && motions && i < motions->count; i++) {
        const BriNode *body = bri_node_find(motions->items[i], "body");
        if (body && body->kind == BRI_NODE_SCALAR && bri_names_find(&moved, body->text) < 0)
            fine = bri_names_insert(&moved, body->text, i, u->x->allocator) || bri_no_memory(&u->reader);
    }
    for (int i = 0; fine && section->kind == BRI_NODE_MAPPING && i < section->count; i++)
        if (!is_fixed(section->items[i]) && bri_names_find(&moved, section->keys[i]->text) < 0)
            fine = fill_entry(u, defaults, &section->items[i]);
    bri_names_release(&moved, u->x->allocator);
    if (fine) bri_finish_collection(section);
    return fine;
}

static bool fill_shapes(BriUnit *u, Defaults *defaults, BriNode *bodies) {
    for (int i = 0; i < bodies->count; i++) {
        BriNode *body = bodies->items[i];
        for (int k = 0; body->kind == BRI_NODE_MAPPING && k < body->count; k++) {
            if (strcmp(body->keys[k]->text, "shapes") != 0 || body->items[k]->kind != BRI_NODE_SEQUENCE) continue;
            const BriNode *shared = body->items[k]; /* with other bodies, where it is a default itself */
            BriNode *own = bri_make_collection(u->x->document, shared, BRI_NODE_SEQUENCE, shared->count);
            if (!own) return bri_no_memory(&u->reader);
            if (shared->count) memcpy(own->items, shared->items, (size_t)shared->count * sizeof *own->items);
            if (!fill_section(u, defaults, own)) return false;
            body->items[k] = own;
        }
        bri_finish_collection(body);
    }
    bri_finish_collection(bodies);
    return true;
}

static bool fill_kind(BriUnit *u, const BriNode *key, const BriNode *node, const BriNode *flat) {
    BriNode *bodies = bri_node_find(flat, "bodies"), *section = bri_node_find(flat, key->text);
    bool of_shapes = strcmp(key->text, "shapes") == 0;
    Defaults d;
    if (node->kind != BRI_NODE_MAPPING)
        return bri_refuse(&u->reader, node, "defaults of %.60s must be a mapping of keys", key->text);
    if (of_shapes) section = bodies && bodies->kind == BRI_NODE_MAPPING ? bodies : NULL;
    if (!section) return true;
    if (strcmp(key->text, "joints") == 0) return fill_joints(u, node, section);
    bool fine = start_defaults(u, node, &d);
    BriNode *beside = of_shapes ? bri_node_find(flat, "shapes") : NULL;
    if (fine && of_shapes)
        fine = fill_shapes(u, &d, section) && (!beside || fill_section(u, &d, beside));
    else if (fine && section == bodies)
        fine = fill_bodies(u, &d, section, bri_node_find(flat, "motions"));
    else if (fine)
        fine = fill_section(u, &d, section);
    end_defaults(u, &d);
    return fine;
}

/* Sections of entries, and shapes, which stand in bodies. */
static bool check_kinds(BriUnit *u, const BriNode *defaults) {
    static const char *const KINDS[] = {"bodies",  "shapes", "joints", "springs",  "motors",
                                        "motions", "forces", "pairs",  "materials"};
    return bri_check_keys(&u->reader, defaults, "defaults", KINDS, BRI_COUNT(KINDS));
}

bool bri_fill_defaults(BriUnit *u, const BriNode *written, BriNode **flat) {
    BriCopy copy = {u, NULL, u->note};
    BriNode *defaults = NULL;
    if (!check_kinds(u, written) || !bri_copy_node(&copy, "defaults", written, &defaults)) return false;
    for (int pass = 0; pass < 2; pass++) /* shapes last: those that bodies have by default, too */
        for (int i = 0; i < defaults->count; i++)
            if ((strcmp(defaults->keys[i]->text, "shapes") == 0) == (pass == 1) &&
                !fill_kind(u, defaults->keys[i], defaults->items[i], *flat))
                return false;
    bri_finish_collection(*flat);
    return true;
}
