/* benchmark.h: what the files of `bristle bench` share: rows of measurements, where they come from, how they are told. */
#ifndef BENCHMARK_H
#define BENCHMARK_H

#include "command.h"
#include "worlds/measure.h"

/* What one engine did in one world with one setting, in all its runs. */
typedef struct BenchRow {
    const WorldInfo *info;
    char engine[48], setting[64];
    bool ours;
    WorldResult result; /* its engine and setting are not used: they may be gone */
} BenchRow;

typedef struct BenchRows {
    BenchRow *row;
    int count, capacity;
} BenchRows;

/* A new row, or another run of one that is there; false: no memory. */
bool rows_take(BenchRows *rows, const WorldInfo *info, const WorldResult *result, bool ours);
/* Us per step of the fastest peer in this world whose claim is not known to be wrong; 0: there is none. */
double rows_best_peer(const BenchRows *rows, const WorldInfo *info);

/* ------------------------------------------------------------------ ours (bench_world.c) */

/* Builds the world through the public headers, runs and measures it; false: a step was refused, `error` says why. */
bool run_world(const World *world, BrScheme scheme, int threads, const WorldPlan *plan, WorldResult *result,
               BrError *error);

/* ------------------------------------------------------------------ other engines (bench_peer.c) */

enum { MOST_PEERS = 32 };

typedef struct BenchPeers {
    char folder[1100];
    char *program[MOST_PEERS]; /* paths, sorted */
    int count;
} BenchPeers;

/* The programs peer-... of a folder; "": the one that `make bench` fills. False after a complaint. */
bool peers_find(BenchPeers *peers, const char *folder);
void peers_forget(BenchPeers *peers);
/* How long it is asked to run. */
typedef struct BenchLength {
    bool quick;
    int steps; /* that are timed; 0: as the scene says */
} BenchLength;

/* One program on one scene, its lines as rows; false: interrupted, or no memory. What it did wrong counts in `refused`. */
bool run_peer(const char *path, const WorldInfo *info, BenchLength length, BenchRows *rows, int *refused);

/* ------------------------------------------------------------------ between repeats (bench_times.c) */

/* A new folder, which the runs of peers find by BRISTLE_TIMES; false after a complaint. */
bool times_open(char *folder, size_t size);
void times_close(const char *folder); /* and all that is in it */

/* ------------------------------------------------------------------ telling (bench_table.c, bench_svg.c) */

void print_rows(FILE *out, const BenchRows *rows);
void print_rows_csv(FILE *out, BenchRows *rows);
void print_rows_json(FILE *out, const BenchRows *rows);
void print_rows_svg(FILE *out, BenchRows *rows); /* letters of markup in names become question marks */

#endif
