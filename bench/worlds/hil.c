/* hil.c: what a controller in the loop is given to hold: an arm of six hinges moves four blocks about a table with a crate
 * without bottom in its hand, a block in each of its cells, for ever. The arm turns to and fro, the hand turns in it and
 * rises and sinks, each with a period of its own; blocks are struck by walls, pushed by faces and by corners, turned,
 * stopped and left. Sixteen contacts on the table, up to eight of each block on walls: about thirty, and those of blocks
 * that are pushed are one problem with the motors. A cell is wider than a block is across its corners: none can jam. The
 * contacts of a step may take 300 us of a period of 1 ms. */
#include "families.h"
#include "make.h"

static const double TORQUE = 400;                           /* N m */
static const double TABLE = 0.55, REACH = 0.6;              /* m: height, distance of the hand */
static const double BLOCK = 0.06, MASS = 0.3;               /* m: edge; kg */
static const double PITCH = 0.11, WALL = 0.02;              /* m: from cell to cell, and what is between them */
static const double TALL = 0.08, ABOVE = 0.005;             /* m: of walls, and how far above the table */
static const double SLOWEST = 3, QUICK = 2, QUICKEST = 1.2; /* s: periods of the hand's turn, the arm's, the rise */
static const double TURN = 0.8, SWEEP = 0.4, RISE = 0.04;   /* rad/s: largest speeds of these */
enum { HAND = 5, BLOCKS = 4 };

/* A wall through the middle of the crate or along its edge, across x or across y. */
static void add_wall(World *world, bool across_x, int number) {
    double way = number * PITCH, length = 2 * PITCH + WALL;
    WorldFrame place = WORLD_ORIGIN;
    WorldShape wall = {.kind = WORLD_BOX, .body = HAND};
    wall.size = across_x ? world_vec(WALL, length, TALL) : world_vec(length, WALL, TALL);
    place.at = world_vec(REACH + (across_x ? way : 0), across_x ? 0 : way, TABLE + ABOVE + TALL / 2);
    if (world->failed) return;
    wall.place = world_within(&place, &world->body[HAND].start);
    world_add_shape(world, wall);
}

static void make_hil(World *world) {
    world->mu = 0.5;
    world_add_plane(world, world_vec(0, 0, TABLE), world_vec(0, 0, 1));
    world_add_arm(world, TORQUE, world_vec(REACH, 0, TABLE + ABOVE + TALL));
    for (int number = -1; number <= 1; number++) {
        add_wall(world, true, number);
        add_wall(world, false, number);
    }
    world_swing(world, 0, SWEEP, QUICK);
    world_swing(world, 2, -RISE, QUICKEST); /* the forearm rises, */
    world_swing(world, 4, RISE, QUICKEST);  /* the hand stays level, */
    world_swing(world, 5, TURN, SLOWEST);   /* and turns */
    for (int i = 0; i < BLOCKS; i++) {
        WorldFrame start = WORLD_ORIGIN;
        int row = i / 2;
        start.at = world_vec(REACH + PITCH * (i % 2 - 0.5), PITCH * (row - 0.5), TABLE + BLOCK / 2);
        world_add_box(world, MASS, world_vec(BLOCK, BLOCK, BLOCK), start);
    }
}

static double find_error(const World *world, const WorldFrame *now, double time) {
    (void)time;
    return fmax(world_overlap(world, now), world_joint_gap(world, now));
}

/* Each block is in its cell, seen from the hand, and on the table. */
static bool are_kept(const World *world, const WorldFrame *now) {
    bool kept = true;
    for (int i = HAND + 1; i < world->bodies; i++) {
        WorldVec was = world_into(&world->body[HAND].start, world->body[i].start.at);
        WorldVec way = world_minus(world_into(&now[HAND], now[i].at), was);
        kept = kept && fabs(way.x) < PITCH / 2 && fabs(way.y) < PITCH / 2 && fabs(now[i].at.z - TABLE) < BLOCK;
    }
    return kept;
}

const WorldInfo WORLD_HIL = {
    .name = "hil",
    .title = "an arm of six axes moves four blocks in a crate about a table for ever, mu 0.5, 10 s",
    .error_of = "deepest overlap or widest joint gap",
    .claim = "all are kept",
    .always = true,
    .dt = 1e-3,
    .warm = 1000,
    .steps = 9000,
    .quick_warm = 100,
    .quick_steps = 900,
    .budget = 300e-6,
    .watch = 50,
    .make = make_hil,
    .error = find_error,
    .holds = are_kept,
};
