/* threads.c: see threads.h. OpenMP's threads, where the compiler has them; no other file speaks of it.
 *
 * Shares are numbered from the first of the first stage to the last of the last. `taken` of them have an owner, `done`
 * are finished. A share may be taken once all of the stages before its own are done, and those are the first
 * numbers: it has to be as many as the number its stage begins with. Who waits holds nothing that others wait for. */
#include "base/threads.h"

#include <stdatomic.h>
#include <stddef.h>
#include <threads.h>

#ifdef _OPENMP
bool bri_has_threads(void) { return true; }
#else
bool bri_has_threads(void) { return false; }
#endif

typedef struct Loop {
    BriStages stages;
    int least; /* elements of a share */
    BriWork *work;
    void *own;
    atomic_llong taken, done, left; /* shares, shares, lanes */
} Loop;

/* Where a lane stands. */
typedef struct Place {
    int round, stage;   /* stages count in the order they come */
    long long first;    /* number of the stage's first share */
    const BriStage *at; /* NULL: behind the last */
    int shares;
} Place;

static int count_shares(const BriStage *stage, int least) {
    int whole = (stage->end - stage->begin) / least;
    return whole < 1 ? 1 : whole;
}

static bool is_backwards(const BriStages *s, int round) { return (s->round + round) & 1; }

static void look_at_stage(const Loop *loop, Place *p) {
    const BriStages *s = &loop->stages;
    p->at = NULL;
    if (p->stage == s->count) p->stage = 0, p->round++;
    if (s->count == 0 || p->round >= s->rounds) return;
    p->at = &s->stage[p->stage];
    p->shares = count_shares(p->at, loop->least);
}

/* To the stage of share `number`; false: there is none. */
static bool seek(const Loop *loop, Place *p, long long number) {
    while (p->at && number >= p->first + p->shares) {
        p->first += p->shares;
        p->stage++;
        look_at_stage(loop, p);
    }
    return p->at;
}

static void run_share(const Loop *loop, const Place *p, long long number, int lane) {
    int count = p->at->end - p->at->begin, begin = p->at->begin;
    bool backwards = is_backwards(&loop->stages, p->round);
    long long i = number - p->first;
    BriShare share = {begin + (int)(count * i / p->shares), begin + (int)(count * (i + 1) / p->shares), lane,
                      backwards};
    loop->work(loop->own, &share);
}

/* Another thread is about to finish, unless it has no processor: then this one lends its own. */
static void wait_a_little(int *waited) {
    const int LONG = 2000; /* looks, of some nanoseconds each */
    if (++*waited > LONG) thrd_yield();
}

static void run_lane(Loop *loop, int lane) {
    long long number = atomic_load_explicit(&loop->taken, memory_order_acquire);
    Place p = {0};
    look_at_stage(loop, &p);
    for (int waited = 0; seek(loop, &p, number);) {
        if (atomic_load_explicit(&loop->done, memory_order_acquire) < p.first) {
            wait_a_little(&waited);
            number = atomic_load_explicit(&loop->taken, memory_order_relaxed);
        } else if (atomic_compare_exchange_weak(&loop->taken, &number, number + 1)) {
            run_share(loop, &p, number, lane);
            atomic_fetch_add(&loop->done, 1);
            number = atomic_load_explicit(&loop->taken, memory_order_relaxed);
            waited = 0;
        }
    }
    atomic_fetch_add(&loop->left, 1);
}

/* Every loop asks for all threads, also where it has fewer shares: who asks for fewer has the others end, and made again
 * by the next loop. The thread sanitizer does not see OpenMP's own locks, and so is not to look at its loop; what comes
 * before what within the lanes, before them and after them, the counters say. */
__attribute__((no_sanitize("thread"))) static void run_lanes(int threads, Loop *loop) {
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 1)
#endif
    for (int lane = 0; lane < threads; lane++) run_lane(loop, lane);
}

static void run_loop(int threads, Loop *loop) {
    atomic_store(&loop->done, 0);
    atomic_store(&loop->left, 0);
    atomic_store(&loop->taken, 0);
    run_lanes(threads, loop);
    while (atomic_load(&loop->left) < threads) thrd_yield();
}

void bri_share_out(int threads, int count, int least, BriWork *work, void *loop) {
    BriStage all = {0, count};
    Loop shared = {{&all, 1, 0, 1}, least, work, loop, 0, 0, 0};
    run_loop(threads, &shared);
}

void bri_share_stages(int threads, const BriStages *stages, BriWork *work, void *loop) {
    Loop shared = {*stages, 1, work, loop, 0, 0, 0};
    bool any = false;
    for (int k = 0; k < stages->count; k++) any = any || count_shares(&stages->stage[k], 1) > 1;
    if (threads > 1 && any) {
        run_loop(threads, &shared);
        return;
    }
    Place p = {0};
    for (look_at_stage(&shared, &p); p.at; p.stage++, look_at_stage(&shared, &p)) {
        BriShare share = {p.at->begin, p.at->end, 0, is_backwards(stages, p.round)};
        work(loop, &share);
    }
}
