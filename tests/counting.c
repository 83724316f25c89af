#include "counting.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Before each block, its size; the block is aligned for any type. */
typedef union Head {
    size_t size;
    max_align_t align;
} Head;

static void *count_allocation(void *user, size_t size) {
    Counter *counter = user;
    if (++counter->calls == counter->fail_at) return NULL;
    Head *head = malloc(sizeof *head + size);
    if (!head) return NULL;
    head->size = size;
    counter->live++;
    counter->bytes += (int64_t)size;
    return memset(head + 1, 0xA5, size);
}

static void count_release(void *user, void *memory) {
    Counter *counter = user;
    if (!memory) return;
    Head *head = (Head *)memory - 1;
    counter->live--;
    counter->bytes -= (int64_t)head->size;
    free(head);
}

BrAllocator counting_allocator(Counter *counter) { return (BrAllocator){count_allocation, count_release, counter}; }
