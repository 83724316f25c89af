/* test_honesty.c: what cannot be right is not called right, and hard corners stay bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bristle/record.h"
#include "machine.h"

/* A two-link arm held still by two motors whose bounds are, to rounding, just what holding takes: it stays. */
static void motors_at_their_bound_to_rounding(void **unused) {
    (void)unused;
    for (int s = 0; s < BR_TIMESTEPPING_SCHEMES; s++)
        for (int q = 0; q < 20; q++) {
            double effort[2] = {1e3, 1e3}, up = 0.3 * q;
            for (int round = 0; round < 2; round++) {
                Machine m = machine_begin(vec(0, 0, -9.81));
                BrVec3 arm = vec(cos(up), 0, sin(up)), y = vec(0, -1, 0);
                BrBodyId upper = machine_body(&m, "upper", 1, diagonal(0.1, 0.1, 0.1), scale(0.5, arm));
                BrBodyId lower = machine_body(&m, "lower", 1, diagonal(0.1, 0.1, 0.1), add(arm, vec(0.5, 0, 0)));
                BrJointId shoulder = machine_joint(&m, "shoulder", BR_JOINT_REVOLUTE, m.ground, upper, vec(0, 0, 0), y);
                BrJointId elbow = machine_joint(&m, "elbow", BR_JOINT_REVOLUTE, upper, lower, arm, y);
                BrMotorId motor[2] = {machine_motor(&m, "first", shoulder, 0, br_constant(0), effort[0]),
                                      machine_motor(&m, "second", elbow, 0, br_constant(0), effort[1])};
                machine_ready(&m);
                if (round == 1) machine_run(&m, (BrScheme)s, 1e-3, 50);
                assert_near(machine_twist(&m, lower).linear.z, 0, 1e-9); /* 1e-12 of the bound, over 50 ms */
                machine_acceleration(&m, lower);
                for (int k = 0; k < 2; k++) {
                    br_motor_effort(m.model, m.workspace, motor[k], &effort[k]);
                    effort[k] = fmax(fabs(effort[k]), 1e-9);
                }
                machine_end(&m);
            }
        }
}

/* Two sliders side by side, driven to different places: every step says that it did not converge. */
static void contradictory_motions(void **unused) {
    (void)unused;
    for (int s = 0; s < BR_TIMESTEPPING_SCHEMES; s++) {
        Machine m = machine_begin(vec(0, 0, 0));
        BrBodyId cart = machine_body(&m, "cart", 1, diagonal(1, 1, 1), vec(0, 0, 0));
        BrJointId left = machine_joint(&m, "left", BR_JOINT_PRISMATIC, m.ground, cart, vec(0, 0, 0), vec(1, 0, 0));
        BrJointId right = machine_joint(&m, "right", BR_JOINT_PRISMATIC, m.ground, cart, vec(0, 1, 0), vec(1, 0, 0));
        machine_motion(&m, "slow", left, 0, true, br_expression("0.1*t"));
        machine_motion(&m, "fast", right, 0, true, br_expression("0.3*t"));
        machine_ready(&m);
        BrStepDef def = br_default_step_def();
        def.scheme = (BrScheme)s;
        for (int k = 0; k < 20; k++)
            assert_int_equal(br_step(m.model, m.workspace, m.state, &def, NULL, NULL), BR_NOT_CONVERGED);
        machine_end(&m);
    }
}

/* A weld whose body was put down turned round by 130 degrees: its axes would be perpendicular in a wrong way. */
static void weld_turned_round(void **unused) {
    (void)unused;
    Machine m = machine_begin(vec(0, 0, 0));
    BrBodyId plate = machine_body(&m, "plate", 1, diagonal(1, 1, 1), vec(1, 0, 0));
    machine_joint(&m, "weld", BR_JOINT_FIXED, m.ground, plate, vec(0, 0, 0), vec(0, 0, 1));
    machine_ready(&m);
    BrError error = {0};
    BrPose pose = machine_pose(&m, plate);
    pose.rotation = turn_about(vec(0, 0, 1), 130 * PI / 180);
    assert_int_equal(br_body_set_pose(m.model, m.state, plate, pose, NULL), BR_OK);
    assert_int_equal(br_state_assemble(m.model, m.workspace, m.state, NULL, &error), BR_INVALID_MODEL);
    assert_non_null(strstr(error.text, "'weld'"));
    machine_end(&m);
}

/* A new target is answered by the reading at once, not one step later. */
static void motor_with_a_new_target(void **unused) {
    (void)unused;
    Machine m = machine_begin(vec(0, 0, 0));
    BrBodyId wheel = machine_body(&m, "wheel", 1, diagonal(1, 1, 1), vec(0, 0, 0));
    BrJointId axle = machine_joint(&m, "axle", BR_JOINT_REVOLUTE, m.ground, wheel, vec(0, 0, 0), vec(0, 0, 1));
    BrMotorId motor = machine_motor(&m, "motor", axle, 0, br_constant(1), 100);
    double effort;
    machine_ready(&m);
    machine_run(&m, BR_SCHEME_RATTLE, 1e-2, 20);
    machine_acceleration(&m, wheel);
    assert_int_equal(br_motor_effort(m.model, m.workspace, motor, &effort), BR_OK);
    assert_near(effort, 0, 1e-9);
    assert_int_equal(br_motor_set_target(m.model, m.state, motor, 10, 5, NULL), BR_OK);
    machine_acceleration(&m, wheel);
    assert_int_equal(br_motor_effort(m.model, m.workspace, motor, &effort), BR_OK);
    assert_near(effort, 5, 1e-12);
    machine_end(&m);
}

/* A body that spins fast and freely: its energy lies between |L|^2/2 over the largest and the least inertia. */
static void fast_spin_stays_bounded(void **unused) {
    (void)unused;
    const BrScheme schemes[] = {BR_SCHEME_MOREAU, BR_SCHEME_RATTLE};
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(vec(0, 0, 0));
        BrBodyDef def = br_default_body_def();
        def.name = "stone";
        def.mass = 1;
        def.inertia = diagonal(1, 2, 2.5);
        def.angular_velocity = vec(70, 50, 60);
        machine_add_body(&m, &def);
        machine_ready(&m);
        double L2 = 70 * 70 + 4 * 50 * 50 + 6.25 * 60 * 60;
        machine_run(&m, schemes[s], 1e-3, 5000);
        assert_between(machine_energy(&m).kinetic, L2 / 2 / 2.5 * (1 - 1e-9), L2 / 2 * (1 + 1e-9));
        machine_end(&m);
    }
}

/* A stone that tumbles through one radian a step and more is not followed by hem2, and its energy comes from nowhere:
 * steps that make more than a fiftieth of it say so. Nothing is said of the same stone in short steps. */
static void spin_that_is_not_followed_is_told(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(vec(0, 0, 0));
        BrMaterialId rock = machine_material(&m, "rock", 0.3, 0);
        machine_floor(&m, rock);
        BrBodyId stone = machine_block(&m, "stone", 1, vec(0.1, 0.3, 0.6), vec(0, 0, 5), rock);
        machine_ready(&m);
        machine_set_twist(&m, stone, vec(0, 0, 0), vec(20, 500, 50));
        BrStepDef def = machine_step_def(BR_SCHEME_HEM2, s ? 1e-4 : 1e-2);
        double before = machine_energy(&m).kinetic;
        int told = 0;
        for (int k = 0; k < 50; k++) {
            BrStepReport report;
            BrStatus status = br_step(m.model, m.workspace, m.state, &def, &report, NULL);
            double now = machine_energy(&m).kinetic;
            assert_true(status == BR_NOT_CONVERGED || now <= before * (1 + 0.0205)); /* 0.02 of what is there after */
            assert_int_equal(status == BR_NOT_CONVERGED, report.energy_made > 0);
            told += report.energy_made > 0;
            before = now;
        }
        assert_true(s ? told == 0 : told > 5);
        machine_end(&m);
    }
}

/* More than half a turn in a step is still counted. */
static void turns_in_large_steps(void **unused) {
    (void)unused;
    for (int s = 0; s < BR_TIMESTEPPING_SCHEMES; s++) {
        Machine m = machine_begin(vec(0, 0, 0));
        BrBodyDef def = br_default_body_def();
        def.name = "rotor";
        def.mass = 1;
        def.inertia = diagonal(1, 1, 1);
        def.angular_velocity = vec(0, 0, 400);
        BrJointId axle = machine_joint(&m, "axle", BR_JOINT_REVOLUTE, m.ground, machine_add_body(&m, &def),
                                       vec(0, 0, 0), vec(0, 0, 1));
        machine_ready(&m);
        machine_run(&m, (BrScheme)s, 1e-2, 100);
        assert_near(machine_position(&m, axle, 0), 400, 1e-8);
        machine_end(&m);
    }
}

typedef struct Log {
    int lines;
    char last[256];
} Log;

static void keep_line(void *user, const char *line) {
    Log *log = user;
    log->lines++;
    strncpy(log->last, line, sizeof log->last - 1);
}

/* What assembling changed goes to the model's log; a state that fits is not worth a line. */
static void log_tells_what_was_changed(void **unused) {
    (void)unused;
    Log log = {0, ""};
    BrModelDef model_def = br_default_model_def();
    BrModel *model;
    BrBodyId ground, bob;
    BrJointId rod;
    BrState *state;
    BrWorkspace *workspace;
    model_def.log = (BrLog){keep_line, &log};
    assert_int_equal(br_model_create(&model_def, &model, NULL), BR_OK);
    BrBodyDef body = br_default_body_def();
    body.name = "ground";
    body.kind = BR_BODY_FIXED;
    assert_int_equal(br_model_add_body(model, &body, &ground, NULL), BR_OK);
    body = br_default_body_def();
    body.name = "bob";
    body.mass = 1;
    body.inertia = diagonal(1, 1, 1);
    body.position = vec(1.25, 0, 0);
    assert_int_equal(br_model_add_body(model, &body, &bob, NULL), BR_OK);
    BrJointDef joint = br_default_joint_def();
    joint.name = "rod";
    joint.type = BR_JOINT_DISTANCE;
    joint.body_a = ground;
    joint.body_b = bob;
    joint.length = 1;
    assert_int_equal(br_model_add_joint(model, &joint, &rod, NULL), BR_OK);
    assert_int_equal(br_model_build(model, NULL), BR_OK);
    assert_int_equal(br_state_create(model, &state, NULL), BR_OK);
    assert_int_equal(br_workspace_create(model, &workspace, NULL), BR_OK);
    assert_int_equal(br_state_assemble(model, workspace, state, NULL, NULL), BR_OK);
    assert_int_equal(log.lines, 1);
    assert_non_null(strstr(log.last, "body 'bob' was moved by 0.25 m"));
    assert_int_equal(br_state_assemble(model, workspace, state, NULL, NULL), BR_OK);
    assert_int_equal(log.lines, 1);
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
    br_model_destroy(model);
}

/* Setting a velocity is no defect of the time stepping. */
static void books_begin_anew(void **unused) {
    (void)unused;
    Machine m = machine_begin(vec(0, 0, -9.81));
    BrBodyId stone = machine_body(&m, "stone", 1, diagonal(1, 1, 1), vec(0, 0, 0));
    machine_ready(&m);
    machine_run(&m, BR_SCHEME_RATTLE, 1e-3, 100);
    BrTwist twist = {vec(0, 0, 10), vec(1, 0, 0)};
    assert_int_equal(br_body_set_twist(m.model, m.state, stone, twist, NULL), BR_OK);
    machine_run(&m, BR_SCHEME_RATTLE, 1e-3, 100);
    assert_near(machine_energy(&m).defect, 0, 1e-11); /* rattle is exact in free fall; 50 J in rounding */
    machine_end(&m);
}

static bool is_finite_state(const Machine *m) {
    for (int k = 0; k < br_model_body_count(m->model); k++) {
        BrBodyId body = br_model_body(m->model, k);
        BrTwist twist = machine_twist(m, body);
        BrPose pose = machine_pose(m, body);
        double sum = norm(twist.linear) + norm(twist.angular) + norm(pose.position);
        for (int i = 0; i < 9; i++) sum += pose.rotation.m[i / 3][i % 3];
        if (isnan(sum)) return false;
    }
    return true;
}

/* Two bodies close together, pushed or thrown harder than numbers can follow: steps are refused with a sentence and
 * leave the state alone, in every formulation and for every shape. */
static void leaving_the_numbers_is_refused(void **unused) {
    (void)unused;
    static const BrScheme SCHEMES[] = {BR_SCHEME_MOREAU, BR_SCHEME_HEM2,     BR_SCHEME_MOREAU,
                                       BR_SCHEME_RK4,    BR_SCHEME_ADAPTIVE, BR_SCHEME_SEMI_IMPLICIT};
    static const BrFormulation FORMULATIONS[] = {BR_FORMULATION_TIMESTEPPING, BR_FORMULATION_TIMESTEPPING,
                                                 BR_FORMULATION_EVENT,        BR_FORMULATION_COMPLIANT,
                                                 BR_FORMULATION_COMPLIANT,    BR_FORMULATION_COMPLIANT};
    static const BrShapeKind KINDS[] = {BR_SHAPE_SPHERE,   BR_SHAPE_BOX,  BR_SHAPE_CAPSULE,
                                        BR_SHAPE_CYLINDER, BR_SHAPE_DISC, BR_SHAPE_ELLIPSOID};
    static const double THROWN[] = {0, 1e160, 1e300}, PUSHED[] = {1e308, 1e200, 0};
    int refused = 0, thrown = 0;
    for (int n = 0; n < 6 * 6 * 3; n += is_slow_run() ? 5 : 1) {
        Machine m = machine_begin(vec(0, 0, -9.81));
        BrMaterialDef steel = br_default_material_def();
        steel.name = "steel";
        steel.surface.normal = br_law(BR_LAW_NORMAL, "rigid");
        steel.surface.friction = br_law(BR_LAW_FRICTION, "coulomb");
        br_law_set(&steel.surface.friction, "mu", 0.5);
        steel.surface.compliant_normal = br_law(BR_LAW_NORMAL, "kelvin-voigt");
        br_law_set(&steel.surface.compliant_normal, "stiffness", 1e5);
        steel.surface.compliant_friction = br_law(BR_LAW_FRICTION, "tanh");
        br_law_set(&steel.surface.compliant_friction, "mu", 0.5);
        BrMaterialId material = machine_add_material(&m, &steel);
        BrShapeDef shape = br_default_shape_def();
        shape.kind = KINDS[n / 6 % 6], shape.size = vec(0.1, 0.1, 0.1), shape.radius = 0.05, shape.length = 0.1;
        shape.material = material;
        BrBodyId body[2];
        for (int k = 0; k < 2; k++) {
            body[k] = machine_body(&m, k ? "one" : "other", 1, diagonal(1, 2, 2.5), vec(0, 0.11 * k, 0.2));
            shape.body = body[k];
            machine_add_shape(&m, &shape);
        }
        machine_floor(&m, material);
        if (PUSHED[n / 36] > 0) machine_force(&m, "push", body[1], 1, br_constant(-PUSHED[n / 36]));
        machine_ready(&m);
        if (THROWN[n / 36] > 0)
            machine_set_twist(&m, body[1], vec(0, -THROWN[n / 36], 0), scale(THROWN[n / 36], vec(1, 2, 3)));
        thrown += THROWN[n / 36] > 0;
        BrStepDef def = br_default_step_def();
        def.scheme = SCHEMES[n % 6], def.formulation = FORMULATIONS[n % 6];
        for (int k = 0; k < 5; k++) {
            BrError error = {0};
            uint64_t before = br_state_hash(m.state);
            BrStatus status = br_step(m.model, m.workspace, m.state, &def, NULL, &error);
            assert_true(is_finite_state(&m));
            if (status >= 0) continue;
            assert_true(status == BR_DIVERGED || status == BR_TOO_MUCH_WORK);
            assert_true(strlen(error.text) > 0);
            if (THROWN[n / 36] > 0 && status == BR_DIVERGED && k == 0) /* no step is small enough */
                assert_null(strstr(error.text, "would leave the numbers"));
            assert_true(br_state_hash(m.state) == before);
            refused++;
            break;
        }
        machine_end(&m);
    }
    assert_true(refused >= thrown); /* all that spin: the square of 1e160 rad/s is no number */
}

/* The first row of a recording of this scene: certificate.reading. */
static double record_reading(const char *ending, double mu, BrStatus wanted) {
    char text[1024], file[64];
    BrError error = {0};
    BrScene *scene;
    BrState *state;
    BrWorkspace *workspace;
    BrRecorder *recorder;
    BrRecording *recording;
    BrStepReport worst = {0};
    double reading = NAN;
    snprintf(
        text, sizeof text,
        "bristle: 1\ngravity: [0, 0, -9.81]\nmaterials: {chalk: {friction: {law: coulomb, mu: %g}}}\nbodies:\n"
        "  board: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: chalk}]}\n"
        "  rod: {mass: 3, inertia: [5, 5, 5], pose: {position: [1, 0, 2]}, velocity: {linear: [-1, 0, 0]}, shapes: "
        "[{point: {}, at: [-1, 0, -2], material: chalk}]}\n",
        mu);
    if (br_scene_parse(text, strlen(text), "rod.yaml", NULL, &scene, &error) != BR_OK) fail_msg("%s", error.text);
    const BrModel *model = br_scene_model(scene);
    assert_int_equal(br_state_create(model, &state, NULL), BR_OK);
    assert_int_equal(br_workspace_create(model, &workspace, NULL), BR_OK);
    assert_int_equal(br_evaluate(model, workspace, state, NULL), wanted);
    name_new_file(ending, file);
    BrRecordDef row = br_record_def_like(scene);
    row.rows = 1;
    if (br_recorder_open(model, &row, file, &recorder, &error) != BR_OK) fail_msg("%s", error.text);
    assert_int_equal(br_recorder_write(recorder, workspace, state, &worst, 0, NULL), BR_OK);
    assert_int_equal(br_recorder_close(recorder, NULL), BR_OK);
    assert_int_equal(br_recording_open(file, &recording, NULL), BR_OK);
    if (br_recording_read(recording, "certificate.reading", &reading, &error) != BR_OK) fail_msg("%s", error.text);
    br_recording_close(recording);
    remove(file);
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
    br_scene_destroy(scene);
    return reading;
}

/* Painleve's rod: the tip slides, leading, under a rod of slope 2, m = 3, l^2 = 5, I = m l^2/3. With f_N the tip's
 * normal acceleration is (1.6 - 1.2 mu) f_N/m - g: for mu > 4/3 there is no force that holds it, and a row must say so.
 */
static void rows_say_where_there_is_no_force(void **unused) {
    (void)unused;
    static const char *const ENDINGS[] = {".h5", ".csv"};
    for (int k = 0; k < 2; k++) {
        assert_true(record_reading(ENDINGS[k], 1, BR_OK) == 0);
        assert_true(record_reading(ENDINGS[k], 2, BR_NOT_CONVERGED) == 1);
    }
}

/* A plate or a ball on a slide along x, sunk into the floor: nothing can push it out. Sunk by 2 % of its width it says so in
 * every step, standing or sliding, whatever its length; sunk by 0.2 % it is within what steps leave. */
static void overlap_that_stays_is_told(void **unused) {
    (void)unused;
    const BrScheme SCHEME[] = {BR_SCHEME_MOREAU, BR_SCHEME_HEM2};
    for (int s = 0; s < 2; s++)
        for (int ball = 0; ball < 2; ball++)
            for (int deep = 0; deep < 2; deep++) {
                double thick = 0.02, height = thick * (0.5 - (deep ? 0.02 : 0.002));
                Machine m = machine_begin(vec(0, 0, -9.81));
                BrMaterialId ice = machine_material(&m, "ice", 0, 0);
                BrBodyId body = ball ? machine_ball(&m, "ball", 1, thick / 2, vec(0, 0, height), ice)
                                     : machine_block(&m, "plate", 1, vec(1, 1, thick), vec(0, 0, height), ice);
                BrFilterDef touch = br_default_filter_def();
                machine_floor(&m, ice);
                machine_joint(&m, "slide", BR_JOINT_PRISMATIC, m.ground, body, vec(0, 0, height), vec(1, 0, 0));
                touch.body_a = m.ground, touch.body_b = body, touch.touch = true;
                assert_int_equal(br_model_add_filter(m.model, &touch, NULL), BR_OK);
                machine_ready(&m);
                BrStepDef def = machine_step_def(SCHEME[s], 1e-3);
                for (int k = 0; k < 20; k++) {
                    BrStepReport report;
                    if (k == 10) machine_set_twist(&m, body, vec(0.1, 0, 0), vec(0, 0, 0));
                    BrStatus status = br_step(m.model, m.workspace, m.state, &def, &report, NULL);
                    assert_true(status >= 0);
                    if (deep) assert_int_equal(status, BR_NOT_CONVERGED);
                    assert_int_equal(report.overlap > 0, deep);
                }
                machine_end(&m);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_say_where_there_is_no_force),
        cmocka_unit_test(motors_at_their_bound_to_rounding),
        cmocka_unit_test(contradictory_motions),
        cmocka_unit_test(weld_turned_round),
        cmocka_unit_test(motor_with_a_new_target),
        cmocka_unit_test(fast_spin_stays_bounded),
        cmocka_unit_test(spin_that_is_not_followed_is_told),
        cmocka_unit_test(turns_in_large_steps),
        cmocka_unit_test(books_begin_anew),
        cmocka_unit_test(log_tells_what_was_changed),
        cmocka_unit_test(leaving_the_numbers_is_refused),
        cmocka_unit_test(overlap_that_stays_is_told),
    };
    return cmocka_run_group_tests_name("honesty", tests, NULL, NULL);
}
