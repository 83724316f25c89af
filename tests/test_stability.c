/* test_stability.c: the largest stable inner step of compliant contact, as predicted and as it is: a ball at rest is
 * nudged; below the step that br_stability() names it comes to rest again, above it does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "machine.h"

static const double G = 9.81, MASS = 2, RADIUS = 0.1;
static const BrVec3 DOWN = {0, 0, -9.81};

typedef struct Value {
    const char *name;
    double value;
} Value;

typedef struct Case {
    const char *normal, *friction;
    Value of_normal[4], of_friction[7];
    const char *limit; /* part of what br_stability() gives as the reason */
} Case;

static BrLaw make_law(BrLawKind kind, const char *name, const Value *values) {
    BrLaw law = br_law(kind, name);
    assert_non_null(law.info);
    for (; values->name; values++) assert_true(br_law_set(&law, values->name, values->value));
    return law;
}

static BrMaterialDef make_material(const Case *c) {
    BrMaterialDef def = br_default_material_def();
    def.name = "stuff";
    br_law_set(&def.surface.friction, "mu", 0.4);
    def.surface.compliant_normal = make_law(BR_LAW_NORMAL, c->normal, c->of_normal);
    def.surface.compliant_friction = make_law(BR_LAW_FRICTION, c->friction, c->of_friction);
    return def;
}

/* Where stiffness, the first parameter of all normal laws, carries the weight. */
static double find_depth(const Case *c) {
    double p = strcmp(c->normal, "kelvin-voigt") == 0 ? 1 : 1.5;
    return pow(MASS * G / c->of_normal[0].value, 1 / p);
}

static Machine make_ball_at(const Case *c, double height, BrBodyId *ball) {
    Machine m = machine_begin(DOWN);
    BrMaterialDef def = make_material(c);
    BrMaterialId stuff = machine_add_material(&m, &def);
    machine_floor(&m, stuff);
    *ball = machine_ball(&m, "ball", MASS, RADIUS, vec(0, 0, RADIUS + height), stuff);
    machine_ready(&m);
    br_state_set_formulation(m.state, BR_FORMULATION_COMPLIANT);
    return m;
}

static Machine make_ball(const Case *c, BrBodyId *ball) { return make_ball_at(c, -find_depth(c), ball); }

static BrStepDef make_step(BrScheme scheme, double dt) {
    BrStepDef def = br_default_step_def();
    def.formulation = BR_FORMULATION_COMPLIANT;
    def.scheme = scheme;
    def.dt = dt;
    return def;
}

static BrStability ask(Machine *m, const BrStepDef *def) {
    BrStability stability;
    BrError error = {0};
    if (br_stability(m->model, m->workspace, m->state, def, &stability, &error) != BR_OK) fail_msg("%s", error.text);
    return stability;
}

/* Steps that make energy say so: how many did. */
static int take_steps(Machine *m, const BrStepDef *def, int steps) {
    int flagged = 0;
    for (int k = 0; k < steps; k++) {
        BrStepReport report;
        BrStatus status = br_step(m->model, m->workspace, m->state, def, &report, NULL);
        assert_true(status == BR_OK || status == BR_NOT_CONVERGED);
        assert_int_equal(status == BR_NOT_CONVERGED, report.energy_made > 0);
        flagged += report.energy_made > 0;
    }
    return flagged;
}

/* The fastest motion of the surface after a nudge of speed 1, in units of it. */
static double nudge(const Case *c, BrScheme scheme, double dt, int *flagged) {
    enum { STEPS = 3000, LAST = 50 };
    const double SMALL = 1e-7; /* m/s: far within the cone, far below every floor */
    BrBodyId ball;
    Machine m = make_ball(c, &ball);
    BrStepDef def = make_step(scheme, dt);
    machine_set_twist(&m, ball, vec(SMALL, 0, SMALL), vec(0, 0, 0));
    double fastest = 0;
    *flagged = take_steps(&m, &def, STEPS - LAST);
    for (int k = 0; k < LAST; k++) {
        *flagged += take_steps(&m, &def, 1);
        BrTwist twist = machine_twist(&m, ball);
        double slip = twist.linear.x - RADIUS * twist.angular.y;
        fastest = fmax(fastest, fmax(fabs(slip), fabs(twist.linear.z)));
    }
    machine_end(&m);
    return fastest / SMALL;
}

static const Case CASES[] = {
    {"gonthier",
     "dwell",
     {{"stiffness", 1e6}, {"e", 0.5}},
     {{"mu_s", 0.45}, {"mu_k", 0.4}, {"sigma_0", 1e5}, {"sigma_1", 1e4}, {"v_s", 0.1}, {"tau_dw", 0.01}},
     "sigma_1 in stick decays"},
    {"gonthier",
     "dwell",
     {{"stiffness", 1e6}, {"e", 0.5}, {"floor", 1}},
     {{"mu_s", 0.45}, {"mu_k", 0.4}, {"sigma_0", 1e6}, {"sigma_1", 1e3}, {"v_s", 0.1}, {"tau_dw", 1}},
     "sigma_0 in stick swings"},
    {"gonthier",
     "dwell",
     {{"stiffness", 1e6}, {"e", 0.1}},
     {{"mu_s", 0.45}, {"mu_k", 0.4}, {"sigma_0", 1e5}, {"sigma_1", 1e3}, {"v_s", 0.1}, {"tau_dw", 1}},
     "the normal damping decays"},
    {"hunt-crossley",
     "coulomb-compliant",
     {{"stiffness", 1e6}, {"alpha", 0.5}},
     {{"mu", 0.4}, {"stiffness", 1e5}, {"damping", 5e3}},
     "the tangential damping in stick decays"},
    {"kelvin-voigt", "tanh", {{"stiffness", 1e5}, {"damping", 100}}, {{"mu", 0.4}, {"gamma", 1e-3}}, "mu f_N/gamma"},
    {"kelvin-voigt",
     "tanh",
     {{"stiffness", 1e7}, {"damping", 1e3}},
     {{"mu", 0.4}, {"gamma", 1}},
     "the normal stiffness swings"}};
static const BrScheme SCHEMES[] = {BR_SCHEME_SEMI_IMPLICIT, BR_SCHEME_RK2, BR_SCHEME_RK3, BR_SCHEME_RK4};

/* One limit is predicted for all modes together; what it names as the reason is checked too. */
static void the_limit_is_where_rest_ends(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
        for (size_t k = 0; k < 4; k++) {
            if (is_slow_run() && k != i % 4) continue;
            const Case *c = &CASES[i];
            BrBodyId ball;
            Machine m = make_ball(c, &ball);
            BrStepDef def = make_step(SCHEMES[k], 1e-3);
            BrStability s = ask(&m, &def);
            machine_end(&m);
            int flagged[2];
            double below = nudge(c, SCHEMES[k], 0.9 * s.largest_step, &flagged[0]),
                   above = nudge(c, SCHEMES[k], 1.5 * s.largest_step, &flagged[1]);
            assert_non_null(strstr(s.why, c->limit));
            assert_int_equal(flagged[0], 0);
            assert_true(below < 0.5);
            assert_true(above > 10);
        }
}

/* ------------------------------------------------------------------ several contacts, and those to come */

static double nudge_block(BrVec3 size, BrScheme scheme, double part, int *flagged) {
    enum { STEPS = 3000 };
    static const Case DAMPED = {.normal = "hunt-crossley",
                                .friction = "coulomb-compliant",
                                .of_normal = {{"stiffness", 1e6}, {"alpha", 20}},
                                .of_friction = {{"mu", 0.4}, {"stiffness", 1e5}, {"damping", 2e3}}};
    const Case *c = &DAMPED;
    const double SMALL = 1e-7; /* m/s */
    Machine m = machine_begin(DOWN);
    BrMaterialDef material = make_material(c);
    BrMaterialId stuff = machine_add_material(&m, &material);
    machine_floor(&m, stuff);
    double depth = pow(0.25 * MASS * G / c->of_normal[0].value, 1 / 1.5); /* four contacts share the weight */
    BrBodyId block = machine_block(&m, "block", MASS, size, vec(0, 0, 0.5 * size.z - depth), stuff);
    machine_ready(&m);
    br_state_set_formulation(m.state, BR_FORMULATION_COMPLIANT);
    BrStepDef def = make_step(scheme, 1e-3);
    def.dt = part * ask(&m, &def).largest_step;
    machine_set_twist(&m, block, vec(SMALL, 0.7 * SMALL, SMALL), vec(SMALL, 2 * SMALL, 3 * SMALL));
    *flagged = take_steps(&m, &def, STEPS);
    BrTwist twist = machine_twist(&m, block);
    machine_end(&m);
    return fmax(norm(twist.linear), norm(twist.angular) * norm(size)) / SMALL;
}

/* A face is bounded by its corners, on the safe side: within a factor of two, beyond which `bristle run` refuses. */
static void the_limit_holds_for_faces(void **unused) {
    (void)unused;
    const BrVec3 sizes[] = {{0.2, 0.2, 0.2}, {0.4, 0.4, 0.05}, {1, 0.1, 0.1}};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 4; k++) {
            if (is_slow_run() && k != i + 1) continue;
            int flagged[2];
            double below = nudge_block(sizes[i], SCHEMES[k], 0.9, &flagged[0]),
                   above = nudge_block(sizes[i], SCHEMES[k], 2.0, &flagged[1]);
            assert_int_equal(flagged[0], 0);
            assert_true(below < 0.5);
            assert_true(above > 10);
        }
}

/* A lever whose tip rests on the floor. That it would spin about its own axis most easily counts for nothing: its hinge
 * holds it. */
static double nudge_lever(double part, int *flagged) {
    enum { STEPS = 150 };
    static const Case STIFF = {.normal = "kelvin-voigt",
                               .friction = "tanh",
                               .of_normal = {{"stiffness", 1e6}, {"damping", 100}},
                               .of_friction = {{"mu", 0.4}, {"gamma", 0.01}}};
    const double SMALL = 1e-7, R = 0.05; /* m/s, m */
    Machine m = machine_begin(DOWN);
    BrMaterialDef material = make_material(&STIFF);
    BrMaterialId stuff = machine_add_material(&m, &material);
    BrShapeDef floor = br_default_shape_def(), tip = br_default_shape_def();
    floor.body = m.ground, floor.kind = BR_SHAPE_PLANE, floor.material = stuff;
    floor.position_body = vec(0, 0, -R + 0.5 * G / 1e6); /* half of 1 kg rests on the tip */
    BrBodyId lever = machine_body(&m, "lever", 1, diagonal(1e-9, 1.0 / 12, 1.0 / 12), vec(0.5, 0, 0));
    tip.body = lever, tip.kind = BR_SHAPE_SPHERE, tip.radius = R, tip.material = stuff;
    tip.position_body = vec(0.5, 0, 0);
    machine_add_shape(&m, &floor);
    machine_add_shape(&m, &tip);
    BrJointId hinge = machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, lever, vec(0, 0, 0), vec(0, 1, 0));
    BrFilterDef touch = br_default_filter_def();
    touch.body_a = m.ground, touch.body_b = lever, touch.touch = true;
    assert_int_equal(br_model_add_filter(m.model, &touch, NULL), BR_OK);
    machine_ready(&m);
    br_state_set_formulation(m.state, BR_FORMULATION_COMPLIANT);
    BrStepDef def = make_step(BR_SCHEME_RK4, 1e-3);
    BrStability s = ask(&m, &def);
    assert_non_null(strstr(s.why, "the normal stiffness swings at 1732.1 rad/s")); /* k L^2/(m L^2/3) */
    def.dt = part * s.largest_step;
    machine_set_twist(&m, lever, vec(0, 0, 0.5 * SMALL), vec(0, -SMALL, 0));
    *flagged = take_steps(&m, &def, STEPS);
    double position[3], rate[3];
    assert_int_equal(br_joint_position(m.model, m.state, hinge, position, rate), BR_OK);
    machine_end(&m);
    return fabs(rate[0]) / SMALL;
}

static void joints_hold(void **unused) {
    (void)unused;
    int flagged[2];
    assert_true(nudge_lever(0.9, &flagged[0]) < 0.5);
    assert_true(nudge_lever(1.5, &flagged[1]) > 10);
    assert_int_equal(flagged[0], 0);
    assert_true(flagged[1] > 0); /* what the scheme makes is no solution, and said to be none */
}

static double sum_energy(const Machine *m) {
    BrEnergy e = machine_energy(m);
    return e.kinetic + e.potential + e.stored;
}

/* A ball falls onto a spring, without losses. Beyond the stable step it is thrown higher than it came from, and the steps
 * that do it say so (rk2's limit is a convention: 1.2 of it make 4 %, by little each); at a twentieth none does. There
 * semi-implicit, with w h = 0.1, swings by w h/2 of the energy. No step doubles it unseen. */
static void energy_out_of_nothing_is_flagged(void **unused) {
    (void)unused;
    const Case spring = {"kelvin-voigt", "tanh", {{"stiffness", 1e5}}, {{"mu", 0}}, NULL};
    for (size_t k = 0; k < 4; k++)
        for (int far = 0; far < 3; far++) {
            static const double PART[] = {0.05, 1.2, 4};
            BrBodyId ball;
            Machine m = make_ball_at(&spring, 0.1, &ball);
            BrStepDef def = make_step(SCHEMES[k], 1e-3);
            def.dt = PART[far] * ask(&m, &def).largest_step;
            double start = machine_energy(&m).potential, highest = start;
            int flagged = 0;
            for (double t = 0; t < 1; t += def.dt) {
                double before = sum_energy(&m);
                int now = take_steps(&m, &def, 1);
                double after = sum_energy(&m);
                if (after > 2 * before) assert_int_equal(now, 1);
                highest = fmax(highest, after);
                flagged += now;
            }
            if (!far) assert_int_equal(flagged, 0);
            if (!far) assert_true(highest < 1.05 * start);
            if (far == 1 && SCHEMES[k] != BR_SCHEME_RK2) assert_true(flagged > 0 && highest > 1.2 * start);
            machine_end(&m);
        }
}

/* Without losses an impact lasts as predicted, also across a fall; gravity, left out there, is a thousandth of it. */
static void impacts_last_as_predicted(void **unused) {
    (void)unused;
    const Case HARD[] = {
        {"gonthier", "tanh", {{"stiffness", 1e10}, {"e", 1}}, {{"mu", 0.4}, {"gamma", 1}}, NULL},
        {"gonthier", "tanh", {{"stiffness", 1e13}, {"e", 1}, {"exponent", 2.2}}, {{"mu", 0.4}, {"gamma", 1}}, NULL},
        {"kelvin-voigt", "tanh", {{"stiffness", 1e9}}, {{"mu", 0.4}, {"gamma", 1}}, NULL}};
    for (int i = 0; i < 3; i++) {
        BrBodyId ball;
        Machine m = make_ball(&HARD[i], &ball);
        BrPose pose = {.position = vec(0, 0, RADIUS + 0.3), .rotation = diagonal(1, 1, 1)};
        assert_int_equal(br_body_set_pose(m.model, m.state, ball, pose, NULL), BR_OK);
        BrStepDef def = make_step(BR_SCHEME_ADAPTIVE, 1e-3);
        BrStability s = ask(&m, &def);
        double touch = 0, parting = 0;
        for (int k = 0; k < 400 && parting == 0; k++) {
            BrStepReport report = machine_steps(&m, &def, 1);
            for (int e = 0; e < report.events; e++)
                *(report.event[e].kind == BR_EVENT_TOUCH ? &touch : &parting) = report.event[e].time;
        }
        assert_true(parting > touch);
        assert_near(s.impact_time / (parting - touch), 1, 1e-3);
        assert_true(isinf(s.largest_step) && s.why[0]); /* the adaptive scheme needs none, but knows what is stiff */
        machine_end(&m);
    }
}

/* A slow touch of a hard law is another matter than the impact at hand. */
static void slow_touches_are_told_apart(void **unused) {
    (void)unused;
    const Case *c = &CASES[2];
    BrBodyId ball;
    Machine m = make_ball(c, &ball);
    BrStepDef def = make_step(BR_SCHEME_RK4, 1e-3);
    double resting = ask(&m, &def).largest_step;
    BrPose pose = {.position = vec(0, 0, RADIUS + 0.3), .rotation = diagonal(1, 1, 1)};
    assert_int_equal(br_body_set_pose(m.model, m.state, ball, pose, NULL), BR_OK);
    BrStability falling = ask(&m, &def);
    assert_near(falling.slow_step / resting, 1, 1e-6);
    assert_true(falling.largest_step > 10 * resting);
    machine_end(&m);
}

static void substeps_follow_the_rules(void **unused) {
    (void)unused;
    BrBodyId ball;
    Machine m = make_ball(&CASES[0], &ball);
    for (size_t k = 0; k < 4; k++) {
        BrStepDef def = make_step(SCHEMES[k], 1e-3);
        BrStability s = ask(&m, &def);
        assert_near(s.inner_step, 1e-3, 0);
        assert_true(1e-3 / s.least_substeps <= s.largest_step && 1e-3 / (s.least_substeps - 1) > s.largest_step);
        def.substeps = s.substeps;
        BrStability better = ask(&m, &def);
        assert_true(better.inner_step <= 0.5 * s.largest_step && better.steps_per_impact >= 16);
        assert_int_equal(better.substeps, s.substeps);
    }
    machine_end(&m);
}

static void other_formulations_are_refused(void **unused) {
    (void)unused;
    BrBodyId ball;
    Machine m = make_ball(&CASES[0], &ball);
    BrStepDef def = br_default_step_def();
    BrStability s;
    BrError error = {0};
    assert_int_equal(br_stability(m.model, m.workspace, m.state, &def, &s, &error), BR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "timestepping"));
    machine_end(&m);
}

/* Nothing pulls the ball to the floor and the scheme finds its own steps: no limit at all, and twice the longest dt
 * there is over it would be no number. */
static void without_limits_one_part_is_enough(void **unused) {
    (void)unused;
    const Case stuff = {"kelvin-voigt", "tanh", {{"stiffness", 1e5}}, {{"mu", 0.4}}, NULL};
    Machine m = machine_begin(vec(0, 0, 0));
    BrMaterialDef def = make_material(&stuff);
    BrMaterialId material = machine_add_material(&m, &def);
    machine_floor(&m, material);
    machine_ball(&m, "ball", MASS, RADIUS, vec(0, 0, 1), material);
    machine_ready(&m);
    br_state_set_formulation(m.state, BR_FORMULATION_COMPLIANT);
    BrStepDef step = make_step(BR_SCHEME_ADAPTIVE, 1.5e308);
    BrStability s = ask(&m, &step);
    assert_true(isinf(s.largest_step) && isinf(s.impact_time));
    assert_int_equal(s.substeps, 1);
    assert_int_equal(s.least_substeps, 1);
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_limit_is_where_rest_ends),
        cmocka_unit_test(the_limit_holds_for_faces),
        cmocka_unit_test(joints_hold),
        cmocka_unit_test(energy_out_of_nothing_is_flagged),
        cmocka_unit_test(impacts_last_as_predicted),
        cmocka_unit_test(slow_touches_are_told_apart),
        cmocka_unit_test(substeps_follow_the_rules),
        cmocka_unit_test(without_limits_one_part_is_enough),
        cmocka_unit_test(other_formulations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
