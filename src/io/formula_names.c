/* formula_names.c: the leaves of a formula: numbers with units, constants, channels of this and of other runs. */
#include "io/formula_parser.h"

#include "math/expression.h"

#include <string.h>

enum { LONGEST_NAME = 200, MOST_WORDS = 600 };

/* A callback has filled the error. */
static int pass_refusal(BriParser *p, const char *at) {
    p->status = p->error->status;
    p->error->column = 1 + (int)(at - p->text);
    return -1;
}

/* ------------------------------------------------------------------ numbers */

/* The number and its unit are the expression reader's business: same rounding as in scenes, whatever the locale. */
int bri_parse_number(BriParser *p) {
    const char *start = p->at, *end = start;
    while (bri_is_digit(*end) || *end == '.') end++;
    if (*end == 'e' || *end == 'E') {
        const char *tail = end + 1 + (end[1] == '-' || end[1] == '+');
        if (bri_is_digit(*tail))
            for (end = tail; bri_is_digit(*end);) end++;
    }
    const char *unit = end;
    while (*unit == ' ') unit++;
    double factor;
    BriDimension dimension = BRI_UNTYPED;
    size_t length = bri_unit_read(unit, &factor, &dimension);
    if (length) end = unit + length;
    char text[240];
    if (end - start >= (ptrdiff_t)sizeof text) return bri_parser_refuse(p, start, "found a number that is too long");
    memcpy(text, start, (size_t)(end - start));
    text[end - start] = 0;
    BriExpression expression;
    BrError inner = {0};
    BrStatus status = bri_expression_compile(text, NULL, NULL, p->allocator, &expression, &inner);
    if (status == BR_OUT_OF_MEMORY) return bri_parser_refuse_memory(p);
    if (status != BR_OK) return bri_parser_refuse(p, start, "%s", inner.text);
    const BriJet none[BRI_EXPRESSION_VARIABLES] = {{0, 0, 0}};
    double value = bri_expression_evaluate(&expression, none).f;
    bri_expression_release(&expression, p->allocator);
    p->at = end;
    if (p->formula->count == 0 && !bri_parser_skip(p)) p->formula->dimension = dimension;
    return bri_parser_emit_constant(p, value);
}

/* ------------------------------------------------------------------ names */

/* The '/' in "contacts.wheel/ground.force" parts two bodies, and divides nothing. */
static bool parts_bodies(const BriParser *p, const char *name, int length) {
    static const char KIND[] = "contacts.";
    bool named = *p->at == '/' && length >= (int)sizeof KIND && strncmp(name, KIND, sizeof KIND - 1) == 0;
    return named && !memchr(name, '/', (size_t)length) &&
           !memchr(name + sizeof KIND - 1, '.', (size_t)length - sizeof KIND + 1);
}

/* "bodies.'left wheel'.position" without its quotes. */
static bool read_path(BriParser *p, char name[LONGEST_NAME + 1]) {
    const char *start = p->at;
    int length = 0;
    for (;;) {
        char quote = *p->at == '\'' || *p->at == '"' ? *p->at++ : 0;
        while (quote ? *p->at && *p->at != quote : bri_is_name(*p->at)) {
            if (length == LONGEST_NAME) return bri_parser_refuse(p, start, "found a name that is too long") >= 0;
            name[length++] = *p->at++;
        }
        if (quote && *p->at++ != quote)
            return bri_parser_refuse(p, start, "found a name without its closing %c", quote) >= 0;
        if (!(*p->at == '.' || parts_bodies(p, name, length)) ||
            !(bri_is_name(p->at[1]) || p->at[1] == '\'' || p->at[1] == '"'))
            break;
        if (length == LONGEST_NAME) return bri_parser_refuse(p, start, "found a name that is too long") >= 0;
        name[length++] = *p->at++;
    }
    name[length] = 0;
    return true;
}

/* "truth:" or "family[2]:" before a name: appends the index and steps over. false: there is none. */
static bool take_prefix(BriParser *p, char name[LONGEST_NAME + 1]) {
    const char *end = p->at;
    if (*end == '[') {
        for (end++; bri_is_digit(*end);) end++;
        if (*end++ != ']') return false;
    }
    size_t length = strlen(name), more = (size_t)(end - p->at);
    if (*end != ':' || length + more > LONGEST_NAME) return false;
    memcpy(name + length, p->at, more);
    name[length + more] = 0;
    p->at = end + 1;
    return true;
}

static int refuse_name(BriParser *p, const char *at, const char *name, const BriSeries *series) {
    const char *words[MOST_WORDS] = {"pi"};
    char path[MOST_WORDS / 4][BRI_CHANNEL_PATH];
    int count = 1, paths = 0;
    for (int i = 0; series && i < series->channels.count && paths < BRI_COUNT(path); i++) {
        bri_channel_path(&series->channels.channel[i], path[paths], sizeof path[0]);
        words[count++] = path[paths++];
    }
    if (p->scope->words && series == p->scope->series)
        count += p->scope->words(p->scope->user, words + count, MOST_WORDS - count);
    char meant[BRI_CHANNEL_PATH];
    bool contact = series && series->touched && strncmp(name, "contacts.", 9) == 0;
    if (contact && bri_touched_guess(series->touched, name + 9, meant, sizeof meant))
        return bri_parser_refuse(p, at, "unknown name \"%.80s\"; did you mean \"%s\"?", name, meant);
    if (contact)
        return bri_parser_refuse(p, at,
                                 "unknown name \"%.80s\"; contacts have the names of two bodies that may touch, that "
                                 "which forces act on first, and places a number too: "
                                 "contacts.wheel/ground.force, contacts.wheel/ground.0.gap",
                                 name);
    const char *nearest = strlen(name) > 1 ? br_nearest_word(name, words, count) : NULL;
    if (nearest) return bri_parser_refuse(p, at, "unknown name \"%.80s\"; did you mean \"%s\"?", name, nearest);
    const char *dot = strchr(name, '.');
    if (!series || !dot) return bri_parser_refuse(p, at, "unknown name \"%.80s\"", name);
    return bri_parser_refuse(p, at, "unknown name \"%.80s\"; the run has channels like \"%s\" and \"%s\"", name,
                             paths > 1 ? path[1] : "time", path[paths - 1]);
}

static int emit_channel(BriParser *p, const BriSeries *series, int channel, int part) {
    const BriChannel *c = bri_series_channel(series, channel);
    return bri_parser_emit(p, (BriTerm){.operation = BRI_TERM_CHANNEL,
                                        .width = part < 0 ? c->width : 1,
                                        .series = series,
                                        .channel = channel,
                                        .part = part,
                                        .unit = c->unit});
}

static int parse_channel(BriParser *p, const char *at, const char *name, const BriSeries *series) {
    int part = -1, channel = series ? bri_series_find(series, name, p->scope->loose, &part) : -1;
    if (channel == -2)
        return bri_parser_refuse(p, at, "\"%.80s\" may be several things; write its kind before it", name);
    if (channel < 0) return refuse_name(p, at, name, series);
    return emit_channel(p, series, channel, part);
}

BrStatus bri_formula_of_channel(const BriSeries *series, int channel, int part, const BrAllocator *allocator,
                                BriFormula *formula) {
    BrError ignored = {0};
    *formula = (BriFormula){0};
    BriParser p = {.text = "", .at = "", .allocator = allocator, .formula = formula, .error = &ignored};
    emit_channel(&p, series, channel, part);
    return p.status;
}

int bri_parse_name(BriParser *p) {
    const char *start = p->at;
    char name[LONGEST_NAME + 1];
    double value = 0;
    if (!read_path(p, name)) return -1;
    if (take_prefix(p, name)) {
        const BriSeries *series = NULL;
        BriFound found = p->scope->run ? p->scope->run(p->scope->user, name, &series, p->error) : BRI_UNKNOWN;
        if (found == BRI_FAILED) return pass_refusal(p, start);
        if (found == BRI_UNKNOWN) return bri_parser_refuse(p, start, "there is no run \"%.60s\" here", name);
        const char *at = p->at;
        if (!bri_is_letter(*at) && *at != '\'') return bri_parser_refuse_found(p, "the name of a channel");
        return read_path(p, name) ? parse_channel(p, at, name, series) : -1;
    }
    if (bri_parser_skip(p) == '(') return bri_parse_call(p, start, name);
    if (strcmp(name, "pi") == 0) return bri_parser_emit_constant(p, 3.14159265358979324);
    int part;
    if (p->scope->series && bri_series_find(p->scope->series, name, false, &part) >= 0)
        return parse_channel(p, start, name, p->scope->series);
    BriFound found = p->scope->constant ? p->scope->constant(p->scope->user, name, &value, p->error) : BRI_UNKNOWN;
    if (found == BRI_FAILED) return pass_refusal(p, start);
    return found == BRI_FOUND ? bri_parser_emit_constant(p, value) : parse_channel(p, start, name, p->scope->series);
}
