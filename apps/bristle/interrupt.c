/* interrupt.c: Ctrl-C and SIGTERM end a run after the step in progress; a second one ends it at once. */
#include "command.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t interrupted;

static void note(int signal_number) {
    (void)signal_number;
    interrupted = 1;
}

void catch_interrupts(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

bool was_interrupted(void) { return interrupted != 0; }
