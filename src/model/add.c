/* add.c: see add.h. */
#include "model/add.h"

#include <string.h>

static BrStatus check_name(const char *name, const char *what, BrError *error) {
    if (!name || !*name) return bri_fail(error, BR_INVALID_ARGUMENT, "a %s needs a name", what);
    if (strlen(name) > 63)
        return bri_fail(error, BR_INVALID_ARGUMENT, "the %s name '%.63s...' is longer than 63 characters", what, name);
    for (const char *c = name; *c; c++)
        if (*c == '/' || *c == '.' || (unsigned char)*c < 32)
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "the %s name '%s' must not contain '/', '.' or control characters", what, name);
    return BR_OK;
}

BrStatus bri_check_unnamed(const BrModel *m, uint32_t cookie, const char *what, BrError *error) {
    if (m->built) return bri_fail(error, BR_WRONG_STAGE, "a %s cannot be added: the model is built already", what);
    if (cookie != BRI_COOKIE)
        return bri_fail(error, BR_INVALID_DEF, "the %s definition must start from br_default_%s_def()", what, what);
    return BR_OK;
}

BrStatus bri_check_addition(const BrModel *m, uint32_t cookie, const char *name, const BriNames *taken,
                            const char *what, BrError *error) {
    BrStatus status = bri_check_unnamed(m, cookie, what, error);
    if (status == BR_OK) status = check_name(name, what, error);
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
