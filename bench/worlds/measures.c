/* measures.c: how wrong poses are: ways, gaps, overlaps. Plain geometry on purpose: it must not resemble what any engine
 * finds its contacts with. */
#include "make.h"

#include <stdlib.h>

double world_moved(const World *world, const WorldFrame *now) {
    double most = 0;
    for (int i = 0; i < world->bodies; i++) {
        double way = world_length(world_minus(now[i].at, world->body[i].start.at));
        most = fmax(most, way);
    }
    return most;
}

bool world_stands(const World *world, const WorldFrame *now) { return world_moved(world, now) < 0.1; }

static WorldFrame find_frame(const World *world, const WorldFrame *now, int body, bool at_start) {
    if (body == WORLD_GROUND) return WORLD_ORIGIN;
    return at_start ? world->body[body].start : now[body];
}

/* Where a joint's point, marked on both bodies at the start, has come apart; of a slider only across its axis. */
static double find_gap(const World *world, const WorldFrame *now, const WorldJoint *j) {
    WorldFrame a0 = find_frame(world, now, j->a, true), b0 = find_frame(world, now, j->b, true);
    WorldFrame a = find_frame(world, now, j->a, false), b = find_frame(world, now, j->b, false);
    WorldVec gap = world_minus(world_out(&b, world_into(&b0, j->at)), world_out(&a, world_into(&a0, j->at)));
    if (j->kind != WORLD_PRISMATIC) return world_length(gap);
    WorldVec tip = world_out(&a, world_into(&a0, world_sum(j->at, j->axis)));
    WorldVec axis = world_minus(tip, world_out(&a, world_into(&a0, j->at)));
    return world_length(world_minus(gap, world_times(world_dot(gap, axis), axis)));
}

double world_joint_gap(const World *world, const WorldFrame *now) {
    double most = 0;
    for (int k = 0; k < world->joints; k++) {
        double gap = find_gap(world, now, &world->joint[k]);
        most = fmax(most, gap);
    }
    return most;
}

/* Below the centre, in the plane of the disc: the direction down without its part along the axle. */
WorldVec world_lowest_rim(const WorldFrame *disc, double radius) {
    WorldVec axle = world_column(disc, 2), down = world_vec(0, 0, -1);
    WorldVec way = world_minus(down, world_times(world_dot(down, axle), axle));
    double length = world_length(way);
    return length > 0 ? world_sum(disc->at, world_times(radius / length, way)) : disc->at;
}

/* ------------------------------------------------------------------ overlaps of two shapes; negative or 0: none */

typedef struct Placed {
    const WorldShape *shape;
    WorldFrame frame; /* world */
    double reach;     /* no point of it is farther from its centre */
} Placed;

/* How far a shape reaches from its centre against a direction of length 1. */
static double reach_towards(const Placed *p, WorldVec n) {
    const WorldShape *s = p->shape;
    WorldVec x = world_column(&p->frame, 0), y = world_column(&p->frame, 1), z = world_column(&p->frame, 2);
    double up = fabs(world_dot(z, n));
    switch (s->kind) {
    case WORLD_BOX:
        return 0.5 * (s->size.x * fabs(world_dot(x, n)) + s->size.y * fabs(world_dot(y, n)) + s->size.z * up);
    case WORLD_SPHERE: return s->radius;
    case WORLD_CAPSULE: return s->radius + 0.5 * s->length * up;
    case WORLD_DISC: return s->radius * sqrt(fmax(0, 1 - up * up));
    case WORLD_PLANE: break;
    }
    return 0;
}

static double find_depth_in_plane(const Placed *plane, const Placed *p) {
    WorldVec n = world_column(&plane->frame, 2);
    return reach_towards(p, n) - world_dot(world_minus(p->frame.at, plane->frame.at), n);
}

/* Separating axes: of the 15 directions that can part two boxes, the one along which they overlap least. */
static double find_depth_of_boxes(const Placed *a, const Placed *b) {
    WorldVec way = world_minus(b->frame.at, a->frame.at);
    double least = INFINITY;
    for (int k = 0; k < 15 && least > 0; k++) {
        WorldVec n = k < 3   ? world_column(&a->frame, k)
                     : k < 6 ? world_column(&b->frame, k - 3)
                             : world_cross(world_column(&a->frame, (k - 6) / 3), world_column(&b->frame, (k - 6) % 3));
        double length = world_length(n);
        if (length < 1e-6) continue; /* parallel edges: the faces' directions tell all */
        n = world_times(1 / length, n);
        double depth = reach_towards(a, n) + reach_towards(b, n) - fabs(world_dot(way, n));
        least = fmin(least, depth);
    }
    return least;
}

static double find_depth_in_box(const Placed *box, const Placed *ball) {
    WorldVec c = world_into(&box->frame, ball->frame.at), h = world_times(0.5, box->shape->size);
    WorldVec near = world_vec(fmax(-h.x, fmin(h.x, c.x)), fmax(-h.y, fmin(h.y, c.y)), fmax(-h.z, fmin(h.z, c.z)));
    double distance = world_length(world_minus(c, near));
    if (distance > 0) return ball->shape->radius - distance;
    return ball->shape->radius + fmin(h.x - fabs(c.x), fmin(h.y - fabs(c.y), h.z - fabs(c.z)));
}

/* Capsules and discs meet planes only, in the worlds there are. */
static double find_depth(const Placed *a, const Placed *b) {
    WorldShapeKind i = a->shape->kind, j = b->shape->kind;
    if (i == WORLD_PLANE) return find_depth_in_plane(a, b);
    if (j == WORLD_PLANE) return find_depth_in_plane(b, a);
    if (world_length(world_minus(a->frame.at, b->frame.at)) > a->reach + b->reach) return 0;
    if (i == WORLD_SPHERE && j == WORLD_SPHERE)
        return a->reach + b->reach - world_length(world_minus(a->frame.at, b->frame.at));
    if (i == WORLD_BOX && j == WORLD_BOX) return find_depth_of_boxes(a, b);
    if (i == WORLD_BOX && j == WORLD_SPHERE) return find_depth_in_box(a, b);
    if (i == WORLD_SPHERE && j == WORLD_BOX) return find_depth_in_box(b, a);
    return 0;
}

static double find_reach(const WorldShape *s) {
    if (s->kind == WORLD_BOX) return 0.5 * world_length(s->size);
    return s->radius + 0.5 * s->length;
}

double world_overlap(const World *world, const WorldFrame *now) {
    Placed *placed = malloc((size_t)world->shapes * sizeof *placed);
    double most = 0;
    if (!placed) return NAN;
    for (int i = 0; i < world->shapes; i++) {
        WorldFrame body = find_frame(world, now, world->shape[i].body, false);
        placed[i] =
            (Placed){&world->shape[i], world_chain(&body, &world->shape[i].place), find_reach(&world->shape[i])};
    }
    for (int i = 0; i < world->shapes; i++)
        for (int k = i + 1; k < world->shapes; k++) {
            if (world->shape[i].body == world->shape[k].body) continue;
            double depth = find_depth(&placed[i], &placed[k]);
            if (depth <= most || !world_bodies_meet(world, world->shape[i].body, world->shape[k].body)) continue;
            most = depth;
        }
    free(placed);
    return most;
}
