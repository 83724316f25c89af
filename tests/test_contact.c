/* test_contact.c: blocks, balls, discs and belts against what a textbook says about dry friction, in both schemes and,
 * where it is the judge, the event formulation. Symbols: G gravity, mu friction, h step, a slope angle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "machine.h"

static const double G = 9.81;
static const BrVec3 NONE = {0, 0, 0}, X = {1, 0, 0}, Y = {0, 1, 0}, DOWN = {0, 0, -9.81};
static const BrScheme SCHEMES[] = {BR_SCHEME_MOREAU, BR_SCHEME_HEM2};

/* Gravity as a floor that is tilted by `slope` towards `azimuth` feels it. */
static BrVec3 tilt(double slope, double azimuth) {
    return vec(G * sin(slope) * cos(azimuth), G * sin(slope) * sin(azimuth), -G * cos(slope));
}

/* A cube of 1 kg and 0.2 m on the floor. */
static Machine make_cube(BrVec3 gravity, double mu, BrBodyId *cube) {
    Machine m = machine_begin(gravity);
    BrMaterialId wood = machine_material(&m, "wood", mu, 0);
    machine_floor(&m, wood);
    *cube = machine_block(&m, "cube", 1, vec(0.2, 0.2, 0.2), vec(0, 0, 0.1), wood);
    machine_ready(&m);
    return m;
}

static Machine make_ball(BrVec3 gravity, double mu, BrBodyId *ball) {
    Machine m = machine_begin(gravity);
    BrMaterialId rubber = machine_material(&m, "rubber", mu, 0);
    machine_floor(&m, rubber);
    *ball = machine_ball(&m, "ball", 2, 0.1, vec(0, 0, 0.1), rubber);
    machine_ready(&m);
    return m;
}

/* ------------------------------------------------------------------ blocks */

/* tan(slope) = mu is the limit, in every direction; beyond it x = g (sin - mu cos) t^2 / 2. */
static void block_starts_to_slide_at_the_friction_angle(void **unused) {
    (void)unused;
    const double mu = 0.5, end = 0.1, h = 1e-3;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 24; k++) {
            bool slides = k & 1;
            double slope = atan(mu * (slides ? 1.001 : 0.999)), azimuth = 0.1 + k * PI / 12;
            BrBodyId cube;
            Machine m = make_cube(tilt(slope, azimuth), mu, &cube);
            machine_run(&m, SCHEMES[s], h, (int)lround(end / h));
            double a = slides ? G * (sin(slope) - mu * cos(slope)) : 0;
            /* moreau: positions by the new velocity are ahead by a h t / 2; both are exact otherwise */
            double x = 0.5 * a * end * (end + (SCHEMES[s] == BR_SCHEME_MOREAU ? h : 0));
            assert_vec_near(machine_pose(&m, cube).position, vec(x * cos(azimuth), x * sin(azimuth), 0.1), 1e-10);
            machine_end(&m);
        }
}

/* v^2 / (2 mu g), and the work of friction is what was lost. */
static void block_stops_after_the_braking_distance(void **unused) {
    (void)unused;
    const double mu = 0.3, v = 1, h = 1e-3, exact = v * v / (2 * mu * G);
    for (int s = 0; s < 2; s++) {
        BrBodyId cube;
        Machine m = make_cube(DOWN, mu, &cube);
        machine_set_twist(&m, cube, vec(v * cos(0.7), v * sin(0.7), 0), NONE);
        machine_run(&m, SCHEMES[s], h, 500);
        BrVec3 p = machine_pose(&m, cube).position;
        /* moreau: v h / 2 behind; hem2: the last, partial step, mu g h^2 */
        assert_near(hypot(p.x, p.y), exact, SCHEMES[s] == BR_SCHEME_MOREAU ? v * h : mu * G * h * h);
        assert_near(atan2(p.y, p.x), 0.7, 1e-9);
        assert_near(norm(machine_twist(&m, cube).linear), 0, 1e-12);
        BrEnergy e = machine_energy(&m);
        assert_near(e.dissipated, 0.5 * v * v, 1e-9);
        assert_near(e.defect, 0, 1e-9);
        assert_int_equal(machine_contact(&m, 0).mode, BR_CONTACT_STICK);
        machine_end(&m);
    }
}

/* Four corners, one of them redundant: their sum is the weight, on a slope too, now and on average. */
static void contacts_carry_the_weight(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        BrBodyId cube;
        BrVec3 g = tilt(0.3, 0.4);
        Machine m = make_cube(g, 0.5, &cube);
        machine_run(&m, SCHEMES[s], 1e-3, 20);
        assert_int_equal(machine_contact_count(&m), 4);
        assert_vec_near(machine_contact_force(&m, false), scale(-1, g), 1e-9);
        assert_vec_near(machine_contact_force(&m, true), scale(-1, g), 1e-9);
        double margin = 0;
        for (int k = 0; k < 4; k++) {
            BrContact c = machine_contact(&m, k);
            assert_near(c.margin, c.mu * c.normal_force - norm(c.friction_force), 1e-12);
            assert_true(c.normal_force > 0 && c.margin > -1e-9);
            assert_int_equal(c.number, k);
            margin += c.margin;
        }
        assert_true(margin <= 0.5 * G * cos(0.3) - G * sin(0.3) + 1e-9); /* triangle inequality */
        machine_end(&m);
    }
}

/* mu_s holds, mu_k slides: pushed a little over the static limit it goes with the kinetic one. */
static void static_limit_holds_and_kinetic_drags(void **unused) {
    (void)unused;
    const double over[] = {0.999, 1.001};
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 2; k++) {
            Machine m = machine_begin(DOWN);
            BrMaterialDef def = br_default_material_def();
            def.name = "wood";
            br_law_set(&def.surface.friction, "mu_s", 0.5);
            br_law_set(&def.surface.friction, "mu_k", 0.3);
            BrMaterialId wood = machine_add_material(&m, &def);
            machine_floor(&m, wood);
            BrBodyId cube = machine_block(&m, "cube", 1, vec(0.4, 0.4, 0.02), vec(0, 0, 0.01), wood);
            machine_force(&m, "push", cube, 0, br_constant(over[k] * 0.5 * G));
            machine_ready(&m);
            machine_run(&m, SCHEMES[s], 1e-3, 100);
            BrContact c = machine_contact(&m, 0);
            /* from the first step on: the one in which it breaks away drags with mu_k already */
            assert_near(machine_twist(&m, cube).linear.x, k ? 0.1 * (over[k] * 0.5 - 0.3) * G : 0, 1e-12);
            assert_int_equal(c.mode, k ? BR_CONTACT_SLIP : BR_CONTACT_STICK);
            assert_near(c.mu, k ? 0.3 : 0.5, 0);
            machine_end(&m);
        }
}

/* A rod stands aslant on its tip, which begins 1 mm inside the floor; the load acts at the tip, so that all is at rest.
 * What lifts the tip out must lift it straight up: it sticks. Lifted by its normal alone it would turn about another
 * point and end W_TN / W_NN = 0.6 mm aside. */
static void tip_that_sticks_is_lifted_straight_up(void **unused) {
    (void)unused;
    const double deep = 1e-3, half = 0.5 / sqrt(2);
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(NONE);
        BrMaterialId rubber = machine_material(&m, "rubber", 0.5, 0);
        machine_floor(&m, rubber);
        BrBodyId rod = machine_body(&m, "rod", 1, diagonal(1. / 12, 1. / 12, 1. / 12), vec(half, 0, half - deep));
        machine_point(&m, rod, vec(-half, 0, -half), rubber);
        BrForceDef load = br_default_force_def();
        BrForceId id;
        load.name = "load", load.body = rod, load.point_body = vec(-half, 0, -half);
        load.force[2] = br_constant(-10);
        assert_int_equal(br_model_add_force(m.model, &load, &id, NULL), BR_OK);
        machine_ready(&m);
        machine_run(&m, SCHEMES[s], 1e-3, 100);
        BrPose pose = machine_pose(&m, rod);
        BrVec3 tip = add(pose.position, rotate(&pose.rotation, vec(-half, 0, -half)));
        assert_near(tip.z, 0, 1e-12);
        assert_near(tip.x, 0, deep * deep / half); /* a turn by an angle of deep / half is straight up to its square */
        assert_near(norm(machine_twist(&m, rod).linear), 0, 1e-12);
        machine_end(&m);
    }
}

/* A cube sticks under a pull that grows so slowly that the impulses of the step before are good enough for many steps:
 * what speed these leave it, up to 1e-14 of the largest in the world, a rotor's, has one direction. The grip takes the
 * way back: the cube stays where it is, to the tolerance of positions, and does not creep 5e-11 m in 10 s. */
static void grip_does_not_creep(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(NONE);
        BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
        machine_floor(&m, wood);
        BrBodyId cube = machine_block(&m, "cube", 1, vec(0.2, 0.2, 0.2), vec(0, 0, 0.1), wood);
        BrBodyId rotor = machine_body(&m, "rotor", 1, diagonal(1, 1, 1), vec(0, 0, 1));
        machine_force(&m, "press", cube, 2, br_constant(-10));
        machine_force(&m, "pull", cube, 0, br_expression("1e-6*t"));
        machine_ready(&m);
        machine_set_twist(&m, rotor, NONE, vec(0, 0, 1e3));
        machine_run(&m, SCHEMES[s], 1e-3, 10000);
        BrVec3 p = machine_pose(&m, cube).position;
        assert_near(p.x, 0, 2e-13); /* 4e-14 of 1 m is no drift yet; a few steps pass until it is taken back */
        assert_near(p.y, 0, 2e-13);
        machine_end(&m);
    }
}

/* Nothing holds a body on frictionless ice that is lifted; and every step says so. */
static void lifted_body_leaves_the_ice(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        BrBodyId ball;
        Machine m = make_ball(DOWN, 0, &ball);
        machine_run(&m, SCHEMES[s], 1e-3, 10);
        assert_int_equal(br_body_set_load(m.model, m.state, ball, vec(0, 0, 40), NONE, NULL), BR_OK);
        machine_run(&m, SCHEMES[s], 1e-3, 100);
        assert_near(machine_twist(&m, ball).linear.z, 0.1 * (20 - G), 1e-9);
        machine_end(&m);
    }
}

/* Into the corner of two walls: each wall gives its own share, and nothing moves. */
static void box_rests_in_a_corner(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId ice = machine_material(&m, "ice", 0, 0);
        machine_plane(&m, vec(sin(0.7), 0, cos(0.7)), ice);
        machine_plane(&m, vec(-cos(0.7), 0, sin(0.7)), ice);
        BrBodyDef def = br_default_body_def();
        def.name = "box";
        def.mass = 3;
        def.inertia = diagonal(0.02, 0.02, 0.02);
        def.rotation = turn_about(Y, 0.7);
        def.position = rotate(&def.rotation, vec(-0.1, 0, 0.1));
        BrBodyId box = machine_add_body(&m, &def);
        machine_box(&m, box, vec(0.2, 0.2, 0.2), ice);
        machine_ready(&m);
        machine_run(&m, SCHEMES[s], 1e-3, 200);
        assert_vec_near(machine_pose(&m, box).position, def.position, 1e-9);
        assert_vec_near(machine_contact_force(&m, false), vec(0, 0, 3 * G), 1e-8);
        machine_end(&m);
    }
}

/* Three boxes, the top one a hundred times heavier, stay where they are. */
static void stack_stays(void **unused) {
    (void)unused;
    const double mass[] = {1, 1, 100};
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId wood = machine_material(&m, "wood", 0.4, 0);
        BrBodyId box[3];
        machine_floor(&m, wood);
        for (int k = 0; k < 3; k++)
            box[k] = machine_block(&m,
                                   k == 0   ? "low"
                                   : k == 1 ? "middle"
                                            : "top",
                                   mass[k], vec(0.2, 0.2, 0.2), vec(0.01 * k, -0.02 * k, 0.1 + 0.2 * k), wood);
        machine_ready(&m);
        machine_run(&m, SCHEMES[s], 2e-3, is_slow_run() ? 100 : 500);
        for (int k = 0; k < 3; k++) {
            /* rounding of a 1 kN load on 1 kg at the certificate's tolerance, 1e-10 m/s over a second */
            assert_vec_near(machine_pose(&m, box[k]).position, vec(0.01 * k, -0.02 * k, 0.1 + 0.2 * k), 1e-8);
            assert_near(norm(machine_twist(&m, box[k]).linear), 0, 1e-8);
        }
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ rolling */

/* Slip dies after 2 v / (7 mu g); 5/7 of the speed is left. */
static void ball_begins_to_roll(void **unused) {
    (void)unused;
    const double mu = 0.4, v = 1, rolls = 2 * v / (7 * mu * G), h = 1e-3, end = 0.2;
    const double exact = v * rolls - 0.5 * mu * G * rolls * rolls + 5.0 / 7 * v * (end - rolls);
    for (int s = 0; s < 2; s++) {
        BrBodyId ball;
        Machine m = make_ball(DOWN, mu, &ball);
        machine_set_twist(&m, ball, vec(v, 0, 0), NONE);
        machine_run(&m, SCHEMES[s], h, 200);
        assert_near(machine_twist(&m, ball).linear.x, 5.0 / 7 * v, 1e-9);
        assert_near(machine_twist(&m, ball).angular.y, 50.0 / 7 * v, 1e-8);
        assert_near(machine_pose(&m, ball).position.x, exact, SCHEMES[s] == BR_SCHEME_MOREAU ? v * h : mu * G * h * h);
        assert_int_equal(machine_contact(&m, 0).mode, BR_CONTACT_ROLLING);
        assert_near(machine_energy(&m).dissipated, v * v * 2 / 7, 1e-9); /* 2/7 of m v^2 / 2 with m = 2 */
        assert_near(machine_energy(&m).defect, 0, 1e-9);
        machine_end(&m);
    }
}

/* 5/7 g sin; friction is 2/7 of the weight's pull, now and on average. */
static void ball_rolls_down(void **unused) {
    (void)unused;
    const double slope = 0.35, end = 0.2, h = 1e-3, a = 5.0 / 7 * G * sin(slope);
    for (int s = 0; s < 2; s++) {
        BrBodyId ball;
        Machine m = make_ball(tilt(slope, 2), 0.2, &ball);
        machine_run(&m, SCHEMES[s], h, 200);
        BrVec3 way = vec(cos(2), sin(2), 0);
        double x = 0.5 * a * end * (end + (SCHEMES[s] == BR_SCHEME_MOREAU ? h : 0));
        assert_vec_near(machine_pose(&m, ball).position, add(scale(x, way), vec(0, 0, 0.1)), 1e-10);
        assert_vec_near(machine_twist(&m, ball).linear, scale(a * end, way), 1e-10);
        BrContact c = machine_contact(&m, 0);
        BrVec3 friction = scale(-2.0 / 7 * 2 * G * sin(slope), way);
        assert_vec_near(c.friction_force, friction, 1e-8);
        assert_vec_near(c.friction_force_mean, friction, 1e-8);
        assert_near(c.normal_force, 2 * G * cos(slope), 1e-8);
        assert_near(c.margin, 0.2 * c.normal_force - norm(friction), 1e-8);
        assert_near(norm(c.slip), 0, 1e-9);
        assert_int_equal(c.mode, BR_CONTACT_ROLLING);
        machine_end(&m);
    }
}

/* g sin / (1 + J / m r^2), whatever rolls. */
static void round_bodies_roll(void **unused) {
    (void)unused;
    const BrShapeKind kinds[] = {BR_SHAPE_CAPSULE, BR_SHAPE_CYLINDER, BR_SHAPE_DISC, BR_SHAPE_ELLIPSOID};
    const double r = 0.1, J = 0.006, slope = 0.3, h = 2e-3, a = G * sin(slope) / (1 + J / (r * r));
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 4; k++) {
            Machine m = machine_begin(tilt(slope, 0));
            BrMaterialId rubber = machine_material(&m, "rubber", 0.5, 0);
            machine_floor(&m, rubber);
            BrBodyId body = machine_body(&m, "body", 1, diagonal(0.004, J, 0.004), vec(0, 0, r));
            BrShapeDef def = br_default_shape_def();
            def.body = body, def.kind = kinds[k], def.material = rubber, def.radius = r, def.length = 0.3;
            def.size = vec(r, r, r);
            def.rotation_body = turn_about(X, 0.5 * PI);
            machine_add_shape(&m, &def);
            machine_ready(&m);
            machine_run(&m, SCHEMES[s], h, 100);
            assert_vec_near(machine_twist(&m, body).linear, vec(0.2 * a, 0, 0), 1e-9);
            assert_vec_near(machine_twist(&m, body).angular, vec(0, 0.2 * a / r, 0), 1e-8);
            assert_int_equal(machine_contact(&m, 0).mode, BR_CONTACT_ROLLING);
            machine_end(&m);
        }
}

/* A point that slides over the top of a ball is about (v h)^4/8R^3 = 1 nm off it after each step of hem2, and is put back
 * wholly, as a body with an extent is: to rounding. */
static void points_are_put_back_onto_their_surface(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId ice = machine_material(&m, "ice", 0, 0);
    machine_sphere(&m, m.ground, 1, ice);
    BrBodyId point = machine_body(&m, "point", 1, diagonal(1, 1, 1), vec(0, 0, 1));
    machine_point(&m, point, NONE, ice);
    machine_ready(&m);
    machine_set_twist(&m, point, vec(2, 0, 0), NONE);
    for (int k = 0; k < 20; k++) { /* to 0.2 rad: it leaves at 0.75 */
        machine_run(&m, BR_SCHEME_HEM2, 5e-3, 1);
        assert_near(norm(machine_pose(&m, point).position), 1, 1e-13);
    }
    machine_end(&m);
}

/* Small swings of a ball that rolls in a tube: T = 2 pi sqrt(7 (R - r) / (5 g)). */
static void ball_rocks_in_a_tube(void **unused) {
    (void)unused;
    const double R = 0.5, r = 0.1, th = 0.02, h = 1e-3;
    Machine m = machine_begin(DOWN);
    BrMaterialId rubber = machine_material(&m, "rubber", 0.8, 0);
    machine_tube(&m, R, 2, rubber);
    BrBodyId ball = machine_ball(&m, "ball", 1, r, vec((R - r) * sin(th), 0, -(R - r) * cos(th)), rubber);
    machine_ready(&m);
    double crossing[3] = {0}, x = machine_pose(&m, ball).position.x, before;
    for (int n = 0; n < 3;) {
        before = x;
        machine_run(&m, BR_SCHEME_HEM2, h, 1);
        x = machine_pose(&m, ball).position.x;
        if (before * x < 0) crossing[n++] = br_state_time(m.state) - h * x / (x - before);
        assert_true(br_state_time(m.state) < 5);
    }
    double exact = 2 * PI * sqrt(7 * (R - r) / (5 * G)) * (1 + th * th / 16);
    assert_near(crossing[2] - crossing[0], exact, 1e-5 * exact); /* (rate h)^2 / 24 is 1e-6 */
    machine_end(&m);
}

/* Ten spheres at the same place act like one. */
static void duplicated_contacts_change_nothing(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        Machine m[2];
        for (int k = 0; k < 2; k++) {
            m[k] = machine_begin(DOWN);
            BrMaterialId rubber = machine_material(&m[k], "rubber", 0.3, 0);
            machine_floor(&m[k], rubber);
            BrBodyId ball = machine_ball(&m[k], "ball", 2, 0.1, vec(0, 0, 0.1), rubber);
            for (int i = 0; k == 1 && i < 9; i++) machine_sphere(&m[k], ball, 0.1, rubber);
            machine_ready(&m[k]);
            machine_set_twist(&m[k], ball, vec(1, 0.2, 0), vec(5, -3, 7));
            machine_run(&m[k], SCHEMES[s], 1e-3, 300);
            BrVec3 force = machine_contact_force(&m[k], false);
            assert_near(force.z, 2 * G, 1e-9);
        }
        assert_near(machine_distance(&m[0], &m[1]), 0, 1e-12);
        machine_end(&m[0]), machine_end(&m[1]);
    }
}

/* ------------------------------------------------------------------ moving surfaces */

/* A belt drags with mu g until the block has its speed; half of what the belt puts in is lost. */
static void belt_drags_and_carries(void **unused) {
    (void)unused;
    const double mu = 0.4, v = 0.5, catches = v / (mu * G), end = 0.3, h = 1e-3;
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId rubber = machine_material(&m, "rubber", mu, 0);
        BrShapeDef belt = br_default_shape_def();
        belt.body = m.ground, belt.kind = BR_SHAPE_PLANE, belt.material = rubber;
        belt.surface_velocity_body = vec(0, v, 3); /* what points out of the surface does not count */
        machine_add_shape(&m, &belt);
        BrBodyId block = machine_block(&m, "block", 1, vec(0.4, 0.4, 0.02), vec(0, 0, 0.01), rubber);
        machine_ready(&m);
        machine_run(&m, SCHEMES[s], h, 300);
        assert_vec_near(machine_twist(&m, block).linear, vec(0, v, 0), 1e-9);
        assert_near(machine_pose(&m, block).position.y, v * end - 0.5 * v * catches,
                    SCHEMES[s] == BR_SCHEME_MOREAU ? v * h : mu * G * h * h);
        BrEnergy e = machine_energy(&m);
        assert_near(e.work, v * v, 2e-3 * v * v); /* mu m g v t, the end of the slide within one step */
        assert_near(e.dissipated, 0.5 * v * v, 2e-3 * v * v);
        assert_near(e.defect, 0, 1e-9);
        machine_end(&m);
    }
}

/* A shaken table carries a block with it while it asks for less than mu g. */
static double shake(BrScheme scheme, double h, double *slid) {
    const double frequency = 2, amplitude = 0.02, rate = 2 * PI * frequency; /* 3.2 m/s^2 of 3.9 */
    Machine m = machine_begin(DOWN);
    BrMaterialId rubber = machine_material(&m, "rubber", 0.4, 0);
    BrBodyDef def = br_default_body_def();
    def.name = "table", def.kind = BR_BODY_KINEMATIC;
    BrBodyId table = machine_add_body(&m, &def);
    BrShapeDef top = br_default_shape_def();
    top.body = table, top.kind = BR_SHAPE_PLANE, top.material = rubber;
    machine_add_shape(&m, &top);
    BrMotionDef motion = br_default_motion_def();
    BrMotionId id;
    motion.name = "shake", motion.body = table;
    motion.linear[0] = br_sine(amplitude, frequency, 0);
    assert_int_equal(br_model_add_motion(m.model, &motion, &id, NULL), BR_OK);
    BrBodyId block = machine_block(&m, "block", 1, vec(0.4, 0.4, 0.02), vec(0, 0, 0.01), rubber);
    machine_ready(&m);
    machine_set_twist(&m, block, vec(amplitude * rate, 0, 0), NONE);
    machine_run(&m, scheme, h, (int)lround(0.7 / h));
    *slid = machine_pose(&m, block).position.x - machine_pose(&m, table).position.x;
    double defect = machine_energy(&m).defect;
    machine_end(&m);
    return defect;
}

static void shaken_table_carries_a_block(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        double slid[2], order = SCHEMES[s] == BR_SCHEME_MOREAU ? 1 : 2;
        double coarse = shake(SCHEMES[s], 4e-3, &slid[0]), fine = shake(SCHEMES[s], 2e-3, &slid[1]);
        assert_near(slid[1], 0, order == 1 ? 1e-3 : 1e-6); /* amplitude (rate h)^order / 24 */
        if (fabs(fine) > 1e-9) assert_true(observed_order(fabs(coarse), fabs(fine)) > order - 0.3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_starts_to_slide_at_the_friction_angle),
        cmocka_unit_test(block_stops_after_the_braking_distance),
        cmocka_unit_test(contacts_carry_the_weight),
        cmocka_unit_test(static_limit_holds_and_kinetic_drags),
        cmocka_unit_test(tip_that_sticks_is_lifted_straight_up),
        cmocka_unit_test(grip_does_not_creep),
        cmocka_unit_test(lifted_body_leaves_the_ice),
        cmocka_unit_test(box_rests_in_a_corner),
        cmocka_unit_test(stack_stays),
        cmocka_unit_test(ball_begins_to_roll),
        cmocka_unit_test(ball_rolls_down),
        cmocka_unit_test(round_bodies_roll),
        cmocka_unit_test(points_are_put_back_onto_their_surface),
        cmocka_unit_test(ball_rocks_in_a_tube),
        cmocka_unit_test(duplicated_contacts_change_nothing),
        cmocka_unit_test(belt_drags_and_carries),
        cmocka_unit_test(shaken_table_carries_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
