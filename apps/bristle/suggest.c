/* suggest.c: `bristle suggest`: parameters of compliant contact to begin with, from what an engineer knows. */
#include "command.h"

#include <math.h>
#include <string.h>

typedef struct Suggest {
    const char *scene;
    const char *mass, *mass_b, *load, *depth, *modulus, *poisson, *radius, *e, *mu, *mu_k, *speed, *dt;
    List set, include;
    bool json;
} Suggest;

static int parse(Suggest *s, int count, char **words, int *done) {
    const Option options[] = {
        {"--mass", NULL, "MASS", "of the body, e.g. '2 kg'", &s->mass, false},
        {"--mass2", NULL, "MASS", "of the other body; fixed if not given", &s->mass_b, false},
        {"--load", NULL, "FORCE", "that presses them together at rest; its weight if not given", &s->load, false},
        {"--depth", NULL, "LENGTH", "allowed under the load; or:", &s->depth, false},
        {"--E", NULL, "MODULUS", "of both bodies, e.g. '210 GPa'", &s->modulus, false},
        {"--nu", NULL, "NUMBER", "of both bodies; 0.3 if not given", &s->poisson, false},
        {"--radius", NULL, "LENGTH", "of the contact, 1/R = 1/R_a + 1/R_b", &s->radius, false},
        {"--e", NULL, "NUMBER", "restitution; 0.5 if not given", &s->e, false},
        {"--mu", NULL, "NUMBER", "coefficient of friction; 0.3 if not given", &s->mu, false},
        {"--mu-k", NULL, "NUMBER", "the same while sliding; as --mu if not given", &s->mu_k, false},
        {"--speed", NULL, "SPEED", "of an impact; 1 m/s if not given", &s->speed, false},
        {"--dt", NULL, "TIME", "the step to be divided; 1 ms if not given, or the scene's", &s->dt, false},
        {"--set", NULL, "PATH=VALUE", "change the scene; may be repeated", &s->set, true},
        {"--include", NULL, "FOLDER", INCLUDE_HELP, &s->include, true},
        {"--json", NULL, NULL, "the result as JSON on standard output", &s->json, false},
    };
    return parse_options(
        "Usage: bristle suggest --mass MASS --depth LENGTH [options]\n"
        "       bristle suggest --mass MASS --E MODULUS --radius LENGTH [options]\n"
        "       bristle suggest SCENE [options]\n\n"
        "Parameters of compliant contact to begin with: a block for a scene, and what it does. Of a scene: the blocks "
        "that\nits materials lack, from its masses, gravity and sizes; options given beside it are used in their "
        "place.",
        options, (int)(sizeof options / sizeof options[0]), count, words, &s->scene, 1, done);
}

/* What was given takes the place of what the definition has. */
static BrStatus apply(const Suggest *s, BrSuggestDef *def, BrError *error) {
    const struct {
        const char *name, *text, *unit;
        double *target;
    } options[] = {{"--mass", s->mass, "kg", &def->mass},
                   {"--mass2", s->mass_b, "kg", &def->mass_b},
                   {"--load", s->load, "N", &def->load},
                   {"--depth", s->depth, "m", &def->depth},
                   {"--E", s->modulus, "Pa", &def->youngs_modulus},
                   {"--nu", s->poisson, "", &def->poissons_ratio},
                   {"--radius", s->radius, "m", &def->radius},
                   {"--e", s->e, "", &def->restitution},
                   {"--mu", s->mu, "", &def->mu_s},
                   {"--mu-k", s->mu_k, "", &def->mu_k},
                   {"--speed", s->speed, "m/s", &def->speed},
                   {"--dt", s->dt, "s", &def->dt}};
    if (s->depth) def->youngs_modulus = 0;
    if (s->modulus) def->depth = 0;
    if (s->modulus && !s->poisson) def->poissons_ratio = 0.3;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (!options[i].text) continue;
        BrStatus status = br_quantity(options[i].text, options[i].unit, options[i].target, error);
        if (status == BR_OK) continue;
        BrError why = *error;
        snprintf(error->text, sizeof error->text, "%s: %.700s", options[i].name, why.text);
        error->line = error->column = 0;
        return status;
    }
    if (s->mu && !s->mu_k) def->mu_k = def->mu_s;
    return BR_OK;
}

/* ------------------------------------------------------------------ telling */

static int print_law(char *text, size_t size, const BrLaw *law, const char *const *names) {
    int used = snprintf(text, size, "{law: %s", law->info->name);
    for (; *names; names++)
        for (int i = 0; i < law->info->parameters; i++)
            if (strcmp(law->info->parameter[i].name, *names) == 0)
                used += snprintf(text + used, size - (size_t)used, ", %s: %.6g", *names, law->value[i]);
    return used + snprintf(text + used, size - (size_t)used, "}");
}

/* compliant: {normal: {...}, friction: {...}}, without the key. */
static void print_block(char *text, size_t size, const BrSuggestion *s) {
    static const char *const NORMAL[] = {"stiffness", "e", "floor", NULL};
    static const char *const FRICTION[] = {"mu_s", "mu_k", "sigma_0", "sigma_1", "v_s", "tau_dw", NULL};
    int used = snprintf(text, size, "{normal: ");
    used += print_law(text + used, size - (size_t)used, &s->normal, NORMAL);
    used += snprintf(text + used, size - (size_t)used, ", friction: ");
    used += print_law(text + used, size - (size_t)used, &s->friction, FRICTION);
    snprintf(text + used, size - (size_t)used, "}");
}

/* All but the block is a comment: the output can be pasted. */
static void print_text(const BrSuggestDef *def, const BrSuggestion *s) {
    char block[512], time[24], largest[24];
    print_block(block, sizeof block, s);
    printf("compliant: %s\n", block);
    printf("# at rest: %.3g N press %.3g mm deep; bristles bend %.3g mm, a tenth of that, before they slide\n", s->load,
           1e3 * s->depth, 1e3 * s->deflection);
    printf("# impact at %.3g m/s: %.3g mm deep, at most %.4g N, %s long\n", def->speed, 1e3 * s->impact_depth,
           s->impact_force, print_time(s->impact_time, time));
    printf("# step: {formulation: compliant, scheme: rk4, dt: %.6g, substeps: %d}: stable up to dt/substeps = %s, %.0f "
           "steps per impact\n",
           def->dt, s->substeps, print_time(s->largest_step, largest), s->steps_per_impact);
}

static void json_suggestion(const BrSuggestDef *def, const BrSuggestion *s) {
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"load", s->load},
                   {"depth", s->depth},
                   {"deflection", s->deflection},
                   {"speed", def->speed},
                   {"impact_depth", s->impact_depth},
                   {"impact_force", s->impact_force},
                   {"impact_time", s->impact_time},
                   {"dt", def->dt},
                   {"largest_step", s->largest_step},
                   {"steps_per_impact", s->steps_per_impact}};
    char block[512];
    print_block(block, sizeof block, s);
    printf("\"compliant\": ");
    json_text(stdout, block);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        printf(", \"%s\": ", numbers[i].name);
        json_number(stdout, numbers[i].value);
    }
    printf(", \"substeps\": %d", s->substeps);
}

/* ------------------------------------------------------------------ from numbers, from a scene */

static int suggest_one(const Suggest *s) {
    BrSuggestDef def = br_default_suggest_def();
    BrSuggestion suggestion;
    BrError error = {0};
    if (!s->mass) {
        fprintf(stderr, "bristle suggest: which scene, or which --mass?\n");
        return EXIT_MISUSE;
    }
    BrStatus status = apply(s, &def, &error);
    if (status == BR_OK) status = br_suggest(&def, &suggestion, &error);
    if (status != BR_OK) return report_error(&error, s->json);
    if (s->json) {
        printf("{");
        json_suggestion(&def, &suggestion);
        printf("}\n");
    } else {
        print_text(&def, &suggestion);
    }
    return EXIT_FINE;
}

/* Do shapes of these materials meet, without a compliant block? */
static bool lacks_block(const BrModel *m, BrMaterialId a, BrMaterialId b) {
    const BrSurface *surface = br_material_surface(m, a, b);
    return surface && !surface->compliant_normal.info;
}

static BrStatus suggest_pair(const Suggest *s, const BrModel *m, const BrMaterialId ids[2], double dt, int *found,
                             BrError *error) {
    const char *a = br_material_def(m, ids[0])->name, *b = br_material_def(m, ids[1])->name;
    BrSuggestDef def;
    BrSuggestion suggestion;
    BrStatus status = br_suggest_for(m, ids[0], ids[1], &def, error);
    if (status == BR_INVALID_ARGUMENT) return BR_OK; /* they never meet */
    def.dt = dt;
    if (status == BR_OK) status = apply(s, &def, error);
    if (status == BR_OK) status = br_suggest(&def, &suggestion, error);
    if (status != BR_OK) return status;
    if (s->json) {
        printf("%s{\"materials\": [", *found ? ", " : "");
        json_text(stdout, a);
        printf(", ");
        json_text(stdout, b);
        printf("], ");
        json_suggestion(&def, &suggestion);
        printf("}");
    } else {
        printf(strcmp(a, b) == 0 ? "# add to the material '%s':\n" : "# add to the pair [%s, %s]:\n", a, b);
        print_text(&def, &suggestion);
    }
    ++*found;
    return BR_OK;
}

static int suggest_for_scene(const Suggest *s) {
    BrSceneOptions options = br_default_scene_options();
    BrScene *scene;
    BrError error = {0};
    int found = 0;
    options.set = s->set.item;
    options.sets = s->set.count;
    options.include = s->include.item;
    options.includes = s->include.count;
    BrStatus status = br_scene_load(s->scene, &options, &scene, &error);
    if (status != BR_OK) return report_error(&error, s->json);
    const BrModel *m = br_scene_model(scene);
    double dt = br_scene_run_def(scene).step.dt;
    int count = br_model_material_count(m);
    if (s->json) printf("[");
    for (int i = 0; status == BR_OK && i < count; i++)
        for (int k = i; status == BR_OK && k < count; k++) {
            BrMaterialId ids[2] = {br_model_material(m, i), br_model_material(m, k)};
            if (lacks_block(m, ids[0], ids[1])) status = suggest_pair(s, m, ids, dt, &found, &error);
        }
    if (s->json) printf("]\n");
    br_scene_destroy(scene);
    if (status != BR_OK) return report_error(&error, false);
    if (!found && !s->json) printf("# nothing to add: all materials that meet have a compliant block\n");
    return EXIT_FINE;
}

int command_suggest(int count, char **words) {
    Suggest s = {0};
    int done, arguments = parse(&s, count, words, &done);
    if (arguments < 0) return done;
    return arguments == 1 ? suggest_for_scene(&s) : suggest_one(&s);
}
