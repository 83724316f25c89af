/* test_worlds.c: benchmark worlds: they are well made, their errors are what geometry and closed forms say, and running them
 * counts and keeps what it should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worlds/make.h"
#include "worlds/measure.h"
#include "worlds/times.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g instead of %.17g (+- %g)", value, expected, tolerance);
}

static World *make_named(const char *name) {
    World *world = world_make(world_find(name));
    assert_non_null(world);
    return world;
}

/* Of all bodies at the start; to be freed. */
static WorldFrame *list_starts(const World *world) {
    WorldFrame *frames = malloc((size_t)world->bodies * sizeof *frames);
    assert_non_null(frames);
    for (int i = 0; i < world->bodies; i++) frames[i] = world->body[i].start;
    return frames;
}

/* ------------------------------------------------------------------ what they are made of */

static void assert_rotation(const WorldFrame *f) {
    WorldVec x = world_column(f, 0), y = world_column(f, 1), z = world_column(f, 2);
    assert_near(world_dot(x, x), 1, 1e-15 * 8);
    assert_near(world_dot(y, y), 1, 1e-15 * 8);
    assert_near(world_length(world_minus(world_cross(x, y), z)), 0, 1e-15 * 8); /* a few roundings of numbers below 1 */
}

static void worlds_are_bodies_that_can_be(void **unused) {
    (void)unused;
    for (int n = 0; world_info(n); n++) {
        World *world = make_named(world_info(n)->name);
        assert_ptr_equal(world->info, world_info(n));
        assert_true(world->info->steps > 0 && world->info->quick_steps > 0 && world->info->dt > 0);
        for (int i = 0; i < world->bodies; i++) {
            const WorldBody *b = &world->body[i];
            assert_rotation(&b->start);
            assert_true(b->mass > 0);
            for (int k = 0; k < 3; k++) /* the triangle of moments of inertia; a rod's and a disc's is flat */
                assert_true(b->inertia[k] <= (b->inertia[(k + 1) % 3] + b->inertia[(k + 2) % 3]) * (1 + 1e-12));
        }
        int last = WORLD_GROUND;
        for (int i = 0; i < world->shapes; i++) { /* drivers count on this order */
            assert_rotation(&world->shape[i].place);
            if (world->shape[i].body == WORLD_GROUND) continue;
            assert_true(world->shape[i].body >= last && world->shape[i].body < world->bodies);
            last = world->shape[i].body;
        }
        for (int i = 0; i < world->motors; i++)
            assert_true(world->joint[world->motor[i].joint].kind <= WORLD_PRISMATIC);
        world_destroy(world);
    }
    assert_null(world_find("no such world"));
}

/* Nothing is inside anything else, no joint is open, and what stands has not fallen; a rounding of metres is allowed. */
static void worlds_begin_without_error(void **unused) {
    (void)unused;
    for (int n = 0; world_info(n); n++) {
        World *world = make_named(world_info(n)->name);
        WorldFrame *start = list_starts(world);
        assert_near(world_overlap(world, start), 0, 1e-14);
        assert_near(world_joint_gap(world, start), 0, 1e-14);
        assert_true(world_moved(world, start) == 0);
        assert_int_equal(world->info->holds(world, start), world->info->always);
        free(start);
        world_destroy(world);
    }
}

static void who_touches_whom(void **unused) {
    (void)unused;
    World *grip = make_named("grip"), *drum = make_named("drum"), *stack = make_named("stack");
    assert_false(world_bodies_meet(grip, 6, 7)); /* two fingers of one group */
    assert_true(world_bodies_meet(grip, 6, 8));  /* a finger and the box */
    assert_true(world_bodies_meet(grip, WORLD_GROUND, 8));
    assert_false(world_bodies_meet(drum, WORLD_GROUND, 0)); /* on a hinge */
    assert_true(world_bodies_meet(drum, 0, 1));
    assert_true(world_bodies_meet(stack, 0, 1));
    assert_false(world_bodies_meet(stack, 1, 1));
    world_destroy(grip);
    world_destroy(drum);
    world_destroy(stack);
}

static void motors_follow_their_points(void **unused) {
    (void)unused;
    const WorldMotor m = {.effort = 1, .points = 3, .time = {1, 2, 4}, .speed = {0, 6, 2}};
    const WorldMotor swing = {.effort = 1, .points = 1, .speed = {9}, .swing = 2, .period = 0.8};
    const double time[] = {0, 1, 1.5, 2, 3, 4, 9}, speed[] = {0, 0, 3, 6, 4, 2, 2};
    for (int i = 0; i < 7; i++) assert_true(world_motor_speed(&m, time[i]) == speed[i]);
    for (int i = 0; i < 5; i++) { /* for ever, and as far back as forth: the sum over a period of steps is none */
        double sum = 0;
        assert_near(world_motor_speed(&swing, 0.2 + 80 * i), 2, 1e-12);
        for (int k = 0; k < 800; k++) sum += world_motor_speed(&swing, 1e-3 * k + i);
        assert_near(sum, 0, 1e-10);
    }
}

/* ------------------------------------------------------------------ overlaps */

static void add_bar(World *world, WorldVec size, WorldFrame start) { world_add_box(world, 1, size, start); }

/* The overlap of a world with these two boxes, and of nothing else. */
static double overlap_of_boxes(WorldVec size_a, WorldFrame a, WorldVec size_b, WorldFrame b) {
    World world = {0};
    add_bar(&world, size_a, a);
    add_bar(&world, size_b, b);
    WorldFrame now[2] = {a, b};
    double depth = world_overlap(&world, now);
    free(world.body);
    free(world.shape);
    return depth;
}

static void overlaps_of_boxes_are_those_of_geometry(void **unused) {
    (void)unused;
    WorldVec cube = world_vec(1, 1, 1), x = world_vec(1, 0, 0), y = world_vec(0, 1, 0), z = world_vec(0, 0, 1);
    WorldFrame origin = WORLD_ORIGIN, aside = WORLD_ORIGIN;
    aside.at = world_vec(0.9, 0.2, 0.3);
    assert_near(overlap_of_boxes(cube, origin, cube, aside), 0.1, 1e-15);
    aside.at.x = 1.001;
    assert_true(overlap_of_boxes(cube, origin, cube, aside) == 0);
    /* an upright edge against a face: (1 + sqrt 2)/2 - 1.2 */
    WorldFrame corner = world_frame(world_vec(1.2, 0, 0), z, WORLD_PI / 4);
    assert_near(overlap_of_boxes(cube, origin, cube, corner), 0.5 * (1 + sqrt(2)) - 1.2, 1e-15);
    /* two bars crosswise, edge on edge, which no face's direction tells apart: sqrt 2 - 1.4 deep, then apart */
    WorldVec along_x = world_vec(10, 1, 1), along_y = world_vec(1, 10, 1);
    WorldFrame a = world_frame(world_vec(0, 0, 0), x, WORLD_PI / 4),
               b = world_frame(world_vec(0, 0, 1.4), y, WORLD_PI / 4);
    assert_near(overlap_of_boxes(along_x, a, along_y, b), sqrt(2) - 1.4, 1e-14);
    b.at.z = 1.42;
    assert_true(overlap_of_boxes(along_x, a, along_y, b) == 0);
}

/* A shape of a free body against the floor, or against one more shape. */
static double overlap_with(WorldShape shape, WorldFrame at, bool floor, WorldShape other, WorldFrame other_at) {
    World world = {0};
    WorldFrame now[2] = {at, other_at};
    WorldBody body = world_solid_sphere(1, 1, at.at);
    if (floor) world_add_floor(&world);
    shape.place = other.place = WORLD_ORIGIN;
    shape.body = world_add_body(&world, body);
    world_add_shape(&world, shape);
    if (!floor) {
        other.body = world_add_body(&world, body);
        world_add_shape(&world, other);
    }
    double depth = world_overlap(&world, now);
    free(world.body);
    free(world.shape);
    return depth;
}

static void overlaps_of_round_shapes_are_those_of_geometry(void **unused) {
    (void)unused;
    WorldShape ball = {.kind = WORLD_SPHERE, .radius = 0.5}, pin = {.kind = WORLD_CAPSULE, .radius = 0.1, .length = 2};
    WorldShape disc = {.kind = WORLD_DISC, .radius = 0.5}, box = {.kind = WORLD_BOX, .size = {2, 2, 2}};
    WorldVec y = world_vec(0, 1, 0);
    double lean = 0.3;
    WorldFrame low = world_frame(world_vec(3, 4, 0.4), y, lean);
    assert_near(overlap_with(ball, low, true, ball, low), 0.1, 1e-15);
    assert_near(overlap_with(pin, low, true, ball, low), 0.1 + cos(lean) - 0.4, 1e-15);
    low.at.z = 0.1;
    assert_near(overlap_with(disc, low, true, ball, low), 0.5 * sin(lean) - 0.1, 1e-15);
    WorldVec rim = world_lowest_rim(&low, 0.5); /* as deep as that */
    assert_near(rim.z, 0.1 - 0.5 * sin(lean), 1e-15);
    assert_near(world_length(world_minus(rim, low.at)), 0.5, 1e-15);
    /* a ball beside a box's corner, direction (2, 2, 1)/3, and inside it */
    WorldFrame origin = WORLD_ORIGIN, out = WORLD_ORIGIN, in = WORLD_ORIGIN;
    out.at = world_vec(1 + 0.2, 1 + 0.2, 1 + 0.1);
    in.at = world_vec(0.1, 0.7, -0.2);
    assert_near(overlap_with(box, origin, false, ball, out), 0.5 - 0.3, 1e-15);
    assert_near(overlap_with(ball, in, false, box, origin), 0.5 + 0.3, 1e-15);
    out.at = world_vec(0.6, 0, 0.7);
    assert_near(overlap_with(ball, origin, false, ball, out), 1 - sqrt(0.85), 1e-15);
}

/* ------------------------------------------------------------------ errors */

/* Shifted by d, joints are open by d; a slider only across its axis. */
static void joints_open_as_bodies_shift(void **unused) {
    (void)unused;
    World *chain = make_named("chain"), *grip = make_named("grip");
    WorldFrame *now = list_starts(chain), *hand = list_starts(grip);
    now[40].at = world_sum(now[40].at, world_vec(2e-3, -1e-3, 2e-3));
    assert_near(world_joint_gap(chain, now), 3e-3, 1e-15);
    hand[6].at.y -= 0.02; /* the left finger closes */
    assert_near(world_joint_gap(grip, hand), 0, 1e-15);
    hand[6].at.x += 1e-3;
    assert_near(world_joint_gap(grip, hand), 1e-3, 1e-15);
    free(now);
    free(hand);
    world_destroy(chain);
    world_destroy(grip);
}

/* Where Coulomb's friction takes a ball and a cube, by small steps of the law itself. */
static void slides_and_rolls_are_those_of_coulomb(void **unused) {
    (void)unused;
    World *ball = make_named("ball"), *slide = make_named("slide");
    WorldFrame now = ball->body[0].start, cube = slide->body[0].start;
    double h = 1e-5, radius = ball->shape[1].radius, v = ball->body[0].velocity.x, spin = 0; /* spin: rad/s */
    double speed = 0, lean = acos(cube.turn[2][2]);
    for (int i = 1; i <= 100000; i++) {
        double push = v - spin * radius > 0 ? ball->mu * WORLD_GRAVITY : 0; /* m/s^2, until it rolls */
        now.at.x += h * (v - 0.5 * h * push);
        v -= h * push;
        spin += h * push / (0.4 * radius); /* I = 2/5 m r^2 */
        double pull = WORLD_GRAVITY * (sin(lean) - slide->mu * cos(lean));
        cube.at = world_sum(cube.at, world_times(h * (speed + 0.5 * h * pull), world_column(&cube, 0)));
        speed += h * pull;
        if (i % 20000) continue;
        double late = h * ball->mu * WORLD_GRAVITY; /* m/s: one step of friction too much */
        assert_near(ball->info->error(ball, &now, h * i), 0, late * h * i);
        assert_near(slide->info->error(slide, &cube, h * i), 0, 1e-12); /* exact steps; a sum of 1e5 roundings */
    }
    assert_true(cube.at.x > 0.1 && cube.at.y > 0.1 && cube.at.z < 0); /* downhill is along the diagonal */
    now.at.y += 1e-3;
    assert_near(ball->info->error(ball, &now, 1), 1e-3, 1e-6); /* across the 4e-5 m from before: their square */
    world_destroy(ball);
    world_destroy(slide);
}

/* The grip's error is the way in the hand, whatever the hand does. */
static void a_held_box_may_move_with_the_hand(void **unused) {
    (void)unused;
    World *grip = make_named("grip");
    WorldFrame *now = list_starts(grip);
    WorldFrame move = world_frame(world_vec(0.3, -2, 0.5), world_vec(0.6, 0, 0.8), 1.1);
    for (int i = 0; i < grip->bodies; i++) now[i] = world_chain(&move, &grip->body[i].start);
    assert_near(grip->info->error(grip, now, 1), 0, 1e-14);
    now[8].at = world_sum(now[8].at, world_times(0.02, world_column(&move, 2)));
    assert_near(grip->info->error(grip, now, 1), 0.02, 1e-14);
    assert_false(grip->info->holds(grip, now));
    free(now);
    world_destroy(grip);
}

/* ------------------------------------------------------------------ running */

/* An engine in which nothing moves but what is told. */
typedef struct Still {
    const World *world;
    int steps, fails_at, stops_at; /* 0: never */
    double last_time;
    int bad_from, bad_to; /* steps at which the first body is a millimetre off, or so far: */
    double off;
} Still;

static bool step_still(void *self, double time) {
    Still *s = self;
    s->last_time = time;
    s->steps++;
    return s->steps != s->fails_at;
}

static void pose_still(void *self, WorldFrame *frames) {
    const Still *s = self;
    for (int i = 0; i < s->world->bodies; i++) frames[i] = s->world->body[i].start;
    if (s->steps < s->bad_from || s->steps >= s->bad_to) return;
    frames[0].at.x += s->off != 0 ? s->off : 1e-3;
}

static int count_seven(void *self) {
    (void)self;
    return 7;
}

static bool stop_still(void *self) {
    const Still *s = self;
    return s->stops_at && s->steps >= s->stops_at;
}

static WorldResult run_plan(Still *s, const WorldPlan *plan) {
    const WorldEngine engine = {s, step_still, pose_still, count_seven, stop_still, false};
    WorldResult result = {.engine = "still", .setting = "in/out"};
    assert_true(world_measure(s->world, &engine, plan, &result));
    return result;
}

static WorldResult run_still(Still *s, bool quick, double most) {
    WorldPlan plan = world_plan(s->world->info, quick, 0);
    plan.most = most;
    return run_plan(s, &plan);
}

static void runs_make_all_steps_and_keep_the_worst(void **unused) {
    (void)unused;
    World *stack = make_named("stack");
    const WorldInfo *info = stack->info;
    Still fine = {.world = stack};
    WorldResult r = run_still(&fine, false, INFINITY);
    assert_int_equal(fine.steps, info->warm + info->steps);
    assert_int_equal(r.steps, info->steps);
    assert_near(fine.last_time, info->dt * (info->warm + info->steps - 1), 1e-12);
    assert_near(r.simulated, info->dt * (info->warm + info->steps), 1e-12);
    assert_true(r.error == 0 && r.judged && r.holds && !r.cut && !r.stopped && r.contacts == 7);
    assert_true(r.us_worst >= r.us_p9999 && r.us_p9999 >= r.us_p99 && r.us_p99 >= r.us_median && r.us_mean >= 0);
    /* what is wrong for a while in the middle is seen, since it is watched; not what is over when the clock starts */
    Still off = {.world = stack, .bad_from = 1000, .bad_to = 1000 + 2 * info->watch};
    assert_near(run_still(&off, false, INFINITY).error, 1e-3, 1e-15);
    Still fallen = {
        .world = stack, .bad_from = 1000, .bad_to = 1000 + 2 * info->watch, .off = 1}; /* and got up again */
    r = run_still(&fallen, false, INFINITY);
    assert_true(r.error == 1 && r.judged && !r.holds);
    Still settled = {.world = stack, .bad_to = info->warm};
    assert_true(run_still(&settled, false, INFINITY).error == 0);
    Still lost = {.world = stack, .bad_from = 1, .bad_to = 1 << 30, .off = NAN};
    r = run_still(&lost, true, INFINITY);
    assert_true(isinf(r.error) && r.judged && !r.holds);
    assert_int_equal(r.steps, info->quick_steps);
    world_destroy(stack);
}

/* So many steps as are asked for, however long they take; a claim about the end is not judged then. */
static void runs_are_as_long_as_asked(void **unused) {
    (void)unused;
    World *dominoes = make_named("dominoes-20"), *hil = make_named("hil");
    WorldPlan plan = world_plan(dominoes->info, false, 123);
    Still fine = {.world = dominoes}, kept = {.world = hil};
    WorldResult r = run_plan(&fine, &plan);
    assert_true(isinf(plan.most) && !r.judged && !r.cut);
    assert_int_equal(r.steps, 123);
    assert_int_equal(fine.steps, dominoes->info->warm + 123);
    plan = world_plan(hil->info, true, 20000);
    r = run_plan(&kept, &plan);
    assert_true(r.judged && r.holds && r.steps == 20000 && r.error < 1e-15); /* its claim is of all times */
    world_destroy(dominoes);
    world_destroy(hil);
}

/* Each block in its cell, wherever the hand is; one that has left it, or has been lifted, is not kept. */
static void blocks_are_kept_in_the_hand(void **unused) {
    (void)unused;
    World *hil = make_named("hil");
    WorldFrame *now = list_starts(hil);
    WorldFrame move = world_frame(world_vec(0.3, -2, 0), world_vec(0, 0, 1), 1.1); /* along the table */
    for (int i = 0; i < hil->bodies; i++) now[i] = world_chain(&move, &hil->body[i].start);
    assert_true(hil->info->holds(hil, now));
    WorldVec was = now[7].at;
    now[7].at = world_sum(was, world_times(0.1, world_column(&move, 1)));
    assert_false(hil->info->holds(hil, now));
    now[7].at = world_sum(was, world_vec(0, 0, 0.1));
    assert_false(hil->info->holds(hil, now));
    free(now);
    world_destroy(hil);
}

static void runs_that_end_early_say_so(void **unused) {
    (void)unused;
    World *stack = make_named("stack"), *dominoes = make_named("dominoes-20");
    Still failing = {.world = stack, .fails_at = 500}, stopped = {.world = dominoes, .stops_at = 300};
    Still short_of_time = {.world = stack};
    WorldResult r = run_still(&failing, false, INFINITY);
    assert_true(r.stopped && !r.holds && r.steps < 500 && failing.steps == 500);
    r = run_still(&stopped, false, INFINITY);
    assert_true(r.stopped && !r.judged && r.steps < dominoes->info->steps);
    r = run_still(&short_of_time, false, 0);
    assert_true(r.cut && r.steps == 0 && short_of_time.steps == 0);
    world_destroy(stack);
    world_destroy(dominoes);
}

/* ------------------------------------------------------------------ repeating */

enum { MOST_BLOCKS = 8 };

static WorldTimes make_times(double *room, int steps, double time) {
    WorldTimes t = {.runs = 1, .first = 2, .size = 3, .time = room};
    for (; t.steps < steps; t.steps += world_times_block(&t, t.steps, steps)) t.time[t.blocks++] = time;
    return t;
}

/* Of each block the least, also where one run came farther; the mean is that of all steps of these blocks. */
static void blocks_keep_their_least(void **unused) {
    (void)unused;
    double room[2][MOST_BLOCKS];
    WorldTimes slow = make_times(room[0], 9, 4), fast = make_times(room[1], 5, 1);
    assert_int_equal(slow.blocks, 5); /* 1, 1, 3, 3 and 1 steps */
    assert_int_equal(fast.blocks, 3); /* 1, 1, 3 */
    fast.time[1] = 7;
    assert_near(world_times_mean(&slow), 4, 1e-15);
    assert_near(world_times_mean(&fast), (1 + 7 + 3 * 1) / 5.0, 1e-15);
    world_times_join(&slow, &fast);
    const double least[] = {1, 4, 1, 4, 4};
    for (int i = 0; i < 5; i++) assert_true(slow.time[i] == least[i]);
    assert_true(slow.runs == 2 && slow.steps == 9 && slow.blocks == 5);
    assert_near(world_times_mean(&slow), (1 + 4 + 3 * 1 + 3 * 4 + 4) / 9.0, 1e-15);
    slow = make_times(room[0], 9, 4);
    world_times_join(&fast, &slow); /* the same, the other way round */
    for (int i = 0; i < 5; i++) assert_true(fast.time[i] == least[i]);
    assert_true(fast.runs == 2 && fast.steps == 9 && fast.blocks == 5);
}

/* A folder of one file: where world_measure keeps times of what does nothing in a named world. */
typedef struct Kept {
    char folder[32], path[80];
} Kept;

static Kept make_folder(const char *scene) {
    Kept k = {"/tmp/test_worlds-XXXXXX", ""};
    assert_non_null(mkdtemp(k.folder));
    snprintf(k.path, sizeof k.path, "%s/%s, still, in_out", k.folder, scene);
    return k;
}

static void remove_folder(const Kept *k) {
    assert_int_equal(unlink(k->path), 0);
    assert_int_equal(rmdir(k->folder), 0);
}

static WorldTimes read_times(const Kept *k, int steps) {
    WorldTimes t;
    assert_true(world_times_read(&t, k->path, steps));
    return t;
}

/* A run has the blocks of the one before it, and takes no longer in any of them by what is told. */
static void repeated_runs_tell_the_least(void **unused) {
    (void)unused;
    World *stack = make_named("stack");
    Kept k = make_folder("stack");
    WorldPlan plan = world_plan(stack->info, true, 0);
    plan.kept = k.folder;
    Still still = {.world = stack};
    WorldResult first = run_plan(&still, &plan);
    WorldTimes before = read_times(&k, plan.steps);
    assert_true(first.runs == 1 && before.size > 1 && before.steps == plan.steps); /* nothing is done quickly */
    before.size = 7;                                                               /* another machine's */
    before.blocks = (plan.steps + 6) / 7;
    free(before.time);
    before.time = malloc((size_t)before.blocks * sizeof *before.time);
    assert_non_null(before.time);
    for (int i = 0; i < before.blocks; i++) before.time[i] = i % 2 ? 1e3 : 1e-12; /* s: longer than any, and shorter */
    assert_true(world_times_write(&before, k.path));
    still.steps = 0;
    WorldResult second = run_plan(&still, &plan);
    WorldTimes after = read_times(&k, plan.steps);
    assert_int_equal(still.steps, plan.warm + plan.steps);
    assert_true(second.runs == 2 && after.runs == 2 && after.size == 7 && after.blocks == before.blocks);
    for (int i = 0; i < after.blocks; i++) assert_true(i % 2 ? after.time[i] < 1 : after.time[i] == 1e-12);
    assert_near(second.us_mean, 1e6 * world_times_mean(&after), 1e-9);
    assert_true(second.us_worst < 1e6 && second.us_worst >= second.us_p9999 && second.us_p9999 >= second.us_p99);
    free(before.time);
    free(after.time);
    remove_folder(&k);
    world_destroy(stack);
}

/* A run that ends early leaves those steps alone that it did not make. */
static void short_runs_keep_what_longer_ones_left(void **unused) {
    (void)unused;
    World *ball = make_named("ball"); /* without a warm-up: the first steps are timed each by itself */
    Kept k = make_folder("ball");
    WorldPlan plan = world_plan(ball->info, true, 0);
    plan.kept = k.folder;
    Still whole = {.world = ball}, early = {.world = ball, .stops_at = 200};
    assert_int_equal(plan.warm, 0);
    run_plan(&whole, &plan);
    WorldTimes before = read_times(&k, plan.steps);
    WorldResult r = run_plan(&early, &plan);
    WorldTimes after = read_times(&k, plan.steps);
    assert_true(r.steps <= 200 && r.runs == 2 && after.steps == plan.steps && after.blocks == before.blocks);
    int made = 0;
    for (int i = 0, step = 0; i < after.blocks; i++) {
        step += world_times_block(&after, step, plan.steps);
        if (step <= r.steps) made = i + 1;
        assert_true(step <= r.steps ? after.time[i] <= before.time[i] : after.time[i] == before.time[i]);
    }
    assert_true(made > 10 && made < after.blocks);
    free(before.time);
    free(after.time);
    before = read_times(&k, plan.steps - 1); /* of another length: not the same run */
    assert_true(before.runs == 0 && before.blocks == 0 && before.time == NULL);
    remove_folder(&k);
    world_destroy(ball);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_are_bodies_that_can_be),
        cmocka_unit_test(worlds_begin_without_error),
        cmocka_unit_test(who_touches_whom),
        cmocka_unit_test(motors_follow_their_points),
        cmocka_unit_test(overlaps_of_boxes_are_those_of_geometry),
        cmocka_unit_test(overlaps_of_round_shapes_are_those_of_geometry),
        cmocka_unit_test(joints_open_as_bodies_shift),
        cmocka_unit_test(slides_and_rolls_are_those_of_coulomb),
        cmocka_unit_test(a_held_box_may_move_with_the_hand),
        cmocka_unit_test(runs_make_all_steps_and_keep_the_worst),
        cmocka_unit_test(runs_are_as_long_as_asked),
        cmocka_unit_test(blocks_are_kept_in_the_hand),
        cmocka_unit_test(runs_that_end_early_say_so),
        cmocka_unit_test(blocks_keep_their_least),
        cmocka_unit_test(repeated_runs_tell_the_least),
        cmocka_unit_test(short_runs_keep_what_longer_ones_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
