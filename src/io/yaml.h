/* yaml.h: a YAML file as a tree whose every node knows where it stands, safe against hostile input.
 *
 * Limits: 64 MiB of text, 64 levels, 10^6 nodes counted as if aliases were copied out (so alias bombs are refused),
 * one document, no duplicate keys in a mapping, keys are plain scalars, UTF-8 text without NUL bytes. Anchors, aliases,
 * merge keys ("<<: *anchor", or a list of them: what a mapping does not say itself, the first one that does) and JSON
 * are accepted; tags other than the core ones (!!str !!int !!float !!bool !!null !!map !!seq) are refused. */
#ifndef BRI_YAML_H
#define BRI_YAML_H

#include "base/base.h"

typedef enum BriNodeKind { BRI_NODE_SCALAR, BRI_NODE_SEQUENCE, BRI_NODE_MAPPING } BriNodeKind;

typedef struct BriNode BriNode;
struct BriNode {
    BriNodeKind kind;
    int line, column; /* from 1; 0, 0 for nodes that came from --set */
    const char *file; /* the name used in messages; "--set" for overrides */
    const char *note; /* of which copy of the text this is, "bodies 'domino_17' (i = 17)", before messages; or NULL */
    char *text;       /* scalar: its value, NUL-terminated; else NULL */
    bool quoted;      /* scalar: was written in quotes */
    int count;        /* items of a sequence, pairs of a mapping */
    BriNode **items;  /* the items, or the values of the pairs; an aliased node appears several times */
    BriNode **keys;   /* mapping: the key scalars; else NULL */
};

typedef struct BriDocument BriDocument; /* owns all nodes; freed at once */

/* Parses `size` bytes; `file` names them in messages and is copied. Refused with file, line, column and one sentence
 * with a remedy. */
BrStatus bri_document_parse(const char *text, size_t size, const char *file, const BrAllocator *allocator,
                            BriDocument **document, BrError *error);
/* Reads the whole file first ("-" is standard input). The text is kept: see bri_document_text. */
BrStatus bri_document_read(const char *path, const BrAllocator *allocator, BriDocument **document, BrError *error);
void bri_document_destroy(BriDocument *document);

BriNode *bri_document_root(BriDocument *document);
const char *bri_document_text(const BriDocument *document); /* the source, NUL-terminated, for recordings */

/* Applies "path.to.key=value": the path walks mappings by key and sequences by index from 0; the last key may be new,
 * the ones before must exist (the message names the nearest existing key). The value is parsed as YAML. An aliased
 * target is copied before it is changed, so that only the named place changes (copy the spine). */
BrStatus bri_document_set(BriDocument *document, const char *assignment, BrError *error);

/* Does all of an assignment's path but its last key exist? */
bool bri_document_leads(const BriDocument *document, const char *assignment);

/* ---- Trees made from trees ---- */

/* Zeroed memory that lives as long as the document; NULL: out of memory. */
void *bri_document_take(BriDocument *document, size_t count, size_t size);
/* A new node with the place, the note and the quotes of `place`; NULL: out of memory. A collection has `count` empty
 * places; once they are filled it is finished, which counts what is below it. */
BriNode *bri_make_scalar(BriDocument *document, const BriNode *place, const char *text, size_t length);
BriNode *bri_make_collection(BriDocument *document, const BriNode *place, BriNodeKind kind, int count);
void bri_finish_collection(BriNode *collection);
/* Nodes in the tree, aliases copied out. */
int bri_node_weight(const BriNode *node);
/* The tree is of nodes made for, or parsed as, this document or one that it has taken over. */
void bri_document_set_root(BriDocument *document, BriNode *root);
/* `other` lives on as part of the document, and is destroyed with it. */
void bri_document_take_over(BriDocument *document, BriDocument *other);

/* The value of `key` in a mapping, or NULL. */
BriNode *bri_node_find(const BriNode *mapping, const char *key);

/* bri_fail with the node's file, line and column in `error`. */
__attribute__((format(printf, 4, 5))) BrStatus bri_node_fail(const BriNode *node, BrError *error, BrStatus status,
                                                             const char *format, ...);

#endif
