/* dominoes.c: tall boxes in a row; the first is struck, all fall. Impacts travel, several bodies are in contact on
 * edges while the others stand, or lie upon each other. */
#include "families.h"
#include "make.h"

static const double THICK = 0.02, WIDE = 0.06, TALL = 0.12, SPACING = 0.06, MASS = 0.15; /* m, kg */
static const double STRUCK = 3; /* rad/s about its lower front edge; from 1.8 on it goes over */

static void make_dominoes(World *world, int count) {
    world->mu = 0.4;
    world_add_floor(world);
    for (int i = 0; i < count; i++) {
        WorldFrame start = WORLD_ORIGIN;
        start.at = world_vec(SPACING * i, 0, TALL / 2);
        world_add_box(world, MASS, world_vec(THICK, WIDE, TALL), start);
    }
    if (world->failed) return;
    world->body[0].spin = world_vec(0, STRUCK, 0);
    world->body[0].velocity = world_cross(world->body[0].spin, world_vec(-THICK / 2, 0, TALL / 2));
}

static void make_20(World *world) { make_dominoes(world, 20); }
static void make_100(World *world) { make_dominoes(world, 100); }

static double find_overlap(const World *world, const WorldFrame *now, double time) {
    (void)time;
    return world_overlap(world, now);
}

/* Leaning on the next one a domino still stands at 60 degrees and more; the last lies flat. */
static bool have_fallen(const World *world, const WorldFrame *now) {
    for (int i = 0; i < world->bodies; i++)
        if (!(now[i].turn[2][2] < 0.5)) return false;
    return true;
}

const WorldInfo WORLD_DOMINOES_20 = {
    .name = "dominoes-20",
    .title = "twenty dominoes, the first struck, mu 0.4, 3 s",
    .error_of = "deepest overlap",
    .claim = "all fall",
    .always = false,
    .dt = 1e-3,
    .warm = 0,
    .steps = 3000,
    .quick_warm = 0,
    .quick_steps = 300,
    .watch = 25,
    .make = make_20,
    .error = find_overlap,
    .holds = have_fallen,
};
const WorldInfo WORLD_DOMINOES_100 = {
    .name = "dominoes-100",
    .title = "a hundred dominoes, the first struck, mu 0.4, 8 s",
    .error_of = "deepest overlap",
    .claim = "all fall",
    .always = false,
    .dt = 1e-3,
    .warm = 0,
    .steps = 8000,
    .quick_warm = 0,
    .quick_steps = 300,
    .watch = 100,
    .make = make_100,
    .error = find_overlap,
    .holds = have_fallen,
};
