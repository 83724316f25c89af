/* words.c: a word nobody knows, and the known one that may have been meant. */
#include "command.h"

const char *print_hint(const char *word, const char *const *known, int count, char text[HINT]) {
    const char *nearest = br_nearest_word(word, known, count);
    text[0] = 0;
    if (nearest) snprintf(text, HINT, "; did you mean '%.80s'?", nearest);
    return text;
}
