/* test_books.c: the energy books of contacts: `dissipated` is what slip, impacts and stops took, and nothing else; what
 * the scheme loses by its order is the defect. Symbols: G gravity, h step, r radius. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "machine.h"

static const double G = 9.81;
static const BrVec3 NONE = {0, 0, 0}, DOWN = {0, 0, -9.81}, X = {1, 0, 0}, Y = {0, 1, 0};
static const BrScheme SCHEMES[] = {BR_SCHEME_MOREAU, BR_SCHEME_HEM2};

/* Steps, and what is dissipated never falls. */
static void run_and_watch(Machine *m, BrScheme scheme, double h, int steps) {
    BrStepDef def = machine_step_def(scheme, h);
    double last = machine_energy(m).dissipated;
    for (int k = 0; k < steps; k++) {
        machine_steps(m, &def, 1);
        double now = machine_energy(m).dissipated;
        assert_true(now >= last);
        last = now;
    }
}

/* ------------------------------------------------------------------ rolling */

/* Down a plane that leans, from rest, without slip. */
static BrEnergy roll_down(BrScheme scheme, double h, double end) {
    Machine m = machine_begin(vec(G * sin(0.3), 0, -G * cos(0.3)));
    BrMaterialId rubber = machine_material(&m, "rubber", 0.8, 0);
    machine_floor(&m, rubber);
    machine_ball(&m, "ball", 1, 0.1, vec(0, 0, 0.1), rubber);
    machine_ready(&m);
    run_and_watch(&m, scheme, h, (int)lround(end / h));
    BrEnergy energy = machine_energy(&m);
    machine_end(&m);
    return energy;
}

/* In a tube, round its bottom: the normal turns under the ball. */
static BrEnergy rock(BrScheme scheme, double h, double end) {
    const double R = 0.5, r = 0.1, th = 1;
    Machine m = machine_begin(DOWN);
    BrMaterialId rubber = machine_material(&m, "rubber", 2, 0);
    machine_tube(&m, R, 2, rubber);
    machine_ball(&m, "ball", 1, r, vec((R - r) * sin(th), 0, -(R - r) * cos(th)), rubber);
    machine_ready(&m);
    run_and_watch(&m, scheme, h, (int)lround(end / h));
    BrEnergy energy = machine_energy(&m);
    machine_end(&m);
    return energy;
}

/* Round a loop fast, without gravity: 500 m/s^2 toward its middle, far from any speed that tells an impact. */
static BrEnergy loop(BrScheme scheme, double h, double end) {
    const double R = 0.3, r = 0.1, v = 10;
    Machine m = machine_begin(NONE);
    BrMaterialId rubber = machine_material(&m, "rubber", 1, 0);
    machine_tube(&m, R, 2, rubber);
    BrBodyId ball = machine_ball(&m, "ball", 1, r, vec(0, 0, r - R), rubber);
    machine_ready(&m);
    machine_set_twist(&m, ball, vec(v, 0, 0), vec(0, v / r, 0));
    run_and_watch(&m, scheme, h, (int)lround(end / h));
    BrEnergy energy = machine_energy(&m);
    machine_end(&m);
    return energy;
}

/* A wheel that leans and rolls round: its place runs along the rim. */
static BrEnergy roll_round(BrScheme scheme, double h, double end) {
    Machine m = machine_begin(DOWN);
    BrMaterialId rubber = machine_material(&m, "rubber", 3, 0);
    machine_floor(&m, rubber);
    const double r = 0.25, lean = 0.3, v = 3, w = v / r;
    BrBodyDef def = br_default_body_def();
    def.name = "wheel", def.mass = 1, def.inertia = diagonal(0.015625, 0.015625, 0.03125);
    def.rotation = turn_about(X, 0.5 * PI + lean); /* its axis lies down, but for the lean */
    def.position = vec(0, 0, r * cos(lean));
    BrBodyId wheel = machine_add_body(&m, &def);
    BrShapeDef rim = br_default_shape_def();
    rim.body = wheel, rim.kind = BR_SHAPE_DISC, rim.radius = r, rim.material = rubber;
    machine_add_shape(&m, &rim);
    machine_ready(&m);
    /* axis (0, -cos, sin)(lean) of the body's z: a turn w about it moves the centre along x */
    machine_set_twist(&m, wheel, vec(v, 0, 0), scale(-w, vec(0, -cos(lean), -sin(lean))));
    run_and_watch(&m, scheme, h, (int)lround(end / h));
    BrEnergy energy = machine_energy(&m);
    machine_end(&m);
    return energy;
}

/* Without slip nothing is dissipated; the defect falls with the order of the scheme. */
static void rolling_dissipates_nothing(void **unused) {
    (void)unused;
    static const struct {
        BrEnergy (*run)(BrScheme scheme, double h, double end);
        double end, h;
    } CASES[] = {{roll_down, 1, 4e-3}, {rock, 1, 2e-3}, {loop, 0.1, 2e-4}, {roll_round, 0.4, 1e-3}};
    for (int k = 0; k < 4; k++)
        for (int s = 0; s < 2; s++) {
            BrEnergy coarse = CASES[k].run(SCHEMES[s], CASES[k].h, CASES[k].end),
                     fine = CASES[k].run(SCHEMES[s], 0.5 * CASES[k].h, CASES[k].end);
            /* slip below 1e-9 m/s is none; a start that is not quite round slips for a step at most */
            assert_near(coarse.dissipated, 0, 1e-12);
            assert_near(fine.dissipated, 0, 1e-12);
            if (fabs(fine.defect) < 1e-9) continue; /* on the plane hem2 has none */
            double order = observed_order(fabs(coarse.defect), fabs(fine.defect));
            if (s == 0)
                assert_between(order, 0.8, 1.3);
            else
                assert_true(order > 1.7);
        }
}

/* ------------------------------------------------------------------ sliding */

/* A block brakes to rest: all of its energy, mu m g s. */
static void braking_block_dissipates_its_energy(void **unused) {
    (void)unused;
    const double mu = 0.4, v = 2, h = 1e-3;
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId wood = machine_material(&m, "wood", mu, 0);
        machine_floor(&m, wood);
        BrBodyId block = machine_block(&m, "block", 1.5, vec(0.4, 0.4, 0.05), vec(0, 0, 0.025), wood);
        machine_ready(&m);
        machine_set_twist(&m, block, vec(v, 0, 0), NONE);
        run_and_watch(&m, SCHEMES[s], h, 300); /* half of the way: friction times the way, exactly, and its order */
        double way = machine_pose(&m, block).position.x;
        assert_near(machine_energy(&m).dissipated, mu * 1.5 * G * way, s == 0 ? mu * 1.5 * G * v * h : 1e-9);
        run_and_watch(&m, SCHEMES[s], h, 400);
        assert_near(machine_twist(&m, block).linear.x, 0, 1e-9);
        assert_near(machine_energy(&m).dissipated, 0.5 * 1.5 * v * v,
                    1e-9); /* the mean slip is exact also at the end */
        assert_near(machine_energy(&m).defect, 0, 1e-9);
        machine_end(&m);
    }
}

/* A ball that slides until it rolls loses 2/7 of its energy, and nothing after that. */
static void ball_stops_dissipating_when_it_rolls(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId cloth = machine_material(&m, "cloth", 0.2, 0);
        machine_floor(&m, cloth);
        BrBodyId ball = machine_ball(&m, "ball", 1, 0.1, vec(0, 0, 0.1), cloth);
        machine_ready(&m);
        machine_set_twist(&m, ball, vec(1, 0, 0), NONE);
        run_and_watch(&m, SCHEMES[s], 1e-3, 400);
        double rolls = machine_energy(&m).dissipated;
        assert_near(rolls, 1.0 / 7, 1e-9);
        run_and_watch(&m, SCHEMES[s], 1e-3, 400);
        assert_near(machine_energy(&m).dissipated, rolls, 1e-15);
        machine_end(&m);
    }
}

/* A block is carried up and along by a platform that moves it: the platform works, nothing is lost. */
static void platform_works_without_loss(void **unused) {
    (void)unused;
    double defect[2][2];
    for (int s = 0; s < 2; s++)
        for (int half = 0; half < 2; half++) {
            double h = half ? 1e-3 : 2e-3;
            Machine m = machine_begin(DOWN);
            BrMaterialId rubber = machine_material(&m, "rubber", 0.8, 0);
            BrBodyDef def = br_default_body_def();
            def.name = "platform", def.kind = BR_BODY_KINEMATIC;
            BrBodyId platform = machine_add_body(&m, &def);
            BrShapeDef top = br_default_shape_def();
            top.body = platform, top.kind = BR_SHAPE_PLANE, top.material = rubber;
            machine_add_shape(&m, &top);
            BrMotionDef motion = br_default_motion_def();
            BrMotionId id;
            motion.name = "lift", motion.body = platform;
            motion.linear[0] = br_expression("0.2*(1 - cos(3*t))");
            motion.linear[2] = br_expression("0.3*(1 - cos(2*t))");
            assert_int_equal(br_model_add_motion(m.model, &motion, &id, NULL), BR_OK);
            BrBodyId block = machine_block(&m, "block", 2, vec(0.4, 0.4, 0.05), vec(0, 0, 0.025), rubber);
            machine_ready(&m);
            run_and_watch(&m, SCHEMES[s], h, (int)lround(1.2 / h));
            BrEnergy energy = machine_energy(&m);
            BrVec3 v = machine_twist(&m, block).linear;
            assert_near(v.x, 0.6 * sin(3.6), s == 0 ? 4 * h : 1e-4); /* carried, not slipping */
            assert_near(energy.dissipated, 0, 1e-12);
            double held = 0.5 * 2 * dot(v, v) + 2 * G * (machine_pose(&m, block).position.z - 0.025);
            assert_near(energy.work, held, s == 0 ? 40 * h : 40 * h * h);
            defect[s][half] = fabs(energy.defect);
            machine_end(&m);
        }
    assert_true(observed_order(defect[0][0], defect[0][1]) > 0.8);
    assert_true(defect[1][1] < 1e-9 || observed_order(defect[1][0], defect[1][1]) > 1.7);
}

/* ------------------------------------------------------------------ impacts and stops */

/* Each bounce takes (1 - e^2) of the energy it comes with, flight takes none. */
static void bounces_take_their_part(void **unused) {
    (void)unused;
    const double e = 0.7, height = 0.3;
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId steel = machine_material(&m, "steel", 0.3, e);
        machine_floor(&m, steel);
        machine_ball(&m, "ball", 1, 0.1, vec(0, 0, 0.1 + height), steel);
        machine_ready(&m);
        double h = 1e-4, expected = 0;
        BrStepDef def = machine_step_def(SCHEMES[s], h);
        for (int k = 0; k < 20000; k++) {
            BrStepReport report = machine_steps(&m, &def, 1);
            for (int i = 0; i < report.events; i++)
                if (report.event[i].kind == BR_EVENT_IMPACT)
                    expected += 0.5 * (1 - e * e) * report.event[i].before * report.event[i].before;
        }
        /* moreau: the weight's impulse within the step counts with the impact's, m g h v (1 - e)/2 each */
        double tolerance = s == 0 ? 4 * G * h * sqrt(2 * G * height) : 0;
        tolerance += 2 * G * h * 2 * G * h; /* approaches below the impact speed, 2 G h, are no impacts, but stop */
        assert_true(expected > 0.9 * G * height);
        assert_near(machine_energy(&m).dissipated, expected, tolerance);
        machine_end(&m);
    }
}

/* Nothing comes back: all of it, also where moreau takes two steps to the surface. */
static void landing_takes_everything(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 5; k++) {
            Machine m = machine_begin(NONE);
            BrMaterialId clay = machine_material(&m, "clay", 0.3, 0);
            machine_floor(&m, clay);
            BrBodyId ball = machine_ball(&m, "ball", 2, 0.1, vec(0, 0, 0.1 + 4.7e-4 * k), clay);
            machine_ready(&m);
            machine_set_twist(&m, ball, vec(0, 0, -2), NONE);
            run_and_watch(&m, SCHEMES[s], 1e-3, 5);
            assert_near(machine_twist(&m, ball).linear.z, 0, 1e-12);
            assert_near(machine_energy(&m).dissipated, 4, 1e-12);
            assert_near(machine_energy(&m).defect, 0, 1e-12);
            machine_end(&m);
        }
}

/* A slider brakes by dry friction F, then strikes a stop; a motor drives another: each takes or gives its own. */
static void stops_and_dry_friction_take_their_part(void **unused) {
    (void)unused;
    const double F = 3, v = 2, h = 1e-3;
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(NONE);
        BrMaterialId steel = machine_material(&m, "steel", 0.3, 0); /* something may touch: bounds are rows then */
        machine_floor(&m, steel);
        BrBodyId car = machine_body(&m, "car", 1, diagonal(1, 1, 1), vec(0, 0, 1));
        machine_sphere(&m, car, 0.1, steel);
        BrJointDef rail = br_default_joint_def();
        rail.name = "rail", rail.type = BR_JOINT_PRISMATIC, rail.body_a = m.ground, rail.body_b = car;
        rail.at = vec(0, 0, 1), rail.axis = X, rail.dry_friction[0] = F, rail.lower[0] = -1, rail.upper[0] = 0.5;
        machine_add_joint(&m, &rail);
        machine_ready(&m);
        machine_set_twist(&m, car, vec(v, 0, 0), NONE);
        run_and_watch(&m, SCHEMES[s], h, 200);
        double way = machine_pose(&m, car).position.x;
        assert_near(machine_energy(&m).dissipated, F * way, s == 0 ? F * v * h : 1e-9);
        run_and_watch(&m, SCHEMES[s], h, 400);
        assert_near(machine_twist(&m, car).linear.x, 0, 1e-9);
        assert_near(machine_pose(&m, car).position.x, 0.5, F * h * h); /* friction slows the last step short of it */
        assert_near(machine_energy(&m).dissipated, 0.5 * v * v, 1e-9);
        assert_near(machine_energy(&m).defect, 0, 1e-9);
        machine_end(&m);
    }
}

/* A slider rests against the stop of an arm that turns, pressed out by the turning: the stop takes nothing. */
static void stop_that_holds_takes_nothing(void **unused) {
    (void)unused;
    const double spin = 5, reach = 0.4;
    double defect[2][2];
    for (int s = 0; s < 2; s++)
        for (int half = 0; half < 2; half++) {
            double h = half ? 5e-4 : 1e-3;
            Machine m = machine_begin(vec(0, -2, 0)); /* in the plane of the turning: it is not steady */
            BrMaterialId steel = machine_material(&m, "steel", 0.3, 0);
            BrBodyId arm = machine_body(&m, "arm", 1, diagonal(0.1, 0.1, 0.1), NONE);
            BrBodyId slider = machine_body(&m, "slider", 1, diagonal(0.01, 0.01, 0.01), vec(reach, 0, 0));
            machine_sphere(&m, slider, 0.05, steel);
            machine_sphere(&m, m.ground, 0.05, steel);
            machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, arm, NONE, vec(0, 0, 1));
            BrJointDef rail = br_default_joint_def();
            rail.name = "rail", rail.type = BR_JOINT_PRISMATIC, rail.body_a = arm, rail.body_b = slider;
            rail.at = vec(reach, 0, 0), rail.axis = X, rail.lower[0] = -0.1, rail.upper[0] = 0;
            machine_add_joint(&m, &rail);
            machine_ready(&m);
            machine_set_twist(&m, arm, NONE, vec(0, 0, spin));
            machine_set_twist(&m, slider, vec(0, reach * spin, 0), vec(0, 0, spin));
            run_and_watch(&m, SCHEMES[s], h, (int)lround(1 / h));
            /* it meets the stop once, with what a = spin^2 reach makes of its speed in the first step: m (h a)^2/2 */
            assert_near(machine_energy(&m).dissipated, 0, 0.6 * pow(h * spin * spin * reach, 2));
            defect[s][half] = fabs(machine_energy(&m).defect);
            machine_end(&m);
        }
    assert_true(observed_order(defect[0][0], defect[0][1]) > 0.8);
    assert_true(defect[1][1] < 1e-9 || observed_order(defect[1][0], defect[1][1]) > 1.7);
}

/* A motor swings an arm up against its weight: work, no loss; the defect has the order of the scheme. */
static void motor_dissipates_nothing(void **unused) {
    (void)unused;
    double defect[2][2];
    for (int s = 0; s < 2; s++)
        for (int half = 0; half < 2; half++) {
            double h = half ? 1e-3 : 2e-3;
            Machine m = machine_begin(DOWN);
            BrMaterialId steel = machine_material(&m, "steel", 0.3, 0);
            machine_floor(&m, steel);
            BrBodyId arm = machine_body(&m, "arm", 1, diagonal(0.1, 0.1, 0.1), vec(0.5, 0, 2));
            machine_sphere(&m, arm, 0.1, steel);
            BrJointId hinge = machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, arm, vec(0, 0, 2), Y);
            machine_motor(&m, "motor", hinge, 0, br_sine(2, 0.5, 0), 100);
            machine_ready(&m);
            run_and_watch(&m, SCHEMES[s], h, (int)lround(0.8 / h));
            BrEnergy energy = machine_energy(&m);
            assert_near(energy.dissipated, 0, 1e-12);
            assert_true(fabs(energy.work) > 1);
            defect[s][half] = fabs(energy.defect);
            machine_end(&m);
        }
    assert_between(observed_order(defect[0][0], defect[0][1]), 0.8, 1.3);
    assert_true(observed_order(defect[1][0], defect[1][1]) > 1.7);
}

/* A block that starts 20 mm inside the floor is lifted out of it, which is no physics: nothing is dissipated, nothing put
 * in; all of it is in the defect, and the report says how much of that taking back the overlap was. */
static void overlap_at_the_start_is_no_source(void **unused) {
    (void)unused;
    const BrScheme SCHEME[] = {BR_SCHEME_MOREAU, BR_SCHEME_HEM2};
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(vec(0, 0, -9.81));
        BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
        machine_floor(&m, wood);
        BrBodyId block = machine_block(&m, "block", 2, vec(0.2, 0.3, 0.1), vec(0, 0, 0.03), wood);
        machine_ready(&m);
        BrStepDef def = br_default_step_def();
        BrStepReport report;
        double corrected = 0, lift = 2 * 9.81 * 0.02;
        def.scheme = SCHEME[s];
        for (int k = 0; k < 60; k++) {
            assert_int_equal(br_step(m.model, m.workspace, m.state, &def, &report, NULL), BR_OK);
            corrected += report.corrected;
        }
        BrEnergy energy = machine_energy(&m);
        assert_near(machine_pose(&m, block).position.z, 0.05, 1e-9);
        assert_near(energy.defect, lift, 1e-9 * lift);
        assert_near(corrected, lift, 0.01 * lift); /* the last 0.1 mm of 20 go with the gaps that steps make */
        assert_near(energy.work, 0, 1e-12);
        assert_near(energy.dissipated, 0, 1e-12);
        machine_end(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rolling_dissipates_nothing),
        cmocka_unit_test(braking_block_dissipates_its_energy),
        cmocka_unit_test(ball_stops_dissipating_when_it_rolls),
        cmocka_unit_test(platform_works_without_loss),
        cmocka_unit_test(bounces_take_their_part),
        cmocka_unit_test(landing_takes_everything),
        cmocka_unit_test(stops_and_dry_friction_take_their_part),
        cmocka_unit_test(stop_that_holds_takes_nothing),
        cmocka_unit_test(motor_dissipates_nothing),
        cmocka_unit_test(overlap_at_the_start_is_no_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
