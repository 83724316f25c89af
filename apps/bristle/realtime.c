/* realtime.c: `bristle run --realtime`: one step per period of the clock, timed.
 *
 * Within the loop nothing is allocated and nothing is written but rows of a recording, and those only in the slack
 * after a step. Under overload, in this order: rows are left out; a step starts late; whole periods are given up, the
 * clock's grid staying as it is, so that the simulation falls behind. Every step is the scene's own: physics never
 * changes. */
#include "run.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

/* A start later than this part of the period is late. */
static const double LATE = 0.1;

bool parse_realtime(Realtime *t) {
    double rate = 0;
    BrError error = {0};
    BrStatus status = BR_OK;
    if (t->budget_text && !t->rate_text) {
        fprintf(stderr, "bristle run: --budget goes with --realtime\n");
        return false;
    }
    if (!t->rate_text) return true;
    status = br_quantity(t->rate_text, "Hz", &rate, &error);
    t->budget = t->period = 1 / rate;
    if (status == BR_OK && t->budget_text) status = br_quantity(t->budget_text, "s", &t->budget, &error);
    if (status != BR_OK)
        fprintf(stderr, "bristle run: %s: %s\n", rate > 0 ? "--budget" : "--realtime", error.text);
    else if (!(rate > 0) || !(t->budget > 0) || t->budget > t->period * (1 + 1e-9))
        fprintf(stderr, "bristle run: --realtime must be more than 0, and --budget more than 0 and at most a period\n");
    else
        return true;
    return false;
}

BrStatus fit_realtime(Run *r, BrError *error) {
    const double CONTACTS = 0.5; /* of the budget; the rest is for finding them and for joints */
    double period = r->realtime.period, dt = r->l.run.step.dt;
    if (r->realtime.budget_text)
        r->l.run.step.contact_work =
            fmin(r->l.run.step.contact_work, CONTACTS * BR_CONTACT_OPERATIONS * r->realtime.budget);
    if (fabs(dt - period) <= 1e-9 * period) return BR_OK;
    *error = (BrError){.status = BR_INVALID_ARGUMENT};
    snprintf(error->text, sizeof error->text,
             "dt is %.9g s, but a period of --realtime %s is %.9g s; one step is taken per period: use --dt %.9g or "
             "--realtime '%.9g Hz'",
             dt, r->realtime.rate_text, period, period, 1 / dt);
    return error->status;
}

/* ------------------------------------------------------------------ the loop */

static void sleep_until(double time) {
    struct timespec until = {.tv_sec = (time_t)floor(time), .tv_nsec = (long)((time - floor(time)) * 1e9)};
    while (!was_interrupted() && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) continue;
}

static void note_time(Realtime *t, double seconds) {
    int bin = (int)(32 * (log2(fmax(seconds, 1e-9) * 1e6) + 10));
    t->bin[bin < 0 ? 0 : bin < TIME_BINS ? bin : TIME_BINS - 1]++;
    t->steps++;
    t->sum += seconds;
    t->worst = fmax(t->worst, seconds);
    t->overruns += seconds > t->budget;
}

static void note_start(Realtime *t, double late) {
    t->late_starts += late > LATE * t->period;
    t->worst_start = fmax(t->worst_start, late);
}

static BrStatus record(Run *r, BrError *error) {
    double start = wall_clock();
    BrStatus status = write_row(r, error);
    r->realtime.rows_time += wall_clock() - start;
    r->realtime.rows++;
    return status;
}

/* Twice what a row takes on average. */
static bool has_time_for_row(const Realtime *t, double slack) { return slack > 2 * t->rows_time / (double)t->rows; }

/* The first step makes what a workspace makes only once; so it is taken by a copy. */
static BrStatus warm_up(Run *r, BrError *error) {
    BrState *copy;
    BrStatus status = br_state_create(r->l.model, &copy, error);
    if (status != BR_OK) return status;
    br_state_copy(copy, r->l.state);
    status = br_step(r->l.model, r->l.workspace, copy, &r->l.run.step, NULL, error);
    br_state_destroy(r->l.model, copy);
    return status;
}

BrStatus run_in_real_time(Run *r, BrError *error) {
    Realtime *t = &r->realtime;
    BrStepDef def = r->l.run.step;
    bool written = true;
    if (r->steps && warm_up(r, error) < 0) end_early(r, error);
    BrStatus status = r->recorder ? record(r, error) : BR_OK;
    if (r->interrupted || was_refused(r)) return status < 0 ? status : BR_OK;
    double due = wall_clock() + t->period;
    for (uint64_t step = 1; status >= 0 && step <= r->steps; step++, due += t->period) {
        BrStepReport report;
        sleep_until(due);
        if ((r->interrupted = was_interrupted())) break;
        double start = wall_clock();
        note_start(t, start - due);
        if (step == r->steps && r->last_dt > 0) def.dt = r->last_dt;
        status = take_step(r, &def, &report, error);
        double end = wall_clock();
        if (status < 0) {
            end_early(r, error);
            status = BR_OK;
            break;
        }
        note_time(t, end - start);
        note_report(r, status, &report);
        written = !r->recorder;
        if (r->recorder && step < r->steps && is_row(r, step)) {
            written = end - start <= t->budget && has_time_for_row(t, due + t->period - end);
            if (written) status = record(r, error);
            t->rows_left_out += !written;
        }
        double behind = floor((wall_clock() - due) / t->period) - 1;
        if (behind > 0 && step < r->steps) {
            t->skipped += (uint64_t)behind;
            due += behind * t->period;
        }
    }
    if (status >= 0 && !written) status = record(r, error); /* the last state, when there is time again */
    return status < 0 ? status : BR_OK;
}

/* ------------------------------------------------------------------ telling */

/* The time that 99 of 100 steps stay below, to the bin's 2 %. */
static double find_percentile(const Realtime *t, double part) {
    uint64_t count = 0;
    for (int i = 0; i < TIME_BINS; i++) {
        count += t->bin[i];
        if ((double)count >= part * (double)t->steps) return fmin(t->worst, 1e-6 * exp2((i + 1) / 32.0 - 10));
    }
    return t->worst;
}

static uint64_t count_octave(const Realtime *t, int octave) {
    uint64_t count = 0;
    for (int i = 0; i < 32; i++) count += t->bin[32 * octave + i];
    return count;
}

static double find_mean(const Realtime *t) { return t->steps ? t->sum / (double)t->steps : 0; }

void print_realtime(const Realtime *t) {
    enum { WIDTH = 40 };
    char a[24], b[24], c[24];
    uint64_t most = 1;
    printf("  real time: %llu periods of %s, budget %s\n", (unsigned long long)t->steps, print_time(t->period, a),
           print_time(t->budget, b));
    printf("    steps: mean %s, 99 %% below %s, worst %s; %llu over budget\n", print_time(find_mean(t), a),
           print_time(find_percentile(t, 0.99), b), print_time(t->worst, c), (unsigned long long)t->overruns);
    printf("    starts: %llu later than a tenth of a period, worst %s; %llu periods given up\n",
           (unsigned long long)t->late_starts, print_time(t->worst_start, a), (unsigned long long)t->skipped);
    if (t->rows)
        printf("    rows: %llu written, %llu left out for want of time\n", (unsigned long long)t->rows,
               (unsigned long long)t->rows_left_out);
    for (int i = 0; i < TIME_OCTAVES; i++)
        if (count_octave(t, i) > most) most = count_octave(t, i);
    for (int i = 0; i < TIME_OCTAVES; i++) {
        uint64_t count = count_octave(t, i);
        int bar = (int)ceil(WIDTH * (double)count / (double)most);
        if (count)
            printf("    below %8s %8llu %.*s\n", print_time(1e-6 * exp2(i - 9), a), (unsigned long long)count, bar,
                   "########################################");
    }
}

void json_realtime(const Realtime *t) {
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"period", t->period},  {"budget", t->budget},
                   {"mean", find_mean(t)}, {"percentile_99", find_percentile(t, 0.99)},
                   {"worst", t->worst},    {"worst_start", t->worst_start}};
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {{"steps", t->steps},     {"overruns", t->overruns}, {"late_starts", t->late_starts},
                  {"skipped", t->skipped}, {"rows", t->rows},         {"rows_left_out", t->rows_left_out}};
    printf("{");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        printf("\"%s\": ", numbers[i].name);
        json_number(stdout, numbers[i].value);
        printf(", ");
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        printf("\"%s\": %llu, ", counts[i].name, (unsigned long long)counts[i].value);
    printf("\"histogram\": [");
    for (int i = 0, shown = 0; i < TIME_OCTAVES; i++) {
        if (!count_octave(t, i)) continue;
        printf("%s{\"below\": ", shown++ ? ", " : "");
        json_number(stdout, 1e-6 * exp2(i - 9));
        printf(", \"count\": %llu}", (unsigned long long)count_octave(t, i));
    }
    printf("]}");
}
