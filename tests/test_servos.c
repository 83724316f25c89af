/* test_servos.c: motors that are a force: an effort over time, or a servo that follows a position or a speed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"

static const BrVec3 NONE = {0, 0, 0}, DOWN = {0, 0, -9.81}, X = {1, 0, 0}, Y = {0, 1, 0};

typedef struct Way {
    BrFormulation formulation;
    BrScheme scheme;
    int order; /* 0: to tolerance */
} Way;
static const Way WAYS[] = {
    {BR_FORMULATION_TIMESTEPPING, BR_SCHEME_MOREAU, 1},  {BR_FORMULATION_TIMESTEPPING, BR_SCHEME_HEM2, 2},
    {BR_FORMULATION_SMOOTH, BR_SCHEME_HALF_IMPLICIT, 1}, {BR_FORMULATION_SMOOTH, BR_SCHEME_BDF2, 2},
    {BR_FORMULATION_EVENT, BR_SCHEME_HEM2, 0},           {BR_FORMULATION_COMPLIANT, BR_SCHEME_RK4, 4},
    {BR_FORMULATION_COMPLIANT, BR_SCHEME_ADAPTIVE, 0}};
enum { WAY_COUNT = sizeof WAYS / sizeof *WAYS, IMPLICIT = 4 }; /* the first ones take servos implicitly */

static BrStepDef way_def(const Way *way, double dt) {
    BrStepDef def = machine_step_def(way->scheme, dt);
    def.formulation = way->formulation;
    return def;
}

/* A block on a rail along x. */
typedef struct Slider {
    Machine m;
    BrBodyId block;
    BrJointId rail;
    BrMotorId motor;
} Slider;

static Slider begin_slider(double mass, BrVec3 gravity) {
    Slider s = {.m = machine_begin(gravity)};
    s.block = machine_body(&s.m, "block", mass, diagonal(1, 1, 1), NONE);
    s.rail = machine_joint(&s.m, "rail", BR_JOINT_PRISMATIC, s.m.ground, s.block, NONE, X);
    return s;
}

static BrMotorDef servo_def(BrJointId joint) {
    BrMotorDef def = br_default_motor_def();
    def.name = "servo";
    def.joint = joint;
    def.kind = BR_MOTOR_SERVO;
    def.max_effort = INFINITY;
    return def;
}

static void add_motor(Slider *s, BrMotorDef def) {
    assert_int_equal(br_model_add_motor(s->m.model, &def, &s->motor, NULL), BR_OK);
    machine_ready(&s->m);
}

static BrMotorReading read_motor(Machine *m, BrMotorId motor) {
    BrMotorReading reading;
    assert_int_equal(br_evaluate(m->model, m->workspace, m->state, NULL), BR_OK);
    assert_int_equal(br_motor_read(m->model, m->workspace, m->state, motor, &reading), BR_OK);
    return reading;
}

/* ------------------------------------------------------------------ what is followed */

/* x = X (1 - e^(-z w t) (cos w_d t + z w/w_d sin w_d t)), w_d^2 = w^2 (1 - z^2): error in place and speed at 0.2 s. */
static double run_step_response(const Way *way, double ratio, double h) {
    const double f = 3, goal = 0.2, end = 0.2, w = 2 * PI * f;
    Slider s = begin_slider(7, NONE);
    BrMotorDef def = servo_def(s.rail);
    def.frequency = f, def.damping_ratio = ratio, def.position = br_constant(goal);
    add_motor(&s, def);
    BrStepDef step = way_def(way, h);
    machine_steps(&s.m, &step, (int)lround(end / h));
    double wd = w * sqrt(1 - ratio * ratio), e = exp(-ratio * w * end);
    double exact = goal * (1 - e * (cos(wd * end) + ratio * w / wd * sin(wd * end)));
    double exact_rate = goal * e * w * w / wd * sin(wd * end);
    double x = machine_position(&s.m, s.rail, 0), v = machine_rate(&s.m, s.rail, 0);
    BrMotorReading is = read_motor(&s.m, s.motor);
    assert_near(is.effort, 7 * (w * w * (goal - x) - 2 * ratio * w * v), 1e-9);
    assert_near(is.power, is.effort * v, 1e-12);
    machine_end(&s.m);
    return hypot(x - exact, (v - exact_rate) / w) / goal;
}

static void steps_are_answered_as_asked(void **unused) {
    (void)unused;
    const double ratios[] = {0.05, 0.7, 0.999};
    for (int k = 0; k < WAY_COUNT; k++)
        for (int i = 0; i < 3; i++) {
            double coarse = run_step_response(&WAYS[k], ratios[i], 1e-3),
                   fine = run_step_response(&WAYS[k], ratios[i], 5e-4);
            if (WAYS[k].order == 0) assert_near(fine, 0, 1e-9);
            if (WAYS[k].order != 1 && WAYS[k].order != 2) continue;
            assert_true(observed_order(coarse, fine) >
                        WAYS[k].order - 0.5); /* of hem2 two terms cancel at a ratio near 1 */
            assert_near(fine, 0, 5 * pow(2 * PI * 3 * 5e-4, WAYS[k].order)); /* a few (w h)^order */
        }
}

/* An arm on a hinge, its mass off the axis: what opposes the frequency is J + m l^2, not J. It is told as the gains. */
static void gains_of_an_arm(void **unused) {
    (void)unused;
    const double J = 0.06, mass = 2, l = 0.3, f = 4, w = 2 * PI * f;
    Machine m = machine_begin(NONE);
    BrBodyId arm = machine_body(&m, "arm", mass, diagonal(J, J, J), vec(l, 0, 0));
    BrJointId hinge = machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, arm, NONE, Y);
    BrMotorDef def = servo_def(hinge);
    def.frequency = f, def.damping_ratio = 0.5;
    BrMotorId id;
    double k, c;
    assert_int_equal(br_model_add_motor(m.model, &def, &id, NULL), BR_OK);
    machine_ready(&m);
    assert_int_equal(br_motor_gains(m.model, m.workspace, id, &k, &c), BR_OK);
    assert_near(k, w * w * (J + mass * l * l), 1e-11 * k);
    assert_near(c, w * (J + mass * l * l), 1e-11 * c);
    machine_end(&m);
}

/* A load F: the servo stands F/k off, and pulls with F. Light to heavy, soft to stiff. */
static void loads_push_it_off(void **unused) {
    (void)unused;
    for (int k = 0; k < WAY_COUNT; k++)
        for (double scale = 1; scale < 2000; scale *= 10) {
            const double mass = 0.5 * scale, f = 5, load = 3 * scale, w = 2 * PI * f;
            Slider s = begin_slider(mass, NONE);
            machine_force(&s.m, "load", s.block, 0, br_constant(load));
            BrMotorDef def = servo_def(s.rail);
            def.frequency = f, def.position = br_constant(0.1);
            add_motor(&s, def);
            BrStepDef step = way_def(&WAYS[k], 2e-3);
            machine_steps(&s.m, &step, 600); /* e^(-w t) (1 + w t) = 2e-15 */
            assert_near(machine_position(&s.m, s.rail, 0), 0.1 + load / (mass * w * w), 1e-12);
            BrMotorReading is = read_motor(&s.m, s.motor);
            assert_near(is.effort, -load, 1e-10 * load);
            assert_false(is.saturated);
            machine_end(&s.m);
        }
}

/* Gains that are a million times what explicit steps bear, k h^2/m = 4e6: it is there after a few steps, and does not ring. */
static void stiff_ones_do_not_ring(void **unused) {
    (void)unused;
    const double h = 1e-3, mass = 2, goal = 0.01, stiffness = 4e6 * mass / (h * h);
    const double ratios[] = {0, 0.1, 1, 10};
    for (int k = 0; k < IMPLICIT; k++)
        for (int i = 0; i < 4; i++) {
            Slider s = begin_slider(mass, NONE);
            BrMotorDef def = servo_def(s.rail);
            def.stiffness = stiffness, def.damping = 2 * ratios[i] * sqrt(stiffness * mass),
            def.position = br_constant(goal);
            add_motor(&s, def);
            BrStepDef step = way_def(&WAYS[k], h);
            double last = goal;
            for (int n = 1; n <= 12; n++) {
                BrStepReport report = machine_steps(&s.m, &step, 1);
                double off = fabs(machine_position(&s.m, s.rail, 0) - goal);
                assert_int_equal(report.clamped_motors, 0);
                if (n > 4)
                    assert_true(off <= 0.7 * last + 1e-12); /* bdf2 forgets by 0.58 a step; rounding is k eps h^2/m */
                last = off;
            }
            assert_near(machine_position(&s.m, s.rail, 0), goal, 1e-3 * goal);
            assert_near(machine_rate(&s.m, s.rail, 0), 0, 0.02 * goal / h);
            machine_end(&s.m);
        }
}

/* The same of a servo for speed. */
static void stiff_dampers_do_not_ring(void **unused) {
    (void)unused;
    const double h = 1e-3, mass = 2;
    for (int k = 0; k < IMPLICIT; k++) {
        Slider s = begin_slider(mass, NONE);
        BrMotorDef def = servo_def(s.rail);
        def.damping = 2e6 * mass / h, def.speed = br_expression("0.3 + t");
        add_motor(&s, def);
        BrStepDef step = way_def(&WAYS[k], h);
        machine_steps(&s.m, &step, 20);
        assert_near(machine_rate(&s.m, s.rail, 0), 0.32, 1e-6);
        machine_end(&s.m);
    }
}

/* A way that is followed by a stiff servo: it lags by m x''/k, for its speed is known. */
static void ways_are_followed(void **unused) {
    (void)unused;
    const double mass = 2, stiffness = 2e5, amplitude = 0.2, w = 2 * PI;
    for (int k = 0; k < WAY_COUNT; k++) {
        Slider s = begin_slider(mass, NONE);
        BrMotorDef def = servo_def(s.rail);
        def.stiffness = stiffness, def.damping = 2 * sqrt(stiffness * mass), def.position = br_sine(amplitude, 1, 0);
        add_motor(&s, def);
        machine_set_twist(&s.m, s.block, vec(amplitude * w, 0, 0), NONE);
        BrStepDef step = way_def(&WAYS[k], 1e-3);
        machine_steps(&s.m, &step, 300);
        double wanted = amplitude * sin(w * 0.3), lag = -mass * amplitude * w * w * sin(w * 0.3) / stiffness;
        /* order 1 is off by h x'' times the servo's own time, m/c: a few 1e-5 m; the rest by (w/w0)^2 of the lag */
        assert_near(machine_position(&s.m, s.rail, 0), wanted - lag, WAYS[k].order == 1 ? 4e-5 : 1e-6);
        machine_end(&s.m);
    }
}

/* v = (V + u/c) (1 - e^(-c t/m)): a servo for speed, and an effort on top of it. */
static void speeds_are_approached(void **unused) {
    (void)unused;
    const double mass = 2, damping = 20, speed = 1.5, push = 8, end = 0.1;
    for (int k = 0; k < WAY_COUNT; k++) {
        Slider s = begin_slider(mass, NONE);
        BrMotorDef def = servo_def(s.rail);
        def.damping = damping, def.speed = br_constant(speed), def.effort = br_constant(push);
        add_motor(&s, def);
        BrStepDef step = way_def(&WAYS[k], 1e-3);
        machine_steps(&s.m, &step, 100);
        double exact = (speed + push / damping) * (1 - exp(-damping * end / mass));
        double bound = WAYS[k].order == 1 ? 5e-3 : WAYS[k].order == 2 ? 5e-5 : 1e-9; /* (c h/m)^order */
        assert_near(machine_rate(&s.m, s.rail, 0), exact, bound * exact);
        BrEnergy e = machine_energy(&s.m);
        assert_near(e.work, 0.5 * mass * pow(machine_rate(&s.m, s.rail, 0), 2), 1e-3 * e.work); /* trapezoids */
        machine_end(&s.m);
    }
}

/* ------------------------------------------------------------------ bounds */

/* A stiff servo that may exert F goes towards its goal with F/m, and brakes with it. */
static void efforts_are_bounded(void **unused) {
    (void)unused;
    const double mass = 2, force = 10;
    for (int k = 0; k < WAY_COUNT; k++) {
        Slider s = begin_slider(mass, NONE);
        BrMotorDef def = servo_def(s.rail);
        def.stiffness = k < IMPLICIT ? 1e9 : 1e5, def.damping = 2 * sqrt(def.stiffness * mass);
        def.position = br_constant(1), def.max_effort = force;
        add_motor(&s, def);
        BrStepDef step = way_def(&WAYS[k], 1e-3);
        BrStepReport report = machine_steps(&s.m, &step, 100);
        if (k < IMPLICIT) assert_int_equal(report.clamped_motors, 1);
        assert_near(machine_rate(&s.m, s.rail, 0), 0.1 * force / mass, 1e-12);
        BrMotorReading is = read_motor(&s.m, s.motor);
        assert_near(is.effort, force, 1e-12);
        assert_true(is.saturated);
        assert_near(is.power, force * 0.1 * force / mass, 1e-11);
        assert_near(machine_acceleration(&s.m, s.block).linear.x, force / mass, 1e-12);
        assert_near(machine_energy(&s.m).work, 0.5 * mass * 0.25, 1e-12);
        machine_end(&s.m);
    }
}

/* Driven at its largest speed, and there without overshoot; a load is answered by c times the speed that is missing. */
static void speeds_are_bounded(void **unused) {
    (void)unused;
    const double mass = 2, most = 0.5, goal = 0.2;
    for (int k = 0; k < WAY_COUNT; k++) {
        Slider s = begin_slider(mass, NONE);
        const double load[] = {0, -4, 0.3, -4, 0.301, 0};
        machine_force(&s.m, "load", s.block, 0, br_table(load, 3));
        BrMotorDef def = servo_def(s.rail);
        def.stiffness = 2e4, def.damping = 400, def.position = br_constant(goal), def.max_speed = most;
        add_motor(&s, def);
        BrStepDef step = way_def(&WAYS[k], 1e-3);
        machine_steps(&s.m, &step, 200); /* e^(-c t/m) = e^-40 */
        assert_near(machine_rate(&s.m, s.rail, 0), most - 4 / 400., 1e-6);
        double farthest = 0;
        for (int n = 0; n < 40; n++) {
            machine_steps(&s.m, &step, 20);
            farthest = fmax(farthest, machine_position(&s.m, s.rail, 0));
        }
        assert_near(machine_position(&s.m, s.rail, 0), goal, 1e-6);
        assert_near(farthest, goal, 1e-4);
        machine_end(&s.m);
    }
}

/* ------------------------------------------------------------------ beside others */

/* A block is pushed over ice against a wall that stands before the goal: the wall gives back k (goal - wall), or the largest effort. */
static void walls_stop_it(void **unused) {
    (void)unused;
    for (int scheme = 0; scheme < 2; scheme++)
        for (int bounded = 0; bounded < 3; bounded++) /* of 1000 N the soft one needs 150 */
            for (int stiff = 0; stiff < 2; stiff++) {
                const double stiffness = stiff ? 1e6 : 500, goal = 0.5, most = bounded == 1 ? 30 : 1000;
                Slider s = begin_slider(2, NONE);
                BrMaterialId ice = machine_material(&s.m, "ice", 0, 0);
                machine_box(&s.m, s.block, vec(0.2, 0.2, 0.2), ice);
                BrBodyDef wall = br_default_body_def();
                wall.name = "wall", wall.kind = BR_BODY_FIXED, wall.position = vec(0.4, 0, 0);
                BrBodyId stop = machine_add_body(&s.m, &wall);
                machine_box(&s.m, stop, vec(0.2, 1, 1), ice);
                BrMotorDef def = servo_def(s.rail);
                def.stiffness = stiffness, def.damping = 2 * sqrt(2 * stiffness), def.position = br_constant(goal);
                if (bounded) def.max_effort = most;
                add_motor(&s, def);
                BrStepDef step = machine_step_def(scheme ? BR_SCHEME_HEM2 : BR_SCHEME_MOREAU, 1e-3);
                BrStepReport report = machine_steps(&s.m, &step, 700);
                assert_int_equal(report.uncertified_contacts, 0);
                double pull = fmin(stiffness * (goal - 0.2), bounded ? most : 1e300);
                assert_near(machine_position(&s.m, s.rail, 0), 0.2, 1e-8);
                assert_near(machine_rate(&s.m, s.rail, 0), 0, 1e-9);
                assert_near(read_motor(&s.m, s.motor).effort, pull, 1e-6 * pull);
                assert_near(fabs(machine_contact_force(&s.m, false).x), pull, 1e-6 * pull);
                assert_near(fabs(machine_contact_force(&s.m, true).x), pull, 1e-6 * pull);
                machine_end(&s.m);
            }
}

/* A block bounces off a wall without loss, another slides on it with a servo between them that wants no speed: the blow takes no
 * time, and the servo has none to push. The other goes on, 2 m/s faster than the first, and that dies away as e^(-c t/mu). */
static void blows_take_no_time(void **unused) {
    (void)unused;
    const double mass = 2, damping = 25;
    for (int bounded = 0; bounded < 2; bounded++)
        for (int event = 0; event < 2; event++) {
            Slider s = begin_slider(mass, NONE);
            BrMaterialId steel = machine_material(&s.m, "steel", 0, 1);
            machine_box(&s.m, s.block, vec(0.2, 0.2, 0.2), steel);
            BrBodyDef wall = br_default_body_def();
            wall.name = "wall", wall.kind = BR_BODY_FIXED, wall.position = vec(0.4, 0, 0);
            BrBodyId stop = machine_add_body(&s.m, &wall);
            machine_box(&s.m, stop, vec(0.2, 1, 1), steel);
            BrBodyId other = machine_body(&s.m, "other", mass, diagonal(1, 1, 1), NONE);
            BrJointId slide = machine_joint(&s.m, "slide", BR_JOINT_PRISMATIC, s.block, other, NONE, X);
            BrMotorDef def = servo_def(slide);
            def.damping = damping;
            if (bounded) def.max_effort = 1e4;
            add_motor(&s, def);
            machine_set_twist(&s.m, s.block, vec(1, 0, 0), NONE);
            machine_set_twist(&s.m, other, vec(1, 0, 0), NONE);
            BrStepDef step = event ? machine_event_def(1e-3) : machine_step_def(BR_SCHEME_HEM2, 1e-3);
            machine_steps(&s.m, &step, 240); /* it is there after 0.2 s, and 0.04 s = mu/c later */
            assert_near(machine_rate(&s.m, slide, 0), 2 * exp(-1),
                        1e-3); /* (c h/mu)^2; half a step of pushing would be 0.009 */
            machine_end(&s.m);
        }
}

/* A servo for an arm that hangs off its axis holds m g l, beside constant dry friction that takes nothing while it moves on. */
static void arms_are_held(void **unused) {
    (void)unused;
    const double mass = 2, l = 0.3;
    for (int k = 0; k < WAY_COUNT; k++) {
        Machine m = machine_begin(DOWN);
        BrBodyId arm = machine_body(&m, "arm", mass, diagonal(0.06, 0.06, 0.06), vec(l, 0, 0));
        BrJointId hinge = machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, arm, NONE, Y);
        BrMotorDef def = servo_def(hinge);
        def.stiffness = 1e4, def.damping = 100;
        BrMotorId id;
        assert_int_equal(br_model_add_motor(m.model, &def, &id, NULL), BR_OK);
        machine_ready(&m);
        BrStepDef step = way_def(&WAYS[k], 1e-3);
        machine_steps(&m, &step, 600);
        double angle = machine_position(&m, hinge, 0);
        assert_near(1e4 * angle, mass * 9.81 * l * cos(angle), 1e-6);
        assert_near(read_motor(&m, id).effort, -1e4 * angle, 1e-6);
        assert_near(machine_reaction(&m, hinge).torque.y, -1e4 * angle,
                    1e-6); /* the joint's reaction has what its motor does */
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ efforts */

/* m v = integral of F sin(w t), with friction in the guide on top: an effort takes no row, and friction goes with it. */
static void efforts_push(void **unused) {
    (void)unused;
    const double mass = 2, force = 6, w = 4;
    for (int k = 0; k < WAY_COUNT; k++) {
        Slider s = begin_slider(mass, NONE);
        BrMotorDef def = br_default_motor_def();
        def.name = "m", def.joint = s.rail, def.kind = BR_MOTOR_EFFORT, def.max_effort = INFINITY;
        def.effort = br_sine(force, w / (2 * PI), 0);
        add_motor(&s, def);
        BrStepDef step = way_def(&WAYS[k], 1e-3);
        machine_steps(&s.m, &step, 500);
        double exact = force / (mass * w) * (1 - cos(w * 0.5)), bound = WAYS[k].order == 1 ? 2e-3 : 1e-5;
        assert_near(machine_rate(&s.m, s.rail, 0), exact, bound * exact);
        BrMotorReading is = read_motor(&s.m, s.motor);
        assert_near(is.effort, force * sin(w * 0.5), 1e-12);
        assert_near(is.target, is.effort, 0);
        assert_near(machine_reaction(&s.m, s.rail).force.x, is.effort, 1e-12);
        BrEnergy e = machine_energy(&s.m);
        assert_near(e.work, 0.5 * mass * exact * exact, 5e-3 * e.work);
        machine_end(&s.m);
    }
}

static void efforts_and_friction_in_bearings(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrBodyId block = machine_body(&m, "block", 2, diagonal(1, 1, 1), NONE);
    BrJointDef rail = br_default_joint_def();
    rail.name = "rail", rail.type = BR_JOINT_PRISMATIC, rail.body_a = m.ground, rail.body_b = block, rail.axis = X;
    rail.friction.law = br_law(BR_LAW_FRICTION, "coulomb");
    assert_true(br_law_set(&rail.friction.law, "mu", 0.25));
    rail.friction.guide_length = 0.4, rail.friction.pin_radius = 0.01;
    BrJointId joint = machine_add_joint(&m, &rail);
    BrMotorDef def = br_default_motor_def();
    def.name = "m", def.joint = joint, def.kind = BR_MOTOR_EFFORT, def.max_effort = INFINITY,
    def.effort = br_constant(9);
    assert_int_equal(br_model_add_motor(m.model, &def, NULL, NULL), BR_OK);
    machine_ready(&m);
    machine_run(&m, BR_SCHEME_HEM2, 1e-3, 200);
    assert_near(machine_rate(&m, joint, 0), 0.2 * (9 - 0.25 * 2 * 9.81) / 2,
                1e-9); /* weight in the middle of the guide */
    machine_end(&m);
}

/* ------------------------------------------------------------------ inputs, refusals */

static void targets_are_taken_over(void **unused) {
    (void)unused;
    for (int k = 0; k < WAY_COUNT; k++) {
        Slider s = begin_slider(2, NONE);
        BrMotorDef def = servo_def(s.rail);
        def.frequency = 10, def.position = br_expression("t");
        add_motor(&s, def);
        assert_int_equal(br_motor_set_target(s.m.model, s.m.state, s.motor, 0.3, 50, NULL), BR_OK);
        BrStepDef step = way_def(&WAYS[k], 1e-3);
        machine_steps(&s.m, &step, 1000);
        assert_near(machine_position(&s.m, s.rail, 0), 0.3, 1e-9);
        assert_near(read_motor(&s.m, s.motor).target, 0.3, 0);
        machine_end(&s.m);
    }
}

static void refuse(Slider *s, BrMotorDef def, const char *part) {
    BrError error = {0};
    assert_true(br_model_add_motor(s->m.model, &def, NULL, &error) < 0);
    if (!strstr(error.text, part)) fail_msg("'%s' does not say '%s'", error.text, part);
}

static void mistakes_are_told(void **unused) {
    (void)unused;
    Slider s = begin_slider(2, NONE);
    BrMotorDef def = servo_def(s.rail);
    refuse(&s, def, "a servo needs a stiffness, a damping or a frequency");
    def.stiffness = -1;
    refuse(&s, def, "its stiffness is -1; it must not be negative");
    def.stiffness = 1, def.frequency = 2;
    refuse(&s, def, "keep either the frequency or the gains");
    def.frequency = 0, def.max_speed = 1;
    refuse(&s, def, "follows a position and has damping");
    def = servo_def(s.rail), def.kind = BR_MOTOR_SPEED, def.damping = 1;
    refuse(&s, def, "which only a servo takes");
    def.kind = (BrMotorKind)7;
    refuse(&s, def, "7 is no kind of motor");
    def = servo_def(s.rail), def.stiffness = 1;
    add_motor(&s, def);
    BrError error = {0};
    BrStepDef step = machine_step_def(BR_SCHEME_RATTLE, 1e-3);
    assert_int_equal(br_step(s.m.model, s.m.workspace, s.m.state, &step, NULL, &error), BR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "motor 'servo' is a servo"));
    assert_int_equal(br_model_default_scheme(s.m.model, BR_FORMULATION_TIMESTEPPING), BR_SCHEME_HEM2);
    machine_end(&s.m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_answered_as_asked),
        cmocka_unit_test(gains_of_an_arm),
        cmocka_unit_test(loads_push_it_off),
        cmocka_unit_test(stiff_ones_do_not_ring),
        cmocka_unit_test(stiff_dampers_do_not_ring),
        cmocka_unit_test(ways_are_followed),
        cmocka_unit_test(speeds_are_approached),
        cmocka_unit_test(efforts_are_bounded),
        cmocka_unit_test(speeds_are_bounded),
        cmocka_unit_test(walls_stop_it),
        cmocka_unit_test(blows_take_no_time),
        cmocka_unit_test(arms_are_held),
        cmocka_unit_test(efforts_push),
        cmocka_unit_test(efforts_and_friction_in_bearings),
        cmocka_unit_test(targets_are_taken_over),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
