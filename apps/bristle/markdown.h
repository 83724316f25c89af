/* markdown.h: the pages that lie beside experiments, as HTML. */
#ifndef MARKDOWN_H
#define MARKDOWN_H

#include <stdio.h>

/* Headings (a level lower than written), paragraphs, lists of one level, tables, indented and fenced code, `code`, *stressed*,
 * **strong**, [links](to). All else, HTML too, is text. `link` writes where a link leads; NULL: as it is written. */
void write_markdown(FILE *out, const char *text, void (*link)(FILE *out, const char *to, int length));

#endif
