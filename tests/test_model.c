/* Building a model: every slip is refused with a sentence that names the thing and the value, and leaves the model as
 * it was. Ids, read-back and fingerprints are in test_model_ids.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bristle/bristle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* ------------------------------------------------------------------ a small machine to be refused things */

typedef struct Shop {
    BrModel *model;
    BrBodyId ground, arm, hand, cart, stale;
    BrJointId hinge, ball, mast; /* revolute, spherical, cylindrical */
} Shop;

static BrBodyDef good_body(const char *name) {
    BrBodyDef def = br_default_body_def();
    def.name = name;
    def.mass = 2;
    def.inertia = (BrMat3){{{2, 0, 0}, {0, 3, 0}, {0, 0, 4}}};
    return def;
}

static BrJointDef good_joint(const Shop *s, const char *name, BrJointType type) {
    BrJointDef def = br_default_joint_def();
    def.name = name;
    def.type = type;
    def.body_a = s->arm;
    def.body_b = s->hand;
    def.at = (BrVec3){0.5, 0, 0};
    def.axis = (BrVec3){0, 0, 2};
    def.axis_b = (BrVec3){0, 3, 0};
    def.lead = 0.1;
    def.radius = 0.2;
    return def;
}

static BrSpringDef good_spring(const Shop *s) {
    BrSpringDef def = br_default_spring_def();
    def.name = "odd";
    def.body_a = s->arm;
    def.body_b = s->hand;
    def.stiffness = br_constant(10);
    return def;
}

static BrMotorDef good_motor(const Shop *s) {
    BrMotorDef def = br_default_motor_def();
    def.name = "odd";
    def.joint = s->hinge;
    def.speed = br_constant(1);
    def.max_effort = 5;
    return def;
}

static BrMotionDef good_motion(const Shop *s) {
    BrMotionDef def = br_default_motion_def();
    def.name = "odd";
    def.joint = s->hinge;
    return def;
}

static BrForceDef good_force(const Shop *s) {
    BrForceDef def = br_default_force_def();
    def.name = "odd";
    def.body = s->arm;
    return def;
}

static BrBodyId add_body(BrModel *model, BrBodyDef def) {
    BrBodyId id;
    BrError error;
    if (br_model_add_body(model, &def, &id, &error) != BR_OK) fail_msg("%s", error.text);
    return id;
}

static BrJointId add_joint(BrModel *model, BrJointDef def) {
    BrJointId id;
    BrError error;
    if (br_model_add_joint(model, &def, &id, &error) != BR_OK) fail_msg("%s", error.text);
    return id;
}

static void open_shop(Shop *s) {
    BrModelDef def = br_default_model_def();
    BrBodyDef ground = good_body("ground"), hand = good_body("hand"), cart = good_body("cart");
    assert_int_equal(br_model_create(&def, &s->model, NULL), BR_OK);
    ground.kind = BR_BODY_FIXED;
    cart.kind = BR_BODY_KINEMATIC;
    hand.position = (BrVec3){1, 0, 0};
    s->ground = add_body(s->model, ground);
    s->stale = add_body(s->model, good_body("gone"));
    assert_int_equal(br_model_remove_body(s->model, s->stale, NULL), BR_OK);
    s->arm = add_body(s->model, good_body("arm"));
    s->hand = add_body(s->model, hand);
    s->cart = add_body(s->model, cart);
    s->hinge = add_joint(s->model, good_joint(s, "hinge", BR_JOINT_REVOLUTE));
    s->ball = add_joint(s->model, good_joint(s, "ball", BR_JOINT_SPHERICAL));
    s->mast = add_joint(s->model, good_joint(s, "mast", BR_JOINT_CYLINDRICAL));
}

/* After any number of refusals the model is the one that was never asked, and it can be built. */
static void close_shop(Shop *s) {
    Shop reference;
    open_shop(&reference);
    assert_int_equal(br_model_body_count(s->model), 4);
    assert_int_equal(br_model_joint_count(s->model), 3);
    assert_int_equal(br_model_spring_count(s->model), 0);
    assert_int_equal(br_model_motor_count(s->model), 0);
    assert_int_equal(br_model_build(s->model, NULL), BR_OK);
    assert_int_equal(br_model_build(reference.model, NULL), BR_OK);
    assert_true(br_model_fingerprint(s->model) == br_model_fingerprint(reference.model));
    br_model_destroy(reference.model);
    br_model_destroy(s->model);
}

/* Another model, whose number differs (16 bits, drawn at random: ask again if they are the same). */
static void open_other_shop(const Shop *s, Shop *other) {
    for (open_shop(other); other->arm.model == s->arm.model; open_shop(other)) br_model_destroy(other->model);
}

static void expect_refusal(BrStatus status, BrStatus wanted, const BrError *error, const char *word) {
    if (status != wanted) fail_msg("%s, not %s (%s)", br_status_name(status), br_status_name(wanted), error->text);
    assert_int_equal(error->status, wanted);
    assert_int_equal(error->line, 0);
    if (!strstr(error->text, word)) fail_msg("'%s' does not say '%s'", error->text, word);
}

/* REFUSE(body, BR_INVALID_ARGUMENT, "0 kg", def.mass = 0): a good definition with one slip, with and without error. */
#define REFUSE(kind, Kind, make, wanted, word, slip)                                                                   \
    do {                                                                                                               \
        Br##Kind##Def def = make;                                                                                      \
        Br##Kind##Id id = {.index1 = 7};                                                                               \
        BrError why = {0};                                                                                             \
        slip;                                                                                                          \
        expect_refusal(br_model_add_##kind(s.model, &def, &id, &why), wanted, &why, word);                             \
        assert_int_equal(id.index1, 0);                                                                                \
        assert_int_equal(br_model_add_##kind(s.model, &def, &id, NULL), wanted);                                       \
    } while (0)
#define REFUSE_BODY(wanted, word, slip)        REFUSE(body, Body, good_body("odd"), wanted, word, slip)
#define REFUSE_JOINT(type, wanted, word, slip) REFUSE(joint, Joint, good_joint(&s, "odd", type), wanted, word, slip)
#define REFUSE_SPRING(wanted, word, slip)      REFUSE(spring, Spring, good_spring(&s), wanted, word, slip)
#define REFUSE_MOTOR(wanted, word, slip)       REFUSE(motor, Motor, good_motor(&s), wanted, word, slip)
#define REFUSE_MOTION(wanted, word, slip)      REFUSE(motion, Motion, good_motion(&s), wanted, word, slip)
#define REFUSE_FORCE(wanted, word, slip)       REFUSE(force, Force, good_force(&s), wanted, word, slip)

/* ------------------------------------------------------------------ what all definitions share */

static void test_model_definition(void **unused) {
    (void)unused;
    BrModelDef def = {.gravity = {0, 0, 0}};
    BrModel *model = (BrModel *)&def;
    BrError error = {0};
    expect_refusal(br_model_create(&def, &model, &error), BR_INVALID_DEF, &error, "br_default_model_def()");
    assert_null(model);
    for (int i = 0; i < 3; i++) {
        def = br_default_model_def();
        *(i == 0 ? &def.gravity.x : i == 1 ? &def.gravity.y : &def.gravity.z) = i == 1 ? INFINITY : NAN;
        expect_refusal(br_model_create(&def, &model, &error), BR_INVALID_ARGUMENT, &error, "gravity");
        assert_null(model);
    }
    br_model_destroy(NULL);
}

static void test_definitions_must_start_from_their_default(void **unused) {
    (void)unused;
    Shop s;
    open_shop(&s);
    REFUSE_BODY(BR_INVALID_DEF, "br_default_body_def()", def.cookie = 0);
    REFUSE_JOINT(BR_JOINT_REVOLUTE, BR_INVALID_DEF, "br_default_joint_def()", def.cookie = 0);
    REFUSE_SPRING(BR_INVALID_DEF, "br_default_spring_def()", def.cookie = 0);
    REFUSE_MOTOR(BR_INVALID_DEF, "br_default_motor_def()", def.cookie = 0);
    REFUSE_MOTION(BR_INVALID_DEF, "br_default_motion_def()", def.cookie = 0);
    REFUSE_FORCE(BR_INVALID_DEF, "br_default_force_def()", def.cookie = 0);
    REFUSE_BODY(BR_INVALID_DEF, "br_default_body_def()", memset(&def, 0, sizeof def));
    close_shop(&s);
}

/* A program that was compiled with a shorter or a longer definition: nothing is written beyond what it has, the rest is
 * zero, and the library says why it does not take it. */
static void test_definitions_of_other_versions_are_refused(void **unused) {
    (void)unused;
    Shop s;
    open_shop(&s);
    enum { MORE = 64 };
    for (int change = -MORE; change <= MORE; change += 8) {
        union {
            BrBodyDef def;
            unsigned char bytes[sizeof(BrBodyDef) + 2 * MORE];
        } place;
        uint32_t size = (uint32_t)((int)sizeof(BrBodyDef) + change);
        memset(place.bytes, 0xa5, sizeof place.bytes);
        br_start_body_def(&place.def, size);
        for (size_t i = size; i < sizeof place.bytes; i++) assert_int_equal(place.bytes[i], 0xa5);
        for (size_t i = 8; change != 0 && i < size; i++) assert_int_equal(place.bytes[i], 0);
        assert_int_equal(place.def.struct_size, size);
        if (change == 0) continue;
        BrError error = {0};
        expect_refusal(br_model_add_body(s.model, &place.def, NULL, &error), BR_INVALID_DEF, &error, "another version");
    }
    BrStepDef step = br_default_step_def();
    BrError error = {0};
    step.struct_size -= 8;
    expect_refusal(br_step_fits(s.model, &step, &error), BR_INVALID_DEF, &error, "another version");
    close_shop(&s);
}

static void test_names(void **unused) {
    (void)unused;
    static const char longest[] = "123456789012345678901234567890123456789012345678901234567890123";
    static const char longer[] = "123456789012345678901234567890123456789012345678901234567890123x";
    static const char *const bad[] = {"a/b", "/", "a.b", ".", "a\nb", "tab\t", "\x1f", "bell\a"};
    Shop s;
    open_shop(&s);
    const BrStatus refused = BR_INVALID_ARGUMENT;
    REFUSE_BODY(refused, "a body needs a name", def.name = NULL);
    REFUSE_BODY(refused, "a body needs a name", def.name = "");
    REFUSE_JOINT(BR_JOINT_FIXED, refused, "a joint needs a name", def.name = NULL);
    REFUSE_SPRING(refused, "a spring needs a name", def.name = NULL);
    REFUSE_MOTOR(refused, "a motor needs a name", def.name = NULL);
    REFUSE_MOTION(refused, "a motion needs a name", def.name = "");
    REFUSE_FORCE(refused, "a force needs a name", def.name = "");
    for (int i = 0; i < COUNT(bad); i++) {
        REFUSE_BODY(refused, "must not contain", def.name = bad[i]);
        REFUSE_MOTOR(refused, "must not contain", def.name = bad[i]);
    }
    REFUSE_BODY(refused, "longer than 63", def.name = longer);
    REFUSE_JOINT(BR_JOINT_FIXED, refused, longest, def.name = longer);
    REFUSE_BODY(refused, "'arm'", def.name = "arm");
    REFUSE_JOINT(BR_JOINT_FIXED, refused, "'hinge'", def.name = "hinge");
    BrBodyId id = add_body(s.model, good_body(longest)); /* 63 characters are fine */
    assert_string_equal(br_body_def(s.model, id)->name, longest);
    assert_int_equal(br_model_remove_body(s.model, id, NULL), BR_OK);
    close_shop(&s);
}

/* Bodies, joints, springs and motors have name spaces of their own. */
static void test_names_differ_within_a_kind_only(void **unused) {
    (void)unused;
    Shop s;
    BrSpringId spring;
    BrMotorId motor;
    BrMotionId motion;
    BrForceId force;
    open_shop(&s);
    (void)add_body(s.model, good_body("odd"));
    (void)add_joint(s.model, good_joint(&s, "odd", BR_JOINT_FIXED));
    BrSpringDef spring_def = good_spring(&s);
    BrMotorDef motor_def = good_motor(&s);
    BrMotionDef motion_def = good_motion(&s);
    BrForceDef force_def = good_force(&s);
    motion_def.joint = s.mast;
    assert_int_equal(br_model_add_spring(s.model, &spring_def, &spring, NULL), BR_OK);
    assert_int_equal(br_model_add_motor(s.model, &motor_def, &motor, NULL), BR_OK);
    assert_int_equal(br_model_add_motion(s.model, &motion_def, &motion, NULL), BR_OK);
    assert_int_equal(br_model_add_force(s.model, &force_def, &force, NULL), BR_OK);
    const BrStatus refused = BR_INVALID_ARGUMENT;
    REFUSE_BODY(refused, "'odd' already", (void)0);
    REFUSE_JOINT(BR_JOINT_FIXED, refused, "'odd' already", (void)0);
    REFUSE_SPRING(refused, "'odd' already", (void)0);
    REFUSE_MOTOR(refused, "'odd' already", def.joint = s.mast);
    REFUSE_MOTION(refused, "'odd' already", (void)0);
    REFUSE_FORCE(refused, "'odd' already", (void)0);
    br_model_destroy(s.model);
}

/* ------------------------------------------------------------------ bodies */

static void test_bodies(void **unused) {
    (void)unused;
    Shop s;
    open_shop(&s);
    const BrStatus refused = BR_INVALID_ARGUMENT;
    REFUSE_BODY(refused, "mass of body 'odd' is 0 kg", def.mass = 0);
    REFUSE_BODY(refused, "mass of body 'odd' is -1.5 kg", def.mass = -1.5);
    REFUSE_BODY(refused, "mass of body 'odd' is inf", def.mass = INFINITY);
    REFUSE_BODY(refused, "'odd' is not symmetric: entries 21 and 12 are 0 and 0.5", def.inertia.m[0][1] = 0.5);
    REFUSE_BODY(refused, "'odd' must be positive definite, but a principal moment is -2", def.inertia.m[0][0] = -2);
    REFUSE_BODY(refused, "'odd' must be positive definite", def.inertia.m[1][1] = 0);
    REFUSE_BODY(refused, "-3", def.inertia.m[0][1] = def.inertia.m[1][0] = sqrt(30)); /* (2+x)(3+x) = 30: x = 3 */
    REFUSE_BODY(refused, "inertia of body 'odd'", memset(&def.inertia, 0, sizeof def.inertia));
    REFUSE_BODY(refused, "5.5 exceeds the sum 5 of the other two", def.inertia.m[2][2] = 5.5);
    REFUSE_BODY(refused, "orientation of body 'odd'", memset(&def.rotation, 0, sizeof def.rotation));
    REFUSE_BODY(refused, "orientation of body 'odd'", def.rotation.m[0][0] = 1.001);
    REFUSE_BODY(refused, "orientation of body 'odd'", def.rotation.m[0][1] = 1e-3);
    REFUSE_BODY(refused, "orientation of body 'odd'", def.rotation.m[2][2] = -1); /* a mirror */
    REFUSE_BODY(refused, "orientation of body 'odd'", (def.kind = BR_BODY_FIXED, def.rotation.m[2][2] = -1));
    close_shop(&s);
}

/* NaN and infinity in every number of a body. */
static void test_body_numbers_must_be_finite(void **unused) {
    (void)unused;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    enum { FIRST = offsetof(BrBodyDef, mass), NUMBERS = 1 + 9 + 3 + 9 + 3 + 3 };
    Shop s;
    open_shop(&s);
    for (int i = 0; i < NUMBERS; i++)
        for (int k = 0; k < COUNT(bad); k++)
            REFUSE_BODY(BR_INVALID_ARGUMENT, "body 'odd'",
                        memcpy((char *)&def + FIRST + i * (int)sizeof(double), &bad[k], sizeof(double)));
    close_shop(&s);
}

/* ------------------------------------------------------------------ joints */

static void test_joint_bodies(void **unused) {
    (void)unused;
    Shop s, other;
    open_shop(&s);
    open_other_shop(&s, &other);
    for (int t = 0; t < BR_JOINT_TYPES; t++) {
        BrJointType type = (BrJointType)t;
        REFUSE_JOINT(type, BR_INVALID_ID, "'odd': its first body", def.body_a = (BrBodyId){0});
        REFUSE_JOINT(type, BR_INVALID_ID, "'odd': its second body", def.body_b = (BrBodyId){0});
        REFUSE_JOINT(type, BR_INVALID_ID, "'odd': its first body", def.body_a = s.stale);
        REFUSE_JOINT(type, BR_INVALID_ID, "'odd': its second body", def.body_b = other.hand);
        REFUSE_JOINT(type, BR_INVALID_ID, "'odd': its second body", def.body_b.index1 = 99);
        REFUSE_JOINT(type, BR_INVALID_ID, "'odd': its second body", def.body_b.index1 = -1);
        REFUSE_JOINT(type, BR_INVALID_ARGUMENT, "'odd' connects body 'hand' with itself", def.body_a = s.hand);
    }
    REFUSE_JOINT(BR_JOINT_TYPES, BR_INVALID_ARGUMENT, "'odd': 15 is no joint type", (void)0);
    REFUSE_JOINT(BR_JOINT_FIXED, BR_INVALID_ARGUMENT, "-1 is no joint type", def.type = (BrJointType)-1);
    br_model_destroy(other.model);
    close_shop(&s);
}

static void test_joint_geometry(void **unused) {
    (void)unused;
    Shop s;
    open_shop(&s);
    const BrStatus refused = BR_INVALID_ARGUMENT;
    const BrVec3 zero = {0, 0, 0};
    for (int t = 0; t < BR_JOINT_TYPES; t++) {
        const BrJointInfo *info = br_joint_info((BrJointType)t);
        for (int i = 0; i < info->parameters; i++) {
            if (info->parameter[i].field == BR_FIELD_AXIS)
                REFUSE_JOINT((BrJointType)t, refused, "'odd'", def.axis = zero);
            if (info->parameter[i].field == BR_FIELD_AXIS_B)
                REFUSE_JOINT((BrJointType)t, refused, "'odd'", def.axis_b = zero);
        }
    }
    REFUSE_JOINT(BR_JOINT_UNIVERSAL, refused, "must be perpendicular", def.axis_b.z = 0.01);
    REFUSE_JOINT(BR_JOINT_SCREW, refused, "'odd': the lead is 0 m", def.lead = 0);
    REFUSE_JOINT(BR_JOINT_SCREW, refused, "'odd': the lead is nan", def.lead = NAN);
    REFUSE_JOINT(BR_JOINT_SCREW, refused, "'odd': the lead is inf", def.lead = INFINITY);
    REFUSE_JOINT(BR_JOINT_ROLLING_WHEEL, refused, "'odd': the radius is 0 m", def.radius = 0);
    REFUSE_JOINT(BR_JOINT_ROLLING_WHEEL, refused, "'odd': the radius is -0.25 m", def.radius = -0.25);
    REFUSE_JOINT(BR_JOINT_ROLLING_WHEEL, refused, "'odd': the radius is inf", def.radius = INFINITY);
    REFUSE_JOINT(BR_JOINT_ROLLING_WHEEL, refused, "'odd': the wheel lies flat", def.axis_b = def.axis);
    REFUSE_JOINT(BR_JOINT_DISTANCE, refused, "'odd': the length is -1 m", def.length = -1);
    REFUSE_JOINT(BR_JOINT_DISTANCE, refused, "'odd': the length is nan", def.length = NAN);
    REFUSE_JOINT(BR_JOINT_DISTANCE, refused, "attachments coincide", def.point_a_body.x = 1);
    close_shop(&s);
}

/* NaN and infinity in every point and axis, also those the type does not use. */
static void test_joint_vectors_must_be_finite(void **unused) {
    (void)unused;
    enum { FIRST = offsetof(BrJointDef, at), NUMBERS = 15 };
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    Shop s;
    open_shop(&s);
    for (int t = 0; t < BR_JOINT_TYPES; t++)
        for (int i = 0; i < NUMBERS; i++)
            for (int k = 0; k < COUNT(bad); k++)
                REFUSE_JOINT((BrJointType)t, BR_INVALID_ARGUMENT, "'odd'",
                             memcpy((char *)&def + FIRST + i * (int)sizeof(double), &bad[k], sizeof(double)));
    close_shop(&s);
}

/* ------------------------------------------------------------------ springs, motors, motions, forces */

static void test_springs(void **unused) {
    (void)unused;
    Shop s, other;
    open_shop(&s);
    open_other_shop(&s, &other);
    const BrStatus refused = BR_INVALID_ARGUMENT;
    REFUSE_SPRING(BR_INVALID_ID, "'odd' needs two bodies", def.body_a = (BrBodyId){0});
    REFUSE_SPRING(BR_INVALID_ID, "'odd' needs two bodies", def.body_b = s.stale);
    REFUSE_SPRING(BR_INVALID_ID, "'odd' needs two bodies", def.body_b = other.hand);
    const BrBodyId nobody = {0};
    REFUSE_SPRING(BR_INVALID_ID, "'odd': its joint is not of this model", def.joint = other.hinge);
    REFUSE_SPRING(refused, "'odd' connects body 'arm' with itself", def.body_b = s.arm);
    REFUSE_SPRING(refused, "joint 'ball' (spherical) has no coordinate 0",
                  (def.joint = s.ball, def.body_a = nobody, def.body_b = nobody));
    REFUSE_SPRING(refused, "joint 'hinge' (revolute) has no coordinate 1",
                  (def.joint = s.hinge, def.body_a = nobody, def.body_b = nobody, def.coordinate = 1));
    REFUSE_SPRING(refused, "no coordinate -1",
                  (def.joint = s.mast, def.body_a = nobody, def.body_b = nobody, def.coordinate = -1));
    REFUSE_SPRING(refused, "spring 'odd'", def.free_length = NAN);
    REFUSE_SPRING(refused, "spring 'odd'", def.point_a_body.y = INFINITY);
    REFUSE_SPRING(refused, "spring 'odd'", def.point_b_body.z = NAN);
    REFUSE_SPRING(refused, "spring 'odd'", def.direction_at_zero.x = NAN);
    REFUSE_SPRING(refused, "spring 'odd'", def.direction_at_zero = (BrVec3){0});
    REFUSE_SPRING(refused, "spring 'odd'", def.stiffness = br_constant(NAN));
    REFUSE_SPRING(refused, "spring 'odd'", def.damping = br_sine(1, INFINITY, 0));
    REFUSE_SPRING(refused, "spring 'odd'", def.force = br_sine(1, 1, NAN));
    br_model_destroy(other.model);
    close_shop(&s);
}

static void test_functions(void **unused) {
    (void)unused;
    static const double falling[] = {0, 1, 2, 1, 1.5, 0}, broken[] = {0, 1, 1, NAN}, fine[] = {0, 1, 1, 2};
    Shop s;
    open_shop(&s);
    const BrStatus refused = BR_INVALID_ARGUMENT;
    REFUSE_SPRING(refused, "1.5 follows 2 (point 3)", def.stiffness = br_table(falling, 3));
    REFUSE_SPRING(refused, "'odd': point 2 of the table is not finite", def.stiffness = br_table(broken, 2));
    REFUSE_SPRING(refused, "'odd': the table has no points", def.force = br_table(fine, 0));
    REFUSE_SPRING(refused, "'odd': the table has no points", def.force = br_table(NULL, 2));
    REFUSE_SPRING(refused, "'odd': the expression is NULL", def.damping = br_expression(NULL));
    REFUSE_SPRING(refused, "spring 'odd'", def.damping = br_expression(""));
    REFUSE_SPRING(refused, "spring 'odd'", def.damping = br_expression("1 +"));
    REFUSE_SPRING(refused, "nothing", def.damping = br_expression("2*nothing"));
    REFUSE_SPRING(refused, "body 'arm' has", def.damping = br_expression("arm.mass"));
    REFUSE_SPRING(refused, "'odd': 9 is no kind of function", def.force.kind = (BrFunctionKind)9);
    REFUSE_MOTOR(refused, "motor 'odd'", def.speed = br_expression("2*x")); /* motors know t */
    REFUSE_MOTOR(refused, "motor 'odd'", def.speed = br_constant(INFINITY));
    REFUSE_MOTION(refused, "motion 'odd'", def.drive = br_expression("sin(v)"));
    REFUSE_MOTION(refused, "motion 'odd'", def.linear[2] = br_constant(NAN));
    REFUSE_MOTION(refused, "motion 'odd'", def.angular_velocity[1] = br_table(broken, 2));
    REFUSE_FORCE(refused, "force 'odd'", def.force[1] = br_constant(NAN));
    REFUSE_FORCE(refused, "force 'odd'", def.torque[2] = br_expression("nothing(t)"));
    close_shop(&s);
}

static void test_motors(void **unused) {
    (void)unused;
    Shop s, other;
    open_shop(&s);
    open_other_shop(&s, &other);
    const BrStatus refused = BR_INVALID_ARGUMENT;
    REFUSE_MOTOR(BR_INVALID_ID, "'odd': its joint", def.joint = (BrJointId){0});
    REFUSE_MOTOR(BR_INVALID_ID, "'odd': its joint", def.joint = other.hinge);
    REFUSE_MOTOR(BR_INVALID_ID, "'odd': its joint", def.joint.generation++);
    REFUSE_MOTOR(BR_INVALID_ID, "'odd': its joint", def.joint.index1 = 4);
    REFUSE_MOTOR(refused, "joint 'ball' (spherical) has no coordinate 0", def.joint = s.ball);
    REFUSE_MOTOR(refused, "joint 'mast' (cylindrical) has no coordinate 2", (def.joint = s.mast, def.coordinate = 2));
    REFUSE_MOTOR(refused, "'odd': its largest effort is 0", def.max_effort = 0);
    REFUSE_MOTOR(refused, "'odd': its largest effort is -5", def.max_effort = -5);
    REFUSE_MOTOR(refused, "'odd': its largest effort is nan", def.max_effort = NAN);
    br_model_destroy(other.model);
    close_shop(&s);
}

static void test_motions(void **unused) {
    (void)unused;
    Shop s, other;
    open_shop(&s);
    open_other_shop(&s, &other);
    const BrJointId none = {0};
    REFUSE_MOTION(BR_INVALID_ID, "'odd' needs a joint or a body", def.joint = none);
    REFUSE_MOTION(BR_INVALID_ID, "motion 'odd'", def.joint = other.hinge);
    REFUSE_MOTION(BR_INVALID_ID, "motion 'odd'", (def.joint = none, def.body = other.cart));
    REFUSE_MOTION(BR_INVALID_ID, "motion 'odd'", (def.joint = none, def.body = s.stale));
    REFUSE_MOTION(BR_INVALID_ARGUMENT, "body 'arm' is not kinematic", (def.joint = none, def.body = s.arm));
    REFUSE_MOTION(BR_INVALID_ARGUMENT, "body 'ground' is not kinematic", (def.joint = none, def.body = s.ground));
    REFUSE_MOTION(BR_INVALID_ARGUMENT, "joint 'ball' (spherical) has no coordinate 0", def.joint = s.ball);
    REFUSE_MOTION(BR_INVALID_ARGUMENT, "joint 'hinge' (revolute) has no coordinate 3", def.coordinate = 3);
    br_model_destroy(other.model);
    close_shop(&s);
}

static void test_nothing_is_driven_twice(void **unused) {
    (void)unused;
    Shop s;
    BrMotorId motor;
    BrMotionId motion;
    open_shop(&s);
    BrMotorDef motor_def = good_motor(&s);
    BrMotionDef motion_def = good_motion(&s), ride = good_motion(&s);
    motor_def.joint = s.mast;
    motor_def.coordinate = 1;
    ride.name = "ride";
    ride.joint = (BrJointId){0};
    ride.body = s.cart;
    motor_def.name = motion_def.name = "first";
    assert_int_equal(br_model_add_motor(s.model, &motor_def, &motor, NULL), BR_OK);
    assert_int_equal(br_model_add_motion(s.model, &motion_def, &motion, NULL), BR_OK);
    assert_int_equal(br_model_add_motion(s.model, &ride, &motion, NULL), BR_OK);
    const BrStatus refused = BR_INVALID_ARGUMENT;
    REFUSE_MOTOR(refused, "'odd': joint 'mast' is driven", (def.joint = s.mast, def.coordinate = 1));
    REFUSE_MOTION(refused, "'odd': joint 'mast' is driven", (def.joint = s.mast, def.coordinate = 1));
    REFUSE_MOTOR(refused, "'odd': joint 'hinge' is driven", (void)0);
    REFUSE_MOTION(refused, "'odd': joint 'hinge' is driven", (void)0);
    REFUSE_MOTION(refused, "body 'cart' is moved by 'ride'", (def.joint = (BrJointId){0}, def.body = s.cart));
    motor_def.name = "second"; /* the other coordinate is free */
    motor_def.coordinate = 0;
    assert_int_equal(br_model_add_motor(s.model, &motor_def, &motor, NULL), BR_OK);
    assert_int_equal(br_model_build(s.model, NULL), BR_OK);
    br_model_destroy(s.model);
}

static void test_forces(void **unused) {
    (void)unused;
    Shop s, other;
    open_shop(&s);
    open_other_shop(&s, &other);
    REFUSE_FORCE(BR_INVALID_ID, "'odd': its body", def.body = (BrBodyId){0});
    REFUSE_FORCE(BR_INVALID_ID, "'odd': its body", def.body = s.stale);
    REFUSE_FORCE(BR_INVALID_ID, "'odd': its body", def.body = other.arm);
    REFUSE_FORCE(BR_INVALID_ARGUMENT, "body 'ground' is not dynamic", def.body = s.ground);
    REFUSE_FORCE(BR_INVALID_ARGUMENT, "body 'cart' is not dynamic", def.body = s.cart);
    REFUSE_FORCE(BR_INVALID_ARGUMENT, "'odd': its point", def.point_body.x = NAN);
    REFUSE_FORCE(BR_INVALID_ARGUMENT, "'odd': its point", def.point_body.z = -INFINITY);
    br_model_destroy(other.model);
    close_shop(&s);
}

/* ------------------------------------------------------------------ slips that fall between two kinds of things */

static void test_slips_between_two_kinds(void **unused) {
    (void)unused;
    Shop s, other;
    open_shop(&s);
    open_other_shop(&s, &other);
    const BrStatus refused = BR_INVALID_ARGUMENT;
    REFUSE_BODY(refused, "'odd'", def.kind = (BrBodyKind)7);
    REFUSE_BODY(refused, "'odd'", (def.kind = BR_BODY_FIXED, def.mass = NAN));
    REFUSE_JOINT(BR_JOINT_REVOLUTE, refused, "'odd'", def.lead = NAN);
    REFUSE_SPRING(refused, "'odd'", def.direction_at_zero.x = INFINITY);
    REFUSE_MOTION(refused, "'odd'", def.body = s.cart);
    REFUSE_MOTION(BR_INVALID_ID, "'odd'", (def.joint = other.hinge, def.body = s.cart));
    REFUSE_SPRING(refused, "'odd'", def.joint = s.hinge);
    br_model_destroy(other.model);
    close_shop(&s);
}

/* ------------------------------------------------------------------ stages */

static void test_a_built_model_does_not_change(void **unused) {
    (void)unused;
    Shop s;
    BrError error = {0};
    open_shop(&s);
    assert_int_equal(br_model_build(s.model, NULL), BR_OK);
    uint64_t fingerprint = br_model_fingerprint(s.model);
    REFUSE_BODY(BR_WRONG_STAGE, "a body cannot be added", (void)0);
    REFUSE_JOINT(BR_JOINT_FIXED, BR_WRONG_STAGE, "a joint cannot be added", (void)0);
    REFUSE_SPRING(BR_WRONG_STAGE, "a spring cannot be added", (void)0);
    REFUSE_MOTOR(BR_WRONG_STAGE, "a motor cannot be added", (void)0);
    REFUSE_MOTION(BR_WRONG_STAGE, "a motion cannot be added", (void)0);
    REFUSE_FORCE(BR_WRONG_STAGE, "a force cannot be added", (void)0);
    expect_refusal(br_model_build(s.model, &error), BR_WRONG_STAGE, &error, "built already");
    expect_refusal(br_model_remove_body(s.model, s.cart, &error), BR_WRONG_STAGE, &error, "built already");
    assert_true(br_model_fingerprint(s.model) == fingerprint);
    assert_int_equal(br_model_body_count(s.model), 4);
    br_model_destroy(s.model);
}

static void test_states_and_workspaces_need_a_built_model(void **unused) {
    (void)unused;
    Shop s;
    BrError error = {0};
    BrState *state = (BrState *)&s;
    BrWorkspace *workspace = (BrWorkspace *)&s;
    open_shop(&s);
    expect_refusal(br_state_create(s.model, &state, &error), BR_WRONG_STAGE, &error, "br_model_build()");
    expect_refusal(br_workspace_create(s.model, &workspace, &error), BR_WRONG_STAGE, &error, "br_model_build()");
    assert_null(state);
    assert_null(workspace);
    close_shop(&s);
}

static void test_joint_that_nothing_can_move(void **unused) {
    (void)unused;
    Shop s;
    BrError error = {0};
    BrJointId id;
    open_shop(&s);
    BrJointDef def = good_joint(&s, "idle", BR_JOINT_FIXED);
    def.body_a = s.ground;
    def.body_b = s.cart;
    expect_refusal(br_model_add_joint(s.model, &def, &id, &error), BR_INVALID_ARGUMENT, &error,
                   "joint 'idle' connects");
    assert_non_null(strstr(error.text, "'ground' and 'cart'"));
    close_shop(&s);
}

static void test_an_empty_model_can_be_built_and_run(void **unused) {
    (void)unused;
    BrModelDef def = br_default_model_def();
    BrStepDef step = br_default_step_def();
    BrModel *model;
    BrState *state;
    BrWorkspace *workspace;
    assert_int_equal(br_model_create(&def, &model, NULL), BR_OK);
    assert_int_equal(br_model_build(model, NULL), BR_OK);
    assert_int_equal(br_state_create(model, &state, NULL), BR_OK);
    assert_int_equal(br_workspace_create(model, &workspace, NULL), BR_OK);
    assert_int_equal(br_state_assemble(model, workspace, state, NULL, NULL), BR_OK);
    for (int i = 0; i < BR_TIMESTEPPING_SCHEMES; i++) {
        step.scheme = (BrScheme)i;
        assert_int_equal(br_step(model, workspace, state, &step, NULL, NULL), BR_OK);
    }
    assert_int_equal(br_evaluate(model, workspace, state, NULL), BR_OK);
    assert_true(br_state_time(state) == BR_TIMESTEPPING_SCHEMES * 1e-3);
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
    br_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_definition),
        cmocka_unit_test(test_definitions_must_start_from_their_default),
        cmocka_unit_test(test_definitions_of_other_versions_are_refused),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_names_differ_within_a_kind_only),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_body_numbers_must_be_finite),
        cmocka_unit_test(test_joint_bodies),
        cmocka_unit_test(test_joint_geometry),
        cmocka_unit_test(test_joint_vectors_must_be_finite),
        cmocka_unit_test(test_springs),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_motors),
        cmocka_unit_test(test_motions),
        cmocka_unit_test(test_nothing_is_driven_twice),
        cmocka_unit_test(test_forces),
        cmocka_unit_test(test_slips_between_two_kinds),
        cmocka_unit_test(test_a_built_model_does_not_change),
        cmocka_unit_test(test_states_and_workspaces_need_a_built_model),
        cmocka_unit_test(test_joint_that_nothing_can_move),
        cmocka_unit_test(test_an_empty_model_can_be_built_and_run),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
