/* lanes.c: see lanes.h.
 *
 * A lane is what a thread solves islands with: a desk of its own, and a step whose workspace is the caller's but for
 * that desk. Where the step's work has no bound of the user's, every island may take what is left when the round
 * begins, whoever is first; what they took is summed up in their order. Where it has one, islands share it one after the
 * other. Islands that keep several threads busy themselves are left to the calling thread. */
#include "contact/lanes.h"

#include "base/threads.h"
#include "contact/desk.h"

#include <stdatomic.h>
#include <threads.h>

/* An island to be solved, and what that took. */
typedef struct Task {
    BriIsland island;
    double spent; /* operations */
} Task;

/* The user's functions for memory need not know of threads: one asks at a time. */
typedef struct Guard {
    atomic_flag taken;
    const BrAllocator *allocator;
} Guard;

typedef struct Lane {
    BriDesk desk;
    double *x, *error; /* scratch of solves with all joints */
    /* what the caller has, with these in place; of the round at hand */
    BrModel model;
    BrStepDef def;
    BriBudget budget;
    BrStepReport report;
    BrWorkspace ws;
    BriContacts contacts;
    BriStep step;
} Lane;

struct BriLanes {
    int count;
    Lane *lane[BRI_MOST_THREADS];
    Task *task;
    int64_t task_room;
    Guard guard;
};

/* ------------------------------------------------------------------ memory */

static Guard *enter(void *user) {
    Guard *guard = user;
    while (atomic_flag_test_and_set_explicit(&guard->taken, memory_order_acquire)) thrd_yield();
    return guard;
}

static void leave(Guard *guard) { atomic_flag_clear_explicit(&guard->taken, memory_order_release); }

static void *allocate_guarded(void *user, size_t size) {
    Guard *guard = enter(user);
    void *memory = guard->allocator->allocate(guard->allocator->user, size);
    leave(guard);
    return memory;
}

static void release_guarded(void *user, void *memory) {
    Guard *guard = enter(user);
    guard->allocator->release(guard->allocator->user, memory);
    leave(guard);
}

/* ------------------------------------------------------------------ room */

static void release_lane(const BrModel *m, Lane *lane) {
    if (!lane) return;
    bri_desk_release(m, &lane->desk);
    bri_release(&m->allocator, lane->x);
    bri_release(&m->allocator, lane->error);
    bri_release(&m->allocator, lane);
}

void bri_lanes_release(const BrModel *m, BriContacts *c) {
    for (int k = 0; c->lanes && k < c->lanes->count; k++) release_lane(m, c->lanes->lane[k]);
    if (c->lanes) bri_release(&m->allocator, c->lanes->task);
    bri_release(&m->allocator, c->lanes);
}

/* NULL: no memory. */
static Lane *make_lane(const BrModel *m, const BriContacts *c) {
    Lane *lane = bri_allocate(&m->allocator, 1, sizeof *lane);
    if (!lane) return NULL;
    lane->x = bri_allocate(&m->allocator, 6 * (size_t)m->moving + (size_t)m->rows, sizeof(double));
    lane->error = bri_allocate(&m->allocator, (size_t)m->rows, sizeof(double));
    if (bri_desk_make(m, c->desk.pile, &lane->desk) && lane->x && lane->error) return lane;
    release_lane(m, lane);
    return NULL;
}

/* So many lanes, for islands of so many rows, and room for so many tasks. false: no memory. */
static bool make_room(const BriStep *step, int lanes, int rows, int tasks) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    if (!c->lanes) c->lanes = bri_allocate(&m->allocator, 1, sizeof *c->lanes);
    BriLanes *all = c->lanes;
    if (!all) return false;
    for (; all->count < lanes; all->count++)
        if (!(all->lane[all->count] = make_lane(m, c))) return false;
    for (int k = 0; k < lanes; k++)
        if (!bri_desk_make_room(m, c, rows, &all->lane[k]->desk)) return false;
    return bri_make_numbers((void **)&all->task, &all->task_room, &m->allocator, tasks, sizeof *all->task);
}

/* ------------------------------------------------------------------ a round */

typedef struct Round {
    BriStep *step;
    BriLanes *lanes;
    BriSolveIsland *solve;
    const void *asked;
} Round;

/* The budget as it was; returns what was taken of it since it was `from`. */
static double take_back(BriBudget *budget, double from) {
    double spent = budget->spent - from;
    budget->spent = from;
    budget->next_look -= spent;
    return spent;
}

static void give(BriBudget *budget, double spent) {
    budget->spent += spent;
    budget->next_look += spent;
}

static void open_lane(const BriStep *step, Guard *guard, Lane *lane, bool calling) {
    lane->model = *step->model;
    lane->model.allocator = (BrAllocator){allocate_guarded, release_guarded, guard};
    lane->def = *step->def;
    lane->def.threads = 1;
    lane->budget = *step->budget;
    if (!calling) lane->budget.stop = NULL; /* nobody else asks the caller */
    bri_report_clear(&lane->report);
    lane->contacts = *step->ws->contacts;
    lane->contacts.desk = lane->desk;
    lane->contacts.desk.matrix_of = -1; /* it is of another step */
    lane->ws = *step->ws;
    lane->ws.contacts = &lane->contacts;
    lane->ws.system.x = lane->x;
    lane->ws.error = lane->error;
    lane->step = *step;
    lane->step.model = &lane->model;
    lane->step.ws = &lane->ws;
    lane->step.def = &lane->def;
    lane->step.budget = &lane->budget;
    lane->step.report = &lane->report;
}

static void close_lane(BriStep *step, Lane *lane) {
    lane->desk = lane->contacts.desk;
    step->budget->stopped = step->budget->stopped || lane->budget.stopped;
    step->report->solver_iterations += lane->report.solver_iterations;
    step->report->solver = bri_stronger_solver(step->report->solver, lane->report.solver);
    step->polygon_times = bri_max(step->polygon_times, lane->step.polygon_times);
}

static void run_task(const Round *round, BriStep *step, Task *task) {
    double from = step->budget->spent;
    round->solve(step, &task->island, round->asked);
    task->spent = take_back(step->budget, from);
}

static void run_share(void *own, const BriShare *share) {
    const Round *round = own;
    for (int k = share->begin; k < share->end; k++)
        run_task(round, &round->lanes->lane[share->lane]->step, &round->lanes->task[k]);
}

/* ------------------------------------------------------------------ who solves what */

/* Islands of more units have loops that are shared out. */
enum { WIDE = 512 };

typedef struct Census {
    int tasks, narrow;   /* islands to be solved; those that are not wide, */
    int rows, most_rows; /* theirs, all together and the most of one */
} Census;

static bool is_wanted(const BriContacts *c, int begin, bool all) { return all || !c->unit[begin].exact; }

static bool is_wide(const BriIsland *island) { return island->end - island->begin > WIDE; }

static Census take_census(const BriContacts *c, bool all) {
    Census census = {0};
    for (int begin = 0; begin < c->units;) {
        BriIsland island = bri_island_at(c, begin);
        begin = island.end;
        if (!is_wanted(c, island.begin, all)) continue;
        census.tasks++;
        if (is_wide(&island)) continue;
        census.narrow++;
        census.rows += island.rows;
        if (island.rows > census.most_rows) census.most_rows = island.rows;
    }
    return census;
}

/* Narrow ones first, each kind in its order. */
static void list_tasks(const BriContacts *c, bool all, int narrow) {
    for (int begin = 0, at[2] = {0, narrow}; begin < c->units;) {
        BriIsland island = bri_island_at(c, begin);
        begin = island.end;
        if (is_wanted(c, island.begin, all)) c->lanes->task[at[is_wide(&island)]++] = (Task){.island = island};
    }
}

/* false: nothing was done; there is too little to do at once, or no memory for it. */
static bool solve_at_once(BriStep *step, bool all, BriSolveIsland *solve, const void *asked) {
    const int FEW = 60;  /* rows: some 20 us, as long as threads take to begin */
    enum { SHARES = 8 }; /* of a thread, so that all end together */
    BriContacts *c = step->ws->contacts;
    int threads = step->def->threads;
    Census census = take_census(c, all);
    if (census.narrow < 2 || census.rows < FEW) return false;
    bool matrices = step->model->joints || step->def->friction_set == BR_FRICTION_POLYGON;
    int rows = matrices || census.most_rows < BRI_SOME_ROWS ? census.most_rows : BRI_SOME_ROWS;
    if (!make_room(step, threads, rows, census.tasks)) return false;
    BriLanes *lanes = c->lanes;
    Round round = {step, lanes, solve, asked};
    list_tasks(c, all, census.narrow);
    lanes->guard = (Guard){.taken = ATOMIC_FLAG_INIT, .allocator = &step->model->allocator};
    for (int k = 0; k < threads; k++) open_lane(step, &lanes->guard, lanes->lane[k], k == 0);
    int least = census.narrow / (SHARES * threads);
    bri_share_out(threads, census.narrow, least > 1 ? least : 1, run_share, &round);
    for (int k = 0; k < threads; k++) close_lane(step, lanes->lane[k]);
    for (int k = census.narrow; k < census.tasks; k++) run_task(&round, step, &lanes->task[k]);
    double spent[2] = {0, 0}; /* of narrow islands, of wide ones */
    for (int k = 0; k < census.tasks; k++) spent[k >= census.narrow] += lanes->task[k].spent;
    give(step->budget, spent[0] + spent[1]);
    return true;
}

void bri_solve_islands(BriStep *step, bool all, BriSolveIsland *solve, const void *asked) {
    BriContacts *c = step->ws->contacts;
    bool bounded = step->def->contact_work < __builtin_inf();
    double spent[2] = {0, 0}, from = step->budget->spent; /* as there */
    if (c->units == 0) return;
    if (bri_island_at(c, 0).end < c->units) c->desk.matrix_of = -1; /* whose it is depends on who was last */
    if (step->def->threads > 1 && !bounded && solve_at_once(step, all, solve, asked)) return;
    for (int begin = 0; begin < c->units;) {
        BriIsland island = bri_island_at(c, begin);
        begin = island.end;
        if (!is_wanted(c, island.begin, all)) continue;
        solve(step, &island, asked);
        if (!bounded) spent[is_wide(&island)] += take_back(step->budget, from);
    }
    give(step->budget, spent[0] + spent[1]);
}
