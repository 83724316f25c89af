/* pages.c: see pages.h. No other file of the library asks the system for more than C17 has. */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise */
#include <sys/mman.h>
#endif

#include "base/pages.h"

#include <stdint.h>

#if defined(__linux__) && defined(MADV_HUGEPAGE)
void bri_ask_for_large_pages(void *memory, size_t size) {
    const uintptr_t PAGE = (uintptr_t)1 << 21; /* bytes; where they are larger, this is refused, and all is as it was */
    const size_t MANY = 2;                     /* pages: of less, what the last one wastes would count */
    uintptr_t begin = ((uintptr_t)memory + PAGE - 1) & ~(PAGE - 1), end = ((uintptr_t)memory + size) & ~(PAGE - 1);
    if (size < MANY * PAGE || end <= begin) return;
    (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}
#else
void bri_ask_for_large_pages(void *memory, size_t size) { (void)memory, (void)size; }
#endif
