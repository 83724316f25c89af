/* heaps.c: many balls: heaps that settle in a box of planes, and a drum that turns. */
#include "families.h"
#include "make.h"

#include <stdint.h>

static const double RADIUS = 0.05, CELL = 0.11; /* m; the balls' density is 1000 kg/m^3 */
static const double DRUM_RADIUS = 0.4, DRUM_HALF_LENGTH = 0.1, DRUM_THICK = 0.05, DRUM_SPEED = 2; /* m, rad/s */
static const double PEBBLE = 0.03;                                                                /* m */
enum { STAVES = 16, PEBBLE_ROWS = 7, PEBBLE_LAYERS = 3 };

static double find_overlap(const World *world, const WorldFrame *now, double time) {
    (void)time;
    return world_overlap(world, now);
}

static double find_mass(double radius) { return 1000 * 4.0 / 3 * WORLD_PI * radius * radius * radius; }

/* ------------------------------------------------------------------ heaps */

/* -0.5 to 0.5; a generator of its own, so that every engine on every machine has the same heap. */
static double draw(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 16777216.0 - 0.5;
}

static void make_heap(World *world, int side) {
    double half = 0.5 * CELL * side;
    uint32_t seed = 12345;
    world->mu = 0.5;
    world_add_floor(world);
    for (int k = 0; k < 4; k++) {
        WorldVec inwards = world_vec(k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0, 0);
        world_add_plane(world, world_times(-half, inwards), inwards);
    }
    for (int k = 0; k < side; k++)
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++) {
                double x = CELL * (i + 0.5) - half + 0.008 * draw(&seed);
                double y = CELL * (j + 0.5) - half + 0.008 * draw(&seed);
                world_add_sphere(world, find_mass(RADIUS), RADIUS, world_vec(x, y, 0.06 + CELL * k));
            }
}

static void make_1000(World *world) { make_heap(world, 10); }
static void make_8000(World *world) { make_heap(world, 20); }

/* The walls are planes of the ground, the first of them the floor. */
static bool is_contained(const World *world, const WorldFrame *now) {
    for (int s = 0; s < world->shapes; s++) {
        if (world->shape[s].kind != WORLD_PLANE) continue;
        WorldVec n = world_column(&world->shape[s].place, 2);
        for (int i = 0; i < world->bodies; i++)
            if (!(world_dot(world_minus(now[i].at, world->shape[s].place.at), n) > -0.1)) return false;
    }
    return true;
}

const WorldInfo WORLD_HEAP_1000 = {
    .name = "heap-1000",
    .title = "1000 balls settle in a box, mu 0.5, 2 s, the last quarter timed",
    .error_of = "deepest overlap at the end",
    .claim = "none is lost",
    .always = true,
    .dt = 2e-3,
    .warm = 750,
    .steps = 250,
    .quick_warm = 100,
    .quick_steps = 20,
    .watch = 0,
    .make = make_1000,
    .error = find_overlap,
    .holds = is_contained,
};
const WorldInfo WORLD_HEAP_8000 = {
    .name = "heap-8000",
    .title = "8000 balls settle in a box, mu 0.5, 2 s, the last 0.1 s timed",
    .error_of = "deepest overlap at the end",
    .claim = "none is lost",
    .always = true,
    .dt = 2e-3,
    .warm = 950,
    .steps = 50,
    .quick_warm = 20,
    .quick_steps = 5,
    .watch = 0,
    .make = make_8000,
    .error = find_overlap,
    .holds = is_contained,
};

/* ------------------------------------------------------------------ drum */

/* Staves in a ring about y, on a hinge, driven. */
static void add_drum(World *world) {
    double middle = DRUM_RADIUS + DRUM_THICK / 2;
    double mass = 20, i = mass * middle * middle;
    WorldBody body = {.mass = mass, .inertia = {i / 2, i, i / 2}, .start = WORLD_ORIGIN};
    int drum = world_add_body(world, body);
    double wide = 2 * (DRUM_RADIUS + DRUM_THICK) * tan(WORLD_PI / STAVES);
    for (int k = 0; k < STAVES; k++) {
        WorldShape stave = {.kind = WORLD_BOX, .body = drum, .size = {wide, 2 * DRUM_HALF_LENGTH, DRUM_THICK}};
        WorldFrame turn = world_frame(world_vec(0, 0, 0), world_vec(0, 1, 0), 2 * WORLD_PI * k / STAVES);
        WorldFrame out = WORLD_ORIGIN;
        out.at = world_vec(0, 0, -middle);
        stave.place = world_chain(&turn, &out);
        world_add_shape(world, stave);
    }
    int hinge = world_add_joint(world, WORLD_REVOLUTE, WORLD_GROUND, drum, world_vec(0, 0, 0), world_vec(0, 1, 0));
    int motor = world_add_motor(world, hinge, 1000, 0);
    if (world->failed) return;
    world->motor[motor].points = 2;
    world->motor[motor].time[1] = 0.5;
    world->motor[motor].speed[1] = DRUM_SPEED;
}

static void make_drum(World *world) {
    world->mu = 0.4;
    add_drum(world);
    world_add_plane(world, world_vec(0, -DRUM_HALF_LENGTH, 0), world_vec(0, 1, 0));
    world_add_plane(world, world_vec(0, DRUM_HALF_LENGTH, 0), world_vec(0, -1, 0));
    for (int row = 0; row < PEBBLE_ROWS; row++)
        for (int column = -4; column <= 4; column++)
            for (int layer = 0; layer < PEBBLE_LAYERS; layer++) {
                double x = 0.065 * column + 0.005 * (row % 2), z = -0.36 + 0.065 * row, y = 0.065 * (layer - 1);
                if (sqrt(x * x + z * z) < DRUM_RADIUS - PEBBLE - 0.01)
                    world_add_sphere(world, find_mass(PEBBLE), PEBBLE, world_vec(x, y, z));
            }
}

static bool is_in_drum(const World *world, const WorldFrame *now) {
    for (int i = 1; i < world->bodies; i++)
        if (!(sqrt(now[i].at.x * now[i].at.x + now[i].at.z * now[i].at.z) < DRUM_RADIUS + DRUM_THICK)) return false;
    return true;
}

const WorldInfo WORLD_DRUM = {
    .name = "drum",
    .title = "balls in a drum that a motor turns at 2 rad/s, mu 0.4, 4 s, the last half timed",
    .error_of = "deepest overlap",
    .claim = "none is lost",
    .always = true,
    .dt = 2e-3,
    .warm = 1000,
    .steps = 1000,
    .quick_warm = 50,
    .quick_steps = 50,
    .watch = 100,
    .make = make_drum,
    .error = find_overlap,
    .holds = is_in_drum,
};
