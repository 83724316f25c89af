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
    "bristle: 1\nstep: {formulation: hybrid, dt: 1 ms}\nmaterials:\n  steel:\n    friction: {law: coulomb, mu: 1.6}\n"
    "    compliant:\n      normal: {law: hunt-crossley, stiffness: 4e13, exponent: 2, alpha: 300}\n"
    "      friction: {law: coulomb-compliant, mu: 1.6, stiffness: 2e7, damping: 4e3}\n"
    "bodies:\n  table: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: steel}]}\n"
    "  rod: {mass: 1, inertia: [1e-4, 1/12, 1/12], pose: {position: [0.5*cos(76 deg), 0, 0.5*sin(76 deg)], "
    "rotate: [{y: -76 deg}]}, shapes: [{point: {}, at: [-0.5, 0, 0], material: steel}]}\n";

static const double G = 9.81, L = 0.5, DT = 1e-3;
static const BrVec3 NONE = {0, 0, 0}, Y = {0, 1, 0}, DOWN = {0, 0, -9.81};

/* Hunt and Crossley with a tangential spring, as Song 2000 scales them: 1 kg, eps 1e-6 of L. */
static BrMaterialId add_steel(Machine *m, double mu) {
    const double eps = 1e-6, T = sqrt(L / G);
    const Given normal = {
        "hunt-crossley",
        {{"stiffness", L / pow(T * eps * L, 2)}, {"exponent", 2}, {"alpha", 2 * T / (3 * sqrt(eps) * L)}}};
    const Given rub = {"coulomb-compliant",
                       {{"mu", mu}, {"stiffness", 1 / (eps * T * T)}, {"damping", 1 / (sqrt(eps) * T)}}};
    BrMaterialDef def = br_default_material_def();
    def.name = "steel";
    br_law_set(&def.surface.friction, "mu", mu);
    def.surface.compliant_normal = make_law(BR_LAW_NORMAL, &normal);
    def.surface.compliant_friction = make_law(BR_LAW_FRICTION, &rub);
    return machine_add_material(m, &def);
}

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
} Told;

static void step_once(Machine *m, BrFormulation formulation, Told *told) {
    BrStepDef def = def_of(formulation);
    BrStepReport report;
    BrError error = {0};
    BrStatus status = br_step(m->model, m->workspace, m->state, &def, &report, &error);
    if (status < 0) fail_msg("%s %s", br_status_name(status), error.text);
    for (int i = 0; i < report.events && i < BR_STEP_EVENTS; i++) {
        const BrEvent *e = &report.event[i];
        if (e->kind != BR_EVENT_COMPLIANT && e->kind != BR_EVENT_RIGID) continue;
        if (told->to_compliant + told->to_rigid == 0) told->first = *e;
        told->last = *e;
        told->to_compliant += e->kind == BR_EVENT_COMPLIANT;
        told->to_rigid += e->kind == BR_EVENT_RIGID;
    }
}

/* mu below 4/3 leaves a uniform rod one answer at any angle: nothing but timestepping happens, to the bit. */
static void one_answer_is_timestepping(void **unused) {
    (void)unused;
    BrBodyId rod, other;
    Machine hybrid = make_rod(70, 1.3, -1, &rod), rigid = make_rod(70, 1.3, -1, &other);
    Told told = {0};
    for (int k = 0; k < 500; k++) {
        step_once(&hybrid, BR_FORMULATION_HYBRID, &told);
        step_once(&rigid, BR_FORMULATION_TIMESTEPPING, &told);
        BrPose a = machine_pose(&hybrid, rod), b = machine_pose(&rigid, other);
        assert_memory_equal(&a, &b, sizeof a);
    }
    assert_int_equal(told.to_compliant + told.to_rigid, 0);
    machine_end(&hybrid);
    machine_end(&rigid);
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
        assert_near(told.first.after, (4 + t * t) / (3 * t), 1e-12);
        if (i < 2) assert_int_equal(told.to_rigid, 1); /* the steeper ones are still falling */
        if (i < 2) assert_between(told.last.after, 1.05 * mu, 1.06 * mu);
        machine_end(&m);
        machine_end(&soft);
    }
}

/* A rod that falls into the region from above: it rolls there, rigid, and goes over: forces and velocities are as before,
 * places by the depth of its foot. */
static void states_go_over_without_a_jump(void **unused) {
    (void)unused;
    const double mu = 1.6;
    BrBodyId rod;
    Machine m = make_rod(76, mu, 0, &rod);
    Told told = {0};
    BrContact contact = {0};
    BrPose pose = {0};
    for (int k = 0; k < 2000 && told.to_compliant == 0; k++) {
        step_once(&m, BR_FORMULATION_HYBRID, &told);
        BrContact now = machine_contact(&m, 0);
        if (told.to_compliant) {
            /* in a step forces change by some 1e-3 of themselves; a spring that was not bent would be off by all of it */
            assert_near(now.normal_force, contact.normal_force, 0.01 * contact.normal_force);
            assert_vec_near(now.friction_force, contact.friction_force, 0.01 * contact.normal_force);
            assert_true(now.gap < 0 && now.gap > -2e-6 * L);
            assert_true(norm(machine_twist(&m, rod).linear) < 2);
        }
        contact = now;
        pose = machine_pose(&m, rod);
    }
    assert_int_equal(told.to_compliant, 1);
    double t = tan(-asin(pose.rotation.m[2][0]) * -1);
    assert_near(told.last.after, (4 + t * t) / (3 * t), 1e-5);
    /* what follows is smooth: no force swings by more than a little */
    for (int k = 0; k < 50; k++) {
        step_once(&m, BR_FORMULATION_HYBRID, &told);
        BrContact now = machine_contact(&m, 0);
        assert_near(now.normal_force, contact.normal_force, 0.02 * contact.normal_force);
        contact = now;
    }
    machine_end(&m);
}

/* An arm on a hinge at h above a running belt, its tip at x before the hinge: the joint counts, and the safe mu is x/h. */
static void joints_are_held(void **unused) {
    (void)unused;
    const double h = 0.5, x = 0.3, mu = 0.8;
    Machine m = machine_begin(DOWN);
    BrMaterialId steel = add_steel(&m, mu);
    machine_floor(&m, steel);
    BrBodyId arm = machine_body(&m, "arm", 1, diagonal(0.05, 0.05, 0.05), vec(0.5 * x, 0, 0.5 * h));
    machine_point(&m, arm, vec(0.5 * x, 0, -0.5 * h), steel);
    machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, arm, vec(0, 0, h), Y);
    BrFilterDef meet = br_default_filter_def();
    meet.body_a = m.ground, meet.body_b = arm, meet.touch = true;
    assert_int_equal(br_model_add_filter(m.model, &meet, NULL), BR_OK);
    machine_ready(&m);
    Told told = {0};
    step_once(&m, BR_FORMULATION_HYBRID, &told);
    assert_int_equal(told.first.kind, BR_EVENT_COMPLIANT);
    assert_near(told.first.after, x / h, 1e-12);
    machine_end(&m);
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
        cmocka_unit_test(one_answer_is_timestepping),    cmocka_unit_test(painleves_rod_passes),
        cmocka_unit_test(states_go_over_without_a_jump), cmocka_unit_test(joints_are_held),
        cmocka_unit_test(a_switch_allocates_nothing),    cmocka_unit_test(both_parts_must_fit),
    };
    return cmocka_run_group_tests_name("hybrid", tests, NULL, NULL);
}
