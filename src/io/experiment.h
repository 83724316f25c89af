/* experiment.h: an experiment in memory: its file, its runs, its metrics, its figures. */
#ifndef BRI_EXPERIMENT_H
#define BRI_EXPERIMENT_H

#include "bristle/experiment.h"
#include "io/formula.h"
#include "io/reduce.h"
#include "io/scene_values.h"

enum { BRI_LONGEST_PATH = 1100 };

/* A mapping's entry after {name} templates were written out. */
typedef struct BriEntry {
    const char *name;
    const BriNode *key, *node;
} BriEntry;

typedef struct BriEntries {
    int count, capacity;
    BriEntry *entry;
    BriNames names;
    int nodes; /* copied for them */
} BriEntries;

/* What a run with `map` asks of its scene instead of simulating it (experiment_map.c). */
typedef struct BriMapRun {
    const char *path;       /* of the scene, */
    const char *const *set; /* with the run's assignments */
    int sets;
    const char *over; /* changed from row to row, in SI units; NULL: there is one row */
    double from, to;
    int count;
    const char *boundary; /* changed within a row, until the diagnosis changes; NULL */
    double low, high, tolerance;
} BriMapRun;

/* One simulation, or one map. The members of a family follow each other. */
typedef struct BriRun {
    BriEntry entry;
    char name[96];       /* "hem2", "hem2[3]" */
    int member, members; /* of its family; 0 and 1 if it is none */
    BrScene *scene;      /* read when first asked for */
    BriMapRun *map;      /* NULL: it is simulated */
    BriSeries series;
    double dt; /* s */
    bool needed, done;
    uint64_t steps, planned, uncertified, fell_back;
    double planned_rows;
    double seconds;
    char *problem; /* why it ended early, or NULL */
} BriRun;

typedef struct BriMetric {
    BriEntry entry;
    int checked, known; /* 0 not yet, 1 at work, 2 done */
    double value;
    char *problem;
    bool has_check, bound, pass; /* expected and tolerance are NaN where the file says nothing */
    double expected, tolerance;
} BriMetric;

typedef struct BriFigure {
    BriEntry entry;
    BrFigure shown;
    BrCurve *curve;
} BriFigure;

struct BrExperiment {
    BrAllocator allocator;
    BrExperimentOptions options;
    BriReader reader; /* refusals, and memory that lives as long as the experiment */
    BriDocument *document;
    char *folder;
    const char *id, *title;
    const BriNode *scene; /* the file name all runs start from; NULL: scene.yaml */
    BriRun plain;         /* the scene as it is, for parameters of metrics without a run; never simulated */
    BriEntries run_entries, metric_entries, figure_entries;
    int runs, metrics, figures;
    BriRun *run;
    BriMetric *metric;
    BriFigure *figure;
    uint64_t steps, planned; /* of all runs */
    int depth;               /* of metrics that wait for each other */
};

/* Kept texts: NULL when out of memory. */
__attribute__((format(printf, 2, 3))) char *bri_keep_text(BriReader *r, const char *format, ...);

/* ---- templates (experiment_template.c) */
/* Writes out `section` (a mapping of mappings), each entry with `for` once per combination of its values. */
bool bri_expand_entries(BriReader *r, const BriNode *section, const char *what, BriEntries *entries);

/* ---- runs (experiment_run.c) */
bool bri_make_runs(BrExperiment *e);
/* The run called `name` ("hem2", "hem2[3]") and how many of its family follow it. false: none, and `why` tells. */
bool bri_find_run(BrExperiment *e, const char *name, BriRun **run, int *members, char *why, size_t size);
/* Reads its scene, if nobody has, and its channels. */
bool bri_open_run(BrExperiment *e, BriRun *run);
/* Simulates it; a breakdown goes to run->problem. false: cancelled or out of memory. */
bool bri_simulate_run(BrExperiment *e, BriRun *run);
void bri_release_run(BrExperiment *e, BriRun *run);

/* ---- maps (experiment_map.c) */
/* Reads what stands under `map` of an opened run; path and assignments are kept by others. */
bool bri_open_map(BrExperiment *e, BriRun *run, const char *path, const char *const *set, int sets);
/* Its channels: `time` is the number that changes from row to row. */
BrStatus bri_map_channels(const BrAllocator *allocator, BriChannels *channels, BrError *error);
/* As bri_simulate_run(). */
bool bri_make_map(BrExperiment *e, BriRun *run);

/* ---- names in expressions (experiment_scope.c) */

/* Who asks what a name means. While `dry`, before anything is simulated, metrics have no values and what is wrong is a
 * refusal at its place in the file; later it is only a reason why one metric has no value. */
typedef struct BriNaming {
    BrExperiment *experiment;
    BriRun *run;       /* whose parameters count; NULL: the plain scene's */
    BriMetric *metric; /* who asks; NULL: a figure */
    bool dry;
    char why[400];
} BriNaming;

/* false, always. */
__attribute__((format(printf, 3, 4))) bool bri_naming_fail(BriNaming *n, const BriNode *place, const char *format, ...);
/* `channels`: plain names may be channels of the run, and other runs may be named. */
bool bri_compile_node(BriNaming *n, const BriNode *node, const char *what, bool channels, bool condition,
                      BriFormula *formula);
/* A number from parameters and metrics; `wanted` is compared with the unit of a number that has one. NaN while dry. */
bool bri_number_of(BriNaming *n, const BriNode *node, const char *what, BriDimension wanted, double *value);

/* ---- curves (experiment_curve.c) */

/* A channel of one run (less that of another), and the rows of it that count. */
typedef struct BriCurveDef {
    const BriNode *channel, *where; /* where: or NULL */
    BriRun *run, *other;            /* other: or NULL */
    double from, to, shift;         /* s */
    bool skip_first;
    bool exact; /* rows of both runs at the same times, nothing in between */
    bool gaps;  /* numbers that are not finite may be in it */
} BriCurveDef;

typedef struct BriCurve {
    int count;
    double *t, *v;
} BriCurve;

/* Numbers over time; of vectors only the difference to another run, as its norm. While dry nothing but a check. */
bool bri_curve_points(BriNaming *n, const BriCurveDef *def, BriCurve *curve);
bool bri_curve_at(BriNaming *n, const BriCurveDef *def, double time, double *value);
void bri_curve_release(BriCurve *curve, const BrAllocator *allocator);

/* ---- metrics (experiment_metric.c) and figures (experiment_figure.c) */

/* Every expression of it compiles, every run it names is opened and marked as needed. */
bool bri_check_metric(BrExperiment *e, BriMetric *metric);
/* Works it out, if nobody has; what is not there goes to metric->problem. */
void bri_work_out_metric(BrExperiment *e, BriMetric *metric);
bool bri_check_figure(BrExperiment *e, BriFigure *figure);
bool bri_draw_figure(BrExperiment *e, BriFigure *figure);

#endif
