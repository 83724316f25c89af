/* Scenes that say things once, damaged at random: words exchanged, lines lost or doubled, numbers and brackets changed.
 * Whatever comes of it is refused with a place and a sentence, or is a scene whose expanded text is the same model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/scene.h"
#include "machine.h"

enum { LONGEST = 8192, LONG = 1000000, MANY = 100000, SOME = 4000, FEW = 400 };

static const char *const SCENES[] = {
    "bristle: 1\n"
    "parameters: {n: 4, h: 60 mm, L: 0.1}\n"
    "materials: {wood: {friction: {law: coulomb, mu: 0.4}}}\n"
    "defaults:\n"
    "  bodies: {mass: 0.1, inertia: [1, 1, 1]}\n"
    "  shapes: {material: wood, at: [0, 0, 0]}\n"
    "bodies:\n"
    "  table: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}\n"
    "  domino_{i}_{j}:\n"
    "    repeat: {i: 0:n-1, j: 0:2:i}\n"
    "    pose: {position: [i*L, j, h/2]}\n"
    "    shapes:\n"
    "      - {repeat: {k: 0:1}, box: {size: [0.01*(k+1), 0.02, h]}, at: [0, 0, k*h]}\n"
    "  domino_{i}{n}: {repeat: {i: 5:-1:4}, inertia: [2, 2, 2]}\n"
    "filters:\n"
    "  - {repeat: {i: 1:n-1}, never: [\"domino_{i}_0\", \"domino_{i-1}_0\"]}\n",

    "bristle: 1\n"
    "parameters: {w: 2 m}\n"
    "defaults: {joints: {revolute: {axis: [0, 1, 0]}}}\n"
    "parts:\n"
    "  foot: {parameters: {s: 1}, bodies: {toe: {mass: 1, inertia: [1, 1, 1], pose: {position: [s, 0, 0]}}}}\n"
    "  leg:\n"
    "    parameters: {L: 0.4 m, m: 2 kg, n: 2}\n"
    "    ports: [hip]\n"
    "    bodies:\n"
    "      link_{k}: {repeat: {k: 1:n}, mass: m/k, inertia: [1, 1, 1], pose: {position: [0, 0, -L*k]}}\n"
    "    use: {f: {part: foot, with: {s: L/2}, at: [0, 0, -1]}}\n"
    "    joints:\n"
    "      pin: {revolute: [hip, link_1], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "      knee_{k}: {repeat: {k: 2:n}, spherical: [\"link_{k-1}\", \"link_{k}\"], at: [0, 0, -L*k]}\n"
    "    forces: {load: {body: link_1, force: [0, \"3*t\", m*2 m/s^2]}}\n"
    "    memory: {link_1/link_2: {s_dw: 1}}\n"
    "bodies: {torso: &heavy {mass: 10, inertia: [1, 1, 1]}, head: {<<: *heavy, mass: 2}}\n"
    "use:\n"
    "  leg_{i}: {repeat: {i: 0:2}, part: leg, ports: {hip: torso}, with: {L: w*(i+1)}, at: [i, 0, w], rotate: [{z: "
    "90 deg}]}\n"
    "joints: {tie: {spherical: [leg_1_f_toe, head], at: [0, 0, 0]}}\n"};

static const char *const WORDS[] = {
    "{i}",   "{n}",    "{",      "}",      "[",        "]",          ":",       ",",         "0:n",    "i",
    "n",     "1e9",    "repeat", "item",   "part",     "with",       "ports",   "at",        "rotate", "use",
    "parts", "bodies", "joints", "shapes", "defaults", "parameters", "include", "materials", "-1",     "0",
    "1:0",   "2:-1:0", "null",   "*heavy", "<<",       "&heavy",     "leg",     "foot",      "link_1", "leg_1",
    "hip",   "torso",  "t",      "x",      "1/0",      "3 m",        "\n",      "  "};

/* Replaces `length` bytes at `place`. */
static void splice(char *text, size_t place, size_t length, const char *with) {
    size_t size = strlen(text), added = strlen(with);
    if (size - length + added >= LONGEST) return;
    memmove(text + place + added, text + place + length, size - place - length + 1);
    memcpy(text + place, with, added);
}

static size_t measure_line(const char *text, size_t place) { return strcspn(text + place, "\n") + (text[place] != 0); }

static size_t find_line(const char *text, uint64_t *seed) {
    size_t place = (size_t)draw_int(seed, (int)strlen(text));
    while (place > 0 && text[place - 1] != '\n') place--;
    return place;
}

/* The next word at or behind a random place. */
static size_t find_word(const char *text, uint64_t *seed, size_t *length) {
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    size_t place = (size_t)draw_int(seed, (int)strlen(text));
    place += strcspn(text + place, LETTERS);
    *length = strspn(text + place, LETTERS);
    return place;
}

static void damage(char *text, uint64_t *seed) {
    char line[LONGEST];
    size_t place, length;
    if (!*text) return;
    switch (draw_int(seed, 9)) {
    case 0: /* a word becomes another */
    case 1:
        place = find_word(text, seed, &length);
        splice(text, place, length, WORDS[draw_int(seed, (int)(sizeof WORDS / sizeof WORDS[0]))]);
        break;
    case 2: /* something comes between */
        splice(text, (size_t)draw_int(seed, (int)strlen(text)), 0,
               WORDS[draw_int(seed, (int)(sizeof WORDS / sizeof WORDS[0]))]);
        break;
    case 6: /* a digit changes */
    case 7:
        place = (size_t)draw_int(seed, (int)strlen(text));
        place += strcspn(text + place, "0123456789");
        if (text[place]) text[place] = (char)('0' + draw_int(seed, 10));
        break;
    case 3: /* a character is lost */ splice(text, (size_t)draw_int(seed, (int)strlen(text)), 1, ""); break;
    case 4: /* a line is lost, */
        place = find_line(text, seed);
        splice(text, place, measure_line(text, place), "");
        break;
    case 5: /* or comes twice */
        place = find_line(text, seed);
        snprintf(line, sizeof line, "%.*s", (int)measure_line(text, place), text + place);
        splice(text, find_line(text, seed), 0, line);
        break;
    default: /* a word of the text takes the place of another */
        place = find_word(text, seed, &length);
        snprintf(line, sizeof line, "%.*s", (int)length, text + place);
        place = find_word(text, seed, &length);
        splice(text, place, length, line);
    }
}

/* true: it was read */
static bool check(const char *text) {
    BrScene *scene = NULL, *again = NULL;
    BrError error = {0};
    BrStatus status = br_scene_parse(text, strlen(text), "mutant", NULL, &scene, &error);
    if (status != BR_OK) {
        bool placed = error.line > 0 && error.column > 0 && strcmp(error.file, "mutant") == 0;
        if (status != BR_INVALID_SCENE || scene || !error.text[0] || !placed)
            fail_msg("%s %d:%d '%s'\n%s", br_status_name(status), error.line, error.column, error.text, text);
        return false;
    }
    const char *expanded = br_scene_expanded(scene);
    status = br_scene_parse(expanded, strlen(expanded), "expanded", NULL, &again, &error);
    if (status != BR_OK) fail_msg("%d:%d %s\n%s\n%s", error.line, error.column, error.text, text, expanded);
    bool same = br_model_fingerprint(br_scene_model(scene)) == br_model_fingerprint(br_scene_model(again));
    if (!same || strcmp(br_scene_expanded(again), expanded) != 0) fail_msg("not the same:\n%s\n%s", text, expanded);
    br_scene_destroy(scene);
    br_scene_destroy(again);
    return true;
}

static void test_mutants(void **state) {
    (void)state;
    int count = is_long_run() ? LONG : is_check_run() ? MANY : is_slow_run() ? FEW : SOME, read = 0;
    uint64_t seed = 12345;
    for (int k = 0; k < 2; k++) {
        BrError error = {0};
        BrScene *scene = NULL;
        if (br_scene_parse(SCENES[k], strlen(SCENES[k]), "seed", NULL, &scene, &error) != BR_OK)
            fail_msg("%d:%d: %s", error.line, error.column, error.text);
        br_scene_destroy(scene);
    }
    for (int n = 0; n < count; n++) {
        char text[LONGEST];
        snprintf(text, sizeof text, "%s", SCENES[n % 2]);
        for (int k = 1 + draw_int(&seed, 3); k > 0; k--) damage(text, &seed);
        read += check(text);
    }
    assert_in_range(read, count / 20, count - count / 20); /* the test is worth something: both happen */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mutants)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
