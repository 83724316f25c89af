/* test_couplings.c: gears, racks, screws and belts against closed forms: what they transmit, that they keep their ratio, and
 * that nothing is lost on the way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"

static const BrVec3 NONE = {0, 0, 0}, DOWN = {0, 0, -9.81}, Y = {0, 1, 0}, Z = {0, 0, 1};

/* Every way of stepping. */
typedef struct Way {
    const char *name;
    BrFormulation formulation;
    BrScheme scheme;
} Way;
static const Way WAYS[] = {{"moreau", BR_FORMULATION_TIMESTEPPING, BR_SCHEME_MOREAU},
                           {"hem2", BR_FORMULATION_TIMESTEPPING, BR_SCHEME_HEM2},
                           {"rattle", BR_FORMULATION_TIMESTEPPING, BR_SCHEME_RATTLE},
                           {"half-implicit", BR_FORMULATION_SMOOTH, BR_SCHEME_HALF_IMPLICIT},
                           {"bdf2", BR_FORMULATION_SMOOTH, BR_SCHEME_BDF2},
                           {"event", BR_FORMULATION_EVENT, BR_SCHEME_HEM2},
                           {"rk4", BR_FORMULATION_COMPLIANT, BR_SCHEME_RK4},
                           {"adaptive", BR_FORMULATION_COMPLIANT, BR_SCHEME_ADAPTIVE}};
enum { WAY_COUNT = sizeof WAYS / sizeof *WAYS };

static BrStepDef way_def(const Way *way, double dt) {
    BrStepDef def = machine_step_def(way->scheme, dt);
    def.formulation = way->formulation;
    return def;
}

static BrCouplingId couple(Machine *m, BrCouplingDef def, const char *name, BrCouplingType type, BrJointId a,
                           BrJointId b) {
    BrCouplingId id;
    def.name = name, def.type = type, def.joint_a = a, def.joint_b = b;
    assert_int_equal(br_model_add_coupling(m->model, &def, &id, NULL), BR_OK);
    return id;
}

static BrCouplingId gear(Machine *m, const char *name, BrJointId a, BrJointId b, double ratio) {
    BrCouplingDef def = br_default_coupling_def();
    def.ratio = ratio;
    return couple(m, def, name, BR_COUPLING_GEAR, a, b);
}

static BrCouplingReading read_coupling(Machine *m, BrCouplingId id) {
    BrCouplingReading reading;
    assert_int_equal(br_evaluate(m->model, m->workspace, m->state, NULL), BR_OK);
    assert_int_equal(br_coupling_read(m->model, m->workspace, m->state, id, &reading), BR_OK);
    return reading;
}

static void push_torque(Machine *m, const char *name, BrBodyId body, BrFunctionDef torque) {
    BrForceDef def = br_default_force_def();
    def.name = name;
    def.body = body;
    def.torque[2] = torque;
    assert_int_equal(br_model_add_force(m->model, &def, NULL, NULL), BR_OK);
}

/* Two wheels on the ground, about z: inertia J each. */
typedef struct Wheels {
    Machine m;
    BrBodyId body[2];
    BrJointId axle[2];
} Wheels;

static Wheels begin_wheels(double first, double second) {
    Wheels w = {.m = machine_begin(NONE)};
    w.body[0] = machine_body(&w.m, "one", 1, diagonal(first, first, first), vec(0, 0, 0));
    w.body[1] = machine_body(&w.m, "two", 2, diagonal(second, second, second), vec(1, 0.2, 0.3));
    w.axle[0] = machine_joint(&w.m, "a", BR_JOINT_REVOLUTE, w.m.ground, w.body[0], vec(0, 0, 0), Z);
    w.axle[1] = machine_joint(&w.m, "b", BR_JOINT_REVOLUTE, w.m.ground, w.body[1], vec(1, 0.2, 0.3), Z);
    return w;
}

/* ------------------------------------------------------------------ motion */

/* A torque T on the first of two wheels: a1 = T/(J1 + J2/i^2), the gear holding the first back by J2 a1/i^2. */
static void gear_divides_a_torque(void **unused) {
    (void)unused;
    const double J1 = 0.04, J2 = 0.09, T = 1.5, ratio = -2.5, exact = T / (J1 + J2 / (ratio * ratio));
    for (int k = 0; k < WAY_COUNT; k++) {
        Wheels w = begin_wheels(J1, J2);
        BrCouplingId id = gear(&w.m, "g", w.axle[0], w.axle[1], ratio);
        push_torque(&w.m, "push", w.body[0], br_constant(T));
        machine_ready(&w.m);
        BrStepDef def = way_def(&WAYS[k], 1e-3);
        machine_steps(&w.m, &def, 500);
        assert_near(machine_rate(&w.m, w.axle[0], 0), 0.5 * exact, 1e-11 * exact); /* rounding of 500 steps */
        assert_near(machine_rate(&w.m, w.axle[1], 0), 0.5 * exact / ratio, 1e-11 * exact);
        BrCouplingReading is = read_coupling(&w.m, id);
        assert_near(is.error, 0, 1e-13);
        assert_near(is.effort_a, -J2 * exact / (ratio * ratio), 1e-12);
        assert_near(is.effort_b, J2 * exact / ratio, 1e-12);
        assert_near(is.power, is.effort_a * 0.5 * exact, 1e-10);
        assert_near(is.power + is.effort_b * machine_rate(&w.m, w.axle[1], 0), 0,
                    1e-9 * fabs(is.power)); /* loses nothing */
        assert_vec_near(machine_acceleration(&w.m, w.body[1]).angular, vec(0, 0, exact / ratio), 1e-10);
        machine_end(&w.m);
    }
}

/* A thousand to one, from a light wheel to one that seems no heavier than it there, a millionfold inertia: a1 = T/(2 J1). */
static void heavy_on_light(void **unused) {
    (void)unused;
    const double J1 = 1e-5, J2 = 10, T = 1e-3;
    for (int k = 0; k < WAY_COUNT; k++) {
        Wheels w = begin_wheels(J1, J2);
        BrCouplingId id = gear(&w.m, "g", w.axle[0], w.axle[1], 1000);
        push_torque(&w.m, "push", w.body[0], br_constant(T));
        machine_ready(&w.m);
        BrStepDef def = way_def(&WAYS[k], 1e-3);
        machine_steps(&w.m, &def, 100);
        double a = T / (2 * J1);
        assert_near(machine_rate(&w.m, w.axle[0], 0), 0.1 * a, 1e-9 * a); /* rounding times the ratio */
        assert_near(machine_rate(&w.m, w.axle[1], 0), 1e-4 * a, 1e-12 * a);
        BrCouplingReading is = read_coupling(&w.m, id);
        assert_near(is.effort_b, J2 * a / 1000, 1e-9);
        assert_near(is.error, 0, 1e-12);
        machine_end(&w.m);
    }
}

/* Wheels of 5000 and 1666.7 rad/s, more than half a turn in a step (bdf2 knows no turns of more): the ratio of a third, which no
 * double is, holds as the double has it, however far they came. */
static void ratio_holds_for_ever(void **unused) {
    (void)unused;
    const double ratio = -1. / 3;
    for (int k = 0; k < WAY_COUNT; k++) {
        const double speed = WAYS[k].scheme == BR_SCHEME_BDF2 ? 2500 : 5000;
        Wheels w = begin_wheels(0.04, 0.09);
        BrCouplingId id = gear(&w.m, "g", w.axle[1], w.axle[0], ratio);
        machine_ready(&w.m);
        machine_set_twist(&w.m, w.body[0], NONE, vec(0, 0, speed));
        machine_set_twist(&w.m, w.body[1], NONE, vec(0, 0, ratio * speed));
        bool inner = WAYS[k].formulation == BR_FORMULATION_EVENT || WAYS[k].formulation == BR_FORMULATION_COMPLIANT;
        int steps = is_slow_run() ? 200 : inner ? 500 : 20000;
        BrStepDef def = way_def(&WAYS[k], inner ? 1e-4 : 1e-3);
        machine_steps(&w.m, &def, steps);
        double turned = speed * def.dt * steps;
        assert_near(machine_position(&w.m, w.axle[0], 0), turned, 1e-3 * turned); /* rk4 turns half a rad in a step */
        assert_near(read_coupling(&w.m, id).error, 0, 1e-12);
        assert_near(machine_position(&w.m, w.axle[1], 0), ratio * machine_position(&w.m, w.axle[0], 0),
                    1e-12 + 4e-16 * turned); /* the positions' own rounding */
        BrMat3 A = machine_pose(&w.m, w.body[0]).rotation, B = machine_pose(&w.m, w.body[1]).rotation;
        long double turn = 2 * acosl(-1.0L), rest = atan2l(A.m[1][0], A.m[0][0]), all;
        all = rest + turn * roundl(((long double)machine_position(&w.m, w.axle[0], 0) - rest) / turn);
        long double off = (long double)ratio * all - atan2l(B.m[1][0], B.m[0][0]);
        assert_near((double)(off - turn * roundl(off / turn)), 0,
                    2e-13); /* 1000 roundings of a rotation; of turns it would be 3e-12 */
        machine_end(&w.m);
    }
}

/* Four bodies that float, two hinges: nothing acts from outside, and what a motor between two of them puts in is all there is. The
 * bodies on one hinge do not touch those of the other but through the gear, which passes torques: momentum is kept, angular momentum
 * of all four is not (the gear's case would carry the rest). */
static void four_bodies_float(void **unused) {
    (void)unused;
    for (int k = 0; k < WAY_COUNT; k++) {
        Machine m = machine_begin(NONE);
        BrBodyId body[4];
        const double J[4] = {0.03, 0.05, 0.02, 0.07}, ratio = 1.7;
        for (int i = 0; i < 4; i++) {
            char name[8];
            snprintf(name, sizeof name, "b%d", i);
            body[i] = machine_body(&m, name, 1 + i, diagonal(J[i], J[i], J[i]), vec(i / 2, 0, 0));
        }
        BrJointId a = machine_joint(&m, "a", BR_JOINT_REVOLUTE, body[0], body[1], vec(0, 0, 0), Z);
        BrJointId b = machine_joint(&m, "b", BR_JOINT_REVOLUTE, body[2], body[3], vec(1, 0, 0), Z);
        BrCouplingId id = gear(&m, "g", a, b, ratio);
        push_torque(&m, "push", body[1], br_constant(0.4));
        machine_ready(&m);
        BrStepDef def = way_def(&WAYS[k], 1e-3);
        machine_steps(&m, &def, 300);
        /* with x the gear's effort on a: J0 w0' = -x, J1 w1' = T + x, J2 w2' = ratio x, J3 w3' = -ratio x, q_a' = ratio q_b' */
        double x = -(0.4 / J[1]) / (1 / J[0] + 1 / J[1] + ratio * ratio * (1 / J[2] + 1 / J[3]));
        const double rate[4] = {-x / J[0], (0.4 + x) / J[1], ratio * x / J[2], -ratio * x / J[3]};
        for (int i = 0; i < 4; i++)
            assert_vec_near(machine_twist(&m, body[i]).angular, vec(0, 0, 0.3 * rate[i]), 1e-10); /* rounding */
        BrCouplingReading is = read_coupling(&m, id);
        assert_near(is.effort_a, x, 1e-12);
        assert_near(is.effort_b, -ratio * x, 1e-12);
        assert_near(is.error, 0, 1e-13);
        BrEnergy e = machine_energy(&m);
        assert_near(e.defect, 0, 1e-10 * fmax(1, e.work)); /* trapezoids are exact for a linear speed */
        machine_end(&m);
    }
}

/* A pinion and a rack with a weight: m g R = (J + m R^2) a. The same by a screw of lead 2 pi R, and through a belt. */
static void weights_on_racks(void **unused) {
    (void)unused;
    const double R = 0.15, mass = 3, J = 0.04, g = 9.81;
    for (int k = 0; k < 2 * WAY_COUNT; k++) {
        Machine m = machine_begin(DOWN);
        BrBodyId pinion = machine_body(&m, "pinion", 1, diagonal(J, J, J), vec(0, 0, 1));
        BrBodyId rack = machine_body(&m, "rack", mass, diagonal(1, 1, 1), vec(R, 0, 1));
        BrJointId turn = machine_joint(&m, "turn", BR_JOINT_REVOLUTE, m.ground, pinion, vec(0, 0, 1), Y);
        BrJointId slide = machine_joint(&m, "slide", BR_JOINT_PRISMATIC, m.ground, rack, vec(R, 0, 1), Z);
        BrCouplingDef def = br_default_coupling_def();
        def.radius = -R;
        def.lead = -2 * PI * R;
        BrCouplingId id = couple(&m, def, "c", k < WAY_COUNT ? BR_COUPLING_RACK : BR_COUPLING_SCREW, turn, slide);
        machine_ready(&m);
        BrStepDef step = way_def(&WAYS[k % WAY_COUNT], 1e-3);
        machine_steps(&m, &step, 400);
        double a = -mass * g / (mass + J / (R * R));
        assert_near(machine_rate(&m, slide, 0), 0.4 * a, 1e-11);
        assert_near(machine_rate(&m, turn, 0), -0.4 * a / R, 1e-10);
        BrCouplingReading is = read_coupling(&m, id);
        assert_near(is.effort_b, mass * (a + g), 1e-10);
        assert_near(is.effort_a, mass * (a + g) * R, 1e-10);
        assert_near(is.error, 0, 1e-13);
        machine_end(&m);
    }
}

/* R1 q1 = R2 q2; crossed: the other way round. */
static void belts(void **unused) {
    (void)unused;
    for (int crossed = 0; crossed < 2; crossed++) {
        Wheels w = begin_wheels(0.04, 0.09);
        BrCouplingDef def = br_default_coupling_def();
        def.radius = 0.1, def.radius_b = 0.25, def.crossed = crossed;
        BrCouplingId id = couple(&w.m, def, "belt", BR_COUPLING_BELT, w.axle[0], w.axle[1]);
        push_torque(&w.m, "push", w.body[0], br_constant(1));
        machine_ready(&w.m);
        machine_run(&w.m, BR_SCHEME_HEM2, 1e-3, 300);
        double i = crossed ? -2.5 : 2.5, a = 1 / (0.04 + 0.09 / (i * i));
        assert_near(machine_rate(&w.m, w.axle[0], 0), 0.3 * a, 1e-11 * a);
        assert_near(machine_rate(&w.m, w.axle[1], 0), 0.3 * a / i, 1e-11 * a);
        assert_near(read_coupling(&w.m, id).effort_b, 0.09 * a / i, 1e-12);
        machine_end(&w.m);
    }
}

/* An offset: wheels are turned to it when the machine is assembled, by least kinetic energy: J1 d1/J2 d2 = -1/ratio^-1. */
static void offset_is_assembled(void **unused) {
    (void)unused;
    const double J1 = 0.04, J2 = 0.09, ratio = 2, offset = 0.3;
    Wheels w = begin_wheels(J1, J2);
    BrCouplingDef def = br_default_coupling_def();
    def.ratio = ratio, def.offset = offset;
    BrCouplingId id = couple(&w.m, def, "g", BR_COUPLING_GEAR, w.axle[0], w.axle[1]);
    machine_ready(&w.m);
    double pull = offset / (1 / J1 + ratio * ratio / J2);
    assert_near(machine_position(&w.m, w.axle[0], 0), pull / J1,
                1e-9); /* nearest to first order: turns are about one axis */
    assert_near(machine_position(&w.m, w.axle[1], 0), -ratio * pull / J2, 1e-9);
    assert_near(read_coupling(&w.m, id).error, 0, 1e-13);
    machine_end(&w.m);
}

/* ------------------------------------------------------------------ planets, loops, contact */

/* A planetary gear: sun, ring and carrier on one axis, `planets` on the carrier, r_p = (r_r - r_s)/2. Without slip where they mesh
 *     r_s w_s + 2 r_p w_c' ... :  r_s w_s + r_r w_r = (r_s + r_r) w_c.
 * Each planet beyond the first repeats what is known; the ring stands still. A torque T on the sun: with i = w_s/w_c = 1 + r_r/r_s,
 *     T i = (J_s i^2 + J_c + n (m (r_s + r_p)^2 + J_p i_p^2)) w_c',   i_p = w_p/w_c = 1 - r_r/r_p */
/* Where one wheel starts, and how fast, decides the other's, over more than a turn. */
static void starts_go_through_a_gear(void **unused) {
    (void)unused;
    Machine m = machine_begin(NONE);
    BrJointId axle[2];
    for (int i = 0; i < 2; i++) {
        BrJointDef def = br_default_joint_def();
        def.name = i ? "b" : "a", def.type = BR_JOINT_REVOLUTE, def.body_a = m.ground;
        def.at = vec(i, 0, 0), def.axis = Z;
        def.body_b = machine_body(&m, i ? "two" : "one", 1, diagonal(1, 1, 1), def.at);
        if (!i) def.start[0] = 7, def.start_rate[0] = 2;
        axle[i] = machine_add_joint(&m, &def);
    }
    BrCouplingId id = gear(&m, "g", axle[1], axle[0], -2.5);
    machine_ready(&m);
    assert_near(machine_position(&m, axle[0], 0), 7, 1e-13);
    assert_near(machine_position(&m, axle[1], 0), -17.5, 1e-13);
    assert_near(machine_rate(&m, axle[1], 0), -5, 1e-13);
    assert_near(read_coupling(&m, id).error, 0, 1e-13);
    machine_end(&m);
}

static void planets_repeat_each_other(void **unused) {
    (void)unused;
    const double rs = 0.1, rr = 0.3, rp = 0.1, Js = 0.02, Jc = 0.05, Jp = 0.004, mp = 0.6, T = 0.7;
    for (int planets = 1; planets <= 4; planets += 3)
        for (int k = 0; k < WAY_COUNT; k++) {
            Machine m = machine_begin(NONE);
            BrBodyId sun = machine_body(&m, "sun", 1, diagonal(Js, Js, Js), NONE);
            BrBodyId carrier = machine_body(&m, "carrier", 1, diagonal(Jc, Jc, Jc), NONE);
            BrJointId of_sun = machine_joint(&m, "s", BR_JOINT_REVOLUTE, m.ground, sun, NONE, Z);
            BrJointId of_carrier = machine_joint(&m, "c", BR_JOINT_REVOLUTE, m.ground, carrier, NONE, Z);
            BrCouplingId mesh[8];
            for (int i = 0; i < planets; i++) {
                char name[4][8];
                for (int j = 0; j < 4; j++) snprintf(name[j], sizeof name[j], "%c%d", "pjor"[j], i);
                double angle = 2 * PI * i / planets;
                BrVec3 at = vec((rs + rp) * cos(angle), (rs + rp) * sin(angle), 0);
                BrBodyId planet = machine_body(&m, name[0], mp, diagonal(Jp, Jp, Jp), at);
                BrJointId own = machine_joint(&m, name[1], BR_JOINT_REVOLUTE, carrier, planet, at, Z);
                /* against the carrier: r_p (w_p - w_c) = r_r (0 - w_c), and = -r_s (w_s - w_c) */
                mesh[2 * i] = gear(&m, name[2], own, of_carrier, -rr / rp);
                BrJointId sun_on_carrier = machine_joint(&m, name[3], BR_JOINT_REVOLUTE, carrier, sun, NONE, Z);
                mesh[2 * i + 1] = gear(&m,
                                       i == 0   ? "m0"
                                       : i == 1 ? "m1"
                                       : i == 2 ? "m2"
                                                : "m3",
                                       own, sun_on_carrier, -rs / rp);
            }
            push_torque(&m, "push", sun, br_constant(T));
            machine_ready(&m);
            BrStepDef def = way_def(&WAYS[k], 1e-3);
            machine_steps(&m, &def, 200);
            double i = 1 + rr / rs, ip = 1 - rr / rp;
            double a = T * i / (Js * i * i + Jc + planets * (mp * (rs + rp) * (rs + rp) + Jp * ip * ip));
            /* planets fly round with the carrier, a w h = 1.4e-3 rad per step at last: (w h)^2 and less, of order 1 and 2 */
            double bound = (WAYS[k].scheme == BR_SCHEME_MOREAU ? 1e-5 : 1e-6) * 0.2 * a;
            assert_near(machine_rate(&m, of_carrier, 0), 0.2 * a, bound);
            assert_near(machine_rate(&m, of_sun, 0), 0.2 * a * i, i * bound);
            BrCouplingReading first = read_coupling(&m, mesh[0]);
            for (int n = 0; n < 2 * planets; n++) {
                BrCouplingReading is = read_coupling(&m, mesh[n]);
                assert_near(is.error, 0, 1e-12);
                if (n % 2 == 0) assert_near(is.effort_a, first.effort_a, 1e-9); /* planets share alike: least norm */
            }
            machine_end(&m);
        }
}

/* A wheel geared to a sled that is pushed over a floor: the floor's friction acts through the rack. T/R - mu m g =
 * (m + J/R^2) a. */
static void gears_beside_contact(void **unused) {
    (void)unused;
    const double R = 0.2, J = 0.05, mass = 2, mu = 0.3, T = 3, g = 9.81;
    for (int k = 0; k < 3; k++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId ice = machine_material(&m, "ice", mu, 0);
        machine_floor(&m, ice);
        BrBodyId wheel = machine_body(&m, "wheel", 1, diagonal(J, J, J), vec(0, 1, 1));
        BrBodyId sled = machine_block(&m, "sled", mass, vec(0.4, 0.4, 0.2), vec(0, 0, 0.1), ice);
        BrJointId turn = machine_joint(&m, "turn", BR_JOINT_REVOLUTE, m.ground, wheel, vec(0, 1, 1), Y);
        BrJointId plane = machine_joint(&m, "plane", BR_JOINT_PLANAR, m.ground, sled, vec(0, 0, 0.1), Y);
        BrFilterDef filter = br_default_filter_def();
        filter.body_a = m.ground, filter.body_b = sled, filter.touch = true;
        assert_int_equal(br_model_add_filter(m.model, &filter, NULL), BR_OK);
        BrCouplingDef def = br_default_coupling_def();
        def.radius = R;
        BrCouplingId rack = couple(&m, def, "rack", BR_COUPLING_RACK, turn, plane);
        BrForceDef push = br_default_force_def();
        push.name = "push";
        push.body = wheel;
        push.torque[1] = br_constant(T);
        assert_int_equal(br_model_add_force(m.model, &push, NULL, NULL), BR_OK);
        machine_ready(&m);
        BrStepDef step =
            k == 2 ? machine_event_def(1e-3) : machine_step_def(k ? BR_SCHEME_HEM2 : BR_SCHEME_MOREAU, 1e-3);
        BrStepReport report = machine_steps(&m, &step, 300);
        assert_int_equal(report.uncertified_contacts, 0);
        double a = (T / R - mu * mass * g) / (mass + J / (R * R));
        assert_near(machine_rate(&m, plane, 0), 0.3 * a, 1e-8); /* contacts are solved to 1e-9 of their speed */
        BrCouplingReading is = read_coupling(&m, rack);
        assert_near(is.effort_b, (T - J * a / R) / R, 1e-6);
        assert_near(is.error, 0, 1e-12);
        BrEnergy e = machine_energy(&m);
        assert_near(e.dissipated, mu * mass * g * machine_position(&m, plane, 0),
                    1e-2 * e.dissipated); /* h/t: order 1 */
        assert_near(e.kinetic + e.dissipated, e.work, 1e-8);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ books, refusals */

/* A body that is moved carries one of the wheels: what it puts in is in the books. */
static void moved_bodies_put_in(void **unused) {
    (void)unused;
    for (int k = 0; k < WAY_COUNT; k++) {
        Machine m = machine_begin(NONE);
        BrBodyDef table = br_default_body_def();
        table.name = "table";
        table.kind = BR_BODY_KINEMATIC;
        BrBodyId moved = machine_add_body(&m, &table);
        BrMotionDef motion = br_default_motion_def();
        motion.name = "spin";
        motion.body = moved;
        motion.by_velocity = true;
        motion.angular_velocity[2] = br_expression("2*t");
        BrMotionId spin;
        assert_int_equal(br_model_add_motion(m.model, &motion, &spin, NULL), BR_OK);
        BrBodyId one = machine_body(&m, "one", 1, diagonal(0.1, 0.1, 0.1), NONE);
        BrBodyId two = machine_body(&m, "two", 1, diagonal(0.2, 0.2, 0.2), vec(0, 0, 1));
        BrBodyId three = machine_body(&m, "three", 1, diagonal(0.3, 0.3, 0.3), vec(0, 0, 2));
        BrJointId a = machine_joint(&m, "a", BR_JOINT_REVOLUTE, moved, one, NONE, Z);
        machine_joint(&m, "ground", BR_JOINT_REVOLUTE, m.ground, two, vec(0, 0, 1), Z);
        BrJointId b = machine_joint(&m, "b", BR_JOINT_REVOLUTE, two, three, vec(0, 0, 2), Z);
        gear(&m, "g", a, b, -1);
        machine_ready(&m);
        BrStepDef def = way_def(&WAYS[k], 1e-3);
        machine_steps(&m, &def, 500);
        /* x on one: 0.1 w1' = x, 0.3 w3' = x, 0.2 w2' = -x, w1' - 2 = -(w3' - w2') */
        double x = 2 / (1 / 0.1 + 1 / 0.3 + 1 / 0.2);
        assert_near(machine_twist(&m, one).angular.z, 0.5 * x / 0.1, 1e-10);
        assert_near(machine_twist(&m, two).angular.z, -0.5 * x / 0.2, 1e-10);
        BrEnergy e = machine_energy(&m);
        assert_near(e.work, e.kinetic, 1e-10);
        assert_near(e.work, 0.5 * 0.25 * x * x * (1 / 0.1 + 1 / 0.3 + 1 / 0.2), 1e-10);
        machine_end(&m);
    }
}

static void refuse(Machine *m, BrCouplingDef def, const char *part) {
    BrError error = {0};
    BrCouplingId id;
    def.name = "bad";
    assert_true(br_model_add_coupling(m->model, &def, &id, &error) < 0);
    assert_int_equal(id.index1, 0);
    if (!strstr(error.text, part)) fail_msg("'%s' does not say '%s'", error.text, part);
}

static void mistakes_are_told(void **unused) {
    (void)unused;
    Wheels w = begin_wheels(1, 1);
    BrBodyId body = machine_body(&w.m, "three", 1, diagonal(1, 1, 1), vec(0, 0, 5));
    BrJointId slide = machine_joint(&w.m, "slide", BR_JOINT_PRISMATIC, w.m.ground, body, vec(0, 0, 5), Z);
    BrCouplingDef def = br_default_coupling_def();
    def.joint_a = w.axle[0], def.joint_b = w.axle[1];
    refuse(&w.m, def, "ratio is 0; it must be finite and not zero");
    def.ratio = 2;
    def.joint_b = def.joint_a;
    refuse(&w.m, def, "couples joint 'a' with itself");
    def.joint_b = slide;
    refuse(&w.m, def, "take a rack or a screw");
    def.type = BR_COUPLING_RACK, def.radius = 0;
    refuse(&w.m, def, "radius is 0; it must be finite and not zero");
    def.joint_a = slide, def.joint_b = w.axle[0];
    refuse(&w.m, def, "slide of joint 'slide' is a slide; the first end of a rack is an angle");
    def.type = BR_COUPLING_BELT, def.joint_a = w.axle[1], def.radius = -1;
    refuse(&w.m, def, "the first radius is -1; it must be finite and positive");
    def.coordinate_a = 1;
    refuse(&w.m, def, "has no coordinate 1 to couple");
    gear(&w.m, "g", w.axle[0], w.axle[1], 2);
    def = br_default_coupling_def();
    def.joint_a = w.axle[0], def.joint_b = w.axle[1], def.ratio = 1;
    def.name = "g";
    BrError error;
    assert_true(br_model_add_coupling(w.m.model, &def, NULL, &error) < 0);
    assert_non_null(strstr(error.text, "there is a coupling named 'g' already"));
    machine_ready(&w.m);
    assert_int_equal(br_model_joint_count(w.m.model), 3); /* rows of couplings are no joints of the user's */
    assert_int_equal(br_model_coupling_count(w.m.model), 1);
    assert_string_equal(br_coupling_def(w.m.model, br_model_find_coupling(w.m.model, "g"))->name, "g");
    assert_null(br_coupling_def(w.m.model, br_model_coupling(w.m.model, 1)));
    machine_end(&w.m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gear_divides_a_torque),     cmocka_unit_test(heavy_on_light),
        cmocka_unit_test(ratio_holds_for_ever),      cmocka_unit_test(four_bodies_float),
        cmocka_unit_test(weights_on_racks),          cmocka_unit_test(belts),
        cmocka_unit_test(offset_is_assembled),       cmocka_unit_test(starts_go_through_a_gear),
        cmocka_unit_test(planets_repeat_each_other), cmocka_unit_test(gears_beside_contact),
        cmocka_unit_test(moved_bodies_put_in),       cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
