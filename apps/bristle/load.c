/* load.c: from a path to a state on its constraints. */
#include "command.h"

bool load_scene(const char *path, const List *set, Loaded *l, BrError *error) {
    *l = (Loaded){0};
    BrSceneOptions options = br_default_scene_options();
    options.set = set->item;
    options.sets = set->count;
    BrStatus status = br_scene_load(path, &options, &l->scene, error);
    if (status == BR_OK) {
        l->model = br_scene_model(l->scene);
        l->run = br_scene_run_def(l->scene);
        status = br_state_create(l->model, &l->state, error);
    }
    if (status == BR_OK) status = br_workspace_create(l->model, &l->workspace, error);
    if (status == BR_OK) status = br_state_assemble(l->model, l->workspace, l->state, &l->moved, error);
    if (status == BR_OK) return true;
    if (!error->file[0]) snprintf(error->file, sizeof error->file, "%s", path);
    unload_scene(l);
    return false;
}

void unload_scene(Loaded *l) {
    if (l->model) {
        br_workspace_destroy(l->model, l->workspace);
        br_state_destroy(l->model, l->state);
    }
    br_scene_destroy(l->scene);
    *l = (Loaded){0};
}
