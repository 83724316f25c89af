/* test_fast.c: bodies that fly farther in a step than they are thick, and thin ones in their way. What is met is met
 * where and when the closed form says, and what is not met is not felt. Symbols: e restitution, G gravity, v speed, r
 * radius, d thickness, h step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "machine.h"
#include "soft_support.h"

static const double G = 9.81;
static const BrVec3 NONE = {0, 0, 0};

/* hem2 meets a touch within BRI_CLOSED (1e-9 m), the event formulation within rounding. */
enum { HEM2, EVENT, EXACT, MOREAU = EXACT, ALL };
static const double PLACE[] = {3e-9, 1e-10};

static BrStepDef make_def(int kind, double h) {
    return kind == EVENT ? machine_event_def(h) : machine_step_def(kind == HEM2 ? BR_SCHEME_HEM2 : BR_SCHEME_MOREAU, h);
}

/* Worlds that are turned: along the axes, and across them. */
enum { TURNS = 3 };
static BrMat3 choose_turn(int k) { return turn_about(vec(1, 2, k), k == 0 ? 0 : 0.7 * k); }

/* A fixed plate about the origin, `size` in the turned world. */
static void add_plate(Machine *m, BrBodyId body, const BrMat3 *R, BrVec3 size, BrMaterialId material) {
    BrShapeDef def = br_default_shape_def();
    def.body = body;
    def.kind = BR_SHAPE_BOX;
    def.size = size;
    def.rotation_body = *R;
    def.material = material;
    machine_add_shape(m, &def);
}

/* A ball over a plate of thickness d, in a world that is turned. */
static Machine make_drop(const BrMat3 *R, double g, double d, double r, double height, double mu, double e,
                         BrBodyId *ball) {
    Machine m = machine_begin(rotate(R, vec(0, 0, -g)));
    BrMaterialId steel = machine_material(&m, "steel", mu, e);
    add_plate(&m, m.ground, R, vec(2, 2, d), steel);
    *ball = machine_ball(&m, "ball", 1, r, rotate(R, vec(0.1, 0, 0.5 * d + r + height)), steel);
    machine_ready(&m);
    return m;
}

/* Dropped from 1 or 1.5 m it comes back as from the touch, however long steps are. */
static void dropped_ball_comes_back_from_a_thin_plate(void **unused) {
    (void)unused;
    const double D[] = {1e-3, 0.02, 0.02}, R[] = {5e-3, 0.05, 0.02}, H[] = {1.5, 1.5, 1};
    const double DT[] = {1e-3, 0.01, 0.02, 0.05, 0.1}, e = 0.5, end = 0.8;
    for (int k = 0; k < EXACT * 3 * 5 * TURNS; k++) {
        int kind = k % EXACT, way = k / EXACT % 3, turn = k / EXACT / 15;
        double h = DT[k / EXACT / 3 % 5], after = end - sqrt(2 * H[way] / G), back = e * sqrt(2 * G * H[way]);
        BrMat3 A = choose_turn(turn);
        BrBodyId ball;
        Machine m = make_drop(&A, G, D[way], R[way], H[way], 0.3, e, &ball);
        BrStepDef def = make_def(kind, h);
        def.impact_speed = 1; /* preset it grows with the step, and is nearly the speed here */
        BrStepReport report = machine_steps(&m, &def, (int)round(end / h));
        BrVec3 place = rotate_back(&A, machine_pose(&m, ball).position);
        assert_int_equal(report.impacts, 1);
        assert_near(place.z, 0.5 * D[way] + R[way] + back * after - 0.5 * G * after * after, PLACE[kind]);
        assert_vec_near(machine_twist(&m, ball).linear, rotate(&A, vec(0, 0, back - G * after)), 1e-7);
        machine_end(&m);
    }
}

/* At 50 to 2000 m/s, straight or at a slant, thick or thin, a few widths in a step or a thousand. */
static void bullet_comes_back_from_the_wall(void **unused) {
    (void)unused;
    const double V[] = {50, 300, 2000}, D[] = {1e-3, 0.1}, R[] = {2.5e-3, 0.05}, DT[] = {1e-3, 1e-4};
    const double e = 0.5, gap = 0.23, end = 5e-3;
    for (int k = 0; k < EXACT * 48; k++) {
        int kind = k % EXACT, n = k / EXACT;
        double v = V[n % 3], d = D[n / 3 % 2], r = R[n / 6 % 2], h = DT[n / 12 % 2], slant = n / 24 % 2 ? 3 : 0;
        BrMat3 A = choose_turn(n % TURNS);
        BrBodyId ball;
        Machine m = make_drop(&A, 0, d, r, gap, 0, e, &ball);
        BrStepDef def = make_def(kind, h);
        machine_set_twist(&m, ball, rotate(&A, vec(0, slant * 20, -v)), NONE);
        machine_steps(&m, &def, (int)round(end / h));
        double after = end - gap / v;
        BrVec3 place = rotate_back(&A, machine_pose(&m, ball).position);
        assert_near(place.y, slant * 20 * end, 1e-12 * v);
        if (after < 0)
            assert_near(place.z, 0.5 * d + r + gap - v * end, 1e-12 * v);
        else
            assert_near(place.z, 0.5 * d + r + e * v * after, PLACE[kind]);
        machine_end(&m);
    }
}

/* moreau stops or reflects in the step in which the wall is met: it never passes, and is off by no more than its way in
 * that step. */
static void moreau_is_off_by_a_step(void **unused) {
    (void)unused;
    const double V[] = {50, 300, 2000}, D[] = {1e-3, 0.1}, DT[] = {1e-3, 1e-4, 1e-5}, r = 2.5e-3, gap = 0.23,
                 end = 5e-3;
    for (int k = 0; k < 36; k++) {
        double v = V[k % 3], d = D[k / 3 % 2], h = DT[k / 6 % 3], e = k / 18 * 0.5, after = fmax(0, end - gap / v);
        BrMat3 A = choose_turn(k % TURNS);
        BrBodyId ball;
        Machine m = make_drop(&A, 0, d, r, gap, 0.3, e, &ball);
        BrStepDef def = make_def(MOREAU, h);
        machine_set_twist(&m, ball, rotate(&A, vec(0, 0, -v)), NONE);
        machine_steps(&m, &def, (int)round(end / h));
        double met = fmin(end, gap / v), z = rotate_back(&A, machine_pose(&m, ball).position).z - 0.5 * d - r;
        assert_between(z, -1e-9, v * end);
        assert_near(z, gap - v * met + e * v * after, (1 + e) * v * h + 1e-9);
        machine_end(&m);
    }
}

/* Two that meet head-on, of different mass: momentum is kept, and the difference of speeds comes back by e. */
static void two_bullets_meet(void **unused) {
    (void)unused;
    const double R = 2.5e-3, DT[] = {1e-2, 1e-3, 1e-4}, V[] = {5, 100, 1000};
    for (int k = 0; k < EXACT * 36; k++) {
        int kind = k % EXACT, n = k / EXACT;
        double h = DT[n % 3], v = V[n / 3 % 3], mass = n / 9 % 2 ? 1 : 7, e = n / 18 ? 1 : 0.5;
        double met = 6e-3, end = 2e-2;
        BrMat3 A = choose_turn(n % TURNS);
        Machine m = machine_begin(NONE);
        BrMaterialId steel = machine_material(&m, "steel", 0.3, e);
        BrBodyId one = machine_ball(&m, "one", 1, R, rotate(&A, vec(-R - v * met, 0, 0)), steel);
        BrBodyId two = machine_ball(&m, "two", mass, R, rotate(&A, vec(R + 0.5 * v * met, 0, 0)), steel);
        machine_ready(&m);
        machine_set_twist(&m, one, rotate(&A, vec(v, 0, 0)), NONE);
        machine_set_twist(&m, two, rotate(&A, vec(-0.5 * v, 0, 0)), NONE);
        BrStepDef def = make_def(kind, h);
        machine_steps(&m, &def, (int)round(end / h));
        double both = (v - 0.5 * v * mass) / (1 + mass), apart = e * 1.5 * v;
        double v_one = both - apart * mass / (1 + mass), v_two = both + apart / (1 + mass);
        assert_near(rotate_back(&A, machine_pose(&m, one).position).x, -R + v_one * (end - met),
                    PLACE[kind] + 1e-12 * v);
        assert_near(rotate_back(&A, machine_pose(&m, two).position).x, R + v_two * (end - met),
                    PLACE[kind] + 1e-12 * v);
        machine_end(&m);
    }
}

/* A rod of 1 m that turns about its middle, 0.3 m over a plate of 1 mm: its end comes down at the angle a,
 * l sin a + r + d/2 = 0.3, and strikes with w l cos a. At the end of a long step it would have gone through the plate, or
 * be out of it again. */
static void turning_rod_strikes_a_plate(void **unused) {
    (void)unused;
    const double l = 0.5, r = 0.01, d = 1e-3, height = 0.3, mass = 2, J = 0.2, e = 0.5;
    const double W[] = {5, 100, 300}, TURN[] = {0.05, 0.5, 1.5, 2.5};
    for (int k = 0; k < EXACT * 12; k++) {
        int kind = k % EXACT, n = k / EXACT;
        double w = W[n % 3], h = TURN[n / 3] / w, angle = asin((height - r - 0.5 * d) / l), met = angle / w;
        BrMat3 A = choose_turn(n % TURNS);
        Machine m = machine_begin(NONE);
        BrMaterialId steel = machine_material(&m, "steel", 0, e);
        add_plate(&m, m.ground, &A, vec(4, 4, d), steel);
        BrBodyDef body = br_default_body_def();
        body.name = "rod";
        body.mass = mass;
        body.inertia = diagonal(J, J, 0.001);
        body.position = rotate(&A, vec(0, 0, height));
        BrMat3 lying = turn_about(vec(0, 1, 0), PI / 2);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                body.rotation.m[i][j] = 0;
                for (int s = 0; s < 3; s++) body.rotation.m[i][j] += A.m[i][s] * lying.m[s][j];
            }
        BrBodyId rod = machine_add_body(&m, &body);
        BrShapeDef shape = br_default_shape_def();
        shape.body = rod;
        shape.kind = BR_SHAPE_CAPSULE;
        shape.radius = r;
        shape.length = 2 * l;
        shape.material = steel;
        machine_add_shape(&m, &shape);
        machine_ready(&m);
        machine_set_twist(&m, rod, NONE, rotate(&A, vec(0, w, 0)));
        BrStepDef def = make_def(kind, h);
        machine_steps(&m, &def, (int)ceil(met / h)); /* to the end of the step in which it strikes */
        double arm = l * cos(angle), p = (1 + e) * w * arm / (1 / mass + arm * arm / J), end = h * ceil(met / h);
        double tolerance = kind == EVENT ? 1e-9 : 1e-6; /* the arm at an end that is 1e-9 m off */
        assert_vec_near(machine_twist(&m, rod).linear, rotate(&A, vec(0, 0, p / mass)), tolerance * w);
        assert_vec_near(machine_twist(&m, rod).angular, rotate(&A, vec(0, w - p * arm / J, 0)), tolerance * w);
        assert_near(rotate_back(&A, machine_pose(&m, rod).position).z, height + p / mass * (end - met), tolerance);
        machine_end(&m);
    }
}

/* What flies past is not touched: 1 mm beside the rim of a wall, along its face, or between two walls. */
static void what_flies_past_is_not_disturbed(void **unused) {
    (void)unused;
    const double r = 2.5e-3, V[] = {100, 2000}, DT[] = {1e-3, 1e-4};
    for (int k = 0; k < ALL * 12; k++) {
        int kind = k % ALL, n = k / ALL, where = n % 3;
        double v = V[n / 3 % 2], h = DT[n / 6];
        BrMat3 A = choose_turn(n % TURNS);
        Machine m = machine_begin(NONE);
        BrMaterialId steel = machine_material(&m, "steel", 0.3, 0.5);
        add_plate(&m, m.ground, &A, where == 1 ? vec(2, 2, 1e-3) : vec(1e-3, 2, 2), steel);
        double z = where == 1 ? 0.5e-3 + r + 1e-3 : 1 + r + 1e-3;
        BrVec3 from = vec(-0.43, 0.1, z), speed = vec(v, 0, where == 2 ? 0.2 * v : 0);
        if (where == 2) from.z -= 0.2 * 0.42; /* it comes from below the rim's height, and is above it in time */
        BrBodyId ball = machine_ball(&m, "ball", 0.01, r, rotate(&A, from), steel);
        machine_ready(&m);
        machine_set_twist(&m, ball, rotate(&A, speed), NONE);
        BrStepDef def = make_def(kind, h);
        BrStepReport report = machine_steps(&m, &def, 10);
        assert_int_equal(report.impacts, 0);
        assert_vec_near(machine_twist(&m, ball).linear, rotate(&A, speed), 1e-9 * v);
        assert_vec_near(machine_pose(&m, ball).position, rotate(&A, add(from, scale(10 * h, speed))), 1e-9);
        machine_end(&m);
    }
}

/* Whirling past the rim of a plate, with the size of the body or less to spare: places that were found over its faces have
 * nothing under them any more, and nothing pushes. */
static void what_whirls_past_a_rim_is_not_disturbed(void **unused) {
    (void)unused;
    enum { BODIES = 40, KINDS = 4 };
    const BrShapeKind KIND[KINDS] = {BR_SHAPE_BOX, BR_SHAPE_CYLINDER, BR_SHAPE_CAPSULE, BR_SHAPE_DISC};
    const int PARTS[] = {1, 3, 7};
    Given spring = {"kelvin-voigt", {{"stiffness", 1e6}}}, rub = {"dwell", {{"mu_s", 0.3}, {"mu_k", 0.3}}};
    uint64_t seed = 5;
    for (int k = 0; k < BODIES; k++) {
        BrShapeDef shape = br_default_shape_def();
        shape.kind = KIND[k % KINDS];
        shape.radius = draw(&seed, 0.005, 0.05), shape.length = draw(&seed, 0.02, 0.2);
        shape.size = vec(draw(&seed, 0.01, 0.1), draw(&seed, 0.01, 0.1), draw(&seed, 0.01, 0.1));
        double extent = shape.kind == BR_SHAPE_BOX ? 0.5 * norm(shape.size) : 0.5 * shape.length + shape.radius;
        double speed = draw(&seed, 5, 500), T = 1 / speed, half = 0.5 + extent * draw(&seed, 1, 2);
        BrVec3 way = scale(speed, vec(draw(&seed, -0.5, 0.5), draw(&seed, -0.5, 0.5), -1));
        BrVec3 from = sub(vec(way.x < 0 ? half : -half, draw(&seed, -0.3, 0.3), 0), scale(0.6 * T, way));
        if (way.x < 0) from.x += -way.x * 0.4 * T; /* it stays outside until it is below, */
        if (way.x > 0) from.x -= way.x * 0.4 * T;
        BrVec3 spin = draw_vec(&seed, 6 * speed), g = vec(0, 0, -G);
        for (int n = 0; n < 3 * 3; n++) {
            Machine m = machine_begin(g);
            BrMaterialId rubber = add_soft(&m, "rubber", &spring, &rub);
            machine_box(&m, m.ground, vec(1, 1, 5e-3), rubber);
            BrBodyId body = machine_body(&m, "body", 1, diagonal(1e-3, 1.2e-3, 1.5e-3), from);
            shape.body = body, shape.material = rubber;
            machine_add_shape(&m, &shape);
            machine_ready(&m);
            machine_set_twist(&m, body, way, spin);
            double h = T / PARTS[n / 3];
            BrStepDef def = n % 3 < EXACT ? make_def(n % 3, h) : soft_def(BR_SCHEME_ADAPTIVE, h, 1);
            BrStepReport report = machine_steps(&m, &def, PARTS[n / 3]);
            assert_int_equal(report.impacts, 0);
            BrVec3 place = add(add(from, scale(T, way)), scale(0.5 * T * T, g));
            assert_vec_near(machine_pose(&m, body).position, place, 1e-10);
            machine_end(&m);
        }
    }
}

/* A plate of 1 mm that is moved at 300 m/s takes a ball along that stands in its way. */
static void moved_plate_strikes(void **unused) {
    (void)unused;
    const double r = 2.5e-3, d = 1e-3, v = 300, gap = 0.13, e = 0.5, DT[] = {1e-3, 1e-4}, end = 2e-3;
    for (int k = 0; k < ALL * 2; k++) {
        int kind = k % ALL;
        double h = DT[k / ALL];
        Machine m = machine_begin(NONE);
        BrMaterialId steel = machine_material(&m, "steel", 0, e);
        BrBodyDef body = br_default_body_def();
        body.name = "plate";
        body.kind = BR_BODY_KINEMATIC;
        body.position = vec(-0.5 * d - r - gap, 0, 0);
        BrBodyId plate = machine_add_body(&m, &body);
        machine_box(&m, plate, vec(d, 1, 1), steel);
        BrMotionDef motion = br_default_motion_def();
        motion.name = "push";
        motion.body = plate;
        motion.by_velocity = true;
        motion.linear[0] = br_constant(v);
        assert_int_equal(br_model_add_motion(m.model, &motion, NULL, NULL), BR_OK);
        BrBodyId ball = machine_ball(&m, "ball", 0.01, r, NONE, steel);
        machine_ready(&m);
        BrStepDef def = make_def(kind, h);
        machine_steps(&m, &def, (int)round(end / h));
        assert_near(machine_twist(&m, ball).linear.x, (1 + e) * v, 1e-6 * v);
        double off = kind == MOREAU ? (1 + e) * v * h : 1e-8;
        assert_near(machine_pose(&m, ball).position.x, (1 + e) * v * (end - gap / v), off);
        machine_end(&m);
    }
}

/* While a slide comes to its end, in steps of its own, a bullet elsewhere meets its wall all the same. */
static void bullet_is_seen_while_a_slide_ends(void **unused) {
    (void)unused;
    const double r = 2.5e-3, mu = 0.3, v = 100, gap = 1.03, e = 0.5, h = 0.02;
    Machine m = machine_begin(vec(0, 0, -G));
    BrMaterialId steel = machine_material(&m, "steel", mu, e), ice = machine_material(&m, "ice", 0, e);
    machine_box(&m, m.ground, vec(20, 20, 0.1), steel);
    BrShapeDef wall = br_default_shape_def();
    wall.body = m.ground;
    wall.kind = BR_SHAPE_BOX;
    wall.size = vec(1e-3, 10, 10);
    wall.position_body = vec(3, 0, 5);
    wall.material = ice;
    machine_add_shape(&m, &wall);
    BrPairDef pair = br_default_pair_def();
    pair.material_a = steel, pair.material_b = ice;
    br_law_set(&pair.surface.friction, "mu", 0);
    br_law_set(&pair.surface.normal, "restitution", e);
    assert_int_equal(br_model_add_pair(m.model, &pair, NULL), BR_OK);
    BrBodyId block = machine_ball(&m, "block", 1, 0.2, vec(0, 0, 0.25), steel);
    BrBodyId bullet = machine_ball(&m, "bullet", 0.01, r, vec(3 - 0.5e-3 - r - gap, 1, 4), ice);
    machine_ready(&m);
    double slip = mu * G * 3.5 * 0.5 * gap / v; /* the ball rolls, its slide ending, while the bullet is half way */
    machine_set_twist(&m, block, vec(slip, 0, 0), NONE);
    machine_set_twist(&m, bullet, vec(v, 0, 0), NONE);
    BrStepDef def = machine_event_def(h);
    machine_steps(&m, &def, 1);
    assert_near(machine_twist(&m, bullet).linear.x, -e * v, 1e-9 * v);
    assert_near(machine_pose(&m, bullet).position.x, 3 - 0.5e-3 - r - e * v * (h - gap / v), 1e-8);
    assert_near(machine_twist(&m, block).linear.x, slip * 5 / 7, 1e-9);
    machine_end(&m);
}

/* Forces that come in with depth: the touch is found, and a spring (kelvin-voigt without damping) of depth v sqrt(m/k),
 * less than the plate is thick, gives all of the speed back after half a period. */
static void soft_wall_is_met(void **unused) {
    (void)unused;
    const double r = 0.05, d = 0.02, v = 40, gap = 1.23, k = 1e8, mass = 1, half = PI * sqrt(mass / k), end = 0.05;
    const BrScheme SCHEME[] = {BR_SCHEME_ADAPTIVE, BR_SCHEME_RK4};
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(NONE);
        Given spring = {"kelvin-voigt", {{"stiffness", k}}}, rub = {"dwell", {{"mu_s", 0.3}, {"mu_k", 0.3}}};
        BrMaterialId rubber = add_soft(&m, "rubber", &spring, &rub);
        machine_box(&m, m.ground, vec(1, 1, d), rubber);
        BrBodyId ball = machine_ball(&m, "ball", mass, r, vec(0, 0, 0.5 * d + r + gap), rubber);
        machine_ready(&m);
        machine_set_twist(&m, ball, vec(0, 0, -v), NONE);
        BrStepDef def = soft_def(SCHEME[s], s ? 5e-3 : 0.05, 1);
        if (s) { /* a fixed step meets it, and then is too long for the spring: only that it meets it is asked */
            BrStepReport report = {0};
            int met = 0;
            for (int i = 0; i < 7; i++)
                if (br_step(m.model, m.workspace, m.state, &def, &report, NULL) >= 0) met += report.impacts;
            assert_true(met > 0);
        } else {
            machine_steps(&m, &def, 1);
            assert_near(machine_twist(&m, ball).linear.z, v, 1e-6 * v);
            assert_near(machine_pose(&m, ball).position.z, 0.5 * d + r + v * (end - gap / v - half), 1e-6);
        }
        machine_end(&m);
    }
}

static bool stop_at_once(void *count) { return ++*(int *)count > 0; }

/* Looks along the way are counted, and can be stopped. */
static void looks_are_counted_and_stopped(void **unused) {
    (void)unused;
    for (int kind = 0; kind < EXACT; kind++) {
        BrMat3 A = choose_turn(0);
        double work[2];
        for (int near = 0; near < 2; near++) {
            BrBodyId ball;
            Machine m = make_drop(&A, 0, 1e-3, 2.5e-3, near ? 1.1 : 50, 0, 0.5, &ball);
            BrStepDef def = make_def(kind, 1e-3);
            BrStepReport report;
            machine_set_twist(&m, ball, vec(300, 0, -2000), NONE);
            assert_int_equal(br_step(m.model, m.workspace, m.state, &def, &report, NULL), BR_OK);
            work[near] = report.work;
            int asked = 0;
            machine_set_twist(&m, ball, vec(300, 0, -2000), NONE);
            BrPose before = machine_pose(&m, ball);
            def.most_work = 100;
            assert_int_equal(br_step(m.model, m.workspace, m.state, &def, &report, NULL), BR_TOO_MUCH_WORK);
            assert_vec_near(machine_pose(&m, ball).position, before.position, 0);
            def.most_work = 1e10;
            def.stop = stop_at_once;
            def.stop_user = &asked;
            assert_int_equal(br_step(m.model, m.workspace, m.state, &def, &report, NULL), BR_CANCELLED);
            assert_vec_near(machine_pose(&m, ball).position, before.position, 0);
            machine_end(&m);
        }
        assert_true(work[1] > work[0]);
        assert_true(work[1] < 1e8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dropped_ball_comes_back_from_a_thin_plate),
        cmocka_unit_test(bullet_comes_back_from_the_wall),
        cmocka_unit_test(moreau_is_off_by_a_step),
        cmocka_unit_test(two_bullets_meet),
        cmocka_unit_test(turning_rod_strikes_a_plate),
        cmocka_unit_test(what_flies_past_is_not_disturbed),
        cmocka_unit_test(what_whirls_past_a_rim_is_not_disturbed),
        cmocka_unit_test(moved_plate_strikes),
        cmocka_unit_test(bullet_is_seen_while_a_slide_ends),
        cmocka_unit_test(soft_wall_is_met),
        cmocka_unit_test(looks_are_counted_and_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
