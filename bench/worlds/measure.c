/* measure.c: the clock and the line.
 *
 * Reading the clock of a thread takes half a microsecond, as long as a small step. So steps are timed in blocks
 * that take 20 us at least; where a step takes longer a block is one step. The median, the percentiles and the worst
 * are of blocks, each of the least time that it took in any of the runs whose times are kept. */
#include "measure.h"

#include "make.h"
#include "times.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double SHORTEST_BLOCK = 20e-6; /* s */
enum { LOOKS = 20 };                        /* at the contacts, in the timed part */
enum { LONGEST_PATH = 2000 };
enum { FIRST = 10 }; /* steps that tell what a block is, where nothing was warmed up */

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double world_cpu_seconds(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

WorldPlan world_plan(const WorldInfo *info, bool quick, int steps) {
    WorldPlan plan = {info->warm, info->steps, 20, true, NULL};
    if (quick) plan = (WorldPlan){info->quick_warm, info->quick_steps, 5, false, NULL};
    if (steps > 0) plan = (WorldPlan){plan.warm, steps, INFINITY, false, NULL};
    return plan;
}

typedef struct Run {
    const World *world;
    const WorldEngine *engine;
    WorldResult *result;
    WorldFrame *frames;
    WorldTimes times;
    int done; /* steps, warm-up and all */
    double most;
    bool broken; /* a claim that should be true at all times was not */
} Run;

/* ------------------------------------------------------------------ looking */

static bool are_finite(const World *world, const WorldFrame *f) {
    double sum = 0;
    for (int i = 0; i < world->bodies; i++) {
        sum += fabs(f[i].at.x) + fabs(f[i].at.y) + fabs(f[i].at.z);
        for (int k = 0; k < 9; k++) sum += fabs(f[i].turn[k / 3][k % 3]);
    }
    return isfinite(sum);
}

static void look(Run *run) {
    const WorldInfo *info = run->world->info;
    double time = info->dt * run->done;
    run->engine->poses(run->engine->self, run->frames);
    bool finite = are_finite(run->world, run->frames);
    double error = finite ? info->error(run->world, run->frames, time) : INFINITY;
    if (info->always && !(finite && info->holds(run->world, run->frames))) run->broken = true;
    run->result->error = fmax(run->result->error, error);
}

/* ------------------------------------------------------------------ stepping */

/* So many steps; the time they took, s, or negative if one failed. */
static double advance(Run *run, int count) {
    clockid_t clock = run->engine->many_threads ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    double start = read_clock(clock);
    for (int i = 0; i < count; i++, run->done++)
        if (!run->engine->step(run->engine->self, run->world->info->dt * run->done)) return -1;
    return read_clock(clock) - start;
}

static bool goes_on(Run *run, double used) {
    WorldResult *r = run->result;
    if (used < 0 || (run->engine->stop && run->engine->stop(run->engine->self))) r->stopped = true;
    return !r->stopped;
}

static int find_block(double step) { return (int)fmax(1, fmin(100, ceil(SHORTEST_BLOCK / fmax(step, 1e-9)))); }

/* After it the length of a block is known, if something was to be warmed up. */
static void warm_up(Run *run, int steps) {
    double used = 0;
    int made = 0;
    for (; made < steps && used < run->most; made++) {
        double time = advance(run, 1);
        used += fmax(0, time);
        if (!goes_on(run, time)) return;
    }
    run->result->cut = made < steps;
    if (made && !run->times.size) run->times.size = find_block(used / made);
}

static void take_time(Run *run, int steps) {
    WorldResult *r = run->result;
    WorldTimes *t = &run->times;
    int watch = run->world->info->watch, next_watch = watch, looks = 0, next_look = 0;
    double used = 0, time = 0;
    while (r->steps < steps && used < run->most) {
        int count = world_times_block(t, r->steps, steps);
        time = advance(run, count);
        if (!goes_on(run, time)) break;
        used += time;
        r->steps += count;
        t->time[t->blocks++] = time / count;
        if (!t->size && r->steps >= t->first) t->size = find_block(used / r->steps);
        if (watch && r->steps >= next_watch) {
            look(run);
            next_watch += watch;
        }
        if (r->steps >= next_look) {
            r->contacts += (run->engine->contacts(run->engine->self) - r->contacts) / ++looks;
            next_look += steps / LOOKS;
        }
    }
    r->cut = r->cut || (!r->stopped && r->steps < steps);
    t->steps = r->steps;
    t->runs = 1;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the sorted times: so large a part of them is not longer; us. */
static double find_percentile(const WorldTimes *t, double part) {
    int last = (int)ceil(part * t->blocks) - 1;
    return t->blocks ? 1e6 * t->time[last < 0 ? 0 : last] : 0;
}

static void tell_times(WorldTimes *t, WorldResult *r) {
    r->runs = t->runs;
    r->us_mean = 1e6 * world_times_mean(t);
    qsort(t->time, (size_t)t->blocks, sizeof *t->time, compare);
    r->us_median = t->blocks ? 1e6 * t->time[t->blocks / 2] : 0;
    r->us_p99 = find_percentile(t, 0.99);
    r->us_p9999 = find_percentile(t, 0.9999);
    r->us_worst = find_percentile(t, 1);
}

static void make_run(Run *run, const WorldPlan *plan) {
    const World *world = run->world;
    const WorldInfo *info = world->info;
    WorldResult *r = run->result;
    warm_up(run, plan->warm);
    if (!r->stopped) take_time(run, plan->steps);
    look(run);
    r->simulated = info->dt * run->done;
    r->judged = info->always || (plan->whole && !r->cut && !r->stopped);
    r->holds =
        r->judged && !r->stopped && !run->broken && are_finite(world, run->frames) && info->holds(world, run->frames);
}

/* Where the times of this scene in this engine are kept; empty: nowhere. */
static void name_times(const WorldPlan *plan, const WorldResult *r, char *path, size_t size) {
    size_t folder = plan->kept ? strlen(plan->kept) + 1 : 0;
    path[0] = 0;
    if (!plan->kept) return;
    snprintf(path, size, "%s/%s, %s, %s", plan->kept, r->scene, r->engine, r->setting);
    for (char *c = path; *c; c++)
        if (*c == '/' && (size_t)(c - path) >= folder) *c = '_';
}

bool world_measure(const World *world, const WorldEngine *engine, const WorldPlan *plan, WorldResult *r) {
    Run run = {.world = world, .engine = engine, .result = r, .most = plan->most};
    WorldTimes earlier = {0};
    char kept[LONGEST_PATH];
    r->scene = world->info->name;
    r->error = r->us_mean = r->us_median = r->us_p99 = r->us_p9999 = r->us_worst = r->contacts = r->simulated = 0;
    r->certified = r->residual = r->bytes = -1;
    r->steps = r->runs = 0;
    r->cut = r->stopped = r->holds = false;
    name_times(plan, r, kept, sizeof kept);
    run.frames = malloc((size_t)world->bodies * sizeof *run.frames);
    run.times.time = malloc((size_t)plan->steps * sizeof *run.times.time);
    bool fine = run.frames && run.times.time && world_times_read(&earlier, kept, plan->steps);
    if (fine) {
        run.times.first = plan->warm ? 0 : FIRST;
        run.times.size = earlier.size;
        make_run(&run, plan);
        world_times_join(&run.times, &earlier);
        if (kept[0] && run.times.blocks) (void)world_times_write(&run.times, kept); /* without: one run the less */
        tell_times(&run.times, r);
    }
    free(earlier.time);
    free(run.times.time);
    free(run.frames);
    return fine;
}

/* ------------------------------------------------------------------ telling */

static void print_number(FILE *out, const char *name, double value, bool known) {
    if (known && isfinite(value))
        fprintf(out, ", \"%s\": %.6g", name, value);
    else
        fprintf(out, ", \"%s\": null", name);
}

void world_print(FILE *out, const WorldResult *r) {
    fprintf(out, "{\"scene\": \"%s\", \"engine\": \"%s\", \"setting\": \"%s\"", r->scene, r->engine, r->setting);
    print_number(out, "us_mean", r->us_mean, r->steps > 0);
    print_number(out, "us_median", r->us_median, r->steps > 0);
    print_number(out, "us_p99", r->us_p99, r->steps > 0 && r->us_p99 >= 0);
    print_number(out, "us_p9999", r->us_p9999, r->steps > 0 && r->us_p9999 >= 0);
    print_number(out, "us_worst", r->us_worst, r->steps > 0);
    print_number(out, "error", r->error, true);
    fprintf(out, ", \"holds\": %s", r->judged ? (r->holds ? "true" : "false") : "null");
    print_number(out, "contacts", r->contacts, true);
    fprintf(out, ", \"steps\": %d, \"runs\": %d", r->steps, r->runs);
    print_number(out, "simulated", r->simulated, true);
    fprintf(out, ", \"cut\": %s", r->cut || r->stopped ? "true" : "false");
    print_number(out, "certified", r->certified, r->certified >= 0);
    print_number(out, "residual", r->residual, r->residual >= 0);
    print_number(out, "bytes_per_contact", r->bytes, r->bytes >= 0);
    fprintf(out, "}\n");
    fflush(out);
}
