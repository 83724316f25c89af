/* test_threads.c: a step on several threads has the bits of a step on one, and asks its caller from the caller's thread
 * alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "base/threads.h"
#include "machine.h"

static const int THREADS[] = {1, 2, 3, 8};
enum { KINDS = sizeof THREADS / sizeof THREADS[0] };

static uint64_t next_random(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static double random_part(uint64_t *seed) { return (double)next_random(seed) * 0x1p-31; } /* 0 .. 1 */

/* ------------------------------------------------------------------ loops */

typedef struct Visits {
    unsigned char *seen;
    int last[BRI_MOST_THREADS], shares[BRI_MOST_THREADS]; /* per lane */
    bool disordered[BRI_MOST_THREADS];
} Visits;

static void visit(void *loop, const BriShare *share) {
    Visits *v = loop;
    for (int i = share->begin; i < share->end; i++) v->seen[i]++;
    if (share->begin < v->last[share->lane]) v->disordered[share->lane] = true;
    v->last[share->lane] = share->end;
    v->shares[share->lane]++;
}

static int count_shares(const Visits *v) {
    int shares = 0;
    for (int lane = 0; lane < BRI_MOST_THREADS; lane++) shares += v->shares[lane];
    return shares;
}

/* Every element once, on however many threads; a lane's shares ascend. Wide shares are not more than threads. */
static void loops_are_whole(void **unused) {
    (void)unused;
    static const int COUNTS[] = {0, 1, 63, 64, 127, 128, 129, 191, 1000, 100003};
    for (size_t c = 0; c < sizeof COUNTS / sizeof COUNTS[0]; c++)
        for (int t = 0; t < 2 * KINDS; t++) {
            Visits v = {.seen = calloc((size_t)COUNTS[c] + 1, 1)};
            bool widely = t >= KINDS;
            (widely ? bri_share_widely : bri_share)(THREADS[t % KINDS], COUNTS[c], visit, &v);
            for (int i = 0; i < COUNTS[c]; i++) assert_int_equal(v.seen[i], 1);
            assert_int_equal(v.seen[COUNTS[c]], 0);
            for (int lane = 0; lane < BRI_MOST_THREADS; lane++) assert_false(v.disordered[lane]);
            if (widely) assert_in_range(count_shares(&v), 1, THREADS[t % KINDS]);
            free(v.seen);
        }
}

/* Cells that are mixed, each with one of the stage before it. */
enum { STAGES = 40, WIDTH = 20, CELLS = STAGES * WIDTH };

typedef struct Mixing {
    uint64_t cell[CELLS];
} Mixing;

static void mix(void *loop, const BriShare *share) {
    uint64_t *cell = ((Mixing *)loop)->cell;
    for (int k = share->begin; k < share->end; k++) {
        int stage = k / WIDTH, before = (stage + STAGES - 1) % STAGES;
        uint64_t seed = cell[before * WIDTH + (k * 37 + stage) % WIDTH] ^ cell[k];
        cell[k] = next_random(&seed) + (uint64_t)share->backwards;
    }
}

/* A stage sees all of the one before it, the first that of the last round. */
static void stages_wait_for_each_other(void **unused) {
    (void)unused;
    static Mixing mixing[KINDS];
    BriStage stage[STAGES];
    for (int k = 0; k < STAGES; k++) stage[k] = (BriStage){k * WIDTH, (k + 1) * WIDTH};
    for (int t = 0; t < KINDS; t++) {
        for (int i = 0; i < CELLS; i++) mixing[t].cell[i] = (uint64_t)i;
        for (int round = 0; round < 60; round += 3)
            bri_share_stages(THREADS[t], &(BriStages){stage, STAGES, round, 3}, mix, &mixing[t]);
        assert_memory_equal(&mixing[t], &mixing[0], sizeof mixing[0]);
    }
}

/* ------------------------------------------------------------------ piles */

/* What is poured onto the floor: balls, every fourth a box, all a little beside their places, some of them flying. */
static Machine make_heap(int wide, int high, const char *friction) {
    Machine m = machine_begin(vec(0, 0, -9.81));
    BrMaterialDef def = br_default_material_def();
    def.name = "stone";
    def.surface.friction = br_law(BR_LAW_FRICTION, friction);
    br_law_set(&def.surface.friction, "mu", 0.4);
    br_law_set(&def.surface.friction, "mu_r", 1e-3); /* of rolling alone */
    BrMaterialId stone = machine_add_material(&m, &def);
    BrBodyId *body = calloc((size_t)wide * (size_t)wide * (size_t)high, sizeof *body);
    uint64_t seed = 7;
    machine_floor(&m, stone);
    for (int n = 0; n < wide * wide * high; n++) {
        int x = n % wide, y = n / wide % wide, z = n / (wide * wide);
        BrVec3 at = vec(0.1 * x, 0.1 * y, 0.05 + 0.0985 * z);
        at = add(at, scale(0.004, vec(random_part(&seed), random_part(&seed), random_part(&seed))));
        char name[16];
        snprintf(name, sizeof name, "b%d", n);
        body[n] = n % 4 ? machine_ball(&m, name, 1, 0.05, at, stone)
                        : machine_block(&m, name, 1, vec(0.08, 0.08, 0.08), at, stone);
    }
    machine_ready(&m);
    for (int n = 0; n < wide * wide * high; n += 5)
        machine_set_twist(&m, body[n], vec(0.3 * random_part(&seed), 0.2, -0.5), vec(1, 0, 2));
    free(body);
    return m;
}

/* Once more with each number of threads, from the same state: the state after it and what is told of the step. */
static void compare_steps(Machine *m, BrStepDef def, int steps) {
    BrState *after[KINDS];
    BrStepReport report[KINDS];
    BrError error = {0};
    for (int t = 0; t < KINDS; t++) assert_int_equal(br_state_create(m->model, &after[t], &error), BR_OK);
    for (int k = 0; k < steps; k++) {
        for (int t = 0; t < KINDS; t++) {
            br_state_copy(after[t], m->state);
            def.threads = THREADS[t];
            if (br_step(m->model, m->workspace, after[t], &def, &report[t], &error) < 0)
                fail_msg("step %d on %d threads: %s", k, THREADS[t], error.text);
            assert_true(br_state_hash(after[t]) == br_state_hash(after[0]));
            assert_true(report[t].work == report[0].work);
            assert_true(report[t].contact_residual == report[0].contact_residual);
            assert_int_equal(report[t].solver_iterations, report[0].solver_iterations);
            assert_memory_equal(report[t].worst_contact, report[0].worst_contact, sizeof report[0].worst_contact);
        }
        br_state_copy(m->state, after[KINDS - 1]);
    }
    for (int t = 0; t < KINDS; t++) br_state_destroy(m->model, after[t]);
}

/* Piles that are solved by whatever it takes, and by sweeps alone, for which more is not allowed; two schemes, two laws,
 * and box friction, whose blocks are rows of their own. */
static void piles_have_the_same_bits(void **unused) {
    (void)unused;
    static const struct {
        BrScheme scheme;
        BrFrictionSet set;
        const char *law;
        double work;
    } CASES[] = {{BR_SCHEME_MOREAU, BR_FRICTION_CONE, "coulomb", 1e8},
                 {BR_SCHEME_MOREAU, BR_FRICTION_CONE, "coulomb", 3e6},
                 {BR_SCHEME_HEM2, BR_FRICTION_CONE, "rolling", 3e6},
                 {BR_SCHEME_MOREAU, BR_FRICTION_BOX, "coulomb", 3e6}};
    if (!bri_has_threads()) skip();
    int wide = is_slow_run() ? 14 : 16, steps = is_slow_run() ? 2 : 6;
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        Machine m = make_heap(wide, 3, CASES[k].law);
        BrStepDef def = machine_step_def(CASES[k].scheme, 2e-3);
        def.friction_set = CASES[k].set;
        def.contact_work = CASES[k].work;
        compare_steps(&m, def, steps);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ places, islands, joints */

/* Shapes of every kind that may lie on a floor, each about 0.1 m wide. */
static BrShapeDef make_shape(int number, BrMaterialId material) {
    static const BrShapeKind KIND[] = {BR_SHAPE_SPHERE,   BR_SHAPE_BOX,  BR_SHAPE_CAPSULE,
                                       BR_SHAPE_CYLINDER, BR_SHAPE_DISC, BR_SHAPE_ELLIPSOID};
    BrShapeDef def = br_default_shape_def();
    def.kind = KIND[number % (int)(sizeof KIND / sizeof KIND[0])];
    def.material = material;
    if (def.kind == BR_SHAPE_BOX) def.size = vec(0.08, 0.09, 0.1);
    if (def.kind == BR_SHAPE_ELLIPSOID) def.size = vec(0.04, 0.045, 0.05); /* semi-axes */
    if (def.kind != BR_SHAPE_BOX && def.kind != BR_SHAPE_ELLIPSOID) def.radius = 0.048;
    if (def.kind == BR_SHAPE_CAPSULE) def.radius = 0.03, def.length = 0.04;
    if (def.kind == BR_SHAPE_CYLINDER) def.length = 0.09;
    return def;
}

/* A body of that shape, turned anyhow. */
static BrBodyId add_pebble(Machine *m, int number, BrVec3 at, BrMaterialId material, uint64_t *seed) {
    BrShapeDef shape = make_shape(number, material);
    BrBodyDef def = br_default_body_def();
    char name[16];
    snprintf(name, sizeof name, "b%d", number);
    def.name = name;
    def.mass = 1;
    def.inertia = diagonal(1e-3, 1e-3, 1e-3);
    def.position = at;
    def.rotation = turn_about(vec(random_part(seed), random_part(seed), 1), 6 * random_part(seed));
    def.velocity = vec(0.1 * random_part(seed), 0, -1);
    shape.body = machine_add_body(m, &def);
    machine_add_shape(m, &shape);
    return shape.body;
}

static Machine begin_with_room(int capacity) {
    Machine m = {0};
    BrModelDef def = br_default_model_def();
    BrBodyDef ground = br_default_body_def();
    def.gravity = vec(0, 0, -9.81);
    def.contact_capacity = capacity;
    ground.name = "ground";
    ground.kind = BR_BODY_FIXED;
    assert_int_equal(br_model_create(&def, &m.model, NULL), BR_OK);
    m.ground = machine_add_body(&m, &ground);
    return m;
}

/* Pebbles of all shapes, all in one heap, or two and two so far apart that each two are an island; `joined`: the two
 * hang together. `capacity`: of contacts; 0: enough. */
typedef struct Pebbles {
    int wide, high;
    double apart; /* m */
    bool joined;
    int capacity;
} Pebbles;

static Machine make_pebbles(Pebbles p) {
    Machine m = p.capacity ? begin_with_room(p.capacity) : machine_begin(vec(0, 0, -9.81));
    BrMaterialId stone = machine_material(&m, "stone", 0.5, 0);
    BrBodyId below[1024];
    uint64_t seed = 11;
    machine_floor(&m, stone);
    for (int n = 0; n < p.wide * p.wide * p.high; n++) {
        int column = n % (p.wide * p.wide), x = column % p.wide, y = column / p.wide, z = n / (p.wide * p.wide);
        BrVec3 at = vec(p.apart * x, p.apart * y, 0.055 + 0.1 * z);
        BrBodyId body = add_pebble(&m, n, at, stone, &seed);
        char name[16];
        snprintf(name, sizeof name, "j%d", n);
        if (p.joined && z > 0) machine_joint(&m, name, BR_JOINT_SPHERICAL, below[column], body, at, vec(0, 0, 1));
        below[column] = body;
    }
    machine_ready(&m);
    return m;
}

/* What is found, remembered and asked of contacts of all shapes; islands, with joints and without, and a pile with both.
 * Some of them slide, some stop: modes change. */
static void pebbles_have_the_same_bits(void **unused) {
    (void)unused;
    static const struct {
        Pebbles pebbles;
        BrScheme scheme;
    } CASES[] = {{{16, 3, 0.1, false, 0}, BR_SCHEME_MOREAU},
                 {{16, 2, 0.3, false, 0}, BR_SCHEME_MOREAU},
                 {{16, 2, 0.3, false, 0}, BR_SCHEME_HEM2},
                 {{12, 2, 0.3, true, 0}, BR_SCHEME_MOREAU},
                 {{16, 3, 0.1, true, 0}, BR_SCHEME_MOREAU}};
    if (!bri_has_threads()) skip();
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        Machine m = make_pebbles(CASES[k].pebbles);
        BrStepDef def = machine_step_def(CASES[k].scheme, 2e-3);
        def.contact_work = 1e7;
        compare_steps(&m, def, is_slow_run() ? 2 : 8);
        machine_end(&m);
    }
}

/* Memory that only one asks for at a time. */
typedef struct Memory {
    atomic_flag taken;
    atomic_int at_once, asked;
} Memory;

static void begin_to_ask(Memory *memory) {
    atomic_fetch_add(&memory->asked, 1);
    if (atomic_flag_test_and_set(&memory->taken)) atomic_fetch_add(&memory->at_once, 1);
}

static void *allocate(void *user, size_t size) {
    begin_to_ask(user);
    void *taken = malloc(size);
    atomic_flag_clear(&((Memory *)user)->taken);
    return taken;
}

static void release(void *user, void *taken) {
    begin_to_ask(user);
    free(taken);
    atomic_flag_clear(&((Memory *)user)->taken);
}

/* So many pyramids of six boxes, thrown over a floor; `others`: a heap of pebbles among them, with loops of its own. */
static Machine throw_pyramids(int count, bool others, Memory *memory) {
    enum { ROWS = 3 };
    const double SIDE = 0.1;
    Machine m = {0};
    BrModelDef def = br_default_model_def();
    BrBodyDef ground = br_default_body_def();
    def.gravity = vec(0, 0, -9.81);
    def.allocator = (BrAllocator){allocate, release, memory};
    ground.name = "ground";
    ground.kind = BR_BODY_FIXED;
    assert_int_equal(br_model_create(&def, &m.model, NULL), BR_OK);
    m.ground = machine_add_body(&m, &ground);
    BrMaterialId stone = machine_material(&m, "stone", 0.5, 0);
    BrBodyId box[16 * ROWS * (ROWS + 1) / 2];
    uint64_t seed = 5;
    int boxes = 0;
    machine_floor(&m, stone);
    for (int n = 0; n < count; n++)
        for (int row = 0; row < ROWS; row++)
            for (int k = 0; k < ROWS - row; k++) {
                BrVec3 at = vec(n, 1.05 * SIDE * (k + 0.5 * row), SIDE * (0.5 + row));
                char name[16];
                snprintf(name, sizeof name, "box%d", boxes);
                box[boxes++] = machine_block(&m, name, 1, vec(SIDE, SIDE, SIDE), at, stone);
            }
    for (int n = 0; others && n < 10 * 10 * 3; n++)
        add_pebble(&m, n, vec(0.1 * (n % 10), 3 + 0.1 * (n / 10 % 10), 0.055 + 0.1 * (n / 100)), stone, &seed);
    machine_ready(&m);
    for (int k = 0; k < boxes; k++) machine_set_twist(&m, box[k], vec(1, 0.1 * (k / 6), 0), vec(0, 0, 0));
    return m;
}

/* Islands that threads solve at once, each with what it takes: some in a moment, some with all that there is, some wide,
 * which are solved by all threads together. */
static void islands_have_the_same_bits(void **unused) {
    (void)unused;
    static const struct {
        Pebbles pebbles;
        BrScheme scheme;
        BrFrictionSet set;
    } CASES[] = {{{8, 2, 0.3, false, 0}, BR_SCHEME_MOREAU, BR_FRICTION_CONE},
                 {{8, 2, 0.3, true, 0}, BR_SCHEME_MOREAU, BR_FRICTION_CONE},
                 {{8, 2, 0.3, true, 0}, BR_SCHEME_HEM2, BR_FRICTION_CONE},
                 {{6, 3, 0.3, true, 0}, BR_SCHEME_MOREAU, BR_FRICTION_POLYGON}};
    if (!bri_has_threads()) skip();
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        Machine m = make_pebbles(CASES[k].pebbles);
        BrStepDef def = machine_step_def(CASES[k].scheme, 2e-3);
        def.friction_set = CASES[k].set;
        compare_steps(&m, def, is_slow_run() ? 3 : 12);
        machine_end(&m);
    }
    for (int others = 0; others < 2; others++) {
        Memory memory = {.taken = ATOMIC_FLAG_INIT};
        Machine m = throw_pyramids(others ? 4 : 12, others, &memory);
        compare_steps(&m, machine_step_def(BR_SCHEME_MOREAU, 2e-3), is_slow_run() ? 3 : others ? 6 : 80);
        machine_end(&m);
        assert_true(atomic_load(&memory.asked) > 100);
        assert_int_equal(atomic_load(&memory.at_once), 0);
    }
}

/* A model that has no room for them tells how many there are, whoever counts. */
static void threads_count_what_does_not_fit(void **unused) {
    (void)unused;
    if (!bri_has_threads()) skip();
    Machine m = make_pebbles((Pebbles){16, 3, 0.1, false, 600});
    BrStepDef def = machine_step_def(BR_SCHEME_MOREAU, 2e-3);
    BrError first = {0}, error = {0};
    uint64_t before = br_state_hash(m.state);
    for (int t = 0; t < KINDS; t++) {
        def.threads = THREADS[t];
        assert_int_equal(br_step(m.model, m.workspace, m.state, &def, NULL, t ? &error : &first), BR_CAPACITY);
        assert_true(br_state_hash(m.state) == before);
        if (t) assert_string_equal(error.text, first.text);
    }
    assert_non_null(strstr(first.text, "contacts are needed"));
    machine_end(&m);
}

/* ------------------------------------------------------------------ the caller */

typedef struct Caller {
    thrd_t thread;
    int asked, elsewhere;
} Caller;

static bool count_looks(void *user) {
    Caller *caller = user;
    caller->asked++;
    caller->elsewhere += !thrd_equal(thrd_current(), caller->thread);
    return false;
}

static void only_the_caller_is_asked(void **unused) {
    (void)unused;
    if (!bri_has_threads()) skip();
    Memory memory = {.taken = ATOMIC_FLAG_INIT};
    for (int islands = 0; islands < 2; islands++) { /* a pile; then islands of which each thread solves some */
        Machine m = islands ? throw_pyramids(12, false, &memory) : make_heap(14, 3, "coulomb");
        Caller caller = {.thread = thrd_current()};
        BrStepDef def = machine_step_def(BR_SCHEME_MOREAU, 2e-3);
        def.threads = 3;
        def.stop = count_looks;
        def.stop_user = &caller;
        for (int k = 0; k < (islands ? 80 : 1); k++)
            assert_true(br_step(m.model, m.workspace, m.state, &def, NULL, NULL) >= 0);
        assert_true(caller.asked > 2);
        assert_int_equal(caller.elsewhere, 0);
        machine_end(&m);
    }
}

static void what_is_no_number_of_threads_is_refused(void **unused) {
    (void)unused;
    static const int WRONG[] = {-1, 0, 65};
    Machine m = make_heap(2, 1, "coulomb");
    BrStepDef def = machine_step_def(BR_SCHEME_MOREAU, 2e-3);
    BrError error = {0};
    assert_int_equal(def.threads, 1);
    for (int i = 0; i < 3; i++) {
        def.threads = WRONG[i];
        assert_int_equal(br_step(m.model, m.workspace, m.state, &def, NULL, &error), BR_INVALID_ARGUMENT);
        assert_non_null(strstr(error.text, "1 to 64"));
    }
    def.threads = 2;
    BrStatus status = br_step_fits(m.model, &def, &error);
    assert_int_equal(status, bri_has_threads() ? BR_OK : BR_UNSUPPORTED);
    if (status != BR_OK) assert_non_null(strstr(error.text, "OpenMP"));
    machine_end(&m);
}

/* LLVM's OpenMP keeps some memory for its threads to the very end; the leak sanitizer asks here. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libomp"; }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_whole),
        cmocka_unit_test(stages_wait_for_each_other),
        cmocka_unit_test(piles_have_the_same_bits),
        cmocka_unit_test(pebbles_have_the_same_bits),
        cmocka_unit_test(islands_have_the_same_bits),
        cmocka_unit_test(threads_count_what_does_not_fit),
        cmocka_unit_test(only_the_caller_is_asked),
        cmocka_unit_test(what_is_no_number_of_threads_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
