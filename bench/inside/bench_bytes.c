/* bench_bytes.c: memory of the contacts of a heap that settles, moreau: what the workspace takes more than before the
 * first step, for each contact of the step at hand; and how much of that is numbers of a factor, which are there only
 * where one is cheap enough to be made (contact/pile.c). One JSON line per 50 steps.
 * Usage: bench_bytes [world of balls and planes] [steps] */
#include "../bench.h"
#include "../worlds/worlds.h"

#include "contact/pile.h"

#include <string.h>

enum { LOOK = 50, HEAD = 64 }; /* steps; bytes before each block, for its size */

static void *allocate_counted(void *user, size_t size) {
    char *block = malloc(size + HEAD);
    if (!block) return NULL;
    memcpy(block, &size, sizeof size);
    *(int64_t *)user += (int64_t)size;
    return block + HEAD;
}

static void release_counted(void *user, void *memory) {
    size_t size;
    if (!memory) return;
    memcpy(&size, (char *)memory - HEAD, sizeof size);
    *(int64_t *)user -= (int64_t)size;
    free((char *)memory - HEAD);
}

static BrVec3 to_vector(WorldVec v) { return (BrVec3){v.x, v.y, v.z}; }

static void add_shape(BrModel *model, const WorldShape *s, BrBodyId body, BrMaterialId material) {
    BrShapeDef def = br_default_shape_def();
    BrError error = {0};
    if (s->kind != WORLD_PLANE && s->kind != WORLD_SPHERE) {
        fprintf(stderr, "bench_bytes: a world of balls and planes is asked for\n");
        exit(2);
    }
    def.kind = s->kind == WORLD_PLANE ? BR_SHAPE_PLANE : BR_SHAPE_SPHERE;
    def.body = body;
    def.position_body = to_vector(s->place.at);
    memcpy(def.rotation_body.m, s->place.turn, sizeof def.rotation_body.m);
    def.radius = s->radius;
    def.material = material;
    stop_on(br_model_add_shape(model, &def, NULL, &error), &error);
}

static BrBodyId add_body(BrModel *model, int number, const WorldBody *b) {
    BrBodyDef def = br_default_body_def();
    BrBodyId id;
    BrError error = {0};
    char name[16];
    snprintf(name, sizeof name, "ball%d", number);
    def.name = name;
    def.mass = b->mass;
    def.inertia = (BrMat3){{{b->inertia[0], 0, 0}, {0, b->inertia[1], 0}, {0, 0, b->inertia[2]}}};
    def.position = to_vector(b->start.at);
    stop_on(br_model_add_body(model, &def, &id, &error), &error);
    return id;
}

static BrModel *make_model(const World *world, int64_t *bytes) {
    BrModelDef def = br_default_model_def();
    BrMaterialDef material = br_default_material_def();
    BrBodyDef ground = br_default_body_def();
    BrModel *model;
    BrMaterialId stone;
    BrBodyId ground_id;
    BrError error = {0};
    BrBodyId *id = calloc((size_t)world->bodies, sizeof *id);
    if (!id) exit(1);
    def.gravity = (BrVec3){0, 0, -WORLD_GRAVITY};
    def.allocator = (BrAllocator){allocate_counted, release_counted, bytes};
    stop_on(br_model_create(&def, &model, &error), &error);
    material.name = "stone";
    br_law_set(&material.surface.friction, "mu", world->mu);
    stop_on(br_model_add_material(model, &material, &stone, &error), &error);
    ground.name = "ground";
    ground.kind = BR_BODY_FIXED;
    stop_on(br_model_add_body(model, &ground, &ground_id, &error), &error);
    for (int i = 0; i < world->bodies; i++) id[i] = add_body(model, i, &world->body[i]);
    for (int i = 0; i < world->shapes; i++) {
        const WorldShape *s = &world->shape[i];
        add_shape(model, s, s->body == WORLD_GROUND ? ground_id : id[s->body], stone);
    }
    stop_on(br_model_build(model, &error), &error);
    free(id);
    return model;
}

static void run(const World *world, int steps) {
    int64_t bytes = 0;
    BrModel *model = make_model(world, &bytes);
    BrState *state;
    BrWorkspace *workspace;
    BrStepDef def = br_default_step_def();
    BrStepReport report;
    BrError error = {0};
    stop_on(br_state_create(model, &state, &error), &error);
    stop_on(br_workspace_create(model, &workspace, &error), &error);
    int64_t before = bytes, factor_before = bri_pile_factor_bytes(workspace->contacts->desk.pile);
    def.scheme = BR_SCHEME_MOREAU;
    def.dt = world->info->dt;
    def.most_work = 1e14; /* a heap takes as long as it takes */
    for (int k = 1; k <= steps; k++) {
        stop_on(br_step(model, workspace, state, &def, &report, &error), &error);
        if (k % LOOK || report.contacts == 0) continue;
        double all = (double)(bytes - before) / report.contacts;
        double factor =
            (double)(bri_pile_factor_bytes(workspace->contacts->desk.pile) - factor_before) / report.contacts;
        printf("{\"world\":\"%s\",\"step\":%d,\"contacts\":%d,\"bytes_per_contact\":%.0f,\"factor_bytes_per_contact\":"
               "%.0f,\"without_factor\":%.0f}\n",
               world->info->name, k, report.contacts, all, factor, all - factor);
        fflush(stdout);
    }
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
    br_model_destroy(model);
}

int main(int count, char **words) {
    const WorldInfo *info = world_find(count > 1 ? words[1] : "heap-8000");
    int steps = count > 2 ? atoi(words[2]) : 200;
    World *world = info && steps > 0 ? world_make(info) : NULL;
    if (!world) {
        fprintf(stderr, "usage: bench_bytes [world of balls and planes] [steps]\n");
        return 2;
    }
    run(world, steps);
    world_destroy(world);
    return 0;
}
