/* scene_values.h: reading numbers, vectors, rotations, functions and names from a scene's tree. */
#ifndef BRI_SCENE_VALUES_H
#define BRI_SCENE_VALUES_H

#include "base/names.h"
#include "bristle/scene.h"
#include "io/yaml.h"
#include "math/function.h"
#include "math/so3.h"

/* A scene in the making. Readers return false once something was refused; `error` then says what. */
struct BriPlace;
typedef struct BriReader {
    const BrAllocator *allocator;
    BrError *error;
    BrStatus status;
    BrModel *model;
    BriNames parameter_names, moved_bodies, place_names;
    struct BriPlace *place; /* where bodies and frames stand (scene_frames.c); their numbers are in place_names */
    int places;
    BriNode *parameters; /* mapping, or NULL */
    double *value;       /* of each parameter, once known */
    BriDimension *dimension;
    BrConstant *constants;  /* the same for the model's expressions, which know no units */
    int depth;              /* of parameters, or of signals, that wait for each other */
    unsigned char *known;   /* 0 not yet, 1 being worked out, 2 known */
    const BriNode *signals; /* mapping, or NULL; those of it that are known already, as with parameters */
    BriNames signal_names;
    unsigned char *signal_known;
    int keepsakes, keepsake_capacity;
    void **keepsake; /* memory that lives until the model has copied it */
} BriReader;

__attribute__((format(printf, 3, 4))) bool bri_refuse(BriReader *r, const BriNode *node, const char *format, ...);
/* Takes over a refusal of the library (in r->error) as one of `node`. */
bool bri_refuse_as(BriReader *r, const BriNode *node, BrStatus status);
bool bri_no_memory(BriReader *r);
/* Memory that is released with the reader; NULL when out of memory. */
void *bri_keep(BriReader *r, size_t size);
void bri_release_reader(BriReader *r);

/* `node` must be a mapping with only these keys; "what" names it in messages. */
bool bri_check_keys(BriReader *r, const BriNode *node, const char *what, const char *const *keys, int count);

bool bri_read_number(BriReader *r, const BriNode *node, const char *what, BriDimension wanted, double *value);
bool bri_read_vector(BriReader *r, const BriNode *node, const char *what, BriDimension wanted, BrVec3 *value);
/* A vector of any length but zero, as a unit vector. */
bool bri_read_direction(BriReader *r, const BriNode *node, const char *what, BrVec3 *value);
bool bri_read_flag(BriReader *r, const BriNode *node, const char *what, bool *value);
bool bri_read_word(BriReader *r, const BriNode *node, const char *what, const char **value);
/* [x, y, z] of the diagonal, or three rows of three. */
bool bri_read_inertia(BriReader *r, const BriNode *node, BrMat3 *value);
/* Three rows, of a rotation. */
bool bri_read_matrix(BriReader *r, const BriNode *node, const char *what, BrMat3 *value);
/* [{x: angle}, {axis: [..], angle: ..}, ...]: turns about world axes, one after the other. */
bool bri_read_rotation(BriReader *r, const BriNode *node, BrMat3 *value);

/* Of a pose: rotate: [..] as above, quaternion: [w, x, y, z], rpy: [roll, pitch, yaw], or axis_angle: {axis: [..], angle: ..};
 * none: the identity. `node` is the mapping that has one of them at most. */
enum { BRI_ORIENTATIONS = 5 };
extern const char *const bri_orientation_keys[BRI_ORIENTATIONS];
bool bri_read_orientation(BriReader *r, const BriNode *node, BrMat3 *value);
const BriNode *bri_find_orientation(const BriNode *node); /* the one it has, or NULL */

/* Makes the section's parameters known to the reader, and works all of them out. NULL: there are none. */
bool bri_start_parameters(BriReader *r, BriNode *section);
/* Letters, digits and '_', and no name with a meaning of its own; `what` is "parameter", or what else is called so. */
bool bri_check_parameter_name(BriReader *r, const BriNode *key, const char *what);
/* Is it a variable, a constant or a function of expressions? */
bool bri_has_own_meaning(const char *name);
/* A number in whatever unit, in SI. */
bool bri_read_any_number(BriReader *r, const BriNode *node, const char *what, double *value);

/* The arguments a function may have: time, or deflection and its rate; and may it read signals, bodies and joints? */
typedef struct BriArguments {
    const char *name[2];
    BriDimension dimension[2];
    bool reads;
} BriArguments;

/* A value of any unit. */
#define BRI_ANY_UNIT BRI_UNTYPED

/* A number, an expression, {table: [[x, y], ...]} or {sine: {amplitude, frequency, phase, offset}}. */
bool bri_read_function(BriReader *r, const BriNode *node, const char *what, const BriArguments *arguments,
                       BriDimension wanted, BrFunctionDef *def);
/* Rows [x, y] (or [x, y1, y2, y3] with `columns` 3) into tables of their own. */
bool bri_read_table(BriReader *r, const BriNode *node, const char *what, const BriArguments *arguments,
                    BriDimension wanted, int columns, BrFunctionDef *def);
/* Three of them; or one table with rows [x, y1, y2, y3]; or one function along `direction` (unit). */
bool bri_read_functions(BriReader *r, const BriNode *node, const char *what, const BriArguments *arguments,
                        BriDimension wanted, BrVec3 direction, BrFunctionDef def[3]);

/* Adds a signal to the model, if nobody has yet, after those that it names (scene_signals.c). */
bool bri_add_signal(BriReader *r, int number);

/* The number of the candidate that equals the word, or a refusal that suggests the nearest. */
bool bri_choose(BriReader *r, const BriNode *node, const char *word, const char *what, const char *const *candidates,
                int count, int *choice);

#endif
