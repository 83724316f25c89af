/* test_own_laws.c: laws of users: friction that falls with the slip under every formulation, restitution that falls with
 * the speed, forces with a memory; by C and from scenes; what is no law is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"

static const double G = 9.81;
static const BrVec3 NONE = {0, 0, 0}, DOWN = {0, 0, -9.81};

/* ------------------------------------------------------------------ Stribeck's curve */

/* mu(v) = mu_k + (mu_s - mu_k) exp(-(v/v_s)^2) + viscous v: falls, and rises again. */
enum { MU_S, MU_K, V_S, VISCOUS, WIDTH, PARAMETERS };

static const BrLawParameter CURVE[PARAMETERS] = {[MU_S] = {"mu_s", "", NAN, 0, 10, NULL, "at rest"},
                                                 [MU_K] = {"mu_k", "", NAN, 0, 10, NULL, "fast"},
                                                 [V_S] = {"v_s", "m/s", 0.1, 1e-6, 10, NULL, "over which it falls"},
                                                 [VISCOUS] = {"viscous", "s/m", 0, 0, 10, NULL, "by which it rises"},
                                                 [WIDTH] = {"width", "m/s", 0, 0, 10, NULL, "over which it builds up"}};

static double curve(const double *p, double v) {
    return p[MU_K] + (p[MU_S] - p[MU_K]) * exp(-v * v / (p[V_S] * p[V_S])) + p[VISCOUS] * v;
}

/* With what builds up. */
static double drag(const double *p, double v) { return curve(p, v) * (p[WIDTH] > 0 ? tanh(v / p[WIDTH]) : 1); }

static double holds(const BrLaw *law) { return law->value[MU_S]; }
static double slides(const BrLaw *law, double speed) { return curve(law->value, speed); }
static double builds_up(const BrLaw *law) { return law->value[WIDTH]; }

static BrFrictionAnswer rub(const BrLaw *law, double normal, BrVec3 slip, const double *memory, double *memory_rate) {
    double speed = norm(slip), most = curve(law->value, speed) * normal, slope = most / (speed > 1e-4 ? speed : 1e-4);
    (void)memory, (void)memory_rate;
    return (BrFrictionAnswer){.force = scale(-slope, slip), .loss = slope * dot(slip, slip), .slides = speed > 1e-4};
}

static const char *object(const BrLaw *law) {
    return law->value[MU_S] >= law->value[MU_K] ? NULL : "mu_s must not be below mu_k";
}

static BrLawDef stribeck_def(void) {
    BrLawDef def = br_default_law_def();
    def.name = "mine", def.kind = BR_LAW_FRICTION;
    def.reference = "Stribeck 1902", def.help = "falls with the slip";
    def.parameters = PARAMETERS, def.parameter = CURVE;
    def.objects = object;
    def.dry = (BrDryFriction){.holds = holds, .slides = slides, .width = builds_up};
    def.friction = (BrFrictionForces){.answer = rub};
    return def;
}

static const double OF[PARAMETERS] = {[MU_S] = 0.6, [MU_K] = 0.3, [V_S] = 0.4, [VISCOUS] = 0.05};
static const double SMOOTH[PARAMETERS] = {[MU_S] = 0.6, [MU_K] = 0.3, [V_S] = 0.4, [VISCOUS] = 0.05, [WIDTH] = 0.5};

/* A point of 2 kg on a floor, with a velocity. */
static Machine slide_point(const double *of, BrVec3 velocity, BrFormulation formulation) {
    Machine m = machine_begin(DOWN);
    BrLawDef law = stribeck_def();
    assert_int_equal(br_model_add_law(m.model, &law, NULL), BR_OK);
    BrMaterialDef material = br_default_material_def();
    material.name = "steel";
    material.surface.friction = br_model_law(m.model, BR_LAW_FRICTION, "mine");
    memcpy(material.surface.friction.value, of, sizeof OF);
    material.surface.compliant_friction = material.surface.friction;
    material.surface.compliant_normal = br_law(BR_LAW_NORMAL, "kelvin-voigt");
    br_law_set(&material.surface.compliant_normal, "stiffness", 1e6);
    BrMaterialId steel = machine_add_material(&m, &material);
    machine_floor(&m, steel);
    double depth = formulation == BR_FORMULATION_COMPLIANT ? 2 * G / 1e6 : 0;
    BrBodyId point = machine_body(&m, "point", 2, diagonal(1, 1, 1), vec(0, 0, -depth));
    machine_point(&m, point, NONE, steel);
    machine_ready(&m);
    br_state_set_formulation(m.state, formulation);
    machine_set_twist(&m, point, velocity, NONE);
    return m;
}

static void brake(double t, const double *y, double *rate, const void *user) {
    (void)t;
    rate[0] = -G * drag(user, y[0]);
    rate[1] = y[0];
}

typedef struct Way {
    const char *name;
    BrFormulation formulation;
    BrScheme scheme;
    double dt, error; /* of speed (m/s) and way (m) after 0.2 s */
} Way;

/* Errors: moreau's first order, hem2's second, the others' own. rub() holds below 1e-4 m/s alone. */
static const Way WAYS[] = {
    {"moreau", BR_FORMULATION_TIMESTEPPING, BR_SCHEME_MOREAU, 1e-3, 2e-3},
    {"hem2", BR_FORMULATION_TIMESTEPPING, BR_SCHEME_HEM2, 1e-3, 2e-6},
    {"event", BR_FORMULATION_EVENT, BR_SCHEME_HEM2, 1e-2, 1e-11},
    {"rk4", BR_FORMULATION_COMPLIANT, BR_SCHEME_RK4, 1e-4, 1e-8},
    {"adaptive", BR_FORMULATION_COMPLIANT, BR_SCHEME_ADAPTIVE, 1e-2, 1e-8},
    {"hybrid", BR_FORMULATION_HYBRID, BR_SCHEME_HEM2, 1e-3, 2e-6},
};

static BrStepDef way_def(const Way *way) {
    BrStepDef def = machine_step_def(way->scheme, way->dt);
    def.formulation = way->formulation;
    def.tolerance = 1e-13;
    return def;
}

/* v' = -g mu(v), from 1.5 m/s down; the force that is read is that of the curve at the slip that is read. */
static void brake_along(const double *of, size_t ways) {
    double y[2] = {1.5, 0};
    integrate(brake, of, 2, 0, 0.2, 20000, y);
    for (size_t i = 0; i < ways; i++) {
        const Way *way = &WAYS[i];
        const BrVec3 along = {0.6, -0.8, 0};
        Machine m = slide_point(of, scale(1.5, along), way->formulation);
        BrBodyId point = br_model_find_body(m.model, "point");
        BrStepDef def = way_def(way);
        for (int k = 0; k < (int)(0.2 / way->dt + 0.5); k++) {
            machine_steps(&m, &def, 1);
            BrContact c = machine_contact(&m, 0);
            assert_near(norm(c.friction_force) / c.normal_force, drag(of, norm(c.slip)), 1e-9);
            assert_true(dot(c.friction_force, c.slip) < 0);
        }
        BrVec3 v = machine_twist(&m, point).linear, r = machine_pose(&m, point).position;
        assert_near(dot(v, along), y[0], way->error);
        assert_near(dot(r, along), y[1], way->error);
        assert_near(machine_energy(&m).defect, 0, 2 * 2 * G * way->error);
        machine_end(&m);
    }
}

static void a_curve_brakes_under_every_formulation(void **unused) {
    (void)unused;
    brake_along(OF, sizeof WAYS / sizeof *WAYS);
    brake_along(SMOOTH, 3); /* rub() does not build up so */
}

/* On a slope that mu_s holds and mu_k does not: rest stays rest, and a push that is fast enough does not come to rest. */
static void a_curve_holds_or_lets_go(void **unused) {
    (void)unused;
    const double angle = atan(0.5);
    for (int fast = 0; fast < 2; fast++)
        for (size_t i = 0; i < 3; i++) {
            const Way *way = &WAYS[i];
            const BrVec3 slope = {G * sin(angle), 0, -G * cos(angle)};
            Machine m = machine_begin(slope);
            BrLawDef law = stribeck_def();
            assert_int_equal(br_model_add_law(m.model, &law, NULL), BR_OK);
            BrMaterialDef material = br_default_material_def();
            material.name = "steel";
            material.surface.friction = br_model_law(m.model, BR_LAW_FRICTION, "mine");
            memcpy(material.surface.friction.value, OF, sizeof OF);
            BrMaterialId steel = machine_add_material(&m, &material);
            machine_floor(&m, steel);
            BrBodyId point = machine_body(&m, "point", 2, diagonal(1, 1, 1), NONE);
            machine_point(&m, point, NONE, steel);
            machine_ready(&m);
            /* mu(v) = 0.5 at 0.27 m/s: slower slides come to rest, faster ones gain */
            machine_set_twist(&m, point, vec(fast ? 0.35 : 0.2, 0, 0), NONE);
            BrStepDef def = way_def(way);
            machine_steps(&m, &def, (int)(0.5 / way->dt));
            double v = machine_twist(&m, point).linear.x;
            if (fast)
                assert_true(v > 0.4);
            else
                assert_near(v, 0, 1e-9); /* BRI_SLIP */
            machine_end(&m);
        }
}

/* ------------------------------------------------------------------ the same curve as a law of the house */

static double house_slides(const BrLaw *law, double speed) {
    const double *p = law->value;
    return p[MU_K] + (p[MU_S] - p[MU_K]) * exp(-speed * speed / (p[V_S] * p[V_S]));
}

/* In the bearing of a pendulum and under a point on a floor: as the house's stribeck, whose exp() is its own. */
static Machine hang_and_slide(bool own) {
    Machine m = machine_begin(DOWN);
    BrLawDef def = stribeck_def();
    def.dry.slides = house_slides, def.parameters = 3;
    if (own) assert_int_equal(br_model_add_law(m.model, &def, NULL), BR_OK);
    BrLaw law = own ? br_model_law(m.model, BR_LAW_FRICTION, "mine") : br_law(BR_LAW_FRICTION, "stribeck");
    memcpy(law.value, OF, 3 * sizeof *OF);
    BrMaterialDef material = br_default_material_def();
    material.name = "steel", material.surface.friction = law;
    BrMaterialId steel = machine_add_material(&m, &material);
    machine_floor(&m, steel);
    BrBodyId point = machine_body(&m, "point", 2, diagonal(1, 1, 1), NONE);
    machine_point(&m, point, NONE, steel);
    BrBodyId rod = machine_body(&m, "rod", 1, diagonal(0.1, 0.1, 0.01), vec(0.5, 0, 2));
    BrJointDef joint = br_default_joint_def();
    joint.name = "hinge", joint.body_a = m.ground, joint.body_b = rod;
    joint.at = vec(0, 0, 2), joint.axis = vec(0, 1, 0);
    joint.friction.law = law, joint.friction.pin_radius = 0.05, joint.friction.bearing_spacing = 0.2;
    machine_add_joint(&m, &joint);
    machine_ready(&m);
    machine_set_twist(&m, point, vec(1, 0.2, 0), NONE);
    return m;
}

static void a_law_of_ones_own_is_as_one_of_the_house(void **unused) {
    (void)unused;
    for (size_t i = 0; i < 3; i++) {
        Machine own = hang_and_slide(true), house = hang_and_slide(false), none = hang_and_slide(false);
        BrStepDef def = way_def(&WAYS[i]);
        machine_steps(&own, &def, (int)(0.3 / def.dt));
        machine_steps(&house, &def, (int)(0.3 / def.dt));
        assert_near(machine_distance(&own, &house), 0, 1e-12); /* exp() rounds otherwise than ours */
        assert_true(machine_distance(&own, &none) > 0.1);
        machine_end(&own), machine_end(&house), machine_end(&none);
    }
}

/* ------------------------------------------------------------------ restitution by the speed */

static double give_back(const BrLaw *law, double speed) { return exp(-speed / law->value[0]); }

/* A ball falls on a floor with 3 m/s, and returns with e(3) 3; the second time with e(e(3) 3) of that. */
static void restitution_may_fall_with_the_speed(void **unused) {
    (void)unused;
    static const BrLawParameter TABLE[] = {{"v_0", "m/s", 4, 1e-3, 1e3, NULL, "over which it falls"}};
    BrLawDef def = br_default_law_def();
    def.name = "clay", def.kind = BR_LAW_NORMAL, def.parameters = 1, def.parameter = TABLE;
    def.restitution = give_back;
    for (size_t i = 0; i < 3; i++) {
        Machine m = machine_begin(NONE);
        assert_int_equal(br_model_add_law(m.model, &def, NULL), BR_OK);
        BrMaterialDef material = br_default_material_def();
        material.name = "clay", material.surface.normal = br_model_law(m.model, BR_LAW_NORMAL, "clay");
        br_law_set(&material.surface.friction, "mu", 0.3);
        BrMaterialId clay = machine_add_material(&m, &material);
        machine_plane(&m, vec(0, 0, 1), clay);
        BrBodyId ball = machine_ball(&m, "ball", 2, 0.1, vec(0, 0, 0.2), clay);
        machine_ready(&m);
        BrStepDef step = way_def(&WAYS[i]);
        double speed = 3;
        for (int bounce = 0; bounce < 2; bounce++) {
            machine_set_twist(&m, ball, vec(0, 0, -speed), NONE);
            machine_steps(&m, &step, (int)(0.1 / step.dt));
            speed *= exp(-speed / 4);
            assert_near(machine_twist(&m, ball).linear.z, speed, 1e-12);
        }
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ what laws remember */

enum { STIFFNESS, DAMPING };

/* f = k d (1 + c/v_0 d'), v_0 being latched at the touch: as Hunt and Crossley's, with their 3/2 alpha = c/v_0. */
static BrPower latch_power(const BrLaw *law) { return (BrPower){law->value[STIFFNESS], 1}; }
static void latch_touch(const BrLaw *law, double speed, double *memory) { (void)law, memory[0] = speed; }
static BrNormalAnswer latch_answer(const BrLaw *law, double k, const double *memory, double depth, double rate,
                                   double *memory_rate) {
    double elastic = k * depth, force = elastic * (1 + law->value[DAMPING] / memory[0] * rate);
    (void)memory_rate;
    if (!(force > 0)) force = 0;
    return (BrNormalAnswer){.force = force, .stored = 0.5 * elastic * depth, .loss = (force - elastic) * rate};
}

/* f = c v, and the way that was slid. */
static BrFrictionAnswer way_answer(const BrLaw *law, double normal, BrVec3 v, const double *memory,
                                   double *memory_rate) {
    (void)normal, (void)memory;
    memory_rate[0] = v.x, memory_rate[1] = v.y, memory_rate[2] = v.z;
    return (BrFrictionAnswer){.force = scale(-law->value[0], v), .loss = law->value[0] * dot(v, v), .slides = true};
}

static BrLawDef latch_def(void) {
    static const BrLawParameter TABLE[] = {[STIFFNESS] = {"stiffness", "N/m", NAN, 0, 1e9, NULL, "of the ground"},
                                           [DAMPING] = {"damping", "", 0.3, 0, 10, NULL, "at the speed of the touch"}};
    static const BrLawMemory MEMORY[] = {{.name = "struck_with",
                                          .symbol = "v_0",
                                          .unit = "m/s",
                                          .latch = true,
                                          .initial = 1e9,
                                          .help = "speed of the touch"}};
    BrLawDef def = br_default_law_def();
    def.name = "latching", def.kind = BR_LAW_NORMAL, def.parameters = 2, def.parameter = TABLE;
    def.memories = 1, def.memory = MEMORY, def.touch = latch_touch;
    def.normal = (BrNormalForces){.power = latch_power, .answer = latch_answer};
    return def;
}

static BrLawDef way_def_of_a_law(void) {
    static const BrLawParameter TABLE[] = {{"c", "N s/m", NAN, 0, 1e9, NULL, "force per slip"}};
    static const BrLawMemory MEMORY[] = {
        {.name = "way", .symbol = "w", .unit = "m", .tangent = true, .help = "that was slid"}};
    BrLawDef def = br_default_law_def();
    def.name = "oil", def.kind = BR_LAW_FRICTION, def.parameters = 1, def.parameter = TABLE;
    def.memories = 1, def.memory = MEMORY, def.friction.answer = way_answer;
    return def;
}

static Machine drop_point(const BrMaterialDef *other, bool own, BrVec3 velocity) {
    Machine m = machine_begin(NONE);
    BrLawDef normal = latch_def(), friction = way_def_of_a_law();
    BrMaterialDef material = *other;
    if (own) {
        assert_int_equal(br_model_add_law(m.model, &normal, NULL), BR_OK);
        assert_int_equal(br_model_add_law(m.model, &friction, NULL), BR_OK);
        material.surface.compliant_normal = br_model_law(m.model, BR_LAW_NORMAL, "latching");
        br_law_set(&material.surface.compliant_normal, "stiffness", 1e5);
        material.surface.compliant_friction = br_model_law(m.model, BR_LAW_FRICTION, "oil");
        br_law_set(&material.surface.compliant_friction, "c", 3);
    }
    BrMaterialId soft = machine_add_material(&m, &material);
    machine_floor(&m, soft);
    BrBodyId point = machine_body(&m, "point", 2, diagonal(1, 1, 1), vec(0, 0, 1e-3));
    machine_point(&m, point, NONE, soft);
    machine_ready(&m);
    br_state_set_formulation(m.state, BR_FORMULATION_COMPLIANT);
    machine_set_twist(&m, point, velocity, NONE);
    return m;
}

/* A touch at 2 m/s is remembered, and the impact is that of Hunt and Crossley's law with 3/2 alpha = 0.3/2; the way is
 * that of a slip which c slows down: v0 m/c (1 - e^(-c t/m)) from the touch on. */
static void what_a_law_remembers_is_its_own(void **unused) {
    (void)unused;
    const double late = 1e-3 / 2; /* s: when it touches */
    BrMaterialDef material = br_default_material_def();
    material.name = "soft";
    br_law_set(&material.surface.friction, "mu", 0.5);
    material.surface.compliant_normal = br_law(BR_LAW_NORMAL, "hunt-crossley");
    br_law_set(&material.surface.compliant_normal, "stiffness", 1e5);
    br_law_set(&material.surface.compliant_normal, "exponent", 1);
    br_law_set(&material.surface.compliant_normal, "alpha", 0.1);
    material.surface.compliant_friction = br_law(BR_LAW_FRICTION, "tanh");
    br_law_set(&material.surface.compliant_friction, "mu", 0);
    Machine own = drop_point(&material, true, vec(0.5, 0, -2)), house = drop_point(&material, false, vec(0.5, 0, -2));
    BrStepDef def = way_def(&WAYS[4]);
    def.dt = 1e-3;
    machine_steps(&own, &def, 5), machine_steps(&house, &def, 5);
    machine_contact(&own, 0);
    assert_near(machine_memory(&own, 0, "struck_with").x, 2, 1e-12);
    assert_near(machine_memory(&own, 0, "v_0").x, 2, 1e-12);
    assert_near(machine_memory(&own, 0, "way").x, 0.5 * 2 / 3.0 * (1 - exp(-3.0 / 2 * (5e-3 - late))), 1e-10);
    BrBodyId point = br_model_find_body(own.model, "point");
    machine_steps(&own, &def, 15), machine_steps(&house, &def, 15);
    double back = machine_twist(&own, point).linear.z;
    assert_near(back, machine_twist(&house, br_model_find_body(house.model, "point")).linear.z, 1e-9);
    assert_true(back > 1.2 && back < 1.9);
    assert_near(machine_energy(&own).defect, 0, 1e-9);
    BrStability stability; /* viscosity by differences, and nothing known of the stick */
    assert_int_equal(br_stability(own.model, own.workspace, own.state, &def, &stability, NULL), BR_OK);
    machine_end(&own), machine_end(&house);
}

/* ------------------------------------------------------------------ from a scene, and back from a recording */

static const char SCENE[] =
    "bristle: 1\n"
    "step: {formulation: %s, dt: 1 ms, until: 0.3 s}\n"
    "materials:\n"
    "  steel:\n"
    "    friction: {law: mine, mu_s: 0.6, mu_k: 0.3, v_s: 400 mm/s, viscous: 0.05}\n"
    "    compliant:\n"
    "      normal: {law: kelvin-voigt, stiffness: 1e6, damping: 1e3}\n"
    "      friction: {law: mine, mu_s: 0.6, mu_k: 0.3, v_s: 400 mm/s, viscous: 0.05}\n"
    "bodies:\n"
    "  floor: {fixed: true, shapes: [{plane: {}, material: steel}]}\n"
    "  point: {mass: 2, inertia: [1, 1, 1], velocity: {linear: [1.5, 0, 0]}, shapes: [{point: {}, material: steel}]}\n"
    "record: {every: 1 ms}\n";

static BrScene *read_scene(const char *text, const BrLawDef *law, BrError *error) {
    const BrLawDef *const laws[] = {law};
    BrSceneOptions options = br_default_scene_options();
    options.laws = laws, options.law_count = 1;
    BrScene *scene = NULL;
    br_scene_parse(text, strlen(text), "own.yaml", &options, &scene, error);
    return scene;
}

static void record_scene(const char *text, const BrLawDef *law, const char *path) {
    BrError error;
    BrScene *scene = read_scene(text, law, &error);
    if (!scene) fail_msg("%s", error.text);
    const BrModel *model = br_scene_model(scene);
    BrRunDef run = br_scene_run_def(scene);
    BrState *state;
    BrWorkspace *workspace;
    BrRecorder *recorder;
    BrStepReport report = {0};
    assert_int_equal(br_state_create(model, &state, NULL), BR_OK);
    assert_int_equal(br_workspace_create(model, &workspace, NULL), BR_OK);
    br_state_set_formulation(state, run.step.formulation);
    BrRecordDef def = br_record_def_like(scene);
    if (br_recorder_open(model, &def, path, &recorder, &error) != BR_OK) fail_msg("%s", error.text);
    for (int k = 0; k < 300; k++) {
        assert_true(br_step(model, workspace, state, &run.step, &report, &error) >= 0);
        assert_int_equal(br_recorder_write(recorder, workspace, state, &report, 0, NULL), BR_OK);
    }
    assert_int_equal(br_recorder_close(recorder, NULL), BR_OK);
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
    br_scene_destroy(scene);
}

/* The curve as a recording has it: friction over normal force against slip, in each row in which it presses and slides. */
static void a_recording_tells_the_curve(void **unused) {
    (void)unused;
    static const char *const NAMES[] = {"timestepping", "event", "compliant", "hybrid"};
    BrLawDef law = stribeck_def();
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        char text[sizeof SCENE + 32], file[64];
        double slip[900], friction[900], normal[300];
        int seen = 0;
        snprintf(text, sizeof text, SCENE, NAMES[i]);
        name_new_file(".h5", file);
        record_scene(text, &law, file);
        BrRecording *recording;
        assert_int_equal(br_recording_open(file, &recording, NULL), BR_OK);
        assert_int_equal(br_recording_rows(recording), 300);
        assert_int_equal(br_recording_read(recording, "contacts.point/floor.0.slip", slip, NULL), BR_OK);
        assert_int_equal(br_recording_read(recording, "contacts.point/floor.0.friction_force", friction, NULL), BR_OK);
        assert_int_equal(br_recording_read(recording, "contacts.point/floor.0.normal_force", normal, NULL), BR_OK);
        for (int k = 0; k < 300; k++) {
            if (!(fabs(slip[3 * k]) > 1e-3) || !(normal[k] > 0)) continue;
            assert_near(-friction[3 * k] / normal[k], curve(OF, slip[3 * k]), 1e-9);
            seen++;
        }
        assert_true(seen > 250);
        br_recording_close(recording);
        remove(file);
    }
}

/* ------------------------------------------------------------------ refusals */

static void expect_def(const char *says, BrLawDef def) {
    Machine m = machine_begin(DOWN);
    BrError error = {0};
    assert_true(br_model_add_law(m.model, &def, &error) < 0);
    if (!strstr(error.text, says)) fail_msg("'%s' is not in: %s", says, error.text);
    assert_int_equal(br_model_law_count(m.model), br_law_count());
    machine_end(&m);
}

static void what_is_no_law_is_refused(void **unused) {
    (void)unused;
    static const BrLawParameter TWICE[] = {{"mu", "", 0, 0, 1, NULL, ""}, {"mu", "", 0, 0, 1, NULL, ""}};
    static const BrLawParameter OUTSIDE[] = {{"mu", "", 2, 0, 1, NULL, ""}};
    static const BrLawMemory LONG[] = {{"way", "w", "m", true, false, 0, 0, 0, "way"},
                                       {"path", "p", "m", true, false, 0, 0, 0, "path"}};
    static const BrLawMemory OTHER[] = {{"dwell", "s_dw", "s", false, false, 0, 0, 1, "time"}};
    BrLawDef def = stribeck_def();
    expect_def("start from br_default_law_def()", (BrLawDef){0});
    expect_def("a name of up to 31 letters", (def.name = "two words", def));
    expect_def("a law named 'coulomb' already", (def.name = "coulomb", def));
    def.name = "mine";
    expect_def("two parameters named 'mu'", (def.parameter = TWICE, def.parameters = 2, def));
    expect_def("the preset of 'mu' is 2, and its range is 0 to 1", (def.parameter = OUTSIDE, def.parameters = 1, def));
    expect_def("allowed are 0 to 10", (def.parameters = 11, def));
    def = stribeck_def();
    expect_def("remembers 6 numbers; friction laws have room for 4", (def.memory = LONG, def.memories = 2, def));
    expect_def("is of another unit", (def.memory = OTHER, def.memories = 1, def));
    def = stribeck_def();
    expect_def("dry needs both holds and slides", (def.dry.slides = NULL, def));
    expect_def("has no functions", (def.dry.holds = NULL, def.friction.answer = NULL, def));
    def = stribeck_def();
    expect_def("functions of a normal law", (def.restitution = give_back, def));
    expect_def("functions of a friction law", (def.kind = BR_LAW_NORMAL, def));
}

static double hold_nothing(const BrLaw *law) { return (void)law, 0; }
static double slide_nowhere(const BrLaw *law, double speed) { return (void)law, speed > 0.01 ? NAN : 0.1; }

static void expect_scene(const char *says, const char *old, const char *new, const BrLawDef *law) {
    char text[sizeof SCENE + 64], changed[sizeof text];
    BrError error = {0};
    snprintf(text, sizeof text, SCENE, "timestepping");
    const char *at = strstr(text, old);
    assert_non_null(at);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    BrScene *scene = read_scene(changed, law, &error);
    BrStepDef step = scene ? br_scene_run_def(scene).step : br_default_step_def();
    if (scene && br_step_fits(br_scene_model(scene), &step, &error) == BR_OK) fail_msg("accepted: %s", says);
    if (!strstr(error.text, says)) fail_msg("'%s' is not in: %s", says, error.text);
    br_scene_destroy(scene);
}

/* Ranges, units and words are those of its table; where it does not fit is said. */
static void scenes_are_checked_by_its_table(void **unused) {
    (void)unused;
    BrLawDef law = stribeck_def(), wrong = law;
    expect_scene("the law 'mine' needs 'mu_s' (at rest)", "mu_s: 0.6, ", "", &law);
    expect_scene("mu_s is 60; allowed is 0 to 10", "mu_s: 0.6", "mu_s: 60", &law);
    expect_scene("mu_s must not be below mu_k", "mu_s: 0.6", "mu_s: 0.2", &law);
    expect_scene("v_s", "400 mm/s", "400 mm", &law);
    expect_scene("did you mean 'viscous'", "viscous", "viscos", &law);
    expect_scene("did you mean 'mine'", "law: mine", "law: mina", &law);
    expect_scene("the law 'mine' works with the friction set cone", "dt: 1 ms", "scheme: moreau, friction_set: box",
                 &law);
    wrong.dry.holds = hold_nothing;
    expect_scene("holds up to mu = 0 and slides with 0.6", "1.5", "1.5", &wrong);
    wrong = law, wrong.dry.slides = slide_nowhere;
    expect_scene("gives mu = nan at a slip of 0.1 m/s", "1.5", "1.5", &wrong);
    wrong = law, wrong.friction.answer = NULL;
    expect_scene("unknown law 'mine'", "1.5", "1.5", &wrong);
}

/* A law of one model is none of another. */
static void models_do_not_share_laws(void **unused) {
    (void)unused;
    Machine a = machine_begin(DOWN), b = machine_begin(DOWN);
    BrLawDef law = stribeck_def();
    BrError error = {0};
    assert_int_equal(br_model_add_law(a.model, &law, NULL), BR_OK);
    assert_null(br_model_law(b.model, BR_LAW_FRICTION, "mine").info);
    BrMaterialDef material = br_default_material_def();
    material.name = "steel", material.surface.friction = br_model_law(a.model, BR_LAW_FRICTION, "mine");
    memcpy(material.surface.friction.value, OF, sizeof OF);
    assert_int_equal(br_model_add_material(b.model, &material, NULL, &error), BR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.text, "start from br_law(), or br_model_law() of this model"));
    assert_int_equal(br_model_add_material(a.model, &material, NULL, NULL), BR_OK);
    assert_int_equal(br_model_add_law(a.model, &law, &error), BR_INVALID_DEF);
    assert_string_equal(br_model_law_info(a.model, br_law_count())->name, "mine");
    assert_null(br_model_law_info(a.model, br_law_count() + 1));
    machine_end(&a), machine_end(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_curve_brakes_under_every_formulation),
        cmocka_unit_test(a_curve_holds_or_lets_go),
        cmocka_unit_test(a_law_of_ones_own_is_as_one_of_the_house),
        cmocka_unit_test(restitution_may_fall_with_the_speed),
        cmocka_unit_test(what_a_law_remembers_is_its_own),
        cmocka_unit_test(a_recording_tells_the_curve),
        cmocka_unit_test(what_is_no_law_is_refused),
        cmocka_unit_test(scenes_are_checked_by_its_table),
        cmocka_unit_test(models_do_not_share_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
