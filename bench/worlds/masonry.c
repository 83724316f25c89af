/* masonry.c: what stands only because friction holds it. Nothing may move.
 *
 *   cards  a house of cards of three storeys: six, four and two cards lean on each other, with cards across; edges on faces
 *   arch   a half circle of wedges, a third as thick as wide. A wedge is two plates whose outer faces are its sides. */
#include "families.h"
#include "make.h"

static const double CARD = 0.2, CARD_THICK = 0.004, CARD_WIDE = 0.12, CARD_MASS = 0.05, LEAN = 20 * WORLD_PI / 180;
static const double INNER = 0.5, OUTER = 0.7, DEEP = 0.2, PLATE = 0.02, DENSITY = 2000; /* m, kg/m^3 */
enum { WEDGES = 9, STOREYS = 3 };

static double find_way(const World *world, const WorldFrame *now, double time) {
    (void)time;
    return world_moved(world, now);
}

/* ------------------------------------------------------------------ cards */

/* Two cards that meet with an upper edge above x, feet on z. The edges that touch are their inner upper ones, which lie
 * outermost towards each other; what stands highest are the outer upper ones. */
static void add_pair(World *world, double x, double z) {
    double half = 0.5 * (CARD * sin(LEAN) + CARD_THICK * cos(LEAN));
    double up = 0.5 * (CARD * cos(LEAN) + CARD_THICK * sin(LEAN));
    for (int side = -1; side <= 1; side += 2) {
        WorldFrame start = world_frame(world_vec(x + side * half, 0, z + up), world_vec(0, 1, 0), -side * LEAN);
        world_add_box(world, CARD_MASS, world_vec(CARD_THICK, CARD_WIDE, CARD), start);
    }
}

static void make_cards(World *world) {
    double high = CARD * cos(LEAN) + CARD_THICK * sin(LEAN);
    double apart = 2 * (CARD * sin(LEAN) + CARD_THICK * cos(LEAN)) + 0.01; /* of two pairs: feet leave a centimetre */
    world->mu = 0.6;
    world_add_floor(world);
    for (int storey = 0; storey < STOREYS; storey++) {
        int pairs = STOREYS - storey;
        double z = storey * (high + CARD_THICK), first = -0.5 * apart * (pairs - 1);
        for (int i = 0; i < pairs; i++) add_pair(world, first + apart * i, z);
        for (int i = 0; i + 1 < pairs; i++) {
            WorldFrame across = WORLD_ORIGIN;
            across.at = world_vec(first + apart * (i + 0.5), 0, z + high + CARD_THICK / 2);
            world_add_box(world, CARD_MASS, world_vec(apart - 0.001, CARD_WIDE, CARD_THICK), across);
        }
    }
}

const WorldInfo WORLD_CARDS = {
    .name = "cards",
    .title = "a house of fifteen cards, three storeys, mu 0.6, 2 s",
    .error_of = "largest way of a body from its start",
    .claim = "stands",
    .always = true,
    .dt = 1e-3,
    .warm = 100,
    .steps = 1900,
    .quick_warm = 50,
    .quick_steps = 200,
    .watch = 100,
    .make = make_cards,
    .error = find_way,
    .holds = world_stands,
};

/* ------------------------------------------------------------------ arch */

/* A ring segment about y between two angles, its centre of mass where that of the ring segment is; the body's x points
 * outwards, its z along the arch. */
static void add_wedge(World *world, double middle, double angle) {
    double area = 0.5 * angle * (OUTER * OUTER - INNER * INNER), s = sin(angle / 2), c = cos(angle / 2);
    double centre =
        2.0 / 3 * (OUTER * OUTER * OUTER - INNER * INNER * INNER) * 2 * s / (angle * (OUTER * OUTER - INNER * INNER));
    double thick = OUTER - INNER, wide = centre * angle;
    WorldFrame outwards = world_frame(world_vec(0, 0, 0), world_vec(0, 1, 0), -middle);
    outwards.at = world_times(centre, world_column(&outwards, 0));
    int body = world_add_body(world, world_solid_box(DENSITY * area * DEEP, world_vec(thick, DEEP, wide), outwards));
    for (int side = -1; side <= 1; side += 2) {
        WorldShape plate = {.kind = WORLD_BOX, .body = body, .size = {thick, DEEP, PLATE}};
        plate.place = world_frame(world_vec(0, 0, 0), world_vec(0, 1, 0), -side * angle / 2);
        double along = 0.5 * (INNER + OUTER), inside = PLATE / 2; /* of the face's middle, from the arch's centre */
        plate.place.at = world_vec(along * c + inside * s - centre, 0, side * (along * s - inside * c));
        world_add_shape(world, plate);
    }
}

static void make_arch(World *world) {
    world->mu = 0.6;
    world_add_floor(world);
    for (int i = 0; i < WEDGES; i++) add_wedge(world, WORLD_PI * (i + 0.5) / WEDGES, WORLD_PI / WEDGES);
}

const WorldInfo WORLD_ARCH = {
    .name = "arch",
    .title = "a half circle of nine wedges, mu 0.6, 4 s",
    .error_of = "largest way of a body from its start",
    .claim = "stands",
    .always = true,
    .dt = 2e-3,
    .warm = 100,
    .steps = 1900,
    .quick_warm = 50,
    .quick_steps = 200,
    .watch = 100,
    .make = make_arch,
    .error = find_way,
    .holds = world_stands,
};
