/* kept_factor.c: see kept_factor.h. */
#include "dynamics/kept_factor.h"

#include "dynamics/switched.h"

/* Switched rows that are worth it, all of them being switched anew by who has not seen the step before. */
static bool is_worth_it(const BriSystem *s, int rows) {
    return rows <= BRI_SWITCHES / 2 && rows * s->ldl.solve_work <= s->ldl.factor_work;
}

void bri_keep_factor(const BriStep *step) {
    const BrModel *m = step->model;
    const BriSystem *s = &step->ws->system;
    const BriBodyState *bodies = bri_state_bodies(step->ws->trial);
    bool kept = !m->motors && bri_system_is_made_at(m, s, bodies) && is_worth_it(s, s->switches.count);
    for (int k = 0; k < m->grips; k++) {
        const BriGrip *g = &m->grip[k];
        bool holds = !g->driven && bri_system_has_row(m, s, g->joint, g->row[0]);
        bri_state_grips(step->ws->trial)[k].switched = kept && !g->driven && holds == bri_grip_is_off(step, k);
    }
}

/* All grips that are noted do otherwise, or again what they did. */
static void flip(const BriStep *step, const double *clamp) {
    const BrModel *m = step->model;
    for (int k = 0; k < m->grips; k++) {
        const BriGrip *g = &m->grip[k];
        bool slid = bri_state_grips(step->start)[k].slides != 0, other = bri_state_grips(step->start)[k].switched != 0;
        if (g->driven) continue;
        if (clamp)
            bri_grip_set(step, k, (BriClamp)clamp[k]);
        else if (slid == other)
            bri_grip_set(step, k, BRI_FREE);
        else if (!bri_grip_is_off(step, k))
            bri_grip_set(step, k, BRI_AT_UPPER);
    }
}

void bri_resume_factor(BriStep *step, const BriBodyState *pose) {
    const BrModel *m = step->model;
    BriSystem *s = &step->ws->system;
    double *clamp = step->ws->cg, work;
    bool noted = false;
    int rows = 0;
    for (int k = 0; k < m->grips; k++) {
        const BriGrip *g = &m->grip[k];
        const BriGripState *state = &bri_state_grips(step->start)[k];
        bool other = state->switched != 0, held = (state->slides != 0) == other;
        noted = noted || other;
        if (!g->driven && held == bri_grip_is_off(step, k)) rows += g->rows;
        if (!g->driven) clamp[k] = bri_state_joints(step->ws->trial)[g->joint].clamp[g->drive[0]];
    }
    if (!noted || !is_worth_it(s, rows)) {
        bri_factor(step, pose);
        return;
    }
    flip(step, NULL);
    bool known = bri_system_is_made_at(m, s, pose) && s->switches.slots <= BRI_SWITCHES / 2;
    for (int k = 0; k < m->joints && known; k++)
        known = s->ldl.off[m->moving + k] == bri_system_off_rows(m, step->ws->trial, k);
    if (known)
        bri_spend_factor(step);
    else
        bri_factor(step, pose);
    flip(step, clamp);
    bri_spend(step->budget, rows * s->ldl.solve_work);
    if (!bri_system_switch(m, s, step->ws->trial, &work)) bri_factor(step, pose);
}
