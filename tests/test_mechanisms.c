/* test_mechanisms.c: linkages, Cardan joint, screw, skate and wheel against their closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "machine.h"

static const double G = 9.81;
static const BrVec3 DOWN = {0, 0, -9.81}, NONE = {0, 0, 0}, X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

/* ------------------------------------------------------------------ slider-crank, in the plane x z, axes -y */

static const struct {
    double crank, rod; /* m */
    double mass[3], inertia[2], speed;
} ENGINE = {0.2, 0.7, {1.1, 0.9, 2.3}, {0.01, 0.05}, 9};

/* Slide of the piston, and the rod's angle below the x axis, when the crank is at th. */
static double piston_at(double th) {
    return ENGINE.crank * cos(th) + ENGINE.rod * cos(asin(ENGINE.crank / ENGINE.rod * sin(th)));
}
static double rod_angle_at(double th) { return asin(ENGINE.crank / ENGINE.rod * sin(th)); }

static double derive(double (*f)(double), double x) { return (f(x + 1e-4) - f(x - 1e-4)) / 2e-4; }

/* Kinetic and potential energy at constant crank speed: what the driving torque changes, T = d(K + V)/d th. */
static double engine_energy(double th) {
    double w = ENGINE.speed, v = derive(piston_at, th) * w, turn = derive(rod_angle_at, th) * w;
    /* the rod's centre is halfway between pin (r cos, r sin) and piston (x, 0) */
    double vx = 0.5 * (v - ENGINE.crank * sin(th) * w), vz = 0.5 * ENGINE.crank * cos(th) * w;
    double kinetic = ENGINE.mass[2] * v * v + ENGINE.mass[1] * (vx * vx + vz * vz) + ENGINE.inertia[1] * turn * turn;
    return 0.5 * kinetic + G * 0.5 * ENGINE.crank * sin(th) * (ENGINE.mass[0] + ENGINE.mass[1]);
}

typedef struct Engine {
    Machine m;
    BrBodyId body[3];
    BrJointId axle, crank_pin, piston_pin, rail;
} Engine;

static Engine make_engine(BrJointType pin) {
    Engine e = {.m = machine_begin(DOWN)};
    Machine *m = &e.m;
    BrVec3 axis = vec(0, -1, 0); /* th turns x towards z */
    double end = piston_at(0);
    e.body[0] = machine_body(m, "crank", ENGINE.mass[0], diagonal(0.01, ENGINE.inertia[0], 0.01), vec(0.1, 0, 0));
    e.body[1] = machine_body(m, "rod", ENGINE.mass[1], diagonal(0.01, ENGINE.inertia[1], 0.05),
                             vec(0.5 * (ENGINE.crank + end), 0, 0));
    e.body[2] = machine_body(m, "piston", ENGINE.mass[2], diagonal(0.01, 0.01, 0.01), vec(end, 0, 0));
    e.axle = machine_joint(m, "axle", BR_JOINT_REVOLUTE, m->ground, e.body[0], NONE, axis);
    e.crank_pin = machine_joint(m, "crank pin", BR_JOINT_REVOLUTE, e.body[0], e.body[1], vec(ENGINE.crank, 0, 0), axis);
    e.piston_pin = machine_joint(m, "piston pin", pin, e.body[1], e.body[2], vec(end, 0, 0), axis);
    e.rail = machine_joint(m, "rail", BR_JOINT_PRISMATIC, m->ground, e.body[2], vec(end, 0, 0), X);
    machine_motion(m, "drive", e.axle, 0, false, br_expression("9*t"));
    machine_ready(m);
    return e;
}

static void check_engine(Engine *e) {
    Machine *m = &e->m;
    double th = ENGINE.speed * br_state_time(m->state), w = ENGINE.speed;
    assert_near(machine_position(m, e->rail, 0), piston_at(th) - piston_at(0), 1e-12); /* on the constraints */
    assert_near(machine_position(m, e->crank_pin, 0), -rod_angle_at(th) - th, 1e-11);
    assert_near(machine_rate(m, e->rail, 0), derive(piston_at, th) * w, 1e-7); /* difference quotient: (1e-4)^2 */
    double torque = derive(engine_energy, th);
    assert_near(machine_reaction(m, e->axle).torque.y, -torque, 1e-5); /* about -y; difference quotients */
    double a = (piston_at(th + 1e-4) - 2 * piston_at(th) + piston_at(th - 1e-4)) / 1e-8 * w * w;
    assert_near(machine_reaction(m, e->piston_pin).force.x, ENGINE.mass[2] * a, 1e-4);
    assert_near(machine_reaction(m, e->rail).force.x, 0, 1e-9); /* no friction */
}

/* Kinematics and the crank's torque by inverse dynamics, with three, two and one redundant rows. */
static void slider_crank(void **unused) {
    (void)unused;
    const BrJointType pins[] = {BR_JOINT_REVOLUTE, BR_JOINT_CYLINDRICAL, BR_JOINT_SPHERICAL};
    const int redundant[] = {3, 2, 1};
    for (int p = 0; p < 3; p++) {
        Engine e = make_engine(pins[p]);
        BrAnalysis analysis;
        assert_int_equal(br_analyse(e.m.model, e.m.workspace, e.m.state, &analysis, NULL, NULL, NULL), BR_OK);
        assert_int_equal(analysis.redundant_rows, redundant[p]);
        assert_int_equal(analysis.freedoms, 0);
        for (int s = BR_SCHEME_MOREAU; s <= BR_SCHEME_RATTLE; s++)
            for (int k = 0; k < 4; k++) {
                machine_run(&e.m, (BrScheme)s, 1e-3, 80);
                if (s != BR_SCHEME_MOREAU) check_engine(&e); /* its velocities are on the constraints of the old pose */
            }
        machine_end(&e.m);
    }
}

/* ------------------------------------------------------------------ four-bar, in the plane x z, axes y */

static const double BAR[4] = {0.4, 1.0, 0.8, 0.9}; /* crank, coupler, rocker, ground (crank turns fully) */

typedef struct Plane {
    double x, z;
} Plane;

/* The far pin of the coupler: where circles about the crank's pin and the rocker's pivot meet, the upper one. */
static Plane far_pin(double th) {
    double bx = BAR[0] * cos(th), bz = BAR[0] * sin(th), dx = BAR[3] - bx, dz = -bz, d = hypot(dx, dz);
    double along = (BAR[1] * BAR[1] - BAR[2] * BAR[2] + d * d) / (2 * d), up = sqrt(BAR[1] * BAR[1] - along * along);
    return (Plane){bx + (along * dx - up * dz) / d, bz + (along * dz + up * dx) / d};
}

typedef struct FourBar {
    Machine m;
    BrBodyId body[3];
    BrJointId crank;
} FourBar;

static BrBodyId add_bar(Machine *m, const char *name, Plane from, Plane to, double mass) {
    BrBodyDef def = br_default_body_def();
    def.name = name;
    def.mass = mass;
    def.inertia = diagonal(0.01, 0.04, 0.04);
    def.position = vec(0.5 * (from.x + to.x), 0, 0.5 * (from.z + to.z));
    def.rotation = turn_about(Y, -atan2(to.z - from.z, to.x - from.x)); /* body x along the bar */
    return machine_add_body(m, &def);
}

static FourBar make_four_bar(bool driven) {
    const double start = 1.0;
    FourBar f = {.m = machine_begin(DOWN)};
    Machine *m = &f.m;
    Plane a = {0, 0}, b = {BAR[0] * cos(start), BAR[0] * sin(start)}, c = far_pin(start), d = {BAR[3], 0};
    f.body[0] = add_bar(m, "crank", a, b, 1);
    f.body[1] = add_bar(m, "coupler", b, c, 2);
    f.body[2] = add_bar(m, "rocker", c, d, 1.5);
    BrVec3 axis = vec(0, -1, 0);
    f.crank = machine_joint(m, "A", BR_JOINT_REVOLUTE, m->ground, f.body[0], NONE, axis);
    machine_joint(m, "B", BR_JOINT_REVOLUTE, f.body[0], f.body[1], vec(b.x, 0, b.z), axis);
    machine_joint(m, "C", BR_JOINT_REVOLUTE, f.body[1], f.body[2], vec(c.x, 0, c.z), axis);
    machine_joint(m, "D", BR_JOINT_REVOLUTE, f.body[2], m->ground, vec(d.x, 0, d.z), axis);
    if (driven) machine_motion(m, "drive", f.crank, 0, false, br_expression("5*t"));
    machine_ready(m);
    return f;
}

/* Midpoints of all bars where the linkage puts them for the crank's angle. */
static void check_four_bar(const FourBar *f) {
    double th = 1.0 + machine_position(&f->m, f->crank, 0);
    Plane b = {BAR[0] * cos(th), BAR[0] * sin(th)}, c = far_pin(th);
    BrVec3 middle[3] = {
        {0.5 * b.x, 0, 0.5 * b.z}, {0.5 * (b.x + c.x), 0, 0.5 * (b.z + c.z)}, {0.5 * (c.x + BAR[3]), 0, 0.5 * c.z}};
    for (int k = 0; k < 3; k++) /* constraint tolerance 4e-14 times the leverage of the linkage */
        assert_vec_near(machine_pose(&f->m, f->body[k]).position, middle[k], 1e-12);
}

static void count_row(void *user, BrJointId joint, const char *row) {
    int *counts = user;
    assert_true(joint.index1 > 0);
    counts[0]++;
    counts[1] += strncmp(row, "shift along", 11) == 0;
    counts[2] += strncmp(row, "turn about", 10) == 0;
}

/* Three rows say again what the others say: the loop does not leave its plane. One freedom remains. */
static void four_bar_analysis(void **unused) {
    (void)unused;
    FourBar f = make_four_bar(false);
    for (int k = 0; k < 5; k++) {
        int counts[3] = {0};
        BrAnalysis a;
        assert_int_equal(br_analyse(f.m.model, f.m.workspace, f.m.state, &a, count_row, counts, NULL), BR_OK);
        assert_int_equal(a.bodies, 3);
        assert_int_equal(a.rows, 20);
        assert_int_equal(a.redundant_rows, 3);
        assert_int_equal(a.freedoms, 1);
        assert_int_equal(counts[0], 3);
        assert_int_equal(counts[1], 1); /* one shift across the plane */
        assert_int_equal(counts[2], 2); /* two turns out of it */
        assert_near(a.position_violation, 0, 1e-12);
        assert_near(a.velocity_violation, 0, 1e-11);
        machine_run(&f.m, BR_SCHEME_RATTLE, 1e-3, 100);
    }
    machine_end(&f.m);
}

static void four_bar_motion(void **unused) {
    (void)unused;
    for (int s = BR_SCHEME_MOREAU; s <= BR_SCHEME_RATTLE; s++)
        for (int driven = 0; driven < 2; driven++) {
            FourBar f = make_four_bar(driven);
            for (int k = 0; k < 15; k++) { /* driven: more than a turn; not driven: it falls and swings */
                machine_run(&f.m, (BrScheme)s, 1e-3, 100);
                check_four_bar(&f);
            }
            machine_end(&f.m);
        }
}

/* A parallelogram whose first crank alone is given a spin of 1 rad/s, with motors on `motors` of its cranks. */
static double assemble_parallelogram(int motors, BrStatus *status) {
    Machine m = machine_begin(DOWN);
    BrMat3 inertia = diagonal(0.1, 0.1, 0.1);
    BrBodyDef def = br_default_body_def();
    def.name = "first", def.mass = 1, def.inertia = inertia;
    def.position = vec(0, 0, 0.5), def.velocity = vec(0.5, 0, 0), def.angular_velocity = Y;
    BrBodyId first = machine_add_body(&m, &def), second = machine_body(&m, "second", 1, inertia, vec(2, 0, 0.5));
    BrBodyId coupler = machine_body(&m, "coupler", 1, inertia, vec(1, 0, 1));
    BrJointId a = machine_joint(&m, "A", BR_JOINT_REVOLUTE, m.ground, first, NONE, Y);
    BrJointId d = machine_joint(&m, "D", BR_JOINT_REVOLUTE, m.ground, second, vec(2, 0, 0), Y);
    machine_joint(&m, "B", BR_JOINT_REVOLUTE, first, coupler, vec(0, 0, 1), Y);
    machine_joint(&m, "C", BR_JOINT_REVOLUTE, second, coupler, vec(2, 0, 1), Y);
    if (motors > 0) machine_motor(&m, "one", a, 0, br_constant(3), 1);
    if (motors > 1) machine_motor(&m, "two", d, 0, br_constant(3), 1);
    assert_int_equal(br_model_build(m.model, NULL), BR_OK);
    assert_int_equal(br_state_create(m.model, &m.state, NULL), BR_OK);
    assert_int_equal(br_workspace_create(m.model, &m.workspace, NULL), BR_OK);
    *status = br_state_assemble(m.model, m.workspace, m.state, NULL, NULL);
    double rate = machine_rate(&m, a, 0);
    machine_end(&m);
    return rate;
}

/* Nearest in kinetic energy: the momentum J w of one crank is shared by both and the coupler, so that
 * w = J / (2 J + m) with J = 0.1 + 0.5^2 and m = 1. Motors have bounded effort: they change nothing in no time. */
static void motors_do_not_change_the_assembly(void **unused) {
    (void)unused;
    for (int motors = 0; motors < 3; motors++) {
        BrStatus status;
        double rate = assemble_parallelogram(motors, &status), J = 0.1 + 0.25;
        assert_int_equal(status, BR_OK);
        assert_near(rate, J / (2 * J + 1), 1e-12);
    }
}

/* ------------------------------------------------------------------ Cardan joint */

/* Shafts at an angle b; the input's pin starts in the plane of both: speed ratio cos b / (1 - sin^2 b cos^2 a). */
static void universal_joint_ratio(void **unused) {
    (void)unused;
    const double b = 0.6, w = 7;
    for (int s = BR_SCHEME_HEM2; s <= BR_SCHEME_RATTLE; s++) {
        Machine m = machine_begin(NONE);
        BrVec3 out = vec(cos(b), sin(b), 0);
        BrBodyId first = machine_body(&m, "input", 1, diagonal(0.02, 0.03, 0.03), vec(-0.5, 0, 0));
        BrBodyId second = machine_body(&m, "output", 1, diagonal(0.02, 0.02, 0.02), scale(0.5, out));
        BrJointId input = machine_joint(&m, "in", BR_JOINT_REVOLUTE, m.ground, first, vec(-0.5, 0, 0), X);
        BrJointId output = machine_joint(&m, "out", BR_JOINT_REVOLUTE, m.ground, second, scale(0.5, out), out);
        BrJointDef def = br_default_joint_def();
        def.name = "cross";
        def.type = BR_JOINT_UNIVERSAL;
        def.body_a = first, def.body_b = second;
        def.axis = Y, def.axis_b = Z;
        machine_add_joint(&m, &def);
        machine_motion(&m, "drive", input, 0, false, br_expression("7*t"));
        machine_ready(&m);
        for (int k = 0; k < 30; k++) {
            machine_run(&m, (BrScheme)s, 1e-3, 41);
            double a = machine_position(&m, input, 0), ratio = cos(b) / (1 - pow(sin(b) * cos(a), 2));
            /* rattle: velocity tolerance; hem2 moves positions by (w h)^3 = 3e-7 rad after its velocities */
            assert_near(machine_rate(&m, output, 0), w * ratio, s == BR_SCHEME_RATTLE ? 1e-10 : 1e-7);
            /* one turn of the output per turn of the input: tan(out) = tan(a) / cos(b) */
            double turns = floor(a / (2 * PI) + 0.5), rest = a - 2 * PI * turns;
            assert_near(machine_position(&m, output, 0), 2 * PI * turns + atan2(sin(rest), cos(rest) * cos(b)), 1e-11);
        }
        machine_end(&m);
    }
}

/* A rotor on a Cardan joint, spun about the first axis: both angles are measured, and the first counts turns. */
static void universal_joint_angles(void **unused) {
    (void)unused;
    Machine m = machine_begin(NONE);
    BrBodyDef def = br_default_body_def();
    def.name = "rotor";
    def.mass = 1;
    def.inertia = diagonal(0.1, 0.1, 0.2);
    def.angular_velocity = vec(0, 0, 4);
    BrBodyId rotor = machine_add_body(&m, &def);
    BrJointDef cardan = br_default_joint_def();
    cardan.name = "cross";
    cardan.type = BR_JOINT_UNIVERSAL;
    cardan.body_a = m.ground, cardan.body_b = rotor;
    cardan.axis = Z, cardan.axis_b = X;
    BrJointId cross_joint = machine_add_joint(&m, &cardan);
    machine_ready(&m);
    for (int k = 1; k <= 20; k++) {
        machine_run(&m, BR_SCHEME_RATTLE, 1e-3, 200);
        assert_near(machine_rate(&m, cross_joint, 0), 4, 1e-12);
        assert_near(machine_rate(&m, cross_joint, 1), 0, 1e-12);
        assert_near(machine_position(&m, cross_joint, 1), 0, 1e-11);
        double turned = remainder(0.8 * k, 2 * acos(-1)); /* angles of universal joints lie within half a turn */
        assert_near(machine_position(&m, cross_joint, 0), turned, 1e-10); /* a steady spin: rounding of 4000 steps */
    }
    machine_end(&m);
}

/* ------------------------------------------------------------------ screw */

/* A nut falls along a fixed screw: a = g / (1 + I (2 pi / lead)^2 / m), and its slide is lead times turns. */
static void nut_on_a_screw(void **unused) {
    (void)unused;
    const double lead[] = {0.05, -0.4}, mass = 0.3, inertia = 2e-5;
    for (int s = BR_SCHEME_HEM2; s <= BR_SCHEME_RATTLE; s++)
        for (int k = 0; k < 2; k++) {
            Machine m = machine_begin(DOWN);
            BrBodyId nut = machine_body(&m, "nut", mass, diagonal(2e-5, 2e-5, inertia), NONE);
            BrJointDef def = br_default_joint_def();
            def.name = "thread";
            def.type = BR_JOINT_SCREW;
            def.body_a = m.ground, def.body_b = nut;
            def.axis = Z;
            def.lead = lead[k];
            BrJointId screw = machine_add_joint(&m, &def);
            machine_ready(&m);
            double a = G / (1 + inertia * pow(2 * PI / lead[k], 2) / mass);
            assert_near(machine_acceleration(&m, nut).linear.z, -a, 1e-12);
            machine_run(&m, (BrScheme)s, 1e-3, 2000);
            double fall = machine_pose(&m, nut).position.z, angle = machine_position(&m, screw, 0);
            assert_true(fabs(angle) > 2 * PI * 10);
            assert_near(fall, lead[k] * angle / (2 * PI), 1e-12); /* of 20 m: the position tolerance */
            assert_near(fall, -0.5 * a * 4, 1e-9); /* constant acceleration: both schemes are exact but for rounding */
            machine_end(&m);
        }
}

/* The same where it turns ten times in a step and more: the slide tells how often. */
static void nut_turns_many_times_a_step(void **unused) {
    (void)unused;
    const double LEAD = 0.05, MASS = 0.3, INERTIA = 2e-5, DT[] = {0.02, 0.1, 0.5};
    for (int s = 0; s < 3; s++) {
        Machine m = machine_begin(DOWN);
        BrBodyId nut = machine_body(&m, "nut", MASS, diagonal(2e-5, 2e-5, INERTIA), NONE);
        BrJointDef def = br_default_joint_def();
        def.name = "thread", def.type = BR_JOINT_SCREW, def.body_a = m.ground, def.body_b = nut;
        def.axis = Z, def.lead = LEAD;
        BrJointId screw = machine_add_joint(&m, &def);
        machine_ready(&m);
        machine_run(&m, BR_SCHEME_HEM2, DT[s], (int)lround(2 / DT[s]));
        double a = G / (1 + INERTIA * pow(2 * PI / LEAD, 2) / MASS), fall = machine_pose(&m, nut).position.z;
        assert_near(fall, -0.5 * a * 4, 1e-9);
        assert_near(machine_position(&m, screw, 0), 2 * PI * fall / LEAD, 1e-9);
        machine_end(&m);
    }
}

/* A lead is a screw's alone: what slides through many of them and turns a little on a cylindrical joint has turned a
 * little. */
static void lead_counts_for_screws_only(void **unused) {
    (void)unused;
    Machine m = machine_begin(NONE);
    BrBodyId rod = machine_body(&m, "rod", 1, diagonal(0.1, 0.1, 0.1), NONE);
    BrJointDef def = br_default_joint_def();
    def.name = "sleeve", def.type = BR_JOINT_CYLINDRICAL, def.body_a = m.ground, def.body_b = rod;
    def.axis = Z, def.lead = 0.01;
    BrJointId sleeve = machine_add_joint(&m, &def);
    machine_ready(&m);
    machine_set_twist(&m, rod, vec(0, 0, 10), vec(0, 0, 0.3));
    machine_run(&m, BR_SCHEME_HEM2, 1e-3, 1000);
    assert_near(machine_position(&m, sleeve, 0), 0.3, 1e-12);
    machine_end(&m);
}

/* ------------------------------------------------------------------ skate */

static const double SLOPE = 0.3;

static BrVec3 tilted_gravity(double angle) { return vec(G * sin(angle), 0, -G * cos(angle)); } /* downhill: x */

static double run_skate(BrScheme scheme, double h, double spin, double end) {
    Machine m = machine_begin(tilted_gravity(SLOPE));
    BrBodyDef def = br_default_body_def();
    def.name = "skate";
    def.mass = 2;
    def.inertia = diagonal(0.1, 0.2, 0.25);
    def.angular_velocity = vec(0, 0, spin);
    BrBodyId skate = machine_add_body(&m, &def);
    machine_joint(&m, "ice", BR_JOINT_PLANAR, m.ground, skate, NONE, Z);
    machine_joint(&m, "blade", BR_JOINT_KNIFE_EDGE, m.ground, skate, NONE, Y);
    machine_ready(&m);
    machine_run(&m, scheme, h, (int)lround(end / h));
    BrVec3 r = machine_pose(&m, skate).position, v = machine_twist(&m, skate).linear;
    assert_near(v.y * cos(spin * end) - v.x * sin(spin * end), 0, scheme == BR_SCHEME_MOREAU ? 0.1 : 1e-10);
    machine_end(&m);
    double c = G * sin(SLOPE) / (2 * spin * spin), phase = spin * end;
    return norm(sub(r, vec(c * pow(sin(phase), 2), c * (phase - 0.5 * sin(2 * phase)), 0)));
}

/* Speed along the blade u' = g sin(slope) cos(w t), so u = g sin(slope)/w sin(w t) and the path is a cycloid that goes
 * sideways, never down: x = c sin^2(w t), y = c (w t - sin(2 w t)/2), c = g sin(slope)/(2 w^2). */
static void skate_on_a_slope(void **unused) {
    (void)unused;
    for (int s = BR_SCHEME_MOREAU; s <= BR_SCHEME_RATTLE; s++) {
        double order = s == BR_SCHEME_MOREAU ? 1 : 2;
        double coarse = run_skate((BrScheme)s, 2e-3, 2.5, 3), fine = run_skate((BrScheme)s, 1e-3, 2.5, 3);
        assert_near(fine, 0, 2 * pow(2.5e-3, order)); /* path of 2 m times (w h)^order */
        assert_near(observed_order(coarse, fine), order, 0.1);
    }
}

/* ------------------------------------------------------------------ points that are guided, links without mass */

static const struct {
    BrFormulation formulation;
    BrScheme scheme;
} GUIDED[] = {{BR_FORMULATION_TIMESTEPPING, BR_SCHEME_HEM2},
              {BR_FORMULATION_TIMESTEPPING, BR_SCHEME_RATTLE},
              {BR_FORMULATION_SMOOTH, BR_SCHEME_BDF2},
              {BR_FORMULATION_EVENT, BR_SCHEME_RATTLE}};

static void run_guided(Machine *m, int way, int steps) {
    BrStepDef def = machine_step_def(GUIDED[way].scheme, 1e-3);
    def.formulation = GUIDED[way].formulation;
    machine_steps(m, &def, steps);
}

/* A ball whose centre is held in a slope slides down it with g sin a, and keeps its spin; the slope pushes with m g cos a. */
static void point_slides_in_a_plane(void **unused) {
    (void)unused;
    for (int w = 0; w < 4; w++) {
        Machine m = machine_begin(vec(0, 0, -G));
        BrBodyId ball = machine_body(&m, "ball", 2, diagonal(0.1, 0.1, 0.1), NONE);
        BrVec3 normal = vec(sin(SLOPE), 0, cos(SLOPE));
        BrJointId plane = machine_joint(&m, "plane", BR_JOINT_POINT_IN_PLANE, m.ground, ball, NONE, normal);
        machine_ready(&m);
        machine_set_twist(&m, ball, vec(0, 1.5, 0), vec(1, 2, 3));
        run_guided(&m, w, 1000);
        double s = 0.5 * G * sin(SLOPE);
        assert_vec_near(machine_pose(&m, ball).position, vec(s * cos(SLOPE), 1.5, -s * sin(SLOPE)), 2e-9);
        assert_vec_near(machine_twist(&m, ball).angular, vec(1, 2, 3), 1e-12);
        assert_vec_near(machine_reaction(&m, plane).force, scale(2 * G * cos(SLOPE), normal), 1e-9);
        assert_near(br_joint_info(BR_JOINT_POINT_IN_PLANE)->freedoms, 5, 0);
        machine_end(&m);
    }
}

/* A bar whose upper end runs on a level wire swings about its own centre as if that only moved up and down: with the end
 * at rest in x on the mean, energy and the momentum along the wire stay, and small swings have w^2 = m g l/I. */
static void bar_swings_on_a_wire(void **unused) {
    (void)unused;
    const double MASS = 2, L = 0.5, I = MASS / 12, W = sqrt(MASS * G * L / I);
    for (int w = 0; w < 4; w++) {
        Machine m = machine_begin(vec(0, 0, -G));
        BrBodyDef def = br_default_body_def();
        def.name = "bar", def.mass = MASS, def.inertia = diagonal(I, I, 1e-3);
        const double lean = 1e-3;
        def.position = vec(-L * sin(lean), 0, -L * cos(lean)), def.rotation = turn_about(Y, lean);
        BrBodyId bar = machine_add_body(&m, &def);
        BrJointId wire = machine_joint(&m, "wire", BR_JOINT_POINT_ON_LINE, m.ground, bar, NONE, X);
        machine_ready(&m);
        double period = 2 * PI / W, h = period / 400;
        BrStepDef step = machine_step_def(GUIDED[w].scheme, h);
        step.formulation = GUIDED[w].formulation;
        machine_steps(&m, &step, 200); /* half a swing: the bar leans the other way, its end has come 2 l lean along */
        BrMat3 R = machine_pose(&m, bar).rotation;
        assert_near(atan2(R.m[0][2], R.m[2][2]), -lean, 1e-6);
        assert_near(machine_pose(&m, bar).position.x, -L * sin(lean), 1e-9); /* nothing pushes along the wire */
        assert_near(fabs(machine_position(&m, wire, 0)), 2 * L * lean, 1e-6);
        assert_near(machine_reaction(&m, wire).force.x, 0, 1e-9);
        machine_end(&m);
    }
}

/* A bob at the end of a massless link is a pendulum: the link's hinge carries it, and whatever turns the bob's own body does
 * not matter, because of the ball. From the horizontal it passes below with 3 m g in the link. */
static void link_is_a_pendulum(void **unused) {
    (void)unused;
    const double MASS = 1.5, L = 0.8;
    double quarter = sqrt(L / G) * 1.854074677301372; /* K(sin 45 deg) */
    for (int w = 0; w < 4; w++) {
        Machine m = machine_begin(vec(0, 0, -G));
        BrBodyId bob = machine_body(&m, "bob", MASS, diagonal(0.01, 0.02, 0.03), vec(L, 0, 0));
        BrJointDef def = br_default_joint_def();
        def.name = "link", def.type = BR_JOINT_LINK, def.body_a = m.ground, def.body_b = bob, def.axis = Y;
        BrJointId link = machine_add_joint(&m, &def);
        machine_ready(&m);
        machine_set_twist(&m, bob, NONE, vec(0.3, 2, -1));
        int steps = 1000;
        BrStepDef step = machine_step_def(GUIDED[w].scheme, quarter / steps);
        step.formulation = GUIDED[w].formulation;
        machine_steps(&m, &step, steps);
        assert_vec_near(machine_pose(&m, bob).position, vec(0, 0, -L), 1e-5);
        assert_near(norm(machine_twist(&m, bob).linear), sqrt(2 * G * L), 5e-5); /* bdf2 */
        assert_vec_near(machine_reaction(&m, link).force, vec(0, 0, 3 * MASS * G), 1e-3);
        assert_near(machine_gap(&m), 0, 1e-12);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ wheel */

static const double RADIUS = 0.3, DISC_MASS = 2;

static BrBodyDef define_disc(double lean) {
    BrBodyDef def = br_default_body_def();
    double across = 0.25 * DISC_MASS * RADIUS * RADIUS;
    def.name = "disc";
    def.mass = DISC_MASS;
    def.inertia = diagonal(2 * across, across, across); /* axle along body x */
    def.rotation = turn_about(Y, -lean);
    def.position = vec(0, 0, RADIUS * cos(lean));
    return def;
}

static BrJointId add_wheel(Machine *m, BrBodyId disc, BrVec3 centre, BrVec3 axle) {
    BrJointDef def = br_default_joint_def();
    def.name = "rim";
    def.type = BR_JOINT_ROLLING_WHEEL;
    def.body_a = m->ground, def.body_b = disc;
    def.at = centre;
    def.axis = Z, def.axis_b = axle;
    def.radius = RADIUS;
    return machine_add_joint(m, &def);
}

/* a = g sin(slope) / (1 + I / (m r^2)), a third of the weight's pull being friction. */
static void disc_rolls_downhill(void **unused) {
    (void)unused;
    double a = G * sin(SLOPE) / 1.5;
    for (int s = BR_SCHEME_HEM2; s <= BR_SCHEME_RATTLE; s++) {
        Machine m = machine_begin(vec(0, G * sin(SLOPE), -G * cos(SLOPE)));
        BrBodyDef def = define_disc(0);
        BrBodyId disc = machine_add_body(&m, &def);
        BrJointId rim = add_wheel(&m, disc, def.position, X);
        machine_ready(&m);
        machine_run(&m, (BrScheme)s, 1e-3, 2000);
        BrVec3 r = machine_pose(&m, disc).position;
        assert_vec_near(r, vec(0, 0.5 * a * 4, RADIUS), 1e-9); /* constant acceleration: rounding of 2000 steps */
        assert_near(machine_twist(&m, disc).angular.x, -2 * a / RADIUS, 1e-9);
        BrVec3 force = machine_reaction(&m, rim).force;
        assert_vec_near(force, vec(0, -DISC_MASS * G * sin(SLOPE) / 3, DISC_MASS * G * cos(SLOPE)), 1e-9);
        machine_end(&m);
    }
}

/* A disc leaned by b goes round in a circle of radius R (of its centre) at
 *     W^2 = m g r tan b / ((C/r + m r) R + A sin b),    spin about the axle against the turning frame -W (R + r sin
 * b)/r, A and C its moments across and along the axle: from Euler's equation about the centre with the force at the
 * rim. */
static double run_circle(BrScheme scheme, double h, double end) {
    const double lean = 0.35, R = 2, A = 0.25 * DISC_MASS * RADIUS * RADIUS, C = 2 * A;
    double W = sqrt(DISC_MASS * G * RADIUS * tan(lean) / ((C / RADIUS + DISC_MASS * RADIUS) * R + A * sin(lean)));
    BrVec3 axle = vec(cos(lean), 0, sin(lean));
    Machine m = machine_begin(DOWN);
    BrBodyDef def = define_disc(lean);
    def.position.x = R;
    def.velocity = vec(0, W * R, 0);
    def.angular_velocity = add(scale(W, Z), scale(-W * (R + RADIUS * sin(lean)) / RADIUS, axle));
    BrBodyId disc = machine_add_body(&m, &def);
    add_wheel(&m, disc, def.position, axle);
    machine_ready(&m);
    assert_vec_near(machine_acceleration(&m, disc).linear, vec(-W * W * R, 0, 0), 1e-11);
    machine_run(&m, scheme, h, (int)lround(end / h));
    BrVec3 exact = vec(R * cos(W * end), R * sin(W * end), RADIUS * cos(lean));
    double error = norm(sub(machine_pose(&m, disc).position, exact));
    machine_end(&m);
    return error;
}

static void leaned_disc_rolls_in_a_circle(void **unused) {
    (void)unused;
    for (int s = BR_SCHEME_HEM2; s <= BR_SCHEME_RATTLE; s++) {
        double coarse = run_circle((BrScheme)s, 4e-3, 3), fine = run_circle((BrScheme)s, 2e-3, 3);
        assert_near(fine, 0, 5e-3); /* path of 6 m, spin 8 rad/s: (8 h)^2 = 3e-4 of it, times a few */
        assert_near(observed_order(coarse, fine), 2, 0.15);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slider_crank),
        cmocka_unit_test(four_bar_analysis),
        cmocka_unit_test(four_bar_motion),
        cmocka_unit_test(universal_joint_ratio),
        cmocka_unit_test(universal_joint_angles),
        cmocka_unit_test(motors_do_not_change_the_assembly),
        cmocka_unit_test(nut_on_a_screw),
        cmocka_unit_test(nut_turns_many_times_a_step),
        cmocka_unit_test(lead_counts_for_screws_only),
        cmocka_unit_test(skate_on_a_slope),
        cmocka_unit_test(point_slides_in_a_plane),
        cmocka_unit_test(bar_swings_on_a_wire),
        cmocka_unit_test(link_is_a_pendulum),
        cmocka_unit_test(disc_rolls_downhill),
        cmocka_unit_test(leaned_disc_rolls_in_a_circle),
    };
    return cmocka_run_group_tests_name("mechanisms", tests, NULL, NULL);
}
