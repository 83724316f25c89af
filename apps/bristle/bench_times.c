/* bench_times.c: the folder in which runs that are repeated leave the times of their steps, ours and those of peers. */
#define _XOPEN_SOURCE 700 /* mkdtemp() */
#include "benchmark.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool times_open(char *folder, size_t size) {
    const char *place = getenv("TMPDIR");
    snprintf(folder, size, "%s/bristle-bench-XXXXXX", place && *place ? place : "/tmp");
    if (mkdtemp(folder) && setenv("BRISTLE_TIMES", folder, 1) == 0) return true;
    fprintf(stderr, "bristle bench: '%s' cannot be made; TMPDIR names a folder for what is kept between repeats\n",
            folder);
    return false;
}

void times_close(const char *folder) {
    char path[2048];
    DIR *listing = opendir(folder);
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        (void)unlink(path); /* not what is a folder: itself and the one above */
    }
    if (listing) closedir(listing);
    (void)rmdir(folder);
}
