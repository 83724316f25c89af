/* channels.c: see channels.h and channels_walk.h. */
#include "bristle/bushing.h"
#include "bristle/coupling.h"
#include "bristle/sensor.h"
#include "bristle/solver.h"
#include "io/channels_walk.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ tables */

typedef struct Body {
    BrPose pose, frame;
    BrTwist twist, rate;
} Body;

static const BriLine BODY[] = {
    {"position", "m", NULL, BRI_FIELD(Body, pose.position), "centre of mass, world axes"},
    {"rotation", "1", NULL, BRI_FIELD(Body, pose.rotation), "body to world, by rows"},
    {"velocity", "m/s", NULL, BRI_FIELD(Body, twist.linear), "centre of mass, world axes"},
    {"angular_velocity", "rad/s", NULL, BRI_FIELD(Body, twist.angular), "world axes"},
    {"acceleration", "m/s^2", NULL, BRI_FIELD(Body, rate.linear), "instantaneous, centre of mass, world axes"},
    {"angular_acceleration", "rad/s^2", NULL, BRI_FIELD(Body, rate.angular), "instantaneous, world axes"}};

/* Of bodies whose frame lies apart from the centre of mass. */
static const BriLine FRAME[] = {
    {"frame_position", "m", NULL, BRI_FIELD(Body, frame.position), "origin of the body's frame, world axes"}};

typedef struct Coordinate {
    double position, velocity;
} Coordinate;

static const BriLine COORDINATE[] = {
    {"position", "m", "rad", BRI_FIELD(Coordinate, position), "second body against the first"},
    {"velocity", "m/s", "rad/s", BRI_FIELD(Coordinate, velocity), "its rate"}};

typedef struct Joint {
    BrWrench world, joint, mean;
} Joint;

static const BriLine JOINT[] = {
    {"force", "N", NULL, BRI_FIELD(Joint, world.force), "instantaneous, on the second body, world axes"},
    {"torque", "N m", NULL, BRI_FIELD(Joint, world.torque), "the same, about the joint point on the first body"},
    {"force_joint", "N", NULL, BRI_FIELD(Joint, joint.force), "force in the axes of the joint frame on the first body"},
    {"torque_joint", "N m", NULL, BRI_FIELD(Joint, joint.torque),
     "torque in the axes of the joint frame on the first body"},
    {"force_mean", "N", NULL, BRI_FIELD(Joint, mean.force), "mean over the step before, world axes; 0 at the start"},
    {"torque_mean", "N m", NULL, BRI_FIELD(Joint, mean.torque), "the same, about the joint point on the first body"}};

typedef struct Grip {
    double mode, normal[2], thrust, slip, margin, heat;
} Grip;

typedef struct Spring {
    double length, rate, tension;
} Spring;

static const BriLine SPRING[] = {
    {"length", "m", "rad", BRI_FIELD(Spring, length), "length, or the joint's coordinate"},
    {"rate", "m/s", "rad/s", BRI_FIELD(Spring, rate), "its rate"},
    {"tension", "N", "N m", BRI_FIELD(Spring, tension), "positive acts to reduce the length or coordinate"}};

typedef struct Motor {
    double target, effort, power, saturated;
} Motor;

static const BriLine MOTOR_TARGETS[3] = {{"target", "m/s", "rad/s", BRI_FIELD(Motor, target), "wanted speed"},
                                         {"target", "m", "rad", BRI_FIELD(Motor, target), "wanted position"},
                                         {"target", "N", "N m", BRI_FIELD(Motor, target), "wanted effort"}};
static const BriLine MOTOR[] = {
    {"effort", "N", "N m", BRI_FIELD(Motor, effort), "instantaneous, on the second body"},
    {"power", "W", NULL, BRI_FIELD(Motor, power), "that it puts in; negative: it brakes"},
    {"saturated", "1", NULL, BRI_FIELD(Motor, saturated), "1: its effort is at the largest"}};
static const BriLine MOTION[] = {{"effort", "N", "N m", 0, 1, "instantaneous, on the second body"}};

static const BriLine BUSHING[] = {
    {"deflection", "m", NULL, BRI_FIELD(BrBushingReading, deflection),
     "of the second body's point, in the bushing's axes"},
    {"turn", "rad", NULL, BRI_FIELD(BrBushingReading, turn),
     "rotation vector of the second body, in the bushing's axes"},
    {"force", "N", NULL, BRI_FIELD(BrBushingReading, force), "on the second body at its point, in the bushing's axes"},
    {"torque", "N m", NULL, BRI_FIELD(BrBushingReading, torque), "on the second body, in the bushing's axes"}};

static const BriLine COUPLING[] = {
    {"error", "m", "rad", BRI_FIELD(BrCouplingReading, error), "what its coordinates are off by"},
    {"power", "W", NULL, BRI_FIELD(BrCouplingReading, power), "that goes from the second joint to the first"}};
static const BriLine COUPLING_EFFORT[] = {{"effort", "N", "N m", 0, 1, "instantaneous, on a joint's second body"}};

static const BriLine ENERGY[] = {
    {"kinetic", "J", NULL, BRI_FIELD(BrEnergy, kinetic), "of all bodies"},
    {"potential", "J", NULL, BRI_FIELD(BrEnergy, potential),
     "of gravity: minus the sum of mass times gravity times position"},
    {"stored", "J", NULL, BRI_FIELD(BrEnergy, stored), "in springs"},
    {"work", "J", NULL, BRI_FIELD(BrEnergy, work), "put in since t = 0 by forces, motors and motions"},
    {"dissipated", "J", NULL, BRI_FIELD(BrEnergy, dissipated),
     "taken out since t = 0 by dampers, contacts and dry friction"},
    {"defect", "J", NULL, BRI_FIELD(BrEnergy, defect),
     "kinetic + potential + stored + dissipated - work - the initial energy"}};

typedef struct Certificate {
    double position_residual, velocity_residual, contact_residual, contacts, uncertified_steps, reading, fell_back;
    double sleeping, solver, iterations, parts, corrected;
} Certificate;

static const BriLine CERTIFICATE[] = {
    {"position_residual", "m", NULL, BRI_FIELD(Certificate, position_residual),
     "largest constraint violation since the row before, m or rad"},
    {"velocity_residual", "m/s", NULL, BRI_FIELD(Certificate, velocity_residual), "the same of its rate, m/s or rad/s"},
    {"contact_residual", "m/s", NULL, BRI_FIELD(Certificate, contact_residual),
     "natural map of the contact problem, worst contact"},
    {"contacts", "1", NULL, BRI_FIELD(Certificate, contacts), "closed contacts"},
    {"uncertified_steps", "1", NULL, BRI_FIELD(Certificate, uncertified_steps),
     "steps so far that stopped short of the tolerance"},
    {"reading", "1", NULL, BRI_FIELD(Certificate, reading),
     "0: forces and accelerations of this row are certified; 1: they stopped short of the tolerance"},
    {"fell_back", "1", NULL, BRI_FIELD(Certificate, fell_back),
     "1: a step since the row before was made by timestepping instead (step.fallback)"},
    {"sleeping", "1", NULL, BRI_FIELD(Certificate, sleeping), "bodies that sleep after the last step (step.sleeping)"},
    {"solver", "1", NULL, BRI_FIELD(Certificate, solver),
     "the strongest that contacts needed since the row before: 0 none, 1 guess, 2 row, 3 cone, 4 pivoting, 5 newton, "
     "6 sweeps, 7 lemke, 8 enumeration, 9 network newton, 10 augmented, 11 network sweeps"},
    {"iterations", "1", NULL, BRI_FIELD(Certificate, iterations),
     "of all contact problems of the step since the row before that needed most"},
    {"parts", "1", NULL, BRI_FIELD(Certificate, parts),
     "most parts that a step since the row before was made in; 0: as one"},
    {"corrected", "J", NULL, BRI_FIELD(Certificate, corrected),
     "that taking back deep overlaps from before has put in since the row before; part of the defect"}};

static const BriLine TIMES[] = {
    {"step_time", "s", NULL, 0, 1, "of a processor, of the costliest step since the row before"},
    {"step_time_mean", "s", NULL, sizeof(double), 1, "the same on average"}};

static const BriLine TIME[] = {{"time", "s", NULL, 0, 1, "time"}};

/* ------------------------------------------------------------------ the walk */

static void list(BriWalk *w, const BriOwner *owner, const BriLine *line) {
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

void bri_give(BriWalk *w, BriOwner owner, const BriLine *lines, int count, const void *reading) {
    for (int i = 0; i < count; i++) {
        if (!w->moment) {
            list(w, &owner, &lines[i]);
            continue;
        }
        memcpy(w->row, (const char *)reading + lines[i].at, (size_t)lines[i].width * sizeof *w->row);
        w->row += lines[i].width;
    }
}

static void walk_bodies(BriWalk *w) {
    for (int i = 0; i < br_model_body_count(w->model); i++) {
        BrBodyId id = br_model_body(w->model, i);
        const BrBodyDef *def = br_body_def(w->model, id);
        Body body;
        if (def->kind == BR_BODY_FIXED) continue;
        if (w->moment) {
            br_body_pose(w->model, w->moment->state, id, &body.pose);
            br_body_frame(w->model, w->moment->state, id, &body.frame);
            br_body_twist(w->model, w->moment->state, id, &body.twist);
            br_body_acceleration(w->model, w->moment->workspace, id, &body.rate);
        }
        BriOwner owner = {.group = "bodies", .name = def->name};
        bri_give(w, owner, BODY, BRI_COUNT(BODY), &body);
        if (bri_has_frame(def->frame_body)) bri_give(w, owner, FRAME, BRI_COUNT(FRAME), &body);
    }
}

static const BriLine GRIP[] = {
    {"grip", "1", NULL, BRI_FIELD(Grip, mode), "friction in the bearings: 1 holds, 2 slides"},
    {"bearing_1", "N", NULL, BRI_FIELD(Grip, normal[0]), "normal force at the first bearing, or end of the guide"},
    {"bearing_2", "N", NULL, BRI_FIELD(Grip, normal[1]), "the same at the second"},
    {"thrust", "N", NULL, BRI_FIELD(Grip, thrust), "normal force on the collar"},
    {"slip", "m/s", NULL, BRI_FIELD(Grip, slip), "speed of the surfaces against each other"},
    {"margin", "N", NULL, BRI_FIELD(Grip, margin), "friction that could still act in the bearings; 0: it slides"},
    {"heat", "J", NULL, BRI_FIELD(Grip, heat), "made by friction since t = 0"}};
static const BriLine GRIP_DWELL[] = {{"dwell", "1", NULL, 0, 1, "how well the surfaces have settled, 0 to 1"}};
static const BriLine GRIP_EFFORT[] = {
    {"friction", "N", "N m", 0, 1, "friction on the second body, along the coordinate"}};
static const BriLine GRIP_TORQUE[] = {{"friction", "N m", NULL, 0, 3, "friction on the second body, world axes"}};

/* Friction in the bearings of a joint; names of a universal joint's two end as its coordinates are called. */
static void walk_grips(BriWalk *w, BrJointId id, const BrJointDef *def, const BrJointInfo *info) {
    int count = br_joint_grip_count(w->model, id);
    for (int k = 0; k < count; k++) {
        BrGrip is = {.rows = def->type == BR_JOINT_SPHERICAL ? 3 : def->type == BR_JOINT_CYLINDRICAL ? 2 : 1};
        if (w->moment) br_joint_grip(w->model, w->moment->workspace, w->moment->state, id, k, &is);
        Grip grip = {is.mode, {is.normal[0], is.normal[1]}, is.thrust, is.slip, is.margin, is.heat};
        BriOwner owner = {.group = "joints", .name = def->name, .part = count > 1 ? info->coordinate[k].name : NULL};
        bri_give(w, owner, GRIP, BRI_COUNT(GRIP), &grip);
        if (def->friction.law.info->memories > 0) bri_give(w, owner, GRIP_DWELL, 1, &is.dwell);
        if (is.rows == 3) bri_give(w, owner, GRIP_TORQUE, 1, is.effort);
        for (int r = 0; r < is.rows && is.rows < 3; r++) {
            if (is.rows > 1) owner.part = info->coordinate[r].name;
            owner.turns = strcmp(info->coordinate[r].unit, "rad") == 0;
            bri_give(w, owner, GRIP_EFFORT, 1, &is.effort[r]);
        }
    }
}

typedef struct Lasting {
    double mode;
    BrLastingContact is;
} Lasting;

static const BriLine LASTING[] = {
    {"mode", "1", NULL, BRI_FIELD(Lasting, mode), "0 open, 1 stick, 2 slip, 3 rolling"},
    {"point", "m", NULL, BRI_FIELD(Lasting, is.point), "where it touches, world"},
    {"normal", "1", NULL, BRI_FIELD(Lasting, is.normal), "from the first body to the second"},
    {"gap", "m", NULL, BRI_FIELD(Lasting, is.gap), "negative: depth of a compliant contact"},
    {"normal_force", "N", NULL, BRI_FIELD(Lasting, is.normal_force), "instantaneous"},
    {"friction_force", "N", NULL, BRI_FIELD(Lasting, is.friction_force), "on the second body, world axes"},
    {"moment", "N m", NULL, BRI_FIELD(Lasting, is.moment), "of rolling and spinning, on the second body, world axes"},
    {"slip", "m/s", NULL, BRI_FIELD(Lasting, is.slip), "of the second surface against the first"},
    {"violation", "1", NULL, BRI_FIELD(Lasting, is.violation), "norm of its seven conditions, m or 1"},
    {"heat", "J", NULL, BRI_FIELD(Lasting, is.heat), "made by friction since t = 0"}};

static void walk_lasting(BriWalk *w, BrJointId id, const BrJointDef *def) {
    Lasting lasting = {0};
    if (def->type != BR_JOINT_CONTACT) return;
    if (w->moment) br_lasting_contact(w->model, w->moment->workspace, w->moment->state, id, &lasting.is);
    lasting.mode = lasting.is.mode;
    bri_give(w, (BriOwner){.group = "joints", .name = def->name}, LASTING, BRI_COUNT(LASTING), &lasting);
}

static void walk_joints(BriWalk *w) {
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
        BriOwner owner = {.group = "joints", .name = def->name};
        for (int c = 0; c < info->coordinates; c++) {
            Coordinate coordinate = {position[c], velocity[c]};
            owner.part = info->coordinates > 1 ? info->coordinate[c].name : NULL;
            owner.turns = strcmp(info->coordinate[c].unit, "rad") == 0;
            bri_give(w, owner, COORDINATE, BRI_COUNT(COORDINATE), &coordinate);
        }
        owner.part = NULL;
        bri_give(w, owner, JOINT, BRI_COUNT(JOINT), &joint);
        walk_grips(w, id, def, info);
        walk_lasting(w, id, def);
    }
}

/* Is a spring or a drive on an angle? */
static bool is_angular(const BrModel *model, BrJointId joint, int coordinate) {
    const BrJointDef *def = br_joint_def(model, joint);
    return def && strcmp(br_joint_info(def->type)->coordinate[coordinate].unit, "rad") == 0;
}

static void walk_springs(BriWalk *w) {
    for (int k = 0; k < br_model_spring_count(w->model); k++) {
        BrSpringId id = br_model_spring(w->model, k);
        const BrSpringDef *def = br_spring_def(w->model, id);
        Spring s;
        if (w->moment) br_spring_force(w->model, w->moment->state, id, &s.length, &s.rate, &s.tension);
        BriOwner owner = {
            .group = "springs", .name = def->name, .turns = is_angular(w->model, def->joint, def->coordinate)};
        bri_give(w, owner, SPRING, BRI_COUNT(SPRING), &s);
    }
}

typedef struct Diagnosis {
    double verdict, answers, stable, unstable, held, margin, turn, move;
} Diagnosis;

static const BriLine DIAGNOSIS[] = {
    {"verdict", "1", NULL, BRI_FIELD(Diagnosis, verdict),
     "of rigid contact: 0 one answer, 1 several, 2 none, 3 a continuum, 4 not decided"},
    {"answers", "1", NULL, BRI_FIELD(Diagnosis, answers), "accelerations that rigid contact allows"},
    {"stable", "1", NULL, BRI_FIELD(Diagnosis, stable), "of them: contact that yields a little stays there"},
    {"unstable", "1", NULL, BRI_FIELD(Diagnosis, unstable), "of them: it leaves at once"},
    {"held", "1", NULL, BRI_FIELD(Diagnosis, held), "answers in which no contact slides or parts"},
    {"margin", "1", NULL, BRI_FIELD(Diagnosis, margin), "mu of Painleve's boundary less mu; NaN: not told"},
    {"turn", "rad", NULL, BRI_FIELD(Diagnosis, turn), "smallest turn of a body that leads to Painleve's boundary"},
    {"move", "m", NULL, BRI_FIELD(Diagnosis, move), "the same along the surface; NaN: not told"}};

/* Motors, and the motions that drive joints. */
static void walk_drives(BriWalk *w) {
    for (int k = 0; k < br_model_motor_count(w->model); k++) {
        BrMotorId id = br_model_motor(w->model, k);
        const BrMotorDef *def = br_motor_def(w->model, id);
        Motor motor = {0};
        if (w->moment) {
            BrMotorReading is = {0};
            br_motor_read(w->model, w->moment->workspace, w->moment->state, id, &is);
            motor = (Motor){is.target, is.effort, is.power, is.saturated};
        }
        BriOwner owner = {
            .group = "motors", .name = def->name, .turns = is_angular(w->model, def->joint, def->coordinate)};
        bool follows = def->kind == BR_MOTOR_SERVO && (def->stiffness > 0 || def->frequency > 0);
        bri_give(w, owner, &MOTOR_TARGETS[def->kind == BR_MOTOR_EFFORT ? 2 : follows], 1, &motor);
        bri_give(w, owner, MOTOR, BRI_COUNT(MOTOR), &motor);
    }
    for (int k = 0; k < br_model_motion_count(w->model); k++) {
        BrMotionId id = br_model_motion(w->model, k);
        const BrMotionDef *def = br_motion_def(w->model, id);
        double effort = 0;
        if (def->joint.index1 == 0) continue;
        if (w->moment) br_motion_effort(w->model, w->moment->workspace, id, &effort);
        BriOwner owner = {
            .group = "motions", .name = def->name, .turns = is_angular(w->model, def->joint, def->coordinate)};
        bri_give(w, owner, MOTION, BRI_COUNT(MOTION), &effort);
    }
}

static const BriLine SIGNAL[] = {{"value", "", NULL, 0, 1, "at this instant, in SI"}};

static void walk_signals(BriWalk *w) {
    for (int k = 0; k < br_model_signal_count(w->model); k++) {
        BrSignalId id = br_model_signal(w->model, k);
        double value = 0;
        if (w->moment) br_signal_value(w->model, w->moment->state, id, &value);
        bri_give(w, (BriOwner){.group = "signals", .name = br_signal_def(w->model, id)->name}, SIGNAL, 1, &value);
    }
}

static void walk_bushings(BriWalk *w) {
    for (int k = 0; k < br_model_bushing_count(w->model); k++) {
        BrBushingId id = br_model_bushing(w->model, k);
        BrBushingReading is = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        if (w->moment) br_bushing_read(w->model, w->moment->state, id, &is);
        bri_give(w, (BriOwner){.group = "bushings", .name = br_bushing_def(w->model, id)->name}, BUSHING,
                 BRI_COUNT(BUSHING), &is);
    }
}

static void walk_couplings(BriWalk *w) {
    for (int k = 0; k < br_model_coupling_count(w->model); k++) {
        BrCouplingId id = br_model_coupling(w->model, k);
        const BrCouplingDef *def = br_coupling_def(w->model, id);
        BrCouplingReading is = {0};
        if (w->moment) br_coupling_read(w->model, w->moment->workspace, w->moment->state, id, &is);
        BriOwner owner = {.group = "couplings", .name = def->name};
        bool turns[2] = {is_angular(w->model, def->joint_a, def->coordinate_a),
                         is_angular(w->model, def->joint_b, def->coordinate_b)};
        owner.turns = def->type == BR_COUPLING_GEAR && turns[0];
        bri_give(w, owner, COUPLING, BRI_COUNT(COUPLING), &is);
        owner.turns = turns[0], owner.part = "first";
        bri_give(w, owner, COUPLING_EFFORT, 1, &is.effort_a);
        owner.turns = turns[1], owner.part = "second";
        bri_give(w, owner, COUPLING_EFFORT, 1, &is.effort_b);
    }
}

static const BriLine SENSOR_POINT[] = {
    {"position", "m", NULL, BRI_FIELD(BrSensorReading, position), "of the point, world axes"},
    {"velocity", "m/s", NULL, BRI_FIELD(BrSensorReading, velocity), "of the point, world axes"},
    {"acceleration", "m/s^2", NULL, BRI_FIELD(BrSensorReading, acceleration),
     "instantaneous, of the point, world axes"}};
static const BriLine SENSOR_IMU[] = {
    {"specific_force", "m/s^2", NULL, BRI_FIELD(BrSensorReading, specific_force),
     "acceleration less gravity, in the sensor's axes"},
    {"rate", "rad/s", NULL, BRI_FIELD(BrSensorReading, rate), "angular velocity, in the sensor's axes"}};
static const BriLine SENSOR_LOAD[] = {
    {"force", "N", NULL, BRI_FIELD(BrSensorReading, force),
     "instantaneous; load cell: on the second body, in the joint's frame; contact: on the first, world axes"},
    {"torque", "N m", NULL, BRI_FIELD(BrSensorReading, torque),
     "the same; load cell: about the joint's point; contact: about the centre of pressure"}};
static const BriLine SENSOR_PLACES[] = {{"places", "1", NULL, 0, 1, "where the two bodies touch"}};

static void walk_sensors(BriWalk *w) {
    for (int k = 0; k < br_model_sensor_count(w->model); k++) {
        BrSensorId id = br_model_sensor(w->model, k);
        const BrSensorDef *def = br_sensor_def(w->model, id);
        BrSensorReading is = {.places = 0};
        if (w->moment) br_sensor_read(w->model, w->moment->workspace, w->moment->state, id, &is);
        BriOwner owner = {.group = "sensors", .name = def->name};
        double places = is.places;
        if (def->type == BR_SENSOR_POINT) bri_give(w, owner, SENSOR_POINT, BRI_COUNT(SENSOR_POINT), &is);
        if (def->type == BR_SENSOR_IMU) bri_give(w, owner, SENSOR_IMU, BRI_COUNT(SENSOR_IMU), &is);
        if (def->type == BR_SENSOR_LOAD_CELL || def->type == BR_SENSOR_CONTACT)
            bri_give(w, owner, SENSOR_LOAD, BRI_COUNT(SENSOR_LOAD), &is);
        if (def->type == BR_SENSOR_CONTACT) bri_give(w, owner, SENSOR_PLACES, 1, &places);
    }
}

static void walk_diagnosis(BriWalk *w) {
    Diagnosis diagnosis = {0};
    if (w->moment) {
        const BrScenePoint *p = w->moment->point;
        diagnosis = (Diagnosis){p->verdict, p->answers, p->stable, p->unstable, p->held, p->mu_painleve - p->mu,
                                p->turn,    p->move};
    }
    bri_give(w, (BriOwner){.group = "diagnosis", .name = ""}, DIAGNOSIS, BRI_COUNT(DIAGNOSIS), &diagnosis);
}

/* ------------------------------------------------------------------ all of them */

/* Its place in the list of `bristle solvers`, from 1; 0: none. */
static double find_solver(const char *name) {
    int number = name ? br_solver_count() : 0;
    while (number > 0 && strcmp(br_solver_info(number - 1)->name, name) != 0) number--;
    return number;
}

static void walk(BriWalk *w, const BriChannels *channels) {
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
                                    .reading = now->reading > 0,
                                    .fell_back = now->worst->fell_back,
                                    .sleeping = now->worst->sleeping,
                                    .solver = find_solver(now->worst->solver),
                                    .iterations = now->worst->solver_iterations,
                                    .parts = now->worst->parts,
                                    .corrected = now->worst->corrected};
    }
    bri_give(w, (BriOwner){.group = "", .name = ""}, TIME, BRI_COUNT(TIME), &time);
    walk_bodies(w);
    walk_joints(w);
    walk_springs(w);
    walk_drives(w);
    walk_signals(w);
    walk_bushings(w);
    walk_couplings(w);
    walk_sensors(w);
    bri_give(w, (BriOwner){.group = "energy", .name = ""}, ENERGY, BRI_COUNT(ENERGY), &energy);
    bri_give(w, (BriOwner){.group = "certificate", .name = ""}, CERTIFICATE, BRI_COUNT(CERTIFICATE), &certificate);
    if (channels->timed)
        bri_give(w, (BriOwner){.group = "certificate", .name = ""}, TIMES, BRI_COUNT(TIMES), now ? now->times : NULL);
    if (channels->diagnosed) walk_diagnosis(w);
}

BrStatus bri_channels_make(const BrModel *model, bool diagnosed, bool timed, const BrAllocator *allocator,
                           BriChannels *channels, BrError *error) {
    *channels = (BriChannels){.model = model, .diagnosed = diagnosed, .timed = timed};
    BriWalk w = {.model = model, .channels = channels, .allocator = allocator, .fine = true};
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
    BriWalk w = {.model = channels->model, .moment = moment, .row = row};
    walk(&w, channels);
}
