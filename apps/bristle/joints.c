/* joints.c: `bristle joints`: the table the scene reader reads. */
#include "command.h"

static void print_text(BrJointType type) {
    const BrJointInfo *info = br_joint_info(type);
    printf("%s: %s\n", info->name, info->help);
    printf("    free: %d; held: %d at velocity level, %d at position level\n", info->freedoms, info->constraints,
           info->holonomic);
    for (int p = 0; p < info->parameters; p++) {
        const BrJointParameter *q = &info->parameter[p];
        printf("    %-10s %-4s %-9s %s\n", q->key, q->unit[0] ? q->unit : "-", q->required ? "required" : "optional",
               q->help);
    }
    for (int c = 0; c < info->coordinates; c++)
        printf("    coordinate %-7s in %s%s\n", info->coordinate[c].name, info->coordinate[c].unit,
               info->coordinate[c].driveable ? ": may carry a spring, a motor or a motion" : "");
    for (int i = 0; i < br_bearing_parameter_count(); i++) {
        const BrBearingParameter *p = br_bearing_parameter(i);
        if (!(p->taken >> type & 1)) continue;
        printf("    friction.%-15s %-9s %-9s %s\n", p->key, p->unit[0] ? p->unit : "-",
               p->needed >> type & 1 ? "required" : "optional", p->help);
    }
    printf("\n");
}

/* What friction in its bearings is described by. */
static void print_bearings(BrJointType type) {
    bool first = true;
    printf(", \"friction\": [");
    for (int i = 0; i < br_bearing_parameter_count(); i++) {
        const BrBearingParameter *p = br_bearing_parameter(i);
        if (!(p->taken >> type & 1)) continue;
        printf("%s{\"key\": \"%s\", \"unit\": \"%s\", \"required\": %s, \"help\": ", first ? "" : ", ", p->key, p->unit,
               p->needed >> type & 1 ? "true" : "false");
        json_text(stdout, p->help);
        printf("}");
        first = false;
    }
    printf("]");
}

static void print_json(BrJointType type) {
    const BrJointInfo *info = br_joint_info(type);
    printf("{\"name\": \"%s\", \"help\": ", info->name);
    json_text(stdout, info->help);
    printf(", \"freedoms\": %d, \"rows\": %d, \"position_rows\": %d, \"parameters\": [", info->freedoms,
           info->constraints, info->holonomic);
    for (int p = 0; p < info->parameters; p++) {
        const BrJointParameter *q = &info->parameter[p];
        printf("%s{\"key\": \"%s\", \"unit\": \"%s\", \"required\": %s, \"help\": ", p ? ", " : "", q->key, q->unit,
               q->required ? "true" : "false");
        json_text(stdout, q->help);
        printf("}");
    }
    printf("], \"coordinates\": [");
    for (int c = 0; c < info->coordinates; c++)
        printf("%s{\"name\": \"%s\", \"unit\": \"%s\", \"driveable\": %s}", c ? ", " : "", info->coordinate[c].name,
               info->coordinate[c].unit, info->coordinate[c].driveable ? "true" : "false");
    printf("]");
    print_bearings(type);
    printf("}");
}

int command_joints(int count, char **words) {
    bool json = false;
    const char *unused;
    const Option options[] = {{"--json", NULL, NULL, "as JSON on standard output", &json, false}};
    int done;
    if (parse_options("Usage: bristle joints [--json]\n\nThe joint types, with what a scene must say about each, and "
                      "about\nfriction in its bearings.",
                      options, 1, count, words, &unused, 0, &done) < 0)
        return done;
    for (int t = 0; t < BR_JOINT_TYPES; t++) {
        if (json) printf(t ? ", " : "[");
        if (json)
            print_json((BrJointType)t);
        else
            print_text((BrJointType)t);
    }
    if (json) printf("]\n");
    return EXIT_FINE;
}
