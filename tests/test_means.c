/* test_means.c: mean forces are all that happened in the step before. Of every body and every step
 *     m (v' - v) = m g h + h (sum of the mean forces of its contacts and joints)
 * whatever bounced off again, changed its features or vanished within the step, and however the step was made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bristle/record.h"
#include "soft_support.h"

static const double G = 9.81;
static const BrVec3 NONE = {0, 0, 0}, DOWN = {0, 0, -9.81}, X = {1, 0, 0}, Y = {0, 1, 0};
static const Given SPRINGY = {"gonthier", {{"stiffness", 1e5}, {"e", 0.5}}};
static const Given ROUGH = {"dwell", {{"mu_s", 0.3}, {"mu_k", 0.3}}};

enum { HYPOTHESES = 3, EVENT = BR_SCHEMES, WAYS };
static const int RIGID[] = {BR_SCHEME_MOREAU, BR_SCHEME_HEM2, EVENT};
static const int SOFT[] = {BR_SCHEME_SEMI_IMPLICIT, BR_SCHEME_RK2, BR_SCHEME_RK4, BR_SCHEME_ADAPTIVE, BR_SCHEME_STIFF};

static BrStepDef make_def(int way, double dt) {
    if (way == EVENT) return machine_event_def(dt);
    return way >= BR_SCHEME_SEMI_IMPLICIT ? soft_def((BrScheme)way, dt, 40) : machine_step_def((BrScheme)way, dt);
}

static BrMaterialId make_material(Machine *m, double mu, double e, int hypothesis) {
    BrMaterialDef def = br_default_material_def();
    def.name = "stone";
    br_law_set(&def.surface.friction, "mu", mu);
    br_law_set(&def.surface.normal, "e", e);
    br_law_set(&def.surface.normal, "hypothesis", hypothesis);
    def.surface.compliant_normal = make_law(BR_LAW_NORMAL, &SPRINGY);
    def.surface.compliant_friction = make_law(BR_LAW_FRICTION, &ROUGH);
    return machine_add_material(m, &def);
}

/* ------------------------------------------------------------------ the balance */

static bool is_same(BrBodyId a, BrBodyId b) { return a.index1 == b.index1; }

static BrVec3 normal_of(const BrContact *c) { return vec(c->frame.m[0][0], c->frame.m[1][0], c->frame.m[2][0]); }

/* Of the mean forces of its contacts over a step of h, N s. Contacts that do not push now are open, and carry nothing. */
static BrVec3 read_impulse(Machine *m, BrBodyId body, double h) {
    BrVec3 sum = NONE;
    for (int k = 0, count = machine_contact_count(m); k < count; k++) {
        BrContact c;
        assert_int_equal(br_contact(m->model, m->workspace, k, &c), BR_OK);
        BrVec3 mean = add(scale(c.normal_force_mean, normal_of(&c)), c.friction_force_mean);
        if (is_same(c.body_b, body)) sum = add(sum, scale(h, mean));
        if (is_same(c.body_a, body)) sum = sub(sum, scale(h, mean));
        bool open = c.mode == BR_CONTACT_OPEN;
        assert_true(open == (c.normal_force == 0) && (!open || norm(c.friction_force) == 0));
        if (c.gap > 0.05) assert_true(open);
    }
    return sum;
}

enum { MOST_BODIES = 4 };
typedef struct Scene {
    Machine m;
    int bodies;
    BrBodyId body[MOST_BODIES];
    double mass[MOST_BODIES];
} Scene;

static void add_to(Scene *s, BrBodyId body, double mass) { s->body[s->bodies] = body, s->mass[s->bodies++] = mass; }

/* Steps, and how far the balance is off at worst, N s, beside the largest impulse; pushed: the sum of impulses. */
static void assert_balance(Scene *s, const BrStepDef *def, int steps, double tolerance, const char *what) {
    double worst = 0, largest = 0;
    for (int k = 0; k < steps; k++) {
        BrVec3 before[MOST_BODIES];
        for (int i = 0; i < s->bodies; i++) before[i] = machine_twist(&s->m, s->body[i]).linear;
        machine_steps(&s->m, def, 1);
        for (int i = 0; i < s->bodies; i++) {
            BrVec3 gain = sub(machine_twist(&s->m, s->body[i]).linear, add(before[i], scale(def->dt, DOWN)));
            BrVec3 should = scale(s->mass[i], gain), is = read_impulse(&s->m, s->body[i], def->dt);
            worst = fmax(worst, norm(sub(is, should)));
            largest = fmax(largest, norm(should));
        }
    }
    if (!(worst <= tolerance * largest)) fail_msg("%s: off by %.3g of %.3g N s", what, worst, largest);
}

static void check_ways(Scene (*make)(int hypothesis), const int *ways, int count, double dt, int steps) {
    for (int w = 0; w < count; w++)
        for (int hypothesis = 0; hypothesis < HYPOTHESES; hypothesis++) {
            char what[80];
            if (ways[w] >= BR_SCHEME_SEMI_IMPLICIT && ways[w] != EVENT && hypothesis > 0) continue;
            Scene s = make(hypothesis);
            BrStepDef def = make_def(ways[w], dt);
            snprintf(what, sizeof what, "way %d, hypothesis %d, dt %g", ways[w], hypothesis, dt);
            /* rounding; of event: what an inner step's tolerance leaves, and what joints and contacts are put back by */
            assert_balance(&s, &def, steps, ways[w] == EVENT ? 1e-9 : 1e-11, what);
            machine_end(&s.m);
        }
}

static void check_all(Scene (*make)(int hypothesis), double dt, int steps) {
    check_ways(make, RIGID, (int)(sizeof RIGID / sizeof *RIGID), dt, steps);
    check_ways(make, SOFT, (int)(sizeof SOFT / sizeof *SOFT), dt, steps);
}

/* ------------------------------------------------------------------ what bounces */

/* A floor of stone, and nothing on it yet. */
static Scene make_floor(double mu, double e, int hypothesis, BrMaterialId *stone) {
    Scene s = {.m = machine_begin(DOWN)};
    *stone = make_material(&s.m, mu, e, hypothesis);
    machine_floor(&s.m, *stone);
    return s;
}

/* It slides, and bounces until it lies; the last bounces are many within a step. */
static Scene make_ball(int hypothesis) {
    BrMaterialId stone;
    Scene s = make_floor(0.3, 0.5, hypothesis, &stone);
    BrBodyId ball = machine_ball(&s.m, "ball", 2, 0.2, vec(0, 0, 1), stone);
    machine_ready(&s.m);
    machine_set_twist(&s.m, ball, X, NONE);
    add_to(&s, ball, 2);
    return s;
}

/* One falls onto another that lies, aside. */
static Scene make_two_balls(int hypothesis) {
    BrMaterialId stone;
    Scene s = make_floor(0.3, 0.5, hypothesis, &stone);
    BrBodyId low = machine_ball(&s.m, "low", 2, 0.2, vec(0, 0, 0.2), stone);
    BrBodyId high = machine_ball(&s.m, "high", 1, 0.1, vec(0.1, 0.02, 0.7), stone);
    machine_ready(&s.m);
    add_to(&s, low, 2);
    add_to(&s, high, 1);
    return s;
}

/* A box tumbles: its corners take turns, and some are gone before the step ends. */
static Scene make_box(int hypothesis) {
    BrMaterialId stone;
    Scene s = make_floor(0.4, 0.3, hypothesis, &stone);
    BrBodyId box = machine_block(&s.m, "box", 3, vec(0.3, 0.2, 0.1), vec(0, 0, 0.3), stone);
    machine_ready(&s.m);
    machine_set_twist(&s.m, box, vec(1, 0.2, -1), vec(3, 17, 2));
    add_to(&s, box, 3);
    return s;
}

static void a_ball_that_bounces_has_been_pushed(void **unused) {
    (void)unused;
    check_all(make_ball, 10e-3, 120);
    check_all(make_ball, 50e-3, 24);
}

static void balls_that_meet_push_each_other(void **unused) {
    (void)unused;
    check_all(make_two_balls, 10e-3, is_slow_run() ? 30 : 60); /* it falls for 20 */
}

static void corners_that_are_gone_have_pushed(void **unused) {
    (void)unused;
    check_ways(make_box, RIGID, 2, 10e-3, 100);
    check_ways(make_box, RIGID, 2, 40e-3, 25);
    check_ways(make_box, RIGID + 2, 1, 10e-3, 25);
    check_ways(make_box, SOFT + 2, 2, 20e-3, 50);
}

/* ------------------------------------------------------------------ event: integrals, not the force at the end */

/* What lands without bouncing has been stopped within a millisecond. */
static void landing_reads_the_blow(void **unused) {
    (void)unused;
    Scene s = {.m = machine_begin(DOWN)};
    BrMaterialId clay = make_material(&s.m, 0, 0, 0);
    BrStepDef def = machine_event_def(1e-3);
    machine_floor(&s.m, clay);
    machine_ball(&s.m, "ball", 2, 0.2, vec(0, 0, 0.7), clay);
    machine_ready(&s.m);
    double fall = sqrt(2 * 0.5 / G), most = 0;
    for (int k = 0; k < 330; k++) {
        machine_steps(&s.m, &def, 1);
        most = fmax(most, machine_contact_force(&s.m, true).z);
    }
    double at_rest = ceil(fall * 1e3) * 1e-3 - fall; /* within that step, after the blow */
    assert_near(most * 1e-3, 2 * G * fall + 2 * G * at_rest, 1e-9);
    machine_end(&s.m);
}

/* A ball slides off a smooth ball: the sum of its means is its change of momentum, although its force falls and turns
 * all the time; the first of them is that of a force of m g (3 cos a - 2 cos a0), nearly. */
static void hill_is_integrated(void **unused) {
    (void)unused;
    const double h = 20e-3, a = 0.3;
    Scene s = {.m = machine_begin(DOWN)};
    BrMaterialId ice = make_material(&s.m, 0, 0, 0);
    BrStepDef def = machine_event_def(h);
    machine_sphere(&s.m, s.m.ground, 1, ice);
    add_to(&s, machine_ball(&s.m, "ball", 1, 0.25, vec(1.25 * sin(a), 0, 1.25 * cos(a)), ice), 1);
    machine_ready(&s.m);
    assert_balance(&s, &def, 20, 1e-10, "hill");
    machine_end(&s.m);
}

/* A pendulum that swings against a wall: its hinge carries what changes the bob's momentum, blows
 * included. */
static void hinge_feels_the_swing_and_the_blow(void **unused) {
    (void)unused;
    const double h = 20e-3;
    Machine m = machine_begin(DOWN);
    BrMaterialId stone = make_material(&m, 0, 0.5, 0);
    BrBodyId bob = machine_ball(&m, "bob", 2, 0.1, vec(0.8, 0, -0.6), stone);
    BrJointId hinge = machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, bob, NONE, Y);
    machine_plane(&m, X, stone);
    BrFilterDef filter = br_default_filter_def();
    filter.body_a = m.ground, filter.body_b = bob, filter.touch = true;
    assert_int_equal(br_model_add_filter(m.model, &filter, NULL), BR_OK);
    machine_ready(&m);
    BrStepDef def = machine_event_def(h);
    double struck = 0;
    for (int k = 0; k < 40; k++) {
        BrVec3 before = machine_twist(&m, bob).linear;
        BrWrench mean;
        machine_steps(&m, &def, 1);
        BrVec3 pushed = machine_contact_force(&m, true);
        assert_int_equal(br_joint_reaction_mean(m.model, m.workspace, hinge, &mean), BR_OK);
        BrVec3 gain = sub(machine_twist(&m, bob).linear, add(before, scale(h, DOWN)));
        assert_near(norm(sub(scale(2, gain), scale(h, add(mean.force, pushed)))), 0, 1e-9);
        struck = fmax(struck, h * pushed.x);
    }
    assert_true(struck > 1); /* N s */
    machine_end(&m);
}

/* ------------------------------------------------------------------ recordings */

enum { ROWS = 60 };

static const char TUMBLING[] = "bristle: 1\nstep: {scheme: hem2, dt: 20 ms, until: 1.2}\n"
                               "materials: {stone: {friction: {law: coulomb, mu: 0.4}, restitution: 0.3}}\nbodies:\n"
                               "  ground: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: stone}]}\n"
                               "  box: {mass: 3, inertia: [0.0125, 0.025, 0.0325], pose: {position: [0, 0, 0.3]},\n"
                               "        velocity: {linear: [1, 0.2, -1], angular: [3, 17, 2]},\n"
                               "        shapes: [{box: {size: [0.3, 0.2, 0.1]}, material: stone}]}\n";

/* More corners of a box that tumbles may have pushed within a step than touch at its end: the rows of a recording have
 * the momentum of all of them. */
static void rows_have_the_whole_momentum(void **unused) {
    (void)unused;
    BrError error = {0};
    BrScene *scene;
    BrState *state;
    BrWorkspace *workspace;
    BrRecorder *recorder;
    BrRecording *recording;
    BrStepReport worst = {0};
    BrTwist before, after;
    char file[64];
    if (br_scene_parse(TUMBLING, strlen(TUMBLING), "box.yaml", NULL, &scene, &error) != BR_OK)
        fail_msg("%s", error.text);
    const BrModel *model = br_scene_model(scene);
    BrStepDef def = br_scene_run_def(scene).step;
    BrBodyId box = br_model_find_body(model, "box");
    assert_int_equal(br_state_create(model, &state, NULL), BR_OK);
    assert_int_equal(br_workspace_create(model, &workspace, NULL), BR_OK);
    BrRecordDef rows = br_record_def_like(scene);
    rows.rows = ROWS;
    name_new_file(".h5", file);
    assert_int_equal(br_body_twist(model, state, box, &before), BR_OK);
    assert_int_equal(br_recorder_open(model, &rows, file, &recorder, &error), BR_OK);
    for (int k = 0; k < ROWS; k++) {
        if (br_step(model, workspace, state, &def, NULL, &error) < 0) fail_msg("%s", error.text);
        assert_int_equal(br_recorder_write(recorder, workspace, state, &worst, 0, &error), BR_OK);
    }
    assert_int_equal(br_recorder_close(recorder, NULL), BR_OK);
    assert_int_equal(br_body_twist(model, state, box, &after), BR_OK);
    assert_int_equal(br_recording_open(file, &recording, NULL), BR_OK);
    BrVec3 sum = NONE;
    double push[3 * ROWS];
    if (br_recording_read(recording, "contacts.box/ground.force_mean", push, &error) != BR_OK)
        fail_msg("%s", error.text);
    for (int k = 0; k < ROWS; k++) sum = add(sum, scale(def.dt, vec(push[3 * k], push[3 * k + 1], push[3 * k + 2])));
    BrVec3 gain = sub(sub(after.linear, before.linear), scale(ROWS * def.dt, DOWN));
    assert_near(norm(sub(sum, scale(3, gain))), 0, 1e-11);
    br_recording_close(recording);
    remove(file);
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
    br_scene_destroy(scene);
}

/* ------------------------------------------------------------------ bounds of a reading */

typedef struct Asked {
    int times;
    bool says;
} Asked;

static bool ask(void *user) {
    Asked *asked = user;
    asked->times++;
    return asked->says;
}

/* Forces in a pyramid that stopped short, by a bound of its contacts' work or by a stop, are in their cones, and say so;
 * the stop is not asked again. Without bounds they are found. */
static void readings_end_when_told(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId stone = make_material(&m, 0.5, 0, 0);
    Asked asked = {0};
    machine_floor(&m, stone);
    machine_pyramid(&m, 24, stone);
    machine_ready(&m);
    BrEvaluateDef def = br_default_evaluate_def();
    def.stop = ask, def.stop_user = &asked;
    assert_int_equal(br_evaluate_with(m.model, m.workspace, m.state, &def, NULL), BR_OK);
    int whole = asked.times;
    assert_true(whole > 1);
    for (int way = 0; way < 2; way++) {
        asked = (Asked){0, way == 1};
        def.contact_work = way == 1 ? INFINITY : 1e3;
        assert_int_equal(br_evaluate_with(m.model, m.workspace, m.state, &def, NULL), BR_NOT_CONVERGED);
        assert_true(asked.times < whole && (way == 0 || asked.times == 1));
        for (int k = 0; k < br_contact_count(m.model, m.workspace); k++) {
            BrContact c;
            assert_int_equal(br_contact(m.model, m.workspace, k, &c), BR_OK);
            assert_true(c.normal_force >= 0 && c.margin >= -1e-9 * c.normal_force);
        }
    }
    def.contact_work = 0;
    assert_int_equal(br_evaluate_with(m.model, m.workspace, m.state, &def, NULL), BR_INVALID_ARGUMENT);
    def.struct_size--;
    assert_true(br_evaluate_with(m.model, m.workspace, m.state, &def, NULL) < 0);
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(landing_reads_the_blow),
        cmocka_unit_test(hill_is_integrated),
        cmocka_unit_test(hinge_feels_the_swing_and_the_blow),
        cmocka_unit_test(rows_have_the_whole_momentum),
        cmocka_unit_test(readings_end_when_told),
        cmocka_unit_test(a_ball_that_bounces_has_been_pushed),
        cmocka_unit_test(balls_that_meet_push_each_other),
        cmocka_unit_test(corners_that_are_gone_have_pushed),
    };
    return cmocka_run_group_tests_name("means", tests, NULL, NULL);
}
