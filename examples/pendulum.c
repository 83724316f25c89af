/* pendulum.c: the library in one screen: a pendulum, one second of it, and the load on its hinge. */
#include <bristle/bristle.h>
#include <stdio.h>
#include <stdlib.h>

static void stop_on(BrStatus status, const BrError *error) {
    if (status >= 0) return;
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

int main(void) {
    BrError error;
    BrModel *model;
    BrBodyId ground, bob;
    BrJointId hinge;
    BrState *state;
    BrWorkspace *workspace;

    BrModelDef model_def = br_default_model_def();
    stop_on(br_model_create(&model_def, &model, &error), &error);
    BrBodyDef body = br_default_body_def();
    body.name = "ground";
    body.kind = BR_BODY_FIXED;
    stop_on(br_model_add_body(model, &body, &ground, &error), &error);
    body = br_default_body_def();
    body.name = "bob";
    body.mass = 1;
    body.inertia = (BrMat3){{{0.01, 0, 0}, {0, 0.01, 0}, {0, 0, 0.01}}};
    body.position = (BrVec3){0.5, 0, 0};
    stop_on(br_model_add_body(model, &body, &bob, &error), &error);
    BrJointDef joint = br_default_joint_def();
    joint.name = "hinge";
    joint.type = BR_JOINT_REVOLUTE;
    joint.body_a = ground;
    joint.body_b = bob;
    joint.axis = (BrVec3){0, 1, 0};
    stop_on(br_model_add_joint(model, &joint, &hinge, &error), &error);
    stop_on(br_model_build(model, &error), &error);

    stop_on(br_state_create(model, &state, &error), &error);
    stop_on(br_workspace_create(model, &workspace, &error), &error);
    BrStepDef step = br_default_step_def();
    for (int i = 0; i < 1000; i++) stop_on(br_step(model, workspace, state, &step, NULL, &error), &error);

    double angle[3], rate[3];
    BrWrench load;
    br_joint_position(model, state, hinge, angle, rate);
    stop_on(br_evaluate(model, workspace, state, &error), &error);
    br_joint_reaction(model, workspace, hinge, &load, NULL);
    printf("t = %g s: angle %.6f rad, hinge force (%.4f, %.4f, %.4f) N\n", br_state_time(state), angle[0], load.force.x,
           load.force.y, load.force.z);
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
    br_model_destroy(model);
}
