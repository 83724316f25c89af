/* bench_realtime.c: a scene at its own step, as often as it takes to measure. Prints one JSON line: CPU time per step
 * and how many times faster than real time that is. Usage: bench_realtime SCENE [path.to.key=value ...] */
#include "bench.h"

int main(int argc, char **argv) {
    enum { REPEATS = 5 };
    BrError error = {0};
    BrScene *scene;
    BrState *start, *state;
    BrWorkspace *workspace;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_realtime SCENE [path.to.key=value ...]\n");
        return 2;
    }
    BrSceneOptions options = br_default_scene_options();
    options.set = (const char *const *)argv + 2;
    options.sets = argc - 2;
    stop_on(br_scene_load(argv[1], &options, &scene, &error), &error);
    const BrModel *model = br_scene_model(scene);
    BrRunDef run = br_scene_run_def(scene);
    stop_on(br_step_fits(model, &run.step, &error), &error);
    stop_on(br_state_create(model, &start, &error), &error);
    stop_on(br_state_create(model, &state, &error), &error);
    stop_on(br_workspace_create(model, &workspace, &error), &error);
    stop_on(br_state_assemble(model, workspace, start, NULL, &error), &error);
    long steps = (long)(run.until / run.step.dt + 0.5);
    double best = 0;
    for (int k = 0; k < REPEATS; k++) {
        stop_on(br_state_copy(state, start), &error);
        double begin = cpu_seconds();
        for (long i = 0; i < steps; i++) stop_on(br_step(model, workspace, state, &run.step, NULL, &error), &error);
        double used = cpu_seconds() - begin;
        if (k == 0 || used < best) best = used;
    }
    double simulated = (double)steps * run.step.dt;
    printf("{\"scheme\":\"%s\",\"substeps\":%d,\"dt\":%g,\"simulated_s\":%g,\"us_per_step\":%.3f,\"times_real_time\":%."
           "2f}\n",
           br_scheme_name(run.step.scheme), run.step.substeps, run.step.dt, simulated, 1e6 * best / (double)steps,
           simulated / best);
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, start);
    br_state_destroy(model, state);
    br_scene_destroy(scene);
    return 0;
}
