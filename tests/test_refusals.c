/* Scenes that are wrong: each is refused at its place with a sentence; hostile texts too, and with any allocation
 * failing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/scene.h"
#include "counting.h"
#include "model/model.h"
#include "plain_line.h"
#include "scene_text.h"
#include "workload.h"

#define PI     3.14159265358979323846
#define BEGIN  "bristle: 1\n"
#define BODY   "{mass: 1, inertia: [1, 1, 1]}"
#define BODIES "bodies: {g: {fixed: true}, a: " BODY ", b: " BODY "}\n"
#define HINGE  "joints: {j: {revolute: [g, a], at: [0, 0, 0], axis: [0, 1, 0]}}\n"

/* ------------------------------------------------------------------ help */

/* Refused with this status at this place; the message has these words; nothing leaks. False and a printed line if not,
 * so that a table is checked to its end. */
static bool is_refused(const char *text, size_t size, int line, int column, const char *words) {
    Counter counter = {0};
    BrSceneOptions options = br_default_scene_options();
    options.allocator = counting_allocator(&counter);
    BrScene *scene = (BrScene *)&counter;
    BrError error = {0};
    BrStatus status = br_scene_parse(text, size, "scene.yaml", &options, &scene, &error);
    bool fine = status == BR_INVALID_SCENE && error.status == status && !scene && counter.live == 0 &&
                strcmp(error.file, "scene.yaml") == 0 && error.line == line && error.column == column &&
                strstr(error.text, words) && is_plain_line(error.text);
    if (status == BR_OK) br_scene_destroy(scene);
    if (!fine)
        print_error("%.500s\n  got %s at %d:%d, %d pieces leaked: %s\n  wanted %d:%d with '%s'\n", text,
                    br_status_name(status), error.line, error.column, (int)counter.live, error.text, line, column,
                    words);
    return fine;
}

typedef struct Refusal {
    const char *text;
    int line, column;
    const char *words;
} Refusal;

static void check_refusals(const Refusal *refusal, int count) {
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        const Refusal *r = &refusal[i];
        wrong += !is_refused(r->text, strlen(r->text), r->line, r->column, r->words);
    }
    assert_int_equal(wrong, 0);
}

/* ------------------------------------------------------------------ refusals */

static void test_refused_scenes(void **state) {
    (void)state;
    const Refusal table[] = {
        {"", 1, 1, "nothing here"},
        {"# only a comment\n", 1, 1, "nothing here"},
        {"bristle: 2\n" BODIES, 1, 10, "this bristle reads version 1"},
        {"bristle: [1]\n" BODIES, 1, 10, "this bristle reads version 1"},
        {"bristle: \"1\\n2\"\n" BODIES, 1, 10, "this bristle reads version 1"},
        {BODIES, 1, 1, "must begin with 'bristle: 1'"},
        {"[1, 2]\n", 1, 1, "must be a mapping"},
        {"word\n", 1, 1, "must be a mapping"},
        {BEGIN, 1, 1, "no bodies"},
        {BEGIN "bodies: [a, b]\n", 2, 9, "mapping of names"},
        {BEGIN BODIES "jonits: {}\n", 3, 1, "did you mean 'joints'?"},
        {BEGIN BODIES "\"\\e[31mred\": 1\n", 3, 1, "unknown key"},
        {BEGIN BODIES "zzz: {}\n", 3, 1, "known: bristle, title, parameters"},
        {BEGIN BODIES "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xC3\xA9: 1\n", 3, 1, "unknown key"},
        {BEGIN "gravity: [0, 0]\n" BODIES, 2, 10, "three numbers [x, y, z]"},
        {BEGIN "gravity: 9.81\n" BODIES, 2, 10, "three numbers [x, y, z]"},
        {BEGIN "gravity: [0, 0, 9.81 m/s]\n" BODIES, 2, 17, "is in m/s, but a value in m/s^2 is needed"},
        {BEGIN "step: fast\n" BODIES, 2, 7, "step must be a mapping"},
        {BEGIN "step: {dt: 0}\n" BODIES, 2, 12, "must be positive"},
        {BEGIN "step: {dt: -1 ms}\n" BODIES, 2, 12, "-0.001 s; it must be positive"},
        {BEGIN "step: {dt: 1e-999}\n" BODIES, 2, 12, "must be positive"},
        {BEGIN "step: {dt: 1 mm}\n" BODIES, 2, 12, "is in m, but a value in s is needed"},
        {BEGIN "step: {until: -1}\n" BODIES, 2, 15, "must not be negative"},
        {BEGIN "step: {until: 1e300}\n" BODIES, 2, 15, "would never end"},
        {BEGIN "step: {dt: 1e-300}\n" BODIES, 2, 12, "would never end"},
        {BEGIN "step: {scheme: ratle}\n" BODIES, 2, 16, "did you mean 'rattle'?"},
        {BEGIN "step: {scheme: euler}\n" BODIES, 2, 16, "known: moreau, hem2, rattle"},
        {BEGIN "step: {scheme: [hem2]}\n" BODIES, 2, 16, "must be a name"},
        {BEGIN "step: {formulation: smoth}\n" BODIES, 2, 21, "did you mean 'smooth'?"},
        {BEGIN "step: {formulation: implicit}\n" BODIES, 2, 21, "known: timestepping"},
        {BEGIN "step: {dtt: 1}\n" BODIES, 2, 8, "did you mean 'dt'?"},
        {BEGIN "record: {every: 1.5 ms}\n" BODIES, 2, 17, "multiple of the step dt = 0.001 s"},
        {BEGIN "record: {every: 0}\n" BODIES, 2, 17, "multiple of the step"},
        {BEGIN "record: {every: -1 ms}\n" BODIES, 2, 17, "multiple of the step"},
        {BEGIN "record: {evry: 1 ms}\n" BODIES, 2, 10, "did you mean 'every'?"},
    };
    check_refusals(table, BRI_COUNT(table));
}

static void test_refused_numbers(void **state) {
    (void)state;
    const Refusal table[] = {
        {BEGIN "parameters: {t: 2}\n" BODIES, 2, 14, "has a meaning of its own"},
        {BEGIN "bodies: {a: {mass: 3 mm, inertia: [1, 1, 1]}}\n", 2, 20, "is in m, but a value in kg is needed"},
        {BEGIN "bodies: {a: {mass: [1], inertia: [1, 1, 1]}}\n", 2, 20, "must be a number, not a list"},
        {BEGIN "bodies: {a: {mass: , inertia: [1, 1, 1]}}\n", 2, 20, "has no value"},
        {BEGIN "bodies: {a: {mass: .nan, inertia: [1, 1, 1]}}\n", 2, 20, "expected a number"},
        {BEGIN "bodies: {a: {mass: nan, inertia: [1, 1, 1]}}\n", 2, 20, "expected a known name"},
        {BEGIN "bodies: {a: {mass: .inf, inertia: [1, 1, 1]}}\n", 2, 20, "expected a number"},
        {BEGIN "bodies: {a: {mass: inf, inertia: [1, 1, 1]}}\n", 2, 20, "expected a known name"},
        {BEGIN "bodies: {a: {mass: 1/0, inertia: [1, 1, 1]}}\n", 2, 20, "not a finite number"},
        {BEGIN "bodies: {a: {mass: log(-1), inertia: [1, 1, 1]}}\n", 2, 20, "not a finite number"},
        {BEGIN "bodies: {a: {mass: 1e400, inertia: [1, 1, 1]}}\n", 2, 20, "below 1.8e308"},
        {BEGIN "bodies: {a: {mass: 1e308, inertia: [1, 1, 1]}}\n", 2, 10, "from 1e-100 to 1e100 kg"},
        {BEGIN "bodies: {a: {mass: 1, inertia: [1e200, 1e200, 1e200]}}\n", 2, 10, "allowed is 1e-100 to 1e100 kg m^2"},
        {BEGIN "bodies: {a: {mass: 1e308*10, inertia: [1, 1, 1]}}\n", 2, 20, "not a finite number"},
        {BEGIN "bodies: {a: {mass: 1 + , inertia: [1, 1, 1]}}\n", 2, 23, "found the end"},
        {BEGIN "bodies: {a: {mass: 2*(3, inertia: [1, 1, 1]}}\n", 2, 24, "expected \")\""},
        {BEGIN "bodies: {a: {mass: 2 foo, inertia: [1, 1, 1]}}\n", 2, 22, "expected a unit"},
        {BEGIN "bodies: {a: {mass: 2*m, inertia: [1, 1, 1]}}\n", 2, 22, "a unit stands right behind its number"},
        {BEGIN "bodies: {a: {mass: sinn(1), inertia: [1, 1, 1]}}\n", 2, 20, "did you mean \"sin\"?"},
        {BEGIN "bodies: {a: {mass: \"2*(3\", inertia: [1, 1, 1]}}\n", 2, 25, "expected \")\""},
        {BEGIN "bodies: {a: {mass: 1 kg + 2 m, inertia: [1, 1, 1]}}\n", 2, 20, "same unit"},
        {BEGIN "bodies: {a: {mass: sin(2 kg), inertia: [1, 1, 1]}}\n", 2, 20, "expected an angle"},
        {BEGIN "bodies: {a: {mass: 2, inertia: [1, 1, 1], pose: {rotate: [{x: 5 m}]}}}\n", 2, 63, "is in m"},
        {BEGIN "bodies: {a: {mass: 2, inertia: [1, 1, 1], velocity: {angular: [0, 0, 5 Hz]}}}\n", 2, 70, "is in Hz"},
        {BEGIN "bodies: {a: {mass: 2, inertia: [1, 1, 1], velocity: {angular: [0, 0, 5/(1 s)]}}}\n", 2, 70,
         "a speed over a radius becomes one by '*1 rad'"},
        {BEGIN "parameters: [1]\n" BODIES, 2, 13, "must be a mapping"},
        {BEGIN "parameters: {a: b, b: a}\n" BODIES, 2, 14, "depends on itself"},
        {BEGIN "parameters: {a: 1 + a}\n" BODIES, 2, 14, "depends on itself"},
        {BEGIN "parameters: {a: 1 + c}\n" BODIES, 2, 21, "expected a known name"},
        {BEGIN "parameters: {torque: 3 N*m, m: wrong}\n" BODIES, 2, 32, "found \"wrong\""},
        {BEGIN "parameters: {b: a, a: 1 + wrong}\n" BODIES, 2, 27, "found \"wrong\""},
        {BEGIN "parameters: {2a: 1}\n" BODIES, 2, 14, "letters, digits and '_'"},
        {BEGIN "parameters: {a-b: 1}\n" BODIES, 2, 14, "letters, digits and '_'"},
        {BEGIN "parameters: {a: [1]}\n" BODIES, 2, 17, "must be a number"},
        {BEGIN "parameters: {a: 1/0}\n" BODIES, 2, 17, "not a finite number"},
        {BEGIN "parameters: {a: 2 m}\nbodies: {b: {mass: a, inertia: [1, 1, 1]}}\n", 3, 20, "is in m"},
    };
    check_refusals(table, BRI_COUNT(table));
}

static void test_refused_bodies(void **state) {
    (void)state;
    const Refusal table[] = {
        {BEGIN "bodies: {a: 1}\n", 2, 13, "must be a mapping"},
        {BEGIN "bodies: {a: {mas: 1}}\n", 2, 14, "did you mean 'mass'?"},
        {BEGIN "bodies: {a: {inertia: [1, 1, 1]}}\n", 2, 10, "body 'a' has no mass"},
        {BEGIN "bodies: {a: {}}\n", 2, 10, "body 'a' has no mass"},
        {BEGIN "bodies: {a: {mass: 1}}\n", 2, 10, "body 'a' has no inertia"},
        {BEGIN "bodies: {a: {mass: 0, inertia: [1, 1, 1]}}\n", 2, 20, "must be positive"},
        {BEGIN "bodies: {a: {mass: -1, inertia: [1, 1, 1]}}\n", 2, 20, "-1 kg; it must be positive"},
        {BEGIN "bodies: {a: {mass: 1, inertia: 1}}\n", 2, 32, "three moments"},
        {BEGIN "bodies: {a: {mass: 1, inertia: [1, 1]}}\n", 2, 32, "three moments"},
        {BEGIN "bodies: {a: {mass: 1, inertia: [1, 1, 1 kg]}}\n", 2, 39, "is in kg"},
        {BEGIN "bodies: {a: {mass: 1, inertia: [[1, 0, 0], [0, 1], [0, 0, 1]]}}\n", 2, 44, "three numbers"},
        {BEGIN "bodies: {a: {mass: 1, inertia: [[2, 1, 0], [0, 2, 0], [0, 0, 2]]}}\n", 2, 32, "not symmetric"},
        {BEGIN "bodies: {a: {mass: 1, inertia: [1, 1, -1]}}\n", 2, 32, "positive definite"},
        {BEGIN "bodies: {a: {mass: 1, inertia: [0, 0, 0]}}\n", 2, 32, "positive definite"},
        {BEGIN "bodies: {a: {mass: 1, inertia: [[1, 2, 0], [2, 1, 0], [0, 0, 9]]}}\n", 2, 32, "positive definite"},
        {BEGIN "bodies: {a: {mass: 1, inertia: [1, 1, 5]}}\n", 2, 32, "triangle inequality"},
        {BEGIN "bodies: {a: {mass: 1, inertia: [1, 1, 1], pose: [1, 2, 3]}}\n", 2, 49, "must be a mapping"},
        {BEGIN "bodies: {a: {fixed: yes}}\n", 2, 21, "true or false, not 'yes'"},
        {BEGIN "bodies: {a: {fixed: true, mass: 1}}\n", 2, 10, "mean nothing there"},
        {BEGIN "bodies: {a: {fixed: true, pose: {position: [1, 2]}}}\n", 2, 44, "three numbers"},
        {BEGIN "bodies: {a: {fixed: true, pose: {rotate: {x: 1}}}}\n", 2, 42, "must be a list of rotations"},
        {BEGIN "bodies: {a: {fixed: true, pose: {rotate: [{w: 1}]}}}\n", 2, 44, "unknown key"},
        {BEGIN "bodies: {a: {fixed: true, pose: {rotate: [{x: 1, y: 2}]}}}\n", 2, 43, "a rotation is"},
        {BEGIN "bodies: {a: {fixed: true, pose: {rotate: [{axis: [0, 0, 0], angle: 1}]}}}\n", 2, 50,
         "longer than zero"},
        {BEGIN "bodies:\n  a: {fixed: true}\n  a: {fixed: true}\n", 4, 3, "in line 3"},
        {BEGIN "bodies: {a/b: {fixed: true}}\n", 2, 10, "must not contain"},
        {BEGIN "bodies: {a.b: {fixed: true}}\n", 2, 10, "must not contain"},
        {BEGIN "bodies: {\"a\\nb\": {fixed: true}}\n", 2, 10, "must not contain"},
        {BEGIN "bodies: {\"\": {fixed: true}}\n", 2, 10, "needs a name"},
        {BEGIN "bodies: {aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: {fixed: true}}\n", 2, 10,
         "longer than 63"},
        {BEGIN "bodies: {a: {fixed: true}}\nmotions: {m: {body: a, velocity: [1, 0, 0]}}\n", 2, 21,
         "a motion moves it"},
    };
    check_refusals(table, BRI_COUNT(table));
}

static void test_refused_joints(void **state) {
    (void)state;
    const Refusal table[] = {
        {BEGIN BODIES "joints: [1]\n", 3, 9, "mapping of names"},
        {BEGIN BODIES "joints: {j: 1}\n", 3, 13, "must be a mapping like {revolute"},
        {BEGIN BODIES "joints: {j: {revolut: [g, a], at: [0, 0, 0], axis: [0, 1, 0]}}\n", 3, 14,
         "did you mean 'revolute'?"},
        {BEGIN BODIES "joints: {j: {revolute: [g, aa], at: [0, 0, 0], axis: [0, 1, 0]}}\n", 3, 28, "did you mean 'a'?"},
        {BEGIN BODIES "joints: {j: {revolute: [g, wheel], at: [0, 0, 0], axis: [0, 1, 0]}}\n", 3, 28,
         "unknown body 'wheel'; known: g, a, b"},
        {BEGIN BODIES "joints: {j: {revolute: [g], at: [0, 0, 0], axis: [0, 1, 0]}}\n", 3, 24, "list of two bodies"},
        {BEGIN BODIES "joints: {j: {revolute: [g, a, b], at: [0, 0, 0], axis: [0, 1, 0]}}\n", 3, 24,
         "list of two bodies"},
        {BEGIN BODIES "joints: {j: {revolute: [g, a], axis: [0, 1, 0]}}\n", 3, 10, "needs 'at'"},
        {BEGIN BODIES "joints: {j: {revolute: [g, a], at: [0, 0, 0]}}\n", 3, 10, "needs 'axis'"},
        {BEGIN BODIES "joints: {j: {revolute: [g, a], at: [0, 0, 0], axis: [0, 0, 0]}}\n", 3, 53, "longer than zero"},
        {BEGIN BODIES "joints: {j: {revolute: [g, a], at: [0, 0], axis: [0, 1, 0]}}\n", 3, 36, "three numbers"},
        {BEGIN BODIES "joints: {j: {revolute: [g, a], at: [0, 0, 0], axis: [0, 1 m, 0]}}\n", 3, 57,
         "a number without unit is needed"},
        {BEGIN BODIES "joints: {j: {revolute: [g, a], at: [0, 0, 0], axis: [0, 1, 0], lead: 1}}\n", 3, 64,
         "unknown key"},
        {BEGIN BODIES "joints: {j: {revolute: [a, a], at: [0, 0, 0], axis: [0, 1, 0]}}\n", 3, 10, "with itself"},
        {BEGIN BODIES "joints: {j: {screw: [g, a], at: [0, 0, 0], axis: [0, 1, 0], lead: 0}}\n", 3, 10, "not zero"},
        {BEGIN BODIES "joints: {j: {universal: [g, a], at: [0, 0, 0], axis: [0, 1, 0], axis2: [0, 1, 1]}}\n", 3, 10,
         "perpendicular"},
        {BEGIN BODIES "joints: {j: {distance: [g, a]}}\n", 3, 10, "coincide"},
        {BEGIN BODIES "joints: {j: {distance: [g, a], to_body: [1, 0, 0], length: -1}}\n", 3, 10, "not negative"},
        {BEGIN BODIES
         "joints: {j: {rolling_wheel: [g, a], at: [0, 0, 1], axis: [0, 0, 1], axle: [0, 1, 0], radius: -1}}\n",
         3, 10, "must be positive"},
        {BEGIN BODIES
         "joints: {j: {rolling_wheel: [g, a], at: [0, 0, 1], axis: [0, 0, 1], axle: [0, 0, 1], radius: 1}}\n",
         3, 10, "lies flat"},
        {BEGIN "bodies: {g: {fixed: true}, h: {fixed: true}}\njoints: {j: {fixed: [g, h], at: [0, 0, 0]}}\n", 3, 10,
         "neither can be moved"},
    };
    check_refusals(table, BRI_COUNT(table));
}

static void test_refused_springs(void **state) {
    (void)state;
    const Refusal table[] = {
        {BEGIN BODIES "springs: {s: {between: [g, a]}}\n", 3, 14, "at least one of 'stiffness'"},
        {BEGIN BODIES "springs: {s: {stiffness: 1}}\n", 3, 11, "either 'between: [first, second]' or 'joint: name'"},
        {BEGIN BODIES HINGE "springs: {s: {between: [g, a], joint: j, stiffness: 1}}\n", 4, 11, "either 'between"},
        {BEGIN BODIES "springs: {s: {between: [a, a], stiffness: 1}}\n", 3, 11, "with itself"},
        {BEGIN BODIES "springs: {s: {between: [g, a], stiffness: -1}}\n", 3, 43, "must not be negative"},
        {BEGIN BODIES "springs: {s: {between: [g, a], damping: -1}}\n", 3, 41, "must not be negative"},
        {BEGIN BODIES "springs: {s: {between: [g, a], stiffness: 1 N}}\n", 3, 43,
         "is in N, but a value in N/m is needed"},
        {BEGIN BODIES "springs: {s: {between: [g, a], stiffness: 2*y}}\n", 3, 45, "found \"y\""},
        {BEGIN BODIES "springs: {s: {between: [g, a], stiffness: [1]}}\n", 3, 43, "a number, an expression"},
        {BEGIN BODIES "springs: {s: {between: [g, a], stiffness: {tabel: []}}}\n", 3, 44, "did you mean 'table'?"},
        {BEGIN BODIES "springs: {s: {between: [g, a], force: {table: []}}}\n", 3, 47, "list of points"},
        {BEGIN BODIES "springs: {s: {between: [g, a], force: {table: [[0, 1, 2]]}}}\n", 3, 48, "must have 2 numbers"},
        {BEGIN BODIES "springs: {s: {between: [g, a], force: {table: [[1, 0], [1, 5]]}}}\n", 3, 56, "must rise"},
        {BEGIN BODIES "springs: {s: {between: [g, a], force: {table: [[1 s, 0]]}}}\n", 3, 49, "is in s"},
        {BEGIN BODIES "springs: {s: {between: [g, a], force: {}}}\n", 3, 39, "one of 'table' and 'sine'"},
        {BEGIN BODIES "springs: {s: {between: [g, a], stiffness: 1, direction_at_zero: [0, 0, 0]}}\n", 3, 65,
         "direction"},
        {BEGIN BODIES "springs: {s: {joint: j, stiffness: 1}}\n", 3, 22, "the scene has no joints"},
        {BEGIN BODIES HINGE "springs: {s: {joint: hinge, stiffness: 1}}\n", 4, 22, "unknown joint 'hinge'; known: j"},
        {BEGIN BODIES HINGE "springs: {s: {joint: j, coordinate: slide, stiffness: 1}}\n", 4, 37, "known: angle"},
        {BEGIN BODIES HINGE "springs: {s: {joint: j, stiffness: 1 N/m}}\n", 4, 36, "N m/rad is needed"},
        {BEGIN BODIES "joints: {j: {spherical: [g, a], at: [0, 0, 0]}}\nsprings: {s: {joint: j, stiffness: 1}}\n", 4,
         14, "no coordinate that could be driven or sprung"},
        {BEGIN BODIES "joints: {j: {planar: [g, a], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
                      "springs: {s: {joint: j, stiffness: 1}}\n",
         4, 14, "several coordinates"},
    };
    check_refusals(table, BRI_COUNT(table));
}

static void test_refused_drives(void **state) {
    (void)state;
    const Refusal table[] = {
        {BEGIN BODIES "joints: {j: {revolute: [g, a], at: [0, 0, 0], axis: [0, 1, 0], limits: {stiffness: 3}}}\n", 3,
         72, "soft limits need a range"},
        {BEGIN BODIES "springs: {s: {between: [g, a], stiffness: 1, play: [1, 0]}}\n", 3, 52, "must be below"},
        {BEGIN BODIES HINGE "motors: {m: {joint: j}}\n", 4, 10, "needs 'speed', 'position' or 'torque'"},
        {BEGIN BODIES HINGE "motors: {m: {speed: 1}}\n", 4, 10, "needs 'joint'"},
        {BEGIN BODIES HINGE "motors: {m: {joint: j, force: 1}}\n", 4, 31, "say 'torque', not 'force'"},
        {BEGIN BODIES HINGE "motors: {m: {joint: j, position: 1}}\n", 4, 10,
         "with 'stiffness' and 'damping', or 'frequency'"},
        {BEGIN BODIES HINGE "motors: {m: {joint: j, position: 1, speed: 1, stiffness: 1}}\n", 4, 44,
         "take 'speed' away"},
        {BEGIN BODIES HINGE "motors: {m: {joint: j, speed: 1, stiffness: 1, max_torque: 1}}\n", 4, 10, "no 'position'"},
        {BEGIN BODIES HINGE "motors: {m: {joint: j, position: 1, stiffness: 1, damping_ratio: 1}}\n", 4, 66,
         "needs a 'frequency'"},
        {BEGIN BODIES HINGE "motors: {m: {joint: j, speed: 1, torque: 1, max_torque: 1}}\n", 4, 42,
         "give it a 'damping'"},
        {BEGIN BODIES HINGE "motors: {m: {joint: j, torque: 1, damping: 1}}\n", 4, 44, "no 'speed' that it follows"},
        {BEGIN BODIES HINGE "motors: {m: {joint: j, position: 1, stiffness: -1}}\n", 4, 48, "must not be negative"},
        {BEGIN BODIES HINGE "motors: {m: {joint: j, position: 1, frequency: 0}}\n", 4, 48, "must be positive"},
        {BEGIN BODIES HINGE "motors: {m: {joint: j, position: 1, frequency: 1, stiffness: 2}}\n", 4, 10,
         "keep either the frequency or the gains"},
        {BEGIN BODIES HINGE "motors: {m: {joint: j, speed: 1}}\n", 4, 10, "needs 'max_torque'"},
        {BEGIN BODIES HINGE "motors: {m: {joint: j, speed: 1, max_force: 1}}\n", 4, 45, "say 'max_torque'"},
        {BEGIN BODIES HINGE "motors: {m: {joint: j, speed: 1, max_torque: 0}}\n", 4, 46, "must be positive"},
        {BEGIN BODIES HINGE "motors: {m: {joint: j, speed: 1 m/s, max_torque: 1}}\n", 4, 31, "rad/s is needed"},
        {BEGIN BODIES HINGE "motors: {m: {joint: j, speed: 1 Hz, max_torque: 1}}\n", 4, 31, "rad/s is needed"},
        {BEGIN BODIES HINGE
         "motors: {m: {joint: j, speed: 1, max_torque: 1}, n: {joint: j, speed: 1, max_torque: 1}}\n",
         4, 50, "driven in this coordinate already"},
        {BEGIN BODIES HINGE "motions: {m: {}}\n", 4, 11, "either 'body' or 'joint'"},
        {BEGIN BODIES HINGE "motions: {m: {joint: j}}\n", 4, 11, "one of 'position' and 'speed'"},
        {BEGIN BODIES HINGE "motions: {m: {joint: j, position: 1, speed: 1}}\n", 4, 11,
         "one of 'position' and 'speed'"},
        {BEGIN BODIES HINGE "motions: {m: {joint: j, velocity: 1}}\n", 4, 25, "unknown key"},
        {BEGIN BODIES HINGE "motions: {m: {joint: j, position: 1 m}}\n", 4, 35, "a value in rad is needed"},
        {BEGIN "bodies: {p: {}}\nmotions: {m: {body: p}}\n", 3, 11, "needs 'position', 'velocity' or"},
        {BEGIN "bodies: {p: {}}\nmotions: {m: {body: p, position: [0, 0, 0], velocity: [0, 0, 0]}}\n", 3, 11,
         "keep one"},
        {BEGIN "bodies: {p: {}}\nmotions: {m: {body: p, position: [0, 0]}}\n", 3, 34, "three components"},
        {BEGIN "bodies: {p: {}}\nmotions: {m: {body: p, position: 1}}\n", 3, 34, "three components"},
        {BEGIN "bodies: {p: {}}\nmotions: {m: {body: p, velocity: [0, 0, x]}}\n", 3, 41, "found \"x\""},
        {BEGIN "bodies: {p: {}}\nmotions: {m: {body: p, velocity: [0, 0, 1]}, n: {body: p, velocity: [0, 0, 1]}}\n", 3,
         46, "moved by 'm' already"},
        {BEGIN "bodies: {p: {mass: 1}}\nmotions: {m: {body: p, velocity: [0, 0, 1]}}\n", 2, 10, "mean nothing there"},
        {BEGIN BODIES "motions: {m: {body: p, velocity: [0, 0, 1]}}\n", 3, 21, "unknown body 'p'"},
    };
    check_refusals(table, BRI_COUNT(table));
}

static void test_refused_forces(void **state) {
    (void)state;
    const Refusal table[] = {
        {BEGIN BODIES "forces: {f: {force: [1, 0, 0]}}\n", 3, 10, "needs 'body'"},
        {BEGIN BODIES "forces: {f: {body: a}}\n", 3, 10, "needs 'force' or 'torque'"},
        {BEGIN BODIES "forces: {f: {body: g, force: [1, 0, 0]}}\n", 3, 10, "no force moves it"},
        {BEGIN BODIES "forces: {f: {body: aa, force: [1, 0, 0]}}\n", 3, 20, "did you mean 'a'?"},
        {BEGIN BODIES "forces: {f: {body: a, force: [1, 0, 0], torque_body: [0, 0, 1]}}\n", 3, 10, "write two forces"},
        {BEGIN BODIES "forces: {f: {body: a, force: [1, 0]}}\n", 3, 30, "three components"},
        {BEGIN BODIES "forces: {f: {body: a, force: 1, direction: [0, 0, 0]}}\n", 3, 44, "longer than zero"},
        {BEGIN BODIES "forces: {f: {body: a, force: 1 N m}}\n", 3, 30, "is in N m, but a value in N is needed"},
        {BEGIN BODIES "forces: {f: {body: a, force: 2*x}}\n", 3, 32, "found \"x\""},
        {BEGIN BODIES "forces: {f: {body: a, force: {sine: 1}}}\n", 3, 37, "must be a mapping"},
        {BEGIN BODIES "forces: {f: {body: a, force: {sine: {frequency: 1}}}}\n", 3, 37, "needs 'amplitude'"},
        {BEGIN BODIES "forces: {f: {body: a, force: {sine: {amplitude: 1}}}}\n", 3, 37, "needs 'frequency'"},
        {BEGIN BODIES "forces: {f: {body: a, force: {sine: {amplitude: 1, frequency: 1 rad/s}}}}\n", 3, 63,
         "is in rad/s"},
        {BEGIN BODIES "forces: {f: {body: a, force: {sine: {ampl: 1, frequency: 1}}}}\n", 3, 38, "unknown key"},
        {BEGIN BODIES "forces: {f: {body: a, force: {table: [[0, 1, 2, 3], [1, 2]]}}}\n", 3, 53, "must have 4 numbers"},
        {BEGIN BODIES "forces: {f: {body: a, force: {table: [[0, 1], [1, 2]], sine: {}}}}\n", 3, 30, "one of"},
    };
    check_refusals(table, BRI_COUNT(table));
}

/* ------------------------------------------------------------------ hostile texts */

static void test_bytes(void **state) {
    (void)state;
    static const char junk[] = "\x7f"
                               "ELF\x02\x01\x01\x00\x00\x00\x00\x00";
    assert_true(is_refused(junk, sizeof junk - 1, 1, 1, "U+007F"));
    assert_true(is_refused("bristle: 1\nbodies: {\xff: 1}\n", 25, 2, 10, "not UTF-8"));
    assert_true(is_refused("bristle: 1\nbodies: {\xc3\x28: 1}\n", 26, 2, 10, "not UTF-8"));
    assert_true(is_refused("bristle: 1\0\nbodies: {}\n", 23, 1, 11, "NUL byte"));
    assert_true(is_refused("\xff\xfe"
                           "b\0r\0",
                           6, 1, 1, "UTF-16"));
    unsigned seed = 1;
    for (int round = 0; round < 200; round++) { /* any bytes: refused or read, never worse */
        char bytes[512];
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)((seed = 1664525 * seed + 1013904223) >> 24);
        BrScene *scene = NULL;
        assert_int_equal(br_scene_parse(bytes, sizeof bytes, "x", NULL, &scene, NULL), BR_INVALID_SCENE);
    }
}

static void test_deep_nesting(void **state) {
    (void)state;
    Text text = begin_text(BEGIN "bodies: ");
    for (int i = 0; i < 10000; i++) append(&text, "[");
    assert_true(is_refused(text.bytes, text.used, 2, 72, "nested deeper than the 64 levels"));
    free(text.bytes);
}

static void test_alias_bomb(void **state) {
    (void)state;
    Text text = begin_text(BEGIN "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 20; i++) {
        append(&text, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++) append(&text, "%s*a%d", k ? ", " : "", i - 1);
        append(&text, "]\n");
    }
    Counter counter = {0};
    BrSceneOptions options = br_default_scene_options();
    options.allocator = counting_allocator(&counter);
    BrScene *scene = NULL;
    BrError error = {0};
    assert_int_equal(br_scene_parse(text.bytes, text.used, "x", &options, &scene, &error), BR_INVALID_SCENE);
    assert_non_null(strstr(error.text, "1000000 nodes"));
    assert_in_range(counter.calls, 1, 1000); /* for the 240 nodes written, not for the 1e20 that they mean */
    free(text.bytes);
}

/* How long a text takes; it is released. */
static double measure(Text *text, BrStatus wanted) {
    BrScene *scene = NULL;
    BrError error = {0};
    double start = read_cpu_clock();
    BrStatus status = br_scene_parse(text->bytes, text->used, "x", NULL, &scene, &error);
    double taken = read_cpu_clock() - start;
    if (status != wanted) fail_msg("%s at %d:%d: %s", br_status_name(status), error.line, error.column, error.text);
    br_scene_destroy(scene);
    free(text->bytes);
    return taken;
}

static double read_unknown_keys(int count) {
    Text text = begin_text(BEGIN "bodies:\n");
    for (int i = 0; i < count; i++) append(&text, "  key%d: {mass: 1, inertia: [1, 1, 1], k%d: 1}\n", i, i);
    for (int i = 0; i < count; i++) append(&text, "unknown%d: 1\n", i);
    return measure(&text, BR_INVALID_SCENE);
}

static double read_bodies(int count) {
    Text text = begin_text(BEGIN "bodies:\n  g: {fixed: true}\n");
    for (int i = 0; i < count; i++) append(&text, "  body%d: {mass: 1, inertia: [1, 1, 1]}\n", i);
    append(&text, "joints:\n");
    for (int i = 0; i < count; i++) append(&text, "  j%d: {spherical: [g, body%d], at: [0, 0, 0]}\n", i, i);
    return measure(&text, BR_OK);
}

static double read_parameters(int count) {
    Text text = begin_text(BEGIN BODIES "parameters:\n");
    for (int i = 0; i < count; i++) append(&text, "  parameter%d: %d\n", i, i);
    return measure(&text, BR_OK);
}

static double read_motions(int count) {
    Text text = begin_text(BEGIN "bodies:\n");
    for (int i = 0; i < count; i++) append(&text, "  platform%d: {}\n", i);
    append(&text, "motions:\n");
    for (int i = 0; i < count; i++) append(&text, "  m%d: {body: platform%d, velocity: [0, 0, 1]}\n", i, i);
    return measure(&text, BR_OK);
}

static void test_many_parts(void **state) {
    (void)state;
    int count = getenv("BRISTLE_SLOW") ? 3000 : 30000;
    assert_true(is_proportional(read_unknown_keys, 3 * count));
    assert_true(is_proportional(read_bodies, count));
    assert_true(is_proportional(read_parameters, count));
    assert_true(is_proportional(read_motions, count));
}

static void test_long_values(void **state) {
    (void)state;
    const char *const units[] = {"9", "(", "-", "1+", "a", "1^", "sin(", "\xC3\xA9", "min(1,"};
    for (int i = 0; i < BRI_COUNT(units); i++) {
        Text text = begin_text(BEGIN "bodies: {a: {mass: \"");
        for (int k = 0; k < 20000; k++) append(&text, "%s", units[i]);
        append(&text, "\", inertia: [1, 1, 1]}}\n");
        Counter counter = {0};
        BrSceneOptions options = br_default_scene_options();
        options.allocator = counting_allocator(&counter);
        BrScene *scene = NULL;
        BrError error = {0};
        assert_int_equal(br_scene_parse(text.bytes, text.used, "x", &options, &scene, &error), BR_INVALID_SCENE);
        assert_true(is_plain_line(error.text));
        assert_int_equal(counter.live, 0);
        free(text.bytes);
    }
    Text deep = begin_text(BEGIN BODIES "parameters: {p0: 1");
    for (int i = 1; i < 500; i++) append(&deep, ", q%d: q%d", i, i + 1);
    append(&deep, ", q500: p0}\n");
    BrError error = {0};
    BrScene *scene = NULL;
    assert_int_equal(br_scene_parse(deep.bytes, deep.used, "x", NULL, &scene, &error), BR_INVALID_SCENE);
    assert_non_null(strstr(error.text, "chain of more than 100"));
    free(deep.bytes);
}

/* ------------------------------------------------------------------ memory */

static const char EVERYTHING[] =
    BEGIN "parameters: {m: 2 kg, L: 1 m, k: m*9}\n"
          "gravity: [0, 0, -9.81]\n"
          "step: {scheme: hem2, dt: 1 ms, until: 1 s}\n"
          "record: {every: 10 ms}\n"
          "bodies: {g: {fixed: true}, p: {}, a: &a {mass: m, inertia: [1, 1, 1]}, b: *a, c: *a, d: *a, e: *a, f: *a}\n"
          "joints:\n"
          "  h: {revolute: [g, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
          "  s: {prismatic: [p, b], at: [0, 0, 0], axis: [0, 1, 0]}\n"
          "  u: {spherical: [b, c], at: [L, 0, 0]}\n"
          "springs: {s: {between: [a, b], stiffness: 1 N/m + 1 N/m^2*abs(x), damping: {table: [[0, 1], [1, 2]]}}, t: "
          "{joint: h, "
          "stiffness: 2}}\n"
          "motors: {m: {joint: h, speed: m*t*(1 rad/s)/(1 kg s), max_torque: 1}}\n"
          "motions: {q: {body: p, velocity: [sin(t/(1 s)), 0, 0]}, r: {joint: s, speed: {table: [[0, 0], [1, 1]]}}}\n"
          "forces: {f: {body: a, force: {table: [[0, 0], [1, 1]]}, direction: [1, 1, 1]}, n: {body: b, torque: "
          "{sine: {amplitude: 1, frequency: 1}}}, o: {body: c, force: 1 N/s*t, direction: [1, 2, 0]}}\n";

static BrStatus load_counted(Counter *counter, BrScene **scene, BrError *error) {
    const char *const set[] = {"parameters.m=3 kg", "bodies.b.mass=1", "bodies.z={fixed: true}"};
    BrSceneOptions options = br_default_scene_options();
    options.allocator = counting_allocator(counter);
    options.set = set;
    options.sets = 3;
    return br_scene_parse(EVERYTHING, strlen(EVERYTHING), "scene.yaml", &options, scene, error);
}

static void test_no_memory(void **state) {
    (void)state;
    Counter counter = {0};
    BrScene *scene = NULL;
    BrError error = {0};
    BrStatus status = load_counted(&counter, &scene, &error);
    if (status != BR_OK) fail_msg("%d:%d: %s", error.line, error.column, error.text);
    br_scene_destroy(scene);
    assert_int_equal(counter.live, 0);
    int64_t calls = counter.calls;
    assert_true(calls > 100);
    for (int64_t n = 1; n <= calls; n++) {
        counter = (Counter){.fail_at = n};
        scene = (BrScene *)&counter;
        status = load_counted(&counter, &scene, &error);
        if (status != BR_OUT_OF_MEMORY || error.status != BR_OUT_OF_MEMORY || scene || counter.live)
            fail_msg("allocation %d of %d: %s '%s', %d pieces leaked", (int)n, (int)calls, br_status_name(status),
                     error.text, (int)counter.live);
    }
}

/* A refusal is still the refusal when memory is short, or the lack of memory; nothing else. */
static void test_no_memory_while_refusing(void **state) {
    (void)state;
    const char *const texts[] = {BEGIN "parameters: {a: b, b: 3 N*m, m: wrong}\n" BODIES,
                                 BEGIN BODIES HINGE "springs: {s: {joint: h, stiffness: 1}}\n",
                                 BEGIN BODIES "forces: {f: {body: a, force: {table: [[0, 1], [1, 2], [1, 3]]}}}\n"};
    for (int i = 0; i < BRI_COUNT(texts); i++) {
        BrStatus status = BR_OUT_OF_MEMORY;
        for (int n = 1; status == BR_OUT_OF_MEMORY; n++) {
            Counter counter = {.fail_at = n};
            BrSceneOptions options = br_default_scene_options();
            options.allocator = counting_allocator(&counter);
            BrScene *scene = NULL;
            status = br_scene_parse(texts[i], strlen(texts[i]), "x", &options, &scene, NULL);
            assert_true(status == BR_OUT_OF_MEMORY || status == BR_INVALID_SCENE);
            assert_null(scene);
            assert_int_equal(counter.live, 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_scenes),  cmocka_unit_test(test_refused_numbers),
        cmocka_unit_test(test_refused_bodies),  cmocka_unit_test(test_refused_joints),
        cmocka_unit_test(test_refused_springs), cmocka_unit_test(test_refused_drives),
        cmocka_unit_test(test_refused_forces),  cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_deep_nesting),    cmocka_unit_test(test_alias_bomb),
        cmocka_unit_test(test_many_parts),      cmocka_unit_test(test_long_values),
        cmocka_unit_test(test_no_memory),       cmocka_unit_test(test_no_memory_while_refusing),
    };
    return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
