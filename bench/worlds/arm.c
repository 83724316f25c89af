/* arm.c: an arm of six hinges, each with a motor, for the worlds that need a hand. */
#include "make.h"

/* One link: a rod between two places, hung on the link before by a hinge. */
static int add_link(World *world, double torque, int parent, double mass, WorldVec from, WorldVec to, WorldVec axis) {
    WorldVec way = world_minus(to, from);
    double length = world_length(way), across = mass * (length * length + 0.02) / 12; /* as thick as a decimetre */
    WorldBody rod = {.mass = mass, .inertia = {across, across, mass * 0.02 / 12}, .group = 1};
    rod.start = world_facing(world_times(0.5, world_sum(from, to)), world_times(1 / length, way));
    int body = world_add_body(world, rod);
    int hinge = world_add_joint(world, WORLD_REVOLUTE, parent, body, from, axis);
    world_add_motor(world, hinge, torque, 0);
    return body;
}

int world_add_arm(World *world, double torque, WorldVec palm) {
    WorldVec x = world_vec(1, 0, 0), y = world_vec(0, 1, 0), z = world_vec(0, 0, 1);
    WorldVec shoulder = world_vec(0, 0, 0.4), elbow = world_vec(0, 0, 1), forearm = world_vec(palm.x - 0.2, 0, 1);
    WorldVec wrist = world_vec(palm.x, 0, 1), flange = world_vec(palm.x, 0, 0.9);
    int link = add_link(world, torque, WORLD_GROUND, 8, world_vec(0, 0, 0.2), shoulder, z); /* the arm turns */
    link = add_link(world, torque, link, 6, shoulder, elbow, y);
    link = add_link(world, torque, link, 4, elbow, forearm, y); /* the forearm rises */
    link = add_link(world, torque, link, 2, forearm, wrist, x);
    link = add_link(world, torque, link, 1, wrist, flange, y); /* the hand tilts */
    return add_link(world, torque, link, 1, flange, palm, z);  /* and turns */
}

void world_swing(World *world, int motor, double swing, double period) {
    if (world->failed) return;
    world->motor[motor].swing = swing;
    world->motor[motor].period = period;
}
