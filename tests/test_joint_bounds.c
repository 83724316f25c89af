/* test_joint_bounds.c: joints with limits and with constant dry friction, in both schemes. Symbols: k stiffness, F dry
 * friction, h step, G gravity. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"

static const double G = 9.81;
static const BrVec3 NONE = {0, 0, 0}, X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1}, DOWN = {0, 0, -9.81};
static const BrScheme SCHEMES[] = {BR_SCHEME_MOREAU, BR_SCHEME_HEM2};

/* 2 kg on a slide along x from the origin, between `low` and `high`, with dry friction F. */
static Machine make_slider(BrVec3 gravity, double low, double high, double F, BrJointId *slide, BrBodyId *body) {
    Machine m = machine_begin(gravity);
    *body = machine_body(&m, "body", 2, diagonal(0.1, 0.1, 0.1), NONE);
    BrJointDef def = br_default_joint_def();
    def.name = "slide";
    def.type = BR_JOINT_PRISMATIC;
    def.body_a = m.ground, def.body_b = *body;
    def.axis = X;
    def.lower[0] = low, def.upper[0] = high, def.dry_friction[0] = F;
    *slide = machine_add_joint(&m, &def);
    return m;
}

static void place(Machine *m, BrBodyId body, double x, double v) {
    BrError error = {0};
    BrPose pose = machine_pose(m, body);
    pose.position.x = x;
    assert_int_equal(br_body_set_pose(m->model, m->state, body, pose, &error), BR_OK);
    machine_set_twist(m, body, vec(v, 0, 0), NONE);
}

/* A pendulum falls onto a stop and stays there; the stop carries its weight's moment. */
static void pendulum_rests_on_its_stop(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++)
        for (int side = -1; side <= 1; side += 2) {
            Machine m = machine_begin(DOWN);
            BrBodyId body = machine_body(&m, "arm", 1, diagonal(0.02, 0.02, 0.02), vec(0.5, 0, 0));
            BrJointDef def = br_default_joint_def();
            def.name = "hinge", def.type = BR_JOINT_REVOLUTE, def.body_a = m.ground, def.body_b = body;
            def.axis = vec(0, side, 0); /* falls towards a positive or a negative angle */
            def.lower[0] = -0.6, def.upper[0] = 0.6;
            BrJointId hinge = machine_add_joint(&m, &def);
            machine_ready(&m);
            double start = machine_mechanical_energy(&m), most = 0;
            for (int k = 0; k < 1000; k++) {
                machine_run(&m, SCHEMES[s], 1e-3, 1);
                most = fmax(most, fabs(machine_position(&m, hinge, 0)));
            }
            assert_near(machine_position(&m, hinge, 0), side * 0.6, 1e-9);
            assert_near(most, 0.6, 1e-8); /* and was never beyond it */
            assert_near(machine_rate(&m, hinge, 0), 0, 1e-9);
            assert_near(norm(machine_acceleration(&m, body).angular), 0, 1e-8);
            BrEnergy e = machine_energy(&m);
            assert_near(start - machine_mechanical_energy(&m), 0.5 * G * sin(0.6), 1e-8);
            /* all that was lost is booked, but for the work of gravity over the step of the stop: m g v h */
            assert_near(e.dissipated, 0.5 * G * sin(0.6), G * sqrt(G * sin(0.6)) * 1e-3);
            machine_end(&m);
        }
}

/* A ball of 2 kg strikes the 2 kg on a slide, which stands 0.4 mm before its stop: it passes all of its speed on and
 * rests, as if there were no stop; what it struck then reaches that within the same step. */
static void blow_does_not_reach_a_stop_that_is_not_met(void **unused) {
    (void)unused;
    const double R = 0.05, GAP = 2.5e-3, ROOM = 4e-4; /* m */
    BrJointId slide;
    BrBodyId body;
    Machine m = make_slider(NONE, -1, ROOM, 0, &slide, &body);
    BrMaterialId steel = machine_material(&m, "steel", 0, 1);
    machine_sphere(&m, body, R, steel);
    BrBodyId ball = machine_ball(&m, "ball", 2, R, vec(-2 * R - GAP, 0, 0), steel);
    machine_ready(&m);
    machine_set_twist(&m, ball, X, NONE);
    machine_run(&m, BR_SCHEME_HEM2, 1e-3, 5);
    assert_near(machine_position(&m, slide, 0), ROOM, 1e-9);
    assert_near(machine_rate(&m, slide, 0), 0, 1e-9);
    assert_vec_near(machine_twist(&m, ball).linear, NONE, 1e-9);
    assert_near(machine_pose(&m, ball).position.x, -2 * R, 1e-8);
    machine_end(&m);
}

/* A stop carries a pull only where it is reached and not being left: 10 N towards it then are its reaction, and else
 * accelerate the 2 kg. */
static void stop_carries_only_what_rests_on_it(void **unused) {
    (void)unused;
    static const struct {
        double x, v;
        bool rests;
    } CASES[] = {{0, 0, true}, {0, 0.5, false}, {1e-3, 0, false}};
    for (int side = -1; side <= 1; side += 2)
        for (int k = 0; k < 3; k++) {
            BrBodyId body;
            BrJointId slide;
            Machine m = make_slider(NONE, side < 0 ? 0 : -1, side < 0 ? 1 : 0, 0, &slide, &body);
            machine_force(&m, "pull", body, 0, br_constant(side * 10));
            machine_ready(&m);
            place(&m, body, -side * CASES[k].x, -side * CASES[k].v);
            assert_near(machine_acceleration(&m, body).linear.x, CASES[k].rests ? 0 : side * 5, 1e-9);
            assert_near(machine_reaction(&m, slide).force.x, CASES[k].rests ? -side * 10 : 0, 1e-9);
            machine_end(&m);
        }
}

/* Dry friction of 6 N brakes what moves, against its way, whatever pulls; at rest it holds what pulls less. */
static void dry_slide_is_read_as_it_moves(void **unused) {
    (void)unused;
    for (int way = -1; way <= 1; way++) {
        BrBodyId body;
        BrJointId slide;
        Machine m = make_slider(NONE, -INFINITY, INFINITY, 6, &slide, &body);
        machine_force(&m, "pull", body, 0, br_constant(4));
        machine_ready(&m);
        place(&m, body, 0, way);
        assert_near(machine_acceleration(&m, body).linear.x, way ? (4 - 6 * way) / 2.0 : 0, 1e-9);
        assert_near(machine_reaction(&m, slide).force.x, way ? -6 * way : -4, 1e-9);
        machine_end(&m);
    }
}

/* A ball as heavy as the slide hits it, far from its limits: the slide takes the ball's speed, as if it had none. */
static void slide_that_is_hit_does_not_feel_far_limits(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        BrBodyId body;
        BrJointId slide;
        Machine m = make_slider(NONE, -1, 1, 0, &slide, &body);
        BrMaterialId steel = machine_material(&m, "steel", 0, 1);
        BrBodyId ball = machine_body(&m, "ball", 2, diagonal(0.1, 0.1, 0.1), vec(-0.3, 0, 0));
        machine_sphere(&m, ball, 0.1, steel);
        machine_sphere(&m, body, 0.1, steel);
        machine_ready(&m);
        machine_set_twist(&m, ball, vec(1, 0, 0), NONE);
        machine_run(&m, SCHEMES[s], 1e-3, 200);
        assert_near(machine_rate(&m, slide, 0), 1, 1e-12);
        assert_near(norm(machine_twist(&m, ball).linear), 0, 1e-12);
        machine_end(&m);
    }
}

/* A motor pushes into the stop with all it has: the stop holds, the motor is at its bound. */
static void motor_pushes_into_a_stop(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        BrBodyId body;
        BrJointId slide;
        Machine m = make_slider(NONE, -0.1, 0.02, 0, &slide, &body);
        BrMotorId motor = machine_motor(&m, "motor", slide, 0, br_constant(1), 10);
        machine_ready(&m);
        machine_run(&m, SCHEMES[s], 1e-3, 500);
        assert_near(machine_position(&m, slide, 0), 0.02, 1e-9);
        assert_near(machine_rate(&m, slide, 0), 0, 1e-9);
        double effort;
        BrTwist a = machine_acceleration(&m, body);
        assert_int_equal(br_motor_effort(m.model, m.workspace, motor, &effort), BR_OK);
        assert_near(effort, 10, 1e-9);
        assert_near(norm(a.linear), 0, 1e-9);
        machine_end(&m);
    }
}

/* Against dry friction: a motor too weak for it holds still, a stronger one accelerates with the rest, and at its speed
 * gives just as much as friction takes; its work is booked. */
static void motor_works_against_dry_friction(void **unused) {
    (void)unused;
    static const double EFFORT[] = {5.9, 10};
    for (int s = 0; s < 2; s++)
        for (int strong = 0; strong < 2; strong++) {
            const double F = 6, M = 2, h = 1e-3;
            BrBodyId body;
            BrJointId slide;
            Machine m = make_slider(NONE, -INFINITY, INFINITY, F, &slide, &body);
            machine_motor(&m, "motor", slide, 0, br_constant(1), EFFORT[strong]);
            machine_ready(&m);
            machine_run(&m, SCHEMES[s], h, 100);
            assert_near(machine_rate(&m, slide, 0), strong ? (EFFORT[1] - F) / M * 0.1 : 0, 1e-12);
            machine_run(&m, SCHEMES[s], h, 900);
            assert_near(machine_rate(&m, slide, 0), strong ? 1 : 0, 1e-12);
            BrEnergy e = machine_energy(&m);
            assert_near(e.dissipated, F * machine_position(&m, slide, 0), 0.01);
            assert_near(e.defect, 0, 1e-9);
            machine_end(&m);
        }
}

/* A motor presses a box along the floor: box and slide accelerate together with what friction leaves, the contact
 * between them carries the box's share, and a motor weaker than friction moves neither. */
static void motor_pushes_a_box(void **unused) {
    (void)unused;
    const double M = 2, m_box = 3, mu = 0.4, h = 1e-3;
    for (int s = 0; s < 2; s++)
        for (int strong = 0; strong < 2; strong++) {
            double effort = mu * m_box * G * (strong ? 1.5 : 0.99), a = strong ? 0.5 * mu * m_box * G / (M + m_box) : 0;
            Machine m = machine_begin(DOWN);
            BrMaterialId dry = machine_material(&m, "dry", mu, 0), smooth = machine_material(&m, "smooth", 0, 0);
            BrPairDef pair = br_default_pair_def(); /* friction there could lift the box: several answers */
            pair.material_a = dry, pair.material_b = smooth;
            br_law_set(&pair.surface.friction, "mu", 0);
            assert_int_equal(br_model_add_pair(m.model, &pair, NULL), BR_OK);
            machine_floor(&m, dry);
            BrBodyId ram = machine_body(&m, "ram", M, diagonal(0.1, 0.1, 0.1), vec(-0.2, 0, 0.1));
            machine_sphere(&m, ram, 0.1, smooth);
            BrBodyId box = machine_block(&m, "box", m_box, vec(0.2, 0.2, 0.2), vec(0, 0, 0.1), dry);
            BrJointId slide = machine_joint(&m, "slide", BR_JOINT_PRISMATIC, m.ground, ram, vec(-0.2, 0, 0.1), X);
            machine_motor(&m, "motor", slide, 0, br_constant(5), effort);
            machine_ready(&m);
            machine_run(&m, SCHEMES[s], h, 200);
            assert_near(machine_rate(&m, slide, 0), 0.2 * a, 1e-9);
            assert_near(machine_twist(&m, box).linear.x, 0.2 * a, 1e-9);
            assert_near(machine_acceleration(&m, box).linear.x, a, 1e-8);
            machine_end(&m);
        }
}

/* The scheme that only compares with the literature knows limits, dry friction and motors too. */
static void euler_paper_keeps_bounds(void **unused) {
    (void)unused;
    const double F = 6, M = 2, T = 10, h = 1e-3;
    BrBodyId body;
    BrJointId slide;
    Machine m = make_slider(NONE, -0.1, 0.1, 0, &slide, &body);
    machine_ready(&m);
    place(&m, body, 0, -30);
    machine_run(&m, BR_SCHEME_EULER_PAPER, h, 20);
    assert_near(machine_position(&m, slide, 0), -0.1, 1e-9);
    assert_near(machine_rate(&m, slide, 0), 0, 1e-9);
    machine_end(&m);
    m = make_slider(NONE, -INFINITY, INFINITY, F, &slide, &body);
    machine_motor(&m, "motor", slide, 0, br_constant(1), T);
    machine_ready(&m);
    machine_run(&m, BR_SCHEME_EULER_PAPER, h, 100);
    assert_near(machine_rate(&m, slide, 0), (T - F) / M * 0.1, 1e-12);
    machine_end(&m);
}

/* A bar on a universal joint turns about one of its axes, to the limit or the dry friction of that angle. */
static Machine make_cardan(int angle, double limit, double F, BrJointId *joint) {
    Machine m = machine_begin(NONE);
    BrBodyId body = machine_body(&m, "bar", 1, diagonal(0.3, 0.3, 0.3), NONE);
    BrJointDef def = br_default_joint_def();
    def.name = "cardan", def.type = BR_JOINT_UNIVERSAL, def.body_a = m.ground, def.body_b = body;
    def.axis = Z, def.axis_b = X;
    def.lower[angle] = -limit, def.upper[angle] = limit, def.dry_friction[angle] = F;
    *joint = machine_add_joint(&m, &def);
    machine_ready(&m);
    machine_set_twist(&m, body, NONE, angle == 0 ? Z : X); /* 1 rad/s */
    return m;
}

static void each_angle_of_a_universal_joint_has_its_own_bounds(void **unused) {
    (void)unused;
    const double limit = 0.35, F = 0.6, J = 0.3, h = 1e-3;
    for (int s = 0; s < 2; s++)
        for (int angle = 0; angle < 2; angle++) {
            BrJointId joint;
            Machine m = make_cardan(angle, limit, 0, &joint);
            machine_run(&m, SCHEMES[s], h, 1000);
            assert_near(machine_position(&m, joint, angle), limit, 1e-9);
            assert_near(machine_position(&m, joint, 1 - angle), 0, 1e-12);
            assert_near(machine_rate(&m, joint, angle), 0, 1e-12);
            machine_end(&m);
            m = make_cardan(angle, HUGE_VAL, F, &joint); /* slows down by F / J, and stops after w^2 J / 2 F */
            machine_run(&m, SCHEMES[s], h, 1000);
            assert_near(machine_position(&m, joint, angle), 0.5 * J / F,
                        SCHEMES[s] == BR_SCHEME_MOREAU ? h : F / J * h * h);
            assert_near(machine_position(&m, joint, 1 - angle), 0, 1e-12);
            assert_near(machine_rate(&m, joint, angle), 0, 1e-12);
            assert_near(machine_energy(&m).dissipated, 0.5 * J, 1e-9);
            machine_end(&m);
        }
}

/* A slide that flies into its stop stops there; it does not come back, nor go beyond. */
static void slide_stops_at_its_limit(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        BrBodyId body;
        BrJointId slide;
        Machine m = make_slider(NONE, -0.1, 0.1, 0, &slide, &body);
        machine_ready(&m);
        place(&m, body, 0, -30); /* 3 cm a step */
        machine_run(&m, SCHEMES[s], 1e-3, 20);
        assert_near(machine_position(&m, slide, 0), -0.1, 1e-9);
        assert_near(machine_rate(&m, slide, 0), 0, 1e-9);
        assert_near(machine_energy(&m).dissipated, 900, 1e-6);
        assert_near(machine_energy(&m).defect, 0, 1e-6);
        machine_end(&m);
    }
}

/* A strong spring throws the slide at its stop from rest, further in one step than where it looks for stops. */
static void hard_pull_stops_at_the_limit(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        BrBodyId body;
        BrJointId slide;
        Machine m = make_slider(NONE, -0.1, 0.1, 0, &slide, &body);
        machine_force(&m, "pull", body, 0, br_constant(4e5)); /* 0.2 m in the first step of 1 ms */
        machine_ready(&m);
        double most = 0;
        for (int k = 0; k < 50; k++) {
            machine_run(&m, SCHEMES[s], 1e-3, 1);
            most = fmax(most, machine_position(&m, slide, 0));
        }
        assert_near(most, 0.1, 1e-6);
        assert_near(machine_position(&m, slide, 0), 0.1, 1e-6);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ many limits */

enum { MOST_SLIDES = 400 };

/* Slides along x side by side, 2 kg each, between -0.3 and 0.3 m. */
typedef struct Slides {
    Machine m;
    int count;
    BrBodyId body[MOST_SLIDES];
    BrJointId joint[MOST_SLIDES];
} Slides;

static void make_slides(Slides *s, int count) {
    s->m = machine_begin(NONE);
    s->count = count;
    for (int k = 0; k < count; k++) {
        char name[32];
        snprintf(name, sizeof name, "s%d", k);
        s->body[k] = machine_body(&s->m, name, 2, diagonal(0.1, 0.1, 0.1), vec(0, k, 0));
        BrJointDef def = br_default_joint_def();
        def.name = name, def.type = BR_JOINT_PRISMATIC, def.body_a = s->m.ground, def.body_b = s->body[k];
        def.at = vec(0, k, 0), def.axis = X, def.lower[0] = -0.3, def.upper[0] = 0.3;
        s->joint[k] = machine_add_joint(&s->m, &def);
    }
}

/* Steps until all have come to rest; none may be past its limit on the way. */
static void run_slides(Slides *s, BrScheme scheme, int steps) {
    for (int n = 0; n < steps; n++) {
        machine_run(&s->m, scheme, 1e-2, 1);
        for (int k = 0; k < s->count; k++)
            assert_between(machine_position(&s->m, s->joint[k], 0), -0.3 - 1e-9, 0.3 + 1e-9);
    }
}

static const int COUNTS[] = {10, 26, 100, 400};

/* Flying there at 1 to 100 m/s: up to 1 m a step. */
static void many_fast_slides_stop_at_their_limits(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++)
        for (int n = 0; n < 4; n++) {
            Slides slides;
            make_slides(&slides, COUNTS[n]);
            machine_ready(&slides.m);
            for (int k = 0; k < COUNTS[n]; k++)
                machine_set_twist(&slides.m, slides.body[k], vec((k % 2 ? 1 : -1) * (1 + 99.0 * k / COUNTS[n]), 0, 0),
                                  NONE);
            run_slides(&slides, SCHEMES[s], COUNTS[n] > 100 ? 2 : 40);
            for (int k = 0; COUNTS[n] <= 100 && k < COUNTS[n]; k++)
                assert_near(machine_position(&slides.m, slides.joint[k], 0), k % 2 ? 0.3 : -0.3, 1e-9);
            machine_end(&slides.m);
        }
}

/* From rest, a force or a motor drives them beyond their limits within one step: nothing shows at its start. */
static void many_pushed_slides_stop_at_their_limits(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++)
        for (int n = 0; n < 4; n++) {
            Slides slides;
            make_slides(&slides, COUNTS[n]);
            for (int k = 0; k < COUNTS[n]; k++) {
                char name[32];
                snprintf(name, sizeof name, "p%d", k);
                double sign = k % 2 ? 1 : -1;
                if (k % 3)
                    machine_force(&slides.m, name, slides.body[k], 0, br_constant(sign * 4e4)); /* 2 m in 1e-2 s */
                else
                    machine_motor(&slides.m, name, slides.joint[k], 0, br_constant(sign * 200), 1e5);
            }
            machine_ready(&slides.m);
            run_slides(&slides, SCHEMES[s], COUNTS[n] > 100 ? 2 : 10);
            for (int k = 0; COUNTS[n] <= 100 && k < COUNTS[n]; k++) {
                assert_near(machine_position(&slides.m, slides.joint[k], 0), k % 2 ? 0.3 : -0.3, 1e-9);
                assert_near(machine_rate(&slides.m, slides.joint[k], 0), 0, 1e-9);
            }
            machine_end(&slides.m);
        }
}

/* A ball as heavy as the slides hits each of them: from rest they would be 0.7 m beyond their limits within the step.
 */
static void many_slides_that_are_hit_stop_at_their_limits(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++)
        for (int n = 0; n < 3; n++) {
            Slides slides;
            make_slides(&slides, COUNTS[n]);
            BrBodyId ball[MOST_SLIDES];
            BrMaterialId steel = machine_material(&slides.m, "steel", 0, 1);
            for (int k = 0; k < COUNTS[n]; k++) {
                char name[32];
                snprintf(name, sizeof name, "b%d", k);
                ball[k] = machine_body(&slides.m, name, 2, diagonal(0.1, 0.1, 0.1), vec(-0.3, k, 0));
                machine_sphere(&slides.m, ball[k], 0.1, steel);
                machine_sphere(&slides.m, slides.body[k], 0.1, steel);
            }
            machine_ready(&slides.m);
            for (int k = 0; k < COUNTS[n]; k++) machine_set_twist(&slides.m, ball[k], vec(200, 0, 0), NONE);
            run_slides(&slides, SCHEMES[s], 4);
            machine_end(&slides.m);
        }
}

/* Past its limit, without gravity, a joint comes back, by a fifth per step, and is at rest all the while. */
static void joint_past_its_limit_comes_back_without_speed(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++)
        for (int side = -1; side <= 1; side += 2) {
            BrBodyId body;
            BrJointId slide;
            Machine m = make_slider(NONE, -0.1, 0.1, 0, &slide, &body);
            machine_ready(&m);
            place(&m, body, side * 0.2, 0);
            for (int n = 1; n <= 80; n++) {
                machine_run(&m, SCHEMES[s], 1e-3, 1);
                assert_near(side * machine_position(&m, slide, 0), 0.1 + 0.1 * pow(0.8, n), 1e-8);
                assert_near(machine_energy(&m).kinetic, 0, 1e-20);
            }
            assert_near(machine_energy(&m).defect, 0, 1e-20);
            machine_end(&m);
        }
}

/* Coulomb's oscillator: every half swing is 2 F / k shorter, and it sticks where the spring is weaker than F. */
static void dry_oscillator_loses_the_same_each_swing(void **unused) {
    (void)unused;
    const double k = 200, F = 3, start = 0.1, h = 5e-4;
    for (int s = 0; s < 2; s++) {
        BrBodyId body;
        BrJointId slide;
        bool moreau = SCHEMES[s] == BR_SCHEME_MOREAU;
        Machine m = make_slider(NONE, -HUGE_VAL, HUGE_VAL, F, &slide, &body);
        machine_joint_spring(&m, "spring", slide, 0, k, 0);
        machine_ready(&m);
        place(&m, body, start, 0);
        /* turning points 0.1 - 0.03 n: -0.07, 0.04, -0.01, where k x = 2 N < F */
        double expected[] = {-0.07, 0.04, -0.01}, rate = -1e-3;
        int turns = 0;
        for (int n = 0; n < 3000 && turns < 3; n++) {
            double before = rate;
            machine_run(&m, SCHEMES[s], h, 1);
            rate = machine_rate(&m, slide, 0);
            bool turned = before * rate < 0 || (before != 0 && fabs(rate) < 1e-12);
            if (turned) assert_near(machine_position(&m, slide, 0), expected[turns++], moreau ? 2e-3 : 1e-5);
        }
        assert_int_equal(turns, 3);
        machine_run(&m, SCHEMES[s], h, 200);
        assert_near(machine_position(&m, slide, 0), -0.01, moreau ? 2e-3 : 1e-5);
        assert_near(machine_rate(&m, slide, 0), 0, 1e-12);
        assert_near(norm(machine_acceleration(&m, body).linear), 0, 1e-9);
        BrEnergy e = machine_energy(&m);
        assert_near(e.dissipated, F * (0.17 + 0.11 + 0.05), moreau ? 2e-2 : 1e-4);
        assert_near(e.defect, 0, moreau ? 2e-2 : 1e-4);
        machine_end(&m);
    }
}

/* Dry friction of a hinge holds up to its torque, whatever the direction. */
static void dry_hinge_holds_up_to_its_torque(void **unused) {
    (void)unused;
    const double load[] = {-1.01, -0.99, 0.99, 1.01}, F = 0.8, J = 0.3;
    for (int s = 0; s < 2; s++)
        for (int n = 0; n < 4; n++) {
            Machine m = machine_begin(NONE);
            BrBodyId body = machine_body(&m, "wheel", 1, diagonal(0.2, 0.2, J), NONE);
            BrJointDef def = br_default_joint_def();
            def.name = "hinge", def.type = BR_JOINT_REVOLUTE, def.body_a = m.ground, def.body_b = body;
            def.axis = Z, def.dry_friction[0] = F;
            BrJointId hinge = machine_add_joint(&m, &def);
            machine_ready(&m);
            BrError error = {0};
            BrVec3 torque = vec(0, 0, load[n] * F);
            assert_int_equal(br_body_set_load(m.model, m.state, body, NONE, torque, &error), BR_OK);
            machine_run(&m, SCHEMES[s], 1e-3, 200);
            double a = fabs(load[n]) > 1 ? (load[n] - copysign(1, load[n])) * F / J : 0;
            assert_near(machine_rate(&m, hinge, 0), 0.2 * a, 1e-11);
            assert_near(machine_acceleration(&m, body).angular.z, a, 1e-9);
            machine_end(&m);
        }
}

/* A wheel with dry friction slows down evenly and stops: w / (F / J). */
static void dry_hinge_brakes_evenly(void **unused) {
    (void)unused;
    const double F = 0.8, J = 0.3, w = 5, h = 1e-3;
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(NONE);
        BrBodyId body = machine_body(&m, "wheel", 1, diagonal(0.2, J, 0.2), NONE);
        BrJointDef def = br_default_joint_def();
        def.name = "hinge", def.type = BR_JOINT_REVOLUTE, def.body_a = m.ground, def.body_b = body;
        def.axis = Y, def.dry_friction[0] = F, def.upper[0] = 100; /* turns are counted: 4.7 rad is not a limit */
        BrJointId hinge = machine_add_joint(&m, &def);
        machine_ready(&m);
        machine_set_twist(&m, body, NONE, vec(0, w, 0));
        machine_run(&m, SCHEMES[s], h, 2500);
        assert_near(machine_position(&m, hinge, 0), 0.5 * w * w * J / F,
                    SCHEMES[s] == BR_SCHEME_MOREAU ? w * h : F / J * h * h);
        assert_near(machine_rate(&m, hinge, 0), 0, 1e-12);
        assert_near(machine_energy(&m).dissipated, 0.5 * J * w * w, 1e-9);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ refusals */

static BrStatus try_joint(double low, double high, double F, BrError *error) {
    Machine m = machine_begin(DOWN);
    BrBodyId body = machine_body(&m, "body", 2, diagonal(0.1, 0.1, 0.1), NONE);
    BrJointDef def = br_default_joint_def();
    BrJointId id;
    def.name = "slide", def.type = BR_JOINT_PRISMATIC, def.body_a = m.ground, def.body_b = body, def.axis = X;
    def.lower[0] = low, def.upper[0] = high, def.dry_friction[0] = F;
    BrStatus status = br_model_add_joint(m.model, &def, &id, error);
    machine_end(&m);
    return status;
}

/* A universal joint's angles lie within half a turn: a limit beyond that could not be met. */
static void limits_that_cannot_be_met_are_refused(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        Machine m = machine_begin(NONE);
        BrJointDef def = br_default_joint_def();
        BrError error = {0};
        def.name = "cardan", def.type = BR_JOINT_UNIVERSAL, def.body_a = m.ground;
        def.body_b = machine_body(&m, "bar", 1, diagonal(0.3, 0.3, 0.3), NONE);
        def.axis = Z, def.axis_b = X, def.upper[k] = 3.2;
        assert_int_equal(br_model_add_joint(m.model, &def, NULL, &error), BR_INVALID_ARGUMENT);
        assert_non_null(strstr(error.text, "half a turn"));
        def.upper[k] = 3.1;
        assert_int_equal(br_model_add_joint(m.model, &def, NULL, &error), BR_OK);
        machine_end(&m);
    }
}

static void senseless_bounds_are_refused(void **unused) {
    (void)unused;
    BrError error = {0};
    assert_int_equal(try_joint(-1, 1, 2, &error), BR_OK);
    assert_int_equal(try_joint(-HUGE_VAL, 1, 0, &error), BR_OK);
    assert_int_equal(try_joint(1, -1, 0, &error), BR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.text, "slide"));
    assert_int_equal(try_joint(NAN, 1, 0, &error), BR_INVALID_ARGUMENT);
    assert_int_equal(try_joint(-1, NAN, 0, &error), BR_INVALID_ARGUMENT);
    assert_int_equal(try_joint(-1, 1, -1, &error), BR_INVALID_ARGUMENT);
    assert_int_equal(try_joint(-1, 1, NAN, &error), BR_INVALID_ARGUMENT);
    assert_int_equal(try_joint(-1, 1, HUGE_VAL, &error), BR_INVALID_ARGUMENT);
}

static void bounds_need_a_scheme_that_knows_them(void **unused) {
    (void)unused;
    BrBodyId body;
    BrJointId slide;
    BrError error = {0};
    Machine m = make_slider(NONE, -1, 1, 0, &slide, &body);
    machine_ready(&m);
    BrStepDef rattle = machine_step_def(BR_SCHEME_RATTLE, 1e-3), smooth = machine_step_def(BR_SCHEME_BDF2, 1e-3);
    smooth.formulation = BR_FORMULATION_SMOOTH;
    uint64_t hash = br_state_hash(m.state);
    assert_int_equal(br_step(m.model, m.workspace, m.state, &rattle, NULL, &error), BR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "joint limits"));
    assert_int_equal(br_step(m.model, m.workspace, m.state, &smooth, NULL, &error), BR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "joint limits"));
    assert_true(br_state_hash(m.state) == hash);
    assert_int_equal(br_model_default_scheme(m.model, BR_FORMULATION_TIMESTEPPING), BR_SCHEME_HEM2);
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motor_works_against_dry_friction),
        cmocka_unit_test(motor_pushes_a_box),
        cmocka_unit_test(pendulum_rests_on_its_stop),
        cmocka_unit_test(stop_carries_only_what_rests_on_it),
        cmocka_unit_test(dry_slide_is_read_as_it_moves),
        cmocka_unit_test(slide_that_is_hit_does_not_feel_far_limits),
        cmocka_unit_test(motor_pushes_into_a_stop),
        cmocka_unit_test(euler_paper_keeps_bounds),
        cmocka_unit_test(each_angle_of_a_universal_joint_has_its_own_bounds),
        cmocka_unit_test(slide_stops_at_its_limit),
        cmocka_unit_test(joint_past_its_limit_comes_back_without_speed),
        cmocka_unit_test(many_fast_slides_stop_at_their_limits),
        cmocka_unit_test(many_pushed_slides_stop_at_their_limits),
        cmocka_unit_test(many_slides_that_are_hit_stop_at_their_limits),
        cmocka_unit_test(hard_pull_stops_at_the_limit),
        cmocka_unit_test(dry_oscillator_loses_the_same_each_swing),
        cmocka_unit_test(blow_does_not_reach_a_stop_that_is_not_met),
        cmocka_unit_test(dry_hinge_holds_up_to_its_torque),
        cmocka_unit_test(dry_hinge_brakes_evenly),
        cmocka_unit_test(limits_that_cannot_be_met_are_refused),
        cmocka_unit_test(senseless_bounds_are_refused),
        cmocka_unit_test(bounds_need_a_scheme_that_knows_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
