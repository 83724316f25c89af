/* file.c: see file.h. */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool write_all(int file, const void *bytes, size_t size) {
    const char *p = bytes;
    while (size > 0) {
        ssize_t n = write(file, p, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

/* Makes the rename itself last: syncs the folder. Some file systems cannot; then nothing is lost but time. */
static void sync_folder(const char *path) {
    char folder[1100];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash && slash != folder)
        *slash = 0;
    else
        snprintf(folder, sizeof folder, "%s", slash ? "/" : ".");
    int handle = open(folder, O_RDONLY);
    if (handle < 0) return;
    fsync(handle);
    close(handle);
}

BrStatus bri_file_replace(const char *path, const char *what, const BriBytes *part, int parts, BrError *error) {
    char temporary[1100];
    if (snprintf(temporary, sizeof temporary, "%s.tmp%ld", path, (long)getpid()) >= (int)sizeof temporary)
        return bri_fail(error, BR_INVALID_ARGUMENT, "the path of %s is too long", what);
    unlink(temporary); /* whatever lies there, or leads elsewhere from there */
    int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
    bool fine = file >= 0;
    for (int i = 0; fine && i < parts; i++) fine = write_all(file, part[i].bytes, part[i].size);
    fine = fine && fsync(file) == 0;
    if (file >= 0) fine = close(file) == 0 && fine;
    if (!fine || rename(temporary, path) != 0) {
        BrStatus status = bri_fail(error, BR_IO, "cannot write %s '%.300s': %s", what, path, strerror(errno));
        if (file >= 0) unlink(temporary);
        return status;
    }
    sync_folder(path);
    return BR_OK;
}
