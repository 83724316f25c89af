/* touch.c: see touch.h. */
#include "io/touch.h"

#include "contact/contact.h"

#include <string.h>

/* ------------------------------------------------------------------ numbers of what was seen */

static int find_slot(const BriTouchIndex *x, const int key[3]) {
    uint64_t mixed = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 3; i++) mixed = (mixed ^ (uint32_t)key[i]) * 0xff51afd7ed558ccdu, mixed ^= mixed >> 32;
    int at = (int)(mixed & (uint64_t)(x->slots - 1));
    while (x->slot[at] && memcmp(x->key[x->slot[at] - 1], key, 3 * sizeof *key) != 0) at = (at + 1) & (x->slots - 1);
    return at;
}

int bri_touch_find(const BriTouchIndex *x, int first, int second, int number) {
    const int key[3] = {first, second, number};
    return x->slots ? x->slot[find_slot(x, key)] - 1 : -1;
}

static bool widen(BriTouchIndex *x, const BrAllocator *allocator) {
    int slots = x->slots ? 2 * x->slots : 64;
    int *slot = bri_allocate(allocator, (size_t)slots, sizeof *slot);
    if (!slot) return false;
    bri_release(allocator, x->slot);
    x->slot = slot;
    x->slots = slots;
    for (int i = 0; i < x->count; i++) x->slot[find_slot(x, x->key[i])] = i + 1;
    return true;
}

int bri_touch_add(BriTouchIndex *x, int first, int second, int number, const BrAllocator *allocator) {
    const int key[3] = {first, second, number};
    if (2 * x->count >= x->slots && !widen(x, allocator)) return -1;
    int at = find_slot(x, key);
    if (x->slot[at]) return x->slot[at] - 1;
    void *keys = x->key;
    bool fits = bri_grow(allocator, &keys, x->count, &x->capacity, sizeof *x->key);
    x->key = keys;
    if (!fits) return -1;
    memcpy(x->key[x->count], key, sizeof key);
    x->slot[at] = ++x->count;
    return x->count - 1;
}

void bri_touch_release(BriTouchIndex *x, const BrAllocator *allocator) {
    bri_release(allocator, x->key);
    bri_release(allocator, x->slot);
    *x = (BriTouchIndex){0};
}

/* ------------------------------------------------------------------ as it happens */

void bri_touching_begin(BriTouching *t, const BrModel *model, const BrAllocator *allocator) {
    *t = (BriTouching){.allocator = *allocator, .model = model};
    bri_touch_tables(model, t->table);
}

void bri_touching_end(BriTouching *t) {
    for (int i = 0; i < t->index.count && t->pair; i++) bri_release(&t->allocator, t->pair[i].slot);
    bri_touch_release(&t->index, &t->allocator);
    bri_release(&t->allocator, t->pair);
    bri_release(&t->allocator, t->there);
    bri_release(&t->allocator, t->number);
    bri_release(&t->allocator, t->record);
    *t = (BriTouching){.model = NULL};
}

static double *add_record(BriTouching *t, BriTouchKind kind) {
    size_t width = (size_t)t->table[kind].width;
    if (t->used + width > t->room) {
        size_t room = t->room ? 2 * t->room : 1024;
        double *larger = bri_allocate(&t->allocator, room, sizeof *larger);
        if (!larger) return NULL;
        if (t->used) memcpy(larger, t->record, t->used * sizeof *larger);
        bri_release(&t->allocator, t->record);
        t->record = larger;
        t->room = room;
    }
    double *record = t->record + t->used;
    t->used += width;
    record[BRI_TOUCH_ROW] = (double)t->row;
    return record;
}

/* The pair's number, in the list of those that are there; -1: no memory. */
static int note_pair(BriTouching *t, int first, int second) {
    int known = t->index.count, number = bri_touch_add(&t->index, first, second, -1, &t->allocator);
    if (number < 0) return -1;
    if (number == known) {
        void *pairs = t->pair;
        bool fits = bri_grow(&t->allocator, &pairs, known, &t->capacity, sizeof *t->pair);
        t->pair = pairs;
        if (!fits) {
            t->index.count = known; /* its slot stays, and is never asked: the recording ends here */
            return -1;
        }
        t->pair[number] = (BriTouchPair){.power = 0};
    }
    return number;
}

static bool write_pair(BriTouching *t, int number, const BrContactPair *pair, double span) {
    BriTouchPair *p = &t->pair[number];
    p->heat += 0.5 * span * (p->power + pair->power);
    p->power = pair->power;
    double *record = add_record(t, BRI_TOUCH_PAIR);
    if (!record) return false;
    record[BRI_TOUCH_FIRST] = t->index.key[number][0];
    record[BRI_TOUCH_SECOND] = t->index.key[number][1];
    bri_touch_fill_pair(&t->table[BRI_TOUCH_PAIR], pair, p->heat, record);
    return true;
}

/* Places that were there, or have been, take the numbers that they had, */
static void keep_numbers(BriTouchPair *p, uint64_t row, const BriContacts *c, int begin, int end, int *numbers) {
    for (int i = begin; i < end; i++) {
        uint64_t key = bri_contact_key(&c->contact[c->ends[i].contact]);
        numbers[i] = -1;
        for (int n = 0; n < p->slots && numbers[i] < 0; n++)
            if (p->slot[n].key == key && p->slot[n].row < row) p->slot[n].row = row, numbers[i] = n;
    }
}

/* and new ones the smallest that is not taken. */
static bool give_numbers(BriTouching *t, BriTouchPair *p, uint64_t row, const BriContacts *c, int begin, int end,
                         int *numbers) {
    for (int i = begin, n = 0; i < end; i++) {
        if (numbers[i] >= 0) continue;
        while (n < p->slots && p->slot[n].row >= row) n++;
        if (n == p->slots) {
            void *slots = p->slot;
            bool fits = bri_grow(&t->allocator, &slots, p->slots, &p->capacity, sizeof *p->slot);
            p->slot = slots;
            if (!fits) return false;
            p->slots++;
        }
        p->slot[n] = (BriTouchSlot){bri_contact_key(&c->contact[c->ends[i].contact]), row};
        numbers[i] = n;
    }
    return true;
}

static bool write_places(BriTouching *t, int pair, const BrWorkspace *w, int begin, int end, bool remembers) {
    const BriContacts *c = w->contacts;
    for (int i = begin; i < end; i++) {
        double *record = add_record(t, BRI_TOUCH_PLACE);
        if (!record) return false;
        record[BRI_TOUCH_FIRST] = t->index.key[pair][0];
        record[BRI_TOUCH_SECOND] = t->index.key[pair][1];
        record[BRI_TOUCH_NUMBER] = t->number[i];
        bri_touch_fill_place(&t->table[BRI_TOUCH_PLACE], t->model, w, c->ends[i].contact, remembers, record);
    }
    return true;
}

static bool list_here(BriTouching *t, int pair) {
    if (!bri_grow(&t->allocator, (void **)&t->there, t->here, &t->here_capacity, sizeof *t->there)) return false;
    t->there[t->here++] = pair;
    return true;
}

/* Pairs of the row before that are there no more. */
static bool write_last_words(BriTouching *t, int before, double span) {
    static const BrContactPair NOTHING = {.places = 0};
    bool fine = true;
    for (int i = 0; i < before && fine; i++)
        if (t->pair[t->there[i]].row <= t->row) fine = write_pair(t, t->there[i], &NOTHING, span);
    memmove(t->there, t->there + before, (size_t)(t->here - before) * sizeof *t->there);
    t->here -= before;
    return fine;
}

static bool read_all(BriTouching *t, const BrWorkspace *w, double span, bool remembers) {
    const BriContacts *c = w->contacts;
    int pairs = br_contact_pair_count(t->model, w), before = t->here;
    for (int k = 0; k < pairs; k++) {
        int begin = c->pair_begin[k], end = k + 1 < pairs ? c->pair_begin[k + 1] : c->count;
        BrContactPair pair;
        br_contact_pair_at(t->model, w, k, &pair);
        int number = note_pair(t, c->ends[begin].first, c->ends[begin].second);
        if (number < 0 || !list_here(t, number)) return false;
        BriTouchPair *p = &t->pair[number];
        p->row = t->row + 1;
        keep_numbers(p, p->row, c, begin, end, t->number);
        if (!give_numbers(t, p, p->row, c, begin, end, t->number) || !write_pair(t, number, &pair, span) ||
            !write_places(t, number, w, begin, end, remembers))
            return false;
    }
    return before == 0 || write_last_words(t, before, span);
}

bool bri_touching_read(BriTouching *t, const BrWorkspace *w, const BrState *state) {
    double time = br_state_time(state), span = t->row ? time - t->time : 0;
    bool remembers = state->formulation != BR_FORMULATION_TIMESTEPPING && state->formulation != BR_FORMULATION_EVENT;
    int contacts = br_contact_count(t->model, w);
    t->used = 0;
    while (t->number_room < contacts)
        if (!bri_grow(&t->allocator, (void **)&t->number, t->number_room, &t->number_room, sizeof *t->number))
            return false;
    if (!read_all(t, w, span, remembers)) return false;
    t->row++;
    t->time = time;
    return true;
}
