/* channels.c: see channels.h. A channel is a line of a table: name, unit, where its numbers stand in the reading of its
 * owner. One walk over the model makes the list and fills rows, so both have the same order. */
#include "io/channels.h"
#include "bristle/contact.h"
#include "math/vec.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ tables */

typedef struct Line {
    const char *name, *unit;
    const char *turning; /* unit where the owner's coordinate is an angle; NULL: the same */
    size_t at;           /* in the reading, bytes; */
    int width;           /* from there on, doubles */
    const char *help;
} Line;

#define FIELD(type, field) offsetof(type, field), (int)(sizeof(((type *)0)->field) / sizeof(double))

typedef struct Body {
    BrPose pose;
    BrTwist twist, rate;
} Body;

static const Line BODY[] = {
    {"position", "m", NULL, FIELD(Body, pose.position), "centre of mass, world axes"},
    {"rotation", "1", NULL, FIELD(Body, pose.rotation), "body to world, by rows"},
    {"velocity", "m/s", NULL, FIELD(Body, twist.linear), "centre of mass, world axes"},
    {"angular_velocity", "rad/s", NULL, FIELD(Body, twist.angular), "world axes"},
    {"acceleration", "m/s^2", NULL, FIELD(Body, rate.linear), "instantaneous, centre of mass, world axes"},
    {"angular_acceleration", "rad/s^2", NULL, FIELD(Body, rate.angular), "instantaneous, world axes"}};

typedef struct Coordinate {
    double position, velocity;
} Coordinate;

static const Line COORDINATE[] = {
    {"position", "m", "rad", FIELD(Coordinate, position), "second body against the first"},
    {"velocity", "m/s", "rad/s", FIELD(Coordinate, velocity), "its rate"}};

typedef struct Joint {
    BrWrench world, joint, mean;
} Joint;

static const Line JOINT[] = {
    {"force", "N", NULL, FIELD(Joint, world.force), "instantaneous, on the second body, world axes"},
    {"torque", "N m", NULL, FIELD(Joint, world.torque), "the same, about the joint point on the first body"},
    {"force_joint", "N", NULL, FIELD(Joint, joint.force), "force in the axes of the joint frame on the first body"},
    {"torque_joint", "N m", NULL, FIELD(Joint, joint.torque),
     "torque in the axes of the joint frame on the first body"},
    {"force_mean", "N", NULL, FIELD(Joint, mean.force), "mean over the step before, world axes; 0 at the start"},
    {"torque_mean", "N m", NULL, FIELD(Joint, mean.torque), "the same, about the joint point on the first body"}};

typedef struct Spring {
    double length, rate, tension;
} Spring;

static const Line SPRING[] = {
    {"length", "m", "rad", FIELD(Spring, length), "length, or the joint's coordinate"},
    {"rate", "m/s", "rad/s", FIELD(Spring, rate), "its rate"},
    {"tension", "N", "N m", FIELD(Spring, tension), "positive acts to reduce the length or coordinate"}};

typedef struct Motor {
    double target, effort, most;
} Motor;

static const Line MOTOR[] = {{"target", "m/s", "rad/s", FIELD(Motor, target), "wanted speed"},
                             {"effort", "N", "N m", FIELD(Motor, effort), "instantaneous, on the second body"}};
static const Line MOTION[] = {{"effort", "N", "N m", 0, 1, "instantaneous, on the second body"}};

typedef struct Contact {
    double mode, ratio, ratio_mean;
    BrVec3 normal;
    BrContact is;
} Contact;

static const Line CONTACT[] = {
    {"mode", "1", NULL, FIELD(Contact, mode), "0 open, 1 stick, 2 slip, 3 rolling"},
    {"gap", "m", NULL, FIELD(Contact, is.gap), "distance of the surfaces; 0 while open"},
    {"point", "m", NULL, FIELD(Contact, is.point), "where it is, world axes"},
    {"normal", "1", NULL, FIELD(Contact, normal), "from the second-named body to the first"},
    {"slip", "m/s", NULL, FIELD(Contact, is.slip), "tangential velocity of the first-named body against the second"},
    {"normal_force", "N", NULL, FIELD(Contact, is.normal_force), "instantaneous, on the first-named body"},
    {"friction_force", "N", NULL, FIELD(Contact, is.friction_force), "instantaneous, on the first-named body"},
    {"normal_force_mean", "N", NULL, FIELD(Contact, is.normal_force_mean), "mean over the step before"},
    {"friction_force_mean", "N", NULL, FIELD(Contact, is.friction_force_mean), "mean over the step before"},
    {"ratio", "1", NULL, FIELD(Contact, ratio), "|friction| / (mu normal), instantaneous"},
    {"ratio_mean", "1", NULL, FIELD(Contact, ratio_mean), "the same of the means"},
    {"margin", "N", NULL, FIELD(Contact, is.margin), "mu normal - |friction|"}};

static const Line ENERGY[] = {
    {"kinetic", "J", NULL, FIELD(BrEnergy, kinetic), "of all bodies"},
    {"potential", "J", NULL, FIELD(BrEnergy, potential),
     "of gravity: minus the sum of mass times gravity times position"},
    {"stored", "J", NULL, FIELD(BrEnergy, stored), "in springs"},
    {"work", "J", NULL, FIELD(BrEnergy, work), "put in since t = 0 by forces, motors and motions"},
    {"dissipated", "J", NULL, FIELD(BrEnergy, dissipated),
     "taken out since t = 0 by dampers, contacts and dry friction"},
    {"defect", "J", NULL, FIELD(BrEnergy, defect),
     "kinetic + potential + stored + dissipated - work - the initial energy"}};

typedef struct Certificate {
    double position_residual, velocity_residual, contact_residual, contacts, uncertified_steps, reading;
} Certificate;

static const Line CERTIFICATE[] = {
    {"position_residual", "m", NULL, FIELD(Certificate, position_residual),
     "largest constraint violation since the row before, m or rad"},
    {"velocity_residual", "m/s", NULL, FIELD(Certificate, velocity_residual), "the same of its rate, m/s or rad/s"},
    {"contact_residual", "m/s", NULL, FIELD(Certificate, contact_residual),
     "natural map of the contact problem, worst contact"},
    {"contacts", "1", NULL, FIELD(Certificate, contacts), "closed contacts"},
    {"uncertified_steps", "1", NULL, FIELD(Certificate, uncertified_steps),
     "steps so far that stopped short of the tolerance"},
    {"reading", "1", NULL, FIELD(Certificate, reading),
     "0: forces and accelerations of this row are certified; 1: they stopped short of the tolerance"}};

static const Line TIME[] = {{"time", "s", NULL, 0, 1, "time"}};

/* ------------------------------------------------------------------ the walk */

typedef struct Walk {
    const BrModel *model;
    BriChannels *channels; /* to be made, */
    const BrAllocator *allocator;
    bool fine;
    const BriMoment *moment; /* or of which a row is filled: */
    double *row;
} Walk;

/* Where channels belong. */
typedef struct Owner {
    const char *group, *name;
    const char *label; /* how CSV calls it, if not by its name; NULL */
    const char *part;  /* of several coordinates: which; NULL */
    bool turns;        /* its coordinate is an angle */
} Owner;

static void list(Walk *w, const Owner *owner, const Line *line) {
    BriChannels *c = w->channels;
    w->fine = w->fine && bri_grow(w->allocator, (void **)&c->channel, c->count, &c->capacity, sizeof *c->channel);
    if (!w->fine) return;
    BriChannel *channel = &c->channel[c->count++];
    const char *unit = owner->turns && line->turning ? line->turning : line->unit;
    *channel = (BriChannel){.unit = unit, .help = line->help, .width = line->width, .offset = c->width};
    snprintf(channel->group, sizeof channel->group, "%s%s%s", owner->group, *owner->name ? "/" : "", owner->name);
    snprintf(channel->name, sizeof channel->name, "%s%s%.20s", line->name, owner->part ? "_" : "",
             owner->part ? owner->part : "");
    snprintf(channel->owner, sizeof channel->owner, "%s", owner->label ? owner->label : "");
    c->width += line->width;
}

/* The channels of one owner: into the list, or their numbers from its reading into the row. */
static void give(Walk *w, Owner owner, const Line *lines, int count, const void *reading) {
    for (int i = 0; i < count; i++) {
        if (!w->moment) {
            list(w, &owner, &lines[i]);
            continue;
        }
        memcpy(w->row, (const char *)reading + lines[i].at, (size_t)lines[i].width * sizeof *w->row);
        w->row += lines[i].width;
    }
}

static void walk_bodies(Walk *w) {
    for (int i = 0; i < br_model_body_count(w->model); i++) {
        BrBodyId id = br_model_body(w->model, i);
        const BrBodyDef *def = br_body_def(w->model, id);
        Body body;
        if (def->kind == BR_BODY_FIXED) continue;
        if (w->moment) {
            br_body_pose(w->model, w->moment->state, id, &body.pose);
            br_body_twist(w->model, w->moment->state, id, &body.twist);
            br_body_acceleration(w->model, w->moment->workspace, id, &body.rate);
        }
        give(w, (Owner){.group = "bodies", .name = def->name}, BODY, BRI_COUNT(BODY), &body);
    }
}

static void walk_joints(Walk *w) {
    for (int k = 0; k < br_model_joint_count(w->model); k++) {
        BrJointId id = br_model_joint(w->model, k);
        const BrJointDef *def = br_joint_def(w->model, id);
        const BrJointInfo *info = br_joint_info(def->type);
        double position[3] = {0}, velocity[3] = {0};
        Joint joint;
        if (w->moment) {
            br_joint_position(w->model, w->moment->state, id, position, velocity);
            br_joint_reaction(w->model, w->moment->workspace, id, &joint.world, &joint.joint);
            br_joint_reaction_mean(w->model, w->moment->workspace, id, &joint.mean);
        }
        Owner owner = {.group = "joints", .name = def->name};
        for (int c = 0; c < info->coordinates; c++) {
            Coordinate coordinate = {position[c], velocity[c]};
            owner.part = info->coordinates > 1 ? info->coordinate[c].name : NULL;
            owner.turns = strcmp(info->coordinate[c].unit, "rad") == 0;
            give(w, owner, COORDINATE, BRI_COUNT(COORDINATE), &coordinate);
        }
        owner.part = NULL;
        give(w, owner, JOINT, BRI_COUNT(JOINT), &joint);
    }
}

/* Is a spring or a drive on an angle? */
static bool is_angular(const BrModel *model, BrJointId joint, int coordinate) {
    const BrJointDef *def = br_joint_def(model, joint);
    return def && strcmp(br_joint_info(def->type)->coordinate[coordinate].unit, "rad") == 0;
}

static void walk_springs(Walk *w) {
    for (int k = 0; k < br_model_spring_count(w->model); k++) {
        BrSpringId id = br_model_spring(w->model, k);
        const BrSpringDef *def = br_spring_def(w->model, id);
        Spring s;
        if (w->moment) br_spring_force(w->model, w->moment->state, id, &s.length, &s.rate, &s.tension);
        Owner owner = {
            .group = "springs", .name = def->name, .turns = is_angular(w->model, def->joint, def->coordinate)};
        give(w, owner, SPRING, BRI_COUNT(SPRING), &s);
    }
}

/* Motors, and the motions that drive joints. */
static void walk_drives(Walk *w) {
    for (int k = 0; k < br_model_motor_count(w->model); k++) {
        BrMotorId id = br_model_motor(w->model, k);
        const BrMotorDef *def = br_motor_def(w->model, id);
        Motor motor;
        if (w->moment) {
            br_motor_target(w->model, w->moment->state, id, &motor.target, &motor.most);
            br_motor_effort(w->model, w->moment->workspace, id, &motor.effort);
        }
        Owner owner = {
            .group = "motors", .name = def->name, .turns = is_angular(w->model, def->joint, def->coordinate)};
        give(w, owner, MOTOR, BRI_COUNT(MOTOR), &motor);
    }
    for (int k = 0; k < br_model_motion_count(w->model); k++) {
        BrMotionId id = br_model_motion(w->model, k);
        const BrMotionDef *def = br_motion_def(w->model, id);
        double effort = 0;
        if (def->joint.index1 == 0) continue;
        if (w->moment) br_motion_effort(w->model, w->moment->workspace, id, &effort);
        Owner owner = {
            .group = "motions", .name = def->name, .turns = is_angular(w->model, def->joint, def->coordinate)};
        give(w, owner, MOTION, BRI_COUNT(MOTION), &effort);
    }
}

/* ------------------------------------------------------------------ contacts */

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

/* "wheel/ground.0": a place after its bodies, and its number among all of these two. */
static void name_slot(const BriChannels *c, int number, char label[160]) {
    const BrModel *model = c->model;
    const BriSlotOfContact *slot = &c->slot[number];
    const char *a = br_body_def(model, br_shape_def(model, slot->shape_a)->body)->name;
    const char *b = br_body_def(model, br_shape_def(model, slot->shape_b)->body)->name;
    int same = 0;
    for (int i = 0; i < number; i++) {
        const BriSlotOfContact *other = &c->slot[i];
        same += br_shape_def(model, other->shape_a)->body.index1 == br_shape_def(model, slot->shape_a)->body.index1 &&
                br_shape_def(model, other->shape_b)->body.index1 == br_shape_def(model, slot->shape_b)->body.index1;
    }
    snprintf(label, 160, "%s/%s.%d", b, a, same);
}

static double divide(double a, double b) { return b > 0 ? a / b : 0; }

/* The contact that stands at a place: its number, or -1 and an open one. */
static int read_slot(const BrModel *model, const BrWorkspace *w, const BriSlotOfContact *slot, Contact *contact) {
    int count = br_contact_count(model, w), found = -1;
    BrContact *c = &contact->is;
    for (int k = 0, seen = 0; k < count && found < 0; k++) {
        br_contact(model, w, k, c);
        if (c->shape_a.index1 == slot->shape_a.index1 && c->shape_b.index1 == slot->shape_b.index1 &&
            seen++ == slot->number)
            found = k;
    }
    if (found < 0) *c = (BrContact){.mode = BR_CONTACT_OPEN};
    contact->mode = (double)c->mode;
    contact->normal = bri_column(&c->frame, 0);
    contact->ratio = divide(bri_norm(c->friction_force), c->mu * c->normal_force);
    contact->ratio_mean = divide(bri_norm(c->friction_force_mean), c->mu * c->normal_force_mean);
    return found;
}

/* Do laws before this one call something the same? */
static bool is_listed(int law, const char *name) {
    for (int i = 0; i < law; i++)
        for (int k = 0; k < br_law_info(i)->memories; k++)
            if (strcmp(br_law_info(i)->memory[k].name, name) == 0) return true;
    return false;
}

/* What laws remember, of all laws alike: runs of one scene with different laws have the same channels. */
static void walk_memory(Walk *w, Owner owner, int contact) {
    for (int i = 0; i < br_law_count(); i++)
        for (int k = 0; k < br_law_info(i)->memories; k++) {
            const BrLawMemory *m = &br_law_info(i)->memory[k];
            Line line = {m->name, *m->unit ? m->unit : "1", NULL, 0, m->tangent ? 3 : 1, m->help};
            double value[3] = {0};
            if (m->latch || is_listed(i, m->name)) continue;
            if (contact >= 0) br_contact_memory(w->model, w->moment->workspace, contact, m->name, value);
            give(w, owner, &line, 1, value);
        }
}

static void walk_contacts(Walk *w, const BriChannels *channels) {
    for (int k = 0; k < channels->slots; k++) {
        char number[16], label[160] = "";
        Contact contact;
        int found = -1;
        snprintf(number, sizeof number, "%d", k);
        if (w->moment)
            found = read_slot(w->model, w->moment->workspace, &channels->slot[k], &contact);
        else
            name_slot(channels, k, label);
        Owner owner = {.group = "contacts", .name = number, .label = label};
        give(w, owner, CONTACT, BRI_COUNT(CONTACT), &contact);
        walk_memory(w, owner, found);
    }
}

/* ------------------------------------------------------------------ all of them */

static void walk(Walk *w, const BriChannels *channels) {
    const BriMoment *now = w->moment;
    double time = now ? br_state_time(now->state) : 0;
    BrEnergy energy;
    Certificate certificate;
    if (now) {
        br_state_energy(w->model, now->state, &energy);
        certificate = (Certificate){.position_residual = now->worst->position_residual,
                                    .velocity_residual = now->worst->velocity_residual,
                                    .contact_residual = now->worst->contact_residual,
                                    .contacts = br_contact_count(w->model, now->workspace),
                                    .uncertified_steps = (double)now->uncertified,
                                    .reading = now->reading > 0};
    }
    give(w, (Owner){.group = "", .name = ""}, TIME, BRI_COUNT(TIME), &time);
    walk_bodies(w);
    walk_joints(w);
    walk_springs(w);
    walk_drives(w);
    walk_contacts(w, channels);
    give(w, (Owner){.group = "energy", .name = ""}, ENERGY, BRI_COUNT(ENERGY), &energy);
    give(w, (Owner){.group = "certificate", .name = ""}, CERTIFICATE, BRI_COUNT(CERTIFICATE), &certificate);
}

BrStatus bri_channels_make(const BrModel *model, const BrAllocator *allocator, BriChannels *channels, BrError *error) {
    *channels = (BriChannels){.model = model};
    Walk w = {.model = model, .channels = channels, .allocator = allocator, .fine = true};
    find_slots(model, channels);
    walk(&w, channels);
    if (w.fine) return BR_OK;
    bri_channels_release(channels, allocator);
    return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for the list of channels");
}

void bri_channels_release(BriChannels *channels, const BrAllocator *allocator) {
    bri_release(allocator, channels->channel);
    *channels = (BriChannels){0};
}

void bri_channels_fill(const BriChannels *channels, const BriMoment *moment, double *row) {
    Walk w = {.model = channels->model, .moment = moment, .row = row};
    walk(&w, channels);
}
