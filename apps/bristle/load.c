/* load.c: from a path to a state on its constraints. */
#include "command.h"

#include <math.h>

static void count_doubt(void *user, const BrDoubt *doubt) {
    (void)doubt;
    ++*(int *)user;
}

/* What the springs' energy asks of the step. */
static BrStatus find_energy_steps(Loaded *l, BrError *error) {
    double duration = fmax(l->run.until, l->run.step.dt);
    BrScheme scheme = l->run.step.scheme;
    BrStatus status = br_energy_step(l->model, l->workspace, l->state, scheme, duration, 0.1, &l->energy, error);
    if (status != BR_OK) return status;
    return br_energy_step(l->model, l->workspace, l->state, scheme, duration, 0.5, &l->half, error);
}

BrStatus tell_doubts(const Loaded *l, void (*tell)(void *user, const BrDoubt *doubt), void *user, BrError *error) {
    BrStatus status = br_state_doubts(l->model, l->workspace, l->state, tell, user, error);
    if (status != BR_OK) return status;
    return br_start_doubts(l->model, l->workspace, l->state, &l->run.step, tell, user, error);
}

/* What begins inside others comes out; where it was is kept, to tell. */
static BrStatus separate_bodies(Loaded *l, BrError *error) {
    BrStatus status = br_state_create(l->model, &l->joined, error);
    if (status == BR_OK) status = br_state_copy(l->joined, l->state);
    if (status == BR_OK) status = br_state_separate(l->model, l->workspace, l->state, &l->separation, error);
    return status;
}

bool load_scene(const char *path, const List *set, const List *include, bool separate, Loaded *l, BrError *error) {
    *l = (Loaded){0};
    BrSceneOptions options = br_default_scene_options();
    options.set = set->item;
    options.sets = set->count;
    options.include = include->item;
    options.includes = include->count;
    BrStatus status = br_scene_load(path, &options, &l->scene, error);
    if (status == BR_OK) {
        l->model = br_scene_model(l->scene);
        l->run = br_scene_run_def(l->scene);
        status = br_step_fits(l->model, &l->run.step, error);
    }
    if (status == BR_OK) status = br_state_create(l->model, &l->state, error);
    if (status == BR_OK) br_state_set_formulation(l->state, l->run.step.formulation);
    if (status == BR_OK) status = br_workspace_create(l->model, &l->workspace, error);
    if (status == BR_OK) status = br_state_assemble(l->model, l->workspace, l->state, &l->assembly, error);
    if (status == BR_OK && separate) status = separate_bodies(l, error);
    if (status == BR_OK) status = br_analyse(l->model, l->workspace, l->state, &l->analysis, NULL, NULL, error);
    if (status == BR_OK && !is_event(l)) status = find_energy_steps(l, error);
    if (status == BR_OK) status = tell_doubts(l, count_doubt, &l->doubts, error);
    l->compliant = l->run.step.formulation == BR_FORMULATION_COMPLIANT;
    if (status == BR_OK && l->compliant)
        status = br_stability(l->model, l->workspace, l->state, &l->run.step, &l->stability, error);
    if (status == BR_OK) return true;
    if (!error->file[0]) snprintf(error->file, sizeof error->file, "%s", path);
    unload_scene(l);
    return false;
}

void unload_scene(Loaded *l) {
    if (l->model) {
        br_workspace_destroy(l->model, l->workspace);
        br_state_destroy(l->model, l->state);
        br_state_destroy(l->model, l->joined);
    }
    br_scene_destroy(l->scene);
    *l = (Loaded){0};
}

bool add_step_options(StepOptions *o, List *set) {
    const char *keys[] = {"dt", "until", "scheme", "formulation", "most_work", "fallback", "threads", "sleeping"},
               *values[] = {o->dt,        o->until,    o->scheme,  o->formulation,
                            o->most_work, o->fallback, o->threads, o->sleeping};
    for (int i = 0; i < (int)(sizeof keys / sizeof keys[0]); i++) {
        if (!values[i]) continue;
        bool fits = snprintf(o->text[i], sizeof o->text[i], "step.%s=%s", keys[i], values[i]) < (int)sizeof o->text[i];
        if (!fits || set->count == (int)(sizeof set->item / sizeof set->item[0])) {
            fprintf(stderr, "bristle: too many assignments, or a value that is too long\n");
            return false;
        }
        set->item[set->count++] = o->text[i];
    }
    return true;
}

double find_inner_step(const Loaded *l) {
    if (!l->compliant) return l->run.step.dt;
    return l->run.step.scheme >= BR_SCHEME_ADAPTIVE ? 0 : l->stability.inner_step;
}

bool is_event(const Loaded *l) { return l->run.step.formulation == BR_FORMULATION_EVENT; }

double find_spring_step(const Loaded *l) { return is_event(l) ? 0 : l->analysis.largest_dt[l->run.step.scheme]; }

bool has_unstable_spring(const Loaded *l) {
    double limit = find_spring_step(l);
    return limit > 0 && find_inner_step(l) > limit;
}

bool has_drifting_spring(const Loaded *l) {
    return l->half.dt > 0 && find_inner_step(l) > l->half.dt && !has_unstable_spring(l);
}

/* Larger changes by the assembly are told, m, rad, m/s or rad/s. */
static const double TOLD = 1e-6;

bool is_doubtful(const Loaded *l) {
    return l->doubts > 0 || l->assembly.moved > TOLD || l->assembly.changed > TOLD || has_drifting_spring(l);
}

/* Of very many doubts the first ones. */
typedef struct Telling {
    FILE *out;
    int count;
} Telling;

static void print_doubt(void *user, const BrDoubt *doubt) {
    enum { MANY = 8 };
    Telling *t = user;
    if (t->count++ < MANY)
        fprintf(t->out, "bristle: warning: %s\n", doubt->text);
    else if (t->count == MANY + 1)
        fprintf(t->out, "bristle: warning: and more of the kind; 'bristle check --json' lists all\n");
}

/* What --separate did, body by body. */
static void print_separation(FILE *out, const Loaded *l) {
    enum { MANY = 8 };
    int told = 0;
    for (int i = 0; i < br_model_body_count(l->model); i++) {
        BrBodyId id = br_model_body(l->model, i);
        BrPose before, after;
        br_body_pose(l->model, l->joined, id, &before);
        br_body_pose(l->model, l->state, id, &after);
        const double way[] = {after.position.x - before.position.x, after.position.y - before.position.y,
                              after.position.z - before.position.z};
        double moved = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
        if (moved > TOLD && told++ < MANY)
            fprintf(out, "bristle: separated: '%s' was moved by %.3g m, [%.3g, %.3g, %.3g]\n",
                    br_body_def(l->model, id)->name, moved, way[0], way[1], way[2]);
    }
    if (told > MANY) fprintf(out, "bristle: separated: and %d bodies more\n", told - MANY);
}

void print_warnings(FILE *out, const Loaded *l) {
    const BrAssembly *a = &l->assembly;
    BrScheme scheme = l->run.step.scheme;
    Telling telling = {out, 0};
    if (l->separation.rounds) print_separation(out, l);
    tell_doubts(l, print_doubt, &telling, NULL); /* went well before */
    if (a->moved > TOLD)
        fprintf(out, "bristle: warning: bodies were moved by up to %.3g m or rad ('%s') to fit the joints\n", a->moved,
                br_body_def(l->model, a->moved_body)->name);
    if (a->changed > TOLD)
        fprintf(out,
                "bristle: warning: given velocities were changed by up to %.3g m/s or rad/s ('%s') to fit the joints; "
                "linear "
                "velocities are those of the centre of mass\n",
                a->changed, br_body_def(l->model, a->changed_body)->name);
    if (has_unstable_spring(l))
        fprintf(out,
                "bristle: warning: dt = %.3g s is too large for spring '%s', which needs less than %.3g s with "
                "%s; for accuracy use at most %.3g s\n",
                find_inner_step(l), br_spring_def(l->model, l->analysis.stiffest[scheme])->name, find_spring_step(l),
                br_scheme_name(scheme), fmin(find_spring_step(l), l->analysis.largest_dt[BR_SCHEME_MOREAU] / 10));
    if (has_drifting_spring(l))
        fprintf(
            out,
            "bristle: warning: with %s and dt = %.3g s the energy of spring '%s' may be off by more than half within "
            "%.6g s; up to %.3g s it is right to a tenth\n",
            br_scheme_name(scheme), find_inner_step(l), br_spring_def(l->model, l->half.spring)->name, l->run.until,
            l->energy.dt);
}
