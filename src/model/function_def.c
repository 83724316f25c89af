/* function_def.c: from what a user writes for a varying number to the function that is evaluated. */
#include "model/model.h"

#include <string.h>

BrFunctionDef br_constant(double value) { return (BrFunctionDef){.kind = BR_FUNCTION_CONSTANT, .constant = value}; }
BrFunctionDef br_sine(double amplitude, double frequency, double phase) {
    return (BrFunctionDef){.kind = BR_FUNCTION_SINE, .amplitude = amplitude, .frequency = frequency, .phase = phase};
}
BrFunctionDef br_table(const double *xy, int points) {
    return (BrFunctionDef){.kind = BR_FUNCTION_TABLE, .table = xy, .points = points};
}
BrFunctionDef br_expression(const char *text) {
    return (BrFunctionDef){.kind = BR_FUNCTION_EXPRESSION, .expression = text};
}

typedef struct Scope {
    const char *const *variables;
    const BrFunctionDef *def;
    BrModel *machine; /* or NULL */
} Scope;

static bool is_name(const char *candidate, const char *name, size_t length) {
    return candidate && strlen(candidate) == length && memcmp(candidate, name, length) == 0;
}

static BriNameKind resolve(void *user, const char *name, size_t length, BriName *meaning, BrError *error) {
    const Scope *scope = user;
    for (int i = 0; i < 2; i++)
        if (is_name(scope->variables[i], name, length)) {
            if (meaning) meaning->variable = i;
            return BRI_NAME_VARIABLE;
        }
    for (int i = 0; meaning && i < scope->def->constant_count; i++)
        if (is_name(scope->def->constants[i].name, name, length)) {
            meaning->constant = scope->def->constants[i].value;
            meaning->dimension = BRI_UNTYPED;
            return BRI_NAME_CONSTANT;
        }
    if (!meaning || !scope->machine) return BRI_NAME_UNKNOWN;
    return bri_quantity_resolve(scope->machine, name, length, true, meaning, error);
}

static BrStatus make_table(const BrFunctionDef *def, const char *what, const BrAllocator *allocator,
                           BriFunction *function, BrError *error) {
    if (!def->table || def->points < 1)
        return bri_fail(error, BR_INVALID_ARGUMENT, "%s: the table has no points", what);
    for (int i = 0; i < def->points; i++) {
        if (!bri_is_finite(def->table[2 * i]) || !bri_is_finite(def->table[2 * i + 1]))
            return bri_fail(error, BR_INVALID_ARGUMENT, "%s: point %d of the table is not finite", what, i + 1);
        if (i > 0 && !(def->table[2 * i] > def->table[2 * i - 2]))
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "%s: the table's arguments must rise, but %.9g follows %.9g (point %d)", what,
                            def->table[2 * i], def->table[2 * i - 2], i + 1);
    }
    size_t size = 2 * (size_t)def->points * sizeof(double);
    double *copy = bri_allocate(allocator, size, 1);
    if (!copy) return bri_fail(error, BR_OUT_OF_MEMORY, "%s: no memory for the table", what);
    memcpy(copy, def->table, size);
    *function = (BriFunction){.kind = BRI_TABLE, .points = def->points, .table = copy};
    return BR_OK;
}

static bool varies(const BriExpression *formula) {
    int place = 0;
    return bri_expression_uses(formula, 0) || bri_expression_uses(formula, 1) ||
           bri_expression_quantity(formula, &place) >= 0;
}

/* An expression of constants alone is one; a number that is none stays as it is, and shows where it is used. */
static void fix(BriFunction *function, const BrAllocator *allocator) {
    double value = bri_function_evaluate(function, 0, 0).f;
    if (!bri_is_finite(value)) return;
    bri_function_release(function, allocator);
    *function = bri_function_constant(value);
}

static BrStatus make_function(const BrFunctionDef *def, const char *const variables[2], const char *what,
                              BrModel *machine, const BrAllocator *allocator, BriFunction *function, BrError *error) {
    const double TWO_PI = 6.28318530717958647692;
    *function = bri_function_constant(0);
    if (!bri_is_finite(def->constant) || !bri_is_finite(def->amplitude) || !bri_is_finite(def->frequency) ||
        !bri_is_finite(def->phase))
        return bri_fail(error, BR_INVALID_ARGUMENT, "%s: the number is not finite", what);
    switch (def->kind) {
    case BR_FUNCTION_CONSTANT: *function = bri_function_constant(def->constant); return BR_OK;
    case BR_FUNCTION_SINE:
        *function = (BriFunction){.kind = BRI_SINE,
                                  .constant = def->constant,
                                  .amplitude = def->amplitude,
                                  .angular_frequency = TWO_PI * def->frequency,
                                  .phase = def->phase};
        return BR_OK;
    case BR_FUNCTION_TABLE: return make_table(def, what, allocator, function, error);
    case BR_FUNCTION_EXPRESSION: {
        if (def->constant_count < 0 || (def->constant_count > 0 && !def->constants))
            return bri_fail(error, BR_INVALID_ARGUMENT, "%s: %d constants that are not there", what,
                            def->constant_count);
        for (int i = 0; i < def->constant_count; i++)
            if (!def->constants[i].name)
                return bri_fail(error, BR_INVALID_ARGUMENT, "%s: constant %d has no name", what, i + 1);
        if (!def->expression) return bri_fail(error, BR_INVALID_ARGUMENT, "%s: the expression is NULL", what);
        BrError inner = {0};
        function->kind = BRI_FORMULA;
        Scope scope = {variables, def, machine};
        BrStatus status =
            bri_expression_compile(def->expression, resolve, &scope, allocator, &function->formula, &inner);
        if (status == BR_OK && !varies(&function->formula)) fix(function, allocator);
        if (status == BR_OK) return BR_OK;
        *function = bri_function_constant(0);
        return bri_fail(error, status, "%s: %s", what, inner.text);
    }
    }
    return bri_fail(error, BR_INVALID_ARGUMENT, "%s: %d is no kind of function", what, (int)def->kind);
}

/* The constants and their names in one block. */
static BrConstant *copy_constants(const BrFunctionDef *def, const BrAllocator *allocator) {
    size_t size = (size_t)def->constant_count * sizeof(BrConstant);
    for (int i = 0; i < def->constant_count; i++) size += strlen(def->constants[i].name) + 1;
    BrConstant *copy = bri_allocate(allocator, size, 1);
    char *text = copy ? (char *)(copy + def->constant_count) : NULL;
    for (int i = 0; copy && i < def->constant_count; i++) {
        size_t length = strlen(def->constants[i].name) + 1;
        memcpy(text, def->constants[i].name, length);
        copy[i] = (BrConstant){text, def->constants[i].value};
        text += length;
    }
    return copy;
}

BrStatus bri_function_own(BrFunctionDef *def, const char *const variables[2], const char *what, BrModel *machine,
                          const BrAllocator *allocator, BriFunction *function, BrError *error) {
    BrFunctionDef given = *def;
    def->table = NULL;
    def->expression = NULL;
    def->constants = NULL;
    BrStatus status = make_function(&given, variables, what, machine, allocator, function, error);
    if (status != BR_OK) return status;
    def->table = function->table;
    if (given.kind != BR_FUNCTION_EXPRESSION) return BR_OK;
    def->expression = bri_copy_text(allocator, given.expression);
    def->constants = given.constant_count > 0 ? copy_constants(&given, allocator) : NULL;
    bool fine = def->expression && (def->constants || given.constant_count <= 0);
    return fine ? BR_OK : bri_fail(error, BR_OUT_OF_MEMORY, "%s: no memory for the expression", what);
}

void bri_function_disown(BrFunctionDef *def, BriFunction *function, const BrAllocator *allocator) {
    if (def->kind == BR_FUNCTION_EXPRESSION) {
        bri_release(allocator, (void *)(uintptr_t)def->expression);
        bri_release(allocator, (void *)(uintptr_t)def->constants);
    }
    bri_function_release(function, allocator);
    *def = br_constant(0);
}
