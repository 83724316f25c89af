/* test_carried.c: contacts beside joints that carry the same load, and share it by least norm (7.30). A block of mass M
 * in a guide along x, its joint at its centre of mass, rests on a belt that runs along x: n places right below the
 * centre of mass have the load P together with one row of the guide, sum N_i + L = P, least of sum N_i^2 + L^2:
 *     N_i = L = P/(n + 1)
 * and friction drives the block with MU sum N_i. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "machine.h"

static const double G = 9.81, M = 2, MU = 0.4, HALF = 0.1; /* HALF: m, from the centre of mass down to the belt */
static const BrVec3 X = {1, 0, 0};

enum { WAYS = 3 };
static BrStepDef choose_way(int way, double h) {
    return way == 2 ? machine_event_def(h) : machine_step_def(way == 0 ? BR_SCHEME_MOREAU : BR_SCHEME_HEM2, h);
}

/* All in a world that is turned by A. */
typedef struct Rig {
    Machine m;
    BrMat3 A;
    BrMaterialId steel;
    BrBodyId frame, block;
    BrJointId guide;
} Rig;

static const BrMat3 UPRIGHT = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static Rig begin(BrMat3 A, BrVec3 gravity, BrVec3 belt) {
    Rig rig = {.A = A};
    rig.m = machine_begin(rotate(&A, gravity));
    rig.steel = machine_material(&rig.m, "steel", MU, 0);
    BrShapeDef plane = br_default_shape_def();
    plane.body = rig.m.ground, plane.kind = BR_SHAPE_PLANE, plane.material = rig.steel;
    plane.rotation_body = A;
    plane.surface_velocity_body = rotate(&A, belt);
    machine_add_shape(&rig.m, &plane);
    BrBodyDef frame = br_default_body_def();
    frame.name = "frame", frame.kind = BR_BODY_FIXED;
    rig.frame = machine_add_body(&rig.m, &frame);
    BrBodyDef block = br_default_body_def();
    block.name = "block", block.mass = M, block.inertia = diagonal(0.02, 0.03, 0.04);
    block.position = rotate(&A, vec(0, 0, HALF));
    block.rotation = A;
    rig.block = machine_add_body(&rig.m, &block);
    return rig;
}

static void add_guide(Rig *rig) {
    rig->guide = machine_joint(&rig->m, "guide", BR_JOINT_PRISMATIC, rig->frame, rig->block,
                               rotate(&rig->A, vec(0, 0, HALF)), rotate(&rig->A, X));
}

static void add_place(Rig *rig, double x, double y) {
    machine_point(&rig->m, rig->block, vec(x, y, -HALF), rig->steel);
}

/* One place right below the centre of mass. */
static Rig make_rig(BrMat3 A, BrVec3 gravity, BrVec3 belt) {
    Rig rig = begin(A, gravity, belt);
    add_place(&rig, 0, 0);
    add_guide(&rig);
    return rig;
}

static const BrVec3 DOWN = {0, 0, -9.81}, BELT = {1, 0, 0};

static double find_speed(const Rig *rig) { return dot(machine_twist(&rig->m, rig->block).linear, rotate(&rig->A, X)); }

static void go(Rig *rig, const BrStepDef *def, int steps) {
    for (int k = 0; k < steps; k++) {
        BrStepReport report = machine_steps(&rig->m, def, 1);
        assert_int_equal(report.uncertified_contacts, 0);
    }
}

/* Of all contacts, in the world's own axes: the sum of forces on the block, and what the guide does. */
static BrVec3 find_contact_force(Rig *rig, bool mean) {
    return rotate_back(&rig->A, machine_contact_force(&rig->m, mean));
}
static BrVec3 find_guide_force(Rig *rig) { return rotate_back(&rig->A, machine_reaction(&rig->m, rig->guide).force); }

/* ------------------------------------------------------------------ one place */

/* Half of the weight; MU G/2 until the belt's speed is reached, and then it rides along. The same in a world that is
 * turned. Constant accelerations: all schemes are exact but for the step in which slip ends. */
static void block_in_a_guide_is_driven_by_half_its_weight(void **unused) {
    (void)unused;
    const double h = 0.01, a = 0.5 * MU * G, SMALL = 1e-10; /* N, m/s: tolerances of hundreds of steps */
    const BrMat3 WORLDS[] = {UPRIGHT, turn_about(vec(0.48, 0.6, 0.64), 0.9)};
    for (int k = 0; k < 2 * WAYS; k++) {
        BrStepDef def = choose_way(k % WAYS, h);
        Rig rig = make_rig(WORLDS[k / WAYS], DOWN, BELT);
        machine_ready(&rig.m);
        assert_vec_near(find_contact_force(&rig, false), vec(0.5 * MU * M * G, 0, 0.5 * M * G), SMALL);
        go(&rig, &def, 50);
        assert_near(find_speed(&rig), 50 * h * a, SMALL);
        for (int mean = 0; mean < 2; mean++)
            assert_vec_near(find_contact_force(&rig, mean), vec(0.5 * MU * M * G, 0, 0.5 * M * G), SMALL);
        assert_vec_near(find_guide_force(&rig), vec(0, 0, 0.5 * M * G), SMALL);
        go(&rig, &def, 10); /* 0.51 s */
        assert_near(find_speed(&rig), 1, SMALL);
        assert_vec_near(find_contact_force(&rig, false), vec(0, 0, 0.5 * M * G), SMALL);
        assert_int_equal(machine_contact(&rig.m, 0).mode, BR_CONTACT_STICK);
        machine_end(&rig.m);
    }
}

/* A guide that leans with the belt: friction has to hold M G sin against MU M G cos/2. */
static void leaning_guide_holds_up_to_half_the_slope(void **unused) {
    (void)unused;
    for (int k = 0; k < 2 * WAYS; k++) {
        bool holds = k / WAYS == 0;
        double slope = atan(0.5 * MU) + (holds ? -1e-3 : 1e-3), g = G * sin(slope) - 0.5 * MU * G * cos(slope);
        BrStepDef def = choose_way(k % WAYS, 0.01);
        Rig rig = make_rig(UPRIGHT, vec(G * sin(slope), 0, -G * cos(slope)), vec(0, 0, 0));
        machine_ready(&rig.m);
        go(&rig, &def, 50);
        assert_near(find_speed(&rig), holds ? 0 : 0.5 * g, 1e-11);
        machine_end(&rig.m);
    }
}

/* A load from outside is shared as weight is; one that lifts is the guide's alone: nothing pulls. */
static void what_presses_is_shared_and_what_lifts_is_not(void **unused) {
    (void)unused;
    const double LOADS[] = {-30, 50};
    for (int k = 0; k < 2 * WAYS; k++) {
        double load = LOADS[k / WAYS], normal = fmax(0, 0.5 * (M * G - load));
        BrStepDef def = choose_way(k % WAYS, 0.01);
        Rig rig = make_rig(UPRIGHT, DOWN, BELT);
        machine_force(&rig.m, "load", rig.block, 2, br_constant(load));
        machine_ready(&rig.m);
        go(&rig, &def, 10);
        assert_near(find_speed(&rig), 0.1 * MU * normal / M, 1e-11);
        assert_vec_near(find_contact_force(&rig, false), vec(MU * normal, 0, normal), 1e-11);
        assert_vec_near(find_guide_force(&rig), vec(0, 0, M * G - load - normal), 1e-11);
        machine_end(&rig.m);
    }
}

/* Between floor and ceiling, both touching: the one it is pressed to shares, the other would have to pull. */
static void block_between_floor_and_ceiling_presses_one(void **unused) {
    (void)unused;
    const double LOADS[] = {-30, 50};
    for (int k = 0; k < 2 * WAYS; k++) {
        double pull = M * G - LOADS[k / WAYS]; /* downwards */
        BrStepDef def = choose_way(k % WAYS, 0.01);
        Rig rig = make_rig(UPRIGHT, DOWN, BELT);
        BrShapeDef ceiling = br_default_shape_def();
        ceiling.body = rig.m.ground, ceiling.kind = BR_SHAPE_PLANE, ceiling.material = rig.steel;
        ceiling.rotation_body = turn_about(X, PI);
        ceiling.position_body = vec(0, 0, 2 * HALF);
        machine_add_shape(&rig.m, &ceiling);
        machine_point(&rig.m, rig.block, vec(0, 0, HALF), rig.steel);
        machine_force(&rig.m, "load", rig.block, 2, br_constant(LOADS[k / WAYS]));
        machine_ready(&rig.m);
        go(&rig, &def, 10);
        assert_near(find_speed(&rig), pull > 0 ? 0.1 * MU * 0.5 * pull / M : 0, 1e-11); /* the ceiling stands still */
        assert_near(find_contact_force(&rig, false).z, 0.5 * pull, 1e-11);
        assert_near(find_guide_force(&rig).z, 0.5 * pull, 1e-11);
        machine_end(&rig.m);
    }
}

/* A load L sin(w t) that lifts more than the weight for a part of its period: friction pauses, and comes back. With
 * s = M G/L the speed gained in one period is MU/(2 M) times the integral of max(0, M G - L sin) over it:
 *     [M G (pi + 2 a) + 2 L cos a]/w,     a = asin s                                                            */
static void load_that_comes_and_goes_is_followed(void **unused) {
    (void)unused;
    const double FREQUENCY = 2, w = 2 * PI * FREQUENCY, L = 2 * M * G;
    const double a = asin(M * G / L), gained = MU / (2 * M) * (M * G * (PI + 2 * a) + 2 * L * cos(a)) / w;
    const double WITHIN[WAYS] = {2e-2, 1e-4, 1e-10}; /* orders 1, 2 at h w = 0.013; exact */
    for (int way = 0; way < WAYS; way++) {
        BrStepDef def = choose_way(way, 1e-3);
        Rig rig = make_rig(UPRIGHT, DOWN, vec(100, 0, 0));
        machine_force(&rig.m, "load", rig.block, 2, br_sine(L, FREQUENCY, 0));
        machine_ready(&rig.m);
        go(&rig, &def, 1000);
        assert_near(find_speed(&rig), 2 * gained, WITHIN[way]);
        machine_end(&rig.m);
    }
}

/* Across the guide a belt drags in vain, but friction points along the whole slip: v' = MU G/2 (b_x - v)/|slip|. */
static void drag_along(double t, const double *y, double *rate, const void *user) {
    const BrVec3 *belt = user;
    (void)t;
    *rate = 0.5 * MU * G * (belt->x - *y) / hypot(belt->x - *y, belt->y);
}

static void belt_that_runs_aslant_drives_with_its_part_along_the_guide(void **unused) {
    (void)unused;
    const BrVec3 belt = {0.6, 0.8, 0};
    const double WITHIN[WAYS] = {2e-3, 1e-6, 1e-9}; /* orders 1 and 2 at h MU G/|slip| = 0.002; exact */
    const BrMat3 WORLDS[] = {UPRIGHT, turn_about(vec(0.48, 0.6, 0.64), 0.9)};
    for (int k = 0; k < 2 * WAYS; k++) {
        BrStepDef def = choose_way(k % WAYS, 1e-3);
        Rig rig = make_rig(WORLDS[k / WAYS], DOWN, belt);
        double v = 0;
        machine_ready(&rig.m);
        assert_vec_near(find_contact_force(&rig, false), scale(0.5 * M * G, vec(0.6 * MU, 0.8 * MU, 1)), 1e-10);
        go(&rig, &def, 500);
        integrate(drag_along, &belt, 1, 0, 0.5, 1000, &v);
        assert_near(find_speed(&rig), v, WITHIN[k % WAYS]);
        machine_end(&rig.m);
    }
}

/* ------------------------------------------------------------------ several */

/* Four corners at (+-l, +-l): 4/5 of the weight on the belt. Friction at the belt turns the block about y with
 * T = HALF MU 4/5 M G, which the guide's torque row Q and the corners share: they differ by d before and behind,
 *     Q + 2 l d = T,  least of Q^2 + 4 (d/2)^2:   d = 2 l Q,   Q = T/(1 + 4 l^2)                               */
static void corners_share_weight_and_torque(void **unused) {
    (void)unused;
    const double l = 0.25, all = 0.8 * M * G, Q = HALF * MU * all / (1 + 4 * l * l);
    for (int way = 0; way < WAYS; way++) {
        BrStepDef def = choose_way(way, 0.01);
        Rig rig = begin(UPRIGHT, DOWN, BELT);
        for (int k = 0; k < 4; k++) add_place(&rig, k % 2 ? l : -l, k / 2 ? l : -l);
        add_guide(&rig);
        machine_ready(&rig.m);
        go(&rig, &def, 20);
        assert_near(find_speed(&rig), 0.2 * MU * all / M, 1e-10);
        assert_vec_near(find_contact_force(&rig, false), vec(MU * all, 0, all), 1e-8);
        assert_vec_near(find_guide_force(&rig), vec(0, 0, M * G - all), 1e-8);
        for (int k = 0; k < 4; k++) {
            BrContact c = machine_contact(&rig.m, k);
            double side = c.point.x > machine_pose(&rig.m, rig.block).position.x ? 1 : -1;
            assert_near(c.normal_force, all / 4 - side * l * Q, 1e-8); /* driven at its feet, it leans back */
        }
        machine_end(&rig.m);
    }
}

/* Two guides that hold the same: they are redundant among themselves, and three share. */
static void second_guide_takes_a_third(void **unused) {
    (void)unused;
    for (int way = 0; way < WAYS; way++) {
        BrStepDef def = choose_way(way, 0.01);
        Rig rig = make_rig(UPRIGHT, DOWN, BELT);
        machine_joint(&rig.m, "second", BR_JOINT_PRISMATIC, rig.frame, rig.block, vec(0, 0, HALF), X);
        machine_ready(&rig.m);
        go(&rig, &def, 20);
        assert_near(find_speed(&rig), 0.2 * MU * G / 3, 1e-10);
        assert_vec_near(find_contact_force(&rig, false), scale(M * G / 3, vec(MU, 0, 1)), 1e-9);
        assert_vec_near(find_guide_force(&rig), vec(0, 0, M * G / 3), 1e-9);
        machine_end(&rig.m);
    }
}

/* Only what is carried is shared: a ball on the block, free to go, has its whole weight on it; the block passes on half
 * of both. */
static void ball_on_the_block_keeps_its_weight(void **unused) {
    (void)unused;
    const double BALL = 3;
    for (int way = 0; way < WAYS; way++) {
        BrStepDef def = choose_way(way, 0.01);
        Rig rig = make_rig(UPRIGHT, DOWN, vec(0, 0, 0));
        BrShapeDef lid = br_default_shape_def();
        lid.body = rig.block, lid.kind = BR_SHAPE_BOX, lid.material = rig.steel, lid.size = vec(0.1, 0.1, 0.02);
        lid.position_body = vec(0, 0, HALF);
        machine_add_shape(&rig.m, &lid);
        machine_ball(&rig.m, "ball", BALL, 0.05, vec(0, 0, 2 * HALF + 0.01 + 0.05), rig.steel);
        machine_ready(&rig.m);
        go(&rig, &def, 20);
        assert_near(find_guide_force(&rig).z, 0.5 * (M + BALL) * G, 1e-9);
        double sum = 0;
        for (int k = 0; k < 2; k++) sum += machine_contact(&rig.m, k).normal_force;
        assert_near(sum, BALL * G + 0.5 * (M + BALL) * G, 1e-9);
        machine_end(&rig.m);
    }
}

/* ------------------------------------------------------------------ other friction, impacts, drives */

/* Boxes and polygons along the guide are the cone; euler-paper has moreau's velocities. */
static void friction_of_other_kinds_stands_on_the_share(void **unused) {
    (void)unused;
    const double h = 0.01, a = 0.8 * MU * G;
    for (int kind = 0; kind < 3; kind++) {
        BrStepDef def = machine_step_def(kind == 2 ? BR_SCHEME_EULER_PAPER : BR_SCHEME_MOREAU, h);
        def.friction_set = kind == 0 ? BR_FRICTION_BOX : kind == 1 ? BR_FRICTION_POLYGON : BR_FRICTION_CONE;
        if (kind == 1) def.polygon_sides = 8;
        Rig rig = begin(UPRIGHT, DOWN, BELT);
        for (int k = 0; k < 4; k++) add_place(&rig, k % 2 ? 0.1 : -0.1, k / 2 ? 0.1 : -0.1);
        add_guide(&rig);
        machine_ready(&rig.m);
        go(&rig, &def, 20);
        assert_near(find_speed(&rig), 20 * h * a, 1e-10);
        go(&rig, &def, 20);
        assert_near(find_speed(&rig), 1, 1e-10);
        machine_end(&rig.m);
    }
}

/* A ball falls on the block: its impulse is shared as its weight would be, and the belt's share gives the block a push
 * of MU/2 of it within the impact. */
static void blow_is_shared_as_a_load_is(void **unused) {
    (void)unused;
    const double BALL = 3, v = 2;
    for (int k = 0; k < 2 * WAYS; k++) {
        int way = k % WAYS;
        double e = k / WAYS ? 0.5 : 0;
        BrStepDef def = choose_way(way, 1e-3);
        Rig rig = make_rig(UPRIGHT, vec(0, 0, 0), vec(100, 0, 0));
        BrMaterialId ivory = machine_material(&rig.m, "ivory", 0, e);
        BrPairDef pair = br_default_pair_def();
        pair.material_a = rig.steel, pair.material_b = ivory;
        pair.surface.normal = br_law(BR_LAW_NORMAL, "rigid");
        pair.surface.friction = br_law(BR_LAW_FRICTION, "coulomb");
        br_law_set(&pair.surface.friction, "mu", 0);
        assert_int_equal(br_model_add_pair(rig.m.model, &pair, NULL), BR_OK);
        BrShapeDef lid = br_default_shape_def();
        lid.body = rig.block, lid.kind = BR_SHAPE_BOX, lid.material = ivory, lid.size = vec(1, 1, 0.02);
        lid.position_body = vec(0, 0, HALF);
        machine_add_shape(&rig.m, &lid);
        BrBodyId ball = machine_ball(&rig.m, "ball", BALL, 0.05, vec(0, 0, 2 * HALF + 0.01 + 0.05 + 0.0055), ivory);
        machine_ready(&rig.m);
        machine_set_twist(&rig.m, ball, vec(0, 0, -v), vec(0, 0, 0));
        go(&rig, &def, 10);
        assert_near(machine_twist(&rig.m, ball).linear.z, e * v, 1e-9);
        assert_near(find_speed(&rig), 0.5 * MU * (1 + e) * BALL * v / M, 1e-9);
        machine_end(&rig.m);
    }
}

/* Lifted by a drive, which carries it, the block leaves at once: from rest, where the drive starts with an acceleration,
 * and after it has rested for a while. */
static void block_that_is_lifted_leaves(void **unused) {
    (void)unused;
    const double h = 0.01;
    for (int k = 0; k < 2 * WAYS; k++) {
        bool later = k / WAYS;
        BrStepDef def = choose_way(k % WAYS, h);
        Rig rig = begin(UPRIGHT, DOWN, BELT);
        add_place(&rig, 0, 0);
        rig.guide =
            machine_joint(&rig.m, "guide", BR_JOINT_PRISMATIC, rig.frame, rig.block, vec(0, 0, HALF), vec(0, 0, 1));
        machine_motion(&rig.m, "lift", rig.guide, 0, false, br_expression(later ? "max(0, t - 0.1)^2" : "t^2"));
        machine_ready(&rig.m);
        if (later) {
            go(&rig, &def, 9);
            assert_vec_near(find_contact_force(&rig, true), scale(0.5 * M * G, vec(MU, 0, 1)), 1e-10);
            go(&rig, &def, 1);
        } else
            assert_near(find_contact_force(&rig, false).z, 0, 0);
        for (int step = 0; step < 3; step++) {
            go(&rig, &def, 1);
            assert_near(find_contact_force(&rig, false).z, 0, 0);
            assert_near(find_contact_force(&rig, true).z, 0, 0);
        }
        machine_end(&rig.m);
    }
}

/* However slowly: at 5e-7 m/s nothing tells a lift from what rounding leaves, but from 1e-9 m on it is open. */
static void block_that_is_lifted_slowly_leaves_too(void **unused) {
    (void)unused;
    for (int way = 0; way < WAYS; way++) {
        BrStepDef def = choose_way(way, 0.01);
        Rig rig = begin(UPRIGHT, DOWN, BELT);
        add_place(&rig, 0, 0);
        rig.guide =
            machine_joint(&rig.m, "guide", BR_JOINT_PRISMATIC, rig.frame, rig.block, vec(0, 0, HALF), vec(0, 0, 1));
        machine_motion(&rig.m, "lift", rig.guide, 0, false, br_expression("5e-7*t"));
        machine_ready(&rig.m);
        go(&rig, &def, 10);
        for (int mean = 0; mean < 2; mean++) assert_near(find_contact_force(&rig, mean).z, 0, 0);
        machine_end(&rig.m);
    }
}

/* Driven into the belt it cannot be stopped: the step says so, whatever its friction is made of. */
static void block_that_is_driven_in_is_not_certified(void **unused) {
    (void)unused;
    for (int k = 0; k < WAYS + 2; k++) {
        BrStepDef def = choose_way(k % WAYS, 0.01);
        if (k >= WAYS)
            def.scheme = BR_SCHEME_MOREAU, def.friction_set = k == WAYS ? BR_FRICTION_POLYGON : BR_FRICTION_BOX;
        BrError error = {0};
        Rig rig = begin(UPRIGHT, DOWN, BELT);
        add_place(&rig, 0, 0);
        rig.guide =
            machine_joint(&rig.m, "guide", BR_JOINT_PRISMATIC, rig.frame, rig.block, vec(0, 0, HALF), vec(0, 0, 1));
        machine_motion(&rig.m, "press", rig.guide, 0, true, br_constant(-0.1));
        machine_ready(&rig.m);
        BrStepReport report;
        BrStatus status = br_step(rig.m.model, rig.m.workspace, rig.m.state, &def, &report, &error);
        assert_int_not_equal(status, BR_OK);
        if (status == BR_NOT_CONVERGED) {
            assert_near(report.contact_residual, 0.1, 1e-9);
            assert_true(report.uncertified_contacts > 0);
        }
        assert_true(report.work < 1e6); /* it is seen at once */
        machine_end(&rig.m);
    }
}

/* ------------------------------------------------------------------ a wheel, books */

/* A wheel on an axle that a belt drives: its place below the axle cannot give way at any angle. w' = MU N r/I. */
static void wheel_on_an_axle_is_spun_by_half_its_weight(void **unused) {
    (void)unused;
    const double r = 0.2, I = 0.03;
    for (int way = 0; way < WAYS; way++) {
        BrStepDef def = choose_way(way, 1e-3);
        Rig rig = begin(UPRIGHT, DOWN, vec(5, 0, 0));
        BrBodyId wheel = machine_body(&rig.m, "wheel", M, diagonal(I, I, I), vec(0, 1, r));
        machine_sphere(&rig.m, wheel, r, rig.steel);
        machine_joint(&rig.m, "axle", BR_JOINT_REVOLUTE, rig.frame, wheel, vec(0, 1, r), vec(0, 1, 0));
        add_place(&rig, 0, 0);
        add_guide(&rig);
        machine_ready(&rig.m);
        go(&rig, &def, 100);
        assert_near(machine_twist(&rig.m, wheel).angular.y, -0.1 * MU * 0.5 * M * G * r / I, 1e-9);
        machine_end(&rig.m);
    }
}

/* A block in a guide along an arm that turns with W, beside it a wall of the arm: the load is that of Coriolis,
 * 2 M W r', half of it the wall's. At no two instants do the rows have the same direction.
 *     r'' = W^2 r - MU W r' */
static const double W = 3;
static void run_out(double t, const double *y, double *rate, const void *user) {
    (void)t, (void)user;
    rate[0] = y[1];
    rate[1] = W * W * y[0] - MU * W * y[1];
}

static double run_on_the_arm(const BrStepDef *def, double end) {
    const double r = 0.5, speed = 0.2;
    Machine m = machine_begin(vec(0, 0, 0));
    BrMaterialId steel = machine_material(&m, "steel", MU, 0);
    BrBodyId arm = machine_body(&m, "arm", 5, diagonal(1, 1, 1), vec(0, 0, 0)),
             block = machine_body(&m, "block", M, diagonal(0.02, 0.03, 0.04), vec(r, 0, 0));
    BrShapeDef wall = br_default_shape_def();
    wall.body = arm, wall.kind = BR_SHAPE_BOX, wall.size = vec(6, 0.1, 0.2), wall.material = steel;
    wall.position_body = vec(0, -HALF - 0.05, 0);
    machine_add_shape(&m, &wall);
    machine_point(&m, block, vec(0, -HALF, 0), steel);
    BrJointId axle = machine_joint(&m, "axle", BR_JOINT_REVOLUTE, m.ground, arm, vec(0, 0, 0), vec(0, 0, 1));
    BrJointId guide = machine_joint(&m, "guide", BR_JOINT_PRISMATIC, arm, block, vec(r, 0, 0), X);
    BrFilterDef filter = br_default_filter_def();
    filter.body_a = arm, filter.body_b = block, filter.touch = true;
    assert_int_equal(br_model_add_filter(m.model, &filter, NULL), BR_OK);
    machine_motion(&m, "turn", axle, 0, true, br_constant(W));
    machine_ready(&m);
    machine_set_twist(&m, arm, vec(0, 0, 0), vec(0, 0, W));
    machine_set_twist(&m, block, vec(speed, W * r, 0), vec(0, 0, W));
    assert_near(machine_contact(&m, 0).normal_force, M * W * speed, 1e-10);
    for (int k = 0; k < (int)lround(end / def->dt); k++)
        assert_int_equal(machine_steps(&m, def, 1).uncertified_contacts, 0);
    double y[2] = {r, speed}, way = r + machine_position(&m, guide, 0);
    integrate(run_out, NULL, 2, 0, end, 1000, y);
    machine_end(&m);
    return fabs(way - y[0]);
}

static void wall_of_a_turning_arm_shares_coriolis(void **unused) {
    (void)unused;
    for (int way = 0; way < WAYS; way++) {
        BrStepDef def = choose_way(way, 2e-3);
        double error = run_on_the_arm(&def, 0.4);
        /* the first step has no other to guess by: its middle alone would be off by h^2/2 MU W r' = 5e-7 */
        if (way == 1) assert_near(run_on_the_arm(&def, def.dt), 0, 1e-7);
        if (way == 2) assert_near(error, 0, 1e-10);
        if (way == 2) continue;
        def.dt *= 0.5;
        assert_between(observed_order(error, run_on_the_arm(&def, 0.4)), way + 0.8, way + 1.3);
    }
}

/* The belt puts in MU N v_belt, slip takes MU N (v_belt - v), the block has the rest. */
static void books_of_a_shared_contact_close(void **unused) {
    (void)unused;
    const double h = 0.01, t = 0.4, force = 0.5 * MU * M * G, v = force / M * t;
    for (int way = 0; way < WAYS; way++) {
        BrStepDef def = choose_way(way, h);
        Rig rig = make_rig(UPRIGHT, DOWN, BELT);
        machine_ready(&rig.m);
        go(&rig, &def, 40);
        BrEnergy energy = machine_energy(&rig.m);
        assert_near(energy.work, force * t, 1e-11);
        assert_near(energy.dissipated, force * (t - 0.5 * v * t), 1e-11);
        assert_near(energy.kinetic, 0.5 * M * v * v, 1e-11);
        assert_near(energy.defect, 0, 1e-11);
        machine_end(&rig.m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_in_a_guide_is_driven_by_half_its_weight),
        cmocka_unit_test(leaning_guide_holds_up_to_half_the_slope),
        cmocka_unit_test(what_presses_is_shared_and_what_lifts_is_not),
        cmocka_unit_test(block_between_floor_and_ceiling_presses_one),
        cmocka_unit_test(load_that_comes_and_goes_is_followed),
        cmocka_unit_test(belt_that_runs_aslant_drives_with_its_part_along_the_guide),
        cmocka_unit_test(corners_share_weight_and_torque),
        cmocka_unit_test(second_guide_takes_a_third),
        cmocka_unit_test(ball_on_the_block_keeps_its_weight),
        cmocka_unit_test(friction_of_other_kinds_stands_on_the_share),
        cmocka_unit_test(blow_is_shared_as_a_load_is),
        cmocka_unit_test(block_that_is_lifted_leaves),
        cmocka_unit_test(block_that_is_lifted_slowly_leaves_too),
        cmocka_unit_test(block_that_is_driven_in_is_not_certified),
        cmocka_unit_test(wheel_on_an_axle_is_spun_by_half_its_weight),
        cmocka_unit_test(wall_of_a_turning_arm_shares_coriolis),
        cmocka_unit_test(books_of_a_shared_contact_close),
    };
    return cmocka_run_group_tests_name("carried", tests, NULL, NULL);
}
