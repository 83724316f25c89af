/* scene_change.c: a model with other values: written as a scene, which is read with assignments. */
#include "io/scene_parts.h"
#include "io/scene_write.h"

#include <string.h>

/* A model's own law, as it was given. */
static BrLawDef describe(const BriLaw *law) {
    BrLawDef def = br_default_law_def();
    def.name = law->info.name, def.kind = law->info.kind;
    def.reference = law->info.reference, def.help = law->info.help;
    def.parameters = law->info.parameters, def.parameter = law->info.parameter;
    def.memories = law->info.memories, def.memory = law->info.memory;
    def.optional = law->unset, def.table = law->info.table, def.user = law->info.user;
    def.objects = law->objects, def.touch = law->touch, def.restitution = law->restitution;
    def.dry = law->dry, def.friction = law->friction, def.normal = law->normal;
    return def;
}

/* Bodies of a model have their masses as numbers, whatever these came from. */
static BrStatus check_set(const char *const *set, int sets, BrError *error) {
    static const char WORD[] = ".density";
    for (int i = 0; set && i < sets; i++) {
        const char *value = set[i] ? strchr(set[i], '=') : NULL;
        if (value && value - set[i] >= (int)sizeof WORD - 1 &&
            memcmp(value - sizeof WORD + 1, WORD, sizeof WORD - 1) == 0)
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "'%.200s': a density changes no mass of a model that is built; change 'mass' and 'inertia' "
                            "of the bodies",
                            set[i]);
    }
    return BR_OK;
}

static BrStatus change(BriWriter *w, BrSceneOptions *options, const char *const *set, int sets, BrModel **changed) {
    BrScene *scene;
    BrRunDef run = {br_default_step_def(), 1, 1e-3};
    BrStatus status = bri_write_model(w, &run, options);
    if (status != BR_OK) return status;
    options->set = set, options->sets = sets;
    status = br_scene_parse(w->text, w->length, "the model", options, &scene, w->error);
    if (status == BR_OK) *changed = bri_scene_take_model(scene);
    if (status == BR_OK) br_scene_destroy(scene);
    return status;
}

BrStatus br_model_change(const BrModel *model, const char *const *set, int sets, BrModel **changed, BrError *error) {
    BRI_NEED(changed, "changed", error);
    *changed = NULL;
    BRI_NEED(model, "model", error);
    BrStatus status = check_set(set, sets, error);
    if (status != BR_OK) return status;
    const BriLaws *own = &model->laws;
    BriWriter w = {.model = model, .allocator = model->allocator, .error = error, .copies = true};
    BrSceneOptions options = br_default_scene_options();
    options.allocator = model->allocator, options.log = model->log;
    BrLawDef *def = bri_allocate(&model->allocator, (size_t)own->count, sizeof *def);
    const BrLawDef **laws = bri_allocate(&model->allocator, (size_t)own->count, sizeof *laws);
    if (def && laws) {
        for (int i = 0; i < own->count; i++) def[i] = describe(own->law[i]), laws[i] = &def[i];
        options.laws = laws, options.law_count = own->count;
        status = change(&w, &options, set, sets, changed);
    } else
        status = bri_fail(error, BR_OUT_OF_MEMORY, "no memory to change a model");
    bri_write_release(&w);
    bri_release(&model->allocator, laws);
    bri_release(&model->allocator, def);
    return status;
}
