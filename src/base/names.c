/* names.c: see names.h. Open addressing, at most half full. */
#include "base/names.h"

#include <string.h>

static int find_place(const char *const *name, int capacity, const char *wanted) {
    int place = (int)(bri_hash(wanted, strlen(wanted), 0) & (uint64_t)(capacity - 1));
    while (name[place] && strcmp(name[place], wanted) != 0) place = (place + 1) & (capacity - 1);
    return place;
}

int bri_names_find(const BriNames *names, const char *name) {
    if (names->capacity == 0 || !name) return -1;
    int place = find_place(names->name, names->capacity, name);
    return names->name[place] ? names->number[place] : -1;
}

static bool enlarge(BriNames *names, const BrAllocator *allocator) {
    BriNames larger = {.count = names->count, .capacity = names->capacity ? 2 * names->capacity : 16};
    larger.name = bri_allocate(allocator, (size_t)larger.capacity, sizeof *larger.name);
    larger.number = bri_allocate(allocator, (size_t)larger.capacity, sizeof *larger.number);
    if (!larger.name || !larger.number) {
        bri_names_release(&larger, allocator);
        return false;
    }
    for (int i = 0; i < names->capacity; i++)
        if (names->name[i]) {
            int place = find_place(larger.name, larger.capacity, names->name[i]);
            larger.name[place] = names->name[i];
            larger.number[place] = names->number[i];
        }
    bri_names_release(names, allocator);
    *names = larger;
    return true;
}

bool bri_names_insert(BriNames *names, const char *name, int number, const BrAllocator *allocator) {
    if (2 * names->count >= names->capacity && !enlarge(names, allocator)) return false;
    int place = find_place(names->name, names->capacity, name);
    names->name[place] = name;
    names->number[place] = number;
    names->count++;
    return true;
}

void bri_names_clear(BriNames *names) {
    names->count = 0;
    for (int i = 0; i < names->capacity; i++) names->name[i] = NULL;
}

void bri_names_release(BriNames *names, const BrAllocator *allocator) {
    bri_release(allocator, (void *)names->name);
    bri_release(allocator, names->number);
    *names = (BriNames){0};
}
