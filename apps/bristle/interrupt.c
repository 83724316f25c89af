/* interrupt.c: Ctrl-C and SIGTERM end a run at its last step, giving up the one in progress; a second one ends it at
 * once. */
#include "command.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t interrupted; /* number of the signal, or 0 */

static void note(int signal_number) { interrupted = signal_number; }

void catch_interrupts(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 3; i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN) continue; /* nohup */
        sigaction(signals[i], &action, NULL);
    }
}

bool was_interrupted(void) { return interrupted != 0; }

int exit_interrupted(void) { return 128 + interrupted; }

bool is_to_stop(void *unused) {
    (void)unused;
    return was_interrupted();
}
