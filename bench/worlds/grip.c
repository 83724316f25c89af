/* grip.c: an arm of six hinges lifts a box from a table between two fingers, turns, and holds it. The joints are driven at
 * speeds, with torques that are large but bounded; the fingers press with bounded force. One of them stands at the end of
 * its way and presses harder than the other, so that where the box is held is not left to chance: the box must not move
 * in the hand. Eight contacts, twelve on the table. */
#include "families.h"
#include "make.h"

static const double TORQUE = 400, PRESS = 40, PRESS_STOPPED = 60;           /* N m, N */
static const double TABLE = 0.55, REACH = 0.6;                              /* m: height, distance of the hand */
static const WorldVec BOX = {0.06, 0.06, 0.1}, FINGER = {0.04, 0.02, 0.06}; /* m */
static const double LIFTING = 0.3;                                          /* rad/s */
enum { HAND = 5, LEFT, RIGHT, HELD };

/* One link of the arm: a rod between two places, hung on the link before by a hinge. */
static int add_link(World *world, int parent, double mass, WorldVec from, WorldVec to, WorldVec axis, double speed) {
    WorldVec way = world_minus(to, from);
    double length = world_length(way), across = mass * (length * length + 0.02) / 12; /* as thick as a decimetre */
    WorldBody rod = {.mass = mass, .inertia = {across, across, mass * 0.02 / 12}, .group = 1};
    rod.start = world_facing(world_times(0.5, world_sum(from, to)), world_times(1 / length, way));
    int body = world_add_body(world, rod);
    int hinge = world_add_joint(world, WORLD_REVOLUTE, parent, body, from, axis);
    int motor = world_add_motor(world, hinge, TORQUE, 0);
    if (world->failed || speed == 0) return body;
    world->motor[motor] = (WorldMotor){hinge, TORQUE, 4, {0.2, 0.5, 1.3, 1.6}, {0, speed, speed, 0}};
    return body;
}

static void add_finger(World *world, double side, double press) {
    WorldFrame start = WORLD_ORIGIN;
    start.at = world_vec(REACH, side * (BOX.y + FINGER.y) / 2, TABLE + 0.06);
    int finger = world_add_box(world, 0.2, FINGER, start);
    int slide = world_add_joint(world, WORLD_PRISMATIC, HAND, finger, start.at, world_vec(0, -side, 0));
    world_add_motor(world, slide, press, 0.05);
    if (world->failed) return;
    world->body[finger].group = 1;
    if (side < 0) world->joint[slide].upper = 0; /* it stands at the end of its way */
}

static void make_grip(World *world) {
    WorldVec x = world_vec(1, 0, 0), y = world_vec(0, 1, 0), z = world_vec(0, 0, 1);
    WorldVec shoulder = world_vec(0, 0, 0.4), elbow = world_vec(0, 0, 1), wrist = world_vec(REACH, 0, 1);
    WorldVec forearm = world_vec(0.4, 0, 1), flange = world_vec(REACH, 0, 0.9), palm = world_vec(REACH, 0, 0.7);
    WorldFrame box = WORLD_ORIGIN;
    world->mu = 0.5;
    world_add_plane(world, world_vec(0, 0, TABLE), z);
    int link = add_link(world, WORLD_GROUND, 8, world_vec(0, 0, 0.2), shoulder, z, LIFTING); /* the arm turns */
    link = add_link(world, link, 6, shoulder, elbow, y, 0);
    link = add_link(world, link, 4, elbow, forearm, y, -LIFTING); /* the forearm rises */
    link = add_link(world, link, 2, forearm, wrist, x, 0);
    link = add_link(world, link, 1, wrist, flange, y, LIFTING); /* the hand stays level */
    add_link(world, link, 1, flange, palm, z, 0);
    add_finger(world, 1, PRESS);
    add_finger(world, -1, PRESS_STOPPED);
    box.at = world_vec(REACH, 0, TABLE + BOX.z / 2);
    world_add_box(world, 1, BOX, box);
}

/* How far the box has moved in the hand. */
static double find_slip(const World *world, const WorldFrame *now, double time) {
    WorldVec was = world_into(&world->body[HAND].start, world->body[HELD].start.at);
    (void)time;
    return world_length(world_minus(world_into(&now[HAND], now[HELD].at), was));
}

static bool is_held(const World *world, const WorldFrame *now) {
    return find_slip(world, now, 0) < 0.01 && now[HELD].at.z > TABLE + 0.15;
}

const WorldInfo WORLD_GRIP = {
    .name = "grip",
    .title = "an arm of six axes lifts a box between two fingers and holds it, mu 0.5, 2 s",
    .error_of = "farthest way of the box in the hand",
    .claim = "holds",
    .always = false,
    .dt = 1e-3,
    .warm = 0,
    .steps = 2000,
    .quick_warm = 0,
    .quick_steps = 300,
    .watch = 50,
    .make = make_grip,
    .error = find_slip,
    .holds = is_held,
};
