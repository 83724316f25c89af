/* Scenes of several files: what is included, and parts that stand in files of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bristle/contact.h"
#include "scene_support.h"

typedef struct Folder {
    char path[64];
} Folder;

static Folder make_folder(void) {
    Folder folder = {"/tmp/bristle-reuse-XXXXXX"};
    assert_non_null(mkdtemp(folder.path));
    return folder;
}

static void remove_folder(const Folder *folder) {
    char command[100];
    snprintf(command, sizeof command, "rm -r '%s'", folder->path);
    assert_int_equal(system(command), 0);
}

/* `name` may have a folder before it. */
static void write_file(const Folder *folder, const char *name, const char *text) {
    char path[200], *slash;
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    slash = strrchr(path, '/');
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static BrStatus load(const Folder *folder, const char *name, const char *include, BrScene **scene, BrError *error) {
    char path[200], other[200];
    const char *folders[1] = {other};
    BrSceneOptions options = br_default_scene_options();
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    snprintf(other, sizeof other, "%s/%s", folder->path, include ? include : "");
    options.include = folders;
    options.includes = include ? 1 : 0;
    return br_scene_load(path, &options, scene, error);
}

static BrScene *open_scene(const Folder *folder, const char *name, const char *include) {
    BrScene *scene = NULL;
    BrError error = {0};
    if (load(folder, name, include, &scene, &error) != BR_OK)
        fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.text);
    return scene;
}

static void check_file_refused(const Folder *folder, const char *name, const char *file, int line, int column,
                               const char *words) {
    BrScene *scene = NULL;
    BrError error = {0};
    assert_true(load(folder, name, NULL, &scene, &error) < 0);
    assert_null(scene);
    check_error(&error, file, line, column, words);
}

static void test_include(void **state) {
    (void)state;
    Folder f = make_folder();
    write_file(&f, "lib/materials.yaml",
               BEGIN "title: woods\nparameters: {mu: 0.3}\nmaterials: {wood: {friction: {law: "
                     "coulomb, mu: mu}}}\nfilters: [{never: [a, b]}]\n");
    write_file(&f, "lib/more.yaml",
               BEGIN "include: materials.yaml\nbodies: {b: {" MASS ", shapes: [{point: {}, material: "
                     "wood}]}}\n");
    write_file(&f, "scene.yaml",
               BEGIN "title: all\ninclude: [lib/more.yaml, lib/materials.yaml]\nstep: {dt: 1 ms}\n"
                     "bodies: {a: {" MASS "}}\nfilters: [{always: [b, a]}]\n");
    BrScene *scene = open_scene(&f, "scene.yaml", NULL);
    BrScene *written = parse(BEGIN "title: all\nparameters: {mu: 0.3}\nmaterials: {wood: {friction: {law: coulomb, mu: "
                                   "0.3}}}\nfilters: [{never: [a, b]}, {always: [b, a]}]\nbodies: {b: {" MASS
                                   ", shapes: [{point: {}, material: wood}]}, a: {" MASS "}}\n");
    assert_true(find_print(scene) == find_print(written));
    check_expanded(scene);
    /* the text needs no other file, and takes assignments as the scene does */
    BrScene *again = parse(br_scene_text(scene));
    assert_true(find_print(again) == find_print(scene));
    assert_null(strstr(br_scene_text(scene), "include"));
    assert_non_null(strstr(br_scene_text(scene), "title: all"));
    br_scene_destroy(again);
    br_scene_destroy(written);
    br_scene_destroy(scene);
    remove_folder(&f);
}

static void test_include_refused(void **state) {
    (void)state;
    Folder f = make_folder();
    char outside[100];
    write_file(&f, "in/a.yaml", BEGIN "include: b.yaml\nbodies: {}\n");
    write_file(&f, "in/b.yaml", BEGIN "include: [c.yaml]\n");
    write_file(&f, "in/c.yaml", BEGIN "include: a.yaml\n");
    check_file_refused(&f, "in/a.yaml", "in/c.yaml", 2, 10, "files include each other in a circle: ");
    check_file_refused(&f, "in/a.yaml", "in/c.yaml", 2, 10, "/in/c.yaml > ");
    write_file(&f, "in/self.yaml", BEGIN "include: self.yaml\n");
    check_file_refused(&f, "in/self.yaml", "in/self.yaml", 2, 10, "in a circle");
    write_file(&f, "lib.yaml", BEGIN "materials: {wood: {friction: {law: coulomb, mu: 1}}}\n");
    write_file(&f, "in/up.yaml", BEGIN "include: ../lib.yaml\nbodies: {a: {" MASS "}}\n");
    check_file_refused(&f, "in/up.yaml", "in/up.yaml", 2, 10,
                       "'../lib.yaml' leads out of the folder of this file; only files in it are read, or in a folder "
                       "given with --include");
    snprintf(outside, sizeof outside, "%s/in/link.yaml", f.path);
    assert_int_equal(symlink("../lib.yaml", outside), 0);
    write_file(&f, "in/linked.yaml", BEGIN "include: link.yaml\nbodies: {a: {" MASS "}}\n");
    check_file_refused(&f, "in/linked.yaml", "in/linked.yaml", 2, 10,
                       "'link.yaml' leads out of the folder of this file");
    write_file(&f, "in/absolute.yaml", BEGIN "include: /etc/passwd\nbodies: {a: {" MASS "}}\n");
    check_file_refused(&f, "in/absolute.yaml", "in/absolute.yaml", 2, 10, "'/etc/passwd' leads out of");
    write_file(&f, "in/lost.yaml", BEGIN "include: nobody.yaml\n");
    check_file_refused(&f, "in/lost.yaml", "in/lost.yaml", 2, 10, "there is no file 'nobody.yaml' beside this one");
    write_file(&f, "in/list.yaml", BEGIN "include: [{a: b}]\n");
    check_file_refused(&f, "in/list.yaml", "in/list.yaml", 2, 11, "include names a file, or a list of files");
    write_file(&f, "in/text.yaml", "just: text\n");
    write_file(&f, "in/other.yaml", BEGIN "include: text.yaml\n");
    check_file_refused(&f, "in/other.yaml", "in/text.yaml", 1, 1,
                       "it must begin with 'bristle: 1', as files that are included do");
    write_file(&f, "in/two.yaml", BEGIN "materials: {wood: {friction: {law: coulomb, mu: 1}}}\nbodies: {}\n");
    write_file(&f, "in/twice.yaml", BEGIN "include: two.yaml\nmaterials:\n  wood: {friction: {law: coulomb, mu: 2}}\n");
    check_file_refused(&f, "in/twice.yaml", "in/twice.yaml", 4, 3, "materials 'wood' is there twice: here, and in ");
    check_file_refused(&f, "in/twice.yaml", "in/twice.yaml", 4, 3, "/in/two.yaml:2:13");
    write_file(&f, "in/heavy.yaml", BEGIN "gravity: [0, 0, -1]\n");
    write_file(&f, "in/heavier.yaml", BEGIN "include: heavy.yaml\ngravity: [0, 0, -2]\n");
    check_file_refused(&f, "in/heavier.yaml", "in/heavier.yaml", 3, 1, "'gravity' is said twice: here, and in ");
    write_file(&f, "in/wrong.yaml", BEGIN "bodies:\n  a: {mass: -1, inertia: [1, 1, 1]}\n");
    write_file(&f, "in/right.yaml", BEGIN "include: wrong.yaml\n");
    check_file_refused(&f, "in/right.yaml", "in/wrong.yaml", 3, 13, "mass is -1 kg");
    check_refused(BEGIN "include: a.yaml\n", 2, 10, "a scene without a file has no folder");
    remove_folder(&f);
}

/* A folder that is given is looked into after the scene's own. */
static void test_include_folders(void **state) {
    (void)state;
    Folder f = make_folder();
    write_file(&f, "shared/lib.yaml", BEGIN "bodies: {far: {" MASS "}}\n");
    write_file(&f, "in/scene.yaml", BEGIN "include: lib.yaml\n");
    check_file_refused(&f, "in/scene.yaml", "in/scene.yaml", 2, 10,
                       "there is no file 'lib.yaml' beside this one; name it");
    BrScene *scene = open_scene(&f, "in/scene.yaml", "shared");
    find_body(scene, "far");
    br_scene_destroy(scene);
    write_file(&f, "in/lib.yaml", BEGIN "bodies: {near: {" MASS "}}\n");
    scene = open_scene(&f, "in/scene.yaml", "shared");
    find_body(scene, "near");
    br_scene_destroy(scene);
    BrSceneOptions options = br_default_scene_options();
    BrError error = {0};
    options.includes = 1;
    assert_int_equal(br_scene_parse(BEGIN, 11, "x", &options, &scene, &error), BR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.text, "'include' is NULL"));
    remove_folder(&f);
}

/* Parts in files: of the scene's folder, and of theirs. The same names in two folders are two parts. */
static void test_part_files(void **state) {
    (void)state;
    Folder f = make_folder();
    write_file(&f, "materials.yaml", BEGIN "materials: {wood: {friction: {law: coulomb, mu: 0.5}}}\n");
    write_file(&f, "leg/foot.yaml", BEGIN "bodies: {toe: {" MASS "}}\n");
    write_file(&f, "leg/leg.yaml",
               BEGIN "gravity: [0, 0, -1]\nmaterials: {rubber: {friction: {law: coulomb, mu: 1}}}\n"
                     "pairs: [{between: [wood, rubber], friction: {law: coulomb, mu: 0.7}}]\n"
                     "parameters: {L: 1}\n"
                     "bodies: {shin: {mass: 1, inertia: [1, 1, 1], pose: {position: [L, 0, 0]}, shapes: "
                     "[{sphere: {radius: 1}, material: rubber}]}}\nuse: {f: {part: foot.yaml}}\n");
    write_file(&f, "foot.yaml", BEGIN "bodies: {heel: {" MASS ", shapes: [{sphere: {radius: 1}, material: wood}]}}\n");
    write_file(&f, "scene.yaml",
               BEGIN "include: materials.yaml\nparts: {hoof: foot.yaml}\nuse:\n"
                     "  l{i}: {repeat: {i: 1:2}, part: leg/leg.yaml, with: {L: i}}\n"
                     "  h: {part: hoof}\n  g: {part: foot.yaml, at: [0, 0, 1]}\n");
    BrScene *scene = open_scene(&f, "scene.yaml", NULL);
    check_vector(find_body(scene, "l2_shin")->position, 2, 0, 0, 0);
    find_body(scene, "l1_f_toe");
    find_body(scene, "h_heel");
    check_vector(find_body(scene, "g_heel")->position, 0, 0, 1, 0);
    assert_int_equal(br_model_body_count(br_scene_model(scene)), 6);
    assert_int_equal(br_model_material_count(br_scene_model(scene)), 2);
    check_expanded(scene);
    BrScene *again = parse(br_scene_text(scene));
    assert_true(find_print(again) == find_print(scene));
    br_scene_destroy(again);
    const char *set = "use.l{i}.with.L=7";
    again = parse_with(br_scene_text(scene), 1, &set);
    check_vector(find_body(again, "l2_shin")->position, 7, 0, 0, 0);
    br_scene_destroy(again);
    br_scene_destroy(scene);
    write_file(&f, "leg/leg.yaml", BEGIN "bodies:\n  shin: {mass: 0, inertia: [1, 1, 1]}\n");
    check_file_refused(&f, "scene.yaml", "scene.yaml", 5, 55, "the part 'leg/leg.yaml (file)' has no parameters");
    write_file(&f, "scene.yaml", BEGIN "use:\n  l: {part: leg/leg.yaml}\n");
    check_file_refused(&f, "scene.yaml", "leg/leg.yaml", 3, 16, "part 'l': mass is 0 kg");
    write_file(&f, "leg/leg.yaml", BEGIN "use: {again: {part: leg.yaml}}\n");
    check_file_refused(&f, "scene.yaml", "leg/leg.yaml", 2, 21, "in a circle");
    write_file(&f, "scene.yaml", BEGIN "include: foot.yaml\nuse: {l: {part: foot.yaml}}\n");
    check_file_refused(&f, "scene.yaml", "scene.yaml", 3, 17, "is included in one place and used as a part in another");
    remove_folder(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_include),
        cmocka_unit_test(test_include_refused),
        cmocka_unit_test(test_include_folders),
        cmocka_unit_test(test_part_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
