/* bench.c: `bristle bench`: worlds that are known, run and timed in bristle and, by turns, in other engines. */
#include "benchmark.h"

#include <stdlib.h>
#include <string.h>

static const double LONG_ROUND = 20; /* s: a scene of its own length whose round takes longer is not repeated */
enum { MOST_WORLDS = 64 };

typedef struct Bench {
    const char *only, *scheme, *repeats_text, *steps_text, *threads_text, *csv, *svg, *peers_folder;
    bool list, json, force;
    BenchLength length;
    int repeats, turn;                   /* how many, and which it is, from 1 */
    int threads;                         /* that a step may use */
    char kept[1024];                     /* folder for what is kept between repeats; empty: there are none */
    const WorldInfo *world[MOST_WORLDS]; /* that are wanted */
    int worlds;
    BrScheme schemes[BR_TIMESTEPPING_SCHEMES];
    int scheme_count;
    BenchPeers peers;
    BenchRows rows;
    Progress progress;
    int refused;
} Bench;

/* ------------------------------------------------------------------ choosing */

/* Suggests what stands before a dash: 'dominoes' picks all lengths. */
static bool refuse_scene(const char *wanted) {
    char stem[MOST_WORLDS][32], hint[HINT];
    const char *names[MOST_WORLDS];
    int count = 0;
    for (const WorldInfo *world; count < MOST_WORLDS && (world = world_info(count)) != NULL; count++) {
        snprintf(stem[count], sizeof stem[count], "%.*s", (int)strcspn(world->name, "-"), world->name);
        names[count] = stem[count];
    }
    fprintf(stderr, "bristle bench: no scene has '%.60s' in its name%s; --list shows all\n", wanted,
            print_hint(wanted, names, count, hint));
    return false;
}

static bool choose_worlds(Bench *b) {
    for (int i = 0; world_info(i) && b->worlds < MOST_WORLDS; i++)
        if (!b->only || strstr(world_info(i)->name, b->only)) b->world[b->worlds++] = world_info(i);
    return b->worlds > 0 || refuse_scene(b->only);
}

static bool choose_schemes(Bench *b) {
    const BrScheme known[] = {BR_SCHEME_MOREAU, BR_SCHEME_HEM2, BR_SCHEME_RATTLE};
    for (int i = 0; i < 3; i++)
        if (!b->scheme || strcmp(b->scheme, br_scheme_name(known[i])) == 0) b->schemes[b->scheme_count++] = known[i];
    if (b->scheme_count) return true;
    fprintf(stderr, "bristle bench: '%.60s' is no scheme; allowed: moreau, hem2, rattle\n", b->scheme);
    return false;
}

static bool choose_count(const char *option, const char *text, int most, int *count) {
    char *end = NULL;
    if (!text) return true;
    long value = strtol(text, &end, 10);
    *count = (int)value;
    if (end != text && *end == 0 && value >= 1 && value <= most) return true;
    fprintf(stderr, "bristle bench: %s is '%.60s'; allowed: 1 to %d\n", option, text, most);
    return false;
}

static bool choose_counts(Bench *b) {
    b->repeats = 3;
    b->threads = 1;
    return choose_count("--repeats", b->repeats_text, 1000, &b->repeats) &&
           choose_count("--steps", b->steps_text, 100000000, &b->length.steps) &&
           choose_count("--threads", b->threads_text, 64, &b->threads);
}

static void print_list(const Bench *b) {
    if (b->json) printf("[");
    for (int i = 0; i < b->worlds; i++) {
        const WorldInfo *w = b->world[i];
        if (!b->json) {
            printf("%-13s %s\n", w->name, w->title);
            continue;
        }
        printf("%s{\"scene\": \"%s\", \"title\": \"%s\", \"dt_s\": %g, \"steps\": %d, \"error_of\": \"%s\"",
               i ? ",\n " : "", w->name, w->title, w->dt, w->warm + w->steps, w->error_of);
        printf(", \"claim\": \"%s\"}", w->claim);
    }
    if (b->json) printf("]\n");
}

/* ------------------------------------------------------------------ running */

/* What runs now, on a terminal. */
static void show_turn(Bench *b, const char *scene, const char *engine) {
    if (!b->progress.shown) return;
    b->progress.last = wall_clock();
    fprintf(stderr, "\r%-13s run %d of %d, %-28.28s %5.0f s", scene, b->turn, b->repeats, engine,
            b->progress.last - b->progress.started);
}

static bool run_ours(Bench *b, const World *world, BrScheme scheme) {
    WorldResult result;
    BrError error;
    show_turn(b, world->info->name, br_scheme_name(scheme));
    WorldPlan plan = world_plan(world->info, b->length.quick, b->length.steps);
    plan.kept = b->kept[0] ? b->kept : NULL;
    bool fine = run_world(world, scheme, b->threads, &plan, &result, &error);
    char setting[64];
    snprintf(setting, sizeof setting, "%s, %d threads", br_scheme_name(scheme), b->threads);
    if (b->threads > 1) result.setting = setting;
    if (was_interrupted()) return false; /* half a run tells nothing */
    if (!fine) {
        fprintf(stderr, "bristle bench: %s, %s: %s\n", world->info->name, br_scheme_name(scheme), error.text);
        b->refused++;
        if (error.status == BR_OUT_OF_MEMORY) return false;
    }
    return rows_take(&b->rows, world->info, &result, true);
}

/* Each engine once; false: no more. */
static bool run_round(Bench *b, const World *world) {
    for (int i = 0; i < b->scheme_count; i++) {
        if (world->shapes && b->schemes[i] == BR_SCHEME_RATTLE) continue; /* of worlds without contact only */
        if (!run_ours(b, world, b->schemes[i])) return false;
    }
    for (int i = 0; i < b->peers.count; i++) {
        show_turn(b, world->info->name, strrchr(b->peers.program[i], '/') + 1);
        if (!run_peer(b->peers.program[i], world->info, b->length, &b->rows, &b->refused)) return false;
    }
    return true;
}

/* Is there another round, after so many since that time? */
static bool is_repeated(const Bench *b, int rounds, double started) {
    bool is_long = rounds > 0 && b->length.steps == 0 && (wall_clock() - started) / rounds >= LONG_ROUND;
    return rounds < b->repeats && !is_long;
}

static bool run_scene(Bench *b, const WorldInfo *info) {
    World *world = world_make(info);
    double started = wall_clock();
    bool fine = world != NULL;
    for (int i = 0; fine && is_repeated(b, i, started); i++) {
        b->turn = i + 1;
        fine = run_round(b, world);
    }
    world_destroy(world);
    return fine;
}

static bool write_file(const char *path, void (*print)(FILE *, BenchRows *), BenchRows *rows) {
    FILE *out = fopen(path, "w");
    if (out) print(out, rows);
    bool fine = out && !ferror(out);
    if (out && fclose(out) != 0) fine = false;
    if (!fine) fprintf(stderr, "bristle bench: '%s' cannot be written\n", path);
    return fine;
}

static int run_all(Bench *b) {
    bool fine = true;
    b->progress = progress_start(b->json);
    for (int i = 0; i < b->worlds && fine; i++) fine = run_scene(b, b->world[i]);
    progress_end(&b->progress);
    if (was_interrupted()) fprintf(stderr, "bristle bench: interrupted; what was measured is kept\n");
    if (b->json)
        print_rows_json(stdout, &b->rows);
    else
        print_rows(stdout, &b->rows);
    if (b->csv && !write_file(b->csv, print_rows_csv, &b->rows)) fine = false;
    if (b->svg && !write_file(b->svg, print_rows_svg, &b->rows)) fine = false;
    free(b->rows.row);
    if (was_interrupted()) return exit_interrupted();
    return fine && !b->refused ? EXIT_FINE : EXIT_FAILED;
}

int command_bench(int count, char **words) {
    Bench b = {0};
    const Option options[] = {
        {"--list", NULL, NULL, "what scenes there are", &b.list, false},
        {"--only", NULL, "TEXT", "only scenes with this in their name", &b.only, false},
        {"--scheme", NULL, "NAME", "only moreau, hem2 or rattle (default: all that fit)", &b.scheme, false},
        {"--repeats", NULL, "N",
         "runs of each; of a step the least of its times counts (default: 3; 1 where they are long)", &b.repeats_text,
         false},
        {"--threads", NULL, "N", "threads a step of bristle may use; then times are the wall clock's (default: 1)",
         &b.threads_text, false},
        {"--quick", NULL, NULL, "fewer steps: a first look", &b.length.quick, false},
        {"--steps", NULL, "N", "timed steps of each, however long they take (default: the scene's own)", &b.steps_text,
         false},
        {"--peers", NULL, "[FOLDER]", "also the programs peer-... there (default: where 'make bench' puts them)",
         &b.peers_folder, false},
        {"--csv", NULL, "FILE", "write the rows there as CSV", &b.csv, false},
        {"--svg", NULL, "FILE", "draw time against error there, a panel per scene", &b.svg, false},
        {"--force", NULL, NULL, "overwrite files that are there", &b.force, false},
        {"--json", NULL, NULL, "the rows as JSON on standard output", &b.json, false},
    };
    int done, arguments = parse_options(
                  "Usage: bristle bench [options]\n\n"
                  "Runs worlds that are known, from a cube on a slope to a heap of 8000 balls, and tells how long a\n"
                  "step takes and how wrong the result is; with --peers beside other engines, by turns.",
                  options, (int)(sizeof options / sizeof options[0]), count, words, NULL, 0, &done);
    if (arguments < 0) return done;
    if (!choose_worlds(&b) || !choose_schemes(&b) || !choose_counts(&b)) return EXIT_MISUSE;
    if (b.list) {
        print_list(&b);
        return EXIT_FINE;
    }
    const NamedFile files[] = {{"--csv", b.csv, true}, {"--svg", b.svg, true}};
    if (!keep_apart("bench", files, 2) || !keep_written("bench", files, 2, b.force)) return EXIT_MISUSE;
    if (b.peers_folder && !peers_find(&b.peers, b.peers_folder)) return EXIT_MISUSE;
    if (b.repeats > 1 && !times_open(b.kept, sizeof b.kept)) return EXIT_FAILED;
    catch_interrupts();
    int code = run_all(&b);
    if (b.kept[0]) times_close(b.kept);
    peers_forget(&b.peers);
    return code;
}
