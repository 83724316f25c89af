/* lasting.c: see lasting.h. */
#include "dynamics/lasting.h"

static BriFrame place_shape(const BriModelShape *s, const BriBodyState *b) {
    BriFrame frame;
    bri_place_shape(s, b->r, &b->A, &frame);
    return frame;
}

BriPlace bri_lasting_place(const BriJoint *j, const BriBodyState *a, const BriBodyState *b) {
    const BriLasting *l = j->lasting;
    const BriBodyState *on[2] = {a, b};
    BriFrame wall = place_shape(l->shape[l->wall], on[l->wall]),
             round = place_shape(l->shape[1 - l->wall], on[1 - l->wall]);
    BriPlace p = {.body = bri_convex_make(&l->shape[1 - l->wall]->shape, &round)};
    if (!bri_wall_meet(&l->shape[l->wall]->shape, &wall, &p.body, &p.meeting)) {
        p.normal = bri_vec(0, 0, 1), p.point_a = a->r, p.point_b = b->r, p.gap = __builtin_inf();
        return p;
    }
    bool first = l->wall == 0;
    p.point_a = first ? p.meeting.wall_point : p.meeting.body_point;
    p.point_b = first ? p.meeting.body_point : p.meeting.wall_point;
    p.normal = first ? p.meeting.normal : bri_neg(p.meeting.normal);
    p.gap = p.meeting.gap;
    return p;
}

static BriCarrier carry(const BriBodyState *b) { return (BriCarrier){b->r, b->v, bri_mul(&b->A, b->w)}; }

/* d/dt of n.(v_b(x_b) - v_a(x_a)), the places x travelling over their surfaces and n turning with them (11.3). */
double bri_lasting_bias(const BriJoint *j, const BriJointPose *pose) {
    BriPlace p = bri_lasting_place(j, pose->a, pose->b);
    BriCarrier a = carry(pose->a), b = carry(pose->b);
    bool first = j->lasting->wall == 0;
    BriMeetingRates rates = bri_meeting_rates(&p.meeting, &p.body, first ? &a : &b, first ? &b : &a);
    BrVec3 xa = first ? rates.wall_point : rates.body_point, xb = first ? rates.body_point : rates.wall_point;
    BrVec3 turn = first ? rates.normal : bri_neg(rates.normal);
    BrVec3 va = bri_add(a.v, bri_cross(a.w, bri_sub(p.point_a, a.r)));
    BrVec3 vb = bri_add(b.v, bri_cross(b.w, bri_sub(p.point_b, b.r)));
    BrVec3 bend = bri_sub(bri_cross(b.w, bri_sub(xb, b.v)), bri_cross(a.w, bri_sub(xa, a.v)));
    return bri_dot(turn, bri_sub(vb, va)) + bri_dot(p.normal, bend);
}

double bri_lasting_violation(const BriJoint *j, const BriLastingState *s, const BriBodyState *a,
                             const BriBodyState *b) {
    const BriBodyState *on[2] = {a, b};
    const BrVec3 local[2] = {s->point_a, s->point_b};
    BrVec3 at[2], n[2];
    double sum = 0;
    for (int e = 0; e < 2; e++) {
        const BriModelShape *shape = j->lasting->shape[e];
        BriFrame frame = place_shape(shape, on[e]);
        BriWallPlace foot = {.normal = e ? bri_neg(s->normal) : s->normal};
        at[e] = bri_add(on[e]->r, bri_mul(&on[e]->A, local[e]));
        if (shape->shape.kind == BR_SHAPE_POINT)
            foot.normal = bri_mul_t(&frame.axes, foot.normal);
        else if (!bri_wall_project(&shape->shape, bri_mul_t(&frame.axes, bri_sub(at[e], frame.position)), &foot))
            return __builtin_nan("");
        n[e] = bri_mul(&frame.axes, foot.normal);
        sum += foot.distance * foot.distance;
    }
    BrVec3 apart = bri_sub(at[1], at[0]), askew = bri_add(n[0], n[1]);
    askew = bri_add_scaled(askew, -bri_dot(askew, s->normal), s->normal);
    return bri_sqrt(sum + bri_dot(apart, apart) + bri_dot(askew, askew));
}

/* ------------------------------------------------------------------ Hertz */

double bri_lasting_depth(const BriJoint *j, double force, double *slope) {
    double K = j->def.stiffness, slight = j->lasting->slight, least = K * slight * bri_sqrt(slight);
    if (!(force > least)) {
        *slope = slight / least;
        return force * *slope;
    }
    double depth = bri_pow(force / K, 2. / 3);
    *slope = 2. / 3 * depth / force;
    return depth;
}

double bri_lasting_push(const BriJoint *j, double gap) {
    double depth = -gap, slight = j->lasting->slight;
    if (!(depth > 0)) return 0;
    return j->def.stiffness * depth * bri_sqrt(bri_max(depth, slight));
}

double bri_lasting_energy(const BriJoint *j, double force) {
    double slope, depth = j->def.stiffness > 0 ? bri_lasting_depth(j, force, &slope) : 0;
    return 0.4 * force * depth;
}

/* ------------------------------------------------------------------ from step to step */

static void note_place(const BriPlace *p, const BriBodyState *a, const BriBodyState *b, BriLastingState *s) {
    s->point_a = bri_mul_t(&a->A, bri_sub(p->point_a, a->r));
    s->point_b = bri_mul_t(&b->A, bri_sub(p->point_b, b->r));
    s->normal = p->normal;
}

void bri_lasting_begin(const BrModel *m, BrState *state, const BriBodyState *bodies) {
    for (int k = 0; k < m->lastings; k++) {
        const BriJoint *j = &m->joint[m->lasting[k].joint];
        BriLastingState *s = &bri_state_lastings(state)[k];
        if (s->known != 0) continue;
        BriPlace p = bri_lasting_place(j, &bodies[j->a], &bodies[j->b]);
        *s = (BriLastingState){.known = 1, .held = p.gap <= j->lasting->slight, .heat = s->heat};
        note_place(&p, &bodies[j->a], &bodies[j->b], s);
    }
}

void bri_lasting_forget(const BrModel *m, BrState *state) {
    for (int k = 0; k < m->lastings; k++) {
        BriLastingState *s = &bri_state_lastings(state)[k];
        if (s->known != 0) *s = (BriLastingState){.heat = s->heat};
    }
}

static void add_load(const BrModel *m, int body, const BriBodyState *b, BrVec3 point, BrVec3 force, BrVec3 moment,
                     double *f) {
    int node = m->body[body].node;
    if (node < 0) return;
    BrVec3 torque = bri_mul_t(&b->A, bri_add(moment, bri_cross(bri_sub(point, b->r), force)));
    f += 6 * node;
    f[0] += force.x, f[1] += force.y, f[2] += force.z;
    f[3] += torque.x, f[4] += torque.y, f[5] += torque.z;
}

void bri_lasting_forces(const BrModel *m, const BrState *state, const BriBodyState *bodies, double *f) {
    for (int k = 0; k < m->lastings; k++) {
        const BriJoint *j = &m->joint[m->lasting[k].joint];
        const BriLastingState *s = &bri_state_lastings(state)[k];
        if (!j->def.friction.law.info) continue;
        const BriBodyState *a = &bodies[j->a], *b = &bodies[j->b];
        BrVec3 at_a = bri_add(a->r, bri_mul(&a->A, s->point_a)), at_b = bri_add(b->r, bri_mul(&b->A, s->point_b));
        BrVec3 at = bri_scale(0.5, bri_add(at_a, at_b)); /* one place, so that no couple is made */
        add_load(m, j->a, a, at, bri_neg(s->friction), bri_neg(s->moment), f);
        add_load(m, j->b, b, at, s->friction, s->moment, f);
    }
}

/* The way along a surface whose chord is given, at its end: as long as the arc of its curvature there, 1/m. */
static BrVec3 find_arc(BrVec3 chord, BrVec3 n, double curvature) {
    double length = bri_norm(chord), half = 0.5 * bri_abs(curvature) * length;
    BrVec3 along = bri_add_scaled(chord, -bri_dot(chord, n), n);
    double size = bri_norm(along), arc = half > 1e-4 && half < 1 ? bri_asin(half) / half * length : length;
    return size > 0 ? bri_scale(arc / size, along) : along;
}

/* Of a contact's wall, or of its body, along t; 1/m. */
static double find_curvature(const BriPlace *p, bool wall, BrVec3 t) {
    double square = bri_dot(t, t);
    if (!(square > 0)) return 0;
    if (wall) return bri_dot(t, bri_mul(&p->meeting.bend, t)) / square;
    double radius = p->body.ball;
    if (p->body.semi.x + p->body.semi.y + p->body.semi.z > 0)
        radius += bri_convex_curvature(&p->body, p->normal, t, t) / square;
    return radius > 0 ? 1 / radius : 0;
}

/* How the surfaces went over each other. */
static BriTrackedStep find_ways(const BriJoint *j, const BriLastingState *s, const BriPlace *p, const BriBodyState *a,
                                const BriBodyState *b, double h) {
    BrVec3 n = p->normal, way[2] = {bri_sub(bri_sub(p->point_a, a->r), bri_mul(&a->A, s->point_a)),
                                    bri_sub(bri_sub(p->point_b, b->r), bri_mul(&b->A, s->point_b))};
    for (int e = 0; e < 2; e++) {
        BrVec3 along = bri_add_scaled(way[e], -bri_dot(way[e], n), n);
        way[e] = find_arc(way[e], n, find_curvature(p, e == j->lasting->wall, along));
    }
    BrVec3 turn = bri_sub(bri_mul(&b->A, b->w), bri_mul(&a->A, a->w));
    return (BriTrackedStep){.before = s->normal,
                            .normal = n,
                            .slip = bri_sub(way[0], way[1]),
                            .rolled = way[1 - j->lasting->wall],
                            .spin = h * bri_dot(turn, n),
                            .h = h,
                            .radius = j->lasting->radius};
}

/* What a body does against a force and a moment on it at a place, W. */
static double find_power(const BriBodyState *b, BrVec3 place, BrVec3 force, BrVec3 moment) {
    BrVec3 w = bri_mul(&b->A, b->w), v = bri_add(b->v, bri_cross(w, bri_sub(place, b->r)));
    return -bri_dot(force, v) - bri_dot(moment, w);
}

/* What friction took out over h: its work, less what it holds. */
static double follow_friction(const BriJoint *j, BriLastingState *s, const BriPlace *p, const BriBodyState *a,
                              const BriBodyState *b, double h) {
    BriTrackedStep step = find_ways(j, s, p, a, b, h);
    BrVec3 turn = bri_scale(h, bri_sub(bri_mul(&b->A, b->w), bri_mul(&a->A, a->w)));
    step.force = bri_max(0, s->normal_force);
    double work = -bri_dot(s->friction, step.slip) - bri_dot(s->moment, turn);
    BriTrackedForce next = bri_tracked_move(&j->def.friction.law, &step, &s->track);
    double heat = work - (next.stored - s->stored);
    s->friction = next.force, s->moment = next.moment, s->stored = next.stored;
    return heat;
}

BriLastingWork bri_lasting_follow(const BrModel *m, BrState *state, const BriBodyState *bodies, double h,
                                  const double *normal_force) {
    BriLastingWork done = {0};
    for (int k = 0; k < m->lastings; k++) {
        const BriJoint *j = &m->joint[m->lasting[k].joint];
        const BriBodyState *a = &bodies[j->a], *b = &bodies[j->b];
        BriLastingState *s = &bri_state_lastings(state)[k];
        BriPlace p = bri_lasting_place(j, a, b);
        double made = 0;
        s->normal_force = s->held != 0 ? normal_force[k] : 0;
        if (m->body[j->a].motion >= 0)
            done.put_in += h * find_power(a, p.point_a, bri_neg(s->friction), bri_neg(s->moment));
        if (m->body[j->b].motion >= 0) done.put_in += h * find_power(b, p.point_b, s->friction, s->moment);
        if (s->held != 0 && j->def.friction.law.info)
            made = follow_friction(j, s, &p, a, b, h);
        else { /* what was bent lets go */
            made = s->stored;
            s->track = (BriTrack){0}, s->friction = s->moment = bri_vec(0, 0, 0), s->stored = 0;
        }
        note_place(&p, a, b, s);
        s->heat += made;
        done.heat += made;
    }
    return done;
}

/* ------------------------------------------------------------------ mobility */

/* J M^-1 J^T of a push along d at an arm, or of a turn about d. */
static double push(const BriBody *body, const BrMat3 *A, BrVec3 arm, BrVec3 d, bool turns) {
    if (body->node < 0) return 0;
    BrVec3 t = bri_mul_t(A, turns ? d : bri_cross(arm, d));
    return (turns ? 0 : body->inverse_mass) + bri_dot(t, bri_mul(&body->inverse_inertia, t));
}

BriLastingMobility bri_lasting_mobility(const BrModel *m, const BriLasting *l) {
    const BriJoint *j = &m->joint[l->joint];
    const int body[2] = {j->a, j->b};
    const BrVec3 local[2] = {j->point_a, j->point_b};
    BriLastingMobility most = {0};
    BrMat3 E = bri_mat_mul(&m->body_def[j->a].rotation, &j->frame_a);
    for (int k = 0; k < 3; k++) {
        double slide = 0, turn = 0;
        for (int e = 0; e < 2; e++) {
            const BrMat3 *A = &m->body_def[body[e]].rotation;
            BrVec3 arm = bri_mul(A, local[e]), d = bri_column(&E, k);
            slide += push(&m->body[body[e]], A, arm, d, false);
            turn += push(&m->body[body[e]], A, arm, d, true);
        }
        if (k < 2) most.slide = bri_max(most.slide, slide), most.roll = bri_max(most.roll, turn);
        if (k == 2) most.spin = turn;
    }
    return most;
}
