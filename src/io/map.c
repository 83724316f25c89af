/* map.c: the diagnosis of a scene as one of its numbers changes: each time the scene is read anew. */
#include "bristle/map.h"

#include "io/channels.h"
#include "math/vec.h"

#include <stdio.h>
#include <string.h>

enum { MOST_SETS = 512, MOST_HALVINGS = 200 };

/* The worse comes later. */
static int rank(BrDiagnosisVerdict verdict) {
    static const int RANKS[BR_DIAGNOSES] = {[BR_DIAGNOSIS_UNIQUE] = 0,
                                            [BR_DIAGNOSIS_UNDECIDED] = 1,
                                            [BR_DIAGNOSIS_SEVERAL] = 2,
                                            [BR_DIAGNOSIS_ENDLESS] = 3,
                                            [BR_DIAGNOSIS_NONE] = 4};
    return RANKS[verdict];
}

static int multiply(int a, int b) {
    const int MOST = 1000000;
    return b > 0 && a > MOST / b ? MOST : a * b;
}

static bool pushes(const BrDiagnosis *d, const BrAnswer *answer) {
    for (int k = 0; k < d->contacts; k++)
        if (answer->contact[k].normal_force > 0 && !answer->contact[k].joint.index1) return true;
    return false;
}

static bool holds(const BrDiagnosis *d, const BrAnswer *answer) {
    const double NONE = 1e-9; /* m/s^2: as slow as nothing */
    for (int k = 0; k < d->contacts; k++) {
        const BrAnswerContact *c = &answer->contact[k];
        bool rests = bri_abs(c->normal_acceleration) <= NONE && bri_norm(c->tangential_acceleration) <= NONE;
        if (!rests || c->mode == BR_CONTACT_SLIP) return false;
    }
    return true;
}

/* Of two distances the one that is farther in, or nearer; NaN is not told. */
static double find_nearer(double a, double b) { return a != a || b < a ? b : a; }

static void add_island(void *user, const BrDiagnosis *d) {
    BrScenePoint *p = user;
    int kept = 0, held = 0, calm = multiply(p->answers - p->unstable, d->answers - d->unstable);
    for (int n = 0; n < d->told; n++) {
        kept += pushes(d, &d->answer[n]);
        held += holds(d, &d->answer[n]);
    }
    if (rank(d->verdict) > rank(p->verdict)) p->verdict = d->verdict;
    p->contacts += d->contacts;
    p->answers = multiply(p->answers, d->answers);
    p->stable = multiply(p->stable, d->stable);
    p->unstable = p->answers - calm;
    p->kept = kept > p->kept ? kept : p->kept;
    p->held = held > p->held ? held : p->held;
    if (d->mu_painleve - d->mu < p->mu_painleve - p->mu || p->mu_painleve != p->mu_painleve)
        p->mu = d->mu, p->mu_painleve = d->mu_painleve;
    p->turn = find_nearer(p->turn, d->turn_to_painleve), p->move = find_nearer(p->move, d->move_to_painleve);
}

BrStatus bri_diagnose_state(const BrModel *model, BrWorkspace *workspace, const BrState *state, BrScenePoint *point,
                            BrError *error) {
    *point = (BrScenePoint){.answers = 1, .stable = 1};
    point->mu_painleve = point->turn = point->move = __builtin_nan("");
    return br_state_diagnose(model, workspace, state, NULL, add_island, point, error);
}

BrStatus br_scene_diagnose(const char *path, const BrSceneOptions *options, BrScenePoint *point, BrError *error) {
    BRI_NEED(path && point, "path and point", error);
    BrScene *scene = NULL;
    BrState *state = NULL;
    BrWorkspace *workspace = NULL;
    BrStatus status = br_scene_load(path, options, &scene, error);
    if (status != BR_OK) return status;
    const BrModel *model = br_scene_model(scene);
    BrStepDef step = br_scene_run_def(scene).step;
    status = br_state_create(model, &state, error);
    if (status == BR_OK) status = br_state_set_formulation(state, step.formulation);
    if (status == BR_OK) status = br_workspace_create(model, &workspace, error);
    if (status == BR_OK) status = br_state_assemble(model, workspace, state, NULL, error);
    if (status == BR_OK) status = bri_diagnose_state(model, workspace, state, point, error);
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
    br_scene_destroy(scene);
    return status;
}

bool br_scene_points_alike(const BrScenePoint *a, const BrScenePoint *b) {
    return a && b && a->verdict == b->verdict && a->answers == b->answers && a->stable == b->stable &&
           a->unstable == b->unstable && a->kept == b->kept && a->held == b->held;
}

/* ------------------------------------------------------------------ along a line */

typedef struct Walk {
    const char *path;
    const BrMapLine *line;
    BrSceneOptions options;
    const char *set[MOST_SETS];
    char text[400]; /* the last of them */
} Walk;

static BrStatus start(Walk *w, const char *path, const BrSceneOptions *options, const BrMapLine *line, BrError *error) {
    w->path = path, w->line = line;
    w->options = options ? *options : br_default_scene_options();
    if (w->options.sets >= MOST_SETS)
        return bri_fail(error, BR_INVALID_ARGUMENT, "%d assignments; at most %d leave room for the one that changes",
                        w->options.sets, MOST_SETS - 1);
    if (!(line->tolerance >= 0) || !bri_is_finite(line->low) || !bri_is_finite(line->high))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "from %.9g to %.9g within %.9g; the ends must be finite, the "
                        "tolerance not negative",
                        line->low, line->high, line->tolerance);
    for (int i = 0; i < w->options.sets; i++) w->set[i] = w->options.set[i];
    w->set[w->options.sets++] = w->text;
    w->options.set = w->set;
    return BR_OK;
}

static BrStatus ask(Walk *w, double value, BrScenePoint *point, BrError *error) {
    snprintf(w->text, sizeof w->text, "%.200s=%.17g%s%.40s", w->line->path, value, w->line->unit[0] ? " " : "",
             w->line->unit);
    return br_scene_diagnose(w->path, &w->options, point, error);
}

BrStatus br_scene_boundary(const char *path, const BrSceneOptions *options, const BrMapLine *line, double *place,
                           BrScenePoint sides[2], BrError *error) {
    BRI_NEED(path && line && place && sides, "path, line, place and sides", error);
    BRI_NEED(line->path && line->unit, "the line's path and unit", error);
    Walk w;
    double end[2] = {line->low, line->high};
    sides[0] = sides[1] = (BrScenePoint){.answers = 0};
    BrStatus status = start(&w, path, options, line, error);
    for (int i = 0; i < 2 && status == BR_OK; i++) status = ask(&w, end[i], &sides[i], error);
    if (status != BR_OK) return status;
    if (br_scene_points_alike(&sides[0], &sides[1]))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "%.200s: the diagnosis is the same at %.9g and %.9g: there is no "
                        "boundary to be found between them",
                        line->path, line->low, line->high);
    for (int i = 0; i < MOST_HALVINGS; i++) {
        double middle = 0.5 * (end[0] + end[1]);
        BrScenePoint point = {.answers = 0};
        bool near = bri_abs(end[1] - end[0]) <= line->tolerance;
        if (near || middle == end[0] || middle == end[1]) break;
        status = ask(&w, middle, &point, error);
        if (status != BR_OK) return status;
        int side = br_scene_points_alike(&point, &sides[0]) ? 0 : 1;
        end[side] = middle, sides[side] = point;
    }
    *place = 0.5 * (end[0] + end[1]);
    return BR_OK;
}
