/* test_law_records.c: laws as records: the list is whole, a law made here works like one of the house, and what laws
 * remember is set and read by the names of their tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bristle/scene.h"
#include "model/state.h"
#include "soft_support.h"

static const double G = 9.81;
static const BrVec3 NONE = {0, 0, 0}, DOWN = {0, 0, -9.81};

static const Given SPRING = {"kelvin-voigt", {{"stiffness", 1e4}}};
static const Given RUBBER = {"dwell", {{"mu_s", 0.5}, {"mu_k", 0.4}, {"tau_dw", 0.1}}};

/* ------------------------------------------------------------------ the list */

static void check_functions(const BriLaw *law) {
    bool normal = law->info.kind == BR_LAW_NORMAL, soft = law->info.compliant, rigid = !soft || law->info.rigid;
    bool bears = (law->bearing.holds && law->bearing.slides) || (law->dry.holds && law->dry.slides);
    assert_int_equal(bears && !law->dry.rolls && !law->bounded.rows, law->info.joints && !law->info.lasting);
    assert_true(!law->info.only_joints || law->info.joints);
    if (law->info.only_joints) return;
    assert_int_equal(law->restitution != NULL, normal && !soft);
    assert_int_equal(law->dry.holds && law->dry.slides, !normal && rigid);
    assert_int_equal(law->normal.power && law->normal.answer && law->normal.viscosity && law->normal.damping,
                     normal && soft);
    assert_int_equal(law->friction.answer && law->friction.limit && law->friction.stick, !normal && soft);
    const BriRowsLaw *rows = &law->bounded;
    assert_true(!rows->rows == !rows->passes && !rows->rows == !rows->stored);
}

/* Within the state's room; latches are numbers, not vectors. */
static void check_memory(const BriLaw *law) {
    int numbers = 0, latches = 0;
    for (int k = 0; k < law->info.memories; k++) {
        const BrLawMemory *m = &law->info.memory[k];
        numbers += bri_memory_width(m), latches += m->latch;
        assert_true(m->name[0] && m->symbol[0] && m->help[0]);
        assert_false(m->latch && m->tangent);
        assert_true(m->lowest == m->highest || (m->lowest <= m->initial && m->initial <= m->highest));
    }
    assert_true(numbers <= (law->info.kind == BR_LAW_NORMAL ? BRI_NORMAL_MEMORY : BRI_FRICTION_MEMORY));
    assert_int_equal(law->touch != NULL, latches > 0);
    assert_true(law->info.compliant || numbers == 0);
}

/* One name, one symbol, one meaning, whatever the law. */
static void compare_memory(const BrLawMemory *a, const BrLawMemory *b) {
    bool same = strcmp(a->name, b->name) == 0;
    assert_int_equal(strcmp(a->symbol, b->symbol) == 0, same);
    assert_true(strcmp(a->name, b->symbol) != 0);
    if (!same) return;
    assert_string_equal(a->unit, b->unit);
    assert_true(a->tangent == b->tangent && a->latch == b->latch);
    assert_true(a->lowest == b->lowest && a->highest == b->highest);
}

static void every_law_is_whole(void **unused) {
    (void)unused;
    for (int i = 0; i < br_law_count(); i++) {
        const BriLaw *law = (const BriLaw *)br_law_info(i);
        check_functions(law);
        check_memory(law);
        for (int j = 0; j < br_law_count(); j++)
            for (int k = 0; k < law->info.memories; k++)
                for (int n = 0; n < br_law_info(j)->memories; n++)
                    compare_memory(&law->info.memory[k], &br_law_info(j)->memory[n]);
    }
}

/* A table that is not in the list is no law, whatever it says. */
static void strangers_are_refused(void **unused) {
    (void)unused;
    BrLaw law = br_law(BR_LAW_FRICTION, "tanh");
    BrLawInfo stranger = *law.info;
    br_law_set(&law, "mu", 0.5);
    assert_int_equal(bri_law_check(NULL, &law, BR_LAW_FRICTION, "test", NULL), BR_OK);
    law.info = &stranger;
    assert_int_equal(bri_law_check(NULL, &law, BR_LAW_FRICTION, "test", NULL), BR_INVALID_ARGUMENT);
}

/* ------------------------------------------------------------------ laws made here */

/* f = k delta + q, q' = K delta' - q/tau: a spring beside a spring and damper in a row. Remembers q. */
enum { K_LONG, K_SHORT, TAU };

static BrPower solid_power(const BrLaw *law) { return (BrPower){law->value[K_LONG], 1}; }

static BrNormalAnswer solid_answer(const BrLaw *law, double k, const double *memory, double depth, double rate,
                                   double *memory_rate) {
    double q = memory[0], K = law->value[K_SHORT], tau = law->value[TAU];
    memory_rate[0] = K * rate - q / tau;
    return (BrNormalAnswer){
        .force = k * depth + q, .stored = 0.5 * k * depth * depth + 0.5 * q * q / K, .loss = q * q / (K * tau)};
}

static BrLawDef solid_def(void) {
    static const BrLawParameter TABLE[] = {[K_LONG] = {"k_long", "N/m", NAN, 0, 1e9, NULL, "of the spring"},
                                           [K_SHORT] = {"k_short", "N/m", NAN, 0, 1e9, NULL, "beside it"},
                                           [TAU] = {"tau", "s", NAN, 1e-9, 1e9, NULL, "in which that yields"}};
    static const BrLawMemory MEMORY[] = {{.name = "yielding", .symbol = "q", .unit = "N", .help = "force that yields"}};
    BrLawDef def = br_default_law_def();
    def.name = "solid", def.kind = BR_LAW_NORMAL;
    def.parameters = 3, def.parameter = TABLE;
    def.memories = 1, def.memory = MEMORY;
    def.normal = (BrNormalForces){.power = solid_power, .answer = solid_answer};
    return def;
}

/* f = c v, whatever the load. Remembers the energy lost and, behind it, the way. */
static BrFrictionAnswer oil_answer(const BrLaw *law, double normal, BrVec3 v, const double *memory,
                                   double *memory_rate) {
    double c = law->value[0], lost = c * dot(v, v);
    (void)normal, (void)memory;
    memory_rate[0] = lost, memory_rate[1] = v.x, memory_rate[2] = v.y, memory_rate[3] = v.z;
    return (BrFrictionAnswer){.force = scale(-c, v), .loss = lost};
}

static double oil_limit(const BrLaw *law, const double *memory) { return (void)law, (void)memory, 0; }

static BrLawDef oil_def(void) {
    static const BrLawParameter TABLE[] = {{"c", "N s/m", NAN, 0, 1e9, NULL, "force per slip"}};
    static const BrLawMemory MEMORY[] = {
        {.name = "lost", .symbol = "E", .unit = "J", .initial = 2, .help = "energy"},
        {.name = "way", .symbol = "w", .unit = "m", .tangent = true, .help = "that it has slid"}};
    BrLawDef def = br_default_law_def();
    def.name = "oil", def.kind = BR_LAW_FRICTION;
    def.parameters = 1, def.parameter = TABLE;
    def.memories = 2, def.memory = MEMORY;
    def.friction = (BrFrictionForces){.answer = oil_answer, .limit = oil_limit};
    return def;
}

static void follow_solid(double t, const double *y, double *rate, const void *user) {
    const double *value = user; /* of SOLID; 2 kg */
    (void)t;
    rate[0] = y[1];
    rate[1] = G - (value[K_LONG] * y[0] + y[2]) / 2;
    rate[2] = value[K_SHORT] * y[1] - y[2] / value[TAU];
}

/* A point of 2 kg sinks in and slides, on a floor whose laws are those made here:
 *     v = v0 e^(-c t/m),   way = m/c (v0 - v),   lost = 2 + m/2 (v0^2 - v^2)
 * and the depth follows its own equations; 1e-13 per inner step, a hundred of them. */
static void laws_made_here_are_integrated(void **unused) {
    (void)unused;
    const double c = 3, mass = 2, end = 0.1, value[] = {[K_LONG] = 1e4, [K_SHORT] = 4e4, [TAU] = 0.01};
    const BrVec3 start = {0.3, -0.4, 0};
    Machine m = machine_begin(DOWN);
    BrLawDef solid = solid_def(), oil = oil_def();
    assert_int_equal(br_model_add_law(m.model, &solid, NULL), BR_OK);
    assert_int_equal(br_model_add_law(m.model, &oil, NULL), BR_OK);
    BrMaterialDef material = br_default_material_def();
    material.name = "soft";
    br_law_set(&material.surface.friction, "mu", 0.5);
    material.surface.compliant_normal = br_model_law(m.model, BR_LAW_NORMAL, "solid");
    material.surface.compliant_friction = br_model_law(m.model, BR_LAW_FRICTION, "oil");
    memcpy(material.surface.compliant_normal.value, value, sizeof value);
    assert_true(br_law_set(&material.surface.compliant_friction, "c", c));
    BrMaterialId soft = machine_add_material(&m, &material);
    machine_floor(&m, soft);
    BrBodyId point = machine_body(&m, "point", mass, diagonal(1, 1, 1), vec(0, 0, -1e-3));
    machine_point(&m, point, NONE, soft);
    machine_ready(&m);
    machine_set_twist(&m, point, start, NONE);
    BrStepDef def = soft_def(BR_SCHEME_ADAPTIVE, 1e-3, 1);
    machine_steps(&m, &def, 100);

    double y[3] = {1e-3, 0, 0}, left = exp(-c * end / mass);
    integrate(follow_solid, value, 3, 0, end, 20000, y);
    const BriContactMemory *memory = &bri_state_contacts(m.state)->memory;
    BrVec3 v = scale(left, start), way = scale(mass / c, sub(start, v));
    assert_vec_near(machine_twist(&m, point).linear, vec(v.x, v.y, -y[1]), 1e-10);
    assert_near(-machine_pose(&m, point).position.z, y[0], 1e-11);
    assert_near(memory->normal[0], y[2], 1e-10 * value[K_SHORT] * y[0]);
    assert_near(memory->friction[0], 2 + 0.5 * mass * (dot(start, start) - dot(v, v)), 1e-10);
    assert_vec_near(vec(memory->friction[1], memory->friction[2], memory->friction[3]), way, 1e-10);
    assert_true(fabs(y[2]) > 1); /* N: it takes part */
    assert_near(machine_energy(&m).defect, 0, 1e-10);
    machine_end(&m);
}

/* ------------------------------------------------------------------ by name */

static Machine lay_ball(const Given *friction) {
    Machine m = machine_begin(DOWN);
    BrMaterialId soft = add_soft(&m, "soft", &SPRING, friction);
    machine_floor(&m, soft);
    machine_ball(&m, "ball", 2, 0.1, vec(0, 0, 0.1 - 1e-3), soft);
    return m;
}

static BrStatus try_memory(Machine *m, const char *name, double value, BrError *error) {
    BrMemoryDef def = br_default_memory_def();
    def.body_a = br_model_find_body(m->model, "ball");
    def.body_b = m->ground;
    def.name = name, def.value = value;
    return br_model_add_memory(m->model, &def, error);
}

/* By name or symbol; at once and through the first step, in which it grows with tau_dw: s_dw = 1 - (1 - s0) e^(-t/tau)
 * while nothing slips. Laws that have no such memory do not mind. */
static void contacts_begin_with_what_is_said(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        Machine m = lay_ball(&RUBBER);
        assert_int_equal(try_memory(&m, k ? "s_dw" : "dwell", 0.75, NULL), BR_OK);
        machine_ready(&m);
        br_state_set_formulation(m.state, BR_FORMULATION_COMPLIANT);
        machine_contact(&m, 0);
        assert_true(machine_memory(&m, 0, "dwell").x == 0.75 && machine_memory(&m, 0, "s_dw").x == 0.75);
        BrStepDef def = soft_def(BR_SCHEME_ADAPTIVE, 1e-3, 1);
        machine_steps(&m, &def, 20);
        machine_contact(&m, 0);
        assert_near(machine_memory(&m, 0, "dwell").x, 1 - 0.25 * exp(-0.02 / 0.1), 1e-11);
        machine_end(&m);
    }
    Machine other = lay_ball(&(Given){"tanh", {{"mu", 0.5}}});
    assert_int_equal(try_memory(&other, "dwell", 0.75, NULL), BR_OK);
    machine_ready(&other);
    br_state_set_formulation(other.state, BR_FORMULATION_COMPLIANT);
    machine_contact(&other, 0);
    assert_vec_near(machine_memory(&other, 0, "dwell"), NONE, 0);
    machine_end(&other);
}

static void senseless_memory_is_refused(void **unused) {
    (void)unused;
    const struct {
        const char *name;
        double value;
        const char *says;
    } cases[] = {{"dwell", 1.5, "s_dw is 1.5; allowed is 0 to 1"},
                 {"s_dw", NAN, "allowed is 0 to 1"},
                 {"deflection", 1e-4, "z is a vector, and a number came; set `vector`"},
                 {"damping", 1, "no law can begin with 'damping'"},
                 {"colour", 1, "no law can begin with 'colour'"},
                 {NULL, 1, "no law can begin with ''"},
                 {"dwell", 0.5, "s_dw is there already"}};
    Machine m = lay_ball(&RUBBER);
    assert_int_equal(try_memory(&m, "dwell", 0.5, NULL), BR_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        BrError error = {0};
        assert_int_equal(try_memory(&m, cases[i].name, cases[i].value, &error), BR_INVALID_ARGUMENT);
        if (!strstr(error.text, cases[i].says)) fail_msg("'%s' is not in: %s", cases[i].says, error.text);
    }
    machine_end(&m);
}

/* A load inside the cone, carried by tangential springs that are bent by it from the start, moves nothing; without the
 * load they throw the point back. The bend is of the first body named against the second, along the surface, and each
 * body may be named first. */
static void contacts_begin_bent(void **unused) {
    (void)unused;
    const double k = 1e5, mass = 2, load = 3; /* N: of 0.5 x 19.62 N at most */
    const Given stiff = {"coulomb-compliant", {{"mu", 0.5}, {"stiffness", k}, {"damping", 200}}};
    for (int i = 0; i < 8; i++) {
        bool loaded = i & 1, floor_first = i & 2, off = i & 4;
        double angle = 0.7 * i;
        BrVec3 along = vec(cos(angle), sin(angle), 0), pull = scale(loaded ? load / mass : 0, along);
        Machine m = machine_begin(vec(pull.x, pull.y, -G));
        BrMaterialId soft = add_soft(&m, "soft", &SPRING, &stiff);
        machine_floor(&m, soft);
        BrBodyId point = machine_body(&m, "point", mass, diagonal(1, 1, 1), vec(0, 0, -mass * G / 1e4));
        machine_point(&m, point, NONE, soft);
        BrMemoryDef def = br_default_memory_def();
        def.body_a = floor_first ? m.ground : point;
        def.body_b = floor_first ? point : m.ground;
        def.name = i % 3 ? "z" : "deflection";
        def.vector = scale(floor_first ? -load / k : load / k, along);
        if (off) def.vector.z = 0.1; /* m: no part of it lies in the surface */
        assert_int_equal(br_model_add_memory(m.model, &def, NULL), BR_OK);
        machine_ready(&m);
        BrStepDef step = soft_def(BR_SCHEME_ADAPTIVE, 1e-4, 1);
        machine_steps(&m, &step, 1);
        /* v = -(k z/m) t, but for c t/(2 m) = 5e-3 of it and (w t)^2/6 = 8e-5; at rest the depth rounds to 1e-16 of 1 m */
        BrVec3 expected = scale(loaded ? 0 : -load * 1e-4 / mass, along);
        assert_vec_near(machine_twist(&m, point).linear, expected, loaded ? 1e-14 : 0.01 * load * 1e-4 / mass);
        machine_end(&m);
    }
}

static void vectors_and_numbers_are_told_apart(void **unused) {
    (void)unused;
    const struct {
        const char *name;
        BrVec3 vector;
        const char *says;
    } cases[] = {{"s_dw", {0, 1e-4, 0}, "s_dw is a number, and a vector came; set `value`"},
                 {"z", {0, 1e9, 0}, "z is 1e+09; allowed is -1000 to 1000"},
                 {"z", {0, 0, NAN}, "allowed is -1000 to 1000"}};
    Machine m = lay_ball(&RUBBER);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        BrError error = {0};
        BrMemoryDef def = br_default_memory_def();
        def.body_a = m.ground, def.body_b = br_model_find_body(m.model, "ball");
        def.name = cases[i].name, def.vector = cases[i].vector;
        assert_int_equal(br_model_add_memory(m.model, &def, &error), BR_INVALID_ARGUMENT);
        if (!strstr(error.text, cases[i].says)) fail_msg("'%s' is not in: %s", cases[i].says, error.text);
    }
    machine_end(&m);
}

static void memory_is_read_by_name(void **unused) {
    (void)unused;
    Machine m = lay_ball(&RUBBER);
    double value[3] = {7, 7, 7};
    machine_ready(&m);
    assert_int_equal(br_contact_memory(m.model, m.workspace, 0, "dwell", value), BR_WRONG_STAGE);
    BrStepDef rigid = machine_step_def(BR_SCHEME_MOREAU, 1e-3);
    machine_steps(&m, &rigid, 1);
    machine_contact(&m, 0);
    assert_vec_near(machine_memory(&m, 0, "deflection"), NONE, 0); /* of a rigid step: none */
    assert_int_equal(br_contact_memory(m.model, m.workspace, 0, "colour", value), BR_INVALID_ARGUMENT);
    assert_int_equal(br_contact_memory(m.model, m.workspace, 1, "dwell", value), BR_INVALID_ARGUMENT);
    assert_int_equal(br_contact_memory(m.model, m.workspace, -1, "dwell", value), BR_INVALID_ARGUMENT);
    assert_true(value[0] == 7);
    machine_end(&m);
}

/* A state that asks for compliant forces of surfaces without such laws is refused, not read as forceless. */
static void forces_need_laws(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrError error = {0};
    BrMaterialId hard = machine_material(&m, "hard", 0.5, 0);
    machine_floor(&m, hard);
    machine_ball(&m, "ball", 2, 0.1, vec(0, 0, 0.099), hard);
    machine_ready(&m);
    br_state_set_formulation(m.state, BR_FORMULATION_COMPLIANT);
    assert_int_equal(br_evaluate(m.model, m.workspace, m.state, &error), BR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "nothing is said about their compliance"));
    machine_end(&m);
}

/* ------------------------------------------------------------------ scenes */

static BrStatus read_scene(const char *memory, BrError *error) {
    char text[1024];
    snprintf(text, sizeof text,
             "bristle: 1\nmaterials: {m: {compliant: {normal: {law: gonthier, stiffness: 1e6, e: 0.5}, friction: {law: "
             "dwell, mu_s: 0.5, mu_k: 0.4}}}}\nbodies:\n  floor: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, "
             "material: m}]}\n  ball: {mass: 1, inertia: [1, 1, 1], shapes: [{sphere: {radius: 0.1}, material: m}]}\n"
             "memory: {\"ball/floor\": %s}\n",
             memory);
    BrScene *scene = NULL;
    BrStatus status = br_scene_parse(text, strlen(text), "memory.yaml", NULL, &scene, error);
    br_scene_destroy(scene);
    return status;
}

static void scenes_say_memory_by_the_table(void **unused) {
    (void)unused;
    const char *const wrong[][2] = {{"{s_dw: 2}", "s_dw is 2; allowed is 0 to 1"},
                                    {"{deflection: 1}", "deflection"},
                                    {"{s_dw: 1, dwell: 1}", "s_dw is there already"},
                                    {"{s_dw: 1 m}", "s_dw"}};
    BrError error = {0};
    if (read_scene("{s_dw: 1}", &error) != BR_OK) fail_msg("%s", error.text);
    if (read_scene("{dwell: 0.5}", &error) != BR_OK) fail_msg("%s", error.text);
    if (read_scene("{z: [1 mm, 0, 0], s_dw: 1}", &error) != BR_OK) fail_msg("%s", error.text);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_true(read_scene(wrong[i][0], &error) < 0);
        if (!strstr(error.text, wrong[i][1])) fail_msg("'%s' is not in: %s", wrong[i][1], error.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_law_is_whole),
        cmocka_unit_test(strangers_are_refused),
        cmocka_unit_test(laws_made_here_are_integrated),
        cmocka_unit_test(contacts_begin_with_what_is_said),
        cmocka_unit_test(senseless_memory_is_refused),
        cmocka_unit_test(contacts_begin_bent),
        cmocka_unit_test(vectors_and_numbers_are_told_apart),
        cmocka_unit_test(memory_is_read_by_name),
        cmocka_unit_test(forces_need_laws),
        cmocka_unit_test(scenes_say_memory_by_the_table),
    };
    return cmocka_run_group_tests_name("law records", tests, NULL, NULL);
}
