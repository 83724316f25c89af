/* problem_tokens.h: a text as words and numbers, with line numbers and refusals that say what was expected. */
#ifndef BRI_PROBLEM_TOKENS_H
#define BRI_PROBLEM_TOKENS_H

#include "base/base.h"

typedef struct BriTokens {
    const char *text, *name; /* the name stands in messages */
    size_t size, at;
    int line;
    const char *kind; /* of problem that is being read */
    bool guessing;    /* nobody said which kind it is: what follows the last number matters */
    size_t refused_at;
    const BrAllocator *allocator;
    BrError *error;
} BriTokens;

/* All return false after a refusal; `what` says what was expected. */
__attribute__((format(printf, 2, 3))) bool bri_tokens_refuse(BriTokens *t, const char *format, ...);
bool bri_tokens_no_memory(BriTokens *t);
bool bri_tokens_int(BriTokens *t, const char *what, int least, int most, int *value); /* a comma may follow */
bool bri_tokens_number(BriTokens *t, const char *what, double *value);                /* finite */
bool bri_tokens_bound(BriTokens *t, const char *what, double *value);                 /* may be inf */
bool bri_tokens_word(BriTokens *t, const char *word);

/* Is the next word a number? */
bool bri_tokens_number_ahead(BriTokens *t);
void bri_tokens_skip_line(BriTokens *t);

/* The whole file ("-": standard input), with the limit of 1 GB. */
BrStatus bri_read_file(const char *path, const BrAllocator *allocator, char **text, size_t *size, BrError *error);

#endif
