/* random_machine.h: a machine drawn from a number: bodies, joints, drives, laws, formulation, scheme and step. The same
 * number gives the same machine everywhere. Public headers only. */
#ifndef TESTS_RANDOM_MACHINE_H
#define TESTS_RANDOM_MACHINE_H

#include "machine.h"

#include <stdio.h>

enum { RANDOM_BODIES = 40 };

/* Operations that a step of theirs may take. */
#define RANDOM_MOST_WORK 3e8

typedef enum RandomWorld {
    WORLD_PLANE,
    WORLD_WALLS, /* a floor and two walls that lean */
    WORLD_TUBE,
    WORLD_BLOCK,
    WORLD_SHEET, /* a thin wall */
    WORLD_SHAKER,
    WORLD_BELT,
    WORLD_EMPTY,
    RANDOM_WORLDS
} RandomWorld;

typedef enum RandomStart {
    START_APART, /* in cells of a grid; those below may stand on the ground */
    START_PILE,  /* each on the one before */
    START_MIXED  /* anywhere, inside each other too */
} RandomStart;

/* How it is stepped, for figures by the kind. */
typedef enum RandomMethod {
    METHOD_MOREAU,
    METHOD_HEM2,
    METHOD_EVENT,
    METHOD_RK4,
    METHOD_ADAPTIVE,
    METHOD_STIFF,
    METHOD_SEMI_IMPLICIT,
    RANDOM_METHODS
} RandomMethod;

extern const char *const RANDOM_METHOD_NAMES[RANDOM_METHODS];

typedef struct RandomMachine {
    uint64_t number, seed;
    RandomMethod method;
    RandomWorld world;
    RandomStart start;
    BrMat3 turned; /* the whole world is */
    double length; /* m: of its bodies */
    double gravity, speed, mass_ratio;
    bool bristle;   /* the friction law is */
    BrSurface pair; /* between its two materials */
    Machine m;
    int bodies, joints;
    BrBodyId body[RANDOM_BODIES];
    BrShapeDef shape[RANDOM_BODIES];
    double mass[RANDOM_BODIES], width[RANDOM_BODIES]; /* width: the smallest across it, m */
    BrVec3 place[RANDOM_BODIES];                      /* before the world was turned */
    BrStepDef def;
    int steps;
} RandomMachine;

/* How many bodies it has and how it is stepped, without building anything. */
int random_bodies(uint64_t number, RandomMethod *method);
/* Draws, builds and assembles. Not BR_OK: refused, and the error tells; random_machine_end() all the same. */
BrStatus random_machine_make(uint64_t number, RandomMachine *r, BrError *error);
void random_machine_end(RandomMachine *r);
/* As a scene file, for `bristle run`. */
void random_machine_write(const RandomMachine *r, FILE *file);

#endif
