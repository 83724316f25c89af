/* scene_write_parts.c: bodies, joints, springs, motors, motions and forces as a scene has them: the reverse of
 * scene_parts.c. */
#include "io/scene_write.h"

#include <string.h>

/* "  name: {" */
static void begin(BriWriter *w, const char *name) {
    bri_write_plain(w, "  ");
    bri_write_name(w, name);
    bri_write_plain(w, ": ");
    bri_write_open(w, "{");
}

static void end(BriWriter *w) { bri_write_plain(w, "}\n"); }

static void write_number(BriWriter *w, const char *key, double x) {
    bri_write_key(w, key);
    bri_write_number(w, x);
}

static void write_vector(BriWriter *w, const char *key, BrVec3 v) {
    bri_write_key(w, key);
    bri_write_vector(w, v);
}

/* Where it is not what it is without a word. */
static void write_optional(BriWriter *w, const char *key, BrVec3 v) {
    if (!bri_is_zero_vector(v)) write_vector(w, key, v);
}

static void write_name(BriWriter *w, const char *key, const char *name) {
    bri_write_key(w, key);
    bri_write_name(w, name);
}

static const char *body_name(const BriWriter *w, int body) { return w->model->body_def[body].name; }

static void write_bodies_of(BriWriter *w, const char *key, int a, int b) {
    bri_write_key(w, key);
    bri_write_open(w, "[");
    bri_write_item(w), bri_write_name(w, body_name(w, a));
    bri_write_item(w), bri_write_name(w, body_name(w, b));
    bri_write_close(w, "]");
}

/* ------------------------------------------------------------------ bodies */

static void write_inertia(BriWriter *w, const BrMat3 *I) {
    const double(*m)[3] = I->m;
    bri_write_key(w, "inertia");
    if (bri_is_zero_vector(bri_vec(m[0][1], m[0][2], m[1][0])) &&
        bri_is_zero_vector(bri_vec(m[1][2], m[2][0], m[2][1])))
        bri_write_vector(w, bri_vec(m[0][0], m[1][1], m[2][2]));
    else
        bri_write_matrix(w, I);
}

static void write_body(BriWriter *w, int number) {
    const BrBodyDef *def = &w->model->body_def[number];
    const BrMat3 *turned = &w->model->body_given[number];
    begin(w, def->name);
    if (def->kind == BR_BODY_DYNAMIC) {
        write_number(w, "mass", def->mass);
        write_inertia(w, &def->inertia);
        bri_write_key(w, "velocity");
        bri_write_open(w, "{");
        write_vector(w, "linear", def->velocity);
        write_vector(w, "angular", def->angular_velocity);
        bri_write_close(w, "}");
    } else if (def->kind == BR_BODY_FIXED) {
        bri_write_key(w, "fixed");
        bri_write_plain(w, "true");
    } else if (w->model->body[number].motion < 0)
        bri_write_refuse(w, "body '%s' is kinematic and no motion moves it, which a scene cannot say; make it fixed",
                         def->name);
    bri_write_key(w, "pose");
    bri_write_open(w, "{");
    write_vector(w, "position", def->position);
    if (!bri_is_identity(turned)) bri_write_key(w, "rotation"), bri_write_matrix(w, turned);
    bri_write_close(w, "}");
    bri_write_shapes_of(w, number);
    end(w);
}

void bri_write_bodies(BriWriter *w) {
    bri_write_plain(w, w->model->bodies ? "bodies:\n" : "bodies: {}\n");
    for (int i = 0; i < w->model->bodies; i++) write_body(w, i);
}

/* ------------------------------------------------------------------ joints */

static void write_joint_field(BriWriter *w, const BrJointParameter *parameter, const BrJointDef *def) {
    const char *key = parameter->key;
    switch (parameter->field) {
    case BR_FIELD_AT: write_vector(w, key, def->at); break;
    case BR_FIELD_AXIS: write_vector(w, key, def->axis); break;
    case BR_FIELD_AXIS_B: write_vector(w, key, def->axis_b); break;
    case BR_FIELD_POINT_A: write_vector(w, key, def->point_a_body); break;
    case BR_FIELD_POINT_B: write_vector(w, key, def->point_b_body); break;
    case BR_FIELD_LENGTH: write_number(w, key, def->length); break;
    case BR_FIELD_LEAD: write_number(w, key, def->lead); break;
    case BR_FIELD_RADIUS: write_number(w, key, def->radius); break;
    case BR_FIELD_STIFFNESS: write_number(w, key, def->stiffness); break;
    case BR_FIELD_SHAPES:
        bri_write_key(w, key);
        bri_write_open(w, "[");
        bri_write_item(w), bri_write_number(w, def->shape_a);
        bri_write_item(w), bri_write_number(w, def->shape_b);
        bri_write_close(w, "]");
        break;
    }
}

static void write_limits(BriWriter *w, const BrJointDef *def, const BrJointInfo *info, int c) {
    const double ends[] = {def->lower[c], def->upper[c]};
    (void)info;
    bri_write_open(w, "[");
    for (int i = 0; i < 2; i++) {
        bri_write_item(w);
        if (bri_is_finite(ends[i]))
            bri_write_number(w, ends[i]);
        else
            bri_write_plain(w, "\"-\"");
    }
    bri_write_close(w, "]");
}

static bool has_limits(const BrJointDef *def, int c) {
    return bri_is_finite(def->lower[c]) || bri_is_finite(def->upper[c]);
}

static bool is_angle(const BrJointInfo *info, int c) { return strcmp(info->coordinate[c].unit, "rad") == 0; }

static void write_dry_friction(BriWriter *w, const BrJointDef *def, const BrJointInfo *info, int c) {
    bri_write_open(w, "{");
    bri_write_key(w, "law"), bri_write_plain(w, "constant");
    write_number(w, is_angle(info, c) ? "torque" : "force", def->dry_friction[c]);
    bri_write_close(w, "}");
}

static bool has_dry_friction(const BrJointDef *def, int c) { return def->dry_friction[c] > 0; }

/* One entry for the only coordinate, or a mapping from names. */
static void write_by_coordinate(BriWriter *w, const char *key, const BrJointDef *def, const BrJointInfo *info,
                                bool (*has)(const BrJointDef *, int),
                                void (*write)(BriWriter *, const BrJointDef *, const BrJointInfo *, int)) {
    bool any = false, several = info->coordinates > 1;
    for (int c = 0; c < info->coordinates; c++) {
        if (!has(def, c)) continue;
        if (!any) bri_write_key(w, key);
        if (!any && several) bri_write_open(w, "{");
        if (several) bri_write_key(w, info->coordinate[c].name);
        write(w, def, info, c);
        any = true;
    }
    if (any && several) bri_write_close(w, "}");
}

static void write_bearings(BriWriter *w, const BrJointDef *def) {
    const BrJointFriction *friction = &def->friction;
    if (!friction->law.info) return;
    for (int c = 0; c < 3; c++)
        if (has_dry_friction(def, c))
            bri_write_refuse(
                w, "joint '%s' has constant friction and friction in its bearings; a scene has one of both", def->name);
    bri_write_key(w, "friction");
    bri_write_open(w, "{");
    bri_write_law(w, &friction->law, def->name);
    for (int i = 0; i < br_bearing_parameter_count(); i++) {
        const BrBearingParameter *word = br_bearing_parameter(i);
        double value;
        memcpy(&value, (const char *)friction + word->offset, sizeof value);
        if (bri_bearing_is_given(friction, word)) write_number(w, word->key, value);
    }
    write_optional(w, "guide_side", friction->guide_side);
    if (friction->bearings_on_first) bri_write_key(w, "bearings_on"), bri_write_plain(w, "first");
    bri_write_close(w, "}");
}

static void write_joint(BriWriter *w, const BriJoint *joint) {
    const BrJointDef *def = &joint->def;
    const BrJointInfo *info = &joint->type->info;
    begin(w, def->name);
    write_bodies_of(w, info->name, joint->a, joint->b);
    for (int i = 0; i < info->parameters; i++) {
        const BrJointParameter *parameter = &info->parameter[i];
        bool nothing = (parameter->field == BR_FIELD_LENGTH && def->length == 0) ||
                       (parameter->field == BR_FIELD_STIFFNESS && def->stiffness == 0);
        if (!nothing) write_joint_field(w, parameter, def);
    }
    write_by_coordinate(w, "limits", def, info, has_limits, write_limits);
    if (!def->friction.law.info) write_by_coordinate(w, "friction", def, info, has_dry_friction, write_dry_friction);
    write_bearings(w, def);
    end(w);
}

void bri_write_joints(BriWriter *w) {
    if (br_model_joint_count(w->model)) bri_write_plain(w, "joints:\n");
    for (int i = 0; i < br_model_joint_count(w->model); i++) write_joint(w, &w->model->joint[i]);
}

/* ------------------------------------------------------------------ signals */

static void write_signal(BriWriter *w, const BrSignalDef *def) {
    bri_write_plain(w, "  ");
    bri_write_name(w, def->name);
    bri_write_plain(w, ": ");
    w->comma = false;
    if (def->over) {
        BrFunctionDef over = bri_signal_over(def);
        bri_write_open(w, "{");
        bri_write_key(w, "table"), bri_write_table(w, def->value.table, def->value.points);
        bri_write_key(w, "over"), bri_write_function(w, &over);
        bri_write_close(w, "}");
    } else
        bri_write_function(w, &def->value);
    bri_write_plain(w, "\n");
}

void bri_write_signals(BriWriter *w) {
    if (w->model->signals) bri_write_plain(w, "signals:\n");
    for (int i = 0; i < w->model->signals; i++) write_signal(w, &w->model->signal[i].def);
}

/* ------------------------------------------------------------------ springs, motors, motions, forces */

static void write_function(BriWriter *w, const char *key, const BrFunctionDef *def) {
    bri_write_key(w, key);
    bri_write_function(w, def);
}

static void write_functions(BriWriter *w, const char *key, const BrFunctionDef def[3]) {
    bri_write_key(w, key);
    bri_write_functions(w, def);
}

/* The joint and its coordinate; true: that is an angle. */
static bool write_coordinate(BriWriter *w, int joint, int coordinate) {
    const BriJoint *j = &w->model->joint[joint];
    write_name(w, "joint", j->def.name);
    write_name(w, "coordinate", j->type->info.coordinate[coordinate].name);
    return is_angle(&j->type->info, coordinate);
}

static void write_spring(BriWriter *w, const BriSpring *spring) {
    const BrSpringDef *def = &spring->def;
    begin(w, def->name);
    if (spring->joint >= 0)
        write_coordinate(w, spring->joint, def->coordinate);
    else {
        write_bodies_of(w, "between", spring->a, spring->b);
        write_vector(w, "from_body", def->point_a_body);
        write_vector(w, "to_body", def->point_b_body);
        write_vector(w, "direction_at_zero", def->direction_at_zero);
    }
    write_function(w, "stiffness", &def->stiffness);
    write_function(w, "damping", &def->damping);
    write_function(w, "force", &def->force);
    write_number(w, "free_length", def->free_length);
    end(w);
}

void bri_write_springs(BriWriter *w) {
    if (w->model->springs) bri_write_plain(w, "springs:\n");
    for (int i = 0; i < w->model->springs; i++) write_spring(w, &w->model->spring[i]);
}

void bri_write_motors(BriWriter *w) {
    if (w->model->motors) bri_write_plain(w, "motors:\n");
    for (int i = 0; i < w->model->motors; i++) {
        const BriMotor *motor = &w->model->motor[i];
        begin(w, motor->def.name);
        bool angle = write_coordinate(w, motor->joint, motor->def.coordinate);
        write_function(w, "speed", &motor->def.speed);
        write_number(w, angle ? "max_torque" : "max_force", motor->def.max_effort);
        end(w);
    }
}

static void write_motion(BriWriter *w, const BriMotion *motion) {
    const BrMotionDef *def = &motion->def;
    begin(w, def->name);
    if (motion->joint >= 0) {
        write_coordinate(w, motion->joint, def->coordinate);
        write_function(w, def->by_velocity ? "speed" : "position", &def->drive);
    } else {
        write_name(w, "body", body_name(w, motion->body));
        write_functions(w, def->by_velocity ? "velocity" : "position", def->linear);
        write_functions(w, "angular_velocity", def->angular_velocity);
    }
    end(w);
}

void bri_write_motions(BriWriter *w) {
    if (w->model->motions) bri_write_plain(w, "motions:\n");
    for (int i = 0; i < w->model->motions; i++) write_motion(w, &w->model->motion[i]);
}

void bri_write_forces(BriWriter *w) {
    if (w->model->forces) bri_write_plain(w, "forces:\n");
    for (int i = 0; i < w->model->forces; i++) {
        const BriForce *force = &w->model->force[i];
        const BrForceDef *def = &force->def;
        begin(w, def->name);
        write_name(w, "body", body_name(w, force->body));
        write_functions(w, def->in_body_axes ? "force_body" : "force", def->force);
        write_functions(w, def->in_body_axes ? "torque_body" : "torque", def->torque);
        write_optional(w, "at_body", def->point_body);
        end(w);
    }
}
