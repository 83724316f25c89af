/* sensor.c: what sensors show, from the accelerations and reactions of the last reading. p is the point in the body's axes, A
 * body to world, w and alpha the body's angular velocity and acceleration in world axes, S an imu's axes to the body's:
 *
 *     v_p = v + w x A p,   a_p = a + alpha x A p + w x (w x A p)
 *     specific force S^T A^T (a_p - g),   rate S^T A^T w */
#include "bristle/sensor.h"

#include "bristle/contact.h"

#include "model/state.h"

static void read_point(const BrModel *m, const BriSensor *s, const BriBodyState *b, const BrTwist *rate,
                       BrSensorReading *reading) {
    const BrSensorDef *def = &s->def;
    BrVec3 arm = bri_mul(&b->A, def->point_body), w = bri_mul(&b->A, b->w), around = bri_cross(w, arm);
    reading->position = bri_add(b->r, arm);
    reading->velocity = bri_add(b->v, around);
    reading->acceleration = bri_add(rate->linear, bri_add(bri_cross(rate->angular, arm), bri_cross(w, around)));
    if (def->type != BR_SENSOR_IMU) return;
    BrVec3 felt = bri_mul_t(&b->A, bri_sub(reading->acceleration, m->gravity));
    reading->specific_force = bri_mul_t(&s->axes, felt);
    reading->rate = bri_mul_t(&s->axes, b->w);
}

BrStatus br_sensor_read(const BrModel *m, const BrWorkspace *w, const BrState *state, BrSensorId id,
                        BrSensorReading *reading) {
    if (!m || !w || !state || !reading) return BR_INVALID_ARGUMENT;
    int n = bri_sensor_number(m, id);
    if (state->fingerprint != m->fingerprint) return BR_MISMATCH;
    if (n < 0) return BR_INVALID_ID;
    const BriSensor *s = &m->sensor[n];
    BrSensorReading is = {.places = 0};
    BrStatus status;
    if (s->def.type == BR_SENSOR_LOAD_CELL) {
        BrWrench load = {{0, 0, 0}, {0, 0, 0}};
        status = br_joint_reaction(m, w, s->def.joint, NULL, &load);
        is.force = load.force, is.torque = load.torque;
    } else if (s->def.type == BR_SENSOR_CONTACT) {
        BrContactPair pair = {.places = 0};
        status = br_contact_pair(m, w, s->def.body, s->def.other, &pair);
        is.force = pair.force, is.torque = pair.torque, is.places = pair.places;
    } else {
        BrTwist rate;
        status = br_body_acceleration(m, w, s->def.body, &rate);
        if (status == BR_OK) read_point(m, s, &bri_state_bodies(state)[s->a], &rate, &is);
    }
    if (status == BR_OK) *reading = is;
    return status;
}
