/* test_stops.c: springs with play: soft stops of joints, and ropes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "machine.h"

static const BrVec3 NONE = {0, 0, 0}, X = {1, 0, 0};

typedef struct Way {
    BrFormulation formulation;
    BrScheme scheme;
    double bound; /* of the speed after a stop, at 0.1 ms */
} Way;
/* kinks cost moreau and half-implicit w h = 7e-3 of a swing, schemes of order 2 (w h)^2, adaptive ones what they find a jump of the force to */
static const Way WAYS[] = {
    {BR_FORMULATION_TIMESTEPPING, BR_SCHEME_MOREAU, 1e-2}, {BR_FORMULATION_TIMESTEPPING, BR_SCHEME_HEM2, 1e-3},
    {BR_FORMULATION_TIMESTEPPING, BR_SCHEME_RATTLE, 1e-3}, {BR_FORMULATION_SMOOTH, BR_SCHEME_HALF_IMPLICIT, 1e-2},
    {BR_FORMULATION_SMOOTH, BR_SCHEME_BDF2, 2e-3},         {BR_FORMULATION_EVENT, BR_SCHEME_HEM2, 1e-5},
    {BR_FORMULATION_COMPLIANT, BR_SCHEME_RK4, 1e-3},       {BR_FORMULATION_COMPLIANT, BR_SCHEME_ADAPTIVE, 1e-5}};
enum { WAY_COUNT = sizeof WAYS / sizeof *WAYS };

typedef struct Slider {
    Machine m;
    BrBodyId block;
    BrJointId rail;
    BrSpringId stop;
} Slider;

static Slider begin_slider(double mass, double speed, double lower, double upper, double stiffness, double damping) {
    Slider s = {.m = machine_begin(NONE)};
    s.block = machine_body(&s.m, "block", mass, diagonal(1, 1, 1), NONE);
    s.rail = machine_joint(&s.m, "rail", BR_JOINT_PRISMATIC, s.m.ground, s.block, NONE, X);
    BrSpringDef def = br_default_spring_def();
    def.name = "stop", def.joint = s.rail, def.play_lower = lower, def.play_upper = upper;
    def.stiffness = br_constant(stiffness), def.damping = br_constant(damping);
    assert_int_equal(br_model_add_spring(s.m.model, &def, &s.stop, NULL), BR_OK);
    machine_ready(&s.m);
    machine_set_twist(&s.m, s.block, vec(speed, 0, 0), NONE);
    return s;
}

/* Damped, it leaves where the force ends, k x + c v = 0, with e^(-d t) of its speed at the time
 * t = (pi - atan2(2 d w_d, w_d^2 - d^2))/w_d after the touch (Hunt and Crossley's question for a linear stop). */
static double find_restitution(double mass, double stiffness, double damping) {
    double d = damping / (2 * mass), w = sqrt(stiffness / mass - d * d);
    double t = (PI - atan2(2 * d * w, w * w - d * d)) / w;
    return exp(-d * t);
}

static void blocks_bounce_off_stops(void **unused) {
    (void)unused;
    const double mass = 2, speed = 1.3, stiffness = 1e4;
    for (int k = 0; k < WAY_COUNT; k++)
        for (int damped = 0; damped < 2; damped++)
            for (int side = -1; side < 2; side += 2) {
                double damping = damped ? 60 : 0, e = find_restitution(mass, stiffness, damping), deepest = 0, most = 0;
                Slider s = begin_slider(mass, side * speed, -0.05, 0.05, stiffness, damping);
                BrStepDef def = machine_step_def(WAYS[k].scheme, 1e-4);
                def.formulation = WAYS[k].formulation;
                for (int n = 0; n < 90; n++) {
                    machine_steps(&s.m, &def, 10);
                    double x = side * machine_position(&s.m, s.rail, 0), v = side * machine_rate(&s.m, s.rail, 0);
                    double length, rate, tension, deep = fmax(0, x - 0.05);
                    assert_int_equal(br_spring_force(s.m.model, s.m.state, s.stop, &length, &rate, &tension), BR_OK);
                    double wanted = deep > 0 ? fmax(0, stiffness * deep + damping * v) : 0;
                    assert_near(side * tension, wanted, 1e-9 * stiffness);
                    assert_near(machine_energy(&s.m).stored, 0.5 * stiffness * deep * deep, 1e-12);
                    deepest = fmax(deepest, deep), most = fmax(most, fabs(machine_energy(&s.m).defect));
                }
                assert_near(-side * machine_rate(&s.m, s.rail, 0), e * speed, WAYS[k].bound * speed);
                if (!damped) assert_near(deepest, speed * sqrt(mass / stiffness), 0.01 * deepest); /* seen every ms */
                /* books are trapezoids in time, and the damper's power jumps to c v^2 at the touch; adaptive ones integrate it */
                double jump = WAYS[k].bound < 1e-4 ? 0 : damping * speed * speed * 1e-4;
                assert_near(machine_energy(&s.m).dissipated, 0.5 * mass * speed * speed * (1 - e * e),
                            2 * WAYS[k].bound + jump);
                machine_end(&s.m);
            }
}

/* Within its play it is not there, and a side left open has no stop. */
static void play_is_free(void **unused) {
    (void)unused;
    Slider s = begin_slider(2, 1, -0.05, INFINITY, 1e4, 100);
    machine_run(&s.m, BR_SCHEME_RATTLE, 1e-2, 1000);
    assert_near(machine_rate(&s.m, s.rail, 0), 1, 1e-12);
    assert_near(machine_position(&s.m, s.rail, 0), 10, 1e-11);
    machine_end(&s.m);
}

/* A rope: a spring that only pulls. A ball that flies off is held back once it is longer than 2 m, and then flies back through. */
static void ropes_pull(void **unused) {
    (void)unused;
    Machine m = machine_begin(NONE);
    BrBodyId ball = machine_body(&m, "ball", 1, diagonal(1, 1, 1), vec(1, 0, 0));
    BrSpringDef def = br_default_spring_def();
    def.name = "rope", def.body_a = m.ground, def.body_b = ball, def.free_length = 2;
    def.play_lower = -INFINITY, def.stiffness = br_constant(400);
    BrSpringId rope;
    assert_int_equal(br_model_add_spring(m.model, &def, &rope, NULL), BR_OK);
    machine_ready(&m);
    machine_set_twist(&m, ball, vec(3, 0, 0), NONE);
    machine_run(&m, BR_SCHEME_RATTLE, 1e-4, 10000);
    /* 1/3 s to the end, half a swing of pi/20 s, the rest back */
    assert_near(machine_twist(&m, ball).linear.x, -3, 1e-4);
    assert_near(machine_pose(&m, ball).position.x, 2 - 3 * (1 - 1. / 3 - PI / 20), 1e-3);
    machine_end(&m);
}

static void mistakes_are_told(void **unused) {
    (void)unused;
    Slider s = begin_slider(1, 0, -1, 1, 1, 0);
    Machine m = machine_begin(NONE);
    BrBodyId ball = machine_body(&m, "ball", 1, diagonal(1, 1, 1), vec(1, 0, 0));
    BrSpringDef def = br_default_spring_def();
    BrError error;
    def.name = "bad", def.body_a = m.ground, def.body_b = ball, def.play_lower = 1, def.play_upper = 1;
    assert_int_equal(br_model_add_spring(m.model, &def, NULL, &error), BR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.text, "its play is from 1 to 1"));
    machine_end(&m);
    BrAnalysis analysis; /* a stop is stiff before it is touched, too: 2/w */
    assert_int_equal(br_analyse(s.m.model, s.m.workspace, s.m.state, &analysis, NULL, NULL, NULL), BR_OK);
    assert_near(analysis.largest_dt[BR_SCHEME_RATTLE], 2, 0.1);
    machine_end(&s.m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_bounce_off_stops), cmocka_unit_test(play_is_free),
                                       cmocka_unit_test(ropes_pull), cmocka_unit_test(mistakes_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
