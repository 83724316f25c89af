/* test_suggest.c: parameters of compliant contact from what is known of it, from numbers and from a scene; numbers with
 * units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "counting.h"
#include "machine.h"

static double value_of(const BrLaw *law, const char *name) {
    for (int i = 0; i < law->info->parameters; i++)
        if (strcmp(law->info->parameter[i].name, name) == 0) return law->value[i];
    fail_msg("%s has no %s", law->info->name, name);
    return 0;
}

static void hertz_gives_the_stiffness(void **unused) {
    (void)unused;
    BrSuggestDef def = br_default_suggest_def();
    BrSuggestion s;
    def.mass = 2;
    def.youngs_modulus = 210e9, def.poissons_ratio = 0.3, def.radius = 0.01;
    assert_int_equal(br_suggest(&def, &s, NULL), BR_OK);
    double k = 4.0 / 3 * 210e9 / (2 * (1 - 0.09)) * sqrt(0.01);
    assert_near(value_of(&s.normal, "stiffness") / k, 1, 5e-3); /* three digits */
    assert_near(s.load, 2 * 9.81, 1e-12);
    assert_near(value_of(&s.normal, "stiffness") * pow(s.depth, 1.5), s.load, 1e-9 * s.load);
}

/* Without losses the energy says how deep an impact goes and how hard it pushes. */
static void impacts_keep_their_energy(void **unused) {
    (void)unused;
    BrSuggestDef def = br_default_suggest_def();
    BrSuggestion s;
    def.mass = 3, def.mass_b = 6, def.depth = 1e-4, def.restitution = 1, def.speed = 2;
    assert_int_equal(br_suggest(&def, &s, NULL), BR_OK);
    double k = value_of(&s.normal, "stiffness"), depth = pow(2.5 * 0.5 * 2 * 4 / k, 0.4); /* m = 2 kg */
    assert_near(s.impact_depth / depth, 1, 1e-4);
    assert_near(s.impact_force / (k * pow(depth, 1.5)), 1, 1e-4);
    assert_near(s.impact_time / (2.9432 * depth / 2), 1, 5e-3); /* counted in 400ths */
}

static void bad_definitions_are_refused(void **unused) {
    (void)unused;
    BrSuggestDef def = br_default_suggest_def(), bare = {.mass = 1, .depth = 1e-4};
    BrSuggestion s;
    BrError error = {0};
    assert_int_equal(br_suggest(&bare, &s, &error), BR_INVALID_DEF);
    assert_non_null(strstr(error.text, "br_default_suggest_def()"));
    assert_int_equal(br_suggest(&def, &s, &error), BR_INVALID_ARGUMENT); /* neither a depth nor a modulus */
    def.depth = 1e-4;
    assert_int_equal(br_suggest(&def, &s, &error), BR_OK);
    double *fields[] = {&def.mass,        &def.mass_b, &def.load,  &def.depth,
                        &def.restitution, &def.mu_s,   &def.speed, &def.dt};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const double wrong[] = {-1, NAN};
        for (int k = 0; k < 2; k++) {
            double right = *fields[i];
            *fields[i] = wrong[k];
            assert_int_equal(br_suggest(&def, &s, &error), BR_INVALID_ARGUMENT);
            *fields[i] = right;
        }
    }
}

static const char SCENE[] =
    "bristle: 1\n"
    "materials:\n"
    "  steel: {friction: {law: coulomb, mu: 0.2}, restitution: 0.7, elastic: {E: 200 GPa, nu: 0}}\n"
    "  wood: {friction: {law: coulomb, mu: 0.4}}\n"
    "bodies:\n"
    "  floor: {fixed: true, shapes: [{plane: {}, material: steel}]}\n"
    "  ball: {mass: 2, inertia: [1, 1, 1], pose: {position: [0, 0, 1]},\n"
    "         shapes: [{sphere: {radius: 0.04}, material: steel}]}\n";

static void a_scene_knows_its_materials(void **unused) {
    (void)unused;
    BrScene *scene;
    BrSuggestDef def;
    BrSuggestion s;
    assert_int_equal(br_scene_parse(SCENE, strlen(SCENE), "scene", NULL, &scene, NULL), BR_OK);
    const BrModel *m = br_scene_model(scene);
    BrMaterialId steel = br_model_find_material(m, "steel"), wood = br_model_find_material(m, "wood");
    assert_null(br_material_surface(m, steel, wood));
    assert_non_null(br_material_surface(m, wood, wood));
    assert_int_equal(br_suggest_for(m, wood, wood, &def, NULL), BR_INVALID_ARGUMENT); /* never meets */
    assert_int_equal(br_suggest_for(m, (BrMaterialId){0}, wood, &def, NULL), BR_INVALID_ID);
    assert_int_equal(br_suggest_for(m, steel, steel, &def, NULL), BR_OK);
    assert_near(def.mass, 2, 0);
    assert_near(def.radius, 0.04, 1e-15);
    assert_near(def.restitution, 0.7, 0);
    assert_int_equal(br_suggest(&def, &s, NULL), BR_OK);
    assert_near(value_of(&s.normal, "stiffness") / (4.0 / 3 * 100e9 * 0.2), 1, 5e-3);
    br_scene_destroy(scene);
}

static void quantities_have_units(void **unused) {
    (void)unused;
    const struct {
        const char *text, *unit;
        double value;
    } good[] = {{"0.1 mm", "m", 1e-4}, {"210GPa", "Pa", 210e9}, {"1kHz", "Hz", 1e3},
                {"3", "kg", 3},        {"2*5 N", "N", 10},      {"0.5", "", 0.5}};
    const struct {
        const char *text, *unit;
    } bad[] = {{"1 mm", "kg"}, {"", "m"}, {"1/0", "m"}, {"x", "m"}, {"1 m", ""}, {"1 mm 2", "m"}};
    double value = 7;
    BrError error = {0};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(br_quantity(good[i].text, good[i].unit, &value, &error), BR_OK);
        assert_near(value, good[i].value, 1e-15 * good[i].value);
    }
    value = 7;
    for (int i = 0; i < 6; i++) assert_true(br_quantity(bad[i].text, bad[i].unit, &value, &error) < 0);
    assert_near(value, 7, 0);
}

/* Whichever allocation fails while stable steps are sought, it is told and nothing leaks. */
static void memory_may_run_out(void **unused) {
    (void)unused;
    static const char *const SOFT[] = {
        "step={formulation: compliant}",
        "materials.steel.compliant={normal: {law: gonthier, e: 0.5}, friction: {law: tanh, "
        "mu: 0.2}}"};
    Counter counter = {0};
    BrSceneOptions options = br_default_scene_options();
    BrScene *scene;
    BrState *state;
    BrStability stability;
    BrError error = {0};
    options.allocator = counting_allocator(&counter);
    options.set = SOFT, options.sets = 2;
    BrStatus status = br_scene_parse(SCENE, strlen(SCENE), "scene", &options, &scene, &error);
    if (status != BR_OK) fail_msg("%s", error.text);
    const BrModel *m = br_scene_model(scene);
    BrStepDef def = br_scene_run_def(scene).step;
    assert_int_equal(br_state_create(m, &state, NULL), BR_OK);
    int failures = 0;
    for (int n = 1; status != BR_OK || failures == 0; n++, failures += status != BR_OK) {
        BrWorkspace *workspace;
        assert_int_equal(br_workspace_create(m, &workspace, NULL), BR_OK);
        int64_t live = counter.live;
        counter.fail_at = counter.calls + n;
        status = br_stability(m, workspace, state, &def, &stability, &error);
        counter.fail_at = 0;
        if (status != BR_OK) assert_int_equal(status, BR_OUT_OF_MEMORY);
        assert_true(counter.live == live || counter.live == live + 1); /* the workspace may have grown */
        br_workspace_destroy(m, workspace);
    }
    br_state_destroy(m, state);
    br_scene_destroy(scene);
    assert_int_equal(counter.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hertz_gives_the_stiffness),   cmocka_unit_test(impacts_keep_their_energy),
        cmocka_unit_test(bad_definitions_are_refused), cmocka_unit_test(a_scene_knows_its_materials),
        cmocka_unit_test(quantities_have_units),       cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
