/* scene_run.h: a scene, read from a text and stepped. */
#ifndef TESTS_SCENE_RUN_H
#define TESTS_SCENE_RUN_H

#include <string.h>

#include "bristle/scene.h"

typedef struct SceneRun {
    BrScene *scene;
    const BrModel *model;
    BrState *state;
    BrWorkspace *workspace;
} SceneRun;

/* `place`: the file that it stands for. */
static inline SceneRun scene_begin_at(const char *place, const char *text) {
    SceneRun r = {0};
    BrError error = {0};
    if (br_scene_parse(text, strlen(text), place, NULL, &r.scene, &error) != BR_OK)
        fail_msg("%d:%d: %s\n%s", error.line, error.column, error.text, text);
    r.model = br_scene_model(r.scene);
    assert_int_equal(br_state_create(r.model, &r.state, NULL), BR_OK);
    assert_int_equal(br_workspace_create(r.model, &r.workspace, NULL), BR_OK);
    assert_int_equal(br_state_assemble(r.model, r.workspace, r.state, NULL, NULL), BR_OK);
    return r;
}

static inline SceneRun scene_begin(const char *text) { return scene_begin_at("scene.yaml", text); }

static inline void scene_end(SceneRun *r) {
    br_workspace_destroy(r->model, r->workspace);
    br_state_destroy(r->model, r->state);
    br_scene_destroy(r->scene);
}

static inline void scene_go(SceneRun *r, BrFormulation formulation, BrScheme scheme, double dt, int steps) {
    BrStepDef def = br_default_step_def();
    BrError error = {0};
    def.formulation = formulation, def.scheme = scheme, def.dt = dt;
    for (int i = 0; i < steps; i++)
        if (br_step(r->model, r->workspace, r->state, &def, NULL, &error) < 0) fail_msg("%s", error.text);
}

/* Refused, with a place in the text and with these words. */
static inline void scene_refuse_at(const char *place, const char *text, const char *words) {
    BrScene *scene;
    BrError error = {0};
    BrStatus status = br_scene_parse(text, strlen(text), place, NULL, &scene, &error);
    if (status != BR_INVALID_SCENE) fail_msg("%s is %d: %s", text, (int)status, error.text);
    if (!strstr(error.text, words)) fail_msg("'%s' is not in: %s", words, error.text);
    assert_true(error.line > 0 && error.column > 0);
}

static inline void scene_refuse(const char *text, const char *words) { scene_refuse_at("scene.yaml", text, words); }

#endif
