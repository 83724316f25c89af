/* sensors.c: sensors of a model: added and looked up. What they show is worked out where accelerations are (step/sensor.c). */
#include "model/add.h"

#include <stdio.h>

static const BrSensorInfo INFOS[BR_SENSOR_TYPES] = {
    [BR_SENSOR_POINT] = {"point", "position, velocity and acceleration of a point of a body, world axes"},
    [BR_SENSOR_IMU] = {"imu",
                       "accelerometer (acceleration less gravity) and gyroscopes of a body, in axes of their own"},
    [BR_SENSOR_LOAD_CELL] = {"load_cell", "force and torque through a joint, in its frame, on its second body"},
    [BR_SENSOR_CONTACT] = {"contact", "force and torque on the first of two bodies by all of their contacts"}};

const BrSensorInfo *br_sensor_info(BrSensorType type) { return (unsigned)type < BR_SENSOR_TYPES ? &INFOS[type] : NULL; }

void br_start_sensor_def(BrSensorDef *def, uint32_t size) {
    if (bri_start_def(def, size, sizeof *def)) def->rotation_body = bri_identity();
}

/* ------------------------------------------------------------------ adding */

static BrStatus check_carrier(const BrModel *m, const BriSensor *s, BrError *error) {
    const BrSensorDef *def = &s->def;
    if (s->a < 0) return bri_fail(error, BR_INVALID_ID, "sensor '%s': its body is not of this model", def->name);
    if (!bri_vec_is_finite(def->point_body))
        return bri_fail(error, BR_INVALID_ARGUMENT, "sensor '%s': its point is not finite", def->name);
    if (!(bri_rotation_error(&def->rotation_body) <= BRI_ROTATION_ERROR))
        return bri_fail(error, BR_INVALID_ARGUMENT, "sensor '%s': its orientation is not a rotation matrix", def->name);
    (void)m;
    return BR_OK;
}

static BrStatus check_sensor(const BrModel *m, const BriSensor *s, BrError *error) {
    const BrSensorDef *def = &s->def;
    switch (def->type) {
    case BR_SENSOR_POINT:
    case BR_SENSOR_IMU: return check_carrier(m, s, error);
    case BR_SENSOR_LOAD_CELL:
        if (s->joint >= 0) return BR_OK;
        return bri_fail(error, BR_INVALID_ID, "sensor '%s': its joint is not of this model", def->name);
    case BR_SENSOR_CONTACT:
        if (s->a < 0 || s->b < 0)
            return bri_fail(error, BR_INVALID_ID, "sensor '%s' needs two bodies of this model", def->name);
        if (s->a != s->b) return BR_OK;
        return bri_fail(error, BR_INVALID_ARGUMENT, "sensor '%s': body '%s' does not touch itself", def->name,
                        m->body_def[s->a].name);
    case BR_SENSOR_TYPES: break;
    }
    return bri_fail(error, BR_INVALID_ARGUMENT, "sensor '%s': %d is no type of sensor", def->name, (int)def->type);
}

/* What its type does not use says nothing. */
static void clear_unused(BriSensor *s) {
    const BrSensorDef given = s->def;
    s->def = br_default_sensor_def();
    s->def.name = given.name, s->def.type = given.type;
    if (given.type == BR_SENSOR_LOAD_CELL)
        s->def.joint = given.joint;
    else
        s->def.body = given.body;
    if (given.type == BR_SENSOR_CONTACT) s->def.other = given.other;
    if (given.type == BR_SENSOR_POINT || given.type == BR_SENSOR_IMU) s->def.point_body = given.point_body;
    if (given.type == BR_SENSOR_IMU) s->def.rotation_body = given.rotation_body;
    s->axes = bri_rotation_normalise(&s->def.rotation_body);
}

BrStatus br_model_add_sensor(BrModel *m, const BrSensorDef *def, BrSensorId *id, BrError *error) {
    if (id) *id = (BrSensorId){0};
    BrStatus status = bri_check_addition(m, def, sizeof *def, "sensor", error);
    if (status == BR_OK) status = bri_check_name(def->name, &m->sensor_names, "sensor", error);
    if (status != BR_OK) return status;
    BriSensor s = {.def = *def,
                   .axes = bri_identity(),
                   .a = bri_body_number(m, def->body),
                   .b = bri_body_number(m, def->other),
                   .joint = bri_joint_number(m, def->joint)};
    status = check_sensor(m, &s, error);
    if (status != BR_OK) return status;
    clear_unused(&s);
    if (!bri_grow(&m->allocator, (void **)&m->sensor, m->sensors, &m->sensor_capacity, sizeof s))
        return bri_no_memory_for("sensor", def->name, error);
    s.def.name = bri_own_name(m, def->name, &m->sensor_names, m->sensors);
    if (!s.def.name) return bri_no_memory_for("sensor", def->name, error);
    m->sensor[m->sensors++] = s;
    if (id) *id = br_model_sensor(m, m->sensors - 1);
    return BR_OK;
}

/* ------------------------------------------------------------------ looking up */

int br_model_sensor_count(const BrModel *m) { return m ? m->sensors : 0; }

BrSensorId br_model_sensor(const BrModel *m, int number) {
    if (!m || number < 0 || number >= m->sensors) return (BrSensorId){0};
    return (BrSensorId){number + 1, m->number, 1};
}

BrSensorId br_model_find_sensor(const BrModel *m, const char *name) {
    return m ? br_model_sensor(m, bri_names_find(&m->sensor_names, name)) : (BrSensorId){0};
}

const BrSensorDef *br_sensor_def(const BrModel *m, BrSensorId id) {
    int n = m ? bri_sensor_number(m, id) : -1;
    return n < 0 ? NULL : &m->sensor[n].def;
}
