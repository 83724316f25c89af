/* run.c: `bristle run`: simulate a scene, record it, say how it went. */
#include "run.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ options */

static int parse(Run *r, int count, char **words, int *done) {
    const Option options[] = {
        {"--output", "-o", "FILE", "record to FILE: .h5 (HDF5) or .csv", &r->output, false},
        {"--dt", NULL, "TIME", "step size, e.g. '1 ms'", &r->step.dt, false},
        {"--until", NULL, "TIME", "end of the run, e.g. '5 s'", &r->step.until, false},
        {"--scheme", NULL, "NAME",
         "e.g. moreau, hem2, rattle, half-implicit, bdf2, rk4, adaptive; a wrong name tells all", &r->step.scheme,
         false},
        {"--formulation", NULL, "NAME", "timestepping, event, compliant, smooth or hybrid", &r->step.formulation,
         false},
        {"--most-work", NULL, "NUMBER", "operations a step may take before it is refused; 1e10 if not given",
         &r->step.most_work, false},
        {"--fallback", NULL, "NAME", "timestepping: makes the steps that event or compliant refuse; or none",
         &r->step.fallback, false},
        {"--threads", NULL, "N", "threads a step may use, 1 to 64; the result has the same bits", &r->step.threads,
         false},
        {"--sleeping", NULL, "true|false", "islands at rest are not stepped until something may touch them",
         &r->step.sleeping, false},
        {"--set", NULL, "PATH=VALUE", "change the scene, e.g. --set bodies.bob.mass=2; may be repeated", &r->set, true},
        {"--include", NULL, "FOLDER", INCLUDE_HELP, &r->include, true},
        {"--checkpoint", NULL, "FILE", "keep the exact state in FILE, every second and at the end", &r->checkpoint,
         false},
        {"--resume", NULL, "FILE", "start from a checkpoint of the same scene", &r->resume, false},
        {"--realtime", NULL, "RATE", "one step per period of the clock, e.g. 1kHz; dt must be the period",
         &r->realtime.rate_text, false},
        {"--budget", NULL, "TIME", "a step may take so long, e.g. 500us; a period if not given",
         &r->realtime.budget_text, false},
        {"--diagnose", NULL, "[STEPS]", "after every step, or so many, how many answers rigid contact has",
         &r->diagnosing.every_text, false},
        {"--separate", NULL, NULL, "first take bodies apart that begin inside each other, and say how far",
         &r->step.separate, false},
        {"--force", NULL, NULL, "overwrite a recording or checkpoint that is there", &r->force, false},
        {"--times", NULL, NULL, "record what steps take, certificate.step_time; no two runs have the same", &r->times,
         false},
        {"--unstable", NULL, NULL, "run although the step is far too large for the contacts", &r->unstable, false},
        {"--strict", NULL, NULL, "exit with 1 if a step was not certified", &r->strict, false},
        {"--quiet", "-q", NULL, "no progress bar, no summary", &r->quiet, false},
        {"--json", NULL, NULL, "the result as JSON on standard output", &r->json, false},
    };
    return parse_options(
        "Usage: bristle run SCENE [-o FILE] [options]\n\nSimulates a scene ('-' reads standard input).", options,
        (int)(sizeof options / sizeof options[0]), count, words, &r->scene, 1, done);
}

/* ------------------------------------------------------------------ running */

/* How many steps the run takes from where the state stands, and what is left for a shorter last one. Rows stay where
 * they would be without an interruption: at multiples of the recording interval. */
static void plan(Run *r) {
    double dt = r->l.run.step.dt, steps = (r->l.run.until - br_state_time(r->l.state)) / dt;
    double round_off = fmin(1e-9 * (1 + fabs(steps)), 1e-3), whole = floor(steps + round_off);
    r->steps = whole > 0 ? (uint64_t)whole : 0;
    r->last_dt = steps - whole > round_off ? (steps - whole) * dt : 0;
    r->steps += r->last_dt > 0;
    r->row_steps = (uint64_t)llround(r->l.run.record_every / dt);
    r->first_step = br_state_step(r->l.state);
    r->first_time = br_state_time(r->l.state);
    double rows = br_state_time(r->l.state) / r->l.run.record_every;
    r->row_phase = (uint64_t)llround((rows - floor(rows)) * (double)r->row_steps);
}

bool is_row(const Run *r, uint64_t k) { return (k + r->row_phase) % r->row_steps == 0 || k == r->steps; }

static uint64_t count_rows(const Run *r) {
    uint64_t rows = 1; /* the state at the start */
    rows += (r->steps + r->row_phase) / r->row_steps - r->row_phase / r->row_steps;
    return rows + ((r->steps + r->row_phase) % r->row_steps != 0);
}

void note_report(Run *r, BrStatus status, const BrStepReport *report) {
    r->uncertified += status > 0;
    r->lowered_impacts += (uint64_t)report->lowered_impacts;
    r->fell_back += report->fell_back;
    note_switches(&r->switches, report);
    if (report->jammed.index1 && r->jams++ == 0) r->jammed = report->jammed, r->jammed_at = br_state_time(r->l.state);
    r->sleeping = report->sleeping;
    note_rates(r, report);
    br_report_gather(&r->worst, report);
    br_report_gather(&r->worst_since_row, report);
}

BrStatus write_row(Run *r, BrError *error) {
    note_energy(r);
    if (!r->recorder) return BR_OK;
    br_recorder_set_times(r->recorder, r->costliest, r->timed ? r->stepping / (double)r->timed : 0);
    r->costliest = r->stepping = 0;
    r->timed = 0;
    Clocks started = read_clocks();
    BrStatus status =
        br_recorder_write(r->recorder, r->l.workspace, r->l.state, &r->worst_since_row, r->uncertified, error);
    r->writing += clocks_since(started).cpu;
    r->worst_since_row = (BrStepReport){0};
    return status;
}

void end_early(Run *r, const BrError *error) {
    if (error->status == BR_CANCELLED)
        r->interrupted = true;
    else
        r->refusal = *error;
}

bool was_refused(const Run *r) { return r->refusal.status < 0; }

BrStatus take_step(Run *r, const BrStepDef *def, BrStepReport *report, BrError *error) {
    if (!r->times) return br_step(r->l.model, r->l.workspace, r->l.state, def, report, error);
    Clocks started = read_clocks();
    BrStatus status = br_step(r->l.model, r->l.workspace, r->l.state, def, report, error);
    double took = clocks_since(started).cpu;
    r->costliest = fmax(r->costliest, took);
    r->stepping += took;
    r->timed++;
    return status;
}

static BrStatus go(Run *r, BrError *error) {
    BrStepDef def = r->l.run.step;
    bool written = true;
    Progress progress = progress_start(r->quiet || r->json);
    double saved = wall_clock();
    BrStatus status = write_row(r, error);
    diagnose_step(r, 0);
    for (uint64_t step = 1; status >= 0 && step <= r->steps; step++) {
        BrStepReport report;
        if (step == r->steps && r->last_dt > 0) def.dt = r->last_dt;
        status = take_step(r, &def, &report, error);
        if (status < 0) {
            end_early(r, error);
            status = BR_OK;
            break;
        }
        note_report(r, status, &report);
        diagnose_step(r, step);
        written = is_row(r, step);
        if (written) status = write_row(r, error);
        if (status < 0) break;
        if (r->checkpoint && wall_clock() - saved >= 1) {
            status = br_checkpoint_write(r->checkpoint, r->l.state, error);
            saved = wall_clock();
        }
        progress_show(&progress, (double)step / (double)r->steps, br_state_time(r->l.state));
        if (was_interrupted() && step < r->steps) {
            r->interrupted = true;
            break;
        }
    }
    if (!written && status >= 0) status = write_row(r, error);
    progress_end(&progress);
    return status < 0 ? status : BR_OK;
}

/* ------------------------------------------------------------------ the command */

/* Closes what was written; the first refusal counts. */
static BrStatus close_files(Run *r, BrStatus status, BrError *error) {
    BrError closing = {0};
    r->left_out = br_recorder_left_out(r->recorder);
    BrStatus closed = br_recorder_close(r->recorder, &closing);
    r->recorder = NULL;
    if (status >= 0 && closed < 0) {
        status = closed;
        *error = closing;
    }
    if (status >= 0 && r->checkpoint) status = br_checkpoint_write(r->checkpoint, r->l.state, error);
    return status;
}

static int tell(Run *r) {
    if (r->json)
        json_run(r);
    else if (!r->quiet)
        print_run(r);
    if (r->uncertified)
        fprintf(stderr,
                "bristle: warning: %llu steps were not certified: joints open by up to %.2g m, rates off by up to %.2g "
                "m/s, contacts by up to %.2g m/s; a smaller dt%s may help\n",
                (unsigned long long)r->uncertified, r->worst.position_residual, r->worst.velocity_residual,
                r->worst.contact_residual, isinf(r->l.run.step.contact_work) ? "" : " or a larger step.contact.budget");
    if (r->left_out)
        fprintf(
            stderr,
            "bristle: warning: '%.200s' has no columns for %llu readings of contacts; CSV has columns for at most 64 "
            "places that may touch, record to .h5 for all of them\n",
            r->output, (unsigned long long)r->left_out);
    if (r->jams)
        fprintf(
            stderr,
            "bristle: warning: joint '%s' jammed at t = %.6g s (%llu such steps in all): friction in its bearings adds "
            "more load than it bears, so that rigid friction has no answer or several; it was stopped at once\n",
            br_joint_def(r->l.model, r->jammed)->name, r->jammed_at, (unsigned long long)r->jams);
    if (r->failed)
        fprintf(stderr, "bristle: the run failed: %s; take a smaller dt, or another scheme%s\n", r->why,
                r->output ? " (what it made is in the recording)" : "");
    if (was_refused(r))
        fprintf(stderr, "bristle: %s (the run ends at t = %.9g s%s)\n", r->refusal.text, br_state_time(r->l.state),
                r->output && r->checkpoint ? ", which is in the recording and the checkpoint"
                : r->output                ? ", which is in the recording"
                : r->checkpoint            ? ", which is in the checkpoint"
                                           : "");
    if (r->interrupted) return exit_interrupted();
    return r->failed || was_refused(r) || (r->strict && r->uncertified) ? EXIT_FAILED : EXIT_FINE;
}

static BrStatus start_recording(Run *r, BrError *error) {
    BrRecordDef def = br_record_def_like(r->l.scene);
    def.run = r->l.run;
    def.rows = count_rows(r);
    def.diagnosed = r->diagnosing.every > 0;
    def.timed = r->times;
    return br_recorder_open(br_scene_model(r->l.scene), &def, r->output, &r->recorder, error);
}

BrStatus run_scene(Run *r, BrError *error) {
    catch_interrupts();
    if (!load_scene(r->scene, &r->set, &r->include, r->step.separate, &r->l, error)) return error->status;
    BrStatus status = r->unstable ? BR_OK : refuse_unstable(&r->l, error);
    if (status == BR_OK && r->realtime.rate_text) status = fit_realtime(r, error);
    if (status == BR_OK && !r->mute) print_warnings(stderr, &r->l), warn_unstable(&r->l);
    if (status == BR_OK && r->resume) status = br_checkpoint_read(r->resume, r->l.state, error);
    plan(r);
    r->l.run.step.stop = is_to_stop;
    double time = br_state_time(r->l.state), until = r->l.run.until;
    if (status == BR_OK && r->resume && time > until * (1 + 1e-12)) {
        snprintf(error->text, sizeof error->text,
                 "'%s' is at t = %.9g s, past the end of the run at %.9g s; raise --until", r->resume, time, until);
        error->status = status = BR_INVALID_ARGUMENT;
    }
    if (status == BR_OK && r->checkpoint) status = br_checkpoint_write(r->checkpoint, r->l.state, error);
    if (status == BR_OK) r->output = choose_recording(r->output, r->force, !r->quiet && !r->json, r->other);
    if (status == BR_OK && r->output) status = start_recording(r, error);
    if (status == BR_OK) status = start_diagnosing(r, error);
    if (status != BR_OK) return status;
    r->started = read_clocks();
    status = close_files(r, r->realtime.rate_text ? run_in_real_time(r, error) : go(r, error), error);
    r->spent = clocks_since(r->started);
    if (status >= 0) r->failed = has_failed(r, r->why, sizeof r->why);
    return status;
}

static int simulate(Run *r, BrError *error) {
    if (run_scene(r, error) >= 0) return tell(r);
    if (was_refused(r)) fprintf(stderr, "bristle: %s\n", r->refusal.text);
    return report_error(error, r->json);
}

/* A checkpoint may be written over the one that was read: the file is always the old or the new one. */
static bool has_files_apart(const Run *r) {
    const NamedFile files[] = {
        {"SCENE", r->scene, false}, {"--output", r->output, true}, {"--checkpoint", r->checkpoint, true}};
    const NamedFile start[] = {{"--resume", r->resume, false}, {"--output", r->output, true}};
    return keep_apart("run", files, 3) && keep_apart("run", start, 2);
}

/* A checkpoint that is there may be all that is left of a long run. */
static bool keeps_checkpoint(const Run *r) {
    bool goes_on = r->checkpoint && r->resume && is_same_file(r->checkpoint, r->resume);
    if (!r->checkpoint || r->force || goes_on || !would_be_lost(r->checkpoint)) return true;
    fprintf(
        stderr,
        "bristle run: --checkpoint '%.300s' is there already and is kept; go on from it with --resume, or overwrite it "
        "with --force\n",
        r->checkpoint);
    return false;
}

static bool goes_with_clock(const Run *r) {
    if (!r->realtime.rate_text || !r->diagnosing.every) return true;
    fprintf(stderr, "bristle run: --diagnose does not go with --realtime; diagnose a run without it\n");
    return false;
}

static bool goes_with_resume(const Run *r) {
    if (!r->step.separate || !r->resume) return true;
    fprintf(stderr,
            "bristle run: --separate is for where a run begins; with --resume bodies are where the checkpoint has "
            "them\n");
    return false;
}

int command_run(int count, char **words) {
    Run r = {0};
    int done, arguments = parse(&r, count, words, &done);
    if (arguments < 0) return done;
    if (arguments == 0) {
        fprintf(stderr, "bristle run: which scene? Try 'bristle run scenes/double-pendulum.yaml'\n");
        return EXIT_MISUSE;
    }
    if (!add_step_options(&r.step, &r.set) || !parse_realtime(&r.realtime) || !parse_diagnosing(&r.diagnosing) ||
        !goes_with_clock(&r) || !goes_with_resume(&r) || !has_files_apart(&r) || !keeps_checkpoint(&r))
        return EXIT_MISUSE;
    BrError error = {0};
    int code = simulate(&r, &error);
    end_diagnosing(&r);
    unload_scene(&r.l);
    return code;
}
