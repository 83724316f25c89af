/* test_broad.c: pairs of overlapping boxes against asking all pairs: sizes from tiny to endless, boxes that are equal,
 * flat, turned inside out or not numbers; the same answer whatever was asked before; and no memory after create. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "collide/broad.h"
#include "counting.h"
#include "joint_support.h"

enum { MOST = 700, ROOM = MOST * (MOST - 1) / 2 };

/* ------------------------------------------------------------------ scenes */

static BriBounds box_at(BrVec3 centre, BrVec3 half) {
    return (BriBounds){bri_sub(centre, half), bri_add(centre, half)};
}

/* In a cube from `low` to `high`. */
static BrVec3 draw_point(Random *random, double low, double high) {
    double x = draw(random, low, high), y = draw(random, low, high), z = draw(random, low, high);
    return bri_vec(x, y, z);
}

static double *side_of(BriBounds *box, int side) {
    BrVec3 *end = side < 3 ? &box->low : &box->high;
    return side % 3 == 0 ? &end->x : side % 3 == 1 ? &end->y : &end->z;
}

/* Boxes of a size that makes each meet a few others. */
static void draw_alike(Random *random, BriBounds *box, int count) {
    double half = 0.7 / cbrt(count);
    for (int i = 0; i < count; i++) box[i] = box_at(draw_point(random, 0, 1), bri_vec(half, half, half));
}

/* Sizes over eight decades, thin plates and needles among them. */
static void draw_spread(Random *random, BriBounds *box, int count) {
    for (int i = 0; i < count; i++) {
        BrVec3 e = draw_point(random, -7, 1);
        box[i] = box_at(draw_point(random, 0, 1), bri_vec(pow(10, e.x), pow(10, e.y), pow(10, e.z)));
    }
}

/* On a coarse lattice: faces that touch exactly, boxes that are equal, boxes without thickness. */
static void draw_lattice(Random *random, BriBounds *box, int count) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            int low = draw_int(random, 0, 12);
            *side_of(&box[i], k) = low;
            *side_of(&box[i], k + 3) = low + draw_int(random, 0, 1);
        }
}

/* Alike, but some reach to infinity, lie far away, are inside out, are empty or no numbers. */
static void draw_wild(Random *random, BriBounds *box, int count) {
    static const double strange[] = {INFINITY, -INFINITY, NAN, 1e300, -1e300, 5e7, 0};
    draw_alike(random, box, count);
    for (int i = draw_int(random, 0, count / 4); i > 0; i--) {
        BriBounds *b = &box[draw_int(random, 0, count - 1)];
        int kind = draw_int(random, 0, 4);
        if (kind == 0) *b = box_at(bri_vec(0, 0, 0), bri_vec(INFINITY, INFINITY, INFINITY));
        if (kind == 1) *side_of(b, draw_int(random, 0, 2)) = -INFINITY;
        if (kind == 2) *side_of(b, draw_int(random, 3, 5)) = INFINITY;
        if (kind == 3) *side_of(b, draw_int(random, 0, 5)) = strange[draw_int(random, 0, BRI_COUNT(strange) - 1)];
        if (kind == 4) *b = box_at(bri_vec(0, 0, 0), bri_vec(-INFINITY, -INFINITY, -INFINITY));
    }
}

static void (*const draw_scene[])(Random *, BriBounds *, int) = {draw_alike, draw_spread, draw_lattice, draw_wild};

/* ------------------------------------------------------------------ all pairs */

static bool overlap(const BriBounds *a, const BriBounds *b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static BriPair expected[ROOM];

static int ask_all(const BriBounds *box, int count, bool (*wants)(const void *, int, int), const void *user) {
    int found = 0;
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++)
            if (overlap(&box[a], &box[b]) && (!wants || wants(user, a, b))) expected[found++] = (BriPair){a, b};
    return found;
}

static void check(BriBroad *broad, const BriBounds *box, int count, bool (*wants)(const void *, int, int),
                  const void *user) {
    const BriPair *pair;
    int needed = ask_all(box, count, wants, user), found = bri_broad_find(broad, box, wants, user, &pair);
    assert_int_equal(found, needed);
    assert_non_null(pair);
    assert_memory_equal(pair, expected, (size_t)found * sizeof *pair);
}

static BriBroad *create(int count, int pairs, Counter *counter) {
    BrAllocator allocator = counting_allocator(counter);
    BriBroad *broad;
    assert_int_equal(bri_broad_create(count, pairs, &allocator, &broad, NULL), BR_OK);
    return broad;
}

static void release(BriBroad *broad, Counter *counter) {
    BrAllocator allocator = counting_allocator(counter);
    bri_broad_release(broad, &allocator);
    assert_int_equal(counter->live, 0);
}

/* ------------------------------------------------------------------ tests */

/* Every scene at sizes around those where the method changes. */
static void test_finds_what_asking_all_finds(void **unused) {
    (void)unused;
    static const int counts[] = {0, 1, 2, 3, 10, 63, 64, 65, 66, 127, 128, 129, 300, MOST};
    static BriBounds box[MOST];
    Random random = {1};
    for (int n = 0; n < BRI_COUNT(counts); n++)
        for (int scene = 0; scene < BRI_COUNT(draw_scene); scene++) {
            Counter counter = {0};
            BriBroad *broad = create(counts[n], ROOM, &counter);
            for (int again = 0; again < 5; again++) {
                if (counts[n] > 0) draw_scene[scene](&random, box, counts[n]);
                check(broad, box, counts[n], NULL, NULL);
            }
            release(broad, &counter);
        }
}

static bool wants_lively(const void *user, int a, int b) {
    const unsigned char *idle = user;
    return !idle[a] || !idle[b];
}

/* Two idle boxes are no pair, wherever they stand in the tree; all other pairs are found, also with idle ones. */
static void test_idle_boxes_are_passed_over(void **unused) {
    (void)unused;
    static const int counts[] = {10, 64, 65, 300, MOST};
    static const double parts[] = {0, 0.5, 0.97, 1}; /* idle */
    static BriBounds box[MOST];
    static unsigned char idle[MOST];
    Random random = {3};
    for (int n = 0; n < BRI_COUNT(counts); n++)
        for (int scene = 0; scene < BRI_COUNT(draw_scene); scene++) {
            Counter counter = {0};
            BriBroad *broad = create(counts[n], ROOM, &counter);
            const BriPair *pair;
            for (int p = 0; p < BRI_COUNT(parts); p++) {
                draw_scene[scene](&random, box, counts[n]);
                for (int i = 0; i < counts[n]; i++) idle[i] = (i * 37 + 11) % 100 < 100 * parts[p];
                int needed = ask_all(box, counts[n], wants_lively, idle);
                bri_broad_set_idle(broad, idle);
                assert_int_equal(bri_broad_find(broad, box, NULL, NULL, &pair), needed);
                assert_memory_equal(pair, expected, (size_t)needed * sizeof *pair);
                bri_broad_set_idle(broad, NULL);
                check(broad, box, counts[n], NULL, NULL);
            }
            release(broad, &counter);
        }
}

/* Touching counts, the next number apart does not. Below and above the size where the tree begins. */
static void test_equal_faces_overlap(void **unused) {
    (void)unused;
    static BriBounds box[200];
    for (int count = 2; count <= 200; count += 198) {
        Counter counter = {0};
        BriBroad *broad = create(count, ROOM, &counter);
        const BriPair *pair;
        for (int i = 0; i < count; i++) box[i] = (BriBounds){{i, 0, 0}, {i + 1, 0, 0}};
        assert_int_equal(bri_broad_find(broad, box, NULL, NULL, &pair), count - 1);
        for (int i = 0; i < count; i++) box[i].high.x = nextafter(i + 1, 0);
        assert_int_equal(bri_broad_find(broad, box, NULL, NULL, &pair), 0);
        release(broad, &counter);
    }
}

static void test_equal_boxes_all_meet(void **unused) {
    (void)unused;
    static BriBounds box[MOST];
    Counter counter = {0};
    BriBroad *broad = create(MOST, ROOM, &counter);
    for (int i = 0; i < MOST; i++) box[i] = box_at(bri_vec(1, 2, 3), bri_vec(0, 0, 0));
    check(broad, box, MOST, NULL, NULL);
    release(broad, &counter);
}

/* Boxes that are no numbers, all of them or one side of each, meet nothing, not even the endless. */
static void test_nan_meets_nothing(void **unused) {
    (void)unused;
    static BriBounds box[200];
    for (int count = 12; count <= 200; count += 188)
        for (int side = 0; side < 6; side++) {
            Counter counter = {0};
            BriBroad *broad = create(count, ROOM, &counter);
            const BriPair *pair;
            for (int i = 0; i < count; i++) {
                box[i] = box_at(bri_vec(0, 0, 0), bri_vec(INFINITY, INFINITY, INFINITY));
                if (i > 0) *side_of(&box[i], side) = NAN;
            }
            assert_int_equal(bri_broad_find(broad, box, NULL, NULL, &pair), 0);
            release(broad, &counter);
        }
}

typedef struct Filter {
    const BriBounds *box;
    int modulus;
} Filter;

/* Asked only about boxes that overlap, with the smaller number first. */
static bool wants_some(const void *user, int a, int b) {
    const Filter *filter = user;
    assert_true(a < b);
    assert_true(overlap(&filter->box[a], &filter->box[b]));
    return (a + b) % filter->modulus == 0;
}

static void test_filter_decides(void **unused) {
    (void)unused;
    static BriBounds box[MOST];
    Random random = {2};
    for (int count = 40; count <= MOST; count += 220)
        for (int scene = 0; scene < BRI_COUNT(draw_scene); scene++) {
            Counter counter = {0};
            BriBroad *broad = create(count, ROOM, &counter);
            draw_scene[scene](&random, box, count);
            check(broad, box, count, wants_some, &(Filter){box, 3});
            release(broad, &counter);
        }
}

/* Too little room: the number needed, no list; with just that room, the list. Pairs not wanted take no room. */
static void test_room_exhausted_says_what_is_needed(void **unused) {
    (void)unused;
    static BriBounds box[MOST];
    Random random = {3};
    for (int count = 40; count <= MOST; count += 660) {
        draw_alike(&random, box, count);
        int needed = ask_all(box, count, NULL, NULL);
        Filter filter = {box, 2};
        int wanted = ask_all(box, count, wants_some, &filter);
        assert_in_range(wanted, 1, needed - 1);
        for (int room = needed; room >= 0; room = room > 0 && room < needed ? 0 : room - 1) {
            Counter counter = {0};
            BriBroad *broad = create(count, room, &counter);
            const BriPair *pair = expected;
            assert_int_equal(bri_broad_find(broad, box, NULL, NULL, &pair), needed);
            assert_int_equal(pair == NULL, room < needed);
            if (room >= wanted) check(broad, box, count, wants_some, &filter);
            release(broad, &counter);
        }
    }
}

/* Boxes that wander, jump, and are endless at times: one broad phase asked all along, and a fresh one each time. */
static void test_history_changes_nothing(void **unused) {
    (void)unused;
    static BriBounds box[300];
    const int count = 300;
    Random random = {4};
    Counter counter = {0};
    BriBroad *old = create(count, ROOM, &counter);
    draw_alike(&random, box, count);
    for (int call = 0; call < 300; call++) {
        if (call % 50 == 20) draw_scene[call / 50 % BRI_COUNT(draw_scene)](&random, box, count);
        for (int i = 0; i < count; i++) {
            BrVec3 step = draw_point(&random, -0.01, 0.01);
            box[i] = (BriBounds){bri_add(box[i].low, step), bri_add(box[i].high, step)};
        }
        check(old, box, count, NULL, NULL);
        Counter fresh_counter = {0};
        BriBroad *fresh = create(count, ROOM, &fresh_counter);
        check(fresh, box, count, NULL, NULL);
        release(fresh, &fresh_counter);
    }
    release(old, &counter);
}

/* 20 000 boxes 1 cm wide, one of 100 m that holds them all, one that has fallen 50 km: each neighbour on the lattice
 * is found once. */
static void test_one_giant_among_many(void **unused) {
    (void)unused;
    enum { SIDE = 27, SMALL = SIDE * SIDE * SIDE, COUNT = SMALL + 2 };
    BriBounds *box = calloc(COUNT, sizeof *box);
    assert_non_null(box);
    for (int i = 0; i < SMALL; i++) {
        int x = i % SIDE, y = i / SIDE % SIDE, z = i / SIDE / SIDE;
        box[i] = box_at(bri_scale(0x1p-6, bri_vec(x, y, z)), bri_vec(0x1p-7, 0x1p-7, 0x1p-7)); /* exact */
    }
    box[SMALL] = box_at(bri_vec(0, 0, 0), bri_vec(50, 50, 50));
    box[SMALL + 1] = box_at(bri_vec(0, 0, -5e4), bri_vec(0.005, 0.005, 0.005));
    Counter counter = {0};
    BriBroad *broad = create(COUNT, 15 * SMALL, &counter);
    const BriPair *pair;
    /* neighbours per axis: (3 SIDE - 2) ordered pairs with itself, so (that^3 - SMALL)/2 pairs; and the giant's */
    int line = 3 * SIDE - 2, needed = (line * line * line - SMALL) / 2 + SMALL;
    for (int call = 0; call < 3; call++) assert_int_equal(bri_broad_find(broad, box, NULL, NULL, &pair), needed);
    release(broad, &counter);
    free(box);
}

static void test_memory_only_at_create(void **unused) {
    (void)unused;
    static BriBounds box[MOST];
    Random random = {5};
    Counter counter = {0};
    BriBroad *broad = create(MOST, ROOM, &counter);
    int64_t calls = counter.calls;
    const BriPair *pair;
    for (int n = 0; n < 200; n++) {
        draw_scene[n % BRI_COUNT(draw_scene)](&random, box, MOST);
        bri_broad_find(broad, box, NULL, NULL, &pair);
    }
    assert_int_equal(counter.calls, calls);
    release(broad, &counter);
}

static void test_any_allocation_may_fail(void **unused) {
    (void)unused;
    for (int count = 3; count <= 300; count += 297)
        for (int fail_at = 1;; fail_at++) {
            Counter counter = {.fail_at = fail_at};
            BrAllocator allocator = counting_allocator(&counter);
            BriBroad *broad;
            BrError error;
            BrStatus status = bri_broad_create(count, 10, &allocator, &broad, &error);
            if (status == BR_OK) {
                assert_true(counter.calls < fail_at);
                bri_broad_release(broad, &allocator);
                break;
            }
            assert_int_equal(status, BR_OUT_OF_MEMORY);
            assert_null(broad);
            assert_true(strlen(error.text) > 0);
            assert_int_equal(counter.live, 0);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_what_asking_all_finds),
        cmocka_unit_test(test_idle_boxes_are_passed_over),
        cmocka_unit_test(test_equal_faces_overlap),
        cmocka_unit_test(test_equal_boxes_all_meet),
        cmocka_unit_test(test_nan_meets_nothing),
        cmocka_unit_test(test_filter_decides),
        cmocka_unit_test(test_room_exhausted_says_what_is_needed),
        cmocka_unit_test(test_history_changes_nothing),
        cmocka_unit_test(test_one_giant_among_many),
        cmocka_unit_test(test_memory_only_at_create),
        cmocka_unit_test(test_any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
