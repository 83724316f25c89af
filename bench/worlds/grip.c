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

/* At a speed from 0.5 to 1.3 s, at rest before 0.2 s and after 1.6 s. */
static void drive(World *world, int motor, double speed) {
    if (world->failed) return;
    world->motor[motor] = (WorldMotor){.joint = world->motor[motor].joint,
                                       .effort = TORQUE,
                                       .points = 4,
                                       .time = {0.2, 0.5, 1.3, 1.6},
                                       .speed = {0, speed, speed, 0}};
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
    WorldFrame box = WORLD_ORIGIN;
    world->mu = 0.5;
    world_add_plane(world, world_vec(0, 0, TABLE), world_vec(0, 0, 1));
    world_add_arm(world, TORQUE, world_vec(REACH, 0, 0.7));
    drive(world, 0, LIFTING);
    drive(world, 2, -LIFTING); /* the forearm rises, */
    drive(world, 4, LIFTING);  /* the hand stays level */
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
