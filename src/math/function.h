/* function.h: what users may write where a number may vary: a constant, a sinusoid, a table, an expression.
 * Arguments are (x, v): for loads and motions x = time and v is unused; for springs x = deflection, v = its rate. */
#ifndef BRI_FUNCTION_H
#define BRI_FUNCTION_H

#include "math/expression.h"

typedef enum BriFunctionKind { BRI_CONSTANT, BRI_SINE, BRI_TABLE, BRI_FORMULA } BriFunctionKind;

typedef struct BriFunction {
    BriFunctionKind kind;
    double constant;                            /* BRI_CONSTANT; offset of BRI_SINE */
    double amplitude, angular_frequency, phase; /* BRI_SINE: offset + amplitude sin(angular_frequency x + phase) */
    int points;                                 /* BRI_TABLE: linear between points, constant outside */
    double *table;                              /* x0 y0 x1 y1 ..., x strictly rising */
    BriExpression formula;                      /* variable 0 is x, variable 1 is v */
} BriFunction;

BriFunction bri_function_constant(double value);
void bri_function_release(BriFunction *function, const BrAllocator *allocator);

/* Value and derivatives with respect to x (v held). Tables: derivative of the segment to the right of a knot, 0
 * outside. */
BriJet bri_function_evaluate(const BriFunction *function, double x, double v);

/* The same where its expression has quantities; `around` NULL: it has none. */
BriJet bri_function_evaluate_in(const BriFunction *function, double x, double v, const BriAround *around);
/* Has its expression quantities? */
bool bri_function_has_quantities(const BriFunction *function);

/* integral of the function from 0 to x at v = 0: closed form for constants, sinusoids and tables; 4 panels of 8-point
 * Gauss-Legendre (nodes and weights to 17 digits) for expressions. */
double bri_function_integral(const BriFunction *function, double x);

/* integral of s f(s) from 0 to x at v = 0: the energy behind a stiffness f. */
double bri_function_moment(const BriFunction *function, double x);

/* Is the function the constant 0? Does it depend on x, on v? */
bool bri_function_is_zero(const BriFunction *function);
bool bri_function_is_constant(const BriFunction *function);
bool bri_function_uses_rate(const BriFunction *function);

#endif
