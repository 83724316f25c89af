/* misuse.h: for test_misuse.c: who was tried and how it should end, machines to try it on, and which functions headers declare. */
#ifndef TESTS_MISUSE_H
#define TESTS_MISUSE_H

#include <stdio.h>
#include <string.h>

#include <bristle/bristle.h>

/* ------------------------------------------------------------------ who was tried, and how it should end */

enum { MOST = 400 };
static const char *tried[MOST];
static int tries;
static BrError error;

static bool was_tried(const char *function) {
    for (int i = 0; i < tries; i++)
        if (strcmp(tried[i], function) == 0) return true;
    return false;
}

static void note(const char *function) {
    if (was_tried(function)) return;
    assert_true(tries < MOST);
    tried[tries++] = function;
}

static void expect_refused(const char *function, BrStatus status, int line) {
    note(function);
    if (status >= 0) fail_msg("line %d: %s() gave %s", line, function, br_status_name(status));
}

static void expect_said(const char *function, BrStatus status, int line) {
    expect_refused(function, status, line);
    if (error.status != status || !error.text[0]) fail_msg("line %d: %s() says nothing", line, function);
    error = (BrError){0};
}

static void expect_nothing(const char *function, bool something, int line) {
    note(function);
    if (something) fail_msg("line %d: %s() gave something", line, function);
}

#define REFUSED(function, ...) expect_refused(#function, function(__VA_ARGS__), __LINE__)
/* The same of a function whose last argument is an error: with a sentence, and without a place for it. */
#define SAID(function, ...)                                                                                            \
    (expect_refused(#function, function(__VA_ARGS__, NULL), __LINE__),                                                 \
     expect_said(#function, function(__VA_ARGS__, &error), __LINE__))
/* 0, NULL, false, a null id */
#define NOTHING(function, ...) expect_nothing(#function, function(__VA_ARGS__) != 0, __LINE__)
#define NO_ID(function, ...)   expect_nothing(#function, function(__VA_ARGS__).index1 != 0, __LINE__)
/* Does nothing. */
#define CALM(function, ...) (note(#function), (void)function(__VA_ARGS__))

/* ------------------------------------------------------------------ a machine with everything, and another one */

static const char *const TEXT =
    "bristle: 1\n"
    "parameters: {k: 10 N/m}\n"
    "materials:\n"
    "  m: {friction: {law: coulomb, mu: 0.3}, compliant: {normal: {law: gonthier, stiffness: 1e6, e: 0.5}, friction: "
    "{law: dwell, mu_s: 0.3, mu_k: 0.25}}}\n"
    "bodies:\n"
    "  g: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}, material: m}]}\n"
    "  a: {mass: 1, inertia: [1, 1, 1], pose: {position: [0, 0, 0.5]}, shapes: [{sphere: {radius: 0.5}, material: "
    "m}]}\n"
    "  b: {mass: 1, inertia: [1, 1, 1], pose: {position: [5, 0, 2]}}\n"
    "joints: {slide: {prismatic: [g, b], at: [5, 0, 2], axis: [1, 0, 0]}, hinge: {revolute: [b, c], at: [5, 0, 3], "
    "axis: [1, 0, 0]}}\n"
    "springs: {s: {joint: slide, stiffness: k}}\n"
    "motors: {r: {joint: hinge, speed: 1, max_torque: 1}}\n"
    "signals: {n: 2*a.position.x}\n"
    "forces: {f: {body: a, force: [1, 0, 0]}}\n";

typedef struct World {
    BrScene *scene;
    BrModel *model;
    BrState *state;
    BrWorkspace *workspace;
} World;

static World make_world(const char *extra) {
    char text[4096];
    World w;
    snprintf(text, sizeof text, "%s", TEXT);
    char *end = strstr(text, "joints:");
    char rest[2048];
    snprintf(rest, sizeof rest, "%s", end);
    snprintf(end, sizeof text - (size_t)(end - text),
             "  c: {mass: %s, inertia: [1, 1, 1], pose: {position: [5, 0, 3]}}\n%s", extra, rest);
    if (br_scene_parse(text, strlen(text), "world", NULL, &w.scene, &error) != BR_OK) fail_msg("%s", error.text);
    w.model = (BrModel *)(uintptr_t)br_scene_model(w.scene);
    assert_int_equal(br_state_create(w.model, &w.state, NULL), BR_OK);
    assert_int_equal(br_workspace_create(w.model, &w.workspace, NULL), BR_OK);
    return w;
}

static void end_world(World *w) {
    br_workspace_destroy(w->model, w->workspace);
    br_state_destroy(w->model, w->state);
    br_scene_destroy(w->scene);
}

static World w, other;

static int set_up(void **unused) {
    (void)unused;
    w = make_world("1"), other = make_world("2");
    return 0;
}

static int tear_down(void **unused) {
    (void)unused;
    end_world(&w), end_world(&other);
    return 0;
}

/* ------------------------------------------------------------------ are these all? */

/* The names that a header declares: what stands before the parenthesis after BR_API, and third in BR_DEFAULT. */
static int find_untried(const char *text, const char *header, int *found) {
    int missing = 0;
    for (const char *at = text; (at = strstr(at, "BR_")); at += 3) {
        bool is_default = strncmp(at, "BR_DEFAULT(Br", 13) == 0;
        if (!is_default && strncmp(at, "BR_API ", 7) != 0) continue;
        const char *end = is_default ? strchr(at, ')') : at + strcspn(at, "(;"), *start = end;
        while (start > at &&
               (start[-1] == '_' || (start[-1] >= 'a' && start[-1] <= 'z') || (start[-1] >= '0' && start[-1] <= '9')))
            start--;
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)(end - start), start);
        if (strncmp(name, "br_", 3) != 0) continue;
        ++*found;
        if (was_tried(name)) continue;
        print_message("%s of %s is not tried\n", name, header);
        missing++;
    }
    return missing;
}

#endif
