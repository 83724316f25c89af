/* test_contact_effort.c: how exactly contacts are solved can be bought: a tolerance, and what a step may spend on it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"

enum { ROWS = 10 };

/* A pyramid of boxes that has just been let go, and is pushed at its foot. */
static Machine make_pyramid(void) {
    Machine m = machine_begin(vec(0, 0, -9.81));
    BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
    machine_floor(&m, wood);
    machine_pyramid(&m, ROWS, wood);
    machine_ready(&m);
    return m;
}

typedef struct Effort {
    int certified;
    double work, residual; /* most of a step */
} Effort;

static Effort run(double tolerance, double work, int steps) {
    Machine m = make_pyramid();
    BrStepDef def = machine_step_def(BR_SCHEME_MOREAU, 2e-3);
    def.contact_tolerance = tolerance;
    def.contact_work = work;
    Effort effort = {0};
    for (int k = 0; k < steps; k++) {
        BrStepReport report;
        BrError error = {0};
        BrStatus status = br_step(m.model, m.workspace, m.state, &def, &report, &error);
        if (status < 0) fail_msg("step %d: %s", k, error.text);
        assert_int_equal(status == BR_OK, report.contact_residual <= report.contact_tolerance);
        effort.certified += status == BR_OK;
        effort.work = fmax(effort.work, report.work);
        effort.residual = fmax(effort.residual, report.contact_residual);
    }
    machine_end(&m);
    return effort;
}

/* Without a budget every step is certified; with little the best answer stands and says how good it is: worse, but
 * nothing falls; with a loose tolerance it is met, for less. */
static void effort_is_bought(void **unused) {
    (void)unused;
    enum { STEPS = 20 };
    Effort usual = run(1e-9, INFINITY, STEPS), short_of_work = run(1e-9, 1e6, STEPS), without = run(1e-9, 1, STEPS),
           loose = run(1e-3, INFINITY, STEPS);
    assert_int_equal(usual.certified, STEPS);
    assert_true(usual.residual <= 1e-9 * 0.02); /* m/s: of g dt */
    assert_true(short_of_work.certified < STEPS);
    assert_true(short_of_work.residual > usual.residual && short_of_work.residual < 2 * 0.02); /* of g dt: none falls */
    assert_true(short_of_work.work < usual.work);
    /* what is always done, what it may cost, and a quarter of that for taking overlaps back */
    assert_true(short_of_work.work <= without.work + 1.25 * 1e6);
    assert_int_equal(loose.certified, STEPS);
    assert_true(loose.residual <= 1e-3 * 0.02);
    assert_true(loose.work <= usual.work);
}

static void senseless_effort_is_refused(void **unused) {
    (void)unused;
    Machine m = make_pyramid();
    BrStepDef def = machine_step_def(BR_SCHEME_MOREAU, 2e-3);
    BrError error = {0};
    const double TOLERANCES[] = {0, -1, 1, NAN}, WORKS[] = {0, -1, NAN};
    for (int k = 0; k < 4; k++) {
        def.contact_tolerance = TOLERANCES[k];
        assert_int_equal(br_step(m.model, m.workspace, m.state, &def, NULL, &error), BR_INVALID_ARGUMENT);
        assert_non_null(strstr(error.text, "contact_tolerance"));
    }
    def.contact_tolerance = 1e-9;
    for (int k = 0; k < 3; k++) {
        def.contact_work = WORKS[k];
        assert_int_equal(br_step(m.model, m.workspace, m.state, &def, NULL, &error), BR_INVALID_ARGUMENT);
        assert_non_null(strstr(error.text, "contact_work"));
    }
    machine_end(&m);
}

/* Where contacts stick within it, or part, a polygon of friction asks nothing that the cone does not answer: 50 boxes on each
 * other, 200 contacts, stand, and later steps take less than the first one with the cone (a linear problem of 2000 rows takes 10^9 operations). */
static void polygons_cost_no_more_where_contacts_stick(void **unused) {
    (void)unused;
    enum { BOXES = 50, STEPS = 20 };
    double most[2] = {0}, later = 0;
    for (int polygon = 0; polygon < 2; polygon++) {
        Machine m = machine_begin(vec(0.5, 0.3, -9.81));
        BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
        machine_floor(&m, wood);
        for (int i = 0; i < BOXES; i++) {
            char name[32];
            snprintf(name, sizeof name, "box%d", i);
            machine_block(&m, name, 1, vec(4, 4, 0.2), vec(0, 0, 0.1 + 0.2 * i), wood);
        }
        machine_ready(&m);
        BrStepDef def = machine_step_def(BR_SCHEME_MOREAU, 1e-3);
        def.friction_set = polygon ? BR_FRICTION_POLYGON : BR_FRICTION_CONE;
        def.polygon_sides = 8;
        for (int k = 0; k < STEPS; k++) {
            BrStepReport report = machine_steps(&m, &def, 1); /* certified */
            assert_int_equal(report.contacts, 4 * BOXES);
            most[polygon] = fmax(most[polygon], report.work);
            if (k > 0) later = fmax(later, report.work);
        }
        BrBodyId top = br_model_find_body(m.model, "box49");
        assert_vec_near(machine_pose(&m, top).position, vec(0, 0, 0.1 + 0.2 * (BOXES - 1)), 1e-12);
        machine_end(&m);
    }
    assert_true(later < most[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(effort_is_bought),
                                       cmocka_unit_test(polygons_cost_no_more_where_contacts_stick),
                                       cmocka_unit_test(senseless_effort_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
