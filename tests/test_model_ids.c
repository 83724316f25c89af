/* Ids that know their model and their generation; names, enumeration, read-back; fingerprints; statuses; joint types.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sample.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static BrModel *create(void) {
    BrModelDef def = br_default_model_def();
    BrModel *model;
    assert_int_equal(br_model_create(&def, &model, NULL), BR_OK);
    return model;
}

static BrBodyId add_body(BrModel *model, const char *name) {
    BrBodyDef def = br_default_body_def();
    BrBodyId id;
    BrError error;
    def.name = name;
    def.mass = 1;
    for (int i = 0; i < 3; i++) def.inertia.m[i][i] = 1;
    if (br_model_add_body(model, &def, &id, &error) != BR_OK) fail_msg("%s", error.text);
    return id;
}

static bool same(BrBodyId a, BrBodyId b) {
    return a.index1 == b.index1 && a.model == b.model && a.generation == b.generation;
}

/* ------------------------------------------------------------------ ids that nobody wants */

/* One of everything, refused first (built from nothing) and then added, without asking for an id. */
static void test_ids_need_not_be_asked_for(void **unused) {
    (void)unused;
    BrModel *model = create();
    BrBodyDef body = br_default_body_def();
    assert_int_equal(br_model_add_body(model, &body, NULL, NULL), BR_INVALID_ARGUMENT);
    body.name = "body", body.mass = 1, body.inertia = (BrMat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    assert_int_equal(br_model_add_body(model, &body, NULL, NULL), BR_OK);
    body.name = "other";
    assert_int_equal(br_model_add_body(model, &body, NULL, NULL), BR_OK);
    BrBodyId a = br_model_find_body(model, "body"), b = br_model_find_body(model, "other");

    BrJointDef joint = br_default_joint_def();
    assert_int_equal(br_model_add_joint(model, &joint, NULL, NULL), BR_INVALID_ARGUMENT);
    joint.name = "joint", joint.type = BR_JOINT_REVOLUTE, joint.body_a = a, joint.body_b = b;
    joint.axis = (BrVec3){0, 0, 1};
    assert_int_equal(br_model_add_joint(model, &joint, NULL, NULL), BR_OK);
    BrJointId hinge = br_model_find_joint(model, "joint");

    BrSpringDef spring = br_default_spring_def();
    assert_int_equal(br_model_add_spring(model, &spring, NULL, NULL), BR_INVALID_ARGUMENT);
    spring.name = "spring", spring.joint = hinge, spring.stiffness = br_constant(1);
    assert_int_equal(br_model_add_spring(model, &spring, NULL, NULL), BR_OK);

    BrMotorDef motor = br_default_motor_def();
    assert_int_equal(br_model_add_motor(model, &motor, NULL, NULL), BR_INVALID_ARGUMENT);
    motor.name = "motor", motor.joint = hinge, motor.max_effort = 1;
    assert_int_equal(br_model_add_motor(model, &motor, NULL, NULL), BR_OK);

    BrMotionDef motion = br_default_motion_def();
    assert_int_equal(br_model_add_motion(model, &motion, NULL, NULL), BR_INVALID_ARGUMENT);
    body.name = "moved", body.kind = BR_BODY_KINEMATIC;
    assert_int_equal(br_model_add_body(model, &body, NULL, NULL), BR_OK);
    motion.name = "motion", motion.body = br_model_find_body(model, "moved");
    motion.linear[0] = br_constant(1);
    BrError error = {0};
    if (br_model_add_motion(model, &motion, NULL, &error) != BR_OK) fail_msg("%s", error.text);

    BrForceDef force = br_default_force_def();
    assert_int_equal(br_model_add_force(model, &force, NULL, NULL), BR_INVALID_ARGUMENT);
    force.name = "force", force.body = a, force.force[0] = br_constant(1);
    assert_int_equal(br_model_add_force(model, &force, NULL, NULL), BR_OK);

    BrMaterialDef material = br_default_material_def();
    assert_int_equal(br_model_add_material(model, &material, NULL, NULL), BR_INVALID_ARGUMENT);
    material.name = "stone";
    br_law_set(&material.surface.friction, "mu", 0.5);
    assert_int_equal(br_model_add_material(model, &material, NULL, NULL), BR_OK);

    BrShapeDef shape = br_default_shape_def();
    assert_int_not_equal(br_model_add_shape(model, &shape, NULL, NULL), BR_OK);
    shape.kind = BR_SHAPE_SPHERE, shape.radius = 0.1, shape.body = a;
    shape.material = br_model_find_material(model, "stone");
    assert_int_equal(br_model_add_shape(model, &shape, NULL, NULL), BR_OK);
    assert_int_equal(br_model_build(model, NULL), BR_OK);
    int counts[] = {br_model_body_count(model),     br_model_joint_count(model),  br_model_spring_count(model),
                    br_model_motor_count(model),    br_model_motion_count(model), br_model_force_count(model),
                    br_model_material_count(model), br_model_shape_count(model)};
    const int EXPECTED[] = {3, 1, 1, 1, 1, 1, 1, 1};
    for (int i = 0; i < COUNT(counts); i++) assert_int_equal(counts[i], EXPECTED[i]);
    br_model_destroy(model);
}

/* ------------------------------------------------------------------ bodies come and go */

static void test_removed_ids_are_stale(void **unused) {
    (void)unused;
    BrModel *model = create();
    BrError error = {0};
    BrBodyId a = add_body(model, "a"), b = add_body(model, "b"), c = add_body(model, "c");
    assert_int_equal(br_model_remove_body(model, b, NULL), BR_OK);
    assert_null(br_body_def(model, b));
    assert_int_equal(br_model_find_body(model, "b").index1, 0);
    assert_int_equal(br_model_remove_body(model, b, &error), BR_INVALID_ID);
    assert_non_null(strstr(error.text, "stale"));
    assert_int_equal(br_model_remove_body(model, (BrBodyId){0}, &error), BR_INVALID_ID);
    assert_int_equal(br_model_body_count(model), 2);
    assert_true(same(br_model_body(model, 0), a) && same(br_model_body(model, 1), c));
    assert_string_equal(br_body_def(model, a)->name, "a");
    assert_string_equal(br_body_def(model, c)->name, "c");

    BrBodyId again = add_body(model, "b"); /* the slot is used again, with another generation */
    assert_int_equal(again.index1, b.index1);
    assert_int_not_equal(again.generation, b.generation);
    assert_null(br_body_def(model, b));
    assert_true(same(br_model_body(model, 2), again)); /* the order is that of adding */
    assert_true(same(br_model_find_body(model, "b"), again));
    br_model_destroy(model);
}

/* Many additions and removals in turn, against a plain list of what should be there. */
static void test_adding_and_removing_at_random(void **unused) {
    (void)unused;
    enum { MOST = 60 };
    static struct {
        char name[16];
        BrBodyId id;
    } list[MOST];
    BrModel *model = create();
    uint64_t seed = 7;
    int count = 0;
    for (int k = 0; k < 2000; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
        int pick = (int)(seed >> 33);
        if (count == 0 || (count < MOST && pick % 5 < 3)) {
            snprintf(list[count].name, sizeof list[count].name, "body%d", k);
            list[count].id = add_body(model, list[count].name);
            count++;
        } else {
            int i = pick % count;
            BrBodyId gone = list[i].id;
            assert_int_equal(br_model_remove_body(model, gone, NULL), BR_OK);
            assert_null(br_body_def(model, gone));
            memmove(&list[i], &list[i + 1], (size_t)(count - i - 1) * sizeof list[0]);
            count--;
        }
        assert_int_equal(br_model_body_count(model), count);
        for (int i = 0; i < count; i++) {
            assert_true(same(br_model_body(model, i), list[i].id));
            assert_true(same(br_model_find_body(model, list[i].name), list[i].id));
            assert_string_equal(br_body_def(model, list[i].id)->name, list[i].name);
        }
    }
    br_model_destroy(model);
}

static void test_bodies_in_use_stay(void **unused) {
    (void)unused;
    Sample s = {0};
    BrError error = {0};
    for (int step = 0; step < sample_steps() - 4; step++) assert_int_equal(sample_do(&s, step, NULL), BR_OK);
    for (int i = 0; i < SAMPLE_BODIES; i++) {
        assert_int_equal(br_model_remove_body(s.model, s.body[i], &error), BR_INVALID_ARGUMENT);
        assert_non_null(strstr(error.text, br_body_def(s.model, s.body[i])->name));
        assert_non_null(strstr(error.text, "refers to it"));
    }
    sample_release(&s);
}

/* A body taken out from among others shifts their numbers; joints, springs, motions and forces follow. */
static void test_removing_an_unused_body_changes_nothing_else(void **unused) {
    (void)unused;
    Sample s = {0}, plain = {0};
    BrBodyId extra[3] = {{0}};
    for (int step = 0; step < sample_steps(); step++) {
        if (step == 1) extra[0] = add_body(s.model, "extra0");
        if (step == 8) extra[1] = add_body(s.model, "extra1");
        if (step == SAMPLE_BODIES + 1) extra[2] = add_body(s.model, "extra2");
        for (int i = 0; i < 3 && step == sample_steps() - 4; i++)
            assert_int_equal(br_model_remove_body(s.model, extra[i], NULL), BR_OK);
        assert_int_equal(sample_do(&s, step, NULL), BR_OK);
        assert_int_equal(sample_do(&plain, step, NULL), BR_OK);
    }
    assert_true(br_model_fingerprint(s.model) == br_model_fingerprint(plain.model));
    assert_int_equal(sample_run(&s, s.state, s.workspace, BR_SCHEME_HEM2, 10), BR_OK);
    assert_int_equal(sample_run(&plain, plain.state, plain.workspace, BR_SCHEME_HEM2, 10), BR_OK);
    assert_true(br_state_hash(s.state) == br_state_hash(plain.state));
    sample_release(&plain);
    sample_release(&s);
}

/* ------------------------------------------------------------------ null and foreign ids */

static void expect_unknown(const Sample *s, BrBodyId body, BrJointId joint, BrSpringId spring, BrMotorId motor) {
    BrPose pose;
    BrTwist twist;
    BrVec3 a, b;
    double x[3], y[3], z;
    assert_null(br_body_def(s->model, body));
    assert_null(br_joint_def(s->model, joint));
    assert_null(br_spring_def(s->model, spring));
    assert_null(br_motor_def(s->model, motor));
    assert_int_equal(br_body_pose(s->model, s->state, body, &pose), BR_INVALID_ID);
    assert_int_equal(br_body_twist(s->model, s->state, body, &twist), BR_INVALID_ID);
    assert_int_equal(br_body_load(s->model, s->state, body, &a, &b), BR_INVALID_ID);
    assert_int_equal(br_motor_target(s->model, s->state, motor, &x[0], &y[0]), BR_INVALID_ID);
    assert_int_equal(br_joint_position(s->model, s->state, joint, x, y), BR_INVALID_ID);
    assert_int_equal(br_joint_gap(s->model, s->state, joint, x), BR_INVALID_ID);
    assert_int_equal(br_spring_force(s->model, s->state, spring, x, y, &z), BR_INVALID_ID);
    assert_int_equal(br_body_acceleration(s->model, s->workspace, body, &twist), BR_INVALID_ID);
    assert_int_equal(br_joint_reaction(s->model, s->workspace, joint, NULL, NULL), BR_INVALID_ID);
}

static void test_null_and_foreign_ids(void **unused) {
    (void)unused;
    Sample s, other;
    assert_int_equal(sample_make(&s, (BrAllocator){0}, NULL), BR_OK);
    do { /* the model's number has 16 bits drawn at random: ask again if they are the same */
        assert_int_equal(sample_make(&other, (BrAllocator){0}, NULL), BR_OK);
        if (other.body[0].model == s.body[0].model) sample_release(&other);
    } while (!other.model);
    BrBodyId body = other.body[3];
    BrJointId joint = other.joint[2];
    BrSpringId spring = br_model_spring(other.model, 0);
    BrMotorId motor = br_model_motor(other.model, 1);
    expect_unknown(&s, (BrBodyId){0}, (BrJointId){0}, (BrSpringId){0}, (BrMotorId){0});
    expect_unknown(&s, body, joint, spring, motor);
    const uint32_t number = s.body[0].model;
    body.model = joint.model = spring.model = motor.model = number;
    assert_non_null(br_body_def(s.model, body));
    body.index1 = joint.index1 = spring.index1 = motor.index1 = 1000;
    expect_unknown(&s, body, joint, spring, motor);
    body.index1 = joint.index1 = spring.index1 = motor.index1 = -1;
    expect_unknown(&s, body, joint, spring, motor);
    body.index1 = joint.index1 = spring.index1 = motor.index1 = 1;
    body.generation = joint.generation = spring.generation = motor.generation = 2;
    expect_unknown(&s, body, joint, spring, motor);
    sample_release(&other);
    sample_release(&s);
}

/* ------------------------------------------------------------------ enumeration and read-back */

#define CHECK_ENUMERATION(kind, Id, count_wanted)                                                                      \
    do {                                                                                                               \
        assert_int_equal(br_model_##kind##_count(s.model), count_wanted);                                              \
        for (int i = 0; i < (count_wanted); i++) {                                                                     \
            Id id = br_model_##kind(s.model, i);                                                                       \
            assert_int_equal(br_model_find_##kind(s.model, br_##kind##_def(s.model, id)->name).index1, id.index1);     \
        }                                                                                                              \
        assert_int_equal(br_model_##kind(s.model, -1).index1, 0);                                                      \
        assert_int_equal(br_model_##kind(s.model, count_wanted).index1, 0);                                            \
        assert_int_equal(br_model_##kind(s.model, INT32_MAX).index1, 0);                                               \
        assert_int_equal(br_model_find_##kind(s.model, "nobody").index1, 0);                                           \
        assert_int_equal(br_model_find_##kind(s.model, "").index1, 0);                                                 \
        assert_int_equal(br_model_find_##kind(s.model, NULL).index1, 0);                                               \
    } while (0)

static void test_enumeration_and_names(void **unused) {
    (void)unused;
    Sample s;
    assert_int_equal(sample_make(&s, (BrAllocator){0}, NULL), BR_OK);
    CHECK_ENUMERATION(body, BrBodyId, SAMPLE_BODIES);
    CHECK_ENUMERATION(joint, BrJointId, SAMPLE_JOINTS);
    CHECK_ENUMERATION(spring, BrSpringId, 2);
    CHECK_ENUMERATION(motor, BrMotorId, 2);
    sample_release(&s);
    s.model = create();
    CHECK_ENUMERATION(body, BrBodyId, 0);
    br_model_destroy(s.model);
}

static void test_bodies_and_joints_are_read_back(void **unused) {
    (void)unused;
    BrModel *model = create();
    char name[8] = "thing";
    BrBodyDef body = br_default_body_def();
    BrBodyId id;
    body.name = name;
    body.mass = 3;
    body.inertia = (BrMat3){{{1, 0.125, 0}, {0.125, 1, 0}, {0, 0, 1}}};
    body.position = (BrVec3){1, 2, 3};
    body.rotation = (BrMat3){{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}};
    body.velocity = (BrVec3){4, 5, 6};
    body.angular_velocity = (BrVec3){7, 8, 9};
    assert_int_equal(br_model_add_body(model, &body, &id, NULL), BR_OK);
    BrJointDef joint = br_default_joint_def();
    BrJointId joint_id;
    joint.name = name;
    joint.type = BR_JOINT_SCREW;
    joint.body_a = add_body(model, "other");
    joint.body_b = id;
    joint.at = (BrVec3){1, 0, 1};
    joint.axis = (BrVec3){0, 0, 5};
    joint.lead = -0.5;
    assert_int_equal(br_model_add_joint(model, &joint, &joint_id, NULL), BR_OK);
    memset(name, 0, sizeof name); /* the model has its own */
    BrBodyDef kept = *br_body_def(model, id);
    BrJointDef kept_joint = *br_joint_def(model, joint_id);
    assert_string_equal(kept.name, "thing");
    assert_string_equal(kept_joint.name, "thing");
    kept.name = kept_joint.name = name;
    assert_memory_equal(&kept.mass, &body.mass, sizeof body - offsetof(BrBodyDef, mass)); /* quarter turns are exact */
    assert_int_equal(kept.kind, body.kind);
    assert_int_equal(kept_joint.type, joint.type);
    assert_true(same(kept_joint.body_a, joint.body_a) && same(kept_joint.body_b, id));
    assert_memory_equal(&kept_joint.at, &joint.at, sizeof joint - offsetof(BrJointDef, at));
    br_model_destroy(model);
}

static void test_springs_and_motors_are_read_back(void **unused) {
    (void)unused;
    Sample s;
    assert_int_equal(sample_make(&s, (BrAllocator){0}, NULL), BR_OK);
    const BrSpringDef *cord = br_spring_def(s.model, br_model_find_spring(s.model, "cord"));
    const BrSpringDef *coil = br_spring_def(s.model, br_model_find_spring(s.model, "coil"));
    const BrMotorDef *weak = br_motor_def(s.model, br_model_find_motor(s.model, "crank_motor"));
    const BrMotorDef *strong = br_motor_def(s.model, br_model_find_motor(s.model, "nut_motor"));
    assert_true(same(cord->body_a, s.body[0]) && same(cord->body_b, s.body[2]) && cord->joint.index1 == 0);
    assert_string_equal(cord->stiffness.expression, "20 + 5*x^2");
    assert_string_equal(cord->force.expression, "0.1*tanh(v)");
    assert_true(cord->damping.kind == BR_FUNCTION_CONSTANT && cord->damping.constant == 0.5 && cord->free_length == 1);
    assert_true(cord->point_a_body.x == 1 && cord->point_b_body.x == 0.25 && cord->direction_at_zero.z == -1);
    assert_int_equal(coil->joint.index1, s.joint[10].index1);
    assert_int_equal(coil->coordinate, 1);
    assert_int_equal(coil->stiffness.points, 4);
    assert_true(coil->stiffness.table[0] == -1 && coil->stiffness.table[7] == 100);
    assert_int_equal(weak->speed.kind, BR_FUNCTION_SINE);
    assert_true(weak->speed.amplitude == 6 && weak->speed.frequency == 0.5 && weak->speed.phase == 0.25);
    assert_true(weak->max_effort == 12 && weak->joint.index1 == s.joint[0].index1 && weak->coordinate == 0);
    assert_string_equal(strong->speed.expression, "3*sin(t)");
    sample_release(&s);
}

/* ------------------------------------------------------------------ fingerprints */

/* What a machine is made from, to be changed in one place. */
typedef struct Recipe {
    BrModelDef model;
    BrBodyDef body[3]; /* ground, arm, hand */
    BrJointDef joint[2];
    BrSpringDef spring;
    BrMotorDef motor;
    BrMotionDef motion;
    BrForceDef force;
    double table[6];
} Recipe;

static Recipe write_recipe(void) {
    Recipe r = {.model = br_default_model_def(),
                .spring = br_default_spring_def(),
                .motor = br_default_motor_def(),
                .motion = br_default_motion_def(),
                .force = br_default_force_def(),
                .table = {0, 0, 1, 2, 2, 5}};
    static const char *const names[3] = {"ground", "arm", "hand"};
    for (int i = 0; i < 3; i++) {
        r.body[i] = br_default_body_def();
        r.body[i].name = names[i];
        r.body[i].mass = 1;
        r.body[i].inertia = (BrMat3){{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}};
        r.body[i].position = (BrVec3){i, 0, 0};
    }
    r.body[0].kind = BR_BODY_FIXED;
    for (int i = 0; i < 2; i++) {
        r.joint[i] = br_default_joint_def();
        r.joint[i].name = i ? "rail" : "thread";
        r.joint[i].type = i ? BR_JOINT_CYLINDRICAL : BR_JOINT_SCREW;
        r.joint[i].at = (BrVec3){i, 0, 0};
        r.joint[i].axis = (BrVec3){0, 0, 1};
        r.joint[i].lead = 0.5;
    }
    r.spring.name = r.motor.name = r.motion.name = r.force.name = "part";
    r.spring.stiffness = br_expression("3 + x");
    r.spring.force = br_sine(1, 2, 3);
    r.motor.speed = br_constant(1);
    r.motor.max_effort = 4;
    r.motion.drive = br_constant(0.5);
    return r;
}

static uint64_t cook(Recipe r) {
    BrModel *model;
    BrBodyId body[3];
    BrJointId joint[2];
    BrSpringId spring;
    BrMotorId motor;
    BrMotionId motion;
    BrForceId force;
    assert_int_equal(br_model_create(&r.model, &model, NULL), BR_OK);
    for (int i = 0; i < 3; i++) assert_int_equal(br_model_add_body(model, &r.body[i], &body[i], NULL), BR_OK);
    for (int i = 0; i < 2; i++) {
        r.joint[i].body_a = body[i];
        r.joint[i].body_b = body[i + 1];
        assert_int_equal(br_model_add_joint(model, &r.joint[i], &joint[i], NULL), BR_OK);
    }
    r.spring.body_a = body[0];
    r.spring.body_b = body[2];
    r.motor.joint = joint[0];
    r.motion.joint = joint[1];
    r.force.body = body[1];
    r.force.torque[2] = br_table(r.table, 3);
    assert_int_equal(br_model_add_spring(model, &r.spring, &spring, NULL), BR_OK);
    assert_int_equal(br_model_add_motor(model, &r.motor, &motor, NULL), BR_OK);
    assert_int_equal(br_model_add_motion(model, &r.motion, &motion, NULL), BR_OK);
    assert_int_equal(br_model_add_force(model, &r.force, &force, NULL), BR_OK);
    assert_int_equal(br_model_build(model, NULL), BR_OK);
    uint64_t fingerprint = br_model_fingerprint(model);
    br_model_destroy(model);
    return fingerprint;
}

static uint64_t fingerprints[128];
static int fingerprint_count;

static void collect(Recipe r, const char *change) {
    uint64_t fingerprint = cook(r);
    for (int i = 0; i < fingerprint_count; i++)
        if (fingerprints[i] == fingerprint) fail_msg("'%s' has the fingerprint of change %d", change, i);
    assert_true(fingerprint_count < COUNT(fingerprints));
    fingerprints[fingerprint_count++] = fingerprint;
}

#define CHANGE(what)                                                                                                   \
    do {                                                                                                               \
        Recipe r = write_recipe();                                                                                     \
        what;                                                                                                          \
        collect(r, #what);                                                                                             \
    } while (0)

static void change_bodies_and_joints(void) {
    CHANGE(r.model.gravity.z = -9.8);
    CHANGE(r.body[1].name = "leg");
    CHANGE(r.body[0].kind = BR_BODY_KINEMATIC);
    CHANGE(r.body[1].mass = 1.5);
    CHANGE(r.body[2].mass = 1.5);
    CHANGE(r.body[1].inertia.m[0][0] = 2.5);
    CHANGE(r.body[1].inertia.m[0][1] = r.body[1].inertia.m[1][0] = 0.25);
    CHANGE(r.body[1].position.y = 0.5);
    CHANGE(r.body[1].rotation = ((BrMat3){{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}}));
    CHANGE(r.body[1].velocity.x = 1);
    CHANGE(r.body[1].angular_velocity.z = 1);
    CHANGE(r.joint[0].name = "nut");
    CHANGE(r.joint[0].type = BR_JOINT_REVOLUTE);
    CHANGE(r.joint[0].at.y = 0.25);
    CHANGE(r.joint[0].axis.x = 0.25);
    CHANGE(r.joint[0].lead = -0.5);
}

static void change_parts(void) {
    CHANGE(r.spring.name = "other");
    CHANGE(r.spring.point_a_body.z = 1);
    CHANGE(r.spring.point_b_body.z = 1);
    CHANGE(r.spring.direction_at_zero.z = 1);
    CHANGE(r.spring.free_length = 1);
    CHANGE(r.spring.stiffness = br_expression("3 - x"));
    CHANGE(r.spring.stiffness = br_expression("4 + x"));
    CHANGE(r.spring.stiffness = br_expression("3 + v"));
    CHANGE(r.spring.damping = br_constant(1));
    CHANGE(r.spring.force = br_sine(1.5, 2, 3));
    CHANGE(r.spring.force = br_sine(1, 2.5, 3));
    CHANGE(r.spring.force = br_sine(1, 2, 3.5));
    CHANGE(r.spring.force.constant = 1);
    CHANGE(r.motor.name = "other");
    CHANGE(r.motor.speed = br_constant(2));
    CHANGE(r.motor.speed = br_expression("1 + t"));
    CHANGE(r.motor.max_effort = 5);
    CHANGE(r.motion.name = "other");
    CHANGE(r.motion.coordinate = 1);
    CHANGE(r.motion.by_velocity = true);
    CHANGE(r.motion.drive = br_constant(1.5));
    CHANGE(r.force.name = "other");
    CHANGE(r.force.force[0] = br_constant(1));
    CHANGE(r.force.force[1] = br_constant(1));
    CHANGE(r.force.torque[0] = br_constant(1));
    CHANGE(r.force.point_body.x = 1);
    CHANGE(r.force.in_body_axes = true);
    CHANGE(r.table[5] = 6);
    CHANGE(r.table[2] = 1.5);
}

static void test_fingerprints(void **unused) {
    (void)unused;
    fingerprint_count = 0;
    assert_true(cook(write_recipe()) == cook(write_recipe()));
    CHANGE((void)0);
    change_bodies_and_joints();
    change_parts();
}

/* ------------------------------------------------------------------ lists */

static void test_statuses(void **unused) {
    (void)unused;
    static const struct {
        BrStatus status;
        const char *name, *text;
    } all[] = {
#define ROW(name, value, text) {BR_##name, "BR_" #name, text},
        BR_STATUS_LIST(ROW)
#undef ROW
    };
    for (int i = 0; i < COUNT(all); i++) {
        assert_string_equal(br_status_name(all[i].status), all[i].name);
        assert_string_equal(br_status_text(all[i].status), all[i].text);
        size_t length = strlen(all[i].text);
        assert_true(length > 0 && all[i].text[length - 1] != '.');
        for (int j = 0; j < i; j++) assert_int_not_equal(all[i].status, all[j].status);
    }
    assert_int_equal(BR_OK, 0);
    assert_string_equal(br_status_name((BrStatus)-1000), "unknown");
    assert_string_equal(br_status_name((BrStatus)1000), "unknown");
    assert_non_null(br_status_text((BrStatus)1000));
}

static void test_joint_types_and_schemes(void **unused) {
    (void)unused;
    for (int t = 0; t < BR_JOINT_TYPES; t++) {
        const BrJointInfo *info = br_joint_info((BrJointType)t);
        assert_non_null(info);
        assert_true(strlen(info->name) > 0 && strlen(info->help) > 0);
        assert_int_equal(info->freedoms + info->constraints, 6);
        assert_true(info->holonomic <= info->constraints);
        for (int i = 0; i < info->parameters; i++)
            assert_true(info->parameter[i].key && info->parameter[i].unit && info->parameter[i].help);
        for (int i = 0; i < info->coordinates; i++) assert_true(info->coordinate[i].name && info->coordinate[i].unit);
        for (int other = 0; other < t; other++)
            assert_string_not_equal(info->name, br_joint_info((BrJointType)other)->name);
    }
    assert_null(br_joint_info(BR_JOINT_TYPES));
    assert_null(br_joint_info((BrJointType)-1));
    assert_string_equal(br_scheme_name(BR_SCHEME_MOREAU), "moreau");
    assert_string_equal(br_scheme_name(BR_SCHEME_HEM2), "hem2");
    assert_string_equal(br_scheme_name(BR_SCHEME_RATTLE), "rattle");
    assert_string_equal(br_scheme_name(BR_SCHEMES), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids_need_not_be_asked_for),
        cmocka_unit_test(test_removed_ids_are_stale),
        cmocka_unit_test(test_adding_and_removing_at_random),
        cmocka_unit_test(test_bodies_in_use_stay),
        cmocka_unit_test(test_removing_an_unused_body_changes_nothing_else),
        cmocka_unit_test(test_null_and_foreign_ids),
        cmocka_unit_test(test_enumeration_and_names),
        cmocka_unit_test(test_bodies_and_joints_are_read_back),
        cmocka_unit_test(test_springs_and_motors_are_read_back),
        cmocka_unit_test(test_fingerprints),
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_joint_types_and_schemes),
    };
    return cmocka_run_group_tests_name("model_ids", tests, NULL, NULL);
}
