/* formula.h: expressions of channels: "norm(bodies.wheel.velocity) - 2*v0", "truth:energy.kinetic", with numbers,
 * vectors (3) and rotations (9) as values.
 *
 * Grammar:  condition  = comparison { "and" comparison }       unary   = "-" unary | power
 *           comparison = sum ( "<" | ">" | "<=" | ">=" ) sum   power   = suffixed [ "^" unary ]
 *           sum        = product { ("+" | "-") product }       suffixed = primary { "[" index "]" | ".x" | ".y" | ".z"
 * } product    = unary { ("*" | "/") unary }           primary = number [unit] | name | call | "(" sum ")"
 *
 * A name is a dotted path ("contacts.wheel/ground.ratio"; a part may stand in quotes), with "RUN:" before it one of another run.
 * Indices count from 0. Units turn numbers into SI and are not checked further. */
#ifndef BRI_FORMULA_H
#define BRI_FORMULA_H

#include "io/series.h"
#include "math/units.h"

typedef enum BriOperation {
    BRI_TERM_CONSTANT,
    BRI_TERM_CHANNEL,
    BRI_TERM_NEGATE,
    BRI_TERM_ADD,
    BRI_TERM_SUBTRACT,
    BRI_TERM_MULTIPLY, /* also rotation times vector, rotation times rotation */
    BRI_TERM_DIVIDE,
    BRI_TERM_POWER,
    BRI_TERM_LESS,
    BRI_TERM_GREATER,
    BRI_TERM_AT_MOST,
    BRI_TERM_AT_LEAST,
    BRI_TERM_AND,
    BRI_TERM_PART,
    BRI_TERM_COLUMN,
    BRI_TERM_VECTOR,
    BRI_TERM_NORM,
    BRI_TERM_ANGLE,
    BRI_TERM_DOT,
    BRI_TERM_CROSS,
    BRI_TERM_FIRST,
    BRI_TERM_LAST,
    BRI_TERM_AT,
    BRI_TERM_ABS,
    BRI_TERM_SQRT,
    BRI_TERM_SIN,
    BRI_TERM_COS,
    BRI_TERM_TAN,
    BRI_TERM_ASIN,
    BRI_TERM_ACOS,
    BRI_TERM_ATAN,
    BRI_TERM_ATAN2,
    BRI_TERM_EXP,
    BRI_TERM_LOG,
    BRI_TERM_RESTITUTION_DAMPING,
    BRI_TERM_MIN,
    BRI_TERM_MAX
} BriOperation;

typedef struct BriTerm {
    BriOperation operation;
    int width; /* 1, 3 or 9 */
    int argument[3];
    double constant;
    const BriSeries *series; /* of a channel; */
    int channel, part;       /* part -1: all of it */
    const char *unit;        /* NULL: not known */
} BriTerm;

/* A tree whose root is the last term. */
typedef struct BriFormula {
    int count, capacity;
    BriTerm *term;
    BriDimension dimension; /* if it is a single number with a unit */
} BriFormula;

typedef enum BriFound { BRI_FOUND, BRI_UNKNOWN, BRI_FAILED } BriFound;

/* What names mean. The callbacks may be NULL; BRI_FAILED: they have filled `error`. */
typedef struct BriScope {
    const BriSeries *series; /* whose channels plain names are, NULL: there are none */
    bool loose;              /* short names too: see bri_series_find() */
    BriFound (*constant)(void *user, const char *name, double *value, BrError *error);
    BriFound (*run)(void *user, const char *name, const BriSeries **series, BrError *error);
    int (*words)(void *user, const char **words, int most); /* for suggestions */
    void *user;
} BriScope;

/* Compiles a value, or with `condition` a condition (its value is 1 or 0). On refusal error->text says what was found
 * and what is expected, error->column is 1 + the offset in `text`. */
BrStatus bri_formula_compile(const char *text, bool condition, const BriScope *scope, const BrAllocator *allocator,
                             BriFormula *formula, BrError *error);
/* One channel as it is (part -1), or a part of it, whatever letters its name has. */
BrStatus bri_formula_of_channel(const BriSeries *series, int channel, int part, const BrAllocator *allocator,
                                BriFormula *formula);
void bri_formula_release(BriFormula *formula, const BrAllocator *allocator);

int bri_formula_width(const BriFormula *formula);
const char *bri_formula_unit(const BriFormula *formula); /* "" if it is not known */

/* The value at a place of `base` (NULL if no channel is in it); other runs are read at the same time plus `shift` (s).
 * Refused where another run has no row there. */
BrStatus bri_formula_evaluate(const BriFormula *formula, const BriSeries *base, BriPlace place, double shift,
                              double value[9], BrError *error);

#endif
