/* threads.h: a loop on several threads, with the same bits however many there are.
 *
 * A loop is cut into shares, and threads take them one by one as they come. So what a share writes must be its own
 * alone: elements of an array, each a function of what nobody writes meanwhile. What is summed up over shares is whole
 * numbers, which round nowhere; of what is largest the first counts. Nobody but the calling thread asks the caller
 * anything. A thread that has no processor just now is not waited for, unless it stands within a share. */
#ifndef BRI_THREADS_H
#define BRI_THREADS_H

#include <stdbool.h>

enum {
    BRI_MOST_THREADS = 64,
    BRI_SHARE = 64 /* elements, of some 100 ns each: less is not worth waking a thread */
};

/* Is there more than one to be had? */
bool bri_has_threads(void);

/* Elements begin .. end - 1 of a loop. */
typedef struct BriShare {
    int begin, end;
    int lane;       /* below the number of threads; shares of one lane come one after the other, in their order */
    bool backwards; /* of loops in stages: its last element comes first */
} BriShare;

typedef void BriWork(void *loop, const BriShare *share);

/* How many lanes there may be. */
static inline int bri_lanes(int threads) { return threads > 1 ? threads : 1; }

/* All elements 0 .. count - 1 in shares of `least`, or a little more, on several threads. */
void bri_share_out(int threads, int count, int least, BriWork *work, void *loop);

/* The same on at most so many threads, as far as they are worth it. Returns when all are done. Here, so that a step of one
 * contact is as if there were no threads. */
static inline void bri_share(int threads, int count, BriWork *work, void *loop) {
    if (threads < 2 || count < 2 * BRI_SHARE)
        work(loop, &(BriShare){.end = count});
    else
        bri_share_out(threads, count, BRI_SHARE, work, loop);
}

/* In as few shares as threads: where each share goes through all of something else, for what is its own. */
static inline void bri_share_widely(int threads, int count, BriWork *work, void *loop) {
    int shares = count / BRI_SHARE < threads ? count / BRI_SHARE : threads;
    if (shares < 2)
        work(loop, &(BriShare){.end = count});
    else
        bri_share_out(threads, count, count / shares, work, loop);
}

/* A stage of a loop: elements that need those of the stages before, but not each other. Each is a share, however many
 * threads there are; one thread takes all of a stage as one. */
typedef struct BriStage {
    int begin, end;
} BriStage;

/* Rounds through stages, all from the first stage to the last; in odd ones shares go backwards. */
typedef struct BriStages {
    const BriStage *stage;
    int count;
    int round, rounds; /* the first, and how many */
} BriStages;

void bri_share_stages(int threads, const BriStages *stages, BriWork *work, void *loop);

#endif
