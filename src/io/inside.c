/* inside.c: see inside.h. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "io/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool climbs(const char *name) {
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == 0)) return true;
    }
    return false;
}

static bool is_below(const char *folder, const char *path) {
    size_t length = strlen(folder);
    if (length == 1) return true; /* the root itself */
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* Where links lead decides. */
static bool stays_inside(const char *folder, const char *path) {
    char *top = realpath(folder, NULL), *end = realpath(path, NULL);
    bool fine = !end || (top && is_below(top, end)); /* nothing there: whoever opens it says so */
    free(top);
    free(end);
    return fine;
}

bool bri_find_inside(const char *folder, const char *name, const char *called, char *path, size_t size, char *why,
                     size_t why_size) {
    char leads[200];
    struct stat about;
    const char *wrong = NULL;
    snprintf(leads, sizeof leads, "leads out of %s; only files in it are read", called);
    int length = snprintf(path, size, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= size)
        wrong = "is too long";
    else if (name[0] == '/' || climbs(name) || !stays_inside(folder, path))
        wrong = leads;
    else if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        wrong = "is no plain file";
    if (wrong) snprintf(why, why_size, "'%.200s' %s", name, wrong);
    return !wrong;
}
