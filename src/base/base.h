/* base.h: assertions, error texts, memory with the caller's allocator, and the 64-bit hash. */
#ifndef BRI_BASE_H
#define BRI_BASE_H

#include "bristle/base.h"

/* We slipped: stop at once. BRI_VALIDATE is for costly checks and lives in Debug only. */
#define BRI_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#ifdef NDEBUG
#define BRI_VALIDATE(condition) ((void)0)
#else
#define BRI_VALIDATE(condition) BRI_ASSERT(condition)
#endif

#define BRI_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* Fills `error` (NULL allowed) and returns `status`, so that a refusal is one line. */
__attribute__((format(printf, 3, 4))) BrStatus bri_fail(BrError *error, BrStatus status, const char *format, ...);

/* Of a public function: what it cannot do without. `all` is true if all of these pointers are there, `what` names them.
 */
#define BRI_NEED(all, what, error)                                                                                     \
    do {                                                                                                               \
        if (!(all)) return bri_fail(error, BR_INVALID_ARGUMENT, "%s(): %s must not be NULL", __func__, what);          \
    } while (0)

/* Definitions (BR_DEFAULT of bristle/base.h). Zeroes `size` bytes and enters the two numbers; false: the program's size
 * is not ours, so nothing more may be written. */
bool bri_start_def(void *def, uint32_t size, size_t ours);
/* Refuses what did not start from the function `start`, or has another size than ours. */
BrStatus bri_check_def(const void *def, size_t ours, const char *start, BrError *error);

/* Makes a text fit for one line of a message: control characters and bytes that are no UTF-8 become '?'. */
void bri_clean_text(char *text);

/* The allocator that malloc and free make; used where the caller gave none. */
BrAllocator bri_default_allocator(void);
/* The caller's, or that; one with half of its functions is refused. */
BrStatus bri_choose_allocator(const BrAllocator *given, BrAllocator *chosen, BrError *error);

/* count * size zeroed bytes, or NULL. A count of 0 gives a valid pointer to release. */
void *bri_allocate(const BrAllocator *allocator, size_t count, size_t size);
void bri_release(const BrAllocator *allocator, void *memory);

/* Arrays that live as long as their owner: one table of them, walked to make and to release. */
typedef struct BriArray {
    void *place;        /* where its address stands */
    size_t count, size; /* elements, bytes of each */
    bool later;         /* made when it is first needed, by others */
} BriArray;
typedef enum BriArrayWork { BRI_MAKE, BRI_RELEASE } BriArrayWork;

#define BRI_ARRAY(pointer, elements)                                                                                   \
    { .place = &(pointer), .count = (elements), .size = sizeof *(pointer) }
#define BRI_LATER_ARRAY(pointer)                                                                                       \
    { .place = &(pointer), .later = true }

/* false: out of memory; what was made is there to be released. Released places are NULL. */
bool bri_work_arrays(const BrAllocator *allocator, const BriArray *arrays, int count, BriArrayWork work);

/* How much room to make for so many of `size` bytes: half as many again, so that growing is seldom; of much, a sixteenth,
 * so that room that nobody needs stays small beside what is there. */
static inline int64_t bri_with_spare(int64_t count, size_t size) {
    const int64_t MUCH = 1 << 17; /* bytes */
    return count + (count > MUCH / (int64_t)size ? count / 16 : count / 2);
}
/* Room of *array for `count` of `size` bytes and some more; what was there is lost. false: no memory, and no array. */
bool bri_make_numbers(void **array, int64_t *capacity, const BrAllocator *allocator, int64_t count, size_t size);

/* A copy of a string from the allocator; NULL when out of memory. */
char *bri_copy_text(const BrAllocator *allocator, const char *text);

/* Grows an array that holds `count` of `*capacity` elements so that one more fits. false: out of memory, nothing lost.
 */
bool bri_grow(const BrAllocator *allocator, void **array, int count, int *capacity, size_t element);

/* Heap sort: in place, no allocation, the same order everywhere. Keys that compare equal must be alike. */
void bri_sort(void *array, size_t count, size_t element, int (*compare)(const void *a, const void *b));

/* 64-bit hash of bytes, the same on every machine; `seed` chains calls. */
uint64_t bri_hash(const void *bytes, size_t size, uint64_t seed);

#endif
