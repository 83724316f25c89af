/* test_networks.c: piles whose contacts slide, yield or hang on joints. The answers have closed forms; what they cost is
 * counted in steps of the solvers, which is the same on every machine: a method that has lost a term still gets there,
 * by others of the ladder, but not as soon. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"
#include "model/state.h"

enum { BOXES = 12, STEPS = 40 };
static const double G = 9.81, MU = 0.2, H = 1e-3;

/* Flat boxes upon each other, each faster than the one below by `slip`. */
static Machine make_deck(const BrMaterialDef *material, double slip) {
    Machine m = machine_begin(vec(0, 0, -G));
    BrMaterialId wood = machine_add_material(&m, material);
    BrBodyId box[BOXES];
    machine_floor(&m, wood);
    for (int i = 0; i < BOXES; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        box[i] = machine_block(&m, name, 1, vec(0.4, 0.4, 0.05), vec(0, 0, 0.025 + 0.05 * i), wood);
    }
    machine_ready(&m);
    for (int i = 0; i < BOXES; i++) machine_set_twist(&m, box[i], vec(slip * (i + 1), 0, 0), vec(0, 0, 0));
    return m;
}

static BrMaterialDef wood(double mu) {
    BrMaterialDef def = br_default_material_def();
    def.name = "wood";
    br_law_set(&def.surface.friction, "mu", mu);
    return def;
}

/* Friction above pulls with mu (i - 1) m g, below holds with mu i m g: every box slows down at mu g, whatever lies on it.
 * 48 contacts slide, all at once; Newton's method sees them coming. */
static void deck_of_cards_slides(void **unused) {
    (void)unused;
    const BrScheme SCHEMES[] = {BR_SCHEME_MOREAU, BR_SCHEME_HEM2};
    for (int s = 0; s < 2; s++) {
        BrMaterialDef material = wood(MU);
        Machine m = make_deck(&material, 0.1);
        BrStepDef def = machine_step_def(SCHEMES[s], H);
        int iterations = 0;
        for (int k = 0; k < STEPS; k++) iterations += machine_steps(&m, &def, 1).solver_iterations;
        for (int i = 0; i < BOXES; i++) {
            double speed = 0.1 * (i + 1) - MU * G * STEPS * H;
            assert_near(machine_twist(&m, br_model_body(m.model, i + 1)).linear.x, speed, 1e-10);
        }
        assert_between(iterations, 1, s ? 20 * STEPS : 5 * STEPS); /* four a solve; hem2 has two, each in rounds */
        machine_end(&m);
    }
}

/* The same deck, of bristles that swing: rows that yield, u + r/(k_t h) = 0. A step of Newton's knows how they yield;
 * without, it takes five times as many. */
static void deck_of_brushes_holds(void **unused) {
    (void)unused;
    BrMaterialDef material = br_default_material_def();
    material.name = "brush";
    material.surface.friction = br_law(BR_LAW_FRICTION, "bristle");
    br_law_set(&material.surface.friction, "mu", 0.5);
    br_law_set(&material.surface.friction, "k_t", 1e3);
    Machine m = make_deck(&material, 1e-3);
    BrStepDef def = machine_step_def(BR_SCHEME_MOREAU, H);
    int iterations = 0;
    for (int k = 0; k < STEPS; k++) iterations += machine_steps(&m, &def, 1).solver_iterations;
    assert_between(iterations, 1, 10 * STEPS); /* five a step: bounds follow the answer in passes */
    machine_end(&m);
}

/* A bob of 20 g at the end of a rod of 3 cm, its own inertia a thousandth of that: alone the spring in its hinge would
 * spin it a hundred times as fast as the hinge lets it. How exactly the hinge's stop is solved goes by the latter. */
static void light_links_loosen_no_tolerance(void **unused) {
    (void)unused;
    const double R = 0.03, MASS = 0.02, INERTIA = 1.6e-8, dt = 6e-6;
    Machine m = machine_begin(vec(0, 0, 0));
    BrBodyId bob = machine_body(&m, "bob", MASS, diagonal(INERTIA, INERTIA, INERTIA), vec(R, 0, 0));
    BrJointDef hinge = br_default_joint_def();
    hinge.name = "hinge", hinge.type = BR_JOINT_REVOLUTE, hinge.body_a = m.ground, hinge.body_b = bob;
    hinge.axis = vec(0, 0, 1);
    hinge.dry_friction[0] = 1e-3;
    machine_joint_spring(&m, "spring", machine_add_joint(&m, &hinge), 0, 10, 0);
    machine_ready(&m);
    machine_set_twist(&m, bob, vec(0, 1, 0), vec(0, 0, 1 / R));
    BrStepDef def = machine_step_def(BR_SCHEME_MOREAU, dt);
    double speed = 0, tolerance = 0;
    for (int k = 0; k < 200; k++) { /* a quarter of a swing: the spring pulls with 1 N m */
        tolerance = fmax(tolerance, machine_steps(&m, &def, 1).contact_tolerance);
        speed = fmax(speed, norm(machine_twist(&m, bob).linear));
    }
    assert_between(tolerance, 0.5e-9 * speed, 1.5e-9 * speed);
    machine_end(&m);
}

/* A block between two walls that it touches on both sides may fall past them, no one pressing, or hang there, pressed as
 * much as one likes. A guess of 1e15 N s from either side, without friction, is neither: what so much rounds to would be
 * faster than anything here, and is no excuse. */
static void wedged_impulses_excuse_nothing(void **unused) {
    (void)unused;
    for (int grip = 0; grip < 16; grip += 3) {
        Machine m = machine_begin(vec(0, 0, -G));
        BrMaterialDef rough = wood(1);
        BrMaterialId material = machine_add_material(&m, &rough);
        for (int side = -1; side <= 1; side += 2) {
            BrShapeDef wall = br_default_shape_def();
            wall.body = m.ground, wall.material = material;
            wall.kind = BR_SHAPE_BOX, wall.size = vec(0.5, 4, 4);
            wall.position_body = vec(0.5 * side, 0, 0);
            machine_add_shape(&m, &wall);
        }
        BrBodyId block = machine_block(&m, "block", 1, vec(0.5, 0.25, 0.25), vec(0, 0, 0), material);
        machine_ready(&m);
        BrStepDef def = machine_step_def(BR_SCHEME_MOREAU, H);
        machine_set_twist(&m, block, vec(1, 0, 0), vec(0, 0, 0));
        machine_steps(&m, &def, 1); /* contacts are known from now on */
        BriContactState *memory = bri_state_contacts(m.state);
        assert_int_equal(m.state->contacts, 8);
        for (int k = 0; k < 8; k++) memory[k].impulse = vec(k < 4 ? pow(10, grip) : -pow(10, grip), 0, 0);
        machine_steps(&m, &def, 1);
        double speed = norm(machine_twist(&m, block).linear), press = 0;
        for (int k = 0; k < m.state->contacts; k++) press += fabs(memory[k].impulse.x);
        bool falls = press < 1e-9 && fabs(speed - G * H) < 1e-9 * G * H, hangs = speed <= 1e-6 * G * H;
        assert_true(falls || hangs);
        machine_end(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(deck_of_cards_slides), cmocka_unit_test(deck_of_brushes_holds),
                                       cmocka_unit_test(light_links_loosen_no_tolerance),
                                       cmocka_unit_test(wedged_impulses_excuse_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
