/* run.h: a run of `bristle run`, and who tells about it. */
#ifndef RUN_H
#define RUN_H

#include "books.h"
#include "command.h"
#include "realtime.h"

/* What tells whether a run has failed. */
typedef struct Verdict {
    Books books;
    double over, rate, time; /* joints' rates where they were worst: over their tolerance, m/s, and when */
    BrJointId joint;
} Verdict;

/* What looks at the answers of rigid contact along the way found (run_diagnose.c). */
typedef struct Diagnosing {
    const char *every_text; /* as given; NULL: nobody looks */
    uint64_t every;         /* steps */
    BrWorkspace *workspace; /* its own, so that the run's stays what it is */
    uint64_t looks, islands, proved, verdict[BR_DIAGNOSES];
    double first[BR_DIAGNOSES];          /* s: when each came first, */
    char text[BR_DIAGNOSES][640];        /* and what was said then */
    double margin, margin_mu, margin_at; /* the least mu_painleve - mu, its mu_painleve, and when; infinite: none */
} Diagnosing;

enum { SWITCHES = 256 };

/* Of the formulation hybrid: its events, the first ones of them. */
typedef struct Switches {
    uint64_t count;
    BrEvent event[SWITCHES];
} Switches;

typedef struct Run {
    const char *scene, *output, *checkpoint, *resume;
    StepOptions step;
    List set, include;
    bool json, strict, quiet, unstable, force, times;
    bool mute;        /* no warnings either: whoever runs it tells */
    char other[1024]; /* name of the recording, where the one that was asked for is taken */

    Realtime realtime;
    Diagnosing diagnosing;
    Switches switches;
    Loaded l;
    BrRecorder *recorder;
    uint64_t first_step, steps;    /* where the state stood, and how many to take */
    uint64_t row_steps, row_phase; /* a row every row_steps, row_phase of which had passed already */
    double last_dt;                /* of a shorter last step, or 0 */
    uint64_t uncertified, lowered_impacts, fell_back, jams;
    uint64_t left_out;          /* readings that the recording has no columns for */
    double writing;             /* s of a processor that rows took */
    double costliest, stepping; /* of steps since the row before, s of a processor: one, and all; with --times */
    uint64_t timed;             /* how many */
    BrJointId jammed;           /* the first that did */
    double jammed_at;           /* s */
    int sleeping;               /* bodies, after the last step */
    BrStepReport worst, worst_since_row;
    BrJointId worst_joint;
    Verdict verdict;
    double first_time; /* s: where the state stood */
    Clocks started, spent;
    bool interrupted, failed;
    char why[256];   /* it failed */
    BrError refusal; /* of the step that ended the run, if its status says so */
} Run;

/* ------------------------------------------------------------------ running (run.c) */

/* Loads, simulates and records; `run` tells how it went. Negative: nothing was simulated, or a file was not written. */
BrStatus run_scene(Run *run, BrError *error);
/* Is there a row after step k of this run? */
bool is_row(const Run *run, uint64_t k);
/* One step; its time is noted with --times. */
BrStatus take_step(Run *run, const BrStepDef *def, BrStepReport *report, BrError *error);
/* If the run records. */
BrStatus write_row(Run *run, BrError *error);
void note_report(Run *run, BrStatus status, const BrStepReport *report);
/* A step that was not taken ends the run: interrupted, or refused with this error. The run's result is that of the
 * steps before. */
void end_early(Run *run, const BrError *error);
bool was_refused(const Run *run);

/* ------------------------------------------------------------------ verdict.c */

/* After each step, and at each row. */
void note_rates(Run *run, const BrStepReport *report);
void note_energy(Run *run);
/* Is what it made no solution? Then `why` has a clause that says so. */
bool has_failed(Run *run, char *why, size_t size);

/* ------------------------------------------------------------------ by the clock (realtime.c) */

/* The numbers behind --realtime and --budget; false after a complaint. */
bool parse_realtime(Realtime *realtime);
/* Refused unless dt is the period. A budget that was given bounds what contacts may take of it. */
BrStatus fit_realtime(Run *run, BrError *error);
BrStatus run_in_real_time(Run *run, BrError *error);
void print_realtime(const Realtime *realtime);
void json_realtime(const Realtime *realtime);

/* ------------------------------------------------------------------ diagnosis on the way (run_diagnose.c) */

/* The number behind --diagnose; false after a complaint. */
bool parse_diagnosing(Diagnosing *diagnosing);
BrStatus start_diagnosing(Run *run, BrError *error);
/* After so many steps of this run; 0: at its start. */
void diagnose_step(Run *run, uint64_t step);
void end_diagnosing(Run *run);
void print_diagnosing(const Run *run);
void json_diagnosing(const Run *run);

/* ------------------------------------------------------------------ hybrid (run_switches.c) */

void note_switches(Switches *switches, const BrStepReport *report);
void print_switches(const Run *run);
void json_switches(const Run *run);

/* ------------------------------------------------------------------ telling (run_tell.c) */

void print_run(const Run *run);
void json_run(Run *run);

#endif
