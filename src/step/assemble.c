/* assemble.c: from the pose a user wrote down to one that fits the joints, nearest in the kinetic-energy metric. */
#include "dynamics/constrain.h"
#include "dynamics/motion.h"
#include "step/start.h"

#include <string.h>

enum {
    MOST_FACTORS = 50, /* poses at which Newton starts anew */
    MOST_ROUNDS = 4    /* in which redundant rows are looked for again */
};
static const double WORTH_TELLING = 1e-9; /* m or rad, and per s: less is how numbers were written; absolute */

static double measure_distance(BrVec3 a, BrVec3 b) { return bri_norm(bri_sub(a, b)); }

/* How far bodies were moved, and what became of velocities that were given. */
static BrAssembly compare(const BrModel *m, const BriBodyState *before, const BriBodyState *after) {
    BrAssembly result = {0, {0, 0, 0}, 0, {0, 0, 0}};
    for (int i = 0; i < m->bodies; i++) {
        const BriBodyState *a = &before[i], *b = &after[i];
        double moved = measure_distance(a->r, b->r);
        for (int k = 0; k < 3; k++)
            moved = bri_max(moved, measure_distance(bri_column(&a->A, k), bri_column(&b->A, k)));
        if (!(moved <= result.moved)) result.moved = moved, result.moved_body = br_model_body(m, i);
        if (m->body[i].node < 0 || (bri_dot(a->v, a->v) == 0 && bri_dot(a->w, a->w) == 0)) continue;
        double changed =
            bri_max(measure_distance(a->v, b->v), measure_distance(bri_mul(&a->A, a->w), bri_mul(&b->A, b->w)));
        if (!(changed <= result.changed)) result.changed = changed, result.changed_body = br_model_body(m, i);
    }
    return result;
}

/* Kinematic bodies where their motion has them at the state's time, with its velocity. */
static void place_prescribed(const BrModel *m, BrState *state) {
    BriBodyState *bodies = bri_state_bodies(state);
    for (int i = 0; i < m->bodies; i++)
        if (m->body[i].motion >= 0) bri_motion_advance(m, i, state->time, 0, &bodies[i], &bodies[i]);
}

/* Perpendicular axes are perpendicular in more than one way: turned by half a turn, or by a third about the diagonal.
 * The name of a joint that fits only so, or NULL. */
static const char *find_flipped(const BrModel *m, const BriBodyState *bodies) {
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        BriJointPose p = bri_joint_pose(j, &bodies[j->a], &bodies[j->b], 0);
        double x = bri_dot(bri_column(&p.F_a, 0), bri_column(&p.F_b, 0)),
               y = bri_dot(bri_column(&p.F_a, 1), bri_column(&p.F_b, 1)),
               z = bri_dot(bri_column(&p.F_a, 2), bri_column(&p.F_b, 2));
        bool turns = j->def.type == BR_JOINT_REVOLUTE || j->def.type == BR_JOINT_CYLINDRICAL ||
                     j->def.type == BR_JOINT_SCREW || j->def.type == BR_JOINT_PLANAR;
        bool welded = j->def.type == BR_JOINT_FIXED || j->def.type == BR_JOINT_PRISMATIC;
        if ((turns && !(z > 0)) || (welded && !(x + y + z > 1))) return j->def.name;
    }
    return NULL;
}

/* Positions onto the constraints. What is redundant shows there only: look, close the joints, look again. */
static bool close_joints(BriStep *step, BriBodyState *bodies) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    bool placed = false;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        bri_system_find_rank(m, &w->system, w->trial, bodies);
        for (int k = 0; k < m->joints; k++) {
            unsigned char found = (unsigned char)bri_state_joints(w->trial)[k].redundant;
            if (found != w->redundant[k]) placed = false;
            w->redundant[k] = found;
        }
        if (placed) break;
        for (int k = 0; k < MOST_FACTORS && !placed; k++) {
            bri_report_clear(step->report);
            step->worst = 0;
            bri_system_factor(m, &w->system, w->trial, bodies);
            placed = bri_constrain_positions(step, step->start->time, bodies);
        }
    }
    return placed && step->report->position_residual <= 3e4 * step->position_tolerance; /* 1e-9 m at a size of 1 m */
}

/* Velocities onto the constraints; rows that turn out not to be redundant are taken back. */
static bool fit_velocities(BriStep *step, BriBodyState *bodies) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        step->report->velocity_residual = 0;
        bri_system_factor(m, &w->system, w->trial, bodies);
        bri_system_targets(m, step->start, step->start->time, w->target);
        bri_constrain_rates(step, &(BriRates){&w->system.J, &w->system.J, w->target, 0, bodies, w->p, false, 0});
        if (!bri_take_back_rows(step, step->start->time, bodies, w->redundant)) break;
        for (int k = 0; k < m->joints; k++) bri_state_joints(w->trial)[k].redundant = w->redundant[k];
    }
    return step->report->velocity_residual <= 1e6 * step->velocity_tolerance;
}

/* Of a change before and one behind it. */
static BrAssembly join_changes(BrAssembly first, BrAssembly second) {
    if (first.moved > second.moved) second.moved = first.moved, second.moved_body = first.moved_body;
    if (first.changed > second.changed) second.changed = first.changed, second.changed_body = first.changed_body;
    return second;
}

static BrStatus close_or_refuse(BriStep *step, BriBodyState *bodies, BrError *error) {
    const char *flipped = close_joints(step, bodies) ? find_flipped(step->model, bodies) : "";
    if (!flipped) return BR_OK;
    if (*flipped)
        return bri_fail(error, BR_INVALID_MODEL,
                        "the joints cannot be assembled: joint '%s' closes only with its axes turned round; check the "
                        "bodies' poses",
                        flipped);
    return bri_fail(error, BR_INVALID_MODEL,
                    "the joints cannot be assembled: joint '%s' stays open by %.3g m (or rad) however the bodies are "
                    "moved; check its points, axes and lengths",
                    bri_worst_joint_name(step), step->report->position_residual);
}

/* Positions, joints at their starts, and velocities; what is not of the starts is told. */
static BrStatus fit(BriStep *step, BriBodyState *bodies, BriBodyState *before, BrAssembly *changes, BrError *error) {
    const BrModel *m = step->model;
    BrStatus status = close_or_refuse(step, bodies, error);
    if (status == BR_OK && before) {
        *changes = compare(m, bri_state_bodies(step->start), bodies);
        status = bri_start_joints(step, bri_state_bodies(step->start), error);
        memcpy(before, bodies, (size_t)m->bodies * sizeof *before);
        if (status == BR_OK) status = close_or_refuse(step, bodies, error);
    }
    if (status != BR_OK) return status;
    bri_update_angles(m, step->ws->trial, 0);
    if (!fit_velocities(step, bodies))
        return bri_fail(
            error, BR_INVALID_MODEL,
            "the initial velocities cannot be made to fit the joints: a rate of %.3g is left at joint '%s'; "
            "look for drives that contradict each other",
            step->report->velocity_residual, bri_worst_joint_name(step));
    *changes = join_changes(*changes, compare(m, before ? before : bri_state_bodies(step->start), bodies));
    return BR_OK;
}

BrStatus br_state_assemble(const BrModel *m, BrWorkspace *w, BrState *state, BrAssembly *assembly, BrError *error) {
    BRI_NEED(m && w && state, "model, workspace and state", error);
    if (state->fingerprint != m->fingerprint || w->fingerprint != m->fingerprint)
        return bri_fail(error, BR_MISMATCH, "the state or the workspace belongs to another model");
    BriStep step = {.model = m, .ws = w, .start = state, .report = &w->report};
    bri_report_clear(step.report);
    BriBodyState *bodies = bri_state_bodies(w->trial), *before = NULL;
    bri_state_assign(w->trial, state);
    w->evaluated = false;
    place_prescribed(m, w->trial);
    bri_rest_motors(m, w->trial); /* they start pulling with the first step */
    bri_step_set_tolerances(&step);
    if (state->steps == 0 && bri_has_starts(m)) {
        before = bri_allocate(&m->allocator, (size_t)m->bodies, sizeof *before);
        if (!before) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to put joints where they start");
    }
    BrAssembly result = {0, {0, 0, 0}, 0, {0, 0, 0}};
    BrStatus status = fit(&step, bodies, before, &result, error);
    bri_release(&m->allocator, before);
    if (status != BR_OK) return status;
    for (int k = 0; k < m->joints; k++)
        memset(bri_state_joints(w->trial)[k].clamp, 0, sizeof bri_state_joints(w->trial)[k].clamp);
    w->trial->powers_known = 0;
    w->trial->books_open = 0;
    bri_state_forget_history(w->trial);
    if (result.moved > WORTH_TELLING)
        bri_tell(m, "assembled: body '%s' was moved by %.3g m or rad to fit the joints",
                 br_body_def(m, result.moved_body)->name, result.moved);
    if (result.changed > WORTH_TELLING)
        bri_tell(m, "assembled: the velocity of body '%s' was changed by %.3g m/s or rad/s to fit the joints",
                 br_body_def(m, result.changed_body)->name, result.changed);
    if (assembly) *assembly = result;
    bri_state_assign(state, w->trial);
    return BR_OK;
}
