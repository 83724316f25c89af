/* base.c: see base.h. */
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *br_status_name(BrStatus status) {
    switch (status) {
#define BRI_NAME(name, value, text)                                                                                    \
    case BR_##name: return "BR_" #name;
        BR_STATUS_LIST(BRI_NAME)
#undef BRI_NAME
    }
    return "unknown";
}

const char *br_status_text(BrStatus status) {
    switch (status) {
#define BRI_TEXT(name, value, text)                                                                                    \
    case BR_##name: return text;
        BR_STATUS_LIST(BRI_TEXT)
#undef BRI_TEXT
    }
    return "unknown status";
}

BrStatus bri_fail(BrError *error, BrStatus status, const char *format, ...) {
    if (!error) return status;
    memset(error, 0, sizeof *error);
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    bri_clean_text(error->text);
    return status;
}

/* ------------------------------------------------------------------ definitions */

/* What every public definition begins with. */
typedef struct Head {
    uint32_t cookie, struct_size;
} Head;

enum { COOKIE = 0x62725f32 };

bool bri_start_def(void *def, uint32_t size, size_t ours) {
    if (!def) return false;
    memset(def, 0, size);
    if (size >= sizeof(Head)) memcpy(def, &(Head){COOKIE, size}, sizeof(Head));
    return size == ours;
}

BrStatus bri_check_def(const void *def, size_t ours, const char *start, BrError *error) {
    Head head;
    if (!def) return bri_fail(error, BR_INVALID_DEF, "the definition is NULL; it must start from %s()", start);
    memcpy(&head, def, sizeof head);
    if (head.cookie != COOKIE) return bri_fail(error, BR_INVALID_DEF, "the definition must start from %s()", start);
    if (head.struct_size == ours) return BR_OK;
    return bri_fail(error, BR_INVALID_DEF,
                    "the definition of %s() has %u bytes, here it has %zu: the program was compiled against another "
                    "version of bristle",
                    start, head.struct_size, ours);
}

/* ------------------------------------------------------------------ texts */

/* Bytes of the UTF-8 character that starts here, 0 if there is none. */
static int measure_character(const unsigned char *c) {
    int length = *c < 0x80 ? 1 : (*c & 0xE0) == 0xC0 ? 2 : (*c & 0xF0) == 0xE0 ? 3 : (*c & 0xF8) == 0xF0 ? 4 : 0;
    for (int i = 1; i < length; i++)
        if ((c[i] & 0xC0) != 0x80) return 0; /* also stops at the end of the text */
    bool overlong = *c == 0xC0 || *c == 0xC1 || (*c == 0xE0 && c[1] < 0xA0) || (*c == 0xF0 && c[1] < 0x90);
    bool none = (*c == 0xED && c[1] >= 0xA0) || (*c == 0xF4 && c[1] >= 0x90) || *c > 0xF4; /* surrogates; too large */
    return overlong || none ? 0 : length;
}

void bri_clean_text(char *text) {
    for (unsigned char *c = (unsigned char *)text; *c;) {
        int length = measure_character(c);
        if (length == 0 || *c < 32 || *c == 127) *c = '?';
        c += length ? length : 1;
    }
}

static void *allocate_by_malloc(void *user, size_t size) {
    (void)user;
    return malloc(size);
}

static void release_by_free(void *user, void *memory) {
    (void)user;
    free(memory);
}

BrAllocator bri_default_allocator(void) { return (BrAllocator){allocate_by_malloc, release_by_free, NULL}; }

BrStatus bri_choose_allocator(const BrAllocator *given, BrAllocator *chosen, BrError *error) {
    *chosen = given && given->allocate ? *given : bri_default_allocator();
    if (!given || !given->allocate == !given->release) return BR_OK;
    return bri_fail(error, BR_INVALID_ARGUMENT, "the allocator has no %s; it needs both functions, or none",
                    given->allocate ? "release" : "allocate");
}

void *bri_allocate(const BrAllocator *allocator, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / 2 / size) return NULL;
    size_t total = count * size;
    if (total == 0) total = 1;
    /* the system's zeros take no memory until they are written over, and a state has room for many contacts */
    if (allocator->allocate == allocate_by_malloc) return calloc(1, total);
    void *memory = allocator->allocate(allocator->user, total);
    if (memory) memset(memory, 0, total);
    return memory;
}

void bri_release(const BrAllocator *allocator, void *memory) {
    if (memory) allocator->release(allocator->user, memory);
}

char *bri_copy_text(const BrAllocator *allocator, const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = bri_allocate(allocator, size, 1);
    if (copy) memcpy(copy, text, size);
    return copy;
}

bool bri_work_arrays(const BrAllocator *allocator, const BriArray *arrays, int count, BriArrayWork work) {
    bool fine = true;
    for (int i = 0; i < count; i++) {
        void *memory;
        if (work == BRI_MAKE && arrays[i].later) continue;
        memcpy(&memory, arrays[i].place, sizeof memory); /* whatever it points to */
        if (work == BRI_RELEASE) bri_release(allocator, memory);
        memory = work == BRI_MAKE ? bri_allocate(allocator, arrays[i].count, arrays[i].size) : NULL;
        memcpy(arrays[i].place, &memory, sizeof memory);
        fine = fine && (memory || work == BRI_RELEASE);
    }
    return fine;
}

bool bri_grow(const BrAllocator *allocator, void **array, int count, int *capacity, size_t element) {
    if (count < *capacity) return true;
    if (*capacity > INT32_MAX / 2) return false;
    int wanted = *capacity ? 2 * *capacity : 8;
    void *larger = bri_allocate(allocator, (size_t)wanted, element);
    if (!larger) return false;
    if (count) memcpy(larger, *array, (size_t)count * element);
    bri_release(allocator, *array);
    *array = larger;
    *capacity = wanted;
    return true;
}

bool bri_make_numbers(void **array, int64_t *capacity, const BrAllocator *allocator, int64_t count, size_t size) {
    if (*array && count <= *capacity) return true;
    int64_t room = bri_with_spare(count, size);
    bri_release(allocator, *array);
    *array = bri_allocate(allocator, (size_t)room, size);
    *capacity = *array ? room : 0;
    return *array != NULL;
}

/* Eight bytes at a time: xor, multiply by an odd constant, fold the high half down. The finalizer is that of
 * MurmurHash3 (public domain constants). Bytes are read in little-endian order on every machine. */
uint64_t bri_hash(const void *bytes, size_t size, uint64_t seed) {
    const unsigned char *p = bytes;
    uint64_t h = seed ^ (0x9E3779B97F4A7C15u * (uint64_t)(size + 1));
    while (size > 0) {
        uint64_t word = 0;
        size_t n = size < 8 ? size : 8;
        for (size_t i = 0; i < n; i++) word |= (uint64_t)p[i] << (8 * i);
        h = (h ^ word) * 0xFF51AFD7ED558CCDu;
        h ^= h >> 32;
        p += n;
        size -= n;
    }
    h = (h ^ (h >> 33)) * 0xC4CEB9FE1A85EC53u;
    return h ^ (h >> 33);
}

/* Levenshtein distance, one row at a time; words longer than the row are cut. */
static int measure_distance(const char *a, const char *b) {
    enum { LONGEST = 63 };
    int row[LONGEST + 1];
    size_t la = strlen(a), lb = strlen(b);
    int na = la < LONGEST ? (int)la : LONGEST, nb = lb < LONGEST ? (int)lb : LONGEST;
    for (int j = 0; j <= nb; j++) row[j] = j;
    for (int i = 1; i <= na; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            int replace = diagonal + (a[i - 1] != b[j - 1]);
            int shift = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            diagonal = row[j];
            row[j] = replace < shift ? replace : shift;
        }
    }
    return row[nb];
}

static bool differs_in_case_only(const char *a, const char *b) {
    for (; *a && *b; a++, b++) {
        char x = *a >= 'A' && *a <= 'Z' ? (char)(*a + 32) : *a, y = *b >= 'A' && *b <= 'Z' ? (char)(*b + 32) : *b;
        if (x != y) return false;
    }
    return *a == *b;
}

const char *br_nearest_word(const char *word, const char *const *candidates, int count) {
    if (!word || !candidates) return NULL;
    for (int i = 0; i < count; i++)
        if (differs_in_case_only(word, candidates[i])) return candidates[i];
    const char *nearest = NULL;
    int least = 1 + (int)strlen(word) / 3;
    for (int i = 0; i < count; i++) {
        int distance = measure_distance(word, candidates[i]);
        if (distance <= least && (!nearest || distance < least)) {
            nearest = candidates[i];
            least = distance;
        }
    }
    return nearest;
}

/* ------------------------------------------------------------------ sorting */

static void swap_elements(char *a, char *b, size_t size) {
    for (size_t i = 0; i < size; i++) {
        char t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

static void sift_down(char *base, size_t at, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && compare(base + child * size, base + (child + 1) * size) < 0) child++;
        if (compare(base + at * size, base + child * size) >= 0) return;
        swap_elements(base + at * size, base + child * size, size);
    }
}

void bri_sort(void *array, size_t count, size_t element, int (*compare)(const void *a, const void *b)) {
    char *base = array;
    for (size_t i = count / 2; i-- > 0;) sift_down(base, i, count, element, compare);
    for (size_t end = count; end-- > 1;) {
        swap_elements(base, base + end * element, element);
        sift_down(base, 0, end, element, compare);
    }
}
