/* humanoid.c: fifteen bodies on hinges with limits and ball joints fall from 0.2 m and collapse. Impacts, limits that are
 * reached, and few contacts on a tree of joints. What becomes of it is chaos; that joints stay together and nothing sinks
 * into the floor is not. */
#include "families.h"
#include "make.h"

static const double DROP = 0.2; /* m */

/* A part of the body: a capsule between two places, with `radius`. */
static int add_limb(World *world, double mass, WorldVec from, WorldVec to, double radius) {
    WorldVec way = world_minus(to, from);
    double length = world_length(way),
           across = mass * ((length + radius) * (length + radius) + 3 * radius * radius) / 12;
    WorldBody limb = {.mass = mass, .inertia = {across, across, 0.5 * mass * radius * radius}, .group = 1};
    limb.start = world_facing(world_times(0.5, world_sum(from, to)), world_times(1 / length, way));
    int body = world_add_body(world, limb);
    world_add_shape(
        world,
        (WorldShape){.kind = WORLD_CAPSULE, .body = body, .place = WORLD_ORIGIN, .radius = radius, .length = length});
    return body;
}

static int add_block(World *world, double mass, WorldVec size, WorldVec at) {
    WorldFrame start = WORLD_ORIGIN;
    start.at = at;
    int body = world_add_box(world, mass, size, start);
    if (!world->failed) world->body[body].group = 1;
    return body;
}

static int add_ball(World *world, double mass, double radius, WorldVec at) {
    int body = world_add_sphere(world, mass, radius, at);
    if (!world->failed) world->body[body].group = 1;
    return body;
}

/* A hinge about y that bends between two angles. */
static void add_hinge(World *world, int a, int b, WorldVec at, double lower, double upper) {
    int hinge = world_add_joint(world, WORLD_REVOLUTE, a, b, at, world_vec(0, 1, 0));
    if (world->failed) return;
    world->joint[hinge].lower = lower;
    world->joint[hinge].upper = upper;
}

static void add_ball_joint(World *world, int a, int b, WorldVec at) {
    world_add_joint(world, WORLD_SPHERICAL, a, b, at, world_vec(0, 0, 1));
}

/* x is forwards; `side` is 1 on the left and -1 on the right. The knee is a little bent, so that it gives way. */
static void add_leg(World *world, int pelvis, double side) {
    double y = 0.1 * side, up = DROP;
    WorldVec hip = world_vec(0, y, 0.9 + up), knee = world_vec(0.05, y, 0.5 + up), ankle = world_vec(0, y, 0.1 + up);
    int thigh = add_limb(world, 7, hip, knee, 0.06), shin = add_limb(world, 3.5, knee, ankle, 0.045);
    int foot = add_block(world, 1, world_vec(0.24, 0.09, 0.06), world_vec(0.05, y, 0.03 + up));
    add_ball_joint(world, pelvis, thigh, hip);
    add_hinge(world, thigh, shin, knee, -0.2, 2.4);
    add_hinge(world, shin, foot, ankle, -0.6, 0.6);
}

static void add_arm(World *world, int chest, double side) {
    double y = 0.24 * side, up = DROP;
    WorldVec shoulder = world_vec(0, y, 1.4 + up), elbow = world_vec(0, y, 1.1 + up);
    WorldVec wrist = world_vec(0.1, y, 0.87 + up), palm = world_vec(0.12, y, 0.8 + up);
    int upper = add_limb(world, 2.2, shoulder, elbow, 0.04), lower = add_limb(world, 1.4, elbow, wrist, 0.035);
    int hand = add_ball(world, 0.5, 0.045, palm);
    add_ball_joint(world, chest, upper, shoulder);
    add_hinge(world, upper, lower, elbow, -2.2, 0.3);
    add_hinge(world, lower, hand, wrist, -1, 1);
}

static void make_humanoid(World *world) {
    double up = DROP;
    world->mu = 0.6;
    world_add_floor(world);
    int pelvis = add_block(world, 10, world_vec(0.18, 0.28, 0.16), world_vec(0, 0, 0.98 + up));
    int chest = add_block(world, 22, world_vec(0.2, 0.34, 0.38), world_vec(0, 0, 1.28 + up));
    int head = add_ball(world, 4.5, 0.1, world_vec(0.01, 0, 1.64 + up));
    add_hinge(world, pelvis, chest, world_vec(0, 0, 1.07 + up), -0.5, 1.2);
    add_ball_joint(world, chest, head, world_vec(0, 0, 1.5 + up));
    for (int side = 1; side >= -1; side -= 2) {
        add_leg(world, pelvis, side);
        add_arm(world, chest, side);
    }
}

static double find_error(const World *world, const WorldFrame *now, double time) {
    (void)time;
    return fmax(world_joint_gap(world, now), world_overlap(world, now));
}

/* The chest has come down. */
static bool has_collapsed(const World *world, const WorldFrame *now) {
    (void)world;
    return now[1].at.z < 0.6;
}

const WorldInfo WORLD_HUMANOID = {
    .name = "humanoid",
    .title = "fifteen bodies on hinges with limits and ball joints fall 0.2 m, mu 0.6, 2 s",
    .error_of = "deepest overlap or widest joint gap",
    .claim = "collapses",
    .always = false,
    .dt = 1e-3,
    .warm = 0,
    .steps = 2000,
    .quick_warm = 0,
    .quick_steps = 400,
    .watch = 20,
    .make = make_humanoid,
    .error = find_error,
    .holds = has_collapsed,
};
