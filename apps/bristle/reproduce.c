/* reproduce.c: `bristle reproduce`: experiments by name or pattern, simulated and judged. */
#include "reproduce.h"

#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct Reproduce {
    const char *wanted, *folder, *output;
    bool all, list, json, all_runs, force;
    List include;
    char **id; /* of what is there and wanted, sorted */
    int count;
    Progress progress;
    int failed;
    Gallery *gallery; /* of several with -o; else NULL */
} Reproduce;

/* ------------------------------------------------------------------ finding */

static bool is_experiment(const char *folder, const char *name) {
    char path[1200];
    struct stat about;
    snprintf(path, sizeof path, "%.700s/%.300s/experiment.yaml", folder, name);
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Is it the path of an experiment of one's own: with a slash, or something that is there? */
static bool is_path(const char *text) {
    struct stat about;
    return strchr(text, '/') || is_experiment(".", text) || (stat(text, &about) == 0 && S_ISREG(about.st_mode));
}

/* Here, else where they were installed; `room` is for the name. */
static const char *find_folder(char room[PATH_MAX]) {
    if (is_folder("experiments")) return "experiments";
    return find_installed("experiments", room);
}

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool is_pattern(const char *text) { return strpbrk(text, "*?[") != NULL; }

/* Fills r->id; false when the folder cannot be read. */
static bool find_experiments(Reproduce *r) {
    DIR *folder = opendir(r->folder);
    int capacity = 0;
    if (!folder) return false;
    for (struct dirent *entry; (entry = readdir(folder));) {
        bool wanted = r->all || r->list || !r->wanted || fnmatch(r->wanted, entry->d_name, 0) == 0;
        if (entry->d_name[0] == '.' || !wanted || !is_experiment(r->folder, entry->d_name)) continue;
        if (r->count == capacity) {
            capacity = capacity ? 2 * capacity : 32;
            char **larger = realloc(r->id, (size_t)capacity * sizeof *r->id);
            if (!larger) break;
            r->id = larger;
        }
        r->id[r->count] = strdup(entry->d_name);
        if (!r->id[r->count]) break;
        r->count++;
    }
    closedir(folder);
    if (r->count > 1) qsort(r->id, (size_t)r->count, sizeof *r->id, compare);
    return true;
}

static void forget_experiments(Reproduce *r) {
    for (int i = 0; i < r->count; i++) free(r->id[i]);
    free(r->id);
}

/* The nearest of all that are there. */
static int refuse_experiment(Reproduce *r) {
    const char *wanted = r->wanted;
    char hint[HINT] = "";
    r->all = true;
    if (wanted && find_experiments(r)) print_hint(wanted, (const char *const *)r->id, r->count, hint);
    fprintf(stderr, "bristle reproduce: no experiment '%.300s' in '%.300s'%s; --list shows what is there\n",
            wanted ? wanted : "*", r->folder, hint);
    return EXIT_MISUSE;
}

void print_experiments(void) {
    char installed[PATH_MAX];
    Reproduce r = {.all = true, .folder = find_folder(installed)};
    find_experiments(&r);
    for (int i = 0; i < r.count; i++) printf("%s\n", r.id[i]);
    forget_experiments(&r);
}

/* ------------------------------------------------------------------ running */

static bool show_progress(void *user, const char *run, double part, double time) {
    Reproduce *r = user;
    (void)run;
    progress_show(&r->progress, part, time);
    return !was_interrupted();
}

static int run_loaded(Reproduce *r, BrExperiment *e, BrError *error) {
    if (r->output && !has_room_for_page(e, r->output, r->force, error)) return EXIT_FAILED;
    Clocks started = read_clocks();
    r->progress = progress_start(false);
    BrStatus status = br_experiment_run(e, error);
    progress_end(&r->progress);
    if (status < 0 || (r->output && !write_page(e, r->output, error))) return EXIT_FAILED;
    if (r->json)
        print_results_json(stdout, e);
    else
        print_results(stdout, e, clocks_since(started));
    if (r->gallery) gallery_add(r->gallery, e);
    r->failed += count_failures(e) > 0;
    return EXIT_FINE;
}

/* One experiment; a refusal among several is one of its failures, told in its place. */
static int run_one(Reproduce *r, const char *path, const char *id, bool among_others) {
    BrExperimentOptions options = br_default_experiment_options();
    BrExperiment *e = NULL;
    BrError error = {0};
    options.all_runs = r->all_runs;
    options.progress = show_progress;
    options.user = r;
    options.include = r->include.item;
    options.includes = r->include.count;
    int code = br_experiment_load(path, &options, &e, &error) == BR_OK ? run_loaded(r, e, &error) : EXIT_FAILED;
    br_experiment_destroy(e);
    if (code == EXIT_FINE) return code;
    r->failed++;
    if (r->gallery) gallery_add_refusal(r->gallery, id, error.text);
    if (!among_others || !r->json) return report_error(&error, r->json);
    report_error(&error, false);
    printf("{\"experiment\": ");
    json_text(stdout, id);
    printf(", \"metrics\": {}, \"checks\": [], \"error\": ");
    json_text(stdout, error.text);
    printf("}");
    return code;
}

static void run_each(Reproduce *r) {
    if (r->json) printf("[");
    for (int i = 0; i < r->count && !was_interrupted(); i++) {
        char path[1200];
        snprintf(path, sizeof path, "%.800s/%.300s", r->folder, r->id[i]);
        if (r->json && i) printf(",\n");
        run_one(r, path, r->id[i], true);
    }
    if (r->json) printf("]\n");
    if (!r->json && r->count > 1) printf("%d experiments, %d with failures\n", r->count, r->failed);
}

/* With -o they also stand on one page, of what was done before an interruption. */
static int run_several(Reproduce *r) {
    char path[1100];
    BrError error = {0};
    FILE *page = r->output ? open_page(r->output, "index.html", r->force, path, &error) : NULL;
    r->gallery = page ? gallery_open() : NULL;
    if (r->output && !r->gallery) {
        if (page) fclose(page);
        if (error.status >= 0) snprintf(error.text, sizeof error.text, "no memory for the page of all experiments");
        return report_error(&error, r->json);
    }
    run_each(r);
    bool written = !page || gallery_write(r->gallery, page);
    gallery_close(r->gallery);
    r->gallery = NULL;
    if (page && !close_page(page, path, &error)) written = false;
    if (!written) return report_error(&error, false);
    if (page && !r->json) printf("all of them on one page: %s\n", path);
    return r->failed ? EXIT_FAILED : EXIT_FINE;
}

static void print_list(const Reproduce *r) {
    if (r->json) printf("[");
    for (int i = 0; i < r->count; i++) {
        char path[1200];
        BrExperiment *e = NULL;
        BrError error = {0};
        snprintf(path, sizeof path, "%.800s/%.300s", r->folder, r->id[i]);
        br_experiment_load(path, NULL, &e, &error);
        const char *title = e ? br_experiment_title(e) : error.text;
        if (r->json) {
            printf("%s{\"experiment\": ", i ? ", " : "");
            json_text(stdout, r->id[i]);
            printf(", \"title\": ");
            json_text(stdout, title);
            printf("}");
        } else
            printf("%-32s %s%s\n", r->id[i], e ? "" : "BROKEN: ", title);
        br_experiment_destroy(e);
    }
    if (r->json) printf("]\n");
}

/* ------------------------------------------------------------------ the command */

static int choose_and_run(Reproduce *r) {
    bool one = r->wanted && !r->all && !r->list && !is_pattern(r->wanted);
    char installed[PATH_MAX];
    if (one && is_path(r->wanted)) {
        int code = run_one(r, r->wanted, r->wanted, false);
        if (r->json && code == EXIT_FINE) printf("\n");
        return r->failed ? EXIT_FAILED : EXIT_FINE;
    }
    if (!r->folder) r->folder = find_folder(installed);
    if (!find_experiments(r)) {
        fprintf(stderr, "bristle reproduce: there is no folder '%s'; name one with --experiments\n", r->folder);
        return EXIT_MISUSE;
    }
    if (r->list) {
        print_list(r);
        return EXIT_FINE;
    }
    if (r->count == 0) return refuse_experiment(r);
    if (!one) return run_several(r);
    char path[1200];
    snprintf(path, sizeof path, "%.800s/%.300s", r->folder, r->id[0]);
    int code = run_one(r, path, r->id[0], false);
    if (r->json && code == EXIT_FINE) printf("\n");
    return r->failed ? EXIT_FAILED : EXIT_FINE;
}

int command_reproduce(int count, char **words) {
    Reproduce r = {0};
    const Option options[] = {
        {"--all", NULL, NULL, "every experiment", &r.all, false},
        {"--list", NULL, NULL, "what experiments there are", &r.list, false},
        {"--experiments", NULL, "FOLDER", "where they are (default: experiments/ here, else the installed ones)",
         &r.folder, false},
        {"--output", "-o", "FOLDER", "write a page and its figures there; of several also index.html, all on one page",
         &r.output, false},
        {"--include", NULL, "FOLDER", INCLUDE_HELP, &r.include, true},
        {"--all-runs", NULL, NULL, "simulate also the runs that nothing needs", &r.all_runs, false},
        {"--force", NULL, NULL, "overwrite pages that are there", &r.force, false},
        {"--json", NULL, NULL, "the results as JSON on standard output", &r.json, false},
    };
    int done, arguments = parse_options(
                  "Usage: bristle reproduce ID|'PATTERN'|--all|--list [options]\n\n"
                  "Simulates experiments and compares what comes out with what should: the value printed in\n"
                  "the paper, our reference, ours, and a verdict (exit code 1 if a check fails). ID may be a path.",
                  options, (int)(sizeof options / sizeof options[0]), count, words, &r.wanted, 1, &done);
    if (arguments < 0) return done;
    if (arguments == 0 && !r.all && !r.list) {
        fprintf(stderr, "bristle reproduce: which experiment? --list shows them, --all runs them all\n");
        return EXIT_MISUSE;
    }
    catch_interrupts();
    int code = choose_and_run(&r);
    forget_experiments(&r);
    return was_interrupted() ? exit_interrupted() : code;
}
