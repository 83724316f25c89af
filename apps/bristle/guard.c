/* guard.c: files of strangers are read in a process of their own. HDF5 trusts what it reads: a damaged file may crash
 * the library or keep it busy for ever, and nothing short of a process of its own takes the command out of that. */
#include "command.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reading may take this much CPU time: seconds in any case, and bytes per second beyond. */
static const double SHORTEST = 10, SLOWEST = 1e6;

static void limit_reading(const char *path) {
    struct stat about;
    struct rlimit limit;
    double seconds = SHORTEST + (stat(path, &about) == 0 ? (double)about.st_size / SLOWEST : 0);
    if (getrlimit(RLIMIT_CPU, &limit) == 0) {
        rlim_t most = (rlim_t)seconds + 1;
        if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > most) limit.rlim_cur = most;
        setrlimit(RLIMIT_CPU, &limit);
    }
    if (getrlimit(RLIMIT_CORE, &limit) == 0) {
        limit.rlim_cur = 0;
        setrlimit(RLIMIT_CORE, &limit);
    }
}

void end_guarded_reading(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_CPU, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_CPU, &limit);
}

/* Of the process that does the work; main() does the same for the other. */
static int finish(int code) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    fprintf(stderr, "bristle: cannot write to standard output\n");
    return EXIT_FAILED;
}

static int report_damage(const char *path, const char *how, bool json) {
    BrError error = {.status = BR_IO};
    snprintf(error.file, sizeof error.file, "%.255s", path);
    snprintf(error.text, sizeof error.text, "the file is damaged: reading it %s", how);
    return report_error(&error, json);
}

static int judge_end(int status, const char *path, bool json) {
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    bool fell = by == SIGSEGV || by == SIGBUS || by == SIGABRT || by == SIGFPE || by == SIGILL;
    if (!fell && by != SIGXCPU) { /* somebody else's wish */
        signal(by, SIG_DFL);
        raise(by);
    }
    return report_damage(path, fell ? "breaks down" : "does not come to an end", json);
}

int run_guarded(int (*work)(void *user), void *user, const char *path, bool json) {
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return work(user); /* no room for another process: on trust */
    if (child == 0) {
        limit_reading(path);
        _exit(finish(work(user)));
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return EXIT_FAILED;
        if (was_interrupted()) kill(child, SIGTERM); /* who has caught the signal lets it end in order */
    }
    return judge_end(status, path, json);
}
