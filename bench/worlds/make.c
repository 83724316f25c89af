/* make.c: bodies, shapes and joints come into a world; frames. */
#include "make.h"

#include <stdlib.h>
#include <string.h>

const WorldFrame WORLD_ORIGIN = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

/* ------------------------------------------------------------------ frames */

WorldVec world_out(const WorldFrame *f, WorldVec p) {
    const double(*A)[3] = f->turn;
    return world_vec(f->at.x + A[0][0] * p.x + A[0][1] * p.y + A[0][2] * p.z,
                     f->at.y + A[1][0] * p.x + A[1][1] * p.y + A[1][2] * p.z,
                     f->at.z + A[2][0] * p.x + A[2][1] * p.y + A[2][2] * p.z);
}

WorldVec world_into(const WorldFrame *f, WorldVec p) {
    WorldVec d = world_minus(p, f->at);
    return world_vec(world_dot(world_column(f, 0), d), world_dot(world_column(f, 1), d),
                     world_dot(world_column(f, 2), d));
}

WorldFrame world_chain(const WorldFrame *outer, const WorldFrame *inner) {
    WorldFrame f;
    f.at = world_out(outer, inner->at);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            f.turn[i][j] = 0;
            for (int k = 0; k < 3; k++) f.turn[i][j] += outer->turn[i][k] * inner->turn[k][j];
        }
    return f;
}

WorldFrame world_within(const WorldFrame *frame, const WorldFrame *outer) {
    WorldFrame back = {.at = world_into(outer, world_vec(0, 0, 0))};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) back.turn[i][j] = outer->turn[j][i];
    return world_chain(&back, frame);
}

/* Rodrigues: A = cos 1 + sin [n] + (1 - cos) n n^T */
WorldFrame world_frame(WorldVec at, WorldVec axis, double angle) {
    double c = cos(angle), s = sin(angle), n[3] = {axis.x, axis.y, axis.z};
    double cross[3][3] = {{0, -n[2], n[1]}, {n[2], 0, -n[0]}, {-n[1], n[0], 0}};
    WorldFrame f = {.at = at};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) f.turn[i][j] = (i == j) * c + s * cross[i][j] + (1 - c) * n[i] * n[j];
    return f;
}

WorldFrame world_facing(WorldVec at, WorldVec z) {
    WorldVec other = fabs(z.x) < 0.9 ? world_vec(1, 0, 0) : world_vec(0, 1, 0);
    WorldVec x = world_minus(other, world_times(world_dot(other, z), z));
    x = world_times(1 / world_length(x), x);
    WorldVec y = world_cross(z, x);
    return (WorldFrame){at, {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

/* ------------------------------------------------------------------ additions */

/* Room for one more in an array that doubles at 1, 2, 4, ...; false: no memory. */
static bool make_room(World *world, void **array, int count, size_t size) {
    if (world->failed) return false;
    if (count & (count - 1)) return true; /* only full at powers of two */
    void *larger = realloc(*array, (count ? 2 * (size_t)count : 1) * size);
    if (larger) *array = larger;
    world->failed = !larger;
    return larger != NULL;
}

int world_add_body(World *world, WorldBody body) {
    if (!make_room(world, (void **)&world->body, world->bodies, sizeof body)) return 0;
    world->body[world->bodies] = body;
    return world->bodies++;
}

int world_add_shape(World *world, WorldShape shape) {
    if (!make_room(world, (void **)&world->shape, world->shapes, sizeof shape)) return 0;
    world->shape[world->shapes] = shape;
    return world->shapes++;
}

int world_add_joint(World *world, WorldJointKind kind, int a, int b, WorldVec at, WorldVec axis) {
    WorldJoint joint = {kind, a, b, at, axis, -INFINITY, INFINITY};
    if (!make_room(world, (void **)&world->joint, world->joints, sizeof joint)) return 0;
    world->joint[world->joints] = joint;
    return world->joints++;
}

int world_add_motor(World *world, int joint, double effort, double speed) {
    WorldMotor motor = {.joint = joint, .effort = effort, .points = 1, .speed = {speed}};
    if (!make_room(world, (void **)&world->motor, world->motors, sizeof motor)) return 0;
    world->motor[world->motors] = motor;
    return world->motors++;
}

void world_add_plane(World *world, WorldVec at, WorldVec normal) {
    world_add_shape(world, (WorldShape){.kind = WORLD_PLANE, .body = WORLD_GROUND, .place = world_facing(at, normal)});
}

void world_add_floor(World *world) { world_add_plane(world, world_vec(0, 0, 0), world_vec(0, 0, 1)); }

WorldBody world_solid_box(double mass, WorldVec size, WorldFrame start) {
    double x = size.x * size.x, y = size.y * size.y, z = size.z * size.z, m = mass / 12;
    return (WorldBody){.mass = mass, .inertia = {m * (y + z), m * (x + z), m * (x + y)}, .start = start};
}

WorldBody world_solid_sphere(double mass, double radius, WorldVec centre) {
    double i = 0.4 * mass * radius * radius;
    WorldBody body = {.mass = mass, .inertia = {i, i, i}, .start = WORLD_ORIGIN};
    body.start.at = centre;
    return body;
}

int world_add_box(World *world, double mass, WorldVec size, WorldFrame start) {
    int body = world_add_body(world, world_solid_box(mass, size, start));
    world_add_shape(world, (WorldShape){.kind = WORLD_BOX, .body = body, .place = WORLD_ORIGIN, .size = size});
    return body;
}

int world_add_sphere(World *world, double mass, double radius, WorldVec centre) {
    int body = world_add_body(world, world_solid_sphere(mass, radius, centre));
    world_add_shape(world, (WorldShape){.kind = WORLD_SPHERE, .body = body, .place = WORLD_ORIGIN, .radius = radius});
    return body;
}

/* ------------------------------------------------------------------ a world */

World *world_make(const WorldInfo *info) {
    World *world = calloc(1, sizeof *world);
    if (!world) return NULL;
    world->info = info;
    info->make(world);
    if (!world->failed) return world;
    world_destroy(world);
    return NULL;
}

void world_destroy(World *world) {
    if (!world) return;
    free(world->body);
    free(world->shape);
    free(world->joint);
    free(world->motor);
    free(world);
}

double world_motor_speed(const WorldMotor *m, double time) {
    if (m->period > 0) return m->swing * sin(2 * WORLD_PI * time / m->period);
    if (time <= m->time[0]) return m->speed[0];
    for (int i = 1; i < m->points; i++)
        if (time < m->time[i])
            return m->speed[i - 1] +
                   (m->speed[i] - m->speed[i - 1]) * (time - m->time[i - 1]) / (m->time[i] - m->time[i - 1]);
    return m->speed[m->points - 1];
}

bool world_bodies_meet(const World *world, int a, int b) {
    if (a == b) return false;
    if (a != WORLD_GROUND && b != WORLD_GROUND && world->body[a].group && world->body[a].group == world->body[b].group)
        return false;
    for (int k = 0; k < world->joints; k++) {
        const WorldJoint *j = &world->joint[k];
        if ((j->a == a && j->b == b) || (j->a == b && j->b == a)) return false;
    }
    return true;
}
