/* test_diagnose.c: what br_state_diagnose() says of machines: how many answers rigid contact has, which are stable, and
 * from which friction on; the same in any orientation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"

static const BrVec3 NONE = {0, 0, 0}, X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

enum { ISLANDS = 4 };

typedef struct Told {
    int islands;
    BrDiagnosis last; /* without its answers */
    BrAnswerContact first[ISLANDS];
    BrAnswerContact contacts[4]; /* of the first answer */
} Told;

static void note(void *user, const BrDiagnosis *d) {
    Told *told = user;
    assert_true(strlen(d->text) > 20 && strlen(d->text) < sizeof d->text - 1);
    assert_true((unsigned)d->verdict < BR_DIAGNOSES && (unsigned)d->proof < BR_PROOFS);
    for (int i = 0; i < d->told; i++) {
        const BrAnswerContact *c = d->answer[i].contact;
        for (int k = 0; k < d->contacts; k++) { /* the answer is one */
            if (c[k].part >= BR_ANSWER_DRY_FRICTION) continue;
            assert_true(c[k].normal_force >= -1e-9 && c[k].normal_acceleration >= -1e-7);
            assert_true(norm(c[k].friction_force) <= d->mu * c[k].normal_force + 1e-7 * (1 + c[k].normal_force));
        }
    }
    for (int i = 0; i < ISLANDS && i < d->told; i++) told->first[i] = d->answer[i].contact[0];
    for (int k = 0; k < 4 && k < d->contacts && d->told; k++) told->contacts[k] = d->answer[0].contact[k];
    told->last = *d;
    told->islands++;
}

static Told ask(Machine *m) {
    Told told = {0};
    BrError error = {0};
    uint64_t before = br_state_hash(m->state);
    BrStatus status = br_state_diagnose(m->model, m->workspace, m->state, NULL, note, &told, &error);
    if (status != BR_OK) fail_msg("%s", error.text);
    assert_true(br_state_hash(m->state) == before);
    return told;
}

static void assert_near_part(double value, double expected, double part) {
    if (!(fabs(value - expected) <= part * fabs(expected))) fail_msg("%.17g, not %.17g", value, expected);
}

/* A turn of the whole world. */
static BrMat3 world_turn(int number) {
    const BrVec3 axes[] = {X, Y, Z, {0.6, 0.48, 0.64}};
    return turn_about(axes[number % 4], 0.7 * number);
}

/* ------------------------------------------------------------------ a rod on its end */

typedef struct Rod {
    double angle, mu, inertia, moment, slip; /* moment: that turns its upper end down */
    int turn;
} Rod;

static BrMat3 multiply(BrMat3 A, BrMat3 B) {
    BrMat3 C = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) C.m[i][j] += A.m[i][k] * B.m[k][j];
    return C;
}

/* Mass 1, its end 0.5 from the centre of mass. */
static Told ask_rod(Rod rod) {
    BrMat3 turn = world_turn(rod.turn);
    Machine m = machine_begin(rotate(&turn, vec(0, 0, -9.81)));
    BrMaterialId steel = machine_material(&m, "steel", rod.mu, 0);
    machine_plane(&m, rotate(&turn, Z), steel);
    BrBodyDef def = br_default_body_def();
    def.name = "rod";
    def.mass = 1;
    def.inertia = diagonal(1e-4, rod.inertia, rod.inertia);
    def.rotation = multiply(turn, turn_about(Y, -rod.angle));
    def.position = rotate(&turn, vec(0.5 * cos(rod.angle), 0, 0.5 * sin(rod.angle)));
    BrBodyId id = machine_add_body(&m, &def);
    machine_point(&m, id, vec(-0.5, 0, 0), steel);
    BrVec3 push = rotate(&turn, vec(0, rod.moment, 0));
    BrForceDef force = br_default_force_def();
    const double torque[3] = {push.x, push.y, push.z};
    force.name = "turn", force.body = id;
    for (int i = 0; i < 3; i++) force.torque[i] = br_constant(torque[i]);
    assert_int_equal(br_model_add_force(m.model, &force, NULL, NULL), BR_OK);
    machine_ready(&m);
    machine_set_twist(&m, id, rotate(&turn, vec(rod.slip, 0, 0)), NONE);
    Told told = ask(&m);
    machine_end(&m);
    return told;
}

/* Song's case 2, with data that have the two solutions the paper tells of. At rest there is a third: it holds. */
static void song_case_2_has_two_answers_and_three_at_rest(void **unused) {
    (void)unused;
    for (int turn = 0; turn < 6; turn++) {
        Rod rod = {.angle = 70 * PI / 180, .mu = 1, .inertia = 1. / 144, .moment = 1, .slip = -0.1, .turn = turn};
        Told told = ask_rod(rod);
        assert_int_equal(told.islands, 1);
        assert_int_equal(told.last.verdict, BR_DIAGNOSIS_SEVERAL);
        assert_int_equal(told.last.answers, 2);
        assert_int_equal(told.last.stable, 1);
        assert_int_equal(told.last.unstable, 1);
        assert_int_equal(told.first[0].mode, BR_CONTACT_OPEN);
        assert_near_part(told.first[1].normal_force, 2.329848, 1e-6); /* as many digits as were printed */
        rod.slip = 0;
        told = ask_rod(rod);
        assert_int_equal(told.last.answers, 3);
        assert_int_equal(told.last.stable, 2);
    }
}

/* The printed data of case 2, a uniform rod with mu = 1, are on the safe side of 4/3: one answer. */
static void printed_case_2_has_one_answer(void **unused) {
    (void)unused;
    for (int slips = 0; slips < 2; slips++) {
        Rod rod = {.angle = 70 * PI / 180, .mu = 1, .inertia = 1. / 12, .moment = 1, .slip = -0.1 * slips};
        Told told = ask_rod(rod);
        assert_int_equal(told.last.verdict, BR_DIAGNOSIS_UNIQUE);
        assert_int_equal(told.last.answers, 1);
        assert_int_equal(told.last.stable, 1);
        double t = tan(rod.angle);
        assert_near_part(told.last.mu_painleve, (4 + t * t) / (3 * t), 1e-12);
    }
}

/* A uniform rod that slides, pressed down: one answer below its own friction, none above. */
static void pressed_rod_loses_its_answer_at_the_boundary(void **unused) {
    (void)unused;
    for (int degrees = 30; degrees <= 80; degrees += 10)
        for (int turn = 0; turn < 3; turn++) {
            double t = tan(degrees * PI / 180), boundary = (4 + t * t) / (3 * t);
            Rod rod = {.angle = degrees * PI / 180, .inertia = 1. / 12, .slip = -0.1, .turn = turn};
            rod.mu = boundary * (1 - 1e-7);
            Told told = ask_rod(rod);
            assert_int_equal(told.last.verdict, BR_DIAGNOSIS_UNIQUE);
            assert_int_equal(told.last.proof, BR_PROOF_ONE_CONTACT);
            rod.mu = boundary * (1 + 1e-7);
            told = ask_rod(rod);
            assert_int_equal(told.last.verdict, BR_DIAGNOSIS_NONE);
        }
}

/* A uniform rod of angle a that slides has g = W_NN - mu W_NT = 1 + 3 cos^2 a - 3 mu sin a cos a: with mu short of its boundary
 * (4 + t^2)/(3 t) a turn of g/|g'| leads there, to first order, up or down as the boundary falls. Moved along, it is the same. */
static void turn_to_the_boundary_of_a_rod(void **unused) {
    (void)unused;
    for (int degrees = 30; degrees <= 80; degrees += 10)
        for (int turn = 0; turn < 4; turn++)
            for (int beyond = 0; beyond < 2; beyond++) {
                double a = degrees * PI / 180, s = sin(a), c = cos(a), t = tan(a);
                double mu = (4 + t * t) / (3 * t) * (beyond ? 1.05 : 0.95);
                Told told =
                    ask_rod((Rod){.angle = a, .mu = mu, .inertia = 1. / 12, .moment = 0, .slip = -0.1, .turn = turn});
                double g = 1 + 3 * c * c - 3 * mu * s * c, slope = -6 * s * c - 3 * mu * (c * c - s * s);
                assert_near_part(told.last.turn_to_painleve, g / fabs(slope), 1e-7);
                BrMat3 world = world_turn(turn);
                BrVec3 axis = rotate(&world, vec(0, slope > 0 ? 1 : -1, 0)); /* the rod leans by -a about y */
                assert_true(norm(sub(told.last.turn_axis, axis)) < 1e-6);
                assert_true(isinf(told.last.move_to_painleve));
            }
}

/* An ellipsoid at rest on a floor, its lowest point there, in a rotated world or not. */
static Told ask_stone(BrMat3 rotation, BrVec3 size, double mu) {
    Machine m = machine_begin(vec(0, 0, -9.81));
    BrMaterialId steel = machine_material(&m, "steel", mu, 0);
    machine_floor(&m, steel);
    BrBodyDef def = br_default_body_def();
    BrShapeDef shape = br_default_shape_def();
    shape.kind = BR_SHAPE_ELLIPSOID, shape.material = steel, shape.size = size;
    def.name = "stone", def.mass = 1, def.inertia = machine_solid_inertia(&shape, 1), def.rotation = rotation;
    BrVec3 d = rotate_back(&rotation, vec(0, 0, -1));
    double reach = sqrt(pow(size.x * d.x, 2) + pow(size.y * d.y, 2) + pow(size.z * d.z, 2));
    def.position = vec(0, 0, reach);
    shape.body = machine_add_body(&m, &def);
    machine_add_shape(&m, &shape);
    machine_ready(&m);
    Told told = ask(&m);
    machine_end(&m);
    return told;
}

/* Turned as is told, a stone with friction 1e-5 of it short of its boundary has its boundary there, but for the second order;
 * it rolls over its own curvature. */
static void turned_as_told_a_stone_is_at_its_boundary(void **unused) {
    (void)unused;
    uint64_t random = 7;
    int asked = 0;
    for (int n = 0; n < 200; n++) {
        double r[7];
        for (int i = 0; i < 7; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            r[i] = (double)(random >> 11) / 9007199254740992.0;
        }
        BrVec3 size = vec(0.2 + r[0], 0.2 + r[1], 0.2 + r[2]), axis = vec(r[3] - 0.5, r[4] - 0.5, r[5] - 0.5);
        BrMat3 rotation = turn_about(scale(1 / norm(axis), axis), 3 * r[6]);
        double boundary = ask_stone(rotation, size, 0.1).last.mu_painleve, mu = (1 - 1e-5) * boundary;
        Told told = ask_stone(rotation, size, mu);
        if (!(told.last.turn_to_painleve < 1e-4)) continue; /* rad: near the least boundary there is */
        BrMat3 on = turn_about(told.last.turn_axis, told.last.turn_to_painleve), turned = multiply(on, rotation);
        double there = ask_stone(turned, size, mu).last.mu_painleve;
        assert_near(there, mu, 0.02 * (boundary - mu));
        asked++;
    }
    assert_true(asked > 50);
}

/* A rod stands on a plate that floats free of everything: moved along the plate as is told, it is at its boundary. */
static Told ask_plate(double along, double mu) {
    const double angle = 1;
    Machine m = machine_begin(NONE);
    BrMaterialId steel = machine_material(&m, "steel", mu, 0);
    BrBodyId plate = machine_body(&m, "plate", 0.5, diagonal(0.05, 0.05, 0.1), vec(0, 0, -0.1));
    machine_box(&m, plate, vec(2, 2, 0.2), steel);
    BrBodyDef def = br_default_body_def();
    def.name = "rod", def.mass = 1, def.inertia = diagonal(1e-2, 1. / 12, 1. / 12);
    def.rotation = turn_about(Y, -angle), def.position = vec(along + 0.5 * cos(angle), 0, 0.5 * sin(angle));
    machine_point(&m, machine_add_body(&m, &def), vec(-0.5, 0, 0), steel);
    machine_ready(&m);
    Told told = ask(&m);
    machine_end(&m);
    return told;
}

static void moved_as_told_a_rod_is_at_its_boundary(void **unused) {
    (void)unused;
    for (int n = 0; n < 5; n++) {
        double along = 0.1 + 0.1 * n, boundary = ask_plate(along, 0.1).last.mu_painleve, mu = (1 - 1e-4) * boundary;
        Told told = ask_plate(along, mu);
        double way = told.last.move_way.x * told.last.move_to_painleve; /* of the second body along the first */
        bool second_is_rod = fabs(ask_plate(along + way, mu).last.mu_painleve - mu) < 0.02 * (boundary - mu);
        bool second_is_plate = fabs(ask_plate(along - way, mu).last.mu_painleve - mu) < 0.02 * (boundary - mu);
        assert_true(fabs(way) > 1e-5 && second_is_rod != second_is_plate);
        assert_near(told.last.move_way.y, 0, 1e-9);
    }
}

/* Friction that builds up with the slip is a function of it: a rod that slides slowly has mu tanh(v/gamma), which its angle
 * bears (4/3), and one answer; faster it has none. A sled pulled at rest is not held. */
static void friction_that_builds_up_counts_as_far_as_it_has(void **unused) {
    (void)unused;
    const double gamma = 0.1, mu = 2, angle = atan(2), slips[] = {0, -0.05, -0.3};
    for (int i = 0; i < 3; i++) {
        Machine m = machine_begin(vec(0, 0, -9.81));
        BrMaterialDef steel = br_default_material_def();
        steel.name = "steel", steel.surface.friction = br_law(BR_LAW_FRICTION, "tanh");
        br_law_set(&steel.surface.friction, "mu", mu), br_law_set(&steel.surface.friction, "gamma", gamma);
        BrMaterialId material = machine_add_material(&m, &steel);
        machine_floor(&m, material);
        BrBodyDef def = br_default_body_def();
        def.name = "rod", def.mass = 1, def.inertia = diagonal(1e-4, 1. / 12, 1. / 12);
        def.rotation = turn_about(Y, -angle), def.position = vec(0.5 * cos(angle), 0, 0.5 * sin(angle));
        BrBodyId rod = machine_add_body(&m, &def);
        machine_point(&m, rod, vec(-0.5, 0, 0), material);
        machine_ready(&m);
        machine_set_twist(&m, rod, vec(slips[i], 0, 0), NONE);
        Told told = ask(&m);
        double rubs = mu * tanh(fabs(slips[i]) / gamma);
        assert_near(told.last.mu, rubs, 1e-12);
        assert_int_equal(told.last.verdict, rubs < 4. / 3 ? BR_DIAGNOSIS_UNIQUE : BR_DIAGNOSIS_NONE);
        if (i == 2) assert_near_part(told.last.mu_painleve, 4. / 3, 1e-12);
        if (i < 2) assert_near(norm(told.first[0].friction_force), rubs * told.first[0].normal_force, 1e-12);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ several contacts */

/* A ball in a groove with half angle 10 degrees, pulled out by less or more than it weighs: friction above tan 10 degrees
 * can hold it, and nothing but how hard it is pressed already decides. */
static Told ask_groove(double mu, double pull, int turn_number) {
    double half = 10 * PI / 180, radius = 0.1;
    BrMat3 turn = world_turn(turn_number);
    Machine m = machine_begin(rotate(&turn, vec(0, 0, pull - 9.81)));
    BrMaterialId steel = machine_material(&m, "steel", mu, 0);
    machine_plane(&m, rotate(&turn, vec(cos(half), 0, sin(half))), steel);
    machine_plane(&m, rotate(&turn, vec(-cos(half), 0, sin(half))), steel);
    machine_ball(&m, "ball", 1, radius, rotate(&turn, vec(0, 0, radius / sin(half))), steel);
    machine_ready(&m);
    Told told = ask(&m);
    machine_end(&m);
    return told;
}

static void ball_in_a_groove_holds_or_comes_out(void **unused) {
    (void)unused;
    for (int turn = 0; turn < 4; turn++) {
        Told told = ask_groove(0.3, 15, turn);
        assert_int_equal(told.last.contacts, 2);
        assert_int_equal(told.last.verdict, BR_DIAGNOSIS_SEVERAL);
        assert_int_equal(told.last.answers, 2);
        told = ask_groove(0.3, 0, turn);
        assert_int_equal(told.last.verdict, BR_DIAGNOSIS_UNIQUE);
        assert_true(told.last.answers == 1);
        told = ask_groove(0.17, 15, turn); /* tan 10 degrees is .1763 */
        assert_int_equal(told.last.verdict, BR_DIAGNOSIS_UNIQUE);
        assert_int_equal(told.first[0].mode, BR_CONTACT_OPEN);
    }
}

/* Two corners of a drawer on opposite sides of its guide, pulled beside its middle: it stays from e = L/(2 mu) on. */
static Told ask_drawer(double eccentric, double mu) {
    double length = 0.3, width = 0.2;
    Machine m = machine_begin(NONE);
    BrMaterialId wood = machine_material(&m, "wood", mu, 0);
    for (int side = -1; side < 2; side += 2) {
        BrShapeDef wall = br_default_shape_def();
        wall.body = m.ground, wall.kind = BR_SHAPE_PLANE, wall.material = wood;
        wall.position_body = vec(0, side * width / 2, 0);
        wall.rotation_body = turn_about(X, side * PI / 2);
        machine_add_shape(&m, &wall);
    }
    BrBodyId drawer = machine_body(&m, "drawer", 2, diagonal(0.02, 0.02, 0.02), NONE);
    machine_point(&m, drawer, vec(-length / 2, width / 2, 0), wood);
    machine_point(&m, drawer, vec(length / 2, -width / 2, 0), wood);
    BrForceDef force = br_default_force_def();
    force.name = "pull", force.body = drawer;
    force.force[0] = br_constant(10);
    force.point_body = vec(0, eccentric, 0);
    assert_int_equal(br_model_add_force(m.model, &force, NULL, NULL), BR_OK);
    machine_ready(&m);
    Told told = ask(&m);
    machine_end(&m);
    return told;
}

static void drawer_jams_where_it_is_pulled_too_far_beside_its_middle(void **unused) {
    (void)unused;
    Told slides = ask_drawer(0.29, 0.5), stays = ask_drawer(0.31, 0.5); /* L/(2 mu) = 0.3 */
    assert_int_equal(slides.last.contacts, 2);
    assert_int_equal(slides.first[0].mode, BR_CONTACT_SLIP);
    assert_int_equal(stays.first[0].mode, BR_CONTACT_STICK);
}

/* A ball between three jaws, pulled along their axis: how hard they press nothing rigid tells, and so it is held, or comes, as
 * fast as you like; without friction it comes. The jaws' planes stand round it at 120 degrees. */
static void ball_in_three_jaws_holds_or_comes_out(void **unused) {
    (void)unused;
    for (int turn_number = 0; turn_number < 3; turn_number++)
        for (int smooth = 0; smooth < 2; smooth++) {
            BrMat3 turn = world_turn(turn_number);
            Machine m = machine_begin(rotate(&turn, vec(0, 2, 0)));
            BrMaterialId steel = machine_material(&m, "steel", smooth ? 0 : 0.4, 0);
            for (int k = 0; k < 3; k++) {
                BrMat3 round = turn_about(Y, 2 * PI * k / 3);
                BrVec3 out = rotate(&round, Z), push = rotate(&turn, scale(-1, out));
                BrShapeDef jaw = br_default_shape_def();
                jaw.body = m.ground, jaw.kind = BR_SHAPE_PLANE, jaw.material = steel;
                jaw.position_body = scale(-0.1, push);
                BrVec3 x = rotate(&turn, rotate(&round, X)), y = cross(push, x);
                jaw.rotation_body = (BrMat3){{{x.x, y.x, push.x}, {x.y, y.y, push.y}, {x.z, y.z, push.z}}};
                machine_add_shape(&m, &jaw);
            }
            machine_ball(&m, "ball", 1, 0.1, NONE, steel);
            machine_ready(&m);
            Told told = ask(&m);
            assert_int_equal(told.last.contacts, 3);
            assert_int_equal(told.last.verdict, smooth ? BR_DIAGNOSIS_UNIQUE : BR_DIAGNOSIS_ENDLESS);
            assert_true(smooth || (told.last.answers >= 2 && told.first[0].normal_force == 0));
            machine_end(&m);
        }
}

/* Three balls on strings that touch each other: nothing presses. */
static void cradle_at_rest_has_one_answer(void **unused) {
    (void)unused;
    Machine m = machine_begin(vec(0, 0, -9.81));
    BrMaterialId steel = machine_material(&m, "steel", 0.2, 0);
    for (int k = 0; k < 3; k++) {
        char name[8];
        snprintf(name, sizeof name, "ball%d", k);
        BrBodyId ball = machine_ball(&m, name, 1, 0.1, vec(0.2 * k, 0, 0), steel);
        machine_joint(&m, k ? k > 1 ? "hc" : "hb" : "ha", BR_JOINT_REVOLUTE, m.ground, ball, vec(0.2 * k, 0, 1), Y);
    }
    machine_ready(&m);
    Told told = ask(&m);
    assert_int_equal(told.islands, 1);
    assert_int_equal(told.last.contacts, 2);
    assert_int_equal(told.last.verdict, BR_DIAGNOSIS_UNIQUE);
    machine_end(&m);
}

/* A box on its face: the four corners share its weight somehow, and it has one answer for all that; on a slope beyond its
 * friction it slides. */
/* A wedge of half angle 10 degrees between two walls is pulled out, or pushed in, without weight: above tan 10 degrees it may
 * lock itself or come out, below it comes out; pushed in it stays, whatever its friction. */
static Told ask_wedge(double mu, double pull, int turn_number) {
    const double half = 10 * PI / 180;
    BrMat3 turn = world_turn(turn_number);
    Machine m = machine_begin(vec(0, 0, 0));
    BrMaterialId steel = machine_material(&m, "steel", mu, 0);
    BrVec3 force = rotate(&turn, vec(pull, 0, 0));
    BrVec3 middle = rotate(&turn, vec(0.5 * cos(half), 0, 0));
    BrBodyId wedge = machine_body(&m, "wedge", 1, diagonal(0.01, 0.01, 0.01), middle);
    for (int side = -1; side < 2; side += 2) {
        machine_plane(&m, rotate(&turn, vec(sin(half), 0, -side * cos(half))), steel);
        machine_point(&m, wedge, rotate(&turn, vec(0, 0, side * 0.5 * sin(half))), steel);
    }
    machine_force(&m, "x", wedge, 0, br_constant(force.x));
    machine_force(&m, "y", wedge, 1, br_constant(force.y));
    machine_force(&m, "z", wedge, 2, br_constant(force.z));
    machine_ready(&m);
    Told told = ask(&m);
    machine_end(&m);
    return told;
}

static void wedge_locks_itself_or_comes_out(void **unused) {
    (void)unused;
    for (int turn = 0; turn < 4; turn++) {
        Told told = ask_wedge(0.3, 5, turn);
        assert_int_equal(told.last.verdict, BR_DIAGNOSIS_SEVERAL);
        assert_int_equal(told.last.answers, 2);
        assert_near(told.last.mu_painleve, tan(10 * PI / 180), 1e-9);
        told = ask_wedge(0.17, 5, turn);
        assert_int_equal(told.last.verdict, BR_DIAGNOSIS_UNIQUE);
        assert_int_equal(told.first[0].mode, BR_CONTACT_OPEN);
        for (int low = 0; low < 2; low++) {
            told = ask_wedge(low ? 0.1 : 0.3, -5, turn);
            assert_int_equal(told.last.verdict, BR_DIAGNOSIS_UNIQUE);
            assert_true(told.first[0].mode != BR_CONTACT_OPEN && told.first[0].normal_force > 1);
        }
    }
}

/* A smooth ball of m on the side of a cart of M, inclined by a, that runs on a rail. */
static Told ask_cart(double m_ball, double M, double a, int limit, double friction, double speed, double effort,
                     double quickens) {
    char text[64];
    Machine m = machine_begin(vec(0, 0, -10));
    BrMaterialId ice = machine_material(&m, "ice", 0, 0);
    BrBodyDef def = br_default_body_def();
    def.name = "cart", def.mass = M, def.inertia = diagonal(1, 1, 1), def.rotation = turn_about(Y, a);
    BrBodyId cart = machine_add_body(&m, &def);
    machine_box(&m, cart, vec(2, 2, 0.2), ice);
    BrVec3 up = vec(sin(a), 0, cos(a));
    BrBodyId ball = machine_ball(&m, "ball", m_ball, 0.1, scale(0.2, up), ice);
    BrJointDef rail = br_default_joint_def();
    rail.name = "rail", rail.type = BR_JOINT_PRISMATIC, rail.body_a = m.ground, rail.body_b = cart,
    rail.axis = vec(1, 0, 0);
    if (limit) rail.lower[0] = limit > 0 ? -1 : 0, rail.upper[0] = limit > 0 ? 0 : 1;
    rail.dry_friction[0] = friction;
    BrError error = {0};
    BrMotorDef motor = br_default_motor_def();
    if (br_model_add_joint(m.model, &rail, &motor.joint, &error) != BR_OK) fail_msg("%s", error.text);
    motor.name = "drive", motor.max_effort = effort;
    snprintf(text, sizeof text, "%.17g + %.17g*t", speed, quickens);
    motor.speed = br_expression(text);
    if (effort > 0 && br_model_add_motor(m.model, &motor, NULL, &error) != BR_OK) fail_msg("%s", error.text);
    machine_ready(&m);
    machine_set_twist(&m, cart, vec(speed, 0, 0), NONE);
    machine_set_twist(&m, ball, vec(speed, 0, 0), NONE);
    Told told = ask(&m);
    machine_end(&m);
    return told;
}

/* The ball presses with N = m (g cos a + F sin a/M)/(1 + m/M sin^2 a), where the cart gives way to -x with dry friction F against
 * it; a limit on that side bears N sin a, and N = m g cos a; one on the other side is left. At rest dry friction may hold. */
static void limits_and_friction_of_joints_take_part(void **unused) {
    (void)unused;
    const double m = 2, M = 3, a = 0.5, s = sin(a), c = cos(a), F = 4;
    for (int limit = -1; limit < 2; limit++) {
        Told told = ask_cart(m, M, a, limit, 0, 0, 0, 0);
        bool held = limit < 0; /* the lower limit is reached, and pressed against */
        double N = held ? m * 10 * c : m * 10 * c / (1 + m / M * s * s);
        assert_int_equal(told.last.contacts, limit ? 2 : 1);
        assert_int_equal(told.last.verdict, BR_DIAGNOSIS_UNIQUE);
        assert_int_equal(told.last.answers, 1);
        assert_near_part(told.contacts[0].normal_force, N, 1e-12);
        if (!limit) continue;
        assert_true(told.contacts[1].joint.index1 != 0 && told.contacts[0].joint.index1 == 0);
        assert_int_equal(told.contacts[1].mode, held ? BR_CONTACT_STICK : BR_CONTACT_OPEN);
        assert_near(told.contacts[1].normal_force, held ? N * s : 0, 1e-11);
        assert_near(told.contacts[1].normal_acceleration, held ? 0 : N * s / M, 1e-11);
        assert_non_null(strstr(told.last.text, held ? "the limit of 'rail' holds" : "the limit of 'rail' parts"));
    }
    Told slides = ask_cart(m, M, a, 0, F, -1, 0, 0);
    assert_int_equal(slides.last.verdict, BR_DIAGNOSIS_UNIQUE);
    assert_near_part(slides.contacts[0].normal_force, m * (10 * c + s * F / M) / (1 + m / M * s * s), 1e-12);
}

/* At rest dry friction F holds the cart, as long as what it takes is less, and so does a motor that has its speed, even one that
 * grows by A: F = M A + N sin a, N = m (g cos a + A sin a). Else they push with what they have, as a force. */
static void dry_friction_at_rest_and_motors_hold_or_give_way(void **unused) {
    (void)unused;
    static const char *const SAID[2][2] = {{"dry friction of 'rail' gives way", "dry friction of 'rail' holds"},
                                           {"the motor 'drive' gives way", "the motor 'drive' holds"}};
    const double m = 2, M = 3, a = 0.5, s = sin(a), c = cos(a);
    for (int n = 0; n < 3; n++)
        for (int holds = 0; holds < 2; holds++) {
            bool motor = n > 0;
            double A = n > 1 ? 1.3 : 0, bears = M * A + m * (10 * c + A * s) * s;
            double F = bears * (holds ? 1 + 1e-6 : 1 - 1e-6);
            Told told = ask_cart(m, M, a, 0, motor ? 0 : F, motor ? -0.7 : 0, motor ? F : 0, A);
            double N = holds ? m * (10 * c + A * s) : m * (10 * c + s * F / M) / (1 + m / M * s * s);
            assert_int_equal(told.last.verdict, BR_DIAGNOSIS_UNIQUE);
            assert_int_equal(told.last.contacts, 2);
            assert_int_equal(told.last.answers, 1);
            assert_int_equal(told.contacts[1].part, motor ? BR_ANSWER_MOTOR : BR_ANSWER_DRY_FRICTION);
            assert_int_equal(told.contacts[1].mode, holds ? BR_CONTACT_STICK : BR_CONTACT_SLIP);
            assert_near_part(told.contacts[0].normal_force, N, 1e-12);
            assert_near_part(told.contacts[1].normal_force, holds ? bears : F, 1e-9);
            assert_near(told.contacts[1].normal_acceleration, holds ? 0 : (F - N * s) / M - A, 1e-11);
            assert_non_null(strstr(told.last.text, SAID[motor][holds]));
        }
}

/* A ball that resists rolling by mu_r stays on a slope up to tan = mu_r/R; steeper it rolls, with friction
 * T = (2 s + 5 c mu_r/R) m g/7; rolling on level ground it slows down by 5/7 g mu_r/R. On ice it slides as well. */
static void ball_that_resists_rolling_stays_or_rolls(void **unused) {
    (void)unused;
    const double R = 0.1, mu_r = 0.005, m = 2, g = 10;
    for (int n = 0; n < 12; n++) {
        int kind = n % 4, turn_number = n / 4; /* stays, rolls, rolls on, slides */
        double lean = kind == 2 ? 0 : atan(mu_r / R) * (kind == 0 ? 1 - 1e-6 : 2),
               mu = kind == 3 ? 0.06 : 0.5; /* 0.064 would hold it */
        BrMat3 turn = world_turn(turn_number);
        Machine machine = machine_begin(rotate(&turn, vec(g * sin(lean), 0, -g * cos(lean))));
        BrMaterialDef def = br_default_material_def();
        def.name = "felt", def.surface.friction = br_law(BR_LAW_FRICTION, "rolling");
        br_law_set(&def.surface.friction, "mu", mu), br_law_set(&def.surface.friction, "mu_r", mu_r);
        br_law_set(&def.surface.friction, "mu_spin", 1e-3);
        BrMaterialId felt = machine_add_material(&machine, &def);
        machine_plane(&machine, rotate(&turn, Z), felt);
        BrBodyId ball = machine_ball(&machine, "ball", m, R, rotate(&turn, vec(0, 0, R)), felt);
        machine_ready(&machine);
        if (kind == 2) machine_set_twist(&machine, ball, rotate(&turn, X), rotate(&turn, scale(1 / R, Y)));
        Told told = ask(&machine);
        double s = sin(lean), c = cos(lean), N = m * g * c;
        double T = kind == 0 ? m * g * s : kind == 3 ? mu * N : (2 * s + 5 * c * mu_r / R) * m * g / 7;
        double M = kind == 0 ? R * T : mu_r * N, alpha = (R * T - M) / (0.4 * m * R * R);
        assert_int_equal(told.last.verdict, BR_DIAGNOSIS_UNIQUE);
        assert_int_equal(told.last.contacts, 3);
        assert_near_part(told.contacts[0].normal_force, N, 1e-9);
        assert_near_part(norm(told.contacts[0].friction_force), T, 1e-9);
        assert_int_equal(told.contacts[0].mode, kind == 3 ? BR_CONTACT_SLIP : BR_CONTACT_STICK);
        assert_int_equal(told.contacts[1].part, BR_ANSWER_ROLLING);
        assert_int_equal(told.contacts[1].mode, kind == 0 ? BR_CONTACT_STICK : BR_CONTACT_SLIP);
        assert_near_part(dot(told.contacts[1].friction_force, rotate(&turn, Y)), -M, 1e-9);
        assert_near(dot(told.contacts[1].tangential_acceleration, rotate(&turn, Y)), alpha, 1e-7);
        assert_int_equal(told.contacts[2].part, BR_ANSWER_SPINNING);
        assert_int_equal(told.contacts[2].mode, BR_CONTACT_STICK);
        assert_non_null(strstr(told.last.text, kind == 0 ? "does not roll, does not spin" : ", rolls, does not spin"));
        machine_end(&machine);
    }
}

static void box_rests_or_slides(void **unused) {
    (void)unused;
    for (int steep = 0; steep < 3; steep++) {
        double lean = steep * 15 * PI / 180;
        BrMat3 turn = turn_about(Y, lean);
        Machine m = machine_begin(vec(0, 0, -9.81));
        BrMaterialId wood = machine_material(&m, "wood", 0.4, 0); /* atan 0.4 is 21.8 degrees */
        machine_plane(&m, rotate(&turn, Z), wood);
        BrBodyDef def = br_default_body_def();
        def.name = "box", def.mass = 1, def.inertia = diagonal(1. / 6, 1. / 6, 1. / 6);
        def.rotation = turn, def.position = rotate(&turn, vec(0, 0, 0.5));
        machine_box(&m, machine_add_body(&m, &def), vec(1, 1, 1), wood);
        machine_ready(&m);
        Told told = ask(&m);
        assert_int_equal(told.last.contacts, 4);
        assert_int_equal(told.last.answers, 1);
        assert_int_equal(told.last.verdict, BR_DIAGNOSIS_UNIQUE);
        assert_int_equal(told.last.proof, steep ? BR_PROOF_ALONE : BR_PROOF_REST);
        double speeds_up = norm(told.first[0].tangential_acceleration);
        double expected = steep < 2 ? 0 : 9.81 * (sin(lean) - 0.4 * cos(lean));
        assert_true(fabs(speeds_up - expected) < 1e-9);
        machine_end(&m);
    }
}

/* What is beyond the analysis is not judged, and says why: a blow that comes first, very many contacts at once. */
static void what_cannot_be_looked_at_is_not_decided(void **unused) {
    (void)unused;
    Machine m = machine_begin(vec(0, 0, -9.81));
    BrMaterialId steel = machine_material(&m, "steel", 0.3, 0);
    machine_floor(&m, steel);
    BrBodyId ball = machine_ball(&m, "ball", 1, 0.5, vec(0, 0, 0.5), steel);
    machine_ready(&m);
    Told told = ask(&m);
    assert_int_equal(told.last.verdict, BR_DIAGNOSIS_UNIQUE);
    machine_set_twist(&m, ball, vec(0, 0, -1), NONE);
    told = ask(&m);
    assert_int_equal(told.last.verdict, BR_DIAGNOSIS_UNDECIDED);
    assert_non_null(strstr(told.last.text, "an impact comes first"));
    machine_set_twist(&m, ball, vec(0, 0, 1), NONE); /* it leaves: nothing touches */
    told = ask(&m);
    assert_int_equal(told.islands, 0);
    machine_end(&m);

    m = machine_begin(vec(0, 0, -9.81));
    steel = machine_material(&m, "steel", 0.3, 0);
    machine_floor(&m, steel);
    BrBodyId table = machine_body(&m, "table", 1, diagonal(1, 1, 1), vec(0, 0, 1));
    for (int k = 0; k < 257; k++) machine_point(&m, table, vec(cos(k), sin(k), -1), steel);
    machine_ready(&m);
    told = ask(&m);
    assert_int_equal(told.last.contacts, 257);
    assert_int_equal(told.last.verdict, BR_DIAGNOSIS_UNDECIDED);
    assert_non_null(strstr(told.last.text, "more than 256 contacts"));
    machine_end(&m);
}

/* ------------------------------------------------------------------ the same as what readings find */

static uint64_t seed = 11;

static double random_number(double low, double high) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static BrVec3 random_vector(double size) {
    return vec(random_number(-size, size), random_number(-size, size), random_number(-size, size));
}

/* Where there is one answer it is what br_evaluate() finds, forces and all: of an ellipsoid that slides and spins on a leaning
 * floor, alone or at the end of an arm on a hinge: curvature, spin and joints are in b and W. */
static void one_answer_is_the_one_that_is_read(void **unused) {
    (void)unused;
    int compared[2] = {0}; /* free, hinged */
    for (int n = 0; n < 300; n++) {
        Machine m = machine_begin(random_vector(10));
        BrMaterialId steel = machine_material(&m, "steel", random_number(0, 1), 0);
        machine_floor(&m, steel);
        BrBodyDef def = br_default_body_def();
        BrShapeDef shape = br_default_shape_def();
        shape.kind = BR_SHAPE_ELLIPSOID, shape.material = steel;
        shape.size = vec(random_number(0.2, 1), random_number(0.2, 1), random_number(0.2, 1));
        def.name = "stone", def.mass = random_number(0.5, 2);
        def.inertia = machine_solid_inertia(&shape, def.mass);
        BrVec3 axis = random_vector(1);
        def.rotation = turn_about(scale(1 / norm(axis), axis), random_number(0, 3));
        BrVec3 d = rotate_back(&def.rotation, vec(0, 0, -1)); /* the lowest point: a_i^2 d_i/|a d| */
        double reach = sqrt(pow(shape.size.x * d.x, 2) + pow(shape.size.y * d.y, 2) + pow(shape.size.z * d.z, 2));
        def.position = vec(0, 0, reach);
        BrBodyId stone = machine_add_body(&m, &def);
        shape.body = stone;
        machine_add_shape(&m, &shape);
        bool hinged = n % 3 == 0;
        if (hinged) machine_joint(&m, "hinge", BR_JOINT_SPHERICAL, m.ground, stone, vec(1.5, 0, reach + 0.3), Z);
        BrFilterDef filter = br_default_filter_def(); /* joined as they are, they touch */
        filter.body_a = m.ground, filter.body_b = stone, filter.touch = true;
        assert_int_equal(br_model_add_filter(m.model, &filter, NULL), BR_OK);
        machine_ready(&m);
        BrVec3 spin = random_vector(3), v = random_vector(1);
        BrVec3 low = rotate(&def.rotation,
                            vec(shape.size.x * shape.size.x * d.x / reach, shape.size.y * shape.size.y * d.y / reach,
                                shape.size.z * shape.size.z * d.z / reach));
        v.z = -cross(spin, low).z; /* the point of touch slides along the floor */
        if (hinged) {              /* about its hinge, and about the axis that keeps that point on the floor */
            BrVec3 arm = sub(def.position, vec(1.5, 0, reach + 0.3)), touch = add(arm, low);
            spin = add(scale(random_number(-2, 2), Z),
                       scale(random_number(-2, 2) / norm(touch), vec(touch.x, touch.y, 0)));
            v = cross(spin, arm);
            if (fabs(v.z + cross(spin, low).z) > 1e-12) {
                machine_end(&m);
                continue;
            }
        }
        machine_set_twist(&m, stone, v, spin);
        assert_int_equal(br_state_set_formulation(m.state, BR_FORMULATION_EVENT), BR_OK);
        Told told = ask(&m);
        if (told.islands && told.last.verdict == BR_DIAGNOSIS_UNIQUE &&
            br_evaluate(m.model, m.workspace, m.state, NULL) == BR_OK && br_contact_count(m.model, m.workspace) == 1) {
            BrContact c;
            assert_int_equal(br_contact(m.model, m.workspace, 0, &c), BR_OK);
            const BrAnswerContact *a = &told.first[0];
            double size = 10 + c.normal_force; /* N */
            if (!(fabs(a->normal_force - c.normal_force) < 1e-9 * size &&
                  norm(sub(a->friction_force, c.friction_force)) < 1e-9 * size))
                fail_msg("scene %d: %.15g N, read %.15g N", n, a->normal_force, c.normal_force);
            compared[hinged] += c.normal_force > 0;
        }
        machine_end(&m);
    }
    assert_true(compared[0] > 60 && compared[1] > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(song_case_2_has_two_answers_and_three_at_rest),
                                       cmocka_unit_test(printed_case_2_has_one_answer),
                                       cmocka_unit_test(pressed_rod_loses_its_answer_at_the_boundary),
                                       cmocka_unit_test(turn_to_the_boundary_of_a_rod),
                                       cmocka_unit_test(turned_as_told_a_stone_is_at_its_boundary),
                                       cmocka_unit_test(moved_as_told_a_rod_is_at_its_boundary),
                                       cmocka_unit_test(friction_that_builds_up_counts_as_far_as_it_has),
                                       cmocka_unit_test(ball_in_a_groove_holds_or_comes_out),
                                       cmocka_unit_test(drawer_jams_where_it_is_pulled_too_far_beside_its_middle),
                                       cmocka_unit_test(ball_in_three_jaws_holds_or_comes_out),
                                       cmocka_unit_test(cradle_at_rest_has_one_answer),
                                       cmocka_unit_test(wedge_locks_itself_or_comes_out),
                                       cmocka_unit_test(limits_and_friction_of_joints_take_part),
                                       cmocka_unit_test(dry_friction_at_rest_and_motors_hold_or_give_way),
                                       cmocka_unit_test(ball_that_resists_rolling_stays_or_rolls),
                                       cmocka_unit_test(box_rests_or_slides),
                                       cmocka_unit_test(what_cannot_be_looked_at_is_not_decided),
                                       cmocka_unit_test(one_answer_is_the_one_that_is_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
