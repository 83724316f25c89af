/* counting.h: an allocator that counts, and fails when told to. */
#ifndef COUNTING_H
#define COUNTING_H

#include "bristle/base.h"

typedef struct Counter {
    int64_t calls;   /* allocations asked for so far */
    int64_t live;    /* given out and not yet released */
    int64_t bytes;   /* of these */
    int64_t fail_at; /* the call, from 1, that gets nothing; 0: none */
} Counter;

/* Memory from malloc, filled with a pattern so that nobody relies on zeros. The counter must outlive it. */
BrAllocator counting_allocator(Counter *counter);

#endif
