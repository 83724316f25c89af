/* problem_tokens.c: see problem_tokens.h. */
#include "io/problem_tokens.h"

#include "math/elementary.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_DIGITS = 80 };                                                   /* the files have 25 */
static const size_t LARGEST_FILE = (size_t)1 << 30, CHUNK = (size_t)1 << 16; /* bytes */

typedef struct Word {
    const char *text;
    size_t length;
} Word;

bool bri_tokens_refuse(BriTokens *t, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bri_fail(t->error, BR_INVALID_SCENE, "%s%s%s", t->kind ? t->kind : "", t->kind ? ": " : "", text);
    snprintf(t->error->file, sizeof t->error->file, "%s", t->name ? t->name : "");
    bri_clean_text(t->error->file);
    t->error->line = t->line;
    t->error->column = 1;
    t->refused_at = t->at;
    return false;
}

bool bri_tokens_no_memory(BriTokens *t) {
    bri_tokens_refuse(t, "no memory to read the problem");
    t->error->status = BR_OUT_OF_MEMORY;
    return false;
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The next word, not yet taken; length 0 at the end. */
static Word look(BriTokens *t) {
    for (; t->at < t->size && is_space(t->text[t->at]); t->at++) t->line += t->text[t->at] == '\n';
    size_t end = t->at;
    while (end < t->size && !is_space(t->text[end])) end++;
    return (Word){t->text + t->at, end - t->at};
}

static bool refuse_word(BriTokens *t, Word word, const char *what) {
    if (word.length == 0) return bri_tokens_refuse(t, "the file ends where %s was expected", what);
    return bri_tokens_refuse(t, "found '%.*s' where %s was expected", word.length < 40 ? (int)word.length : 40,
                             word.text, what);
}

bool bri_tokens_word(BriTokens *t, const char *word) {
    Word found = look(t);
    if (found.length != strlen(word) || memcmp(found.text, word, found.length) != 0) return refuse_word(t, found, word);
    t->at += found.length;
    return true;
}

void bri_tokens_skip_line(BriTokens *t) {
    while (t->at < t->size && t->text[t->at] != '\n') t->at++;
}

bool bri_tokens_int(BriTokens *t, const char *what, int least, int most, int *value) {
    Word word = look(t);
    size_t i = word.length > 0 && word.text[0] == '-', start = i;
    int64_t number = 0;
    for (; i < word.length && is_digit(word.text[i]) && number <= INT32_MAX; i++)
        number = 10 * number + (word.text[i] - '0');
    bool comma = i + 1 == word.length && word.text[i] == ',';
    if (i == start || (i < word.length && !comma)) {
        char expected[160];
        snprintf(expected, sizeof expected, "%s, a whole number,", what);
        return refuse_word(t, word, expected);
    }
    if (start) number = -number;
    if (number < least || number > most) {
        if (least == most) return bri_tokens_refuse(t, "%s is %lld; it must be %d", what, (long long)number, least);
        return bri_tokens_refuse(t, "%s is %lld; allowed are %d to %d", what, (long long)number, least, most);
    }
    *value = (int)number;
    t->at += word.length;
    return true;
}

/* Sign, digits with one '.', exponent. As in math/expression.c strtod sees the digits without the point, so that no
 * locale can misread them. Returns false if the word is no number. */
static bool convert(Word word, double *value) {
    char digits[MOST_DIGITS + 32];
    size_t i = word.length > 0 && (word.text[0] == '-' || word.text[0] == '+');
    int count = 0, shift = 0, exponent = 0;
    bool point = false, minus = false;
    for (; i < word.length && (is_digit(word.text[i]) || (word.text[i] == '.' && !point)); i++) {
        if (word.text[i] == '.')
            point = true;
        else if (count < MOST_DIGITS)
            digits[count++] = word.text[i], shift -= point;
        else
            return false;
    }
    if (count == 0) return false;
    if (i < word.length && (word.text[i] == 'e' || word.text[i] == 'E')) {
        i++;
        if (i < word.length && (word.text[i] == '-' || word.text[i] == '+')) minus = word.text[i++] == '-';
        if (i == word.length) return false;
        for (; i < word.length && is_digit(word.text[i]); i++)
            exponent = exponent < 9999 ? 10 * exponent + (word.text[i] - '0') : exponent;
    }
    if (i != word.length) return false;
    snprintf(digits + count, sizeof digits - (size_t)count, "e%d", shift + (minus ? -exponent : exponent));
    *value = strtod(digits, NULL);
    if (word.text[0] == '-') *value = -*value;
    return true;
}

bool bri_tokens_number(BriTokens *t, const char *what, double *value) {
    Word word = look(t);
    if (!convert(word, value)) return refuse_word(t, word, what);
    if (!bri_is_finite(*value)) return bri_tokens_refuse(t, "%s is too large; allowed is below 1.8e308", what);
    t->at += word.length;
    return true;
}

static bool convert_infinity(Word word, double *value) {
    static const char *const INFINITE[] = {"inf", "+inf", "-inf"};
    for (int i = 0; i < BRI_COUNT(INFINITE); i++)
        if (word.length == strlen(INFINITE[i]) && memcmp(word.text, INFINITE[i], word.length) == 0) {
            *value = i == 2 ? -__builtin_inf() : __builtin_inf();
            return true;
        }
    return false;
}

bool bri_tokens_bound(BriTokens *t, const char *what, double *value) {
    Word word = look(t);
    if (!convert_infinity(word, value)) return bri_tokens_number(t, what, value);
    t->at += word.length;
    return true;
}

bool bri_tokens_number_ahead(BriTokens *t) {
    double value;
    Word word = look(t);
    return convert(word, &value) || convert_infinity(word, &value);
}

/* ------------------------------------------------------------------ files */

static BrStatus refuse_file(const char *path, const char *reason, BrStatus status, BrError *error) {
    bri_fail(error, status, "the file cannot be read: %s", reason);
    snprintf(error->file, sizeof error->file, "%s", path);
    bri_clean_text(error->file);
    return status;
}

static BrStatus read_stream(FILE *stream, const char *path, const BrAllocator *allocator, size_t expected, char **text,
                            size_t *size, BrError *error) {
    size_t capacity = 0;
    do {
        if (*size == capacity) {
            size_t wanted = capacity ? 2 * capacity : expected + 1;
            char *more = bri_allocate(allocator, wanted, 1);
            if (!more) return refuse_file(path, "no memory for it", BR_OUT_OF_MEMORY, error);
            if (*size) memcpy(more, *text, *size);
            bri_release(allocator, *text);
            *text = more;
            capacity = wanted;
        }
        *size += fread(*text + *size, 1, capacity - *size, stream);
        if (ferror(stream)) return refuse_file(path, "the system reports an error", BR_IO, error);
        if (*size > LARGEST_FILE) return refuse_file(path, "it is larger than 1 GB", BR_IO, error);
    } while (!feof(stream));
    return BR_OK;
}

BrStatus bri_read_file(const char *path, const BrAllocator *allocator, char **text, size_t *size, BrError *error) {
    bool is_standard = strcmp(path, "-") == 0;
    FILE *stream = is_standard ? stdin : fopen(path, "rb");
    struct stat about;
    *text = NULL;
    *size = 0;
    if (!stream)
        return refuse_file(path, errno == ENOENT ? "there is no such file" : "it cannot be opened", BR_IO, error);
    bool known = fstat(fileno(stream), &about) == 0;
    BrStatus status = BR_OK;
    if (known && S_ISDIR(about.st_mode)) status = refuse_file(path, "it is a directory", BR_IO, error);
    size_t expected = known && S_ISREG(about.st_mode) && about.st_size > 0 ? (size_t)about.st_size : CHUNK;
    if (!status && expected > LARGEST_FILE) status = refuse_file(path, "it is larger than 1 GB", BR_IO, error);
    if (!status) status = read_stream(stream, path, allocator, expected, text, size, error);
    if (!is_standard) fclose(stream);
    return status;
}
