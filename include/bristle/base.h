/* bristle/base.h: what every other header needs: statuses, errors, vectors, memory, log.
 * SI units everywhere. Matrices are stored by rows. */
#ifndef BRISTLE_BASE_H
#define BRISTLE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define BR_API __attribute__((visibility("default")))
#else
#define BR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define BR_VERSION_MAJOR 0
#define BR_VERSION_MINOR 1
#define BR_VERSION_PATCH 0

/* Rises whenever the bits of some trajectory change on purpose. */
#define BR_NUMERICS_VERSION 6

/* Every status: name, value, text. Negative: the call was refused and nothing changed.
 * Zero: done. Positive: done, but the numbers were hard; the report tells. */
#define BR_STATUS_LIST(X)                                                                                              \
    X(OK, 0, "done")                                                                                                   \
    X(NOT_CONVERGED, 1, "the step was taken, but a solver stopped short of its tolerance")                             \
    X(INVALID_ARGUMENT, -1, "an argument is outside what is allowed")                                                  \
    X(INVALID_DEF, -2, "a definition did not start from its br_default_..._def()")                                     \
    X(INVALID_ID, -3, "the id is null, stale, or belongs to another model")                                            \
    X(WRONG_STAGE, -4, "the call does not fit the model's stage (building or built)")                                  \
    X(OUT_OF_MEMORY, -5, "the allocator returned no memory")                                                           \
    X(INVALID_MODEL, -6, "the model cannot be simulated as described")                                                 \
    X(INVALID_SCENE, -7, "the scene file is not valid")                                                                \
    X(IO, -8, "a file could not be read or written")                                                                   \
    X(UNSUPPORTED, -9, "this combination is not supported")                                                            \
    X(DIVERGED, -10, "the step was refused: its result is not finite or not on the constraints")                       \
    X(MISMATCH, -11, "the state, workspace or checkpoint belongs to another model")                                    \
    X(CAPACITY, -12, "there are more contacts than the state has room for")                                            \
    X(CANCELLED, -13, "the caller asked to stop")                                                                      \
    X(TOO_MUCH_WORK, -14, "the step was refused: it would take more work than it is allowed")

typedef enum BrStatus {
#define BR_STATUS_ENUM(name, value, text) BR_##name = (value),
    BR_STATUS_LIST(BR_STATUS_ENUM)
#undef BR_STATUS_ENUM
} BrStatus;

/* "BR_OK" and the like; "unknown" for a number that is no status. */
BR_API const char *br_status_name(BrStatus status);
/* One sentence without a full stop. */
BR_API const char *br_status_text(BrStatus status);

/* NULL where a function needs something is refused like any other argument, BR_INVALID_ARGUMENT (a definition:
 * BR_INVALID_DEF), by those that return a status; the others then return 0, false, NULL or a null id. Functions that
 * destroy or close take NULL. */

/* What went wrong, in one sentence for a person. Functions that can be refused take one as their last argument;
 * NULL is allowed everywhere. `line` and `column` count from 1 and are 0 where there is no file. */
typedef struct BrError {
    BrStatus status;
    int line;
    int column;
    char file[256];
    char text[768];
} BrError;

typedef struct BrVec3 {
    double x, y, z;
} BrVec3;

/* m[row][column]; a rotation matrix A takes body components to world components. */
typedef struct BrMat3 {
    double m[3][3];
} BrMat3;

/* Memory. `allocate` returns zeroed or unzeroed memory aligned for any type, or NULL; `release` takes NULL. A step on
 * several threads may call them from any of these, never from two at once. */
typedef struct BrAllocator {
    void *(*allocate)(void *user, size_t size);
    void (*release)(void *user, void *memory);
    void *user;
} BrAllocator;

/* Called with whole lines (no newline) that a person may want to see: what assembling changed, rows that turned out not
 * to be redundant, motors that rest. NULL: silence. */
typedef struct BrLog {
    void (*write)(void *user, const char *line);
    void *user;
} BrLog;

/* ------------------------------------------------------------------ definitions */

/* Every definition begins with two numbers, `cookie` and `struct_size`, and starts from its br_default_...(): the first
 * tells that it did, the second how large it was when the program was compiled. So definitions can grow: a library that
 * has another size refuses with a sentence, and reads and writes nothing beyond what there is. What the library fills
 * (reports, readings) may grow with a minor version; a program that was linked with the shared library of one minor version
 * does not find that of another under its name, and is to be compiled anew.
 *
 *     BR_DEFAULT(BrBodyDef, br_default_body_def, br_start_body_def)  declares
 *     BrBodyDef br_default_body_def(void)                            in the program, so that the size is the program's
 *     void br_start_body_def(BrBodyDef *def, uint32_t size)          in the library; for other languages */
#define BR_DEFAULT(Type, default_name, start_name)                                                                     \
    BR_API void start_name(Type *def, uint32_t size);                                                                  \
    static inline Type default_name(void) {                                                                            \
        Type def;                                                                                                      \
        start_name(&def, (uint32_t)sizeof def);                                                                        \
        return def;                                                                                                    \
    }

/* ------------------------------------------------------------------ words */

/* The candidate nearest to `word` in edit distance, if it is near enough to be a slip of the pen; else NULL. */
BR_API const char *br_nearest_word(const char *word, const char *const *candidates, int count);

/* ------------------------------------------------------------------ numbers with units */

/* Reads a number as scenes have them, "0.1 mm" or "2*pi*3 Hz", in SI; `unit` ("m", "kg", "N") is what it must fit, a
 * bare number fits all. */
BR_API BrStatus br_quantity(const char *text, const char *unit, double *value, BrError *error);

#ifdef __cplusplus
}
#endif

#endif
