/* Bodies as scenes describe them: what they weigh by their shapes, frames apart from the centre of mass, poses on other bodies,
 * and the ways to say how something is turned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counting.h"
#include "machine.h"

#define BEGIN                                                                                                          \
    "bristle: 1\nstep: {scheme: moreau, dt: 1 ms, until: 1 s}\n"                                                       \
    "materials: {steel: {friction: {law: coulomb, mu: 0.3}, density: 7800 kg/m^3}, "                                   \
    "foam: {friction: {law: coulomb, mu: 0.3}}}\n"                                                                     \
    "pairs: [{between: [steel, foam], friction: {law: coulomb, mu: 0.3}}]\n"

/* ------------------------------------------------------------------ help */

static BrScene *parse(const char *text) {
    BrScene *scene = NULL;
    BrError error = {0};
    if (br_scene_parse(text, strlen(text), "s.yaml", NULL, &scene, &error) != BR_OK)
        fail_msg("%d:%d: %s\n%s", error.line, error.column, error.text, text);
    return scene;
}

static const BrBodyDef *find(const BrScene *scene, const char *name) {
    const BrModel *model = br_scene_model(scene);
    const BrBodyDef *def = br_body_def(model, br_model_find_body(model, name));
    assert_non_null(def);
    return def;
}

static void check_near(double got, double wanted, double tolerance) {
    if (!(fabs(got - wanted) <= tolerance)) fail_msg("%.17g instead of %.17g", got, wanted);
}

static void check_place(BrVec3 got, BrVec3 wanted) {
    if (!(norm(sub(got, wanted)) <= 1e-14)) /* coordinates of a few metres, turned twice */
        fail_msg("[%.17g, %.17g, %.17g] instead of [%.17g, %.17g, %.17g]", got.x, got.y, got.z, wanted.x, wanted.y,
                 wanted.z);
}

static void check_turn(const BrMat3 *got, const BrMat3 *wanted) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) check_near(got->m[i][k], wanted->m[i][k], 4e-16 * 4);
}

/* ------------------------------------------------------------------ mass from shapes */

/* A hammer: a handle of the material's density, a head with one of its own, a bolt with a mass, a cap that only touches. */
static void bodies_weigh_what_their_shapes_do(void **state) {
    (void)state;
    BrScene *scene =
        parse(BEGIN "bodies:\n  hammer:\n    pose: {position: [1, 2, 3], rotate: [{z: 90 deg}]}\n    shapes:\n"
                    "    - {capsule: {radius: 10 mm, length: 0.3, axis: [1, 0, 0]}, at: [0.15, 0, 0], "
                    "material: steel}\n"
                    "    - {box: {size: [0.04, 0.04, 0.12]}, at: [0.3, 0, 0], material: foam, density: 19 "
                    "g/cm^3}\n"
                    "    - {point: {}, at: [0.3, 0, 0.06], material: foam, mass: 50 g}\n"
                    "    - {sphere: {radius: 30 mm}, at: [0.3, 0, 0.06], material: steel, mass: 0 kg}\n");
    BrShapeDef handle = br_default_shape_def(), head = br_default_shape_def(), bolt = br_default_shape_def();
    BrMass part[3], all = {0};
    handle.kind = BR_SHAPE_CAPSULE, handle.radius = 0.01, handle.length = 0.3, handle.position_body.x = 0.15;
    handle.rotation_body = turn_about(vec(0, 1, 0), PI / 2);
    head.kind = BR_SHAPE_BOX, head.size = vec(0.04, 0.04, 0.12), head.position_body.x = 0.3;
    bolt.kind = BR_SHAPE_POINT, bolt.position_body = vec(0.3, 0, 0.06);
    assert_int_equal(br_shape_mass(&handle, 7800, &part[0], NULL), BR_OK);
    assert_int_equal(br_shape_mass(&head, 19000, &part[1], NULL), BR_OK);
    assert_int_equal(br_shape_mass_given(&bolt, 0.05, &part[2], NULL), BR_OK);
    for (int i = 0; i < 3; i++) all = br_mass_add(all, part[i]);
    const BrBodyDef *def = find(scene, "hammer");
    check_near(def->mass, all.mass, 1e-14 * all.mass);
    check_place(add(def->position, rotate(&def->rotation, def->frame_body)), vec(1, 2, 3));
    check_place(def->frame_body, scale(-1, all.centre));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) check_near(def->inertia.m[i][k], all.inertia.m[i][k], 1e-14);
    const BrShapeDef *shape = br_shape_def(br_scene_model(scene), br_model_shape(br_scene_model(scene), 1));
    check_place(shape->position_body, sub(vec(0.3, 0, 0), all.centre)); /* shapes went with the frame */
    br_scene_destroy(scene);
}

/* A given mass is spread by volume, or by densities' ratios; a lone disc takes all of it. */
static void given_masses_are_spread(void **state) {
    (void)state;
    BrScene *scene = parse(
        BEGIN "bodies:\n"
              "  even: {mass: 9 kg, shapes: [{box: {size: [1, 1, 1]}, at: [-1, 0, 0], material: foam}, {box: {size: "
              "[2, 1, 1]}, at: [2, 0, 0], material: foam}]}\n"
              "  ratio: {mass: 9 kg, shapes: [{box: {size: [1, 1, 1]}, at: [-1, 0, 0], material: foam, density: 4}, "
              "{box: {size: [2, 1, 1]}, at: [2, 0, 0], material: foam, density: 1}]}\n"
              "  wheel: {mass: 2 kg, shapes: [{disc: {radius: 0.5, axis: [0, 1, 0]}, material: foam}]}\n");
    const BrBodyDef *even = find(scene, "even"), *ratio = find(scene, "ratio"), *wheel = find(scene, "wheel");
    assert_true(even->mass == 9 && ratio->mass == 9 && wheel->mass == 2);
    check_place(even->position, vec(1, 0, 0));  /* (3 * -1 + 6 * 2)/9 */
    check_place(ratio->position, vec(0, 0, 0)); /* (6 * -1 + 3 * 2)/9 */
    check_near(even->inertia.m[1][1], 3. / 6 + 3 * 4. + 6 * (4 + 1) / 12. + 6 * 1., 1e-13);
    check_near(ratio->inertia.m[1][1], 6. / 6 + 6 * 1. + 3 * (4 + 1) / 12. + 3 * 4., 1e-13);
    check_near(wheel->inertia.m[1][1], 2 * 0.25 / 2, 1e-15);
    check_near(wheel->inertia.m[0][0], 2 * 0.25 / 4, 1e-15);
    br_scene_destroy(scene);
}

/* ------------------------------------------------------------------ motion */

static void run(BrScene *scene, int steps, BrPose *pose, BrPose *frame, uint64_t *hash) {
    const BrModel *model = br_scene_model(scene);
    BrState *state = NULL;
    BrWorkspace *workspace = NULL;
    BrError error = {0};
    BrRunDef def = br_scene_run_def(scene);
    assert_int_equal(br_state_create(model, &state, NULL), BR_OK);
    assert_int_equal(br_workspace_create(model, &workspace, NULL), BR_OK);
    if (br_state_assemble(model, workspace, state, NULL, &error) != BR_OK) fail_msg("%s", error.text);
    for (int i = 0; i < steps; i++)
        if (br_step(model, workspace, state, &def.step, NULL, &error) < 0) fail_msg("%s", error.text);
    BrBodyId id = br_model_find_body(model, "hammer");
    br_body_pose(model, state, id, pose);
    br_body_frame(model, state, id, frame);
    if (hash) *hash = br_state_hash(state);
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
}

/* A hinged hammer with springs, a rod and a push, that falls on a floor: by density, by numbers in its frame, and by numbers in
 * its centre of mass. `words` is what is said of the body, `c` where its frame is. */
static BrScene *make_hammer(const char *words, const char *pose, BrVec3 c) {
    char text[4000];
    snprintf(
        text, sizeof text,
        BEGIN
        "bodies:\n  g: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, at: [0, 0, 0.2], material: foam}]}\n"
        "  bob: {mass: 1, inertia: [1, 1, 1], pose: {position: [0, 1, 1]}}\n"
        "  hammer:\n    %s\n    pose: %s\n"
        "    shapes:\n"
        "    - {box: {size: [0.3, 0.03, 0.02]}, at: [%.17g, %.17g, %.17g], material: steel}\n"
        "    - {cylinder: {radius: 0.03, length: 0.1}, at: [%.17g, %.17g, %.17g], material: steel}\n"
        "joints:\n  h: {revolute: [g, hammer], at: [0, 0, 0.4], axis: [0, 1, 0]}\n"
        "  rod: {distance: [bob, hammer], from_body: [0, 0, 0], to_body: [%.17g, %.17g, %.17g]}\n"
        "springs: {s: {between: [g, hammer], from_body: [0, 0, 1], to_body: [%.17g, %.17g, %.17g], stiffness: 9}}\n"
        "forces: {p: {body: hammer, force_body: [0, 0, 2], at_body: [%.17g, %.17g, %.17g]}}\n",
        words, pose, 0.15 + c.x, c.y, c.z, 0.3 + c.x, c.y, 0.02 + c.z, 0.1 + c.x, c.y, 0.01 + c.z, 0.2 + c.x, c.y, c.z,
        0.25 + c.x, c.y, c.z);
    return parse(text);
}

static void motion_does_not_know_how_bodies_were_described(void **state) {
    (void)state;
    const char *pose = "{position: [0, 0, 0.4], rotate: [{z: 20 deg}]}";
    BrScene *by_density = make_hammer("velocity: {}", pose, vec(0, 0, 0));
    const BrBodyDef *d = find(by_density, "hammer");
    char words[2][800], centre[400];
    const double(*J)[3] = d->inertia.m;
    snprintf(words[1], sizeof words[1],
             "mass: %.17g\n    inertia: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]", d->mass,
             J[0][0], J[0][1], J[0][2], J[1][0], J[1][1], J[1][2], J[2][0], J[2][1], J[2][2]);
    snprintf(words[0], sizeof words[0], "center_of_mass: [%.17g, %.17g, %.17g]\n    %.600s", -d->frame_body.x,
             -d->frame_body.y, -d->frame_body.z, words[1]);
    snprintf(centre, sizeof centre, "{position: [%.17g, %.17g, %.17g], rotate: [{z: 20 deg}]}", d->position.x,
             d->position.y, d->position.z);
    assert_true(fabs(J[0][2]) > 1e-6); /* its principal axes are not those of its frame */
    BrScene *by_numbers = make_hammer(words[0], pose, vec(0, 0, 0)),
            *as_before = make_hammer(words[1], centre, d->frame_body);
    BrPose at[3], frame[3];
    uint64_t hash[3];
    const int steps = is_slow_run() ? 200 : 700;
    run(by_density, steps, &at[0], &frame[0], &hash[0]);
    run(by_numbers, steps, &at[1], &frame[1], &hash[1]);
    run(as_before, steps, &at[2], &frame[2], &hash[2]);
    assert_true(hash[0] == hash[1]); /* the same bits */
    assert_true(norm(sub(at[0].position, vec(0, 0, 0.4))) > 0.1);
    assert_true(norm(sub(at[0].position, at[2].position)) < 1e-9); /* rounding, after a blow and some swings */
    assert_true(norm(sub(frame[0].position, vec(0, 0, 0.4))) <
                1e-12); /* the frame is at the hinge, wherever it swings */
    assert_true(norm(sub(frame[2].position, at[2].position)) == 0);
    br_scene_destroy(by_density);
    br_scene_destroy(by_numbers);
    br_scene_destroy(as_before);
}

/* ------------------------------------------------------------------ turns and parents */

static void turns_have_many_words(void **state) {
    (void)state;
    const double h = 0.35, w = cos(h / 2), s = sin(h / 2) / 3; /* about (1, 2, 2)/3 */
    char text[2000];
    snprintf(text, sizeof text,
             BEGIN
             "bodies:\n  axis: {fixed: true, pose: {axis_angle: {axis: [1, 2, 2], angle: %.17g}}}\n"
             "  list: {fixed: true, pose: {rotate: [{axis: [1, 2, 2], angle: %.17g}]}}\n"
             "  four: {fixed: true, pose: {quaternion: [%.17g, %.17g, %.17g, %.17g]}}\n"
             "  digits: {fixed: true, pose: {quaternion: [%.7f, %.7f, %.7f, %.7f]}}\n"
             "  rpy: {fixed: true, pose: {rpy: [0.1, -0.4, 2]}, shapes: [{box: {size: [1, 1, 1]}, rpy: [0.1, 0, 0], "
             "material: foam}]}\n"
             "  steps: {fixed: true, pose: {rotate: [{x: 0.1}, {y: -0.4}, {z: 2}]}}\n"
             "  quarter: {fixed: true, pose: {quaternion: [0.7071067811865476, 0, 0, 0.7071067811865476]}}\n",
             h, h, w, s, 2 * s, 2 * s, w, s, 2 * s, 2 * s);
    BrScene *scene = parse(text);
    BrMat3 wanted = turn_about(vec(1. / 3, 2. / 3, 2. / 3), h);
    check_turn(&find(scene, "axis")->rotation, &wanted);
    check_turn(&find(scene, "list")->rotation, &wanted);
    check_turn(&find(scene, "four")->rotation, &wanted);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) check_near(find(scene, "digits")->rotation.m[i][k], wanted.m[i][k], 3e-7);
    check_turn(&find(scene, "rpy")->rotation, &find(scene, "steps")->rotation);
    BrMat3 quarter = turn_about(vec(0, 0, 1), PI / 2), roll = turn_about(vec(1, 0, 0), 0.1);
    check_turn(&find(scene, "quarter")->rotation, &quarter); /* w comes first, and turns are right-handed */
    check_turn(&br_shape_def(br_scene_model(scene), br_model_shape(br_scene_model(scene), 0))->rotation_body, &roll);
    br_scene_destroy(scene);
}

/* An arm on a turned base, a hand on a frame of the arm: said in any order; a joint and its axis in a frame. */
static void poses_hang_on_parents(void **state) {
    (void)state;
    BrScene *scene = parse(
        BEGIN
        "frames:\n  wrist: {parent: arm, position: [0.5, 0, 0], rotate: [{y: 90 deg}]}\n"
        "  world: {position: [7, 0, 0]}\n"
        "bodies:\n  hand: {mass: 1, inertia: [1, 1, 1], pose: {parent: wrist, position: [0, 0, 0.1]}}\n"
        "  arm: {pose: {parent: base, position: [1, 0, 0], rotate: [{x: 90 deg}]}, mass: 1, inertia: [1, 1, 1], "
        "center_of_mass: [0.2, 0, 0]}\n"
        "  base: {fixed: true, pose: {position: [0, 0, 2], rotate: [{z: 90 deg}]}}\n"
        "joints:\n"
        "  j: {revolute: [arm, hand], at: {frame: wrist, position: [0, 0.1, 0]}, axis: {frame: wrist, direction: [0, "
        "0, 2]}}\n"
        "  b: {universal: [base, arm], at: {frame: arm}, axis: {frame: base, direction: [0, 0, 1]}, axis2: {frame: "
        "base, direction: [1, 0, 0]}}\n"
        "  w: {point_in_plane: [base, hand], at: {frame: world}, axis: [0, 0, 1]}\n");
    const BrModel *model = br_scene_model(scene);
    check_place(find(scene, "base")->position, vec(0, 0, 2));
    check_place(find(scene, "arm")->position, vec(0, 1.2, 2));  /* the centre of mass: its frame is at (0, 1, 2) */
    check_place(find(scene, "hand")->position, vec(0, 1.6, 2)); /* wrist's z along the arm, which is along y */
    /* base: x to y; arm in it about its x, which is the world's y; the wrist about the arm's y, which is the world's z */
    BrVec3 wrist_z = vec(0, 1, 0), wrist_y = vec(0, 0, 1);
    const BrJointDef *j = br_joint_def(model, br_model_find_joint(model, "j")),
                     *b = br_joint_def(model, br_model_find_joint(model, "b")),
                     *w = br_joint_def(model, br_model_find_joint(model, "w"));
    check_place(scale(1 / norm(j->axis), j->axis), wrist_z);
    check_place(j->at, add(vec(0, 1.5, 2), scale(0.1, wrist_y)));
    check_place(b->at, vec(0, 1, 2));
    check_place(b->axis_b, vec(0, 1, 0));
    check_place(w->at, vec(7, 0, 0));
    br_scene_destroy(scene);
}

/* ------------------------------------------------------------------ memory */

/* A crank on a frame, weighed by a profile, whose loop starts turned: whatever allocation fails, nothing stays behind. */
static void any_allocation_may_fail(void **state) {
    (void)state;
    static const char TEXT[] =
        BEGIN "frames: {f: {parent: g, position: [0.2, 0, 0]}}\nbodies:\n  g: {fixed: true}\n"
              "  crank: {shapes: [{extrusion: {points: [[0, 0.1], [-0.1, 0], [0, -0.1], [0.3, 0]], length: 0.1}, "
              "material: steel}]}\n"
              "  rod: {mass: 1, inertia: [1, 1, 1], pose: {parent: f, position: [0.3, 0, 0]}}\n"
              "  piston: {mass: 1, shapes: [{sphere: {radius: 0.1}, material: foam}], pose: {position: [0.8, 0, 0]}}\n"
              "joints:\n  main: {revolute: [g, crank], at: [0, 0, 0], axis: [0, 1, 0], start: 0.1, start_rate: 1}\n"
              "  pin: {revolute: [crank, rod], at: {frame: f}, axis: [0, 1, 0]}\n"
              "  wrist: {revolute: [rod, piston], at: [0.8, 0, 0], axis: [0, 1, 0]}\n"
              "  slide: {prismatic: [g, piston], at: [0.8, 0, 0], axis: [1, 0, 0]}\n";
    const int stride = is_slow_run() ? 7 : 1;
    for (int n = 1;; n += stride) {
        Counter counter = {.fail_at = n};
        BrSceneOptions options = br_default_scene_options();
        options.allocator = counting_allocator(&counter);
        BrScene *scene = NULL;
        BrState *s = NULL;
        BrWorkspace *w = NULL;
        BrError error = {0};
        BrStatus status = br_scene_parse(TEXT, sizeof TEXT - 1, "s.yaml", &options, &scene, &error);
        const BrModel *model = br_scene_model(scene);
        if (status == BR_OK) status = br_state_create(model, &s, &error);
        if (status == BR_OK) status = br_workspace_create(model, &w, &error);
        if (status == BR_OK) status = br_state_assemble(model, w, s, NULL, &error);
        if (status != BR_OK && status != BR_OUT_OF_MEMORY) fail_msg("%d: %s", n, error.text);
        br_workspace_destroy(model, w);
        br_state_destroy(model, s);
        br_scene_destroy(scene);
        assert_int_equal(counter.live, 0);
        if (counter.calls < n) {
            assert_int_equal(status, BR_OK); /* nothing failed any more */
            assert_true(n > 100);
            return;
        }
        assert_int_equal(status, BR_OUT_OF_MEMORY);
    }
}

/* ------------------------------------------------------------------ refusals */

static void slips_are_told(void **state) {
    (void)state;
    const struct {
        const char *text, *phrase;
    } cases[] = {
        {"bodies: {a: {shapes: [{sphere: {radius: 1}, material: foam}]}}",
         "the sphere has no density, so that the body's mass"},
        {"bodies: {a: {shapes: [{disc: {radius: 1}, material: steel}]}}",
         "a disc has no volume for a density of 7800 kg/m^3"},
        {"bodies: {a: {shapes: [{tube: {radius: 1, length: 1}, material: steel}]}}",
         "'mass: 0 kg' lets a shape only touch"},
        {"bodies: {a: {shapes: [{sphere: {radius: 1}, material: steel, mass: 0}]}}",
         "all of its shapes have the mass 0"},
        {"bodies: {a: {shapes: [{sphere: {radius: 1}, material: steel, mass: 1, density: 2}]}}",
         "both 'mass' and 'density'"},
        {"bodies: {a: {shapes: [{sphere: {radius: 1}, material: steel, density: -2}]}}", "density is -2 kg/m^3"},
        {"bodies: {a: {shapes: [{sphere: {radius: 1}, material: steel, mass: -2}]}}", "it must not be negative"},
        {"bodies: {a: {shapes: [{sphere: {radius: 1}, material: steel, density: 2 kg}]}}", "density: '2 kg' is in kg"},
        {"bodies: {a: {mass: 1, shapes: [{sphere: {radius: 1}, material: steel, mass: 1}]}}",
         "the body has a mass, and so has"},
        {"bodies: {a: {mass: 1, shapes: [{sphere: {radius: 1}, material: steel}, {sphere: {radius: 1}, material: "
         "foam}]}}",
         "the sphere has no density, but other shapes of its body have"},
        {"bodies: {a: {mass: 1, shapes: [{sphere: {radius: 1}, material: foam}, {disc: {radius: 1}, material: foam}]}}",
         "the disc has no volume to take a part of the body's mass"},
        {"bodies: {a: {mass: 1, shapes: [{ellipsoid: {semi_axes: [1, 0, 1]}, material: foam}]}}",
         "an ellipsoid of body 'a' has the size 0 m"},
        {"bodies: {a: {shapes: [{sphere: {radius: -1}, material: steel}]}}",
         "a sphere of body 'a' has the radius -1 m"},
        {"bodies: {a: {mass: 1, inertia: [1, 1, 1], shapes: [{sphere: {radius: 1}, material: foam, density: 1}]}}",
         "the body's mass and inertia are given"},
        {"bodies: {a: {mass: 1, center_of_mass: [0, 0, 0], shapes: [{sphere: {radius: 1}, material: foam}]}}",
         "the centre of mass follows from the shapes"},
        {"bodies: {a: {mass: 1, inertia: [1, 1, 1], center_of_mass: [0, 0, 0], frame_origin: [1, 0, 0]}}",
         "'frame_origin' counts from the centre of mass"},
        {"bodies: {a: {mass: 1, frame_origin: [1, 0, 0], shapes: [{sphere: {radius: 1}, material: foam}]}}",
         "'frame_origin' counts from the centre of mass"},
        {"bodies: {a: {fixed: true, pose: {rotation: [[1, 0, 0], [0, 1, 0]]}}}",
         "rotation must be three rows of three"},
        {"bodies: {a: {fixed: true, pose: {rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], rpy: [0, 0, 0]}}}", "keep one"},
        {"bodies: {a: {fixed: true, center_of_mass: [0, 0, 0]}}", "mass, inertia and velocity mean nothing there"},
        {"bodies: {a: {mass: 1, shapes: [{point: {}, material: foam}]}}",
         "inertia of body 'a' must be positive definite"},
        {"bodies: {a: {fixed: true, pose: {rotate: [{x: 1}], rpy: [0, 0, 0]}}}", "keep one"},
        {"bodies: {a: {fixed: true, pose: {quaternion: [1, 0, 0.1, 0]}}}", "the quaternion has the length 1.00498756"},
        {"bodies: {a: {fixed: true, pose: {quaternion: [1, 0, 0]}}}", "quaternion must be four numbers [w, x, y, z]"},
        {"bodies: {a: {fixed: true, pose: {rpy: 3}}}", "rpy must be three angles"},
        {"bodies: {a: {fixed: true, pose: {axis_angle: {axis: [1, 0, 0]}}}}",
         "axis_angle is {axis: [x, y, z], angle: angle}"},
        {"bodies: {a: {fixed: true, pose: {parent: b}}, b: {fixed: true, pose: {parent: a}}}", "hangs on itself"},
        {"bodies: {a: {fixed: true, pose: {parent: a}}}", "hangs on itself"},
        {"bodies: {arm: {fixed: true, pose: {parent: amr}}}", "unknown body or frame 'amr'; did you mean 'arm'?"},
        {"bodies: {a: {fixed: true}}\nframes: {a: {}}", "'a' is a body already"},
        {"bodies: {a: {fixed: true}}\nframes: {f: {on: a}}", "unknown key in the pose of 'f'"},
        {"bodies: {a: {fixed: true}}\nframes: [1]", "frames must be a mapping"},
        {"bodies: {a: {fixed: true}, b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j: {revolute: [a, b], at: {position: "
         "[0, 0, 0]}, "
         "axis: [0, 0, 1]}}",
         "at needs 'frame'"},
        {"bodies: {a: {fixed: true}, b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j: {revolute: [a, b], at: {frame: a}, "
         "axis: "
         "{frame: a}}}",
         "axis needs 'direction: [x, y, z]'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1000];
        BrScene *scene = NULL;
        BrError error = {0};
        snprintf(text, sizeof text, BEGIN "%s\n", cases[i].text);
        BrStatus status = br_scene_parse(text, strlen(text), "s.yaml", NULL, &scene, &error);
        if (status == BR_OK) fail_msg("not refused: %s", cases[i].text);
        if (!strstr(error.text, cases[i].phrase) || error.line < 5)
            fail_msg("line %d: '%s' does not say '%s'", error.line, error.text, cases[i].phrase);
        assert_null(scene);
    }
}

/* A box whose foot touches, and whose tower does not: it weighs both, and stands on the foot's four corners. */
static void what_has_no_contact_weighs(void **state) {
    (void)state;
    static const char *const WAYS[] = {"shapes: [{box: {size: [1, 1, 0.2]}, material: steel}, {box: {size: [0.2, 0.2, "
                                       "2]}, at: [0, 0, -0.5], material: steel, contact: false}]",
                                       "contact: false, shapes: [{box: {size: [1, 1, 0.2]}, material: steel}]"};
    for (int k = 0; k < 2; k++) {
        char text[800];
        snprintf(text, sizeof text,
                 BEGIN "bodies: {floor: {fixed: true, shapes: [{plane: {}, material: steel}]}, b: {pose: {position: "
                       "[0, 0, 0.1]}, %s}}\n",
                 WAYS[k]);
        BrScene *scene = parse(text);
        assert_int_equal(br_model_shape_count(br_scene_model(scene)), k ? 1 : 2); /* the floor's, and the foot */
        check_near(find(scene, "b")->mass, 7800 * (k ? 0.2 : 0.2 + 0.08), 1e-9);
        br_scene_destroy(scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_no_contact_weighs), cmocka_unit_test(bodies_weigh_what_their_shapes_do),
        cmocka_unit_test(given_masses_are_spread),    cmocka_unit_test(motion_does_not_know_how_bodies_were_described),
        cmocka_unit_test(turns_have_many_words),      cmocka_unit_test(poses_hang_on_parents),
        cmocka_unit_test(any_allocation_may_fail),    cmocka_unit_test(slips_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
