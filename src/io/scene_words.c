/* scene_words.c: names in texts: indexes and {expressions} replaced by what they stand for.
 *
 * Numbers with their units are stepped over as math/expression.c reads them, so that the m of "3 m" stays a metre also
 * where an index or a parameter is called m. */
#include "io/scene_expand.h"

#include <stdio.h>
#include <string.h>

enum { LARGEST_INDEX = 1000000000 };

bool bri_put(BriUnit *u, BriBuffer *buffer, const char *text, size_t length) {
    for (size_t i = 0; i <= length; i++) {
        void *bytes = buffer->bytes;
        if (!bri_grow(u->x->allocator, &bytes, buffer->length, &buffer->capacity, 1)) return bri_no_memory(&u->reader);
        buffer->bytes = bytes;
        buffer->bytes[buffer->length++] = i < length ? text[i] : 0;
    }
    buffer->length--; /* the end is written over */
    return true;
}

/* ------------------------------------------------------------------ names in expressions */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
/* Bytes of other alphabets too: they belong to a word. */
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static size_t measure_word(const char *at) {
    size_t length = 0;
    while (is_letter(at[length]) || is_digit(at[length])) length++;
    return length;
}

/* Digits, a point, an exponent, and the unit that follows; a word there that is no unit is none of ours either. */
static size_t measure_number(const char *start) {
    const char *at = start, *tail;
    double factor;
    BriDimension dimension;
    while (is_digit(*at) || *at == '.') at++;
    if (*at == 'e' || *at == 'E') {
        tail = at + 1 + (at[1] == '-' || at[1] == '+');
        if (is_digit(*tail))
            for (at = tail; is_digit(*at);) at++;
    }
    for (tail = at; is_blank(*tail);) tail++;
    size_t unit = is_letter(*tail) ? bri_unit_read(tail, &factor, &dimension) : 0;
    if (unit == 0) unit = measure_word(tail);
    return (size_t)((unit ? tail + unit : at) - start);
}

static bool may_be_expression(const char *text, size_t length) {
    static const char ALLOWED[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-*/^(), \t\n\r:"; /* ':' of ranges */
    return strspn(text, ALLOWED) >= length;
}

/* A number in place of a name: in parentheses where it would grow into what stands beside it. */
static bool put_number(BriUnit *u, BriBuffer *buffer, const char *number, bool alone, const char *behind) {
    while (is_blank(*behind)) behind++;
    bool guarded = !alone && (number[0] == '-' || is_letter(*behind) || is_digit(*behind));
    return (!guarded || bri_put(u, buffer, "(", 1)) && bri_put(u, buffer, number, strlen(number)) &&
           (!guarded || bri_put(u, buffer, ")", 1));
}

bool bri_replace_names(BriUnit *u, BriBuffer *buffer, const char *text, size_t length, BriReplace replace, void *user) {
    if (!may_be_expression(text, length)) return bri_put(u, buffer, text, length);
    if (!bri_put(u, buffer, "", 0)) return false; /* ended, however little follows */
    for (size_t i = 0, step; i < length; i += step) {
        const char *at = text + i, *other = NULL;
        char room[24];
        step = 1;
        if (is_digit(*at) || (*at == '.' && is_digit(at[1])))
            step = measure_number(at);
        else if (is_letter(*at)) {
            step = measure_word(at);
            BriWord word = {at, step, i > 0 && at[-1] == '.', at[step] == '.' && is_letter(at[step + 1])};
            other = replace(user, &word, room);
        }
        if (step > length - i) step = length - i;
        bool fine = !other                        ? bri_put(u, buffer, at, step)
                    : other == (const char *)room ? put_number(u, buffer, other, step == length, at + step)
                                                  : bri_put(u, buffer, other, strlen(other));
        if (!fine) return false;
    }
    return true;
}

/* ------------------------------------------------------------------ indexes */

static const char *find_index(void *user, const BriWord *word, char room[24]) {
    if (word->behind_dot || word->before_dot) return NULL;
    for (const BriIndex *index = user; index; index = index->outer)
        if (strlen(index->name) == word->length && memcmp(index->name, word->text, word->length) == 0) {
            snprintf(room, 24, "%d", index->value);
            return room;
        }
    return NULL;
}

static bool put_with_indexes(const BriCopy *c, BriBuffer *buffer, const char *text, size_t length) {
    BriIndex *index = (BriIndex *)(uintptr_t)c->index; /* only read */
    return bri_replace_names(c->unit, buffer, text, length, find_index, index);
}

/* A whole number written as such, which most are. */
static bool read_plain(const char *text, int *value) {
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 8 || text[digits]) return false;
    for (*value = 0; *text; text++) *value = 10 * *value + (*text - '0');
    return true;
}

bool bri_evaluate_index(const BriCopy *c, const BriNode *node, const char *text, size_t length, const char *what,
                        int *value) {
    BriUnit *u = c->unit;
    BriBuffer *inner = &u->x->inner;
    inner->length = 0;
    if (!put_with_indexes(c, inner, text, length)) return false;
    if (read_plain(inner->bytes, value)) return true;
    BriNode place = *node;
    double number = 0;
    place.text = inner->bytes;
    place.note = c->note;
    if (place.line) place.column += (int)(text - node->text);
    if (!bri_start_unit(u) || !bri_read_number(&u->reader, &place, what, BRI_NO_UNIT, &number)) return false;
    if (!(bri_abs(number) <= LARGEST_INDEX) || number != bri_floor(number))
        return bri_refuse(&u->reader, &place, "%s: '%.60s' is %.9g; it must be a whole number up to %d", what,
                          inner->bytes, number, (int)LARGEST_INDEX);
    *value = (int)number;
    return true;
}

/* Text with {expressions}: a name. */
static bool put_name(const BriCopy *c, const BriNode *node) {
    BriUnit *u = c->unit;
    BriBuffer *out = &u->x->text;
    const char *at = node->text;
    for (const char *open = strchr(at, '{'); open; open = strchr(at, '{')) {
        const char *close = strchr(open, '}');
        char number[24];
        int value = 0;
        if (!close) {
            BriNode place = *node;
            place.note = c->note;
            return bri_refuse(&u->reader, &place, "'%.60s' has a '{' without '}'; write names like 'link_{i}'",
                              node->text);
        }
        if (!bri_put(u, out, at, (size_t)(open - at)) ||
            !bri_evaluate_index(c, node, open + 1, (size_t)(close - open - 1), "{..} in a name", &value))
            return false;
        snprintf(number, sizeof number, "%d", value);
        if (!bri_put(u, out, number, strlen(number))) return false;
        at = close + 1;
    }
    if (!bri_put(u, out, at, strlen(at)) || !c->index) return out->bytes != NULL;
    u->x->inner.length = 0; /* an expression may name others: link_{i}.position.x - i*L */
    if (!bri_put(u, &u->x->inner, out->bytes, (size_t)out->length)) return false;
    out->length = 0;
    return put_with_indexes(c, out, u->x->inner.bytes, (size_t)u->x->inner.length);
}

bool bri_replace_in(const BriCopy *c, const BriNode *node) {
    BriBuffer *out = &c->unit->x->text;
    out->length = 0;
    if (strchr(node->text, '{')) return put_name(c, node);
    if (c->index) return put_with_indexes(c, out, node->text, strlen(node->text));
    return bri_put(c->unit, out, node->text, strlen(node->text));
}
