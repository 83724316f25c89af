/* test_creep.c: the law tanh in rigid contact: friction mu tanh(slip/gamma) f_N, the slip and the normal force found
 * together. Closed forms of creep and of slides in every formulation and any world, from one contact to hundreds; orders;
 * Coulomb's law as the limit; the cone, the books; contact problems by themselves. Symbols: G gravity, u slip. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cone_support.h"
#include "soft_support.h"

static const double G = 9.81;
static const BrVec3 NONE = {0, 0, 0}, DOWN = {0, 0, -9.81}, Y = {0, 1, 0};

/* ------------------------------------------------------------------ contact problems */

static BriBlock creeping(int rows, double mu, double creep) {
    BriBlock block = cone(rows, mu);
    block.creep = creep;
    return block;
}

/* How far r and u are from the law, each block by itself: as velocities (u_N, and the slip that the friction belongs to)
 * where friction is not near its bound, else as impulses over the weight that they stop. */
static double break_of_law(const Sample *s, int k) {
    const BriBlock *b = &s->block[k];
    const double *r = s->r + b->first, *u = s->u + b->first;
    double slip = 0, size = 0, W = 0, wrong = 0;
    for (int i = 1; i < b->rows; i++) slip = hypot(slip, u[i]), size = hypot(size, r[i]);
    for (int i = b->first; i < b->first + b->rows; i++) W = fmax(W, s->W[i * s->problem.rows + i]);
    if (!(r[0] * W > 1e-10)) return r[0] * W < -1e-10 ? INFINITY : fmax(fmax(0, -u[0]), size * W);
    double part = fmin(size / (b->mu * r[0]), 1), holds = b->creep * atanh(fmin(part, 0.99));
    for (int i = 1; i < b->rows; i++) {
        double along = size > 0 ? r[i] / size : 0;
        double d = part < 0.99 ? u[i] + holds * along : W * (r[i] + b->mu * r[0] * tanh(slip / b->creep) * u[i] / slip);
        wrong = fmax(wrong, fabs(d));
    }
    return fmax(wrong, fabs(u[0]));
}

/* Random problems of 1 to 20 contacts, some of them with plain cones among them, W unsymmetric or not of full rank; gamma
 * from a millionth of the speeds, which are about 1 m/s, to ten times as much. By the chooser, and by sweeps alone. */
static void random_problems_obey_the_law(void **unused) {
    (void)unused;
    uint64_t seed = 5;
    Sample s = {0};
    const double scale = 1; /* m/s */
    for (int k = 0; k < 600; k++) {
        int contacts = k % 3 ? 1 + k % 20 : 1, rows = k % 5 ? 3 : 2, kind = k % 4;
        s = (Sample){.scratch = s.scratch};
        for (int i = 0; i < contacts; i++) {
            double gamma = scale * pow(10, -6 + 3.5 * (1 + random_number(&seed)));
            add_block(&s, creeping(rows, 0.5 + 0.4 * random_number(&seed), i % 4 == 3 ? 0 : gamma));
        }
        int n = s.problem.rows;
        fill(&s, kind == 2 ? (n + 1) / 2 : n + 3, 0, kind == 1 ? 1e-3 : 0, &seed);
        finish(&s);
        BriSolverReport report;
        BriAnswer answer = bri_solve(&s.problem, 1e-11, s.r, s.scratch, &report);
        if (answer != BRI_SOLVED)
            fail_msg("problem %d of %d contacts: left %g", k, contacts, report.certificate.residual);
        BriCertificate c = bri_problem_judge(&s.problem, s.r, s.u);
        assert_true(c.residual <= 1e-11);
        /* a residual of (7.15) is one of the law, seen through 1/rho: at most some tens of it */
        for (int i = 0; i < contacts; i++)
            if (s.block[i].creep > 0) assert_near(break_of_law(&s, i), 0, 1e-9);
    }
    free(s.scratch);
}

/* What is off by little is judged so, by as much and for any gamma: Coulomb's cone is the limit. */
static void certificate_sees_what_is_wrong(void **unused) {
    (void)unused;
    for (int k = 0; k < 12; k++) {
        double gamma = pow(10, -k), mu = 0.5, rho = 2, slip = 0.3, off = 1e-4;
        BriBlock block = creeping(3, mu, gamma);
        double r[3] = {1, -mu * tanh(slip / gamma), 0}, u[3] = {0, slip, 0};
        assert_near(bri_block_residual(&block, r, u, rho), 0, 1e-15);
        r[2] = off; /* a force across the slip turns it: x_T by off, of |x_T| = f + rho s */
        double size = -r[1] + rho * slip;
        assert_near(bri_block_residual(&block, r, u, rho), off * slip / size, 1e-3 * off);
        r[2] = 0, u[0] = off;
        double left = bri_block_residual(&block, r, u, rho);
        assert_true(left >= off && left < 3 * off);
        double pull[3] = {-1, 0, 0}, still[3] = {0, 0, 0};
        assert_near(bri_block_residual(&block, pull, still, rho), 1 / rho, 1e-15);
    }
}

/* ------------------------------------------------------------------ machines */

static BrMaterialId add_creeping(Machine *m, const char *name, double mu, double gamma) {
    BrMaterialDef def = br_default_material_def();
    def.name = name;
    def.surface.friction = make_law(BR_LAW_FRICTION, &(Given){"tanh", {{"mu", mu}, {"gamma", gamma}}});
    return machine_add_material(m, &def);
}

typedef enum Way { MOREAU, HEM2, EVENT, WAYS } Way;

static BrStepDef step_of(Way way, double dt) {
    return way == EVENT ? machine_event_def(dt) : machine_step_def(way == HEM2 ? BR_SCHEME_HEM2 : BR_SCHEME_MOREAU, dt);
}

/* Steps that are all certified. */
static void go(Machine *m, Way way, double dt, int steps) {
    BrStepDef def = step_of(way, dt);
    for (int k = 0; k < steps; k++) {
        BrStepReport report;
        BrError error = {0};
        BrStatus status = br_step(m->model, m->workspace, m->state, &def, &report, &error);
        if (status != BR_OK) fail_msg("way %d, step %d: %s %s", way, k, br_status_name(status), error.text);
    }
}

/* A world turned by A, its floor sloping by `angle` in the direction `azimuth`: gravity in the floor's own axes. */
static BrVec3 slope_gravity(const BrMat3 *A, double angle, double azimuth) {
    BrVec3 g = vec(G * sin(angle) * cos(azimuth), G * sin(angle) * sin(azimuth), -G * cos(angle));
    return rotate(A, g);
}

static void add_slope(Machine *m, const BrMat3 *A, BrMaterialId material) {
    machine_plane(m, rotate(A, vec(0, 0, 1)), material);
}

/* `boxes` of 0.2 x 0.2 x 0.1 m and 1 kg, upon each other. Returns the first. */
static BrBodyId stack(Machine *m, const BrMat3 *A, int boxes, BrMaterialId material) {
    BrBodyId first = {0};
    for (int k = 0; k < boxes; k++) {
        char name[16];
        snprintf(name, sizeof name, "box %d", k);
        BrBodyDef def = br_default_body_def();
        def.name = name, def.mass = 1, def.inertia = diagonal(1. / 240, 1. / 240, 1. / 150);
        def.position = rotate(A, vec(0, 0, 0.05 + 0.1 * k)), def.rotation = *A;
        BrBodyId id = machine_add_body(m, &def);
        machine_box(m, id, vec(0.2, 0.2, 0.1), material);
        if (k == 0) first = id;
    }
    return first;
}

/* Below the angle of friction a box creeps down with gamma atanh(tan a/mu); of a stack each upon the one below, since
 * normal force and load grow alike: 4, 12, 100 contacts with a matrix, 240 without. Steps of 5 ms are up to 10^6 times as
 * long as friction needs to settle a slip. */
static void boxes_creep_down_as_the_law_says(void **unused) {
    (void)unused;
    const struct {
        int boxes;
        double angle, gamma;
        Way most;
    } cases[] = {{1, 10, 1e-3, WAYS},  {1, 10, 1e-9, WAYS},  {1, 25, 0.1, WAYS},   {3, 4, 1e-4, WAYS},
                 {25, 1, 1e-3, EVENT}, {25, 1, 1e-8, EVENT}, {60, 0.5, 1e-3, HEM2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (Way way = 0; way < cases[i].most; way++) {
            const double mu = 0.5, angle = cases[i].angle * PI / 180, azimuth = 0.4 * (double)i;
            BrMat3 A = turn_about(vec(0.3, -0.8, 0.5), 0.7 * (double)i);
            Machine m = machine_begin(slope_gravity(&A, angle, azimuth));
            BrMaterialId wood = add_creeping(&m, "wood", mu, cases[i].gamma);
            add_slope(&m, &A, wood);
            stack(&m, &A, cases[i].boxes, wood);
            machine_ready(&m);
            bool long_run = cases[i].gamma > 0.01;
            go(&m, way, 5e-3, cases[i].boxes > 30 ? 60 : long_run ? 1000 : 40);
            double creep = cases[i].gamma * atanh(tan(angle) / mu);
            for (int k = 0; k < cases[i].boxes; k++) {
                char name[16];
                snprintf(name, sizeof name, "box %d", k);
                BrVec3 v = rotate_back(&A, machine_twist(&m, br_model_find_body(m.model, name)).linear);
                BrVec3 down = vec((k + 1) * creep * cos(azimuth), (k + 1) * creep * sin(azimuth), 0);
                /* contacts are certified to 1e-9 of G h = 0.05 m/s, which adds up over the boxes */
                assert_vec_near(v, down, (k + 1) * fmax(1e-12, cases[i].boxes > 3 ? 5e-11 : 1e-9 * creep));
            }
            machine_end(&m);
        }
}

/* Along a level floor v' = -mu G tanh(v/gamma): sinh(v/gamma) = sinh(v0/gamma) exp(-mu G t/gamma). */
static double slide_error(Way way, double dt) {
    const double mu = 0.3, gamma = 0.5, start = 1, end = 0.4;
    Machine m = machine_begin(DOWN);
    BrMaterialId wood = add_creeping(&m, "wood", mu, gamma);
    machine_floor(&m, wood);
    BrBodyId point = machine_body(&m, "point", 2, diagonal(1, 1, 1), NONE);
    machine_point(&m, point, NONE, wood);
    machine_ready(&m);
    machine_set_twist(&m, point, vec(0.6 * start, 0.8 * start, 0), NONE);
    go(&m, way, dt, (int)lround(end / dt));
    double v = gamma * asinh(sinh(start / gamma) * exp(-mu * G * end / gamma));
    BrVec3 is = machine_twist(&m, point).linear;
    assert_true(v > 0.05 && v < 0.5 * start);
    machine_end(&m);
    return norm(sub(is, vec(0.6 * v, 0.8 * v, 0)));
}

static void slides_have_the_order_of_their_scheme(void **unused) {
    (void)unused;
    assert_near(slide_error(EVENT, 0.02), 0, 1e-12);
    assert_near(observed_order(slide_error(MOREAU, 2e-3), slide_error(MOREAU, 1e-3)), 1, 0.02);
    assert_near(observed_order(slide_error(HEM2, 2e-3), slide_error(HEM2, 1e-3)), 2, 0.02);
}

/* ------------------------------------------------------------------ a rod: normal force and friction depend on each other */

enum { ANGLE, X, TURN, SLIDE };
static const double MU = 0.6, L = 0.5, J = 1. / 12;

/* [Song 2000, Eqs 26-29, 41]: the end slips with v + L s w; 1 kg. */
static double press_of_rod(const double *y, double gamma) {
    double s = sin(y[ANGLE]), c = cos(y[ANGLE]), w = y[TURN], rub = -MU * tanh((y[SLIDE] + L * s * w) / gamma);
    return (G - L * s * w * w) / (1 + L * L * c / J * (c - rub * s));
}

static void drive_rod(double t, const double *y, double *rate, const void *user) {
    double s = sin(y[ANGLE]), c = cos(y[ANGLE]), gamma = *(const double *)user, press = press_of_rod(y, gamma);
    double rub = -MU * tanh((y[SLIDE] + L * s * y[TURN]) / gamma);
    (void)t;
    rate[ANGLE] = y[TURN];
    rate[X] = y[SLIDE];
    rate[TURN] = L * press * (rub * s - c) / J;
    rate[SLIDE] = rub * press;
}

/* The error of a rod's angle and place after 0.25 s in which its foot turns round, from rest at 45 degrees. */
static double rod_error(Way way, double dt, double gamma, double azimuth) {
    double y[4] = {PI / 4, L * cos(PI / 4), 0, 0}, s = sin(PI / 4);
    BrMat3 A = turn_about(vec(0, 0, 1), azimuth), lean = turn_about(Y, -PI / 4);
    Machine m = machine_begin(DOWN);
    BrMaterialId wood = add_creeping(&m, "wood", MU, gamma);
    machine_floor(&m, wood);
    BrBodyDef def = br_default_body_def();
    def.name = "rod", def.mass = 1, def.inertia = diagonal(1e-3, J, J);
    def.position = rotate(&A, vec(y[X], 0, L * s));
    def.rotation = (BrMat3){0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) def.rotation.m[i][j] += A.m[i][k] * lean.m[k][j];
    BrBodyId rod = machine_add_body(&m, &def);
    machine_point(&m, rod, vec(-L, 0, 0), wood);
    machine_ready(&m);
    go(&m, way, dt, (int)lround(0.25 / dt));
    integrate(drive_rod, &gamma, 4, 0, 0.25, 20000, y);
    BrContact contact = machine_contact(&m, 0);
    double press = contact.normal_force, rub = norm(contact.friction_force);
    assert_true(rub <= MU * press);
    assert_near(rub, MU * press * tanh(norm(contact.slip) / gamma), 1e-9); /* what is told obeys the law */
    assert_near(machine_energy(&m).defect, 0, way == EVENT ? 1e-12 : way == HEM2 ? 1e-5 : 0.01); /* of 1.3 J */
    BrVec3 place = rotate_back(&A, machine_pose(&m, rod).position);
    if (way == EVENT) assert_near(press, press_of_rod(y, gamma), 1e-7);
    machine_end(&m);
    return hypot(place.x - y[X], place.z - L * sin(y[ANGLE]));
}

static void rods_press_as_they_rub(void **unused) {
    (void)unused;
    assert_near(rod_error(EVENT, 0.01, 0.5, 0), 0, 1e-10);
    assert_near(rod_error(EVENT, 0.01, 0.02, 1), 0, 1e-10);
    assert_near(observed_order(rod_error(MOREAU, 1e-3, 0.5, 0), rod_error(MOREAU, 5e-4, 0.5, 0)), 1, 0.1);
    assert_near(observed_order(rod_error(HEM2, 1e-3, 0.5, 2), rod_error(HEM2, 5e-4, 0.5, 2)), 2, 0.1);
}

/* ------------------------------------------------------------------ Coulomb's law as the limit */

/* A ball thrown along a floor: it slips, then rolls. Where it is after 1 s. gamma 0: coulomb. */
static BrVec3 throw_ball(Way way, double gamma) {
    Machine m = machine_begin(DOWN);
    BrMaterialId wood = gamma > 0 ? add_creeping(&m, "wood", 0.2, gamma) : machine_material(&m, "wood", 0.2, 0);
    machine_floor(&m, wood);
    BrBodyId ball = machine_ball(&m, "ball", 1, 0.1, vec(0, 0, 0.1), wood);
    machine_ready(&m);
    machine_set_twist(&m, ball, vec(2, 1, 0), vec(3, 0, 0));
    go(&m, way, 5e-3, 200);
    BrVec3 place = machine_pose(&m, ball).position;
    machine_end(&m);
    return place;
}

/* Friction differs from Coulomb's by 2 mu exp(-2u/gamma) while it slips, so that the way differs in proportion to gamma; the
 * smallest is like a cone that holds. */
static void goes_to_coulomb(void **unused) {
    (void)unused;
    for (Way way = 0; way < WAYS; way++) {
        BrVec3 limit = throw_ball(way, 0);
        double last = INFINITY;
        for (int k = 0; k < 3; k++) {
            double gamma = 1e-2 * pow(0.1, k), off = norm(sub(throw_ball(way, gamma), limit));
            assert_true(off < 0.01 * gamma && off < 0.5 * last);
            last = off;
        }
        assert_near(norm(sub(throw_ball(way, 1e-9), limit)), 0, 1e-8);
    }
}

/* ------------------------------------------------------------------ impacts, heaps, books */

/* Boxes fall upon each other, strike, slide, and come to rest: friction lies in its cone, the mechanical energy never grows
 * but by what a step of order 1 makes, and what is lost is booked. */
static void heaps_stay_in_the_cone(void **unused) {
    (void)unused;
    for (Way way = MOREAU; way < EVENT; way++)
        for (int k = 0; k < 3; k++) {
            Machine m = machine_begin(DOWN);
            BrMaterialId wood = add_creeping(&m, "wood", 0.4, pow(10, -1 - 3 * k));
            machine_floor(&m, wood);
            machine_pyramid(&m, 3, wood);
            BrBodyId ball = machine_ball(&m, "ball", 0.5, 0.1, vec(-0.5, 0.03, 0.3), wood);
            machine_ready(&m);
            machine_set_twist(&m, ball, vec(3, 0, 0), vec(0, 20, 5));
            double energy = machine_mechanical_energy(&m), began = energy;
            for (int step = 0; step < 300; step++) {
                go(&m, way, 2e-3, 1);
                double now = machine_mechanical_energy(&m);
                assert_true(now < energy + 1e-4 * began);
                energy = now;
                for (int c = machine_contact_count(&m) - 1; c >= 0; c--) {
                    BrContact contact;
                    assert_int_equal(br_contact(m.model, m.workspace, c, &contact), BR_OK);
                    assert_true(norm(contact.friction_force) <= contact.mu * contact.normal_force * (1 + 1e-9) + 1e-12);
                    /* the normal of the step's end is a hundredth away from that of its impulse */
                    assert_true(norm(contact.friction_force_mean) <= 0.4 * 1.01 * contact.normal_force_mean + 1e-6);
                }
            }
            assert_near(machine_energy(&m).defect, 0, 0.02 * began);
            machine_end(&m);
        }
}

/* ------------------------------------------------------------------ what is refused, and what is told */

static void what_does_not_fit_is_refused(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId wood = add_creeping(&m, "wood", 0.5, 1e-3);
    machine_floor(&m, wood);
    machine_ball(&m, "ball", 1, 0.1, vec(0, 0, 0.1), wood);
    machine_ready(&m);
    for (int k = 0; k < 3; k++) {
        BrError error = {0};
        BrStepDef def = step_of(MOREAU, 1e-3);
        if (k == 0) def.friction_set = BR_FRICTION_BOX;
        if (k == 1) def.friction_set = BR_FRICTION_POLYGON;
        if (k == 2) def.scheme = BR_SCHEME_EULER_PAPER;
        assert_int_equal(br_step_fits(m.model, &def, &error), BR_UNSUPPORTED);
        assert_non_null(strstr(error.text, "the law 'tanh' works with the friction set cone"));
        assert_non_null(strstr(error.text, k == 0 ? "'box'" : k == 1 ? "'polygon'" : "'euler-paper'"));
    }
    machine_end(&m);
}

/* Painleve's rod, its end sliding ahead fast enough for all of mu: W_NN < mu W_NT, and it is pressed down. No force fits:
 * event refuses the step, as with coulomb. */
static void no_answer_is_told(void **unused) {
    (void)unused;
    double angle = 70 * PI / 180;
    Machine m = machine_begin(DOWN);
    BrMaterialId wood = add_creeping(&m, "wood", 2, 1e-2);
    machine_floor(&m, wood);
    BrBodyDef def = br_default_body_def();
    def.name = "rod", def.mass = 1, def.inertia = diagonal(1e-3, J, J);
    def.position = vec(L * cos(angle), 0, L * sin(angle)), def.rotation = turn_about(Y, -angle);
    BrBodyId rod = machine_add_body(&m, &def);
    machine_point(&m, rod, vec(-L, 0, 0), wood);
    machine_ready(&m);
    machine_set_twist(&m, rod, vec(-1, 0, 0), NONE);
    BrStepDef step = step_of(EVENT, 1e-3);
    BrError error = {0};
    BrStatus status = br_step(m.model, m.workspace, m.state, &step, NULL, &error);
    assert_true(status < 0);
    assert_non_null(strstr(error.text, "no contact forces fit there"));
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems_obey_the_law),
        cmocka_unit_test(certificate_sees_what_is_wrong),
        cmocka_unit_test(boxes_creep_down_as_the_law_says),
        cmocka_unit_test(slides_have_the_order_of_their_scheme),
        cmocka_unit_test(rods_press_as_they_rub),
        cmocka_unit_test(goes_to_coulomb),
        cmocka_unit_test(heaps_stay_in_the_cone),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(no_answer_is_told),
    };
    return cmocka_run_group_tests_name("friction that builds up with the slip", tests, NULL, NULL);
}
