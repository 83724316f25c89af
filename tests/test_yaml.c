/* YAML trees: what is read, where each refusal points, that hostile texts are refused fast, and that overrides change
 * the named place only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/yaml.h"
#include "workload.h"

/* ---- Help ---- */

/* An allocator that counts, and fails from call number `fail_at` on (0: never). */
typedef struct Counter {
    int live, calls, fail_at;
} Counter;

static void *counter_allocate(void *user, size_t size) {
    Counter *counter = user;
    counter->calls++;
    if (counter->fail_at && counter->calls >= counter->fail_at) return NULL;
    counter->live++;
    return malloc(size);
}

static void counter_release(void *user, void *memory) {
    Counter *counter = user;
    if (memory) counter->live--;
    free(memory);
}

static BrAllocator make_allocator(Counter *counter) {
    return (BrAllocator){counter_allocate, counter_release, counter};
}

static BriDocument *parse_bytes(const char *text, size_t size) {
    BriDocument *document = NULL;
    BrError error = {0};
    BrStatus status = bri_document_parse(text, size, "scene.yaml", NULL, &document, &error);
    if (status) print_error("%d:%d: %s\n", error.line, error.column, error.text);
    assert_int_equal(status, BR_OK);
    assert_non_null(document);
    return document;
}

static BriDocument *parse(const char *text) { return parse_bytes(text, strlen(text)); }

/* The text is refused at this place, with these words in the message, and nothing leaks. */
static void check_refused_bytes(const char *text, size_t size, int line, int column, const char *words) {
    Counter counter = {0};
    BrAllocator allocator = make_allocator(&counter);
    BriDocument *document = (BriDocument *)&counter;
    BrError error = {0};
    BrStatus status = bri_document_parse(text, size, "scene.yaml", &allocator, &document, &error);
    assert_int_equal(status, BR_INVALID_SCENE);
    assert_int_equal(error.status, BR_INVALID_SCENE);
    assert_null(document);
    assert_string_equal(error.file, "scene.yaml");
    if (!strstr(error.text, words)) fail_msg("'%s' is not in '%s'", words, error.text);
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
    assert_int_equal(counter.live, 0);
    assert_int_equal(bri_document_parse(text, size, "scene.yaml", &allocator, &document, NULL), BR_INVALID_SCENE);
}

static void check_refused(const char *text, int line, int column, const char *words) {
    check_refused_bytes(text, strlen(text), line, column, words);
}

/* `unit` n times, with `tail` after it; free it. */
static char *repeat(const char *unit, int n, const char *tail) {
    size_t size = strlen(unit);
    char *text = malloc(size * (size_t)n + strlen(tail) + 1);
    assert_non_null(text);
    for (int i = 0; i < n; i++) memcpy(text + size * (size_t)i, unit, size);
    strcpy(text + size * (size_t)n, tail);
    return text;
}

static void check_scalar(const BriNode *node, const char *text, bool quoted, int line, int column) {
    assert_non_null(node);
    assert_int_equal(node->kind, BRI_NODE_SCALAR);
    assert_string_equal(node->text, text);
    assert_int_equal(node->quoted, quoted);
    assert_int_equal(node->line, line);
    assert_int_equal(node->column, column);
}

static void set(BriDocument *document, const char *assignment) {
    BrError error = {0};
    BrStatus status = bri_document_set(document, assignment, &error);
    if (status) print_error("%s: %s\n", assignment, error.text);
    assert_int_equal(status, BR_OK);
}

static void check_set_refused(BriDocument *document, const char *assignment, int column, const char *words) {
    BrError error = {0};
    assert_int_equal(bri_document_set(document, assignment, &error), BR_INVALID_ARGUMENT);
    assert_memory_equal(error.file, "--set ", 6); /* and the path, as long as there is room */
    size_t shown = strcspn(assignment, "=");
    for (size_t i = 0; i < shown && i < 100; i++)
        assert_true(error.file[6 + i] == assignment[i] || error.file[6 + i] == '?');
    if (!strstr(error.text, words)) fail_msg("'%s' is not in '%s'", words, error.text);
    assert_int_equal(error.line, 1);
    assert_int_equal(error.column, column);
    assert_int_equal(bri_document_set(document, assignment, NULL), BR_INVALID_ARGUMENT);
}

/* A file with this text; unlink and free its path. */
static char *write_file(const char *text, size_t size) {
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder) folder = "/tmp";
    size_t room = strlen(folder) + 32;
    char *path = malloc(room);
    assert_non_null(path);
    snprintf(path, room, "%s/bristle_yaml_XXXXXX", folder);
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, size), (ssize_t)size);
    close(file);
    return path;
}

/* ---- What is read ---- */

static void test_tree(void **state) {
    (void)state;
    const char *text = "# a scene\n"
                       "bodies:\n"
                       "  - name: ball\n"
                       "    mass: 2.5 kg\n"
                       "  - {name: \"box\", size: [1, 2, '3']}\n"
                       "note: |\n"
                       "  two\n"
                       "  lines\n"
                       "empty:\n"
                       "last: {}\n";
    BriDocument *document = parse(text);
    BriNode *root = bri_document_root(document);
    assert_int_equal(root->kind, BRI_NODE_MAPPING);
    assert_int_equal(root->count, 4);
    assert_int_equal(root->line, 2);
    assert_int_equal(root->column, 1);
    assert_string_equal(root->file, "scene.yaml");
    assert_null(root->text);
    check_scalar(root->keys[1], "note", false, 6, 1);
    const BriNode *bodies = bri_node_find(root, "bodies");
    assert_int_equal(bodies->kind, BRI_NODE_SEQUENCE);
    assert_int_equal(bodies->count, 2);
    assert_int_equal(bodies->line, 3);
    assert_int_equal(bodies->column, 3);
    assert_null(bodies->keys);
    check_scalar(bri_node_find(bodies->items[0], "mass"), "2.5 kg", false, 4, 11);
    check_scalar(bri_node_find(bodies->items[1], "name"), "box", true, 5, 12);
    const BriNode *size = bri_node_find(bodies->items[1], "size");
    check_scalar(size->items[0], "1", false, 5, 26);
    check_scalar(size->items[2], "3", true, 5, 32);
    check_scalar(bri_node_find(root, "note"), "two\nlines\n", true, 6, 7);
    check_scalar(bri_node_find(root, "empty"), "", false, 9, 7);
    assert_int_equal(bri_node_find(root, "last")->kind, BRI_NODE_MAPPING);
    assert_int_equal(bri_node_find(root, "last")->count, 0);
    assert_null(bri_node_find(root, "bodie"));
    assert_null(bri_node_find(bodies, "0"));
    assert_null(bri_node_find(NULL, "a"));
    assert_string_equal(bri_document_text(document), text);
    bri_document_destroy(document);
    bri_document_destroy(NULL);
}

static void test_json_and_unicode(void **state) {
    (void)state;
    BriDocument *document = parse("{\n\t\"a\": [1, true, null, \"x\\u00e9\\/\"],\n\t\"b\":{\"\": -1e3}\n}");
    const BriNode *root = bri_document_root(document);
    check_scalar(bri_node_find(root, "a")->items[3], "x\xC3\xA9/", true, 2, 23);
    check_scalar(bri_node_find(bri_node_find(root, "b"), ""), "-1e3", false, 3, 11);
    bri_document_destroy(document);

    /* A UTF-8 mark is no column, and a character is one, however many bytes it has. */
    document = parse("\xEF\xBB\xBF{\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80: 1}");
    root = bri_document_root(document);
    assert_int_equal(root->column, 1);
    check_scalar(bri_node_find(root, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), "1", false, 1, 7);
    bri_document_destroy(document);

    document = parse("a: 1\r\nb: 2\rc: 3\n");
    check_scalar(bri_node_find(bri_document_root(document), "b"), "2", false, 2, 4);
    check_scalar(bri_node_find(bri_document_root(document), "c"), "3", false, 3, 4);
    bri_document_destroy(document);
}

static void test_anchors(void **state) {
    (void)state;
    BriDocument *document = parse("a: &x {k: &s 1}\nb: *x\nc: [*x, *s]\nd: &x 2\ne: *x\n");
    const BriNode *root = bri_document_root(document);
    const BriNode *a = bri_node_find(root, "a");
    assert_ptr_equal(bri_node_find(root, "b"), a);
    assert_ptr_equal(bri_node_find(root, "c")->items[0], a);
    assert_ptr_equal(bri_node_find(root, "c")->items[1], bri_node_find(a, "k"));
    check_scalar(bri_node_find(root, "e"), "2", false, 4, 4);
    bri_document_destroy(document);
}

static void test_tags(void **state) {
    (void)state;
    BriDocument *document = parse("!!map {a: !!str 1, b: !!int \"1\", c: !!seq [!!float 1, !!bool yes, !!null x]}");
    const BriNode *root = bri_document_root(document);
    check_scalar(bri_node_find(root, "a"), "1", true, 1, 11);
    check_scalar(bri_node_find(root, "b"), "1", false, 1, 23);
    bri_document_destroy(document);
    check_refused("a: !body 1", 1, 4, "the tag '!body' is not understood");
    check_refused("a: !!python/object 1", 1, 4, "the tag '!!python/object'");
    check_refused("a: !!map 1", 1, 4, "'!!map'");
    check_refused("a: !!flo 1", 1, 4, "'!!flo'");
    check_refused("a: !!str [1]", 1, 4, "allowed here: !!seq");
    check_refused("a: !!set {1}", 1, 4, "allowed here: !!map");
    check_refused("a: !!binary AAAA", 1, 4, "'!!binary'");
    check_refused("%TAG ! tag:example.com,2000:\n---\n!a b", 1, 1, "%TAG");
}

/* ---- What is refused ---- */

static void test_syntax(void **state) {
    (void)state;
    check_refused("a: b: c\n", 1, 5, "mapping values are not allowed in this context; put each key");
    check_refused("a: 1\n b: 2\n", 2, 3, "mapping values are not allowed");
    check_refused("a:\n  - 1\n  b: 2\n", 3, 3,
                  "did not find expected '-' indicator, while parsing a block collection "
                  "that begins in line 2; give all items");
    check_refused("a: [1, 2\nb: 3\n", 2, 2, "did not find expected ',' or ']'");
    check_refused("a: \"open\nb: 1\n", 3, 1, "end of stream, while scanning a quoted scalar that begins in line 1");
    check_refused("a:\n\tb: 1\n", 2, 1, "cannot start any token");
    check_refused("a: \"\\q\"\n", 1, 5, "escape");
    check_refused("a: @b\n", 1, 4, "cannot start any token");
    check_refused("a: 1\n}\n", 2, 1, "this is not YAML");
    check_refused("a: [1,", 1, 7, "did not find expected node content");
    check_refused("a: [1,\n", 2, 1, "did not find expected node content");
    check_refused("]", 1, 1, "this is not YAML");
}

static void test_empty_and_several(void **state) {
    (void)state;
    check_refused_bytes(NULL, 0, 1, 1, "nothing here");
    check_refused("", 1, 1, "nothing here");
    check_refused(" \n# only words\n\n", 1, 1, "nothing here");
    check_refused("a: 1\n---\nb: 2\n", 2, 1, "second document");
    check_refused("--- 1\n...\n--- 2\n", 3, 1, "second document");
    bri_document_destroy(parse("%YAML 1.1\n---\na: 1\n...\n"));
}

static void test_bytes(void **state) {
    (void)state;
    check_refused_bytes("a: 1\nb\0: 2\n", 11, 2, 2, "NUL byte");
    check_refused_bytes("a: 1\n\0", 6, 2, 1, "NUL byte");
    check_refused("a: \"x\\0y\"", 1, 4, "NUL character");
    check_refused("a: 1\nb: \xC3\xA9\xFF\n", 2, 5, "byte 0xFF");
    check_refused("a: \xC0\x80", 1, 4, "byte 0xC0");
    check_refused("a: \xE0\x80\x80", 1, 4, "byte 0xE0");
    check_refused("a: \xED\xA0\x80", 1, 4, "byte 0xED");
    check_refused("a: \xF4\x90\x80\x80", 1, 4, "byte 0xF4");
    check_refused("a: \xE2\x82", 1, 4, "byte 0xE2");
    check_refused("a: \x80", 1, 4, "byte 0x80");
    check_refused("a: \x07", 1, 4, "U+0007");
    check_refused("a: \x7F", 1, 4, "U+007F");
    check_refused("a: \xEF\xBB\xBF", 1, 4, "U+FEFF");
    check_refused("a: \xEF\xBF\xBF", 1, 4, "U+FFFF");
    check_refused("a\r\nb\rc\xC2\x85\xE2\x80\xA8\x01", 5, 1, "U+0001");
    check_refused_bytes("\xFF\xFE"
                        "a\0",
                        4, 1, 1, "UTF-16");
    check_refused_bytes("\xFE\xFF\0a", 4, 1, 1, "UTF-16");
    check_refused_bytes("a\0:\0", 4, 1, 2, "NUL byte");
    check_refused_bytes("\x7F"
                        "ELF\2\1\1\0",
                        8, 1, 1, "U+007F");
}

static void test_keys(void **state) {
    (void)state;
    check_refused("a: 1\nb: 2\na: 3\n", 3, 1, "the key 'a' is already in this mapping, in line 1");
    check_refused("{x: {a: 1, \"a\": 2}}", 1, 12, "the key 'a'");
    check_refused("{\"\": 1, '': 2}", 1, 9, "the key ''");
    check_refused("{a: 1, ? [b] : 2}", 1, 10, "a list stands where a key should be");
    check_refused("? {b: 1}\n: 2\n", 1, 3, "a mapping stands where a key should be");
    check_refused("a: &k x\n? *k\n: 1\n", 2, 3, "an alias stands where a key should be");
    check_refused("c:\n  <<: 3\n", 2, 7, "the merge key '<<' takes a mapping or a list of mappings");
    check_refused("a: &x {b: 1}\nc:\n  <<: [*x, 3]\n", 3, 12, "the merge key '<<' takes a mapping");
    check_refused("a: &x {b: 1}\nc: {<<: *x, <<: *x}\n", 2, 13, "the key '<<' is already in this mapping");
    check_refused("{a: 1, \"bad\\n\\tkey\": 1, \"bad\\n\\tkey\": 2}", 1, 25, "'bad??key'");
    BriDocument *document = parse("{\"<<\": 1, a: 1, aa: 2, b: 3, ab: 4, A: 5, '': 6, \xC3\xA9: 7}");
    check_scalar(bri_node_find(bri_document_root(document), "<<"), "1", false, 1, 8);
    bri_document_destroy(document);
}

/* What a mapping says itself counts; else the first of those it merges, where the merge key stands. */
static void test_merge_keys(void **state) {
    (void)state;
    BriDocument *document = parse("a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\n"
                                  "c: {w: 0, <<: *a, x: 9}\n"
                                  "d: &d {<<: [*a, *b]}\n"
                                  "e: {<<: *d, <<2: 1}\n"
                                  "f: {<<: []}\n");
    const BriNode *root = bri_document_root(document), *c = bri_node_find(root, "c"), *d = bri_node_find(root, "d");
    assert_int_equal(c->count, 3);
    assert_string_equal(c->keys[1]->text, "y");
    check_scalar(bri_node_find(c, "x"), "9", false, 3, 22);
    check_scalar(bri_node_find(c, "y"), "2", false, 1, 17);
    assert_int_equal(d->count, 3);
    check_scalar(bri_node_find(d, "y"), "2", false, 1, 17);
    check_scalar(bri_node_find(d, "z"), "4", false, 2, 17);
    assert_int_equal(bri_node_find(root, "e")->count, 4);
    assert_int_equal(bri_node_find(root, "f")->count, 0);
    /* the merged one stays as it was when the mapping is changed */
    BrError error = {0};
    assert_int_equal(bri_document_set(document, "c.y=7", &error), BR_OK);
    check_scalar(bri_node_find(bri_node_find(bri_document_root(document), "a"), "y"), "2", false, 1, 17);
    bri_document_destroy(document);
}

static void test_aliases_refused(void **state) {
    (void)state;
    check_refused("a: *nowhere\n", 1, 4, "the alias '*nowhere' has no anchor");
    check_refused("&a [1, *a]", 1, 8, "stands inside the value");
    check_refused("a: &x\n  b: {c: [*x]}\n", 2, 11, "stands inside the value");
    check_refused("[&a1 1, *a]", 1, 9, "has no anchor");
    check_refused("[&a 1, *a1]", 1, 8, "has no anchor");
}

/* Each of nine lists holds the one before ten times: 10^9 nodes, refused at the first that exceeds the limit. */
static void test_alias_bomb(void **state) {
    (void)state;
    char text[2048] = "l0: &l0 [a, a, a, a, a, a, a, a, a, a]\n";
    for (int i = 1; i < 10; i++) {
        size_t used = strlen(text);
        used += (size_t)snprintf(text + used, sizeof text - used, "l%d: &l%d [", i, i);
        for (int j = 0; j < 10; j++)
            used += (size_t)snprintf(text + used, sizeof text - used, "*l%d%s", i - 1, j < 9 ? ", " : "]\n");
    }
    /* l4 weighs 111111, all up to l4 123456 and keys; the eighth copy in l5 is too much, in column 10 + 7 * 5. */
    check_refused(text, 6, 45, "1000000 nodes");
}

static void test_levels(void **state) {
    (void)state;
    char *text = repeat("[", 64, "");
    char *closed = repeat("]", 64, "");
    char *both = repeat(text, 1, closed);
    bri_document_destroy(parse(both));
    free(both);
    free(closed);
    free(text);
    static const struct {
        const char *unit;
        int line, column;
    } cases[] = {{"[", 1, 65}, {"{a: ", 1, 257}, {"- ", 1, 129}, {"[\n", 65, 1}, {"{a: [", 1, 161}};
    for (int i = 0; i < BRI_COUNT(cases); i++) {
        text = repeat(cases[i].unit, 10000, "");
        check_refused(text, cases[i].line, cases[i].column, "64 levels");
        free(text);
    }
    text = repeat("? ", 10000, "");
    check_refused(text, 1, 3, "a mapping stands where a key should be");
    free(text);
    char *block = calloc(1, 100000);
    for (int i = 0, used = 0; i < 300; i++) used += sprintf(block + used, "%*sa:\n", i, "");
    check_refused(block, 65, 65, "64 levels");
    free(block);
}

/* Levels count through aliases: 40 below 25 are 65. */
static void test_levels_through_aliases(void **state) {
    (void)state;
    for (int extra = 0; extra < 2; extra++) {
        char text[512];
        char *open = repeat("[", 40, ""), *close = repeat("]", 40, "");
        int n = 23 + extra;
        snprintf(text, sizeof text, "a: &a %s%s\nb: %.*s*a%.*s", open, close, n, open, n, close);
        if (extra)
            check_refused(text, 2, 28, "64 levels");
        else
            bri_document_destroy(parse(text));
        free(open);
        free(close);
    }
}

static void test_node_limit(void **state) {
    (void)state;
    char *text = repeat("- 1\n", 999999, "");
    bri_document_destroy(parse(text));
    free(text);
    text = repeat("- 1\n", 1000000, "");
    check_refused(text, 1000000, 3, "1000000 nodes");
    free(text);
}

/* Many keys, many anchors, a key given twice among many, many directives. */
static double read_many(int count) {
    char *text = malloc((size_t)count * 40);
    size_t used = 0;
    double start = read_cpu_clock();
    for (int i = 0; i < count; i++) used += (size_t)sprintf(text + used, "key%d: &n%d 1\n", i, i);
    BriDocument *document = parse(text);
    assert_int_equal(bri_document_root(document)->count, count);
    bri_document_destroy(document);
    sprintf(text + used, "key%d: 2\n", count / 2);
    char line[32];
    snprintf(line, sizeof line, "in line %d", count / 2 + 1);
    check_refused(text, count + 1, 1, line);
    used = (size_t)sprintf(text, "[");
    for (int i = 0; i < count; i++) used += (size_t)sprintf(text + used, "&n%d 1, *n%d,\n", i, i / 2);
    sprintf(text + used, "]");
    bri_document_destroy(parse(text));
    free(text);
    text = repeat("%TAG !a! b\n", count, "--- 1\n");
    check_refused(text, 1, 1, "%TAG");
    free(text);
    return read_cpu_clock() - start;
}

static void test_speed(void **state) {
    (void)state;
    assert_true(is_proportional(read_many, getenv("BRISTLE_SLOW") ? 20000 : 100000));
}

/* Names of all shapes in one mapping, each found once: against the prefix and padding cases of the tree. */
static void test_names(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    char *text = malloc((size_t)COUNT * 32);
    uint64_t random = 12345;
    size_t used = (size_t)sprintf(text, "{");
    for (int i = 0; i < COUNT; i++) { /* i in binary of a and b, no leading zeros: every length, many prefixes */
        char name[16];
        int n = 0;
        for (int v = i + 1; v > 1; v /= 2) name[n++] = v % 2 ? 'a' : 'b';
        name[n] = 0;
        used += (size_t)sprintf(text + used, "\"%s\": %d,\n", name, i);
    }
    sprintf(text + used, "}");
    BriDocument *document = parse(text);
    assert_int_equal(bri_document_root(document)->count, COUNT);
    for (int k = 0; k < 20; k++) {
        random = bri_hash(&random, sizeof random, 1);
        const BriNode *key = bri_document_root(document)->keys[random % COUNT];
        sprintf(text + used, "\"%s\": 0}", key->text);
        check_refused(text, COUNT + 1, 1, "is already in this mapping");
    }
    bri_document_destroy(document);
    free(text);
}

/* ---- Files ---- */

static void check_read_refused(const char *path, BrStatus expected, const char *words) {
    Counter counter = {0};
    BrAllocator allocator = make_allocator(&counter);
    BriDocument *document = (BriDocument *)&counter;
    BrError error = {0};
    assert_int_equal(bri_document_read(path, &allocator, &document, &error), expected);
    assert_null(document);
    assert_string_equal(error.file, path);
    if (!strstr(error.text, words)) fail_msg("'%s' is not in '%s'", words, error.text);
    assert_int_equal(counter.live, 0);
}

static void test_files(void **state) {
    (void)state;
    BriDocument *document = NULL;
    char *path = write_file("a: [1, 2]\n", 10);
    assert_int_equal(bri_document_read(path, NULL, &document, NULL), BR_OK);
    assert_string_equal(bri_document_root(document)->file, path);
    assert_string_equal(bri_document_text(document), "a: [1, 2]\n");
    bri_document_destroy(document);

    assert_non_null(freopen(path, "rb", stdin));
    assert_int_equal(bri_document_read("-", NULL, &document, NULL), BR_OK);
    assert_string_equal(bri_document_root(document)->file, "<stdin>");
    bri_document_destroy(document);

    assert_int_equal(truncate(path, ((off_t)64 << 20) + 1), 0);
    check_read_refused(path, BR_INVALID_SCENE, "64 MiB");
    assert_int_equal(truncate(path, 0), 0);
    check_read_refused(path, BR_INVALID_SCENE, "nothing here");
    unlink(path);
    check_read_refused(path, BR_IO, "no such file");
    free(path);
    check_read_refused("/", BR_IO, "directory");
    check_read_refused("/dev/null/x", BR_IO, "not a directory");
    check_read_refused("/dev/null", BR_INVALID_SCENE, "nothing here");
    if (access("/dev/zero", R_OK) == 0) check_read_refused("/dev/zero", BR_INVALID_SCENE, "64 MiB");

    BrError error = {0};
    assert_int_equal(bri_document_parse("a", ((size_t)64 << 20) + 1, "big", NULL, &document, &error), BR_INVALID_SCENE);
    assert_null(document);
    assert_string_equal(error.file, "big");
}

/* A pipe tells no size, so the text grows while it is read. */
static void test_pipe(void **state) {
    (void)state;
    char *text = repeat("- some words\n", 20000, "");
    char *path = write_file(text, strlen(text)), command[512];
    snprintf(command, sizeof command, "cat '%s'", path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    int saved = dup(0);
    assert_true(saved >= 0 && dup2(fileno(pipe), 0) == 0);
    clearerr(stdin);
    BriDocument *document = NULL;
    BrStatus status = bri_document_read("-", NULL, &document, NULL);
    dup2(saved, 0);
    close(saved);
    pclose(pipe);
    unlink(path);
    free(path);
    assert_int_equal(status, BR_OK);
    assert_int_equal(bri_document_root(document)->count, 20000);
    assert_string_equal(bri_document_text(document), text);
    bri_document_destroy(document);
    free(text);
}

/* ---- Overrides ---- */

static void test_set(void **state) {
    (void)state;
    BriDocument *document = parse("solver: {tolerance: 1, limits: {steps: 5}}\nbodies: [{mass: 1}, {mass: 2}]\n");
    BriNode *root = bri_document_root(document);
    set(document, "solver.limits.steps=7");
    assert_ptr_equal(bri_document_root(document), root);
    const BriNode *steps = bri_node_find(bri_node_find(bri_node_find(root, "solver"), "limits"), "steps");
    check_scalar(steps, "7", false, 0, 0);
    assert_string_equal(steps->file, "--set solver.limits.steps");
    set(document, "bodies.1.mass=\"3\"");
    check_scalar(bri_node_find(bri_node_find(root, "bodies")->items[1], "mass"), "3", true, 0, 0);
    check_scalar(bri_node_find(bri_node_find(root, "bodies")->items[0], "mass"), "1", false, 2, 17);
    assert_int_equal(bri_node_find(root, "bodies")->line, 2);

    set(document, "solver.name=a=b");
    const BriNode *solver = bri_node_find(root, "solver");
    assert_int_equal(solver->count, 3);
    check_scalar(solver->keys[2], "name", false, 0, 0);
    check_scalar(solver->items[2], "a=b", false, 0, 0);
    set(document, "solver.name=[1, {x: 2}]");
    assert_int_equal(bri_node_find(root, "solver")->count, 3);
    check_scalar(bri_node_find(bri_node_find(bri_node_find(root, "solver"), "name")->items[1], "x"), "2", false, 0, 0);
    set(document, "solver.name.1.x= yes: no ");
    set(document, "bodies.0={}");
    set(document, "bodies.0.new=&a [1]");
    set(document, "top=null");
    assert_int_equal(root->count, 3);
    assert_int_equal(bri_node_find(bri_node_find(root, "bodies")->items[0], "new")->count, 1);
    bri_document_destroy(document);
}

static void test_set_aliased(void **state) {
    (void)state;
    BriDocument *document = parse("a: &x {k: {m: 1, n: &n [5, 6]}}\nb: *x\nc: [*x, *x]\nd: *n\n");
    const BriNode *root = bri_document_root(document);
    set(document, "b.k.m=2");
    set(document, "c.1.k.n.0=3");
    set(document, "b.k.n.1=4");
    const BriNode *a = bri_node_find(root, "a"), *b = bri_node_find(root, "b"), *c = bri_node_find(root, "c");
    assert_string_equal(bri_node_find(bri_node_find(a, "k"), "m")->text, "1");
    assert_string_equal(bri_node_find(bri_node_find(b, "k"), "m")->text, "2");
    assert_string_equal(bri_node_find(bri_node_find(c->items[1], "k"), "n")->items[0]->text, "3");
    assert_string_equal(bri_node_find(bri_node_find(b, "k"), "n")->items[1]->text, "4");
    assert_string_equal(bri_node_find(bri_node_find(a, "k"), "n")->items[0]->text, "5");
    assert_string_equal(bri_node_find(bri_node_find(a, "k"), "n")->items[1]->text, "6");
    assert_string_equal(bri_node_find(root, "d")->items[1]->text, "6");
    assert_ptr_equal(c->items[0], a);
    assert_string_equal(bri_node_find(bri_node_find(c->items[0], "k"), "m")->text, "1");
    bri_document_destroy(document);
}

static void test_set_refused(void **state) {
    (void)state;
    BriDocument *document = parse("solver: {tolerance: 1}\nbodies: [1, 2]\nnone: []\nvoid: {}\n");
    check_set_refused(document, "sovler.tolerance=1", 1, "did you mean 'solver'?");
    check_set_refused(document, "solver.tolerence.x=1", 8, "did you mean 'tolerance'?");
    check_set_refused(document, "unheard.of=1", 1, "use one of: 'solver', 'bodies', 'none', 'void'");
    check_set_refused(document, "void.a.b=1", 6, "use one of: none");
    check_set_refused(document, "bodies.2=1", 8, "a number from 0 to 1");
    check_set_refused(document, "bodies.-1=1", 8, "a number from 0 to 1");
    check_set_refused(document, "bodies.4294967296=1", 8, "a number from 0 to 1");
    check_set_refused(document, "bodies.one=1", 8, "'one' is no index");
    check_set_refused(document, "none.0=1", 6, "list is empty");
    check_set_refused(document, "solver.tolerance.x=1", 18, "inside the value '1'");
    check_set_refused(document, "solver", 1, "has no '='");
    check_set_refused(document, "", 1, "has no '='");
    check_set_refused(document, "=1", 1, "empty");
    check_set_refused(document, "solver..x=1", 8, "empty");
    check_set_refused(document, "solver.=1", 8, "empty");
    check_set_refused(document, "solver.x=", 10, "nothing here");
    check_set_refused(document, "solver.x=#fff", 10, "nothing here");
    check_set_refused(document, "solver.x=[1, 2", 15, "not YAML");
    check_set_refused(document, "solver.x=a: b: c", 14, "not YAML");
    check_set_refused(document, "solver.x={a: 1, a: 2}", 17, "the key 'a' stands twice");
    check_set_refused(document, "solver.x=*y", 10, "has no anchor");
    check_set_refused(document, "solver.\xC3\xA9=*y", 10, "has no anchor");
    check_set_refused(document, "solver.x=\xFF", 10, "not UTF-8");
    assert_int_equal(bri_node_find(bri_document_root(document), "solver")->count, 1);
    assert_int_equal(bri_document_root(document)->count, 4);
    bri_document_destroy(document);
}

/* The limits hold for what comes by --set, too. */
static void test_set_limits(void **state) {
    (void)state;
    BriDocument *document = parse("a: {b: 1}\nc: 2\n");
    char *open = repeat("[", 62, ""), *close = repeat("]", 62, "");
    char assignment[512];
    snprintf(assignment, sizeof assignment, "a.b=[%s%s]", open, close);
    check_set_refused(document, assignment, 67, "64 levels");
    snprintf(assignment, sizeof assignment, "a.b=%s%s", open, close);
    set(document, assignment);
    char path[256] = "a.b";
    for (int i = 0; i < 61; i++) strcat(path, ".0");
    snprintf(assignment, sizeof assignment, "%s=[9]", path);
    set(document, assignment);
    snprintf(assignment, sizeof assignment, "%s.0=[9]", path);
    check_set_refused(document, assignment, 129, "64 levels");
    snprintf(assignment, sizeof assignment, "%s.0.0=9", path);
    check_set_refused(document, assignment, 129, "inside the value '9'");
    free(open);
    free(close);
    bri_document_destroy(document);

    char *text = repeat("- 1\n", 999998, "");
    document = parse(text);
    free(text);
    set(document, "3=[5]");
    check_set_refused(document, "4=[5]", 4, "1000000 nodes");
    set(document, "3=5");
    set(document, "4=[5]");
    assert_string_equal(bri_document_root(document)->items[3]->text, "5");
    bri_document_destroy(document);
}

/* ---- Memory ---- */

static void test_every_allocation_fails(void **state) {
    (void)state;
    char *long_text = repeat("word ", 20000, "");
    char *text = malloc(200000);
    int used = sprintf(text, "a: &x {k: [1, 2]}\nb: *x\nlong: %s\nlist:\n", long_text);
    for (int i = 0; i < 3000; i++) used += sprintf(text + used, "  - &n%d {v: %d}\n", i, i);
    char *path = write_file(text, strlen(text));
    BrStatus status = BR_OUT_OF_MEMORY;
    int n = 0;
    while (status != BR_OK) {
        Counter counter = {.fail_at = ++n};
        BrAllocator allocator = make_allocator(&counter);
        BriDocument *document = NULL;
        BrError error = {0};
        status = n % 2 ? bri_document_parse(text, strlen(text), "x", &allocator, &document, &error)
                       : bri_document_read(path, &allocator, &document, &error);
        if (status != BR_OK) {
            assert_int_equal(status, BR_OUT_OF_MEMORY);
            assert_int_equal(error.status, BR_OUT_OF_MEMORY);
            assert_null(document);
        }
        bri_document_destroy(document);
        assert_int_equal(counter.live, 0);
    }
    assert_true(n > 10);
    unlink(path);
    free(path);
    free(text);
    free(long_text);
}

static void check_set_without_memory(const char *assignment, BrStatus expected) {
    char *text = repeat("- {k: [1, 2]}\n", 3000, "- some: 1\n  more: 2\n");
    Counter counter = {0};
    BrAllocator allocator = make_allocator(&counter);
    BriDocument *document = NULL;
    BrStatus status = BR_OUT_OF_MEMORY;
    assert_int_equal(bri_document_parse(text, strlen(text), "x", &allocator, &document, NULL), BR_OK);
    int failures = 0;
    for (int n = 1; status == BR_OUT_OF_MEMORY; n++) {
        counter.fail_at = counter.calls + n;
        status = bri_document_set(document, assignment, NULL);
        if (status != BR_OUT_OF_MEMORY) continue;
        failures++;
        const BriNode *root = bri_document_root(document);
        assert_int_equal(root->count, 3001);
        assert_int_equal(root->items[3000]->count, 2);
        assert_int_equal(root->items[3000]->line, 3001);
        assert_string_equal(bri_node_find(root->items[3000], "some")->text, "1");
    }
    assert_int_equal(status, expected);
    assert_true(failures > 0);
    bri_document_destroy(document);
    assert_int_equal(counter.live, 0);
    free(text);
}

static void test_every_allocation_of_set_fails(void **state) {
    (void)state;
    check_set_without_memory("3000.some=[1, 2, {a: 3}]", BR_OK);
    check_set_without_memory("3000.new={}", BR_OK);
    check_set_without_memory("3000.mora.x=1", BR_INVALID_ARGUMENT);
}

static void test_node_fail(void **state) {
    (void)state;
    BriDocument *document = parse("a:\n  b: 1\n");
    const BriNode *b = bri_node_find(bri_node_find(bri_document_root(document), "a"), "b");
    BrError error = {0};
    assert_int_equal(bri_node_fail(b, &error, BR_INVALID_MODEL, "'%s' is %d", "b", 1), BR_INVALID_MODEL);
    assert_int_equal(error.status, BR_INVALID_MODEL);
    assert_string_equal(error.text, "'b' is 1");
    assert_string_equal(error.file, "scene.yaml");
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 6);
    assert_int_equal(bri_node_fail(b, NULL, BR_INVALID_MODEL, "x"), BR_INVALID_MODEL);
    bri_document_destroy(document);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_json_and_unicode),
        cmocka_unit_test(test_anchors),
        cmocka_unit_test(test_tags),
        cmocka_unit_test(test_syntax),
        cmocka_unit_test(test_empty_and_several),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_merge_keys),
        cmocka_unit_test(test_aliases_refused),
        cmocka_unit_test(test_alias_bomb),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_levels_through_aliases),
        cmocka_unit_test(test_node_limit),
        cmocka_unit_test(test_speed),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_set_aliased),
        cmocka_unit_test(test_set_refused),
        cmocka_unit_test(test_set_limits),
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_every_allocation_of_set_fails),
        cmocka_unit_test(test_node_fail),
    };
    return cmocka_run_group_tests_name("yaml", tests, NULL, NULL);
}
