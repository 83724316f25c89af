/* one_body.c: one body on a plane, with closed forms or a reference solution.
 *
 *   slope  a cube on a slope of 20 degrees with mu 0.5 > tan 20: it must not move
 *   slide  the same with mu 0.2, the slope turned by 45 degrees about the vertical:
 *          x(t) = x0 + d (sin 20 - mu cos 20) g t^2/2, d downhill
 *   ball   thrown without spin it slides until t1 = 2 v/(7 mu g), then rolls at 5/7 v:
 *          x(t) = v t1 - mu g t1^2/2 + 5/7 v (t - t1)
 *   wheel  a leaning disc touches with one point of its rim, slides [Peiret 2016] */
#include "families.h"
#include "make.h"

static const double EDGE = 0.2, SLOPE = 20 * WORLD_PI / 180;                              /* m, rad */
static const double BALL_RADIUS = 0.1, BALL_MASS = 2, BALL_SPEED = 1, BALL_MU = 0.4;      /* m, kg, m/s */
static const double WHEEL_RADIUS = 0.5, WHEEL_LEAN = 20 * WORLD_PI / 180, SLIDE_MU = 0.2; /* m, rad */

/* ------------------------------------------------------------------ slopes */

static void make_slope(World *world, double mu, double azimuth) {
    WorldFrame turn = world_frame(world_vec(0, 0, 0), world_vec(0, 0, 1), azimuth);
    WorldFrame lean = world_frame(world_vec(0, 0, 0), world_vec(0, 1, 0), SLOPE);
    WorldFrame start = world_chain(&turn, &lean);
    WorldVec normal = world_column(&start, 2);
    start.at = world_times(EDGE / 2, normal);
    world->mu = mu;
    world_add_plane(world, world_vec(0, 0, 0), normal);
    world_add_box(world, 1, world_vec(EDGE, EDGE, EDGE), start);
}

static void make_sticking(World *world) { make_slope(world, 0.5, 0); }
static void make_sliding(World *world) { make_slope(world, SLIDE_MU, WORLD_PI / 4); }

static double find_way(const World *world, const WorldFrame *now, double time) {
    (void)time;
    return world_moved(world, now);
}

static double find_slide_error(const World *world, const WorldFrame *now, double time) {
    const WorldFrame *start = &world->body[0].start;
    double way = 0.5 * WORLD_GRAVITY * (sin(SLOPE) - SLIDE_MU * cos(SLOPE)) * time * time;
    WorldVec right = world_sum(start->at, world_times(way, world_column(start, 0))); /* the cube's x is downhill */
    return world_length(world_minus(now[0].at, right));
}

static bool is_on_slope(const World *world, const WorldFrame *now) {
    return fabs(world_dot(now[0].at, world_column(&world->body[0].start, 2)) - EDGE / 2) < 0.01;
}

const WorldInfo WORLD_SLOPE = {
    .name = "slope",
    .title = "a cube on a slope of 20 degrees, mu 0.5, 10 s",
    .error_of = "way from its start",
    .claim = "stands",
    .always = true,
    .dt = 1e-3,
    .warm = 0,
    .steps = 10000,
    .quick_warm = 0,
    .quick_steps = 500,
    .watch = 0,
    .make = make_sticking,
    .error = find_way,
    .holds = world_stands,
};
const WorldInfo WORLD_SLIDE = {
    .name = "slide",
    .title = "a cube slides down 20 degrees, mu 0.2, azimuth 45 degrees, 2 s",
    .error_of = "distance from where it should be",
    .claim = "slides down",
    .always = true,
    .dt = 1e-3,
    .warm = 0,
    .steps = 2000,
    .quick_warm = 0,
    .quick_steps = 500,
    .watch = 0,
    .make = make_sliding,
    .error = find_slide_error,
    .holds = is_on_slope,
};

/* ------------------------------------------------------------------ ball */

static void make_ball(World *world) {
    world->mu = BALL_MU;
    world_add_floor(world);
    int ball = world_add_sphere(world, BALL_MASS, BALL_RADIUS, world_vec(0, 0, BALL_RADIUS));
    if (!world->failed) world->body[ball].velocity = world_vec(BALL_SPEED, 0, 0);
}

static double find_ball_error(const World *world, const WorldFrame *now, double time) {
    double rolls_at = 2 * BALL_SPEED / (7 * BALL_MU * WORLD_GRAVITY), slides = fmin(time, rolls_at);
    double way = BALL_SPEED * slides - 0.5 * BALL_MU * WORLD_GRAVITY * slides * slides;
    way += 5.0 / 7 * BALL_SPEED * (time - slides);
    WorldVec right = world_sum(world->body[0].start.at, world_vec(way, 0, 0));
    return world_length(world_minus(now[0].at, right));
}

static bool rolls_on_floor(const World *world, const WorldFrame *now) {
    (void)world;
    return fabs(now[0].at.z - BALL_RADIUS) < 0.01;
}

const WorldInfo WORLD_BALL = {
    .name = "ball",
    .title = "a ball thrown without spin slides, then rolls; mu 0.4, 2 s",
    .error_of = "distance from where it should be",
    .claim = "rolls",
    .always = true,
    .dt = 1e-3,
    .warm = 0,
    .steps = 2000,
    .quick_warm = 0,
    .quick_steps = 500,
    .watch = 0,
    .make = make_ball,
    .error = find_ball_error,
    .holds = rolls_on_floor,
};

/* ------------------------------------------------------------------ wheel */

static void make_wheel(World *world) {
    WorldVec x = world_vec(1, 0, 0);
    WorldBody body = {.mass = 1, .inertia = {0.3, 0.6, 0.3}, .velocity = {6, 0, 0}, .spin = {0, 0, -2}}; /* axle: y */
    body.start = world_frame(world_vec(0, 0, WHEEL_RADIUS * cos(WHEEL_LEAN)), x, WHEEL_LEAN);
    world->mu = 0.3;
    world_add_floor(world);
    WorldShape rim = {.kind = WORLD_DISC, .radius = WHEEL_RADIUS};
    rim.body = world_add_body(world, body);
    rim.place = world_facing(world_vec(0, 0, 0), world_vec(0, 1, 0));
    world_add_shape(world, rim);
}

/* After 1 s: event-driven integration with the contact kept closed; it slides all the while. */
static double find_wheel_error(const World *world, const WorldFrame *now, double time) {
    (void)world, (void)time;
    return world_length(world_minus(now[0].at, world_vec(4.580594171, -0.047405372, 0.301373759)));
}

static bool is_on_rim(const World *world, const WorldFrame *now) { return world_overlap(world, now) < 0.01; }

const WorldInfo WORLD_WHEEL = {
    .name = "wheel",
    .title = "a leaning wheel slides on one point of its rim, mu 0.3, 1 s",
    .error_of = "distance from where it should be",
    .claim = "keeps to its rim",
    .always = true,
    .dt = 1e-3,
    .warm = 0,
    .steps = 1000,
    .quick_warm = 0,
    .quick_steps = 1000,
    .watch = 0,
    .make = make_wheel,
    .error = find_wheel_error,
    .holds = is_on_rim,
};
