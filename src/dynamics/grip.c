/* grip.c: see grip.h. A joint transmits a force F and a torque T (on body b, about the middle of its bearings; axis e).
 * Two bearings or pads, s apart along e, take what is across e [Chaturvedi 2024; corrected in docs/theory]:
 *     P_1,2 = F_perp/2 -+ (T_perp x e)/s                                                                    (10.1)
 * P includes the friction that acts across e: |P|^2 = N^2 + f_t^2. With f = mu N in a direction of which the part c is
 * turning,
 *     f = mu P/sqrt(1 + mu^2 c^2)                                                                           (10.2)
 * so that the friction circle of a journal has the radius R sin(atan mu). Friction along e acts where the surfaces
 * touch, and has a moment about the axis: T in (10.1) is less that. Thrust F.e goes to the collar, which slides r_c/R
 * as fast. A rectangular guide (width w along u, height h along n) takes the torque about e by its two edges: at each end
 *     N = max(|F_n|, |T_e|/w) + |F_u|                                                                       (10.3)
 * a round one by a key at its surface: |T_e|/R. A ball presses with |F|, its friction torque is against its turn,
 * R sin(atan mu) |F| at most.
 * Thread, of the row z' = p theta' with force k along the axis: flanks at l = atan(p/r), f along the helix,
 *     N = k/cos l - f tan l,   |f| <= mu' |N|,   mu' = mu/cos(thread_angle)                                 (10.4)
 * which bounds f by mu' |k|/(cos l (1 +- mu' tan l)) with the sign of k: the two directions differ. */
#include "dynamics/grip.h"

static BrVec3 along(BrVec3 v, BrVec3 e) { return bri_scale(bri_dot(v, e), e); }
static BrVec3 across(BrVec3 v, BrVec3 e) { return bri_sub(v, along(v, e)); }

BriHeld bri_grip_held(const BriJoint *j, const BriGrip *grip, const BriJointPose *pose, const double *Jb,
                      const double *p, const double *friction) {
    double f[6] = {0};
    for (int r = 0; r < j->type->info.constraints; r++)
        for (int c = 0; c < 6; c++) f[c] += Jb[6 * r + c] * p[r];
    BriHeld held = {.force = bri_vec(f[0], f[1], f[2]), .frame = pose->F_a};
    held.torque = bri_mul(&pose->b->A, bri_vec(f[3], f[4], f[5])); /* about the centre of mass */
    held.axis = j->def.type == BR_JOINT_UNIVERSAL && grip->pin ? bri_column(&pose->F_b, 0) : bri_column(&pose->F_a, 2);
    if (j->def.type == BR_JOINT_SCREW) held.thread = p[j->type->info.constraints - 1];
    /* from the centre of mass of b to the bearings: on b, or where they stand on a */
    BrVec3 arm = j->def.friction.bearings_on_first ? bri_sub(pose->s_b, pose->offset) : pose->s_b;
    arm = bri_add_scaled(arm, j->def.friction.bearing_offset, held.axis);
    held.torque = bri_sub(held.torque, bri_cross(arm, held.force));
    if (j->def.type != BR_JOINT_UNIVERSAL) return held;
    /* a cross passes on what rubs at its other pin */
    BrVec3 other = grip->pin ? bri_column(&pose->F_a, 2) : bri_column(&pose->F_b, 0);
    held.torque = bri_add_scaled(held.torque, grip->length[0] * friction[1 - grip->pin], other);
    return held;
}

/* (10.1) */
static void split(const BriHeld *held, BrVec3 torque, double spacing, BrVec3 P[2]) {
    BrVec3 half = bri_scale(0.5, across(held->force, held->axis));
    BrVec3 couple = bri_scale(1 / spacing, bri_cross(torque, held->axis)); /* the part along the axis drops out */
    P[0] = bri_sub(half, couple);
    P[1] = bri_add(half, couple);
}

/* Friction along the axis acts at the surfaces: who carries the pads lies outside, and is pressed from within. */
static double find_outside(const BriJoint *j) { return j->def.friction.bearings_on_first ? -1 : 1; }

enum { MOST_PASSES = 60 };
/* Of the loads: as exact as they round. */
static const double SAME = 1e-15;

/* (10.1) of a round pin or guide, with friction f along the axis; returns |P_1| + |P_2|. */
static double load_round(const BriJoint *j, const BriHeld *held, double spacing, double f, double size[2]) {
    BrVec3 P[2], moment = {0};
    double sum = 0, before = -1, reach = find_outside(j) * j->def.friction.pin_radius;
    for (int pass = 0; pass < MOST_PASSES && bri_abs(sum - before) > SAME * sum; pass++) {
        before = sum;
        split(held, bri_sub(held->torque, moment), spacing, P);
        for (int k = 0; k < 2; k++) size[k] = bri_norm(P[k]);
        sum = size[0] + size[1];
        /* each bearing has its part of f, where it presses: sum of (reach P/|P|) x (f |P|/sum e) */
        if (!(f != 0 && sum > 0)) break;
        moment = bri_scale(f * reach / sum, bri_cross(bri_add(P[0], P[1]), held->axis));
    }
    return sum;
}

/* (10.3), the same. */
static double load_flat(const BriJoint *j, const BriGrip *grip, const BriHeld *held, double f, double size[2]) {
    const BrJointFriction *g = &j->def.friction;
    BrVec3 x = bri_column(&held->frame, 0), y = bri_column(&held->frame, 1), P[2], moment = {0};
    BrVec3 u = bri_add(bri_scale(grip->side[0], x), bri_scale(grip->side[1], y)), n = bri_cross(u, held->axis);
    double edge = 0.5 * bri_dot(held->torque, held->axis) / g->guide_width; /* on each of two at each end, opposite */
    double sum = 0, before = -1, outside = find_outside(j);
    for (int pass = 0; pass < MOST_PASSES && bri_abs(sum - before) > SAME * sum; pass++) {
        BrVec3 arm = {0};
        before = sum;
        sum = 0;
        split(held, bri_sub(held->torque, moment), g->guide_length, P);
        for (int k = 0; k < 2; k++) {
            double side = bri_dot(P[k], u), face = 0.5 * bri_dot(P[k], n);
            double edges[2] = {face + edge, face - edge}; /* at -w/2 and w/2 along u: their couple about e is T_e */
            size[k] = bri_abs(side) + bri_abs(edges[0]) + bri_abs(edges[1]);
            arm = bri_add_scaled(arm, outside * 0.5 * g->guide_width * side, u);
            for (int i = 0; i < 2; i++) {
                arm = bri_add_scaled(arm, outside * 0.5 * g->guide_height * edges[i], n);
                arm = bri_add_scaled(arm, (i ? 0.5 : -0.5) * g->guide_width * bri_abs(edges[i]), u);
            }
            sum += size[k];
        }
        if (f != 0 && sum > 0) moment = bri_scale(f / sum, bri_cross(arm, held->axis));
    }
    return sum;
}

/* (10.4) */
static BriGripLoad load_thread(const BriJoint *j, const BriHeld *held, const double *friction, double mu,
                               double preload) {
    const BrJointFriction *g = &j->def.friction;
    double slope = j->pitch / g->thread_radius, rise = bri_sqrt(1 + slope * slope); /* tan l, 1/cos l */
    double flat = mu / bri_cos(g->thread_angle), k = held->thread, signed_slope = k < 0 ? -slope : slope;
    double with = 1 + flat * signed_slope, against = 1 - flat * signed_slope, press = flat * bri_abs(k) * rise;
    BriGripLoad load = {.normal = {bri_abs(k * rise - friction[0] * slope) + preload}};
    load.upper = (with > 0 ? press / with : __builtin_inf()) + flat * preload;
    load.lower = -((against > 0 ? press / against : __builtin_inf()) + flat * preload);
    return load;
}

/* Of what presses across the axis: `sum` in all, `size` at each bearing; mu of it, and of what else presses. */
static BriGripLoad finish(double sum, const double size[2], double mu, double turning, double preload, double more) {
    double part = mu * turning, least = 1 / bri_sqrt(1 + part * part); /* (10.2) */
    BriGripLoad load = {.upper = mu * (least * sum + preload) + more};
    load.lower = -load.upper;
    for (int k = 0; k < 2; k++) load.normal[k] = size[k] + 0.5 * preload;
    return load;
}

/* N of |P|^2 = N^2 + f_t^2, each bearing having its part of f_t. */
static void take_friction_out(double sum, double f_t, double size[2]) {
    double ratio = sum > 0 ? bri_min(1, bri_abs(f_t) / sum) : 0;
    for (int k = 0; k < 2; k++) size[k] *= bri_sqrt(1 - ratio * ratio);
}

BriGripLoad bri_grip_load(const BriJoint *j, const BriGrip *grip, const BriHeld *held, const double *friction,
                          double mu, double preload) {
    const BrJointFriction *g = &j->def.friction;
    double size[2] = {0}, sum, f = bri_grip_size(grip, friction), turning = 1;
    BriGripLoad load;
    switch (j->def.type) {
    case BR_JOINT_SCREW: return load_thread(j, held, friction, mu, preload);
    case BR_JOINT_SPHERICAL:
        size[0] = sum = bri_norm(held->force);
        load = finish(sum, size, mu, 1, preload, 0);
        take_friction_out(sum, bri_min(f, load.upper - mu * preload), size);
        load.normal[0] = size[0] + preload;
        load.normal[1] = 0;
        return load;
    case BR_JOINT_PRISMATIC: {
        bool round = g->pin_radius > 0;
        sum = round ? load_round(j, held, g->guide_length, friction[0], size)
                    : load_flat(j, grip, held, friction[0], size);
        double key = round ? bri_abs(bri_dot(held->torque, held->axis)) / g->pin_radius : 0;
        return finish(sum, size, mu, 0, preload, mu * key);
    }
    case BR_JOINT_CYLINDRICAL:
        if (f > 0) turning = bri_abs(friction[0]) / f;
        sum = load_round(j, held, g->bearing_spacing, friction[1], size);
        load = finish(sum, size, mu, turning, preload, 0);
        break;
    default: { /* a hinge, or a pin of a universal joint */
        double thrust = bri_abs(bri_dot(held->force, held->axis));
        sum = load_round(j, held, g->bearing_spacing, 0, size);
        load = finish(sum, size, mu, 1, preload, mu * g->collar_radius / g->pin_radius * thrust);
        load.thrust = thrust;
        double pin = load.upper > 0 ? f * mu * sum / (bri_sqrt(1 + mu * mu) * load.upper) : 0; /* its part of f */
        take_friction_out(sum, pin, size);
        for (int k = 0; k < 2; k++) load.normal[k] = size[k] + 0.5 * preload;
        return load;
    }
    }
    take_friction_out(sum, friction[0], size);
    for (int k = 0; k < 2; k++) load.normal[k] = size[k] + 0.5 * preload;
    return load;
}

/* (10.1) with T = p_3 y - p_4 x beside what F makes off the middle: T x e = p_3 x + p_4 y. */
double bri_hinge_bears(const BriJoint *j, const BrMat3 *frame, const double *p, double mu, double preload) {
    const BrJointFriction *g = &j->def.friction;
    const double(*f)[3] = frame->m;
    double x = f[0][0] * p[0] + f[1][0] * p[1] + f[2][0] * p[2], y = f[0][1] * p[0] + f[1][1] * p[1] + f[2][1] * p[2];
    double thrust = bri_abs(f[0][2] * p[0] + f[1][2] * p[1] + f[2][2] * p[2]), couple = 1 / g->bearing_spacing;
    double x_c = couple * (p[3] - g->bearing_offset * x), y_c = couple * (p[4] - g->bearing_offset * y), sum = 0;
    for (int k = -1; k <= 1; k += 2) {
        double x_k = 0.5 * x + k * x_c, y_k = 0.5 * y + k * y_c;
        sum += bri_sqrt(x_k * x_k + y_k * y_k);
    }
    return mu * (sum / bri_sqrt(1 + mu * mu) + preload + g->collar_radius / g->pin_radius * thrust); /* (10.2) */
}

/* (10.12): its rows are three shifts and two turns about axes of unit length across the pin. */
double bri_grip_reach(const BriJoint *j, const double *more, double mu) {
    const BrJointFriction *g = &j->def.friction;
    double force = bri_sqrt(more[0] * more[0] + more[1] * more[1] + more[2] * more[2]);
    double torque = bri_sqrt(more[3] * more[3] + more[4] * more[4]) + bri_abs(g->bearing_offset) * force;
    return mu * ((1 + g->collar_radius / g->pin_radius) * force + 2 / g->bearing_spacing * torque);
}
