/* compare.c: `bristle compare`: the same scene by several models, and how far they are from a reference. */
#include "compare.h"
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ one run */

static void note_outcome(Outcome *o, const Run *r) {
    const BrStepDef *step = &r->l.run.step;
    o->status = r->interrupted   ? "interrupted"
                : was_refused(r) ? "refused"
                : r->failed      ? "failed"
                : r->uncertified ? "uncertified"
                                 : "ok";
    snprintf(o->formulation, sizeof o->formulation, "%s", br_formulation_name(step->formulation));
    snprintf(o->scheme, sizeof o->scheme, "%s",
             step->formulation == BR_FORMULATION_EVENT ? "" : br_scheme_name(step->scheme));
    o->dt = step->dt;
    o->steps = br_state_step(r->l.state) - r->first_step;
    o->end = br_state_time(r->l.state);
    o->simulated = o->end - r->first_time;
    o->uncertified = r->uncertified;
    o->hash = br_state_hash(r->l.state);
    o->cpu = fmax(0, r->spent.cpu - r->writing);
    br_state_energy(r->l.model, r->l.state, &o->energy);
    if (was_refused(r))
        snprintf(o->problem, sizeof o->problem, "refused at t = %.6g s: %.560s", o->end, r->refusal.text);
    else if (r->failed)
        snprintf(o->problem, sizeof o->problem, "failed: %s", r->why);
    else if (r->uncertified)
        snprintf(o->problem, sizeof o->problem, "%llu of %llu steps were not certified",
                 (unsigned long long)r->uncertified, (unsigned long long)o->steps);
}

/* The scene's own assignments, then --set, then what the variant says, then the common rows. */
static bool gather(const Compare *c, const Variant *v, Run *r, char every[64]) {
    const int most = (int)(sizeof r->set.item / sizeof r->set.item[0]);
    if (c->set.count + v->set.count + 1 > most) return false;
    for (int i = 0; i < c->set.count; i++) r->set.item[r->set.count++] = c->set.item[i];
    for (int i = 0; i < v->set.count; i++) r->set.item[r->set.count++] = v->set.item[i];
    snprintf(every, 64, "record.every=%.17g s", c->interval);
    r->set.item[r->set.count++] = every;
    r->include = c->include;
    return true;
}

/* "2-hem2-0.5ms.h5": its place, and what of its name can stand in one of a file. */
static void name_recording(const Compare *c, Variant *v, int number) {
    char name[101];
    int length = 0;
    for (const char *at = v->name; *at && length < 100; at++) {
        bool plain = (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                     strchr("._-", *at);
        name[length++] = plain ? *at : '-';
    }
    name[length] = 0;
    snprintf(v->recording, sizeof v->recording, "%s/%d-%s.h5", c->folder, number, name);
}

/* What cannot be simulated at all is one of its results. */
static void run_variant(const Compare *c, Variant *v, int number) {
    char every[64];
    BrError error = {0};
    Run *r = calloc(1, sizeof *r);
    name_recording(c, v, number);
    if (!r || !gather(c, v, r, every)) {
        free(r);
        v->outcome.status = "refused";
        snprintf(v->outcome.problem, sizeof v->outcome.problem, "no memory, or too many assignments");
        return;
    }
    r->scene = c->scene, r->output = v->recording;
    r->quiet = r->mute = r->force = true;
    if (run_scene(r, &error) >= 0)
        note_outcome(&v->outcome, r);
    else {
        v->outcome.status = was_interrupted() ? "interrupted" : "refused";
        snprintf(v->outcome.problem, sizeof v->outcome.problem, "%.630s", error.text);
    }
    unload_scene(&r->l);
    free(r);
}

/* ------------------------------------------------------------------ all of them */

/* The reference first; of the others those that can be compared are. */
static bool run_all(Compare *c, BrError *error) {
    Progress progress = progress_start(c->quiet || c->json);
    Variant *reference = &c->variant[c->reference];
    run_variant(c, reference, c->reference);
    bool there = reference->outcome.steps > 0;
    c->size = there ? compare_size(reference->recording, error) : 0;
    for (int i = 0, done = 1; i < c->count && !was_interrupted(); i++) {
        Variant *v = &c->variant[i];
        progress_show(&progress, (double)done / c->count, done);
        if (i == c->reference) continue;
        run_variant(c, v, i);
        done++;
        if (there && v->outcome.steps > 0 &&
            !compare_distance(reference->recording, v->recording, c->size, &v->distance, error))
            break;
    }
    progress_end(&progress);
    return error->status >= 0;
}

/* ------------------------------------------------------------------ files */

static bool make_folder(Compare *c) {
    if (!c->output) {
        const char *temporary = getenv("TMPDIR");
        snprintf(c->folder, sizeof c->folder, "%.900s/bristle-compare-XXXXXX",
                 temporary && *temporary ? temporary : "/tmp");
        if (mkdtemp(c->folder)) return true;
    } else {
        snprintf(c->folder, sizeof c->folder, "%.1000s", c->output);
        if (mkdir(c->folder, 0777) == 0 || errno == EEXIST) return true;
    }
    fprintf(stderr, "bristle compare: cannot make the folder '%.300s': %s\n", c->folder, strerror(errno));
    return false;
}

static void name_file(const Compare *c, const char *name, char path[1200]) {
    snprintf(path, 1200, "%.1000s/%.150s", c->folder, name);
}

/* What was recorded for the comparison alone goes away with it. */
static void forget_files(const Compare *c) {
    if (c->output) return;
    for (int i = 0; i < c->count; i++) {
        char beside[1300];
        unlink(c->variant[i].recording);
        snprintf(beside, sizeof beside, "%s.contacts", c->variant[i].recording);
        unlink(beside);
    }
    rmdir(c->folder);
}

static bool write_one(const Compare *c, const char *name, bool (*write)(FILE *out, const Compare *c)) {
    char path[1200];
    name_file(c, name, path);
    FILE *out = fopen(path, "w");
    bool fine = out && write(out, c);
    if (out && (fflush(out) != 0 || ferror(out))) fine = false;
    if (out) fclose(out);
    return fine;
}

static bool write_csv(FILE *out, const Compare *c) {
    csv_comparison(out, c);
    return true;
}

static bool keeps_files(const Compare *c) {
    const char *names[] = {"comparison.csv", "work-precision.svg", "report.html"};
    char path[3][1200];
    NamedFile files[4] = {{"SCENE", c->scene, false}};
    if (!c->output) return true;
    for (int i = 0; i < 3; i++) {
        snprintf(path[i], sizeof path[i], "%.1000s/%s", c->output, names[i]);
        files[i + 1] = (NamedFile){"--output", path[i], true};
    }
    return keep_apart("compare", files, 4) && keep_written("compare", files, 4, c->force);
}

static bool write_files(const Compare *c) {
    if (!c->output) return true;
    if (!write_one(c, "comparison.csv", write_csv)) {
        fprintf(stderr, "bristle compare: cannot write '%.300s/comparison.csv'\n", c->folder);
        return false;
    }
    char path[1200];
    name_file(c, "work-precision.svg", path);
    if (!write_one(c, "work-precision.svg", draw_comparison)) unlink(path);
    return true;
}

/* The runs laid over each other on one page, the reference first; of more than it holds, the first. */
static bool report_runs(const Compare *c) {
    static Report report;
    if (!c->output || was_interrupted()) return true;
    report = (Report){.title = c->scene, .rows = REPORT_ROWS, .letters = REPORT_LETTERS, .quiet = true, .mute = true};
    for (int k = 0; k < c->count && report.recordings < MOST_REPORTED; k++) {
        int i = k == 0 ? c->reference : k <= c->reference ? k - 1 : k;
        if (c->variant[i].outcome.steps > 0) report.recording[report.recordings++] = c->variant[i].recording;
    }
    snprintf(report.path, sizeof report.path, "%.1000s/report.html", c->folder);
    return report.recordings == 0 || write_report(&report) == EXIT_FINE;
}

/* ------------------------------------------------------------------ the command */

static int find_code(const Compare *c) {
    for (int i = 0; i < c->count; i++) {
        const char *status = c->variant[i].outcome.status;
        if (!status || (strcmp(status, "ok") != 0 && strcmp(status, "uncertified") != 0)) return EXIT_FAILED;
    }
    return EXIT_FINE;
}

static int compare(Compare *c) {
    Loaded base;
    BrError error = {0};
    catch_interrupts();
    if (!load_scene(c->scene, &c->set, &c->include, false, &base, &error)) return report_error(&error, c->json);
    c->interval = base.run.record_every;
    bool planned = compare_plan(c, &base);
    unload_scene(&base);
    if (!planned || !keeps_files(c)) return EXIT_MISUSE;
    if (!make_folder(c)) return EXIT_FAILED;
    bool fine = run_all(c, &error) && write_files(c) && report_runs(c);
    int code = fine ? find_code(c) : EXIT_FAILED;
    if (error.status < 0)
        report_error(&error, c->json);
    else if (c->json)
        json_comparison(c);
    else
        print_comparison(c);
    if (c->output && !c->json && !c->quiet) printf("  recordings, table, diagram and report: %s/\n", c->folder);
    forget_files(c);
    return was_interrupted() ? exit_interrupted() : code;
}

/* --until and --every are short for assignments. */
static bool add_shorthand(Compare *c, const char *path, const char *value, char text[256]) {
    if (!value) return true;
    if (c->set.count < (int)(sizeof c->set.item / sizeof c->set.item[0]) &&
        snprintf(text, 256, "%s=%s", path, value) < 256) {
        c->set.item[c->set.count++] = text;
        return true;
    }
    fprintf(stderr, "bristle compare: too many assignments, or a value that is too long\n");
    return false;
}

static bool is_complete(const Compare *c, int arguments) {
    const char *missing = arguments == 0 ? "which scene?"
                          : !c->with     ? "with what? --with moreau,hem2,event"
                          : strcmp(c->scene, "-") == 0
                              ? "the scene is read once per run: give a file, not standard input"
                              : NULL;
    if (missing) fprintf(stderr, "bristle compare: %s\n", missing);
    return !missing;
}

int command_compare(int count, char **words) {
    static Compare compared;
    Compare *c = &compared;
    const char *until = NULL, *every = NULL;
    const Option options[] = {
        {"--with", NULL, "RUN,...", "formulations, schemes, friction laws, steps, PATH=VALUE; several with / between",
         &c->with, false},
        {"--reference", NULL, "RUN",
         "what they are compared with (default: event, or the first at an eighth of its step)", &c->reference_word,
         false},
        {"--steps", NULL, "TIME,...", "each run once with each of these steps: orders, and a diagram", &c->steps,
         false},
        {"--until", NULL, "TIME", "end of the runs, e.g. '5 s'", &until, false},
        {"--every", NULL, "TIME", "distance of the rows that are compared (default: the scene's)", &every, false},
        {"--output", "-o", "FOLDER", "keep the recordings there, with a table, a diagram and a report", &c->output,
         false},
        {"--set", NULL, "PATH=VALUE", "change the scene of all runs; may be repeated", &c->set, true},
        {"--include", NULL, "FOLDER", INCLUDE_HELP, &c->include, true},
        {"--force", NULL, NULL, "overwrite files that are there", &c->force, false},
        {"--quiet", "-q", NULL, "no progress bar", &c->quiet, false},
        {"--json", NULL, NULL, "the result as JSON on standard output", &c->json, false},
    };
    int done, arguments =
                  parse_options("Usage: bristle compare SCENE --with RUN,RUN,... [options]\n\nSimulates a scene by "
                                "several models and tells how far "
                                "each is from a reference, what it cost,\nand whether its books balance, as --with "
                                "moreau,hem2/0.5ms,compliant,event. "
                                "Ctrl-C keeps what is there.",
                                options, (int)(sizeof options / sizeof options[0]), count, words, &c->scene, 1, &done);
    if (arguments < 0) return done;
    if (!is_complete(c, arguments) || !add_shorthand(c, "step.until", until, c->shorthand[0]) ||
        !add_shorthand(c, "record.every", every, c->shorthand[1]))
        return EXIT_MISUSE;
    return compare(c);
}
