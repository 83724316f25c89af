/* joint_pair.h: two bodies with a joint between them, in poses that the joint allows or anywhere, both moving. Include
 * after cmocka.h. */
#ifndef JOINT_PAIR_H
#define JOINT_PAIR_H

#include "bristle/contact.h"
#include "bristle/state.h"
#include "dynamics/lasting.h"
#include "joint_support.h"
#include "model/state.h"

typedef struct Pair {
    BrModel *model;
    BrState *state;
    BrBodyId id[2];
    BrJointId joint;
} Pair;

static inline BrBodyId add_body(BrModel *model, const char *name, Random *random) {
    BrBodyDef def = br_default_body_def();
    def.name = name;
    def.mass = draw(random, 1, 3);
    def.inertia = bri_diagonal(draw(random, 1, 1.5), draw(random, 1, 1.5), draw(random, 1, 1.5));
    def.position = draw_vec(random, 1);
    def.rotation = draw_rotation(random);
    BrBodyId id;
    assert_int_equal(br_model_add_body(model, &def, &id, NULL), BR_OK);
    return id;
}

static inline Pair start_pair(Random *random) {
    Pair p = {0};
    BrModelDef def = br_default_model_def();
    def.gravity = bri_vec(0, 0, 0);
    assert_int_equal(br_model_create(&def, &p.model, NULL), BR_OK);
    p.id[0] = add_body(p.model, "a", random);
    p.id[1] = add_body(p.model, "b", random);
    return p;
}

/* A ball in a bowl, for a lasting contact. */
static inline void add_surfaces(Pair *p, Random *random) {
    BrMaterialDef ice = br_default_material_def();
    BrShapeDef bowl = br_default_shape_def(), ball = br_default_shape_def();
    ice.name = "ice";
    br_law_set(&ice.surface.friction, "mu", 0);
    assert_int_equal(br_model_add_material(p->model, &ice, &bowl.material, NULL), BR_OK);
    bowl.body = p->id[0], bowl.kind = BR_SHAPE_BOWL, bowl.size = bri_vec(4, 5, 6);
    bowl.position_body = draw_vec(random, 0.3), bowl.rotation_body = draw_rotation(random);
    ball.body = p->id[1], ball.kind = BR_SHAPE_ELLIPSOID, ball.size = bri_vec(0.4, 0.5, 0.6),
    ball.material = bowl.material;
    ball.position_body = draw_vec(random, 0.3), ball.rotation_body = draw_rotation(random);
    assert_int_equal(br_model_add_shape(p->model, &bowl, NULL, NULL), BR_OK);
    assert_int_equal(br_model_add_shape(p->model, &ball, NULL, NULL), BR_OK);
}

static inline void add_joint(Pair *p, BrJointType type, Random *random) {
    BrJointDef def = br_default_joint_def();
    def.name = "joint";
    def.type = type;
    def.body_a = p->id[0];
    def.body_b = p->id[1];
    def.at = draw_vec(random, 1);
    def.axis = bri_scale(2, draw_unit(random)); /* any length will do */
    def.axis_b = type == BR_JOINT_UNIVERSAL ? bri_cross(def.axis, draw_unit(random)) : draw_unit(random);
    def.point_a_body = draw_vec(random, 0.5);
    def.point_b_body = draw_vec(random, 0.5);
    def.lead = 0.7;
    def.radius = 0.4;
    if (type == BR_JOINT_LINK) def.length = 0.8;
    if (type == BR_JOINT_CONTACT) add_surfaces(p, random);
    assert_int_equal(br_model_add_joint(p->model, &def, &p->joint, NULL), BR_OK);
}

/* A motor on every coordinate that may carry one. */
static inline void add_drives(Pair *p, BrJointType type) {
    static const char *names[3] = {"first", "second", "third"};
    for (int k = 0; k < br_joint_info(type)->coordinates; k++) {
        BrMotorDef def = br_default_motor_def();
        def.name = names[k];
        def.joint = p->joint;
        def.coordinate = k;
        def.max_effort = 1;
        BrMotorId id;
        BrStatus wanted = br_joint_info(type)->coordinate[k].driveable ? BR_OK : BR_INVALID_ARGUMENT;
        assert_int_equal(br_model_add_motor(p->model, &def, &id, NULL), wanted);
    }
}

static inline void finish_pair(Pair *p) {
    assert_int_equal(br_model_build(p->model, NULL), BR_OK);
    assert_int_equal(br_state_create(p->model, &p->state, NULL), BR_OK);
}

static inline Pair make_pair(BrJointType type, bool driven, Random *random) {
    Pair p = start_pair(random);
    add_joint(&p, type, random);
    if (driven) add_drives(&p, type);
    finish_pair(&p);
    return p;
}

static inline void release_pair(Pair *p) {
    br_state_destroy(p->model, p->state);
    br_model_destroy(p->model);
}

static inline void draw_velocities(Pair *p, Random *random) {
    for (int k = 0; k < 2; k++) {
        bri_state_bodies(p->state)[k].v = draw_vec(random, 1.5);
        bri_state_bodies(p->state)[k].w = draw_vec(random, 1.5);
    }
}

/* Rods and links not shorter than half a metre: differences of what turns fast tell little. */
static inline void draw_anywhere(Pair *p, Random *random) {
    const BriJoint *j = p->model->joints ? p->model->joint : NULL;
    BriBodyState *bodies = bri_state_bodies(p->state);
    bool rod = j && (j->def.type == BR_JOINT_DISTANCE || j->def.type == BR_JOINT_LINK);
    do {
        for (int k = 0; k < 2; k++) {
            bodies[k].r = draw_vec(random, 1);
            bodies[k].A = draw_rotation(random);
        }
    } while (rod && bri_norm(bri_joint_offset(j, &bodies[0], &bodies[1])) < 0.5);
    draw_velocities(p, random);
}

/* What the joint leaves free, drawn: turn and offset of frame B in frame A. `angle` is that about z. */
static inline void draw_freedom(const BriJoint *j, double angle, Random *random, BrMat3 *R, BrVec3 *d) {
    BrMat3 Rz = bri_rotation_exp(bri_vec(0, 0, angle)), Rx = bri_rotation_exp(bri_vec(draw(random, -1.4, 1.4), 0, 0));
    BrVec3 shift = draw_vec(random, 1);
    *R = Rz;
    *d = bri_vec(0, 0, 0);
    switch (j->def.type) {
    case BR_JOINT_FIXED: *R = bri_identity(); return;
    case BR_JOINT_PRISMATIC:
        *R = bri_identity();
        *d = bri_vec(0, 0, shift.z);
        return;
    case BR_JOINT_CYLINDRICAL: *d = bri_vec(0, 0, shift.z); return;
    case BR_JOINT_SPHERICAL: *R = draw_rotation(random); return;
    case BR_JOINT_UNIVERSAL: *R = bri_mat_mul(&Rz, &Rx); return;
    case BR_JOINT_PLANAR: *d = bri_vec(shift.x, shift.y, 0); return;
    case BR_JOINT_SCREW: *d = bri_vec(0, 0, j->def.lead * angle / (6.28318530717958647692)); return;
    case BR_JOINT_DISTANCE:
        *R = draw_rotation(random);
        *d = bri_scale(j->length, draw_unit(random));
        return;
    case BR_JOINT_KNIFE_EDGE:
        *R = draw_rotation(random);
        *d = shift;
        return;
    case BR_JOINT_POINT_IN_PLANE:
        *R = draw_rotation(random);
        *d = bri_vec(shift.x, shift.y, 0);
        return;
    case BR_JOINT_POINT_ON_LINE:
        *R = draw_rotation(random);
        *d = bri_vec(0, 0, shift.z);
        return;
    case BR_JOINT_LINK:
        *R = draw_rotation(random);
        *d = bri_vec(j->length * cos(angle), j->length * sin(angle), 0);
        return;
    case BR_JOINT_ROLLING_WHEEL: /* leaning by up to 0.8 rad: the centre is radius * cos(lean) above the plane */
        Rx = bri_rotation_exp(bri_vec(1.57079632679489661923 + draw(random, -0.8, 0.8), 0, 0));
        *d = bri_vec(shift.x, shift.y, j->radius * sqrt(1 - Rx.m[2][2] * Rx.m[2][2]));
        *R = bri_mat_mul(&Rz, &Rx);
        *R = bri_rotation_turn(R, bri_vec(0, 0, draw(random, -3, 3)));
        return;
    default: return;
    }
}

/* A pose that the joint allows, with any velocities. The state's angle is told roughly. */
static inline void draw_consistent(Pair *p, double angle, Random *random) {
    const BriJoint *j = &p->model->joint[0];
    BriBodyState *a = &bri_state_bodies(p->state)[0], *b = a + 1;
    BrMat3 R;
    BrVec3 d;
    draw_freedom(j, angle, random, &R, &d);
    a->r = draw_vec(random, 1);
    a->A = draw_rotation(random);
    BrMat3 F_a = bri_mat_mul(&a->A, &j->frame_a), F_b = bri_mat_mul(&F_a, &R), back = bri_transpose(&j->frame_b);
    b->A = bri_mat_mul(&F_b, &back);
    b->r = bri_add(bri_add(a->r, bri_mul(&a->A, j->point_a)), bri_mul(&F_a, d));
    b->r = bri_sub(b->r, bri_mul(&b->A, j->point_b));
    for (int k = 0; k < 40 && j->lasting; k++) { /* towards the wall: an ellipsoid's place moves meanwhile */
        BriPlace place = bri_lasting_place(j, a, b);
        b->r = bri_add_scaled(b->r, -place.gap, place.normal);
    }
    bri_state_joints(p->state)[0].angle = angle + draw(random, -2, 2);
    draw_velocities(p, random);
}

#endif
