/* add_contact.c: materials, pairs, filters and what contacts remember. */
#include "model/add.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ materials and pairs */

/* A law that is there must be of its kind. */
static BrStatus check_law(const BrModel *m, const BrLaw *law, BrLawKind kind, bool compliant, const char *what,
                          BrError *error) {
    BrStatus status = bri_law_check(&m->laws, law, kind, what, error);
    if (status != BR_OK || law->info->compliant == compliant || (law->info->rigid && !compliant)) return status;
    return bri_fail(error, BR_INVALID_ARGUMENT, "%s: the law '%s' is %s", what, law->info->name,
                    compliant ? "not one of the formulation compliant" : "one of the formulation compliant only");
}

static BrStatus check_surface(const BrModel *m, const BrSurface *surface, const char *what, BrError *error) {
    BrStatus status = check_law(m, &surface->normal, BR_LAW_NORMAL, false, what, error);
    if (status == BR_OK) status = check_law(m, &surface->friction, BR_LAW_FRICTION, false, what, error);
    if (status == BR_OK && surface->compliant_normal.info)
        status = check_law(m, &surface->compliant_normal, BR_LAW_NORMAL, true, what, error);
    if (status == BR_OK && surface->compliant_friction.info)
        status = check_law(m, &surface->compliant_friction, BR_LAW_FRICTION, true, what, error);
    return status;
}

static BrStatus check_stuff(const BrMaterialDef *def, BrError *error) {
    if (!(def->youngs_modulus >= 0 && def->youngs_modulus < 1e300))
        return bri_fail(error, BR_INVALID_ARGUMENT, "material '%s': E is %.9g Pa; it must be positive", def->name,
                        def->youngs_modulus);
    if (!(def->poissons_ratio >= 0 && def->poissons_ratio <= 0.5))
        return bri_fail(error, BR_INVALID_ARGUMENT, "material '%s': nu is %.9g; allowed is 0 to 0.5", def->name,
                        def->poissons_ratio);
    if (!(def->density >= 0 && def->density < 1e300))
        return bri_fail(error, BR_INVALID_ARGUMENT, "material '%s': density is %.9g kg/m^3; it must be positive",
                        def->name, def->density);
    return BR_OK;
}

/* 1/E* = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b [Johnson 1985] */
static double find_modulus(const BrMaterialDef *a, const BrMaterialDef *b) {
    if (a->youngs_modulus == 0 || b->youngs_modulus == 0) return 0;
    return 1 / ((1 - a->poissons_ratio * a->poissons_ratio) / a->youngs_modulus +
                (1 - b->poissons_ratio * b->poissons_ratio) / b->youngs_modulus);
}

/* Where a surface of materials `low` <= `high` stands in the order, or would. */
static int find_place(const BrModel *m, int low, int high) {
    int from = 0, to = m->surfaces;
    while (from < to) {
        int middle = from + (to - from) / 2;
        const BriSurface *s = &m->surface[m->surface_order[middle]];
        if (s->a < low || (s->a == low && s->b < high))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

const BriSurface *bri_find_surface(const BrModel *m, int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a, place = find_place(m, low, high);
    const BriSurface *s = place < m->surfaces ? &m->surface[m->surface_order[place]] : NULL;
    return s && s->a == low && s->b == high ? s : NULL;
}

void bri_release_surface(BriSurface *surface, const BrAllocator *allocator) {
    for (int i = 0; i < BRI_COUNT(surface->table); i++) bri_release(allocator, surface->table[i]);
}

/* The surface's own copies of its laws' tables. */
static bool own_tables(BriSurface *surface, const BrAllocator *allocator) {
    BrSurface *s = &surface->laws;
    BrLaw *law[] = {&s->normal, &s->friction, &s->compliant_normal, &s->compliant_friction};
    for (int i = 0; i < BRI_COUNT(law); i++) {
        if (law[i]->points == 0) law[i]->table = NULL;
        if (!law[i]->table) continue;
        size_t size = 2 * (size_t)law[i]->points * sizeof(double);
        surface->table[i] = bri_allocate(allocator, size, 1);
        if (!surface->table[i]) {
            bri_release_surface(surface, allocator);
            return false;
        }
        law[i]->table = memcpy(surface->table[i], law[i]->table, size);
    }
    return true;
}

static bool add_surface(BrModel *m, int a, int b, const BrSurface *laws, double modulus) {
    int low = a < b ? a : b, high = a < b ? b : a, place = find_place(m, low, high);
    if (!bri_grow(&m->allocator, (void **)&m->surface, m->surfaces, &m->surface_capacity, sizeof *m->surface) ||
        !bri_grow(&m->allocator, (void **)&m->surface_order, m->surfaces, &m->surface_order_capacity,
                  sizeof *m->surface_order))
        return false;
    BriSurface surface = {.a = low, .b = high, .laws = *laws, .modulus = modulus};
    if (!own_tables(&surface, &m->allocator)) return false;
    int *order = m->surface_order + place;
    memmove(order + 1, order, (size_t)(m->surfaces - place) * sizeof *order);
    *order = m->surfaces;
    const BriLaw *bounce = bri_law_record(&laws->normal);
    BriCoefficients mu = bri_law_coefficients(&laws->friction);
    surface.mu_s = mu.mu_s;
    surface.mu_k = mu.mu_k;
    surface.mu_r = mu.mu_r;
    surface.mu_spin = mu.mu_spin;
    surface.creep = mu.creep;
    surface.by_slip = bri_law_record(&laws->friction)->by_slip;
    surface.e = bounce->restitution(&laws->normal, 1);
    surface.by_speed = bounce->by_speed;
    surface.hypothesis = bounce->hypothesis ? bounce->hypothesis(&laws->normal) : BRI_NEWTON;
    surface.memory = bri_plan_memory(&laws->compliant_friction, &laws->compliant_normal);
    m->surface[m->surfaces++] = surface;
    return true;
}

BrStatus br_model_add_material(BrModel *m, const BrMaterialDef *def, BrMaterialId *id, BrError *error) {
    char what[96];
    if (id) *id = (BrMaterialId){0};
    BrStatus status = bri_check_addition(m, def, sizeof *def, "material", error);
    if (status == BR_OK) status = bri_check_name(def->name, &m->material_names, "material", error);
    if (status != BR_OK) return status;
    snprintf(what, sizeof what, "material '%s'", def->name);
    status = check_surface(m, &def->surface, what, error);
    if (status == BR_OK) status = check_stuff(def, error);
    if (status != BR_OK) return status;
    if (!bri_grow(&m->allocator, (void **)&m->material, m->materials, &m->material_capacity, sizeof *m->material) ||
        !add_surface(m, m->materials, m->materials, &def->surface, find_modulus(def, def)))
        return bri_no_memory_for("material", def->name, error);
    BriMaterial material = {.def = *def};
    material.def.name = bri_own_name(m, def->name, &m->material_names, m->materials);
    material.def.surface = m->surface[m->surfaces - 1].laws; /* whose tables are the surface's */
    if (!material.def.name) {
        bri_release_surface(&m->surface[--m->surfaces], &m->allocator); /* the newest stands last, also in the order */
        return bri_no_memory_for("material", def->name, error);
    }
    m->material[m->materials++] = material;
    if (id) *id = br_model_material(m, m->materials - 1);
    return BR_OK;
}

BrStatus br_model_add_pair(BrModel *m, const BrPairDef *def, BrError *error) {
    char what[192];
    BrStatus status = bri_check_addition(m, def, sizeof *def, "pair", error);
    if (status != BR_OK) return status;
    int a = bri_material_number(m, def->material_a), b = bri_material_number(m, def->material_b);
    if (a < 0 || b < 0)
        return bri_fail(error, BR_INVALID_ID, "a pair's %s material is not of this model", a < 0 ? "first" : "second");
    snprintf(what, sizeof what, "the pair of '%s' and '%s'", m->material[a].def.name, m->material[b].def.name);
    if (a == b)
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "a pair needs two different materials; '%s' against itself is said in the material",
                        m->material[a].def.name);
    if (bri_find_surface(m, a, b)) return bri_fail(error, BR_INVALID_ARGUMENT, "%s is there already", what);
    status = check_surface(m, &def->surface, what, error);
    if (status != BR_OK) return status;
    double modulus = find_modulus(&m->material[a].def, &m->material[b].def);
    return add_surface(m, a, b, &def->surface, modulus) ? BR_OK : bri_no_memory_for("pair", what, error);
}

/* ------------------------------------------------------------------ filters and memories */

BrStatus br_model_add_filter(BrModel *m, const BrFilterDef *def, BrError *error) {
    BrStatus status = bri_check_addition(m, def, sizeof *def, "filter", error);
    if (status != BR_OK) return status;
    int a = bri_body_number(m, def->body_a), b = bri_body_number(m, def->body_b);
    if (a < 0 || b < 0 || a == b)
        return bri_fail(error, BR_INVALID_ID, "a filter needs two different bodies of this model");
    if (!bri_grow(&m->allocator, (void **)&m->filter, m->filters, &m->filter_capacity, sizeof *m->filter))
        return bri_no_memory_for("a filter of", m->body_def[a].name, error);
    m->filter[m->filters++] = (BriFilter){a < b ? a : b, a < b ? b : a, def->touch};
    return BR_OK;
}

/* A number, or a vector; within the law's range. */
static BrStatus check_memory(const BrLawMemory *memory, const BrMemoryDef *def, const char *first, const char *second,
                             BrError *error) {
    const double number[] = {def->value, def->vector.x, def->vector.y, def->vector.z};
    for (int i = 0; i < 4; i++) {
        bool asked = memory->tangent == (i > 0);
        if (!asked && number[i] != 0)
            return bri_fail(error, BR_INVALID_ARGUMENT, "memory of '%s' and '%s': %s is a %s, and a %s came; set %s",
                            first, second, memory->symbol, memory->tangent ? "vector" : "number",
                            memory->tangent ? "number" : "vector",
                            memory->tangent ? "`vector` (in a scene: [x, y, z])" : "`value`");
        if (asked && !(number[i] >= memory->lowest && number[i] <= memory->highest))
            return bri_fail(error, BR_INVALID_ARGUMENT, "memory of '%s' and '%s': %s is %.9g; allowed is %.9g to %.9g",
                            first, second, memory->symbol, number[i], memory->lowest, memory->highest);
    }
    return BR_OK;
}

BrStatus br_model_add_memory(BrModel *m, const BrMemoryDef *def, BrError *error) {
    BrStatus status = bri_check_addition(m, def, sizeof *def, "memory", error);
    if (status != BR_OK) return status;
    int a = bri_body_number(m, def->body_a), b = bri_body_number(m, def->body_b);
    if (a < 0 || b < 0 || a == b)
        return bri_fail(error, BR_INVALID_ID, "a memory needs two different bodies of this model");
    const char *first = m->body_def[a].name, *second = m->body_def[b].name;
    const BrLawMemory *memory = def->name ? bri_find_memory(&m->laws, def->name) : NULL;
    if (!memory || !bri_memory_is_settable(memory))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "memory of '%s' and '%s': no law can begin with '%s'; 'bristle laws' tells what they remember",
                        first, second, def->name ? def->name : "");
    status = check_memory(memory, def, first, second, error);
    if (status != BR_OK) return status;
    int low = a < b ? a : b, high = a < b ? b : a;
    for (int i = 0; i < m->memories; i++)
        if (m->memory[i].a == low && m->memory[i].b == high && strcmp(m->memory[i].name, memory->name) == 0)
            return bri_fail(error, BR_INVALID_ARGUMENT, "memory of '%s' and '%s': %s is there already", first, second,
                            memory->symbol);
    if (!bri_grow(&m->allocator, (void **)&m->memory, m->memories, &m->memory_capacity, sizeof *m->memory))
        return bri_no_memory_for("a memory of", m->body_def[a].name, error);
    BrVec3 vector = bri_scale(a == low ? -1 : 1, def->vector);
    m->memory[m->memories++] = (BriMemory){low, high, memory->name, def->value, vector};
    return BR_OK;
}
