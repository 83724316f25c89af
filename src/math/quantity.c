/* quantity.c: a number with its unit, outside of scenes. */
#include "bristle/base.h"
#include "math/elementary.h"
#include "math/expression.h"

BrStatus br_quantity(const char *text, const char *unit, double *value, BrError *error) {
    BRI_NEED(text && unit && value, "text, unit and value", error);
    const BriDimension none[BRI_EXPRESSION_VARIABLES] = {{0}};
    const BriJet nothing[BRI_EXPRESSION_VARIABLES] = {{0}};
    BrAllocator allocator = bri_default_allocator();
    BriDimension wanted = BRI_NO_UNIT, given;
    BriExpression expression = {0};
    double factor;
    char name[64];
    if (*unit && !bri_unit_read(unit, &factor, &wanted))
        return bri_fail(error, BR_INVALID_ARGUMENT, "'%.60s' is no unit that a quantity could fit", unit);
    BrStatus status = bri_expression_compile(text, NULL, NULL, &allocator, &expression, error);
    if (status == BR_OK) status = bri_expression_dimension(&expression, none, &given, error);
    if (status == BR_OK && !bri_unit_fits(given, wanted)) {
        bri_unit_name(given, name, sizeof name);
        status = bri_fail(error, BR_INVALID_ARGUMENT, "'%.60s' is in %s; it must be in %s", text, name,
                          *unit ? unit : "no unit");
    }
    double result = status == BR_OK ? bri_expression_evaluate(&expression, nothing).f : 0;
    if (status == BR_OK && !bri_is_finite(result))
        status = bri_fail(error, BR_INVALID_ARGUMENT, "'%.60s' is not a finite number", text);
    if (status == BR_OK) *value = result;
    bri_expression_release(&expression, &allocator);
    return status;
}
