/* scene_expand.c: a tree copied with its blocks repeated, and a unit (the scene, or a part) as plain sections.
 *
 * Nothing here grows without being counted first (bri_charge), so that a few lines cannot ask for more than a large file
 * may hold. A value of a part counts once more for each part around it: it is copied as often. */
#include "io/scene_expand.h"

#include <stdio.h>
#include <string.h>

enum { LETTERS_OF_A_VALUE = 32 }; /* longer texts count as several */

bool bri_charge(BriUnit *u, int values, const BriNode *node) {
    BriExpansion *x = u->x;
    if (values <= BRI_MOST_VALUES - x->made) {
        x->made += values;
        return true;
    }
    const BriNode *block = x->growing ? x->growing : node;
    bool named = block->kind == BRI_NODE_SCALAR;
    return bri_refuse(&u->reader, block,
                      "%s%.60s%s makes the scene larger than the %d values allowed, repeated blocks and parts written "
                      "out; repeat less, or make it of fewer values",
                      named ? "'" : "this block", named ? block->text : "", named ? "'" : "", (int)BRI_MOST_VALUES);
}

bool bri_start_unit(BriUnit *u) {
    if (u->started) return true;
    u->started = true;
    return bri_start_parameters(&u->reader, u->parameters);
}

/* ------------------------------------------------------------------ copies */

/* The scalar with its text replaced, noted as the copy is. */
static bool copy_scalar(const BriCopy *c, const BriNode *node, BriNode **result) {
    BriUnit *u = c->unit;
    if (!bri_replace_in(c, node)) return false;
    const BriBuffer *text = &u->x->text;
    BriNode place = *node;
    if (c->note) place.note = c->note;
    if (!bri_charge(u, 1 + text->length / LETTERS_OF_A_VALUE, node)) return false;
    *result = bri_make_scalar(u->x->document, &place, text->bytes, (size_t)text->length);
    return *result || bri_no_memory(&u->reader);
}

/* Entries of a collection on their way into its copy. */
typedef struct Block {
    const char *what;        /* the key of the collection */
    const BriNode *key;      /* of the entry that is repeated; NULL in a list */
    const BriNode *entry;    /* the entry: a mapping with the key repeat */
    const BriIndex *outside; /* the index around the block */
    BriChildren *into;
} Block;

static bool copy_mapping(const BriCopy *c, const char *what, const BriNode *node, bool repeated, BriNode **result);

/* One copy of a repeated entry. */
static bool copy_block(const BriCopy *c, void *user) {
    const Block *b = user;
    BriUnit *u = c->unit;
    BriCopy inner = *c;
    BriNode *key = NULL, *value = NULL;
    const BriNode *item = b->key ? NULL : bri_node_find(b->entry, "item");
    if (b->key && !bri_replace_in(c, b->key)) return false;
    inner.note = bri_make_note(c, b->outside, b->what, b->key ? u->x->text.bytes : NULL);
    if (!inner.note || (b->key && !copy_scalar(&inner, b->key, &key))) return false;
    if (!bri_charge(u, 1 + (int)strlen(inner.note) / LETTERS_OF_A_VALUE, b->entry)) return false;
    if (item && b->entry->count != 2)
        return bri_refuse(&u->reader, item,
                          "beside 'item' only 'repeat' may stand in an entry of a list; put the rest "
                          "into the item");
    bool fine =
        item ? bri_copy_node(&inner, b->what, item, &value) : copy_mapping(&inner, b->what, b->entry, true, &value);
    if (!fine) return false;
    return key ? bri_children_add_new(u, b->into, b->what, key, value) : bri_children_add(u, b->into, NULL, value);
}

/* An entry of a mapping (with a key) or of a list, once or as often as it is repeated. */
static bool copy_entry(const BriCopy *c, const char *what, const BriNode *key, const BriNode *entry, bool check,
                       BriChildren *into) {
    BriUnit *u = c->unit;
    const BriNode *ranges = entry->kind == BRI_NODE_MAPPING ? bri_node_find(entry, "repeat") : NULL;
    if (ranges) {
        Block block = {what, key, entry, c->index, into};
        const BriNode *around = u->x->growing;
        u->x->growing = key ? key : entry;
        bool fine = bri_repeat(c, ranges, copy_block, &block);
        u->x->growing = around;
        return fine;
    }
    BriNode *new_key = NULL, *value = NULL;
    if ((key && !copy_scalar(c, key, &new_key)) || !bri_copy_node(c, key ? key->text : what, entry, &value))
        return false;
    return check ? bri_children_add_new(u, into, what, new_key, value) : bri_children_add(u, into, new_key, value);
}

/* May two entries of the copy get the same name? */
static bool has_new_names(const BriNode *mapping) {
    for (int i = 0; i < mapping->count; i++)
        if (strchr(mapping->keys[i]->text, '{') || bri_node_find(mapping->items[i], "repeat")) return true;
    return false;
}

/* The collection's own node is counted; of a repeated one `repeat` itself is left away. */
static bool copy_mapping(const BriCopy *c, const char *what, const BriNode *node, bool repeated, BriNode **result) {
    BriUnit *u = c->unit;
    BriChildren children = {0};
    bool check = has_new_names(node), fine = bri_charge(u, 1, node);
    for (int i = 0; fine && i < node->count; i++)
        if (!repeated || strcmp(node->keys[i]->text, "repeat") != 0)
            fine = copy_entry(c, what, node->keys[i], node->items[i], check, &children);
    BriNode place = *node;
    if (c->note) place.note = c->note;
    if (fine) *result = bri_children_finish(u, &children, &place, BRI_NODE_MAPPING);
    bri_children_release(u, &children);
    return fine && *result;
}

static bool copy_list(const BriCopy *c, const char *what, const BriNode *node, BriNode **result) {
    BriUnit *u = c->unit;
    BriChildren children = {0};
    bool fine = bri_charge(u, 1, node);
    for (int i = 0; fine && i < node->count; i++) fine = copy_entry(c, what, NULL, node->items[i], false, &children);
    BriNode place = *node;
    if (c->note) place.note = c->note;
    if (fine) *result = bri_children_finish(u, &children, &place, BRI_NODE_SEQUENCE);
    bri_children_release(u, &children);
    return fine && *result;
}

bool bri_copy_node(const BriCopy *c, const char *what, const BriNode *node, BriNode **result) {
    *result = NULL;
    switch (node->kind) {
    case BRI_NODE_SCALAR: return copy_scalar(c, node, result);
    case BRI_NODE_SEQUENCE: return copy_list(c, what, node, result);
    case BRI_NODE_MAPPING: return copy_mapping(c, what, node, false, result);
    }
    return false;
}

/* ------------------------------------------------------------------ units */

static bool is_one_of(const char *word, const char *const *words, int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0) return true;
    return false;
}

/* Sections that stay, with their blocks repeated. */
static bool flatten_sections(BriUnit *u, BriSections *sections) {
    static const char *const SPENT[] = {"parts", "use", "defaults", "ports"}, *const KEPT[] = {"bristle", "title"};
    BriCopy copy = {u, NULL, u->note};
    for (int i = 0; i < u->tree->count; i++) {
        BriNode *key = u->tree->keys[i], *section = u->tree->items[i];
        if (is_one_of(key->text, SPENT, BRI_COUNT(SPENT))) continue;
        bool as_it_is = strcmp(key->text, "parameters") == 0 || is_one_of(key->text, KEPT, BRI_COUNT(KEPT));
        if (!as_it_is && !bri_copy_node(&copy, key->text, section, &section)) return false;
        if (!bri_sections_add(u, sections, key, section)) return false;
    }
    return true;
}

static bool place_parts(BriUnit *u, BriSections *sections) {
    BriCopy copy = {u, NULL, u->note};
    const BriNode *written = bri_node_find(u->tree, "use");
    BriNode *use = NULL;
    if (!written) return true;
    if (written->kind != BRI_NODE_MAPPING)
        return bri_refuse(&u->reader, written, "use must be a mapping like {left: {part: leg, at: [0, 0.1, 0]}}");
    if (!bri_copy_node(&copy, "use", written, &use)) return false;
    for (int i = 0; i < use->count; i++) {
        const BriNode *around = u->x->growing;
        u->x->growing = use->keys[i];
        if (!bri_place_part(u, use->keys[i], use->items[i], sections)) return false;
        u->x->growing = around;
    }
    return true;
}

bool bri_flatten(BriUnit *u, BriNode **flat) {
    BriSections own = {.once = false}, all = {.once = false};
    const BriNode *defaults = bri_node_find(u->tree, "defaults");
    bool fine = flatten_sections(u, &own) && (*flat = bri_sections_finish(u, &own, u->tree)) != NULL &&
                (!defaults || bri_fill_defaults(u, defaults, flat));
    for (int i = 0; fine && i < (*flat)->count; i++)
        fine = bri_sections_add(u, &all, (*flat)->keys[i], (*flat)->items[i]);
    fine = fine && place_parts(u, &all) && (*flat = bri_sections_finish(u, &all, u->tree)) != NULL;
    bri_sections_release(u, &own);
    bri_sections_release(u, &all);
    return fine;
}

/* ------------------------------------------------------------------ the scene */

/* Is there a block to repeat, or a name to work out? */
static bool asks_for_more(const BriNode *node) {
    if (node->kind == BRI_NODE_SCALAR) return strchr(node->text, '{') != NULL;
    for (int i = 0; i < node->count; i++) {
        if (node->keys && (strchr(node->keys[i]->text, '{') || strcmp(node->keys[i]->text, "repeat") == 0)) return true;
        if (asks_for_more(node->items[i])) return true;
    }
    return false;
}

static bool is_plain_scene(const BriNode *root) {
    static const char *const MORE[] = {"parts", "use", "defaults", "ports"};
    for (int i = 0; i < root->count; i++) {
        const char *key = root->keys[i]->text;
        if (is_one_of(key, MORE, BRI_COUNT(MORE))) return false;
        if (strcmp(key, "title") != 0 && asks_for_more(root->items[i])) return false;
    }
    return true;
}

BrStatus bri_expand_scene(BriDocument *document, const BrAllocator *allocator, BrError *error) {
    BriNode *root = bri_document_root(document), *flat = NULL;
    if (root->kind != BRI_NODE_MAPPING || is_plain_scene(root)) return BR_OK;
    BriExpansion x = {.document = document, .allocator = allocator, .error = error};
    BriUnit unit = {.x = &x, .reader = {.allocator = allocator, .error = error}, .tree = root};
    unit.parameters = bri_node_find(root, "parameters");
    bool fine = bri_flatten(&unit, &flat);
    if (fine) bri_document_set_root(document, flat);
    BrStatus status = fine ? BR_OK : unit.reader.status;
    bri_release_reader(&unit.reader);
    bri_names_release(&unit.parts, allocator);
    bri_release(allocator, x.text.bytes);
    bri_release(allocator, x.inner.bytes);
    return status;
}
