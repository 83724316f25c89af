/* test_doubts.c: what br_state_doubts() tells: bodies inside each other, Painleve's rod, wedges, contacts beside
 * joints; each at the number where it begins, and not of ordinary scenes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine.h"

static const BrVec3 DOWN = {0, 0, -9.81}, NONE = {0, 0, 0}, X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

typedef struct Told {
    int count[BR_DOUBTS];
    BrDoubt last[BR_DOUBTS];
} Told;

static void note(void *user, const BrDoubt *doubt) {
    Told *told = user;
    assert_true((unsigned)doubt->kind < BR_DOUBTS);
    assert_true(strlen(doubt->text) > 20 && strlen(doubt->text) < sizeof doubt->text - 1);
    told->count[doubt->kind]++;
    told->last[doubt->kind] = *doubt;
}

static Told ask(Machine *m) {
    Told told = {0};
    BrError error = {0};
    uint64_t before = br_state_hash(m->state);
    BrStatus status = br_state_doubts(m->model, m->workspace, m->state, note, &told, &error);
    if (status != BR_OK) fail_msg("%s", error.text);
    assert_true(br_state_hash(m->state) == before);
    return told;
}

static void assert_only(const Told *told, int kind, int count) {
    for (int i = 0; i < BR_DOUBTS; i++) assert_int_equal(told->count[i], i == kind ? count : 0);
}

static void assert_none(const Told *told) { assert_only(told, -1, 0); }

static bool is_body(const Machine *m, BrBodyId id, const char *name) {
    const BrBodyDef *def = br_body_def(m->model, id);
    return def && strcmp(def->name, name) == 0;
}

/* ------------------------------------------------------------------ ordinary scenes */

static void block_on_a_slope_and_stack_are_not_doubted(void **unused) {
    (void)unused;
    double lean = 20 * PI / 180;
    Machine m = machine_begin(DOWN);
    BrMaterialId wood = machine_material(&m, "wood", 0.9, 0);
    BrVec3 up = vec(sin(lean), 0, cos(lean));
    machine_plane(&m, up, wood);
    BrBodyDef def = br_default_body_def();
    def.name = "block";
    def.mass = 1;
    def.inertia = diagonal(1. / 6, 1. / 6, 1. / 6);
    def.rotation = turn_about(Y, lean);
    def.position = scale(0.5, up);
    machine_box(&m, machine_add_body(&m, &def), vec(1, 1, 1), wood);
    machine_ready(&m);
    Told told = ask(&m);
    assert_none(&told);
    machine_end(&m);

    m = machine_begin(DOWN);
    wood = machine_material(&m, "wood", 0.9, 0);
    machine_floor(&m, wood);
    for (int k = 0; k < 10; k++) {
        char name[16];
        snprintf(name, sizeof name, "box%d", k);
        machine_block(&m, name, 1 + 100 * (k == 9), vec(1, 1, 1), vec(0.01 * (k % 3), 0, k + 0.5), wood);
    }
    machine_ready(&m);
    told = ask(&m);
    assert_none(&told);
    machine_end(&m);
}

/* ------------------------------------------------------------------ inside each other */

static Told ask_of_depth(double depth, bool never) {
    Machine m = machine_begin(DOWN);
    BrMaterialId wood = machine_material(&m, "wood", 0.3, 0);
    BrBodyId low = machine_ball(&m, "low", 1, 0.5, NONE, wood);
    BrBodyId high = machine_ball(&m, "high", 1, 0.25, vec(0, 0, 0.75 - depth), wood);
    BrFilterDef filter = br_default_filter_def();
    filter.body_a = low, filter.body_b = high;
    if (never) assert_int_equal(br_model_add_filter(m.model, &filter, NULL), BR_OK);
    machine_ready(&m);
    Told told = ask(&m);
    if (told.count[BR_DOUBT_OVERLAP])
        assert_true(is_body(&m, told.last[0].body[0], "low") && is_body(&m, told.last[0].body[1], "high"));
    machine_end(&m);
    return told;
}

static void overlap_is_told_from_a_millionth_on(void **unused) {
    (void)unused;
    Told told = ask_of_depth(1e-3, false);
    assert_only(&told, BR_DOUBT_OVERLAP, 1);
    assert_near(told.last[BR_DOUBT_OVERLAP].value, 1e-3, 1e-15); /* rounding of coordinates */
    assert_near(told.last[BR_DOUBT_OVERLAP].limit, 1e-3 / 0.25, 1e-14);
    assert_non_null(strstr(told.last[BR_DOUBT_OVERLAP].text, "never: [high, low]"));
    told = ask_of_depth(0.26e-6, false);
    assert_only(&told, BR_DOUBT_OVERLAP, 1);
    told = ask_of_depth(0.24e-6, false);
    assert_none(&told);
    told = ask_of_depth(1e-3, true);
    assert_none(&told);
}

/* ------------------------------------------------------------------ Painleve */

/* A slender rod of length 2l on its end, leaning by `angle` from the floor: W_NN = (1 + 3 cos^2)/m, W_NT = 3 sin cos/m,
 * so that a slide is safe below mu = (1 + 3 cos^2)/(3 sin cos), which is least, 4/3, where tan = 2. */
static void rod_is_doubted_from_its_critical_friction_on(void **unused) {
    (void)unused;
    double angles[] = {atan(2), 0.6, 1.3};
    for (int k = 0; k < 3; k++)
        for (int side = 0; side < 2; side++) {
            double angle = angles[k], c = cos(angle), s = sin(angle), critical = (1 + 3 * c * c) / (3 * s * c);
            Machine m = machine_begin(DOWN);
            BrMaterialId chalk = machine_material(&m, "chalk", critical * (side ? 1.001 : 0.999), 0);
            machine_floor(&m, chalk);
            BrBodyDef def = br_default_body_def();
            def.name = "rod";
            def.mass = 3;
            def.inertia = diagonal(1e-4, 1, 1); /* 3 kg (2l)^2/12 with l = 1 */
            def.rotation = turn_about(Y, -angle);
            def.position = vec(c, 0, s);
            machine_point(&m, machine_add_body(&m, &def), vec(-1, 0, 0), chalk);
            machine_ready(&m);
            Told told = ask(&m);
            assert_only(&told, BR_DOUBT_PAINLEVE, side);
            if (side) assert_near(told.last[BR_DOUBT_PAINLEVE].limit, critical, 1e-12 * critical);
            if (k == 0) assert_near(critical, 4. / 3, 1e-15);
            br_state_set_formulation(m.state, BR_FORMULATION_COMPLIANT); /* which has an answer */
            told = ask(&m);
            assert_none(&told);
            machine_end(&m);
        }
}

/* The same rod, held upright by a guide that lets it slide along the floor and lift: nothing can turn it. */
static void guided_rod_is_not_doubted(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId chalk = machine_material(&m, "chalk", 2, 0);
    machine_floor(&m, chalk);
    BrBodyId rod = machine_body(&m, "rod", 3, diagonal(1, 1, 1), vec(0.5, 0, 0.8));
    machine_point(&m, rod, vec(-0.5, 0, -0.8), chalk);
    machine_joint(&m, "guide", BR_JOINT_PLANAR, m.ground, rod, NONE, Y);
    BrBodyId cross = machine_body(&m, "cross", 1, diagonal(1, 1, 1), NONE);
    machine_joint(&m, "along", BR_JOINT_PRISMATIC, m.ground, cross, NONE, X);
    machine_joint(&m, "up", BR_JOINT_PRISMATIC, cross, rod, NONE, Z);
    BrFilterDef filter = br_default_filter_def();
    filter.body_a = m.ground, filter.body_b = rod, filter.touch = true;
    assert_int_equal(br_model_add_filter(m.model, &filter, NULL), BR_OK);
    machine_ready(&m);
    assert_int_equal(machine_contact_count(&m), 1);
    Told told = ask(&m);
    assert_none(&told);
    machine_end(&m);
}

/* ------------------------------------------------------------------ wedges */

/* A ball in a groove that opens by 2 half: friction holds it from mu = tan(half) on. Of any direction. */
static Told ask_of_groove(double half, double mu, BrMat3 turned) {
    double radius = 0.1;
    Machine m = machine_begin(DOWN);
    BrMaterialId steel = machine_material(&m, "steel", mu, 0);
    machine_plane(&m, rotate(&turned, vec(cos(half), 0, sin(half))), steel);
    machine_plane(&m, rotate(&turned, vec(-cos(half), 0, sin(half))), steel);
    machine_ball(&m, "ball", 1, radius, rotate(&turned, vec(0, 0, radius / sin(half))), steel);
    machine_ready(&m);
    Told told = ask(&m);
    if (told.count[BR_DOUBT_WEDGE]) assert_true(is_body(&m, told.last[BR_DOUBT_WEDGE].body[0], "ball"));
    machine_end(&m);
    return told;
}

static void ball_in_a_groove_may_be_wedged(void **unused) {
    (void)unused;
    double degree = PI / 180;
    BrMat3 turns[] = {turn_about(X, 0), turn_about(vec(0.6, 0.8, 0), 1.1), turn_about(vec(0, 0.6, -0.8), 2.5)};
    for (int k = 0; k < 3; k++) {
        Told told = ask_of_groove(5 * degree, 0.3, turns[k]);
        assert_only(&told, BR_DOUBT_WEDGE, 1);
        assert_near(told.last[BR_DOUBT_WEDGE].limit, tan(5 * degree), 1e-12);
        told = ask_of_groove(20 * degree, 1.001 * tan(20 * degree), turns[k]);
        assert_only(&told, BR_DOUBT_WEDGE, 1);
        told = ask_of_groove(20 * degree, 0.999 * tan(20 * degree), turns[k]);
        assert_none(&told);
        told = ask_of_groove(5 * degree, 0, turns[k]); /* smooth: it comes out */
        assert_none(&told);
    }
}

/* A ball between two jaws: fixed, joined to each other, on rails away from it, or free. */
static void jaws_that_give_way_do_not_wedge(void **unused) {
    (void)unused;
    enum { FIXED, JOINED, RAILS, FREE, WAYS };
    for (int way = 0; way < WAYS; way++) {
        Machine m = machine_begin(NONE);
        BrMaterialId steel = machine_material(&m, "steel", 0.3, 0);
        BrBodyId left = machine_block(&m, "left", 1, vec(1, 1, 1), vec(-0.6, 0, 0), steel);
        BrBodyId right = machine_block(&m, "right", 1, vec(1, 1, 1), vec(0.6, 0, 0), steel);
        machine_ball(&m, "ball", 1, 0.1, NONE, steel);
        BrJointType type = way == FIXED ? BR_JOINT_FIXED : BR_JOINT_PRISMATIC;
        if (way == JOINED) machine_joint(&m, "clamp", BR_JOINT_FIXED, left, right, NONE, X);
        if (way == FIXED || way == RAILS) machine_joint(&m, "one", type, m.ground, left, NONE, X);
        if (way == FIXED || way == RAILS) machine_joint(&m, "two", type, m.ground, right, NONE, X);
        machine_ready(&m);
        Told told = ask(&m);
        assert_only(&told, BR_DOUBT_WEDGE, way <= JOINED);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ beside joints */

/* A block on a belt in a guide: along x it cannot press on the belt; along an axis that leans it can, and friction may
 * jam it unless mu is below the slope. */
static void guide_that_carries_the_block_is_told(void **unused) {
    (void)unused;
    const double SLOPES[] = {0, 1e-3, 0.5};
    const int KINDS[] = {BR_DOUBT_CARRIED, BR_DOUBT_PAINLEVE, -1};
    for (int k = 0; k < 3; k++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId steel = machine_material(&m, "steel", 0.3, 0);
        BrBodyDef def = br_default_body_def();
        def.name = "frame";
        def.kind = BR_BODY_FIXED;
        BrBodyId frame = machine_add_body(&m, &def);
        machine_floor(&m, steel);
        BrBodyId block = machine_block(&m, "block", 1, vec(0.2, 0.2, 0.2), vec(0, 0, 0.1), steel);
        BrJointId guide =
            machine_joint(&m, "guide", BR_JOINT_PRISMATIC, frame, block, vec(0, 0, 0.1), vec(1, 0, SLOPES[k]));
        machine_ready(&m);
        Told told = ask(&m);
        assert_only(&told, KINDS[k], 1);
        if (k == 1) assert_near(told.last[BR_DOUBT_PAINLEVE].limit, SLOPES[k], 1e-12);
        if (k == 0) {
            assert_int_equal(told.last[BR_DOUBT_CARRIED].contacts, 4);
            assert_true(told.last[BR_DOUBT_CARRIED].joint.index1 == guide.index1);
            assert_non_null(strstr(told.last[BR_DOUBT_CARRIED].text, "block/ground"));
        }
        machine_end(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_on_a_slope_and_stack_are_not_doubted),
        cmocka_unit_test(overlap_is_told_from_a_millionth_on),
        cmocka_unit_test(rod_is_doubted_from_its_critical_friction_on),
        cmocka_unit_test(guided_rod_is_not_doubted),
        cmocka_unit_test(ball_in_a_groove_may_be_wedged),
        cmocka_unit_test(jaws_that_give_way_do_not_wedge),
        cmocka_unit_test(guide_that_carries_the_block_is_told),
    };
    return cmocka_run_group_tests_name("doubts", tests, NULL, NULL);
}
