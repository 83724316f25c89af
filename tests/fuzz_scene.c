/* fuzz_scene.c: any bytes as a scene: read or refused, and what is read assembles and steps, or is refused; written out
 * it is the same model. */
#include "bristle/scene.h"
#include "plain_line.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 60, STEPS = 2 };

/* A refusal never comes with a scene, and always says why. */
static void check_refusal(BrStatus status, const BrScene *scene, const BrError *error) {
    if (scene || status != error->status || !error->text[0] || !is_plain_line(error->text)) abort();
}

static void move(const BrModel *model, BrState *state, BrWorkspace *workspace, const BrStepDef *def) {
    BrError error = {0};
    BrStatus status = br_state_assemble(model, workspace, state, NULL, &error);
    for (int i = 0; status >= 0 && i < STEPS; i++) status = br_step(model, workspace, state, def, NULL, &error);
    if (status < 0 && (status != error.status || !error.text[0])) abort();
}

/* What is printed of a scene reads back to the same. */
static void check_expanded(BrScene *scene) {
    BrScene *again = NULL;
    const char *text = br_scene_expanded(scene);
    if (!text || br_scene_parse(text, strlen(text), "expanded.yaml", NULL, &again, NULL) != BR_OK) abort();
    if (br_model_fingerprint(br_scene_model(again)) != br_model_fingerprint(br_scene_model(scene))) abort();
    br_scene_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    BrScene *scene = NULL;
    BrError error = {0};
    BrStatus status = br_scene_parse((const char *)data, size, "fuzz.yaml", NULL, &scene, &error);
    if (status != BR_OK) {
        check_refusal(status, scene, &error);
        return 0;
    }
    const BrModel *model = br_scene_model(scene);
    BrRunDef run = br_scene_run_def(scene);
    if (!(run.step.dt > 0) || !(run.record_every >= run.step.dt) || !(run.until >= 0)) abort();
    check_expanded(scene);
    BrState *state = NULL;
    BrWorkspace *workspace = NULL;
    if (br_model_body_count(model) <= MOST_BODIES && br_state_create(model, &state, NULL) == BR_OK &&
        br_workspace_create(model, &workspace, NULL) == BR_OK)
        move(model, state, workspace, &run.step);
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
    br_scene_destroy(scene);
    return 0;
}
