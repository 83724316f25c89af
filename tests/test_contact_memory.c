/* Memory and bits with contact: a warm step allocates nothing, any allocation may fail, a state is its bytes, and the
 * bits do not depend on the workspace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bristle/bristle.h"
#include "counting.h"

#include <stdlib.h>
#include <string.h>

enum { BODIES = 5, WARM_UP = 20, STEPS = 120, SNAPSHOTS = 12, MOST_ALLOCATIONS = 10000 };

/* Boxes, a sphere and a capsule that fall onto a plane, one hinged to it, with limits where the formulation knows them;
 * or, for the event formulation, the sphere alone. */
typedef struct Scene {
    BrModel *model;
    BrState *state;
    BrWorkspace *workspace;
    BrBodyId ground, body[BODIES];
    BrMaterialId material[2];
} Scene;

/* Free: without limits and dry friction of the hinge. Guided: its lowest box also runs in a guide, which shares its
 * load with the ground. Rolling: its surfaces resist rolling and spinning. */
typedef enum What { PILE, FREE_PILE, GUIDED_PILE, ROLLING_PILE, ALONE } What;

typedef struct Way {
    const char *name;
    BrFormulation formulation;
    BrScheme scheme;
    BrFrictionSet set;
    What what;
} Way;

static const Way WAYS[] = {
    {"moreau", BR_FORMULATION_TIMESTEPPING, BR_SCHEME_MOREAU, BR_FRICTION_CONE, PILE},
    {"box", BR_FORMULATION_TIMESTEPPING, BR_SCHEME_MOREAU, BR_FRICTION_BOX, PILE},
    {"polygon", BR_FORMULATION_TIMESTEPPING, BR_SCHEME_MOREAU, BR_FRICTION_POLYGON, PILE},
    {"hem2", BR_FORMULATION_TIMESTEPPING, BR_SCHEME_HEM2, BR_FRICTION_CONE, PILE},
    {"guided", BR_FORMULATION_TIMESTEPPING, BR_SCHEME_HEM2, BR_FRICTION_CONE, GUIDED_PILE},
    {"rolling", BR_FORMULATION_TIMESTEPPING, BR_SCHEME_MOREAU, BR_FRICTION_CONE, ROLLING_PILE},
    {"rolling hem2", BR_FORMULATION_TIMESTEPPING, BR_SCHEME_HEM2, BR_FRICTION_CONE, ROLLING_PILE},
    {"event", BR_FORMULATION_EVENT, BR_SCHEME_HEM2, BR_FRICTION_CONE, ALONE},
    {"rk4", BR_FORMULATION_COMPLIANT, BR_SCHEME_RK4, BR_FRICTION_CONE, FREE_PILE},
    {"adaptive", BR_FORMULATION_COMPLIANT, BR_SCHEME_ADAPTIVE, BR_FRICTION_CONE, ALONE}};
enum { WAY_COUNT = sizeof WAYS / sizeof *WAYS };

static BrSurface make_surface(What what, double mu_s, double mu_k, double e) {
    BrSurface surface = {.normal = br_law(BR_LAW_NORMAL, "rigid"), .friction = br_law(BR_LAW_FRICTION, "coulomb")};
    if (what == ROLLING_PILE) {
        surface.friction = br_law(BR_LAW_FRICTION, "rolling");
        br_law_set(&surface.friction, "mu_r", 0.01);
        br_law_set(&surface.friction, "mu_spin", mu_s > 0.4 ? 0.005 : 0);
    }
    br_law_set(&surface.friction, "mu_s", mu_s);
    br_law_set(&surface.friction, "mu_k", mu_k);
    br_law_set(&surface.normal, "restitution", e);
    surface.compliant_normal = br_law(BR_LAW_NORMAL, "gonthier");
    surface.compliant_friction = br_law(BR_LAW_FRICTION, "dwell");
    br_law_set(&surface.compliant_normal, "stiffness", 1e6);
    br_law_set(&surface.compliant_normal, "e", 0.2 + e);
    br_law_set(&surface.compliant_normal, "floor", 0.05);
    br_law_set(&surface.compliant_friction, "mu_s", mu_s);
    br_law_set(&surface.compliant_friction, "mu_k", mu_k);
    return surface;
}

static BrStatus add_materials(Scene *s, What what, BrError *error) {
    static const char *const NAMES[] = {"steel", "rubber"};
    BrStatus status = BR_OK;
    for (int k = 0; status == BR_OK && k < 2; k++) {
        BrMaterialDef def = br_default_material_def();
        def.name = NAMES[k];
        def.surface = make_surface(what, 0.3 + 0.4 * k, 0.25, 0.5 * k);
        status = br_model_add_material(s->model, &def, &s->material[k], error);
    }
    BrPairDef pair = br_default_pair_def();
    pair.material_a = s->material[0], pair.material_b = s->material[1];
    pair.surface = make_surface(what, 0.5, 0.5, 0.2);
    return status == BR_OK ? br_model_add_pair(s->model, &pair, error) : status;
}

static BrStatus add_body(Scene *s, int k, What what, BrError *error) {
    static const char *const NAMES[] = {"low", "middle", "high", "ball", "pill"};
    static const BrVec3 PLACES[] = {{0, 0, 0.1}, {0.02, 0.01, 0.301}, {-0.01, 0, 0.502}, {0, 0, 0.75}, {0, 0.5, 0.3}};
    BrBodyDef def = br_default_body_def();
    BrShapeDef shape = br_default_shape_def();
    BrShapeId id;
    def.name = NAMES[k];
    def.mass = 1 + k;
    def.inertia = (BrMat3){{{0.01 * (1 + k), 0, 0}, {0, 0.01 * (1 + k), 0}, {0, 0, 0.01 * (1 + k)}}};
    def.position = PLACES[k]; /* the ball falls onto the pile, so that one problem grows */
    if (what == ALONE) def.position.z = 0.105;
    def.velocity = (BrVec3){0.3, 0.1, 0};
    BrStatus status = br_model_add_body(s->model, &def, &s->body[k], error);
    shape.body = s->body[k];
    shape.material = s->material[k % 2];
    shape.kind = k < 3 ? BR_SHAPE_BOX : k == 3 ? BR_SHAPE_SPHERE : BR_SHAPE_CAPSULE;
    shape.size = (BrVec3){0.2, 0.2, 0.2};
    shape.radius = 0.1;
    shape.length = 0.2;
    return status == BR_OK ? br_model_add_shape(s->model, &shape, &id, error) : status;
}

static BrStatus add_ground(Scene *s, BrError *error) {
    BrBodyDef def = br_default_body_def();
    BrShapeDef shape = br_default_shape_def();
    BrShapeId id;
    def.name = "ground";
    def.kind = BR_BODY_FIXED;
    BrStatus status = br_model_add_body(s->model, &def, &s->ground, error);
    shape.body = s->ground;
    shape.material = s->material[0];
    shape.kind = BR_SHAPE_PLANE;
    return status == BR_OK ? br_model_add_shape(s->model, &shape, &id, error) : status;
}

static BrStatus add_hinge_and_filter(Scene *s, What what, BrError *error) {
    BrJointDef def = br_default_joint_def();
    BrFilterDef filter = br_default_filter_def();
    BrJointId id;
    def.name = "hinge";
    def.type = BR_JOINT_REVOLUTE;
    def.body_a = s->ground;
    def.body_b = s->body[4];
    def.at = (BrVec3){0, 0.7, 0.3};
    def.axis = (BrVec3){1, 0, 0};
    if (what == PILE) {
        def.lower[0] = -0.5, def.upper[0] = 0.4;
        def.dry_friction[0] = 0.1;
    }
    BrStatus status = br_model_add_joint(s->model, &def, &id, error);
    filter.body_a = s->ground;
    filter.body_b = s->body[4];
    filter.touch = true;
    return status == BR_OK ? br_model_add_filter(s->model, &filter, error) : status;
}

static BrStatus add_guide(Scene *s, BrError *error) {
    BrBodyDef frame = br_default_body_def();
    BrJointDef def = br_default_joint_def();
    BrJointId id;
    frame.name = "frame";
    frame.kind = BR_BODY_FIXED;
    BrStatus status = br_model_add_body(s->model, &frame, &def.body_a, error);
    def.name = "guide";
    def.type = BR_JOINT_PRISMATIC;
    def.body_b = s->body[0];
    def.at = (BrVec3){0, 0, 0.1};
    def.axis = (BrVec3){3, 1, 0};
    return status == BR_OK ? br_model_add_joint(s->model, &def, &id, error) : status;
}

/* BR_OK, or the first refusal. */
static BrStatus make(Scene *s, BrAllocator allocator, What what, BrError *error) {
    *s = (Scene){0};
    BrModelDef def = br_default_model_def();
    def.allocator = allocator;
    BrStatus status = br_model_create(&def, &s->model, error);
    if (status == BR_OK) status = add_materials(s, what, error);
    if (status == BR_OK) status = add_ground(s, error);
    bool alone = what == ALONE;
    for (int k = alone ? 3 : 0; status == BR_OK && k < (alone ? 4 : BODIES); k++) status = add_body(s, k, what, error);
    if (status == BR_OK && !alone) status = add_hinge_and_filter(s, what, error);
    if (status == BR_OK && what == GUIDED_PILE) status = add_guide(s, error);
    if (status == BR_OK) status = br_model_build(s->model, error);
    if (status == BR_OK) status = br_state_create(s->model, &s->state, error);
    if (status == BR_OK) status = br_workspace_create(s->model, &s->workspace, error);
    if (status == BR_OK) status = br_state_assemble(s->model, s->workspace, s->state, NULL, error);
    return status;
}

static void insist(BrStatus status, const BrError *error) {
    if (status != BR_OK) fail_msg("%s: %s", br_status_name(status), error->text);
}

static Scene make_well(BrAllocator allocator, What what) {
    Scene s;
    BrError error = {0};
    insist(make(&s, allocator, what, &error), &error);
    return s;
}

static void end(Scene *s) {
    if (s->workspace) br_workspace_destroy(s->model, s->workspace);
    if (s->state) br_state_destroy(s->model, s->state);
    br_model_destroy(s->model);
}

static void run(const Scene *s, const Way *way, BrState *state, BrWorkspace *workspace, int count) {
    BrError error = {0};
    BrStepDef def = br_default_step_def();
    def.formulation = way->formulation;
    def.scheme = way->scheme;
    def.friction_set = way->set;
    def.substeps = 4;
    for (int k = 0; k < count; k++) {
        BrStatus status = br_step(s->model, workspace, state, &def, NULL, &error);
        if (status < 0) fail_msg("%s, step %d: %s", way->name, k, error.text);
    }
}

static int count_steps(const Way *way) {
    int few = way->what == ALONE ? 4 : 1;
    return STEPS / few / (getenv("BRISTLE_SLOW") ? 10 : 1);
}

/* ------------------------------------------------------------------ allocations */

/* Bodies still fall in while it is warm, so contacts come and go. */
static void test_warm_steps_allocate_nothing(void **unused) {
    (void)unused;
    for (int k = 0; k < WAY_COUNT; k++) {
        Counter counter = {0};
        Scene s = make_well(counting_allocator(&counter), WAYS[k].what);
        run(&s, &WAYS[k], s.state, s.workspace, WARM_UP);
        int64_t before = counter.calls;
        run(&s, &WAYS[k], s.state, s.workspace, count_steps(&WAYS[k]));
        if (br_evaluate(s.model, s.workspace, s.state, NULL) < 0) fail_msg("%s: not evaluated", WAYS[k].name);
        if (counter.calls != before)
            fail_msg("%s: %d allocations while warm", WAYS[k].name, (int)(counter.calls - before));
        end(&s);
        assert_int_equal(counter.live, 0);
    }
}

static void test_any_allocation_may_fail(void **unused) {
    (void)unused;
    BrStatus status = BR_OUT_OF_MEMORY;
    int64_t n = 1;
    for (; status != BR_OK && n < MOST_ALLOCATIONS; n++) {
        Counter counter = {.fail_at = n};
        BrError error = {0};
        Scene s;
        status = make(&s, counting_allocator(&counter), PILE, &error);
        if (counter.calls >= n) {
            assert_int_equal(status, BR_OUT_OF_MEMORY);
            assert_int_equal(error.status, BR_OUT_OF_MEMORY);
            assert_non_null(strstr(error.text, "no memory"));
        }
        end(&s);
        assert_int_equal(counter.live, 0);
    }
    assert_int_equal(status, BR_OK);
    assert_true(n > 50);
}

/* What steps allocate when they first run may fail too: refused or not converged, nothing lost, and it goes on. */
static void test_allocations_of_first_steps_may_fail(void **unused) {
    (void)unused;
    for (int k = 0; k < WAY_COUNT; k++)
        for (int64_t n = 1; n < 8; n++) {
            Counter counter = {0};
            Scene s = make_well(counting_allocator(&counter), WAYS[k].what);
            BrStepDef def = br_default_step_def();
            def.formulation = WAYS[k].formulation;
            def.scheme = WAYS[k].scheme;
            def.friction_set = WAYS[k].set;
            counter.fail_at = counter.calls + n;
            for (int step = 0; step < 5; step++) {
                BrStatus status = br_step(s.model, s.workspace, s.state, &def, NULL, NULL);
                assert_true(status >= 0 || status == BR_OUT_OF_MEMORY);
            }
            end(&s);
            assert_int_equal(counter.live, 0);
        }
}

/* ------------------------------------------------------------------ bits */

static void expect_equal(const Way *way, const BrState *a, const BrState *b) {
    assert_int_equal(br_state_size(a), br_state_size(b));
    if (memcmp(br_state_bytes(a), br_state_bytes(b), br_state_size(a)) != 0 || br_state_hash(a) != br_state_hash(b))
        fail_msg("%s: states differ after %d steps", way->name, (int)br_state_step(a));
}

/* From a snapshot the run repeats, in the same workspace, in a fresh one, and in one that did something else. */
static void check_replay(const Way *way) {
    Scene s = make_well((BrAllocator){0}, way->what);
    BrState *copy, *stranger;
    BrWorkspace *fresh;
    size_t size = br_state_size(s.state);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(br_state_create(s.model, &copy, NULL), BR_OK);
    assert_int_equal(br_state_create(s.model, &stranger, NULL), BR_OK);
    run(&s, way, stranger, s.workspace, 7);
    for (int k = 0; k < (getenv("BRISTLE_SLOW") ? SNAPSHOTS / 4 : SNAPSHOTS); k++) {
        assert_int_equal(br_state_copy(copy, s.state), BR_OK);
        memcpy(bytes, br_state_bytes(s.state), size);
        run(&s, way, s.state, s.workspace, 3);

        assert_int_equal(br_workspace_create(s.model, &fresh, NULL), BR_OK);
        run(&s, way, copy, fresh, 3);
        expect_equal(way, s.state, copy);
        br_workspace_destroy(s.model, fresh);

        assert_int_equal(br_state_restore(copy, bytes, size, NULL), BR_OK);
        if (br_evaluate(s.model, s.workspace, stranger, NULL) < 0) fail_msg("%s: not evaluated", way->name);
        run(&s, way, stranger, s.workspace, 1);
        run(&s, way, copy, s.workspace, 3);
        expect_equal(way, s.state, copy);
    }
    free(bytes);
    br_state_destroy(s.model, copy);
    br_state_destroy(s.model, stranger);
    end(&s);
}

static void test_replay_is_exact(void **unused) {
    (void)unused;
    for (int k = 0; k < WAY_COUNT; k++) check_replay(&WAYS[k]);
}

/* The hashes are to be equal for all compilers and kinds of build: BRISTLE_HASHES shows them. */
static void test_runs_have_one_hash(void **unused) {
    (void)unused;
    for (int k = 0; k < WAY_COUNT; k++) {
        uint64_t hash[2];
        for (int i = 0; i < 2; i++) {
            Scene s = make_well((BrAllocator){0}, WAYS[k].what);
            run(&s, &WAYS[k], s.state, s.workspace, count_steps(&WAYS[k]));
            hash[i] = br_state_hash(s.state);
            end(&s);
        }
        assert_true(hash[0] == hash[1]);
        if (getenv("BRISTLE_HASHES")) print_message("%-8s %016llx\n", WAYS[k].name, (unsigned long long)hash[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_warm_steps_allocate_nothing),
        cmocka_unit_test(test_any_allocation_may_fail),
        cmocka_unit_test(test_allocations_of_first_steps_may_fail),
        cmocka_unit_test(test_replay_is_exact),
        cmocka_unit_test(test_runs_have_one_hash),
    };
    return cmocka_run_group_tests_name("contact_memory", tests, NULL, NULL);
}
