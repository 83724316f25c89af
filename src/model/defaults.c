/* defaults.c: what every definition starts from. The cookie tells that it did. */
#include "model/model.h"

BrModelDef br_default_model_def(void) { return (BrModelDef){.gravity = {0, 0, -9.81}, .cookie = BRI_COOKIE}; }
BrBodyDef br_default_body_def(void) { return (BrBodyDef){.rotation = bri_identity(), .cookie = BRI_COOKIE}; }
BrJointDef br_default_joint_def(void) { return (BrJointDef){.cookie = BRI_COOKIE}; }
BrSpringDef br_default_spring_def(void) { return (BrSpringDef){.direction_at_zero = {0, 0, -1}, .cookie = BRI_COOKIE}; }
BrMotorDef br_default_motor_def(void) { return (BrMotorDef){.cookie = BRI_COOKIE}; }
BrMotionDef br_default_motion_def(void) { return (BrMotionDef){.cookie = BRI_COOKIE}; }
BrForceDef br_default_force_def(void) { return (BrForceDef){.cookie = BRI_COOKIE}; }
