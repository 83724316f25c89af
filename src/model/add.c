/* add.c: see add.h. */
#include "model/add.h"

#include <stdio.h>
#include <string.h>

static BrStatus check_letters(const char *name, const char *what, BrError *error) {
    if (!name || !*name) return bri_fail(error, BR_INVALID_ARGUMENT, "a %s needs a name", what);
    if (strlen(name) > 63)
        return bri_fail(error, BR_INVALID_ARGUMENT, "the %s name '%.63s...' is longer than 63 characters", what, name);
    for (const char *c = name; *c; c++)
        if (*c == '/' || *c == '.' || (unsigned char)*c < 32)
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "the %s name '%s' must not contain '/', '.' or control characters", what, name);
    return BR_OK;
}

BrStatus bri_check_addition(const BrModel *m, const void *def, size_t size, const char *what, BrError *error) {
    char start[64];
    if (!m) return bri_fail(error, BR_INVALID_ARGUMENT, "a %s cannot be added: the model is NULL", what);
    if (m->built) return bri_fail(error, BR_WRONG_STAGE, "a %s cannot be added: the model is built already", what);
    snprintf(start, sizeof start, "br_default_%s_def", what);
    return bri_check_def(def, size, start, error);
}

BrStatus bri_check_name(const char *name, const BriNames *taken, const char *what, BrError *error) {
    BrStatus status = check_letters(name, what, error);
    if (status == BR_OK && bri_names_find(taken, name) >= 0)
        status =
            bri_fail(error, BR_INVALID_ARGUMENT, "there is a %s named '%s' already: names must differ", what, name);
    return status;
}

BrStatus bri_no_memory_for(const char *what, const char *name, BrError *error) {
    return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for %s '%s'", what, name);
}

char *bri_own_name(BrModel *m, const char *name, BriNames *names, int number) {
    char *copy = bri_copy_text(&m->allocator, name);
    if (copy && !bri_names_insert(names, copy, number, &m->allocator)) {
        bri_release(&m->allocator, copy);
        copy = NULL;
    }
    return copy;
}
