/* scene_pose.c: at and rotate of a part that is placed: what it gives in world axes is turned and moved.
 *
 *      point:   p' = at + R p          direction, velocity, force:   d' = R d
 *
 * Poses of its bodies and frames get a parent, a frame called as what is placed. Components of other vectors stay
 * expressions, "0.5 + (x0)": they keep their parameters and units. R is worked out; an entry that is 0, 1 or -1 but for
 * rounding counts as such, so that quarter turns only exchange components. */
#include "io/scene_expand.h"

#include <stdio.h>
#include <string.h>

typedef struct Move {
    BriUnit *unit;
    const BriNode *name;
    const BriNode *at, *rotate; /* lists, or NULL */
    BrMat3 R;
    bool turned;
} Move;

/* ------------------------------------------------------------------ texts */

static bool is_zero(const char *text) { return strcmp(text, "0") == 0; }

static bool put(Move *m, const char *text) { return bri_put(m->unit, &m->unit->x->text, text, strlen(text)); }

/* One summand: a component times a factor. */
static bool put_term(Move *m, const char *text, double factor, bool first) {
    static const char SIMPLE[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    bool whole = factor == 1 || factor == -1, bare = text[strspn(text, SIMPLE)] == 0 || (first && factor == 1);
    char number[40] = "";
    if (!whole) snprintf(number, sizeof number, "%.17g*", bri_abs(factor));
    return put(m, first ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ")) && put(m, number) &&
           put(m, bare ? "" : "(") && put(m, text) && put(m, bare ? "" : ")");
}

static bool is_list_of_three(const BriNode *node) { return node->kind == BRI_NODE_SEQUENCE && node->count == 3; }

/* R v, and with `at` for a point; the vector stands in *node, and the moved one takes its place. */
static bool move_vector(Move *m, BriNode **node, bool point) {
    BriUnit *u = m->unit;
    const BriNode *old = *node;
    if (!is_list_of_three(old)) return true; /* its reader says what is wrong, or it has no axes */
    for (int j = 0; j < 3; j++)
        if (old->items[j]->kind != BRI_NODE_SCALAR)
            return bri_refuse(
                &u->reader, old->items[j],
                "a part that is placed with 'at' or 'rotate' has numbers or expressions here, no list and "
                "no table; write an expression of t, or let the scene say this");
    BriNode *moved = bri_make_collection(u->x->document, old, BRI_NODE_SEQUENCE, 3);
    if (!moved) return bri_no_memory(&u->reader);
    for (int k = 0; k < 3; k++) {
        BriBuffer *text = &u->x->text;
        bool first = true, shift = point && m->at && !is_zero(m->at->items[k]->text);
        text->length = 0;
        if (shift && !put_term(m, m->at->items[k]->text, 1, true)) return false;
        first = !shift;
        for (int j = 0; j < 3; j++) {
            if (m->R.m[k][j] == 0 || is_zero(old->items[j]->text)) continue;
            if (!put_term(m, old->items[j]->text, m->R.m[k][j], first)) return false;
            first = false;
        }
        if (first && !put(m, "0")) return false;
        if (!bri_charge(u, 1 + text->length / 32, old)) return false;
        moved->items[k] = bri_make_scalar(u->x->document, old->items[k], text->bytes, (size_t)text->length);
        if (!moved->items[k]) return bri_no_memory(&u->reader);
    }
    bri_finish_collection(moved);
    *node = moved;
    return true;
}

/* [x, y, z] as a node */
static BriNode *make_vector(Move *m, const BriNode *place, const char *const text[3]) {
    BriNode *list = bri_make_collection(m->unit->x->document, place, BRI_NODE_SEQUENCE, 3);
    for (int k = 0; list && k < 3; k++) {
        list->items[k] = bri_make_scalar(m->unit->x->document, place, text[k], strlen(text[k]));
        if (!list->items[k]) list = NULL;
    }
    if (list)
        bri_finish_collection(list);
    else
        bri_no_memory(&m->unit->reader);
    return list;
}

/* The mapping with one more key. */
static bool add_key(Move *m, BriNode **mapping, const char *name, BriNode *item) {
    const BriNode *old = *mapping;
    BriDocument *document = m->unit->x->document;
    BriNode *larger = bri_make_collection(document, old, BRI_NODE_MAPPING, old->count + 1);
    BriNode *key = item ? bri_make_scalar(document, old, name, strlen(name)) : NULL;
    if (!larger || !key) return item ? bri_no_memory(&m->unit->reader) : false;
    BRI_ASSERT(larger->keys && (old->items || old->count == 0)); /* a mapping has them */
    for (int i = 0; i < old->count; i++) larger->keys[i] = old->keys[i], larger->items[i] = old->items[i];
    larger->keys[old->count] = key;
    larger->items[old->count] = item;
    bri_finish_collection(larger);
    *mapping = larger;
    return bri_charge(m->unit, 1 + bri_node_weight(item), old);
}

/* ------------------------------------------------------------------ sections */

/* Where vectors in world axes stand. */
static const struct Vector {
    const char *section, *key, *inner;
    bool point;
} VECTORS[] = {{"bodies", "velocity", "linear", false},
               {"bodies", "velocity", "angular", false},
               {"joints", "at", NULL, true},
               {"joints", "axis", NULL, false},
               {"joints", "axis2", NULL, false},
               {"joints", "axle", NULL, false},
               {"joints", "friction", "guide_side", false},
               {"springs", "direction_at_zero", NULL, false},
               {"springs", "at", NULL, true}, /* bushings */
               {"springs", "axis", NULL, false},
               {"forces", "force", NULL, false},
               {"forces", "torque", NULL, false},
               {"forces", "direction", NULL, false},
               {"forces", "axis", NULL, false},
               {"motions", "position", NULL, true},
               {"motions", "velocity", NULL, false},
               {"motions", "angular_velocity", NULL, false}};

static BriNode **find_place(const BriNode *mapping, const char *key) {
    for (int i = 0; mapping->kind == BRI_NODE_MAPPING && i < mapping->count; i++)
        if (strcmp(mapping->keys[i]->text, key) == 0) return &mapping->items[i];
    return NULL;
}

/* A pose in the world is one on the part's frame; one that has a parent goes with that. */
static bool move_pose(Move *m, BriNode **pose) {
    if ((*pose)->kind != BRI_NODE_MAPPING || find_place(*pose, "parent")) return true;
    BriNode *parent = bri_make_scalar(m->unit->x->document, *pose, m->name->text, strlen(m->name->text));
    return parent ? add_key(m, pose, "parent", parent) : bri_no_memory(&m->unit->reader);
}

static bool move_body(Move *m, BriNode **body) {
    if (find_place(*body, "pose")) return move_pose(m, find_place(*body, "pose"));
    BriNode *empty = bri_make_collection(m->unit->x->document, *body, BRI_NODE_MAPPING, 0);
    if (!empty) return bri_no_memory(&m->unit->reader);
    return add_key(m, body, "pose", empty) && move_pose(m, find_place(*body, "pose"));
}

/* {name: {position: at, rotate: [..]}} */
static BriNode *make_frames(Move *m) {
    BriDocument *document = m->unit->x->document;
    BriNode *frame = bri_make_collection(document, m->name, BRI_NODE_MAPPING, 0);
    BriNode *frames = bri_make_collection(document, m->name, BRI_NODE_MAPPING, 0);
    if (!frame || !frames) {
        bri_no_memory(&m->unit->reader);
        return NULL;
    }
    bool fine = (!m->at || add_key(m, &frame, "position", (BriNode *)(uintptr_t)m->at)) && /* shared, and only read */
                (!m->rotate || add_key(m, &frame, "rotate", (BriNode *)(uintptr_t)m->rotate));
    return fine && add_key(m, &frames, m->name->text, frame) ? frames : NULL;
}

/* A force or torque of one function acts along a direction, which turns with the part. */
static bool give_direction(Move *m, BriNode **force, const char *key, const char *direction,
                           const char *const text[3]) {
    BriNode **load = find_place(*force, key);
    if (!load || (*load)->kind == BRI_NODE_SEQUENCE) return true;
    const BriNode *table = bri_node_find(*load, "table");
    if (table && table->kind == BRI_NODE_SEQUENCE && table->count && table->items[0]->count == 4)
        return bri_refuse(&m->unit->reader, *load,
                          "a table with rows [t, x, y, z] cannot be turned with the part; use "
                          "force_body or torque_body, or one function along a direction");
    return find_place(*force, direction) || add_key(m, force, direction, make_vector(m, *force, text));
}

/* What counts from the world's axes where nothing is said turns with the part, too. */
static bool turn_defaults(Move *m, const char *section, BriNode **entry) {
    static const char *const X[] = {"1", "0", "0"}, *const Z[] = {"0", "0", "1"}, *const DOWN[] = {"0", "0", "-1"};
    if (strcmp(section, "forces") == 0)
        return give_direction(m, entry, "force", "direction", X) && give_direction(m, entry, "torque", "axis", Z);
    if (strcmp(section, "springs") == 0 && find_place(*entry, "between") && !find_place(*entry, "direction_at_zero"))
        return add_key(m, entry, "direction_at_zero", make_vector(m, *entry, DOWN));
    BriNode **friction = strcmp(section, "joints") == 0 ? find_place(*entry, "friction") : NULL;
    if (friction && find_place(*friction, "guide_width") && !find_place(*friction, "guide_side"))
        return bri_refuse(&m->unit->reader, *friction, "the guide of a part that is turned needs 'guide_side'");
    return true;
}

static bool move_entry(Move *m, const char *section, BriNode **entry) {
    if ((*entry)->kind != BRI_NODE_MAPPING) return true; /* its reader says what is wrong */
    if (strcmp(section, "bodies") == 0 && !move_body(m, entry)) return false;
    if (strcmp(section, "frames") == 0 && !move_pose(m, entry)) return false;
    if (m->turned && !turn_defaults(m, section, entry)) return false;
    for (int i = 0; i < BRI_COUNT(VECTORS); i++) {
        const struct Vector *v = &VECTORS[i];
        BriNode **place = strcmp(section, v->section) == 0 ? find_place(*entry, v->key) : NULL;
        if (place && v->inner) place = find_place(*place, v->inner);
        if (place && (m->turned || v->point) && !move_vector(m, place, v->point)) return false;
    }
    bri_finish_collection(*entry);
    return true;
}

/* ------------------------------------------------------------------ the part */

static bool read_move(Move *m, const BriNode *entry) {
    BriReader *r = &m->unit->reader;
    BrVec3 unused;
    m->at = bri_node_find(entry, "at");
    m->rotate = bri_node_find(entry, "rotate");
    m->R = bri_identity();
    if (!m->at && !m->rotate) return true;
    if (!bri_start_unit(m->unit)) return false;
    if (m->at && !bri_read_vector(r, m->at, "at", BRI_LENGTH, &unused)) return false;
    if (!m->rotate) return true;
    if (!bri_read_rotation(r, m->rotate, &m->R)) return false;
    m->turned = true;
    for (int i = 0; i < 9; i++) {
        double *entry_of = &m->R.m[i / 3][i % 3], whole = bri_floor(*entry_of + 0.5);
        if (bri_abs(*entry_of - whole) <= 4 * __DBL_EPSILON__) *entry_of = whole;
    }
    return true;
}

bool bri_move_part(BriUnit *u, const BriNode *name, const BriNode *entry, BriNode *sections, BriNode **frames) {
    Move m = {.unit = u, .name = name};
    *frames = NULL;
    if (!read_move(&m, entry)) return false;
    if (!m.at && !m.rotate) return true;
    for (int s = 0; s < sections->count; s++) {
        BriNode *section = sections->items[s];
        for (int i = 0; section->kind == BRI_NODE_MAPPING && i < section->count; i++)
            if (!move_entry(&m, sections->keys[s]->text, &section->items[i])) return false;
    }
    *frames = make_frames(&m);
    return *frames != NULL;
}
