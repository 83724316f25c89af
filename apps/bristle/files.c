/* files.c: no output of a command may be one of its inputs, or another of its outputs, by whatever name; and what is
 * there already is kept unless --force is said. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "command.h"

#ifndef BRISTLE_DATA_FOLDER /* where `make install` puts scenes and experiments; the build says */
#define BRISTLE_DATA_FOLDER "/usr/local/share/bristle"
#endif

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

bool is_recording_name(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0 || strcmp(dot, ".csv") == 0);
}

/* ------------------------------------------------------------------ what is there already */

bool would_be_lost(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0;
}

bool keep_written(const char *command, const NamedFile *files, int count, bool force) {
    for (int i = 0; i < count && !force; i++) {
        if (!files[i].path || !files[i].written || !would_be_lost(files[i].path)) continue;
        fprintf(stderr,
                "bristle %s: %s '%.300s' is there already and is kept; name another, or overwrite it with --force\n",
                command, files[i].option, files[i].path);
        return false;
    }
    return true;
}

/* "out-2.h5" beside "out.h5": the first number that is free. */
static bool find_free_name(const char *path, char other[1024]) {
    enum { MOST = 100000 };
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    int stem = (int)(dot && dot != name ? dot - path : (ptrdiff_t)strlen(path));
    struct stat about;
    for (int number = 2; number < MOST; number++) {
        if (snprintf(other, 1024, "%.*s-%d%s", stem, path, number, path + stem) >= 1024) return false;
        if (lstat(other, &about) != 0) return true;
    }
    return false;
}

/* Asks until it is yes or no; the end of the input is no. */
static bool is_to_overwrite(const char *path, const char *other) {
    char answer[64] = "";
    while (answer[0] != 'y' && answer[0] != 'Y' && answer[0] != 'n' && answer[0] != 'N' && answer[0] != '\n') {
        fprintf(stderr, "bristle: '%s' is there already. Overwrite it? [y/N: record to '%s'] ", path, other);
        if (!fgets(answer, sizeof answer, stdin)) {
            fputc('\n', stderr);
            return false;
        }
    }
    return answer[0] == 'y' || answer[0] == 'Y';
}

const char *choose_recording(const char *path, bool force, bool ask, char other[1024]) {
    if (!path || force || !would_be_lost(path) || !find_free_name(path, other)) return path;
    if (ask && isatty(STDIN_FILENO) && isatty(STDERR_FILENO)) return is_to_overwrite(path, other) ? path : other;
    fprintf(stderr, "bristle: '%s' is there already and is kept; recording to '%s' (--force overwrites)\n", path,
            other);
    return other;
}

/* ------------------------------------------------------------------ what was installed */

const char *find_installed(const char *name, char room[PATH_MAX]) {
    char self[PATH_MAX];
    struct stat about;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    for (int up = 0; length > 0 && up < 2; up++) /* bin/bristle */
        while (length > 0 && self[--length] != '/') continue;
    if (length > 0) {
        self[length] = 0;
        if (snprintf(room, PATH_MAX, "%s/share/bristle/%s", self, name) < PATH_MAX && stat(room, &about) == 0)
            return room;
    }
    snprintf(room, PATH_MAX, "%s/%s", BRISTLE_DATA_FOLDER, name);
    return room;
}
