/* worlds.h: benchmark worlds, described once for every engine: bodies, shapes, joints, motors, how long to run, and how
 * wrong a result is. No engine's header is included here, and none of bristle's: the command and the drivers of other
 * engines build the same World, and its error is a function of poses alone, so that all are measured by one rule.
 *
 * SI units, z is up, everything in world axes unless it says otherwise. Restitution is 0, and one coefficient of
 * friction holds everywhere. Bodies that a joint connects do not touch each other, nor do those of one group. Shapes
 * stand in the order of their bodies, the ground's anywhere between. */
#ifndef WORLDS_H
#define WORLDS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WORLD_GRAVITY 9.81 /* m/s^2, downwards */
enum { WORLD_GROUND = -1, WORLD_MOTOR_POINTS = 4 };

typedef struct WorldVec {
    double x, y, z;
} WorldVec;

/* A place and a rotation, turn[row][column], that takes the inner axes to the outer ones. */
typedef struct WorldFrame {
    WorldVec at; /* m */
    double turn[3][3];
} WorldFrame;

typedef struct WorldBody {
    double mass;       /* kg */
    double inertia[3]; /* kg m^2, about the centre of mass, principal, in body axes */
    WorldFrame start;  /* of the centre of mass */
    WorldVec velocity; /* m/s */
    WorldVec spin;     /* rad/s */
    int group;         /* bodies of one group do not touch each other; 0: none */
} WorldBody;

typedef enum WorldShapeKind { WORLD_BOX, WORLD_SPHERE, WORLD_CAPSULE, WORLD_PLANE, WORLD_DISC } WorldShapeKind;

typedef struct WorldShape {
    WorldShapeKind kind;
    int body;         /* or WORLD_GROUND */
    WorldFrame place; /* in the body, from its centre of mass; of the ground: in the world */
    WorldVec size;    /* m: box: its edges */
    double radius;    /* m: sphere, capsule, disc (its rim is what touches) */
    double length;    /* m: capsule: between the centres of its caps, along z; the normal of planes and discs is z */
} WorldShape;

typedef enum WorldJointKind { WORLD_REVOLUTE, WORLD_PRISMATIC, WORLD_SPHERICAL, WORLD_FIXED } WorldJointKind;

typedef struct WorldJoint {
    WorldJointKind kind;
    int a, b;            /* bodies; a may be WORLD_GROUND */
    WorldVec at, axis;   /* where the start pose has it; the axis is of length 1 */
    double lower, upper; /* rad or m, of b against a, 0 at the start; infinite: none */
} WorldJoint;

/* Drives a revolute or prismatic joint at a speed with bounded effort. */
typedef struct WorldMotor {
    int joint;
    double effort;                                              /* N m or N */
    int points;                                                 /* of speed over time: linear between them, */
    double time[WORLD_MOTOR_POINTS], speed[WORLD_MOTOR_POINTS]; /* constant outside; s, rad/s or m/s */
    double swing, period; /* s; in place of all that, for ever, swing sin(2 pi time/period), if a period is given */
} WorldMotor;

typedef struct World World;

/* What is written once for each world. */
typedef struct WorldInfo {
    const char *name;
    const char *title;           /* a line for people */
    const char *error_of;        /* what the error is, a phrase; m */
    const char *claim;           /* what should have come of it after the whole run: "all fall" */
    bool always;                 /* the claim should be true at any time: "stands" */
    double dt;                   /* s */
    int warm, steps;             /* before the clock, and with it */
    int quick_warm, quick_steps; /* the same for a first look */
    double budget;               /* s: what the contacts of a step may take, where an engine has a bound; 0: none */
    int watch;                   /* the error is also looked at every so many steps, the largest counts; 0: no */
    void (*make)(World *world);
    double (*error)(const World *world, const WorldFrame *now, double time); /* m */
    bool (*holds)(const World *world, const WorldFrame *now);                /* is the claim true? */
} WorldInfo;

struct World {
    const WorldInfo *info;
    double mu;
    int bodies, shapes, joints, motors;
    WorldBody *body;
    WorldShape *shape;
    WorldJoint *joint;
    WorldMotor *motor;
    bool failed; /* no memory, while it was made */
};

/* By number, from 0; NULL beyond the last. */
const WorldInfo *world_info(int number);
const WorldInfo *world_find(const char *name); /* NULL: there is none of that name */

/* NULL: no memory. */
World *world_make(const WorldInfo *info);
void world_destroy(World *world); /* NULL allowed */

double world_motor_speed(const WorldMotor *motor, double time);
/* May shapes of these two bodies touch? Either may be WORLD_GROUND. */
bool world_bodies_meet(const World *world, int a, int b);

/* ------------------------------------------------------------------ what errors are made of; m */

double world_moved(const World *world, const WorldFrame *now);     /* farthest way of a centre from its start */
double world_overlap(const World *world, const WorldFrame *now);   /* deepest, of any two shapes that may touch */
double world_joint_gap(const World *world, const WorldFrame *now); /* widest, of the joints' points */
/* Where the rim of a disc is lowest, world axes. */
WorldVec world_lowest_rim(const WorldFrame *disc, double radius);

#ifdef __cplusplus
}
#endif

#endif
