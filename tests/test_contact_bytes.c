/* Memory of many contacts: what a workspace takes more once there are contacts, for each of them.
 *
 * Balls of one size in a lattice, which touch upwards and downwards alone (columns: many small islands) or on all sides
 * (one island). Bounds are what the arrays add up to, with what they have to spare (an eighth at most, and some for
 * pairs that are near without touching):
 *
 *     record 536, rows 288, unit 64, row vectors 96, others 4, pairs 16                 1004     columns: 1050
 *     blocks 100, pairs 47, cones for sweeps 144, their answers 41, layout of a factor 105   1441     one island: 1475
 *
 * Numbers of a factor are no part of that: they are there only where one is cheap enough to be made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bristle/bristle.h"
#include "counting.h"

#include <stdio.h>

static const double RADIUS = 0.05; /* m */

typedef struct Balls {
    BrModel *model;
    BrState *state;
    BrWorkspace *workspace;
    Counter counter;
    int64_t before; /* bytes, when nothing had been stepped yet */
    int contacts;   /* of the last step */
} Balls;

static void add_ball(BrModel *model, BrMaterialId material, const char *name, BrVec3 position) {
    BrBodyDef def = br_default_body_def();
    BrShapeDef shape = br_default_shape_def();
    BrError error = {0};
    double inertia = 0.4 * RADIUS * RADIUS;
    def.name = name;
    def.mass = 1;
    def.inertia = (BrMat3){{{inertia, 0, 0}, {0, inertia, 0}, {0, 0, inertia}}};
    def.position = position;
    if (br_model_add_body(model, &def, &shape.body, &error) != BR_OK) fail_msg("%s", error.text);
    shape.kind = BR_SHAPE_SPHERE;
    shape.radius = RADIUS;
    shape.material = material;
    assert_int_equal(br_model_add_shape(model, &shape, NULL, NULL), BR_OK);
}

static void add_floor(BrModel *model, BrMaterialId material) {
    BrBodyDef def = br_default_body_def();
    BrShapeDef shape = br_default_shape_def();
    def.name = "floor";
    def.kind = BR_BODY_FIXED;
    assert_int_equal(br_model_add_body(model, &def, &shape.body, NULL), BR_OK);
    shape.kind = BR_SHAPE_PLANE;
    shape.material = material;
    assert_int_equal(br_model_add_shape(model, &shape, NULL, NULL), BR_OK);
}

/* `side` columns by `side`, `cell` apart, each `high` balls upon each other. */
static void make_lattice(Balls *b, int side, int high, double cell) {
    BrModelDef def = br_default_model_def();
    BrMaterialDef material = br_default_material_def();
    BrMaterialId id;
    *b = (Balls){0};
    def.gravity = (BrVec3){0, 0, -9.81};
    def.allocator = counting_allocator(&b->counter);
    assert_int_equal(br_model_create(&def, &b->model, NULL), BR_OK);
    material.name = "stone";
    br_law_set(&material.surface.friction, "mu", 0.5);
    assert_int_equal(br_model_add_material(b->model, &material, &id, NULL), BR_OK);
    add_floor(b->model, id);
    for (int k = 0; k < side * side * high; k++) {
        char name[16];
        snprintf(name, sizeof name, "ball%d", k);
        int column = k / high;
        add_ball(b->model, id, name,
                 (BrVec3){cell * (column % side), cell * (column / side), RADIUS * (1 + 2 * (k % high))});
    }
    assert_int_equal(br_model_build(b->model, NULL), BR_OK);
    assert_int_equal(br_state_create(b->model, &b->state, NULL), BR_OK);
    assert_int_equal(br_workspace_create(b->model, &b->workspace, NULL), BR_OK);
    b->before = b->counter.bytes;
}

static void end_lattice(Balls *b) {
    br_workspace_destroy(b->model, b->workspace);
    br_state_destroy(b->model, b->state);
    br_model_destroy(b->model);
    assert_int_equal(b->counter.live, 0);
    assert_int_equal(b->counter.bytes, 0);
}

static void make_steps(Balls *b, int count) {
    BrStepDef def = br_default_step_def();
    BrStepReport report;
    BrError error = {0};
    def.scheme = BR_SCHEME_MOREAU;
    def.dt = 1e-3;
    def.contact_work = 1e8; /* factors are not worth it then */
    for (int k = 0; k < count; k++)
        if (br_step(b->model, b->workspace, b->state, &def, &report, &error) < 0) fail_msg("%s", error.text);
    b->contacts = report.contacts;
}

/* Bytes beyond those without contacts, for each of them, when steps are warm; a warm step allocates nothing. */
static double measure(Balls *b, int least_contacts) {
    make_steps(b, 8); /* it takes some until as many have been pushed apart as ever are */
    int64_t calls = b->counter.calls;
    make_steps(b, 3);
    assert_int_equal(b->counter.calls, calls);
    assert_true(b->contacts >= least_contacts);
    return (double)(b->counter.bytes - b->before) / b->contacts;
}

static void check(int side, int high, double cell, int least_contacts, double most) {
    Balls b;
    make_lattice(&b, side, high, cell);
    double bytes = measure(&b, least_contacts);
    printf("# %d contacts: %.0f bytes each\n", b.contacts, bytes);
    if (bytes > most) fail_msg("%d contacts take %.0f bytes each, more than %.0f", b.contacts, bytes, most);
    end_lattice(&b);
}

/* Two hundred have their place in every workspace. */
static void few_contacts_take_nothing(void **unused) {
    (void)unused;
    check(10, 2, 2.5 * RADIUS, 200, 0);
}

static void small_islands_take_records_and_rows(void **unused) {
    (void)unused;
    check(14, 5, 2.5 * RADIUS, 980, 1050);
    check(40, 5, 2.5 * RADIUS, 8000, 1050);
}

static void one_island_takes_its_sweeps_too(void **unused) {
    (void)unused;
    check(15, 15, 2 * RADIUS, 9000, 1475);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_contacts_take_nothing),
        cmocka_unit_test(small_islands_take_records_and_rows),
        cmocka_unit_test(one_island_takes_its_sweeps_too),
    };
    return cmocka_run_group_tests_name("contact_bytes", tests, NULL, NULL);
}
