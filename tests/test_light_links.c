/* test_light_links.c: rods that weigh next to nothing between masses of 1 kg. As their mass goes to zero the motion
 * becomes that of joints which keep a distance; no ratio of masses up to 10^10 may make the step fail (hem2 with
 * hinges: 10^8). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "machine.h"

static const BrVec3 Y = {0, 1, 0}, DOWN = {0, 0, -9.81};

typedef struct Double {
    Machine m;
    BrBodyId ball[2];
} Double;

/* A double pendulum along x: rods of 1 m, balls of 1 kg. rod: mass of a rod; 0: distances. */
static Double make_double(double rod, BrJointType joint) {
    static const char *const NAMES[] = {"first", "second"}, *const RODS[] = {"rod", "other rod"},
                             *const ENDS[] = {"a", "b"}, *const STARTS[] = {"c", "d"};
    Double d = {.m = machine_begin(DOWN)};
    BrBodyId last = d.m.ground;
    for (int k = 0; k < 2; k++) {
        BrVec3 from = vec(k, 0, 0), to = vec(k + 1, 0, 0);
        d.ball[k] = machine_body(&d.m, NAMES[k], 1, diagonal(0.01, 0.01, 0.01), to);
        if (rod > 0) {
            double across = rod / 12, along = 0.01 * across;
            BrBodyId id = machine_body(&d.m, RODS[k], rod, diagonal(along, across, across), vec(k + 0.5, 0, 0));
            machine_joint(&d.m, STARTS[k], joint, last, id, from, Y);
            machine_joint(&d.m, ENDS[k], joint, id, d.ball[k], to, Y);
        } else {
            BrJointDef def = br_default_joint_def();
            def.name = ENDS[k], def.type = BR_JOINT_DISTANCE, def.body_a = last, def.body_b = d.ball[k];
            machine_add_joint(&d.m, &def);
        }
        last = d.ball[k];
    }
    machine_ready(&d.m);
    return d;
}

/* Two poses and hinges, which also hold torques, cost hem2 two digits more. */
static double find_lightest(BrScheme scheme, BrJointType joint) {
    return scheme == BR_SCHEME_HEM2 && joint == BR_JOINT_REVOLUTE ? 5e-9 : 5e-11;
}

/* machine_run() fails where a step is not certified. Both schemes have an error of order h^2 here, some 1e-5 m. */
static void light_rods_are_distances(void **unused) {
    (void)unused;
    static const BrScheme SCHEMES[] = {BR_SCHEME_RATTLE, BR_SCHEME_HEM2, BR_SCHEME_MOREAU};
    static const BrJointType JOINTS[] = {BR_JOINT_SPHERICAL, BR_JOINT_REVOLUTE};
    const double h = 1e-3;
    for (int s = 0; s < 3; s++) {
        Double exact = make_double(0, BR_JOINT_DISTANCE);
        machine_run(&exact.m, SCHEMES[s], h, 1000);
        for (int j = 0; j < 2; j++)
            for (double rod = 1e-4; rod > find_lightest(SCHEMES[s], JOINTS[j]); rod *= 0.1) {
                Double light = make_double(rod, JOINTS[j]);
                double start = machine_mechanical_energy(&light.m);
                machine_run(&light.m, SCHEMES[s], h, 1000);
                for (int k = 0; k < 2; k++) {
                    BrVec3 a = machine_pose(&light.m, light.ball[k]).position,
                           b = machine_pose(&exact.m, exact.ball[k]).position;
                    /* a rod of 1e-4 kg takes part in the motion; of the lightest some digits are lost by rounding */
                    assert_near(norm(vec(a.x - b.x, a.y - b.y, a.z - b.z)), 0, 10 * rod + 1e-5);
                }
                if (SCHEMES[s] != BR_SCHEME_MOREAU)
                    assert_near(machine_mechanical_energy(&light.m), start, 1e-4); /* of 29 J that are turned over */
                machine_end(&light.m);
            }
        machine_end(&exact.m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(light_rods_are_distances)};
    return cmocka_run_group_tests_name("light_links", tests, NULL, NULL);
}
