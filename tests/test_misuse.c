/* test_misuse.c: every public function called wrongly: with NULL in the place of each thing that it cannot do without,
 * and with numbers that mean nothing. Nothing crashes; what can be refused is, with a sentence where there is a place
 * for one. The last test reads the headers: a function that is not tried here fails it. */
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
#include <unistd.h>

#include <bristle/bristle.h>

#include "misuse.h"
#include "misuse_recordings.h"

/* ------------------------------------------------------------------ base.h, law.h, shape.h, solver.h */

static void lists_and_numbers(void **unused) {
    (void)unused;
    double x;
    const int none[] = {-1, 9999, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 4; i++) {
        CALM(br_nearest_word, "word", NULL, 0);
        CALM(br_status_name, (BrStatus)none[i]);
        CALM(br_status_text, (BrStatus)none[i]);
        NOTHING(br_law_info, none[i]);
        NOTHING(br_law_find, (BrLawKind)none[i], "coulomb");
        NOTHING(br_shape_info, (BrShapeKind)none[i]);
        NOTHING(br_shapes_collide, (BrShapeKind)none[i], BR_SHAPE_SPHERE, NULL);
        NOTHING(br_shapes_collide, BR_SHAPE_SPHERE, (BrShapeKind)none[i], NULL);
        NOTHING(br_solver_info, none[i]);
        NOTHING(br_joint_info, (BrJointType)none[i]);
        NOTHING(br_coupling_info, (BrCouplingType)none[i]);
        NOTHING(br_sensor_info, (BrSensorType)none[i]);
        NOTHING(br_bearing_parameter, none[i]);
        CALM(br_scheme_name, (BrScheme)none[i]);
        CALM(br_scheme_formulation, (BrScheme)none[i]);
        CALM(br_formulation_name, (BrFormulation)none[i]);
        CALM(br_friction_set_name, (BrFrictionSet)none[i]);
        CALM(br_event_name, (BrEventKind)none[i]);
        CALM(br_switch_reason_name, (BrSwitchReason)none[i]);
        CALM(br_contact_mode_name, (BrContactMode)none[i]);
        CALM(br_doubt_name, (BrDoubtKind)none[i]);
        CALM(br_diagnosis_verdict_name, (BrDiagnosisVerdict)none[i]);
        CALM(br_unique_proof_name, (BrUniqueProof)none[i]);
        CALM(br_answer_stability_name, (BrAnswerStability)none[i]);
        CALM(br_answer_part_name, (BrAnswerPart)none[i]);
    }
    CALM(br_bearing_parameter_count, );
    NOTHING(br_law_find, BR_LAW_NORMAL, NULL);
    NOTHING(br_nearest_word, NULL, NULL, 0);
    NOTHING(br_nearest_word, "mu", NULL, 2);
    NOTHING(br_solver_find, NULL);
    NOTHING(br_solver_find, "nosuch");
    expect_nothing("br_law", br_law(BR_LAW_FRICTION, NULL).info != NULL, __LINE__);
    BrLaw law = br_law(BR_LAW_FRICTION, "coulomb"), empty = {0};
    NOTHING(br_model_law_info, NULL, 0);
    NOTHING(br_model_law_count, NULL);
    expect_nothing("br_model_law", br_model_law(NULL, BR_LAW_FRICTION, "coulomb").info != NULL, __LINE__);
    note("br_model_law");
    NOTHING(br_law_set, NULL, "mu", 1);
    NOTHING(br_law_set, &law, NULL, 1);
    NOTHING(br_law_set, &empty, "mu", 1);
    SAID(br_quantity, NULL, "m", &x);
    SAID(br_quantity, "1 m", NULL, &x);
    SAID(br_quantity, "1 m", "m", NULL);
    SAID(br_quantity, "1 m", "nosuch", &x);
    SAID(br_quantity, "1 m", "s", &x);
    note("br_law_count"), note("br_solver_count");
    assert_true(br_law_count() > 0 && br_solver_count() > 0);
}

/* ------------------------------------------------------------------ definitions */

#define STARTS(Type, start)                                                                                            \
    do {                                                                                                               \
        Type def;                                                                                                      \
        CALM(start, NULL, (uint32_t)sizeof def);                                                                       \
        CALM(start, &def, 0);                                                                                          \
        CALM(start, &def, 4);                                                                                          \
    } while (0)

static void definitions(void **unused) {
    (void)unused;
    STARTS(BrModelDef, br_start_model_def);
    STARTS(BrBodyDef, br_start_body_def);
    STARTS(BrJointDef, br_start_joint_def);
    STARTS(BrSpringDef, br_start_spring_def);
    STARTS(BrMotorDef, br_start_motor_def);
    STARTS(BrMotionDef, br_start_motion_def);
    STARTS(BrRecordDef, br_start_record_def);
    STARTS(BrLawDef, br_start_law_def);
    STARTS(BrCouplingDef, br_start_coupling_def);
    STARTS(BrBushingDef, br_start_bushing_def);
    STARTS(BrForceDef, br_start_force_def);
    STARTS(BrSignalDef, br_start_signal_def);
    STARTS(BrSensorDef, br_start_sensor_def);
    STARTS(BrMaterialDef, br_start_material_def);
    STARTS(BrPairDef, br_start_pair_def);
    STARTS(BrDiagnoseDef, br_start_diagnose_def);
    STARTS(BrShapeDef, br_start_shape_def);
    STARTS(BrFilterDef, br_start_filter_def);
    STARTS(BrMemoryDef, br_start_memory_def);
    STARTS(BrStepDef, br_start_step_def);
    STARTS(BrEvaluateDef, br_start_evaluate_def);
    STARTS(BrSuggestDef, br_start_suggest_def);
    STARTS(BrSceneOptions, br_start_scene_options);
    STARTS(BrExperimentOptions, br_start_experiment_options);
    STARTS(BrSolveDef, br_start_solve_def);
}

/* ------------------------------------------------------------------ model.h and contact.h: building */

/* An addition without a model, a definition, its start, its size, and with nothing in it. */
#define ADDS(Type, start, add, ...)                                                                                    \
    do {                                                                                                               \
        Type def = start(), blank, cut = start();                                                                      \
        memset(&blank, 0, sizeof blank);                                                                               \
        cut.struct_size = 4;                                                                                           \
        SAID(add, NULL, &def __VA_ARGS__);                                                                             \
        SAID(add, model, NULL __VA_ARGS__);                                                                            \
        SAID(add, model, &blank __VA_ARGS__);                                                                          \
        SAID(add, model, &cut __VA_ARGS__);                                                                            \
        SAID(add, model, &def __VA_ARGS__);                                                                            \
        SAID(add, w.model, &def __VA_ARGS__);                                                                          \
    } while (0)

/* Half of an allocator. */
static void *allocate(void *user, size_t size) { return user && size ? user : NULL; }

static BrModel *make_model(void) {
    BrModel *model;
    BrModelDef def = br_default_model_def(), blank = {0}, half = def, wild = def;
    half.allocator.allocate = allocate;
    wild.gravity.z = NAN;
    SAID(br_model_create, NULL, &model);
    SAID(br_model_create, &def, NULL);
    SAID(br_model_create, &blank, &model);
    SAID(br_model_create, &half, &model);
    SAID(br_model_create, &wild, &model);
    wild = def, wild.contact_capacity = -1;
    SAID(br_model_create, &wild, &model);
    assert_int_equal(br_model_create(&def, &model, NULL), BR_OK);
    return model;
}

/* Functions whose parts are not there. */
static void add_bad_functions(BrModel *model, BrBodyId a, BrBodyId b) {
    BrFunctionDef bad[] = {br_table(NULL, 5),   br_table((double[]){0, 1, 1, 2}, -3),
                           br_expression(NULL), br_expression("c"),
                           br_expression("c"),  br_constant(NAN),
                           br_sine(1, NAN, 0),  br_expression("c")};
    bad[3].constant_count = 3;
    bad[4].constant_count = -1;
    bad[7].constants = (BrConstant[]){{NULL, 1}}, bad[7].constant_count = 1;
    note("br_table"), note("br_expression"), note("br_constant"), note("br_sine");
    for (int i = 0; i < (int)(sizeof bad / sizeof bad[0]); i++) {
        BrSpringDef def = br_default_spring_def();
        def.name = "spring", def.body_a = a, def.body_b = b, def.stiffness = bad[i];
        SAID(br_model_add_spring, model, &def, NULL);
    }
}

static void building(void **unused) {
    (void)unused;
    BrModel *model = make_model();
    ADDS(BrBodyDef, br_default_body_def, br_model_add_body, , NULL);
    ADDS(BrJointDef, br_default_joint_def, br_model_add_joint, , NULL);
    ADDS(BrSpringDef, br_default_spring_def, br_model_add_spring, , NULL);
    ADDS(BrMotorDef, br_default_motor_def, br_model_add_motor, , NULL);
    ADDS(BrMotionDef, br_default_motion_def, br_model_add_motion, , NULL);
    ADDS(BrLawDef, br_default_law_def, br_model_add_law, );
    ADDS(BrCouplingDef, br_default_coupling_def, br_model_add_coupling, , NULL);
    ADDS(BrBushingDef, br_default_bushing_def, br_model_add_bushing, , NULL);
    ADDS(BrForceDef, br_default_force_def, br_model_add_force, , NULL);
    ADDS(BrSignalDef, br_default_signal_def, br_model_add_signal, , NULL);
    ADDS(BrSensorDef, br_default_sensor_def, br_model_add_sensor, , NULL);
    ADDS(BrMaterialDef, br_default_material_def, br_model_add_material, , NULL);
    ADDS(BrShapeDef, br_default_shape_def, br_model_add_shape, , NULL);
    ADDS(BrPairDef, br_default_pair_def, br_model_add_pair, );
    ADDS(BrFilterDef, br_default_filter_def, br_model_add_filter, );
    ADDS(BrMemoryDef, br_default_memory_def, br_model_add_memory, );
    BrBodyDef def = br_default_body_def();
    BrBodyId a, b;
    BrMat3 one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    def.name = "a", def.mass = 1, def.inertia = one;
    assert_int_equal(br_model_add_body(model, &def, &a, NULL), BR_OK);
    def.name = "b";
    assert_int_equal(br_model_add_body(model, &def, &b, NULL), BR_OK);
    add_bad_functions(model, a, b);
    def.name = "c", def.kind = (BrBodyKind)77;
    SAID(br_model_add_body, model, &def, NULL);
    SAID(br_model_remove_body, NULL, a);
    SAID(br_model_remove_body, model, (BrBodyId){0});
    SAID(br_model_remove_body, w.model, br_model_body(w.model, 1));
    BrState *state;
    BrWorkspace *workspace;
    SAID(br_state_create, model, &state);
    SAID(br_workspace_create, model, &workspace);
    SAID(br_model_build, NULL);
    SAID(br_model_build, w.model);
    CALM(br_model_destroy, model);
    CALM(br_model_destroy, NULL);
}

/* ------------------------------------------------------------------ model.h and contact.h: reading */

#define COUNTS(part)                                                                                                   \
    do {                                                                                                               \
        NOTHING(br_model_##part##_count, NULL);                                                                        \
        NO_ID(br_model_##part, NULL, 0);                                                                               \
        NO_ID(br_model_##part, w.model, -1);                                                                           \
        NO_ID(br_model_##part, w.model, INT32_MAX);                                                                    \
        NO_ID(br_model_##part, w.model, INT32_MIN);                                                                    \
    } while (0)
#define FINDS(part)                                                                                                    \
    do {                                                                                                               \
        NO_ID(br_model_find_##part, NULL, "a");                                                                        \
        NO_ID(br_model_find_##part, w.model, NULL);                                                                    \
        NO_ID(br_model_find_##part, w.model, "nosuch");                                                                \
    } while (0)
#define DEFINES(part, Id)                                                                                              \
    do {                                                                                                               \
        Id null_id = {0}, own = br_model_##part(w.model, 0), foreign = br_model_##part(other.model, 0);                \
        NOTHING(br_##part##_def, NULL, own);                                                                           \
        NOTHING(br_##part##_def, w.model, null_id);                                                                    \
        if (foreign.index1) NOTHING(br_##part##_def, w.model, foreign);                                                \
    } while (0)

static void reading_models(void **unused) {
    (void)unused;
    COUNTS(body);
    COUNTS(joint);
    COUNTS(spring);
    COUNTS(motor);
    COUNTS(motion);
    COUNTS(coupling);
    COUNTS(bushing);
    COUNTS(force);
    COUNTS(signal);
    COUNTS(sensor);
    COUNTS(material);
    COUNTS(shape);
    FINDS(body);
    FINDS(joint);
    FINDS(spring);
    FINDS(motor);
    FINDS(motion);
    FINDS(coupling);
    FINDS(bushing);
    FINDS(force);
    FINDS(signal);
    FINDS(sensor);
    FINDS(material);
    DEFINES(body, BrBodyId);
    DEFINES(joint, BrJointId);
    DEFINES(spring, BrSpringId);
    DEFINES(motor, BrMotorId);
    DEFINES(motion, BrMotionId);
    DEFINES(coupling, BrCouplingId);
    DEFINES(bushing, BrBushingId);
    DEFINES(force, BrForceId);
    DEFINES(signal, BrSignalId);
    DEFINES(sensor, BrSensorId);
    DEFINES(material, BrMaterialId);
    DEFINES(shape, BrShapeId);
    NOTHING(br_model_contact_capacity, NULL);
    NOTHING(br_model_fingerprint, NULL);
    expect_nothing("br_model_gravity", br_model_gravity(NULL).z != 0, __LINE__);
    BrShapeId shape = br_model_shape(w.model, 0);
    NOTHING(br_shapes_meet, NULL, shape, shape);
    NOTHING(br_shapes_meet, w.model, shape, (BrShapeId){0});
    CALM(br_model_default_scheme, NULL, BR_FORMULATION_TIMESTEPPING);
    CALM(br_model_default_scheme, w.model, (BrFormulation)99);
}

/* ------------------------------------------------------------------ state.h */

static void states(void **unused) {
    (void)unused;
    BrState *state;
    SAID(br_state_create, NULL, &state);
    SAID(br_state_create, w.model, NULL);
    CALM(br_state_destroy, NULL, NULL);
    CALM(br_state_destroy, w.model, NULL);
    CALM(br_state_destroy, NULL, w.state);
    REFUSED(br_state_copy, NULL, w.state);
    REFUSED(br_state_copy, w.state, NULL);
    REFUSED(br_state_copy, w.state, other.state);
    NOTHING(br_state_size, NULL);
    NOTHING(br_state_bytes, NULL);
    NOTHING(br_state_hash, NULL);
    NOTHING(br_state_step, NULL);
    NOTHING(br_state_time, NULL);
    size_t size = br_state_size(w.state);
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    memset(bytes, 0xff, size);
    SAID(br_state_restore, NULL, bytes, size);
    SAID(br_state_restore, w.state, NULL, size);
    SAID(br_state_restore, w.state, bytes, 3);
    SAID(br_state_restore, w.state, bytes, size);
    SAID(br_state_restore, w.state, br_state_bytes(other.state), br_state_size(other.state));
    free(bytes);
    BrEnergy energy;
    REFUSED(br_state_energy, NULL, w.state, &energy);
    REFUSED(br_state_energy, w.model, NULL, &energy);
    REFUSED(br_state_energy, w.model, w.state, NULL);
    REFUSED(br_state_energy, w.model, other.state, &energy);
    REFUSED(br_state_set_formulation, NULL, BR_FORMULATION_EVENT);
    REFUSED(br_state_set_formulation, w.state, (BrFormulation)77);
    REFUSED(br_state_set_formulation, w.state, (BrFormulation)-1);
}

/* A getter of something that a state has, by id. */
#define GETS(get, id, ...)                                                                                             \
    do {                                                                                                               \
        REFUSED(get, NULL, w.state, id, __VA_ARGS__);                                                                  \
        REFUSED(get, w.model, NULL, id, __VA_ARGS__);                                                                  \
        REFUSED(get, w.model, other.state, id, __VA_ARGS__);                                                           \
        REFUSED(get, other.model, w.state, id, __VA_ARGS__);                                                           \
    } while (0)

static void parts_of_states(void **unused) {
    (void)unused;
    BrBodyId body = br_model_find_body(w.model, "a"), fixed = br_model_find_body(w.model, "g"), no_body = {0};
    BrJointId joint = br_model_joint(w.model, 0), no_joint = {0};
    BrSpringId spring = br_model_spring(w.model, 0), no_spring = {0};
    BrSignalId signal = br_model_signal(w.model, 0), no_signal = {0};
    BrPose pose;
    BrTwist twist;
    BrVec3 force, torque;
    double x[3], v[3];
    GETS(br_body_pose, body, &pose);
    GETS(br_body_twist, body, &twist);
    GETS(br_body_frame, body, &pose);
    GETS(br_body_load, body, &force, &torque);
    GETS(br_joint_position, joint, x, v);
    GETS(br_joint_gap, joint, x);
    GETS(br_spring_force, spring, x, v, v + 1);
    GETS(br_signal_value, signal, x);
    REFUSED(br_body_pose, w.model, w.state, no_body, &pose);
    REFUSED(br_body_pose, w.model, w.state, body, NULL);
    REFUSED(br_body_frame, w.model, w.state, no_body, &pose);
    REFUSED(br_body_frame, w.model, w.state, body, NULL);
    REFUSED(br_body_twist, w.model, w.state, no_body, &twist);
    REFUSED(br_body_twist, w.model, w.state, body, NULL);
    REFUSED(br_body_load, w.model, w.state, no_body, &force, &torque);
    REFUSED(br_body_load, w.model, w.state, body, NULL, &torque);
    REFUSED(br_body_load, w.model, w.state, body, &force, NULL);
    REFUSED(br_joint_position, w.model, w.state, no_joint, x, v);
    REFUSED(br_joint_position, w.model, w.state, joint, NULL, v);
    REFUSED(br_joint_position, w.model, w.state, joint, x, NULL);
    REFUSED(br_joint_gap, w.model, w.state, no_joint, x);
    REFUSED(br_joint_gap, w.model, w.state, joint, NULL);
    REFUSED(br_signal_value, w.model, w.state, no_signal, x);
    REFUSED(br_signal_value, w.model, w.state, signal, NULL);
    REFUSED(br_spring_force, w.model, w.state, no_spring, x, v, v + 1);
    REFUSED(br_spring_force, w.model, w.state, spring, NULL, v, v + 1);
    REFUSED(br_spring_force, w.model, w.state, spring, x, NULL, v);
    REFUSED(br_spring_force, w.model, w.state, spring, x, v, NULL);
    assert_int_equal(br_body_pose(w.model, w.state, body, &pose), BR_OK);
    twist = (BrTwist){{0, 0, 0}, {0, 0, 0}};
    SAID(br_body_set_pose, NULL, w.state, body, pose);
    SAID(br_body_set_pose, w.model, NULL, body, pose);
    SAID(br_body_set_pose, w.model, w.state, no_body, pose);
    SAID(br_body_set_pose, w.model, w.state, fixed, pose);
    SAID(br_body_set_twist, NULL, w.state, body, twist);
    SAID(br_body_set_twist, w.model, NULL, body, twist);
    SAID(br_body_set_twist, w.model, other.state, body, twist);
    SAID(br_body_set_load, NULL, w.state, body, twist.linear, twist.linear);
    SAID(br_body_set_load, w.model, NULL, body, twist.linear, twist.linear);
    SAID(br_body_set_load, w.model, w.state, fixed, twist.linear, twist.linear);
    pose.position.x = NAN, twist.angular.y = INFINITY;
    SAID(br_body_set_pose, w.model, w.state, body, pose);
    SAID(br_body_set_twist, w.model, w.state, body, twist);
    SAID(br_body_set_load, w.model, w.state, body, twist.angular, twist.linear);
}

static void motors_of_states(void **unused) {
    (void)unused;
    BrMotorId motor = br_model_motor(w.model, 0), no_motor = {0};
    double x, y;
    assert_true(motor.index1 > 0);
    GETS(br_motor_target, motor, &x, &y);
    REFUSED(br_motor_target, w.model, w.state, no_motor, &x, &y);
    REFUSED(br_motor_target, w.model, w.state, motor, NULL, &y);
    REFUSED(br_motor_target, w.model, w.state, motor, &x, NULL);
    SAID(br_motor_set_target, NULL, w.state, motor, 1, 1);
    SAID(br_motor_set_target, w.model, NULL, motor, 1, 1);
    SAID(br_motor_set_target, w.model, other.state, motor, 1, 1);
    SAID(br_motor_set_target, w.model, w.state, no_motor, 1, 1);
    SAID(br_motor_set_target, w.model, w.state, motor, NAN, 1);
    SAID(br_motor_set_target, w.model, w.state, motor, 1, -1);
    REFUSED(br_motor_release, NULL, w.state, motor);
    REFUSED(br_motor_release, w.model, NULL, motor);
    REFUSED(br_motor_release, w.model, w.state, no_motor);
}

/* ------------------------------------------------------------------ step.h */

static void refuse_step(BrStepDef def) {
    uint64_t hash = br_state_hash(w.state);
    SAID(br_step, w.model, w.workspace, w.state, &def, NULL);
    assert_true(br_state_hash(w.state) == hash);
}

static void steps(void **unused) {
    (void)unused;
    BrWorkspace *workspace;
    SAID(br_workspace_create, NULL, &workspace);
    SAID(br_workspace_create, w.model, NULL);
    CALM(br_workspace_destroy, NULL, NULL);
    CALM(br_workspace_destroy, w.model, NULL);
    CALM(br_workspace_destroy, NULL, w.workspace);
    BrStepDef def = br_default_step_def(), blank;
    def.scheme = BR_SCHEME_MOREAU;
    memset(&blank, 0, sizeof blank);
    SAID(br_step, NULL, w.workspace, w.state, &def, NULL);
    SAID(br_step, w.model, NULL, w.state, &def, NULL);
    SAID(br_step, w.model, w.workspace, NULL, &def, NULL);
    SAID(br_step, w.model, w.workspace, w.state, NULL, NULL);
    SAID(br_step, w.model, other.workspace, w.state, &def, NULL);
    SAID(br_step, w.model, w.workspace, other.state, &def, NULL);
    refuse_step(blank);
    SAID(br_step_fits, NULL, &def);
    SAID(br_step_fits, w.model, NULL);
    SAID(br_step_fits, w.model, &blank);
#define WITH(assignment) ((blank = def), (blank.assignment), refuse_step(blank))
    WITH(struct_size = 8), WITH(struct_size = 10000), WITH(dt = 0), WITH(dt = NAN), WITH(dt = INFINITY);
    WITH(scheme = (BrScheme)99), WITH(scheme = (BrScheme)-1), WITH(formulation = (BrFormulation)77);
    WITH(friction_set = (BrFrictionSet)55), WITH(threads = 0), WITH(threads = 100000), WITH(most_work = NAN);
    WITH(most_work = -1), WITH(contact_tolerance = 0), WITH(contact_tolerance = NAN), WITH(contact_work = NAN);
    WITH(contact_work = -5), WITH(impact_speed = NAN), WITH(polygon_sides = 0), WITH(polygon_sides = 99);
    def.formulation = BR_FORMULATION_COMPLIANT, def.scheme = BR_SCHEME_RK4;
    WITH(substeps = 0), WITH(tolerance = NAN);
#undef WITH
    SAID(br_state_assemble, NULL, w.workspace, w.state, NULL);
    SAID(br_state_assemble, w.model, NULL, w.state, NULL);
    SAID(br_state_assemble, w.model, w.workspace, NULL, NULL);
    SAID(br_state_assemble, w.model, other.workspace, w.state, NULL);
}

static void masses(void **unused) {
    (void)unused;
    BrShapeDef ball = br_default_shape_def(), blank = {0}, wall;
    ball.kind = BR_SHAPE_SPHERE, ball.radius = 1;
    BrMass mass = {1, {0, 0, 0}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    BrBodyDef body = br_default_body_def();
    SAID(br_shape_mass, NULL, 1, &mass);
    SAID(br_shape_mass, &ball, 1, NULL);
    SAID(br_shape_mass, &blank, 1, &mass);
    SAID(br_shape_mass, &ball, NAN, &mass);
    SAID(br_shape_mass, &ball, INFINITY, &mass);
    SAID(br_shape_mass_given, NULL, 1, &mass);
    SAID(br_shape_mass_given, &ball, 1, NULL);
    SAID(br_shape_mass_given, &blank, 1, &mass);
    SAID(br_shape_mass_given, &ball, 0, &mass);
    wall = ball, wall.kind = (BrShapeKind)99;
    SAID(br_shape_mass, &wall, 1, &mass);
    SAID(br_shape_mass_given, &wall, 1, &mass);
    wall = ball, wall.position_body.x = NAN;
    SAID(br_shape_mass, &wall, 1, &mass);
    wall = ball, wall.kind = BR_SHAPE_EXTRUSION, wall.length = 1, wall.point_count = 7;
    SAID(br_shape_mass, &wall, 1, &mass);
    CALM(br_mass_add, mass, mass);
    CALM(br_mass_scale, mass, NAN);
    CALM(br_mass_move, mass, body.position, &body.rotation);
    CALM(br_body_def_set_mass, &body, &mass);
}

static void tell_nobody(void *user, const BrDoubt *doubt) { (void)user, (void)doubt; }

static void starts_of_runs(void **unused) {
    (void)unused;
    BrStepDef def = br_default_step_def(), blank = {0};
    BrSeparation done;
    SAID(br_start_doubts, NULL, w.workspace, w.state, &def, tell_nobody, NULL);
    SAID(br_start_doubts, w.model, NULL, w.state, &def, tell_nobody, NULL);
    SAID(br_start_doubts, w.model, w.workspace, NULL, &def, tell_nobody, NULL);
    SAID(br_start_doubts, w.model, w.workspace, w.state, NULL, tell_nobody, NULL);
    SAID(br_start_doubts, w.model, w.workspace, w.state, &blank, tell_nobody, NULL);
    SAID(br_start_doubts, w.model, w.workspace, w.state, &def, NULL, NULL);
    SAID(br_start_doubts, w.model, other.workspace, w.state, &def, tell_nobody, NULL);
    SAID(br_start_doubts, w.model, w.workspace, other.state, &def, tell_nobody, NULL);
    SAID(br_state_separate, NULL, w.workspace, w.state, &done);
    SAID(br_state_separate, w.model, NULL, w.state, &done);
    SAID(br_state_separate, w.model, w.workspace, NULL, &done);
    SAID(br_state_separate, w.model, other.workspace, w.state, &done);
    SAID(br_state_separate, w.model, w.workspace, other.state, &done);
}

static void tell_nobody_of_answers(void *user, const BrDiagnosis *diagnosis) { (void)user, (void)diagnosis; }

static void diagnoses(void **unused) {
    (void)unused;
    BrDiagnoseDef blank = {0};
    BrScenePoint point, sides[2];
    BrMapLine line = {"parameters.k", "", 1, 2, 0}, nowhere = {NULL, "", 1, 2, 0}, endless = {"k", "", 1, NAN, 0},
              fine = {"k", "", 1, 2, -1};
    double place;
    SAID(br_state_diagnose, NULL, w.workspace, w.state, NULL, tell_nobody_of_answers, NULL);
    SAID(br_state_diagnose, w.model, NULL, w.state, NULL, tell_nobody_of_answers, NULL);
    SAID(br_state_diagnose, w.model, w.workspace, NULL, NULL, tell_nobody_of_answers, NULL);
    SAID(br_state_diagnose, w.model, w.workspace, w.state, NULL, NULL, NULL);
    SAID(br_state_diagnose, w.model, w.workspace, w.state, &blank, tell_nobody_of_answers, NULL);
    SAID(br_state_diagnose, w.model, other.workspace, w.state, NULL, tell_nobody_of_answers, NULL);
    SAID(br_scene_diagnose, NULL, NULL, &point);
    SAID(br_scene_diagnose, "nosuch.yaml", NULL, NULL);
    SAID(br_scene_diagnose, "nosuch.yaml", NULL, &point);
    NOTHING(br_scene_points_alike, NULL, &point);
    NOTHING(br_scene_points_alike, &point, NULL);
    SAID(br_scene_boundary, NULL, NULL, &line, &place, sides);
    SAID(br_scene_boundary, "nosuch.yaml", NULL, NULL, &place, sides);
    SAID(br_scene_boundary, "nosuch.yaml", NULL, &line, NULL, sides);
    SAID(br_scene_boundary, "nosuch.yaml", NULL, &line, &place, NULL);
    SAID(br_scene_boundary, "nosuch.yaml", NULL, &nowhere, &place, sides);
    SAID(br_scene_boundary, "nosuch.yaml", NULL, &endless, &place, sides);
    SAID(br_scene_boundary, "nosuch.yaml", NULL, &fine, &place, sides);
    SAID(br_scene_boundary, "nosuch.yaml", NULL, &line, &place, sides);
}

static void analyses(void **unused) {
    (void)unused;
    BrAnalysis analysis;
    BrEnergyStep step;
    SAID(br_analyse, NULL, w.workspace, w.state, &analysis, NULL, NULL);
    SAID(br_analyse, w.model, NULL, w.state, &analysis, NULL, NULL);
    SAID(br_analyse, w.model, w.workspace, NULL, &analysis, NULL, NULL);
    SAID(br_analyse, w.model, w.workspace, w.state, NULL, NULL, NULL);
    SAID(br_analyse, w.model, w.workspace, other.state, &analysis, NULL, NULL);
    SAID(br_energy_step, NULL, w.workspace, w.state, BR_SCHEME_HEM2, 1, 0.1, &step);
    SAID(br_energy_step, w.model, NULL, w.state, BR_SCHEME_HEM2, 1, 0.1, &step);
    SAID(br_energy_step, w.model, w.workspace, NULL, BR_SCHEME_HEM2, 1, 0.1, &step);
    SAID(br_energy_step, w.model, w.workspace, w.state, BR_SCHEME_HEM2, 1, 0.1, NULL);
    SAID(br_energy_step, w.model, w.workspace, w.state, (BrScheme)99, 1, 0.1, &step);
    SAID(br_energy_step, w.model, w.workspace, w.state, BR_SCHEME_HEM2, NAN, 0.1, &step);
    SAID(br_state_doubts, NULL, w.workspace, w.state, tell_nobody, NULL);
    SAID(br_state_doubts, w.model, NULL, w.state, tell_nobody, NULL);
    SAID(br_state_doubts, w.model, w.workspace, NULL, tell_nobody, NULL);
    SAID(br_state_doubts, w.model, w.workspace, w.state, NULL, NULL);
    SAID(br_state_doubts, w.model, other.workspace, w.state, tell_nobody, NULL);
    BrStepDef def = br_default_step_def();
    BrStability stability;
    def.formulation = BR_FORMULATION_COMPLIANT, def.scheme = BR_SCHEME_RK4;
    SAID(br_stability, NULL, w.workspace, w.state, &def, &stability);
    SAID(br_stability, w.model, NULL, w.state, &def, &stability);
    SAID(br_stability, w.model, w.workspace, NULL, &def, &stability);
    SAID(br_stability, w.model, w.workspace, w.state, NULL, &stability);
    SAID(br_stability, w.model, w.workspace, w.state, &def, NULL);
    def.formulation = BR_FORMULATION_TIMESTEPPING;
    SAID(br_stability, w.model, w.workspace, w.state, &def, &stability);
}

static void suggestions(void **unused) {
    (void)unused;
    BrSuggestDef def = br_default_suggest_def(), blank = {0};
    BrSuggestion suggestion;
    BrMaterialId material = br_model_material(w.model, 0), none = {0};
    SAID(br_suggest, NULL, &suggestion);
    SAID(br_suggest, &blank, &suggestion);
    SAID(br_suggest, &def, &suggestion); /* neither a depth nor a modulus */
    def.depth = 1e-4;
    SAID(br_suggest, &def, NULL);
    def.mass = NAN;
    SAID(br_suggest, &def, &suggestion);
    SAID(br_suggest_for, NULL, material, material, &def);
    SAID(br_suggest_for, w.model, none, material, &def);
    SAID(br_suggest_for, w.model, material, material, NULL);
    NOTHING(br_material_surface, NULL, material, material);
    NOTHING(br_material_surface, w.model, none, material);
}

/* ------------------------------------------------------------------ looking */

/* A getter of the last look, by id: nothing before there was one. */
#define LOOKS(get, id, ...)                                                                                            \
    do {                                                                                                               \
        REFUSED(get, NULL, w.workspace, id, __VA_ARGS__);                                                              \
        REFUSED(get, w.model, NULL, id, __VA_ARGS__);                                                                  \
        REFUSED(get, w.model, other.workspace, id, __VA_ARGS__);                                                       \
    } while (0)

static void looking(void **unused) {
    (void)unused;
    SAID(br_evaluate, NULL, w.workspace, w.state);
    SAID(br_evaluate, w.model, NULL, w.state);
    SAID(br_evaluate, w.model, other.workspace, w.state);
    BrEvaluateDef reading = br_default_evaluate_def(), none = reading;
    none.most_work = 0;
    SAID(br_evaluate_with, NULL, w.workspace, w.state, &reading);
    SAID(br_evaluate_with, w.model, NULL, w.state, &reading);
    SAID(br_evaluate_with, w.model, w.workspace, NULL, &reading);
    SAID(br_evaluate_with, w.model, w.workspace, w.state, NULL);
    SAID(br_evaluate_with, w.model, w.workspace, w.state, &none);
    BrBodyId body = br_model_find_body(w.model, "a");
    BrJointId joint = br_model_joint(w.model, 0);
    BrMotorId motor = br_model_motor(w.model, 0);
    BrTwist rate;
    BrWrench wrench;
    BrContact contact;
    BrContactPair pair;
    BrGrip grip;
    BrMotorReading read;
    double x[3];
    assert_int_equal(br_body_acceleration(w.model, w.workspace, body, &rate), BR_WRONG_STAGE);
    for (int k = 0; k < 2; k++) { /* before and after a look */
        LOOKS(br_body_acceleration, body, &rate);
        LOOKS(br_joint_reaction, joint, &wrench, NULL);
        LOOKS(br_joint_reaction_mean, joint, &wrench);
        LOOKS(br_motor_effort, motor, x);
        LOOKS(br_motor_read, w.state, motor, &read);
        LOOKS(br_motor_gains, motor, x, x + 1);
        LOOKS(br_joint_grip, w.state, joint, 0, &grip);
        LOOKS(br_motion_effort, (BrMotionId){0}, x);
        LOOKS(br_contact, 0, &contact);
        LOOKS(br_contact_memory, 0, "dwell", x);
        LOOKS(br_contact_pair, body, body, &pair);
        LOOKS(br_contact_pair_at, 0, &pair);
        if (k == 0) assert_int_equal(br_evaluate(w.model, w.workspace, w.state, NULL), BR_OK);
    }
    REFUSED(br_body_acceleration, w.model, w.workspace, (BrBodyId){0}, &rate);
    REFUSED(br_body_acceleration, w.model, w.workspace, body, NULL);
    REFUSED(br_joint_reaction, w.model, w.workspace, (BrJointId){0}, &wrench, NULL);
    REFUSED(br_joint_reaction_mean, w.model, w.workspace, (BrJointId){0}, &wrench);
    REFUSED(br_joint_reaction_mean, w.model, w.workspace, joint, NULL);
    REFUSED(br_motor_effort, w.model, w.workspace, (BrMotorId){0}, x);
    REFUSED(br_motor_effort, w.model, w.workspace, motor, NULL);
    REFUSED(br_motor_read, w.model, w.workspace, NULL, motor, &read);
    REFUSED(br_motor_read, w.model, w.workspace, other.state, motor, &read);
    REFUSED(br_motor_read, w.model, w.workspace, w.state, motor, NULL);
    REFUSED(br_motor_read, w.model, w.workspace, w.state, (BrMotorId){0}, &read);
    REFUSED(br_motor_gains, w.model, w.workspace, (BrMotorId){0}, x, x);
    REFUSED(br_motor_gains, w.model, w.workspace, motor, NULL, x);
    REFUSED(br_motor_gains, w.model, w.workspace, motor, x, NULL);
    REFUSED(br_motion_effort, w.model, w.workspace, (BrMotionId){0}, x);
    BrSensorReading sensor;
    REFUSED(br_sensor_read, w.model, w.workspace, w.state, (BrSensorId){0}, &sensor);
    REFUSED(br_sensor_read, NULL, w.workspace, w.state, (BrSensorId){0}, &sensor);
    REFUSED(br_sensor_read, w.model, NULL, w.state, (BrSensorId){0}, &sensor);
    REFUSED(br_sensor_read, w.model, w.workspace, NULL, (BrSensorId){0}, &sensor);
    REFUSED(br_sensor_read, w.model, w.workspace, w.state, (BrSensorId){0}, NULL);
    BrBushingReading bushing;
    REFUSED(br_bushing_read, w.model, w.state, (BrBushingId){0}, &bushing);
    REFUSED(br_bushing_read, NULL, w.state, (BrBushingId){0}, &bushing);
    REFUSED(br_bushing_read, w.model, NULL, (BrBushingId){0}, &bushing);
    REFUSED(br_bushing_read, w.model, other.state, (BrBushingId){0}, &bushing);
    REFUSED(br_bushing_read, w.model, w.state, (BrBushingId){0}, NULL);
    BrCouplingReading coupling;
    REFUSED(br_coupling_read, w.model, w.workspace, w.state, (BrCouplingId){0}, &coupling);
    REFUSED(br_coupling_read, w.model, w.workspace, NULL, (BrCouplingId){0}, &coupling);
    REFUSED(br_coupling_read, NULL, w.workspace, w.state, (BrCouplingId){0}, &coupling);
    REFUSED(br_coupling_read, w.model, NULL, w.state, (BrCouplingId){0}, &coupling);
    REFUSED(br_coupling_read, w.model, w.workspace, w.state, (BrCouplingId){0}, NULL);
    REFUSED(br_coupling_read, w.model, other.workspace, w.state, (BrCouplingId){0}, &coupling);
    BrLastingContact lasting;
    REFUSED(br_lasting_contact, w.model, w.workspace, NULL, joint, &lasting);
    REFUSED(br_lasting_contact, w.model, w.workspace, w.state, joint, NULL);
    REFUSED(br_lasting_contact, w.model, w.workspace, w.state, joint, &lasting); /* it is none */
    REFUSED(br_lasting_contact, w.model, NULL, w.state, joint, &lasting);
    REFUSED(br_lasting_contact, NULL, w.workspace, w.state, joint, &lasting);
    REFUSED(br_joint_grip, w.model, w.workspace, NULL, joint, 0, &grip);
    REFUSED(br_joint_grip, w.model, w.workspace, w.state, joint, 0, NULL);
    REFUSED(br_joint_grip, w.model, w.workspace, w.state, joint, 0, &grip); /* it has none */
    REFUSED(br_joint_grip, w.model, w.workspace, other.state, joint, 0, &grip);
    NOTHING(br_joint_grip_count, NULL, joint);
    NOTHING(br_joint_grip_count, w.model, (BrJointId){0});
    NOTHING(br_contact_count, NULL, w.workspace);
    NOTHING(br_contact_count, w.model, NULL);
    NOTHING(br_contact_count, w.model, other.workspace);
    REFUSED(br_contact, w.model, w.workspace, -1, &contact);
    REFUSED(br_contact, w.model, w.workspace, INT32_MAX, &contact);
    REFUSED(br_contact, w.model, w.workspace, 0, NULL);
    NOTHING(br_contact_pair_count, NULL, w.workspace);
    NOTHING(br_contact_pair_count, w.model, NULL);
    NOTHING(br_contact_pair_count, w.model, other.workspace);
    REFUSED(br_contact_pair, w.model, w.workspace, body, (BrBodyId){0}, &pair);
    REFUSED(br_contact_pair, w.model, w.workspace, body, body, &pair);
    REFUSED(br_contact_pair, w.model, w.workspace, body, body, NULL);
    REFUSED(br_contact_pair_at, w.model, w.workspace, -1, &pair);
    REFUSED(br_contact_pair_at, w.model, w.workspace, INT32_MAX, &pair);
    REFUSED(br_contact_pair_at, w.model, w.workspace, 0, NULL);
    REFUSED(br_contact_memory, w.model, w.workspace, 0, NULL, x);
    REFUSED(br_contact_memory, w.model, w.workspace, 0, "nosuch", x);
    REFUSED(br_contact_memory, w.model, w.workspace, 0, "dwell", NULL);
    REFUSED(br_contact_memory, w.model, w.workspace, 99, "dwell", x);
    SAID(br_evaluate, w.model, w.workspace, NULL); /* leaves no readings */
    assert_int_equal(br_body_acceleration(w.model, w.workspace, body, &rate), BR_WRONG_STAGE);
}

/* ------------------------------------------------------------------ scene.h and experiment.h */

static void scenes(void **unused) {
    (void)unused;
    BrScene *scene;
    BrSceneOptions options = br_default_scene_options(), blank = {0};
    const char *missing[2] = {"step.dt=1", NULL};
    size_t size = strlen(TEXT);
    SAID(br_scene_load, NULL, NULL, &scene);
    assert_null(scene);
    SAID(br_scene_load, "nosuch.yaml", NULL, &scene);
    SAID(br_scene_load, "nosuch.yaml", NULL, NULL);
    SAID(br_scene_parse, NULL, 5, "text", NULL, &scene);
    SAID(br_scene_parse, TEXT, size, NULL, NULL, &scene);
    SAID(br_scene_parse, TEXT, size, "text", NULL, NULL);
    SAID(br_scene_parse, TEXT, size, "text", &blank, &scene);
    options.sets = 3;
    SAID(br_scene_parse, TEXT, size, "text", &options, &scene);
    options.sets = -1;
    SAID(br_scene_parse, TEXT, size, "text", &options, &scene);
    options.sets = 2, options.set = missing;
    SAID(br_scene_parse, TEXT, size, "text", &options, &scene);
    options = br_default_scene_options(), options.allocator.allocate = allocate;
    SAID(br_scene_parse, TEXT, size, "text", &options, &scene);
    CALM(br_scene_destroy, NULL);
    BrRunDef run = br_scene_run_def(w.scene), senseless = {0};
    BrModel *raw = make_model();
    SAID(br_model_write_scene, NULL, &run, "/tmp/nosuch.yaml");
    SAID(br_model_write_scene, w.model, NULL, "/tmp/nosuch.yaml");
    SAID(br_model_write_scene, w.model, &senseless, "/tmp/nosuch.yaml");
    SAID(br_model_write_scene, w.model, &run, NULL);
    SAID(br_model_write_scene, raw, &run, "/tmp/nosuch.yaml");
    SAID(br_model_tell_scene, w.model, &run, NULL, NULL);
    const char *const none[] = {NULL};
    BrModel *changed;
    SAID(br_model_change, NULL, NULL, 0, &changed);
    SAID(br_model_change, w.model, NULL, 0, NULL);
    SAID(br_model_change, w.model, NULL, 2, &changed);
    SAID(br_model_change, w.model, none, 1, &changed);
    SAID(br_model_change, raw, NULL, 0, &changed);
    BrState *moved;
    SAID(br_state_move, NULL, w.state, w.model, &moved);
    SAID(br_state_move, w.model, NULL, w.model, &moved);
    SAID(br_state_move, w.model, w.state, NULL, &moved);
    SAID(br_state_move, w.model, w.state, w.model, NULL);
    SAID(br_state_move, w.model, w.state, raw, &moved);
    SAID(br_state_move, other.model, w.state, w.model, &moved);
    br_model_destroy(raw);
    NOTHING(br_scene_model, NULL);
    NOTHING(br_scene_text, NULL);
    NOTHING(br_scene_expanded, NULL);
    NOTHING(br_scene_assignments, NULL);
    NOTHING(br_scene_parameter_count, NULL);
    NOTHING(br_scene_parameter, NULL, 0, NULL);
    NOTHING(br_scene_parameter, w.scene, -1, NULL);
    NOTHING(br_scene_parameter, w.scene, 99, NULL);
    BrStepDef def = br_scene_run_def(NULL).step; /* of no scene: no step is made with it */
    note("br_scene_run_def");
    REFUSED(br_step_fits, w.model, &def, NULL);
}

static void experiments(void **unused) {
    (void)unused;
    BrExperiment *experiment;
    BrExperimentOptions blank = {0};
    BrMetric metric;
    BrExperimentRun run;
    BrFigure figure;
    SAID(br_experiment_load, NULL, NULL, &experiment);
    SAID(br_experiment_load, "nosuch", NULL, &experiment);
    SAID(br_experiment_load, "nosuch", NULL, NULL);
    SAID(br_experiment_load, "nosuch", &blank, &experiment);
    CALM(br_experiment_destroy, NULL);
    SAID(br_experiment_run, NULL);
    NOTHING(br_experiment_id, NULL);
    NOTHING(br_experiment_title, NULL);
    NOTHING(br_experiment_folder, NULL);
    NOTHING(br_experiment_metric_count, NULL);
    NOTHING(br_experiment_run_count, NULL);
    NOTHING(br_experiment_figure_count, NULL);
    REFUSED(br_experiment_metric, NULL, 0, &metric);
    REFUSED(br_experiment_run_info, NULL, 0, &run);
    REFUSED(br_experiment_figure, NULL, 0, &figure);
    char folder[1024];
    const char *root = getenv("BRISTLE_ROOT");
    snprintf(folder, sizeof folder, "%s/experiments/passport-belt", root ? root : ".");
    if (br_experiment_load(folder, NULL, &experiment, &error) != BR_OK) fail_msg("%s", error.text);
    for (int k = -1; k <= 99; k += 100) {
        REFUSED(br_experiment_metric, experiment, k, &metric);
        REFUSED(br_experiment_run_info, experiment, k, &run);
        REFUSED(br_experiment_figure, experiment, k, &figure);
    }
    REFUSED(br_experiment_metric, experiment, 0, NULL);
    br_experiment_destroy(experiment);
}

/* ------------------------------------------------------------------ mechanics.h */

static void matrices(void **unused) {
    (void)unused;
    double numbers[64];
    int rows;
    BrCoordinate fine = {br_model_joint(w.model, 0), 0}, wrong = {br_model_joint(w.model, 0), 99}, none = {{0}, 0};
    CALM(br_model_moving_count, NULL);
    for (int k = -1; k <= 99; k += 100)
        expect_nothing("br_model_moving_body", br_model_moving_body(w.model, k).index1, __LINE__);
    REFUSED(br_mass_matrix, NULL, w.state, numbers);
    REFUSED(br_mass_matrix, w.model, NULL, numbers);
    REFUSED(br_mass_matrix, w.model, w.state, NULL);
    REFUSED(br_point_jacobian, w.model, w.state, (BrBodyId){0}, (BrVec3){0}, numbers);
    REFUSED(br_point_jacobian, w.model, w.state, br_model_body(w.model, 0), (BrVec3){0}, NULL);
    REFUSED(br_joint_rows, w.model, w.state, (BrJointId){0}, numbers, numbers, &rows);
    REFUSED(br_joint_rows, other.model, w.state, fine.joint, numbers, numbers, &rows);
    REFUSED(br_coordinate_row, w.model, w.state, wrong, numbers, numbers);
    REFUSED(br_coordinate_row, NULL, w.state, fine, numbers, numbers);
    const BrCoordinate *const lists[] = {NULL, &wrong, &none};
    for (int k = 0; k < 3; k++) {
        SAID(br_coordinate_inertia, w.model, w.workspace, w.state, lists[k], 1, numbers);
        SAID(br_inverse_dynamics, w.model, w.workspace, w.state, lists[k], numbers, 1, numbers);
    }
    SAID(br_coordinate_inertia, w.model, w.workspace, w.state, &fine, 0, numbers);
    SAID(br_coordinate_inertia, w.model, w.workspace, w.state, &fine, INT32_MAX, numbers);
    SAID(br_coordinate_inertia, w.model, w.workspace, w.state, &fine, 1, NULL);
    SAID(br_coordinate_inertia, w.model, NULL, w.state, &fine, 1, numbers);
    SAID(br_inverse_dynamics, w.model, w.workspace, NULL, &fine, numbers, 1, numbers);
    SAID(br_inverse_dynamics, w.model, w.workspace, w.state, &fine, NULL, 1, numbers);
    SAID(br_inverse_dynamics, w.model, w.workspace, w.state, &fine, numbers, 1, NULL);
    SAID(br_inverse_dynamics, other.model, w.workspace, w.state, &fine, numbers, 1, numbers);
}

/* ------------------------------------------------------------------ problem.h */

static void tell_nobody_of_solutions(void *user, const BrFoundSolution *solution) { (void)user, (void)solution; }

static void problems(void **unused) {
    (void)unused;
    static const char DIODE[] = "1 0 1 1 1 1 1 -1";
    BrProblem *problem;
    BrSolution solution;
    BrAllocator half = {.allocate = allocate};
    BrSolveDef def = br_default_solve_def(), blank = {0};
    double r[1] = {0};
    size_t size = strlen(DIODE);
    SAID(br_problem_load, NULL, "lcp", NULL, &problem);
    SAID(br_problem_load, "nosuch.dat", "lcp", NULL, &problem);
    SAID(br_problem_load, "nosuch.dat", "lcp", NULL, NULL);
    SAID(br_problem_parse, NULL, size, "text", "lcp", NULL, &problem);
    SAID(br_problem_parse, DIODE, size, NULL, "lcp", NULL, &problem);
    SAID(br_problem_parse, DIODE, size, "text", "lcp", NULL, NULL);
    SAID(br_problem_parse, DIODE, size, "text", "nosuch", NULL, &problem);
    SAID(br_problem_parse, DIODE, size, "text", "lcp", &half, &problem);
    CALM(br_problem_destroy, NULL);
    NOTHING(br_problem_kind, NULL);
    NOTHING(br_problem_rows, NULL);
    NOTHING(br_problem_contacts, NULL);
    if (br_problem_parse(DIODE, size, "text", "lcp", NULL, &problem, &error) != BR_OK) fail_msg("%s", error.text);
    BrSolutions all;
    SAID(br_problem_find_all, NULL, tell_nobody_of_solutions, NULL, &all);
    SAID(br_problem_find_all, problem, NULL, NULL, &all);
    SAID(br_problem_find_all, problem, tell_nobody_of_solutions, NULL, NULL);
    SAID(br_problem_solve, NULL, &def, r, NULL, &solution);
    SAID(br_problem_solve, problem, &blank, r, NULL, &solution);
    SAID(br_problem_solve, problem, &def, NULL, NULL, &solution);
    SAID(br_problem_solve, problem, &def, r, NULL, NULL);
    def.tolerance = NAN;
    SAID(br_problem_solve, problem, &def, r, NULL, &solution);
    def = br_default_solve_def(), def.solver = "nosuch";
    SAID(br_problem_solve, problem, &def, r, NULL, &solution);
    br_problem_destroy(problem);
}

/* ------------------------------------------------------------------ are these all? */

static void every_public_function_was_tried(void **unused) {
    (void)unused;
    const char *root = getenv("BRISTLE_ROOT");
    char folder[1024], path[1400];
    int found = 0, missing = 0;
    snprintf(folder, sizeof folder, "%s/include/bristle", root ? root : ".");
    DIR *headers = opendir(folder);
    assert_non_null(headers);
    for (struct dirent *entry; (entry = readdir(headers));) {
        size_t length = strlen(entry->d_name);
        if (length < 3 || strcmp(entry->d_name + length - 2, ".h") != 0) continue;
        snprintf(path, sizeof path, "%s/%.300s", folder, entry->d_name);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        static char text[1 << 17];
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
        missing += find_untried(text, entry->d_name, &found);
    }
    closedir(headers);
    assert_int_equal(missing, 0);
    assert_true(found >= tries); /* some stand in comments too */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_and_numbers),
        cmocka_unit_test(definitions),
        cmocka_unit_test(building),
        cmocka_unit_test(reading_models),
        cmocka_unit_test(states),
        cmocka_unit_test(parts_of_states),
        cmocka_unit_test(motors_of_states),
        cmocka_unit_test(steps),
        cmocka_unit_test(analyses),
        cmocka_unit_test(masses),
        cmocka_unit_test(starts_of_runs),
        cmocka_unit_test(diagnoses),
        cmocka_unit_test(suggestions),
        cmocka_unit_test(looking),
        cmocka_unit_test(scenes),
        cmocka_unit_test(experiments),
        cmocka_unit_test(matrices),
        cmocka_unit_test(recordings),
        cmocka_unit_test(problems),
        cmocka_unit_test(every_public_function_was_tried),
    };
    return cmocka_run_group_tests_name("misuse", tests, set_up, tear_down);
}
