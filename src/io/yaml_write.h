/* yaml_write.h: a tree as YAML text that reads back as the same tree. */
#ifndef BRI_YAML_WRITE_H
#define BRI_YAML_WRITE_H

#include "io/yaml.h"

/* A text in the making; `bytes` NULL: it is only measured. */
typedef struct BriText {
    char *bytes;
    size_t length;
} BriText;

void bri_write_char(BriText *text, char c);
void bri_write_text(BriText *text, const char *added);
/* The node on one line, in brackets and braces. */
void bri_write_flow(BriText *text, const BriNode *node);
/* A scene: each section, and each entry of a section, on a line of its own. NULL: out of memory. */
char *bri_write_scene(const BriNode *root, const BrAllocator *allocator);

#endif
