/* scene_support.h: scenes as texts, read, compared and refused. */
#ifndef TESTS_SCENE_SUPPORT_H
#define TESTS_SCENE_SUPPORT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "bristle/scene.h"

#define BEGIN "bristle: 1\n"
#define MASS  "mass: 1, inertia: [1, 1, 1]"

static inline BrScene *parse_with(const char *text, int sets, const char *const *set) {
    BrSceneOptions options = br_default_scene_options();
    options.set = set;
    options.sets = sets;
    BrScene *scene = NULL;
    BrError error = {0};
    BrStatus status = br_scene_parse(text, strlen(text), "scene.yaml", &options, &scene, &error);
    if (status != BR_OK) fail_msg("%s:%d:%d: %s\n%s", error.file, error.line, error.column, error.text, text);
    return scene;
}

static inline BrScene *parse(const char *text) { return parse_with(text, 0, NULL); }

static inline uint64_t find_print(const BrScene *scene) { return br_model_fingerprint(br_scene_model(scene)); }

/* What is printed is the same model again, and prints itself. */
static inline void check_expanded(BrScene *scene) {
    const char *text = br_scene_expanded(scene);
    assert_non_null(text);
    BrScene *again = parse(text);
    assert_true(find_print(again) == find_print(scene));
    assert_string_equal(br_scene_expanded(again), text);
    assert_string_equal(br_scene_text(again), text);
    br_scene_destroy(again);
}

static inline void check_error(const BrError *error, const char *file, int line, int column, const char *words) {
    if (!strstr(error->text, words)) fail_msg("'%s' is not in '%s'", words, error->text);
    if (!strstr(error->file, file)) fail_msg("'%s' is not in the file '%s': %s", file, error->file, error->text);
    if (error->line != line || error->column != column)
        fail_msg("%d:%d instead of %d:%d: %s", error->line, error->column, line, column, error->text);
}

static inline void check_refused(const char *text, int line, int column, const char *words) {
    BrScene *scene = NULL;
    BrError error = {0};
    BrStatus status = br_scene_parse(text, strlen(text), "scene.yaml", NULL, &scene, &error);
    if (status != BR_INVALID_SCENE) fail_msg("%s: %s\n%s", br_status_name(status), error.text, text);
    assert_null(scene);
    check_error(&error, "scene.yaml", line, column, words);
}

static inline const BrBodyDef *find_body(const BrScene *scene, const char *name) {
    const BrModel *model = br_scene_model(scene);
    const BrBodyDef *def = br_body_def(model, br_model_find_body(model, name));
    if (!def) fail_msg("there is no body '%s'", name);
    return def;
}

static inline void check_vector(BrVec3 got, double x, double y, double z, double tolerance) {
    if (!(fabs(got.x - x) <= tolerance && fabs(got.y - y) <= tolerance && fabs(got.z - z) <= tolerance))
        fail_msg("(%.17g, %.17g, %.17g) instead of (%.17g, %.17g, %.17g)", got.x, got.y, got.z, x, y, z);
}

#endif
