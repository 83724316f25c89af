/* Scenes that say things once: blocks repeated, parts placed, files included, defaults filled in. Each is compared with
 * what a patient user would have written out: the same model to the bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/bushing.h"
#include "counting.h"
#include "machine.h"
#include "scene_support.h"
#include "scene_text.h"
#include "workload.h"

/* ------------------------------------------------------------------ help */

/* Both texts are the same model. */
static void check_same(const char *brief, const char *written) {
    BrScene *a = parse(brief), *b = parse(written);
    if (find_print(a) != find_print(b)) fail_msg("not the same:\n%s\n%s", br_scene_expanded(a), written);
    br_scene_destroy(a);
    br_scene_destroy(b);
}

static void check_set_refused(const char *text, const char *set, const char *words) {
    BrSceneOptions options = br_default_scene_options();
    BrScene *scene = NULL;
    BrError error = {0};
    options.set = &set;
    options.sets = 1;
    assert_true(br_scene_parse(text, strlen(text), "scene.yaml", &options, &scene, &error) < 0);
    if (!strstr(error.text, words)) fail_msg("'%s' is not in '%s'", words, error.text);
}

static const BrJointDef *find_joint(const BrScene *scene, const char *name) {
    const BrModel *model = br_scene_model(scene);
    const BrJointDef *def = br_joint_def(model, br_model_find_joint(model, name));
    if (!def) fail_msg("there is no joint '%s'", name);
    return def;
}

/* ------------------------------------------------------------------ dominoes */

/* A row of them, the first one pushed: 20 lines. */
static const char DOMINOES[] = BEGIN "title: dominoes\n"
                                     "parameters:\n"
                                     "  n: 100\n"
                                     "  h: 60 mm\n"
                                     "  w: 30 mm\n"
                                     "  d: 8 mm\n"
                                     "  pitch: 25 mm\n"
                                     "  m: 10 g\n"
                                     "step: {scheme: moreau, dt: 1 ms, until: 1 s}\n"
                                     "materials: {wood: {friction: {law: coulomb, mu: 0.4}}}\n"
                                     "defaults:\n"
                                     "  shapes: {material: wood}\n"
                                     "  bodies:\n"
                                     "    mass: m\n"
                                     "    inertia: [m*(w^2 + h^2)/12, m*(d^2 + h^2)/12, m*(w^2 + d^2)/12]\n"
                                     "bodies:\n"
                                     "  table: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}\n"
                                     "  domino_{i}:\n"
                                     "    repeat: {i: 0:n-1}\n"
                                     "    pose: {position: [i*pitch, 0, h/2]}\n"
                                     "    shapes: [{box: {size: [d, w, h]}}]\n"
                                     "forces: {push: {body: domino_0, force: [0.2, 0, 0], at_body: [0, 0, h/2]}}\n";

static char *write_dominoes(int count) {
    double h = 60 / 1000.0, w = 30 / 1000.0, d = 8 / 1000.0, pitch = 25 / 1000.0, m = 10 / 1000.0;
    Text text = begin_text(BEGIN "step: {scheme: moreau, dt: 0.001, until: 1}\n"
                                 "materials: {wood: {friction: {law: coulomb, mu: 0.4}}}\n"
                                 "bodies:\n"
                                 "  table: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: wood}]}\n");
    for (int i = 0; i < count; i++)
        append(
            &text,
            "  domino_%d: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], pose: {position: [%.17g, 0, %.17g]}, shapes: "
            "[{box: {size: [%.17g, %.17g, %.17g]}, material: wood}]}\n",
            i, m, m * (w * w + h * h) / 12, m * (d * d + h * h) / 12, m * (w * w + d * d) / 12, i * pitch, h / 2, d, w,
            h);
    append(&text, "forces: {push: {body: domino_0, force: [0.2, 0, 0], at_body: [0, 0, %.17g]}}\n", h / 2);
    return text.bytes;
}

/* The state's hash after some steps. */
static uint64_t move(const BrScene *scene, int steps) {
    const BrModel *model = br_scene_model(scene);
    BrStepDef def = br_scene_run_def(scene).step;
    BrState *state = NULL;
    BrWorkspace *workspace = NULL;
    BrError error = {0};
    BrStatus status = br_state_create(model, &state, &error);
    if (status == BR_OK) status = br_workspace_create(model, &workspace, &error);
    for (int i = 0; status >= 0 && i < steps; i++) status = br_step(model, workspace, state, &def, NULL, &error);
    if (status < 0) fail_msg("%s", error.text);
    uint64_t hash = br_state_hash(state);
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
    return hash;
}

static void test_dominoes(void **state) {
    (void)state;
    BrScene *brief = parse(DOMINOES);
    char *text = write_dominoes(100);
    BrScene *written = parse(text);
    assert_int_equal(br_model_body_count(br_scene_model(brief)), 101);
    assert_true(find_print(brief) == find_print(written));
    int steps = is_slow_run() ? 2 : 30;
    assert_true(move(brief, steps) == move(written, steps));
    check_expanded(brief);
    br_scene_destroy(brief);
    br_scene_destroy(written);
    free(text);
}

static void test_counts(void **state) {
    (void)state;
    static const char *const SETS[] = {"parameters.n=0", "parameters.n=1", "parameters.n=10", "parameters.n=1000"};
    static const int COUNTS[] = {0, 1, 10, 1000};
    for (int k = 0; k < 4; k++) {
        const char *set[2] = {SETS[k], "forces={}"};
        BrScene *scene = parse_with(DOMINOES, 2, set);
        assert_int_equal(br_model_body_count(br_scene_model(scene)), 1 + COUNTS[k]);
        for (int i = 0; i < COUNTS[k]; i++) {
            char name[32];
            snprintf(name, sizeof name, "domino_%d", i);
            check_vector(find_body(scene, name)->position, i * (25 / 1000.0), 0, 60 / 1000.0 / 2, 0);
        }
        br_scene_destroy(scene);
    }
}

/* s of CPU for a row of so many */
static double time_row(int count) {
    char set[40];
    const char *sets[2] = {set, "forces={}"};
    snprintf(set, sizeof set, "parameters.n=%d", count);
    double start = read_cpu_clock();
    br_scene_destroy(parse_with(DOMINOES, 2, sets));
    return read_cpu_clock() - start;
}

static void test_work_is_proportional(void **state) {
    (void)state;
    assert_true(is_proportional(time_row, is_slow_run() ? 1600 : 9600));
}

/* ------------------------------------------------------------------ repeat */

static void test_ranges(void **state) {
    (void)state;
    check_same(BEGIN "bodies:\n  b{i}: {repeat: {i: 1:2:6}, " MASS "}\n",
               BEGIN "bodies: {b1: {" MASS "}, b3: {" MASS "}, b5: {" MASS "}}");
    check_same(BEGIN "bodies:\n  b{i}: {repeat: {i: 2:-1:0}, " MASS ", pose: {position: [3-i, 2^i, i]}}\n",
               BEGIN "bodies: {b2: {" MASS ", pose: {position: [1, 4, 2]}}, b1: {" MASS
                     ", pose: {position: [2, 2, 1]}}, b0: {" MASS ", pose: {position: [3, 1, 0]}}}");
    /* a negative index keeps to itself, as 2^-1 and (-1)^2 do */
    check_same(BEGIN "bodies:\n  b{i+1}: {repeat: {i: -1:0}, " MASS ", pose: {position: [2^i, i^2, 3-i]}}\n", BEGIN
               "bodies: {b0: {" MASS ", pose: {position: [0.5, 1, 4]}}, b1: {" MASS ", pose: {position: [1, 0, 3]}}}");
    check_same(BEGIN "parameters: {n: 1}\nbodies:\n  b{i}_{2*j+n}: {repeat: {i: 0:1, j: 0:i}, " MASS
                     ", pose: {position: [i, j, 10*i + j]}}\n",
               BEGIN "parameters: {n: 1}\nbodies: {b0_1: {" MASS "}, b1_1: {" MASS
                     ", pose: {position: [1, 0, 10]}}, b1_3: {" MASS ", pose: {position: [1, 1, 11]}}}");
    check_same(BEGIN "bodies:\n  a: {" MASS "}\n  b{i}: {repeat: {i: 1:0}, " MASS "}\n",
               BEGIN "bodies: {a: {" MASS "}}");
}

/* The m of "2 m" is a metre, that of "m*2" the index. */
static void test_units_are_no_names(void **state) {
    (void)state;
    check_same(BEGIN "bodies:\n  b{m}: {repeat: {m: 3:3}, " MASS
                     ", pose: {position: [2 m, m*2, \"m*1.5e1 mm + 2m\"]}}\n",
               BEGIN "bodies: {b3: {" MASS ", pose: {position: [2, 6, 2.045]}}}");
    /* a number and a name side by side stay a mistake */
    check_refused(BEGIN "bodies:\n  b{i}: {repeat: {i: 1:1}, " MASS ", pose: {position: [2i, 0, 0]}}\n", 3, 76,
                  "bodies 'b1' (i = 1): position: found \"i\"");
    check_refused(BEGIN "bodies:\n  b{i}: {repeat: {i: 1:1}, " MASS ", pose: {position: [i 2, 0, 0]}}\n", 3, 79,
                  "bodies 'b1' (i = 1): position: found \"2\"");
    check_refused(BEGIN "bodies:\n  b{i}: {repeat: {i: 1:1}, " MASS ", pose: {position: [i mm, 0, 0]}}\n", 3, 79,
                  "found \"mm\"");
}

/* A machine with everything that can be repeated. */
static void test_all_sections(void **state) {
    (void)state;
    static const char BRIEF[] = BEGIN
        "materials:\n"
        "  wood_{i}: {repeat: {i: 0:1}, friction: {law: coulomb, mu: 0.1*(i+1)}}\n"
        "pairs:\n"
        "  - {repeat: {i: 0:0, j: 1:1}, between: [\"wood_{i}\", \"wood_{j}\"], friction: {law: coulomb, mu: 0.3}}\n"
        "bodies:\n"
        "  ground: {fixed: true}\n"
        "  link_{i}:\n"
        "    repeat: {i: 1:3}\n"
        "    mass: 1\n"
        "    inertia: [1, 1, 1]\n"
        "    pose: {position: [i - 0.5, 0, 0]}\n"
        "    shapes:\n"
        "      - {repeat: {k: 0:1}, sphere: {radius: 0.01*(k+i)}, at: [0, 0, k], material: \"wood_{k}\"}\n"
        "  cam:\n"
        "    mass: 1\n"
        "    inertia: [1, 1, 1]\n"
        "    pose: {position: [0, 9, 0]}\n"
        "    shapes:\n"
        "      - extrusion:\n"
        "          length: 0.1\n"
        "          points:\n"
        "            - {repeat: {k: 0:11}, item: [\"cos(k*30 deg)\", \"1.2*sin(k*30 deg)\"]}\n"
        "        material: wood_0\n"
        "joints:\n"
        "  first: {revolute: [ground, link_1], at: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  j_{i}: {repeat: {i: 2:3}, revolute: [\"link_{i-1}\", \"link_{i}\"], at: [i - 1, 0, 0], axis: [0, 1, 0]}\n"
        "springs:\n"
        "  s_{i}: {repeat: {i: 2:3}, joint: \"j_{i}\", stiffness: 10*i}\n"
        "motors:\n"
        "  m_{i}: {repeat: {i: 2:2}, joint: \"j_{i}\", speed: i, max_torque: 5}\n"
        "motions:\n"
        "  x_{i}: {repeat: {i: 3:3}, joint: \"j_{i}\", position: {table: [{repeat: {k: 0:2}, item: [k, i*k]}]}}\n"
        "forces:\n"
        "  f_{i}: {repeat: {i: 1:3}, body: \"link_{i}\", force: [0, 0, \"i*sin(i*t)\"]}\n"
        "filters:\n"
        "  - {repeat: {i: 1:3}, never: [cam, \"link_{i}\"]}\n";
    Text text = begin_text(BEGIN "materials: {wood_0: {friction: {law: coulomb, mu: 0.1*1}}, wood_1: {friction: {law: "
                                 "coulomb, mu: 0.1*2}}}\n"
                                 "pairs: [{between: [wood_0, wood_1], friction: {law: coulomb, mu: 0.3}}]\n"
                                 "bodies:\n  ground: {fixed: true}\n");
    for (int i = 1; i <= 3; i++)
        append(&text,
               "  link_%d: {" MASS
               ", pose: {position: [%d - 0.5, 0, 0]}, shapes: [{sphere: {radius: 0.01*%d}, material: "
               "wood_0}, {sphere: {radius: 0.01*%d}, at: [0, 0, 1], material: wood_1}]}\n",
               i, i, i, i + 1);
    append(&text, "  cam: {" MASS ", pose: {position: [0, 9, 0]}, shapes: [{extrusion: {length: 0.1, points: [");
    for (int k = 0; k < 12; k++) append(&text, "[cos(%d*30 deg), 1.2*sin(%d*30 deg)]%s", k, k, k < 11 ? ", " : "");
    append(&text, "]}, material: wood_0}]}\n"
                  "joints:\n"
                  "  first: {revolute: [ground, link_1], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                  "  j_2: {revolute: [link_1, link_2], at: [1, 0, 0], axis: [0, 1, 0]}\n"
                  "  j_3: {revolute: [link_2, link_3], at: [2, 0, 0], axis: [0, 1, 0]}\n"
                  "springs: {s_2: {joint: j_2, stiffness: 20}, s_3: {joint: j_3, stiffness: 30}}\n"
                  "motors: {m_2: {joint: j_2, speed: 2, max_torque: 5}}\n"
                  "motions: {x_3: {joint: j_3, position: {table: [[0, 0], [1, 3], [2, 6]]}}}\n"
                  "forces: {f_1: {body: link_1, force: [0, 0, 1*sin(1*t)]}, f_2: {body: link_2, force: [0, 0, "
                  "2*sin(2*t)]}, f_3: {body: link_3, force: [0, 0, 3*sin(3*t)]}}\n"
                  "filters: [{never: [cam, link_1]}, {never: [cam, link_2]}, {never: [cam, link_3]}]\n");
    check_same(BRIEF, text.bytes);
    BrScene *scene = parse(BRIEF);
    check_expanded(scene);
    br_scene_destroy(scene);
    free(text.bytes);
}

static void test_repeat_refused(void **state) {
    (void)state;
#define ONE(repeat) BEGIN "bodies:\n  b{i}: {repeat: " repeat ", " MASS "}\n"
    check_refused(ONE("3"), 3, 18, "repeat names 1 to 8 indexes and their ranges, like {i: 0:9}");
    check_refused(ONE("{i: 5}"), 3, 22, "index 'i' runs from first to last: write first:last or first:step:last");
    check_refused(ONE("{i: 0:1:2:3}"), 3, 22, "index 'i' runs from first to last");
    check_refused(ONE("{i: [0, 1]}"), 3, 22, "index 'i' runs from first to last");
    check_refused(ONE("{i: 0:0:3}"), 3, 22, "index 'i' has the step 0");
    check_refused(ONE("{i: 0:2.5}"), 3, 24, "index 'i': '2.5' is 2.5; it must be a whole number");
    check_refused(ONE("{i: 0:2 m}"), 3, 24, "index 'i': '2 m' is in m, but a number without unit is needed");
    check_refused(ONE("{i: 0:n}"), 3, 24, "index 'i': found \"n\", expected a known name");
    check_refused(ONE("{t: 0:2}"), 3, 19, "'t' has a meaning of its own in expressions; give the index another name");
    check_refused(ONE("{a-b: 0:2}"), 3, 19, "an index's name must be made of letters");
    check_refused(ONE("{i: 0:1, j: 0:1}"), 3, 3,
                  "bodies 'b0' (i = 0, j = 1): bodies 'b0' is there twice: here, and in "
                  "scene.yaml:3:3 (bodies 'b0' (i = 0, j = 0))");
    check_refused(BEGIN "bodies:\n  b: {repeat: {i: 0:1}, " MASS "}\n", 3, 3, "bodies 'b' is there twice");
    check_refused(BEGIN "bodies:\n  b1: {" MASS "}\n  b{i}: {repeat: {i: 1:1}, " MASS "}\n", 4, 3, "scene.yaml:3:3");
    check_refused(BEGIN "parameters: {i: 1}\nbodies:\n  b{i}: {repeat: {i: 1:1}, " MASS "}\n", 4, 19,
                  "the index 'i' is called like a parameter");
    check_refused(BEGIN "bodies:\n  b{i}: {repeat: {i: 1:1}, " MASS ", shapes: [{repeat: {i: 0:1}, point: {}}]}\n", 3,
                  76, "the index 'i' is in use around this block");
    check_refused(BEGIN "bodies:\n  b{i: {" MASS "}\n", 3, 3, "'b{i' has a '{' without '}'");
    check_refused(BEGIN "bodies:\n  b{i}: {" MASS "}\n", 3, 5, "{..} in a name: found \"i\", expected a known name");
    check_refused(BEGIN "filters:\n  - {repeat: {i: 0:1}, item: 3, never: [a, b]}\nbodies: {a: {" MASS "}}\n", 3, 30,
                  "beside 'item' only 'repeat' may stand");
    check_refused(BEGIN "bodies: {a: {" MASS "}}\nfilters: [{never: [a_{i}, b]}]\n", 3, 22,
                  "put a name with {..} in quotes");
    /* mistakes in a copy tell which */
    check_refused(BEGIN "bodies:\n  b{i}:\n    repeat: {i: 0:9}\n    mass: 5 - i\n    inertia: [1, 1, 1]\n", 5, 11,
                  "bodies 'b5' (i = 5): mass is 0 kg");
    check_refused(BEGIN "bodies:\n  b{i}:\n    repeat: {i: 0:9}\n    "
                        "mass: 1\n    inertia: [1, 1, 1]\n    shapes:\n"
                        "      - {repeat: {k: 0:3}, sphere: {radius: 2 - i - k, axis: 3}, material: none}\n",
                  8, 56, "bodies 'b0' (i = 0), shapes (k = 0): unknown key in sphere: 'axis'");
#undef ONE
}

/* A few lines must not ask for more than a large file may hold. */
static void test_growth(void **state) {
    (void)state;
    check_refused(BEGIN "bodies:\n  b{i}_{j}_{k}: {repeat: {i: 0:999, j: 0:999, k: 0:999}, " MASS "}\n", 3, 3,
                  "'b{i}_{j}_{k}' makes the scene larger than the 1000000 values allowed");
    check_refused(BEGIN "bodies:\n  a: {" MASS "}\n  b{i}: {repeat: {i: 0:999999999, j: 1:0}, " MASS "}\n", 4, 3,
                  "'b{i}' makes the scene larger");
    check_refused(BEGIN "filters:\n  - {repeat: {i: 0:999999999}, item: 1}\nbodies: {a: {" MASS "}}\n", 3, 5,
                  "this block makes the scene larger");
    Text text = begin_text(BEGIN "bodies: {a: {" MASS "}}\nuse: {u: {part: p0}, v: {part: p0}}\nparts:\n");
    for (int i = 0; i < 15; i++)
        append(&text, "  p%d: {use: {a: {part: p%d}, b: {part: p%d}, c: {part: p%d}, d: {part: p%d}}}\n", i, i + 1,
               i + 1, i + 1, i + 1);
    append(&text, "  p15: {bodies: {b: {" MASS "}}}\n");
    check_refused(text.bytes, 12, 14,
                  "part 'u', part 'a', part 'a', part 'a', part 'a', part 'a', part 'a', part 'a': 'a' makes the "
                  "scene larger than the 1000000 values allowed");
    free(text.bytes);
    text = begin_text(BEGIN "defaults:\n  springs:\n    free_length: [");
    for (int i = 0; i < 2000; i++) append(&text, "0, ");
    append(&text, "0]\nbodies: {a: {" MASS "}}\nsprings:\n  s{i}: {repeat: {i: 0:1000}, joint: j}\n");
    check_refused(text.bytes, 4, 5, "makes the scene larger");
    free(text.bytes);
}

/* ------------------------------------------------------------------ defaults */

static void test_defaults(void **state) {
    (void)state;
    check_same(
        BEGIN "defaults:\n"
              "  bodies: {mass: 2, inertia: [1, 1, 1], velocity: {linear: [1, 0, 0]}, shapes: [{sphere: {radius: "
              "1}}]}\n"
              "  shapes: {material: wood, at: [0, 0, 1]}\n"
              "  joints: {revolute: {axis: [0, 1, 0], at: [0, 0, 0]}, spherical: {at: [1, 0, 0]}}\n"
              "  springs: {stiffness: 5, damping: 1}\n"
              "  motors: {max_torque: 3}\n"
              "  materials: {restitution: 0.5}\n"
              "materials: {wood: {friction: {law: coulomb, mu: 0.4}}}\n"
              "bodies:\n"
              "  ground: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, at: [0, 0, -9]}]}\n"
              "  belt: {}\n"
              "  a: {}\n"
              "  b: {mass: 7, velocity: {angular: [0, 0, 1]}}\n"
              "  c: {velocity: null, shapes: ~}\n"
              "joints:\n"
              "  j: {revolute: [ground, a]}\n"
              "  k: {revolute: [ground, b], axis: [0, 0, 1]}\n"
              "  l: {spherical: [ground, c]}\n"
              "springs: {s: {joint: j}, r: {joint: k, damping: null}}\n"
              "motors: {m: {joint: j, speed: 1}}\n"
              "motions: {run: {body: belt, velocity: [1, 0, 0]}}\n",
        BEGIN "materials: {wood: {friction: {law: coulomb, mu: 0.4}, restitution: 0.5}}\n"
              "bodies:\n"
              "  ground: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, at: [0, 0, -9], material: wood}]}\n"
              "  belt: {}\n"
              "  a: {mass: 2, inertia: [1, 1, 1], velocity: {linear: [1, 0, 0]}, shapes: [{sphere: {radius: 1}, "
              "material: wood, at: [0, 0, 1]}]}\n"
              "  b: {mass: 7, inertia: [1, 1, 1], velocity: {angular: [0, 0, 1]}, shapes: [{sphere: {radius: 1}, "
              "material: wood, at: [0, 0, 1]}]}\n"
              "  c: {mass: 2, inertia: [1, 1, 1]}\n"
              "joints:\n"
              "  j: {revolute: [ground, a], axis: [0, 1, 0], at: [0, 0, 0]}\n"
              "  k: {revolute: [ground, b], axis: [0, 0, 1], at: [0, 0, 0]}\n"
              "  l: {spherical: [ground, c], at: [1, 0, 0]}\n"
              "springs: {s: {joint: j, stiffness: 5, damping: 1}, r: {joint: k, stiffness: 5}}\n"
              "motors: {m: {joint: j, speed: 1, max_torque: 3}}\n"
              "motions: {run: {body: belt, velocity: [1, 0, 0]}}\n");
    check_refused(BEGIN "defaults: {bodys: {mass: 1}}\nbodies: {}\n", 2, 12, "did you mean 'bodies'?");
    check_refused(BEGIN "defaults: {bodies: 3}\nbodies: {}\n", 2, 20, "defaults of bodies must be a mapping of keys");
    check_refused(BEGIN "defaults: {joints: {axis: [0, 0, 1]}}\njoints: {}\nbodies: {}\n", 2, 21,
                  "unknown key in defaults of joints, by type: 'axis'");
    check_refused(BEGIN "defaults: {joints: {revolute: 1}}\njoints: {}\nbodies: {}\n", 2, 31,
                  "defaults of revolute joints must be a mapping");
    check_refused(BEGIN "defaults: 3\nbodies: {}\n", 2, 11, "defaults must be a mapping");
    /* a mistake in a default stands where the default does */
    check_refused(BEGIN "defaults: {bodies: {mass: -1, inertia: [1, 1, 1]}}\nbodies: {a: {}}\n", 2, 27,
                  "mass is -1 kg");
}

/* ------------------------------------------------------------------ parts */

#define ARM                                                                                                            \
    "  arm:\n"                                                                                                         \
    "    parameters: {L: 2 m, m: 3 kg, n: 2}\n"                                                                        \
    "    ports: [base]\n"                                                                                              \
    "    bodies:\n"                                                                                                    \
    "      rod_{k}: {repeat: {k: 1:n}, mass: m*k, inertia: [m*L^2/12, m*L^2/12, m*L^2/12], pose: {position: [0, 0, "   \
    "-L*k]}}\n"                                                                                                        \
    "    joints:\n"                                                                                                    \
    "      pin: {revolute: [base, rod_1], at: [0, 0, 0], axis: [0, 1, 0]}\n"                                           \
    "    springs: {soft: {joint: pin, stiffness: 3 N m/rad}}\n"                                                        \
    "    forces: {load: {body: rod_1, force: [m*2 m/s^2, 0, \"5*t\"]}}\n"                                              \
    "    filters: [{never: [base, rod_2]}]\n"

static void test_parts(void **state) {
    (void)state;
    static const char BRIEF[] = BEGIN "parameters: {w: 1}\nparts:\n" ARM "bodies: {frame: {fixed: true}}\n"
                                      "use:\n"
                                      "  left: {part: arm, ports: {base: frame}}\n"
                                      "  right: {part: arm, ports: {base: frame}, with: {L: 2*w + 2}, at: [w, 0, 8]}\n"
                                      "joints: {tie: {spherical: [left_rod_2, right_rod_1], at: [0, 0, -4]}}\n";
    static const char WRITTEN[] = BEGIN
        "bodies:\n"
        "  frame: {fixed: true}\n"
        "  left_rod_1: {mass: 3, inertia: [1, 1, 1], pose: {position: [0, 0, -2]}}\n"
        "  left_rod_2: {mass: 6, inertia: [1, 1, 1], pose: {position: [0, 0, -4]}}\n"
        "  right_rod_1: {mass: 3, inertia: [4, 4, 4], pose: {position: [1, 0, 4]}}\n"
        "  right_rod_2: {mass: 6, inertia: [4, 4, 4], pose: {position: [1, 0, 0]}}\n"
        "joints:\n"
        "  tie: {spherical: [left_rod_2, right_rod_1], at: [0, 0, -4]}\n"
        "  left_pin: {revolute: [frame, left_rod_1], at: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  right_pin: {revolute: [frame, right_rod_1], at: [1, 0, 8], axis: [0, 1, 0]}\n"
        "springs: {left_soft: {joint: left_pin, stiffness: 3}, right_soft: {joint: right_pin, stiffness: 3}}\n"
        "forces: {left_load: {body: left_rod_1, force: [6, 0, \"5*t\"]}, right_load: {body: right_rod_1, force: [6, 0, "
        "\"5*t\"]}}\n"
        "filters: [{never: [frame, left_rod_2]}, {never: [frame, right_rod_2]}]\n";
    BrScene *a = parse(BRIEF), *b = parse(WRITTEN);
    const BrModel *m = br_scene_model(a), *n = br_scene_model(b);
    assert_int_equal(br_model_body_count(m), br_model_body_count(n));
    assert_int_equal(br_model_joint_count(m), 3);
    for (int i = 0; i < br_model_body_count(n); i++) {
        const BrBodyDef *want = br_body_def(n, br_model_body(n, i)), *got = find_body(a, want->name);
        assert_true(got->mass == want->mass);
        check_vector(got->position, want->position.x, want->position.y, want->position.z, 0);
        assert_true(memcmp(&got->inertia, &want->inertia, sizeof got->inertia) == 0);
    }
    for (int i = 0; i < 3; i++) {
        const BrJointDef *want = br_joint_def(n, br_model_joint(n, i)), *got = find_joint(a, want->name);
        check_vector(got->at, want->at.x, want->at.y, want->at.z, 0);
        assert_string_equal(br_body_def(m, got->body_a)->name, br_body_def(n, want->body_a)->name);
        assert_string_equal(br_body_def(m, got->body_b)->name, br_body_def(n, want->body_b)->name);
    }
    assert_true(move(a, 3) == move(a, 3));
    check_expanded(a);
    br_scene_destroy(a);
    br_scene_destroy(b);
}

/* Parts of parts, and parts in a row. */
static const char NESTED[] =
    BEGIN "parts:\n"
          "  foot: {parameters: {s: 1}, bodies: {toe: {" MASS ", pose: {position: [s, 0, 0]}}}}\n"
          "  leg:\n"
          "    parameters: {s: 10}\n"
          "    bodies: {shin: {" MASS "}}\n"
          "    use:\n"
          "      f{i}: {repeat: {i: 1:2}, part: foot, with: {s: s+i}, at: [0, i, 0]}\n"
          "    joints: {ankle: {spherical: [shin, f1_toe], at: [0, 0, 0]}}\n"
          "use:\n"
          "  leg{k}: {repeat: {k: 0:1}, part: leg, at: [0, 0, k], with: {s: 100*k}}\n";

static void test_nested_parts(void **state) {
    (void)state;
    BrScene *scene = parse(NESTED);
    assert_int_equal(br_model_body_count(br_scene_model(scene)), 6);
    check_vector(find_body(scene, "leg0_shin")->position, 0, 0, 0, 0);
    check_vector(find_body(scene, "leg0_f2_toe")->position, 2, 2, 0, 0);
    check_vector(find_body(scene, "leg1_f1_toe")->position, 101, 1, 1, 0);
    check_vector(find_joint(scene, "leg1_ankle")->at, 0, 0, 1, 0);
    double value = 0;
    assert_string_equal(br_scene_parameter(scene, 0, &value), "leg0_s");
    check_expanded(scene);
    br_scene_destroy(scene);
}

/* A part with everything that is given in world axes, placed turned and moved, is the part built in a turned world: all
 * that is read of it is R times what it was. A turn by an arbitrary angle; the tolerance is some roundings of 10 m. */
static const char EVERYTHING[] =
    "    bodies:\n"
    "      a: {fixed: true}\n"
    "      b: {mass: 1, inertia: [1, 2, 3], pose: {position: [1, 2, 3], rotate: [{x: 20 deg}]}, velocity: {linear: [3, "
    "0, 1], angular: [0, 2, 0]}}\n"
    "      c: {mass: 1, inertia: [1, 1, 1], pose: {position: [1 + 1, 0.5 m, -2]}}\n"
    "      d: {}\n"
    "      w: {mass: 1, inertia: [1, 1, 1], pose: {position: [7, 7, 7]}}\n"
    "      e: {mass: 1, inertia: [1, 2, 3], pose: {position: [4, 4, 4], quaternion: [0.6, 0, 0.8, 0]}}\n"
    "      o: {mass: 1, inertia: [1, 1, 1], pose: {parent: e, position: [0, 0, 2]}}\n"
    "    frames: {post: {position: [4, 4, 4], rpy: [0.1, 0, 0]}}\n"
    "    joints:\n"
    "      q: {revolute: [a, e], at: {frame: post}, axis: {frame: post, direction: [0, 1, 1]}}\n"
    "      h: {universal: [a, b], at: [1, 2, 2], axis: [1, 1, 0], axis2: [0, 0, 1]}\n"
    "      p: {prismatic: [a, c], at: [0, 0, 1], axis: [0, 1, 0], friction: {law: coulomb, mu: 0.1, guide_width: 1, "
    "guide_length: 1, guide_side: [1, 0, 0]}}\n"
    "    springs: {s: {between: [a, c], stiffness: 1}}\n"
    "    forces:\n"
    "      f: {body: w, force: [1, \"2*t\", 3], torque: [0, 1, 0]}\n"
    "      g: {body: c, force: {table: [[0, 1], [1, 2]]}}\n"
    "    motions: {run: {body: d, position: [\"t\", 1, 0], angular_velocity: [0, 0, 1]}}\n";

static BrVec3 turn(const BrMat3 *R, BrVec3 v) {
    return (BrVec3){R->m[0][0] * v.x + R->m[0][1] * v.y + R->m[0][2] * v.z,
                    R->m[1][0] * v.x + R->m[1][1] * v.y + R->m[1][2] * v.z,
                    R->m[2][0] * v.x + R->m[2][1] * v.y + R->m[2][2] * v.z};
}

static void check_turned(BrVec3 got, const BrMat3 *R, BrVec3 was, double x, double y, double z) {
    BrVec3 want = turn(R, was);
    check_vector(got, want.x + x, want.y + y, want.z + z, 1e-14);
}

/* The forces and poses after a step tell whether loads and motions turned, too. */
static void read_motion(const BrScene *scene, const char *name, BrVec3 *position, BrVec3 *velocity) {
    const BrModel *model = br_scene_model(scene);
    BrStepDef def = br_scene_run_def(scene).step;
    BrState *state = NULL;
    BrWorkspace *workspace = NULL;
    BrError error = {0};
    BrStatus status = br_state_create(model, &state, &error);
    if (status == BR_OK) status = br_workspace_create(model, &workspace, &error);
    for (int i = 0; status >= 0 && i < 20; i++) status = br_step(model, workspace, state, &def, NULL, &error);
    if (status < 0) fail_msg("%s", error.text);
    BrBodyId id = br_model_find_body(model, name);
    BrPose pose;
    BrTwist twist;
    assert_int_equal(br_body_pose(model, state, id, &pose), BR_OK);
    assert_int_equal(br_body_twist(model, state, id, &twist), BR_OK);
    *position = pose.position;
    *velocity = twist.linear;
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
}

static void test_turned_part(void **state) {
    (void)state;
    static const char HEAD[] = BEGIN "gravity: [0, 0, 0]\nstep: {scheme: moreau, dt: 0.01}\nparts:\n  all:\n";
    Text still = begin_text(HEAD), turned = begin_text(HEAD);
    append(&still, "%suse: {u: {part: all}}\n", EVERYTHING);
    append(&turned,
           "%suse: {u: {part: all, at: [10, -5, 0.5 m], rotate: [{z: 40 deg}, {axis: [1, 1, 0], angle: 1}]}}\n",
           EVERYTHING);
    BrScene *a = parse(still.bytes), *b = parse(turned.bytes);
    BrScene *frame =
        parse(BEGIN "bodies: {r: {" MASS ", pose: {rotate: [{z: 40 deg}, {axis: [1, 1, 0], angle: 1}]}}}\n");
    BrMat3 R = find_body(frame, "r")->rotation;
    const BrBodyDef *b_was = find_body(a, "u_b"), *b_is = find_body(b, "u_b");
    check_turned(b_is->position, &R, b_was->position, 10, -5, 0.5);
    check_turned(b_is->velocity, &R, b_was->velocity, 0, 0, 0);
    check_turned(b_is->angular_velocity, &R, b_was->angular_velocity, 0, 0, 0);
    check_turned(find_body(b, "u_e")->position, &R, find_body(a, "u_e")->position, 10, -5, 0.5);
    check_turned(find_body(b, "u_o")->position, &R, find_body(a, "u_o")->position, 10, -5, 0.5);
    check_turned(find_joint(b, "u_q")->at, &R, find_joint(a, "u_q")->at, 10, -5, 0.5);
    check_turned(find_joint(b, "u_q")->axis, &R, find_joint(a, "u_q")->axis, 0, 0, 0);
    for (int k = 0; k < 3; k++) {
        BrVec3 was = {b_was->rotation.m[0][k], b_was->rotation.m[1][k], b_was->rotation.m[2][k]};
        check_turned((BrVec3){b_is->rotation.m[0][k], b_is->rotation.m[1][k], b_is->rotation.m[2][k]}, &R, was, 0, 0,
                     0);
    }
    check_turned(find_body(b, "u_a")->position, &R, (BrVec3){0, 0, 0}, 10, -5, 0.5);
    check_turned(find_joint(b, "u_h")->at, &R, find_joint(a, "u_h")->at, 10, -5, 0.5);
    check_turned(find_joint(b, "u_h")->axis, &R, find_joint(a, "u_h")->axis, 0, 0, 0);
    check_turned(find_joint(b, "u_h")->axis_b, &R, find_joint(a, "u_h")->axis_b, 0, 0, 0);
    check_turned(find_joint(b, "u_p")->friction.guide_side, &R, find_joint(a, "u_p")->friction.guide_side, 0, 0, 0);
    BrVec3 down = br_spring_def(br_scene_model(b), br_model_find_spring(br_scene_model(b), "u_s"))->direction_at_zero;
    check_turned(down, &R, (BrVec3){0, 0, -1}, 0, 0, 0);
    static const char *const MOVED[] = {"u_b", "u_c", "u_d", "u_w"};
    for (int k = 0; k < 4; k++) {
        BrVec3 was[2], is[2], want;
        read_motion(a, MOVED[k], &was[0], &was[1]);
        read_motion(b, MOVED[k], &is[0], &is[1]);
        want = turn(&R, was[0]);
        check_vector(is[0], want.x + 10, want.y - 5, want.z + 0.5, 1e-12); /* 20 steps of roundings of 10 m */
        want = turn(&R, was[1]);
        check_vector(is[1], want.x, want.y, want.z, 1e-11); /* of positions over dt */
    }
    check_expanded(b);
    br_scene_destroy(a);
    br_scene_destroy(b);
    br_scene_destroy(frame);
    free(still.bytes);
    free(turned.bytes);
}

/* Quarter turns only exchange components, to the bit; bodies stand on a frame, whose turn is rounded. */
/* Where a bushing sits, and its axis, go with the part. */
static void test_turned_bushing(void **state) {
    (void)state;
    BrScene *scene =
        parse(BEGIN "bodies: {g: {fixed: true}}\n"
                    "parts:\n  p:\n    ports: [base]\n    bodies: {a: {" MASS "}}\n"
                    "    springs: {b: {bushing: [base, a], at: [0.1, 0, 0], axis: [1, 0, 0], stiffness: [1, 2, 3]}}\n"
                    "use: {u: {part: p, ports: {base: g}, at: [1, 2, 3], rotate: [{z: 90 deg}]}}\n");
    const BrModel *model = br_scene_model(scene);
    const BrBushingDef *def = br_bushing_def(model, br_model_bushing(model, 0));
    assert_non_null(def);
    check_vector(def->at, 1, 2.1, 3, 1e-15);
    check_vector(def->axis, 0, 1, 0, 1e-15);
    br_scene_destroy(scene);
}

static void test_quarter_turn(void **state) {
    (void)state;
    BrScene *scene = parse(BEGIN "parts:\n  p:\n    parameters: {q: 3}\n"
                                 "    bodies: {a: {" MASS ", pose: {position: [1, q, 0.1]}}, b: {" MASS "}}\n"
                                 "    joints: {j: {spherical: [a, b], at: [1, q, 0.1]}}\n"
                                 "use: {u: {part: p, rotate: [{z: 90 deg}]}, v: {part: p, rotate: [{x: 180 deg}]}}\n");
    check_vector(find_joint(scene, "u_j")->at, -3, 1, 0.1, 0);
    check_vector(find_joint(scene, "v_j")->at, 1, -3, -0.1, 0);
    check_vector(find_body(scene, "u_a")->position, -3, 1, 0.1, 1e-15);
    check_vector(find_body(scene, "v_a")->position, 1, -3, -0.1, 1e-15);
    br_scene_destroy(scene);
}

/* Names are found where expressions, frames, memories and couplings have them, too; what only looks like one is not. */
static void test_names_of_parts(void **state) {
    (void)state;
    check_same(
        BEGIN "materials: {m: {friction: {law: coulomb, mu: 1}, compliant: {normal: {law: kelvin-voigt, stiffness: "
              "1e5}, friction: {law: dwell, mu_s: 0.5, mu_k: 0.4}}}}\n"
              "bodies: {g: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: m}]}}\n"
              "parts:\n"
              "  p:\n"
              "    ports: [g]\n"
              "    frames: {place: {parent: x, position: [0, 0, 2]}}\n"
              "    bodies:\n"
              "      x: {" MASS ", shapes: [{sphere: {radius: 0.1}, material: m}]}\n"
              "      m: {" MASS ", pose: {parent: place, rpy: [0.1, 0, 0]}}\n"
              "      n_{i}: {repeat: {i: 1:2}, " MASS ", pose: {position: [9, i, 9]}}\n"
              "    joints:\n"
              "      h: {revolute: [g, m], at: {frame: place}, axis: [0, 1, 0]}\n"
              "      k_{i}: {repeat: {i: 1:2}, revolute: [g, \"n_{i}\"], at: [9, i, 9], axis: [0, 1, 0]}\n"
              "    couplings: {c: {gear: [k_1, k_2], ratio: 2}}\n"
              "    signals:\n"
              "      s: 3*m.position.x - h.velocity + bodies.x.velocity.z + x.g.force.z\n"
              "      r_{i}: {repeat: {i: 1:2}, table: [[0, 1], [1, i]], over: \"n_{i}.position.x - i\"}\n"
              "    forces: {f: {body: x, force: [s + r_1*2, 0, \"sin(t)\"]}}\n"
              "    springs: {y: {joint: h, stiffness: \"50 + abs(x)\"}}\n"
              "    memory: {x/g: {s_dw: 1}}\n"
              "use: {u: {part: p, ports: {g: g}}}\n",
        BEGIN "materials: {m: {friction: {law: coulomb, mu: 1}, compliant: {normal: {law: kelvin-voigt, stiffness: "
              "1e5}, friction: {law: dwell, mu_s: 0.5, mu_k: 0.4}}}}\n"
              "bodies:\n"
              "  g: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: m}]}\n"
              "  u_x: {" MASS ", shapes: [{sphere: {radius: 0.1}, material: m}]}\n"
              "  u_m: {" MASS ", pose: {parent: u_x, position: [0, 0, 2], rpy: [0.1, 0, 0]}}\n"
              "  u_n_1: {" MASS ", pose: {position: [9, 1, 9]}}\n"
              "  u_n_2: {" MASS ", pose: {position: [9, 2, 9]}}\n"
              "joints:\n"
              "  u_h: {revolute: [g, u_m], at: [0, 0, 2], axis: [0, 1, 0]}\n"
              "  u_k_1: {revolute: [g, u_n_1], at: [9, 1, 9], axis: [0, 1, 0]}\n"
              "  u_k_2: {revolute: [g, u_n_2], at: [9, 2, 9], axis: [0, 1, 0]}\n"
              "couplings: {u_c: {gear: [u_k_1, u_k_2], ratio: 2}}\n"
              "signals:\n"
              "  u_s: 3*u_m.position.x - u_h.velocity + bodies.u_x.velocity.z + u_x.g.force.z\n"
              "  u_r_1: {table: [[0, 1], [1, 1]], over: u_n_1.position.x - 1}\n"
              "  u_r_2: {table: [[0, 1], [1, 2]], over: u_n_2.position.x - 2}\n"
              "forces: {u_f: {body: u_x, force: [u_s + u_r_1*2, 0, \"sin(t)\"]}}\n"
              "springs: {u_y: {joint: u_h, stiffness: \"50 + abs(x)\"}}\n"
              "memory: {u_x/g: {s_dw: 1}}\n");
}

static void test_parts_refused(void **state) {
    (void)state;
#define P(part, use) BEGIN "bodies: {g: {fixed: true}}\nparts: {p: {" part "}}\nuse: {" use "}\n"
    check_refused(P("", "u: {part: q}"), 4, 17, "unknown part 'q'; did you mean 'p'?");
    check_refused(BEGIN "bodies: {}\nuse: {u: {part: q}}\n", 3, 17, "there is no part 'q': the scene has no parts");
    check_refused(P("", "u: {at: [0, 0, 0]}"), 4, 7, "use 'u' needs 'part'");
    check_refused(P("", "u: 3"), 4, 10, "use 'u' must be a mapping like {part: ...}");
    check_refused(P("", "u: {part: p, att: [0, 0, 0]}"), 4, 20, "did you mean 'at'?");
    check_refused(P("", "u-v: {part: p}"), 4, 7,
                  "'u-v' begins the names of what is placed, parameters too: use letters");
    check_refused(P("", "u: {part: p, with: 3}"), 4, 26, "with must be a mapping of the part's parameters");
    check_refused(P("", "u: {part: p, with: {L: 3}}"), 4, 27, "the part 'p' has no parameters, so 'L' cannot be given");
    check_refused(P("parameters: {len: 1}", "u: {part: p, with: {leng: 3}}"), 4, 27, "did you mean 'len'?");
    check_refused(P("parameters: {L: 1}", "u: {part: p, with: {L: k}}"), 4, 30, "parameter 'L': found \"k\"");
    check_refused(P("parameters: {L: k}", "u: {part: p}"), 3, 29, "parameter 'L': found \"k\"");
    check_refused(P("ports: [h]", "u: {part: p}"), 4, 7,
                  "has a port 'h', which needs a body: add 'ports: {h: name of a body}'");
    check_refused(P("ports: h", "u: {part: p}"), 3, 20, "the ports of a part are a list of names");
    check_refused(P("", "u: {part: p, ports: {h: g}}"), 4, 27, "the part 'p' has 0 ports, but 1 are given");
    check_refused(P("ports: [b], bodies: {b: {" MASS "}}", "u: {part: p, ports: {b: g}}"), 3, 21,
                  "the port 'b' is called like something in the part");
    check_refused(P("parameters: {b: 1}, bodies: {b: {" MASS "}}", "u: {part: p}"), 3, 42,
                  "'b' is a parameter of the part, too");
    check_refused(P("bodies: {b: {" MASS "}}", "u: {part: p}, u_: {part: p}, 'u{1}': {part: p}, u1: {part: p}"), 4, 55,
                  "use 'u1' is there twice");
    check_refused(BEGIN "bodies: {u_b: {" MASS "}}\nparts: {p: {bodies: {b: {" MASS "}}}}\nuse: {u: {part: p}}\n", 3,
                  22, "part 'u': bodies 'u_b' is there twice: here, and in scene.yaml:2:10");
    check_refused(BEGIN
                  "bodies: {}\nparts:\n  a: {use: {x: {part: b}}}\n  b: {use: {y: {part: a}}}\nuse: {u: {part: a}}\n",
                  5, 13, "the part 'a' contains itself: a > b > a; break the circle");
    check_refused(P("bodies: {b: {mass: L, inertia: [1, 1, 1]}}", "u: {part: p}"), 3, 32,
                  "part 'u': mass: found \"L\", expected a known name");
    check_refused(P("bodies: {b{i}: {}}", "u: {part: p}"), 3, 23, "put a name with {..} in quotes");
    check_refused(P("bodies: {b: {" MASS
                    "}}, forces: {f: {body: b, force: [1, {sine: {amplitude: 1, frequency: 1}}, 0]}}",
                    "u: {part: p, rotate: [{x: 1}]}"),
                  3, 90, "a part that is placed with 'at' or 'rotate' has numbers or expressions here");
    check_refused(P("bodies: {b: {" MASS "}}, forces: {f: {body: b, force: {table: [[0, 1, 2, 3]]}}}",
                    "u: {part: p, rotate: [{x: 1}]}"),
                  3, 86, "a table with rows [t, x, y, z] cannot be turned with the part");
    check_refused(P("", "u: {part: p, at: [0, 0]}"), 4, 24, "at must be a list of three numbers");
    check_refused(P("", "u: {part: p, rotate: 3}"), 4, 28, "rotate must be a list of rotations");
    check_refused(BEGIN "bodies: {}\nparts: 3\nuse: {u: {part: p}}\n", 3, 8, "parts must be a mapping");
    check_refused(BEGIN "bodies: {}\nparts: {p: 3}\nuse: {u: {part: p}}\n", 3, 12,
                  "a scene without a file has no folder");
    check_refused(BEGIN "bodies: {}\nuse: 3\n", 3, 6, "use must be a mapping like {left: {part: leg");
#undef P
}

/* ------------------------------------------------------------------ --set */

static void test_set(void **state) {
    (void)state;
    static const char TEXT[] =
        BEGIN "parameters: {n: 2}\n"
              "defaults: {bodies: {mass: 1, inertia: [1, 1, 1]}}\n"
              "parts: {arm: {parameters: {L: 1}, bodies: {rod: {pose: {position: [L, 0, 0]}, " MASS "}}}}\n"
              "bodies:\n  b{i}: {repeat: {i: 0:n}, pose: {position: [i, 0, 0]}}\n"
              "use: {u: {part: arm}, v: {part: arm, with: {L: 2}}}\n";
    static const char *const SETS[] = {"use.u.with.L=5",         "use.v.with.L=6",
                                       "parameters.n=3",         "bodies.b{i}.mass=1+i",
                                       "bodies.b1.mass=9",       "defaults.bodies.inertia=[7, 7, 7]",
                                       "bodies.u_rod.mass=20 kg"};
    BrScene *scene = parse_with(TEXT, 7, SETS);
    check_vector(find_body(scene, "u_rod")->position, 5, 0, 0, 0);
    check_vector(find_body(scene, "v_rod")->position, 6, 0, 0, 0);
    assert_true(find_body(scene, "b0")->mass == 1 && find_body(scene, "b1")->mass == 9);
    assert_true(find_body(scene, "b3")->mass == 4 && find_body(scene, "b3")->inertia.m[0][0] == 7);
    assert_true(find_body(scene, "u_rod")->mass == 20 && find_body(scene, "v_rod")->mass == 1);
    check_expanded(scene);
    br_scene_destroy(scene);
    check_set_refused(TEXT, "use.u.with.M=5", "unknown parameter of the part 'M'");
    check_set_refused(TEXT, "use.w.with.L=5", "there is no key 'w' here");
    check_set_refused(TEXT, "bodies.b7.mass=5", "there is no key 'b7' here");
    check_set_refused(TEXT, "bodies.u_rodd.mass=5", "did you mean 'u_rod'?");
    check_set_refused(TEXT, "parameters.u_L=5", "the scene has no parameter 'u_L'");
    check_set_refused(TEXT, "bodies.b1={mass: 3}", "'b1' is there twice");
    check_set_refused(TEXT, "include=a.yaml", "files are included before anything is set");
    check_set_refused(TEXT, "parameters.n=1e8", "makes the scene larger");
}

/* ------------------------------------------------------------------ writing */

/* Whatever a title or a name may hold comes back. */
static void test_written_texts(void **state) {
    (void)state;
    BrScene *scene = parse(BEGIN "title: \"a: \\\"b\\\" \\\\ {c} # \\x07\\t\\x85 \\L\\uFEFF \xC3\xA9 '\"\n"
                                 "bodies: {'- x, y': {" MASS "}, 'true: [': {" MASS "}, \"\xC3\xA9\": {" MASS
                                 "}, '&a': {" MASS "}}\n");
    check_expanded(scene);
    br_scene_destroy(scene);
    Text text = begin_text(BEGIN "bodies:\n  ? ");
    for (int i = 0; i < 100; i++) append(&text, "abcdefghij");
    append(&text, "\n  : {" MASS "}\n");
    BrError error = {0};
    if (br_scene_parse(text.bytes, text.used, "long", NULL, &scene, &error) == BR_OK) {
        check_expanded(scene);
        br_scene_destroy(scene);
    }
    free(text.bytes);
}

/* Every call for memory may fail: the scene is refused, and nothing is left behind. */
static void test_no_memory(void **state) {
    (void)state;
    Counter counter = {0};
    BrSceneOptions options = br_default_scene_options();
    options.allocator = counting_allocator(&counter);
    BrScene *scene = NULL;
    BrStatus status = BR_OUT_OF_MEMORY;
    int64_t step = is_slow_run() ? 7 : 1;
    for (int64_t n = 1; status == BR_OUT_OF_MEMORY; n += step) {
        BrError error = {0};
        counter.calls = 0;
        counter.fail_at = n;
        status = br_scene_parse(NESTED, strlen(NESTED), "scene.yaml", &options, &scene, &error);
        if (status == BR_OK && !br_scene_expanded(scene)) status = BR_OUT_OF_MEMORY;
        br_scene_destroy(scene);
        scene = NULL;
        assert_int_equal(counter.live, 0);
    }
    assert_int_equal(status, BR_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dominoes),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_work_is_proportional),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_units_are_no_names),
        cmocka_unit_test(test_all_sections),
        cmocka_unit_test(test_repeat_refused),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_nested_parts),
        cmocka_unit_test(test_turned_part),
        cmocka_unit_test(test_turned_bushing),
        cmocka_unit_test(test_quarter_turn),
        cmocka_unit_test(test_names_of_parts),
        cmocka_unit_test(test_parts_refused),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_written_texts),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
