/* formula.c: recursive descent from text to a tree; names and widths are settled here, so that evaluation cannot go
 * wrong in them. See formula.h for the grammar. */
#include "io/formula_parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_TEXT = 4096, DEEPEST = 64 };

/* What a function takes and gives: s a number, v a vector, m a rotation, * anything (the result is the same kind). */
static const struct {
    const char *name;
    BriOperation operation;
    const char *takes;
    char gives;
} FUNCTIONS[] = {
    {"norm", BRI_TERM_NORM, "v", 's'},
    {"angle", BRI_TERM_ANGLE, "vv", 's'},
    {"dot", BRI_TERM_DOT, "vv", 's'},
    {"cross", BRI_TERM_CROSS, "vv", 'v'},
    {"vec", BRI_TERM_VECTOR, "sss", 'v'},
    {"column", BRI_TERM_COLUMN, "ms", 'v'},
    {"first", BRI_TERM_FIRST, "*", '*'},
    {"last", BRI_TERM_LAST, "*", '*'},
    {"at", BRI_TERM_AT, "*s", '*'},
    {"abs", BRI_TERM_ABS, "s", 's'},
    {"sqrt", BRI_TERM_SQRT, "s", 's'},
    {"sin", BRI_TERM_SIN, "s", 's'},
    {"cos", BRI_TERM_COS, "s", 's'},
    {"tan", BRI_TERM_TAN, "s", 's'},
    {"asin", BRI_TERM_ASIN, "s", 's'},
    {"acos", BRI_TERM_ACOS, "s", 's'},
    {"atan", BRI_TERM_ATAN, "s", 's'},
    {"atan2", BRI_TERM_ATAN2, "ss", 's'},
    {"exp", BRI_TERM_EXP, "s", 's'},
    {"log", BRI_TERM_LOG, "s", 's'},
    {"min", BRI_TERM_MIN, "ss", 's'},
    {"max", BRI_TERM_MAX, "ss", 's'},
    {"restitution_damping", BRI_TERM_RESTITUTION_DAMPING, "s", 's'},
};

static int parse_sum(BriParser *p);

/* ------------------------------------------------------------------ refusals: -1 stands for "no term" */

int bri_parser_refuse(BriParser *p, const char *at, const char *format, ...) {
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    p->status = bri_fail(p->error, BR_INVALID_ARGUMENT, "%s", text);
    if (p->error) p->error->column = 1 + (int)(at - p->text);
    return -1;
}

int bri_parser_refuse_found(BriParser *p, const char *expected) {
    size_t length = strcspn(p->at, " \t\n");
    if (!*p->at) return bri_parser_refuse(p, p->at, "found the end, expected %s", expected);
    return bri_parser_refuse(p, p->at, "found \"%.*s\", expected %s", length > 40 ? 40 : (int)length, p->at, expected);
}

int bri_parser_refuse_memory(BriParser *p) {
    p->status = bri_fail(p->error, BR_OUT_OF_MEMORY, "no memory for the expression");
    return -1;
}

static const char *describe(int width) { return width == 1 ? "a number" : width == 3 ? "a vector" : "a rotation"; }

/* ------------------------------------------------------------------ characters */

char bri_parser_skip(BriParser *p) {
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') p->at++;
    return *p->at;
}

bool bri_parser_take(BriParser *p, char c) {
    if (bri_parser_skip(p) != c) return false;
    p->at++;
    return true;
}

/* ------------------------------------------------------------------ terms */

int bri_parser_emit(BriParser *p, BriTerm term) {
    BriFormula *f = p->formula;
    if (!bri_grow(p->allocator, (void **)&f->term, f->count, &f->capacity, sizeof term))
        return bri_parser_refuse_memory(p);
    f->term[f->count] = term;
    return f->count++;
}

int bri_parser_emit_constant(BriParser *p, double value) {
    return bri_parser_emit(p, (BriTerm){.operation = BRI_TERM_CONSTANT, .width = 1, .constant = value});
}

static int width_of(const BriParser *p, int term) { return p->formula->term[term].width; }

/* The unit of what keeps the unit of its operands. */
static const char *common_unit(const BriParser *p, int a, int b) {
    const BriTerm *first = &p->formula->term[a], *second = &p->formula->term[b];
    if (first->operation == BRI_TERM_CONSTANT) return second->unit;
    if (second->operation == BRI_TERM_CONSTANT || !first->unit) return first->unit;
    return second->unit && strcmp(first->unit, second->unit) == 0 ? first->unit : NULL;
}

static int emit_binary(BriParser *p, BriOperation operation, const char *at, int a, int b) {
    if (a < 0 || b < 0) return -1;
    int left = width_of(p, a), right = width_of(p, b), width = 0;
    switch (operation) {
    case BRI_TERM_ADD:
    case BRI_TERM_SUBTRACT: width = left == right ? left : 0; break;
    case BRI_TERM_MULTIPLY: width = left == 1 ? right : right == 1 ? left : left == 9 ? right : 0; break;
    case BRI_TERM_DIVIDE: width = right == 1 ? left : 0; break;
    default: width = left == 1 && right == 1; break;
    }
    if (!width)
        return bri_parser_refuse(p, at, "found \"%.2s\" between %s and %s%s", at, describe(left), describe(right),
                                 operation == BRI_TERM_MULTIPLY ? "; take dot(a, b) or cross(a, b)"
                                                                : ", which it does not take");
    bool keeps = operation == BRI_TERM_ADD || operation == BRI_TERM_SUBTRACT;
    return bri_parser_emit(p, (BriTerm){.operation = operation,
                                        .width = width,
                                        .argument = {a, b},
                                        .unit = keeps ? common_unit(p, a, b) : NULL});
}

/* ------------------------------------------------------------------ calls */

static int refuse_function(BriParser *p, const char *at, const char *name) {
    const char *words[BRI_COUNT(FUNCTIONS)];
    for (int i = 0; i < BRI_COUNT(FUNCTIONS); i++) words[i] = FUNCTIONS[i].name;
    const char *nearest = br_nearest_word(name, words, BRI_COUNT(words));
    return bri_parser_refuse(p, at, "unknown function \"%.60s\"%s%s%s", name, nearest ? "; did you mean \"" : "",
                             nearest ? nearest : "", nearest ? "\"?" : "");
}

/* The kinds of a call's arguments against the table. */
static bool check_arguments(BriParser *p, const char *at, int function, const int *argument, int count) {
    const char *takes = FUNCTIONS[function].takes, *name = FUNCTIONS[function].name;
    int wanted = (int)strlen(takes);
    if (count != wanted)
        return bri_parser_refuse(p, at, "found %d argument%s of \"%s\", expected %d", count, count == 1 ? "" : "s",
                                 name, wanted) >= 0;
    for (int i = 0; i < count; i++) {
        int width = takes[i] == 's' ? 1 : takes[i] == 'v' ? 3 : takes[i] == 'm' ? 9 : width_of(p, argument[i]);
        if (width == width_of(p, argument[i])) continue;
        return bri_parser_refuse(p, at, "found %s as argument %d of \"%s\", expected %s",
                                 describe(width_of(p, argument[i])), i + 1, name, describe(width)) >= 0;
    }
    return true;
}

static const char *unit_of_call(const BriParser *p, BriOperation operation, const int *argument) {
    switch (operation) {
    case BRI_TERM_NORM:
    case BRI_TERM_ABS:
    case BRI_TERM_FIRST:
    case BRI_TERM_LAST:
    case BRI_TERM_COLUMN:
    case BRI_TERM_AT: return p->formula->term[argument[0]].unit;
    case BRI_TERM_MIN:
    case BRI_TERM_MAX: return common_unit(p, argument[0], argument[1]);
    case BRI_TERM_ANGLE:
    case BRI_TERM_ASIN:
    case BRI_TERM_ACOS:
    case BRI_TERM_ATAN:
    case BRI_TERM_ATAN2: return "rad";
    default: return NULL;
    }
}

static int emit_call(BriParser *p, const char *at, int function, const int *argument, int count) {
    BriOperation operation = FUNCTIONS[function].operation;
    if (!check_arguments(p, at, function, argument, count)) return -1;
    char gives = FUNCTIONS[function].gives;
    BriTerm term = {.operation = operation, .unit = unit_of_call(p, operation, argument)};
    term.width = gives == 's' ? 1 : gives == 'v' ? 3 : width_of(p, argument[0]);
    memcpy(term.argument, argument, (size_t)count * sizeof *argument);
    bool travels = operation == BRI_TERM_FIRST || operation == BRI_TERM_LAST || operation == BRI_TERM_AT;
    if (travels && !p->scope->series)
        return bri_parser_refuse(p, at, "\"%s\" needs a run, and there is none here", FUNCTIONS[function].name);
    if (operation == BRI_TERM_COLUMN) {
        const BriTerm *index = &p->formula->term[argument[1]];
        bool fine = index->operation == BRI_TERM_CONSTANT &&
                    (index->constant == 0 || index->constant == 1 || index->constant == 2);
        if (!fine) return bri_parser_refuse(p, at, "the second argument of \"column\" must be 0, 1 or 2");
        term.part = (int)index->constant;
    }
    return bri_parser_emit(p, term);
}

int bri_parse_call(BriParser *p, const char *at, const char *name) {
    int function = 0, argument[3] = {0, 0, 0}, count = 0;
    while (function < BRI_COUNT(FUNCTIONS) && strcmp(FUNCTIONS[function].name, name) != 0) function++;
    if (function == BRI_COUNT(FUNCTIONS)) return refuse_function(p, at, name);
    bool folds = FUNCTIONS[function].operation == BRI_TERM_MIN || FUNCTIONS[function].operation == BRI_TERM_MAX;
    p->at++; /* the parenthesis */
    do {
        int next = parse_sum(p);
        if (next < 0) return -1;
        if (folds && count == 2) { /* max(a, b, c) is max(max(a, b), c) */
            argument[0] = emit_call(p, at, function, argument, count);
            if (argument[0] < 0) return -1;
            count = 1;
        }
        if (count < 3) argument[count] = next;
        count++;
    } while (bri_parser_take(p, ','));
    if (!bri_parser_take(p, ')')) return bri_parser_refuse_found(p, "\",\", \")\" or an operator");
    return emit_call(p, at, function, argument, count);
}

/* ------------------------------------------------------------------ operators */

static int emit_part(BriParser *p, const char *at, int term, int part) {
    if (width_of(p, term) != 3)
        return bri_parser_refuse(p, at, "found %s, which has no components", describe(width_of(p, term)));
    return bri_parser_emit(p, (BriTerm){.operation = BRI_TERM_PART,
                                        .width = 1,
                                        .argument = {term},
                                        .part = part,
                                        .unit = p->formula->term[term].unit});
}

/* v[0], R[1][2] */
static int parse_index(BriParser *p, int term) {
    const char *at = p->at;
    int index[2] = {0, 0}, wanted = width_of(p, term) == 9 ? 2 : 1;
    for (int i = 0; i < wanted; i++) {
        if (!bri_parser_take(p, '[')) return bri_parser_refuse_found(p, "a second index, as in rotation[0][2]");
        char digit = bri_parser_skip(p);
        if (digit < '0' || digit > '2' || bri_is_digit(p->at[1]))
            return bri_parser_refuse_found(p, "an index 0, 1 or 2");
        index[i] = *p->at++ - '0';
        if (!bri_parser_take(p, ']')) return bri_parser_refuse_found(p, "\"]\"");
    }
    if (wanted == 1) return emit_part(p, at, term, index[0]);
    return bri_parser_emit(p, (BriTerm){.operation = BRI_TERM_PART,
                                        .width = 1,
                                        .argument = {term},
                                        .part = 3 * index[0] + index[1],
                                        .unit = p->formula->term[term].unit});
}

static int parse_suffixed(BriParser *p) {
    char c = bri_parser_skip(p);
    int term;
    if (bri_is_digit(c) || (c == '.' && bri_is_digit(p->at[1])))
        term = bri_parse_number(p);
    else if (bri_is_letter(c) || c == '\'')
        term = bri_parse_name(p);
    else if (bri_parser_take(p, '(')) {
        term = parse_sum(p);
        if (term >= 0 && !bri_parser_take(p, ')')) return bri_parser_refuse_found(p, "\")\" or an operator");
    } else
        return bri_parser_refuse_found(p, "a number, a name, \"-\" or \"(\"");
    while (term >= 0) {
        c = bri_parser_skip(p);
        if (c == '[')
            term = parse_index(p, term);
        else if (c == '.' && p->at[1] >= 'x' && p->at[1] <= 'z' && !bri_is_name(p->at[2])) {
            p->at += 2;
            term = emit_part(p, p->at - 2, term, p->at[-1] - 'x');
        } else
            break;
    }
    return term;
}

static int parse_unary(BriParser *p) {
    bri_parser_skip(p);
    if (p->nesting > DEEPEST)
        return bri_parser_refuse(p, p->at, "found more than %d levels of nesting, expected a simpler expression",
                                 DEEPEST);
    p->nesting++;
    int term;
    if (bri_parser_take(p, '-')) {
        term = parse_unary(p);
        if (term >= 0)
            term = bri_parser_emit(p, (BriTerm){.operation = BRI_TERM_NEGATE,
                                                .width = width_of(p, term),
                                                .argument = {term},
                                                .unit = p->formula->term[term].unit});
    } else {
        term = parse_suffixed(p);
        const char *at = p->at;
        if (term >= 0 && bri_parser_take(p, '^')) term = emit_binary(p, BRI_TERM_POWER, at, term, parse_unary(p));
    }
    p->nesting--;
    return term;
}

static int parse_product(BriParser *p) {
    int term = parse_unary(p);
    while (term >= 0) {
        char c = bri_parser_skip(p);
        const char *at = p->at;
        if (c != '*' && c != '/') break;
        p->at++;
        term = emit_binary(p, c == '*' ? BRI_TERM_MULTIPLY : BRI_TERM_DIVIDE, at, term, parse_unary(p));
    }
    return term;
}

static int parse_sum(BriParser *p) {
    int term = parse_product(p);
    while (term >= 0) {
        char c = bri_parser_skip(p);
        const char *at = p->at;
        if (c != '+' && c != '-') break;
        p->at++;
        term = emit_binary(p, c == '+' ? BRI_TERM_ADD : BRI_TERM_SUBTRACT, at, term, parse_product(p));
    }
    return term;
}

static int parse_comparison(BriParser *p) {
    int term = parse_sum(p);
    if (term < 0) return -1;
    char c = bri_parser_skip(p);
    const char *at = p->at;
    if (c != '<' && c != '>') return bri_parser_refuse_found(p, "\"<\", \">\", \"<=\" or \">=\"");
    p->at++;
    bool equal = *p->at == '=';
    p->at += equal;
    BriOperation operation =
        c == '<' ? (equal ? BRI_TERM_AT_MOST : BRI_TERM_LESS) : (equal ? BRI_TERM_AT_LEAST : BRI_TERM_GREATER);
    return emit_binary(p, operation, at, term, parse_sum(p));
}

static int parse_condition(BriParser *p) {
    int term = parse_comparison(p);
    while (term >= 0) {
        bri_parser_skip(p);
        const char *at = p->at;
        if (strncmp(at, "and", 3) != 0 || bri_is_name(at[3])) break;
        p->at += 3;
        term = emit_binary(p, BRI_TERM_AND, at, term, parse_comparison(p));
    }
    return term;
}

/* ------------------------------------------------------------------ the whole */

static void parse_all(BriParser *p, bool condition) {
    size_t length = strlen(p->text);
    if (length > LONGEST_TEXT) {
        bri_parser_refuse(p, p->text, "found an expression of %zu characters, expected at most %d", length,
                          LONGEST_TEXT);
        return;
    }
    int term = condition ? parse_condition(p) : parse_sum(p);
    if (term >= 0 && bri_parser_skip(p))
        bri_parser_refuse_found(p, condition ? "\"and\", an operator or the end" : "an operator or the end");
}

BrStatus bri_formula_compile(const char *text, bool condition, const BriScope *scope, const BrAllocator *allocator,
                             BriFormula *formula, BrError *error) {
    BrError unused;
    *formula = (BriFormula){0};
    BriParser p = {.text = text, .at = text, .scope = scope, .allocator = allocator, .formula = formula};
    p.error = error ? error : &unused;
    parse_all(&p, condition);
    if (p.status != BR_OK) bri_formula_release(formula, allocator);
    return p.status;
}

void bri_formula_release(BriFormula *formula, const BrAllocator *allocator) {
    bri_release(allocator, formula->term);
    *formula = (BriFormula){0};
}

int bri_formula_width(const BriFormula *formula) { return formula->term[formula->count - 1].width; }

const char *bri_formula_unit(const BriFormula *formula) {
    const char *unit = formula->term[formula->count - 1].unit;
    return unit ? unit : "";
}
