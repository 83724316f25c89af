/* unfold.c: see unfold.h.
 *
 * A spanning forest, the ground's bodies being one: joints that start first, the others as they come (Kruskal). A joint that is
 * left out closes a loop over the tree's joints between its bodies, as does every coupling; those that no loop passes are bridges.
 *
 * Body b hangs on a by a joint with frame F_a, axis n, and b's joint point p. From where the coordinates are zero,
 *     angle q     turns b by q about n through p; of a screw it also moves b by pitch q n                       (3.11)
 *     slide q     moves b by q n
 *     universal   angle about z of F_a, then angle2 about x' of F_b, through p
 * and likewise rates. Where a hangs on b, a is moved by the inverse. */
#include "dynamics/unfold.h"

#include <string.h>

/* ------------------------------------------------------------------ the forest */

static int find_root(int *root, int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
}

static bool is_started(const BriJoint *j) {
    for (int c = 0; c < 3; c++)
        if (bri_is_given(j->def.start[c]) || bri_is_given(j->def.start_rate[c])) return true;
    return false;
}

typedef struct Forest {
    int *first, *next, *depth; /* chains of 2 joint + end; joints from the root */
    bool *inside;              /* of the joints */
} Forest;

static void grow_forest(const BrModel *m, BriUnfolding *u, Forest *f) {
    int ground = -1;
    for (int i = 0; i < m->bodies; i++) u->root[i] = i, f->first[i] = -1, u->hangs[i] = -1, f->depth[i] = 0;
    for (int i = 0; i < m->bodies; i++) {
        if (m->body[i].node >= 0) continue;
        if (ground < 0) ground = i;
        u->root[i] = ground;
    }
    for (int k = 0; k < m->joints; k++) f->inside[k] = false;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < m->joints; k++) {
            const BriJoint *j = &m->joint[k];
            int a = find_root(u->root, j->a), b = find_root(u->root, j->b);
            if (j->coupling || is_started(j) != (pass == 0)) continue;
            f->inside[k] = a != b;
            if (a == b) continue;
            bool keeps_a = a == ground || (b != ground && a < b);
            u->root[keeps_a ? b : a] = keeps_a ? a : b;
            const int ends[2] = {j->a, j->b};
            for (int e = 0; e < 2; e++) {
                f->next[2 * k + e] = f->first[ends[e]];
                f->first[ends[e]] = 2 * k + e;
            }
        }
    for (int i = 0; i < m->bodies; i++) u->root[i] = find_root(u->root, i);
}

/* From the roots outwards. What cannot move stands first: all of it is the ground. */
static void order_bodies(const BrModel *m, BriUnfolding *u, Forest *f) {
    int count = 0;
    for (int i = 0; i < m->bodies; i++)
        if (m->body[i].node < 0 || u->root[i] == i) u->order[count++] = i;
    for (int head = 0; head < count; head++) {
        int body = u->order[head];
        for (int link = f->first[body]; link >= 0; link = f->next[link]) {
            const BriJoint *j = &m->joint[link / 2];
            int other = link % 2 ? j->a : j->b;
            if (link / 2 == u->hangs[body] || m->body[other].node < 0) continue;
            u->hangs[other] = link / 2;
            f->depth[other] = f->depth[body] + 1;
            u->order[count++] = other;
        }
    }
}

static int find_carrier(const BrModel *m, const BriUnfolding *u, int body) {
    const BriJoint *j = &m->joint[u->hangs[body]];
    return j->a == body ? j->b : j->a;
}

/* The way from body to body over the tree's joints is part of a loop. */
static void mark_way(const BrModel *m, BriUnfolding *u, const Forest *f, int a, int b) {
    while (a != b && (u->hangs[a] >= 0 || u->hangs[b] >= 0)) {
        int *deeper = f->depth[a] > f->depth[b] ? &a : &b;
        u->bridge[u->hangs[*deeper]] = false;
        *deeper = find_carrier(m, u, *deeper);
    }
}

static void mark_loops(const BrModel *m, BriUnfolding *u, const Forest *f) {
    for (int k = 0; k < m->joints; k++) u->bridge[k] = f->inside[k];
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        if (!f->inside[k]) mark_way(m, u, f, j->a, j->b);
        for (int i = 0; j->coupling && i < 2; i++)
            if (j->coupling->more[i] >= 0) mark_way(m, u, f, j->a, j->coupling->more[i]);
    }
}

bool bri_unfold_make(const BrModel *m, BriUnfolding *u) {
    size_t bodies = (size_t)m->bodies, joints = (size_t)m->joints;
    int *memory = bri_allocate(&m->allocator, 5 * bodies + 4 * joints + 1, sizeof *memory);
    *u = (BriUnfolding){.memory = memory};
    if (!memory) return false;
    u->order = memory, u->hangs = u->order + bodies, u->root = u->hangs + bodies;
    Forest f = {.first = u->root + bodies, .depth = u->root + 2 * bodies};
    f.next = f.depth + bodies;
    f.inside = (bool *)(f.next + 2 * joints);
    u->bridge = (bool *)(f.next + 3 * joints);
    grow_forest(m, u, &f);
    order_bodies(m, u, &f);
    mark_loops(m, u, &f);
    return true;
}

void bri_unfold_release(const BrModel *m, BriUnfolding *u) { bri_release(&m->allocator, u->memory); }

/* ------------------------------------------------------------------ poses */

/* Where `child` stands to `parent`, and where it is then if that is at `now`. */
static BriFrame find_relation(const BriBodyState *parent, const BriBodyState *child) {
    return (BriFrame){bri_mul_t(&parent->A, bri_sub(child->r, parent->r)), bri_mat_mul_t(&parent->A, &child->A)};
}

static void place(const BriFrame *relation, const BriBodyState *now, BriBodyState *child) {
    BriFrame at;
    bri_place_frame(relation, now->r, &now->A, &at);
    child->r = at.position;
    child->A = bri_rotation_normalise(&at.axes);
}

/* Turns b by an angle about an axis through a point. */
static void turn_about(BrVec3 axis, double angle, BrVec3 point, BriBodyState *b) {
    BrMat3 R = bri_rotation_exp(bri_scale(angle, axis)), A = bri_mat_mul(&R, &b->A);
    b->r = bri_add(point, bri_mul(&R, bri_sub(b->r, point)));
    b->A = bri_rotation_normalise(&A);
}

static bool moves_on(const BriJoint *j) {
    for (int c = 0; c < j->type->info.coordinates; c++)
        if (bri_is_given(j->def.start[c]) && j->def.start[c] != 0) return true;
    return false;
}

/* (3.11) from coordinates that are zero */
static void move_on(const BriJoint *j, const BriBodyState *a, BriBodyState *b) {
    for (int c = 0; c < j->type->info.coordinates; c++) {
        double q = j->def.start[c];
        BriJointPose p = bri_joint_pose(j, a, b, 0);
        BrVec3 z = bri_column(&p.F_a, 2), point = bri_add(b->r, p.s_b);
        if (!bri_is_given(q) || q == 0) continue;
        switch (j->type->measure[c]) {
        case BRI_MEASURE_ANGLE:
            turn_about(z, q, point, b);
            if (j->def.type == BR_JOINT_SCREW) b->r = bri_add_scaled(b->r, j->pitch * q, z);
            break;
        case BRI_MEASURE_SLIDE: b->r = bri_add_scaled(b->r, q, bri_column(&p.F_a, j->type->measure_axis[c])); break;
        case BRI_MEASURE_UNIVERSAL: turn_about(c == 0 ? z : bri_column(&p.F_b, 0), q, point, b); break;
        default: break;
        }
    }
}

void bri_unfold_poses(const BrModel *m, const BriUnfolding *u, const bool *begun, const BriBodyState *zero,
                      BriBodyState *bodies, BriBodyState *scratch) {
    memcpy(scratch, bodies, (size_t)m->bodies * sizeof *bodies);
    for (int n = 0; n < m->bodies; n++) {
        int i = u->order[n], k = u->hangs[i];
        if (k < 0 || !begun[u->root[i]]) continue;
        const BriJoint *j = &m->joint[k];
        int carrier = find_carrier(m, u, i);
        const BriBodyState *from = u->bridge[k] ? zero : scratch;
        BriFrame relation = find_relation(&from[carrier], &from[i]);
        bool starts = u->bridge[k] && moves_on(j);
        bool carried = !bri_stands_at(&bodies[carrier], from[carrier].r, &from[carrier].A);
        if (!carried && !starts) { /* not even rounding moves it */
            bodies[i].r = from[i].r, bodies[i].A = from[i].A;
            continue;
        }
        place(&relation, &bodies[carrier], &bodies[i]);
        if (!starts) continue;
        if (i == j->b) {
            move_on(j, &bodies[carrier], &bodies[i]);
            continue;
        }
        BriBodyState moved = bodies[carrier]; /* as b would, seen from a */
        move_on(j, &bodies[i], &moved);
        relation = find_relation(&moved, &bodies[i]);
        place(&relation, &bodies[carrier], &bodies[i]);
    }
}

/* ------------------------------------------------------------------ rates */

typedef struct Twist {
    BrVec3 v, w; /* at a point, world */
} Twist;

/* Of the field that is `twist` at `from`, at another point. */
static Twist carry(Twist twist, BrVec3 from, BrVec3 to) {
    return (Twist){bri_add(twist.v, bri_cross(twist.w, bri_sub(to, from))), twist.w};
}

static Twist add_twists(Twist a, double s, Twist b) {
    return (Twist){bri_add_scaled(a.v, s, b.v), bri_add_scaled(a.w, s, b.w)};
}

static Twist read_twist(const BriBodyState *b) { return (Twist){b->v, bri_mul(&b->A, b->w)}; }

/* What the joint's start rates add to b against a, at b's joint point. */
static Twist find_start_twist(const BriJoint *j, const BriJointPose *p) {
    Twist sum = {{0, 0, 0}, {0, 0, 0}};
    for (int c = 0; c < j->type->info.coordinates; c++) {
        double rate = j->def.start_rate[c];
        BrVec3 z = bri_column(&p->F_a, 2);
        if (!bri_is_given(rate)) continue;
        switch (j->type->measure[c]) {
        case BRI_MEASURE_ANGLE:
            sum.w = bri_add_scaled(sum.w, rate, z);
            if (j->def.type == BR_JOINT_SCREW) sum.v = bri_add_scaled(sum.v, j->pitch * rate, z);
            break;
        case BRI_MEASURE_SLIDE:
            sum.v = bri_add_scaled(sum.v, rate, bri_column(&p->F_a, j->type->measure_axis[c]));
            break;
        case BRI_MEASURE_UNIVERSAL: sum.w = bri_add_scaled(sum.w, rate, c == 0 ? z : bri_column(&p->F_b, 0)); break;
        default: break;
        }
    }
    return sum;
}

void bri_unfold_rates(const BrModel *m, const BriUnfolding *u, const bool *begun, bool loops_too, BriBodyState *bodies,
                      BriBodyState *scratch) {
    memcpy(scratch, bodies, (size_t)m->bodies * sizeof *bodies);
    for (int n = 0; n < m->bodies; n++) {
        int i = u->order[n], k = u->hangs[i];
        if (k < 0 || !begun[u->root[i]]) continue;
        const BriJoint *j = &m->joint[k];
        int carrier = find_carrier(m, u, i);
        BriBodyState *b = &bodies[i];
        Twist with = carry(read_twist(&bodies[carrier]), bodies[carrier].r, b->r), own;
        if (u->bridge[k] || loops_too) {
            BriJointPose p = bri_joint_pose(j, &bodies[j->a], &bodies[j->b], 0);
            Twist start = carry(find_start_twist(j, &p), bri_add(bodies[j->b].r, p.s_b), b->r);
            own = add_twists(with, i == j->b ? 1 : -1, start);
        } else { /* what its carrier was changed by, it is */
            Twist before = carry(read_twist(&scratch[carrier]), scratch[carrier].r, b->r);
            own = add_twists(add_twists(read_twist(&scratch[i]), 1, with), -1, before);
        }
        b->v = own.v;
        b->w = bri_mul_t(&b->A, own.w);
    }
}
