/* inside.h: the files that a file from a stranger may name: plain ones below its own folder. */
#ifndef BRI_INSIDE_H
#define BRI_INSIDE_H

#include <stdbool.h>
#include <stddef.h>

/* `folder/name`, if that is a way down to a plain file, or to nothing yet. false: it leads elsewhere (by '/', '..' or a
 * symbolic link), is no plain file or too long, and `why` is a sentence about it, in which the folder is
 * `called` "the experiment's folder" or the like. */
bool bri_find_inside(const char *folder, const char *name, const char *called, char *path, size_t size, char *why,
                     size_t why_size);

#endif
