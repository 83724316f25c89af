/* joint.c: see joint.h. With x, y, z the axes of frame A, x', y', z' those of frame B, d the offset of the joint
 * points, s_a, s_b their arms, all in world axes, and w the angular velocities in world axes:
 *
 *     POINT     d = 0                       rate  v_b + w_b x s_b - v_a - w_a x s_a                        (3.1)
 *     AXES      a.b' = 0                    rate  (a x b').(w_a - w_b)                                     (3.2)
 *     OFFSET    a.d = 0                     rate  a.(v_b + w_b x s_b - v_a) - w_a.((s_a + d) x a)          (3.3)
 *     DISTANCE  |d| = length                rate  (d/|d|).d'                                               (3.4)
 *     SCREW     z.d = pitch angle           rate  (3.3) with a = z, minus pitch z.(w_b - w_a)              (3.5)
 *     KNIFE     b'.u = 0, u = velocity of point B against body a's material there                          (3.6)
 *     WHEEL     n.(c + R e - p) = 0, and the rim's material velocity at c + R e has no x and y component   (3.7)
 *               c wheel centre, p point of the plane, e = unit vector down in the wheel's plane
 *     CONTACT   n.(x_b - x_a) = 0 of the places x where two surfaces are nearest, n their normal (lasting.h)
 *
 * The bias is the second derivative with all accelerations zero; since w are constant in body axes their world vectors
 * are too. */
#include "dynamics/joint.h"

#include "dynamics/lasting.h"

#include <string.h>

static BrVec3 world_spin(const BriBodyState *b) { return bri_mul(&b->A, b->w); }

/* Rate of the offset between the joint points. */
static BrVec3 offset_rate(const BriJointPose *p) {
    BrVec3 va = bri_add(p->a->v, bri_cross(world_spin(p->a), p->s_a));
    BrVec3 vb = bri_add(p->b->v, bri_cross(world_spin(p->b), p->s_b));
    return bri_sub(vb, va);
}

/* Acceleration of the offset with zero body accelerations. */
static BrVec3 offset_bias(const BriJointPose *p) {
    BrVec3 wa = world_spin(p->a), wb = world_spin(p->b);
    return bri_sub(bri_cross(wb, bri_cross(wb, p->s_b)), bri_cross(wa, bri_cross(wa, p->s_a)));
}

/* ------------------------------------------------------------------ coordinates */

double bri_joint_angle(const BriJointPose *p) {
    BrVec3 x = bri_column(&p->F_a, 0), y = bri_column(&p->F_a, 1), x_b = bri_column(&p->F_b, 0);
    return bri_angle_unwrap(bri_atan2(bri_dot(y, x_b), bri_dot(x, x_b)), p->near);
}

/* Universal joint, axis z on a and x' on b: turn about z takes x to x', turn about x' takes z to z'. */
static double universal_angle(const BriJointPose *p, int k) {
    if (k == 0) return bri_joint_angle(&(BriJointPose){.F_a = p->F_a, .F_b = p->F_b, .near = 0});
    BrVec3 z = bri_column(&p->F_a, 2), y_b = bri_column(&p->F_b, 1), z_b = bri_column(&p->F_b, 2);
    return bri_atan2(bri_dot(z, y_b), bri_dot(z, z_b));
}

/* The axes of both angles: the relative angular velocity is rate0 z + rate1 x', and z.x' = 0. */
static BrVec3 universal_axis(const BriJointPose *p, int k) {
    return k == 0 ? bri_column(&p->F_a, 2) : bri_column(&p->F_b, 0);
}

static BrVec3 world_axis(int k) { return bri_vec(k == 0, k == 1, k == 2); }

double bri_joint_coordinate_rate(const BriJoint *j, const BriJointPose *p, int k) {
    BrVec3 axis = bri_column(&p->F_a, j->type->measure_axis[k]), wa = world_spin(p->a);
    switch (j->type->measure[k]) {
    case BRI_MEASURE_ANGLE: return bri_dot(axis, bri_sub(world_spin(p->b), wa));
    case BRI_MEASURE_SLIDE: return bri_dot(axis, offset_rate(p)) + bri_dot(bri_cross(wa, axis), p->offset);
    case BRI_MEASURE_LENGTH: return bri_dot(p->offset, offset_rate(p)) / bri_norm(p->offset);
    case BRI_MEASURE_UNIVERSAL: return bri_dot(universal_axis(p, k), bri_sub(world_spin(p->b), wa));
    case BRI_MEASURE_TURN: return bri_dot(world_axis(k), bri_sub(world_spin(p->b), wa));
    }
    return 0;
}

void bri_joint_coordinate(const BriJoint *j, const BriJointPose *p, int k, double *position, double *velocity) {
    *velocity = bri_joint_coordinate_rate(j, p, k);
    switch (j->type->measure[k]) {
    case BRI_MEASURE_ANGLE: *position = bri_joint_angle(p); return;
    case BRI_MEASURE_SLIDE: *position = bri_dot(bri_column(&p->F_a, j->type->measure_axis[k]), p->offset); return;
    case BRI_MEASURE_LENGTH: *position = bri_norm(p->offset); return;
    case BRI_MEASURE_UNIVERSAL: *position = universal_angle(p, k); return;
    case BRI_MEASURE_TURN: *position = 0; return;
    }
}

/* ------------------------------------------------------------------ Jacobian rows */

static void set_row(double *J, BrVec3 linear, const BriBodyState *body, BrVec3 angular_world) {
    BrVec3 angular = bri_mul_t(&body->A, angular_world);
    J[0] = linear.x, J[1] = linear.y, J[2] = linear.z;
    J[3] = angular.x, J[4] = angular.y, J[5] = angular.z;
}

/* (3.3) along the world axis `axis`, which turns with body a */
static void set_offset_row(const BriJointPose *p, BrVec3 axis, double *Ja, double *Jb) {
    set_row(Ja, bri_neg(axis), p->a, bri_neg(bri_cross(bri_add(p->s_a, p->offset), axis)));
    set_row(Jb, axis, p->b, bri_cross(p->s_b, axis));
}

/* Turning of b against a about the world axis `axis`, plus what the rows have already. */
static void add_turn_row(const BriJointPose *p, BrVec3 axis, double factor, double *Ja, double *Jb) {
    BrVec3 a = bri_mul_t(&p->a->A, axis), b = bri_mul_t(&p->b->A, axis);
    Ja[3] -= factor * a.x, Ja[4] -= factor * a.y, Ja[5] -= factor * a.z;
    Jb[3] += factor * b.x, Jb[4] += factor * b.y, Jb[5] += factor * b.z;
}

/* Velocity rows of the material points of b and a at a place given by its arms. */
static void set_material_row(const BriJointPose *p, BrVec3 axis, BrVec3 arm_a, BrVec3 arm_b, double *Ja, double *Jb) {
    set_row(Ja, bri_neg(axis), p->a, bri_neg(bri_cross(arm_a, axis)));
    set_row(Jb, axis, p->b, bri_cross(arm_b, axis));
}

/* (3.4) */
static void set_distance_row(const BriJointPose *p, double *Ja, double *Jb) {
    BrVec3 u = bri_scale(1 / bri_norm(p->offset), p->offset);
    set_material_row(p, u, p->s_a, p->s_b, Ja, Jb);
}

void bri_joint_coordinate_row(const BriJoint *j, const BriJointPose *p, int k, double Ja[6], double Jb[6]) {
    memset(Ja, 0, 6 * sizeof(double));
    memset(Jb, 0, 6 * sizeof(double));
    switch (j->type->measure[k]) {
    case BRI_MEASURE_ANGLE: add_turn_row(p, bri_column(&p->F_a, 2), 1, Ja, Jb); return;
    case BRI_MEASURE_SLIDE: set_offset_row(p, bri_column(&p->F_a, j->type->measure_axis[k]), Ja, Jb); return;
    case BRI_MEASURE_LENGTH: set_distance_row(p, Ja, Jb); return;
    case BRI_MEASURE_UNIVERSAL: add_turn_row(p, universal_axis(p, k), 1, Ja, Jb); return;
    case BRI_MEASURE_TURN: add_turn_row(p, world_axis(k), 1, Ja, Jb); return;
    }
}

/* One body's part of (3.1): sign [I, -A [q]x] with q the arm in body axes. */
static void set_point_rows(double *J, double sign, const BrMat3 *A, BrVec3 q) {
    for (int i = 0; i < 3; i++) {
        const double *a = A->m[i];
        double *row = J + 6 * i;
        row[0] = row[1] = row[2] = 0;
        row[i] = sign;
        row[3] = sign * (a[2] * q.y - a[1] * q.z);
        row[4] = sign * (a[0] * q.z - a[2] * q.x);
        row[5] = sign * (a[1] * q.x - a[0] * q.y);
    }
}

/* The wheel of (3.7): its contact point, and what moves it. */
typedef struct Wheel {
    BrVec3 normal, axle;
    BrVec3 down;    /* unit, from centre to rim */
    double length;  /* of the vector that was normalised */
    BrVec3 contact; /* from the joint point on a to the rim's lowest point */
} Wheel;

static Wheel find_wheel(const BriJoint *j, const BriJointPose *p) {
    Wheel w = {.normal = bri_column(&p->F_a, 2), .axle = bri_column(&p->F_b, 2)};
    BrVec3 u = bri_add_scaled(bri_neg(w.normal), bri_dot(w.normal, w.axle), w.axle);
    w.length = bri_norm(u);
    w.down = bri_scale(1 / w.length, u);
    w.contact = bri_add_scaled(p->offset, j->radius, w.down);
    return w;
}

static void set_wheel_rows(const BriJoint *j, const BriJointPose *p, double *Ja, double *Jb) {
    Wheel w = find_wheel(j, p);
    BrVec3 arm_a = bri_add(p->s_a, w.contact), arm_b = bri_add_scaled(p->s_b, j->radius, w.down);
    BrVec3 axes[3] = {w.normal, bri_column(&p->F_a, 0), bri_column(&p->F_a, 1)};
    for (int k = 0; k < 3; k++) set_material_row(p, axes[k], arm_a, arm_b, Ja + 6 * k, Jb + 6 * k);
}

void bri_joint_jacobian(const BriJoint *j, const BriJointPose *p, double *Ja, double *Jb) {
    for (int e = 0; e < j->type->entries; e++) {
        BriRow row = j->type->entry[e];
        BrVec3 a = bri_column(&p->F_a, row.a), b = bri_column(&p->F_b, row.b);
        int count = 1;
        switch (row.kind) {
        case BRI_ROW_POINT:
            set_point_rows(Ja, -1, &p->a->A, j->point_a);
            set_point_rows(Jb, 1, &p->b->A, j->point_b);
            count = 3;
            break;
        case BRI_ROW_AXES: {
            BrVec3 c = bri_cross(a, b), zero = {0};
            set_row(Ja, zero, p->a, c);
            set_row(Jb, zero, p->b, bri_neg(c));
            break;
        }
        case BRI_ROW_OFFSET: set_offset_row(p, a, Ja, Jb); break;
        case BRI_ROW_DISTANCE: set_distance_row(p, Ja, Jb); break;
        case BRI_ROW_SCREW:
            set_offset_row(p, a, Ja, Jb);
            add_turn_row(p, bri_column(&p->F_a, 2), -j->pitch, Ja, Jb);
            break;
        case BRI_ROW_KNIFE: set_material_row(p, b, bri_add(p->s_a, p->offset), p->s_b, Ja, Jb); break;
        case BRI_ROW_WHEEL:
            set_wheel_rows(j, p, Ja, Jb);
            count = 3;
            break;
        case BRI_ROW_CONTACT: {
            BriPlace at = bri_lasting_place(j, p->a, p->b);
            set_material_row(p, at.normal, bri_sub(at.point_a, p->a->r), bri_sub(at.point_b, p->b->r), Ja, Jb);
            break;
        }
        }
        Ja += 6 * count;
        Jb += 6 * count;
    }
}

/* ------------------------------------------------------------------ position errors */

void bri_joint_errors(const BriJoint *j, const BriJointPose *p, double *error) {
    for (int e = 0; e < j->type->entries; e++) {
        BriRow row = j->type->entry[e];
        BrVec3 a = bri_column(&p->F_a, row.a), b = bri_column(&p->F_b, row.b);
        switch (row.kind) {
        case BRI_ROW_POINT:
            *error++ = p->offset.x;
            *error++ = p->offset.y;
            *error++ = p->offset.z;
            break;
        case BRI_ROW_AXES: *error++ = bri_dot(a, b); break;
        case BRI_ROW_OFFSET: *error++ = bri_dot(a, p->offset); break;
        case BRI_ROW_DISTANCE: *error++ = bri_norm(p->offset) - j->length; break;
        case BRI_ROW_SCREW: {
            BriJointPose turned = *p;
            turned.near = bri_joint_turned(j, p);
            *error++ = bri_dot(a, p->offset) - j->pitch * bri_joint_angle(&turned);
            break;
        }
        case BRI_ROW_KNIFE: *error++ = 0; break;
        case BRI_ROW_WHEEL: {
            Wheel w = find_wheel(j, p);
            *error++ = bri_dot(w.normal, w.contact);
            *error++ = 0;
            *error++ = 0;
            break;
        }
        case BRI_ROW_CONTACT: *error++ = bri_lasting_place(j, p->a, p->b).gap; break;
        }
    }
}

/* ------------------------------------------------------------------ bias */

static double axes_bias(const BriJointPose *p, BrVec3 a, BrVec3 b) {
    BrVec3 wa = world_spin(p->a), wb = world_spin(p->b);
    BrVec3 da = bri_cross(wa, a), db = bri_cross(wb, b);
    return bri_dot(bri_cross(wa, da), b) + 2 * bri_dot(da, db) + bri_dot(a, bri_cross(wb, db));
}

static double slide_bias(const BriJointPose *p, BrVec3 axis) {
    BrVec3 wa = world_spin(p->a), da = bri_cross(wa, axis);
    return bri_dot(bri_cross(wa, da), p->offset) + 2 * bri_dot(da, offset_rate(p)) + bri_dot(axis, offset_bias(p));
}

/* d/dt of z.(w_b - w_a), z turning with a */
static double angle_bias(const BriJointPose *p) {
    BrVec3 wa = world_spin(p->a);
    return bri_dot(bri_cross(wa, bri_column(&p->F_a, 2)), world_spin(p->b));
}

static double distance_bias(const BriJointPose *p) {
    double length = bri_norm(p->offset);
    BrVec3 u = bri_scale(1 / length, p->offset), rate = offset_rate(p);
    double along = bri_dot(u, rate);
    return (bri_dot(rate, rate) - along * along) / length + bri_dot(u, offset_bias(p));
}

double bri_joint_coordinate_bias(const BriJoint *j, const BriJointPose *p, int k) {
    BrVec3 wa = world_spin(p->a), wb = world_spin(p->b);
    switch (j->type->measure[k]) {
    case BRI_MEASURE_ANGLE: return angle_bias(p);
    case BRI_MEASURE_SLIDE: return slide_bias(p, bri_column(&p->F_a, j->type->measure_axis[k]));
    case BRI_MEASURE_LENGTH: return distance_bias(p);
    case BRI_MEASURE_UNIVERSAL: /* the first axis turns with a, the second with b */
        return bri_dot(bri_cross(k == 0 ? wa : wb, universal_axis(p, k)), bri_sub(wb, wa));
    case BRI_MEASURE_TURN: return 0;
    }
    return 0;
}

/* d/dt of axis.(v_b + w_b x arm_b - v_a - w_a x arm_a) where the place moves with velocity `place_rate` and the axis
 * with `axis_rate`. */
static double material_bias(const BriJointPose *p, BrVec3 axis, BrVec3 axis_rate, BrVec3 arm_a, BrVec3 arm_b,
                            BrVec3 place_rate) {
    BrVec3 wa = world_spin(p->a), wb = world_spin(p->b);
    BrVec3 slip = bri_sub(bri_add(p->b->v, bri_cross(wb, arm_b)), bri_add(p->a->v, bri_cross(wa, arm_a)));
    BrVec3 turn = bri_sub(bri_cross(wb, bri_sub(place_rate, p->b->v)), bri_cross(wa, bri_sub(place_rate, p->a->v)));
    return bri_dot(axis_rate, slip) + bri_dot(axis, turn);
}

static void wheel_bias(const BriJoint *j, const BriJointPose *p, double bias[3]) {
    Wheel w = find_wheel(j, p);
    BrVec3 wa = world_spin(p->a), wb = world_spin(p->b);
    BrVec3 dn = bri_cross(wa, w.normal), dx = bri_cross(wb, w.axle);
    double cosine = bri_dot(w.normal, w.axle), rate = bri_dot(dn, w.axle) + bri_dot(w.normal, dx);
    BrVec3 du = bri_add(bri_neg(dn), bri_add(bri_scale(rate, w.axle), bri_scale(cosine, dx)));
    BrVec3 d_down = bri_scale(1 / w.length, bri_add_scaled(du, -bri_dot(w.down, du), w.down));
    BrVec3 centre_rate = bri_add(p->b->v, bri_cross(wb, p->s_b));
    BrVec3 place_rate = bri_add_scaled(centre_rate, j->radius, d_down);
    BrVec3 arm_a = bri_add(p->s_a, w.contact), arm_b = bri_add_scaled(p->s_b, j->radius, w.down);
    BrVec3 axes[3] = {w.normal, bri_column(&p->F_a, 0), bri_column(&p->F_a, 1)};
    for (int k = 0; k < 3; k++) bias[k] = material_bias(p, axes[k], bri_cross(wa, axes[k]), arm_a, arm_b, place_rate);
}

void bri_joint_bias(const BriJoint *j, const BriJointPose *p, double *bias) {
    for (int e = 0; e < j->type->entries; e++) {
        BriRow row = j->type->entry[e];
        BrVec3 a = bri_column(&p->F_a, row.a), b = bri_column(&p->F_b, row.b);
        switch (row.kind) {
        case BRI_ROW_POINT: {
            BrVec3 o = offset_bias(p);
            *bias++ = o.x;
            *bias++ = o.y;
            *bias++ = o.z;
            break;
        }
        case BRI_ROW_AXES: *bias++ = axes_bias(p, a, b); break;
        case BRI_ROW_OFFSET: *bias++ = slide_bias(p, a); break;
        case BRI_ROW_DISTANCE: *bias++ = distance_bias(p); break;
        case BRI_ROW_SCREW: *bias++ = slide_bias(p, a) - j->pitch * angle_bias(p); break;
        case BRI_ROW_KNIFE: {
            BrVec3 wb = world_spin(p->b), place_rate = bri_add(p->b->v, bri_cross(wb, p->s_b));
            *bias++ = material_bias(p, b, bri_cross(wb, b), bri_add(p->s_a, p->offset), p->s_b, place_rate);
            break;
        }
        case BRI_ROW_WHEEL:
            wheel_bias(j, p, bias);
            bias += 3;
            break;
        case BRI_ROW_CONTACT: *bias++ = bri_lasting_bias(j, p); break;
        }
    }
    for (int k = 0; k < j->drives; k++) *bias++ = bri_joint_coordinate_bias(j, p, j->drive[k].coordinate);
}
