/* stribeck.c: a friction law of one's own, named in a scene: mu falls with the slip from mu_s to mu_k. */
#include <bristle/bristle.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MU_S, MU_K, V_S };
static const BrLawParameter TABLE[] = {[MU_S] = {"mu_s", "", NAN, 0, 10, NULL, "at rest"},
                                       [MU_K] = {"mu_k", "", NAN, 0, 10, NULL, "when fast"},
                                       [V_S] = {"v_s", "m/s", 0.1, 1e-6, 10, NULL, "slip over which it falls"}};

static double holds(const BrLaw *law) { return law->value[MU_S]; }
static double slides(const BrLaw *law, double v) {
    const double *p = law->value;
    return p[MU_K] + (p[MU_S] - p[MU_K]) / (1 + v * v / (p[V_S] * p[V_S]));
}

static const char SCENE[] = "bristle: 1\n"
                            "step: {dt: 1 ms, until: 0.4 s}\n"
                            "materials: {steel: {friction: {law: falling, mu_s: 0.6, mu_k: 0.3, v_s: 40 cm/s}}}\n"
                            "bodies:\n"
                            "  floor: {fixed: true, shapes: [{plane: {}, material: steel}]}\n"
                            "  block: {mass: 1, inertia: [1, 1, 1], velocity: {linear: [1.5, 0, 0]},\n"
                            "          shapes: [{point: {}, material: steel}]}\n";

int main(void) {
    BrError error;
    BrLawDef law = br_default_law_def();
    law.name = "falling", law.kind = BR_LAW_FRICTION;
    law.parameter = TABLE, law.parameters = 3;
    law.dry.holds = holds, law.dry.slides = slides;

    const BrLawDef *const laws[] = {&law};
    BrSceneOptions options = br_default_scene_options();
    options.laws = laws, options.law_count = 1;
    BrScene *scene;
    BrState *state = NULL;
    BrWorkspace *workspace = NULL;
    BrStatus status = br_scene_parse(SCENE, strlen(SCENE), "stribeck", &options, &scene, &error);
    const BrModel *model = br_scene_model(scene);
    BrStepDef step = br_scene_run_def(scene).step;
    if (status == BR_OK) status = br_state_create(model, &state, &error);
    if (status == BR_OK) status = br_workspace_create(model, &workspace, &error);
    for (int i = 1; i <= 400 && status >= 0; i++) {
        BrContact c;
        status = br_step(model, workspace, state, &step, NULL, &error);
        if (status < 0 || i % 50 || br_evaluate(model, workspace, state, &error) < 0) continue;
        if (br_contact(model, workspace, 0, &c) == BR_OK)
            printf("t = %.2f s: slip %.4f m/s, mu %.6f\n", br_state_time(state), c.slip.x,
                   -c.friction_force.x / c.normal_force);
    }
    if (status < 0) fprintf(stderr, "%s\n", error.text);
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
    br_scene_destroy(scene);
    return status < 0;
}
