/* markdown.c: see markdown.h. A block at a time: a line, or all lines of a paragraph or an item, and then its words. */
#include "markdown.h"

#include <stdbool.h>
#include <string.h>

typedef enum Block { NONE, PARAGRAPH, ITEM, TABLE, CODE, FENCE } Block;

typedef struct Page {
    FILE *out;
    void (*link)(FILE *out, const char *to, int length);
    Block block;
    int rows; /* of the table so far */
} Page;

static const char *const OPENING[] = {"", "<p>", "<ul>\n<li>", "<table>\n", "<pre>", "<pre>"};
static const char *const CLOSING[] = {"", "</p>\n", "</li>\n</ul>\n", "</table>\n", "</pre>\n", "</pre>\n"};

static void write_letter(FILE *out, char c) {
    const char *name = c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : NULL;
    if (name)
        fputs(name, out);
    else
        fputc(c, out);
}

static void write_plain(FILE *out, const char *from, const char *end) {
    while (from < end) write_letter(out, *from++);
}

/* ------------------------------------------------------------------ within a line */

/* Where the next `mark` is before `end`; NULL: nowhere. */
static const char *find_mark(const char *from, const char *end, const char *mark) {
    size_t length = strlen(mark);
    for (; from + length <= end; from++)
        if (strncmp(from, mark, length) == 0) return from;
    return NULL;
}

static void write_words(const Page *p, const char *at, const char *end);

/* What stands between two marks, as an element; `inner`: with marks of its own. Returns what is behind it, or NULL where
 * there is no closing mark. */
static const char *write_between(const Page *p, const char *at, const char *end, const char *mark, const char *element,
                                 bool inner) {
    size_t length = strlen(mark);
    const char *close = find_mark(at + length, end, mark);
    if (strncmp(at, mark, length) != 0 || !close || close == at + length || at[length] == ' ') return NULL;
    fprintf(p->out, "<%s>", element);
    if (inner)
        write_words(p, at + length, close);
    else
        write_plain(p->out, at + length, close);
    fprintf(p->out, "</%s>", element);
    return close + length;
}

/* Only what leads to a page: no scheme of its own but https. */
static bool is_safe(const char *to, const char *end) {
    const char *colon = memchr(to, ':', (size_t)(end - to));
    return !colon || strncmp(to, "https:", 6) == 0;
}

static const char *write_link(const Page *p, const char *at, const char *end) {
    const char *middle = *at == '[' ? find_mark(at, end, "](") : NULL;
    const char *close = middle ? find_mark(middle, end, ")") : NULL;
    if (!close || !is_safe(middle + 2, close)) return NULL;
    fputs("<a href=\"", p->out);
    if (p->link)
        p->link(p->out, middle + 2, (int)(close - middle - 2));
    else
        write_plain(p->out, middle + 2, close);
    fputs("\">", p->out);
    write_words(p, at + 1, middle);
    fputs("</a>", p->out);
    return close + 1;
}

static void write_words(const Page *p, const char *at, const char *end) {
    while (at < end) {
        const char *next = write_between(p, at, end, "`", "code", false);
        if (!next) next = write_between(p, at, end, "**", "strong", true);
        if (!next && !(at[0] == '*' && at + 1 < end && at[1] == '*')) next = write_between(p, at, end, "*", "em", true);
        if (!next) next = write_link(p, at, end);
        if (!next) write_letter(p->out, *at);
        at = next ? next : at + 1;
    }
}

/* ------------------------------------------------------------------ lines */

static void enter(Page *p, Block block) {
    if (p->block == block) return;
    fputs(CLOSING[p->block], p->out);
    fputs(OPENING[block], p->out);
    p->block = block;
    p->rows = 0;
}

static void write_row(Page *p, const char *at, const char *end) {
    const char *element = p->rows++ == 0 ? "th" : "td";
    if (strspn(at, "|-: ") == (size_t)(end - at)) return; /* the line between head and body */
    fputs("<tr>", p->out);
    for (at++; at < end;) {
        const char *bar = memchr(at, '|', (size_t)(end - at));
        const char *stop = bar ? bar : end;
        fprintf(p->out, "<%s>", element);
        write_words(p, at, stop);
        fprintf(p->out, "</%s>", element);
        at = stop + 1;
    }
    fputs("</tr>\n", p->out);
}

static void write_heading(Page *p, const char *at, const char *end) {
    int level = (int)strspn(at, "#");
    enter(p, NONE);
    at += level;
    while (at < end && *at == ' ') at++;
    level = level > 5 ? 6 : level + 1;
    fprintf(p->out, "<h%d>", level);
    write_words(p, at, end);
    fprintf(p->out, "</h%d>\n", level);
}

static void write_line(Page *p, const char *at, const char *end) {
    bool fence = strncmp(at, "```", 3) == 0;
    if (p->block == FENCE || fence) {
        if (fence)
            enter(p, p->block == FENCE ? NONE : FENCE);
        else
            write_plain(p->out, at, end), fputc('\n', p->out);
    } else if (at == end) {
        if (p->block == CODE)
            fputc('\n', p->out);
        else
            enter(p, NONE);
    } else if (*at == '#') {
        write_heading(p, at, end);
    } else if (*at == '|') {
        enter(p, TABLE);
        write_row(p, at, end);
    } else if (strncmp(at, "* ", 2) == 0) {
        if (p->block == ITEM) fputs("</li>\n<li>", p->out);
        enter(p, ITEM);
        write_words(p, at + 2, end);
    } else if (strncmp(at, "    ", 4) == 0 && (p->block == NONE || p->block == CODE)) {
        enter(p, CODE);
        write_plain(p->out, at + 4, end), fputc('\n', p->out);
    } else {
        enter(p, PARAGRAPH);
        write_words(p, at, end);
    }
}

static bool begins_block(const char *line) {
    return *line == 0 || *line == '\n' || *line == '#' || *line == '|' || strncmp(line, "* ", 2) == 0 ||
           strncmp(line, "```", 3) == 0;
}

/* Behind the last line of what begins here: text goes on until a block begins, all else is a line. */
static const char *find_end(const Page *p, const char *at) {
    bool text = p->block != FENCE && (strncmp(at, "* ", 2) == 0 || !begins_block(at)) &&
                !(strncmp(at, "    ", 4) == 0 && (p->block == NONE || p->block == CODE));
    const char *end = at + strcspn(at, "\n");
    while (text && *end && !begins_block(end + 1)) end += 1 + strcspn(end + 1, "\n");
    return end;
}

void write_markdown(FILE *out, const char *text, void (*link)(FILE *out, const char *to, int length)) {
    Page page = {.out = out, .link = link};
    while (*text) {
        const char *end = find_end(&page, text);
        write_line(&page, text, end);
        text = end + (*end == '\n');
    }
    enter(&page, NONE);
}
