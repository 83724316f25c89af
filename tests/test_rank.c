/* test_rank.c: loops. Which rows are redundant is a question of geometry, whatever the masses and however long the
 * loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "machine.h"

static BrAnalysis analyse(const Machine *m) {
    BrAnalysis a;
    assert_int_equal(br_analyse(m->model, m->workspace, m->state, &a, NULL, NULL, NULL), BR_OK);
    return a;
}

/* A heavy body on a ball joint is welded to a pin that turns in a hinge about z: one freedom, three redundant rows, be
 * the pin as light as it likes. Gravity along -z cannot turn it, so nothing moves. */
static void light_pin_in_a_heavy_loop(void **unused) {
    (void)unused;
    for (double inertia = 1e-4; inertia > 1e-13; inertia *= 1e-2) {
        Machine m = machine_begin(vec(0, 0, -9.81));
        BrBodyId heavy = machine_body(&m, "heavy", 1000, diagonal(100, 100, 100), vec(1, 0, 0));
        BrBodyId pin = machine_body(&m, "pin", 0.1, diagonal(inertia, inertia, inertia), vec(0, 0, 0));
        machine_joint(&m, "ball", BR_JOINT_SPHERICAL, m.ground, heavy, vec(0, 0, 0), vec(0, 0, 1));
        machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, pin, vec(0, 0, 0), vec(0, 0, 1));
        machine_joint(&m, "weld", BR_JOINT_FIXED, pin, heavy, vec(0, 0, 0), vec(0, 0, 1));
        machine_ready(&m);
        assert_int_equal(analyse(&m).freedoms, 1);
        assert_int_equal(analyse(&m).redundant_rows, 3);
        machine_run(&m, BR_SCHEME_RATTLE, 1e-3, 100);
        assert_near(machine_pose(&m, heavy).position.z, 0, 1e-12); /* rounding */
        machine_end(&m);
    }
}

/* A closed planar ring of n links on hinges, one of which is the ground, lying askew in space: n - 2 freedoms. */
static void long_rings(void **unused) {
    (void)unused;
    const int counts[] = {3, 4, 10, 50, 200};
    for (int c = 0; c < 5; c++) {
        int n = counts[c];
        Machine m = machine_begin(vec(0, 0, -9.81));
        BrMat3 W = turn_about(vec(0.3, -1.1, 0.7), 1.2);
        BrVec3 axis = rotate(&W, vec(0, 0, 1)), last, point;
        BrBodyId before = m.ground;
        double radius = 0.5 / sin(PI / (n + 1));
        for (int k = 0; k <= n; k++) {
            double a = 2 * PI * k / (n + 1), b = 2 * PI * (k + 1) / (n + 1);
            char name[16];
            last = rotate(&W, vec(radius * cos(a), radius * sin(a), 0));
            point = rotate(&W, vec(radius * cos(b), radius * sin(b), 0));
            snprintf(name, sizeof name, "j%d", k);
            BrBodyId body = m.ground;
            if (k < n) {
                char link[16];
                snprintf(link, sizeof link, "b%d", k);
                body = machine_body(&m, link, 1, diagonal(0.08, 0.08, 0.08), scale(0.5, add(last, point)));
            }
            machine_joint(&m, name, BR_JOINT_REVOLUTE, before, body, last, axis);
            before = body;
        }
        machine_ready(&m);
        assert_int_equal(analyse(&m).freedoms, n - 2);
        assert_int_equal(analyse(&m).redundant_rows, 3);
        machine_run(&m, BR_SCHEME_RATTLE, 1e-3, 100);
        assert_near(machine_gap(&m), 0, 1e-10); /* 100 times the step's tolerance at the ring's size */
        machine_end(&m);
    }
}

/* Two cranks and a coupler; `up` is the angle of the cranks. At 0 all lies on one line: a pose in which one row more
 * is redundant than in all others. */
typedef struct Linkage {
    Machine m;
    BrJointId left, right;
} Linkage;

static Linkage make_parallelogram(double up, double spin) {
    Linkage l = {.m = machine_begin(vec(0, 0, 0))};
    BrVec3 arm = vec(0.5 * cos(up), 0, 0.5 * sin(up)), base = vec(1, 0, 0), y = vec(0, -1, 0);
    BrBodyDef def = br_default_body_def();
    BrBodyId body[3];
    const char *const names[] = {"left", "right", "coupler"};
    BrVec3 centre[] = {scale(0.5, arm), add(base, scale(0.5, arm)), add(scale(0.5, base), arm)};
    for (int k = 0; k < 3; k++) {
        def.name = names[k];
        def.mass = 1;
        def.inertia = diagonal(0.1, 0.1, 0.1);
        def.position = centre[k];
        def.angular_velocity = k < 2 ? vec(0, -spin, 0) : vec(0, 0, 0);
        def.velocity = cross(vec(0, -spin, 0), k == 0 ? centre[0] : k == 1 ? sub(centre[1], base) : arm);
        body[k] = machine_add_body(&l.m, &def);
    }
    l.left = machine_joint(&l.m, "left_pin", BR_JOINT_REVOLUTE, l.m.ground, body[0], vec(0, 0, 0), y);
    l.right = machine_joint(&l.m, "right_pin", BR_JOINT_REVOLUTE, l.m.ground, body[1], base, y);
    machine_joint(&l.m, "left_end", BR_JOINT_REVOLUTE, body[0], body[2], arm, y);
    machine_joint(&l.m, "right_end", BR_JOINT_REVOLUTE, body[1], body[2], add(base, arm), y);
    return l;
}

/* Started flat, with both cranks turning: what was redundant there is needed right after. */
static void flat_parallelogram_keeps_its_loop(void **unused) {
    (void)unused;
    for (int s = 0; s < BR_TIMESTEPPING_SCHEMES; s++) {
        Linkage l = make_parallelogram(0, 1);
        machine_ready(&l.m);
        for (int k = 0; k < 1000; k++) { /* the first steps are so near the singular pose that they may say so */
            BrStepDef def = br_default_step_def();
            def.scheme = (BrScheme)s;
            BrStatus status = br_step(l.m.model, l.m.workspace, l.m.state, &def, NULL, NULL);
            assert_true(status == BR_OK || (k < 50 && status == BR_NOT_CONVERGED));
        }
        double left = machine_position(&l.m, l.left, 0), right = machine_position(&l.m, l.right, 0);
        assert_near(machine_gap(&l.m), 0, 1e-11);
        assert_near(left, 1, 2e-3); /* no load, constant inertia: the speed stays; order 1 of moreau */
        assert_near(left, right, 1e-9);
        machine_end(&l.m);
    }
}

/* Two motors on one freedom: the loop stays closed, also when they ask for different speeds. */
static void two_motors_on_one_freedom(void **unused) {
    (void)unused;
    for (int s = 0; s < BR_TIMESTEPPING_SCHEMES; s++)
        for (int differ = 0; differ < 2; differ++) {
            Linkage l = make_parallelogram(1, 0);
            machine_motor(&l.m, "first", l.left, 0, br_constant(2), 50);
            machine_motor(&l.m, "second", l.right, 0, br_constant(differ ? 1 : 2), 50);
            machine_ready(&l.m);
            machine_run(&l.m, (BrScheme)s, 1e-3, 500);
            double left = machine_rate(&l.m, l.left, 0), right = machine_rate(&l.m, l.right, 0);
            assert_near(machine_gap(&l.m), 0, 1e-11);
            assert_near(left, right, 1e-2); /* moreau's velocities are those of the pose before */
            assert_between(left, differ ? 0.99 : 1.99, 2.01);
            machine_end(&l.m);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_pin_in_a_heavy_loop),
        cmocka_unit_test(long_rings),
        cmocka_unit_test(flat_parallelogram_keeps_its_loop),
        cmocka_unit_test(two_motors_on_one_freedom),
    };
    return cmocka_run_group_tests_name("rank", tests, NULL, NULL);
}
