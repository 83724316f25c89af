/* force.c: see force.h. A spring with deflection x (beyond its play, if it has one) and rate v pulls with
 *     T = k(x) x + c(x, v) v + F(x, v)                                                                        (4.1)
 * (a table for k gives k(x) x itself). Stored: the integral of T(x, 0) from 0 to x. Lost: (T(x, v) - T(x, 0)) v. If k, c or F
 * read anything else nothing is stored: -T v is work that is put in. */
#include "dynamics/force.h"

#include "dynamics/bushing.h"
#include "dynamics/joint.h"
#include "dynamics/servo.h"

/* Adds a force at a world arm from the centre of mass. */
static void add_load(const BrModel *m, int body, const BriBodyState *b, BrVec3 force, BrVec3 torque_world, double *f) {
    int node = m->body[body].node;
    if (node < 0) return;
    BrVec3 torque = bri_mul_t(&b->A, torque_world);
    f += 6 * node;
    f[0] += force.x, f[1] += force.y, f[2] += force.z;
    f[3] += torque.x, f[4] += torque.y, f[5] += torque.z;
}

/* ------------------------------------------------------------------ springs */

typedef struct Line {
    BrVec3 arm_a, arm_b, direction; /* direction from a to b, unit */
    double length, rate;
} Line;

static Line find_line(const BriSpring *s, const BriBodyState *bodies) {
    const BriBodyState *a = &bodies[s->a], *b = &bodies[s->b];
    Line l = {.arm_a = bri_mul(&a->A, s->def.point_a_body), .arm_b = bri_mul(&b->A, s->def.point_b_body)};
    BrVec3 offset = bri_sub(bri_add(b->r, l.arm_b), bri_add(a->r, l.arm_a));
    BrVec3 va = bri_add(a->v, bri_cross(bri_mul(&a->A, a->w), l.arm_a));
    BrVec3 vb = bri_add(b->v, bri_cross(bri_mul(&b->A, b->w), l.arm_b));
    l.length = bri_norm(offset);
    l.direction = l.length > 0 ? bri_scale(1 / l.length, offset)
                               : bri_scale(1 / bri_norm(s->def.direction_at_zero), s->def.direction_at_zero);
    l.rate = bri_dot(l.direction, bri_sub(vb, va));
    return l;
}

double bri_spring_tension(const BriSpring *s, const BriInstant *at, double x, double v) {
    BriAround around = bri_around(at);
    double k = bri_function_evaluate_in(&s->stiffness, x, v, &around).f;
    return (s->stiffness.kind == BRI_TABLE ? k : k * x) + bri_function_evaluate_in(&s->damping, x, v, &around).f * v +
           bri_function_evaluate_in(&s->force, x, v, &around).f;
}

double bri_spring_deflection(const BriSpring *s, double length) {
    double x = length - s->def.free_length;
    if (!(s->def.play_lower < s->def.play_upper)) return x;
    return x > s->def.play_upper ? x - s->def.play_upper : x < s->def.play_lower ? x - s->def.play_lower : 0;
}

/* A stop pushes back, but holds nothing. */
static double hold_off(double x, double tension) { return x * tension > 0 ? tension : 0; }

static BriSpringReading read_spring(const BriSpring *s, const BriInstant *at, double length, double rate) {
    double x = bri_spring_deflection(s, length);
    BriSpringReading is = {length, rate, bri_spring_tension(s, at, x, rate), bri_spring_tension(s, at, x, 0)};
    if (!(s->def.play_lower < s->def.play_upper)) return is;
    is.tension = hold_off(x, is.tension), is.elastic = hold_off(x, is.elastic);
    return is;
}

static BriJointPose pose_of_joint(const BrModel *m, const BrState *angles, const BriBodyState *bodies, int joint) {
    const BriJoint *j = &m->joint[joint];
    return bri_joint_pose(j, &bodies[j->a], &bodies[j->b], bri_state_joints(angles)[joint].angle);
}

BriSpringReading bri_spring_read(const BriInstant *at, int spring) {
    const BriSpring *s = &at->model->spring[spring];
    double length, rate;
    if (s->joint < 0) {
        Line l = find_line(s, at->bodies);
        return read_spring(s, at, l.length, l.rate);
    }
    BriJointPose pose = pose_of_joint(at->model, at->start, at->bodies, s->joint);
    bri_joint_coordinate(&at->model->joint[s->joint], &pose, s->def.coordinate, &length, &rate);
    return read_spring(s, at, length, rate);
}

static void add_row(const BrModel *m, int body, double factor, const double row[6], double *f) {
    int node = m->body[body].node;
    for (int k = 0; node >= 0 && k < 6; k++) f[6 * node + k] += factor * row[k];
}

static void add_spring(const BriInstant *at, int spring, double *f) {
    const BrModel *m = at->model;
    const BriBodyState *bodies = at->bodies;
    const BriSpring *s = &m->spring[spring];
    if (s->joint < 0) {
        Line l = find_line(s, bodies);
        BrVec3 pull = bri_scale(read_spring(s, at, l.length, l.rate).tension, l.direction);
        add_load(m, s->a, &bodies[s->a], pull, bri_cross(l.arm_a, pull), f);
        add_load(m, s->b, &bodies[s->b], bri_neg(pull), bri_cross(l.arm_b, bri_neg(pull)), f);
        return;
    }
    double Ja[6], Jb[6], tension = bri_spring_read(at, spring).tension;
    const BriJoint *j = &m->joint[s->joint];
    BriJointPose pose = pose_of_joint(m, at->start, bodies, s->joint);
    bri_joint_coordinate_row(j, &pose, s->def.coordinate, Ja, Jb);
    add_row(m, j->a, -tension, Ja, f);
    add_row(m, j->b, -tension, Jb, f);
}

/* ------------------------------------------------------------------ viscous friction in bearings */

/* N m s/rad, or N s/m, of a row of a grip: what turns in a bush that slides too is given at its surface. */
static double find_viscosity(const BriJoint *j, const BriGrip *g, int r) {
    bool surface = j->def.type == BR_JOINT_CYLINDRICAL;
    return j->def.friction.viscous * (surface ? g->length[r] * g->length[r] : 1);
}

static void add_viscous(const BrModel *m, const BriBodyState *bodies, const BriGrip *g, double *f) {
    const BriJoint *j = &m->joint[g->joint];
    BriJointPose pose = bri_joint_pose(j, &bodies[j->a], &bodies[j->b], 0);
    for (int r = 0; r < g->rows; r++) {
        double Ja[6], Jb[6], position, rate;
        bri_joint_coordinate(j, &pose, g->coordinate[r], &position, &rate);
        bri_joint_coordinate_row(j, &pose, g->coordinate[r], Ja, Jb);
        add_row(m, j->a, -find_viscosity(j, g, r) * rate, Ja, f);
        add_row(m, j->b, -find_viscosity(j, g, r) * rate, Jb, f);
    }
}

double bri_viscous_power(const BrModel *m, const BriBodyState *bodies, int grip, double *work) {
    const BriGrip *g = &m->grip[grip];
    const BriJoint *j = &m->joint[g->joint];
    double power = 0;
    if (!(j->def.friction.viscous > 0)) return 0;
    BriJointPose pose = bri_joint_pose(j, &bodies[j->a], &bodies[j->b], 0);
    for (int r = 0; r < g->rows; r++) {
        double J[2][6], position, rate;
        const int ends[2] = {j->a, j->b};
        bri_joint_coordinate(j, &pose, g->coordinate[r], &position, &rate);
        bri_joint_coordinate_row(j, &pose, g->coordinate[r], J[0], J[1]);
        power += find_viscosity(j, g, r) * rate * rate;
        for (int e = 0; e < 2; e++) {
            const BriBodyState *b = &bodies[ends[e]];
            double twist[6] = {b->v.x, b->v.y, b->v.z, b->w.x, b->w.y, b->w.z};
            for (int c = 0; m->body[ends[e]].motion >= 0 && c < 6; c++)
                *work += find_viscosity(j, g, r) * rate * J[e][c] * twist[c];
        }
    }
    return power;
}

/* ------------------------------------------------------------------ applied forces */

typedef struct Load {
    BrVec3 force, torque; /* world; torque about the centre of mass */
} Load;

static Load evaluate_load(const BriForce *f, const BriInstant *at) {
    const BriBodyState *b = &at->bodies[f->body];
    BriAround around = bri_around(at);
    double v[6];
    for (int k = 0; k < 3; k++) {
        v[k] = bri_function_evaluate_in(&f->force[k], at->time, 0, &around).f;
        v[3 + k] = bri_function_evaluate_in(&f->torque[k], at->time, 0, &around).f;
    }
    Load load = {bri_vec(v[0], v[1], v[2]), bri_vec(v[3], v[4], v[5])};
    if (f->def.in_body_axes) load = (Load){bri_mul(&b->A, load.force), bri_mul(&b->A, load.torque)};
    load.torque = bri_add(load.torque, bri_cross(bri_mul(&b->A, f->def.point_body), load.force));
    return load;
}

void bri_forces(const BrModel *m, const BrState *inputs, const BriBodyState *bodies, double time, double *f) {
    BriInstant at = {m, inputs, bodies, time};
    for (int n = 0; n < m->moving; n++) bri_weigh(m, &m->body[m->moving_body[n]], f + 6 * n);
    for (int n = 0; inputs->loaded != 0 && n < m->moving; n++) {
        int i = m->moving_body[n];
        const BriBodyInput *input = &bri_state_inputs(inputs)[i];
        add_load(m, i, &bodies[i], input->force, input->torque, f);
    }
    for (int k = 0; k < m->forces; k++) {
        int i = m->force[k].body;
        Load load = evaluate_load(&m->force[k], &at);
        add_load(m, i, &bodies[i], load.force, load.torque, f);
    }
    for (int k = 0; k < m->springs; k++) add_spring(&at, k, f);
    if (m->efforts) bri_efforts_push(&at, f);
    if (m->bushings) bri_bushings_push(m, bodies, f);
    for (int k = 0; k < m->grips; k++)
        if (m->joint[m->grip[k].joint].def.friction.viscous > 0) add_viscous(m, bodies, &m->grip[k], f);
}

BrVec3 bri_gyroscopic_torque(const BriBody *body, BrVec3 w) { return bri_cross(bri_mul(&body->inertia, w), w); }

/* ------------------------------------------------------------------ energy */

double bri_body_energy(const BrModel *m, int body, const BriBodyState *b) {
    const BrBodyDef *def = &m->body_def[body];
    return 0.5 * (def->mass * bri_dot(b->v, b->v) + bri_dot(b->w, bri_mul(&def->inertia, b->w)));
}

double bri_kinetic_energy(const BrModel *m, const BriBodyState *bodies) {
    double sum = 0;
    for (int n = 0; n < m->moving; n++) sum += bri_body_energy(m, m->moving_body[n], &bodies[m->moving_body[n]]);
    return sum;
}

double bri_gravity_energy(const BrModel *m, const BriBodyState *bodies) {
    double energy = 0;
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        energy -= m->body[i].mass * bri_dot(m->gravity, bodies[i].r);
    }
    return energy;
}

double bri_spring_energy(const BrModel *m, const BrState *state) {
    BriInstant now = {m, state, bri_state_bodies(state), state->time};
    double energy = 0;
    for (int k = 0; k < m->springs; k++) {
        const BriSpring *s = &m->spring[k];
        if (s->works_only) continue;
        double x = bri_spring_deflection(s, bri_spring_read(&now, k).length);
        energy += s->stiffness.kind == BRI_TABLE ? bri_function_integral(&s->stiffness, x)
                                                 : bri_function_moment(&s->stiffness, x);
        energy += bri_function_integral(&s->force, x);
    }
    return energy + bri_bushings_energy(m, bri_state_bodies(state));
}

/* What moved bodies put into a spring that hangs on them: minus its pull on them times their velocity. */
static double moved_ends_power(const BriInstant *at, int spring) {
    const BrModel *m = at->model;
    const BriSpring *s = &m->spring[spring];
    const BriBodyState *bodies = at->bodies;
    int ends[2] = {s->joint < 0 ? s->a : m->joint[s->joint].a, s->joint < 0 ? s->b : m->joint[s->joint].b};
    if (m->body[ends[0]].motion < 0 && m->body[ends[1]].motion < 0) return 0;
    double tension = bri_spring_read(at, spring).tension, power = 0, J[2][6];
    if (s->joint < 0) {
        Line l = find_line(s, bodies);
        BrVec3 arm[2] = {l.arm_a, l.arm_b};
        for (int e = 0; e < 2; e++) {
            const BriBodyState *b = &bodies[ends[e]];
            BrVec3 v = bri_add(b->v, bri_cross(bri_mul(&b->A, b->w), arm[e]));
            if (m->body[ends[e]].motion >= 0) power += (e ? 1 : -1) * tension * bri_dot(l.direction, v);
        }
        return power;
    }
    BriJointPose pose = pose_of_joint(m, at->start, bodies, s->joint);
    bri_joint_coordinate_row(&m->joint[s->joint], &pose, s->def.coordinate, J[0], J[1]);
    for (int e = 0; e < 2; e++) {
        const BriBodyState *b = &bodies[ends[e]];
        double twist[6] = {b->v.x, b->v.y, b->v.z, b->w.x, b->w.y, b->w.z};
        for (int c = 0; m->body[ends[e]].motion >= 0 && c < 6; c++) power += tension * J[e][c] * twist[c];
    }
    return power;
}

void bri_powers(const BrModel *m, const BrState *state, double *work, double *dissipation) {
    const BriBodyState *bodies = bri_state_bodies(state);
    BriInstant now = {m, state, bodies, state->time};
    *work = *dissipation = 0;
    for (int n = 0; state->loaded != 0 && n < m->moving; n++) {
        int i = m->moving_body[n];
        const BriBodyInput *input = &bri_state_inputs(state)[i];
        *work += bri_dot(input->force, bodies[i].v) + bri_dot(input->torque, bri_mul(&bodies[i].A, bodies[i].w));
    }
    for (int k = 0; k < m->forces; k++) {
        const BriBodyState *b = &bodies[m->force[k].body];
        Load load = evaluate_load(&m->force[k], &now);
        *work += bri_dot(load.force, b->v) + bri_dot(load.torque, bri_mul(&b->A, b->w));
    }
    for (int k = 0; k < m->springs; k++) {
        BriSpringReading r = bri_spring_read(&now, k);
        if (m->spring[k].works_only)
            *work -= r.tension * r.rate;
        else
            *dissipation += (r.tension - r.elastic) * r.rate;
        *work += moved_ends_power(&now, k);
    }
    if (m->efforts) *work += bri_efforts_power(m, state);
    if (m->bushings) *dissipation += bri_bushings_loss(m, bodies, work);
    for (int k = 0; k < m->grips; k++) *dissipation += bri_viscous_power(m, bodies, k, work);
}
