/* defaults.c: what every definition starts from. The cookie tells that it did. */
#include "bristle/contact.h"
#include "model/model.h"

BrModelDef br_default_model_def(void) { return (BrModelDef){.gravity = {0, 0, -9.81}, .cookie = BRI_COOKIE}; }
BrBodyDef br_default_body_def(void) { return (BrBodyDef){.rotation = bri_identity(), .cookie = BRI_COOKIE}; }
BrJointDef br_default_joint_def(void) {
    double none = __builtin_inf();
    return (BrJointDef){.lower = {-none, -none, -none}, .upper = {none, none, none}, .cookie = BRI_COOKIE};
}
BrSpringDef br_default_spring_def(void) { return (BrSpringDef){.direction_at_zero = {0, 0, -1}, .cookie = BRI_COOKIE}; }
BrMotorDef br_default_motor_def(void) { return (BrMotorDef){.cookie = BRI_COOKIE}; }
BrMotionDef br_default_motion_def(void) { return (BrMotionDef){.cookie = BRI_COOKIE}; }
BrForceDef br_default_force_def(void) { return (BrForceDef){.cookie = BRI_COOKIE}; }

/* mu is not set: the user must say it. */
static BrSurface start_surface(void) {
    return (BrSurface){.normal = br_law(BR_LAW_NORMAL, "rigid"), .friction = br_law(BR_LAW_FRICTION, "coulomb")};
}
BrMaterialDef br_default_material_def(void) {
    return (BrMaterialDef){.surface = start_surface(), .cookie = BRI_COOKIE};
}
BrPairDef br_default_pair_def(void) { return (BrPairDef){.surface = start_surface(), .cookie = BRI_COOKIE}; }
BrShapeDef br_default_shape_def(void) { return (BrShapeDef){.rotation_body = bri_identity(), .cookie = BRI_COOKIE}; }
BrMemoryDef br_default_memory_def(void) { return (BrMemoryDef){.cookie = BRI_COOKIE}; }
BrFilterDef br_default_filter_def(void) { return (BrFilterDef){.cookie = BRI_COOKIE}; }
