/* test_contact_api.c: what can be said about contact is checked, read back, and remembered exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "counting.h"
#include "machine.h"

static const double G = 9.81;
static const BrVec3 NONE = {0, 0, 0}, Y = {0, 1, 0}, DOWN = {0, 0, -9.81};
static const BrScheme SCHEMES[] = {BR_SCHEME_MOREAU, BR_SCHEME_HEM2};

/* ------------------------------------------------------------------ laws and materials */

static void laws_have_presets_and_parameters(void **unused) {
    (void)unused;
    for (int k = 0; k < br_law_count(); k++) {
        const BrLawInfo *info = br_law_info(k);
        BrLaw law = br_law(info->kind, info->name);
        assert_ptr_equal(br_law_find(info->kind, info->name), info);
        assert_true(info->reference[0] && info->help[0]);
        for (int i = 0; i < info->parameters; i++) {
            assert_true(br_law_set(&law, info->parameter[i].name, info->parameter[i].lowest));
            assert_true(info->parameter[i].lowest <= info->parameter[i].highest && info->parameter[i].help[0]);
        }
        assert_false(br_law_set(&law, "colour", 1));
    }
    assert_null(br_law_info(-1));
    assert_null(br_law_info(br_law_count()));
    assert_null(br_law_find(BR_LAW_NORMAL, "coulomb"));
    assert_null(br_law(BR_LAW_FRICTION, "glue").info);
}

/* One material with these values, the rest preset. */
static BrStatus try_material(const char *law, const char *names[], const double values[], int count, double e,
                             BrError *error) {
    Machine m = machine_begin(DOWN);
    BrMaterialDef def = br_default_material_def();
    BrMaterialId id;
    def.name = "stuff";
    def.surface.friction = br_law(BR_LAW_FRICTION, law);
    for (int i = 0; i < count; i++) br_law_set(&def.surface.friction, names[i], values[i]);
    br_law_set(&def.surface.normal, "restitution", e);
    BrStatus status = br_model_add_material(m.model, &def, &id, error);
    if (status != BR_OK) assert_int_equal(br_model_material_count(m.model), 0);
    if (status != BR_OK && error->text[0]) assert_non_null(strstr(error->text, "stuff"));
    machine_end(&m);
    return status;
}

static void senseless_materials_are_refused(void **unused) {
    (void)unused;
    const char *mu[] = {"mu"}, *both[] = {"mu_s", "mu_k"}, *all[] = {"mu", "mu_s", "mu_k"}, *k[] = {"mu", "k_t"};
    const struct {
        const char *law, **names;
        double values[3];
        int count;
        double e;
        bool fine;
        const char *says;
    } cases[] = {
        {"coulomb", mu, {0.3}, 1, 0, true, NULL},
        {"coulomb", mu, {0}, 1, 1, true, NULL},
        {"coulomb", both, {0.5, 0.3}, 2, 0.5, true, NULL},
        {"coulomb", both, {0.3, 0.3}, 2, 0.5, true, NULL},
        {"bristle", k, {0.3, HUGE_VAL}, 2, 0, true, NULL},
        {"coulomb", mu, {-0.1}, 1, 0, false, "mu"},
        {"coulomb", mu, {NAN}, 1, 0, false, "mu"},
        {"coulomb", mu, {HUGE_VAL}, 1, 0, false, "mu"},
        {"coulomb", mu, {0}, 0, 0, false, "mu"},
        {"coulomb", both, {0.3, 0.5}, 2, 0, false, "mu_s"},
        {"coulomb", both, {0.3}, 1, 0, false, "mu_k"},
        {"coulomb", all, {0.4, 0.5, 0.3}, 3, 0, false, "mu"},
        {"coulomb", mu, {0.3}, 1, 1.1, false, "restitution"},
        {"coulomb", mu, {0.3}, 1, -0.1, false, "restitution"},
        {"coulomb", mu, {0.3}, 1, NAN, false, "restitution"},
        {"bristle", k, {0.3, 0}, 2, 0, false, "k_t"},
        {"bristle", k, {0.3, -5}, 2, 0, false, "k_t"},
        {"bristle", k, {0.3}, 0, 0, false, "mu"},
        {"glue", mu, {0.3}, 1, 0, false, "law"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        BrError error = {0};
        BrStatus status =
            try_material(cases[i].law, cases[i].names, cases[i].values, cases[i].count, cases[i].e, &error);
        if ((status == BR_OK) != cases[i].fine) fail_msg("case %d: %s %s", (int)i, br_status_name(status), error.text);
        if (cases[i].says && !strstr(error.text, cases[i].says)) fail_msg("case %d says: %s", (int)i, error.text);
    }
}

/* A word of a list is a whole number. */
static void half_a_hypothesis_is_refused(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrError error = {0};
    BrMaterialId id;
    BrMaterialDef def = br_default_material_def();
    def.name = "stuff";
    br_law_set(&def.surface.friction, "mu", 0.3);
    br_law_set(&def.surface.normal, "hypothesis", 0.5);
    assert_int_equal(br_model_add_material(m.model, &def, &id, &error), BR_INVALID_ARGUMENT);
    machine_end(&m);
}

static void shapes_and_materials_can_be_read_back(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId a = machine_material(&m, "tyre", 0.7, 0.2);
    BrShapeDef def = br_default_shape_def();
    def.body = m.ground, def.kind = BR_SHAPE_CAPSULE, def.radius = 0.3, def.length = 0.7, def.material = a;
    def.position_body = vec(1, 2, 3), def.surface_velocity_body = vec(4, 5, 6);
    BrShapeId id = machine_add_shape(&m, &def);
    const BrShapeDef *back = br_shape_def(m.model, id);
    assert_non_null(back);
    assert_true(back->kind == BR_SHAPE_CAPSULE && back->radius == 0.3 && back->length == 0.7);
    assert_vec_near(back->position_body, vec(1, 2, 3), 0);
    assert_vec_near(back->surface_velocity_body, vec(4, 5, 6), 0);
    assert_int_equal(br_model_shape_count(m.model), 1);
    BrMaterialId found = br_model_find_material(m.model, "tyre");
    assert_int_equal(found.index1, a.index1);
    assert_string_equal(br_material_def(m.model, found)->name, "tyre");
    assert_near(br_material_def(m.model, found)->surface.friction.value[0], 0.7, 0);
    assert_int_equal(br_model_find_material(m.model, "ice").index1, 0);
    assert_null(br_shape_def(m.model, (BrShapeId){0}));
    assert_null(br_material_def(m.model, (BrMaterialId){0}));
    machine_end(&m);
}

static BrMaterialDef describe_rubber(const double *table) {
    BrMaterialDef def = br_default_material_def();
    def.name = "rubber";
    br_law_set(&def.surface.friction, "mu", 0.5);
    def.surface.compliant_normal = br_law(BR_LAW_NORMAL, "gonthier");
    br_law_set(&def.surface.compliant_normal, "stiffness", 1e5);
    def.surface.compliant_normal.table = table, def.surface.compliant_normal.points = 2;
    def.surface.compliant_friction = br_law(BR_LAW_FRICTION, "tanh");
    br_law_set(&def.surface.compliant_friction, "mu", 0.5);
    return def;
}

/* A law's table is the caller's only until the model has it; whichever allocation fails, nothing is lost. */
static void tables_of_laws_are_copied(void **unused) {
    (void)unused;
    for (int64_t n = 1;; n++) {
        Counter counter = {0};
        BrModelDef start = br_default_model_def();
        start.allocator = counting_allocator(&counter);
        BrModel *model;
        assert_int_equal(br_model_create(&start, &model, NULL), BR_OK);
        double table[] = {0, 0.9, 1, 0.5};
        BrMaterialDef def = describe_rubber(table);
        BrMaterialId id;
        counter.fail_at = counter.calls + n;
        BrStatus status = br_model_add_material(model, &def, &id, NULL);
        for (int i = 0; i < 4; i++) table[i] = -1;
        if (status == BR_OK) {
            const double *of_material = br_material_def(model, id)->surface.compliant_normal.table;
            const double *of_surface = br_material_surface(model, id, id)->compliant_normal.table;
            const double given[] = {0, 0.9, 1, 0.5};
            assert_memory_equal(of_material, given, sizeof given);
            assert_memory_equal(of_surface, given, sizeof given);
        } else {
            assert_int_equal(status, BR_OUT_OF_MEMORY);
            assert_int_equal(br_model_material_count(model), 0);
        }
        br_model_destroy(model);
        assert_int_equal(counter.live, 0);
        if (status != BR_OK) continue;
        assert_true(n > 4);
        return;
    }
}

/* ------------------------------------------------------------------ shapes, pairs, filters */

static void senseless_shapes_are_refused(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId steel = machine_material(&m, "steel", 0.3, 0);
    BrBodyId body = machine_body(&m, "body", 1, diagonal(1, 1, 1), NONE);
    BrError error = {0};
    BrShapeId id;
    BrShapeDef good = br_default_shape_def(), def;
    good.body = body, good.kind = BR_SHAPE_CYLINDER, good.material = steel, good.radius = 0.1, good.length = 0.2;
    good.size = vec(1, 1, 1);
    def = good, def.radius = 0;
    assert_int_equal(br_model_add_shape(m.model, &def, &id, &error), BR_INVALID_ARGUMENT);
    def = good, def.radius = 1e300;
    assert_int_equal(br_model_add_shape(m.model, &def, &id, &error), BR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.text, "1e50"));
    def = good, def.length = 1e-300;
    assert_int_equal(br_model_add_shape(m.model, &def, &id, &error), BR_INVALID_ARGUMENT);
    def = good, def.length = NAN;
    assert_int_equal(br_model_add_shape(m.model, &def, &id, &error), BR_INVALID_ARGUMENT);
    def = good, def.kind = BR_SHAPE_BOX, def.size.y = -1;
    assert_int_equal(br_model_add_shape(m.model, &def, &id, &error), BR_INVALID_ARGUMENT);
    def = good, def.position_body.x = INFINITY;
    assert_int_equal(br_model_add_shape(m.model, &def, &id, &error), BR_INVALID_ARGUMENT);
    def = good, def.rotation_body = diagonal(1, 1, -1);
    assert_int_equal(br_model_add_shape(m.model, &def, &id, &error), BR_INVALID_ARGUMENT);
    def = good, def.material = (BrMaterialId){0};
    assert_int_equal(br_model_add_shape(m.model, &def, &id, &error), BR_INVALID_ID);
    def = good, def.body = (BrBodyId){0};
    assert_int_equal(br_model_add_shape(m.model, &def, &id, &error), BR_INVALID_ID);
    def = good, def.kind = BR_SHAPE_KINDS;
    assert_int_equal(br_model_add_shape(m.model, &def, &id, &error), BR_INVALID_ARGUMENT);
    def = good, def.kind = BR_SHAPE_PLANE;
    assert_int_equal(br_model_add_shape(m.model, &def, &id, &error), BR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.text, "body"));
    def = good, def.cookie = 0;
    assert_int_equal(br_model_add_shape(m.model, &def, &id, &error), BR_INVALID_DEF);
    assert_int_equal(br_model_shape_count(m.model), 0);
    machine_end(&m);
}

/* Two materials that may meet need a word about them; the same two bodies apart do not. */
static void missing_pair_is_refused_unless_they_never_meet(void **unused) {
    (void)unused;
    for (int k = 0; k < 3; k++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId steel = machine_material(&m, "steel", 0.3, 0), ice = machine_material(&m, "ice", 0.1, 0);
        machine_floor(&m, steel);
        BrBodyId ball = machine_ball(&m, "ball", 1, 0.1, vec(0, 0, 1), ice);
        BrError error = {0};
        BrFilterDef filter = br_default_filter_def();
        filter.body_a = m.ground, filter.body_b = ball, filter.touch = false;
        if (k == 1) assert_int_equal(br_model_add_filter(m.model, &filter, &error), BR_OK);
        BrPairDef pair = br_default_pair_def();
        pair.material_a = ice, pair.material_b = steel;
        br_law_set(&pair.surface.friction, "mu", 0.2);
        if (k == 2) assert_int_equal(br_model_add_pair(m.model, &pair, &error), BR_OK);
        if (k == 2) assert_int_equal(br_model_add_pair(m.model, &pair, &error), BR_INVALID_ARGUMENT);
        pair.material_b = ice;
        assert_int_equal(br_model_add_pair(m.model, &pair, &error), BR_INVALID_ARGUMENT);
        BrStatus status = br_model_build(m.model, &error);
        assert_int_equal(status, k == 0 ? BR_INVALID_MODEL : BR_OK);
        if (k == 0) assert_true(strstr(error.text, "steel") && strstr(error.text, "ice"));
        if (k) assert_true(br_shapes_meet(m.model, br_model_shape(m.model, 0), br_model_shape(m.model, 1)) == (k == 2));
        machine_end(&m);
    }
}

/* The same among very many shapes, where the first ones of both materials are filtered apart and later ones are not. */
static void missing_pair_is_found_among_very_many_shapes(void **unused) {
    (void)unused;
    enum { MANY = 3100 };
    for (int all_apart = 0; all_apart < 2; all_apart++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId material[2] = {machine_material(&m, "stone", 0.5, 0), machine_material(&m, "rubber", 0.5, 0)};
        static BrBodyId body[MANY];
        BrError error = {0};
        int rubber = all_apart ? 2 : 3; /* bodies of rubber; the rest is of stone */
        for (int k = 0; k < MANY; k++) {
            char name[32];
            snprintf(name, sizeof name, "b%d", k);
            body[k] = machine_body(&m, name, 1, diagonal(0.1, 0.1, 0.1), vec(k, 0, 0));
            machine_sphere(&m, body[k], 0.1, material[k < rubber]);
        }
        for (int a = 0; a < 2; a++)
            for (int b = rubber; b < (all_apart ? MANY : rubber + 10); b++) {
                BrFilterDef never = br_default_filter_def();
                never.body_a = body[a], never.body_b = body[b];
                assert_int_equal(br_model_add_filter(m.model, &never, NULL), BR_OK);
            }
        assert_int_equal(br_model_build(m.model, &error), all_apart ? BR_OK : BR_INVALID_MODEL);
        if (!all_apart) assert_non_null(strstr(error.text, "stone"));
        machine_end(&m);
    }
}

/* The pair's own friction counts, not that of either material. */
static void pair_has_its_own_friction(void **unused) {
    (void)unused;
    Machine m = machine_begin(vec(3, 0, -9));
    BrMaterialId wood = machine_material(&m, "wood", 1, 0), ice = machine_material(&m, "ice", 1, 0);
    BrPairDef pair = br_default_pair_def();
    pair.material_a = ice, pair.material_b = wood;
    br_law_set(&pair.surface.friction, "mu", 0.1);
    assert_int_equal(br_model_add_pair(m.model, &pair, NULL), BR_OK);
    machine_floor(&m, wood);
    BrBodyId block = machine_block(&m, "block", 1, vec(0.4, 0.4, 0.02), vec(0, 0, 0.01), ice);
    machine_ready(&m);
    machine_run(&m, BR_SCHEME_HEM2, 1e-3, 100);
    assert_near(machine_twist(&m, block).linear.x, 0.1 * (3 - 0.9), 1e-9);
    machine_end(&m);
}

/* Two overlapping links on one hinge: apart unless a filter says so; the last filter counts. */
static void joined_bodies_do_not_touch(void **unused) {
    (void)unused;
    for (int k = 0; k < 3; k++) {
        Machine m = machine_begin(NONE);
        BrMaterialId steel = machine_material(&m, "steel", 0.3, 0);
        BrBodyId a = machine_ball(&m, "a", 1, 0.1, NONE, steel),
                 b = machine_ball(&m, "b", 1, 0.1, vec(0.15, 0, 0), steel);
        machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, a, b, vec(0.075, 0, 0), Y);
        BrFilterDef filter = br_default_filter_def();
        filter.body_a = b, filter.body_b = a, filter.touch = true;
        for (int i = 0; i < k; i++, filter.touch = false)
            assert_int_equal(br_model_add_filter(m.model, &filter, NULL), BR_OK);
        machine_ready(&m);
        assert_true(br_shapes_meet(m.model, br_model_shape(m.model, 0), br_model_shape(m.model, 1)) == (k == 1));
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ steps */

static Machine make_cubes(int capacity, const char *law) {
    Machine m = {0};
    BrModelDef model = br_default_model_def();
    model.contact_capacity = capacity;
    assert_int_equal(br_model_create(&model, &m.model, NULL), BR_OK);
    BrBodyDef ground = br_default_body_def();
    ground.name = "ground", ground.kind = BR_BODY_FIXED;
    m.ground = machine_add_body(&m, &ground);
    BrMaterialDef def = br_default_material_def();
    def.name = "wood";
    def.surface.friction = br_law(BR_LAW_FRICTION, law);
    br_law_set(&def.surface.friction, "mu", 0.3);
    br_law_set(&def.surface.normal, "restitution", 0.4);
    BrMaterialId wood = machine_add_material(&m, &def);
    machine_floor(&m, wood);
    for (int k = 0; k < 3; k++) {
        BrBodyDef body = br_default_body_def();
        body.name = k == 0 ? "a" : k == 1 ? "b" : "c";
        body.mass = 1 + k;
        body.inertia = diagonal(0.01, 0.012, 0.015);
        body.position = vec(0.13 * k, 0.05 * k, 0.2 + 0.25 * k);
        body.rotation = turn_about(vec(1, 0.3 * k, 0.2), 0.4 + k);
        body.velocity = vec(0.3, -0.1 * k, -1);
        machine_box(&m, machine_add_body(&m, &body), vec(0.2, 0.25, 0.15), wood);
    }
    machine_ready(&m);
    return m;
}

static void unfit_steps_are_refused(void **unused) {
    (void)unused;
    BrStepDef rattle = machine_step_def(BR_SCHEME_RATTLE, 1e-3), hem2 = machine_step_def(BR_SCHEME_HEM2, 1e-3);
    BrStepDef event = machine_event_def(1e-3), box = hem2, polygon = hem2, sides = hem2, set = hem2, speed = hem2;
    box.friction_set = BR_FRICTION_BOX, polygon.friction_set = BR_FRICTION_POLYGON, sides.polygon_sides = 2;
    set.friction_set = BR_FRICTION_SETS, speed.impact_speed = NAN;
    const BrStepDef *unfit[] = {&rattle, &box, &polygon, &sides, &set, &speed};
    for (int k = 0; k < 2; k++) {
        Machine m = make_cubes(0, k ? "bristle" : "coulomb");
        uint64_t hash = br_state_hash(m.state);
        BrError error;
        for (int i = 0; k == 0 && i < 6; i++) {
            error.text[0] = 0;
            if (br_step(m.model, m.workspace, m.state, unfit[i], NULL, &error) >= 0) fail_msg("case %d was taken", i);
            assert_true(strlen(error.text) > 10);
        }
        if (k == 1) assert_int_equal(br_step(m.model, m.workspace, m.state, &hem2, NULL, &error), BR_UNSUPPORTED);
        if (k == 1) assert_int_equal(br_step(m.model, m.workspace, m.state, &event, NULL, &error), BR_UNSUPPORTED);
        assert_true(br_state_hash(m.state) == hash);
        machine_end(&m);
    }
}

/* The report names the strongest solver that a step needed, in whichever order bodies come: a ball alone has a closed
 * form, two blocks on each other need Newton's method. */
static void report_names_the_strongest_solver(void **unused) {
    (void)unused;
    for (int ball_first = 0; ball_first < 2; ball_first++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId stone = machine_material(&m, "stone", 0.5, 0);
        machine_floor(&m, stone);
        if (ball_first) machine_ball(&m, "ball", 1, 0.1, vec(5, 0, 0.1), stone);
        machine_block(&m, "lower", 1, vec(0.2, 0.2, 0.2), vec(0, 0, 0.1), stone);
        machine_block(&m, "upper", 1, vec(0.2, 0.2, 0.2), vec(0.01, 0, 0.3), stone);
        if (!ball_first) machine_ball(&m, "ball", 1, 0.1, vec(5, 0, 0.1), stone);
        machine_ready(&m);
        BrStepDef def = machine_step_def(BR_SCHEME_MOREAU, 1e-3);
        BrStepReport report;
        BrError error = {0};
        assert_int_equal(br_step(m.model, m.workspace, m.state, &def, &report, &error), BR_OK);
        assert_string_equal(report.solver, "newton");
        machine_end(&m);
    }
}

/* Contacts are numbered among those of the same two bodies, also where those of others stand between them. */
static void contacts_are_numbered_by_their_bodies(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId stone = machine_material(&m, "stone", 0.5, 0);
    machine_floor(&m, stone);
    BrBodyId twin[2];
    for (int k = 0; k < 2; k++) {
        twin[k] = machine_body(&m, k ? "second" : "first", 1, diagonal(0.1, 0.1, 0.1), vec(2.0 * k, 0, 0.1));
        machine_sphere(&m, twin[k], 0.1, stone);
    }
    for (int k = 0; k < 2; k++) { /* each body's second and third ball come after the other's first */
        BrShapeDef def = br_default_shape_def();
        def.kind = BR_SHAPE_SPHERE, def.body = twin[k], def.material = stone, def.radius = 0.1;
        for (int n = 0; n < 2; n++) {
            def.position_body = vec(0.3, 0.3 * n, 0);
            assert_int_equal(br_model_add_shape(m.model, &def, NULL, NULL), BR_OK);
        }
    }
    machine_ready(&m);
    assert_int_equal(br_evaluate(m.model, m.workspace, m.state, NULL), BR_OK);
    assert_int_equal(br_contact_count(m.model, m.workspace), 6);
    int next[2] = {0, 0};
    for (int k = 0; k < 6; k++) {
        BrContact contact;
        assert_int_equal(br_contact(m.model, m.workspace, k, &contact), BR_OK);
        assert_int_equal(contact.number, next[contact.body_b.index1 == twin[1].index1]++);
    }
    assert_true(next[0] == 3 && next[1] == 3);
    machine_end(&m);
}

/* More contacts than there is room for: the number is named, the state stays. */
static void full_table_refuses_the_step(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        Machine m = make_cubes(3, "coulomb");
        BrStepDef def = machine_step_def(SCHEMES[s], 1e-3);
        BrError error = {0};
        BrStatus status = BR_OK;
        assert_int_equal(br_model_contact_capacity(m.model), 3);
        uint64_t hash = 0;
        for (int k = 0; k < 3000 && status >= 0; k++) {
            hash = br_state_hash(m.state);
            status = br_step(m.model, m.workspace, m.state, &def, NULL, &error);
        }
        assert_int_equal(status, BR_CAPACITY);
        assert_non_null(strstr(error.text, "contact_capacity"));
        assert_true(br_state_hash(m.state) == hash);
        machine_end(&m);
    }
    BrModelDef def = br_default_model_def();
    BrModel *model = NULL;
    BrError error = {0};
    def.contact_capacity = -1;
    assert_int_equal(br_model_create(&def, &model, &error), BR_INVALID_ARGUMENT);
    br_model_destroy(model);
}

/* Run, snapshot, run; go back and run again, with another workspace, looking in between: the same bits. */
static void replay_is_exact(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        Machine m = make_cubes(0, "coulomb");
        BrStepDef def = machine_step_def(SCHEMES[s], 1e-3);
        BrState *kept;
        BrError error = {0};
        assert_int_equal(br_state_create(m.model, &kept, &error), BR_OK);
        for (int k = 0; k < 200; k++) br_step(m.model, m.workspace, m.state, &def, NULL, &error);
        assert_int_equal(br_state_copy(kept, m.state), BR_OK);
        for (int k = 0; k < 300; k++) br_step(m.model, m.workspace, m.state, &def, NULL, &error);
        uint64_t hash = br_state_hash(m.state);
        assert_int_equal(br_state_restore(m.state, br_state_bytes(kept), br_state_size(kept), &error), BR_OK);
        for (int k = 0; k < 300; k++) {
            if (k % 50 == 0) {
                br_workspace_destroy(m.model, m.workspace);
                assert_int_equal(br_workspace_create(m.model, &m.workspace, &error), BR_OK);
            }
            if (k % 7 == 0) assert_int_equal(br_evaluate(m.model, m.workspace, m.state, &error), BR_OK);
            br_step(m.model, m.workspace, m.state, &def, NULL, &error);
        }
        assert_true(br_state_hash(m.state) == hash);
        br_state_destroy(m.model, kept);
        machine_end(&m);
    }
}

/* A block at rest that is put elsewhere, or pushed, starts as a fresh machine would. */
static void setting_a_body_forgets_its_contacts(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        Machine m[2];
        BrBodyId block[2];
        for (int k = 0; k < 2; k++) {
            m[k] = machine_begin(DOWN);
            BrMaterialId wood = machine_material(&m[k], "wood", 0.3, 0);
            machine_floor(&m[k], wood);
            block[k] = machine_block(&m[k], "block", 1, vec(0.2, 0.2, 0.1), vec(0, 0, 0.05), wood);
            machine_ready(&m[k]);
            if (k) machine_run(&m[k], SCHEMES[s], 1e-3, 50);
            BrPose pose = {vec(1, 2, 0.05), diagonal(1, 1, 1)};
            assert_int_equal(br_body_set_pose(m[k].model, m[k].state, block[k], pose, NULL), BR_OK);
            machine_set_twist(&m[k], block[k], vec(0.5, 0.2, 0), vec(0, 0, 1));
            machine_run(&m[k], SCHEMES[s], 1e-3, 100);
        }
        assert_near(machine_distance(&m[0], &m[1]), 0, 1e-12);
        machine_end(&m[0]), machine_end(&m[1]);
    }
}

static void contacts_are_read_after_looking(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId wood = machine_material(&m, "wood", 0.3, 0);
    machine_floor(&m, wood);
    BrBodyId block = machine_block(&m, "block", 1, vec(0.2, 0.2, 0.1), vec(0, 0, 0.05), wood);
    machine_ready(&m);
    BrContact c;
    assert_int_equal(br_contact_count(m.model, m.workspace), 0);
    assert_int_equal(br_contact(m.model, m.workspace, 0, &c), BR_WRONG_STAGE);
    assert_int_equal(machine_contact_count(&m), 4); /* before any step, too */
    assert_near(machine_contact_force(&m, false).z, G, 1e-9);
    assert_vec_near(machine_contact_force(&m, true), NONE, 0);
    assert_int_equal(br_contact(m.model, m.workspace, 4, &c), BR_INVALID_ARGUMENT);
    assert_int_equal(br_contact(m.model, m.workspace, -1, &c), BR_INVALID_ARGUMENT);
    uint64_t last = 0;
    for (int k = 0; k < 4; k++) {
        c = machine_contact(&m, k);
        assert_true(c.key > last);
        last = c.key;
        assert_int_equal(c.body_b.index1, block.index1);
        assert_near(c.gap, 0, 1e-15);
        assert_near(c.point.z, 0, 1e-15);
        assert_near(fabs(c.point.x) + fabs(c.point.y), 0.2, 1e-15);
        assert_near(c.frame.m[2][0], 1, 0);
    }
    assert_string_equal(br_contact_mode_name(BR_CONTACT_OPEN), "open");
    assert_string_equal(br_contact_mode_name(BR_CONTACT_ROLLING), "rolling");
    machine_run(&m, BR_SCHEME_HEM2, 1e-3, 1);
    assert_int_equal(br_contact(m.model, m.workspace, 0, &c), BR_WRONG_STAGE); /* a step makes readings stale */
    machine_end(&m);
}

/* What a refused look leaves are no readings, least of all those of the look before. */
static void refused_looks_leave_no_readings(void **unused) {
    (void)unused;
    Machine m[2];
    BrBodyId block[2];
    for (int k = 0; k < 2; k++) {
        m[k] = machine_begin(DOWN);
        BrMaterialId wood = machine_material(&m[k], "wood", 0.3, 0);
        machine_floor(&m[k], wood);
        block[k] = machine_block(&m[k], k ? "other" : "block", 1, vec(0.2, 0.2, 0.1), vec(0, 0, 0.05), wood);
        machine_ready(&m[k]);
    }
    BrContact c;
    BrTwist rate;
    assert_int_equal(machine_contact_count(&m[0]), 4);
    assert_int_equal(br_contact(m[0].model, m[0].workspace, 0, &c), BR_OK);
    assert_int_equal(br_evaluate(m[0].model, m[0].workspace, m[1].state, NULL), BR_MISMATCH);
    assert_int_equal(br_contact(m[0].model, m[0].workspace, 0, &c), BR_WRONG_STAGE);
    assert_int_equal(br_body_acceleration(m[0].model, m[0].workspace, block[0], &rate), BR_WRONG_STAGE);
    assert_int_equal(br_contact_count(m[0].model, m[0].workspace), 0);
    machine_end(&m[0]), machine_end(&m[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_looks_leave_no_readings),
        cmocka_unit_test(laws_have_presets_and_parameters),
        cmocka_unit_test(senseless_materials_are_refused),
        cmocka_unit_test(half_a_hypothesis_is_refused),
        cmocka_unit_test(shapes_and_materials_can_be_read_back),
        cmocka_unit_test(tables_of_laws_are_copied),
        cmocka_unit_test(senseless_shapes_are_refused),
        cmocka_unit_test(missing_pair_is_refused_unless_they_never_meet),
        cmocka_unit_test(missing_pair_is_found_among_very_many_shapes),
        cmocka_unit_test(pair_has_its_own_friction),
        cmocka_unit_test(joined_bodies_do_not_touch),
        cmocka_unit_test(unfit_steps_are_refused),
        cmocka_unit_test(report_names_the_strongest_solver),
        cmocka_unit_test(contacts_are_numbered_by_their_bodies),
        cmocka_unit_test(full_table_refuses_the_step),
        cmocka_unit_test(replay_is_exact),
        cmocka_unit_test(setting_a_body_forgets_its_contacts),
        cmocka_unit_test(contacts_are_read_after_looking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
