/* add_drives.c: what pushes and drives: springs, motors, motions, forces. */
#include "model/add.h"

#include <stdio.h>

static const char *const OF_TIME[2] = {"t", NULL};
static const char *const OF_DEFLECTION[2] = {"x", "v"};

void bri_release_spring(BriSpring *s, const BrAllocator *allocator) {
    bri_release(allocator, (void *)(uintptr_t)s->def.name);
    bri_function_disown(&s->def.stiffness, &s->stiffness, allocator);
    bri_function_disown(&s->def.damping, &s->damping, allocator);
    bri_function_disown(&s->def.force, &s->force, allocator);
}

void bri_release_motor(BriMotor *m, const BrAllocator *allocator) {
    bri_release(allocator, (void *)(uintptr_t)m->def.name);
    bri_function_disown(&m->def.speed, &m->speed, allocator);
    bri_function_disown(&m->def.effort, &m->effort, allocator);
    bri_function_disown(&m->def.position, &m->position, allocator);
}

void bri_release_motion(BriMotion *m, const BrAllocator *allocator) {
    bri_release(allocator, (void *)(uintptr_t)m->def.name);
    bri_function_disown(&m->def.drive, &m->drive, allocator);
    for (int k = 0; k < 3; k++) bri_function_disown(&m->def.linear[k], &m->linear[k], allocator);
    for (int k = 0; k < 3; k++) bri_function_disown(&m->def.angular_velocity[k], &m->angular[k], allocator);
}

void bri_release_force(BriForce *f, const BrAllocator *allocator) {
    bri_release(allocator, (void *)(uintptr_t)f->def.name);
    for (int k = 0; k < 3; k++) bri_function_disown(&f->def.force[k], &f->force[k], allocator);
    for (int k = 0; k < 3; k++) bri_function_disown(&f->def.torque[k], &f->torque[k], allocator);
}

static BrStatus check_coordinate(const BrModel *m, int joint, int coordinate, const char *what, const char *name,
                                 BrError *error) {
    if (joint < 0) return bri_fail(error, BR_INVALID_ID, "%s '%s': its joint is not of this model", what, name);
    const BrJointInfo *info = &m->joint[joint].type->info;
    if (coordinate < 0 || coordinate >= info->coordinates || !info->coordinate[coordinate].driveable)
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "%s '%s': joint '%s' (%s) has no coordinate %d that it could act on", what, name,
                        m->joint[joint].def.name, info->name, coordinate);
    return BR_OK;
}

static BrStatus check_spring(const BrModel *m, const BriSpring *s, BrError *error) {
    const BrSpringDef *def = &s->def;
    if (!bri_is_finite(def->free_length) || !bri_vec_is_finite(def->point_a_body) ||
        !bri_vec_is_finite(def->point_b_body) || !bri_vec_is_finite(def->direction_at_zero) ||
        !(bri_norm(def->direction_at_zero) > 0))
        return bri_fail(error, BR_INVALID_ARGUMENT, "spring '%s': a length, point or direction is not usable",
                        def->name);
    if (!(def->play_lower < def->play_upper) && !(def->play_lower == 0 && def->play_upper == 0))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "spring '%s': its play is from %.9g to %.9g; the first must be below the second", def->name,
                        def->play_lower, def->play_upper);
    if (def->joint.index1 && s->joint < 0)
        return bri_fail(error, BR_INVALID_ID, "spring '%s': its joint is not of this model", def->name);
    if (def->joint.index1 && (def->body_a.index1 || def->body_b.index1))
        return bri_fail(error, BR_INVALID_ARGUMENT, "spring '%s' has a joint and bodies; it needs one or the other",
                        def->name);
    if (s->joint >= 0) return check_coordinate(m, s->joint, def->coordinate, "spring", def->name, error);
    if (s->a < 0 || s->b < 0)
        return bri_fail(error, BR_INVALID_ID, "spring '%s' needs two bodies of this model, or a joint", def->name);
    if (s->a == s->b)
        return bri_fail(error, BR_INVALID_ARGUMENT, "spring '%s' connects body '%s' with itself", def->name,
                        m->body_def[s->a].name);
    return BR_OK;
}

BrStatus br_model_add_spring(BrModel *m, const BrSpringDef *def, BrSpringId *id, BrError *error) {
    if (id) *id = (BrSpringId){0};
    BrStatus status = bri_check_addition(m, def, sizeof *def, "spring", error);
    if (status == BR_OK) status = bri_check_name(def->name, &m->spring_names, "spring", error);
    if (status != BR_OK) return status;
    BriSpring s = {.def = *def,
                   .a = bri_body_number(m, def->body_a),
                   .b = bri_body_number(m, def->body_b),
                   .joint = bri_joint_number(m, def->joint)};
    status = check_spring(m, &s, error);
    if (status != BR_OK) return status;
    char what[128];
    snprintf(what, sizeof what, "spring '%s'", def->name);
    if (!bri_grow(&m->allocator, (void **)&m->spring, m->springs, &m->spring_capacity, sizeof s))
        return bri_no_memory_for("spring", def->name, error);
    s.def.name = NULL;
    if (s.joint < 0) s.def.coordinate = 0; /* what it does not use says nothing */
    if (s.joint >= 0) {
        s.def.point_a_body = s.def.point_b_body = bri_vec(0, 0, 0);
        s.def.direction_at_zero = bri_vec(0, 0, -1);
    }
    s.def.stiffness = s.def.damping = s.def.force = br_constant(0);
    struct {
        const BrFunctionDef *given;
        BrFunctionDef *kept;
        BriFunction *function;
    } parts[3] = {{&def->stiffness, &s.def.stiffness, &s.stiffness},
                  {&def->damping, &s.def.damping, &s.damping},
                  {&def->force, &s.def.force, &s.force}};
    int quantities = m->quantities;
    for (int k = 0; status == BR_OK && k < 3; k++) {
        *parts[k].kept = *parts[k].given;
        status = bri_function_own(parts[k].kept, OF_DEFLECTION, what, m, &m->allocator, parts[k].function, error);
    }
    s.works_only = bri_function_has_quantities(&s.stiffness) || bri_function_has_quantities(&s.damping) ||
                   bri_function_has_quantities(&s.force);
    if (status == BR_OK) {
        s.def.name = bri_own_name(m, def->name, &m->spring_names, m->springs);
        if (!s.def.name) status = bri_no_memory_for("spring", def->name, error);
    }
    if (status != BR_OK) {
        m->quantities = quantities;
        bri_release_spring(&s, &m->allocator);
        return status;
    }
    m->spring[m->springs++] = s;
    if (id) *id = br_model_spring(m, m->springs - 1);
    return BR_OK;
}

/* Refuses a second drive of the same coordinate. */
static BrStatus check_drive(const BrModel *m, int joint, int coordinate, const char *what, const char *name,
                            BrError *error) {
    BrStatus status = check_coordinate(m, joint, coordinate, what, name, error);
    for (int k = 0; status == BR_OK && k < m->joint[joint].drives; k++)
        if (m->joint[joint].drive[k].coordinate == coordinate)
            return bri_fail(error, BR_INVALID_ARGUMENT, "%s '%s': joint '%s' is driven in this coordinate already",
                            what, name, m->joint[joint].def.name);
    return status;
}

static void add_drive(BriJoint *j, BriDrive drive) {
    j->drive[j->drives++] = drive;
    j->rows++;
}

static BrStatus check_positive(const BrMotorDef *def, const char *what, double value, bool or_zero, BrError *error) {
    if (value > 0 || (or_zero && value == 0)) return BR_OK;
    return bri_fail(error, BR_INVALID_ARGUMENT, "motor '%s': its %s is %.9g; it must %s", def->name, what, value,
                    or_zero ? "not be negative" : "be positive");
}

/* Gains of a servo, and that others have none. */
static BrStatus check_servo(const BrMotorDef *def, BrError *error) {
    bool gains = def->stiffness != 0 || def->damping != 0 || def->frequency != 0;
    if (def->kind != BR_MOTOR_SERVO)
        return !gains && def->max_speed > 1e308
                   ? BR_OK
                   : bri_fail(error, BR_INVALID_ARGUMENT,
                              "motor '%s' has gains or a largest speed, which only a servo takes", def->name);
    BrStatus status = check_positive(def, "stiffness", def->stiffness, true, error);
    if (status == BR_OK) status = check_positive(def, "damping", def->damping, true, error);
    if (status == BR_OK) status = check_positive(def, "frequency", def->frequency, true, error);
    if (status == BR_OK) status = check_positive(def, "damping ratio", def->damping_ratio, true, error);
    if (status == BR_OK) status = check_positive(def, "largest speed", def->max_speed, false, error);
    if (status != BR_OK) return status;
    if (!gains || !bri_is_finite(def->stiffness + def->damping + def->frequency + def->damping_ratio))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "motor '%s': a servo needs a stiffness, a damping or a frequency, and all of them finite",
                        def->name);
    if (def->frequency > 0 && (def->stiffness > 0 || def->damping > 0))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "motor '%s' has a frequency and a stiffness or damping; keep either the frequency or the gains",
                        def->name);
    bool damped = def->damping > 0 || (def->frequency > 0 && def->damping_ratio > 0);
    bool follows = def->stiffness > 0 || def->frequency > 0;
    if (bri_is_finite(def->max_speed) && !(damped && follows))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "motor '%s': a largest speed is for a servo that follows a position and has damping",
                        def->name);
    return BR_OK;
}

static BrStatus check_motor(const BrModel *m, const BrMotorDef *def, int joint, BrError *error) {
    if ((unsigned)def->kind > BR_MOTOR_SERVO)
        return bri_fail(error, BR_INVALID_ARGUMENT, "motor '%s': %d is no kind of motor", def->name, (int)def->kind);
    BrStatus status = def->kind == BR_MOTOR_EFFORT
                          ? check_coordinate(m, joint, def->coordinate, "motor", def->name, error)
                          : check_drive(m, joint, def->coordinate, "motor", def->name, error);
    if (status == BR_OK) status = check_positive(def, "largest effort", def->max_effort, false, error);
    return status == BR_OK ? check_servo(def, error) : status;
}

static bool follows_position(const BrMotorDef *def) {
    return def->kind == BR_MOTOR_SERVO && (def->stiffness > 0 || def->frequency > 0);
}

/* What its kind does not use says nothing. */
static BrMotorDef keep_used(const BrMotorDef *def) {
    BrMotorDef own = *def;
    bool follows = follows_position(def);
    if (follows || def->kind == BR_MOTOR_EFFORT) own.speed = br_constant(0);
    if (!follows) own.position = br_constant(0);
    if (def->kind == BR_MOTOR_SPEED) own.effort = br_constant(0);
    if (!(def->frequency > 0)) own.damping_ratio = 1;
    return own;
}

BrStatus br_model_add_motor(BrModel *m, const BrMotorDef *def, BrMotorId *id, BrError *error) {
    if (id) *id = (BrMotorId){0};
    BrStatus status = bri_check_addition(m, def, sizeof *def, "motor", error);
    if (status == BR_OK) status = bri_check_name(def->name, &m->motor_names, "motor", error);
    if (status != BR_OK) return status;
    BrMotorDef own = keep_used(def);
    BriMotor motor = {.def = own, .joint = bri_joint_number(m, def->joint), .drive = -1};
    status = check_motor(m, def, motor.joint, error);
    if (status != BR_OK) return status;
    if (!bri_grow(&m->allocator, (void **)&m->motor, m->motors, &m->motor_capacity, sizeof motor))
        return bri_no_memory_for("motor", def->name, error);
    char what[128];
    snprintf(what, sizeof what, "motor '%s'", def->name);
    int quantities = m->quantities;
    motor.def.name = NULL;
    motor.def.effort = motor.def.position = br_constant(0);
    motor.follows = follows_position(def);
    status = bri_function_own(&motor.def.speed, OF_TIME, what, m, &m->allocator, &motor.speed, error);
    if (status == BR_OK) {
        motor.def.effort = own.effort;
        status = bri_function_own(&motor.def.effort, OF_TIME, what, m, &m->allocator, &motor.effort, error);
    }
    if (status == BR_OK) {
        motor.def.position = own.position;
        status = bri_function_own(&motor.def.position, OF_TIME, what, m, &m->allocator, &motor.position, error);
    }
    if (status == BR_OK) {
        motor.def.name = bri_own_name(m, def->name, &m->motor_names, m->motors);
        if (!motor.def.name) status = bri_no_memory_for("motor", def->name, error);
    }
    if (status != BR_OK) {
        m->quantities = quantities;
        bri_release_motor(&motor, &m->allocator);
        return status;
    }
    if (def->kind != BR_MOTOR_EFFORT) {
        motor.drive = m->joint[motor.joint].drives;
        add_drive(&m->joint[motor.joint], (BriDrive){def->coordinate, true, m->motors, -1, -1});
    }
    m->servos += def->kind == BR_MOTOR_SERVO;
    m->efforts += def->kind == BR_MOTOR_EFFORT;
    m->motor[m->motors++] = motor;
    if (id) *id = br_model_motor(m, m->motors - 1);
    return BR_OK;
}

/* What a motion prescribes does not start elsewhere. */
static BrStatus check_start(const BrModel *m, const BriMotion *motion, BrError *error) {
    const BrJointDef *joint = &m->joint[motion->joint].def;
    int c = motion->def.coordinate;
    bool place = joint->start[c] == joint->start[c] && !motion->def.by_velocity,
         rate = joint->start_rate[c] == joint->start_rate[c];
    if (!place && !rate) return BR_OK;
    return bri_fail(error, BR_INVALID_ARGUMENT,
                    "motion '%s' prescribes what joint '%s' gives a %s for; take one of both away", motion->def.name,
                    joint->name, place ? "start" : "start_rate");
}

static BrStatus check_motion(const BrModel *m, const BriMotion *motion, BrError *error) {
    const BrMotionDef *def = &motion->def;
    if (def->joint.index1 && motion->joint < 0)
        return bri_fail(error, BR_INVALID_ID, "motion '%s': its joint is not of this model", def->name);
    if (def->joint.index1 && def->body.index1)
        return bri_fail(error, BR_INVALID_ARGUMENT, "motion '%s' has a joint and a body; it needs one or the other",
                        def->name);
    if (motion->joint >= 0) {
        BrStatus status = check_drive(m, motion->joint, def->coordinate, "motion", def->name, error);
        return status == BR_OK ? check_start(m, motion, error) : status;
    }
    if (motion->body < 0)
        return bri_fail(error, BR_INVALID_ID, "motion '%s' needs a joint or a body of this model", def->name);
    const BrBodyDef *body = &m->body_def[motion->body];
    int other = m->body[motion->body].motion;
    if (body->kind != BR_BODY_KINEMATIC)
        return bri_fail(error, BR_INVALID_ARGUMENT, "motion '%s': body '%s' is not kinematic", def->name, body->name);
    if (other >= 0)
        return bri_fail(error, BR_INVALID_ARGUMENT, "motion '%s': body '%s' is moved by '%s' already", def->name,
                        body->name, m->motion[other].def.name);
    return BR_OK;
}

static BrStatus own_three(BrFunctionDef kept[3], const BrFunctionDef given[3], BriFunction function[3],
                          const char *what, BrModel *machine, const BrAllocator *allocator, BrError *error) {
    BrStatus status = BR_OK;
    for (int k = 0; status == BR_OK && k < 3; k++) {
        kept[k] = given[k];
        status = bri_function_own(&kept[k], OF_TIME, what, machine, allocator, &function[k], error);
    }
    return status;
}

static void clear_three(BrFunctionDef def[3]) { def[0] = def[1] = def[2] = br_constant(0); }

/* What a motion of a joint, or of a body, does not use says nothing. */
static void clear_unused(BriMotion *motion, const BrAllocator *allocator) {
    BrMotionDef *def = &motion->def;
    if (motion->joint < 0) {
        def->coordinate = 0;
        bri_function_disown(&def->drive, &motion->drive, allocator);
        return;
    }
    for (int k = 0; k < 3; k++) {
        bri_function_disown(&def->linear[k], &motion->linear[k], allocator);
        bri_function_disown(&def->angular_velocity[k], &motion->angular[k], allocator);
    }
}

BrStatus br_model_add_motion(BrModel *m, const BrMotionDef *def, BrMotionId *id, BrError *error) {
    if (id) *id = (BrMotionId){0};
    BrStatus status = bri_check_addition(m, def, sizeof *def, "motion", error);
    if (status == BR_OK) status = bri_check_name(def->name, &m->motion_names, "motion", error);
    if (status != BR_OK) return status;
    BriMotion motion = {.def = *def, .joint = bri_joint_number(m, def->joint), .body = bri_body_number(m, def->body)};
    status = check_motion(m, &motion, error);
    if (status != BR_OK) return status;
    if (!bri_grow(&m->allocator, (void **)&m->motion, m->motions, &m->motion_capacity, sizeof motion))
        return bri_no_memory_for("motion", def->name, error);
    char what[128];
    snprintf(what, sizeof what, "motion '%s'", def->name);
    motion.def.name = NULL;
    clear_three(motion.def.linear);
    clear_three(motion.def.angular_velocity);
    status = bri_function_own(&motion.def.drive, OF_TIME, what, NULL, &m->allocator, &motion.drive, error);
    if (status == BR_OK)
        status = own_three(motion.def.linear, def->linear, motion.linear, what, NULL, &m->allocator, error);
    if (status == BR_OK)
        status = own_three(motion.def.angular_velocity, def->angular_velocity, motion.angular, what, NULL,
                           &m->allocator, error);
    if (status == BR_OK) {
        motion.def.name = bri_own_name(m, def->name, &m->motion_names, m->motions);
        if (!motion.def.name) status = bri_no_memory_for("motion", def->name, error);
    }
    if (status != BR_OK) {
        bri_release_motion(&motion, &m->allocator);
        return status;
    }
    clear_unused(&motion, &m->allocator);
    if (motion.joint >= 0)
        add_drive(&m->joint[motion.joint], (BriDrive){def->coordinate, def->by_velocity, -1, m->motions, -1});
    else
        m->body[motion.body].motion = m->motions;
    m->motion[m->motions++] = motion;
    if (id) *id = br_model_motion(m, m->motions - 1);
    return BR_OK;
}

BrStatus br_model_add_force(BrModel *m, const BrForceDef *def, BrForceId *id, BrError *error) {
    if (id) *id = (BrForceId){0};
    BrStatus status = bri_check_addition(m, def, sizeof *def, "force", error);
    if (status == BR_OK) status = bri_check_name(def->name, &m->force_names, "force", error);
    if (status != BR_OK) return status;
    BriForce force = {.def = *def, .body = bri_body_number(m, def->body)};
    if (force.body < 0) return bri_fail(error, BR_INVALID_ID, "force '%s': its body is not of this model", def->name);
    if (m->body_def[force.body].kind != BR_BODY_DYNAMIC)
        return bri_fail(error, BR_INVALID_ARGUMENT, "force '%s': body '%s' is not dynamic, no force moves it",
                        def->name, m->body_def[force.body].name);
    if (!bri_vec_is_finite(def->point_body))
        return bri_fail(error, BR_INVALID_ARGUMENT, "force '%s': its point is not finite", def->name);
    if (!bri_grow(&m->allocator, (void **)&m->force, m->forces, &m->force_capacity, sizeof force))
        return bri_no_memory_for("force", def->name, error);
    char what[128];
    snprintf(what, sizeof what, "force '%s'", def->name);
    int quantities = m->quantities;
    force.def.name = NULL;
    clear_three(force.def.force);
    clear_three(force.def.torque);
    status = own_three(force.def.force, def->force, force.force, what, m, &m->allocator, error);
    if (status == BR_OK) status = own_three(force.def.torque, def->torque, force.torque, what, m, &m->allocator, error);
    if (status == BR_OK) {
        force.def.name = bri_own_name(m, def->name, &m->force_names, m->forces);
        if (!force.def.name) status = bri_no_memory_for("force", def->name, error);
    }
    if (status != BR_OK) {
        m->quantities = quantities;
        bri_release_force(&force, &m->allocator);
        return status;
    }
    m->force[m->forces++] = force;
    if (id) *id = br_model_force(m, m->forces - 1);
    return BR_OK;
}
