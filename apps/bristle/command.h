/* command.h: what the sub-commands share: options, output, interruption. */
#ifndef COMMAND_H
#define COMMAND_H

#include <bristle/bristle.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_MISUSE = 2 }; /* interrupted: exit_interrupted() */

/* ------------------------------------------------------------------ words (words.c) */

enum { HINT = 120 };

/* "; did you mean '...'?", or "" where nothing known is near. */
const char *print_hint(const char *word, const char *const *known, int count, char text[HINT]);

/* ------------------------------------------------------------------ options (options.c) */

typedef struct Option {
    const char *name; /* "--dt"; a second spelling may stand in `brief` */
    const char *brief;
    const char
        *value; /* what it is called in the help, NULL for a flag; in brackets: it may be left out, then it is "" */
    const char *help;
    void *target; /* const char **, bool *, or a List * */
    bool repeats;
} Option;

typedef struct List {
    const char *item[128];
    int count;
} List;

/* What every command that reads scenes says of --include. */
#define INCLUDE_HELP "files that the scene includes may also be in FOLDER; may be repeated"

typedef struct Command {
    const char *name;
    const char *arguments; /* "SCENE" */
    const char *summary;
    int (*run)(int count, char **words);
} Command;

/* Sorts words into options and arguments; prints what is wrong. Returns the number of arguments, or -1 after having
 * printed the help (*done = EXIT_FINE) or a complaint (*done = EXIT_MISUSE). The word --complete prints all options. */
int parse_options(const char *usage, const Option *options, int option_count, int count, char **words,
                  const char **arguments, int most, int *done);

/* ------------------------------------------------------------------ files (files.c) */

/* A file that a command reads or writes, and the option that says so; path NULL: it does not. */
typedef struct NamedFile {
    const char *option, *path;
    bool written;
} NamedFile;

/* Do two paths lead to one file, by links too? Devices and pipes are none. */
bool is_same_file(const char *a, const char *b);
/* false after a complaint: one that is written is another of them. To be asked before anything is written. */
bool keep_apart(const char *command, const NamedFile *files, int count);
/* Does it end as recordings do? */
bool is_recording_name(const char *path);
/* Is there a file with something in it, which writing would lose? */
bool would_be_lost(const char *path);
/* false after a complaint: one that is written would be lost, and nobody said --force. */
bool keep_written(const char *command, const NamedFile *files, int count, bool force);
/* What was installed beside the command: share/bristle/NAME from where it lies, else where the build was told. `room`
 * holds the answer. */
const char *find_installed(const char *name, char room[PATH_MAX]);
/* Where a recording goes: to `path`, or, where that would be lost, to a name beside it, "out-2.h5", which is said. On a
 * terminal the user is asked first. */
const char *choose_recording(const char *path, bool force, bool ask, char other[1024]);

/* ------------------------------------------------------------------ strangers' files (guard.c) */

/* Does the work in a process of its own, so that a file that brings the reader down is told and no more; returns its
 * exit code. What the work changes in memory stays there. */
int run_guarded(int (*work)(void *user), void *user, const char *path, bool json);
/* To be called within, once the file is read: from here on the work may take as long as it likes. */
void end_guarded_reading(void);

/* ------------------------------------------------------------------ pages (show.c) */

/* Whoever shows pages is started and left alone. */
void show_page(const char *path);

/* ------------------------------------------------------------------ output (output.c) */

void json_text(FILE *out, const char *text);
void json_number(FILE *out, double value);
void json_numbers(FILE *out, const double *value, int count);
void json_vector(FILE *out, BrVec3 v);
void json_rotation(FILE *out, const BrMat3 *A);

/* "file:line:column: text" on standard error, and as {"status": "failed", ...} on standard output with --json. */
int report_error(const BrError *error, bool json);
/* {"name": ..., "text": ..., "file": ..., "line": ..., "column": ...} */
void json_error(FILE *out, const BrError *error);

/* A bar on a terminal, nothing elsewhere. */
typedef struct Progress {
    bool shown;
    double started, last;
} Progress;

Progress progress_start(bool quiet);
void progress_show(Progress *progress, double part, double time); /* s of the run; NaN: there is none */
void progress_end(Progress *progress);
double wall_clock(void);

/* Seconds by the clock on the wall, and of processors at work, on all threads of the process. */
typedef struct Clocks {
    double wall, cpu;
} Clocks;

Clocks read_clocks(void);
Clocks clocks_since(Clocks start);

/* ------------------------------------------------------------------ interruption (interrupt.c) */

void catch_interrupts(void);
bool was_interrupted(void);
/* As shells have it: 128 + the number of the signal; 130 after Ctrl-C. */
int exit_interrupted(void);
/* The same as BrStepDef.stop. */
bool is_to_stop(void *unused);

/* ------------------------------------------------------------------ scenes (load.c) */

typedef struct Loaded {
    BrScene *scene;
    const BrModel *model;
    BrRunDef run;
    BrState *state; /* assembled */
    BrWorkspace *workspace;
    BrAssembly assembly;
    BrAnalysis analysis;     /* of the assembled state */
    BrEnergyStep energy;     /* of the springs: at this step energy is right to a tenth, over the whole run; */
    BrEnergyStep half;       /* at this one it is off by half, and the run fails (verdict.c) */
    int doubts;              /* about the assembled state */
    BrSeparation separation; /* rounds: bodies were taken apart, */
    BrState *joined;         /* from where they are here; else NULL */
    bool compliant;
    BrStability stability; /* of the assembled state, if the formulation is compliant */
} Loaded;

/* Step options that `run` and `check` share; each is a shorthand of --set step.KEY=VALUE. */
typedef struct StepOptions {
    const char *dt, *until, *scheme, *formulation, *most_work, *fallback, *threads, *sleeping;
    bool separate; /* bodies that begin inside each other are taken apart */
    char text[8][256];
} StepOptions;

/* Adds them to the assignments; false after a complaint. */
bool add_step_options(StepOptions *options, List *set);

/* The step springs have to live with: dt, or the part of it that compliant integrators take; 0: they find their own. */
double find_inner_step(const Loaded *loaded);

bool is_event(const Loaded *loaded);
/* The largest step of the springs one by one, s, or 0; and is the one at hand larger? */
double find_spring_step(const Loaded *loaded);
bool has_unstable_spring(const Loaded *loaded);
/* Is it stable, but so large that some spring's energy may be off by half at the end? */
bool has_drifting_spring(const Loaded *loaded);

/* What a user should know about a scene that is valid: bodies moved, velocities changed, contacts to be doubted, a step
 * too large. */
void print_warnings(FILE *out, const Loaded *loaded);
/* Is there a warning about where it starts? */
bool is_doubtful(const Loaded *loaded);

/* All doubts about where it starts, and about its steps. */
BrStatus tell_doubts(const Loaded *loaded, void (*tell)(void *user, const BrDoubt *doubt), void *user, BrError *error);

/* `set` holds assignments, `include` folders; with `separate` bodies inside each other are taken apart. false with `error`
 * filled. */
bool load_scene(const char *path, const List *set, const List *include, bool separate, Loaded *loaded, BrError *error);
void unload_scene(Loaded *loaded);

/* ------------------------------------------------------------------ stable steps (stability.c) */

bool has_unstable_contact(const Loaded *loaded);
/* "0.159 ms" */
const char *print_time(double seconds, char text[24]);
void print_stability(FILE *out, const Loaded *loaded);
void json_stability(FILE *out, const Loaded *loaded);
/* On standard error, if it is. */
void warn_unstable(const Loaded *loaded);
/* BR_UNSUPPORTED for a step more than twice the largest stable one. */
BrStatus refuse_unstable(const Loaded *loaded, BrError *error);

/* ------------------------------------------------------------------ several answers (choices.c) */

/* Numbers of the answers that formulations take; -1: none of them, or not known. */
typedef struct Choices {
    int event, timestepping;
} Choices;

/* `diagnosis` is one of the state. */
Choices find_choices(const Loaded *loaded, const BrDiagnosis *diagnosis);
/* Of the formulation hybrid: what its first step does; kind `rigid` without a reason: nothing but timestepping. */
BrEvent find_hybrid_switch(const Loaded *loaded);

/* What `check` says of the contacts (diagnosis.c); as entries of a JSON list. */
void print_diagnoses(const Loaded *loaded);
void json_hybrid(const Loaded *loaded);
void json_diagnoses(const Loaded *loaded);

/* ------------------------------------------------------------------ the commands */

int command_run(int count, char **words);
int command_check(int count, char **words);
int command_reproduce(int count, char **words);
int command_plot(int count, char **words);
int command_report(int count, char **words);
int command_joints(int count, char **words);
int command_laws(int count, char **words);
int command_shapes(int count, char **words);
int command_solve(int count, char **words);
int command_solvers(int count, char **words);
int command_suggest(int count, char **words);
int command_bench(int count, char **words);
int command_view(int count, char **words);
int command_map(int count, char **words);
int command_compare(int count, char **words);
int command_complete(int count, char **words);

const Command *find_command(const char *name); /* NULL: there is none */
const Command *known_command(int number);      /* NULL after the last */
/* The names of the experiments that are found without a path, one a line (reproduce.c). */
void print_experiments(void);

#endif
