/* record.c: recordings: buffering, flushing, and choosing the format. */
#include "io/record.h"

#include "solvers/solvers.h"

#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

static double read_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const BriFormat *choose_format(const char *path) {
    const BriFormat *const formats[] = {&bri_format_hdf5, &bri_format_csv};
    size_t length = strlen(path);
    for (int f = 0; f < BRI_COUNT(formats); f++)
        for (int e = 0; formats[f]->endings[e]; e++) {
            size_t n = strlen(formats[f]->endings[e]);
            if (length > n && strcmp(path + length - n, formats[f]->endings[e]) == 0) return formats[f];
        }
    return NULL;
}

static void destroy(BrRecorder *r) {
    BrAllocator allocator = r->allocator;
    br_workspace_destroy(r->model, r->diagnosis);
    bri_channels_release(&r->channels, &allocator);
    bri_touching_end(&r->touching);
    bri_touch_release(&r->columns, &allocator);
    bri_release(&allocator, r->column);
    bri_release(&allocator, r->line);
    bri_release(&allocator, r->buffer);
    bri_release(&allocator, r);
}

/* Refuses what the disk cannot hold, before anything is written. */
static BrStatus check_room(const char *path, uint64_t rows, int width, BrError *error) {
    char folder[1024];
    struct statvfs disk;
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = 0;
    else
        snprintf(folder, sizeof folder, ".");
    if (statvfs(folder, &disk) != 0) return BR_OK; /* opening will say what is wrong */
    double needed = (double)rows * width * 8, there = (double)disk.f_bavail * (double)disk.f_frsize;
    if (needed <= there) return BR_OK;
    return bri_fail(error, BR_IO,
                    "'%.200s' would need %.3g GB for %llu rows, but the disk has %.3g GB left; record less often "
                    "(record.every) or a shorter time",
                    path, needed * 1e-9, (unsigned long long)rows, there * 1e-9);
}

void br_start_record_def(BrRecordDef *def, uint32_t size) {
    if (!bri_start_def(def, size, sizeof *def)) return;
    br_start_step_def(&def->run.step, (uint32_t)sizeof def->run.step);
    def->rows = 1000;
}

static BrStatus check_record(const BrModel *model, const BrRecordDef *def, BrError *error) {
    BrStatus status = bri_check_def(def, sizeof *def, "br_default_record_def", error);
    if (status == BR_OK) status = bri_check_def(&def->run.step, sizeof def->run.step, "br_default_step_def", error);
    if (status == BR_OK && !br_model_fingerprint(model))
        status = bri_fail(error, BR_WRONG_STAGE, "a recording is of a built model: call br_model_build() first");
    return status;
}

/* A recorder that knows its channels, and nothing yet of where they go. */
static BrStatus make_recorder(const BrModel *model, const BrRecordDef *def, const BriFormat *format, BrRecorder **made,
                              BrError *error) {
    BrAllocator allocator = bri_default_allocator();
    BrRecorder *r = bri_allocate(&allocator, 1, sizeof *r);
    if (!r) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for a recording");
    r->allocator = allocator;
    r->model = model;
    r->format = format;
    r->rows = def->rows;
    r->last_flush = read_clock();
    r->reading = br_evaluate_def_like(&def->run.step);
    BrStatus status = bri_channels_make(model, def->diagnosed, def->timed, &allocator, &r->channels, error);
    bri_touching_begin(&r->touching, model, &allocator);
    if (status == BR_OK && format == &bri_format_csv && !bri_columns_make(r))
        status = bri_fail(error, BR_OUT_OF_MEMORY, "no memory for a recording");
    if (status == BR_OK && def->diagnosed) status = br_workspace_create(model, &r->diagnosis, error);
    if (status != BR_OK) destroy(r);
    if (status == BR_OK) *made = r;
    return status;
}

/* Room for some rows, and whatever the format opens. Destroys it when it fails. */
static BrStatus start_recorder(BrRecorder *r, const BrRecordDef *def, int most, BrError *error) {
    int fitting = (1 << 20) / r->channels.width; /* up to 8 MiB */
    r->capacity = fitting < 1 ? 1 : fitting > most ? most : fitting;
    r->buffer = bri_allocate(&r->allocator, (size_t)r->capacity * (size_t)r->channels.width, sizeof(double));
    r->def = def;
    BrStatus status =
        r->buffer ? r->format->open(r, error) : bri_fail(error, BR_OUT_OF_MEMORY, "no memory for a recording");
    r->def = NULL;
    if (status != BR_OK) destroy(r);
    return status;
}

BrStatus br_recorder_open(const BrModel *model, const BrRecordDef *def, const char *path, BrRecorder **recorder,
                          BrError *error) {
    BRI_NEED(recorder, "recorder", error);
    *recorder = NULL;
    BRI_NEED(model && path, "model and path", error);
    BrStatus status = check_record(model, def, error);
    if (status != BR_OK) return status;
    const BriFormat *format = choose_format(path);
    if (!format)
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "'%.200s': the name of a recording must end in .h5, .hdf5 (HDF5) or .csv (text)", path);
    if (strlen(path) >= sizeof(((BrRecorder *)0)->path))
        return bri_fail(error, BR_INVALID_ARGUMENT, "the path of the recording is longer than %zu characters",
                        sizeof(((BrRecorder *)0)->path) - 1);
    BrRecorder *r = NULL;
    status = make_recorder(model, def, format, &r, error);
    if (!r) return status;
    snprintf(r->path, sizeof r->path, "%s", path);
    snprintf(r->temporary, sizeof r->temporary, "%s.tmp%ld", path, (long)getpid());
    remove(r->temporary); /* whatever lies there, or leads elsewhere from there */
    status = check_room(path, r->rows, r->channels.width, error);
    if (status != BR_OK) {
        destroy(r);
        return status;
    }
    status = start_recorder(r, def, 1024, error);
    if (status == BR_OK) *recorder = r;
    return status;
}

BrStatus br_recorder_open_rows(const BrModel *model, const BrRecordDef *def,
                               void (*take)(void *user, const BrRecordedRow *row), void *user, BrRecorder **recorder,
                               BrError *error) {
    BRI_NEED(recorder, "recorder", error);
    *recorder = NULL;
    BRI_NEED(model && take, "model and take", error);
    BrStatus status = check_record(model, def, error);
    BrRecorder *r = NULL;
    if (status == BR_OK) status = make_recorder(model, def, &bri_format_rows, &r, error);
    if (!r) return status;
    r->rows = UINT64_MAX;
    r->take = take;
    r->user = user;
    status = start_recorder(r, def, 1, error);
    if (status == BR_OK) *recorder = r;
    return status;
}

BrStatus br_recorder_set_reading(BrRecorder *r, const BrEvaluateDef *def, BrError *error) {
    BRI_NEED(r && def, "recorder and definition", error);
    BrStatus status = bri_check_def(def, sizeof *def, "br_default_evaluate_def", error);
    if (status == BR_OK) r->reading = *def;
    return status;
}

void br_recorder_set_times(BrRecorder *r, double costliest, double mean) {
    if (r) r->times[0] = costliest, r->times[1] = mean;
}

static BrStatus empty_buffer(BrRecorder *r, BrError *error) {
    if (r->buffered == 0) return BR_OK;
    BrStatus status = r->format->put(r, r->buffer, r->buffered, error);
    if (status != BR_OK) return status;
    r->written += (uint64_t)r->buffered;
    r->buffered = 0;
    return BR_OK;
}

BrStatus br_recorder_flush(BrRecorder *r, BrError *error) {
    BRI_NEED(r, "recorder", error);
    BrStatus status = empty_buffer(r, error);
    r->last_flush = read_clock();
    return status == BR_OK ? r->format->flush(r, error) : status;
}

BrStatus br_recorder_write(BrRecorder *r, BrWorkspace *workspace, const BrState *state, const BrStepReport *worst,
                           uint64_t uncertified, BrError *error) {
    BRI_NEED(r && workspace && state && worst, "recorder, workspace, state and worst", error);
    if (r->written + (uint64_t)r->buffered >= r->rows)
        return bri_fail(error, BR_INVALID_ARGUMENT, "'%.200s' was opened for %llu rows and is full", r->path,
                        (unsigned long long)r->rows);
    BrStatus status = br_evaluate_with(r->channels.model, workspace, state, &r->reading, error);
    if (status < 0) return status;
    BrScenePoint point = {.answers = 0};
    BrStatus looked = r->diagnosis ? bri_diagnose_state(r->channels.model, r->diagnosis, state, &point, error) : BR_OK;
    if (looked < 0) return looked;
    BriMoment now = {workspace, state, worst, uncertified, &point, status, {r->times[0], r->times[1]}};
    double *row = r->buffer + (size_t)r->buffered * (size_t)r->channels.width;
    bri_channels_fill(&r->channels, &now, row);
    if (!bri_touching_read(&r->touching, workspace, state))
        return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for the contacts of a recording");
    BrStatus told = r->format->touch(r, row, error);
    if (told != BR_OK) return told;
    r->buffered++;
    r->times[0] = r->times[1] = 0;
    r->hash = br_state_hash(state);
    if (read_clock() - r->last_flush >= 1) return br_recorder_flush(r, error);
    return r->buffered == r->capacity ? empty_buffer(r, error) : BR_OK;
}

void br_report_gather(BrStepReport *worst, const BrStepReport *report) {
    if (!worst || !report) return;
    if (report->position_residual > worst->position_residual) worst->position_residual = report->position_residual;
    if (report->contact_residual > worst->contact_residual) {
        worst->contact_residual = report->contact_residual;
        memcpy(worst->worst_contact, report->worst_contact, sizeof report->worst_contact);
    }
    if (report->velocity_residual >= worst->velocity_residual) {
        worst->velocity_residual = report->velocity_residual;
        worst->worst_joint = report->worst_joint;
    }
    if (report->solver_iterations > worst->solver_iterations) worst->solver_iterations = report->solver_iterations;
    if (report->parts > worst->parts) worst->parts = report->parts;
    worst->solver = bri_stronger_solver(worst->solver, report->solver);
    worst->corrected += report->corrected;
    worst->fell_back = worst->fell_back || report->fell_back;
    worst->sleeping = report->sleeping;
}

uint64_t br_recorder_left_out(const BrRecorder *r) { return r ? r->left_out : 0; }

BrStatus br_recorder_close(BrRecorder *r, BrError *error) {
    if (!r) return BR_OK;
    BrStatus status = empty_buffer(r, error);
    BrStatus closed = r->format->close(r, status == BR_OK ? error : NULL);
    destroy(r);
    return status == BR_OK ? closed : status;
}
