/* choices.c: where rigid contact has several answers: which one does each formulation take? event by its reading of forces,
 * timestepping by the impulses of a step so short that nothing else happens. */
#include "command.h"

#include <math.h>

static const double SHORT = 1e-6; /* s */

static double distance(BrVec3 a, BrVec3 b) { return sqrt(pow(a.x - b.x, 2) + pow(a.y - b.y, 2) + pow(a.z - b.z, 2)); }

static bool same_body(BrBodyId a, BrBodyId b) { return a.index1 == b.index1; }

/* Force that the formulation lets act at a contact of an answer, N; 0: it knows no such contact. */
static double find_force(const Loaded *l, const BrAnswerContact *wanted, bool mean, BrVec3 *friction) {
    *friction = (BrVec3){0};
    for (int k = 0; k < br_contact_count(l->model, l->workspace); k++) {
        BrContact c;
        if (br_contact(l->model, l->workspace, k, &c) != BR_OK || !same_body(c.body_a, wanted->body_a) ||
            !same_body(c.body_b, wanted->body_b) || distance(c.point, wanted->point) > 1e-4)
            continue;
        *friction = mean ? c.friction_force_mean : c.friction_force;
        return mean ? c.normal_force_mean : c.normal_force;
    }
    return 0;
}

/* How far an answer is from what the workspace reads; of loads that may be shared otherwise only whether they push counts. */
static double find_gap(const Loaded *l, const BrDiagnosis *d, const BrAnswer *answer, bool mean) {
    double gap = 0, size = 1e-300;
    bool reads = false, pushes = false;
    for (int k = 0; k < d->contacts; k++) {
        const BrAnswerContact *c = &answer->contact[k];
        BrVec3 friction;
        if (c->part != BR_ANSWER_CONTACT) continue;
        double force = find_force(l, c, mean, &friction);
        gap += fabs(force - c->normal_force) + distance(friction, c->friction_force);
        size += fabs(force) + fabs(c->normal_force);
        reads = reads || force > 1e-6, pushes = pushes || c->normal_force > 1e-6; /* N */
    }
    if (answer->shared) return reads == pushes ? 0 : 1;
    return gap / size;
}

/* The number of the answer that the workspace reads; -1: none of them. */
static int find_answer(const Loaded *l, const BrDiagnosis *d, bool mean) {
    const double NEAR = 1e-2; /* the short step moves on a little */
    int best = -1;
    double least = NEAR;
    for (int n = 0; n < d->told; n++) {
        double gap = find_gap(l, d, &d->answer[n], mean);
        if (gap < least) best = n, least = gap;
    }
    return best;
}

static int ask_event(const Loaded *l, const BrDiagnosis *d, BrState *trial) {
    if (br_state_set_formulation(trial, BR_FORMULATION_EVENT) != BR_OK ||
        br_evaluate(l->model, l->workspace, trial, NULL) != BR_OK)
        return -1;
    return find_answer(l, d, false);
}

static int ask_timestepping(const Loaded *l, const BrDiagnosis *d, BrState *trial) {
    BrStepDef def = br_default_step_def();
    def.scheme = BR_SCHEME_MOREAU, def.dt = SHORT;
    if (br_step(l->model, l->workspace, trial, &def, NULL, NULL) < 0 ||
        br_evaluate(l->model, l->workspace, trial, NULL) < 0)
        return -1;
    return find_answer(l, d, true);
}

BrEvent find_hybrid_switch(const Loaded *l) {
    BrEvent first = {.kind = BR_EVENT_RIGID};
    BrState *trial = NULL;
    BrWorkspace *workspace = NULL;
    BrStepReport report;
    BrStepDef def = l->run.step;
    BrStatus status = br_state_create(l->model, &trial, NULL);
    if (status == BR_OK) status = br_workspace_create(l->model, &workspace, NULL);
    if (status == BR_OK) status = br_state_copy(trial, l->state);
    if (status == BR_OK) status = br_step(l->model, workspace, trial, &def, &report, NULL);
    for (int i = 0; status >= 0 && i < report.events && i < BR_STEP_EVENTS && first.reason == BR_SWITCH_NONE; i++)
        if (report.event[i].reason != BR_SWITCH_NONE) first = report.event[i];
    br_workspace_destroy(l->model, workspace);
    br_state_destroy(l->model, trial);
    return first;
}

Choices find_choices(const Loaded *l, const BrDiagnosis *d) {
    Choices choices = {-1, -1};
    Loaded other = *l; /* whoever is diagnosing needs its workspace */
    BrState *trial = NULL;
    other.workspace = NULL;
    BrStatus status = br_state_create(l->model, &trial, NULL);
    if (status == BR_OK) status = br_workspace_create(l->model, &other.workspace, NULL);
    if (status == BR_OK && br_state_copy(trial, l->state) == BR_OK) choices.event = ask_event(&other, d, trial);
    if (status == BR_OK && br_state_copy(trial, l->state) == BR_OK)
        choices.timestepping = ask_timestepping(&other, d, trial);
    br_workspace_destroy(l->model, other.workspace);
    br_state_destroy(l->model, trial);
    return choices;
}
