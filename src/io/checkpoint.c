/* checkpoint.c: the exact state in a file: a header, then the state's bytes. */
#include "bristle/record.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Header {
    char magic[8];
    uint32_t version, numerics;
    uint64_t size, hash;
} Header;

static const char MAGIC[8] = {'b', 'r', 'i', 's', 't', 'l', 'e', '\n'};

static BrStatus fail(BrError *error, const char *what, const char *path) {
    return bri_fail(error, BR_IO, "cannot %s the checkpoint '%.300s': %s", what, path, strerror(errno));
}

BrStatus br_checkpoint_write(const char *path, const BrState *state, BrError *error) {
    BRI_NEED(path && state, "path and state", error);
    Header header = {
        .version = 1, .numerics = BR_NUMERICS_VERSION, .size = br_state_size(state), .hash = br_state_hash(state)};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    const BriBytes parts[] = {{&header, sizeof header}, {br_state_bytes(state), header.size}};
    return bri_file_replace(path, "the checkpoint", parts, 2, error);
}

static BrStatus read_body(FILE *file, const char *path, const Header *header, BrState *state, BrError *error) {
    if (memcmp(header->magic, MAGIC, sizeof MAGIC) != 0 || header->version != 1)
        return bri_fail(error, BR_MISMATCH, "'%.300s' is not a checkpoint of this version of bristle", path);
    if (header->numerics != BR_NUMERICS_VERSION)
        return bri_fail(
            error, BR_MISMATCH,
            "'%.300s' was written with numerics %u; this bristle has %d and would not continue to the same bits", path,
            header->numerics, BR_NUMERICS_VERSION);
    if (header->size != br_state_size(state))
        return bri_fail(error, BR_MISMATCH,
                        "'%.300s' belongs to another model: its state has %llu bytes, this one's %zu", path,
                        (unsigned long long)header->size, br_state_size(state));
    BrAllocator allocator = bri_default_allocator();
    char *bytes = bri_allocate(&allocator, header->size, 1);
    if (!bytes) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to read a checkpoint");
    BrStatus status = BR_OK;
    if (fread(bytes, 1, header->size, file) != header->size || fgetc(file) != EOF ||
        bri_hash(bytes, header->size, 0) != header->hash)
        status = bri_fail(error, BR_MISMATCH, "the checkpoint '%.300s' is damaged", path);
    if (status == BR_OK && br_state_restore(state, bytes, header->size, NULL) != BR_OK)
        status =
            bri_fail(error, BR_MISMATCH,
                     "the checkpoint '%.300s' was written for another scene: names, numbers or joints differ", path);
    bri_release(&allocator, bytes);
    return status;
}

BrStatus br_checkpoint_read(const char *path, BrState *state, BrError *error) {
    BRI_NEED(path && state, "path and state", error);
    Header header = {{0}, 0, 0, 0, 0};
    FILE *file = fopen(path, "rb");
    if (!file) return fail(error, "read", path);
    BrStatus status = BR_OK;
    if (fread(&header, sizeof header, 1, file) != 1)
        status = bri_fail(error, BR_MISMATCH, "'%.300s' is too short for a checkpoint", path);
    if (status == BR_OK) status = read_body(file, path, &header, state, error);
    fclose(file);
    return status;
}
