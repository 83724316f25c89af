/* test_lasting.c: lasting contacts (joints of the type contact) under the formulation smooth: rows, friction, compliance,
 * lifting off and coming down, against closed forms and independent integration. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "machine.h"

static const double G = 9.81;
static const BrVec3 DOWN = {0, 0, -9.81}, NONE = {0, 0, 0};

/* ------------------------------------------------------------------ scenes */

typedef struct Rub {
    double mu_s, mu_k, stiffness, damping, eta, eta_spin;
} Rub;

static BrLaw make_law(Rub rub) {
    BrLaw law = br_law(BR_LAW_FRICTION, "tracked");
    br_law_set(&law, "mu_s", rub.mu_s), br_law_set(&law, "mu_k", rub.mu_k);
    br_law_set(&law, "stiffness", rub.stiffness), br_law_set(&law, "damping", rub.damping);
    br_law_set(&law, "eta", rub.eta), br_law_set(&law, "eta_spin", rub.eta_spin);
    return law;
}

static BrJointDef describe_contact(BrBodyId a, BrBodyId b, const Rub *rub, double stiffness) {
    BrJointDef def = br_default_joint_def();
    def.name = "touch", def.type = BR_JOINT_CONTACT, def.body_a = a, def.body_b = b, def.stiffness = stiffness;
    if (rub) def.friction.law = make_law(*rub);
    return def;
}

static BrJointId add_contact(Machine *m, BrBodyId a, BrBodyId b, const Rub *rub, double stiffness) {
    BrJointDef def = describe_contact(a, b, rub, stiffness);
    return machine_add_joint(m, &def);
}

static BrLastingContact look(Machine *m, BrJointId id) {
    BrLastingContact contact;
    BrError error;
    if (br_evaluate(m->model, m->workspace, m->state, &error) != BR_OK) fail_msg("%s", error.text);
    assert_int_equal(br_lasting_contact(m->model, m->workspace, m->state, id, &contact), BR_OK);
    return contact;
}

static BrStepDef smooth(BrScheme scheme, double dt) {
    BrStepDef def = machine_step_def(scheme, dt);
    def.formulation = BR_FORMULATION_SMOOTH;
    return def;
}

static void use_smooth(Machine *m) {
    assert_int_equal(br_state_set_formulation(m->state, BR_FORMULATION_SMOOTH), BR_OK);
}

/* A bowl of semi-axes `size` and a ball of radius r that touches it at the point p. */
static BrBodyId add_bowl_and_ball(Machine *m, BrVec3 size, double r, BrVec3 p, BrMaterialId material) {
    BrShapeDef bowl = br_default_shape_def();
    bowl.body = m->ground, bowl.kind = BR_SHAPE_BOWL, bowl.size = size, bowl.material = material;
    machine_add_shape(m, &bowl);
    BrVec3 g = vec(p.x / (size.x * size.x), p.y / (size.y * size.y), p.z / (size.z * size.z));
    return machine_ball(m, "ball", 1, r, sub(p, scale(r / norm(g), g)), material);
}

/* ------------------------------------------------------------------ rolling in an ellipsoid */

/* Pure rolling: c'' = [m r^2 g_t + I r wn (n x n')]/(m r^2 + I) - (c'.n') n, wn' = -n.(n' x c')/r, (1 + r Dn) p' = c',
 * n' = Dn p', c = p + r n, for a ball of radius r; y = p, c', wn. */
typedef struct Rolling {
    BrVec3 size;
    double r, inertia; /* of a ball of 1 kg */
} Rolling;

static BrVec3 find_normal(const Rolling *s, BrVec3 p, double *length) {
    BrVec3 g = vec(p.x / (s->size.x * s->size.x), p.y / (s->size.y * s->size.y), p.z / (s->size.z * s->size.z));
    *length = norm(g);
    return scale(-1 / *length, g);
}

/* Dn x, n = -g/|g| */
static BrVec3 bend(const Rolling *s, BrVec3 p, BrVec3 x) {
    double length;
    BrVec3 n = find_normal(s, p, &length);
    BrVec3 h = vec(x.x / (s->size.x * s->size.x), x.y / (s->size.y * s->size.y), x.z / (s->size.z * s->size.z));
    h = scale(-1 / length, h);
    return sub(h, scale(dot(n, h), n));
}

static void roll(double t, const double *y, double *rate, const void *user) {
    const Rolling *s = user;
    BrVec3 p = vec(y[0], y[1], y[2]), v = vec(y[3], y[4], y[5]), way = v;
    double length, wn = y[6], r = s->r;
    (void)t;
    BrVec3 n = find_normal(s, p, &length);
    for (int k = 0; k < 200; k++) way = sub(v, scale(r, bend(s, p, way))); /* (1 + r Dn) p' = c': r Dn is below 1/3 */
    BrVec3 turn = bend(s, p, way), g_t = sub(DOWN, scale(dot(DOWN, n), n));
    BrVec3 a = scale(1 / (r * r + s->inertia), add(scale(r * r, g_t), scale(s->inertia * r * wn, cross(n, turn))));
    a = sub(a, scale(dot(v, turn), n));
    const BrVec3 parts[] = {way, a};
    memcpy(rate, parts, sizeof parts);
    rate[6] = -dot(n, cross(turn, v)) / r;
}

static double find_rolling_error(BrScheme scheme, double dt, double until) {
    const Rub RUB = {0.5, 0.4, 1e5, 200, 0, 0};
    const Rolling s = {{4, 3, 2}, 0.5, 0.1};
    BrVec3 p = vec(1.5, 1, -2 * sqrt(1 - 1.5 * 1.5 / 16 - 1. / 9));
    double y[7] = {p.x, p.y, p.z}, length;
    integrate(roll, &s, 7, 0, until, 3000, y);
    BrVec3 end = vec(y[0], y[1], y[2]), truth = add(end, scale(s.r, find_normal(&s, end, &length)));
    Machine m = machine_begin(DOWN);
    BrBodyId ball = add_bowl_and_ball(&m, s.size, s.r, p, machine_material(&m, "wood", 0.5, 0));
    BrJointId touch = add_contact(&m, m.ground, ball, &RUB, 0);
    machine_ready(&m);
    BrStepDef def = smooth(scheme, dt);
    machine_steps(&m, &def, (int)lround(until / dt));
    double error = norm(sub(machine_pose(&m, ball).position, truth));
    assert_true(look(&m, touch).violation < 1e-13);
    machine_end(&m);
    return error;
}

static void balls_roll_in_ellipsoids(void **unused) {
    (void)unused;
    double coarse = find_rolling_error(BR_SCHEME_HALF_IMPLICIT, 1e-3, 3),
           fine = find_rolling_error(BR_SCHEME_HALF_IMPLICIT, 5e-4, 3);
    assert_true(coarse < 1e-3);
    assert_between(observed_order(coarse, fine), 0.95, 1.05);
    assert_true(find_rolling_error(BR_SCHEME_BDF2, 1e-3, 3) < 1e-3);
}

/* ------------------------------------------------------------------ every surface */

static double saddle(void *user, BrVec3 p, BrVec3 *gradient, BrMat3 *hessian) {
    (void)user;
    *gradient = vec(-0.5 * p.x, -0.25 * p.y, 1);
    *hessian = diagonal(-0.5, -0.25, 0);
    return p.z - 0.25 * p.x * p.x - 0.125 * p.y * p.y;
}

enum { WALLS = 11, PROFILE = 40 };

/* A wall whose lowest place, or highest, is near the origin, and of which z is upwards there. */
static BrShapeDef describe_wall(int kind, BrBodyId body, BrMaterialId material, double *points) {
    BrShapeDef def = br_default_shape_def();
    def.body = body, def.material = material, def.points = points, def.point_count = PROFILE, def.function = saddle;
    const BrMat3 along_y = turn_about(vec(1, 0, 0), PI / 2);
    switch (kind) {
    case 0: def.kind = BR_SHAPE_PLANE; break;
    case 1: def.kind = BR_SHAPE_SPHERE, def.radius = 2, def.position_body.z = -2; break;
    case 2: def.kind = BR_SHAPE_ELLIPSOID, def.size = vec(3, 2, 2), def.position_body.z = -2; break;
    case 3: def.kind = BR_SHAPE_CYLINDER, def.radius = 2, def.length = 9, def.position_body.z = -2; break;
    case 4: def.kind = BR_SHAPE_TUBE, def.radius = 2, def.length = 9, def.position_body.z = 2; break;
    case 5: def.kind = BR_SHAPE_BOWL, def.size = vec(3, 2, 2), def.position_body.z = 2; break;
    case 6: def.kind = BR_SHAPE_TORUS, def.ring_radius = 3, def.radius = 1, def.position_body = vec(3, 0, -1); break;
    case 7: def.kind = BR_SHAPE_GROOVE, def.ring_radius = 3, def.radius = 1, def.position_body = vec(3, 0, 1); break;
    case 8:
        def.kind = BR_SHAPE_QUADRIC;
        def.quadric[0] = -0.25, def.quadric[1] = -0.125, def.quadric[8] = 1;
        break;
    case 9: def.kind = BR_SHAPE_FUNCTION; break;
    default: /* a round profile turned: the same ring as the torus, its upper half */
        def.kind = BR_SHAPE_REVOLUTION, def.position_body = vec(3, 0, -1);
        for (int i = 0; i < PROFILE; i++) {
            double t = PI - PI * i / (PROFILE - 1);
            points[2 * i] = 3 + cos(t), points[2 * i + 1] = sin(t);
        }
    }
    if (kind == 3 || kind == 4) def.rotation_body = along_y;
    return def;
}

static Machine make_slide(int kind, bool egg, BrBodyId *body) {
    double points[2 * PROFILE] = {0};
    Machine m = machine_begin(DOWN);
    BrMaterialId ice = machine_material(&m, "ice", 0, 0);
    BrShapeDef wall = describe_wall(kind, m.ground, ice, points), round = br_default_shape_def();
    machine_add_shape(&m, &wall);
    round.kind = egg ? BR_SHAPE_ELLIPSOID : BR_SHAPE_SPHERE, round.radius = 0.2, round.size = vec(0.2, 0.3, 0.2);
    round.material = ice;
    *body = round.body = machine_body(&m, "body", 1, diagonal(0.03, 0.02, 0.03), vec(0, 0, 0.2));
    machine_add_shape(&m, &round);
    add_contact(&m, m.ground, *body, NULL, 0);
    machine_ready(&m);
    machine_set_twist(&m, *body, vec(0.3, 0.2, 0), vec(0.5, -0.4, 0.3));
    return m;
}

/* Sliding without friction over each kind of wall: where event-driven motion goes, to the scheme's order. */
static void every_wall_is_followed(void **unused) {
    (void)unused;
    const double UNTIL = 0.25;
    for (int kind = 0; kind < WALLS; kind++)
        for (int egg = 0; egg < 2; egg++) {
            BrBodyId body, twin;
            Machine truth = make_slide(kind, egg, &twin);
            BrStepDef exact = machine_event_def(UNTIL);
            machine_steps(&truth, &exact, 1);
            double error[2][2];
            for (int s = 0; s < 2; s++)
                for (int n = 0; n < 2; n++) {
                    Machine m = make_slide(kind, egg, &body);
                    double dt = (n ? 0.5 : 1) * (s ? 5e-3 : 1e-3);
                    BrStepDef def = smooth(s ? BR_SCHEME_BDF2 : BR_SCHEME_HALF_IMPLICIT, dt);
                    machine_steps(&m, &def, (int)lround(UNTIL / dt));
                    error[s][n] = norm(sub(machine_pose(&m, body).position, machine_pose(&truth, twin).position));
                    machine_end(&m);
                }
            machine_end(&truth);
            if (!(error[0][1] < 3e-4) || !(error[1][1] < 5e-5))
                fail_msg("wall %d, egg %d: off by %.3g and %.3g m", kind, egg, error[0][1], error[1][1]);
            if (error[0][0] > 1e-6) assert_between(observed_order(error[0][0], error[0][1]), 0.9, 1.1);
            /* splines have jumps in their third derivative */
            if (error[1][0] > 1e-7 && kind < WALLS - 1)
                assert_between(observed_order(error[1][0], error[1][1]), 1.7, 2.3);
        }
}

/* The same in a world that is turned and shifted. */
static void turned_worlds_do_the_same(void **unused) {
    (void)unused;
    const Rub RUB = {0.3, 0.2, 1e4, 50, 0.05, 0.1};
    BrMat3 turn = turn_about(vec(1, 2, -0.5), 1.1);
    BrVec3 ends[2];
    for (int n = 0; n < 2; n++) {
        BrMat3 A = n ? turn : diagonal(1, 1, 1);
        BrVec3 shift = n ? vec(3, -2, 1) : NONE;
        Machine m = machine_begin(rotate(&A, DOWN));
        BrMaterialId wood = machine_material(&m, "wood", 0.3, 0);
        BrShapeDef bowl = br_default_shape_def();
        bowl.body = m.ground, bowl.kind = BR_SHAPE_BOWL, bowl.size = vec(4, 3, 2), bowl.material = wood;
        bowl.rotation_body = A, bowl.position_body = shift;
        machine_add_shape(&m, &bowl);
        BrBodyId ball = machine_ball(&m, "ball", 1, 0.5, add(shift, rotate(&A, vec(0, 0, -1.5))), wood);
        add_contact(&m, ball, m.ground, &RUB, 0); /* the wall is the second body */
        machine_ready(&m);
        machine_set_twist(&m, ball, rotate(&A, vec(1, 0.7, 0)), rotate(&A, vec(0, 0, 3)));
        BrStepDef def = smooth(BR_SCHEME_HALF_IMPLICIT, 1e-3);
        machine_steps(&m, &def, 1000);
        ends[n] = rotate_back(&A, sub(machine_pose(&m, ball).position, shift));
        machine_end(&m);
    }
    assert_vec_near(ends[0], ends[1], 1e-10);
}

/* ------------------------------------------------------------------ friction */

static Machine make_ball_on_floor(const Rub *rub, double stiffness, BrBodyId *ball, BrJointId *touch) {
    Machine m = machine_begin(DOWN);
    BrMaterialId felt = machine_material(&m, "felt", 0.3, 0);
    machine_floor(&m, felt);
    *ball = machine_ball(&m, "ball", 2, 0.1, vec(0, 0, 0.1), felt);
    *touch = add_contact(&m, m.ground, *ball, rub, stiffness);
    machine_ready(&m);
    return m;
}

/* Thrown without spin it slides for 2 v/(7 mu g), then rolls with 5/7 of its speed. */
static void balls_slide_then_roll(void **unused) {
    (void)unused;
    const Rub RUB = {0.3, 0.3, 1e6, 100, 0, 0};
    const double V = 2, ROLLS = 2 * V / (7 * 0.3 * G);
    BrBodyId ball;
    BrJointId touch;
    Machine m = make_ball_on_floor(&RUB, 0, &ball, &touch);
    machine_set_twist(&m, ball, vec(V, 0, 0), NONE);
    BrStepDef def = smooth(BR_SCHEME_HALF_IMPLICIT, 1e-4);
    double sticks = 0;
    for (int k = 0; k < 5000; k++) {
        BrStepReport report = machine_steps(&m, &def, 1);
        for (int e = 0; e < report.events && sticks == 0; e++)
            if (report.event[e].kind == BR_EVENT_STICK && report.event[e].joint.index1 == touch.index1)
                sticks = report.event[e].time;
    }
    assert_near(sticks, ROLLS, 2e-4); /* two steps */
    assert_near(machine_twist(&m, ball).linear.x, 5. / 7 * V, 1e-3 * V);
    BrLastingContact contact = look(&m, touch);
    assert_int_equal(contact.mode, BR_CONTACT_ROLLING);
    assert_near(contact.normal_force, 2 * G, 1e-9);
    assert_near(norm(contact.slip), 0, 1e-3);
    /* books: heat is what is gone, 2/7 of the energy */
    BrEnergy energy = machine_energy(&m);
    assert_near(contact.heat, 2. / 7 * 0.5 * 2 * V * V, 1e-3);
    assert_near(energy.dissipated, contact.heat, 1e-12);
    assert_near(energy.defect, 0, 2e-3);
    machine_end(&m);
}

/* Rolling and spinning resistance: torques 2 eta mu R N and eta_s mu R N, until it rests, and then it rests. */
static void resistance_stops_rolling_and_spinning(void **unused) {
    (void)unused;
    const Rub RUB = {0.3, 0.3, 1e5, 200, 0.05, 0.4};
    const double V = 0.5, R = 0.1, SLOWS = 5. / 7 * 2 * 0.05 * 0.3 * G; /* m/s^2 */
    BrBodyId ball;
    BrJointId touch;
    Machine m = make_ball_on_floor(&RUB, 0, &ball, &touch);
    machine_set_twist(&m, ball, vec(V, 0, 0), vec(0, V / R, 0));
    BrStepDef def = smooth(BR_SCHEME_HALF_IMPLICIT, 2e-4);
    machine_steps(&m, &def, 500);
    assert_near(machine_twist(&m, ball).linear.x, V - 0.1 * SLOWS, 1e-3);
    machine_steps(&m, &def, (int)((V / SLOWS + 4) / 2e-4));
    BrVec3 rest = machine_pose(&m, ball).position;
    assert_near(rest.x, V * V / (2 * SLOWS), 2e-3);
    machine_steps(&m, &def, 5000);
    assert_vec_near(machine_pose(&m, ball).position, rest, 1e-12);
    machine_set_twist(&m, ball, NONE, vec(0, 0, 20));
    const double BRAKES = 0.4 * 0.3 * R * G / (0.4 * R * R); /* rad/s^2 */
    machine_steps(&m, &def, 500);
    assert_near(machine_twist(&m, ball).angular.z, 20 - 0.1 * BRAKES, 1e-2);
    machine_steps(&m, &def, (int)(20 / BRAKES / 2e-4) + 2500);
    assert_near(norm(machine_twist(&m, ball).angular), 0, 1e-9);
    machine_end(&m);
}

/* On a slope it sticks below mu_s and slides above, with mu_k: for bodies that cannot roll. */
static void slopes_hold_and_let_go(void **unused) {
    (void)unused;
    const Rub RUB = {0.5, 0.3, 1e5, 900, 0, 0}; /* critical */
    for (int above = 0; above < 2; above++) {
        double slope = 0.5 * (above ? 1.01 : 0.7), angle = atan(slope);
        Machine m = machine_begin(vec(G * sin(angle), 0, -G * cos(angle)));
        BrMaterialId felt = machine_material(&m, "felt", 0.5, 0);
        machine_floor(&m, felt);
        BrBodyId ball = machine_ball(&m, "ball", 2, 0.1, vec(0, 0, 0.1), felt);
        add_contact(&m, m.ground, ball, &RUB, 0);
        /* it cannot turn, and moves along x and z */
        BrBodyId slide = machine_body(&m, "slide", 1e-6, diagonal(1e-6, 1e-6, 1e-6), vec(0, 0, 0.1));
        machine_joint(&m, "along", BR_JOINT_PRISMATIC, m.ground, slide, vec(0, 0, 0.1), vec(1, 0, 0));
        machine_joint(&m, "up", BR_JOINT_PRISMATIC, slide, ball, vec(0, 0, 0.1), vec(0, 0, 1));
        machine_ready(&m);
        BrStepDef def = smooth(BR_SCHEME_HALF_IMPLICIT, 1e-4);
        machine_steps(&m, &def, 20000);
        double x = machine_pose(&m, ball).position.x, a = G * (sin(angle) - 0.3 * cos(angle));
        if (above) /* it lets go within the time that the spring takes */
            assert_between(x, 0.8 * 0.5 * a * 4, 1.001 * 0.5 * a * 4);
        else
            assert_near(x, 2 * G * sin(angle) / 1e5, 1e-9); /* what the spring yields */
        machine_end(&m);
    }
}

/* Two free bodies: what one loses the other gains. */
static void free_bodies_keep_their_momenta(void **unused) {
    (void)unused;
    const Rub RUB = {0.3, 0.2, 1e4, 20, 0.1, 0.1};
    Machine m = machine_begin(NONE);
    BrMaterialId wood = machine_material(&m, "wood", 0.3, 0);
    BrShapeDef bowl = br_default_shape_def();
    bowl.body = machine_body(&m, "bowl", 5, diagonal(8, 9, 7), NONE);
    bowl.kind = BR_SHAPE_BOWL, bowl.size = vec(2, 1.5, 1), bowl.material = wood;
    machine_add_shape(&m, &bowl);
    BrBodyId ball = machine_ball(&m, "ball", 1, 0.3, vec(0, 0, -0.7), wood);
    add_contact(&m, bowl.body, ball, &RUB, 0);
    machine_ready(&m);
    machine_set_twist(&m, bowl.body, vec(0.1, 0, 0), vec(0.3, -0.2, 0.1));
    machine_set_twist(&m, ball, vec(1, 0.5, 0.2), vec(0, 2, 5));
    BrVec3 before = machine_momentum(&m), turn = machine_angular_momentum(&m);
    BrStepDef def = smooth(BR_SCHEME_HALF_IMPLICIT, 1e-3);
    machine_steps(&m, &def, 2000);
    assert_vec_near(machine_momentum(&m), before, 1e-11);
    assert_vec_near(machine_angular_momentum(&m), turn,
                    2e-2 * norm(turn)); /* order 1: directions are those of the start */
    machine_end(&m);
}

/* ------------------------------------------------------------------ lifting off */

/* A ball that slides off a sphere without friction leaves it at cos(angle) = 2/3, one that rolls at 10/17, and falls on. */
static void balls_leave_spheres_where_they_should(void **unused) {
    (void)unused;
    const Rub RUB = {20, 20, 1e6, 400, 0, 0};
    const double BIG = 1, R = 0.1, START = 0.05, L = BIG + R;
    for (int rolls = 0; rolls < 2; rolls++)
        for (int s = 0; s < 2; s++) {
            Machine m = machine_begin(DOWN);
            BrMaterialId wood = machine_material(&m, "wood", 1, 0);
            machine_sphere(&m, m.ground, BIG, wood);
            BrBodyId ball = machine_ball(&m, "ball", 1, R, vec(L * sin(START), 0, L * cos(START)), wood);
            BrJointId touch = add_contact(&m, m.ground, ball, rolls ? &RUB : NULL, 0);
            machine_ready(&m);
            BrStepDef def = smooth(s ? BR_SCHEME_BDF2 : BR_SCHEME_HALF_IMPLICIT, 2e-4);
            BrStepReport report = {0};
            int k = 0;
            for (bool left = false; k < 20000 && !left; k++) {
                report = machine_steps(&m, &def, 1);
                for (int e = 0; e < report.events; e++) left = left || report.event[e].kind == BR_EVENT_SEPARATION;
            }
            BrVec3 p = machine_pose(&m, ball).position, v = machine_twist(&m, ball).linear;
            double leaves = (rolls ? 10. / 17 : 2. / 3) * cos(START); /* from rest there */
            assert_near(p.z / norm(p), leaves, 3e-3);
            assert_int_equal(look(&m, touch).mode, BR_CONTACT_OPEN);
            machine_steps(&m, &def, 500); /* a parabola */
            BrVec3 then = add(p, add(scale(0.1, v), scale(0.5 * 0.01, DOWN)));
            assert_vec_near(machine_pose(&m, ball).position, then, 2e-4);
            assert_true(look(&m, touch).gap > 0);
            assert_true(norm(look(&m, touch).friction_force) == 0);
            machine_end(&m);
        }
}

/* One that falls from a table's height on a floor that is a lasting contact too stays there: no bounce, no overlap. */
static void what_comes_down_is_held_again(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        BrBodyId ball;
        BrJointId touch;
        Machine m = make_ball_on_floor(NULL, 0, &ball, &touch);
        BrStepDef def = smooth(s ? BR_SCHEME_BDF2 : BR_SCHEME_HALF_IMPLICIT, 1e-3);
        machine_steps(&m, &def, 10);
        machine_set_twist(&m, ball, vec(1, 0, 2), NONE);
        int touches = 0;
        for (int k = 0; k < 1000; k++) {
            BrStepReport report = machine_steps(&m, &def, 1);
            for (int e = 0; e < report.events; e++)
                if (report.event[e].kind == BR_EVENT_TOUCH) touches++;
            assert_true(machine_pose(&m, ball).position.z > 0.1 - 1e-12);
            if (k == 200)
                assert_near(machine_pose(&m, ball).position.z, 0.1 + 2 * 0.201 - 0.5 * G * 0.201 * 0.201, 3e-3);
        }
        assert_int_equal(touches, 1);
        assert_near(machine_twist(&m, ball).linear.z, 0, 1e-9);
        assert_near(look(&m, touch).normal_force, 2 * G, 1e-9);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ compliance */

/* At rest the depth is (m g/K)^(2/3), whatever the scheme; pressed harder it goes with the power 2/3. */
static void surfaces_yield_as_hertz_says(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++)
        for (int n = 0; n < 3; n++) {
            const double K = pow(10, 6 + 2 * n);
            BrBodyId ball;
            BrJointId touch;
            Machine m = make_ball_on_floor(NULL, K, &ball, &touch);
            BrStepDef def = smooth(s ? BR_SCHEME_BDF2 : BR_SCHEME_HALF_IMPLICIT, 1e-3);
            double depth = pow(2 * G / K, 2. / 3);
            if (s == 1 && n == 0) { /* bdf2 keeps what swings slowly: down to where m g d = 0.4 K d^2.5, and back */
                double deepest = 0;
                for (int k = 0; k < 100; k++) {
                    machine_steps(&m, &def, 1);
                    deepest = fmax(deepest, 0.1 - machine_pose(&m, ball).position.z);
                }
                assert_near(deepest, pow(2.5, 2. / 3) * depth, 0.05 * depth);
                machine_end(&m);
                continue;
            }
            machine_steps(&m, &def, 3000);
            assert_near(0.1 - machine_pose(&m, ball).position.z, depth, 1e-4 * depth);
            BrLastingContact contact = look(&m, touch);
            assert_near(contact.normal_force, 2 * G, 1e-3);
            assert_near(-contact.gap, depth, 1e-4 * depth);
            machine_end(&m);
        }
}

/* ------------------------------------------------------------------ books, and fast turns */

/* A belt brings a ball to its speed: 2/7 of it; it puts in twice what the ball has, and what is left is heat. */
static void belts_put_work_in(void **unused) {
    (void)unused;
    const Rub RUB = {0.3, 0.3, 1e5, 200, 0, 0};
    Machine m = machine_begin(DOWN);
    BrMaterialId felt = machine_material(&m, "felt", 0.3, 0);
    BrBodyDef belt = br_default_body_def();
    BrMotionDef motion = br_default_motion_def();
    BrShapeDef plane = br_default_shape_def();
    belt.name = "belt", belt.kind = BR_BODY_KINEMATIC;
    plane.body = motion.body = machine_add_body(&m, &belt), plane.kind = BR_SHAPE_PLANE, plane.material = felt;
    motion.name = "runs", motion.by_velocity = true, motion.linear[0] = br_constant(1);
    assert_int_equal(br_model_add_motion(m.model, &motion, NULL, NULL), BR_OK);
    machine_add_shape(&m, &plane);
    BrBodyId ball = machine_ball(&m, "ball", 1, 0.1, vec(0, 0, 0.1), felt);
    add_contact(&m, plane.body, ball, &RUB, 0);
    machine_ready(&m);
    BrStepDef def = smooth(BR_SCHEME_HALF_IMPLICIT, 2e-4);
    machine_steps(&m, &def, 2500);
    BrEnergy energy = machine_energy(&m);
    assert_near(machine_twist(&m, ball).linear.x, 2. / 7, 1e-3);
    assert_near(energy.work, 2. / 7, 1e-3);
    assert_near(energy.dissipated, 1. / 7, 1e-3);
    assert_near(energy.defect, 0, 1e-3);
    machine_end(&m);
}

/* What lands without a bounce loses what it came with, and the books say so. */
static void landings_are_booked(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        BrBodyId ball;
        BrJointId touch;
        Machine m = make_ball_on_floor(NULL, 0, &ball, &touch);
        BrStepDef def = smooth(s ? BR_SCHEME_BDF2 : BR_SCHEME_HALF_IMPLICIT, 2e-4);
        machine_steps(&m, &def, 1);
        machine_set_twist(&m, ball, vec(0, 0, 3), NONE);
        BrEnergy before = machine_energy(&m);
        machine_steps(&m, &def, 5000);
        BrEnergy after = machine_energy(&m);
        assert_near(after.dissipated - before.dissipated, 0.5 * 2 * 9, 0.02);
        assert_near(after.defect - before.defect, 0, 0.02);
        machine_end(&m);
    }
}

/* A ball of a millimetre turns by a radian in a step: it rolls on all the same. */
static void small_balls_roll_far_in_a_step(void **unused) {
    (void)unused;
    const Rub RUB = {0.3, 0.3, 1, 1e-3, 0, 0};
    const double R = 1e-3;
    Machine m = machine_begin(DOWN);
    BrMaterialId felt = machine_material(&m, "felt", 0.3, 0);
    machine_floor(&m, felt);
    BrBodyId ball = machine_ball(&m, "ball", 4e-6, R, vec(0, 0, R), felt);
    add_contact(&m, m.ground, ball, &RUB, 0);
    machine_ready(&m);
    machine_set_twist(&m, ball, vec(1, 0, 0), vec(0, 1 / R, 0));
    BrStepDef def = smooth(BR_SCHEME_HALF_IMPLICIT, 1e-3);
    machine_steps(&m, &def, 500);
    assert_near(machine_twist(&m, ball).linear.x, 1, 1e-9);
    machine_end(&m);
}

/* ------------------------------------------------------------------ states */

/* A state says all: a copy goes on to the same bits; other formulations see shapes that meet, and back again. */
static void states_go_on_to_the_same_bits(void **unused) {
    (void)unused;
    const Rub RUB = {0.5, 0.4, 1e5, 200, 0.05, 0};
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(DOWN);
        BrBodyId ball =
            add_bowl_and_ball(&m, vec(3, 3, 3), 0.5, vec(1, 0, -sqrt(8)), machine_material(&m, "wood", 0.5, 0));
        BrJointId touch = add_contact(&m, m.ground, ball, &RUB, 0);
        machine_ready(&m);
        BrStepDef def = smooth(s ? BR_SCHEME_BDF2 : BR_SCHEME_HALF_IMPLICIT, 1e-3),
                  hem2 = machine_step_def(BR_SCHEME_HEM2, 1e-3);
        BrState *copy;
        BrError error;
        machine_steps(&m, &def, 300);
        assert_int_equal(br_state_create(m.model, &copy, &error), BR_OK);
        assert_int_equal(br_state_restore(copy, br_state_bytes(m.state), br_state_size(m.state), &error), BR_OK);
        machine_steps(&m, &def, 300);
        uint64_t wanted = br_state_hash(m.state);
        BrState *kept = m.state;
        m.state = copy;
        machine_steps(&m, &def, 300);
        assert_true(br_state_hash(m.state) == wanted);
        machine_steps(&m, &hem2, 50);
        BrLastingContact contact;
        assert_int_equal(br_evaluate(m.model, m.workspace, m.state, &error), BR_OK);
        assert_int_equal(br_lasting_contact(m.model, m.workspace, m.state, touch, &contact), BR_OK);
        assert_int_equal(contact.mode, BR_CONTACT_OPEN);
        assert_int_equal(machine_contact_count(&m), 1);
        machine_steps(&m, &def, 50);
        assert_int_equal(look(&m, touch).mode, BR_CONTACT_ROLLING);
        assert_near(norm(machine_pose(&m, ball).position), 2.5, 1e-9);
        br_state_destroy(m.model, kept);
        machine_end(&m);
    }
}

/* Before the first step it can be read, and tells the force at rest. */
static void contacts_can_be_read_at_once(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrBodyId ball = add_bowl_and_ball(&m, vec(3, 3, 3), 0.5, vec(3 * sin(0.3), 0, -3 * cos(0.3)),
                                      machine_material(&m, "wood", 0.5, 0));
    BrJointId touch = add_contact(&m, m.ground, ball, NULL, 0);
    machine_ready(&m);
    use_smooth(&m);
    BrLastingContact contact = look(&m, touch);
    assert_near(contact.normal_force, G * cos(0.3), 1e-12);
    assert_vec_near(contact.point, vec(3 * sin(0.3), 0, -3 * cos(0.3)), 1e-12);
    assert_vec_near(contact.normal, vec(-sin(0.3), 0, cos(0.3)), 1e-12);
    machine_end(&m);
}

/* ------------------------------------------------------------------ refusals */

static void refuse_model(Machine *m, const char *says) {
    BrError error;
    BrStatus status = br_model_build(m->model, &error);
    assert_true(status < 0);
    if (!strstr(error.text, says)) fail_msg("'%s' does not say '%s'", error.text, says);
    br_model_destroy(m->model);
}

static void refuse_step(Machine *m, const BrStepDef *def, const char *says) {
    BrError error;
    BrStatus status = br_step(m->model, m->workspace, m->state, def, NULL, &error);
    assert_true(status < 0);
    if (!strstr(error.text, says)) fail_msg("'%s' does not say '%s'", error.text, says);
    machine_end(m);
}

static void senseless_contacts_are_refused(void **unused) {
    (void)unused;
    const Rub RUB = {0.5, 0.4, 1e6, 2000, 0, 0};
    BrBodyId ball;
    BrJointId touch;
    BrStepDef def = smooth(BR_SCHEME_HALF_IMPLICIT, 1e-3);
    { /* apart, and overlapping */
        for (int n = 0; n < 2; n++) {
            Machine m = machine_begin(DOWN);
            BrMaterialId felt = machine_material(&m, "felt", 0.3, 0);
            machine_floor(&m, felt);
            ball = machine_ball(&m, "ball", 2, 0.1, vec(0, 0, n ? 0.09 : 0.12), felt);
            add_contact(&m, m.ground, ball, NULL, 0);
            machine_ready(&m);
            refuse_step(&m, &def, n ? "overlap by 0.01 m; move 'ball' by" : "are apart by 0.02 m; move 'ball' by");
        }
    }
    { /* no shape, and shapes that make none */
        Machine m = machine_begin(DOWN);
        ball = machine_body(&m, "ball", 1, diagonal(1, 1, 1), NONE);
        add_contact(&m, m.ground, ball, NULL, 0);
        refuse_model(&m, "body 'ground' has no shape 0");
        m = machine_begin(DOWN);
        BrMaterialId felt = machine_material(&m, "felt", 0.3, 0);
        machine_floor(&m, felt);
        BrBodyId box = machine_block(&m, "box", 1, vec(1, 1, 1), vec(0, 0, 0.5), felt);
        add_contact(&m, m.ground, box, NULL, 0);
        refuse_model(&m, "a plane of 'ground' and a box of 'box' make no lasting contact");
    }
    { /* a ball in a bowl of its own radius */
        Machine m = machine_begin(DOWN);
        ball = add_bowl_and_ball(&m, vec(1, 1, 1), 1, vec(0, 0, -1), machine_material(&m, "felt", 0.3, 0));
        add_contact(&m, m.ground, ball, NULL, 0);
        refuse_model(&m, "bend alike where they meet");
    }
    { /* where a gradient vanishes: the tip of a cone */
        Machine m = machine_begin(DOWN);
        BrMaterialId felt = machine_material(&m, "felt", 0.3, 0);
        BrShapeDef cone = br_default_shape_def();
        cone.body = m.ground, cone.kind = BR_SHAPE_QUADRIC, cone.material = felt;
        cone.quadric[0] = cone.quadric[1] = -1, cone.quadric[2] = 1;
        machine_add_shape(&m, &cone);
        ball = machine_ball(&m, "ball", 2, 0.1, NONE, felt);
        add_contact(&m, m.ground, ball, NULL, 0);
        refuse_model(&m, "its gradient vanishes");
    }
    { /* a step beyond what the friction's spring and damper allow */
        Machine m = make_ball_on_floor(&RUB, 0, &ball, &touch);
        refuse_step(&m, &def, "are stable for dt below");
    }
    { /* what meets without a lasting contact */
        Machine m = machine_begin(DOWN);
        BrMaterialId felt = machine_material(&m, "felt", 0.3, 0);
        machine_floor(&m, felt);
        ball = machine_ball(&m, "ball", 2, 0.1, vec(0, 0, 0.1), felt);
        machine_ball(&m, "other", 2, 0.1, vec(0.19, 0, 0.1), felt);
        add_contact(&m, m.ground, ball, NULL, 0);
        machine_ready(&m);
        refuse_step(&m, &def, "'ball' and 'other' meet, and smooth follows lasting contacts only");
    }
    { /* laws and words of others */
        Machine m = machine_begin(DOWN);
        ball = machine_body(&m, "ball", 1, diagonal(1, 1, 1), NONE);
        BrJointDef contact = describe_contact(m.ground, ball, &RUB, 0);
        BrError error;
        contact.friction.pin_radius = 1;
        assert_int_equal(br_model_add_joint(m.model, &contact, NULL, &error), BR_INVALID_ARGUMENT);
        assert_non_null(strstr(error.text, "pin_radius is given, which a contact has not"));
        contact = describe_contact(m.ground, ball, NULL, -1);
        assert_int_equal(br_model_add_joint(m.model, &contact, NULL, &error), BR_INVALID_ARGUMENT);
        contact = describe_contact(m.ground, ball, NULL, 0);
        contact.friction.law = br_law(BR_LAW_FRICTION, "coulomb");
        assert_int_equal(br_model_add_joint(m.model, &contact, NULL, &error), BR_INVALID_ARGUMENT);
        assert_non_null(strstr(error.text, "does not act in lasting contacts; take tracked"));
        contact.type = BR_JOINT_SPHERICAL;
        contact.friction.law = make_law(RUB), contact.friction.ball_radius = 1;
        assert_int_equal(br_model_add_joint(m.model, &contact, NULL, &error), BR_INVALID_ARGUMENT);
        assert_non_null(strstr(error.text, "does not act in bearings"));
        br_model_destroy(m.model);
    }
}

/* At 0.9 of the step that is told friction holds still, at 1.3 it would not. */
static void told_steps_are_stable(void **unused) {
    (void)unused;
    const Rub RUB = {0.5, 0.4, 1e5, 50, 0, 0};
    const double W = 3.5 / 2, w2 = W * 1e5, c = W * 50, LONGEST = (sqrt(c * c + 4 * w2) - c) / w2;
    BrBodyId ball;
    BrJointId touch;
    BrStepDef def = smooth(BR_SCHEME_HALF_IMPLICIT, 0.9 * LONGEST);
    Machine m = make_ball_on_floor(&RUB, 0, &ball, &touch);
    machine_steps(&m, &def, 10);
    machine_set_twist(&m, ball, vec(1e-6, 0, 0), NONE);
    machine_steps(&m, &def, 2000);
    assert_near(norm(look(&m, touch).slip), 0, 1e-9);
    def.dt = 1.001 * LONGEST;
    assert_int_equal(br_step_fits(m.model, &def, NULL), BR_UNSUPPORTED);
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_roll_in_ellipsoids),
        cmocka_unit_test(every_wall_is_followed),
        cmocka_unit_test(turned_worlds_do_the_same),
        cmocka_unit_test(balls_slide_then_roll),
        cmocka_unit_test(resistance_stops_rolling_and_spinning),
        cmocka_unit_test(slopes_hold_and_let_go),
        cmocka_unit_test(free_bodies_keep_their_momenta),
        cmocka_unit_test(balls_leave_spheres_where_they_should),
        cmocka_unit_test(what_comes_down_is_held_again),
        cmocka_unit_test(surfaces_yield_as_hertz_says),
        cmocka_unit_test(belts_put_work_in),
        cmocka_unit_test(landings_are_booked),
        cmocka_unit_test(small_balls_roll_far_in_a_step),
        cmocka_unit_test(states_go_on_to_the_same_bits),
        cmocka_unit_test(contacts_can_be_read_at_once),
        cmocka_unit_test(senseless_contacts_are_refused),
        cmocka_unit_test(told_steps_are_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
