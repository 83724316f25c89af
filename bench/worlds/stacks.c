/* stacks.c: cubes upon cubes. Nothing may move: no sag, no drift. */
#include "families.h"
#include "make.h"

static const double EDGE = 0.2;     /* m */
static const double SPACING = 0.22; /* m, of the pyramid's columns: each cube stands on two */
enum { PYRAMID_BASE = 20 };

static WorldFrame place_at(double x, double z) {
    WorldFrame frame = WORLD_ORIGIN;
    frame.at = world_vec(x, 0, z);
    return frame;
}

static void make_pile_of(World *world, int count, double top_mass) {
    world->mu = 0.5;
    world_add_floor(world);
    for (int i = 0; i < count; i++)
        world_add_box(world, i + 1 == count ? top_mass : 1, world_vec(EDGE, EDGE, EDGE), place_at(0, EDGE * (i + 0.5)));
}

static void make_stack(World *world) { make_pile_of(world, 10, 1); }
static void make_top_1e3(World *world) { make_pile_of(world, 10, 1e3); }
static void make_top_1e6(World *world) { make_pile_of(world, 10, 1e6); }
static void make_tower(World *world) { make_pile_of(world, 100, 1); }

static void make_pyramid(World *world) {
    world->mu = 0.5;
    world_add_floor(world);
    for (int row = 0; row < PYRAMID_BASE; row++)
        for (int i = 0; i < PYRAMID_BASE - row; i++) {
            double x = SPACING * (i - 0.5 * (PYRAMID_BASE - row - 1));
            world_add_box(world, 1, world_vec(EDGE, EDGE, EDGE), place_at(x, EDGE * (row + 0.5)));
        }
}

static double find_way(const World *world, const WorldFrame *now, double time) {
    (void)time;
    return world_moved(world, now);
}

const WorldInfo WORLD_STACK = {
    .name = "stack",
    .title = "ten cubes upon each other, mu 0.5, 10 s",
    .error_of = "largest way of a body from its start",
    .claim = "stands",
    .always = true,
    .dt = 2e-3,
    .warm = 100,
    .steps = 4900,
    .quick_warm = 50,
    .quick_steps = 200,
    .watch = 100,
    .make = make_stack,
    .error = find_way,
    .holds = world_stands,
};
const WorldInfo WORLD_TOP_1E3 = {
    .name = "top-1e3",
    .title = "the same, the top cube 1000 times heavier",
    .error_of = "largest way of a body from its start",
    .claim = "stands",
    .always = true,
    .dt = 2e-3,
    .warm = 100,
    .steps = 4900,
    .quick_warm = 50,
    .quick_steps = 200,
    .watch = 100,
    .make = make_top_1e3,
    .error = find_way,
    .holds = world_stands,
};
const WorldInfo WORLD_TOP_1E6 = {
    .name = "top-1e6",
    .title = "the same, the top cube a million times heavier",
    .error_of = "largest way of a body from its start",
    .claim = "stands",
    .always = true,
    .dt = 2e-3,
    .warm = 100,
    .steps = 4900,
    .quick_warm = 50,
    .quick_steps = 200,
    .watch = 100,
    .make = make_top_1e6,
    .error = find_way,
    .holds = world_stands,
};
const WorldInfo WORLD_TOWER = {
    .name = "tower",
    .title = "a hundred cubes upon each other, mu 0.5, 2 s",
    .error_of = "largest way of a body from its start",
    .claim = "stands",
    .always = true,
    .dt = 2e-3,
    .warm = 100,
    .steps = 900,
    .quick_warm = 10,
    .quick_steps = 40,
    .watch = 100,
    .make = make_tower,
    .error = find_way,
    .holds = world_stands,
};
const WorldInfo WORLD_PYRAMID = {
    .name = "pyramid",
    .title = "210 cubes, 20 in the lowest row, mu 0.5, 2 s",
    .error_of = "largest way of a body from its start",
    .claim = "stands",
    .always = true,
    .dt = 2e-3,
    .warm = 100,
    .steps = 900,
    .quick_warm = 10,
    .quick_steps = 40,
    .watch = 100,
    .make = make_pyramid,
    .error = find_way,
    .holds = world_stands,
};
