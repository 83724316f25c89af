/* Joints that start elsewhere than in the pose of the file: trees unfold, loops follow, rates too; what cannot be is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

/* ------------------------------------------------------------------ help */

static void check_near(double got, double wanted, double tolerance, const char *what) {
    if (!(fabs(got - wanted) <= tolerance)) fail_msg("%s is %.17g instead of %.17g", what, got, wanted);
}

static void check_place(BrVec3 got, BrVec3 wanted, double tolerance) {
    if (!(norm(sub(got, wanted)) <= tolerance))
        fail_msg("[%.17g, %.17g, %.17g] instead of [%.17g, %.17g, %.17g]", got.x, got.y, got.z, wanted.x, wanted.y,
                 wanted.z);
}

static BrJointDef joint(const char *name, BrJointType type, BrBodyId a, BrBodyId b, BrVec3 at, BrVec3 axis) {
    BrJointDef def = br_default_joint_def();
    def.name = name, def.type = type, def.body_a = a, def.body_b = b, def.at = at, def.axis = axis;
    return def;
}

static BrBodyId ball(Machine *m, const char *name, double mass, BrVec3 position) {
    return machine_body(m, name, mass, diagonal(0.1 * mass, 0.2 * mass, 0.25 * mass), position);
}

/* Closed, and moving along: what no start may leave open. */
static void check_closed(const Machine *m) {
    BrAnalysis a;
    assert_int_equal(br_analyse(m->model, m->workspace, m->state, &a, NULL, NULL, NULL), BR_OK);
    check_near(a.position_violation, 0, 1e-12, "the joints' gap");
    check_near(a.velocity_violation, 0, 1e-11, "the joints' rate");
}

/* Model, state and workspace; BR_OK, or what assembling says. */
static BrStatus assemble(Machine *m, BrError *error) {
    BrStatus status = br_model_build(m->model, error);
    if (status == BR_OK) status = br_state_create(m->model, &m->state, error);
    if (status == BR_OK) status = br_workspace_create(m->model, &m->workspace, error);
    if (status == BR_OK) status = br_state_assemble(m->model, m->workspace, m->state, NULL, error);
    return status;
}

/* ------------------------------------------------------------------ trees */

/* Every coordinate that can start somewhere, with the body that hangs on the joint first or second, in a turned world: it
 * reads what was said, and so does its rate; coordinates that nothing was said of stand at zero. */
static void coordinates_read_what_was_said(void **state) {
    (void)state;
    static const struct {
        BrJointType type;
        double start[3], rate[3];
    } cases[] = {{BR_JOINT_REVOLUTE, {2.5, NAN, NAN}, {-3, NAN, NAN}},
                 {BR_JOINT_REVOLUTE, {-20, NAN, NAN}, {NAN, NAN, NAN}}, /* three turns and more */
                 {BR_JOINT_PRISMATIC, {0.4, NAN, NAN}, {1, NAN, NAN}},
                 {BR_JOINT_CYLINDRICAL, {0.7, -0.3, NAN}, {2, 0.5, NAN}},
                 {BR_JOINT_CYLINDRICAL, {NAN, -0.3, NAN}, {2, NAN, NAN}},
                 {BR_JOINT_UNIVERSAL, {1.2, -0.6, NAN}, {0.8, -2, NAN}},
                 {BR_JOINT_PLANAR, {0.2, -0.5, 1.9}, {-1, 2, 3}},
                 {BR_JOINT_SCREW, {9, NAN, NAN}, {-4, NAN, NAN}},
                 {BR_JOINT_POINT_IN_PLANE, {0.1, 0.3, NAN}, {2, 1, NAN}},
                 {BR_JOINT_POINT_ON_LINE, {-0.2, NAN, NAN}, {0.7, NAN, NAN}}};
    BrVec3 at = vec(0.3, -0.2, 0.5), axis = vec(1, 2, -0.4), across = vec(2, -1, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int first = 0; first < 2; first++) {
            Machine m = machine_begin(vec(0, 0, 0));
            BrBodyId arm = ball(&m, "arm", 2, vec(1, 0, 0)), hand = ball(&m, "hand", 1, vec(2, 1, 0));
            BrJointDef hinge = joint("hinge", BR_JOINT_REVOLUTE, m.ground, arm, vec(0, 0, 0), vec(0, 1, 1));
            hinge.start[0] = 0.8, hinge.start_rate[0] = 1.5; /* so that both bodies of the joint are turned, and turn */
            machine_add_joint(&m, &hinge);
            BrJointDef def = joint("j", cases[i].type, first ? hand : arm, first ? arm : hand, at, axis);
            def.axis_b = across, def.lead = 0.05;
            memcpy(def.start, cases[i].start, sizeof def.start);
            memcpy(def.start_rate, cases[i].rate, sizeof def.start_rate);
            BrJointId id = machine_add_joint(&m, &def);
            machine_ready(&m);
            double q[3], rate[3];
            assert_int_equal(br_joint_position(m.model, m.state, id, q, rate), BR_OK);
            for (int c = 0; c < br_joint_info(def.type)->coordinates; c++) {
                check_near(q[c], isnan(def.start[c]) ? 0 : def.start[c], 1e-13,
                           "a coordinate"); /* a few hundred roundings */
                check_near(rate[c], isnan(def.start_rate[c]) ? 0 : def.start_rate[c], 1e-12, "its rate");
            }
            check_closed(&m);
            machine_end(&m);
        }
}

/* n hinges each bent by 2 pi/(n + 1) make a regular polygon of n + 1 sides: the last link ends where the first began. */
static void chains_close_to_polygons(void **state) {
    (void)state;
    for (int n = 9; n <= (is_slow_run() ? 99 : 999); n = 10 * n + 9) {
        const double bend = 2 * PI / (n + 1), length = 1. / (n + 1);
        Machine m = machine_begin(vec(0, 0, 0));
        BrBodyId last = m.ground;
        for (int k = 0; k < n; k++) {
            char name[32];
            snprintf(name, sizeof name, "link%d", k);
            BrBodyId link = ball(&m, name, 1, vec((k + 0.5) * length, 0, 0));
            snprintf(name, sizeof name, "hinge%d", k);
            BrJointDef def = joint(name, BR_JOINT_REVOLUTE, last, link, vec(k * length, 0, 0), vec(0, 0, 1));
            def.start[0] = bend, def.start_rate[0] = k == 0 ? 1 : NAN;
            machine_add_joint(&m, &def);
            last = link;
        }
        machine_ready(&m);
        /* the missing side goes back along -x: the last link's end is a side before the origin */
        BrPose pose = machine_pose(&m, last);
        BrVec3 end = add(pose.position, rotate(&pose.rotation, vec(length / 2, 0, 0)));
        check_place(end, vec(-length, 0, 0), 1e-14 * n); /* a rounding for each link, at a size of one */
        check_place(machine_twist(&m, last).angular, vec(0, 0, 1), 1e-12); /* all of it turns as one */
        check_place(machine_twist(&m, last).linear, cross(vec(0, 0, 1), pose.position), 1e-12);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ loops */

/* A slider crank with a bob that hangs from the piston; l rod, r crank, a the crank's angle:
 *     x = r cos a + sqrt(l^2 - r^2 sin^2 a),  and the rod leans by asin(r sin a/l) */
typedef struct Crank {
    Machine m;
    BrBodyId crank, rod, piston, bob;
    BrJointId main, wrist, slide, hang;
} Crank;

static const double R = 0.2, L = 0.6;

static Crank make_crank(BrMat3 turn, double heavy, double start, double rate) {
    Crank c = {.m = machine_begin(vec(0, 0, 0))};
    BrVec3 y = rotate(&turn, vec(0, -1, 0)), x = rotate(&turn, vec(1, 0, 0));
    c.crank = ball(&c.m, "crank", heavy, rotate(&turn, vec(R / 2, 0, 0)));
    c.rod = ball(&c.m, "rod", 1, rotate(&turn, vec(R + L / 2, 0, 0)));
    c.piston = ball(&c.m, "piston", heavy, rotate(&turn, vec(R + L, 0, 0)));
    c.bob = ball(&c.m, "bob", 1 / heavy, rotate(&turn, vec(R + L, 0, -0.5)));
    BrJointDef def = joint("main", BR_JOINT_REVOLUTE, c.m.ground, c.crank, vec(0, 0, 0), y);
    def.start[0] = start, def.start_rate[0] = rate;
    c.main = machine_add_joint(&c.m, &def);
    machine_joint(&c.m, "pin", BR_JOINT_REVOLUTE, c.crank, c.rod, scale(R, x), y);
    c.wrist = machine_joint(&c.m, "wrist", BR_JOINT_REVOLUTE, c.rod, c.piston, scale(R + L, x), y);
    c.slide = machine_joint(&c.m, "slide", BR_JOINT_PRISMATIC, c.m.ground, c.piston, scale(R + L, x), x);
    def = joint("hang", BR_JOINT_REVOLUTE, c.piston, c.bob, scale(R + L, x), y);
    def.start[0] = -0.5, def.start_rate[0] = 1;
    c.hang = machine_add_joint(&c.m, &def);
    return c;
}

static void read(const Crank *c, BrJointId id, double *q, double *rate) {
    double position[3], velocity[3];
    assert_int_equal(br_joint_position(c->m.model, c->m.state, id, position, velocity), BR_OK);
    *q = position[0], *rate = velocity[0];
}

static void cranks_turn_their_sliders(void **state) {
    (void)state;
    const double angles[] = {0.6, -2.2, 3.5, 7.5}; /* over dead points, and more than a turn */
    const BrMat3 turns[] = {turn_about(vec(0, 0, 1), 0), turn_about(vec(1, -2, 0.5), 1.3)};
    for (int world = 0; world < 2; world++)
        for (double heavy = 1; heavy < 1e7; heavy *= 1000)
            for (int i = 0; i < 4; i++) {
                const double a = angles[i], spin = 3, z = R * sin(a), reach = sqrt(L * L - z * z);
                Crank c = make_crank(turns[world], heavy, a, spin);
                machine_ready(&c.m);
                double q, rate;
                read(&c, c.main, &q, &rate);
                check_near(q, a, 1e-12, "the crank's angle");
                check_near(rate, spin, 1e-11, "its rate");
                read(&c, c.slide, &q, &rate);
                check_near(q, R * cos(a) + reach - R - L, 1e-12, "the slide");
                check_near(rate, -R * sin(a) * spin * (1 + R * cos(a) / reach), 1e-11, "its speed");
                read(&c, c.wrist, &q, &rate);
                check_near(q, asin(z / L), 1e-12, "the rod's angle");
                read(&c, c.hang, &q, &rate);
                check_near(q, -0.5, 1e-12, "the bob's angle"); /* however light it is: it does not lag */
                check_near(rate, 1, 1e-11, "its rate");
                BrVec3 bob = vec(R * cos(a) + reach - 0.5 * sin(0.5), 0, -0.5 * cos(0.5));
                check_place(machine_pose(&c.m, c.bob).position, rotate(&turns[world], bob), 1e-12);
                check_closed(&c.m);
                machine_end(&c.m);
            }
}

/* A parallelogram turns its coupler nowhere: opposite bars stay parallel, on the branch that they stood on. */
static void parallelograms_stay_parallel(void **state) {
    (void)state;
    Machine m = machine_begin(vec(0, 0, 0));
    BrBodyId left = ball(&m, "left", 1, vec(0, 0, 0.5)), right = ball(&m, "right", 30, vec(2, 0, 0.5)),
             top = ball(&m, "top", 0.1, vec(1, 0, 1));
    BrVec3 y = vec(0, 1, 0);
    BrJointDef def = joint("a", BR_JOINT_REVOLUTE, m.ground, left, vec(0, 0, 0), y);
    def.start[0] = 1.3, def.start_rate[0] = -2;
    machine_add_joint(&m, &def);
    machine_joint(&m, "b", BR_JOINT_REVOLUTE, m.ground, right, vec(2, 0, 0), y);
    machine_joint(&m, "c", BR_JOINT_REVOLUTE, left, top, vec(0, 0, 1), y);
    machine_joint(&m, "d", BR_JOINT_REVOLUTE, right, top, vec(2, 0, 1), y);
    machine_ready(&m);
    check_place(machine_pose(&m, top).position, vec(1 + sin(1.3), 0, cos(1.3)), 1e-12);
    check_place(machine_pose(&m, right).position, vec(2 + 0.5 * sin(1.3), 0, 0.5 * cos(1.3)), 1e-12);
    check_place(machine_twist(&m, top).linear, vec(-2 * cos(1.3), 0, 2 * sin(1.3)), 1e-11);
    check_place(machine_twist(&m, top).angular, vec(0, 0, 0), 1e-11);
    machine_end(&m);
}

/* ------------------------------------------------------------------ states */

/* Poses and rates that fit already stay to the bit; what was moved by hand is left there. */
static void starts_are_of_fresh_states(void **state) {
    (void)state;
    BrMat3 straight = turn_about(vec(0, 0, 1), 0);
    Crank c = make_crank(straight, 1, 0.6, 3);
    machine_ready(&c.m);
    uint64_t hash = br_state_hash(c.m.state);
    BrAssembly assembly;
    assert_int_equal(br_state_assemble(c.m.model, c.m.workspace, c.m.state, &assembly, NULL), BR_OK);
    double q, rate;
    read(&c, c.main, &q, &rate);
    check_near(q, 0.6, 1e-12, "the crank's angle");
    assert_true(assembly.moved < 1e-12 && assembly.changed < 1e-11);
    BrState *other = NULL;
    assert_int_equal(br_state_create(c.m.model, &other, NULL), BR_OK);
    assert_int_equal(br_state_assemble(c.m.model, c.m.workspace, other, &assembly, NULL), BR_OK);
    assert_true(br_state_hash(other) == hash);                 /* the same bits every time */
    assert_true(assembly.moved == 0 && assembly.changed == 0); /* a start is no misfit */
    br_state_destroy(c.m.model, other);
    assert_int_equal(br_state_create(c.m.model, &other, NULL), BR_OK);
    BrPose pose = {vec(R + L, 0, -0.5), straight};
    pose.rotation = turn_about(vec(0, 1, 0), 1e-3);
    assert_int_equal(br_body_set_pose(c.m.model, other, c.bob, pose, NULL), BR_OK);
    assert_int_equal(br_state_assemble(c.m.model, c.m.workspace, other, NULL, NULL), BR_OK);
    double position[3], velocity[3];
    assert_int_equal(br_joint_position(c.m.model, other, c.main, position, velocity), BR_OK);
    check_near(position[0], 0, 1e-3, "the crank's angle");
    br_state_destroy(c.m.model, other);
    machine_end(&c.m);
}

/* A pendulum that starts at an angle swings as one that is drawn there: springs and limits read the same coordinate less its zero. */
static void motion_goes_on_from_the_start(void **state) {
    (void)state;
    const double a = 0.7, spin = 1.5;
    double angle[2], tension[2];
    for (int drawn = 0; drawn < 2; drawn++) {
        Machine m = machine_begin(vec(0, 0, -9.81));
        BrBodyDef def = br_default_body_def();
        def.name = "bob", def.mass = 2, def.inertia = diagonal(0.1, 0.1, 0.2);
        def.position = drawn ? vec(-sin(a), 0, -cos(a)) : vec(0, 0, -1);
        def.rotation = turn_about(vec(0, 1, 0), drawn ? a : 0);
        if (drawn) def.angular_velocity = vec(0, spin, 0), def.velocity = cross(def.angular_velocity, def.position);
        BrBodyId bob = machine_add_body(&m, &def);
        BrJointDef hinge = joint("h", BR_JOINT_REVOLUTE, m.ground, bob, vec(0, 0, 0), vec(0, 1, 0));
        if (!drawn) hinge.start[0] = a, hinge.start_rate[0] = spin, hinge.lower[0] = -1.2, hinge.upper[0] = 1.2;
        if (drawn) hinge.lower[0] = -1.2 - a, hinge.upper[0] = 1.2 - a;
        BrJointId id = machine_add_joint(&m, &hinge);
        BrSpringDef spring = br_default_spring_def();
        spring.name = "s", spring.joint = id, spring.stiffness = br_constant(5), spring.free_length = drawn ? -a : 0;
        BrSpringId s;
        assert_int_equal(br_model_add_spring(m.model, &spring, &s, NULL), BR_OK);
        machine_ready(&m);
        BrStepDef step = br_default_step_def();
        step.scheme = BR_SCHEME_MOREAU, step.dt = 1e-3;
        BrError error = {0};
        for (int k = 0; k < 800; k++)
            if (br_step(m.model, m.workspace, m.state, &step, NULL, &error) < 0) fail_msg("%s", error.text);
        double q[3], rate[3], length;
        assert_int_equal(br_joint_position(m.model, m.state, id, q, rate), BR_OK);
        assert_int_equal(br_spring_force(m.model, m.state, s, &length, rate, &tension[drawn]), BR_OK);
        angle[drawn] = q[0] + (drawn ? a : 0);
        machine_end(&m);
    }
    assert_true(fabs(angle[0] - a) > 0.3);
    check_near(angle[0], angle[1], 1e-10, "the angle"); /* rounding, over 800 steps and a stop */
    check_near(tension[0], tension[1], 1e-9, "the spring's torque");
}

/* ------------------------------------------------------------------ refusals */

static const char FRAME[] = "bristle: 1\nbodies:\n  g: {fixed: true}\n  a: {mass: 1, inertia: [1, 1, 1]%s}\n"
                            "  b: {mass: 1, inertia: [1, 1, 1], pose: {position: [1, 0, 0]}}\n%s\n";

static void check_refusal(const char *body, const char *rest, const char *phrase) {
    char text[1500];
    BrScene *scene = NULL;
    BrError error = {0};
    snprintf(text, sizeof text, FRAME, body, rest);
    BrStatus status = br_scene_parse(text, strlen(text), "s.yaml", NULL, &scene, &error);
    if (status == BR_OK) {
        const BrModel *model = br_scene_model(scene);
        BrState *state = NULL;
        BrWorkspace *workspace = NULL;
        assert_int_equal(br_state_create(model, &state, NULL), BR_OK);
        assert_int_equal(br_workspace_create(model, &workspace, NULL), BR_OK);
        status = br_state_assemble(model, workspace, state, NULL, &error);
        br_workspace_destroy(model, workspace);
        br_state_destroy(model, state);
    }
    br_scene_destroy(scene);
    if (status == BR_OK) fail_msg("not refused: %s", text);
    if (!strstr(error.text, phrase)) fail_msg("'%s' does not say '%s'", error.text, phrase);
}

#define HINGE(words) "joints: {h: {revolute: [g, a], at: [0, 0, 0], axis: [0, 0, 1]" words "}}"
#define BARS(words)                                                                                                    \
    "joints:\n  h: {revolute: [g, a], at: [0, 0, 0], axis: [0, 0, 1]" words "}\n"                                      \
    "  i: {revolute: [a, b], at: [0, 1, 0], axis: [0, 0, 1]}\n  k: {revolute: [g, b], at: [2, 1, 0], axis: [0, 0, "    \
    "1]}\n"                                                                                                            \
    "  l: {revolute: [g, a], at: [0, 0, 1], axis: [0, 0, 1]}"

static void impossible_starts_are_refused(void **state) {
    (void)state;
    check_refusal("", HINGE(", start: 100 deg, limits: [-90 deg, 90 deg]"),
                  "joint 'h' starts at angle = 1.74532925 rad, outside");
    check_refusal("", HINGE(", start: 1e300"), "joint 'h' starts at angle = 1e+300 rad");
    check_refusal("", HINGE(", start_rate: 1e12"), "allowed is up to 1000 rad, and a rate of up to 1e+09");
    check_refusal("", HINGE(", start: 1 m"), "start: '1 m' is in m");
    check_refusal("", HINGE(", start: {angle: 1}"), "must be");
    check_refusal("", "joints: {s: {spherical: [g, a], at: [0, 0, 0], start: 1}}",
                  "no coordinate to limit, to rub or to start");
    check_refusal("", "joints: {d: {distance: [g, b], start: 1}}", "none that could start elsewhere");
    check_refusal(
        "",
        "joints: {u: {universal: [g, a], at: [0, 0, 0], axis: [0, 0, 1], axis2: [1, 0, 0], start: {angle2: 200 "
        "deg}}}",
        "within half a turn");
    check_refusal("", HINGE(", start: 1") "\nmotions: {m: {joint: h, position: \"2*t\"}}", "take one of both away");
    check_refusal("", HINGE(", start_rate: 1") "\nmotions: {m: {joint: h, speed: 2}}", "gives a start_rate for");
    check_refusal(", velocity: {linear: [1, 0, 0]}", HINGE(", start_rate: 1"), "body 'a' has a velocity, and joints");
    check_refusal("", BARS(", start: 1"),
                  "joint 'h' cannot start at angle = 1 rad: it stands at a dead point, or the other joints");
    check_refusal("", BARS(", start_rate: 1"), "joint 'h' cannot start with a rate of angle");
}

/* A crank of 1 on a ground of 2, a coupler of 0.8 and a rocker of 1: it turns until these two are straight,
 *     (0.8 + 1)^2 = 1 + 4 - 4 cos a */
static void loops_say_how_far_they_reach(void **state) {
    (void)state;
    const double base = 0.6, most = acos((5 - 1.8 * 1.8) / 4), d = sqrt(5 - 4 * cos(base));
    Machine m = machine_begin(vec(0, 0, 0));
    BrVec3 knee = vec(cos(base), 0, sin(base)), foot = vec(2, 0, 0), y = vec(0, -1, 0);
    double along = (d * d + 1 - 0.64) / (2 * d),
           aside = sqrt(1 - along * along); /* of the rocker's end, from its foot */
    BrVec3 to = scale(1 / d, sub(knee, foot)), up = cross(to, y);
    BrVec3 top = add(foot, add(scale(along, to), scale(aside, up)));
    BrBodyId crank = ball(&m, "crank", 1, scale(0.5, knee)),
             coupler = ball(&m, "coupler", 1, scale(0.5, add(knee, top))),
             rocker = ball(&m, "rocker", 1, scale(0.5, add(top, foot)));
    BrJointDef def = joint("h", BR_JOINT_REVOLUTE, m.ground, crank, vec(0, 0, 0), y);
    def.start[0] = 2;
    machine_add_joint(&m, &def);
    machine_joint(&m, "k", BR_JOINT_REVOLUTE, crank, coupler, knee, y);
    machine_joint(&m, "t", BR_JOINT_REVOLUTE, coupler, rocker, top, y);
    machine_joint(&m, "e", BR_JOINT_REVOLUTE, m.ground, rocker, foot, y);
    BrError error = {0};
    assert_int_equal(assemble(&m, &error), BR_INVALID_MODEL);
    const char *far = strstr(error.text, "close only up to ");
    if (!far || !strstr(error.text, "joint 'h' cannot start at angle = 2 rad")) fail_msg("%s", error.text);
    check_near(atof(far + strlen("close only up to ")), most - base, 1e-3,
               "its reach"); /* a ten-thousandth of the way */
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_read_what_was_said), cmocka_unit_test(chains_close_to_polygons),
        cmocka_unit_test(cranks_turn_their_sliders),      cmocka_unit_test(parallelograms_stay_parallel),
        cmocka_unit_test(starts_are_of_fresh_states),     cmocka_unit_test(motion_goes_on_from_the_start),
        cmocka_unit_test(impossible_starts_are_refused),  cmocka_unit_test(loops_say_how_far_they_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
