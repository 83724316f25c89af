/* browser.h: a Chromium without a window that does what it is told, over a pipe. */
#ifndef BROWSER_H
#define BROWSER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct Browser {
    pid_t process;
    int to, from;                  /* pipes; messages are JSON and end with a 0 */
    char folder[64];               /* its profile, removed with it */
    char session[128];             /* of its page */
    int asked;                     /* number of the last request */
    char *text;                    /* what has come: the last answer at its beginning, */
    size_t length, used, capacity; /* bytes of that answer, and of all */
    char why[400];                 /* what went wrong */
} Browser;

/* Finds one, starts it, and opens a page of a file (`hash` goes behind its name) of so many pixels. false: browser->why
 * tells; closed already. */
bool browser_open(Browser *browser, const char *file, const char *hash, int width, int height);
/* Ends it whatever it does. */
void browser_close(Browser *browser);
/* What an expression gives in the page, a text; NULL: browser->why tells. Until the next call. */
const char *browser_evaluate(Browser *browser, const char *expression);
/* The page as it is now, as a PNG file. */
bool browser_capture(Browser *browser, const char *path);

#endif
