/* browser.c: opens a page for the user. An address with a secret in it goes by a file that only the user can read: words of
 * commands are seen by all. */
#define _XOPEN_SOURCE 700
#include "command.h"

#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

void open_browser(const char *what) {
    char opener[] = "xdg-open", *words[] = {opener, strdup(what), NULL};
    pid_t child;
    signal(SIGCHLD, SIG_IGN); /* nobody waits for it */
    if (!words[1] || posix_spawnp(&child, opener, NULL, NULL, words, environ) != 0)
        fprintf(stderr, "bristle: xdg-open, which opens pages, is not there; open '%s' yourself\n", what);
    free(words[1]);
}
