/* test_bushings.c: springs and dampers in all six directions, against the swings and the energies that they have in closed form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "machine.h"

static const BrVec3 NONE = {0, 0, 0};

static BrBushingId bush(Machine *m, BrBushingDef def, BrBodyId a, BrBodyId b) {
    BrBushingId id;
    def.name = "bush", def.body_a = a, def.body_b = b;
    assert_int_equal(br_model_add_bushing(m->model, &def, &id, NULL), BR_OK);
    return id;
}

static BrStepDef reference(void) {
    BrStepDef def = machine_step_def(BR_SCHEME_ADAPTIVE, 1e-2);
    def.formulation = BR_FORMULATION_COMPLIANT;
    return def;
}

/* A block in a bushing at its centre, its axes turned somehow: three shifts with w^2 = k/m, three turns with w^2 = k_t/J, each by
 * itself as x = X cos(w t) e^(-d t); turns about a main axis are as large as one likes. */
static void six_modes(void **unused) {
    (void)unused;
    const double mass = 2, end = 0.3, k[3] = {300, 500, 800}, kt[3] = {6, 11, 17}, J[3] = {0.1, 0.15, 0.2};
    for (int mode = 0; mode < 6; mode++)
        for (int damped = 0; damped < 2; damped++) {
            BrMat3 A = turn_about(vec(1, 2, -0.5), 0.7); /* z of the bushing and of the body: A's third column */
            Machine m = machine_begin(NONE);
            BrVec3 z = vec(A.m[0][2], A.m[1][2], A.m[2][2]);
            BrVec3 x = sub(vec(1, 0, 0), scale(z.x, z)), y;
            x = scale(1 / norm(x), x), y = cross(z, x);
            BrMat3 F = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
            BrBodyDef block = br_default_body_def();
            block.name = "block", block.mass = mass, block.inertia = diagonal(J[0], J[1], J[2]), block.rotation = F;
            BrBodyId body = machine_add_body(&m, &block);
            BrBushingDef def = br_default_bushing_def();
            def.axis = scale(3, z);
            def.stiffness = vec(k[0], k[1], k[2]), def.torsion_stiffness = vec(kt[0], kt[1], kt[2]);
            double c = damped ? 8 : 0, ct = damped ? 0.3 : 0;
            def.damping = vec(c, c, c), def.torsion_damping = vec(ct, ct, ct);
            BrBushingId id = bush(&m, def, m.ground, body);
            machine_ready(&m);
            int axis = mode % 3;
            BrVec3 e = axis == 0 ? x : axis == 1 ? y : z;
            double start = mode < 3 ? 0.2 : 2.1; /* m, rad */
            BrPose pose = machine_pose(&m, body);
            if (mode < 3) pose.position = scale(start, e);
            if (mode >= 3) {
                BrMat3 turn = turn_about(e, start), R;
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++)
                        R.m[i][j] = turn.m[i][0] * F.m[0][j] + turn.m[i][1] * F.m[1][j] + turn.m[i][2] * F.m[2][j];
                pose.rotation = R;
            }
            assert_int_equal(br_body_set_pose(m.model, m.state, body, pose, NULL), BR_OK);
            double stiffness = mode < 3 ? k[axis] : kt[axis], inertia = mode < 3 ? mass : J[axis];
            assert_near(machine_energy(&m).stored, 0.5 * stiffness * start * start, 1e-12);
            BrStepDef step = reference();
            machine_steps(&m, &step, 30);
            double d = (mode < 3 ? c : ct) / (2 * inertia), w = sqrt(stiffness / inertia - d * d);
            double exact = start * exp(-d * end) * (cos(w * end) + d / w * sin(w * end));
            double rate = -start * exp(-d * end) * stiffness / inertia / w * sin(w * end);
            BrBushingReading is;
            assert_int_equal(br_bushing_read(m.model, m.state, id, &is), BR_OK);
            const double *u = mode < 3 ? &is.deflection.x : &is.turn.x, *f = mode < 3 ? &is.force.x : &is.torque.x;
            for (int i = 0; i < 3; i++)
                assert_near(u[i], i == axis ? exact : 0, 1e-8); /* the integrator's 1e-10, and w t */
            assert_near(f[axis], -stiffness * exact - (mode < 3 ? c : ct) * rate, 1e-6);
            BrEnergy energy = machine_energy(&m);
            assert_near(energy.defect, 0, 1e-7);
            assert_near(energy.dissipated, 0.5 * stiffness * start * start - energy.stored - energy.kinetic, 1e-7);
            machine_end(&m);
        }
}

/* Two bodies that tumble in a soft bushing off their centres, by large turns about all axes: momentum, angular momentum and energy
 * stay, so that force and torque are the gradient of what is stored, and opposite. */
static void what_is_kept(void **unused) {
    (void)unused;
    Machine m = machine_begin(NONE);
    BrBodyId a = machine_body(&m, "a", 1.5, diagonal(0.05, 0.08, 0.1), vec(0.1, 0, 0));
    BrBodyId b = machine_body(&m, "b", 0.7, diagonal(0.03, 0.02, 0.04), vec(0.6, 0.2, 0));
    BrBushingDef def = br_default_bushing_def();
    def.at = vec(0.4, 0.1, 0.1), def.axis = vec(1, 1, 0.5);
    def.stiffness = vec(90, 200, 150), def.torsion_stiffness = vec(0.8, 0.5, 1.1);
    bush(&m, def, a, b);
    machine_ready(&m);
    machine_set_twist(&m, a, vec(0.3, -0.2, 0.5), vec(1, -2, 1));
    machine_set_twist(&m, b, vec(-0.4, 0.5, 0), vec(-2, 1, 3));
    BrVec3 P = machine_momentum(&m), L = machine_angular_momentum(&m);
    double energy = machine_mechanical_energy(&m);
    BrStepDef step = reference();
    machine_steps(&m, &step, 200);
    assert_vec_near(machine_momentum(&m), P, 1e-9); /* of the integrator: 1e-10 a step */
    assert_vec_near(machine_angular_momentum(&m), L, 1e-8);
    assert_near(machine_mechanical_energy(&m), energy, 1e-8 * energy);
    machine_end(&m);
}

/* A body that is moved takes another along: what it puts in is there or lost. Books of rattle: of order 2. */
static void moved_bodies_put_in(void **unused) {
    (void)unused;
    Machine m = machine_begin(NONE);
    BrBodyDef table = br_default_body_def();
    table.name = "table", table.kind = BR_BODY_KINEMATIC;
    BrBodyId moved = machine_add_body(&m, &table);
    BrMotionDef motion = br_default_motion_def();
    motion.name = "shake", motion.body = moved, motion.linear[0] = br_sine(0.05, 2, 0);
    motion.angular_velocity[2] = br_expression("sin(9*t)");
    assert_int_equal(br_model_add_motion(m.model, &motion, NULL, NULL), BR_OK);
    BrBodyId body = machine_body(&m, "body", 1, diagonal(0.1, 0.1, 0.1), vec(0.3, 0, 0));
    BrBushingDef def = br_default_bushing_def();
    def.at = vec(0.1, 0, 0), def.stiffness = def.torsion_stiffness = vec(80, 80, 80);
    def.damping = def.torsion_damping = vec(1, 1, 1);
    bush(&m, def, moved, body);
    machine_ready(&m);
    BrStepDef step = reference();
    machine_steps(&m, &step, 100);
    BrEnergy e = machine_energy(&m);
    assert_true(e.work > 0.01);
    assert_near(e.defect, 0, 1e-7); /* 100 steps of 1e-10 of some joules */
    machine_end(&m);
}

static void mistakes_are_told(void **unused) {
    (void)unused;
    Machine m = machine_begin(NONE);
    BrBushingDef def = br_default_bushing_def();
    BrError error;
    def.name = "bad", def.body_a = def.body_b = m.ground;
    assert_int_equal(br_model_add_bushing(m.model, &def, NULL, &error), BR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.text, "connects body 'ground' with itself"));
    def.stiffness.y = -1;
    assert_int_equal(br_model_add_bushing(m.model, &def, NULL, &error), BR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.text, "its stiffness is [0, -1, 0]"));
    BrBodyId none = machine_body(&m, "none", 1, diagonal(1, 1, 1), NONE),
             used = machine_body(&m, "used", 1, diagonal(1, 1, 1), NONE);
    def = br_default_bushing_def();
    BrBushingId id = bush(&m, def, m.ground, used);
    assert_int_equal(br_model_remove_body(m.model, used, &error), BR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.text, "'bush' refers to it"));
    assert_int_equal(br_model_remove_body(m.model, none, NULL), BR_OK); /* it follows its bodies' numbers */
    machine_ready(&m);
    BrPose pose = machine_pose(&m, used);
    pose.position = vec(0.1, 0, 0);
    assert_int_equal(br_body_set_pose(m.model, m.state, used, pose, NULL), BR_OK);
    BrBushingReading is;
    assert_int_equal(br_bushing_read(m.model, m.state, id, &is), BR_OK);
    assert_near(is.deflection.x, 0.1, 1e-15);
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(six_modes), cmocka_unit_test(what_is_kept),
                                       cmocka_unit_test(moved_bodies_put_in), cmocka_unit_test(mistakes_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
