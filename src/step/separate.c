/* separate.c: bodies that are inside each other come apart before anything moves: by the projection that steps make (7.8), along
 * the contacts' normals, as far as it takes (where they turn, by the square of the depth farther), the joints holding; contacts are
 * looked for again until none is left. */
#include "bristle/contact.h"
#include "contact/contact.h"
#include "dynamics/unfold.h"

enum { MOST_ROUNDS = 100 }; /* deep ones find other ways out as they come apart: a few, but in heaps */

static const double MOST_WORK = 1e12; /* operations: what some hundred steps may take */

/* The deepest overlap, of the smaller extent, m; NULL: there is none that counts. */
static const BriContact *find_deepest(const BriStep *step, double *depth) {
    const double DEEP = 1e-6; /* as br_state_doubts() has it */
    const BriContacts *c = step->ws->contacts;
    const BriContact *deepest = NULL;
    double worst = DEEP;
    for (int k = 0; k < c->count; k++) {
        double part = -c->contact[k].at.touch.gap / bri_contact_extent(step->model, &c->contact[k]);
        if (!(part > worst)) continue;
        worst = part;
        deepest = &c->contact[k];
        *depth = -deepest->at.touch.gap;
    }
    return deepest;
}

/* None of it was there before: all of it goes. */
static void take_back_all(BriContacts *c) {
    for (int k = 0; k < c->count; k++) c->contact[k].at.start_gap = 0;
}

static BrStatus come_apart(BriStep *step, BriBodyState *bodies, int *rounds, BrError *error) {
    const BrModel *m = step->model;
    double depth = 0;
    for (*rounds = 0;; ++*rounds) {
        BrStatus status = bri_contacts_find(step, bodies, 0, error);
        if (status != BR_OK) return status;
        const BriContact *deepest = find_deepest(step, &depth);
        if (!deepest) return BR_OK;
        if (*rounds == MOST_ROUNDS || !bri_has_budget(step->budget))
            return bri_fail(
                error, BR_INVALID_MODEL,
                "bodies '%s' and '%s' cannot be separated: they stay %.3g m inside each other, held by joints or by "
                "others; place them apart, or let them never touch",
                m->body_def[deepest->at.b].name, m->body_def[deepest->at.a].name, depth);
        take_back_all(step->ws->contacts);
        bri_project_contacts(step, step->start->time, bodies, false);
    }
}

static BrSeparation compare(const BrModel *m, const BrState *before, const BriBodyState *after, int rounds) {
    BrSeparation result = {.rounds = rounds};
    for (int i = 0; i < m->bodies; i++) {
        double moved = bri_norm(bri_sub(after[i].r, bri_state_bodies(before)[i].r));
        if (moved > result.moved) result.moved = moved, result.moved_body = br_model_body(m, i);
    }
    return result;
}

BrStatus br_state_separate(const BrModel *m, BrWorkspace *w, BrState *state, BrSeparation *separation, BrError *error) {
    BRI_NEED(m && w && state, "model, workspace and state", error);
    if (state->fingerprint != m->fingerprint || w->fingerprint != m->fingerprint)
        return bri_fail(error, BR_MISMATCH, "the state or the workspace belongs to another model");
    BrSeparation result = {0};
    if (m->touches) {
        w->evaluated = false;
        bri_state_assign(w->trial, state);
        bri_rest_motors(m, w->trial);
        BrStepDef def = br_default_step_def();
        BriBodyState *bodies = bri_state_bodies(w->trial);
        BriBudget budget = {.most = MOST_WORK};
        BriStep step = {
            .model = m, .ws = w, .start = state, .def = &def, .error = error, .budget = &budget, .report = &w->report};
        bri_report_clear(step.report);
        bri_step_set_tolerances(&step);
        bri_system_find_rank(m, &w->system, w->trial, bodies);
        bri_system_factor(m, &w->system, w->trial, bodies);
        BrStatus status = come_apart(&step, bodies, &result.rounds, error);
        if (status != BR_OK) return status;
        result = compare(m, state, bodies, result.rounds);
    }
    if (separation) *separation = result;
    if (result.rounds == 0) return BR_OK;
    for (int i = 0; i < m->bodies; i++) {
        BriBodyState *b = &bri_state_bodies(state)[i];
        const BriBodyState *to = &bri_state_bodies(w->trial)[i];
        BrVec3 spin = bri_mul(&b->A, b->w);
        if (bri_stands_at(b, to->r, &to->A)) continue;
        b->r = to->r;
        b->A = bri_rotation_normalise(&to->A);
        b->w = bri_mul_t(&b->A, spin);
    }
    bri_state_end_contacts(state, 0);
    return br_state_assemble(m, w, state, NULL, error);
}
