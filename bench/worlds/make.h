/* make.h: what the worlds of this folder are made with. */
#ifndef WORLDS_MAKE_H
#define WORLDS_MAKE_H

#include "worlds.h"

#include <math.h>

#define WORLD_PI 3.14159265358979323846

extern const WorldFrame WORLD_ORIGIN;

static inline WorldVec world_vec(double x, double y, double z) { return (WorldVec){x, y, z}; }
static inline WorldVec world_sum(WorldVec a, WorldVec b) { return world_vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline WorldVec world_minus(WorldVec a, WorldVec b) { return world_vec(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline WorldVec world_times(double s, WorldVec a) { return world_vec(s * a.x, s * a.y, s * a.z); }
static inline double world_dot(WorldVec a, WorldVec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double world_length(WorldVec a) { return sqrt(world_dot(a, a)); }
static inline WorldVec world_cross(WorldVec a, WorldVec b) {
    return world_vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline WorldVec world_column(const WorldFrame *f, int k) {
    return world_vec(f->turn[0][k], f->turn[1][k], f->turn[2][k]);
}

WorldVec world_out(const WorldFrame *frame, WorldVec inner);  /* of a point: inner to outer axes */
WorldVec world_into(const WorldFrame *frame, WorldVec outer); /* and back */
WorldFrame world_chain(const WorldFrame *outer, const WorldFrame *inner);
/* At a place, turned about an axis of length 1. */
WorldFrame world_frame(WorldVec at, WorldVec axis, double angle);
/* At a place, z along a direction of length 1. */
WorldFrame world_facing(WorldVec at, WorldVec z);

/* A frame of outer axes as seen from within another. */
WorldFrame world_within(const WorldFrame *frame, const WorldFrame *outer);

/* Additions; each returns its number. */
int world_add_body(World *world, WorldBody body);
int world_add_shape(World *world, WorldShape shape);
int world_add_joint(World *world, WorldJointKind kind, int a, int b, WorldVec at, WorldVec axis);
int world_add_motor(World *world, int joint, double effort, double speed); /* constant speed */
void world_add_plane(World *world, WorldVec at, WorldVec normal);          /* of the ground */
void world_add_floor(World *world);

WorldBody world_solid_box(double mass, WorldVec size, WorldFrame start);
WorldBody world_solid_sphere(double mass, double radius, WorldVec centre);
int world_add_box(World *world, double mass, WorldVec size, WorldFrame start); /* body and shape */
int world_add_sphere(World *world, double mass, double radius, WorldVec centre);
/* arm.c: six links on hinges with motors at rest, numbers 0 to 5 of all three; it stands at the origin and reaches out
 * along x, then down. Torque: of each motor, N m. Returns the last link, the hand. */
int world_add_arm(World *world, double torque, WorldVec palm);
void world_swing(World *world, int motor, double swing, double period);

/* Claims that several make. */
bool world_stands(const World *world, const WorldFrame *now); /* nothing has moved by a decimetre */

#endif
