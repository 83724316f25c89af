/* bristle/sensor.h: sensors: what instruments on a machine show at an instant. They push nothing, and change no motion. */
#ifndef BRISTLE_SENSOR_H
#define BRISTLE_SENSOR_H

#include "bristle/contact.h"

#ifdef __cplusplus
extern "C" {
#endif

BR_DECLARE_ID(BrSensorId);

typedef enum BrSensorType {
    BR_SENSOR_POINT,     /* where a point of a body is, how fast, and how it accelerates */
    BR_SENSOR_IMU,       /* an accelerometer and gyroscopes, in axes of their own */
    BR_SENSOR_LOAD_CELL, /* what a joint transmits, in its frame on the first body */
    BR_SENSOR_CONTACT,   /* what two bodies do to each other where they touch */
    BR_SENSOR_TYPES
} BrSensorType;

typedef struct BrSensorDef {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    const char *name;
    BrSensorType type;
    BrBodyId body;        /* point, imu: which carries it; contact: the first */
    BrBodyId other;       /* contact: the second */
    BrJointId joint;      /* load cell */
    BrVec3 point_body;    /* m: point, imu: where on the body, from its centre of mass, in its axes */
    BrMat3 rotation_body; /* imu: its axes to the body's */
} BrSensorDef;

BR_DEFAULT(BrSensorDef, br_default_sensor_def, br_start_sensor_def)

/* `id` may be NULL. */
BR_API BrStatus br_model_add_sensor(BrModel *model, const BrSensorDef *def, BrSensorId *id, BrError *error);

BR_API int br_model_sensor_count(const BrModel *model);
BR_API BrSensorId br_model_sensor(const BrModel *model, int number); /* null outside */
BR_API BrSensorId br_model_find_sensor(const BrModel *model, const char *name);
BR_API const BrSensorDef *br_sensor_def(const BrModel *model, BrSensorId id); /* NULL: not of this model */

/* What does not belong to a sensor's type is zero. */
typedef struct BrSensorReading {
    BrVec3 position, velocity, acceleration; /* m, m/s, m/s^2, world axes: of the point, also of an imu's */
    BrVec3
        specific_force; /* m/s^2, imu's axes: acceleration less gravity, which an accelerometer shows: at rest g upwards */
    BrVec3 rate;        /* rad/s, imu's axes: angular velocity */
    BrVec3 force,
        torque; /* N, N m: load cell: on the joint's second body, in the joint's frame, the torque about the joint's
                              point; contact: on the first body, world axes, the torque about `point` of br_contact_pair() */
    int places; /* contact: where they touch */
} BrSensorReading;

/* Of the last br_evaluate(), which was of this state. */
BR_API BrStatus br_sensor_read(const BrModel *model, const BrWorkspace *workspace, const BrState *state, BrSensorId id,
                               BrSensorReading *reading);

typedef struct BrSensorInfo {
    const char *name; /* in scene files */
    const char *help;
} BrSensorInfo;

BR_API const BrSensorInfo *br_sensor_info(BrSensorType type); /* NULL outside the list */

#ifdef __cplusplus
}
#endif

#endif
