/* defaults.c: what every definition starts from. */
#include "bristle/contact.h"
#include "model/model.h"

void br_start_model_def(BrModelDef *def, uint32_t size) {
    if (bri_start_def(def, size, sizeof *def)) def->gravity.z = -9.81;
}

void br_start_body_def(BrBodyDef *def, uint32_t size) {
    if (bri_start_def(def, size, sizeof *def)) def->rotation = bri_identity();
}

void br_start_joint_def(BrJointDef *def, uint32_t size) {
    if (!bri_start_def(def, size, sizeof *def)) return;
    for (int k = 0; k < 3; k++) def->lower[k] = -__builtin_inf(), def->upper[k] = __builtin_inf();
    for (int k = 0; k < 3; k++) def->start[k] = def->start_rate[k] = __builtin_nan("");
    def->friction.efficiency = 1;
}

void br_start_spring_def(BrSpringDef *def, uint32_t size) {
    if (bri_start_def(def, size, sizeof *def)) def->direction_at_zero.z = -1;
}

void br_start_motor_def(BrMotorDef *def, uint32_t size) {
    if (!bri_start_def(def, size, sizeof *def)) return;
    def->max_speed = __builtin_inf();
    def->damping_ratio = 1;
}

void br_start_motion_def(BrMotionDef *def, uint32_t size) { bri_start_def(def, size, sizeof *def); }
void br_start_force_def(BrForceDef *def, uint32_t size) { bri_start_def(def, size, sizeof *def); }
void br_start_signal_def(BrSignalDef *def, uint32_t size) { bri_start_def(def, size, sizeof *def); }

/* mu is not set: the user must say it. */
static BrSurface start_surface(void) {
    return (BrSurface){.normal = br_law(BR_LAW_NORMAL, "rigid"), .friction = br_law(BR_LAW_FRICTION, "coulomb")};
}

void br_start_material_def(BrMaterialDef *def, uint32_t size) {
    if (bri_start_def(def, size, sizeof *def)) def->surface = start_surface();
}

void br_start_pair_def(BrPairDef *def, uint32_t size) {
    if (bri_start_def(def, size, sizeof *def)) def->surface = start_surface();
}

void br_start_shape_def(BrShapeDef *def, uint32_t size) {
    if (bri_start_def(def, size, sizeof *def)) def->rotation_body = bri_identity();
}

void br_start_law_def(BrLawDef *def, uint32_t size) { bri_start_def(def, size, sizeof *def); }
void br_start_memory_def(BrMemoryDef *def, uint32_t size) { bri_start_def(def, size, sizeof *def); }
void br_start_filter_def(BrFilterDef *def, uint32_t size) { bri_start_def(def, size, sizeof *def); }
