/* bristle/experiment.h: experiments as folders: scenes, runs of them, numbers read off these runs, and what they should
 * be (docs/experiments.md tells the keys). */
#ifndef BRISTLE_EXPERIMENT_H
#define BRISTLE_EXPERIMENT_H

#include "bristle/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BrExperiment BrExperiment;

typedef struct BrExperimentOptions {
    uint32_t cookie, struct_size; /* of BR_DEFAULT, not to be set */
    bool all_runs;                /* also those that no metric and no figure needs */
    /* Called after every step, and every few milliseconds within long ones, with the run's name, the part (0 to 1) of
     * the whole work that is done, and the run's time in s; false stops the work with BR_CANCELLED. NULL: nobody wants
     * to know. */
    bool (*progress)(void *user, const char *run, double part, double time);
    void *user;
    BrAllocator allocator;      /* all zeros: malloc and free */
    const char *const *include; /* folders, as BrSceneOptions.include; to be kept as long as the experiment */
    int includes;
} BrExperimentOptions;

BR_DEFAULT(BrExperimentOptions, br_default_experiment_options, br_start_experiment_options)

/* `path`: a folder with an experiment.yaml, or such a file by whatever name; scenes are read when it is run. On refusal
 * `error` has file, line and column, and *experiment is NULL. `options` may be NULL. */
BR_API BrStatus br_experiment_load(const char *path, const BrExperimentOptions *options, BrExperiment **experiment,
                                   BrError *error);
BR_API void br_experiment_destroy(BrExperiment *experiment); /* NULL allowed */

BR_API const char *br_experiment_id(const BrExperiment *experiment);
BR_API const char *br_experiment_title(const BrExperiment *experiment); /* "" if it has none */
BR_API const char *br_experiment_folder(const BrExperiment *experiment);

/* Reads the scenes, checks every expression, then simulates and works the metrics and figures out. Mistakes in the
 * files are refused before anything is simulated. A run that breaks down or a metric that is not there (a fourth peak
 * of three) is no refusal: see `problem` below. */
BR_API BrStatus br_experiment_run(BrExperiment *experiment, BrError *error);

/* ------------------------------------------------------------------ results, empty before br_experiment_run() */

typedef struct BrMetric {
    const char *name;
    double value;        /* NaN if there is none */
    const char *problem; /* why there is none, or NULL */
    const char *source;  /* where the expected value comes from, or "" */
    const char *printed; /* what the paper prints, word for word, or ""; nothing is checked against it */
    double expected;     /* our reference; NaN if the file says nothing */
    double tolerance;    /* NaN if it says nothing */
    bool bound;          /* `at_most`: expected is 0, and tolerance the bound on the value's size */
    bool checked;        /* both are given; then */
    bool pass;           /* tells whether |value - expected| <= tolerance */
} BrMetric;

/* In the order of the file. */
BR_API int br_experiment_metric_count(const BrExperiment *experiment);
BR_API BrStatus br_experiment_metric(const BrExperiment *experiment, int number, BrMetric *metric);

typedef struct BrExperimentRun {
    const char *name; /* of a member of a family: "name[2]" */
    bool simulated;
    uint64_t steps, uncertified_steps;
    uint64_t fell_back_steps; /* made by timestepping instead, see BrStepDef */
    int rows;
    double seconds;      /* of work */
    const char *problem; /* why it ended early, or NULL */
} BrExperimentRun;

BR_API int br_experiment_run_count(const BrExperiment *experiment);
BR_API BrStatus br_experiment_run_info(const BrExperiment *experiment, int number, BrExperimentRun *run);

typedef struct BrCurve {
    const char *label;
    int points;
    const double *x, *y;
    bool marks; /* the points alone, as numbers that a paper prints; else lines from one to the next */
} BrCurve;

typedef struct BrFigure {
    const char *name, *title, *x_label, *y_label;
    bool log_x, log_y;
    int curves;
    const BrCurve *curve;
} BrFigure;

BR_API int br_experiment_figure_count(const BrExperiment *experiment);
BR_API BrStatus br_experiment_figure(const BrExperiment *experiment, int number, BrFigure *figure);

#ifdef __cplusplus
}
#endif

#endif
