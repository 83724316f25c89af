/* yaml_write.c: see yaml_write.h. Each text is made twice: measured, then written. */
#include "io/yaml_write.h"

#include <stdio.h>
#include <string.h>

enum {
    LONGEST_SIMPLE_KEY = 500
}; /* bytes; libyaml looks for the colon no farther than 1024 characters, quotes and all */

void bri_write_char(BriText *text, char c) {
    if (text->bytes) text->bytes[text->length] = c;
    text->length++;
}

void bri_write_text(BriText *text, const char *added) {
    for (; *added; added++) bri_write_char(text, *added);
}

/* Can it stand without quotes, in brackets too? */
static bool is_plain(const char *text) {
    static const char ALLOWED[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-*/^() ";
    size_t length = strspn(text, ALLOWED);
    bool starts = *text && (strchr("+*-^/ ", *text) == NULL || (*text == '-' && text[1] >= '0' && text[1] <= '9'));
    return starts && !text[length] && text[length - 1] != ' ' && strcmp(text, "---") != 0 && strcmp(text, "...") != 0;
}

/* What must not stand in quotes as it is: control characters, the line breaks of Unicode and what no text may hold. */
static size_t write_escape(BriText *text, const unsigned char *p) {
    static const struct {
        const char *bytes, *escape;
    } RARE[] = {{"\n", "\\n"},
                {"\t", "\\t"},
                {"\"", "\\\""},
                {"\\", "\\\\"},
                {"\xE2\x80\xA8", "\\L"},
                {"\xE2\x80\xA9", "\\P"},
                {"\xEF\xBB\xBF", "\\uFEFF"},
                {"\xEF\xBF\xBE", "\\uFFFE"},
                {"\xEF\xBF\xBF", "\\uFFFF"}};
    for (int i = 0; i < BRI_COUNT(RARE); i++)
        if (strncmp((const char *)p, RARE[i].bytes, strlen(RARE[i].bytes)) == 0) {
            bri_write_text(text, RARE[i].escape);
            return strlen(RARE[i].bytes);
        }
    bool high = p[0] == 0xC2 && p[1] < 0xA0;
    if (p[0] >= 0x20 && p[0] != 0x7F && !high) return 0;
    char hexadecimal[8];
    snprintf(hexadecimal, sizeof hexadecimal, "\\x%02X", high ? p[1] : p[0]);
    bri_write_text(text, hexadecimal);
    return high ? 2 : 1;
}

static void write_quoted(BriText *text, const char *value) {
    bri_write_char(text, '"');
    while (*value) {
        size_t escaped = write_escape(text, (const unsigned char *)value);
        if (!escaped) bri_write_char(text, *value);
        value += escaped ? escaped : 1;
    }
    bri_write_char(text, '"');
}

static void write_scalar(BriText *text, const BriNode *node) {
    if (!node->quoted && is_plain(node->text))
        bri_write_text(text, node->text);
    else
        write_quoted(text, node->text);
}

/* "key: ", or in the long form where it is too long for that. */
static void write_key(BriText *text, const BriNode *key) {
    bool is_long = strlen(key->text) > LONGEST_SIMPLE_KEY;
    if (is_long) bri_write_text(text, "? ");
    write_scalar(text, key);
    bri_write_text(text, is_long ? " : " : ": ");
}

void bri_write_flow(BriText *text, const BriNode *node) {
    if (node->kind == BRI_NODE_SCALAR) {
        write_scalar(text, node);
        return;
    }
    bri_write_char(text, node->keys ? '{' : '[');
    for (int i = 0; i < node->count; i++) {
        if (i) bri_write_text(text, ", ");
        if (node->keys) write_key(text, node->keys[i]);
        bri_write_flow(text, node->items[i]);
    }
    bri_write_char(text, node->keys ? '}' : ']');
}

/* A long key stands on two lines here. */
static void write_entry(BriText *text, const char *indent, const BriNode *key) {
    bri_write_text(text, indent);
    if (strlen(key->text) > LONGEST_SIMPLE_KEY) {
        bri_write_text(text, "? ");
        write_scalar(text, key);
        bri_write_char(text, '\n');
        bri_write_text(text, indent);
        bri_write_char(text, ':');
    } else {
        write_scalar(text, key);
        bri_write_char(text, ':');
    }
}

/* Sections of entries line by line: mappings of collections, and lists of them. */
static bool is_long(const BriNode *section) {
    for (int i = 0; i < section->count; i++)
        if (section->items[i]->kind != BRI_NODE_SCALAR) return true;
    return false;
}

static void write_section(BriText *text, const BriNode *key, const BriNode *section) {
    write_entry(text, "", key);
    bool lines = is_long(section);
    if (!lines) {
        bri_write_char(text, ' ');
        bri_write_flow(text, section);
    }
    for (int i = 0; lines && i < section->count; i++) {
        bri_write_char(text, '\n');
        if (section->keys)
            write_entry(text, "  ", section->keys[i]);
        else
            bri_write_text(text, "  -");
        bri_write_char(text, ' ');
        bri_write_flow(text, section->items[i]);
    }
    bri_write_char(text, '\n');
}

char *bri_write_scene(const BriNode *root, const BrAllocator *allocator) {
    BriText text = {0};
    for (int pass = 0; pass < 2; pass++) {
        size_t size = text.length;
        if (pass) text = (BriText){bri_allocate(allocator, size + 1, 1), 0};
        if (pass && !text.bytes) return NULL;
        for (int i = 0; i < root->count; i++) write_section(&text, root->keys[i], root->items[i]);
    }
    return text.bytes;
}
