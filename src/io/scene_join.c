/* scene_join.c: collections in the making, and sections joined from several trees. */
#include "io/scene_expand.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ children */

bool bri_children_add(BriUnit *u, BriChildren *c, BriNode *key, BriNode *item) {
    const BrAllocator *allocator = u->x->allocator;
    bool fine = bri_grow(allocator, (void **)&c->item, c->items, &c->item_capacity, sizeof(BriNode *));
    if (fine && key) fine = bri_grow(allocator, (void **)&c->key, c->keys, &c->key_capacity, sizeof(BriNode *));
    if (!fine) return bri_no_memory(&u->reader);
    if (key) c->key[c->keys++] = key;
    c->item[c->items++] = item;
    return true;
}

bool bri_children_add_new(BriUnit *u, BriChildren *c, const char *what, BriNode *key, BriNode *item) {
    int other = bri_names_find(&c->names, key->text);
    if (other >= 0) {
        const BriNode *first = c->key[other];
        return bri_refuse(
            &u->reader, key,
            "%s%s'%.60s' is there twice: here, and in %.150s:%d:%d%s%.100s%s; each needs a name of its own, "
            "with {index} in it where a block is repeated",
            what, *what ? " " : "", key->text, first->file, first->line, first->column, first->note ? " (" : "",
            first->note ? first->note : "", first->note ? ")" : "");
    }
    if (!bri_names_insert(&c->names, key->text, c->keys, u->x->allocator)) return bri_no_memory(&u->reader);
    return bri_children_add(u, c, key, item);
}

void bri_children_release(BriUnit *u, BriChildren *c) {
    bri_release(u->x->allocator, (void *)c->key);
    bri_release(u->x->allocator, (void *)c->item);
    bri_names_release(&c->names, u->x->allocator);
    *c = (BriChildren){0};
}

BriNode *bri_children_finish(BriUnit *u, BriChildren *c, const BriNode *place, BriNodeKind kind) {
    BriNode *node = bri_make_collection(u->x->document, place, kind, c->items);
    if (node) {
        if (c->items) memcpy(node->items, c->item, (size_t)c->items * sizeof *c->item);
        if (c->keys) memcpy(node->keys, c->key, (size_t)c->keys * sizeof *c->key);
        bri_finish_collection(node);
    } else
        bri_no_memory(&u->reader);
    bri_children_release(u, c);
    return node;
}

/* ------------------------------------------------------------------ sections */

static bool is_same_place(const BriNode *a, const BriNode *b) {
    return a->line > 0 && a->line == b->line && a->column == b->column && strcmp(a->file, b->file) == 0;
}

/* "file:line:column", for the names of what stands in a list. */
static bool add_entry(BriUnit *u, BriChildren *into, BriNode *entry, bool once) {
    char place[320];
    int length = snprintf(place, sizeof place, "%.280s:%d:%d", entry->file, entry->line, entry->column);
    if (!once) return bri_children_add(u, into, NULL, entry);
    if (bri_names_find(&into->names, place) >= 0) return true;
    char *kept = bri_document_take(u->x->document, (size_t)length + 1, 1);
    if (!kept) return bri_no_memory(&u->reader);
    memcpy(kept, place, (size_t)length);
    return (bri_names_insert(&into->names, kept, into->items, u->x->allocator) || bri_no_memory(&u->reader)) &&
           bri_children_add(u, into, NULL, entry);
}

static bool add_pieces(BriUnit *u, BriChildren *into, const BriNode *key, const BriNode *section, bool once) {
    for (int i = 0; i < section->count; i++) {
        if (!section->keys) {
            if (!add_entry(u, into, section->items[i], once)) return false;
            continue;
        }
        int other = once ? bri_names_find(&into->names, section->keys[i]->text) : -1;
        if (other >= 0 && is_same_place(into->key[other], section->keys[i])) continue;
        if (!bri_children_add_new(u, into, key->text, section->keys[i], section->items[i])) return false;
    }
    return true;
}

/* Mappings, and lists of entries. */
static bool can_be_joined(const BriNode *a, const BriNode *b) {
    for (int k = 0; k < 2; k++) {
        const BriNode *node = k ? b : a;
        if (node->kind == BRI_NODE_SCALAR || node->kind != a->kind) return false;
        for (int i = 0; i < node->count && !node->keys; i++)
            if (node->items[i]->kind != BRI_NODE_MAPPING) return false;
    }
    return true;
}

bool bri_sections_add(BriUnit *u, BriSections *s, BriNode *key, BriNode *section) {
    int place = bri_names_find(&s->whole.names, key->text);
    if (place < 0) {
        int capacity = s->pieces;
        void *piece = s->piece;
        if (!bri_grow(u->x->allocator, &piece, s->whole.items, &capacity, sizeof *s->piece))
            return bri_no_memory(&u->reader);
        s->piece = piece;
        s->pieces = capacity;
        s->piece[s->whole.items] = (BriChildren){0};
        return bri_children_add_new(u, &s->whole, "", key, section);
    }
    BriNode *there = s->whole.item[place];
    BriChildren *pieces = &s->piece[place];
    if (there == section) return true;
    if (!can_be_joined(there, section)) {
        if (s->once && is_same_place(s->whole.key[place], key)) return true;
        const BriNode *first = s->whole.key[place];
        return bri_refuse(&u->reader, key, "'%.60s' is said twice: here, and in %.150s:%d:%d; keep one", key->text,
                          first->file, first->line, first->column);
    }
    if (pieces->items == 0 && !add_pieces(u, pieces, key, there, s->once)) return false;
    return add_pieces(u, pieces, key, section, s->once);
}

BriNode *bri_sections_finish(BriUnit *u, BriSections *s, const BriNode *place) {
    for (int i = 0; i < s->whole.items; i++) {
        if (s->piece[i].items == 0) continue;
        BriNode *joined = bri_children_finish(u, &s->piece[i], s->whole.item[i], s->whole.item[i]->kind);
        if (!joined) return NULL;
        s->whole.item[i] = joined;
    }
    return bri_children_finish(u, &s->whole, place, BRI_NODE_MAPPING);
}

void bri_sections_release(BriUnit *u, BriSections *s) {
    for (int i = 0; i < s->pieces && i < s->whole.items; i++) bri_children_release(u, &s->piece[i]);
    bri_release(u->x->allocator, s->piece);
    bri_children_release(u, &s->whole);
    *s = (BriSections){0};
}
