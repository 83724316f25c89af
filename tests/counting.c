#include "counting.h"

#include <stdlib.h>
#include <string.h>

static void *count_allocation(void *user, size_t size) {
    Counter *counter = user;
    if (++counter->calls == counter->fail_at) return NULL;
    void *memory = malloc(size);
    if (!memory) return NULL;
    counter->live++;
    return memset(memory, 0xA5, size);
}

static void count_release(void *user, void *memory) {
    Counter *counter = user;
    counter->live -= memory != NULL;
    free(memory);
}

BrAllocator counting_allocator(Counter *counter) { return (BrAllocator){count_allocation, count_release, counter}; }
