/* test_falling.c: figures of limbs on hinges with limits and ball joints fall, strike, slide and come to rest. What becomes
 * of them is chaos; that joints stay together, that nothing sinks in, that nearly every step is certified and that none
 * takes long is not. Work is counted in operations, the same on every machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "machine.h"

typedef struct Figure {
    Machine m;
    BrMaterialId skin;
    int limbs;
} Figure;

/* A capsule from one place to another. */
static BrBodyId add_limb(Figure *f, double mass, BrVec3 from, BrVec3 to, double radius) {
    BrVec3 way = sub(to, from);
    double length = norm(way), tilt = acos(way.z / length);
    BrVec3 axis = cross(vec(0, 0, 1), way);
    BrShapeDef shape = br_default_shape_def();
    shape.kind = BR_SHAPE_CAPSULE, shape.radius = radius, shape.length = length, shape.material = f->skin;
    BrBodyDef def = br_default_body_def();
    char name[16];
    snprintf(name, sizeof name, "limb%d", f->limbs++);
    def.name = name, def.mass = mass, def.inertia = machine_solid_inertia(&shape, mass);
    def.position = scale(0.5, add(from, to));
    def.rotation = turn_about(norm(axis) > 0 ? scale(1 / norm(axis), axis) : vec(1, 0, 0), tilt);
    shape.body = machine_add_body(&f->m, &def);
    machine_add_shape(&f->m, &shape);
    return shape.body;
}

static void add_hinge(Figure *f, BrBodyId a, BrBodyId b, BrVec3 at, double lower, double upper) {
    BrJointDef def = br_default_joint_def();
    char name[16];
    snprintf(name, sizeof name, "hinge%d", f->limbs);
    def.name = name, def.type = BR_JOINT_REVOLUTE, def.body_a = a, def.body_b = b, def.at = at, def.axis = vec(0, 1, 0);
    def.lower[0] = lower, def.upper[0] = upper;
    machine_add_joint(&f->m, &def);
}

static void add_ball_joint(Figure *f, BrBodyId a, BrBodyId b, BrVec3 at) {
    char name[16];
    snprintf(name, sizeof name, "ball%d", f->limbs);
    machine_joint(&f->m, name, BR_JOINT_SPHERICAL, a, b, at, vec(0, 0, 1));
}

/* A trunk of two, and four limbs of three parts each, the last of them a flat block; its feet `up` above the floor. */
static Figure make_figure(double up) {
    Figure f = {.m = machine_begin(vec(0, 0, -9.81))};
    f.skin = machine_material(&f.m, "skin", 0.6, 0);
    machine_floor(&f.m, f.skin);
    BrBodyId hip = add_limb(&f, 10, vec(0, -0.1, 0.9 + up), vec(0, 0.1, 0.9 + up), 0.08);
    BrBodyId chest = add_limb(&f, 20, vec(0, 0, 1.1 + up), vec(0, 0, 1.4 + up), 0.12);
    add_hinge(&f, hip, chest, vec(0, 0, 1 + up), -0.5, 1.2);
    for (int side = -1; side <= 1; side += 2)
        for (int leg = 0; leg < 2; leg++) {
            double y = leg ? 0.1 * side : 0.25 * side, top = (leg ? 0.85 : 1.35) + up, part = leg ? 0.38 : 0.28;
            BrVec3 root = vec(0, y, top), knee = vec(0.05, y, top - part), end = vec(0, y, top - 2 * part);
            BrBodyId upper = add_limb(&f, leg ? 7 : 2, root, knee, 0.05);
            add_ball_joint(&f, leg ? hip : chest, upper, root);
            BrBodyId lower = add_limb(&f, leg ? 3.5 : 1.4, knee, end, 0.04);
            add_hinge(&f, upper, lower, knee, leg ? -0.2 : -2.2, leg ? 2.4 : 0.3);
            char name[16];
            snprintf(name, sizeof name, "end%d", f.limbs++);
            BrBodyId block = machine_block(&f.m, name, 1, vec(0.2, 0.08, 0.05), add(end, vec(0.04, 0, -0.03)), f.skin);
            add_hinge(&f, lower, block, end, -0.6, 0.6);
        }
    machine_ready(&f.m);
    return f;
}

/* A fall from so high, and what it took. */
typedef struct Fall {
    long uncertified, steps;
    double work, most; /* operations: of all, of the dearest step */
    double residual;   /* m/s: the worst */
} Fall;

static void let_fall(double up, BrScheme scheme, Fall *fall) {
    enum { STEPS = 1500 };
    Figure f = make_figure(up);
    BrStepDef def = machine_step_def(scheme, 1e-3);
    for (int n = 0; n < STEPS; n++) {
        BrStepReport report = {0};
        BrError error;
        BrStatus status = br_step(f.m.model, f.m.workspace, f.m.state, &def, &report, &error);
        assert_true(status >= 0);
        assert_true(status == BR_OK || report.uncertified_contacts > 0 || report.overlap > 0);
        fall->uncertified += status != BR_OK;
        fall->work += report.work;
        fall->most = fmax(fall->most, report.work);
        fall->residual = fmax(fall->residual, report.contact_residual);
    }
    fall->steps += STEPS;
    assert_true(machine_gap(&f.m) < 1e-12);
    for (int n = 0; n < machine_contact_count(&f.m); n++) assert_true(machine_contact(&f.m, n).gap > -1e-6);
    machine_end(&f.m);
}

static void figures_fall_and_rest(void **unused) {
    (void)unused;
    Fall one = {0}, two = {0};
    for (int k = 0; k < (is_slow_run() ? 1 : 8); k++) let_fall(0.11 + 0.025 * k, BR_SCHEME_MOREAU, &one);
    for (int k = 0; k < (is_slow_run() ? 1 : 4); k++) let_fall(0.15 + 0.026 * k, BR_SCHEME_HEM2, &two);
    double each = one.work / (double)one.steps, times = two.work / (double)two.steps / each;
    print_message(
        "%ld of %ld uncertified, off by %.2g m/s; %.3g operations a step, at most %.3g; hem2 %.3g times as many\n",
        one.uncertified, one.steps, one.residual, each, one.most, times);
    assert_true(one.uncertified * 2000 <= one.steps); /* at rest on many places: slips of 1e-9 to 1e-6 m/s */
    assert_true(two.uncertified * 100 <= two.steps);
    assert_true(one.residual <= 1e-4 && two.residual <= 1e-4); /* and no speed of a blow is ever left over */
    assert_true(each <= 3.5e5);
    assert_true(one.most <= 1e7);
    assert_true(times <= 2.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(figures_fall_and_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
