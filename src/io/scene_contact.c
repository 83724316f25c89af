/* scene_contact.c: materials, pairs, shapes and filters of a scene. */
#include "bristle/contact.h"
#include "io/scene_parts.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LAWS = 32, MOST_MEMORIES = 32, MOST_KEYS = 40 };

/* ------------------------------------------------------------------ laws */

static BriDimension find_dimension(const char *unit) {
    BriDimension dimension = BRI_NO_UNIT;
    double factor;
    if (*unit) bri_unit_read(unit, &factor, &dimension);
    return dimension;
}

/* One parameter of a law: a number, "infinite", or a word of its list. */
static bool read_parameter(BriReader *r, const BriNode *node, const BrLawParameter *parameter, double *value) {
    if (!parameter->choice) {
        if (node->kind == BRI_NODE_SCALAR && parameter->highest > 1e300 && strcmp(node->text, "infinite") == 0) {
            *value = __builtin_inf();
            return true;
        }
        return bri_read_number(r, node, parameter->name, find_dimension(parameter->unit), value);
    }
    int count = 0, choice;
    const char *word;
    while (parameter->choice[count]) count++;
    if (!bri_read_word(r, node, parameter->name, &word) ||
        !bri_choose(r, node, word, parameter->name, parameter->choice, count, &choice))
        return false;
    *value = choice;
    return true;
}

static bool choose_law(BriReader *r, const BriNode *node, BrLawKind kind, bool compliant, BrLaw *law) {
    const char *names[MOST_LAWS], *word;
    int count = 0, choice;
    for (int i = 0; i < br_model_law_count(r->model) && count < MOST_LAWS; i++) {
        const BrLawInfo *info = br_model_law_info(r->model, i);
        bool fits = info->compliant == compliant || (info->rigid && !compliant);
        if (info->kind == kind && fits && !info->only_joints) names[count++] = info->name;
    }
    if (!bri_read_word(r, node, "law", &word) || !bri_choose(r, node, word, "law", names, count, &choice)) return false;
    *law = br_model_law(r->model, kind, word);
    return true;
}

/* {table: [[speed, value], ...]} in place of one parameter. */
static bool read_law_table(BriReader *r, const BriNode *node, BrLaw *law) {
    static const char *const KEYS[] = {"table"};
    if (!bri_check_keys(r, node, law->info->table, KEYS, 1)) return false;
    const BriNode *rows = bri_node_find(node, "table");
    if (!rows || rows->kind != BRI_NODE_SEQUENCE || rows->count < 1)
        return bri_refuse(r, node, "%s: a table is a list of points like [[0, 0.9], [1 m/s, 0.7]]", law->info->table);
    double *table = bri_keep(r, 2 * (size_t)rows->count * sizeof *table);
    if (!table) return bri_no_memory(r);
    law->table = table;
    law->points = rows->count;
    for (int i = 0; i < rows->count; i++) {
        const BriNode *row = rows->items[i];
        if (row->kind != BRI_NODE_SEQUENCE || row->count != 2)
            return bri_refuse(r, row, "%s: each point of the table has a speed and a value", law->info->table);
        if (!bri_read_number(r, row->items[0], "speed", BRI_VELOCITY, &table[2 * i]) ||
            !bri_read_number(r, row->items[1], law->info->table, BRI_NO_UNIT, &table[2 * i + 1]))
            return false;
    }
    return true;
}

/* The values of a law that has been chosen. */
static bool read_law_values(BriReader *r, const BriNode *node, BrLaw *law) {
    for (int i = 0; i < law->info->parameters; i++) {
        const BriNode *value = bri_node_find(node, law->info->parameter[i].name);
        bool table = value && value->kind == BRI_NODE_MAPPING && law->info->table &&
                     strcmp(law->info->table, law->info->parameter[i].name) == 0;
        if (table && !read_law_table(r, value, law)) return false;
        if (value && !table && !read_parameter(r, value, &law->info->parameter[i], &law->value[i])) return false;
    }
    return true;
}

/* {law: coulomb, mu: 0.3}: the law's own table says which keys there are. A law that is not there yet must be named. */
static bool read_law(BriReader *r, const BriNode *node, BrLawKind kind, bool compliant, BrLaw *law) {
    const char *keys[BR_LAW_VALUES + 1] = {"law"};
    char what[80];
    const BriNode *name = node->kind == BRI_NODE_MAPPING ? bri_node_find(node, "law") : NULL;
    if (name && !choose_law(r, name, kind, compliant, law)) return false;
    if (!law->info)
        return bri_refuse(r, node, "which law? say {law: NAME, ...}; 'bristle laws' lists the %s%s laws",
                          compliant ? "compliant " : "", kind == BR_LAW_NORMAL ? "normal" : "friction");
    for (int i = 0; i < law->info->parameters; i++) keys[i + 1] = law->info->parameter[i].name;
    snprintf(what, sizeof what, "the law '%s'", law->info->name);
    return bri_check_keys(r, node, what, keys, law->info->parameters + 1) && read_law_values(r, node, law);
}

/* ------------------------------------------------------------------ friction in bearings */

/* viscous is an effort per speed: of slides, and of pins that slide, N s/m. */
static BriDimension find_bearing_dimension(const BrBearingParameter *word, BrJointType type) {
    bool slides = type == BR_JOINT_PRISMATIC || type == BR_JOINT_CYLINDRICAL;
    return strcmp(word->key, "viscous") == 0 && slides ? BRI_DAMPING : find_dimension(word->unit);
}

static bool read_bearing_words(BriReader *r, const BriNode *node, BrJointDef *def) {
    static const char *const ON[] = {"first", "second"};
    const BriNode *side = bri_node_find(node, "guide_side"), *on = bri_node_find(node, "bearings_on");
    const char *word;
    int choice = 1;
    for (int i = 0; i < br_bearing_parameter_count(); i++) {
        const BrBearingParameter *p = br_bearing_parameter(i);
        const BriNode *value = bri_node_find(node, p->key);
        double number;
        if (!value) continue;
        if (!bri_read_number(r, value, p->key, find_bearing_dimension(p, def->type), &number)) return false;
        memcpy((char *)&def->friction + p->offset, &number, sizeof number);
    }
    if (side && !bri_read_axis(r, side, "guide_side", &def->friction.guide_side)) return false;
    if (on && (!bri_read_word(r, on, "bearings_on", &word) || !bri_choose(r, on, word, "body", ON, 2, &choice)))
        return false;
    def->friction.bearings_on_first = choice == 0;
    return true;
}

/* {law: coulomb, mu: 0.2, pin_radius: 5 mm, ...}: the tables of laws and of bearings say which keys there are. */
bool bri_read_bearing_friction(BriReader *r, const BriNode *node, BrJointDef *def) {
    const char *names[MOST_LAWS], *keys[MOST_KEYS] = {"law", "guide_side", "bearings_on"}, *word;
    int count = 0, choice, used = def->type == BR_JOINT_PRISMATIC ? 3 : 1;
    char what[100];
    if (def->type == BR_JOINT_CYLINDRICAL) keys[1] = keys[2], used = 2;
    for (int i = 0; i < br_model_law_count(r->model) && count < MOST_LAWS; i++)
        if (br_model_law_info(r->model, i)->joints &&
            br_model_law_info(r->model, i)->lasting == (def->type == BR_JOINT_CONTACT))
            names[count++] = br_model_law_info(r->model, i)->name;
    const BriNode *law = bri_node_find(node, "law");
    if (!bri_read_word(r, law, "law", &word) || !bri_choose(r, law, word, "law", names, count, &choice)) return false;
    def->friction.law = br_model_law(r->model, BR_LAW_FRICTION, word);
    const BrLawInfo *info = def->friction.law.info;
    for (int i = 0; i < info->parameters; i++) keys[used++] = info->parameter[i].name;
    for (int i = 0; i < br_bearing_parameter_count(); i++)
        if (br_bearing_parameter(i)->taken >> def->type & 1) keys[used++] = br_bearing_parameter(i)->key;
    snprintf(what, sizeof what, "friction of a %s joint, the law '%s'", br_joint_info(def->type)->name, info->name);
    return bri_check_keys(r, node, what, keys, used) && read_law_values(r, node, &def->friction.law) &&
           read_bearing_words(r, node, def);
}

/* compliant: {normal: {law: NAME, ...}, friction: {law: NAME, ...}} */
static bool read_compliant(BriReader *r, const BriNode *node, BrSurface *surface) {
    static const char *const KEYS[] = {"normal", "friction"};
    if (!bri_check_keys(r, node, "compliant", KEYS, 2)) return false;
    const BriNode *normal = bri_node_find(node, "normal"), *friction = bri_node_find(node, "friction");
    if (!normal || !friction)
        return bri_refuse(r, node, "compliant needs 'normal: {law: NAME, ...}' and 'friction: {law: NAME, ...}'");
    return read_law(r, normal, BR_LAW_NORMAL, true, &surface->compliant_normal) &&
           read_law(r, friction, BR_LAW_FRICTION, true, &surface->compliant_friction);
}

/* What a material without a plain friction has under other formulations: the default law, with what the compliant one
 * calls by the same names: its coefficients. */
static void take_coefficients(const BrLaw *compliant, BrLaw *friction) {
    for (int i = 0; i < compliant->info->parameters; i++)
        br_law_set(friction, compliant->info->parameter[i].name, compliant->value[i]);
}

/* friction: {...}, compliant: {...}, and parameters of the normal law: restitution: e, hypothesis: newton, poisson or
 * energetic */
static bool read_surface(BriReader *r, const BriNode *entry, BrSurface *surface) {
    const BriNode *friction = bri_node_find(entry, "friction"), *compliant = bri_node_find(entry, "compliant");
    if (!friction && !compliant)
        return bri_refuse(r, entry, "friction is missing; add 'friction: {law: coulomb, mu: 0.3}'");
    if (friction && !read_law(r, friction, BR_LAW_FRICTION, false, &surface->friction)) return false;
    if (compliant && !read_compliant(r, compliant, surface)) return false;
    if (!friction) take_coefficients(&surface->compliant_friction, &surface->friction);
    const BrLawInfo *normal = surface->normal.info;
    for (int i = 0; i < normal->parameters; i++) {
        const BriNode *value = bri_node_find(entry, normal->parameter[i].name);
        if (value && !read_parameter(r, value, &normal->parameter[i], &surface->normal.value[i])) return false;
    }
    return true;
}

/* ------------------------------------------------------------------ materials, pairs, filters */

/* elastic: {E: 210 GPa, nu: 0.3} */
static bool read_elastic(BriReader *r, const BriNode *entry, BrMaterialDef *def) {
    static const char *const KEYS[] = {"E", "nu"};
    const BriNode *node = bri_node_find(entry, "elastic");
    if (!node) return true;
    if (!bri_check_keys(r, node, "elastic", KEYS, 2)) return false;
    const BriNode *E = bri_node_find(node, "E"), *nu = bri_node_find(node, "nu");
    if (!E || !nu) return bri_refuse(r, node, "elastic needs E and nu, like {E: 210 GPa, nu: 0.3}");
    return bri_read_number(r, E, "E", find_dimension("Pa"), &def->youngs_modulus) &&
           bri_read_number(r, nu, "nu", BRI_NO_UNIT, &def->poissons_ratio);
}

bool bri_read_materials(BriReader *r, const BriNode *section) {
    static const char *const KEYS[] = {"friction", "restitution", "hypothesis", "compliant", "elastic", "density"};
    if (section->kind != BRI_NODE_MAPPING)
        return bri_refuse(r, section, "materials must be a mapping like {steel: {friction: {law: coulomb, mu: 0.3}}}");
    for (int i = 0; i < section->count; i++) {
        BrMaterialDef def = br_default_material_def();
        BrMaterialId id;
        char what[100];
        snprintf(what, sizeof what, "material '%.60s'", section->keys[i]->text);
        def.name = section->keys[i]->text;
        if (!bri_check_keys(r, section->items[i], what, KEYS, BRI_COUNT(KEYS)) ||
            !read_surface(r, section->items[i], &def.surface) || !read_elastic(r, section->items[i], &def))
            return false;
        const BriNode *density = bri_node_find(section->items[i], "density");
        if (density && !bri_read_density(r, density, &def.density)) return false;
        BrStatus status = br_model_add_material(r->model, &def, &id, r->error);
        if (status != BR_OK) return bri_refuse_as(r, section->items[i], status);
    }
    return true;
}

static bool find_material(BriReader *r, const BriNode *node, BrMaterialId *id) {
    const char *names[256], *word;
    int count = br_model_material_count(r->model), ignored;
    if (!bri_read_word(r, node, "material", &word)) return false;
    *id = br_model_find_material(r->model, word);
    if (id->index1) return true;
    count = count < 256 ? count : 256;
    for (int i = 0; i < count; i++) names[i] = br_material_def(r->model, br_model_material(r->model, i))->name;
    if (count == 0)
        return bri_refuse(r, node,
                          "there is no material '%.60s'; add 'materials: {%.60s: {friction: {law: coulomb, mu: 0.3}}}'",
                          word, word);
    bri_choose(r, node, word, "material", names, count, &ignored);
    return false;
}

bool bri_read_pairs(BriReader *r, const BriNode *section) {
    static const char *const KEYS[] = {"between", "friction", "restitution", "hypothesis", "compliant"};
    if (section->kind != BRI_NODE_SEQUENCE)
        return bri_refuse(r, section,
                          "pairs must be a list like [{between: [tyre, ice], friction: {law: coulomb, mu: 0.05}}]");
    for (int i = 0; i < section->count; i++) {
        const BriNode *entry = section->items[i];
        BrPairDef def = br_default_pair_def();
        if (!bri_check_keys(r, entry, "a pair", KEYS, BRI_COUNT(KEYS))) return false;
        const BriNode *between = bri_node_find(entry, "between");
        if (!between || between->kind != BRI_NODE_SEQUENCE || between->count != 2)
            return bri_refuse(r, entry, "a pair needs 'between: [first material, second material]'");
        if (!find_material(r, between->items[0], &def.material_a) ||
            !find_material(r, between->items[1], &def.material_b) || !read_surface(r, entry, &def.surface))
            return false;
        BrStatus status = br_model_add_pair(r->model, &def, r->error);
        if (status != BR_OK) return bri_refuse_as(r, entry, status);
    }
    return true;
}

bool bri_read_filters(BriReader *r, const BriNode *section) {
    static const char *const KEYS[] = {"never", "always"};
    if (section->kind != BRI_NODE_SEQUENCE)
        return bri_refuse(r, section, "filters must be a list like [{never: [arm, cart]}]");
    for (int i = 0; i < section->count; i++) {
        const BriNode *entry = section->items[i];
        BrFilterDef def = br_default_filter_def();
        if (!bri_check_keys(r, entry, "a filter", KEYS, BRI_COUNT(KEYS))) return false;
        const BriNode *never = bri_node_find(entry, "never"), *always = bri_node_find(entry, "always");
        if (!never == !always)
            return bri_refuse(r, entry, "a filter says 'never: [a, b]' or 'always: [a, b]', one of both");
        def.touch = always != NULL;
        if (!bri_find_body_pair(r, never ? never : always, def.touch ? "always" : "never", &def.body_a, &def.body_b))
            return false;
        BrStatus status = br_model_add_filter(r->model, &def, r->error);
        if (status != BR_OK) return bri_refuse_as(r, entry, status);
    }
    return true;
}

/* What contacts may begin with, as the tables of the laws have it: by symbol and by name. */
typedef struct Memories {
    int count;
    const char *key[MOST_MEMORIES];
    const BrLawMemory *memory[MOST_MEMORIES];
} Memories;

static void list_memory(Memories *list, const BrLawMemory *memory, const char *key) {
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->key[i], key) == 0) return;
    if (list->count == MOST_MEMORIES) return;
    list->key[list->count] = key;
    list->memory[list->count++] = memory;
}

static Memories list_memories(const BriReader *r) {
    Memories list = {0};
    for (int i = 0; i < br_model_law_count(r->model); i++)
        for (int k = 0; k < br_model_law_info(r->model, i)->memories; k++) {
            const BrLawMemory *memory = &br_model_law_info(r->model, i)->memory[k];
            if (!(memory->lowest < memory->highest)) continue;
            list_memory(&list, memory, memory->symbol);
            list_memory(&list, memory, memory->name);
        }
    return list;
}

static bool read_memory_value(BriReader *r, const BriNode *node, const char *key, const BrLawMemory *memory,
                              BrMemoryDef *def) {
    def->value = 0;
    def->vector = bri_vec(0, 0, 0);
    BriDimension dimension = find_dimension(memory->unit);
    return memory->tangent ? bri_read_vector(r, node, key, dimension, &def->vector)
                           : bri_read_number(r, node, key, dimension, &def->value);
}

/* memory: {"block/plate": {symbol: value}} */
bool bri_read_memory(BriReader *r, const BriNode *section) {
    Memories known = list_memories(r);
    if (section->kind != BRI_NODE_MAPPING)
        return bri_refuse(r, section, "memory must be a mapping like {\"block/plate\": {%s: 1}}", known.key[0]);
    for (int i = 0; i < section->count; i++) {
        const char *text = section->keys[i]->text, *slash = strchr(text, '/');
        char first[128] = "";
        if (slash && (size_t)(slash - text) < sizeof first) memcpy(first, text, (size_t)(slash - text));
        BrMemoryDef def = br_default_memory_def();
        def.body_a = br_model_find_body(r->model, first);
        if (slash) def.body_b = br_model_find_body(r->model, slash + 1);
        if (!def.body_a.index1 || !def.body_b.index1)
            return bri_refuse(r, section->keys[i], "'%.100s' must name two bodies of the scene, like \"block/plate\"",
                              text);
        if (!bri_check_keys(r, section->items[i], "memory", known.key, known.count)) return false;
        for (int k = 0; k < known.count; k++) {
            const BriNode *value = bri_node_find(section->items[i], known.key[k]);
            if (!value) continue;
            def.name = known.memory[k]->name;
            if (!read_memory_value(r, value, known.key[k], known.memory[k], &def)) return false;
            BrStatus status = br_model_add_memory(r->model, &def, r->error);
            if (status != BR_OK) return bri_refuse_as(r, value, status);
        }
    }
    return true;
}

/* ------------------------------------------------------------------ shapes */

static bool read_coefficients(BriReader *r, const BriNode *node, double quadric[10]) {
    if (node->kind != BRI_NODE_SEQUENCE || node->count != 10)
        return bri_refuse(r, node, "coefficients must be ten numbers: of x^2, y^2, z^2, x y, x z, y z, x, y, z and 1");
    for (int i = 0; i < 10; i++)
        if (!bri_read_number(r, node->items[i], "coefficients", BRI_NO_UNIT, &quadric[i])) return false;
    return true;
}

/* A list of pairs; the model takes a copy. */
static bool read_points(BriReader *r, const BriNode *node, BrShapeDef *def) {
    if (node->kind != BRI_NODE_SEQUENCE)
        return bri_refuse(r, node, "points must be a list of pairs like [[0.1, 0], [0, 0.1], ...]");
    double *points = bri_allocate(r->allocator, 2 * (size_t)node->count, sizeof *points);
    if (!points) return bri_no_memory(r);
    def->points = points; /* the caller gives them back */
    def->point_count = node->count;
    for (int i = 0; i < node->count; i++) {
        const BriNode *pair = node->items[i];
        if (pair->kind != BRI_NODE_SEQUENCE || pair->count != 2)
            return bri_refuse(r, pair, "a point of a profile is a pair of lengths like [0.1, 0.02]");
        for (int k = 0; k < 2; k++)
            if (!bri_read_number(r, pair->items[k], "points", BRI_LENGTH, &points[2 * i + k])) return false;
    }
    return true;
}

/* radius: .., length: .., size: [..]: whatever the shape's table names. */
static bool read_sizes(BriReader *r, const BriNode *node, const BrShapeInfo *info, BrShapeDef *def) {
    for (int i = 0; i < info->parameters; i++) {
        const BrShapeParameter *p = &info->parameter[i];
        const BriNode *value = bri_node_find(node, p->key);
        if (!value) return bri_refuse(r, node, "a %s needs '%s' (%s)", info->name, p->key, p->help);
        bool fine = true;
        switch (p->field) {
        case BR_SHAPE_SIZE:
        case BR_SHAPE_SEMI_AXES: fine = bri_read_vector(r, value, p->key, BRI_LENGTH, &def->size); break;
        case BR_SHAPE_RADIUS: fine = bri_read_number(r, value, p->key, BRI_LENGTH, &def->radius); break;
        case BR_SHAPE_LENGTH: fine = bri_read_number(r, value, p->key, BRI_LENGTH, &def->length); break;
        case BR_SHAPE_RING_RADIUS: fine = bri_read_number(r, value, p->key, BRI_LENGTH, &def->ring_radius); break;
        case BR_SHAPE_COEFFICIENTS: fine = read_coefficients(r, value, def->quadric); break;
        case BR_SHAPE_POINTS: fine = read_points(r, value, def); break;
        }
        if (!fine) return false;
    }
    return true;
}

/* {disc: {radius: R, axis: [0, 1, 0]}, material: tyre, at: [..], rotate: [..], surface_velocity: [..]}; all in body
 * axes */
bool bri_read_shape_def(BriReader *r, const BriNode *entry, bool names_body, BrShapeDef *def) {
    enum { OWN = 6, WORDS = OWN + BRI_ORIENTATIONS };
    const char *keys[BR_SHAPE_KINDS + WORDS] = {"material", "at",      "surface_velocity",
                                                "density",  "contact", names_body ? "body" : "mass"};
    int kind = -1;
    memcpy(keys + OWN, bri_orientation_keys, sizeof bri_orientation_keys);
    for (int i = 0; i < BR_SHAPE_KINDS; i++) keys[WORDS + i] = br_shape_info((BrShapeKind)i)->name;
    if (!bri_check_keys(r, entry, "a shape", keys, BR_SHAPE_KINDS + WORDS)) return false;
    for (int i = 0; i < BR_SHAPE_KINDS; i++)
        if (bri_node_find(entry, keys[WORDS + i])) {
            if (kind >= 0)
                return bri_refuse(r, entry, "a shape is a %s or a %s, not both", keys[WORDS + kind], keys[WORDS + i]);
            kind = i;
        }
    if (kind < 0)
        return bri_refuse(r, entry, "a shape names what it is, like {sphere: {radius: 0.1}, material: steel}");
    const BrShapeInfo *info = br_shape_info((BrShapeKind)kind);
    const BriNode *sizes = bri_node_find(entry, info->name), *material = bri_node_find(entry, "material"),
                  *at = bri_node_find(entry, "at"), *turned = bri_find_orientation(entry),
                  *belt = bri_node_find(entry, "surface_velocity");
    const char *size_keys[4];
    int count = 0;
    for (int i = 0; i < info->parameters; i++) size_keys[count++] = info->parameter[i].key;
    if (info->axis) size_keys[count++] = info->axis;
    def->kind = (BrShapeKind)kind;
    if (!bri_check_keys(r, sizes, info->name, size_keys, count) || !read_sizes(r, sizes, info, def)) return false;
    const BriNode *axis = info->axis ? bri_node_find(sizes, info->axis) : NULL;
    BrVec3 z;
    if (turned && !bri_read_orientation(r, entry, &def->rotation_body)) return false;
    if (axis && !bri_read_direction(r, axis, info->axis, &z)) return false;
    if (axis && turned)
        return bri_refuse(r, turned, "a %s is turned by '%s' or by 'rotate', not by both", info->name, info->axis);
    if (axis) def->rotation_body = bri_rotation_frame(z, bri_vec(1, 0, 0));
    if (!material) return bri_refuse(r, entry, "a %s needs a 'material'", info->name);
    return (!at || bri_read_vector(r, at, "at", BRI_LENGTH, &def->position_body)) &&
           (!belt || bri_read_vector(r, belt, "surface_velocity", BRI_VELOCITY, &def->surface_velocity_body)) &&
           find_material(r, material, &def->material);
}

/* `contact: false`, of a shape or a body: it weighs, and touches nothing. */
static bool read_touches(BriReader *r, const BriNode *entry, bool *touches) {
    const BriNode *contact = bri_node_find(entry, "contact");
    return !contact || bri_read_flag(r, contact, "contact", touches);
}

/* `body` null: the entry names it. `touches`: shapes of this body do. */
static bool read_shape(BriReader *r, const BriNode *entry, BrBodyId body, bool touches) {
    BrShapeDef def = br_default_shape_def();
    bool names_body = body.index1 == 0, itself = true;
    def.body = body;
    bool fine =
        bri_read_shape_def(r, entry, names_body, &def) && (!names_body || bri_find_body_of(r, entry, &def.body));
    const BriNode *density = fine ? bri_node_find(entry, "density") : NULL;
    fine = fine && (!density || bri_read_density(r, density, &def.density));
    fine = fine && read_touches(r, entry, &itself);
    if (fine) bri_shift_origin(r, def.body, &def.position_body);
    BrStatus status = fine && touches && itself ? br_model_add_shape(r->model, &def, NULL, r->error) : BR_OK;
    bri_release(r->allocator, (void *)(uintptr_t)def.points);
    return fine && (status == BR_OK || bri_refuse_as(r, entry, status));
}

/* Beside the bodies, in an order of their own. */
bool bri_read_scattered_shapes(BriReader *r, const BriNode *section) {
    if (section->kind != BRI_NODE_SEQUENCE)
        return bri_refuse(r, section,
                          "shapes must be a list like [{body: ball, sphere: {radius: 0.1}, material: steel}]");
    for (int i = 0; i < section->count; i++)
        if (!read_shape(r, section->items[i], (BrBodyId){0}, true)) return false;
    return true;
}

bool bri_read_shapes(BriReader *r, const BriNode *bodies) {
    for (int i = 0; i < bodies->count; i++) {
        const BriNode *shapes = bri_node_find(bodies->items[i], "shapes");
        BrBodyId body = br_model_find_body(r->model, bodies->keys[i]->text);
        bool touches = true;
        if (!shapes) continue;
        if (!read_touches(r, bodies->items[i], &touches)) return false;
        if (shapes->kind != BRI_NODE_SEQUENCE)
            return bri_refuse(r, shapes, "shapes must be a list like [{sphere: {radius: 0.1}, material: steel}]");
        for (int k = 0; k < shapes->count; k++)
            if (!read_shape(r, shapes->items[k], body, touches)) return false;
    }
    return true;
}
