/* list.c: the worlds there are, from one body to thousands. */
#include "families.h"

#include <stddef.h>
#include <string.h>

static const WorldInfo *const WORLDS[] = {
    &WORLD_SLOPE, &WORLD_SLIDE,    &WORLD_WHEEL,   &WORLD_BALL,        &WORLD_CHAIN,
    &WORLD_STACK, &WORLD_TOP_1E3,  &WORLD_TOP_1E6, &WORLD_TOWER,       &WORLD_CARDS,
    &WORLD_ARCH,  &WORLD_GRIP,     &WORLD_HIL,     &WORLD_DOMINOES_20, &WORLD_DOMINOES_100,
    &WORLD_DRUM,  &WORLD_HUMANOID, &WORLD_PYRAMID, &WORLD_HEAP_1000,   &WORLD_HEAP_8000,
};

const WorldInfo *world_info(int number) {
    return number >= 0 && number < (int)(sizeof WORLDS / sizeof WORLDS[0]) ? WORLDS[number] : NULL;
}

const WorldInfo *world_find(const char *name) {
    for (int i = 0; world_info(i); i++)
        if (strcmp(WORLDS[i]->name, name) == 0) return WORLDS[i];
    return NULL;
}
