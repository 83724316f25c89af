/* experiment_template.c: entries with `for` written out: {a} in a name and in all texts below becomes each value in
 * turn.
 *
 *     for: {a: [az0, az30], tilt: [0 deg, 30 deg]}      values side by side: two entries
 *     for: [{e: [0.5, 0.9]}, {mu: [0.1, 0.3, 1]}]       every combination: six entries */
#include "io/experiment.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VARIABLES = 16, MOST_ENTRIES = 10000, MOST_NODES = 1000000, LONGEST_TEXT = 65536, NODE_TEXT = 64 };

typedef struct Variables {
    int count;
    const char *name[MOST_VARIABLES], *value[MOST_VARIABLES];
} Variables;

char *bri_keep_text(BriReader *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = bri_keep(r, (size_t)length + 1);
    if (!text) return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

/* ------------------------------------------------------------------ substitution */

/* The variable that "{name}" at `at` means, or -1. */
static int find_variable(const Variables *v, const char *at) {
    for (int i = 0; *at == '{' && i < v->count; i++) {
        size_t length = strlen(v->name[i]);
        if (strncmp(at + 1, v->name[i], length) == 0 && at[1 + length] == '}') return i;
    }
    return -1;
}

/* A scalar's text with its variables replaced; itself where there are none. NULL after a refusal. */
static char *substitute_text(BriReader *r, const Variables *v, const BriNode *node) {
    char *text = node->text;
    size_t size = 1;
    bool found = false;
    for (const char *c = text; *c; c++) {
        int variable = find_variable(v, c);
        found = found || variable >= 0;
        size += variable < 0 ? 1 : strlen(v->value[variable]);
    }
    if (!found) return text;
    if (size > LONGEST_TEXT) bri_refuse(r, node, "with its variables this is longer than %d bytes", LONGEST_TEXT);
    char *result = size <= LONGEST_TEXT ? bri_keep(r, size) : NULL, *to = result;
    if (!result && size <= LONGEST_TEXT) bri_no_memory(r);
    for (const char *c = text; result && *c; c++) {
        int variable = find_variable(v, c);
        if (variable < 0) {
            *to++ = *c;
            continue;
        }
        size_t length = strlen(v->value[variable]);
        memcpy(to, v->value[variable], length);
        to += length;
        c += strlen(v->name[variable]) + 1;
    }
    return result;
}

static BriNode *fail_copy(BriReader *r) {
    bri_no_memory(r);
    return NULL;
}

/* A copy of the tree; the YAML reader has bounded its depth. NULL after a refusal. */
static BriNode *substitute(BriReader *r, const Variables *v, const BriNode *node, int *nodes) {
    if (++*nodes > MOST_NODES) {
        bri_refuse(r, node, "templates make more than %d nodes of this, each with up to %d bytes of text", MOST_NODES,
                   NODE_TEXT);
        return NULL;
    }
    BriNode *copy = bri_keep(r, sizeof *copy);
    if (!copy) return fail_copy(r);
    *copy = *node;
    if (node->kind == BRI_NODE_SCALAR) copy->text = substitute_text(r, v, node);
    if (node->kind == BRI_NODE_SCALAR) {
        if (copy->text && copy->text != node->text) *nodes += (int)(strlen(copy->text) / NODE_TEXT);
        return copy->text ? copy : NULL;
    }
    copy->items = bri_keep(r, (size_t)node->count * sizeof *copy->items + 1);
    if (!copy->items) return fail_copy(r);
    for (int i = 0; i < node->count; i++)
        if (!(copy->items[i] = substitute(r, v, node->items[i], nodes))) return NULL;
    return copy;
}

/* ------------------------------------------------------------------ entries */

static bool add_entry(BriReader *r, BriEntries *entries, const char *what, const BriNode *key, const char *name,
                      const BriNode *node) {
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
    bool starts = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z');
    if (!starts || name[length] || length > 80)
        return bri_refuse(r, key,
                          "the name of a %s begins with a letter and has at most 80 letters, digits, '_' and "
                          "'.'; found '%.60s'",
                          what, name);
    if (bri_names_find(&entries->names, name) >= 0)
        return bri_refuse(r, key, "there is a %s '%.60s' already; write the variables of 'for' into its name, as {a}",
                          what, name);
    if (entries->count >= MOST_ENTRIES) return bri_refuse(r, key, "there are more than %d of these", MOST_ENTRIES);
    if (!bri_grow(r->allocator, (void **)&entries->entry, entries->count, &entries->capacity, sizeof(BriEntry)) ||
        !bri_names_insert(&entries->names, name, entries->count, r->allocator))
        return bri_no_memory(r);
    entries->entry[entries->count++] = (BriEntry){name, key, node};
    return true;
}

static bool check_variables(BriReader *r, const BriNode *loop) {
    if (loop->kind != BRI_NODE_MAPPING || loop->count == 0)
        return bri_refuse(r, loop, "'for' must be like {a: [az0, az30]}, or a list of these for all combinations");
    for (int k = 0; k < loop->count; k++) {
        const BriNode *values = loop->items[k];
        if (values->kind != BRI_NODE_SEQUENCE || values->count == 0)
            return bri_refuse(r, values, "the values of '%.60s' must be a list", loop->keys[k]->text);
        if (values->count != loop->items[0]->count)
            return bri_refuse(r, values, "'%.60s' has %d values, but '%.60s' has %d; they go side by side",
                              loop->keys[k]->text, values->count, loop->keys[0]->text, loop->items[0]->count);
        for (int i = 0; i < values->count; i++)
            if (values->items[i]->kind != BRI_NODE_SCALAR)
                return bri_refuse(r, values->items[i], "the values of '%.60s' must be plain", loop->keys[k]->text);
    }
    return true;
}

/* One more loop around the entry; the innermost adds it. */
static bool expand_loop(BriReader *r, BriEntries *entries, const char *what, const BriNode *key, const BriNode *node,
                        const BriNode *const *loops, int count, Variables *v) {
    if (count == 0) {
        char *name = substitute_text(r, v, key);
        BriNode *copy = name ? substitute(r, v, node, &entries->nodes) : NULL;
        return copy && add_entry(r, entries, what, key, name, copy);
    }
    const BriNode *loop = loops[0];
    if (!check_variables(r, loop)) return false;
    if (v->count + loop->count > MOST_VARIABLES)
        return bri_refuse(r, loop, "'for' has more than %d variables", MOST_VARIABLES);
    int before = v->count;
    for (int i = 0; i < loop->items[0]->count; i++) {
        v->count = before;
        for (int k = 0; k < loop->count; k++) {
            v->name[v->count] = loop->keys[k]->text;
            v->value[v->count++] = loop->items[k]->items[i]->text;
        }
        if (!expand_loop(r, entries, what, key, node, loops + 1, count - 1, v)) return false;
    }
    v->count = before;
    return true;
}

static bool expand_entry(BriReader *r, BriEntries *entries, const char *what, const BriNode *key, const BriNode *node) {
    if (node->kind != BRI_NODE_MAPPING) return bri_refuse(r, node, "%s '%.60s' must be a mapping", what, key->text);
    const BriNode *loop = bri_node_find(node, "for");
    if (!loop) return add_entry(r, entries, what, key, key->text, node);
    Variables v = {0};
    if (loop->kind != BRI_NODE_SEQUENCE)
        return expand_loop(r, entries, what, key, node, (const BriNode *const *)&loop, 1, &v);
    if (loop->count == 0 || loop->count > MOST_VARIABLES)
        return bri_refuse(r, loop, "'for' must be like {a: [az0, az30]}, or a list of these for all combinations");
    return expand_loop(r, entries, what, key, node, (const BriNode *const *)loop->items, loop->count, &v);
}

bool bri_expand_entries(BriReader *r, const BriNode *section, const char *what, BriEntries *entries) {
    if (!section) return true;
    if (section->kind != BRI_NODE_MAPPING) return bri_refuse(r, section, "%ss must be a mapping of names", what);
    for (int i = 0; i < section->count; i++)
        if (!expand_entry(r, entries, what, section->keys[i], section->items[i])) return false;
    return true;
}
