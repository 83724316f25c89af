/* scene_expand.h: what users write once becomes what the readers see: files joined (scene_include.c), parts placed
 * (scene_place.c, scene_pose.c), blocks repeated (scene_expand.c, scene_repeat.c), defaults filled in
 * (scene_defaults.c). From tree to tree; every node keeps the place it was written at, and a note says of which copy it
 * is. */
#ifndef BRI_SCENE_EXPAND_H
#define BRI_SCENE_EXPAND_H

#include "io/scene_values.h"

enum { BRI_MOST_VALUES = 1000000 }; /* nodes made, long texts counted several times: bounds memory and work */

/* A text in the making. */
typedef struct BriBuffer {
    char *bytes; /* NUL-terminated once something was added */
    int length, capacity;
} BriBuffer;

typedef struct BriExpansion {
    BriDocument *document;
    const BrAllocator *allocator;
    BrError *error;
    int made;               /* values so far */
    const BriNode *growing; /* key or list entry of the block that is repeated or placed; NULL: none */
    BriBuffer text, inner;  /* scratch */
} BriExpansion;

/* The scene, or a part that is being placed: names and parameters of its own. */
typedef struct BriUnit BriUnit;
struct BriUnit {
    BriExpansion *x;
    BriReader reader; /* of its parameters; takes all refusals */
    const BriNode *tree;
    BriNode *parameters; /* with the values it was placed with; or NULL */
    BriUnit *outer;
    BriNames parts;          /* of its own, by number */
    const char *name, *note; /* of a part: as it is called, and as it is placed */
    bool started, knows_parts;
};

/* An index of a repeated block. */
typedef struct BriIndex BriIndex;
struct BriIndex {
    const BriIndex *outer;
    const char *name;
    int value;
};

/* How nodes are copied at some place: with these indexes, and this note. */
typedef struct BriCopy {
    BriUnit *unit;
    const BriIndex *index;
    const char *note;
} BriCopy;

/* Keys and items of a collection in the making; `names` and `places` tell what is there already. */
typedef struct BriChildren {
    BriNode **key, **item;
    int keys, items, key_capacity, item_capacity;
    BriNames names;
} BriChildren;

/* Sections of a scene, joined from several trees: mappings by name, lists of entries one after the other, anything
 * else may be said once. */
typedef struct BriSections {
    BriChildren whole; /* keys, and sections as nodes: NULL where there are several pieces */
    BriChildren *piece;
    int pieces;
    bool once; /* what was written in one place is the same thing, also if it comes twice */
} BriSections;

/* ---- scene_expand.c ---- */

/* The tree as the readers take it; unchanged if nothing in it asks for more. */
BrStatus bri_expand_scene(BriDocument *document, const BrAllocator *allocator, BrError *error);
/* Sections of the unit with its parts placed, blocks repeated and defaults filled in, under its own names. */
bool bri_flatten(BriUnit *unit, BriNode **flat);
bool bri_copy_node(const BriCopy *copy, const char *what, const BriNode *node, BriNode **result);
/* Counts values; refused beyond the limit, with the block that grew. */
bool bri_charge(BriUnit *unit, int values, const BriNode *node);
/* Makes the unit's parameters known, if they are not yet. */
bool bri_start_unit(BriUnit *unit);

/* ---- scene_words.c ---- */

bool bri_put(BriUnit *unit, BriBuffer *buffer, const char *text, size_t length);
/* A name in an expression, and whether it is joined to others by dots: arm.velocity.x */
typedef struct BriWord {
    const char *text;
    size_t length;
    bool behind_dot, before_dot;
} BriWord;
/* What stands for it, or NULL: the name itself. `room` may hold it. */
typedef const char *(*BriReplace)(void *user, const BriWord *word, char room[24]);
/* Appends the text with names replaced; units of numbers are no names. What cannot be an expression is left alone. */
bool bri_replace_names(BriUnit *unit, BriBuffer *buffer, const char *text, size_t length, BriReplace replace,
                       void *user);
/* The scalar's text with indexes replaced and {expressions} worked out, in unit->x->text. */
bool bri_replace_in(const BriCopy *copy, const BriNode *node);
/* An expression of indexes and parameters whose value is a whole number. */
bool bri_evaluate_index(const BriCopy *copy, const BriNode *node, const char *text, size_t length, const char *what,
                        int *value);

/* ---- scene_repeat.c ---- */

typedef bool (*BriVisit)(const BriCopy *copy, void *user);
/* Visits all combinations of {i: 0:9, j: 0:2:i}, the last index fastest. */
bool bri_repeat(const BriCopy *copy, const BriNode *ranges, BriVisit visit, void *user);
/* "bodies 'domino_17' (i = 17)" behind the note of what stands around it. `name` may be NULL; `outside` is the index
 * that was there before the block. NULL: out of memory, refused. */
const char *bri_make_note(const BriCopy *copy, const BriIndex *outside, const char *what, const char *name);

/* ---- scene_join.c ---- */

bool bri_children_add(BriUnit *unit, BriChildren *children, BriNode *key, BriNode *item);
/* Refuses a key that is there already. */
bool bri_children_add_new(BriUnit *unit, BriChildren *children, const char *what, BriNode *key, BriNode *item);
/* The collection; the children are empty then. NULL: refused. */
BriNode *bri_children_finish(BriUnit *unit, BriChildren *children, const BriNode *place, BriNodeKind kind);
void bri_children_release(BriUnit *unit, BriChildren *children);

bool bri_sections_add(BriUnit *unit, BriSections *sections, BriNode *key, BriNode *section);
BriNode *bri_sections_finish(BriUnit *unit, BriSections *sections, const BriNode *place);
void bri_sections_release(BriUnit *unit, BriSections *sections);

/* ---- scene_defaults.c ---- */

/* `flat` with what `defaults` says, where entries do not say it themselves. */
bool bri_fill_defaults(BriUnit *unit, const BriNode *defaults, BriNode **flat);

/* ---- scene_place.c, scene_pose.c ---- */

/* Adds what the entry of `use` places to the sections of the unit. */
bool bri_place_part(BriUnit *unit, const BriNode *key, const BriNode *entry, BriSections *sections);
/* Moves a part's sections in place, as `at` and `rotate` of `entry` say (read as the unit's). *frames: the frame, called
 * `name`, on which its bodies stand; NULL: it stays where it is. */
bool bri_move_part(BriUnit *unit, const BriNode *name, const BriNode *entry, BriNode *sections, BriNode **frames);

/* ---- scene_include.c ---- */

/* Joins the files that the scene names into one tree. `path` NULL: the scene has no file. *several: are there others?
 */
BrStatus bri_join_files(BriDocument *document, const char *path, const char *const *folders, int folder_count,
                        const BrAllocator *allocator, bool *several, BrError *error);

#endif
