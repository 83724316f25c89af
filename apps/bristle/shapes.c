/* shapes.c: `bristle shapes`: the shapes, what a scene says about each, and which touch which. */
#include "command.h"

/* What a shape touches, or all but a few. */
static void print_touches(BrShapeKind kind) {
    int touched = 0, first = 1;
    for (int k = 0; k < BR_SHAPE_KINDS; k++) touched += br_shapes_collide(kind, (BrShapeKind)k, NULL);
    bool most = 2 * touched > BR_SHAPE_KINDS;
    printf("    %-12s %-3s %s", "touches", "", touched == BR_SHAPE_KINDS ? "all" : most ? "all but " : "");
    for (int k = 0; k < BR_SHAPE_KINDS; k++) {
        if (br_shapes_collide(kind, (BrShapeKind)k, NULL) == most) continue;
        printf("%s%s", first ? "" : ", ", br_shape_info((BrShapeKind)k)->name);
        first = 0;
    }
    printf("\n");
}

static void print_text(BrShapeKind kind) {
    const BrShapeInfo *info = br_shape_info(kind);
    printf("%s: %s\n", info->name, info->help);
    for (int p = 0; p < info->parameters; p++)
        printf("    %-12s %-3s %s\n", info->parameter[p].key, info->parameter[p].unit, info->parameter[p].help);
    if (info->axis)
        printf("    %-12s %-3s direction of the shape's z axis, body axes; [0, 0, 1] if not given\n", info->axis, "-");
    print_touches(kind);
    printf("\n");
}

static void print_json(BrShapeKind kind) {
    const BrShapeInfo *info = br_shape_info(kind);
    printf("{\"name\": \"%s\", \"help\": ", info->name);
    json_text(stdout, info->help);
    printf(", \"convex\": %s, \"axis\": ", info->convex ? "true" : "false");
    if (info->axis)
        json_text(stdout, info->axis);
    else
        printf("null");
    printf(", \"parameters\": [");
    for (int p = 0; p < info->parameters; p++) {
        printf("%s{\"key\": \"%s\", \"unit\": \"%s\", \"help\": ", p ? ", " : "", info->parameter[p].key,
               info->parameter[p].unit);
        json_text(stdout, info->parameter[p].help);
        printf("}");
    }
    printf("], \"touches\": [");
    for (int k = 0, first = 1; k < BR_SHAPE_KINDS; k++)
        if (br_shapes_collide(kind, (BrShapeKind)k, NULL)) {
            printf("%s\"%s\"", first ? "" : ", ", br_shape_info((BrShapeKind)k)->name);
            first = 0;
        }
    printf("]}");
}

int command_shapes(int count, char **words) {
    bool json = false;
    const char *unused;
    const Option options[] = {{"--json", NULL, NULL, "as JSON on standard output", &json, false}};
    int done;
    if (parse_options(
            "Usage: bristle shapes [--json]\n\nThe shapes bodies touch with. Everything is in body axes, from the\n"
            "centre of mass: {sphere: {radius: 0.1}, at: [0, 0, 0.2], material: steel}.",
            options, 1, count, words, &unused, 0, &done) < 0)
        return done;
    for (int i = 0; i < BR_SHAPE_KINDS; i++) {
        if (json) printf(i ? ", " : "[");
        if (json)
            print_json((BrShapeKind)i);
        else
            print_text((BrShapeKind)i);
    }
    if (json) printf("]\n");
    return EXIT_FINE;
}
