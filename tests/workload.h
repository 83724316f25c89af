/* workload.h: does the work grow with the length of the input, or with its square? One input of `count` parts is
 * compared with sixteen of a sixteenth: the same work in the first case, sixteen times as much in the second. The
 * machine's speed cancels; what else it does at the time can spoil a try, but not all of them. */
#ifndef TESTS_WORKLOAD_H
#define TESTS_WORKLOAD_H

#include <stdbool.h>
#include <time.h>

static inline double read_cpu_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* `work` tells how long (s of CPU) it took with `count` parts. Caches cost a large input up to two or three times more.
 */
static inline bool is_proportional(double (*work)(int count), int count) {
    enum { PARTS = 16, TRIES = 10 };
    const double ALLOWED = 6;
    for (int k = 0; k < TRIES; k++) {
        double whole = work(count), parts = 0;
        for (int i = 0; i < PARTS; i++) parts += work(count / PARTS);
        if (whole < ALLOWED * parts) return true;
    }
    return false;
}

#endif
