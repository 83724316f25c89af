/* evaluate.c: one acceleration-level solve at a state, and what can be read from it.
 *
 *     M a = f - w x J w + J^T lambda,     J a = target' - bias - J_k a_k                                        (6.5)
 *
 * a_k: accelerations of moved bodies.
 * A motor that cannot hold its speed pulls with its bound; friction in bearings holds, or drags with what the reactions
 * bear (hold.h). Where rows are redundant the shortest lambda is read
 * (least_norm.h). */
#include "dynamics/coupling.h"
#include "dynamics/force.h"
#include "dynamics/lasting.h"
#include "dynamics/least_norm.h"
#include "dynamics/motion.h"
#include "dynamics/servo.h"
#include "step/compliant.h"
#include "step/hold.h"

#include <string.h>

/* ------------------------------------------------------------------ reading rows as wrenches */

/* Force and torque on body b about the joint's point on a, world axes. */
static BrWrench read_wrench(const BriJoint *j, const BriBodyState *bodies, const double *Jb, const double *lambda) {
    double f[6] = {0};
    for (int r = 0; r < j->rows; r++)
        for (int c = 0; c < 6; c++) f[c] += Jb[6 * r + c] * lambda[r];
    const BriBodyState *a = &bodies[j->a], *b = &bodies[j->b];
    BrVec3 force = bri_vec(f[0], f[1], f[2]), torque = bri_mul(&b->A, bri_vec(f[3], f[4], f[5]));
    BrVec3 point = bri_add(a->r, bri_mul(&a->A, j->point_a));
    return (BrWrench){force, bri_add(torque, bri_cross(bri_sub(b->r, point), force))};
}

/* Limits and dry friction belong to what the joint exerts. */
static void add_bounds(const BrModel *m, BrWorkspace *w, const BrState *state) {
    const BriBodyState *bodies = bri_state_bodies(state);
    const BriContacts *c = w->contacts;
    for (int i = 0, b = 0; i < m->bounds; i++) {
        int k = m->bound[i].joint;
        if (m->bound[i].kind == BRI_BOUND_MOTOR) continue; /* among the joint's rows */
        const BriJoint *j = &m->joint[k];
        double Ja[6], Jb[6], now = 0, mean = state->steps ? bri_state_bounds(state)[i].impulse / state->dt : 0;
        while (b < c->bounds && c->bound[b].bound < i) b++; /* in the same order, some left out */
        if (b < c->bounds && c->bound[b].bound == i) now = c->bound[b].p;
        BriJointPose pose = bri_joint_pose(j, &bodies[j->a], &bodies[j->b], bri_state_joints(state)[k].angle);
        bri_joint_coordinate_row(j, &pose, m->bound[i].coordinate, Ja, Jb);
        BriJoint one = *j; /* a joint of this row alone */
        one.rows = 1;
        BrWrench unit[2] = {read_wrench(&one, bodies, Jb, &now), read_wrench(&one, bodies, Jb, &mean)};
        BrWrench *sums[2] = {&w->reaction[k], &w->reaction_mean[k]};
        for (int s = 0; s < 2; s++) {
            sums[s]->force = bri_add(sums[s]->force, unit[s].force);
            sums[s]->torque = bri_add(sums[s]->torque, unit[s].torque);
        }
    }
}

/* So do motors that are an effort: the one of this instant, also in the mean. */
static void add_motor_efforts(const BrModel *m, BrWorkspace *w, const BrState *state) {
    const BriBodyState *bodies = bri_state_bodies(state);
    for (int n = 0; n < m->motors; n++) {
        int k = m->motor[n].joint;
        double Ja[6], Jb[6];
        if (m->motor[n].def.kind != BR_MOTOR_EFFORT) continue;
        BriJoint one = m->joint[k]; /* a joint of this row alone */
        one.rows = 1;
        BriInstant now = {m, state, bri_state_bodies(state), state->time};
        double effort = bri_motor_law(&now, w, n, 0, 0);
        BriJointPose pose = bri_joint_pose(&one, &bodies[one.a], &bodies[one.b], bri_state_joints(state)[k].angle);
        bri_joint_coordinate_row(&one, &pose, m->motor[n].def.coordinate, Ja, Jb);
        BrWrench unit = read_wrench(&one, bodies, Jb, &effort), *sums[2] = {&w->reaction[k], &w->reaction_mean[k]};
        for (int s = 0; s < (state->steps ? 2 : 1); s++) {
            sums[s]->force = bri_add(sums[s]->force, unit.force);
            sums[s]->torque = bri_add(sums[s]->torque, unit.torque);
        }
    }
}

static void read_joints(const BrModel *m, BrWorkspace *w, const BrState *state) {
    const BriBodyState *bodies = bri_state_bodies(state);
    for (int k = 0; k < m->joints; k++)
        for (int r = 0; r < m->joint[k].rows; r++)
            w->p[m->joint[k].first_row + r] = state->steps ? bri_state_joints(state)[k].impulse[r] / state->dt : 0;
    bri_shorten(m, &w->system, w->cg, w->p);
    for (int k = 0; k < bri_own_joints(m); k++) {
        const BriJoint *j = &m->joint[k];
        w->reaction_mean[k] = read_wrench(j, bodies, w->system.J.b + 6 * j->first_row, w->p + j->first_row);
        w->reaction[k] = read_wrench(j, bodies, w->system.J.b + 6 * j->first_row, w->lambda + j->first_row);
        w->joint_axes[k] = bri_mat_mul(&bodies[j->a].A, &j->frame_a);
    }
    if (m->bounds) add_bounds(m, w, state);
    if (m->efforts) add_motor_efforts(m, w, state);
}

/* ------------------------------------------------------------------ the solve */

/* Right-hand sides of (6.5) into system->x. */
static void fill_right_hand_side(const BrModel *m, BrWorkspace *w, const BrState *state) {
    const BriBodyState *bodies = bri_state_bodies(state);
    double *x = w->system.x;
    bri_forces(m, state, bodies, state->time, x);
    bri_lasting_forces(m, w->trial, bodies, x);
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        BrVec3 g = bri_gyroscopic_torque(&m->body[i], bodies[i].w);
        x[6 * n + 3] += g.x, x[6 * n + 4] += g.y, x[6 * n + 5] += g.z;
    }
    double *c = x + 6 * m->moving;
    bri_system_target_rates(m, state, state->time, c);
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        double bias[BRI_JOINT_ROWS] = {0};
        BriJointPose pose = bri_joint_pose(j, &bodies[j->a], &bodies[j->b], bri_state_joints(state)[k].angle);
        if (j->coupling)
            bias[0] = bri_coupling_bias(m, j->coupling, state, bodies);
        else
            bri_joint_bias(j, &pose, bias);
        for (int r = 0; r < j->rows; r++) {
            BriRowEnds ends = bri_row_ends(m, &w->system.J, k, j->first_row + r);
            c[j->first_row + r] -= bias[r];
            for (int e = 0; e < ends.count; e++)
                for (int q = 0; m->body[ends.body[e]].node < 0 && q < 6; q++)
                    c[j->first_row + r] -= ends.part[e][q] * w->acceleration[6 * ends.body[e] + q];
        }
    }
}

/* What a drive that is off pushes with: a motor with its bound, a grip with its friction. */
static double find_effort(const BrModel *m, const BrWorkspace *w, const BrState *state, const BriDrive *d,
                          double clamp) {
    double speed, bound;
    if (bri_is_servo(m, d->motor)) return bri_motor_law_at(m, w, state, bri_state_bodies(state), d->motor);
    if (d->grip < 0) {
        br_motor_target(m, state, br_model_motor(m, d->motor), &speed, &bound);
        return clamp * bound;
    }
    const BriGrip *g = &m->grip[d->grip];
    for (int r = 0; r < g->rows; r++)
        if (g->coordinate[r] == d->coordinate) return g->length[r] * w->grip[d->grip].force[r];
    return 0;
}

/* Onto the bodies' forces, and into lambda. */
static void add_efforts(const BrModel *m, BrWorkspace *w, const BrState *state) {
    memset(w->lambda, 0, (size_t)m->rows * sizeof(double));
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        for (int d = 0; d < j->drives; d++) {
            double clamp = bri_state_joints(w->trial)[k].clamp[d];
            if (!bri_is_servo(m, j->drive[d].motor) && (clamp == BRI_FREE || clamp == BRI_RESTING)) continue;
            int row = bri_drive_row(j, d);
            w->lambda[row] = find_effort(m, w, state, &j->drive[d], clamp);
            bri_system_add_row(m, &w->system.J, k, row, w->lambda[row], w->system.x);
        }
        if (!j->lasting || j->def.stiffness == 0) continue;
        w->lambda[j->first_row] = bri_state_lastings(w->trial)[j->lasting - m->lasting].normal_force;
        bri_system_add_row(m, &w->system.J, k, j->first_row, w->lambda[j->first_row], w->system.x);
    }
}

/* Without joints M is all there is. */
static void divide_by_masses(const BrModel *m, BrWorkspace *w) {
    for (int n = 0; n < m->moving; n++) {
        const BriBody *body = &m->body[m->moving_body[n]];
        const double *x = w->system.x + 6 * n;
        double *a = w->acceleration + 6 * m->moving_body[n];
        BrVec3 turn = bri_mul(&body->inverse_inertia, bri_vec(x[3], x[4], x[5]));
        for (int k = 0; k < 3; k++) a[k] = body->inverse_mass * x[k];
        a[3] = turn.x, a[4] = turn.y, a[5] = turn.z;
    }
}

static void solve_accelerations(const BrModel *m, BrWorkspace *w, const BrState *state, const double *push) {
    BriStep at = {.model = m, .ws = w, .start = state, .report = &w->report};
    if (m->joints) bri_factor(&at, bri_state_bodies(state)); /* first: it fills J, and uses x */
    fill_right_hand_side(m, w, state);
    for (int i = 0; push && i < 6 * m->moving; i++) w->system.x[i] += push[i];
    if (m->joints == 0) {
        divide_by_masses(m, w);
        return;
    }
    add_efforts(m, w, state);
    bri_ldl_solve(&w->system.ldl, w->system.x);
    for (int n = 0; n < m->moving; n++)
        memcpy(w->acceleration + 6 * m->moving_body[n], w->system.x + 6 * n, 6 * sizeof(double));
    for (int r = 0; r < m->rows; r++) w->lambda[r] -= w->system.x[6 * m->moving + r];
}

void bri_free_accelerations(const BrModel *m, BrWorkspace *w, const BrState *state, const double *push) {
    solve_accelerations(m, w, state, push);
}

/* A motor off its target speed pulls with its bound: before the first step by what is asked of it, later only if the
 * last step had to clamp it (positions are corrected after velocities, which can leave a small lag). Motors at their
 * speed are clamped when they would need too much. */
static void start_clamps(const BrModel *m, BrWorkspace *w, const BrState *state) {
    const double KEEPS = 1e-9; /* of the speed, of 1 m/s or rad/s at least: a motor that lags by less has its speed */
    bri_system_jacobian(m, state, bri_state_bodies(state), &w->system.C);
    bri_system_rates(m, &w->system.C, bri_state_bodies(state), w->rate);
    bri_system_targets(m, state, state->time, w->target);
    for (int k = 0; k < m->joints; k++)
        for (int d = 0; d < m->joint[k].drives; d++) {
            int row = bri_drive_row(&m->joint[k], d), motor = m->joint[k].drive[d].motor;
            double lag = w->target[row] - w->rate[row], scale = KEEPS * bri_max(1, bri_abs(w->target[row]));
            double speed, bound;
            double *clamp = &bri_state_joints(w->trial)[k].clamp[d];
            if (bri_is_servo(m, motor)) *clamp = BRI_RESTING; /* it is a force here */
            if (motor < 0 || *clamp == BRI_RESTING) continue;
            br_motor_target(m, state, br_model_motor(m, motor), &speed, &bound);
            if (bri_abs(lag) <= scale || !bri_is_finite(bound))
                *clamp = BRI_FREE;
            else if (state->steps == 0 || bri_state_motor_inputs(state)[motor].is_new != 0)
                *clamp = lag > 0 ? BRI_AT_UPPER : BRI_AT_LOWER;
        }
}

static bool clamp_overloaded(const BrModel *m, BrWorkspace *w, const BrState *state) {
    bool changed = false;
    for (int k = 0; k < m->joints; k++)
        for (int d = 0; d < m->joint[k].drives; d++) {
            const BriDrive *drive = &m->joint[k].drive[d];
            double *clamp = &bri_state_joints(w->trial)[k].clamp[d], speed, bound;
            if (drive->motor < 0 || *clamp != BRI_FREE) continue;
            br_motor_target(m, state, br_model_motor(m, drive->motor), &speed, &bound);
            double effort = w->lambda[bri_drive_row(&m->joint[k], d)];
            if (bri_abs(effort) <= bound) continue;
            *clamp = effort > 0 ? BRI_AT_UPPER : BRI_AT_LOWER;
            changed = true;
        }
    return changed;
}

/* Limits count where they are reached and not left; dry friction drags where the joint moves, and holds where not. */
static void choose_bounds(const BriStep *at, const BriBodyState *bodies) {
    const double AT = 1e-6; /* m or rad, and per s: a limit this near and this slow is reached; absolute */
    const BrModel *m = at->model;
    BriContacts *c = at->ws->contacts;
    int count = 0;
    for (int k = 0; k < c->bounds; k++) {
        BriBoundRow bound = c->bound[k];
        const BriJointBound *of = &m->bound[bound.bound];
        const BriJoint *j = &m->joint[bound.joint];
        double position, rate;
        BriJointPose pose =
            bri_joint_pose(j, &bodies[j->a], &bodies[j->b], bri_state_joints(at->start)[bound.joint].angle);
        bri_joint_coordinate(j, &pose, of->coordinate, &position, &rate);
        if (bri_is_limit(&bound) && (bri_abs(bound.distance) > AT || bri_abs(rate) > AT)) continue;
        if (!bri_is_limit(&bound) && rate > BRI_SLIP) bound.upper = bound.lower;
        if (!bri_is_limit(&bound) && rate < -BRI_SLIP) bound.lower = bound.upper;
        c->bound[count++] = bound;
    }
    c->bounds = count;
}

/* Does a closed contact leave? Not if the last step left it closed, whatever order 1 has left in the velocities; event
 * leaves at most a little of a bend. */
static bool leaves(const BriStep *at, const BriContact *c) {
    bool held = c->was.known && !c->was.landing && bri_dot(bri_normal(c), c->was.impulse) > 0;
    double bend = !held ? 1 : at->start->formulation == BR_FORMULATION_EVENT ? 1e3 : __builtin_inf();
    return bri_dot(bri_normal(c), c->got.u) > bend * 1e3 * at->velocity_tolerance;
}

BrStatus bri_find_closed(BriStep *at) {
    BriContacts *c = at->ws->contacts;
    const BriBodyState *bodies = bri_state_bodies(at->start);
    /* what pushed in the last step stands a little off its surface after a step of order 1 */
    BrStatus status = bri_contacts_find(at, bodies, at->start->dt, at->error);
    if (status < 0) return status;
    bri_step_set_tolerances(at);
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        contact->got.u = bri_contact_velocity(contact, bodies);
        contact->mode.closed = contact->ask.active = contact->mode.closed && !leaves(at, contact);
    }
    status = bri_contacts_recall_pushed(at, bodies);
    if (status < 0) return status;
    if (!bri_contacts_make_solver_room(at) || !bri_contacts_make_force_room(at->model, c))
        return bri_fail(at->error, BR_OUT_OF_MEMORY, "no memory to solve %d contacts", c->count);
    choose_bounds(at, bodies);
    return BR_OK;
}

/* Contacts at the state, and the forces they carry now. */
BrStatus bri_rigid_forces(const BrModel *m, BrWorkspace *w, const BrState *state, const BrEvaluateDef *within,
                          BrError *error) {
    BrStepDef def = br_default_step_def();
    BriBudget budget = {.most = within->most_work, .stop = within->stop, .user = within->stop_user};
    BriStep at = {
        .model = m, .ws = w, .start = state, .def = &def, .error = error, .budget = &budget, .report = &w->report};
    def.contact_work = within->contact_work;
    BrStatus status = bri_find_closed(&at);
    if (status < 0) return status;
    bool fine = bri_contacts_accelerate(&at, bri_state_bodies(state), BRI_BY_LAW, 0, w->acceleration, w->lambda);
    return fine ? BR_OK : BR_NOT_CONVERGED;
}

BrStatus bri_bound_forces(const BrModel *m, BrWorkspace *w, const BrState *state, const BrEvaluateDef *within,
                          BrError *error) {
    BrStepDef def = br_default_step_def();
    BriBudget budget = {.most = within->most_work, .stop = within->stop, .user = within->stop_user};
    BriStep at = {
        .model = m, .ws = w, .start = state, .def = &def, .error = error, .budget = &budget, .report = &w->report};
    BriContacts *c = w->contacts;
    bri_step_set_tolerances(&at);
    choose_bounds(&at, bri_state_bodies(state));
    if (c->bounds == 0) return BR_OK;
    if (!bri_contacts_make_force_room(m, c))
        return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to solve joints' bounds");
    int count = c->count;
    c->count = 0; /* they are forces */
    bool fine = bri_contacts_accelerate(&at, bri_state_bodies(state), BRI_BY_LAW, 0, w->acceleration, w->lambda);
    c->count = count;
    return fine ? BR_OK : BR_NOT_CONVERGED;
}

BrStatus br_evaluate(const BrModel *m, BrWorkspace *w, const BrState *state, BrError *error) {
    BrEvaluateDef def = br_default_evaluate_def();
    return br_evaluate_with(m, w, state, &def, error);
}

static BrStatus check_bounds(const BrEvaluateDef *def, BrError *error) {
    BrStatus unfit = bri_check_def(def, sizeof *def, "br_default_evaluate_def", error);
    if (unfit != BR_OK || (def->most_work > 0 && def->contact_work > 0)) return unfit;
    return bri_fail(error, BR_INVALID_ARGUMENT,
                    "most_work and contact_work of a reading are %.9g and %.9g operations; both must be positive",
                    def->most_work, def->contact_work);
}

/* All that one reading is made of. */
typedef struct Reading {
    const BrModel *m;
    BrWorkspace *w;
    const BrState *state;
    const BrEvaluateDef *within;
    const BriFormulation *by;
    const double *push; /* forces of contacts that are functions of the state, or NULL */
    BrStatus status;
    BrError *error;
} Reading;

static bool read_forces(void *reading) {
    Reading *r = reading;
    const BrModel *m = r->m;
    solve_accelerations(m, r->w, r->state, r->push);
    for (int k = 0; m->motors && k < m->motors && clamp_overloaded(m, r->w, r->state); k++)
        solve_accelerations(m, r->w, r->state, r->push);
    r->status =
        m->touches && r->by->answering_forces ? r->by->answering_forces(m, r->w, r->state, r->within, r->error) : BR_OK;
    return r->status == BR_OK;
}

/* Grips that slip slide; the others hold, if they can. */
static void start_grips(const BriStep *at) {
    const BrModel *m = at->model;
    bri_slide_look(at, bri_state_bodies(at->start));
    for (int k = 0; k < m->grips; k++) {
        const BriGrip *g = &m->grip[k];
        BriGripWork *work = &at->ws->grip[k];
        bool slips = bri_grip_size(g, work->slip) > BRI_SLIP || bri_grip_width(&m->joint[g->joint]) > 0;
        work->jams = false;
        memset(work->began, 0, sizeof work->began);
        work->freed = 0;
        memcpy(work->force, bri_state_grips(at->start)[k].force, sizeof work->force);
        bri_grip_set(at, k, !slips ? BRI_FREE : work->slip[0] > 0 ? BRI_AT_LOWER : BRI_AT_UPPER);
    }
}

/* Friction and reactions at the state. */
static BrStatus read_all(Reading *r) {
    BriBudget budget = {.most = r->within->most_work, .stop = r->within->stop, .user = r->within->stop_user};
    BriStep at = {.model = r->m, .ws = r->w, .start = r->state, .budget = &budget, .report = &r->w->report};
    bri_step_set_tolerances(&at);
    if (r->m->grips) start_grips(&at);
    bool fine = bri_hold_choose(&at, bri_state_bodies(r->state), read_forces, r);
    for (int k = 0; k < r->m->grips; k++) fine = fine && !r->w->grip[k].jams;
    return r->status != BR_OK || fine ? r->status : BR_NOT_CONVERGED;
}

/* Lasting contacts at the trial state: rigid ones are rows, compliant ones push with what their depth says. */
static void read_lastings(const BrModel *m, BrState *trial) {
    const BriBodyState *bodies = bri_state_bodies(trial);
    if (trial->formulation != BR_FORMULATION_SMOOTH) {
        bri_lasting_forget(m, trial);
        return;
    }
    bri_lasting_begin(m, trial, bodies);
    for (int k = 0; k < m->lastings; k++) {
        const BriJoint *j = &m->joint[m->lasting[k].joint];
        BriLastingState *s = &bri_state_lastings(trial)[k];
        if (j->def.stiffness == 0) continue;
        s->normal_force = bri_lasting_push(j, bri_lasting_place(j, &bodies[j->a], &bodies[j->b]).gap);
        s->held = 0;
    }
}

void bri_begin_reading(const BrModel *m, BrWorkspace *w, const BrState *state) {
    w->evaluated = false;
    bri_state_assign(w->trial, state);
    for (int i = 0; i < m->bodies; i++)
        if (m->body[i].node < 0)
            bri_motion_acceleration(m, i, state->time, &bri_state_bodies(state)[i], w->acceleration + 6 * i);
    read_lastings(m, w->trial);
    if (state->rank_known == 0) bri_system_find_rank(m, &w->system, w->trial, bri_state_bodies(state));
    if (m->motors) start_clamps(m, w, state);
}

BrStatus bri_evaluate_free(const BrModel *m, BrWorkspace *w, const BrState *state, BrError *error) {
    static const BriFormulation WITHOUT_CONTACTS = {.name = ""};
    BrEvaluateDef def = br_default_evaluate_def();
    Reading reading = {m, w, state, &def, &WITHOUT_CONTACTS, NULL, BR_OK, error};
    return read_all(&reading);
}

BrStatus br_evaluate_with(const BrModel *m, BrWorkspace *w, const BrState *state, const BrEvaluateDef *def,
                          BrError *error) {
    if (w) w->evaluated = false; /* what was read before is of another state, also if this one is refused */
    BRI_NEED(m && w && state && def, "model, workspace, state and definition", error);
    BrStatus unfit = check_bounds(def, error);
    if (unfit != BR_OK) return unfit;
    if (state->fingerprint != m->fingerprint || w->fingerprint != m->fingerprint)
        return bri_fail(error, BR_MISMATCH, "the state or the workspace belongs to another model");
    bri_begin_reading(m, w, state);
    const BriFormulation *read = bri_formulation((BrFormulation)state->formulation);
    bool given = m->touches && read->given_forces;
    BrStatus status = given ? read->given_forces(m, w, state, error) : BR_OK;
    if (status < 0) return status;
    Reading reading = {m, w, state, def, read, given ? w->f : NULL, BR_OK, error};
    status = read_all(&reading);
    if (status < 0) return status;
    if (m->touches && !bri_contacts_make_force_room(m, w->contacts))
        return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to number %d contacts", w->contacts->count);
    if (m->touches) bri_number_contacts(w);
    bri_shorten(m, &w->system, w->cg, w->lambda);
    read_joints(m, w, state);
    w->evaluated = true;
    return status;
}

/* ------------------------------------------------------------------ getters */

BrStatus br_body_acceleration(const BrModel *m, const BrWorkspace *w, BrBodyId id, BrTwist *rate) {
    if (!m || !w || !rate) return BR_INVALID_ARGUMENT;
    int n = bri_body_number(m, id);
    if (w->fingerprint != m->fingerprint) return BR_MISMATCH;
    if (n < 0) return BR_INVALID_ID;
    if (!w->evaluated) return BR_WRONG_STAGE;
    const double *a = w->acceleration + 6 * n;
    const BriBodyState *b = &bri_state_bodies(w->trial)[n];
    *rate = (BrTwist){bri_vec(a[0], a[1], a[2]), bri_mul(&b->A, bri_vec(a[3], a[4], a[5]))};
    return BR_OK;
}

BrStatus br_joint_reaction(const BrModel *m, const BrWorkspace *w, BrJointId id, BrWrench *world,
                           BrWrench *joint_frame) {
    if (!m || !w) return BR_INVALID_ARGUMENT;
    int k = bri_joint_number(m, id);
    if (w->fingerprint != m->fingerprint) return BR_MISMATCH;
    if (k < 0) return BR_INVALID_ID;
    if (!w->evaluated) return BR_WRONG_STAGE;
    if (world) *world = w->reaction[k];
    if (joint_frame)
        *joint_frame = (BrWrench){bri_mul_t(&w->joint_axes[k], w->reaction[k].force),
                                  bri_mul_t(&w->joint_axes[k], w->reaction[k].torque)};
    return BR_OK;
}

BrStatus br_joint_reaction_mean(const BrModel *m, const BrWorkspace *w, BrJointId id, BrWrench *world) {
    if (!m || !w || !world) return BR_INVALID_ARGUMENT;
    int k = bri_joint_number(m, id);
    if (w->fingerprint != m->fingerprint) return BR_MISMATCH;
    if (k < 0) return BR_INVALID_ID;
    if (!w->evaluated) return BR_WRONG_STAGE;
    *world = w->reaction_mean[k];
    return BR_OK;
}

BrStatus br_motor_effort(const BrModel *m, const BrWorkspace *w, BrMotorId id, double *effort) {
    if (!m || !w || !effort) return BR_INVALID_ARGUMENT;
    int n = bri_motor_number(m, id);
    if (w->fingerprint != m->fingerprint) return BR_MISMATCH;
    if (n < 0) return BR_INVALID_ID;
    if (!w->evaluated) return BR_WRONG_STAGE;
    const BriJoint *j = &m->joint[m->motor[n].joint];
    BriInstant now = {m, w->trial, bri_state_bodies(w->trial), w->trial->time};
    if (m->motor[n].drive < 0) *effort = bri_motor_law(&now, w, n, 0, 0);
    for (int d = 0; d < j->drives; d++)
        if (j->drive[d].motor == n)
            *effort = bri_drive_effort(m, w, m->motor[n].joint, d, w->lambda[bri_drive_row(j, d)]);
    return BR_OK;
}

BrStatus br_motor_read(const BrModel *m, const BrWorkspace *w, const BrState *state, BrMotorId id,
                       BrMotorReading *reading) {
    const double FULL = 1 - 1e-9; /* of the largest effort: what is left of it is rounding */
    if (!m || !w || !state || !reading) return BR_INVALID_ARGUMENT;
    double effort = 0, position[3], rate[3];
    BrStatus status = br_motor_effort(m, w, id, &effort);
    if (status != BR_OK) return status;
    if (state->fingerprint != m->fingerprint) return BR_MISMATCH;
    const BriMotor *motor = &m->motor[bri_motor_number(m, id)];
    *reading = (BrMotorReading){.effort = effort};
    br_motor_target(m, state, id, &reading->target, &reading->max_effort);
    br_joint_position(m, state, br_model_joint(m, motor->joint), position, rate);
    reading->position = position[motor->def.coordinate];
    reading->speed = rate[motor->def.coordinate];
    reading->power = effort * reading->speed;
    reading->saturated = bri_abs(effort) >= FULL * reading->max_effort;
    return BR_OK;
}

BrStatus br_motion_effort(const BrModel *m, const BrWorkspace *w, BrMotionId id, double *effort) {
    if (!m || !w || !effort) return BR_INVALID_ARGUMENT;
    int n = bri_motion_number(m, id);
    if (w->fingerprint != m->fingerprint) return BR_MISMATCH;
    if (n < 0 || m->motion[n].joint < 0) return BR_INVALID_ID;
    if (!w->evaluated) return BR_WRONG_STAGE;
    const BriJoint *j = &m->joint[m->motion[n].joint];
    for (int d = 0; d < j->drives; d++)
        if (j->drive[d].motion == n)
            *effort = bri_drive_effort(m, w, m->motion[n].joint, d, w->lambda[bri_drive_row(j, d)]);
    return BR_OK;
}

BrStatus br_coupling_read(const BrModel *m, const BrWorkspace *w, const BrState *state, BrCouplingId id,
                          BrCouplingReading *reading) {
    if (!m || !w || !state || !reading) return BR_INVALID_ARGUMENT;
    int n = bri_coupling_number(m, id);
    if (w->fingerprint != m->fingerprint || state->fingerprint != m->fingerprint) return BR_MISMATCH;
    if (n < 0) return BR_INVALID_ID;
    if (!w->evaluated) return BR_WRONG_STAGE;
    const BriCoupling *c = &m->coupling[n];
    const BriBodyState *bodies = bri_state_bodies(state);
    double lambda = w->lambda[m->joint[bri_own_joints(m) + n].first_row];
    const BriJoint *first = &m->joint[c->joint[0]];
    BriJointPose pose = bri_joint_pose(first, &bodies[first->a], &bodies[first->b], 0);
    *reading = (BrCouplingReading){.error = bri_coupling_error(m, c, state, bodies, 0),
                                   .effort_a = c->factor[0] * lambda,
                                   .effort_b = c->factor[1] * lambda};
    reading->power = reading->effort_a * bri_joint_coordinate_rate(first, &pose, c->coordinate[0]);
    return BR_OK;
}

BrStatus br_joint_position(const BrModel *m, const BrState *state, BrJointId id, double position[3],
                           double velocity[3]) {
    if (!m || !state || !position || !velocity) return BR_INVALID_ARGUMENT;
    int k = bri_joint_number(m, id);
    if (state->fingerprint != m->fingerprint) return BR_MISMATCH;
    if (k < 0) return BR_INVALID_ID;
    const BriJoint *j = &m->joint[k];
    const BriBodyState *bodies = bri_state_bodies(state);
    BriJointPose pose = bri_joint_pose(j, &bodies[j->a], &bodies[j->b], bri_state_joints(state)[k].angle);
    for (int c = 0; c < 3; c++) {
        position[c] = velocity[c] = 0;
        if (c < j->type->info.coordinates) bri_joint_coordinate(j, &pose, c, &position[c], &velocity[c]);
    }
    return BR_OK;
}

BrStatus br_joint_gap(const BrModel *m, const BrState *state, BrJointId id, double *gap) {
    if (!m || !state || !gap) return BR_INVALID_ARGUMENT;
    int k = bri_joint_number(m, id);
    if (state->fingerprint != m->fingerprint) return BR_MISMATCH;
    if (k < 0) return BR_INVALID_ID;
    const BriJoint *j = &m->joint[k];
    const BriBodyState *bodies = bri_state_bodies(state);
    double error[BRI_JOINT_ROWS] = {0};
    BriJointPose pose = bri_joint_pose(j, &bodies[j->a], &bodies[j->b], bri_state_joints(state)[k].angle);
    bri_joint_errors(j, &pose, error);
    *gap = 0;
    for (int r = 0; r < j->type->info.constraints; r++) *gap = bri_max(*gap, bri_abs(error[r]));
    return BR_OK;
}

BrStatus br_spring_force(const BrModel *m, const BrState *state, BrSpringId id, double *length, double *rate,
                         double *tension) {
    if (!m || !state || !length || !rate || !tension) return BR_INVALID_ARGUMENT;
    int k = bri_spring_number(m, id);
    if (state->fingerprint != m->fingerprint) return BR_MISMATCH;
    if (k < 0) return BR_INVALID_ID;
    BriInstant now = {m, state, bri_state_bodies(state), state->time};
    BriSpringReading r = bri_spring_read(&now, k);
    *length = r.length;
    *rate = r.rate;
    *tension = r.tension;
    return BR_OK;
}
