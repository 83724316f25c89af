/* test_recorded_contacts.c: contacts in recordings, by name: all of them, however many and whenever they come; weights,
 * heat and reactions in closed form; the same in HDF5, in CSV, and asked for the other way round. */
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
#include "bristle/solver.h"
#include "machine.h"

static const double G = 9.81;

/* ------------------------------------------------------------------ making and reading */

typedef struct Recorded {
    char file[64];
    int rows;
    uint64_t left_out;
    double dissipated; /* J, at the end */
    BrRecording *recording;
} Recorded;

/* Runs a scene, with a row of its start and of every `every`-th step, and opens what was recorded. */
static Recorded record(const char *text, const char *ending, int steps, int every) {
    BrError error = {0};
    BrScene *scene;
    BrState *state;
    BrWorkspace *workspace;
    BrRecorder *recorder;
    BrStepReport worst = {0};
    BrEnergy energy;
    Recorded r = {.rows = 1 + steps / every};
    name_new_file(ending, r.file);
    if (br_scene_parse(text, strlen(text), "scene.yaml", NULL, &scene, &error) != BR_OK) fail_msg("%s", error.text);
    const BrModel *model = br_scene_model(scene);
    BrStepDef def = br_scene_run_def(scene).step;
    assert_int_equal(br_state_create(model, &state, NULL), BR_OK);
    assert_int_equal(br_state_set_formulation(state, def.formulation), BR_OK);
    assert_int_equal(br_workspace_create(model, &workspace, NULL), BR_OK);
    BrRecordDef rows = br_record_def_like(scene);
    rows.rows = (uint64_t)r.rows;
    assert_int_equal(br_recorder_open(model, &rows, r.file, &recorder, &error), BR_OK);
    for (int k = 0; k <= steps; k++) {
        if (k && br_step(model, workspace, state, &def, NULL, &error) < 0) fail_msg("%s", error.text);
        if (k % every) continue;
        if (br_recorder_write(recorder, workspace, state, &worst, 0, &error) < 0) fail_msg("%s", error.text);
    }
    br_state_energy(model, state, &energy);
    r.dissipated = energy.dissipated;
    r.left_out = br_recorder_left_out(recorder);
    if (br_recorder_close(recorder, &error) != BR_OK) fail_msg("%s", error.text);
    if (br_recording_open(r.file, &r.recording, &error) != BR_OK) fail_msg("%s", error.text);
    assert_int_equal(br_recording_rows(r.recording), r.rows);
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
    br_scene_destroy(scene);
    return r;
}

static void end(Recorded *r) {
    char log[80];
    br_recording_close(r->recording);
    remove(r->file);
    snprintf(log, sizeof log, "%s.contacts", r->file);
    remove(log); /* of one that was not closed */
}

/* All rows of a channel, or of an expression; the caller frees them. */
static double *read_rows(const Recorded *r, const char *channel) {
    BrError error = {0};
    BrChannelInfo info;
    if (br_recording_describe(r->recording, channel, &info, &error) != BR_OK) fail_msg("%s", error.text);
    double *values = malloc((size_t)(r->rows * info.width) * sizeof *values);
    assert_non_null(values);
    if (br_recording_read(r->recording, channel, values, &error) != BR_OK) fail_msg("%s", error.text);
    return values;
}

static double read_at(const Recorded *r, const char *channel, int row) {
    double *values = read_rows(r, channel), value = values[row < 0 ? r->rows + row : row];
    free(values);
    return value;
}

static void check_refusal(const Recorded *r, const char *channel, const char *wanted) {
    BrError error = {0};
    BrChannelInfo info;
    assert_int_not_equal(br_recording_describe(r->recording, channel, &info, &error), BR_OK);
    if (!strstr(error.text, wanted)) fail_msg("'%s' has no '%s'", error.text, wanted);
}

static size_t put(char *text, size_t size, size_t used, const char *more) {
    assert_true(used + strlen(more) < size);
    memcpy(text + used, more, strlen(more) + 1);
    return used + strlen(more);
}

/* ------------------------------------------------------------------ many */

/* A floor with `count` boxes in a row, none of which touches another. */
static char *write_field(int count) {
    const size_t size = 400 + 200 * (size_t)count;
    char *text = malloc(size), line[200];
    assert_non_null(text);
    size_t used = put(text, size, 0,
                      "bristle: 1\nstep: {scheme: moreau, dt: 1 ms, until: 1}\n"
                      "materials: {stone: {friction: {law: coulomb, mu: 0.4}}}\nbodies:\n"
                      "  ground: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: stone}]}\n");
    for (int i = 0; i < count; i++) {
        snprintf(line, sizeof line,
                 "  b%d: {mass: %d, inertia: [0.1, 0.1, 0.1], pose: {position: [%d, 0, 0.25]},\n"
                 "      shapes: [{box: {size: [0.5, 0.5, 0.5]}, material: stone}]}\n",
                 i, 1 + i % 7, i);
        used = put(text, size, used, line);
    }
    return text;
}

/* 1, 10, 250 boxes: a thousand places, all of which are recorded, and carry the weight. */
static void a_thousand_places_carry_the_weight(void **unused) {
    (void)unused;
    const int counts[] = {1, 10, is_slow_run() ? 40 : 250};
    for (int c = 0; c < 3; c++) {
        char *text = write_field(counts[c]), name[80];
        Recorded r = record(text, ".h5", 6, 3);
        double places = 0, sum = 0, parts = 0, weight = 0;
        for (int i = 0; i < counts[c]; i++) {
            weight += G * (1 + i % 7);
            snprintf(name, sizeof name, "contacts.b%d/ground.places", i);
            places += read_at(&r, name, -1);
            snprintf(name, sizeof name, "contacts.b%d/ground.force.z", i);
            sum += read_at(&r, name, -1);
            for (int n = 0; n < 4 && i % 25 == 0; n++) {
                snprintf(name, sizeof name, "contacts.b%d/ground.%d.normal_force", i, n);
                parts += read_at(&r, name, -1) / (G * (1 + i % 7));
            }
        }
        assert_near(places, 4 * counts[c], 0);
        assert_near(sum, weight, 1e-6 * weight);
        assert_near(parts, (counts[c] + 24) / 25, 1e-6); /* places of every 25th box carry it */
        assert_int_equal(r.left_out, 0);
        end(&r);
        free(text);
    }
}

/* CSV has columns for few: what it leaves out is counted, a pair and four places for each box and row. */
static void what_has_no_column_is_counted(void **unused) {
    (void)unused;
    const int counts[] = {5, 6}; /* 60 and 84 places, of boxes with each other too */
    for (int c = 0; c < 2; c++) {
        char *text = write_field(counts[c]);
        Recorded r = record(text, ".csv", 4, 2);
        assert_int_equal(r.left_out, c == 0 ? 0 : 6 * 5 * 3);
        if (c == 0) assert_near(read_at(&r, "contacts.b3/ground.force.z", -1), 4 * G, 1e-6);
        end(&r);
        free(text);
    }
}

/* ------------------------------------------------------------------ names and signs */

static const char STACK[] = "bristle: 1\nstep: {scheme: hem2, dt: 1 ms, until: 1}\n"
                            "materials: {stone: {friction: {law: coulomb, mu: 0.5}}}\nbodies:\n"
                            "  ground: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: stone}]}\n"
                            "  low: {mass: 4, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.25]},\n"
                            "        shapes: [{box: {size: [0.5, 0.5, 0.5]}, material: stone}]}\n"
                            "  'my box': {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.75]},\n"
                            "        shapes: [{box: {size: [0.5, 0.5, 0.5]}, material: stone}]}\n";

/* Forces act on who is named first; the other way round they are the opposite, and numbers without a sign the same. */
static void the_other_name_is_the_reaction(void **unused) {
    (void)unused;
    for (int format = 0; format < 2; format++) {
        Recorded r = record(STACK, format ? ".csv" : ".h5", 10, 1);
        assert_near(read_at(&r, "contacts.low/ground.force.z", -1), 6 * G, 1e-8);
        assert_near(read_at(&r, "contacts.ground/low.force.z", -1), -6 * G, 1e-8);
        assert_near(read_at(&r, "contacts.'my box'/low.force.z", -1), 2 * G, 1e-8);
        assert_near(read_at(&r, "contacts.low/'my box'.force.z", -1), -2 * G, 1e-8);
        assert_near(read_at(&r, "norm(contacts.low/ground.force + contacts.ground/low.force)", -1), 0, 0);
        assert_near(read_at(&r, "contacts.ground/low.normal_force - contacts.low/ground.normal_force", -1), 0, 0);
        assert_near(read_at(&r, "contacts.ground/low.2.normal.z + contacts.low/ground.2.normal.z", -1), 0, 0);
        assert_near(read_at(&r, "contacts.low/ground.force.z/contacts.low/ground.normal_force", -1), 1, 1e-9);
        assert_near(read_at(&r, "contacts/low/ground/force.z", -1), 6 * G, 1e-8); /* as HDF5 has it, */
        assert_near(read_at(&r, "low/ground.force.z", -1), 6 * G, 1e-8);          /* and CSV */
        check_refusal(&r, "contacts.low/ground.fource", "did you mean \"contacts.low/ground.force\"");
        check_refusal(&r, "contacts.0.force", "contacts have the names of two bodies that may touch");
        check_refusal(&r, "contacts.low/sky.force", "contacts have the names of two bodies that may touch");
        end(&r);
    }
}

/* Every name of the list can be read. */
static void all_that_is_listed_can_be_read(void **unused) {
    (void)unused;
    Recorded r = record(STACK, ".h5", 3, 1);
    BrChannelInfo info;
    int contacts = 0, units = 0;
    for (int i = 0; i < br_recording_channel_count(r.recording); i++) {
        assert_int_equal(br_recording_channel(r.recording, i, &info), BR_OK);
        if (strncmp(info.name, "contacts.low/ground.", 20) != 0) continue;
        free(read_rows(&r, info.name));
        contacts++;
        units += *info.unit != 0 && *info.help != 0;
    }
    assert_true(contacts > 22 + 4 * 16 && units == contacts);
    assert_int_not_equal(br_recording_channel(r.recording, br_recording_channel_count(r.recording), &info), BR_OK);
    end(&r);
}

/* ------------------------------------------------------------------ coming and going */

/* A ball that is let fall from 9.81/2 0.5^2 m touches at 0.5 s; before that its pair is not in the file, and 0. */
static void a_pair_comes_when_it_touches(void **unused) {
    (void)unused;
    static const char TEXT[] =
        "bristle: 1\nstep: {scheme: moreau, dt: 1 ms, until: 1}\n"
        "materials: {stone: {friction: {law: coulomb, mu: 0.5}}}\nbodies:\n"
        "  ground: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: stone}]}\n"
        "  ball: {mass: 2, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 0.1 + 0.5*9.81*0.25]},\n"
        "         shapes: [{sphere: {radius: 0.1}, material: stone}]}\n";
    Recorded r = record(TEXT, ".h5", 600, 10);
    double *force = read_rows(&r, "contacts.ball/ground.force.z"), *time = read_rows(&r, "time");
    double *places = read_rows(&r, "contacts.ball/ground.places");
    for (int i = 0; i < r.rows; i++) {
        bool late = time[i] > 0.5 + 2e-3; /* the step in which it lands, by order 1 */
        if (time[i] < 0.5 - 2e-3) assert_true(places[i] == 0 && force[i] == 0);
        if (late) assert_near(force[i], 2 * G, 1e-6);
        if (late) assert_near(places[i], 1, 0);
    }
    free(force), free(time), free(places);
    end(&r);
}

/* A box that is pushed over its edge: two corners open. Those that stay keep their numbers, so that the point of a number
 * does not jump; that of a box which stands stays where it is. */
static void numbers_stay_with_their_corners(void **unused) {
    (void)unused;
    for (int way = -1; way <= 1; way += 2) {
        char text[1200];
        snprintf(text, sizeof text,
                 "bristle: 1\nstep: {scheme: hem2, dt: 1 ms, until: 1}\n"
                 "materials: {stone: {friction: {law: coulomb, mu: 2}}}\nbodies:\n"
                 "  ground: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: stone}]}\n"
                 "  box: {mass: 1, inertia: [0.05, 0.05, 0.05], pose: {position: [0, 0, 0.25]},\n"
                 "        shapes: [{box: {size: [0.5, 0.5, 0.5]}, material: stone}]}\n"
                 "forces: {push: {body: box, force: [%d, 0, 0]}}\n",
                 12 * way);
        Recorded r = record(text, ".h5", 100, 1);
        int open = 0, closed = 0;
        for (int n = 0; n < 4; n++) {
            char name[80];
            snprintf(name, sizeof name, "contacts.box/ground.%d.point.x", n);
            double *x = read_rows(&r, name);
            snprintf(name, sizeof name, "contacts.box/ground.%d.normal_force", n);
            double *force = read_rows(&r, name);
            bool stays = force[r.rows - 1] > 0;
            assert_near(fabs(x[0]), 0.25, 1e-9);
            for (int i = 0; i < r.rows; i++)
                if (x[i] != 0) assert_near(x[i], x[0], 0.02);
            assert_int_equal(stays, x[0] * way > 0); /* it turns about the edge ahead */
            open += !stays, closed += stays;
            free(x), free(force);
        }
        assert_true(open == 2 && closed == 2);
        check_refusal(&r, "contacts.box/ground.4.gap", "unknown name");
        end(&r);
    }
}

/* A ball rolls from one plate onto the next: who bears it changes, what bears it does not. */
static void the_resultant_goes_over_from_body_to_body(void **unused) {
    (void)unused;
    static const char TEXT[] =
        "bristle: 1\nstep: {scheme: moreau, dt: 1 ms, until: 1}\n"
        "materials: {stone: {friction: {law: coulomb, mu: 0.5}}}\nbodies:\n"
        "  left: {fixed: true, pose: {position: [-1, 0, -0.5]}, shapes: [{box: {size: [2, 1, 1]}, material: stone}]}\n"
        "  right: {fixed: true, pose: {position: [1, 0, -0.5]}, shapes: [{box: {size: [2, 1, 1]}, material: stone}]}\n"
        "  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], pose: {position: [-0.1, 0, 0.1]},\n"
        "         velocity: {linear: [1, 0, 0], angular: [0, 10, 0]},\n"
        "         shapes: [{sphere: {radius: 0.1}, material: stone}]}\n";
    Recorded r = record(TEXT, ".h5", 200, 4);
    double *sum = read_rows(&r, "contacts.ball/left.force + contacts.ball/right.force");
    for (int i = 2; i < r.rows; i++)
        if (i != 25)
            assert_near(sum[3 * i + 2], G, 1e-3 * G); /* in row 25 it is over the seam, and may be in the air */
    assert_near(read_at(&r, "contacts.ball/left.normal_force", 2), G, 1e-3 * G);
    assert_near(read_at(&r, "contacts.ball/right.normal_force", 2), 0, 0);
    assert_near(read_at(&r, "contacts.ball/left.normal_force", -1), 0, 0);
    assert_near(read_at(&r, "contacts.ball/right.normal_force", -1), G, 1e-3 * G);
    free(sum);
    end(&r);
}

/* ------------------------------------------------------------------ heat */

/* A block slides v^2/(2 mu g) and stops: mu m g times that became heat, which is all that was lost; and it stays. The
 * trapezoids miss only the row in which it stops. */
static void a_sliding_block_makes_mu_m_g_d_of_heat(void **unused) {
    (void)unused;
    static const char *const WAYS[] = {"{scheme: moreau, dt: 1 ms, until: 1}", "{scheme: hem2, dt: 1 ms, until: 1}",
                                       "{formulation: event, dt: 1 ms, until: 1}"};
    const double mass = 3, mu = 0.4, v = 1, d = v * v / (2 * mu * G);
    for (int way = 0; way < 3; way++)
        for (int format = 0; format < 2; format++) {
            char text[1200];
            snprintf(text, sizeof text,
                     "bristle: 1\nstep: %s\n"
                     "materials: {stone: {friction: {law: coulomb, mu: %g}}}\nbodies:\n"
                     "  ground: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: stone}]}\n"
                     "  block: {mass: %g, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.1]},\n"
                     "          velocity: {linear: [%g, 0, 0]}, shapes: [{box: {size: [0.4, 0.4, 0.2]}, material: "
                     "stone}]}\n",
                     WAYS[way], mu, mass, v);
            Recorded r = record(text, format ? ".csv" : ".h5", 300, 1);
            double *heat = read_rows(&r, "contacts.block/ground.heat");
            double row = mu * mass * G * mu * G * 1e-3 * 1e-3; /* J: of the slip that is left in the last row */
            assert_near(heat[0], 0, 0);
            assert_near(heat[r.rows - 1], mu * mass * G * d, row);
            assert_near(heat[r.rows - 1], r.dissipated, 2 * row);
            assert_near(heat[100], mu * mass * G * (v * 0.1 - 0.5 * mu * G * 0.01), 1e-6 * r.dissipated);
            for (int i = 1; i < r.rows; i++) assert_true(heat[i] >= heat[i - 1] - 1e-12);
            free(heat);
            end(&r);
        }
}

/* The heat of a pair stays told when it does not touch any more: a ball rubs along a plate and falls off its edge. */
static void heat_outlives_the_contact(void **unused) {
    (void)unused;
    static const char TEXT[] =
        "bristle: 1\nstep: {scheme: hem2, dt: 1 ms, until: 1}\n"
        "materials: {stone: {friction: {law: coulomb, mu: 0.1}}}\nbodies:\n"
        "  plate: {fixed: true, pose: {position: [0, 0, -0.5]}, shapes: [{box: {size: [1, 1, 1]}, material: stone}]}\n"
        "  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], pose: {position: [0.4, 0, 0.1]},\n"
        "         velocity: {linear: [4, 0, 0]}, shapes: [{sphere: {radius: 0.1}, material: stone}]}\n";
    for (int format = 0; format < 2; format++) {
        Recorded r = record(TEXT, format ? ".csv" : ".h5", 200, 1);
        double *heat = read_rows(&r, "contacts.ball/plate.heat"), *places = read_rows(&r, "contacts.ball/plate.places");
        int last = 0;
        for (int i = 0; i < r.rows; i++) last = places[i] > 0 ? i : last;
        assert_true(last > 10 && last < r.rows - 20);
        assert_near(heat[last], 0.1 * G * 0.1,
                    0.1 * 0.1 * G * 0.1); /* mu m g along 0.1 m, slower as it begins to roll */
        for (int i = last + 1; i < r.rows; i++) assert_near(heat[i], heat[last + 1], 0);
        assert_true(heat[r.rows - 1] >= heat[last]);
        free(heat), free(places);
        end(&r);
    }
}

/* ------------------------------------------------------------------ line by line */

static void copy_file(const char *from, const char *to) {
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_true(in && out);
    for (int c; (c = getc(in)) != EOF;) putc(c, out);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

/* What is there of a run that was killed: a copy of its files before they were closed. */
static Recorded record_killed(const char *text, int steps) {
    BrError error = {0};
    BrScene *scene;
    BrState *state;
    BrWorkspace *workspace;
    BrRecorder *recorder;
    BrStepReport worst = {0};
    char file[64], from[80], to[80];
    Recorded r = {.rows = 1 + steps};
    name_new_file(".h5", file);
    name_new_file("-killed.h5", r.file);
    assert_int_equal(br_scene_parse(text, strlen(text), "scene.yaml", NULL, &scene, &error), BR_OK);
    const BrModel *model = br_scene_model(scene);
    BrStepDef def = br_scene_run_def(scene).step;
    assert_int_equal(br_state_create(model, &state, NULL), BR_OK);
    assert_int_equal(br_workspace_create(model, &workspace, NULL), BR_OK);
    BrRecordDef rows = br_record_def_like(scene);
    assert_int_equal(br_recorder_open(model, &rows, file, &recorder, &error), BR_OK);
    for (int k = 0; k <= steps; k++) {
        if (k) assert_true(br_step(model, workspace, state, &def, NULL, &error) >= 0);
        assert_int_equal(br_recorder_write(recorder, workspace, state, &worst, 0, &error), BR_OK);
    }
    assert_int_equal(br_recorder_flush(recorder, &error), BR_OK);
    snprintf(from, sizeof from, "%s.contacts", file);
    snprintf(to, sizeof to, "%s.contacts", r.file);
    copy_file(file, r.file);
    copy_file(from, to);
    assert_int_equal(br_recorder_close(recorder, &error), BR_OK);
    assert_int_equal(br_recording_open(r.file, &r.recording, &error), BR_OK);
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
    br_scene_destroy(scene);
    remove(file);
    return r;
}

typedef struct Seen {
    const Recorded *recorded;
    BrRecordedTable table;
    int lines, most, row; /* ends after so many; the last row */
    double *sum;          /* N: normal forces of each row */
} Seen;

static bool see(void *user, const BrRecordedLine *line) {
    Seen *s = user;
    BrChannelInfo column;
    assert_true(line->row >= s->row);
    assert_int_equal(line->number < 0, s->table == BR_RECORDED_PAIRS);
    assert_string_equal(br_recording_body(s->recorded->recording, line->second), "ground");
    s->row = line->row;
    for (int i = 0, at = 0; br_recording_column(s->recorded->recording, s->table, i, &column) == BR_OK; i++) {
        if (strcmp(column.name, "normal_force") == 0) s->sum[line->row] += line->values[at];
        at += column.width;
    }
    return ++s->lines < s->most;
}

/* Three boxes stand: in each row their lines carry the weight, from the tables, from the log of a run that was killed, and from
 * CSV; and there are as many as were counted. */
static void lines_carry_the_weight(void **unused) {
    (void)unused;
    enum { BOXES = 3, STEPS = 8, ROWS = 1 + STEPS };
    char *text = write_field(BOXES);
    double weight = 0;
    for (int i = 0; i < BOXES; i++) weight += G * (1 + i % 7);
    for (int form = 0; form < 3; form++) {
        Recorded r = form == 2 ? record_killed(text, STEPS) : record(text, form ? ".csv" : ".h5", STEPS, 1);
        const int wanted[] = {1, 2, 5, ROWS - 1}, all = BOXES * 4;
        BrRecordingAbout about;
        assert_int_equal(br_recording_about(r.recording, &about), BR_OK);
        assert_int_equal(about.closed, form < 2);
        assert_int_equal(about.state_hash != 0, form == 0);
        for (int table = 0; table < BR_RECORDED_TABLES; table++) {
            uint32_t lines[ROWS] = {0};
            double sum[ROWS] = {0};
            Seen seen = {&r, (BrRecordedTable)table, 0, 1000, 0, sum};
            int each = table == BR_RECORDED_PAIRS ? BOXES : all;
            assert_int_equal(br_recording_count_lines(r.recording, seen.table, lines, NULL), BR_OK);
            for (int i = 0; i < ROWS; i++) assert_int_equal(lines[i], each);
            assert_int_equal(br_recording_read_lines(r.recording, seen.table, wanted, 4, see, &seen, NULL), BR_OK);
            assert_int_equal(seen.lines, 4 * each);
            for (int i = 0; i < 4; i++) assert_near(sum[wanted[i]], weight, 1e-9 * weight); /* the solver's part */
            assert_true(sum[0] == 0 && sum[3] == 0);
            seen.most = 3, seen.lines = seen.row = 0;
            assert_int_equal(br_recording_read_lines(r.recording, seen.table, wanted, 4, see, &seen, NULL), BR_OK);
            assert_int_equal(seen.lines, 3);
        }
        end(&r);
    }
    free(text);
}

/* Of three steps: the largest of what may be worst, the sum of energies, the sleepers of the last. */
static void steps_are_gathered(void **unused) {
    (void)unused;
    BrStepReport worst = {0};
    const BrStepReport steps[] = {
        {.position_residual = 2, .solver = "cone", .solver_iterations = 3, .corrected = 0.5, .sleeping = 4},
        {.velocity_residual = 1, .solver = "sweeps", .parts = 2, .corrected = 0.25, .fell_back = true},
        {.contact_residual = 3, .solver = "row", .solver_iterations = 1, .sleeping = 1, .worst_contact = {{7, 0, 0}}}};
    for (int i = 0; i < 3; i++) br_report_gather(&worst, &steps[i]);
    assert_true(worst.position_residual == 2 && worst.velocity_residual == 1 && worst.contact_residual == 3);
    assert_true(worst.corrected == 0.75 && worst.fell_back && worst.sleeping == 1 &&
                worst.worst_contact[0].index1 == 7);
    assert_int_equal(worst.solver_iterations, 3);
    assert_int_equal(worst.parts, 2);
    assert_string_equal(worst.solver, "sweeps");
}

/* The help of certificate/solver names those of `bristle solvers` that make steps, by their numbers. */
static void solvers_have_their_numbers(void **unused) {
    (void)unused;
    char *text = write_field(1), word[64];
    Recorded r = record(text, ".h5", 1, 1);
    BrChannelInfo channel = {0};
    for (int i = 0; i < br_recording_channel_count(r.recording) && !channel.name; i++) {
        assert_int_equal(br_recording_channel(r.recording, i, &channel), BR_OK);
        if (strcmp(channel.name, "certificate.solver") != 0) channel.name = NULL;
    }
    assert_non_null(channel.name);
    for (int i = 0; i < br_solver_count(); i++) {
        const BrSolverInfo *solver = br_solver_info(i);
        snprintf(word, sizeof word, "%d %s", i + 1, solver->name);
        if ((solver->solves & BR_SOLVES_STEPS) && !strstr(channel.help, word)) fail_msg("no '%s'", word);
    }
    end(&r);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_thousand_places_carry_the_weight),
                                       cmocka_unit_test(what_has_no_column_is_counted),
                                       cmocka_unit_test(the_other_name_is_the_reaction),
                                       cmocka_unit_test(all_that_is_listed_can_be_read),
                                       cmocka_unit_test(a_pair_comes_when_it_touches),
                                       cmocka_unit_test(numbers_stay_with_their_corners),
                                       cmocka_unit_test(the_resultant_goes_over_from_body_to_body),
                                       cmocka_unit_test(a_sliding_block_makes_mu_m_g_d_of_heat),
                                       cmocka_unit_test(heat_outlives_the_contact),
                                       cmocka_unit_test(lines_carry_the_weight),
                                       cmocka_unit_test(steps_are_gathered),
                                       cmocka_unit_test(solvers_have_their_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
