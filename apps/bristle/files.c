/* files.c: no output of a command may be one of its inputs, or another of its outputs, by whatever name. */
#include "command.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file that a path names: by number where it is there, by folder and name where it is yet to be made. */
typedef struct Identity {
    bool there, plain; /* plain: a file, neither a device nor a pipe */
    dev_t device;
    ino_t number;
    char path[PATH_MAX];
} Identity;

/* Of a file that is not there: its folder's own path, and its name. */
static void identify_absent(const char *path, Identity *identity) {
    char folder[PATH_MAX], resolved[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    int length = slash ? (int)(slash - path) + 1 : 0;
    snprintf(folder, sizeof folder, "%.*s", length, path);
    if (!realpath(length ? folder : ".", resolved)) return; /* nothing can be written there */
    identity->plain = true;
    if (snprintf(identity->path, sizeof identity->path, "%s/%s", resolved, name) >= (int)sizeof identity->path)
        identity->plain = false;
}

/* Follows links that lead to nothing yet: what is written goes there. */
static Identity identify(const char *path) {
    enum { MOST_LINKS = 40 };
    Identity identity = {0};
    struct stat about;
    char now[PATH_MAX], target[PATH_MAX], next[2 * PATH_MAX];
    identity.there = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &about) == 0 : stat(path, &about) == 0;
    if (identity.there) {
        identity.plain = S_ISREG(about.st_mode);
        identity.device = about.st_dev, identity.number = about.st_ino;
        return identity;
    }
    snprintf(now, sizeof now, "%s", path);
    for (int links = 0; links < MOST_LINKS; links++) {
        ssize_t length = readlink(now, target, sizeof target - 1);
        if (length < 0) break;
        target[length] = 0;
        const char *slash = target[0] == '/' ? NULL : strrchr(now, '/');
        snprintf(next, sizeof next, "%.*s%s", slash ? (int)(slash - now) + 1 : 0, now, target);
        snprintf(now, sizeof now, "%.*s", PATH_MAX - 1, next);
    }
    identify_absent(now, &identity);
    return identity;
}

bool is_same_file(const char *a, const char *b) {
    Identity x = identify(a), y = identify(b);
    if (!x.plain || !y.plain || x.there != y.there) return false;
    if (x.there) return x.device == y.device && x.number == y.number;
    return strcmp(x.path, y.path) == 0;
}

bool keep_apart(const char *command, const NamedFile *files, int count) {
    for (int i = 0; i < count; i++)
        for (int k = i + 1; k < count; k++) {
            const NamedFile *a = &files[i], *b = &files[k];
            if (!a->path || !b->path || !(a->written || b->written) || !is_same_file(a->path, b->path)) continue;
            fprintf(stderr,
                    "bristle %s: %s '%.300s' and %s '%.300s' are the same file, which would be overwritten; name "
                    "another\n",
                    command, a->option, a->path, b->option, b->path);
            return false;
        }
    return true;
}
