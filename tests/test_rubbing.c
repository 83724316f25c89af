/* test_rubbing.c: many bearings at once: a chain of links whose hinges rub, stick and let go by the dozen. What a step does
 * is counted, not timed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamics/rubbing.h"
#include "dynamics/switched.h"
#include "machine.h"

static const BrVec3 X = {1, 0, 0}, Y = {0, 1, 0}, DOWN = {0, 0, -9.81};
static const double LENGTH = 0.1, MASS = 0.1, RADIUS = 3e-3;
enum { LINKS = 60 };

/* Links on hinges from the origin along x, at rest. `heavier`: times the mass of the one before it; mu_s NaN: without friction. */
static Machine make_chain(int links, double mu_s, double mu_k, double heavier) {
    Machine m = machine_begin(DOWN);
    BrBodyId last = m.ground;
    double mass = MASS;
    for (int i = 0; i < links; i++, mass *= heavier) {
        char body[32], hinge[32];
        snprintf(body, sizeof body, "link%d", i);
        snprintf(hinge, sizeof hinge, "hinge%d", i);
        double across = mass * LENGTH * LENGTH / 12;
        BrBodyId link =
            machine_body(&m, body, mass, diagonal(0.1 * across, across, across), vec((i + 0.5) * LENGTH, 0, 0));
        BrJointDef def = br_default_joint_def();
        def.name = hinge, def.type = BR_JOINT_REVOLUTE, def.body_a = last, def.body_b = link;
        def.at = vec(i * LENGTH, 0, 0), def.axis = Y;
        if (mu_s == mu_s) {
            def.friction.law = br_law(BR_LAW_FRICTION, "coulomb");
            br_law_set(&def.friction.law, "mu_s", mu_s), br_law_set(&def.friction.law, "mu_k", mu_k);
            def.friction.pin_radius = RADIUS, def.friction.bearing_spacing = 1e-2;
        }
        machine_add_joint(&m, &def);
        last = link;
    }
    machine_ready(&m);
    return m;
}

static BrJointId hinge_of(const Machine *m, int i) {
    char name[32];
    snprintf(name, sizeof name, "hinge%d", i);
    return br_model_find_joint(m->model, name);
}

typedef struct Way {
    BrFormulation formulation;
    BrScheme scheme;
    double within; /* of what is lost until then, against event */
} Way;

static const Way WAYS[] = {{BR_FORMULATION_TIMESTEPPING, BR_SCHEME_MOREAU, 1e-2},
                           {BR_FORMULATION_TIMESTEPPING, BR_SCHEME_HEM2, 2e-3},
                           {BR_FORMULATION_SMOOTH, BR_SCHEME_HALF_IMPLICIT, 1e-2},
                           {BR_FORMULATION_SMOOTH, BR_SCHEME_BDF2, 2e-3}};

static BrStepDef step_by(const Way *way, double dt) {
    BrStepDef def = machine_step_def(way->scheme, dt);
    def.formulation = way->formulation;
    return def;
}

/* Where every hinge stands, what it bears and how fast it slides say whether it may: those that hold have no more than
 * mu_s of their load, those that slide mu_k of it, against the slip. Every step finds such an answer. */
static void every_hinge_keeps_to_its_law(void **unused) {
    (void)unused;
    for (int w = 0; w < 4; w++) {
        Machine m = make_chain(LINKS, 0.2, 0.15, 1);
        BrStepDef def = step_by(&WAYS[w], 1e-3);
        int held = 0, slid = 0;
        for (int k = 0; k < 40; k++) {
            machine_steps(&m, &def, 5); /* each certified */
            assert_int_equal(br_evaluate(m.model, m.workspace, m.state, NULL), BR_OK);
            for (int i = 0; i < LINKS; i++) {
                BrGrip grip;
                assert_int_equal(br_joint_grip(m.model, m.workspace, m.state, hinge_of(&m, i), 0, &grip), BR_OK);
                double load = grip.normal[0] + grip.normal[1], effort = grip.effort[0] / RADIUS;
                bool slides = grip.mode == BR_GRIP_SLIDES;
                if (slides) assert_near(fabs(effort), 0.15 * load, 1e-9 * (1 + load));
                if (!slides) assert_true(effort * effort <= 0.04 / 1.04 * (load * load + effort * effort) * (1 + 1e-9));
                if (slides) assert_true(effort * machine_rate(&m, hinge_of(&m, i), 0) <= 0);
                held += !slides, slid += slides;
            }
        }
        assert_true(held > LINKS && slid > LINKS);
        machine_end(&m);
    }
}

/* What friction has taken from a short chain after 0.15 s, as event-driven simulation finds it. */
static void chains_lose_what_event_says(void **unused) {
    (void)unused;
    const double UNTIL = 0.15, DT = 2.5e-4;
    enum { SHORT = 6 };
    if (is_slow_run()) return;
    Machine truth = make_chain(SHORT, 0.2, 0.15, 1);
    BrStepDef event = machine_event_def(1e-3);
    machine_steps(&truth, &event, (int)lround(UNTIL / 1e-3));
    double lost = machine_energy(&truth).dissipated;
    assert_true(lost > 1e-3);
    for (int w = 0; w < 4; w++) {
        Machine m = make_chain(SHORT, 0.2, 0.15, 1);
        BrStepDef def = step_by(&WAYS[w], DT);
        machine_steps(&m, &def, (int)lround(UNTIL / DT));
        assert_near(machine_energy(&m).dissipated / lost, 1, WAYS[w].within);
        machine_end(&m);
    }
    machine_end(&truth);
}

/* Hinges change their minds by the hundred while the chain falls, and moreau makes one factor a step; it also looks at
 * loads but once, and once more for some of those that change. half-implicit goes on with the factor that the step before
 * has switched rows in. */
static void modes_change_without_a_factor(void **unused) {
    (void)unused;
    const int STEPS = 300;
    for (int w = 0; w < 3; w += 2) {
        Machine m = make_chain(LINKS, 0.2, 0.15, 1);
        BrStepDef def = step_by(&WAYS[w], 1e-3);
        int factors = 0, changes = 0, passes = 0;
        machine_steps(&m, &def, 5); /* from rest all of them let go at once */
        for (int k = 0; k < STEPS; k++) {
            BrStepReport report = machine_steps(&m, &def, 1);
            factors += report.factorizations;
            changes += report.events;
            passes += report.iterations;
        }
        assert_true(changes > STEPS / 3);
        assert_true(factors <= (w == 0 ? 1.1 : 1.3) * STEPS);
        assert_true(passes < 7 * STEPS); /* a third of them for positions */
        machine_end(&m);
    }
}

/* Operations that steps of a chain count, once its hinges have let go. */
static double count_work(const Way *way, bool rubs) {
    enum { HUNDRED = 100, FROM_REST = 30, STEPS = 270 };
    Machine m = rubs ? make_chain(HUNDRED, 0.2, 0.15, 1) : make_chain(HUNDRED, NAN, NAN, 1);
    BrStepDef def = step_by(way, 1e-3);
    double work = 0;
    machine_steps(&m, &def, FROM_REST);
    for (int k = 0; k < STEPS; k++) work += machine_steps(&m, &def, 1).work;
    machine_end(&m);
    return work;
}

/* Friction in all its hinges costs a chain at most half as much again. */
static void friction_costs_half_a_chain(void **unused) {
    (void)unused;
    for (int w = 0; w < 4; w++) assert_true(count_work(&WAYS[w], true) <= 1.5 * count_work(&WAYS[w], false));
}

/* What a workspace has seen before decides no bit: factors, what was switched in them and trials among it. */
static void a_new_workspace_makes_the_same_bits(void **unused) {
    (void)unused;
    enum { STEPS = 80 };
    for (int w = 0; w < 4; w++) {
        Machine m = make_chain(LINKS, 0.2, 0.15, 1), anew = make_chain(LINKS, 0.2, 0.15, 1);
        BrStepDef def = step_by(&WAYS[w], 1e-3);
        for (int k = 0; k < STEPS; k++) {
            BrStepReport seen = machine_steps(&m, &def, 1);
            br_workspace_destroy(anew.model, anew.workspace);
            assert_int_equal(br_workspace_create(anew.model, &anew.workspace, NULL), BR_OK);
            BrStepReport first = machine_steps(&anew, &def, 1);
            if (br_state_hash(m.state) != br_state_hash(anew.state)) fail_msg("way %d step %d", w, k);
            assert_near(first.work, seen.work, 0);
        }
        machine_end(&m);
        machine_end(&anew);
    }
}

/* What reactions change by bounds what a bearing's friction changes by (10.12), and not by far too much. */
static void reach_bounds_what_loads_change_by(void **unused) {
    (void)unused;
    uint64_t seed = 11;
    double closest = 0;
    for (int i = 0; i < 2000; i++) {
        BriJoint j = {.type = bri_joint_type(BR_JOINT_REVOLUTE)};
        j.def.type = BR_JOINT_REVOLUTE;
        j.def.friction = br_default_joint_def().friction;
        j.def.friction.pin_radius = draw(&seed, 1e-3, 2e-2), j.def.friction.bearing_spacing = draw(&seed, 5e-3, 0.1);
        j.def.friction.collar_radius = i % 2 ? draw(&seed, 0, 3e-2) : 0;
        j.def.friction.bearing_offset = i % 3 ? draw(&seed, -0.1, 0.1) : 0;
        j.frame_a = turn_about(i % 2 ? X : Y, draw(&seed, 0, 6)), j.frame_b = j.frame_a;
        j.point_a = vec(draw(&seed, -1, 1), 0.1, 0), j.point_b = vec(0, draw(&seed, -1, 1), 0.2);
        BriBodyState body[2] = {{.A = turn_about(X, draw(&seed, 0, 6))}};
        body[1].A = body[0].A;
        body[1].r = sub(rotate(&body[0].A, j.point_a), rotate(&body[1].A, j.point_b));
        BriJointPose pose = bri_joint_pose(&j, &body[0], &body[1], 0);
        BriGrip grip = {.rows = 1, .length = {j.def.friction.pin_radius}};
        double Ja[36], Jb[36], p[5], more[5], none[3] = {0}, upper[2], mu = draw(&seed, 0, 0.5);
        bri_joint_jacobian(&j, &pose, Ja, Jb);
        for (int k = 0; k < 2; k++) {
            for (int r = 0; r < 5; r++) {
                if (k > 0) more[r] = draw(&seed, -1, 1) * (r < 3 ? 1 : 0.05);
                p[r] = k > 0 ? p[r] + more[r] : draw(&seed, -3, 3) * (r < 3 ? 1 : 0.05);
            }
            BriHeld held = bri_grip_held(&j, &grip, &pose, Jb, p, none);
            upper[k] = bri_grip_load(&j, &grip, &held, none, mu, 0.5).upper;
            double alone = bri_hinge_bears(&j, &pose.F_a, p, mu, 0.5); /* the same in the joint's axes */
            assert_near(alone, upper[k], 1e-13 * (1 + upper[k]));
        }
        double change = fabs(upper[1] - upper[0]), most = bri_grip_reach(&j, more, mu);
        assert_true(change <= most * (1 + 1e-12));
        if (most > 0) closest = fmax(closest, change / most);
    }
    assert_true(closest > 0.7);
}

/* ------------------------------------------------------------------ switched rows */

static void set_clamp(Machine *m, int i, double clamp) {
    bri_state_joints(m->workspace->trial)[bri_joint_number(m->model, hinge_of(m, i))].clamp[0] = clamp;
}

/* A factor with rows switched on and off, back and forth, answers as one that is made with them; what friction of rows that are
 * off pushes with, too, whether they have left it or were never there. */
static void switched_rows_answer_as_a_new_factor(void **unused) {
    (void)unused;
    enum { SHORT = 20, ROUNDS = 200 };
    uint64_t seed = 3;
    for (int heavy = 0; heavy < 2; heavy++) {
        Machine m = make_chain(SHORT, 0.2, 0.15, heavy ? 1.4 : 1);
        BriSystem *switched = &m.workspace->system, anew;
        BrState *trial = m.workspace->trial;
        const BriBodyState *bodies = bri_state_bodies(m.state);
        int size = 6 * m.model->moving + m.model->rows, made = 0;
        double x[2][6 * SHORT + 6 * SHORT];
        BrError error;
        assert_int_equal(bri_system_create(m.model, &anew, &error), BR_OK);
        assert_true(size <= (int)(sizeof x[0] / sizeof x[0][0]));
        bri_system_factor(m.model, switched, trial, bodies);
        for (int k = 0; k < ROUNDS; k++) {
            double work;
            set_clamp(&m, draw_int(&seed, SHORT), draw_int(&seed, 2) ? BRI_FREE : BRI_AT_UPPER);
            if (bri_system_switch(m.model, switched, trial, &work))
                made++;
            else
                bri_system_factor(m.model, switched, trial, bodies);
            bri_system_factor(m.model, &anew, trial, bodies);
            double largest = 0;
            for (int i = 0; i < size; i++) x[0][i] = x[1][i] = draw(&seed, -1, 1);
            bri_system_solve_loads(m.model, switched, x[0]);
            bri_system_solve_loads(m.model, &anew, x[1]);
            for (int i = 0; i < size; i++) largest = fmax(largest, fabs(x[1][i]));
            for (int i = 0; i < size; i++) assert_near(x[0][i], x[1][i], 1e-7 * largest); /* STIFF times rounding */
            double push[6 * SHORT] = {0};
            for (int i = 0; i < SHORT; i++)
                if (anew.factor_off[i] && draw_int(&seed, 2)) push[6 * i + 5] = draw(&seed, -1, 1);
            memset(x, 0, sizeof x);
            bri_system_solve_pushed(m.model, switched, &switched->J, push, false, x[0]);
            for (int i = 0; i < SHORT; i++) bri_system_add_row(m.model, &anew.J, i, 6 * i + 5, push[6 * i + 5], x[1]);
            bri_system_solve_loads(m.model, &anew, x[1]);
            largest = 1e-30;
            for (int i = 0; i < size; i++) largest = fmax(largest, fabs(x[1][i]));
            for (int i = 0; i < size; i++) assert_near(x[0][i], x[1][i], 1e-7 * largest);
        }
        assert_true(made > ROUNDS / 2);
        bri_system_release(m.model, &anew);
        machine_end(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_hinge_keeps_to_its_law),         cmocka_unit_test(chains_lose_what_event_says),
        cmocka_unit_test(modes_change_without_a_factor),        cmocka_unit_test(a_new_workspace_makes_the_same_bits),
        cmocka_unit_test(reach_bounds_what_loads_change_by),    cmocka_unit_test(friction_costs_half_a_chain),
        cmocka_unit_test(switched_rows_answer_as_a_new_factor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
