/* test_scene_write.c: models as scenes: what is written reads back to the same model, which takes the same steps; what a
 * scene cannot hold is refused and named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_machine.h"

enum { MOST_TEXT = 1 << 22, STEPS = 10 };

typedef struct Text {
    size_t size;
    char text[MOST_TEXT];
} Text;

static void take(void *user, const char *text, size_t size) {
    Text *to = user;
    assert_true(size < sizeof to->text && text[size] == 0);
    memcpy(to->text, text, size + 1);
    to->size = size;
}

static BrStatus write_text(const BrModel *model, const BrRunDef *run, Text *text, BrError *error) {
    *error = (BrError){0};
    text->size = 0;
    return br_model_tell_scene(model, run, take, text, error);
}

/* The hash of the state after some steps; 0: they were refused. */
static uint64_t step_on(const BrModel *model, const BrStepDef *given) {
    BrStepDef step = *given;
    BrState *state;
    BrWorkspace *workspace;
    BrStatus status = BR_OK;
    step.most_work = RANDOM_MOST_WORK;
    assert_int_equal(br_state_create(model, &state, NULL), BR_OK);
    assert_int_equal(br_workspace_create(model, &workspace, NULL), BR_OK);
    br_state_set_formulation(state, step.formulation);
    status = br_state_assemble(model, workspace, state, NULL, NULL);
    for (int i = 0; i < STEPS && status >= 0; i++) status = br_step(model, workspace, state, &step, NULL, NULL);
    uint64_t hash = status < 0 ? (uint64_t) - (int64_t)status : br_state_hash(state);
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
    return hash;
}

/* Read back: the same model and run, and the same bits after some steps; written again, the same text. */
static void compare(const BrModel *model, const BrRunDef *run, const Text *text, const char *what, bool steps) {
    static Text again;
    BrError error = {0};
    BrScene *scene;
    if (br_scene_parse(text->text, text->size, what, NULL, &scene, &error) != BR_OK)
        fail_msg("%s: %s\n%s", what, error.text, text->text);
    const BrModel *other = br_scene_model(scene);
    BrRunDef second = br_scene_run_def(scene);
    assert_true(br_model_fingerprint(model) == br_model_fingerprint(other));
    assert_int_equal(second.step.formulation, run->step.formulation);
    assert_int_equal(second.step.scheme, run->step.scheme);
    assert_true(second.step.dt == run->step.dt && second.until == run->until);
    assert_true(second.step.contact_tolerance == run->step.contact_tolerance);
    assert_int_equal(second.step.friction_set, run->step.friction_set);
    if (write_text(other, &second, &again, &error) != BR_OK) fail_msg("%s: %s", what, error.text);
    /* expressions that are numbers are numbers then */
    if (!strstr(text->text, "\"2*k\"") && strcmp(text->text, again.text) != 0)
        fail_msg("%s: written otherwise\n%s\n%s", what, text->text, again.text);
    if (steps && step_on(model, &run->step) != step_on(other, &second.step)) fail_msg("%s: other bits", what);
    br_scene_destroy(scene);
}

/* ------------------------------------------------------------------ scenes */

static int try_scene(const char *path, bool steps) {
    static Text text;
    BrError error = {0};
    BrScene *scene;
    if (br_scene_load(path, NULL, &scene, &error) != BR_OK) return 0; /* an experiment's template */
    BrRunDef run = br_scene_run_def(scene);
    if (write_text(br_scene_model(scene), &run, &text, &error) != BR_OK) fail_msg("%s: %s", path, error.text);
    compare(br_scene_model(scene), &run, &text, path, steps);
    br_scene_destroy(scene);
    return 1;
}

static int try_folder(const char *folder, int depth, bool steps) {
    DIR *files = opendir(folder);
    int count = 0;
    for (struct dirent *entry = files ? readdir(files) : NULL; entry; entry = readdir(files)) {
        char path[1024];
        size_t length = strlen(entry->d_name);
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0)
            count += try_scene(path, steps);
        else if (depth > 0)
            count += try_folder(path, depth - 1, steps);
    }
    if (files) closedir(files);
    return count;
}

static void scenes_read_back(void **unused) {
    (void)unused;
    const char *root = getenv("BRISTLE_ROOT");
    char folder[1024];
    bool steps = !getenv("BRISTLE_SLOW");
    snprintf(folder, sizeof folder, "%s/scenes", root ? root : ".");
    int scenes = try_folder(folder, 0, steps);
    snprintf(folder, sizeof folder, "%s/experiments", root ? root : ".");
    int experiments = try_folder(folder, 2, steps);
    assert_true(scenes >= 5 && experiments >= 20);
}

/* ------------------------------------------------------------------ random machines */

static void random_machines_read_back(void **unused) {
    (void)unused;
    static Text text;
    int from = 0, to = getenv("BRISTLE_SLOW") ? 20 : is_check_run() ? 1000 : 120, written = 0;
    for (int i = from; i < to; i++) {
        RandomMachine r;
        BrError error;
        char what[32];
        snprintf(what, sizeof what, "machine %d", i);
        if (random_machine_make((uint64_t)i, &r, &error) == BR_OK) {
            BrRunDef run = {r.def, r.def.dt * r.steps, r.def.dt};
            if (write_text(r.m.model, &run, &text, &error) != BR_OK) fail_msg("%s: %s", what, error.text);
            compare(r.m.model, &run, &text, what, r.bodies <= 8);
            written++;
        }
        random_machine_end(&r);
    }
    assert_true(written > (to - from) / 2);
}

/* ------------------------------------------------------------------ what scenes seldom have */

static const char ODD[] =

    "bristle: 1\n"
    "parameters: {k: -3, rate: 0.25 m/s, \"N\": 2}\n"
    "gravity: [0.1, -0, -9.80665]\n"
    "contact_capacity: 77\n"
    "materials:\n"
    "  \"soft stuff\":\n"
    "    friction: {law: rolling, mu_s: 0.5, mu_k: 0.4, mu_r: 1 mm}\n"
    "    hypothesis: poisson\n"
    "    restitution: 0.3\n"
    "    elastic: {E: 1 GPa, nu: 0.3}\n"
    "    compliant: {normal: {law: gonthier, e: {table: [[0, 0.9], [2, 0.6]]}}, friction: {law: dwell, mu_s: 0.5, "
    "mu_k: 0.4, windup: literal}}\n"
    "  \"null\": {friction: {law: bristle, mu: 0.1, k_t: infinite}}\n"
    "pairs: [{between: [\"null\", \"soft stuff\"], friction: {law: coulomb, mu: 0.1}, hypothesis: energetic}]\n"
    "filters: [{never: [\"a b\", \"2\"]}, {always: [\"2\", ground]}]\n"
    "memory: {\"a b/ground\": {z: [1 um, 0, 0], s_dw: 0.5}}\n"
    "bodies:\n"
    "  ground: {fixed: true, shapes: [{plane: {normal: [1, 2, 3]}, material: soft stuff, surface_velocity: [1, -0, "
    "0]}]}\n"
    "  \"a b\": {mass: 1/3, inertia: [[1, 0.1, 0], [0.1, 1, 0], [0, 0, 1]], pose: {position: [0, 0, 9], rotate: "
    "[{axis: [1, 2, 3], angle: 1}]},\n"
    "    velocity: {linear: [1e-300, 1e300/1e299, 0.1], angular: [0, 0, 1]},\n"
    "    shapes: [{sphere: {radius: 0.1}, at: [0.1, 0, 0], rotate: [{x: 20 deg}], material: \"null\"}]}\n"
    "  \"2\": {mass: 1, inertia: [1, 1, 1], pose: {position: [0, 3, 9]}}\n"
    "  \"say \\\"hi\\\" \\\\ : #\": {mass: 1, inertia: [1, 1, 1], pose: {position: [0, 30, 9]}}\n"
    "  wave: {pose: {position: [0, 0, 50]}, shapes: [{extrusion: {points: [[0.2, 0], [0, 0.2], [-0.2, 0], [0, -0.3]], "
    "length: 1}, material: soft stuff}]}\n"
    "joints:\n"
    "  c: {cylindrical: [\"a b\", \"2\"], at: [0, 0.3, 9], axis: [0, 3, 0], limits: {slide: [\"-\", 5 mm], angle: [-1, "
    "1]},\n"
    "      friction: {slide: {law: constant, force: 3}}}\n"
    "  p: {prismatic: [ground, \"2\"], at: [0, 3, 9], axis: [1, 1, 0], friction: {law: stribeck, mu_s: 0.3, mu_k: "
    "0.2,\n"
    "      guide_width: 0.1, guide_length: 0.3, guide_side: [1, -1, 0.00000000001], bearings_on: first, preload: 3}}\n"
    "springs:\n"
    "  line: {between: [ground, \"a b\"], from_body: [1, 0, 0], direction_at_zero: [1, 2, 2], stiffness: 100, damping: "
    "\"N*abs(v) - k\", free_length: 0.1}\n"
    "  turn: {joint: c, coordinate: angle, stiffness: {table: [[-1, -3], [1, 5]]}, force: \"min(x, 0.1)*2e-3\"}\n"
    "motors: {m: {joint: p, speed: \"rate*sin(2*pi*3 Hz*t)\", max_force: infinite}}\n"
    "motions: {w: {body: wave, position: [0, 0, {sine: {amplitude: 1, frequency: 3, phase: 20 deg, offset: 50}}],\n"
    "              angular_velocity: [\"k*t\", 0, {table: [[0, 0], [1, 2]]}]}}\n"
    "signals: {pull: \"k*wave.position.z + slow\", slow: {table: [[0, 1], [1, 2]], over: \"c.position_slide*k\"}, six: "
    "\"2*k\"}\n"
    "forces:\n"
    "  steer: {body: \"2\", force: [\"pull\", \"six*t\", 0]}\n"
    "  push: {body: \"2\", force: \"k*t\", direction: [1, 2, 3], at_body: [0, 0, 1]}\n"
    "  twist: {body: \"a b\", torque_body: [\"k*t\", 1, -0]}\n"
    "step: {formulation: timestepping, scheme: moreau, dt: 0.3 ms, until: 0.333 s, friction_set: {polygon: 5, aligned: "
    "slip},\n"
    "       impact_speed: 1/7, contact: {tolerance: 1e-7, budget: 3 ms}, most_work: 1e8}\n";

static void odd_things_read_back(void **unused) {
    (void)unused;
    static Text text;
    BrError error = {0};
    BrScene *scene;
    if (br_scene_parse(ODD, strlen(ODD), "odd.yaml", NULL, &scene, &error) != BR_OK)
        fail_msg("%d:%d: %s", error.line, error.column, error.text);
    BrRunDef run = br_scene_run_def(scene);
    if (write_text(br_scene_model(scene), &run, &text, &error) != BR_OK) fail_msg("%s", error.text);
    compare(br_scene_model(scene), &run, &text, "odd", true);
    br_scene_destroy(scene);
}

/* ------------------------------------------------------------------ models made in C */

static BrRunDef run_of(const BrModel *model) {
    BrRunDef run = {br_default_step_def(), 1, 1e-3};
    run.step.scheme = br_model_default_scheme(model, BR_FORMULATION_TIMESTEPPING);
    return run;
}

/* Parts in an order that no scene has: a pair before its second material's neighbour, shapes back and forth, a motion
 * before a motor; constants of one name and two values, one of them an expression that is a number. */
static void c_has_other_orders(void **unused) {
    (void)unused;
    static Text text;
    Machine m = machine_begin(vec(0, 0, -9.81));
    BrMaterialId one = machine_material(&m, "one", 0.5, 0), two = machine_material(&m, "two", 0.4, 0.5);
    BrPairDef pair = br_default_pair_def();
    pair.material_a = two, pair.material_b = one;
    br_law_set(&pair.surface.friction, "mu", 0.3);
    assert_int_equal(br_model_add_pair(m.model, &pair, NULL), BR_OK);
    machine_material(&m, "three", 0.1, 0);
    BrBodyId a = machine_body(&m, "a", 1, diagonal(1, 1, 1), vec(0, 0, 0.1)),
             b = machine_body(&m, "b", 1, diagonal(1, 1, 1), vec(0.05, 1, 0.1));
    machine_sphere(&m, b, 0.1, two);
    machine_sphere(&m, a, 0.1, one);
    machine_floor(&m, one);
    machine_sphere(&m, b, 0.05, one);
    BrJointId slide = machine_joint(&m, "slide", BR_JOINT_CYLINDRICAL, m.ground, b, vec(0, 1, 0.1), vec(0, 1, 0));
    BrJointDef hinge = br_default_joint_def(); /* a lead means nothing there */
    hinge.name = "hinge", hinge.body_a = m.ground, hinge.body_b = a, hinge.at = vec(0, 0, 0.1), hinge.lead = 0.1;
    hinge.axis = vec(0, 0, 1);
    machine_add_joint(&m, &hinge);
    BrConstant k[] = {{"k", 2}, {"e1", 0.5}}, other[] = {{"k", -3}};
    BrFunctionDef first = br_expression("k*t + 1e1*e1"), second = br_expression("k*sin(t)"),
                  number = br_expression("2*k");
    first.constants = k, first.constant_count = 2;
    second.constants = number.constants = other, second.constant_count = number.constant_count = 1;
    machine_motion(&m, "motion", slide, 1, true, first);
    machine_motor(&m, "motor", slide, 0, second, INFINITY);
    machine_force(&m, "force", a, 0, number);
    machine_ready(&m);
    BrRunDef run = run_of(m.model);
    BrError error;
    if (write_text(m.model, &run, &text, &error) != BR_OK) fail_msg("%s", error.text);
    compare(m.model, &run, &text, "other orders", true);
    assert_non_null(strstr(text.text, "k_2*t + 1e1*e1"));
    machine_end(&m);
}

static double level(void *user, BrVec3 p, BrVec3 *gradient, BrMat3 *hessian) {
    (void)user;
    *gradient = vec(0, 0, 1);
    memset(hessian, 0, sizeof *hessian);
    return p.z;
}

static double hold(const BrLaw *law) { return (void)law, 0.5; }
static double slide(const BrLaw *law, double speed) { return (void)law, (void)speed, 0.5; }

static void expect(Machine *m, const char *says) {
    static Text text;
    BrError error;
    machine_ready(m);
    BrRunDef run = run_of(m->model);
    assert_int_equal(write_text(m->model, &run, &text, &error), BR_UNSUPPORTED);
    if (!strstr(error.text, says)) fail_msg("'%s' is not in: %s", says, error.text);
    assert_int_equal(text.size, 0);
    machine_end(m);
}

static void what_scenes_cannot_hold_is_named(void **unused) {
    (void)unused;
    const BrVec3 none = {0, 0, 0};
    Machine m = machine_begin(none);
    BrShapeDef shape = br_default_shape_def();
    shape.body = m.ground, shape.kind = BR_SHAPE_FUNCTION, shape.function = level;
    shape.material = machine_material(&m, "hard", 0.5, 0);
    machine_add_shape(&m, &shape);
    expect(&m, "body 'ground' has a surface that is a function in C");

    m = machine_begin(none);
    BrLawDef law = br_default_law_def();
    law.name = "mine", law.kind = BR_LAW_FRICTION, law.dry.holds = hold, law.dry.slides = slide;
    assert_int_equal(br_model_add_law(m.model, &law, NULL), BR_OK);
    BrMaterialDef material = br_default_material_def();
    material.name = "steel", material.surface.friction = br_model_law(m.model, BR_LAW_FRICTION, "mine");
    machine_add_material(&m, &material);
    expect(&m, "'steel' has the law 'mine' of a program in C");

    m = machine_begin(none);
    BrBodyDef body = br_default_body_def();
    body.name = "stage", body.kind = BR_BODY_KINEMATIC;
    machine_add_body(&m, &body);
    expect(&m, "body 'stage' is kinematic and no motion moves it");

    m = machine_begin(none);
    BrBodyId bob = machine_body(&m, "bob", 1, diagonal(1, 1, 1), none);
    machine_line_spring(&m, "odd", m.ground, bob, -5, 0, 1);
    expect(&m, "stiffness is -5; it must not be negative");
}

/* Into a file, which is whole or not there. */
static void files_are_written_whole(void **unused) {
    (void)unused;
    char file[64];
    BrError error;
    BrScene *scene;
    Machine m = machine_begin(vec(0, 0, -9.81));
    machine_body(&m, "bob", 0.1, diagonal(1, 1, 1), vec(0.3, 0, 0));
    machine_ready(&m);
    BrRunDef run = run_of(m.model);
    name_new_file(".yaml", file);
    if (br_model_write_scene(m.model, &run, file, &error) != BR_OK) fail_msg("%s", error.text);
    if (br_scene_load(file, NULL, &scene, &error) != BR_OK) fail_msg("%s", error.text);
    assert_true(br_model_fingerprint(br_scene_model(scene)) == br_model_fingerprint(m.model));
    br_scene_destroy(scene);
    assert_int_equal(br_model_write_scene(m.model, &run, "/nowhere/at/all.yaml", &error), BR_IO);
    assert_non_null(strstr(error.text, "cannot write the scene '/nowhere/at/all.yaml'"));
    run.step.cookie = 0;
    assert_int_equal(br_model_write_scene(m.model, &run, file, &error), BR_INVALID_DEF);
    remove(file);
    machine_end(&m);
}

/* ------------------------------------------------------------------ recordings of them */

/* A pendulum made here: what is recorded is the motion, and the scene that comes with it makes it again, bit by bit. */
static void what_is_recorded_can_be_made_again(void **unused) {
    (void)unused;
    enum { ROWS = 50 };
    char file[64];
    double swing[ROWS][3];
    BrError error;
    Machine m = machine_begin(vec(0, 0, -9.81));
    BrBodyId bob = machine_body(&m, "bob", 1, diagonal(0.1, 0.1, 0.1), vec(0.3, 0, 0));
    machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, bob, vec(0, 0, 0), vec(0, 1, 0));
    machine_ready(&m);
    name_new_file(".h5", file);
    BrRecordDef def = br_default_record_def();
    def.run = run_of(m.model);
    def.rows = ROWS;
    BrRecorder *recorder;
    BrRecording *recording;
    if (br_recorder_open(m.model, &def, file, &recorder, &error) != BR_OK) fail_msg("%s", error.text);
    for (int i = 0; i < ROWS; i++) {
        BrStepReport report = machine_steps(&m, &def.run.step, 1);
        assert_int_equal(br_recorder_write(recorder, m.workspace, m.state, &report, 0, NULL), BR_OK);
    }
    assert_int_equal(br_recorder_close(recorder, NULL), BR_OK);

    assert_int_equal(br_recording_open(file, &recording, NULL), BR_OK);
    assert_int_equal(br_recording_read(recording, "bob.position", swing[0], NULL), BR_OK);
    const char *text = br_recording_scene(recording);
    BrScene *scene;
    if (br_scene_parse(text, strlen(text), "recorded", NULL, &scene, &error) != BR_OK) fail_msg("%s", error.text);
    const BrModel *again = br_scene_model(scene);
    BrStepDef step = br_scene_run_def(scene).step;
    BrState *state;
    BrWorkspace *workspace;
    assert_int_equal(br_state_create(again, &state, NULL), BR_OK);
    assert_int_equal(br_workspace_create(again, &workspace, NULL), BR_OK);
    assert_int_equal(br_state_assemble(again, workspace, state, NULL, NULL), BR_OK);
    for (int i = 0; i < ROWS; i++) {
        BrPose pose;
        assert_int_equal(br_step(again, workspace, state, &step, NULL, NULL), BR_OK);
        br_body_pose(again, state, br_model_find_body(again, "bob"), &pose);
        assert_memory_equal(&pose.position, swing[i], sizeof pose.position);
    }
    assert_true(br_state_hash(state) == br_state_hash(m.state));
    assert_true(fabs(swing[0][2] - swing[ROWS - 1][2]) > 1e-3);
    br_workspace_destroy(again, workspace);
    br_state_destroy(again, state);
    br_scene_destroy(scene);
    br_recording_close(recording);
    remove(file);
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_read_back),
        cmocka_unit_test(random_machines_read_back),
        cmocka_unit_test(odd_things_read_back),
        cmocka_unit_test(c_has_other_orders),
        cmocka_unit_test(what_scenes_cannot_hold_is_named),
        cmocka_unit_test(files_are_written_whole),
        cmocka_unit_test(what_is_recorded_can_be_made_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
