/* scene_write_contact.c: materials, pairs, shapes, filters and what contacts remember, as a scene has them: the reverse of
 * scene_contact.c. */
#include "io/scene_write.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ laws */

static void write_parameter(BriWriter *w, const BrLawParameter *parameter, double value) {
    bri_write_key(w, parameter->name);
    if (parameter->choice)
        bri_write_plain(w, parameter->choice[(int)value]);
    else
        bri_write_number(w, value);
}

static void write_law_table(BriWriter *w, const BrLaw *law) {
    BrFunctionDef table = br_table(law->table, law->points);
    bri_write_key(w, law->info->table);
    bri_write_function(w, &table);
}

void bri_write_law(BriWriter *w, const BrLaw *law, const char *owner) {
    const BrLawInfo *info = law->info;
    if (bri_law_record(law)->own && !w->copies)
        bri_write_refuse(w, "'%s' has the law '%s' of a program in C; a scene can name it, and cannot hold it", owner,
                         info->name);
    bri_write_key(w, "law");
    bri_write_name(w, info->name);
    for (int i = 0; i < info->parameters; i++) {
        const BrLawParameter *parameter = &info->parameter[i];
        bool table = law->points > 0 && strcmp(info->table, parameter->name) == 0;
        if (table)
            write_law_table(w, law);
        else if (bri_is_set(law->value[i]))
            write_parameter(w, parameter, law->value[i]);
    }
}

static void write_braced_law(BriWriter *w, const char *key, const BrLaw *law, const char *owner) {
    if (!law->info) return;
    bri_write_key(w, key);
    bri_write_open(w, "{");
    bri_write_law(w, law, owner);
    bri_write_close(w, "}");
}

/* Parameters of the normal law stand beside the friction, as there is one such law. */
static void write_surface(BriWriter *w, const BrSurface *surface, const char *owner) {
    const BrLawInfo *normal = surface->normal.info;
    write_braced_law(w, "friction", &surface->friction, owner);
    if (bri_law_record(&surface->normal)->own)
        bri_write_refuse(w, "'%s' has the law '%s' of a program in C, which a scene cannot hold", owner, normal->name);
    for (int i = 0; i < normal->parameters; i++) write_parameter(w, &normal->parameter[i], surface->normal.value[i]);
    if (!surface->compliant_normal.info && !surface->compliant_friction.info) return;
    bri_write_key(w, "compliant");
    bri_write_open(w, "{");
    write_braced_law(w, "normal", &surface->compliant_normal, owner);
    write_braced_law(w, "friction", &surface->compliant_friction, owner);
    bri_write_close(w, "}");
}

/* ------------------------------------------------------------------ materials and pairs */

static void write_material(BriWriter *w, const BrMaterialDef *def) {
    bri_write_plain(w, "  ");
    bri_write_name(w, def->name);
    bri_write_plain(w, ": ");
    bri_write_open(w, "{");
    write_surface(w, &def->surface, def->name);
    if (def->youngs_modulus > 0) {
        bri_write_key(w, "elastic");
        bri_write_open(w, "{");
        bri_write_key(w, "E"), bri_write_number(w, def->youngs_modulus);
        bri_write_key(w, "nu"), bri_write_number(w, def->poissons_ratio);
        bri_write_close(w, "}");
    }
    if (def->density > 0) bri_write_key(w, "density"), bri_write_number(w, def->density);
    bri_write_plain(w, "}\n");
}

void bri_write_materials(BriWriter *w) {
    if (w->model->materials) bri_write_plain(w, "materials:\n");
    for (int i = 0; i < w->model->materials; i++) write_material(w, &w->model->material[i].def);
}

static void write_names(BriWriter *w, const char *key, const char *a, const char *b) {
    bri_write_key(w, key);
    bri_write_open(w, "[");
    bri_write_item(w), bri_write_name(w, a);
    bri_write_item(w), bri_write_name(w, b);
    bri_write_close(w, "]");
}

void bri_write_pairs(BriWriter *w) {
    const BrModel *m = w->model;
    bool any = false;
    for (int i = 0; i < m->surfaces; i++) {
        const BriSurface *surface = &m->surface[i];
        if (surface->a == surface->b) continue;
        bri_write_plain(w, any ? "" : "pairs:\n");
        bri_write_plain(w, "  - ");
        bri_write_open(w, "{");
        write_names(w, "between", m->material[surface->a].def.name, m->material[surface->b].def.name);
        write_surface(w, &surface->laws, m->material[surface->a].def.name);
        bri_write_plain(w, "}\n");
        any = true;
    }
}

/* ------------------------------------------------------------------ shapes */

static void write_coefficients(BriWriter *w, const double quadric[10]) {
    bri_write_open(w, "[");
    for (int i = 0; i < 10; i++) bri_write_item(w), bri_write_number(w, quadric[i]);
    bri_write_close(w, "]");
}

static void write_points(BriWriter *w, const BrShapeDef *def) {
    bri_write_open(w, "[");
    for (int i = 0; i < def->point_count; i++) {
        bri_write_item(w);
        bri_write_open(w, "[");
        for (int k = 0; k < 2; k++) bri_write_item(w), bri_write_number(w, def->points[2 * i + k]);
        bri_write_close(w, "]");
    }
    bri_write_close(w, "]");
}

static void write_size(BriWriter *w, const BrShapeParameter *parameter, const BrShapeDef *def) {
    bri_write_key(w, parameter->key);
    switch (parameter->field) {
    case BR_SHAPE_SIZE:
    case BR_SHAPE_SEMI_AXES: bri_write_vector(w, def->size); break;
    case BR_SHAPE_RADIUS: bri_write_number(w, def->radius); break;
    case BR_SHAPE_LENGTH: bri_write_number(w, def->length); break;
    case BR_SHAPE_RING_RADIUS: bri_write_number(w, def->ring_radius); break;
    case BR_SHAPE_COEFFICIENTS: write_coefficients(w, def->quadric); break;
    case BR_SHAPE_POINTS: write_points(w, def); break;
    }
}

/* {box: {size: [..]}, at: [..], rotation: [..], material: name, surface_velocity: [..], body: name} */
static void write_shape(BriWriter *w, const BriModelShape *shape, bool with_body) {
    const BrShapeDef *def = &shape->def;
    const BrShapeInfo *info = br_shape_info(def->kind);
    const char *body = w->model->body_def[shape->body].name;
    if (def->kind == BR_SHAPE_FUNCTION)
        bri_write_refuse(w, "body '%s' has a surface that is a function in C, which a scene cannot hold", body);
    bri_write_open(w, "{");
    if (with_body) bri_write_key(w, "body"), bri_write_name(w, body);
    bri_write_key(w, info->name);
    bri_write_open(w, "{");
    for (int i = 0; i < info->parameters; i++) write_size(w, &info->parameter[i], def);
    bri_write_close(w, "}");
    if (!bri_is_zero_vector(def->position_body)) bri_write_key(w, "at"), bri_write_vector(w, def->position_body);
    if (!bri_is_identity(&def->rotation_body)) bri_write_key(w, "rotation"), bri_write_matrix(w, &def->rotation_body);
    bri_write_key(w, "material"), bri_write_name(w, w->model->material[shape->material].def.name);
    if (!bri_is_zero_vector(def->surface_velocity_body))
        bri_write_key(w, "surface_velocity"), bri_write_vector(w, def->surface_velocity_body);
    if (def->density > 0) bri_write_key(w, "density"), bri_write_number(w, def->density);
    bri_write_close(w, "}");
}

void bri_write_shapes_of(BriWriter *w, int body) {
    const BrModel *m = w->model;
    if (w->scattered || w->shape == m->shapes || m->shape[w->shape].body != body) return;
    bri_write_key(w, "shapes");
    bri_write_open(w, "[");
    for (; w->shape < m->shapes && m->shape[w->shape].body == body; w->shape++) {
        bri_write_item(w);
        write_shape(w, &m->shape[w->shape], false);
    }
    bri_write_close(w, "]");
}

void bri_write_shapes(BriWriter *w) {
    const BrModel *m = w->model;
    if (!w->scattered) return;
    bri_write_plain(w, "shapes:\n");
    for (int i = 0; i < m->shapes; i++) {
        bri_write_plain(w, "  - ");
        write_shape(w, &m->shape[i], true);
        bri_write_plain(w, "\n");
    }
}

/* ------------------------------------------------------------------ filters and memories */

void bri_write_filters(BriWriter *w) {
    const BrModel *m = w->model;
    if (m->filters) bri_write_plain(w, "filters:\n");
    for (int i = 0; i < m->filters; i++) {
        const BriFilter *filter = &m->filter[i];
        bri_write_plain(w, "  - ");
        bri_write_open(w, "{");
        write_names(w, filter->touch ? "always" : "never", m->body_def[filter->a].name, m->body_def[filter->b].name);
        bri_write_plain(w, "}\n");
    }
}

static bool is_same_pair(const BriMemory *a, const BriMemory *b) { return a->a == b->a && a->b == b->b; }

/* Those of two bodies stand together (br_model_build). */
void bri_write_memories(BriWriter *w) {
    const BrModel *m = w->model;
    if (m->memories) bri_write_plain(w, "memory:\n");
    for (int i = 0; i < m->memories; i++) {
        const BriMemory *memory = &m->memory[i];
        if (i == 0 || !is_same_pair(memory, memory - 1)) {
            char pair[160];
            snprintf(pair, sizeof pair, "%s/%s", m->body_def[memory->a].name, m->body_def[memory->b].name);
            bri_write_plain(w, "  ");
            bri_write_name(w, pair);
            bri_write_plain(w, ": ");
            bri_write_open(w, "{");
        }
        bri_write_key(w, memory->name);
        if (bri_find_memory(&m->laws, memory->name)->tangent)
            bri_write_vector(w, bri_scale(-1, memory->vector)); /* of the first body against the second */
        else
            bri_write_number(w, memory->value);
        if (i + 1 == m->memories || !is_same_pair(memory, memory + 1)) bri_write_plain(w, "}\n");
    }
}
