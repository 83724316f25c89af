/* Contacts that multiply: a hail of cubes comes down on a plane, four contacts each, one after the other, until there
 * are more than a workspace has room for when it is made. What it had room for before changes no bit; where there is no
 * memory to grow, the step is refused with the number, the state stays, and the next try goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bristle/bristle.h"
#include "counting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CUBES = 120, STEPS = 36, LAST = 2, MOST_ALLOCATIONS = 1000 };

typedef struct Hail {
    BrModel *model;
    BrState *state;
    BrWorkspace *workspace;
} Hail;

typedef struct Way {
    const char *name;
    BrFormulation formulation;
    BrScheme scheme;
} Way;

static const Way WAYS[] = {{"moreau", BR_FORMULATION_TIMESTEPPING, BR_SCHEME_MOREAU},
                           {"hem2", BR_FORMULATION_TIMESTEPPING, BR_SCHEME_HEM2},
                           {"rk2", BR_FORMULATION_COMPLIANT, BR_SCHEME_RK2}};
enum { WAY_COUNT = sizeof WAYS / sizeof *WAYS };

static BrMaterialId add_material(BrModel *model) {
    BrMaterialDef def = br_default_material_def();
    BrMaterialId id;
    def.name = "ice";
    def.surface.compliant_normal = br_law(BR_LAW_NORMAL, "gonthier");
    br_law_set(&def.surface.compliant_normal, "stiffness", 1e4);
    br_law_set(&def.surface.compliant_normal, "e", 0.5);
    def.surface.compliant_friction = br_law(BR_LAW_FRICTION, "dwell");
    br_law_set(&def.surface.compliant_friction, "mu_s", 0.3);
    br_law_set(&def.surface.compliant_friction, "mu_k", 0.2);
    br_law_set(&def.surface.friction, "mu", 0.3);
    BrError error = {0};
    if (br_model_add_material(model, &def, &id, &error) != BR_OK) fail_msg("%s", error.text);
    return id;
}

static void add_body(BrModel *model, BrMaterialId material, int k) {
    char name[16];
    BrBodyDef def = br_default_body_def();
    BrShapeDef shape = br_default_shape_def();
    BrShapeId id;
    snprintf(name, sizeof name, "cube%d", k);
    def.name = k < 0 ? "ground" : name;
    def.mass = 1;
    def.kind = k < 0 ? BR_BODY_FIXED : BR_BODY_DYNAMIC;
    def.inertia = (BrMat3){{{1e-3, 0, 0}, {0, 1e-3, 0}, {0, 0, 1e-3}}};
    if (k >= 0) { /* the k-th comes down in the k/4-th step */
        def.position = (BrVec3){0.2 * (k % 12), 0.2 * (k / 12), 0.05 + 2.5e-4 * k};
        def.velocity = (BrVec3){0.1, 0.002 * k, -1};
    }
    BrError error = {0};
    if (br_model_add_body(model, &def, &shape.body, &error) != BR_OK) fail_msg("%s", error.text);
    shape.kind = k < 0 ? BR_SHAPE_PLANE : BR_SHAPE_BOX;
    shape.size = (BrVec3){0.1, 0.1, 0.1};
    shape.material = material;
    assert_int_equal(br_model_add_shape(model, &shape, &id, NULL), BR_OK);
}

static Hail make_hail(BrAllocator allocator) {
    Hail h = {0};
    BrModelDef def = br_default_model_def();
    def.gravity = (BrVec3){0, 0, -9.81};
    def.allocator = allocator;
    assert_int_equal(br_model_create(&def, &h.model, NULL), BR_OK);
    BrMaterialId material = add_material(h.model);
    for (int k = -1; k < CUBES; k++) add_body(h.model, material, k);
    assert_int_equal(br_model_build(h.model, NULL), BR_OK);
    assert_int_equal(br_state_create(h.model, &h.state, NULL), BR_OK);
    assert_int_equal(br_workspace_create(h.model, &h.workspace, NULL), BR_OK);
    return h;
}

static void end_hail(Hail *h) {
    br_workspace_destroy(h->model, h->workspace);
    br_state_destroy(h->model, h->state);
    br_model_destroy(h->model);
}

static BrStatus step(const Hail *h, const Way *way, BrState *state, BrError *error) {
    BrStepDef def = br_default_step_def();
    def.formulation = way->formulation;
    def.scheme = way->scheme;
    def.dt = 1e-3;
    return br_step(h->model, h->workspace, state, &def, NULL, error);
}

/* From the start to the end; the hash there. */
static uint64_t run(const Hail *h, const Way *way) {
    BrState *state;
    BrError error = {0};
    assert_int_equal(br_state_create(h->model, &state, NULL), BR_OK);
    for (int k = 0; k < STEPS; k++)
        if (step(h, way, state, &error) < 0) fail_msg("%s, step %d: %s", way->name, k, error.text);
    uint64_t hash = br_state_hash(state);
    assert_true(br_evaluate(h->model, h->workspace, state, NULL) >= 0);
    assert_true(br_contact_count(h->model, h->workspace) > 3 * CUBES); /* more than any workspace starts with */
    br_state_destroy(h->model, state);
    return hash;
}

/* The second run finds all the room that the first one made, and that of the others. It takes one allocation: the state of the
 * test. */
static void what_there_was_room_for_changes_nothing(void **unused) {
    (void)unused;
    uint64_t hash[WAY_COUNT];
    for (int k = 0; k < WAY_COUNT; k++) {
        Counter counter = {0};
        Hail h = make_hail(counting_allocator(&counter));
        int64_t made = counter.calls;
        hash[k] = run(&h, &WAYS[k]);
        assert_true(counter.calls > made + 1); /* it grew */
        if (k == WAY_COUNT - 1)
            for (int other = 0; other < 2 * WAY_COUNT - 1; other++) { /* the others, then all */
                const int way = other % WAY_COUNT;
                int64_t before = counter.calls;
                if (run(&h, &WAYS[way]) != hash[way])
                    fail_msg("%s: other bits in a workspace with more room", WAYS[way].name);
                if (other >= WAY_COUNT - 1) assert_int_equal(counter.calls, before + 1);
            }
        end_hail(&h);
        assert_int_equal(counter.live, 0);
    }
}

/* The last steps in a fresh workspace, whose n-th allocation fails. Did it? The end is to be the same. */
static bool end_with_failure(Hail *h, const Way *way, const BrState *last, Counter *counter, int64_t n, uint64_t hash) {
    br_workspace_destroy(h->model, h->workspace);
    assert_int_equal(br_workspace_create(h->model, &h->workspace, NULL), BR_OK);
    assert_int_equal(br_state_copy(h->state, last), BR_OK);
    counter->fail_at = counter->calls + n;
    for (int k = 0; k < LAST; k++) {
        BrError error = {0};
        uint64_t before = br_state_hash(h->state);
        BrStatus status = step(h, way, h->state, &error);
        if (status < 0) {
            assert_int_equal(status, BR_OUT_OF_MEMORY);
            int all = 0; /* not only those it had come to */
            assert_non_null(strstr(error.text, "no memory"));
            if (sscanf(error.text, "no memory for the %d contacts", &all) == 1) assert_true(all > 3 * CUBES);
            assert_true(br_state_hash(h->state) == before);
            status = step(h, way, h->state, &error);
        }
        if (status < 0) fail_msg("%s, step %d, allocation %d: %s", way->name, k, (int)n, error.text);
    }
    if (br_state_hash(h->state) != hash) fail_msg("%s: other bits after allocation %d failed", way->name, (int)n);
    return counter->calls >= counter->fail_at;
}

static void any_growth_may_fail(void **unused) {
    (void)unused;
    for (int k = 0; k < WAY_COUNT; k++) {
        Counter counter = {0};
        Hail h = make_hail(counting_allocator(&counter));
        BrState *last;
        assert_int_equal(br_state_create(h.model, &last, NULL), BR_OK);
        for (int i = 0; i < STEPS - LAST; i++) assert_true(step(&h, &WAYS[k], last, NULL) >= 0);
        assert_int_equal(br_state_copy(h.state, last), BR_OK);
        for (int i = 0; i < LAST; i++) assert_true(step(&h, &WAYS[k], h.state, NULL) >= 0);
        uint64_t hash = br_state_hash(h.state);
        int64_t n = 1;
        while (n < MOST_ALLOCATIONS && end_with_failure(&h, &WAYS[k], last, &counter, n, hash)) n++;
        assert_true(n > 10 && n < MOST_ALLOCATIONS);
        br_state_destroy(h.model, last);
        end_hail(&h);
        assert_int_equal(counter.live, 0);
    }
}

/* The table holds zeros behind its live contacts, however many there were: states that mean the same are the same bytes.
 */
static void what_has_gone_leaves_nothing(void **unused) {
    (void)unused;
    Hail h = make_hail((BrAllocator){0});
    BrState *crowded, *stored;
    BrPose pose;
    BrBodyId cube = br_model_find_body(h.model, "cube0");
    assert_int_equal(br_state_create(h.model, &crowded, NULL), BR_OK);
    assert_int_equal(br_state_create(h.model, &stored, NULL), BR_OK);
    for (int k = 0; k < STEPS; k++) assert_true(step(&h, &WAYS[0], crowded, NULL) >= 0);

    /* where a body is put, contacts are forgotten; what is stored ends with the live ones */
    assert_int_equal(br_body_pose(h.model, crowded, cube, &pose), BR_OK);
    assert_int_equal(br_body_set_pose(h.model, crowded, cube, pose, NULL), BR_OK);
    assert_int_equal(br_state_restore(stored, br_state_bytes(crowded), br_state_size(crowded), NULL), BR_OK);
    assert_true(br_state_hash(stored) == br_state_hash(crowded));

    /* a copy of few contacts over many */
    assert_true(step(&h, &WAYS[0], crowded, NULL) >= 0);
    assert_int_equal(br_state_copy(crowded, h.state), BR_OK);
    assert_true(br_state_hash(crowded) == br_state_hash(h.state));
    br_state_destroy(h.model, crowded);
    br_state_destroy(h.model, stored);
    end_hail(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_there_was_room_for_changes_nothing),
        cmocka_unit_test(any_growth_may_fail),
        cmocka_unit_test(what_has_gone_leaves_nothing),
    };
    return cmocka_run_group_tests_name("contact_growth", tests, NULL, NULL);
}
