/* scene_text.h: long scene texts, put together piece by piece. */
#ifndef TESTS_SCENE_TEXT_H
#define TESTS_SCENE_TEXT_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text in the making. */
typedef struct Text {
    size_t used, size;
    char *bytes;
} Text;

static inline void append(Text *text, const char *format, ...) {
    for (;;) {
        va_list arguments;
        va_start(arguments, format);
        int length = vsnprintf(text->bytes + text->used, text->size - text->used, format, arguments);
        va_end(arguments);
        if (text->used + (size_t)length < text->size) {
            text->used += (size_t)length;
            return;
        }
        text->size = 2 * text->size + (size_t)length + 1;
        text->bytes = realloc(text->bytes, text->size);
        assert_non_null(text->bytes);
    }
}

static inline Text begin_text(const char *start) {
    Text text = {0, 1 << 12, malloc(1 << 12)};
    assert_non_null(text.bytes);
    append(&text, "%s", start);
    return text;
}

#endif
