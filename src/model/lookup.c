/* lookup.c: from ids and names to numbers and back. */
#include "model/model.h"

/* Bodies can be removed while building, so their ids go through slots; the others are numbers + 1, generation 1. */
int bri_body_number(const BrModel *model, BrBodyId id) {
    if (id.index1 < 1 || id.index1 > model->slots || id.model != model->number) return -1;
    const BriSlot *slot = &model->slot[id.index1 - 1];
    return slot->generation == id.generation ? slot->index : -1;
}

static int find_number(const BrModel *model, int32_t index1, uint32_t number, uint32_t generation, int count) {
    return index1 >= 1 && index1 <= count && number == model->number && generation == 1 ? index1 - 1 : -1;
}

int bri_joint_number(const BrModel *model, BrJointId id) {
    return find_number(model, id.index1, id.model, id.generation, bri_own_joints(model));
}
int bri_spring_number(const BrModel *model, BrSpringId id) {
    return find_number(model, id.index1, id.model, id.generation, model->springs);
}
int bri_motor_number(const BrModel *model, BrMotorId id) {
    return find_number(model, id.index1, id.model, id.generation, model->motors);
}

int bri_motion_number(const BrModel *model, BrMotionId id) {
    return find_number(model, id.index1, id.model, id.generation, model->motions);
}
int bri_material_number(const BrModel *model, BrMaterialId id) {
    return find_number(model, id.index1, id.model, id.generation, model->materials);
}
int bri_shape_number(const BrModel *model, BrShapeId id) {
    return find_number(model, id.index1, id.model, id.generation, model->shapes);
}
int bri_coupling_number(const BrModel *model, BrCouplingId id) {
    return find_number(model, id.index1, id.model, id.generation, model->couplings);
}
static int find_force_number(const BrModel *model, BrForceId id) {
    return find_number(model, id.index1, id.model, id.generation, model->forces);
}

int bri_sensor_number(const BrModel *model, BrSensorId id) {
    return find_number(model, id.index1, id.model, id.generation, model->sensors);
}
int bri_signal_number(const BrModel *model, BrSignalId id) {
    return find_number(model, id.index1, id.model, id.generation, model->signals);
}

int br_model_body_count(const BrModel *model) { return model ? model->bodies : 0; }
int br_model_joint_count(const BrModel *model) { return model ? bri_own_joints(model) : 0; }
int br_model_spring_count(const BrModel *model) { return model ? model->springs : 0; }
int br_model_motor_count(const BrModel *model) { return model ? model->motors : 0; }
int br_model_motion_count(const BrModel *model) { return model ? model->motions : 0; }
int br_model_force_count(const BrModel *model) { return model ? model->forces : 0; }
int br_model_signal_count(const BrModel *model) { return model ? model->signals : 0; }
int br_model_material_count(const BrModel *model) { return model ? model->materials : 0; }
int br_model_shape_count(const BrModel *model) { return model ? model->shapes : 0; }
int br_model_contact_capacity(const BrModel *model) { return model ? model->contact_capacity : 0; }
BrVec3 br_model_gravity(const BrModel *model) { return model ? model->gravity : (BrVec3){0}; }

BrBodyId br_model_body(const BrModel *model, int number) {
    if (!model) return (BrBodyId){0};
    for (int s = number; s >= 0 && number < model->bodies && s < model->slots; s++)
        if (model->slot[s].index == number) return (BrBodyId){s + 1, model->number, model->slot[s].generation};
    for (int s = 0; s < number && number < model->bodies; s++)
        if (model->slot[s].index == number) return (BrBodyId){s + 1, model->number, model->slot[s].generation};
    return (BrBodyId){0};
}
BrJointId br_model_joint(const BrModel *model, int number) {
    if (!model || number < 0 || number >= bri_own_joints(model)) return (BrJointId){0};
    return (BrJointId){number + 1, model->number, 1};
}
BrSpringId br_model_spring(const BrModel *model, int number) {
    if (!model || number < 0 || number >= model->springs) return (BrSpringId){0};
    return (BrSpringId){number + 1, model->number, 1};
}
BrMotorId br_model_motor(const BrModel *model, int number) {
    if (!model || number < 0 || number >= model->motors) return (BrMotorId){0};
    return (BrMotorId){number + 1, model->number, 1};
}
BrMotionId br_model_motion(const BrModel *model, int number) {
    if (!model || number < 0 || number >= model->motions) return (BrMotionId){0};
    return (BrMotionId){number + 1, model->number, 1};
}
BrForceId br_model_force(const BrModel *model, int number) {
    if (!model || number < 0 || number >= model->forces) return (BrForceId){0};
    return (BrForceId){number + 1, model->number, 1};
}
BrSignalId br_model_signal(const BrModel *model, int number) {
    if (!model || number < 0 || number >= model->signals) return (BrSignalId){0};
    return (BrSignalId){number + 1, model->number, 1};
}

BrMaterialId br_model_material(const BrModel *model, int number) {
    if (!model || number < 0 || number >= model->materials) return (BrMaterialId){0};
    return (BrMaterialId){number + 1, model->number, 1};
}
BrShapeId br_model_shape(const BrModel *model, int number) {
    if (!model || number < 0 || number >= model->shapes) return (BrShapeId){0};
    return (BrShapeId){number + 1, model->number, 1};
}

BrBodyId br_model_find_body(const BrModel *model, const char *name) {
    return model ? br_model_body(model, bri_names_find(&model->body_names, name)) : (BrBodyId){0};
}
BrJointId br_model_find_joint(const BrModel *model, const char *name) {
    return model ? br_model_joint(model, bri_names_find(&model->joint_names, name)) : (BrJointId){0};
}
BrSpringId br_model_find_spring(const BrModel *model, const char *name) {
    return model ? br_model_spring(model, bri_names_find(&model->spring_names, name)) : (BrSpringId){0};
}
BrMotorId br_model_find_motor(const BrModel *model, const char *name) {
    return model ? br_model_motor(model, bri_names_find(&model->motor_names, name)) : (BrMotorId){0};
}
BrMotionId br_model_find_motion(const BrModel *model, const char *name) {
    return model ? br_model_motion(model, bri_names_find(&model->motion_names, name)) : (BrMotionId){0};
}
BrSignalId br_model_find_signal(const BrModel *model, const char *name) {
    return model ? br_model_signal(model, bri_names_find(&model->signal_names, name)) : (BrSignalId){0};
}
BrForceId br_model_find_force(const BrModel *model, const char *name) {
    return model ? br_model_force(model, bri_names_find(&model->force_names, name)) : (BrForceId){0};
}

BrMaterialId br_model_find_material(const BrModel *model, const char *name) {
    return model ? br_model_material(model, bri_names_find(&model->material_names, name)) : (BrMaterialId){0};
}

const BrBodyDef *br_body_def(const BrModel *model, BrBodyId id) {
    if (!model) return NULL;
    int n = bri_body_number(model, id);
    return n < 0 ? NULL : &model->body_def[n];
}
const BrJointDef *br_joint_def(const BrModel *model, BrJointId id) {
    if (!model) return NULL;
    int n = bri_joint_number(model, id);
    return n < 0 ? NULL : &model->joint[n].def;
}
const BrSpringDef *br_spring_def(const BrModel *model, BrSpringId id) {
    if (!model) return NULL;
    int n = bri_spring_number(model, id);
    return n < 0 ? NULL : &model->spring[n].def;
}
const BrMotorDef *br_motor_def(const BrModel *model, BrMotorId id) {
    if (!model) return NULL;
    int n = bri_motor_number(model, id);
    return n < 0 ? NULL : &model->motor[n].def;
}
const BrMotionDef *br_motion_def(const BrModel *model, BrMotionId id) {
    if (!model) return NULL;
    int n = bri_motion_number(model, id);
    return n < 0 ? NULL : &model->motion[n].def;
}
const BrSignalDef *br_signal_def(const BrModel *model, BrSignalId id) {
    if (!model) return NULL;
    int n = bri_signal_number(model, id);
    return n < 0 ? NULL : &model->signal[n].def;
}
const BrForceDef *br_force_def(const BrModel *model, BrForceId id) {
    if (!model) return NULL;
    int n = find_force_number(model, id);
    return n < 0 ? NULL : &model->force[n].def;
}

const BrMaterialDef *br_material_def(const BrModel *model, BrMaterialId id) {
    if (!model) return NULL;
    int n = bri_material_number(model, id);
    return n < 0 ? NULL : &model->material[n].def;
}
const BrShapeDef *br_shape_def(const BrModel *model, BrShapeId id) {
    if (!model) return NULL;
    int n = bri_shape_number(model, id);
    return n < 0 ? NULL : &model->shape[n].def;
}

bool br_shapes_meet(const BrModel *model, BrShapeId a, BrShapeId b) {
    if (!model) return false;
    int i = bri_shape_number(model, a), k = bri_shape_number(model, b);
    return model->built && i >= 0 && k >= 0 && bri_shapes_may_touch(model, i, k);
}

uint64_t br_model_fingerprint(const BrModel *model) { return model ? model->fingerprint : 0; }
