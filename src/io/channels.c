/* channels.c: see channels.h. The list and the filling walk the model in the same order. */
#include "io/channels.h"
#include "bristle/contact.h"
#include "math/vec.h"

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

/* ---- contacts */

/* Most points two kinds of shapes touch at. */
static int count_points(BrShapeKind a, BrShapeKind b) {
    static const BrShapeKind ONE[] = {BR_SHAPE_POINT, BR_SHAPE_SPHERE, BR_SHAPE_ELLIPSOID};
    for (int i = 0; i < BRI_COUNT(ONE); i++)
        if (a == ONE[i] || b == ONE[i]) return 1;
    return a == BR_SHAPE_CAPSULE || b == BR_SHAPE_CAPSULE ? 2 : 4;
}

/* All places where shapes may touch; none if they are too many to list. */
static void find_slots(const BrModel *model, BriChannels *c) {
    int shapes = br_model_shape_count(model);
    for (int i = 0; i < shapes && shapes <= BRI_CONTACT_SLOTS; i++)
        for (int k = i + 1; k < shapes; k++) {
            BrShapeId a = br_model_shape(model, i), b = br_model_shape(model, k);
            if (!br_shapes_meet(model, a, b)) continue;
            int points = count_points(br_shape_def(model, a)->kind, br_shape_def(model, b)->kind);
            if (c->slots + points > BRI_CONTACT_SLOTS) {
                c->slots = 0;
                return;
            }
            bool turned =
                br_body_def(model, br_shape_def(model, b)->body)->kind != BR_BODY_DYNAMIC; /* as contacts have it */
            for (int n = 0; n < points; n++)
                c->slot[c->slots++] = turned ? (BriSlotOfContact){b, a, n} : (BriSlotOfContact){a, b, n};
        }
}

static void add_slot(Maker *m, const BrModel *model, int number) {
    static const struct {
        const char *name, *unit;
        int width;
        const char *help;
    } LIST[] = {{"mode", "1", 1, "0 open, 1 stick, 2 slip, 3 rolling"},
                {"gap", "m", 1, "distance of the surfaces; 0 while open"},
                {"point", "m", 3, "where it is, world axes"},
                {"normal", "1", 3, "from the second-named body to the first"},
                {"slip", "m/s", 3, "tangential velocity of the first-named body against the second"},
                {"normal_force", "N", 1, "instantaneous, on the first-named body"},
                {"friction_force", "N", 3, "instantaneous, on the first-named body"},
                {"normal_force_mean", "N", 1, "mean over the step before"},
                {"friction_force_mean", "N", 3, "mean over the step before"},
                {"ratio", "1", 1, "|friction| / (mu normal), instantaneous"},
                {"ratio_mean", "1", 1, "the same of the means"},
                {"margin", "N", 1, "mu normal - |friction|"},
                {"deflection", "m", 3, "of the bristles, along the slip; 0 unless compliant"},
                {"dwell", "1", 1, "s_dw of the law dwell, 0 to 1; 0 unless compliant"}};
    const BriSlotOfContact *slot = &m->channels->slot[number];
    const char *a = br_body_def(model, br_shape_def(model, slot->shape_a)->body)->name;
    const char *b = br_body_def(model, br_shape_def(model, slot->shape_b)->body)->name;
    char owner[32];
    int same = 0; /* the place's number among all of these two bodies */
    for (int i = 0; i < number; i++) {
        const BriSlotOfContact *other = &m->channels->slot[i];
        same += br_shape_def(model, other->shape_a)->body.index1 == br_shape_def(model, slot->shape_a)->body.index1 &&
                br_shape_def(model, other->shape_b)->body.index1 == br_shape_def(model, slot->shape_b)->body.index1;
    }
    snprintf(owner, sizeof owner, "%d", number);
    for (int i = 0; i < BRI_COUNT(LIST); i++) {
        add(m, "contacts", owner, LIST[i].name, LIST[i].unit, LIST[i].width, LIST[i].help);
        if (!m->fine) return;
        BriChannel *channel = &m->channels->channel[m->channels->count - 1];
        snprintf(channel->owner, sizeof channel->owner, "%s/%s.%d", b, a, same);
    }
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
    find_slots(model, channels);
    for (int k = 0; k < channels->slots; k++) add_slot(&m, model, k);
    static const char *const ENERGIES[] = {"kinetic", "potential", "stored", "work", "dissipated", "defect"};
    static const char *const MEANINGS[] = {"of all bodies",
                                           "of gravity: minus the sum of mass times gravity times position",
                                           "in springs",
                                           "put in since t = 0 by forces, motors and motions",
                                           "taken out since t = 0 by dampers, contacts and dry friction",
                                           "kinetic + potential + stored + dissipated - work - the initial energy"};
    for (int k = 0; k < BRI_COUNT(ENERGIES); k++) add(&m, "energy", "", ENERGIES[k], "J", 1, MEANINGS[k]);
    add(&m, "certificate", "", "position_residual", "m", 1,
        "largest constraint violation since the row before, m or rad");
    add(&m, "certificate", "", "velocity_residual", "m/s", 1, "the same of its rate, m/s or rad/s");
    add(&m, "certificate", "", "contact_residual", "m/s", 1, "natural map of the contact problem, worst contact");
    add(&m, "certificate", "", "contacts", "1", 1, "closed contacts");
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

/* The contact that stands at a place, or false. */
static bool find_contact(const BrModel *model, const BrWorkspace *w, const BriSlotOfContact *slot, BrContact *contact) {
    int count = br_contact_count(model, w);
    for (int k = 0, seen = 0; k < count; k++) {
        br_contact(model, w, k, contact);
        if (contact->shape_a.index1 != slot->shape_a.index1 || contact->shape_b.index1 != slot->shape_b.index1)
            continue;
        if (seen++ == slot->number) return true;
    }
    return false;
}

static double divide(double a, double b) { return b > 0 ? a / b : 0; }

static double *fill_contact(const BrModel *model, const BrWorkspace *w, const BriSlotOfContact *slot, double *row) {
    BrContact c;
    if (!find_contact(model, w, slot, &c)) c = (BrContact){.mode = BR_CONTACT_OPEN};
    *row++ = (double)c.mode;
    *row++ = c.gap;
    row = put(put(put(row, c.point), bri_column(&c.frame, 0)), c.slip);
    *row++ = c.normal_force;
    row = put(row, c.friction_force);
    *row++ = c.normal_force_mean;
    row = put(row, c.friction_force_mean);
    *row++ = divide(bri_norm(c.friction_force), c.mu * c.normal_force);
    *row++ = divide(bri_norm(c.friction_force_mean), c.mu * c.normal_force_mean);
    *row++ = c.margin;
    row = put(row, c.deflection);
    *row++ = c.dwell;
    return row;
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
    for (int k = 0; k < channels->slots; k++) row = fill_contact(model, w, &channels->slot[k], row);
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
                     worst->contact_residual,
                     (double)br_contact_count(model, w),
                     (double)uncertified};
    memcpy(row, rest, sizeof rest);
}
