/* system.c: see system.h. The graph of the saddle matrix has a node per moving body and per joint. Bodies that cannot
 * move carry no unknowns. A joint comes after its partner body, loop joints come last (tree.c tells why). */
#include "dynamics/system.h"

#include "dynamics/coupling.h"
#include "dynamics/quantity.h"
#include "dynamics/switched.h"

#include <string.h>

/* ------------------------------------------------------------------ making */

typedef struct GraphArrays {
    int *size, *after;
    bool *last;
    int (*edge)[2];
} GraphArrays;

static BrStatus lay_graph(const BrModel *m, BriSystem *s, GraphArrays *g, BrError *error) {
    int nodes = m->moving + m->joints, edges = 0;
    for (int n = 0; n < m->moving; n++) {
        g->size[n] = 6;
        g->after[n] = -1;
    }
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        int node = m->moving + k;
        g->size[node] = j->rows;
        g->after[node] = j->partner >= 0 ? m->body[j->partner].node : -1;
        g->last[node] = j->closes_loop;
        int first = bri_own_joints(m);
        int ends[4] = {m->body[j->a].node, m->body[j->b].node};
        int *place[4] = {&s->edge_a[k], &s->edge_b[k]};
        for (int i = 0; j->coupling && i < 2; i++) {
            ends[2 + i] = j->coupling->more[i] < 0 ? -1 : m->body[j->coupling->more[i]].node;
            place[2 + i] = &s->edge_more[i][k - first];
        }
        for (int e = 0; e < (j->coupling ? 4 : 2); e++) {
            *place[e] = ends[e] < 0 ? -1 : edges;
            if (ends[e] < 0) continue;
            g->edge[edges][0] = ends[e];
            g->edge[edges++][1] = node;
        }
    }
    BriGraph graph = {nodes, g->size, g->after, g->last, edges, (const int(*)[2])g->edge};
    return bri_ldl_create(&graph, &m->allocator, &s->ldl, error);
}

static bool work_arrays(const BrModel *m, BriSystem *s, BriArrayWork work) {
    size_t joints = (size_t)m->joints, rows = (size_t)m->rows, size = 6 * (size_t)m->moving + rows;
    size_t coupled = (size_t)m->coupled;
    const BriArray arrays[] = {BRI_ARRAY(s->edge_a, joints),
                               BRI_ARRAY(s->edge_b, joints),
                               BRI_ARRAY(s->edge_more[0], coupled),
                               BRI_ARRAY(s->edge_more[1], coupled),
                               BRI_ARRAY(s->J.more[0], 6 * coupled),
                               BRI_ARRAY(s->J.more[1], 6 * coupled),
                               BRI_ARRAY(s->C.more[0], 6 * coupled),
                               BRI_ARRAY(s->C.more[1], 6 * coupled),
                               BRI_ARRAY(s->factor_pose, (size_t)m->bodies),
                               BRI_ARRAY(s->factor_off, joints),
                               BRI_ARRAY(s->dependent, joints),
                               BRI_ARRAY(s->x, size),
                               BRI_ARRAY(s->switches.response, m->grips || m->motors ? BRI_SWITCHES * size : 0),
                               BRI_ARRAY(s->soft, (size_t)m->lastings),
                               BRI_ARRAY(s->yield, m->servos ? rows : 0),
                               BRI_ARRAY(s->give, m->servos ? rows : 0),
                               BRI_ARRAY(s->J.a, 6 * rows),
                               BRI_ARRAY(s->J.b, 6 * rows),
                               BRI_ARRAY(s->C.a, 6 * rows),
                               BRI_ARRAY(s->C.b, 6 * rows)};
    return bri_work_arrays(&m->allocator, arrays, BRI_COUNT(arrays), work);
}

static bool work_graph(const BrModel *m, GraphArrays *g, BriArrayWork work) {
    size_t joints = (size_t)m->joints, nodes = (size_t)m->moving + joints;
    const BriArray arrays[] = {BRI_ARRAY(g->size, nodes), BRI_ARRAY(g->after, nodes), BRI_ARRAY(g->last, nodes),
                               BRI_ARRAY(g->edge, 2 * joints + 2 * (size_t)m->coupled)};
    return bri_work_arrays(&m->allocator, arrays, BRI_COUNT(arrays), work);
}

BrStatus bri_system_create(const BrModel *m, BriSystem *s, BrError *error) {
    GraphArrays g = {0};
    *s = (BriSystem){0};
    bool fine = work_arrays(m, s, BRI_MAKE);
    fine = work_graph(m, &g, BRI_MAKE) && fine;
    BrStatus status =
        fine ? lay_graph(m, s, &g, error) : bri_fail(error, BR_OUT_OF_MEMORY, "no memory for a workspace");
    work_graph(m, &g, BRI_RELEASE);
    if (status != BR_OK) bri_system_release(m, s);
    return status;
}

void bri_system_release(const BrModel *m, BriSystem *s) {
    bri_ldl_release(&s->ldl, &m->allocator);
    work_arrays(m, s, BRI_RELEASE);
    *s = (BriSystem){0};
}

/* ------------------------------------------------------------------ Jacobian and factor */

void bri_system_joint_rows(const BrModel *m, const BrState *angles, const BriBodyState *bodies, int joint, double *Ja,
                           double *Jb) {
    const BriJoint *j = &m->joint[joint];
    BriJointPose pose = bri_joint_pose(j, &bodies[j->a], &bodies[j->b], bri_state_joints(angles)[joint].angle);
    bri_joint_jacobian(j, &pose, Ja, Jb);
    for (int d = 0; d < j->drives; d++) {
        int row = j->type->info.constraints + d;
        bri_joint_coordinate_row(j, &pose, j->drive[d].coordinate, Ja + 6 * row, Jb + 6 * row);
    }
}

void bri_system_jacobian(const BrModel *m, const BrState *angles, const BriBodyState *bodies, BriJacobian *J) {
    for (int k = 0; k < bri_own_joints(m); k++) {
        int first = 6 * m->joint[k].first_row;
        bri_system_joint_rows(m, angles, bodies, k, J->a + first, J->b + first);
    }
    for (int k = bri_own_joints(m), i = 0; k < m->joints; k++, i++) {
        int row = m->joint[k].first_row;
        double *part[4] = {J->a + 6 * row, J->b + 6 * row, J->more[0] + 6 * i, J->more[1] + 6 * i};
        bri_coupling_row(m, angles, bodies, k, part);
    }
}

unsigned bri_system_off_rows(const BrModel *m, const BrState *angles, int joint) {
    const BriJoint *j = &m->joint[joint];
    const BriJointState *state = &bri_state_joints(angles)[joint];
    unsigned off = (unsigned)state->redundant;
    for (int d = 0; d < j->drives; d++)
        if (state->clamp[d] != 0) off |= 1u << (j->type->info.constraints + d);
    if (j->lasting && bri_state_lastings(angles)[j->lasting - m->lasting].held == 0) off |= 1;
    return off;
}

/* To the bit: a cached factor must be the one that would be made anew. */
static bool is_same_pose(const BriBodyState *a, const BriBodyState *b) {
    return memcmp((const char *)&a->r, (const char *)&b->r, sizeof a->r) == 0 &&
           memcmp((const char *)&a->A, (const char *)&b->A, sizeof a->A) == 0;
}

bool bri_system_is_made_at(const BrModel *m, const BriSystem *s, const BriBodyState *bodies) {
    for (int i = 0; s->factored && i < m->bodies; i++)
        if (!is_same_pose(&s->factor_pose[i], &bodies[i])) return false;
    return s->factored;
}

static bool is_factored_at(const BrModel *m, const BriSystem *s, const BrState *angles, const BriBodyState *bodies) {
    if (s->switches.slots > 0) return false; /* a workspace may remember factors, not switches */
    if (!bri_system_is_made_at(m, s, bodies)) return false;
    for (int k = 0; k < m->joints; k++)
        if ((m->joint[k].drives || m->joint[k].closes_loop || m->joint[k].lasting) &&
            s->factor_off[k] != bri_system_off_rows(m, angles, k))
            return false;
    return true;
}

/* What a body opposes to being moved: mass and inertia, or (for questions of rank) its size alone. */
typedef struct Weight {
    double mass, inverse_mass;
    BrMat3 inertia, inverse_inertia;
} Weight;

static Weight weigh(const BriBody *body, bool geometric) {
    if (!geometric) return (Weight){body->mass, body->inverse_mass, body->inertia, body->inverse_inertia};
    double square = body->size * body->size, inverse = 1 / square;
    return (Weight){1, 1, bri_diagonal(square, square, square), bri_diagonal(inverse, inverse, inverse)};
}

/* diag(m, J) and its inverse */
static void set_mass(BriSystem *s, int node, const Weight *weight) {
    double M[36] = {0}, inverse[36] = {0};
    for (int k = 0; k < 3; k++) {
        M[7 * k] = weight->mass;
        inverse[7 * k] = weight->inverse_mass;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            M[6 * (3 + i) + 3 + j] = weight->inertia.m[i][j];
            inverse[6 * (3 + i) + 3 + j] = weight->inverse_inertia.m[i][j];
        }
    bri_ldl_set_pivot(&s->ldl, node, M, inverse);
}

/* J M^-1 J^T of one row and one body. */
static double measure_row(const Weight *weight, const double *J) {
    BrVec3 l = {J[0], J[1], J[2]}, w = {J[3], J[4], J[5]};
    return weight->inverse_mass * bri_dot(l, l) + bri_dot(w, bri_mul(&weight->inverse_inertia, w));
}

/* What the pivot of a row that closes a loop is compared with: the mobility of its less mobile end, which is what
 * remains of an independent row when the other end is held by the rest. */
static void set_scales(const BrModel *m, BriSystem *s, int k, bool geometric) {
    const BriJoint *j = &m->joint[k];
    for (int r = 0; r < j->rows; r++) {
        double least = __builtin_inf();
        BriRowEnds ends = bri_row_ends(m, &s->J, k, j->first_row + r);
        for (int e = 0; e < ends.count; e++) {
            if (m->body[ends.body[e]].node < 0) continue;
            Weight weight = weigh(&m->body[ends.body[e]], geometric);
            double mobility = measure_row(&weight, ends.part[e]);
            if (mobility > 0) least = bri_min(least, mobility);
        }
        s->ldl.scale[BRI_BLOCK * (m->moving + k) + r] = least;
    }
}

static bool is_servo(const BrModel *m, const BriDrive *d) {
    return d->motor >= 0 && m->motor[d->motor].def.kind == BR_MOTOR_SERVO;
}

/* Servos among a joint's drives have pivots from the start. */
static void set_yields(const BrModel *m, BriSystem *s, int k) {
    const BriJoint *j = &m->joint[k];
    double pivot[BRI_JOINT_ROWS * BRI_JOINT_ROWS] = {0};
    bool any = false;
    for (int d = 0; d < j->drives; d++) {
        int row = bri_drive_row(j, d);
        if (!is_servo(m, &j->drive[d])) continue;
        pivot[(row - j->first_row) * (j->rows + 1)] = -s->yield[row];
        any = true;
    }
    if (any)
        bri_ldl_set_pivot(&s->ldl, m->moving + k, pivot,
                          pivot); /* which others have touched: no inverse is asked for */
}

static void set_joint(const BrModel *m, BriSystem *s, int k) {
    const BriJoint *j = &m->joint[k];
    const double *Ja = s->J.a + 6 * j->first_row, *Jb = s->J.b + 6 * j->first_row;
    bri_ldl_set_off(&s->ldl, m->moving + k, s->factor_off[k]);
    int rows = s->ldl.used[m->moving + k];
    if (s->edge_a[k] >= 0) bri_ldl_set_edge(&s->ldl, s->edge_a[k], Ja, rows, 6);
    if (s->edge_b[k] >= 0) bri_ldl_set_edge(&s->ldl, s->edge_b[k], Jb, rows, 6);
    for (int i = 0; j->coupling && i < 2; i++) {
        int number = k - bri_own_joints(m), edge = s->edge_more[i][number];
        if (edge >= 0) bri_ldl_set_edge(&s->ldl, edge, s->J.more[i] + 6 * number, rows, 6);
    }
    if (m->servos && j->drives) set_yields(m, s, k);
    if (!j->lasting || !(s->soft[j->lasting - m->lasting] > 0)) return;
    double pivot = -s->soft[j->lasting - m->lasting], inverse = 1 / pivot;
    bri_ldl_set_pivot(&s->ldl, m->moving + k, &pivot, &inverse);
}

/* The factor of what is in J and factor_off, with masses or with sizes. */
static void factor(const BrModel *m, BriSystem *s, bool geometric) {
    bri_ldl_clear(&s->ldl);
    int weights = geometric ? 2 : 1;
    for (int n = 0; n < m->moving; n++) {
        if (s->ldl.untouched[n] && s->weights == weights) continue;
        Weight weight = weigh(&m->body[m->moving_body[n]], geometric);
        set_mass(s, n, &weight);
    }
    s->weights = weights;
    for (int k = 0; k < m->joints; k++) {
        set_joint(m, s, k);
        if (m->joint[k].closes_loop) set_scales(m, s, k, geometric);
    }
    bri_ldl_factor(&s->ldl);
    s->switches.slots = s->switches.count = 0;
}

void bri_system_find_rank(const BrModel *m, BriSystem *s, BrState *state, const BriBodyState *bodies) {
    bool loops = false;
    for (int k = 0; k < m->joints; k++) loops = loops || m->joint[k].closes_loop;
    state->rank_known = 1;
    if (!loops) return;
    bri_system_jacobian(m, state, bodies, &s->J);
    for (int k = 0; k < m->joints; k++) {
        bri_state_joints(state)[k].redundant = 0;
        s->factor_off[k] = 0;
        for (int d = 0; d < m->joint[k].drives; d++) /* motors and grips come and go: they make nothing redundant */
            if (m->joint[k].drive[d].motion < 0)
                s->factor_off[k] |= (unsigned char)(1u << (m->joint[k].type->info.constraints + d));
        if (m->joint[k].lasting) s->factor_off[k] = 1; /* so do contacts */
    }
    s->ldl.dependent = 1e-6; /* a row within 1e-3 rad of the others' span; noise reaches 5e-8 in rings of 1000 links */
    factor(m, s, true);
    for (int k = 0; k < m->joints; k++) bri_state_joints(state)[k].redundant = s->ldl.dropped[m->moving + k];
    s->factored = false;
}

void bri_system_factor(const BrModel *m, BriSystem *s, const BrState *angles, const BriBodyState *bodies) {
    if (is_factored_at(m, s, angles, bodies)) return;
    bri_system_jacobian(m, angles, bodies, &s->J);
    if (bodies != s->factor_pose) memcpy(s->factor_pose, bodies, (size_t)m->bodies * sizeof *bodies);
    for (int k = 0; k < m->joints; k++) s->factor_off[k] = (unsigned char)bri_system_off_rows(m, angles, k);
    s->ldl.dependent = 1e-10; /* only what a singular pose takes away for a moment */
    factor(m, s, false);
    s->dependent_rows = 0;
    for (int k = 0; k < m->joints; k++) {
        s->dependent[k] = s->ldl.dropped[m->moving + k] | (unsigned char)bri_state_joints(angles)[k].redundant;
        for (unsigned bits = s->dependent[k]; bits; bits &= bits - 1) s->dependent_rows++;
    }
    s->factored = true;
    s->factorizations++;
}

void bri_system_solve_loads(const BrModel *m, const BriSystem *s, double *x) {
    double wanted[BRI_SWITCHES];
    bri_switched_ask(m, s, x, wanted);
    bri_ldl_solve(&s->ldl, x);
    if (s->switches.count > 0) bri_switched_answer(m, s, wanted, x);
}

/* K (0, e) = (J^T e, 0): what pushes along a row that the factor holds is that row's own impulse.                  (5.4a) */
void bri_system_solve_pushed(const BrModel *m, const BriSystem *s, const BriJacobian *D, const double *push, bool ask,
                             double *x) {
    double wanted[BRI_SWITCHES], *rows = x + 6 * m->moving;
    bri_switched_ask(m, s, x, wanted);
    for (int k = 0; k < m->joints; k++)
        for (int d = 0; d < m->joint[k].drives; d++) {
            int row = bri_drive_row(&m->joint[k], d);
            if (push[row] == 0 || bri_system_has_row(m, s, k, row)) continue;
            bri_system_add_row(m, D, k, row, push[row], x);
            ask = true;
        }
    if (ask)
        bri_ldl_solve(&s->ldl, x);
    else
        memset(rows, 0, (size_t)m->rows * sizeof *rows);
    for (int k = 0; k < m->joints; k++)
        for (int d = 0; d < m->joint[k].drives; d++) {
            int row = bri_drive_row(&m->joint[k], d);
            if (push[row] != 0 && bri_system_has_row(m, s, k, row)) rows[row] += push[row];
        }
    if (s->switches.count > 0) bri_switched_answer(m, s, wanted, x);
}

void bri_system_solve(const BrModel *m, BriSystem *s, double *p) {
    int bodies = 6 * m->moving; /* nodes of bodies come first, then those of joints in order: rows as they are */
    memset(s->x, 0, (size_t)bodies * sizeof(double));
    memcpy(s->x + bodies, p, (size_t)m->rows * sizeof(double));
    bri_system_solve_loads(m, s, s->x);
    for (int r = 0; r < m->rows; r++) p[r] = -s->x[bodies + r];
}

/* ------------------------------------------------------------------ rows */

static const BriFunction *drive_function(const BrModel *m, const BriDrive *d) {
    return d->motor >= 0 ? &m->motor[d->motor].speed : &m->motion[d->motion].drive;
}

void bri_system_errors(const BrModel *m, const BrState *angles, const BriBodyState *bodies, double time,
                       double *error) {
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        if (j->def.type == BR_JOINT_SPHERICAL) { /* the most frequent joint of large machines, and the cheapest */
            BrVec3 offset = bri_joint_offset(j, &bodies[j->a], &bodies[j->b]);
            error[j->first_row] = offset.x;
            error[j->first_row + 1] = offset.y;
            error[j->first_row + 2] = offset.z;
            for (int d = 0; d < j->drives; d++) error[bri_drive_row(j, d)] = 0;
            continue;
        }
        if (j->coupling) {
            error[j->first_row] = bri_coupling_error(m, j->coupling, angles, bodies, time - angles->time);
            continue;
        }
        BriJointPose pose = bri_joint_pose(j, &bodies[j->a], &bodies[j->b], bri_state_joints(angles)[k].angle);
        bri_joint_errors(j, &pose, error + j->first_row);
        for (int d = 0; d < j->drives; d++) {
            double position = 0, rate, wanted = 0;
            if (!j->drive[d].by_velocity) {
                bri_joint_coordinate(j, &pose, j->drive[d].coordinate, &position, &rate);
                wanted = bri_function_evaluate(drive_function(m, &j->drive[d]), time, 0).f;
            }
            error[bri_drive_row(j, d)] = position - wanted;
        }
    }
}

/* Value, first or second derivative of a drive's wanted rate. */
static double wanted_rate(const BrModel *m, const BrState *state, const BriDrive *d, double time, int order) {
    if (d->grip >= 0 || is_servo(m, d)) return 0; /* servos are asked for something else in every solve */
    if (d->motor >= 0) {
        const BriMotorInput *input = &bri_state_motor_inputs(state)[d->motor];
        if (input->taken_over != 0) return order == 0 ? input->target : 0;
    }
    BriInstant at = {m, state, bri_state_bodies(state), time};
    BriAround around = bri_around(&at);
    BriJet jet = bri_function_evaluate_in(drive_function(m, d), time, 0, &around);
    int derivative = order + !d->by_velocity;
    return derivative == 0 ? jet.f : derivative == 1 ? jet.d : jet.dd;
}

static void fill_targets(const BrModel *m, const BrState *state, double time, int order, double *target) {
    memset(target, 0, (size_t)m->rows * sizeof(double));
    for (int k = 0; k < m->joints; k++)
        for (int d = 0; d < m->joint[k].drives; d++)
            target[bri_drive_row(&m->joint[k], d)] = wanted_rate(m, state, &m->joint[k].drive[d], time, order);
}

void bri_system_targets(const BrModel *m, const BrState *state, double time, double *target) {
    fill_targets(m, state, time, 0, target);
}

void bri_system_target_rates(const BrModel *m, const BrState *state, double time, double *target) {
    fill_targets(m, state, time, 1, target);
}

static double row_rate(const double *J, const BriBodyState *b) {
    return J[0] * b->v.x + J[1] * b->v.y + J[2] * b->v.z + J[3] * b->w.x + J[4] * b->w.y + J[5] * b->w.z;
}

void bri_system_joint_rates(const BrModel *m, const BriJacobian *J, const BriBodyState *bodies, int joint,
                            double *rate) {
    const BriJoint *j = &m->joint[joint];
    const BriBodyState a = bodies[j->a], b = bodies[j->b]; /* copies: rates may be anywhere */
    const double *Ja = J->a, *Jb = J->b;
    for (int r = j->first_row, end = r + j->rows; r < end; r++)
        rate[r] = row_rate(Ja + 6 * r, &a) + row_rate(Jb + 6 * r, &b);
    if (!j->coupling) return;
    BriRowEnds ends = bri_row_ends(m, J, joint, j->first_row);
    for (int e = 2; e < ends.count; e++) rate[j->first_row] += row_rate(ends.part[e], &bodies[ends.body[e]]);
}

double bri_system_row_rate(const BrModel *m, const BriJacobian *J, const BriBodyState *bodies, int joint, int row) {
    const BriJoint *j = &m->joint[joint];
    return row_rate(J->a + 6 * row, &bodies[j->a]) + row_rate(J->b + 6 * row, &bodies[j->b]);
}

void bri_system_rates(const BrModel *m, const BriJacobian *J, const BriBodyState *bodies, double *rate) {
    for (int k = 0; k < m->joints; k++) bri_system_joint_rates(m, J, bodies, k, rate);
}

static void push_body(const BriBody *body, const double *J, const double *p, int rows, BriBodyState *b) {
    double f[6] = {0};
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < 6; k++) f[k] += J[6 * r + k] * p[r];
    b->v = bri_add_scaled(b->v, body->inverse_mass, bri_vec(f[0], f[1], f[2]));
    b->w = bri_add(b->w, bri_mul(&body->inverse_inertia, bri_vec(f[3], f[4], f[5])));
}

void bri_system_push(const BrModel *m, const BriJacobian *J, int joint, const double *p, BriBodyState *bodies) {
    const BriJoint *j = &m->joint[joint];
    int first = j->first_row;
    if (m->body[j->a].node >= 0) push_body(&m->body[j->a], J->a + 6 * first, p + first, j->rows, &bodies[j->a]);
    if (m->body[j->b].node >= 0) push_body(&m->body[j->b], J->b + 6 * first, p + first, j->rows, &bodies[j->b]);
    if (!j->coupling) return;
    BriRowEnds ends = bri_row_ends(m, J, joint, first);
    for (int e = 2; e < ends.count; e++) {
        const BriBody *body = &m->body[ends.body[e]];
        if (body->node >= 0) push_body(body, ends.part[e], p + first, 1, &bodies[ends.body[e]]);
    }
}

void bri_system_push_drives(const BrModel *m, const BriJacobian *J, int joint, const double *p, BriBodyState *bodies) {
    const BriJoint *j = &m->joint[joint];
    int first = bri_drive_row(j, 0);
    if (m->body[j->a].node >= 0) push_body(&m->body[j->a], J->a + 6 * first, p + first, j->drives, &bodies[j->a]);
    if (m->body[j->b].node >= 0) push_body(&m->body[j->b], J->b + 6 * first, p + first, j->drives, &bodies[j->b]);
}

void bri_system_add_row(const BrModel *m, const BriJacobian *D, int joint, int row, double factor, double *x) {
    BriRowEnds ends = bri_row_ends(m, D, joint, row);
    for (int e = 0; e < ends.count; e++)
        for (int c = 0, node = m->body[ends.body[e]].node; node >= 0 && c < 6; c++)
            x[6 * node + c] += factor * ends.part[e][c];
}

void bri_system_add(const BrModel *m, const double *x, BriBodyState *bodies) {
    for (int n = 0; n < m->moving; n++, x += 6) {
        BriBodyState *b = &bodies[m->moving_body[n]];
        b->v = bri_add(b->v, bri_vec(x[0], x[1], x[2]));
        b->w = bri_add(b->w, bri_vec(x[3], x[4], x[5]));
    }
}
