/* bench_table.c: rows of `bristle bench` for people and for machines. */
#include "benchmark.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ rows */

static BenchRow *find_row(const BenchRows *rows, const WorldInfo *info, const WorldResult *r) {
    for (int i = 0; i < rows->count; i++) {
        BenchRow *row = &rows->row[i];
        if (row->info == info && strcmp(row->engine, r->engine) == 0 && strcmp(row->setting, r->setting) == 0)
            return row;
    }
    return NULL;
}

static void take_times(WorldResult *row, const WorldResult *r) {
    row->us_mean = r->us_mean;
    row->us_median = r->us_median;
    row->us_p99 = r->us_p99;
    row->us_p9999 = r->us_p9999;
    row->us_worst = r->us_worst;
    row->runs = r->runs;
}

/* The last of runs that keep their times has the least of all of them, also of steps that it did not make itself: the rest
 * is that of the run that came farthest. Of runs that keep none the fastest counts. */
static void take_again(WorldResult *row, const WorldResult *r) {
    bool kept = r->runs > row->runs;
    if (r->steps == 0) return;
    if (kept ? r->steps >= row->steps : r->us_mean < row->us_mean)
        *row = *r;
    else if (kept)
        take_times(row, r);
}

bool rows_take(BenchRows *rows, const WorldInfo *info, const WorldResult *r, bool ours) {
    BenchRow *row = find_row(rows, info, r);
    if (row) {
        take_again(&row->result, r);
        return true;
    }
    if (rows->count == rows->capacity) {
        int capacity = rows->capacity ? 2 * rows->capacity : 64;
        BenchRow *larger = realloc(rows->row, (size_t)capacity * sizeof *larger);
        if (!larger) return false;
        rows->row = larger;
        rows->capacity = capacity;
    }
    row = &rows->row[rows->count++];
    *row = (BenchRow){.info = info, .ours = ours, .result = *r};
    snprintf(row->engine, sizeof row->engine, "%s", r->engine);
    snprintf(row->setting, sizeof row->setting, "%s", r->setting);
    return true;
}

double rows_best_peer(const BenchRows *rows, const WorldInfo *info) {
    double best = 0;
    for (int i = 0; i < rows->count; i++) {
        const WorldResult *r = &rows->row[i].result;
        if (rows->row[i].ours || rows->row[i].info != info || r->steps == 0 || (r->judged && !r->holds)) continue;
        if (best == 0 || r->us_mean < best) best = r->us_mean;
    }
    return best;
}

/* ------------------------------------------------------------------ a table */

static const char *word_of_claim(const BenchRow *row, char text[48]) {
    const WorldResult *r = &row->result;
    const char *claim = row->info->claim;
    if (r->cut || r->stopped)
        snprintf(text, 48, "%s%.24s%s at %.3g s", r->judged && !r->holds ? "NOT: " : "", r->judged ? claim : "",
                 r->judged ? ", cut" : "cut", r->simulated);
    else
        snprintf(text, 48, "%s%s", r->holds ? "" : "NOT: ", claim);
    return r->cut || r->stopped || r->judged ? text : "-";
}

static void print_row(FILE *out, const BenchRows *rows, const BenchRow *row) {
    const WorldResult *r = &row->result;
    double peer = rows_best_peer(rows, row->info);
    char engine[120], ratio[24] = "-", certified[24] = "-", error[24] = "not finite", claim[48];
    snprintf(engine, sizeof engine, "%s, %s", row->engine, row->setting);
    if (peer > 0 && r->steps > 0) snprintf(ratio, sizeof ratio, "%.2f", r->us_mean / peer);
    if (r->certified >= 0) snprintf(certified, sizeof certified, "%.1f", 100 * r->certified);
    if (isfinite(r->error)) snprintf(error, sizeof error, "%.1e", r->error);
    char rare[24] = "-";
    if (r->us_p9999 >= 0) snprintf(rare, sizeof rare, "%.1f", r->us_p9999);
    fprintf(out, "%-13s %-28s %11.2f %11.2f %11s %11.1f %8s %11s %9s %8.0f  %s\n", row->info->name, engine, r->us_mean,
            r->us_median, rare, r->us_worst, ratio, error, certified, r->contacts, word_of_claim(row, claim));
}

void print_rows(FILE *out, const BenchRows *rows) {
    fprintf(out, "%-13s %-28s %11s %11s %11s %11s %8s %11s %9s %8s  %s\n", "scene", "engine", "us/step", "median",
            "99.99 %", "worst", "to peer", "error [m]", "certified", "contacts", "claim");
    for (int i = 0; i < rows->count; i++) print_row(out, rows, &rows->row[i]);
    fprintf(
        out,
        "us/step: CPU time (on threads: the clock), mean of the steps, each by the least of its repeats; median,\n"
        "99.99 %%: half, 9999 of 10000 of them take no longer; worst: of them; to peer: times as long as the fastest\n"
        "other engine that does what it should; certified: %% of the steps. Compare within one run only.\n");
}

/* ------------------------------------------------------------------ for machines */

/* The numbers of a row, with their names; NaN: not known. */
enum { NUMBERS = 14 };
static const char *const NAME[NUMBERS] = {
    "us_mean",           "us_median", "us_p99",   "us_p9999", "us_worst",    "ratio_to_best_peer",
    "error_m",           "certified", "contacts", "steps",    "simulated_s", "worst_residual_m_per_s",
    "bytes_per_contact", "dt_s",
};

static void list_numbers(const BenchRows *rows, const BenchRow *row, double value[NUMBERS]) {
    const WorldResult *r = &row->result;
    double peer = rows_best_peer(rows, row->info);
    const double all[NUMBERS] = {r->us_mean,
                                 r->us_median,
                                 r->us_p99 >= 0 ? r->us_p99 : NAN,
                                 r->us_p9999 >= 0 ? r->us_p9999 : NAN,
                                 r->us_worst,
                                 peer > 0 ? r->us_mean / peer : NAN,
                                 r->error,
                                 r->certified >= 0 ? r->certified : NAN,
                                 r->contacts,
                                 r->steps,
                                 r->simulated,
                                 r->residual >= 0 ? r->residual : NAN,
                                 r->bytes >= 0 ? r->bytes : NAN,
                                 row->info->dt};
    memcpy(value, all, sizeof all);
}

static const char *word_of_truth(const WorldResult *r, const char *unknown) {
    return r->judged ? (r->holds ? "true" : "false") : unknown;
}

void print_rows_csv(FILE *out, BenchRows *rows) {
    double value[NUMBERS];
    fprintf(out, "scene,engine,setting");
    for (int k = 0; k < NUMBERS; k++) fprintf(out, ",%s", NAME[k]);
    fprintf(out, ",holds,cut\n");
    for (int i = 0; i < rows->count; i++) {
        const BenchRow *row = &rows->row[i];
        list_numbers(rows, row, value);
        fprintf(out, "%s,\"%s\",\"%s\"", row->info->name, row->engine, row->setting);
        for (int k = 0; k < NUMBERS; k++) isfinite(value[k]) ? fprintf(out, ",%.6g", value[k]) : fprintf(out, ",");
        fprintf(out, ",%s,%s\n", word_of_truth(&row->result, ""), row->result.cut ? "true" : "false");
    }
}

void print_rows_json(FILE *out, const BenchRows *rows) {
    double value[NUMBERS];
    fprintf(out, "[");
    for (int i = 0; i < rows->count; i++) {
        const BenchRow *row = &rows->row[i];
        list_numbers(rows, row, value);
        fprintf(out, "%s{\"scene\": ", i ? ",\n " : "");
        json_text(out, row->info->name);
        fprintf(out, ", \"engine\": ");
        json_text(out, row->engine);
        fprintf(out, ", \"setting\": ");
        json_text(out, row->setting);
        for (int k = 0; k < NUMBERS; k++) {
            fprintf(out, ", \"%s\": ", NAME[k]);
            json_number(out, value[k]);
        }
        fprintf(out, ", \"error_of\": ");
        json_text(out, row->info->error_of);
        fprintf(out, ", \"claim\": ");
        json_text(out, row->info->claim);
        fprintf(out, ", \"holds\": %s, \"cut\": %s}", word_of_truth(&row->result, "null"),
                row->result.cut ? "true" : "false");
    }
    fprintf(out, "]\n");
}
