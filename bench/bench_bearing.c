/* bench_bearing.c: a ball bearing with n balls, two lasting contacts with Hertz's compliance and friction each, preloaded so
 * that one ball is held as well as many, at steps of 0.1 ms: how the time of a step grows with the balls, and how it compares with the clock. One JSON line per number of balls: CPU time per step
 * and contact, relative to that of one ball, and times real time; best of three. Usage: bench_bearing [balls ...] */
#include "bench.h"

#include <math.h>

static const double BALL = 4e-3, GROOVE = 4.16e-3, TIGHT = 20e-6, SPIN = 100, DT = 1e-4; /* m, m, m, rad/s, s */
enum { STEPS = 1000, REPEATS = 3 };

/* So wide that n balls have room: eight on a pitch circle of 20 mm. */
static double find_pitch(int balls) { return balls > 8 ? 20e-3 * balls / 8 : 20e-3; }

static BrBodyId add_ring(BrModel *model, bool inner, double pitch, BrMaterialId steel) {
    BrBodyDef body = br_default_body_def();
    BrShapeDef groove = br_default_shape_def();
    BrError error;
    body.name = inner ? "inner" : "outer";
    body.kind = inner ? BR_BODY_DYNAMIC : BR_BODY_FIXED;
    body.mass = 0.1;
    body.inertia = (BrMat3){{{2e-5, 0, 0}, {0, 2e-5, 0}, {0, 0, 2e-5}}};
    if (inner) body.angular_velocity.z = SPIN;
    stop_on(br_model_add_body(model, &body, &groove.body, &error), &error);
    groove.kind = BR_SHAPE_GROOVE, groove.material = steel;
    groove.ring_radius = inner ? pitch - BALL + GROOVE + TIGHT : pitch + BALL - GROOVE, groove.radius = GROOVE;
    stop_on(br_model_add_shape(model, &groove, NULL, &error), &error);
    return groove.body;
}

static void add_contact(BrModel *model, const char *name, BrBodyId ring, BrBodyId ball) {
    BrJointDef def = br_default_joint_def();
    BrError error;
    def.name = name, def.type = BR_JOINT_CONTACT, def.body_a = ring, def.body_b = ball, def.stiffness = 1e10;
    def.friction.law = br_law(BR_LAW_FRICTION, "tracked");
    br_law_set(&def.friction.law, "mu", 0.1);
    br_law_set(&def.friction.law, "stiffness", 2e4);
    br_law_set(&def.friction.law, "damping", 5);
    stop_on(br_model_add_joint(model, &def, NULL, &error), &error);
}

static void add_ball(BrModel *model, int i, int balls, const BrBodyId ring[2], BrMaterialId steel) {
    char name[3][32];
    double pitch = find_pitch(balls), orbit = SPIN / 2 * (1 - BALL / pitch), angle = 2 * acos(-1) * i / balls - acos(0);
    BrBodyDef body = br_default_body_def();
    BrShapeDef sphere = br_default_shape_def();
    BrError error;
    snprintf(name[0], sizeof name[0], "ball%d", i), snprintf(name[1], sizeof name[1], "outer%d", i);
    snprintf(name[2], sizeof name[2], "inner%d", i);
    body.name = name[0];
    body.mass = 7800 * 4. / 3 * acos(-1) * BALL * BALL * BALL;
    double inertia = 0.4 * body.mass * BALL * BALL;
    body.inertia = (BrMat3){{{inertia, 0, 0}, {0, inertia, 0}, {0, 0, inertia}}};
    body.position = (BrVec3){pitch * cos(angle), pitch * sin(angle), 0};
    body.velocity = (BrVec3){-orbit * pitch * sin(angle), orbit * pitch * cos(angle), 0};
    body.angular_velocity.z = -orbit * pitch / BALL;
    stop_on(br_model_add_body(model, &body, &sphere.body, &error), &error);
    sphere.kind = BR_SHAPE_SPHERE, sphere.radius = BALL, sphere.material = steel;
    stop_on(br_model_add_shape(model, &sphere, NULL, &error), &error);
    add_contact(model, name[1], ring[0], sphere.body);
    add_contact(model, name[2], ring[1], sphere.body);
}

static BrModel *make_bearing(int balls) {
    BrModelDef def = br_default_model_def();
    BrMaterialDef steel = br_default_material_def();
    BrFilterDef apart = br_default_filter_def();
    BrJointDef shaft = br_default_joint_def();
    BrMotionDef drive = br_default_motion_def();
    BrMaterialId material;
    BrError error;
    BrModel *model;
    def.gravity = (BrVec3){0, 0, 0};
    stop_on(br_model_create(&def, &model, &error), &error);
    steel.name = "steel";
    br_law_set(&steel.surface.friction, "mu", 0.1);
    stop_on(br_model_add_material(model, &steel, &material, &error), &error);
    BrBodyId ring[2];
    for (int i = 0; i < 2; i++) ring[i] = add_ring(model, i == 1, find_pitch(balls), material);
    apart.body_a = ring[0], apart.body_b = ring[1];
    stop_on(br_model_add_filter(model, &apart, &error), &error);
    shaft.name = "shaft", shaft.type = BR_JOINT_REVOLUTE, shaft.body_a = ring[0], shaft.body_b = ring[1];
    shaft.axis = (BrVec3){0, 0, 1};
    stop_on(br_model_add_joint(model, &shaft, &drive.joint, &error), &error);
    drive.name = "drive", drive.by_velocity = true, drive.drive = br_constant(SPIN);
    stop_on(br_model_add_motion(model, &drive, NULL, &error), &error);
    for (int i = 0; i < balls; i++) add_ball(model, i, balls, ring, material);
    stop_on(br_model_build(model, &error), &error);
    return model;
}

/* us of CPU time per step. */
static double run(const BrModel *model) {
    BrError error;
    BrState *state;
    BrWorkspace *workspace;
    stop_on(br_state_create(model, &state, &error), &error);
    stop_on(br_workspace_create(model, &workspace, &error), &error);
    BrStepDef def = br_default_step_def();
    def.formulation = BR_FORMULATION_SMOOTH, def.scheme = BR_SCHEME_HALF_IMPLICIT, def.dt = DT;
    double begin = cpu_seconds();
    for (int k = 0; k < STEPS; k++) stop_on(br_step(model, workspace, state, &def, NULL, &error), &error);
    double end = cpu_seconds();
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
    return 1e6 * (end - begin) / STEPS;
}

int main(int count, char **words) {
    static const int BALLS[] = {1, 2, 4, 8, 16, 32, 64};
    double one = 0;
    for (int i = 0; i < (count > 1 ? count - 1 : (int)(sizeof BALLS / sizeof *BALLS)); i++) {
        int balls = count > 1 ? atoi(words[i + 1]) : BALLS[i];
        BrModel *model = make_bearing(balls);
        double best = 1e300;
        for (int k = 0; k < REPEATS; k++) best = fmin(best, run(model));
        if (i == 0) one = best / (2 * balls);
        printf("{\"bench\": \"bearing\", \"balls\": %d, \"us\": %.4g, \"us_per_contact\": %.4g, \"to_first\": %.3g, "
               "\"times_real_time\": %.3g}\n",
               balls, best, best / (2 * balls), best / (2 * balls) / one, best / (1e6 * DT));
        br_model_destroy(model);
    }
    return 0;
}
