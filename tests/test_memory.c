/* Memory: a warm step allocates nothing; any allocation may fail, and then nothing is lost and the call can be made
 * again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "counting.h"
#include "sample.h"

#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 10, MOST_ALLOCATIONS = 10000 };

static int count_steps(void) { return getenv("BRISTLE_SLOW") ? 10000 : 100000; }

/* ------------------------------------------------------------------ nothing while warm */

static void check_steps_allocate_nothing(BrScheme scheme) {
    Counter counter = {0};
    Sample s;
    assert_int_equal(sample_make_loop(&s, counting_allocator(&counter), NULL), BR_OK);
    assert_int_equal(sample_run(&s, s.state, s.workspace, scheme, WARM_UP), BR_OK);
    int64_t before = counter.calls;
    assert_int_equal(sample_run(&s, s.state, s.workspace, scheme, count_steps()), BR_OK);
    assert_int_equal(counter.calls, before);
    sample_release(&s);
    assert_int_equal(counter.live, 0);
}

static void test_moreau_allocates_nothing(void **unused) {
    (void)unused;
    check_steps_allocate_nothing(BR_SCHEME_MOREAU);
}

static void test_hem2_allocates_nothing(void **unused) {
    (void)unused;
    check_steps_allocate_nothing(BR_SCHEME_HEM2);
}

static void test_rattle_allocates_nothing(void **unused) {
    (void)unused;
    check_steps_allocate_nothing(BR_SCHEME_RATTLE);
}

static void count_redundant(void *user, BrJointId joint, const char *row) {
    assert_true(joint.index1 > 0);
    assert_non_null(row);
    ++*(int *)user;
}

/* Everything that looks at a state, at every joint and body. */
static void look_at_all(const Sample *s) {
    BrPose pose;
    BrTwist twist;
    BrWrench world, joint_frame;
    BrEnergy energy;
    BrAnalysis analysis;
    double position[3], velocity[3], gap, length, rate, tension;
    int redundant = 0;
    assert_int_equal(br_evaluate(s->model, s->workspace, s->state, NULL), BR_OK);
    for (int i = 0; i < br_model_body_count(s->model); i++) {
        BrBodyId id = br_model_body(s->model, i);
        assert_int_equal(br_body_pose(s->model, s->state, id, &pose), BR_OK);
        assert_int_equal(br_body_twist(s->model, s->state, id, &twist), BR_OK);
        assert_int_equal(br_body_acceleration(s->model, s->workspace, id, &twist), BR_OK);
    }
    for (int i = 0; i < br_model_joint_count(s->model); i++) {
        BrJointId id = br_model_joint(s->model, i);
        assert_int_equal(br_joint_position(s->model, s->state, id, position, velocity), BR_OK);
        assert_int_equal(br_joint_gap(s->model, s->state, id, &gap), BR_OK);
        assert_int_equal(br_joint_reaction(s->model, s->workspace, id, &world, &joint_frame), BR_OK);
        assert_int_equal(br_joint_reaction_mean(s->model, s->workspace, id, &world), BR_OK);
    }
    for (int i = 0; i < br_model_motor_count(s->model); i++)
        assert_int_equal(br_motor_effort(s->model, s->workspace, br_model_motor(s->model, i), &rate), BR_OK);
    for (int i = 0; i < br_model_spring_count(s->model); i++)
        assert_int_equal(br_spring_force(s->model, s->state, br_model_spring(s->model, i), &length, &rate, &tension),
                         BR_OK);
    assert_int_equal(br_state_energy(s->model, s->state, &energy), BR_OK);
    assert_int_equal(br_analyse(s->model, s->workspace, s->state, &analysis, count_redundant, &redundant, NULL), BR_OK);
    assert_int_equal(redundant, analysis.redundant_rows);
}

static void test_looking_and_setting_allocate_nothing(void **unused) {
    (void)unused;
    Counter counter = {0};
    Sample s;
    assert_int_equal(sample_make(&s, counting_allocator(&counter), NULL), BR_OK);
    BrBodyId bob = br_model_find_body(s.model, "bob");
    BrMotorId motor = br_model_find_motor(s.model, "nut_motor");
    int64_t before = counter.calls;
    assert_int_equal(br_state_assemble(s.model, s.workspace, s.state, NULL, NULL), BR_OK);
    for (int scheme = 0; scheme < BR_TIMESTEPPING_SCHEMES; scheme++) {
        assert_int_equal(sample_run(&s, s.state, s.workspace, (BrScheme)scheme, 20), BR_OK);
        assert_int_equal(br_body_set_load(s.model, s.state, bob, (BrVec3){1, 2, 3}, (BrVec3){0, 0, 1}, NULL), BR_OK);
        assert_int_equal(br_motor_set_target(s.model, s.state, motor, 1, 10, NULL), BR_OK);
        look_at_all(&s);
        (void)br_state_hash(s.state);
    }
    assert_int_equal(counter.calls, before);
    sample_release(&s);
    assert_int_equal(counter.live, 0);
}

/* ------------------------------------------------------------------ the n-th allocation fails */

/* A refused call leaves nothing behind in what it should have filled. */
static void expect_no_result(const Sample *s, int step) {
    if (step == 0) assert_null(s->model);
    assert_true(!s->state || s->workspace || br_state_step(s->state) == 0);
    for (int i = 0; i < SAMPLE_BODIES; i++)
        if (i == step - 1) assert_int_equal(s->body[i].index1, 0);
    for (int i = 0; i < SAMPLE_JOINTS; i++)
        if (i == step - 1 - SAMPLE_BODIES) assert_int_equal(s->joint[i].index1, 0);
}

/* Makes the sample with the n-th allocation failing, repeating the call that was refused. Was one? */
static bool make_with_failure(Sample *s, Counter *counter, int64_t n) {
    bool failed = false;
    *counter = (Counter){.fail_at = n};
    *s = (Sample){.allocator = counting_allocator(counter)};
    for (int step = 0; step < sample_steps(); step++) {
        BrError error = {0};
        BrStatus status = sample_do(s, step, &error);
        if (counter->calls >= n && !failed) {
            failed = true;
            assert_int_equal(status, BR_OUT_OF_MEMORY);
            assert_int_equal(error.status, BR_OUT_OF_MEMORY);
            assert_non_null(strstr(error.text, "no memory"));
            expect_no_result(s, step);
            status = sample_do(s, step, &error);
        }
        assert_int_equal(status, BR_OK);
    }
    return failed;
}

static void test_any_allocation_may_fail_once(void **unused) {
    (void)unused;
    Counter counter;
    Sample s;
    assert_int_equal(sample_make(&s, (BrAllocator){0}, NULL), BR_OK);
    assert_int_equal(sample_run(&s, s.state, s.workspace, BR_SCHEME_RATTLE, 5), BR_OK);
    uint64_t fingerprint = br_model_fingerprint(s.model), hash = br_state_hash(s.state);
    sample_release(&s);
    int64_t n = 1;
    while (n < MOST_ALLOCATIONS && make_with_failure(&s, &counter, n)) {
        int64_t before = counter.calls;
        assert_int_equal(sample_run(&s, s.state, s.workspace, BR_SCHEME_RATTLE, 5), BR_OK);
        assert_int_equal(counter.calls, before);
        assert_true(br_model_fingerprint(s.model) == fingerprint);
        assert_true(br_state_hash(s.state) == hash);
        sample_release(&s);
        assert_int_equal(counter.live, 0);
        n++;
    }
    assert_true(n > 1 + sample_steps());
    assert_true(counter.calls < counter.fail_at);
    sample_release(&s);
    assert_int_equal(counter.live, 0);
}

static void test_giving_up_after_a_failure_leaks_nothing(void **unused) {
    (void)unused;
    Counter counter = {0};
    Sample s;
    BrStatus status = BR_OUT_OF_MEMORY;
    for (int64_t n = 1; status != BR_OK && n < MOST_ALLOCATIONS; n++) {
        counter = (Counter){.fail_at = n};
        BrError error = {0};
        status = sample_make(&s, counting_allocator(&counter), &error);
        if (counter.calls >= n) assert_int_equal(status, BR_OUT_OF_MEMORY);
        sample_release(&s);
        assert_int_equal(counter.live, 0);
    }
    assert_int_equal(status, BR_OK);
}

/* Without an error to fill the refusals are the same. */
static void test_failures_without_an_error_struct(void **unused) {
    (void)unused;
    Counter counter = {0};
    Sample s;
    for (int64_t n = 1; n < MOST_ALLOCATIONS; n += 7) {
        counter = (Counter){.fail_at = n};
        BrStatus status = sample_make(&s, counting_allocator(&counter), NULL);
        sample_release(&s);
        assert_int_equal(counter.live, 0);
        if (status == BR_OK) break;
        assert_int_equal(status, BR_OUT_OF_MEMORY);
    }
}

/* The names' table and the slots are renewed by a removal; it must not need memory. */
static void test_removing_needs_no_memory(void **unused) {
    (void)unused;
    Counter counter = {0};
    Sample s = {.allocator = counting_allocator(&counter)};
    for (int step = 0; step <= SAMPLE_BODIES; step++) assert_int_equal(sample_do(&s, step, NULL), BR_OK);
    int64_t before = counter.calls;
    for (int i = 0; i < SAMPLE_BODIES; i++) {
        counter.fail_at = counter.calls + 1;
        assert_int_equal(br_model_remove_body(s.model, s.body[(5 * i) % SAMPLE_BODIES], NULL), BR_OK);
    }
    assert_int_equal(counter.calls, before);
    assert_int_equal(br_model_body_count(s.model), 0);
    counter.fail_at = 0;
    for (int step = 1; step < sample_steps(); step++) assert_int_equal(sample_do(&s, step, NULL), BR_OK);
    assert_int_equal(sample_run(&s, s.state, s.workspace, BR_SCHEME_RATTLE, 5), BR_OK);
    sample_release(&s);
    assert_int_equal(counter.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moreau_allocates_nothing),
        cmocka_unit_test(test_hem2_allocates_nothing),
        cmocka_unit_test(test_rattle_allocates_nothing),
        cmocka_unit_test(test_looking_and_setting_allocate_nothing),
        cmocka_unit_test(test_any_allocation_may_fail_once),
        cmocka_unit_test(test_giving_up_after_a_failure_leaks_nothing),
        cmocka_unit_test(test_failures_without_an_error_struct),
        cmocka_unit_test(test_removing_needs_no_memory),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
