/* families.h: the worlds of this folder, a file for each family. */
#ifndef WORLDS_FAMILIES_H
#define WORLDS_FAMILIES_H

#include "worlds.h"

extern const WorldInfo WORLD_SLOPE, WORLD_SLIDE, WORLD_WHEEL, WORLD_BALL;                     /* one_body.c */
extern const WorldInfo WORLD_CHAIN;                                                           /* chain.c */
extern const WorldInfo WORLD_STACK, WORLD_TOP_1E3, WORLD_TOP_1E6, WORLD_TOWER, WORLD_PYRAMID; /* stacks.c */
extern const WorldInfo WORLD_DOMINOES_20, WORLD_DOMINOES_100;                                 /* dominoes.c */
extern const WorldInfo WORLD_GRIP;                                                            /* grip.c */
extern const WorldInfo WORLD_HIL;                                                             /* hil.c */
extern const WorldInfo WORLD_HUMANOID;                                                        /* humanoid.c */
extern const WorldInfo WORLD_CARDS, WORLD_ARCH;                                               /* masonry.c */
extern const WorldInfo WORLD_DRUM, WORLD_HEAP_1000, WORLD_HEAP_8000;                          /* heaps.c */

#endif
