/* expression.c: recursive-descent compiler to postfix, evaluation by jets, and dimension analysis.
 *
 * A jet holds f(s), f'(s), f''(s). For g(u(s)):  g' = g_u u',  g'' = g_uu u'^2 + g_u u''.
 *
 * Grammar:  sum     = product { ("+" | "-") product }        unary   = "-" unary | power
 *           product = unary { ("*" | "/") unary }            power   = primary [ "^" unary ]
 *           primary = number [ unit ] | name | name "(" sum { "," sum } ")" | "(" sum ")"
 *
 * An operation whose operands are all bare constants is done at once, so "x^(3-1)" has a constant exponent. A name the
 * resolver knows wins over pi and e (a scene may call its restitution e). In "0.1 m/s*t" a '*' before the name of a
 * variable ends the unit: t is the time there, not the tonne. */
#include "math/expression.h"

#include "math/elementary.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_TEXT = 4096, LONGEST_NUMBER = 200, DEEPEST = 64, LONGEST_PROGRAM = 10000 };

enum { CONSTANT, VARIABLE, NEGATE, ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER };
enum { SIN = POWER + 1, COS, TAN, ASIN, ACOS, ATAN, ATAN2, EXP, LOG, SQRT, ABS, TANH, MIN, MAX, QUANTITY, OPERATIONS };

/* In the order of the two lists above. */
static const struct {
    const char *name;
    int arity;
} operations[OPERATIONS] = {{"", 0},     {"", 0},     {"-", 1},     {"+", 2},   {"-", 2},   {"*", 2},
                            {"/", 2},    {"^", 2},    {"sin", 1},   {"cos", 1}, {"tan", 1}, {"asin", 1},
                            {"acos", 1}, {"atan", 1}, {"atan2", 2}, {"exp", 1}, {"log", 1}, {"sqrt", 1},
                            {"abs", 1},  {"tanh", 1}, {"min", 2},   {"max", 2}, {"", 0}};

/* ---- Jets ---- */

/* a b, where b = 0 wins over an infinite a: a constant has no derivative, even inside sqrt at 0. */
static double scale(double a, double b) { return b == 0 ? 0 : a * b; }

static BriJet chain(BriJet u, double g, double g_u, double g_uu) {
    return (BriJet){g, scale(g_u, u.d), scale(g_uu, u.d * u.d) + scale(g_u, u.dd)};
}

/* x^c; small whole powers by multiplication, so that x^2 is x*x to the bit. */
static double raise_to(double x, double c) {
    if (bri_abs(c) > 8 || c != bri_floor(c)) return bri_pow(x, c);
    double product = 1;
    for (int i = 0; i < (int)bri_abs(c); i++) product *= x;
    return c < 0 ? 1 / product : product;
}

static BriJet power(BriJet x, BriJet y) {
    double c = y.f;
    if (y.d == 0 && y.dd == 0)
        return chain(x, raise_to(x.f, c), scale(raise_to(x.f, c - 1), c), scale(raise_to(x.f, c - 2), c * (c - 1)));
    /* x^y = exp(g), g = y log x; r = x'/x */
    double f = bri_pow(x.f, c), l = bri_log(x.f), r = x.d / x.f;
    double g_1 = y.d * l + c * r;
    double g_2 = y.dd * l + 2 * y.d * r + c * (x.dd / x.f - r * r);
    return (BriJet){f, f * g_1, f * (g_1 * g_1 + g_2)};
}

/* theta = atan2(y, x):  theta' = (x y' - y x') / (x^2 + y^2). */
static BriJet angle(BriJet y, BriJet x) {
    double theta = bri_atan2(y.f, x.f), square = x.f * x.f + y.f * y.f;
    if (x.d == 0 && x.dd == 0 && y.d == 0 && y.dd == 0) return (BriJet){theta, 0, 0};
    double d = (x.f * y.d - y.f * x.d) / square;
    return (BriJet){theta, d, (x.f * y.dd - y.f * x.dd - 2 * d * (x.f * x.d + y.f * y.d)) / square};
}

static BriJet divide(BriJet a, BriJet b) {
    double f = a.f / b.f, d = (a.d - f * b.d) / b.f;
    return (BriJet){f, d, (a.dd - 2 * d * b.d - f * b.dd) / b.f};
}

static BriJet apply_one(int operation, BriJet u) {
    double x = u.f, g, h;
    switch (operation) {
    case NEGATE: return (BriJet){-u.f, -u.d, -u.dd};
    case SIN: bri_sincos(x, &g, &h); return chain(u, g, h, -g);
    case COS: bri_sincos(x, &h, &g); return chain(u, g, -h, -g);
    case TAN: g = bri_tan(x); return chain(u, g, 1 + g * g, 2 * g * (1 + g * g));
    case ASIN: h = (1 - x) * (1 + x), g = bri_sqrt(h); return chain(u, bri_asin(x), 1 / g, x / (g * h));
    case ACOS: h = (1 - x) * (1 + x), g = bri_sqrt(h); return chain(u, bri_acos(x), -1 / g, -x / (g * h));
    case ATAN: h = 1 / (1 + x * x); return chain(u, bri_atan(x), h, -2 * x * h * h);
    case EXP: g = bri_exp(x); return chain(u, g, g, g);
    case LOG: return chain(u, bri_log(x), 1 / x, -1 / (x * x));
    case SQRT: g = bri_sqrt(x); return chain(u, g, 0.5 / g, -0.25 / (g * x));
    case ABS: return chain(u, bri_abs(x), (x > 0) - (x < 0), 0);
    case TANH: /* 1 - tanh^2 = 4 q / (1 + q)^2 with q = exp(-2 |x|), without cancellation */
        g = bri_tanh(x), h = bri_exp(-2 * bri_abs(x)), h = 4 * h / ((1 + h) * (1 + h));
        return chain(u, g, h, -2 * g * h);
    default: BRI_ASSERT(false); return u;
    }
}

static BriJet apply_two(int operation, BriJet a, BriJet b) {
    switch (operation) {
    case ADD: return (BriJet){a.f + b.f, a.d + b.d, a.dd + b.dd};
    case SUBTRACT: return (BriJet){a.f - b.f, a.d - b.d, a.dd - b.dd};
    case MULTIPLY: return (BriJet){a.f * b.f, a.d * b.f + a.f * b.d, a.dd * b.f + 2 * a.d * b.d + a.f * b.dd};
    case DIVIDE: return divide(a, b);
    case POWER: return power(a, b);
    case ATAN2: return angle(a, b);
    case MIN: return a.f <= b.f || a.f != a.f ? a : b; /* a NaN on either side is kept */
    case MAX: return a.f >= b.f || a.f != a.f ? a : b;
    default: BRI_ASSERT(false); return a;
    }
}

BriJet bri_expression_evaluate(const BriExpression *expression, const BriJet variables[BRI_EXPRESSION_VARIABLES]) {
    return bri_expression_evaluate_in(expression, variables, NULL);
}

BriJet bri_expression_evaluate_in(const BriExpression *expression, const BriJet variables[BRI_EXPRESSION_VARIABLES],
                                  const BriAround *around) {
    BriJet stack[BRI_EXPRESSION_STACK]; /* deep enough: the compiler counted */
    stack[0] = (BriJet){0, 0, 0};
    int top = -1;
    for (int i = 0; i < expression->count; i++) {
        const BriInstruction *code = &expression->code[i];
        int operation = code->operation;
        int arity = operations[operation].arity;
        if (operation == CONSTANT)
            stack[++top] = (BriJet){code->constant, 0, 0};
        else if (operation == VARIABLE)
            stack[++top] = variables[code->variable];
        else if (operation == QUANTITY)
            stack[++top] = (BriJet){around ? around->read(around->user, (int)code->quantity) : 0, 0, 0};
        else if (arity == 1)
            stack[top] = apply_one(operation, stack[top]);
        else
            top--, stack[top] = apply_two(operation, stack[top], stack[top + 1]);
    }
    return stack[0];
}

bool bri_expression_uses(const BriExpression *expression, int number) {
    for (int i = 0; i < expression->count; i++) {
        const BriInstruction *code = &expression->code[i];
        if (code->operation == VARIABLE && code->variable == number) return true;
    }
    return false;
}

bool bri_expression_of_quantity(int quantity, const BrAllocator *allocator, BriExpression *expression) {
    *expression = (BriExpression){1, bri_allocate(allocator, 1, sizeof(BriInstruction))};
    if (!expression->code) *expression = (BriExpression){0, NULL};
    if (expression->code) expression->code[0] = (BriInstruction){QUANTITY, 0, BRI_UNTYPED, {.quantity = quantity}};
    return expression->code != NULL;
}

int bri_expression_quantity(const BriExpression *expression, int *place) {
    while (*place < expression->count) {
        const BriInstruction *code = &expression->code[(*place)++];
        if (code->operation == QUANTITY) return (int)code->quantity;
    }
    return -1;
}

/* ---- Compiling ---- */

typedef struct Parser {
    const char *text, *at, *operand; /* the whole, the next character, where the last operand began */
    int nesting, depth, capacity;    /* of the recursion, of the evaluation stack, of the code */
    BriResolve resolve;
    void *user;
    const BrAllocator *allocator;
    BriExpression *program;
    BrError *error;
    BrStatus status;
} Parser;

static bool parse_sum(Parser *p);

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* Letters and digits, the first a letter; parts behind dots may begin with digits too ("block.2"). */
static size_t measure_name(const char *at) {
    size_t length = 0;
    while (is_letter(at[length]) || (length > 0 && is_digit(at[length])) ||
           (length > 0 && at[length] == '.' && (is_letter(at[length + 1]) || is_digit(at[length + 1]))))
        length++;
    return length;
}

/* Refuses the expression because of what stands at `at`; returns false. */
__attribute__((format(printf, 3, 4))) static bool refuse(Parser *p, const char *at, const char *format, ...) {
    char text[sizeof p->error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    p->status = bri_fail(p->error, BR_INVALID_ARGUMENT, "%s", text);
    p->error->column = 1 + (int)(at - p->text);
    return false;
}

/* found "...", expected ...: quotes a whole name, or one character with all its UTF-8 bytes. */
static bool refuse_found(Parser *p, const char *expected) {
    size_t length = measure_name(p->at);
    unsigned char first = (unsigned char)p->at[0];
    if (first == 0) return refuse(p, p->at, "found the end, expected %s", expected);
    if (first < 32 || first == 127) return refuse(p, p->at, "found a control character, expected %s", expected);
    if (length == 0) {
        do length++;
        while (length < 4 && first >= 0xC0 && ((unsigned char)p->at[length] & 0xC0) == 0x80);
    }
    return refuse(p, p->at, "found \"%.*s\", expected %s", length < 60 ? (int)length : 60, p->at, expected);
}

static char skip_blanks(Parser *p) {
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') p->at++;
    return *p->at;
}

static bool take(Parser *p, char c) {
    if (skip_blanks(p) != c) return false;
    p->at++;
    return true;
}

/* Replaces the last operation and its operands by their value if these are bare constants (angles stay angles). */
static void fold_constants(BriExpression *program, int arity) {
    BriInstruction *last = &program->code[program->count - 1], *first = last - arity;
    if (arity == 0 || (last->operation >= ASIN && last->operation <= ATAN2)) return;
    for (const BriInstruction *code = first; code < last; code++) {
        if (code->operation != CONSTANT || code->dimension.typed) return;
    }
    const BriJet none[BRI_EXPRESSION_VARIABLES] = {{0, 0, 0}};
    first->constant = bri_expression_evaluate(&(BriExpression){arity + 1, first}, none).f;
    program->count -= arity;
}

static bool emit(Parser *p, BriInstruction instruction) {
    int arity = operations[instruction.operation].arity;
    void *code = p->program->code;
    if (p->program->count >= LONGEST_PROGRAM)
        return refuse(p, p->operand, "found more than %d operations, those behind names written out, expected fewer",
                      LONGEST_PROGRAM);
    if (!bri_grow(p->allocator, &code, p->program->count, &p->capacity, sizeof instruction)) {
        p->status = bri_fail(p->error, BR_OUT_OF_MEMORY, "found no memory for the expression, expected %zu bytes more",
                             sizeof instruction * (size_t)(p->capacity + 1));
        return false;
    }
    p->program->code = code;
    p->program->code[p->program->count++] = instruction;
    p->depth += 1 - arity;
    if (p->depth > BRI_EXPRESSION_STACK) {
        return refuse(p, p->operand, "found more than %d unfinished operations, expected a simpler expression",
                      BRI_EXPRESSION_STACK);
    }
    fold_constants(p->program, arity);
    return true;
}

static bool emit_operation(Parser *p, int operation) {
    return emit(p, (BriInstruction){(uint8_t)operation, 0, BRI_UNTYPED, {0}});
}

static bool emit_constant(Parser *p, double value, BriDimension dimension) {
    return emit(p, (BriInstruction){CONSTANT, 0, dimension, {value}});
}

static bool emit_program(Parser *p, const BriExpression *program) {
    for (int i = 0; i < program->count; i++)
        if (!emit(p, program->code[i])) return false;
    return true;
}

/* Digits, one '.', an exponent. strtod is handed the digits without the point and a corrected exponent ("1.25e3" as
 * "125e1"): it rounds correctly, and no locale can misread it, although the library itself never calls setlocale. */
static bool read_number(Parser *p, double *value) {
    char digits[LONGEST_NUMBER + 16];
    const char *start = p->at, *at = start;
    int count = 0, exponent = 0, written = 0;
    bool point = false;
    for (; is_digit(*at) || (*at == '.' && !point); at++) {
        if (at - start >= LONGEST_NUMBER) {
            return refuse(p, start, "found a number of more than %d digits, expected fewer", LONGEST_NUMBER);
        }
        if (*at == '.')
            point = true;
        else
            digits[count++] = *at, exponent -= point;
    }
    const char *tail = at + 1;
    bool minus = *at != '\0' && *tail == '-';
    if (*at != '\0' && (*tail == '-' || *tail == '+')) tail++;
    if ((*at == 'e' || *at == 'E') && is_digit(*tail)) {
        for (at = tail; is_digit(*at); at++) written = written < 9999 ? 10 * written + (*at - '0') : written;
    }
    snprintf(digits + count, sizeof digits - (size_t)count, "e%d", exponent + (minus ? -written : written));
    *value = strtod(digits, NULL);
    p->at = at;
    if (bri_is_finite(*value)) return true;
    return refuse(p, start, "found the number \"%.*s\", expected one below 1.8e308", (int)(at - start), start);
}

/* Is what stands at `name` a variable? */
static bool is_variable(const Parser *p, const char *name) {
    return p->resolve && p->resolve(p->user, name, measure_name(name), NULL, NULL) == BRI_NAME_VARIABLE;
}

static size_t read_unit(const Parser *p, double *factor, BriDimension *dimension) {
    char unit[64];
    size_t length = bri_unit_read(p->at, factor, dimension);
    for (size_t i = 1; i < length && i < sizeof unit; i++) {
        if (p->at[i] != '*' || !is_variable(p, p->at + i + 1)) continue;
        memcpy(unit, p->at, i);
        unit[i] = '\0';
        return bri_unit_read(unit, factor, dimension);
    }
    return length;
}

static bool parse_number(Parser *p) {
    double value = 0, factor;
    BriDimension dimension;
    if (!read_number(p, &value)) return false;
    const char *end = p->at;
    skip_blanks(p);
    size_t length = read_unit(p, &factor, &dimension);
    if (length == 0 && is_letter(*p->at)) return refuse_found(p, "a unit (such as mm, deg or kN/m) or an operator");
    if (length == 0) p->at = end;
    p->at += length;
    /* "9 mm" is 9/1000, rounded once; 9 * 0.001 is not the same */
    double inverse = 1 / factor;
    return emit_constant(p, inverse == bri_floor(inverse) ? value / inverse : value * factor, dimension);
}

static bool refuse_name(Parser *p, const char *name, size_t length, bool call) {
    const char *words[QUANTITY - SIN + 2] = {"pi", "e"};
    char word[64] = {0}, hint[96] = "";
    double factor;
    BriDimension dimension;
    for (int i = SIN; i < QUANTITY; i++) words[2 + i - SIN] = operations[i].name;
    memcpy(word, name, length < sizeof word ? length : sizeof word - 1);
    const char *nearest = length > 1 ? br_nearest_word(word, words, BRI_COUNT(words)) : NULL;
    if (nearest)
        snprintf(hint, sizeof hint, "; did you mean \"%s\"?", nearest);
    else if (!call && bri_unit_read(word, &factor, &dimension) == length) {
        snprintf(hint, sizeof hint, "; a unit stands right behind its number, as in \"3 kN/m\"");
    }
    return refuse(p, name, "found \"%s\", expected a known %s%s", word, call ? "function before \"(\"" : "name", hint);
}

static bool parse_call(Parser *p, const char *name, size_t length) {
    int operation = SIN, count = 0;
    while (operation < QUANTITY &&
           (strlen(operations[operation].name) != length || memcmp(operations[operation].name, name, length) != 0)) {
        operation++;
    }
    if (operation == QUANTITY) return refuse_name(p, name, length, true);
    p->at++; /* the parenthesis */
    do {
        if (!parse_sum(p)) return false;
        count++;
    } while (take(p, ','));
    if (!take(p, ')')) return refuse_found(p, "\",\", \")\" or an operator");
    int arity = operations[operation].arity;
    if (count == arity) return emit_operation(p, operation);
    return refuse(p, name, "found %d argument%s of \"%s\", expected %d", count, count == 1 ? "" : "s",
                  operations[operation].name, arity);
}

static bool parse_name(Parser *p) {
    const char *name = p->at;
    size_t length = measure_name(name);
    p->at += length;
    if (skip_blanks(p) == '(') return parse_call(p, name, length);
    BriName meaning = {.dimension = BRI_UNTYPED};
    BriNameKind kind = BRI_NAME_UNKNOWN;
    if (p->resolve) kind = p->resolve(p->user, name, length, &meaning, p->error);
    switch (kind) {
    case BRI_NAME_CONSTANT: return emit_constant(p, meaning.constant, meaning.dimension);
    case BRI_NAME_VARIABLE:
        BRI_ASSERT(meaning.variable >= 0 && meaning.variable < BRI_EXPRESSION_VARIABLES);
        return emit(p, (BriInstruction){VARIABLE, (uint8_t)meaning.variable, BRI_UNTYPED, {0}});
    case BRI_NAME_QUANTITY:
        return emit(p, (BriInstruction){QUANTITY, 0, meaning.dimension, {.quantity = meaning.quantity}});
    case BRI_NAME_PROGRAM: return emit_program(p, meaning.program);
    case BRI_NAME_ERROR: p->status = p->error->status < 0 ? p->error->status : BR_INVALID_ARGUMENT; return false;
    case BRI_NAME_UNKNOWN: break;
    }
    if (length == 2 && memcmp(name, "pi", 2) == 0) return emit_constant(p, 3.14159265358979324, BRI_UNTYPED);
    if (length == 1 && *name == 'e') return emit_constant(p, 2.71828182845904524, BRI_UNTYPED);
    return refuse_name(p, name, length, false);
}

static bool parse_primary(Parser *p) {
    char c = skip_blanks(p);
    p->operand = p->at;
    if (is_digit(c) || (c == '.' && is_digit(p->at[1]))) return parse_number(p);
    if (is_letter(c)) return parse_name(p);
    if (!take(p, '(')) return refuse_found(p, "a number, a name, \"-\" or \"(\"");
    if (!parse_sum(p)) return false;
    return take(p, ')') || refuse_found(p, "\")\" or an operator");
}

static bool parse_unary(Parser *p) {
    skip_blanks(p);
    if (p->nesting > DEEPEST) {
        return refuse(p, p->at, "found more than %d levels of nesting, expected a simpler expression", DEEPEST);
    }
    p->nesting++;
    bool done = take(p, '-') ? parse_unary(p) && emit_operation(p, NEGATE) : parse_primary(p);
    if (done && take(p, '^')) done = parse_unary(p) && emit_operation(p, POWER);
    p->nesting--;
    return done;
}

static bool parse_product(Parser *p) {
    if (!parse_unary(p)) return false;
    for (;;) {
        int operation = take(p, '*') ? MULTIPLY : take(p, '/') ? DIVIDE : 0;
        if (operation == 0) return true;
        if (!parse_unary(p) || !emit_operation(p, operation)) return false;
    }
}

static bool parse_sum(Parser *p) {
    if (!parse_product(p)) return false;
    for (;;) {
        int operation = take(p, '+') ? ADD : take(p, '-') ? SUBTRACT : 0;
        if (operation == 0) return true;
        if (!parse_product(p) || !emit_operation(p, operation)) return false;
    }
}

static bool parse_all(Parser *p) {
    size_t length = strlen(p->text);
    if (length > LONGEST_TEXT) {
        return refuse(p, p->text + LONGEST_TEXT, "found an expression of %zu characters, expected at most %d", length,
                      LONGEST_TEXT);
    }
    if (skip_blanks(p) == '\0') return refuse(p, p->text, "found an empty expression, expected a number or a name");
    if (!parse_sum(p)) return false;
    return skip_blanks(p) == '\0' || refuse_found(p, "an operator or the end");
}

BrStatus bri_expression_compile(const char *text, BriResolve resolve, void *user, const BrAllocator *allocator,
                                BriExpression *expression, BrError *error) {
    BrError unused;
    Parser p = {.text = text, .at = text, .operand = text, .resolve = resolve, .user = user, .allocator = allocator};
    p.program = expression;
    p.error = error ? error : &unused;
    p.status = BR_OK;
    *p.error = (BrError){0};
    *expression = (BriExpression){0, NULL};
    if (!parse_all(&p)) bri_expression_release(expression, allocator);
    return p.status;
}

void bri_expression_release(BriExpression *expression, const BrAllocator *allocator) {
    bri_release(allocator, expression->code);
    *expression = (BriExpression){0, NULL};
}

/* ---- Dimensions ---- */

typedef struct Operand {
    BriDimension dimension;
    const BriInstruction *constant; /* NULL: not a constant */
} Operand;

static bool has_no_unit(BriDimension a) { return a.metre == 0 && a.kilogram == 0 && a.second == 0 && a.radian == 0; }

static bool is_same(BriDimension a, BriDimension b) {
    return a.metre == b.metre && a.kilogram == b.kilogram && a.second == b.second && a.radian == b.radian;
}

static const char *describe(BriDimension dimension, char text[64]) {
    bri_unit_name(dimension, text, 64);
    return has_no_unit(dimension) ? "no unit" : text;
}

static BrStatus refuse_unit(BrError *error, int operation, BriDimension a, const char *expected) {
    char text[64];
    return bri_fail(error, BR_INVALID_ARGUMENT, "found \"%s\" of %s, expected %s", operations[operation].name,
                    describe(a, text), expected);
}

/* result = a + n b, exponent by exponent. */
static BrStatus combine(int operation, BriDimension a, BriDimension b, int n, BriDimension *result, BrError *error) {
    int sum[4] = {a.metre + n * b.metre, a.kilogram + n * b.kilogram, a.second + n * b.second, a.radian + n * b.radian};
    for (int i = 0; i < 4; i++) {
        if (sum[i] < INT8_MIN || sum[i] > INT8_MAX) return refuse_unit(error, operation, b, "an exponent below 128");
    }
    *result = BRI_DIMENSION((int8_t)sum[0], (int8_t)sum[1], (int8_t)sum[2], (int8_t)sum[3]);
    return BR_OK;
}

static BrStatus check_power(BriDimension base, const Operand *exponent, BriDimension *result, BrError *error) {
    if (!has_no_unit(exponent->dimension)) {
        return refuse_unit(error, POWER, exponent->dimension, "an exponent without unit");
    }
    *result = base;
    if (has_no_unit(base)) return BR_OK;
    double n = exponent->constant ? exponent->constant->constant : 0.5;
    if (n == bri_floor(n) && bri_abs(n) <= INT8_MAX) return combine(POWER, BRI_NO_UNIT, base, (int)n, result, error);
    return refuse_unit(error, POWER, base, "a constant integer exponent for a base with a unit");
}

static BrStatus check_one(int operation, BriDimension a, BriDimension *result, BrError *error) {
    *result = a;
    if (operation == NEGATE || operation == ABS) return BR_OK;
    if (operation == SQRT) {
        if (a.metre % 2 || a.kilogram % 2 || a.second % 2 || a.radian % 2) {
            return refuse_unit(error, operation, a, "even powers of every unit, such as m^2");
        }
        *result = (BriDimension){a.typed, a.metre / 2, a.kilogram / 2, a.second / 2, a.radian / 2};
        return BR_OK;
    }
    *result = operation >= ASIN && operation <= ATAN2 ? BRI_ANGLE : BRI_UNTYPED;
    bool turns = operation >= SIN && operation <= TAN;
    if (has_no_unit(a) || (turns && is_same(a, BRI_ANGLE))) return BR_OK;
    return refuse_unit(error, operation, a, turns ? "an angle or a number without unit" : "a number without unit");
}

static BrStatus check_two(int operation, const Operand *a, const Operand *b, BriDimension *result, BrError *error) {
    BriDimension da = a->dimension, db = b->dimension;
    char left[64], right[64];
    if (operation == POWER) return check_power(da, b, result, error);
    if (operation == MULTIPLY || operation == DIVIDE) {
        *result = BRI_UNTYPED;
        if (!da.typed && !db.typed) return BR_OK;
        return combine(operation, da, db, operation == MULTIPLY ? 1 : -1, result, error);
    }
    *result = operation == ATAN2 ? BRI_ANGLE : da.typed ? da : db;
    if (!da.typed || !db.typed || is_same(da, db)) return BR_OK;
    return bri_fail(error, BR_INVALID_ARGUMENT, "found \"%s\" of %s and %s, expected two values of the same unit",
                    operations[operation].name, describe(da, left), describe(db, right));
}

BrStatus bri_expression_dimension(const BriExpression *expression,
                                  const BriDimension variables[BRI_EXPRESSION_VARIABLES], BriDimension *dimension,
                                  BrError *error) {
    Operand stack[BRI_EXPRESSION_STACK] = {{BRI_UNTYPED, NULL}};
    int top = -1;
    for (int i = 0; i < expression->count; i++) {
        const BriInstruction *code = &expression->code[i];
        int operation = code->operation;
        BriDimension result = operation == CONSTANT ? code->dimension : BRI_UNTYPED;
        if (operation == VARIABLE && variables) result = variables[code->variable];
        if (operation == QUANTITY && variables) result = code->dimension;
        BrStatus status = BR_OK;
        top += 1 - operations[operation].arity;
        Operand *operand = &stack[top];
        if (operations[operation].arity == 1) status = check_one(operation, operand->dimension, &result, error);
        if (operations[operation].arity == 2) status = check_two(operation, operand, operand + 1, &result, error);
        if (status != BR_OK) return status;
        *operand = (Operand){result, operation == CONSTANT ? code : NULL};
    }
    *dimension = stack[0].dimension;
    return BR_OK;
}
