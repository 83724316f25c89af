/* chain.c: a hundred links on ball joints, pinned at both ends, released from a horizontal V. Nothing touches. After 0.8 s,
 * before the whip makes it chaotic, its middle has a place that every exact integrator agrees on. */
#include "families.h"
#include "make.h"

enum { LINKS = 100, MARKS = 5 };
static const double LENGTH = 0.1, MASS = 0.1, RADIUS = 0.02, SPAN = 6; /* m, kg */

static WorldVec place_of_joint(int number) {
    double x = SPAN / LINKS, y = sqrt(LENGTH * LENGTH - x * x); /* of one link */
    return world_vec(x * number, y * (number < LINKS / 2 ? number : LINKS - number), 0);
}

static void make_chain(World *world) {
    double across = MASS * (3 * RADIUS * RADIUS + LENGTH * LENGTH) / 12;
    int last = WORLD_GROUND;
    for (int i = 0; i < LINKS; i++) {
        WorldVec a = place_of_joint(i), b = place_of_joint(i + 1);
        WorldBody link = {.mass = MASS, .inertia = {MASS * RADIUS * RADIUS / 2, across, across}};
        link.start = world_frame(world_times(0.5, world_sum(a, b)), world_vec(0, 0, 1), atan2(b.y - a.y, b.x - a.x));
        int body = world_add_body(world, link);
        world_add_joint(world, WORLD_SPHERICAL, last, body, a, world_vec(0, 0, 1));
        last = body;
    }
    world_add_joint(world, WORLD_SPHERICAL, WORLD_GROUND, last, place_of_joint(LINKS), world_vec(0, 0, 1));
}

/* Centres of every tenth link of one half after 0.8 s: rattle at 1/32 ms, extrapolated with 1/16 ms; good to 1e-10 m. */
static const struct {
    int link;
    WorldVec at; /* m */
} MARK[MARKS] = {
    {9, {0.286530352041, 0.381830819113, -0.821260276368}}, {19, {0.620485380509, 0.82629533796, -1.65175300969}},
    {29, {1.19379098056, 1.13861146116, -2.40187781819}},   {39, {1.98290020112, 1.31346198989, -2.98326518383}},
    {49, {2.95000563895, 1.412431025, -3.13747450755}},
};

static double find_error(const World *world, const WorldFrame *now, double time) {
    double most = world_joint_gap(world, now);
    (void)time;
    for (int i = 0; i < MARKS; i++) most = fmax(most, world_length(world_minus(now[MARK[i].link].at, MARK[i].at)));
    return most;
}

static bool hangs_together(const World *world, const WorldFrame *now) { return world_joint_gap(world, now) < 0.1; }

const WorldInfo WORLD_CHAIN = {
    .name = "chain",
    .title = "a hundred links on ball joints, both ends pinned, released; 0.8 s",
    .error_of = "largest distance of a link from where it should be, or joint gap",
    .claim = "hangs together",
    .always = true,
    .dt = 1e-3,
    .warm = 0,
    .steps = 800,
    .quick_warm = 0,
    .quick_steps = 800,
    .watch = 0,
    .make = make_chain,
    .error = find_error,
    .holds = hangs_together,
};
