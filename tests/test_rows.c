/* test_rows.c: rows of a recording for a program: the numbers of a file, bit by bit, and what touches, by weight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/record.h"
#include "machine.h"

static const char SCENE[] =
    "bristle: 1\n"
    "step: {dt: 1 ms, until: 0.1 s}\n"
    "materials: {wood: {friction: {law: coulomb, mu: 0.4}}}\n"
    "bodies:\n"
    "  ground: {fixed: true, shapes: [{plane: {}, material: wood}]}\n"
    "  block: {mass: 2, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 0.05]}, velocity: {linear: [1, 0, 0]},\n"
    "          shapes: [{box: {size: [0.1, 0.1, 0.1]}, material: wood}]}\n"
    "  lever: {mass: 1, inertia: [0.02, 0.02, 0.02], pose: {position: [0.5, 0, 1]}}\n"
    "joints: {pin: {revolute: [ground, lever], at: [0.2, 0, 1], axis: [0, 1, 0]}}\n";

enum { STEPS = 100, MOST = 2000 };

typedef struct Taken {
    BrScene *scene;
    BrRecorder *recorder;
    int rows, width;
    double *values; /* of all rows */
    double weight[STEPS + 1], places[STEPS + 1];
    int lines[STEPS + 1];
} Taken;

/* Numbers before a column of a table; its width is 3 or 1. */
static int find_column(const BrRecorder *recorder, BrRecordedTable table, const char *name) {
    BrChannelInfo column;
    int at = 0;
    for (int i = 0; br_recorder_column(recorder, table, i, &column) == BR_OK; at += column.width, i++)
        if (strcmp(column.name, name) == 0) return at;
    fail_msg("there is no column '%s'", name);
    return -1;
}

static void take(void *user, const BrRecordedRow *row) {
    Taken *t = user;
    memcpy(t->values + (size_t)t->rows * (size_t)t->width, row->values, (size_t)t->width * sizeof *t->values);
    t->lines[t->rows] = row->lines;
    int force = find_column(t->recorder, BR_RECORDED_PAIRS, "force");
    int normal = find_column(t->recorder, BR_RECORDED_PLACES, "normal_force");
    for (int i = 0; i < row->lines; i++) {
        const BrRecordedLine *line = &row->line[i];
        assert_int_equal(line->row, t->rows);
        assert_int_equal(line->first, 1); /* the block; forces act on what can be pushed */
        assert_int_equal(line->second, 0);
        if (line->number < 0)
            t->weight[t->rows] += line->values[force + 2];
        else
            t->places[t->rows] += line->values[normal];
    }
    t->rows++;
}

/* One run, recorded to a file and handed over. */
static void run(Taken *t, const char *file) {
    BrError error = {0};
    BrState *state;
    BrWorkspace *workspace;
    BrRecorder *other;
    BrStepReport report = {0};
    if (br_scene_parse(SCENE, strlen(SCENE), "scene.yaml", NULL, &t->scene, &error) != BR_OK)
        fail_msg("%s", error.text);
    const BrModel *model = br_scene_model(t->scene);
    BrStepDef step = br_scene_run_def(t->scene).step;
    assert_int_equal(br_state_create(model, &state, NULL), BR_OK);
    assert_int_equal(br_workspace_create(model, &workspace, NULL), BR_OK);
    BrRecordDef def = br_record_def_like(t->scene);
    def.rows = STEPS + 1;
    assert_int_equal(br_recorder_open(model, &def, file, &other, &error), BR_OK);
    def.rows = 0; /* does not count */
    assert_int_equal(br_recorder_open_rows(model, &def, take, t, &t->recorder, &error), BR_OK);
    BrChannelInfo channel;
    for (int i = 0; br_recorder_channel(t->recorder, i, &channel) == BR_OK; i++) t->width += channel.width;
    t->values = calloc((STEPS + 1) * (size_t)t->width, sizeof *t->values);
    for (int k = 0; k <= STEPS; k++) {
        if (k && br_step(model, workspace, state, &step, &report, &error) < 0) fail_msg("%s", error.text);
        assert_true(br_recorder_write(t->recorder, workspace, state, &report, 0, &error) >= 0);
        assert_int_equal(t->rows, k + 1); /* at once */
        assert_true(br_recorder_write(other, workspace, state, &report, 0, &error) >= 0);
    }
    assert_int_equal(br_recorder_close(other, &error), BR_OK);
    br_state_destroy(model, state);
    br_workspace_destroy(model, workspace);
}

static void end(Taken *t, const char *file) {
    free(t->values);
    assert_int_equal(br_recorder_close(t->recorder, NULL), BR_OK);
    br_scene_destroy(t->scene);
    remove(file);
}

static void rows_are_those_of_a_file(void **unused) {
    (void)unused;
    Taken t = {0};
    char file[64];
    BrRecording *recording;
    BrChannelInfo channel;
    BrError error = {0};
    name_new_file(".h5", file);
    run(&t, file);
    if (br_recording_open(file, &recording, &error) != BR_OK) fail_msg("%s", error.text);
    double *values = calloc((STEPS + 1) * 9, sizeof *values);
    int offset = 0, compared = 0;
    for (int i = 0; i < br_recorder_channel_count(t.recorder); i++, offset += channel.width) {
        assert_int_equal(br_recorder_channel(t.recorder, i, &channel), BR_OK);
        if (br_recording_read(recording, channel.name, values, &error) != BR_OK) fail_msg("%s", error.text);
        for (int row = 0; row <= STEPS; row++)
            assert_memory_equal(values + row * channel.width, t.values + (size_t)row * (size_t)t.width + offset,
                                (size_t)channel.width * sizeof *values);
        compared++;
    }
    assert_true(compared > 30 && offset == t.width);
    free(values);
    br_recording_close(recording);
    end(&t, file);
}

/* A block that slides: all rows have one pair and its four corners, which carry m g to what a contact is certified to: 1e-9. */
static void what_touches_carries_the_weight(void **unused) {
    (void)unused;
    Taken t = {0};
    char file[64];
    name_new_file(".h5", file);
    run(&t, file);
    for (int row = 0; row <= STEPS; row++) {
        assert_int_equal(t.lines[row], 5);
        assert_near(t.weight[row], 2 * 9.81, 2e-8);
        assert_near(t.places[row], 2 * 9.81, 2e-8);
    }
    end(&t, file);
}

static void nonsense_is_refused(void **unused) {
    (void)unused;
    BrRecorder *recorder = NULL;
    BrRecordDef def = br_default_record_def(), empty = {0};
    BrChannelInfo channel;
    BrError error = {0};
    Machine m = machine_begin(vec(0, 0, -9.81));
    assert_int_equal(br_recorder_open_rows(m.model, &def, take, NULL, &recorder, &error), BR_WRONG_STAGE);
    machine_body(&m, "ball", 1, diagonal(1, 1, 1), vec(0, 0, 0));
    machine_ready(&m);
    assert_int_equal(br_recorder_open_rows(m.model, &empty, take, NULL, &recorder, &error), BR_INVALID_DEF);
    assert_int_equal(br_recorder_open_rows(m.model, &def, NULL, NULL, &recorder, &error), BR_INVALID_ARGUMENT);
    assert_int_equal(br_recorder_open_rows(NULL, &def, take, NULL, &recorder, &error), BR_INVALID_ARGUMENT);
    assert_null(recorder);
    assert_int_equal(br_recorder_open_rows(m.model, &def, take, NULL, &recorder, &error), BR_OK);
    assert_int_equal(br_recorder_channel(recorder, -1, &channel), BR_INVALID_ARGUMENT);
    assert_int_equal(br_recorder_channel(recorder, br_recorder_channel_count(recorder), &channel), BR_INVALID_ARGUMENT);
    assert_int_equal(br_recorder_column(recorder, BR_RECORDED_TABLES, 0, &channel), BR_INVALID_ARGUMENT);
    assert_int_equal(br_recorder_column(recorder, BR_RECORDED_PAIRS, -1, &channel), BR_INVALID_ARGUMENT);
    assert_int_equal(br_recorder_column_count(NULL, BR_RECORDED_PAIRS), 0);
    assert_int_equal(br_recorder_channel_count(NULL), 0);
    assert_int_equal(br_recorder_close(recorder, &error), BR_OK);
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_those_of_a_file),
                                       cmocka_unit_test(what_touches_carries_the_weight),
                                       cmocka_unit_test(nonsense_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
