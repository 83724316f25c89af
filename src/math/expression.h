/* expression.h: arithmetic written by users ("R*cos(lean)", "50 + 10*abs(x)"), compiled once, evaluated often.
 *
 * Grammar: + - * / ^ (right-associative, binds tighter than unary minus: -2^2 = -4), parentheses, numbers (decimal,
 * exponent), a number followed by a unit ("5 mm", "3 kN/m": the unit binds to the number), names, calls sin cos tan
 * asin acos atan atan2 exp log sqrt abs tanh min max, constants pi and e. A unit name directly after a number wins over
 * a variable of that name. Evaluation carries first and second derivatives with respect to one variable (a jet),
 * exactly by the chain rule. A name may have parts with dots between ("arm.position.z"). What it means may be a number
 * that is read when the expression is evaluated (a quantity), or another expression, which is then written out in its
 * place. */
#ifndef BRI_EXPRESSION_H
#define BRI_EXPRESSION_H

#include "base/base.h"
#include "math/units.h"

enum { BRI_EXPRESSION_VARIABLES = 4, BRI_EXPRESSION_STACK = 32 };

/* A value with its first and second derivative. */
typedef struct BriJet {
    double f, d, dd;
} BriJet;

typedef struct BriInstruction {
    uint8_t operation;
    uint8_t variable;       /* for the operation that pushes a variable */
    BriDimension dimension; /* of the constant, or the quantity */
    union {
        double constant;
        int64_t quantity; /* its number */
    };
} BriInstruction;

/* A flat program in postfix order; evaluation needs no memory but BRI_EXPRESSION_STACK jets on the C stack. */
typedef struct BriExpression {
    int count;
    BriInstruction *code;
} BriExpression;

/* What a name means while compiling: a variable (its number 0..BRI_EXPRESSION_VARIABLES-1), a constant, a quantity, or
 * a program: another expression. */
typedef enum BriNameKind {
    BRI_NAME_UNKNOWN,
    BRI_NAME_VARIABLE,
    BRI_NAME_CONSTANT,
    BRI_NAME_QUANTITY,
    BRI_NAME_PROGRAM,
    BRI_NAME_ERROR
} BriNameKind;
typedef struct BriName {
    int variable, quantity;
    double constant;
    BriDimension dimension; /* of a constant or a quantity */
    const BriExpression *program;
} BriName;
/* `name` is `length` characters. With `meaning` NULL it is only asked whether the name is a variable. BRI_NAME_ERROR:
 * the resolver has filled `error` itself (e.g. a cyclic parameter). */
typedef BriNameKind (*BriResolve)(void *user, const char *name, size_t length, BriName *meaning, BrError *error);

/* Compiles `text`. On refusal `error->text` says what was found and what is expected, quoting the place; error->column
 * is 1 + the offset in `text`. Expressions longer than 4096 characters, deeper than the stack (parenthesis nesting and
 * recursion in the parser bounded to 64), or empty are refused. `resolve` may be NULL: then no names but pi, e. For an
 * unknown name the message suggests the nearest function or constant (br_nearest_word). */
BrStatus bri_expression_compile(const char *text, BriResolve resolve, void *user, const BrAllocator *allocator,
                                BriExpression *expression, BrError *error);
void bri_expression_release(BriExpression *expression, const BrAllocator *allocator);

/* Value and derivatives, the variables being jets themselves (d = 1, dd = 0 for the one derived by; constants 0, 0). */
BriJet bri_expression_evaluate(const BriExpression *expression, const BriJet variables[BRI_EXPRESSION_VARIABLES]);

/* Where quantities are read. */
typedef struct BriAround {
    double (*read)(const void *user, int quantity);
    const void *user;
} BriAround;
/* The same, of an expression that may have quantities, which count as constants for the derivatives; `around` NULL: it
 * has none. */
BriJet bri_expression_evaluate_in(const BriExpression *expression, const BriJet variables[BRI_EXPRESSION_VARIABLES],
                                  const BriAround *around);
/* The expression that is one quantity, without a unit; false: out of memory. */
bool bri_expression_of_quantity(int quantity, const BrAllocator *allocator, BriExpression *expression);
/* The quantity of the first instruction from `*place` on that has one; `*place` goes behind it. -1: there is no more. */
int bri_expression_quantity(const BriExpression *expression, int *place);

/* The dimension of the result, `variables` giving those of the variables; refused where lengths are added to angles,
 * a sine is taken of a length, and the like. Untyped operands of + - min max adapt to the other; of * / they count as
 * no unit; ^ of a typed base needs an integer constant exponent (sqrt halves even exponents); sin cos tan take angles,
 * untyped or no-unit and give untyped; asin acos atan atan2 give angles; other functions need untyped or no-unit.
 * `variables` NULL: these and quantities are untyped. */
BrStatus bri_expression_dimension(const BriExpression *expression,
                                  const BriDimension variables[BRI_EXPRESSION_VARIABLES], BriDimension *dimension,
                                  BrError *error);

/* Does the program read variable `number`? */
bool bri_expression_uses(const BriExpression *expression, int number);

#endif
