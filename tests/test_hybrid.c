/* test_hybrid.c: the formulation hybrid: timestepping to the bit where rigid contact has one answer, compliant where it may
 * have none or several; what is told of a switch; states that go over without a jump. Symbols: G gravity. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "bristle/scene.h"
#include "counting.h"
#include "soft_support.h"

static const char ROD[] =
    "bristle: 1\nstep: {formulation: hybrid, dt: 1 ms}\nmaterials:\n  steel:\n    friction: {law: coulomb, mu: 1}\n"
    "    compliant:\n      normal: {law: hunt-crossley, stiffness: 4e13, exponent: 2, alpha: 300}\n"
    "      friction: {law: coulomb-compliant, mu: 1, stiffness: 2e7, damping: 4e3}\n"
    "bodies:\n  table: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: steel}]}\n"
    "  rod: {mass: 1, inertia: [1e-4, 1/144, 1/144], pose: {position: [0.5*cos(70 deg), 0, 0.5*sin(70 deg)], "
    "rotate: [{y: -70 deg}]}, shapes: [{point: {}, at: [-0.5, 0, 0], material: steel}]}\n"
    "forces: {turn: {body: rod, torque: {table: [[0, 0, 0, 0], [0.05, 0, 1, 0], [0.1, 0, 0, 0]]}}}\n";

static const double G = 9.81, L = 0.5, DT = 1e-3;
static const BrVec3 NONE = {0, 0, 0}, Y = {0, 1, 0}, DOWN = {0, 0, -9.81};

/* Hunt and Crossley with a tangential spring, as Song 2000 scales them: 1 kg, eps 1e-6 of L; the spring `soft` times as soft. */
static BrMaterialId add_soft_steel(Machine *m, double mu, double soft) {
    const double eps = 1e-6, T = sqrt(L / G);
    const Given normal = {
        "hunt-crossley",
        {{"stiffness", L / pow(T * eps * L, 2)}, {"exponent", 2}, {"alpha", 2 * T / (3 * sqrt(eps) * L)}}};
    const Given rub = {"coulomb-compliant",
                       {{"mu", mu}, {"stiffness", 1 / (soft * eps * T * T)}, {"damping", 1 / (sqrt(eps) * T)}}};
    BrMaterialDef def = br_default_material_def();
    def.name = "steel";
    br_law_set(&def.surface.friction, "mu", mu);
    def.surface.compliant_normal = make_law(BR_LAW_NORMAL, &normal);
    def.surface.compliant_friction = make_law(BR_LAW_FRICTION, &rub);
    return machine_add_material(m, &def);
}

static BrMaterialId add_steel(Machine *m, double mu) { return add_soft_steel(m, mu, 1); }

/* A uniform rod of 1 kg leans on a table, its foot sliding with `slip`. */
static Machine make_rod(double degrees, double mu, double slip, BrBodyId *rod) {
    double angle = degrees * PI / 180;
    Machine m = machine_begin(DOWN);
    BrMaterialId steel = add_steel(&m, mu);
    machine_floor(&m, steel);
    BrBodyDef def = br_default_body_def();
    def.name = "rod", def.mass = 1, def.inertia = diagonal(1e-4, L * L / 3, L * L / 3);
    def.position = vec(L * cos(angle), 0, L * sin(angle)), def.rotation = turn_about(Y, -angle);
    *rod = machine_add_body(&m, &def);
    machine_point(&m, *rod, vec(-L, 0, 0), steel);
    machine_ready(&m);
    machine_set_twist(&m, *rod, vec(slip, 0, 0), NONE);
    return m;
}

static BrStepDef def_of(BrFormulation formulation) {
    BrStepDef def = machine_step_def(BR_SCHEME_HEM2, DT);
    def.formulation = formulation;
    if (formulation == BR_FORMULATION_COMPLIANT) def.scheme = BR_SCHEME_ADAPTIVE;
    return def;
}

/* What one run told. */
typedef struct Told {
    int to_compliant, to_rigid;
    BrEvent first, last; /* of either kind */
    int choices;
    BrEvent choice; /* the first */
} Told;

static void step_once(Machine *m, BrFormulation formulation, Told *told) {
    BrStepDef def = def_of(formulation);
    BrStepReport report;
    BrError error = {0};
    BrStatus status = br_step(m->model, m->workspace, m->state, &def, &report, &error);
    if (status < 0) fail_msg("%s %s", br_status_name(status), error.text);
    for (int i = 0; i < report.events && i < BR_STEP_EVENTS; i++) {
        const BrEvent *e = &report.event[i];
        if (e->kind == BR_EVENT_CHOICE && told->choices++ == 0) told->choice = *e;
        if (e->kind != BR_EVENT_COMPLIANT && e->kind != BR_EVENT_RIGID) continue;
        if (told->to_compliant + told->to_rigid == 0) told->first = *e;
        told->last = *e;
        told->to_compliant += e->kind == BR_EVENT_COMPLIANT;
        told->to_rigid += e->kind == BR_EVENT_RIGID;
    }
}

/* A rod goes the way of timestepping, to the bit, and nothing is told. */
static void expect_timestepping(double degrees, double mu, double slip, int steps) {
    BrBodyId rod, other;
    Machine hybrid = make_rod(degrees, mu, slip, &rod), rigid = make_rod(degrees, mu, slip, &other);
    Told told = {0};
    for (int k = 0; k < steps; k++) {
        step_once(&hybrid, BR_FORMULATION_HYBRID, &told);
        step_once(&rigid, BR_FORMULATION_TIMESTEPPING, &told);
        BrPose a = machine_pose(&hybrid, rod), b = machine_pose(&rigid, other);
        assert_memory_equal(&a, &b, sizeof a);
    }
    assert_int_equal(told.to_compliant + told.to_rigid, 0);
    machine_end(&hybrid);
    machine_end(&rigid);
}

/* mu below 4/3 leaves a uniform rod one answer at any angle. */
static void one_answer_is_timestepping(void **unused) {
    (void)unused;
    expect_timestepping(70, 1.3, -1, 500);
}

/* Painleve's rod: mu_c = (4 + t^2)/(3 t), t the tangent of its angle, and its foot slides ahead: no rigid force fits. It
 * begins compliant, digs in, rolls and falls; where mu_c is above 1.05 mu it is rigid again. No energy comes from nowhere,
 * and it goes the way of compliant contact alone. */
static void painleves_rod_passes(void **unused) {
    (void)unused;
    const double mu = 1.6, degrees[] = {50, 56, 65, 72};
    for (int i = 0; i < 4; i++) {
        BrBodyId rod, other;
        Machine m = make_rod(degrees[i], mu, -1, &rod), soft = make_rod(degrees[i], mu, -1, &other);
        double t = tan(degrees[i] * PI / 180), energy = machine_mechanical_energy(&m), began = energy;
        Told told = {0}, unused_told = {0};
        br_state_set_formulation(soft.state, BR_FORMULATION_COMPLIANT);
        for (int k = 0; k < 500; k++) {
            step_once(&m, BR_FORMULATION_HYBRID, &told);
            step_once(&soft, BR_FORMULATION_COMPLIANT, &unused_told);
            double now = machine_mechanical_energy(&m);
            assert_true(now <
                        energy + 2e-6 * began); /* a step of order 2 makes so little; a switch lifts by 1e-7 of L */
            energy = now;
            /* the foot strikes and slides anew where the compliant one does; after a switch steps are of order 2 */
            assert_vec_near(machine_pose(&m, rod).position, machine_pose(&soft, other).position, 1e-4);
        }
        assert_int_equal(told.to_compliant, 1);
        assert_int_equal(told.first.kind, BR_EVENT_COMPLIANT);
        assert_near(told.first.time, 0, 0);
        assert_near(told.first.before, mu, 0);
        assert_int_equal(told.first.reason, BR_SWITCH_NO_ANSWER);
        assert_near(told.first.after, (4 + t * t) / (3 * t), 1e-12);
        if (i < 2) assert_int_equal(told.to_rigid, 1); /* the steeper ones are still falling */
        if (i < 2) assert_int_equal(told.last.reason, BR_SWITCH_SETTLED);
        if (i < 2) assert_between(told.last.after, 1.05 * mu, 1.06 * mu);
        machine_end(&m);
        machine_end(&soft);
    }
}

/* The slender rod of Song's case 2, I = 1/144, leans at 70 degrees while a moment about Y turns its upper end down. */
static Machine make_slender(double mu, double soft, BrFunctionDef moment, double slip, BrBodyId *rod) {
    const double angle = 70 * PI / 180, I = 1. / 144;
    Machine m = machine_begin(DOWN);
    BrMaterialId steel = add_soft_steel(&m, mu, soft);
    machine_floor(&m, steel);
    BrBodyDef def = br_default_body_def();
    def.name = "rod", def.mass = 1, def.inertia = diagonal(1e-4, I, I);
    def.position = vec(L * cos(angle), 0, L * sin(angle)), def.rotation = turn_about(Y, -angle);
    *rod = machine_add_body(&m, &def);
    machine_point(&m, *rod, vec(-L, 0, 0), steel);
    BrForceDef force = br_default_force_def();
    force.name = "turn", force.body = *rod, force.torque[1] = moment;
    assert_int_equal(br_model_add_force(m.model, &force, NULL, NULL), BR_OK);
    machine_ready(&m);
    machine_set_twist(&m, *rod, vec(slip, 0, 0), NONE);
    return m;
}

/* At rest, with a moment that grows: when that is 0.4 N m it could part as well. Rigid until then, though (13.1) fails from the
 * start; then it goes over: forces and velocities are as before, places by the depth of its foot. */
static void states_go_over_without_a_jump(void **unused) {
    (void)unused;
    const double I = 1. / 144, moment[] = {0, 0, 0.1, 2};
    BrBodyId rod;
    Machine m = make_slender(1, 1, br_table(moment, 2), 0, &rod);
    Told told = {0};
    BrContact contact = {0};
    for (int k = 0; k < 2000 && told.to_compliant == 0; k++) {
        step_once(&m, BR_FORMULATION_HYBRID, &told);
        BrContact now = machine_contact(&m, 0);
        if (told.to_compliant) {
            /* in a step forces change by some 1e-2 of themselves; a spring that was not bent would be off by all of it */
            assert_near(now.normal_force, contact.normal_force, 0.03 * contact.normal_force);
            assert_vec_near(now.friction_force, contact.friction_force, 0.03 * contact.normal_force);
            assert_true(now.gap < 0 && now.gap > -2e-6 * L);
            assert_true(norm(machine_twist(&m, rod).linear) < 2);
        }
        contact = now;
    }
    assert_int_equal(told.to_compliant, 1);
    assert_int_equal(told.first.reason, BR_SWITCH_SEVERAL);
    double leans = asin(machine_pose(&m, rod).rotation.m[2][0]), s = sin(leans), c = cos(leans);
    assert_near(told.last.after, (1 + 36 * c * c) / (36 * s * c), 1e-5);
    /* free, its foot would rise: -g + M L cos/I + L w^2 sin = 0 at that time, to a step's growth of M */
    double w = machine_twist(&m, rod).angular.y, M = 20 * told.first.time;
    assert_near(-G + M * L * c / I + L * w * w * s, 0, 20 * DT * L * c / I);
    /* what follows is smooth: no force swings by more than a little */
    for (int k = 0; k < 50; k++) {
        step_once(&m, BR_FORMULATION_HYBRID, &told);
        BrContact now = machine_contact(&m, 0);
        assert_near(now.normal_force, contact.normal_force, 0.03 * contact.normal_force);
        contact = now;
    }
    machine_end(&m);
}

/* The same with a spring along the surface that is a hundred times as soft: bending it by lambda_T/k_T takes lambda_T^2/(2 k_T),
 * which comes out of the motion: what the books call the defect does not grow. */
static void what_springs_take_comes_out_of_the_motion(void **unused) {
    (void)unused;
    const double moment[] = {0, 0, 0.1, 2};
    BrBodyId rod;
    Machine m = make_slender(1, 100, br_table(moment, 2), 0, &rod);
    Told told = {0};
    double defect = 0, kinetic = 0, friction = 0;
    while (told.to_compliant == 0) {
        BrEnergy before = machine_energy(&m);
        step_once(&m, BR_FORMULATION_HYBRID, &told);
        BrEnergy after = machine_energy(&m);
        if (told.to_compliant == 0) friction = norm(machine_contact(&m, 0).friction_force);
        defect = after.defect - before.defect, kinetic = before.kinetic;
    }
    double spring = friction * friction / (2 * 1e6 * G / (100 * L));
    assert_true(spring > 1e-6 && kinetic > 10 * spring); /* there is something to pay, and to pay it from */
    assert_true(defect < 1e-3 * spring);
    machine_end(&m);
}

/* An arm on a hinge at h above a running belt, its tip at x before the hinge: the joint counts, and the safe mu is x/h. A belt
 * that pulls the tip towards the hinge turns it into the belt; one that runs the other way, or stands, leaves one answer. */
static void joints_are_held(void **unused) {
    (void)unused;
    const double h = 0.5, x = 0.3, mu = 0.8;
    for (int run = -1; run < 2; run++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId steel = add_steel(&m, mu);
        BrShapeDef belt = br_default_shape_def();
        belt.body = m.ground, belt.kind = BR_SHAPE_PLANE, belt.material = steel;
        belt.surface_velocity_body = vec(run, 0, 0);
        machine_add_shape(&m, &belt);
        BrBodyId arm = machine_body(&m, "arm", 1, diagonal(0.05, 0.05, 0.05), vec(0.5 * x, 0, 0.5 * h));
        machine_point(&m, arm, vec(0.5 * x, 0, -0.5 * h), steel);
        machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, arm, vec(0, 0, h), Y);
        BrFilterDef meet = br_default_filter_def();
        meet.body_a = m.ground, meet.body_b = arm, meet.touch = true;
        assert_int_equal(br_model_add_filter(m.model, &meet, NULL), BR_OK);
        machine_ready(&m);
        Told told = {0};
        step_once(&m, BR_FORMULATION_HYBRID, &told);
        assert_int_equal(told.to_compliant, run < 0);
        if (run < 0) assert_int_equal(told.first.reason, BR_SWITCH_NO_ANSWER);
        if (run < 0) assert_near(told.first.after, x / h, 1e-12);
        machine_end(&m);
    }
}

/* The rod that falls into the region, as a scene with a counted allocator: once some steps are made and a state has been
 * read, neither changes of model nor what follows asks for memory. */
static void a_switch_allocates_nothing(void **unused) {
    (void)unused;
    Counter counter = {0};
    BrSceneOptions options = br_default_scene_options();
    options.allocator = counting_allocator(&counter);
    BrScene *scene = NULL;
    BrState *state = NULL;
    BrWorkspace *w = NULL;
    assert_int_equal(br_scene_parse(ROD, strlen(ROD), "rod.yaml", &options, &scene, NULL), BR_OK);
    const BrModel *m = br_scene_model(scene);
    BrStepDef def = br_scene_run_def(scene).step;
    assert_int_equal(br_state_create(m, &state, NULL), BR_OK);
    assert_int_equal(br_workspace_create(m, &w, NULL), BR_OK);
    assert_int_equal(br_state_assemble(m, w, state, NULL, NULL), BR_OK);
    int switches = 0;
    int64_t before = 0;
    for (int k = 0; k < 600; k++) {
        BrStepReport report;
        assert_true(br_step(m, w, state, &def, &report, NULL) >= 0);
        for (int i = 0; i < report.events; i++) switches += report.event[i].kind >= BR_EVENT_COMPLIANT;
        if (k == 0) assert_int_equal(br_evaluate(m, w, state, NULL), BR_OK);
        if (k == 10) assert_int_equal(switches, 0);
        if (k == 10) before = counter.calls;
    }
    assert_int_equal(switches, 2); /* into the region, and out of it */
    assert_int_equal(counter.calls, before);
    br_workspace_destroy(m, w);
    br_state_destroy(m, state);
    br_scene_destroy(scene);
    assert_int_equal(counter.live, 0);
}

/* Rods that slide the other way, or roll, at an angle that (13.1) fails for have one answer all the same: nothing but
 * timestepping happens. */
static void rigid_where_the_island_has_one_answer(void **unused) {
    (void)unused;
    expect_timestepping(65, 1.6, 1, 20);  /* before its foot comes to rest */
    expect_timestepping(76, 1.6, 0, 500); /* it falls through all angles that are not safe */
}

/* Song's case 2: a rod whose upper end is turned down by Mz: sliding, it has two answers, to part (stable) and to slide on
 * (not). The stable one is taken: it flies, x' and turn as a free body's, closed form. At rest three answers, two of
 * them stable: what yields decides. */
static void of_two_answers_the_stable_one_is_taken(void **unused) {
    (void)unused;
    for (int rests = 0; rests < 2; rests++) {
        const double angle = 70 * PI / 180, I = 1. / 144, slip = rests ? 0 : -0.1, T = 0.02;
        BrBodyId rod;
        Machine m = make_slender(1, 1, br_constant(1), slip, &rod);
        Told told = {0};
        for (int k = 0; k < 20; k++) step_once(&m, BR_FORMULATION_HYBRID, &told);
        if (rests) {
            assert_int_equal(told.to_compliant, 1);
            assert_int_equal(told.first.reason, BR_SWITCH_SEVERAL);
        } else {
            assert_int_equal(told.to_compliant, 0);
            assert_int_equal(told.choices, 1);
            assert_int_equal(told.choice.reason, BR_SWITCH_SEVERAL);
            assert_near(told.choice.time, 0, 0);
            assert_near(told.choice.before, 1, 0);
            BrPose pose = machine_pose(&m, rod);
            assert_vec_near(pose.position, vec(L * cos(angle) + slip * T, 0, L * sin(angle) - 0.5 * G * T * T), 1e-9);
            assert_near(machine_twist(&m, rod).angular.y, 1 / I * T, 1e-9);
        }
        machine_end(&m);
    }
}

/* The same after event has kept the contact, as keep_contact asks it to: timestepping goes on as it was, by the forces there
 * were; hybrid lets it part. */
static void what_was_kept_on_an_unstable_answer_parts(void **unused) {
    (void)unused;
    for (int hybrid = 0; hybrid < 2; hybrid++) {
        BrBodyId rod;
        Machine m = make_slender(1, 1, br_constant(1), -0.1, &rod);
        BrFormulation formulation = hybrid ? BR_FORMULATION_HYBRID : BR_FORMULATION_TIMESTEPPING;
        BrStepDef kept = def_of(BR_FORMULATION_EVENT);
        kept.keep_contact = true;
        for (int k = 0; k < 10; k++) assert_int_equal(br_step(m.model, m.workspace, m.state, &kept, NULL, NULL), BR_OK);
        assert_true(machine_contact(&m, 0).normal_force > 2);
        assert_int_equal(br_state_set_formulation(m.state, formulation), BR_OK);
        Told told = {0};
        for (int k = 0; k < 3; k++) step_once(&m, formulation, &told);
        if (!hybrid) assert_true(machine_contact(&m, 0).normal_force_mean > 2);
        if (hybrid) assert_int_equal(machine_contact_count(&m), 0);
        assert_int_equal(told.choices, hybrid);
        assert_int_equal(told.to_compliant, 0);
        machine_end(&m);
    }
}

/* A ball in a groove of half angle 10 degrees, pulled out by more than it weighs: mu .3 holds it or lets it go, and how hard
 * it was pressed decides: compliant contact, which nothing presses, lets it go. Pulled by less it lies there, rigid; with
 * mu .17 < tan 10 degrees it comes out, rigid. */
static void ball_in_a_groove_is_followed(void **unused) {
    (void)unused;
    const struct {
        double mu, pull;
        int compliant;
    } cases[] = {{0.3, 15, 1}, {0.3, 5, 0}, {0.17, 15, 0}};
    for (int i = 0; i < 3; i++) {
        double half = 10 * PI / 180, radius = 0.1;
        Machine m = machine_begin(vec(0, 0, cases[i].pull - G));
        BrMaterialId steel = add_steel(&m, cases[i].mu);
        machine_plane(&m, vec(cos(half), 0, sin(half)), steel);
        machine_plane(&m, vec(-cos(half), 0, sin(half)), steel);
        BrBodyId ball = machine_ball(&m, "ball", 1, radius, vec(0, 0, radius / sin(half)), steel);
        machine_ready(&m);
        Told told = {0};
        for (int k = 0; k < 20; k++) step_once(&m, BR_FORMULATION_HYBRID, &told);
        assert_int_equal(told.to_compliant, cases[i].compliant);
        if (cases[i].compliant) {
            assert_near(told.first.before, 0.3, 0);
            assert_near(told.first.after, tan(half), 1e-9);
            assert_true(told.first.reason == BR_SWITCH_SEVERAL || told.first.reason == BR_SWITCH_ENDLESS);
        }
        double rises = cases[i].pull > G ? 0.5 * (cases[i].pull - G) * 4e-4 : 0;
        assert_near(machine_pose(&m, ball).position.z, radius / sin(half) + rises, 1e-7);
        machine_end(&m);
    }
}

static void both_parts_must_fit(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
    machine_floor(&m, wood);
    machine_ball(&m, "ball", 1, 0.1, vec(0, 0, 0.1), wood);
    machine_ready(&m);
    BrStepDef def = def_of(BR_FORMULATION_HYBRID);
    BrError error = {0};
    assert_int_equal(br_step_fits(m.model, &def, &error), BR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "compliant"));
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_answer_is_timestepping),
        cmocka_unit_test(painleves_rod_passes),
        cmocka_unit_test(states_go_over_without_a_jump),
        cmocka_unit_test(what_springs_take_comes_out_of_the_motion),
        cmocka_unit_test(joints_are_held),
        cmocka_unit_test(rigid_where_the_island_has_one_answer),
        cmocka_unit_test(of_two_answers_the_stable_one_is_taken),
        cmocka_unit_test(what_was_kept_on_an_unstable_answer_parts),
        cmocka_unit_test(ball_in_a_groove_is_followed),
        cmocka_unit_test(a_switch_allocates_nothing),
        cmocka_unit_test(both_parts_must_fit),
    };
    return cmocka_run_group_tests_name("hybrid", tests, NULL, NULL);
}
