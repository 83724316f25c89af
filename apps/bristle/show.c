/* show.c: opens a page in whatever shows pages here. */
#include "command.h"

#include <signal.h>
#include <unistd.h>

void show_page(const char *path) {
    char absolute[PATH_MAX + 8];
    fflush(NULL);
    pid_t child = fork();
    if (child != 0) return;
    setsid(); /* a Ctrl-C is not for what is opened */
    signal(SIGCHLD, SIG_DFL);
    if (path[0] == '-') {
        snprintf(absolute, sizeof absolute, "./%s", path);
        path = absolute;
    }
    execlp("xdg-open", "xdg-open", path, (char *)NULL);
    fprintf(stderr, "bristle: there is no xdg-open here; open '%s' in a browser\n", path);
    _exit(EXIT_FAILED);
}
