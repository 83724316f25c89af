/* formula_parser.h: what the files that compile formulas share. A term is its number; -1 stands for "refused". */
#ifndef BRI_FORMULA_PARSER_H
#define BRI_FORMULA_PARSER_H

#include "io/formula.h"

typedef struct BriParser {
    const char *text, *at;
    const BriScope *scope;
    const BrAllocator *allocator;
    BriFormula *formula;
    BrError *error;
    BrStatus status;
    int nesting;
} BriParser;

/* -1, always; the place is in the parser's text. */
__attribute__((format(printf, 3, 4))) int bri_parser_refuse(BriParser *p, const char *at, const char *format, ...);
int bri_parser_refuse_found(BriParser *p, const char *expected);
int bri_parser_refuse_memory(BriParser *p);

/* The next character that is no blank. */
char bri_parser_skip(BriParser *p);
bool bri_parser_take(BriParser *p, char c);
int bri_parser_emit(BriParser *p, BriTerm term);
int bri_parser_emit_constant(BriParser *p, double value);

static inline bool bri_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool bri_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}
static inline bool bri_is_name(char c) { return bri_is_letter(c) || bri_is_digit(c); }

/* Numbers and names (formula_names.c); a name before "(" is left to the one who knows functions (formula.c). */
int bri_parse_number(BriParser *p);
int bri_parse_name(BriParser *p);
int bri_parse_call(BriParser *p, const char *at, const char *name);

#endif
