/* formulations.c: the ways to make a step, as lists; their names and presets. */
#include "step/compliant.h"

static const struct {
    const char *name;
    BrStatus (*run)(BriStep *step);
} SCHEMES[BR_SCHEMES] = {
    [BR_SCHEME_MOREAU] = {"moreau", bri_step_moreau},
    [BR_SCHEME_HEM2] = {"hem2", bri_step_hem2},
    [BR_SCHEME_RATTLE] = {"rattle", bri_step_rattle},
    [BR_SCHEME_EULER_PAPER] = {"euler-paper", bri_step_euler_paper},
    [BR_SCHEME_HALF_IMPLICIT] = {"half-implicit", bri_step_smooth},
    [BR_SCHEME_BDF2] = {"bdf2", bri_step_smooth},
    [BR_SCHEME_SEMI_IMPLICIT] = {"semi-implicit", bri_step_compliant},
    [BR_SCHEME_RK2] = {"rk2", bri_step_compliant},
    [BR_SCHEME_RK3] = {"rk3", bri_step_compliant},
    [BR_SCHEME_RK4] = {"rk4", bri_step_compliant},
    [BR_SCHEME_ADAPTIVE] = {"adaptive", bri_step_compliant},
    [BR_SCHEME_STIFF] = {"stiff", bri_step_compliant},
};

const char *br_scheme_name(BrScheme scheme) { return (unsigned)scheme < BR_SCHEMES ? SCHEMES[scheme].name : "unknown"; }

static BrStatus step_in_time(BriStep *step) { return SCHEMES[step->def->scheme].run(step); }

/* Bounds of joints; lasting contacts are rows. */
static BrStatus read_smooth_forces(const BrModel *m, BrWorkspace *w, const BrState *state, const BrEvaluateDef *within,
                                   BrError *error) {
    if (!m->lastings) return bri_rigid_forces(m, w, state, within, error);
    w->contacts->count = w->contacts->bounds = 0;
    return BR_OK;
}

static const BriFormulation FORMULATIONS[BR_FORMULATIONS] = {
    [BR_FORMULATION_TIMESTEPPING] = {"timestepping", step_in_time, NULL, bri_rigid_forces, false},
    [BR_FORMULATION_EVENT] = {"event", bri_step_event, NULL, bri_rigid_forces, true},
    [BR_FORMULATION_COMPLIANT] = {"compliant", bri_step_compliant, bri_compliant_forces, bri_bound_forces, true},
    [BR_FORMULATION_SMOOTH] = {"smooth", bri_step_smooth, NULL, read_smooth_forces, false},
    [BR_FORMULATION_HYBRID] = {"hybrid", NULL, NULL, bri_rigid_forces,
                               false}, /* a step is one of the others (hybrid.c) */
};

const BriFormulation *bri_formulation(BrFormulation f) { return &FORMULATIONS[(unsigned)f < BR_FORMULATIONS ? f : 0]; }

static const char *const SETS[BR_FRICTION_SETS] = {"cone", "box", "polygon"};
static const char *const EVENTS[] = {"touch",     "impact", "stick",  "slip",       "separation",
                                     "compliant", "rigid",  "choice", "saturation", "hold"};
static const char *const REASONS[BR_SWITCH_REASONS] = {"none",     "no answer", "several", "endless",
                                                       "unstable", "undecided", "settled"};

const char *br_formulation_name(BrFormulation f) {
    return (unsigned)f < BR_FORMULATIONS ? FORMULATIONS[f].name : "unknown";
}
const char *br_friction_set_name(BrFrictionSet set) { return (unsigned)set < BR_FRICTION_SETS ? SETS[set] : "unknown"; }
const char *br_event_name(BrEventKind kind) { return (unsigned)kind < BRI_COUNT(EVENTS) ? EVENTS[kind] : "unknown"; }

const char *br_switch_reason_name(BrSwitchReason reason) {
    return (unsigned)reason < BR_SWITCH_REASONS ? REASONS[reason] : "unknown";
}

BrFormulation br_scheme_formulation(BrScheme scheme) {
    if (scheme < BR_TIMESTEPPING_SCHEMES) return BR_FORMULATION_TIMESTEPPING;
    return scheme < BR_SCHEME_SEMI_IMPLICIT ? BR_FORMULATION_SMOOTH : BR_FORMULATION_COMPLIANT;
}

BrStatus br_state_set_formulation(BrState *state, BrFormulation formulation) {
    if (!state || (unsigned)formulation >= BR_FORMULATIONS) return BR_INVALID_ARGUMENT;
    bool rested = state->formulation != BR_FORMULATION_COMPLIANT; /* which keeps other things there */
    for (int k = 0; rested && k < state->contacts; k++) bri_state_contacts(state)[k].rested = 0;
    state->formulation = formulation;
    return BR_OK;
}

void br_start_step_def(BrStepDef *def, uint32_t size) {
    if (!bri_start_def(def, size, sizeof *def)) return;
    def->scheme = BR_SCHEME_RATTLE;
    def->dt = 1e-3;
    def->polygon_sides = 4;
    def->impact_speed = -1;
    def->substeps = 1;
    def->tolerance = 1e-10;
    def->most_work = 1e10;
    def->contact_tolerance = 1e-9;
    def->contact_work = __builtin_inf();
    def->threads = 1;
}

void br_start_evaluate_def(BrEvaluateDef *def, uint32_t size) {
    if (!bri_start_def(def, size, sizeof *def)) return;
    BrStepDef step = br_default_step_def();
    def->most_work = step.most_work;
    def->contact_work = step.contact_work;
}

BrScheme br_model_default_scheme(const BrModel *model, BrFormulation formulation) {
    if (formulation == BR_FORMULATION_COMPLIANT) return BR_SCHEME_RK4;
    if (formulation == BR_FORMULATION_SMOOTH) return BR_SCHEME_BDF2;
    return model && (model->touches || model->servos) ? BR_SCHEME_HEM2 : BR_SCHEME_RATTLE;
}
