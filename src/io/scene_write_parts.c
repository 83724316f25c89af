/* scene_write_parts.c: bodies, joints, springs, motors, motions and forces as a scene has them: the reverse of
 * scene_parts.c. */
#include "io/scene_write.h"

#include <stdio.h>
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
    if (bri_has_frame(def->frame_body)) write_vector(w, "frame_origin", def->frame_body);
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

/* [lowest, highest], a side that is open as "-" */
static void write_range(BriWriter *w, double lower, double upper) {
    const double ends[] = {lower, upper};
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

static void write_limits(BriWriter *w, const BrJointDef *def, const BrJointInfo *info, int c) {
    (void)info;
    write_range(w, def->lower[c], def->upper[c]);
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

static bool has_start(const BrJointDef *def, int c) { return def->start[c] == def->start[c]; } /* else NaN */
static bool has_start_rate(const BrJointDef *def, int c) { return def->start_rate[c] == def->start_rate[c]; }

static void write_start(BriWriter *w, const BrJointDef *def, const BrJointInfo *info, int c) {
    (void)info;
    bri_write_number(w, def->start[c]);
}

static void write_start_rate(BriWriter *w, const BrJointDef *def, const BrJointInfo *info, int c) {
    (void)info;
    bri_write_number(w, def->start_rate[c]);
}

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
    write_by_coordinate(w, "start", def, info, has_start, write_start);
    write_by_coordinate(w, "start_rate", def, info, has_start_rate, write_start_rate);
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
    if (def->play_lower < def->play_upper) bri_write_key(w, "play"), write_range(w, def->play_lower, def->play_upper);
    end(w);
}

static void write_bushing(BriWriter *w, const BriBushing *bushing) {
    const BrBushingDef *def = &bushing->def;
    begin(w, def->name);
    write_bodies_of(w, "bushing", bushing->a, bushing->b);
    write_vector(w, "at", def->at);
    write_vector(w, "axis", def->axis);
    write_vector(w, "stiffness", def->stiffness);
    write_vector(w, "damping", def->damping);
    write_vector(w, "torsional_stiffness", def->torsion_stiffness);
    write_vector(w, "torsional_damping", def->torsion_damping);
    end(w);
}

void bri_write_springs(BriWriter *w) {
    const BrModel *m = w->model;
    if (m->springs || m->bushings) bri_write_plain(w, "springs:\n");
    for (int i = 0; i < m->springs; i++) write_spring(w, &m->spring[i]);
    for (int i = 0; i < m->bushings; i++) write_bushing(w, &m->bushing[i]);
}

/* What it follows, and with which gains; words that it does not need would make another motor of it. */
static void write_drive(BriWriter *w, const BriMotor *motor, bool angle) {
    const BrMotorDef *def = &motor->def;
    bool effort = def->effort.kind != BR_FUNCTION_CONSTANT || def->effort.constant != 0, tuned = def->frequency > 0;
    if (motor->follows) write_function(w, "position", &def->position);
    if (!motor->follows && def->kind != BR_MOTOR_EFFORT) write_function(w, "speed", &def->speed);
    if (def->kind == BR_MOTOR_EFFORT || effort) write_function(w, angle ? "torque" : "force", &def->effort);
    write_number(w, angle ? "max_torque" : "max_force", def->max_effort);
    if (def->kind != BR_MOTOR_SERVO) return;
    if (def->stiffness > 0) write_number(w, "stiffness", def->stiffness);
    if (!tuned) write_number(w, "damping", def->damping);
    if (tuned) write_number(w, "frequency", def->frequency), write_number(w, "damping_ratio", def->damping_ratio);
    if (bri_is_finite(def->max_speed)) write_number(w, "max_speed", def->max_speed);
}

void bri_write_motors(BriWriter *w) {
    if (w->model->motors) bri_write_plain(w, "motors:\n");
    for (int i = 0; i < w->model->motors; i++) {
        const BriMotor *motor = &w->model->motor[i];
        begin(w, motor->def.name);
        write_drive(w, motor, write_coordinate(w, motor->joint, motor->def.coordinate));
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

/* ------------------------------------------------------------------ couplings and sensors */

/* [joint.coordinate, joint.coordinate] */
static void write_ends(BriWriter *w, const char *key, const BriCoupling *coupling) {
    bri_write_key(w, key);
    bri_write_open(w, "[");
    for (int i = 0; i < 2; i++) {
        const BriJoint *joint = &w->model->joint[coupling->joint[i]];
        char end[200];
        snprintf(end, sizeof end, "%s.%s", joint->def.name, joint->type->info.coordinate[coupling->coordinate[i]].name);
        bri_write_item(w), bri_write_name(w, end);
    }
    bri_write_close(w, "]");
}

static void write_coupling(BriWriter *w, const BriCoupling *coupling) {
    const BrCouplingDef *def = &coupling->def;
    begin(w, def->name);
    write_ends(w, br_coupling_info(def->type)->name, coupling);
    switch (def->type) {
    case BR_COUPLING_GEAR: write_number(w, "ratio", def->ratio); break;
    case BR_COUPLING_RACK: write_number(w, "radius", def->radius); break;
    case BR_COUPLING_SCREW: write_number(w, "lead", def->lead); break;
    case BR_COUPLING_BELT:
        bri_write_key(w, "radii");
        bri_write_open(w, "[");
        bri_write_item(w), bri_write_number(w, def->radius);
        bri_write_item(w), bri_write_number(w, def->radius_b);
        bri_write_close(w, "]");
        if (def->crossed) bri_write_key(w, "crossed"), bri_write_plain(w, "true");
        break;
    case BR_COUPLING_TYPES: break;
    }
    write_number(w, "offset", def->offset);
    end(w);
}

void bri_write_couplings(BriWriter *w) {
    if (w->model->couplings) bri_write_plain(w, "couplings:\n");
    for (int i = 0; i < w->model->couplings; i++) write_coupling(w, &w->model->coupling[i]);
}

static void write_sensor(BriWriter *w, const BriSensor *sensor) {
    const BrSensorDef *def = &sensor->def;
    const char *word = br_sensor_info(def->type)->name;
    begin(w, def->name);
    switch (def->type) {
    case BR_SENSOR_IMU:
        if (!bri_is_identity(&def->rotation_body))
            bri_write_key(w, "rotation"), bri_write_matrix(w, &def->rotation_body);
        /* fall through */
    case BR_SENSOR_POINT:
        write_name(w, word, body_name(w, sensor->a));
        write_vector(w, "at_body", def->point_body);
        break;
    case BR_SENSOR_LOAD_CELL: write_name(w, word, w->model->joint[sensor->joint].def.name); break;
    case BR_SENSOR_CONTACT: write_bodies_of(w, word, sensor->a, sensor->b); break;
    case BR_SENSOR_TYPES: break;
    }
    end(w);
}

void bri_write_sensors(BriWriter *w) {
    if (w->model->sensors) bri_write_plain(w, "sensors:\n");
    for (int i = 0; i < w->model->sensors; i++) write_sensor(w, &w->model->sensor[i]);
}
