/* test_change.c: models with other values, and states that go on in them: bit by bit as if the model had been built so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"

/* What rolls, slides, hangs and is driven, with a value of each kind that may change. */
static const char SCENE[] =
    "bristle: 1\n"
    "parameters: {mu: 0.5, m: 2 kg, k: 300 N/m, c: 3 N s/m, g: 9.81, speed: 2 rad/s, push: 3}\n"
    "gravity: [0, 0, -g]\n"
    "step: {formulation: timestepping, scheme: %s, dt: 1 ms, until: 1 s}\n"
    "materials: {steel: {friction: {law: coulomb, mu: mu}, restitution: 0.2,\n"
    "  compliant: {normal: {law: hunt-crossley, stiffness: 1e6, alpha: 0.1}, friction: {law: dwell, mu_s: mu, mu_k: "
    "mu/2}}}}\n"
    "bodies:\n"
    "  floor: {fixed: true, shapes: [{plane: {}, material: steel}]}\n"
    "  ball: {mass: m, inertia: [0.02, 0.02, 0.02], pose: {position: [0, 0, 0.1]}, velocity: {linear: [1, 0.5, "
    "0]},\n"
    "         shapes: [{sphere: {radius: 0.1}, material: steel}]}\n"
    "  box: {mass: 3, inertia: [0.1, 0.1, 0.1], pose: {position: [1, 1, 0.1]}, velocity: {linear: [0.5, 0, 0]},\n"
    "        shapes: [{box: {size: [0.2, 0.2, 0.2]}, material: steel}]}\n"
    "  arm: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [3, 0, 1]}}\n"
    "  geared: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [3, 3, 1]}}\n"
    "joints:\n"
    "  shaft: {revolute: [floor, geared], at: [3, 3, 1], axis: [0, 1, 0]}\n"
    "  hinge: {revolute: [floor, arm], at: [2.5, 0, 1], axis: [0, 1, 0], friction: {law: coulomb, mu: mu/5,\n"
    "          pin_radius: 1 cm, bearing_spacing: 10 cm}}\n"
    "couplings: {gear: {gear: [shaft, hinge], ratio: -0.1}}\n"
    "springs: {s: {between: [floor, ball], from_body: [0, 3, 1], stiffness: k, damping: c, free_length: 3}}\n"
    "motors: {drive: {joint: hinge, speed: speed, max_torque: 4}, aid: {joint: shaft, torque: 0.01}}\n"
    "forces: {f: {body: box, force: [\"push*cos(5*t)\", 0, 0]}}\n";

static BrScene *read_scene(const char *scheme, const char *set) {
    char text[sizeof SCENE + 32];
    BrError error;
    BrScene *scene;
    BrSceneOptions options = br_default_scene_options();
    options.set = &set, options.sets = set ? 1 : 0;
    snprintf(text, sizeof text, SCENE, scheme);
    if (br_scene_parse(text, strlen(text), "change.yaml", &options, &scene, &error) != BR_OK)
        fail_msg("%s", error.text);
    return scene;
}

static void step_on(const BrModel *model, BrState *state, const BrStepDef *step, int steps) {
    BrError error;
    BrWorkspace *workspace;
    assert_int_equal(br_workspace_create(model, &workspace, NULL), BR_OK);
    for (int i = 0; i < steps; i++)
        if (br_step(model, workspace, state, step, NULL, &error) < 0) fail_msg("%s", error.text);
    br_workspace_destroy(model, workspace);
}

static BrState *move(const BrModel *from, const BrState *state, const BrModel *to) {
    BrError error;
    BrState *moved;
    if (br_state_move(from, state, to, &moved, &error) != BR_OK) fail_msg("%s", error.text);
    assert_true(br_state_time(moved) == br_state_time(state));
    return moved;
}

/* Each value: as it stands in the scene that was read, and where it stands in the model: in all places. */
static const struct {
    const char *parameter, *value[4];
    double changes; /* m: how far apart the machines are afterwards, at least */
} CASES[] = {{"parameters.mu=0.2",
              {"materials.steel.friction.mu=0.2", "materials.steel.compliant.friction.mu_s=0.2",
               "materials.steel.compliant.friction.mu_k=0.1", "joints.hinge.friction.mu=0.04"},
              1e-4},
             {"bodies.box.mass=5", {"bodies.box.mass=5 kg"}, 1e-4},
             {"parameters.k=500", {"springs.s.stiffness=0.5 kN/m"}, 1e-4},
             {"parameters.c=9", {"springs.s.damping=9"}, 1e-5},
             {"parameters.g=1.62", {"gravity.2=-1.62"}, 1e-3},
             {"parameters.speed=3", {"motors.drive.speed=3 rad/s"}, 1e-3},
             {"motors.drive.max_torque=1", {"motors.drive.max_torque=1"}, 1e-4},
             {"parameters.push=-30", {"parameters.push=-30"}, 1e-3},
             {"joints.hinge.friction.mu=0.9", {"joints.hinge.friction.mu=0.9"}, 1e-6}};

static double distance(const BrModel *m, const BrState *a, const BrModel *n, const BrState *b) {
    double most = 0;
    for (int i = 0; i < br_model_body_count(m); i++) {
        BrPose p, q;
        br_body_pose(m, a, br_model_body(m, i), &p);
        br_body_pose(n, b, br_model_body(n, i), &q);
        most = fmax(most, norm(sub(p.position, q.position)));
    }
    return most;
}

/* A run whose value changes midway is, to the bit, one that goes on from there in a model that was read with the other
 * value; and it is not the run that went on as before. */
static void values_change_midway(void **unused) {
    (void)unused;
    static const char *const SCHEMES[] = {"moreau", "hem2"};
    for (size_t i = 0; i < 2 * sizeof CASES / sizeof *CASES; i++) {
        BrError error;
        const char *scheme = SCHEMES[i % 2], *const *set = CASES[i / 2].value;
        int sets = 1;
        while (sets < 4 && set[sets]) sets++;
        BrScene *scene = read_scene(scheme, NULL), *other = read_scene(scheme, CASES[i / 2].parameter);
        const BrModel *model = br_scene_model(scene), *built = br_scene_model(other);
        BrStepDef step = br_scene_run_def(scene).step;
        BrModel *changed;
        BrState *state;
        if (br_model_change(model, set, sets, &changed, &error) != BR_OK) fail_msg("%s: %s", set[0], error.text);
        assert_int_equal(br_state_create(model, &state, NULL), BR_OK);
        step_on(model, state, &step, 100);
        BrState *a = move(model, state, changed), *b = move(model, state, built);
        step_on(changed, a, &step, 200);
        step_on(built, b, &step, 200);
        step_on(model, state, &step, 200);
        assert_int_equal(br_model_fingerprint(changed), br_model_fingerprint(built));
        assert_true(br_state_hash(a) == br_state_hash(b));
        if (distance(model, state, changed, a) < CASES[i / 2].changes)
            fail_msg("%s: %g", set[0], distance(model, state, changed, a));
        BrEnergy energy;
        assert_int_equal(br_state_energy(changed, a, &energy), BR_OK);
        assert_near(energy.defect, 0, 0.02); /* books begun anew: those of the model before would be off by joules */
        br_state_destroy(model, state);
        br_state_destroy(changed, a);
        br_state_destroy(built, b);
        br_model_destroy(changed);
        br_scene_destroy(scene);
        br_scene_destroy(other);
    }
}

/* Nothing changed: the same model; a law of one's own goes along. */
static double hold(const BrLaw *law) { return law->value[0]; }
static double slide(const BrLaw *law, double speed) { return law->value[0] / (1 + speed * *(double *)law->info->user); }

static void laws_of_ones_own_go_along(void **unused) {
    (void)unused;
    static const BrLawParameter TABLE[] = {{"mu", "", NAN, 0, 10, NULL, "at rest"}};
    double fall = 0.5;
    Machine m = machine_begin(vec(0, 0, -9.81));
    BrLawDef law = br_default_law_def();
    law.name = "falling", law.kind = BR_LAW_FRICTION, law.parameters = 1, law.parameter = TABLE;
    law.dry.holds = hold, law.dry.slides = slide, law.user = &fall;
    assert_int_equal(br_model_add_law(m.model, &law, NULL), BR_OK);
    BrMaterialDef material = br_default_material_def();
    material.name = "steel", material.surface.friction = br_model_law(m.model, BR_LAW_FRICTION, "falling");
    br_law_set(&material.surface.friction, "mu", 0.4);
    BrMaterialId steel = machine_add_material(&m, &material);
    machine_floor(&m, steel);
    BrBodyId point = machine_body(&m, "point", 1, diagonal(1, 1, 1), vec(0, 0, 0));
    machine_point(&m, point, vec(0, 0, 0), steel);
    machine_ready(&m);
    machine_set_twist(&m, point, vec(3, 0, 0), vec(0, 0, 0));
    BrError error;
    BrModel *same, *less;
    const char *set[] = {"materials.steel.friction.mu=0.1"};
    if (br_model_change(m.model, NULL, 0, &same, &error) != BR_OK) fail_msg("%s", error.text);
    if (br_model_change(m.model, set, 1, &less, &error) != BR_OK) fail_msg("%s", error.text);
    assert_int_equal(br_model_fingerprint(same), br_model_fingerprint(m.model));
    BrStepDef step = machine_step_def(BR_SCHEME_HEM2, 1e-3);
    BrState *a = move(m.model, m.state, same), *b = move(m.model, m.state, less);
    step_on(same, a, &step, 100);
    step_on(less, b, &step, 100);
    machine_steps(&m, &step, 100);
    assert_true(br_state_hash(a) == br_state_hash(m.state));
    BrTwist slow, fast;
    br_body_twist(same, a, br_model_find_body(same, "point"), &slow);
    br_body_twist(less, b, br_model_find_body(less, "point"), &fast);
    /* v' = -mu g/(1 + v/2): v + v^2/4 falls by mu g t; hem2's error is of order 2 */
    assert_near(slow.linear.x + slow.linear.x * slow.linear.x / 4, 5.25 - 0.4 * 9.81 * 0.1, 1e-6);
    assert_near(fast.linear.x + fast.linear.x * fast.linear.x / 4, 5.25 - 0.1 * 9.81 * 0.1, 1e-6);
    br_state_destroy(same, a), br_state_destroy(less, b);
    br_model_destroy(same), br_model_destroy(less);
    machine_end(&m);
}

/* What is no value, or no place. */
static void senseless_changes_are_refused(void **unused) {
    (void)unused;
    static const char *const cases[][2] = {{"materials.steel.friction.mu=-1", "mu is -1; allowed is 0 to"},
                                           {"materials.stel.friction.mu=1", "did you mean 'steel'"},
                                           {"bodies.box.mass=3 m", "a value in kg is needed"},
                                           {"springs.s.stiffness=-1", "must not be negative"},
                                           {"parameters.nosuch=1", "no parameter 'nosuch'"},
                                           {"materials.steel.density=7800", "a density changes no mass of a model"}};
    BrScene *scene = read_scene("moreau", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        BrError error = {0};
        BrModel *changed;
        assert_true(br_model_change(br_scene_model(scene), cases[i], 1, &changed, &error) < 0);
        assert_null(changed);
        if (!strstr(error.text, cases[i][1])) fail_msg("'%s' is not in: %s", cases[i][1], error.text);
    }
    br_scene_destroy(scene);
}

/* States are at home where the same numbers are. */
static void other_layouts_are_refused(void **unused) {
    (void)unused;
    static const char *const cases[][2] = {
        {"joints.hinge.limits=[-1, 1]", "joint 'hinge' has other limits, friction or motors"},
        {"joints.hinge.at.0=2.4", "joint 'hinge' stands elsewhere on its bodies"},
        {"contact_capacity=40", "room for"},
        {"bodies.extra={mass: 1, inertia: [1, 1, 1], pose: {position: [0, 0, 9]}}", "it has 5 bodies, and the model 6"},
        {"bodies.arm.shapes=[{sphere: {radius: 0.1}, material: steel}]", "it has 3 shapes"},
        {"materials.steel.compliant.friction={law: tanh, mu: 0.5}", "laws between 'steel' and 'steel' remember other"},
        {"couplings.gear.ratio=3", "joint 'gear' couples otherwise"},
        {"motors={drive: {joint: shaft, speed: 2, max_torque: 4}}", "joint 'shaft' is driven otherwise"},
        {"motors.aid.joint=hinge", "motor 'aid' drives another"},
        {"motors={}", "joint 'hinge' is driven otherwise"}};
    BrScene *scene = read_scene("moreau", NULL);
    BrState *state;
    assert_int_equal(br_state_create(br_scene_model(scene), &state, NULL), BR_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        BrError error = {0};
        BrScene *other = read_scene("moreau", cases[i][0]);
        BrState *moved;
        if (br_state_move(br_scene_model(scene), state, br_scene_model(other), &moved, &error) != BR_MISMATCH)
            fail_msg("%s", cases[i][0]);
        assert_null(moved);
        if (!strstr(error.text, cases[i][1])) fail_msg("'%s' is not in: %s", cases[i][1], error.text);
        assert_int_equal(br_state_move(br_scene_model(other), state, br_scene_model(scene), &moved, NULL), BR_MISMATCH);
        br_scene_destroy(other);
    }
    br_state_destroy(br_scene_model(scene), state);
    br_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_change_midway),
        cmocka_unit_test(laws_of_ones_own_go_along),
        cmocka_unit_test(senseless_changes_are_refused),
        cmocka_unit_test(other_layouts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
