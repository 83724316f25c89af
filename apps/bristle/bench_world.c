/* bench_world.c: a benchmark world as a model of bristle, through the public headers like any user. */
#include "benchmark.h"

#include <stdlib.h>
#include <string.h>

typedef struct Ours {
    BrModel *model;
    BrState *state;
    BrWorkspace *workspace;
    BrStepDef step;
    BrBodyId *body; /* of the world's bodies */
    BrBodyId ground;
    BrMaterialId material;
    BrError *error;
    size_t bytes; /* allocated and not released */
    int contacts; /* of the last step */
    int steps, certified;
    double residual; /* m/s, worst */
} Ours;

/* ------------------------------------------------------------------ memory, counted */

enum { HEAD = 64 }; /* bytes before each block, for its size; keeps blocks aligned for any type */

static void *allocate_counted(void *user, size_t size) {
    char *block = malloc(size + HEAD);
    if (!block) return NULL;
    memcpy(block, &size, sizeof size);
    ((Ours *)user)->bytes += size;
    return block + HEAD;
}

static void release_counted(void *user, void *memory) {
    size_t size;
    if (!memory) return;
    memcpy(&size, (char *)memory - HEAD, sizeof size);
    ((Ours *)user)->bytes -= size;
    free((char *)memory - HEAD);
}

/* ------------------------------------------------------------------ building */

static BrVec3 to_vector(WorldVec v) { return (BrVec3){v.x, v.y, v.z}; }

static BrMat3 to_matrix(const WorldFrame *frame) {
    BrMat3 A;
    memcpy(A.m, frame->turn, sizeof A.m);
    return A;
}

static BrBodyId find_body(const Ours *o, int number) { return number == WORLD_GROUND ? o->ground : o->body[number]; }

static bool add_bodies(Ours *o, const World *world) {
    BrBodyDef ground = br_default_body_def();
    ground.name = "ground";
    ground.kind = BR_BODY_FIXED;
    if (br_model_add_body(o->model, &ground, &o->ground, o->error) < 0) return false;
    for (int i = 0; i < world->bodies; i++) {
        const WorldBody *b = &world->body[i];
        BrBodyDef def = br_default_body_def();
        char name[16];
        snprintf(name, sizeof name, "body%d", i);
        def.name = name;
        def.mass = b->mass;
        def.inertia = (BrMat3){{{b->inertia[0], 0, 0}, {0, b->inertia[1], 0}, {0, 0, b->inertia[2]}}};
        def.position = to_vector(b->start.at);
        def.rotation = to_matrix(&b->start);
        def.velocity = to_vector(b->velocity);
        def.angular_velocity = to_vector(b->spin);
        if (br_model_add_body(o->model, &def, &o->body[i], o->error) < 0) return false;
    }
    return true;
}

static bool add_shapes(Ours *o, const World *world) {
    static const BrShapeKind KIND[] = {[WORLD_BOX] = BR_SHAPE_BOX,
                                       [WORLD_SPHERE] = BR_SHAPE_SPHERE,
                                       [WORLD_CAPSULE] = BR_SHAPE_CAPSULE,
                                       [WORLD_PLANE] = BR_SHAPE_PLANE,
                                       [WORLD_DISC] = BR_SHAPE_DISC};
    BrMaterialDef material = br_default_material_def();
    material.name = "all";
    br_law_set(&material.surface.friction, "mu", world->mu);
    if (br_model_add_material(o->model, &material, &o->material, o->error) < 0) return false;
    for (int i = 0; i < world->shapes; i++) {
        const WorldShape *s = &world->shape[i];
        BrShapeDef def = br_default_shape_def();
        def.body = find_body(o, s->body);
        def.kind = KIND[s->kind];
        def.position_body = to_vector(s->place.at);
        def.rotation_body = to_matrix(&s->place);
        def.size = to_vector(s->size);
        def.radius = s->radius;
        def.length = s->length;
        def.material = o->material;
        if (br_model_add_shape(o->model, &def, NULL, o->error) < 0) return false;
    }
    return true;
}

static bool add_joints(Ours *o, const World *world, BrJointId *joint) {
    static const BrJointType TYPE[] = {[WORLD_REVOLUTE] = BR_JOINT_REVOLUTE,
                                       [WORLD_PRISMATIC] = BR_JOINT_PRISMATIC,
                                       [WORLD_SPHERICAL] = BR_JOINT_SPHERICAL,
                                       [WORLD_FIXED] = BR_JOINT_FIXED};
    for (int i = 0; i < world->joints; i++) {
        const WorldJoint *j = &world->joint[i];
        BrJointDef def = br_default_joint_def();
        char name[16];
        snprintf(name, sizeof name, "joint%d", i);
        def.name = name;
        def.type = TYPE[j->kind];
        def.body_a = find_body(o, j->a);
        def.body_b = find_body(o, j->b);
        def.at = to_vector(j->at);
        def.axis = to_vector(j->axis);
        def.lower[0] = j->lower;
        def.upper[0] = j->upper;
        if (br_model_add_joint(o->model, &def, &joint[i], o->error) < 0) return false;
    }
    return true;
}

static bool add_motors(Ours *o, const World *world, const BrJointId *joint) {
    for (int i = 0; i < world->motors; i++) {
        const WorldMotor *m = &world->motor[i];
        BrMotorDef def = br_default_motor_def();
        double table[2 * WORLD_MOTOR_POINTS];
        char name[16];
        for (int k = 0; k < m->points; k++) {
            table[2 * k] = m->time[k];
            table[2 * k + 1] = m->speed[k];
        }
        snprintf(name, sizeof name, "motor%d", i);
        def.name = name;
        def.joint = joint[m->joint];
        def.speed = m->period > 0   ? br_sine(m->swing, 1 / m->period, 0)
                    : m->points > 1 ? br_table(table, m->points)
                                    : br_constant(m->speed[0]);
        def.max_effort = m->effort;
        if (br_model_add_motor(o->model, &def, NULL, o->error) < 0) return false;
    }
    return true;
}

/* Bodies of one group pass through each other. */
static bool add_filters(Ours *o, const World *world) {
    for (int i = 0; i < world->bodies; i++)
        for (int k = i + 1; k < world->bodies && world->body[i].group; k++) {
            BrFilterDef def = br_default_filter_def();
            if (world->body[i].group != world->body[k].group) continue;
            def.body_a = o->body[i];
            def.body_b = o->body[k];
            if (br_model_add_filter(o->model, &def, o->error) < 0) return false;
        }
    return true;
}

static bool fill_model(Ours *o, const World *world) {
    BrJointId *joint = calloc((size_t)world->joints + 1, sizeof *joint);
    bool fine = joint && add_bodies(o, world) && add_joints(o, world, joint) && add_motors(o, world, joint) &&
                (world->shapes == 0 || (add_shapes(o, world) && add_filters(o, world)));
    free(joint);
    return fine;
}

static bool build(Ours *o, const World *world, BrScheme scheme, int threads) {
    BrModelDef def = br_default_model_def();
    def.gravity = (BrVec3){0, 0, -WORLD_GRAVITY};
    def.allocator = (BrAllocator){allocate_counted, release_counted, o};
    o->step = br_default_step_def();
    o->step.scheme = scheme;
    o->step.threads = threads;
    o->step.dt = world->info->dt;
    o->step.most_work = 1e14; /* a world takes as long as it takes: what is measured is how long */
    if (world->info->budget > 0) o->step.contact_work = BR_CONTACT_OPERATIONS * world->info->budget;
    o->step.stop = is_to_stop;
    o->body = calloc((size_t)world->bodies, sizeof *o->body);
    return o->body && br_model_create(&def, &o->model, o->error) == BR_OK && fill_model(o, world) &&
           br_model_build(o->model, o->error) == BR_OK && br_step_fits(o->model, &o->step, o->error) == BR_OK &&
           br_state_create(o->model, &o->state, o->error) == BR_OK &&
           br_workspace_create(o->model, &o->workspace, o->error) == BR_OK;
}

static void release(Ours *o) {
    br_workspace_destroy(o->model, o->workspace);
    br_state_destroy(o->model, o->state);
    br_model_destroy(o->model);
    free(o->body);
}

/* ------------------------------------------------------------------ running */

static bool make_step(void *self, double time) {
    Ours *o = self;
    BrStepReport report;
    (void)time;
    BrStatus status = br_step(o->model, o->workspace, o->state, &o->step, &report, o->error);
    if (status < 0) return false;
    o->steps++;
    o->certified += status == BR_OK;
    o->contacts = report.contacts;
    if (report.contact_residual > o->residual) o->residual = report.contact_residual;
    return true;
}

static void read_poses(void *self, WorldFrame *frames) {
    const Ours *o = self;
    int bodies = br_model_body_count(o->model) - 1; /* the ground is the first */
    for (int i = 0; i < bodies; i++) {
        BrPose pose;
        br_body_pose(o->model, o->state, o->body[i], &pose);
        frames[i].at = (WorldVec){pose.position.x, pose.position.y, pose.position.z};
        memcpy(frames[i].turn, pose.rotation.m, sizeof frames[i].turn);
    }
}

static int count_contacts(void *self) { return ((const Ours *)self)->contacts; }

bool run_world(const World *world, BrScheme scheme, int threads, const WorldPlan *plan, WorldResult *r,
               BrError *error) {
    Ours o = {.error = error};
    *error = (BrError){.status = BR_OUT_OF_MEMORY, .text = "there is no memory for this world"};
    bool fine = build(&o, world, scheme, threads);
    WorldEngine engine = {&o, make_step, read_poses, count_contacts, is_to_stop, threads > 1};
    if (fine) {
        *error = (BrError){0};
        r->engine = "bristle";
        r->setting = br_scheme_name(scheme);
        fine = world_measure(world, &engine, plan, r) && error->status >= 0;
        r->certified = o.steps ? (double)o.certified / o.steps : -1;
        r->residual = o.residual;
        r->bytes = r->contacts > 0 ? (double)o.bytes / r->contacts : -1;
    }
    release(&o);
    return fine || error->status == BR_CANCELLED;
}
