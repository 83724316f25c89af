/* scene_place.c: use: {left: {part: leg, with: {L: 0.3}, ports: {hip: torso}, at: [0, 0.1, 0]}}: a part's sections under
 * the names they have where it is placed.
 *
 * What the part calls thigh is called left_thigh outside: '_' is the one character that names of bodies, parameters,
 * channels and files all may have. A text that is exactly a name of the part means what has that name; everything else
 * is taken as an expression, whose parameters are renamed alike. */
#include "io/scene_expand.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LEVELS = 16, LONGEST_NAME = 500 };

typedef struct Placement {
    BriUnit *outer;
    BriUnit part;
    const BriNode *key, *with, *ports; /* the last two may be NULL */
    BriNames names, parameters;        /* of the part: by number in `to` */
    BriNames given;                    /* keys of `with`, by number */
    const char **to;                   /* what they are called outside */
    int count, capacity;
} Placement;

/* ------------------------------------------------------------------ which part */

static bool know_parts(BriUnit *u) {
    const BriNode *parts = bri_node_find(u->tree, "parts");
    if (u->knows_parts || !parts) return true;
    u->knows_parts = true;
    if (parts->kind != BRI_NODE_MAPPING)
        return bri_refuse(&u->reader, parts, "parts must be a mapping like {leg: {bodies: {...}}} or {leg: leg.yaml}");
    for (int i = 0; i < parts->count; i++)
        if (!bri_names_insert(&u->parts, parts->keys[i]->text, i, u->x->allocator)) return bri_no_memory(&u->reader);
    return true;
}

/* The unit's own, or one of those around it. NULL: refused. */
static const BriNode *find_part(BriUnit *u, const BriNode *name) {
    const char *known[64];
    int count = 0, ignored;
    for (BriUnit *around = u; around; around = around->outer) {
        if (!know_parts(around)) {
            u->reader.status = around->reader.status;
            return NULL;
        }
        const BriNode *parts = bri_node_find(around->tree, "parts");
        int number = bri_names_find(&around->parts, name->text);
        if (number >= 0) return parts->items[number];
        for (int i = 0; parts && i < parts->count && count < BRI_COUNT(known); i++)
            known[count++] = parts->keys[i]->text;
    }
    if (count)
        bri_choose(&u->reader, name, name->text, "part", known, count, &ignored);
    else
        bri_refuse(&u->reader, name,
                   "there is no part '%.60s': the scene has no parts; add 'parts: {%.60s: {bodies: "
                   "{...}}}', or name a file like leg.yaml",
                   name->text, name->text);
    return NULL;
}

/* A part may not stand within itself; the chain says how it would. */
static bool check_chain(Placement *p) {
    char chain[400];
    int levels = 0;
    snprintf(chain, sizeof chain, "%.60s", p->part.name);
    for (const BriUnit *around = p->outer; around->outer; around = around->outer) {
        char longer[400];
        snprintf(longer, sizeof longer, "%.60s > %.330s", around->name, chain);
        memcpy(chain, longer, sizeof chain);
        if (around->tree == p->part.tree)
            return bri_refuse(&p->outer->reader, p->key, "the part '%.60s' contains itself: %s; break the circle",
                              p->part.name, chain);
        if (++levels >= MOST_LEVELS)
            return bri_refuse(&p->outer->reader, p->key, "parts stand within parts %d deep, which is the most: %s",
                              (int)MOST_LEVELS, chain);
    }
    return true;
}

/* Also a beginning of names in expressions, so letters, digits and '_'. */
static bool check_prefix(Placement *p) {
    const char *name = p->key->text;
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (*name && !name[length] && !(*name >= '0' && *name <= '9')) return true;
    return bri_refuse(&p->outer->reader, p->key,
                      "'%.60s' begins the names of what is placed, parameters too: use letters, digits and '_', a "
                      "letter first",
                      name);
}

static bool find_entry(Placement *p, const BriNode *entry) {
    static const char *const KEYS[] = {"part", "with", "ports", "at", "rotate"};
    BriReader *r = &p->outer->reader;
    char what[100], note[300];
    snprintf(what, sizeof what, "use '%.60s'", p->key->text);
    if (!check_prefix(p) || !bri_check_keys(r, entry, what, KEYS, BRI_COUNT(KEYS))) return false;
    const BriNode *part = bri_node_find(entry, "part");
    p->with = bri_node_find(entry, "with");
    p->ports = bri_node_find(entry, "ports");
    if (!part || part->kind != BRI_NODE_SCALAR) return bri_refuse(r, p->key, "%s needs 'part', a name or a file", what);
    if (p->with && p->with->kind != BRI_NODE_MAPPING)
        return bri_refuse(r, p->with, "with must be a mapping of the part's parameters, like {L: 0.3}");
    if (p->ports && p->ports->kind != BRI_NODE_MAPPING)
        return bri_refuse(r, p->ports, "ports must be a mapping from the part's ports to bodies, like {hip: torso}");
    p->part.tree = find_part(p->outer, part);
    if (!p->part.tree) return false;
    if (p->part.tree->kind != BRI_NODE_MAPPING)
        return bri_refuse(r, p->part.tree, "a part must be a mapping with bodies and joints like a scene");
    p->part.name = part->text;
    snprintf(note, sizeof note, "%.150s%spart '%.100s'", p->outer->note ? p->outer->note : "",
             p->outer->note ? ", " : "", p->key->text);
    BriNode *kept = bri_make_scalar(p->outer->x->document, p->key, note, strlen(note));
    if (!kept) return bri_no_memory(r);
    p->part.note = kept->text;
    return check_chain(p);
}

/* ------------------------------------------------------------------ parameters */

/* The parameters that the part computes with: values for those of `with`. */
static bool give_parameters(Placement *p) {
    BriReader *r = &p->outer->reader;
    BriNode *written = bri_node_find(p->part.tree, "parameters");
    const char *known[64];
    int count = written && written->kind == BRI_NODE_MAPPING ? written->count : 0, ignored;
    p->part.parameters = written;
    if (!p->with || p->with->count == 0) return true;
    for (int i = 0; i < count; i++)
        if (!bri_names_insert(&p->parameters, written->keys[i]->text, i, r->allocator)) return bri_no_memory(r);
    BriNode *given = count ? bri_make_collection(p->outer->x->document, written, BRI_NODE_MAPPING, count) : NULL;
    if (count && !given) return bri_no_memory(r);
    for (int i = 0; i < count; i++) {
        given->keys[i] = written->keys[i], given->items[i] = written->items[i];
        if (i < BRI_COUNT(known)) known[i] = written->keys[i]->text;
    }
    for (int i = 0; i < p->with->count; i++) {
        const BriNode *key = p->with->keys[i];
        int number = bri_names_find(&p->parameters, key->text);
        char what[100], text[40];
        double value;
        if (!bri_names_insert(&p->given, key->text, i, r->allocator)) return bri_no_memory(r);
        if (number < 0 && count == 0)
            return bri_refuse(r, key, "the part '%.60s' has no parameters, so '%.60s' cannot be given", p->part.name,
                              key->text);
        if (number < 0)
            return bri_choose(r, key, key->text, "parameter of the part", known,
                              count < BRI_COUNT(known) ? count : BRI_COUNT(known), &ignored);
        snprintf(what, sizeof what, "parameter '%.60s'", key->text);
        if (!bri_start_unit(p->outer) || !bri_read_any_number(r, p->with->items[i], what, &value)) return false;
        snprintf(text, sizeof text, "%.17g", value);
        BRI_ASSERT(given);
        given->items[number] = bri_make_scalar(p->outer->x->document, p->with->items[i], text, strlen(text));
        if (!given->items[number]) return bri_no_memory(r);
    }
    bri_finish_collection(given);
    p->part.parameters = given;
    return true;
}

/* ------------------------------------------------------------------ names */

static bool add_name(Placement *p, BriNames *names, const char *name, const char *to) {
    BriReader *r = &p->outer->reader;
    if (!bri_grow(r->allocator, (void **)&p->to, p->count, &p->capacity, sizeof *p->to) ||
        !bri_names_insert(names, name, p->count, r->allocator))
        return bri_no_memory(r);
    p->to[p->count++] = to;
    return true;
}

/* left_thigh; NULL: refused */
static const char *add_prefix(Placement *p, const BriNode *key) {
    BriReader *r = &p->outer->reader;
    char name[2 * LONGEST_NAME];
    if (strlen(p->key->text) + strlen(key->text) > LONGEST_NAME) {
        bri_refuse(r, p->key, "'%.40s' and '%.40s' make a name that is too long", p->key->text, key->text);
        return NULL;
    }
    int length = snprintf(name, sizeof name, "%s_%s", p->key->text, key->text);
    char *kept = bri_document_take(p->outer->x->document, (size_t)length + 1, 1);
    if (kept) return memcpy(kept, name, (size_t)length);
    bri_no_memory(r);
    return NULL;
}

static bool is_word(const char *word, const char *const *words, int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0) return true;
    return false;
}

/* What a part says only for itself, run alone. */
static bool is_of_scene(const char *section) {
    static const char *const OWN[] = {"bristle", "title", "step", "gravity", "record", "contact_capacity"};
    return is_word(section, OWN, BRI_COUNT(OWN));
}

/* Sections whose keys are names of the part. */
static bool has_names(const BriNode *key, const BriNode *section) {
    static const char *const OTHERS[] = {"parameters", "materials", "memory"};
    return section->kind == BRI_NODE_MAPPING && !is_of_scene(key->text) &&
           !is_word(key->text, OTHERS, BRI_COUNT(OTHERS));
}

static bool note_parameters(Placement *p, const BriNode *flat) {
    const BriNode *parameters = bri_node_find(flat, "parameters");
    bri_names_release(&p->parameters, p->outer->x->allocator);
    for (int i = 0; parameters && parameters->kind == BRI_NODE_MAPPING && i < parameters->count; i++) {
        const char *to = add_prefix(p, parameters->keys[i]);
        if (!to || !add_name(p, &p->parameters, parameters->keys[i]->text, to)) return false;
    }
    return true;
}

/* A joint may be called like a body, so a name may come twice. */
static bool note_names(Placement *p, const BriNode *flat) {
    for (int s = 0; s < flat->count; s++) {
        const BriNode *section = flat->items[s];
        if (!has_names(flat->keys[s], section)) continue;
        for (int i = 0; i < section->count; i++) {
            const BriNode *key = section->keys[i];
            if (bri_names_find(&p->names, key->text) >= 0) continue;
            if (bri_names_find(&p->parameters, key->text) >= 0)
                return bri_refuse(&p->outer->reader, key,
                                  "'%.60s' is a parameter of the part, too, so that nobody knows which is meant; call "
                                  "one of them otherwise",
                                  key->text);
            const char *to = add_prefix(p, key);
            if (!to || !add_name(p, &p->names, key->text, to)) return false;
        }
    }
    return true;
}

/* ports: [hip] of the part, ports: {hip: torso} where it is placed */
static bool note_ports(Placement *p) {
    BriReader *r = &p->outer->reader;
    const BriNode *ports = bri_node_find(p->part.tree, "ports");
    int count = ports && ports->kind == BRI_NODE_SEQUENCE ? ports->count : 0, given = 0;
    if (ports && ports->kind != BRI_NODE_SEQUENCE)
        return bri_refuse(r, ports, "the ports of a part are a list of names, like [hip]");
    BriNames places = {0};
    bool fine = true;
    for (int i = 0; fine && p->ports && i < p->ports->count; i++)
        fine = bri_names_insert(&places, p->ports->keys[i]->text, i, r->allocator) || bri_no_memory(r);
    for (int i = 0; fine && i < count; i++) {
        const BriNode *port = ports->items[i];
        const char *name = port->kind == BRI_NODE_SCALAR ? port->text : "";
        int place = bri_names_find(&places, name);
        const BriNode *body = p->ports && place >= 0 ? p->ports->items[place] : NULL;
        if (!body || body->kind != BRI_NODE_SCALAR)
            fine = bri_refuse(r, p->key,
                              "the part '%.60s' has a port '%.60s', which needs a body: add 'ports: {%.60s: "
                              "name of a body}'",
                              p->part.name, name, name);
        else if (bri_names_find(&p->names, name) >= 0 || bri_names_find(&p->parameters, name) >= 0)
            fine =
                bri_refuse(r, port, "the port '%.60s' is called like something in the part; call it otherwise", name);
        else
            fine = add_name(p, &p->names, name, body->text);
        given += fine;
    }
    bri_names_release(&places, r->allocator);
    if (fine && p->ports && p->ports->count > given)
        fine = bri_refuse(r, p->ports,
                          "the part '%.60s' has %d port%s, but %d are given; a part names them: 'ports: "
                          "[hip]'",
                          p->part.name, given, given == 1 ? "" : "s", p->ports->count);
    return fine;
}

/* ------------------------------------------------------------------ renaming */

/* In an expression: a parameter, or a body, joint or signal whose numbers are read. What a dot follows is a name, what
 * only stands behind one is not: arm.velocity.x. */
static const char *find_other_name(void *user, const BriWord *word, char room[24]) {
    const Placement *p = user;
    char name[LONGEST_NAME];
    (void)room;
    if (word->length >= sizeof name || (word->behind_dot && !word->before_dot)) return NULL;
    memcpy(name, word->text, word->length);
    name[word->length] = 0;
    bool alone = !word->behind_dot && !word->before_dot;
    int number = alone ? bri_names_find(&p->parameters, name) : -1;
    if (number < 0 && !(alone && bri_has_own_meaning(name))) number = bri_names_find(&p->names, name);
    return number < 0 ? NULL : p->to[number];
}

static bool make_renamed(Placement *p, const BriNode *node, const char *text, size_t length, BriNode **result) {
    BriNode place = *node;
    if (!place.note) place.note = p->part.note;
    *result = bri_make_scalar(p->outer->x->document, &place, text, length);
    return *result || bri_no_memory(&p->outer->reader);
}

static bool rename_scalar(Placement *p, const BriNode *node, BriNode **result) {
    BriBuffer *text = &p->outer->x->text;
    int number = bri_names_find(&p->names, node->text);
    if (number >= 0) return make_renamed(p, node, p->to[number], strlen(p->to[number]), result);
    text->length = 0;
    if (!bri_replace_names(p->outer, text, node->text, strlen(node->text), find_other_name, p)) return false;
    return make_renamed(p, node, text->bytes, (size_t)text->length, result);
}

/* Values of these keys are words or names of the scene. */
static bool holds_words(const char *key) {
    static const char *const KEYS[] = {"material",    "law",      "coordinate", "hypothesis",
                                       "bearings_on", "recorded", "channel"};
    return is_word(key, KEYS, BRI_COUNT(KEYS));
}

static bool rename_node(Placement *p, const BriNode *node, BriNode **result) {
    BriUnit *u = p->outer;
    BRI_ASSERT(node); /* collections are full */
    if (!bri_charge(u, 1, p->key)) return false;
    if (node->kind == BRI_NODE_SCALAR) return rename_scalar(p, node, result);
    BriNode *copy = *result = bri_make_collection(u->x->document, node, node->kind, node->count);
    if (!copy) return bri_no_memory(&u->reader);
    for (int i = 0; i < node->count; i++) {
        const BriNode *item = node->items[i];
        if (node->keys) copy->keys[i] = node->keys[i];
        bool word = node->keys && item->kind == BRI_NODE_SCALAR && holds_words(node->keys[i]->text);
        if (word ? !make_renamed(p, item, item->text, strlen(item->text), &copy->items[i])
                 : !rename_node(p, item, &copy->items[i]))
            return false;
    }
    bri_finish_collection(copy);
    return true;
}

/* "block/plate" */
static bool rename_pair(Placement *p, BriNode **key) {
    BriBuffer *text = &p->outer->x->text;
    const char *slash = strchr((*key)->text, '/'), *half[2] = {(*key)->text, slash ? slash + 1 : NULL};
    text->length = 0;
    if (!bri_put(p->outer, text, "", 0)) return false;
    for (int i = 0; i < 2 && half[i]; i++) {
        char name[LONGEST_NAME];
        size_t length = i == 0 && slash ? (size_t)(slash - half[0]) : strlen(half[i]);
        if (length >= sizeof name) return true; /* no body is called so */
        memcpy(name, half[i], length);
        name[length] = 0;
        int number = bri_names_find(&p->names, name);
        const char *to = number < 0 ? name : p->to[number];
        if ((i && !bri_put(p->outer, text, "/", 1)) || !bri_put(p->outer, text, to, strlen(to))) return false;
    }
    return make_renamed(p, *key, text->bytes, (size_t)text->length, key);
}

/* A section under the names of the outside; `with` gives parameters their values. */
static bool rename_section(Placement *p, const BriNode *key, const BriNode *section, BriNode **result) {
    bool named = has_names(key, section), memory = strcmp(key->text, "memory") == 0,
         parameters = strcmp(key->text, "parameters") == 0;
    const BriNames *names = parameters ? &p->parameters : &p->names;
    if (!rename_node(p, section, result)) return false;
    BRI_ASSERT(*result);
    for (int i = 0; (*result)->keys && i < (*result)->count; i++) {
        BriNode **name = &(*result)->keys[i];
        int number = bri_names_find(names, (*name)->text);
        int given = parameters ? bri_names_find(&p->given, (*name)->text) : -1;
        if (given >= 0) (*result)->items[i] = p->with->items[given];
        if (memory && !rename_pair(p, name)) return false;
        BRI_ASSERT(*name); /* all keys are there */
        if ((named || parameters) && number >= 0 && !make_renamed(p, *name, p->to[number], strlen(p->to[number]), name))
            return false;
    }
    return true;
}

static bool rename_part(Placement *p, const BriNode *flat, BriNode **result) {
    BriUnit *u = p->outer;
    BriChildren children = {0};
    bool fine = note_parameters(p, flat) && note_names(p, flat) && note_ports(p);
    for (int i = 0; fine && i < flat->count; i++) {
        BriNode *section = NULL;
        if (is_of_scene(flat->keys[i]->text)) continue;
        fine = rename_section(p, flat->keys[i], flat->items[i], &section) &&
               bri_children_add(u, &children, flat->keys[i], section);
    }
    *result = fine ? bri_children_finish(u, &children, flat, BRI_NODE_MAPPING) : NULL;
    bri_children_release(u, &children);
    return *result != NULL;
}

/* ------------------------------------------------------------------ the whole */

static bool place(Placement *p, const BriNode *entry, BriSections *sections) {
    BriNode *flat = NULL, *renamed = NULL, *frames = NULL, *key = NULL;
    BriUnit *u = p->outer;
    if (!find_entry(p, entry) || !give_parameters(p)) return false;
    if (!bri_start_unit(&p->part) || !bri_flatten(&p->part, &flat)) {
        u->reader.status = p->part.reader.status;
        return false;
    }
    if (!rename_part(p, flat, &renamed) || !bri_move_part(u, p->key, entry, renamed, &frames)) return false;
    if (frames) key = bri_make_scalar(u->x->document, p->key, "frames", strlen("frames"));
    if (frames && !key) return bri_no_memory(&u->reader);
    if (frames && !bri_sections_add(u, sections, key, frames)) return false;
    for (int i = 0; i < renamed->count; i++)
        if (!bri_sections_add(u, sections, renamed->keys[i], renamed->items[i])) return false;
    return true;
}

bool bri_place_part(BriUnit *u, const BriNode *key, const BriNode *entry, BriSections *sections) {
    const BrAllocator *allocator = u->x->allocator;
    Placement p = {.outer = u, .key = key};
    p.part = (BriUnit){.x = u->x, .reader = {.allocator = allocator, .error = u->x->error}, .outer = u};
    bool fine = place(&p, entry, sections);
    bri_release_reader(&p.part.reader);
    bri_names_release(&p.part.parts, allocator);
    bri_names_release(&p.given, allocator);
    bri_names_release(&p.names, allocator);
    bri_names_release(&p.parameters, allocator);
    bri_release(allocator, (void *)p.to);
    return fine;
}
