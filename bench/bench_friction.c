/* bench_friction.c: what friction in its joints costs a chain: links on hinges, released from the horizontal, with bearings
 * that rub and without, by turns. One JSON line per number of links and scheme: CPU time per step of both, the ratio of
 * the best of three, and how many steps did not converge. Usage: bench_friction [links ...] */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

static const double LENGTH = 0.1, MASS = 0.1;
enum { STEPS = 500, REPEATS = 3 };

static BrBodyId add_link(BrModel *model, int i) {
    char name[32];
    snprintf(name, sizeof name, "link%d", i);
    BrBodyDef def = br_default_body_def();
    BrError error;
    BrBodyId id;
    def.name = name;
    def.mass = MASS;
    double across = MASS * LENGTH * LENGTH / 12;
    def.inertia = (BrMat3){{{0.1 * across, 0, 0}, {0, across, 0}, {0, 0, across}}};
    def.position = (BrVec3){(i + 0.5) * LENGTH, 0, 0};
    stop_on(br_model_add_body(model, &def, &id, &error), &error);
    return id;
}

static void add_hinge(BrModel *model, int i, BrBodyId a, BrBodyId b, bool rubs) {
    char name[32];
    snprintf(name, sizeof name, "hinge%d", i);
    BrJointDef def = br_default_joint_def();
    BrError error;
    def.name = name;
    def.type = BR_JOINT_REVOLUTE;
    def.body_a = a, def.body_b = b;
    def.at = (BrVec3){i * LENGTH, 0, 0};
    def.axis = (BrVec3){0, 1, 0};
    if (rubs) {
        def.friction.law = br_law(BR_LAW_FRICTION, "coulomb");
        br_law_set(&def.friction.law, "mu_s", 0.2);
        br_law_set(&def.friction.law, "mu_k", 0.15);
        def.friction.pin_radius = 3e-3;
        def.friction.bearing_spacing = 10e-3;
    }
    stop_on(br_model_add_joint(model, &def, NULL, &error), &error);
}

static BrModel *make_chain(int links, bool rubs) {
    BrModelDef def = br_default_model_def();
    BrModel *model;
    BrError error;
    stop_on(br_model_create(&def, &model, &error), &error);
    BrBodyId last = add_ground(model);
    for (int i = 0; i < links; i++) {
        BrBodyId link = add_link(model, i);
        add_hinge(model, i, last, link, rubs);
        last = link;
    }
    stop_on(br_model_build(model, &error), &error);
    return model;
}

/* us of CPU time per step. */
static double run(int links, bool rubs, BrScheme scheme, int *unconverged, double *iterations) {
    BrError error;
    BrModel *model = make_chain(links, rubs);
    BrState *state;
    BrWorkspace *workspace;
    stop_on(br_state_create(model, &state, &error), &error);
    stop_on(br_workspace_create(model, &workspace, &error), &error);
    stop_on(br_state_assemble(model, workspace, state, NULL, &error), &error);
    BrStepDef def = br_default_step_def();
    def.formulation = br_scheme_formulation(scheme);
    def.scheme = scheme;
    def.most_work = 1e13; /* a thousand hinges that let go at once take a while to find out which */
    BrStepReport report;
    double begin = cpu_seconds();
    *unconverged = 0;
    *iterations = 0;
    for (int k = 0; k < STEPS; k++) {
        BrStatus status = br_step(model, workspace, state, &def, &report, &error);
        if (status < 0) stop_on(status, &error);
        *unconverged += status != BR_OK;
        *iterations += report.iterations / (double)STEPS;
    }
    double end = cpu_seconds();
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
    br_model_destroy(model);
    return 1e6 * (end - begin) / STEPS;
}

static void compare(int links, BrScheme scheme) {
    double best[2] = {1e300, 1e300}, iterations[2];
    int unconverged[2];
    for (int k = 0; k < REPEATS; k++)
        for (int rubs = 0; rubs < 2; rubs++) {
            double time = run(links, rubs, scheme, &unconverged[rubs], &iterations[rubs]);
            best[rubs] = time < best[rubs] ? time : best[rubs];
        }
    printf("{\"bench\": \"friction\", \"links\": %d, \"scheme\": \"%s\", \"plain_us\": %.3g, \"rubbing_us\": %.3g, "
           "\"ratio\": %.3g, "
           "\"iterations\": [%.3g, %.3g], \"unconverged\": [%d, %d]}\n",
           links, br_scheme_name(scheme), best[0], best[1], best[1] / best[0], iterations[0], iterations[1],
           unconverged[0], unconverged[1]);
}

int main(int count, char **words) {
    static const int LINKS[] = {1, 10, 100, 1000};
    static const BrScheme SCHEMES[] = {BR_SCHEME_HALF_IMPLICIT, BR_SCHEME_BDF2, BR_SCHEME_MOREAU, BR_SCHEME_HEM2};
    for (int i = 0; i < (count > 1 ? count - 1 : 4); i++)
        for (int s = 0; s < 4; s++) compare(count > 1 ? atoi(words[i + 1]) : LINKS[i], SCHEMES[s]);
    return 0;
}
