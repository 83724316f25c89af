/* yaml.c: libyaml's events become a tree; every limit is checked before memory is spent on what it limits.
 *
 * Each node carries its weight (nodes below and with it, aliases copied out) and its height (levels of collections, a
 * scalar has 0). Both are known when a collection closes, so an alias costs one addition however much it stands for.
 * Names (keys of an open mapping, anchors) live in Patricia trees [Morrison 1968]: a lookup costs no more than the
 * length of the name, and no choice of names makes it slower, as it could with a hash table. */
#include "io/yaml.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

#define LARGEST_TEXT ((size_t)64 << 20) /* bytes */
#define MOST_LEVELS  64
#define MOST_NODES   1000000
#define CHUNK_SIZE   ((size_t)32 << 10) /* bytes; some hundred nodes for each call of the allocator */

typedef struct Item {
    BriNode node; /* first: every BriNode of ours is an Item */
    int weight, height;
    bool open; /* a collection whose end was not yet seen */
} Item;

typedef struct Chunk Chunk;
struct Chunk {
    Chunk *next;
    size_t used, size; /* bytes */
    max_align_t data[];
};

struct BriDocument {
    BrAllocator allocator;
    Chunk *chunks; /* the first one is filled next */
    Item *root;
    char *text, *file;
    BriDocument *others; /* taken over; each leads to the next */
};

/* A Patricia tree's node. Bits are numbered from 1, the head has 0; a link that does not lead to a higher bit leads
 * back to the node that holds the name. */
typedef struct Name Name;
struct Name {
    const char *text;
    size_t length, bit;
    Name *child[2];
    Item *item; /* NULL: just inserted, or the head while the empty name is not in */
};

typedef struct Frame {
    Item *item;
    int start; /* its children in `pending` begin here; a mapping's are key, value, key, value */
    Name keys;
} Frame;

/* One text on its way to becoming a tree. */
typedef struct Builder {
    BriDocument *document;
    const char *file, *text;
    size_t size; /* bytes of text */
    BrStatus refusal;
    BrError *error;
    int line, column;            /* where we are, from 1; 0, 0: nowhere yet */
    int end_line, end_column;    /* the end of the text */
    int base_depth, base_column; /* what stands before the text when it is the value of --set */
    int depth, total, documents;
    Frame frames[MOST_LEVELS];
    Name anchors;
    BriNode **pending; /* children of the open collections */
    int pending_count, pending_capacity;
    Item *root;
} Builder;

/* ---- Messages ---- */

typedef struct Quote {
    char text[56];
} Quote;

/* A name fit for a message: short, on one line, and whole characters only. */
static Quote quote(const char *text) {
    Quote result = {{0}};
    size_t length = strlen(text), kept = length < 48 ? length : 48;
    while (kept < length && kept > 0 && ((unsigned char)text[kept] & 0xC0) == 0x80) kept--;
    for (size_t i = 0; i < kept; i++) {
        unsigned char c = (unsigned char)text[i];
        result.text[i] = c < 0x20 || c == 0x7F ? '?' : text[i];
    }
    if (kept < length) memcpy(result.text + kept, "...", 4);
    return result;
}

static void fail_at(BrError *error, BrStatus status, const BriNode *place, const char *format, va_list arguments) {
    if (!error) return;
    *error = (BrError){.status = status, .line = place->line, .column = place->column};
    snprintf(error->file, sizeof error->file, "%s", place->file);
    int noted = place->note ? snprintf(error->text, sizeof error->text, "%s: ", place->note) : 0;
    if (noted >= (int)sizeof error->text / 2) noted = 0; /* what is wrong counts more than in which copy */
    vsnprintf(error->text + noted, sizeof error->text - (size_t)noted, format, arguments);
    bri_clean_text(error->text);
}

BrStatus bri_node_fail(const BriNode *node, BrError *error, BrStatus status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail_at(error, status, node, format, arguments);
    va_end(arguments);
    return status;
}

__attribute__((format(printf, 2, 3))) static BrStatus refuse(const Builder *b, const char *format, ...) {
    BriNode here = {.file = b->file, .line = b->line, .column = b->column};
    va_list arguments;
    va_start(arguments, format);
    fail_at(b->error, b->refusal, &here, format, arguments);
    va_end(arguments);
    return b->refusal;
}

static BrStatus refuse_memory(Builder *b) {
    b->refusal = BR_OUT_OF_MEMORY;
    return refuse(b, "the allocator returned no memory for this text; free some memory or use a smaller file");
}

static BrStatus refuse_size(const Builder *b) {
    return refuse(b, "the text is larger than the %d MiB allowed; split it", (int)(LARGEST_TEXT >> 20));
}

/* libyaml adds a line break at the end where there is none; what it finds there stands at our end. */
static void move_to(Builder *b, yaml_mark_t mark) {
    bool beyond = (int)mark.line >= b->end_line;
    b->line = beyond ? b->end_line : (int)mark.line + 1;
    b->column = beyond ? b->end_column : (int)mark.column + 1 + (mark.line == 0 ? b->base_column : 0);
}

/* ---- Memory ---- */

/* Zeroed memory that lives as long as the document. */
static void *take(BriDocument *document, size_t count, size_t size) {
    const size_t unit = _Alignof(max_align_t);
    size_t bytes = (count * size + unit - 1) / unit * unit;
    Chunk *chunk = document->chunks;
    if (!chunk || chunk->size - chunk->used < bytes) {
        bool large = bytes > CHUNK_SIZE / 4;
        size_t room = large ? bytes : CHUNK_SIZE;
        Chunk *fresh = bri_allocate(&document->allocator, 1, sizeof *fresh + room);
        if (!fresh) return NULL;
        fresh->size = room;
        /* A large piece goes behind the first chunk, which still has room for small ones. */
        Chunk **link = large && chunk ? &chunk->next : &document->chunks;
        fresh->next = *link;
        *link = chunk = fresh;
    }
    void *memory = (char *)chunk->data + chunk->used;
    chunk->used += bytes;
    return memory;
}

static char *take_text(BriDocument *document, const char *text, size_t length) {
    char *copy = take(document, length + 1, 1);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

/* An empty document for b->file. */
static BrStatus create_document(Builder *b, const BrAllocator *allocator) {
    BrAllocator chosen = allocator ? *allocator : bri_default_allocator();
    BriDocument *document = b->document = bri_allocate(&chosen, 1, sizeof *document);
    if (!document) return refuse_memory(b);
    document->allocator = chosen;
    document->file = take_text(document, b->file, strlen(b->file));
    if (!document->file) return refuse_memory(b);
    b->file = document->file;
    return BR_OK;
}

void bri_document_destroy(BriDocument *document) {
    if (!document) return;
    BrAllocator allocator = document->allocator;
    for (Chunk *chunk = document->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        bri_release(&allocator, chunk);
    }
    for (BriDocument *other = document->others, *next; other; other = next) {
        next = other->others;
        other->others = NULL;
        bri_document_destroy(other);
    }
    bri_release(&allocator, document->text);
    bri_release(&allocator, document);
}

void bri_document_take_over(BriDocument *document, BriDocument *other) {
    BriDocument *last = other;
    while (last->others) last = last->others;
    last->others = document->others;
    document->others = other;
}

/* ---- Names ---- */

static int get_bit(const char *text, size_t length, size_t bit) {
    size_t byte = (bit - 1) / 8;
    return byte < length ? ((unsigned char)text[byte] >> (7 - (bit - 1) % 8)) & 1 : 0;
}

static void clear_names(Name *head) { *head = (Name){.text = "", .child = {head, head}}; }

/* The node with this name, or, when there is none, one that shares the longest beginning with it. No node whose bit
 * lies beyond the name's terminator can lead to it, so the walk is never longer than the name. */
static Name *seek_name(Name *head, const char *text, size_t length) {
    Name *above = head, *name = head->child[0];
    while (name->bit > above->bit && name->bit <= 8 * length + 8) {
        above = name;
        name = name->child[get_bit(text, length, name->bit)];
    }
    return name;
}

static Item *find_name(Name *head, const char *text) {
    Name *name = seek_name(head, text, strlen(text));
    return strcmp(name->text, text) == 0 ? name->item : NULL;
}

/* The node with this name, made if need be; its `item` is NULL when it is new. `text` must live as long as the tree.
 * NULL: out of memory. */
static Name *insert_name(BriDocument *document, Name *head, const char *text) {
    size_t length = strlen(text), bit = 1;
    Name *near = seek_name(head, text, length);
    if (near->length == length && memcmp(near->text, text, length) == 0) return near;
    while (bit / 8 < length && bit / 8 < near->length && text[bit / 8] == near->text[bit / 8]) bit += 8;
    while (get_bit(text, length, bit) == get_bit(near->text, near->length, bit)) bit++;
    Name *name = take(document, 1, sizeof *name);
    if (!name) return NULL;
    Name *above = head, *below = head->child[0];
    while (below->bit > above->bit && below->bit < bit) {
        above = below;
        below = below->child[get_bit(text, length, below->bit)];
    }
    int side = get_bit(text, length, bit);
    *name = (Name){.text = text, .length = length, .bit = bit};
    name->child[side] = name;
    name->child[!side] = below;
    above->child[above == head ? 0 : get_bit(text, length, above->bit)] = name;
    return name;
}

/* ---- Characters ---- */

/* The bytes of the character at `p` and its code; 0 for what is not UTF-8 (overlong, surrogate, too large, cut). */
static size_t decode_character(const unsigned char *p, size_t left, uint32_t *code) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = p[0] < 0x80 ? 1 : p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : p[0] < 0xF5 ? 4 : 0;
    if (size == 0 || size > left) return 0;
    *code = size == 1 ? p[0] : p[0] & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((p[i] & 0xC0) != 0x80) return 0;
        *code = *code << 6 | (p[i] & 0x3Fu);
    }
    return *code < least[size] || *code > 0x10FFFF || (*code >= 0xD800 && *code <= 0xDFFF) ? 0 : size;
}

/* What libyaml takes as well: printable characters, tabs and line breaks. */
static bool is_allowed(uint32_t code, bool first) {
    if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
    if (code == 0xFEFF) return first;
    return code < 0x7F || code == 0x85 || (code >= 0xA0 && code < 0xFFFE) || code > 0xFFFF;
}

static BrStatus refuse_character(const Builder *b, const unsigned char *p, size_t size, uint32_t code) {
    if (b->size > 1 && p == (const unsigned char *)b->text && (!memcmp(p, "\xFF\xFE", 2) || !memcmp(p, "\xFE\xFF", 2)))
        return refuse(b, "the text begins with the mark of UTF-16 or UTF-32, but only UTF-8 is read; save it as UTF-8");
    if (size == 0)
        return refuse(b, "found the byte 0x%02X, which is not UTF-8; only UTF-8 is read, so save it so", p[0]);
    if (code == 0)
        return refuse(b, "found a NUL byte, as in binary files; only UTF-8 text is read, so save it as such");
    return refuse(b, "found the character U+%04X, but only printable text, tabs and line breaks are allowed; remove it",
                  (unsigned)code);
}

/* Walks the whole text once, before libyaml sees it: libyaml gives no line for bad bytes. %TAG is refused here because
 * libyaml compares each such line with all others. */
static BrStatus check_text(Builder *b) {
    const unsigned char *p = (const unsigned char *)b->text;
    b->line = b->column = 1;
    for (size_t i = 0, size; i < b->size; i += size) {
        uint32_t code = 0;
        size = decode_character(p + i, b->size - i, &code);
        if (size == 0 || !is_allowed(code, i == 0)) return refuse_character(b, p + i, size, code);
        if (code == '%' && b->column == 1 && b->size - i >= 4 && memcmp(p + i, "%TAG", 4) == 0)
            return refuse(b,
                          "found a %%TAG directive, but only the core tags are allowed, without it; remove the line");
        bool cr = code == '\r' && (i + 1 == b->size || p[i + 1] != '\n');
        bool ends = cr || code == '\n' || code == 0x85 || code == 0x2028 || code == 0x2029;
        b->line += ends;
        b->column = ends ? 1 : b->column + (code != 0xFEFF);
    }
    b->end_line = b->line;
    b->end_column = b->column;
    b->line = b->column = 1;
    return BR_OK;
}

/* ---- Building ---- */

static BrStatus refuse_syntax(Builder *b, const yaml_parser_t *parser) {
    static const char *const table[][2] = {
        {"mapping values are not", "put each key on its own line and quote text that contains ': '"},
        {"cannot start any token", "quote the text and indent with spaces, not tabs"},
        {"tab character", "indent with spaces"},
        {"expected ','", "add the missing comma, close the bracket, or put a name with {..} in quotes"},
        {"expected ':'", "write 'key: value' with a space after the colon"},
        {"expected key", "give all keys of a mapping the same indentation"},
        {"expected '-'", "give all items of a list the same indentation"},
        {"end of stream", "close the quote or bracket"},
        {"document start", "write one value only, with the same indentation for lines that belong together"},
        {"escape", "write a backslash as \\\\, or use single quotes"},
    };
    move_to(b, parser->problem_mark);
    if (parser->error == YAML_MEMORY_ERROR) return refuse_memory(b);
    const char *problem = parser->problem ? parser->problem : "unknown problem";
    const char *advice = "check indentation, quotes and brackets here";
    for (int i = BRI_COUNT(table) - 1; i >= 0; i--)
        if (strstr(problem, table[i][0])) advice = table[i][1];
    if (!parser->context) return refuse(b, "this is not YAML: %s; %s", problem, advice);
    return refuse(b, "this is not YAML: %s, %s that begins in line %d; %s", problem, parser->context,
                  (int)parser->context_mark.line + 1, advice);
}

static bool expects_key(const Builder *b) {
    if (b->depth == 0) return false;
    const Frame *frame = &b->frames[b->depth - 1];
    return frame->item->node.kind == BRI_NODE_MAPPING && (b->pending_count - frame->start) % 2 == 0;
}

/* `allowed` lists tags as "!!map ". */
static BrStatus check_tag(const Builder *b, const yaml_char_t *tag, const char *allowed) {
    static const char core[] = "tag:yaml.org,2002:";
    const char *text = (const char *)tag, *prefix = "";
    if (!text) return BR_OK;
    if (strncmp(text, core, sizeof core - 1) == 0) {
        text += sizeof core - 1;
        prefix = "!!";
        char listed[16]; /* a longer name is cut, loses its space and is found in no list */
        snprintf(listed, sizeof listed, "!!%s ", text);
        if (strchr(listed, ' ') && strstr(allowed, listed)) return BR_OK;
    }
    return refuse(b, "the tag '%s%s' is not understood; allowed here: %s; remove the tag", prefix, quote(text).text,
                  allowed);
}

/* Counts `weight` more nodes and hangs `item` into the open collection. */
static BrStatus attach(Builder *b, Item *item, int weight) {
    if (weight > MOST_NODES - b->total)
        return refuse(b, "here are more than the %d nodes allowed, each alias counted as a copy; use fewer",
                      MOST_NODES);
    b->total += weight;
    if (b->depth == 0) {
        b->root = item;
        return BR_OK;
    }
    void *array = b->pending;
    if (!bri_grow(&b->document->allocator, &array, b->pending_count, &b->pending_capacity, sizeof *b->pending))
        return refuse_memory(b);
    b->pending = array;
    b->pending[b->pending_count++] = &item->node;
    return BR_OK;
}

/* What a finished child adds to the collection around it. */
static void account(Item *parent, const Item *child) {
    parent->weight += child->weight;
    if (parent->height <= child->height) parent->height = child->height + 1;
}

static BrStatus attach_finished(Builder *b, Item *item) {
    BrStatus status = attach(b, item, item->weight);
    if (!status && b->depth > 0) account(b->frames[b->depth - 1].item, item);
    return status;
}

/* A new node with its place and, where it has one, its anchor. NULL: out of memory. */
static Item *create_item(Builder *b, BriNodeKind kind, const yaml_char_t *anchor) {
    Item *item = take(b->document, 1, sizeof *item);
    if (!item) return NULL;
    bool is_set = b->base_depth > 0, is_scalar = kind == BRI_NODE_SCALAR;
    item->node = (BriNode){.kind = kind, .file = b->file};
    item->node.line = is_set ? 0 : b->line;
    item->node.column = is_set ? 0 : b->column;
    item->weight = 1;
    item->height = is_scalar ? 0 : 1;
    item->open = !is_scalar;
    if (!anchor) return item;
    char *name = take_text(b->document, (const char *)anchor, strlen((const char *)anchor));
    Name *entry = name ? insert_name(b->document, &b->anchors, name) : NULL;
    if (!entry) return NULL;
    entry->item = item; /* YAML lets a later anchor take over the name */
    return item;
}

static BrStatus check_key(Builder *b, Item *key) {
    const char *text = key->node.text;
    Name *name = insert_name(b->document, &b->frames[b->depth - 1].keys, text);
    if (!name) return refuse_memory(b);
    if (name->item && name->item->node.line == 0)
        return refuse(b, "the key '%s' stands twice in one mapping; allowed is once, so remove one", quote(text).text);
    if (name->item)
        return refuse(b, "the key '%s' is already in this mapping, in line %d; allowed is once, so remove one",
                      quote(text).text, name->item->node.line);
    name->item = key;
    return BR_OK;
}

static BrStatus add_scalar(Builder *b, const yaml_event_t *event) {
    const char *value = (const char *)event->data.scalar.value, *tag = (const char *)event->data.scalar.tag;
    size_t length = event->data.scalar.length;
    BrStatus status = check_tag(b, event->data.scalar.tag, "!!str !!int !!float !!bool !!null ");
    if (status) return status;
    if (memchr(value, 0, length))
        return refuse(b, "this text holds a NUL character, which is not allowed; remove the escape");
    Item *item = create_item(b, BRI_NODE_SCALAR, event->data.scalar.anchor);
    if (item) item->node.text = take_text(b->document, value, length);
    if (!item || !item->node.text) return refuse_memory(b);
    /* A block scalar is text as a quoted one is; a tag overrules the style. */
    item->node.quoted = tag ? strstr(tag, ":str") != NULL : event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    if (expects_key(b)) status = check_key(b, item);
    return status ? status : attach_finished(b, item);
}

static BrStatus refuse_key(const Builder *b, const char *found) {
    return refuse(b, "%s stands where a key should be; only text is allowed as a key, so write it out", found);
}

static BrStatus check_depth(const Builder *b, int height) {
    if (b->base_depth + b->depth + height <= MOST_LEVELS) return BR_OK;
    return refuse(b, "this is nested deeper than the %d levels allowed; flatten this part", MOST_LEVELS);
}

static BrStatus add_alias(Builder *b, const yaml_event_t *event) {
    const char *name = (const char *)event->data.alias.anchor;
    if (expects_key(b)) return refuse_key(b, "an alias");
    Item *item = find_name(&b->anchors, name);
    if (!item)
        return refuse(b, "the alias '*%s' has no anchor before it; write '&%s' before the value it means, or quote it",
                      quote(name).text, quote(name).text);
    if (item->open)
        return refuse(b,
                      "the alias '*%s' stands inside the value it means; only complete values are allowed, so name "
                      "another",
                      quote(name).text);
    BrStatus status = check_depth(b, item->height);
    return status ? status : attach_finished(b, item);
}

static BrStatus open_collection(Builder *b, bool is_list, const yaml_char_t *tag, const yaml_char_t *anchor) {
    if (expects_key(b)) return refuse_key(b, is_list ? "a list" : "a mapping");
    BrStatus status = check_depth(b, 1);
    if (!status) status = check_tag(b, tag, is_list ? "!!seq " : "!!map ");
    if (status) return status;
    Item *item = create_item(b, is_list ? BRI_NODE_SEQUENCE : BRI_NODE_MAPPING, anchor);
    if (!item) return refuse_memory(b);
    status = attach(b, item, 1);
    if (status) return status;
    Frame *frame = &b->frames[b->depth++];
    frame->item = item;
    frame->start = b->pending_count;
    clear_names(&frame->keys);
    return BR_OK;
}

static bool is_merge_key(const BriNode *key) { return !key->quoted && strcmp(key->text, "<<") == 0; }

/* The mappings that '<<' names; one alone is a list of one. */
static BrStatus find_merged(Builder *b, BriNode *const *value, BriNode *const **source, int *count) {
    bool is_list = (*value)->kind == BRI_NODE_SEQUENCE;
    *source = is_list ? (*value)->items : value;
    *count = is_list ? (*value)->count : 1;
    for (int i = 0; i < *count; i++)
        if ((*source)[i]->kind != BRI_NODE_MAPPING) {
            b->line = (*source)[i]->line;
            b->column = (*source)[i]->column;
            return refuse(b, "the merge key '<<' takes a mapping or a list of mappings, like '<<: *name'; give one, or "
                             "put the key in quotes");
        }
    return BR_OK;
}

/* Puts what '<<' names in its place: what the mapping does not say itself, the first source that does. All of it was
 * counted with the value of '<<'. */
static BrStatus merge(Builder *b, Frame *frame) {
    BriNode *node = &frame->item->node, *const * source;
    int place = 0, sources = 0, used, room = node->count;
    while (place < node->count && !is_merge_key(node->keys[place])) place++;
    if (place == node->count) return BR_OK;
    BrStatus status = find_merged(b, &node->items[place], &source, &sources);
    if (status) return status;
    for (int i = 0; i < sources; i++) room += source[i]->count;
    BriNode **keys = take(b->document, (size_t)room, sizeof *keys),
            **items = take(b->document, (size_t)room, sizeof *items);
    if (!keys || !items) return refuse_memory(b);
    for (used = 0; used < place; used++) keys[used] = node->keys[used], items[used] = node->items[used];
    for (int i = 0; i < sources; i++)
        for (int k = 0; k < source[i]->count; k++) {
            Name *name = insert_name(b->document, &frame->keys, source[i]->keys[k]->text);
            if (!name) return refuse_memory(b);
            if (name->item) continue;
            name->item = (Item *)source[i]->keys[k];
            keys[used] = source[i]->keys[k];
            items[used++] = source[i]->items[k];
        }
    for (int i = place + 1; i < node->count; i++, used++) keys[used] = node->keys[i], items[used] = node->items[i];
    node->keys = keys;
    node->items = items;
    node->count = used;
    return BR_OK;
}

static BrStatus close_collection(Builder *b) {
    Frame *frame = &b->frames[--b->depth];
    BRI_ASSERT(frame->item);
    BriNode *node = &frame->item->node;
    bool is_map = node->kind == BRI_NODE_MAPPING;
    int stride = is_map ? 2 : 1, count = (b->pending_count - frame->start) / stride;
    node->items = take(b->document, (size_t)count, sizeof(BriNode *));
    node->keys = is_map ? take(b->document, (size_t)count, sizeof(BriNode *)) : NULL;
    if (!node->items || (is_map && !node->keys)) return refuse_memory(b);
    BRI_ASSERT(count == 0 || b->pending);
    for (int i = 0; i < count; i++) {
        BriNode **child = b->pending + frame->start + stride * i;
        if (is_map) node->keys[i] = child[0];
        node->items[i] = child[stride - 1];
    }
    node->count = count;
    b->pending_count = frame->start;
    frame->item->open = false;
    if (b->depth > 0) account(b->frames[b->depth - 1].item, frame->item);
    return is_map ? merge(b, frame) : BR_OK;
}

static BrStatus take_event(Builder *b, const yaml_event_t *event) {
    move_to(b, event->start_mark);
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (b->documents++ == 0) return BR_OK;
        return refuse(b, "a second document begins here, but one is allowed; put it in a file of its own");
    case YAML_SCALAR_EVENT: return add_scalar(b, event);
    case YAML_ALIAS_EVENT: return add_alias(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_collection(b, true, event->data.sequence_start.tag, event->data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return open_collection(b, false, event->data.mapping_start.tag, event->data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return close_collection(b);
    case YAML_STREAM_END_EVENT:
        if (b->root) return BR_OK;
        b->line = 1;
        b->column = 1 + b->base_column;
        return refuse(b, "there is nothing here but space and comments; write a value, 'null' for none or '\"\"'");
    default: return BR_OK;
    }
}

/* From text to b->root. */
static BrStatus build(Builder *b) {
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return refuse_memory(b);
    yaml_parser_set_input_string(&parser, (const unsigned char *)b->text, b->size);
    clear_names(&b->anchors);
    BrStatus status = BR_OK;
    for (bool done = false; !status && !done;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            status = refuse_syntax(b, &parser);
            break;
        }
        status = take_event(b, &event);
        done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    bri_release(&b->document->allocator, b->pending);
    return status;
}

/* Hands the document over when its text (unless refused already) becomes a tree; else destroys it. */
static BrStatus finish_document(Builder *b, BrStatus status, BriDocument **document) {
    if (!status) {
        b->text = b->document->text;
        status = check_text(b);
    }
    if (!status) status = build(b);
    if (status)
        bri_document_destroy(b->document);
    else
        b->document->root = b->root;
    *document = status ? NULL : b->document;
    return status;
}

BrStatus bri_document_parse(const char *text, size_t size, const char *file, const BrAllocator *allocator,
                            BriDocument **document, BrError *error) {
    Builder b = {.file = file, .size = size, .refusal = BR_INVALID_SCENE, .error = error};
    BrStatus status = size > LARGEST_TEXT ? refuse_size(&b) : create_document(&b, allocator);
    BRI_ASSERT(status || b.document);
    if (!status) {
        b.document->text = bri_allocate(&b.document->allocator, size + 1, 1);
        if (!b.document->text)
            status = refuse_memory(&b);
        else if (size)
            memcpy(b.document->text, text, size);
    }
    return finish_document(&b, status, document);
}

/* ---- Files ---- */

static BrStatus refuse_file(Builder *b, int number) {
    char other[32];
    snprintf(other, sizeof other, "system error %d", number);
    const char *reason = number == ENOENT    ? "there is no such file"
                         : number == ENOTDIR ? "part of the path is not a directory"
                         : number == EACCES  ? "reading it is not permitted"
                         : number == EISDIR  ? "it is a directory"
                                             : other;
    b->refusal = BR_IO;
    return refuse(b, "the file cannot be read: %s; give a readable file, or '-' for standard input", reason);
}

/* Reads until the end into the document's text, never more than one byte beyond the limit. */
static BrStatus read_stream(Builder *b, FILE *stream, size_t expected) {
    const BrAllocator *allocator = &b->document->allocator;
    char **text = &b->document->text;
    size_t capacity = 0;
    do {
        if (b->size + 1 >= capacity) { /* one byte to see the end, one for the terminator */
            size_t wanted = capacity ? 2 * capacity : expected + 2;
            capacity = wanted < LARGEST_TEXT + 2 ? wanted : LARGEST_TEXT + 2;
            char *larger = bri_allocate(allocator, capacity, 1);
            if (!larger) return refuse_memory(b);
            if (b->size) memcpy(larger, *text, b->size);
            bri_release(allocator, *text);
            *text = larger;
        }
        b->size += fread(*text + b->size, 1, capacity - 1 - b->size, stream);
        if (ferror(stream)) return refuse_file(b, errno);
        if (b->size > LARGEST_TEXT) return refuse_size(b);
    } while (!feof(stream));
    return BR_OK;
}

BrStatus bri_document_read(const char *path, const BrAllocator *allocator, BriDocument **document, BrError *error) {
    bool is_standard = strcmp(path, "-") == 0;
    Builder b = {.file = is_standard ? "<stdin>" : path, .refusal = BR_INVALID_SCENE, .error = error};
    *document = NULL;
    FILE *stream = is_standard ? stdin : fopen(path, "rb");
    struct stat about;
    if (!stream) return refuse_file(&b, errno);
    BrStatus status = fstat(fileno(stream), &about) == 0 ? BR_OK : refuse_file(&b, errno);
    size_t expected = !status && S_ISREG(about.st_mode) ? (size_t)about.st_size : CHUNK_SIZE;
    if (!status && S_ISDIR(about.st_mode)) status = refuse_file(&b, EISDIR);
    if (!status && expected > LARGEST_TEXT) status = refuse_size(&b);
    if (!status) status = create_document(&b, allocator);
    if (!status) status = read_stream(&b, stream, expected);
    if (!is_standard) fclose(stream);
    return finish_document(&b, status, document);
}

/* ---- Looking ---- */

BriNode *bri_document_root(BriDocument *document) { return &document->root->node; }
const char *bri_document_text(const BriDocument *document) { return document->text; }

static int find_key(const BriNode *mapping, const char *key) {
    int i = 0;
    while (i < mapping->count && strcmp(mapping->keys[i]->text, key) != 0) i++;
    return i;
}

BriNode *bri_node_find(const BriNode *mapping, const char *key) {
    if (!mapping || mapping->kind != BRI_NODE_MAPPING) return NULL;
    int i = find_key(mapping, key);
    return i < mapping->count ? mapping->items[i] : NULL;
}

/* ---- Trees made from trees ---- */

void *bri_document_take(BriDocument *document, size_t count, size_t size) { return take(document, count, size); }

static Item *make_item(BriDocument *document, const BriNode *place, BriNodeKind kind) {
    Item *item = take(document, 1, sizeof *item);
    if (!item) return NULL;
    item->node = (BriNode){.kind = kind, .file = place->file, .note = place->note, .quoted = place->quoted};
    item->node.line = place->line;
    item->node.column = place->column;
    item->weight = 1;
    item->height = kind != BRI_NODE_SCALAR;
    return item;
}

BriNode *bri_make_scalar(BriDocument *document, const BriNode *place, const char *text, size_t length) {
    Item *item = make_item(document, place, BRI_NODE_SCALAR);
    if (item) item->node.text = take_text(document, text, length);
    return item && item->node.text ? &item->node : NULL;
}

BriNode *bri_make_collection(BriDocument *document, const BriNode *place, BriNodeKind kind, int count) {
    Item *item = make_item(document, place, kind);
    if (!item) return NULL;
    bool is_map = kind == BRI_NODE_MAPPING;
    item->node.count = count;
    item->node.items = take(document, (size_t)count, sizeof(BriNode *));
    item->node.keys = is_map ? take(document, (size_t)count, sizeof(BriNode *)) : NULL;
    return item->node.items && (item->node.keys || !is_map) ? &item->node : NULL;
}

void bri_finish_collection(BriNode *collection) {
    Item *item = (Item *)collection;
    item->weight = collection->keys ? 1 + collection->count : 1;
    for (int i = 0; i < collection->count; i++) account(item, (const Item *)collection->items[i]);
}

int bri_node_weight(const BriNode *node) { return ((const Item *)node)->weight; }

void bri_document_set_root(BriDocument *document, BriNode *root) { document->root = (Item *)root; }

/* ---- Overrides ---- */

/* One step of a path: into the item at `index` of a collection; `key` is new where index == count. */
typedef struct Step {
    Item *item;
    int index;
    BriNode *key;
} Step;

/* Names the nearest key, or else the first few. */
static BrStatus refuse_path(Builder *b, const BriNode *mapping, const char *key) {
    const char **words = bri_allocate(&b->document->allocator, (size_t)mapping->count, sizeof *words);
    if (!words) return refuse_memory(b);
    for (int i = 0; i < mapping->count; i++) words[i] = mapping->keys[i]->text;
    const char *nearest = br_nearest_word(key, words, mapping->count);
    char list[256] = "none";
    for (int i = 0, used = 0; i < mapping->count && i < 4; i++)
        used += snprintf(list + used, sizeof list - (size_t)used, "%s'%s'", i ? ", " : "", quote(words[i]).text);
    bri_release(&b->document->allocator, words);
    if (nearest)
        return refuse(b, "there is no key '%s' here, and only the last of a path may be new; did you mean '%s'?",
                      quote(key).text, quote(nearest).text);
    return refuse(b, "there is no key '%s' here, and only the last of a path may be new; use one of: %s%s",
                  quote(key).text, list, mapping->count > 4 ? " and more" : "");
}

static BrStatus resolve_index(Builder *b, const char *word, Step *step) {
    int count = step->item->node.count;
    bool valid = strspn(word, "0123456789") == strlen(word) && strlen(word) <= 7; /* 10^6 nodes need no more */
    for (const char *p = word; valid && *p; p++) step->index = 10 * step->index + (*p - '0');
    if (valid && step->index < count) return BR_OK;
    if (count == 0) return refuse(b, "'%s' should be an index, but this list is empty; set the list", quote(word).text);
    return refuse(b, "'%s' is no index of this list; use a number from 0 to %d", quote(word).text, count - 1);
}

static BrStatus resolve_step(Builder *b, char *word, bool last, Step *step) {
    const BriNode *node = &step->item->node;
    if (!*word) return refuse(b, "a part of the path is empty; write path.to.key=value, with single dots");
    if (node->kind == BRI_NODE_SEQUENCE) return resolve_index(b, word, step);
    if (node->kind == BRI_NODE_SCALAR)
        return refuse(b, "'%s' would lie inside the value '%s', which is no mapping or list; shorten the path",
                      quote(word).text, quote(node->text).text);
    step->index = find_key(node, word);
    if (step->index < node->count) return BR_OK;
    if (!last) return refuse_path(b, node, word);
    Item *key = take(b->document, 1, sizeof *key);
    if (!key) return refuse_memory(b);
    key->node = (BriNode){.kind = BRI_NODE_SCALAR, .file = b->file, .text = word};
    key->weight = 1;
    step->key = &key->node;
    return BR_OK;
}

static int count_characters(const char *text, const char *end) {
    int count = 0;
    for (; text < end; text++) count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

/* Every step leads out of an existing collection, so there are never more steps than levels. */
static BrStatus walk_path(Builder *b, char *path, Step *steps, int *count) {
    Item *item = b->document->root;
    for (char *word = path, *dot;; word = dot + 1) {
        dot = strchr(word, '.');
        if (dot) *dot = 0;
        Step *step = &steps[*count];
        *step = (Step){.item = item};
        b->column = 1 + count_characters(path, word);
        BrStatus status = resolve_step(b, word, !dot, step);
        ++*count;
        if (status || !dot) return status;
        item = (Item *)item->node.items[step->index];
    }
}

/* The step's collection again, with `child` in the named place; the old one may be seen from elsewhere and stays. */
static Item *copy_with(BriDocument *document, const Step *step, Item *child) {
    const BriNode *old = &step->item->node;
    size_t held = (size_t)old->count, count = held + (step->key != NULL);
    Item *copy = take(document, 1, sizeof *copy);
    BriNode **items = take(document, count, sizeof *items);
    BriNode **keys = old->keys ? take(document, count, sizeof *keys) : NULL;
    if (!copy || !items || (old->keys && !keys)) return NULL;
    if (held) memcpy(items, old->items, held * sizeof *items);
    if (held && keys) memcpy(keys, old->keys, held * sizeof *keys);
    items[step->index] = &child->node;
    BRI_ASSERT(!step->key || keys); /* only mappings are given new keys */
    if (step->key) keys[step->index] = step->key;
    copy->node = *old;
    copy->node.count = (int)count;
    copy->node.items = items;
    copy->node.keys = keys;
    copy->weight = keys ? 1 + (int)count : 1;
    copy->height = 1;
    for (size_t i = 0; i < count; i++) account(copy, (const Item *)items[i]);
    return copy;
}

/* Parses the value, then makes new collections along the path; only when all is there is the root, which no alias can
 * name, overwritten. */
static BrStatus set_value(Builder *b, const Step *steps, int count) {
    BriDocument *document = b->document;
    const Step *last = &steps[count - 1];
    const Item *old = last->key ? NULL : (const Item *)last->item->node.items[last->index];
    b->total = document->root->weight + (old ? -old->weight : 1);
    b->base_depth = count;
    BrStatus status = build(b);
    if (status) return status;
    Item *child = b->root;
    for (int i = count - 1; child && i >= 0; i--) child = copy_with(document, &steps[i], child);
    if (!child) return refuse_memory(b);
    *document->root = *child;
    return BR_OK;
}

/* The value under the word of `length` characters; NULL: there is none. */
static const BriNode *find_below(const BriNode *node, const char *word, size_t length) {
    if (node->kind == BRI_NODE_SEQUENCE) {
        size_t index = 0, digits = strspn(word, "0123456789");
        for (size_t i = 0; i < length && length <= 7; i++) index = 10 * index + (size_t)(word[i] - '0');
        return length > 0 && length <= 7 && digits >= length && index < (size_t)node->count ? node->items[index] : NULL;
    }
    for (int i = 0; i < node->count; i++)
        if (strncmp(node->keys[i]->text, word, length) == 0 && !node->keys[i]->text[length]) return node->items[i];
    return NULL;
}

bool bri_document_leads(const BriDocument *document, const char *assignment) {
    const BriNode *node = &document->root->node;
    size_t length = strcspn(assignment, "=."), equals = strcspn(assignment, "=");
    for (const char *word = assignment; node && word + length < assignment + equals; length = strcspn(word, "=.")) {
        node = find_below(node, word, length);
        word += length + 1;
    }
    return node != NULL;
}

/* "--set path.to.key": what messages call the place. */
static const char *name_assignment(BriDocument *document, const char *assignment) {
    enum { LONGEST = 100 };
    char name[LONGEST + 16];
    size_t length = strcspn(assignment, "=");
    snprintf(name, sizeof name, "--set %.*s", (int)(length < LONGEST ? length : LONGEST), assignment);
    bri_clean_text(name);
    return take_text(document, name, strlen(name));
}

BrStatus bri_document_set(BriDocument *document, const char *assignment, BrError *error) {
    const char *name = name_assignment(document, assignment);
    Builder b = {.document = document, .text = assignment, .size = strlen(assignment)};
    b.file = name ? name : "--set";
    b.refusal = BR_INVALID_ARGUMENT;
    b.error = error;
    BrStatus status = b.size > LARGEST_TEXT ? refuse_size(&b) : check_text(&b);
    if (status) return status;
    const char *equals = strchr(assignment, '=');
    if (!equals) return refuse(&b, "'%s' has no '='; write path.to.key=value", quote(assignment).text);
    char *path = take_text(document, assignment, (size_t)(equals - assignment));
    if (!path) return refuse_memory(&b);
    Step steps[MOST_LEVELS + 1]; /* the last for a path that goes on into a scalar */
    int count = 0;
    status = walk_path(&b, path, steps, &count);
    if (status) return status;
    b.text = equals + 1;
    b.size = strlen(b.text);
    b.base_column = count_characters(assignment, b.text);
    return set_value(&b, steps, count);
}
