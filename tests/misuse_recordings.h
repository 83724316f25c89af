/* misuse_recordings.h: for test_misuse.c: what record.h refuses. */
#ifndef TESTS_MISUSE_RECORDINGS_H
#define TESTS_MISUSE_RECORDINGS_H

#include "misuse.h"

static bool take_line(void *user, const BrRecordedLine *line) { return !user && line; }

/* Of one row. */
static void lines_of_recordings(BrRecording *recording) {
    const BrRecordedTable table = BR_RECORDED_PAIRS, none = BR_RECORDED_TABLES;
    const int rows[] = {0, 0}, beyond = 1;
    BrRecordingAbout about;
    BrChannelInfo info;
    uint32_t lines[1];
    REFUSED(br_recording_about, NULL, &about);
    REFUSED(br_recording_about, recording, NULL);
    NOTHING(br_recording_body_count, NULL);
    NOTHING(br_recording_body, NULL, 0);
    NOTHING(br_recording_body, recording, -1);
    NOTHING(br_recording_body, recording, INT32_MAX);
    NOTHING(br_recording_column_count, NULL, table);
    NOTHING(br_recording_column_count, recording, none);
    REFUSED(br_recording_column, NULL, table, 0, &info);
    REFUSED(br_recording_column, recording, none, 0, &info);
    REFUSED(br_recording_column, recording, table, -1, &info);
    REFUSED(br_recording_column, recording, table, INT32_MAX, &info);
    REFUSED(br_recording_column, recording, table, 0, NULL);
    SAID(br_recording_count_lines, NULL, table, lines);
    SAID(br_recording_count_lines, recording, none, lines);
    SAID(br_recording_count_lines, recording, table, NULL);
    SAID(br_recording_read_lines, NULL, table, rows, 1, take_line, NULL);
    SAID(br_recording_read_lines, recording, none, rows, 1, take_line, NULL);
    SAID(br_recording_read_lines, recording, table, NULL, 1, take_line, NULL);
    SAID(br_recording_read_lines, recording, table, rows, 1, NULL, NULL);
    SAID(br_recording_read_lines, recording, table, rows, 2, take_line, NULL);
    SAID(br_recording_read_lines, recording, table, &beyond, 1, take_line, NULL);
}

static void take_no_row(void *user, const BrRecordedRow *row) {
    (void)user;
    (void)row;
}

static void rows_without_a_file(const BrModel *model, const BrRecordDef *def) {
    BrRecorder *recorder;
    BrChannelInfo info;
    const BrRecordedTable table = BR_RECORDED_PAIRS, none = (BrRecordedTable)99;
    BrRecordDef blank = {0};
    SAID(br_recorder_open_rows, NULL, def, take_no_row, NULL, &recorder);
    SAID(br_recorder_open_rows, model, NULL, take_no_row, NULL, &recorder);
    SAID(br_recorder_open_rows, model, &blank, take_no_row, NULL, &recorder);
    SAID(br_recorder_open_rows, model, def, NULL, NULL, &recorder);
    SAID(br_recorder_open_rows, model, def, take_no_row, NULL, NULL);
    assert_int_equal(br_recorder_open_rows(model, def, take_no_row, NULL, &recorder, NULL), BR_OK);
    NOTHING(br_recorder_channel_count, NULL);
    REFUSED(br_recorder_channel, NULL, 0, &info);
    REFUSED(br_recorder_channel, recorder, -1, &info);
    REFUSED(br_recorder_channel, recorder, INT32_MAX, &info);
    REFUSED(br_recorder_channel, recorder, 0, NULL);
    NOTHING(br_recorder_column_count, NULL, table);
    NOTHING(br_recorder_column_count, recorder, none);
    REFUSED(br_recorder_column, NULL, table, 0, &info);
    REFUSED(br_recorder_column, recorder, none, 0, &info);
    REFUSED(br_recorder_column, recorder, table, -1, &info);
    REFUSED(br_recorder_column, recorder, table, INT32_MAX, &info);
    REFUSED(br_recorder_column, recorder, table, 0, NULL);
    assert_int_equal(br_recorder_close(recorder, NULL), BR_OK);
}

static void recordings(void **unused) {
    (void)unused;
    BrRecorder *recorder;
    BrRecording *recording;
    BrStepReport report = {0};
    BrChannelInfo info;
    double x[64];
    char path[128];
    snprintf(path, sizeof path, "/tmp/bristle-misuse-%ld.csv", (long)getpid());
    const BrModel *model = br_scene_model(w.scene);
    NOTHING(br_recording_rows, NULL);
    CALM(br_recording_scene, NULL);
    CALM(br_report_gather, NULL, &report);
    CALM(br_report_gather, &report, NULL);
    CALM(br_recorder_set_times, NULL, 1, 1);
    BrRecordDef def = br_record_def_like(w.scene), most = def, blank = {0}, stepless = def;
    def.rows = 1, most.rows = UINT64_MAX, stepless.run.step.cookie = 0;
    BrModel *raw; /* not built */
    BrModelDef bare = br_default_model_def();
    assert_int_equal(br_model_create(&bare, &raw, NULL), BR_OK);
    SAID(br_recorder_open, NULL, &def, path, &recorder);
    SAID(br_recorder_open, model, NULL, path, &recorder);
    SAID(br_recorder_open, model, &blank, path, &recorder);
    SAID(br_recorder_open, model, &stepless, path, &recorder);
    SAID(br_recorder_open, raw, &def, path, &recorder);
    SAID(br_recorder_open, model, &def, NULL, &recorder);
    SAID(br_recorder_open, model, &def, path, NULL);
    SAID(br_recorder_open, model, &def, "nosuch.txt", &recorder);
    SAID(br_recorder_open, model, &most, path, &recorder);
    br_model_destroy(raw);
    rows_without_a_file(model, &def);
    assert_int_equal(br_recorder_open(model, &def, path, &recorder, NULL), BR_OK);
    BrEvaluateDef reading = br_default_evaluate_def();
    SAID(br_recorder_set_reading, NULL, &reading);
    SAID(br_recorder_set_reading, recorder, NULL);
    SAID(br_recorder_write, NULL, w.workspace, w.state, &report, 0);
    SAID(br_recorder_write, recorder, NULL, w.state, &report, 0);
    SAID(br_recorder_write, recorder, w.workspace, NULL, &report, 0);
    SAID(br_recorder_write, recorder, w.workspace, w.state, NULL, 0);
    SAID(br_recorder_write, recorder, w.workspace, other.state, &report, 0);
    assert_int_equal(br_recorder_write(recorder, w.workspace, w.state, &report, 0, NULL), BR_OK);
    SAID(br_recorder_write, recorder, w.workspace, w.state, &report, 0); /* one row was asked for */
    SAID(br_recorder_flush, NULL);
    NOTHING(br_recorder_left_out, NULL);
    assert_int_equal(br_recorder_close(recorder, NULL), BR_OK);
    CALM(br_recorder_close, NULL, NULL);
    SAID(br_recording_open, NULL, &recording);
    SAID(br_recording_open, path, NULL);
    SAID(br_recording_open, "nosuch.csv", &recording);
    CALM(br_recording_close, NULL);
    assert_int_equal(br_recording_open(path, &recording, NULL), BR_OK);
    NOTHING(br_recording_rows, NULL);
    NOTHING(br_recording_channel_count, NULL);
    REFUSED(br_recording_channel, NULL, 0, &info);
    REFUSED(br_recording_channel, recording, -1, &info);
    REFUSED(br_recording_channel, recording, INT32_MAX, &info);
    REFUSED(br_recording_channel, recording, 0, NULL);
    SAID(br_recording_describe, NULL, "time", &info);
    SAID(br_recording_describe, recording, NULL, &info);
    SAID(br_recording_describe, recording, "time", NULL);
    SAID(br_recording_describe, recording, "nosuch", &info);
    SAID(br_recording_read, NULL, "time", x);
    SAID(br_recording_read, recording, NULL, x);
    SAID(br_recording_read, recording, "time", NULL);
    SAID(br_recording_read, recording, "nosuch", x);
    lines_of_recordings(recording);
    br_recording_close(recording);
    remove(path);
    SAID(br_checkpoint_write, NULL, w.state);
    SAID(br_checkpoint_write, path, NULL);
    SAID(br_checkpoint_write, "nosuch/c", w.state);
    SAID(br_checkpoint_read, NULL, w.state);
    SAID(br_checkpoint_read, path, NULL);
    SAID(br_checkpoint_read, "nosuch/c", w.state);
}

#endif
