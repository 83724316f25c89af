/* test_impact.c: what comes back after an impact: restitution, friction in impacts, momentum, energy, in both schemes
 * and the event formulation. Symbols: e restitution, G gravity, h step, r radius. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "machine.h"

static const double G = 9.81;
static const BrVec3 NONE = {0, 0, 0}, DOWN = {0, 0, -9.81};
static const BrScheme SCHEMES[] = {BR_SCHEME_MOREAU, BR_SCHEME_HEM2};

/* A ball of 1 kg and 0.1 m, `gap` above the floor. */
static Machine make_ball(BrVec3 gravity, double mu, double e, bool poisson, double gap, BrBodyId *ball) {
    Machine m = machine_begin(gravity);
    BrMaterialDef def = br_default_material_def();
    def.name = "steel";
    br_law_set(&def.surface.friction, "mu", mu);
    br_law_set(&def.surface.normal, "restitution", e);
    br_law_set(&def.surface.normal, "hypothesis", poisson);
    BrMaterialId steel = machine_add_material(&m, &def);
    machine_floor(&m, steel);
    *ball = machine_ball(&m, "ball", 1, 0.1, vec(0, 0, 0.1 + gap), steel);
    machine_ready(&m);
    return m;
}

/* Without gravity the ratio of speeds is e itself; Poisson's hypothesis says the same of a central impact. */
static void speed_comes_back_by_the_restitution(void **unused) {
    (void)unused;
    const double es[] = {0, 0.1, 0.5, 0.9, 1};
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 10; k++) {
            BrBodyId ball;
            Machine m = make_ball(NONE, 0.3, es[k / 2], k & 1, 0.0103, &ball);
            BrStepDef def = machine_step_def(SCHEMES[s], 1e-3);
            machine_set_twist(&m, ball, vec(0, 0, -2), NONE);
            BrStepReport report = machine_steps(&m, &def, 12);
            assert_near(machine_twist(&m, ball).linear.z, 2 * es[k / 2], 1e-12);
            assert_int_equal(report.impacts, 1);
            assert_int_equal(report.lowered_impacts, 0);
            BrEnergy energy = machine_energy(&m);
            assert_near(energy.dissipated, 2 * (1 - es[k / 2] * es[k / 2]), 1e-12);
            assert_near(energy.defect, 0, 1e-12);
            machine_end(&m);
        }
}

/* A ball that strikes at a slant: friction gives min(mu (1 + e) vn, 2/7 of the slip), and spins it. */
static void slanted_bounce_spins(void **unused) {
    (void)unused;
    const double e = 0.6, vn = 2, mus[] = {0.05, 0.8}, slip = 3;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 4; k++) {
            BrBodyId ball;
            bool poisson = k & 1;
            double mu = mus[k / 2];
            Machine m = make_ball(NONE, mu, e, poisson, 0.0103, &ball);
            BrStepDef def = machine_step_def(SCHEMES[s], 1e-3);
            machine_set_twist(&m, ball, vec(slip, 0, -vn), NONE);
            machine_steps(&m, &def, 12);
            double change = fmin(mu * (1 + e) * vn, 2.0 / 7 * slip);
            BrTwist twist = machine_twist(&m, ball);
            assert_near(twist.linear.z, e * vn, 1e-12);
            assert_near(twist.linear.x, slip - change, 1e-12);
            assert_near(twist.angular.y, 2.5 * change / 0.1, 1e-10);
            assert_true(machine_energy(&m).dissipated >= -1e-12);
            assert_near(machine_energy(&m).defect, 0, 1e-12);
            machine_end(&m);
        }
}

/* Two free spheres with friction: linear and angular momentum stay, whatever the impact does. */
static void collision_keeps_momentum(void **unused) {
    (void)unused;
    uint64_t seed = 7;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 10; k++) {
            Machine m = machine_begin(NONE);
            BrMaterialId steel = machine_material(&m, "steel", draw(&seed, 0, 1), draw(&seed, 0, 1));
            BrBodyId a = machine_ball(&m, "a", 1, 0.1, vec(-0.105, 0, 0), steel);
            BrBodyId b = machine_ball(&m, "b", 3, 0.2, vec(0.205, 0.05, 0.03), steel);
            machine_ready(&m);
            machine_set_twist(&m, a, vec(3, draw(&seed, -1, 1), draw(&seed, -1, 1)), draw_vec(&seed, 20));
            machine_set_twist(&m, b, NONE, draw_vec(&seed, 20));
            BrStepDef def = machine_step_def(SCHEMES[s], 1e-3);
            BrVec3 linear = machine_momentum(&m), angular = machine_angular_momentum(&m);
            double energy = machine_mechanical_energy(&m);
            BrVec3 before = machine_twist(&m, b).linear;
            machine_steps(&m, &def, 60);
            assert_true(norm(sub(machine_twist(&m, b).linear, before)) > 0.1); /* they did meet */
            assert_vec_near(machine_momentum(&m), linear, 1e-12);
            /* the two points of a contact are a gap apart: 1e-9 m where hem2 finds it, times 1 N s */
            assert_vec_near(machine_angular_momentum(&m), angular, 1e-9);
            assert_true(machine_mechanical_energy(&m) <= energy + 1e-12);
            machine_end(&m);
        }
}

/* Equal balls in a row, e = 1, a hair apart: the last one flies on with the speed of the first. */
static void cradle_hands_the_speed_on(void **unused) {
    (void)unused;
    Machine m = machine_begin(NONE);
    BrMaterialId steel = machine_material(&m, "steel", 0, 1);
    const char *names[] = {"a", "b", "c", "d"};
    BrBodyId ball[4];
    for (int k = 0; k < 4; k++) ball[k] = machine_ball(&m, names[k], 1, 0.1, vec(0.2004 * k - 0.01 * !k, 0, 0), steel);
    machine_ready(&m);
    machine_set_twist(&m, ball[0], vec(1, 0, 0), NONE);
    machine_run(&m, BR_SCHEME_HEM2, 1e-3, 30);
    for (int k = 0; k < 4; k++) assert_vec_near(machine_twist(&m, ball[k]).linear, vec(k == 3, 0, 0), 1e-9);
    machine_end(&m);
}

/* e = 1: a hundred bounces with hem2 keep the energy. */
static void elastic_ball_bounces_on(void **unused) {
    (void)unused;
    BrBodyId ball;
    Machine m = make_ball(DOWN, 0.3, 1, false, 0.05, &ball);
    double period = 2 * sqrt(2 * 0.05 / G), h = 2e-3;
    BrStepDef def = machine_step_def(BR_SCHEME_HEM2, h);
    BrStepReport report = machine_steps(&m, &def, (int)(100 * period / h));
    assert_int_equal(report.impacts, 100);
    /* each touch is found to 1e-9 m: 100 of them times m g */
    assert_near(machine_mechanical_energy(&m), G * 0.15, 1e-6);
    machine_end(&m);
}

/* Slower than the impact speed nothing comes back, and it rests. */
static void slow_ball_rests(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        BrBodyId ball;
        Machine m = make_ball(DOWN, 0.3, 0.5, false, 0.01, &ball);
        BrStepDef def = machine_step_def(SCHEMES[s], 1e-3);
        machine_steps(&m, &def, 400);
        assert_near(machine_pose(&m, ball).position.z, 0.1, 1e-8);
        assert_near(norm(machine_twist(&m, ball).linear), 0, 1e-12);
        assert_near(machine_contact(&m, 0).normal_force, G, 1e-9);
        assert_near(machine_energy(&m).dissipated, G * 0.01, 2e-3 * G * 0.01 + 1e-4);
        machine_end(&m);
    }
}

/* A slanted rod that strikes with its end, much friction: Newton's e would make energy, so it is lowered. */
static void slanted_rod_makes_no_energy(void **unused) {
    (void)unused;
    int lowered = 0;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 24; k++) {
            double angle = 0.2 + 0.05 * k, mu = k % 3 ? 1.2 : 0.6;
            Machine m = machine_begin(NONE);
            BrMaterialId steel = machine_material(&m, "steel", mu, 0.9);
            machine_floor(&m, steel);
            BrBodyDef def = br_default_body_def();
            def.name = "rod", def.mass = 1, def.inertia = diagonal(1e-3, 1.0 / 12, 1.0 / 12);
            def.rotation = turn_about(vec(0, 1, 0), angle);
            def.position = vec(0, 0, 0.5 * sin(angle) + 2.3e-4);
            BrBodyId rod = machine_add_body(&m, &def);
            machine_point(&m, rod, vec(0.5, 0, 0), steel);
            machine_ready(&m);
            machine_set_twist(&m, rod, vec(k & 1 ? 1 : -1, 0.3 * (k & 2), -1), NONE);
            double before = machine_mechanical_energy(&m);
            BrStepDef step = machine_step_def(SCHEMES[s], 1e-3);
            BrStepReport report = machine_steps(&m, &step, 2);
            lowered += report.lowered_impacts;
            assert_int_equal(report.impacts, 1);
            assert_true(machine_mechanical_energy(&m) <= before * (1 + 1e-12));
            assert_true(machine_energy(&m).dissipated >= -1e-12);
            machine_end(&m);
        }
    assert_true(lowered > 0);
}

/* ------------------------------------------------------------------ after and around an impact */

/* A ball that flies away carries no force, however recently it touched. */
static void leaving_ball_carries_no_force(void **unused) {
    (void)unused;
    for (int s = 0; s < 3; s++) {
        BrBodyId ball;
        Machine m = make_ball(DOWN, 0.3, 1, false, 0.0012, &ball);
        BrStepDef def = s < 2 ? machine_step_def(SCHEMES[s], 1e-3) : machine_event_def(1e-3);
        machine_set_twist(&m, ball, vec(0, 0, -1), NONE);
        while (machine_twist(&m, ball).linear.z < 0) machine_steps(&m, &def, 1);
        BrTwist a = machine_acceleration(&m, ball);
        assert_vec_near(a.linear, DOWN, 1e-9);
        assert_vec_near(machine_contact_force(&m, false), NONE, 1e-9);
        machine_end(&m);
    }
}

/* Thrown up from the floor, gap exactly 0, it is a projectile from the first moment. */
static void ball_thrown_from_the_floor_flies(void **unused) {
    (void)unused;
    for (int s = 0; s < 3; s++) {
        BrBodyId ball;
        Machine m = make_ball(DOWN, 0.3, 0, false, 0, &ball);
        double h = 1e-3, end = 0.05;
        BrStepDef def = s < 2 ? machine_step_def(SCHEMES[s], h) : machine_event_def(h);
        machine_set_twist(&m, ball, vec(0, 0, 1), NONE);
        machine_steps(&m, &def, 50);
        assert_near(machine_twist(&m, ball).linear.z, 1 - G * end, 1e-9);
        assert_near(machine_pose(&m, ball).position.z, 0.1 + end - 0.5 * G * end * end, s == 0 ? G * end * h : 1e-9);
        machine_end(&m);
    }
}

/* Pushed hard from rest it still does not pass through what is in its way. */
static void hard_push_does_not_tunnel(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(NONE);
        BrMaterialId steel = machine_material(&m, "steel", 0.3, 0);
        machine_box(&m, m.ground, vec(1, 1, 0.02), steel);
        BrBodyId ball = machine_ball(&m, "ball", 0.01, 0.02, vec(0, 0, 0.0301), steel);
        machine_force(&m, "push", ball, 2, br_constant(-1000)); /* 50 mm in the first step */
        machine_ready(&m);
        machine_run(&m, SCHEMES[s], 1e-3, 3);
        assert_near(machine_pose(&m, ball).position.z, 0.03, 1e-4);
        machine_end(&m);
    }
}

/* A bullet of 5 mm at 2000 m/s flies through 2 m in a step, or 20 mm, and does not pass a wall of 1 mm; the wall gives
 * back e of its speed. Straight, and along the wall with a sixth of its speed towards it. */
static void bullet_does_not_pass_a_thin_wall(void **unused) {
    (void)unused;
    const double THICK[] = {1e-3, 5e-3, 20e-3}, DT[] = {1e-3, 1e-5}, SPEED = 2000, RADIUS = 2.5e-3;
    for (int k = 0; k < 48; k++) {
        double thick = THICK[k % 3], dt = DT[k / 3 % 2], e = k / 6 % 2 * 0.5, across = k / 12 % 2 ? SPEED / 6 : SPEED;
        Machine m = machine_begin(NONE);
        BrMaterialId steel = machine_material(&m, "steel", 0, e);
        machine_box(&m, m.ground, vec(100, 100, thick), steel);
        double height = 0.5 * thick + RADIUS + 0.7 * across * dt;
        BrBodyId ball = machine_ball(&m, "bullet", 0.004, RADIUS, vec(0, 0, height), steel);
        machine_ready(&m);
        machine_set_twist(&m, ball, vec(sqrt(SPEED * SPEED - across * across), 0, -across), vec(0, 0, 0));
        machine_run(&m, SCHEMES[k / 24], dt, 3);
        assert_true(machine_pose(&m, ball).position.z >= 0.5 * thick + RADIUS - 1e-9);
        assert_near(machine_twist(&m, ball).linear.z, e * across, 1e-9 * SPEED);
        machine_end(&m);
    }
}

/* What rests and is struck by a hammer of a thousand times its mass at 100 m/s would fly 100 to 200 mm on in the step:
 * not through the wall that stands 20 mm behind it. With e = 0 all stop there. */
static void struck_bullet_does_not_pass_a_thin_wall(void **unused) {
    (void)unused;
    const double THICK[] = {1e-3, 5e-3, 20e-3};
    for (int k = 0; k < 12; k++) {
        double thick = THICK[k % 3], e = k / 3 % 2 * 0.5;
        Machine m = machine_begin(NONE);
        BrMaterialId steel = machine_material(&m, "steel", 0.3, e);
        machine_box(&m, m.ground, vec(1, 1, thick), steel);
        BrBodyId bullet = machine_ball(&m, "bullet", 0.01, 2.5e-3, vec(0, 0, 0.02), steel);
        BrBodyId hammer = machine_ball(&m, "hammer", 10, 0.05, vec(0, 0, 0.0725 + 0.05), steel);
        machine_ready(&m);
        machine_set_twist(&m, hammer, vec(0, 0, -100), vec(0, 0, 0));
        machine_run(&m, SCHEMES[k / 6], 1e-3, 4);
        assert_true(machine_pose(&m, bullet).position.z >= 0.5 * thick + 2.5e-3 - 1e-6);
        if (e == 0) assert_near(machine_twist(&m, hammer).linear.z, 0, 1e-6);
        machine_end(&m);
    }
}

/* Balls in a row, each a hundred times lighter than the one that strikes it and nearly twice as fast after: the third
 * flies farther in the step than anything was looked for, to where a fourth may stand. Never do they end inside each
 * other unless the step says so. */
static void strikes_handed_on_end_inside_nothing(void **unused) {
    (void)unused;
    const double R = 0.01, SPEED = 10, DT = 1e-2;
    int met = 0;
    for (int k = 0; k < 2 * 120; k++) {
        Machine m = machine_begin(NONE);
        BrMaterialId steel = machine_material(&m, "steel", 0.3, 1);
        double place[4] = {0, 0.1, 0.25, 0.3 + 0.5 * R * (double)(k / 2)}, mass = 1;
        BrBodyId ball[4];
        for (int i = 0; i < 4; i++, mass *= 0.01) {
            char name[] = {(char)('a' + i), 0};
            ball[i] = machine_ball(&m, name, mass, R, vec(place[i], 0, 0), steel);
        }
        machine_ready(&m);
        machine_set_twist(&m, ball[0], vec(SPEED, 0, 0), NONE);
        BrStepDef def = machine_step_def(SCHEMES[k % 2], DT);
        BrStepReport report;
        BrStatus status = br_step(m.model, m.workspace, m.state, &def, &report, NULL);
        assert_true(status == BR_OK || status == BR_NOT_CONVERGED);
        double apart = INFINITY;
        for (int i = 0; i < 4; i++)
            for (int j = i + 1; j < 4; j++)
                apart = fmin(apart, norm(sub(machine_pose(&m, ball[i]).position, machine_pose(&m, ball[j]).position)));
        if (status == BR_OK) assert_true(apart >= 2 * R * (1 - 0.01));
        met += report.parts > 1;
        machine_end(&m);
    }
    assert_true(met > 4); /* steps that were too long */
}

/* Without gravity there is no preset speed below which nothing bounces: a force that presses must still hold still,
 * with the scheme asked for. */
static void pressed_without_gravity_it_rests(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(NONE);
        BrMaterialId steel = machine_material(&m, "steel", 0.3, 0.5);
        machine_floor(&m, steel);
        BrBodyId block = machine_block(&m, "block", 0.7, vec(0.2, 0.3, 0.1), vec(0, 0, 0.05), steel);
        machine_force(&m, "press", block, 2, br_constant(-11.3));
        machine_force(&m, "pull", block, 0, br_constant(1));
        machine_ready(&m);
        BrStepDef def = machine_step_def(SCHEMES[s], 1e-3);
        for (int k = 0; k < 100; k++) {
            BrStepReport report = machine_steps(&m, &def, 1);
            assert_false(report.finished_by_moreau);
            assert_int_equal(report.impacts, 0);
        }
        assert_vec_near(machine_pose(&m, block).position, vec(0, 0, 0.05), 1e-9);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ the event formulation */

/* Falls sqrt(2 h / g), then bounces of 2 e^k v / g each. */
static void events_come_at_the_times_of_the_book(void **unused) {
    (void)unused;
    const double e = 0.5, height = 0.4, v = sqrt(2 * G * height);
    BrBodyId ball;
    Machine m = make_ball(DOWN, 0.3, e, false, height, &ball);
    BrStepDef def = machine_event_def(0.01);
    def.impact_speed = 0.01;
    BrError error = {0};
    double next = v / G, speed = v;
    int bounces = 0;
    for (int k = 0; k < 100 && speed > 0.02; k++) {
        BrStepReport report;
        BrStatus status = br_step(m.model, m.workspace, m.state, &def, &report, &error);
        if (status != BR_OK) fail_msg("%s", error.text);
        for (int i = 0; i < report.events; i++) {
            const BrEvent *event = &report.event[i];
            if (event->kind != BR_EVENT_IMPACT || speed <= 0.02) continue;
            assert_near(event->time, next, 1e-9);
            assert_near(event->before, -speed, 1e-8);
            assert_near(event->after, e * speed, 1e-8);
            speed *= e;
            next += 2 * speed / G;
            bounces++;
        }
    }
    assert_true(bounces >= 7);
    assert_near(machine_energy(&m).defect, 0, 1e-9 * G * height);
    machine_end(&m);
}

/* Infinitely many bounces come to an end at t1 (1 + e)/(1 - e), t1 being the first fall's time; all energy is lost. */
static void bounces_that_pile_up_end_at_rest(void **unused) {
    (void)unused;
    BrBodyId ball;
    double fall = 0.01, e = 0.5, end = sqrt(2 * fall / G) * (1 + e) / (1 - e);
    Machine m = make_ball(DOWN, 0.3, e, false, fall, &ball);
    BrStepDef def = machine_event_def(end - 1e-5);
    def.impact_speed = 0;
    double mass = machine_mechanical_energy(&m) / (G * (0.1 + fall)),
           lost = machine_mechanical_energy(&m) - mass * G * 0.1;
    machine_steps(&m, &def, 1);
    assert_true(machine_pose(&m, ball).position.z > 0.1 + 1e-11); /* it still flies */
    def.dt = 2e-5;
    machine_steps(&m, &def, 1);
    assert_near(machine_pose(&m, ball).position.z, 0.1, 1e-12);
    assert_near(machine_twist(&m, ball).linear.z, 0, 1e-12);
    assert_near(machine_energy(&m).dissipated, lost, 1e-8 * lost);
    assert_near(machine_contact(&m, 0).normal_force, mass * G, 1e-9);
    machine_end(&m);
}

/* Work has a bound: a step that meets it is refused with what to do, and the state stays; the same step with more of
 * it is taken. */
static void a_step_that_meets_its_bound_on_work_is_refused(void **unused) {
    (void)unused;
    BrBodyId ball;
    Machine m = make_ball(DOWN, 0.3, 0.5, false, 0.01, &ball);
    BrStepDef def = machine_event_def(0.5);
    BrStepReport report;
    BrError error = {0};
    uint64_t before = br_state_hash(m.state);
    def.most_work = 1e6; /* its bounces take seven times as much */
    assert_int_equal(br_step(m.model, m.workspace, m.state, &def, &report, &error), BR_TOO_MUCH_WORK);
    assert_non_null(strstr(error.text, "most_work"));
    assert_true(br_state_hash(m.state) == before);
    def.fall_back = true;
    assert_int_equal(br_step(m.model, m.workspace, m.state, &def, &report, &error), BR_OK);
    assert_true(report.fell_back && report.work <= 1e6);
    machine_end(&m);
}

static bool count_down(void *user) { return --*(int *)user <= 0; }

/* Whoever asks for it is heard within a step: nothing is changed then. */
static void a_step_can_be_stopped(void **unused) {
    (void)unused;
    BrBodyId ball;
    Machine m = make_ball(DOWN, 0.3, 0.5, false, 0.01, &ball);
    BrStepDef def = machine_event_def(0.5);
    BrError error = {0};
    uint64_t before = br_state_hash(m.state);
    int looks = 2; /* the second is within the step */
    def.stop = count_down;
    def.stop_user = &looks;
    assert_int_equal(br_step(m.model, m.workspace, m.state, &def, NULL, &error), BR_CANCELLED);
    assert_int_equal(looks, 0);
    assert_true(br_state_hash(m.state) == before);
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speed_comes_back_by_the_restitution),
        cmocka_unit_test(slanted_bounce_spins),
        cmocka_unit_test(collision_keeps_momentum),
        cmocka_unit_test(cradle_hands_the_speed_on),
        cmocka_unit_test(elastic_ball_bounces_on),
        cmocka_unit_test(slow_ball_rests),
        cmocka_unit_test(slanted_rod_makes_no_energy),
        cmocka_unit_test(leaving_ball_carries_no_force),
        cmocka_unit_test(ball_thrown_from_the_floor_flies),
        cmocka_unit_test(hard_push_does_not_tunnel),
        cmocka_unit_test(bullet_does_not_pass_a_thin_wall),
        cmocka_unit_test(struck_bullet_does_not_pass_a_thin_wall),
        cmocka_unit_test(strikes_handed_on_end_inside_nothing),
        cmocka_unit_test(pressed_without_gravity_it_rests),
        cmocka_unit_test(events_come_at_the_times_of_the_book),
        cmocka_unit_test(bounces_that_pile_up_end_at_rest),
        cmocka_unit_test(a_step_that_meets_its_bound_on_work_is_refused),
        cmocka_unit_test(a_step_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
