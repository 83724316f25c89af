/* plain_line.h: what every message must be. */
#ifndef TESTS_PLAIN_LINE_H
#define TESTS_PLAIN_LINE_H

#include <stdbool.h>

/* Whole UTF-8 characters and no control characters: fit for a terminal and for JSON, whatever the scene held. */
static inline bool is_plain_line(const char *text) {
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int more = *c < 0x80 ? 0 : *c < 0xC2 ? -1 : *c < 0xE0 ? 1 : *c < 0xF0 ? 2 : *c < 0xF5 ? 3 : -1;
        if (more < 0 || *c < 0x20 || *c == 0x7F) return false;
        for (c++; more > 0; more--, c++)
            if ((*c & 0xC0) != 0x80) return false;
    }
    return true;
}

#endif
