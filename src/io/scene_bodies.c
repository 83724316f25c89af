/* scene_bodies.c: bodies of a scene: where they stand, how they move, and what they weigh. */
#include "io/scene_parts.h"
#include "model/add.h"
#include "model/mass.h"

#include <stdio.h>
#include <string.h>

static const BriDimension DENSITY = {true, -3, 1, 0, 0};

static const BriNode *find(const BriNode *node, const char *key) { return bri_node_find(node, key); }

static bool read_velocity(BriReader *r, const BriNode *node, BrBodyDef *def) {
    static const char *const KEYS[] = {"linear", "angular"};
    if (!bri_check_keys(r, node, "velocity", KEYS, BRI_COUNT(KEYS))) return false;
    const BriNode *linear = find(node, "linear"), *angular = find(node, "angular");
    return (!linear || bri_read_vector(r, linear, "linear", BRI_VELOCITY, &def->velocity)) &&
           (!angular || bri_read_vector(r, angular, "angular", BRI_ANGULAR_VELOCITY, &def->angular_velocity));
}

/* Notes which bodies the motions move; slips in the motions are found when they are read. */
static bool note_moved_bodies(BriReader *r, const BriNode *motions) {
    for (int i = 0; motions && motions->kind == BRI_NODE_MAPPING && i < motions->count; i++) {
        const BriNode *entry = motions->items[i];
        const BriNode *body = entry->kind == BRI_NODE_MAPPING ? bri_node_find(entry, "body") : NULL;
        if (!body || body->kind != BRI_NODE_SCALAR || bri_names_find(&r->moved_bodies, body->text) >= 0) continue;
        if (!bri_names_insert(&r->moved_bodies, body->text, i, r->allocator)) return bri_no_memory(r);
    }
    return true;
}

/* ------------------------------------------------------------------ mass from shapes */

bool bri_read_density(BriReader *r, const BriNode *node, double *density) {
    if (!bri_read_number(r, node, "density", DENSITY, density)) return false;
    return *density > 0 || bri_refuse(r, node, "density is %.9g kg/m^3; it must be positive", *density);
}

/* What is known of a shape's weight: a mass of its own (0: it counts for nothing), or a density, its own or its material's. */
typedef struct Weighed {
    const BriNode *entry;
    const char *name;
    BrShapeDef def;
    bool has_mass;
    double mass, density; /* kg, kg/m^3; 0: not known */
} Weighed;

static bool read_weight(BriReader *r, const BriNode *body, const BriNode *entry, Weighed *shape) {
    const BriNode *mass = find(entry, "mass"), *density = find(entry, "density");
    shape->entry = entry;
    shape->def = br_default_shape_def();
    if (!bri_read_shape_def(r, entry, false, &shape->def)) return false;
    shape->name = br_shape_info(shape->def.kind)->name;
    if (bri_check_shape(&shape->def, body->text, r->error) != BR_OK) return bri_refuse(r, entry, "%s", r->error->text);
    if (mass && density) return bri_refuse(r, mass, "the %s has both 'mass' and 'density'; keep one", shape->name);
    shape->has_mass = mass != NULL;
    shape->density = br_material_def(r->model, shape->def.material)->density;
    if (density && !bri_read_density(r, density, &shape->density)) return false;
    if (mass && !bri_read_number(r, mass, "mass", BRI_MASS, &shape->mass)) return false;
    return shape->mass >= 0 || bri_refuse(r, mass, "mass is %.9g kg; it must not be negative", shape->mass);
}

/* How a body's shapes are weighed: by themselves, or as parts of the body's `mass`. */
typedef struct Weighing {
    double mass;   /* kg; 0: by themselves */
    bool by_ratio; /* of the mass: by densities; else all are as dense */
    bool alone;    /* only one shape counts */
} Weighing;

static bool weigh_by_itself(BriReader *r, const Weighed *shape, BrMass *part) {
    BrStatus status;
    if (!shape->has_mass && shape->density == 0)
        return bri_refuse(
            r, shape->entry,
            "the %s has no density, so that the body's mass is not known; add 'density: 7800' (kg/m^3) to "
            "it or to its material, or give it, or the body, a 'mass'",
            shape->name);
    status =
        bri_shape_mass(&shape->def, shape->has_mass ? 0 : shape->density, shape->mass, r->allocator, part, r->error);
    if (status == BR_OK) return true;
    if (status == BR_OUT_OF_MEMORY) return bri_no_memory(r);
    return bri_refuse(r, shape->entry, "%s; 'mass: 0 kg' lets a shape only touch", r->error->text);
}

static bool weigh_as_part(BriReader *r, const Weighed *shape, const Weighing *how, BrMass *part) {
    if (shape->has_mass)
        return bri_refuse(
            r, find(shape->entry, "mass"),
            "the body has a mass, and so has this %s; keep one of both (here 0 is allowed: it only touches)",
            shape->name);
    if (how->by_ratio && shape->density == 0)
        return bri_refuse(r, shape->entry,
                          "the %s has no density, but other shapes of its body have; say how dense it is, too, or take "
                          "their densities away: all then count by volume",
                          shape->name);
    double density = how->alone ? 0 : how->by_ratio ? shape->density : 1;
    BrStatus status = bri_shape_mass(&shape->def, density, how->mass, r->allocator, part, r->error);
    if (status == BR_OK) return true;
    if (status == BR_OUT_OF_MEMORY) return bri_no_memory(r);
    return bri_refuse(r, shape->entry,
                      "the %s has no volume to take a part of the body's mass; give the shapes masses in place of the "
                      "body, or let it only touch: 'mass: 0 kg'",
                      shape->name);
}

static bool sum_up(BriReader *r, const Weighed *shape, int count, double mass, BrMass *sum) {
    Weighing how = {.mass = mass};
    int counting = 0;
    for (int i = 0; i < count; i++) {
        bool counts = !shape[i].has_mass || shape[i].mass > 0;
        counting += counts;
        how.by_ratio = how.by_ratio || (counts && shape[i].density > 0);
    }
    how.alone = counting == 1;
    *sum = (BrMass){0};
    for (int i = 0; i < count; i++) {
        BrMass part;
        if (shape[i].has_mass && shape[i].mass == 0) continue;
        if (!(mass > 0 ? weigh_as_part(r, &shape[i], &how, &part) : weigh_by_itself(r, &shape[i], &part))) return false;
        *sum = br_mass_add(*sum, part);
    }
    if (mass > 0 && counting > 1) *sum = br_mass_scale(*sum, mass / sum->mass);
    if (mass > 0) sum->mass = mass;
    return true;
}

/* The shapes of a body together; mass 0: they weigh what they weigh. */
static bool weigh_shapes(BriReader *r, const BriNode *key, const BriNode *shapes, double mass, BrMass *sum) {
    int count = shapes->count, read = 0;
    bool fine = true;
    Weighed *shape = bri_allocate(r->allocator, (size_t)count, sizeof *shape);
    if (!shape) return bri_no_memory(r);
    for (; fine && read < count; read++) fine = read_weight(r, key, shapes->items[read], &shape[read]);
    fine = fine && sum_up(r, shape, count, mass, sum);
    for (int i = 0; i < read; i++) bri_release(r->allocator, (void *)(uintptr_t)shape[i].def.points);
    bri_release(r->allocator, shape);
    if (!fine) return false;
    return sum->mass > 0 || bri_refuse(r, key,
                                       "body '%.60s': all of its shapes have the mass 0; give one of them, or the "
                                       "body, a mass",
                                       key->text);
}

/* Where all is given, nothing that would change it may stand in the shapes. */
static bool check_unweighed(BriReader *r, const BriNode *shapes) {
    for (int i = 0; shapes && shapes->kind == BRI_NODE_SEQUENCE && i < shapes->count; i++) {
        const BriNode *entry = shapes->items[i], *said = NULL;
        if (entry->kind != BRI_NODE_MAPPING) continue;
        said = find(entry, "density") ? find(entry, "density") : find(entry, "mass");
        if (said)
            return bri_refuse(r, said,
                              "the body's mass and inertia are given: what its shapes weigh means nothing; take "
                              "one of both away");
    }
    return true;
}

static bool read_given_mass(BriReader *r, const BriNode *key, const BriNode *entry, BrMass *mass) {
    const BriNode *inertia = find(entry, "inertia"), *centre = find(entry, "center_of_mass");
    if (!find(entry, "mass"))
        return bri_refuse(r, key, "body '%.60s' has no mass; give 'mass' and 'inertia', or 'fixed: true'", key->text);
    if (centre && !bri_read_vector(r, centre, "center_of_mass", BRI_LENGTH, &mass->centre)) return false;
    return bri_read_inertia(r, inertia, &mass->inertia) && check_unweighed(r, find(entry, "shapes"));
}

/* mass, inertia, center_of_mass, shapes: what is not given follows from the shapes. */
static bool read_mass(BriReader *r, const BriNode *key, const BriNode *entry, BrBodyDef *def) {
    const BriNode *mass = find(entry, "mass"), *inertia = find(entry, "inertia"), *shapes = find(entry, "shapes"),
                  *centre = find(entry, "center_of_mass");
    BrMass is = {0};
    bool has_shapes = shapes && shapes->kind == BRI_NODE_SEQUENCE && shapes->count > 0;
    if (mass && !bri_read_number(r, mass, "mass", BRI_MASS, &is.mass)) return false;
    if (mass && !(is.mass > 0)) return bri_refuse(r, mass, "mass is %.9g kg; it must be positive", is.mass);
    if (inertia) {
        if (!read_given_mass(r, key, entry, &is)) return false;
    } else {
        if (!mass && !has_shapes)
            return bri_refuse(
                r, key,
                "body '%.60s' has no mass; give 'mass' and 'inertia', or shapes with a 'density', or 'fixed: "
                "true'",
                key->text);
        if (!has_shapes)
            return bri_refuse(
                r, key,
                "body '%.60s' has no inertia; give 'inertia: [Ixx, Iyy, Izz]' in kg m^2, or shapes that it "
                "follows from",
                key->text);
        if (centre)
            return bri_refuse(r, centre,
                              "the centre of mass follows from the shapes, as the inertia does; give 'mass' and "
                              "'inertia', too, or take 'center_of_mass' away");
        if (!weigh_shapes(r, key, shapes, is.mass, &is)) return false;
    }
    br_body_def_set_mass(def, &is);
    return true;
}

/* ------------------------------------------------------------------ bodies */

/* Where the frame is that is told of, from the centre of mass; all that the file says of the body counts from there. */
static bool read_frame_origin(BriReader *r, const BriNode *entry, BriPlace *place, BrBodyDef *def) {
    const BriNode *origin = find(entry, "frame_origin"), *centre = find(entry, "center_of_mass");
    if (centre || (def->kind == BR_BODY_DYNAMIC && !find(entry, "inertia")))
        return bri_refuse(
            r, origin,
            "'frame_origin' counts from the centre of mass, as then the pose and all points do: it goes with "
            "'mass' and 'inertia' that are given, and not with 'center_of_mass'");
    place->centred = true;
    return bri_read_vector(r, origin, "frame_origin", BRI_LENGTH, &def->frame_body);
}

static bool read_body(BriReader *r, const BriNode *key, const BriNode *entry) {
    static const char *const KEYS[] = {"fixed",    "mass",   "inertia",      "center_of_mass", "pose",
                                       "velocity", "shapes", "frame_origin", "contact"};
    static const char *const WEIGHT[] = {"mass", "inertia", "center_of_mass", "velocity"};
    char what[100];
    snprintf(what, sizeof what, "body '%.60s'", key->text);
    if (!bri_check_keys(r, entry, what, KEYS, BRI_COUNT(KEYS))) return false;
    BrBodyDef def = br_default_body_def();
    const BriNode *fixed = find(entry, "fixed"), *velocity = find(entry, "velocity");
    bool is_fixed = false, moved = bri_names_find(&r->moved_bodies, key->text) >= 0;
    def.name = key->text;
    if (fixed && !bri_read_flag(r, fixed, "fixed", &is_fixed)) return false;
    if (is_fixed && moved)
        return bri_refuse(r, fixed, "body '%.60s' is fixed, but a motion moves it; take one of both away", key->text);
    for (int i = 0; (is_fixed || moved) && i < BRI_COUNT(WEIGHT); i++)
        if (find(entry, WEIGHT[i]))
            return bri_refuse(r, key, "body '%.60s' is %s: mass, inertia and velocity mean nothing there", key->text,
                              is_fixed ? "fixed" : "moved by a motion");
    def.kind = is_fixed ? BR_BODY_FIXED : moved ? BR_BODY_KINEMATIC : BR_BODY_DYNAMIC;
    BriPlace *place = &r->place[bri_names_find(&r->place_names, key->text)];
    def.position = place->position;
    def.rotation = place->rotation;
    if (def.kind == BR_BODY_DYNAMIC && !read_mass(r, key, entry, &def)) return false;
    if (velocity && !read_velocity(r, velocity, &def)) return false;
    if (find(entry, "frame_origin") && !read_frame_origin(r, entry, place, &def)) return false;
    BrBodyId id;
    BrStatus status = br_model_add_body(r->model, &def, &id, r->error);
    if (status == BR_OK) return true;
    bool of_inertia = r->error && find(entry, "inertia") && strncmp(r->error->text, "inertia", 7) == 0;
    return bri_refuse_as(r, of_inertia ? find(entry, "inertia") : key, status);
}

bool bri_read_bodies(BriReader *r, const BriNode *section, const BriNode *motions) {
    if (!note_moved_bodies(r, motions)) return false;
    for (int i = 0; i < section->count; i++)
        if (!read_body(r, section->keys[i], section->items[i])) return false;
    return true;
}
