/* names.h: a hash table from names to numbers. The names are the caller's and must stay where they are. */
#ifndef BRI_NAMES_H
#define BRI_NAMES_H

#include "base/base.h"

typedef struct BriNames {
    int count, capacity; /* capacity: 0 or a power of two */
    const char **name;
    int *number;
} BriNames;

/* -1 if there is none. */
int bri_names_find(const BriNames *names, const char *name);
/* The name must be new. false: out of memory. */
bool bri_names_insert(BriNames *names, const char *name, int number, const BrAllocator *allocator);
void bri_names_clear(BriNames *names);
void bri_names_release(BriNames *names, const BrAllocator *allocator);

#endif
