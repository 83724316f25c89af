/* Units, expressions and functions: what users write where a number is expected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/elementary.h"
#include "math/function.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979324

/* Equal up to `relative`, measured against 1 where the numbers are small. */
static void expect_near(double value, double wanted, double relative) {
    double size = bri_abs(wanted) > 1 ? bri_abs(wanted) : 1;
    if (bri_abs(value - wanted) <= relative * size) return;
    print_error("%.17g is not %.17g\n", value, wanted);
    fail();
}

static void append(char *text, size_t size, const char *piece) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", piece);
}

/* ---- An allocator that counts, and fails at its n-th call ---- */

typedef struct Counter {
    int calls, live, fail_at; /* fail_at 0: never */
} Counter;

static void *count_allocate(void *user, size_t size) {
    Counter *counter = user;
    if (++counter->calls == counter->fail_at) return NULL;
    counter->live++;
    return malloc(size);
}

static void count_release(void *user, void *memory) {
    if (memory) ((Counter *)user)->live--;
    free(memory);
}

static BrAllocator count_with(Counter *counter) { return (BrAllocator){count_allocate, count_release, counter}; }

/* ---- Names: variables x v t s, constants mass = 2 kg, n = 2, one that refuses ---- */

static BriNameKind resolve(void *user, const char *name, size_t length, BriName *meaning, BrError *error) {
    static const char *const variables[] = {"x", "v", "t", "s"};
    (void)user;
    for (int i = 0; i < 4; i++) {
        if (length != 1 || name[0] != variables[i][0]) continue;
        if (meaning) meaning->variable = i;
        return BRI_NAME_VARIABLE;
    }
    if (!meaning) return BRI_NAME_UNKNOWN;
    if (length == 4 && memcmp(name, "mass", 4) == 0) {
        *meaning = (BriName){.constant = 2, .dimension = BRI_MASS};
        return BRI_NAME_CONSTANT;
    }
    if (length == 1 && name[0] == 'n') {
        *meaning = (BriName){.constant = 2, .dimension = BRI_NO_UNIT};
        return BRI_NAME_CONSTANT;
    }
    if (length == 6 && memcmp(name, "cyclic", 6) == 0) {
        bri_fail(error, BR_INVALID_SCENE, "the parameter defines itself");
        return BRI_NAME_ERROR;
    }
    return BRI_NAME_UNKNOWN;
}

static BriExpression compile(const char *text) {
    BrAllocator allocator = bri_default_allocator();
    BriExpression expression;
    BrError error;
    if (bri_expression_compile(text, resolve, NULL, &allocator, &expression, &error) != BR_OK) {
        fail_msg("\"%s\": %s", text, error.text);
    }
    return expression;
}

static void release(BriExpression *expression) {
    BrAllocator allocator = bri_default_allocator();
    bri_expression_release(expression, &allocator);
}

/* At x, v = 3, t = 5, s = 7, derived by x. */
static BriJet evaluate(const char *text, double x) {
    BriExpression expression = compile(text);
    BriJet jet = bri_expression_evaluate(&expression, (BriJet[]){{x, 1, 0}, {3, 0, 0}, {5, 0, 0}, {7, 0, 0}});
    release(&expression);
    return jet;
}

static BrError refusal(const char *text, BriResolve names) {
    Counter counter = {0, 0, 0};
    BrAllocator allocator = count_with(&counter);
    BriExpression expression;
    BrError error;
    BrStatus status = bri_expression_compile(text, names, NULL, &allocator, &expression, &error);
    if (status == BR_OK) fail_msg("\"%s\" was accepted", text);
    assert_int_equal(status, error.status);
    assert_int_equal(counter.live, 0);
    assert_null(expression.code);
    assert_int_equal(bri_expression_compile(text, names, NULL, &allocator, &expression, NULL), status);
    return error;
}

/* ---- Units ---- */

static void test_unit_factors(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double factor;
        int exponents[4];
    } cases[] = {{"mm", 1e-3, {1, 0, 0, 0}},
                 {"um", 1e-6, {1, 0, 0, 0}},
                 {"in", 0.0254, {1, 0, 0, 0}},
                 {"km/h", 1000.0 / 3600, {1, 0, -1, 0}},
                 {"min", 60, {0, 0, 1, 0}},
                 {"g", 1e-3, {0, 1, 0, 0}},
                 {"t", 1000, {0, 1, 0, 0}},
                 {"deg", PI / 180, {0, 0, 0, 1}},
                 {"rev", 2 * PI, {0, 0, 0, 1}},
                 {"rpm", 2 * PI / 60, {0, 0, -1, 1}},
                 {"rev/min", 2 * PI / 60, {0, 0, -1, 1}},
                 {"kN/m", 1000, {0, 1, -2, 0}},
                 {"N m s/rad", 1, {2, 1, -1, -1}},
                 {"m/s^2", 1, {1, 0, -2, 0}},
                 {"m/s/s", 1, {1, 0, -2, 0}},
                 {"kg*m^2", 1, {2, 1, 0, 0}},
                 {"N/mm^2", 1e6, {-1, 1, -2, 0}},
                 {"GPa", 1e9, {-1, 1, -2, 0}},
                 {"bar", 1e5, {-1, 1, -2, 0}},
                 {"kW", 1e3, {2, 1, -3, 0}},
                 {"kJ", 1e3, {2, 1, -2, 0}},
                 {"kHz", 1e3, {0, 0, -1, 0}},
                 {"s^-1", 1, {0, 0, -1, 0}},
                 {"mm^-2", 1e6, {-2, 0, 0, 0}},
                 {"mm \t mrad", 1e-6, {1, 0, 0, 1}},
                 {"m/m", 1, {0, 0, 0, 0}}};
    for (int i = 0; i < BRI_COUNT(cases); i++) {
        double factor;
        BriDimension d;
        assert_int_equal(bri_unit_read(cases[i].text, &factor, &d), strlen(cases[i].text));
        assert_true(factor == cases[i].factor); /* rounded once: equal to the bit */
        assert_true(d.typed);
        assert_int_equal(d.metre, cases[i].exponents[0]);
        assert_int_equal(d.kilogram, cases[i].exponents[1]);
        assert_int_equal(d.second, cases[i].exponents[2]);
        assert_int_equal(d.radian, cases[i].exponents[3]);
    }
}

static void test_unit_reading_stops(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t read;
    } cases[] = {{"", 0},          {"g0", 0},    {"furlong", 0},  {"M", 0},       {" m", 0},
                 {"m*foo", 1},     {"m/foo", 1}, {"m  foo", 1},   {"N m foo", 3}, {"m*2", 1},
                 {"mm, 3", 2},     {"m^2.5", 1}, {"m^x", 1},      {"m^", 1},      {"m^2 s", 5},
                 {"kN/m)", 4},     {"m * s", 1}, {"N*min(x)", 1}, {"N*min", 5},   {"m+s", 1},
                 {"m^99*m^99", 4}, {"N^99", 0},  {"m//s", 1},     {"mmm", 0},     {"m^2^2", 3}};
    for (int i = 0; i < BRI_COUNT(cases); i++) {
        double factor = 0;
        BriDimension dimension;
        size_t read = bri_unit_read(cases[i].text, &factor, &dimension);
        if (read != cases[i].read) fail_msg("\"%s\": %zu characters read", cases[i].text, read);
        assert_int_equal(dimension.typed, read > 0);
        assert_true(factor > 0);
    }
}

static void test_unit_names_read_back(void **state) {
    (void)state;
    static const char *const names[] = {
        "N",      "N m", "N/m", "N m/rad", "N s/m", "N m s/rad", "m/s", "m/s^2",  "rad/s",  "Hz",  "Pa",      "W",
        "kg m^2", "m",   "rad", "s",       "kg",    "m^2 s^-5",  "N s", "kg/m^3", "rad^-1", "m^3", "rad/s^2", "N m s"};
    char text[64];
    for (int i = 0; i < BRI_COUNT(names); i++) {
        double factor;
        BriDimension dimension;
        assert_int_equal(bri_unit_read(names[i], &factor, &dimension), strlen(names[i]));
        assert_true(factor == 1);
        bri_unit_name(dimension, text, sizeof text);
        assert_string_equal(text, names[i]);
    }
    bri_unit_name(BRI_NO_UNIT, text, sizeof text);
    assert_string_equal(text, "1");
    bri_unit_name(BRI_DIMENSION(-128, -128, -128, -128), text, sizeof text);
    assert_string_equal(text, "kg^-128 m^-128 s^-128 rad^-128");
    bri_unit_name(BRI_INERTIA, text, 4); /* cut, never beyond the end */
    assert_string_equal(text, "kg ");
    bri_unit_name(BRI_INERTIA, text, 0);
}

static void test_unit_fits(void **state) {
    (void)state;
    assert_true(bri_unit_fits(BRI_UNTYPED, BRI_LENGTH));
    assert_true(bri_unit_fits(BRI_LENGTH, BRI_LENGTH));
    assert_false(bri_unit_fits(BRI_ANGLE, BRI_LENGTH));
    assert_false(bri_unit_fits(BRI_NO_UNIT, BRI_LENGTH));
    assert_false(bri_unit_fits(BRI_NO_UNIT, BRI_ANGLE));
    assert_false(bri_unit_fits(BRI_FREQUENCY, BRI_ANGULAR_VELOCITY));  /* Hz for rad/s would be wrong by 2 pi */
    assert_true(bri_unit_fits(BRI_TORQUE, BRI_TORSION_STIFFNESS));     /* N m for N m/rad */
    assert_true(bri_unit_fits(BRI_DIMENSION(1, 0, 0, 1), BRI_LENGTH)); /* radius times angle */
    assert_false(bri_unit_fits(BRI_DIMENSION(1, 0, 0, 1), BRI_ANGLE));
    assert_false(bri_unit_fits(BRI_STIFFNESS, BRI_TORSION_STIFFNESS));
}

/* ---- Grammar ---- */

static const struct {
    const char *text;
    double value;
} grammar[] = {{"1+2*3", 7},
               {"(1+2)*3", 9},
               {"-2^2", -4},
               {"2^3^2", 512},
               {"2^-1", 0.5},
               {"(-2)^2", 4},
               {"8/4/2", 1},
               {"8-4-2", 2},
               {"--3", 3},
               {"2*-3", -6},
               {" 1 +\t2\n", 3},
               {".5", 0.5},
               {"5.", 5},
               {"1.25e3", 1250},
               {"1E-2", 0.01},
               {"0.1", 0.1},
               {"9 mm", 0.009},
               {"180 deg", PI},
               {"3 kN/m", 3000},
               {"2*3mm", 0.006},
               {"5 m^2", 5},
               {"6 km/2", 3000},
               {"pi", PI},
               {"sin(pi/6)", 0.5},
               {"min(2, 1)", 1},
               {"max(2, 1)", 2},
               {"atan2(1, -1)", 3 * PI / 4},
               {"log(e)", 1},
               {"abs(-3)+sqrt(4)", 5},
               {"mass*v", 6},
               {"x-v", -2},
               {"0.1 m/s*t", 0.5},
               {"5 s", 5},
               {"5*s", 35},
               {"2 N*min(v, 4)", 6},
               {"2 m * s", 14},
               {"exp(0)*cos(0)*1e0", 1},
               {"tanh(0)", 0},
               {"2.2250738585072011e-308", 2.2250738585072011e-308},
               {"123456789012345678901234567890e-20", 1234567890.1234567890}};

static void test_grammar(void **state) {
    (void)state;
    for (int i = 0; i < BRI_COUNT(grammar); i++) {
        double value = evaluate(grammar[i].text, 1).f;
        if (bri_abs(value - grammar[i].value) > 4e-16 * bri_abs(grammar[i].value)) {
            fail_msg("\"%s\" is %.17g", grammar[i].text, value); /* two roundings at most in each */
        }
    }
    assert_true(evaluate("9 mm", 0).f == 0.009); /* not 9 * 0.001 */
}

static void test_constants_are_folded(void **state) {
    (void)state;
    BriExpression expression = compile("2*pi/3 + x^(3-1)");
    assert_int_equal(expression.count, 5); /* constant, x, 2, ^, + */
    assert_true(bri_expression_uses(&expression, 0));
    assert_false(bri_expression_uses(&expression, 1));
    release(&expression);
}

static void test_errors(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int column;
        const char *says;
    } cases[] = {{"", 1, "empty"},
                 {"  ", 1, "empty"},
                 {"1+", 3, "found the end"},
                 {"R*cosine(x)", 1, "found \"R\", expected a known name"},
                 {"2*tang(x)", 3, "did you mean \"tan\"?"},
                 {"1 + sqr(2)", 5, "did you mean \"sqrt\"?"},
                 {"3 kN / m", 8, "a unit stands right behind its number"},
                 {"5 mmm", 3, "found \"mmm\", expected a unit"},
                 {"x y", 3, "found \"y\", expected an operator or the end"},
                 {"(1+2", 5, "expected \")\""},
                 {"1)", 2, "found \")\""},
                 {"sin x", 1, "found \"sin\""},
                 {"sin()", 5, "found \")\""},
                 {"sin(1, 2)", 1, "found 2 arguments of \"sin\", expected 1"},
                 {"2*atan2(1)", 3, "found 1 argument of \"atan2\", expected 2"},
                 {"sin(1", 6, "found the end"},
                 {"1.2.3", 4, "found \".\""},
                 {"1e999", 1, "found the number \"1e999\""},
                 {"0x10", 2, "found \"x10\""},
                 {"inf", 1, "found \"inf\""},
                 {"1 \xC2\xB5", 3, "found \"\xC2\xB5\""},
                 {"1 \x01", 3, "control character"},
                 {"x*cyclic", 0, "the parameter defines itself"}};
    for (int i = 0; i < BRI_COUNT(cases); i++) {
        BrError error = refusal(cases[i].text, resolve);
        if (!strstr(error.text, cases[i].says)) fail_msg("\"%s\": %s", cases[i].text, error.text);
        if (error.column != cases[i].column) fail_msg("\"%s\": column %d", cases[i].text, error.column);
    }
    assert_int_equal(refusal("cyclic", resolve).status, BR_INVALID_SCENE);
    assert_non_null(strstr(refusal("x", NULL).text, "found \"x\""));
}

/* n times `open`, "1", n times `close`; says whether it compiles. */
static bool compiles_nested(const char *open, const char *close, int n) {
    static char text[8192];
    BrAllocator allocator = bri_default_allocator();
    BriExpression expression;
    BrError error;
    text[0] = '\0';
    for (int i = 0; i < n; i++) append(text, sizeof text, open);
    append(text, sizeof text, "x");
    for (int i = 0; i < n; i++) append(text, sizeof text, close);
    BrStatus status = bri_expression_compile(text, resolve, NULL, &allocator, &expression, &error);
    if (status == BR_OK)
        bri_expression_evaluate(&expression, (BriJet[BRI_EXPRESSION_VARIABLES]){{1, 1, 0}});
    else
        assert_true(error.text[0] != '\0');
    bri_expression_release(&expression, &allocator);
    return status == BR_OK;
}

static void test_bounds(void **state) {
    (void)state;
    assert_true(compiles_nested("(", ")", 64));
    assert_false(compiles_nested("(", ")", 65));
    assert_true(compiles_nested("-", "", 64));
    assert_false(compiles_nested("-", "", 65));
    assert_true(compiles_nested("x+(", ")", BRI_EXPRESSION_STACK - 1)); /* the stack is filled to the last jet */
    assert_false(compiles_nested("x+(", ")", BRI_EXPRESSION_STACK));
    assert_false(compiles_nested("2^", "", 65));
    assert_true(compiles_nested("x+", "", 2000)); /* long, but flat */
    assert_true(compiles_nested(" ", "", 4095));
    assert_false(compiles_nested(" ", "", 4096));
    assert_false(compiles_nested("1", "", 300));
}

/* ---- Derivatives ---- */

static void test_jets_against_differences(void **state) {
    (void)state;
    static const char *const texts[] = {"x^2",
                                        "x^3-2*x",
                                        "x^-2",
                                        "x^9",
                                        "(0-x)^3",
                                        "(0-x)^11",
                                        "x^1.5",
                                        "x^x",
                                        "2^x",
                                        "(1+x^2)^sin(x)",
                                        "sin(x)*cos(2*x)",
                                        "tan(x/2)",
                                        "asin(x/3)",
                                        "acos(x/3)",
                                        "atan(x^2)",
                                        "atan2(x, 2)",
                                        "atan2(sin(x), cos(3*x)+2)",
                                        "exp(-x^2)",
                                        "log(1+x)",
                                        "sqrt(1+x)",
                                        "abs(x-1.1)*x",
                                        "tanh(3*x-2)",
                                        "min(x, x^2)",
                                        "max(x, 2-x)",
                                        "x/(1+x^2)",
                                        "(50+10*abs(x))*x",
                                        "-x^2+v*t",
                                        "sqrt(4)+x*sqrt(v)",
                                        "1/x"};
    static const double points[] = {0.3, 0.7, 1.3, 2.2};
    const double h = 1e-5; /* differences of f' err by h^2 f'''/6 + 1e-16 f/h: about 1e-10 of the values here */
    for (int i = 0; i < BRI_COUNT(texts); i++) {
        for (int k = 0; k < BRI_COUNT(points); k++) {
            double x = points[k];
            BriJet jet = evaluate(texts[i], x), left = evaluate(texts[i], x - h), right = evaluate(texts[i], x + h);
            expect_near(jet.d, (right.f - left.f) / (2 * h), 2e-7);
            expect_near(jet.dd, (right.d - left.d) / (2 * h), 2e-7);
        }
    }
}

static void expect_jet(const char *text, double x, double f, double d, double dd) {
    BriJet jet = evaluate(text, x);
    if (jet.f != f || jet.d != d || jet.dd != dd) fail_msg("\"%s\": %g %g %g", text, jet.f, jet.d, jet.dd);
}

static void test_jets_at_corners(void **state) {
    (void)state;
    expect_jet("x^2", 0, 0, 0, 2);
    expect_jet("x^1", 0, 0, 1, 0);
    expect_jet("x^0", 0, 1, 0, 0);
    expect_jet("x^3", -2, -8, 12, -12);
    expect_jet("x^-1", -2, -0.5, -0.25, -0.25);
    expect_jet("x^n", -3, 9, -6, 2);
    expect_jet("abs(x)", -2, 2, -1, 0);
    expect_jet("abs(x)", 0, 0, 0, 0);
    expect_jet("abs(x)*x", 0, 0, 0, 0);
    expect_jet("min(x, 1)", 2, 1, 0, 0);
    expect_jet("max(x, 1)", 2, 2, 1, 0);
    expect_jet("x*sqrt(v-3)", 2, 0, 0, 0); /* a constant has no derivative, even where sqrt has none */
    BriJet lost = evaluate("min(sqrt(0-1), x) + max(x, sqrt(0-1))", 1);
    assert_true(lost.f != lost.f);
}

/* ---- Dimensions: x in m, v in m/s, t in s, s an angle ---- */

static BrStatus measure(const char *text, BriDimension *dimension, BrError *error) {
    const BriDimension variables[] = {BRI_LENGTH, BRI_VELOCITY, BRI_TIME, BRI_ANGLE};
    BriExpression expression = compile(text);
    BrStatus status = bri_expression_dimension(&expression, variables, dimension, error);
    release(&expression);
    return status;
}

static void test_dimensions_accepted(void **state) {
    (void)state;
    static const struct {
        const char *text, *unit;
        bool typed;
    } cases[] = {{"x + v*t", "m", true},
                 {"x + 1", "m", true},
                 {"2*pi", "1", false},
                 {"x/x", "1", true},
                 {"mass*v/t", "N", true},
                 {"sqrt(x^2 + x*v*t)", "m", true},
                 {"x^2", "m^2", true},
                 {"x^-2", "m^-2", true},
                 {"x^(1+1)", "m^2", true},
                 {"x^n", "m^2", true},
                 {"sin(s)*x", "m", true},
                 {"sin(3)", "1", false},
                 {"cos(x/x)", "1", false},
                 {"atan2(x, 2 mm)", "rad", true},
                 {"asin(x/(2 m))", "rad", true},
                 {"atan(1) + 20 deg", "rad", true},
                 {"-abs(x)", "m", true},
                 {"min(x, 3)", "m", true},
                 {"exp(-t/(2 s))", "1", false},
                 {"(x/(1 mm))^1.5", "1", true},
                 {"3 kN/m*x", "N", true},
                 {"2^(x/x)", "1", false},
                 {"1/t", "Hz", true},
                 {"log(2)", "1", false},
                 {"sqrt(2)", "1", false}};
    for (int i = 0; i < BRI_COUNT(cases); i++) {
        BriDimension dimension;
        BrError error;
        char name[64];
        if (measure(cases[i].text, &dimension, &error) != BR_OK) fail_msg("\"%s\": %s", cases[i].text, error.text);
        bri_unit_name(dimension, name, sizeof name);
        if (strcmp(name, cases[i].unit) != 0 || dimension.typed != cases[i].typed) {
            fail_msg("\"%s\" is in %s", cases[i].text, name);
        }
    }
}

static void test_dimensions_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {{"x + s", "found \"+\" of m and rad, expected two values of the same unit"},
                 {"x - v", "found \"-\" of m and m/s"},
                 {"max(x, t)", "found \"max\" of m and s"},
                 {"x + x/x", "found \"+\" of m and no unit"},
                 {"atan2(x, v)", "found \"atan2\" of m and m/s"},
                 {"sin(x)", "found \"sin\" of m, expected an angle or a number without unit"},
                 {"exp(s)", "found \"exp\" of rad, expected a number without unit"},
                 {"acos(x)", "found \"acos\" of m"},
                 {"sqrt(x)", "found \"sqrt\" of m, expected even powers"},
                 {"x^0.5", "found \"^\" of m, expected a constant integer exponent"},
                 {"x^(x/x)", "found \"^\" of m, expected a constant integer exponent"},
                 {"2^x", "found \"^\" of m, expected an exponent without unit"},
                 {"x^1e9", "found \"^\" of m"},
                 {"x^100*x^100", "expected an exponent below 128"}};
    for (int i = 0; i < BRI_COUNT(cases); i++) {
        BriDimension dimension;
        BrError error;
        if (measure(cases[i].text, &dimension, &error) == BR_OK) fail_msg("\"%s\" was accepted", cases[i].text);
        if (!strstr(error.text, cases[i].says)) fail_msg("\"%s\": %s", cases[i].text, error.text);
        assert_true(measure(cases[i].text, &dimension, NULL) < 0);
    }
}

/* ---- Functions ---- */

static void test_constant_and_sine(void **state) {
    (void)state;
    BriFunction c = bri_function_constant(3);
    assert_true(bri_function_evaluate(&c, 5, 1).f == 3 && bri_function_integral(&c, -2) == -6);
    assert_true(bri_function_is_constant(&c) && !bri_function_is_zero(&c) && !bri_function_uses_rate(&c));
    BriFunction sine = {.kind = BRI_SINE, .constant = 1, .amplitude = 2, .angular_frequency = 3, .phase = 0.5};
    assert_false(bri_function_is_constant(&sine));
    for (double x = -2; x < 2; x += 0.37) {
        BriJet jet = bri_function_evaluate(&sine, x, 0);
        expect_near(jet.f, 1 + 2 * bri_sin(3 * x + 0.5), 1e-15);
        expect_near(jet.d, 6 * bri_cos(3 * x + 0.5), 1e-15);
        expect_near(jet.dd, -18 * bri_sin(3 * x + 0.5), 1e-15);
        expect_near(bri_function_integral(&sine, x), x + 2.0 / 3 * (bri_cos(0.5) - bri_cos(3 * x + 0.5)), 1e-15);
    }
    sine.angular_frequency = 0;
    expect_near(bri_function_integral(&sine, 2), 2 * (1 + 2 * bri_sin(0.5)), 1e-15);
    assert_true(bri_function_is_constant(&sine));
    sine.amplitude = sine.constant = 0;
    assert_true(bri_function_is_zero(&sine));
}

static void test_table(void **state) {
    (void)state;
    double points[] = {-1, 2, 1, 4, 2, 0};
    BriFunction table = {.kind = BRI_TABLE, .points = 3, .table = points};
    static const double cases[][4] = {/* x, value, slope, integral from 0 */
                                      {-3, 2, 0, -6.5}, {-1, 2, 1, -2.5}, {0, 3, 1, 0},   {0.5, 3.5, 1, 1.625},
                                      {1, 4, -4, 3.5},  {1.5, 2, -4, 5},  {2, 0, 0, 5.5}, {9, 0, 0, 5.5}};
    for (int i = 0; i < BRI_COUNT(cases); i++) {
        BriJet jet = bri_function_evaluate(&table, cases[i][0], 0);
        assert_true(jet.f == cases[i][1] && jet.d == cases[i][2] && jet.dd == 0); /* small binary fractions: exact */
        assert_true(bri_function_integral(&table, cases[i][0]) == cases[i][3]);
    }
    assert_false(bri_function_is_constant(&table));
    double far[] = {5, 7, 6, 7}; /* all knots right of the origin */
    table = (BriFunction){.kind = BRI_TABLE, .points = 2, .table = far};
    assert_true(bri_function_integral(&table, 8) == 56 && bri_function_integral(&table, -1) == -7);
    assert_true(bri_function_is_constant(&table) && !bri_function_is_zero(&table));
    table.points = 1;
    assert_true(bri_function_evaluate(&table, 5, 0).f == 7 && bri_function_evaluate(&table, 9, 0).d == 0);
}

static void test_formula(void **state) {
    (void)state;
    BriFunction spring = {.kind = BRI_FORMULA, .formula = compile("(50+10*abs(x))*x")};
    for (double x = -2; x < 2.1; x += 0.25) { /* a polynomial on each side of 0: the quadrature is exact */
        double wanted = 25 * x * x + 10.0 / 3 * bri_abs(x) * x * x;
        expect_near(bri_function_integral(&spring, x), wanted, 1e-15);
    }
    assert_false(bri_function_is_constant(&spring) || bri_function_uses_rate(&spring));
    BrAllocator allocator = bri_default_allocator();
    bri_function_release(&spring, &allocator);
    assert_true(bri_function_is_zero(&spring));
    BriFunction damper = {.kind = BRI_FORMULA, .formula = compile("exp(x) + 4*v")};
    assert_true(bri_function_uses_rate(&damper));
    expect_near(bri_function_evaluate(&damper, 0, 2).f, 9, 1e-15);
    expect_near(bri_function_evaluate(&damper, 0, 2).d, 1, 1e-15);
    expect_near(bri_function_integral(&damper, 3), bri_exp(3) - 1, 1e-15);
    bri_function_release(&damper, &allocator);
    BriFunction zero = {.kind = BRI_FORMULA, .formula = compile("0*pi")};
    assert_true(bri_function_is_zero(&zero) && bri_function_is_constant(&zero));
    bri_function_release(&zero, &allocator);
}

/* ---- Abuse ---- */

static void test_junk_never_crashes(void **state) {
    (void)state;
    static const char *const pieces[] = {"1", "2.5", ".", "e",   "E",  "+", "-",    "*",    "/", "^",
                                         "(", ")",   ",", " ",   "x",  "v", "sin(", "min(", "m", "mm",
                                         "s", "t",   "N", "deg", "pi", "9", "abs(", "\xC3", "_", "n"};
    uint64_t seed = 12345;
    Counter counter = {0, 0, 0};
    BrAllocator allocator = count_with(&counter);
    int compiled = 0;
    for (int round = 0; round < 100000; round++) {
        char text[128] = "";
        seed = bri_hash(&round, sizeof round, seed);
        uint64_t bits = seed;
        for (int i = 0; i < 1 + (int)(seed % 12); i++, bits = bits * 6364136223846793005u + 1442695040888963407u) {
            append(text, sizeof text, pieces[(bits >> 33) % (uint64_t)BRI_COUNT(pieces)]);
        }
        BriExpression expression;
        BriDimension dimension;
        BrError error;
        BrStatus status = bri_expression_compile(text, resolve, NULL, &allocator, &expression, &error);
        assert_true(status == BR_OK || (status < 0 && error.status == status && error.text[0] != '\0'));
        if (status != BR_OK) assert_in_range(error.column, 1, strlen(text) + 1);
        if (status == BR_OK) {
            compiled++;
            bri_expression_evaluate(&expression, (BriJet[]){{0.5, 1, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}});
            bri_expression_dimension(&expression, (BriDimension[4]){BRI_LENGTH}, &dimension, &error);
        }
        bri_expression_release(&expression, &allocator);
        assert_int_equal(counter.live, 0);
    }
    assert_true(compiled > 1000); /* the junk is near enough to the grammar to test it */
}

static void test_out_of_memory(void **state) {
    (void)state;
    static const char text[] = "1+x*(2+x*(3+x*(4+x*(5+x*(6+sin(x)*atan2(x,v)+min(x,2)*max(x,3 mm))))))";
    int refused = 0;
    for (int n = 1;; n++) {
        Counter counter = {0, 0, n};
        BrAllocator allocator = count_with(&counter);
        BriExpression expression;
        BrError error;
        BrStatus status = bri_expression_compile(text, resolve, NULL, &allocator, &expression, &error);
        bri_expression_release(&expression, &allocator);
        assert_int_equal(counter.live, 0);
        if (status == BR_OK) break;
        assert_int_equal(status, BR_OUT_OF_MEMORY);
        assert_int_equal(error.status, BR_OUT_OF_MEMORY);
        refused++;
    }
    assert_true(refused >= 3); /* 8, 16, 32 instructions */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unit_factors),
        cmocka_unit_test(test_unit_reading_stops),
        cmocka_unit_test(test_unit_names_read_back),
        cmocka_unit_test(test_unit_fits),
        cmocka_unit_test(test_grammar),
        cmocka_unit_test(test_constants_are_folded),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_jets_against_differences),
        cmocka_unit_test(test_jets_at_corners),
        cmocka_unit_test(test_dimensions_accepted),
        cmocka_unit_test(test_dimensions_refused),
        cmocka_unit_test(test_constant_and_sine),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_formula),
        cmocka_unit_test(test_junk_never_crashes),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("expression", tests, NULL, NULL);
}
