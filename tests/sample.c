#include "sample.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { GROUND, CRANK, COUPLER, ROCKER, SLIDER, BOB, TAIL, WHEEL, SKATE, CART, POST, NUT, PLATE, CROSS };

static const struct {
    const char *name;
    BrBodyKind kind;
    BrVec3 at, velocity, spin;
} BODIES[SAMPLE_BODIES] = {
    [GROUND] = {.name = "ground", .kind = BR_BODY_FIXED},
    [CRANK] = {.name = "crank", .at = {0, 0, 0.5}},
    [COUPLER] = {.name = "coupler", .at = {1.5, 0, 1.5}},
    [ROCKER] = {.name = "rocker", .at = {3, 0, 1}},
    [SLIDER] = {.name = "slider", .at = {0, 5, 0}},
    [BOB] = {.name = "bob", .at = {0.6, 5, -0.8}},
    [TAIL] = {.name = "tail", .at = {0.6, 5.5, -1.8}},
    [WHEEL] = {.name = "wheel", .at = {0, -5, 0.5}, .velocity = {2, 0, 0}, .spin = {0, 4, 0}},
    [SKATE] = {.name = "skate", .at = {0, -10, 0}, .velocity = {1, 0, 0}, .spin = {0, 0, 0.5}},
    [CART] = {.name = "cart", .kind = BR_BODY_KINEMATIC, .at = {0, 10, 0}},
    [POST] = {.name = "post", .at = {0.25, 10, 0.5}},
    [NUT] = {.name = "nut", .at = {0, 15, 0}},
    [PLATE] = {.name = "plate", .at = {0.5, 15, 0}},
    [CROSS] = {.name = "cross", .at = {0.125, 20, -0.5}},
};

static const struct {
    const char *name;
    BrJointType type;
    int a, b;
    BrVec3 at, axis, axis_b;
} JOINTS[SAMPLE_JOINTS] = {
    {"base", BR_JOINT_REVOLUTE, GROUND, CRANK, {0, 0, 0}, {0, 1, 0}, {0, 0, 0}},
    {"knee", BR_JOINT_REVOLUTE, CRANK, COUPLER, {0, 0, 1}, {0, 1, 0}, {0, 0, 0}},
    {"elbow", BR_JOINT_REVOLUTE, COUPLER, ROCKER, {3, 0, 2}, {0, 1, 0}, {0, 0, 0}},
    {"foot", BR_JOINT_REVOLUTE, ROCKER, GROUND, {3, 0, 0}, {0, 1, 0}, {0, 0, 0}},
    {"rail", BR_JOINT_PRISMATIC, GROUND, SLIDER, {0, 5, 0}, {1, 0, 0}, {0, 0, 0}},
    {"ball", BR_JOINT_SPHERICAL, SLIDER, BOB, {0, 5, 0}, {0, 0, 0}, {0, 0, 0}},
    {"rod", BR_JOINT_DISTANCE, BOB, TAIL, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
    {"road", BR_JOINT_ROLLING_WHEEL, GROUND, WHEEL, {0, -5, 0.5}, {0, 0, 1}, {0, 1, 0}},
    {"ice", BR_JOINT_PLANAR, GROUND, SKATE, {0, -10, 0}, {0, 0, 1}, {0, 0, 0}},
    {"blade", BR_JOINT_KNIFE_EDGE, GROUND, SKATE, {-0.25, -10, 0}, {0, 1, 0}, {0, 0, 0}},
    {"mast", BR_JOINT_CYLINDRICAL, CART, POST, {0, 10, 0}, {0, 0, 1}, {0, 0, 0}},
    {"thread", BR_JOINT_SCREW, GROUND, NUT, {0, 15, 0}, {0, 0, 1}, {0, 0, 0}},
    {"weld", BR_JOINT_FIXED, NUT, PLATE, {0.25, 15, 0}, {0, 0, 0}, {0, 0, 0}},
    {"cardan", BR_JOINT_UNIVERSAL, GROUND, CROSS, {0, 20, 0}, {1, 0, 0}, {0, 1, 0}},
};

/* ------------------------------------------------------------------ the additions */

static BrStatus add_body(Sample *s, int i, BrError *error) {
    BrBodyDef def = br_default_body_def();
    def.name = BODIES[i].name;
    def.kind = BODIES[i].kind;
    def.mass = 1.5;
    def.inertia = (BrMat3){{{0.25, 0.03125, 0}, {0.03125, 0.5, 0}, {0, 0, 0.375}}};
    if (i == WHEEL) def.inertia = (BrMat3){{{0.125, 0, 0}, {0, 0.25, 0}, {0, 0, 0.125}}};
    def.position = BODIES[i].at;
    def.velocity = BODIES[i].velocity;
    def.angular_velocity = BODIES[i].spin;
    return br_model_add_body(s->model, &def, &s->body[i], error);
}

static BrStatus add_joint(Sample *s, int i, BrError *error) {
    BrJointDef def = br_default_joint_def();
    def.name = JOINTS[i].name;
    def.type = JOINTS[i].type;
    def.body_a = s->body[JOINTS[i].a];
    def.body_b = s->body[JOINTS[i].b];
    def.at = JOINTS[i].at;
    def.axis = JOINTS[i].axis;
    def.axis_b = JOINTS[i].axis_b;
    def.lead = 0.125;
    def.radius = 0.5;
    return br_model_add_joint(s->model, &def, &s->joint[i], error);
}

static BrStatus add_line_spring(Sample *s, BrError *error) {
    BrSpringId id;
    BrSpringDef def = br_default_spring_def();
    def.name = "cord";
    def.body_a = s->body[GROUND];
    def.body_b = s->body[COUPLER];
    def.point_a_body = (BrVec3){1, 0.5, 0};
    def.point_b_body = (BrVec3){0.25, 0, 0};
    def.stiffness = br_expression("20 + 5*x^2");
    def.damping = br_constant(0.5);
    def.force = br_expression("0.1*tanh(v)");
    def.free_length = 1;
    return br_model_add_spring(s->model, &def, &id, error);
}

static BrStatus add_joint_spring(Sample *s, BrError *error) {
    static const double table[] = {-1, -30, 0, 0, 0.5, 20, 2, 100};
    BrSpringId id;
    BrSpringDef def = br_default_spring_def();
    def.name = "coil";
    def.joint = s->joint[10];
    def.coordinate = 1;
    def.stiffness = br_table(table, 4);
    def.damping = br_constant(0.25);
    def.free_length = 0.125;
    return br_model_add_spring(s->model, &def, &id, error);
}

static BrStatus add_weak_motor(Sample *s, BrError *error) {
    BrMotorId id;
    BrMotorDef def = br_default_motor_def();
    def.name = "crank_motor";
    def.joint = s->joint[0];
    def.speed = br_sine(6, 0.5, 0.25);
    def.max_effort = 12;
    return br_model_add_motor(s->model, &def, &id, error);
}

static BrStatus add_strong_motor(Sample *s, BrError *error) {
    BrMotorId id;
    BrMotorDef def = br_default_motor_def();
    def.name = "nut_motor";
    def.joint = s->joint[11];
    def.speed = br_expression("3*sin(t)");
    def.max_effort = 1000;
    return br_model_add_motor(s->model, &def, &id, error);
}

static BrStatus add_joint_motion(Sample *s, BrError *error) {
    BrMotionId id;
    BrMotionDef def = br_default_motion_def();
    def.name = "shake";
    def.joint = s->joint[4];
    def.drive = br_sine(0.25, 0.5, 0);
    return br_model_add_motion(s->model, &def, &id, error);
}

static BrStatus add_body_motion(Sample *s, BrError *error) {
    BrMotionId id;
    BrMotionDef def = br_default_motion_def();
    def.name = "ride";
    def.body = s->body[CART];
    def.linear[0] = br_expression("0.5*sin(2*t)");
    def.linear[1] = br_constant(10);
    def.angular_velocity[2] = br_constant(0.5);
    return br_model_add_motion(s->model, &def, &id, error);
}

static BrStatus add_force(Sample *s, BrError *error) {
    static const double table[] = {0, 0, 1, 2, 2, 0};
    BrForceId id;
    BrForceDef def = br_default_force_def();
    def.name = "wind";
    def.body = s->body[BOB];
    def.force[0] = br_table(table, 3);
    def.force[1] = br_expression("cos(3*t)");
    def.torque[2] = br_constant(0.125);
    def.point_body = (BrVec3){0, 0, 0.25};
    def.in_body_axes = true;
    return br_model_add_force(s->model, &def, &id, error);
}

/* ------------------------------------------------------------------ the steps */

static BrStatus create_model(Sample *s, BrError *error) {
    BrModelDef def = br_default_model_def();
    def.allocator = s->allocator;
    return br_model_create(&def, &s->model, error);
}

static BrStatus build_model(Sample *s, BrError *error) { return br_model_build(s->model, error); }
static BrStatus create_state(Sample *s, BrError *error) { return br_state_create(s->model, &s->state, error); }
static BrStatus create_workspace(Sample *s, BrError *error) {
    return br_workspace_create(s->model, &s->workspace, error);
}
static BrStatus assemble(Sample *s, BrError *error) {
    return br_state_assemble(s->model, s->workspace, s->state, NULL, error);
}

static BrStatus (*const LAST_STEPS[])(Sample *s, BrError *error) = {
    add_line_spring, add_joint_spring, add_weak_motor, add_strong_motor, add_joint_motion, add_body_motion,
    add_force,       build_model,      create_state,   create_workspace, assemble,
};

int sample_steps(void) { return 1 + SAMPLE_BODIES + SAMPLE_JOINTS + COUNT(LAST_STEPS); }

BrStatus sample_do(Sample *s, int step, BrError *error) {
    if (step == 0) return create_model(s, error);
    step -= 1;
    if (step < SAMPLE_BODIES) return add_body(s, step, error);
    step -= SAMPLE_BODIES;
    if (step < SAMPLE_JOINTS) return add_joint(s, step, error);
    return LAST_STEPS[step - SAMPLE_JOINTS](s, error);
}

BrStatus sample_make(Sample *s, BrAllocator allocator, BrError *error) {
    BrStatus status = BR_OK;
    *s = (Sample){.allocator = allocator};
    for (int i = 0; status == BR_OK && i < sample_steps(); i++) status = sample_do(s, i, error);
    return status;
}

BrStatus sample_make_loop(Sample *s, BrAllocator allocator, BrError *error) {
    *s = (Sample){.allocator = allocator};
    BrStatus status = create_model(s, error);
    for (int i = GROUND; status == BR_OK && i <= ROCKER; i++) status = add_body(s, i, error);
    for (int i = 0; status == BR_OK && i < 4; i++) status = add_joint(s, i, error);
    BrStatus (*const rest[])(Sample *, BrError *) = {add_line_spring, add_weak_motor,   build_model,
                                                     create_state,    create_workspace, assemble};
    for (int i = 0; status == BR_OK && i < COUNT(rest); i++) status = rest[i](s, error);
    return status;
}

void sample_release(Sample *s) {
    if (s->workspace) br_workspace_destroy(s->model, s->workspace);
    if (s->state) br_state_destroy(s->model, s->state);
    br_model_destroy(s->model);
    *s = (Sample){.allocator = s->allocator};
}

BrStatus sample_run(const Sample *s, BrState *state, BrWorkspace *workspace, BrScheme scheme, int count) {
    BrStepDef def = br_default_step_def();
    BrStatus status = BR_OK;
    def.scheme = scheme;
    def.formulation = br_scheme_formulation(scheme);
    for (int i = 0; status >= 0 && i < count; i++) status = br_step(s->model, workspace, state, &def, NULL, NULL);
    return status < 0 ? status : BR_OK;
}
