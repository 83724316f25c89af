/* scene_include.c: include: [a.yaml], and files that are parts: one tree of what stands in several files.
 *
 * An included file counts as if its sections stood in the file that names it. A part's file becomes an entry of the
 * scene's `parts`, called by its path; its materials and pairs are the scene's. A file is read once; what two files take
 * from a third is one thing. */
#include "io/inside.h"
#include "io/scene_expand.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FILES = 256, LONGEST_PATH = 1024 };

typedef struct File {
    dev_t device;
    ino_t number;
    const char *path;
    BriNode *tree;           /* NULL while it is being joined */
    const struct File *from; /* which file names it first */
    bool part;               /* it is used as a part */
    const char *key;         /* then: what it is called among the scene's parts; NULL: not yet */
} File;

typedef struct Joining {
    BriExpansion x;
    BriUnit unit;
    const char *path;          /* of the scene; NULL: it is no file */
    const char *const *folder; /* further ones, where files may be */
    int folders;
    File file[MOST_FILES];
    int files, values;
    BriSections scene; /* materials and pairs of parts */
    BriChildren parts; /* those that are files */
} Joining;

static bool join(Joining *j, BriNode *tree, const File *file, bool is_part, BriNode **joined);

/* ------------------------------------------------------------------ finding files */

/* The folder of a path, without its last '/'; false: too long. */
static bool get_folder(const char *path, char folder[LONGEST_PATH]) {
    const char *slash = strrchr(path, '/');
    int length = slash == path ? 1 : slash ? (int)(slash - path) : 0;
    return snprintf(folder, LONGEST_PATH, "%.*s", length ? length : 1, length ? path : ".") < LONGEST_PATH;
}

static bool is_there(const char *path) {
    struct stat about;
    return stat(path, &about) == 0;
}

/* Beside the file that names it, or in one of the folders given. */
static bool find_file(Joining *j, const File *from, const BriNode *name, char path[LONGEST_PATH]) {
    BriReader *r = &j->unit.reader;
    char folder[LONGEST_PATH], why[300] = "";
    if (name->kind != BRI_NODE_SCALAR || !*name->text)
        return bri_refuse(r, name, "include names a file, or a list of files, like [materials.yaml, arm.yaml]");
    for (int k = from ? -1 : 0; k < j->folders; k++) {
        char reason[300] = "";
        bool own = k < 0;
        if (own && !get_folder(from->path, folder)) continue;
        if (bri_find_inside(own ? folder : j->folder[k], name->text, own ? "the folder of this file" : "that folder",
                            path, LONGEST_PATH, reason, sizeof reason)) {
            if (own && strcmp(folder, ".") == 0 && strchr(from->path, '/') == NULL)
                memmove(path, path + 2, strlen(path) - 1); /* "./" that nobody wrote */
            if (is_there(path)) return true;
        } else if (!*why)
            snprintf(why, sizeof why, "%s", reason);
    }
    if (*why) return bri_refuse(r, name, "%s, or in a folder given with --include", why);
    return bri_refuse(r, name, "there is no file '%.200s' %s%s", name->text,
                      from ? "beside this one" : "to be found: a scene without a file has no folder",
                      j->folders ? " or in the folders given with --include"
                                 : "; name it, or its folder with --include");
}

/* ------------------------------------------------------------------ reading files */

/* "a.yaml > b.yaml > a.yaml" */
static bool refuse_circle(Joining *j, const File *from, const BriNode *name, const File *file) {
    char chain[500];
    snprintf(chain, sizeof chain, "%.100s", file->path);
    for (const File *f = from; f; f = f == file ? NULL : f->from) {
        char longer[500];
        snprintf(longer, sizeof longer, "%.100s > %.380s", f->path, chain);
        memcpy(chain, longer, sizeof chain);
    }
    return bri_refuse(&j->unit.reader, name, "files include each other in a circle: %s; break it", chain);
}

static bool check_version(BriReader *r, const BriNode *root) {
    const BriNode *version = root->kind == BRI_NODE_MAPPING ? bri_node_find(root, "bristle") : NULL;
    if (version && version->kind == BRI_NODE_SCALAR && strcmp(version->text, "1") == 0) return true;
    return bri_refuse(r, version ? version : root,
                      "this is no scene of version 1: it must begin with 'bristle: 1', as "
                      "files that are included do");
}

static bool count_values(Joining *j, const BriNode *tree, const BriNode *name) {
    int weight = bri_node_weight(tree);
    if (weight > BRI_MOST_VALUES - j->values)
        return bri_refuse(&j->unit.reader, name, "with '%.100s' the files hold more than the %d values allowed",
                          name->text, (int)BRI_MOST_VALUES);
    j->values += weight;
    return true;
}

static bool read_file(Joining *j, File *file, const BriNode *name) {
    BriDocument *document = NULL;
    BriReader *r = &j->unit.reader;
    r->status = bri_document_read(file->path, j->x.allocator, &document, j->x.error);
    if (r->status != BR_OK) return false;
    bri_document_take_over(j->x.document, document);
    BriNode *tree = bri_document_root(document);
    return check_version(r, tree) && count_values(j, tree, name) && join(j, tree, file, file->part, &file->tree);
}

/* The file's tree, joined; read if nobody has yet. */
static bool open_file(Joining *j, const File *from, const BriNode *name, bool is_part, File **result) {
    char path[LONGEST_PATH];
    struct stat about;
    if (!find_file(j, from, name, path)) return false;
    if (stat(path, &about) != 0) return bri_refuse(&j->unit.reader, name, "'%.200s' cannot be read", name->text);
    for (int i = 0; i < j->files; i++) {
        File *file = &j->file[i];
        if (file->device != about.st_dev || file->number != about.st_ino) continue;
        if (!file->tree) return refuse_circle(j, from, name, file);
        if (file->part != is_part)
            return bri_refuse(&j->unit.reader, name,
                              "'%.200s' is included in one place and used as a part in another; "
                              "make two files of it",
                              name->text);
        *result = file;
        return true;
    }
    if (j->files == MOST_FILES)
        return bri_refuse(&j->unit.reader, name, "a scene is made of at most %d files", (int)MOST_FILES);
    File *file = *result = &j->file[j->files++];
    char *kept = bri_document_take(j->x.document, strlen(path) + 1, 1);
    if (!kept) return bri_no_memory(&j->unit.reader);
    memcpy(kept, path, strlen(path));
    *file = (File){.device = about.st_dev, .number = about.st_ino, .path = kept, .from = from, .part = is_part};
    return read_file(j, file, name);
}

/* ------------------------------------------------------------------ joining */

/* What each file has for itself. */
static bool is_head(const char *key) { return strcmp(key, "bristle") == 0 || strcmp(key, "title") == 0; }

static bool include_file(Joining *j, const File *from, const BriNode *name, BriSections *sections) {
    File *file = NULL;
    if (!open_file(j, from, name, false, &file)) return false;
    for (int i = 0; i < file->tree->count; i++) {
        BriNode *key = file->tree->keys[i];
        if (!is_head(key->text) && !bri_sections_add(&j->unit, sections, key, file->tree->items[i])) return false;
    }
    return true;
}

static bool include_files(Joining *j, const File *from, const BriNode *node, BriSections *sections) {
    bool is_list = node->kind == BRI_NODE_SEQUENCE;
    for (int i = 0; i < (is_list ? node->count : 1); i++)
        if (!include_file(j, from, is_list ? node->items[i] : node, sections)) return false;
    return true;
}

/* What a part's file is called among the scene's parts: its path from the scene on. */
static bool name_part(Joining *j, File *file, const BriNode *name) {
    const char *scene = j->path ? j->path : "", *slash = strrchr(scene, '/');
    size_t above = slash ? (size_t)(slash - scene) + 1 : 0;
    char text[LONGEST_PATH + 16];
    if (strncmp(file->path, scene, above) != 0) above = 0;
    int length = snprintf(text, sizeof text, "%s (file)", file->path + above);
    BriNode *key = bri_make_scalar(j->x.document, name, text, (size_t)length);
    if (!key) return bri_no_memory(&j->unit.reader);
    file->key = key->text;
    return bri_children_add_new(&j->unit, &j->parts, "parts", key, file->tree);
}

/* A scalar that names a part's file becomes that entry's name. */
static bool take_part_file(Joining *j, const File *from, BriNode **name) {
    File *file = NULL;
    if (!open_file(j, from, *name, true, &file) || (!file->key && !name_part(j, file, *name))) return false;
    BRI_ASSERT(file && file->key);
    *name = bri_make_scalar(j->x.document, *name, file->key, strlen(file->key));
    return *name || bri_no_memory(&j->unit.reader);
}

static bool is_file_name(const BriNode *part) {
    size_t length = part->kind == BRI_NODE_SCALAR ? strlen(part->text) : 0;
    return length > 5 && strcmp(part->text + length - 5, ".yaml") == 0;
}

/* Of an entry of `use`; `known` are the parts that have a name already. The entry is changed where it stands. */
static bool take_used_file(Joining *j, const File *from, const BriNames *known, const BriNode *entry) {
    for (int k = 0; entry->kind == BRI_NODE_MAPPING && k < entry->count; k++) {
        const BriNode *part = entry->items[k];
        if (strcmp(entry->keys[k]->text, "part") != 0 || !is_file_name(part)) continue;
        if (bri_names_find(known, part->text) < 0 && !take_part_file(j, from, &entry->items[k])) return false;
    }
    return true;
}

/* use: {left: {part: leg.yaml}}, where no part is called so. */
static bool take_used_files(Joining *j, const File *from, const BriNode *use, const BriNode *parts) {
    BriNames known = {0};
    bool fine = true;
    for (int i = 0; fine && parts && parts->kind == BRI_NODE_MAPPING && i < parts->count; i++)
        fine = bri_names_insert(&known, parts->keys[i]->text, i, j->x.allocator) || bri_no_memory(&j->unit.reader);
    for (int i = 0; fine && use && use->kind == BRI_NODE_MAPPING && i < use->count; i++)
        fine = take_used_file(j, from, &known, use->items[i]);
    bri_names_release(&known, j->x.allocator);
    return fine;
}

static bool join_parts(Joining *j, const File *from, BriNode *parts) {
    for (int i = 0; parts && parts->kind == BRI_NODE_MAPPING && i < parts->count; i++) {
        BriNode **part = &parts->items[i];
        if ((*part)->kind == BRI_NODE_SCALAR) {
            BriNode *name = *part;
            File *file = NULL;
            if (!open_file(j, from, name, true, &file)) return false;
            BRI_ASSERT(file);
            *part = file->tree;
        } else if ((*part)->kind == BRI_NODE_MAPPING && !join(j, *part, from, true, part))
            return false;
    }
    return true;
}

/* Materials and pairs of a part are the scene's. */
static bool is_shared(const char *key) { return strcmp(key, "materials") == 0 || strcmp(key, "pairs") == 0; }

static bool join(Joining *j, BriNode *tree, const File *file, bool is_part, BriNode **joined) {
    BriSections sections = {.once = true};
    BriUnit *u = &j->unit;
    const BriNode *include = bri_node_find(tree, "include");
    BriNode *parts = bri_node_find(tree, "parts");
    bool fine = true;
    for (int i = 0; fine && i < tree->count; i++)
        if (is_head(tree->keys[i]->text)) fine = bri_sections_add(u, &sections, tree->keys[i], tree->items[i]);
    fine = fine && (!include || include_files(j, file, include, &sections)) && join_parts(j, file, parts) &&
           take_used_files(j, file, bri_node_find(tree, "use"), parts);
    for (int i = 0; fine && i < tree->count; i++)
        if (!is_head(tree->keys[i]->text) && strcmp(tree->keys[i]->text, "include") != 0)
            fine = bri_sections_add(u, &sections, tree->keys[i], tree->items[i]);
    BriNode *all = fine ? bri_sections_finish(u, &sections, tree) : NULL;
    bri_sections_release(u, &sections);
    if (!all || !is_part) {
        *joined = all;
        return all != NULL;
    }
    BriChildren own = {0};
    for (int i = 0; fine && i < all->count; i++)
        fine = is_shared(all->keys[i]->text) ? bri_sections_add(u, &j->scene, all->keys[i], all->items[i])
                                             : bri_children_add(u, &own, all->keys[i], all->items[i]);
    *joined = fine ? bri_children_finish(u, &own, tree, BRI_NODE_MAPPING) : NULL;
    bri_children_release(u, &own);
    return *joined != NULL;
}

/* The scene's own sections, with what its parts brought. */
static bool join_scene(Joining *j, BriNode *root, const File *file, BriNode **joined) {
    BriUnit *u = &j->unit;
    BriSections all = {.once = true};
    BriNode *own = NULL, *shared = NULL, *parts = NULL, *key = NULL;
    bool fine = join(j, root, file, false, &own) && (shared = bri_sections_finish(u, &j->scene, root)) != NULL;
    for (int i = 0; fine && i < own->count; i++) fine = bri_sections_add(u, &all, own->keys[i], own->items[i]);
    for (int i = 0; fine && i < shared->count; i++) fine = bri_sections_add(u, &all, shared->keys[i], shared->items[i]);
    if (fine && j->parts.items > 0) {
        parts = bri_children_finish(u, &j->parts, root, BRI_NODE_MAPPING);
        key = bri_make_scalar(j->x.document, root, "parts", strlen("parts"));
        fine = parts && (key || bri_no_memory(&u->reader)) && bri_sections_add(u, &all, key, parts);
    }
    *joined = fine ? bri_sections_finish(u, &all, root) : NULL;
    bri_sections_release(u, &all);
    return *joined != NULL;
}

static bool names_files(const BriNode *root) {
    return root->kind == BRI_NODE_MAPPING &&
           (bri_node_find(root, "include") || bri_node_find(root, "parts") || bri_node_find(root, "use"));
}

BrStatus bri_join_files(BriDocument *document, const char *path, const char *const *folders, int folder_count,
                        const BrAllocator *allocator, bool *several, BrError *error) {
    BriNode *root = bri_document_root(document), *joined = NULL;
    *several = false;
    if (!names_files(root)) return BR_OK;
    Joining *j = bri_allocate(allocator, 1, sizeof *j);
    if (!j) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to read the scene");
    j->x = (BriExpansion){.document = document, .allocator = allocator, .error = error};
    j->unit = (BriUnit){.x = &j->x, .reader = {.allocator = allocator, .error = error}, .tree = root};
    j->scene.once = true;
    j->path = path;
    j->folder = folders;
    j->folders = folder_count;
    j->values = bri_node_weight(root);
    struct stat about;
    const File *file = NULL;
    if (path && stat(path, &about) == 0) {
        j->file[j->files++] = (File){.device = about.st_dev, .number = about.st_ino, .path = path};
        file = &j->file[0];
    }
    bool fine = join_scene(j, root, file, &joined);
    if (fine) bri_document_set_root(document, joined);
    *several = fine && j->files > (file != NULL);
    BrStatus status = fine ? BR_OK : j->unit.reader.status;
    bri_sections_release(&j->unit, &j->scene);
    bri_children_release(&j->unit, &j->parts);
    bri_release(allocator, j);
    return status;
}
