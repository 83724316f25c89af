/* test_compliant_orders.c: fixed schemes of the formulation compliant converge with their order, memory of the laws
 * included, to the same motion as the adaptive scheme. Orders hold where forces are smooth functions of the state along
 * the motion, so the scenes keep away from the laws' own kinks (friction that begins to be cut, the direction of slow
 * slips); the touch is an event, behind which the force of a whole exponent is smooth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "soft_support.h"

static const struct {
    BrScheme scheme;
    int order, refine; /* refine: times the steps of rk4 */
} SCHEMES[] = {{BR_SCHEME_SEMI_IMPLICIT, 1, 32}, {BR_SCHEME_RK2, 2, 8}, {BR_SCHEME_RK3, 3, 2}, {BR_SCHEME_RK4, 4, 1}};

enum { LOOKS = 10 };

/* Root sums of squares over LOOKS moments of a run: one moment may have an error of zero by chance. */
typedef struct Errors {
    double motion, z, dwell;
} Errors;

static void look(Machine *m, Machine *reference, bool touches, Errors *squares) {
    double motion = machine_distance(m, reference);
    squares->motion += motion * motion;
    if (!touches) return;
    machine_contact(m, 0);
    machine_contact(reference, 0);
    BrVec3 bent = machine_memory(reference, 0, "deflection"), z = sub(machine_memory(m, 0, "deflection"), bent);
    double settled = machine_memory(reference, 0, "dwell").x, off = machine_memory(m, 0, "dwell").x - settled;
    assert_true(norm(bent) > 1e-7 && settled > 1e-6);
    squares->z += dot(z, z);
    squares->dwell += off * off;
}

/* From `from` to `to`, in steps that end at the moments of looking. */
static Errors measure(Machine (*make)(void), BrScheme scheme, double from, double to, int steps, bool touches) {
    double part = (to - from) / LOOKS;
    BrStepDef def = soft_def(scheme, part / steps, 1), exact = soft_def(BR_SCHEME_ADAPTIVE, part, 1);
    Machine m = make(), reference = make();
    Errors sum = {0};
    machine_steps(&m, &def, (int)lround(from / def.dt));
    machine_steps(&reference, &exact, (int)lround(from / exact.dt));
    for (int k = 0; k < LOOKS; k++) {
        machine_steps(&m, &def, steps);
        machine_steps(&reference, &exact, 1);
        assert_near(br_state_time(m.state), br_state_time(reference.state), 1e-12);
        look(&m, &reference, touches, &sum);
    }
    machine_end(&m);
    machine_end(&reference);
    return (Errors){sqrt(sum.motion), sqrt(sum.z), sqrt(sum.dwell)};
}

/* `steps`: of rk4 between two looks, so many that its error is the leading one. */
static void check_orders(Machine (*make)(void), double from, double to, int steps, bool touches) {
    for (int k = 0; k < 4; k++) {
        int n = steps * SCHEMES[k].refine;
        Errors coarse = measure(make, SCHEMES[k].scheme, from, to, n, touches);
        Errors fine = measure(make, SCHEMES[k].scheme, from, to, 2 * n, touches);
        double order = SCHEMES[k].order;
        assert_near(observed_order(coarse.motion, fine.motion), order, 0.1);
        if (!touches) continue;
        assert_near(observed_order(coarse.z, fine.z), order, 0.1);
        assert_near(observed_order(coarse.dwell, fine.dwell), order, 0.1);
    }
}

/* A ball that rolls, hops within its depth and swings on its bristles. Nothing is cut: bristles hold 3 N of 40. */
static Machine make_rolling(void) {
    const Given normal = {"gonthier", {{"stiffness", 1e6}, {"e", 0.5}, {"floor", 1}}};
    const Given friction = {"dwell",
                            {{"mu_s", 5},
                             {"mu_k", 4},
                             {"sigma_0", 1e4},
                             {"sigma_1", 20},
                             {"sigma_2", 1},
                             {"v_s", 1},
                             {"v_eps", 10},
                             {"tau_dw", 0.5}}};
    Machine m = machine_begin(vec(0, 0, -9.81));
    BrMaterialId rubber = add_soft(&m, "rubber", &normal, &friction);
    machine_floor(&m, rubber);
    BrBodyId ball = machine_ball(&m, "ball", 1, 0.1, vec(0, 0, 0.1 - 3e-4), rubber);
    machine_ready(&m);
    machine_set_twist(&m, ball, vec(1.05, 0.03, 0.01), vec(0, 10, 3));
    return m;
}

/* An oblique impact with spin; depth^3, slides all the way. */
static Machine make_impact(void) {
    const Given normal = {"gonthier", {{"stiffness", 2e8}, {"exponent", 3}, {"e", 0.5}}};
    const Given friction = {"dwell",
                            {{"mu_s", 0.12},
                             {"mu_k", 0.1},
                             {"sigma_0", 1e4},
                             {"sigma_1", 50},
                             {"v_s", 1},
                             {"v_eps", 1e-3},
                             {"tau_dw", 0.1}}};
    Machine m = machine_begin(vec(0, 0, -9.81));
    BrMaterialId rubber = add_soft(&m, "rubber", &normal, &friction);
    machine_floor(&m, rubber);
    BrBodyId ball = machine_ball(&m, "ball", 1, 0.1, vec(0, 0, 0.1037), rubber);
    machine_ready(&m);
    machine_set_twist(&m, ball, vec(3, 0.4, -1), vec(2, -1, 3));
    return m;
}

/* A bar on a slanted hinge, its round tip on the floor: joints and contact together, and the tip slips sideways. */
static Machine make_propped(void) {
    const Given normal = {"gonthier", {{"stiffness", 1e6}, {"e", 0.5}, {"floor", 1}}};
    const Given friction = {
        "dwell",
        {{"mu_s", 5}, {"mu_k", 4}, {"sigma_0", 1e4}, {"sigma_1", 20}, {"v_s", 0.05}, {"v_eps", 10}, {"tau_dw", 1}}};
    Machine m = machine_begin(vec(0, 0, -9.81));
    BrMaterialId rubber = add_soft(&m, "rubber", &normal, &friction);
    machine_floor(&m, rubber);
    BrBodyId bar = machine_ball(&m, "bar", 1, 0.1, vec(0.4, 0, 0.1 - 3e-4), rubber);
    BrBodyDef post = br_default_body_def(); /* of its own: joined bodies do not touch */
    post.name = "post";
    post.kind = BR_BODY_FIXED;
    BrBodyId held = machine_add_body(&m, &post);
    machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, held, bar, vec(0, 0, 0.3), vec(0, 1, 0.6));
    machine_ready(&m);
    return m;
}

static void orders_while_rolling(void **unused) {
    (void)unused;
    check_orders(make_rolling, 0, 0.05, 20, true);
}

static void orders_with_a_joint(void **unused) {
    (void)unused;
    check_orders(make_propped, 0, 0.05, 20, true);
}

static void orders_within_an_impact(void **unused) {
    (void)unused;
    check_orders(make_impact, 0.006, 0.021, 12, true);
}

/* The end of the touch is no event for fixed schemes: a force ~ time^3 leaves order 4 alone. (With an exponent of 3/2
 * touch and end would limit it to 5/2.) */
static void orders_through_an_impact(void **unused) {
    (void)unused;
    check_orders(make_impact, 0.05, 0.06, 10, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_while_rolling),
        cmocka_unit_test(orders_with_a_joint),
        cmocka_unit_test(orders_within_an_impact),
        cmocka_unit_test(orders_through_an_impact),
    };
    return cmocka_run_group_tests_name("compliant orders", tests, NULL, NULL);
}
