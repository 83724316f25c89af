/* experiment.c: an experiment as a whole: reading its file, running what is needed, handing out the results. */
#include "io/experiment.h"

#include "io/inside.h"

#include <string.h>
#include <sys/stat.h>

void br_start_experiment_options(BrExperimentOptions *options, uint32_t size) {
    bri_start_def(options, size, sizeof *options);
}

/* ------------------------------------------------------------------ reading */

static const char PRESET[] = "experiment.yaml";

static bool is_file(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* The folder, and the file in it. */
static bool split_path(BrExperiment *e, const char *path, const char **file) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    bool whole = is_file(path);
    size_t length = !whole ? strlen(path) : slash ? (size_t)(slash - path) + 1 : 0;
    while (length > 1 && path[length - 1] == '/') length--;
    e->folder = length ? bri_keep_text(&e->reader, "%.*s", (int)length, path) : bri_keep_text(&e->reader, ".");
    *file = whole ? name : PRESET;
    return e->folder || bri_no_memory(&e->reader);
}

/* What an experiment must be called: as its folder. NULL: "." and ".." hide that, and another file than the usual one
 * has a name of its own. */
static const char *find_name(const char *folder, const char *file) {
    const char *slash = strrchr(folder, '/'), *name = slash ? slash + 1 : folder;
    return strcmp(file, PRESET) != 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ? NULL : name;
}

static bool read_text(BriReader *r, const BriNode *root, const char *key, const BriNode **value) {
    *value = bri_node_find(root, key);
    if (!*value || ((*value)->kind == BRI_NODE_SCALAR && (*value)->text[0])) return true;
    return bri_refuse(r, *value, "'%s' must be a text", key);
}

static bool read_root(BrExperiment *e, const char *name) {
    static const char *const KEYS[] = {"experiment", "title", "scene", "runs", "metrics", "figures"};
    BriReader *r = &e->reader;
    const BriNode *root = bri_document_root(e->document), *id, *title;
    if (root->kind != BRI_NODE_MAPPING)
        return bri_refuse(r, root, "this is no experiment: it must be a mapping that begins with 'experiment: NAME'");
    if (!bri_check_keys(r, root, "the experiment", KEYS, BRI_COUNT(KEYS)) || !read_text(r, root, "experiment", &id) ||
        !read_text(r, root, "title", &title) || !read_text(r, root, "scene", &e->scene))
        return false;
    if (!id) return bri_refuse(r, root, "it must begin with 'experiment: NAME', the name of its folder");
    if (name && strcmp(id->text, name) != 0)
        return bri_refuse(r, id, "the experiment is called '%.60s', but its folder '%.60s'; give both the same name",
                          id->text, name);
    if (id->text[0] == '.' || strchr(id->text, '/') || strlen(id->text) > 100)
        return bri_refuse(r, id,
                          "'%.60s' cannot be the name of a folder and of pages: it begins with '.', has a '/' or "
                          "more than 100 characters",
                          id->text);
    e->id = id->text;
    e->title = title ? title->text : "";
    return bri_expand_entries(r, bri_node_find(root, "runs"), "run", &e->run_entries) &&
           bri_expand_entries(r, bri_node_find(root, "metrics"), "metric", &e->metric_entries) &&
           bri_expand_entries(r, bri_node_find(root, "figures"), "figure", &e->figure_entries) && bri_make_runs(e);
}

static bool make_results(BrExperiment *e) {
    int metrics = e->metric_entries.count, figures = e->figure_entries.count;
    e->metric = bri_keep(&e->reader, (size_t)metrics * sizeof *e->metric + 1);
    e->figure = bri_keep(&e->reader, (size_t)figures * sizeof *e->figure + 1);
    if (!e->metric || !e->figure) return bri_no_memory(&e->reader);
    for (int i = 0; i < metrics; i++) e->metric[i].entry = e->metric_entries.entry[i];
    for (int i = 0; i < figures; i++) e->figure[i].entry = e->figure_entries.entry[i];
    e->metrics = metrics;
    e->figures = figures;
    return true;
}

static bool read_experiment(BrExperiment *e, const char *given) {
    BriReader *r = &e->reader;
    const char *file;
    if (!split_path(e, given, &file)) return false;
    char path[BRI_LONGEST_PATH], why[300];
    if (!bri_find_inside(e->folder, file, "the experiment's folder", path, sizeof path, why, sizeof why)) {
        r->status = bri_fail(r->error, BR_IO, "%s", why);
        return false;
    }
    r->status = bri_document_read(path, &e->allocator, &e->document, r->error);
    return r->status == BR_OK && read_root(e, find_name(e->folder, file)) && make_results(e);
}

BrStatus br_experiment_load(const char *path, const BrExperimentOptions *given, BrExperiment **experiment,
                            BrError *error) {
    BRI_NEED(experiment, "experiment", error);
    BrError unused;
    *experiment = NULL;
    BRI_NEED(path, "path", error);
    BrExperimentOptions options = br_default_experiment_options();
    BrStatus status = given ? bri_check_def(given, sizeof *given, "br_default_experiment_options", error) : BR_OK;
    if (status != BR_OK) return status;
    if (given) options = *given;
    BrAllocator allocator;
    status = bri_choose_allocator(&options.allocator, &allocator, error);
    if (status != BR_OK) return status;
    BrExperiment *e = bri_allocate(&allocator, 1, sizeof *e);
    if (!e) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to read the experiment");
    e->allocator = allocator;
    e->options = options;
    e->reader = (BriReader){.allocator = &e->allocator, .error = error ? error : &unused};
    if (!read_experiment(e, path)) {
        status = e->reader.status;
        br_experiment_destroy(e);
        return status;
    }
    e->reader.error = NULL;
    *experiment = e;
    return BR_OK;
}

static void release_entries(BriEntries *entries, const BrAllocator *allocator) {
    bri_release(allocator, entries->entry);
    bri_names_release(&entries->names, allocator);
}

void br_experiment_destroy(BrExperiment *e) {
    if (!e) return;
    BrAllocator allocator = e->allocator;
    for (int i = 0; i < e->runs; i++) bri_release_run(e, &e->run[i]);
    bri_release_run(e, &e->plain);
    for (int i = 0; i < e->figures; i++) {
        for (int k = 0; k < e->figure[i].shown.curves; k++) {
            bri_release(&allocator, (void *)e->figure[i].curve[k].x);
            bri_release(&allocator, (void *)e->figure[i].curve[k].y);
        }
        bri_release(&allocator, e->figure[i].curve);
    }
    bri_release(&allocator, e->run);
    release_entries(&e->run_entries, &allocator);
    release_entries(&e->metric_entries, &allocator);
    release_entries(&e->figure_entries, &allocator);
    bri_release_reader(&e->reader);
    bri_document_destroy(e->document);
    bri_release(&allocator, e);
}

/* ------------------------------------------------------------------ running */

/* Forgets what an earlier run found. */
static void reset(BrExperiment *e) {
    e->steps = e->planned = 0;
    e->depth = 0;
    for (int i = 0; i < e->metrics; i++) e->metric[i] = (BriMetric){.entry = e->metric[i].entry};
    for (int i = 0; i < e->figures; i++) {
        for (int k = 0; k < e->figure[i].shown.curves; k++) {
            bri_release(&e->allocator, (void *)e->figure[i].curve[k].x);
            bri_release(&e->allocator, (void *)e->figure[i].curve[k].y);
        }
        bri_release(&e->allocator, e->figure[i].curve);
        e->figure[i] = (BriFigure){.entry = e->figure[i].entry};
    }
}

/* What the rows of all runs will take, before any is simulated. */
static bool check_memory(BrExperiment *e) {
    const double MOST = 4e9; /* bytes */
    double rows = 0, bytes = 0;
    for (int i = 0; i < e->runs; i++) {
        if (!e->run[i].needed || e->run[i].done) continue;
        rows += e->run[i].planned_rows;
        bytes += e->run[i].planned_rows * e->run[i].series.channels.width * (double)sizeof(double);
    }
    if (bytes <= MOST) return true;
    return bri_refuse(&e->reader, bri_document_root(e->document),
                      "the runs would keep %.3g rows, %.3g GB, in memory; allowed are %.3g GB: raise record_every or "
                      "lower step.until",
                      rows, 1e-9 * bytes, 1e-9 * MOST);
}

static bool check_all(BrExperiment *e) {
    for (int i = 0; i < e->metrics; i++)
        if (!bri_check_metric(e, &e->metric[i])) return false;
    for (int i = 0; i < e->figures; i++)
        if (!bri_check_figure(e, &e->figure[i])) return false;
    for (int i = 0; i < e->runs; i++) {
        BriRun *run = &e->run[i];
        if (e->options.all_runs && !bri_open_run(e, run)) return false;
        run->needed = run->needed || e->options.all_runs;
        if (run->needed && !run->done) e->planned += run->planned;
    }
    return check_memory(e);
}

static bool work(BrExperiment *e) {
    reset(e);
    if (!check_all(e)) return false;
    for (int i = 0; i < e->runs; i++)
        if (e->run[i].needed && !e->run[i].done && !bri_simulate_run(e, &e->run[i])) return false;
    for (int i = 0; i < e->metrics; i++) {
        bri_work_out_metric(e, &e->metric[i]);
        if (e->reader.status != BR_OK) return false;
    }
    for (int i = 0; i < e->figures; i++)
        if (!bri_draw_figure(e, &e->figure[i])) return false;
    return true;
}

BrStatus br_experiment_run(BrExperiment *e, BrError *error) {
    BRI_NEED(e, "experiment", error);
    BrError unused;
    e->reader.status = BR_OK;
    e->reader.error = error ? error : &unused;
    bool fine = work(e);
    e->reader.error = NULL;
    return fine ? BR_OK : e->reader.status;
}

/* ------------------------------------------------------------------ results */

const char *br_experiment_id(const BrExperiment *e) { return e ? e->id : NULL; }
const char *br_experiment_title(const BrExperiment *e) { return e ? e->title : NULL; }
const char *br_experiment_folder(const BrExperiment *e) { return e ? e->folder : NULL; }

int br_experiment_metric_count(const BrExperiment *e) { return e ? e->metrics : 0; }

static const char *find_text(const BriMetric *m, const char *key) {
    const BriNode *node = bri_node_find(m->entry.node, key);
    return node && node->kind == BRI_NODE_SCALAR ? node->text : "";
}

BrStatus br_experiment_metric(const BrExperiment *e, int number, BrMetric *metric) {
    if (!e || !metric || number < 0 || number >= e->metrics) return BR_INVALID_ARGUMENT;
    const BriMetric *m = &e->metric[number];
    *metric = (BrMetric){.name = m->entry.name,
                         .value = m->known == 2 ? m->value : __builtin_nan(""),
                         .problem = m->problem,
                         .source = find_text(m, "source"),
                         .printed = find_text(m, "printed"),
                         .expected = m->expected,
                         .tolerance = m->tolerance,
                         .bound = m->bound,
                         .checked = m->has_check,
                         .pass = m->pass};
    return BR_OK;
}

int br_experiment_run_count(const BrExperiment *e) { return e ? e->runs : 0; }

BrStatus br_experiment_run_info(const BrExperiment *e, int number, BrExperimentRun *run) {
    if (!e || !run || number < 0 || number >= e->runs) return BR_INVALID_ARGUMENT;
    const BriRun *r = &e->run[number];
    *run = (BrExperimentRun){.name = r->name,
                             .simulated = r->done,
                             .steps = r->steps,
                             .uncertified_steps = r->uncertified,
                             .fell_back_steps = r->fell_back,
                             .rows = r->series.rows,
                             .seconds = r->seconds,
                             .problem = r->problem};
    return BR_OK;
}

int br_experiment_figure_count(const BrExperiment *e) { return e ? e->figures : 0; }

BrStatus br_experiment_figure(const BrExperiment *e, int number, BrFigure *figure) {
    if (!e || !figure || number < 0 || number >= e->figures) return BR_INVALID_ARGUMENT;
    *figure = e->figure[number].shown;
    return BR_OK;
}
