/* experiment_run.c: runs of an experiment: from assignments to a scene, from a scene to rows in memory. */
#include "io/experiment.h"

#include "io/inside.h"
#include "io/yaml_write.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MOST_ASSIGNMENTS = 256, MOST_MEMBERS = 1000, MOST_RUNS = 10000, MOST_EVENTS = 1000000 };

/* ------------------------------------------------------------------ families */

/* A list makes a family, whose members take one value each. 0 after a refusal. */
static int count_members(BriReader *r, const BriEntry *entry) {
    const BriNode *first = NULL;
    for (int i = 0; i < entry->node->count; i++) {
        const BriNode *value = entry->node->items[i];
        const char *key = entry->node->keys[i]->text;
        if (strcmp(key, "for") == 0 || value->kind != BRI_NODE_SEQUENCE) continue;
        if (value->count == 0 || value->count > MOST_MEMBERS)
            return bri_refuse(r, value,
                              "a family has 1 to %d members; a value that is a list itself goes in quotes, "
                              "as \"[0, 0, -1]\"",
                              MOST_MEMBERS);
        if (first && value->count != first->count)
            return bri_refuse(r, value,
                              "'%.60s' has %d values, but another list of this run has %d; they go side by "
                              "side",
                              key, value->count, first->count);
        if (!first) first = value;
    }
    return first ? first->count : 1;
}

/* What else a run assigns is the scene's business. */
static bool check_run(BriReader *r, const BriEntry *entry) {
    for (int i = 0; i < entry->node->count; i++) {
        const BriNode *key = entry->node->keys[i], *value = entry->node->items[i];
        if (strchr(key->text, '=')) return bri_refuse(r, key, "a path of the scene has no '='");
        if (strcmp(key->text, "scene") == 0 && value->kind != BRI_NODE_SCALAR)
            return bri_refuse(r, value, "'scene' must be the name of a file");
    }
    return true;
}

bool bri_make_runs(BrExperiment *e) {
    BriReader *r = &e->reader;
    int capacity = 0;
    static const BriNode EMPTY = {.kind = BRI_NODE_MAPPING, .file = ""};
    BriEntry only = {"main", bri_document_root(e->document), &EMPTY};
    int entries = e->run_entries.count;
    e->plain = (BriRun){.entry = only, .members = 1, .name = "scene", .series.name = "scene"};
    for (int i = 0; i < (entries ? entries : 1); i++) {
        const BriEntry *entry = entries ? &e->run_entries.entry[i] : &only;
        if (!check_run(r, entry)) return false;
        int members = count_members(r, entry);
        if (e->runs + members > MOST_RUNS) return bri_refuse(r, entry->key, "there are more than %d runs", MOST_RUNS);
        for (int k = 0; k < members; k++) {
            if (!bri_grow(r->allocator, (void **)&e->run, e->runs, &capacity, sizeof(BriRun))) return bri_no_memory(r);
            BriRun *run = &e->run[e->runs++];
            *run = (BriRun){.entry = *entry, .member = k, .members = members};
            snprintf(run->name, sizeof run->name, members > 1 ? "%s[%d]" : "%s", entry->name, k);
        }
        if (members == 0) return false;
    }
    for (int i = 0; i < e->runs; i++) e->run[i].series.name = e->run[i].name;
    return true;
}

bool bri_find_run(BrExperiment *e, const char *name, BriRun **run, int *members, char *why, size_t size) {
    const char *words[256];
    int count = 0;
    for (int i = 0; i < e->runs; i++) {
        BriRun *candidate = &e->run[i];
        bool whole = candidate->member == 0 && strcmp(candidate->entry.name, name) == 0;
        if (whole || strcmp(candidate->name, name) == 0) {
            *run = candidate;
            *members = whole ? candidate->members : 1;
            return true;
        }
        if (candidate->member == 0 && count < BRI_COUNT(words)) words[count++] = candidate->entry.name;
    }
    const char *nearest = br_nearest_word(name, words, count);
    snprintf(why, size, "there is no run '%.60s'%s%.60s%s", name, nearest ? "; did you mean '" : "",
             nearest ? nearest : "", nearest ? "'?" : "");
    return false;
}

/* ------------------------------------------------------------------ assignments */

/* "path=value"; the value on one line of YAML */
static char *make_assignment(BriReader *r, const char *path, const BriNode *value) {
    BriText text = {0};
    for (int pass = 0; pass < 2; pass++) {
        if (pass) text = (BriText){bri_keep(r, text.length + 1), 0};
        if (pass && !text.bytes) return NULL;
        bri_write_text(&text, path);
        bri_write_char(&text, '=');
        if (value->kind == BRI_NODE_SCALAR)
            bri_write_text(&text, value->text);
        else
            bri_write_flow(&text, value);
    }
    return text.bytes;
}

typedef struct Assignments {
    int count;
    const char *text[MOST_ASSIGNMENTS];
    const BriNode *node[MOST_ASSIGNMENTS];
} Assignments;

static bool gather(BriReader *r, const BriRun *run, Assignments *all) {
    const BriNode *node = run->entry.node;
    for (int i = 0; i < node->count; i++) {
        const char *key = node->keys[i]->text;
        const BriNode *value = node->items[i];
        if (strcmp(key, "scene") == 0 || strcmp(key, "for") == 0 || strcmp(key, "map") == 0) continue;
        if (value->kind == BRI_NODE_SEQUENCE) value = value->items[run->member];
        if (all->count == MOST_ASSIGNMENTS)
            return bri_refuse(r, node, "a run has at most %d assignments", MOST_ASSIGNMENTS);
        const char *path = strcmp(key, "record_every") == 0 ? "record.every" : key;
        all->node[all->count] = value;
        all->text[all->count] = make_assignment(r, path, value);
        if (!all->text[all->count++]) return bri_no_memory(r);
    }
    return true;
}

/* ------------------------------------------------------------------ scenes */

static BrStatus load(const BrExperiment *e, const char *path, const Assignments *all, int count, BrScene **scene,
                     BrError *error) {
    BrSceneOptions options = br_default_scene_options();
    options.allocator = e->allocator;
    options.set = all->text;
    options.sets = count;
    options.include = e->options.include, options.includes = e->options.includes;
    return br_scene_load(path, &options, scene, error);
}

/* A refusal of an assignment stands where the run makes it: the first one that the scene does not take. */
static bool refuse_assignment(BrExperiment *e, const char *path, const BriRun *run, const Assignments *all,
                              BrStatus status) {
    BriReader *r = &e->reader;
    BrScene *scene = NULL;
    int guilty = 0;
    BrStatus found = BR_OK;
    while (guilty < all->count && found == BR_OK) {
        found = load(e, path, all, ++guilty, &scene, r->error);
        br_scene_destroy(scene);
    }
    if (found == BR_OK || status == BR_OUT_OF_MEMORY) return bri_no_memory(r);
    const BriNode *place = guilty ? all->node[guilty - 1] : run->entry.key;
    char text[600];
    snprintf(text, sizeof text, "run '%.60s', %.80s: %.400s", run->name, all->text[guilty ? guilty - 1 : 0],
             r->error->text);
    return bri_refuse(r, place, "%s", text);
}

static void plan(BriRun *run) {
    BrRunDef def = br_scene_run_def(run->scene);
    run->dt = def.step.dt;
    double steps = def.until / def.step.dt, round_off = bri_min(1e-9 * (1 + steps), 1e-3);
    double whole = bri_floor(steps + round_off);
    run->planned = (uint64_t)whole + (steps - whole > round_off);
    run->planned_rows = 2 + bri_floor(def.until / def.record_every); /* the first, and a last one that may be between */
}

/* Path and assignments are kept for it. */
static bool open_map(BrExperiment *e, BriRun *run, const char *path, const Assignments *all) {
    char *kept = bri_keep_text(&e->reader, "%s", path);
    const char **set = bri_keep(&e->reader, ((size_t)all->count + 1) * sizeof *set);
    if (!kept || !set) return bri_no_memory(&e->reader);
    for (int i = 0; i < all->count; i++) set[i] = all->text[i];
    return bri_open_map(e, run, kept, set, all->count);
}

bool bri_open_run(BrExperiment *e, BriRun *run) {
    if (run->scene) return true;
    BriReader *r = &e->reader;
    const BriNode *file = bri_node_find(run->entry.node, "scene");
    if (!file) file = e->scene;
    char path[BRI_LONGEST_PATH], why[300];
    if (!bri_find_inside(e->folder, file ? file->text : "scene.yaml", "the experiment's folder", path, sizeof path, why,
                         sizeof why))
        return bri_refuse(r, file ? file : bri_document_root(e->document), "%s", why);
    Assignments all = {0};
    if (!gather(r, run, &all)) return false;
    BrStatus status = load(e, path, &all, all.count, &run->scene, r->error);
    bool of_assignment = !r->error->file[0] || strncmp(r->error->file, "--set ", 6) == 0;
    if (status < 0 && all.count && of_assignment) return refuse_assignment(e, path, run, &all, status);
    bool is_map = bri_node_find(run->entry.node, "map") != NULL;
    if (status == BR_OK)
        status = is_map ? bri_map_channels(&e->allocator, &run->series.channels, r->error)
                        : bri_channels_make(br_scene_model(run->scene), false, false, &e->allocator,
                                            &run->series.channels, r->error);
    if (status == BR_OK && !is_map && !run->series.touched) {
        run->series.touched = bri_touched_make(br_scene_model(run->scene), &e->allocator);
        if (!run->series.touched) status = bri_fail(r->error, BR_OUT_OF_MEMORY, "no memory for the run's contacts");
    }
    r->status = status;
    if (status != BR_OK) return false;
    plan(run);
    return !is_map || open_map(e, run, path, &all);
}

void bri_release_run(BrExperiment *e, BriRun *run) {
    bri_series_release(&run->series, &e->allocator);
    br_scene_destroy(run->scene);
    run->scene = NULL;
}

/* ------------------------------------------------------------------ simulation */

typedef struct Simulation {
    BrExperiment *experiment;
    BriRun *run;
    const BrModel *model;
    BrState *state;
    BrWorkspace *workspace;
    BriTouching touching;
    BrStepReport worst; /* since the row before */
    int looks;          /* of the step in progress at its caller */
} Simulation;

static double read_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What happened in the step, added to the run's events. */
static bool collect_events(const BrModel *model, BriSeries *series, const BrStepReport *report,
                           const BrAllocator *allocator) {
    bool fine = true;
    for (int k = 0; k < report->events && k < BR_STEP_EVENTS; k++) {
        const BrEvent *from = &report->event[k];
        BriEvent event = {.time = from->time, .before = from->before, .after = from->after};
        snprintf(event.kind, sizeof event.kind, "%s", br_event_name(from->kind));
        snprintf(event.contact, sizeof event.contact, "%.63s/%.63s", br_body_def(model, from->body_b)->name,
                 br_body_def(model, from->body_a)->name);
        fine = fine && bri_series_add_event(series, &event, allocator);
    }
    return fine;
}

static BrStatus add_row(Simulation *s, const BrStepDef *def, BrError *error) {
    BrEvaluateDef reading = br_evaluate_def_like(def);
    BrStatus status = br_evaluate_with(s->model, s->workspace, s->state, &reading, error);
    if (status < 0) return status;
    BriSeries *series = &s->run->series;
    double *row = bri_series_next(series, &s->experiment->allocator);
    if (!row)
        return bri_fail(error, BR_OUT_OF_MEMORY, "run '%.80s': no memory for more than %d rows; use record_every",
                        s->run->name, series->rows);
    BriMoment now = {s->workspace, s->state, &s->worst, s->run->uncertified, NULL, status, {0}};
    bri_channels_fill(&series->channels, &now, row);
    if (!bri_touching_read(&s->touching, s->workspace, s->state) || !bri_touched_add(series->touched, &s->touching))
        return bri_fail(error, BR_OUT_OF_MEMORY,
                        "run '%.80s': no memory for its contacts in more than %d rows; use "
                        "record_every",
                        s->run->name, series->rows);
    series->rows++;
    s->worst = (BrStepReport){0};
    return BR_OK;
}

static bool show_progress(const Simulation *s) {
    const BrExperiment *e = s->experiment;
    if (!e->options.progress) return true;
    double part = e->planned ? (double)e->steps / (double)e->planned : 1;
    return e->options.progress(e->options.user, s->run->name, part, br_state_time(s->state));
}

/* The first look of a step comes before its work, when the caller has just been asked. */
static bool wants_stop(void *user) {
    Simulation *s = user;
    return s->looks++ > 0 && !show_progress(s);
}

static BrStatus cancel(const Simulation *s, BrError *error) {
    return bri_fail(error, BR_CANCELLED, "stopped at t = %.6g s of run '%.80s'", br_state_time(s->state), s->run->name);
}

static void note_report(Simulation *s, BrStatus status, const BrStepReport *report) {
    s->run->steps++;
    s->experiment->steps++;
    s->run->uncertified += status > 0;
    s->run->fell_back += report->fell_back;
    br_report_gather(&s->worst, report);
}

static BrStatus take_steps(Simulation *s, BrError *error) {
    BriRun *run = s->run;
    BrRunDef def = br_scene_run_def(run->scene);
    if (s->experiment->options.progress) def.step.stop = wants_stop, def.step.stop_user = s;
    uint64_t row_steps = (uint64_t)bri_floor(def.record_every / def.step.dt + 0.5);
    BrStatus status = add_row(s, &def.step, error);
    for (uint64_t k = 1; status >= 0 && k <= run->planned; k++) {
        BrStepReport report = {0};
        s->looks = 0;
        double left = def.until - br_state_time(s->state); /* the last step may be shorter */
        if (k == run->planned && left > 0 && left < def.step.dt * (1 - 1e-6)) def.step.dt = left;
        status = br_step(s->model, s->workspace, s->state, &def.step, &report, error);
        if (status < 0) return status == BR_CANCELLED ? cancel(s, error) : status;
        note_report(s, status, &report);
        if (run->series.events > MOST_EVENTS)
            return bri_fail(error, BR_INVALID_ARGUMENT, "there were more than %d events", (int)MOST_EVENTS);
        if (!collect_events(s->model, &run->series, &report, &s->experiment->allocator))
            return bri_fail(error, BR_OUT_OF_MEMORY, "run '%.80s': no memory for its events", run->name);
        if (k % row_steps == 0 || k == run->planned) status = add_row(s, &def.step, error);
        if (status >= 0 && !show_progress(s)) return cancel(s, error);
    }
    return status;
}

bool bri_simulate_run(BrExperiment *e, BriRun *run) {
    if (run->map) return bri_make_map(e, run);
    Simulation s = {.experiment = e, .run = run, .model = br_scene_model(run->scene)};
    BrError inner = {0}, *error = &inner;
    double started = read_clock();
    bri_touching_begin(&s.touching, s.model, &e->allocator);
    BrStatus status = br_state_create(s.model, &s.state, error);
    if (status == BR_OK) br_state_set_formulation(s.state, br_scene_run_def(run->scene).step.formulation);
    if (status == BR_OK) status = br_workspace_create(s.model, &s.workspace, error);
    if (status == BR_OK) status = br_state_assemble(s.model, s.workspace, s.state, NULL, error);
    if (status >= 0) status = take_steps(&s, error);
    double time = s.state ? br_state_time(s.state) : 0;
    bri_touching_end(&s.touching);
    br_workspace_destroy(s.model, s.workspace);
    br_state_destroy(s.model, s.state);
    run->seconds = read_clock() - started;
    run->done = true;
    if (status >= 0) return true;
    if (status == BR_OUT_OF_MEMORY || status == BR_CANCELLED) {
        *e->reader.error = inner;
        e->reader.status = status;
        return false;
    }
    run->problem = bri_keep_text(&e->reader, "at t = %.6g s: %s", time, inner.text);
    return run->problem || bri_no_memory(&e->reader);
}
