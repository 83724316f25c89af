/* bench_growth.c: how the time of a step grows with its contacts: columns of five balls on a floor, 10^3, 10^4 and 10^5
 * contacts, moreau. One JSON line per size with CPU time per step and contact, the shortest of some rounds in which all
 * sizes take turns, so that a machine that is busy for a while is so for all of them; then one with the exponent between
 * the smallest and the largest. Usage: bench_growth [rounds] [most contacts] */
#include "bench.h"

#include <math.h>

static const double RADIUS = 0.05, CELL = 0.125, DT = 1e-3; /* m, s */
enum { HIGH = 5, SIZES = 3, SMALLEST = 1000, TIMES = 10, WARM = 5 };
enum { STEPS_ROUND = 400000 }; /* contacts times steps of a round */

typedef struct Columns {
    BrModel *model;
    BrState *state;
    BrWorkspace *workspace;
    int contacts; /* of the last step */
    double best;  /* s per step */
} Columns;

static void add_floor(BrModel *model, BrMaterialId material) {
    BrBodyDef def = br_default_body_def();
    BrShapeDef shape = br_default_shape_def();
    BrError error = {0};
    def.name = "floor";
    def.kind = BR_BODY_FIXED;
    stop_on(br_model_add_body(model, &def, &shape.body, &error), &error);
    shape.kind = BR_SHAPE_PLANE;
    shape.material = material;
    stop_on(br_model_add_shape(model, &shape, NULL, &error), &error);
}

static void add_ball(BrModel *model, BrMaterialId material, int number, BrVec3 position) {
    BrBodyDef def = br_default_body_def();
    BrShapeDef shape = br_default_shape_def();
    BrError error = {0};
    double inertia = 0.4 * RADIUS * RADIUS;
    char name[16];
    snprintf(name, sizeof name, "ball%d", number);
    def.name = name;
    def.mass = 1;
    def.inertia = (BrMat3){{{inertia, 0, 0}, {0, inertia, 0}, {0, 0, inertia}}};
    def.position = position;
    stop_on(br_model_add_body(model, &def, &shape.body, &error), &error);
    shape.kind = BR_SHAPE_SPHERE;
    shape.radius = RADIUS;
    shape.material = material;
    stop_on(br_model_add_shape(model, &shape, NULL, &error), &error);
}

static void take_steps(Columns *c, int count) {
    BrStepDef def = br_default_step_def();
    BrStepReport report;
    BrError error = {0};
    def.scheme = BR_SCHEME_MOREAU;
    def.dt = DT;
    for (int k = 0; k < count; k++) stop_on(br_step(c->model, c->workspace, c->state, &def, &report, &error), &error);
    c->contacts = report.contacts;
}

/* Each ball has one contact, with what is below it. */
static Columns make_columns(int contacts) {
    BrModelDef def = br_default_model_def();
    BrMaterialDef material = br_default_material_def();
    BrMaterialId id;
    BrError error = {0};
    Columns c = {.best = INFINITY};
    int side = (int)ceil(sqrt(contacts / HIGH));
    def.gravity = (BrVec3){0, 0, -9.81};
    stop_on(br_model_create(&def, &c.model, &error), &error);
    material.name = "stone";
    br_law_set(&material.surface.friction, "mu", 0.5);
    stop_on(br_model_add_material(c.model, &material, &id, &error), &error);
    add_floor(c.model, id);
    for (int k = 0; k < contacts; k++) {
        int column = k / HIGH;
        BrVec3 at = {CELL * (column % side), CELL * (column / side), RADIUS * (1 + 2 * (k % HIGH))};
        add_ball(c.model, id, k, at);
    }
    stop_on(br_model_build(c.model, &error), &error);
    stop_on(br_state_create(c.model, &c.state, &error), &error);
    stop_on(br_workspace_create(c.model, &c.workspace, &error), &error);
    take_steps(&c, WARM);
    return c;
}

static void time_round(Columns *c) {
    int steps = STEPS_ROUND / c->contacts;
    double begin = cpu_seconds();
    take_steps(c, steps);
    c->best = fmin(c->best, (cpu_seconds() - begin) / steps);
}

static void tell(const Columns *c) {
    printf("{\"contacts\":%d,\"us_per_step\":%.4g,\"ns_per_contact\":%.4g,\"hash\":\"%016llx\"}\n", c->contacts,
           1e6 * c->best, 1e9 * c->best / c->contacts, (unsigned long long)br_state_hash(c->state));
}

static void release(Columns *c) {
    br_workspace_destroy(c->model, c->workspace);
    br_state_destroy(c->model, c->state);
    br_model_destroy(c->model);
}

int main(int count, char **words) {
    int rounds = count > 1 ? atoi(words[1]) : 10, most = count > 2 ? atoi(words[2]) : 100000, sizes = 0;
    Columns columns[SIZES];
    if (rounds < 1 || most < SMALLEST) {
        fprintf(stderr, "usage: bench_growth [rounds] [most contacts, %d or more]\n", SMALLEST);
        return 2;
    }
    for (int contacts = SMALLEST; contacts <= most && sizes < SIZES; contacts *= TIMES)
        columns[sizes++] = make_columns(contacts);
    for (int k = 0; k < rounds; k++)
        for (int i = 0; i < sizes; i++) time_round(&columns[i]);
    for (int i = 0; i < sizes; i++) tell(&columns[i]);
    const Columns *first = &columns[0], *last = &columns[sizes - 1];
    if (sizes > 1)
        printf("{\"exponent\":%.3f}\n", log(last->best / first->best) / log((double)last->contacts / first->contacts));
    for (int i = 0; i < sizes; i++) release(&columns[i]);
    return 0;
}
