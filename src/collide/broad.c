/* broad.c: see broad.h.
 *
 * Few boxes are all compared. Many are put into a tree: near boxes share a leaf, and every node has a box around those
 * of its two children. Parts of the tree are compared only where their boxes overlap, so a pile costs time in
 * proportion to what it holds, and one huge box among many small ones widens only the nodes above its own leaf.
 *
 * The tree is complete: node i has the children 2 i and 2 i + 1, the root is 1, leaf k is node leaves + k and holds the
 * slots from first_slot(k) to first_slot(k + 1). So the order of the boxes in the slots is all there is to choose. It
 * is kept from call to call and only the nodes' boxes are made anew; when that order has grown old, boxes are sorted
 * again by halving the set across its longest side. The order decides how much is compared, never what overlaps.
 *
 * Boxes without end would widen every node, so they stay outside the tree and meet all others one by one. A box with a
 * NaN fails every comparison: it overlaps nothing. */
#include "collide/broad.h"

#include "base/base.h"
#include "math/halving.h"

enum {
    FEW = 64,     /* boxes up to which comparing all is as fast; measured */
    LEAF = 16,    /* most boxes in a leaf, at least half as many; measured: 8 takes a tenth longer, 4 a third */
    OLD_AGE = 100 /* calls: sorting takes about as long as a search, so this adds a percent */
};

typedef struct Slot {
    BriBounds bounds; /* empty, if the box is outside the tree */
    int box;
} Slot;

struct BriBroad {
    int count, room;
    BriPair *pair, *sorted;    /* as found and sorted: `room` each */
    int *place;                /* count + 1: where a box's pairs begin */
    int *endless;              /* boxes outside the tree: up to `count` */
    int leaves, levels;        /* leaves = 2^levels; 0: no tree */
    BriBounds *node;           /* 2 leaves; the first is unused */
    const unsigned char *idle; /* per box, or NULL */
    unsigned char *idle_node;  /* 2 leaves: all boxes below are idle */
    Slot *slot;                /* count: what the leaves hold, leaf after leaf */
    BriPoint *centre;          /* count: used while sorting */
    int age;                   /* calls since the slots were sorted; 0: sort them at the next */
    int64_t work_sorted;       /* comparisons of nodes in the search right after that */
};

typedef struct Search {
    BriBroad *broad;
    bool (*wants)(const void *user, int a, int b);
    const void *user;
    int found; /* saturates at INT32_MAX */
    int64_t work;
} Search;

/* ------------------------------------------------------------------ boxes */

static inline bool overlap(const BriBounds *a, const BriBounds *b) {
    return (a->low.x <= b->high.x) & (b->low.x <= a->high.x) & (a->low.y <= b->high.y) & (b->low.y <= a->high.y) &
           (a->low.z <= b->high.z) & (b->low.z <= a->high.z);
}

/* A box with an end on every side; NaN is no end. */
static inline bool is_bounded(const BriBounds *a) { return bri_vec_is_finite(a->low) && bri_vec_is_finite(a->high); }

static bool has_nan(const BriBounds *a) {
    return a->low.x != a->low.x || a->low.y != a->low.y || a->low.z != a->low.z || a->high.x != a->high.x ||
           a->high.y != a->high.y || a->high.z != a->high.z;
}

/* Overlaps nothing and widens nothing. */
static BriBounds empty_bounds(void) {
    double inf = __builtin_inf();
    return (BriBounds){{inf, inf, inf}, {-inf, -inf, -inf}};
}

static inline void widen(BriBounds *a, const BriBounds *b) {
    a->low = bri_vec(bri_min(a->low.x, b->low.x), bri_min(a->low.y, b->low.y), bri_min(a->low.z, b->low.z));
    a->high = bri_vec(bri_max(a->high.x, b->high.x), bri_max(a->high.y, b->high.y), bri_max(a->high.z, b->high.z));
}

/* ------------------------------------------------------------------ pairs */

static inline void add_pair(Search *s, int a, int b) {
    BriPair pair = a < b ? (BriPair){a, b} : (BriPair){b, a};
    if (s->broad->idle && s->broad->idle[a] && s->broad->idle[b]) return;
    if (s->wants && !s->wants(s->user, pair.a, pair.b)) return;
    if (s->found < s->broad->room) s->broad->pair[s->found] = pair;
    if (s->found < INT32_MAX) s->found++;
}

/* Pairs in the order of one of their boxes; those that agree in it stay in the order they had. */
static void sort_pairs(const BriBroad *broad, const BriPair *from, BriPair *to, int count, bool by_a) {
    int *place = broad->place;
    for (int i = 0; i <= broad->count; i++) place[i] = 0;
    for (int i = 0; i < count; i++) place[1 + (by_a ? from[i].a : from[i].b)]++;
    for (int i = 1; i <= broad->count; i++) place[i] += place[i - 1];
    for (int i = 0; i < count; i++) to[place[by_a ? from[i].a : from[i].b]++] = from[i];
}

/* ------------------------------------------------------------------ tree */

static int first_slot(const BriBroad *broad, int leaf) { return bri_first_point(broad->count, broad->levels, leaf); }

static void sort_slots(BriBroad *broad, const BriBounds *bounds) {
    for (int i = 0; i < broad->count; i++) {
        int box = broad->slot[i].box;
        const BriBounds *b = &bounds[box];
        broad->centre[i] = (BriPoint){.owner = box};
        if (!is_bounded(b)) continue;
        broad->centre[i].at[0] = b->low.x / 2 + b->high.x / 2;
        broad->centre[i].at[1] = b->low.y / 2 + b->high.y / 2;
        broad->centre[i].at[2] = b->low.z / 2 + b->high.z / 2;
    }
    bri_halve_points(broad->centre, broad->count, broad->levels);
    for (int i = 0; i < broad->count; i++) broad->slot[i].box = broad->centre[i].owner;
}

/* The boxes of slots and nodes. Returns how many boxes have no end. */
static int fit_tree(BriBroad *broad, const BriBounds *bounds) {
    int endless = 0;
    for (int leaf = 0; leaf < broad->leaves; leaf++) {
        BriBounds *node = &broad->node[broad->leaves + leaf];
        *node = empty_bounds();
        for (int i = first_slot(broad, leaf); i < first_slot(broad, leaf + 1); i++) {
            Slot *slot = &broad->slot[i];
            const BriBounds *b = &bounds[slot->box];
            bool inside = is_bounded(b);
            slot->bounds = inside ? *b : empty_bounds();
            widen(node, &slot->bounds);
            if (!inside && !has_nan(b)) broad->endless[endless++] = slot->box;
        }
    }
    for (int i = broad->leaves - 1; i > 0; i--) {
        broad->node[i] = broad->node[2 * i];
        widen(&broad->node[i], &broad->node[2 * i + 1]);
    }
    return endless;
}

/* Which nodes have idle boxes only. */
static void find_idle_nodes(BriBroad *broad) {
    for (int leaf = 0; leaf < broad->leaves; leaf++) {
        unsigned char all = 1;
        for (int i = first_slot(broad, leaf); i < first_slot(broad, leaf + 1); i++)
            all &= broad->idle[broad->slot[i].box];
        broad->idle_node[broad->leaves + leaf] = all;
    }
    for (int i = broad->leaves - 1; i > 0; i--)
        broad->idle_node[i] = broad->idle_node[2 * i] & broad->idle_node[2 * i + 1];
}

/* ------------------------------------------------------------------ search */

/* The slots of a leaf that overlap a box. Which ones do is chance, so a sum is cheaper than a branch. */
static int pick_slots(const BriBroad *broad, int leaf, const BriBounds *around, int *list) {
    int count = 0, end = first_slot(broad, leaf + 1);
    for (int i = first_slot(broad, leaf); i < end; i++) {
        list[count] = i;
        count += overlap(&broad->slot[i].bounds, around);
    }
    return count;
}

static void compare_leaves(Search *s, int a, int b) {
    const BriBroad *broad = s->broad;
    int list_a[LEAF] = {0}, list_b[LEAF] = {0}, hit[LEAF] = {0};
    int count_a = pick_slots(broad, a - broad->leaves, &broad->node[b], list_a);
    int count_b = pick_slots(broad, b - broad->leaves, &broad->node[a], list_b);
    for (int i = 0; i < count_a; i++) {
        const Slot *one = &broad->slot[list_a[i]];
        int hits = 0;
        for (int j = a == b ? i + 1 : 0; j < count_b; j++) {
            const Slot *other = &broad->slot[list_b[j]];
            hit[hits] = other->box;
            hits += overlap(&one->bounds, &other->bounds);
        }
        for (int j = 0; j < hits; j++) add_pair(s, one->box, hit[j]);
    }
}

/* Boxes below node a with those below node b, of the same height. */
static void compare_nodes(Search *s, int a, int b) {
    s->work++;
    if (s->broad->idle && s->broad->idle_node[a] && s->broad->idle_node[b]) return;
    if (!overlap(&s->broad->node[a], &s->broad->node[b])) return;
    if (a >= s->broad->leaves) {
        compare_leaves(s, a, b);
        return;
    }
    compare_nodes(s, 2 * a, 2 * b);
    compare_nodes(s, 2 * a, 2 * b + 1);
    if (a != b) compare_nodes(s, 2 * a + 1, 2 * b);
    compare_nodes(s, 2 * a + 1, 2 * b + 1);
}

static void compare_endless(Search *s, const BriBounds *bounds, int count) {
    for (int i = 0; i < count; i++) {
        int box = s->broad->endless[i];
        for (int other = 0; other < s->broad->count; other++) {
            if (!overlap(&bounds[box], &bounds[other]) || other == box) continue;
            if (box < other || is_bounded(&bounds[other])) add_pair(s, box, other); /* two endless ones meet twice */
        }
    }
}

/* The slots are sorted when they never were, when the search has grown by half, and now and then. */
static void search_tree(Search *s, const BriBounds *bounds) {
    BriBroad *broad = s->broad;
    if (broad->age == 0) sort_slots(broad, bounds);
    int endless = fit_tree(broad, bounds);
    if (broad->idle) find_idle_nodes(broad);
    compare_nodes(s, 1, 1);
    compare_endless(s, bounds, endless);
    if (broad->age == 0) broad->work_sorted = s->work;
    broad->age = broad->age + 1 == OLD_AGE || 2 * s->work > 3 * broad->work_sorted ? 0 : broad->age + 1;
    if (s->found > broad->room) return;
    sort_pairs(broad, broad->pair, broad->sorted, s->found, false);
    sort_pairs(broad, broad->sorted, broad->pair, s->found, true);
}

void bri_broad_set_idle(BriBroad *broad, const unsigned char *idle) { broad->idle = idle; }

int bri_broad_find(BriBroad *broad, const BriBounds *bounds, bool (*wants)(const void *user, int a, int b),
                   const void *user, const BriPair **pair) {
    Search s = {.broad = broad, .wants = wants, .user = user};
    if (broad->leaves > 0) {
        search_tree(&s, bounds);
    } else {
        for (int a = 0; a < broad->count; a++)
            for (int b = a + 1; b < broad->count; b++)
                if (overlap(&bounds[a], &bounds[b])) add_pair(&s, a, b);
    }
    *pair = s.found > broad->room ? NULL : broad->pair;
    return s.found;
}

/* ------------------------------------------------------------------ memory */

bool bri_broad_make_room(BriBroad *broad, const BrAllocator *allocator, int pairs) {
    if (pairs <= broad->room) return true;
    BriPair *pair = bri_allocate(allocator, (size_t)pairs, sizeof *pair);
    BriPair *sorted = bri_allocate(allocator, broad->leaves > 0 ? (size_t)pairs : 0, sizeof *sorted);
    bool fine = pair && sorted;
    bri_release(allocator, fine ? broad->pair : pair);
    bri_release(allocator, fine ? broad->sorted : sorted);
    if (!fine) return false;
    broad->pair = pair;
    broad->sorted = sorted;
    broad->room = pairs;
    return true;
}

static bool allocate_arrays(BriBroad *broad, const BrAllocator *allocator) {
    bool tree = broad->leaves > 0;
    size_t boxes = tree ? (size_t)broad->count : 0, room = (size_t)broad->room;
    broad->pair = bri_allocate(allocator, room, sizeof(BriPair));
    broad->sorted = bri_allocate(allocator, tree ? room : 0, sizeof(BriPair));
    broad->place = bri_allocate(allocator, boxes + 1, sizeof(int));
    broad->endless = bri_allocate(allocator, boxes, sizeof(int));
    broad->node = bri_allocate(allocator, 2 * (size_t)broad->leaves, sizeof(BriBounds));
    broad->idle_node = bri_allocate(allocator, 2 * (size_t)broad->leaves, 1);
    broad->slot = bri_allocate(allocator, boxes, sizeof(Slot));
    broad->centre = bri_allocate(allocator, boxes, sizeof(BriPoint));
    return broad->pair && broad->sorted && broad->place && broad->endless && broad->node && broad->idle_node &&
           broad->slot && broad->centre;
}

BrStatus bri_broad_create(int count, int pairs, const BrAllocator *allocator, BriBroad **result, BrError *error) {
    BRI_ASSERT(count >= 0 && pairs >= 0);
    BriBroad *broad = *result = bri_allocate(allocator, 1, sizeof *broad);
    if (broad) {
        *broad = (BriBroad){.count = count, .room = pairs, .leaves = count > FEW ? 1 : 0};
        for (; broad->leaves > 0 && count > LEAF * (int64_t)broad->leaves; broad->levels++) broad->leaves *= 2;
        if (allocate_arrays(broad, allocator)) {
            for (int i = 0; broad->leaves > 0 && i < count; i++) broad->slot[i].box = i;
            return BR_OK;
        }
    }
    bri_broad_release(broad, allocator);
    *result = NULL;
    return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to find pairs among %d boxes, with room for %d", count, pairs);
}

void bri_broad_release(BriBroad *broad, const BrAllocator *allocator) {
    if (!broad) return;
    void *owned[] = {broad->pair, broad->sorted,    broad->place, broad->endless,
                     broad->node, broad->idle_node, broad->slot,  broad->centre};
    for (int i = 0; i < BRI_COUNT(owned); i++) bri_release(allocator, owned[i]);
    bri_release(allocator, broad);
}
