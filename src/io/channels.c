/* channels.c: see channels.h. The list and the filling walk the model in the same order. */
#include "io/channels.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ the list */

typedef struct Maker {
    BriChannels *channels;
    const BrAllocator *allocator;
    bool fine;
} Maker;

static void add(Maker *m, const char *group, const char *owner, const char *name, const char *unit, int width,
                const char *help) {
    BriChannels *c = m->channels;
    m->fine = m->fine && bri_grow(m->allocator, (void **)&c->channel, c->count, &c->capacity, sizeof *c->channel);
    if (!m->fine) return;
    BriChannel *channel = &c->channel[c->count++];
    *channel = (BriChannel){.unit = unit, .help = help, .width = width, .offset = c->width};
    snprintf(channel->group, sizeof channel->group, "%s%s%s", group, *owner ? "/" : "", owner);
    snprintf(channel->name, sizeof channel->name, "%s", name);
    c->width += width;
}

static void add_body(Maker *m, const char *name) {
    add(m, "bodies", name, "position", "m", 3, "centre of mass, world axes");
    add(m, "bodies", name, "rotation", "1", 9, "body to world, by rows");
    add(m, "bodies", name, "velocity", "m/s", 3, "centre of mass, world axes");
    add(m, "bodies", name, "angular_velocity", "rad/s", 3, "world axes");
    add(m, "bodies", name, "acceleration", "m/s^2", 3, "instantaneous, centre of mass, world axes");
    add(m, "bodies", name, "angular_acceleration", "rad/s^2", 3, "instantaneous, world axes");
}

static const char *rate_unit(const char *unit) { return strcmp(unit, "rad") == 0 ? "rad/s" : "m/s"; }

static void add_joint(Maker *m, const char *name, const BrJointInfo *info) {
    for (int c = 0; c < info->coordinates; c++) {
        char position[32] = "position", velocity[32] = "velocity";
        if (info->coordinates > 1) {
            snprintf(position, sizeof position, "position_%.20s", info->coordinate[c].name);
            snprintf(velocity, sizeof velocity, "velocity_%.20s", info->coordinate[c].name);
        }
        add(m, "joints", name, position, info->coordinate[c].unit, 1, "second body against the first");
        add(m, "joints", name, velocity, rate_unit(info->coordinate[c].unit), 1, "its rate");
    }
    add(m, "joints", name, "force", "N", 3, "instantaneous, on the second body, world axes");
    add(m, "joints", name, "torque", "N m", 3, "the same, about the joint point on the first body");
    add(m, "joints", name, "force_joint", "N", 3, "force in the axes of the joint frame on the first body");
    add(m, "joints", name, "torque_joint", "N m", 3, "torque in the axes of the joint frame on the first body");
    add(m, "joints", name, "force_mean", "N", 3, "mean over the step before, world axes; 0 at the start");
    add(m, "joints", name, "torque_mean", "N m", 3, "the same, about the joint point on the first body");
}

/* Is a spring on an angle? */
static bool is_angular(const BrModel *model, BrJointId joint, int coordinate) {
    const BrJointDef *def = br_joint_def(model, joint);
    return def && strcmp(br_joint_info(def->type)->coordinate[coordinate].unit, "rad") == 0;
}

static void add_spring(Maker *m, const BrModel *model, const BrSpringDef *def) {
    bool angle = is_angular(model, def->joint, def->coordinate);
    add(m, "springs", def->name, "length", angle ? "rad" : "m", 1, "length, or the joint's coordinate");
    add(m, "springs", def->name, "rate", angle ? "rad/s" : "m/s", 1, "its rate");
    add(m, "springs", def->name, "tension", angle ? "N m" : "N", 1, "positive acts to reduce the length or coordinate");
}

static void add_motor(Maker *m, const BrModel *model, const BrMotorDef *def) {
    bool angle = is_angular(model, def->joint, def->coordinate);
    add(m, "motors", def->name, "target", angle ? "rad/s" : "m/s", 1, "wanted speed");
    add(m, "motors", def->name, "effort", angle ? "N m" : "N", 1, "instantaneous, on the second body");
}

/* The motions that drive joints. */
static bool drives_joint(const BrModel *model, int number) {
    return br_motion_def(model, br_model_motion(model, number))->joint.index1 != 0;
}

static void add_motion(Maker *m, const BrModel *model, const BrMotionDef *def) {
    bool angle = is_angular(model, def->joint, def->coordinate);
    add(m, "motions", def->name, "effort", angle ? "N m" : "N", 1, "instantaneous, on the second body");
}

BrStatus bri_channels_make(const BrModel *model, const BrAllocator *allocator, BriChannels *channels, BrError *error) {
    *channels = (BriChannels){.model = model};
    Maker m = {channels, allocator, true};
    add(&m, "", "", "time", "s", 1, "time");
    for (int i = 0; i < br_model_body_count(model); i++) {
        const BrBodyDef *def = br_body_def(model, br_model_body(model, i));
        if (def->kind != BR_BODY_FIXED) add_body(&m, def->name);
    }
    for (int k = 0; k < br_model_joint_count(model); k++) {
        const BrJointDef *def = br_joint_def(model, br_model_joint(model, k));
        add_joint(&m, def->name, br_joint_info(def->type));
    }
    for (int k = 0; k < br_model_spring_count(model); k++)
        add_spring(&m, model, br_spring_def(model, br_model_spring(model, k)));
    for (int k = 0; k < br_model_motor_count(model); k++)
        add_motor(&m, model, br_motor_def(model, br_model_motor(model, k)));
    for (int k = 0; k < br_model_motion_count(model); k++)
        if (drives_joint(model, k)) add_motion(&m, model, br_motion_def(model, br_model_motion(model, k)));
    static const char *const ENERGIES[] = {"kinetic", "potential", "stored", "work", "dissipated", "defect"};
    static const char *const MEANINGS[] = {"of all bodies",
                                           "of gravity: minus the sum of mass times gravity times position",
                                           "in springs",
                                           "put in since t = 0 by forces, motors and motions",
                                           "taken out since t = 0 by dampers",
                                           "kinetic + potential + stored + dissipated - work - the initial energy"};
    for (int k = 0; k < BRI_COUNT(ENERGIES); k++) add(&m, "energy", "", ENERGIES[k], "J", 1, MEANINGS[k]);
    add(&m, "certificate", "", "position_residual", "m", 1,
        "largest constraint violation since the row before, m or rad");
    add(&m, "certificate", "", "velocity_residual", "m/s", 1, "the same of its rate, m/s or rad/s");
    add(&m, "certificate", "", "uncertified_steps", "1", 1, "steps so far that stopped short of the tolerance");
    if (m.fine) return BR_OK;
    bri_channels_release(channels, allocator);
    return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for the list of channels");
}

void bri_channels_release(BriChannels *channels, const BrAllocator *allocator) {
    bri_release(allocator, channels->channel);
    *channels = (BriChannels){0};
}

/* ------------------------------------------------------------------ a row */

static double *put(double *row, BrVec3 v) {
    *row++ = v.x;
    *row++ = v.y;
    *row++ = v.z;
    return row;
}

static double *fill_body(const BrModel *model, const BrWorkspace *w, const BrState *state, BrBodyId id, double *row) {
    BrPose pose;
    BrTwist twist, rate;
    br_body_pose(model, state, id, &pose);
    br_body_twist(model, state, id, &twist);
    br_body_acceleration(model, w, id, &rate);
    row = put(row, pose.position);
    memcpy(row, pose.rotation.m, sizeof pose.rotation.m);
    return put(put(put(put(row + 9, twist.linear), twist.angular), rate.linear), rate.angular);
}

static double *fill_joint(const BrModel *model, const BrWorkspace *w, const BrState *state, BrJointId id, double *row) {
    double position[3], velocity[3];
    BrWrench world, joint, mean;
    int coordinates = br_joint_info(br_joint_def(model, id)->type)->coordinates;
    br_joint_position(model, state, id, position, velocity);
    br_joint_reaction(model, w, id, &world, &joint);
    br_joint_reaction_mean(model, w, id, &mean);
    for (int c = 0; c < coordinates; c++) {
        *row++ = position[c];
        *row++ = velocity[c];
    }
    row = put(put(row, world.force), world.torque);
    row = put(put(row, joint.force), joint.torque);
    return put(put(row, mean.force), mean.torque);
}

void bri_channels_fill(const BriChannels *channels, const BrWorkspace *w, const BrState *state,
                       const BrStepReport *worst, uint64_t uncertified, double *row) {
    const BrModel *model = channels->model;
    *row++ = br_state_time(state);
    for (int i = 0; i < br_model_body_count(model); i++) {
        BrBodyId id = br_model_body(model, i);
        if (br_body_def(model, id)->kind != BR_BODY_FIXED) row = fill_body(model, w, state, id, row);
    }
    for (int k = 0; k < br_model_joint_count(model); k++)
        row = fill_joint(model, w, state, br_model_joint(model, k), row);
    for (int k = 0; k < br_model_spring_count(model); k++, row += 3)
        br_spring_force(model, state, br_model_spring(model, k), &row[0], &row[1], &row[2]);
    for (int k = 0; k < br_model_motor_count(model); k++, row += 2) {
        double most;
        br_motor_target(model, state, br_model_motor(model, k), &row[0], &most);
        br_motor_effort(model, w, br_model_motor(model, k), &row[1]);
    }
    for (int k = 0; k < br_model_motion_count(model); k++)
        if (drives_joint(model, k)) br_motion_effort(model, w, br_model_motion(model, k), row++);
    BrEnergy e;
    br_state_energy(model, state, &e);
    double rest[] = {e.kinetic,
                     e.potential,
                     e.stored,
                     e.work,
                     e.dissipated,
                     e.defect,
                     worst->position_residual,
                     worst->velocity_residual,
                     (double)uncertified};
    memcpy(row, rest, sizeof rest);
}
